"""Rankings and qrels as codes on disk: what comes back is what went in."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.codes import (
    DOCUMENT_BYTES,
    CodedQrels,
    CodedRuns,
    read_chunks,
    write_qrels,
    write_runs,
)
from regrade.errors import InputError
from regrade.run_arrays import Judged, RankedLists, TopicRankings
from regrade.scoring import score
from tests.unit.trec import Collection, qrels_table, random_collection, runs_table

seeds = st.integers(0, 2**32 - 1)
ARRAYS = ("name_offsets", "offsets", "documents", "scores", "submitted_ranks")


def topic_rankings(ranked):
    """The rankings topic by topic, as `write_runs` takes them."""
    n_systems = len(ranked.systems)
    for t, topic in enumerate(ranked.topics):
        first, last = ranked.name_offsets[t : t + 2]
        offsets = ranked.offsets[t * n_systems : (t + 1) * n_systems + 1]
        rows = slice(offsets[0], offsets[-1])
        of_topic = TopicRankings(
            ranked.names.slice(first, last - first).combine_chunks(),
            ranked.documents[rows] - np.int32(first),
            ranked.scores[rows],
            ranked.submitted_ranks[rows],
            np.diff(offsets),
        )
        yield topic, of_topic


def written(collection, folder):
    runs, qrels = folder / "runs.arrow", folder / "qrels.arrow"
    write_runs(runs, collection.ranked.systems, topic_rankings(collection.ranked), {"a": 1})
    coded = CodedRuns(runs)
    write_qrels(qrels, collection.qrels, coded)
    return coded, CodedQrels(qrels, coded)


def assert_same(found: RankedLists, expected: RankedLists):
    assert (found.systems, found.topics) == (expected.systems, expected.topics)
    assert found.docnos.tolist() == expected.docnos.tolist()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        assert getattr(found, name).dtype == getattr(expected, name).dtype


@pytest.fixture
def small(tmp_path):
    collection = Collection.small(*random_collection(3))
    return collection, *written(collection, tmp_path)


@given(seeds, st.data())
def test_what_was_written_is_read(tmp_path_factory, seed, data):
    collection = Collection.small(*random_collection(seed, topics=4))
    runs, qrels = written(collection, tmp_path_factory.mktemp("codes"))
    assert_same(runs.ranked(scores=True, submitted_ranks=True), collection.ranked)
    topics = data.draw(st.lists(st.sampled_from(["t0", "t1", "t2", "t3", "t9"]), unique=True))
    some = RankedLists.from_table(collection.runs, topics).with_topics(topics)
    found = runs.ranked(topics, scores=True, submitted_ranks=True)
    assert (found.systems, found.topics) == (collection.ranked.systems, tuple(sorted(topics)))
    if some.systems:
        here = [s in some.systems for s in found.systems]
        np.testing.assert_array_equal(found.lengths[here], some.lengths)
        assert not found.lengths[~np.array(here)].any()
        assert found.docnos[found.documents].tolist() == some.docnos[some.documents].tolist()
    judged = qrels.judged(found)
    expected = Judged.from_table(collection.qrels, found)
    assert judged.topics == expected.topics
    assert set(qrels.topics) == set(collection.judged.topics)
    for name in ("offsets", "documents", "grades"):
        np.testing.assert_array_equal(getattr(judged, name), getattr(expected, name))
        assert getattr(judged, name).dtype == getattr(expected, name).dtype


def test_scores_are_read_where_wanted(small):
    _, runs, _ = small
    ranked = runs.ranked()
    assert ranked.scores is None and ranked.submitted_ranks is None
    assert runs.ranked(scores=True).submitted_ranks is None


@pytest.mark.parametrize("max_bytes", [0, 20 * DOCUMENT_BYTES, 1e9])
def test_chunks_hold_every_topic_once_and_keep_to_the_bound(small, max_bytes):
    collection, runs, qrels = small
    chunks = runs.chunks(max_bytes=max_bytes)
    assert sum(chunks, ()) == runs.topics
    for chunk in chunks:
        taken = sum(runs.sizes[topic] for topic in chunk) * DOCUMENT_BYTES
        assert taken <= max_bytes or len(chunk) == 1
    assert len(runs.chunks(max_bytes=0)) == len(runs.topics)
    assert runs.chunks(["t9", "t1"]) == [("t1", "t9")]  # t9 is ranked by nobody
    assert runs.chunks([]) == [()]
    whole = score(collection.ranked, collection.judged, ["AP", "RBP", "nDCG"], max_grade=2)
    parts = []
    for chunk in chunks:
        ranked = runs.ranked(chunk)
        parts.append(score(ranked, qrels.judged(ranked), ["AP", "RBP", "nDCG"], max_grade=2))
    np.testing.assert_array_equal(np.concatenate([p.values for p in parts], 1), whole.values)


@pytest.mark.parametrize("max_bytes", [0, 1e9])
def test_a_judged_topic_that_nobody_ranks_scores_0(tmp_path, max_bytes):
    runs = {"a": {"1": [("x", 2), ("y", 1)], "3": [("y", 1)]}, "b": {"3": [("x", 1)]}}
    qrels = {"0": {"x": 1}, "1": {"x": 1}, "2": {"y": 2, "z": 1}, "3": {"y": 1}, "4": {"z": 1}}
    collection = Collection.small(runs, qrels)
    written(collection, tmp_path)
    parts = read_chunks(tmp_path / "runs.arrow", tmp_path / "qrels.arrow", max_bytes=max_bytes)
    scores = [score(ranked, judged, ["AP", "nDCG", "Bpref", "ERR"]) for ranked, judged in parts]
    assert sum((part.topics for part in scores), ()) == ("0", "1", "2", "3", "4")
    values = np.concatenate([part.values for part in scores], axis=1)
    assert values[0, [1, 3], 0].tolist() == [1, 1]
    assert not values[:, [0, 2, 4]].any() and not values[1, [1, 3]].any()
    ranked = RankedLists.from_table(collection.runs).with_topics(qrels)
    whole = score(ranked, Judged.from_table(collection.qrels, ranked), ["AP", "nDCG", "Bpref"])
    np.testing.assert_array_equal(whole.values, values[:, :, :3])


def test_further_topics_change_no_code(small):
    ranked = small[0].ranked
    more = ranked.with_topics(["a", *ranked.topics, "t00", "z"])
    assert more.topics == tuple(sorted({*ranked.topics, "a", "t00", "z"}))
    kept = np.isin(more.topics, ranked.topics)
    np.testing.assert_array_equal(more.lengths[:, kept], ranked.lengths)
    assert not more.lengths[:, ~kept].any()
    assert more.names is ranked.names and more.documents is ranked.documents
    assert ranked.with_topics(ranked.topics[:1]) is ranked


def test_no_runs_are_no_rankings(tmp_path):
    runs, qrels = written(Collection.small({}, {}), tmp_path)
    assert runs.topics == runs.systems == qrels.topics == ()
    assert runs.ranked().documents.size == 0
    assert qrels.judged(runs.ranked()).grades.size == 0


def test_the_same_content_has_the_same_bytes(tmp_path):
    runs, qrels = random_collection(5)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        written(Collection.small(runs, qrels), tmp_path / name)
    for name in ("runs.arrow", "qrels.arrow"):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in ("one", "other"))
        assert one == other


def test_qrels_made_for_other_documents_are_refused(tmp_path):
    runs, qrels = random_collection(6)
    written(Collection.small(runs, qrels), tmp_path)
    runs["s0"]["t0"] = [*runs["s0"]["t0"], ("zz", 0.5)]
    ranked = RankedLists.from_table(runs_table(runs))
    write_runs(tmp_path / "others.arrow", ranked.systems, topic_rankings(ranked))
    with pytest.raises(InputError, match="topic t0: was made for runs with other documents"):
        CodedQrels(tmp_path / "qrels.arrow", CodedRuns(tmp_path / "others.arrow"))


def test_files_that_hold_something_else_are_refused(tmp_path, small):
    _, runs, _ = small
    (tmp_path / "text").write_text("no Arrow")
    with pytest.raises(InputError, match="cannot be read as Arrow"):
        CodedRuns(tmp_path / "text")
    with pytest.raises(InputError, match="cannot be read"):
        CodedRuns(tmp_path / "absent")
    with pytest.raises(InputError, match="holds no rankings as codes"):
        CodedRuns(tmp_path / "qrels.arrow")
    with pytest.raises(InputError, match="holds no qrels as codes"):
        CodedQrels(tmp_path / "runs.arrow", runs)
    with pa.ipc.new_file(str(tmp_path / "plain"), pa.schema({"a": pa.int8()})):
        pass
    with pytest.raises(InputError, match="Delete it and run again"):
        CodedRuns(tmp_path / "plain")
    whole = (tmp_path / "runs.arrow").read_bytes()
    (tmp_path / "half").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be read as Arrow"):
        CodedRuns(tmp_path / "half")


def test_a_killed_writer_leaves_nothing(tmp_path):
    def dies():
        yield from ()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_runs(tmp_path / "runs.arrow", ["s"], dies())
    assert not list(tmp_path.iterdir())


@settings(max_examples=30)
@given(seed=seeds, max_bytes=st.sampled_from([0, 20 * DOCUMENT_BYTES, 1e9]))
def test_topics_in_any_order_and_chunks_have_the_same_bytes(tmp_path_factory, seed, max_bytes):
    folder = tmp_path_factory.mktemp("order")
    collection = Collection.small(*random_collection(seed, topics=6))
    runs, _ = written(collection, folder)
    topics, rows = np.unique(collection.qrels["topic"].to_pylist(), return_inverse=True)
    order = np.argsort(np.random.default_rng(seed).permutation(len(topics))[rows], kind="stable")
    parts = [collection.qrels.take(half) for half in np.array_split(order, 2)]
    write_qrels(folder / "other.arrow", pa.concat_tables(parts), runs, max_bytes=max_bytes)
    assert (folder / "other.arrow").read_bytes() == (folder / "qrels.arrow").read_bytes()


def test_each_row_of_a_qrels_is_looked_at_once(tmp_path, monkeypatch):
    """Not once for every chunk of topics, which would be quadratic in topics."""
    collection = Collection.small(*random_collection(3, topics=9))
    runs, _ = written(collection, tmp_path)
    rows, from_table = [], Judged.from_table
    monkeypatch.setattr(
        Judged,
        "from_table",
        lambda table, ranked: rows.append(len(table)) or from_table(table, ranked),
    )
    write_qrels(tmp_path / "again.arrow", collection.qrels, runs, max_bytes=0)
    assert len(rows) == len(collection.judged.topics) > 5
    assert sum(rows) == len(collection.judged.grades)


def test_topics_without_runs_are_kept(tmp_path):
    collection = Collection.of(
        runs_table({"s": {"1": [("a", 1)], "2": [("b", 1)]}}),
        qrels_table({"2": {"b": 1, "x": 1}, "3": {"a": 1}}),
    )
    runs, qrels = written(collection, tmp_path)
    assert qrels.topics == ("2", "3")
    assert qrels.judged(runs.ranked(["2", "3"])).documents.tolist() == [-1, 0, -1]
    assert qrels.judged(runs.ranked(["1"])).topics == ()

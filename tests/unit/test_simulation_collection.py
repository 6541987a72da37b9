"""The collection from nothing: its shape, its files and what each parameter does."""

import dataclasses
import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.readers.labels import read_qrels
from regrade.readers.runs import read_runs
from regrade.simulation.collection import (
    CollectionParameters,
    RunParameters,
    _scores,
    _systems,
    simulate_collection,
    simulate_runs,
    write_collection,
    write_runs,
)


def make(**changes):
    return simulate_collection(CollectionParameters(**changes))


def plain(table):
    """A pandas frame with strings instead of categories."""
    frame = table.to_pandas()
    return frame.astype({c: str for c in frame if isinstance(frame[c].dtype, pd.CategoricalDtype)})


def tied_systems(collection):
    runs = plain(collection.runs)
    repeated = runs.duplicated(["system", "topic", "score"])
    return set(runs.system[repeated])


@pytest.fixture(scope="module")
def demo():
    return make()


def test_shape_of_the_demo(demo):
    runs, qrels = plain(demo.runs), plain(demo.qrels)
    assert demo.runs.schema.equals(SCHEMAS["runs"])
    assert demo.qrels.schema.equals(SCHEMAS["qrels"])
    assert runs.system.nunique() == 24
    assert sorted(runs.topic.unique()) == [str(t) for t in range(401, 409)]
    assert set(qrels.grade) == {0.0, 1.0}
    assert not runs.duplicated(["system", "topic", "docno"]).any()
    top = runs[runs["rank"] <= 10].drop_duplicates(["topic", "docno"])
    assert top.groupby("topic").size().between(40, 90).all()
    judged = top.merge(qrels, on=["topic", "docno"], how="left").grade.notna()
    assert 0.8 < judged.mean() < 0.98


def test_ranks_are_canonical(demo):
    runs = plain(demo.runs)
    for _, ranking in runs.groupby(["system", "topic"]):
        assert list(ranking["rank"]) == list(range(1, len(ranking) + 1))
        assert (np.diff(ranking.score) <= 0).all()


def test_qrels_are_the_pool_of_the_contributing_systems(demo):
    runs = plain(demo.runs)
    pooled = runs[runs.system.isin(demo.contributing) & (runs["rank"] <= 20)]
    expected = set(zip(pooled.topic, pooled.docno, strict=True))
    qrels = plain(demo.qrels)
    assert set(zip(qrels.topic, qrels.docno, strict=True)) == expected


def test_quality_varies(demo):
    top = plain(demo.runs).query("rank <= 10").merge(plain(demo.qrels), how="left")
    precision = top.fillna({"grade": 0}).groupby("system").grade.mean()
    assert precision.max() - precision.min() > 0.3


def test_a_topic_does_not_depend_on_the_others(demo):
    fewer, more = plain(make(topics=2).runs), plain(demo.runs)
    kept = more[more.topic.isin(fewer.topic.unique())].drop(columns="line").reset_index(drop=True)
    pd.testing.assert_frame_equal(fewer.drop(columns="line"), kept)


def test_files_go_through_the_importer(demo, tmp_path):
    write_collection(demo, tmp_path)
    runs = read_runs(sorted((tmp_path / "runs").glob("*.gz")))
    pd.testing.assert_frame_equal(plain(runs), plain(demo.runs))
    qrels = read_qrels(tmp_path / "qrels.txt")
    keys = ["topic", "docno"]
    pd.testing.assert_frame_equal(
        plain(qrels).sort_values(keys, ignore_index=True),
        plain(demo.qrels).sort_values(keys, ignore_index=True),
    )
    groups = dict(line.split() for line in (tmp_path / "groups.txt").read_text().splitlines())
    assert groups == demo.groups


def test_files_have_the_same_bytes_every_time(tmp_path):
    for folder in ("a", "b"):
        write_collection(make(topics=2, systems=3), tmp_path / folder)
    files = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*.*"))
    assert len(files) == 5
    for file in files:
        first = (tmp_path / "a" / file).read_bytes()
        assert first == (tmp_path / "b" / file).read_bytes()
        if file.suffix == ".gz":
            assert first[4:8] == bytes(4)  # no time of writing
            assert gzip.decompress(first).splitlines()[0].split()[:2] == [b"401", b"Q0"]


# one test per parameter: what it says is what it does


def test_scores_go_together_as_the_model_says():
    """Of two systems both relevance and what misleads all; in a group what misleads it too."""
    params = RunParameters(systems=6, group_size=3, tied=0)
    systems, draw = _systems(params), np.random.default_rng(4)
    scores = _scores(draw.standard_normal(60_000), systems, draw)
    assert scores.mean(axis=1) == pytest.approx(np.full(6, 10), abs=0.03)
    assert scores.std(axis=1) == pytest.approx(np.ones(6), abs=1e-5)
    both = systems.group[:, None] == systems.group
    together = np.outer(systems.quality, systems.quality) + 0.6**2 + 0.9**2 * both
    own = np.sqrt(np.diag(together) + 0.25**2)
    expected = together / np.outer(own, own)
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(np.corrcoef(scores), expected, atol=0.02)


def test_what_a_collection_needs_at_least():
    CollectionParameters(seed=0, topics=1, systems=1, depth=1, documents=2, group_size=1)
    for name, value in (("seed", -1), ("topics", 0), ("documents", 1), ("group_size", 0)):
        with pytest.raises(ParameterError, match=name):
            CollectionParameters(**{"depth": 1, name: value})


def test_seed():
    assert not make(topics=1).runs["score"].equals(make(topics=1, seed=2).runs["score"])
    assert make(topics=1).runs.equals(make(topics=1).runs)


@pytest.mark.parametrize(("systems", "group_size", "groups"), [(24, 3, 8), (7, 2, 4), (5, 1, 5)])
def test_systems_and_group_size(systems, group_size, groups):
    made = make(topics=1, systems=systems, group_size=group_size)
    assert len(made.groups) == systems == plain(made.runs).system.nunique()
    assert len(set(made.groups.values())) == groups
    every = [f"group{g:02d}v{v}" for g in range(1, groups + 1) for v in range(1, group_size + 1)]
    assert set(made.groups) == set(every[:systems])


def test_systems_of_a_group_are_near_copies(demo):
    runs = plain(demo.runs).query("rank <= 20")
    top = runs.groupby(["system", "topic"]).docno.agg(set)
    names = sorted(demo.groups)
    share = {True: [], False: []}
    for a in names:
        for b in names:
            if a < b:
                same = demo.groups[a] == demo.groups[b]
                share[same] += [len(top[a, t] & top[b, t]) / 20 for t in ("401", "402")]
    assert np.mean(share[True]) > np.mean(share[False]) + 0.2


def test_depth_and_documents():
    runs = plain(make(topics=1, depth=30, documents=60, short=0.0).runs)
    assert runs["rank"].max() == 30
    assert runs.docno.nunique() <= 60
    assert (runs.groupby("system").size() == 30).all()


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_tied(share):
    assert len(tied_systems(make(topics=3, tied=share))) == 24 * share


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_short(share):
    lengths = plain(make(short=share).runs).groupby(["system", "topic"]).size()
    short = (lengths < 100).groupby("system").any()
    assert short.sum() == 24 * share
    assert lengths.min() >= 1


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_contributing(share):
    made = make(topics=1, contributing=share)
    assert len(made.contributing) == 24 * share
    assert (len(made.qrels) > 0) == (share > 0)


def test_pool_depth():
    sizes = [len(make(topics=1, pool_depth=depth).qrels) for depth in (5, 20, 50)]
    assert sizes == sorted(set(sizes))


def test_every_parameter_has_a_test_that_it_changes_something():
    default = make(topics=2)
    changes = {"seed": 2, "topics": 3, "systems": 5, "depth": 20, "documents": 200}
    changes |= {"group_size": 2, "tied": 0.1, "short": 0.9, "contributing": 0.9, "pool_depth": 3}
    assert set(changes) == {f.name for f in dataclasses.fields(CollectionParameters)}
    for name, value in changes.items():
        other = make(**{"topics": 2, name: value})
        assert not (other.runs.equals(default.runs) and other.qrels.equals(default.qrels)), name


# --- runs over the documents of real labels ------------------------------------------------------


def labels(topics=("7", "x"), documents=30, seed=3):
    """Labels of 0 to 2 of some documents, as a table."""
    rng = np.random.default_rng(seed)
    rows = [(t, f"{t}-{i:02}", float(rng.integers(0, 3))) for t in topics for i in range(documents)]
    frame = pd.DataFrame(rows, columns=["topic", "docno", "grade"])
    return pa.Table.from_pandas(frame, schema=SCHEMAS["qrels"], preserve_index=False)


def over(*tables, **changes):
    sizes = {"systems": 6, "depth": 20, "documents": 40} | changes
    return plain(simulate_runs(tables or [labels()], RunParameters(**sizes)))


def test_runs_rank_the_labelled_documents_and_made_up_ones():
    runs = over()
    judged = set(labels()["docno"].to_pylist())
    assert runs.system.nunique() == 6
    assert set(runs.topic) == {"7", "x"}
    assert runs.groupby(["system", "topic"]).size().max() == 20
    further = set(runs.docno) - judged
    assert further and all(docno.startswith("SIM") for docno in further)
    assert not set(over(documents=30).docno) - judged, "30 of each topic are labelled"
    assert not runs.duplicated(["system", "topic", "docno"]).any()


def test_more_labelled_documents_than_asked_for_are_all_ranked():
    runs = over(labels(documents=60), documents=20, depth=20, systems=30)
    assert runs.groupby("topic").docno.nunique().min() > 40


def test_runs_put_higher_grades_first():
    runs = over(systems=20, documents=200)
    grade = dict(zip(labels()["docno"].to_pylist(), labels()["grade"].to_pylist(), strict=True))
    top = runs[runs["rank"] <= 3].docno.map(grade).fillna(0).mean()
    bottom = runs[runs["rank"] > 17].docno.map(grade).fillna(0).mean()
    assert top > bottom + 0.5


def test_a_topics_rankings_do_not_depend_on_other_topics_or_on_the_order_of_rows():
    table = labels()
    backwards = table.take(list(range(table.num_rows))[::-1])
    pd.testing.assert_frame_equal(over(table), over(backwards))
    alone = over(labels(topics=("7",)))
    both = over(labels(topics=("7",)), labels(topics=("x",), seed=9))
    kept = both[both.topic == "7"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.drop(columns="line"), kept.drop(columns="line"))


def test_a_topic_of_two_sets_has_the_labels_of_the_first():
    first, second = labels(topics=("7",)), labels(topics=("7",), seed=9)
    pd.testing.assert_frame_equal(over(first, second), over(first))
    assert not over(first).equals(over(second))


def test_one_document_with_one_grade_is_ranked():
    runs = over(labels(topics=("7",), documents=1), documents=2, depth=2, short=0)
    assert runs.groupby("system").size().eq(2).all()


def test_runs_are_written_as_they_are(tmp_path):
    runs = simulate_runs([labels()], RunParameters(systems=3, depth=20, documents=40))
    write_runs(runs, tmp_path)
    read = read_runs(sorted(tmp_path.glob("*.gz")))
    pd.testing.assert_frame_equal(plain(read), plain(runs))

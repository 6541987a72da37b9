"""Fewer judges: all of them give the full result; a draw is the search of its file."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.search import prepare, search
from regrade.errors import ParameterError
from regrade.scales import Scale
from regrade.tables import write_table
from regrade.trust.bootstrap import RepeatedSearch
from regrade.trust.budget import fewer_table, most_judges, some_judges
from regrade.trust.named_cuts import named_cuts
from regrade.trust.resampling import pairs_of, with_pairs
from tests.unit.test_trust_bootstrap import best_values, given_of, made
from tests.unit.test_trust_transfer import tau_under


def file_of(judgments, topics, kept):
    """The rows of a judgments table that are left, written down one pair after the other."""
    left = set()
    for topic, mask in zip(topics, kept, strict=True):
        document, worker = pairs_of(topic)
        left |= {
            (topic.topic, topic.docnos[d], topic.raw.workers[w])
            for d, w in zip(document[mask], worker[mask], strict=True)
        }
    frame = judgments.to_pandas()
    keys = list(zip(frame["topic"], frame["docno"], frame["worker"], strict=True))
    rows = frame[[key in left for key in keys]]
    return pa.Table.from_pandas(rows, schema=judgments.schema, preserve_index=False)


@pytest.mark.parametrize("drawn", ["documents", "workers"])
@pytest.mark.parametrize("method", ["d2_at", "d2_ta", "h2", "tw1", "h1_ta"])
def test_a_draw_is_the_search_of_its_file(method, drawn):
    judgments, labels, ranked, again = made(8, method)
    topics = again.plan.topics
    for k in (2, 3):
        kept = some_judges(topics, drawn, k, 1, 0)
        file = file_of(judgments, topics, kept)
        parts = [with_pairs(topic, left) for topic, left in zip(topics, kept, strict=True)]
        own = [again.plan.labels.get(topic.topic) for topic in topics]
        outcome = again.outcome(parts, map(again.criterion, parts, own))
        found = search(file, 9, 3, method, labels if again.plan.labels else None)
        chosen = best_cuts(found).set_index("topic").loc[ALL_TOPICS, ["c1", "c2"]]
        cut, value = best_values(found, ALL_TOPICS)
        assert chosen.tolist() == cut.tolist()
        np.testing.assert_array_equal(again.plan.cuts[outcome.single], cut)
        assert outcome.means[1] == pytest.approx(value, abs=1e-12)
        if method == "d2_at" and drawn == "documents":
            assert outcome.tau["E"][1] == pytest.approx(
                tau_under(ranked, file, labels, cut), abs=1e-12
            )


def test_each_document_keeps_so_many_or_all_that_it_has():
    _, _, _, again = made(8)
    topics = again.plan.topics
    for k in (1, 2, 5):
        for topic, kept in zip(topics, some_judges(topics, "documents", k, 1, 3), strict=True):
            document, _ = pairs_of(topic)
            before = np.bincount(document, minlength=topic.n_documents)
            after = np.bincount(document[kept], minlength=topic.n_documents)
            np.testing.assert_array_equal(after, np.minimum(before, k))


def test_every_judge_is_as_likely():
    _, _, _, again = made(8)
    (topic, *_) = again.plan.topics
    document, _ = pairs_of(topic)
    times = sum(some_judges([topic], "documents", 1, 1, n)[0].astype(int) for n in range(2000))
    each = np.bincount(document)[document]
    expected = 2000 / each
    assert (np.abs(times - expected) <= 5 * np.sqrt(expected) + 1e-9).all()


def test_the_same_workers_for_all_documents():
    _, _, _, again = made(8)
    topics = again.plan.topics
    kept = some_judges(topics, "workers", 2, 1, 0)
    left = {
        topic.raw.workers[w]
        for topic, mask in zip(topics, kept, strict=True)
        for w in pairs_of(topic)[1][mask]
    }
    assert len(left) <= 2


@pytest.mark.parametrize("method", ["d2_at", "h2", "tw1"])
def test_all_judges_give_the_full_result(method):
    _, _, _, again = made(8, method)
    table = fewer_table(again, "E", [1, 3, 99], samples=4)
    whole = table[table["everything"]]
    assert (whole["estimate"] - whole["full"]).abs().max() == 0
    given = given_of(again)
    single = whole[(whole["selection"] == "single") & (whole["quantity"] == "alpha")]
    assert single["estimate"].tolist() == [given.means[1]]
    assert (whole.loc[whole["quantity"] == "regret", "estimate"] == 0).all()
    topics = again.plan.topics
    everything = [with_pairs(topic, np.ones(len(pairs_of(topic)[0]), bool)) for topic in topics]
    for topic, part in zip(topics, everything, strict=True):
        for name in ("histograms", "document", "value", "unit", "vote"):
            np.testing.assert_array_equal(getattr(topic, name), getattr(part, name))
    assert whole["cost"].iloc[0] == most_judges(topics, "documents")[1].sum()
    assert set(table["per_document"]) == {1, 3, whole["per_document"].iloc[0]}


def test_costs_are_counted_and_regret_is_never_negative():
    _, _, _, again = made(8)
    table = fewer_table(again, "E", range(1, 4), samples=6)
    _, each = most_judges(again.plan.topics, "documents")
    for k, rows in table.groupby("per_document"):
        assert (rows["cost"] == np.minimum(each, k).sum()).all()
        assert (rows["short"] == (each < k).sum()).all()
    regret = table[table["quantity"] == "regret"]
    assert (regret["low"].dropna() >= -1e-12).all()
    assert (table["low"].dropna() <= table["high"].dropna() + 1e-12).all()


def test_threads_change_nothing_and_the_table_has_its_schema(tmp_path):
    _, _, _, again = made(8)
    one, two = (
        fewer_table(again, "E", [1, 2], ("documents", "workers"), 5, threads=n) for n in (1, 3)
    )
    pd.testing.assert_frame_equal(one, two)
    short = one.groupby("drawn")["short"].max()
    assert short["documents"] > short["workers"] == 0  # all documents have the same workers
    write_table(one, tmp_path / "fewer.parquet", "cuts/fewer", {})


def test_one_judge_a_document_has_no_fewer():
    judgments, labels, _, _ = made(8)
    frame = judgments.to_pandas().drop_duplicates(["topic", "docno"])
    one = pa.Table.from_pandas(frame, schema=judgments.schema, preserve_index=False)
    plan = prepare(one, 9, 3, "d2_at", labels)
    named = named_cuts(plan.thresholds, 3, Scale.of({"levels": 9}), np.arange(9))
    (row,) = fewer_table(RepeatedSearch(plan, named), "E").to_dict("records")
    assert row["note"] == "no document has two judges, so there are no fewer to draw"


def test_one_judge_has_no_agreement_with_others():
    """`tw1` needs two: α of one judge per document is undefined, in every sample."""
    _, _, _, again = made(8, "tw1")
    table = fewer_table(again, None, [1], samples=3)
    rows = table[(table["per_document"] == 1) & (table["quantity"] == "alpha")]
    assert (rows["undefined"] == 3).all()
    assert rows["estimate"].isna().all()


@pytest.mark.parametrize(("ks", "samples"), [([0], 5), ([1], 0)])
def test_numbers_below_one_are_refused(ks, samples):
    _, _, _, again = made(8)
    with pytest.raises(ParameterError, match="1 or more"):
        fewer_table(again, "E", ks, samples=samples)

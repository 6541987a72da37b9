"""Workers' counts against plain loops over the answers."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy import stats

from regrade.catalogue import columns_of
from regrade.errors import MethodError
from regrade.preferences.checks import check_answers
from regrade.preferences.workers import (
    ABSOLUTE,
    GRADE,
    PER_DOCUMENT,
    PREFERENCE,
    SHOWN,
    accuracy_table,
    inconsistency_table,
    label_relations,
    seen_table,
    topic_table,
    worker_labels,
    worker_relations,
    worker_table,
)
from tests.unit.magnitudes_frames import fits
from tests.unit.preferences_answers import answers, changed, collected, kept, labels


def rows_of(table, **keys):
    return [r for r in table.to_pylist() if all(r[k] == v for k, v in keys.items())]


def test_workers_are_counted():
    both = collected()
    found = worker_table(both.answers, both.left_out)
    assert list(found.columns) == columns_of("preferences/workers")
    assert len(found) == 6
    for row in found.to_dict("records"):
        who = {"topic": row["topic"], "worker": row["worker"]}
        kept, others = rows_of(both.answers, **who), rows_of(both.left_out, **who)
        seen = {}
        for r in kept:
            seen.setdefault(r["unit"], set()).update((r["left"], r["right"]))
        times = pd.Series([d for docs in seen.values() for d in docs]).value_counts()
        assert row["answers"] == len(kept) + len(others)
        assert row["left_out"] == len(others) > 0
        assert row["units"] == len(seen)
        assert row["shown"] == sum(map(len, seen.values()))
        assert row["documents"] == len(times)
        assert [row[c] for c in ("once", "twice", "more")] == [
            (times == 1).sum(), (times == 2).sum(), (times > 2).sum()
        ]  # fmt: skip
        assert row["per_document"] == pytest.approx(sum(r["seconds"] for r in kept) / row["shown"])
        contradicted = 0
        for unit, docs in seen.items():
            for d in docs:
                said = {r[f"{s}_relevant"] for r in kept if r["unit"] == unit
                        for s in ("left", "right") if r[s] == d}  # fmt: skip
                contradicted += len(said) == 2
        assert row["inconsistent_absolute"] == pytest.approx(contradicted / row["shown"])


def test_the_thesiss_example_of_intransitive_preferences():
    rows = [("d1", "d2"), ("d2", "d3"), ("d3", "d4"), ("d4", "d1")]
    table = answers(topics=1, workers=1, units=1, pairs=4)
    left, right = ([pair[side] for pair in rows] for side in (0, 1))
    row = worker_table(changed(table, left=left, right=right, strength=-1.0)).iloc[0]
    assert (row["inconsistent_low"], row["inconsistent_high"]) == (0.5, 0.5)


def test_unknown_workers_and_questions_are_not_made_up():
    unknown = dict.fromkeys(("worker", "unit", "left_relevant", "right_relevant"))
    table = changed(kept(topics=1), seconds=np.nan, **unknown)
    (row,) = worker_table(table).to_dict("records")
    assert row["worker"] is None
    assert row["units"] == 1
    assert np.isnan(row["per_document"])
    assert np.isnan(row["inconsistent_absolute"])
    assert not np.isnan(row["inconsistent_low"])
    assert seen_table(table).empty


def test_a_worker_whom_nobody_trusts_did_nothing():
    table = answers(workers=2)
    frame = table.to_pandas()
    both = check_answers(changed(table, trusted=(frame["worker"] != "w1").to_numpy()))
    workers = worker_table(both.answers, both.left_out)
    row = workers.set_index(["topic", "worker"]).loc[("0", "w1")]
    assert row["left_out"] == row["answers"] == 10
    assert row["shown"] == row["units"] == row["once"] == 0
    assert np.isnan(row["inconsistent_low"])
    assert np.isnan(row["inconsistent_absolute"])
    assert topic_table(both.answers, both.left_out)["kept"].tolist() == [10, 10, 20]


def test_a_worker_of_whom_nothing_is_left_out_has_none_and_unknown_ones_are_one():
    found = collected(workers=3)
    of_first = found.left_out.filter(pc.equal(found.left_out["worker"], "w0"))
    answers = found.answers.to_pandas()
    answers.loc[answers["worker"] == "w2", "worker"] = None
    unknown = pa.Table.from_pandas(answers, found.answers.schema, preserve_index=False)
    table = worker_table(unknown, of_first)
    for row in table.itertuples():
        theirs = pc.sum(pc.equal(of_first["topic"], row.topic)).as_py()
        assert row.left_out == (theirs if row.worker == "w0" else 0)
    assert set(table["worker"]) == {"w0", "w1", None}
    assert table["answers"].sum() == len(answers) + len(of_first)


def test_topics_are_counted_and_summed():
    both = collected()
    found = topic_table(both.answers, both.left_out, price=0.01)
    assert list(found.columns) == columns_of("preferences/topics")
    assert found["topic"].tolist() == ["0", "1", "*"]
    row, everything = found.iloc[0], found.iloc[-1]
    rows = [*rows_of(both.answers, topic="0"), *rows_of(both.left_out, topic="0")]
    assert row["trusted"] + row["untrusted"] == len(rows)
    assert row["trusted"] == row["kept"] == sum(r["trusted"] for r in rows)
    assert row["cost"] == pytest.approx(0.01 * len(rows))
    assert row["workers"] == row["people"] == 3
    assert row["partitions"] == 3
    assert row["seconds"] == pytest.approx(np.mean([r["seconds"] for r in rows if r["trusted"]]))
    assert everything["workers"] == 6
    assert everything["people"] == 3
    pairs = {frozenset((r["left"], r["right"])) for r in rows}
    assert row["pairs"] == len(pairs)
    assert np.isnan(topic_table(both.answers)["cost"]).all()


def test_workers_without_an_answer_that_counts_are_no_workers():
    everything = kept(workers=4)
    dropped = everything["worker"][0].as_py()
    is_dropped = pc.equal(everything["worker"].cast(pa.string()), dropped)
    found = topic_table(everything.filter(pc.invert(is_dropped)), everything.filter(is_dropped))
    before = topic_table(everything)
    assert (before["workers"] - found["workers"]).tolist()[-1] > 0
    assert found["people"].iloc[-1] == before["people"].iloc[-1] - 1
    assert found["pairs"].tolist() == before["pairs"].tolist()


def test_documents_by_how_many_judged_them():
    table = kept()
    found = seen_table(table)
    assert list(found.columns) == columns_of("preferences/seen")
    who = {}
    for r in rows_of(table, topic="0"):
        for side in ("left", "right"):
            who.setdefault(r[side], set()).add(r["worker"])
    expected = pd.Series([len(w) for w in who.values()]).value_counts().to_dict()
    here = found[found["topic"] == "0"].set_index("workers")["documents"].to_dict()
    assert here == expected


def test_relations_are_kendalls_tau():
    workers = worker_table(kept(workers=5))
    grade = pd.Series(np.arange(len(workers), dtype=float))
    found = worker_relations(workers, {GRADE: grade})
    assert list(found.columns) == columns_of("preferences/relations")
    pairs = found.set_index(["x", "y"])
    expected = stats.kendalltau(workers["per_document"], grade)
    assert pairs.loc[(PER_DOCUMENT, GRADE), "tau"] == pytest.approx(expected.statistic)
    mean = workers[["inconsistent_low", "inconsistent_high"]].mean(axis=1)
    expected = stats.kendalltau(workers["shown"], mean)
    assert pairs.loc[(SHOWN, PREFERENCE), "p"] == pytest.approx(expected.pvalue)
    assert pairs.loc[(SHOWN, ABSOLUTE), "n"] == len(workers)
    alone = worker_relations(workers.iloc[:1])
    assert alone["tau"].isna().all()


def test_absolute_answers_and_preferences_are_held_against_each_other(tmp_path):
    """The paired t-test of Figure 5.11, over workers and topics, and over workers alone."""
    rng = np.random.default_rng(2)
    low, absolute = rng.uniform(0, 0.2, 8), rng.uniform(0, 0.4, 8)
    workers = pd.DataFrame(
        {
            "topic": list("12121212"),
            "worker": [*"aabbccd", None],
            "inconsistent_low": low,
            "inconsistent_high": low + 0.1,
            "inconsistent_absolute": [*absolute[:6], np.nan, absolute[7]],
        }
    )
    found = inconsistency_table(workers).set_index("over")
    keep = [0, 1, 2, 3, 4, 5, 7]
    expected = stats.ttest_rel(absolute[keep], low[keep] + 0.05)
    row = found.loc["workers and topics"]
    assert (row["n"], row["t"], row["p"]) == (7, *map(pytest.approx, expected))
    assert row["preference"] == pytest.approx(low[keep].mean() + 0.05)
    assert row["difference"] == pytest.approx(row["absolute"] - row["preference"])
    means = [part[:6].reshape(3, 2).mean(axis=1) for part in (absolute, low + 0.05)]
    expected = stats.ttest_rel(*means)
    row = found.loc["workers"]
    assert (row["n"], row["t"], row["p"]) == (3, *map(pytest.approx, expected))
    one = inconsistency_table(workers.iloc[:1])
    assert one["t"].isna().all() and one["p"].isna().all()
    none = inconsistency_table(workers.assign(inconsistent_absolute=np.nan))
    assert (none["n"] == 0).all() and none["preference"].isna().all()
    # as of who answers by preferences alone
    assert fits(none, "preferences/inconsistency", tmp_path)


def test_preferences_are_held_against_labels():
    table, known = kept(), labels()
    grades = known.set_index(["topic", "docno"])["grade"].to_dict()
    found = worker_labels(table, known, "R")
    assert list(found.columns) == columns_of("preferences/worker_labels")
    for row in found.to_dict("records"):
        tests = right = 0
        shown = set()
        for r in rows_of(table, topic=row["topic"], worker=row["worker"]):
            shown |= {(r["unit"], r["left"]), (r["unit"], r["right"])}
            left, other = (grades.get((r["topic"], r[s])) for s in ("left", "right"))
            if left is not None and other is not None and left != other:
                tests += 1
                right += (r["strength"] < 0) == (left > other)
        assert (row["apart"], row["right"]) == (tests, right)
        held = [grades[row["topic"], d] for _, d in shown if (row["topic"], d) in grades]
        assert row["mean_grade"] == pytest.approx(np.mean(held) if held else np.nan, nan_ok=True)


def test_order_of_rows_changes_nothing():
    table = kept()
    turned = table.take(np.random.default_rng(1).permutation(len(table)))
    for made in (worker_table, topic_table, seen_table):
        pd.testing.assert_frame_equal(made(table), made(turned))


def test_nobody_answered():
    with pytest.raises(MethodError, match="no answer"):
        topic_table(kept().slice(0, 0))


def test_relations_to_labels_are_of_each_reference():
    table = kept(workers=5)
    workers = worker_table(table)
    known = pd.concat(
        [worker_labels(table, labels(seed), name) for seed, name in ((2, "R"), (3, "S"))]
    )
    found = label_relations(workers, known)
    assert found["reference"].tolist() == ["R", "S"]
    grades = known[known["reference"] == "S"]["mean_grade"].to_numpy()
    expected = stats.kendalltau(workers["per_document"], grades)
    assert found["tau"].iloc[1] == pytest.approx(expected.statistic)


def test_accuracy_is_of_workers():
    rows = [("1", "a", 4, 2), ("1", "b", 1, 1), ("1", "c", 0, 0), ("2", "a", 2, 0)]
    rows = [("R", *row, row[2] // 2, row[3] // 2) for row in rows]
    columns = ["reference", "topic", "worker", "apart", "right", "gold", "gold_right"]
    known = pd.DataFrame(rows, columns=columns)
    found = accuracy_table(known).set_index("topic")
    assert list(accuracy_table(known).columns) == columns_of("preferences/accuracy")
    assert found.loc["1", "mean"] == 0.75
    assert found.loc["1", "deviation"] == pytest.approx(np.std([0.5, 1], ddof=1))
    assert found.loc["1", ["workers", "apart", "right"]].tolist() == [2, 5, 3]
    assert np.isnan(found.loc["2", "deviation"])
    assert found.loc["*", "mean"] == pytest.approx(0.5)


def test_gold_pairs_are_those_of_the_unit_on_whichever_side():
    table, known = kept(units=1), labels(documents=6)
    rows = table.to_pylist()
    grades = known.set_index(["topic", "docno"])["grade"].to_dict()
    chosen = {(r["topic"], r["unit"]): r for r in rows}  # the last pair of each unit, turned
    pairs = pd.DataFrame(
        [(t, u, r["right"], r["left"], True) for (t, u), r in chosen.items()]
        + [(r["topic"], r["unit"], "x", "y", False) for r in rows],
        columns=["topic", "unit", "left", "right", "gold"],
    )
    found = worker_labels(table, known, "R", pairs).set_index(["topic", "worker"])
    for (topic, _), gold in chosen.items():
        about = [
            r for r in rows
            if (r["topic"], r["unit"]) == (topic, gold["unit"])
            and {r["left"], r["right"]} == {gold["left"], gold["right"]}
        ]  # fmt: skip
        left, right = (grades[topic, gold[side]] for side in ("left", "right"))
        better = gold["left"] if left > right else gold["right"]
        rightly = [r for r in about if r["left" if r["strength"] < 0 else "right"] == better]
        expected = (len(about), len(rightly)) if left != right else (0, 0)
        row = found.loc[(topic, gold["worker"])]
        assert (row["gold"], row["gold_right"]) == expected
    assert found["gold"].sum() > 0
    assert worker_labels(table, known)["gold"].sum() == 0

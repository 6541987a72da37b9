"""Cuts of one topic, set or collection used on another: against the search of each, cut by cut."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.aggregation import transformed_labels
from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.search import prepare, search
from regrade.errors import ParameterError
from regrade.kendall import tau_b
from regrade.measures import parse
from regrade.run_arrays import Judged
from regrade.scales import Scale
from regrade.scoring import score
from regrade.tables import write_table
from regrade.trust.bootstrap import RepeatedSearch
from regrade.trust.gains import gains_table
from regrade.trust.named_cuts import named_cuts
from regrade.trust.transfer import (
    between_searches,
    index_on,
    loss_row,
    mean_losses,
    others_interval,
    transfer_table,
)
from tests.reference.skewed_means import mean_ends
from tests.unit.judgments import alpha_options, random_judgments
from tests.unit.magnitudes_frames import rows_of
from tests.unit.test_trust_bootstrap import made


def plan(judgments, labels, levels=3, **options):
    found = prepare(judgments, 9, levels, "d2_at", labels, alpha_options(**options))
    named = named_cuts(found.thresholds, levels, Scale.of({"levels": 9}), np.arange(9))
    return RepeatedSearch(found, named)


def pair(seed=3, topics=10):
    """Two judges of the same documents, beside the same labels."""
    judgments, labels, ranked, first = made(seed, topics=topics)
    frame = judgments.to_pandas()
    rng = np.random.default_rng(seed)
    frame["value"] = np.clip(frame["value"] + rng.integers(-2, 4, len(frame)), 0, 8).astype(float)
    other = pa.Table.from_pandas(frame, schema=judgments.schema, preserve_index=False)
    return (judgments, other), labels, ranked, (first, plan(other, labels))


def mean_alpha(found, cut):
    """Mean α over topics of one cut, by plain look-up."""
    (row,) = np.flatnonzero((found.cuts == np.asarray(cut)).all(axis=1))
    return found.mean[row], found.values[row]


def tau_under(ranked, judgments, labels, cut):
    """τ_b with the expert's ranking, by scoring the systems under the labels of a cut."""
    topics = judgments["topic"].unique().to_pylist()
    own = transformed_labels(judgments, dict.fromkeys(topics, cut), "at", "median", 3)
    scores = []
    for qrels in (own, labels):
        found = score(ranked, Judged.from_table(qrels, ranked), [parse("nDCG@5")])
        scores.append(found.values[:, :, 0].mean(axis=1))
    return tau_b(*scores)


def test_between_transformations_is_what_each_search_says_of_each_cut():
    judgments, labels, _, searches = pair()
    names = ("A", "B")
    table = transfer_table(searches[0], "A", "E", (), {"B": searches[1]})
    found = {n: search(j, 9, 3, "d2_at", labels) for n, j in zip(names, judgments, strict=True)}
    best = {name: best_cuts(one, "E").set_index("topic") for name, one in found.items()}
    cells = rows_of(table, quantity="alpha", selection="single").set_index(["chosen_on", "used_on"])
    assert len(cells) == 4
    for chosen_on in names:
        cut = best[chosen_on].loc[ALL_TOPICS, ["c1", "c2"]].to_numpy(dtype=float)
        for used_on in names:
            row = cells.loc[chosen_on, used_on]
            np.testing.assert_array_equal(row[["c1", "c2"]].to_numpy(dtype=float), cut)
            value, topics = mean_alpha(found[used_on], cut)
            own_cut = best[used_on].loc[ALL_TOPICS, ["c1", "c2"]].to_numpy(dtype=float)
            own, own_topics = mean_alpha(found[used_on], own_cut)
            assert row["value"] == pytest.approx(value, abs=1e-12)
            assert row["lost"] == pytest.approx(own - value, abs=1e-12)
            assert row["lost"] >= -1e-12
            assert (own_topics - topics).mean() == pytest.approx(row["lost"], abs=1e-12)


def test_what_another_cut_loses_for_all_is_what_the_best_gains_on_it():
    """Topics that chose the best cut are no judges of it: halves that did not are."""
    _, _, _, (first, second) = pair(7, topics=12)
    cells = rows_of(
        transfer_table(first, "A", "E", (), {"B": second}), quantity="alpha", selection="single"
    ).set_index(["chosen_on", "used_on"])
    for lender, user, row in ((first, second, "AB"), (second, first, "BA")):
        index = index_on(user, lender.plan.cuts[lender.best])
        assert index != user.best
        gains = gains_table(user.places, user.criteria, 0.9, {"other": index})
        expected = gains.set_index("against").loc["other", ["low", "high"]]
        assert cells.loc[tuple(row), ["low", "high"]].tolist() == expected.tolist()
        assert expected.notna().all()
    for own in (("A", "A"), ("B", "B")):  # the same cut: nothing to estimate
        assert cells.loc[own, ["low", "high"]].isna().all()
    own_cuts = rows_of(
        transfer_table(first, "A", "E", (), {"B": second}), quantity="alpha",
        selection="per-topic", chosen_on="B", used_on="A",
    )  # fmt: skip
    cuts = [index_on(first, second.plan.cuts[cut]) for cut in second.own]
    lost = first.criteria.max(axis=0) - first.criteria[cuts, np.arange(12)]
    ends = own_cuts[["low", "high"]].to_numpy(float)[0]
    assert ends == pytest.approx(mean_ends(lost), abs=1e-12)  # each topic by itself


def left_out(lost):
    """The means of what users lose, each being left out as lender and as user."""

    def mean(of):
        return np.nanmean(np.nanmean(of, axis=0))

    n = len(lost)
    without = [mean(np.delete(np.delete(lost, i, 0), i, 1)) for i in range(n)]
    return mean(lost), n * mean(lost) - (n - 1) * np.array(without)


def test_what_is_lost_to_others_allows_for_each_lending_to_all():
    rng = np.random.default_rng(4)
    lost = rng.exponential(0.1, (12, 12)) + rng.exponential(0.1, (12, 1))
    np.fill_diagonal(lost, np.nan)
    lost[3, 4] = np.nan  # not known
    mean, pseudo = left_out(lost)
    found = others_interval(lost)
    assert found == pytest.approx(mean_ends(pseudo) + mean - pseudo.mean(), abs=1e-12)
    users = mean_ends(np.nanmean(lost, axis=0))
    assert np.diff(found) > 1.5 * np.diff(users)  # lenders differ: users are not independent
    assert np.isnan(others_interval(lost[:9, :9])).all()
    lost[:, 3:] = np.where(np.isnan(lost[:, 3:]), np.nan, 0)  # three that lose something
    assert np.isnan(others_interval(lost)).all()


def test_what_users_lose_of_tau_under_the_cut_of_all_has_no_interval():
    rng = np.random.default_rng(5)
    names = [f"t{i:02d}" for i in range(12)]
    rows = [
        {"by": "topics", "quantity": quantity, "expert": expert, "chosen_on": lender,
         "used_on": user, "value": 0.0, "own": lost, "lost": lost}
        for quantity, expert in (("alpha", None), ("tau", "E"))
        for lender in (*names, "*") for user in names
        for lost in [0.0 if lender == user else rng.exponential()]
    ]  # fmt: skip
    found = {(row["quantity"], row["chosen_on"]): row for row in mean_losses(rows)}
    given = {key: not np.isnan(row["low"]) for key, row in found.items()}
    assert given == {("alpha", "*"): True, ("alpha", "others"): True,
                     ("tau", "*"): False, ("tau", "others"): True}  # fmt: skip
    of_all = [r["lost"] for r in rows if r["quantity"] == "alpha" and r["chosen_on"] == "*"]
    ends = (found["alpha", "*"]["low"], found["alpha", "*"]["high"])
    assert ends == pytest.approx(mean_ends(np.array(of_all)))


def test_a_cut_loses_nothing_on_itself():
    _, _, _, (first, second) = pair()
    table = transfer_table(first, "A", "E", ("topics",), {"B": second})
    own = table[(table["chosen_on"] == table["used_on"]) & (table["used_on"] != "*")]
    assert set(own["quantity"]) == {"alpha", "tau"}
    assert set(own["by"]) == {"topics", "transformations"}
    assert (own["lost"] == 0).all()


def test_topics_use_each_others_cuts():
    _, _, _, again = made(4, topics=4)
    table = transfer_table(again, "A", "E")
    found = again.plan.search()
    cells = rows_of(table, quantity="alpha").set_index(["chosen_on", "used_on"])
    best = best_cuts(found, "E").set_index("topic")
    for chosen_on in (*found.topics, ALL_TOPICS):
        cut = best.loc[chosen_on, ["c1", "c2"]].to_numpy(dtype=float)
        _, values = mean_alpha(found, cut)
        for t, used_on in enumerate(found.topics):
            row = cells.loc[chosen_on, used_on]
            assert row["value"] == pytest.approx(values[t], abs=1e-12)
            assert row["own"] == pytest.approx(best.loc[used_on, "value"], abs=1e-12)


def test_tau_is_that_of_the_systems_under_the_cuts_labels():
    judgments, labels, ranked, (first, second) = pair()
    table = transfer_table(second, "B", "E", (), {"A": first})
    cells = rows_of(table, quantity="tau", used_on="A", selection="single")
    assert set(cells["expert"]) == {"E"}
    for row in cells.to_dict("records"):
        expected = tau_under(ranked, judgments[0], labels, (row["c1"], row["c2"]))
        assert row["value"] == pytest.approx(expected, abs=1e-12)


def test_per_topic_cuts_go_to_the_same_topic():
    judgments, labels, _, (first, second) = pair()
    table = transfer_table(first, "A", "E", (), {"B": second})
    found = [search(j, 9, 3, "d2_at", labels) for j in judgments]
    best = [best_cuts(one, "E").set_index("topic") for one in found]
    values, own = [], []
    for t, topic in enumerate(found[0].topics):
        cut = best[0].loc[topic, ["c1", "c2"]].to_numpy(dtype=float)
        values.append(mean_alpha(found[1], cut)[1][t])
        own.append(best[1].loc[topic, "value"])
    (row,) = rows_of(
        table, quantity="alpha", selection="per-topic", chosen_on="A", used_on="B"
    ).to_dict("records")
    assert row["value"] == pytest.approx(np.mean(values), abs=1e-12)
    assert row["own"] == pytest.approx(np.mean(own), abs=1e-12)
    assert row["n_topics"] == 10
    assert np.isnan(row["c1"])


def test_topics_that_one_side_lacks_or_that_have_no_cut_are_left_out_and_the_first_cut_is_one():
    _, _, _, (_, second) = pair()
    own = second.own.copy()
    own[3] = -1
    target, source = replace(second), replace(second)
    vars(target).update(own=own, best=0)
    # its own cuts of four topics, the first of all cuts among them
    vars(source).update(plan=replace(second.plan, topics=second.plan.topics[:4]))
    vars(source).update(own=np.array([0, 5, 7, 2]), best=0)
    rows = pd.DataFrame(between_searches({"A": source, "B": target}))
    (row,) = rows_of(
        rows, quantity="alpha", selection="per-topic", chosen_on="A", used_on="B"
    ).to_dict("records")
    assert row["n_topics"] == 3
    values = [target.criteria[cut, t] for t, cut in enumerate((0, 5, 7))]
    assert row["value"] == pytest.approx(np.mean(values))
    assert row["own"] == pytest.approx(np.mean([target.criteria[own[t], t] for t in range(3)]))
    (one,) = rows_of(
        rows, quantity="alpha", selection="single", chosen_on="B", used_on="B"
    ).to_dict("records")
    assert one["value"] == one["own"] == target.means[0]


def test_means_over_users_are_of_the_others_cuts_and_of_the_one_for_all():
    losses = {("a", "b"): 0.1, ("c", "b"): 0.3, ("b", "a"): 0.4, ("a", "a"): 0.0,
              ("*", "a"): 0.05, ("*", "b"): 0.15}  # fmt: skip
    rows = [
        {"by": by, "quantity": "alpha", "expert": None, "chosen_on": chosen_on,
         "used_on": used_on, "value": 0.5 - lost, "own": 0.5, "lost": lost}
        for by in ("topics", "workers") for (chosen_on, used_on), lost in losses.items()
    ]  # fmt: skip
    found = [
        (row["by"], row["chosen_on"], row["selection"], row["n_users"], round(row["lost"], 12))
        for row in mean_losses(rows)
    ]
    assert found == [
        ("topics", "*", "single", 2, 0.1),
        ("workers", "*", "single", 2, 0.1),
        ("topics", "others", "per-topic", 2, 0.3),
        ("workers", "others", "single", 2, 0.3),
    ]


def test_cuts_of_another_collection_come_as_a_table():
    _, _, _, (first, second) = pair()
    best = best_cuts(second.plan.search(), "E2")
    table = transfer_table(first, "A", "E", (), tables={"far": best})
    between = transfer_table(first, "A", "E", (), {"B": second})
    (there,) = rows_of(table, chosen_on="far: d2_at@E2", quantity="alpha").to_dict("records")
    (here,) = rows_of(
        between, chosen_on="B", used_on="A", selection="single", quantity="alpha"
    ).to_dict("records")
    for column in ("c1", "c2", "value", "own", "lost", "low", "high"):
        assert there[column] == here[column]
    other = best.assign(method="tw1")
    (note,) = transfer_table(first, "A", "E", (), tables={"far": other})["note"].dropna()
    assert note == "far has no cut of d2_at for all topics"


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        ((3,), "makes 2 levels, and the search that would use it 3"),
        ((40, 60), "is outside the thresholds 0 … 7 of"),
    ],
)
def test_a_cut_of_another_kind_is_refused(cut, message):
    _, _, _, again = made(4)
    with pytest.raises(ParameterError, match=message):
        index_on(again, cut)


def test_one_topic_or_all_values_equal():
    judgments, labels, _, again = made(5, topics=1)
    table = transfer_table(again, "A", "E", ("topics",), {"B": again})
    single = rows_of(table, by="transformations", selection="single", quantity="alpha")
    assert single["lost"].tolist() == [0, 0, 0, 0]
    assert single["low"].isna().all()  # one topic has no interval
    equal = judgments.set_column(
        judgments.column_names.index("value"), "value", pa.array(np.full(len(judgments), 4.0))
    )
    flat = plan(equal, labels)
    table = transfer_table(again, "A", "E", (), {"flat": flat})
    rows = rows_of(table, quantity="alpha", selection="single")
    assert rows_of(rows, chosen_on="flat", used_on="flat")["lost"].tolist() == [0]


def test_a_topic_without_a_cut_says_so():
    judgments, labels, _, _ = made(6)
    frame = labels.to_pandas()
    frame.loc[frame["topic"] == frame["topic"].iloc[0], "grade"] = 1.0
    one = judgments.to_pandas()
    one.loc[one["topic"].astype(str) == str(frame["topic"].iloc[0]), "value"] = 0.0
    same = pa.Table.from_pandas(frame, schema=labels.schema, preserve_index=False)
    values = pa.Table.from_pandas(one, schema=judgments.schema, preserve_index=False)
    table = transfer_table(plan(values, same, undefined="drop"), "A", "E")
    noted = table[table["note"].notna()]
    assert (noted["value"].isna() & noted["lost"].isna()).all()


def test_what_cannot_be_searched_has_a_row_that_says_why():
    judgments = random_judgments(1, levels=9, topics=2, documents=5, units=3, workers=4)
    frame = judgments.to_pandas().drop_duplicates(["topic", "docno"])
    alone = pa.Table.from_pandas(frame, schema=judgments.schema, preserve_index=False)
    found = prepare(alone, 9, 3, "tw1")
    named = named_cuts(found.thresholds, 3, Scale.of({"levels": 9}), np.arange(9))
    (row,) = transfer_table(RepeatedSearch(found, named), "A", None).to_dict("records")
    assert "no document has the judgments of two" in row["note"]


def test_the_table_has_its_schema(tmp_path):
    _, _, _, (first, second) = pair()
    table = transfer_table(first, "A", "E", ("topics",), {"B": second})
    write_table(table, tmp_path / "transfer.parquet", "cuts/transfer", {})


def test_lost():
    assert loss_row(0.25, 0.75) == {"value": 0.25, "own": 0.75, "lost": 0.5}
    assert pd.isna(loss_row(np.nan, 0.5)["lost"])

"""Each judge's cut against the krippendorff package and searches of files without the judge."""

import krippendorff
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.aggregation import once_per_worker, transform
from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.search import prepare, search
from regrade.errors import ParameterError
from regrade.scales import Scale
from regrade.tables import write_table
from regrade.trust.bootstrap import RepeatedSearch
from regrade.trust.judges import (
    ALL_JUDGES,
    NO_JUDGES,
    JudgeAlpha,
    _summary,
    every_judge,
    in_matrix,
    judge_tables,
    part_of,
    why_no_judges,
)
from regrade.trust.named_cuts import named_cuts
from regrade.trust.searches import RankedInput
from tests.reference.skewed_means import mean_ends
from tests.unit.judgments import random_labels
from tests.unit.test_trust_bootstrap import made
from tests.unit.test_trust_transfer import tau_under


def joined(judgments, labels, again):
    """The search over all topics together."""
    method = again.plan.method
    asked = {"method": method.name, "reference": "E" if method.needs_reference else None}
    asked |= {"label": "E", "unjudged": "drop"}
    source = RankedInput(judgments, Scale.of({"levels": 9}), 3, references={"E": labels})
    return source.pooled(again, asked)


def judged(seed=3, method="d2_at", minimum=4, splits=2, **options):
    judgments, labels, _, again = made(seed, method, **options)
    together = joined(judgments, labels, again)
    return judgments, labels, again, together, every_judge(again, together, minimum, splits, 1)


def alpha(own, theirs):
    """Ordinal α by the package; NaN where all values are equal."""
    if len({*own, *theirs}) < 2:
        return np.nan
    data = np.array([own, theirs], dtype=float)
    return krippendorff.alpha(data, level_of_measurement="ordinal", value_domain=[0, 1, 2])


def test_a_judges_alpha_is_the_packages_over_all_documents_of_the_judge():
    judgments, labels, again, _, judges = judged()
    frame = once_per_worker(judgments.to_pandas())
    frame = frame.merge(labels.to_pandas(), on=["topic", "docno"])
    cuts = again.plan.cuts
    for judge in judges:
        own = frame[frame["worker"] == judge.name]
        assert judge.n_compared == len(own)
        if judge.criterion is None:
            assert len(own) < 4
            continue
        found = [alpha(transform(own["value"], cut), own["grade"]) for cut in cuts]
        np.testing.assert_allclose(judge.criterion, found, atol=1e-12)
        assert found[judge.best] == pytest.approx(np.nanmax(found), abs=1e-12)


@pytest.mark.parametrize("method", ["h2", "h1_at", "h1_ta"])
def test_a_judges_units_are_those_of_a_file_with_the_judges_units_only(method):
    judgments, labels, again, together, judges = judged(4, method)
    frame = judgments.to_pandas()
    for judge in judges:
        if judge.criterion is None:
            continue
        if method == "h2":
            own = frame[frame["worker"] == judge.name]
            own = own.assign(docno=own["topic"] + " " + own["docno"])
            own = own.assign(unit=own["topic"] + " " + own["unit"], topic="all")
            known = labels.to_pandas()
            known = known.assign(docno=known["topic"] + " " + known["docno"], topic="all")
            tables = [
                pa.Table.from_pandas(table, schema=schema, preserve_index=False)
                for table, schema in ((own, judgments.schema), (known, labels.schema))
            ]
            found = search(tables[0], 9, 3, "h2", tables[1]).criterion("all")
            np.testing.assert_allclose(judge.criterion, found, atol=1e-12)
    if method == "h2":
        return
    # units are a mean: over all judges, weighted by their defined units, it is that of all
    whole = together.plan.of_topic(together.plan.topics[0])
    total, n = 0.0, 0
    for judge in every_judge(again, together, 2, 1, 1):
        if judge.criterion is None:
            return  # somebody has too few to be counted
        part = unit_result(together, judge.name)
        total = total + np.nan_to_num(part.alpha) * part.n_defined
        n = n + part.n_defined
    np.testing.assert_array_equal(n, whole.n_defined)
    np.testing.assert_allclose(total / np.maximum(n, 1), np.nan_to_num(whole.alpha), atol=1e-12)


def unit_result(together, name):
    (topic,) = together.plan.topics
    return together.plan.of_topic(part_of(together, topic, name))


@pytest.mark.parametrize("method", ["d2_at", "h2", "h1_ta"])
def test_the_others_cut_is_the_single_cut_of_a_file_without_the_judge(method):
    judgments, labels, again, _, judges = judged(5, method)
    frame = judgments.to_pandas()
    for judge in judges:
        if judge.criterion is None:
            continue
        rest = frame[frame["worker"] != judge.name]
        file = pa.Table.from_pandas(rest, schema=judgments.schema, preserve_index=False)
        reference = labels if method != "h1_ta" else None
        best = best_cuts(search(file, 9, 3, method, reference), "E").set_index("topic")
        cut = best.loc[ALL_TOPICS, ["c1", "c2"]].to_numpy(dtype=float)
        np.testing.assert_array_equal(again.plan.cuts[judge.others], cut)


def test_held_out_never_sees_the_half_that_judges():
    """A judge whose answers are noise does well where chosen, and not on the other half."""
    rng = np.random.default_rng(8)
    n = 400
    frame = pd.DataFrame(
        {
            "topic": "1",
            "docno": [f"d{i:03d}" for i in range(n)] * 2,
            "worker": ["noise"] * n + ["good"] * n,
            "unit": None,
            "position": None,
            "seconds": None,
            "back": None,
            "failed": None,
        }
    )
    grade = rng.integers(0, 3, n)
    good = np.clip(grade * 3 + rng.integers(0, 3, n), 0, 8)
    frame["value"] = np.concatenate([rng.integers(0, 9, n), good]).astype(float)
    judgments = pa.Table.from_pandas(frame, preserve_index=False)
    labels = pa.table({"topic": ["1"] * n, "docno": frame["docno"][:n], "grade": grade * 1.0})
    plan = prepare(judgments, 9, 3, "d2_at", labels)
    named = named_cuts(plan.thresholds, 3, Scale.of({"levels": 9}), np.arange(9))
    again = RepeatedSearch(plan, named)
    together = joined(judgments, labels, again)
    good, noise = every_judge(again, together, 10, 20, 1)
    assert good.name == "good"
    assert again.plan.cuts[good.best].tolist() == [2, 5]
    assert good.at(good.best) == pytest.approx(1)
    assert good.held_out == pytest.approx(1)
    assert noise.at(noise.best) > noise.held_out
    assert abs(noise.held_out) < 0.06


def test_the_matrix_of_judges():
    judgments, _, again, together, judges = judged(3)
    tables = judge_tables(again, together, "E", minimum=4, most=3, splits=2)
    cells = tables["transfer"]
    means = cells[cells["used_on"] == "*"]
    cells = cells[cells["used_on"] != "*"]
    own = cells[(cells["quantity"] == "alpha") & (cells["chosen_on"] != cells["used_on"])]
    others = own[own["chosen_on"] != ALL_JUDGES].groupby("used_on")["lost"].mean()
    row = means[(means["quantity"] == "alpha") & (means["chosen_on"] == "others")].iloc[0]
    assert row["lost"] == pytest.approx(others.mean(), abs=1e-12)
    assert row["n_users"] == len(others)
    of_all = own[own["chosen_on"] == ALL_JUDGES]["lost"].dropna()
    row = means[(means["quantity"] == "alpha") & (means["chosen_on"] == ALL_JUDGES)].iloc[0]
    assert row["lost"] == pytest.approx(of_all.mean(), abs=1e-12)
    shown = {judge.name: judge for judge in in_matrix(judges, 3)}
    assert set(cells["used_on"]) == set(shown)
    assert set(cells["chosen_on"]) == {*shown, ALL_JUDGES}
    alphas = cells[cells["quantity"] == "alpha"].set_index(["chosen_on", "used_on"])
    for a, source in shown.items():
        for b, target in shown.items():
            row = alphas.loc[a, b]
            assert row["value"] == pytest.approx(target.criterion[source.best], nan_ok=True)
            assert not row["lost"] < 0
        assert alphas.loc[a, a]["lost"] == 0
    taus = cells[cells["quantity"] == "tau"]
    assert (taus.loc[taus["chosen_on"] == taus["used_on"], "lost"] == 0).all()
    assert len(taus) == len(alphas)
    everybody = tables["judges"].set_index("judge")
    assert set(everybody.index) == {*judgments["worker"].to_pylist(), ALL_JUDGES}
    few = everybody[everybody["note"].notna() & (everybody.index != ALL_JUDGES)]
    assert len(few) == everybody.loc[ALL_JUDGES, "n_few"]


def test_a_judges_ranking_is_that_under_a_file_of_the_judge():
    judgments, labels, ranked, again = made(3)
    together = joined(judgments, labels, again)
    cells = judge_tables(again, together, "E", minimum=4, splits=1)["transfer"]
    frame = judgments.to_pandas()
    cells = cells[cells["used_on"] == cells["used_on"].iloc[0]]
    taus = cells[cells["quantity"] == "tau"]
    for row in taus.to_dict("records"):
        own = frame[frame["worker"] == row["used_on"]]
        file = pa.Table.from_pandas(own, schema=judgments.schema, preserve_index=False)
        known = labels.to_pandas()
        known = known[known["topic"].isin(own["topic"])]
        known = pa.Table.from_pandas(known, schema=labels.schema, preserve_index=False)
        expected = tau_under(ranked, file, known, (row["c1"], row["c2"]))
        assert row["value"] == pytest.approx(expected, abs=1e-12)


def test_judges_with_too_few_documents_are_counted_and_named():
    _, _, again, together, _ = judged(3)
    table = judge_tables(again, together, "E", minimum=1000)["judges"].set_index("judge")
    assert (table["note"].drop(ALL_JUDGES) == "fewer than 1000 documents to compare").all()
    whole = table.loc[ALL_JUDGES]
    assert whole["n_judges"] == 0
    assert whole["n_few"] == len(table) - 1
    assert np.isnan(whole["alpha"])


@pytest.mark.parametrize(("n", "given"), [(14, False), (15, True)])
def test_a_mean_over_judges_has_an_interval_from_fifteen_on(n, given):
    values = np.random.default_rng(4).exponential(0.1, (n, 2))
    judges = [
        JudgeAlpha(str(j), 9, 9, np.array([0.4]), best=0, others=0, held_out=one, held_out_others=o)
        for j, (one, o) in enumerate(values)
    ]
    row = _summary(judges, 2, 10)
    assert row["difference"] == pytest.approx((values[:, 0] - values[:, 1]).mean())
    if given:
        expected = mean_ends(values[:, 0] - values[:, 1])
        assert (row["low"], row["high"]) == pytest.approx(expected)
    else:
        assert np.isnan([row["low"], row["high"]]).all()


def test_one_judge_of_equal_values_and_nobody_else():
    n = 6
    judgments = pa.table(
        {
            "topic": ["1"] * n,
            "docno": [f"d{i}" for i in range(n)],
            "worker": ["w"] * n,
            "unit": pa.nulls(n, pa.string()),
            **{name: pa.nulls(n) for name in ("position", "seconds", "back", "failed")},
            "value": [4.0] * n,
        }
    )
    labels = pa.table({"topic": ["1"] * n, "docno": judgments["docno"], "grade": [0.0, 1, 2] * 2})
    plan = prepare(judgments, 9, 3, "d2_at", labels)
    named = named_cuts(plan.thresholds, 3, Scale.of({"levels": 9}), np.arange(9))
    again = RepeatedSearch(plan, named)
    tables = judge_tables(again, joined(judgments, labels, again), "E", minimum=2)
    row = tables["judges"].set_index("judge").loc["w"]
    assert row["note"] == "nobody else chooses a cut"
    assert np.isnan(row["others_alpha"])
    assert np.isnan(row["held_out"])
    assert set(tables["transfer"]["chosen_on"]) == {"w", ALL_JUDGES}


def test_a_judge_with_one_judgment_has_no_cut():
    judgments, labels, _, _ = made(3)
    frame = judgments.to_pandas()
    one = frame.iloc[:1].assign(worker="once", unit="alone")
    both = pa.Table.from_pandas(
        pd.concat([frame, one]), schema=judgments.schema, preserve_index=False
    )
    plan = prepare(both, 9, 3, "d2_at", labels)
    named = named_cuts(plan.thresholds, 3, Scale.of({"levels": 9}), np.arange(9))
    again = RepeatedSearch(plan, named)
    table = judge_tables(again, joined(both, labels, again), "E", minimum=2)["judges"]
    row = table.set_index("judge").loc["once"]
    assert row["n_judgments"] == 1
    assert row["note"] == "fewer than 2 documents to compare"


def test_what_has_no_judges_says_so():
    judgments, labels, _, again = made(3, "tw1")
    table = judge_tables(again, None, None)["judges"]
    assert "one alone has nobody" in table["note"].iloc[0]
    assert table[["n_judgments", "n_compared"]].values.tolist() == [[0, 0]]
    source = random_labels(9, judgments, 9)
    plan = prepare(source, 9, 3, "d2_at", labels)
    assert why_no_judges(RepeatedSearch(plan, {})) == NO_JUDGES


def test_a_minimum_of_one_is_refused():
    _, _, again, together, _ = judged(3)
    with pytest.raises(ParameterError, match="minimum 1"):
        judge_tables(again, together, "E", minimum=1)
    with pytest.raises(ParameterError, match="most 0"):
        judge_tables(again, together, "E", minimum=4, most=0)
    one = judge_tables(again, together, "E", minimum=4, most=1, splits=1)["transfer"]
    assert one["used_on"].nunique() == 2  # the judge, and the mean


def test_threads_change_nothing_and_tables_have_their_schema(tmp_path):
    _, _, again, together, _ = judged(3)
    one, two = (judge_tables(again, together, "E", minimum=4, threads=n) for n in (1, 3))
    for name, table in one.items():
        pd.testing.assert_frame_equal(table, two[name])
        write_table(table, tmp_path / f"{name}.parquet", f"cuts/{name}", {})

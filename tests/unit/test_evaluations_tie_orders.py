"""What τ_b of two rankings of systems is over the orders of documents that are tied in runs."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import regrade
from regrade.cutsearch.recommended import systems_under
from regrade.cutsearch.recommended_numbers import EQUAL
from regrade.evaluations.compare_sets import ComparisonOptions, compare_sets
from regrade.evaluations.cut_labels import JudgeOptions
from regrade.evaluations.judges import judge_tables
from regrade.evaluations.tie_orders import TieOrders, tie_range
from regrade.label_sets import LabelSet
from regrade.scales import Scale
from regrade.show.published import tie_range_text

TOPICS, DOCNOS = ("1", "2", "3"), [f"d{n}" for n in range(8)]
SYSTEMS = [f"s{n}" for n in range(6)]

on_levels = LabelSet.on_levels


@pytest.fixture(scope="module")
def world():
    """Runs with many tied scores, as rows of a file, and two sets of grades."""
    rng = np.random.default_rng(3)
    rows = []
    for system in SYSTEMS:
        for topic in TOPICS:
            names = rng.permutation(DOCNOS)
            for place, score in enumerate(sorted(rng.integers(0, 3, len(names)), reverse=True)):
                rows.append((system, topic, names[place], place + 1, int(score)))
    frame = pd.DataFrame(rows, columns=["system", "topic", "docno", "rank", "score"])
    sets = [{t: {d: int(rng.integers(0, 3)) for d in DOCNOS} for t in TOPICS} for _ in range(2)]
    return frame, sets


def read(frame):
    """The runs, by their scores; of one score by submitted rank."""
    tagged = dict(list(frame.groupby("system")))
    return regrade.read_runs({s: rows.drop(columns="system") for s, rows in tagged.items()})


def expected(frame, sets, measure):
    """Lowest and highest τ_b with documents in each order, by scores that say it without ties."""
    taus = []
    for rule in (["rank"], ["docno"], ["-docno"]):
        keys = frame.assign(**{"-docno": [-int(d[1:]) for d in frame["docno"]]})
        keys = keys.sort_values(["score", *rule], ascending=[False, True])
        keys["score"] = -keys.groupby(["system", "topic"]).cumcount().astype(float)
        runs = read(keys.drop(columns=["rank", "-docno"]))
        means = [regrade.score(one, runs, measure).means()[measure] for one in sets]
        taus.append(kendalltau(*(one.sort_index() for one in means)).statistic)
    return min(taus), max(taus)


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "P@1", "nDCG"])
def test_a_comparison_has_the_range_over_orders_of_ties(world, measure):
    frame, sets = world
    found = regrade.compare(*sets, read(frame), measure, resamples=2, splits=2)
    rows = found.rankings.set_index("quantity")
    low, high = expected(frame, sets, measure)
    assert rows.loc["tau", ["ties_low", "ties_high"]].tolist() == pytest.approx([low, high])
    assert low <= rows.loc["tau", "value"] <= high
    assert rows.drop(index="tau")["ties_low"].isna().all()
    shows = len({f"{tau:.2f}" for tau in (low, high, rows.loc["tau", "value"])}) > 1
    ends = f"{low:.2f} to {high:.2f}".replace("-", "−")
    assert (f"τ_b ranges from {ends}." in found.summary()) == shows


def test_a_recommended_cut_has_it_too(world):
    frame, sets = world
    first, second = (regrade.read_qrels(one).table for one in sets)
    sides = {
        "cut": on_levels("cut", second, 3),
        EQUAL: on_levels(EQUAL, second.slice(1), 3),
    }
    how = ComparisonOptions(resamples=2, splits=2)
    numbers, _ = systems_under(
        sides, [on_levels("ref", first, 3)], read(frame).ranked, "nDCG@3", how
    )
    rows = numbers[numbers["beside"] == "ref"].set_index("quantity")
    low, high = expected(frame, sets, "nDCG@3")
    assert rows.loc["tau", ["ties_low", "ties_high"]].tolist() == pytest.approx([low, high])
    assert rows.loc["tau_equal_widths", ["ties_low", "ties_high"]].notna().all()
    assert rows.drop(index=["tau", "tau_equal_widths"])["ties_low"].isna().all()


def test_the_order_matters_here(world):
    frame, sets = world
    low, high = expected(frame, sets, "nDCG@3")
    assert high - low > 0.1


def test_judges_have_it_too(world):
    frame, sets = world
    first, second = (regrade.read_qrels(one).table for one in sets)
    judge = LabelSet("judge", second, Scale.of({"levels": 3}))
    how = JudgeOptions(resamples=2, folds=2)
    ranked = read(frame).ranked
    tables = judge_tables(on_levels("reference", first, 3), [judge], ranked, ["nDCG@3"], how)
    row = tables["rankings"].set_index("quantity").loc["tau"]
    assert [row["ties_low"], row["ties_high"]] == pytest.approx(expected(frame, sets, "nDCG@3"))


def test_runs_without_ties_or_scores_have_none(world):
    frame, sets = world
    apart = frame.assign(score=-frame["rank"].astype(float))
    for runs in (read(apart), None):
        ranked = read(frame).ranked if runs is None else runs.ranked
        if runs is None:
            from dataclasses import replace

            ranked = replace(ranked, scores=None)
        assert TieOrders.of(ranked).orders == ()
        sides = [LabelSet(n, regrade.read_qrels(s).table) for n, s in zip("ab", sets, strict=True)]
        how = ComparisonOptions(resamples=2, splits=2)
        rankings = compare_sets(*sides, ranked, ["nDCG"], how)["rankings"]
        assert rankings[["ties_low", "ties_high"]].isna().all(axis=None)


def test_one_system_is_ranked_by_no_order(world):
    frame, sets = world
    one = read(frame[frame["system"] == "s0"])
    found = regrade.compare(*sets, one, "nDCG", resamples=2, splits=2)
    assert found.rankings["ties_low"].isna().all()


def test_what_is_said_of_a_range():
    said = "0.888–0.896 over orders of tied documents"
    assert tie_range_text(0.892, 0.888, 0.896) == said
    assert tie_range_text(0.892, np.nan, np.nan) == ""
    assert tie_range_text(0.8921, 0.8919, 0.8922) == ""  # no digit that is printed depends on it
    assert np.isnan(tie_range(0.5, [], [], lambda a, b: 0)).all()

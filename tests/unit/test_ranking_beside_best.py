"""Whether more topics would tell the best system from another, in worlds with a known truth."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from regrade.ranking.answer import needed
from regrade.ranking.beside_best import beside_best, variance_ends
from regrade.ranking.pairs import AllPairs
from regrade.ranking.rank_systems import RankingOptions, rank_systems
from tests.unit.test_ranking_rank_systems import answered, check_written, scored, world

NAMES = tuple("abcdefghijklmnop")


def made(scores, correction="none", draws=500):
    """Rows of one correction, by the other system."""
    table = beside_best(NAMES[: len(scores)], AllPairs.of(np.asarray(scores), draws, 1))
    return table[table["correction"] == correction].set_index("other")


def drawn(delta, topics, samples, seed, systems=2):
    """Normal scores, the first two of which differ by `delta`; the pair's own spread is 0.2."""
    rng = np.random.default_rng(seed)
    effect = 0.6 - np.r_[0.0, delta, np.full(systems - 2, 0.4)]
    shape = (samples, systems, topics)
    return effect[:, None] + rng.normal(0, 0.2 / np.sqrt(2), shape)


def with_spread(values, delta, spread=0.2):
    """The first two systems moved so that they show just this difference and this spread."""
    values = values.copy()
    d = values[0] - values[1]
    values[0] = values[1] + delta + (d - d.mean()) / d.std(ddof=1) * spread
    return values


def test_needed_and_found_are_statsmodels():
    for delta in (0.05, 0.1, 0.3):
        (row,) = made(with_spread(drawn(delta, 30, 1, 1)[0], delta)).itertuples()
        of = TTestPower()
        assert row.difference == pytest.approx(delta)
        assert row.variance == pytest.approx(0.04)
        assert of.power(delta / 0.2, row.needed - 1, 0.05) < 0.8
        assert of.power(delta / 0.2, row.needed, 0.05) >= 0.8
        assert of.power(row.detectable / 0.2, 30, 0.05) == pytest.approx(0.8, abs=1e-5)
        assert of.power(row.doubled / 0.2, 60, 0.05) == pytest.approx(0.8, abs=1e-5)


def test_as_many_topics_as_said_find_the_difference_in_four_of_five_samples():
    """The truth being what was seen; Monte Carlo error 0.009 at 95 %."""
    for delta in (0.08, 0.2):
        needed = int(made(with_spread(drawn(delta, 25, 1, 2)[0], delta))["needed"].iloc[0])
        d = drawn(delta, needed, 8000, 3)
        p = stats.ttest_rel(d[:, 0], d[:, 1], axis=1).pvalue
        finds = TTestPower().power(delta / 0.2, needed, 0.05)
        assert (p < 0.05).mean() == pytest.approx(finds, abs=0.0135)
        assert 0.8 <= finds < 0.85


def test_bounded_scores_are_found_as_often_too():
    """Precision at 10: tenths from 0 to 1, most topics without a difference or with a large one."""
    rng = np.random.default_rng(5)
    better, worse = rng.binomial(10, [[0.5], [0.4]], (2, 40)) / 10
    delta, spread = 0.1, np.sqrt((0.25 + 0.24) / 10)
    needed = int(made(with_spread(np.stack([better, worse]), delta, spread))["needed"].iloc[0])
    d = (rng.binomial(10, 0.5, (8000, needed)) - rng.binomial(10, 0.4, (8000, needed))) / 10
    p = stats.ttest_1samp(d, 0, axis=1).pvalue
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.02)


@pytest.mark.slow
def test_all_pairs_at_once_are_told_apart_as_often():
    """A number said of 50 topics, in samples of as many; the critical value falls a little."""
    sample = with_spread(drawn(0.12, 50, 1, 6, systems=6)[0], 0.12)
    needed = int(made(sample, "all pairs", draws=2000).loc["b", "needed"])
    assert needed > made(sample).loc["b", "needed"]
    told = [
        AllPairs.of(one, 200, seed).some(0, 1).significant_sign()[0] > 0
        for seed, one in enumerate(drawn(0.12, needed, 400, 7, systems=6))
    ]
    assert np.mean(told) == pytest.approx(0.8, abs=0.06)


def test_the_interval_of_the_variance_leaves_out_one_topic_at_a_time():
    d = np.random.default_rng(8).gamma(0.5, size=(3, 30))
    without = np.array([np.delete(d, t, axis=1).var(axis=1, ddof=1) for t in range(30)])
    low, high = variance_ends(d)
    of_topics = 30 * np.log(d.var(axis=1, ddof=1)) - 29 * np.log(without)
    half = stats.t.ppf(0.975, 29) * of_topics.std(axis=0, ddof=1) / np.sqrt(30)
    middle = np.log(d.var(axis=1, ddof=1))
    # Student's ends, or beyond them where skewed
    assert (np.log(low) <= middle - half + 1e-12).all()
    assert (np.log(high) >= middle + half - 1e-12).all()
    assert (np.isclose(np.log(low), middle - half) | np.isclose(np.log(high), middle + half)).all()
    assert np.isnan(variance_ends(d[:, :24])).all()


def test_ends_of_the_number_are_those_of_the_variance():
    table = made(world(4, 30))
    for row in table.itertuples():
        assert row.low < row.variance < row.high
        assert row.needed_low <= row.needed <= row.needed_high
        assert TTestPower().power(row.difference / np.sqrt(row.high), row.needed_high, 0.05) >= 0.8


@pytest.mark.parametrize(("topics", "given"), [(1, False), (9, False), (10, True)])
def test_a_variance_that_few_topics_make_has_no_interval(topics, given):
    values = np.full((2, 30), 0.5)
    values[0, :topics] = np.linspace(0.9, 0.8, topics)
    (row,) = made(values).itertuples()
    assert (np.isfinite([row.low, row.high, row.needed_low, row.needed_high]) == given).all()
    assert np.isfinite(row.needed)


# --- edges, and what is said ------------------------------------------------------------------


def part_of(values):
    """What is said of the observed difference from the runner-up, and the tables."""
    tables = rank_systems(scored(values), RankingOptions(draws=500, splits=50))
    return needed(tables, np.shape(values)[1]), tables


def test_the_observed_difference_from_the_runner_up_needs_topics(tmp_path):
    values = with_spread(drawn(0.02, 30, 1, 9, systems=6)[0], 0.02)
    part, tables = part_of(values)
    alone = tables["beside_best"].query("other == 's01' and correction == 'none'").iloc[0]
    assert part == (
        f"; the observed difference of 0.020 from s01 would need {alone['needed']:,.0f} topics"
    )
    assert f"{part}." in answered(values)[0].facts[1]  # with every number in a table
    check_written(tables, tmp_path)


def test_twice_the_topics_detect_what_is_observed_where_they_are_as_many_as_needed():
    values = with_spread(drawn(0.1, 30, 1, 9, systems=6)[0], 0.1)
    values[2:] += 0.2  # near enough that not all their pairs differ significantly before
    values[0] += 1.01 * made(values, "all pairs").loc["b", "doubled"] - 0.1
    tables = part_of(values)[1]
    row = tables["beside_best"].query("other == 's01' and correction == 'all pairs'").iloc[0]
    assert row["doubled"] <= row["difference"] < row["detectable"]
    assert row["needed"] <= 60


@pytest.mark.parametrize(("number", "is_said"), [(29, False), (30, False), (31, True)])
def test_fewer_topics_than_there_are_are_not_needed(number, is_said):
    """One test alone would need them; in the family the difference is not significant with 30."""
    tables = part_of(with_spread(drawn(0.06, 30, 1, 9, systems=6)[0], 0.06))[1]
    beside = tables["beside_best"].assign(needed=float(number))
    assert bool(needed(tables | {"beside_best": beside}, 30)) == is_said


def test_a_significant_difference_needs_no_more_topics():
    assert part_of(world(4, 30, step=0.3))[0] == ""


@pytest.mark.parametrize("topics", [2, 9, 10])
def test_few_topics_have_a_table_and_nothing_is_said_of_it(topics):
    """The variance of two topics may be a hundredth of the true one."""
    found, tables = answered(world(4, topics))
    assert ("all pairs" in set(tables["beside_best"]["correction"])) == (topics == 10)
    assert tables["beside_best"]["needed_low"].isna().all()
    assert any("would need" in fact for fact in found.facts) == (topics == 10)


def test_systems_that_differ_on_few_topics_are_told_of_the_two_alone():
    values = np.full((5, 30), 0.5)
    values[:, 7] = np.linspace(1, 0, 5)
    part, tables = part_of(values)
    assert set(tables["beside_best"]["correction"]) == {"none"}
    assert part.startswith("; the observed difference of 0.008 from s01 would need ")


def test_no_number_of_topics_separates_identical_systems(tmp_path):
    values = world(3, 30)
    values[1] = values[0]
    same = made(values).loc["b"]
    assert same["difference"] == same["variance"] == 0
    assert np.isnan(same["needed"])
    # the runner-up is the first with a lower mean
    values[2] = values[0] - with_spread(drawn(0.02, 30, 1, 9)[0], 0.02)[0] / 10
    part, tables = part_of(values)
    assert "s01" not in part
    check_written(tables, tmp_path)
    part, tables = part_of(np.full((4, 30), 0.5))
    assert part == ""
    check_written(tables, tmp_path)


def test_a_mean_difference_of_nothing_needs_no_number():
    values = np.array([[0.2, 0.4] * 15, [0.4, 0.2] * 15])
    assert np.isnan(made(values)["needed"].iloc[0])


def test_a_difference_that_is_hardly_any_has_no_number_that_anybody_has():
    values = with_spread(drawn(1e-6, 30, 1, 9, systems=3)[0], 1e-6)
    assert part_of(values)[0] == (
        "; the observed difference of 1e-06 from s01 would need more topics than is realistic"
    )


@pytest.mark.parametrize("shape", [(1, 30), (3, 1)])
def test_one_system_or_topic_has_no_rows(shape):
    part, tables = part_of(world(*shape))
    assert not part
    assert tables["beside_best"].empty


def test_a_constant_difference_takes_two_topics_alone():
    values = np.linspace(0.2, 0.8, 20) + np.array([[0.1], [0.0]])
    assert made(values)["needed"].tolist() == [2]

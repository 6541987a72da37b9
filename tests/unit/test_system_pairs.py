"""Two systems, topic by topic: oracles are scipy, statsmodels and all assignments of signs."""

import contextlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

import regrade
from regrade.answers.shape import FINE, LOOK, PROBLEM
from regrade.choices import PAIR_TESTS
from regrade.errors import ParameterError, RegradeError
from regrade.measures import MEASURES, parse, parse_all
from regrade.ranking.rank_systems import rank_systems
from regrade.scoring import Scores
from regrade.system_pairs.answer import answer
from regrade.system_pairs.figures import figure_system_pair
from regrade.system_pairs.paired_tests import PairOptions, compare_pair
from tests.unit.carried import assert_carried, checked
from tests.unit.figure_checks import laid_out


def made(*rows, systems="abcdefgh", measures="nDCG@10"):
    """Scores of systems on topics, a row each, by each measure the same."""
    values = np.array(rows, float)
    names = parse_all(measures.split())
    values = np.repeat(values[:, :, None], len(names), axis=2)
    topics = tuple(f"t{i:03}" for i in range(values.shape[1]))
    return Scores(
        tuple(systems[: len(values)]), topics, names, values, np.full_like(values, np.nan)
    )


def drawn(systems=4, topics=30, seed=1, shift=0.02):
    rng = np.random.default_rng(seed)
    rows = rng.beta(2, 2, topics) + rng.normal(0, 0.1, (systems, topics))
    return made(*(rows + shift * np.arange(systems)[:, None]))


def answered(scores, first="a", second="b", **how):
    """The answer, of which each number stands in a table."""
    tables = compare_pair(scores, first, second, PairOptions(**how))
    result = answer(tables)
    paths = {f"system-pairs/{name}": table for name, table in tables.items()}
    assert_carried(result, paths, *scores.systems, *map(str, scores.measures))
    return result


def row_of(scores, first="a", second="b", **how):
    (row,) = compare_pair(scores, first, second, PairOptions(**how))["tests"].itertuples()
    return row


@pytest.mark.parametrize("seed", range(5))
def test_tests_are_scipys(seed):
    scores = drawn(seed=seed)
    a, b = scores.values[0, :, 0], scores.values[1, :, 0]
    row, t = row_of(scores), stats.ttest_rel(a, b)
    assert (row.t, row.p_t, row.df) == pytest.approx((t.statistic, t.pvalue, t.df))
    assert row.p == row.p_t
    assert row.p_wilcoxon == pytest.approx(stats.wilcoxon(a, b).pvalue)
    assert row.effect == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    assert (row.better, row.worse, row.equal_topics) == ((a > b).sum(), (a < b).sum(), 0)
    assert (row.first_mean, row.second_mean) == pytest.approx((a.mean(), b.mean()))
    assert row.difference == pytest.approx(a.mean() - b.mean())
    reached = t.confidence_interval()
    assert (row.low, row.high) == pytest.approx((reached.low, reached.high))
    assert row.skewed_low <= reached.low + 1e-12  # Student's, or Hall's where it reaches further
    assert row.skewed_high >= reached.high - 1e-12


@given(
    scale=st.sampled_from([0.0, 0.02, 0.2]),
    shift=st.floats(-0.2, 0.2),
    seed=st.integers(0, 10_000),
    topics=st.integers(10, 60),
)
def test_the_interval_excludes_0_where_the_test_is_significant(scale, shift, seed, topics):
    """For normal, skewed and constant differences; the skewed interval is never shorter."""
    rng = np.random.default_rng(seed)
    noise = rng.exponential(scale, topics) if seed % 2 else rng.normal(0, scale, topics)
    row = row_of(made(0.5 + shift + noise, np.full(topics, 0.5)))
    if np.isnan(row.low):
        assert abs(shift) <= 1e-12 and scale == 0
        return
    assert (row.p < 0.05) == (row.low > 0 or row.high < 0)
    assert row.skewed_low <= row.low + 1e-12 and row.skewed_high >= row.high - 1e-12


def test_skewed_differences_whose_corrected_interval_includes_0_are_noted():
    """One topic is lost by much, the others are won by little: Student's interval excludes 0."""
    apart = np.array([-0.3, *[0.05, 0.06, 0.07, 0.08, 0.1, 0.1, 0.1, 0.12] * 2])
    base = np.full(len(apart), 0.4)
    row = row_of(made(base + apart, base))
    assert row.skewed_low < 0 < row.low
    noted = [answered(made(*rows)).notes for rows in ((base + apart, base), (base, base + apart))]
    ends = f"{row.skewed_low:.3f} to {row.skewed_high:.3f}".replace("-", "−")
    assert noted[0] == noted[1] == (
        f"The differences are skewed: corrected for skewness (Hall), the 95% CI is {ends}, which "
        "includes 0.",
    )  # fmt: skip
    assert not answered(made(base + np.abs(apart), base)).notes


@pytest.mark.parametrize("ties", [0, 4])
def test_few_topics_are_tested_by_all_assignments_of_signs(ties):
    scores = drawn(topics=9)
    scores.values[1, :ties] = scores.values[0, :ties]
    a, b = scores.values[:2, :, 0]
    row = row_of(scores)
    assert row.exact
    assert row.permutations == 2 ** (9 - ties)
    of = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    )
    assert row.p_randomisation == pytest.approx(of.pvalue)


def test_many_topics_are_tested_by_some_of_them_with_a_seed():
    scores = drawn(topics=40, shift=0.03)
    a, b = scores.values[:2, :, 0]
    row = row_of(scores)
    assert (row.exact, row.permutations) == (False, 10_000)
    of = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=100_000,
        vectorized=True,
        rng=np.random.default_rng(3),
    )
    assert row.p_randomisation == pytest.approx(of.pvalue, abs=4 * np.sqrt(0.25 / 10_000))
    assert row_of(scores).p_randomisation == row.p_randomisation
    assert row_of(scores, seed=2).p_randomisation != row.p_randomisation
    assert row_of(scores, permutations=500).permutations == 500


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomisation", "bootstrap"])
@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_correction_is_over_all_pairs_as_ranking_has_it(test, correction):
    scores = drawn(systems=5)
    result = row_of(scores, "d", "b", test=test, correction=correction)
    from regrade.ranking.rank_systems import RankingOptions

    how = RankingOptions(draws=100, splits=1, test=test, correction=correction)
    pairs = pd.DataFrame(rank_systems(scores, how)["pairs"]).astype({"system": str, "other": str})
    (row,) = pairs[pairs[["system", "other"]].isin(["b", "d"]).all(axis=1)].itertuples()
    assert (result.p, result.p_corrected) == pytest.approx((row.p, row.p_corrected))
    assert abs(result.difference) == pytest.approx(abs(row.difference))
    sign = np.sign(result.difference * row.difference)
    ends = sorted([sign * result.skewed_low, sign * result.skewed_high])
    assert ends == pytest.approx([row.low, row.high])


def test_holm_is_statsmodels():
    scores = drawn(systems=4)
    values = scores.values[:, :, 0]
    p = [
        stats.ttest_rel(values[i], values[j]).pvalue for i, j in np.transpose(np.triu_indices(4, 1))
    ]
    want = multipletests(p, method="holm")[1]
    assert row_of(scores).p_corrected == pytest.approx(want[0])
    assert row_of(scores, "d", "c").p_corrected == pytest.approx(want[-1])


def test_power_is_statsmodels():
    row = row_of(drawn(topics=25))
    spread, power = abs(row.difference / row.effect), TTestPower().power
    assert power(row.detectable / spread, 25, 0.05) == pytest.approx(0.8, abs=1e-6)
    assert power(abs(row.effect), row.needed, 0.05) >= 0.8
    assert power(abs(row.effect), row.needed - 1, 0.05) < 0.8


def test_topics_stand_by_their_difference():
    scores = drawn(topics=12)
    topics = compare_pair(scores, "a", "c")["topics"]
    want = scores.values[0, :, 0] - scores.values[2, :, 0]
    assert topics["difference"].tolist() == pytest.approx(sorted(want, reverse=True))
    of = dict(zip(topics["topic"], topics["difference"], strict=True))
    assert [of[topic] for topic in scores.topics] == pytest.approx(want)


def test_the_other_way_round_all_turns():
    scores = drawn()
    one, other = row_of(scores), row_of(scores, "b", "a")
    assert (one.low, one.high, one.t) == pytest.approx((-other.high, -other.low, -other.t))
    assert (one.p, one.p_corrected, one.p_randomisation) == pytest.approx(
        (other.p, other.p_corrected, other.p_randomisation)
    )
    assert answered(scores).verdict == answered(scores, "b", "a").verdict
    assert answered(scores).facts == answered(scores, "b", "a").facts


# sentences


def shifted(shift, topics=12):
    rng = np.random.default_rng(7)
    low, noise = 0.3 + rng.normal(0, 0.02, topics), rng.normal(0, 0.02, topics)
    return made(low + shift + noise - noise.mean(), low, 0.2 + rng.normal(0, 0.1, topics))


def test_a_significant_difference_is_said():
    conclusion = answered(shifted(0.2))
    assert conclusion.verdict.startswith(
        "a scores significantly higher than b by 0.200 nDCG@10 (95% CI "
    )
    assert conclusion.verdict.endswith("; paired t-test, p < 0.001).")
    assert conclusion.light == FINE
    assert "needed" not in conclusion.facts[-1]


def test_one_that_is_not_is_no_finding():
    conclusion = answered(shifted(0.001))
    assert ", but not significantly (95% CI " in conclusion.verdict
    assert "; paired t-test, p = " in conclusion.verdict
    assert conclusion.light == LOOK
    assert " would need " in conclusion.facts[-1]


def test_one_that_the_correction_takes_away_is_to_be_looked_at():
    rng = np.random.default_rng(4)
    base = rng.normal(0.5, 0.1, 20)
    off = rng.normal(0, 0.05, 20)
    off += 0.0285 - off.mean()  # p of about 0.02
    others = [base + rng.normal(0, 0.1, 20) for _ in range(4)]
    conclusion = answered(made(base + off, base, *others))
    row = row_of(made(base + off, base, *others))
    assert row.p < 0.05 < row.p_corrected
    assert "scores significantly higher" in conclusion.verdict
    assert conclusion.light == LOOK
    assert "Holm over all 15 pairs, p = " in conclusion.facts[1]


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "randomisation", "bootstrap", "tukey_hsd"])
def test_other_tests_are_named(test):
    conclusion = answered(shifted(0.2), test=test)
    names = {"wilcoxon": "Wilcoxon", "sign": "sign test", "randomisation": "randomisation test"}
    names |= {"bootstrap": "bootstrap test", "tukey_hsd": "Tukey"}
    assert names[test] in conclusion.verdict
    assert names[test] in conclusion.method
    assert "paired t-test, p" in conclusion.facts[1]


def written_measures():
    """Each measure that parses by its name, with a cutoff or a recall; some with many settings."""
    yield from ("AP(judged_only=True,rel=2)@1000", "nDCG(dcg='exp-log2',judged_only=True)@10")
    for name in MEASURES:
        for text in (name, f"{name}@10", f"{name}@0.2"):
            with contextlib.suppress(RegradeError):
                yield str(parse(text))
                break


@pytest.mark.parametrize("test", PAIR_TESTS)
@pytest.mark.parametrize(
    "rows",
    [shifted(0.2), shifted(0.001), made([0.5, 0.4, 0.9], [0.3, 0.3, 0.4]), made([0.5], [0.3]),
     made([0.2, 0.4] * 6, [0.4, 0.2] * 6), made([0.5] * 12, [0.5] * 12)],
    ids=["significant", "not significant", "no interval", "no test", "same means", "same scores"],
)  # fmt: skip
def test_a_verdict_is_of_25_words_at_most(rows, test):
    """By every measure, its name at its longest: with the grade from which on it counts."""
    tables = compare_pair(rows, "a", "b", PairOptions(test, permutations=100))
    for name in written_measures():
        of = {key: table.replace({"measure": {"nDCG@10": name}}) for key, table in tables.items()}
        verdict = answer(of).naming({name: f"{name} (grades ≥ 1)"}).verdict
        assert "(grades ≥ 1)" in verdict
        assert len(verdict.split()) <= 25, verdict


def test_without_a_correction_none_is_named():
    conclusion = answered(shifted(0.1), correction="none")
    assert "Holm" not in str(conclusion)
    assert "uncorrected" not in str(conclusion)


# edges


def test_the_same_scores_are_no_difference():
    rows = np.linspace(0.1, 0.9, 12)
    conclusion = answered(made(rows, rows, rows[::-1]))
    assert conclusion.verdict == "a and b have the same nDCG@10 on every topic."
    assert (conclusion.facts, conclusion.light) == ((), LOOK)


def test_the_same_means_are_tested():
    a = np.array([0.2, 0.4, 0.6, 0.8] * 3)
    conclusion = answered(made(a, a[::-1]))
    assert conclusion.verdict == "a and b have the same mean nDCG@10 (paired t-test, p = 1.00)."
    assert " would need " not in conclusion.facts[-1]


def test_one_topic_has_no_test():
    conclusion = answered(made([0.5], [0.3]))
    assert conclusion.verdict == (
        "a scores higher than b by 0.200 nDCG@10; topics are too few for a test."
    )
    assert conclusion.light == PROBLEM
    assert conclusion.facts == (
        "a scores higher on 1 topic, lower on 0: largest gain 0.200 (topic t000).",
    )


def test_few_topics_have_a_test_and_no_interval():
    conclusion = answered(made([0.5, 0.4, 0.9], [0.3, 0.3, 0.4]))
    assert "95% CI" not in conclusion.verdict
    assert conclusion.notes == (
        "3 topics with a difference, of 3: too few for a confidence interval.",
    )


def test_a_difference_that_does_not_vary_is_significant():
    rows = np.linspace(0.1, 0.8, 12)
    row = row_of(made(rows + 0.1, rows))
    assert row.p == 0
    assert np.isnan([row.effect, row.needed]).all()
    assert "scores significantly higher" in answered(made(rows + 0.1, rows)).verdict


def test_all_topics_but_one_tie():
    rows = np.full(20, 0.5)
    other = rows.copy()
    other[3] = 0.1
    conclusion = answered(made(rows, other))
    assert "a scores higher on 1 topic, lower on 0, the same on 19" in conclusion.facts[0]
    assert "1 topic with a difference, of 20" in conclusion.notes[0]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a", "bb"), "second is 'bb': no system has this name; did you mean 'b'?"),
        (("A1", "b"), "first is 'A1': no system has this name"),
        (("b", "b"), "first and second are both 'b': name two systems"),
    ],
)
def test_names_that_are_no_two_runs_are_refused(names, message):
    with pytest.raises(ParameterError, match=message.replace("?", r"\?")):
        compare_pair(drawn(), *names)


def test_each_measure_has_a_row():
    scores = drawn()
    several = Scores(
        scores.systems, scores.topics, parse_all(["nDCG@10", "AP"]),
        np.concatenate([scores.values, scores.values**2], axis=2), scores.residuals,
    )  # fmt: skip
    conclusion = answered(several)
    assert [row[0] for row in conclusion.rows.rows] == ["nDCG@10", "AP"]
    assert "mean nDCG@10 and AP over 30 topics" in conclusion.method


# of runs


RUNS = {
    name: {
        topic: {f"d{(place * step) % 11}": 11 - place for place in range(1, 11)}
        for topic in map(str, range(401, 413))
    }
    for name, step in (("one", 1), ("two", 3), ("same", 1), ("three", 7))
}
QRELS = {
    topic: {f"d{number}": (int(topic) * number) % 4 for number in range(11)}
    for topic in map(str, range(401, 413))
}


def test_the_same_run_twice_is_said(tmp_path):
    result = regrade.compare_systems(QRELS, RUNS, "one", "same")
    conclusion = checked(result, "system-pairs", tmp_path, *RUNS)
    assert conclusion.verdict == (
        "one and same are the same rankings, so there is nothing to test."
    )


def test_scores_are_those_of_score(tmp_path):
    result = regrade.compare_systems(QRELS, RUNS, "one", "two", "nDCG@10 AP")
    checked(result, "system-pairs", tmp_path, *RUNS)
    means = regrade.score(QRELS, RUNS, "nDCG@10 AP").means()
    assert result.tests["first_mean"].tolist() == pytest.approx(means.loc["one"].tolist())
    assert result.tests["second_mean"].tolist() == pytest.approx(means.loc["two"].tolist())


def test_both_measures_are_drawn(tmp_path):
    result = regrade.compare_systems(QRELS, RUNS, "one", "two", "nDCG@10 AP")
    for measure in (None, "nDCG@10", "AP"):
        (axes,) = laid_out(result.plot(measure)).axes
        assert axes.get_ylabel().startswith(f"difference in {measure or 'nDCG@10'}")


@pytest.mark.parametrize("topics", [1, 2, 3, 53, 129, 400])
def test_any_number_of_topics_is_drawn(topics):
    tables = compare_pair(drawn(topics=topics), "a", "b")
    figure = laid_out(figure_system_pair(tables["topics"], tables["tests"]))
    if topics < 3:
        assert figure.axes == []
        return
    (axes,) = figure.axes
    heights = [bar.get_height() for bar in axes.patches if bar.get_width() == 0.8]
    assert heights == pytest.approx(tables["topics"]["difference"].tolist())
    places = axes.get_xticks() * axes.get_window_extent().width / np.ptp(axes.get_xlim())
    assert np.diff(places).min() * 72 / figure.dpi >= 0.85 * 7

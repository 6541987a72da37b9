"""Gains beside plain loops; fitted profiles beside scipy's bounded least squares and densities."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.cbook import boxplot_stats
from scipy.linalg import block_diag, null_space
from scipy.optimize import lsq_linear
from scipy.stats import multivariate_normal, ttest_1samp

from regrade.errors import ParameterError
from regrade.magnitudes import gains
from regrade.magnitudes.gains import gain_boxes, gain_profiles, gain_ratios
from regrade.magnitudes.normalising import document_table
from tests.unit.magnitudes_frames import (
    LEVELS,
    documents_from,
    fits,
    judged,
    labelled_documents,
    labels_of,
    levelled,
)

UNIT = ["topic", "worker", "unit"]
QUARTILES = {"low": "whislo", "q1": "q1", "median": "med", "q3": "q3", "high": "whishi"}
"""Our names, and those of matplotlib."""


def units_of(normalised, low):
    """Schema ``magnitudes/units`` as far as gains need it: what each unit says of N_k."""
    units = normalised[UNIT].drop_duplicates()
    known = normalised[normalised["docno"] == low].set_index(UNIT)["value"]
    return units.assign(low=known.reindex(pd.MultiIndex.from_frame(units)).to_numpy())


def topics_of(normalised, low):
    topics = [*sorted(normalised["topic"].unique()), "*"]
    return pd.DataFrame({"topic": topics, "low_docno": [low] * (len(topics) - 1) + [None]})


@pytest.fixture(scope="module")
def sets():
    normalised = judged(topics=3, documents=12, units=25, size=6)
    documents = document_table(normalised)
    labels = {name: labelled_documents(documents, LEVELS[name], noise=0.5) for name in LEVELS}
    return normalised, documents, labels


def label_of(table):
    return {(row["topic"], row["docno"]): row["grade"] for row in table.to_pylist()}


# boxes and ratios


@pytest.mark.parametrize("reference", ["So4", "TR2"])
def test_boxes_are_of_values_over_those_of_the_low_document(sets, reference, tmp_path):
    normalised, _, labels = sets
    units, topics = units_of(normalised, "D00"), topics_of(normalised, "D00")
    assert units["low"].isna().any()
    found = gain_boxes(normalised, units, topics, levelled(labels, reference), limit=2)
    assert fits(found, "magnitudes/gains", tmp_path)
    label = label_of(labels[reference])
    low = units.set_index(UNIT)["low"].to_dict()
    for row in found.to_dict("records"):
        ratios = [
            judgment["value"] / low[tuple(judgment[name] for name in UNIT)]
            for judgment in normalised.to_dict("records")
            if label.get((judgment["topic"], judgment["docno"])) == row["level"]
            and judgment["docno"] != "D00"
        ]
        ratios = [ratio for ratio in ratios if not np.isnan(ratio)]
        (expected,) = boxplot_stats(ratios)
        for name, theirs in QUARTILES.items():
            assert row[name] == pytest.approx(expected[theirs], rel=1e-12)
        assert (row["n"], row["above"]) == (len(ratios), sum(ratio > 2 for ratio in ratios))
    assert found["linear"].tolist() == [1, 2, 3, 4][: len(found)]
    assert found["exponential"].tolist() == [2, 4, 8, 16][: len(found)]


def test_the_limit_is_exceeded_by_more_than_rounding():
    rows = [("401", "n", "w", "u", 0.35), ("401", "m", "w", "u", 1.05), ("401", "h", "w", "u", 7.0)]
    normalised = pd.DataFrame(rows, columns=[*UNIT[:1], "docno", *UNIT[1:], "value"])
    labels = {"So4": labels_of([("401", "n", 0), ("401", "m", 1), ("401", "h", 3)])}
    arguments = (units_of(normalised, "n"), topics_of(normalised, "n"), levelled(labels, "So4"))
    found = gain_boxes(normalised, *arguments, limit=3).set_index("level")
    assert found["n"].tolist() == [0, 1, 0, 1]
    assert found["above"].tolist() == [0, 0, 0, 1]
    assert found.loc[3, "median"] == pytest.approx(20)
    assert gain_boxes(normalised, *arguments)["above"].tolist() == [0, 0, 0, 0]


def test_a_topic_without_a_known_low_document(sets):
    normalised, _, labels = sets
    units, topics = units_of(normalised, "none"), topics_of(normalised, None)
    found = gain_boxes(normalised, units, topics, levelled(labels, "So4"))
    assert found["n"].tolist() == [0] * 4 and found["median"].isna().all()


@pytest.mark.parametrize("aggregate", ["median", "geometric_mean"])
def test_ratios_are_those_of_all_pairs(sets, aggregate, tmp_path):
    _, documents, labels = sets
    found = gain_ratios(documents, levelled(labels, "So4"), limit=1.5, aggregate=aggregate)
    assert fits(found, "magnitudes/gain_ratios", tmp_path)
    assert found[["upper", "lower"]].to_numpy().tolist() == [[3, 2], [3, 1]]
    label, rows = label_of(labels["So4"]), documents.to_dict("records")
    column = f"normalised_{aggregate}"
    for row in found.to_dict("records"):
        ratios = [
            high[column] / low[column]
            for high, low in product(rows, rows)
            if high["topic"] == low["topic"]
            and label.get((high["topic"], high["docno"])) == row["upper"]
            and label.get((low["topic"], low["docno"])) == row["lower"]
        ]
        (expected,) = boxplot_stats(ratios)
        for name, theirs in {
            "low": "whislo",
            "q1": "q1",
            "median": "med",
            "high": "whishi",
        }.items():
            assert row[name] == pytest.approx(expected[theirs], rel=1e-12)
        assert (row["pairs"], row["above"]) == (len(ratios), sum(ratio > 1.5 for ratio in ratios))


def test_ratios_of_two_levels_or_no_pair(sets, tmp_path):
    _, documents, labels = sets
    none = gain_ratios(documents, levelled(labels, "TR2"))
    assert none.empty and fits(none, "magnitudes/gain_ratios", tmp_path)
    alone = documents_from([("401", "a", 1.0), ("402", "b", 2.0)])
    labels = {"So4": labels_of([("401", "a", 3), ("402", "b", 2)])}
    found = gain_ratios(alone, levelled(labels, "So4"))
    assert found["pairs"].tolist() == [0, 0] and found["median"].isna().all()


# profiles


def labelled(normalised, table, least=2):
    """Judgments of documents with a label, in units with at least two of them."""
    label = label_of(table)
    frame = normalised.assign(
        label=[label.get(key) for key in zip(normalised["topic"], normalised["docno"], strict=True)]
    ).dropna()
    return in_pairs(frame, least)


def in_pairs(frame, least=2):
    """Judgments of units that have at least two of these."""
    frame = frame[frame.groupby(UNIT)["label"].transform("size") >= least]
    return frame.sort_values([*UNIT, "docno"])


def steps_by_scipy(frame, levels):
    """Steps of log gain ≥ 0 by least squares, with a column for each unit."""
    unit = pd.get_dummies(frame.groupby(UNIT).ngroup()).to_numpy(float)
    above = frame["label"].to_numpy()[:, None] >= np.asarray(levels)[1:]
    bounds = [-np.inf] * unit.shape[1] + [0] * above.shape[1], np.inf
    found = lsq_linear(
        np.hstack([unit, above]), np.log(frame["value"]), bounds, method="bvls", tol=1e-14
    )
    return found.x[unit.shape[1] :]


def gains_of(profiles, profile, topic="*"):
    rows = profiles[(profiles["profile"] == profile) & (profiles["topic"] == topic)]
    return rows["gain"].to_numpy(float)


def gains_from(steps):
    return np.exp(np.concatenate([[0], np.cumsum(steps)]))


@pytest.mark.parametrize("reference", ["So4", "TR2"])
def test_fitted_profiles_are_bounded_least_squares(sets, reference, tmp_path):
    normalised, _, labels = sets
    profiles, likelihoods = gain_profiles(normalised, levelled(labels, reference))
    assert fits(profiles, "magnitudes/gain_profiles", tmp_path)
    assert fits(likelihoods, "magnitudes/gain_likelihoods", tmp_path)
    frame = labelled(normalised, labels[reference])
    expected = gains_from(steps_by_scipy(frame, LEVELS[reference]))
    np.testing.assert_allclose(gains_of(profiles, "fitted"), expected, rtol=1e-8)
    for topic, own in frame.groupby("topic"):
        expected = gains_from(steps_by_scipy(own, LEVELS[reference]))
        expected[~np.isin(LEVELS[reference], own["label"])] = np.nan  # a level the topic lacks
        found = gains_of(profiles, "fitted by topic", topic)
        np.testing.assert_allclose(found, expected, rtol=1e-8)
    fixed = np.arange(len(LEVELS[reference]))
    np.testing.assert_allclose(gains_of(profiles, "linear"), fixed + 1)
    np.testing.assert_allclose(gains_of(profiles, "exponential"), 2.0**fixed)


def test_levels_out_of_order_share_a_gain():
    rows = [("401", "n", 1.0), ("401", "m", 8.0), ("401", "r", 2.0), ("401", "h", 16.0)]
    normalised = pd.DataFrame(
        [(t, d, "w", f"u{i}", v * (i + 1)) for i in range(3) for t, d, v in rows],
        columns=["topic", "docno", "worker", "unit", "value"],
    )
    labels = {
        "So4": labels_of([("401", d, g) for (_, d, _), g in zip(rows, range(4), strict=True)])
    }
    profiles, _ = gain_profiles(normalised, levelled(labels, "So4"))
    for profile, topic in (("fitted", "*"), ("fitted by topic", "401")):
        np.testing.assert_allclose(gains_of(profiles, profile, topic), [1, 4, 4, 16], rtol=1e-9)


def stacked(frame, levels):
    """The contrasts of all units."""
    y, z = zip(*contrast_blocks(frame, levels), strict=True)
    return np.concatenate(y), np.concatenate(z)


def contrast_blocks(frame, levels):
    """By unit: orthonormal contrasts of the logs, and of whether a level is reached."""
    for _, own in frame.groupby(UNIT):
        basis = null_space(np.ones((1, len(own)))).T
        above = (own["label"].to_numpy()[:, None] >= np.asarray(levels)[1:]).astype(float)
        yield basis @ np.log(own["value"].to_numpy()), basis @ above


def test_likelihood_is_that_of_left_out_documents(sets):
    normalised, _, labels = sets
    levels, folds, seed = LEVELS["So4"], 4, 5
    _, found = gain_profiles(normalised, levelled(labels, "So4"), folds=folds, seed=seed)
    found = found.set_index("profile")
    _, known, _ = levelled(labels, "So4")
    dealt = gains._parts(gains._labelled(normalised, known, 4), folds, seed, "So4")
    every = labelled(normalised, labels["So4"], least=1)
    documents = every[["topic", "docno"]].drop_duplicates().sort_values(["topic", "docno"])
    frame = every.merge(documents.assign(part=dealt), on=["topic", "docno"])
    profiles = {
        "linear": lambda _: np.diff(np.log([1, 2, 3, 4])),
        "exponential": lambda _: np.diff(np.log([2, 4, 8, 16])),
        "fitted": lambda seen: steps_by_scipy(seen, levels),
    }
    of_unit = {name: {} for name in profiles}
    contrasts, by_topic = 0, []
    for fold in range(folds):
        seen, out = (in_pairs(frame[(frame["part"] == fold) == left]) for left in (False, True))
        contrasts += len(out) - out.groupby(UNIT).ngroups
        by_topic.append((out.groupby(UNIT).size() - 1).groupby(level="topic").sum())
        for name, steps_of in profiles.items():
            steps = steps_of(seen)
            squares = [(y - z @ steps) for y, z in contrast_blocks(seen, levels)]
            variance = np.mean(np.concatenate(squares) ** 2)
            for unit, own in out.groupby(UNIT):
                ((y, z),) = contrast_blocks(own, levels)
                density = multivariate_normal(z @ steps, variance * np.eye(len(y)))
                of_unit[name][unit] = of_unit[name].get(unit, 0) + density.logpdf(y)
    linear = pd.Series(of_unit["linear"]).rename_axis(UNIT)
    left_out = pd.concat(by_topic).groupby(level="topic").sum()
    for name, values in of_unit.items():
        row, values = found.loc[name], pd.Series(values).rename_axis(UNIT)
        assert row["log_likelihood"] == pytest.approx(values.sum(), rel=1e-7)
        assert (row["units"], row["contrasts"]) == (len(values), contrasts)
        assert row["per_contrast"] == pytest.approx(values.sum() / contrasts, rel=1e-7)
        if name != "linear":
            assert row["better_share"] == pytest.approx(np.mean(values > linear))
            gained = (values - linear).groupby(level="topic").sum() / left_out
            assert row["difference"] == pytest.approx(gained.mean(), rel=1e-6)
            assert row["p"] == pytest.approx(ttest_1samp(gained, 0).pvalue, rel=1e-5)
            assert row["topics"] == len(gained)
    assert np.isnan(found.loc["linear", "better_share"])


def test_pooling_has_the_greatest_marginal_likelihood(sets):
    normalised, _, labels = sets
    _, known, _ = levelled(labels, "So4")
    rows = gains._labelled(normalised, known, 4)
    moments = gains._moments(gains._contrasts(rows, np.ones(len(rows.log), dtype=bool)))
    frame = labelled(normalised, labels["So4"])
    one = steps_by_scipy(frame, LEVELS["So4"])
    found = gains._variance_ratio(moments, one)

    def likelihood(ratio):
        topics, squares = [], 0.0
        for _, own in frame.groupby("topic"):
            y, z = (
                np.concatenate(c) for c in zip(*contrast_blocks(own, LEVELS["So4"]), strict=True)
            )
            covariance = np.eye(len(y)) + ratio * z @ z.T
            topics.append((y - z @ one, covariance))
            squares += topics[-1][0] @ np.linalg.solve(covariance, topics[-1][0])
        y, covariance = np.concatenate([y for y, _ in topics]), block_diag(*(c for _, c in topics))
        return multivariate_normal(np.zeros(len(y)), squares / len(y) * covariance).logpdf(y)

    assert found > 0
    best = likelihood(found)
    for other in (0, found / 100, found / 1.2, found * 1.2, found * 100):
        assert likelihood(other) < best
    # and the steps are those of least squares with the steps' own pull
    profiles, _ = gain_profiles(normalised, levelled(labels, "So4"))
    for topic, own in frame.groupby("topic"):
        y, z = stacked(own, LEVELS["So4"])
        pull = np.sqrt(1 / found)
        target = np.concatenate([y, pull * one])
        steps = lsq_linear(np.vstack([z, pull * np.eye(3)]), target, (0, np.inf), tol=1e-14).x
        gain = gains_of(profiles, "partially pooled", topic)
        np.testing.assert_allclose(gain, gains_from(steps), rtol=1e-5)


def simulated(profile, topics=4, units=60, noise=0.3, seed=1, apart=0.0):
    """Units of eight documents of known levels, of workers with a scale of their own.

    `apart` is the standard deviation of what sets a document apart from its level, in logs.
    """
    rng = np.random.default_rng(seed)
    rows, labels = [], {}
    for topic in range(topics):
        own = np.random.default_rng([seed, topic]).normal(0, apart, 20)
        for unit in range(units):
            scale = rng.lognormal(2, 1)
            for place in rng.choice(20, 8, replace=False):
                level = place % 4
                labels[f"t{topic}", f"d{place}"] = level
                value = scale * profile[level] * rng.lognormal(0, noise) * np.exp(own[place])
                rows.append((f"t{topic}", f"d{place}", "w", f"u{unit:03d}", value))
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "unit", "value"])
    return frame, {"So4": labels_of([(t, d, g) for (t, d), g in labels.items()])}


def likelihoods_of(frame, labels, **how):
    _, found = gain_profiles(frame, levelled(labels, "So4"), **how)
    return found.set_index("profile")["log_likelihood"]


def test_documents_of_their_own_are_not_taken_for_gains_of_topics():
    """Linear gains are true.  With units left out, topics' own gains won in all such worlds."""
    worlds = [
        likelihoods_of(*simulated((1, 2, 3, 4), units=25, seed=n, apart=0.5)) for n in range(10)
    ]
    for profile in ("fitted by topic", "partially pooled"):
        assert sum(found[profile] > found["linear"] for found in worlds) <= 2
    assert all(found["exponential"] < found["linear"] for found in worlds)


def test_gains_that_differ_between_topics_are_found():
    parts = [simulated(p, topics=1) for p in ((1, 1.2, 1.4, 4), (1, 4, 6, 7), (1, 2, 8, 9))]
    frame = pd.concat([f.assign(topic=f"t{place}") for place, (f, _) in enumerate(parts)])
    rows = [row for place, (_, labels) in enumerate(parts) for row in labels["So4"].to_pylist()
            if row.update(topic=f"t{place}") is None]  # fmt: skip
    labels = {"So4": labels_of([(row["topic"], row["docno"], row["grade"]) for row in rows])}
    found = likelihoods_of(frame, labels)
    assert found["partially pooled"] > found["fitted"] + 50 > found["linear"] + 50


@pytest.mark.parametrize(
    ("profile", "best"), [((1, 2, 3, 4), "linear"), ((1, 2, 4, 8), "exponential")]
)
def test_the_profile_that_made_the_judgments_is_found(profile, best):
    frame, labels = simulated(profile)
    profiles, likelihoods = gain_profiles(frame, levelled(labels, "So4"))
    np.testing.assert_allclose(gains_of(profiles, "fitted"), profile, rtol=0.08)
    found = likelihoods.set_index("profile")["log_likelihood"]
    other = {"linear": "exponential", "exponential": "linear"}[best]
    assert found[best] > found[other] + 50
    assert abs(found[best] - found["fitted"]) < 10
    assert found["fitted by topic"] < found["partially pooled"] <= found["fitted"] + 5


def test_a_scale_of_a_units_own_changes_nothing(sets):
    normalised, _, labels = sets
    unit = normalised.groupby(UNIT).ngroup()
    scaled = normalised.assign(value=normalised["value"] * np.exp(unit % 11 - 5))
    before = gain_profiles(normalised, levelled(labels, "So4"))
    # shuffled, too
    after = gain_profiles(scaled.sample(frac=1, random_state=1), levelled(labels, "So4"))
    for first, second in zip(before, after, strict=True):
        pd.testing.assert_frame_equal(first, second, rtol=1e-7)


def test_parts_of_a_topic_do_not_depend_on_others(sets):
    normalised, _, labels = sets
    _, known, _ = levelled(labels, "So4")
    all_topics = gains._labelled(normalised, known, 4)
    one = gains._labelled(normalised[normalised["topic"] == "402"], known, 4)
    of_topic = np.unique(all_topics.document[all_topics.topic == 1])
    part = gains._parts(all_topics, 3, 3, "So4")[of_topic]
    assert part.tolist() == gains._parts(one, 3, 3, "So4").tolist()
    assert np.ptp(np.bincount(part, minlength=3)) <= 1
    code = dict(zip(one.document, one.code, strict=True))
    for level in range(4):
        own = [part[document] for document in code if code[document] == level]
        assert np.ptp(np.bincount(own, minlength=3)) <= 1


def judgments_of(rows):
    return pd.DataFrame(rows, columns=["topic", "docno", "worker", "unit", "value"])


def test_one_unit(tmp_path):
    frame = judgments_of([("401", "n", "w", "u", 1.0), ("401", "h", "w", "u", 6.0)])
    labels = {"So4": labels_of([("401", "n", 0), ("401", "h", 3)])}
    profiles, likelihoods = gain_profiles(frame, levelled(labels, "So4"))
    assert fits(profiles, "magnitudes/gain_profiles", tmp_path)
    assert fits(likelihoods, "magnitudes/gain_likelihoods", tmp_path)
    # M and R are in no unit
    for profile, topic in (
        ("fitted", "*"),
        ("fitted by topic", "401"),
        ("partially pooled", "401"),
    ):
        np.testing.assert_allclose(gains_of(profiles, profile, topic), [1, np.nan, np.nan, 6])
    assert likelihoods["units"].tolist() == [0] * 5  # no two documents are left out together
    assert likelihoods["log_likelihood"].isna().all()
    assert likelihoods["better_share"].isna().all()


def test_judgments_without_noise_have_no_likelihood():
    frame, labels = simulated((1, 2, 3, 4), noise=0)
    profiles, likelihoods = gain_profiles(frame, levelled(labels, "So4"))
    np.testing.assert_allclose(gains_of(profiles, "fitted"), [1, 2, 3, 4], rtol=1e-9)
    found = likelihoods.set_index("profile")["log_likelihood"]
    assert np.isnan(found["linear"]) and np.isnan(found["fitted"])
    assert np.isfinite(found["exponential"])


def test_equal_judgments(tmp_path):
    names = ("n1", "n2", "h1", "h2")
    frame = judgments_of([("401", d, "w", f"u{i}", 2.0) for i in range(4) for d in names])
    labels = {"TR2": labels_of([("401", d, float(d[0] == "h")) for d in names])}
    profiles, likelihoods = gain_profiles(frame, levelled(labels, "TR2"), folds=2)
    assert gains_of(profiles, "fitted").tolist() == [1, 1]
    assert likelihoods["log_likelihood"].notna().tolist() == [True, True, False, False, False]


def test_a_topic_that_says_little_is_fitted_as_all_topics():
    """One unit, left out once; a level that the topic lacks; levels that no unit joins."""
    frame, labels = simulated((1, 2, 3, 4), topics=2, units=20)
    rows = [("x", "n", "w", "u", 1.0), ("x", "m", "w", "u", 2.5)]  # no R and H
    rows += [("y", "r", "w", "u", 1.0), ("y", "h", "w", "u", 2.0)]  # no N
    frame = pd.concat([frame, judgments_of(rows)])
    more = [("x", "n", 0), ("x", "m", 1), ("y", "r", 2), ("y", "h", 3)]
    known = [tuple(row.values()) for row in labels["So4"].to_pylist()]
    profiles, likelihoods = gain_profiles(frame, levelled({"So4": labels_of(known + more)}, "So4"))
    of_x = gains_of(profiles, "fitted by topic", "x")
    np.testing.assert_allclose(of_x, [1, 2.5, np.nan, np.nan], rtol=1e-6)
    assert np.isnan(gains_of(profiles, "fitted by topic", "y")).all()
    assert np.isfinite(gains_of(profiles, "partially pooled", "y")).all()
    assert np.isfinite(likelihoods["log_likelihood"]).all()
    assert likelihoods["units"].tolist() == [40] * 5  # the two others have one of each part


def test_nothing_is_labelled(sets, tmp_path):
    normalised, _, _ = sets
    labels = {"TR2": labels_of([("500", "a", 1)])}
    for frame in (normalised, normalised.iloc[:0]):
        profiles, likelihoods = gain_profiles(frame, levelled(labels, "TR2"))
        assert fits(profiles, "magnitudes/gain_profiles", tmp_path)
        assert fits(likelihoods, "magnitudes/gain_likelihoods", tmp_path)
        assert gains_of(profiles, "linear").tolist() == [1, 2]
        assert np.isnan(gains_of(profiles, "fitted")).all()
        assert likelihoods["units"].tolist() == [0] * 5
        assert likelihoods["log_likelihood"].isna().all()


def test_wrong_parameters(sets):
    normalised, _, labels = sets
    zero = normalised.assign(value=0.0)
    with pytest.raises(ParameterError, match="its magnitude is 0"):
        gain_profiles(zero, levelled(labels, "So4"))

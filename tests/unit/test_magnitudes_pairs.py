"""Agreement of order beside pairs counted one by one, and draws beside the tables they make."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from regrade.drawn_intervals import jackknife_error
from regrade.errors import ParameterError
from regrade.intervals import INTERVALS
from regrade.magnitudes.label_comparison import each_worker_once
from regrade.magnitudes.normalising import document_table
from regrade.magnitudes.pairs import (
    PairComparison,
    around_units,
    order_counts,
    ordered_pairs,
    over_topics,
    pair_agreement,
    pair_intervals,
    raised,
    resampled_medians,
)
from regrade.sample_means import interval_of_shares
from tests.reference.magnitudes import mean_or_none, pair_orders
from tests.unit.magnitudes_frames import (
    documents_from,
    fits,
    judged,
    labelled_documents,
    labels_of,
)

EXACT = 1e-12
LEVELS = {"So4": [0, 1, 2, 3], "TR2": [0, 1], "S5": [0, 1, 2, 3, 4]}
COUNTS = ["concordant", "tied", "discordant"]


@pytest.fixture(scope="module")
def sets():
    normalised = judged(topics=4, documents=16, units=30)
    documents = document_table(normalised)
    labels = {
        name: labelled_documents(documents, LEVELS[name], seed=seed)
        for name, seed in (("TR2", 3), ("So4", 4), ("S5", 5))
    }
    return normalised, documents, labels


def values_of(sets, topic, aggregate="normalised_median"):
    _, documents, labels = sets
    own = documents[documents["topic"] == topic]
    found = {"magnitudes": dict(zip(own["docno"], own[aggregate], strict=True))}
    for name, table in labels.items():
        rows = [row for row in table.to_pylist() if row["topic"] == topic]
        found[name] = {row["docno"]: row["grade"] for row in rows}
    return found


@pytest.mark.parametrize("by", ["So4", "TR2"])
@pytest.mark.parametrize("aggregate", ["median", "geometric_mean"])
def test_counts_are_those_of_every_pair(sets, by, aggregate, tmp_path):
    _, documents, labels = sets
    found = pair_agreement(PairComparison(documents, labels, LEVELS, by, aggregate=aggregate))
    assert fits(found, "magnitudes/agreement", tmp_path)
    others = [name for name in labels if name != by]
    compared = [
        ("magnitudes", by),
        *(("magnitudes", o) for o in others),
        *((by, o) for o in others),
    ]
    groups = [(a, b) for a in LEVELS[by] for b in LEVELS[by] if a < b]
    assert len(found) == len(compared) * (4 + 1) * (len(groups) + 1)
    keys = ["first", "second", "topic", "lower", "upper"]
    rows = {tuple(row[key] for key in keys): row for row in found.fillna(-1).to_dict("records")}
    for first, second in compared:
        shares = {}
        for topic in sorted(documents["topic"].unique()):
            values = values_of(sets, topic, f"normalised_{aggregate}")
            for group in groups:
                counts = pair_orders(values[by], values[first], values[second], *group)
                row = rows[(first, second, topic, *group)]
                assert [row[name] for name in COUNTS] == counts
                pairs = sum(counts)
                shares[topic, group] = (counts[0] + counts[1]) / pairs if pairs else None
                assert row["share"] == pytest.approx(-1 if not pairs else shares[topic, group])
                assert row["pairs"] == pairs
            own = mean_or_none([shares[topic, group] for group in groups])
            assert rows[(first, second, topic, -1, -1)]["share"] == pytest.approx(own, abs=EXACT)
        means = []
        for group in groups:
            means.append(mean_or_none([s for (_, own), s in shares.items() if own == group]))
            row = rows[(first, second, "*", *group)]
            assert row["share"] == pytest.approx(means[-1], abs=EXACT)
            assert row["pooled"] == pytest.approx((row["concordant"] + row["tied"]) / row["pairs"])
            assert row["ordered"] == pytest.approx(row["concordant"] / row["pairs"])
        everything = rows[(first, second, "*", -1, -1)]
        assert everything["share"] == pytest.approx(mean_or_none(means), abs=EXACT)


def test_the_share_of_all_pairs_is_a_ratio_of_sums_over_topics():
    """Its error is that of a jackknife over topics but for terms of the second order."""
    rng = np.random.default_rng(3)
    pairs = rng.integers(20, 60, 200)
    counts = np.array([rng.multinomial(n, [0.8, 0.05, 0.15]) for n in pairs])[:, None]
    ((share,), (low,), (high,)) = ordered_pairs(counts)
    concordant = counts[:, 0, 0]
    assert share == concordant.sum() / pairs.sum()
    left_out = (concordant.sum() - concordant) / (pairs.sum() - pairs)
    assert high - low == pytest.approx(2 * 1.972 * jackknife_error(left_out), rel=0.01)
    assert np.isnan(ordered_pairs(counts[:9])[1:]).all()
    assert np.isnan(ordered_pairs(counts[:0])).all()


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)),
        max_size=12,
    )
)
def test_weights_are_repeated_documents(rows):
    rows = sorted(rows)
    level, first, second, weight = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    found = order_counts(
        level, first[None].astype(float), second.astype(float), weight[None].copy(), 3
    )
    copies = [row for row in rows for _ in range(row[3])]
    sets = [{i: row[column] for i, row in enumerate(copies)} for column in range(3)]
    expected = [pair_orders(*sets, *group) for group in ((0, 1), (0, 2), (1, 2))]
    assert found[0].tolist() == expected


def test_the_papers_rule_for_ties():
    """N and M with the same magnitude agree (turpin2015 §4.2)."""
    documents = documents_from([("401", "n", 2.0), ("401", "m", 2.0), ("401", "h", 1.0)])
    labels = {"So4": labels_of([("401", "n", 0), ("401", "m", 1), ("401", "h", 3)])}
    found = pair_agreement(PairComparison(documents, labels, LEVELS, "So4"))
    of_topic = found[found["topic"] == "401"].set_index(["lower", "upper"])
    assert of_topic.loc[(0, 1), [*COUNTS, "share", "half_share", "strict_share"]].tolist() == [
        *(0, 1, 0),
        *(1, 0.5, 0),
    ]
    assert of_topic.loc[(0, 3), COUNTS].tolist() == [0, 0, 1]
    assert of_topic.loc[(0, 2), "pairs"] == 0 and np.isnan(of_topic.loc[(0, 2), "share"])
    everything = found.iloc[-1]
    assert everything[[*COUNTS, "pairs"]].tolist() == [0, 1, 2, 3]
    assert everything["share"] == pytest.approx(1 / 3)  # the mean over NM, NH and MH
    # one topic says nothing of others
    assert found["share_low"].isna().all()


def test_magnitudes_that_differ_in_their_last_bits_are_equal():
    documents = documents_from([("401", "n", 0.1 + 0.2), ("401", "m", 0.3)])
    labels = {"TR2": labels_of([("401", "n", 0), ("401", "m", 1)])}
    assert pair_agreement(PairComparison(documents, labels, LEVELS, "TR2"))["tied"].tolist() == [
        1,
        1,
        1,
        1,
    ]


@settings(max_examples=15)
@given(st.floats(0.2, 5), st.floats(0.01, 100))
def test_a_monotone_transformation_changes_nothing(sets, power, factor):
    _, documents, labels = sets
    changed = documents.assign(normalised_median=factor * documents["normalised_median"] ** power)
    pd.testing.assert_frame_equal(
        pair_agreement(PairComparison(documents, labels, LEVELS, "So4")),
        pair_agreement(PairComparison(changed, labels, LEVELS, "So4")),
    )


@pytest.fixture
def few_topics(monkeypatch):
    """Intervals over topics are given of two."""
    own = INTERVALS["share_over_topics"]
    monkeypatch.setitem(INTERVALS, own.name, replace(own, fewest=2))


def test_of_few_topics_there_is_no_interval_over_them():
    shares = np.random.default_rng(1).random((10, 6))
    assert np.isfinite(over_topics(shares)).all()
    shares[0, 5] = np.nan
    assert np.isnan(over_topics(shares)).all(axis=0).tolist() == [False] * 5 + [True, False]
    assert np.isnan(over_topics(shares[1:])).all()


@pytest.mark.usefixtures("few_topics")
def test_interval_over_topics_is_that_of_their_mean(sets):
    _, documents, labels = sets
    labels = {"So4": labels["So4"]}
    found = pair_agreement(PairComparison(documents, labels, LEVELS, "So4"))
    of_group = found[(found["lower"] == 0) & (found["upper"] == 2)]
    shares = of_group["share"].to_numpy()[:-1]
    assert np.isnan(shares).tolist() == [False, False, False, True]
    row = of_group.iloc[-1]
    expected = interval_of_shares(shares[~np.isnan(shares)])
    assert [row["share_low"], row["share_high"]] == pytest.approx(expected)
    assert found.loc[found["topic"] != "*", "share_low"].isna().all()


def test_the_mean_of_all_groups_is_as_sure_as_topics_means_of_groups():
    """Where each topic has each group: the interval of the topics' means."""
    shares = np.random.default_rng(1).random((12, 6))
    np.testing.assert_allclose(over_topics(shares)[:, -1], interval_of_shares(shares.mean(axis=1)))
    shares[2:, 3] = np.nan  # with groups that topics lack: draws of topics vary as much
    shares[0, 5] = np.nan
    drawn = np.random.default_rng(2).integers(12, size=(4000, 12))
    means = np.nanmean(np.nanmean(shares[drawn], axis=1), axis=1)
    low, high = over_topics(shares)[:, -1]
    assert (high - low) / 2 / stats.t.ppf(0.975, 11) == pytest.approx(means.std(), rel=0.25)


@pytest.mark.usefixtures("few_topics")
@pytest.mark.parametrize("aggregate", ["median", "geometric_mean"])
def test_intervals(sets, aggregate, tmp_path):
    normalised, documents, labels = sets
    comparison = PairComparison(documents, labels, LEVELS, "So4", aggregate)
    options = {"resamples": 200, "seed": 3}
    found = pair_intervals(comparison, normalised, **options)
    assert fits(found, "magnitudes/share_intervals", tmp_path)
    drawn = found["resampled"] != "topics"
    assert found["resamples"].tolist() == np.where(drawn, 200, 0).tolist()
    assert (found["over"] == "pairs").all()
    assert found["gains"].unique().tolist() == [
        "magnitudes So4", "magnitudes TR2", "magnitudes S5", "So4 TR2", "So4 S5",
    ]  # fmt: skip
    units = found[found["resampled"] == "units"]
    assert units["gains"].str.startswith("magnitudes").all() and len(units) == 3 * 7
    known = found.dropna(subset="low")
    assert (known["low"] <= known["high"]).all()
    # of four topics percentiles over documents hold too little
    assert (found["resampled"] == "documents").tolist() == found["low"].isna().tolist()
    # over units as wide as draws vary, around the estimate
    own = units[units["high"] < 1]
    np.testing.assert_allclose(own["high"] - own["estimate"], own["estimate"] - own["low"])
    # over topics as the table of agreement has it
    table = pair_agreement(comparison)
    table = table[table["topic"] == "*"].reset_index()
    topics = found[found["resampled"] == "topics"].reset_index()
    for ours, theirs in (("estimate", "share"), ("low", "share_low"), ("high", "share_high")):
        np.testing.assert_allclose(topics[ours], table[theirs], atol=EXACT)
    assert topics["measure"].tolist() == ["0 1", "0 2", "0 3", "1 2", "1 3", "2 3", "all"] * 5


def test_a_draw_of_documents_and_units(sets, monkeypatch):
    """Draws that have everything once give the estimate."""
    normalised, documents, labels = sets

    class Once:
        def multinomial(self, n, p, size):
            return np.ones((size, n), dtype=np.int64)

    monkeypatch.setattr("regrade.magnitudes.pairs.generator", lambda *_: Once())
    for aggregate in ("median", "geometric_mean"):
        found = pair_intervals(
            PairComparison(documents, labels, LEVELS, "So4", aggregate=aggregate),
            normalised,
            resamples=2,
        )
        found = found[found["resampled"] == "units"]
        for name in ("low", "high"):
            np.testing.assert_allclose(found[name], found["estimate"], atol=EXACT)


def test_every_draw_of_a_topics_units_scatters_raised_as_samples_do():
    """Of a mean of n numbers: by s / √n, s with n − 1."""
    values = np.array([0.1, 0.5, 0.2, 0.9])
    every = values[np.array(list(itertools.product(range(4), repeat=4)))].mean(axis=1)
    found = raised(every[:, None], 4)
    assert found.std() == pytest.approx(stats.sem(values))
    assert found.mean() == pytest.approx(values.mean())
    assert raised(every, 1) is every
    some = raised(np.array([0.2, np.nan, 0.4]), 2)
    assert some == pytest.approx([0.3 - 0.1 * 2**0.5, np.nan, 0.3 + 0.1 * 2**0.5], nan_ok=True)


def test_intervals_over_units_are_of_each_topics_raised_draws(sets, monkeypatch):
    normalised, documents, labels = sets
    comparison = PairComparison(documents, {"So4": labels["So4"]}, LEVELS, "So4")
    of_topic = each_worker_once(normalised).groupby("topic", observed=True)
    units = of_topic.apply(lambda own: own.groupby(["worker", "unit"], observed=True).ngroups)
    asked = {}

    def ends(shares, n):
        asked[len(asked)] = n
        return shares * 0 + np.linspace(0.4, 0.6, len(shares))[:, None]

    monkeypatch.setattr("regrade.magnitudes.pairs.raised", ends)
    found = pair_intervals(comparison, normalised, resamples=50)
    row = found[(found["resampled"] == "units") & (found["measure"] == "all")].iloc[0]
    assert list(asked.values()) == units.tolist()
    assert min(asked.values()) > 1
    half = stats.t.ppf(0.975, min(units.sum() - len(units), 49)) * np.linspace(0.4, 0.6, 50).std()
    expected = np.clip([row["estimate"] - half, row["estimate"] + half], 0, 1)
    assert [row["low"], row["high"]] == pytest.approx(expected)


@pytest.mark.parametrize(("units", "draws"), [([5, 1], 9), ([], 9), ([5, 4], 1)])
def test_a_topic_of_one_unit_no_topic_and_one_draw_leave_them_undefined(units, draws):
    found = around_units(np.array([0.5, 0.6]), np.full((draws, 2), 0.5), units)
    assert found.shape == (2, 2) and np.isnan(found).all()


def test_a_worker_counts_once_per_document():
    """Of a worker's units one judgment of a document stays, as in the documents' table."""
    normalised = pd.DataFrame(
        [
            ("401", "n", "w1", "u1", 1.0), ("401", "n", "w1", "u2", 9.0),
            ("401", "n", "w2", "u1", 5.0), ("401", "m", "w1", "u3", 4.0),
        ],
        columns=["topic", "docno", "worker", "unit", "normalised"],
    ).assign(value=1.0)  # fmt: skip
    once = each_worker_once(normalised)
    assert list(zip(once["unit"], once["normalised"], strict=True)) == [
        ("u3", 4),
        ("u1", 1),
        ("u1", 5),
    ]
    documents = document_table(normalised)
    medians = once.groupby("docno")["normalised"].median()
    assert documents["normalised_median"].tolist() == medians.tolist()


def test_few_units(tmp_path):
    """A draw without any judgment of a pair's documents is counted."""
    normalised = pd.DataFrame(
        [("401", "n", "w1", "u1", 1.0, 1.0), ("401", "m", "w2", "u2", 2.0, 2.0)],
        columns=["topic", "docno", "worker", "unit", "value", "normalised"],
    )
    labels = {"TR2": labels_of([("401", "n", 0), ("401", "m", 1)])}
    found = pair_intervals(
        PairComparison(document_table(normalised), labels, LEVELS, "TR2"), normalised
    )
    rows = found.set_index(["measure", "resampled"])
    # two draws of two documents, or units: half of them have one of the two only
    for resampled in ("documents", "units"):
        row = rows.loc[("0 1", resampled)]
        assert row["undefined"] == pytest.approx(500, abs=80)
    # half of the draws say nothing
    assert rows.loc[("0 1", "units"), ["low", "high"]].isna().all()
    assert rows.loc[("0 1", "documents"), ["low", "high"]].isna().all()
    assert rows.loc[("0 1", "topics"), ["low", "high"]].isna().all()
    assert fits(found, "magnitudes/share_intervals", tmp_path)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.integers(0, 4)), max_size=15))
def test_resampled_medians(rows):
    rows = sorted(rows)
    drawn = np.random.default_rng(len(rows)).integers(0, 3, (6, 5))
    document, values, unit = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    starts = np.searchsorted(document, np.arange(5))
    found = resampled_medians(values.astype(float), starts, unit.copy(), drawn)
    for r in range(6):
        for d in range(4):
            repeated = np.repeat(values[document == d], drawn[r, unit[document == d]])
            expected = np.median(repeated) if len(repeated) else np.nan
            np.testing.assert_equal(found[r, d], expected)


def test_draws_of_a_topic_do_not_depend_on_others(sets):
    normalised, documents, labels = sets
    one = documents["topic"] == "402"
    options = {"resamples": 100, "seed": 2}
    labels = {"So4": labels["So4"]}
    alone = pair_intervals(
        PairComparison(documents[one], labels, LEVELS, "So4"), normalised, **options
    )
    of_topic = normalised[normalised["topic"] == "402"].sample(frac=1, random_state=1)
    other = pair_intervals(
        PairComparison(documents[one], labels, LEVELS, "So4"), of_topic, **options
    )
    pd.testing.assert_frame_equal(alone, other)


def test_edges():
    documents = documents_from([("401", "a", 1.0), ("402", "a", 1.0), ("402", "b", 3.0)])
    # no overlap, a topic on one side, a document alone
    labels = {
        "TR2": labels_of([("401", "z", 0), ("402", "a", 0), ("402", "b", 1), ("403", "a", 1)])
    }
    found = pair_agreement(PairComparison(documents, labels, LEVELS, "TR2"))
    assert found["topic"].tolist() == ["401", "401", "402", "402", "*", "*"]
    assert found["pairs"].tolist() == [0, 0, 1, 1, 1, 1]
    assert found["share"].isna().tolist() == [True, True, False, False, False, False]
    nothing = pair_agreement(PairComparison(documents.iloc[:0], labels, LEVELS, "TR2"))
    assert nothing["topic"].tolist() == ["*", "*"] and nothing["share"].isna().all()


@pytest.mark.parametrize(
    ("by", "aggregate", "said"),
    [("So", "median", "did you mean"), ("So4", "mean", "unknown aggregate")],
)
def test_wrong_parameters(sets, by, aggregate, said):
    normalised, documents, labels = sets
    with pytest.raises(ParameterError, match=said):
        pair_intervals(PairComparison(documents, labels, LEVELS, by, aggregate), normalised, 10)


def test_no_set_is_called_as_the_magnitudes_are(sets):
    _, documents, labels = sets
    named = {"magnitudes": labels["TR2"]}
    with pytest.raises(ParameterError, match="a label set is called 'magnitudes'"):
        pair_agreement(PairComparison(documents, named, LEVELS, "magnitudes"))


def test_magnitudes_of_no_judgment(sets):
    normalised, documents, labels = sets
    kept = normalised[normalised["docno"] != "D03"]
    with pytest.raises(ParameterError, match=r"D03 on topic .* has a magnitude but no judgment"):
        pair_intervals(PairComparison(documents, labels, LEVELS, "TR2"), kept, resamples=2)

"""Missing labels with bounded odds: every weighting, linear programmes, whole estimates."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.optimize import linprog

import regrade
from regrade.command.app import app
from regrade.errors import ParameterError
from regrade.estimation.batches import Counting
from regrade.estimation.estimates import Estimate, LabelledSample
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import functionals
from regrade.estimation.labels import Levels, labels_table
from regrade.estimation.measure_estimates import MeasureEstimate
from regrade.estimation.missing import MissingLabels, tilted_ends, tilted_shares
from tests.coverage.estimates import held_with_missing
from tests.unit import carried
from tests.unit.test_estimates import MEASURES, MODEL, RUNS, filled

RATIOS = (1.0, 1.5, 4.0, 1e9, np.inf)


def brute_force(values, weights, ratio):
    """Of all corners of the weights, each 1 or Γ."""
    corners = np.array([*product((1.0, ratio), repeat=len(weights))]) * weights
    means = corners @ values / corners.sum(axis=1, keepdims=True)
    return np.array([means.min(axis=0), means.max(axis=0)])


def programmed(values, weights, ratio):
    """Σ x v at its ends, x = w b / Σ w b: a linear programme (Charnes and Cooper)."""
    L = len(values)
    # x and s ≥ 0, Σ x = 1, s b ≤ x ≤ Γ s b
    upper = np.block([[np.eye(L), -ratio * weights[:, None]], [-np.eye(L), weights[:, None]]])
    equal = np.append(np.ones(L), 0.0)[None]
    ends = [
        linprog(sign * np.append(values, 0.0), upper, np.zeros(2 * L), equal, [1.0]).fun * sign
        for sign in (1.0, -1.0)
    ]
    return np.array(ends)


@pytest.mark.parametrize("ratio", RATIOS[:3])
@pytest.mark.parametrize("levels", [1, 2, 5])
def test_ends_are_those_of_all_weights(levels, ratio):
    rng = np.random.default_rng(levels)
    values, weights = rng.normal(size=(levels, 7)), rng.dirichlet(np.ones(levels))
    values[:, 0] = 0.0
    ends = tilted_ends(values, weights, ratio)
    np.testing.assert_allclose(ends, brute_force(values, weights, ratio), atol=1e-12)
    for column in range(7):
        of = programmed(values[:, column], weights, ratio)
        np.testing.assert_allclose(ends[:, column], of, atol=1e-7)
    shares = tilted_shares(weights, values[:, 1], ratio)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(shares @ values[:, 1], ends[:, 1], atol=1e-12)
    # no odds differ from those expected by more
    odds = shares[:, :, None] / shares[:, None] / (weights[:, None] / weights)
    assert odds.max() <= ratio * (1 + 1e-9)


def test_1_is_missing_at_random_and_endless_any_label():
    rng = np.random.default_rng(2)
    values, weights = rng.normal(size=(4, 5)), rng.dirichlet(np.ones(4))
    np.testing.assert_allclose(tilted_ends(values, weights, 1.0), [weights @ values] * 2)
    worst = [values.min(axis=0), values.max(axis=0)]
    np.testing.assert_allclose(tilted_ends(values, weights, 1e12), worst, atol=1e-9)
    np.testing.assert_array_equal(tilted_ends(values, weights, np.inf), worst)
    np.testing.assert_allclose(tilted_shares(weights, values[:, 0], 1.0), [weights] * 2)


def test_what_is_left_open_is_the_variance_of_a_label():
    moves, shares = np.array([[-1.0, 2.0], [1.0, -2.0]]), np.array([0.5, 0.5])
    at_random, any_label = (
        MissingLabels([moves], [shares], [shares], np.arange(2.0), ratio) for ratio in (1.0, np.inf)
    )
    np.testing.assert_allclose(at_random.covariance(), [[1, -2], [-2, 4]])
    assert not np.any(at_random.reach(lambda of: of))
    assert any_label.covariance() == 0
    np.testing.assert_allclose(any_label.reach(lambda of: of), [[1, 1], [2, 2]])
    np.testing.assert_allclose(any_label.reach(lambda of: of[:, :1] - of[:, 1:]), [[3, 3]])


@pytest.mark.parametrize("measure", ["P(rel=2)@5", "nDCG@5", "DCG", "RBP(p=0.8)"])
@pytest.mark.parametrize("ratio", RATIOS[:3])
def test_ends_of_systems_are_those_of_probabilities_of_grades(measure, ratio):
    """Of one missing label: the measure of every weighting of its levels, by brute force."""
    ranked = regrade.read_runs({"a": {"t": {"x": 3.0, "y": 2.0, "z": 1.0}},
                                "b": {"t": {"z": 3.0, "y": 2.0, "x": 1.0}}}).ranked  # fmt: skip
    frame, _ = Frame.of(["t"] * 3, ["x", "y", "z"], ranked)
    (functional,) = functionals([measure], range(4))
    sample = LabelledSample(
        np.ones(3), np.array([0, 2]), np.array([2, 1]), Counting.once(np.ones(3), np.ones(3, bool))
    )
    shares = np.tile([0.4, 0.3, 0.2, 0.1], (3, 1))
    levels, none = Levels(shares, sample, np.array([1]), ratio), np.zeros(2)
    found = MeasureEstimate(
        functional, Estimate(none[:, None], none, np.zeros((2, 2))), frame, levels
    )
    known = levels.known_shares
    expected = functional.of_shares(known, frame.by_topic[0])
    ends = []
    for w in product((1.0, ratio), repeat=4):
        known[1] = shares[1] * w / (shares[1] @ w)
        ends.append(functional.of_shares(known, frame.by_topic[0]) - expected)
    below, above = found._missing.reach(lambda moves: moves).T
    np.testing.assert_allclose(below, -np.min(ends, axis=0), atol=1e-12)
    np.testing.assert_allclose(above, np.max(ends, axis=0), atol=1e-12)
    apart = np.array(ends) @ [1.0, -1.0]
    reach = found._missing.reach(lambda moves: moves[:, :1] - moves[:, 1:])
    np.testing.assert_allclose(reach, [[-apart.min(), apart.max()]], atol=1e-12)


@pytest.mark.parametrize("quantity", ["share", "mean"])
def test_shares_and_means_reach_as_far_as_their_missing_labels(quantity):
    """Of as many as all documents labelled but a few that are certain to be chosen."""
    rng = np.random.default_rng(3)
    grades, shares = rng.integers(0, 2, 200), np.full((200, 2), 0.5)
    counting = Counting.once(np.ones(200), np.ones(200, bool))
    sample = LabelledSample(np.ones(200), np.arange(180), grades[:180], counting)
    ends = {}
    for ratio in RATIOS:
        levels = Levels(shares, sample, np.arange(180, 200), ratio)
        rows = labels_table(levels, {}, np.arange(2.0))
        of = rows[(rows["quantity"] == quantity) & (rows["grade"].isna() | (rows["grade"] == 1))]
        (ends[ratio],) = of[["low", "high"]].to_numpy()
    count = grades[:180].sum()
    np.testing.assert_allclose(ends[np.inf], [count / 200, (count + 20) / 200], atol=1e-12)
    np.testing.assert_allclose(ends[1e9], ends[np.inf], atol=1e-6)
    if quantity == "mean":
        reach = 1.959964 * np.sqrt(20 / 4 * 200 / 180)
        middle = (count + 10) / 200
        np.testing.assert_allclose(ends[1.0], [middle - reach / 200, middle + reach / 200])
        q = 1.5 / 2.5
        reach = 20 * (q - 0.5) + 1.959964 * np.sqrt(20 * q * (1 - q) * 200 / 180)
        np.testing.assert_allclose(ends[1.5], [middle - reach / 200, middle + reach / 200])
    widths = [high - low for low, high in ends.values()]
    assert (np.diff(widths) > -1e-9).all()


# --- whole estimates ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def some_missing():
    asked = regrade.assign(RUNS, MODEL, 120, MEASURES, scale=4)
    whole = filled(asked)
    lost = whole.index[whole["chosen"]][::6]
    return whole, whole.assign(grade=whole["grade"].mask(whole.index.isin(lost)))


def estimated(labels, ratio=None, measures=MEASURES):
    return regrade.estimate(labels, MODEL, RUNS, measures, scale=4, replays=0, odds_ratio=ratio)


def widths(found, table="pairs"):
    return (getattr(found, table)["high"] - getattr(found, table)["low"]).to_numpy()


def test_intervals_lie_within_those_of_any_label(some_missing, tmp_path):
    found = {ratio: estimated(some_missing[1], ratio) for ratio in (1, 2, 8, 1e12, None)}
    for table in ("systems", "pairs", "labels"):
        of = [widths(one, table) for one in found.values()]
        for narrow, wide in pairwise(of):
            assert (narrow <= wide + 1e-9)[~np.isnan(wide)].all()
        np.testing.assert_allclose(of[-2], of[-1], atol=1e-6)
    assert (widths(found[1]) < widths(found[None])).all()
    values = [one.systems.set_index(["measure", "system"])["value"] for one in found.values()]
    for value in values[1:]:
        pd.testing.assert_series_equal(value, values[0])
    answer = carried.checked(found[2], "estimates", tmp_path, *MEASURES)
    facts = found[2].facts.set_index(["measure", "quantity"])["value"]
    any_label = facts[MEASURES[0], "median width of pairs, any label"]
    assert any_label == pytest.approx(np.median(widths(found[None])[:10]))
    assert (
        "20 selected documents have no label: such as " in answer.notes[0]
        and f"{any_label:.3f}" in answer.notes[0]
        and "at most 2 times as high at one grade as at another" in answer.notes[0]
    )
    assert "--odds-ratio 2" in carried.checked(
        found[None], "estimates", tmp_path, *MEASURES
    ).notes[0]  # fmt: skip


def test_where_no_label_is_missing_nothing_changes(some_missing):
    one, other = estimated(some_missing[0]), estimated(some_missing[0], 2)
    pd.testing.assert_frame_equal(one.systems, other.systems)
    pd.testing.assert_frame_equal(one.pairs, other.pairs)
    assert str(one.answer) == str(other.answer)


@pytest.mark.parametrize("ratio", [0.99, 0, -1, np.nan, "a", True])
def test_an_odds_ratio_is_at_least_1(some_missing, ratio):
    with pytest.raises(ParameterError, match=r"odds.ratio"):
        estimated(some_missing[1], ratio)


def test_the_command_takes_an_odds_ratio(some_missing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    some_missing[1].to_csv("filled.csv", index=False)
    regrade.read_qrels(MODEL).to_frame().to_csv("model.csv", index=False)
    words = ["estimate", "filled.csv", "model.csv", "--scale", "4", "--replays", "0"]
    said = CliRunner().invoke(app, [*words, "--odds-ratio", "2"])
    assert said.exit_code == 0, said.stderr
    refused = CliRunner().invoke(app, [*words, "--odds-ratio", "0.5"])
    assert refused.exit_code
    assert "odds" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["P(rel=2)@10", "nDCG@10"])
@pytest.mark.parametrize("odds_ratio", [1.0, 2.0, 4.0])
def test_intervals_hold_where_the_odds_differ_by_less(measure, odds_ratio):
    ratios = [odds_ratio, 2 * odds_ratio, np.inf]
    systems, pairs = held_with_missing(measure, 144, odds_ratio, ratios, 60)[:, :, 0]
    assert (pairs > 0.93).all()
    # of nDCG few collections have intervals of single systems
    assert measure == "nDCG@10" or (systems > 0.93).all()

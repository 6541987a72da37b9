"""The top k systems under two sets: plain loops over bootstrap samples, and edges."""

import numpy as np
import pytest
from scipy import stats

from regrade.correlations import tau_b
from regrade.evaluations.top_systems import drawn_shares, drawn_taus, overlap_ends, top_k
from regrade.randomness import with_replacement


def made(systems=8, topics=30, draws=200, seed=1, decimals=None):
    """Means over all topics, then in draws of them, under two sets."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(np.linspace(0, 0.5, systems)[:, None], 0.3, (systems, topics))
    scores = [shared + rng.normal(0, 0.2, shared.shape) for _ in range(2)]
    if decimals is not None:
        scores = [np.round(of, decimals) for of in scores]
    weights = np.vstack([np.ones((1, topics)), with_replacement(rng, topics, draws)]) / topics
    return [weights @ of.T for of in scores]


def top(means, k):
    return {s for s in range(len(means)) if (means > means[s] + 1e-12).sum() < k}


@pytest.mark.parametrize("decimals", [None, 0])
@pytest.mark.parametrize("k", [1, 3, 8, 20])
def test_draws_have_the_overlap_and_tau_of_plain_loops(k, decimals):
    first, second = made(decimals=decimals)
    jaccard = drawn_shares(first, second, k)
    for value, a, b in zip(jaccard, first, second, strict=True):
        one, other = top(a, k), top(b, k)
        assert value == pytest.approx(len(one & other) / len(one | other))
    taus = drawn_taus(first, second, min(k, 8))
    for value, a, b in zip(taus, first, second, strict=True):
        places = np.argsort(-a, kind="stable")[:k]
        want = tau_b(a[places], b[places]) if len(places) > 1 else np.nan
        assert value == pytest.approx(want, nan_ok=True)


def test_intervals_are_students_and_half_a_step():
    first, second = made()
    (row,) = top_k(first, second, [3], 30)
    t = stats.t.ppf(0.975, 29) * np.sqrt(30 / 29)
    half, o = t * drawn_shares(first[1:], second[1:], 3).std(), row["shared"]
    low, high = ((o + s) / (6 - (o + s)) for s in (-0.5, 0.5))
    assert row["jaccard_low"] == pytest.approx(max(0, low - half))
    assert row["jaccard_high"] == pytest.approx(min(1, min(high, 1) + half))
    # a swapped pair of three moves τ_b by 2/3, half of it by 1/3
    half = t * drawn_taus(first[1:], second[1:], 3).std() + 1 / 3
    assert row["tau_low"] == pytest.approx(max(-1, row["tau"] - half))
    assert row["tau_high"] == pytest.approx(min(1, row["tau"] + half))


def test_ends_of_the_overlap_have_half_a_system():
    first, second = made()
    shares = drawn_shares(first, second, 3)
    overlap = 2 * shares / (1 + shares)
    ends = overlap_ends(first[0], second[0], [3], overlap[:1], overlap[1:, None], 30)
    t = stats.t.ppf(0.975, 29) * np.sqrt(30 / 29) * overlap[1:].std()
    for of, wider in zip(ends, (1, np.sqrt(2)), strict=True):
        want = np.clip(overlap[0] + (wider * t + 0.5 / 3) * np.array([-1, 1]), 0, 1)
        assert of[:, 0] == pytest.approx(want)


@pytest.mark.parametrize("k", [1, 3, 8])
def test_edges(k):
    first, second = made(topics=24)
    (few,) = top_k(first, second, [k], 24)
    assert np.isnan([few[f"{name}_{end}"] for name in ("jaccard", "tau") for end in ("low", "high")]
                    ).all()  # fmt: skip
    (same,) = top_k(first, first, [k], 30)
    assert same["jaccard"] == same["jaccard_high"] == 1 and same["jaccard_low"] < 1
    tied = np.zeros((50, 5))
    (row,) = top_k(tied, tied, [k], 30)
    assert (row["first"], row["shared"], row["jaccard"]) == (5, 5, 1) and np.isnan(row["tau"])
    assert np.isnan(row["tau_low"])
    (one,) = top_k(first[:, :1], second[:, :1], [k], 30)
    assert one["jaccard"] == 1 and np.isnan(one["tau"])
    (undrawn,) = top_k(first[:1], second[:1], [k])
    assert undrawn["jaccard"] == few["jaccard"] and np.isnan(undrawn["jaccard_low"])

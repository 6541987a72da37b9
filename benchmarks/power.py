"""Discriminative power: exactly beside the authors' way, and as an objective of every cut."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.inputs import SEED
from benchmarks.measuring import Measured, Settings, now, timed
from regrade.cutsearch.thresholds import Thresholds
from regrade.power.cuts import CutPower
from regrade.power.plackett_luce import DOUBT, ranking_entropy
from regrade.power.preferences import Graded, PreferenceTests, count_preferences
from regrade.power.synthetic import PDP, SyntheticParameters, batch_powers, batch_table, draw_batch
from regrade.power.topics import PowerOptions, judged_lists, power_table
from regrade.randomness import generator
from regrade.scales import Scale

SCALES = tuple(range(2, 31))
MODES = 2
STEPS, RATE, RANKINGS = 1000, 0.1, 50_000
"""The authors' gradient descent and samples (chu2021 §3.5)."""

TOPICS, DOCUMENTS, LEVELS, EVALUATED = 102, 29, 4, 200


# --- the synthetic experiment --------------------------------------------------------------------


def synthetic(settings: Settings) -> Measured:
    """Both modes of all topics on all scales."""
    parameters = SyntheticParameters(seed=SEED)
    options = {"metrics": list(PDP.values()), "threads": settings.threads}
    batch_table(SyntheticParameters(topics=200, seed=SEED), [2, 3], **options)
    spans, _ = timed(lambda: batch_table(parameters, SCALES, **options), 1)
    batch = draw_batch(parameters, 0)
    values = batch_powers(batch.grades(LEVELS), batch.truth, LEVELS, "individual")
    return Measured(spans, values[_some(settings, len(values))])


def synthetic_peer(settings: Settings) -> Measured:
    """Gradient descent and drawn rankings, of some topics on one scale."""
    parameters = SyntheticParameters(seed=SEED)
    batch = draw_batch(parameters, 0)
    codes = batch.grades(LEVELS)
    first, second = np.triu_indices(batch.truth.shape[1], 1)
    signal = np.sign(batch.truth[:, first] - batch.truth[:, second]).astype(np.int64).ravel()
    one, other = (codes[:, some].reshape(-1, codes.shape[2]) for some in (first, second))
    wins, tests = count_preferences(one, other, signal, LEVELS)
    p = np.clip(np.where(tests > 0, wins / np.maximum(tests, 1), 0.5), DOUBT, 1 - DOUBT)
    rng = generator(SEED, "benchmark", "rankings")
    chosen = _some(settings, len(codes))
    start = now()
    found = []
    for topic in chosen:
        given = codes[topic]
        preferences = p[given[:, None, :], given[None, :, :]].mean(axis=2)
        found.append(_drawn_entropy(_descended(preferences), RANKINGS, rng))
    span = (now() - start) / len(chosen) * parameters.topics * len(SCALES) * MODES
    note = f"{len(chosen)} of {parameters.topics * len(SCALES) * MODES:,} topics, extrapolated"
    return Measured([span], np.array(found), note=note)


def _some(settings: Settings, n: int) -> np.ndarray:
    return np.arange(min(settings.sample or n, n))


def _descended(preferences: np.ndarray) -> np.ndarray:
    """Scores after so many steps down the gradient of Eq. 5."""
    scores = np.zeros(len(preferences))
    both = preferences + preferences.T
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-np.subtract.outer(scores, scores)))
        scores -= RATE * (both * expected - preferences).sum(axis=1)
    return scores


def _drawn_entropy(scores: np.ndarray, rankings: int, rng: np.random.Generator) -> float:
    """Eq. 6, all rankings at once."""
    noisy = scores + rng.gumbel(size=(rankings, len(scores)))
    ranked = scores[np.argsort(-noisy, axis=1)]
    tails = np.log(np.cumsum(np.exp(ranked[:, ::-1]), axis=1))[:, ::-1]
    return float((tails - ranked).sum(axis=1).mean())


# --- one topic -----------------------------------------------------------------------------------


def topic(settings: Settings, documents: int) -> Measured:
    """The entropy of so many documents."""
    scores = _scores(documents)
    ranking_entropy(scores[:3])
    ranking_entropy(scores[:3], states=1)
    spans, found = timed(lambda: ranking_entropy(scores), settings.repeats)
    return Measured(spans, np.array([found.value]), note=found.way)


def topic_peer(settings: Settings, documents: int) -> Measured:
    """The same from drawn rankings."""
    rng = generator(SEED, "benchmark", "one topic")
    spans, found = timed(lambda: _drawn_entropy(_scores(documents), RANKINGS, rng), 1)
    return Measured(spans, np.array([found]), note=f"{RANKINGS:,} rankings")


def _scores(documents: int) -> np.ndarray:
    return np.random.default_rng(SEED).normal(size=documents)


# --- every cut -----------------------------------------------------------------------------------


def cuts(settings: Settings) -> Measured:
    """All cuts by pairwise entropy, PDP of the best; PDP of some cuts for the peer."""
    graded, tests, thresholds = _sliders()
    lists = judged_lists([graded])

    def work(levels: int) -> np.ndarray:
        power = CutPower.of(graded, tests, lists, thresholds)
        places = power.candidates(len(thresholds.values), levels)
        best = np.argsort(power.pair_entropies(places), kind="stable")[:EVALUATED]
        return power.powers(places[best], settings.threads)

    work(2)
    spans, _ = timed(lambda: work(LEVELS), settings.repeats)
    power = CutPower.of(graded, tests, lists, thresholds)
    places = power.candidates(len(thresholds.values), LEVELS)
    return Measured(spans, power.powers(places[_chosen(settings, len(places))]))


def cuts_peer(settings: Settings) -> Measured:
    """Our own `power_table` of the cut set, one cut after the other."""
    graded, tests, thresholds = _sliders()
    lists = [judged_lists([graded])]
    places = thresholds.cuts(LEVELS)
    chosen = _chosen(settings, len(places))
    start, found = now(), []
    for cut in places[chosen]:
        table = power_table(graded.cut(cut), tests, lists, PowerOptions(modes=["aggregate"]))
        found.append(table["entropy"].iloc[-1])
    span = (now() - start) / len(chosen) * len(places)
    note = f"{len(chosen)} of {len(places):,} cuts, extrapolated"
    return Measured([span], np.array(found), note=note)


def _chosen(settings: Settings, n: int) -> np.ndarray:
    rng = generator(SEED, "benchmark", "cuts")
    return np.sort(rng.choice(n, settings.sample or n, replace=False))


def _sliders() -> tuple[Graded, PreferenceTests, Thresholds]:
    """Sliders of one assessor over true relevance, and tests of all pairs, some contrary."""
    rng = generator(SEED, "benchmark", "sliders")
    names = [[f"t{t:03d}" for t in range(TOPICS)], [f"d{d:02d}" for d in range(DOCUMENTS)]]
    documents = pd.MultiIndex.from_product(names, names=["topic", "docno"])
    truth = rng.beta(2, 1, len(documents))
    given = np.clip(np.rint(100 * truth + 10 * rng.standard_normal(len(truth))), 0, 100)
    first, second = np.triu_indices(DOCUMENTS, 1)
    starts = DOCUMENTS * np.arange(TOPICS)[:, None]
    first, second = (starts + first).ravel(), (starts + second).ravel()
    noisy = truth[first] - truth[second] + 0.2 * rng.standard_normal(len(first))
    tests = PreferenceTests(documents[first], documents[second], np.sign(noisy).astype(np.int64))
    graded = Graded.from_values(documents, given[:, None])
    return graded, tests, Thresholds.of(Scale.of({"levels": 101}), LEVELS)

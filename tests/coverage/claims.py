"""Worlds in which something is not so: how often it is said all the same.

Of changes: that a pair of systems' difference changed from one set of labels to the other
(`regrade.evaluations.pair_outcomes`), or what halves of the topics have in common
(`regrade.evaluations.system_rankings`).  Of judges: that one ranks systems worse than the best, or
as well (`regrade.evaluations.judge_differences`).  Of cuts: that one is worse than the best
(`regrade.trust.plateau`), or than one of each topic's own (`regrade.trust.held_out`).  Of few
labels: that a system is not first (`regrade.estimation.measure_estimates`).  Of systems:
that one is not the best (`regrade.magnitudes.systems`), how many pairs are in the right
order (`regrade.ranking.halves`).  Of workers: that one agrees with the others
(`regrade.audit.crowd`).  Of sets of labels: that one tells less apart of what people prefer
(`regrade.power.differences`).  Of two systems: that they
are equivalent, or one is not worse, or worse (`regrade.system_pairs.margins`).  Of a judge: that it
can replace people, or cannot (`regrade.replacement.margins`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import norm

from regrade import find_cuts
from regrade.answers.changed import lower_of_selected, preservation
from regrade.answers.glossary import LARGELY, NOT, NOT_PRESERVED, PRESERVED
from regrade.audit import crowd
from regrade.cutsearch.best import best_index
from regrade.estimation.estimates import FEWEST as LABELS
from regrade.evaluations.comparison_answer import FEWEST_OF_HALF, is_beyond_chance
from regrade.evaluations.cut_labels import JudgeOptions
from regrade.evaluations.judge_differences import (
    MARGIN,
    NON_INFERIOR,
    WORSE,
    simultaneous_ends,
    verdict,
)
from regrade.evaluations.judges import _tested
from regrade.evaluations.pair_outcomes import change_p, change_row, changes_of, is_flip
from regrade.evaluations.system_rankings import ScoredPair, ranking_ends
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE, tau_b
from regrade.magnitudes.systems import may_be_first
from regrade.measures import parse_all
from regrade.power.ranked_sets import KEYS, SIGNIFICANCE, ranked_sets
from regrade.randomness import generator
from regrade.ranking import halves
from regrade.ranking.pairs import SystemPairs
from regrade.scoring import Scores
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import SIGNIFICANCE as SIGNIFICANT
from regrade.significance.paired import differences, paired_t
from regrade.trust.bootstrap import PER_TOPIC, RepeatedSearch, topic_weights
from regrade.trust.held_out import DOCUMENTS, held_out_tables
from regrade.trust.plateau import on_plateau
from tests.coverage import collections as of_collections
from tests.coverage import designs, favours, replacement, seed_of, two_systems
from tests.coverage.estimates import contradicted, ruled_out
from tests.coverage.power import ERROR, held_beside, made_sets
from tests.coverage.ranking import drawn_samples, ordered_populations, populations
from tests.coverage.topics import (
    DRAWS,
    JUDGES,
    SIZES,
    dl21_alpha,
    dl21_scores,
    drawn_times,
    rough_noise,
    sampled,
    smooth_noise,
    tau,
)

MOST = 0.05
"""How often a claim may be made wrongly."""

SPLITS = 100
"""Of topics into halves, for each sample."""

HALVES = 40
"""The same, of each size of halves."""

CLAIMS = {
    "significant change": "the significance of a pair of systems changes, and its difference has "
    "changed (`significant_changes` of `compare/changes` and `judges/changes`).  False: the "
    "difference has not changed; the share of the pairs with the claim, as the mean over samples",
    "more than chance": "changing the labels reduces the agreement between halves of the topics "
    "(`excess` of `compare/reliability`).  False: the claim is made and no system's mean changes",
    WORSE: "a judge ranks systems less like the reference than the best judge does "
    "(`verdict` of `judges/differences`).  False: the judge ranks them at least as much like it",
    NON_INFERIOR: "a judge ranks systems as much like the reference as the best judge does, "
    f"within {MARGIN:g} of τ_b.  False: the judge is further off than that",
    LARGELY: "the ranking of systems is largely preserved, τ_b being 0.9 or above "
    "(`low` of `compare/rankings`; of several judges, that of the best judge, corrected for the "
    "choice).  False: the mean τ_b over samples of equally many topics is below 0.9",
    NOT: "the ranking of systems is not preserved, τ_b being below 0.8 (`high` of "
    "`compare/rankings`).  False: the mean τ_b over samples of equally many topics is 0.8 or above",
    "worse cut": "a cut is significantly worse than the best cut (it is not in `cuts/plateau`).  "
    "False: the cut is the best over the population of topics; of two equal cuts, either",
    "one for all": "one cut for all topics is better than a cut of each topic's own, or worse "
    "(`low` and `high` of `cuts/held_out`).  False: the claim is made and the mean of samples is "
    "on the other side",
    "agrees": "a worker agrees with the others more than expected by chance (`drop` of "
    "`workers/workers`).  False: the worker answers at random",
    "tells less": "a set of labels discriminates less between documents of different human "
    "preference than the best set does (`p` of `power/ranked`).  False: it is as good",
    "not first": "full judging would not have put a system first (it is not in `may_be_first` of "
    "`estimates/systems`).  False: the system is first under full judging",
    "differ in full judging": "two systems differ under labels of all documents, all pairs at once "
    "(`p_adjusted` of `estimates/pairs`).  False: some pair with the claim does not differ, or "
    "differs in the opposite direction",
    "not the best": "a system is not the best over the population of topics (`may_be_first` of "
    "`magnitudes/systems`).  False: it is the best; of many best ones, one that is named in "
    "advance",
    "excluded": "a system is not the best over the population of topics (`may_be_best` of "
    "`ranking/systems`).  False: it is the best; of many best ones, one that is named in advance",
    "significant": "two systems differ, all pairs at once (`p_adjusted` of `ranking/pairs`).  "
    "False: some pair with the claim does not differ, or differs in the opposite direction",
    "significant by t-test": "two systems differ by the paired t-test with Holm's correction over "
    "all pairs (`p_corrected` of `ranking/pairs`).  False: some pair with the claim does not "
    "differ, or differs in the opposite direction",
    "in order": "at least a given share of all pairs of systems is ordered as over the population "
    "of topics (`in order at least` of `ranking/facts`).  False: the share is smaller",
    "equivalent": "two systems are equivalent within a margin (`p_equivalent` of "
    "`system-pairs/tests`).  False: they differ by the margin",
    "non-inferior": "a system is not worse than another by a margin or more (`p_noninferior` of "
    "`system-pairs/tests`).  False: it is worse by the margin",
    two_systems.FAILS: "a gate fails, its outcome being `worse` (`regrade.gate`, margin "
    f"{two_systems.MARGIN:g}).  False: both systems are of one process, or of equal means",
    two_systems.PASSES: "a gate passes, a loss of the margin being excluded (`regrade.gate` with "
    f"`fail_if='may-be-worse'`, margin {two_systems.MARGIN:g}).  False: the new system is worse by "
    "the margin; losses that are seldom and large are not in most samples of few items, and no "
    "test of these items sees them",
    two_systems.GAINS: "the outcome of a gate is `better` (`regrade.gate`).  False: both systems "
    "are of one process, or of equal means",
    "favour": "a judge favours or disfavours a family of systems at equal quality, less the "
    "control (`verdict` of `favour/effects`).  False: no judge favours any family; where one is "
    "favoured, that it is disfavoured",
    "own family": "a judge favours its own family at equal quality, less the control (`verdict` of "
    "`favour/own`).  False: no judge favours a family",
    of_collections.EFFECT: "an effect over fixed collections is not 0 (`p_mean_adjusted` of "
    f"`meta_analysis/overall`, {of_collections.SUBJECTS} subjects).  False: it is said of any "
    "subject, and all effects are 0",
    of_collections.DIFFERS: "an effect differs between collections (`p_adjusted` of "
    f"`meta_analysis/overall`, {of_collections.SUBJECTS} subjects).  False: it is said of any "
    "subject, and no effect does",
    "loss": "a system is worse than another (`p_loss` of `system-pairs/tests`).  False: both are "
    "of one process",
    "replaces": "a judge can replace people, as all lines are within their margins (`verdict` of "
    "`replace/facts`).  False: the judge is at the margin of a line",
    "replaces not": "a judge cannot replace people, as a line is beyond its margin.  False: no "
    "line of the judge is beyond its margin",
}
"""What is said, and when wrongly."""

FEWEST = dict.fromkeys((WORSE, NON_INFERIOR), INTERVALS["best_judge"].fewest)
FEWEST["more than chance"] = 2 * FEWEST_OF_HALF
"""From how many topics on it is said, where these are not the first of `SIZES`."""

Said = tuple[np.ndarray, np.ndarray]
"""Of each sample: how much of what is said is wrong (0 … 1); whether something is said rightly."""

Sample = Callable[[np.random.Generator, int], tuple[np.ndarray, ...]]
"""(S, T) scores under each set of labels, the reference's first, of so many topics."""


@dataclass(frozen=True)
class ClaimWorld:
    """Where a claim is made again and again.

    Attributes
    ----------
    claim
        One of `CLAIMS`.
    name, size
        As of `tests.coverage.World`.
    run
        Of repetitions and a seed, what is said.
    """

    claim: str
    name: str
    size: str
    run: Callable[[int, int], Said]


@dataclass(frozen=True)
class Wrong:
    """How often a claim was wrong, with its Monte Carlo standard error; and how often right."""

    wrong: float
    error: float
    right: float


def measure_claim(world: ClaimWorld, repetitions: int, seed: int = 1) -> Wrong:
    """Make the claim in a world so many times, with random numbers of its own."""
    own = seed_of(seed, world.claim, world.name, world.size)
    wrong, right = world.run(repetitions, own)
    error = max(wrong.std(ddof=1), (MOST * (1 - MOST)) ** 0.5) / repetitions**0.5
    return Wrong(float(wrong.mean()), float(error), float(right.mean()))


def claim_worlds(data: Path | None = None) -> list[ClaimWorld]:
    """All of them; real ones where `data` is there."""
    of_systems = (*_estimates(), *_best(data), *_ranked(data), *_of_designs(), *_orders(data))
    of_cuts = (*_cuts(data), *_own_cuts())
    two = (*favours.claims(), *two_systems.claims(data), *two_systems.gates(data))
    replaced = (*replacement.claims(data), *of_collections.claims())
    of_pairs = (ClaimWorld(*world) for world in (*two, *replaced))
    of_labels = (*_changes(data), *_judges(data), *_preserved(data))
    return [*of_labels, *of_cuts, *of_systems, *_workers(), *_sets(), *of_pairs]


def _sized(claims: tuple[str, ...], name: str, run: Callable) -> Iterator[ClaimWorld]:
    """Of `SIZES`, and of the fewest topics from which it is said."""
    for claim in claims:
        for topics in sorted({*SIZES, FEWEST.get(claim, SIZES[0])}):
            yield ClaimWorld(claim, name, f"{topics} topics", partial(run, claim, topics))


# --- changes --------------------------------------------------------------------------------------


CHANGED, UNCHANGED, NOT_COUNTED = range(3)
"""What pairs of systems are."""

_OFTEN = 0.8
"""On what share of the topics two systems' difference must be another under the other labels."""


def _changes(data: Path | None) -> Iterator[ClaimWorld]:
    worlds = dict(_relabellings(data))
    for name, (sample, kinds) in worlds.items():
        yield from _sized(("significant change",), name, partial(_told, sample, kinds))
    alike = {name: sample for name, (sample, _) in worlds.items()} | dict(_noises(data))
    for name, sample in alike.items():
        yield from _sized(("more than chance",), name, partial(_costs, sample, _HALF in name))


def _relabellings(data: Path | None) -> Iterator[tuple[str, tuple[Sample, Callable]]]:
    """Names, samples of both sets of labels, and kinds of pairs."""
    for noise in ("normal", "skewed"):
        sample = partial(_relabelled, noise)
        yield f"simulated: no system changes, {noise} noise", (sample, lambda: UNCHANGED)
    if data is None:
        return
    for name, judge in JUDGES.items():
        scores = partial(dl21_scores, data, judge)
        of = f"TREC 2021 DL, {name}"
        exchanged = partial(_exchanged, scores), lambda: UNCHANGED
        yield f"{of}: labels exchanged at random, by topic", exchanged
        for n, change in ((63, "no system's mean changes"), (32, _HALF)):
            yield f"{of}: {change}", (partial(_recentred, scores, n), partial(_kinds, scores, n))


def _noises(data: Path | None) -> Iterator[tuple[str, Sample]]:
    """Where the other labels rank systems as the first do, and err more."""
    for times in (2, 6, 16):
        yield f"simulated: no system changes, {times} times the noise", partial(_noisier, times)
    if data is not None:
        name = "GPT-4o's UMBRELA"
        sample = partial(_disturbed, partial(dl21_scores, data, JUDGES[name]))
        yield f"TREC 2021 DL, {name}: no system's mean changes, and noise of σ {_NOISE:g}", sample


_HALF = "half of the systems' means do"


def _relabelled(noise: str, rng: np.random.Generator, topics: int) -> tuple[np.ndarray, ...]:
    """Thirty systems under labels that add noise, the systems' means being what they were."""
    first = np.linspace(-0.5, 0.5, 30)[:, None] + rng.normal(0, 1, (30, topics))
    if noise == "normal":
        return first, first + rng.normal(0, 1, first.shape)
    # of every other system to the other side
    side = np.where(np.arange(30) % 2, 1, -1)[:, None]
    seldom = rng.exponential(3, first.shape) * (rng.random(first.shape) < 1 / 3)
    return first, first + side * (seldom - 1)


def _noisier(times: float, rng: np.random.Generator, topics: int) -> tuple[np.ndarray, ...]:
    """Thirty systems in the same order under labels that err so many times as much, by topic."""
    means, errors = np.linspace(-0.5, 0.5, 30)[:, None], rng.normal(0, 0.5, (2, 30, topics))
    return means + errors[0], means + times * errors[1]


def _exchanged(
    source: Callable[[], tuple], rng: np.random.Generator, topics: int
) -> tuple[np.ndarray, ...]:
    """Which of the two sets comes first is drawn for each topic."""
    one, other = sampled(source(), rng, topics)
    first = rng.random(topics) < 0.5
    return np.where(first, one, other), np.where(first, other, one)


def _recentred(
    source: Callable[[], tuple], n: int, rng: np.random.Generator, topics: int
) -> tuple[np.ndarray, ...]:
    """The first n systems' means over all topics are the reference's."""
    first, second = source()
    moved = second - second.mean(axis=1, keepdims=True) + first.mean(axis=1, keepdims=True)
    return sampled((first, np.vstack([moved[:n], second[n:]])), rng, topics)


_NOISE = 0.6
"""Of scores, by system and topic: three times what topics make of a system's nDCG@10."""


def _disturbed(
    source: Callable[[], tuple], rng: np.random.Generator, topics: int
) -> tuple[np.ndarray, ...]:
    """Systems whose means over all topics are the reference's, with noise under other labels."""
    first, second = _recentred(source, len(source()[0]), rng, topics)
    return first, second + rng.normal(0, _NOISE, second.shape)


def _kinds(source: Callable[[], tuple], n: int) -> np.ndarray:
    """What pairs are where the first n systems are recentred; (P,).

    Two runs that hardly differ would differ by the same on nearly all topics, once recentred: such
    as no labels make.  They do not count.
    """
    first, second = source()
    one, other = np.triu_indices(len(first), 1)
    change = differences(second[one], second[other]) - differences(first[one], first[other])
    often = (np.abs(change) > TOLERANCE).mean(axis=1) >= _OFTEN
    return np.where(often, np.where(other < n, UNCHANGED, CHANGED), NOT_COUNTED)


def _told(
    sample: Sample, kinds: Callable, claim: str, topics: int, repetitions: int, seed: int
) -> Said:
    rng, how = generator(seed, "claims", claim, str(topics)), JudgeOptions()
    of_pairs = kinds()
    wrong, right = np.zeros(repetitions), np.zeros(repetitions, dtype=bool)
    for r in range(repetitions):
        first, second = sample(rng, topics)
        (significant, sign), (now, turned) = (_tested(of, how) for of in (first, second))
        change, p = changes_of(significant, now, sign * turned), change_p(first, second)
        told = is_flip(change) & (p < how.significance)
        row = change_row(change, p, np.empty(0), how.significance, topics)
        assert told.sum() == row["significant_changes"]
        false, true = ((told & (of_pairs == kind)).sum() for kind in (UNCHANGED, CHANGED))
        wrong[r], right[r] = false / max(false + true, 1), true > 0
    return wrong, right


def _costs(
    sample: Sample, changes: bool, claim: str, topics: int, repetitions: int, seed: int
) -> Said:
    rng = generator(seed, "claims", claim, str(topics))
    said = np.zeros(repetitions, dtype=bool)
    for r in range(repetitions):
        sides = (_scores(of) for of in sample(rng, topics))
        pair = ScoredPair(*sides, persistence=0.9, resamples=0, splits=SPLITS, seed=r)
        said[r] = is_beyond_chance(pair.reliability())
    return (said & (not changes)).astype(float), said & changes


def _scores(values: np.ndarray) -> Scores:
    """Of one measure, on topics that are numbered."""
    systems, topics = (tuple(map(str, range(n))) for n in values.shape)
    values = values[:, :, None]
    return Scores(systems, topics, parse_all(["AP"]), values, np.full(values.shape, np.nan))


# --- judges ---------------------------------------------------------------------------------------


def _judges(data: Path | None) -> Iterator[ClaimWorld]:
    worlds = {
        "simulated: five judges, equal": ((0.1,) * 5, 1.0),
        "simulated: five judges, one of them best": ((0.0, 0.3, 0.3, 0.3, 0.3), 1.0),
        "simulated: two judges, little noise, 0.021 to 0.024 apart": ((0.0, 0.08), 0.1),
        "simulated: two judges, little noise, 0.001 to 0.003 apart": ((0.0, 0.02), 0.1),
    }
    samples = {
        name: (partial(_made_judges, *how), [how[0].index(a) for a in how[0]])
        for name, how in worlds.items()
    }
    if data is not None:
        samples["TREC 2021 DL: three judges"] = partial(_real_judges, data), [0, 1, 2]
    for name, (sample, alike) in samples.items():
        yield from _sized(
            ("significantly worse", "non-inferior"), name, partial(_verdicts, sample, alike)
        )


def _made_judges(
    apart: tuple[float, ...], noise: float, rng: np.random.Generator, topics: int
) -> tuple[np.ndarray, ...]:
    """Thirty systems under a reference and under judges who err so much about each."""
    ability = np.linspace(-2, 2, 30)[:, None]
    erred = np.random.default_rng(3).normal(0, 1, 30)[:, None]
    shared = ability + rng.normal(0, 3 * noise, (30, topics))
    judges = (shared + a * erred + rng.normal(0, noise, shared.shape) for a in apart)
    return shared, *judges


def _real_judges(data: Path, rng: np.random.Generator, topics: int) -> tuple[np.ndarray, ...]:
    both = [dl21_scores(data, judge) for judge in JUDGES.values()]
    return sampled((both[0][0], *(of[1] for of in both)), rng, topics)


def _verdicts(
    sample: Sample, alike: list[int], claim: str, topics: int, repetitions: int, seed: int
) -> Said:
    """What is said of the judges, those of whom `alike` says the same being equal."""
    rng = generator(seed, "claims", "judges", str(topics))
    true = true_taus(sample, rng, topics)
    true = np.array([true[np.array(alike) == of].mean() for of in alike])
    wrong, right = np.zeros((2, repetitions), dtype=bool)
    for r in range(repetitions):
        first, *others = sample(rng, topics)
        weights = np.vstack([np.ones(topics), drawn_times(rng, topics, DRAWS)]) / topics
        values = np.stack([tau(first, other, weights) for other in others])
        order = np.argsort(-values[:, 0], kind="stable")
        ends = simultaneous_ends(values[order], topics).T[1:]
        said = np.array([verdict(*one) == claim for one in ends])
        behind = true[order[0]] - true[order[1:]]
        so = behind > 0 if claim == WORSE else behind <= MARGIN
        wrong[r], right[r] = (said & ~so).any(), (said & so).any()
    return wrong.astype(float), right


# --- rankings that are preserved ------------------------------------------------------------------

_NOISE_OF_JUDGES = {"little": 0.1, "more": 0.5}
"""Noise of the judges beside the reference, in names of worlds."""


def _preserved(data: Path | None) -> Iterator[ClaimWorld]:
    """τ_b just on the wrong side of a threshold, a little and far on the right one."""
    for noise, of in _NOISE_OF_JUDGES.items():
        for target, claim in ((0.899, LARGELY), (0.94, LARGELY), (0.801, NOT), (0.76, NOT)):
            name = f"simulated: a judge with {noise} noise, τ_b {target:g}"
            yield from _sized((claim,), name, partial(_preservation, of, target, 1))
        name = f"simulated: the best of sixteen judges with {noise} noise, τ_b 0.899 of each"
        yield from _sized((LARGELY,), name, partial(_preservation, of, 0.899, 16))
    if data is not None:
        for name, judge in JUDGES.items():
            sample = partial(_real_judge, data, judge)
            for claim in (LARGELY, NOT):
                run = partial(_preservation_of, sample, None)
                yield from _sized((claim,), f"TREC 2021 DL: {name}", run)


def _real_judge(
    data: Path, judge: str, rng: np.random.Generator, topics: int
) -> tuple[np.ndarray, ...]:
    return sampled(dl21_scores(data, judge), rng, topics)


def _preservation(
    noise: float, target: float, judges: int, claim: str, topics: int, repetitions: int, seed: int
) -> Said:
    """Judges who err as much as gives a true τ_b, found by bisection."""
    low, high = 0.0, 4.0
    for _ in range(14):
        middle = (low + high) / 2
        rng = generator(seed, "claims", "preserved", str(topics))
        true = true_taus(partial(_made_judges, (middle,), noise), rng, topics, 1000)[0]
        low, high = (middle, high) if true > target else (low, middle)
    sample = partial(_made_judges, ((low + high) / 2,) * judges, noise)
    return _preservation_of(sample, target, claim, topics, repetitions, seed)


def _preservation_of(
    sample: Sample, true: float | None, claim: str, topics: int, repetitions: int, seed: int
) -> Said:
    rng = generator(seed, "claims", claim, str(topics))
    if true is None:
        true = true_taus(sample, rng, topics)[0]
    is_so = true >= PRESERVED if claim == LARGELY else true < NOT_PRESERVED
    said = np.zeros(repetitions, dtype=bool)
    for r in range(repetitions):
        first, *others = sample(rng, topics)
        weights = np.vstack([np.ones(topics), drawn_times(rng, topics, DRAWS)]) / topics
        values = np.stack([tau(first, other, weights) for other in others])
        value, *drawn = values[values[:, 0].argmax()]
        low, high = ranking_ends(np.array([value]), np.array(drawn)[:, None], topics)[0, :, 0]
        said[r] = preservation((lower_of_selected(value, low, len(others)), high)) == claim
    return (said & (not is_so)).astype(float), said & is_so


def true_taus(
    sample: Sample, rng: np.random.Generator, topics: int, times: int = 2000
) -> np.ndarray:
    """(J,) τ_b of each judge that samples of as many topics give on average."""
    whole = np.full((1, topics), 1 / topics)
    found = []
    for _ in range(times):
        first, *others = sample(rng, topics)
        found.append([tau(first, other, whole)[0] for other in others])
    return np.mean(found, axis=0)


# --- cuts -----------------------------------------------------------------------------------------


def _cuts(data: Path | None) -> Iterator[ClaimWorld]:
    worlds = {
        "simulated: two cuts, alike": _two_cuts,
        "simulated: labels that are noise, cuts alike": smooth_noise,
        "simulated: labels that are noise, cuts unlike": rough_noise,
        "simulated: one of seven cuts best": _best_cuts,
    }
    if data is not None:
        for name, judge in {"share of questions": "binary-mean", "means": "graded-mean"}.items():
            source = partial(dl21_alpha, data, f"gpt-4-exam-{judge}")
            worlds[f"TREC 2021 DL: GPT-4's {name}"] = source
    for name, make in worlds.items():
        for topics in (5, 10, *SIZES[:2]):
            run = partial(_off_plateau, make, topics)
            yield ClaimWorld("worse cut", name, f"{topics} topics", run)


def _two_cuts(rng: np.random.Generator, topics: int) -> tuple:
    return np.arange(2)[:, None], rng.normal(0, 0.1, (2, topics)), 0, np.zeros(2)


def _best_cuts(rng: np.random.Generator, topics: int) -> tuple:
    true = np.where(np.arange(70) % 7, -0.05, 0.0)
    return np.arange(70)[:, None], true[:, None] + rng.normal(0, 0.1, (70, topics)), 0, true


def _off_plateau(make: Callable, topics: int, repetitions: int, seed: int) -> Said:
    rng = generator(seed, "claims", "cuts", str(topics))
    wrong, right = np.zeros((2, repetitions), dtype=bool)
    for r in range(repetitions):
        places, criterion, _, true = make(rng, topics)
        best = best_index(places, criterion.mean(axis=1))
        eligible = np.ones(len(true), dtype=bool)
        off = ~on_plateau(criterion, eligible, best, topic_weights(topics, DRAWS, r))["on"]
        is_best = true > true.max() - TOLERANCE
        # of many best ones, one that is named in advance
        wrong[r] = off.any() if len(true) == 2 else off[np.flatnonzero(is_best)[0]]
        right[r] = (off & ~is_best).any()
    return wrong.astype(float), right


TOPICS_UNLIKE = {
    "simulated: topics alike": 0.0,
    "simulated: topics so unlike that their own cuts gain and lose": 0.8,
    "simulated: topics unlike": 1.5,
}
"""The spread of what topics add to values from 0 to 10."""

_OF_TOPIC = 20
"""Documents."""


def _own_cuts() -> Iterator[ClaimWorld]:
    for name, spread in TOPICS_UNLIKE.items():
        for topics in (INTERVALS["mean_over_topics"].fewest, SIZES[0]):
            run = partial(_one_for_all, spread, topics)
            yield ClaimWorld("one for all", name, f"{topics} topics", run)


def _one_for_all(spread: float, topics: int, repetitions: int, seed: int) -> Said:
    rng = generator(seed, "claims", "own cuts", str(topics), str(spread))
    found = np.empty((repetitions, 3))
    for r in range(repetitions):
        values, labels = judged(rng, topics, _OF_TOPIC, spread)
        cuts = find_cuts(values, 2, labels, scale=11)
        search = RepeatedSearch(cuts.prepared[cuts.best.method], {})
        whole = held_out_tables(search, "r", [DOCUMENTS], seed=r)["held_out"]
        own = whole[whole["selection"] == PER_TOPIC]
        found[r] = own[["difference", "low", "high"]].iloc[0]
    gain, low, high = found.T
    gain = gain.mean()
    lose, win = high < 0, low > 0
    return np.where(gain < 0, win, lose).astype(float), np.where(gain < 0, lose, win)


def judged(
    rng: np.random.Generator, topics: int, documents: int, spread: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A model's values from 0 to 10 of documents, and which two in five of them are relevant."""
    grade = (rng.random((topics, documents)) < 0.4).astype(int)
    value = 4 + 2 * grade + rng.normal(0, spread, (topics, 1)) + rng.normal(0, 1.2, grade.shape)
    given = {"value": np.clip(np.rint(value), 0, 10), "grade": grade}
    index = pd.MultiIndex.from_product(
        [[f"t{t:02d}" for t in range(topics)], [f"d{d:02d}" for d in range(documents)]],
        names=["topic", "docno"],
    )
    return tuple(
        pd.DataFrame({name: of.ravel()}, index=index).reset_index() for name, of in given.items()
    )


# --- few labels -----------------------------------------------------------------------------------


def _estimates() -> Iterator[ClaimWorld]:
    for measure, worthless, labels in (
        ("nDCG@10", False, LABELS),
        ("nDCG@10", False, 36),
        ("nDCG@10", False, 72),
        ("nDCG@10", True, 36),
        ("P(rel=2)@10", False, LABELS),
        ("P(rel=2)@10", False, 36),
    ):
        name = f"simulated: {measure}, a model{' that says nothing' if worthless else ''}"
        for claim, run in (
            ("not first", ruled_out),
            ("differ in full judging", contradicted),
        ):
            yield ClaimWorld(
                claim, name, f"{labels} labels", partial(run, measure, labels, worthless)
            )


# --- the best system ------------------------------------------------------------------------------


def _best(data: Path | None) -> Iterator[ClaimWorld]:
    worlds = {**populations(data), "simulated: 30 systems, skewed": _skewed}
    # copies would differ by the same on nearly all topics, once recentred (`_kinds`)
    alone = {name: source for name, source in worlds.items() if "copies" not in name}
    equal = {f"{name}, recentred to be equal": partial(_equal, of) for name, of in alone.items()}
    for name, source in {**worlds, **equal}.items():
        for topics in (INTERVALS["mean_over_topics"].fewest, 18, *SIZES[:2]):
            run = partial(_not_the_best, source, topics)
            yield ClaimWorld("not the best", name, f"{topics} topics", run)


def _skewed() -> np.ndarray:
    """Most topics tell nothing; the others are good for every second system, bad for the rest."""
    rng = np.random.default_rng(3)
    seldom = rng.exponential(1, (30, 5000)) * (rng.random((30, 5000)) < 0.3)
    return np.where(np.arange(30) % 2, 1, -1)[:, None] * seldom


def _equal(source: Callable) -> np.ndarray:
    scores = source()
    return scores - scores.mean(axis=1, keepdims=True)


def _not_the_best(source: Callable, topics: int, repetitions: int, seed: int) -> Said:
    population = source()
    true = population.mean(axis=1)
    is_best = true > true.max() - TOLERANCE
    samples = drawn_samples(population, topics, repetitions, seed)
    out = np.array([~may_be_first(scores) for scores in samples])
    return out[:, is_best.argmax()].astype(float), (out & ~is_best).any(axis=1)


# --- orders of systems ----------------------------------------------------------------------------


def _ranked(data: Path | None) -> Iterator[ClaimWorld]:
    """Populations as they are, and with all systems recentred to be equal.

    By t-tests, equal ones are exchanged instead, as nearly copies would differ by the same on
    nearly all topics, once recentred (`_kinds`).
    """
    for name, source in populations(data).items():
        for equal in (False, True):
            of = f"{name}{', recentred to be equal' if equal else ''}"
            for claim, topics in product(("excluded", "significant"), SIZES[:2]):
                run = partial(_all_at_once, source, equal, claim, topics)
                yield ClaimWorld(claim, of, f"{topics} topics", run)
            of = f"{name}{', exchanged on each topic' if equal else ''}"
            for topics in (10, *SIZES[:2]):
                run = partial(_by_t_test, source, equal, topics)
                yield ClaimWorld("significant by t-test", of, f"{topics} topics", run)


def _all_at_once(
    source: Callable[[], np.ndarray],
    equal: bool,
    claim: str,
    topics: int,
    repetitions: int,
    seed: int,
) -> Said:
    population = source()
    if equal:
        population = population - population.mean(axis=1, keepdims=True) + population.mean()
    samples = drawn_samples(population, topics, repetitions, seed)
    pairs = (SystemPairs.of(scores, DRAWS, r) for r, scores in enumerate(samples))
    return _claims_of_pairs(pairs, population.mean(axis=1), claim, repetitions)


def _by_t_test(
    source: Callable[[], np.ndarray], equal: bool, topics: int, repetitions: int, seed: int
) -> Said:
    population, rng = source(), np.random.default_rng(seed)
    one, other = np.triu_indices(len(population), 1)
    means = np.zeros(len(population)) if equal else population.mean(axis=1)
    apart = means[one] - means[other]
    true = np.sign(np.where(np.abs(apart) > TOLERANCE, apart, 0.0))
    wrong, right = np.zeros((2, repetitions), dtype=bool)
    for r, scores in enumerate(drawn_samples(population, topics, repetitions, seed)):
        scores = rng.permuted(scores, axis=0) if equal else scores
        t, p = paired_t(scores[one] - scores[other])
        said = adjust(np.where(np.isnan(p), 1.0, p), "holm") < SIGNIFICANT
        wrong[r] = (said & (np.sign(t) != true)).any()
        right[r] = (said & (np.sign(t) == true)).any()
    return wrong.astype(float), right


def _claims_of_pairs(
    samples: Iterator[SystemPairs], truth: np.ndarray, claim: str, repetitions: int
) -> Said:
    best, direction = int(truth.argmax()), truth[:, None] - truth
    direction = np.sign(np.where(np.abs(direction) > TOLERANCE, direction, 0.0))
    wrong, right = np.zeros((2, repetitions), dtype=bool)
    for r, pairs in enumerate(samples):
        if claim == "excluded":
            excluded = pairs.every.deviations.p_best <= MOST
            wrong[r], right[r] = excluded[best], excluded.any() and not excluded[best]
        else:
            sign, true = pairs.significant_sign(), direction[pairs.first, pairs.second]
            wrong[r] = ((sign != 0) & (sign != true)).any()
            right[r] = ((sign != 0) & (sign == true)).any()
    return wrong.astype(float), right


def _of_designs() -> Iterator[ClaimWorld]:
    """Systems on items of clusters and data sets, with repeats, of 0 and 1; equal, and apart."""
    for name, (size, draw) in designs.designs().items():
        for equal, claim in product((False, True), ("excluded", "significant")):
            of = f"simulated: {name}{', equal systems' if equal else ''}"
            run = partial(_of_drawn, draw, designs.means_of(name, equal), claim)
            yield ClaimWorld(claim, of, size, run)


def _of_drawn(
    draw: designs.Drawn, means: np.ndarray, claim: str, repetitions: int, seed: int
) -> Said:
    rngs = (np.random.default_rng([seed, r]) for r in range(repetitions))
    pairs = (SystemPairs.of(draw(rng, means), DRAWS, r) for r, rng in enumerate(rngs))
    return _claims_of_pairs(pairs, means, claim, repetitions)


def _orders(data: Path | None) -> Iterator[ClaimWorld]:
    for name, source in ordered_populations(data).items():
        for topics in (halves.FEWEST_TOPICS, *SIZES[:2]):
            run = partial(_fewer_in_order, source, topics)
            yield ClaimWorld("in order", name, f"{topics} topics", run)


def _fewer_in_order(source: Callable, topics: int, repetitions: int, seed: int) -> Said:
    true, _, least = in_order(source(), topics, repetitions, seed).T
    return (true < least).astype(float), true >= least


def in_order(population: np.ndarray, topics: int, repetitions: int, seed: int) -> np.ndarray:
    """(repetitions, 3) shares of pairs in the order of all topics: true, said, the least said."""
    means = population.mean(axis=1)
    found = np.empty((repetitions, 3))
    sizes = [size for size in halves.SIZES if size < topics // 2] + [topics // 2]
    for r, scores in enumerate(drawn_samples(population, topics, repetitions, seed)):
        taus = {m: np.nanmean(halves.tau_of_halves(scores, m, HALVES, r)) for m in sizes}
        tau_of = halves.tau_with_truth(halves.weights_of(taus), topics)
        found[r] = (1 + tau_b(scores.mean(axis=1), means)) / 2, *halves.in_order(tau_of)
    return found


# --- workers --------------------------------------------------------------------------------------


def _workers() -> Iterator[ClaimWorld]:
    worlds = {
        "simulated: one of four tosses coins, values from 0 to 10": _slid,
        "simulated: one of four tosses coins, one document in ten relevant": _voted,
    }
    for name, given in worlds.items():
        for documents in (crowd.FEWEST, 25, 100):
            run = partial(_agrees, given, documents)
            yield ClaimWorld("agrees", name, f"{documents} documents", run)


def _slid(latent: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(5 + 2 * latent), 0, 10)


def _voted(latent: np.ndarray) -> np.ndarray:
    return (latent > norm.ppf(0.9)).astype(float)


def _agrees(given: Callable, documents: int, repetitions: int, seed: int) -> Said:
    rng, workers = generator(seed, "claims", "workers", str(documents)), 4
    names = pd.MultiIndex.from_product(
        [[f"w{w}" for w in range(workers)], ["t"], [f"d{d:03d}" for d in range(documents)]],
        names=["worker", "topic", "docno"],
    ).to_frame(index=False)
    wrong, right = np.zeros((2, repetitions), dtype=bool)
    for r in range(repetitions):
        latent = 0.8 * rng.normal(0, 1, documents) + 0.6 * rng.normal(0, 1, (workers, documents))
        latent[0] = rng.normal(0, 1, documents)
        found = crowd.worker_table(pa.Table.from_pandas(names.assign(value=given(latent).ravel())))
        agrees = (found["tau"] > 0) & (found["p"] < crowd.SIGNIFICANCE) & ~found["disagrees"]
        tosses = found["worker"] == "w0"
        wrong[r], right[r] = (agrees & tosses).any(), (agrees & ~tosses).any()
    return wrong.astype(float), right


# --- sets of labels -------------------------------------------------------------------------------


def _sets() -> Iterator[ClaimWorld]:
    for what, errors in (("three sets alike", (ERROR,) * 3), ("one of two better", (0.2, ERROR))):
        for topics in (10, 20):
            run = partial(_tells_less, errors, topics)
            yield ClaimWorld("tells less", f"simulated: {what}", f"{topics} topics", run)


def _tells_less(errors: tuple[float, ...], topics: int, repetitions: int, seed: int) -> Said:
    rng = generator(seed, "claims", "sets", str(topics), str(errors))
    wrong, right = np.zeros((2, repetitions), dtype=bool)
    for r in range(repetitions):
        found, apart = held_beside(made_sets(rng, topics, 6, errors))
        none = pd.DataFrame(columns=["over", *KEYS, "set", "low", "high"])
        ranked = ranked_sets(found, none, apart)
        error = dict(zip((f"s{number}" for number in range(len(errors))), errors, strict=True))
        best, others = error[ranked["set"].iloc[0]], ranked["set"].map(error)
        said = ranked["p"] < SIGNIFICANCE
        wrong[r], right[r] = (said & (others <= best)).any(), (said & (others > best)).any()
    return wrong.astype(float), right

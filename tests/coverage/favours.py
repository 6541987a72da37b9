"""Worlds of judges and families of systems: favour, without and with a compressed scale.

Made systems have a quality by family, an interaction with topics, and errors of each label set: by
system, and common to the systems of a family, as akin systems retrieve the same documents.  All
intervals hold, or the sample counts as one that does not: the pair of judge and family that is
nearest to an end, or furthest beyond it, stands for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np

import regrade
from regrade.favours.effects import (
    COMPARABLE,
    NEIGHBOURS,
    FavourScores,
    at_equal_quality,
    beside_others,
    effects_at_once,
    quality_gap,
)
from regrade.favours.families import families_of
from regrade.favours.shared_scores import measured_scores, shared_labels
from regrade.label_sets import LabelSet
from regrade.measures import parse
from regrade.significance.discrimination import SIGNIFICANCE
from tests.coverage import World
from tests.coverage.topics import Ends, sized

SIZES = (15, 25, 50, 150)
FEW, MANY = SIZES[:3], SIZES[1::2]
DRAWS = 500
"""Draws of topics for each sample; the library has 10,000."""

FAMILIES = {"a": (2, 0.71), "b": (3, 0.72), "c": (5, 0.73), "d": (8, 0.75), "e": (12, 0.66),
            "f": (30, 0.69)}  # fmt: skip
"""Made families: systems, and mean quality."""

WEAK = {**FAMILIES, "e": (12, 0.48)}
"""The same, where one family is far below all others."""

FAVOUR = 0.05


@dataclass(frozen=True)
class Labelling:
    """How a made judge labels: level and slope of its scores, a ceiling, favour for a family."""

    bias: float = 0.0
    slope: float = 1.0
    ceiling: bool = False
    favour: float = 0.0
    family: str = "d"
    heavy: bool = False
    families: tuple[tuple[str, tuple[int, float]], ...] = tuple(FAMILIES.items())

    def scores(self, true: np.ndarray) -> np.ndarray:
        """A judge's scores without errors, of true ones."""
        if self.ceiling:
            true = 1 - np.log1p(np.exp(8 * (1 - true))) / 8
        return self.bias + self.slope * true


def worlds(data: Path | None = None) -> list[World]:
    """Intervals at equal quality less the control, and beside all other systems."""
    families = "families of 2 to 30 systems, three judges at once"
    made = {
        "no favour": (Labelling(), SIZES),
        "no favour, heavy tails": (Labelling(heavy=True), FEW),
        "a biased judge on a compressed scale": (Labelling(0.3, 0.6), SIZES[1:]),
        "a judge with a ceiling": (Labelling(ceiling=True), SIZES[1:]),
    }
    every = [
        sized("favour", f"simulated: {name}, {families}", partial(_at_once, how), sizes)
        for name, (how, sizes) in made.items()
    ]
    name = f"simulated: no favour, beside all systems, {families}"
    every.append(sized("favour", name, partial(_plain, Labelling()), MANY))
    for family, (systems, _) in FAMILIES.items():
        if family in "adf":
            how = Labelling(0.1, 0.8, favour=FAVOUR, family=family)
            name = f"simulated: favour of {FAVOUR:g} for a family of {systems}, one pair"
            every.append(sized("favour", name, partial(_one, how), MANY))
    if data is not None:  # more topics than there are would be in a sample several times
        for name, run in (("at equal quality", _real_equal), ("beside all systems", _real_plain)):
            of = f"TREC 2019 DL: seven judges, seven families, less two people, {name}"
            every.append(sized("favour", of, partial(run, data), FEW))
    return [world for some in every for world in some]


def claims() -> Iterator[tuple[str, str, str, Callable]]:
    """That a judge favours or disfavours a family at equal quality, less the control."""
    made = {
        "simulated: no favour": Labelling(),
        "simulated: a biased judge on a compressed scale": Labelling(0.3, 0.6),
        "simulated: a judge with a ceiling, one family far below the others": Labelling(
            ceiling=True, families=tuple(WEAK.items())
        ),
        f"simulated: favour of {FAVOUR:g} for a family of 8": Labelling(
            0.1, 0.8, favour=FAVOUR, families=tuple(FAMILIES.items())
        ),
    }
    for name, how in made.items():
        for topics in SIZES[1:]:
            yield "favour", name, f"{topics} topics", partial(_claimed, how, topics)
    of_own = {"no favour": Labelling(), f"each judge favours its own by {FAVOUR:g}": None}
    for (name, how), topics in product(of_own.items(), SIZES[1:3]):
        run = partial(_own_claimed, how, topics)
        yield "own family", f"simulated: five judges, {name}", f"{topics} topics", run


def members_of(how: Labelling) -> np.ndarray:
    """(F, S) which made systems are of which family."""
    sizes = [systems for _, (systems, _) in how.families]
    return np.repeat(np.eye(len(sizes), dtype=bool), sizes, axis=1)


def drawn(how: Labelling, topics: int, rng: np.random.Generator, judges: int = 3) -> FavourScores:
    """Scores under a reference, judges, and two controls."""
    own = members_of(how)
    quality = [mean for _, (_, mean) in how.families] @ own
    quality = quality + np.random.default_rng(5).normal(0, 0.05, len(quality))
    shape = topics, len(quality)
    true = quality + rng.normal(0, 0.15, (topics, 1)) + rng.normal(0, 0.12, shape)

    def errors(count: int) -> np.ndarray:
        size = (count, topics, len(own))
        common = rng.standard_t(3, size) / 3**0.5 if how.heavy else rng.normal(0, 1, size)
        return 0.04 * common @ own + rng.normal(0, 0.08, (count, *shape))

    is_favoured = own[[family for family, _ in how.families].index(how.family)]
    of_judges = how.scores(true) + how.favour * is_favoured + errors(judges)
    return FavourScores(true + errors(1)[0], of_judges, true + errors(2))


def _less(scores: FavourScores) -> np.ndarray:
    return scores.judges - scores.reference - scores.control_differences()


def _worst(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[float, float, float]:
    """The pair of judge and family that is nearest to an end, or furthest beyond it."""
    truth, low, high = (np.broadcast_to(one, low.shape).ravel() for one in (truth, low, high))
    worst = np.argmin(np.minimum(truth - low, high - truth))
    return truth[worst], low[worst], high[worst]


def _runs(of: Callable, topics: int, repetitions: int, seed: int) -> Ends:
    rng = np.random.default_rng([seed, topics])
    return tuple(np.array([of(topics, rng, r) for r in range(repetitions)]).T)


def _at_once(how: Labelling, topics: int, repetitions: int, seed: int) -> Ends:
    def of(topics: int, rng: np.random.Generator, r: int) -> tuple[float, float, float]:
        scores = drawn(how, topics, rng)
        equal = at_equal_quality(_less(scores), scores.reference, members_of(how))
        effects = effects_at_once(equal.by_topic, equal.value, DRAWS, r)
        return _worst(np.zeros(1), effects.low, effects.high)

    return _runs(of, topics, repetitions, seed)


def _plain(how: Labelling, topics: int, repetitions: int, seed: int) -> Ends:
    def of(topics: int, rng: np.random.Generator, r: int) -> tuple[float, float, float]:
        scores = drawn(how, topics, rng)
        by_topic = beside_others(_less(scores), scores.reference, members_of(how))
        effects = effects_at_once(by_topic, None, DRAWS, r)
        return _worst(np.zeros(1), effects.low, effects.high)

    return _runs(of, topics, repetitions, seed)


def _one(how: Labelling, topics: int, repetitions: int, seed: int) -> Ends:
    family = [name for name, _ in how.families].index(how.family)

    def of(topics: int, rng: np.random.Generator, r: int) -> tuple[float, float, float]:
        scores = drawn(how, topics, rng, judges=1)
        equal = at_equal_quality(_less(scores), scores.reference, members_of(how))
        pair = np.s_[:1, family : family + 1]
        effects = effects_at_once(equal.by_topic[pair], equal.value[pair], DRAWS, r)
        return how.favour, effects.low[0, 0], effects.high[0, 0]

    return _runs(of, topics, repetitions, seed)


def _claimed(
    how: Labelling, topics: int, repetitions: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    rng, own = np.random.default_rng([seed, topics]), members_of(how)
    family = [name for name, _ in how.families].index(how.family)
    wrong, right = np.zeros(repetitions), np.zeros(repetitions, dtype=bool)
    for r in range(repetitions):
        scores = drawn(how, topics, rng)
        equal = at_equal_quality(_less(scores), scores.reference, own)
        effects = effects_at_once(equal.by_topic, equal.value, DRAWS, r)
        is_comparable = np.abs(quality_gap(scores.reference, own)) <= COMPARABLE
        said = (effects.p < SIGNIFICANCE) & is_comparable
        if not how.favour:
            wrong[r] = said.any()
            continue
        # the other families are beside favoured systems: of these nothing is known
        right[r] = (said & (effects.value > 0))[:, family].any()
        wrong[r] = (said & (effects.value < 0))[:, family].any()
    return wrong, right


OWN = ("b", "c", "d", "e", "f")
"""The families of five judges."""


def _own_claimed(
    how: Labelling | None, topics: int, repetitions: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Of each judge and its own family, among these pairs alone; ``None``: all favour theirs."""
    rng, own = np.random.default_rng(seed), members_of(how or Labelling())
    places = [list(FAMILIES).index(family) for family in OWN]
    said = np.zeros(repetitions, dtype=bool)
    for r in range(repetitions):
        scores = drawn(how or Labelling(), topics, rng, judges=len(OWN))
        if how is None:
            scores.judges[:] += FAVOUR * own[places][:, None]
        equal = at_equal_quality(_less(scores), scores.reference, own)
        pairs = np.arange(len(OWN)), places
        by_topic, value = equal.by_topic[pairs], equal.value[pairs]
        effects = effects_at_once(by_topic[:, None], value[:, None], DRAWS, r)
        said[r] = (effects.p < SIGNIFICANCE).any()
    return said * float(how is not None), said & (how is None)


@cache
def _dl19(data: Path) -> tuple[FavourScores, np.ndarray]:
    """Of all 43 topics: scores, and which systems are in which family."""
    folder = data / "dl19"
    runs = regrade.read_runs(str(folder / "runs" / "*.gz"))
    files = [folder / "qrels.gz", *sorted((folder / "judges").glob("*.gz"))]
    reference, *judges = (
        LabelSet(file.name, one.table, one.likely_scale)
        for file in files
        for one in [regrade.read_qrels(file)]
    )
    people = regrade.read_judgments(folder / "judgments.tsv.gz")
    controls = LabelSet("people", people.table, people.likely_scale).by_worker()
    shared = shared_labels(reference, judges, controls, runs.ranked.topics)
    of = measured_scores(shared, runs.ranked, parse("nDCG@10"))
    families = families_of(folder / "families.txt", of.systems)
    return of.scores, families.members(of.systems)


def _real_equal(data: Path, topics: int, repetitions: int, seed: int) -> Ends:
    """The truth is of the systems that a sample's topics show nearest in quality."""
    scores, own = _dl19(data)
    less, mean = _less(scores), scores.reference.mean(axis=0)
    within = mean - mean @ _means(own)
    slope = less.mean(axis=1) @ within / (mean @ within)
    true = less.mean(axis=1) - slope[:, None] * mean

    def of(topics: int, rng: np.random.Generator, r: int) -> tuple[float, float, float]:
        drawn_topics = rng.integers(0, len(scores.reference), topics)
        reference = scores.reference[drawn_topics]
        equal = at_equal_quality(less[:, drawn_topics], reference, own)
        effects = effects_at_once(equal.by_topic, equal.value, DRAWS, r)
        every = np.repeat(true[:, None], topics, axis=1)
        truth = beside_others(every, reference, own, NEIGHBOURS).mean(axis=2)
        return _worst(truth, effects.low, effects.high)

    return _runs(of, topics, repetitions, seed)


def _means(own: np.ndarray) -> np.ndarray:
    """(S, S) what gives each system the mean of its family."""
    return own.T @ (own / own.sum(axis=1, keepdims=True))


def _real_plain(data: Path, topics: int, repetitions: int, seed: int) -> Ends:
    scores, own = _dl19(data)
    by_topic = beside_others(_less(scores), scores.reference, own)

    def of(topics: int, rng: np.random.Generator, r: int) -> tuple[float, float, float]:
        effects = effects_at_once(by_topic[:, :, rng.integers(0, by_topic.shape[2], topics)],
                                  None, DRAWS, r)  # fmt: skip
        return _worst(by_topic.mean(axis=2), effects.low, effects.high)

    return _runs(of, topics, repetitions, seed)

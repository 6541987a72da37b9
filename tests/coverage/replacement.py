"""Worlds of a judge in place of people: intervals of its lines, and its verdict.

A made world is a population of topics, of which a sample is drawn: documents of a true relevance,
labelled by the reference, a judge and two further people, each with errors of its own, and systems
that rank them.  Of claims the margins are set to the truth, where a yes is wrong most often, or the
judge is a further person of the same process, of whom a no is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

import regrade
from regrade.correlations import tau_ap
from regrade.kendall import tau_b
from regrade.replacement.annotators import alternative_test
from regrade.replacement.label_lines import DIFFERENCE as AGREEMENT
from regrade.replacement.label_lines import effective_topics, mean_alphas
from regrade.replacement.margins import (
    NO,
    YES,
    Line,
    Margins,
    drawn_ends,
    judged_lines,
    verdict_of,
)
from regrade.replacement.system_lines import (
    DIFFERENCE,
    SystemScores,
    beside_second,
    changed_shares,
    level_and_spread,
    overlap,
)
from tests.coverage import World
from tests.coverage.topics import DRAWS, SIZES, drawn_times, sized

TOPICS, DOCUMENTS, SYSTEMS = 1500, 40, 20
"""Of a made population."""

EPSILON = 0.2
TOP = 5
CONFIDENCE = 0.95
TRUTHS = 2000
"""Samples by which what rankings are on average is known."""


@dataclass(frozen=True, eq=False)
class Population:
    """Topics of which samples are drawn.

    Attributes
    ----------
    joints_judge, joints_people : array of float64, shape (pairs, T, 4, 4)
        Joint counts of the judge and each person, and of pairs of people.
    sums, counts : array of float64, shape (T,)
        Of the alternative annotator test.
    scores : array of float64, shape (R, S, T)
        Under the reference, the judge and two further people.
    """

    joints_judge: np.ndarray
    joints_people: np.ndarray
    sums: np.ndarray
    counts: np.ndarray
    scores: np.ndarray

    def sample(self, topics: np.ndarray) -> Population:
        """Some topics."""
        joints = self.joints_judge[:, topics], self.joints_people[:, topics]
        scores = np.ascontiguousarray(self.scores[:, :, topics])
        return Population(*joints, self.sums[topics], self.counts[topics], scores)

    @property
    def size(self) -> int:
        """How many topics."""
        return self.scores.shape[2]


@cache
def made(judge_error: float = 0.7, shift: float = 0.0, systems: int = SYSTEMS) -> Population:
    """A population whose people err by 0.7, and whose judge errs by so much and is more lenient."""
    rng = np.random.default_rng(7)
    true = rng.normal(rng.normal(0, 0.5, (TOPICS, 1)), 1, (TOPICS, DOCUMENTS))
    errors, shifts = (0.7, judge_error, 0.7, 0.7), (0.0, shift, 0.0, 0.0)
    labels = np.stack([
        np.digitize(true + rng.normal(0, error, true.shape) + by, [0, 0.7, 1.4])
        for error, by in zip(errors, shifts, strict=True)
    ])  # fmt: skip
    quality = rng.uniform(0.4, 2.0, systems)
    order = np.argsort(
        -(true[None] + rng.normal(0, 1, (systems, *true.shape)) * quality[:, None, None]), axis=2
    )[:, :, :10]
    discounts = 1 / np.log2(np.arange(10) + 2)
    scores = np.empty((4, systems, TOPICS))
    for r, own in enumerate(labels):
        ideal = (np.sort(own, axis=1)[:, ::-1][:, :10] * discounts).sum(1)
        gains = np.take_along_axis(np.broadcast_to(own, (systems, *own.shape)), order, 2)
        scores[r] = (gains * discounts).sum(2) / np.maximum(ideal, 1e-9)
    return _population(labels.reshape(4, -1), np.repeat(np.arange(TOPICS), DOCUMENTS), scores)


def _population(labels: np.ndarray, topic: np.ndarray, scores: np.ndarray) -> Population:
    """Of (R, D) labels: the reference's, the judge's, two further people's."""
    topics = int(topic.max()) + 1

    def joint(one: int, other: int) -> np.ndarray:
        counts = np.zeros((topics, 4, 4))
        np.add.at(counts, (topic, labels[one].astype(int), labels[other].astype(int)), 1)
        return counts

    people = labels[[0, 2, 3]].T.astype(float)
    test = alternative_test(labels[1].astype(float), people, "nab", topic, EPSILON)
    with_judge = np.stack([joint(one, 1) for one in (0, 2, 3)])
    among = np.stack([joint(*two) for two in ((0, 2), (0, 3), (2, 3))])
    return Population(with_judge, among, test.sums, test.counts, scores)


@cache
def dl19(data: Path) -> Population:
    """NIST, GPT-4o by UMBRELA and two further people, on the 43 topics of TREC 2019."""
    from regrade.label_sets import LabelSet
    from regrade.replacement.shared import ReplacementLabels
    from regrade.run_arrays import Judged
    from regrade.scoring import score

    folder = data / "dl19"
    files = ["qrels.gz", "judges/gpt-4o-umbrela.qrels.gz"]
    sets = [LabelSet(file, regrade.read_qrels(str(folder / file)).table) for file in files]
    crowd = regrade.read_judgments(str(folder / "judgments.tsv.gz"))
    shared = ReplacementLabels.of_people(*sets, crowd=LabelSet("people", crowd.table))
    ranked = regrade.read_runs(str(folder / "runs" / "*.gz")).ranked
    scores = np.stack([
        score(ranked, Judged.from_table(shared.table(name), ranked), ["nDCG@10"],
              max_grade=3, topics=shared.topics).values[:, :, 0]
        for name in shared.names
    ])  # fmt: skip
    return _population(shared.grades.T, shared.topic, scores)


# --- lines ----------------------------------------------------------------------------------------


def agreement_line(name: str, of: Population, weights: np.ndarray) -> tuple[np.ndarray, Line]:
    """Values of all weights, and the line: α, or the advantage over people."""
    T = of.size
    effective = None
    if name == "alpha":
        values = np.arange(4.0)
        both = (
            mean_alphas(joints, values, weights, "ordinal")
            for joints in (of.joints_judge, of.joints_people)
        )
        value = next(both) - next(both)
    else:
        value = (weights @ of.sums) / (weights @ of.counts)
        effective = effective_topics(of.counts)
    ends = drawn_ends(value[0], value[1:-T], T, AGREEMENT, value[-T:], effective)
    return value, Line(name, "", np.nan, np.nan, value[0], ends)


STATISTICS = {
    "tau": tau_b,
    "tau_ap": tau_ap,
    "top": lambda first, second: overlap(first, second, TOP),
}


def system_line(name: str, of: Population, weights: np.ndarray) -> Line:
    """One of the lines of systems."""
    topics = tuple(map(str, range(of.size)))
    scores = SystemScores("m", tuple(map(str, range(of.scores.shape[1]))), topics, of.scores,
                          weights)  # fmt: skip
    if name in STATISTICS:
        values = scores.beside_reference(STATISTICS[name])
        return beside_second(name, "m", values, 1.0, of.size)
    if name == "pairs":
        return beside_second(name, "m", changed_shares(scores, 0.05, "none"), 0.0, of.size)
    return level_and_spread(scores)[("level", "spread").index(name)]


def line_of(name: str, of: Population, rng: np.random.Generator, draws: int = DRAWS) -> Line:
    """A line of a sample, as the library makes it."""
    T = of.size
    drawn = np.vstack([np.ones((1, T)), drawn_times(rng, T, draws)])
    if name in ("alpha", "epsilon"):
        return agreement_line(name, of, np.vstack([drawn, 1 - np.eye(T)]))[1]
    return system_line(name, of, drawn)


def truth_of(name: str, population: Population, topics: int, rng: np.random.Generator) -> float:
    """What a line is of: the population's value, or the mean over samples of as many topics."""
    if name in ("alpha", "epsilon"):
        T = population.size
        weights = np.ones((1, T))
        if name == "epsilon":
            return float(population.sums.sum() / population.counts.sum())
        both = (
            mean_alphas(joints, np.arange(4.0), weights, "ordinal")[0]
            for joints in (population.joints_judge, population.joints_people)
        )
        return float(next(both) - next(both))
    if name == "level":
        return float((population.scores[1] - population.scores[0]).mean())
    once = np.ones((1, topics))
    values = [
        system_line(name, population.sample(rng.integers(0, population.size, topics)), once).value
        for _ in range(TRUTHS)
    ]
    return float(np.exp(np.mean(np.log(values)))) if name == "spread" else float(np.mean(values))


def _ends(name: str, source: Callable, topics: int, repetitions: int, seed: int) -> tuple:
    population, rng = source(), np.random.default_rng([seed, topics])
    ends = np.empty((repetitions, 2))
    for r in range(repetitions):
        sample = population.sample(rng.integers(0, population.size, topics))
        ends[r] = line_of(name, sample, rng).ends(CONFIDENCE)
    return np.full(repetitions, truth_of(name, population, topics, rng)), *ends.T


def worlds(data: Path | None = None) -> Iterator[World]:
    """Intervals of the lines."""
    sources = {
        "simulated: a judge as people are": made,
        "simulated: a judge that errs more and is lenient": partial(made, 1.0, 0.4),
    }
    if data is not None:
        sources["TREC 2019 DL: GPT-4o's UMBRELA and two people"] = partial(dl19, data)
    what = {
        "alpha": (AGREEMENT, "α less people's"),
        "epsilon": (AGREEMENT, "advantage over people"),
        "tau": (DIFFERENCE, "τ_b less a second person's"),
        "tau_ap": (DIFFERENCE, "τ_ap less a second person's"),
        "top": (DIFFERENCE, f"overlap of the first {TOP} less a second person's"),
        "pairs": (DIFFERENCE, "pairs changed less a second person's"),
        "spread": ("ratio_of_spreads", "ratio of standard deviations"),
    }
    for name, (interval, text) in what.items():
        for source, population in sources.items():
            if name in ("tau_ap", "top") and population is made:
                continue  # as the others
            if name == "pairs" and source.startswith("TREC"):
                continue  # takes minutes
            yield from sized(interval, f"{source}, {text}", partial(_ends, name, population))


# --- claims ---------------------------------------------------------------------------------------

LINES = ("alpha", "epsilon", "tau", "tau_ap", "top", "level", "spread", "pairs")
CLAIM_DRAWS = 200


def claims(data: Path | None = None) -> Iterator[tuple[str, str, str, Callable]]:
    """Claim, name, size and run of each world; a run gives what is wrong and what is right."""
    for topics in SIZES:
        size = f"{topics} topics"
        worse = partial(made, 1.0, 0.4)
        for name in LINES if topics < SIZES[-1] else ():
            text = f"simulated: a judge at the margin of {name}, the other margins wide"
            yield "replaces", text, size, partial(_at_margin, (name,), YES, worse, topics)
        text = "simulated: a judge at all margins at once"
        yield "replaces not", text, size, partial(_at_margin, LINES, NO, worse, topics)
        text = "simulated: a second person of the same process"
        yield "replaces not", text, size, partial(_second_person, NO, topics)
        text = "simulated: a second person of the same process"
        yield "replaces", text, size, partial(_second_person, YES, topics)


def _margins(
    names: tuple[str, ...], population: Population, topics: int, rng: np.random.Generator
) -> Margins:
    """The truth is the margin of some lines; those of the others are wide."""
    wide = dict.fromkeys(LINES, 9.0)
    for name in names:
        truth = truth_of(name, population, topics, rng)
        wide[name] = max(truth, 1 / truth) - 1 if name == "spread" else abs(truth)
    return Margins(**wide, favour=None)


def _words(
    population: Population,
    topics: int,
    margins: Margins,
    repetitions: int,
    rng: np.random.Generator,
    names: tuple[str, ...] = LINES,
) -> list[str]:
    words = []
    for _ in range(repetitions):
        sample = population.sample(rng.integers(0, population.size, topics))
        lines = [line_of(name, sample, rng, CLAIM_DRAWS) for name in names]
        words.append(verdict_of(one.verdict for one in judged_lines(lines, margins)))
    return words


def _at_margin(
    names: tuple[str, ...], word: str, source: Callable, topics: int, repetitions: int, seed: int
) -> tuple:
    rng = np.random.default_rng([seed, topics])
    population = source()
    margins = _margins(names, population, topics, rng)
    # lines with wide margins are within them
    words = np.array(_words(population, topics, margins, repetitions, rng, names))
    return (words == word).astype(float), np.zeros(repetitions, dtype=bool)


def _second_person(word: str, topics: int, repetitions: int, seed: int) -> tuple:
    rng = np.random.default_rng([seed, topics])
    words = np.array(_words(made(), topics, Margins(favour=None), repetitions, rng))
    said = words == word
    return said * (word == NO), said & (word == YES)

"""Worlds of panels of judges: the effective number of judges, and panels compared with judges.

Simulated judges give the people's grade and an error, rounded to the scale; errors of two judges
have a known correlation.  Of rounded labels the truth is that of very many topics.  Real judges
label all topics of a collection, of which topics are drawn with replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy.stats import norm

from regrade.api.sets import read_qrels, read_runs
from regrade.evaluations.judges_question import judges_beside
from regrade.favours.effects import CONTROL, REFERENCE, contrasts
from regrade.favours.families import families_of
from regrade.label_sets import LabelSet
from regrade.measures import parse_all
from regrade.panels.controls import free_covariances
from regrade.panels.effective import (
    KINDS,
    ErrorCovariance,
    effective_number,
    score_covariances,
    symmetric,
)
from regrade.panels.errors import PanelLabels, panel_labels
from regrade.panels.growth import PanelOptions, Panels, Resampled
from regrade.panels.panel import (
    BEST_JUDGE,
    DROPPED,
    contrast_curves,
    effective_ends,
    has_interval,
)
from tests.coverage import World

LEVELS = 4
HOW = PanelOptions(resamples=200)
SIZES = (25, 50, 150)
NOISE = (0.0, 0.25, 0.25, 0.3, 0.3, 0.3)
"""The share of each judge's labels that are at random, where one judge is much better."""

MANY = (15, 4000)
"""Samples, and topics of each, of the truth of rounded labels."""

Ends = tuple[np.ndarray, np.ndarray, np.ndarray]


def worlds(data: Path | None = None) -> list[World]:
    """All of them; those of DL-21 only where the data are."""
    of_people = [*_noisy_people(), *_scores()]
    return [*_simulated(), *_sampled(), *of_people, *_real(data), *_contrasts(data)]


# --- simulated judges -----------------------------------------------------------------------------


def correlated(judges: int, rho: float | None) -> np.ndarray:
    """A root of the errors' correlations: ρ of any two, or (``None``) two blocks of copies."""
    if rho is None:
        return np.repeat(np.eye(2), [judges // 2, judges - judges // 2], axis=0)
    own, shared = np.sqrt(1 - rho) * np.eye(judges), np.full((judges, 1), np.sqrt(rho))
    return np.hstack([own, shared])


def simulated(
    topics: int, judges: int, rho: float | None, rng: np.random.Generator, share: float = 1.0
) -> PanelLabels:
    """Labels of 20 to 60 documents a topic; errors of labels and of topics are correlated alike.

    With a `share` below 1, people label so many of the documents, relevant ones more often.
    """
    root = correlated(judges, rho)
    documents = rng.integers(20, 61, topics)
    topic = np.repeat(np.arange(topics), documents)
    level = rng.normal(0, 0.7, topics)[topic] + rng.normal(0, 1.0, len(topic))
    people = np.clip(np.floor(level + 1.2), 0, LEVELS - 1)
    spread = rng.gamma(8, 1 / 8, topics)[topic]
    errors = root @ rng.normal(size=(root.shape[1], len(topic))) * spread * 0.8
    errors += 0.4 * (root @ rng.normal(size=(root.shape[1], topics)))[:, topic]
    values = np.clip(np.rint(people + errors), 0, LEVELS - 1)
    names = tuple(f"{t:05}" for t in range(topics))
    inclusion = None
    if share < 1:
        inclusion = np.clip(share * (0.5 + values[0] / 2), 0, 1)
        people = np.where(rng.random(len(topic)) < inclusion, people, np.nan)
    docno = np.arange(len(topic)).astype(str).astype(object)
    of_judges = tuple(map(str, range(judges)))
    return PanelLabels(names, topic, docno, people, values, of_judges, LEVELS, inclusion)


def of_kind(labels: PanelLabels, kind: str) -> ErrorCovariance:
    """The covariances of one kind of error of labels."""
    return next(one for one in labels.covariances if one.kind == kind)


@cache
def truth(judges: int, rho: float | None) -> dict[str, float]:
    """n_eff of very many topics, by kind of error."""
    rng, (samples, topics) = np.random.default_rng(0), MANY
    drawn = [simulated(topics, judges, rho, rng).covariances for _ in range(samples)]
    return {
        kinds[0].kind: float(effective_number(np.mean([one.value for one in kinds], axis=0)))
        for kinds in zip(*drawn, strict=True)
    }


def _ends(draw: Callable, kind: str, true: Callable, topics: int, repetitions: int, seed: int):
    rng = np.random.default_rng(seed)
    found = [effective_ends(of_kind(draw(topics, rng=rng), kind)) for _ in range(repetitions)]
    return np.full(repetitions, true()[kind]), *np.transpose(found)


PANELS = {
    "2 judges, ρ 0.3": (2, 0.3),
    "5 judges, ρ 0.5": (5, 0.5),
    "10 judges, ρ 0": (10, 0.0),
    "30 judges, ρ 0.3": (30, 0.3),
    "10 judges in two blocks of copies": (10, None),
}


def _simulated() -> Iterator[World]:
    for name, (judges, rho) in PANELS.items():
        draw = partial(simulated, judges=judges, rho=rho)
        for kind in ("grade", "document", "topic"):
            of = partial(_ends, draw, kind, partial(truth, judges, rho))
            for size in SIZES:
                world = f"simulated: {name}: {kind}"
                yield World("effective_judges", world, f"{size} topics", partial(of, size))


def _sampled() -> Iterator[World]:
    """Human labels of a third of the documents."""
    for judges, rho in ((5, 0.5), (30, 0.3)):
        draw = partial(simulated, judges=judges, rho=rho, share=1 / 3)
        for kind in ("grade", "document", "topic"):
            of = partial(_ends, draw, kind, partial(truth, judges, rho))
            for size in SIZES:
                world = f"simulated: {judges} judges, ρ {rho:g}, a third labelled by people: {kind}"
                yield World("effective_judges", world, f"{size} topics", partial(of, size))


# --- people who err -------------------------------------------------------------------------------

NOISE_OF_PEOPLE = {"two people": 0.6, "two people who err more": 0.9}
"""Standard deviation of a person's error of a label."""


def by_people(labels: PanelLabels, sd: float, rng: np.random.Generator) -> PanelLabels:
    """The labels of two people who err independently, each on topics alike too."""
    true, topics = labels.people, len(labels.topics)
    people = np.stack([
        np.clip(np.rint(true + rng.normal(0, sd, len(true))
                        + rng.normal(0, sd / 3, topics)[labels.topic]), 0, LEVELS - 1)
        for _ in range(2)
    ])  # fmt: skip
    return replace(labels, people=people[0], controls=people[1:])


def mean_of_people(sd: float) -> np.ndarray:
    """(L,) the mean label of people by the true grade."""
    own = norm(scale=np.hypot(sd, sd / 3))
    edges = np.arange(LEVELS - 1) + 0.5
    return np.array([own.sf(edges - grade).sum() for grade in range(LEVELS)])


def free(labels: PanelLabels, kind: str) -> ErrorCovariance:
    """The covariances of one kind of error free of people's errors."""
    return next(one for one in free_covariances(labels) if one.kind == kind)


@cache
def truth_about_people(judges: int, rho: float | None, sd: float) -> dict[str, float]:
    """n_eff of very many topics, of errors about the mean of people."""
    rng, (samples, topics), mean = np.random.default_rng(0), MANY, mean_of_people(sd)
    drawn = []
    for _ in range(samples):
        labels = simulated(topics, judges, rho, rng)
        about = replace(labels, people=mean[labels.people.astype(int)])
        drawn.append(about.moments.covariances)
    return {
        kinds[0].kind: float(effective_number(np.mean([one.value for one in kinds], axis=0)))
        for kinds in zip(*drawn, strict=True)
    }


def _noisy_people() -> Iterator[World]:
    for people, sd in NOISE_OF_PEOPLE.items():
        for judges, rho in ((2, 0.3), (5, 0.5), (10, 0.0)):

            def run(
                kind: str, size: int, judges: int, rho: float, sd: float, repetitions: int,
                seed: int,
            ) -> Ends:  # fmt: skip
                rng = np.random.default_rng(seed)
                found = [
                    effective_ends(
                        free(by_people(simulated(size, judges, rho, rng), sd, rng), kind), CONTROL
                    )
                    for _ in range(repetitions)
                ]
                true = truth_about_people(judges, rho, sd)[kind]
                return np.full(repetitions, true), *np.transpose(found)

            for size in SIZES:
                world = f"simulated: {people}, {judges} judges, ρ {rho:g}: document"
                of = partial(run, "document", size, judges, rho, sd)
                yield World("effective_judges", world, f"{size} topics", of)


# --- scores of systems ----------------------------------------------------------------------------

SYSTEMS = 30


def simulated_scores(
    topics: int, judges: int, rho: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """(J, T, S) errors of scores beside each of two people, who err as much as a judge."""
    root = correlated(judges, rho)
    spread = rng.gamma(8, 1 / 8, (topics, 1))
    errors = np.tensordot(root, rng.normal(size=(root.shape[1], topics, SYSTEMS)), axes=1) * spread
    people = rng.normal(size=(2, topics, SYSTEMS)) * spread
    return errors - people[0], errors - people[1]


def _scores() -> Iterator[World]:
    """Free of people's errors, truths are those of the correlation."""

    def run(size: int, judges: int, rho: float, repetitions: int, seed: int) -> Ends:
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(repetitions):
            of, _ = score_covariances(*simulated_scores(size, judges, rho, rng))
            found.append(effective_ends(of, CONTROL))
        true = judges / (1 + (judges - 1) * rho)
        return np.full(repetitions, true), *np.transpose(found)

    for judges, rho in ((2, 0.3), (5, 0.5), (10, 0.1)):
        for size in SIZES:
            world = f"simulated: scores, two people, {judges} judges, ρ {rho:g}: score"
            of = partial(run, size, judges, rho)
            yield World("effective_judges", world, f"{size} topics", of)


# --- real judges ----------------------------------------------------------------------------------


@cache
def deep_learning(data: Path, year: int = 21) -> Panels:
    """DL-21: 23 judges beside NIST, 63 runs; DL-19: 7 judges, two further people, 61 runs."""
    folder = data / f"dl{year}"
    qrels, runs = read_qrels(folder / "qrels.gz"), read_runs(folder / "runs")
    files = [*(folder / "judges").glob("*.gz"), *(folder / "rerankers").glob("*.gz")]
    judges, _ = judges_beside({p.name.split(".qrels")[0]: p for p in sorted(files)}, qrels)
    people = [read_qrels(p).on_levels() for p in sorted(folder.glob("people-*.gz"))]
    controls = [LabelSet(one.name, one.table, qrels.likely_scale) for one in people]
    labels = panel_labels(
        LabelSet.on_levels("NIST", qrels.table, LEVELS), judges, controls=controls
    )
    return Panels(labels, runs.ranked, parse_all(["nDCG@10"]), HOW)


def drawn_labels(labels: PanelLabels, drawn: np.ndarray) -> PanelLabels:
    """The labels of drawn topics, each of which may come several times."""
    places = [np.flatnonzero(labels.topic == t) for t in range(len(labels.topics))]
    rows = np.concatenate([places[t] for t in drawn])
    topic = np.repeat(np.arange(len(drawn)), [len(places[t]) for t in drawn])
    names = tuple(f"{t:05}" for t in range(len(drawn)))
    own = labels.people[rows], labels.values[:, rows]
    return PanelLabels(
        names, topic, labels.docno[rows], *own, labels.judges, labels.levels,
        controls=labels.controls[:, rows] if len(labels.controls) else labels.controls,
    )  # fmt: skip


def score_errors(panels: Panels, people: np.ndarray) -> np.ndarray:
    """(J, T, S) errors of scores beside people's (S, T)."""
    own = [panels.of((j,)).scores[0] - people for j in panels.every]
    return np.stack(own).transpose(0, 2, 1)


def family_contrasts(data: Path, year: int) -> np.ndarray:
    """(F, S) of the families of a year's runs."""
    systems = deep_learning(data, year).ranked.systems
    return contrasts(families_of(data / f"dl{year}" / "families.txt", systems).members(systems))


def _of_population(
    one: ErrorCovariance, topics: int, errors: np.ndarray | None, others: np.ndarray | None
) -> np.ndarray:
    """Σ where the topics of the sample are all that there are."""
    if one.kind == "topic":
        return one.value * (topics - 1) / topics
    if one.kind == "system":
        means, other = (own.mean(axis=1) for own in (errors, others))
        means, other = (own - own.mean(axis=1, keepdims=True) for own in (means, other))
        return symmetric(means @ other.T)
    return one.value


def _real(data: Path | None) -> Iterator[World]:
    if data is None:
        return

    def covariance(kind: str, beside: str, panels: Panels, year: int, drawn: np.ndarray):
        """Σ of drawn topics, and its errors of scores beside one or two people."""
        if kind not in ("score", "system", "family"):
            labels = drawn_labels(panels.labels, drawn)
            return (free if beside == CONTROL else of_kind)(labels, kind), None, None
        one = other = score_errors(panels, panels.people_scores[0])[:, drawn]
        if beside == CONTROL:
            other = score_errors(panels, panels.control_scores[0])[:, drawn]
        some = score_covariances(one, other, family_contrasts(data, year))
        return next(c for c in some if c.kind == kind), one, other

    def run(kind: str, beside: str, year: int, size: int, repetitions: int, seed: int) -> Ends:
        panels = deep_learning(data, year)
        topics = len(panels.labels.topics)
        whole, *errors = covariance(kind, beside, panels, year, np.arange(topics))
        true = float(effective_number(_of_population(whole, topics, *errors)))
        rng = np.random.default_rng(seed)
        found = [
            effective_ends(
                covariance(kind, beside, panels, year, rng.integers(0, topics, size))[0], beside
            )
            for _ in range(repetitions)
        ]
        return np.full(repetitions, true), *np.transpose(found)

    sources = [
        ("TREC 2021 DL, 23 judges", 21, REFERENCE),
        ("TREC 2019 DL, 7 judges, two people", 19, CONTROL),
    ]
    for name, year, beside in sources:
        for kind in (kind for kind in KINDS if has_interval(kind, beside)):
            for size in (25, 50, 100):
                of = partial(run, kind, beside, year, size)
                yield World("effective_judges", f"{name}: {kind}", f"{size} topics", of)


# --- panels compared with judges ------------------------------------------------------------------


def _contrasts(data: Path | None) -> Iterator[World]:
    """The panel less the best judge of other topics, and less a judge that others drop."""

    def simulated_panels(size: int, rng: np.random.Generator, noise: tuple = ()) -> Panels:
        labels = simulated(size, 6, 0.4, rng)
        values = labels.values.copy()
        for own, share in zip(values, noise, strict=False):
            is_noise = rng.random(values.shape[1]) < share
            own[is_noise] = rng.integers(0, LEVELS, is_noise.sum())
        return Panels(replace(labels, values=values), how=HOW)

    def real_panels(size: int, rng: np.random.Generator) -> Panels:
        whole = deep_learning(data)
        drawn = rng.integers(0, len(whole.labels.topics), size)
        panels = Panels(drawn_labels(whole.labels, drawn), whole.ranked, whole.measures, HOW)
        singles = [(j,) for j in panels.every]
        rest = [tuple(k for k in panels.every if k != j) for j in panels.every]
        for panel in (*singles, *rest, panels.every):
            panels.keep(panel, whole.of(panel).of_topics(drawn))
        vars(panels)["people_scores"] = tuple(one[:, drawn] for one in whole.people_scores)
        vars(panels)["scored"] = Resampled.of(panels.labels.topics, HOW.resamples, HOW.seed)
        return panels

    def run(draw: Callable, contrast: str, key: tuple, size: int, repetitions: int, seed: int):
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(repetitions):
            panels = draw(size, rng)
            curve = contrast_curves(panels, contrast)[key]
            found.append((curve.value, *curve.chosen_ends(key[0], panels.how.folds)))
        values, low, high = np.transpose(found)
        return np.full(repetitions, values.mean()), low, high

    alpha, tau = ("alpha", ""), ("tau", "nDCG@10")
    sources = [
        ("simulated: 6 equally good judges", simulated_panels, [alpha]),
        ("simulated: 6 judges, one much better", partial(simulated_panels, noise=NOISE), [alpha]),
    ]
    if data is not None:
        sources.append(("TREC 2021 DL, 23 judges", real_panels, [alpha, tau]))
    for name, draw, keys in sources:
        for contrast, what in ((BEST_JUDGE, "the best judge"), (DROPPED, "a judge dropped")):
            for key in keys:
                for size in (25, 50, 100):
                    world = f"{name}: {what}, {'α' if key == alpha else 'τ_b'}"
                    of = partial(run, draw, contrast, key, size)
                    yield World("chosen_panel", world, f"{size} topics", of)

"""Worlds of real collections beside TREC 2021 DL: all they have is the population.

TREC-8's 50 topics, the topics and units of UC3M's crowd, and the thirty models and 25 topics of
LLMJudge; of each as many as said are drawn with replacement.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

import regrade
from regrade.aggregation import aggregate
from regrade.choices import DEPTH
from regrade.evaluations.label_agreement import agreement_of_many
from regrade.intervals import INTERVALS
from regrade.magnitudes.pairs import around_units, order_counts, raised, resampled_medians
from regrade.pools.options import Pooling
from regrade.pools.pooling import make_pool
from regrade.randomness import generator
from regrade.run_arrays import Judged
from regrade.scales import Scale
from regrade.scoring import score
from regrade.trust.named_cuts import EQUAL_WIDTHS
from regrade.trust.searches import RankedInput
from tests.coverage import World
from tests.coverage.magnitudes import DRAWS, TRUTHS, mean_share, pair_shares
from tests.coverage.topics import (
    Ends,
    agreements,
    chosen,
    differences_of_two,
    joints_of,
    mean_ends,
    on_shared_topics,
    rankings_of_two,
    sized,
)


def worlds(data: Path | None = None) -> list[World]:
    """All of them, where `data` is there."""
    if data is None:
        return []
    return [*_trec8(data), *_uc3m(data), *_llmjudge(data)]


# --- TREC-8: topics -------------------------------------------------------------------------------


def _trec8(data: Path) -> Iterator[World]:
    for measure in ("AP", "P@10"):
        source = partial(_trec8_scores, data, measure)
        yield from differences_of_two(f"TREC-8: {measure} of two systems", source)
    both = partial(_trec8_pools, data)
    yield from rankings_of_two("TREC-8: AP by all labels and by a pool of depth 5", both)


@cache
def _trec8_runs(data: Path) -> regrade.Runs:
    return regrade.read_runs(str(data / "trec8" / "runs" / "input.*.gz"))


@cache
def _trec8_scores(data: Path, measure: str) -> np.ndarray:
    """(S, T) of 129 systems on 50 topics."""
    qrels = str(data / "trec8" / "qrels.gz")
    return regrade.score(qrels, _trec8_runs(data), measure).scores.values[:, :, 0]


@cache
def _trec8_pools(data: Path) -> tuple[np.ndarray, np.ndarray]:
    ranked = _trec8_runs(data).ranked
    judged = Judged.from_table(regrade.read_qrels(data / "trec8" / "qrels.gz").table, ranked)
    reduced = make_pool(ranked, Pooling(DEPTH, 5)).reduce(judged)
    return on_shared_topics(*(score(ranked, labels, ["AP"]) for labels in (judged, reduced)))


# --- UC3M: topics and units -----------------------------------------------------------------------


def _uc3m(data: Path) -> Iterator[World]:
    yield from agreements("UC3M: NIST and a crowd's grades", partial(_uc3m_joints, data))
    source = partial(_uc3m_alpha, data)
    for gain, what in ((True, "gain over equal widths"), (False, "α")):
        name = f"UC3M: {what}, sliders by votes, mean over units (h2)"
        yield from sized("chosen_cut", name, partial(chosen, source, gain))
    name = "UC3M: sliders' order of NIST's grades, units of five documents"
    yield World("share_over_units", name, "20 topics", partial(_uc3m_units, data))


@cache
def _uc3m_judgments(data: Path) -> pd.DataFrame:
    frame = pd.read_csv(data / "uc3m2011" / "judgments.tsv.gz", sep="\t", dtype=str)
    frame = frame[frame["status"] == "Accepted"].astype({"value": float})
    return frame.assign(unit=frame["run"] + "-" + frame["unit"])


def _uc3m_table(data: Path, *runs: str) -> pa.Table:
    frame = _uc3m_judgments(data)
    names = ["topic", "docno", "worker", "unit", "value"]
    return regrade.read_judgments(frame.loc[frame["run"].isin(runs), names]).table


def _uc3m_nist(data: Path) -> pa.Table:
    return regrade.read_qrels(data / "uc3m2011" / "nist-gold.qrels").table


@cache
def _uc3m_joints(data: Path) -> np.ndarray:
    return joints_of(_uc3m_nist(data), aggregate(_uc3m_table(data, "1"), "median", 3), 3)


def _uc3m_alpha(data: Path, rng: np.random.Generator, topics: int) -> tuple:
    places, criterion, fixed = _uc3m_criterion(data)
    drawn = criterion[:, rng.integers(0, criterion.shape[1], topics)]
    return places, drawn, fixed, criterion.mean(axis=1)


@cache
def _uc3m_criterion(data: Path) -> tuple[np.ndarray, np.ndarray, int]:
    """α of every cut into two levels by votes, the mean over a topic's units, on 20 topics."""
    votes = regrade.read_judgments(data / "uc3m2011" / "binary-votes.tsv.gz").table
    sliders = RankedInput(_uc3m_table(data, "2", "3"), Scale.of({"levels": 101}), 2)
    search = sliders.search("h2", aggregate(votes, "majority", 2))
    criterion = np.nan_to_num(search.criteria)  # a fiftieth is undefined, all of extreme cuts
    return search.places, criterion, sliders.named_indices(search)[EQUAL_WIDTHS]


def _uc3m_units(data: Path, repetitions: int, seed: int) -> Ends:
    """Units of each topic are drawn; the truth is the mean share of as many."""
    topics = _uc3m_topics(data)

    def shares(times: list[np.ndarray]) -> np.ndarray:
        return mean_share([_share(*both) for both in zip(topics, times, strict=True)])

    def drawn(rng: np.random.Generator, of: list[np.ndarray], size: int) -> list[np.ndarray]:
        return [rng.multinomial(one.sum(), one / one.sum(), size).astype(np.int64) for one in of]

    every = [np.ones(topic[3].max() + 1, np.int64) for topic in topics]
    rng = generator(seed, "coverage", "units of UC3M")
    truth = float(shares(drawn(rng, every, TRUTHS)).mean())
    ends = []
    units = list(map(len, every))
    for _ in range(repetitions):
        sample = [one[0] for one in drawn(rng, every, 1)]
        estimate = shares([one[None] for one in sample])[0]
        again = zip(topics, drawn(rng, sample, DRAWS), units, strict=True)
        again = mean_share([raised(_share(topic, times), n) for topic, times, n in again])
        ends.append(around_units(estimate, again, units))
    return np.full(repetitions, truth), *np.transpose(ends)


@cache
def _uc3m_topics(data: Path) -> list[tuple[np.ndarray, ...]]:
    """Of each topic: documents' levels, ascending; judgments' values, starts and units."""
    frame = _uc3m_judgments(data)
    levels = _uc3m_nist(data).to_pandas().astype({"topic": str, "docno": str})
    both = frame[frame["run"] != "1"].merge(levels, on=["topic", "docno"])
    found = []
    for _, own in both.sort_values(["topic", "grade", "docno", "value"]).groupby("topic"):
        document = own["docno"].to_numpy()
        starts = np.flatnonzero(np.append(True, document[1:] != document[:-1]))
        level = own["grade"].to_numpy(np.int64)[starts]
        unit = np.unique(own["unit"], return_inverse=True)[1].astype(np.int64)
        starts = np.append(starts, len(own)).astype(np.int64)
        found.append((level, own["value"].to_numpy(), starts, unit))
    return found


def _share(topic: tuple[np.ndarray, ...], times: np.ndarray) -> np.ndarray:
    level, values, starts, unit = topic
    medians = resampled_medians(values, starts, unit, times)
    known = ~np.isnan(medians)
    first = np.where(known, medians, 0.0)
    return pair_shares(order_counts(level, first, level * 1.0, known.astype(np.int64), 3))


# --- LLMJudge: topics and models ------------------------------------------------------------------


def _llmjudge(data: Path) -> Iterator[World]:
    of_median, of_one = partial(_llmjudge_median, data), partial(_llmjudge_one, data)
    for coefficient, name in enumerate(("α", "κ")):
        yield from agreements(
            f"LLMJudge: {name} of people and the thirty's median", of_median, coefficient
        )
        yield from agreements(f"LLMJudge: {name} of people and one model", of_one, coefficient)
    source = partial(_llmjudge_alpha, data)
    yield from sized(
        "chosen_cut",
        "LLMJudge: α, thirty models among themselves (tw1)",
        partial(chosen, source, False),
    )

    def judges(n: int, repetitions: int, seed: int) -> Ends:
        alpha = _llmjudge_alphas(data)
        drawn = np.random.default_rng([seed, n]).integers(0, len(alpha), (repetitions, n))
        return np.full(repetitions, alpha.mean()), *mean_ends(alpha[drawn], "mean_over_judges")

    for n in (INTERVALS["mean_over_judges"].fewest, 30):
        name = "LLMJudge: a model's α with people"
        yield World("mean_over_judges", name, f"{n} judges", partial(judges, n))


@cache
def _llmjudge_people(data: Path) -> pa.Table:
    return regrade.read_qrels(data / "llmjudge" / "human.qrels.gz").table


@cache
def _llmjudge_panel(data: Path) -> pa.Table:
    """The thirty's answers that are on the scale."""
    frame = pd.read_csv(data / "llmjudge" / "judgments.tsv.gz", sep="\t")
    return regrade.read_judgments(frame[frame["value"] <= 3]).table


@cache
def _llmjudge_median(data: Path) -> np.ndarray:
    return joints_of(_llmjudge_people(data), aggregate(_llmjudge_panel(data), "median", 4), 4)


@cache
def _llmjudge_each(data: Path) -> dict[str, np.ndarray]:
    panel = _llmjudge_panel(data).to_pandas()
    return {
        str(worker): joints_of(
            _llmjudge_people(data), aggregate(regrade.read_judgments(own).table, "median", 4), 4
        )
        for worker, own in panel.groupby("worker", observed=True)
    }


def _llmjudge_one(data: Path) -> np.ndarray:
    return _llmjudge_each(data)["willia-umbrela1"]


@cache
def _llmjudge_alphas(data: Path) -> np.ndarray:
    joints = np.stack([of.sum(axis=0) for of in _llmjudge_each(data).values()])
    return agreement_of_many(joints, np.arange(4.0))[:, 0]


def _llmjudge_alpha(data: Path, rng: np.random.Generator, topics: int) -> tuple:
    places, criterion = _llmjudge_criterion(data)
    drawn = criterion[:, rng.integers(0, criterion.shape[1], topics)]
    return places, drawn, 0, criterion.mean(axis=1)


@cache
def _llmjudge_criterion(data: Path) -> tuple[np.ndarray, np.ndarray]:
    panel = RankedInput(_llmjudge_panel(data), Scale.of({"levels": 4}), 2)
    search = panel.search("tw1", None)
    return search.places, search.criteria

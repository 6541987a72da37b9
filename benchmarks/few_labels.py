"""What few labels by people say with a model's values of all documents: docs/results-estimate.md.

    python -m benchmarks.few_labels --data FOLDER [--replays 2000] [--collection dl21]
    python -m benchmarks.few_labels --markdown

Of TREC 2021 DL's sixteen judges, and of TREC-8 with simulated ones; NIST's labels of all documents
are the truth.  A replay chooses some documents with probabilities by importance and estimates what
all labels would have said.  The first call adds to ``benchmarks/few_labels.csv`` what is not yet
there, `BATCH` replays of each judge and number of labels in turn, so that it can be stopped at any
time and called again; the second prints its tables.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import kendalltau
from threadpoolctl import threadpool_limits

from regrade.api.sets import read_qrels, read_runs
from regrade.estimation.estimates import Estimate, LabelledSample, estimate
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Functional, Sum, functionals
from regrade.estimation.grades import features
from regrade.estimation.inclusion import (
    draw_sample,
    guessed_shares,
    importance,
    inclusion_probabilities,
)
from regrade.estimation.replays import full_values
from regrade.kendall import TOLERANCE
from regrade.randomness import generator

KEPT = Path(__file__).with_suffix(".csv")
KEY = ["collection", "design", "share", "judge"]

DESIGNS = {
    "top": ["P(rel={relevant})@10", "DCG@10", "RBP(p=0.8)", "nDCG@10"],
    "deep": ["nDCG@20", "nDCG@50", "AP(rel={relevant})"],
}
"""Measures that are estimated; the choice of documents is aimed at them."""

SHARES = (0.05, 0.2, 0.1, 0.02)
"""Of the documents, on average."""

BATCH = 10
"""Replays between two times of writing."""

NOBODY, NOISE = "no model", "noise"
"""One value for all documents; those of another judge in another order."""

SIMULATED = "simulated"
"""1.2 times the grade, and normal noise of a standard deviation of 0.9, as a grade from 0 to 3."""

OTHER = {"dl21": "gpt-4o-umbrela", "trec8": SIMULATED}
"""Whose values noise has."""

HELD = ["systems_held", "pairs_held", "first_held", "first_may_be", "bias", "first_bias"]
"""What is said with its Monte Carlo error."""

Z = 1.959964


@dataclass(frozen=True, eq=False)
class Collection:
    """Runs, NIST's labels and judges.

    Attributes
    ----------
    data
        The folder of real data.
    name
        Of the collection's folder, of `OTHER`.
    """

    data: Path
    name: str

    @property
    def folder(self) -> Path:
        """Of its files."""
        return self.data / self.name

    @property
    def measures(self) -> dict[str, list[str]]:
        """Of each design; NIST's grades of TREC 2021 DL are relevant from 2 on."""
        relevant = 2 if self.name == "dl21" else 1
        return {
            design: [measure.format(relevant=relevant) for measure in of]
            for design, of in DESIGNS.items()
        }

    @cached_property
    def levels(self) -> int:
        """Of NIST's grades."""
        return int(self.grades.max()) + 1

    @cached_property
    def labels(self) -> pd.DataFrame:
        """NIST's, of all documents."""
        return read_qrels(self.folder / "qrels.gz").table.to_pandas()

    @cached_property
    def _framed(self) -> tuple[Frame, np.ndarray]:
        ranked = read_runs([str(path) for path in sorted((self.folder / "runs").glob("*"))]).ranked
        return Frame.of(self.labels["topic"], self.labels["docno"], ranked)

    @property
    def frame(self) -> Frame:
        """All documents that NIST labelled."""
        return self._framed[0]

    @property
    def places(self) -> np.ndarray:
        """(N,) which row of the labels each document of the frame has."""
        return self._framed[1]

    @cached_property
    def grades(self) -> np.ndarray:
        """(N,) of the frame."""
        return np.maximum(self.labels["grade"].to_numpy(np.int64), 0)[self.places]

    @property
    def judges(self) -> list[str]:
        """Names of the models' files, without their ending; or the simulated one."""
        if self.name == "trec8":
            return [SIMULATED]
        names = (path.name.split(".qrels")[0] for path in (self.folder / "judges").iterdir())
        return sorted(names)

    def values(self, judge: str) -> np.ndarray:
        """(N,) a judge's."""
        if judge == NOBODY:
            return np.zeros(len(self.frame))
        if judge == NOISE:
            return generator(1, NOISE).permutation(self.values(OTHER[self.name]))
        if judge == SIMULATED:
            noise = generator(1, SIMULATED).normal(0.6, 0.9, len(self.frame))
            return np.clip(np.rint(1.2 * self.grades + noise), 0, 3)
        said = read_qrels(self.folder / "judges" / f"{judge}.qrels.gz").table.to_pandas()
        key = ["topic", "docno"]
        both = self.labels[key].merge(said, how="left", on=key)["grade"]
        return both.to_numpy(float)[self.places]


@dataclass(frozen=True, eq=False)
class Cell:
    """One judge, whose values choose documents for the measures of a design.

    Attributes
    ----------
    collection, judge, design
        The names of `Collection.judges`, of `DESIGNS`.
    """

    collection: Collection
    judge: str
    design: str

    @cached_property
    def _of(self) -> list[Functional]:
        return functionals(self.collection.measures[self.design], range(self.collection.levels))

    @cached_property
    def _truths(self) -> list[np.ndarray]:
        frame, grades = self.collection.frame, self.collection.grades
        return [full_values(functional, frame, grades) for functional in self._of]

    @cached_property
    def _values(self) -> np.ndarray:
        return self.collection.values(self.judge)

    @cached_property
    def _features(self) -> np.ndarray:
        return features(self.collection.frame, self._values)

    @cached_property
    def _importance(self) -> np.ndarray:
        shares = guessed_shares(self._values, self.collection.levels)
        return importance(self.collection.frame, shares, self._of)

    def open_at(self, start: int, done: pd.Series) -> list[int]:
        """The design's measures, by place, that lack the replay with a number.

        Parameters
        ----------
        start
            From 0.
        done
            How many replays each measure has.
        """
        names = [str(functional.measure) for functional in self._of]
        return [k for k, name in enumerate(names) if done.get(name, 0) <= start]

    def replays(self, share: float, seeds: range, measures: Sequence[int]) -> pd.DataFrame:
        """A row for each measure: means over replays, and standard deviations of what is held."""
        frame, grades = self.collection.frame, self.collection.grades
        of, truths = [self._of[k] for k in measures], [self._truths[k] for k in measures]
        inclusion = inclusion_probabilities(self._importance, share * len(frame))
        found = []
        for r in seeds:
            start = time.process_time()
            drawn = draw_sample(inclusion, generator(r, "few labels", self.design, self.judge))
            chosen = np.flatnonzero(drawn)
            sample = LabelledSample(inclusion, chosen, grades[chosen])
            estimates = estimate(frame, self._features, sample, of, seed=r)
            seconds = time.process_time() - start
            for functional, one, truth in zip(of, estimates, truths, strict=True):
                alone = people_alone(functional, frame, sample) if functional.is_sum else np.nan
                own = {"labels": len(chosen), "people_width": alone, "seconds": seconds}
                found.append({"measure": str(functional.measure)} | own | held(one, truth))
        by_measure = pd.DataFrame(found).groupby("measure", sort=False)
        spread = by_measure[HELD].std(ddof=0).rename(columns="{}_spread".format)
        table = pd.concat([by_measure.mean(), spread], axis=1).reset_index()
        key = dict(zip(KEY, (self.collection.name, self.design, share, self.judge), strict=True))
        return table.assign(**key, replays=len(seeds))


def together(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Rows of other replays of the same cells put together: means, and their spreads."""
    both = pd.concat([old, new], ignore_index=True) if len(old) else new
    key, means = [*KEY, "measure"], [*new.columns.difference([*KEY, "measure", "replays"])]
    spreads = [f"{name}_spread" for name in HELD]
    both[spreads] = both[spreads] ** 2 + both[HELD].to_numpy() ** 2
    weighted = both[means].multiply(both["replays"], axis=0)
    sums = pd.concat([both[[*key, "replays"]], weighted], axis=1).groupby(key).sum(min_count=1)
    made = sums[means].divide(sums["replays"], axis=0).assign(replays=sums["replays"])
    made[spreads] = np.sqrt(np.maximum(made[spreads] - made[HELD].to_numpy() ** 2, 0))
    return made.reset_index()[[*key, "replays", *means]]


def held(one: Estimate, truth: np.ndarray) -> dict[str, float]:
    """How one estimate lies beside the truth: shares of systems and of pairs, mean widths.

    ``first_…`` are of the system that is estimated to be the best; ``first_may_be`` is whether the
    one that is the best is among those that may be it.
    """
    off, reach = one.values - truth, Z * one.errors + TOLERANCE
    first, second = np.triu_indices(len(truth), 1)
    apart, reach_apart = off[first] - off[second], Z * one.pair_errors(first, second) + TOLERANCE
    best, of_best = int(np.argmax(one.values)), int(np.argmax(truth))
    wider = ndtri(1 - 0.05 / (len(truth) - 1))
    behind = one.values - one.values[of_best]
    ahead = behind > wider * one.pair_errors(np.arange(len(truth)), np.full(len(truth), of_best))
    return {
        "systems_held": (np.abs(off) <= reach).mean(),
        "above": (off < -reach).mean(),
        "below": (off > reach).mean(),
        "systems_width": 2 * reach.mean(),
        "bias": off.mean(),
        "pairs_held": (np.abs(apart) <= reach_apart).mean(),
        "pairs_width": 2 * reach_apart.mean(),
        "tau_b": kendalltau(one.values, truth).statistic,
        "first_held": float(abs(off[best]) <= reach[best]),
        "first_bias": off[best],
        "first_may_be": float(not ahead.any()),
    }


def people_alone(functional: Sum, frame: Frame, sample: LabelledSample) -> float:
    """The mean width of a sum of the same labels, without a model (Horvitz and Thompson)."""
    pi = sample.inclusion[sample.chosen]
    moved = functional.weights(frame.ranks[:, sample.chosen]) * functional.gains[sample.levels]
    variance = moved**2 @ ((1 - pi) / pi**2) / len(frame.topics) ** 2
    return float(2 * Z * np.sqrt(variance).mean())


def kept() -> pd.DataFrame:
    """What was measured."""
    return (
        pd.read_csv(KEPT) if KEPT.exists() else pd.DataFrame(columns=[*KEY, "measure", "replays"])
    )


def main() -> None:
    """Measure, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--collection", default="dl21", choices=OTHER)
    parser.add_argument("--replays", type=int, default=2000)
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=DESIGNS)
    parser.add_argument("--shares", nargs="+", type=float, default=SHARES)
    parser.add_argument("--judges", nargs="+", help="names of files; no model; noise")
    parser.add_argument("--markdown", action="store_true", help="print the tables")
    asked = parser.parse_args()
    if asked.markdown:
        print(tables(kept()))
        return
    collection = Collection(asked.data, asked.collection)
    judges = asked.judges or [*collection.judges, NOBODY, NOISE]
    cells = {
        (design, judge): Cell(collection, judge, design)
        for design, judge in product(asked.designs, judges)
    }
    batches, size = range(0, asked.replays, BATCH), min(BATCH, asked.replays)
    for start, share, (design, judge) in product(batches, asked.shares, cells):
        rows, key = kept(), [collection.name, design, share, judge]
        own = rows[(rows[KEY] == key).all(axis=1)].set_index("measure")
        cell = cells[design, judge]
        if not (measures := cell.open_at(start, own["replays"])):
            continue
        with threadpool_limits(1, "blas"):
            new = cell.replays(share, range(start, start + size), measures)
        together(rows, new).to_csv(KEPT, index=False, float_format="%.8g")
        print(start + size, *key, flush=True)


def tables(rows: pd.DataFrame) -> str:
    """What judges save, then each measure and share: how often intervals held, and how wide."""
    parts = [_saved(rows)]
    for (name, measure, share), own in rows.groupby(["collection", "measure", "share"], sort=False):
        parts += [
            f"### {name}: {measure}, {share:.0%}, {own['labels'].mean():.0f} labels",
            "",
            "| judge | replays | systems held | bias | width | pairs held | width | τ_b |",
            "|---|---|---|---|---|---|---|---|",
        ]
        parts += [
            f"| {row.judge} | {row.replays} | {_with_error(row, 'systems_held')} "
            f"| {row.bias:+.4f} | {row.systems_width:.3f} "
            f"| {_with_error(row, 'pairs_held')} | {row.pairs_width:.3f} "
            f"| {row.tau_b:.3f} |"
            for row in own.itertuples()
        ]
        parts.append("")
    return "\n".join(parts)


def _with_error(row: tuple, name: str) -> str:
    """A share and its Monte Carlo error."""
    error = getattr(row, f"{name}_spread") / np.sqrt(row.replays - 1)
    return f"{getattr(row, name):.1%} ± {error:.1%}"


def _saved(rows: pd.DataFrame) -> str:
    """Labels that reach the width of 5 % with a judge: without a model, and by people alone."""
    own = rows[(rows["collection"] == "dl21") & (rows["design"] == "top")]
    measures = [own[own["measure"] == name] for name in ("P(rel=2)@10", "nDCG@10")]
    lines = [
        "| judge | P@10, width | without it | people alone | nDCG@10, pairs | without it |",
        "|---|---|---|---|---|---|",
    ]
    for judge in sorted({*own["judge"]} - {NOBODY}):
        precision, ratio = (one[one["judge"] == judge].set_index("share") for one in measures)
        single, pairs = precision["systems_width"][0.05], ratio["pairs_width"][0.05]
        found = (
            _labels_for(single, measures[0], "systems_width"),
            _labels_for(single, measures[0], "people_width"),
            _labels_for(pairs, measures[1], "pairs_width"),
        )
        lines.append(
            f"| {judge} | {single:.3f} | {found[0]:.0f} | {found[1]:.0f} "
            f"| {pairs:.3f} | {found[2]:.0f} |"
        )
    return "\n".join([*lines, ""])


def _labels_for(width: float, rows: pd.DataFrame, column: str) -> float:
    """Labels without a model for a width, between those that were measured, on logarithms."""
    rows = rows[rows["judge"] == NOBODY].sort_values(column)
    return float(np.exp(np.interp(np.log(width), np.log(rows[column]), np.log(rows["labels"]))))


if __name__ == "__main__":
    main()

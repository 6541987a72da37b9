"""What few labels by people say of grades and of a model's agreement: docs/results-estimate.md.

    python -m benchmarks.few_agreement --data FOLDER [--replays 70]
    python -m benchmarks.few_agreement --markdown

Of LLMJudge's thirty judges; people's labels of all documents are the truth.  A replay chooses some
documents as `regrade.assign` does without runs, and estimates what all labels would have said.  The
first call writes ``benchmarks/few_agreement.csv``, the second prints its tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from regrade.api.sets import read_judgments, read_qrels
from regrade.estimation.estimates import LabelledSample, learned_shares
from regrade.estimation.frame import Frame
from regrade.estimation.grades import features
from regrade.estimation.inclusion import draw_fixed_sample, inclusion_probabilities
from regrade.estimation.labels import Levels, labels_table
from regrade.randomness import generator

KEPT = Path(__file__).with_suffix(".csv")

SHARES = (0.02, 0.05, 0.1, 0.2)
"""Of the documents that people label."""

GRADES = np.arange(4.0)

KEY = ["quantity", "grade"]

NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Judged:
    """What people, and models, said of the same documents.

    Attributes
    ----------
    data
        The folder of real data.
    """

    data: Path

    @cached_property
    def _framed(self) -> tuple[Frame, np.ndarray, pd.DataFrame]:
        people = read_qrels(self.data / "llmjudge" / "human.qrels.gz").table.to_pandas()
        frame, places = Frame.of(people["topic"], people["docno"], None)
        return frame, places, people

    @property
    def frame(self) -> Frame:
        """All documents."""
        return self._framed[0]

    @cached_property
    def levels(self) -> np.ndarray:
        """(N,) people's."""
        _, places, people = self._framed
        return people["grade"].to_numpy(np.int64)[places]

    @cached_property
    def values(self) -> dict[str, np.ndarray]:
        """(N,) of each model."""
        _, places, people = self._framed
        said = read_judgments(self.data / "llmjudge" / "judgments.tsv.gz").table.to_pandas()
        wide = said.pivot(index=["topic", "docno"], columns="worker", values="value")
        wide = wide.reindex(pd.MultiIndex.from_frame(people[["topic", "docno"]].astype(str)))
        return {str(name): wide[name].to_numpy(float)[places] for name in wide}

    def said(self, name: str, sample: LabelledSample, seed: int = 1) -> pd.DataFrame:
        """The table ``estimates/labels`` of a model."""
        values = self.values[name]
        shares = learned_shares(self.frame, features(self.frame, values), sample, 3, seed)
        return labels_table(Levels(shares, sample, NONE), {name: values}, GRADES)

    def replays(self, name: str, share: float, count: int) -> Iterator[pd.DataFrame]:
        """Each replay's table, with what is true."""
        N = len(self.levels)
        truth = self.said(name, LabelledSample(np.ones(N), np.arange(N), self.levels))["value"]
        inclusion = inclusion_probabilities(np.ones(N), round(share * N))
        for r in range(count):
            rng = generator(r, "few agreement", name, str(share))
            chosen = np.flatnonzero(draw_fixed_sample(inclusion, self.frame.topic, rng))
            sample = LabelledSample(inclusion, chosen, self.levels[chosen])
            yield self.said(name, sample, r).assign(truth=truth, judge=name, labels=len(chosen))


def measured(judged: Judged, name: str, share: float, count: int) -> pd.DataFrame:
    """How the intervals of a judge lie, a row for each quantity."""
    rows = pd.concat(judged.replays(name, share, count))
    off = rows["value"] - rows["truth"]
    rows = rows.assign(
        share=share,
        bias=off,
        off=off.abs(),
        width=rows["high"] - rows["low"],
        below=rows["truth"] < rows["low"] - 1e-12,
        above=rows["truth"] > rows["high"] + 1e-12,
        given=rows["low"].notna(),
        held=rows["truth"].between(rows["low"] - 1e-12, rows["high"] + 1e-12),
    )
    by = rows.groupby(["share", "judge", *KEY], dropna=False, sort=False)
    means = by[
        ["labels", "truth", "bias", "off", "width", "below", "above", "held", "given"]
    ].mean()
    return means.assign(replays=count).reset_index()


def main() -> None:
    """Measure, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--replays", type=int, default=70)
    parser.add_argument("--markdown", action="store_true", help="print the tables")
    asked = parser.parse_args()
    if asked.markdown:
        print(tables(pd.read_csv(KEPT)))
        return
    judged, found = Judged(asked.data), []
    with threadpool_limits(1, "blas"):
        for name in judged.values:
            found += [measured(judged, name, share, asked.replays) for share in SHARES]
            pd.concat(found).to_csv(KEPT, index=False, float_format="%.6g")
            print(name, flush=True)


WORDS = {"share": "share of {:g}", "mean": "mean grade", "equal": "equal labels", "alpha": "α",
         "kappa": "κ", "weighted_kappa": "weighted κ"}  # fmt: skip


def tables(rows: pd.DataFrame) -> str:
    """Of all judges together by number of labels; of each judge's α over all numbers."""
    lines = [
        "| of | labels | held | below | above | bias | width |",
        "|---|---|---|---|---|---|---|",
    ]
    for (quantity, grade), own in rows.groupby(KEY, sort=False, dropna=False):
        for share, of in own.groupby("share"):
            lines.append(
                f"| {WORDS[quantity].format(grade)} | {share:.0%} "
                f"| {' | '.join(f'{of[name].mean():.1%}' for name in ('held', 'below', 'above'))} "
                f"| {of['bias'].mean():+.4f} | {of['width'].mean():.3f} |"
            )
    lines += ["", "| judge | α | held | width, 5% |", "|---|---|---|---|"]
    alphas = rows[rows["quantity"] == "alpha"].sort_values("truth", ascending=False, kind="stable")
    for judge, own in alphas.groupby("judge", sort=False):
        width = own.loc[own["share"] == 0.05, "width"].iloc[0]
        lines.append(
            f"| {judge} | {own['truth'].iloc[0]:.3f} | {own['held'].mean():.1%} | {width:.3f} |"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()

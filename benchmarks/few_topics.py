"""How often intervals of nDCG hold where they are given, and where they are not, of some topics.

    python -m benchmarks.few_topics --data FOLDER [--collection trec8] [--draws 60]

Topics are drawn, then documents of them; NIST's labels of all documents are the truth.  Small
collections are those in which what a model is sure of in a single topic counts most.  A table by
number of topics and share of the labels is printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.few_labels import NOBODY, OTHER, Collection
from regrade.api.sets import read_runs
from regrade.estimation.estimates import FEWEST, MOST_SURE, LabelledSample, estimate
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import functionals
from regrade.estimation.grades import features
from regrade.estimation.inclusion import (
    draw_sample,
    guessed_shares,
    importance,
    inclusion_probabilities,
)
from regrade.estimation.replays import full_values, shares_held
from regrade.randomness import generator

MEASURE = "nDCG@10"

TOPICS = (10, 20, 35, 50)

SHARES = (0.05, 0.1, 0.2)
"""Of the documents, on average."""


def drawn(collection: Collection, draws: int) -> Iterator[dict]:
    """A row for each draw of topics, judge and share: whether intervals are given, and hold."""
    runs = read_runs([str(path) for path in sorted((collection.folder / "runs").glob("*"))])
    labels, levels = collection.labels, collection.levels
    of_frame, topics = np.argsort(collection.places), np.unique(labels["topic"])
    for draw in range(draws):
        rng = generator(draw, "few topics", collection.name)
        kept = rng.choice(topics, TOPICS[draw % len(TOPICS)], replace=False)
        own = np.flatnonzero(labels["topic"].isin(kept))
        frame, places = Frame.of(
            *(labels[name].iloc[own] for name in ("topic", "docno")), runs.ranked
        )
        rows = of_frame[own[places]]
        grades, of = collection.grades[rows], functionals([MEASURE], range(levels))
        truth = full_values(of[0], frame, grades)
        for judge in (OTHER[collection.name], NOBODY):
            values = collection.values(judge)[rows]
            X, aim = features(frame, values), importance(frame, guessed_shares(values, levels), of)
            for share in SHARES:
                inclusion = inclusion_probabilities(aim, share * len(frame))
                chosen = np.flatnonzero(draw_sample(inclusion, rng))
                if len(chosen) < FEWEST:
                    continue
                sample = LabelledSample(inclusion, chosen, grades[chosen])
                (one,) = estimate(frame, X, sample, of, seed=draw)
                systems, pairs = shares_held(one, truth)
                yield {
                    "topics": len(kept),
                    "share": share,
                    "systems given": one.sure <= MOST_SURE,
                    "pairs given": one.sure_of_pairs <= MOST_SURE,
                    "systems": systems,
                    "pairs": pairs,
                }


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of real data")
    parser.add_argument("--collection", default="dl21", choices=OTHER)
    parser.add_argument("--draws", type=int, default=60)
    asked = parser.parse_args()
    with threadpool_limits(1, "blas"):
        rows = pd.DataFrame(drawn(Collection(asked.data, asked.collection), asked.draws))
    for kind in ("systems", "pairs"):
        for names in (["topics"], ["share"], []):
            found = rows.groupby([*names, f"{kind} given"])[kind].agg(["count", "mean", "sem"])
            print(found.to_string(float_format="{:.3f}".format), end="\n\n")


if __name__ == "__main__":
    main()

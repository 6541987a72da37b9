"""τ of drawn magnitudes: `regrade.magnitudes.samples` beside a loop over `score` and scipy."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import kendalltau

from benchmarks.inputs import SEED, drawn, table
from benchmarks.measuring import Measured, Settings, now, timed
from regrade.magnitudes.resampling import (
    TopicMagnitudes,
    drawn_gains,
    one_judgment,
    topic_judgments,
)
from regrade.magnitudes.samples import sample_tables
from regrade.magnitudes.systems import RUNS, GainComparison, ReferenceLabels
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score

MEASURES = ("nDCG(base=2)@10", "ERR(max_rel='topic')@10")
CUTOFF = 10
SAMPLES = 1000


def ours(settings: Settings) -> Measured:
    """τ and orders of the runs and of merged systems; peers have the runs' τ alone."""
    judgments = _magnitudes(settings)
    ranked = RankedLists.from_table(table(settings, "runs"), [j.topic for j in judgments])
    reference = ReferenceLabels("TR2", table(settings, "TR2"), 1)
    comparison = GainComparison(ranked, [reference], judgments, MEASURES, seed=SEED)

    def work(samples: int) -> pd.DataFrame:
        return sample_tables(comparison, samples, 0, settings.threads)["samples"]

    work(2)
    spans, found = timed(lambda: work(SAMPLES), settings.repeats)
    taus = found[found["over"] == RUNS].pivot(index="sample", columns="measure", values="tau")
    return Measured(spans, taus[list(MEASURES)].to_numpy()[drawn(settings, SAMPLES)])


def peer(settings: Settings) -> Measured:
    """The runs' alone, from draws that are made already, on rankings cut at rank 10."""
    judgments = _magnitudes(settings)
    runs = table(settings, "runs")
    top = runs.filter(pc.less_equal(runs["rank"], CUTOFF))
    ranked = RankedLists.from_table(top, [j.topic for j in judgments])
    chosen = drawn(settings, SAMPLES)
    labels = Judged.from_table(table(settings, "TR2"), ranked)
    theirs = score(ranked, labels, MEASURES, max_grade=1).values.mean(axis=1).round(12)
    samples = list(_samples(ranked, judgments, chosen))
    found = []
    start = now()
    for judged in samples:
        own = score(ranked, judged, MEASURES).values.mean(axis=1).round(12)
        found.append([kendalltau(*both).statistic for both in zip(own.T, theirs.T, strict=True)])
    span = (now() - start) / len(chosen) * SAMPLES
    note = f"{len(chosen)} of {SAMPLES:,} samples, extrapolated"
    return Measured([span], np.array(found), note=note)


def _magnitudes(settings: Settings) -> tuple[TopicMagnitudes, ...]:
    """S100 and 1, as the magnitudes of one worker or another."""
    judgments = table(settings, "S100").to_pandas()
    return topic_judgments(judgments.assign(normalised=judgments["value"] + 1))


def _samples(
    ranked: RankedLists, judgments: tuple[TopicMagnitudes, ...], chosen: np.ndarray
) -> Iterator[Judged]:
    """Chosen samples as labels in the codes of the rankings.

    The documents are encoded once: their places in the order of docnos stand for grades.
    """
    with ThreadPoolExecutor(1) as pool:
        batches = drawn_gains(
            judgments, one_judgment, SAMPLES, pool, seed=SEED, what="one judgment"
        )
        gains = np.concatenate(
            [np.concatenate([own[:, :, 0] for own in batch], axis=1) for batch in batches]
        )
    topics = [j.topic for j in judgments for _ in j.docnos]
    docnos = [docno for j in judgments for docno in j.docnos]
    places = np.arange(len(docnos), dtype=np.float64)
    encoded = Judged.from_table(
        pa.table({"topic": topics, "docno": docnos, "grade": places}), ranked
    )
    places = encoded.grades.astype(np.int64)
    for sample in chosen:
        yield replace(encoded, grades=gains[sample, places])

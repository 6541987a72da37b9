"""Expected scores of banded rankings: `regrade.tied_scores` beside a plain loop over ranks."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, log2

import numpy as np

from benchmarks.inputs import drawn, grades_of, rankings
from benchmarks.measuring import Measured, Settings, now, timed
from regrade.run_arrays import JudgedLists
from regrade.tied_scores import score_bands

MEASURES = ("AP", "nDCG", "RBP(p=0.98)")
PHI = 0.98
RHOS = ("1.1", "1.2", "1.4", "1.5", "1.7", "2", "3", "4", "5", "6")


def ours(settings: Settings) -> Measured:
    """The table of expected scores beside the original ones."""
    ranked, judged = rankings(settings)
    lists = JudgedLists.match(ranked, judged, 1)

    def work(rhos):
        return score_bands(ranked, lists, rhos, MEASURES, threads=settings.threads).to_frame()

    work(RHOS[:1])
    spans, table = timed(lambda: work(RHOS), settings.repeats)
    by_measure = table["banded"].to_numpy().reshape(len(MEASURES), -1)  # then ρ, system, topic
    return Measured(spans, by_measure[:, drawn(settings, by_measure.shape[1])].T)


def peer(settings: Settings) -> Measured:
    """Some of the rankings, extrapolated to all; it is given their gains, the bands and R."""
    ranked, judged = rankings(settings)
    gains_of = grades_of(ranked, judged)
    R = list(judged.relevant_counts().values())
    shape = len(RHOS), len(ranked.systems), len(judged.topics)
    sample = np.transpose(np.unravel_index(drawn(settings, int(np.prod(shape))), shape))
    rankings_of = [np.nan_to_num(gains_of(s, t)).tolist() for _, s, t in sample]
    bands = [_bands(Fraction(rho), 1000) for rho in RHOS]
    start = now()
    values = [
        _expected(gains, bands[rho], R[t])
        for gains, (rho, _, t) in zip(rankings_of, sample, strict=True)
    ]
    span = (now() - start) / len(sample) * np.prod(shape)
    note = f"{len(sample)} of {np.prod(shape):,} rankings with a ρ, extrapolated"
    return Measured([span], np.array(values), note=note)


def _bands(rho: Fraction, depth: int) -> list[tuple[int, int]]:
    """First rank of each band, and of the next."""
    starts = [1]
    while starts[-1] <= depth:
        starts.append(ceil(rho * starts[-1]))
    return list(pairwise(starts))


def _expected(gains: list[float], bands: list[tuple[int, int]], R: int) -> tuple[float, ...]:
    """Expected AP (McSherry and Najork 2008), nDCG and RBP of one ranking with binary gains."""
    if not R:
        return 0.0, 0.0, 0.0
    precisions = dcg = rbp = 0.0
    above = 0.0  # relevant documents of earlier bands
    for first, after in bands:
        band = gains[first - 1 : after - 1]
        relevant = sum(band)
        for i in range(first, first + len(band)):
            share = relevant / len(band)
            others = (i - first) * (relevant - 1) / (len(band) - 1) if len(band) > 1 else 0
            precisions += share * (1 + above + others) / i
            dcg += share / log2(1 + i)
            rbp += share * (1 - PHI) * PHI ** (i - 1)
        above += relevant
    ideal = sum(1 / log2(1 + i) for i in range(1, R + 1))
    return precisions / R, dcg / ideal, rbp

"""RBP over its persistence φ: residuals, and the φ nearest to a measure.

yang2019 ch. 4 takes the residual of RBP for the uncertainty of measures that have none.  So it asks
which φ ranks the systems most like AP or nDCG do (§4.4 over all topics, §4.5 per topic).

RBP and its residual are polynomials in φ, RBP(φ) = (1 − φ) Σ_i g_i φ^{i−1}: one pass over a
ranking gives them for every φ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.compiled import njit
from regrade.correlations import rbo_ext_many, tau_b_many
from regrade.errors import ParameterError, check_choice
from regrade.formulas import gain_shares
from regrade.kendall import TOLERANCE
from regrade.measures import Measure, rbp_beside
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.scoring import Scores, highest_grade

PHI_GRID = tuple(thousandth / 1000 for thousandth in range(500, 1000))
"""The φ searched for the nearest (yang2019 §4.5): 0.500 to 0.999 in steps of 0.001."""

COEFFICIENTS = ("tau_b", "rbo")
"""How alike two system rankings are: `regrade.kendall.tau_b`, `regrade.correlations.rbo_ext`."""

EXPECTED_DEPTHS = (2, 5, 10, 20, 50, 100, 200)
"""Expected depths 1 / (1 − φ) of RBP (yang2019 Figure 4.3)."""


def phi_of_depth(depth: float) -> float:
    """φ of the RBP whose user looks at `depth` documents on average, 1 − 1/depth."""
    if not depth > 1:
        raise ParameterError(f"expected depth {depth}: RBP expects more than one document")
    return 1 - 1 / depth


def expected_depth(phis: np.ndarray) -> np.ndarray:
    """How many documents RBP's user looks at on average, 1 / (1 − φ), without rounding dust."""
    return np.round(1 / (1 - phis), 9)


@dataclass(frozen=True, eq=False)
class RBPCurves:
    """RBP and its residual over φ, of S systems on T topics for P values of φ.

    Attributes
    ----------
    rbp
        An RBP; its persistence is not looked at, its gains are those of the curves.
    systems, topics, phis
        What the axes stand for.
    values, residuals
        (S, T, P) float64.
    relevant
        (T,) int64: R, the documents of each topic, retrieved or not, that have a gain.
    """

    rbp: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    phis: tuple[float, ...]
    values: np.ndarray
    residuals: np.ndarray
    relevant: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """The data of Figure 4.1, one row per φ, system and topic.

        Columns ``phi, depth`` (expected, 1 / (1 − φ)), ``system, topic, value, residual``.
        """
        shape = len(self.phis), len(self.systems), len(self.topics)
        phi, system, topic = (index.ravel() for index in np.indices(shape))
        phis = np.array(self.phis)[phi]
        return pd.DataFrame(
            {
                "phi": phis,
                "depth": expected_depth(phis),
                "system": np.array(self.systems, dtype=object)[system],
                "topic": np.array(self.topics, dtype=object)[topic],
                "value": np.moveaxis(self.values, 2, 0).ravel(),
                "residual": np.moveaxis(self.residuals, 2, 0).ravel(),
            }
        )


def rbp_curves(
    ranked: RankedLists,
    judged: Judged,
    phis: Sequence[float],
    measures: Sequence[str | Measure] = ("RBP",),
    *,
    max_grade: float | None = None,
    systems: Sequence[str] | None = None,
) -> list[RBPCurves]:
    """RBP and its residual of every ranking for every φ, with the gains of some measures.

    A measure is set beside the RBP that takes grades as it does (`regrade.measures.rbp_beside`):
    AP(rel=2) beside that of binary gains from grade 2, nDCG beside the graded one.
    """
    bad = [phi for phi in phis if not 0 < phi < 1]
    if bad or not len(phis):
        raise ParameterError(f"φ is {bad or 'missing'}: give numbers between 0 and 1")
    highest = highest_grade(max_grade, judged)
    lists = JudgedLists.match(ranked, judged, highest)
    chosen = ranked.systems if systems is None else sorted(set(systems))
    rows = _positions(ranked.systems, chosen, "system")
    lists = replace(lists, starts=lists.starts[rows], stops=lists.stops[rows])

    grid = np.array(phis, dtype=np.float64)
    # by products, as RBP of one φ is computed: the same bits
    steps = np.broadcast_to(grid, (len(lists.ranks), grid.size))
    powers = np.cumprod(np.vstack([np.ones_like(grid), steps]), axis=0)
    weights = np.ascontiguousarray((1 - grid) * powers[:-1])
    residuals = _polynomials(lists.rows, lists.starts, lists.stops, lists.unjudged, weights)
    residuals += powers[lists.lengths()]
    values: dict[bytes, np.ndarray] = {}  # by gains: of two levels all are the same
    curves = []
    for rbp in dict.fromkeys(map(rbp_beside, measures)):
        gains = np.append(gain_shares(rbp, lists.judged.grades, highest), 0.0)
        key = gains.tobytes()
        if key not in values:
            values[key] = _polynomials(lists.rows, lists.starts, lists.stops, gains, weights)
        names = tuple(chosen), lists.judged.topics, tuple(map(float, phis))
        relevant = lists.topic_sum((gains > 0).astype(np.float64)).astype(np.int64)
        curves.append(RBPCurves(rbp, *names, values[key], residuals, relevant))
    return curves


def tau_by_phi(curves: Sequence[RBPCurves], scores: Scores) -> pd.DataFrame:
    """How alike measures and RBP rank the systems, for each φ (Figure 4.2)."""
    parts = []
    for m, measure in enumerate(scores.measures):
        beside = _curves_of(measure, curves)
        phis = np.array(beside.phis)
        means = _aligned(scores, beside)[:, :, m].mean(axis=1)
        rbp = np.ascontiguousarray(beside.values.mean(axis=1).T)
        columns = {"measure": str(measure), "phi": phis, "depth": expected_depth(phis)}
        columns |= {"tau": tau_b_many(means, rbp), "residual": beside.residuals.mean(axis=(0, 1))}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def nearest_phi(curves: Sequence[RBPCurves], scores: Scores, **how) -> pd.DataFrame:
    """The φ whose RBP ranks the systems most like a measure does, per topic and over all.

    Many φ may be equally near: the correlation changes only where two systems change places.  All
    those within `regrade.kendall.TOLERANCE` of the highest correlation are tied.  `how` is as for
    `nearest_phi_of_parts`.
    """
    return nearest_phi_of_parts([(curves, scores)], **how)


def nearest_phi_of_parts(
    parts: Iterable[tuple[Sequence[RBPCurves], Scores]],
    *,
    coefficients: Sequence[str] = COEFFICIENTS,
    rbo_p: float = 0.9,
) -> pd.DataFrame:
    """`nearest_phi` of all topics, from curves and scores of some topics each."""
    for coefficient in coefficients:
        check_choice("coefficient", coefficient, COEFFICIENTS)
    if not 0 < rbo_p < 1:
        raise ParameterError(f"rbo_p is {rbo_p}: give a number between 0 and 1")
    rows: dict[tuple[str, str], list[tuple]] = {}
    sums: dict[str, list] = {}  # over topics, in their order
    phis: dict[str, np.ndarray] = {}

    def add(measure: str, topic: str, R: int, scores, rbp, residuals) -> None:
        """Add a topic's (S,) scores, (P, S) RBP and (P,) residuals."""
        for coefficient in coefficients:
            if np.ptp(scores) <= TOLERANCE:  # all tie
                likeness = np.full(len(rbp), np.nan)
            elif coefficient == "tau_b":
                likeness = tau_b_many(scores, rbp)
            else:
                likeness = rbo_ext_many(scores, rbp, rbo_p)
            row = measure, coefficient, topic, R, *_nearest(phis[measure], likeness, residuals)
            rows.setdefault((measure, coefficient), []).append(row)

    for curves, scores in parts:
        for m, measure in enumerate(map(str, scores.measures)):
            beside = _curves_of(measure, curves)
            phis[measure] = np.array(beside.phis)
            values = _aligned(scores, beside)[:, :, m]
            residuals = beside.residuals.mean(axis=0)
            for t, topic in enumerate(beside.topics):
                own, rbp = (np.ascontiguousarray(o) for o in (values[:, t], beside.values[:, t].T))
                add(measure, topic, beside.relevant[t], own, rbp, residuals[t])
                total = sums.setdefault(measure, [0, 0, 0.0, 0.0, 0.0])
                of_topic = 1, beside.relevant[t], own, rbp, residuals[t]
                total[:] = [so_far + one for so_far, one in zip(total, of_topic, strict=True)]
    for measure, (topics, relevant, *totals) in sums.items():
        add(measure, ALL_TOPICS, relevant, *(total / topics for total in totals))
    columns = columns_of("residuals/nearest_phi")
    return pd.DataFrame([row for part in rows.values() for row in part], columns=columns)


def summarise_nearest(nearest: pd.DataFrame) -> pd.DataFrame:
    """Strength of the correlations at the nearest φ, and φ against R (Table 4.2)."""
    from scipy.stats import kendalltau  # slow to import

    topics = nearest[nearest["topic"] != ALL_TOPICS]
    rows = []
    for (measure, coefficient), group in topics.groupby(
        ["measure", "coefficient"], sort=False, observed=True
    ):
        r = group["correlation"]
        defined = group[r.notna()]
        phi = defined["phi_lowest"]
        below_08 = int((r < 0.8 - TOLERANCE).sum())
        from_09 = int((r >= 0.9 - TOLERANCE).sum())
        tau = kendalltau(phi, defined["relevant"]) if len(defined) > 1 else (np.nan, np.nan)
        row = {"measure": measure, "coefficient": coefficient, "below_08": below_08}
        row |= {"below_09": len(defined) - below_08 - from_09, "from_09": from_09}
        row |= {"undefined": len(group) - len(defined)}
        rows.append(row | {"tau": tau[0], "p": tau[1], "mean_phi": phi.mean()})
    return pd.DataFrame(rows)


def _positions(names: Sequence[str], wanted: Sequence[str], what: str) -> np.ndarray:
    """Index of each wanted name in `names`."""
    position = {name: i for i, name in enumerate(names)}
    for name in wanted:
        check_choice(what, name, position)
    return np.array([position[name] for name in wanted], dtype=np.int64)


def _aligned(scores: Scores, curves: RBPCurves) -> np.ndarray:
    """(S, T, M) scores of the curves' systems and topics."""
    rows = _positions(scores.systems, curves.systems, "system")
    columns = _positions(scores.topics, curves.topics, "topic")
    return scores.values[rows[:, None], columns]


def _curves_of(measure: Measure, curves: Sequence[RBPCurves]) -> RBPCurves:
    """Those with the measure's gains."""
    rbp = rbp_beside(measure)
    for beside in curves:
        if rbp_beside(beside.rbp) == rbp:
            return beside
    known = ", ".join(str(beside.rbp) for beside in curves)
    raise ParameterError(f"{measure} goes with curves of {rbp}, and these are of {known}")


def _nearest(phis, correlations, residuals):
    """Highest correlation, its φ (lowest, middle, highest), how many, the lowest's residual."""
    if np.isnan(correlations).all():
        return np.nan, np.nan, np.nan, np.nan, 0, np.nan
    best = np.nanmax(correlations)
    tied = np.flatnonzero(correlations >= best - TOLERANCE)
    tied = tied[np.argsort(phis[tied])]
    middle = tied[(tied.size - 1) // 2]
    return best, *phis[[tied[0], middle, tied[-1]]], tied.size, residuals[tied[0]]


@njit(cache=True, nogil=True)
def _polynomials(rows, starts, stops, gains, weights):
    """(S, T, P): Σ wᵢ(φ)·gᵢ over the ranks i of each ranking; weights (n, P)."""
    P = weights.shape[1]
    sums = np.zeros((*starts.shape, P))
    for s in range(starts.shape[0]):
        for t in range(starts.shape[1]):
            total = sums[s, t]
            ranking = rows[starts[s, t] : stops[s, t]]
            for i in range(ranking.size):
                gain = gains[ranking[i]]
                if gain > 0:
                    for p in range(P):
                        total[p] += weights[i, p] * gain
    return sums

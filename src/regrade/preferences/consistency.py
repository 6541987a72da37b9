"""How far preferences are from an order: contradictions, cycles, feedback (yang2019 §5.3.5).

An order of a unit's documents disagrees with a preference whose preferred document stands below
the other.  The least number of preferences that an order must disagree with is the size of a
*minimum feedback arc set*: what would have to be turned for the rest to be transitive.  Ties
disagree with no order.

Exactly: by dynamic programming over sets of documents that stand on top; for larger groups over
each strongly connected component by itself, since preferences between components agree with any
best order; and for components of more than `STATES` documents as an integer program (HiGHS).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.csgraph import connected_components

from regrade.catalogue import columns_of
from regrade.compiled import njit
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.tables import as_table, encode

STATES = 20
"""Documents up to which all 2ⁿ sets are gone through."""

ENUMERATED = 12
"""Documents up to which all best orders are known, and so how many documents each affects."""

LARGEST = 60
"""Documents of a strongly connected component up to which the integer program is tried."""

SECONDS = 60.0

KEYS = ("topic", "worker", "unit")

_NOT_PROVEN = -1


@dataclass(frozen=True)
class Feedback:
    """A best order.

    Attributes
    ----------
    value
        Preferences that it disagrees with; −1 if no best order was found.
    order
        (n,) int: the documents from the most preferred one; of several best orders the one whose
        last document has the highest number, and so on upwards.  Empty if none was found.
    largest
        Documents of the largest strongly connected component.
    """

    value: int
    order: np.ndarray
    largest: int


def minimum_feedback(preferred: np.ndarray, seconds: float = SECONDS) -> Feedback:
    """The fewest preferences that an order of documents disagrees with, and such an order."""
    preferred = np.asarray(preferred)
    counts = preferred.astype(np.int64)
    if (counts != preferred).any() or (counts < 0).any() or np.diag(counts).any():
        raise ParameterError("preferences are counts of 0 or more, and 0 on the diagonal")
    contradictory = int(np.minimum(counts, counts.T).sum()) // 2
    net = np.maximum(counts - counts.T, 0)
    parts = _components(net)
    largest = max((len(part) for part in parts), default=0)
    total, order = contradictory, []
    nothing = np.array([], dtype=np.int64)
    for part in parts:
        best = _best_order(net[np.ix_(part, part)], seconds)
        if best is None:
            return Feedback(_NOT_PROVEN, nothing, largest)
        total += best[0]
        order.append(part[best[1]])
    return Feedback(total, np.concatenate([nothing, *order]), largest)


def consistency(
    preferences: pa.Table | pd.DataFrame, by: Sequence[str] = KEYS, seconds: float = SECONDS
) -> pd.DataFrame:
    """Contradictions, cycles and minimum feedback of each unit."""
    for name in by:
        check_choice("column", name, KEYS)
    table = as_table(preferences)
    if not len(table):
        raise MethodError("there is no preference for which consistency is defined")
    names, rows, documents, *ends = _grouped(table, [n for n in KEYS if n == "topic" or n in by])
    counts = np.empty((len(names), len(_COUNTED)), dtype=np.int64)
    _count_units(rows, documents, *ends, ENUMERATED, counts)
    result = names.assign(**dict(zip(_COUNTED, counts.T, strict=True)), note=None)
    result["preferences"] = np.diff(rows)
    many = result["documents"] > ENUMERATED
    for name in ("feedback", "affected_low", "affected_high"):
        result[name] = result[name].astype(float).mask(many)
    result["note"] = result["note"].astype(object)
    for row in np.flatnonzero(many):
        here = slice(*rows[[row, row + 1]])
        left, right, sign = (of[here] for of in ends)
        preferred = np.zeros((documents[row], documents[row]), dtype=np.int64)
        np.add.at(preferred, (left[sign < 0], right[sign < 0]), 1)
        np.add.at(preferred, (right[sign > 0], left[sign > 0]), 1)
        for name, value in _of_many(preferred, seconds).items():
            result.loc[row, name] = value
    return result[columns_of("preferences/consistency")]


def circular_triads(preferences: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """Triples and cycles of each topic by the majority over all answers to a pair.

    Columns topic, triples (three documents of which each two have a majority) and cycles.
    """
    table = as_table(preferences)
    names, rows, documents, left, right, sign = _grouped(table, ["topic"])
    counts = []
    for topic, n in enumerate(documents):
        here = slice(*rows[[topic, topic + 1]])
        ends = (left[here], right[here])
        net = sparse.coo_array((-sign[here].astype(float), ends), shape=(n, n)).tocsr()
        above = ((net - net.T) > 0).astype(np.int64)
        apart = above + above.T
        walks = (apart @ apart).multiply(apart).sum(), (above @ above).multiply(above.T).sum()
        counts.append((walks[0] // 6, walks[1] // 3))
    triples, cycles = np.array(counts, dtype=np.int64).reshape(-1, 2).T
    return names.assign(triples=triples, cycles=cycles)


def _grouped(table: pa.Table, by: list[str]) -> tuple:
    """Preferences group after group: their names, where each begins, and how many documents it has.

    And of each row the documents, as numbers within the group, and the sign.
    """
    names, codes = zip(*(encode(table[name]) for name in by), strict=True)
    groups, group = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    group, number = group.ravel().astype(np.int64), len(groups)
    frame = pd.DataFrame(dict.fromkeys(KEYS, [None] * number), dtype=object)
    for column, name, values in zip(groups.T, by, names, strict=True):
        frame[name] = np.array([*values.to_pylist(), None], dtype=object)[column]
    columns = (table[name].cast(pa.string()).chunks for name in ("left", "right"))
    docnos, code = encode(pa.chunked_array([chunk for side in columns for chunk in side]))
    known, place = np.unique(np.tile(group, 2) * len(docnos) + code, return_inverse=True)
    documents = np.bincount(known // len(docnos), minlength=number)
    first, rows = (
        np.append(0, np.cumsum(of)) for of in (documents, np.bincount(group, minlength=number))
    )
    order = np.argsort(group, kind="stable")
    left, right = ((side - first[group])[order] for side in np.split(place, 2))
    sign = np.sign(table["strength"].to_numpy()).astype(np.int64)
    return frame, rows, documents, left, right, sign[order]


def _components(net: np.ndarray) -> list[np.ndarray]:
    """Strongly connected components, those first that are preferred to others."""
    n = len(net)
    if not n:
        return []
    number, label = connected_components(sparse.csr_array(net > 0), connection="strong")
    above = np.zeros((number, number), dtype=bool)
    winner, loser = np.nonzero(net)
    above[label[winner], label[loser]] = True
    np.fill_diagonal(above, False)
    # of those with nobody left above them, the one with the lowest document
    lowest = [int(np.flatnonzero(label == part)[0]) for part in range(number)]
    left, parts = list(range(number)), []
    while left:
        free = [part for part in left if not above[left, part].any()]
        part = min(free, key=lowest.__getitem__)
        left.remove(part)
        parts.append(np.flatnonzero(label == part))
    return parts


def _best_order(net: np.ndarray, seconds: float) -> tuple[int, np.ndarray] | None:
    """The least disagreement with net preferences of one component, and an order of it."""
    n = len(net)
    if n <= STATES:
        return _enumerated_order(net)
    return _by_program(net, seconds) if n <= LARGEST else None


def _by_program(net: np.ndarray, seconds: float) -> tuple[int, np.ndarray] | None:
    """The linear ordering problem: x of i < j is 1 where i stands above j."""
    n = len(net)
    i, j = np.triu_indices(n, 1)
    place = np.zeros((n, n), dtype=np.int64)
    place[i, j] = np.arange(len(i))
    a, b = np.repeat(i, n - 1 - j), np.repeat(j, n - 1 - j)
    c = np.concatenate([np.arange(k + 1, n) for k in j])
    row = np.arange(len(a))
    cells = np.concatenate([place[a, b], place[b, c], place[a, c]])
    value = np.repeat([1.0, 1.0, -1.0], len(a))
    matrix = sparse.csr_array((value, (np.tile(row, 3), cells)), shape=(len(a), len(i)))
    done = milp(
        (net[j, i] - net[i, j]).astype(float),
        integrality=np.ones(len(i)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, 0, 1),
        options={"time_limit": seconds, "mip_rel_gap": 0},
    )
    if done.status != 0:
        return None
    above = np.zeros((n, n), dtype=np.int64)
    above[i, j] = np.rint(done.x)
    above[j, i] = 1 - above[i, j]
    order = np.argsort(-above.sum(axis=1), kind="stable")
    turned = np.tril(net[np.ix_(order, order)], -1)
    return int(turned.sum()), order


def _of_many(preferred: np.ndarray, seconds: float) -> dict[str, object]:
    """What the kernel leaves open: groups of more than `ENUMERATED` documents."""
    feedback = minimum_feedback(preferred, seconds)
    row: dict[str, object] = {"largest": feedback.largest}
    if feedback.value == _NOT_PROVEN:
        row["note"] = f"no best order of {feedback.largest} documents in cycles was proven"
        return row
    row["feedback"] = feedback.value
    if feedback.largest > ENUMERATED:
        row["note"] = f"{feedback.largest} documents in cycles: not all best orders are known"
        return row
    net = np.maximum(preferred - preferred.T, 0)
    forced = (np.minimum(preferred, preferred.T) > 0).any(axis=1)
    low = high = 0
    for part in _components(net):
        fewest, most = _affected(
            net[np.ix_(part, part)], forced[part] @ (1 << np.arange(len(part)))
        )
        low, high = low + fewest, high + most
    return {**row, "affected_low": low, "affected_high": high}


# --- kernels ------------------------------------------------------------------------------------

_COUNTED = (
    *("documents", "ties", "pairs", "repeated", "contradictory", "triples", "cycles"),
    *("feedback", "affected_low", "affected_high", "largest"),
)


@njit(cache=False, nogil=True)
def _counts(left, right, sign, n):
    """How often the row's document was preferred; comparisons in the upper triangle."""
    preferred = np.zeros((n, n), dtype=np.int64)
    compared = np.zeros((n, n), dtype=np.int64)
    for k in range(len(sign)):
        i, j = left[k], right[k]
        compared[min(i, j), max(i, j)] += 1
        if sign[k] < 0:
            preferred[i, j] += 1
        elif sign[k] > 0:
            preferred[j, i] += 1
    return preferred, compared


@njit(cache=True, nogil=True)
def _count_units(rows, documents, left, right, sign, enumerated, counts):
    """Everything of each group, feedback of those of at most `enumerated` documents only."""
    for g in range(len(documents)):
        n = documents[g]
        here = slice(rows[g], rows[g + 1])
        preferred, compared = _counts(left[here], right[here], sign[here], n)
        net = np.empty((n, n), dtype=np.int64)
        above, below = np.empty((n, n), dtype=np.int64), np.empty((n, n), dtype=np.int64)
        is_contradicted = np.zeros(n, dtype=np.bool_)
        out = counts[g]
        out[:] = 0
        out[0], out[1] = n, rows[g + 1] - rows[g]
        for i in range(n):
            for j in range(n):
                both = min(preferred[i, j], preferred[j, i])
                is_contradicted[i] |= both > 0
                net[i, j] = preferred[i, j] - both
                above[i, j] = preferred[i, j] > preferred[j, i]
                below[i, j] = preferred[i, j] < preferred[j, i]
                out[1] -= preferred[i, j]
                out[2] += compared[i, j] > 0
                out[3] += compared[i, j] > 1
                out[4] += both
        out[4] //= 2
        # triples with three preferences, and those that go round: walks of three steps
        three, round_ = 0, 0
        for i in range(n):
            for j in range(n):
                if not above[i, j]:
                    continue
                for k in range(n):
                    three += (above[i, k] + below[i, k]) * (above[j, k] + below[j, k])
                    round_ += below[i, k] * above[j, k]
        out[5], out[6] = three // 3, round_ // 3
        if n <= enumerated:
            best, _, _ = _prefixes(net)
            out[7] = out[4] + best[-1]
            out[8], out[9] = _affected(net, _mask(is_contradicted))
            out[10] = _largest_circle(above)


@njit(cache=True, nogil=True, inline="always")
def _largest_circle(above):
    """Documents of the largest strongly connected component, by who reaches whom."""
    n = len(above)
    reach = above.copy()
    for i in range(n):
        reach[i, i] = 1
    for k in range(n):  # Warshall's: on ways through the first k
        for i in range(n):
            if reach[i, k]:
                for j in range(n):
                    reach[i, j] |= reach[k, j]
    largest = 0
    for i in range(n):
        size = 0
        for j in range(n):
            size += reach[i, j] * reach[j, i] > 0
        largest = max(largest, size)
    return largest


@njit(cache=False, nogil=True)
def _prefixes(net):
    """Least disagreement within each set of documents, and what a document below a set costs.

    The cost of v below the set S, Σ_{u ∈ S} net[v, u], is that of S's lower and higher half.
    """
    n = len(net)
    half = n // 2
    low = np.zeros((n, 1 << half), dtype=np.int64)
    high = np.zeros((n, 1 << (n - half)), dtype=np.int64)
    for v in range(n):
        for table, shift in ((low, 0), (high, half)):
            for bit in range(half if shift == 0 else n - half):
                for s in range(1 << bit):
                    table[v, s | 1 << bit] = table[v, s] + net[v, shift + bit]
    best = np.full(1 << n, np.iinfo(np.int64).max)
    best[0] = 0
    for s in range(1 << n):
        lower, higher = s & ((1 << half) - 1), s >> half
        for v in range(n):
            if not s >> v & 1:
                cost = best[s] + low[v, lower] + high[v, higher]
                if cost < best[s | 1 << v]:
                    best[s | 1 << v] = cost
    return best, low, high


@njit(cache=True, nogil=True)
def _enumerated_order(net):
    """The least disagreement, and a best order, found from its end."""
    best, low, high = _prefixes(net)
    n = len(net)
    half = n // 2
    order = np.empty(n, dtype=np.int64)
    s = (1 << n) - 1
    for place in range(n - 1, -1, -1):
        for v in range(n - 1, -1, -1):
            if s >> v & 1:
                rest = s & ~(1 << v)
                cost = low[v, rest & ((1 << half) - 1)] + high[v, rest >> half]
                if best[rest] + cost == best[s]:
                    order[place] = v
                    s = rest
                    break
    return best[-1], order


@njit(cache=False, nogil=True)
def _mask(chosen):
    return np.sum(chosen * (1 << np.arange(len(chosen))))


@njit(cache=True, nogil=True)
def _affected(net, forced):
    """Fewest and most documents that a best order's disagreements touch, `forced` ones counted.

    For each set on top of a best order: which sets of documents can have been touched so far.
    """
    n = len(net)
    best, low, high = _prefixes(net)
    half = n // 2
    if best[-1] == 0:
        count = _bits(forced)
        return count, count
    touched = np.zeros((1 << n, 1 << n), dtype=np.bool_)
    over = np.zeros(n, dtype=np.int64)  # whom v is preferred to
    for v in range(n):
        over[v] = _mask(net[v] > 0)
    touched[0, forced] = True
    masks = np.empty(1 << n, dtype=np.int64)
    for s in range((1 << n) - 1):
        n_masks = 0
        for mask in range(1 << n):
            if touched[s, mask]:
                masks[n_masks] = mask
                n_masks += 1
        for v in range(n):
            if s >> v & 1:
                continue
            cost = low[v, s & ((1 << half) - 1)] + high[v, s >> half]
            if n_masks and best[s] + cost == best[s | 1 << v]:
                new = over[v] & s
                new |= 1 << v if new else 0
                for k in range(n_masks):
                    touched[s | 1 << v, masks[k] | new] = True
    fewest, most = n, 0
    for mask in range(1 << n):
        if touched[-1, mask]:
            fewest, most = min(fewest, _bits(mask)), max(most, _bits(mask))
    return fewest, most


@njit(cache=True, nogil=True, inline="always")
def _bits(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count

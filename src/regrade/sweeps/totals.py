"""What came out of a sweep: systems and pairs over all universes, examples, and facts.

All shares count universes by the weights of their levels: entries of an axis count the same, and so
do the levels of an entry (`regrade.sweeps.axes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.correlations import competition_ranks
from regrade.kendall import TOLERANCE
from regrade.sweeps.options import ALL
from regrade.sweeps.shares import UNDEFINED
from regrade.sweeps.sums import FAR, Sums
from regrade.sweeps.sweep import Block, Sweep

SPLITS = 20
"""Splits of the topics into halves that the baseline's conclusions are held against."""

CONCLUSIONS = {1: "better", 0: "not significant", -1: "worse"}


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums of a whole sweep, and what they are of.

    Attributes
    ----------
    sweep
        The sweep.
    sums
        Over all its universes.
    """

    sweep: Sweep
    sums: Sums

    @cached_property
    def class_weights(self) -> np.ndarray:
        """(G,) float64: how much a label of each class counts."""
        return 1.0 / self.sweep.classes.sizes

    @cached_property
    def labels_under(self) -> np.ndarray:
        """(G, K) int64: how many labels of each class go with each condition."""
        classes, possible = self.sweep.classes, self.sweep.possible
        counts = np.zeros((len(classes.sizes), possible.shape[1]), dtype=np.int64)
        for e, g in enumerate(classes.of):
            counts[g] += possible[e] * classes.sizes[g]
        return counts

    @cached_property
    def weights(self) -> np.ndarray:
        """(G, K) float64: how much each label of a class counts under each condition."""
        return self.class_weights[:, None] * self.sweep.design.conditions.weights

    @cached_property
    def ranking_weights(self) -> np.ndarray:
        """(G, K') float64: the same over all tests, of rankings."""
        tests = self.sweep.design.conditions.tests
        return self.weights.reshape(len(self.weights), -1, tests).sum(axis=2)

    @cached_property
    def total(self) -> float:
        """What all universes count together."""
        return float((self.weights * self.labels_under).sum())

    # --- pairs -----------------------------------------------------------------------------

    def _share(self, weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Σ weights (G, K) · counts (G, K, P) over all; (P,) float64, one class at a time."""
        every = zip(weights, counts, strict=True)
        return sum(own @ of_class.astype(float) for own, of_class in every) / self.total

    def level_shares(self, axis: int) -> tuple[list[str], np.ndarray]:
        """The share of universes with another conclusion, for each entry of an axis."""
        design = self.sweep.design
        if axis == 0:
            classes = self.sweep.classes
            per = self.sweep.possible @ design.conditions.weights * classes.sizes[classes.of]
            names = [labels.entry.text for labels in self.sweep.labels]
            return names, self.sums.of_entry / np.maximum(per, 1)[:, None]
        names, entry = design.conditions.entries(axis - 1)
        own = self.weights * (entry == np.arange(len(names))[:, None, None])  # (n, G, K)
        total = np.einsum("ngk,gk->n", own, self.labels_under)
        baseline, differing = self.sweep.baseline.conclusions, 0
        for g, under in enumerate(self.labels_under[:, :, None]):
            first, second = self.sums.better_first[g], self.sums.better_second[g]
            same = np.where(baseline > 0, first, np.where(baseline < 0, second, 0))
            labels = np.where(baseline == 0, first + second, under - same)
            differing = differing + own[:, g] @ labels.astype(float)
        return names, differing / np.where(total > 0, total, 1.0)[:, None]

    @cached_property
    def swept(self) -> list[int]:
        """The axes, by their places, with several levels in the largest complete factorial."""
        inside = self.sweep.factorials[0]
        counts = [int(self.sweep.counts[inside[0]].sum()), *map(len, inside[1:])]
        return [axis for axis, count in enumerate(counts) if count > 1]

    @cached_property
    def conclusion_shares(self) -> dict[str, np.ndarray]:
        """Shares of the variance of each pair's conclusion, of the largest complete factorial."""
        conditions, sums = self.sweep.design.conditions, self.sums
        inside = self.sweep.factorials[0]
        own = [a.weights[i].astype(float) for a, i in zip(conditions.axes, inside[1:], strict=True)]
        scale, own = [float(w.sum()) for w in own], [w / w.sum() for w in own]
        complete = self.sweep.classes.complete
        v = self.class_weights[complete] / len(inside[0])
        # in the mean over labels, by condition; one class at a time
        y, square = (
            sum(
                weight * (sums.better_first[g].astype(float) + sign * sums.better_second[g])
                for weight, g in zip(v, np.flatnonzero(complete), strict=True)
            )
            for sign in (-1, 1)
        )
        y, square = (of.reshape(*conditions.shape, -1)[np.ix_(*inside[1:])] for of in (y, square))
        count = len(conditions.axes)
        mean, of_square = (_mean_over(of, own, range(count)) for of in (y, square))
        variance = of_square - mean**2
        closed = np.full((count + 1, y.shape[-1]), np.nan)
        without = np.full_like(closed, np.nan)
        squares = np.einsum("g,gap->ap", v, sums.squares[complete].astype(float))
        closed[0] = squares[count] / np.prod(scale) ** 2
        without[0] = _mean_over(y**2, own, range(count))
        for axis in range(count):
            others = [a for a in range(count) if a != axis]
            level = _mean_over(y, own, others).reshape(len(own[axis]), -1)
            closed[axis + 1] = own[axis] @ level**2
            without[axis + 1] = squares[axis] / (np.prod(scale) * scale[axis])
        with np.errstate(invalid="ignore", divide="ignore"):
            none = variance <= UNDEFINED
            first = np.where(none, np.nan, (closed - mean**2) / variance)
            total = np.where(none, np.nan, 1 - (without - mean**2) / variance)
        return {"first_order": first.clip(0, 1), "total": total.clip(0, 1)}

    def pairs(self) -> pd.DataFrame:
        """The table ``sweeps/pairs``."""
        i, j = self.sweep.pairs
        baseline, sums, swap = self.sweep.baseline, self.sums, self.sweep.is_swapped
        higher, lower = (self._share(self.ranking_weights, of) for of in (sums.higher, sums.lower))
        better, worse = (
            self._share(self.weights, of) for of in (sums.better_first, sums.better_second)
        )
        y = np.where(swap, -baseline.conclusions, baseline.conclusions)
        of_rankings = self.labels_under[:, :: self.sweep.design.conditions.tests].sum()
        counts = [of.sum(axis=(0, 1), dtype=np.int64) for of in (sums.higher, sums.lower)]
        tied = np.abs(baseline.means[i] - baseline.means[j]) <= TOLERANCE
        ahead = np.where(swap, counts[1], counts[0])
        table = pd.DataFrame(
            {
                **self.sweep.named_pairs,
                "conclusion": [CONCLUSIONS[c] for c in y.tolist()],
                "scores_higher": np.where(swap, lower, higher),
                "significantly_better": np.where(swap, worse, better),
                "significantly_worse": np.where(swap, better, worse),
                "holds": sums.of_entry.sum(axis=0) == 0,
                "order_holds": np.where(tied, counts[0] + counts[1] == 0, ahead == of_rankings),
            }
        )
        return table.assign(**self._dependence())[columns_of("sweeps/pairs")]

    def _dependence(self) -> dict[str, list]:
        """Which axis a pair's conclusion depends on, and under which entries it is another."""
        total = self.conclusion_shares["total"][self.swept]
        known = ~np.isnan(total).all(axis=0) if len(total) else np.zeros(total.shape[1:], bool)
        shares = {axis: self.level_shares(axis) for axis in self.swept}
        rows = []
        for p, is_known in enumerate(known):
            if not is_known:
                rows.append((None, None, None))
                continue
            at = int(np.argmax(total[:, p]))
            names, share = shares[self.swept[at]]
            own = share[:, p]
            most = np.flatnonzero(own > 0.5)
            most = most if len(most) else np.flatnonzero(own == own.max())[:1]
            where = ", ".join(names[t] for t in most)
            rows.append((self.sweep.design.axes[self.swept[at]], total[at, p], where))
        columns = zip(*rows, strict=True) if rows else ([], [], [])
        return dict(zip(("depends_on", "total", "changed_at"), map(list, columns), strict=True))

    def examples(self) -> pd.DataFrame:
        """The table ``sweeps/examples``: by how many choices it takes, then by baseline rank."""
        baseline, named = self.sweep.baseline, self.sweep.named_pairs
        ranks = dict(zip(self.sweep.systems, competition_ranks(baseline.means), strict=True))
        rows, nearest = [], self.sums.nearest
        # universes of one ranking follow each other, so that each is scored once
        for p in np.lexsort(nearest[:, :0:-1].T).tolist():
            distance, entry, label, k = nearest[p].tolist()
            if distance >= FAR:
                continue
            block = Block(entry, label, label + 1)
            y0, y = int(baseline.conclusions[p]), self._conclusion(block, k, p)
            if self.sweep.is_swapped[p]:
                y0, y = -y0, -y
            first, other = named["system"][p], named["other"][p]
            universe = int(self.sweep.universe_numbers(block)[0][0, k])
            order = distance, ranks[first], ranks[other], first, other
            words = changes(self.sweep, block, k)
            row = first, other, CONCLUSIONS[y0], CONCLUSIONS[y], distance, words, universe
            rows.append((order, row))
        rows = [row for _, row in sorted(rows)]
        return pd.DataFrame(rows, columns=columns_of("sweeps/examples"))

    def _conclusion(self, block: Block, k: int, p: int) -> int:
        conditions = self.sweep.design.conditions
        *key, _, test = conditions.words(k)
        last, known = self.__dict__.get("_last", (None, {}))
        if last != (block, key):
            of_levels = self.sweep.conclude(block, [tuple(key)])
            known = {h: concluded for _, h, _, concluded in of_levels}
            self.__dict__["_last"] = (block, key), known
        return int(known[int(conditions.codes[k, -2])][test][0, p])

    # --- systems ---------------------------------------------------------------------------

    def systems(self) -> pd.DataFrame:
        """The table ``sweeps/systems``."""
        conditions = self.sweep.design.conditions
        every = np.einsum("gk,gksr->sr", self.ranking_weights, self.sums.ranks)
        parts = [self._ranks(every, None, None)]
        names = [labels.entry.text for labels in self.sweep.labels]
        if len(names) > 1:
            for name, counts in zip(names, self.sums.ranks_of_entry, strict=True):
                parts.append(self._ranks(counts, self.sweep.design.first, name))
        for a, axis in enumerate(conditions.axes[:-1]):
            entries, entry = conditions.entries(a)
            for e, name in enumerate(entries if len(entries) > 1 else []):
                own = self.ranking_weights * (entry[:: conditions.tests] == e)
                counts = np.einsum("gk,gksr->sr", own, self.sums.ranks)
                parts.append(self._ranks(counts, axis.name, name))
        return pd.concat(parts, ignore_index=True)

    def _ranks(self, counts: np.ndarray, axis: str | None, entry: str | None) -> pd.DataFrame:
        """Of weights (S, S) of systems and ranks."""
        k = min(self.sweep.design.top, len(counts))
        total = counts.sum(axis=1, keepdims=True)
        if not total.any():
            return pd.DataFrame(columns=columns_of("sweeps/systems"))
        share = counts / total
        reached = np.cumsum(share, axis=1)
        # the least rank that so many are within; sums of shares may stop a last bit below
        ranks = {
            name: 1 + (reached < q - 1e-12).sum(axis=1)
            for name, q in (("q1", 0.25), ("median", 0.5), ("q3", 0.75))
        }
        first = (share > 0).argmax(axis=1) + 1
        last = share.shape[1] - (share[:, ::-1] > 0).argmax(axis=1)
        return pd.DataFrame(
            {
                "system": self.sweep.systems,
                "axis": axis,
                "entry": entry,
                "baseline_rank": competition_ranks(self.sweep.baseline.means),
                "low": first.astype(float),
                **{name: values.astype(float) for name, values in ranks.items()},
                "high": last.astype(float),
                "share_first": share[:, 0],
                "share_top": share[:, :k].sum(axis=1).clip(0, 1),
                "k": k,
            }
        )


def changes(sweep: Sweep, block: Block, k: int) -> str:
    """In which choices a universe differs from the baseline, in words."""
    design = sweep.design
    words = []
    if block.entry != design.baseline_entry:
        labels = sweep.labels[block.entry]
        (cut,) = labels.cuts(block.start, block.stop)
        words.append(f"{design.first}: {labels.entry.text}" + (f" ({cut})" if cut else ""))
    codes = design.conditions.codes
    for a, axis in enumerate(design.conditions.axes):
        if codes[k, a] != codes[design.baseline_condition, a]:
            words.append(f"{axis.name}: {axis.levels[codes[k, a]]}")
    return "; ".join(words)


def _mean_over(values: np.ndarray, own: Sequence[np.ndarray], axes: Iterable[int]) -> np.ndarray:
    """Means over some of the first axes, weighted."""
    for axis in sorted(axes, reverse=True):
        values = np.moveaxis(values, axis, -1) @ own[axis]
    return values


def conclusion_table(totals: Totals) -> pd.DataFrame:
    """Rows of ``sweeps/axes`` of pairs' conclusions."""
    shares, parts = totals.conclusion_shares, []
    for axis in totals.swept:
        columns = {"factorial": 1, "outcome": "conclusion", **totals.sweep.named_pairs}
        columns |= {"axis": totals.sweep.design.axes[axis], "with_axis": None}
        columns |= {name: shares[name][axis] for name in ("first_order", "total")}
        parts.append(pd.DataFrame(columns))
    if not parts:
        return pd.DataFrame(columns=columns_of("sweeps/axes"))
    return pd.concat(parts, ignore_index=True)


# --- facts -------------------------------------------------------------------------------------


def fact_table(totals: Totals, pairs: pd.DataFrame) -> pd.DataFrame:
    """The table ``sweeps/facts``."""
    sweep, halves = totals.sweep, None
    if len(sweep.runs.topics) >= 4 and sweep.design.baseline[sweep.design.axes[-2]] == ALL:
        counts = []
        for split in range(1, SPLITS + 1):
            sides = (sweep.baseline_over(f"half {split}{side}").conclusions for side in "ab")
            counts.append(int(np.not_equal(*sides).sum()))
        halves = float(np.mean(counts))
    rankings = int((sweep.possible.sum(axis=1) * sweep.counts).sum())
    left_out = (~sweep.possible).sum(axis=1) @ sweep.counts
    significant = sweep.baseline.conclusions != 0
    holds = pairs["holds"].to_numpy()
    facts = [
        ("universes", sweep.universes, "combinations of choices"),
        ("rankings", rankings // sweep.design.conditions.tests,
         "of them that differ in more than the test"),
        ("left out", int(left_out), "combinations that cannot be"),
        ("systems", len(sweep.systems), None),
        ("topics", len(sweep.runs.topics), sweep.runs.topics_are),
        *sweep.runs.facts,
        ("pairs", len(pairs), "pairs of systems"),
        ("significant", int(significant.sum()), "pairs that differ significantly at the baseline"),
        ("significant and holds", int((significant & holds).sum()),
         "of these, pairs with the same conclusion in every combination"),
        ("holds", int(holds.sum()), "pairs with one conclusion in every universe"),
        ("order holds", int(pairs["order_holds"].sum()),
         "pairs that every universe orders alike"),
        ("halves", halves,
         f"pairs with another conclusion on the other half of the topics at the baseline, mean of "
         f"{SPLITS} splits at random"),
        ("splits", SPLITS, "splits at random"),
        ("seed", sweep.design.seed, "of what is drawn"),
        ("significance", sweep.design.significance, "pairs with a smaller p differ significantly"),
        ("first at the baseline", None,
         ", ".join(np.array(sweep.systems)[competition_ranks(sweep.baseline.means) == 1])),
    ]  # fmt: skip
    return pd.DataFrame(facts, columns=["quantity", "value", "note"])

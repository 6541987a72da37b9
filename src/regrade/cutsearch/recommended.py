"""The one cut to use for all topics, how sure it is, and what it does to the systems: numbers.

They are the tables ``cuts/recommended`` and ``cuts/recommended_systems``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import AGGREGATION, Aggregation, exceeds
from regrade.blocks import Blocks, blocks_of
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.cutsearch.labels import SELECTIONS, Labelling
from regrade.cutsearch.recommended_numbers import CHANGED, EQUAL, GIVEN
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import MethodError
from regrade.evaluations.compare_sets import (
    ComparisonOptions,
    pairs_of_systems,
    scored_pair,
    with_tie_ranges,
)
from regrade.evaluations.pair_outcomes import changes_table, pair_counts
from regrade.evaluations.system_rankings import ScoredPair
from regrade.evaluations.tie_orders import TieOrders
from regrade.label_sets import LabelSet
from regrade.run_arrays import RankedLists
from regrade.scales import Scale, cutting, exactly
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, TOPICS
from regrade.trust.gains import of_labels_worth_something
from regrade.trust.named_cuts import EQUAL_WIDTHS, cut_index, ends_of, named_cuts

DOCUMENTS = (
    ("documents", "cut"),
    ("documents_equal_widths", EQUAL),
    ("documents_given", GIVEN),
)
"""How documents by level are called, and whose labels they are of."""


@dataclass(frozen=True)
class ChosenCut:
    """The best cut for all topics by one search, and levels of equal widths beside it.

    Attributes
    ----------
    labelling
        How it makes labels.
    cut, equal, fixed
        Thresholds on the source scale; those that a user gave, if any.
    thresholds
        Those that were searched.
    row
        Of the table ``cuts/best_cuts``.
    ends
        The lowest and the highest value of the source scale.
    top
        The highest value that there may be, which no level below the last reaches.
    """

    labelling: Labelling
    cut: tuple[float, ...]
    equal: tuple[float, ...]
    thresholds: Thresholds
    row: Mapping
    ends: tuple[float, float]
    top: float
    fixed: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        best: pd.DataFrame,
        thresholds: Thresholds,
        scale: Scale,
        values: np.ndarray,
        levels: int,
        aggregation: Aggregation = AGGREGATION,
        fixed: Sequence[float] = (),
    ) -> ChosenCut:
        """The single cut of a search."""
        labelling = Labelling.of_search(best, SELECTIONS[1], levels, aggregation)
        equal = named_cuts(thresholds, labelling.levels, scale, values)[EQUAL_WIDTHS]
        return cls(
            labelling=labelling,
            cut=next(iter(labelling.cuts.values())),
            equal=tuple(thresholds.values[equal]),
            thresholds=thresholds,
            row=best[best["topic"].astype(str) == ALL_TOPICS].iloc[0].to_dict(),
            ends=ends_of(scale, values),
            top=float(scale.high if scale.finite else np.max(values)),
            fixed=tuple(fixed),
        )

    def labels(self, source: pa.Table) -> dict[str, pa.Table]:
        """Labels by name: under the cut (``cut``), of equal widths, and as given; ``qrels``."""

        def under(cut: tuple[float, ...]) -> pa.Table:
            cuts = dict.fromkeys(self.labelling.cuts, cut)
            return replace(self.labelling, cuts=cuts).labels(source)

        labels = {"cut": self.labelling.labels(source), EQUAL: under(self.equal)}
        return labels | ({GIVEN: under(self.fixed)} if self.fixed else {})

    def texts(self) -> list[str]:
        """The thresholds as they are said: as short as cuts the same."""
        thresholds = self.thresholds
        if thresholds.note is not None:  # between two of a grid there are other values
            return list(map(exactly, self.cut))
        above = np.append(thresholds.values[1:], self.top)[self.places(self.cut)]
        return [cutting(*one) for one in zip(self.cut, above, strict=True)]

    def places(self, cut: Sequence[float]) -> np.ndarray:
        """Places of thresholds among those that were searched."""
        return np.searchsorted(self.thresholds.values, cut)

    def index_of(self, cut: Sequence[float]) -> int:
        """The place among all cuts of the one that makes the same levels; −1 where none does."""
        known, levels = self.thresholds.values, self.labelling.levels
        at = np.array([int((~exceeds(known, one)).sum()) - 1 for one in cut])
        if self.thresholds.note is not None and not np.isin(cut, known).all():
            return -1
        if at[0] < 0 or (np.diff(at) < 1).any() or cut[-1] >= self.top:
            return -1
        return int(cut_index(at[None], len(known), levels)[0])


def recommended(
    chosen: ChosenCut,
    alpha: pd.DataFrame,
    labels: Mapping[str, pa.Table],
    trusted: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """What the cut is and how well it agrees, without systems."""
    low, high = chosen.ends
    steps = np.diff(chosen.thresholds.values)
    levels, count = chosen.labelling.levels, len(chosen.thresholds.values)
    at = cut_index(chosen.places(chosen.equal)[None], count, levels)[0]
    best, equal = float(chosen.row["value"]), float(alpha["mean"].iloc[at])
    rows = []
    for c, own, text in zip(CUT_COLUMNS, chosen.cut, chosen.texts(), strict=False):
        note = None if text == exactly(own) else text
        rows.append({"quantity": c, "value": own, "note": note})
    rows += [
        *(
            {"quantity": c, "beside": EQUAL, "value": own}
            for c, own in zip(CUT_COLUMNS, chosen.equal, strict=False)
        ),
        {
            "quantity": "scale",
            "value": float(steps.min()) if len(steps) else high - low,
            "low": low,
            "high": high,
        },
        {"quantity": "alpha", "value": best},
        {"quantity": "alpha", "beside": EQUAL, "value": equal},
        {"quantity": "gain", "beside": EQUAL, "value": best - equal},
        {"quantity": "topics", "value": chosen.row["n_defined"]},
        {"quantity": "cuts", "value": len(alpha)},
        {"quantity": "tied", "value": chosen.row["tied"]},
    ]
    if chosen.fixed:
        index = chosen.index_of(chosen.fixed)
        own = float(alpha["mean"].iloc[index]) if index >= 0 else np.nan
        cuts = zip(CUT_COLUMNS, chosen.fixed, strict=False)
        rows += [{"quantity": c, "beside": GIVEN, "value": at} for c, at in cuts]
        rows.append({"quantity": "alpha", "beside": GIVEN, "value": own})
    for quantity, name in DOCUMENTS:
        if name not in labels:
            continue
        grades = labels[name]["grade"].to_numpy().astype(int)
        rows += [
            {"quantity": quantity, "beside": f"level {level}", "value": n}
            for level, n in enumerate(np.bincount(grades, minlength=levels))
        ]
    columns = columns_of("cuts/recommended")
    if trusted is None:
        return pd.DataFrame(rows).reindex(columns=columns)
    effects = trusted["plateau_effects"].iloc[0]
    rows.append({"quantity": "plateau", "value": effects["on"], "note": effects["said"]})
    rows += [
        {"quantity": "samples", "value": effects["resamples"]},
        {"quantity": "seed", "value": effects["seed"]},
    ]
    rows += [
        {"quantity": f"plateau_{c}", "low": effects[f"{c}_low"], "high": effects[f"{c}_high"]}
        for c in CUT_COLUMNS[: len(chosen.cut)]
    ]
    # what the cut has and gains where it was not chosen, and what topics' own gain on it
    names = {"": ("held_out", None), EQUAL_WIDTHS: ("held_out_gain", EQUAL)}
    for row in of_labels_worth_something(trusted["gains"]).to_dict("records"):
        against = row["against"] if isinstance(row["against"], str) else ""
        if against in names and pd.notna(row["held_out"]):
            quantity, beside = names[against]
            ends = {"low": row["low"], "high": row["high"]}
            rows.append({"quantity": quantity, "beside": beside, "value": row["held_out"]} | ends)
    whole = trusted["held_out"]
    is_alpha = whole["criterion"] == "alpha"
    own = whole[is_alpha & (whole["split"] == "documents") & (whole["selection"] == PER_TOPIC)]
    own = own.rename(columns={"difference": "value"})[["value", "low", "high"]]
    rows += own.assign(quantity="per_topic_gain").to_dict("records")
    numbers = pd.DataFrame(rows).reindex(columns=columns)
    # where thresholds lie, chosen anew on topics drawn anew: 95 % of the draws
    of = trusted["bootstrap"]
    of = of[(of["topic"] == ALL_TOPICS) & (of["resampled"] == TOPICS) & (of["selection"] == SINGLE)]
    of = of.astype({"quantity": str}).set_index("quantity")
    for name in CUT_COLUMNS:
        if name in of.index:
            here = numbers["beside"].isna() & (numbers["quantity"] == name)
            numbers.loc[here, ["low", "high"]] = of.loc[name, ["low", "high"]].to_numpy(float)
    return numbers


def systems_under(
    chosen: Mapping[str, LabelSet],
    experts: Sequence[LabelSet],
    ranked: RankedLists,
    measure: str,
    how: ComparisonOptions | None = None,
    score_precision: str = "float64",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The systems under the cut's labels beside those of equal widths, and beside experts'."""
    how = how or ComparisonOptions()
    orders = TieOrders.of(ranked, score_precision)
    numbers, systems = [], []

    def tau(one: LabelSet, other: LabelSet, scored: ScoredPair) -> dict:
        rankings = with_tie_ranges(scored.rankings(()), (one, other), scored, orders)
        row = rankings[rankings["quantity"] == "tau"].iloc[0]
        ends = {"low": row["new_low"], "high": row["new_high"]}
        return {"value": row["value"]} | ends | row[["ties_low", "ties_high"]].to_dict()

    is_same = chosen[EQUAL].table.equals(chosen["cut"].table)
    for side in experts if is_same else (chosen[EQUAL], *experts):
        try:
            scored = scored_pair(side, chosen["cut"], ranked, [measure], how)
        except MethodError as error:
            numbers.append({"quantity": "tau", "beside": side.name, "note": str(error)})
            continue
        of_systems, pairs = scored.systems(), pairs_of_systems(scored, how)
        own = tau(side, chosen["cut"], scored)
        numbers.append(own | {"quantity": "tau", "beside": side.name})
        numbers += _changes(scored, of_systems, pairs, how, side.name)
        others = () if side.name == EQUAL else (
            *(() if is_same else (("tau_equal_widths", chosen[EQUAL]),)),
            *((("tau_given", chosen[GIVEN]),) if GIVEN in chosen else ()),
        )  # fmt: skip
        for quantity, other in others:
            own = tau(side, other, scored_pair(side, other, ranked, [measure], how))
            numbers.append(own | {"quantity": quantity, "beside": side.name})
        systems.append(_with_significant(of_systems, pairs).assign(beside=side.name))
    columns = columns_of("cuts/recommended_systems")
    none = pd.DataFrame(columns=columns)
    return (
        pd.DataFrame(numbers).reindex(columns=columns_of("cuts/recommended")),
        pd.concat(systems, ignore_index=True)[columns] if systems else none,
    )


def _changes(
    scored: ScoredPair,
    systems: pd.DataFrame,
    pairs: pd.DataFrame | Blocks,
    how: ComparisonOptions,
    beside: str,
) -> list[dict]:
    counts = pair_counts(pairs, scored.measures)
    counts = counts.groupby("change", observed=True)["pairs"].sum()
    values = {name: int(counts.get(name, 0)) for name in CHANGED} | {"pairs": int(counts.sum())}
    values["systems"] = len(systems)
    test = how.significance, how.correction, how.seed
    tested = changes_table(pairs, systems, scored.first, *test)
    change = tested.iloc[0]
    values |= {"moving": change["moved"], "farthest": change["farthest"]}
    values["significant_changes"] = change["significant_changes"]
    by_topics = {"value": tested["by_topics"].iloc[0]} | tested[["low", "high"]].iloc[0].to_dict()
    return [
        *({"quantity": name, "beside": beside, "value": value} for name, value in values.items()),
        {"quantity": "by_topics", "beside": beside} | by_topics,
    ]


def _with_significant(systems: pd.DataFrame, pairs: pd.DataFrame | Blocks) -> pd.DataFrame:
    """How many others each system differs from significantly, under both sets."""
    for side in ("first", "second"):
        counts = Counter()
        for some in blocks_of(pairs):
            significant = some[some[f"{side}_significant"]]
            counts.update([*significant["system"], *significant["other"]])
        of_systems = systems["system"].map(counts).fillna(0).astype("int64")
        systems = systems.assign(**{f"significant_{side}": of_systems})
    return systems

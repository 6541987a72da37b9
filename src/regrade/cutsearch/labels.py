"""Labels under chosen cuts: one per document as qrels, or each worker's own, and what made them."""

from __future__ import annotations

import itertools
import json
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade import __version__
from regrade.aggregation import (
    AGGREGATION,
    Aggregation,
    transform,
    transformed_labels,
    value_column,
)
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import CUT_METHODS
from regrade.errors import ParameterError, check_choice
from regrade.tables import atomic_path, read_table
from regrade.writers import write_frame

log = logging.getLogger(__name__)

ORDERS = ("at", "ta")
"""Aggregate, then transform; or transform, then aggregate."""

SELECTIONS = ("per-topic", "single")
"""Each topic's own best cut, or the one cut for all topics."""


def of_search(table: pd.DataFrame, method: str, reference: str | None) -> pd.DataFrame:
    """The rows of one search."""
    references = table["reference"]
    same = references.isna() if pd.isna(reference) else references == reference
    return table[(table["method"] == method) & same]


def selected_cuts(best: pd.DataFrame) -> dict[str, dict[str, tuple[float, ...]]]:
    """Each topic's cut under ``per-topic`` and ``single`` selection."""
    cuts = {
        str(row["topic"]): tuple(float(row[c]) for c in CUT_COLUMNS if pd.notna(row[c]))
        for row in best.to_dict("records")
        if pd.notna(row["c1"])
    }
    single = cuts.pop(ALL_TOPICS, None)
    selections = {"per-topic": cuts}
    if single is not None:
        selections["single"] = dict.fromkeys(cuts, single)
    return selections


@dataclass(frozen=True)
class Labelling:
    """Which cut each topic's judgments get, and how many judgments become one label.

    Attributes
    ----------
    cuts : mapping of str to tuple of float
        The thresholds of each topic that is labelled.
    levels
        Of the target scale.
    order, how
        ``at``: aggregate, then transform, or ``ta``; and the aggregation
        (`regrade.aggregation.transformed_labels`).
    left_out : mapping of str to str
        The topics without a cut, and why.
    about : mapping
        What else is to be told of it: method, reference, selection.
    """

    cuts: Mapping[str, tuple[float, ...]]
    levels: int
    order: str
    how: str
    left_out: Mapping[str, str]
    about: Mapping[str, object]

    @classmethod
    def of_search(
        cls, best: pd.DataFrame, selection: str, levels: int, aggregation: Aggregation = AGGREGATION
    ) -> Labelling:
        """The labelling by a search's best cuts, in the order of its method."""
        (method,) = best["method"].astype(str).unique()
        reference = best["reference"].iloc[0]
        notes = best.set_index(best["topic"].astype(str))["note"]
        selected = selected_cuts(best)
        if not selected.get(selection):
            why = notes.get(ALL_TOPICS)
            reason = f": {why}" if pd.notna(why) else ""
            raise ParameterError(
                f"{method}: no {selection} cut was found, so there are no labels{reason}"
            )
        order = CUT_METHODS[method].order if method in CUT_METHODS else "at"
        return cls(
            cuts=selected[selection],
            levels=levels,
            order=order,
            how=aggregation.of_order(order, levels),
            left_out={
                topic: str(notes[topic])
                for topic in notes.index
                if topic != ALL_TOPICS and topic not in selected[selection]
            },
            about={
                "method": method,
                "reference": None if pd.isna(reference) else str(reference),
                "selection": selection,
            },
        )

    @classmethod
    def by_hand(
        cls,
        cut: Sequence[float] | Mapping[str, Sequence[float]],
        topics: Sequence[str],
        levels: int,
        *,
        order: str = "at",
        aggregation: Aggregation = AGGREGATION,
    ) -> Labelling:
        """The labelling by given thresholds: of the aggregated values, or of each judgment."""
        check_choice("order", order, ORDERS)
        of_topic = cut if isinstance(cut, Mapping) else dict.fromkeys(topics, cut)
        for one in of_topic.values():
            if len(one) != levels - 1 or any(a >= b for a, b in itertools.pairwise(one)):
                problem = f"{levels} levels need {levels - 1} ascending thresholds"
                raise ParameterError(f"cut {list(one)}: {problem}")
        known = [topic for topic in topics if topic in of_topic]
        if not known:
            raise ParameterError("no topic of the source has a cut: name cuts by its topics")
        return cls(
            cuts={topic: tuple(map(float, of_topic[topic])) for topic in known},
            levels=levels,
            order=order,
            how=aggregation.of_order(order, levels),
            left_out={topic: "no cut is named" for topic in topics if topic not in of_topic},
            about={"method": None, "reference": None, "selection": "by hand"},
        )

    @classmethod
    def chosen(
        cls, best: pd.DataFrame | None, topics: Sequence[str], how: Mapping[str, object]
    ) -> Labelling:
        """The labelling by a method's best cuts, or by a cut where one is given."""
        levels, aggregation = how["levels"], Aggregation.of(how)
        if how["cut"] is not None:
            order = how["order"]
            return cls.by_hand(how["cut"], topics, levels, order=order, aggregation=aggregation)
        rows = of_search(best, how["method"], how["reference"])
        return cls.of_search(rows, how["selection"], levels, aggregation)

    def labels(self, judgments: pa.Table) -> pa.Table:
        """One level per document of judgments or labels on the source scale; schema ``qrels``."""
        return transformed_labels(judgments, self.cuts, self.order, self.how, self.levels)

    def of_workers(self, judgments: pa.Table) -> pa.Table:
        """Every judgment with its level as value, schema ``judgments``, in the given order."""
        frame = judgments.to_pandas()
        frame = frame[frame["topic"].astype(str).isin(list(self.cuts))]
        levels = np.empty(len(frame))
        for name, rows in frame.groupby(frame["topic"].astype(str)).indices.items():
            levels[rows] = transform(frame["value"].to_numpy()[rows], self.cuts[name])
        frame = frame.assign(value=levels)
        return pa.Table.from_pandas(frame, schema=SCHEMAS["judgments"], preserve_index=False)

    def provenance(self, labelled: pa.Table, about: Mapping[str, object]) -> dict:
        """What made a labelled table, to be kept beside it."""
        column = value_column(labelled)
        values = labelled[column].to_numpy().astype(int)
        counts = np.bincount(values, minlength=self.levels)
        as_judged = column == "value"
        return {
            **about,
            **self.about,
            "levels": self.levels,
            "order": "as judged" if as_judged else self.order,
            "aggregation": None if as_judged else self.how,
            "repeats": None if as_judged else "median_low",
            "rows": labelled.num_rows,
            "rows_by_level": {str(level): int(n) for level, n in enumerate(counts)},
            "cuts": {topic: list(cut) for topic, cut in sorted(self.cuts.items())},
            "left_out": dict(sorted(self.left_out.items())),
            "made_by": {"package": "regrade", "version": __version__},
        }


def read_labelling(paths: Mapping, how: Mapping[str, object]) -> tuple[pa.Table, Labelling]:
    """The judgments of a job, and the labelling that it is told of; logs the topics left out."""
    judgments, path = read_table(paths["judgments"]), paths["best_cuts"]
    best = read_table(path, "cuts/best_cuts").to_pandas() if path else None
    labelling = Labelling.chosen(best, judgments["topic"].unique().to_pylist(), how)
    for topic, why in labelling.left_out.items():
        log.warning("left out: topic %s: %s", topic, why)
    return judgments, labelling


def write_judgments(judgments: pa.Table, path: str | os.PathLike) -> None:
    """Write judgments as tab-separated text that `regrade.readers.read_judgments` reads.

    Columns that hold nothing are left out; values are levels.
    """
    frame = judgments.to_pandas().astype({"value": int}).dropna(axis="columns", how="all")
    write_frame(frame, path)


def write_provenance(provenance: Mapping[str, object], path: str | os.PathLike) -> None:
    """Write what made labels, as JSON."""
    with atomic_path(path) as temporary:
        text = json.dumps(provenance, indent=2, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8")

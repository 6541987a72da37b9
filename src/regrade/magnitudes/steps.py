"""The steps of magnitudes, all tables of each: units and documents, beside labels, as gains."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS
from regrade.errors import ParameterError
from regrade.magnitudes.discordant import discordant_documents, statements_of
from regrade.magnitudes.gains import gain_boxes, gain_profiles, gain_ratios
from regrade.magnitudes.intervals import interval_table
from regrade.magnitudes.label_comparison import known_labels
from regrade.magnitudes.levels import exceptions, level_boxes, level_tests
from regrade.magnitudes.normalising import document_table, normalised_table, shifted
from regrade.magnitudes.pairs import PairComparison, pair_agreement, pair_intervals
from regrade.magnitudes.resampling import TopicMagnitudes, topic_judgments
from regrade.magnitudes.samples import sample_tables
from regrade.magnitudes.systems import GainComparison, system_tables
from regrade.magnitudes.units import (
    kept_judgments,
    known_documents,
    topic_table,
    unit_table,
    width_counts,
    width_quantiles,
)

log = logging.getLogger(__name__)

MOST_LEVELS = 101
"""Labels are on at most so many levels, 0 to 100: of them tables have a row for each pair."""


@dataclass(frozen=True)
class MagnitudeOptions:
    """How magnitudes are read.

    Attributes
    ----------
    normalise
        How units are put on one scale (`regrade.magnitudes.normalising.normalise`).
    shift
        What is added to all values first.
    leave_out
        The checks for whose failure a unit is left out, of `regrade.choices.UNIT_CHECKS`.
    extremes
        Whether a unit's width is its greatest over its smallest value.
    aggregate
        How the magnitudes of a document become one, of `regrade.choices.MAGNITUDE_AGGREGATES`.
    samples
        Times that one magnitude per document is drawn.
    resamples
        How often topics, judgments and units are drawn anew.
    seed
        Of all draws.
    """

    normalise: str = "geometric"
    shift: float = 0.0
    leave_out: Sequence[str] = ()
    extremes: bool = False
    aggregate: str = "median"
    samples: int = 1000
    resamples: int = 1000
    seed: int = 1


def unit_tables(
    judgments: pa.Table,
    how: MagnitudeOptions,
    known: pa.Table | None = None,
    reference: pa.Table | None = None,
) -> dict[str, pd.DataFrame]:
    """Units checked, their values normalised, one magnitude per document."""
    judgments = shifted(judgments, how.shift)
    pairs = known_documents(judgments, known, reference)
    without = pairs[pairs["reason"].notna()]
    for row in without.head(1).itertuples():
        where = (len(without), len(pairs), row.topic, row.reason)
        log.warning("%d of %d topics have no known documents (%s: %s)", *where)
    units = unit_table(judgments, pairs, leave_out=how.leave_out, extremes=how.extremes)
    log.info("%d of %d units fail a check", units["problems"].notna().sum(), len(units))
    log.info("%d units are left out", (~units["kept"]).sum())
    normalised = normalised_table(kept_judgments(judgments, units), how.normalise)
    return {
        "units": units,
        "topics": topic_table(units, judgments, pairs),
        "widths": width_counts(units),
        "width_quantiles": width_quantiles(units),
        "normalised": normalised,
        "documents": document_table(normalised),
    }


def label_tables(
    tables: Mapping[str, pd.DataFrame | pa.Table],
    labels: Mapping[str, pa.Table],
    levels: Mapping[str, Sequence[float]],
    how: MagnitudeOptions,
) -> dict[str, pd.DataFrame]:
    """Magnitudes beside labels: levels, order of pairs, discordant documents, gains."""
    for name, on in levels.items():
        if len(on) > MOST_LEVELS:
            raise ParameterError(
                f"{name} has {len(on)} levels: magnitudes are compared with labels on at "
                f"most {MOST_LEVELS} levels, pair by pair: cut the labels first, or give "
                "the levels (scale)"
            )
    units, topics, normalised, documents = (
        tables[name] for name in ("units", "topics", "normalised", "documents")
    )
    compared = PairComparison(documents, labels, levels, next(iter(levels)), how.aggregate)
    tests = level_tests(documents, labels, levels)
    parts = {
        "levels": [level_boxes(documents, labels, levels)],
        "level_tests": [tests],
        "exceptions": [exceptions(tests)],
        "agreement": [pair_agreement(compared)],
        "share_intervals": [
            pair_intervals(compared, normalised, resamples=how.resamples, seed=how.seed)
        ],
    }
    for name in levels:
        known, by = known_labels(labels, levels, name), {"aggregate": how.aggregate}
        discordant = discordant_documents(documents, normalised, known, **by)
        profiles, likelihoods = gain_profiles(normalised, known, seed=how.seed)
        own = {
            "discordant": discordant,
            "said": statements_of(discordant, normalised, labels),
            "gains": gain_boxes(normalised, units, topics, known),
            "gain_ratios": gain_ratios(documents, known, **by),
            "gain_profiles": profiles,
            "gain_likelihoods": likelihoods,
        }
        for table, part in own.items():
            parts.setdefault(table, []).append(part)
    return {name: pd.concat(parts_of, ignore_index=True) for name, parts_of in parts.items()}


def judgments_by_topic(
    normalised: pa.Table | pd.DataFrame, units: pa.Table | pd.DataFrame, widths: pd.DataFrame
) -> list[TopicMagnitudes]:
    """Normalised judgments, of units that are narrow or wide where their widths are known."""
    limit = widths.set_index("topic").at[ALL_TOPICS, "median"]
    return topic_judgments(normalised, units if limit > 0 else None, limit)


def gain_tables(
    comparison: GainComparison, how: MagnitudeOptions, significance: float, threads: int = 1
) -> dict[str, pd.DataFrame]:
    """Systems under magnitudes as gains beside systems under labels, and how sure that is."""
    tested = {"significance": significance, "threads": threads}
    tables = system_tables(comparison, **tested)
    tables |= sample_tables(comparison, how.samples, threads=threads)
    tables["intervals"] = interval_table(comparison, how.resamples, **tested)
    return tables

"""Which cut to trust: whole searches on data drawn anew, and topics left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.inputs import LEVELS, SOURCE_LEVELS, rankings, table
from benchmarks.measuring import Measured, Settings, now
from regrade.aggregation import aggregate
from regrade.choices import CUT_METHODS
from regrade.scales import Scale
from regrade.trust.bootstrap import RepeatedSearch, bootstrap_tables
from regrade.trust.held_out import held_out_by_tau, held_out_tables, scores_under_cuts
from regrade.trust.searches import RankedInput

SCALE = Scale.of({"levels": SOURCE_LEVELS})
MEASURE = "nDCG@10"
DRAWS = 1000


def drawn(settings: Settings, resampled: str) -> Measured:
    """All searches again on what is drawn, and the systems ranked under the chosen cuts."""
    searches = _searches(settings, ("tw1", "h2", "d2_at"))
    for label, search in searches:
        bootstrap_tables(search, label, [resampled], resamples=2, threads=settings.threads)
    start = now()
    for label, search in searches:
        bootstrap_tables(search, label, [resampled], resamples=DRAWS, threads=settings.threads)
    return Measured([now() - start], note="measured once")


def left_out(settings: Settings) -> Measured:
    """The one cut of all topics but one, of every method and every expert, for each topic."""
    searches = _searches(settings, tuple(CUT_METHODS))
    start = now()
    for label, search in searches:
        held_out_tables(search, label, ["topics"], threads=settings.threads)
    transformation = _transformation(settings)
    labels = aggregate(transformation.judgments, "median")
    for expert in ("TR2", "So4"):
        qrels = table(settings, expert)
        found = scores_under_cuts(transformation, labels, qrels, settings.threads)
        held_out_by_tau(*found, expert, ["topics"], threads=settings.threads)
    return Measured([now() - start], note="measured once")


def _searches(
    settings: Settings, methods: Sequence[str]
) -> list[tuple[str | None, RepeatedSearch]]:
    """The searches of these methods, ready to be run again, with the systems under TR2."""
    asked = [
        {
            "method": method,
            "reference": "So4" if CUT_METHODS[method].needs_reference else None,
            "label": "So4" if CUT_METHODS[method].needs_reference else None,
            "unjudged": "drop",
        }
        for method in methods
    ]
    source = replace(_transformation(settings), references={"So4": table(settings, "So4")})
    return list(source.searches(asked))


def _transformation(settings: Settings) -> RankedInput:
    return RankedInput(
        table(settings, "S100"),
        SCALE,
        LEVELS,
        ranked=rankings(settings)[0],
        experts={"TR2": table(settings, "TR2")},
        measure=MEASURE,
    )

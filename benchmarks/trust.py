"""Which cut to trust: whole searches on data drawn anew, and topics left out."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.inputs import LEVELS, SOURCE_LEVELS, rankings, table
from benchmarks.measuring import Measured, Settings, now
from regrade.aggregation import aggregate
from regrade.choices import CUT_METHODS
from regrade.scales import Scale
from regrade.trust.asked import searches_again, source_values
from regrade.trust.bootstrap import Again, bootstrap_tables
from regrade.trust.held_out import held_out_by_tau, held_out_tables, scores_under_cuts

SCALE = Scale.of({"levels": SOURCE_LEVELS})
MEASURE = "nDCG@10"
OPTIONS = {
    "metric": "ordinal",
    "undefined": "drop",
    "coverage": 0.9,
    "repeats": "median_low",
    "grid": None,
}
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
    judgments, ranked = table(settings, "S100"), rankings(settings)[0]
    labels = aggregate(judgments, "median")
    for expert in ("TR2", "So4"):
        found = scores_under_cuts(
            labels,
            table(settings, expert),
            ranked=ranked,
            scale=SCALE,
            levels=LEVELS,
            measure=MEASURE,
            values=source_values(judgments),
            threads=settings.threads,
        )
        held_out_by_tau(*found, expert, ["topics"], threads=settings.threads)
    return Measured([now() - start], note="measured once")


def _searches(settings: Settings, methods: Sequence[str]) -> list[tuple[str | None, Again]]:
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
    found = searches_again(
        table(settings, "S100"),
        asked,
        {"So4": table(settings, "So4")},
        scale=SCALE,
        levels=LEVELS,
        options=OPTIONS,
        aggregate={"source": "median", "levels": None},
        named={},
        ranked=rankings(settings)[0],
        experts={"TR2": table(settings, "TR2")},
        measure=MEASURE,
    )
    return list(found)

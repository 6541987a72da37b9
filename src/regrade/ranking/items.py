"""The tables and figures of a ranking of systems.

No paper's: which system is best, how sure that is, and what would make it surer.
"""

from __future__ import annotations

from regrade.studies.items import NOTHING_PRINTED, Study, count, one_of, one_or_none, read_items

OPTIONS = {
    "ranking": one_of("ranking", "Its qrels."),
    "measure": one_or_none("A measure of those under `ranking`; absent or null, the first."),
    "systems": count(40, "Number of systems, the best first."),
    "pairs": count(30, "Number of pairs, the best systems' first."),
}

ITEMS = """
[]
    in ranking/{ranking}
table-answer: Which system is best, and how sure that is
    shows answer facts
    keys measure quantity
    decimals 3
table-systems: Systems with intervals of means, sets of ranks and tiers
    shows systems
    options systems
    settings limit=systems
    keys measure system quantity
    decimals 4; rank 0; rank_low 0; rank_high 0; tier 0
table-pairs: Pairs of systems: differences, individual and simultaneous
    shows pairs
    options pairs
    settings limit=pairs
    keys measure system other quantity
    decimals 4
table-reliability: Variance components of scores, reliability of the ranking, and topics needed
    shows variances reliability needed facts
    keys measure part quantity
    decimals 4
table-power: Minimum detectable differences, and topics needed
    shows detectable needed_differences
    keys measure part quantity
    decimals 4
table-judges: Share of the judges in the variance of scores, and the effect of more judges
    shows judge_variances judge_reliability
    keys measure part quantity
    decimals 4
figure-systems: Systems by mean, with intervals, sets of ranks and tiers
    shows systems facts
    options measure systems
    settings limit=systems
figure-pairs: Pairs of systems that differ significantly
    shows pairs systems
    options measure systems
    settings limit=systems
figure-datasets: Systems on each data set, by mean, with intervals and ranks
    shows datasets systems
    options measure systems
    settings limit=systems
figure-reliability: Reliability of the ranking by number of topics
    shows reliability halves facts
    options measure
figure-power: Observed differences and minimum detectable differences
    shows pairs needed_differences facts
    options measure
"""

RANKING = Study(
    "ranking",
    "Which system is best, and how sure that is",
    published=NOTHING_PRINTED,
    items=read_items(ITEMS, OPTIONS, package=__package__),
)
"""Which system is best, and how sure that is."""

"""The tables and figures of chu2021, and some that go past it."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.studies.items import Item, Study

PAGES = {"type": "string", "description": "The pages, of those under `pages`."}
POWER = {"type": "string", "description": "The comparison, of those under `power`."}

COUNTS = ("topics", "documents", "assessors", "values", "grades")
"""Quantities of a set that are whole numbers."""


def _item(name: str, title: str, *tables: str, **others: object) -> Item:
    """A table or figure of tables ``power/…`` of one comparison."""
    shows = tuple(f"power/{{power}}/{table}" for table in tables)
    options: Mapping = {"power": POWER}
    return Item(name, title, shows=shows, options=options, **others)


TABLES = (
    Item(
        "table-example",
        "The example of §3.5: PDP of five images in 4 and 7 grades, exact, and α",
        shows=("synthetic-power/example",),
        keys=("grades", "quantity"),
        decimals=4,
        decimals_of={"alpha": 2},
    ),
    Item(
        "table-needed",
        "Tests of preference that a probability needs (Eq. 12), and what they then keep",
        shows=("synthetic-power/needed",),
        keys=("p", "within", "confidence", "formula", "quantity"),
        decimals=3,
        decimals_of={"tests": 0},
    ),
    Item(
        "table-consistency",
        "Spearman's ρ of each metric with the quality of judgments (Figure 5 in numbers)",
        shows=("synthetic-power/consistency",),
        keys=("metric", "grades"),
        decimals=3,
    ),
    _item(
        "table-sets",
        "What sets hold, how far their assessors agree, and PDP with its 95 % intervals",
        "sets",
        "served",
        "topics",
        "intervals",
        keys=("set", "quantity"),
        decimals=4,
        decimals_of=dict.fromkeys(COUNTS, 0),
    ),
    _item(
        "table-2",
        "Table 2. α, Φ, discriminative power of systems, and PDP",
        "sets",
        "discrimination",
        "topics",
        keys=("set", "quantity"),
        decimals=4,
    ),
    _item(
        "table-orders",
        "τ_b of the sets' order by PDP and by discriminative power of systems",
        "orders",
        keys=("preferences", "mode", "list", "measure", "test"),
        decimals=3,
    ),
    _item(
        "table-cuts",
        "The cut that keeps the most discrimination beside the cut that agrees best, and what each "
        "costs",
        "cuts",
        keys=(
            *("preferences", "set", "mode", "list", "levels"),
            *("transformation", "search", "by", "quantity"),
        ),
        decimals=4,
    ),
    _item(
        "table-levels",
        "Sets by their number of levels: α, Somers' d with tests of preference, PDP",
        "levels",
        keys=("preferences", "set", "mode", "list", "levels", "way", "quantity"),
        decimals=4,
    ),
    Item(
        "table-pages",
        "How often measures prefer the result page that people prefer",
        shows=("pages/{set}/agreement",),
        options={"set": PAGES},
        keys=("set", "levels", "way", "preferences", "measure", "quantity"),
        decimals=3,
        decimals_of=dict.fromkeys(("preferred", "right", "wrong", "undecided"), 0),
    ),
)

FIGURES = (
    Item(
        "figure-4",
        "PDP by number of grades and quality of judgments",
        shows=("synthetic-power/qualities",),
    ),
    Item(
        "figure-5",
        "How well metrics order judgments by their quality",
        shows=("synthetic-power/consistency",),
    ),
    Item(
        "figure-6",
        "PDP from few tests of preference",
        shows=("synthetic-power/reliability",),
    ),
    _item(
        "figure-7",
        "Grades spread over nearly twice as many: PDP and discriminative power of systems",
        "extended",
    ),
)

FURTHER = (
    _item(
        "figure-levels",
        "PDP, agreement and order by the number of levels that sets are cut into",
        "levels",
        "topics",
        "served",
    ),
    _item(
        "figure-level-systems",
        "Systems by the number of levels that sets are cut into",
        "level_systems",
        "discrimination",
    ),
    Item(
        "figure-pages",
        "Measures and people's preferred pages by the number of levels",
        shows=("pages/{set}/agreement",),
        options={"set": PAGES},
    ),
    _item("figure-cuts", "Where sets are cut: by power, evenly, and by agreement", "cuts"),
    _item(
        "figure-systems",
        "PDP beside discriminative power of systems",
        "topics",
        "discrimination",
        "orders",
    ),
)

CHU2021 = Study(
    "chu2021",
    "Chu, Mao, Zhang, Liu, Sakai, Zhang, Ma: Evaluating Relevance Judgments with Pairwise "
    "Discriminative Power. CIKM 2021.",
    published={
        "type": "boolean",
        "default": False,
        "description": "Whether what the paper printed of its example stands beside ours.",
    },
    items=(*TABLES, *FIGURES, *FURTHER),
)

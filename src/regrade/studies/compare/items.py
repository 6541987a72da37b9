"""The tables and figures of two sets of judgments side by side.

No paper's: what people ask of a second set of judgments of the same documents.
"""

from __future__ import annotations

from collections.abc import Mapping

from regrade.studies.items import Item, Study

PAIR = {
    "type": "string",
    "description": "The pair, of those under `compare`: `<first>-and-<second>`.",
}
JUDGES = {
    "type": "string",
    "description": "Of those under `judges`: its name, or its reference.",
}
MEASURE = {
    "type": ["string", "null"],
    "default": None,
    "description": "Of those under `judges`; absent or null, the first.",
}
MOVERS = {"type": "integer", "minimum": 1, "default": 10, "description": "How many for a measure."}


def _item(
    name: str, title: str, *tables: str, further: Mapping | None = None, **others: object
) -> Item:
    """A table or figure of tables ``compare/…`` of one pair."""
    shows = tuple(f"compare/{{pair}}/{table}" for table in tables)
    return Item(name, title, shows=shows, options={"pair": PAIR, **(further or {})}, **others)


def _of_judges(
    name: str, title: str, *tables: str, further: Mapping | None = None, **others: object
) -> Item:
    """A table or figure of tables ``judges/…`` of one reference."""
    shows = tuple(f"judges/{{judges}}/{table}" for table in tables)
    options = {"judges": JUDGES, **(further or {})}
    return Item(name, title, shows=shows, options=options, part="judges", **others)


TABLES = (
    _item(
        "table-labels",
        "What both sets judged, and how far their labels agree",
        "facts",
        "agreement",
        "labels",
        keys=("quantity",),
        decimals=3,
    ),
    _item(
        "table-confusion",
        "How many documents have which two grades",
        "confusion",
        keys=("first_grade", "second_grade"),
        decimals=0,
    ),
    _item(
        "table-rankings",
        "How alike the systems' rankings are, with 95 % intervals over topics",
        "rankings",
        keys=("measure", "quantity"),
        decimals=3,
    ),
    _item(
        "table-pairs",
        "Pairs of systems: what becomes of their significance",
        "pair_counts",
        keys=("measure", "outcome", "change"),
        decimals=0,
    ),
    _item(
        "table-changed-pairs",
        "Every pair of systems whose significance appears, disappears or reverses",
        "pairs",
        further={"pairs": {**MOVERS, "default": 30, "description": "How many to show."}},
        settings={"shown": "pairs"},
        keys=("measure", "change", "system", "other", "quantity"),
        decimals=4,
    ),
    _item(
        "table-top",
        "Which top systems change",
        "top",
        keys=("measure", "k", "system", "quantity"),
        decimals=0,
    ),
    _item(
        "table-movers",
        "The systems that move furthest",
        "systems",
        further={"movers": MOVERS},
        settings={"movers": "movers"},
        keys=("measure", "system", "quantity"),
        decimals=3,
        decimals_of=dict.fromkeys(("rank before", "rank after", "move"), 0),
    ),
    _item(
        "table-topics",
        "The topics on which the sets differ most",
        "agreement",
        "topics",
        further={"topics": {**MOVERS, "description": "How many."}},
        settings={"shown": "topics"},
        keys=("topic", "quantity"),
        decimals=3,
        decimals_of={"documents": 0},
    ),
    _item(
        "table-groups",
        "Whether systems of one group gain",
        "groups",
        keys=("measure", "group", "quantity"),
        decimals=3,
        decimals_of={"systems": 0, "mean move": 1},
    ),
    _item(
        "table-reliability",
        "How alike rankings on two halves of the topics are, under one set and across both",
        "reliability",
        keys=("measure", "quantity", "of"),
        decimals=3,
    ),
)

JUDGE_ITEMS = (
    _of_judges(
        "table-judges",
        "Judges beside a reference: what they judged",
        "sets",
        keys=("judge", "quantity"),
        decimals=0,
    ),
    _of_judges(
        "table-judge-labels",
        "Judges beside a reference: cuts, and how far labels agree",
        "cuts",
        "agreement",
        keys=("judge", "labels", "quantity"),
        decimals=3,
    ),
    _of_judges(
        "table-judge-systems",
        "Judges beside a reference: rankings of systems, and significance of pairs",
        "rankings",
        "pairs",
        keys=("measure", "judge", "labels", "quantity"),
        decimals=3,
        decimals_of=dict.fromkeys(("appears", "disappears", "reverses", "stays", "none"), 0),
    ),
    _of_judges(
        "table-judge-confusion",
        "Judges beside a reference: how many documents have which two grades",
        "confusion",
        keys=("judge", "labels", "reference_grade", "level"),
        decimals=0,
    ),
    _of_judges(
        "figure-judge-labels",
        "How far the judges' labels agree with the reference's, cut in every way",
        "agreement",
    ),
    _of_judges(
        "figure-judge-systems",
        "Which judge, cut in which way, ranks systems as the reference does",
        "rankings",
        "pairs",
        further={"measure": MEASURE},
        settings={"measure": "measure"},
    ),
)

FIGURES = (
    _item("figure-confusion", "Documents by their two grades", "confusion"),
    _item("figure-systems", "Scores of systems under both sets", "systems", "rankings"),
    _item(
        "figure-ranks",
        "Ranks of systems under both sets, the largest movers by name",
        "systems",
        further={"movers": {**MOVERS, "default": 5}},
        settings={"movers": "movers"},
    ),
    _item("figure-pairs", "Pairs of systems by what becomes of their significance", "pair_counts"),
    _item("figure-topics", "Agreement of labels and of systems by topic", "agreement", "topics"),
    _item(
        "figure-reliability",
        "Rankings on halves of the topics, under one set and across both",
        "reliability",
    ),
)

SIGNIFICANCE_ITEMS = (
    Item(
        "table-significance",
        "Pairs of systems that differ significantly under each whole set of judgments, %",
        shows=("significance/ratios",),
        keys=("pairs", "measure", "test", "qrels"),
        decimals=1,
        part="significance",
    ),
    Item(
        "figure-significance",
        "p-values of all pairs of systems in order, under each whole set of judgments",
        shows=("significance/curve",),
        settings={"significance": "pair_tests.significance"},
        part="significance",
    ),
)

COMPARE = Study(
    "compare",
    "Two sets of judgments of the same documents: would the evaluation have come out differently?",
    published={
        "type": "boolean",
        "default": False,
        "description": "No paper printed these tables: nothing stands beside ours.",
    },
    items=(*TABLES, *FIGURES, *JUDGE_ITEMS, *SIGNIFICANCE_ITEMS),
)

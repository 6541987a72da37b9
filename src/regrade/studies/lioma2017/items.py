"""The tables and figures of lioma2017, and some that go past it."""

from __future__ import annotations

from regrade.studies.items import Item, Study

LISTS = {"type": "string", "description": "The lists, of those under `rated_lists`."}
SYSTEMS = {"type": "string", "description": "The criteria, of those under `criteria`."}


def _item(name: str, title: str, folder: str, *tables: str, **others: object) -> Item:
    """A table or figure of one name's tables in a folder."""
    options = {"set": LISTS if folder == "rated-lists" else SYSTEMS}
    shows = tuple(f"{folder}/{{set}}/{table}" for table in tables)
    return Item(name, title, shows=shows, options=options, **others)


LIOMA2017 = Study(
    "lioma2017",
    "Lioma, Simonsen, Larsen: Evaluation Measures for Relevance and Credibility in Ranked Lists. "
    "ICTIR 2017.",
    published={
        "type": "boolean",
        "default": False,
        "description": (
            "Whether the collection is the paper's, so that its printed numbers stand beside ours."
        ),
    },
    items=(
        _item(
            "table-3",
            "Table 3. Measures of relevance, of credibility, and of both, over all lists",
            "rated-lists",
            "conventions",
            keys=("measure",),
            decimals=4,
        ),
        _item(
            "table-4",
            "Table 4. Lists with a result that is high by one criterion and low by the other",
            "rated-lists",
            "examples",
            keys=("high", "topic", "rank", "docno", "measure"),
            decimals=3,
        ),
        _item(
            "table-correlations",
            "Spearman's ρ of two measures (§6.2)",
            "rated-lists",
            "correlations",
            keys=("over", "first", "second"),
            decimals=2,
        ),
        _item(
            "table-conventions",
            "Means of measures over lists under every convention",
            "rated-lists",
            "conventions",
        ),
        _item(
            "table-desiderata",
            "Desiderata D1–D8: claimed, and held in all cases tried (§§3–5)",
            "criteria",
            "desiderata",
        ),
        _item(
            "table-list-desiderata",
            "Desiderata D1–D8: claimed, and held in all cases tried (§§3–5)",
            "rated-lists",
            "desiderata",
            caption="table-desiderata",
        ),
        _item(
            "table-systems",
            "Rankings of systems under several criteria, beside that under the first",
            "criteria",
            "rankings",
            "coverage",
        ),
        _item(
            "figure-conventions",
            "What conventions make of each measure's mean",
            "rated-lists",
            "conventions",
            printed="table-3",
        ),
        _item(
            "figure-ties",
            "NLRE and NGRE of each list between the worst and the best order of tied documents",
            "rated-lists",
            "ties",
        ),
        _item(
            "figure-list-weights",
            "Measures of both criteria as the first one weighs more",
            "rated-lists",
            "weights",
        ),
        _item(
            "figure-weights",
            "Rankings of systems as the first criterion weighs more",
            "criteria",
            "weights",
        ),
        _item(
            "figure-systems",
            "Systems' scores under one criterion and under several",
            "criteria",
            "systems",
        ),
    ),
)

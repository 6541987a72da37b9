"""The tables and figures of turpin2015, and some that go past it."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.studies.items import Item, Study

SET = {"type": "string", "description": "The magnitudes, of the sets under `magnitudes`."}
REFERENCE = {
    "type": ["string", "null"],
    "default": None,
    "description": "The labels to show magnitudes beside; absent or null, all of the stage's.",
}
AGGREGATE = {
    "enum": ["median", "geometric_mean"],
    "default": "median",
    "description": "What stands for a document's magnitudes; the paper's is the median.",
}
RESAMPLED = {
    "enum": ["topics", "documents", "units"],
    "default": "topics",
    "description": "What was drawn anew for the intervals to show.",
}
LEAST = {
    "type": "integer",
    "minimum": 1,
    "default": 4,
    "description": "Units that a bar must have to be shown; the others are counted.",
}


def _item(
    name: str,
    title: str,
    *tables: str,
    options: Mapping[str, Mapping] | None = None,
    **others: object,
) -> Item:
    """A table or figure of tables ``magnitudes/…`` of one set; each option is a setting too."""
    options = options or {}
    return Item(
        name,
        title,
        shows=tuple(f"magnitudes/{{set}}/{table}" for table in tables),
        options={"set": SET, **options},
        settings={option: option for option in options},
        **others,
    )


TABLES = (
    _item(
        "table-1",
        "Table 1. Topics, documents, units, H_k, N_k, clicks back and failed attempts",
        "topics",
        keys=("topic", "quantity"),
    ),
    _item(
        "table-2",
        "Table 2. τ_b of rankings of systems under levels as gains and under mapped levels",
        "mappings",
        keys=("reference", "over", "mapping", "measure"),
        decimals=4,
    ),
    _item(
        "table-3",
        "Table 3. τ_b and overlap of top sets under magnitudes of narrow, all and wide units",
        "rankings",
        "intervals",
        options={"resampled": RESAMPLED},
        keys=("reference", "over", "quantity", "measure", "gains"),
        decimals_of={"tau": 3, "overlap": 0},
    ),
    _item(
        "table-exceptions",
        "Differences of magnitudes between levels, and topics that are exceptions (§4.1)",
        "level_tests",
        "exceptions",
        keys=("reference", "aggregate", "topic", "levels", "quantity"),
        decimals_of={"p": 3, "cases": 0, "undefined": 0, "exceptions": 0},
        has_bounds=True,
    ),
    _item(
        "table-agreement",
        "Pairs of documents that two sets order alike, % (the averages of Figure 3)",
        "agreement",
        "share_intervals",
        options={"resampled": RESAMPLED},
        keys=("by", "first", "second", "topic", "ties", "levels"),
    ),
    _item(
        "table-widths",
        "Widths of units: the magnitude of H_k over that of N_k",
        "width_quantiles",
        keys=("topic", "quantity"),
    ),
    _item(
        "table-gains",
        "Gains by level, their ratios, and how likely profiles make units they have not seen",
        "gains",
        "gain_ratios",
        "gain_profiles",
        "gain_likelihoods",
        keys=("reference", "profile", "topic", "quantity", "level"),
        decimals=2,
        decimals_of={"ratio": 1},
    ),
    _item(
        "table-discordant",
        "Documents whose magnitudes and labels differ most, with everything said of them",
        "discordant",
        "said",
        options={"reference": REFERENCE},
    ),
    _item(
        "table-intervals",
        "95 % intervals of τ_b and of overlaps of top sets",
        "intervals",
    ),
    Item(
        "table-cuts",
        "Best agreement with experts of cut magnitudes and of another scale, cut",
        shows=("cut-comparisons/agreement",),
    ),
)

FIGURES = (
    _item(
        "figure-1",
        "Documents' magnitudes by the level that a reference gives them",
        "levels",
        options={"reference": REFERENCE, "aggregate": AGGREGATE},
    ),
    _item(
        "figure-2",
        "Documents' magnitudes by level, each topic",
        "levels",
        options={"reference": REFERENCE, "aggregate": AGGREGATE},
    ),
    _item(
        "figure-3",
        "Agreement of two sets on the order of pairs of documents, by the pair's levels",
        "agreement",
        options={"reference": REFERENCE},
    ),
    _item(
        "figure-4",
        "The runs' scores under a reference and under magnitudes as gains",
        "systems",
        "rankings",
        options={"reference": REFERENCE},
    ),
    _item(
        "figure-5",
        "Merged systems' scores under a reference and under magnitudes as gains",
        "systems",
        "rankings",
        options={"reference": REFERENCE},
    ),
    _item(
        "figure-6",
        "τ_b of rankings under one judgment per document, drawn many times",
        "sample_quantiles",
        options={"reference": REFERENCE},
    ),
    _item(
        "figure-7",
        "Units by their width",
        "widths",
        "width_quantiles",
        options={"least": LEAST},
    ),
    _item(
        "figure-8",
        "Magnitudes over that of N_k by level, with linear and exponential gains",
        "gains",
        options={"reference": REFERENCE},
    ),
    _item(
        "figure-9",
        "Ratios of magnitudes of documents of two levels",
        "gain_ratios",
        options={"reference": REFERENCE},
    ),
)

FURTHER = (
    _item(
        "figure-profiles",
        "Gains by level: fitted to magnitudes, linear and exponential",
        "gain_profiles",
        options={"reference": REFERENCE},
    ),
    _item(
        "figure-populations",
        "Pairs of systems by how many simulated users order them alike",
        "orders",
        "unanimity",
        "systems",
        options={"reference": REFERENCE},
    ),
    _item(
        "figure-per-document",
        "τ_b by how many judgments a document gets",
        "per_document",
        options={"reference": REFERENCE},
    ),
)

TURPIN2015 = Study(
    "turpin2015",
    "Turpin, Scholer, Mizzaro, Maddalena: The Benefits of Magnitude Estimation Relevance "
    "Assessments for Information Retrieval Evaluation. SIGIR 2015.",
    published={
        "type": "boolean",
        "default": False,
        "description": (
            "Whether the collection is the paper's, so that its printed numbers stand beside ours."
        ),
    },
    items=(*TABLES, *FIGURES, *FURTHER),
)

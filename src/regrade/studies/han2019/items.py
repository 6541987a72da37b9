"""The tables and figures of han2019, and two figures that go past it."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.studies.items import Item, Study

TRANSFORMATION = {"type": "string", "description": "Its name."}
TRANSFORMATIONS = {
    "type": ["array", "null"],
    "items": {"type": "string"},
    "default": None,
    "description": "Their names; absent or null, all of the collection's.",
}
PANELS = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "string"},
    "description": "Methods, those with a reference as in `h2@TR2_a`.",
}
EXPERT = {"type": "string", "description": "The labels to compare rankings with."}
REFERENCE = {
    "type": "string",
    "description": "Whose labels criteria compare with, as in `So4_a`.",
}


CUTS_OF_FEW = "α of the few cuts of a small scale into two levels, per topic"
CUTS_OF_MANY = "α of every cut of a large scale into two levels, per topic"
BEST_THRESHOLDS = "Thresholds of the cuts with the highest α, into three or four levels"


def _panels(number: int, title: str, *, like: int = 0, heading: str = "") -> Item:
    """A figure with a panel for each method; `like` another one but for the paper's panels."""
    return Item(
        f"figure-{number}",
        title,
        caption=f"figure-{like}" if like else "",
        study_caption=f"figure-{number}" if like else "",
        heading=heading,
        shows=(
            "cuts/{transformation}/best_cuts",
            "cuts/{transformation}/top_cuts",
            "cuts/{transformation}/tied_cuts",
            "cuts/{transformation}/{panels}/alpha",
        ),
        options={"transformation": TRANSFORMATION, "panels": PANELS},
        settings={"source": "transformation.source"},
    )


SEARCHES = {
    "type": ["array", "null"],
    "items": {"type": "string"},
    "default": None,
    "description": "Searches, as in `h2@TR2_a`; absent or null, all that are under `trust`.",
}


TRUSTED = {
    "type": ["array", "null"],
    "items": {"type": "string"},
    "default": None,
    "description": "Transformations; absent or null, all that are under `trust`.",
}


def _sure(name: str, title: str, *tables: str) -> Item:
    """An item that holds the cuts of several transformations beside each other."""
    return Item(
        name,
        title,
        shows=tuple(f"cuts/{{transformations}}/{table}" for table in tables),
        options={"transformations": TRUSTED},
        settings={"transformations": "transformations"},
        part="trust",
    )


def _trust(name: str, title: str, *tables: str) -> Item:
    """An item that goes past the paper: how far a transformation's cuts can be trusted."""
    return Item(
        name,
        title,
        shows=tuple(f"cuts/{{transformation}}/{table}" for table in tables),
        options={"transformation": TRANSFORMATION, "searches": SEARCHES},
        settings={
            "source": "transformation.source",
            "levels": "transformation.levels",
            "searches": "searches",
        },
        part="trust",
    )


OF_JUDGES = {
    **SEARCHES,
    "description": "Searches, as in `h2@TR2_a`; absent or null, all that are under `per_judge`.",
}


def _judge(name: str, title: str, table: str, **further: Mapping) -> Item:
    """An item about cuts per judge, or used elsewhere; `further` are its own options."""
    options = {"transformation": TRANSFORMATION, "searches": OF_JUDGES, **further}
    settings = {"source": "transformation.source", "levels": "transformation.levels"}
    if table == "aggregated":  # of references, not of searches
        del options["searches"]
    return Item(
        name,
        title,
        shows=(f"cuts/{{transformation}}/{table}",),
        options=options,
        settings=settings | {key: key for key in options if key != "transformation"},
        part="judge",
    )


LENDERS = {
    "enum": ["workers", "topics", "transformations", "collections"],
    "description": "Whose cuts, used on each other.",
}
FEWER_OF = {
    "enum": ["documents", "workers"],
    "default": "documents",
    "description": "Whether each document has judges of its own, or the same judge all.",
}


HAN2019 = Study(
    "han2019",
    "Han, Roitero, Maddalena, Mizzaro, Demartini: On Transforming Relevance Scales. CIKM 2019.",
    published={
        "type": "boolean",
        "default": False,
        "description": (
            "Whether the collection is the paper's, so that its printed numbers stand beside ours."
        ),
    },
    items=(
        Item(
            "table-1",
            "Table 1. The sets, and how many of the pool's documents each has",
            shows=("overlaps/sets",),
            keys=("set", "quantity"),
            decimals=1,
            decimals_of={"documents": 0, "levels": 0},
        ),
        Item(
            "table-2",
            "Table 2. Transformations and methods",
            shows=("cuts/{transformations}/best_cuts",),
            options={"transformations": TRANSFORMATIONS},
        ),
        Item(
            "table-3",
            "Table 3. α between experts' labels, cut into two levels, and other experts'",
            shows=("expert-cuts/agreement", "expert-cuts/topics"),
            keys=("source", "reference", "documents", "cut"),
            decimals=3,
        ),
        Item(
            "table-topics",
            "§4.1.1. α of each cut of experts' labels, topic by topic",
            shows=("expert-cuts/topics",),
            keys=("source", "reference", "quantity"),
            decimals=0,
        ),
        Item(
            "table-4",
            "Table 4. τ_b with the experts' ranking of systems, under the best cuts",
            shows=("rankings/{transformations}", "cuts/{transformations}/best_cuts"),
            options={"transformations": TRANSFORMATIONS},
            settings={"transformations": "transformations"},
            keys=(
                "source",
                "levels",
                "method",
                "reference",
                "selection",
                "expert",
                "quantity",
                "threshold",
            ),
            decimals=2,
            decimals_of={"cut": 0},
        ),
        Item(
            "table-internal",
            "§3.2. Agreement of workers on the scale they used, and under the best cuts",
            shows=("cuts/{transformations}/internal",),
            options={"transformations": TRANSFORMATIONS},
            settings={"transformations": "transformations"},
        ),
        Item(
            "table-ends",
            "§4.2. Mean α under the lowest, the highest and the best cut into two levels",
            shows=(
                "cuts/{transformation}/best_cuts",
                "cuts/{transformation}/{panels}/alpha",
            ),
            options={"transformation": TRANSFORMATION, "panels": PANELS},
            settings={"source": "transformation.source", "levels": "transformation.levels"},
            keys=("source", "levels", "method", "reference", "quantity"),
            decimals=2,
            decimals_of={"lowest cut": 0, "highest cut": 0, "best cut": 0},
        ),
        Item(
            "table-references",
            "§4.3.1. Thresholds of topics' best cuts by two references",
            shows=("cuts/{transformations}/reference_tests",),
            options={"transformations": TRANSFORMATIONS},
            settings={"transformations": "transformations"},
            keys=("source", "levels", "method", "first", "second", "threshold", "quantity"),
            decimals=3,
            has_bounds=True,
        ),
        Item(
            "table-widths",
            "§4.3.2. Mean widths of cuts, and Pearson's r with the share of relevant documents",
            shows=(
                "cuts/{transformations}/width_correlations",
                "cuts/{transformations}/widths",
            ),
            options={"transformations": TRANSFORMATIONS},
            settings={"transformations": "transformations"},
            keys=("source", "levels", "method", "reference", "group", "labels", "quantity"),
            decimals=2,
            has_bounds=True,
        ),
        Item(
            "table-pooled",
            "Footnote 1. One search over all judgments, beside the highest mean over topics",
            shows=("cuts/{transformations}/pooled",),
            options={"transformations": TRANSFORMATIONS},
            settings={"transformations": "transformations"},
        ),
        _panels(1, CUTS_OF_FEW),
        _panels(
            2,
            "As figure-1; in the paper, with a crowd's reference and tw1",
            like=1,
            heading=CUTS_OF_FEW,
        ),
        _panels(3, CUTS_OF_MANY),
        _panels(
            4,
            "As figure-3; in the paper, with a crowd's reference and tw1",
            like=3,
            heading=CUTS_OF_MANY,
        ),
        _panels(5, "α of every cut into two levels, over the whole collection"),
        _panels(6, BEST_THRESHOLDS),
        _panels(
            7,
            "As figure-6; in the paper, with experts, documents not judged left out",
            like=6,
            heading=BEST_THRESHOLDS,
        ),
        _panels(
            8,
            "As figure-6; in the paper, with experts, unjudged documents non-relevant",
            like=6,
            heading=BEST_THRESHOLDS,
        ),
        _panels(
            9,
            "As figure-6; in the paper, with a crowd's reference",
            like=6,
            heading=BEST_THRESHOLDS,
        ),
        Item(
            "figure-10",
            "Where the thresholds of the best, the median and the worst cuts lie, for some topics",
            shows=("cuts/{transformation}/group_counts",),
            options={
                "transformation": TRANSFORMATION,
                "panels": PANELS,
                "topics": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": "string"},
                    "description": "Topics; `*`: cuts by the mean over topics.",
                },
            },
            settings={
                "source": "transformation.source",
                "levels": "transformation.levels",
                "panels": "panels",
                "topics": "topics",
            },
            part="groups",
        ),
        Item(
            "figure-groups",
            "Thresholds of the best, the median and the worst cuts, by every method",
            shows=("cuts/{transformation}/groups",),
            options={"transformation": TRANSFORMATION},
            settings={"source": "transformation.source", "levels": "transformation.levels"},
            part="groups",
        ),
        Item(
            "figure-experts",
            "α of the cuts of experts' labels into two levels, per topic",
            shows=(
                "cuts/{transformation}/best_cuts",
                "cuts/{transformation}/top_cuts",
                "cuts/{transformation}/tied_cuts",
                "cuts/{transformation}/{panels}/alpha",
            ),
            options={"transformation": TRANSFORMATION, "panels": PANELS},
            settings={"source": "transformation.source"},
        ),
        Item(
            "figure-tau",
            "τ_b of every cut, and of the best ones",
            shows=("rankings/{transformations}", "cuts/{transformations}/tau@{experts}/tau"),
            options={"transformations": TRANSFORMATIONS},
            settings={"transformations": "transformations"},
            part="tau",
        ),
        Item(
            "figure-tau-topics",
            "τ_b of each topic's ranking under every cut and under chosen ones",
            shows=("cuts/{transformation}/tau_topics",),
            options={"transformation": TRANSFORMATION, "expert": EXPERT, "panels": PANELS},
            settings={
                "source": "transformation.source",
                "levels": "transformation.levels",
                "expert": "expert",
                "panels": "panels",
            },
            part="tau",
        ),
        Item(
            "table-criteria",
            "Which cut each criterion picks, and what that is worth in the others",
            shows=("cuts/{transformation}/picked",),
            options={"transformation": TRANSFORMATION, "reference": REFERENCE},
            settings={"reference": "reference", "levels": "transformation.levels"},
        ),
        Item(
            "figure-criteria",
            "Which cut each criterion picks, and what share of cuts is better in the others",
            shows=("cuts/{transformation}/picked",),
            options={"transformation": TRANSFORMATION, "reference": REFERENCE},
            settings={
                "reference": "reference",
                "source": "transformation.source",
                "levels": "transformation.levels",
            },
            part="criteria",
        ),
        Item(
            "figure-pareto",
            "α and τ_b of every cut, the cuts that none beats in both, and what criteria pick",
            shows=(
                "cuts/{transformation}/criteria",
                "cuts/{transformation}/fronts",
                "cuts/{transformation}/picked",
            ),
            options={
                "transformation": TRANSFORMATION,
                "reference": REFERENCE,
                "expert": EXPERT,
            },
            settings={
                "reference": "reference",
                "expert": "expert",
                "metric": "transformation.metric",
                "source": "transformation.source",
                "levels": "transformation.levels",
            },
            part="criteria",
        ),
        Item(
            "table-levels",
            "How many levels: α of the best cuts into 2 to 7, and chosen on other topics",
            shows=("cuts/{transformation}/levels",),
            options={"transformation": TRANSFORMATION},
        ),
        Item(
            "figure-levels",
            "How many levels: α, held out, and τ_b of the best cuts into 2 to 7",
            shows=("cuts/{transformation}/levels", "cuts/{transformation}/levels_tau"),
            options={"transformation": TRANSFORMATION},
            settings={"source": "transformation.source"},
            part="criteria",
        ),
        _trust(
            "table-trust",
            "The best cut for all topics: how sure it is, and what it is worth held out",
            "bootstrap",
            "held_out",
            "plateau_effects",
        ),
        _sure(
            "table-sure",
            "How sure the one cut for all topics is, scale by scale, and what others cost",
            "bootstrap",
            "held_out",
            "plateau_effects",
        ),
        _sure(
            "figure-sure",
            "Where to cut each scale: the best cut, its interval, and what cannot be told from it",
            "bootstrap",
            "plateau_effects",
        ),
        _trust(
            "table-held-out",
            "α and τ_b of cuts on what they were not chosen on",
            "held_out",
        ),
        _trust(
            "figure-plateau",
            "The cuts that cannot be told from the best, and where the best lies in draws",
            "bootstrap",
            "plateau_effects",
        ),
        _trust(
            "figure-chosen", "Which cuts are chosen from data drawn anew", "chosen", "bootstrap"
        ),
        _trust("figure-held-out", "α where a cut is chosen, and held out", "held_out"),
        _trust(
            "table-unlabelled",
            "Cuts that rules choose for topics without labels, judged by the labels",
            "unlabelled",
        ),
        _trust(
            "figure-unlabelled",
            "What cuts chosen without labels lose against each topic's best",
            "unlabelled",
        ),
        _trust("figure-budget", "What cuts chosen by few labels lose against the best", "budget"),
        _judge("table-judges", "Each judge's own cut beside that of all others", "judges"),
        _judge(
            "figure-judges",
            "Each judge's own cut and the others', on what did not choose",
            "judges",
        ),
        _judge("table-transfer", "What a cut loses where another uses it", "transfer"),
        _judge("figure-transfer", "What a cut loses where another uses it", "transfer", by=LENDERS),
        _judge(
            "table-aggregated", "Many judges' labels as one, before and after cutting", "aggregated"
        ),
        _judge("table-fewer", "What fewer judges of each document would have done", "fewer"),
        _judge(
            "figure-fewer",
            "α and τ_b by how many judgments are paid for",
            "fewer",
            drawn=FEWER_OF,
        ),
    ),
)

"""The tables and figures of yang2019, chapter 5: what answers about pairs of documents tell."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.studies.items import Item

SET = {"type": "string", "description": "The preferences, of the sets under `pairs`."}
MEASURE = {
    "type": "string",
    "default": "RBP(p=0.9)",
    "description": "The measure to show, of those of the set under `pairs`.",
}
SHOWN_LABELS = {
    "type": ["array", "null"],
    "items": {"type": "string"},
    "uniqueItems": True,
    "default": None,
    "description": (
        "The references and methods to show; absent or null, the references, and frequency, "
        "absolute and ratio as far as there are any, else frequency, copeland and bradley-terry."
    ),
}
SHOWN_TOPICS = {
    "type": ["array", "null"],
    "items": {"type": "string"},
    "uniqueItems": True,
    "default": None,
    "description": "The topics to show; absent or null, the nine with the most documents.",
}
BESIDE = (
    "What the thesis printed rests on answers that are not public; it stands beside ours for "
    "orientation, and is not counted as coming out."
)
"""What must be said beside numbers of a crowd that nobody else has."""


def _item(name: str, title: str, *tables: str, part: str = "pairs", **others) -> Item:
    """A table or figure of tables ``preferences/…`` of one set."""
    shows = tuple(f"preferences/{{set}}/{table}" for table in tables)
    options: dict[str, Mapping] = {"set": SET}
    filters, settings = {}, dict(others.pop("settings", {}))
    if others.pop("measure", False):
        options["measure"], filters["measure"] = MEASURE, "measure"
    for option, schema in (("labels", SHOWN_LABELS), ("topics", SHOWN_TOPICS)):
        if others.pop(option, False):
            options[option], settings[option] = schema, option
    return Item(
        name,
        title,
        shows=shows,
        options=options,
        filters=filters,
        settings=settings,
        part=part,
        comparable=False,
        **others,
    )


REFERENCES = {"references": "pairs.references"}
"""The references of the set, for functions that need to know which labels they are."""

TABLES = (
    _item(
        "table-5.4",
        "Table 5.4. Workers, costs, trusted and untrusted answers",
        "topics",
        keys=("topic", "quantity"),
        decimals_of={"cost": 2},
        note=BESIDE,
    ),
    _item(
        "table-5.5",
        "Table 5.5. Pairs of documents with different labels that scores put in the same order",
        "graded",
        keys=("reference", "labels", "topic", "method", "quantity"),
        decimals=3,
        decimals_of={"pairs": 0},
        note=BESIDE,
    ),
    _item(
        "table-5.6",
        "Table 5.6. Pairs of documents with the same label that scores tell apart",
        "graded",
        keys=("reference", "label", "topic", "method", "quantity"),
        decimals=3,
        decimals_of={"pairs": 0},
        note=BESIDE,
    ),
    _item(
        "table-5.7",
        "Table 5.7. Agreement of labels and scores on the order of documents",
        "orders",
        keys=("first", "second", "quantity"),
        decimals=3,
        note=BESIDE,
    ),
    _item(
        "table-5.8",
        "Table 5.8. Agreement of labels and scores on the order of systems",
        "system_orders",
        measure=True,
        keys=("first", "second", "quantity"),
        decimals=3,
        note=BESIDE,
    ),
    _item(
        "table-5.9",
        "Table 5.9. Workers, how hard topics are, and how often workers are right",
        "topics",
        "difficulty",
        "accuracy",
        keys=("reference", "topic", "quantity"),
        decimals=3,
        decimals_of={
            "workers": 0,
            "accuracy": 2,
            "deviation": 2,
            "accuracy, all pairs": 2,
            "deviation, all pairs": 2,
        },
        note=(
            "Which question workers like better was asked in a survey, which answers do not tell. "
            "Accuracy is of the gold pair of each unit, where the task is known, and of all pairs "
            "with different labels. " + BESIDE
        ),
    ),
    _item(
        "table-5.10",
        "Table 5.10. Mean seconds of an answer",
        "topics",
        keys=("topic", "quantity"),
        decimals=2,
        note=(
            "The thesis asked questions alone in further tasks; ours are answers to all of them. "
            + BESIDE
        ),
    ),
    _item(
        "table-5.11",
        "Table 5.11. Which side is preferred where both documents have the same label",
        "sided",
        keys=("reference", "topic", "quantity"),
        decimals=3,
        decimals_of={"answers": 0},
        note=BESIDE,
    ),
    _item(
        "table-5.12",
        "Table 5.12. Agreement of preferences with labels, by the side of the higher one",
        "sided",
        keys=("reference", "topic", "experiment", "quantity"),
        decimals=3,
        decimals_of={"equal": 0, "left": 0, "right": 0},
        note=(
            "The thesis asked for new pairs of four topics a second time; ours is one experiment. "
            + BESIDE
        ),
    ),
    _item(
        "table-5.13",
        "Table 5.13. Pairs of systems that labels and scores tell apart",
        "quadrants",
        measure=True,
        settings=REFERENCES,
        keys=("reference", "labels", "quantity"),
        decimals_of={"ratio": 3, "tau": 3},
        note=BESIDE,
    ),
    _item(
        "table-5.14",
        "Table 5.14. Pairs of systems told apart by scores from some of the partitions",
        "partition_quadrants",
        measure=True,
        keys=("reference", "partitions", "method", "quantity"),
        note=BESIDE,
    ),
    _item(
        "table-5.15",
        "Table 5.15. RBO of rankings from some of the partitions and the first method's from all",
        "partition_quadrants",
        measure=True,
        keys=("partitions", "method"),
        decimals=4,
        note=BESIDE,
    ),
    _item(
        "table-pairs-alpha",
        "Answers about the same pair: agreement among people, questions, and with labels",
        "alphas",
        "questions",
        keys=("first", "second", "quantity"),
        decimals=3,
        decimals_of={"pairs": 0, "answers": 0},
    ),
    _item(
        "table-pairs-systems",
        "Rankings of systems under labels, and under scores as they are and mapped to levels",
        "system_orders",
        settings=REFERENCES,
        keys=("mapping", "first", "second", "measure", "quantity"),
        decimals=3,
    ),
    _item(
        "table-pairs-effects",
        "Mixed models: what time, consistency and agreement with labels have to do with",
        "effects",
        "label_effects",
        keys=("outcome", "model", "reference", "term", "level", "quantity"),
        decimals=4,
        note="Workers are a sample; coefficients are maximum likelihood, p from the normal.",
    ),
    _item(
        "table-pairs-partitions",
        "Mixed model: what the agreement of draws of partitions has to do with",
        "partition_effects",
        keys=("outcome", "model", "term", "level", "quantity"),
        decimals=4,
        note=(
            "Topics are a sample. Draws of many of few partitions share answers, so that α grows "
            "with their number for that alone."
        ),
    ),
)

FIGURES = (
    _item("figure-5.5", "Scores of documents by label", "documents", labels=True),
    _item("figure-5.6", "Scores of documents from the highest down", "scores", topics=True,
          labels=True),
    _item("figure-5.7", "Scores of documents against labels", "documents", "orders", labels=True),
    _item("figure-5.8", "Numbers given to express ratios, by label", "raw"),
    _item("figure-5.9", "Systems under each two sets of labels or scores", "systems",
          "system_orders", measure=True, labels=True),
    _item("figure-5.10", "Systems under scores mapped to a reference's levels", "systems",
          "system_orders", measure=True, labels=True, settings=REFERENCES),
    _item("figure-5.11", "Inconsistency of workers by how much they did", "workers", "relations",
          part="workers"),
    _item("figure-5.12", "Documents by the number of workers who judged them", "seen", topics=True,
          part="workers"),
    _item("figure-5.13", "Documents of each worker, by how many units showed them", "workers",
          topics=True, part="workers"),
    _item("figure-5.14", "Seconds of an answer, with gamma distributions", "times", "time_fits",
          topics=True, part="workers"),
    _item("figure-5.15", "Time for a document by how much workers did, and by its labels",
          "workers", "worker_labels", "relations", "label_relations", part="workers"),
    _item("figure-5.16", "Agreement of scores from draws of partitions", "partition_topics",
          part="partitions"),
    _item("figure-5.17", "Scores from some partitions and from all", "partition_topics",
          part="partitions"),
    _item("figure-5.18", "p-values of pairs of systems under references and scores", "p_values",
          "quadrants", measure=True, labels=True,
          settings={**REFERENCES, "significance": "pair_tests.significance"}),
    _item("figure-5.19", "p-values of pairs of systems under scores", "p_values", "quadrants",
          measure=True, labels=True,
          settings={**REFERENCES, "significance": "pair_tests.significance"}),
    _item("figure-5.20", "τ of p-values by partitions", "partition_taus", measure=True,
          part="partitions"),
    _item("figure-5.21", "Scores of systems from draws of partitions", "partition_systems",
          measure=True, part="partitions"),
)  # fmt: skip

PAIRS = (*TABLES, *FIGURES)
"""All items of chapter 5 that answers are about."""

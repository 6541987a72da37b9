"""The tables and figures of a sweep over all combinations of choices.

No paper's: what people ask of choices that could as well have been others.
"""

from __future__ import annotations

from regrade.studies.items import NOTHING_PRINTED, Study, choice, count, one_or_none, read_items

OPTIONS = {
    "sweep": one_or_none("Its name; absent or null, the only one.", names="sweeps"),
    "label_sweep": one_or_none("Its name; absent or null, the only one.", names="label_sweeps"),
    "outcome:labels": choice(
        "alpha relabelled",
        "alpha",
        "By which combinations are sorted: α with the reference, or the share of documents with a "
        "level other than the baseline's.",
    ),
    "outcome": choice(
        "tau told_apart otherwise",
        "otherwise",
        "By which combinations are sorted: τ_b with the baseline's ranking, significant pairs, or "
        "pairs with a conclusion other than the baseline's.",
    ),
    "systems": count(40, "Number of systems, the first at the baseline."),
    "systems:matrix": {
        "type": ["integer", "null"],
        "minimum": 2,
        "default": None,
        "description": "Number of systems, the first at the baseline; absent or null, all.",
    },
    "documents": count(30, "Number of documents."),
    "pairs": count(30, "Number of pairs."),
}

ITEMS = """
[]
    in sweeps/{sweep}
table-answer: Which choices decide the evaluation
    shows answer facts
    keys quantity
table-levels: Axes and their entries, and impossible combinations
    shows levels left_out
    keys axis entry quantity
table-axes: Shares of the outcomes' variance by choice
    shows axes
    keys outcome axis with_axis quantity
    decimals 4
table-systems: Ranks of systems over all combinations
    shows systems
    options systems
    settings limit=systems
    keys system quantity
    decimals 0; share_first 4; share_top 4
table-pairs: Pairs of systems whose conclusion changes most often
    shows pairs
    options pairs
    settings limit=pairs
    keys system other quantity
    decimals 4
table-examples: The fewest choices that change the conclusion on a pair
    shows examples
    options pairs
    settings limit=pairs
    keys system other quantity
figure-curve: Specification curve: combinations sorted by an outcome, and their choices
    shows curve curve_choices levels facts
    options outcome
figure-shares: Shares of three outcomes' variance by choice
    shows axes
figure-systems: Ranks of systems over all combinations
    shows systems facts
    options systems
    settings limit=systems
figure-pairs: Pairs of systems by the choice on which their conclusion depends
    shows pairs systems
    options systems:matrix
    settings limit=systems

[label]
    in label-sweeps/{label_sweep}
table-label-answer: Which choices decide how well labels agree with a reference
    shows answer facts
    keys quantity
table-label-entries: Agreement and changed levels by choice
    shows entries
    keys axis entry outcome quantity
    decimals 4; universes 0
table-label-documents: Documents whose level changes most often
    shows documents
    options documents
    settings limit=documents
    keys topic docno quantity
    decimals 4; grade 0; low 0; high 0
figure-label-curve: Specification curve of labels: combinations sorted by an outcome
    shows curve curve_choices levels facts
    options outcome:labels
figure-label-shares: Shares of the variance of agreement and levels by choice
    shows axes
"""

SWEEPS = Study(
    "sweeps",
    "Every combination of choices: what holds in all, and which choices decide",
    published=NOTHING_PRINTED,
    items=read_items(ITEMS, OPTIONS, package=__package__),
)

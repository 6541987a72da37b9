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
        "By which universes are ordered: α beside the reference, or the share of documents with "
        "another level than at the baseline.",
    ),
    "outcome": choice(
        "tau told_apart otherwise",
        "otherwise",
        "By which universes are ordered: τ_b with the baseline's ranking, pairs told apart, or "
        "pairs concluded otherwise than at the baseline.",
    ),
    "systems": count(40, "How many, the first at the baseline."),
    "systems:matrix": {
        "type": ["integer", "null"],
        "minimum": 2,
        "default": None,
        "description": "How many, the first at the baseline; absent or null, all.",
    },
    "documents": count(30, "How many."),
    "pairs": count(30, "How many."),
}

ITEMS = """
[]
    in sweeps/{sweep}
table-answer: What was swept, what holds whatever one chooses, and what decides
    shows answer facts
    keys quantity
table-levels: What was swept: the entries of each axis, and combinations that cannot be
    shows levels left_out
    keys axis entry quantity
table-axes: Which choice decides: shares of the outcomes' variance
    shows axes
    keys outcome axis with_axis quantity
    decimals 4
table-systems: Ranks of the systems over all universes
    shows systems
    options systems
    settings shown=systems
    keys system quantity
    decimals 0; share_first 4; share_top 4
table-pairs: Pairs of systems about which most universes conclude otherwise
    shows pairs
    options pairs
    settings shown=pairs
    keys system other quantity
    decimals 4
table-examples: The fewest other choices with which a pair is concluded otherwise
    shows examples
    options pairs
    settings shown=pairs
    keys system other quantity
figure-curve: Universes in the order of an outcome, and the choices of each
    shows curve curve_choices levels facts
    options outcome
figure-shares: Which choice decides: shares of three outcomes' variance
    shows axes
figure-systems: Ranks of the systems over all universes
    shows systems facts
    options systems
    settings shown=systems
figure-pairs: Pairs of systems by the choice on which their conclusion depends
    shows pairs systems
    options systems:matrix
    settings shown=systems

[label]
    in label-sweeps/{label_sweep}
table-label-answer: What labels could have been, and how they agree
    shows answer facts
    keys quantity
table-label-entries: Agreement and changed levels over the universes of each choice
    shows entries
    keys axis entry outcome quantity
    decimals 4; universes 0
table-label-documents: Documents that most labels give another level
    shows documents
    options documents
    settings shown=documents
    keys topic docno quantity
    decimals 4; grade 0; low 0; high 0
figure-label-curve: Ways to label in the order of an outcome, and the choices of each
    shows curve curve_choices levels facts
    options outcome:labels
figure-label-shares: Which choice decides labels and their agreement: shares of variance
    shows axes
"""

SWEEPS = Study(
    "sweeps",
    "Every combination of choices: what holds whatever one chooses, and which choice decides",
    published=NOTHING_PRINTED,
    items=read_items(ITEMS, OPTIONS, package=__package__),
)

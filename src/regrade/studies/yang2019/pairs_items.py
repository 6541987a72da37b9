"""The tables and figures of yang2019, chapter 5: what answers about pairs of documents tell."""

from __future__ import annotations

from regrade.studies.items import one_of, read_items

_SHOWN = {
    "type": ["array", "null"],
    "items": {"type": "string"},
    "uniqueItems": True,
    "default": None,
}

OPTIONS = {
    "set": one_of("pairs", "Which preferences."),
    "measure": {
        "type": "string",
        "default": "RBP(p=0.9)",
        "description": "The measure to show, of those of the set under `pairs`.",
    },
    "labels": {
        **_SHOWN,
        "description": (
            "The references and methods to show; absent or null, the references, and frequency, "
            "absolute and ratio as far as there are any, else frequency, copeland and "
            "bradley-terry."
        ),
    },
    "topics": {
        **_SHOWN,
        "description": "The topics to show; absent or null, the nine with the most documents.",
    },
}

NOTES = {
    "beside": "What the thesis printed rests on answers that are not public; it stands beside ours "
    "for orientation, and is not counted as coming out."
}
"""What must be said beside numbers of a crowd that nobody else has."""

PAIRS = read_items(
    """
[pairs]
    in preferences/{set}
table-5.4: Table 5.4. Workers, costs, trusted and untrusted answers
    shows topics
    keys topic quantity
    decimals 0; cost 2
    note {beside}
table-5.5: Table 5.5. Pairs of documents with different labels that scores put in the same order
    shows graded
    keys reference labels topic method quantity
    decimals 3; pairs 0
    note {beside}
table-5.6: Table 5.6. Pairs of documents with the same label and different scores
    shows graded
    keys reference label topic method quantity
    decimals 3; pairs 0
    note {beside}
table-5.7: Table 5.7. Agreement of labels and scores on the order of documents
    shows orders
    keys first second quantity
    decimals 3
    note {beside}
table-5.8: Table 5.8. Agreement of labels and scores on the order of systems
    shows system_orders
    options measure
    filters measure
    keys first second quantity
    decimals 3
    note {beside}
table-5.9: Table 5.9. Workers, how hard topics are, and how often workers are right
    shows topics difficulty accuracy
    keys reference topic quantity
    decimals 3; workers 0; accuracy 2; deviation 2; accuracy, all pairs 2; deviation, all pairs
        2
    note Which question workers like better was asked in a survey, which answers do not tell.
        Accuracy is of the gold pair of each unit, where the task is known, and of all pairs with
        different labels. {beside}
table-5.10: Table 5.10. Mean seconds of an answer
    shows topics
    keys topic quantity
    decimals 2
    note The thesis asked questions alone in further tasks; ours are answers to all of them.
        {beside}
table-5.11: Table 5.11. Preferred side of pairs with equal labels
    shows sided
    keys reference topic quantity
    decimals 3; answers 0
    note {beside}
table-5.12: Table 5.12. Agreement of preferences with labels, by the side of the higher one
    shows sided
    keys reference topic experiment quantity
    decimals 3; equal 0; left 0; right 0
    note The thesis asked for new pairs of four topics a second time; ours is one experiment.
        {beside}
table-5.13: Table 5.13. Significant pairs of systems under labels and scores
    shows quadrants
    options measure
    filters measure
    settings references=pairs.references
    keys reference labels quantity
    decimals 0; ratio 3; tau 3
    note {beside}
table-5.14: Table 5.14. Significant pairs of systems under scores from some of the partitions
    shows partition_quadrants
    options measure
    filters measure
    keys reference partitions method quantity
    note {beside}
table-5.15: Table 5.15. RBO of rankings from some of the partitions and the first method's from all
    shows partition_quadrants
    options measure
    filters measure
    keys partitions method
    decimals 4
    note {beside}
table-pairs-alpha: Answers about the same pair: agreement among people, questions, and with labels
    shows alphas questions
    keys first second quantity
    decimals 3; pairs 0; answers 0
table-pairs-systems: Rankings of systems under labels, and under scores as they are and mapped to
        levels
    shows system_orders
    settings references=pairs.references
    keys mapping first second measure quantity
    decimals 3
table-pairs-effects: Mixed models of time, consistency and agreement with labels
    shows effects label_effects
    keys outcome model reference term level quantity
    decimals 4
    note Workers are a sample; coefficients are maximum likelihood, p from the normal.
table-pairs-partitions: Mixed model: effects on the agreement of sampled partitions
    shows partition_effects
    keys outcome model term level quantity
    decimals 4
    note Topics are a sample. Draws of many of few partitions share answers, so that α grows
        with their number for that alone.
figure-5.5: Scores of documents by label
    shows documents
    options labels
figure-5.6: Scores of documents from the highest down
    shows scores
    options labels topics
figure-5.7: Scores of documents against labels
    shows documents orders
    options labels
figure-5.8: Numbers given to express ratios, by label
    shows raw
figure-5.9: Systems under each two sets of labels or scores
    shows systems system_orders
    options measure labels
    filters measure
figure-5.10: Systems under scores mapped to a reference's levels
    shows systems system_orders
    options measure labels
    filters measure
    settings references=pairs.references
[pairs]
    in preferences/{set}
figure-5.11: Inconsistency of workers by how much they did
    shows workers relations
figure-5.12: Documents by the number of workers who judged them
    shows seen
    options topics
figure-5.13: Documents of each worker, by how many units showed them
    shows workers
    options topics
figure-5.14: Seconds of an answer, with gamma distributions
    shows times time_fits
    options topics
figure-5.15: Time for a document by how much workers did, and by its labels
    shows workers worker_labels relations label_relations
[budgets]
    in preferences/{set}
figure-5.16: Agreement of scores from sampled partitions
    shows partition_topics
figure-5.17: Scores from some partitions and from all
    shows partition_topics
[pairs]
    in preferences/{set}
    options measure labels
    settings references=pairs.references significance=pair_tests.significance
figure-5.18: p-values of pairs of systems under references and scores
    shows p_values quadrants
    filters measure
figure-5.19: p-values of pairs of systems under scores
    shows p_values quadrants
    filters measure
[budgets]
    in preferences/{set}
    options measure
figure-5.20: τ of p-values by partitions
    shows partition_taus
    filters measure
figure-5.21: Scores of systems from sampled partitions
    shows partition_systems
    filters measure
""",
    OPTIONS,
    NOTES,
    comparable=False,
    package=__package__,
)
"""All items of chapter 5 that answers are about."""

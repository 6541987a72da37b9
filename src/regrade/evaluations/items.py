"""The tables and figures of two sets of judgments side by side.

No paper's: what people ask of a second set of judgments of the same documents.
"""

from __future__ import annotations

from regrade.significance.items import SIGNIFICANCE
from regrade.studies.items import NOTHING_PRINTED, Study, count, one_of, one_or_none, read_items

OPTIONS = {
    "pair": one_of("compare", "The pair, `<first>-and-<second>`."),
    "judges": one_of("judges", "Its name, or its reference."),
    "measure": one_or_none("A measure of those under `judges`; absent or null, the first."),
    "movers": count(10, "Number of systems for each measure."),
    "movers:lines": count(5, "Number of systems for each measure."),
    "pairs": count(30, "Number of pairs."),
    "topics": count(10, "Number of topics."),
}

ITEMS = """
[comparison]
    in compare/{pair}
table-labels: Overlap of both sets, and agreement of labels
    shows facts labels
    keys quantity
    decimals 3
table-grade-bias: Exact agreement and bias by grade of the first set
    shows grade_bias
    keys grade quantity
    decimals 3; documents 0; topics 0
table-confusion: Documents by their two grades
    shows confusion
    keys first_grade second_grade
table-rankings: Correlation of the system rankings, with 95 % intervals over samples of topics
    shows rankings
    keys measure quantity
    decimals 3
table-pairs: Pairs of systems: change of significance
    shows pair_counts changes
    keys measure outcome change
table-changed-pairs: Every pair of systems whose significance appears, disappears or reverses
    shows pairs
    options pairs
    settings limit=pairs
    keys measure change system other quantity
    decimals 4
table-top: Changes among the top systems
    shows top
    keys measure k system quantity
table-movers: The systems that move furthest
    shows systems
    options movers
    keys measure system quantity
    decimals 3; rank before 0; rank after 0; move 0
table-topics: The topics on which the sets differ most
    shows agreement topics
    options topics
    settings limit=topics
    keys topic quantity
    decimals 3; documents 0
table-groups: Whether systems of one group gain
    shows groups
    keys measure group quantity
    decimals 3; systems 0; mean move 1
table-reliability: Similarity of rankings on two halves of the topics, under one set and across both
    shows reliability
    keys measure quantity of
    decimals 3
figure-confusion: Documents by their two grades
    shows confusion
figure-grade-bias: Bias by grade of the first set
    shows grade_bias
figure-systems: Scores of systems under both sets
    shows systems rankings
figure-ranks: Ranks of systems under both sets, the largest movers by name
    shows systems
    options movers:lines
figure-pairs: Pairs of systems by change of significance
    shows pair_counts facts
figure-topics: Agreement of labels and of systems by topic
    shows agreement topics
figure-reliability: Rankings on halves of the topics, under one set and across both
    shows reliability
[judges]
    in judges/{judges}
table-judges: Judges and a reference: overlap
    shows sets
    keys judge quantity
table-judge-labels: Judges and a reference: cuts and agreement of labels
    shows cuts agreement
    keys judge labels quantity
    decimals 3
table-judge-systems: Judges and a reference: rankings of systems, and significance of pairs
    shows rankings pairs changes differences
    keys measure judge labels quantity
    decimals 3; appears 0; disappears 0; reverses 0; stays 0; none 0; by_topics 0;
        significant_changes 0
table-judge-confusion: Judges and a reference: documents by both grades
    shows confusion
    keys judge labels reference_grade level
table-judge-variance: Judge, cut, topic or system: which decides scores, shares of their variance
    shows variance
    keys measure of axis other quantity
    decimals 4
figure-judge-labels: Agreement of the judges' labels with the reference, under every cut
    shows agreement
figure-judge-systems: Correlation with the ranking under the reference, by judge and cut
    shows rankings pairs
    options measure
"""

COMPARE = Study(
    "compare",
    "Two sets of judgments of the same documents: would the evaluation have come out differently?",
    published=NOTHING_PRINTED,
    items=(*read_items(ITEMS, OPTIONS, package=__package__), *SIGNIFICANCE),
)

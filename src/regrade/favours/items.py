"""The tables and figures of which documents carry a judge's favour.  No paper's."""

from __future__ import annotations

from regrade.studies.items import NOTHING_PRINTED, Study, count, one_of, one_or_none, read_items

OPTIONS = {
    "favour": one_of("favour", "Its name, or its reference."),
    "measure": one_or_none("A measure; absent or null, the first."),
    "judge": one_or_none("A judge; absent or null, that of the largest favour."),
    "family": one_or_none("A family; absent or null, that of the judge's largest favour."),
    "documents": count(5, "Number of documents of each judge and family."),
}

ITEMS = """
[documents]
    in favour/{favour}
table-documents: Parts of each favour by the documents that carry it
    shows documents
    keys measure judge family beside peers carriers quantity
    decimals 4; carried share 3
table-document-labels: Mean labels of documents among the first of families and other systems
    shows document_labels
    keys measure judge family carriers quantity
    decimals 3; documents 0; unlabelled 0; topics 0
table-unique-labels: Labels of documents unique to a family, compared with other first documents
    shows unique_labels
    keys measure judge family beside peers quantity
    decimals 3; p_adjusted 4
table-document-grades: Documents by the grades of the reference and of each judge
    shows document_grades
    keys measure judge family carriers reference grade
table-top-documents: Documents with the largest parts of each favour
    shows top_documents
    options documents
    settings limit=documents
    keys measure judge family topic docno quantity
    decimals 4; systems 0; others 0; reference 1; grade 1; control 1
figure-documents: Parts of each favour by the documents that carry it
    shows documents effects
    options measure
figure-topics: Topics by the favour of a judge for a family, with the documents that carry it
    shows topic_parts topic_effects effects
    options measure judge family
"""

FAVOUR = Study(
    "favour",
    "Which documents carry a judge's favour for a family of systems",
    published=NOTHING_PRINTED,
    items=read_items(ITEMS, OPTIONS, package=__package__),
)
"""Which documents carry a judge's favour for a family of systems."""

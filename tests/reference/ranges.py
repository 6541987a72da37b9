"""Ranges of scores by trying every assignment of grades to unjudged documents.

A ranking is a list of docnos, a qrels a dict from docno to grade.
"""

from itertools import product


def brute_force_range(measure, ranking, qrels, levels, outside=0):
    """Lowest and highest ``measure(ranking, qrels)`` over all grades of the unjudged documents.

    `outside` more documents, in no ranking, may have any of the levels too.
    """
    unjudged = [docno for docno in ranking if docno not in qrels]
    unjudged += [f"outside-{i}" for i in range(outside)]
    values = [
        measure(ranking, qrels | dict(zip(unjudged, grades, strict=True)))
        for grades in product(levels, repeat=len(unjudged))
    ]
    return min(values), max(values)

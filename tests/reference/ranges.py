"""Ranges of scores by trying every assignment of grades to unjudged documents.

A ranking is a list of docnos, a qrels a dict from docno to grade.
"""

from itertools import product


def brute_force_range(measure, ranking, qrels, levels):
    """Lowest and highest ``measure(ranking, qrels)`` over all grades of the unjudged documents."""
    unjudged = [docno for docno in ranking if docno not in qrels]
    values = [
        measure(ranking, qrels | dict(zip(unjudged, grades, strict=True)))
        for grades in product(levels, repeat=len(unjudged))
    ]
    return min(values), max(values)

"""Measures in plain Python, one ranking of one topic at a time: what the kernels must agree with.

Written from the definitions, and where one can choose, in another form than the library's: the
residual of RBP is the best case less the worst case, RR and ERR are separate, and so on.

A ranking is a list of docnos, a qrels a dict from docno to grade.
"""

from math import inf, log


def precision(ranking, qrels, *, cutoff, rel=1):
    return sum(1 for docno in ranking[:cutoff] if qrels.get(docno, -inf) >= rel) / cutoff


def r_precision(ranking, qrels, *, rel=1):
    R = n_relevant(qrels, rel)
    return precision(ranking, qrels, cutoff=R, rel=rel) if R else 0.0


def average_precision(ranking, qrels, *, rel=1, cutoff=None):
    precisions = [
        precision(ranking, qrels, cutoff=i, rel=rel)
        for i, docno in enumerate(ranking[:cutoff], start=1)
        if qrels.get(docno, -inf) >= rel
    ]
    R = n_relevant(qrels, rel)
    return sum(precisions) / R if R else 0.0


def reciprocal_rank(ranking, qrels, *, rel=1, cutoff=None):
    for i, docno in enumerate(ranking[:cutoff], start=1):
        if qrels.get(docno, -inf) >= rel:
            return 1 / i
    return 0.0


def ndcg(ranking, qrels, *, dcg="log2", gains=None, base=None, cutoff=None):
    def gain(grade):
        if gains is not None and grade in gains:
            return gains[grade]
        grade = max(grade, 0)
        return 2**grade - 1 if dcg == "exp-log2" else grade

    def discount(i):
        if base is None:
            return log(1 + i, 2)
        return max(1.0, log(i, base))

    def dcg_of(gains_by_rank):
        return sum(g / discount(i) for i, g in enumerate(gains_by_rank[:cutoff], start=1))

    ideal = dcg_of(sorted((gain(grade) for grade in qrels.values()), reverse=True))
    actual = dcg_of([gain(qrels[docno]) if docno in qrels else 0.0 for docno in ranking])
    return actual / ideal if ideal else 0.0


def expected_reciprocal_rank(ranking, qrels, *, max_rel, cutoff=None):
    total, reached = 0.0, 1.0
    for i, docno in enumerate(ranking[:cutoff], start=1):
        satisfied = (2 ** max(qrels.get(docno, 0), 0) - 1) / 2**max_rel
        total += reached * satisfied / i
        reached *= 1 - satisfied
    return total


def rank_biased_precision(ranking, qrels, *, p=0.8, rel=None, max_rel=1, cutoff=None):
    """Value and residual."""

    def gain(docno, unjudged):
        if docno not in qrels:
            return unjudged
        return max(qrels[docno], 0) / max_rel if rel is None else float(qrels[docno] >= rel)

    def case(unjudged):
        listed = ranking[:cutoff]
        seen = sum((1 - p) * p**i * gain(docno, unjudged) for i, docno in enumerate(listed))
        return seen + unjudged * p ** len(listed)

    return case(0.0), case(1.0) - case(0.0)


def n_relevant(qrels, rel):
    return sum(grade >= rel for grade in qrels.values())

"""Estimates from some labels, one document and one system at a time, in plain Python."""

from itertools import product
from math import log2


def sum_weights(measure, depth):
    """W of each rank of a P@k, DCG@k, RBP."""
    name, k, p = measure
    if name == "P":
        return [1 / k if i <= k else 0.0 for i in range(1, depth + 1)]
    if name == "DCG":
        return [1 / log2(1 + i) if i <= k else 0.0 for i in range(1, depth + 1)]
    return [(1 - p) * p ** (i - 1) for i in range(1, depth + 1)]


def difference_estimate(ranking, weights, gains, expected, grades, inclusion, documents):
    """M̂ = Σ w ŷ + Σ_chosen w (y − ŷ) / π of one ranking, and its estimated variance."""
    value = variance = 0.0
    for document in documents:
        w = weights[ranking.index(document)] if document in ranking else 0.0
        value += w * expected[document]
        if document in grades:
            off = gains[grades[document]] - expected[document]
            pi = inclusion[document]
            value += w * off / pi
            variance += (1 - pi) / pi**2 * (w * off) ** 2
    return value, variance


def samples(inclusion):
    """Every sample of a few documents, and its probability."""
    names = list(inclusion)
    for taken in product((False, True), repeat=len(names)):
        probability = 1.0
        for name, is_taken in zip(names, taken, strict=True):
            probability *= inclusion[name] if is_taken else 1 - inclusion[name]
        yield [name for name, is_taken in zip(names, taken, strict=True) if is_taken], probability


def counts(shares):
    """The distribution of how many events happen, over every outcome."""
    found = [0.0] * (len(shares) + 1)
    for outcome in product((0, 1), repeat=len(shares)):
        probability = 1.0
        for happens, share in zip(outcome, shares, strict=True):
            probability *= share if happens else 1 - share
        found[sum(outcome)] += probability
    return found


def ideal_dcg(gains, k):
    """The highest DCG@k of documents with these gains."""
    return sum(g / log2(2 + i) for i, g in enumerate(sorted(gains, reverse=True)[:k]))


def expected_ideal(shares, gains, k):
    """Its expectation, over every assignment of levels to independent documents."""
    total = 0.0
    for levels in product(range(len(gains)), repeat=len(shares)):
        probability = 1.0
        for level, of_document in zip(levels, shares, strict=True):
            probability *= of_document[level]
        total += probability * ideal_dcg([gains[level] for level in levels], k)
    return total


def average_precision(ranking, relevant):
    """Of one ranking, `relevant` holding a share from 0 to 1 for each document."""
    total, met = 0.0, 0.0
    for rank, document in enumerate(ranking, start=1):
        share = relevant.get(document, 0.0)
        total += share * (1 + met) / rank
        met += share
    everything = sum(relevant.values())
    return total / everything if everything else 0.0

"""Estimates from some labels, one document and one system at a time, in plain Python."""

from itertools import permutations, product
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


def pivotal(inclusion, topics):
    """Every sample of the pivotal method by topics, and its probability, over every order."""
    by_topic = {}
    for i, topic in enumerate(topics):
        by_topic.setdefault(topic, []).append(i)
    states = {tuple(inclusion): 1.0}
    for of_topic in by_topic.values():
        states = _over_orders(states, lambda p, own=of_topic: own)
    states = _over_orders(states, lambda p: [i for i, one in enumerate(p) if 1e-9 < one < 1 - 1e-9])
    found = {}
    for p, probability in states.items():
        sample = tuple(i for i, one in enumerate(p) if one > 0.5)
        found[sample] = found.get(sample, 0.0) + probability
    return found


def _over_orders(states, of):
    """States of probabilities after their documents met, in every order alike."""
    found = {}
    for p, probability in states.items():
        orders = list(permutations(of(p)))
        for order in orders:
            for after, share in _after(list(p), list(order)):
                after = tuple(after)
                found[after] = found.get(after, 0.0) + probability * share / len(orders)
    return found


def _after(p, order):
    """The first two that are not decided meet; one of them goes on."""
    open_ones = [i for i in order if 1e-9 < p[i] < 1 - 1e-9]
    if len(open_ones) < 2:
        yield p, 1.0
        return
    a, b, rest = open_ones[0], open_ones[1], open_ones[2:]
    total = p[a] + p[b]
    for stays, goes in ((a, b), (b, a)):
        # the one that goes is out, or in
        share = p[stays] / total if total < 1 else (1 - p[stays]) / (2 - total)
        left = total if total < 1 else total - 1
        moved = list(p)
        moved[stays], moved[goes] = left, 0.0 if total < 1 else 1.0
        for after, more in _after(moved, [stays, *rest]):
            yield after, share * more


def joint_estimate(shares, values, labels, weights, levels):
    """How many documents have each level by people and each value by the model, as a mapping."""
    joint = {}
    for i, (of_document, value) in enumerate(zip(shares, values, strict=True)):
        for level in range(levels):
            counted = of_document[level]
            if i in labels:
                counted += weights[i] * ((labels[i] == level) - of_document[level])
            joint[level, value] = joint.get((level, value), 0.0) + counted
    return joint


def ordinal_alpha(joint):
    """Krippendorff's α of two coders' joint counts, over all pairs of values."""
    n = {}
    for (one, other), count in joint.items():
        n[one] = n.get(one, 0.0) + count
        n[other] = n.get(other, 0.0) + count
    ordered = sorted(n)

    def delta(v, w):
        low, high = min(v, w), max(v, w)
        between = sum(n[g] for g in ordered if low <= g <= high)
        return (between - (n[v] + n[w]) / 2) ** 2

    observed = 2 * sum(count * delta(v, w) for (v, w), count in joint.items())
    expected = sum(n[v] * n[w] * delta(v, w) for v in ordered for w in ordered)
    return 1 - (sum(n.values()) - 1) * observed / expected


def cohens_kappa(joint):
    """κ of joint counts, one pair of values at a time."""
    n = sum(joint.values())
    values = {value for pair in joint for value in pair}
    rows = {v: sum(c for (a, _), c in joint.items() if a == v) for v in values}
    columns = {v: sum(c for (_, b), c in joint.items() if b == v) for v in values}
    chance = sum(rows[v] * columns[v] for v in values) / n**2
    seen = sum(c for (a, b), c in joint.items() if a == b) / n
    return (seen - chance) / (1 - chance)


def error_of(coefficient, joint, shares, values, labels, inclusion, levels):
    """The standard error of a coefficient: its slopes by counts, found by moving them a little."""
    step, slopes = 1e-4, {}
    for cell in joint:
        ends = [coefficient({**joint, cell: joint[cell] + way}) for way in (step, -step)]
        slopes[cell] = (ends[0] - ends[1]) / (2 * step)
    variance = seen = awaited = 0.0
    for i, (of_document, value) in enumerate(zip(shares, values, strict=True)):
        moved = [slopes[level, value] for level in range(levels)]
        mean = sum(p * u for p, u in zip(of_document, moved, strict=True))
        spread = sum(p * (u - mean) ** 2 for p, u in zip(of_document, moved, strict=True))
        pi = inclusion[i]
        variance += (1 - pi) / pi * spread
        if i in labels:
            seen += (1 - pi) / pi**2 * (moved[labels[i]] - mean) ** 2
            awaited += (1 - pi) / pi**2 * spread
    return (variance * max(1.0, seen / awaited)) ** 0.5

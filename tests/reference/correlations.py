"""Correlations of rankings in plain Python: by enumerating the orders of whatever ties.

A ranking is a list of scores, one per system; equal scores tie.
"""

from itertools import permutations, product


def orders(scores):
    """Every way to order systems by score, descending: lists of indices."""
    groups = [
        [i for i, score in enumerate(scores) if score == value]
        for value in sorted(set(scores), reverse=True)
    ]
    for order in product(*map(permutations, groups)):
        yield [i for group in order for i in group]


def mean_over_orders(coefficient, x, y):
    values = [coefficient(a, b) for a in orders(x) for b in orders(y)]
    return sum(values) / len(values)


def tau_ap(truth, ranking):
    """Of two orders without ties (Yilmaz et al., Equation 1)."""
    n = len(ranking)
    place = {system: i for i, system in enumerate(truth)}
    total = sum(
        sum(place[above] < place[ranking[i]] for above in ranking[:i]) / i for i in range(1, n)
    )
    return 2 / (n - 1) * total - 1


def rbo_ext(x, y, p, depth=None):
    """Of two orders without ties (Webber et al., Equation 30)."""
    return extrapolate([len(set(x[:d]) & set(y[:d])) / d for d in depths(x, depth)], p)


def rbo_ext_w(x, y, p, depth=None):
    """Of scores, by sets of the systems whose competition rank is at most d."""

    def agreement(d):
        top_x, top_y = (
            {i for i, score in enumerate(scores) if sum(s > score for s in scores) < d}
            for scores in (x, y)
        )
        return 2 * len(top_x & top_y) / (len(top_x) + len(top_y))

    return extrapolate([agreement(d) for d in depths(x, depth)], p)


def rbo_ext_b(x, y, p, depth=None):
    """Of scores, by the share of all orders in which a system is within depth d."""

    def places(scores):
        return [{i: place for place, i in enumerate(order)} for order in orders(scores)]

    places_x, places_y = places(x), places(y)

    def shares(places, d):
        return [sum(o[i] < d for o in places) / len(places) for i in range(len(x))]

    def agreement(d):
        a, b = shares(places_x, d), shares(places_y, d)
        ab = sum(s * t for s, t in zip(a, b, strict=True))
        return ab / (sum(s * s for s in a) * sum(t * t for t in b)) ** 0.5

    return extrapolate([agreement(d) for d in depths(x, depth)], p)


def depths(ranking, depth):
    return range(1, min(len(ranking), depth or len(ranking)) + 1)


def extrapolate(agreement, p):
    k = len(agreement)
    seen = sum(p**d * a for d, a in enumerate(agreement, start=1))
    return (1 - p) / p * seen + agreement[-1] * p**k

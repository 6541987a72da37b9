"""Ties in plain Python: every order of every group, and the thesis's formulas as printed.

A tied ranking is a list of groups, each a list of docnos.
"""

from fractions import Fraction
from itertools import chain, permutations, product
from math import comb, prod


def orders(groups):
    """Every ranking that the groups allow."""
    for order in product(*(permutations(group) for group in groups)):
        yield list(chain.from_iterable(order))


def eq33(groups, relevant, R, k=None):
    """Equations 3.1 to 3.3: AP(k) from enr(i), group by group."""
    total, before, i = Fraction(0), 0, 0
    for group in groups:
        R_g, l_g = sum(docno in relevant for docno in group), len(group)
        for place in range(1, l_g + 1):
            i += 1
            if k is None or i <= k:
                enr = before + Fraction(R_g, l_g) * place
                total += enr / i * Fraction(R_g, l_g)
        before += R_g
    return total / R


def cascade_of_one_group(counts):
    """E[1/i of the rank i where a user stops] in one group, by counting what was seen.

    `counts` maps stopping probabilities (fractions) to how many documents have them.
    """
    size = sum(counts.values())

    def still_reading(m):
        chosen = product(*(range(min(n, m) + 1) for n in counts.values()))
        return sum(
            prod((1 - s) ** k * comb(n, k) for (s, n), k in zip(counts.items(), ks, strict=True))
            for ks in chosen
            if sum(ks) == m
        ) / Fraction(comb(size, m))

    reading = [still_reading(m) for m in range(size + 1)]
    return sum((reading[m] - reading[m + 1]) / (m + 1) for m in range(size))


def precision_sum_of_one_group(relevant, size):
    """E[Σ P@i over relevant ranks i] in one group, by the probabilities of pairs of ranks."""
    single = Fraction(relevant, size)
    pair = single * Fraction(relevant - 1, size - 1)
    return sum((single + (i - 1) * pair) / i for i in range(1, size + 1))

"""Models of judges by plain dictionaries and loops, in the order of their papers' equations."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

TINY = 1e-10


def shares_of_votes(votes):
    """By document, what share of its votes each label has; a vote is (document, judge, label)."""
    counts = defaultdict(Counter)
    for document, _, label in votes:
        counts[document][label] += 1
    labels = sorted({label for _, _, label in votes})
    return {d: {label: c[label] / sum(c.values()) for label in labels} for d, c in counts.items()}


def confusions(votes, posterior):
    """Dawid and Skene's step M: how often a judge says each label, by the true one."""
    counts = defaultdict(float)
    for document, judge, label in votes:
        for truth, p in posterior[document].items():
            counts[judge, label, truth] += p
    said = {(judge, label) for _, judge, label in votes}
    found = {}
    for judge, label in said:
        for truth in next(iter(posterior.values())):
            every = (max(counts[j, o, truth], TINY) for j, o in said if j == judge)
            found[judge, label, truth] = max(counts[judge, label, truth], TINY) / sum(every)
    return found


def coins(votes, posterior):
    """The one-coin step M: a judge is right with one probability, and else says any other label."""
    right, n = defaultdict(float), Counter()
    for document, judge, label in votes:
        right[judge] += posterior[document][label]
        n[judge] += 1
    labels = list(next(iter(posterior.values())))
    found = {}
    for _, judge, label in votes:
        for truth in labels:
            skill = right[judge] / n[judge]
            wrong = (1 - skill) / (len(labels) - 1)
            found[judge, label, truth] = min(
                max(skill if label == truth else wrong, TINY), 1 - TINY
            )
    return found


def most_likely(votes, step, iterations=100, tolerance=1e-5):
    """Posterior by document after expectation and maximisation by turns, from shares of votes."""
    posterior = shares_of_votes(votes)
    prior, errors = _prior(posterior), step(votes, posterior)
    bound = -math.inf
    for _ in range(iterations):
        posterior = _expected(votes, prior, errors)
        prior, errors = _prior(posterior), step(votes, posterior)
        new = _lower_bound(votes, posterior, prior, errors) / len(votes)
        if new - bound < tolerance:
            break
        bound = new
    return posterior


def _prior(posterior):
    labels = next(iter(posterior.values()))
    return {
        label: max(sum(p[label] for p in posterior.values()) / len(posterior), TINY)
        for label in labels
    }


def _expected(votes, prior, errors):
    logs = defaultdict(lambda: {label: math.log(p) for label, p in prior.items()})
    for document, judge, label in votes:
        for truth in prior:
            logs[document][truth] += math.log(errors[judge, label, truth])
    found = {}
    for document, by_label in logs.items():
        highest = max(by_label.values())
        total = sum(math.exp(v - highest) for v in by_label.values())
        found[document] = {k: math.exp(v - highest) / total for k, v in by_label.items()}
    return found


def _lower_bound(votes, posterior, prior, errors):
    """The prior is counted with each vote, as crowd-kit does, which only says when to stop."""
    total = 0.0
    for document, judge, label in votes:
        for truth, p in posterior[document].items():
            total += p * (math.log(errors[judge, label, truth]) + math.log(prior[truth]))
    for by_label in posterior.values():
        total -= sum(max(p, TINY) * math.log(max(p, TINY)) for p in by_label.values())
    return total

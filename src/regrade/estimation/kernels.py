"""Kernels of the model of grades and of average precision.

A grade is told by its steps: step l is whether it is at least l, given that it is at least l − 1
(a continuation ratio).  What a document's features say of a step is its logit, to which its topic
adds τ·z, z standard normal.
"""

from __future__ import annotations

import numpy as np

from regrade.cholesky import solve, upper_factor
from regrade.compiled import njit

_ITERATIONS = 25
_FAR = 5.0
"""The furthest that a coefficient moves at once."""

_DONE = 1e-8


@njit(cache=True, nogil=True)
def fit_step(X, topic, y, tau, beta, z):
    """The mode of a logistic model with topics, by Newton's method, in place."""
    # loops, as numba compiles expressions of arrays for a second each
    m, P = X.shape
    T = len(z)
    covariance, topic_step = np.eye(P), np.empty(T)
    for _ in range(_ITERATIONS):
        gradient, topic_gradient = np.empty(P), np.empty(T)
        H, across, own = np.eye(P), np.zeros((T, P)), np.ones(T)
        for p in range(P):
            gradient[p] = -beta[p]
        for t in range(T):
            topic_gradient[t] = -z[t]
        for i in range(m):
            t = topic[i]
            logit = tau * z[t]
            for p in range(P):
                logit += X[i, p] * beta[p]
            share = 1 / (1 + np.exp(-logit))
            off, weight = y[i] - share, share * (1 - share)
            topic_gradient[t] += tau * off
            own[t] += tau * tau * weight
            for p in range(P):
                gradient[p] += X[i, p] * off
                across[t, p] += tau * weight * X[i, p]
                for q in range(p + 1):
                    H[p, q] += weight * X[i, p] * X[i, q]
        for t in range(T):  # topics are solved for
            for p in range(P):
                share = across[t, p] / own[t]
                gradient[p] -= share * topic_gradient[t]
                for q in range(p + 1):
                    H[p, q] -= share * across[t, q]
        for p in range(P):
            for q in range(p):
                H[q, p] = H[p, q]
        factor = upper_factor(H)
        step, far = solve(factor, gradient), 0.0
        for t in range(T):
            for p in range(P):
                topic_gradient[t] -= across[t, p] * step[p]
            topic_step[t] = topic_gradient[t] / own[t]
            far = max(far, abs(topic_step[t]))
        for p in range(P):
            far = max(far, abs(step[p]))
        shorter = min(1.0, _FAR / max(far, _DONE))
        for p in range(P):
            beta[p] += shorter * step[p]
        for t in range(T):
            z[t] += shorter * topic_step[t]
        if far < _DONE:
            break
    for p in range(P):
        gradient[:] = 0.0
        gradient[p] = 1.0
        column = solve(factor, gradient)
        for q in range(P):
            covariance[p, q] = column[q]
    return covariance


_HIGHEST = 250.0
"""The highest log odds of a label being another; what is less likely decides alike."""

_MOST = 600.0
"""Below the logarithm of the highest number."""


@njit(cache=True, nogil=True)
def add_labels(logs, factors, passed, odds):
    """Add the log probability of labels of one step, at each z and in each draw.

    That of a label is −log(1 + factor·odds); of many the logarithm of the product is taken.
    """
    K, B = logs.shape
    product, waiting, furthest = np.ones((K, B)), 0.0, np.log(odds.max())
    for i in range(len(factors)):
        of_label, of_draw = odds[passed[i]], factors[i]
        bound = max(np.log(of_draw.max()) + furthest, 0.0) + 0.7  # log(1 + x) ≤ max(log x, 0) + 0.7
        if waiting + bound > _MOST:
            for k in range(K):
                for b in range(B):
                    logs[k, b] -= np.log(product[k, b])
                    product[k, b] = 1.0
            waiting = 0.0
        waiting += bound
        for k in range(K):
            row, at = product[k], of_label[k]
            for b in range(B):
                row[b] *= 1 + of_draw[b] * at
    for k in range(K):
        for b in range(B):
            logs[k, b] -= np.log(product[k, b])


@njit(cache=True, nogil=True)
def evidence(logits, topic, y, taus, nodes, log_prior):
    """(G,) the log probability of labels under each τ, topics being integrated out."""
    m, G, K = len(y), len(taus), len(nodes)
    odds, logs, factors = np.empty((2, G * K)), np.empty((G * K, 1)), np.empty((m, 1))
    for g in range(G):
        for k in range(K):
            odds[0, g * K + k] = np.exp(taus[g] * nodes[k])
            odds[1, g * K + k] = 1 / odds[0, g * K + k]
    for i in range(m):
        factors[i, 0] = np.exp(min(logits[i] * (1 - 2 * y[i]), _HIGHEST))
    of_tau, start = np.zeros(G), 0
    for i in range(1, m + 1):
        if i == m or topic[i] != topic[start]:
            for g in range(G):
                for k in range(K):
                    logs[g * K + k, 0] = log_prior[k]
            add_labels(logs, factors[start:i], y[start:i], odds)
            for g in range(G):
                highest, total = -np.inf, 0.0
                for k in range(g * K, (g + 1) * K):
                    highest = max(highest, logs[k, 0])
                for k in range(g * K, (g + 1) * K):
                    total += np.exp(logs[k, 0] - highest)
                of_tau[g] += highest + np.log(total)
            start = i
    return of_tau


def topic_log_likelihood(
    logits: np.ndarray, levels: np.ndarray, tau: np.ndarray, nodes: np.ndarray
) -> np.ndarray:
    """The log probability of a topic's labels at each value of its z, in each draw."""
    _, steps, B = logits.shape
    log_likelihood = np.zeros((steps, len(nodes), B))
    for step in range(steps):
        reached = levels >= step
        passed = (levels[reached] > step).astype(np.int64)
        against = logits[reached, step] * (1 - 2 * passed[:, None])
        odds = np.exp(np.outer([1, -1], tau[step] * nodes))
        add_labels(log_likelihood[step], np.exp(np.minimum(against, _HIGHEST)), passed, odds)
    return log_likelihood.transpose(2, 0, 1)


@njit(cache=True, nogil=True)
def average_precision(rows, starts, stops, cutoff, relevant, inverse, weights, labelled):
    """Average precision of each ranking in each draw, and what documents add to it."""
    S, (n, B) = len(starts), relevant.shape
    values, added, mean_added = np.zeros((S, B)), np.zeros((S, len(weights))), np.zeros((S, n))
    above, below = np.empty(B), np.empty(B)
    for s in range(S):
        above[:] = 0
        below[:] = 0
        last = min(stops[s], starts[s] + cutoff)
        for place in range(starts[s], last):
            i = rows[place]
            if i < 0 or i >= n:
                continue
            of_rank = 1 / (place - starts[s] + 1.0)
            total, weighted = 0.0, 0.0
            q = labelled[i]
            for b in range(B):
                more = inverse[b] * (1 + above[b])
                total += more
                if q >= 0:
                    weighted += weights[q, b] * more
                values[s, b] += relevant[i, b] * (1 + above[b]) * of_rank
                above[b] += relevant[i, b]
            mean_added[s, i] += total * of_rank / B
            if q >= 0:
                added[s, q] += weighted * of_rank
        for place in range(last - 1, starts[s] - 1, -1):
            i = rows[place]
            if i < 0 or i >= n:
                continue
            total, weighted = 0.0, 0.0
            q = labelled[i]
            for b in range(B):
                more = inverse[b] * below[b]
                total += more
                if q >= 0:
                    weighted += weights[q, b] * more
                below[b] += relevant[i, b] / (place - starts[s] + 1.0)
            mean_added[s, i] += total / B
            if q >= 0:
                added[s, q] += weighted
        for b in range(B):
            values[s, b] *= inverse[b]
    return values, added, mean_added


@njit(cache=True, nogil=True)
def capped_counts(shares, k):
    """(k + 1,) the distribution of min(N, k), N of independent events counted
    (Poisson-binomial).
    """
    distribution = np.zeros(k + 1)
    distribution[0] = 1
    for i in range(len(shares)):
        share = shares[i]
        distribution[k] += distribution[k - 1] * share
        for j in range(k - 1, 0, -1):
            distribution[j] = distribution[j] * (1 - share) + distribution[j - 1] * share
        distribution[0] *= 1 - share
    return distribution


@njit(cache=True, nogil=True)
def added_by_each(shares, cumulated):
    """(n,) how much more is expected of `cumulated` at min(N, k) if an event happens than if not.

    N counts independent events.  Of each the counts of those before it, and for each such count
    what is expected after it, are found in one pass forth and one back: n·k steps.
    """
    n, k = len(shares), len(cumulated) - 1
    after = np.empty((n + 1, k + 1))
    for j in range(k + 1):
        after[n, j] = cumulated[j]
    for i in range(n - 1, -1, -1):
        for j in range(k + 1):
            more = after[i + 1, min(j + 1, k)]
            after[i, j] = after[i + 1, j] + shares[i] * (more - after[i + 1, j])
    added, before = np.zeros(n), np.zeros(k + 1)
    before[0] = 1
    for i in range(n):
        last = min(i, k)
        for j in range(min(last + 1, k)):
            added[i] += before[j] * (after[i + 1, j + 1] - after[i + 1, j])
        for j in range(min(i + 1, k), 0, -1):
            stays = before[j] if j == k else before[j] * (1 - shares[i])
            before[j] = stays + before[j - 1] * shares[i]
        before[0] *= 1 - shares[i]
    return added

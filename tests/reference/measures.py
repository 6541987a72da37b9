"""Measures in plain Python, one ranking of one topic at a time: what the kernels must agree with.

Written from the definitions, and where one can choose, in another form than the library's: the
residual of RBP is the best case less the worst case, RR and ERR are separate, and so on.

A ranking is a list of docnos, a qrels a dict from docno to grade.
"""

from math import inf, log

from scipy.special import polygamma


def precision(ranking, qrels, *, cutoff, rel=1):
    return sum(1 for docno in ranking[:cutoff] if qrels.get(docno, -inf) >= rel) / cutoff


def precision_with_residual(ranking, qrels, *, cutoff, rel=1):
    def case(unjudged):
        padded = [*ranking, *[None] * cutoff][:cutoff]
        return sum(qrels[d] >= rel if d in qrels else unjudged for d in padded) / cutoff

    return case(0), case(1) - case(0)


def success(ranking, qrels, *, cutoff, rel=1):
    return float(any(qrels.get(docno, -inf) >= rel for docno in ranking[:cutoff]))


def success_with_residual(ranking, qrels, *, cutoff, rel=1):
    worst = success(ranking, qrels, cutoff=cutoff, rel=rel)
    padded = [*ranking, *[None] * cutoff][:cutoff]
    return worst, max(worst, any(d not in qrels for d in padded)) - worst


def recall(ranking, qrels, *, cutoff, rel=1):
    R = n_relevant(qrels, rel)
    return sum(qrels.get(docno, -inf) >= rel for docno in ranking[:cutoff]) / R if R else 0.0


def f_measure(ranking, qrels, *, beta=1, rel=1, cutoff=None):
    depth = len(ranking) if cutoff is None else cutoff
    if depth == 0:
        return 0.0
    P = precision(ranking, qrels, cutoff=depth, rel=rel)
    R = recall(ranking, qrels, cutoff=depth, rel=rel)
    return 1 / ((1 / P + beta**2 / R) / (1 + beta**2)) if P else 0.0


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


def normalised_cumulative_precision(ranking, qrels, *, gamma, rel=1, cutoff=None):
    R = n_relevant(qrels, rel)
    stopping = [gamma**j for j in range(R)]
    found = [i for i, d in enumerate(ranking[:cutoff], start=1) if qrels.get(d, -inf) >= rel]
    at_these = [p / sum(stopping) for p in stopping[: len(found)]]
    return sum(
        p * precision(ranking, qrels, cutoff=i, rel=rel)
        for p, i in zip(at_these, found, strict=True)
    )


def binary_preference(ranking, qrels, *, rel=1):
    """A grade below zero stands for unjudged."""
    R = n_relevant(qrels, rel)
    N = sum(0 <= grade < rel for grade in qrels.values())
    if R == 0:
        return 0.0
    total = 0.0
    for i, docno in enumerate(ranking):
        if qrels.get(docno, -inf) >= rel:
            above = sum(0 <= qrels.get(other, -inf) < rel for other in ranking[:i])
            total += 1 - min(above, R) / min(R, N) if above else 1
    return total / R


def condensed(measure):
    """The measure of the ranking without unjudged documents."""

    def of_judged(ranking, qrels, **parameters):
        return measure([d for d in ranking if qrels.get(d, -1) >= 0], qrels, **parameters)

    return of_judged


def q_measure(ranking, qrels, *, beta=1, gains=None, cutoff=None):
    gain = {d: (gains or {}).get(grade, max(grade, 0)) for d, grade in qrels.items()}
    ideal = sorted(gain.values(), reverse=True)
    R = sum(g > 0 for g in ideal)
    total = 0.0
    for i, docno in enumerate(ranking[:cutoff], start=1):
        if gain.get(docno, 0) > 0:
            seen = [gain.get(d, 0) for d in ranking[:i]]
            count = sum(g > 0 for g in seen)
            total += (beta * sum(seen) + count) / (beta * sum(ideal[:i]) + i)
    return total / R if R else 0.0


def reciprocal_rank(ranking, qrels, *, rel=1, cutoff=None):
    for i, docno in enumerate(ranking[:cutoff], start=1):
        if qrels.get(docno, -inf) >= rel:
            return 1 / i
    return 0.0


def ndcg(ranking, qrels, *, cutoff=None, **parameters):
    best_first = sorted(qrels, key=lambda d: -dcg([d], qrels, **parameters))
    ideal = dcg(best_first, qrels, cutoff=cutoff, **parameters)
    return dcg(ranking, qrels, cutoff=cutoff, **parameters) / ideal if ideal else 0.0


def dcg(ranking, qrels, *, dcg="log2", gains=None, base=None, cutoff=None):
    def gain(grade):
        if gains is not None and grade in gains:
            return gains[grade]
        grade = max(grade, 0)
        return 2**grade - 1 if dcg == "exp-log2" else grade

    def discount(i):
        if base is None:
            return log(1 + i, 2)
        return max(1.0, log(i, base))

    return sum(
        gain(qrels[docno]) / discount(i)
        for i, docno in enumerate(ranking[:cutoff], start=1)
        if docno in qrels
    )


def expected_reciprocal_rank(ranking, qrels, *, max_rel, cutoff=None, **scale):
    """With `scale`, see `gain_shares`, the gain is the probability to stop."""
    total, reached = 0.0, 1.0
    for i, docno in enumerate(ranking[:cutoff], start=1):
        satisfied = (2 ** max(qrels.get(docno, 0), 0) - 1) / 2**max_rel
        if scale:
            (satisfied,) = gain_shares([docno], qrels, 0, max_rel=max_rel, **scale)
        total += reached * satisfied / i
        reached *= 1 - satisfied
    return total


def normalised_expected_reciprocal_rank(ranking, qrels, *, cutoff=None, **scale):
    best_first = sorted(qrels, key=lambda d: -expected_reciprocal_rank([d], qrels, **scale))
    ideal = expected_reciprocal_rank(best_first, qrels, cutoff=cutoff, **scale)
    if not ideal:
        return 0.0
    return expected_reciprocal_rank(ranking, qrels, cutoff=cutoff, **scale) / ideal


def rank_biased_precision(ranking, qrels, *, p=0.8, cutoff=None, **scale):
    """Value and residual."""

    def case(unjudged):
        listed = ranking[:cutoff]
        gains = gain_shares(listed, qrels, unjudged, **scale)
        seen = sum((1 - p) * p**i * gain for i, gain in enumerate(gains))
        return seen + unjudged * p ** len(listed)

    return case(0.0), case(1.0) - case(0.0)


def gain_shares(ranking, qrels, unjudged, *, rel=None, max_rel=1, dcg="log2", gains=None):
    def gain(docno):
        if gains is not None and docno in qrels:
            listed = {0: 0, max_rel: max_rel} | gains
            own = listed.get(qrels[docno], max(qrels[docno], 0))
            return own / max(gain for grade, gain in listed.items() if grade <= max_rel)
        if docno not in qrels:
            return unjudged
        grade = max(qrels[docno], 0)
        if rel is not None:
            return float(qrels[docno] >= rel)
        return (2**grade - 1) / (2**max_rel - 1) if dcg == "exp-log2" else grade / max_rel

    return [gain(docno) for docno in ranking]


def sdcg(ranking, qrels, *, cutoff, **scale):
    """Value and residual: of the ranking made `cutoff` long, over the best there can be."""

    def case(unjudged):
        padded = [*ranking, *[None] * cutoff][:cutoff]
        gains = gain_shares(padded, qrels, unjudged, **scale)
        discounts = [log(2, 1 + i) for i in range(1, cutoff + 1)]
        return sum(map(float.__mul__, map(float, gains), discounts)) / sum(discounts)

    return case(0), case(1) - case(0)


FAR = 40
"""Ranks that INSQ and INST below walk through one by one."""


def insq(ranking, qrels, *, T=1, cutoff=None, **scale):
    def case(unjudged):
        padded = [*ranking[:cutoff], *[None] * FAR][:FAR]
        gains = gain_shares(padded, qrels, unjudged, **scale)
        seen = sum(g / (i + 2 * T) ** 2 for i, g in enumerate(gains))
        return (seen + unjudged * polygamma(1, FAR + 2 * T)) / polygamma(1, 2 * T)

    return case(0), case(1) - case(0)


def inst(ranking, qrels, *, T=1, cutoff=None, **scale):
    ranking = ranking[:cutoff]
    low = inst_of_gains(gain_shares(ranking, qrels, 0, **scale), T, below=0)
    return low, inst_of_gains(gain_shares(ranking, qrels, 1, **scale), T, below=1) - low


def inst_of_gains(gains, T, below):
    """By the definition, with the gain `below` on all ranks after the last."""
    reached, seen, examined, still_wanted = 1.0, 0.0, 0.0, T
    for i, gain in enumerate([*gains, *[below] * FAR][:FAR], start=1):
        seen += reached * gain
        examined += reached
        still_wanted -= gain
        reached *= ((i + T + still_wanted - 1) / (i + T + still_wanted)) ** 2
    b = FAR + T + still_wanted
    rest = reached / (1 - ((b - 1) / b) ** 2) if below else reached * b**2 * polygamma(1, b)
    return (seen + below * rest) / (examined + rest)


def n_relevant(qrels, rel):
    return sum(grade >= rel for grade in qrels.values())


def inferred_average_precision(ranking, qrels, *, rel=1):
    """As Yilmaz and Aslam have it, smoothed as trec_eval does, one relevant document at a time."""
    total, epsilon = 0.0, 1e-5
    for i, docno in enumerate(ranking, start=1):
        if qrels.get(docno, -inf) < rel:
            continue
        above = [qrels[d] for d in ranking[: i - 1] if d in qrels]
        judged = [g for g in above if g >= 0]
        pooled = len(above)
        relevant = sum(g >= rel for g in judged)
        rate = (relevant + epsilon) / (len(judged) + 2 * epsilon)
        total += 1 / i + pooled * rate / i
    R = n_relevant(qrels, rel)
    return total / R if R else 0.0


def accuracy(ranking, qrels, *, rel=1, cutoff=None):
    shown = [qrels.get(docno, -inf) >= rel for docno in ranking[:cutoff]]
    pairs = [i < j for i, a in enumerate(shown) if a for j, b in enumerate(shown) if not b]
    return sum(pairs) / len(pairs) if pairs else float(any(shown))


def compatibility(ranking, qrels, *, p=0.95, normalize=True):
    ideal = [d for d in [*ranking, *sorted(qrels)] if qrels.get(d, 0) > 0]
    ideal = sorted(dict.fromkeys(ideal), key=lambda d: -qrels[d])
    depth = max(len(ranking), len(ideal))

    def overlap(one):
        shares = [len({*one[:d]} & {*ideal[:d]}) / d for d in range(1, depth + 1)]
        users = [p ** (d - 1) for d in range(1, depth + 1)]
        return sum(a * b for a, b in zip(shares, users, strict=True)) / sum(users)

    if not ideal:
        return 0.0
    return overlap(ranking) / (overlap(ideal) if normalize else 1)


def nearly_err(ranking, qrels, *, equation, p=None, T=None, cutoff=None, **gain):
    """The first ranks one by one; below the ranking, where nothing has a gain, a sum of its own."""
    goes_on = {
        8: lambda i: float(i < cutoff),
        9: lambda i: i / (i + 1) if i < cutoff else 0.0,
        10: lambda i: p,
        11: lambda i: ((i + 2 * T - 1) / (i + 2 * T)) ** 2,
    }[equation]
    gains = gain_shares(ranking, qrels, 0.0, **gain)
    weight, looked, gained = 1.0, 0.0, 0.0
    for i, g in enumerate(gains, start=1):
        looked, gained = looked + weight, gained + weight * g
        weight *= goes_on(i) * (1 - g)
    n = len(gains)
    if equation == 11:  # Σ ((n + 2T) / j)² from j = n + 2T on
        below = (n + 2 * T) ** 2 * polygamma(1, n + 2 * T)
    else:
        below, step = 0.0, 1.0
        for i in range(n + 1, n + 2000):
            below += step
            step *= goes_on(i)
    return gained / (looked + weight * below)


def bejeweled_player(ranking, qrels, *, T=1, cutoff, **gain):
    gained = 0.0
    for i, g in enumerate(gain_shares(ranking, qrels, 0.0, **gain)[:cutoff], start=1):
        gained += g
        if gained >= T - 1e-12:
            return gained / i
    return gained / cutoff

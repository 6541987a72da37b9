"""Whether more topics separate the best system from the others with the predicted power.

    python -m benchmarks.more_topics [--data FOLDER] [--repetitions 100]

Populations are those of ``tests/coverage/ranking.py``; samples are of 25 topics.  Printed are the
tables of docs/methods/ranking.md:

- how often intervals of the variance hold it, by χ² and as used;
- with as many new topics as the true difference needs, how often the two differ significantly;
- the detectable difference predicted for twice the topics, over that of as many new topics;
- how often pairs without a significant difference have one with twice as many new topics, by the
  predicted power.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from benchmarks.samples import asked
from regrade.ranking.beside_best import FEWEST, variance_ends
from regrade.ranking.pairs import AllPairs
from regrade.ranking.power import detectable_alone, topics_to_detect
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.significance.paired import differences, paired_t
from tests.coverage.ranking import drawn_samples, populations

TOPICS, DRAWS, MOST = 25, 300, 400

Found = dict[tuple[str, str], list]


def main() -> None:
    """Print what was found of each population."""
    given = asked(__doc__, 100)
    for name, source in populations(given.data).items():
        for (what, how), values in of_population(source, given.repetitions).items():
            print(f"{name} | {what} | {how} | {_summary(np.concatenate(values))}", flush=True)


def _summary(values: np.ndarray) -> str:
    if not len(values):
        return "no case"
    if values.dtype == bool:
        return f"{values.sum():,} of {len(values):,}, {values.mean():.1%}"
    return "median {:.2f}, 95 % from {:.2f} to {:.2f}".format(
        *np.quantile(values, (0.5, 0.025, 0.975))
    )


def of_population(source: Callable[[], np.ndarray], repetitions: int) -> Found:
    """What is found in each sample, by what it is and how systems are tested."""
    population = source()
    rng, found = np.random.default_rng(1), defaultdict(list)
    for r, scores in enumerate(drawn_samples(population, TOPICS, repetitions, seed=1)):
        order = np.argsort(-scores.mean(axis=1), kind="stable")
        for what, how, values in _of_sample(scores[order], population[order], r, rng):
            found[what, how].append(values)
    return found


def _of_sample(
    scores: np.ndarray, population: np.ndarray, seed: int, rng: np.random.Generator
) -> Iterator[tuple[str, str, np.ndarray]]:
    """Of the best system beside each other one."""

    def new(topics: int) -> np.ndarray:
        return population[:, rng.integers(0, population.shape[1], topics)]

    d, true = (differences(of[0], of[1:]) for of in (scores, population))
    spread, delta = d.std(axis=1, ddof=1), true.mean(axis=1)
    is_known = (d != 0).sum(axis=1) >= FEWEST
    chi2 = np.outer((TOPICS - 1) / stats.chi2.ppf((0.975, 0.025), TOPICS - 1), spread**2)
    variance = true.var(axis=1)
    for how, (low, high) in (("χ²", chi2), ("as used", variance_ends(d))):
        yield "variance held", how, ((low <= variance) & (variance <= high))[is_known]
    before, after = (AllPairs.of(of, DRAWS, seed) for of in (scores, new(2 * TOPICS)))
    later = differences(after.scores[0], after.scores[1:])
    for how, of_before, of_after in (
        ("alone", detectable_alone, detectable_alone),
        ("all at once", before.detectable_at_once, after.detectable_at_once),
    ):
        doubled = of_before(spread, 2 * TOPICS)
        actual = of_after(later.std(axis=1, ddof=1), 2 * TOPICS)
        yield "foretold over found", how, doubled[is_known] / actual[is_known]
        is_open = (d.mean(axis=1) > 0) & ~_is_significant(before, how)
        for said, chosen in (
            ("four of five or more", doubled <= d.mean(axis=1)),
            ("fewer", doubled > d.mean(axis=1)),
        ):
            yield (
                f"told by twice the topics, said {said}",
                how,
                (_is_significant(after, how)[is_open & chosen]),
            )
        # one other system, with the true difference
        j = int(rng.integers(len(d)))
        (number,) = topics_to_detect(spread[[j]], delta[[j]], of_before)
        if is_known[j] and TOPICS <= number <= MOST:
            again = AllPairs.of(new(int(number)), DRAWS, seed)
            yield "told by the number said", how, _is_significant(again, how)[[j]]


def _is_significant(pairs: AllPairs, how: str) -> np.ndarray:
    """Whether the first system is significantly better than each other one."""
    some = pairs.some(0, len(pairs.scores) - 1)
    if how == "all at once":
        return some.significant_sign() > 0
    d = differences(pairs.scores[0], pairs.scores[1:])
    return (paired_t(d)[1] < SIGNIFICANCE) & (d.mean(axis=1) > 0)


if __name__ == "__main__":
    main()

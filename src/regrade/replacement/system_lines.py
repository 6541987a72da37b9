"""What is measured of systems: their ranking, level, spread and significance, and favour.

Scores under the judge are compared with those under the reference, and so are those under each
further person; a second person's value is the mean of these.  Without a second person it is that of
equal labels: τ = 1, and no pair changes.

    tau, tau_ap   the judge's τ_b, τ_ap with the reference's ranking less a second person's
    top           the same of the share of the first k systems that both have
    level         mean over topics and systems of the judge's score less the reference's
    spread        standard deviation of systems' means, the judge's over the reference's
    pairs         share of pairs of systems whose significance changes, less a second person's
    favour        of a family: how much more it is raised than others (`regrade.favours.effects`)

Intervals of the first two, of the top, the pairs and the spread are around the value by the scatter
of drawn topics (`regrade.drawn_intervals`): draws themselves have noisier rankings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import numpy as np
import pandas as pd
from scipy import special

from regrade.correlations import competition_ranks, tau_ap, tau_b
from regrade.evaluations.pair_outcomes import (
    change_p,
    change_row,
    changes_of,
    flips_by_topics,
    is_flip,
    t_under,
)
from regrade.favours.effects import (
    COMPARABLE,
    Effects,
    FavourScores,
    favour_effects,
    largest_t,
    quality_gap,
)
from regrade.kendall import TOLERANCE
from regrade.replacement.margins import Ends, Line, drawn_ends, exponential, mean_ends, no_ends
from regrade.significance.corrections import adjust
from regrade.significance.paired import differences, pairs_at

DIFFERENCE = "ranking_difference"
"""The interval of what is less a second person's."""

HELD = 2**22
"""Draws times pairs, about, whose t are held together."""

FAVOUR_DRAWS = 10_000
"""Draws of topics for simultaneous intervals of favour."""

FAVOUR = ["group", "systems", "value", "second_value", "low", "high", "is_comparable"]
"""Columns of the favour of each family."""


@dataclass(frozen=True, eq=False)
class SystemScores:
    """Scores of systems by one measure under each set.

    Attributes
    ----------
    measure
        As it is written.
    systems, topics
        Their names.
    scores : array of float64, shape (R, S, T)
        Under the reference, the judge, and each further person.
    weights : array of float64, shape (1 + B, T)
        How often each topic counts: all once, then in each draw.
    """

    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    scores: np.ndarray
    weights: np.ndarray

    @cached_property
    def means(self) -> np.ndarray:
        """(R, 1 + B, S) means of the systems over all topics, and over each draw's."""
        return self.weights @ self.scores.transpose(0, 2, 1) / len(self.topics)

    def beside_reference(self, statistic: Callable) -> np.ndarray:
        """(R − 1, 1 + B) what a statistic of two rankings is, the reference's being the first."""
        reference, *others = self.means
        return np.array(
            [[statistic(*two) for two in zip(reference, own, strict=True)] for own in others]
        )


def system_lines(
    of: SystemScores,
    *,
    top: int,
    significance: float,
    correction: str,
    families: Mapping[str, Sequence[str]] | None,
    seed: int,
) -> tuple[list[Line], pd.DataFrame]:
    """The lines of one measure, and the favour of each family (table ``replace/favour``)."""
    T, lines = len(of.topics), []
    if len(of.systems) > 1:
        statistics = {
            "tau": tau_b,
            "tau_ap": tau_ap,
            "top": lambda first, second: overlap(first, second, top),
        }
        if top >= len(of.systems):
            del statistics["top"]  # all of them
        for name, statistic in statistics.items():
            values = of.beside_reference(statistic)
            line = beside_second(name, of.measure, values, 1.0, T)
            lines.append(replace(line, note=str(top)) if name == "top" else line)
    lines += level_and_spread(of)
    if len(of.systems) > 1 and T > 1:
        changed = changed_shares(of, significance, correction)
        lines.append(beside_second("pairs", of.measure, changed, 0.0, T))
    favour = pd.DataFrame(columns=FAVOUR)
    if families and len(of.systems) > 1:
        line, favour = favour_line(of, families, seed)
        lines += [] if line is None else [line]
    return lines, favour


def beside_second(name: str, measure: str, values: np.ndarray, equal: float, topics: int) -> Line:
    """The judge's value less a second person's, of (R − 1, 1 + B) values, the judge's first.

    `equal` is the value of equal labels, which stands for a second person where there is none.
    """
    judge, people = values[0], values[1:]
    second = people.mean(axis=0) if len(people) else np.full(len(judge), equal)
    difference = judge - second
    ends = drawn_ends(difference[0], difference[1:], topics, DIFFERENCE)
    if len(people) and (np.abs(judge - equal) <= TOLERANCE).all():
        ends = _no_worse(ends, equal)
    own = second[0] if len(people) else np.nan
    return Line(name, measure, judge[0], own, difference[0], ends, drawn=difference[1:])


def _no_worse(ends: Ends, equal: float) -> Ends:
    """The ends where the judge's value is that of equal labels, which nobody's is better than."""

    def bounded(confidence: float) -> tuple[float, float]:
        low, high = ends(confidence)
        return (max(low, 0.0), high) if equal else (low, min(high, 0.0))

    return bounded


def overlap(first: np.ndarray, second: np.ndarray, k: int) -> float:
    """Share of the first k systems that two rankings have in common; those that tie count."""
    before, after = competition_ranks(first) <= k, competition_ranks(second) <= k
    return 2 * (before & after).sum() / (before.sum() + after.sum())


def level_and_spread(of: SystemScores) -> list[Line]:
    """The lines of level and spread of scores."""
    reference, judge, *people = of.scores
    raised = (judge - reference).mean(axis=0)
    second = np.mean([(own - reference).mean() for own in people]) if people else np.nan
    drawn = of.weights[1:] @ raised / len(raised)
    values = raised.mean(), second, raised.mean()
    level = Line("level", of.measure, *values, mean_ends(raised), drawn=drawn)
    if len(of.systems) < 2:
        return [level]
    spreads = of.means.std(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(spreads > TOLERANCE, np.log(spreads), np.nan)
    ratio = logs[1] - logs[0]
    own = float(np.exp((logs[2:, 0] - logs[0, 0]).mean())) if people else np.nan
    ends = drawn_ends(ratio[0], ratio[1:], len(of.topics), "ratio_of_spreads")
    values = float(np.exp(ratio[0])), own, float(ratio[0])
    spread = Line("spread", of.measure, *values, ends, drawn=ratio[1:])
    return [level, exponential(spread)]


# --- significance --------------------------------------------------------------------------------


def changed_shares(of: SystemScores, significance: float, correction: str) -> np.ndarray:
    """(R − 1, 1 + B) share of pairs whose significance another set than the reference changes."""
    pairs, T = comb(len(of.systems), 2), len(of.topics)
    shares = np.zeros((len(of.scores) - 1, len(of.weights)))
    step = max(1, HELD // max(pairs, 1))
    for start in range(0, len(of.weights), step):
        some = of.weights[start : start + step]
        tested = [t_of_pairs(own, some) for own in of.scores]
        is_significant = [_significant(t, T, significance, correction) for t in tested]
        for place in range(1, len(of.scores)):
            sign = np.sign(tested[0]) * np.sign(tested[place])
            change = changes_of(is_significant[0], is_significant[place], sign)
            shares[place - 1, start : start + step] = is_flip(change).mean(axis=1)
    return shares


def t_of_pairs(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(B, P) t of the paired t-test of all pairs of (S, T) scores, on topics that count so often.

    Infinite where a difference that is not 0 does not vary; 0 where the means are equal.
    """
    t = t_under(scores, weights)
    return np.where(np.isnan(t), 0.0, t)


def _significant(t: np.ndarray, topics: int, significance: float, correction: str) -> np.ndarray:
    if correction == "none":
        return np.abs(t) > special.stdtrit(topics - 1, 1 - significance / 2)
    p = 2 * special.stdtr(topics - 1, -np.abs(t))
    return np.array([adjust(row, correction) < significance for row in p])


def change_rows(
    of: SystemScores, names: Sequence[str], significance: float, correction: str, seed: int
) -> Iterator[dict]:
    """Rows of ``replace/changes``: what the judge and each further person change."""
    if len(of.systems) < 2 or len(of.topics) < 2:
        return
    once = np.ones((1, len(of.topics)))
    tested = [t_of_pairs(own, once)[0] for own in of.scores]
    significant = [
        _significant(t[None], len(of.topics), significance, correction)[0] for t in tested
    ]
    by_topics = flips_by_topics(of.scores[0], significance, correction, seed)
    for place, name in enumerate(names, start=1):
        sign = np.sign(tested[0]) * np.sign(tested[place])
        change = changes_of(significant[0], significant[place], sign)
        p = change_p(of.scores[0], of.scores[place])
        row = change_row(change, p, by_topics, significance, len(of.topics))
        lost = int((significant[0] & ~significant[place]).sum())
        gained = int((~significant[0] & significant[place]).sum())
        yield {"measure": of.measure, "set": name, "gained": gained, "lost": lost} | row


# --- first systems -------------------------------------------------------------------------------


def top_rows(of: SystemScores, names: Sequence[str], tops: Sequence[int]) -> Iterator[dict]:
    """Rows of ``replace/top``: what the first k systems have in common with the reference's."""
    if len(of.systems) < 2:
        return
    reference, *others = of.means[:, 0]
    before = competition_ranks(reference)
    for name, own in zip(names, others, strict=True):
        after = competition_ranks(own)
        for k in sorted(set(tops)):
            best = before <= k
            pairs, reversed_ = _pairs_among(reference[best], own[best])
            yield {
                "measure": of.measure,
                "set": name,
                "k": k,
                "shared": int((best & (after <= k)).sum()),
                "overlap": overlap(reference, own, k),
                "tau": tau_b(reference[best], own[best]) if best.sum() > 1 else np.nan,
                "pairs": pairs,
                "reversed": reversed_,
            }


def _pairs_among(reference: np.ndarray, own: np.ndarray) -> tuple[int, int]:
    """How many pairs differ under the reference, and how many of these another set reverses."""
    first, other = pairs_at(len(reference), 0, comb(len(reference), 2))
    apart = np.sign(differences(reference[first], reference[other]))
    turned = apart * np.sign(differences(own[first], own[other]))
    return int((apart != 0).sum()), int((turned < 0).sum())


def system_rows(of: SystemScores) -> pd.DataFrame:
    """Table ``replace/systems``: means and ranks, as the reference ranks them."""
    means = of.means[:, 0]
    frame = pd.DataFrame({"measure": of.measure, "system": list(of.systems)})
    frame["reference_mean"], frame["judge_mean"] = means[0], means[1]
    frame["people_mean"] = means[2:].mean(axis=0) if len(means) > 2 else np.nan
    frame["first_rank"] = competition_ranks(means[0])
    frame["judge_rank"] = competition_ranks(means[1])
    return frame.sort_values(["first_rank", "system"], ignore_index=True)


# --- favour --------------------------------------------------------------------------------------


def favour_line(
    of: SystemScores, families: Mapping[str, Sequence[str]], seed: int
) -> tuple[Line | None, pd.DataFrame]:
    """The family whose favour decides, of those comparable with others, and the favour of each."""
    names, members = members_of(of.systems, families)
    if not names:
        return None, pd.DataFrame(columns=FAVOUR)
    by_topic = of.scores.transpose(0, 2, 1)
    scores = FavourScores(by_topic[0], by_topic[1:2], by_topic[2:])
    effects = favour_effects(
        scores, members, judges=["judge"], families=names, topics=of.topics, draws=FAVOUR_DRAWS,
        seed=seed,
    )  # fmt: skip
    beside = _known(effects.equal_beside_control, effects.beside_control)
    plain = _known(effects.equal_beside_reference, effects.beside_reference)
    counted = plain if beside is None else beside
    second = plain.value[1:].mean(axis=0) if len(plain.value) > 1 else np.full(len(names), np.nan)
    table = pd.DataFrame(
        {
            "group": names,
            "systems": members.sum(axis=1),
            "value": counted.value[0],
            "second_value": second,
            "low": counted.low[0],
            "high": counted.high[0],
            "is_comparable": np.abs(quality_gap(by_topic[0], members)) <= COMPARABLE,
        }
    )[FAVOUR]
    comparable = np.flatnonzero(table["is_comparable"])
    if not len(comparable):
        return None, table
    reach = np.fmax(np.abs(counted.low[0]), np.abs(counted.high[0]))
    reach = np.where(np.isnan(reach), np.abs(counted.value[0]), reach)
    f = int(comparable[np.argmax(reach[comparable])])
    judge, value = plain.value[0, f], counted.value[0, f]
    ends = _favour_ends(counted, f, seed)
    if (np.abs(by_topic[1] - by_topic[0]) <= TOLERANCE).all():
        value, ends = 0.0, lambda confidence: (0.0, 0.0)  # of equal scores, whatever people do
    line = Line("favour", of.measure, judge, second[f], value, ends, note=names[f])
    return line, table


def members_of(
    systems: Sequence[str], families: Mapping[str, Sequence[str]]
) -> tuple[list[str], np.ndarray]:
    """Families that have systems, and not all of them; (F, S) which are of each."""
    is_of = {family: np.isin(systems, list(of)) for family, of in families.items()}
    names = [family for family, of in is_of.items() if of.any() and not of.all()]
    return names, np.array([is_of[name] for name in names]).reshape(len(names), len(systems))


def _known(at_equal_quality: Effects | None, plain: Effects | None) -> Effects | None:
    """At equal quality, where that is defined."""
    if at_equal_quality is None or np.isnan(at_equal_quality.value).any():
        return plain
    return at_equal_quality


def _favour_ends(effects: Effects, family: int, seed: int) -> Ends:
    """Ends for all families at once, of one of them."""
    if np.isnan(effects.low[0, family]):
        return no_ends
    varies = effects.error > TOLERANCE
    if not varies[0, family]:
        return lambda confidence: (float(effects.low[0, family]), float(effects.high[0, family]))
    largest = largest_t(effects.by_topic[varies], FAVOUR_DRAWS, seed)
    value, error = float(effects.value[0, family]), float(effects.error[0, family])

    def ends(confidence: float) -> tuple[float, float]:
        half = float(np.quantile(largest, confidence)) * error
        return value - half, value + half

    return ends

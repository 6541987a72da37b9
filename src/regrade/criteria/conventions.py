"""What lists that assessors rated score, under the paper's plain reading and under others.

A paper that prints the mean of a measure leaves open what became of gains, ties, lists without
anything relevant, and several assessors.  `conventions` computes the measures under all
combinations of what could have been meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations, product

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.choices import IDEAL_RANKS
from regrade.correlations import spearman_rho
from regrade.criteria.errors import normalised_rank_error, rank_error_range, rank_error_under
from regrade.criteria.scores import (
    convex_mean,
    harmonic_mean,
    normalised_weighted_score,
    weighted_score,
)
from regrade.errors import ParameterError

Lists = Mapping[tuple[str, str], np.ndarray]
"""(2, n) grades of each list, by topic and assessor."""

HALVES = [0.5, 0.5]
GAINS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "r": lambda grades, lowest: grades,
    "r-1": lambda grades, lowest: grades - lowest,
    "2^r-1": lambda grades, lowest: np.exp2(grades) - 1,
    "2^(r-1)-1": lambda grades, lowest: np.exp2(grades - lowest) - 1,
}
"""What a grade counts; `lowest` is the lowest of the scale (1 in the paper)."""

DISCOUNTS = ("log2(1+i)", "max(1,log2(i))")
"""That of the paper's sums, and that of Järvelin and Kekäläinen with base 2."""

DIVISORS = ("relevant", "length")
"""Of AP: the relevant documents of the list, or all of them."""

RECALLS = ("list", "topic")
"""Of F-1 and G, of which documents: of the list, or of all lists of the topic."""

UNDEFINED = ("zero", "drop")
"""What a list counts as in which nothing is relevant: 0, or nothing."""

GRADES = ("own", "document mean", "document median", "rank mean")
"""Whose grades a list has: its assessor's; those of all assessors of the document; one list for
each topic, with the mean grade at each rank."""

TIES = (*IDEAL_RANKS, "optimistic", "pessimistic", "expected")
KINDS = {"NLRE": "local", "NGRE": "global"}
FIRST, SECOND = ("NDCG", "AP"), ("F-1", "G")
"""Measures of relevance, and of credibility, that CAM and WHAM take."""

PLAIN = {
    "grades": "own",
    "gains": "r",
    "discount": "log2(1+i)",
    "divisor": "relevant",
    "recall": "list",
    "undefined": "zero",
    "ties": "stable",
    "combined": "lists",
}
"""The plain reading of the paper; only what matters to a measure is told of it."""

DIMENSIONS = (*PLAIN, "relevant_from")
NAMED_AGGREGATES = {
    f"{name}({first},{second})": (mean, first, second)
    for (name, mean), first, second in product(
        (("CAM", convex_mean), ("WHAM", harmonic_mean)), FIRST, SECOND
    )
}
NAMES = (*FIRST, *SECOND, *KINDS, "NWCS", *NAMED_AGGREGATES)
"""The measures of the paper's Table 3, in its words."""


def grades_of_lists(table: pd.DataFrame, grades: str = "own") -> dict[tuple[str, str], np.ndarray]:
    """The grades of each list, rank by rank."""
    table = table.astype({"topic": str, "assessor": str, "docno": str, "criterion": str})
    criteria = list(dict.fromkeys(table["criterion"]))
    if grades.startswith("document"):
        of_document = table.groupby(["topic", "docno", "criterion"])["grade"]
        table = table.assign(grade=of_document.transform(grades.removeprefix("document ")))
    if grades == "rank mean":
        lengths = table.groupby(["topic", "assessor"])["rank"].max().groupby("topic")
        if (lengths.nunique() > 1).any():
            raise ParameterError("lists of a topic have different lengths: there is no mean list")
        keys = ["topic", "rank", "criterion"]
        table = table.groupby(keys, as_index=False)["grade"].mean().assign(assessor="*")
    by_list = {}
    for key, rows in table.groupby(["topic", "assessor"], sort=True):
        wide = rows.pivot(index="criterion", columns="rank", values="grade")
        by_list[key] = wide.loc[criteria].to_numpy(float)
    return by_list


def list_scores(table: pd.DataFrame, relevant_from: float, lowest: float) -> pd.DataFrame:
    """Each list's score by each measure, under the plain reading."""
    lists = grades_of_lists(table)
    how = PLAIN | {"relevant_from": relevant_from}
    of_topic = _of_topic(table, relevant_from)
    alone = (*FIRST, *SECOND, *KINDS, "NWCS")
    values = {m: _values(m, lists, how, lowest, of_topic) for m in alone}
    for name, (mean, first, second) in NAMED_AGGREGATES.items():
        values[name] = mean([values[part] for part in (first, second)], HALVES)
    rows = [(*key, name, values[name][i]) for i, key in enumerate(lists) for name in NAMES]
    return pd.DataFrame(rows, columns=columns_of("rated-lists/scores"))


def conventions(table: pd.DataFrame, relevant_from: Sequence[float], lowest: float) -> pd.DataFrame:
    """The mean of each measure over lists, under every combination of conventions."""
    rows = []
    for grades in GRADES:
        lists = grades_of_lists(table, grades)
        topics = {rel: _of_topic(table, rel) for rel in relevant_from}
        base: dict[tuple, tuple[float, int, int]] = {}
        by_list: dict[tuple, np.ndarray] = {}
        for how in _ways(relevant_from):
            of_topic = topics.get(how.get("relevant_from"), {})
            values = _values(how["measure"], lists, PLAIN | how, lowest, of_topic)
            key = tuple(sorted(how.items(), key=str))
            by_list[key], base[key] = values, _mean(values)
            rows.append(_row(how, grades, base[key], relevant_from[0]))
        rows += _aggregates(by_list, base, grades, relevant_from[0])
    frame = pd.DataFrame(rows)
    order = np.lexsort((~frame["plain"], frame["measure"].map(NAMES.index)))
    return frame.iloc[order].reset_index(drop=True)


def _ways(relevant_from: Sequence[float]) -> Iterator[dict[str, object]]:
    """All conventions of the measures that are no aggregates."""
    for gains, discount in product(GAINS, DISCOUNTS):
        yield {"measure": "NDCG", "gains": gains, "discount": discount}
        yield {"measure": "NWCS", "gains": gains, "discount": discount}
    for ties, measure in product(TIES, KINDS):
        yield {"measure": measure, "ties": ties}
    for rel, undefined in product(relevant_from, UNDEFINED):
        shared = {"relevant_from": rel, "undefined": undefined}
        for divisor in DIVISORS:
            yield {"measure": "AP", "divisor": divisor, **shared}
        for measure, recall in product(SECOND, RECALLS):
            yield {"measure": measure, "recall": recall, **shared}


def _aggregates(by_list, base, grades: str, usual: float) -> Iterator[dict]:
    """CAM and WHAM of each list, and of the two means, for every convention of their parts."""
    ways = {key: dict(key) for key in by_list}
    for name, (mean, first, second) in NAMED_AGGREGATES.items():
        firsts, seconds = ([k for k, w in ways.items() if w["measure"] == m]
                           for m in (first, second))  # fmt: skip
        for first_key, second_key in product(firsts, seconds):
            first_way, second_way = ways[first_key], ways[second_key]
            shared = ("relevant_from", "undefined")
            if any(first_way.get(key) not in (None, second_way.get(key)) for key in shared):
                continue
            how = {**first_way, **second_way, "measure": name}
            each = mean([np.nan_to_num(by_list[key]) for key in (first_key, second_key)], HALVES)
            yield _row(how | {"combined": "lists"}, grades, _mean(each), usual)
            both = float(mean([base[first_key][0], base[second_key][0]], HALVES))
            yield _row(how | {"combined": "means"}, grades, (both, len(each), 0), usual)


def _row(how: Mapping, grades: str, summary: tuple[float, int, int], usual: float) -> dict:
    plain = PLAIN | {"relevant_from": usual}
    convention = {"grades": grades}
    convention |= {key: how.get(key, "") for key in DIMENSIONS if key != "grades"}
    is_plain = all(value in ("", plain[key]) for key, value in convention.items())
    convention["relevant_from"] = how.get("relevant_from", np.nan)
    value, lists, undefined = summary
    numbers = {"value": value, "lists": lists, "undefined_lists": undefined}
    return {"measure": how["measure"], **convention, "plain": is_plain, **numbers}


def _mean(values: np.ndarray) -> tuple[float, int, int]:
    known = values[~np.isnan(values)]
    value = float(known.mean()) if len(known) else np.nan
    return value, len(known), len(values) - len(known)


def _values(
    measure: str, lists: Lists, how: Mapping, lowest: float, of_topic: Mapping[str, int]
) -> np.ndarray:
    """(lists,) values; NaN where undefined and to be dropped."""
    if measure in KINDS:
        rule = HALVES, KINDS[measure], how["ties"]
        return np.array([rank_error_under(grades, *rule) for grades in lists.values()])
    if measure in ("NDCG", "NWCS"):
        criteria = 1 if measure == "NDCG" else 2
        gains = [GAINS[how["gains"]](grades[:criteria], lowest) for grades in lists.values()]
        return np.array([_discounted(gain, how["discount"]) for gain in gains])
    fill = 0.0 if how["undefined"] == "zero" else np.nan
    values = []
    for (topic, _), grades in lists.items():
        relevant = grades[0 if measure == "AP" else 1] >= how["relevant_from"]
        n_relevant, n = relevant.sum(), len(relevant)
        if not n_relevant:
            values.append(fill)
        elif measure == "AP":
            precisions = np.cumsum(relevant) / np.arange(1, n + 1) * relevant
            count = n_relevant if how["divisor"] == "relevant" else n
            values.append(float(precisions.sum() / count))
        else:
            known = of_topic[topic] if how["recall"] == "topic" else n_relevant
            precision, recall = relevant.mean(), n_relevant / max(known, n_relevant)
            f1, g = 2 * precision * recall / (precision + recall), np.sqrt(precision * recall)
            values.append(f1 if measure == "F-1" else g)
    return np.array(values, float)


def _discounted(gains: np.ndarray, discount: str) -> float:
    """nDCG or NWCS of the gains by one criterion or two."""
    shares = [1 / len(gains)] * len(gains)
    if discount == DISCOUNTS[0]:
        return normalised_weighted_score(gains, shares)
    weighted = np.asarray(shares) @ gains
    # a gain in the other discount is one in ours, times the quotient of the two
    ranks = np.arange(1.0, len(weighted) + 1)
    other = np.log2(1 + ranks) / np.maximum(1.0, np.log2(ranks))
    ideal = weighted_score([np.sort(weighted)[::-1] * other], [1.0])
    return weighted_score([weighted * other], [1.0]) / ideal if ideal > 0 else 0.0


def _of_topic(table: pd.DataFrame, relevant_from: float) -> dict[str, int]:
    """Documents of each topic that some assessor found credible."""
    second = list(dict.fromkeys(table["criterion"].astype(str)))[1]
    chosen = table[(table["criterion"] == second) & (table["grade"] >= relevant_from)]
    return chosen.groupby(chosen["topic"].astype(str))["docno"].nunique().to_dict()


def list_correlations(scores: pd.DataFrame) -> pd.DataFrame:
    """Spearman's ρ of each two measures."""
    scores, rows = scores.astype({"measure": str}), []
    over = {"lists": ["topic", "assessor"], "topics": ["topic"], "assessors": ["assessor"]}
    for name, keys in over.items():
        wide = scores.groupby([*keys, "measure"], observed=True)["value"].mean().unstack("measure")
        for first, second in permutations(NAMES, 2):
            rho = spearman_rho(wide[first].to_numpy(), wide[second].to_numpy())
            rows.append((name, first, second, len(wide), rho))
    return pd.DataFrame(rows, columns=columns_of("rated-lists/correlations"))


def divergent_results(
    table: pd.DataFrame, scores: pd.DataFrame, lowest: float, highest: float
) -> pd.DataFrame:
    """Results with the highest grade by one criterion and the lowest by the other."""
    text = ["topic", "assessor", "docno", "criterion"]
    table = table.astype(dict.fromkeys(text, str))
    criteria = list(dict.fromkeys(table["criterion"]))
    keys = ["topic", "assessor", "rank", "docno"]
    wide = table.pivot(index=keys, columns="criterion", values="grade")
    parts = []
    for high, low in (criteria, criteria[::-1]):
        chosen = wide[(wide[high] == highest) & (wide[low] == lowest)].reset_index()[keys]
        parts.append(chosen.assign(high=high))
    scores = scores.astype({"topic": str, "assessor": str, "measure": str})
    examples = pd.concat(parts).merge(scores, on=["topic", "assessor"], how="left")
    return examples[columns_of("rated-lists/examples")]


def tie_ranges(table: pd.DataFrame) -> pd.DataFrame:
    """NLRE and NGRE of each list under every rule for ties, with their exact range."""
    rows = []
    for (topic, assessor), grades in grades_of_lists(table).items():
        for measure, kind in KINDS.items():
            rules = ("stable", "competition", "expected")
            by_rule = (normalised_rank_error(grades, HALVES, kind, ties) for ties in rules)
            ends = rank_error_range(grades, HALVES, kind)
            rows.append((topic, assessor, measure, *ends, *by_rule))
    return pd.DataFrame(rows, columns=columns_of("rated-lists/ties"))


def list_weights(table: pd.DataFrame, steps: int = 10) -> pd.DataFrame:
    """Means over lists of the measures of two criteria as the first one weighs more and more."""
    lists = list(grades_of_lists(table).values())
    alone = [[normalised_weighted_score([row], [1.0]) for row in grades] for grades in lists]
    rows = []
    for w in (number / steps for number in range(steps + 1)):
        both = [w, 1 - w]
        means = {
            "NLRE": np.mean([normalised_rank_error(g, both) for g in lists]),
            "NGRE": np.mean([normalised_rank_error(g, both, "global") for g in lists]),
            "NWCS": np.mean([normalised_weighted_score(g, both) for g in lists]),
            "CAM": np.mean([convex_mean(values, both) for values in alone]),
            "WHAM": np.mean([harmonic_mean(values, both) for values in alone]),
        }
        rows += [(name, w, float(value)) for name, value in means.items()]
    return pd.DataFrame(rows, columns=["measure", "weight", "value"])

"""Systems under two criteria: coverage, rankings beside those of one criterion, weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.correlations import competition_ranks, spearman_rho
from regrade.errors import ParameterError
from regrade.kendall import TOLERANCE, tau_b
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score

TOP = 10
"""How many of the best systems are compared."""

DEPTH = 10
"""The last rank that counts for rank errors and NWCS."""

WEIGHT = 0.5
"""Of the scored set, where one weight is taken."""


def criteria_measures(
    others: Sequence[str], measure: str, weight: float = WEIGHT
) -> dict[str, str]:
    """The five measures of the scored set and others."""
    second = f"second={list(others)!r}"
    rest = f"mu={weight!r},nu={1 - weight!r}"
    return {
        "NLRE": f"NLRE({second},{rest})@{DEPTH}",
        "NGRE": f"NGRE({second},{rest})@{DEPTH}",
        "NWCS": f"NWCS({second},share={weight!r},scaled=True)@{DEPTH}",
        "CAM": f"CAM({second},measure={measure!r},share={weight!r})",
        "WHAM": f"WHAM({second},measure={measure!r},share={weight!r})",
    }


def coverage(first: pa.Table, others: Mapping[str, pa.Table]) -> pd.DataFrame:
    """How many documents the sets have in common."""
    keys = ["topic", "docno"]
    own = first.select(keys).to_pandas().astype(str)
    parts = []
    for name, table in others.items():
        theirs = table.select(keys).to_pandas().astype(str)
        both = own.merge(theirs, on=keys, how="outer", indicator="where")
        counts = pd.crosstab(both["topic"], both["where"])
        counts = counts.reindex(columns=["both", "left_only", "right_only"], fill_value=0)
        counts.loc[ALL_TOPICS] = counts.sum()
        parts.append(counts.rename_axis("topic").reset_index().assign(other=name))
    table = pd.concat(parts, ignore_index=True)
    table = table.rename(columns={"left_only": "only_first", "right_only": "only_other"})
    return table[columns_of("criteria/coverage")]


def score_sets(
    ranked: RankedLists,
    sets: Mapping[str, Judged],
    max_grades: Mapping[str, float],
    measure: str,
    steps: int,
) -> pd.DataFrame:
    """Systems' scores on each topic by one criterion and by several, for several weights."""
    first, *others = sets
    topics = sets[first].topics
    if not topics:
        raise ParameterError(f"no topic of the runs has a label of {first}: name another set")
    parts = []
    for name, judged in sets.items():
        scores = score(ranked, judged.with_topics(topics), [measure], max_grade=max_grades[name])
        parts.append(_frame(scores, [(measure, name, np.nan)]))
    weights = {number / steps for number in range(steps + 1)} | {WEIGHT}
    named = [
        (kind, "", weight, text)
        for weight in sorted(weights)
        for kind, text in criteria_measures(others, measure, weight).items()
    ]
    further = {"others": {n: sets[n] for n in others}, "max_grades": max_grades}
    texts = [text for *_, text in named]
    scores = score(ranked, sets[first], texts, max_grade=max_grades[first], **further)
    parts.append(_frame(scores, [key for *key, _ in named]))
    return pd.concat(parts, ignore_index=True)


def _frame(scores, keys: Sequence[Sequence]) -> pd.DataFrame:
    s, t, m = (axis.ravel() for axis in np.indices(scores.values.shape))
    frame = pd.DataFrame(list(keys), columns=KEYS, dtype=object).iloc[m].reset_index(drop=True)
    frame = frame.astype({"weight": float})
    return frame.assign(
        system=np.array(scores.systems, object)[s],
        topic=np.array(scores.topics, object)[t],
        value=scores.values.ravel(),
    )


KEYS = ["measure", "set", "weight"]


def system_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Each system's mean score and place, by one criterion and by several at `WEIGHT`."""
    chosen = scores[scores["weight"].isna() | (scores["weight"] == WEIGHT)]
    means = _means(chosen)
    place = means.groupby(["measure", "set"], sort=False)["value"].transform(
        lambda values: competition_ranks(values.to_numpy(float))
    )
    means = means.assign(place=place.astype("int32"))
    return means[columns_of("criteria/systems")]


def ranking_table(systems: pd.DataFrame, first: str, n_topics: int) -> pd.DataFrame:
    """Rankings of systems by others than the scored set alone, beside it."""
    wide = systems.assign(key=list(zip(systems["measure"], systems["set"], strict=True)))
    values = wide.pivot(index="system", columns="key", values="value")
    places = wide.pivot(index="system", columns="key", values="place")
    (base,) = [key for key in values.columns if key[1] == first]
    top = min(TOP, len(values))
    rows = []
    for key in dict.fromkeys(wide["key"]):
        x, y = values[base].to_numpy(float), values[key].to_numpy(float)
        moved = (places[key] - places[base]).abs()
        best = {k: set(places.index[places[k] <= top]) for k in (base, key)}
        row = {"measure": key[0], "set": key[1], "n_systems": len(x), "n_topics": n_topics}
        row |= {"tau": tau_b(x, y), "rho": spearman_rho(x, y)}
        row |= {"moved": int((moved > 0).sum()), "farthest": int(moved.max())}
        row |= {"top": top, "top_shared": len(best[base] & best[key])}
        rows.append(row | {"best": _best(values[key]), "best_of_first": _best(values[base])})
    return pd.DataFrame(rows)


def weight_table(scores: pd.DataFrame, sets: Sequence[str]) -> pd.DataFrame:
    """The measures of several criteria as the weight of the scored set goes from 0 to 1."""
    means = _means(scores)
    alone = {name: means[means["set"] == name].set_index("system")["value"] for name in sets[:2]}
    rows = []
    several = means[means["weight"].notna()]
    for (measure, weight), of_weight in several.groupby(["measure", "weight"], sort=False):
        values = of_weight.set_index("system")["value"]
        x = values.to_numpy(float)
        taus = [tau_b(x, one.loc[values.index].to_numpy(float)) for one in alone.values()]
        rows.append((measure, weight, float(values.mean()), *taus))
    return pd.DataFrame(rows, columns=columns_of("criteria/weights"))


def _means(scores: pd.DataFrame) -> pd.DataFrame:
    keys = [*KEYS, "system"]
    return scores.groupby(keys, sort=False, dropna=False)["value"].mean().reset_index()


def _best(values: pd.Series) -> str:
    """The first system by name of those with the highest score."""
    return str(sorted(values.index[values >= values.max() - TOLERANCE])[0])

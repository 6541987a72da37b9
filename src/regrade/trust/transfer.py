"""A cut that was chosen for one judge, topic, set or collection, used on another.

A cell of the matrix says what the cut of one is worth to the other, beside the other's own best
cut: by α, which chooses, and by τ_b of the systems that the cut labels rank.  By α nothing can be
gained, since the own cut is the best there is; by τ_b it can.

*Topics* use each other's cuts, and the one cut for all.  *Transformations* of a collection (two
judges on one scale, say, or two crowds) use each other's one cut, and topic by topic each other's
cuts of that topic.  *Collections* lend theirs by a table of best cuts.  Judges of one set are in
`regrade.trust.judges`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.cutsearch.best import best_index
from regrade.cutsearch.means import mean_under_coverage, mean_where_defined
from regrade.errors import ParameterError
from regrade.kendall import tau_b
from regrade.sample_means import mean_interval
from regrade.significance.paired import is_too_alike, paired_difference
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, RepeatedSearch
from regrade.trust.gains import gains_over
from regrade.trust.named_cuts import cut_index, place_of

ALPHA, TAU = "alpha", "tau"
OTHERS = "others"
"""Of which a row over all users (``*``) is the mean: the cuts of others than the user."""
WORKERS, TOPICS, TRANSFORMATIONS, COLLECTIONS = (
    "workers",
    "topics",
    "transformations",
    "collections",
)


@dataclass(frozen=True)
class CutChoices:
    """A search with all its α, and the cuts that it chooses.

    Attributes
    ----------
    search
        The search.
    topics
        T names.
    criterion : array of float64, shape (C, T)
        What each topic's best cut maximises; NaN where a cut is not eligible.
    single : array of float64, shape (C,)
        What the one cut for all maximises.
    own : array of int64, shape (T,)
        Each topic's best cut; −1 where there is none.
    best
        The one cut for all; −1 where there is none.
    """

    search: RepeatedSearch
    topics: tuple[str, ...]
    criterion: np.ndarray
    single: np.ndarray
    own: np.ndarray
    best: int

    @classmethod
    def of(cls, search: RepeatedSearch) -> CutChoices:
        """Search every cut of every topic, and choose."""
        plan = search.plan
        if plan.reason:
            nothing = np.full((len(search.places), 0), np.nan)
            return cls(search, (), nothing, nothing.sum(axis=1) + np.nan, np.empty(0, int), -1)
        criterion = search.criteria
        single = mean_under_coverage(criterion, plan.options.coverage)
        own = np.array([best_index(search.places, column) for column in criterion.T])
        names = tuple(topic.topic for topic in plan.topics)
        return cls(search, names, criterion, single, own, best_index(search.places, single))

    def cut(self, index: int) -> np.ndarray:
        """A cut's thresholds on the source scale."""
        return self.search.plan.cuts[index]

    def scores(self, cuts: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
        """The systems' scores by topic, (n, S), under n cuts of each; topics without runs lack."""
        if self.search.systems is None:
            return {}
        return {
            topic.topic: self.search.scores(topic, np.array(cuts[topic.topic]))
            for topic in self.search.plan.topics
            if topic.topic in cuts and topic.topic in self.search.systems.discounts
        }

    def experts(self) -> Mapping[str, Mapping[str, np.ndarray]]:
        """By expert, then topic: the systems' scores under the expert's labels."""
        return {} if self.search.systems is None else self.search.systems.experts


def index_on(search: RepeatedSearch, cut: Sequence[float]) -> int:
    """The index that a cut of another search has in this one.

    Thresholds are put on the highest that does not exceed them, which labels the values of this set
    as the cut does, as long as there are values between any two of them.
    """
    plan = search.plan
    cut = np.asarray(cut, dtype=float)
    if len(cut) != plan.levels - 1:
        raise ParameterError(
            f"the cut {cut.tolist()} makes {len(cut) + 1} levels, and the search that shall use it "
            f"{plan.levels}: take one into as many"
        )
    known = plan.thresholds.values
    width = known[-1] - known[0] if len(known) > 1 else 1.0
    if cut[0] > known[-1] + width or cut[-1] < known[0] - width:
        raise ParameterError(
            f"the cut {cut.tolist()} lies off the thresholds {known[0]:g} … {known[-1]:g} of the "
            "set that shall use it: take a cut of the same scale"
        )
    return int(cut_index(place_of(plan.thresholds, cut)[None], len(known), plan.levels)[0])


# --- topics ----------------------------------------------------------------------------------


def between_topics(choices: CutChoices) -> Iterator[dict]:
    """Each topic's cut, and the one for all (``*``), used on each topic."""
    sources = {name: int(cut) for name, cut in zip(choices.topics, choices.own, strict=True)}
    sources[ALL_TOPICS] = choices.best
    usable = {name: cut for name, cut in sources.items() if cut >= 0}
    scores = choices.scores({topic: [*usable.values()] for topic in choices.topics})
    for u, used_on in enumerate(choices.topics):
        own = choices.own[u]
        for chosen_on, cut in sources.items():
            key = _key(TOPICS, SINGLE if chosen_on == ALL_TOPICS else PER_TOPIC, chosen_on, used_on)
            if min(cut, own) < 0:
                yield key | _nothing(f"{used_on if own < 0 else chosen_on} has no cut of its own")
                continue
            key |= _thresholds(choices.cut(cut))
            column = choices.criterion[:, u]
            yield key | {"quantity": ALPHA, "n_topics": 1} | loss_row(column[cut], column[own])
            if used_on in scores:
                rows = dict(zip(usable, scores[used_on], strict=True))
                yield from taus(choices, key, {used_on: (rows[chosen_on], rows[used_on])})


# --- transformations and collections ---------------------------------------------------------


def between_searches(searches: Mapping[str, CutChoices]) -> Iterator[dict]:
    """The cuts of each search used on each, itself too."""
    for chosen_on, source in searches.items():
        for used_on, target in searches.items():
            names = (TRANSFORMATIONS, chosen_on, used_on)
            cut = source.cut(source.best) if source.best >= 0 else None
            yield from _single(target, cut, *names)
            yield from _per_topic(source, target, *names)


def from_tables(
    tables: Mapping[str, pd.DataFrame], choices: CutChoices, used_on: str
) -> Iterator[dict]:
    """The one cut for all of other collections, used here."""
    method = choices.search.plan.method.name
    yield from _single(choices, choices.cut(choices.best) if choices.best >= 0 else None,
                       COLLECTIONS, used_on, used_on)  # fmt: skip
    for name, table in tables.items():
        alike = (table["method"].astype(str) == method) & (table["topic"].astype(str) == ALL_TOPICS)
        if not alike.any():
            key = _key(COLLECTIONS, SINGLE, name, used_on)
            yield key | _nothing(f"{name} has no cut of {method} for all topics")
        for row in table[alike].to_dict("records"):
            reference = row["reference"]
            chosen_on = f"{name}: {method}" + (f"@{reference}" if pd.notna(reference) else "")
            cut = [row[c] for c in CUT_COLUMNS if c in row and pd.notna(row[c])]
            yield from _single(choices, cut or None, COLLECTIONS, chosen_on, used_on)


def _single(
    target: CutChoices, cut: Sequence[float] | None, by: str, chosen_on: str, used_on: str
) -> Iterator[dict]:
    """The one cut for all of another search, used on this one."""
    key = _key(by, SINGLE, chosen_on, used_on)
    if cut is None or target.best < 0:
        name = chosen_on if cut is None else used_on
        yield key | _nothing(f"{name} has no cut for all topics")
        return
    index = index_on(target.search, cut)
    key |= _thresholds(cut)
    yield from _judged(target, key, np.full(len(target.topics), index),
                       np.full(len(target.topics), target.best))  # fmt: skip


def _per_topic(
    source: CutChoices, target: CutChoices, by: str, chosen_on: str, used_on: str
) -> Iterator[dict]:
    """Each topic's own cut of another search, used on the same topic of this one."""
    key = _key(by, PER_TOPIC, chosen_on, used_on)
    own = dict(zip(source.topics, source.own, strict=True))
    cuts = np.full(len(target.topics), -1, dtype=np.int64)
    for t, topic in enumerate(target.topics):
        if own.get(topic, -1) >= 0 and target.own[t] >= 0:
            cuts[t] = index_on(target.search, source.cut(own[topic]))
    if (cuts < 0).all():
        yield key | _nothing(f"{chosen_on} and {used_on} share no topic with cuts of its own")
        return
    yield from _judged(target, key, cuts, target.own)


def _judged(target: CutChoices, key: dict, cuts: np.ndarray, own: np.ndarray) -> Iterator[dict]:
    """α and τ_b under a cut for each topic (−1: leave it out) beside that under its own."""
    columns = np.arange(len(target.topics))
    used = cuts >= 0
    alpha = [target.criterion[index[used], columns[used]] for index in (cuts, own)]
    if key["selection"] == SINGLE:
        # what the one cut maximises: undefined where it is eligible for too few topics
        means = [target.single[index[0]] for index in (cuts, own)]
    else:
        both = ~np.isnan(alpha[0]) & ~np.isnan(alpha[1])
        alpha = [values[both] for values in alpha]
        means = [values.mean() if len(values) else np.nan for values in alpha]
    difference = alpha[1] - alpha[0]
    difference = difference[~np.isnan(difference)]
    if key["chosen_on"] == key["used_on"]:
        ends = dict.fromkeys(("low", "high"), np.nan)  # nothing is lost, whatever the topics
    elif key["selection"] == SINGLE:
        # chosen by these topics, so that topics are no independent judges of it
        ends = lost_ends(target, cuts[0])
    else:
        ends = paired_difference(difference)
    spread = {"low": ends["low"], "high": ends["high"], "n_topics": len(difference)}
    yield key | {"quantity": ALPHA} | loss_row(*means) | spread
    cut_pairs = {target.topics[t]: [cuts[t], own[t]] for t in columns[used]}
    yield from taus(target, key, {t: tuple(pair) for t, pair in target.scores(cut_pairs).items()})


def lost_ends(target: CutChoices, cut: int) -> dict[str, float]:
    """The interval of what one cut for all loses beside the best."""
    options, places = target.search.plan.options, target.search.places
    fixed = {cut: target.criterion[cut]}
    return gains_over(places, target.criterion, options.coverage, fixed)[cut]


def taus(
    choices: CutChoices,
    key: dict,
    scores: Mapping[str, Sequence[np.ndarray]],
    places: tuple[int, int] = (0, 1),
) -> Iterator[dict]:
    """τ_b of the systems' means over topics under two of labellings, beside each expert's."""
    for expert in choices.experts():
        (value, n), (own, _) = (tau_with(choices, scores, expert, i) for i in places)
        if n:
            row = {"quantity": TAU, "expert": expert, "n_topics": n}
            yield key | row | loss_row(value, own)


def tau_with(
    choices: CutChoices, scores: Mapping[str, Sequence[np.ndarray]], expert: str, i: int
) -> tuple[float, int]:
    """τ_b of systems with an expert's ranking, under the i-th of several labellings of topics."""
    theirs = choices.experts()[expert]
    shared = [topic for topic in scores if topic in theirs]
    if not shared:
        return np.nan, 0
    mean = np.mean([theirs[topic] for topic in shared], axis=0)
    return tau_b(np.mean([scores[topic][i] for topic in shared], axis=0), mean), len(shared)


def loss_row(value: float, own: float) -> dict:
    """A value under another's cut, that under one's own, and by how much this one is higher."""
    return {"value": value, "own": own, "lost": own - value}


def _key(by: str, selection: str, chosen_on: str, used_on: str) -> dict:
    return {"by": by, "selection": selection, "chosen_on": chosen_on, "used_on": used_on}


def _thresholds(cut: Sequence[float]) -> dict:
    return dict(zip(CUT_COLUMNS, map(float, cut), strict=False))


def _nothing(note: str) -> dict:
    return {"quantity": ALPHA, "n_topics": 0, "note": note}


# --- the table -------------------------------------------------------------------------------


def mean_losses(rows: Sequence[Mapping]) -> Iterator[dict]:
    """What those that use cuts lose in the mean, with an interval over them."""
    if not rows:
        return
    table = pd.DataFrame(rows).reindex(columns=[*_CELL, "value", "own", "lost"])
    table = table[table["chosen_on"] != table["used_on"]]
    of_all = table["chosen_on"] == ALL_TOPICS
    keys = ["by", "quantity", "expert"]
    for chosen_on, part in ((ALL_TOPICS, table[of_all]), (OTHERS, table[~of_all])):
        for (by, quantity, expert), cells in part.groupby(keys, sort=False, dropna=False):
            cells = cells[cells["lost"].notna()]
            users = cells.groupby("used_on", sort=True)[["value", "own", "lost"]].mean()
            low, high = _ends_over_users(cells, users["lost"].to_numpy(dtype=float))
            row = {
                "by": by,
                "selection": PER_TOPIC if (by, chosen_on) == (TOPICS, OTHERS) else SINGLE,
            }
            row |= {"chosen_on": chosen_on, "used_on": ALL_TOPICS, "quantity": quantity}
            row |= {"expert": expert if isinstance(expert, str) else None}
            row |= {name: users[name].mean() for name in ("value", "own", "lost")}
            yield row | {"low": low, "high": high, "n_users": len(users)}


def _ends_over_users(cells: pd.DataFrame, lost: np.ndarray) -> tuple[float, float]:
    """Of what users lose in the mean: under cuts that others of them chose, or under that of all.

    The cut of all is the best of them by α, whose mean a little other cut hardly changes; that of
    τ_b it does change, and no interval is known that holds.
    """
    first = cells.iloc[0]
    if first["chosen_on"] != ALL_TOPICS:
        square = cells.pivot_table(index="chosen_on", columns="used_on", values="lost")
        names = square.index.union(square.columns)
        return tuple(others_interval(square.reindex(index=names, columns=names).to_numpy(float)))
    if first["quantity"] != ALPHA:
        return np.nan, np.nan
    interval = "mean_over_judges" if first["by"] == WORKERS else "mean_over_topics"
    paired = paired_difference(lost, interval)
    return paired["low"], paired["high"]


def others_interval(lost: np.ndarray) -> np.ndarray:
    """The interval of what those that use cuts lose in the mean under cuts of the others.

    Notes
    -----
    Each lends to all others, so that what these lose is not independent.  With one left out as
    lender and as user the mean is m₋ᵢ; the pseudo-values n m − (n − 1) m₋ᵢ of Tukey's jackknife
    have the variance that the mean of such pairs, a U-statistic, has over samples.
    """
    n = len(lost)
    known = ~np.isnan(lost)
    total, count = np.where(known, lost, 0.0).sum(axis=0), known.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = total / count
        without = (total - np.where(known, lost, 0.0)) / (count - known)
    np.fill_diagonal(without, np.nan)
    mean = mean_where_defined(each)
    left_out = np.array([mean_where_defined(row) for row in without])
    if is_too_alike(each[count > 0]) or np.isnan(left_out).any():
        return np.full(2, np.nan)
    pseudo = n * mean - (n - 1) * left_out
    return mean_interval(pseudo, "others_cuts") + mean - pseudo.mean()


_CELL = ["by", "quantity", "expert", "chosen_on", "used_on"]


def transfer_table(
    choices: CutChoices,
    name: str,
    reference: str | None,
    by: Sequence[str] = (TOPICS,),
    others: Mapping[str, CutChoices] | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """What cuts chosen elsewhere lose, beside the best cut of those that use them."""
    rows: list[dict] = []
    reason = choices.search.plan.reason
    if reason:
        rows.append(_key(TRANSFORMATIONS, SINGLE, name, name) | _nothing(reason))
    else:
        if TOPICS in by:
            cells = [*between_topics(choices)]
            rows += [*cells, *mean_losses(cells)]
        if others:
            rows += between_searches({name: choices, **others})
        if tables:
            rows += from_tables(tables, choices, name)
    key = {"method": choices.search.plan.method.name, "reference": reference}
    return pd.DataFrame([key | row for row in rows], columns=columns_of("cuts/transfer"))

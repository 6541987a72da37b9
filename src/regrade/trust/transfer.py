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
from itertools import product

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.cutsearch.means import mean_where_defined
from regrade.errors import ParameterError
from regrade.kendall import tau_b
from regrade.sample_means import mean_interval
from regrade.significance.paired import is_too_alike, paired_difference
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, RepeatedSearch
from regrade.trust.gains import gains_over
from regrade.trust.named_cuts import place_of

ALPHA, TAU = "alpha", "tau"
OTHERS = "others"
"""Of which a row over all users (``*``) is the mean: the cuts of others than the user."""
LOSS = ["value", "own", "lost"]
WORKERS, TOPICS = "workers", "topics"
TRANSFORMATIONS, COLLECTIONS = "transformations", "collections"


def index_on(search: RepeatedSearch, cut: Sequence[float]) -> int:
    """The index that a cut of another search has in this one.

    Thresholds are put on the highest that does not exceed them, which labels the values of this set
    as the cut does, as long as there are values between any two of them.
    """
    plan = search.plan
    cut = np.asarray(cut, dtype=float)
    if len(cut) != plan.levels - 1:
        raise ParameterError(
            f"the cut {cut.tolist()} makes {len(cut) + 1} levels, and the search that "
            f"would use it {plan.levels}: choose one with equally many levels"
        )
    known = plan.thresholds.values
    width = known[-1] - known[0] if len(known) > 1 else 1.0
    if cut[0] > known[-1] + width or cut[-1] < known[0] - width:
        raise ParameterError(
            f"the cut {cut.tolist()} is outside the thresholds {known[0]:g} … "
            f"{known[-1]:g} of the set that would use it: choose a cut of the same scale"
        )
    return int(search.index_of([place_of(plan.thresholds, cut)])[0])


# --- topics ----------------------------------------------------------------------------------


def between_topics(search: RepeatedSearch) -> Iterator[dict]:
    """Each topic's cut, and the one for all (``*``), used on each topic."""
    sources = dict(zip(search.names, search.own.tolist(), strict=True)) | {ALL_TOPICS: search.best}
    usable = {name: cut for name, cut in sources.items() if cut >= 0}
    scores = scores_under(search, {topic: [*usable.values()] for topic in search.names})
    for u, used_on in enumerate(search.names):
        own = search.own[u]
        for chosen_on, cut in sources.items():
            key = _key(TOPICS, SINGLE if chosen_on == ALL_TOPICS else PER_TOPIC, chosen_on, used_on)
            if min(cut, own) < 0:
                yield key | _nothing(f"{used_on if own < 0 else chosen_on} has no cut of its own")
                continue
            key |= search.thresholds(cut)
            alpha = search.criteria[[cut, own], u]
            yield key | {"quantity": ALPHA, "n_topics": 1} | loss_row(*alpha)
            if used_on in scores:
                rows = dict(zip(usable, scores[used_on], strict=True))
                yield from taus(search, key, {used_on: (rows[chosen_on], rows[used_on])})


def scores_under(
    search: RepeatedSearch, cuts: Mapping[str, Sequence[int]]
) -> dict[str, np.ndarray]:
    """The systems' scores by topic, (n, S), under n cuts of each; topics without runs lack."""
    return {
        topic.topic: search.scores(topic, cuts[topic.topic])
        for topic in (search.plan.topics if search.systems else ())
        if topic.topic in cuts and topic.topic in search.systems.discounts
    }


# --- transformations and collections ---------------------------------------------------------


def between_searches(searches: Mapping[str, RepeatedSearch]) -> Iterator[dict]:
    """The cuts of each search used on each, itself too."""
    for (chosen_on, source), (used_on, target) in product(searches.items(), repeat=2):
        yield from _single(target, _cut_of(source), TRANSFORMATIONS, chosen_on, used_on)
        key = _key(TRANSFORMATIONS, PER_TOPIC, chosen_on, used_on)
        own = dict(zip(source.names, source.own, strict=True))
        cuts = np.full(len(target.names), -1, dtype=np.int64)
        for t, topic in enumerate(target.names):
            if min(own.get(topic, -1), target.own[t]) >= 0:
                cuts[t] = index_on(target, source.plan.cuts[own[topic]])
        if (cuts < 0).all():
            yield key | _nothing(f"{chosen_on} and {used_on} share no topic with cuts of its own")
        else:
            yield from _judged(target, key, cuts, target.own)


def from_tables(
    tables: Mapping[str, pd.DataFrame], search: RepeatedSearch, used_on: str
) -> Iterator[dict]:
    """The one cut for all of other collections, used here."""
    method = search.plan.method.name
    yield from _single(search, _cut_of(search), COLLECTIONS, used_on, used_on)
    for name, table in tables.items():
        alike = (table["method"].astype(str) == method) & (table["topic"].astype(str) == ALL_TOPICS)
        if not alike.any():
            key = _key(COLLECTIONS, SINGLE, name, used_on)
            yield key | _nothing(f"{name} has no cut of {method} for all topics")
        for row in table[alike].to_dict("records"):
            reference = row["reference"]
            chosen_on = f"{name}: {method}" + (f"@{reference}" if pd.notna(reference) else "")
            cut = [row[c] for c in CUT_COLUMNS if c in row and pd.notna(row[c])]
            yield from _single(search, cut or None, COLLECTIONS, chosen_on, used_on)


def _cut_of(search: RepeatedSearch) -> np.ndarray | None:
    """The one cut for all topics, on the source scale."""
    return search.plan.cuts[search.best] if search.best >= 0 else None


def _single(
    target: RepeatedSearch, cut: Sequence[float] | None, by: str, chosen_on: str, used_on: str
) -> Iterator[dict]:
    """The one cut for all of another search, used on this one."""
    key = _key(by, SINGLE, chosen_on, used_on)
    if cut is None or target.best < 0:
        name = chosen_on if cut is None else used_on
        yield key | _nothing(f"{name} has no cut for all topics")
        return
    key |= dict(zip(CUT_COLUMNS, map(float, cut), strict=False))
    cuts = [np.full(len(target.names), index) for index in (index_on(target, cut), target.best)]
    yield from _judged(target, key, *cuts)


def _judged(target: RepeatedSearch, key: dict, cuts: np.ndarray, own: np.ndarray) -> Iterator[dict]:
    """α and τ_b under a cut for each topic (−1: leave it out) beside that under its own."""
    used = np.flatnonzero(cuts >= 0)
    alpha = target.criteria[[cuts[used], own[used]], used]
    if key["selection"] == SINGLE:
        # what the one cut maximises: undefined where it is eligible for too few topics
        means = target.means[[cuts[0], own[0]]]
    else:
        alpha = alpha[:, ~np.isnan(alpha).any(axis=0)]
        means = [values.mean() if len(values) else np.nan for values in alpha]
    difference = alpha[1] - alpha[0]
    difference = difference[~np.isnan(difference)]
    if key["chosen_on"] == key["used_on"]:
        ends = dict.fromkeys(("low", "high"), np.nan)  # nothing is lost, whatever the topics
    elif key["selection"] == SINGLE:
        # chosen by these topics, so that topics are no independent judges of it
        fixed = {None: target.criteria[cuts[0]]}
        ends = gains_over(target.places, target.criteria, target.coverage, fixed)[None]
    else:
        ends = paired_difference(difference)
    spread = {"low": ends["low"], "high": ends["high"], "n_topics": len(difference)}
    yield key | {"quantity": ALPHA} | loss_row(*means) | spread
    cut_pairs = {target.names[t]: [cuts[t], own[t]] for t in used}
    yield from taus(target, key, scores_under(target, cut_pairs))


def taus(
    search: RepeatedSearch,
    key: dict,
    scores: Mapping[str, Sequence[np.ndarray]],
    places: tuple[int, int] = (0, 1),
) -> Iterator[dict]:
    """τ_b of the systems' means over topics under two of labellings, beside each expert's."""
    for expert in search.experts:
        (value, n), (own, _) = (tau_with(search, scores, expert, i) for i in places)
        if n:
            row = {"quantity": TAU, "expert": expert, "n_topics": n}
            yield key | row | loss_row(value, own)


def tau_with(
    search: RepeatedSearch, scores: Mapping[str, Sequence[np.ndarray]], expert: str, i: int
) -> tuple[float, int]:
    """τ_b of systems with an expert's ranking, under the i-th of several labellings of topics."""
    theirs = search.experts[expert]
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


def _nothing(note: str) -> dict:
    return {"quantity": ALPHA, "n_topics": 0, "note": note}


# --- the table -------------------------------------------------------------------------------


def mean_losses(rows: Sequence[Mapping]) -> Iterator[dict]:
    """What those that use cuts lose in the mean, with an interval over them."""
    if not rows:
        return
    cell = ["by", "quantity", "expert", "chosen_on", "used_on"]
    table = pd.DataFrame(rows).reindex(columns=[*cell, *LOSS])
    table = table[table["chosen_on"] != table["used_on"]]
    of_all = table["chosen_on"] == ALL_TOPICS
    for chosen_on, part in ((ALL_TOPICS, table[of_all]), (OTHERS, table[~of_all])):
        for (by, quantity, expert), cells in part.groupby(cell[:3], sort=False, dropna=False):
            cells = cells[cells["lost"].notna()]
            users = cells.groupby("used_on", sort=True)[LOSS].mean()
            low, high = _ends_over_users(cells, users["lost"].to_numpy(dtype=float))
            selection = PER_TOPIC if (by, chosen_on) == (TOPICS, OTHERS) else SINGLE
            row = _key(by, selection, chosen_on, ALL_TOPICS) | {"quantity": quantity}
            row |= {"expert": expert if isinstance(expert, str) else None}
            row |= {name: users[name].mean() for name in LOSS}
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


def transfer_table(
    search: RepeatedSearch,
    name: str,
    reference: str | None,
    by: Sequence[str] = (TOPICS,),
    others: Mapping[str, RepeatedSearch] | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """What cuts chosen elsewhere lose, beside the best cut of those that use them."""
    rows: list[dict] = []
    if search.plan.reason:
        rows.append(_key(TRANSFORMATIONS, SINGLE, name, name) | _nothing(search.plan.reason))
    else:
        if TOPICS in by:
            cells = [*between_topics(search)]
            rows += [*cells, *mean_losses(cells)]
        if others:
            rows += between_searches({name: search, **others})
        if tables:
            rows += from_tables(tables, search, name)
    key = {"method": search.plan.method.name, "reference": reference}
    return pd.DataFrame([key | row for row in rows], columns=columns_of("cuts/transfer"))

"""An effect as the tables of several collections hold it: of whom, by topic or by sample.

Two forms are read, by the columns of the table that an effect's declaration names
(`regrade.stages.declare.Effect`).  With a row for each topic the effect is a mean over topics, with
Student's interval or Hall's.  With a row for each bootstrap sample of topics it is a statistic of
all topics together, such as τ_b of two rankings, with the standard deviation of the samples as its
standard error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS
from regrade.drawn_intervals import around, spread_of
from regrade.errors import MethodError, did_you_mean
from regrade.evaluations.cut_labels import SINGLE, UNCUT
from regrade.evaluations.label_agreement import drawn_topics
from regrade.sample_means import mean_interval
from regrade.stages.declare import Effect

SAMPLE = "replicate"
"""The column of tables of samples."""

MARGIN = ("margin_low", "margin_high", "passes", "beside")
"""Columns of an effect that is compared with a margin."""


@dataclass(frozen=True, eq=False)
class TopicEffect:
    """An effect that is the mean over topics, in one collection.

    Attributes
    ----------
    topics
        Those that have a value.
    values : array of float64, shape (T,)
    undefined
        How many topics have none.
    """

    topics: tuple[str, ...]
    values: np.ndarray
    undefined: int = 0

    @property
    def value(self) -> float:
        """The effect."""
        return float(self.values.mean()) if len(self.values) else np.nan

    @property
    def count(self) -> int:
        """T."""
        return len(self.values)

    @property
    def error(self) -> float:
        """Its standard error; NaN of one topic."""
        return float(self.values.std(ddof=1)) / sqrt(self.count) if self.count > 1 else np.nan

    @property
    def ends(self) -> np.ndarray:
        """The interval; NaN of too few topics."""
        return mean_interval(self.values)

    def sampled(self, resamples: int, seed: int) -> np.ndarray:
        """(1 + B,) its value, then in each bootstrap sample of the topics."""
        drawn = drawn_topics(np.array(self.topics), resamples, seed)
        return np.append(self.value, drawn @ self.values / max(self.count, 1))


@dataclass(frozen=True, eq=False)
class SampledEffect:
    """An effect that is a statistic of all topics of a collection.

    Attributes
    ----------
    count
        How many topics.
    samples : array of float64, shape (1 + B,)
        Its value, then in each bootstrap sample of the topics.
    is_agreement
        Whether its ends are at most 1, and at least −1.
    margin
        What it was compared with: infinite on a side without.
    passes
        Whether a further condition of a yes is met.
    beside
        What it is beside, such as a second person; empty without a margin.
    """

    count: int
    samples: np.ndarray
    undefined: int = 0
    is_agreement: bool = True
    margin: tuple[float, float] = (-inf, inf)
    passes: bool = True
    beside: str = ""

    @property
    def topics(self) -> int:
        """What two effects on the same topics share."""
        return self.count

    @property
    def value(self) -> float:
        """The effect."""
        return float(self.samples[0])

    @property
    def error(self) -> float:
        """The standard error; NaN of one topic, and where half of the samples are undefined."""
        if self.count < 2 or len(self.samples) < 3:
            return np.nan
        return float(spread_of(self.samples[1:])) * sqrt(self.count / (self.count - 1))

    @property
    def ends(self) -> np.ndarray:
        """The interval; NaN of too few topics."""
        ends = around(self.value, self.samples[1:], self.count, "rankings_alike")
        return np.clip(ends, -1, 1) if self.is_agreement else ends

    def sampled(self, resamples: int, seed: int) -> np.ndarray:
        """The samples that there are."""
        return self.samples


@dataclass(frozen=True, eq=False)
class Effects:
    """One effect in several collections.

    Attributes
    ----------
    effect
        Its declaration.
    collections
        Their names, in order.
    of
        (measure, subject) → collection → the effect there; the measure is empty of labels alone.
    unshared
        Measure → the collections that have it, where some lack it; these are not in `of`.
    notes
        What must be said of collections: that they are simulated.
    """

    effect: Effect
    collections: tuple[str, ...]
    of: Mapping[tuple[str, str], Mapping[str, TopicEffect | SampledEffect]]
    unshared: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    @cached_property
    def measures(self) -> list[str]:
        """Those that all collections have."""
        return list(dict.fromkeys(measure for measure, _ in self.of))

    def subjects(self, measure: str) -> dict[str, Mapping[str, TopicEffect | SampledEffect]]:
        """What the effect is of, by a measure, with the effects in the collections that have it."""
        return {subject: of for (one, subject), of in self.of.items() if one == measure}


def read_effects(
    effect: Effect, tables: Mapping[str, pd.DataFrame], measures: Sequence[str] | None = None
) -> Effects:
    """The effects that tables of several collections hold.

    Parameters
    ----------
    effect
        Its declaration.
    tables
        Collection → the table that the declaration names.
    measures
        Which; by default all that every collection has.

    Raises
    ------
    MethodError
        If a table has other columns or no row, or collections share no measure, or, of several,
        no two have a subject in common.
    """
    read = {name: _by_subject(effect, name, table) for name, table in tables.items()}
    of_each = {name: list(dict.fromkeys(m for m, _ in one)) for name, one in read.items()}
    known = list(dict.fromkeys(m for one in of_each.values() for m in one))
    for measure in measures or ():
        if measure not in known:
            near = did_you_mean(measure, filter(None, known))
            raise MethodError(f"no collection has the effect by {measure}{near}")
    requested = known if measures is None else [m for m in measures if m in known]
    shared = [m for m in requested if all(m in of for of in of_each.values())]
    if not shared:
        listed = "; ".join(f"{name}: {', '.join(of) or 'none'}" for name, of in of_each.items())
        raise MethodError(f"collections have no measure in common ({listed}): use one in all")
    of: dict[tuple[str, str], dict[str, TopicEffect | SampledEffect]] = {}
    for name, one in read.items():
        for (measure, subject), own in one.items():
            if measure in shared:
                of.setdefault((measure, subject), {})[name] = own
    _check_margins(of)
    pooled = {measure for (measure, _), own in of.items() if len(own) > 1}
    # measures by which something can be pooled come first
    of = {k: of[k] for k in sorted(of, key=lambda k: (k[0] not in pooled, shared.index(k[0])))}
    if len(read) > 1 and all(len(own) < 2 for own in of.values()):
        subjects = {name: list(dict.fromkeys(s for _, s in one)) for name, one in read.items()}
        listed = "; ".join(f"{name}: {', '.join(own[:5])}" for name, own in subjects.items())
        noun = " and ".join(effect.keys)
        raise MethodError(
            f"no {noun} is in two collections ({listed}): give the same {noun} the same name"
        )
    lacking = {m: tuple(n for n, has in of_each.items() if m in has) for m in requested}
    lacking = {m: names for m, names in lacking.items() if m not in shared}
    notes_of = {name: table.attrs.get("notes") for name, table in tables.items()}
    notes = tuple(f"{name}: {note}" for name, note in notes_of.items() if note)
    return Effects(effect, tuple(read), of, lacking, notes)


def _check_margins(of: Mapping[tuple[str, str], Mapping[str, object]]) -> None:
    """Collections state the same margins."""
    for (_, subject), own in of.items():
        margins = {name: getattr(one, "margin", None) for name, one in own.items()}
        if len({*margins.values()}) > 1:
            listed = "; ".join(f"{name}: {_ends_text(margin)}" for name, margin in margins.items())
            raise MethodError(
                f"the margins of {subject} differ ({listed}): state the same in all collections"
            )


def _ends_text(margin: tuple[float, float]) -> str:
    return " to ".join(f"{end:.4g}" for end in margin)


def _by_subject(
    effect: Effect, collection: str, table: pd.DataFrame
) -> dict[tuple[str, str], TopicEffect | SampledEffect]:
    """(measure, subject) → the effect in one collection."""
    by = SAMPLE if SAMPLE in table else "topic"
    needed = [
        *effect.keys,
        by,
        effect.value,
        *filter(None, [effect.less, effect.only]),
        *(["topics"] if by == SAMPLE else []),
        *(MARGIN if effect.has_margin else []),
    ]
    if missing := [name for name in needed if name not in table]:
        raise MethodError(
            f"{collection}: the table has no column {missing[0]}: give the table "
            f"`{effect.table.rpartition('/')[2]}` of `{effect.table.partition('/')[0]}`"
        )
    rows = _main_way(table[table[by].astype(str) != ALL_TOPICS])
    if effect.only:
        rows = rows[rows[effect.only].astype(bool)]
    measure = rows["measure"].astype(str) if "measure" in rows else pd.Series("", rows.index)
    subject = rows[effect.keys[0]].astype(str)
    for key in effect.keys[1:]:
        subject = subject + " · " + rows[key].astype(str)
    groups = rows.groupby([measure.to_numpy(), subject.to_numpy()], sort=False)
    own = {key: _effect_of(effect, collection, by, of) for key, of in groups}
    own = _in_each_measure(own)
    if not own:
        of = f" with {effect.only}: the results name none" if effect.only else ""
        raise MethodError(f"{collection}: the table has no rows{of}")
    return own


def _in_each_measure(
    own: dict[tuple[str, str], TopicEffect | SampledEffect],
) -> dict[tuple[str, str], TopicEffect | SampledEffect]:
    """Effects of labels (measure `*`) stand beside those of each measure, or alone."""
    measures = list(dict.fromkeys(measure for measure, _ in own if measure != ALL_TOPICS))
    return {
        (one, subject): of
        for (measure, subject), of in own.items()
        for one in ((measures or [""]) if measure == ALL_TOPICS else [measure])
    }


def _main_way(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of each judge's one way: the single cut that was held out, else uncut."""
    if not {"judge", "cut", "held_out"} <= {*rows.columns}:
        return rows
    is_single = (rows["cut"].astype(str) == SINGLE) & rows["held_out"].astype(bool)
    is_cut = is_single.groupby(rows["judge"].astype(str)).transform("any")
    return rows[np.where(is_cut, is_single, rows["cut"].astype(str) == UNCUT)]


def _effect_of(
    effect: Effect, collection: str, by: str, rows: pd.DataFrame
) -> TopicEffect | SampledEffect:
    values = rows[effect.value].to_numpy(float)
    if effect.less:
        values = values - rows[effect.less].to_numpy(float)
    units = rows[by]
    if units.duplicated().any():
        raise MethodError(
            f"{collection}: two rows of one {by} ({units[units.duplicated()].iloc[0]}) for the "
            f"same {' and '.join(effect.keys)}: keep one"
        )
    if by == SAMPLE:
        order = np.argsort(units.to_numpy(int), kind="stable")
        if len(order) == 0 or units.iloc[order[0]] != 0:
            raise MethodError(f"{collection}: no row of replicate 0, all topics")
        count = int(rows["topics"].iloc[0])
        if not effect.has_margin:
            is_agreement = effect.is_agreement
            return SampledEffect(count, values[order], is_agreement=is_agreement)
        low, high = (float(rows[name].iloc[0]) for name in MARGIN[:2])
        margin = (-inf if np.isnan(low) else low, inf if np.isnan(high) else high)
        passes = bool(rows["passes"].all())
        beside = str(rows["beside"].iloc[0])
        return SampledEffect(count, values[order], 0, False, margin, passes, beside)
    known = np.isfinite(values)
    topics = units.astype(str).to_numpy()[known]
    order = np.argsort(topics, kind="stable")
    return TopicEffect(tuple(topics[order]), values[known][order], int((~known).sum()))


def common(
    subjects: Mapping[str, Mapping[str, TopicEffect | SampledEffect]], collections: Sequence[str]
) -> Iterator[str]:
    """The subjects that have a value in every collection, on the topics of most subjects there."""
    most = {}
    for name in collections:
        topics = [of[name].topics for of in subjects.values() if name in of]
        most[name] = max(topics, key=topics.count) if topics else None
    for subject, of in subjects.items():
        if all(n in of and of[n].topics == most[n] and np.isfinite(of[n].value) for n in most):
            yield subject

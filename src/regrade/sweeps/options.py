"""What a user writes of a sweep: axes, their entries and levels, and the baseline; plain data.

An axis has *entries*, as its user wrote them, and an entry one *level* or several: ``every`` cut
of a scale, 20 halves of the topics, the pools without each group.  Entries of the axis of labels::

    NIST                                    a set's labels, or its uncut values as gains
    {cuts: NAME, which: [best, every]}      a set cut into levels, by each rule
    {judgments: S100, aggregate: [median, mean], cuts: [best, every]}
                                            the same of what each aggregation makes of judgments;
                                            without cuts, that as it is

Rules that choose one cut: ``best``, of the highest mean α beside the reference's labels;
``equal_widths`` and ``middle`` (`regrade.trust.named_cuts`); ``rounded`` (the scale stretched over
the levels and rounded).  ``plateau`` takes each cut not significantly worse than the best,
``every`` all that there are.

Scores by item have axes of their own (`SCORE_AXES`), of which the first names sets of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from regrade.choices import (
    AGGREGATIONS,
    AVERAGES,
    CORRECTIONS,
    CUT_RULES,
    DEPTH,
    METRICS,
    PAIR_TESTS,
    SWEPT_TIES,
    SWEPT_UNJUDGED,
)
from regrade.errors import ParameterError, check_choice, did_you_mean
from regrade.item_scores.notation import our_measure
from regrade.measures import parse
from regrade.pools.options import Pooling
from regrade.wording import counted, first_few

AXES = ("labels", "unjudged", "pool", "ties", "measure", "topics", "test")
"""In their order."""

LABEL_AXES = ("labels", "reference", "metric", "topics")
"""Of a sweep of labels, that ranks no systems."""

SCORE_AXES = ("scores", "measure", "average", "items", "test")
"""Of a sweep of scores by item, which have no rankings of documents."""

SYSTEM_AXES = (
    "scores", "labels", "unjudged", "pool", "ties", "measure", "average", "topics", "items", "test",
)  # fmt: skip
"""Those of both kinds of sweeps of systems, in the order of tables and figures."""

DEFAULTS = {
    "metric": "ordinal",
    "unjudged": "non-relevant",
    "pool": "all",
    "ties": "rank",
    "measure": "nDCG@10",
    "topics": "all",
    "test": "t/holm",
    "average": "datasets",
    "items": "all",
}
"""What an axis is at that neither the baseline nor the axes name."""

GIVEN = ("labels", "reference", "scores")
"""Axes without a default: the first entry, if it is one level."""

ALL = "all"
"""The pool of all that is judged; all topics."""

OWN = "own"
"""Items that every system has under those scores and that measure, whatever other scores lack."""

BY_ITEM, BY_DATASET = AVERAGES
"""What counts the same in a system's mean: each item, or each data set."""

LIMIT = 2_000_000
"""Universes of a sweep at most, by default."""


BEST, EQUAL_WIDTHS, MIDDLE, ROUNDED, PLATEAU, EVERY = CUT_RULES


@dataclass(frozen=True)
class CutFamily:
    """A set that is cut, and how.

    Attributes
    ----------
    name
        What the cuts are called by.
    set
        The set.
    levels
        Of the target scale; ``None``: as many as the reference's.
    reference
        The set beside which a cut is the best; ``None``: the baseline's labels.
    aggregate
        How the values of a document become one.
    metric, coverage, grid
        Of the search for the best cut (`regrade.cutsearch.options.AlphaOptions`).
    """

    name: str
    set: str
    levels: int | None = None
    reference: str | None = None
    aggregate: str = "median"
    metric: str = "ordinal"
    coverage: float = 0.9
    grid: int | None = None


@dataclass(frozen=True)
class Entry:
    """An entry of the axis: a set as it is, or a family of cuts by one rule.

    Attributes
    ----------
    text
        What it is called.
    set
        The set.
    family
        How judgments become one, and are cut; ``None`` for a set as it is.
    rule
        ``None`` where nothing is cut.
    """

    text: str
    set: str
    family: CutFamily | None = None
    rule: str | None = None

    @property
    def many(self) -> bool:
        """Whether it may stand for many cuts."""
        return self.rule in (PLATEAU, EVERY)


def label_entries(
    written: Sequence[object],
    baseline: str,
    families: Mapping[str, CutFamily],
    sets: Sequence[str],
    axis: str = "labels",
) -> list[Entry]:
    """The entries of the first axis; those of scores are sets."""
    entries: dict[str, Entry] = {}
    for item in written or [baseline]:
        if axis != "labels" and not isinstance(item, str):
            raise ParameterError(
                f"sweep: {axis}: {item!r} is not an entry: write the name of a set"
            )
        for entry in _entries(item, families, sets):
            entries.setdefault(entry.text, entry)
    if baseline not in entries:
        raise _no_level(axis, baseline, entries, entries)
    if entries[baseline].many:
        raise ParameterError(f"sweep: baseline: {baseline!r} is many cuts: name one")
    return list(entries.values())


def _entries(
    item: object, families: Mapping[str, CutFamily], sets: Sequence[str]
) -> Iterator[Entry]:
    keys = set(item) if isinstance(item, Mapping) else None
    if keys is None:
        yield Entry(str(item), _known(str(item), sets))
    elif "cuts" in keys and keys <= {"cuts", "which", "levels"}:
        name = item["cuts"]
        family = families.get(name) or CutFamily(name, _known(name, sets))
        if "levels" in item:
            family = replace(family, name=f"{name} to {item['levels']}", levels=item["levels"])
        for rule in _listed(item.get("which", [EVERY])):
            check_choice("rule for cuts", rule, CUT_RULES)
            yield Entry(f"{family.name} {rule}", family.set, family, rule)
    elif "judgments" in keys and keys <= {"judgments", "aggregate", "cuts", "levels"}:
        name = _known(item["judgments"], sets)
        for how in _listed(item.get("aggregate", ["median"])):
            check_choice("aggregate", how, AGGREGATIONS)
            family = CutFamily(f"{name} {how}", name, item.get("levels"), aggregate=how)
            if "cuts" not in item:
                yield Entry(family.name, name, family)
            for rule in _listed(item.get("cuts", [])):
                check_choice("rule for cuts", rule, CUT_RULES)
                yield Entry(f"{family.name} {rule}", name, family, rule)
    else:
        raise ParameterError(
            f"sweep: labels: {item!r} is not an entry: write the name of a set, "
            "{cuts: NAME, which: [best, every]}, or "
            "{judgments: NAME, aggregate: [median], cuts: [best]}"
        )


def _listed(value: object) -> list:
    return [value] if isinstance(value, str) else list(value)


def _known(name: str, sets: Sequence[str]) -> str:
    if name not in sets:
        raise ParameterError(f"sweep: there is no set '{name}'{did_you_mean(name, sets)}")
    return name


@dataclass(frozen=True)
class SweepSpec:
    """A sweep as its user wrote it.

    Attributes
    ----------
    labels
        Entries of the first axis: of labels, or of scores.
    others
        Of each other axis the entries, and the levels of each.
    baseline
        The baseline's level of each axis.
    """

    labels: tuple[Entry, ...]
    others: Mapping[str, Mapping[str, Sequence[str]]]
    baseline: Mapping[str, str]

    @property
    def first(self) -> str:
        """The name of the first axis."""
        return next(iter(self.baseline))


def read_sweep(
    axes: Mapping[str, Sequence[object]],
    baseline: Mapping[str, object],
    sets: Sequence[str],
    families: Mapping[str, CutFamily] | None = None,
    known: AvailableLevels | None = None,
    names: Sequence[str] = AXES,
) -> SweepSpec:
    """A sweep of what was written."""
    for name in (*axes, *baseline):
        if names == SCORE_AXES:
            _check_score_axis(name)
        check_choice("axis of a sweep", name, names)
    for name, entries in axes.items():
        if isinstance(entries, str) or not isinstance(entries, Iterable) or not list(entries):
            raise ParameterError(f"sweep: {name}: give a list of levels, or leave the axis out")
    known = replace(known or AvailableLevels(), sets=tuple(sets))
    at = {}
    for name in names:
        levels = axes.get(name, ())
        if name in baseline:
            at[name] = str(baseline[name])
        elif name in GIVEN:
            at[name] = levels[0] if levels else None
            if not isinstance(at[name], str):
                raise ParameterError(f"sweep: baseline: give its {name}, such as {{{name}: NIST}}")
        else:
            written, default = [str(level) for level in levels], DEFAULTS[name]
            if names == SCORE_AXES and name == "measure":  # theirs have any names
                default = written[0] if written else _only_measure(known)
            if name == "average" and len((known.groups or {}).get("dataset", "..")) < 2:
                default = BY_ITEM  # of one data set
            at[name] = default if default in written or not levels else written[0]
    first, *others = names
    entries = label_entries(axes.get(first, ()), at[first], families or {}, sets, first)
    readers = _SCORE_ENTRIES if names == SCORE_AXES else _ENTRIES
    of_others = {
        name: plain_entries(name, axes.get(name, ()), at[name], known, readers[name])
        for name in others
    }
    for name in others:
        _, (at[name],) = readers[name](at[name], known)
    return SweepSpec(tuple(entries), of_others, at)


def axes_of(*parts: Mapping[str, object]) -> tuple[str, ...]:
    """The axes of a sweep, by which of the first ones its axes and baseline name."""
    named = {name for part in parts for name, value in part.items() if value is not None}
    if "scores" in named:
        return SCORE_AXES
    return LABEL_AXES if "reference" in named else AXES


def _check_score_axis(name: str) -> None:
    """Refuse an axis that scores by item cannot have, with the reason."""
    of_documents = set(AXES) - {*SCORE_AXES, "topics"}
    if name in of_documents:
        raise ParameterError(
            f"sweep: {name}: needs rankings of documents and their labels, and scores by item have "
            f"neither: leave it out (axes of scores: {', '.join(SCORE_AXES)}), or sweep runs"
        )
    if name == "topics":
        raise ParameterError("sweep: topics: of scores by item this axis is `items`")


def _only_measure(known: AvailableLevels) -> str:
    """The measure of scores that have one."""
    if known.measures is None or len(known.measures) != 1:
        of = f" (measures: {first_few(known.measures)})" if known.measures else ""
        raise ParameterError(
            f"sweep: baseline: give its measure, such as {{measure: accuracy}}{of}"
        )
    return known.measures[0]


def plain_entries(
    name: str,
    written: Sequence[object],
    baseline: str,
    known: AvailableLevels,
    read: Callable[[object, AvailableLevels], tuple[str, list[str]]],
) -> dict[str, list[str]]:
    """The entries of an axis other than the first, each with its levels."""
    entries: dict[str, list[str]] = {}
    taken: set[str] = set()
    for item in written or [baseline]:
        entry, levels = read(item, known)
        new = [level for level in levels if level not in taken]
        taken.update(new)
        if new:
            entries[entry] = new
    _, levels = read(baseline, known)
    if len(levels) != 1 or levels[0] not in taken:
        raise _no_level(name, baseline, taken, entries)
    return entries


def _no_level(
    axis: str, baseline: str, known: Iterable[str], entries: Iterable[str]
) -> ParameterError:
    return ParameterError(
        f"sweep: baseline: {baseline!r} is not a level of the axis "
        f"'{axis}'{did_you_mean(str(baseline), known)}: add it there, or name one of "
        f"{', '.join(list(entries)[:6])}"
    )


UNREAD = "…"
"""Stands for all runs, or groups, as long as they have not been read."""


@dataclass(frozen=True)
class AvailableLevels:
    """What the levels of axes can be made of.

    Attributes
    ----------
    groups
        The names of runs (``run``) and of groups (``group``) that can be left out; ``None``: not
        read yet.
    sets
        Those beside which labels can be held.
    measures
        Of scores by item; ``None``: not read yet.
    """

    groups: Mapping[str, Sequence[str]] | None = None
    sets: Sequence[str] = ()
    measures: Sequence[str] | None = None


def _chosen(name: str, choices: Sequence[str], item: object, _) -> tuple[str, list[str]]:
    check_choice(name, item, choices)
    return item, [item]


def _measure(item: object, _) -> tuple[str, list[str]]:
    measure = parse(item)
    if measure.sets:
        raise ParameterError(
            f"{measure}: uses several label sets, and a sweep uses one: name another"
        )
    return str(measure), [str(measure)]


def _pool(item: object, known: AvailableLevels) -> tuple[str, list[str]]:
    if isinstance(item, Mapping):
        if set(item) - {"without", "depth"} or item.get("without") not in ("run", "group"):
            raise ParameterError(
                f"sweep: pool: {dict(item)} is not a pooling method: write all, depth-10, "
                "RRF@100, or {without: group, depth: 10}"
            )
        by, depth = item["without"], item.get("depth")
        names = [UNREAD] if known.groups is None else known.groups.get(by)
        if not names:
            raise ParameterError("sweep: pool: to leave out groups, give the group of each run")
        entry = f"without {by}" + (f" to {depth}" if depth else "")
        return entry, [f"{entry}: {name}" for name in names]
    if item == ALL or _number_behind("depth", item):
        return item, [item]
    if "@" not in str(item) or str(item).startswith(DEPTH):
        raise ParameterError(
            f"sweep: pool: {item!r} is not an entry: write all, depth-10, RRF@100, or "
            "{without: …}"
        )
    level = str(Pooling.read(item))
    return level, [level]


def _number_behind(word: str, text: object) -> int | None:
    head, _, number = str(text).partition("-")
    return int(number) if head == word and number.isdigit() and int(number) else None


def _topics(item: object, _, axis: str = "topics", more: str = "") -> tuple[str, list[str]]:
    if item == ALL:
        return ALL, [ALL]
    halves = _number_behind("halves", item)
    if not halves or halves % 2:
        problem = f"write all, {more}or halves-20 for both halves of ten splits at random"
        raise ParameterError(f"sweep: {axis}: {item!r} is not an entry: {problem}")
    splits = range(1, halves // 2 + 1)
    return "halves", [f"half {split}{side}" for split in splits for side in "ab"]


def _items(item: object, known: AvailableLevels) -> tuple[str, list[str]]:
    """Items: all, those of one measure's own, without or of each data set, halves."""
    if item == OWN:
        return OWN, [OWN]
    if isinstance(item, str):
        kind, _, name = item.partition(" dataset: ")
        if name and kind in ITEMS_BY_DATASET:  # one level, as a baseline names it
            return item, [item]
    if not isinstance(item, Mapping):
        return _topics(item, known, "items", "own, {without: dataset}, {only: dataset} ")
    ((kind, by),) = item.items() if len(item) == 1 else [("", "")]
    if kind not in ITEMS_BY_DATASET or by != "dataset":
        raise ParameterError(
            f"sweep: items: {dict(item)} is not an entry: write {{without: dataset}} or "
            "{only: dataset}"
        )
    names = [UNREAD] if known.groups is None else known.groups.get("dataset", ())
    if (len(names) == 1 and names[0] != UNREAD) or not names:
        raise ParameterError(
            f"sweep: items: {kind} dataset needs scores of several data sets, and these name "
            f"{counted(len(names), 'data set')}: name the column that has them "
            "(columns: dataset=NAME), or leave it out"
        )
    return f"{kind} dataset", [f"{kind} dataset: {name}" for name in names]


ITEMS_BY_DATASET = ("without", "only")
"""What an entry of items does with each data set."""


def _score_measure(item: object, known: AvailableLevels) -> tuple[str, list[str]]:
    """A measure of scores, which may have any name."""
    name = str(item)
    if known.measures is None:
        return name, [name]
    own = [name, our_measure(name), f"-{name}"]
    for one in own:
        if one in known.measures:
            return one, [one]
    near = did_you_mean(name, known.measures) or f" (measures: {first_few(known.measures)})"
    raise ParameterError(f"sweep: measure: the scores have no measure {name!r}{near}")


def _test(item: object, _) -> tuple[str, list[str]]:
    test, _, correction = str(item).partition("/")
    check_choice("test", test, PAIR_TESTS)
    check_choice("correction", correction or "none", CORRECTIONS)
    written = f"{test}/{correction or 'none'}"
    return written, [written]


_ENTRIES = {
    "unjudged": partial(_chosen, "unjudged", SWEPT_UNJUDGED),
    "pool": _pool,
    "ties": partial(_chosen, "ties", SWEPT_TIES),
    "measure": _measure,
    "topics": _topics,
    "test": _test,
    "reference": lambda item, known: (str(item), [_known(str(item), known.sets)]),
    "metric": partial(_chosen, "metric", METRICS),
}
_SCORE_ENTRIES = {
    "measure": _score_measure,
    "average": partial(_chosen, "average", AVERAGES),
    "items": _items,
    "test": _test,
}

"""Families of systems, by whatever names them: a file, groups, patterns, a mapping, a frame.

A system may be in several families, or in none; the systems outside a family are those that it is
compared with, so a family of all systems is no family here.  Names that are no system's are
counted, since a file of families often has more runs than are evaluated; a pattern that matches no
system is refused, since it is written for these.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from regrade.errors import ParameterError, did_you_mean
from regrade.wording import counted, first_few, to_be

if TYPE_CHECKING:
    import numpy as np

_WILDCARDS = frozenset("*?[")
_SYSTEM, _FAMILY = ("system", "run"), ("family", "group")
"""What the columns of a frame are called."""


@dataclass(frozen=True)
class Families(Mapping[str, tuple[str, ...]]):
    """The systems of each family, in the order of the systems.

    Attributes
    ----------
    systems
        By family, in the order in which families are first named.
    notes
        Sentences on names that are no system's, on families without systems, on systems that are
        in no family or in several, and on families of the same systems.
    left_out
        Why a family that is named is not among them, by family.
    """

    systems: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] | None = None

    def __getitem__(self, family: str) -> tuple[str, ...]:
        """The systems of a family."""
        return self.systems[family]

    def __iter__(self) -> Iterator[str]:
        """The names of the families."""
        return iter(self.systems)

    def __len__(self) -> int:
        """The number of families."""
        return len(self.systems)

    def members(self, systems: Sequence[str]) -> np.ndarray:
        """Whether each system is in each family.

        Parameters
        ----------
        systems : sequence of str
            The names of S systems.

        Returns
        -------
        array of bool
            (families, S), the families in their order.
        """
        import numpy as np

        return np.array([[one in of for one in systems] for of in map(set, self.systems.values())])

    def own(
        self, families: Mapping[str, str | Sequence[str]], judges: Iterable[str]
    ) -> dict[str, tuple[str, ...]]:
        """The families that are a judge's own, checked.

        Parameters
        ----------
        families
            A family, or several, by judge.
        judges
            The names of the judges.

        Returns
        -------
        dict
            Families by judge, of those judges that have any.

        Raises
        ------
        ParameterError
            If a judge or a family is unknown, or a family is named twice for a judge.
        """
        judges, own = list(judges), {}
        for judge, named in families.items():
            if judge not in judges:
                raise ParameterError(f"own: unknown judge '{judge}'{did_you_mean(judge, judges)}")
            own[judge] = (named,) if isinstance(named, str) else tuple(named)
            for family, count in Counter(own[judge]).items():
                if why := (self.left_out or {}).get(family):
                    raise ParameterError(f"own: {why}: leave out {judge}={family}")
                if family not in self:
                    near = did_you_mean(family, self)
                    raise ParameterError(f"own: unknown family '{family}' of {judge}{near}")
                if count > 1:
                    problem = f"own: family '{family}' is named twice for {judge}: name it once"
                    raise ParameterError(problem)
        return own


def families_of(source: object, systems: Iterable[str], patterns: object = None) -> Families:
    """The families of some systems.

    Parameters
    ----------
    source
        The path of a file with lines ``run family``; a mapping of families to names of systems or
        patterns (``{"gpt": ["*gpt*", "mine"]}``, where ``*``, ``?`` and ``[…]`` are wildcards), or
        to one of them; a frame with the columns ``system`` (or ``run``) and ``family`` (or
        ``group``); ``None``, with `patterns`; or `Families`, which are returned.
    systems
        The names of the systems.
    patterns
        Further systems of families, as a mapping.

    Returns
    -------
    Families

    Raises
    ------
    RegradeError
        If a file cannot be read, a name stands twice in a family, a pattern matches no system, or
        no family has some of the systems and not all.

    Examples
    --------
    >>> families = families_of({"gpt": "*gpt*", "mine": ["bm25"]}, ["bm25", "rankgpt4", "zephyr"])
    >>> families["gpt"], families["mine"]
    (('rankgpt4',), ('bm25',))
    >>> families.notes
    ('1 of 3 systems is in no family (zephyr).',)
    """
    if isinstance(source, Families):
        return source
    systems = list(systems)
    entries = [*_entries(source, systems), *_entries(patterns, systems)]
    if not entries:
        raise ParameterError("families: none is named: give a file of lines: run family")
    named: dict[str, set[str]] = {}
    unknown: dict[str, None] = {}
    for name, family in entries:
        matches = _matches(name, systems, family)
        named.setdefault(family, set()).update(matches)
        if not matches:
            unknown[name] = None
    kept, left_out = {}, {}
    for family, of in named.items():
        members = tuple(one for one in systems if one in of)
        if not members:
            left_out[family] = f"no system is in family '{family}'"
        elif len(members) == len(systems):
            left_out[family] = f"family '{family}' has all {counted(len(systems), 'system')}"
        else:
            kept[family] = members
    if not kept:
        raise ParameterError(
            f"families: {'; '.join(left_out.values())}: {_remedy(unknown, systems)}"
        )
    notes = _notes(kept, left_out.values(), list(unknown), systems)
    return Families(kept, tuple(notes), left_out)


def by_group(groups: Mapping[str, str]) -> dict[str, list[str]]:
    """Systems by group, of groups by system: the families that groups are."""
    families: dict[str, list[str]] = {}
    for system, group in groups.items():
        families.setdefault(group, []).append(system)
    return families


def _entries(source: object, systems: Sequence[str]) -> list[tuple[str, str]]:
    """Names of systems, or patterns, each with its family."""
    if source is None:
        return []
    if isinstance(source, str | os.PathLike):
        from regrade.readers.groups import read_families

        read = read_families(source)
        return list(zip(read["system"], read["family"], strict=True))
    if isinstance(source, Mapping):
        if _has_systems_as_keys(source, systems):
            problem = "families: the keys are names of systems: give {family: [systems]}"
            raise ParameterError(problem)
        entries = [(one, family) for family, of in source.items() for one in _several(family, of)]
    elif hasattr(source, "columns"):
        entries = list(zip(*(_column(source, names) for names in (_SYSTEM, _FAMILY)), strict=True))
    else:
        raise ParameterError(
            f"families is of type {type(source).__name__}: give a file, a frame with the columns "
            "system and family, or {family: [systems]}"
        )
    for name, family in entries:
        if not all(isinstance(one, str) and one.strip() for one in (name, family)):
            problem = f"families: {name!r} in {family!r}: names are texts that are not empty"
            raise ParameterError(problem)
    for (name, family), count in Counter(entries).items():
        if count > 1:
            problem = f"families: {name} is named {count} times in family '{family}': name it once"
            raise ParameterError(problem)
    return entries


def _has_systems_as_keys(source: Mapping, systems: Sequence[str]) -> bool:
    """Whether a mapping has families by system, the wrong way round."""
    values = [of for of in source.values() if isinstance(of, str)]
    are_names = not any(of in systems or _WILDCARDS & set(of) for of in values)
    return bool(values) and set(source) <= set(systems) and are_names


def _several(family: str, of: object) -> Sequence[str]:
    """What a mapping has for a family, as a list."""
    if isinstance(of, str):
        return [of]
    if isinstance(of, Mapping) or not isinstance(of, Iterable):
        kind = type(of).__name__
        problem = f"families: family {family!r} is of type {kind}: give names or patterns"
        raise ParameterError(problem)
    if not (several := list(of)):
        raise ParameterError(f"families: family {family!r} is empty: name systems, or leave it out")
    return several


def _column(frame: object, names: Sequence[str]) -> list[object]:
    """The column of a frame that has one of two names."""
    for name in names:
        if name in frame.columns:
            return list(frame[name])
    have = first_few(list(map(str, frame.columns)))
    raise ParameterError(f"families: a frame needs the column {' or '.join(names)}; it has {have}")


def _matches(name: str, systems: Sequence[str], family: str) -> list[str]:
    """The systems that a name or a pattern is of."""
    if name in systems:
        return [name]
    if not _WILDCARDS & set(name):
        return []
    if matches := [one for one in systems if fnmatchcase(one, name)]:
        return matches
    problem = f"families: no system matches '{name}' of family '{family}'"
    raise ParameterError(f"{problem}{did_you_mean(name.strip('*'), systems)}")


def _remedy(unknown: Iterable[str], systems: Sequence[str]) -> str:
    """What to do where there is no family to compare with others."""
    if unknown := list(unknown):
        return f"the runs are {first_few(systems)}, and the names {first_few(unknown)}"
    return "name families of some of the systems"


def _notes(
    families: Mapping[str, Sequence[str]],
    left_out: Iterable[str],
    unknown: Sequence[str],
    systems: Sequence[str],
) -> Iterator[str]:
    """What an answer says of the names."""
    if unknown:
        names = counted(len(unknown), "name")
        yield f"{names} in the families {to_be(len(unknown))} no system's ({first_few(unknown)})."
    for why in left_out:
        yield f"{why[0].upper()}{why[1:]}; it is left out."
    count = Counter(one for of in families.values() for one in of)
    if none := [one for one in systems if not count[one]]:
        of = f"{len(none)} of {counted(len(systems), 'system')} {to_be(len(none))}"
        yield f"{of} in no family ({first_few(none)})."
    if several := [one for one in systems if count[one] > 1]:
        systems_are = f"{counted(len(several), 'system')} {to_be(len(several))}"
        yield f"{systems_are} in several families ({first_few(several)})."
    same: dict[tuple[str, ...], list[str]] = {}
    for family, of in families.items():
        same.setdefault(tuple(of), []).append(family)
    for names in same.values():
        if len(names) > 1:
            yield f"Families {', '.join(names)} have the same systems."

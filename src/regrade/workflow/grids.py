"""Grids: every combination of parameters as an item of its own, before the schema checks them.

An element of a list of items (or one of the sets by name) that has ``grid``, a list of values for
each parameter, stands for one item for each combination; see docs/keys/grid.md.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from regrade.errors import did_you_mean
from regrade.stages.registry import stages
from regrade.wording import as_text

SETS = ("qrels", "judgments", "preferences")
"""Keys of a collection that hold sets by name, and no list."""

CALLED = {stage.key: stage.called for stage in stages().values() if stage.called}
"""The lists of a collection whose items have names, and what one is called that gives none."""

LISTS = tuple(key for key in CALLED if stages()[key].has_key)
"""Those of them that the configuration has."""

OWN = ("grid", "except", "name")
"""Keys of a grid beside what its items share."""

LONGEST = 120
"""Letters of a name; what is longer ends in a hash."""


@dataclass(frozen=True)
class Grid:
    """A grid of a collection.

    Attributes
    ----------
    key
        The collection's key that has it.
    name
        Which of them; empty: the only one without a name.
    place
        Where it stands below the collection.
    parameters
        The names of its parameters.
    items
        Name of each item → values by column: parameters, then those of grids that these name.
    left_out
        How many combinations are left out.
    """

    key: str
    name: str
    place: str
    parameters: tuple[str, ...]
    items: Mapping[str, Mapping[str, object]]
    left_out: int = 0

    @property
    def path(self) -> str:
        """What it is called in paths and by other grids: its key, and its name if it has one."""
        return f"{self.key}/{self.name}" if self.name else self.key

    @property
    def is_of_sets(self) -> bool:
        """Whether its items are sets, which no table is joined of."""
        return self.key in SETS

    @property
    def counted(self) -> str:
        """How many items it has, in a line."""
        out = f", {self.left_out} left out" * bool(self.left_out)
        items = len(self.items)
        return f"{items} {'item' if items == 1 else 'items'} ({' × '.join(self.parameters)}{out})"

    def place_of(self, item: str, below: str) -> str:
        """Where what is wrong with a key of an item stands."""
        inside = "grid." if below.partition(".")[0] in _first_parts(self.parameters) else ""
        return f"{self.place}.{inside}{below}" if below else self.place

    def combination(self, item: str) -> str:
        """The item's parameters, as messages say them."""
        return written({name: self.items[item][name] for name in self.parameters})


@dataclass(frozen=True)
class Expanded:
    """A configuration without grids.

    Attributes
    ----------
    config
        It, with items in the place of grids.
    grids
        Those of each collection, by the collection's name.
    problems
        What is wrong with grids: place and problem of each.
    """

    config: dict
    grids: Mapping[str, list[Grid]]
    problems: list[tuple[str, str]]
    _from: Mapping[tuple, tuple[Grid, str] | int] = field(default_factory=dict)

    def located(self, path: tuple) -> tuple[str, str]:
        """Where in the configuration a path of the expanded one stands, and of which combination.

        No combination where it is of no grid, or what is wrong is shared by all.
        """
        place, origin = path[:4], self._from.get(path[:4])
        if isinstance(origin, tuple):
            grid, item = origin
            below = ".".join(map(str, path[4:]))
            where = ".".join((*path[:2], grid.place_of(item, below)))
            is_own = ".grid." in where or not below
            return where, grid.combination(item) if is_own else ""
        place = path if origin is None else (*path[:3], origin, *path[4:])
        return ".".join(map(str, place)), ""


def name_of(key: str, options: Mapping) -> str:
    """The name of an item of one of the lists that `CALLED` has."""
    if "name" in options:
        return options["name"]
    beside = [*(options.get("preferences") or ()), *(options.get("experts") or ()), None]
    about = {"qrels": options["scores"]} if options.get("scores") else {}
    return CALLED[key].format(**{"beside": beside[0], **options, **about})


def expanded(config: Mapping, of_sets: Mapping[str, Sequence[str]]) -> Expanded:
    """A configuration with an item in the place of each combination of its grids.

    `of_sets` are the options that sets may have, by kind.
    """
    config = copy.deepcopy(dict(config))
    grids, problems, origins = {}, [], {}
    collections = config.get("collections")
    for name, options in collections.items() if isinstance(collections, Mapping) else ():
        if not isinstance(options, dict):
            continue
        completed = _completed(options)
        try:
            one = _Expansion(options, of_sets)
            lists = one.lists()
        except _GridError as error:
            problems.append((f"collections.{name}.{error.place}", error.problem))
            continue
        for key, (held, of_key) in lists.items():
            options[key] = held
            origins |= {("collections", name, key, at): of for at, of in of_key.items()}
        grids[name] = [*completed, *one.grids.values()]
    return Expanded(config, grids, problems, origins)


def _completed(options: dict) -> list[Grid]:
    """Those of a collection that has none any more, as it has been completed before; taken out."""
    held = options.get("grids")
    if isinstance(held, list) and all(isinstance(one, Grid) for one in held):
        return options.pop("grids")
    return []


def written(combination: Mapping[str, object]) -> str:
    """Parameters and their values, as messages say them."""
    return ", ".join(f"{name} {as_text(value)}" for name, value in combination.items())


class _GridError(Exception):
    """A grid that cannot be: its place below the collection, and the problem."""

    def __init__(self, place: str, problem: str):
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


class _Expansion:
    """The grids of one collection, each expanded when it is first needed."""

    def __init__(self, options: Mapping, of_sets: Mapping[str, Sequence[str]]):
        self.options = options
        self.of_sets = of_sets
        self.grids: dict[str, Grid] = {}
        self._items: dict[str, list[tuple[str, dict]]] = {}
        self._waiting: list[str] = []
        self._written = {}
        for key, name, place, node in _written_in(options):
            path = f"{key}/{name}" if name else key
            if path in self._written:
                problem = "is the second grid here without a name: give it a `name`"
                if name:
                    problem = f"is the second grid here with the name '{name}': rename it"
                raise _GridError(place, problem)
            self._written[path] = (key, name, place, node)

    def lists(self) -> dict[str, tuple[list | dict, dict]]:
        """Key → its items, and from which grid and item, or which element, each of them is."""
        for path in self._written:
            self._grid(path)
        paths = {id(node): path for path, (*_, node) in self._written.items()}
        lists = {}
        for key in dict.fromkeys(key for key, *_ in self._written.values()):
            held = self.options[key]
            if key in SETS:
                lists[key] = self._sets(key, held, paths)
                continue
            items, origins = [], {}
            for number, element in enumerate([held] if isinstance(held, Mapping) else held):
                if id(element) not in paths:
                    origins[len(items)] = number
                    items.append(element)
                    continue
                path = paths[id(element)]
                for name, item in self._items[path]:
                    origins[len(items)] = (self.grids[path], name)
                    items.append(item)
            self._check_names(key, items, origins)
            lists[key] = items, origins
        return lists

    def _sets(self, key: str, held: Mapping, paths: Mapping[int, str]) -> tuple[dict, dict]:
        sets, origins = {}, {}
        for name, options in held.items():
            path = paths.get(id(options))
            for one, item in self._items[path] if path else [(name, options)]:
                if one in sets or (path and one in held):
                    problem = f"makes the set '{one}', and there is another one: rename one"
                    raise _GridError(f"{key}.{name}", problem)
                sets[one] = item
                if path:
                    origins[one] = (self.grids[path], one)
        return sets, origins

    @staticmethod
    def _check_names(key: str, items: list, origins: Mapping[int, object]) -> None:
        """Refuse two items of one name, where one of them is of a grid."""
        known: dict[str, object] = {}
        for number, item in enumerate(items):
            name, origin = _name_of(key, item), origins[number]
            clash = [one for one in (origin, known.get(name)) if isinstance(one, tuple)]
            if name is not None and name in known and clash:
                problem = f"makes an item '{name}', and another item has this name"
                remedy = "give the grid a `name`, the prefix of its items' names"
                if "name" not in stages()[key].fields:
                    remedy = "leave one of them out"
                raise _GridError(clash[0][0].place, f"{problem}: {remedy}")
            known.setdefault(name, origin)

    def _grid(self, path: str) -> Grid:
        if path in self.grids:
            return self.grids[path]
        key, name, place, node = self._written[path]
        if path in self._waiting:
            problem = f"needs its own items, by {' and '.join(self._waiting)}: name others"
            raise _GridError(place, problem)
        self._waiting.append(path)
        own = ("grid", "except") if key in SETS else OWN
        shared = {k: v for k, v in node.items() if k not in own}
        axes = self._axes(key, place, node["grid"], shared)
        every = list(itertools.product(*(axis.choices for axis in axes)))
        combinations = [_columns(axes, one) for one in every]
        is_out = _left_out(combinations, axes, place, node.get("except"))
        items: list[tuple[str, dict]] = []
        columns = {}
        for one, combination, out in zip(every, combinations, is_out, strict=True):
            if out:
                continue
            item = copy.deepcopy(shared)
            for axis, choice in zip(axes, one, strict=True):
                _put(item, axis.parameter.split("."), copy.deepcopy(choice.value))
            called = _called([name] if name else [], [choice.piece for choice in one])
            if key not in SETS and "name" in stages()[key].fields:
                item = {"name": called, **item}
            elif key not in SETS:
                called = _name_of(key, item) or called
            if called in columns:
                self._refuse_twice(key, place, called, columns[called], combination, axes)
            columns[called] = combination
            items.append((called, item))
        grid = Grid(key, name, place, tuple(a.parameter for a in axes), columns, sum(is_out))
        self._waiting.pop()
        self.grids[path], self._items[path] = grid, items
        return grid

    @staticmethod
    def _refuse_twice(key, place, called, first, second, axes) -> None:
        own = [axis.parameter for axis in axes]
        first, second = ({name: one[name] for name in own} for one in (first, second))
        differs = [name for name in own if first[name] != second[name]]
        two = f"{written(first)} and {written(second)}"
        if key in SETS or "name" in stages()[key].fields:
            problem = f"calls two combinations '{called}', {two}: leave one out under `except`"
            raise _GridError(place, problem)
        problem = (
            f"an item of `{key}` is called '{called}' whatever its {' and '.join(differs)}, as in "
            f"{two}: give one value, beside the grid"
        )
        raise _GridError(f"{place}.grid.{differs[0]}", problem)

    def _axes(self, key: str, place: str, held: Mapping, shared: Mapping) -> list[_Axis]:
        axes = []
        for parameter, values in held.items():
            at = f"{place}.grid.{parameter}"
            first = str(parameter).partition(".")[0]
            known = self.of_sets[key] if key in SETS else stages()[key].fields
            if first not in known or first == "name":
                near = did_you_mean(first, known)
                raise _GridError(f"{place}.grid", f"there is no parameter '{parameter}'{near}")
            if parameter in shared:
                raise _GridError(at, "is given besides the grid too: leave one of them out")
            if isinstance(values, Mapping) and [*values] == ["grid"]:
                axes.append(self._of_grid(parameter, at, values["grid"]))
                continue
            if not isinstance(values, list):
                problem = f"write a list, [{as_text(values)}], or put it beside the grid, for all"
                raise _GridError(at, problem)
            if not values:
                raise _GridError(at, "has no value: list some, or leave it out")
            axes.append(_Axis(parameter, _choices(parameter, at, values)))
        return axes

    def _of_grid(self, parameter: str, at: str, path: object) -> _Axis:
        """The items of another grid as values, each with what it is made of."""
        if path not in self._written:
            near = did_you_mean(path, self._written)
            raise _GridError(at, f"there is no grid '{path}'{near}")
        other = self._grid(path)
        choices = [_Choice(name, name, columns) for name, columns in other.items.items()]
        return _Axis(parameter, choices)


@dataclass(frozen=True)
class _Choice:
    """A value of a parameter: its piece of names, and what it is itself made of."""

    value: object
    piece: str
    columns: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class _Axis:
    parameter: str
    choices: list[_Choice]


def _written_in(options: Mapping) -> Iterator[tuple[str, str, str, Mapping]]:
    """Each grid: key, name, place, what is written."""
    for key, held in options.items():
        if key in SETS:
            for name, one in held.items() if isinstance(held, Mapping) else ():
                if is_grid(key, one):
                    yield key, str(name), f"{key}.{name}", one
        elif key not in LISTS:
            continue
        elif is_grid(key, held):
            yield key, _own_name(held, key), key, held
        elif isinstance(held, list):
            of_key = [(number, one) for number, one in enumerate(held) if is_grid(key, one)]
            for number, one in of_key:
                yield key, _own_name(one, f"{key}.{number}"), f"{key}.{number}", one


def _own_name(node: Mapping, place: str) -> str:
    name = node.get("name", "")
    if not isinstance(name, str) or (name and _slug(name) != name):
        raise _GridError(
            f"{place}.name", f"{as_text(name)} is not a name of letters, digits, . and -"
        )
    return name


def is_grid(key: str, node: object) -> bool:
    """Whether it is a grid, and no item with an option of that name."""
    held = node.get("grid") if isinstance(node, Mapping) else None
    if not isinstance(held, Mapping):
        return False
    if key in SETS or "grid" not in stages()[key].fields:
        return True
    # an option's values are numbers
    return any(isinstance(values, list | Mapping) for values in held.values())


def _choices(parameter: str, at: str, values: list) -> list[_Choice]:
    """The values, each with a piece of a name that no value before it has."""
    seen: dict[str, object] = {}
    pieces: dict[str, int] = {}
    choices = []
    for number, value in enumerate(values, 1):
        text = json.dumps(value, sort_keys=True, default=str)
        if text in seen:
            raise _GridError(at, f"{as_text(value)} occurs twice: leave one out")
        seen[text] = value
        last = parameter.rpartition(".")[2]
        piece = _slug(as_text(value))
        if not isinstance(value, str) or not piece:
            piece = _slug(f"{last}-{piece or number}")
        pieces[piece] = pieces.get(piece, 0) + 1
        again = f"-{pieces[piece]}" if pieces[piece] > 1 else ""
        choices.append(_Choice(value, f"{piece}{again}"))
    return choices


def _slug(text: str) -> str:
    """A text as a part of a path."""
    return re.sub(r"[^A-Za-z0-9.+]+", "-", text).strip("-.+")


def _called(before: list[str], pieces: list[str]) -> str:
    """The name of a combination."""
    name = "-".join([*before, *pieces])
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _columns(axes: list[_Axis], choices: tuple[_Choice, ...]) -> dict[str, object]:
    """The parameters of a combination, then those of the items of other grids that it names."""
    own = {axis.parameter: one.value for axis, one in zip(axes, choices, strict=True)}
    further = {}
    for axis, one in zip(axes, choices, strict=True):
        for name, value in one.columns.items():
            is_known = name in own or name in further
            further[f"{axis.parameter}.{name}" if is_known else name] = value
    return own | further


def _left_out(
    combinations: list[dict], axes: list[_Axis], place: str, conditions: object
) -> list[bool]:
    """Of each combination, whether a condition leaves it out."""
    at = f"{place}.except"
    if conditions is None:
        conditions = []
    if not (isinstance(conditions, list) and all(isinstance(c, Mapping) and c for c in conditions)):
        raise _GridError(at, "list combinations by their values, [{metric: nominal, levels: [3]}]")
    out = [False] * len(combinations)
    for number, condition in enumerate(conditions):
        wanted = {}
        for name, values in condition.items():
            if name not in combinations[0]:
                near = did_you_mean(name, combinations[0])
                raise _GridError(f"{at}.{number}", f"the grid has no parameter '{name}'{near}")
            known = dict.fromkeys(as_text(one[name]) for one in combinations)
            listed = values if isinstance(values, list) else [values]
            wanted[name] = {as_text(value) for value in listed}
            if not listed or wanted[name] - known.keys():
                value = sorted(wanted[name] - known.keys())[0] if listed else "nothing"
                problem = f"no combination has {name} {value}{did_you_mean(value, known)}"
                raise _GridError(f"{at}.{number}.{name}", problem)
        is_fulfilled = [
            all(as_text(one[name]) in values for name, values in wanted.items())
            for one in combinations
        ]
        if not any(is_fulfilled):
            raise _GridError(f"{at}.{number}", f"no combination has {written(condition)}")
        out = [a or b for a, b in zip(out, is_fulfilled, strict=True)]
    if all(out):
        raise _GridError(at, "leaves no combination: leave a condition out")
    return out


def _put(item: dict, keys: list[str], value: object) -> None:
    """Set an option, or one below it."""
    for key in keys[:-1]:
        below = item.get(key)
        item[key] = dict(below) if isinstance(below, Mapping) else {}
        item = item[key]
    item[keys[-1]] = value


def _first_parts(parameters: tuple[str, ...]) -> set[str]:
    return {name.partition(".")[0] for name in parameters}


def _name_of(key: str, item: object) -> str | None:
    """What an item of a list is called, where it is written so that this can be said."""
    try:
        return name_of(key, item)
    except (KeyError, IndexError, TypeError, AttributeError):
        return None

"""Which collections of a configuration a call is about."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase

from regrade.errors import did_you_mean
from regrade.workflow.config import ConfigError, read_configuration
from regrade.workflow.project import ALL

RESULT = re.compile(r"(?:\./)?results/([^/]+)/(.+)")
"""A path of a result: the collection, and where it is below that."""


def chosen_collections(
    config: Mapping, targets: Iterable[str] = (), shipped: Iterable[str] = ()
) -> list[str]:
    """The names of the collections that a call is about, as the configuration has them in order.

    Those that ``collection`` names, and those that targets name; where all targets are results of
    collections, only theirs.

    Parameters
    ----------
    config
        A complete configuration, whose ``collection`` is a name, a pattern, ``all`` or a list.
    targets
        Of the command line.
    shipped
        The collections that come with the project, which patterns do not mean unless there are no
        others.

    Raises
    ------
    ConfigError
        If one of these is not there.
    """
    known, targets = config["collections"], list(targets)
    if ALL in known:
        raise ConfigError(f"config: collections.{ALL}: stands for all collections: rename it")
    results = [match[1] for match in map(RESULT.fullmatch, targets) if match]
    named = {name for name in results if name in known}
    if not targets or len(named) < len(set(results)) or len(results) < len(targets):
        patterns = config["collection"]
        own = [name for name in known if name not in shipped] or known
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            meant = [pattern] if pattern in known else _matching(pattern, own)
            if not meant:
                problem = f"there is no collection '{pattern}'{did_you_mean(pattern, own)}"
                raise ConfigError(f"config: collection: {problem}")
            named |= set(meant)
    named |= set(_analysed(known, named))
    return [name for name in known if name in named]


def _analysed(known: Mapping, names: Iterable[str]) -> Iterator[str]:
    """The collections whose effects others analyse together.

    Raises
    ------
    ConfigError
        If one is not there.
    """
    for name in names:
        held = known[name] if isinstance(known[name], Mapping) else {}
        for item in held.get("meta_analysis") or ():  # not checked by the schema in all calls
            for other in item.get("collections", ()) if isinstance(item, Mapping) else ():
                if other not in known:
                    where = f"config: collections.{name}.meta_analysis"
                    problem = f"there is no collection '{other}'{did_you_mean(other, known)}"
                    raise ConfigError(f"{where}: {problem}")
                yield other


def check_chosen(files: Sequence[Mapping], chosen: object) -> None:
    """Refuse files whose collections nobody chose: the demo would be made in their place."""
    if [file["collection"] for file in files if "collection" in file] != [chosen]:
        return
    patterns = list(map(str, chosen)) if isinstance(chosen, list) else [str(chosen)]
    if ALL in patterns:
        return
    others = [file.get("collections") for file in files]
    others = [
        names
        for names in others
        if isinstance(names, Mapping) and not any(_matching(one, names) for one in patterns)
    ]
    if others:
        example = next(iter(others[-1]), "mine")
        problem = f"name the collection to build: collection: {example}"
        raise ConfigError(f"config: collection: {problem}")


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names of collections that a name, a pattern or `ALL` stands for."""
    return [name for name in names if pattern == ALL or fnmatchcase(str(name), pattern)]


def main(arguments: list[str]) -> None:
    """Print the collections that a configuration, the first argument, and names are about.

    Refuses other files; what is wrong in this one the workflow says.
    """
    config, *names = arguments
    try:
        held = read_configuration(config)
    except ConfigError as error:
        sys.exit(str(error))
    known = held.get("collections")
    choice = {"collection": names or held.get("collection"), "collections": known}
    if isinstance(known, Mapping) and isinstance(choice["collection"], str | list):
        with suppress(ConfigError):
            print("\n".join(chosen_collections(choice)))

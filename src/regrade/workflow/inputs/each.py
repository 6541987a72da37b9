"""What rules of all collections of a call share: the collection is a wildcard."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from regrade.workflow.patterns import one_of

COLLECTION = "collection"
"""The wildcard that stands for a collection's name."""


class Each:
    """Of each collection something, whose functions of wildcards it has as its own.

    ``Each(of).files`` is a function of wildcards: ``files`` of the collection that these name.
    """

    def __init__(self, of: Mapping[str, Any]):
        self._of = of

    def __getattr__(self, name: str) -> Callable:
        """That function of whichever collection wildcards name."""
        return lambda wildcards: getattr(self[wildcards], name)(wildcards)

    def __getitem__(self, wildcards) -> Any:
        """What it is of the collection that wildcards name."""
        return self._of[wildcards.collection]


def only_either(paths: Sequence[str], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The same of names that stand in several paths, by the same wildcard."""
    patterns = [only(path, names) for path in paths]
    alike = {name: {one[name]: None for one in patterns} for name in patterns[0]}
    return {name: "|".join(of) for name, of in alike.items()}


def only(path: str, names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Patterns of wildcards that match just these names of these collections.

    Parameters
    ----------
    path
        Where the name stands below a collection's results, with its wildcard, as in
        ``scores/{name}.parquet``; ``*`` is any folder.  Where it ends with the wildcard, a folder
        or the ending of a file follows.
    names
        Collection → what the wildcard may stand for.
    """
    before, wildcard, after = re.fullmatch(r"(.*)\{(\w+)\}(.*)", path).groups()
    before, after = (re.escape(part).replace(r"\*", "[^/]+") for part in (before, after))
    after = after or r"(?:/|\.\w+$)"
    alike: dict[tuple[str, ...], list[str]] = {}
    for collection, own in names.items():
        if own:
            alike.setdefault(tuple(own), []).append(collection)
    collections = [
        f"(?:{one_of(of)})(?=/{before}(?:{one_of(own)}){after})" for own, of in alike.items()
    ]
    if len(alike) == 1:  # every collection has every name
        collections = [one_of(*alike.values())]
    every = dict.fromkeys(name for own in alike for name in own)
    return {COLLECTION: "|".join(collections) or one_of([]), wildcard: one_of(every)}

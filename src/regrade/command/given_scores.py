"""Scores by item that a user has, as a configuration says them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from regrade.api.item_scores import read_scores
from regrade.command.as_yaml import called, written
from regrade.errors import MethodError, RegradeError
from regrade.item_scores.scores import ItemScores
from regrade.readers.spellings import SCORES
from regrade.wording import counted


@dataclass(frozen=True)
class GivenScores:
    """A set of scores: its files, what chooses its rows, what it holds."""

    files: tuple[Path, ...]
    scores: ItemScores
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> str:
        """What becomes of items that some system lacks, so that the set can be used."""
        try:
            self.scores.design()
        except MethodError:
            return "drop"
        return "refuse"

    @property
    def options(self) -> dict[str, object]:
        """What a configuration says of it."""
        files = [str(file.resolve()) for file in self.files]
        options: dict[str, object] = {"file": files[0] if len(files) == 1 else files}
        options |= {"where": self.where} if self.where else {}
        return options | ({"missing": "drop"} if self.missing == "drop" else {})


def score_sets(files: Sequence[Path]) -> dict[str, GivenScores]:
    """Sets by name: one of files with a system each, else one a file, or one a judge of a file."""
    if not files:
        return {}
    read = [read_scores(file) for file in files]
    sets: dict[str, GivenScores] = {}
    lone = [n for n, one in enumerate(read) if len(one.systems) == 1 and len(one.judges) < 2]
    if len(lone) > 1:
        with suppress(RegradeError):
            own = tuple(files[n] for n in lone)
            sets[called("scores", sets)] = GivenScores(own, read_scores([*own], name="scores"))
            read = [one for n, one in enumerate(read) if n not in lone]
            files = [file for n, file in enumerate(files) if n not in lone]
    for file, one in zip(files, read, strict=True):
        for where in _judges(file, one):
            scores = read_scores(file, where=where) if where else one
            name = called(next(iter(where.values()), one.name), sets)
            sets[name] = GivenScores((file,), scores, where)
    return sets


def _judges(file: Path, scores: ItemScores) -> list[dict[str, str]]:
    """The rows of each judge, where these are several and a column names them."""
    for column in SCORES["judge"] if len(scores.judges) > 1 else ():
        with suppress(RegradeError):
            read_scores(file, where={column: scores.judges[0]})
            return [{column: judge} for judge in scores.judges]
    return [{}]


def lines_of_scores(sets: Mapping[str, GivenScores]) -> Iterator[str]:
    """The key ``scores``."""
    if sets:
        yield "scores:"
    for name, one in sets.items():
        scores = one.scores
        items = len(scores.table["topic"].unique())
        yield (
            f"  # {counted(len(scores.systems), 'system')}, {counted(items, 'item')}, "
            f"{counted(len(scores.measures), 'measure')}: {', '.join(scores.measures)} "
            "(lower is better? lower: [NAME])"
        )
        if one.missing == "drop":
            yield "  # some systems lack scores of some items: the items that all have are kept"
        yield f"  {name}: {written(one.options)}"


def ranked_scores(sets: Mapping[str, GivenScores]) -> Iterator[str]:
    """Items of a ranking: sets of two systems or more."""
    for name, one in sets.items():
        if len(one.scores.systems) > 1:
            yield f"{{scores: {written(name)}}}"


def lines_of_judges(sets: Mapping[str, GivenScores], *, has_labels: bool) -> Iterator[str]:
    """Leaderboards beside each other, where sets are of the same systems and items."""
    alike = [name for name, one in sets.items() if len(one.scores.systems) > 1]
    if (
        has_labels
        or len(alike) < 2
        or not all(_share(*map(sets.get, two)) for two in pairwise(alike))
    ):
        return
    first, *others = map(written, alike)
    if len(others) == 1:
        yield "# do both sets of scores rank the systems alike?"
        yield f"compare: {{pairs: [[{first}, {others[0]}]]}}"
    else:
        yield "# which judge's scores rank the systems as the first one's do?"
        yield f"judges: [{{reference: {first}, sets: [{', '.join(others)}]}}]"


def lines_of_sweep(sets: Mapping[str, GivenScores], measures: int) -> Iterator[str]:
    """A sweep of the sets that share systems, items and measures with the first; of some of these.

    None where there is one set by one measure, of one data set.
    """
    alike: list[str] = []
    shared: list[set] = []
    for name, one in sets.items():
        if alike and bool(_datasets(one)) != bool(_datasets(sets[alike[0]])):
            continue
        own = [set(axis) for axis in _axes(one)]
        left = [a & b for a, b in zip(shared, own, strict=True)] if shared else own
        if len(left[0]) > 1 and all(left):
            alike.append(name)
            shared = left
    if not alike:
        return
    common = [one for one in sets[alike[0]].scores.measures if one in shared[1]][:measures]
    datasets = _datasets(sets[alike[0]])
    if len(alike) < 2 and len(common) < 2 and len(datasets) < 2:
        return
    several = ["average: [datasets, items]", "items: [all, {without: dataset}, halves-20]"]
    own = several if len(datasets) > 1 else ["items: [all, halves-20]"]
    yield "# every combination of these choices, and which of them decides"
    yield "sweeps:"
    yield "  choices:"
    yield f"    baseline: {{scores: {written(alike[0])}, measure: {written(common[0])}}}"
    yield "    axes:"
    yield f"      scores: [{', '.join(map(written, alike))}]"
    yield f"      measure: [{', '.join(map(written, common))}]"
    yield from (f"      {axis}" for axis in (*own, "test: [t/none, t/holm]"))


def _share(first: GivenScores, second: GivenScores) -> bool:
    """Whether two sets have two systems, an item and a measure in common."""
    axes = (map(set, _axes(one)) for one in (first, second))
    systems, measures, items = (a & b for a, b in zip(*axes, strict=True))
    return len(systems) > 1 and bool(measures) and bool(items)


def _datasets(one: GivenScores) -> list[str]:
    """Data sets of a set, where it names some."""
    return one.scores.table["dataset"].unique().drop_null().to_pylist()


def _axes(one: GivenScores) -> tuple[list[str], list[str], list[str]]:
    """Systems, measures and items of a set."""
    scores = one.scores
    return scores.systems, scores.measures, scores.table["topic"].unique().to_pylist()

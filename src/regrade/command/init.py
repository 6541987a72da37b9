"""A configuration for the files that a user has, found out by looking at them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from regrade.api.inputs import described, files_of, headed_format, input_table
from regrade.api.sets import Judgments, Labels, Runs, is_judgments, read_runs, read_set
from regrade.audit.rankings import audit_judged
from regrade.choices import COARSE, SCORED
from regrade.errors import ParameterError, RegradeError
from regrade.measures import default_measures, parse
from regrade.pools.pooling import deeply_judged, judged_depth
from regrade.readers.encodings import read_bytes
from regrade.run_arrays import Judged
from regrade.scales import Scale, exactly

FIELDS = {6: "runs", 4: "labels", 2: "groups"}
"""What TREC's files are, by the number of fields in their first line."""

COMPARED = ("table-labels", "figure-confusion")
COMPARED_SYSTEMS = ("table-rankings", "table-pairs", "table-movers", "table-reliability")
COMPARED_SYSTEMS += ("figure-systems", "figure-pairs")
"""What is shown of two sets, and with runs."""

FINEST = 1000
"""Whole numbers are levels up to so high, else a range."""

STRAY = 0.01
"""Whole numbers that stand apart are no levels where at most so many of all values are there."""

_FEWEST = 2
_SHOWN = 5


@dataclass
class _Found:
    runs: list[Path] = field(default_factory=list)
    groups: Path | None = None
    labels: dict[str, tuple[Path, Labels]] = field(default_factory=dict)
    judgments: dict[str, tuple[Path, Judgments]] = field(default_factory=dict)


def configuration(paths: Sequence[str], name: str) -> str:
    """A configuration in YAML, with comments.

    Parameters
    ----------
    paths
        Runs, labels, judgments and a file of groups, in any order; globs and folders too.
    name
        Of the collection.

    Raises
    ------
    RegradeError
        If a file cannot be read or is of no kind that is known.
    """
    found = _Found()
    for file in (file for path in paths for file in files_of(path)):
        _take(found, file)
    runs = read_runs([str(file) for file in found.runs]) if found.runs else None
    lines = [
        "# Written by `regrade init` from what the files hold: look at every line.",
        "# Every key is described in config/README.md.",
        f"collection: {name}",
        "collections:",
        f"  {name}:",
    ]
    return (
        "\n".join([*lines, *_of_runs(found, runs), *_of_sets(found), *_stages(found, runs)]) + "\n"
    )


def kind_of(file: Path) -> str:
    """What a file holds: ``runs``, ``labels``, ``judgments`` or ``groups``.

    Raises
    ------
    ParameterError
        If that cannot be told.
    """
    if headed_format(file) is not None:
        return "judgments" if is_judgments(file) else "labels"
    first = next(line for line in read_bytes(file).splitlines() if line.strip())
    fields = len(first.split())
    if fields not in FIELDS:
        raise ParameterError(
            f"{file}: a first line of {fields} fields is neither a run (6), qrels (4) nor groups "
            "(2)"
        )
    return FIELDS[fields]


def _take(found: _Found, file: Path) -> None:
    kind = kind_of(file)
    if kind == "runs":
        found.runs.append(file)
    elif kind == "groups":
        found.groups = file
    else:
        held = read_set(str(file))
        sets = found.labels if kind == "labels" else found.judgments
        sets[_called(held.name, [*found.labels, *found.judgments])] = (file, held)


def _called(name: str, taken: Sequence[str]) -> str:
    """A name that may stand in a configuration, once."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in ".+-") else "-" for c in name)
    plain = plain.lstrip(".+-") or "set"
    numbers = (f"{plain}-{n}" for n in range(2, len(taken) + 3))
    return plain if plain not in taken else next(n for n in numbers if n not in taken)


def _of_runs(found: _Found, runs: Runs | None) -> list[str]:
    if runs is None:
        return ["    # no runs were given: no systems are ranked"]
    patterns = [str(file.resolve()) for file in found.runs]
    folders = {file.parent for file in found.runs}
    if len(folders) == 1 and len(patterns) > 3:
        [folder] = folders
        if sorted(f for f in folder.iterdir() if f.is_file()) == sorted(found.runs):
            patterns = [f"{folder.resolve()}/*"]
    lines = [f"    # {len(runs)} systems, {len(runs.topics)} topics", "    runs:"]
    lines += [f"      - {_quoted(pattern)}" for pattern in patterns]
    if found.groups is not None:
        lines.append(f"    groups: {_quoted(str(found.groups.resolve()))}")
    return lines


def _of_sets(found: _Found) -> list[str]:
    lines = []
    for key, sets in (("qrels", found.labels), ("judgments", found.judgments)):
        if sets:
            lines.append(f"    {key}:")
        for name, (file, held) in sets.items():
            lines += [f"      # {repr(held)[1:-1]}", f"      {name}:"]
            lines.append(f"        file: {_quoted(str(file.resolve()))}")
            lines += [f"        {line}" for line in _format(file)]
            lines += [f"        {line}" for line in _scale(held)]
    return lines


def _format(file: Path) -> list[str]:
    """How a file is written, where it is not TREC's."""
    format = headed_format(file)
    if format in ("jsonl", "parquet"):
        raise ParameterError(f"{file}: the workflow reads TREC files, CSV and TSV: write it as CSV")
    if format is None:
        return []
    roles, optional = ("topic", "docno", "grade"), ()
    if is_judgments(file):
        roles, optional = ("topic", "docno", "worker", "value"), ("unit",)
    names = input_table(file, described(file, "set"), roles, optional).names
    other = {ours: theirs for ours, theirs in names.items() if ours != theirs}
    mapping = ", ".join(f"{ours}: {_quoted(theirs)}" for ours, theirs in other.items())
    return [f"format: {format}", *([f"columns: {{{mapping}}}"] if other else [])]


def _scale(held: Labels | Judgments) -> list[str]:
    scale = _scale_of(held)
    if not scale.finite:
        low, high = map(exactly, (scale.low, scale.high))
        return [f"range: [{low}, {high}] # the ends that occur: are they the scale's?"]
    found = np.unique(held.values)
    highest, levels = f"{scale.high:g}", sum(value >= 0 for value in scale.values)
    occur = f"{scale.contains(found).sum()} of them occur: is that the scale?"
    lines = [f"levels: {levels} # 0 to {highest}, {occur}"]
    if scale.low < 0:
        listed = ", ".join(f"{value:g}" for value in scale.values)
        lines = [f"values: [{listed}] # below 0 is TREC's junk, which gains nothing; {occur}"]
    if stray := int((held.values > scale.high).sum()):
        shown = ", ".join(f"{value:g}" for value in found[found > scale.high][:_SHOWN])
        lines.append(f"off_scale: drop # {stray} of {len(held):,} values are above ({shown})")
    return lines


def _scale_of(held: Labels | Judgments) -> Scale:
    """The scale that values seem to be on, but for few that stand apart."""
    scale = held.likely_scale
    if not scale.finite or scale.high > FINEST:
        ends = [float(held.values.min()), float(held.values.max())]
        return scale if not scale.finite else Scale.of({"range": ends})
    highest = max(_highest_level(held.values), 1)
    return Scale.of({"values": [value for value in scale.values if value <= highest]})


def _highest_level(values: np.ndarray) -> int:
    """The highest of whole numbers, but for few that stand apart, as 10 does above 0 … 3."""
    found, counts = np.unique(values, return_counts=True)
    gaps = np.flatnonzero(np.diff(found) > 1)
    for gap in gaps:
        above = counts[gap + 1 :].sum()
        if found[gap] >= 1 and above <= STRAY * len(values):
            return int(found[gap])
    return int(found[-1])


def _levels(held: Labels | Judgments) -> int | None:
    """How many levels from 0 on there are; ``None`` where it is other numbers."""
    scale = _scale_of(held)
    return scale.levels if scale.finite and scale.low == 0 else None


def _stages(found: _Found, runs: Runs | None) -> list[str]:
    """What these files can be asked."""
    coarse = {n: _levels(h) for n, (_, h) in found.labels.items() if (_levels(h) or 99) <= COARSE}
    lines = []
    if runs is not None:
        lines += _measures([_scale_of(held) for _, held in found.labels.values()])
    lines += _transformations(found, coarse)
    names = list(coarse)
    pairs = [[a, b] for i, a in enumerate(names) for b in names[i + 1 :] if coarse[a] == coarse[b]]
    shown = {}
    if pairs:
        lines += ["    # would the evaluation have come out differently under the other set?"]
        listed = ", ".join(f"[{a}, {b}]" for a, b in pairs)
        lines.append(f"    compare: {{pairs: [{listed}]}}")
        pair = f"{{pair: {pairs[0][0]}-and-{pairs[0][1]}}}"
        items = COMPARED if runs is None else (*COMPARED, *COMPARED_SYSTEMS)
        shown["compare"] = [f"{item}: {pair}" for item in items]
    if any(line.strip() == "transformations:" for line in lines):
        shown["han2019"] = ["table-2: {}"]
    if runs is not None and names:
        pools = _pools(found.labels[names[0]], runs, names[0])
        lines += pools
        if "    discrimination: {}" in pools:
            shown["yang2019"] = ["table-4.5: {}"]
    return [*lines, *_studies(shown)]


def _measures(scales: Sequence[Scale]) -> list[str]:
    """The measures of the runs: those that are taken where none is named."""
    found = dict.fromkeys(name for scale in scales for name in default_measures(scale))
    lines = [f"    measures: [{', '.join(map(_quoted, found or SCORED))}]"]
    if any(parse(name).relevant_from is not None for name in found):
        lines.insert(
            0, "    # relevant is a grade of 1 or more, as in trec_eval; AP(rel=2) says from 2 on"
        )
    return lines


def _studies(shown: Mapping[str, Sequence[str]]) -> list[str]:
    """The tables and figures to make."""
    lines = ["    # what the report shows; config/README.md lists all", "    studies:"]
    for study, items in shown.items():
        lines += [f"      {study}:", *(f"        {item}" for item in items)]
    return lines if shown else []


def _transformations(found: _Found, coarse: dict[str, int]) -> list[str]:
    fine = {n: h for n, (_, h) in found.labels.items() if n not in coarse}
    crowds = {n: h for n, (_, h) in found.judgments.items()}
    references: dict[int, list[str]] = {}
    for name, levels in coarse.items():
        if _FEWEST <= levels <= 4:
            references.setdefault(levels, []).append(name)
    lines = []
    for source, held in {**fine, **crowds}.items():
        own = _levels(held) or COARSE + 1
        for levels in sorted(references or ({2: []} if source in crowds else {})):
            if levels < own:
                listed = ", ".join(references.get(levels, []))
                grid = "" if _levels(held) else ", grid: 50"
                lines.append(
                    f"      - {{source: {source}, levels: {levels}, references: [{listed}]{grid}}}"
                )
    return ["    # where to cut fine scales", "    transformations:", *lines] if lines else []


def _pools(labelled: tuple[Path, Labels], runs: Runs, name: str) -> list[str]:
    """Pools whose depths follow what is judged, and how deep that is."""
    judged = {name: Judged.from_table(labelled[1].table, runs.ranked)}
    try:
        audit = audit_judged(runs.ranked, judged)
        systems = deeply_judged(audit)
        deepest = judged_depth(systems)
    except RegradeError as error:
        return [f"    # pools of {name}: {error}"]
    deep = deeply_judged(audit, deepest)["deeply_judged"].sum()
    found = f"{deep} of {len(systems)} systems"
    return [
        f"    # {name} judges {found} to rank {deepest} or deeper for every",
        "    # topic; these make the pools and are compared (`contributors: all` for all)",
        f"    pools: {{qrels: {name}}}",
        "    discrimination: {}",
    ]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

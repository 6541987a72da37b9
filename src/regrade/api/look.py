"""What do these files contain, how are they read, and which commands apply?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.api.item_scores import is_score_file, read_scores
from regrade.api.results import Text
from regrade.api.sets import Judgments, Labels, name_of, read_judgments, read_qrels, read_runs
from regrade.choices import COARSE
from regrade.errors import RegradeError
from regrade.estimation.estimates import FEWEST
from regrade.estimation.question import read_sample
from regrade.item_scores.scores import ItemScores
from regrade.preferences.question import read_preferences
from regrade.readers.formats import format_of_pairs
from regrade.readers.groups import read_families, read_groups, read_pool_origins
from regrade.readers.scores.lines import score_format
from regrade.readers.sources import FileKind, files_of, kind_of
from regrade.readers.spellings import COLUMNS, spelled
from regrade.scales import MAX_LEVELS
from regrade.wording import counted

if TYPE_CHECKING:
    import pandas as pd

_LISTED = 8
"""Grades that are counted one by one, at most."""


@dataclass(frozen=True)
class SeenFile:
    """Contents and format of a file.

    Attributes
    ----------
    file
        Its path.
    kind
        ``runs``, ``qrels``, ``judgments``, ``preferences``, ``groups``, ``families`` (of runs that
        are akin), ``origins`` (contributors of each pooled document), ``sample`` (of documents to
        label) or ``scores`` (of systems by item); ``""`` if unknown or unreadable.
    format
        ``trec``, or the format of its named columns.
    columns
        Our names of its columns → its own.
    scale
        Inferred scale of labels and judgments; ``None`` for other kinds.
    levels
        Number of values of the scale; ``None`` for a range.
    counts
        Numbers of rows, topics, documents and so on.
    off_scale
        Number of values off the scale, and these values.
    problem
        The reason it cannot be read, and the remedy.
    topics
        Topics of labels, judgments, preferences and runs.
    scores
        Counts, where it can be read as scores by item too.
    """

    file: str
    kind: str = ""
    format: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    scale: str | None = None
    levels: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    off_scale: str = ""
    problem: str = ""
    topics: Set[str] = field(default=frozenset(), repr=False)
    scores: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """What it is, in lines."""
        if self.problem:
            return self.problem.replace("\n", "\n  ")
        lines = [f"{self.file}: {self.kind} ({self.format}), {_listed(self.counts)}"]
        if self.columns:
            columns = ", ".join(f"{ours} = {theirs}" for ours, theirs in self.columns.items())
            lines.append(f"columns: {columns}")
        if self.scale:
            lines.append(f"scale: {self.scale}, as values seem to be; otherwise --scale")
        if self.off_scale:
            lines.append(f"{self.off_scale}: left out with --off-scale drop")
        if self.scores:
            lines.append(f"also scores by item: {_listed(self.scores)}")
        return "\n  ".join(lines)

    def to_dict(self) -> dict[str, object]:
        """All attributes except the topics, which `counts` counts."""
        return {name: value for name, value in vars(self).items() if name != "topics"}


@dataclass(frozen=True)
class Look:
    """Contents of files, and applicable commands.

    Attributes
    ----------
    files
        Each of them.
    commands
        Applicable commands.
    apart
        Files without any topic of the labels that commands would name, in words.
    """

    files: tuple[SeenFile, ...]
    commands: tuple[str, ...]
    apart: str = ""

    def summary(self) -> Text:
        """All findings as text."""
        questions = ["What can be asked:", *(f"  {one}" for one in self.commands)]
        if not self.commands and any(one.problem for one in self.files):
            questions = ["Nothing can be asked before these files can be read."]
        elif not self.commands:
            are_scores = any(one.kind == "scores" for one in self.files)
            others = "scores of another system" if are_scores else "labels or runs"
            questions = [f"Nothing can be asked of these files alone: add {others}."]
        runs = [one for one in self.files if one.kind == "runs"]
        parts = [*map(str, self.files)]
        if len(folders := _run_paths(runs)) < len(runs):
            (folder,) = folders
            topics = max(one.counts["topics"] for one in runs)
            others = [str(one) for one in self.files if one.kind != "runs"]
            parts = [
                f"{folder}: {len(runs):,} files of runs of up to {counted(topics, 'topic')}",
                *others,
            ]
        return Text("\n".join([*parts, *filter(None, [self.apart]), *questions]))

    def to_frame(self) -> pd.DataFrame:
        """A row for each file."""
        import pandas as pd

        return pd.DataFrame([one.to_dict() for one in self.files])

    def __repr__(self) -> str:
        """The summary."""
        return str(self.summary())


def look(files: object) -> Look:
    """What do these files contain, how are they read, and which commands apply?

    Parameters
    ----------
    files
        A path, a glob, a folder, or a list of these.

    Returns
    -------
    Look
        Unreadable files are included, with the problem.

    Raises
    ------
    RegradeError
        If nothing is there.
    """
    seen = tuple(_seen(file) for file in files_of(files))
    labels = _labels(seen)[:1]
    # with topics, and none in common with the labels
    apart = [
        one
        for one in seen
        if labels and labels[0].topics and one.topics and one.topics.isdisjoint(labels[0].topics)
    ]
    note = ""
    if apart:
        runs = [one for one in apart if one.kind == "runs"]
        names = [*_run_paths(runs), *(one.file for one in apart if one not in runs)]
        examples = f"{min(apart[0].topics)} and {min(labels[0].topics)}"
        note = (
            f"{', '.join(names)} and {labels[0].file} share no topic (such as {examples}), "
            "so no command applies to both."
        )
    return Look(seen, tuple(_commands([one for one in seen if one not in apart])), note)


def _listed(counts: Mapping[str, int]) -> str:
    """How many there are of what."""
    return ", ".join(_counted(n, what) for what, n in counts.items())


def _seen(file: Path) -> SeenFile:
    """What a file is; of several that it can be, scores by item are named last."""
    seen = _without_scores(file)
    if not is_score_file(file):
        return seen
    try:
        scores = read_scores(file)
    except RegradeError as error:
        return SeenFile(str(file), problem=str(error)) if seen.problem else seen
    if not seen.problem:
        return replace(seen, scores=_counts(scores))
    return SeenFile(str(file), "scores", _written(file), counts=_counts(scores))


def _written(file: Path) -> str:
    """How a file of scores is written."""
    format = score_format(file)
    return "lines of measures" if format == "lines" else format


def _counts(scores: ItemScores) -> dict[str, int]:
    """How many there are of what in scores by item."""
    table = scores.table
    counts = {"scores": len(table), "systems": len(scores.systems)}
    counts |= {"items": len(pc.unique(table["topic"])), "measures": len(scores.measures)}
    further = {
        "judge": "judges",
        "dataset": "data sets",
        "cluster": "clusters",
        "repeat": "repeats",
    }
    for name, what in further.items():
        known = len(pc.unique(table[name].drop_null()))
        counts |= {what: known} if known > 1 else {}
    return counts


def _without_scores(file: Path) -> SeenFile:
    """What a file is, scores by item aside."""
    try:
        of = kind_of(file)
        about = {"file": str(file), "kind": of.kind, "format": of.format or "trec"}
        if of.format is not None:
            every = sum(COLUMNS[of.kind], ())
            about["columns"] = spelled(of.columns, str(file), (), every)
        return SeenFile(**about | _held(file, of))
    except RegradeError as error:
        return SeenFile(str(file), problem=str(error))


def _values_in(labels: Labels | Judgments, counts: dict[str, int]) -> dict[str, object]:
    """The scale that values seem to be on, how many there are of each, and what is not on it."""
    scale = labels.likely_scale
    documents = labels.table.group_by(["topic", "docno"]).aggregate([]).num_rows
    values, times = np.unique(labels.values, return_counts=True)
    listed = ", ".join(f"{n:,} of {value:g}" for value, n in zip(values, times, strict=True))
    left_out = labels.left_out.items()  # of one reason
    return {
        "counts": {**counts, "topics": len(labels.topics), "documents": documents},
        "scale": f"{scale} ({listed})" if len(values) <= _LISTED else str(scale),
        "levels": labels.on_levels().likely_scale.levels,
        "off_scale": ", ".join(f"{counted(count, 'row')} with {why}" for why, count in left_out),
        "topics": frozenset(labels.topics),
    }


def _held(file: Path, of: FileKind) -> dict[str, object]:
    """What a file of each kind holds, as `SeenFile` says it."""
    match of.kind:
        case "sample":
            table = read_sample(file).table
            labelled = len(table) - table["grade"].null_count
            return {"counts": {"documents": len(table), "labelled": labelled}}
        case "qrels":
            labels = read_qrels(file, off_scale="drop")
            return _values_in(labels, {"labels": len(labels)})
        case "judgments":
            judged = read_judgments(file, off_scale="drop")
            judges = len(pc.unique(judged.table["worker"]))
            return _values_in(judged, {"values": len(judged), "judges": judges})
        case "runs":
            runs = read_runs(file)
            counts = {"systems": len(runs), "topics": len(runs.topics)}
            counts["documents ranked"] = len(runs.ranked.documents)
            return {"counts": counts, "topics": frozenset(runs.topics)}
        case "preferences":
            how = {} if of.format else {"format": format_of_pairs(file)}
            table = read_preferences(file, **how)
            topics = frozenset(pc.unique(table["topic"].cast(pa.string())).to_pylist())
            counts = {"preferences": len(table), "topics": len(topics)}
            return {**how, "counts": counts, "topics": topics}
        case "groups":
            frame = read_groups(file)
            counts = {"systems": len(frame), "groups": frame["group"].nunique()}
            return {"format": "lines of run and group", "counts": counts}
        case "families":
            frame = read_families(file)
            counts = {"systems": frame["system"].nunique(), "families": frame["family"].nunique()}
            return {"format": "lines of run and family", "counts": counts}
    frame = read_pool_origins(file)
    counts = {"pooled documents": len(frame[["topic", "docno"]].drop_duplicates())}
    counts |= {"topics": frame["topic"].nunique(), "groups": frame["group"].nunique()}
    return {"format": "qrels, then how many groups and which", "counts": counts}


def _of_scores(seen: Sequence[SeenFile]) -> list[str]:
    """What can be asked of scores by item: of all files, where these are of the same items."""
    if not seen:
        return []
    try:
        scores = read_scores([one.file for one in seen])
        files, judges = " ".join(map(_quoted, seen)), scores.judges
        if len(judges) > 1:
            return [f"regrade judges {shlex.quote(judges[0])} {files}"]
        known = scores.design(missing="drop").scores
    except RegradeError:
        return [] if len(seen) == 1 else [one for file in seen for one in _of_scores([file])]
    if len(known.systems) < 2:
        return []
    drop = "" if len(known.topics) == len(pc.unique(scores.table["topic"])) else " --missing drop"
    two = " ".join(map(shlex.quote, known.systems[:2]))
    return [
        *(f"regrade {name} {files}{drop}" for name in ("rank", "topics")),
        f"regrade compare-systems {files} {two}{drop}",
    ]


def _labels(seen: Sequence[SeenFile]) -> list[SeenFile]:
    """The qrels, those on few levels if there are some."""
    qrels = [one for one in seen if one.kind == "qrels"]
    return list(filter(_is_coarse, qrels)) or qrels


def _is_coarse(one: SeenFile) -> bool:
    return one.kind == "qrels" and one.levels is not None and one.levels <= COARSE


def _commands(seen: Sequence[SeenFile]) -> list[str]:
    """What can be asked, most usual first."""
    of = {kind: [one for one in seen if one.kind == kind] for kind in COLUMNS}
    valued, labels = [*of["qrels"], *of["judgments"]], _labels(seen)[:1]
    sets = [one for one in valued if one not in labels]
    paths = [shlex.quote(one) for one in _run_paths(of["runs"])]
    runs, with_runs = " ".join(paths), "".join(f" --runs {one}" for one in paths)
    reference = "".join(map(_quoted, labels))
    beside_labels = f" --reference {reference}" if labels else ""
    commands = _of_scores([one for one in seen if one.kind == "scores" or one.scores])
    if labels and runs:
        names = ("score", "rank", "topics", "unjudged", "leave-one-out")
        commands += [f"regrade {name} {reference} {runs}" for name in names]
        commands += [f"regrade {name} {runs} --qrels {reference}" for name in ("pool", "ties")]
    elif runs:
        commands += [f"regrade {name} {runs}" for name in ("ties", "pool")]
    commands += [f"regrade compare {reference} {_quoted(one)}{with_runs}" for one in sets if labels]
    levels = labels[0].levels if labels and _is_coarse(labels[0]) else None
    is_few = levels is not None and levels <= MAX_LEVELS
    if is_few and sets:
        named = " ".join(f"{name_of(one.file, 'set')}={_quoted(one)}" for one in sets)
        alone = len(sets) == 1 and sets[0].kind == "judgments"
        judged = _quoted(sets[0]) if alone else named
        commands.append(f"regrade judges {reference} {judged}{with_runs}")
        families = "".join(f" --families {_quoted(one)}" for one in seen if one.kind == "families")
        if families and runs:
            commands.append(f"regrade favour {reference} {judged}{with_runs}{families}")
        kin = families if runs else ""
        commands.append(f"regrade replace {reference} {_quoted(sets[0])}{with_runs}{kin}")
        if sum(one.counts.get("judges", 1) for one in sets) > 1:
            commands.append(f"regrade panel {reference} {judged}{with_runs}")
    commands += [f"regrade workers {_quoted(one)}{beside_labels}" for one in of["judgments"]]
    for one in (one for one in valued if not _is_coarse(one)):
        is_alone = one.counts.get("judges", 1) == 1 and not is_few  # nobody to agree with
        into, beside = (levels, beside_labels) if is_few else (2, "")
        if into < (one.levels or np.inf) and not is_alone:
            commands.append(f"regrade cut {_quoted(one)} --levels {into}{beside}")
    if of["qrels"]:
        models = " ".join(map(_quoted, of["qrels"]))
        filled = [one for one in of["sample"] if one.counts["labelled"] >= FEWEST]
        commands += [f"regrade estimate {_quoted(one)} {models}{with_runs}" for one in filled]
    for one in of["preferences"]:
        # of three names no line tells which document won; other ways are known when read
        format = f" --format {one.format}" if one.format == "winner-loser" else ""
        commands.append(f"regrade pairs {_quoted(one)}{format}")
        if labels:
            commands.append(f"regrade pdp {reference} --preferences {_quoted(one)}{format}")
    if valued or of["preferences"]:
        others = [_quoted(one) for one in seen if one.kind not in ("", "runs", "scores")]
        commands.append(f"regrade init {' '.join([*paths, *others])}")
    off = {_quoted(one) for one in seen if one.off_scale}

    def completed(command: str) -> str:
        """A command that leaves out values off the scale of its files."""
        _, name, *words = shlex.split(command)
        drops = name not in _WITHOUT_SCALES and not off.isdisjoint(map(shlex.quote, words))
        return f"{command} --off-scale drop" if drops else command

    return list(map(completed, commands))


_WITHOUT_SCALES = {"estimate", "pairs", "pdp", "init"}
"""Commands that cannot leave out what is off a scale."""

_FEW_RUNS = 3
"""More files of runs are named by their folder, where it holds nothing else."""


def _run_paths(runs: Sequence[SeenFile]) -> list[str]:
    """The files, or the one folder that holds just these."""
    files = [one.file for one in runs]
    folders = {Path(file).parent for file in files}
    if len(files) > _FEW_RUNS and len(folders) == 1:
        (folder,) = folders
        if sorted(map(str, files_of(folder))) == sorted(files):
            return [str(folder)]
    return files


def _counted(n: int, what: str) -> str:
    """``2 documents ranked``, ``1 document ranked``."""
    return f"{n:,} {what}" if n != 1 else f"1 {re.sub(_PLURAL, '', what, count=1)}"


_PLURAL = re.compile(r"s\b")


def _quoted(one: SeenFile) -> str:
    return shlex.quote(one.file)

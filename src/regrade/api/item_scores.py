"""Scores of systems by item, whatever they came as."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from regrade.api.pipes import reads_pipes
from regrade.api.sets import name_of
from regrade.item_scores.notation import our_measure
from regrade.item_scores.scores import ItemScores
from regrade.readers.scores.parts import parts_of
from regrade.readers.scores.recognition import holds_scores
from regrade.readers.scores.rows import ScoreRows
from regrade.readers.scores.table import table_of
from regrade.readers.sources import described


@reads_pipes
def read_scores(
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    name: str | None = None,
    lower: Sequence[str] | str = (),
    measures: Sequence[str] | str | None = None,
) -> ItemScores:
    """Read scores of systems by item: system × item × measure → value.

    Parameters
    ----------
    source
        A path, a glob, a folder or a list of paths: output of ``trec_eval -q`` and
        ``ir_measures -q``, results of evaluation frameworks, tables (CSV, TSV, JSON lines,
        Parquet, .xlsx) with a row for each score, or with systems or measures side by side; a
        frame of pandas or polars, as of ``pt.Experiment(perquery=True)``; an Arrow table; a dict
        ``{system: {item: number}}``, ``{system: {item: {measure: number}}}``, or of any of these
        by system.  A file that names no system is one system's, named by the file.
    columns
        Our names (``system``, ``topic``, ``measure``, ``value``, ``judge``, ``dataset``,
        ``cluster``, ``repeat``) → the source's, where these are not called as usual.  Of a table
        with one column of names, ``topic`` or ``system`` says what its rows are.
    where
        The source's column → the value, or list of values, that a row must have to be read.
    name
        Name of the set; by default the file's name.
    lower
        Measures of which lower values are better, as ``("WER",)``: their values get the opposite
        sign, and their names a minus before.
    measures
        Measures to keep; by default all.  Of columns side by side, those named here are measures.

    Returns
    -------
    ItemScores

    Raises
    ------
    RegradeError
        If it cannot be read, a score stands twice, or a value is no finite number.

    Examples
    --------
    >>> read_scores({"old": {"1": 0.2, "2": 0.5}, "new": {"1": 0.4, "2": 0.5}}, name="mine")
    <ItemScores mine: 2 systems, 2 items, 1 measure>
    """
    if isinstance(source, ItemScores):
        return source
    return _read(source, columns, where, name, lower, measures)[0]


def read_files_of_systems(
    files: Sequence[str],
    *,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    lower: Sequence[str] | str = (),
) -> tuple[ItemScores, list[str]]:
    """Read files as `read_scores` does, and the first system of each file."""
    scores, parts = _read(list(files), columns, where, None, lower, None)
    return scores, [part.columns["system"].names[0].as_py() for part in parts]


def _read(
    source: object,
    columns: Mapping[str, str] | None,
    where: Mapping[str, object] | None,
    name: str | None,
    lower: Sequence[str] | str,
    measures: Sequence[str] | str | None,
) -> tuple[ItemScores, list[ScoreRows]]:
    """The scores, and the parts that they are made of, one for each file."""
    lower, measures = (
        [one] if isinstance(one, str) else list(one or ()) for one in (lower, measures)
    )
    what = described(source, name or "scores")
    parts = parts_of(source, what, columns, where, measures, our_measure)
    read = table_of(parts, lower, measures, our_measure)
    name = name or name_of(source, "scores")
    scores = ItemScores(name, read.table, dict(read.left_out), read.lower, reading=read.notes)
    return scores, parts


def is_score_file(path: str | os.PathLike) -> bool:
    """Whether a file can be read as scores by item, told by how it begins."""
    return holds_scores(path, our_measure)

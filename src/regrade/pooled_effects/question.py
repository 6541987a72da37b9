"""One effect in several collections."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pandas as pd

from regrade.api.results import Result
from regrade.catalogue import COLUMNS
from regrade.errors import InputError, ParameterError
from regrade.pooled_effects import stage
from regrade.stages.declare import Effect
from regrade.stages.effects import effect_of
from regrade.stages.library import StageTables, asks, checks_types

READERS = {
    ".csv": partial(pd.read_csv, dtype=str),
    ".tsv": partial(pd.read_csv, dtype=str, sep="\t", quoting=csv.QUOTE_NONE),
    ".jsonl": partial(pd.read_json, lines=True, dtype=False),
    ".parquet": pd.read_parquet,
}
"""Of files with tables, by their endings."""


class MetaAnalysis(Result):
    """One effect in several collections, over them, and how much it differs among them.

    Attributes
    ----------
    tables
        By name, as the stage ``meta_analysis`` of the workflow has them: ``overall``, ``effects``,
        ``ranking``, ``numbers``, ``answer``.  Each is an attribute as well, the answer as one
        object.

    `plot` draws a forest: the effect in each collection and over them.
    """

    main_table = "overall"


@asks(stage.MetaAnalysis)
@checks_types
def meta_analysis(
    collections: Mapping[str, object],
    *,
    threads: int = 1,
    options: SimpleNamespace,
) -> MetaAnalysis:
    """Does an effect hold over several collections?

    Parameters
    ----------
    collections
        The results of each collection by its name: what `regrade.judges` (or the function of
        another key that has effects) gives; or the table that holds the effect, such as
        ``samples`` of judges, as a frame or a file; or a folder with such a table.
    threads
        Number of threads; results do not depend on it.

    Returns
    -------
    MetaAnalysis

    Raises
    ------
    RegradeError
        If there is no such effect, a table does not hold it, or collections share no measure or
        no two have a subject in common.

    Examples
    --------
    >>> first = {"judge": "m", "topic": [*"abc"], "measure": "AP", "difference": [0.1, 0.2, 0.3]}
    >>> second = {"judge": "m", "topic": [*"de"], "measure": "AP", "difference": [0.4, 0.6]}
    >>> frames = {"one": pd.DataFrame(first), "two": pd.DataFrame(second)}
    >>> meta_analysis(frames, effect="score_difference").overall["mean"].round(2).tolist()
    [0.35]
    """
    if not isinstance(collections, Mapping) or not collections:
        raise ParameterError("collections: give the results of each collection by its name")
    for name, source in collections.items():
        if isinstance(source, Result) and isinstance(source.tables, StageTables):
            key = source.tables.stage.key
            if key != options.of:
                raise ParameterError(
                    f"{name}: results of {key}, not of {options.of}: say of={key!r}"
                )
    effect = effect_of(options.of, options.effect)
    effects = {str(name): _table(effect, name, one) for name, one in collections.items()}
    tables = StageTables(stage.MetaAnalysis, {"effects": effects}, options, threads=threads)
    return MetaAnalysis(tables)


def _table(effect: Effect, collection: object, source: object) -> pd.DataFrame:
    """The table of a collection's results that holds an effect."""
    folder, _, table = effect.table.partition("/")
    if isinstance(source, pd.DataFrame):
        return source
    if isinstance(source, Result):
        if table not in source.tables:
            raise ParameterError(
                f"{collection}: these results of {folder} have no table {table}: {effect.name} "
                "needs it; compute them with runs"
            )
        return source.to_frame(table)
    if not isinstance(source, str | os.PathLike):
        raise ParameterError(
            f"{collection}: is a {type(source).__name__}: give results, a table, a file or a folder"
        )
    path = Path(source)
    if path.is_dir():
        candidates = [path / f"{table}{ending}" for ending in reversed(READERS)]
        there = [one for one in candidates if one.is_file()]
        if not there:
            raise InputError(path, [(None, f"has no {table}.parquet")], f"{effect.name} needs it")
        path = there[0]
    return _read(path)


def _read(path: Path) -> pd.DataFrame:
    """A table that a command or the workflow wrote; names are texts."""
    if path.suffix not in READERS:
        problem = f"is no table by its ending: name a file {', '.join(READERS)}"
        raise InputError(path, [(None, problem)])
    try:
        table = READERS[path.suffix](path)
    except (OSError, ValueError) as error:  # Arrow's errors among them
        raise InputError(path, [(None, f"cannot be read: {error}")]) from error
    return table.assign(**{
        name: _column(path, table[name], COLUMNS[name].type) for name in table if name in COLUMNS
    })  # fmt: skip


def _column(path: Path, values: pd.Series, of: str) -> pd.Series:
    """A column as its type; texts and truth values of files of text are read as such."""
    if of == "string":
        return values.astype(object).where(values.notna(), None)
    if of == "bool":
        return values.astype(str).str.lower().eq("true")
    numbers = pd.to_numeric(values, errors="coerce")
    wrong = (numbers.isna() & values.notna()).to_numpy()
    if wrong.any():
        problem = f"{values.name} is {values[wrong].iloc[0]!r}, and no number"
        raise InputError(path, [(int(wrong.argmax()) + 2, problem)], "correct the value")
    return numbers

"""Runs, labels and judgments, from any source."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.answers.words import reading_notes
from regrade.api.pipes import reads_pipes
from regrade.argument_checks import one_of
from regrade.audit.sets import junk_warning
from regrade.audit.warnings import judged_again
from regrade.choices import BELOW_ZERO, IRDS, LEAVING, SAMPLED_OUT, SCORE_PRECISIONS, TIE_BREAKS
from regrade.conversions import to_numpy
from regrade.errors import InputError, ParameterError, RegradeError
from regrade.item_scores.notation import our_measure
from regrade.measures import default_measures, named_measures
from regrade.ordering import Run
from regrade.readers import labels as label_files
from regrade.readers import runs as run_files
from regrade.readers import sources
from regrade.readers import values as on_scales
from regrade.readers.encodings import COMPRESSED
from regrade.readers.formats import headed_format
from regrade.readers.rows import COPIES
from regrade.readers.scores.recognition import FOR_SCORES, RUNS, refuse_scores
from regrade.readers.sources import described, is_list, is_tuples
from regrade.readers.spellings import COLUMNS, VALUES, called
from regrade.resources import cores
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.stages.library import MemorySet, checks_types
from regrade.tables import unlabelled, with_unlabelled
from regrade.wording import counted, first_few, rows_text
from regrade.writers import write_labels

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)


def scale_from(stated: object) -> Scale | None:
    """A scale as users state it.

    A number of levels; ``(low, high)``, every number between them; a list of three or more values,
    numbers or names in order; a mapping as in the configuration; a `Scale`; ``None``.
    """
    if stated is None or isinstance(stated, Scale):
        return stated
    if isinstance(stated, Mapping):
        return Scale.of(stated)
    if isinstance(stated, bool) or not isinstance(stated, int | list | tuple | range):
        raise ParameterError(
            f"scale is {stated!r}: give a number of levels, (low, high), or a list of values"
        )
    if isinstance(stated, int):
        return Scale.of({"levels": stated})
    if isinstance(stated, tuple) and len(stated) == 2:
        return Scale.of({"range": list(stated)})
    return Scale.of({"values": list(stated)})


def documents_of(table: pa.Table) -> set[tuple[str, str]]:
    """Topic and docno of each row."""
    names = (table[name].cast(pa.string()).to_pylist() for name in ("topic", "docno"))
    return set(zip(*names, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class _Set:
    """A table, what it is called, its scale if that was stated, and what reading it left out.

    `left_out` counts rows, by reason; `mixed` says that rows were read together which differ, and
    `apart` that few values stand apart from the rest, so that no scale can be told.
    """

    table: pa.Table
    name: str
    stated_scale: Scale | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    mixed: str = ""
    apart: InputError | None = None

    _value = "grade"

    @property
    def notes(self) -> list[str]:
        """Notes on reading, for answers that use the set."""
        return [*reading_notes(self.name, {"left_out": self.left_out, "mixed": self.mixed})]

    @property
    def values(self) -> np.ndarray:
        """All values."""
        return to_numpy(self.table[self._value])

    def _stated_scale(self) -> Scale | None:
        """The scale that was stated; an error where few values stand apart."""
        if self.apart is not None:
            raise self.apart
        return self.stated_scale

    @property
    def scale(self) -> Scale:
        """The stated scale, else the inferred scale."""
        return self._stated_scale() or on_scales.scale_seen(self.values)

    def check_reference(self) -> None:
        """Refuse outlying values of a reference."""
        if self.apart is not None:
            error = self.apart
            remedy = f"All others are: correct them, or {on_scales.LEFT_OUT}."
            raise InputError(error.path, error.problems, remedy, error.total)

    @property
    def topics(self) -> list[str]:
        """Names of topics, sorted."""
        return sorted(pc.unique(self.table["topic"].cast(pa.string())).to_pylist())

    @property
    def likely_scale(self) -> Scale:
        """The scale; for a single distinct value, a likely scale."""
        return self._stated_scale() or on_scales.likely_scale(self.values)

    def to_frame(self) -> pd.DataFrame:
        """The table as a pandas DataFrame."""
        frame = self.table.to_pandas()
        names = [name for name in ("topic", "docno", "worker", "unit") if name in frame]
        return frame.astype(dict.fromkeys(names, "str")).dropna(axis="columns", how="all")

    @property
    def max_grade(self) -> float | None:
        """The highest value of the stated scale; ``None``: no stated scale."""
        stated = self._stated_scale()
        return None if stated is None else stated.high

    def __len__(self) -> int:
        """Number of values."""
        return len(self.table)

    def on_levels(self) -> Self:
        """The set for comparison by level; see `Labels.on_levels`."""
        return self

    def _span(self) -> str:
        values = self.values
        return f"{self._value}s {values.min():g} to {values.max():g}"


@dataclass(frozen=True, eq=False, repr=False)
class Labels(_Set):
    """Labels, one per document; made by `read_qrels`, or by applying a cut.

    `sampled_out` are pooled documents outside the judged sample.
    """

    sampled_out: pa.Table | None = None

    @property
    def notes(self) -> list[str]:
        """Notes on reading and on grades below 0, for answers that use the labels."""
        junk = junk_warning(self.values)
        others = "if they are not judged, read them so (below_zero, --below-zero unjudged)"
        notes, without = super().notes, unlabelled(self.table)
        if without:
            topics = counted(len(without), "topic")
            notes.append(f"{self.name}: {topics} without labels, scored 0: {first_few(without)}.")
        return [*notes, *([f"{self.name}: {junk}; {others}."] if junk else [])]

    def to_qrels(self, path: str | os.PathLike) -> None:
        """Write TREC qrels, or .csv, .tsv, .jsonl or .parquet by the extension of the path.

        TREC qrels refuse names with blanks.
        """
        write_labels(self.table, path)

    def on_levels(self) -> Self:
        """The labels for comparison by level: TREC's junk is level 0."""
        others = self.values[~on_scales.is_junk(self.values)]
        on_levels = (others > 0).any() and (others >= 0).all() and (others == np.rint(others)).all()
        grades, as_zero = on_scales.without_junk(self.values, "grade")
        if self.stated_scale or not as_zero or not on_levels:
            return self
        place = self.table.column_names.index("grade")
        table = self.table.set_column(place, "grade", pa.array(grades))
        return replace(self, table=table, left_out={**self.left_out, **as_zero})

    def __repr__(self) -> str:
        """Name, size and span."""
        held = f"{counted(len(self), 'document')} of {counted(len(self.topics), 'topic')}"
        return f"<Labels {self.name}: {held}, {self._span()}>"


class Judgments(_Set):
    """Judgments, one row per value that a worker gave; made by `read_judgments`."""

    _value = "value"

    @property
    def workers(self) -> list[str]:
        """Names of workers, sorted; empty if unknown."""
        return sorted(pc.unique(self.table["worker"].cast(pa.string()).drop_null()).to_pylist())

    @property
    def notes(self) -> list[str]:
        """Notes on reading and on workers, for answers that use the judgments."""
        notes = [*reading_notes(self.name, {"left_out": self.left_out, "mixed": self.mixed})]
        again = 0 if self.has_units else judged_again(self.table)
        if again:
            notes.append(
                f"{self.name}: {again:,} of {counted(len(self), 'judgment')} repeat a "
                "document that the worker has judged before: they count once; if they are "
                "copies, leave them out."
            )
        alike = Counter(name.casefold() for name in self.workers)
        twins = [name for name in self.workers if alike[name.casefold()] > 1]
        if twins:
            notes.append(
                f"{self.name}: {first_few(sorted(twins, key=str.casefold))} differ only in "
                "capitals, and count as different workers: if they are the same, use one "
                "spelling."
            )
        return notes

    @property
    def has_units(self) -> bool:
        """Whether units (HITs) are known."""
        return self.table["unit"].null_count < len(self.table)

    def __repr__(self) -> str:
        """Name, size and span."""
        workers = len(pc.unique(self.table["worker"].cast(pa.string())))
        return (
            f"<Judgments {self.name}: {counted(len(self), 'value')} by "
            f"{counted(workers, 'worker')} for {counted(len(self.topics), 'topic')}, "
            f"{self._span()}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """Rankings of systems; made by `read_runs`.

    Attributes
    ----------
    ranked
        The rankings as arrays, with scores and submitted ranks.
    tie_break, score_precision
        Tie-breaking of documents with equal scores.
    groups
        Group by system, where known.
    """

    ranked: RankedLists
    tie_break: str = "rank"
    score_precision: str = "float64"
    groups: Mapping[str, str] | None = None

    @property
    def systems(self) -> list[str]:
        """Names of systems, sorted."""
        return list(self.ranked.systems)

    @property
    def topics(self) -> list[str]:
        """Names of topics, sorted."""
        return list(self.ranked.topics)

    def to_frame(self) -> pd.DataFrame:
        """The rankings as a pandas DataFrame: ``system, topic, rank, docno, score``."""
        import pandas as pd

        ranked = self.ranked
        topic, system = (
            np.repeat(index.ravel(), np.diff(ranked.offsets))
            for index in np.indices((len(ranked.topics), len(ranked.systems)))
        )
        order = np.argsort(system, kind="stable")
        columns = {
            "system": np.array(ranked.systems, object)[system],
            "topic": np.array(ranked.topics, object)[topic],
            "rank": ranked.ranks.astype(np.int32),
            "docno": ranked.docnos[ranked.documents],
            "score": ranked.scores,
        }
        frame = pd.DataFrame({name: column[order] for name, column in columns.items()})
        return frame.astype(dict.fromkeys(["system", "topic", "docno"], "str"))

    def __len__(self) -> int:
        """Number of systems."""
        return len(self.ranked.systems)

    def __repr__(self) -> str:
        """Numbers of systems, topics and documents."""
        return (
            f"<Runs of {counted(len(self), 'system')}: {counted(len(self.topics), 'topic')}, "
            f"{counted(len(self.ranked.documents), 'document')} ranked>"
        )


# --- reading --------------------------------------------------------------------------------------


def not_scores(wanted: str) -> Callable:
    """Let a reader say of scores by item, which it cannot read, what they are."""

    def decorate(read: Callable) -> Callable:
        @wraps(read)
        def reading(source: object, *arguments: object, **options: object) -> object:
            if hasattr(source, "of_measures"):  # scores that were read
                raise ParameterError(
                    f"{source.name} holds scores by item, and no {wanted}\n{FOR_SCORES}"
                )
            try:
                return read(source, *arguments, **options)
            except RegradeError:
                refuse_scores(source, wanted, our_measure)
                raise

        return reading

    return decorate


@reads_pipes
@checks_types(
    missing=one_of(LEAVING),
    off_scale=one_of(LEAVING),
    below_zero=one_of((*BELOW_ZERO, SAMPLED_OUT)),
)
@not_scores("labels")
def read_qrels(
    source: object,
    *,
    scale: object = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    name: str | None = None,
    missing: str = "refuse",
    off_scale: str = "refuse",
    below_zero: str = "trec",
) -> Labels:
    """Read labels, one per document.

    Parameters
    ----------
    source
        A path to TREC qrels, or to a CSV, TSV, JSON lines or Parquet file with named columns, each
        plain or compressed; a frame of pandas or polars; an Arrow table; a dict
        ``{topic: {docno: grade}}``; a list of ``ir_measures.Qrel``; ``irds:<id>`` of ir_datasets;
        scores of documents as `regrade.fit_scores` makes them.
    scale
        Possible grades: a number of levels, ``(low, high)``, or a list of values; ``None``
        takes any number.
    columns
        Our names (``topic``, ``docno``, ``grade``) → the source's, if unusual.
    where
        The source's column → the value, or list of values, of the rows to read.
    name
        Name of the labels; by default the file's name.
    missing
        Rows without a grade in a source with named columns: ``refuse``, or ``drop`` (unjudged).
    off_scale
        ``refuse`` grades outside the scale, or ``drop`` them.  Without a stated scale, a few
        grades far above all others (10 where the rest is 0 to 3) are on none; they are refused
        where the scale matters.
    below_zero
        Meaning of grades below 0: ``trec``, as TREC's tools read −1 and −2, judged and without a
        gain; ``junk``, read as 0; ``unjudged``, so that the documents count as not judged; or
        ``sampled-out``, as ``unjudged``, but pooled for infAP.

    Returns
    -------
    Labels

    Raises
    ------
    RegradeError
        If it cannot be read; the message says where and what to do.

    Examples
    --------
    >>> read_qrels({"401": {"d1": 1, "d2": 0}}, name="mine")
    <Labels mine: 2 documents of 1 topic, grades 0 to 1>
    """
    how = {"scale": scale, "columns": columns, "where": where, "name": name}
    leaving = {"missing": missing, "off_scale": off_scale, "below_zero": below_zero}
    return read_set(source, "qrels", **how, **leaving)


@reads_pipes
@checks_types(missing=one_of(LEAVING), off_scale=one_of(LEAVING))
@not_scores("judgments")
def read_judgments(
    source: object,
    *,
    scale: object = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    name: str | None = None,
    missing: str = "refuse",
    off_scale: str = "refuse",
) -> Judgments:
    """Read workers' judgments.

    Parameters
    ----------
    source
        As for `read_qrels`, with columns for topic, docno, worker and value, and for the unit (HIT)
        where there are any.
    scale
        Possible values, as for `read_qrels`.
    columns
        Our names (``topic``, ``docno``, ``worker``, ``value``, ``unit``) → the source's.
    where, missing, off_scale
        As for `read_qrels`.
    name
        Name of the judgments.

    Returns
    -------
    Judgments

    Raises
    ------
    RegradeError
        If it cannot be read.
    """
    how = {"scale": scale, "columns": columns, "where": where, "name": name}
    return read_set(source, "judgments", **how, missing=missing, off_scale=off_scale)


@reads_pipes
@not_scores("labels")
def read_set(
    source: object,
    kind: str = "",
    *,
    scale: object = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    name: str | None = None,
    missing: str = "refuse",
    off_scale: str = "refuse",
    below_zero: str = "trec",
) -> Labels | Judgments:
    """Labels (``qrels``) or ``judgments``; ``""``: judgments if a column has workers."""
    if isinstance(source, {"qrels": Labels, "judgments": Judgments}.get(kind, _Set)):
        return source
    if kind != "judgments" and hasattr(source, "to_labels"):
        return source.to_labels()
    stated, rows = scale_from(scale), None
    if not kind:
        kind, rows = _kind_of(source, columns, name)
    what, name = described(source, name or kind), name or name_of(source, kind)
    if kind == "qrels" and _is_dataset(source):
        source = sources.of_dataset(source, "qrels")
    if _is_path(source) and headed_format(source, columns) is None:
        if kind == "judgments":
            problem = "its first line names no columns: topic, docno, worker and value are needed"
            remedy = "Labels, one per document, are qrels: read_qrels."
            raise InputError(source, [(1, problem)], remedy)
        if columns or where:
            problem = "columns and where need a file whose first line names columns"
            raise ParameterError(f"{what}: {problem}")
        left_out: Counter = Counter()
        how = (stated, off_scale, left_out)
        table, apart = label_files.labels_of_lines(source, *how, below_zero)
        _warn_of_copies(what, left_out)
        out = None
        if below_zero == SAMPLED_OUT:
            every = label_files.read_qrels(source)
            out = every.filter(pc.less(every["grade"], 0))
        return Labels(table, name, stated, left_out, apart=apart, sampled_out=out)
    value, (required, optional) = VALUES[kind], COLUMNS[kind]
    if rows is None:
        rows = sources.opened(source, what, required, columns, value)
    rows.problems.path = what
    rows = rows.named(required, optional, columns).chosen(where or {})
    rows, out = rows.with_values(value, missing), None
    if kind == "qrels" and below_zero != "trec" and not (stated and stated.names):
        rows, out = rows.without_below_zero(value, below_zero)
    rows, numbers, apart = rows.on_scale(value, stated, off_scale)
    if kind == "qrels":
        table = label_files.labels_of_rows(rows, numbers)
        _warn_of_copies(what, rows.left_out)
        if out is not None:
            out = label_files.labels_of_rows(out, out.numbers(value))
        sampled_out = out if below_zero == SAMPLED_OUT else None
        table = with_unlabelled(table, rows.without)
        return Labels(table, name, stated, rows.left_out, apart=apart, sampled_out=sampled_out)
    table = label_files.judgments_of_rows(rows, numbers)
    return Judgments(table, name, stated, rows.left_out, apart=apart)


def _warn_of_copies(what: str, left_out: Counter) -> None:
    """Say that rows count once, also where only a table is printed."""
    if copies := left_out[COPIES]:
        log.warning("%s: %s", what, rows_text(copies, COPIES))


def _kind_of(
    source: object, columns: Mapping[str, str] | None, name: str | None
) -> tuple[str, sources.InputTable | None]:
    """Whether something has a column of workers, and its rows if these had to be looked at."""
    if columns and "worker" in columns:
        return "judgments", None
    if isinstance(source, Mapping):
        is_judged = any(called(source, "worker")) and all(map(is_list, source.values()))
        return "judgments" if is_judged else "qrels", None
    is_plain = is_tuples(source) or _is_dataset(source)
    is_plain = is_plain or (_is_path(source) and headed_format(source, columns) is None)
    if is_plain or (columns and "grade" in columns):  # which only labels have
        return "qrels", None
    rows = sources.opened(source, described(source, name or "judgments")).named((), ("worker",))
    # the user's names of columns may say that rows are of another shape
    return "judgments" if "worker" in rows else "qrels", None if columns else rows


def name_for(source: object, role: str) -> str | None:
    """What to call a set by its role; files and sets have names of their own."""
    return None if isinstance(source, Labels | Judgments | str | os.PathLike) else role


def named_sets(
    sets_or_files: object,
    read: Callable[..., Labels | Judgments] = read_set,
    scales: Mapping[str, object] | None = None,
) -> dict[str, Labels | Judgments]:
    """Several sets, by the names of a dict or, in a list, their own; or the only one."""
    if not are_sets(sets_or_files):
        sets_or_files = [sets_or_files]
    named = (
        sets_or_files.items()
        if isinstance(sets_or_files, Mapping)
        else ((None, one) for one in sets_or_files)
    )
    sets: dict[str, Labels | Judgments] = {}
    for key, source in named:
        name = None if key is None else str(key)
        one = read(source, scale=(scales or {}).get(key), name=name)
        one = one if name is None else replace(one, name=name)
        if one.name in sets:
            raise ParameterError(
                f"two sets are called '{one.name}': give each set its own name, {{name: set}}"
            )
        sets[one.name] = one
    if not sets:
        raise ParameterError("no set is given: give at least one set, {name: set}")
    return sets


def are_sets(source: object) -> bool:
    """Whether it is sets by name or in a list, and not one set: documents by topic, or columns."""
    if not isinstance(source, Mapping):
        return isinstance(source, list | tuple) and not is_tuples(source)
    first = next(iter(source.values()), None)
    if isinstance(first, Mapping):
        inner = next(iter(first.values()), None)
        return isinstance(inner, Mapping) or is_list(inner)
    return is_tuples(first) or not is_list(first)


@reads_pipes
@checks_types(tie_break=one_of(TIE_BREAKS), score_precision=one_of(SCORE_PRECISIONS))
@not_scores(RUNS)
def read_runs(
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    name: str = "run",
    groups: Mapping[str, str] | None = None,
    tie_break: str = "rank",
    score_precision: str = "float64",
    not_self: bool = False,
) -> Runs:
    """Read the rankings of systems.

    Parameters
    ----------
    source
        A path to a TREC run, or to a file with named columns; a glob, a folder or a list of
        them; a frame with columns for topic, docno, score (or rank) and, of several systems, the
        system; a dict ``{topic: {docno: score}}`` as pytrec_eval takes it; a list of
        ``ir_measures.ScoredDoc``; a dict of any of these by system.
    columns
        Our names (``system``, ``topic``, ``docno``, ``score``, ``rank``) → the source's.
    name
        Name of a single system whose source does not name it.
    groups
        Group by system, where known.
    tie_break, score_precision
        Tie-breaking of documents with equal scores (`regrade.ordering.canonical_order`).
    not_self
        Omit a document with the name of its topic before ranking, as in collections whose
        topics are documents (ArguAna, Quora).

    Returns
    -------
    Runs

    Raises
    ------
    RegradeError
        If it cannot be read.

    Examples
    --------
    >>> read_runs({"bm25": {"401": {"d1": 2.5, "d2": 1.0}}, "mine": {"401": {"d2": 0.7}}})
    <Runs of 2 systems: 1 topic, 3 documents ranked>
    """
    if isinstance(source, Runs):
        return source
    rules = {"tie_break": tie_break, "score_precision": score_precision, "not_self": not_self}
    parts = sorted(_RunReader(columns, rules).runs(source, name), key=lambda run: run.system)
    if not any(map(len, parts)):
        raise ParameterError("runs: no run ranks a document: give a run that does")
    if not_self:
        log.warning("runs: %s", run_files.left_out_text(run.itself for run in parts))
    for run, following in pairwise(parts):
        if run.system == following.system:
            raise ParameterError(
                f"runs: two runs are called '{run.system}': give each its own name"
            )
    ranked = RankedLists.from_runs(parts, cores())
    tied, against = _odd_orders(ranked)
    submitted = {run.system for run in parts if run.has_ranks}
    against = [system for system in against if system in submitted]
    if against:
        log.warning(
            "%s: the rank column contradicts the scores; ranking by score, descending. If "
                "lower is better, negate the scores", first_few(against),
        )  # fmt: skip
    if tied:
        order = {"rank": "submitted rank", "trec_eval": "docno, descending"}
        log.warning(
            "%s: scores are equal within each topic; documents are ranked by %s. Another "
                "tie-breaking would give other values", first_few(tied),
            order.get(tie_break, "the order of lines"),
        )  # fmt: skip
    return Runs(ranked, tie_break, score_precision, groups)


def _odd_orders(ranked: RankedLists) -> tuple[list[str], list[str]]:
    """The systems whose scores tell no documents of a topic apart, or mostly against their ranks.

    The rankings stand in the order of scores.
    """
    some = np.flatnonzero(np.diff(ranked.offsets) > 1)
    if not some.size:
        return [], []
    # of each document and the one above in its ranking; the first of a ranking has none
    differ = np.append(False, ranked.scores[1:] != ranked.scores[:-1])
    differ[ranked.offsets[:-1][np.diff(ranked.offsets) > 0]] = False
    against = np.append(False, ranked.submitted_ranks[1:] < ranked.submitted_ranks[:-1])
    counts = np.zeros((2, len(ranked.topics), len(ranked.systems)), dtype=np.int64)
    for count, flags in zip(counts, (differ, differ & against), strict=True):
        count.ravel()[some] = np.add.reduceat(
            flags.view(np.int8), ranked.offsets[some], dtype=np.int64
        )
    apart, falling = counts.sum(axis=1)
    has = np.zeros(len(ranked.systems), dtype=bool)
    has[some % len(ranked.systems)] = True
    names = np.array(ranked.systems, dtype=object)
    return names[has & (apart == 0)].tolist(), names[2 * falling > apart].tolist()


@dataclass(frozen=True)
class _RunReader:
    """How runs are read: our names of columns → the source's, and the rules of order."""

    columns: Mapping[str, str] | None
    rules: Mapping[str, str | bool]

    def runs(self, source: object, name: str) -> list[Run]:
        """Each system's, in any order; `name` is that of rows that name none."""
        if _is_dataset(source):
            source = sources.of_dataset(source, "scoreddocs")
        if isinstance(source, Mapping) and _is_by_system(source):
            return [self._only(str(system), own) for system, own in source.items()]
        if _is_path(source) or _are_paths(source):
            return self._of_files(sources.files_of(source))
        if isinstance(source, list | tuple) and not is_tuples(source):
            if not source:
                raise ParameterError("runs: the list is empty: give at least one run")
            return [part for one in source for part in self.runs(one, name)]
        return self._of_rows(source, name)

    def _only(self, system: str, source: object) -> Run:
        """The one run that stands under a system's name."""
        if isinstance(source, Mapping) and all(one == {} for one in source.values()):
            return run_files.empty_run(system)
        if isinstance(source, Mapping) and _is_by_system(source):
            raise ParameterError(
                f"runs: '{system}' contains several systems: give {{system: {{topic: "
                "{docno: score}}}"
            )
        runs = self.runs(source, system)
        if len(runs) > 1:
            raise ParameterError(
                f"runs: '{system}' contains {len(runs)} systems: give one system each"
            )
        return replace(runs[0], system=system)

    def _of_files(self, files: Sequence[Path]) -> list[Run]:
        headed = [file for file in files if headed_format(file, self.columns) is not None]
        plain = [file for file in files if file not in headed]
        runs = run_files.each_run(plain, threads=cores(), **self.rules) if plain else []
        for file in headed:
            try:
                runs += self._of_rows(file, file.stem)
            except RegradeError as error:
                if len(plain) <= len(headed):
                    raise
                reason = str(error).partition("\n")[0]
                stray = run_files.no_run_text(file, plain, headed)
                raise ParameterError(f"{reason}\n{stray}") from error
        return runs

    def _of_rows(self, source: object, name: str) -> list[Run]:
        what, (required, optional) = described(source, "runs"), COLUMNS["runs"]
        if isinstance(source, Mapping):
            required, optional = (*required, "score"), optional[1:]
        rows = sources.input_table(source, what, required, optional, self.columns)
        if "score" not in rows and "rank" not in rows:
            raise ParameterError(
                f"{what} has neither a score nor a rank column: name one, "
                "columns={'score': …} of read_runs"
            )
        return run_files.runs_of_rows(rows, name, self.rules) or [run_files.empty_run(name)]


def _is_by_system(source: Mapping) -> bool:
    """Whether a dict holds runs by system, and not one run by topic."""
    first = next(iter(source.values()), None)
    if isinstance(first, Mapping):
        inner = (one for own in source.values() if isinstance(own, Mapping) for one in own.values())
        return isinstance(next(inner, None), Mapping)
    is_column = isinstance(first, list | tuple | np.ndarray) and not (
        is_tuples(first) or _are_paths(first)
    )
    return first is not None and not is_column


def _is_path(source: object) -> bool:
    return isinstance(source, str | os.PathLike)


def _is_dataset(source: object) -> bool:
    return isinstance(source, str) and source.startswith(IRDS)


def _are_paths(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(map(_is_path, source))


_ENDINGS = (
    *COMPRESSED,
    *(".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".txt", ".qrels"),
)
"""Of files, that are no part of what a set is called."""


def name_of(source: object, otherwise: str) -> str:
    """A file's name without its endings; else what it was given as."""
    if not _is_path(source):
        return otherwise
    name = os.path.basename(os.fspath(source))  # noqa: PTH119 (of "irds:a/b" the end)
    for ending in _ENDINGS:
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
    return name.removeprefix("qrels.") or otherwise


def groups_of(runs: Runs, named: object = None) -> Mapping[str, str] | None:
    """Group by system, as it is given, or else as the runs were read with."""
    groups = runs.groups if named is None else named
    if groups is not None and not isinstance(groups, Mapping):
        raise ParameterError(f"groups is a {type(groups).__name__}: give {{system: group}}")
    return groups


def measures_for(
    measures: Sequence[str] | str | None, sets: Sequence[Labels | Judgments], of: Sequence[str]
) -> list[str]:
    """Measures as they were named, or, where none was, those of some that sets can serve."""
    if measures is not None:
        return named_measures(measures)
    # where no one serves, what scores says why
    return list(default_measures(*(one.likely_scale for one in sets), of=of) or of)


def as_input(one: Labels | Judgments, ranked: RankedLists | None = None, judged=None) -> MemorySet:
    """A set as the jobs of stages take it; for labels of runs, in the codes of these."""
    return MemorySet(one.name, one.table, one.likely_scale, one.stated_scale, ranked, judged)

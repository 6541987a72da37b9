"""Labels and judgments: TREC qrels, tables with a header, or the published CSV of several scales.

Labels are one per document, judgments one per worker and document, and samples (what `regrade
assign` writes, filled in) labels of documents that were chosen at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from shlex import quote
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS, STRING
from regrade.choices import (
    JUDGMENT_FORMATS,
    LABEL_FORMATS,
    LEAST_INCLUSION,
    NAMED_COLUMNS,
    RELEVANCE_SCALES,
)
from regrade.conversions import to_numpy
from regrade.errors import InputError, ParameterError, check_choice
from regrade.readers import values as on_scales
from regrade.readers.formats import headed_format
from regrade.readers.lines import Column, Problems, blank_separated
from regrade.readers.records import without_documents
from regrade.readers.rows import (
    COPIES,
    MISSING,
    Rows,
    completed,
    keep_topics,
    mask,
    once_in_units,
    renamed,
    repeats,
    text_of,
    unguarded,
)
from regrade.readers.sampled import ALONE, check_one_method, has_five_fields, sampled_lines
from regrade.readers.spellings import COLUMNS, called, plain
from regrade.readers.values import Leaving, few_apart, on_scale, scale_of_most
from regrade.scales import Scale
from regrade.tables import with_unlabelled
from regrade.wording import first_few

if TYPE_CHECKING:
    from regrade.readers.sources import InputTable

KEY = ("topic", "docno")
_NAMES = {"topic": "topic", "docno": "docno", "grade": "grade"}
_EXPERTS_NAMES = {"topic": "topic_id", "docno": "document_id", "grade": ""}
EXPERTS = ("sormunen", "trec", "gold")
"""The columns of the published CSV that hold experts' labels."""

_KEEP_ONE = (
    "Labels are one per document: keep one of its lines. Several people's labels are judgments: "
    "name the columns, one of them of workers."
)

_OF_SUBTOPICS = (
    "The lines of a document differ in the second column: these are labels by subtopic, of which "
    "ir_measures computes alpha_nDCG and its like. For labels of whole documents write one line "
    "for each, with its highest grade."
)

_KEEP_A_ROW = (
    "Labels are one per document: give judgments a column of workers, keep one row, or choose a "
    "judge by where (--where worker=NAME; of models --model-where), or by columns, where each has "
    "one."
)


def read_qrels(
    path: str | PathLike,
    *,
    scale: Scale | None = None,
    topics: Iterable[str] | None = None,
    format: str = "trec",
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    off_scale: str = "refuse",
    below_zero: str = "trec",
    left_out: Counter | None = None,
) -> pa.Table:
    """Read labels, one per document."""
    check_choice("format", format, LABEL_FORMATS)
    leaving = Leaving(off_scale, "off_scale", Counter() if left_out is None else left_out)
    if format == "trec":
        if columns or where:
            raise ParameterError("columns and where go with files whose first line names columns")
        problems = Problems(path, "A line of qrels is: topic iteration docno grade.")
        kind = pa.string() if scale is not None and scale.names else pa.float64()
        fields = {"topic": STRING, "iteration": None, "docno": STRING, "grade": kind}
        table = blank_separated(fields, problems, KEY)
        grade = Column(table["grade"], to_numpy(table["line"]), "grade", problems)
        grade = _judged(grade, scale, below_zero, leaving.counts)
        grade = on_scale(grade, scale, leaving, junk=True)
    else:
        problems, is_published = Problems(path), format == RELEVANCE_SCALES
        names = renamed(_EXPERTS_NAMES if is_published else _NAMES, columns)
        if is_published:
            check_choice("column of labels (columns: {grade: …})", names["grade"], EXPERTS)
        rows = Rows.headed(format, names, names, problems).where(where or {}, leaving.counts)
        label = rows.column("grade")
        if is_published:
            label = replace(label, values=_published(label.values, scale))
        label = _judged(label, scale, below_zero, leaving.counts)
        grade = on_scale(label, scale, leaving, [""], junk=True)  # empty where it is unjudged
        columns = {name: rows.identifiers(name) for name in KEY}
        table = pa.table({**columns, "grade": grade, "line": pa.array(rows.line, pa.int32())})
        without = without_documents(rows.raw)

    table = table.set_column(table.column_names.index("grade"), "grade", grade)
    table = table.filter(pc.is_valid(table["grade"]))
    earlier = repeats(table, KEY)
    if format == "trec" and (earlier >= 0).any():
        table = _without_copies(table, earlier, path, leaving.counts)
        earlier = repeats(table, KEY)
    _check_documents(table, earlier, repeatable=format != "trec", problems=problems)
    problems.raise_if_any()
    table = keep_topics(table, topics, path, leaving.counts)
    if format == "trec":
        return label_table(*(table[name] for name in (*KEY, "grade")))
    table = table.filter(pa.array(repeats(table, KEY) < 0))
    labels = label_table(*(table[name] for name in (*KEY, "grade")))
    return with_unlabelled(labels, without if topics is None else {*without} & {*map(str, topics)})


def _judged(
    grade: Column, scale: Scale | None, rule: str, counts: Counter, missing: Sequence[str] = ("",)
) -> Column:
    """Grades as what those below 0 mean has them; null where a document is not judged."""
    if rule == "trec" or (scale is not None and scale.names):
        return grade
    values = grade.values
    if not pa.types.is_floating(values.type):
        values = grade.numbers(pa.float64(), missing, levels=True)
    numbers = values.to_numpy(zero_copy_only=False)
    numbers, judged = on_scales.below_zero(numbers, rule, grade.name, counts)
    return replace(grade, values=pa.array(np.where(judged, numbers, np.nan), from_pandas=True))


def _published(label: pa.Array, scale: Scale | None) -> pa.Array:
    """Experts' labels as numbers or names of a scale; empty where a document is unjudged."""
    label = pc.utf8_upper(label)
    label = pc.if_else(pc.match_substring_regex(label, "^(U$|-)"), "", label)
    if scale is not None and scale.names:
        return label
    # not, marginally, relevant, highly
    number = pa.array(["0", "1", "2", "3"]).take(pc.index_in(label, pa.array([*"NMRH"])))
    return pc.coalesce(number, label)


def labels_of_rows(rows: InputTable, grades: np.ndarray) -> pa.Table:
    """Labels of a frame or of named columns; a document with two of them is an error."""
    names = {name: rows.identifiers(name) for name in KEY}
    earlier = repeats(pa.table(names), KEY)
    reason = "has a label for the same topic already"
    if (earlier >= 0).any():
        every = pa.table({name: text_of(rows.raw[name]) for name in rows.raw.column_names})
        if (copies := repeats(every, every.column_names) >= 0).any():
            rows.left_out[COPIES] += int(copies.sum())
            return labels_of_rows(rows.only(~copies), grades[~copies])
        rows.refuse("docno", earlier >= 0, reason, _how_to_choose(rows, earlier))
    return label_table(**names, grade=pa.array(grades))


_SUBTOPICS = ("subtopic", "subtopic_id", "aspect", "intent", "iteration")
"""What columns of subtopics are called."""


def _how_to_choose(rows: InputTable, earlier: np.ndarray) -> str:
    """What to do where documents have several rows, by the columns that tell these apart."""
    again = np.flatnonzero(earlier >= 0)
    others = [name for name in rows.raw.column_names if name not in rows.names.values()]
    texts = {name: np.array(text_of(rows.raw[name]).to_pylist(), object) for name in others}
    apart = [name for name, own in texts.items() if (own[again] != own[earlier[again]]).all()]
    if any(plain(name) in _SUBTOPICS for name in apart):
        return _OF_SUBTOPICS.replace("the second column", "their subtopic")
    if not apart:
        return _KEEP_A_ROW
    judge = next(iter(called(apart, "worker")), apart[0])
    by = f"--where {quote(f'{judge}={texts[judge][again[0]]}')}"
    return (
        f"They differ in {first_few(apart)}: choose one by where (as in {by}; of models "
        f"--model-where), or name whose "
        f"labels they are (columns worker={judge}), so that they are judgments."
    )


def labels_of_lines(
    path: str | PathLike,
    stated: Scale | None,
    off_scale: str,
    left_out: Counter,
    below_zero: str = "trec",
) -> tuple[pa.Table, InputError | None]:
    """Labels of TREC's qrels, and what is wrong of few of them where no scale was stated."""
    reading = {"off_scale": off_scale, "left_out": left_out, "below_zero": below_zero}
    table = read_qrels(path, scale=stated, **reading)
    most = scale_of_most(to_numpy(table["grade"])) if stated is None else None
    if most is None:
        return table, None
    try:
        left_out.clear()  # said again
        return read_qrels(path, scale=most, **reading), None
    except InputError as error:
        return table, few_apart(error, table["grade"].to_numpy())


def label_table(topic: pa.Array, docno: pa.Array, grade: pa.Array | np.ndarray) -> pa.Table:
    """Labels in schema ``qrels``, in canonical order."""
    names = {"topic": topic.cast(pa.string()), "docno": docno.cast(pa.string())}
    return completed({**names, "grade": grade}, SCHEMAS["qrels"], KEY)


def made_binary(labels: pa.Table, relevant_from: float) -> pa.Table:
    """Labels with grade 1 where it was at least `relevant_from`, else 0; schema ``qrels``."""
    grade = (labels["grade"].to_numpy() >= relevant_from).astype(float)
    return labels.set_column(labels.column_names.index("grade"), "grade", pa.array(grade))


def _check_documents(
    table: pa.Table, earlier: np.ndarray, repeatable: bool, problems: Problems
) -> None:
    """Report each document that comes again (where repeatable: with another grade)."""
    line, grade = to_numpy(table["line"]), to_numpy(table["grade"])
    again = np.flatnonzero(earlier >= 0)
    if repeatable:
        again = again[grade[again] != grade[earlier[again]]]
    if len(again):
        are_subtopics = (
            not repeatable and _differ(problems.path, line[again], line[earlier[again]]).all()
        )
        remedy = _OF_SUBTOPICS if are_subtopics else _KEEP_ONE
        problems.remedy = f"{problems.remedy} {remedy}" if problems.count else remedy

    def reason(row: int) -> str:
        topic, docno, before = table["topic"][row], table["docno"][row], earlier[row]
        other = f", with {grade[before]:g}, not {grade[row]:g}" if repeatable else ""
        return f"document {docno} again for topic {topic}: line {line[before]} has it{other}"

    problems.report(line, again, reason)


def _without_copies(
    table: pa.Table, earlier: np.ndarray, path: str | PathLike, counts: Counter
) -> pa.Table:
    """Labels of TREC's lines without lines that are the same as one before, which are counted."""
    grade = to_numpy(table["grade"])
    again = np.flatnonzero(earlier >= 0)
    again = again[grade[again] == grade[earlier[again]]]
    line = to_numpy(table["line"])
    copies = again[~_differ(path, line[again], line[earlier[again]])]
    if not len(copies):
        return table
    counts[COPIES] += len(copies)
    return table.filter(pa.array(~np.isin(np.arange(len(table)), copies)))


def _differ(path: str | PathLike, lines: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether lines of qrels differ from others in the second column."""
    if not len(lines):
        return np.zeros(0, dtype=bool)
    fields = {"topic": None, "iteration": pa.string(), "docno": None, "grade": None}
    table = blank_separated(fields, Problems(path))
    places = np.searchsorted(table["line"].to_numpy(), [lines, others])
    own, other = table["iteration"].to_numpy()[places]
    return own != other


# --- judgments ------------------------------------------------------------------------------------

_COLUMNS = columns_of("judgments")
_JUDGMENT_NAMES = {name: name for name in _COLUMNS}
# the published CSV's names for our columns
_WORKERS_NAMES = {
    "topic": "topic_id",
    "docno": "document_id",
    "worker": "worker_id",
    "value": "relevance_score",
    "unit": "unit_id",
    "position": "doc_pos",
    "seconds": "cumulative_time",
    "back": "back",
    "failed": "failed",
    "relevance_scale": "relevance_scale",
}
_NEEDED = ("topic", "docno", "worker", "value")
_OF_SCALES = (*_NEEDED, "unit", "position", "seconds", "relevance_scale")
_WORKER_KEY = ("topic", "docno", "worker")


def read_judgments(
    path: str | PathLike,
    *,
    scale: Scale | None = None,
    topics: Iterable[str] | None = None,
    format: str = "tsv",
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    unit: str | Sequence[str] | None = None,
    worker: str | None = None,
    off_scale: str = "refuse",
    left_out: Counter | None = None,
) -> pa.Table:
    """Read workers' judgments."""
    check_choice("format", format, JUDGMENT_FORMATS)
    leaving = Leaving(off_scale, "off_scale", Counter() if left_out is None else left_out)
    is_published = format == RELEVANCE_SCALES
    names = renamed(_WORKERS_NAMES if is_published else _JUDGMENT_NAMES, columns)
    problems = Problems(path)
    if format == "trec":
        problems.remedy = "A line of qrels is: topic iteration docno grade."
        fields = ("topic", "iteration", "docno", "value")
        rows = Rows.blank_separated(fields, names, problems)
        if (names["worker"] == "iteration") == (worker is not None):
            raise ParameterError(
                "qrels name no worker: give `worker`, or take their second column with "
                "columns: {worker: iteration}"
            )
        rows = rows if worker is None else rows.by_worker(worker)
    elif worker is not None:
        raise ParameterError(f"worker: {worker!r} is only for format: trec")
    else:
        required = _OF_SCALES if is_published else _NEEDED
        rows = Rows.headed(format, names, required, problems)
    rows = rows.where(where or {}, leaving.counts)
    if is_published:
        column = names["relevance_scale"]
        scales = sorted(pc.unique(rows.raw[column]).to_pylist())
        if len(scales) > 1:
            raise InputError(
                path,
                [(None, f"holds several scales: {', '.join(scales)}")],
                f"Name the one to read by `where`, such as {{{column}: {scales[0]}}}.",
            )
    value = on_scale(rows.column("value"), scale, leaving)
    columns = {
        **{name: rows.identifiers(name) for name in _WORKER_KEY},
        "unit": rows.units(unit),
        "position": rows.optional("position", pa.int32()),
        "value": value,
        "seconds": rows.optional("seconds", pa.float64()),
        "back": rows.optional("back", pa.int32()),
        "failed": rows.optional("failed", pa.int32()),
        "line": pa.array(rows.line, pa.int32()),
    }
    table = pa.table(columns).filter(pc.is_valid(value))
    again = "worker {worker} judges document {docno} again for topic {topic} in unit {unit}"
    table = once_in_units(table, _WORKER_KEY, again, leaving.counts, problems)
    problems.raise_if_any()
    if is_published:
        table = _seconds_from_cumulative(table)
    table = keep_topics(table, topics, path, leaving.counts)
    # by identifiers first; by the rest only so that equal content has equal bytes
    order = (*_WORKER_KEY, *_COLUMNS[3:])
    return completed({name: table[name] for name in _COLUMNS}, SCHEMAS["judgments"], order)


def judgments_of_rows(rows: InputTable, values: np.ndarray) -> pa.Table:
    """Judgments of a frame or of named columns."""
    columns = {
        **{name: rows.identifiers(name) for name in _WORKER_KEY},
        "unit": rows.optional_identifiers("unit"),
        "value": values,
        "seconds": rows.optional_numbers("seconds"),
    }
    return completed(columns, SCHEMAS["judgments"], (*_WORKER_KEY, "unit", "value"))


def _seconds_from_cumulative(table: pa.Table) -> pa.Table:
    """Time spent on each document, where ``seconds`` holds the time since the unit began."""
    coded = (table[name].dictionary_encode().combine_chunks().indices for name in _WORKER_KEY[::2])
    unit = table["unit"].dictionary_encode().combine_chunks().indices.fill_null(-1)
    keys = [key.to_numpy() for key in (*coded, unit)]
    position = table["position"].to_numpy()  # as float: NaN, where null, comes last
    order = np.lexsort((position, *keys))
    time = table["seconds"].to_numpy()[order]
    same = np.logical_and.reduce([key[order][1:] == key[order][:-1] for key in keys])
    same &= keys[2][order][1:] >= 0
    spent = time.copy()
    spent[1:] -= np.where(same, time[:-1], 0)
    seconds = np.empty_like(spent)
    seconds[order] = spent
    place = table.column_names.index("seconds")
    return table.set_column(place, "seconds", pa.array(seconds, from_pandas=True))


# --- samples --------------------------------------------------------------------------------------

REQUIRED, OPTIONAL = COLUMNS["sample"]

_REMEDY = (
    "A row is: topic, docno, the probability of the document to be chosen (inclusion), whether it "
    "was (chosen), and what people said of it (grade), empty where nobody labelled it."
)


def read_sample(
    path: str | PathLike,
    *,
    scale: Scale | None = None,
    format: str = "csv",
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    left_out: Counter | None = None,
) -> pa.Table:
    """Read a file of labels of chosen documents."""
    check_choice("format", format, NAMED_COLUMNS)
    names = renamed({name: name for name in (*REQUIRED, *OPTIONAL)}, columns)
    if headed_format(path, columns) is None and has_five_fields(path):
        rows = Rows(*sampled_lines(path), names, Problems(path))
    else:
        rows = Rows.headed(format, names, REQUIRED, Problems(path))
    counts = Counter() if left_out is None else left_out
    check_one_method(rows, where or ())
    return sample_of(rows.where(where or {}, counts), scale, counts)


@dataclass(frozen=True)
class ScaledSample:
    """Labels of chosen documents, on a scale.

    Attributes
    ----------
    table
        As `sample_of` makes it.
    scale
        That people labelled on.
    left_out
        How many rows were not read, by reason, where that is still to be said.
    """

    table: pa.Table
    scale: Scale
    left_out: Mapping[str, int] = field(default_factory=dict)


def load_sample(path: str, options: SimpleNamespace) -> ScaledSample:
    """The file that people filled in, on the levels that the options name."""
    scale, left_out = Scale.of({"levels": options.levels}), Counter()
    return ScaledSample(read_sample(path, scale=scale, left_out=left_out), scale, left_out)


def sample_of(
    rows: Rows, scale: Scale | None, left_out: Counter, below_zero: str = "trec"
) -> pa.Table:
    """Labels of chosen documents, and documents that were not chosen, from rows of text.

    ``stated`` says whether a row says that the document was chosen; else it is if it has a label.
    Of TREC's files that hold chosen documents alone there is a column ``alone``.
    """
    problems, leaving = rows.problems, Leaving("refuse", "off_scale", left_out)
    grade = _judged(rows.column("grade"), scale, below_zero, left_out, MISSING)
    grade = on_scale(grade, scale, leaving, MISSING, junk=True)
    problems.remedy = _REMEDY
    columns = {
        **{name: unguarded(rows.identifiers(name)) for name in KEY},
        "worker": unguarded(rows.optional_names("worker")),
        "grade": grade,
        "inclusion": rows.optional("inclusion", pa.float64(), signed=True),
        "batch": pc.fill_null(rows.optional("batch", pa.int64()), 1),
    }
    table = pa.table(columns)
    problems.raise_if_any()
    chosen = rows.flags("chosen")
    problems.raise_if_any()
    is_labelled = table["grade"].is_valid()
    table = table.append_column("chosen", pc.coalesce(chosen, is_labelled.combine_chunks()))
    table = table.append_column("stated", pc.is_valid(chosen))
    if ALONE in rows.raw.column_names:
        table = table.append_column(ALONE, pa.array(np.ones(len(table), bool)))
    _check_inclusion(table, rows)
    _check_once(table, rows)
    _check_batches(table, rows)
    problems.raise_if_any()
    return table


def _check_inclusion(table: pa.Table, rows: Rows) -> None:
    """Report probabilities that are none, and labels that no probability speaks for."""
    inclusion, chosen, grade = (rows.names[name] for name in ("inclusion", "chosen", "grade"))
    pi, report = table["inclusion"].to_numpy(), partial(rows.problems.report, rows.line)
    reason = "is not an inclusion probability: above 0, at most 1"
    report((pi <= 0) | (pi > 1), lambda i: f"{inclusion} {_exact(pi[i])} {reason}")
    report(
        (pi > 0) & (pi < LEAST_INCLUSION),
        lambda i: (
            f"{inclusion} {pi[i]:g} is of a document that is never chosen (below "
            f"{LEAST_INCLUSION:g}): correct it"
        ),
    )
    if "inclusion" in rows:
        report(np.isnan(pi), lambda i: f"{inclusion} is empty")
    problem = (
        f"{chosen} says no, but there is a {grade}: labels of documents outside the random "
        "sample are not used"
    )
    labelled = table["grade"].is_valid().to_numpy()
    report(labelled & ~table["chosen"].to_numpy(), lambda i: problem)


def _exact(value: float) -> str:
    """A number with as many digits as tell it from others."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def _check_once(table: pa.Table, rows: Rows) -> None:
    """Report what comes again, and rows of one document that differ in how it was chosen."""
    line, report = rows.line, partial(rows.problems.report, rows.line)
    worker, docno, called = table["worker"].combine_chunks(), table["docno"], rows.names["docno"]
    keyed = table.set_column(2, "worker", pc.fill_null(worker, ""))
    earlier = repeats(keyed, ("topic", "docno", "worker", "batch"))
    again = np.flatnonzero(earlier >= 0)
    is_named = mask(pc.is_valid(worker))[again].all()
    remedy = "keep one row" if is_named else "name each row's worker in a column worker"
    report(
        again,
        lambda i: (
            f"{called} {docno[i].as_py()!r} stands in line {line[earlier[i]]} already, "
            f"for the same topic ({table['topic'][i]}): {remedy}"
        ),
    )
    first = repeats(table, ("topic", "docno", "batch"))
    others = np.flatnonzero(first >= 0)
    for name in ("inclusion", "chosen"):
        values = table[name].to_numpy()
        own, before = values[others], values[first[others]]
        differ = others[(own != before) & ~((own != own) & (before != before))]
        reason = f"{rows.names[name]} is not that of the document's line"
        report(differ, lambda i, reason=reason: f"{reason} {line[first[i]]}")


def _check_batches(table: pa.Table, rows: Rows) -> None:
    """Report numbers of batches that leave one out, and documents of a batch after their own."""
    batch, called, docno = table["batch"].to_numpy(), rows.names["batch"], table["docno"]
    report = partial(rows.problems.report, rows.line)
    numbers = np.unique(batch)
    is_new = np.concatenate([[True], np.diff(numbers) > 1]) & (numbers != 1)
    reason = "batches are numbered 1, 2, … and none is left out"
    report(np.isin(batch, numbers[is_new]), lambda i: f"{called} {batch[i]}: {reason}")
    document = repeats(table, ("topic", "docno"))
    document = np.where(document < 0, np.arange(len(batch)), document)
    own = np.full(len(batch), np.iinfo(np.int64).max)
    chosen = table["chosen"].to_numpy()
    np.minimum.at(own, document[chosen], batch[chosen])
    report(
        batch > own[document],
        lambda i: (
            f"{rows.names['docno']} {docno[i].as_py()!r} was chosen in {called} "
            f"{own[document[i]]} already: it is in no later one"
        ),
    )

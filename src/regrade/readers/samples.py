"""Labels of documents that were chosen at random: what `regrade assign` writes, filled in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import NAMED_COLUMNS
from regrade.errors import check_choice
from regrade.readers.lines import Problems
from regrade.readers.rows import MISSING, Rows, Where, mask, renamed, repeats, unguarded
from regrade.readers.spellings import COLUMNS
from regrade.readers.values import Leaving, on_scale
from regrade.scales import Scale

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
    where: Where | None = None,
    left_out: Counter | None = None,
) -> pa.Table:
    """Read a file of labels of chosen documents."""
    check_choice("format", format, NAMED_COLUMNS)
    names = renamed({name: name for name in (*REQUIRED, *OPTIONAL)}, columns)
    rows = Rows.headed(path, format, names, REQUIRED, Problems(path))
    counts = Counter() if left_out is None else left_out
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


def sample_of(rows: Rows, scale: Scale | None, left_out: Counter) -> pa.Table:
    """Labels of chosen documents, and documents that were not chosen, from rows of text."""
    problems, leaving = rows.problems, Leaving("refuse", "off_scale", left_out)
    grade = on_scale(rows.column("grade"), scale, leaving, MISSING, junk=True)
    problems.remedy = _REMEDY
    table = pa.table(
        {
            "topic": unguarded(rows.identifiers("topic")),
            "docno": unguarded(rows.identifiers("docno")),
            "worker": unguarded(rows.optional_names("worker")),
            "grade": grade,
            "inclusion": rows.optional("inclusion", pa.float64(), signed=True),
            "batch": pc.fill_null(rows.optional("batch", pa.int64()), 1),
        }
    )
    problems.raise_if_any()
    chosen = rows.flags("chosen")
    problems.raise_if_any()
    is_labelled = table["grade"].is_valid()
    table = table.append_column("chosen", pc.coalesce(chosen, is_labelled.combine_chunks()))
    _check_inclusion(table, rows)
    _check_once(table, rows)
    _check_batches(table, rows)
    problems.raise_if_any()
    return table


def _check_inclusion(table: pa.Table, rows: Rows) -> None:
    """Report probabilities that are none, and labels that no probability speaks for."""
    inclusion, chosen, grade = (rows.names[name] for name in ("inclusion", "chosen", "grade"))
    pi, report = table["inclusion"].to_numpy(), partial(rows.problems.report, rows.line)
    reason = "is no probability of being chosen: above 0, at most 1"
    report((pi <= 0) | (pi > 1), lambda i: f"{inclusion} {pi[i]:g} {reason}")
    if "inclusion" in rows:
        report(np.isnan(pi), lambda i: f"{inclusion} is empty")
    problem = (
        f"{chosen} says no, and there is a {grade}: labels of other documents than those chosen at "
        "random cannot count"
    )
    labelled = table["grade"].is_valid().to_numpy()
    report(labelled & ~table["chosen"].to_numpy(), lambda i: problem)


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

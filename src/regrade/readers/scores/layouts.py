"""Which columns of a table are which, told by their names and by what they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.conversions import to_arrow
from regrade.errors import ParameterError, did_you_mean
from regrade.readers.lines import Problems, quoted
from regrade.readers.rows import MISSING
from regrade.readers.scores.rows import (
    NAMES,
    WORDS,
    Coded,
    Notation,
    ScoreRows,
    coded_names,
    may_be_score,
    numbers,
    smallest,
)
from regrade.readers.shapes import ANSWERS
from regrade.readers.spellings import SCORES, called, plain
from regrade.wording import first_few

OfMeasures = Callable[[Sequence[str]], bool]
"""Whether columns are measures."""


@dataclass(frozen=True)
class Layout:
    """How columns hold scores: `names` are ours → the source's, `across` the columns of values.

    `of_across` is what the columns of values are: systems, measures or items.
    """

    names: Mapping[str, str]
    across: tuple[str, ...]
    of_across: str = ""
    notes: tuple[str, ...] = ()

    def rows(self, raw: pa.Table, line: np.ndarray, what: str) -> ScoreRows:
        """A row for each value."""
        problems = Problems(what)
        n = len(raw)
        base = {
            ours: coded_names(raw[name], line, name, problems) for ours, name in self.names.items()
        }
        for ours in ("system", "topic", "measure"):
            if ours in base and (base[ours].codes < 0).any():
                name = self.names[ours]
                problems.report(line, base[ours].codes < 0, lambda _, name=name: f"{name} is empty")
        notes = (*self.notes, *self._percentages(raw, what))
        if not self.of_across:
            value = numbers(raw[self.across[0]], line, self.across[0], problems)
            problems.raise_if_any()
            return ScoreRows(base, value, line, what, notes)
        across = pa.array([name.strip() for name in self.across], pa.string())
        order = pc.sort_indices(across).to_numpy()
        many = len(self.across)
        # few enough to be sorted before they are repeated
        rows = np.argsort(base["topic"].codes, kind="stable") if "topic" in base else np.arange(n)
        value = np.empty((many, n))
        for place, which in enumerate(order):
            name = self.across[which]
            value[place] = numbers(raw[name], line, name, problems)[rows]
        problems.raise_if_any()
        line, base = line[rows], {name: one.take(rows) for name, one in base.items()}
        columns = {ours: Coded(one.names, np.tile(one.codes, many)) for ours, one in base.items()}
        columns[self.of_across] = Coded(
            across.take(to_arrow(order)), np.repeat(np.arange(many, dtype=smallest(many)), n)
        )
        return ScoreRows(columns, value.ravel(), line, what, notes)

    def _percentages(self, raw: pa.Table, what: str) -> list[str]:
        """That percentages are read as proportions; systems or items differ in it by mistake."""
        own = [name for name in self.across if _are_percentages(raw[name])]
        others = [name for name in self.across if name not in own]
        if own and others and self.of_across != "measure":
            raise ParameterError(
                f"{what}: '{own[0]}' has percentages and '{others[0]}' has none: write both alike"
            )
        return [f"{what}: percentages are read as proportions (50% as 0.5)."] if own else []


def with_names(raw: pa.Table) -> pa.Table:
    """A table whose columns have names, as pandas calls one that has none."""
    names = [str(name) or f"Unnamed: {i}" for i, name in enumerate(raw.column_names)]
    return raw.rename_columns(names)


_IGNORED = ("line", "rank", "index", "level_0", "unnamed:_0")


def layout_of_columns(
    raw: pa.Table, what: str, columns: Mapping[str, str], of_measures: OfMeasures
) -> Layout:
    """Which columns are which, told by their names, and by what they hold."""
    names = raw.column_names
    for ours, theirs in columns.items():
        if ours not in (*NAMES, "value"):
            known = did_you_mean(ours, (*NAMES, "value"))
            raise ParameterError(f"columns: scores have no use for '{ours}'{known}")
        if theirs not in names:
            near = did_you_mean(theirs, names)
            raise ParameterError(f"columns: {what} has no column '{theirs}'{near}")
    chosen, free = dict(columns), [name for name in names if name not in columns.values()]
    for ours in ("measure", "value", "system", "topic", "dataset", "repeat", "cluster", "judge"):
        if ours in chosen:
            continue
        fitting = called(free, ours, SCORES)
        if ours == "system" and len(fitting) > 1:
            fitting = _one_system(fitting, what)
        if ours in ("topic", "measure") and len(fitting) > 1:
            fitting = _first_spelled(fitting, ours)
        if ours == "value" and len(fitting) > 1:
            fitting = []  # several measures side by side
        if fitting and ours not in ("value",) and not _may_name(raw[fitting[0]], ours):
            fitting = []
        if fitting:
            chosen[ours] = fitting[0]
            free.remove(fitting[0])
    if "topic" not in chosen and "dataset" in chosen and "dataset" not in columns:
        chosen["topic"] = chosen.pop("dataset")  # as of leaderboards: the items are tasks
    if "value" in chosen and {"system", "topic"} & chosen.keys():
        if "topic" not in chosen:
            raise _no_items(what, names)
        used = {ours: chosen[ours] for ours in NAMES if ours in chosen}
        return Layout(used, (chosen["value"],))
    return _wide(raw, what, chosen, free, of_measures)


def _one_system(names: Sequence[str], what: str) -> list[str]:
    """Which of several columns names the system; an error where that is open."""
    others = [name for name in names if plain(name) != "name"]
    if len(others) == 1:
        return others
    both = " and ".join(f"'{name}'" for name in others[:2])
    raise ParameterError(
        f"{what}: {both} could be the system: say which, columns={{'system': '{others[0]}'}} of "
        f"read_scores, --columns system={others[0]} in a command"
    )


def _first_spelled(names: Sequence[str], ours: str) -> list[str]:
    """The one that stands first among our spellings."""
    known = {plain(name): name for name in names}
    return [known[one] for one in SCORES[ours] if one in known][:1] or list(names[:1])


def _may_name(column: pa.ChunkedArray, ours: str) -> bool:
    """Whether a column may hold names: fractions name neither items nor seeds."""
    if pa.types.is_floating(column.type):
        held = column.drop_null()
        return bool(len(held)) and bool(pc.all(pc.equal(held, pc.floor(held))).as_py())
    return not pa.types.is_nested(column.type)


def _wide(
    raw: pa.Table,
    what: str,
    chosen: Mapping[str, str],
    free: Sequence[str],
    of_measures: OfMeasures,
) -> Layout:
    """Values side by side: columns are systems, measures or items."""
    names = raw.column_names
    chosen = dict(chosen)
    if "value" in chosen:  # a system, measure or item of that name
        own = {*free, chosen.pop("value")}
        free = [name for name in names if name in own]
    across = [name for name in free if name.lower() not in _IGNORED and are_numbers(raw[name])]
    notes: list[str] = []
    if "topic" not in chosen and "system" not in chosen:
        first = next((name for name in free if not are_numbers(raw[name])), None)
        first = first or next((name for name in free if name.startswith("Unnamed")), None)
        if first is None:
            raise _no_items(what, names)
        across = [name for name in across if name != first]
        if len(raw) >= len(across):
            chosen["topic"] = first
            held, other = "items stand in rows and systems in columns", f"system={first}"
        else:
            chosen["system"] = first
            held, other = "systems stand in rows and items in columns", f"topic={first}"
        notes.append(
            f"{what}: {held} ({len(raw):,} rows, {len(across):,} columns); for a transposed "
            f"table name the first column: columns {other}"
        )
    if not across:
        raise _no_values(what, raw, free)
    used = {ours: chosen[ours] for ours in NAMES if ours in chosen}
    if "topic" in chosen and "system" in chosen:
        return Layout(used, tuple(across), "measure", tuple(notes))
    if "system" in chosen:
        return Layout(used, tuple(across), "topic", tuple(notes))
    answers = [name for name in raw.column_names if plain(name) in ANSWERS]
    side_by_side = "measure" if answers or of_measures(across) else "system"
    return Layout(used, tuple(across), side_by_side, tuple(notes))


_MEASURES = ("accuracy", "acc", "acc_norm", "em", "exact_match", "f1", "wer", "cer", "bleu",
             "rouge1", "rouge2", "rougel", "chrf", "precision", "recall", "pass@1",
             "faithfulness", "answer_relevancy", "context_precision", "context_recall",
             "answer_correctness", "answer_similarity")  # fmt: skip
"""What columns are called that are measures, beside those that rankings are scored by."""


def is_measure(name: str, notation: Notation) -> bool:
    """Whether a column's name is that of a measure."""
    return name.strip().lower() in _MEASURES or notation(name) is not None


_LOOKED_AT = 1000
"""Rows by which it is told what a column holds."""


def are_numbers(column: pa.ChunkedArray) -> bool:
    """Whether most of a column are numbers or truths; others are then wrong, and refused."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return True
    if pa.types.is_null(kind):
        return True
    if pa.types.is_dictionary(kind):
        return are_numbers(column.slice(0, _LOOKED_AT).cast(kind.value_type))
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return False
    texts = [one for one in column.slice(0, _LOOKED_AT).to_pylist() if one not in (None, *MISSING)]
    are_words = all(one.strip().lower() in WORDS for one in texts)
    return are_words or 2 * sum(map(may_be_score, texts)) > len(texts)


def _are_percentages(column: pa.ChunkedArray) -> bool:
    """Whether some texts of a column end with the sign."""
    if not pa.types.is_string(column.type):
        return False
    return bool(pc.any(pc.ends_with(pc.utf8_rtrim_whitespace(column), "%")).as_py())


def _no_items(what: str, names: Sequence[str]) -> ParameterError:
    listed = ", ".join(names)
    return ParameterError(
        f"{what}: no column names the items (its columns: {listed}): name it, "
        f"columns={{'topic': …}} of read_scores, --columns topic=… in a command"
    )


def _no_values(what: str, raw: pa.Table, free: Sequence[str]) -> ParameterError:
    held = [name for name in free if name.lower() not in _IGNORED]
    first = [(name, next(filter(None, raw[name].cast(pa.string()).to_pylist()), None))
             for name in held if not pa.types.is_nested(raw[name].type)]  # fmt: skip
    examples = first_few([f"{name} = {quoted(text)}" for name, text in first if text], 3)
    listed = examples or ", ".join(raw.column_names)
    return ParameterError(
        f"{what}: no column holds scores, which are numbers, true or false ({listed}): name it, "
        f"columns={{'value': …}} of read_scores, --columns value=… in a command"
    )

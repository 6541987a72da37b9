"""The verdict on lines that are compared with margins, over several collections.

The rule is that of `regrade.replacement.margins`, of the means over collections: each line is *yes*
if its 95 % interval lies within the margin, and *no* if its simultaneous interval lies beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import listed
from regrade.pooled_effects.effects import Effects
from regrade.replacement.answer import margin_text
from regrade.replacement.line_samples import LINE_NAMES
from regrade.replacement.margins import NO, UNKNOWN, YES, verdict_of
from regrade.wording import counted, to_be

LIGHTS = {YES: FINE, NO: PROBLEM, UNKNOWN: LOOK}


def with_line_names(table: pd.DataFrame) -> pd.DataFrame:
    """The table with names for readers in the column ``subject``."""
    if "subject" not in table:
        return table
    return table.assign(subject=table["subject"].astype(str).replace(LINE_NAMES))


def margin_verdict(overall: pd.DataFrame, collections: Sequence[str]) -> tuple[str, str, str]:
    """The verdict, the sentence that says it, and the key number."""
    if len(collections) == 1:
        sentence = f"There is one collection, {collections[0]}, so nothing is pooled or compared."
        return UNKNOWN, sentence, ""
    verdicts = overall["verdict"].dropna().astype(str)
    over = f"over {counted(len(collections), 'collection')}"
    if verdicts.empty:
        lines = "no line with a margin is in all collections"
        return UNKNOWN, f"Whether the judge can replace people {over} is not known: {lines}.", ""
    word, every = verdict_of(verdicts), counted(len(verdicts), "line")
    within = int((verdicts == YES).sum())
    key = f"{within:,} of {every} within the margin {over}"
    if word == YES:
        are = f"all {every} are" if within > 1 else "the one line is"
        sentence = f"The judge can replace people {over}: {are} within the margin (95% CIs)."
        return word, sentence, key
    if word == NO:
        beyond = overall.loc[overall["verdict"].astype(str) == NO, "subject"].astype(str)
        names = listed([LINE_NAMES[one] for one in beyond])
        sentence = (
            f"The judge cannot replace people {over}: {len(beyond):,} of {every} "
            f"({names}) {to_be(len(beyond))} beyond the margin (simultaneous 95% CIs)."
        )
        return word, sentence, key
    sentence = (
        f"Whether the judge can replace people {over} is not known: {within:,} of {every} "
        f"{to_be(within)} within the margin, and none is beyond."
    )
    return word, sentence, key


def margin_rows(own: Mapping[str, pd.DataFrame], effects: Effects) -> AnswerTable:
    """A row for each line: over the collections, its margin, in each, and how much it differs."""
    overall, names = own["overall"], effects.collections
    each = own["effects"].set_index(["subject", "in_collection"])
    columns = [AnswerColumn("line")]
    if len(names) > 1:
        columns += [
            AnswerColumn("mean", "estimate"), AnswerColumn("margin"), AnswerColumn("within margin"),
        ]  # fmt: skip
    columns += [AnswerColumn(name, "estimate") for name in names]
    if len(names) > 1:
        columns += [AnswerColumn("I²", "share", 2), AnswerColumn("p (Welch, Holm)", "p")]
    rows = []
    for line in overall.itertuples():
        row = [line.subject]
        if len(names) > 1:
            word = "" if pd.isna(line.verdict) else line.verdict
            row += [(line.mean, line.low, line.high), margin_text(line), word]
        for name in names:
            of = each.loc[(line.subject, name)] if (line.subject, name) in each.index else None
            row.append((None, None, None) if of is None else (of["value"], of["low"], of["high"]))
        if len(names) > 1:
            row += [line.i_squared, line.p_adjusted]
        rows.append(row)
    title = f"{counted(len(overall), 'line')} · {listed(names)}"
    measure = effects.measures[0]
    return AnswerTable.of(f"{measure} · {title}" if measure else title, columns, rows)


def margin_method(method: str) -> str:
    """How a verdict is reached."""
    return (
        f"{method} A line is yes if the 95% confidence interval of its mean over collections lies "
        "within the margin, and no if the interval that is simultaneous for all lines "
        "(Bonferroni) lies beyond it. The verdict is yes if all lines are, and no if any is."
    )


def margin_notes(effects: Effects) -> Iterator[str]:
    """What lines do not include, and where they are beside different things."""
    beside: dict[str, list[str]] = {}
    for of in effects.of.values():
        kinds = {name: one.beside for name, one in of.items()}
        if len({*kinds.values()}) > 1:
            for name, kind in kinds.items():
                if name not in beside.setdefault(kind, []):
                    beside[kind].append(name)
    if beside:
        parts = [f"{kind} in {listed(names)}" for kind, names in beside.items()]
        yield f"Rankings and pairs are beside {' and '.join(parts)}: collections differ in this."
    yield "Favour is not among the lines: the family that decides may differ by collection."

"""Do pairwise preferences give a consistent ranking, and how many more are needed?

The light is fine where all Bradley–Terry estimates are finite, a problem where comparisons are not
connected, or as many of at least `FEWEST_TRIPLES` triples are intransitive as at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import by_quantity, listed, percent
from regrade.preferences.pair_numbers import MAJORITY, TRIPLES
from regrade.preferences.stage import Pairs
from regrade.wording import counted, to_be

TABLES = tuple(f"preferences/{name}" for name in ("numbers", "graphs", "circles"))

FEWEST_TRIPLES = 20
"""Of fewer triples the share that is intransitive is a matter of luck."""

MOST_ROWS = 200
"""Of the answer's table."""


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """Whether pairs give a ranking, how consistent they are, and what is missing."""
    numbers = tables["numbers"]
    values = by_quantity(numbers)
    return Answer.of(
        Pairs.question,
        [verdict(values), intransitivity(values), contradictions(values), unbounded(values)],
        key=key(values),
        light=light(values),
        rows=topics_table(tables["graphs"], tables["circles"]),
        method=method(values),
        notes=sides(numbers),
        tables=TABLES,
    )


def verdict(values: Mapping[str, float]) -> str:
    """Whether comparisons are connected, whether estimates are finite, and what is missing."""
    topics, joined, finite = values["topics"], values["topics joined"], values["topics finite"]
    estimates = "Bradley–Terry estimates are"
    if joined < topics:
        pairs = counted(values["pairs missing"], "more pair")
        are = f"at least {pairs} {to_be(values['pairs missing'])} needed"
        if topics == 1:
            return f"The comparison graph is not connected; {are}."
        return f"{joined:,.0f} of {topics:,.0f} comparison graphs {to_be(joined)} connected; {are}."
    every = {1: "The comparison graph is", 2: "Both comparison graphs are"}
    graphs = every.get(topics, f"All {topics:,.0f} comparison graphs are")
    if finite == topics:
        return f"{graphs} connected and {estimates} finite."
    missing = values["answers missing"]
    more = f"at least {counted(missing, 'more answer')} {to_be(missing)} needed"
    which = "not finite" if topics == 1 or not finite else f"finite for {finite:,.0f}"
    return f"{graphs} connected, but {estimates} {which}; {more}."


def groups_of(values: Mapping[str, float]) -> list[str]:
    """Whose preferences have triples, those of the majority last."""
    groups = [name.removeprefix(TRIPLES) for name in values if name.startswith(TRIPLES)]
    return [by for by in sorted(groups, key=lambda by: by == MAJORITY) if values[TRIPLES + by]]


def key(values: Mapping[str, float]) -> str:
    """The share of intransitive triples, or of topics with finite estimates."""
    if values.get(TRIPLES + MAJORITY, 0) >= FEWEST_TRIPLES:
        share = percent(values[f"share of cycles, {MAJORITY}"], 1)
        return f"{share} of triples are intransitive"
    if values["topics"] == 1:
        return "finite estimates" if values["topics finite"] else "no finite estimates"
    topics = counted(values["topics"], "topic")
    return f"finite estimates for {values['topics finite']:,.0f} of {topics}"


def light(values: Mapping[str, float]) -> str:
    """Whether estimates exist, and preferences are better than random."""
    chance = values["share by chance"]
    known = (by for by in groups_of(values) if values[TRIPLES + by] >= FEWEST_TRIPLES)
    shares = [values[f"share of cycles, {by}"] for by in known]
    if values["topics joined"] < values["topics"] or any(share >= chance for share in shares):
        return PROBLEM
    return FINE if values["topics finite"] == values["topics"] else LOOK


def topics_table(graphs: pd.DataFrame, circles: pd.DataFrame) -> AnswerTable | None:
    """A row for each topic, those that need most answers first, then the least consistent."""
    majority = circles[circles["by"].astype(str) == MAJORITY].astype({"topic": str})
    rows = graphs.astype({"topic": str}).merge(majority, on="topic", how="left")
    rows = rows.sort_values(["answers_missing", "share"], ascending=False, kind="stable")
    columns = [
        AnswerColumn("topic"), AnswerColumn("documents", "count"), AnswerColumn("pairs", "count"),
        AnswerColumn("answers", "count"), AnswerColumn("connected", "mark"),
        AnswerColumn("finite", "mark"), AnswerColumn("answers missing", "count"),
        AnswerColumn("triples", "count"), AnswerColumn("intransitive", "share"),
    ]  # fmt: skip
    cells = (
        (row.topic, row.documents, row.pairs, row.preferences, row.components == 1,
         bool(row.finite), row.answers_missing, row.triples, row.share)
        for row in rows.head(MOST_ROWS).itertuples()
    )  # fmt: skip
    n = f"{counted(len(graphs), 'topic')} · {counted(graphs['documents'].sum(), 'document')}"
    return AnswerTable.of(n, columns, cells)


def intransitivity(values: Mapping[str, float]) -> str:
    """How many triples are intransitive, within each worker and by majority."""
    groups = groups_of(values)
    if not groups:
        return "No triple of documents has preferences for all of its pairs."
    if all(values[TRIPLES + by] == 1 for by in groups):
        is_one = "intransitive" if values[f"cycles, {groups[0]}"] else "transitive"
        return f"The only triple with preferences for all of its pairs is {is_one}."
    parts = [
        f"{percent(values[f'share of cycles, {by}'], 1)} "
        f"({values[f'cycles, {by}']:,.0f} of {values[TRIPLES + by]:,.0f}) "
        + ("by majority" if by == MAJORITY else f"within each {by}")
        for by in groups
        if values[TRIPLES + by] > 1
    ]
    chance = f"{values['share by chance']:.0%} expected under random preference"
    return f"Intransitive triples: {listed(parts)}; {chance}."


def contradictions(values: Mapping[str, float]) -> str:
    """How many answers contradict the majority for their own pair."""
    if not values["repeated"]:
        return ""
    groups = [name.removeprefix(TRIPLES) for name in values if name.startswith(TRIPLES)]
    within = "".join(f" from one {by}" for by in groups if by != MAJORITY)
    share = percent(values["share contradictory"], 1)
    return (
        f"{share} of answers contradict the majority for their pair "
        f"({counted(values['repeated'], 'pair')} with several answers{within})."
    )


def unbounded(values: Mapping[str, float]) -> str:
    """How many documents always lose, so that their strength has no bound."""
    never = values["never winning"]
    if values["topics finite"] == values["topics"] or not never:
        return ""
    lack = "never wins, so its strength is" if never == 1 else "never win, so their strengths are"
    return f"{counted(never, 'document')} {lack} unbounded below without further answers."


def method(values: Mapping[str, float]) -> str:
    """What was computed, with n and definitions."""
    return (
        f"{counted(values['preferences'], 'preference')} for {counted(values['pairs'], 'pair')} of "
        f"{counted(values['documents'], 'document')} ({counted(values['topics'], 'topic')}) were "
        "analysed. Ties count as no preference, and pairs with balanced answers have no majority. "
        "A triple is intransitive if the preferences for its three pairs form a cycle. "
        "Bradley–Terry estimates are finite where wins connect each document to every other."
    )


def sides(numbers: pd.DataFrame) -> Iterator[str]:
    """That the side decides too."""
    left = numbers[numbers["quantity"] == "share left"]
    left = left[left["low"].notna()]  # not of few answers
    if len(left) and not left["low"].iloc[0] <= 0.5 <= left["high"].iloc[0]:
        row = left.iloc[0]
        yield (
            f"There is a position bias: the left document is preferred in {row['value']:.1%} of "
            f"answers with sides (95% CI {row['low']:.1%}–{row['high']:.1%})."
        )

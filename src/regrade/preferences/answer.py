"""What order do pairs give, is it consistent, and how many more are needed?"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import by_quantity, listed, percent
from regrade.preferences.pair_numbers import MAJORITY, TRIPLES
from regrade.preferences.stage import Pairs
from regrade.wording import counted, to_be

TABLES = ("preferences/numbers",)


def answer(numbers: pd.DataFrame) -> Answer:
    """Whether pairs give an order, how often they contradict it, and what is missing."""
    found = by_quantity(numbers)
    left = numbers[numbers["quantity"] == "share left"]
    warnings = []
    if len(left) and not left["low"].iloc[0] <= 0.5 <= left["high"].iloc[0]:
        warnings = [
            f"The left document is preferred in {left['value'].iloc[0]:.1%} of the answers with "
            "sides: the side decides too."
        ]
    return Answer.of(
        Pairs.question,
        [order_said(found), circles_said(found), contradictions_said(found), finite_said(found)],
        method=f"{counted(found['preferences'], 'answer')} about {counted(found['pairs'], 'pair')} of "
        f"{counted(found['documents'], 'document')} of {counted(found['topics'], 'topic')}; "
        "a tie is no preference, and pairs whose answers balance have no majority.",
        notes=warnings,
        tables=TABLES,
    )


def order_said(found: Mapping[str, float]) -> str:
    """Whether the pairs join all documents, whether strengths are finite, and what is missing."""
    topics, joined, finite = found["topics"], found["topics joined"], found["topics finite"]
    if joined < topics:
        more = counted(found["pairs missing"], "more pair")
        if topics == 1:
            return f"The pairs do not join all documents of the topic; {more} at least would."
        return (
            f"The pairs join all documents in {joined:,.0f} of {counted(topics, 'topic')}; {more} "
            f"at least would join {'the others' if joined else 'them'}."
        )
    of_topics = "the topic" if topics == 1 else f"each of {counted(topics, 'topic')}"
    said = f"The pairs join all documents of {of_topics}"
    if finite == topics:
        return f"{said}, and all strengths are finite."
    missing = found["answers missing"]
    more = f"at least {counted(missing, 'more answer')} {to_be(missing)} needed"
    if topics == 1:
        return f"{said}, but not all strengths are finite: {more}."
    if not finite:
        return f"{said}, but strengths are finite in none: {more}."
    return f"{said}, but strengths are finite in {finite:,.0f} only: {more}."


def circles_said(found: Mapping[str, float]) -> str:
    """How many triples are circular, within each worker and by majority."""
    groups = [name.removeprefix(TRIPLES) for name in found if name.startswith(TRIPLES)]
    known = [by for by in sorted(groups, key=lambda by: by == MAJORITY) if found[TRIPLES + by]]
    if not known:
        return "No three documents have a preference for each of their three pairs."
    if all(found[TRIPLES + by] == 1 for by in known):
        is_one = "is" if found[f"cycles, {known[0]}"] else "is not"
        return f"One triple of documents has preferences for all its pairs: it {is_one} circular."
    known = [by for by in known if found[TRIPLES + by] > 1]
    parts = [
        f"{found[f'cycles, {by}']:,.0f} of {counted(found[TRIPLES + by], 'triple')} "
        f"({percent(found[f'share of cycles, {by}'], 1)}) "
        + ("by the majority of all answers" if by == MAJORITY else f"within each {by}")
        for by in known
    ]
    return (
        f"Circular triads: {listed(parts)}; random preferences would make "
        f"{found['share by chance']:.0%}."
    )


def contradictions_said(found: Mapping[str, float]) -> str:
    """How many answers the majority about their own pair contradicts."""
    if not found["repeated"]:
        return ""
    groups = [name.removeprefix(TRIPLES) for name in found if name.startswith(TRIPLES)]
    within = "".join(f" from one {by}" for by in groups if by != MAJORITY)
    return (
        f"{counted(found['repeated'], 'pair')} have several answers{within}; "
        f"{percent(found['share contradictory'], 1)} of all answers contradict the majority of "
        "these answers."
    )


def finite_said(found: Mapping[str, float]) -> str:
    """How many topics have documents that always lose, or never."""
    open_topics = found["topics"] - found["topics finite"]
    if not open_topics:
        return ""  # the verdict has said it
    never = found["never winning"]
    said = f"Strengths are finite in {counted(found['topics finite'], 'topic')}"
    if not never:
        return f"{said}; in the others some documents are beaten by none of the rest."
    win, they = ("wins", "it is") if never == 1 else ("win", "they are")
    return (
        f"{said}; {counted(never, 'document')} never {win}, and how far {they} below the others "
        "only more answers could tell."
    )

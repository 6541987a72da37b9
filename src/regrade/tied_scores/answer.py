"""Does it matter how ties are broken?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.answers.orders import first_said, numbers_of, widest_said
from regrade.answers.shape import Answer
from regrade.answers.words import of_measure, percent, unless_certain
from regrade.kendall import TOLERANCE
from regrade.ranking.possible_ranks import moves
from regrade.tied_scores.effects import ENDS
from regrade.tied_scores.stage import Ties
from regrade.wording import counted

TABLES = ("ties/rates", "ties/ranks", "ties/numbers")


def answer(
    rates: pd.DataFrame, ranks: pd.DataFrame, numbers: pd.DataFrame, unjudged: str
) -> Answer:
    """The first measure has a verdict and facts, each further one a verdict of its own."""
    tied = rates[rates["affected"] == "tied scores"].set_index("quantity")
    measures = list(dict.fromkeys(ranks["measure"].astype(str)))
    said = [verdict_said(measure, ranks, numbers, tied) for measure in measures]
    of = of_measure(ranks, measures[0])
    facts = [rates_said(tied)]
    if len(of) > 1 and tied.loc["documents", "count"]:
        facts += [
            first_said(of, "however ties are broken"),
            widest_said(of, measures[0], *ENDS),
            trec_eval_said(numbers_of(numbers, measures[0])["otherwise in trec_eval"]),
        ]
    warnings = []
    if unjudged == "relevant":
        warnings = ["The ranges take unjudged documents among the tied for relevant."]
    return Answer.of(
        Ties.question,
        [said[0], *facts, *said[1:]],
        method="The least and the highest mean score of each system over all orders of documents of "
        "one score, exact; systems break ties independently of each other.",
        notes=warnings,
        tables=TABLES,
    )


def verdict_said(
    measure: str, ranks: pd.DataFrame, numbers: pd.DataFrame, tied: pd.DataFrame
) -> str:
    """Whether the order of the systems depends on how ties are broken."""
    found = numbers_of(numbers, measure)
    if found["systems"] == 1:
        of = of_measure(ranks, measure).iloc[0]
        ends = f"{measure} lies between {of['pessimistic']:.3f} and {of['optimistic']:.3f}"
        return f"There is only one system, {of['system']}: its {ends}, and ties change no ranking."
    if not tied.loc["documents", "count"]:
        return "No: no run gives two documents of a topic one score."
    if not found["open pairs"]:
        systems = counted(found["systems"], "system")
        said = f"No: however ties are broken, the {systems} stand in the same order by {measure}"
        if not found["widest range"] > TOLERANCE:
            return f"{said}, and no mean changes."
        return f"{said}, and no mean changes by more than {_written(found['widest range'])}."
    if found["pairs"] == 1:
        return f"Yes: by {measure} the two systems may reverse with the order of ties."
    of = of_measure(ranks, measure)
    farthest = of.iloc[int(moves(of).argmax())]
    places = unless_certain(
        f"; no rank changes by more than {counted(found['farthest'], 'place')} "
        f"({farthest['system']}, {farthest['rank']}, may be {farthest['rank_low']} to "
        f"{farthest['rank_high']})",
        found["farthest"],
        found["systems"] - 1,
    )
    return (
        f"Yes: by {measure} {found['open pairs']:,.0f} of {found['pairs']:,.0f} pairs of systems "
        f"may reverse with the order of ties{places}."
    )


def _written(width: float) -> str:
    """Three decimals; of less than these show one digit."""
    if width >= 0.0005:
        return f"{width:.3f}"
    return np.format_float_positional(width, 1, unique=False, fractional=False)


def rates_said(tied: pd.DataFrame) -> str:
    """How many documents and systems have ties."""
    if not tied.loc["documents", "count"]:
        return ""
    shares = tied["value"] / 100
    return (
        f"{percent(shares['documents'], 1)} of the documents have the score of the one above, "
        f"in {percent(shares['systems'], 1)} of the systems."
    )


def trec_eval_said(otherwise: float) -> str:
    """How many systems have another rank as trec_eval breaks ties."""
    if not otherwise:
        return "As trec_eval breaks ties, all systems have the rank that their runs' order gives."
    have = "has" if otherwise == 1 else "have"
    return (
        f"As trec_eval breaks ties, {counted(otherwise, 'system')} {have} another rank than in the "
        "order of their runs."
    )

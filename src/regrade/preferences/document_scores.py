"""Scores of documents from all that was asked of pairs: preference, relevance, ratio."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.choices import PAIR_METHODS, PREFERENCE_SCORES, SCORE_RESCALES
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.preferences.fits import PROBABILITIES
from regrade.preferences.scores import (
    CodedAnswers,
    absolute_scores,
    combine_scores,
    comparable,
    ratio_scores,
    score_documents,
)
from regrade.scales import Scale

_NEEDED = {
    "absolute": ("left_relevant", "right_relevant"),
    "ratio": ("left_score", "right_score"),
}
"""The columns without which a method has nothing to go by."""


def served_methods(answers: pa.Table | CodedAnswers) -> list[str]:
    """The methods of `regrade.choices.PAIR_METHODS` that these answers can serve."""
    if not len(answers):
        return []
    coded = CodedAnswers.of(answers)
    return [name for name in PAIR_METHODS if _is_served(coded, name)]


def score_answers(
    answers: pa.Table | CodedAnswers,
    methods: Sequence[str] | None = None,
    combined: Sequence[Sequence[str]] = (),
    *,
    bias: float = 0.0,
    intervals: bool = True,
) -> pd.DataFrame:
    """Scores of documents by several methods."""
    methods = served_methods(answers) if methods is None else list(methods)
    if not methods:
        raise MethodError("there is no answer to score documents from")
    answers = CodedAnswers.of(answers)
    for name in methods:
        check_choice("method", name, PAIR_METHODS)
        if not _is_served(answers, name):
            raise MethodError(
                f"no answer has {' and '.join(_NEEDED.get(name, ('strength',)))}: leave {name} out"
            )
    compared = [name for name in methods if name in PREFERENCE_SCORES]
    parts = []
    if compared:
        parts.append(score_documents(answers, compared, bias=bias, intervals=intervals))
    if "absolute" in methods:
        parts.append(absolute_scores(answers))
    if "ratio" in methods:
        parts.append(ratio_scores(answers.select(answers.say(_NEEDED["ratio"]))))
    scores = pd.concat(parts, ignore_index=True)
    for names in combined:
        for name in names:
            if name not in methods:
                raise ParameterError(f"{name} is combined with others: name it as a method too")
        parts.append(combine_scores(scores, names))
    scores = pd.concat([part.astype({"note": object}) for part in parts], ignore_index=True)
    order = [*methods, *(" + ".join(names) for names in combined)]
    place = scores["method"].map({name: place for place, name in enumerate(order)})
    return scores.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)


def scores_as_labels(
    scores: pd.DataFrame, method: str, rescale: str = "none", scale: Scale | None = None
) -> pd.DataFrame:
    """Scores of documents as labels on a real scale."""
    check_choice("method", method, list(scores["method"].astype(str).unique()))
    check_choice("rescale", rescale, SCORE_RESCALES)
    table = scores[(scores["method"] == method) & scores["value"].notna()]
    if table.empty:
        raise MethodError(f"no document has a value by {method}")
    table = comparable(table)
    if table.empty:
        raise MethodError(
            f"no topic has more documents whose values by {method} can be compared than others: "
            "ask about pairs that join them, or take frequency, borda or copeland"
        )
    table = table[["topic", "docno", "value"]].astype({"topic": str, "docno": str})
    if rescale == "topic":
        grouped = table.groupby("topic")["value"]
        low, high = grouped.transform("min"), grouped.transform("max")
        share = (table["value"] - low) / (high - low).where(high > low)
        table["value"] = share.fillna(0.5)
    elif rescale == "probability":
        if method not in PROBABILITIES:
            raise ParameterError(
                f"{method} gives no probabilities: take {' or '.join(PROBABILITIES)}, or another "
                "`rescale`"
            )
        table["value"] = PROBABILITIES[method](table["value"].to_numpy())
    off = table[~scale.contains(table["value"].to_numpy())] if scale else table.iloc[:0]
    if len(off):
        first = off.iloc[0]
        raise ParameterError(
            f"topic {first['topic']}, document {first['docno']}: {method} {first['value']:g} "
            f"{scale.off}: give a wider range, or a `rescale`"
        )
    table = table.rename(columns={"value": "grade"}).sort_values(["topic", "docno"])
    return table.reset_index(drop=True)


def _is_served(answers: CodedAnswers, method: str) -> bool:
    return bool(answers.say(_NEEDED.get(method, ("strength",))).any())

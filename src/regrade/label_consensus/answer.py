"""What does a consensus rest on?

The light is fine unless a model did not converge, a judge without weight decides, or the rule alone
left more than a tenth of the documents tied.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from regrade.answers.shape import FINE, LOOK, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import percent
from regrade.label_consensus.rules import Consensus
from regrade.wording import counted, to_be

MANY_TIED = 0.1

RULES = {
    "majority": "the most frequent label",
    "median": "the median label",
    "median_low": "the lower median label",
    "median_high": "the upper median label",
    "mean": "the mean of the labels",
    "dawid-skene": "the most probable label under a model with a confusion matrix for each judge "
    "(Dawid–Skene)",
    "weighted": "the label with the highest sum of weights",
}

DECIDED = {
    "majority": "the lowest of the most frequent labels was taken",
    "median": "the mean of the two middle labels was taken",
    "median_low": "the lower of the two middle labels was taken",
    "median_high": "the higher of the two middle labels was taken",
    "dawid-skene": "the lowest of the equally probable labels was taken",
    "weighted": "the lowest of the labels of equal weight was taken",
}
"""How each rule decides where it alone leaves several labels."""


def answer_of(
    result: Consensus, by: str, judges: pd.DataFrame, topics: int, reference: str = ""
) -> Answer:
    """The answer, from a consensus and its table of judges."""
    documents = int((result.judges > 0).sum())
    tied = int(result.tied.sum())
    return Answer.of(
        "What does the consensus of the judges rest on?",
        [_verdict(by, len(judges), documents, tied), *_facts(result, by, documents, len(judges))],
        key=f"{percent(tied / documents, 1)} of documents tied",
        light=_light(result, tied / documents),
        rows=_rows(judges, by, documents, topics),
        method=_method(result, by, len(judges), reference),
        notes=_notes(result, judges),
    )


def _verdict(by: str, judges: int, documents: int, tied: int) -> str:
    labelled = (
        f"{counted(documents, 'document')} have a consensus label of "
        f"{counted(judges, 'judge')} ({by})"
    )
    if not tied:
        return f"{labelled}."
    return f"{labelled}, of which {tied:,} ({percent(tied / documents, 1)}) {to_be(tied)} tied."


def _facts(result: Consensus, by: str, documents: int, judges: int) -> Iterator[str]:
    """How ties are decided, which documents only some judged, and which no judge has a weight."""
    if result.tied.any():
        yield f"For tied documents {DECIDED[by]}."
    partly = int(((result.judges > 0) & (result.judges < judges)).sum())
    if partly:
        least = int(result.judges[result.judges > 0].min())
        have = "has" if partly == 1 else "have"
        yield (
            f"{partly:,} of {counted(documents, 'document')} {have} labels of only some of the "
            f"judges (fewest: {least})."
        )
    if result.unweighted:
        yield (
            f"For {counted(result.unweighted, 'document')} no judge has a weight above 0, so that "
            "the majority was taken."
        )


def _light(result: Consensus, tied: float) -> str:
    failed = result.model is not None and not result.model.converged
    return LOOK if failed or result.unweighted or tied > MANY_TIED else FINE


def _rows(judges: pd.DataFrame, by: str, documents: int, topics: int) -> AnswerTable:
    columns = [
        AnswerColumn("judge"), AnswerColumn("documents", "count"),
        AnswerColumn("agreement with the consensus", "share"),
    ]  # fmt: skip
    names = ["judge", "documents", "agreement"]
    if by == "mean":
        names[-1], columns[-1] = "difference", AnswerColumn("mean absolute difference", "number")
    judges = judges.sort_values(names[-1], ascending=by == "mean", kind="stable")
    for name, kind in (("accuracy", "share"), ("vote_weight", "number")):
        if judges[name].notna().any():
            columns.append(AnswerColumn(name.replace("_", " "), kind))
            names.append(name)
    title = f"{counted(topics, 'topic')} · {counted(documents, 'document')}"
    return AnswerTable.of(title, columns, judges[names].itertuples(index=False, name=None))


def _method(result: Consensus, by: str, judges: int, reference: str) -> str:
    sentence = f"Labels of {counted(judges, 'judge')} were combined by {RULES[by]}."
    if by == "dawid-skene":
        return f"{sentence} {_fit(result)} Labels are classes without an order."
    if by != "weighted":
        return sentence
    weight = (
        "The weight of a judge is log((K − 1) p / (1 − p)) for accuracy p and K labels, and 0 for "
        "an accuracy no better than chance."
    )
    if reference:
        source = (
            f"Accuracy is agreement with {reference} on all other topics (one label per class "
            "added), so that no label depends on the reference in its own topic; the table has "
            "that on all topics."
        )
    else:
        source = f"Accuracy is that of a one-coin model, fitted without a reference. {_fit(result)}"
    return f"{sentence} {weight} {source}"


def _fit(result: Consensus) -> str:
    count = counted(result.model.iterations, "iteration")
    state = "converged" if result.model.converged else "stopped unconverged"
    return f"Expectation maximisation from vote shares {state} after {count}."


def _notes(result: Consensus, judges: pd.DataFrame) -> Iterator[str]:
    if len(judges) == 1:
        yield f"There is one judge, {judges['judge'][0]}: the consensus is its labels."
    if result.model is not None and not result.model.converged:
        yield (
            f"The model did not converge in {counted(result.model.iterations, 'iteration')}: its "
            "labels may change with more."
        )
    if without := int((judges["vote_weight"] == 0).sum()):
        yield (
            f"{counted(without, 'judge')} {'has' if without == 1 else 'have'} weight 0, "
            "with an accuracy no better than chance."
        )

"""One label per document from several judges."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import listed
from regrade.api.results import Summarised, Text
from regrade.api.sets import Judgments, Labels, are_sets, name_for, named_sets, read_set
from regrade.argument_checks import one_of
from regrade.choices import CONSENSUS_RESCALES, CONSENSUS_RULES
from regrade.errors import ParameterError
from regrade.label_consensus.rescaling import check_rescaled
from regrade.label_consensus.sets import SetConsensus, on_unit_range
from regrade.scales import Scale
from regrade.stages.library import checks_types


@dataclass(frozen=True, eq=False, repr=False)
class JudgeConsensus(Summarised):
    """The consensus of several judges; every function takes it in place of labels.

    Attributes
    ----------
    labels
        One label per document.
    documents
        A row per document: ``topic``, ``docno``, ``grade``, ``judges`` (number of judges) and
        ``tied`` (whether the rule alone left several labels).
    judges
        A row per judge: ``judge``, ``documents``, ``agreement`` (share of its labels equal to the
        consensus), ``difference`` (mean absolute difference from it), ``accuracy`` (of a model, or
        on the reference) and ``vote_weight``; NaN where the rule has none.
    confusion
        For ``dawid-skene``, the ``probability`` that a ``judge`` gives a ``value`` to a document of
        a ``level``.
    answer
        What the consensus rests on.
    """

    labels: Labels
    documents: pd.DataFrame
    judges: pd.DataFrame
    confusion: pd.DataFrame
    answer: Answer

    def to_labels(self) -> Labels:
        """The labels, as every function reads them."""
        return self.labels

    def to_frame(self) -> pd.DataFrame:
        """The documents, a row each."""
        return self.documents

    def to_qrels(self, path: str | os.PathLike) -> None:
        """Write the labels, as `Labels.to_qrels` does."""
        self.labels.to_qrels(path)

    def summary(self) -> Text:
        """The answer as text."""
        return Text(self.answer)

    def methods_sentence(self) -> Text:
        """Sentences for the method section of a paper."""
        return Text(self.answer.methods_sentence())


@checks_types(by=one_of(CONSENSUS_RULES), rescale=one_of(CONSENSUS_RESCALES))
def consensus(
    sets: Mapping[str, object] | object,
    by: str = "majority",
    *,
    reference: object = None,
    scale: object = None,
    rescale: str = "none",
    name: str | None = None,
) -> JudgeConsensus:
    """One label per document from several judges.

    Parameters
    ----------
    sets
        The judges: labels by name or in a list, each whatever `regrade.read_qrels` takes; or
        judgments, whose workers are judges.
    by
        The rule: ``majority`` (of equally frequent labels the lowest), ``median`` (of an even
        number the mean of the two middle labels), ``median_low``, ``median_high``, ``mean``,
        ``dawid-skene`` (the most probable label under a confusion matrix per judge, without a
        reference), or ``weighted`` (votes weighted by log((K − 1) p / (1 − p)), p the accuracy).
    reference
        Labels for ``weighted``, whatever `regrade.read_qrels` takes: p is agreement with them on
        all topics but the document's own. ``None``: p is that of a one-coin model.
    scale
        The scale of all sets, as for `regrade.read_qrels`; needed where a judge does not use the
        highest labels.
    rescale
        ``range``: map each judge's scale onto 0 to 1 first, for judges on different scales; with
        ``mean`` and medians only.
    name
        Name of the labels; by default the rule.

    Returns
    -------
    JudgeConsensus

    Raises
    ------
    RegradeError
        If something cannot be read, the judges are on different scales, or the rule cannot be used
        (`regrade.label_consensus.rules.consensus`).

    Examples
    --------
    >>> a = {"1": {"d1": 1, "d2": 0, "d3": 1}}
    >>> b = {"1": {"d1": 1, "d2": 1, "d3": 0}}
    >>> c = {"1": {"d1": 0, "d2": 0, "d3": 1}}
    >>> one = consensus({"a": a, "b": b, "c": c})
    >>> one.documents["grade"].tolist()
    [1.0, 0.0, 1.0]
    >>> one.judges["agreement"].round(2).tolist()
    [1.0, 0.33, 0.67]
    """

    def read_on(source: object, kind: str = "", *, name: str | None = None, **_: object):
        return read_set(source, kind, scale=scale, name=name).on_levels()

    if are_sets(sets):
        read = named_sets(sets, read_on)
    else:
        one = read_on(sets, name=name_for(sets, "judge"))
        read = {one.name: one}
    beside = None
    if reference is not None:
        beside = read_on(reference, "qrels", name=name_for(reference, "reference"))
    every = [*read.values(), *([] if beside is None else [beside])]
    if rescale == "range":
        check_rescaled(by, *(one.likely_scale for one in read.values()))
        read = {name: _on_unit_range(one) for name, one in read.items()}
    common = _common_scale([*read.values(), *every[len(read) :]])
    tables = {name: one.table for name, one in read.items()}
    made = SetConsensus.of(tables, by, None if beside is None else (beside.name, beside.table))
    labels = Labels(made.labels(tables), name or by, made.scale(common))
    notes = [note for one in every for note in one.notes]
    return JudgeConsensus(labels, **made.frames(), answer=made.answer.with_notes(notes))


def _on_unit_range(one: Labels | Judgments) -> Labels | Judgments:
    """A set whose scale is mapped onto 0 to 1."""
    unit = Scale.of({"range": [0.0, 1.0]})
    table = on_unit_range(one.table, one.likely_scale)
    return replace(one, table=table, stated_scale=unit, apart=None)


def _common_scale(sets: Sequence[Labels | Judgments]) -> Scale:
    """The scale that all judges are on; an error where they seem to be on several."""
    by_scale: dict[str, list[str]] = {}
    for one in sets:
        by_scale.setdefault(str(one.likely_scale), []).append(one.name)
    if len(by_scale) > 1:
        each = "; ".join(f"{scale}: {listed(names)}" for scale, names in by_scale.items())
        raise ParameterError(
            f"judges are on different scales ({each}), where a label means different things: cut "
            "them to the same levels first (regrade cut), state the scale if it is one (scale, "
            "--scale), or rescale them for a mean or median (rescale, --rescale)"
        )
    return sets[0].likely_scale

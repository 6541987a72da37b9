"""Two judgment sets of the same documents, or two sets of scores by item, compared."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from regrade.answers.changed import movers
from regrade.api.designs import (
    are_scores,
    check_of_labels,
    chosen_measures,
    named_scores,
    refuse_labels,
)
from regrade.api.results import Result
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import (
    Judgments,
    Labels,
    as_input,
    groups_of,
    measures_for,
    name_for,
    read_runs,
    read_set,
)
from regrade.argument_checks import one_of
from regrade.blocks import blocks_of
from regrade.choices import COMPARED, FINDINGS, LEAVING
from regrade.cutsearch.recommended_numbers import CHANGED
from regrade.errors import ParameterError, check_choice
from regrade.evaluations import stage
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger("regrade.api")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Differences between evaluations with two label sets.

    Attributes
    ----------
    first, second
        Names of the sets.
    tables
        By name, as the stage ``compare`` of the workflow has them: ``facts``, ``agreement``,
        ``labels``, ``confusion``, ``answer``; with runs ``rankings``, ``systems``, ``top``,
        ``pairs``, ``pair_counts``, ``topics``, ``groups``, ``reliability``.  Each is an attribute
        as well, the answer as one object.
    """

    first: str
    second: str

    @property
    def has_systems(self) -> bool:
        """Whether runs were given."""
        return "systems" in self.tables

    @property
    def main_table(self) -> str:
        """The pairs of systems; without runs the agreement."""
        return "pairs" if self.has_systems else "agreement"

    def movers(self, count: int = 10) -> pd.DataFrame:
        """The systems with the largest rank changes, by measure.

        Raises
        ------
        ParameterError
            If no runs were given.
        """
        self._check_systems()
        return movers(self.systems, count)

    def changed_pairs(self) -> pd.DataFrame:
        """The pairs of systems with a change of significance or its direction.

        Raises
        ------
        ParameterError
            If no runs were given.
        """
        self._check_systems()
        pairs = blocks_of(self.tables["pairs"])
        kept = (some[some["change"].isin(CHANGED)] for some in pairs)
        return pd.concat(kept, ignore_index=True)

    def finds(self, finding: str) -> bool:
        """Whether the second set changes the evaluation, for pipelines that stop on a change.

        Parameters
        ----------
        finding
            ``changed``: by some measure the significance of a pair of systems appears, disappears
            or reverses; without runs, a document that both judged has another label.  ``best``: by
            some measure other systems are the best.

        Raises
        ------
        ParameterError
            If there is no such finding, or there are no runs for it.
        """
        check_choice("finding", finding, FINDINGS)
        if finding == "changed" and not self.has_systems:
            equal = self.agreement["equal"]
            if equal.isna().all():
                raise ParameterError(
                    "the label sets are on different scales: give runs, or cut one (regrade cut)"
                )
            return bool((equal < 1).any())
        if finding == "changed":
            return bool(len(self.changed_pairs()))
        self._check_systems()
        systems = self.systems
        return bool(((systems["first_rank"] == 1) != (systems["second_rank"] == 1)).any())

    def _check_systems(self) -> None:
        if not self.has_systems:
            raise ParameterError("no runs were given, hence no systems: give runs (--runs)")

    def plot(self, what: str | None = None) -> Figure:
        """Draw ``systems``, ``ranks``, ``pairs``, ``topics``, ``reliability``, ``confusion`` or
        ``bias``.
        """
        from regrade.api.plots import draw_comparison

        return draw_comparison(self, what or ("systems" if self.has_systems else "confusion"))


@asks(stage.Compare)
@checks_types(missing=one_of(LEAVING))
def compare(
    first: object,
    second: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    scale: object = None,
    groups: Mapping[str, str] | None = None,
    names: tuple[str, str] | None = None,
    missing: str = "refuse",
    lower: Sequence[str] = (),
    options: SimpleNamespace,
) -> Comparison:
    """Would the evaluation have come out differently with another label set?

    Parameters
    ----------
    first, second
        Scores of systems by item that `regrade.read_scores` takes, both of them, without runs; or
        labels or judgments, whatever `regrade.read_qrels` and `regrade.read_judgments` take, or
        have read (where columns must be named). A document's judgments count by their median.
    runs
        Whatever `regrade.read_runs` takes; ``None``: labels only.
    measures
        Measures of the systems: a list, or one string separated by spaces; by default those of
        `regrade.choices.COMPARED` that are defined on both sets' scales.
    scale
        Scale of both sets, as for `regrade.read_qrels`.
    groups
        Group by system; by default the groups of the runs.
    names
        Names for the sets.

    Returns
    -------
    Comparison

    Raises
    ------
    RegradeError
        If something cannot be read, the sets share no document, or an option cannot be used.

    Examples
    --------
    >>> nist = {"401": {"d1": 1, "d2": 0, "d3": 1}}
    >>> model = {"401": {"d1": 1, "d2": 1, "d3": 1}}
    >>> compare(nist, model).agreement["equal"].tolist()[0]
    0.6666666666666666
    """
    if names is not None and len(names) != 2:
        raise ParameterError(f"names is {names!r}: give two names, one for each set")
    if are_scores(first) or are_scores(second):
        refuse_labels(runs=runs, scale=scale)
        read = named_scores((first, second), names, lower)
        chosen = [one.of_measures(chosen_measures(one, measures)) for one in read]
        designs = [one.design(missing=missing) for one in chosen]
        inputs = {"scores": designs, "groups": groups}
        own = [one.name for one in designs]
        return Comparison(StageTables(stage.Compare, inputs, options), *own)
    check_of_labels(measures, lower=lower)
    called = names or (name_for(first, "first"), name_for(second, "second"))
    sets = [
        read_set(one, scale=scale, name=name).on_levels()
        for one, name in zip((first, second), called, strict=True)
    ]
    for one in sets:
        if isinstance(one, Judgments) and len(one.workers) > 1:
            fact = f"{one.name} has values of {len(one.workers)} workers"
            log.warning(
                "%s: the median of a document's judgments counts; `judges` evaluates each "
                "judge separately",
                fact,
            )
    own = [str(name) for name in names or (one.name for one in sets)]
    if own[0] == own[1]:
        own = [f"{own[0]} (first)", f"{own[1]} (second)"]
    ranked, notes = None, [note for one in sets for note in one.notes]
    options.measures = measures_for(measures, sets, COMPARED)
    if runs is not None:
        read = read_runs(runs)
        ranked, groups = MemoryRuns(read.ranked), groups_of(read, groups)
        options.score_precision = read.score_precision
        for one in sets:
            overlap = match_runs(one, read, options.measures)[2]
            notes += notes_on(one, overlap, options.measures)
    if options.same_scale is None:
        stated, highest = zip(*((one.stated_scale, one.values.max()) for one in sets), strict=True)
        if None not in stated:
            options.same_scale = stated[0] == stated[1]
        else:
            options.same_scale = bool((highest[0] or 1) == (highest[1] or 1))
            if not options.same_scale:
                notes.append(_scales_text(own, sets))
    sides = [replace(as_input(one), name=name) for name, one in zip(own, sets, strict=True)]
    inputs = {"sides": sides, "runs": ranked, "groups": groups}
    return Comparison(StageTables(stage.Compare, inputs, options, notes), *own)


def _scales_text(names: Sequence[str], sets: Sequence[Labels | Judgments]) -> str:
    """That scales which nobody stated may be one, of which the one set lacks the highest grade."""
    tops = [one.values.max() for one in sets]
    if all(map(uses_grades, sets)):
        highest = [f"{top:g} in {name}" for name, top in zip(names, tops, strict=True)]
        levels = int(max(tops)) + 1
        return (
            f"The highest grade is {' and '.join(highest)}: if both sets are on one scale "
            f"and one set lacks its highest grade, state the scale (`--scale {levels}`, in "
            f"Python `scale={levels}`)."
        )
    ends = [f"{name} to {top:g}" for name, top in zip(names, tops, strict=True)]
    return (
        f"Scales are assumed to end with the highest value, {' and '.join(ends)}: if both "
        "sets are on one scale, state it (`--scale`, in Python `scale`)."
    )


MOST_GRADES = 10
"""Whole numbers from 0 to this one at most are taken for grades."""


def uses_grades(labels: Labels | Judgments) -> bool:
    """Whether values are few whole numbers from 0, like human grades."""
    values = np.asarray(labels.values)
    return bool(((values >= 0) & (values <= MOST_GRADES) & (values == np.round(values))).all())

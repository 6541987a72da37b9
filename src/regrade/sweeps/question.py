"""Every combination of choices, and the effect of each choice."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

from regrade.answers.shape import Answer
from regrade.api.designs import are_scores, check_of_labels, judged_scores, refuse_labels
from regrade.api.results import Result
from regrade.api.scores import match_runs
from regrade.api.sets import Labels, groups_of, named_sets, read_runs
from regrade.argument_checks import one_of, within
from regrade.choices import LEAVING
from regrade.errors import ParameterError, check_choice
from regrade.item_scores.scores import ItemScores
from regrade.measures import names_with_levels
from regrade.stages.common import measures_named
from regrade.stages.library import checks_types
from regrade.sweeps.label_results import swept_labels
from regrade.sweeps.label_sweep import LabelSweep
from regrade.sweeps.labels import LabelledSet
from regrade.sweeps.options import LABEL_AXES, LIMIT, SCORE_AXES, AvailableLevels, read_sweep
from regrade.sweeps.results import swept
from regrade.sweeps.score_sweep import ScoreSweep, known_of
from regrade.sweeps.sweep import SIGNIFICANCE, Sweep, SweepDesign
from regrade.tables import as_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class SweepResult(Result):
    """Conclusions of every combination of choices.

    Attributes
    ----------
    tables
        By name, as the stage ``sweeps`` of the workflow has them: ``levels``, ``cuts``,
        ``left_out``, ``factorials``, ``universes``, ``systems``, ``pairs``, ``axes``, ``examples``,
        ``facts``, ``answer``, ``manifest``; without runs, as ``label-sweeps`` has them:
        ``universes``, ``entries``, ``documents`` and others.  Each is an attribute as well.

    `plot` draws the specification curve.
    """

    @property
    def main_table(self) -> str:
        """The pairs of systems, or else the documents."""
        return "pairs" if "pairs" in self.tables else "documents"

    def plot(self, outcome: str | None = None) -> Figure:
        """Draw the specification curve of an outcome.

        It is ``changed_pairs`` by default, ``tau`` or ``significant_pairs``; of labels ``alpha`` by
        default, or ``relabelled``.
        """
        from regrade.api.plots import draw_sweep

        return draw_sweep(self, outcome)

    @property
    def are_of_items(self) -> bool:
        """Whether the tables are of scores by item."""
        return "scores" in {*self.levels["axis"].astype(str)}


@checks_types(
    missing=one_of(LEAVING),
    significance=within(above=0, below=1),
    top=within(least=1),
    seed=within(least=0),
    limit=within(least=1),
)
def sweep(
    axes: Mapping[str, Sequence[object]],
    baseline: Mapping[str, object],
    *,
    runs: object | None = None,
    sets: Mapping[str, object] | object,
    scales: Mapping[str, object] | None = None,
    groups: Mapping[str, str] | None = None,
    missing: str = "refuse",
    lower: Sequence[str] = (),
    significance: float = SIGNIFICANCE,
    top: int = 5,
    seed: int = 1,
    limit: int = LIMIT,
    folder: str | PathLike | None = None,
    threads: int = 1,
) -> SweepResult:
    """Would the evaluation have come out differently under any other combination of choices?

    Parameters
    ----------
    axes
        Choices and their levels: ``labels``, ``unjudged``, ``pool``, ``ties``,
        ``measure``, ``topics``, ``test``, as under ``sweeps`` of a configuration
        (docs/methods/sweeps.md); ``cuts`` names a set here.  Without runs ``labels``,
        ``reference``, ``metric`` and ``topics``; of scores by item ``scores``, ``measure``,
        ``average``, ``items`` and ``test``.
    baseline
        The level of each axis with which all others are compared; at least ``labels``, without
        runs also ``reference``; of scores by item ``scores``, and of several measures ``measure``.
    runs
        Whatever `regrade.read_runs` takes; ``None``: resulting labels and their agreement.
    sets
        Labels or judgments by name, whatever `regrade.read_qrels` and `regrade.read_judgments`
        take; a document's judgments count by their median unless the axis says otherwise.  Or
        scores by item, whatever `regrade.read_scores` takes: by name, or one set by several judges.
    scales
        Scales of sets, as for `regrade.read_qrels`; by default inferred from the values.
    groups
        Group by system; by default the groups of the runs.
    missing
        Items of scores that some system or measure lacks: ``refuse``, or ``drop`` them.
    lower
        Measures of scores by item of which lower values are better.
    significance
        Significance level α of the corrected p-values of pairs of systems.
    top
        Value of k for top-k shares.
    seed
        Random seed of halves of topics and of randomised tests.
    limit
        Largest number of specifications (combinations of choices).
    folder
        Folder for the means of systems: another sweep there computes only new specifications, and
        those with changed labels, runs or options. By default nothing is kept.
    threads
        Number of threads; results do not depend on it.

    Returns
    -------
    SweepResult

    Raises
    ------
    RegradeError
        If something cannot be read, an axis has no such level, or there are too many
        specifications.

    Examples
    --------
    >>> nist = {"401": {"d1": 1, "d2": 0}, "402": {"d1": 0, "d2": 1}}
    >>> model = {"401": {"d1": 1, "d2": 1}, "402": {"d1": 0, "d2": 1}}
    >>> run = {"a": {"401": {"d1": 2, "d2": 1}, "402": {"d2": 2, "d1": 1}},
    ...        "b": {"401": {"d1": 1, "d2": 2}, "402": {"d2": 1, "d1": 2}}}
    >>> found = sweep({"labels": ["nist", "model"], "measure": ["AP", "RR"]}, {"labels": "nist"},
    ...               runs=run, sets={"nist": nist, "model": model})
    >>> len(found.universes), found.pairs["order_holds"].tolist()
    (4, [True])
    """
    for name, option in (("axes", axes), ("baseline", baseline)):
        if not isinstance(option, Mapping):
            raise ParameterError(f"{name} is a {type(option).__name__}: give a dict by axis")
    if are_scores(sets):
        refuse_labels(runs=runs, scales=scales, groups=groups)
        how = {"significance": significance, "top": top, "seed": seed, "limit": limit}
        made = _of_scores(axes, baseline, judged_scores(sets, lower), missing, how)
        with tempfile.TemporaryDirectory() as held:
            return _result(swept(made, held if folder is None else folder, threads))
    if "scores" in {*axes, *baseline}:
        raise ParameterError(
            "sweep: scores: the sets are labels: give scores by item (`sets`), or sweep `labels`"
        )
    check_of_labels(lower=lower)
    own = {name: one.on_levels() for name, one in named_sets(sets, scales=scales).items()}
    for name in scales or ():
        check_choice("set of scales", name, own)
    sources = {name: LabelledSet(one.table, one.likely_scale) for name, one in own.items()}
    if runs is None:
        written = read_sweep(axes, baseline, list(own), names=LABEL_AXES)
        design = SweepDesign.of(written, seed=seed, limit=limit)
        return _result(swept_labels(LabelSweep.of(design, sources)))
    read = read_runs(runs)
    groups = groups_of(read, groups)
    names = {"run": read.ranked.systems, "group": sorted(set((groups or {}).values()))}
    written = read_sweep(axes, baseline, list(own), None, AvailableLevels(names))
    design = SweepDesign.of(written, significance=significance, top=top, seed=seed, limit=limit)
    baseline_set = own[design.entries[design.baseline_entry].set]
    match_runs(baseline_set, read)  # refused, where they share nothing
    made = Sweep.of(
        design, sources, read.ranked, score_precision=read.score_precision, groups=groups
    )
    highest = max(
        (one.likely_scale.high for one in own.values() if isinstance(one, Labels)), default=0
    )
    levels = names_with_levels(measures_named({"axes": axes, "baseline": baseline}), highest)
    with tempfile.TemporaryDirectory() as held:
        tables = swept(made, held if folder is None else folder, threads)
        answer = Answer.of_frame(as_frame(tables["answer"])).naming(levels)
        return _result({**tables, "answer": answer.to_frame()})


def _of_scores(
    axes: Mapping[str, Sequence[object]],
    baseline: Mapping[str, object],
    sets: Mapping[str, ItemScores],
    missing: str,
    how: Mapping[str, object],
) -> ScoreSweep:
    """The sweep of scores by item."""
    written = read_sweep(axes, baseline, [*sets], None, known_of(sets), SCORE_AXES)
    return ScoreSweep.of_scores(SweepDesign.of(written, **how), sets, missing)


def _result(tables: Mapping[str, pa.Table | pd.DataFrame]) -> SweepResult:
    return SweepResult({name: as_frame(table) for name, table in tables.items()})

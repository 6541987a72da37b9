"""Which thresholds convert a fine scale to grades."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import Aggregation, aggregate, transform, vote_of
from regrade.answers.shape import Answer
from regrade.api.results import Text
from regrade.api.sets import Judgments, Labels, read_runs, read_set
from regrade.argument_checks import each, one_of, within
from regrade.audit.overlap import check_documents_shared, shared_documents
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.choices import CUT_METHODS, PREFERRED_CUT_METHODS
from regrade.cutsearch.answer import answer_of
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.labels import Labelling, selected_cuts
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.recommended import ChosenCut, recommended, systems_under
from regrade.cutsearch.search import CutSearch, SearchPlan, prepare
from regrade.errors import MethodError, ParameterError, did_you_mean
from regrade.label_sets import LabelSet
from regrade.measures import names_with_levels, relevance_note
from regrade.scales import MAX_LEVELS, Scale, check_grid, exactly
from regrade.stages.library import checks_types
from regrade.trust.best_cut import BestCutTrust
from regrade.trust.bootstrap import PER_TOPIC
from regrade.trust.gains import SPLITS
from regrade.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger("regrade.api")

_CUT_OF_TOPIC = ["topic", *CUT_COLUMNS]

_NO_CUT = (
    "under each, α is undefined in too many topics, as where no document has two values or all are "
    "one: judge more documents of each topic by several workers, or give a reference"
)


@dataclass(frozen=True, eq=False, repr=False)
class Cut:
    """One cut of a scale into levels.

    Attributes
    ----------
    thresholds
        The highest value of each level but the last: a value v gets the level #{threshold < v}.
    method
        The search method; ``equal_widths`` and the like without a search.
    alpha
        Krippendorff's α under the cut, mean over topics.
    tied
        Number of cuts with the same α.
    reference
        The reference that chose it; empty if chosen by the workers' agreement.
    topics
        Number of topics in the mean.
    """

    thresholds: tuple[float, ...]
    method: str
    alpha: float
    tied: int
    reference: str
    topics: int

    @property
    def levels(self) -> int:
        """Number of levels."""
        return len(self.thresholds) + 1

    def __repr__(self) -> str:
        """Thresholds, α and where it comes from."""
        cut = ", ".join(map(exactly, self.thresholds))
        by = f" with {self.reference}" if self.reference else ""
        tied = f", {self.tied} cuts share it" if self.tied > 1 else ""
        return (
            f"<Cut at {cut} into {self.levels} levels: α {self.alpha:.3f} by {self.method}{by}, "
            f"{counted(self.topics, 'topic')}{tied}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Cuts:
    """α of every cut by every applicable method.

    Attributes
    ----------
    source
        The labels or judgments that were cut.
    levels
        Number of levels of the target scale.
    reference
        The labels that cuts were compared with, on the target scale; ``None``: none.
    searches
        Method → α of every cut.
    unserved
        Method → why it is not applicable.
    aggregation
        Aggregation of a document's values.
    """

    source: Labels | Judgments
    levels: int
    reference: Labels | None
    searches: Mapping[str, CutSearch]
    prepared: Mapping[str, SearchPlan]
    unserved: Mapping[str, str]
    aggregation: str = "median"
    _trusts: dict[str, BestCutTrust] = field(default_factory=dict, init=False)

    @property
    def methods(self) -> list[str]:
        """Searched methods, the preferred one first."""
        return [name for name in PREFERRED_CUT_METHODS if name in self.searches]

    @property
    def best(self) -> Cut:
        """The common cut for all topics by the preferred method."""
        return self.of(self.methods[0])

    def of(self, method: str) -> Cut:
        """The common cut for all topics by a method."""
        self._checked(method)
        frame = self.to_frame()
        row = frame[frame["method"] == method].iloc[0]
        if pd.isna(row["c1"]):
            why = _NO_CUT if pd.isna(row["note"]) else row["note"]
            raise MethodError(f"{method} found no cut: {why}")
        cut = tuple(float(row[name]) for name in CUT_COLUMNS[: self.levels - 1])
        reference = row["reference"] if isinstance(row["reference"], str) else ""
        alpha, tied, topics = float(row["alpha"]), int(row["tied"]), int(row["defined"])
        return Cut(cut, method, alpha, tied, reference, topics)

    def to_frame(self, *, topics: bool = False) -> pd.DataFrame:
        """The best cut by each method, the preferred one first.

        Parameters
        ----------
        topics
            Also the best cut of each topic.

        Returns
        -------
        DataFrame
            ``method``, ``reference``, ``topic`` (`ALL_TOPICS`: one cut for all), ``c1`` …,
            ``alpha``, ``tied`` (cuts that share it), ``defined`` (topics that the mean is over;
            units of a topic), ``note``.
        """
        thresholds = list(CUT_COLUMNS[: self.levels - 1])
        parts = [best_cuts(self.searches[one], self.reference_of(one)) for one in self.methods]
        if not topics:
            parts = [part[part["topic"] == ALL_TOPICS] for part in parts]
        frame = pd.concat(parts, ignore_index=True)
        frame = frame.rename(columns={"value": "alpha", "n_defined": "defined"})
        columns = ["method", "reference", "topic", *thresholds, "alpha", "tied", "defined", "note"]
        return frame[columns]

    def reference_of(self, method: str) -> str | None:
        """The name of the reference; ``None`` for methods without a reference."""
        return self.reference.name if CUT_METHODS[method].needs_reference else None

    def alpha(self, method: str | None = None) -> pd.DataFrame:
        """α of every cut: thresholds, a column for each topic, mean, n_topics."""
        return self.searches[self._checked(method)].to_frame()

    def intervals(
        self, resamples: int = 1000, *, seed: int = 1, methods: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Confidence intervals for the best cut, on held-out topics.

        Parameters
        ----------
        resamples, seed
            Number of bootstrap samples of topics for the thresholds; random seed.
        methods
            Methods to report; by default the preferred one.

        Returns
        -------
        DataFrame
            ``method``, ``quantity``: ``alpha`` of the best cut and its ``gain over equal widths``;
            then each of its thresholds, chosen again in each bootstrap sample (``c1 chosen on drawn
            topics``).
            ``in_sample`` is on the topics that chose the cut, ``held_out`` on others
            (`regrade.trust.gains`); ``low`` and
            ``high`` are a 95% interval over the population of topics (from 10 topics; for the
            gain only if α differs significantly from 0); for thresholds the range of 95 % of the
            bootstrap samples.
        """
        parts = []
        for method in map(self._checked, methods or self.methods[:1]):
            table = self._trust(method).intervals(resamples, seed)
            parts.append(table.assign(method=method)[["method", *table.columns]])
        return pd.concat(parts, ignore_index=True)

    def per_topic(
        self, method: str | None = None, *, splits: int = SPLITS, seed: int = 1
    ) -> pd.DataFrame:
        """A cut for each topic, compared with the common cut.

        Parameters
        ----------
        method
            Search method; by default the preferred one.
        splits, seed
            Number of random halves of each topic's documents (one chooses, the other evaluates);
            random seed.

        Returns
        -------
        DataFrame
            ``topic``, ``c1`` … of its best cut, ``alpha`` at it, ``tied`` (cuts that share it),
            ``alpha_single`` (at the one cut for all); and both on documents that chose neither,
            ``held_out`` and ``held_out_single`` (`regrade.trust.held_out`); ``note``.
        """
        method = method or self.methods[0]
        self.of(method)  # refused, where there is none for all
        best = self.to_frame(topics=True)
        best = best[best["method"] == method]
        return self._trust(method).per_topic(best, self.alpha(method), splits, seed)

    def _trust(self, method: str) -> BestCutTrust:
        if method not in self._trusts:
            plan, on = self.prepared[method], self.source
            trust = BestCutTrust(plan, on.scale, on.values, self.reference_of(method))
            self._trusts[method] = trust
        return self._trusts[method]

    def answer(
        self,
        runs: object = None,
        measure: str = "nDCG@10",
        *,
        method: str | None = None,
        resamples: int = 1000,
        seed: int = 1,
        per_topic: bool = False,
        fixed: Sequence[float] = (),
    ) -> Answer:
        """The recommended thresholds, their held-out evaluation, and their effect on systems.

        Parameters
        ----------
        runs
            Whatever `regrade.read_runs` takes, to be ranked under the cut; ``None``: labels only.
        measure
            Measure that ranks the systems.
        method
            Search method; by default the preferred one.
        resamples, seed
            As for `intervals`; without bootstrap samples there are no held-out estimates.
        per_topic
            Also whether thresholds for each topic improve α, on held-out documents.
        fixed
            Thresholds to compare with the best ones, such as those of `regrade.cut_at`.
        """
        method = self._checked(method)
        on, reference = self.source, self.reference
        best = best_cuts(self.searches[method], self.reference_of(method))
        aggregation = Aggregation(source=self.aggregation)
        thresholds = self.prepared[method].thresholds
        if len(fixed) and len(fixed) + 1 != self.levels:
            raise ParameterError(
                f"{len(fixed)} given thresholds make {len(fixed) + 1} levels, and {self.levels} "
                "were searched"
            )
        how = self.levels, aggregation, fixed
        chosen = ChosenCut.of(best, thresholds, on.scale, on.values, *how)
        labels = chosen.labels(on.table)
        trusted = None
        if resamples:
            trusted = self._trust(method).tables(resamples, seed, per_topic)
        numbers, systems = recommended(chosen, self.alpha(method), labels, trusted), None
        levels: dict[str, str] = {}
        notes = [*on.notes, *(reference.notes if reference else ())]
        if runs is not None:
            runs, top = read_runs(runs), self.levels - 1
            on_levels = partial(LabelSet.on_levels, levels=self.levels)
            sides = {one: on_levels(one, table) for one, table in labels.items()}
            experts = [on_levels(reference.name, reference.table)] if reference else []
            ranked = runs.ranked.with_topics(sorted(on.topics))
            more, systems = systems_under(
                sides, experts, ranked, measure, None, runs.score_precision
            )
            numbers = pd.concat([numbers, more], ignore_index=True)
            notes.append(relevance_note([measure], top))
            levels = names_with_levels([measure], top)
        metric = self.prepared[method].options.metric
        named = {"source": on.name, "measure": measure, "metric": metric}
        conclusion = answer_of(chosen, numbers, systems, **named)
        return conclusion.naming(levels).with_notes(notes)

    def summary(self) -> Text:
        """The answer in a few sentences; `answer` takes runs too."""
        return Text(self.answer())

    def apply(
        self,
        scores: object = None,
        method: str | None = None,
        cut: object = None,
        *,
        per_topic: bool = False,
    ) -> Labels:
        """Labels under a cut.

        Parameters
        ----------
        scores
            Scores to cut, as for `find_cuts`; by default the searched ones.
        method
            Search method; by default the preferred one.
        cut
            Thresholds to use in its place.
        per_topic
            Cut each topic by its own best cut; topics without a best cut have no labels.

        Returns
        -------
        Labels
            Grades 0 … levels − 1; judgments are aggregated first.
        """
        source = self.source if scores is None else read_set(scores)
        method = method or self.methods[0]
        if not per_topic:
            cut = self.of(method).thresholds if cut is None else cut
            return apply_cut(source, cut, self.aggregation)
        self._checked(method)
        frame = self.to_frame(topics=True)
        cuts = selected_cuts(frame[frame["method"] == method].reindex(columns=_CUT_OF_TOPIC))
        how = Aggregation(source=self.aggregation)
        labelling = Labelling.by_hand(
            cuts[PER_TOPIC], sorted(source.topics), self.levels, aggregation=how
        )
        table = labelling.labels(source.table)
        return Labels(table, f"{source.name} cut", Scale.of({"levels": self.levels}))

    def plot(self, methods: Sequence[str] | None = None) -> Figure:
        """Draw, for each threshold, the maximum mean α over cuts with the threshold."""
        from regrade.api.plots import draw_cuts

        return draw_cuts(self, [*map(self._checked, methods or self.methods)])

    def __repr__(self) -> str:
        """The best cut of each method."""
        head = (
            f"<Cuts of {self.source.name} ({self.source.scale}) into {self.levels} levels, "
            f"{self.aggregation}>"
        )
        frame = self.to_frame().drop(columns=["topic", "note"])
        table = frame.to_string(index=False, float_format="{:.4g}".format, na_rep="")
        left = [f"not served: {reason}" for reason in self.unserved.values()]
        return "\n".join([head, table, *left])

    def _checked(self, method: str | None) -> str:
        """A method that was searched; by default the preferred one."""
        method = method or self.methods[0]
        if method in self.unserved:
            raise MethodError(self.unserved[method])
        if method not in self.searches:
            raise MethodError(f"'{method}' was not searched{did_you_mean(method, self.searches)}")
        return method


@checks_types(
    levels=within(least=2, most=MAX_LEVELS),
    methods=each(one_of(CUT_METHODS), "method"),
    grid=within(least=1),
)
def find_cuts(
    scores: object,
    levels: int = 2,
    reference: object = None,
    *,
    methods: Sequence[str] | None = None,
    scale: object = None,
    columns: Mapping[str, str] | None = None,
    alpha: str = "ordinal",
    aggregation: str = "median",
    undefined: str = "drop",
    coverage: float = 0.9,
    unjudged: str = "drop",
    grid: int | None = None,
    threads: int = 1,
) -> Cuts:
    """Search every cut of a scale into levels, by every applicable method.

    Parameters
    ----------
    scores
        A model's scores or an expert's labels (whatever `regrade.read_qrels` takes), or workers'
        judgments (whatever `regrade.read_judgments` takes).
    levels
        Number of levels of the target scale, 2 to 4.
    reference
        Labels (or judgments, which are aggregated) on the target scale, 0 … levels − 1; scores
        without workers need one.
    methods
        Methods of `regrade.choices.CUT_METHODS`; by default all applicable ones.
    scale
        Scale of the scores, as for `regrade.read_qrels`; by default inferred from the values.
    columns
        Columns of the scores, as for `regrade.read_qrels`.
    alpha, aggregation, undefined, coverage, unjudged, grid, threads
        See `regrade.cutsearch.options.AlphaOptions` (``alpha`` is its metric) and
        `regrade.cutsearch.search.search`.

    Returns
    -------
    Cuts

    Raises
    ------
    RegradeError
        If something cannot be read, no method applies, or the reference is on another scale.

    Examples
    --------
    >>> model = {"401": {"d1": 80, "d2": 75, "d3": 20, "d4": 35}}
    >>> find_cuts(model, 2, {"401": {"d1": 1, "d2": 1, "d3": 0, "d4": 0}}).best.alpha
    1.0
    """
    how = Aggregation(source=aggregation)
    options = AlphaOptions(alpha, undefined, coverage, unjudged, how, grid)
    check_grid(grid, levels)
    source = read_set(scores, scale=scale, columns=columns, name=None)
    labels = None if reference is None else _reference(reference, levels)
    if labels is not None:
        names = "the reference", "the source"
        check_documents_shared(labels.table, source.table, names)
        log.info("%s", shared_documents(labels.table, source.table, names))
    prepared, unserved = {}, {}
    for method in methods or CUT_METHODS:
        needs_reference = CUT_METHODS[method].needs_reference
        if needs_reference and labels is None:
            unserved[method] = f"{method} compares with a reference: give one"
        elif isinstance(source, Labels) and method != "d2_at":
            unserved[method] = (
                f"{method} needs workers, and {source.name} has one value per document"
            )
        else:
            table = labels.table if needs_reference else None
            plan = prepare(source.table, source.scale, levels, method, table, options)
            if plan.reason:
                unserved[method] = plan.reason
            else:
                prepared[method] = plan
    if not prepared:
        reasons = "; ".join(dict.fromkeys(unserved.values()))
        raise MethodError(f"no method is applicable: {reasons}")
    searches = {method: one.search(threads) for method, one in prepared.items()}
    return Cuts(source, levels, labels, searches, prepared, unserved, aggregation)


def _reference(reference: object, levels: int) -> Labels:
    """Labels on the target scale."""
    labels = read_set(reference).on_levels()
    labels.check_reference()
    if isinstance(labels, Judgments):
        table = aggregate(labels.table, vote_of(levels), levels)
        labels = Labels(table, labels.name, Scale.of({"levels": levels}))
    is_off = ~np.isin(labels.values, range(levels))
    if is_off.any():
        off, whole = np.unique(labels.values[is_off]), int(labels.values.max()) + 1
        is_finer = levels < whole <= MAX_LEVELS and np.isin(off, range(whole)).all()
        other = f"search {whole} levels, or " if is_finer else ""
        raise ParameterError(
            f"{labels.name} holds the grade {off[0]:g}, but a reference for {levels} levels "
            f"has grades 0 to {levels - 1}: {other}change its grades first "
            f"({is_off.sum():,} of {counted(len(labels), 'label')})"
        )
    return labels


def apply_cut(source: Labels | Judgments, cut: object, aggregation: str = "median") -> Labels:
    """Labels under thresholds, which ascend; judgments are aggregated first."""
    cut = [float(value) for value in np.atleast_1d(cut)]
    if not cut or any(a >= b for a, b in pairwise(cut)):
        raise ParameterError(f"cut is {cut}: give ascending thresholds")
    labels = aggregate(source.table, aggregation)
    grades = transform(labels["grade"].to_numpy(), cut).astype(float)
    table = labels.set_column(labels.column_names.index("grade"), "grade", pa.array(grades))
    at = "-".join(map(exactly, cut))
    return Labels(table, f"{source.name}-at-{at}", Scale.of({"levels": len(cut) + 1}))

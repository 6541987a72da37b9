"""Measures of `ir_measures`, and so of PyTerrier: what ties and unjudged documents leave open.

Importing this module makes them known to `ir_measures`: to `ir_measures.iter_calc`, to
`ir_measures.parse_measure`, and to ``pt.Experiment``.  `ir_measures` is not among the packages that
regrade needs.

Each takes a measure, as that of `ir_measures` or as text in the notation of both:
``TieExpected(nDCG @ 10)``, ``TieExpected(measure='nDCG@10')``.

===============  ===================================================================================
`TieExpected`    mean over all orders of documents with equal scores, exactly
`TieLow`         lowest value of any such order
`TieHigh`        highest value of any such order
`UnjudgedLow`    lowest value of any grades of the unjudged documents of the ranking
`UnjudgedHigh`   highest value of any such grades
`Residual`       what the value could rise if every unjudged document had the highest grade (RBP, …)
`Regrade`        the measure itself by regrade, for those that `ir_measures` lacks
===============  ===================================================================================

Scores are equal as trec_eval 9 and `pytrec_eval` have it, in single precision, and documents of one
score are ordered as there (docno, descending), so that the value of `ir_measures` lies between
`TieLow` and `TieHigh`.  The highest grade is that of the qrels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import ir_measures
import numpy as np
from ir_measures import measures as known
from ir_measures import providers
from ir_measures.util import Metric, QrelsConverter, RunConverter

from regrade.api.sets import read_qrels, read_runs
from regrade.errors import ParameterError
from regrade.measures import Measure as OurMeasure
from regrade.measures import parse
from regrade.run_arrays import Judged, JudgedLists
from regrade.scoring import Scores, score
from regrade.tied_scores.expectations import check_tied, expected, limits
from regrade.tied_scores.groups import TieGroups
from regrade.uncertainty.ranges import check_ranged, exact_ranges

__all__ = [
    "Regrade",
    "Residual",
    "TieExpected",
    "TieHigh",
    "TieLow",
    "UnjudgedHigh",
    "UnjudgedLow",
]

PRECISION = "float32"
"""As what scores of runs are compared."""


class _OfMeasure(known.Measure):
    """What there is of another measure."""

    SUPPORTED_PARAMS = {  # noqa: RUF012 (as `ir_measures` has it)
        "measure": known.ParamInfo(dtype=str, required=True, desc="a measure, as 'nDCG@10'")
    }
    AT_PARAM = "cutoff"

    def __call__(self, measure: object = None, **params: object) -> _OfMeasure:
        """The same of a measure; its text is that of both packages."""
        own = params if measure is None else {"measure": str(measure), **params}
        made = type(self)(**{**self.params, **own})
        made._check()
        return made

    @property
    def inner(self) -> OurMeasure:
        """The measure that it is of.

        Raises
        ------
        ParameterError
            If there is no such measure.
        """
        return parse(self.params["measure"])

    def _check(self) -> None:
        """Refuse measures of which there is none."""
        if "measure" in self.params:
            self.check_inner(self.inner)


class _Evaluation:
    """One run, and the labels of all topics, as arrays."""

    def __init__(self, labels, run):
        runs = read_runs(run, score_precision=PRECISION, tie_break="trec_eval")
        self.ranked = runs.ranked.with_topics(labels.topics)
        self.judged = Judged.from_table(labels.table, self.ranked)
        self.ties = TieGroups.by_score(self.ranked, PRECISION)
        highest = float(self.judged.grades.max(initial=0)) or 1.0
        self.lists = JudgedLists.match(self.ranked, self.judged, highest)
        # of both ends, each of which is a measure
        self.tie_limits = cache(lambda measure: limits(self.lists, self.ties, [measure]))
        self.ranges = cache(lambda one: exact_ranges(self.ranked, self.judged, [one]))

    def expected(self, measure: OurMeasure) -> np.ndarray:
        """(1, T, 1) means over all orders of ties."""
        return expected(self.lists, self.ties, [measure])

    def scores(self, measure: OurMeasure) -> Scores:
        """Values and residuals."""
        return score(self.ranked, self.judged, [measure])


class _Evaluator(providers.Evaluator):
    def __init__(self, measures, labels):
        super().__init__(measures, set(labels.topics))
        self.labels = labels

    def _iter_calc(self, run) -> Iterator[Metric]:
        frame = RunConverter(run).as_pd_dataframe()
        if not len(frame):
            return
        evaluation = _Evaluation(self.labels, frame[["query_id", "doc_id", "score"]])
        for measure in self.measures:
            of_topics = measure.values(evaluation, measure.inner)[0, :, 0]
            for topic, value in zip(evaluation.judged.topics, of_topics, strict=True):
                yield Metric(query_id=topic, measure=measure, value=float(value))


class RegradeProvider(providers.Provider):
    """Computes the measures of this module."""

    NAME = "regrade"

    def supports(self, measure: known.Measure) -> bool:
        """Whether it is a measure of this module, of one of which there is such a thing."""
        measure.validate_params()
        if isinstance(measure, _OfMeasure):
            measure._check()
        return isinstance(measure, _OfMeasure)

    def _evaluator(self, measures: Iterable[known.Measure], qrels) -> _Evaluator:
        frame = QrelsConverter(qrels).as_pd_dataframe()
        return _Evaluator(measures, read_qrels(frame[["query_id", "doc_id", "relevance"]]))


def _check_residual(measure: OurMeasure) -> None:
    if measure.definition.residual is None:
        raise ParameterError(
            f"{measure}: has no residual: give RBP, or take UnjudgedLow and UnjudgedHigh"
        )


def _check_own_labels(measure: OurMeasure) -> None:
    if measure.sets:
        raise ParameterError(f"{measure}: needs further label sets: regrade.score takes them")


def _of_each(
    name: str,
    title: str,
    about: str,
    check_inner: Callable[[OurMeasure], None],
    values: Callable[[_Evaluation, OurMeasure], np.ndarray],
) -> _OfMeasure:
    """A measure of measures, made known to `ir_measures`; its values are of shape (1, T, 1)."""
    own = {
        "__doc__": about, "__module__": __name__, "__name__": name, "NAME": name,
        "PRETTY_NAME": title, "SHORT_DESC": about,
        "check_inner": staticmethod(check_inner), "values": staticmethod(values),
    }  # fmt: skip
    known.registry[name] = type(f"_{name}", (_OfMeasure,), own)
    return known.registry[name]()


TieExpected = _of_each(
    "TieExpected",
    "Expectation over ties",
    "Mean over all orders of documents with equal scores.",
    check_tied,
    lambda run, measure: run.expected(measure),
)
TieLow = _of_each(
    "TieLow",
    "Lowest value over ties",
    "Lowest value of any order of documents with equal scores.",
    check_tied,
    lambda run, measure: run.tie_limits(measure)[0],
)
TieHigh = _of_each(
    "TieHigh",
    "Highest value over ties",
    "Highest value of any order of documents with equal scores.",
    check_tied,
    lambda run, measure: run.tie_limits(measure)[1],
)
UnjudgedLow = _of_each(
    "UnjudgedLow",
    "Lowest value over unjudged documents",
    "Lowest value of any grades of the ranking's unjudged documents, exactly.",
    check_ranged,
    lambda run, measure: run.ranges(measure).low,
)
UnjudgedHigh = _of_each(
    "UnjudgedHigh",
    "Highest value over unjudged documents",
    "Highest value of any grades of the ranking's unjudged documents, exactly.",
    check_ranged,
    lambda run, measure: run.ranges(measure).high,
)
Residual = _of_each(
    "Residual",
    "Residual",
    "What the value could rise if every unjudged document had the highest grade.",
    _check_residual,
    lambda run, measure: run.scores(measure).residuals,
)
Regrade = _of_each(
    "Regrade",
    "Measure of regrade",
    "A measure as regrade computes it, for those that ir_measures lacks.",
    _check_own_labels,
    lambda run, measure: run.scores(measure).values,
)

if "regrade" not in providers.registry:
    ir_measures.DefaultPipeline.providers.append(providers.register(RegradeProvider()))

"""Scores of systems under labels."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade import scoring
from regrade.aggregation import aggregate
from regrade.api.sets import Judgments, Labels, Runs, as_input, measures_for, read_qrels, read_runs
from regrade.argument_checks import one_of, within
from regrade.audit.overlap import Overlap, check_documents_shared
from regrade.audit.sets import junk_warning
from regrade.choices import SCORED, UNRANKED
from regrade.conversions import to_numpy
from regrade.errors import MethodError, ParameterError
from regrade.formulas import check_grades
from regrade.kendall import places
from regrade.measures import Measure, parse, parse_all, relevance_note
from regrade.run_arrays import Judged, RankedLists, are_among
from regrade.stages.library import MemorySet, checks_types
from regrade.tables import unlabelled
from regrade.wording import counted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable:
    """Scores of systems on topics by measures, under one label set.

    Attributes
    ----------
    scores
        As arrays.
    qrels
        The name of the labels.
    """

    scores: scoring.Scores
    qrels: str

    @property
    def measures(self) -> list[str]:
        """Measures in canonical spelling."""
        return [str(measure) for measure in self.scores.measures]

    def with_means(self) -> np.ndarray:
        """(S, T + 1, M) values, with the mean over topics last; NaN where a topic was left out."""
        values = self.scores.values
        scored = np.isfinite(values)
        totals = np.where(scored, values, 0).sum(axis=1, keepdims=True)
        counts = scored.sum(axis=1, keepdims=True)
        means = np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)
        return np.concatenate([values, means], axis=1)

    def means(self) -> pd.DataFrame:
        """Means over topics: a row for each system, the best by the first measure first."""
        import pandas as pd

        means = self.with_means()[:, -1]
        frame = pd.DataFrame(means, list(self.scores.systems), self.measures)
        first = frame[self.measures[0]].fillna(-np.inf).to_numpy()  # none of its topics is judged
        order = np.lexsort((np.arange(len(frame)), -places(first)))
        return frame.iloc[order].rename_axis("system")

    def to_frame(self) -> pd.DataFrame:
        """One row per system, topic and measure: ``value`` and, if defined, ``residual``.

        Topics that a system leaves out have no row (`unranked`).
        """
        table = self.scores.to_table()
        frame = table.filter(pc.is_finite(table["value"])).to_pandas()
        return frame.astype(dict.fromkeys(["system", "topic", "measure"], "str"))

    def plot(self) -> Figure:
        """Draw the systems' means by the first measure, the best on top."""
        from regrade.api.plots import draw_scores

        return draw_scores(self)

    def __repr__(self) -> str:
        """What was scored, and the means."""
        systems = counted(len(self.scores.systems), "system")
        topics = counted(len(self.scores.topics), "topic")
        head = f"<Scores of {systems} on {topics} of {self.qrels}, means over topics>"
        return f"{head}\n{self.means().to_string(float_format='{:.4f}'.format)}"


@checks_types(unranked=one_of(UNRANKED), max_grade=within(above=0))
def score(
    qrels: object,
    runs: object,
    measures: Sequence[str] | str | None = None,
    *,
    others: Mapping[str, object] | None = None,
    max_grade: float | None = None,
    columns: Mapping[str, str] | None = None,
    unranked: str = "zero",
) -> ScoreTable:
    """Score every run under labels, on all topics that these judge.

    Logs the overlap of labels and runs, and warns of runs that lack topics and of measures that are
    0 for every run because no grade is high enough.

    Parameters
    ----------
    qrels
        Whatever `regrade.read_qrels` takes.
    runs
        Whatever `regrade.read_runs` takes.
    measures
        In the notation of ir_measures: ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``; a list, or
        one string separated by spaces; by default those of `regrade.choices.SCORED` that are
        defined on the labels' scale (`regrade.measures.default_measures`).
    others
        Further label sets for measures of several criteria, by name: ``{"cred": …}`` for
        ``"NLRE(second=cred)@5"``. Each is whatever `regrade.read_qrels` takes or has read. A
        document missing in a set has grade 0 there.
    max_grade
        Highest level of the grades' scale; by default that of the stated scale, otherwise the
        highest grade.
    columns
        Columns of the qrels; see `regrade.read_qrels`. Columns of runs: ``score(qrels,
        read_runs(runs, columns=…))``.
    unranked
        Score of a run on a judged topic without a ranking: ``zero``, as in trec_eval with ``-c``;
        ``omit``: none, so the run's mean is over its ranked topics.

    Returns
    -------
    ScoreTable

    Raises
    ------
    RegradeError
        If something cannot be read, a measure does not exist, or runs and labels share no topic;
        if a measure lacks a further set, or no measure needs a further set.

    Examples
    --------
    >>> qrels = {"401": {"d1": 1, "d2": 0}}
    >>> run = {"401": {"d2": 2.5, "d1": 1.0}}
    >>> score(qrels, {"mine": run}, "AP RR").to_frame()["value"].tolist()
    [0.5, 0.5]
    >>> credible = {"401": {"d1": 0, "d2": 1}}
    >>> both = score(qrels, {"mine": run}, "CAM(second=cred,measure=RR)", others={"cred": credible})
    >>> both.to_frame()["value"].tolist()
    [0.75]
    """
    labels = read_qrels(qrels, columns=columns)
    parsed = parse_all(measures_for(measures, [labels], SCORED))
    others_than_infap = [one for one in parsed if labels.sampled_out is None or not _infers(one)]
    ranked, judged = matched(labels, read_runs(runs), unranked, others_than_infap)
    _warn_of_nothing_relevant(labels, parsed)
    further = _further_sets(parsed, {} if others is None else others)
    scores = scoring.score(
        ranked,
        judged,
        parsed,
        max_grade=labels.max_grade if max_grade is None else max_grade,
        others={name: _judged(ranked, labels, one) for name, one in further.items()},
        max_grades={name: one.max_grade for name, one in further.items()},
    )
    if labels.sampled_out is not None:
        pooled = _with_sampled_out(labels.table, labels.sampled_out)
        in_pool = Judged.from_table(pooled, ranked).with_topics(judged.topics)
        for place, one in enumerate(parsed):
            if _infers(one):
                scores.values[..., place] = scoring.score(ranked, in_pool, [one]).values[..., 0]
    if unranked == "omit":
        lacks = ranked.lengths[:, are_among(ranked.topics, judged.topics)] == 0
        for values in (scores.values, scores.residuals):
            values[lacks] = np.nan
    return ScoreTable(scores, labels.name)


def _further_sets(measures: Sequence[Measure], others: Mapping[str, object]) -> dict[str, Labels]:
    """The sets of further criteria, each of which a measure needs."""
    if not isinstance(others, Mapping):
        raise ParameterError(
            f"others is a {type(others).__name__}: give further label sets by name, as "
            "others={'cred': labels} for NLRE(second=cred)@5"
        )
    needed = {name: measure for measure in measures for name in measure.sets}
    for name in sorted(needed.keys() - others.keys()):
        known = f"; given are {', '.join(others)}" if others else ""
        raise ParameterError(
            f"{needed[name]}: needs labels of the set '{name}' too{known}: give them under that "
            f"name, others={{'{name}': labels}} (--others {name}=FILE)"
        )
    for name in [one for one in others if one not in needed]:
        raise ParameterError(
            f"others: no measure needs the set '{name}': name it in one, as "
            f"NLRE(second={name})@5, or leave it out"
        )
    sets = {name: read_qrels(one, name=name) for name, one in others.items()}
    return {name: replace(one, name=name) for name, one in sets.items()}


def _judged(ranked: RankedLists, first: Labels, labels: Labels) -> Judged:
    """A further set in the codes of the rankings; says what it shares with them and the first."""
    check_documents_shared(first.table, labels.table, (first.name, labels.name))
    judged = Judged.from_table(labels.table, ranked)
    overlap = Overlap.of(labels.name, labels.table["docno"], judged, ranked)
    overlap.check()
    log.info("%s", overlap.facts())
    if lacks := set(first.topics) - set(judged.topics):
        log.warning(
            "%s judges no document of %d of the %d topics: grades by it count as 0",
            labels.name,
            len(lacks),
            len(first.topics),
        )
    _warn_of_nothing_relevant(labels, ())
    return judged


def _warn_of_nothing_relevant(labels: Labels, measures: Sequence[Measure]) -> None:
    """Warn of labels without a relevant document, or without one that a measure counts."""
    highest = float(np.max(to_numpy(labels.table["grade"])))
    if highest <= 0:
        problem = "no grade is above 0: nothing is relevant, and scores say nothing"
        log.warning("%s: %s", labels.name, problem)
        return
    for measure in measures:
        lowest = measure.relevant_from
        if lowest is not None and lowest > highest:
            problem = f"{labels.name} has no grade from {lowest:g} on, the highest is {highest:g}"
            log.warning("%s is 0 for every system: %s", measure, problem)


def _infers(measure: Measure) -> bool:
    """Whether a measure knows of documents that were in the pool and are not judged."""
    return measure.name == "infAP"


def _with_sampled_out(labels: pa.Table, sampled_out: pa.Table) -> pa.Table:
    """Labels with documents of their topics that were in the pool, with grades below 0."""
    topics = [pc.cast(table["topic"], pa.string()) for table in (sampled_out, labels)]
    of_topics = sampled_out.filter(pc.is_in(topics[0], pc.unique(topics[1])))
    kinds = {f.name: pa.string() for f in labels.schema if pa.types.is_dictionary(f.type)}
    plain = pa.schema([f.with_type(kinds.get(f.name, f.type)) for f in labels.schema])
    return pa.concat_tables([one.cast(plain) for one in (labels, of_topics)])


def matched(
    labels: Labels | Judgments,
    runs: Runs,
    unranked: str = "zero",
    measures: Iterable[str | Measure] = (),
) -> tuple[RankedLists, Judged]:
    """The rankings of all topics that a set judges, and its labels in their codes.

    Logs the overlap and warns of mismatches; see `match_runs`.

    Raises
    ------
    MethodError
        If runs and labels share almost nothing.
    ParameterError
        If a measure is undefined for grades below 0.
    """
    ranked, judged, overlap = match_runs(labels, runs, measures)
    for warning in overlap.warnings(unranked):
        log.warning("%s", warning)
    return ranked, judged


def runs_under(
    labels: Labels, runs: Runs, measures: Sequence[Measure]
) -> tuple[MemorySet, list[str]]:
    """`coded`, for measures without a further set; warns if a measure has no relevant document.

    Raises
    ------
    RegradeError
        As `matched`; or a measure needs a further set.
    """
    _further_sets(measures, {})
    made = coded(labels, runs, measures)
    _warn_of_nothing_relevant(labels, measures)
    return made


def coded(
    labels: Labels, runs: Runs, measures: Iterable[str | Measure]
) -> tuple[MemorySet, list[str]]:
    """Labels in the codes of runs, as in jobs, with the notes of an answer.

    Raises
    ------
    RegradeError
        As `matched`.
    """
    ranked, judged, overlap = match_runs(labels, runs, measures)
    return as_input(labels, ranked, judged), notes_on(labels, overlap, measures)


def match_runs(
    labels: Labels | Judgments, runs: Runs, measures: Iterable[str | Measure] = ()
) -> tuple[RankedLists, Judged, Overlap]:
    """The rankings of all topics that a set judges, its labels in their codes, and what both share.

    The label of a document with several judgments is the median of the values.

    Raises
    ------
    RegradeError
        As `matched`.
    """
    table = labels.table if isinstance(labels, Labels) else aggregate(labels.table, "median")
    _check_below_zero(table, labels.name, measures)
    if getattr(labels, "sampled_out", None) is not None and any(map(_infers, map(parse, measures))):
        raise MethodError(
            "infAP with sampled labels is scored only by regrade score, regrade.score"
        )
    ranked = runs.ranked.with_topics([*labels.topics, *unlabelled(table)])
    judged = Judged.from_table(table, ranked)
    overlap = Overlap.of(labels.name, table["docno"], judged, ranked)
    overlap.check()
    log.info("%s", overlap.facts())
    return ranked, judged, overlap


def notes_on(
    labels: Labels | Judgments, overlap: Overlap, measures: Iterable[str | Measure]
) -> list[str]:
    """Notes of an answer about runs: on a set, the overlap, and the relevance threshold."""
    return [*labels.notes, *overlap.notes(), relevance_note(measures, labels.likely_scale.high)]


WHAT_BELOW_ZERO = "below_zero='junk' or 'unjudged', --below-zero junk"
"""How it is said what grades below 0 mean."""


def _check_below_zero(table: pa.Table, name: str, measures: Iterable[str | Measure]) -> None:
    """Refuse grades below 0 that mean nothing to a measure; tell of those that count as junk."""
    grades = to_numpy(table["grade"])
    below = np.flatnonzero(grades < 0)
    if not below.size:
        return
    row = table.slice(int(below[grades[below].argmin()]), 1)
    of = f"{name} (topic {row['topic'][0]}, document {row['docno'][0]})"
    measures = list(map(parse, measures))
    for measure in measures:
        check_grades(measure, grades, of)
        if not (grades > 0).any() and measure.why_not_below_zero([-3.0]):
            raise ParameterError(
                f"{measure}: no grade of {name} is above 0, and some are below. For a "
                "model's scores, shift all values to 0 or above; for labels, give the "
                f"meaning of grades below 0 ({WHAT_BELOW_ZERO})"
            )
    if measures and (warning := junk_warning(grades)):
        if any(map(_infers, measures)):
            warning += (
                "; infAP takes them for the part of a pool that was not sampled, as trec_eval"
            )
        log.warning("%s: %s", name, warning)

"""All tables of a judge in place of people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.errors import MethodError, ParameterError
from regrade.evaluations.label_agreement import drawn_topics
from regrade.label_sets import LabelSet
from regrade.measures import Measure, parse_all
from regrade.replacement.annotators import AlternativeTest
from regrade.replacement.failures import failure_rows
from regrade.replacement.label_lines import confusion, grade_rows, label_lines
from regrade.replacement.line_samples import sample_rows
from regrade.replacement.margins import (
    NO,
    UNKNOWN,
    YES,
    JudgedLine,
    Margins,
    judged_lines,
    verdict_of,
)
from regrade.replacement.shared import ReplacementLabels
from regrade.replacement.system_lines import (
    SystemScores,
    change_rows,
    system_lines,
    system_rows,
    top_rows,
)
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score

TOPS = (1, 3, 5, 10)
"""Numbers of first systems, beside the one of the line."""

PERSON, COPY, LEFT_OUT = "person ", "copy of the reference: ", "left out: "
"""How quantities of `replace/facts` begin that are of each further person, of one whose labels are
the reference's, or of a measure left out."""

APART = "families without comparable systems"
"""Of `replace/facts`: its note has the families that the line of favour leaves out."""

VERDICT = "verdict"
"""Of `replace/facts`: its note is the verdict."""


@dataclass(frozen=True)
class ReplacementOptions:
    """How a judge is compared with people.

    Attributes
    ----------
    margins
        Stated beforehand.
    metric
        Of α.
    top
        k of the first systems.
    significance, correction
        Of pairs of systems.
    resamples, seed
        Of topics.
    """

    margins: Margins = field(default_factory=Margins)
    metric: str = "ordinal"
    top: int = 10
    significance: float = 0.05
    correction: str = "none"
    resamples: int = 1000
    seed: int = 1

    def __post_init__(self):
        """Check what numbers must be."""
        for name in ("top", "resamples"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} is {getattr(self, name)}: give at least 1")


def replacement_tables(
    reference: LabelSet,
    judge: LabelSet,
    people: Sequence[LabelSet] = (),
    crowd: LabelSet | None = None,
    *,
    ranked: RankedLists | None = None,
    measures: Sequence[str | Measure] = (),
    families: Mapping[str, Sequence[str]] | None = None,
    how: ReplacementOptions | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables of the stage ``replace``, without the answer.

    Parameters
    ----------
    reference, judge
        People's labels, and those that would replace them.
    people, crowd
        Labels of further people; judgments of such.
    ranked, measures
        The runs, and what scores them; ``None``: labels only.
    families
        Systems by family.
    how
        Margins and numbers of draws.

    Raises
    ------
    MethodError
        If no document, or no topic of the runs, is labelled in all sets; or no measure serves.
    """
    how = how or ReplacementOptions()
    shared = ReplacementLabels.of_people(reference, judge, people, crowd)
    T = len(shared.topics)
    drawn = drawn_topics(np.array(shared.topics), how.resamples, how.seed)
    weights = np.vstack([np.ones((1, T)), drawn, 1 - np.eye(T)])
    lines, test = label_lines(shared, weights, how.metric, how.margins.epsilon)
    scored, left_out = [], []
    if ranked is not None:
        scored, left_out = _scored(shared, ranked, parse_all(measures), weights[: 1 + len(drawn)])
    favours = []
    for of in scored:
        own, favour = system_lines(
            of, top=how.top, significance=how.significance, correction=how.correction,
            families=families, seed=how.seed,
        )  # fmt: skip
        lines += own
        favours.append(favour.assign(measure=of.measure))
    judged = judged_lines(lines, how.margins)
    topics = [row for of in scored or [None] for row in failure_rows(shared, of)]
    tables = {
        "lines": _frame("lines", map(line_row, judged)),
        "annotators": _annotators(test),
        "grades": _grades(shared, how),
        "confusion": confusion(shared),
        "facts": _frame("facts", _facts(shared, scored, left_out, test, judged, how, favours)),
        "topics": _frame("topics", topics),
        "samples": sample_rows(judged, T),
    }
    if ranked is None:
        return tables
    names = shared.names[1:]
    tops = {*TOPS, how.top}
    options = how.significance, how.correction, how.seed
    tables["top"] = _frame("top", (row for of in scored for row in top_rows(of, names, tops)))
    changes = (row for of in scored for row in change_rows(of, names, *options))
    tables["changes"] = _frame("changes", changes)
    tables["systems"] = pd.concat([system_rows(of) for of in scored])[columns_of("replace/systems")]
    if families:
        tables["favour"] = pd.concat(favours)[columns_of("replace/favour")]
    return tables


def _frame(name: str, rows: object) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns_of(f"replace/{name}"))


def _scored(
    shared: ReplacementLabels, ranked: RankedLists, measures: Sequence[Measure], weights: np.ndarray
) -> tuple[list[SystemScores], list[str]]:
    """Scores by each measure that serves, and why others do not."""
    if not set(shared.topics) & set(ranked.topics):
        topic = ranked.topics[0] if ranked.topics else "none"
        raise MethodError(
            f"no topic of the runs is labelled in all of {', '.join(shared.names)}: do topics have "
            f"the same format? The runs have {topic!r}"
        )
    served, left_out = [], []
    for measure in measures:
        if measure.relevant_from is not None and not shared.on_one_scale:
            left_out.append(f"{measure} counts relevant documents, and the scales differ")
        else:
            served.append(measure)
    if measures and not served:
        raise MethodError(
            f"{left_out[0]}: choose a measure without a relevance threshold, such as nDCG@10"
        )
    ranked = ranked.with_topics(shared.topics)
    scores = []
    for place, name in enumerate(shared.names):
        judged = Judged.from_table(shared.table(name), ranked)
        high = shared.sets[0 if shared.on_one_scale or place != 1 else 1].max_grade
        high = shared.grades[:, place].max() if high is None else high
        high = high if high > 0 else 1.0  # a judge that gives 0 alone
        scores.append(score(ranked, judged, served, max_grade=high, topics=shared.topics).values)
    stacked = np.stack(scores)
    systems = tuple(ranked.systems)
    return [
        SystemScores(str(measure), systems, shared.topics,
                     np.ascontiguousarray(stacked[:, :, :, m]), weights)
        for m, measure in enumerate(served)
    ], left_out  # fmt: skip


def line_row(judged: JudgedLine) -> dict[str, object]:
    """A row of ``replace/lines``."""
    line = judged.line
    margin = [end if np.isfinite(end) else np.nan for end in judged.margin]
    row = {"measure": line.measure or ALL_TOPICS, "quantity": line.name}
    row |= {"judge_value": line.judge, "second_value": line.second, "value": line.value}
    row |= dict(zip(("low", "high"), judged.interval, strict=True))
    row |= dict(zip(("all_low", "all_high"), judged.at_once, strict=True))
    row |= dict(zip(("margin_low", "margin_high"), margin, strict=True))
    return row | {"verdict": judged.verdict or None, "note": line.note}


def _annotators(test: AlternativeTest | None) -> pd.DataFrame:
    columns = columns_of("replace/annotators")
    if test is None:
        return pd.DataFrame(columns=columns).astype({"wins": bool})
    return test.people.rename(columns={"person": "worker"})[columns]


def _grades(shared: ReplacementLabels, how: ReplacementOptions) -> pd.DataFrame:
    rows = grade_rows(shared, how.resamples, how.seed) if shared.on_one_scale else ()
    return _frame("grades", rows)


def _facts(
    shared: ReplacementLabels,
    scored: Sequence[SystemScores],
    left_out: Sequence[str],
    test: AlternativeTest | None,
    judged: Sequence[JudgedLine],
    how: ReplacementOptions,
    favours: Sequence[pd.DataFrame],
) -> Iterator[dict]:
    """Rows of ``replace/facts``."""

    def fact(quantity: str, value: float = np.nan, note: str = "", measure: str = ALL_TOPICS):
        return {"measure": measure, "quantity": quantity, "value": float(value), "note": note}

    yield fact(VERDICT, np.nan, verdict_of(one.verdict for one in judged))
    yield fact("reference", shared.sizes[0], shared.names[0])
    yield fact("judge", shared.sizes[1], shared.names[1])
    for name, size in zip(shared.people, shared.sizes[2:], strict=True):
        yield fact(f"{PERSON}{name}", size, name)
    yield fact("documents", len(shared.frame))
    yield fact("topics", len(shared.topics))
    yield fact("documents without a label of the judge", shared.lacking[1])
    yield fact("people", len(shared.people))
    yield fact("one scale", shared.on_one_scale)
    words = [one.verdict for one in judged if one.verdict]
    yield fact("lines", len(words))
    for word in (YES, NO, UNKNOWN):
        yield fact(word, words.count(word))
    if test is not None and len(test.people):
        yield fact("people left out in turn", len(test.people))
        yield fact("winning rate", test.winning_rate)
        yield fact("advantage probability", test.advantage_probability)
    yield fact("identical labels", bool((shared.grades[:, 0] == shared.grades[:, 1]).all()))
    for name, margin in vars(how.margins).items():
        yield fact(f"margin {name}", np.nan if margin is None else margin)
    for name in ("top", "significance", "resamples", "seed"):
        yield fact(name, getattr(how, name))
    for name in ("metric", "correction"):
        yield fact(name, np.nan, getattr(how, name))
    for favour in favours:
        apart = favour.loc[~favour["is_comparable"].astype(bool)]
        if len(apart):
            yield fact(APART, len(apart), ", ".join(apart["group"]), favour["measure"].iloc[0])
    for name, grades in zip(shared.people, shared.grades.T[2:], strict=True):
        if (grades == shared.grades[:, 0]).all():
            yield fact(f"{COPY}{name}", np.nan, name)
    for why in left_out:
        yield fact(f"{LEFT_OUT}{why}", np.nan, why)
    for of in scored:
        yield fact("systems", len(of.systems), "", of.measure)
        means = of.scores.mean(axis=(1, 2))
        yield fact("reference mean", means[0], "", of.measure)
        yield fact("judge mean", means[1], "", of.measure)
        if len(means) > 2:
            yield fact("people mean", means[2:].mean(), "", of.measure)

"""What a panel of judges is worth, in words.

The verdict is the effective number of judges by the errors of labels given the human grade.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.table import AnswerColumn, AnswerTable, interval
from regrade.answers.words import by_quantity, listed, with_interval
from regrade.favours.effects import CONTROL, REFERENCE
from regrade.kendall import TOLERANCE
from regrade.panels.panel import ADDED, BEST_JUDGE, DROPPED
from regrade.panels.stage import Panel
from regrade.wording import counted, number, to_be

TABLES = (
    "panel/effective", "panel/judges", "panel/correlations", "panel/sizes", "panel/contrasts",
    "panel/numbers",
)  # fmt: skip

ERRORS = {
    "grade": "label given the human grade",
    "document": "label less the human label",
    "topic": "mean label of a topic",
    "score": "score of a system on a topic",
    "system": "mean score of a system",
    "family": "favour of a family on a topic",
}
"""What errors are of, by kind."""

RULES = {
    "mean": "the mean", "median": "the median", "median_low": "the lower median",
    "median_high": "the higher median", "majority": "the majority",
    "dawid-skene": "the Dawid–Skene label", "weighted": "the weighted vote",
}  # fmt: skip
"""What a panel's label is."""


def answer(
    tables: Mapping[str, pd.DataFrame],
    reference: str,
    rule: str = "mean",
    metric: str = "ordinal",
    controls: Sequence[str] = (),
) -> Answer:
    """The effective number of judges, whether the panel is better than one judge, and its bias.

    With labels of further people, the number free of people's errors is the first fact, and the
    bias gives way to the judge to add or drop.
    """
    of = by_quantity(tables["numbers"])
    every = tables["effective"].astype({"kind": str, "beside": str})
    effective, free = (every[every["beside"] == one] for one in (REFERENCE, CONTROL))
    chosen = changed(tables["contrasts"])
    return Answer.of(
        Panel.question,
        [
            verdict(effective),
            free_of_people(every, reference, controls),
            beside_best(tables["contrasts"], reference, metric),
            *([] if controls and chosen else [bias(tables["numbers"], reference)]),
            chosen,
        ],
        key=key(effective),
        rows=rows(effective, free, reference),
        method=method(every, of, reference, rule, metric, controls),
        notes=[
            *alone(of),
            *unvaried(effective),
            *unvaried_of_people(free),
            *without_error(tables["judges"], reference),
            *left_out(of, reference),
            *stretched(tables["numbers"], reference),
            *sampled(of),
            *shared_errors(of, reference),
            *controls_alike(of, reference),
        ],
        tables=TABLES,
    )


def verdict(effective: pd.DataFrame) -> str:
    """How many independent judges the panel is worth."""
    first = effective.iloc[0]
    judges = counted(first["judges"], "judge")
    if first["judges"] == 1:
        return "A panel of 1 judge is worth 1 judge: give several judges."
    if pd.isna(first["effective"]):
        return (
            f"The effective number of judges is undefined for {judges}: the errors of their "
            "average do not vary."
        )
    effective = number(first["effective"], 1)
    return (
        f"The panel of {judges} is worth {effective} independent judges (errors of labels given "
        f"the human grade{_ends(first['low'], first['high'], 1)})."
    )


def _ends(low: float, high: float, digits: int) -> str:
    """``, 95% CI 2.0–2.7``; empty where there is no interval."""
    return "" if pd.isna(low) else f", 95% CI {interval(low, high, digits)}"


def key(effective: pd.DataFrame) -> str:
    """The number of the verdict."""
    first = effective.iloc[0]
    if pd.isna(first["effective"]):
        return ""
    return f"{number(first['effective'], 1)} of {first['judges']:.0f} judges"


def free_of_people(every: pd.DataFrame, reference: str, controls: Sequence[str]) -> str:
    """The effective number free of people's errors, where further people labelled.

    Of errors of labels: it assumes least, that people label independently.
    """
    labels = every[every["kind"] == "document"].set_index("beside")
    if not controls or labels.iloc[0]["judges"] == 1:
        return ""
    free, beside = labels.loc[CONTROL], labels.loc[REFERENCE]
    if pd.isna(free["effective"]):
        return f"n_eff free of people's errors ({listed(controls)}) is undefined."
    values = [with_interval(one["effective"], one["low"], one["high"], 1) for one in (free, beside)]
    return (
        f"By errors of labels, n_eff free of people's errors ({listed(controls)}) is {values[0]}. "
        f"Relative to {reference} it is {values[1]}."
    )


def rows(effective: pd.DataFrame, free: pd.DataFrame, reference: str) -> AnswerTable | None:
    """A row for each kind of error; beside further people, n_eff free of people's errors too."""
    measures = effective["measure"].dropna()
    first = measures.iloc[0] if len(measures) else None
    some = effective[effective["measure"].isna() | (effective["measure"] == first)]
    judges, topics = some.iloc[0][["judges", "topics"]]
    title = f"{counted(judges, 'judge')} and {reference} · {counted(topics, 'topic')}"
    columns = [
        AnswerColumn("error of"), AnswerColumn("n_eff", "estimate", 2),
        *([] if free.empty else [AnswerColumn("n_eff free of people's errors", "estimate", 2)]),
        AnswerColumn("mean correlation", "number", 2),
        AnswerColumn("sd of a judge", "number"), AnswerColumn("sd of the average", "number"),
        AnswerColumn("n_eff weighted", "number", 2),
    ]  # fmt: skip
    is_first = free["measure"].isna() | (free["measure"] == first)
    of_people = {r.kind: (r.effective, r.low, r.high) for r in free[is_first].itertuples()}
    cells = (
        (_error_of(r.kind, r.measure), (r.effective, r.low, r.high),
         *([] if free.empty else [of_people.get(r.kind, (None, None, None))]),
         r.error_correlation, r.error_sd, r.panel_sd, r.weighted)
        for r in some.itertuples()
    )  # fmt: skip
    return AnswerTable.of(title, columns, cells)


def _error_of(kind: str, measure: str | None) -> str:
    return ERRORS[kind] if pd.isna(measure) else f"{ERRORS[kind]} ({measure})"


def _contrast(contrasts: pd.DataFrame, name: str, quantity: str) -> pd.Series | None:
    """The first row of a contrast and a quantity."""
    texts = contrasts.astype({"contrast": str, "quantity": str})
    of = texts[(texts["contrast"] == name) & (texts["quantity"] == quantity)]
    return None if of.empty or pd.isna(of.iloc[0]["difference"]) else of.iloc[0]


def _difference(row: pd.Series, name: str, digits: int) -> str:
    """``Δα = 0.012, 95% CI −0.004 to 0.028``."""
    ends = _ends(row["low"], row["high"], digits)
    return f"{name} = {number(row['difference'], digits)}{ends}"


def _how_different(row: pd.Series) -> str:
    """What the interval says of a difference."""
    if pd.isna(row["low"]):
        return "was not tested"
    if row["low"] > 0:
        return "is significantly higher"
    return "is significantly lower" if row["high"] < 0 else "does not differ significantly"


def beside_best(contrasts: pd.DataFrame, reference: str, metric: str) -> str:
    """Whether the panel agrees, and ranks, better than the best single judge."""
    alpha, tau = (_contrast(contrasts, BEST_JUDGE, name) for name in ("alpha", "tau"))
    if alpha is None:
        return ""
    parts = [
        f"α with {reference} ({metric}) is {number(alpha['panel'])} for the panel and "
        f"{number(alpha['other'])} for the single judge that is best on other topics "
        f"({_difference(alpha, 'Δα', 3)})."
    ]
    if tau is not None:
        parts.append(
            f"τ_b with the ranking under {reference} ({tau['measure']}) is "
            f"{number(tau['panel'], 2)} and {number(tau['other'], 2)} "
            f"({_difference(tau, 'Δτ_b', 2)})."
        )
    return " ".join(parts)


def bias(numbers: pd.DataFrame, reference: str) -> str:
    """The bias of judges, and of their average."""
    of = numbers.astype({"quantity": str}).set_index("quantity")
    own, judges = of.loc["bias of panel"], of.loc["bias of judges", "value"]
    value = with_interval(own["value"], own["low"], own["high"], 2)
    return (
        f"The bias of the average relative to {reference} is {value} grades; the root mean square "
        f"of the judges' biases is {number(judges, 2)}."
    )


def changed(contrasts: pd.DataFrame) -> str:
    """What the addition, else the omission, of a judge chosen on other topics gains."""
    for name, words in ((ADDED, "With {}, the first candidate to add"),
                        (DROPPED, "Without {}, the first judge to drop")):  # fmt: skip
        row = _contrast(contrasts, name, "alpha")
        if row is not None:
            return (
                f"{words.format(row['judge'])}, α {_how_different(row)} "
                f"({_difference(row, 'Δα', 3)}, the judge being chosen on other topics)."
            )
    return ""


def method(
    effective: pd.DataFrame,
    of: Mapping[str, float],
    reference: str,
    rule: str,
    metric: str,
    controls: Sequence[str] = (),
) -> str:
    """What was computed, with every interval, n and seed."""
    topics, seed = counted(of["topics"], "topic"), f"seed {of['seed']:.0f}"
    has_ends = effective["low"].notna().any()
    parts = [
        f"Errors of {counted(of['labelled'], 'document')} of {topics} are judges' labels less "
        f"those of {reference}, or less a judge's mean label of the documents of that human grade "
        "(given the human grade); topics count equally.",
        "The effective number of judges n_eff is the mean error variance of the judges over the "
        "variance of the error of their average.",
    ]
    if controls:
        parts.append(
            f"Free of people's errors, it is by products of two judges' errors, one beside "
            f"{reference} and one beside a further person ({listed(controls)}; "
            f"{counted(of['controlled topics'], 'topic')}). The truth is the mean label of people."
        )
    if has_ends:
        parts.append(
            "Its 95% confidence intervals are by the jackknife over topics (logarithms, Student's "
            "t or Hall's transformation)."
        )
    if effective["weighted"].notna().any():
        parts.append(
            "The weighted n_eff is of the average with the weights of least error variance on "
            f"other topics ({of['folds']:.0f} folds)."
        )
    if of["folds"]:
        of_ranking = " and Kendall's τ_b of the rankings of systems" if of["systems"] > 1 else ""
        parts.append(
            f"The label of a panel is {RULES[rule]} of its judges, rounded to a grade for "
            f"Krippendorff's α ({metric}, all documents). Judges to compare with, to drop or to "
            f"add were chosen by α on other topics ({of['folds']:.0f}-fold cross-validation, "
            f"{seed}). α{of_ranking} and differences have 95% confidence intervals by Student's t "
            f"over topics ({of['resamples']:,.0f} bootstrap samples), those of differences being "
            "widened for the topics that the folds share."
        )
    return " ".join(parts)


# --- notes ----------------------------------------------------------------------------------------


def alone(of: Mapping[str, float]) -> Iterator[str]:
    """That one judge has nobody to correlate with."""
    if of["judges"] == 1:
        yield "With one judge, no correlation of errors and no larger panel exists."


def unvaried(effective: pd.DataFrame) -> Iterator[str]:
    """Of which kinds of error no number, or no interval, is given."""
    several = effective[effective["judges"] > 1]
    undefined = several[several["effective"].isna() & several["error_sd"].notna()].reset_index()
    for row in undefined.itertuples():
        if row.Index:
            yield (
                f"n_eff is undefined for errors of the {_error_of(row.kind, row.measure)}: the "
                "estimated variance of the average's error is not above 0."
            )
    is_copy = (several["effective"] - 1).abs() <= TOLERANCE
    if is_copy.any() and is_copy.iloc[0]:
        yield "All judges have the same errors: n_eff is 1 without an interval."


def unvaried_of_people(free: pd.DataFrame) -> Iterator[str]:
    """For which kinds of error no number free of people's errors is given."""
    undefined = free[(free["judges"] > 1) & free["effective"].isna()]
    if len(undefined):
        kinds = listed([_error_of(r.kind, r.measure) for r in undefined.itertuples()])
        yield (
            f"n_eff free of people's errors is undefined for errors of the {kinds}: an estimated "
            "variance is not above 0."
        )


def without_error(judges: pd.DataFrame, reference: str) -> Iterator[str]:
    """Which judges of a panel have no error given the human grade, whatever their labels are."""
    has_none = (judges["error_sd"] <= TOLERANCE) & ~judges["is_candidate"].astype(bool)
    names = judges.loc[has_none, "judge"].astype(str).tolist()
    if names and len(judges) > 1:
        gives = "gives" if len(names) == 1 else "give"
        yield (
            f"{listed(names)} {gives} one label to all documents of a grade of {reference}: no "
            "error given the human grade varies, which n_eff counts as independence."
        )


def left_out(of: Mapping[str, float], reference: str) -> Iterator[str]:
    """How many documents and topics some judge lacks."""
    if of["left out"]:
        topics = of["topics left out"]
        of_topics = f" and all of {counted(topics, 'topic')}" if topics else ""
        lacking = of["judges that lack documents"]
        yield (
            f"{counted(of['left out'], 'document')} of {reference}{of_topics} "
            f"{to_be(of['left out'])} left out, which {counted(lacking, 'judge')} did not label."
        )
    if some := of["left out of controls"]:
        yield f"{counted(some, 'document')} {to_be(some)} left out, which a further person lacks."
    if of["controls"] and of["controlled topics"] < of["topics"]:
        few = of["controlled topics"]
        yield (
            f"n_eff free of people's errors is of {few:,.0f} of {counted(of['topics'], 'topic')}: "
            "the others have no labels of a further person."
        )


def stretched(numbers: pd.DataFrame, reference: str) -> Iterator[str]:
    """Which judges' scales were stretched onto the people's."""
    of = by_quantity(numbers)
    if of["stretched"]:
        scales = "another scale" if of["stretched"] == 1 else "other scales"
        yield (
            f"Values of {counted(of['stretched'], 'judge')} on {scales} were mapped linearly onto "
            f"the grades 0 to {of['highest grade']:.0f} of {reference}."
        )


def sampled(of: Mapping[str, float]) -> Iterator[str]:
    """That people labelled a sample, and what was not computed."""
    if not of["sampled"]:
        return
    yield (
        f"Human labels exist for {of['labelled']:,.0f} of {counted(of['documents'], 'document')}: "
        "each counts by the inverse of its inclusion probability, and system rankings are not "
        "computed (`regrade estimate` estimates scores)."
    )
    if of["unlabelled"]:
        yield (
            f"{counted(of['unlabelled'], 'sampled document')} {to_be(of['unlabelled'])} without a "
            "human label, which is assumed to be missing at random."
        )


def shared_errors(of: Mapping[str, float], reference: str) -> Iterator[str]:
    """What errors of the people do."""
    if of["judges"] > 1 and of["controls"]:
        yield (
            "n_eff free of people's errors assumes that people label independently of each other. "
            "An opinion that people share counts as the truth."
        )
    elif of["judges"] > 1:
        yield (
            f"Errors of {reference} itself are errors that all judges share, so n_eff is a lower "
            "bound where human labels are noisy."
        )


def controls_alike(of: Mapping[str, float], reference: str) -> Iterator[str]:
    """That further people have the reference's labels."""
    if some := of["people alike"]:
        has = "has" if some == 1 else "have"
        yield (
            f"{counted(some, 'further person', 'further people')} {has} the labels of {reference}: "
            "such errors are not independent, and n_eff is not free of them."
        )

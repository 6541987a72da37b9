"""Would other labels have changed the evaluation?

With runs the light is fine where the ranking by the first measure is largely preserved, a problem
where it is not preserved. Without runs it is fine where the 95% CI of Krippendorff's α lies above
0.8, a problem where it lies below 0.667 (Krippendorff's limits of reliable and of tentative
conclusions).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from regrade.answers.changed import (
    estimate,
    individual_changes,
    pair_changes,
    preservation,
    ranking_verdict,
    tau_estimate,
    tie_range,
    top_agreement,
)
from regrade.answers.glossary import LARGELY, NOT
from regrade.answers.pair_tests import CORRECTED, TESTS, test_of_pairs
from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable, interval
from regrade.answers.words import (
    ALL_DOCUMENTS,
    alpha_of,
    by_quantity,
    named,
    of_measure,
    percent,
    rows_of,
)
from regrade.catalogue import ALL_TOPICS
from regrade.kendall import TOLERANCE
from regrade.wording import counted, number

LABELS = tuple(f"compare/{name}" for name in (
    "facts", "agreement", "labels", "grade_bias", "confusion"))  # fmt: skip

SYSTEMS = tuple(f"compare/{name}" for name in (
    "systems", "rankings", "pair_counts", "changes", "reliability"))  # fmt: skip

OF_SCORES = tuple(f"compare/{name}" for name in ("facts", "top_k", "topics"))
"""What the answer rests on beside them where there are scores by item and no labels."""

TOP = 5
"""Of the top so many systems it is said how many both share, or of as many as there are."""

FEWEST_OF_HALF = 5
"""Topics of a half from which on it is tested whether sets disagree beyond their halves."""

RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff's α from which on labels are reliable, and allow tentative conclusions."""

MOST_ROWS, MOST_GRADES = 200, 25
"""Of the small table; with more grades there is none, as with real numbers."""


def answer(
    first: str, second: str, tables: Mapping[str, pd.DataFrame], metric: str = "ordinal"
) -> Answer:
    """The answer from the tables of the stage ``compare``, by name: of systems, or of labels."""
    if "systems" in tables:
        return answer_of_systems(first, second, tables, metric)
    return answer_of_labels(first, second, tables, metric)


# --- labels ---------------------------------------------------------------------------------------


def answer_of_labels(
    first: str, second: str, tables: Mapping[str, pd.DataFrame], metric: str
) -> Answer:
    """How far the labels agree, and on which grades they differ."""
    facts = by_quantity(tables["facts"])
    statistics = tables["labels"].set_index("quantity")
    sentences = [label_verdict(first, second, tables, metric)]
    if facts["same scale"]:
        sentences += [
            mean_difference(first, second, statistics, tables["confusion"]),
            weighted_kappas(statistics),
        ]
    sentences.append(labels_of_one(first, second, tables["agreement"]))
    equal = statistics.loc["equal", "value"]
    return Answer.of(
        f"Do {first} and {second} assign the same grades?",
        sentences,
        key="" if pd.isna(equal) else f"{percent(equal, 1)} exact agreement",
        light=light_of_labels(statistics),
        rows=grade_rows(first, second, tables["grade_bias"], facts),
        method=label_method(metric, facts),
        notes=scale_notes(tables["facts"]),
        tables=LABELS,
    )


def label_verdict(first: str, second: str, tables: Mapping[str, pd.DataFrame], metric: str) -> str:
    """On how many documents the sets agree exactly, with α and κ."""
    facts, statistics = by_quantity(tables["facts"]), tables["labels"].set_index("quantity")
    both = counted(facts["documents both"], "co-judged document")
    if not facts["same scale"]:
        return f"{first} and {second} have {both}; their scales differ, so agreement is undefined."
    equal = percent(statistics.loc["equal", "value"], 1)
    return (
        f"{first} and {second} agree exactly on {equal} of {both}"
        f"{coefficients(statistics, metric)}."
    )


def coefficients(statistics: pd.DataFrame, metric: str) -> str:
    """α with its interval, and κ, in parentheses; empty where both are undefined."""
    alpha, kappa = (statistics.loc[name] for name in ("alpha", "kappa"))
    parts = []
    if pd.notna(alpha["value"]):
        name = f"{metric} α"
        parts.append(estimate(name, alpha["value"], (alpha["low"], alpha["high"]), 3))
    if pd.notna(kappa["value"]):
        parts.append(f"Cohen's κ = {number(kappa['value'])}")
    return f" ({'; '.join(parts)})" if parts else ""


def mean_difference(
    first: str, second: str, statistics: pd.DataFrame, confusion: pd.DataFrame
) -> str:
    """By how much the second set's grades are higher or lower on average."""
    value, low, high = statistics.loc["difference", ["value", "low", "high"]]
    if not round(value, 2):
        return ""
    grades = confusion[["first_grade", "second_grade"]].stack()
    inside = f"{estimate('Δ', value, (low, high))}, grades {grades.min():g} to {grades.max():g}"
    if low < 0 < high:
        return f"Mean grades of {first} and {second} do not differ significantly ({inside})."
    more = "higher" if value > 0 else "lower"
    return f"{second} assigns {more} grades on average ({inside})."


def weighted_kappas(statistics: pd.DataFrame) -> str:
    """Linear and quadratic weighted κ."""
    parts = []
    for name in ("linear", "quadratic"):
        value, low, high = statistics.loc[f"{name}_kappa", ["value", "low", "high"]]
        if pd.isna(value):
            return ""
        known = "" if pd.isna(low) else f", 95% CI {interval(low, high)}"
        parts.append(f"{number(value)} ({name} weights{known})")
    return f"Weighted κ is {' and '.join(parts)}."


def labels_of_one(first: str, second: str, agreement: pd.DataFrame) -> str:
    """How many documents only one set labels."""
    whole = agreement[agreement["topic"] == ALL_TOPICS].iloc[0]
    parts = [
        f"{counted(whole[column], 'document')} only by {name}"
        for name, column in ((first, "only_first"), (second, "only_second"))
        if whole[column]
    ]
    if not parts:
        return ""
    return f"Not compared: labelled are {' and '.join(parts)}."


def light_of_labels(statistics: pd.DataFrame) -> str:
    """Whether α lies within Krippendorff's limits; empty without its interval."""
    low, high = statistics.loc["alpha", ["low", "high"]]
    if pd.isna(low):
        return ""
    return FINE if low >= RELIABLE else PROBLEM if high < TENTATIVE else LOOK


def grade_rows(
    first: str, second: str, grades: pd.DataFrame, facts: Mapping[str, float]
) -> AnswerTable | None:
    """Each grade of the first set: documents, exact agreement, bias of the second."""
    if not facts["same scale"] or len(grades) > MOST_GRADES:
        return None
    decimals = 0 if (grades["grade"] % 1 == 0).all() else 2
    columns = [
        AnswerColumn(f"grade, {first}", "number", decimals), AnswerColumn("documents", "count"),
        AnswerColumn("exact agreement", "share"),
        AnswerColumn(f"bias of {second}", "estimate", 2),
    ]  # fmt: skip
    cells = (
        (row.grade, row.documents, row.equal, (row.difference, row.low, row.high))
        for row in grades.itertuples()
    )
    both, topics = facts["documents both"], facts["topics both"]
    n = f"{counted(both, 'co-judged document')} · {counted(topics, 'topic')}"
    return AnswerTable.of(f"{first} and {second} · {n}", columns, cells)


def label_method(metric: str, facts: Mapping[str, float]) -> str:
    """Which coefficients, over what, and how their intervals were made."""
    if not facts["same scale"]:
        return ""
    topics, both = counted(facts["topics both"], "topic"), facts["documents both"]
    return (
        f"Labels were compared on {counted(both, 'co-judged document')} of {topics} by exact "
        f"agreement, Krippendorff's {alpha_of(metric, ALL_DOCUMENTS)} and Cohen's κ, unweighted "
        "and weighted. Bias is the mean of the second grade minus the first. 95% confidence "
        f"intervals are over topics ({facts['resamples']:,.0f} bootstrap samples, seed "
        f"{facts['seed']:.0f}; Student's t on their standard deviation, widened for skewness)."
    )


def scale_notes(facts: pd.DataFrame) -> Iterator[str]:
    """That sets are on different scales."""
    of = facts.set_index("quantity")["note"].astype(str)
    if note := of.get("same scale", ""):
        yield f"{note[0].upper()}{note[1:]}."


# --- systems --------------------------------------------------------------------------------------


def answer_of_systems(
    first: str, second: str, tables: Mapping[str, pd.DataFrame], metric: str
) -> Answer:
    """Whether the ranking is preserved, by the first measure; further ones have one fact."""
    facts = by_quantity(tables["facts"])
    measure, *others = dict.fromkeys(tables["systems"]["measure"].astype(str))
    of = rows_of(tables, SYSTEMS if "labels" in tables else SYSTEMS + OF_SCORES[1:], measure)
    changes, counts = of["changes"].iloc[0], change_counts(of)
    changed = sum(counts[name] for name in ("appears", "disappears", "reverses"))
    tau = of["rankings"].set_index("quantity").loc["tau"]
    notes = [
        best_systems(first, second, of["systems"]),
        individual_changes(changed, changes["significant_changes"]),
        split_halves(of["reliability"]),
        tie_range(*tau[["value", "ties_low", "ties_high"]]),
        item_disagreement(first, second, tables),
        unlabelled(
            {
                name: facts.get(f"not relevant {which}", 0)
                for name, which in ((first, "first"), (second, "second"))
            }
        ),
    ]
    return Answer.of(
        f"Would {second} instead of {first} have changed the evaluation?",
        [
            verdict(first, second, measure, of),
            pair_changes(counts, first, second, chosen_test(tables["facts"])),
            further_measures({m: rows_of(tables, SYSTEMS, m) for m in others}),
            label_agreement(tables, metric)
            if "labels" in tables
            else top_systems(of, first, second),
        ],
        key=key(tau, len(of["systems"])),
        light=light(tau, len(of["systems"])),
        rows=system_rows(first, second, tables["systems"], [measure, *others], facts),
        method=method(first, second, tables["facts"], metric),
        notes=[*scale_notes(tables["facts"]), *notes],
        tables=(LABELS if "labels" in tables else OF_SCORES) + SYSTEMS,
    )


def verdict(first: str, second: str, measure: str, of: Mapping[str, pd.DataFrame]) -> str:
    """Whether the second set preserves the ranking by the first."""
    tau = of["rankings"].set_index("quantity").loc["tau"]
    return ranking_verdict(
        f"Replacing {first} with {second}",
        len(of["systems"]),
        measure,
        tau["value"],
        (tau["low"], tau["high"]),
        int(of["changes"].iloc[0]["moved"]),
    )


def best_systems(first: str, second: str, systems: pd.DataFrame) -> str:
    """Which systems are first under each set, where these are others."""
    before, after = (
        sorted(systems.loc[systems[rank] == 1, "system"].astype(str))
        for rank in ("first_rank", "second_rank")
    )
    if before == after:
        return ""
    was, becomes = named(before, "system"), named(after, "system")
    return f"The top system changes from {was} under {first} to {becomes} under {second}."


def key(tau: pd.Series, systems: int) -> str:
    """τ_b and of what."""
    if systems == 1 or pd.isna(tau["value"]):
        return ""
    return f"τ_b = {number(tau['value'], 2)} over {systems:,} systems"


def light(tau: pd.Series, systems: int) -> str:
    """Whether the ranking is preserved; empty without an interval."""
    word = preservation((tau["low"], tau["high"])) if systems > 1 else ""
    return word and {LARGELY: FINE, NOT: PROBLEM}.get(word, LOOK)


def change_counts(of: Mapping[str, pd.DataFrame]) -> dict[str, float]:
    """How many pairs become what, and how many another sample of topics would change."""
    counts = of["pair_counts"].groupby("change", observed=True)["pairs"].sum()
    names = ("appears", "disappears", "reverses")
    changes = of["changes"].iloc[0][["pairs", "by_topics", "low", "high"]].to_dict()
    return {name: int(counts.get(name, 0)) for name in names} | changes


def top_systems(of: Mapping[str, pd.DataFrame], first: str, second: str) -> str:
    """What the top systems under both judges share."""
    rows = of["top_k"][of["top_k"]["first"] < len(of["systems"])]
    if not len(rows):
        return ""
    row = rows[rows["k"] <= max(TOP, rows["k"].min())].iloc[-1]
    return (
        f"{row['shared']:.0f} of the top {counted(row['first'], 'system')} under {first} "
        f"{'is' if row['shared'] == 1 else 'are'} in the top {row['k']:.0f} under {second} "
        f"({top_agreement(row)})."
    )


def item_disagreement(first: str, second: str, tables: Mapping[str, pd.DataFrame]) -> str:
    """On which topic the two judges' scores of the systems agree least; of scores by item."""
    if "labels" in tables:
        return ""
    topics = of_measure(tables["topics"], str(tables["systems"]["measure"].iloc[0]))
    known = topics[topics["tau"].notna()]
    if len(known) < 2:
        return ""
    low = known.loc[known["tau"].idxmin()]
    return (
        f"{first} and {second} disagree most about topic {low['topic']} (τ_b of the systems' "
        f"scores {number(low['tau'], 2)}, means {number(low['first'])} and "
        f"{number(low['second'])})."
    )


def chosen_test(facts: pd.DataFrame) -> str:
    """The test of pairs, its level and correction."""
    of = facts.set_index("quantity")
    test, correction = of.loc[["test", "correction"], "note"]
    return test_of_pairs(test, correction, of.loc["significance", "value"])


def further_measures(of: Mapping[str, Mapping[str, pd.DataFrame]]) -> str:
    """Whether the rankings by further measures are preserved."""
    parts = []
    for measure, tables in of.items():
        tau = tables["rankings"].set_index("quantity").loc["tau"]
        if pd.isna(tau["value"]):
            continue
        ends = tau["low"], tau["high"]
        value, word = tau_estimate(tau["value"], ends), preservation(ends)
        parts.append(f"by {measure} it is {word} ({value})" if word else f"by {measure}, {value}")
    if not parts:
        return ""
    parts[0] = parts[0].replace(" it is ", " the ranking is ", 1)
    return f"{parts[0][0].upper()}{'; '.join(parts)[1:]}."


def label_agreement(tables: Mapping[str, pd.DataFrame], metric: str) -> str:
    """How far the labels agree, as one fact."""
    facts, statistics = by_quantity(tables["facts"]), tables["labels"].set_index("quantity")
    if not facts["same scale"]:
        return ""
    both = counted(facts["documents both"], "co-judged document")
    equal = percent(statistics.loc["equal", "value"], 1)
    return f"Labels agree exactly on {equal} of {both}{coefficients(statistics, metric)}."


def system_rows(
    first: str,
    second: str,
    systems: pd.DataFrame,
    measures: list[str],
    facts: Mapping[str, float],
) -> AnswerTable | None:
    """The systems in the order of the first set, with means and ranks under both."""
    measure, *others = measures
    rows = of_measure(systems, measure).sort_values("first_rank", kind="stable")
    moves = [of_measure(systems, m).astype({"system": str}).set_index("system") for m in others]
    columns = [
        AnswerColumn("rank", "count"), AnswerColumn("system"),
        AnswerColumn(f"{measure}, {first}", "number"), AnswerColumn(second, "number"),
        AnswerColumn("Δ", "estimate"), AnswerColumn(f"rank, {second}", "count"),
        AnswerColumn("rank change", "count"),
        *(AnswerColumn(f"rank change, {other}", "count") for other in others),
    ]  # fmt: skip
    cells = (
        (row.first_rank, str(row.system), row.first, row.second,
         (row.difference, row.low, row.high), row.second_rank, row.move,
         *(of.loc[str(row.system), "move"] for of in moves))
        for row in rows.head(MOST_ROWS).itertuples()
    )  # fmt: skip
    n = f"{counted(len(rows), 'system')} · {counted(facts['topics scored'], 'topic')}"
    return AnswerTable.of(f"{measure} · {n}", columns, cells)


def method(first: str, second: str, facts: pd.DataFrame, metric: str) -> str:
    """What was compared, with every test, interval, n and seed."""
    value, note = by_quantity(facts), facts.set_index("quantity")["note"]
    scored = (
        f"{counted(value['systems'], 'system')} were scored under {first} and {second} on "
        f"{counted(value['topics scored'], 'topic')}"
    )
    scored = scored.replace("1 system were", "1 system was")
    if value["systems"] < 2 or value["topics scored"] < 2:
        return f"{scored}."
    samples = f"{value['resamples']:,.0f} bootstrap samples of topics, seed {value['seed']:.0f}"
    sentence = (
        f"{scored} and ranked by their means. Rankings were compared by Kendall's τ_b, with a 95% "
        f"confidence interval by Student's t ({samples}). Intervals of Δ are by Student's t, "
        "widened for skewness. Pairs were compared under each set by a two-sided "
        f"{TESTS[note['test']]} over topics (α = {value['significance']:g}, "
        f"{CORRECTED[note['correction']]}). The effect of topic sampling is the mean number of "
        f"pairs that change significance between two bootstrap samples of topics under {first} "
        f"(paired t-test, {value['topic draws']:.0f} repetitions)."
    )
    if not value.get("same scale"):
        return sentence
    return (
        f"{sentence} Labels were compared by exact agreement, Krippendorff's "
        f"{alpha_of(metric, ALL_DOCUMENTS)} and Cohen's κ."
    )


def unlabelled(lacking: Mapping[str, float]) -> str:
    """What becomes of documents that a set, by its name, does not label and the other does."""
    parts = [f"{n:,.0f} in {name}" for name, n in lacking.items() if n]
    if not parts:
        return ""
    return (
        f"Documents without a label count as not relevant ({', '.join(parts)}); "
        "`--documents shared` leaves them out."
    )


def split_halves(reliability: pd.DataFrame) -> str:
    """How much less halves of the topics agree across the sets than rankings of one order would.

    Nothing is said of halves of fewer topics than `FEWEST_OF_HALF`.
    """
    row = _excess(reliability)
    if row is None or row["topics"] < FEWEST_OF_HALF:
        return ""
    detected = is_beyond_chance(reliability)
    return (
        f"Split-half τ_b across the two sets is {number(row['value'], 2)} (95% of splits "
        f"{interval(row['low'], row['high'], 2)}) lower than expected under equal rankings: "
        f"{'' if detected else 'no '}detectable additional disagreement."
    )


def is_beyond_chance(reliability: pd.DataFrame) -> bool:
    """Whether two sets disagree about systems significantly more than halves of the topics do."""
    row = _excess(reliability)
    if row is None or row["topics"] < FEWEST_OF_HALF:
        return False
    of = reliability[reliability["quantity"] == "tau"].set_index("of")
    return bool((of.loc[["first", "second", "excess"], "low"] > TOLERANCE).all())


def _excess(reliability: pd.DataFrame) -> pd.Series | None:
    """The row of what two sets disagree by beyond their halves; ``None`` where it is unknown."""
    of = reliability[reliability["quantity"] == "tau"].set_index("of")
    if not len(of) or pd.isna(of.loc["excess", "value"]):
        return None
    return of.loc["excess"]

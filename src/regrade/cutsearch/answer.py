"""Which thresholds convert a fine scale to grades, can they be trusted, what do they change?

The sentences are made of the tables ``cuts/recommended`` and ``cuts/recommended_systems``. The
light is fine where the thresholds improve on equal widths on held-out topics, or are those; a
problem where they do worse, where α is not significantly above 0, or where one level has all
documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable, interval
from regrade.answers.words import MEAN_OVER_TOPICS, alpha_of, listed, named
from regrade.catalogue import CUT_COLUMNS
from regrade.cutsearch.recommended import ChosenCut
from regrade.cutsearch.recommended_numbers import EQUAL, GIVEN, Numbers
from regrade.scales import briefly
from regrade.wording import counted, number, to_be

TABLES = ("cuts/recommended", "cuts/recommended_systems", "cuts/plateau_effects")

COMPARED = {
    "h1_ta": "each worker's grades and the vote of the other workers' grades",
    "h1_at": "each worker's grades and the grades of the other workers' aggregated values",
    "tw1": "all workers' grades",
    "h2": "each worker's grades and {reference}",
    "d2_at": "the grades of documents (values aggregated first) and {reference}",
    "d2_ta": "the vote of the workers' grades and {reference}",
}
"""Between what a method of cutting computes α."""


def question(source: str, levels: int) -> str:
    """As a user asks it."""
    return f"Which thresholds convert {source} to {levels} grades, and can they be trusted?"


def answer_of(
    chosen: ChosenCut,
    numbers: pd.DataFrame,
    systems: pd.DataFrame | None,
    source: str,
    measure: str,
    metric: str = "ordinal",
) -> Answer:
    """The answer from the numbers of the chosen thresholds and the systems under them."""
    values = Numbers(numbers)
    is_tested = ("plateau", "") in values
    optimum = values["plateau", ""].note if is_tested else ties(chosen, values)
    compared = dict.fromkeys(numbers.loc[numbers["quantity"] == "tau", "beside"])
    other = next((beside for beside in compared if beside != EQUAL), EQUAL)
    changes = systems_under(values, other, measure) if compared else ()
    sentences = [verdict(chosen, values), optimum, own_thresholds(values), *changes]
    first, *facts = filter(None, sentences)
    return Answer.of(
        question(source, chosen.labelling.levels),
        [first, *facts[:3]],
        key=key(chosen, values),
        light=light(chosen, values),
        rows=thresholds(chosen, values, compared, source),
        method=method(chosen, values, source, metric, measure if compared else ""),
        notes=[
            *worthless(values),
            *notes(chosen, values),
            *equal_scores(systems, measure),
            *(tie_breaking(values, beside) for beside in compared),
        ],
        tables=TABLES if is_tested else TABLES[:2],
    )


def no_search(unserved: Sequence[str]) -> str:
    """Why no search was made, from why each method is not served."""
    return "no method serves these data (" + "; ".join(unserved) + ")"


def no_answer(source: str, levels: int, why: str) -> Answer:
    """Why no thresholds can be recommended."""
    none = "No thresholds can be recommended"
    if len(why.split()) > 15:
        return Answer.of(question(source, levels), [f"{none}."], light=PROBLEM, notes=[f"{why}."])
    return Answer.of(question(source, levels), [f"{none}: {why}."], light=PROBLEM)


def verdict(chosen: ChosenCut, values: Numbers) -> str:
    """Which thresholds have the highest α, and whether they improve on equal widths elsewhere."""
    texts, beside = chosen.texts(), reference_of(chosen)
    is_one = len(texts) == 1
    these = (
        f"A threshold of {texts[0]} maximises" if is_one else f"Thresholds {listed(texts)} maximise"
    )
    first = f"{these} α {f'with {beside}' if beside else 'among workers'}"
    if chosen.cut == chosen.equal:
        return f"{first} and {'is that' if is_one else 'are those'} of equal widths."
    if (improvement := ("held_out_gain", EQUAL)) not in values:
        return f"{first}; improvement over equal widths was not tested on held-out topics."
    gain = values[improvement]
    ends = f"Δα = {number(gain.value, 3)}"
    if pd.isna(gain.low):
        return f"{first}; the held-out improvement over equal widths was not tested ({ends})."
    ends += f", 95% CI {interval(gain.low, gain.high)}"
    if gain.low > 0:
        change = f" and improve{'s' if is_one else ''} held-out α over"
    elif gain.high < 0:
        change = f" but reduce{'s' if is_one else ''} held-out α below"
    else:
        change = ", without significant held-out improvement over"
    return f"{first}{change} equal widths ({ends})."


def reference_of(chosen: ChosenCut) -> str:
    """The name of the reference; empty where workers are compared with each other."""
    return chosen.labelling.about["reference"] or ""


def key(chosen: ChosenCut, values: Numbers) -> str:
    """α, on held-out topics where there are some."""
    beside = reference_of(chosen)
    with_ = f" with {beside}" if beside else " among workers"
    if ("held_out", "") in values:
        return f"held-out α = {number(values['held_out', ''].value, 3)}{with_}"
    return f"α = {number(values['alpha', ''].value, 3)}{with_}"


def light(chosen: ChosenCut, values: Numbers) -> str:
    """Whether the thresholds hold on held-out topics."""
    counts = documents_by_level(values, "documents", chosen.labelling.levels)
    if max(counts) == sum(counts) or any(worthless(values)):
        return PROBLEM
    if chosen.cut == chosen.equal:
        return FINE
    if ("held_out_gain", EQUAL) not in values:
        return LOOK
    gain = values["held_out_gain", EQUAL]
    return FINE if gain.low > 0 else PROBLEM if gain.high < 0 else LOOK


def documents_by_level(values: Numbers, quantity: str, levels: int) -> list[int]:
    """How many documents have each level."""
    return [values.count(quantity, f"level {level}") for level in range(levels)]


def thresholds(
    chosen: ChosenCut, values: Numbers, compared: Sequence[str], source: str
) -> AnswerTable | None:
    """A row for the optimum, one for equal widths, and one for what a user gave."""
    levels = chosen.labelling.levels
    of = [("optimum", "", chosen.texts(), "documents")]
    if chosen.cut != chosen.equal:
        of.append((EQUAL, EQUAL, _brief(chosen.equal), "documents_equal_widths"))
    if ("c1", GIVEN) in values:
        thresholds = [values[c, GIVEN].value for c in CUT_COLUMNS if (c, GIVEN) in values]
        of.append((GIVEN, GIVEN, _brief(thresholds), "documents_given"))
    experts = [one for one in compared if one != EQUAL and not isinstance(
        values["tau", one].note, str
    )]  # fmt: skip
    is_tested = ("held_out", "") in values
    columns = [
        AnswerColumn("choice"), AnswerColumn("thresholds"), AnswerColumn("α", "number"),
        *([AnswerColumn("held-out α", "estimate"), AnswerColumn("Δα", "estimate")]
          if is_tested else []),
        *(AnswerColumn(f"τ_b with {expert}", "number", 2) for expert in experts),
        *(AnswerColumn(f"grade {level}", "count") for level in range(levels)),
    ]  # fmt: skip
    missing = (None, None, None)
    cells = [
        (
            choice, ", ".join(texts), values["alpha", beside].value,
            *((_estimate(values, "held_out", beside), _estimate(values, "held_out_gain", EQUAL)
               if choice == "optimum" else missing) if is_tested else ()),
            *(_tau(values, choice, expert) for expert in experts),
            *documents_by_level(values, quantity, levels),
        )
        for choice, beside, texts, quantity in of
    ]  # fmt: skip
    topics = counted(values.count("topics"), "topic")
    documents = counted(sum(documents_by_level(values, "documents", levels)), "document")
    return AnswerTable.of(f"{source} · {topics} · {documents}", columns, cells)


def _brief(cut: Sequence[float]) -> list[str]:
    """Thresholds to be read."""
    return [briefly(at) for at in cut]


def _estimate(values: Numbers, quantity: str, beside: str) -> tuple:
    """A value with its interval, if there is such a value."""
    if (quantity, beside) not in values:
        return (None, None, None)
    row = values[quantity, beside]
    return (row.value, row.low, row.high)


def _tau(values: Numbers, choice: str, expert: str) -> float | None:
    """τ_b with the ranking under an expert's labels."""
    of = {"optimum": "tau", EQUAL: "tau_equal_widths", GIVEN: "tau_given"}[choice]
    return values[of, expert].value if (of, expert) in values else None


def ties(chosen: ChosenCut, values: Numbers) -> str:
    """How many thresholds have the same α, where none are tested against the best ones."""
    tied = values.count("tied")
    sets = {1: "thresholds", 2: "threshold pairs"}.get(len(chosen.cut), "threshold triples")
    return "" if tied == 1 else f"{tied:,} {sets} share this α."


def own_thresholds(values: Numbers) -> str:
    """Whether thresholds for each topic improve on common ones."""
    if ("per_topic_gain", "") not in values:
        return ""
    own = values["per_topic_gain", ""]
    if pd.isna(own.low):
        return (
            f"Topic-specific thresholds change α on held-out documents by {number(own.value, 3)}; "
            "there are too few topics for an interval."
        )
    change = "increase" if own.low > 0 else "reduce" if own.high < 0 else ""
    ends = f"Δα = {number(own.value, 3)}, 95% CI {interval(own.low, own.high)}"
    if not change:
        return (
            "Topic-specific thresholds do not change α significantly on held-out documents "
            f"({ends})."
        )
    return f"Topic-specific thresholds {change} α on held-out documents ({ends})."


def systems_under(values: Numbers, beside: str, measure: str) -> Iterator[str]:
    """How the thresholds rank systems, and which pairs differ significantly."""
    tau = values["tau", beside]
    if isinstance(tau.note, str):
        yield f"Systems were not compared with {beside}: {tau.note}."
        return
    systems = values.count("systems", beside)
    if systems == 1 or pd.isna(tau.value):
        return
    ends = f"{measure}"
    if pd.notna(tau.low):
        ends = f"95% prediction interval {interval(tau.low, tau.high, 2)}; {measure}"
    moving, farthest = values.count("moving", beside), values.count("farthest", beside)
    places = f", by at most {counted(farthest, 'place')}" if moving else ""
    change = "changes" if moving == 1 else "change"
    yield (
        f"τ_b between the rankings under these thresholds and under {beside} is "
        f"{number(tau.value, 2)} ({ends}); {moving:,} of {systems:,} systems {change} rank{places}."
    )
    by_topics = values["by_topics", beside]
    if pd.isna(by_topics.value) or not values.count("pairs", beside):
        return
    names = ("appears", "disappears", "reverses")
    appears, disappears, reverses = (values.count(name, beside) for name in names)
    if not appears + disappears + reverses:
        return
    chance = f"topic sampling alone would change {by_topics.value:,.0f}"
    if pd.notna(by_topics.low):
        chance += f" (95% interval {by_topics.low:,.0f}–{by_topics.high:,.0f})"
    opposite = f"{reverses:,}" if reverses else "none"
    yield (
        f"{counted(appears, 'pair')} {to_be(appears)} significant only under these thresholds and "
        f"{disappears:,} only under {beside}, {opposite} in opposite directions; {chance}."
    )


def method(chosen: ChosenCut, values: Numbers, source: str, metric: str, measure: str) -> str:
    """What was computed, with every test, interval, n and seed."""
    about = chosen.labelling.about
    between = COMPARED[about["method"]].format(reference=about["reference"])
    sets = counted(values.count("cuts"), "set")
    sentences = [
        f"{source} was converted to {chosen.labelling.levels} grades by thresholds common to all "
        f"topics. Krippendorff's {alpha_of(metric, MEAN_OVER_TOPICS)} between {between} was "
        f"computed for all {sets} of thresholds (method {about['method']}), and the maximum chosen."
    ]
    if ("held_out", "") in values:
        sentences.append(
            "Held-out α and Δα (against equal widths) are means over topics under thresholds that "
            "were chosen on random halves of the topics without them, with conservative 95% "
            "confidence intervals (Student's t over topics)."
        )
    if ("samples", "") in values:
        sentences.append(
            "Sets of thresholds were tested against the optimum simultaneously (studentised "
            f"bootstrap over topics, {values.count('samples'):,} samples, seed "
            f"{values.count('seed')}, α = 0.05)."
        )
    if measure:
        sentences.append(
            f"Systems were ranked by mean {measure}; pairs of systems were compared with a "
            "two-sided paired t-test (p < 0.05, uncorrected)."
        )
    return " ".join(sentences)


def tie_breaking(values: Numbers, beside: str) -> str:
    """Between what τ_b lies, whatever breaks ties within runs."""
    tau = values["tau", beside]
    low, high = tau.ties_low, tau.ties_high
    if pd.isna(low) or f"{low:.2f}" == f"{high:.2f}" == f"{tau.value:.2f}":
        return ""
    ends = f"from {number(low, 2)} to {number(high, 2)}"
    return f"Depending on tie-breaking within runs, τ_b with {beside} ranges {ends}."


def equal_scores(systems: pd.DataFrame | None, measure: str) -> list[str]:
    """Under which labels all systems have one score, so that nothing ranks them."""
    sentences = []
    for beside, of in systems.groupby("beside", sort=False) if systems is not None else ():
        for under, column in ((beside, "first"), ("these thresholds", "second")):
            if len(of) > 1 and of[column].nunique() == 1:
                score = of[column].iloc[0]
                sentences.append(f"All systems have the same {measure} under {under} ({score:g}).")
    return list(dict.fromkeys(sentences))


def worthless(values: Numbers) -> Iterator[str]:
    """That α on held-out topics is not significantly above 0."""
    if ("held_out", "") in values and values["held_out", ""].low <= 0:
        yield (
            "Held-out α is not significantly above 0, so that an improvement over equal widths "
            "means nothing and has no interval."
        )


def notes(chosen: ChosenCut, values: Numbers) -> Iterator[str]:
    """What a user would not expect of labels under these thresholds."""
    counts = documents_by_level(values, "documents", chosen.labelling.levels)
    for level, count in enumerate(counts):
        if not count:
            yield f"No document has grade {level}."
    if max(counts) == sum(counts):
        yield "All documents have the same grade, so that no measure separates systems."
    if chosen.cut != chosen.equal and pd.isna(values["gain", EQUAL].value):
        yield "α is undefined under equal widths."
    if ("held_out", "") not in values:
        yield (
            "α is that of the topics on which the thresholds were chosen, and optimistic "
            "(held-out estimates: `trust` in the configuration, `--resamples` in the command)."
        )
    if ("alpha", GIVEN) in values and pd.isna(values["alpha", GIVEN].value):
        yield "The given thresholds were not among those searched, so they have no α."
    places = chosen.places(chosen.cut)
    are_all = chosen.thresholds.note is None  # between two of a grid there are others
    for level, (low, high) in enumerate(pairwise(places), start=1):
        if high - low == 1 and are_all:
            value = chosen.thresholds.values[high]
            yield f"Grade {level} covers a single value of the scale, {briefly(value)}."
    if left_out := chosen.labelling.left_out:
        yield f"Topics without thresholds have no labels: {named(list(left_out), 'topic')}."

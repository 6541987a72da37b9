"""The one cut to use for all topics, how sure it is, and what it does to the systems: in sentences.

They are made of the tables ``cuts/recommended`` and ``cuts/recommended_systems``, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

import pandas as pd

from regrade.answers.changed import (
    movers_said,
    pairs_said,
    reordered_said,
    ties_said,
    topics_said,
)
from regrade.answers.shape import Answer
from regrade.answers.words import (
    MEAN_OVER_TOPICS,
    PREDICTION_INTERVAL,
    alpha_of,
    named,
    with_ends,
)
from regrade.cutsearch.recommended import ChosenCut
from regrade.cutsearch.recommended_numbers import CHANGED, EQUAL, Numbers
from regrade.scales import briefly
from regrade.wording import counted

TABLES = ("cuts/recommended", "cuts/recommended_systems", "cuts/plateau_effects")


def question(source: str, levels: int) -> str:
    """As a user asks it."""
    return f"Where to cut {source} into {levels} levels, and can that be trusted?"


def answer_of(
    chosen: ChosenCut,
    numbers: pd.DataFrame,
    systems: pd.DataFrame | None,
    source: str,
    measure: str,
    metric: str = "ordinal",
) -> Answer:
    """What the numbers say."""
    alpha = alpha_of(metric, MEAN_OVER_TOPICS)
    quantities = Numbers(numbers)
    if ("plateau", "") in quantities:
        plateau = quantities["plateau", ""].note
    else:
        tied = quantities.count("tied")
        plateau = "No other cut has the same α." if tied == 1 else f"{tied:,} cuts share this α."
    said = [
        _cut_said(chosen, quantities, source),
        _agreement_said(chosen, quantities, alpha),
        plateau,
        *_gain_said(chosen, quantities),
        *_own_cuts_said(quantities),
    ]
    warnings = [*_notes(chosen, quantities), *_alike(systems, measure)]
    ranked = dict.fromkeys(numbers.loc[numbers["quantity"] == "tau", "beside"])
    told = next((beside for beside in ranked if beside != EQUAL), EQUAL)
    for beside in ranked:
        found = _systems_said(quantities, systems, beside, measure)
        said += found if beside == told else islice(found, 1)
        tau = quantities["tau", beside]
        warnings.append(ties_said(f"under {beside}", tau.value, tau.ties_low, tau.ties_high))
    method, reference = chosen.labelling.about["method"], chosen.labelling.about["reference"]
    beside = f" beside {reference}" if reference else ", of the workers among each other"
    how = (
        f"The highest {alpha}, by method {method}{beside}, of all "
        f"{counted(quantities.count('cuts'), 'cut')}, one for all topics."
    )
    return Answer.of(
        question(source, chosen.labelling.levels),
        said,
        method=how,
        notes=warnings,
        tables=TABLES if ("plateau", "") in quantities else TABLES[:2],
    )


def no_search(unserved: Sequence[str]) -> str:
    """Why no search was made, from why each method is not served."""
    return "no method serves these data (" + "; ".join(unserved) + ")"


def no_answer(source: str, levels: int, why: str) -> Answer:
    """Why no cut can be recommended."""
    return Answer.of(question(source, levels), [f"No cut can be recommended: {why}."])


def _cut_said(chosen: ChosenCut, quantities: Numbers, source: str) -> str:
    """Where to cut; and where that gains nothing over equal widths on other topics, that too."""
    cut = chosen.texts()
    levels = "; ".join(f"up to {value} is {level}" for level, value in enumerate(cut))
    levels = f"{levels}; above is {len(chosen.cut)}"
    if not (doubt := _doubt(chosen, quantities)):
        return f"Cut {source} at {', '.join(cut)}: {levels}."
    return f"The cut of {source} with the highest α is {', '.join(cut)} ({levels}); {doubt}."


def _doubt(chosen: ChosenCut, quantities: Numbers) -> str:
    """Why the cut is not to be recommended over equal widths; empty where it is."""
    if chosen.cut == chosen.equal:
        return ""
    held_out = ("held_out_gain", EQUAL)
    if held_out not in quantities or pd.isna(quantities[held_out].low):
        return "whether it does better than equal widths on other topics is not known"
    gain = quantities[held_out]
    if gain.low > 0:
        return ""
    does = "does worse" if gain.high < 0 else "cannot be told to do better"
    gains = with_ends(gain.value, gain.low, gain.high)
    return f"on other topics it {does} than equal widths: it gains {gains}"


def _agreement_said(chosen: ChosenCut, quantities: Numbers, name: str) -> str:
    reference = chosen.labelling.about["reference"]
    beside = f"with {reference}" if reference else "of the workers"
    topics = counted(quantities.count("topics"), "topic")
    if ("held_out", "") in quantities:
        row = quantities["held_out", ""]
        alpha = with_ends(row.value, row.low, row.high)
        return f"Its agreement {beside}, {name}, is {alpha} over topics that did not choose it."
    alpha = quantities["alpha", ""].value
    return f"Its agreement {beside}, {name}, is {alpha:.3f} over the {topics} that chose it."


def _gain_said(chosen: ChosenCut, quantities: Numbers) -> Iterator[str]:
    if chosen.cut == chosen.equal:
        yield "Its levels are those of equal widths."
        return
    gain = quantities["gain", EQUAL]
    if pd.isna(gain.value):
        yield "Under levels of equal widths α is undefined."
        return
    if ("held_out_gain", EQUAL) not in quantities:
        yield (
            f"Levels of equal widths have {gain.value:.3f} less on the topics that the cut was "
            "chosen on (`trust` in the configuration judges it on others)."
        )
        return
    gain = quantities["held_out_gain", EQUAL]
    if pd.isna(gain.low) or gain.low > 0:  # else the first sentence has said it
        gains = f"it gains {with_ends(gain.value, gain.low, gain.high)} over levels of equal widths"
        zero = ", where α itself cannot be told from 0"
        why = zero if quantities["held_out", ""].low <= 0 else _or_nothing(gain)
        yield f"On topics that did not choose it, {gains}{why}."


def _own_cuts_said(quantities: Numbers) -> Iterator[str]:
    """Whether a cut for each topic gains over one for all."""
    if ("per_topic_gain", "") not in quantities:
        return
    own = quantities["per_topic_gain", ""]
    gains = with_ends(own.value, own.low, own.high)
    worse = ": one for all is better" if own.high < 0 else _or_nothing(own)
    yield (
        f"On documents that did not choose it, a cut of each topic's own gains {gains} over one "
        f"for all{worse}."
    )


def _or_nothing(gain) -> str:
    if pd.isna(gain.low):
        return ", too few topics to say how surely"
    if gain.low <= 0 <= gain.high:
        return ", which these topics cannot tell from nothing"
    return ""


def _systems_said(
    quantities: Numbers, systems: pd.DataFrame | None, beside: str, measure: str
) -> Iterator[str]:
    tau = quantities["tau", beside]
    if isinstance(tau.note, str):
        yield f"Systems, beside {beside}: {tau.note}."
        return
    of = systems[systems["beside"] == beside]
    count = {name: quantities.count(name, beside) for name in (*CHANGED, "pairs", "systems")}
    moved = quantities.count("moving", beside), quantities.count("farthest", beside)
    changing = f"This cut instead of {beside}"
    ends, interval = (tau.low, tau.high), PREDICTION_INTERVAL
    systems = count["systems"]
    yield reordered_said(changing, systems, tau.value, *moved, measure, ends, interval=interval)
    yield movers_said(of)
    by_topics = quantities["by_topics", beside]
    row = {"by_topics": by_topics.value, "low": by_topics.low, "high": by_topics.high}
    row["told"] = quantities["told", beside].value
    pairs = pairs_said(count | row, "after the cut", "before")
    changes = sum(count[name] for name in CHANGED)
    yield " ".join(filter(None, [pairs, topics_said(row, "before", changes)]))


def _alike(systems: pd.DataFrame | None, measure: str) -> list[str]:
    """Of which labels all systems have one score, so that nothing ranks them."""
    found = []
    for beside, of in systems.groupby("beside", sort=False) if systems is not None else ():
        for under, column in ((beside, "first"), ("this cut", "second")):
            if len(of) > 1 and of[column].nunique() == 1:
                score = of[column].iloc[0]
                found.append(f"By {measure} every system scores {score:g} under {under}.")
    return list(dict.fromkeys(found))


def _notes(chosen: ChosenCut, quantities: Numbers) -> list[str]:
    """What a user would not expect of labels under this cut."""
    found, levels = [], chosen.labelling.levels
    counts = [quantities.count("documents", f"level {level}") for level in range(levels)]
    found += [f"No document has level {level}." for level, n in enumerate(counts) if n == 0]
    if max(counts) == sum(counts):
        found.append("All documents have one level, so that no measure tells systems apart by it.")
    places = chosen.places(chosen.cut)
    are_all = chosen.thresholds.note is None  # between two of a grid there are others
    for level, (low, high) in enumerate(pairwise(places), start=1):
        if high - low == 1 and are_all:
            value = chosen.thresholds.values[high]
            found.append(f"Level {level} holds one value of the scale only, {briefly(value)}.")
    left_out = chosen.labelling.left_out
    if left_out:
        without = named(list(left_out), "topic")
        found.append(f"For want of a cut these topics have no labels: {without}.")
    return found

"""What would full judging have said?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import ALL_DOCUMENTS, NAMED, alpha_of, listed, named, with_ends
from regrade.catalogue import ALL_TOPICS
from regrade.estimation.stage import Estimates
from regrade.kendall import TOLERANCE
from regrade.measures import parse, rests_on_all_relevant
from regrade.wording import SHOWN, counted, to_be

TABLES = ("estimates/systems", "estimates/facts")

CARRIED = 0.5
"""A label that is a larger part of what all labels change is named."""

OF_LABELS = ("estimates/labels", "estimates/facts")
"""Where there are no systems."""


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The first measure has a verdict and facts, each further one a verdict of its own."""
    if "systems" not in tables:
        return answer_of_labels(tables)
    facts = tables["facts"].set_index(["measure", "quantity"])["value"]
    of_all = facts[ALL_TOPICS]
    systems = dict([*tables["systems"].groupby("measure", sort=False, observed=True)])
    first, *others = systems
    are_told = [name for name in systems if pd.notna(facts[name]["significant"])]
    have = [name for name in systems if name in are_told or systems[name]["low"].notna().any()]
    return Answer.of(
        Estimates.question,
        [
            verdict_said(first, systems[first], facts[first]),
            *facts_said(facts[first], of_all),
            *(verdict_said(measure, systems[measure], facts[measure]) for measure in others),
        ],
        notes=warnings_said(tables["facts"], systems, reach_said(have, facts)),
        method=how_said(of_all, may_be_first=bool(are_told)),
        tables=TABLES,
    )


def answer_of_labels(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """Where there are no systems: the grades that people would have given, and agreement."""
    facts, labels = tables["facts"].set_index(["measure", "quantity"])["value"], tables["labels"]
    of_all = facts[ALL_TOPICS]
    return Answer.of(
        Estimates.question,
        [*grades_said(labels, of_all["documents"]), *agreement_said(labels), labels_said(of_all)],
        notes=[
            *warnings_said(tables["facts"], {}, reach_of_labels_said(labels, of_all)),
            *withheld_of_labels(labels),
        ],
        method=how_said(of_all, may_be_first=False),
        tables=OF_LABELS,
    )


def grades_said(labels: pd.DataFrame, documents: float) -> Iterator[str]:
    """Which grades people would have given, and the mean of all."""
    of = labels[labels["quantity"] == "share"]
    (mean,) = labels[labels["quantity"] == "mean"].itertuples()
    said = with_ends(mean.value, *_ends(mean))
    of_all = counted(documents, "document")
    end = "."
    if _have_no_intervals(labels):
        end = ", as far as these labels tell: how far off that may be is not known."
    if len(of) > NAMED:
        yield f"Full judging would have given {of_all} a mean grade of {said}{end}"
        return
    shares = [f"grade {row.grade:g} to {_share_said(row)}" for row in of.itertuples()]
    first, *others = shares
    yield f"Full judging would have given {listed([f'{first} of {of_all}', *others])}{end}"
    yield f"The mean grade would be {said}."


def _have_no_intervals(labels: pd.DataFrame) -> bool:
    """Whether shares of grades, and with them all of labels, have none."""
    return bool(labels.loc[labels["quantity"] == "share", "low"].isna().any())


def _share_said(row: object) -> str:
    low, high = _ends(row)
    ends = "" if pd.isna(low) else f" ({low:.1%} to {high:.1%})"
    return f"{row.value:.1%}{ends}"


def _ends(row: object) -> tuple[float, float]:
    """None of what is known."""
    is_known = row.high - row.low <= TOLERANCE
    return (np.nan, np.nan) if is_known else (row.low, row.high)


def agreement_said(labels: pd.DataFrame) -> Iterator[str]:
    """How far models agree with people, of those that have grades of people's scale."""
    of = labels[labels["model"].notna()]
    models = [*of.groupby("model", sort=False, observed=True)]
    if len(models) > NAMED:
        return
    for name, own in models:
        found = {row.quantity: row for row in own.itertuples()}
        if pd.isna(found["equal"].value):
            continue
        said = f"be equal to people's for {_share_said(found['equal'])} of the documents"
        alpha = found["alpha"]
        if pd.notna(alpha.value):
            value = with_ends(alpha.value, *_ends(alpha))
            said += f", with an {alpha_of('ordinal', ALL_DOCUMENTS)} of {value}"
        yield f"Labels by {name} would {said}."


def withheld_of_labels(labels: pd.DataFrame) -> Iterator[str]:
    """Which intervals are not given, and of which models nothing, or not all, is said."""
    if _have_no_intervals(labels):
        yield (
            "There are no intervals: documents were chosen with probabilities too unlike each "
            "other, as for systems; those of grades and agreement hold where documents are chosen "
            "without runs."
        )
    values = labels[labels["model"].notna()].pivot(
        index="model", columns="quantity", values="value"
    )
    if len(other := [*values.index[values["equal"].isna()]]):
        yield (
            f"What {named(other, 'model')} gave are no grades of people's scale: how far these "
            "agree is not said; cut them to levels first (regrade cut)."
        )
    if len(few := [*values.index[values["equal"].notna() & values["alpha"].isna()]]):
        yield (
            f"The α of {named(few, 'model')} is not given: nearly all labels by people are of one "
            "grade."
        )


def verdict_said(measure: str, systems: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which system would be best, and which ones may be, where pairs have intervals."""
    best = systems[systems["rank"] == 1]
    if len(systems) == 1:
        row = systems.iloc[0]
        value = with_ends(row["value"], *_ends(row))
        return f"There is only one system, {row['system']}: its {measure} would be {value}."
    if len(best) == len(systems):
        return f"By {measure} full judging would have told no system from another."
    said = (
        f"By {measure} full judging would have put {named(best['system'], 'system')} first of "
        f"{len(systems):,} systems, as far as these labels tell"
    )
    if pd.isna(facts["significant"]):
        return f"{said}; whether others may be is not said."
    near = systems.loc[systems["may_be_first"] & (systems["rank"] > 1), "system"]
    rest = len(systems) - len(best) - len(near)
    if not len(near):
        return f"{said}; surely no other is."
    if not rest:
        return f"{said}; {'the other' if len(near) == 1 else 'any other'} may be."
    others = "the last one is" if rest == 1 else f"the other {rest:,} are"
    return f"{said}; {named(near, 'other')} may be, {others} surely not."


def facts_said(facts: Mapping[str, float], of_all: Mapping[str, float]) -> Iterator[str]:
    """What the verdict rests on."""
    significant, pairs = facts["significant"], facts["pairs"]
    if pairs > 1 and pd.notna(significant):
        differ = "differs" if significant == 1 else "differ"
        said = f"{significant:,.0f} of {pairs:,.0f} pairs of systems {differ}"
        test = " significantly on these topics (max-t over all pairs, family-wise α = 0.05)"
        yield f"{said}{'' if of_all['labelled'] == of_all['documents'] else test}."
    if pairs > 1 and (same := facts["same rankings"]):
        yield (
            f"{counted(same, 'pair')} {to_be(same)} tied by construction: the "
            "same documents at the same ranks."
        )
    if pairs > 1 and facts["median width of pairs"] > TOLERANCE:
        wide = f"{facts['median width of pairs']:.3f} wide (the middle of all)"
        own = facts["median width"]
        of_systems = "" if pd.isna(own) else f", those of single systems {own:.3f}"
        yield f"Intervals of differences are {wide}{of_systems}."
    yield labels_said(of_all)


def labels_said(facts: Mapping[str, float]) -> str:
    """How many documents have labels by people."""
    topics = counted(facts["topics"], "topic")
    if facts["labelled"] == facts["documents"]:
        return f"People labelled all {facts['documents']:,.0f} documents of {topics}."
    said = f"People labelled {facts['labelled']:,.0f} of {facts['documents']:,.0f} documents"
    more = ""
    if facts["labels"] > facts["labelled"]:
        more = f", with {facts['labels']:,.0f} labels"
    return f"{said} of {topics}{more}."


def warnings_said(
    table: pd.DataFrame, systems: Mapping[str, pd.DataFrame], reach: str
) -> Iterator[str]:
    """What a user would not expect; `reach`: of intervals, where chosen documents have no label."""
    of_all = table[table["measure"] == ALL_TOPICS].set_index("quantity")
    facts_of = table.set_index(["measure", "quantity"])["value"]
    facts = of_all["value"]
    if facts["assumed uniform"]:
        yield (
            "Nobody said how the labelled documents were chosen: all are taken to have been as "
            "likely; if they were not, neither values nor intervals hold."
        )
    some = facts["labelled"] < facts["documents"]
    yield from unlisted_said(
        {name: facts_of[name]["unlisted"] for name in systems}, facts["documents without values"]
    )
    unproven = [name for name in systems if some and rests_on_all_relevant(parse(name))]
    proven = {name: of for name, of in systems.items() if name not in unproven}
    which = of_all.loc["not labelled", "note"]
    yield unlabelled_said(facts["not labelled"], which, reach)
    for name, of in proven.items():
        yield withheld_said(name, of, facts_of[name])
        yield heaviest_said(table, name)
        yield modelled_said(name, facts_of[name])
    if unproven:
        yield (
            f"By {named(unproven, 'measure')} there are no intervals: where the truth is known "
            "they hold too seldom."
        )
    if facts["topics without values"]:
        noun = counted(facts["topics without values"], "topic")
        yield f"Of {noun} ({of_all.at['topics without values', 'note']}) no model has a value."


def unlisted_said(shares: Mapping[str, float], documents: float) -> Iterator[str]:
    """Which part of the ranks that measures count holds documents without a model's value.

    `documents` of these are in the frame.
    """
    of = {name: share for name, share in shares.items() if share}
    within = {name: share for name, share in of.items() if parse(name)["cutoff"]}
    are_in = counted(documents, "such document is", "such documents are")
    for share, names in _alike(within):
        cutoffs = [parse(name)["cutoff"] for name in names]
        by_cutoff = [(of, [n for n, c in zip(names, cutoffs, strict=True) if c == of])
                     for of in dict.fromkeys(cutoffs)]  # fmt: skip
        depths = listed([f"the top {of} ({listed(own)})" for of, own in by_cutoff])
        included = f"{are_in} part of full judging"
        if not documents:
            included = "people cannot label them, and they count as not relevant"
        yield f"{share:.1%} of the documents in {depths} have no model value: {included}."
    for share, names in _alike({name: of[name] for name in of if name not in within}):
        has = "has" if len(names) == 1 else "have"
        yield (
            f"{listed(names)} {has} no cutoff: {share:.1%} of the ranks, weighed as they count, "
            "hold documents without a model value. These count as not relevant, unless another "
            "measure's cutoff reaches them."
        )


def _alike(shares: Mapping[str, float]) -> Iterator[tuple[float, list[str]]]:
    """Names of the same share together."""
    for share in dict.fromkeys(shares.values()):
        yield share, [name for name, own in shares.items() if own == share]


def unlabelled_said(count: float, which: str | None, reach: str) -> str:
    """Which chosen documents nobody labelled, and what becomes of intervals."""
    if not count:
        return ""
    such = "such as " if count > SHOWN else ""
    have = counted(count, "chosen document has", "chosen documents have")
    return f"{have} no label: {such}{which}.{reach and f' {reach}'}"


def reach_said(measures: Sequence[str], facts: pd.Series) -> str:
    """What missing labels do to the intervals of these measures, and what helps."""
    if not measures:
        return ""
    ratio = facts[ALL_TOPICS].get("odds ratio", np.nan)
    if pd.isna(ratio):
        return (
            "Fill in `grade` there to have narrower intervals: until then those of "
            f"{listed(measures)} reach as far as any grade could take them. {BOUNDED}"
        )
    return f"Intervals of {listed(measures)} {_odds_said(ratio)}{_any_label_said(facts)}."


BOUNDED = (
    "Where the odds of a missing label differ little between grades, bound their ratio: "
    "--odds-ratio 2."
)
"""What helps where labels stay missing."""


def _odds_said(ratio: float) -> str:
    """Under what intervals hold."""
    alike = "documents that are alike (topic, model values, ranks, inclusion)"
    if ratio == 1:
        return f"hold if labels are missing at random within {alike}"
    return (
        f"hold if the odds of a missing label are at most {ratio:g} times as high at one grade as "
        f"at another, within {alike}"
    )


def _any_label_said(facts: pd.Series) -> str:
    """How wide those of the first measure that has some would be for any label."""
    kinds = {
        "median width of pairs, any label": "differences",
        "median width, any label": "systems",
    }
    quantities = facts.index.get_level_values("quantity")
    for quantity, kind in kinds.items():
        for (measure, _), width in facts[quantities == quantity].dropna().items():
            return (
                f"; for any label whatever, those of {kind} by {measure} are {width:.3f} wide "
                "(median)"
            )
    return ""


def reach_of_labels_said(labels: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """The same of grades, which have intervals or, like agreement, have none."""
    if _have_no_intervals(labels):
        return ""
    ratio = facts.get("odds ratio", np.nan)
    if pd.notna(ratio):
        return f"There are no intervals of α, and those of shares {_odds_said(ratio)}."
    return (
        "Fill in `grade` there to have all intervals: until then there are none of α, and those of "
        f"shares reach as far as any grade could take them. {BOUNDED}"
    )


def withheld_said(measure: str, systems: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which intervals are not given, for they would not hold."""
    kinds = {}
    if systems["low"].isna().all() and not facts["left to the model"]:
        kinds["single systems"] = "held of systems"
    if facts["pairs"] and pd.isna(facts["significant"]) and not facts["pairs left to the model"]:
        kinds["differences"] = "held of pairs"
    if not kinds:
        return ""
    if any(pd.isna(facts[name]) for name in kinds.values()):
        return f"Intervals by {measure} are not given: so few labels do not tell whether they hold."
    said = " and ".join(f"of {kind} in {facts[name]:.0%}" for kind, name in kinds.items())
    return (
        f"Intervals by {measure} are not given where too few labels make them: replayed with what "
        f"these labels teach, those {said} of cases would hold."
    )


def heaviest_said(table: pd.DataFrame, measure: str) -> str:
    """Which single label carries the answer, if one does."""
    rows = table[(table["measure"] == measure) & (table["quantity"] == "largest part of a label")]
    (fact,) = rows.itertuples()
    if fact.value <= CARRIED:
        return ""
    return (
        f"By {measure} a single label is {fact.value:.0%} of what labels change (sum of squares "
        f"over systems): {fact.note}: check it."
    )


def modelled_said(measure: str, facts: Mapping[str, float]) -> str:
    """Which intervals are not given, for they rest on the model's word alone."""
    kinds = {"left to the model": "single systems", "pairs left to the model": "differences"}
    said = " and ".join(kind for name, kind in kinds.items() if facts[name])
    if not said:
        return ""
    return (
        f"By {measure} there are no intervals of {said}: which documents are the best of a topic "
        "is the model's word alone, and were it wrong in a single topic, they would not hold."
    )


def how_said(facts: Mapping[str, float], *, may_be_first: bool) -> str:
    """How it was found; `may_be_first`: whether it is said which systems may be."""
    if facts["labelled"] == facts["documents"]:
        are = "the scores under people's labels" if facts["systems"] else "people's labels"
        return f"All documents are labelled: these are {are}."
    by = ", the model's values and the runs" if facts["systems"] else " and the model's values"
    said = (
        f"What people would say of each document is learned from their labels{by}; labels then "
        "correct that, each weighed by one over its probability to be chosen. Intervals are of "
        "what another choice of documents would have given; the topics are taken as they are."
    )
    at_once = " Which systems may be first holds for all of them at once."
    return f"{said}{at_once if may_be_first else ''}"

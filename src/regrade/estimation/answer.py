"""What would full human judging conclude, estimated from a few labels?

The light is fine where one system alone may be best, or all documents are labelled; a problem where
none can be excluded, or nothing could be tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable, interval
from regrade.answers.words import ALL_DOCUMENTS, alpha_of, best_set, listed, named
from regrade.catalogue import ALL_TOPICS
from regrade.estimation.stage import Estimates
from regrade.kendall import TOLERANCE
from regrade.measures import parse, rests_on_all_relevant
from regrade.wording import SHOWN, counted, number, to_be

TABLES = ("estimates/systems", "estimates/facts")

CARRIED = 0.5
"""A label that is a larger part of what all labels change is named."""

OF_LABELS = ("estimates/labels", "estimates/facts")
"""Where there are no systems."""

NAMED = 3
"""Systems, or models, that are named."""

MOST_ROWS = 200
"""Of the answer's table."""


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The verdict is of the first measure; further ones have a column each, and one fact."""
    if "systems" not in tables:
        return answer_of_labels(tables)
    facts = tables["facts"].set_index(["measure", "quantity"])["value"]
    of_all = facts[ALL_TOPICS]
    systems = dict([*tables["systems"].groupby("measure", sort=False, observed=True)])
    first, *others = systems
    is_tested = [name for name in systems if pd.notna(facts[name]["significant"])]
    have = [name for name in systems if name in is_tested or systems[name]["low"].notna().any()]
    return Answer.of(
        Estimates.question,
        [
            verdict(first, systems[first], facts[first], of_all),
            *pairs(facts[first], of_all),
            further_measures({name: systems[name] for name in others}, facts),
        ],
        key=key(systems[first], facts[first], of_all),
        light=light(systems[first], facts[first], of_all),
        rows=systems_table(systems, of_all, is_tested=first in is_tested),
        notes=[
            identical_pairs(facts[first]),
            *notes(tables["facts"], systems, reach(have, facts)),
        ],
        method=method(of_all, has_intervals=bool(have), is_tested=bool(is_tested)),
        tables=TABLES,
    )


def answer_of_labels(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """Where there are no systems: the grades that people would have given, and agreement."""
    facts, labels = tables["facts"].set_index(["measure", "quantity"])["value"], tables["labels"]
    of_all = facts[ALL_TOPICS]
    is_whole = of_all["labelled"] == of_all["documents"]
    has_intervals = not _have_no_intervals(labels)
    return Answer.of(
        Estimates.question,
        [mean_grade(labels, of_all), *agreement(labels)],
        key=labelled(of_all),
        light=FINE if is_whole else LOOK if has_intervals else PROBLEM,
        rows=grades_table(labels, of_all),
        notes=[
            *notes(tables["facts"], {}, reach_of_labels(labels, of_all)),
            *withheld_of_labels(labels),
        ],
        method=method(of_all, has_intervals=has_intervals, is_tested=False),
        tables=OF_LABELS,
    )


def mean_grade(labels: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """The mean of the grades that people would have given."""
    (mean,) = labels[labels["quantity"] == "mean"].itertuples()
    if pd.isna(mean.value):
        return "No mean grade is estimated: how many documents there are is unknown."
    value = number(mean.value, 3)
    if facts["labelled"] == facts["documents"]:
        documents = counted(facts["documents"], "document")
        return f"The mean grade is {value}; all {documents} have human labels."
    from_ = f"{facts['labelled']:,.0f} of {counted(facts['documents'], 'document')}"
    low, high = _ends(mean)
    if pd.isna(low):
        return (
            f"The estimated mean grade is {value}, from human labels of {from_}, without interval."
        )
    ends = f"95% CI {interval(low, high)}"
    return f"The estimated mean grade is {value} ({ends}), from human labels of {from_}."


def grades_table(labels: pd.DataFrame, facts: Mapping[str, float]) -> AnswerTable | None:
    """The share of documents that would have each grade."""
    of = labels[labels["quantity"] == "share"].head(MOST_ROWS)
    columns = [AnswerColumn("grade", "number", 0), AnswerColumn("share", "estimate")]
    if (of["grade"] % 1).any():
        columns[0] = AnswerColumn("grade", "number", 2)
    cells = ((row.grade, (row.value, *_ends(row))) for row in of.itertuples())
    return AnswerTable.of(title(facts), columns, cells)


def title(facts: Mapping[str, float]) -> str:
    """How many documents and topics there are, and how many of the documents are labelled."""
    return f"{labelled(facts)} · {counted(facts['topics'], 'topic')}"


def labelled(facts: Mapping[str, float]) -> str:
    """How many of the documents are labelled."""
    if facts["labelled"] == facts["documents"]:
        every = "all " if facts["documents"] > 1 else ""
        return f"{every}{counted(facts['documents'], 'document')} labelled"
    return f"{facts['labelled']:,.0f} of {counted(facts['documents'], 'document')} labelled"


def _have_no_intervals(labels: pd.DataFrame) -> bool:
    """Whether shares of grades, and with them all of labels, have none."""
    return bool(labels.loc[labels["quantity"] == "share", "low"].isna().any())


def _ends(row: object) -> tuple[float, float]:
    """None of what is known."""
    is_known = row.high - row.low <= TOLERANCE
    return (np.nan, np.nan) if is_known else (row.low, row.high)


def agreement(labels: pd.DataFrame) -> Iterator[str]:
    """How far models agree with people, of those that have grades of people's scale."""
    of = labels[labels["model"].notna()]
    models = [*of.groupby("model", sort=False, observed=True)]
    if len(models) > NAMED:
        return
    for name, own in models:
        rows = {row.quantity: row for row in own.itertuples()}
        if pd.isna(rows["equal"].value):
            continue
        sentence = (
            f"Estimated exact agreement of {name} with human labels is {_share(rows['equal'])}"
        )
        alpha = rows["alpha"]
        if pd.notna(alpha.value):
            low, high = _ends(alpha)
            ends = "" if pd.isna(low) else f", 95% CI {interval(low, high)}"
            sentence += f"; {alpha_of('ordinal', ALL_DOCUMENTS)} is {number(alpha.value, 3)}{ends}"
        yield f"{sentence}."


def _share(row: object) -> str:
    """A share with its interval."""
    low, high = _ends(row)
    ends = "" if pd.isna(low) else f" (95% CI {low:.1%}–{high:.1%})"
    return f"{row.value:.1%}{ends}"


def withheld_of_labels(labels: pd.DataFrame) -> Iterator[str]:
    """Which intervals are not given, and of which models nothing, or not all, is known."""
    if _have_no_intervals(labels):
        yield (
            "There are no intervals: documents were selected with very unequal probabilities, as "
            "for systems. Grades and agreement have intervals where documents are assigned "
            "without runs."
        )
    values = labels[labels["model"].notna()].pivot(
        index="model", columns="quantity", values="value"
    )
    if len(other := [*values.index[values["equal"].isna()]]):
        yield (
            f"Values of {named(other, 'model')} are not grades on the human scale, so their "
            "agreement is not estimated; threshold them first (regrade cut)."
        )
    if len(few := [*values.index[values["equal"].notna() & values["alpha"].isna()]]):
        yield f"α of {named(few, 'model')} is undefined: nearly all human labels have one grade."


def best_of(systems: pd.DataFrame) -> str:
    """The names of the systems with the highest estimate, or how many they are."""
    best = systems.loc[systems["rank"] == 1, "system"].astype(str).tolist()
    return listed(best) if len(best) <= NAMED else f"{len(best):,} systems"


def may_be_best(systems: pd.DataFrame) -> int:
    """How many systems may be best, with those of the highest estimate."""
    return int((systems["may_be_first"].astype(bool) | (systems["rank"] == 1)).sum())


def verdict(
    measure: str, systems: pd.DataFrame, facts: Mapping[str, float], of_all: Mapping[str, float]
) -> str:
    """Which system would be best, and which ones may be, where pairs have intervals."""
    best = int((systems["rank"] == 1).sum())
    if len(systems) == 1:
        row = systems.iloc[0]
        low, high = _ends(row)
        ends = "" if pd.isna(low) else f" (95% CI {interval(low, high)})"
        is_ = f"its estimated {measure} is {number(row['value'], 3)}{ends}"
        return f"There is only one system, {row['system']}: {is_}."
    if best == len(systems):
        return f"All {len(systems):,} systems have the same estimated {measure}."
    ranks = "ranks" if best == 1 else "rank"
    if of_all["labelled"] == of_all["documents"]:
        return f"{best_of(systems)} {ranks} first; all documents have human labels."
    first = f"With {counted(of_all['labelled'], 'label')}, {best_of(systems)} {ranks} first"
    if pd.isna(facts["significant"]):
        return f"{first}; no valid test of the other systems is available."
    further = may_be_best(systems) - best
    worse = len(systems) - best - further
    test = "(max-t, α = 0.05)"
    if not worse:
        return f"{first}, but no system is significantly worse {test}."
    return f"{first}; {best_set(further, worse, test)}."


def key(systems: pd.DataFrame, facts: Mapping[str, float], of_all: Mapping[str, float]) -> str:
    """How many of the systems may be best, or how many documents are labelled."""
    if len(systems) == 1 or pd.isna(facts["significant"]):
        return labelled(of_all)
    return f"{may_be_best(systems):,} of {len(systems):,} systems may be best"


def light(systems: pd.DataFrame, facts: Mapping[str, float], of_all: Mapping[str, float]) -> str:
    """Whether the labels single out a best system, or exclude any."""
    if of_all["labelled"] == of_all["documents"]:
        return FINE
    if len(systems) == 1:
        return LOOK
    best = int((systems["rank"] == 1).sum())
    if pd.isna(facts["significant"]) or may_be_best(systems) == len(systems) != best:
        return PROBLEM
    return FINE if may_be_best(systems) == best else LOOK


def systems_table(
    systems: Mapping[str, pd.DataFrame], facts: Mapping[str, float], *, is_tested: bool
) -> AnswerTable | None:
    """All systems by the first measure, with their estimates by the others."""
    first, *others = systems
    rows = systems[first]
    values = [systems[name].astype({"system": str}).set_index("system")["value"] for name in others]
    has_set = is_tested and len(rows) > 1
    columns = [
        AnswerColumn("rank", "count"), AnswerColumn("system"), AnswerColumn(first, "estimate"),
        *([AnswerColumn("may be best", "mark")] if has_set else []),
        *(AnswerColumn(name, "number") for name in others),
    ]  # fmt: skip
    cells = (
        (row.rank, str(row.system), (row.value, *_ends(row)),
         *([bool(row.may_be_first) or row.rank == 1] if has_set else []),
         *(of[str(row.system)] for of in values))
        for row in rows.head(MOST_ROWS).itertuples()
    )  # fmt: skip
    n = f"{counted(len(rows), 'system')} · {title(facts)}"
    return AnswerTable.of(f"estimated {first} · {n}", columns, cells)


def pairs(facts: Mapping[str, float], of_all: Mapping[str, float]) -> Iterator[str]:
    """How many pairs differ significantly, and how wide intervals are."""
    significant, count = facts["significant"], facts["pairs"]
    if count > 1 and pd.notna(significant):
        differ = "differs" if significant == 1 else "differ"
        test = " significantly (max-t over all pairs, family-wise α = 0.05)"
        test = "" if of_all["labelled"] == of_all["documents"] else test
        yield f"{significant:,.0f} of {count:,.0f} pairs of systems {differ}{test}."
    if count > 1 and facts["median width of pairs"] > TOLERANCE:
        own = facts["median width"]
        of_systems = "" if pd.isna(own) else f" and {own:.3f} for system scores"
        width = f"{facts['median width of pairs']:.3f}"
        yield f"The median CI width is {width} for pairwise differences{of_systems}."


def identical_pairs(facts: Mapping[str, float]) -> str:
    """How many pairs of systems are the same rankings."""
    if not (same := facts["same rankings"]) or facts["pairs"] < 2:
        return ""
    return f"{counted(same, 'pair')} of systems {to_be(same)} identical (same documents and ranks)."


def further_measures(systems: Mapping[str, pd.DataFrame], facts: pd.Series) -> str:
    """Which system is first by each further measure, and how many may be best."""
    parts = []
    for measure, rows in systems.items():
        best = int((rows["rank"] == 1).sum())
        if len(rows) == 1:
            continue
        if best == len(rows):
            parts.append(f"by {measure} all systems tie")
            continue
        part = f"by {measure}, {best_of(rows)} {'ranks' if best == 1 else 'rank'} first"
        if pd.notna(facts[measure]["significant"]):
            part += f" and {counted(may_be_best(rows), 'system')} may be best"
        parts.append(part)
    return f"{parts[0][0].upper()}{'; '.join(parts)[1:]}." if parts else ""


def notes(table: pd.DataFrame, systems: Mapping[str, pd.DataFrame], reaching: str) -> Iterator[str]:
    """What a user would not expect; `reaching`: of intervals where labels are missing."""
    of_all = table[table["measure"] == ALL_TOPICS].set_index("quantity")
    facts_of = table.set_index(["measure", "quantity"])["value"]
    facts = of_all["value"]
    if facts["assumed uniform"]:
        yield (
            "How the labelled documents were selected is unknown and assumed to be uniform; "
            "otherwise neither estimates nor intervals are valid."
        )
    some = facts["labelled"] < facts["documents"]
    yield from unlisted(
        {name: facts_of[name]["unlisted"] for name in systems}, facts["documents without values"]
    )
    unproven = [name for name in systems if some and rests_on_all_relevant(parse(name))]
    proven = {name: of for name, of in systems.items() if name not in unproven}
    which = of_all.loc["not labelled", "note"]
    yield unlabelled(facts["not labelled"], which, reaching)
    for name, of in proven.items():
        yield withheld(name, of, facts_of[name])
        yield heaviest(table, name)
        yield modelled(name, facts_of[name])
    if unproven:
        yield (
            f"There are no intervals for {named(unproven, 'measure')}: their coverage is too low "
            "where the truth is known."
        )
    if facts["topics without values"]:
        noun = counted(facts["topics without values"], "topic has", "topics have")
        yield f"{noun} no model scores ({of_all.at['topics without values', 'note']})."


def unlisted(shares: Mapping[str, float], documents: float) -> Iterator[str]:
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
            included = "they cannot be labelled and count as not relevant"
        yield f"{share:.1%} of the documents in {depths} have no model score; {included}."
    for share, names in _alike({name: of[name] for name in of if name not in within}):
        has = "has" if len(names) == 1 else "have"
        yield (
            f"{listed(names)} {has} no cutoff: {share:.1%} of the ranks (weighted as they count) "
            "hold documents without a model score, which count as not relevant unless the cutoff "
            "of another measure reaches them."
        )


def _alike(shares: Mapping[str, float]) -> Iterator[tuple[float, list[str]]]:
    """Names of the same share together."""
    for share in dict.fromkeys(shares.values()):
        yield share, [name for name, own in shares.items() if own == share]


def unlabelled(count: float, which: str | None, reaching: str) -> str:
    """Which selected documents have no label, and what becomes of intervals."""
    if not count:
        return ""
    such = "such as " if count > SHOWN else ""
    have = counted(count, "selected document has", "selected documents have")
    return f"{have} no label: {such}{which}.{reaching and f' {reaching}'}"


def reach(measures: Sequence[str], facts: pd.Series) -> str:
    """What missing labels do to the intervals of these measures, and what helps."""
    if not measures:
        return ""
    ratio = facts[ALL_TOPICS].get("odds ratio", np.nan)
    if pd.isna(ratio):
        return (
            f"Until `grade` is filled in there, intervals for {listed(measures)} allow for any "
            f"grade and are wide. {BOUNDED}"
        )
    return f"Intervals for {listed(measures)} {_odds(ratio)}{_any_label(facts)}."


BOUNDED = (
    "Where the odds of a missing label differ little between grades, bound their ratio: "
    "--odds-ratio 2."
)
"""What helps where labels stay missing."""


def _odds(ratio: float) -> str:
    """Under what intervals hold."""
    alike = "similar documents (topic, model scores, ranks, inclusion)"
    if ratio == 1:
        return f"assume that labels are missing at random among {alike}"
    return (
        f"assume that the odds of a missing label are at most {ratio:g} times as high at one grade "
        f"as at another, among {alike}"
    )


def _any_label(facts: pd.Series) -> str:
    """How wide those of the first measure that has some would be for any label."""
    kinds = {
        "median width of pairs, any label": "differences",
        "median width, any label": "system scores",
    }
    quantities = facts.index.get_level_values("quantity")
    for quantity, kind in kinds.items():
        for (measure, _), width in facts[quantities == quantity].dropna().items():
            return f"; without it, the median width for {kind} ({measure}) is {width:.3f}"
    return ""


def reach_of_labels(labels: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """The same of grades, which have intervals or, like agreement, have none."""
    if _have_no_intervals(labels):
        return ""
    ratio = facts.get("odds ratio", np.nan)
    if pd.notna(ratio):
        return f"α has no interval, and those of shares {_odds(ratio)}."
    return (
        "Until `grade` is filled in there, α has no interval, and those of shares allow for any "
        f"grade. {BOUNDED}"
    )


def withheld(measure: str, systems: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which intervals are not given, for they would not hold."""
    kinds = {}
    if systems["low"].isna().all() and not facts["left to the model"]:
        kinds["systems"] = "held of systems"
    if facts["pairs"] and pd.isna(facts["significant"]) and not facts["pairs left to the model"]:
        kinds["differences"] = "held of pairs"
    if not kinds:
        return ""
    if any(pd.isna(facts[name]) for name in kinds.values()):
        return (
            f"Intervals for {measure} are withheld: with so few labels their coverage cannot be "
            "assessed."
        )
    coverage = " and ".join(f"{facts[name]:.0%} ({kind})" for kind, name in kinds.items())
    return (
        f"Intervals for {measure} are withheld: in simulated replications their coverage is only "
        f"{coverage}."
    )


def heaviest(table: pd.DataFrame, measure: str) -> str:
    """Which single label carries the answer, if one does."""
    rows = table[(table["measure"] == measure) & (table["quantity"] == "largest part of a label")]
    (fact,) = rows.itertuples()
    if fact.value <= CARRIED:
        return ""
    return (
        f"For {measure} a single label makes up {fact.value:.0%} of what labels change (sum of "
        f"squares over systems): {fact.note}. Check it."
    )


def modelled(measure: str, facts: Mapping[str, float]) -> str:
    """Which intervals are not given, for they rest on the model alone."""
    kinds = {"left to the model": "system scores", "pairs left to the model": "differences"}
    which = " and ".join(kind for name, kind in kinds.items() if facts[name])
    if not which:
        return ""
    return (
        f"There are no intervals of {which} for {measure}: the best documents of a topic are known "
        "from the model alone, and an error in one topic would invalidate the intervals."
    )


def method(facts: Mapping[str, float], *, has_intervals: bool, is_tested: bool) -> str:
    """What was computed, with tests, intervals, n and seed."""
    documents = f"{counted(facts['documents'], 'document')} of {counted(facts['topics'], 'topic')}"
    if facts["labelled"] == facts["documents"]:
        are = "the scores under them" if facts["systems"] else "their grades"
        return f"All {documents} had human labels; these are {are}."
    sources = "the labels, the model scores and the runs" if facts["systems"] else (
        "the labels and the model scores"
    )  # fmt: skip
    has = "had a human label" if facts["labelled"] == 1 else "had human labels"
    several = ""
    if facts["labels"] > facts["labelled"]:
        several = f" ({counted(facts['labels'], 'label')})"
    sentences = [
        f"{facts['labelled']:,.0f} of {documents} {has}{several}. Grades of all documents were "
        f"predicted from {sources}, and the predictions corrected by the labels, weighted by the "
        "inverse of their inclusion probabilities."
    ]
    if has_intervals:
        sentences.append(
            "95% confidence intervals are over the random selection of documents; topics are fixed."
        )
        if facts.get("replays", 0):
            sentences.append(
                f"Their coverage was assessed by {facts['replays']:,.0f} simulated replications "
                f"(seed {facts['seed']:.0f})."
            )
    if is_tested:
        sentences.append(
            "Systems that may be best, and significant pairs, are by max-t tests with family-wise "
            "α = 0.05."
        )
    return " ".join(sentences)

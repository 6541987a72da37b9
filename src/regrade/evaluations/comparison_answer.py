"""Would other labels have changed the evaluation?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    ALL_DOCUMENTS,
    alpha_of,
    by_quantity,
    named,
    percent,
    rows_of,
    signed,
    with_ends,
)
from regrade.catalogue import ALL_TOPICS
from regrade.kendall import TOLERANCE
from regrade.wording import counted, to_be

LABELS = ("compare/facts", "compare/agreement", "compare/labels")

SYSTEMS = tuple(f"compare/{name}" for name in (
    "systems", "rankings", "pair_counts", "changes", "reliability"))  # fmt: skip

FEWEST_OF_HALF = 5
"""Topics of a half from which on it is told whether what a change of labels costs is chance."""


def answer(
    first: str, second: str, tables: Mapping[str, pd.DataFrame], metric: str = "ordinal"
) -> Answer:
    """The answer from the tables of the stage ``compare``, by name.

    The first measure has a verdict and facts, each further one a verdict of its own.
    """
    facts = tables["facts"].set_index("quantity")
    warnings = [str(facts.loc["same scale", "note"])] if facts.loc["same scale", "note"] else []
    warnings = [f"{one[0].upper()}{one[1:]}." for one in warnings]
    labels = labels_said(first, second, tables, metric)
    if "systems" not in tables:
        question = f"Do {first} and {second} label alike?"
        return Answer.of(question, labels, notes=warnings, tables=LABELS)
    measures = list(dict.fromkeys(tables["systems"]["measure"].astype(str)))
    of = rows_of(tables, SYSTEMS, measures[0])
    said = [verdict_said(first, second, measures[0], tables), *facts_said(first, second, of)]
    said += labels
    said += [verdict_said(first, second, measure, tables) for measure in measures[1:]]
    value = facts["value"]
    topics = counted(value["topics scored"], "topic")
    tau = of["rankings"].set_index("quantity").loc["tau"]
    warnings.append(ties_said(f"under {second}", *tau[["value", "ties_low", "ties_high"]]))
    warnings.append(lacking_said({first: value["not relevant first"],
                                  second: value["not relevant second"]}))  # fmt: skip
    return Answer.of(
        f"Would {second} instead of {first} have changed the evaluation?",
        said,
        method=f"{counted(value['systems'], 'system')} scored under both on {topics}; pairs of them "
        "by a test that is paired by topic.",
        notes=warnings,
        tables=LABELS + SYSTEMS,
    )


def labels_said(
    first: str, second: str, tables: Mapping[str, pd.DataFrame], metric: str = "ordinal"
) -> Iterator[str]:
    """How many documents both judged, and how alike."""
    facts = by_quantity(tables["facts"])
    both = counted(facts["documents both"], "document")
    if not facts["same scale"]:
        yield f"{first} and {second} both judged {both}."
        return
    agreement = tables["agreement"]
    whole = agreement[agreement["topic"] == ALL_TOPICS].iloc[0]
    equal = percent(whole["equal"], 1)
    said = f"{first} and {second} give {equal} of {both} that both judged one label"
    alpha = tables["labels"].set_index("quantity").loc["alpha"]
    if pd.notna(alpha["value"]):
        ends = with_ends(alpha["value"], alpha["low"], alpha["high"])
        said += f": {alpha_of(metric, ALL_DOCUMENTS)} is {ends}"
    yield f"{said}."
    if difference := round(whole["difference"], 2):
        more = "higher" if difference > 0 else "lower"
        yield f"{second} is {more} by {abs(difference):.2f} on average."


def verdict_said(first: str, second: str, measure: str, tables: Mapping[str, pd.DataFrame]) -> str:
    """How much the second set reorders the systems that the first has ranked."""
    of = rows_of(tables, SYSTEMS, measure)
    if len(of["systems"]) == 1:
        (row,) = of["systems"].itertuples()
        return (
            f"The one system, {row.system}, has {measure} {row.first:.4f} under {first} and "
            f"{row.second:.4f} under {second}: with others it would have a rank."
        )
    tau = of["rankings"].set_index("quantity").loc["tau"]
    changes = of["changes"].iloc[0]
    return reordered_said(
        f"{second} instead of {first}",
        len(of["systems"]),
        tau["value"],
        int(changes["moved"]),
        int(changes["farthest"]),
        measure,
        (tau["low"], tau["high"]),
        beyond_chance=is_beyond_chance(of["reliability"]),
    )


def facts_said(first: str, second: str, of: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """What becomes of pairs, of the best system and of the furthest movers; what chance does."""
    counts = of["pair_counts"].groupby("change", observed=True)["pairs"].sum()
    names = ("appears", "disappears", "reverses")
    found = {name: int(counts.get(name, 0)) for name in names}
    changes = of["changes"].iloc[0]
    found |= changes[["pairs", "by_topics"]].to_dict()
    yield pairs_said(found, f"under {second}", f"under {first}")
    yield topics_said(changes, f"under {first}", sum(found[name] for name in names))
    yield " ".join(
        filter(None, [best_said(first, second, of["systems"]), movers_said(of["systems"])])
    )
    yield halves_said(of["reliability"])


def best_said(first: str, second: str, systems: pd.DataFrame) -> str:
    """Which system is the best under each set."""
    if len(systems) == 1:
        return ""
    ranks = ("first_rank", "second_rank")
    before, after = (
        sorted(systems.loc[systems[rank] == 1, "system"].astype(str)) for rank in ranks
    )
    if before == after:
        is_best = to_be(len(before))
        return f"{named(before, 'system')} {is_best} the best under both."
    was, comes = named(before, "system"), named(after, "system")
    return f"The best under {first}: {was}; under {second}: {comes}."


def lacking_said(lacking: Mapping[str, float]) -> str:
    """What becomes of documents that a set, by its name, does not label and the other does."""
    parts = [f"{n:,.0f} under {name}" for name, n in lacking.items() if n]
    if not parts:
        return ""
    return (
        f"Of documents that only one set labels {' and '.join(parts)} count as not relevant; "
        "`--documents shared` leaves them out."
    )


def halves_said(reliability: pd.DataFrame) -> str:
    """How much less halves of the topics agree with one half under each set.

    Of rankings whose own halves do not surely agree nothing can be told, nor of halves of fewer
    topics than `FEWEST_OF_HALF`.
    """
    row = _excess(reliability)
    if row is None:
        return ""
    of_splits = f"95% of splits {signed(row['low'])} to {signed(row['high'])}"
    said = (
        f"Across the two sets split-half τ_b is {signed(row['value'])} ({of_splits}) below that of "
        "two sets of one order"
    )
    if row["topics"] < FEWEST_OF_HALF:
        return f"{said}; the topics are too few to test that."
    if is_beyond_chance(reliability):
        return f"{said}: the sets disagree about systems significantly."
    return f"{said}: no significant disagreement about systems."


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

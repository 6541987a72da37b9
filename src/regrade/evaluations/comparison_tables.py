"""The tables of two sets of judgments side by side."""

from __future__ import annotations

import pandas as pd

from regrade.catalogue import ALL_TOPICS
from regrade.evaluations.items import COMPARE
from regrade.show.item_tables import TablePart, takes
from regrade.show.published import (
    Tables,
    cells,
    crossed,
    each,
    laid_out,
    listing,
    melted,
    text,
    tidy_beside,
    tie_range_text,
    with_ends,
)
from regrade.wording import number

ITEMS = COMPARE.by_name

CHANGED = ("reverses", "disappears", "appears")
"""Changes of a pair's significance, those that say most first."""

QUANTITIES = {
    "equal": "exact agreement", "difference": "mean of second − first",
    "alpha": "Krippendorff's α", "kappa": "Cohen's κ",
    "linear_kappa": "weighted κ (linear)", "quadratic_kappa": "weighted κ (quadratic)",
    "tau": "τ_b", "tau_ap": "τ_ap", "rbo": "RBO",
}  # fmt: skip
OF = {
    "first": "both halves under the first",
    "second": "both under the second",
    "between": "one under each",
    "expected": "expected under equal rankings",
    "excess": "excess disagreement",
}


def table_labels(facts: pd.DataFrame, labels: pd.DataFrame) -> Tables:
    """Counts; exact agreement, bias and coefficients with intervals."""
    item = ITEMS["table-labels"]
    facts, labels = (table.astype({"quantity": str}) for table in (facts, labels))
    counts = facts[facts["quantity"].map(_is_count)]
    parts = [counts, labels]
    ours = pd.concat([part[["quantity", "value"]] for part in parts], ignore_index=True)
    tidy = tidy_beside(item, ours.rename(columns={"value": "ours"}))
    ends = labels.set_index("quantity")[["low", "high"]]
    notes = facts.set_index("quantity")["note"].astype(str).to_dict()
    whole_numbers = {*counts["quantity"]}

    def value(row: tuple) -> str:
        if row.quantity in ends.index:
            return in_brackets(row.ours, *ends.loc[row.quantity])
        return number(row.ours, 0 if row.quantity in whole_numbers else 3, "")

    def note(row: tuple) -> str:
        return notes["same scale" if row.quantity in ends.index else row.quantity]

    notes = dict.fromkeys(tidy["quantity"], "") | notes
    name = each("quantity", lambda row: QUANTITIES.get(row.quantity, row.quantity))
    return tidy, listing(tidy, name, each("value", value), each("note", note))


def _is_count(quantity: str) -> bool:
    """Whether a fact counts what was compared."""
    return quantity.split(" ")[0] in ("topics", "documents", "systems", "not")


def table_grade_bias(grade_bias: pd.DataFrame) -> Tables:
    """By grade of the first set: documents, exact agreement, and the bias of the second."""
    names = {"documents": "documents", "topics": "topics", "equal": "exact agreement",
             "difference": "bias", "low": "low", "high": "high"}  # fmt: skip
    of = grade_bias.rename(columns=names).assign(grade=grade_bias["grade"].map(_grade))
    return crossed(ITEMS["table-grade-bias"], of, melt=names.values())


def table_confusion(confusion: pd.DataFrame) -> Tables:
    """Rows the first set's grades, columns the second's."""
    item = ITEMS["table-confusion"]
    ours = confusion.rename(columns={"documents": "ours"})
    order = ["first_grade", "second_grade"]
    ours = ours.sort_values(order)
    grades = {key: ours[key].map(_grade) for key in order}
    tidy = tidy_beside(item, ours.assign(**grades))
    columns = sorted(set(ours["second_grade"].dropna()))
    names = [*map(_grade, columns), *([_grade(None)] if ours["second_grade"].isna().any() else [])]
    readable = laid_out(tidy, cells(item, tidy), ["first_grade"], ["second_grade"])
    readable = readable.reindex(columns=["first_grade", *names], fill_value="")
    return tidy, readable.rename(columns={"first_grade": "first \\ second"})


def table_rankings(rankings: pd.DataFrame) -> Tables:
    """τ_b, τ_ap, RBO and shares of the top, and what as many new topics may give."""
    ends = rankings[["value", "new_low", "new_high"]].to_numpy(float)
    ties = rankings[["value", "ties_low", "ties_high"]].to_numpy(float)
    texts = [in_brackets(*row) + _tied(*tie) for row, tie in zip(ends, ties, strict=True)]
    return crossed(
        ITEMS["table-rankings"], rankings, value="value", titles=QUANTITIES, texts=lambda *_: texts
    )


def _tied(*values: float) -> str:
    tied = tie_range_text(*values)
    return f" ({tied})" if tied else ""


def table_pairs(pair_counts: pd.DataFrame, changes: pd.DataFrame) -> Tables:
    """Pairs by outcome and change, and their share; then what to make of those that change."""
    item = ITEMS["table-pairs"]
    significant = changes["significant_changes"]
    tested = changes.assign(outcome="all", change="significant", ours=significant)
    alone = changes.assign(outcome="all", change="by topics", ours=changes["by_topics"])
    counts = pair_counts.rename(columns={"pairs": "ours"})
    columns = ["measure", "outcome", "change", "ours"]
    tidy = tidy_beside(item, pd.concat([one[columns] for one in (counts, tested, alone)]))
    shares = [text(value, ".1%") for value in pair_counts["share"]]
    shares += [""] * len(tested)
    shares += [f"{number(row.low, 0)} … {number(row.high, 0)}" for row in alone.itertuples()]
    counted = zip(cells(item, tidy), shares, strict=True)
    texts = [f"{n} ({share})" if n and share else n for n, share in counted]
    readable = tidy.assign(change=tidy["change"].replace({"none": ""}))
    return tidy, laid_out(readable, texts, ["outcome", "change"], ["measure"])


def _changed(pairs: pd.DataFrame, **_: object) -> pd.DataFrame:
    return pairs[pairs["change"].isin(CHANGED)]


@takes(pairs=TablePart(kept=_changed))
def table_changed_pairs(pairs: pd.DataFrame, *, limit: int) -> Tables:
    """The pairs themselves: reversals first, then those whose change is the least by chance."""
    item = ITEMS["table-changed-pairs"]
    changed = _changed(pairs)
    keys = ["measure", "change", "system", "other"]
    changed = changed.assign(order=[CHANGED.index(change) for change in changed["change"]])
    changed = changed.sort_values(["order", "change_p"], kind="stable")
    names = {
        "first_difference": "difference under the first",
        "second_difference": "under the second", "first_p": "p under the first",
        "second_p": "p under the second", "change_p": "p of the change",
    }  # fmt: skip
    ours = melted(changed.rename(columns=names), keys, "quantity", list(names.values()))
    tidy = tidy_beside(item, ours)
    if tidy.empty:
        return tidy, pd.DataFrame({"pairs": ["no pair of systems changes"]})
    first = len(names) * limit
    readable = laid_out(tidy[:first], cells(item, tidy[:first]), keys, ["quantity"])
    if len(changed) > limit:
        more = f"… and {len(changed) - limit:,} more in the CSV beside this"
        readable.loc[len(readable)] = [more, *[""] * (readable.shape[1] - 1)]
    return tidy, readable


def table_top(top: pd.DataFrame) -> Tables:
    """Systems that enter or leave the top."""
    item = ITEMS["table-top"]
    keys = ["measure", "k", "system"]
    names = {"first_rank": "rank before", "second_rank": "rank after"}
    ours = melted(top.rename(columns=names), [*keys, "change"], "quantity", list(names.values()))
    ours = ours.astype({"k": str})
    tidy = tidy_beside(item, ours, extra=["change"])
    changes = tidy[tidy["change"] != "stays"]
    if changes.empty:
        return tidy, pd.DataFrame({"top": ["no system enters or leaves"]})
    return tidy, laid_out(changes, cells(item, changes), [*keys, "change"], ["quantity"])


def table_movers(systems: pd.DataFrame, *, movers: int) -> Tables:
    """The systems with the longest moves, by measure."""
    furthest = pd.concat(
        of.sort_values("move", key=abs, ascending=False, kind="stable").head(movers)
        for _, of in systems.groupby("measure", sort=False, observed=True)
    )
    names = {
        "first_rank": "rank before", "second_rank": "rank after", "move": "move",
        "first": "score before", "second": "score after", "gain": "gain",
        "gain_low": "gain, low", "gain_high": "gain, high",
    }  # fmt: skip
    return crossed(ITEMS["table-movers"], furthest.rename(columns=names), melt=names.values())


def table_topics(agreement: pd.DataFrame, topics: pd.DataFrame, *, limit: int) -> Tables:
    """Topics by α, the lowest first, with τ_b of the systems by each measure."""
    item = ITEMS["table-topics"]
    of = agreement[agreement["topic"] != ALL_TOPICS].astype({"topic": str})
    of = of.sort_values(["alpha", "topic"], na_position="last")
    names = {"both": "documents", "equal": "equal", "alpha": "α", "kappa": "κ"}
    names |= {"weighted_kappa": "weighted κ"}
    wide = of.rename(columns=names)
    taus = topics.astype({"topic": str, "measure": str})
    taus = taus.pivot(index="topic", columns="measure", values="tau")[
        list(dict.fromkeys(taus["measure"]))
    ]
    taus.columns = [f"τ_b, {measure}" for measure in taus.columns]
    wide = wide.merge(taus.reset_index(), on="topic", how="left")
    ours = melted(wide, ["topic"], "quantity", [*names.values(), *taus.columns])
    tidy = tidy_beside(item, ours)
    first = tidy["topic"].isin(wide["topic"].head(limit))
    return tidy, laid_out(tidy[first], cells(item, tidy[first]), ["topic"], ["quantity"])


def table_groups(groups: pd.DataFrame) -> Tables:
    """Mean gain of each group's systems, the largest first."""
    item = ITEMS["table-groups"]
    if groups.empty:
        none = pd.DataFrame({"groups": ["the collection names no `groups`"]})
        return tidy_beside(item, pd.DataFrame(columns=[*item.keys, "ours"])), none
    of = groups.astype({"measure": str, "group": str})
    order = list(dict.fromkeys(of["measure"]))
    of = of.assign(place=of["measure"].map(order.index))
    of = of.sort_values(["place", "gain", "group"], ascending=[True, False, True])
    names = {"low": "low", "gain": "gain", "high": "high", "move": "mean move"}
    melt = ["systems", *names.values()]
    return crossed(item, of.rename(columns=names), melt=melt)


def table_reliability(reliability: pd.DataFrame) -> Tables:
    """Correlations of halves: means and 95 % of the splits."""
    texts = [in_brackets(*ends) for ends in reliability[["value", "low", "high"]].to_numpy(float)]
    return crossed(
        ITEMS["table-reliability"], reliability, value="value", titles=OF, texts=lambda *_: texts,
        prepare=lambda tidy: tidy.assign(quantity=tidy["quantity"].map(QUANTITIES)),
    )  # fmt: skip


def in_brackets(value: float, low: float, high: float) -> str:
    """A value with its interval in brackets, where there is one."""
    return with_ends(value, low, high, "z.3f", " [{}, {}]")


def _grade(grade: float | None) -> str:
    return "unjudged" if pd.isna(grade) else f"{grade:g}"

"""The tables of judges beside a reference, arranged from what the stage ``judges`` made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.evaluations.comparison_tables import in_brackets
from regrade.evaluations.items import COMPARE
from regrade.evaluations.judge_differences import MEANS, SCORES
from regrade.show.published import (
    Tables,
    as_text,
    cells,
    crossed,
    laid_out,
    melted,
    text,
    tidy_beside,
    tie_range_text,
)

ITEMS = COMPARE.by_name

WAYS = {
    ("uncut", False): "uncut",
    ("rounded", False): "rounded",
    ("single", False): "one cut",
    ("single", True): "one cut, held out",
    ("per-topic", False): "a cut per topic",
    ("per-topic", True): "a cut per topic, held out",
    ("by-tau", False): "one cut by τ_b",
    ("by-tau", True): "one cut by τ_b, held out",
}
"""What is done with values, in order; a user's cuts stand by their names after `rounded`."""

COEFFICIENTS = {
    "mean_alpha": "mean α of topics", "alpha": "α of all", "kappa": "κ",
    "weighted_kappa": "weighted κ",
}  # fmt: skip
CORRELATIONS = {"tau": "τ_b", "tau_ap": "τ_ap"}
CHANGED = ("appears", "disappears", "reverses", "stays", "none")
TESTED_CHANGES = {
    "significant_changes": "changes significant",
    "by_topics": "changed by topic sampling",
}
SCORES_OF = {SCORES: "each topic", MEANS: "means"}
"""What the variance is of, in order."""
ENDS = ("value", "low", "high", "gain", "gain_low", "gain_high")


def ways(table: pd.DataFrame) -> pd.DataFrame:
    """The same rows with ``labels``, which says what was done, judges and ways in order."""
    table = table.astype({"judge": str, "cut": str})
    keys = list(zip(table["cut"], table["held_out"], strict=True))
    names = list(dict.fromkeys(cut for cut, _ in keys))
    order = [key for key in WAYS if key[0] in names and key[0] in ("uncut", "rounded")]
    order += [(name, False) for name in names if (name, False) not in WAYS]
    order += [key for key in WAYS if key not in order]
    judges = list(dict.fromkeys(table["judge"]))
    labelled = table.assign(
        labels=[WAYS.get(key, key[0]) for key in keys],
        place=table["judge"].map(judges.index),
        way=[order.index(key) for key in keys],
    )
    return labelled.sort_values(["place", "way"], kind="stable", ignore_index=True)


def table_judges(sets: pd.DataFrame) -> Tables:
    """Scales, documents and topics."""
    item = ITEMS["table-judges"]
    sets = sets.astype({"judge": str, "relation": str, "note": str})
    names = {
        "levels": "values of the scale", "distinct": "distinct values", "topics": "topics",
        "documents": "documents", "shared": "judged by both", "unjudged": "not judged",
    }  # fmt: skip
    tidy, readable = crossed(item, sets.rename(columns=names), melt=names.values())
    by_judge = sets.set_index("judge")
    relation = [by_judge["relation"][judge] for judge in readable["judge"]]
    readable.insert(1, "its scale is", relation)
    return tidy, readable.assign(note=[by_judge["note"][judge] for judge in readable["judge"]])


def table_judge_labels(cuts: pd.DataFrame, agreement: pd.DataFrame) -> Tables:
    """Thresholds, coefficients with intervals, and what the mean α gains on rounding."""
    item = ITEMS["table-judge-labels"]
    keys = ["judge", "labels"]
    whole = ways(cuts[cuts["topic"] == ALL_TOPICS])
    held = ways(agreement).astype({"quantity": str})
    parts = [
        melted(whole, keys, "quantity", list(CUT_COLUMNS)),
        *(_tidied(held, keys, ENDS, quantity) for quantity in COEFFICIENTS),
    ]
    tidy = tidy_beside(item, pd.concat(parts, ignore_index=True))
    cuts = [", ".join(text(cut, ".4g") for cut in row if pd.notna(cut))
            for row in whole[[*CUT_COLUMNS]].to_numpy(float)]  # fmt: skip
    thresholds = dict(zip(zip(whole["judge"], whole["labels"], strict=True), cuts, strict=True))
    readable = _readable(held, keys, COEFFICIENTS, {"mean_alpha": "gain in mean α over rounding"})
    place = len(keys)
    names = zip(*(readable[key] for key in keys), strict=True)
    readable.insert(place, "cut", [thresholds.get(name, "") for name in names])
    return tidy, readable.drop_duplicates().reset_index(drop=True)


def table_judge_systems(
    rankings: pd.DataFrame, pairs: pd.DataFrame, changes: pd.DataFrame, differences: pd.DataFrame
) -> Tables:
    """Correlations of rankings with intervals, what they gain on rounding, pairs that change."""
    item = ITEMS["table-judge-systems"]
    keys = ["measure", "judge", "labels"]
    ranked = ways(rankings).astype({"quantity": str, "measure": str})
    counts = ways(pairs).astype({"change": str, "measure": str})
    changed = counts.rename(columns={"change": "quantity", "pairs": "ours"})
    parts = [_tidied(ranked, keys, ENDS, quantity) for quantity in CORRELATIONS]
    tested = ways(changes).astype({"measure": str})
    tested = melted(tested, keys, "quantity", ["significant_changes", "by_topics"])
    changed = pd.concat([one[[*keys, "quantity", "ours"]] for one in (changed, tested)])
    parts.append(changed)
    tidy = tidy_beside(item, pd.concat(parts, ignore_index=True))
    gains = {"tau": "gain in τ_b over rounding"}
    readable = _readable(ranked, keys, CORRELATIONS, gains)
    of = {tuple(row[:4]): row[4] for row in changed.to_numpy()}
    names = list(zip(*(readable[key] for key in keys), strict=True))
    titles = {change: f"significance {change}" for change in CHANGED[:3]}
    for change, title in (titles | TESTED_CHANGES).items():
        counts = [of.get((*name, change)) for name in names]
        readable[title] = [text(n, ",.0f") for n in counts]
    beside = ways(differences).set_index(keys)
    ends = beside[["difference", "low", "high"]]
    readable["difference from the best"] = [
        in_brackets(*ends.loc[n]) if n in ends.index else "" for n in names
    ]
    readable["verdict"] = [beside["verdict"].get(name, "") for name in names]
    order = {measure: i for i, measure in enumerate(dict.fromkeys(ranked["measure"]))}
    readable = readable.sort_values("measure", key=lambda m: m.map(order), kind="stable")
    return tidy, readable.reset_index(drop=True)


def table_judge_confusion(confusion: pd.DataFrame) -> Tables:
    """A line for each grade of the reference, a column for each level."""
    item = ITEMS["table-judge-confusion"]
    counts = ways(confusion)
    text = {key: counts[key].map(lambda v: f"{v:g}") for key in ("reference_grade", "level")}
    ours = counts.assign(**text).rename(columns={"documents": "ours"})
    ours = ours.sort_values(["place", "way", "reference_grade", "level"], ignore_index=True)
    tidy = tidy_beside(item, ours)
    rows = ["judge", "labels", "reference_grade"]
    readable = laid_out(tidy, cells(item, tidy), rows, ["level"])
    levels = sorted(column for column in readable.columns if column not in rows)
    names = {level: f"level {level}" for level in levels}
    return tidy, readable[[*rows, *levels]].rename(columns={"reference_grade": "grade", **names})


def table_judge_variance(variance: pd.DataFrame) -> Tables:
    """A line for each axis and each two: its share by itself, and in all in which it has a part."""
    item = ITEMS["table-judge-variance"]
    keys = ["measure", "of", "axis", "other"]
    rows = as_text(variance, keys)
    tidy = tidy_beside(item, melted(rows, keys, "quantity", ["first_order", "total"]))
    lines: dict[str, dict[str, str]] = {}
    for two in (False, True):
        for row in rows[(rows["other"] != "") == two].itertuples():
            line = lines.setdefault(f"{row.axis} × {row.other}" if two else row.axis, {})
            scores = f"{row.measure}, {SCORES_OF[row.of]}"
            shares = {"alone": row.first_order, "total effect": row.total}
            for name, share in shares.items():
                line[f"{scores}: {name}"] = text(share, ".2%")
    readable = [{"share of": axis, **line} for axis, line in lines.items()]
    return tidy, pd.DataFrame(readable, columns=None if readable else ["share of"]).fillna("")


def _tidied(
    held: pd.DataFrame, keys: Sequence[str], ends: Sequence[str], quantity: str
) -> pd.DataFrame:
    """One value a row: the estimate under the quantity's name, its ends and gains after it."""
    rows = held[held["quantity"] == quantity]
    names = {end: quantity if end == "value" else f"{quantity}, {end}" for end in ends}
    wide = rows.drop(columns="quantity").rename(columns=names)
    return melted(wide, [*keys], "quantity", [*names.values()])


def _readable(
    held: pd.DataFrame, keys: Sequence[str], titles: Mapping[str, str], gains: Mapping[str, str]
) -> pd.DataFrame:
    """Values with intervals in brackets, a column for each quantity, then gains."""
    rows = []
    for name, some in held.groupby([*keys], sort=False):
        row = dict(zip(keys, name, strict=True))
        of = some.set_index("quantity")
        for quantity, title in titles.items():
            row[title] = in_brackets(*of.loc[quantity, ["value", "low", "high"]])
            if "ties_low" in of:
                tied = tie_range_text(*of.loc[quantity, ["value", "ties_low", "ties_high"]])
                row[title] += f" ({tied})" if tied else ""
        for quantity, title in gains.items():
            row[title] = in_brackets(*of.loc[quantity, ["gain", "gain_low", "gain_high"]])
        row["note"] = str(of["note"].iloc[0])
        rows.append(row)
    readable = pd.DataFrame(rows)
    # the default cut gains nothing on itself
    default = readable["labels"] == WAYS["rounded", False]
    readable.loc[default, [*gains.values()]] = ""
    if (readable["note"] == "").all():
        return readable.drop(columns="note")
    return readable[[c for c in readable if c != "note"] + ["note"]]

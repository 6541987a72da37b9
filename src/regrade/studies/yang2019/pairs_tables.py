"""The tables of yang2019, chapter 5, arranged from what the stages of ``pairs`` made.

The thesis's answers are not public: what it printed stands beside ours as what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS
from regrade.show.published import Tables, cells, laid_out, melted, tidy_beside
from regrade.studies.items import Item
from regrade.studies.yang2019.pairs_items import PAIRS

ITEMS = {item.name: item for item in PAIRS}

SHARES = {"agree_share": "agree", "disagree_share": "disagree", "tie_share": "tie"}
ALL_PARTITIONS = "all"
UNMAPPED = "none"
ANY = "any"
"""The labels of pairs that are not told apart by them."""

OURS, NEW = "original", "new"
"""Experiments of Table 5.12."""


def _renamed(table: pd.DataFrame, keys: Sequence[str], values: Mapping[str, str]) -> pd.DataFrame:
    """The values of some columns in ``ours``, by keys and the columns' new names."""
    # a share may get the name that its count has
    shown = table[[*keys, *values]].astype(dict.fromkeys(keys, str))
    renamed = shown.rename(columns=dict(values))
    return melted(renamed, [*keys], "quantity", list(values.values()))


def _arranged(
    item: Item,
    ours: pd.DataFrame,
    published: pd.DataFrame | None,
    rows: Sequence[str],
    columns: Sequence[str],
) -> Tables:
    if published is not None:  # a label that is a number in the file is a name here
        published = published.astype(dict.fromkeys(item.keys, str))
    tidy = tidy_beside(item, ours, published)
    return tidy, laid_out(tidy, cells(item, tidy), [*rows], [*columns])


def _with_printed(
    ours: pd.DataFrame, published: pd.DataFrame | None, keys: Sequence[str], only: pd.Series | None
) -> pd.DataFrame:
    """Ours, with empty rows for what only the thesis has."""
    if published is None or only is None or not only.any():
        return ours
    return pd.concat([ours, published.loc[only, [*keys]].assign(ours=np.nan)], ignore_index=True)


def table_5_4(topics: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Workers, costs, trusted and untrusted answers of each topic, and how many of them count."""
    columns = ("workers", "cost", "trusted", "untrusted", "kept")
    ours = _renamed(topics, ["topic"], dict(zip(columns, columns, strict=True)))
    return _arranged(ITEMS["table-5.4"], ours, published, ["topic"], ["quantity"])


def table_5_5(graded: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Agreement with labels that differ."""
    apart = graded[graded["lower"].isna() | (graded["lower"] < graded["higher"])]
    labels = [
        ANY if np.isnan(low) else f"{low:g} < {high:g}"
        for low, high in zip(apart["lower"], apart["higher"], strict=True)
    ]
    keys = ["reference", "labels", "topic", "method"]
    ours = _renamed(apart.assign(labels=labels), keys, {"pairs": "pairs", **SHARES})
    rows = ["reference", "labels", "topic"]
    return _arranged(ITEMS["table-5.5"], ours, published, rows, ["method", "quantity"])


def table_5_6(graded: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """What scores tell apart of documents with the same label.

    The thesis's counts of pairs, which are of no method, stand in rows of theirs.
    """
    same = graded[graded["lower"] == graded["higher"]]
    same = same.assign(label=same["lower"].map("{:g}".format))
    keys = ["reference", "label", "topic", "method"]
    values = {"pairs": "pairs", "apart_share": "separable", "tie_share": "tied"}
    ours = _renamed(same, keys, values)
    only = None if published is None else published["method"] == ""
    ours = _with_printed(ours, published, ITEMS["table-5.6"].keys, only)
    rows = ["reference", "label", "topic"]
    return _arranged(ITEMS["table-5.6"], ours, published, rows, ["method", "quantity"])


def table_5_7(orders: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Agreement of each two sets on the order of documents, over all topics."""
    everything = orders[orders["topic"] == ALL_TOPICS]
    values = {**SHARES, "tau": "tau_b", "alpha": "alpha", "alpha_apart": "alpha, no ties"}
    ours = _renamed(everything, ["first", "second"], values)
    return _arranged(ITEMS["table-5.7"], ours, published, ["first", "second"], ["quantity"])


def table_5_8(orders: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Agreement of each two sets on the order of systems."""
    unmapped = orders[orders["mapping"] == UNMAPPED]
    values = {**SHARES, "tau": "tau_b", "tau_ap": "tau_ap", "rbo": "RBO"}
    ours = _renamed(unmapped, ["first", "second"], values)
    return _arranged(ITEMS["table-5.8"], ours, published, ["first", "second"], ["quantity"])


def table_5_9(
    topics: pd.DataFrame,
    difficulty: pd.DataFrame,
    accuracy: pd.DataFrame,
    *,
    published: pd.DataFrame | None = None,
) -> Tables:
    """Workers, the mean score of systems, and workers' accuracy on test questions, by topic."""
    keys = ["reference", "topic"]
    found = accuracy.astype(dict.fromkeys(keys, str)).drop(columns="workers")
    found = found.merge(topics[["topic", "workers"]].astype({"topic": str}), on="topic")
    hard = difficulty.astype(dict.fromkeys([*keys, "measure"], str))
    [measure] = hard["measure"].unique()
    found = found.merge(hard[[*keys, "mean"]].rename(columns={"mean": measure}), how="left")
    values = {
        "workers": "workers",
        measure: measure,
        "gold_mean": "accuracy",
        "gold_deviation": "deviation",
        "mean": "accuracy, all pairs",
        "deviation": "deviation, all pairs",
    }
    ours = _renamed(found, keys, values)
    item = ITEMS["table-5.9"]
    only = None if published is None else published["quantity"].str.startswith("likes")
    ours = _with_printed(ours, published, item.keys, only)
    return _arranged(item, ours, published, keys, ["quantity"])


def table_5_10(topics: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Mean seconds of an answer."""
    ours = _renamed(topics, ["topic"], {"seconds": "all questions"})
    only = None if published is None else published["quantity"] != "all questions"
    ours = _with_printed(ours, published, ITEMS["table-5.10"].keys, only)
    return _arranged(ITEMS["table-5.10"], ours, published, ["topic"], ["quantity"])


def table_5_11(sided: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Which side is preferred where both documents have the same label."""
    equal = _preferences(sided, "equal")
    values = {"answers": "answers", "left_share": "left", "right_share": "right"}
    ours = _renamed(equal, ["reference", "topic"], values)
    return _arranged(ITEMS["table-5.11"], ours, published, ["reference", "topic"], ["quantity"])


def table_5_12(sided: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Agreement of preferences with labels, by the side of the higher one.

    The thesis's numbers are of two experiments.
    """
    keys = ["reference", "topic", "experiment"]
    wanted = {
        "equal": {"answers": "equal", "left_share": "equal left", "right_share": "equal right"},
        "left": {"answers": "left", "left_share": "left agree"},
        "right": {"answers": "right", "right_share": "right agree"},
    }
    parts = [
        _renamed(_preferences(sided, case).assign(experiment=OURS), keys, values)
        for case, values in wanted.items()
    ]
    ours = pd.concat(parts, ignore_index=True)
    for key in ("topic", "reference"):  # the parts follow each other case by case
        order = {name: place for place, name in enumerate(dict.fromkeys(ours[key]))}
        ours = ours.sort_values(key, key=lambda some, o=order: some.map(o), kind="stable")
    only = None if published is None else published["experiment"] == NEW
    ours = _with_printed(ours, published, ITEMS["table-5.12"].keys, only)
    return _arranged(ITEMS["table-5.12"], ours, published, keys, ["quantity"])


def _preferences(sided: pd.DataFrame, case: str) -> pd.DataFrame:
    """Answers to the question of preference whose sides are known."""
    kept = (sided["question"] == "preference") & sided["sides"] & (sided["case"] == case)
    return sided[kept]


def table_5_13(
    quadrants: pd.DataFrame, *, references: Sequence[str], published: pd.DataFrame | None = None
) -> Tables:
    """Pairs of systems told apart by scores, by a reference, by both."""
    kept = quadrants[quadrants["reference"].isin(references)]
    columns = ("tp", "fp", "fn", "tn", "ratio", "tau")
    ours = _renamed(kept, ["reference", "labels"], dict(zip(columns, columns, strict=True)))
    return _arranged(ITEMS["table-5.13"], ours, published, ["reference", "labels"], ["quantity"])


def table_5_14(quadrants: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """Pairs of systems told apart by scores from some of the partitions, means of draws."""
    columns = ("tp", "fp", "fn", "tn")
    table = quadrants.assign(partitions=_named_partitions(quadrants))
    keys = ["reference", "partitions", "method"]
    ours = _renamed(table, keys, dict(zip(columns, columns, strict=True)))
    rows = ["reference", "partitions"]
    return _arranged(ITEMS["table-5.14"], ours, published, rows, ["method", "quantity"])


def table_5_15(quadrants: pd.DataFrame, *, published: pd.DataFrame | None = None) -> Tables:
    """RBO with the ranking under the first method's scores from all partitions.

    It is the same whatever the reference.
    """
    first = quadrants[quadrants["reference"] == quadrants["reference"].iloc[0]]
    ours = first.assign(partitions=_named_partitions(first), ours=first["rbo"])
    return _arranged(ITEMS["table-5.15"], ours, published, ["partitions"], ["method"])


def _named_partitions(table: pd.DataFrame) -> list[str]:
    return [ALL_PARTITIONS if count == 0 else str(count) for count in table["partitions"]]


def table_pairs_alpha(
    alphas: pd.DataFrame, questions: pd.DataFrame, *, published: pd.DataFrame | None = None
) -> Tables:
    """Agreement of answers over all topics: among people, with labels, between questions."""
    found = alphas[alphas["topic"] == ALL_TOPICS]
    second = found["reference"].astype(object).where(found["reference"].notna(), "people")
    found = found.assign(first=found["question"].astype(str), second=second)
    values = {"answers": "answers", "pairs": "pairs", "alpha": "alpha",
              "alpha_apart": "alpha, no ties"}  # fmt: skip
    keys = ["first", "second"]
    asked = questions[questions["topic"] == ALL_TOPICS]
    ours = pd.concat(
        [_renamed(found, keys, values), _renamed(asked, keys, {"answers": "answers", **SHARES})],
        ignore_index=True,
    )
    return _arranged(ITEMS["table-pairs-alpha"], ours, published, keys, ["quantity"])


def table_pairs_systems(
    orders: pd.DataFrame, *, references: Sequence[str], published: pd.DataFrame | None = None
) -> Tables:
    """Rankings under each reference and each method, as they are and mapped to levels."""
    kept = orders[orders["first"].isin(references)]
    keys = ["mapping", "first", "second", "measure"]
    ours = _renamed(kept, keys, {"tau": "tau_b", "tau_ap": "tau_ap", "rbo": "RBO"})
    rows = ["mapping", "first", "second"]
    item = ITEMS["table-pairs-systems"]
    return _arranged(item, ours, published, rows, ["measure", "quantity"])


EFFECTS = {"estimate": "estimate", "std_error": "std. error", "p": "p"}


def table_pairs_effects(
    effects: pd.DataFrame, of_labels: pd.DataFrame, *, published: pd.DataFrame | None = None
) -> Tables:
    """Coefficients and variances of mixed models."""
    parts = [effects.assign(reference=""), of_labels]
    table = pd.concat([part.astype({"reference": object}) for part in parts], ignore_index=True)
    keys = ["outcome", "model", "reference", "term", "level"]
    return _effects(ITEMS["table-pairs-effects"], table, keys, published)


def table_pairs_partitions(
    effects: pd.DataFrame, *, published: pd.DataFrame | None = None
) -> Tables:
    """Coefficients and variances of the model of draws' agreement."""
    keys = ["outcome", "model", "term", "level"]
    return _effects(ITEMS["table-pairs-partitions"], effects, keys, published)


def _effects(
    item: Item, table: pd.DataFrame, keys: list[str], published: pd.DataFrame | None
) -> Tables:
    """Models that say why there is no coefficient have the reason as their term."""
    said = table["note"].astype(object).where(table["note"].notna(), "")
    term = table["term"].astype(object).where(table["term"].notna(), said)
    level = table["level"].astype(object).where(table["level"].notna(), "")
    ours = _renamed(table.assign(term=term, level=level), keys, EFFECTS)
    return _arranged(item, ours, published, keys, ["quantity"])

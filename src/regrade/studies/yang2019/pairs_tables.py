"""The tables of yang2019, chapter 5, arranged from what the stages of ``pairs`` made.

The thesis's answers are not public: what it printed stands beside ours as what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS
from regrade.show.item_tables import Frame
from regrade.show.published import Beside, Tables, as_text, crossed, melted
from regrade.studies.yang2019.pairs_items import PAIRS

ITEMS = {item.name: item for item in PAIRS}

SHARES = {"agree_share": "agree", "disagree_share": "disagree", "tie_share": "tie"}
ALL_PARTITIONS = "all"
UNMAPPED = "none"
ANY = "any"
"""The labels of pairs with equal labels."""

OURS, NEW = "original", "new"
"""Experiments of Table 5.12."""


def _values(table: Frame, keys: Sequence[str], values: Sequence | Mapping) -> Frame:
    """The values of some columns in ``ours``, by keys and the columns' (new) names."""
    # a share may get the name that its count has
    values = values if isinstance(values, Mapping) else dict(zip(values, values, strict=True))
    texts = table[[*keys, *values]].astype(dict.fromkeys(keys, str))
    return melted(texts.rename(columns=values), [*keys], "quantity", [*values.values()])


def _arranged(
    name: str,
    ours: Frame,
    published: Beside,
    columns: Sequence[str] = ("quantity",),
    only: Callable[[Frame], pd.Series] | None = None,
) -> Tables:
    """Some keys across, the others down; with empty rows for what `only` the thesis has."""
    item = ITEMS[name]
    keys = [*item.keys]
    if published is not None:  # a label that is a number in the file is a name here
        if only is not None and only(published).any():
            theirs = published.loc[only(published), keys].assign(ours=np.nan)
            ours = pd.concat([ours, theirs], ignore_index=True)
        published = published.astype(dict.fromkeys(keys, str))
    rows = [key for key in keys if key not in columns]
    return crossed(item, ours, published, rows=rows, columns=columns)


def table_5_4(topics: Frame, *, published: Beside = None) -> Tables:
    """Workers, costs, trusted and untrusted answers of each topic, and how many of them count."""
    ours = _values(topics, ["topic"], ["workers", "cost", "trusted", "untrusted", "kept"])
    return _arranged("table-5.4", ours, published)


def table_5_5(graded: Frame, *, published: Beside = None) -> Tables:
    """Agreement with labels that differ."""
    apart = graded[graded["lower"].isna() | (graded["lower"] < graded["higher"])]
    ends = zip(apart["lower"], apart["higher"], strict=True)
    labels = [ANY if np.isnan(low) else f"{low:g} < {high:g}" for low, high in ends]
    keys = ["reference", "labels", "topic", "method"]
    ours = _values(apart.assign(labels=labels), keys, {"pairs": "pairs", **SHARES})
    return _arranged("table-5.5", ours, published, ["method", "quantity"])


def table_5_6(graded: Frame, *, published: Beside = None) -> Tables:
    """How scores discriminate between documents with the same label.

    The thesis's counts of pairs, which are of no method, stand in rows of theirs.
    """
    same = graded[graded["lower"] == graded["higher"]]
    same = same.assign(label=same["lower"].map("{:g}".format))
    values = {"pairs": "pairs", "apart_share": "separable", "tie_share": "tied"}
    ours = _values(same, ["reference", "label", "topic", "method"], values)
    across = ["method", "quantity"]
    return _arranged("table-5.6", ours, published, across, lambda theirs: theirs["method"] == "")


def table_5_7(orders: Frame, *, published: Beside = None) -> Tables:
    """Agreement of each two sets on the order of documents, over all topics."""
    everything = orders[orders["topic"] == ALL_TOPICS]
    values = {**SHARES, "tau": "tau_b", "alpha": "alpha", "alpha_apart": "alpha, no ties"}
    return _arranged("table-5.7", _values(everything, ["first", "second"], values), published)


def table_5_8(orders: Frame, *, published: Beside = None) -> Tables:
    """Agreement of each two sets on the order of systems."""
    unmapped = orders[orders["mapping"] == UNMAPPED]
    values = {**SHARES, "tau": "tau_b", "tau_ap": "tau_ap", "rbo": "RBO"}
    return _arranged("table-5.8", _values(unmapped, ["first", "second"], values), published)


def table_5_9(
    topics: Frame, difficulty: Frame, accuracy: Frame, *, published: Beside = None
) -> Tables:
    """Workers, the mean score of systems, and workers' accuracy on test questions, by topic."""
    keys = ["reference", "topic"]
    every = accuracy.astype(dict.fromkeys(keys, str)).drop(columns="workers")
    every = every.merge(topics[["topic", "workers"]].astype({"topic": str}), on="topic")
    hard = difficulty.astype(dict.fromkeys([*keys, "measure"], str))
    [measure] = hard["measure"].unique()
    every = every.merge(hard[[*keys, "mean"]].rename(columns={"mean": measure}), how="left")
    values = {
        "workers": "workers", measure: measure, "gold_mean": "accuracy",
        "gold_deviation": "deviation", "mean": "accuracy, all pairs",
        "deviation": "deviation, all pairs",
    }  # fmt: skip
    return _arranged(
        "table-5.9", _values(every, keys, values), published,
        only=lambda theirs: theirs["quantity"].str.startswith("likes"),
    )  # fmt: skip


def table_5_10(topics: Frame, *, published: Beside = None) -> Tables:
    """Mean seconds of an answer."""
    ours = _values(topics, ["topic"], {"seconds": "all questions"})
    return _arranged(
        "table-5.10", ours, published, only=lambda theirs: theirs["quantity"] != "all questions"
    )


def table_5_11(sided: Frame, *, published: Beside = None) -> Tables:
    """Which side is preferred where both documents have the same label."""
    values = {"answers": "answers", "left_share": "left", "right_share": "right"}
    ours = _values(_preferences(sided, "equal"), ["reference", "topic"], values)
    return _arranged("table-5.11", ours, published)


def table_5_12(sided: Frame, *, published: Beside = None) -> Tables:
    """Agreement of preferences with labels, by the side of the higher one.

    The thesis's numbers are of two experiments.
    """
    keys = ["reference", "topic", "experiment"]
    cases = {
        "equal": {"answers": "equal", "left_share": "equal left", "right_share": "equal right"},
        "left": {"answers": "left", "left_share": "left agree"},
        "right": {"answers": "right", "right_share": "right agree"},
    }
    parts = [
        _values(_preferences(sided, case).assign(experiment=OURS), keys, values)
        for case, values in cases.items()
    ]
    ours = pd.concat(parts, ignore_index=True)
    for key in ("topic", "reference"):  # the parts follow each other case by case
        order = {name: place for place, name in enumerate(dict.fromkeys(ours[key]))}
        ours = ours.sort_values(key, key=lambda some, o=order: some.map(o), kind="stable")
    return _arranged("table-5.12", ours, published, only=lambda theirs: theirs["experiment"] == NEW)


def _preferences(sided: Frame, case: str) -> Frame:
    """Answers to the question of preference whose sides are known."""
    kept = (sided["question"] == "preference") & sided["sides"] & (sided["case"] == case)
    return sided[kept]


def table_5_13(quadrants: Frame, *, references: Sequence[str], published: Beside = None) -> Tables:
    """Pairs of systems that differ significantly by scores, by a reference, by both."""
    kept = quadrants[quadrants["reference"].isin(references)]
    ours = _values(kept, ["reference", "labels"], ["tp", "fp", "fn", "tn", "ratio", "tau"])
    return _arranged("table-5.13", ours, published)


def table_5_14(quadrants: Frame, *, published: Beside = None) -> Tables:
    """Pairs of systems that differ significantly by scores from some partitions, means of draws."""
    table = quadrants.assign(partitions=_named_partitions(quadrants))
    ours = _values(table, ["reference", "partitions", "method"], ["tp", "fp", "fn", "tn"])
    return _arranged("table-5.14", ours, published, ["method", "quantity"])


def table_5_15(quadrants: Frame, *, published: Beside = None) -> Tables:
    """RBO with the ranking under the first method's scores from all partitions.

    It is the same whatever the reference.
    """
    first = quadrants[quadrants["reference"] == quadrants["reference"].iloc[0]]
    ours = first.assign(partitions=_named_partitions(first), ours=first["rbo"])
    return _arranged("table-5.15", ours, published, ["method"])


def _named_partitions(table: Frame) -> list[str]:
    return [ALL_PARTITIONS if count == 0 else str(count) for count in table["partitions"]]


def table_pairs_alpha(alphas: Frame, questions: Frame, *, published: Beside = None) -> Tables:
    """Agreement of answers over all topics: among people, with labels, between questions."""
    every = alphas[alphas["topic"] == ALL_TOPICS]
    second = every["reference"].astype(object).where(every["reference"].notna(), "people")
    every = every.assign(first=every["question"].astype(str), second=second)
    values = {"answers": "answers", "pairs": "pairs", "alpha": "alpha"}
    values["alpha_apart"] = "alpha, no ties"
    keys = ["first", "second"]
    between = questions[questions["topic"] == ALL_TOPICS]
    parts = [_values(every, keys, values), _values(between, keys, {"answers": "answers", **SHARES})]
    return _arranged("table-pairs-alpha", pd.concat(parts, ignore_index=True), published)


def table_pairs_systems(
    orders: Frame, *, references: Sequence[str], published: Beside = None
) -> Tables:
    """Rankings under each reference and each method, as they are and mapped to levels."""
    kept = orders[orders["first"].isin(references)]
    values = {"tau": "tau_b", "tau_ap": "tau_ap", "rbo": "RBO"}
    ours = _values(kept, ["mapping", "first", "second", "measure"], values)
    return _arranged("table-pairs-systems", ours, published, ["measure", "quantity"])


EFFECTS = {"estimate": "estimate", "std_error": "std. error", "p": "p"}


def table_pairs_effects(effects: Frame, of_labels: Frame, *, published: Beside = None) -> Tables:
    """Coefficients and variances of mixed models."""
    parts = [effects.assign(reference=""), of_labels]
    table = pd.concat([part.astype({"reference": object}) for part in parts], ignore_index=True)
    return _effects("table-pairs-effects", table, published)


def table_pairs_partitions(effects: Frame, *, published: Beside = None) -> Tables:
    """Coefficients and variances of the model of draws' agreement."""
    return _effects("table-pairs-partitions", effects, published)


def _effects(name: str, table: Frame, published: Beside) -> Tables:
    """Models that say why there is no coefficient have the reason as their term."""
    table = as_text(table, ["note", "level"])
    term = table["term"].astype(object).where(table["term"].notna(), table["note"])
    ours = _values(table.assign(term=term), ITEMS[name].keys[:-1], EFFECTS)
    return _arranged(name, ours, published)

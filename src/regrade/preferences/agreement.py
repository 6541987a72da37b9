"""How far answers, scores of documents and labels agree, pair by pair (yang2019 §5.3.3, §5.3.5).

Two documents are put in an order by an answer, by their scores, or by their labels.  Two orders
*agree* where both put the same document first, *disagree* where they put different ones first, and
are *tied* (the thesis's unknown) where one of them puts neither first.

For Krippendorff's α a pair of documents is a unit, and an order a value: −1, 0 or 1.  Each pair
comes once in both directions, so that it makes no difference which document is called the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.agreement import alpha_from_coincidences, coincidences, metric_code
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.errors import MethodError
from regrade.kendall import TOLERANCE, tau_b
from regrade.preferences.label_comparison import by_document, of_side, with_labels
from regrade.significance.paired import differences, paired_t
from regrade.tables import as_frame

QUESTIONS = ("preference", "absolute", "ratio")
"""What an answer tells of two documents: which is preferred, which are relevant, two numbers."""

CASES = ("equal", "left", "right")
"""Which of two documents a reference gives the higher label."""

ORDER_COUNTS = ("agree", "disagree", "tie")

ORDERS = np.array([-1.0, 0.0, 1.0])
"""What an order of two documents is as a value: the first is higher, neither, the second."""

MOST_GRADES = 12
"""Different labels up to which pairs are counted by their two labels."""

_COUNTS = ("low", "none", "high")
_TWO = 2
"""Values that a unit of α needs."""

_UNTIED = np.array([1, 0, 1])
"""Which of the counts of orders are not of ties."""


def with_shares(table: pd.DataFrame, counts: Sequence[str], total: str) -> pd.DataFrame:
    """The table with ``…_share`` of each count in the column `total`; NaN of none."""
    totals = table[total].where(table[total] > 0)
    return table.assign(**{f"{name}_share": table[name].astype(float) / totals for name in counts})


def signs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """−1 where the first value is higher, 1 where the second is, 0 where they tie; NaN if unknown.

    As in the column ``strength``, the document below 0 is the first one.
    """
    difference = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    return np.where(
        np.isnan(difference), np.nan, (difference > TOLERANCE) * 1.0 - (difference < -TOLERANCE)
    )


def count_orders(both: np.ndarray) -> dict[str, int]:
    """`ORDER_COUNTS` of pairs, given the products of their two orders."""
    return {
        "agree": int((both > 0).sum()),
        "disagree": int((both < 0).sum()),
        "tie": int((both == 0).sum()),
    }


def order_agreement(sets: Mapping[str, pd.DataFrame], metric: str = "nominal") -> pd.DataFrame:
    """Agreement of each two sets on the order of documents (yang2019 Table 5.7)."""
    metric_code(metric)
    # (documents, sets) values; NaN where a set has none
    columns = [by_document(table, "value").rename(name) for name, table in sets.items()]
    wide = pd.concat(columns, axis=1).sort_index()
    rows = []
    for first, second in combinations(sets, 2):
        both = wide[[first, second]].dropna().groupby(level=0, observed=True)
        values_by_topic = {topic: part.to_numpy() for topic, part in both}
        rows += _order_rows(values_by_topic, metric, first=first, second=second)
    return with_shares(pd.DataFrame(rows), ORDER_COUNTS, "pairs")[columns_of("preferences/orders")]


def graded_agreement(
    scores: pd.DataFrame, labels: pd.DataFrame, reference: str = "reference"
) -> pd.DataFrame:
    """Agreement of scores with each two labels (yang2019 Tables 5.5 and 5.6)."""
    both = with_labels(scores, labels).dropna(subset=["value", "grade"])
    grades = np.unique(both["grade"])
    parts = []
    for (method, topic), some in both.groupby(["method", "topic"], observed=True, sort=False):
        first, second = np.triu_indices(len(some), 1)
        value, grade = some["value"].to_numpy(), some["grade"].to_numpy()
        order, label_order = signs(value[first], value[second]), signs(grade[first], grade[second])
        both = order * label_order
        columns = {
            "method": method,
            "topic": topic,
            "lower": np.minimum(grade[first], grade[second]),
            "higher": np.maximum(grade[first], grade[second]),
            "pairs": 1,
            "agree": both > 0,
            "disagree": both < 0,
            "tie": order == 0,
        }
        pairs = pd.DataFrame(columns)
        if len(grades) > MOST_GRADES:
            pairs = pairs[label_order != 0].assign(lower=np.nan, higher=np.nan)
        parts.append(_counted(pairs, ["method", "topic", "lower", "higher"]))
    if not parts:
        return pd.DataFrame(columns=columns_of("preferences/graded"))
    table = _with_all(pd.concat(parts), ["method", "topic", "lower", "higher"])
    place = {method: place for place, method in enumerate(scores["method"].unique())}
    table = table.sort_values("method", key=lambda m: m.map(place), kind="stable")
    equal = table["lower"] == table["higher"]
    for column in ("agree", "disagree"):
        table[column] = table[column].astype(float).mask(equal)
    table = with_shares(table.assign(reference=reference), ORDER_COUNTS, "pairs")
    table["apart_share"] = 1 - table["tie_share"]
    return table[columns_of("preferences/graded")].reset_index(drop=True)


def answered_orders(preferences: pd.DataFrame | pa.Table) -> dict[str, np.ndarray]:
    """What each answer says of its two documents, by question."""
    frame = _frame(preferences)
    orders = {"preference": np.sign(frame["strength"].to_numpy(dtype=float))}
    for question, column in (("absolute", "relevant"), ("ratio", "score")):
        sides = [f"left_{column}", f"right_{column}"]
        if not set(sides) <= set(frame.columns):
            continue
        left, right = (frame[side].astype("Float64").to_numpy(float, na_value=np.nan)
                       for side in sides)  # fmt: skip
        order = signs(left, right)
        if not np.isnan(order).all():
            orders[question] = order
    return orders


def side_agreement(
    preferences: pd.DataFrame | pa.Table, labels: pd.DataFrame, reference: str = "reference"
) -> pd.DataFrame:
    """What people answer, by which document has the higher label (yang2019 Tables 5.11, 5.12)."""
    frame = _frame(preferences)
    orders = answered_orders(frame)
    known = by_document(labels)
    label_order = signs(*(of_side(frame, side, known) for side in ("left", "right")))
    parts = []
    for question, order in orders.items():
        here = ~np.isnan(label_order) & ~np.isnan(order)
        answers = pd.DataFrame(
            {
                "question": question,
                "topic": frame["topic"].astype(str)[here],
                "sides": frame["sides"].astype(bool)[here],
                "case": np.select([label_order < 0, label_order > 0], CASES[1:], CASES[0])[here],
                "answers": 1,
                "left": order[here] < 0,
                "right": order[here] > 0,
                "tie": order[here] == 0,
            }
        )
        parts.append(_with_all(answers, ["question", "topic", "sides", "case"]))
    table = pd.concat(parts, ignore_index=True)
    table = with_shares(table, ("left", "right", "tie"), "answers")
    return table.assign(reference=reference)[columns_of("preferences/sided")]


def side_tests(sided: pd.DataFrame) -> pd.DataFrame:
    """Whether answers agree with labels more often where the better document is on the left.

    yang2019 tests this for Table 5.12, over topics and experiments.
    """
    known = sided[sided["sides"].astype(bool) & (sided["topic"].astype(str) != ALL_TOPICS)]
    rows = []
    for key, some in known.groupby(["reference", "question"], sort=False, observed=True):
        shares = [
            some[some["case"] == case].set_index("topic")[f"{case}_share"].rename(case)
            for case in CASES[1:]
        ]
        both = pd.concat(shares, axis=1).astype(float).dropna()
        left, right = (both[case].to_numpy() for case in CASES[1:])
        difference = differences(right, left)
        means = [part.mean() if len(both) else np.nan for part in (left, right, difference)]
        rows.append((*key, len(both), *means, *map(float, paired_t(difference))))
    return pd.DataFrame(rows, columns=columns_of("preferences/side_tests"))


def question_agreement(preferences: pd.DataFrame | pa.Table) -> pd.DataFrame:
    """How far the answers to each two questions, about the same two documents, agree."""
    frame = _frame(preferences)
    parts = []
    for (first, order), (second, other) in combinations(answered_orders(frame).items(), 2):
        here = ~np.isnan(order) & ~np.isnan(other)
        both = (order * other)[here]
        columns = {"first": first, "second": second, "topic": frame["topic"].astype(str)[here]}
        columns |= {"answers": 1, "agree": both > 0, "disagree": both < 0, "tie": both == 0}
        parts.append(pd.DataFrame(columns))
    if not parts:
        return pd.DataFrame(columns=columns_of("preferences/questions"))
    keys = ["first", "second", "topic"]
    table = pd.concat([_with_all(part, keys) for part in parts], ignore_index=True)
    return with_shares(table, ORDER_COUNTS, "answers")[columns_of("preferences/questions")]


def answer_alpha(
    preferences: pd.DataFrame | pa.Table,
    references: Mapping[str, pd.DataFrame],
    metric: str = "nominal",
) -> pd.DataFrame:
    """Krippendorff's α of answers about the same pair, and of answers with labels."""
    metric_code(metric)
    frame = _frame(preferences)
    topic = frame["topic"].astype(str).to_numpy()
    left, right = (frame[side].astype(str).to_numpy() for side in ("left", "right"))
    first, second = np.where(left < right, left, right), np.where(left < right, right, left)
    parts = []
    for question, order in answered_orders(frame).items():
        order = np.where(left < right, order, -order)
        names = {"topic": topic, "first": first, "second": second, "answers": 1}
        values = {name: order == value for name, value in zip(_COUNTS, ORDERS, strict=True)}
        answers = pd.DataFrame(names | values)[~np.isnan(order)]
        pairs = _counted(answers, ["topic", "first", "second"])
        counts = pairs[list(_COUNTS)].to_numpy(dtype=np.int64)
        parts.append(_alphas(pairs, counts, metric, question, None))
        majority = np.sign(counts[:, 2] - counts[:, 0]).astype(float)
        for reference, labels in references.items():
            known = by_document(labels)
            label_order = signs(*(of_side(pairs, side, known) for side in ("first", "second")))
            here = ~np.isnan(label_order)
            counts_ = order_counts(np.vstack([majority, label_order])[:, here])
            parts.append(_alphas(pairs[here], counts_, metric, question, reference))
    return pd.concat([part.astype({"reference": object}) for part in parts], ignore_index=True)


def order_counts(orders: np.ndarray) -> np.ndarray:
    """(pairs, 3) how many of the coders give each pair −1, 0 and 1, of orders (coders, pairs)."""
    return np.stack([(orders == value).sum(axis=0) for value in ORDERS], axis=1)


def alpha_of_counts(counts: np.ndarray, metric: str = "nominal") -> float:
    """Krippendorff's α of orders of pairs, each pair in both directions."""
    counts = np.vstack([counts, counts[:, ::-1]])
    counts = counts[counts.sum(axis=1) >= _TWO]
    if not len(counts):
        return np.nan
    return alpha_from_coincidences(coincidences(counts), counts.sum(axis=0), ORDERS, metric)


# --- parts ---------------------------------------------------------------------------------------


def _frame(preferences: pd.DataFrame | pa.Table) -> pd.DataFrame:
    frame = as_frame(preferences)
    if not len(frame):
        raise MethodError("there is no preference that could agree with anything")
    return frame


def _order_rows(
    values_by_topic: Mapping[str, np.ndarray], metric: str, **names: str
) -> Iterator[dict]:
    """A row for each topic's (documents, 2) values, and one for all."""
    counts, taus, rows = [np.zeros((0, 3), dtype=np.int64)], [], []
    for topic, values in values_by_topic.items():
        first, second = np.triu_indices(len(values), 1)
        orders = np.stack([signs(column[first], column[second]) for column in values.T])
        both = orders[0] * orders[1]
        counts.append(order_counts(orders))
        taus.append(tau_b(*np.ascontiguousarray(values.T)))
        row = {**names, "topic": topic, "documents": len(values), "pairs": len(both)}
        alphas = _alphas_of(counts[-1], metric)
        rows.append(row | count_orders(both) | {"tau": taus[-1]} | alphas)
    summed = ("documents", "pairs", *ORDER_COUNTS)
    sums = {column: sum(row[column] for row in rows) for column in summed}
    defined = [tau for tau in taus if not np.isnan(tau)]
    mean = float(np.mean(defined)) if defined else np.nan
    alphas = _alphas_of(np.vstack(counts), metric)
    yield from [*rows, {**names, "topic": ALL_TOPICS, **sums, "tau": mean, **alphas}]


def _alphas_of(counts: np.ndarray, metric: str) -> dict[str, float]:
    """α with ties and without them."""
    apart = alpha_of_counts(counts * _UNTIED, metric)
    return {"alpha": alpha_of_counts(counts, metric), "alpha_apart": apart}


def _counted(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    return table.groupby(keys, observed=True, dropna=False).sum().reset_index()


def _with_all(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Sums by keys, and over all topics, which come last."""
    of_topics = _counted(table, keys)
    of_all = _counted(table.assign(topic=ALL_TOPICS), keys)
    return pd.concat([of_topics, of_all], ignore_index=True)


def _alphas(
    pairs: pd.DataFrame, counts: np.ndarray, metric: str, question: str, reference: str | None
) -> pd.DataFrame:
    topic, answers = pairs["topic"].to_numpy(), pairs["answers"].to_numpy()
    rows = []
    for name in [*np.unique(topic), ALL_TOPICS]:
        here = (topic == name) | (name == ALL_TOPICS)
        counted = here & (counts.sum(axis=1) >= _TWO)
        apart = ((counts[here] * _UNTIED).sum(axis=1) >= _TWO).sum()
        alpha, alpha_apart = _alphas_of(counts[here], metric).values()
        of_pairs = (answers[counted].sum(), counted.sum(), alpha, apart, alpha_apart)
        rows.append((question, reference, name, *of_pairs))
    return pd.DataFrame(rows, columns=columns_of("preferences/alphas"))

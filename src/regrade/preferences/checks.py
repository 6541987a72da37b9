"""What is wrong with answers about pairs, and which of them count (yang2019 §5.1.4).

Here it is decided which answers count; what is made of answers takes those, and looks at neither
trust nor test questions again.

``untrusted``
    whoever collected them does not trust them;
``test``
    test questions, whose documents are nobody's;
``inaccurate``
    of a worker who answers too few of a topic's test questions rightly;
``outside``
    the pair is none of the unit that the task gives it to, or none of the topic's where units are
    unknown;
``repeated``
    the worker answered about the same two documents of the topic before, in another unit;
``score_order``
    the preferred document's number is not the larger one, or a tie's numbers differ;
``relevance_order``
    the other document alone is relevant;
``relevant_zero``, ``number_of_not_relevant``
    a relevant document's number is 0, one that is not relevant has a number above 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.choices import ANSWER_CHECKS
from regrade.errors import MethodError
from regrade.preferences.answer_key import OPTIONS, PREFERENCE, RELEVANCE, answer_key, is_accepted
from regrade.preferences.answer_key import options_chosen as _options

DROPPED, REFUSED = ("untrusted", "test"), ("outside",)
"""Checks whose answers are left out, or are an error, unless told otherwise."""

# whom the table of answers names already
_UNNAMED = ("untrusted", "test")
_SHOWN = 3


@dataclass(frozen=True)
class Checked:
    """Answers, and what was found in them.

    Attributes
    ----------
    answers
        Schema ``preferences``: those that count.
    left_out
        Schema ``preferences``: those that do not, but for test questions, which are about nobody's
        documents.
    checks
        Columns of ``preferences/checks``: for each check, topic and all topics, last, how many
        answers it looked at and found, and how many its rule left out; an answer can count in
        several checks.
    named
        Columns of ``preferences/named``: each answer found, but for those that are not trusted or
        test questions.
    tests
        Columns of ``preferences/tests``: for each topic and worker the test questions answered, and
        how many rightly in each question and in all that were asked.
    options
        Columns of ``preferences/options``: how often workers chose each option of a test question
        of two levels.
    """

    answers: pa.Table
    left_out: pa.Table
    checks: pd.DataFrame
    named: pd.DataFrame
    tests: pd.DataFrame
    options: pd.DataFrame


def check_answers(
    answers: pa.Table,
    tests: pd.DataFrame | None = None,
    pairs: pd.DataFrame | None = None,
    drop: Collection[str] = DROPPED,
    refuse: Collection[str] = REFUSED,
    accuracy: float = 0.84,
) -> Checked:
    """Look for what is wrong with answers, and leave out what the rules say."""
    rules = {
        check: "drop" if check in drop else "refuse" if check in refuse else "keep"
        for check in ANSWER_CHECKS
    }
    frame = answers.to_pandas()
    names = ["topic", "left", "right", "worker", "unit"]
    frame[names] = frame[names].astype(object)
    test_answers = _tested(frame, tests)
    flags, looked = _flags(frame, test_answers, pairs, accuracy)
    _refuse(frame, flags, rules)
    out = {check: flags[check] & (rules[check] == "drop") for check in ANSWER_CHECKS}
    kept = ~np.logical_or.reduce(list(out.values()))
    if not kept.any():
        raise MethodError("no answer is left: let a rule keep what it leaves out")
    return Checked(
        answers=answers.filter(pa.array(kept)),
        left_out=answers.filter(pa.array(~kept & ~out["test"])),
        checks=_counted(frame["topic"].astype(str), flags, looked, out, rules),
        named=_named(frame, flags),
        tests=_by_worker(test_answers),
        options=_option_counts(test_answers),
    )


def _flags(
    frame: pd.DataFrame, test_answers: pd.DataFrame, pairs: pd.DataFrame | None, accuracy: float
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """For each check the answers that it finds, and those that it can look at; (n,) bool."""
    left, right = (frame[f"{side}_relevant"].astype(float) for side in ("left", "right"))
    first, second = frame["left_score"], frame["right_score"]
    has_numbers = (first.notna() & second.notna()).to_numpy()
    has_both = (left.notna() & right.notna()).to_numpy()
    sign = np.sign(frame["strength"].to_numpy())
    is_test = frame["test"].eq(True).to_numpy()
    by_worker = _by_worker(test_answers)
    low = by_worker[by_worker["right"] < accuracy * by_worker["tests"]]
    of_topic = ["topic", "worker"]
    whose, tested, failing = (
        pd.MultiIndex.from_frame(of[of_topic]) for of in (frame, by_worker, low)
    )
    of_zero = ((left == 1) & (first == 0)) | ((right == 1) & (second == 0))
    above_zero = ((left == 0) & (first > 0)) | ((right == 0) & (second > 0))
    has_task = np.full(len(frame), pairs is not None)
    is_trusted, is_of_tests, has_worker = (
        frame[of].notna() for of in ("trusted", "test", "worker")
    )
    # of the worker's answers about the two documents those after the first, by unit and position
    low_docno, high_docno = _ordered(frame)
    seen = frame[[*of_topic, "unit", "position"]].assign(low=low_docno, high=high_docno)
    seen = seen[has_worker].sort_values(["unit", "position"], kind="stable")
    again = seen.duplicated([*of_topic, "low", "high"])
    again = again.reindex(frame.index, fill_value=False).to_numpy()
    both = {
        "untrusted": (frame["trusted"].eq(False), is_trusted),
        "test": (is_test, is_of_tests),
        "inaccurate": (whose.isin(failing), whose.isin(tested)),
        "outside": (_outside(frame, pairs) & ~is_test, has_task & ~is_test),
        "repeated": (again & ~is_test, has_worker & ~is_test),
        "score_order": (has_numbers & (np.sign(second - first).to_numpy() != sign), has_numbers),
        "relevance_order": (has_both & ((right - left).to_numpy() * sign < 0), has_both),
        "relevant_zero": (of_zero, has_both & has_numbers),
        "number_of_not_relevant": (above_zero, has_both & has_numbers),
    }
    flags, looked = ({check: np.asarray(pair[k]) for check, pair in both.items()} for k in (0, 1))
    return flags, looked


def _outside(frame: pd.DataFrame, pairs: pd.DataFrame | None) -> np.ndarray:
    """(n,) whether the task does not ask about the pair, in the unit where that is known."""
    if pairs is None:
        return np.zeros(len(frame), dtype=bool)

    def is_in(*names: str) -> np.ndarray:
        here, known = (
            pd.MultiIndex.from_arrays([*(of[name].astype(str) for name in names), *_ordered(of)])
            for of in (frame, pairs)
        )
        return here.isin(known)

    return ~np.where(frame["unit"].notna(), is_in("topic", "unit"), is_in("topic"))


def _ordered(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    left, right = (frame[side].astype(str).to_numpy(dtype=object) for side in ("left", "right"))
    turned = left > right
    return np.where(turned, right, left), np.where(turned, left, right)


def _tested(frame: pd.DataFrame, tests: pd.DataFrame | None) -> pd.DataFrame:
    """Answers to test questions of the task: levels, options chosen, and what of it is right."""
    answered = frame[frame["test"].eq(True)]
    columns = ["left_level", "right_level"]
    if tests is None or tests.empty or answered.empty:
        known = answered.iloc[:0].assign(left_level="", right_level="")
    else:
        keys = ["topic", "left", "right"]
        tests = tests[[*keys, *columns]].astype(str)
        turned = tests.rename(
            columns={"left": "right", "right": "left"}
            | {"left_level": "right_level", "right_level": "left_level"}
        )
        both = pd.concat([tests, turned], ignore_index=True)
        known = answered.astype(dict.fromkeys(keys, str)).merge(both, on=keys)
    levels = known[columns].to_numpy(dtype=str).reshape(-1, 2).T
    relevant = (known[f"{side}_relevant"].astype(float).to_numpy() for side in ("left", "right"))
    strength = known["strength"].to_numpy(dtype=float)
    preference, relevance = _options(strength, *relevant)
    larger = np.sign((known["right_score"] - known["left_score"]).to_numpy(dtype=float))
    known = known.assign(
        preference=preference,
        relevance=relevance,
        right_preference=is_accepted(*levels, PREFERENCE, preference),
        right_relevance=is_accepted(*levels, RELEVANCE, relevance) | known["left_relevant"].isna(),
        right_score=(larger == strength) | np.isnan(larger),
    )
    every = known[["right_preference", "right_relevance", "right_score"]].all(axis=1)
    return known.assign(right_all=every)


def _by_worker(test_answers: pd.DataFrame) -> pd.DataFrame:
    grouped = test_answers.groupby(["topic", "worker"], dropna=False)
    rights = {name: f"right_{name}" for name in ("preference", "relevance", "score")}
    table = grouped[[*rights.values(), "right_all"]].sum().astype(int)
    table.insert(0, "tests", grouped.size())
    names = {column: name for name, column in rights.items()} | {"right_all": "right"}
    return table.rename(columns=names).reset_index()[columns_of("preferences/tests")]


def _option_counts(test_answers: pd.DataFrame) -> pd.DataFrame:
    """How often each option of the key was given."""
    counts = [
        test_answers.groupby(["left_level", "right_level", question])
        .size()
        .rename_axis(["left_level", "right_level", "option"])
        .rename("answers")
        .reset_index()
        .assign(question=question)
        for question in OPTIONS
    ]
    keys = ["left_level", "right_level", "question", "option"]
    table = answer_key().merge(pd.concat(counts).astype(dict.fromkeys(keys, str)), "left", on=keys)
    return table.fillna({"answers": 0}).astype({"answers": int})[columns_of("preferences/options")]


def _refuse(frame: pd.DataFrame, flags: Mapping[str, np.ndarray], rules: Mapping[str, str]) -> None:
    for check, where in flags.items():
        if rules[check] == "refuse" and where.any():
            examples = "; ".join(
                f"topic {row.topic}, {row.left} and {row.right}, unit {row.unit}, by {row.worker}"
                for row in frame[where].head(_SHOWN).itertuples()
            )
            more = f", and {where.sum() - _SHOWN} more" if where.sum() > _SHOWN else ""
            raise MethodError(
                f"{where.sum()} answers are refused by the check {check} "
                f"({examples}{more}): correct them, or set its rule to keep or drop"
            )


def _counted(
    topic: pd.Series,
    flags: Mapping[str, np.ndarray],
    looked: Mapping[str, np.ndarray],
    out: Mapping[str, np.ndarray],
    rules: Mapping[str, str],
) -> pd.DataFrame:
    parts = []
    for check, rule in rules.items():
        flagged = flags[check] & looked[check]
        columns = {"answers": looked[check], "found": flagged, "left_out": out[check]}
        table = pd.DataFrame(columns).groupby(topic.to_numpy()).sum()
        table.loc[ALL_TOPICS] = table.sum()
        table = table.rename_axis("topic").reset_index()
        parts.append(table.assign(check=check, rule=rule))
    return pd.concat(parts, ignore_index=True)[columns_of("preferences/checks")]


def _named(frame: pd.DataFrame, flags: Mapping[str, np.ndarray]) -> pd.DataFrame:
    parts = [
        frame[where].assign(check=check)
        for check, where in flags.items()
        if check not in _UNNAMED and where.any()
    ]
    table = pd.concat(parts, ignore_index=True) if parts else frame.iloc[:0].assign(check="")
    return table[columns_of("preferences/named")].reset_index(drop=True)

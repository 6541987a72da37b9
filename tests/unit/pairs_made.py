"""A collection of answers about pairs so small that its tables are worked by hand.

Two topics of three documents; two workers whose answers count, each with one unit (its partition),
one who is not trusted, one test question; three systems; labels R.
"""

import pandas as pd
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.preferences.agreement import (
    answer_alpha,
    graded_agreement,
    order_agreement,
    question_agreement,
    side_agreement,
    side_tests,
)
from regrade.preferences.checks import check_answers
from regrade.preferences.consistency import consistency
from regrade.preferences.document_scores import score_answers, served_methods
from regrade.preferences.effects import label_effects, partition_effects, worker_effects
from regrade.preferences.label_comparison import label_values, labelled_documents, raw_scores
from regrade.preferences.partitions import (
    available_partitions,
    partition_draws,
    partition_systems,
    partition_topics,
)
from regrade.preferences.systems import (
    all_labels,
    as_gains,
    difficulty_table,
    p_table,
    quadrant_table,
    score_labels,
    system_agreement,
    system_table,
)
from regrade.preferences.workers import (
    accuracy_table,
    inconsistency_table,
    label_relations,
    seen_table,
    time_bins,
    time_fits,
    topic_table,
    worker_labels,
    worker_relations,
    worker_table,
)
from regrade.run_arrays import RankedLists
from regrade.significance.discrimination import PairTestOptions
from tests.unit.trec import runs_table

MEASURE = "RBP(p=0.5)"
SIGNIFICANCE = 0.3

# topic, worker, partition, position, left, right, who is preferred, numbers, relevant, seconds
GIVEN = [
    ("1", "w1", 1, 1, "a", "b", -1, 8, 2, True, False, 10),
    ("1", "w1", 1, 2, "b", "c", 1, 1, 3, False, False, 20),
    ("1", "w1", 1, 3, "c", "a", 1, 3, 9, False, True, 30),
    ("1", "w2", 2, 1, "a", "b", 1, 4, 5, True, True, 10),
    ("1", "w2", 2, 2, "b", "c", -1, 5, 0, True, False, 20),
    ("1", "w2", 2, 3, "a", "c", -1, 7, 1, True, False, 30),
    ("1", "w3", 2, 1, "a", "b", -1, 9, 9, True, False, 40),
    ("1", "w1", 1, 4, "1-H1", "1-N1", -1, 9, 0, True, False, 5),
    ("2", "w1", 1, 1, "x", "y", -1, 9, 6, True, True, 10),
    ("2", "w1", 1, 2, "y", "z", -1, 6, 1, True, False, 10),
    ("2", "w1", 1, 3, "z", "x", 1, 1, 8, False, True, 10),
    ("2", "w2", 2, 1, "x", "y", -1, 7, 5, True, True, 10),
    ("2", "w2", 2, 2, "y", "z", -1, 5, 2, True, False, 10),
    ("2", "w2", 2, 3, "x", "z", -1, 7, 2, True, False, 10),
]
COLUMNS = [
    *("topic", "worker", "partition", "position", "left", "right", "strength"),
    *("left_score", "right_score", "left_relevant", "right_relevant", "seconds"),
]
LABELS = pd.DataFrame(
    {"topic": list("111222"), "docno": list("abcxyz"), "grade": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]}
)
GOLD = pd.DataFrame(
    [
        ("1", "w11", "b", "a"),
        ("1", "w21", "a", "b"),
        ("2", "w12", "y", "x"),
        ("2", "w22", "y", "z"),
    ],
    columns=["topic", "unit", "left", "right"],
).assign(gold=True)
"""The gold pair of each unit, on whichever side."""
RUNS = {
    "s1": {"1": "abc", "2": "xyz"},
    "s2": {"1": "cba", "2": "zyx"},
    "s3": {"1": "ba", "2": "yx"},
}


def answers(**changes):
    """All that were collected; `changes` are other values of columns."""
    frame = pd.DataFrame(GIVEN, columns=COLUMNS)
    frame = frame.assign(
        unit=frame["worker"] + frame["topic"],
        sides=True,
        trusted=frame["worker"] != "w3",
        test=frame["left"] == "1-H1",
        **changes,
    )
    for column in ("strength", "left_score", "right_score", "seconds"):
        frame[column] = frame[column].astype("float64")
    return frame


def table_of(frame):
    return pa.Table.from_pandas(frame, schema=SCHEMAS["preferences"], preserve_index=False)


def ranked(topics):
    runs = {
        system: {t: [(d, 9.0 - i) for i, d in enumerate(lists[t])] for t in topics}
        for system, lists in RUNS.items()
    }
    return RankedLists.from_table(runs_table(runs))


def made(frame=None, labels=LABELS):
    """Each table of the stages of pairs, by name, of one measure."""
    checked = check_answers(table_of(answers() if frame is None else frame))
    kept, references = checked.answers, {"R": labels}
    asked = ("frequency", "absolute", "ratio")
    methods = [name for name in asked if name in served_methods(kept)]
    scores = score_answers(kept, methods)
    units = consistency(kept)
    workers = worker_table(kept, checked.left_out, units=units)
    known, fits = worker_labels(kept, labels, "R", GOLD), time_fits(kept)
    tables = {
        "scores": scores,
        "workers": workers,
        "topics": topic_table(kept, checked.left_out, 0.01),
        "seen": seen_table(kept),
        "relations": worker_relations(workers),
        "inconsistency": inconsistency_table(workers),
        "time_fits": fits,
        "times": time_bins(kept, fits),
        "effects": worker_effects(kept, workers),
        "documents": labelled_documents(scores, labels, "R"),
        "orders": order_agreement(label_values(scores, references)),
        "graded": graded_agreement(scores, labels, "R"),
        "sided": (sided := side_agreement(kept, labels, "R")),
        "side_tests": side_tests(sided),
        "questions": question_agreement(kept),
        "alphas": answer_alpha(kept, references),
        "raw": raw_scores(kept, labels, "R"),
        "worker_labels": known,
        "accuracy": accuracy_table(known),
        "label_relations": label_relations(workers, known),
        "label_effects": label_effects(kept, labels, "R"),
    }
    return tables | of_systems(scores, labels) | of_partitions(kept, methods, labels)


def of_systems(scores, labels):
    topics = sorted(scores["topic"].astype(str).unique())
    lists, references = ranked(topics), {"R": (labels, labels["grade"].max())}
    scored = score_labels(lists, all_labels(as_gains(scores), references, []), [MEASURE])
    p_values = p_table(scored)
    return {
        "systems": system_table(scored),
        "system_orders": system_agreement(scored),
        "p_values": p_values,
        "quadrants": quadrant_table(p_values, len(topics), SIGNIFICANCE),
        "difficulty": difficulty_table(lists, references, "AP", topics),
    }


def of_partitions(kept, methods, labels):
    draws = partition_draws(kept, [1, 2], 2, methods)
    topics = partition_topics(draws, available_partitions(kept))
    lists = ranked(sorted(set(topics["topic"])))
    references = {"R": (labels, labels["grade"].max())}
    tested = PairTestOptions(significance=SIGNIFICANCE)
    tables = partition_systems(draws, lists, references, [MEASURE], tested)
    return tables | {"partition_topics": topics, "partition_effects": partition_effects(topics)}

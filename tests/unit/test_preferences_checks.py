"""What is found in answers about pairs, by hand; rules; test questions and their key."""

import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import ANSWER_CHECKS
from regrade.errors import MethodError
from regrade.preferences.checks import check_answers
from regrade.preferences.tasks import pseudo_pairs

FIELDS = ("left", "right", "strength", "a", "b", "left_relevant", "right_relevant")
PLAIN = ("A", "B", -1, 5, 0, True, False)


def answers(*rows, **columns):
    """Rows of FIELDS, the last of them a mapping of further columns or none, as a table."""
    made = []
    for row in rows:
        extra = row[-1] if isinstance(row[-1], dict) else {}
        said = row[:-1] if extra else row
        values = dict(zip(FIELDS, said, strict=False)) | {"topic": "1", "sides": True}
        values |= {"left_score": values.pop("a", None), "right_score": values.pop("b", None)}
        made.append({"worker": "w", "unit": "u", "position": len(made) + 1} | values | extra)
    frame = pd.DataFrame(made, columns=columns_of("preferences")).assign(**columns)
    return pa.Table.from_pandas(frame, schema=SCHEMAS["preferences"], preserve_index=False)


def found(checked, check, topic="*"):
    table = checked.checks
    row = table[(table["check"] == check) & (table["topic"] == topic)].iloc[0]
    return row["answers"], row["found"], row["left_out"]


def test_sound_answers_have_nothing():
    checked = check_answers(answers(PLAIN, ("B", "C", 1, 0, 2, False, True)))
    for check in ANSWER_CHECKS:
        assert found(checked, check)[1:] == (0, 0)
    assert checked.answers.num_rows == 2
    assert checked.named.empty
    assert checked.tests.empty
    assert list(checked.checks) == columns_of("preferences/checks")
    assert list(checked.named) == columns_of("preferences/named")
    assert list(checked.tests) == columns_of("preferences/tests")
    assert list(checked.options) == columns_of("preferences/options")


@pytest.mark.parametrize(
    ("row", "finds"),
    [
        (("A", "B", -1, 1, 3, True, True), {"score_order"}),
        (("A", "B", -1, 3, 3, True, True), {"score_order"}),
        (("A", "B", 0, 3, 3, True, True), set()),
        (("A", "B", 0, 3, 2, True, True), {"score_order"}),
        (("A", "B", 1, 3, 5, True, False), {"relevance_order", "number_of_not_relevant"}),
        (("A", "B", 0, 3, 3, True, False), {"number_of_not_relevant"}),
        (("A", "B", -1, 1, 0, True, True), {"relevant_zero"}),
        (("A", "B", -1, 1, 0, False, False), {"number_of_not_relevant"}),
        (("A", "B", -1, 0, 0, False, False), {"score_order"}),
        (("A", "B", -1, None, 2, None, True), set()),
    ],
)
def test_contradictions_between_the_questions(row, finds):
    checked = check_answers(answers(row))
    assert {check for check in ANSWER_CHECKS if found(checked, check)[1]} == finds
    assert set(checked.named["check"]) == finds
    mirrored = (row[1], row[0], -row[2], row[4], row[3], row[6], row[5])
    again = check_answers(answers(mirrored))
    assert {check for check in ANSWER_CHECKS if found(again, check)[1]} == finds


def test_rules_keep_drop_and_refuse():
    rows = answers(PLAIN, ("C", "D", -1, 1, 3, True, True))
    assert check_answers(rows).answers.num_rows == 2
    dropped = check_answers(rows, drop=["score_order"])
    assert dropped.answers["left"].to_pylist() == ["A"]
    assert found(dropped, "score_order") == (2, 1, 1)
    assert dropped.named.iloc[0].to_dict() == {
        "check": "score_order", "topic": "1", "worker": "w", "unit": "u", "position": 2,
        "left": "C", "right": "D",
    }  # fmt: skip
    with pytest.raises(MethodError, match="refused by the check score_order") as refused:
        check_answers(rows, refuse=["score_order"])
    assert "more" not in str(refused.value)
    many = answers(*[(left, "Z", -1, 1, 3, True, True) for left in "CDEFG"])
    with pytest.raises(MethodError, match="5 answers") as refused:
        check_answers(many, refuse=["score_order"])
    assert "topic 1, E and Z, unit u, by w, and 2 more)" in str(refused.value)


def test_an_answer_that_says_nothing_of_one_document_is_not_looked_at():
    rows = answers(PLAIN, ("C", "D", -1, 3, 1, None, True), ("E", "F", -1, 3, None, True, True))
    checked = check_answers(rows)
    assert found(checked, "relevance_order")[0] == 2
    assert found(checked, "score_order")[0] == 2


def test_untrusted_answers_and_tests_are_left_out_unless_told():
    rows = answers(
        (*PLAIN, {"trusted": True, "test": False}),
        (*PLAIN, {"trusted": False, "unit": "v"}),
        (*PLAIN, {"test": True, "unit": "x"}),
    )
    checked = check_answers(rows)
    assert checked.answers.num_rows == 1
    assert found(checked, "untrusted") == (2, 1, 1)
    assert found(checked, "test") == (2, 1, 1)
    assert set(checked.named["check"]) == {"repeated"}
    assert checked.left_out["unit"].to_pylist() == ["v"]  # nobody's documents are not among them
    kept = check_answers(rows, drop=[])
    assert kept.answers.num_rows == 3
    assert kept.left_out.num_rows == 0


def test_a_pair_answered_again_is_the_later_one():
    rows = answers(
        (*PLAIN, {"unit": "u2"}),
        ("B", "A", 1, 0, 5, False, True, {"unit": "u1"}),
        (*PLAIN, {"unit": "u3", "worker": "x"}),
        (*PLAIN, {"unit": "u4", "topic": "2"}),
        (*PLAIN, {"unit": None, "worker": None}),
        (*PLAIN, {"unit": None, "worker": None}),
    )
    checked = check_answers(rows, drop=["repeated"])
    assert checked.named[["unit", "worker"]].to_numpy().tolist() == [["u2", "w"]]
    assert found(checked, "repeated") == (4, 1, 1)


def test_pairs_that_are_not_of_the_task():
    task = pd.DataFrame({"topic": "1", "unit": ["u", "v"], "left": ["A", "C"], "right": ["B", "D"]})
    rows = answers(
        PLAIN,
        ("B", "A", 1, 0, 5, False, True, {"worker": "x"}),  # the other way round
        ("C", "D", -1, 1, 0, True, False),  # of another unit
        ("C", "D", -1, 1, 0, True, False, {"unit": None}),
        ("A", "C", -1, 1, 0, True, False, {"unit": None}),
    )
    assert found(check_answers(rows), "outside") == (0, 0, 0)
    checked = check_answers(rows, pairs=task, drop=["outside"])
    assert found(checked, "outside") == (5, 2, 2)
    assert checked.answers.num_rows == 3
    with pytest.raises(MethodError, match="2 answers are refused by the check outside"):
        check_answers(rows, pairs=task)


def asked_of(*told):
    """Answers of workers to test questions: worker, left, right, then as in FIELDS."""
    return [
        (left, right, *said, {"worker": worker, "test": True, "unit": f"{worker}{i}"})
        for i, (worker, left, right, *said) in enumerate(told)
    ]


TEST_PAIRS = pd.DataFrame(
    [("1", 1, "H1", "N1", "H", "N"), ("1", 2, "M1", "N1", "M", "N")],
    columns=["topic", "test", "left", "right", "left_level", "right_level"],
)


def test_test_questions_are_held_against_the_key():
    rows = answers(
        PLAIN,
        *asked_of(
            ("w", "H1", "N1", -1, 3, 0, True, False),  # all right
            ("w", "N1", "H1", 1, 0, 3, False, True),  # sides exchanged, right
            ("w", "N1", "M1", 1, 0, 2, False, False),  # M need not be relevant
            ("x", "H1", "N1", 1, 0, 3, False, True),  # N preferred; only the one preferred
            ("x", "H1", "N1", -1, 3, 0, True, True),  # both called relevant
            ("x", "M1", "N1", -1, 0, 3, True, False),  # number of the other larger
            ("x", "H1", "N1", 0, 3, 3, True, False),  # a tie, which is no option
        ),
    )
    checked = check_answers(rows, TEST_PAIRS)
    by_worker = checked.tests.set_index("worker")
    assert by_worker.loc["w", columns_of("preferences/tests")[2:]].tolist() == [3, 3, 3, 3, 3]
    assert by_worker.loc["x", columns_of("preferences/tests")[2:]].tolist() == [4, 2, 2, 3, 0]
    assert found(checked, "inaccurate") == (8, 4, 0)
    given = checked.options.set_index(columns_of("preferences/options")[:4])
    assert given.loc[("H", "N", "preference", "left"), "answers"] == 2
    assert given.loc[("H", "N", "preference", "right"), "answers"] == 1
    assert given.loc[("N", "H", "relevance", "selected"), "answers"] == 1
    assert given.loc[("N", "M", "relevance", "neither"), "answers"] == 1
    assert given["answers"].sum() == 12  # of 14, two are no option
    assert given["accepted"].sum() == len(given[given["accepted"]])


def test_inaccurate_workers_lose_all_answers_of_the_topic():
    rows = answers(
        PLAIN,
        ("A", "B", -1, 5, 0, True, False, {"topic": "2"}),
        *asked_of(
            ("w", "H1", "N1", 1, 0, 3, False, True), ("w", "M1", "N1", -1, 2, 0, True, False)
        ),
        ("A", "B", -1, 5, 0, True, False, {"worker": "x"}),
    )
    drop = ("test", "inaccurate")
    kept = check_answers(rows, TEST_PAIRS, drop=drop, accuracy=0.5)
    assert kept.answers.num_rows == 3
    left = check_answers(rows, TEST_PAIRS, drop=drop, accuracy=0.51)
    assert sorted(left.answers["topic"].to_pylist()) == ["1", "2"]


def test_questions_that_were_not_asked_cannot_be_wrong():
    rows = answers(*asked_of(("w", "H1", "N1", -1)), ("A", "B", -1))
    checked = check_answers(rows, TEST_PAIRS)
    assert checked.tests.iloc[0].tolist() == ["1", "w", 1, 1, 1, 1, 1]


def test_topics_add_up_and_rules_are_told():
    rows = answers(("A", "B", -1, 1, 3), ("A", "B", -1, 1, 3, {"topic": "2"}))
    checked = check_answers(rows)
    assert found(checked, "score_order", "1") == (1, 1, 0)
    assert found(checked, "score_order", "2") == (1, 1, 0)
    assert found(checked, "score_order") == (2, 2, 0)
    told = checked.checks.drop_duplicates("check").set_index("check")["rule"].to_dict()
    assert told == dict.fromkeys(ANSWER_CHECKS, "keep") | {
        "untrusted": "drop",
        "test": "drop",
        "outside": "refuse",
    }


def test_what_cannot_be_checked():
    with pytest.raises(MethodError, match="no answer is left"):
        check_answers(answers((*PLAIN, {"trusted": False})))


def test_the_tasks_own_questions_are_known():
    tests = pseudo_pairs(["1"], 6, seed=1)
    first = tests.iloc[0]
    best = -1 if "HMN".index(first["left_level"]) <= "HMN".index(first["right_level"]) else 1
    row = (first["left"], first["right"], best, {"test": True})
    checked = check_answers(answers(row, ("A", "B", 1)), tests)
    assert checked.tests["preference"].tolist() == [1]

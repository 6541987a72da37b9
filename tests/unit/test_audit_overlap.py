"""Parts that share nothing are refused; names and values of which little can come out are told."""

import pyarrow as pa
import pytest

from regrade.audit.overlap import check_documents_shared, check_topics_shared, leading_zeros
from regrade.audit.sets import CollectedSet
from regrade.audit.summary import topic_warnings
from regrade.audit.warnings import warnings_of
from regrade.errors import MethodError


def table(*rows, value="grade", **more):
    """Topic, docno and value of each row."""
    columns = dict(zip(("topic", "docno", value), zip(*rows, strict=True), strict=True))
    return pa.table({name: list(column) for name, column in (columns | more).items()})


def test_no_topic_in_common_shows_one_of_each():
    with pytest.raises(MethodError, match="The labels have '1', the runs 'a'") as caught:
        check_topics_shared(table(("1", "x", 1.0), ("2", "x", 0.0)), ["b", "a"])
    assert "leading zeros" not in str(caught.value)
    check_topics_shared(table(("1", "x", 1.0), ("a", "x", 0.0)), ["b", "a"])


def test_leading_zeros_are_said():
    with pytest.raises(MethodError, match=r"\('51' and '051' differ by leading zeros only\)"):
        check_topics_shared(table(("51", "x", 1.0)), ["051"])
    assert leading_zeros({"1", "02"}, {"001", "2", "3"}) == (
        "'02' and '2', '1' and '001' differ by leading zeros only"
    )
    assert leading_zeros({"1", "2"}, {"1", "3"}) == ""
    assert leading_zeros({"1"}, {"1", "01"}) == ""
    assert leading_zeros(map(str, range(9)), (f"0{i}" for i in range(9))).count(" and ") == 5


def test_documents_are_shared_within_a_topic():
    first = table(("1", "a", 1.0), ("2", "b", 1.0))
    check_documents_shared(first, table(("2", "b", 5.0), value="value"), ("N", "S"))
    with pytest.raises(MethodError, match="N has 'a' for topic '1', S has 'a' for topic '2'"):
        check_documents_shared(first, table(("2", "a", 1.0)), ("N", "S"))
    with pytest.raises(MethodError, match="differ by leading zeros only"):
        check_documents_shared(first, table(("01", "a", 1.0)), ("N", "S"))


def test_units_of_several_workers():
    rows = [("1", "a", 0.0), ("1", "b", 1.0), ("1", "c", 2.0), ("2", "a", 3.0), ("2", "b", 3.0)]

    def said(workers, units):
        held = CollectedSet(
            "judgments", "N", table(*rows, value="value", worker=workers, unit=units)
        )
        return warnings_of(None, [held])["said"].to_pylist()

    assert said(["v", "w", "w", "v", "w"], ["u", "u", "t", "u", None]) == [
        "units (HITs) of a topic that several workers have: 1; each worker's part counts as a unit "
        "of its own"
    ]
    assert said(["v", "w", "w", "v", "w"], list("abcde")) == []


def test_topics_that_differ_by_zeros_are_warned_of():
    held = CollectedSet("qrels", "N", table(("051", "a", 1.0), ("52", "a", 0.0)))
    *_, (source, warning) = topic_warnings(["51", "52"], [held])
    assert source == "qrels N"
    assert warning == (
        "topics '51' and '051' differ by leading zeros only: topics are text, write them alike"
    )


def test_topics_that_are_asked_for_and_nowhere_are_warned_of():
    held = CollectedSet("qrels", "N", table(("401", "a", 1.0), ("402", "a", 0.0)))

    def said(wanted, in_runs=None):
        warned = warnings_of(in_runs, [held], wanted=wanted).to_pylist()
        return [row["said"] for row in warned if row["source"] == "topics"]

    assert said(None) == said(["401", "402"]) == []
    one = "1 topic is asked for by `topics` and in no file: 4022; did you mean '402'?"
    assert said(["401", "4022"]) == [one]
    assert said(["x", 7, "401"]) == ["2 topics are asked for by `topics` and in no file: x, 7"], (
        "topics are text"
    )
    assert said(["403"], ["401", "402", "403"]) == [], "the runs have it"
    many = said([f"t{number}" for number in range(12)])
    assert many[0].endswith("t8, t9, …")

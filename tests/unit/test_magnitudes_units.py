"""Known documents, checks and widths of units: against plain Python, and at the edges."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.catalogue import columns_of
from regrade.errors import MethodError, ParameterError
from regrade.magnitudes.normalising import shifted
from regrade.magnitudes.units import (
    is_narrow,
    kept_judgments,
    known_documents,
    topic_table,
    unit_table,
    width_counts,
    width_quantiles,
)
from regrade.readers.labels import read_judgments
from regrade.tables import read_table, write_table
from tests.reference import magnitudes as reference
from tests.unit.magnitudes import MAGNITUDES, judgments_of


def labels(**grades):
    """Labels of documents of topic 1, or of topics given as `t2_a`."""
    rows = [
        (key.split("_")[0][1:] if "_" in key else "1", key.split("_")[-1], grade)
        for key, grade in grades.items()
    ]
    return pd.DataFrame(rows, columns=["topic", "docno", "grade"])


def known_of(topic="1", high="H", low="N"):
    return pd.DataFrame(
        {"topic": [topic], "high": [high], "low": [low], "reason": [None]}, dtype=object
    )


def unit(name, values, *, topic="1", worker="w", seconds=30.0, back=None, failed=None):
    """The rows of one unit, of values by document."""
    return [(topic, d, worker, name, v, seconds, back, failed) for d, v in values.items()]


def told(known):
    """Known documents by topic, and the reasons why there are none."""
    rows = known.itertuples(index=False)
    return {r.topic: (r.high, r.low) if r.reason is None else r.reason for r in rows}


# known documents


def test_known_by_labels():
    judgments = judgments_of(unit("u", {"H": 5.0, "N": 1.0, "a": 2.0}))
    assert told(known_documents(judgments, labels(H=3, a=1, N=0))) == {"1": ("H", "N")}


@pytest.mark.parametrize(
    ("grades", "reason"),
    [
        ({"H": 3, "a": 3, "N": 0}, "2 documents have the highest label, 3"),
        ({"H": 3, "a": 0, "N": 0}, "2 documents have the lowest label, 0"),
        ({"H": 3, "elsewhere": 0}, "the document with the lowest label, elsewhere, is in no unit"),
        ({"elsewhere": 3, "N": 0}, "the document with the highest label, elsewhere, is in no unit"),
        ({"H": 1, "N": 1}, "all labels of known documents are 1"),
        ({"H": 1}, "all labels of known documents are 1"),
        ({"t2_H": 1}, "no document of the topic is known"),
    ],
)
def test_labels_that_do_not_tell(grades, reason):
    judgments = judgments_of(unit("u", {"H": 5.0, "N": 1.0, "a": 2.0}))
    assert told(known_documents(judgments, labels(**grades))) == {"1": reason}


def common_units(n, values, **options):
    """n units of a topic, by as many workers, with two common documents and one of their own."""
    return [
        row
        for i in range(n)
        for row in unit("u", values | {f"d{i}": 2.0}, worker=f"w{i}", **options)
    ]


def test_known_are_inferred():
    rows = common_units(3, {"H": 5.0, "N": 1.0})
    assert told(known_documents(judgments_of(rows))) == {"1": ("H", "N")}
    # by labels, if these tell
    for grades, pair in (
        ({"H": 0, "N": 1}, ("N", "H")),
        ({"H": 1, "N": 1}, ("H", "N")),
        ({"H": 0}, ("H", "N")),
        ({"t2_H": 0, "t2_N": 1}, ("H", "N")),
    ):
        found = known_documents(judgments_of(rows), reference=labels(**grades))
        assert told(found) == {"1": pair}


def test_known_documents_may_be_missing_from_a_unit():
    rows = common_units(3, {"H": 5.0, "N": 1.0}) + unit("v", {"x": 1.0, "N": 9.0})
    assert told(known_documents(judgments_of(rows))) == {"1": ("H", "N")}


def test_what_cannot_be_inferred_has_a_reason():
    rows = unit("u", {"H": 5.0, "N": 1.0}, topic="one")
    rows += common_units(2, {"H": 5.0, "N": 1.0, "x": 3.0}, topic="three")
    rows += common_units(4, {}, topic="none")
    # two units that tell H from N one way, and two the other
    rows += common_units(2, {"H": 5.0, "N": 1.0}, topic="tie")
    rows += [(*row[:2], f"x{row[2]}", *row[3:])
             for row in common_units(2, {"H": 1.0, "N": 3.0}, topic="tie")]  # fmt: skip
    rows += common_units(2, {"H": 2.0, "N": 1.0}, topic="good")
    assert told(known_documents(judgments_of(rows))) == {
        "good": ("H", "N"),
        "none": "0 documents are in more than half of the 4 units, not 2",
        "one": "the topic has one unit: its known documents cannot be determined",
        "three": "3 documents are in more than half of the 2 units, not 2",
        "tie": "whether H or N is the high one cannot be determined",
    }


def test_half_of_the_units_is_not_more_than_half():
    rows = common_units(2, {"H": 5.0, "N": 1.0})
    rows += [row for i in (8, 9) for row in unit("u", {f"e{i}": 1.0}, worker=f"w{i}")]
    assert told(known_documents(judgments_of(rows)))["1"].startswith("0 documents")


def test_units_of_one_name_by_several_workers_are_several():
    """Each of three workers has a unit called u."""
    units = unit_table(judgments_of(common_units(3, {"H": 5.0, "N": 1.0})), known_of())
    assert units.worker.tolist() == ["w0", "w1", "w2"]


# checks


@st.composite
def checked(draw):
    """Units of two topics, the second without known documents, with times and without."""
    rows = []
    for topic in "12":
        for number in range(draw(st.integers(1, 4))):
            documents = draw(st.lists(st.sampled_from("HNab"), min_size=1, unique=True))
            times = st.one_of(st.none(), st.sampled_from([5.0, 20.0, 19.99, 40.0]))
            worker = draw(st.sampled_from("xy"))
            rows += [
                (topic, d, worker, f"u{number}", draw(MAGNITUDES), draw(times)) for d in documents
            ]
    return rows


@given(
    rows=checked(),
    leave_out=st.lists(st.sampled_from(["order", "time", "known"]), unique=True),
    extremes=st.booleans(),
)
@settings(max_examples=40)
def test_against_plain_python(rows, leave_out, extremes):
    judgments = judgments_of(rows)
    known = pd.concat([known_of(), known_of("2", None, None).assign(reason="?")])
    found = unit_table(judgments, known, leave_out=leave_out, extremes=extremes)
    assert list(found) == columns_of("magnitudes/units")
    expected = reference.units(judgments.to_pylist(), {"1": ("H", "N")}, 20.0, leave_out, extremes)
    assert list(zip(found.topic, found.worker, found.unit, strict=True)) == list(expected)
    for column in ("documents", "high", "low", "width", "width_of", "seconds", "problems", "kept"):
        mine = found[column].astype(object)
        assert mine.where(mine.notna(), None).tolist() == [u[column] for u in expected.values()]
    # what is left are the judgments of the kept units
    kept = {key for key, u in expected.items() if u["kept"]}
    left = [row for row in judgments.to_pylist() if reference.of_key(row, reference.UNIT) in kept]
    assert kept_judgments(judgments, found).to_pylist() == left
    by_topic = topic_table(found, judgments, known)
    assert by_topic[["order", "time", "known"]].sum(axis=1).iloc[-1] == sum(
        len((u["problems"] or "").split(",")) for u in expected.values() if u["problems"]
    )


def test_equal_magnitudes_are_not_in_order():
    judgments = judgments_of(unit("u", {"H": 2.0, "N": 2.0}))
    assert unit_table(judgments, known_of()).problems.tolist() == ["order"]


def test_all_that_a_unit_fails_is_named():
    rows = unit("u", {"H": 1.0, "N": 2.0}, seconds=3.0, worker="a")
    rows += unit("u", {"H": 1.0, "b": 2.0}, seconds=3.0, worker="b")
    rows += unit("u", {"H": 2.0, "N": 1.0}, worker="c")
    found = unit_table(judgments_of(rows), known_of(), leave_out=["known"])
    assert found.problems.tolist() == ["order,time", "time,known", None]
    assert found.kept.tolist() == [True, False, True]


def test_least_seconds():
    judgments = judgments_of(unit("u", {"H": 2.0, "N": 1.0}, seconds=12.0))
    assert unit_table(judgments, known_of(), least_seconds=12).problems.tolist() == [None]
    assert unit_table(judgments, known_of(), least_seconds=12.5).problems.tolist() == ["time"]


def test_a_check_that_does_not_exist():
    with pytest.raises(ParameterError, match="unknown check to leave out by 'orders'; did you"):
        unit_table(judgments_of([]), known_of(), leave_out=["orders"])


def test_sliders_need_a_shift():
    judgments = judgments_of(unit("u", {"H": 99.0, "N": 0.0}))
    with pytest.raises(MethodError, match=r"document N, worker w: value is 0.*`shift`"):
        unit_table(judgments, known_of())
    assert unit_table(shifted(judgments, 1), known_of()).width.tolist() == [100]


def test_a_document_twice_in_a_unit():
    rows = unit("u", {"H": 1.0}) + unit("u", {"H": 2.0})
    with pytest.raises(MethodError, match="worker w: document H occurs twice in unit u"):
        known_documents(judgments_of(rows))


def test_judgments_without_units():
    judgments = judgments_of([("1", "H", "w", None, 1.0)])
    for function in (known_documents, lambda j: unit_table(j, known_of())):
        with pytest.raises(MethodError, match="have no unit"):
            function(judgments)


# Table 1


def test_topics():
    rows = unit("u", {"H": 5.0, "N": 1.0, "a": 2.0}, worker="x", back=0, failed=0)
    rows += unit("u", {"H": 1.0, "N": 1.0}, worker="y", back=3, failed=2)
    rows += unit("u", {"H": 5.0, "b": 1.0}, worker="z", back=1, failed=0, seconds=1.0)
    rows += unit("u", {"c": 5.0}, worker="x", topic="2")
    rows += unit("v", {"c": 5.0}, worker="x", topic="2", failed=1)
    judgments = judgments_of(rows)
    known = known_documents(judgments, labels(H=1, N=0))
    found = topic_table(
        unit_table(judgments, known, leave_out=["order"]), judgments, known
    ).set_index("topic")
    assert found.index.tolist() == ["1", "2", "*"]
    for topic, expected in {
        "1": {"documents": 4, "units": 3, "judgments": 7, "workers": 3, "high_docno": "H",
              "low_docno": "N", "back_0": 1, "back_1": 1, "back_2": 1, "failed_0": 2,
              "failed_1": 0, "failed_2": 1, "order": 1, "time": 1, "known": 1, "left_out": 1},
        "2": {"documents": 1, "units": 2, "judgments": 2, "workers": 1, "high_docno": None,
              "low_docno": None, "back_0": None, "back_1": None, "back_2": None, "failed_0": 0,
              "failed_1": 1, "failed_2": 0, "order": 0, "time": 0, "known": 0, "left_out": 0},
        "*": {"documents": 5, "units": 5, "judgments": 9, "workers": 3, "high_docno": None,
              "low_docno": None, "back_0": 1, "back_1": 1, "back_2": 1, "failed_0": 2,
              "failed_1": 1, "failed_2": 1, "order": 1, "time": 1, "known": 1, "left_out": 1},
    }.items():  # fmt: skip
        row = found.loc[topic].to_dict()
        assert {k: None if pd.isna(v) else v for k, v in row.items()} == expected


def test_a_document_of_two_topics_counts_twice():
    rows = unit("u", {"H": 5.0, "N": 1.0}) + unit("u", {"H": 5.0, "N": 1.0}, topic="2")
    judgments = judgments_of(rows)
    known = known_documents(judgments)
    found = topic_table(unit_table(judgments, known), judgments, known)
    assert found.documents.tolist() == [2, 2, 4]


def test_tables_can_be_written_and_read(tmp_path):
    rows = common_units(3, {"H": 5.0, "N": 1.0}, back=1) + unit("u", {"a": 1.0}, topic="2")
    judgments = judgments_of(rows)
    known = known_documents(judgments)
    units = unit_table(judgments, known, leave_out=["time"])
    made = [units, topic_table(units, judgments, known), width_counts(units),
            width_quantiles(units)]  # fmt: skip
    paths = []
    for name, table in zip(("units", "topics", "widths", "width_quantiles"), made, strict=True):
        paths.append(tmp_path / f"{name}.parquet")
        write_table(table, paths[-1], f"magnitudes/{name}")
    read = read_table(paths[0], "magnitudes/units")
    again = [topic_table(read, judgments, known), width_counts(read), width_quantiles(read)]
    for table, other in zip(made[1:], again, strict=True):
        pd.testing.assert_frame_equal(table, other)
    assert kept_judgments(judgments, read).equals(kept_judgments(judgments, units))


def test_no_judgments():
    nothing = judgments_of([])
    known = known_documents(nothing)
    units = unit_table(nothing, known)
    assert list(units) == columns_of("magnitudes/units") and units.empty
    assert topic_table(units, nothing, known).topic.tolist() == ["*"]
    assert width_quantiles(units).topic.tolist() == ["*"]
    assert width_counts(units).empty
    assert kept_judgments(nothing, units).num_rows == 0


# widths


def wide(*widths, topic="1", kept=True):
    """A table of units that have these widths only."""
    return pd.DataFrame(
        {"topic": topic, "unit": "u", "worker": [f"w{i}" for i in range(len(widths))],
         "width": np.array(widths, dtype=float), "width_of": "H_k / N_k", "problems": None,
         "kept": kept}
    )  # fmt: skip


def test_width_counts():
    found = width_counts(wide(1, 2.49, 2.5, 5, 7.4, 0.6 / 0.08, 12, 100, np.nan))
    assert dict(zip(found.width, found.units, strict=True)) == {0: 2, 5: 3, 10: 2, 100: 1}
    assert width_counts(wide(1, kept=False)).empty


def test_width_quantiles():
    units = pd.concat([wide(1, 3, 5, 8, np.nan), wide(10, topic="2"), wide(np.nan, topic="3"),
                       wide(2, kept=False, topic="4")])  # fmt: skip
    found = width_quantiles(units).set_index("topic")
    assert set(found.pop("width_of")) == {"H_k / N_k"}
    assert found.loc["*"].tolist() == [7, 1, 3, 5, 8, 10, 2, 3]
    assert found.loc["1"].tolist() == [5, 1, 2.5, 4, 5.75, 8, 2, 2]
    assert found.loc["2"].tolist() == [1, 10, 10, 10, 10, 10, 0, 1]
    for topic, n in (("3", 1), ("4", 0)):
        row = found.loc[topic]
        assert row[["low", "q1", "median", "q3", "high"]].isna().all()
        assert row[["units", "narrow", "wide"]].tolist() == [n, 0, 0]


def test_the_limit_is_not_narrow_whatever_the_rounding():
    assert 0.35 / 0.07 < 5
    assert is_narrow(np.array([0.35 / 0.07, 4.99, 5, np.nan]), 5).tolist() == [
        False, True, False, False,
    ]  # fmt: skip
    assert not is_narrow(np.array([1.0]), np.nan).any()


def test_real_sliders(real_data):
    """Of the TREC 2011 Crowdsourcing track: no known documents, widths of 0 … 100 after a shift."""
    judgments = read_judgments(real_data / "uc3m2011" / "judgments.tsv.gz", unit=["run", "unit"])
    known = known_documents(judgments)
    assert known.reason.notna().all()
    units = unit_table(shifted(judgments, 1), known, extremes=True)
    assert units.width.between(1, 101).all()
    assert units.width.nunique() > 20
    assert units.high.isna().all() and units.low.isna().all()
    for table in (units, width_counts(units), width_quantiles(units)):
        assert set(table.width_of) == {"greatest / smallest"}
    assert not units.problems.astype(object).fillna("").str.contains("order|known").any()
    assert (units.problems == "time").sum() > 0
    without = unit_table(shifted(judgments, 1), known)
    assert without.width.isna().all() and without.kept.all()

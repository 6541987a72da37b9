"""Qrels: TREC's four columns, and the expert columns of the published CSV."""

import gzip
from collections import Counter

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import regrade
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import InputError, ParameterError, RegradeError
from regrade.readers import read_qrels
from regrade.readers.labels import made_binary
from regrade.scales import BINARY, Scale
from tests.unit.saved import rows, save

QRELS = b"402 0 D1 2\n401\t0  D2 0\r\n401 0 D1 1\n"
EXPECTED = [("401", "D1", 1.0), ("401", "D2", 0.0), ("402", "D1", 2.0)]
HEADER = "relevance_scale,sormunen,trec,gold,topic_id,comment,document_id"
SCALES = f"""{HEADER}
S100,N,0,,401,"a, b
c",D1
S4,0,0,U,401,,D1
S100,H,1.0,H,401,,D2
S100,m,-1,N,402,,D1
S100,,1,R,402,,D2
"""
PUBLISHED = "crowdsourcing-relevance-scales"
GRADED = Scale.of({"levels": 4})
LETTERS = Scale.of({"values": ["N", "M", "R", "H"]})


@pytest.mark.parametrize("content", [QRELS, gzip.compress(QRELS, mtime=0), b"\xef\xbb\xbf" + QRELS])
def test_trec_qrels(tmp_path, content):
    table = read_qrels(save(tmp_path, content), scale=Scale.of({"levels": 3}))
    assert rows(table) == EXPECTED
    assert table.schema.equals(SCHEMAS["qrels"])


def test_grades_may_be_real_or_negative_without_levels(tmp_path):
    table = read_qrels(save(tmp_path, "1 0 A 1.25\n1 0 B -2\n1 0 C +3e1\n"))
    assert table["grade"].to_pylist() == [1.25, -2.0, 30.0]


def test_topics(tmp_path):
    path = save(tmp_path, QRELS)
    assert rows(read_qrels(path, topics=["402", "999"])) == EXPECTED[2:]
    with pytest.raises(InputError, match="no row of the requested topics"):
        read_qrels(path, topics=["999"])


@pytest.mark.parametrize(
    ("content", "scale", "line", "reason"),
    [
        ("1 0 A 1\n1 0 B\n", None, 2, "has 3 columns where there should be 4"),
        ("1 0 A 1\n1 0 B yes\n", None, 2, "grade 'yes' is not a number"),
        ("1 0 A nan\n", None, 1, "grade 'nan' is not a number"),
        ("1 0 A 1\n1 0 B inf\n", None, 2, "grade inf is not finite"),
        ("1 0 A 1\n\n1 0 B 2\n", BINARY, 3, "grade 2 is not on the scale of 2 levels"),
        ("1 0 A 0.5\n", BINARY, 1, "grade 0.5 is not on the scale"),
        ("1 0 A -3\n", BINARY, 1, "grade -3 is not on the scale"),
        ("1 0 A 1\n2 0 A 1\n1 1 A 1\n", BINARY, 3, "document A again for topic 1: line 1 has it"),
        ("1 0 A 1\n1 0 \xff 0\n".encode("latin-1"), BINARY, 2, "docno is not UTF-8"),
        ("", None, None, "is empty"),
        (gzip.compress(QRELS, mtime=0)[:-9], None, None, "is a truncated .gz"),
    ],
)
def test_bad_qrels(tmp_path, content, scale, line, reason):
    path = save(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_qrels(path, scale=scale)
    first = str(caught.value).splitlines()[0]
    assert first.startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert reason in first


def test_a_line_that_stands_there_twice_counts_once_and_is_counted(tmp_path):
    lines = ["1 0 A 1\n", "1 0 B 0\n", "2 0 A 0\n", "1 0 B 0\n"]
    left_out = Counter()
    table = read_qrels(save(tmp_path, "".join(lines)), left_out=left_out)
    assert rows(table) == rows(read_qrels(save(tmp_path, "".join(lines[:3]))))
    assert left_out == {"copies of a row before": 1}
    labels = regrade.read_qrels(save(tmp_path, "".join(lines)))
    assert len(labels) == 3 and "copies of a row before" in " ".join(labels.notes)
    frame = pd.DataFrame([("1", "A", 1), ("1", "A", 1)], columns=["topic", "docno", "grade"])
    assert regrade.read_qrels(frame).notes == regrade.read_qrels(frame.assign(by="x")).notes != []
    lines[-1] = "1 0 B 1\n"
    with pytest.raises(InputError, match="keep one of its lines"):
        read_qrels(save(tmp_path, "".join(lines)))
    # with another second column it is of another subtopic
    with pytest.raises(InputError, match="labels by subtopic"):
        read_qrels(save(tmp_path, "".join(lines[:-1]) + "1 1 B 0\n"))


def test_what_to_do_with_two_labels_is_said(tmp_path):
    with pytest.raises(InputError, match=r"\nLabels are one per document: keep one of its lines\."):
        read_qrels(save(tmp_path, "1 0 A 1\n1 0 A 2\n"))
    with pytest.raises(InputError, match=r"A line of qrels is.* Labels are one per document"):
        read_qrels(save(tmp_path, "1 0 A 1\n1 0 A 2\n1 0 B\n"))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.integers(0, len(QRELS)), length=st.integers(0, 9), piece=st.binary(max_size=4))
def test_corrupted_qrels_are_read_or_refused(tmp_path, start, length, piece):
    path = save(tmp_path, QRELS[:start] + piece + QRELS[start + length :])
    try:
        table = read_qrels(path)
    except InputError as error:
        assert str(error).startswith(str(path))
    else:
        assert 1 <= len(table) <= 5


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("sormunen", [("401", "D1", 0), ("401", "D2", 3), ("402", "D1", 1)]),
        ("trec", [("401", "D1", 0), ("401", "D2", 1), ("402", "D2", 1)]),
        ("gold", [("401", "D2", 3), ("402", "D1", 0), ("402", "D2", 2)]),
    ],
)
def test_expert_columns_of_the_published_csv(tmp_path, column, expected):
    path = save(tmp_path, SCALES)
    assert (
        rows(read_qrels(path, format=PUBLISHED, columns={"grade": column}, scale=GRADED))
        == expected
    )


@pytest.mark.parametrize(
    ("extra", "line", "reason"),
    [
        ("S4,1,0,,401,,D1\n", 8, "document D1 again for topic 401: line 2 has it, with 0, not 1"),
        ("S4,X,0,,401,,D9\n", 8, "sormunen 'X' is not a number"),
        ("S4,4,0,,401,,D9\n", 8, "sormunen 4 is not on the scale of 4 levels"),
        ("S4,1,0,401,,D9\n", 8, "has 6 columns where the header has 7"),
        (
            "S4,1,0,,401,,D9,no\n",
            8,
            "has 8 columns where the header has 7: put fields that hold ','",
        ),
    ],
)
def test_bad_expert_columns(tmp_path, extra, line, reason):
    path = save(tmp_path, SCALES + extra)
    with pytest.raises(InputError) as caught:
        read_qrels(path, format=PUBLISHED, columns={"grade": "sormunen"}, scale=GRADED)
    assert str(caught.value).startswith(f"{path}:{line}: {reason}")


def test_names_and_real_grades(tmp_path):
    named = read_qrels(save(tmp_path, "1 0 A H\n1 0 B N\n"), scale=LETTERS)
    assert rows(named) == [("1", "A", 3), ("1", "B", 0)]
    published = read_qrels(
        save(tmp_path, SCALES.replace(",m,", ",M,")),
        format=PUBLISHED,
        columns={"grade": "gold"},
        scale=LETTERS,
    )
    assert rows(published) == [("401", "D2", 3), ("402", "D1", 0), ("402", "D2", 2)]
    shares = read_qrels(save(tmp_path, "1 0 A 0.125\n"), scale=Scale.of({"range": [0, 1]}))
    assert rows(shares) == [("1", "A", 0.125)]
    with pytest.raises(InputError, match=r":1: grade h is not on the scale N, M, R, H"):
        read_qrels(save(tmp_path, "1 0 A h\n"), scale=LETTERS)


def test_labels_in_a_file_of_judgments_come_with_every_row(tmp_path):
    text = "topic\tdocno\tworker\texpert\n1\tA\tx\tR\n1\tA\ty\tR\n1\tB\tx\t\n1\tC\tx\tN\n"
    options = {"format": "tsv", "columns": {"grade": "expert"}, "scale": LETTERS}
    assert rows(read_qrels(save(tmp_path, text), **options)) == [("1", "A", 2), ("1", "C", 0)]
    assert rows(read_qrels(save(tmp_path, text), where={"worker": "y"}, **options)) == [
        ("1", "A", 2)
    ]
    with pytest.raises(InputError, match=":3: document A again for topic 1: line 2 has it, with"):
        read_qrels(save(tmp_path, text.replace("y\tR", "y\tH")), **options)


def test_negative_grades_are_grades_where_the_scale_has_them(tmp_path):
    path = save(tmp_path, "topic,docno,grade\n1,A,-1\n")
    assert rows(read_qrels(path, format="csv", scale=Scale.of({"values": [-1, 0, 1]}))) == [
        ("1", "A", -1)
    ]


def test_real_grades_off_the_steps_of_their_scale(real_data):
    path, count = real_data / "dl21/judges/gpt-4-exam-graded-mean.qrels.gz", Counter()
    steps = Scale.of({"values": {"from": 0, "to": 5, "by": 0.1}})
    with pytest.raises(InputError, match=r"grade 2\.55556 is not on the scale 0, 0\.1, 0\.2, …, 5"):
        read_qrels(path, scale=steps)
    kept = read_qrels(path, scale=steps, off_scale="drop", left_out=count)
    assert (len(kept), sum(count.values())) == (10_825, 3)


def test_bad_parameters(tmp_path):
    path = save(tmp_path, QRELS)
    with pytest.raises(ParameterError, match="unknown format 'tvs'; did you mean 'tsv'"):
        read_qrels(path, format="tvs")
    with pytest.raises(ParameterError, match="did you mean 'sormunen'"):
        read_qrels(path, format=PUBLISHED, columns={"grade": "sormumen"})
    with pytest.raises(ParameterError, match="whose first line names columns"):
        read_qrels(path, columns={"grade": "gold"})
    with pytest.raises(InputError, match="'topic_id' is missing"):
        read_qrels(path, format=PUBLISHED, columns={"grade": "gold"})


def test_real_qrels(real_data):
    trec8 = read_qrels(real_data / "trec8" / "qrels.gz", scale=BINARY)
    assert (len(trec8), sum(trec8["grade"].to_pylist())) == (86_830, 4_728)
    gold = read_qrels(real_data / "uc3m2011" / "nist-gold.qrels", scale=Scale.of({"levels": 3}))
    assert len(gold) == 395
    assert len(read_qrels(real_data / "dl21" / "qrels.gz", scale=GRADED)) == 10_828


def test_made_binary():
    labels = pa.table(
        {"topic": ["1"] * 4, "docno": [*"ABCD"], "grade": [0.0, 1.0, 1.5, 3.0]},
        schema=SCHEMAS["qrels"],
    )
    assert made_binary(labels, 1)["grade"].to_pylist() == [0, 1, 1, 1]
    assert made_binary(labels, 2).to_pylist() == [
        {"topic": "1", "docno": docno, "grade": grade}
        for docno, grade in zip("ABCD", [0.0, 0.0, 0.0, 1.0], strict=True)
    ]


@pytest.mark.parametrize("format", ["trec", "tsv"])
def test_junk_is_0_of_levels_and_counted(format, tmp_path):
    lines = ["1 0 a -2", "1 0 b -1", "1 0 c 2", "2 0 a -2", "2 0 b 0"]
    if format == "tsv":
        split = (line.split() for line in lines)
        lines = ["topic\tdocno\tgrade", *(f"{t}\t{d}\t{g}" for t, _, d, g in split)]
    path = save(tmp_path, "\n".join(lines) + "\n")
    counts = Counter()
    held = read_qrels(path, scale=GRADED, format=format, left_out=counts)
    assert held["grade"].to_pylist() == [0, 0, 2, 0, 0]
    assert counts == {"grade -2 and -1 (TREC's junk), read as 0": 3}
    for scale in (None, Scale.of({"values": [-2, -1, 0, 1, 2]}), Scale.of({"range": [-2, 2]})):
        as_written = read_qrels(path, scale=scale, format=format)
        assert as_written["grade"].to_pylist() == [-2, -1, 2, -2, 0]


@pytest.mark.parametrize("grade", ["-3", "-0.5"])
def test_other_grades_below_zero_are_on_no_levels(grade, tmp_path):
    with pytest.raises(InputError, match=f"grade {grade} is not on the scale of 4 levels"):
        read_qrels(save(tmp_path, f"1 0 a {grade}\n"), scale=GRADED)


def test_labels_by_subtopic_are_told_from_labels_that_come_again(tmp_path):
    path = tmp_path / "given.qrels"
    path.write_text("1 0 d1 1\n1 0 d2 1\n1 1 d2 2\n1 2 d2 0\n")
    with pytest.raises(InputError, match=r"given.qrels:3: document d2 again") as refused:
        read_qrels(path)
    assert "labels by subtopic" in str(refused.value)
    assert "keep one of its lines" not in str(refused.value)
    path.write_text("1 0 d1 1\n1 0 d2 2\n")  # the remedy: a line each, with the highest grade
    assert read_qrels(path)["grade"].to_pylist() == [1, 2]
    path.write_text("1 0 d1 1\n1 0 d1 2\n1 1 d1 2\n")
    with pytest.raises(InputError, match="keep one of its lines"):
        read_qrels(path)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"subtopic": ["1", "2", "1"]}, "The lines of a document differ in their subtopic"),
        (
            {"model": ["a b", "c", "c"], "note": [1, 2, 2]},
            "They differ in model, note: choose one by where (as in --where model=c; of models "
            "--model-where), or name "
            "whose labels they are (columns worker=model)",
        ),
        ({"model": ["a", "a", "b"]}, "give judgments a column of workers, keep one row"),
    ],
)
def test_what_tells_labels_of_a_document_apart_is_looked_at(tmp_path, more, said):
    frame = pd.DataFrame({"topic": [1] * 3, "docno": ["x", "x", "y"], "grade": [1, 0, 1]} | more)
    frame.to_csv(tmp_path / "q.csv", index=False)
    for source in (frame, tmp_path / "q.csv"):
        with pytest.raises(RegradeError) as refused:
            regrade.read_qrels(source)
        assert said in str(refused.value)


def test_the_remedy_for_several_labels_helps(tmp_path):
    frame = pd.DataFrame({"topic": [1] * 3, "docno": ["x", "x", "y"], "grade": [1, 0, 1],
                          "model": ["a", "c", "c"]})  # fmt: skip
    chosen = regrade.read_qrels(frame, where={"model": "c"}).to_frame()
    assert chosen["grade"].tolist() == [0, 1]
    assert regrade.read_judgments(frame, columns={"worker": "model"}).workers == ["a", "c"]

"""Labels of documents that were chosen at random, as a configuration reads them."""

from collections import Counter

import pytest

from regrade.errors import InputError
from regrade.readers.labels import read_sample
from regrade.scales import Scale

ROWS = """topic,docno,inclusion,grade,round
1,a,0.5,2,x
1,b,0.25,,x
2,a,1,0,y
"""


def save(folder, text):
    path = folder / "sample.csv"
    path.write_text(text)
    return path


def rows(table, *names):
    return [tuple(row.values()) for row in table.select(names).to_pylist()]


def test_documents_with_a_grade_were_chosen(tmp_path):
    table = read_sample(save(tmp_path, ROWS), scale=Scale.of({"levels": 3}))
    assert rows(table, "topic", "docno", "grade", "inclusion", "batch", "chosen") == [
        ("1", "a", 2, 0.5, 1, True), ("1", "b", None, 0.25, 1, False), ("2", "a", 0, 1, 1, True),
    ]  # fmt: skip
    some = read_sample(save(tmp_path, ROWS), where={"round": "x"}, columns={"topic": "topic"})
    assert rows(some, "topic", "docno") == [("1", "a"), ("1", "b")]


def test_probabilities_need_not_be_told_and_several_may_label_a_document(tmp_path):
    text = "topic,docno,worker,grade\n1,a,w,2\n1,a,v,1\n1,b,w,\n"
    table = read_sample(save(tmp_path, text))
    assert rows(table, "docno", "worker", "grade", "inclusion") == [
        ("a", "w", 2, None), ("a", "v", 1, None), ("b", "w", None, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1,a,0.5", "1,a,0", "sample.csv:2: inclusion 0 is not an inclusion probability"),
        ("1,a,0.5", "1,a,1.01", ":2: inclusion 1.01 is no probability"),
        ("1,a,0.5", "1,a,", ":2: inclusion is empty"),
        ("2,a,1,0", "1,a,0.5,0", ":4: docno 'a' stands in line 2 already, for the same topic (1)"),
        ("grade", "label", "column 'grade' is missing"),
        ("0.5,2", "0.5,3", ":2: grade 3 is not on the scale of 3 levels"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, old, new, said):
    with pytest.raises(InputError) as refused:
        read_sample(save(tmp_path, ROWS.replace(old, new)), scale=Scale.of({"levels": 3}))
    assert said in str(refused.value)


def test_rows_of_a_document_agree_on_how_it_was_chosen(tmp_path):
    text = "topic,docno,worker,grade,inclusion\n1,a,w,2,0.5\n1,a,v,1,{}\n"
    assert len(read_sample(save(tmp_path, text.format("0.50")))) == 2
    with pytest.raises(InputError, match=":3: inclusion is not that of the document's line 2"):
        read_sample(save(tmp_path, text.format("0.25")))


@pytest.mark.parametrize(
    ("batches", "wrong"), [("121", None), ("132", None), ("131", 3), ("232", 2)]
)
def test_batches_are_numbered_from_1_on(tmp_path, batches, wrong):
    rows = [f"1,{docno},{batch},1" for docno, batch in zip("abc", batches, strict=True)]
    path = save(tmp_path, "\n".join(["topic,docno,batch,grade", *rows, ""]))
    if wrong is None:
        assert sorted(read_sample(path)["batch"].to_pylist()) == sorted(map(int, batches))
        return
    with pytest.raises(InputError, match=f":{wrong}: batch .: batches are numbered 1, 2, … and"):
        read_sample(path)


def test_junk_is_level_0_and_counted(tmp_path):
    path, left_out = save(tmp_path, ROWS.replace("0.5,2", "0.5,-2")), Counter()
    table = read_sample(path, scale=Scale.of({"levels": 3}), left_out=left_out)
    assert table["grade"].to_pylist() == [0, None, 0]
    assert left_out == {"grade -2 (TREC's junk), read as 0": 1}
    assert read_sample(path)["grade"].to_pylist() == [-2, None, 0]

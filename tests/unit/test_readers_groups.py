"""Files that say who submitted which run, and whose runs brought which document."""

import gzip

import pytest

from regrade.errors import InputError
from regrade.readers.groups import read_families, read_groups, read_pool_origins
from tests.unit.saved import save

GROUPS = b"run2\tacme\nrun1  acme\r\n\n1 Newby\n"
ORIGINS = b"402 0 D1 1 1 a\n\n401\t0  D2 0 2 b  a\r\n401 0 D1 1 0\n401 0 D10 1 1 b"


def rows(frame):
    return [tuple(row) for row in frame.itertuples(index=False)]


@pytest.mark.parametrize("content", [GROUPS, gzip.compress(GROUPS, mtime=0)])
def test_groups(tmp_path, content):
    frame = read_groups(save(tmp_path, content))
    assert frame.columns.tolist() == ["system", "group"]
    assert rows(frame) == [("1", "Newby"), ("run1", "acme"), ("run2", "acme")]


@pytest.mark.parametrize(
    ("content", "pairs"),
    [
        (b"run family\na x\n# c\nb\t y\na y\n", [("a", "x"), ("b", "y"), ("a", "y")]),
        (b"a\tgpt 4\n\n# c\nb c \t x\r\n", [("a", "gpt 4"), ("b c", "x")]),
        (b"System,Family\na,gpt 4\nb, x\n", [("a", "gpt 4"), ("b", "x")]),
        (b'"run","group"\n"a,1","x"\n', [("a,1", "x")]),
        (b"a b,c\nd e\n", [("a", "b,c"), ("d", "e")]),
        (b"run x\na y\n", [("run", "x"), ("a", "y")]),
    ],
)
def test_families_between_blanks_tabs_or_commas(tmp_path, content, pairs):
    assert rows(read_families(save(tmp_path, content))) == pairs


@pytest.mark.parametrize(
    "content", [ORIGINS, gzip.compress(ORIGINS, mtime=0), b"\xef\xbb\xbf" + ORIGINS]
)
def test_origins(tmp_path, content):
    frame = read_pool_origins(save(tmp_path, content))
    assert frame.columns.tolist() == ["topic", "docno", "group"]
    assert rows(frame) == [
        ("401", "D10", "b"),
        ("401", "D2", "a"),
        ("401", "D2", "b"),
        ("402", "D1", "a"),
    ]


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (read_groups, b"a b\nc\n", r"file:2: has 1 columns where there should be 2"),
        (read_groups, b"a b\n\na c\n", r"file:3: run a again: line 1 has it"),
        (read_families, b"a,b\n# c\na,b\n", r"file:3: run a again in family b: line 1 has it"),
        (read_families, b"a,b\n\xff,b\n", r"file:2: system is not UTF-8"),
        (read_families, b"a,b\nc\n", r"file:1: has 1 columns where there should be 2"),
        (read_pool_origins, b"1 0 D 1 1 a\n1 0 D\n", r"file:2: has 3 .*at least 5: '1 0 D'"),
        (read_pool_origins, b"\n1 0 D 1 2 a\n", r"file:2: says 2 groups and names 1"),
        (read_pool_origins, b"1 0 D 1 x a\n", r"file:1: says x groups and names 1"),
        (
            read_pool_origins,
            b"1 0 D 1 1 a\n2 0 D 1 1 a\n\n1 0 D 1 1 b\n",
            r"file:4: document D again for topic 1: line 1 has it",
        ),
        (
            read_pool_origins,
            b"1 0 D 1 2 a a\n",
            r"file:1: group a again for document D of topic 1",
        ),
        (read_pool_origins, b"1 0 \xff 1 1 a\n", r"file:1: is not UTF-8"),
        (read_pool_origins, b"\n", r"file: is empty"),
    ],
)
def test_what_is_wrong(tmp_path, read, content, message):
    with pytest.raises(InputError, match=message):
        read(save(tmp_path, content))


def test_the_remedy_of_a_grade_without_end_is_one_that_there_is(tmp_path):
    with pytest.raises(InputError, match="grade inf is not finite") as caught:
        read_pool_origins(save(tmp_path, b"1 0 D inf 1 a\n"))
    assert caught.value.remedy == "A line is: topic iteration docno grade n, and n groups."


def test_all_of_a_file_in_one_message(tmp_path):
    path = save(tmp_path, b"1 0 D 1 1 a\n1 0 D 1 1 a\n1\n1 0 E 1 3 a\n")
    with pytest.raises(InputError) as caught:
        read_pool_origins(path)
    assert [line for line, _ in caught.value.problems] == [2, 3, 4]


def test_a_group_may_come_again_for_the_same_document_of_another_topic(tmp_path):
    frame = read_pool_origins(save(tmp_path, b"1 0 D 1 1 a\n2 0 D 1 1 a\n"))
    assert rows(frame) == [("1", "D", "a"), ("2", "D", "a")]


def test_trec8(real_data):
    groups = read_groups(real_data / "trec8/groups.txt")
    assert (len(groups), groups["group"].nunique()) == (129, 41)
    origins = read_pool_origins(real_data / "trec8/annotated-qrels.gz")
    assert set(origins["group"]) == set(groups["group"])
    documents = origins.groupby(["topic", "docno"]).size()
    assert len(documents) == 86830
    assert origins["group"].value_counts()["utwente"] == 13725

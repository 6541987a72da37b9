"""What a file holds, by its first lines or the names of its columns."""

import pytest

import regrade
from regrade.command.given_files import sets_of
from regrade.errors import RegradeError
from regrade.readers.formats import certain_format, format_of_pairs
from regrade.readers.sources import kind_of


@pytest.fixture
def file(tmp_path):
    def written(text):
        (tmp_path / "file").write_text(text)
        return tmp_path / "file"

    return written


IMAGES = "Query Image_pair(Search rank) a1 a2 a3\nq (1,2) 1 0 1\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 0 a 1\n", "qrels"),
        ("\n\n1\t0\ta\t1\n", "qrels"),
        ("1 0 a 1\nx\n", "qrels"),
        ("1 0 a 0\n1 0 b 0\n", "qrels"),  # the grade is the iteration
        ("1 0 0 0\n1 0 1 1\n", "qrels"),  # and documents are called as grades are
        ("2 0 0 0\n2 0 1 1\n", "qrels"),
        ("1 5 7 5\n1 5 8 5\n", "qrels"),
        ("1 a b 1\n", "qrels"),
        ("1 a b a\n", "preferences"),
        ("1 a b b\n1 a c tie\n", "preferences"),
        ("1 5 7 7\n1 5 8 5\n", "preferences"),
        ("1 a b b\n1 a c d\n", "qrels"),  # which says what is wrong with its grade
        ("1 a b\n", "preferences"),
        (IMAGES, "preferences"),
        ("1 Q0 d 1 2.0 x\n", "runs"),
        ("1 0 d 1 2 x y\n", "origins"),
        ("a one\n", "groups"),
        ("a one\nb one\nc two\na two\n", "families"),
        ("topic,docno,grade\n1,a,1\n", "qrels"),
        ("topic,docno,score\n1,a,1\n", "qrels"),
        ("topic,docno,docid,grade\n1,a,a,1\n", "qrels"),
        ("topic,docid,doc,grade\n1,a,a,1\n", "qrels"),  # reading it says which could be meant
        ("topic,docno,worker,value\n1,a,w,1\n", "judgments"),
        ("topic,docno,score,rank\n1,a,1,1\n", "runs"),
        ("system,topic,docno,score\nx,1,a,1\n", "runs"),
        ("topic,docno,grade,rank\n1,a,1,3\n", "qrels"),
        ("topic,docno,inclusion,grade\n1,a,.5,1\n", "sample"),
        ("topic,left,right,winner\n1,a,b,a\n", "preferences"),
        ("topic,winner,loser\n1,a,b\n", "preferences"),
    ],
)
def test_what_a_file_holds(text, kind, file):
    assert kind_of(file(text)).kind == kind


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 a 3\n", "a first line of 3 fields is neither a run (6), qrels (4) nor groups (2)"),
        ("a\n", "a first line of 1 fields is neither"),
        ("1,0,a,1\n", "give the file a first line of names, such as topic,docno,grade"),
        ("1,a d,1\n", "give the file a first line of names, such as topic,docno,grade"),
        ("topic,worker,rank\n1,w,3\n", "its columns (topic, worker, rank) are neither those of"),
        ("left,right,winner\na,b,a\n", "its columns (left, right, winner) are neither"),
        ("loser,winner\na,b\n", "its columns (loser, winner) are neither"),
        ("x,y\nq,3\nr,4\n", "give the file a first line of names"),  # two columns, of anything
        ("\n \n", "is empty"),
        ("a\tb c\td\nq\td1\t9.5\n", ":1: its columns (a, b c, d) have unknown names"),
        ("x,y,w\nq,d1,9.5\nq,d2,\n", "give the file a first line of names"),  # no column of numbers
        ("x,y,w\nq,d1,9.5\nq,d2,3", "columns={'topic': 'x', …}, --columns topic=… in a command"),
    ],
)
def test_what_cannot_be_told_is_said_with_what_to_do(text, said, file):
    with pytest.raises(RegradeError) as refused:
        kind_of(file(text))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "format", "is_certain"),
    [
        ("1 a b b\n1 a c a\n", "pair-winner", True),
        ("1 a b\n1 c a\n", "winner-loser", False),
        (IMAGES, "image-preferences", True),
        ("1 a b 0.5\n", "pair-winner", False),
        ("1 a b b\n1 a c d\n", "pair-winner", False),
        ("1 a b b\n1 a c\n", "pair-winner", True),  # reading it says where a column is missing
        ("1 0 a 0\n1 0 b 0\n", "pair-winner", False),
    ],
)
def test_how_preferences_are_written(text, format, is_certain, file):
    assert format_of_pairs(file(text)) == format
    assert certain_format(file(text)) == (format if is_certain else None)


def test_columns_of_winners_and_losers_are_read_by_each(file, tmp_path):
    """As the same lines are without names of columns."""
    given = tmp_path / "won.csv"
    given.write_text("topic,winner,loser\n1,a,b\n1,b,c\n1,a,c\n")
    plain = file("1 a b\n1 b c\n1 a c\n")
    found = [regrade.pairs(given), regrade.pairs(plain, format="winner-loser")]
    assert found[0].summary() == found[1].summary()
    tables = [one.table for path in (given, plain) for one in sets_of(path, "preferences")]
    for name in ("topic", "left", "right", "strength", "sides"):
        assert tables[0][name].to_pylist() == tables[1][name].to_pylist()
    assert set(tables[0]["sides"].to_pylist()) == {False}
    (seen,) = regrade.look([str(given)]).files
    assert (seen.kind, seen.counts["preferences"]) == ("preferences", 3)

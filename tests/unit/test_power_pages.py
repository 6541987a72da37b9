"""Pages that people prefer beside measures' pages, from rankings that names of documents tell."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import InputError, MethodError, ParameterError
from regrade.power.label_sets import GradedSet
from regrade.power.levels import UNCUT, cut_sets, no_search
from regrade.power.pages import TESTS, Pages, page_table, won
from regrade.power.preferences import PreferenceTests
from regrade.readers.pages import named_rankings, read_page_preferences
from regrade.run_arrays import RankedLists
from regrade.tables import write_table

PATTERN = r"(?P<system>[^/]+)/.*_(?P<rank>\d+)\.jpg"
GRADES = {
    "a": {"one": [90, 80, 10], "two": [70, 60]},
    "b": {"one": [10, 20], "two": [30, 90]},
    "c": {"one": [50, 50], "two": [50, 50]},
    "d": {"one": [40], "two": [40]},
}
WINNERS = {"0": "one", "1": None, "2": "two"}


def labels():
    rows = [
        (topic, f"{system}/{topic}_{n}.jpg", float(grade))
        for topic, pages in GRADES.items()
        for system, grades in pages.items()
        for n, grade in enumerate(grades)
    ]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    return pa.table(columns, names=["topic", "docno", "grade"]).cast(SCHEMAS["qrels"])


def preferred(path, said="a\t0\nb\t0\nc\t2\nd\t1\n"):
    path.write_text("Query\tWinner\n" + said, encoding="utf-8")
    return read_page_preferences(path, "Query", "Winner", WINNERS)


def pages(tmp_path, **options):
    ranked = RankedLists.from_table(named_rankings(labels(), PATTERN))
    return Pages.of(ranked, preferred(tmp_path / "pages.tsv", **options), ["one", "two"])


def test_names_tell_rankings():
    runs = named_rankings(labels(), PATTERN).to_pandas()
    first = runs[(runs["system"] == "one") & (runs["topic"] == "a")]
    assert first["docno"].tolist() == [f"one/a_{n}.jpg" for n in range(3)]
    assert first["rank"].tolist() == [1, 2, 3]
    assert first["score"].is_monotonic_decreasing and first["score"].is_unique
    assert sorted(runs["line"]) == [*range(1, labels().num_rows + 1)]


def test_ranks_are_numbers_not_text():
    names = pa.table({"topic": ["a"] * 11, "docno": [f"x/a_{n}.jpg" for n in range(10, -1, -1)]})
    runs = named_rankings(names, PATTERN).to_pandas()
    assert runs["docno"].tolist() == [f"x/a_{n}.jpg" for n in range(11)]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", r"ranks '\(' is not a regular expression: missing \)"),
        (r"(?P<system>\w+)/.*", "lacks a group"),
        (r"(?P<system>one)/.*_(?P<rank>\d+)\.jpg", r"do not match ranks '.*', two/a_0\.jpg "),
        (r"(?P<system>\w+)/(?P<rank>\w)_.*", "takes 'a' for a rank"),
        (r"(?P<system>).*/(\w)_(?P<rank>\d+)\.jpg", "occurs again for topic a"),
    ],
)
def test_patterns_that_cannot_be(pattern, problem):
    with pytest.raises(ParameterError, match=problem):
        named_rankings(labels(), pattern)


def test_preferences_of_pages_are_read(tmp_path):
    found = preferred(tmp_path / "pages.tsv", "b\t2\na\t1\n")
    assert found.to_dict("list") == {"topic": ["a", "b"], "winner": [None, "two"]}
    packed = tmp_path / "pages.tsv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "pages.tsv").read_bytes()))
    assert read_page_preferences(packed, "Query", "Winner", WINNERS).equals(found)


def test_everything_wrong_in_a_file_is_told_at_once(tmp_path):
    with pytest.raises(InputError) as error:
        preferred(tmp_path / "pages.tsv", "a\t0\nb\t3\na\t2\n")
    assert ":3: Winner is '3', not one of 0, 1, 2" in str(error.value)
    assert ":4: topic a occurs again" in str(error.value)
    with pytest.raises(InputError, match="winner"):
        read_page_preferences(tmp_path / "pages.tsv", "Query", "winner", WINNERS)


def test_what_measures_prefer_is_held_against_people(tmp_path):
    one = GradedSet("S100", labels(), 0, 100)
    table = page_table(cut_sets([one], [2], no_search()), pages(tmp_path), ["P(rel=1)@2"], {})
    assert table["topics"].tolist() == [4, 4]
    assert table["left_out"].tolist() == [0, 0]
    # of the 3 topics with a winner P sees nothing as all grades are above 0
    whole = table[table["levels"] == UNCUT].iloc[0]
    assert whole[["preferred", "right", "wrong", "undecided"]].tolist() == [3, 0, 0, 3]
    assert whole["share"] == 0.5
    nearer = page_table(cut_sets([one], [2], no_search()), pages(tmp_path), ["nDCG"], {})
    whole = nearer[nearer["levels"] == UNCUT].iloc[0]
    # a: right; b: people prefer the worse one; c: equal
    assert whole[["right", "wrong", "undecided"]].tolist() == [1, 1, 1]
    assert 0 <= whole["low"] <= 0.5 <= whole["high"] <= 1
    write_table(nearer, tmp_path / "agreement", "pages/agreement")


def test_right_and_wrong_are_told_apart(tmp_path):
    """nDCG prefers the first page of a and the second of b, and neither of c."""
    one = GradedSet("S100", labels(), 0, 100)
    for said, counts, share in (
        ("a\t0\nb\t2\nc\t0\nd\t1\n", [3, 2, 0, 1], 2.5 / 3),
        ("a\t2\nb\t0\nc\t1\nd\t1\n", [2, 0, 2, 0], 0.0),
    ):
        both = pages(tmp_path, said=said)
        [row] = page_table(cut_sets([one], [], no_search()), both, ["nDCG"], {}).itertuples()
        assert [row.preferred, row.right, row.wrong, row.undecided] == counts
        assert row.share == pytest.approx(share)


def test_tests_between_pages_are_counted(tmp_path):
    rows = [
        ("a", "one/a_0.jpg", "two/a_0.jpg", -1.0),
        ("a", "two/a_1.jpg", "one/a_1.jpg", 1.0),
        ("a", "one/a_2.jpg", "one/a_1.jpg", -2.0),  # of one page
        ("b", "one/b_0.jpg", "two/b_0.jpg", 2.0),
        ("c", "one/c_0.jpg", "two/c_0.jpg", 0.0),
    ]
    rows = pd.DataFrame(rows, columns=["topic", "left", "right", "strength"])
    tests = PreferenceTests.from_table(rows)
    both = pages(tmp_path)
    assert won(tests, both).tolist() == [1, -1, 0, 0]
    one = GradedSet("S100", labels(), 0, 100)
    table = page_table(cut_sets([one], [], no_search()), both, ["nDCG"], {"people": tests})
    row = table[table["measure"] == TESTS].iloc[0]
    assert row["preferences"] == "people"
    assert row[["right", "wrong", "undecided"]].tolist() == [1, 1, 1]


def test_no_page_is_preferred(tmp_path):
    both = pages(tmp_path, said="a\t1\nb\t1\n")
    assert both.left_out == 2
    one = GradedSet("S100", labels(), 0, 100)
    [row] = page_table(cut_sets([one], [], no_search()), both, ["nDCG"], {}).itertuples()
    assert (row.topics, row.preferred) == (2, 0)
    assert np.isnan([row.share, row.low, row.high]).all()


def test_pages_that_cannot_be(tmp_path):
    ranked = RankedLists.from_table(named_rankings(labels(), PATTERN))
    said = preferred(tmp_path / "pages.tsv")
    with pytest.raises(MethodError, match="no page is of three"):
        Pages.of(ranked, said, ["one", "three"])
    with pytest.raises(MethodError, match="no topic has both pages"):
        Pages.of(ranked, said.assign(topic="z"), ["one", "two"])


def test_topics_that_lack_a_page_or_a_preference_are_counted(tmp_path):
    whole = labels().to_pandas()
    lacks = whole[(whole["topic"] != "a") | ~whole["docno"].str.startswith("two")]
    ranked = RankedLists.from_table(named_rankings(pa.table(lacks), PATTERN))
    # a has one page, c no preference, z no page
    said = preferred(tmp_path / "pages.tsv", said="a\t0\nb\t0\nd\t1\nz\t2\n")
    found = Pages.of(ranked, said, ["one", "two"])
    assert (found.topics, found.left_out) == (("b", "d"), 3)
    one = GradedSet("S100", labels(), 0, 100)
    table = page_table(cut_sets([one], [], no_search()), found, ["nDCG"], {})
    assert table[["topics", "left_out"]].to_numpy().tolist() == [[2, 3]]

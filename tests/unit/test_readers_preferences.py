"""Preferences: files that name columns, lines of winners, and the published pairs of images."""

from collections import Counter

import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import InputError, ParameterError
from regrade.readers import read_preferences
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from tests.unit.saved import rows, save

TSV = """\
topic\tleft\tright\tpreferred\tworker\tunit\tposition\tseconds
401\tD1\tD2\tleft\tw1\tu1\t1\t9.5
401\tD3\tD1\tD1\tw1\tu1\t2\t
401\tD2\tD3\ttie\tw2\t\t\tNA
"""
GRADED = """\
topic\tone\tother\tscore
401\tB\tA\t-2
401\tA\tB\t0.5
"""
IMAGES = """\
Query\tpair\tthree tags
q\tx/1.jpg,x/2.jpg\t-1\t0\t2.0
q\tx/2.jpg,x/3.jpg\t1\t1\t-2
"""
SIDES = Scale.of({"values": ["left", "tie", "right"]})


def test_tsv(tmp_path):
    table = read_preferences(save(tmp_path, TSV), scale=SIDES)
    assert rows(table, *table.column_names[:9]) == [
        ("401", "D1", "D2", True, "w1", "u1", 1, -1.0, 9.5),
        ("401", "D2", "D3", True, "w2", None, None, 0.0, None),
        ("401", "D3", "D1", True, "w1", "u1", 2, 1.0, None),
    ]
    assert table.schema.equals(SCHEMAS["preferences"])
    write_table(table, tmp_path / "table.parquet", "preferences")
    written = read_table(tmp_path / "table.parquet", "preferences")
    assert written.to_pylist() == table.to_pylist()
    assert {table[name].null_count for name in table.column_names[9:]} == {3}


ANSWERS = """\
topic,left,right,a,b,left_relevant,right_relevant,trusted,test,partition
401,D1,D2,5,0,yes,No,TRUE,0,2
401,D2,D3,1.5,1.5,,1,,,
401,D3,D1,2,9,t,f,false,NA,1
"""


def test_answers_to_several_questions(tmp_path):
    columns = {"left_score": "a", "right_score": "b"}
    table = read_preferences(save(tmp_path, ANSWERS), scale=SIDES, format="csv", columns=columns)
    assert rows(table, "strength", *table.column_names[9:]) == [
        (-1.0, 5.0, 0.0, True, False, True, False, 2),
        (0.0, 1.5, 1.5, None, True, None, None, None),
        (1.0, 2.0, 9.0, True, False, False, None, 1),
    ]
    assert table.schema.equals(SCHEMAS["preferences"])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("yes", "perhaps", "left_relevant 'perhaps' is neither yes nor no"),
        (",5,0,", ",5,,", "lacks one of two scores"),
        (",5,0,", ",5,x,", "b 'x' is not a number"),
    ],
)
def test_answers_that_cannot_be_read(tmp_path, old, new, reason):
    columns = {"left_score": "a", "right_score": "b"}
    path = save(tmp_path, ANSWERS.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_preferences(path, scale=SIDES, format="csv", columns=columns)
    assert reason in str(caught.value)


def test_strengths_in_columns_of_other_names_by_one_judge(tmp_path):
    columns = {"left": "one", "right": "other", "strength": "score"}
    scale = Scale.of({"range": [-2, 2]})
    path = save(tmp_path, GRADED)
    table = read_preferences(path, scale=scale, columns=columns, worker="gpt")
    assert rows(table, "left", "right", "worker", "strength") == [
        ("A", "B", "gpt", 0.5),
        ("B", "A", "gpt", -2.0),
    ]


def test_probabilities_that_the_left_one_is_preferred_are_strengths_below_0(tmp_path):
    """Of 1 − 2p each; beside a winner they are of whoever won, and not counted."""
    text = "topic\tleft\tright\tprobability\n1\tA\tB\t0.25\n1\tA\tC\t0.5\n1\tA\tD\t1\n"
    table = read_preferences(save(tmp_path, text), scale=Scale.of({"range": [-1, 1]}))
    assert table["strength"].to_pylist() == [0.5, 0, -1]
    for wrong in ("1.25", "-0.5"):
        with pytest.raises(
            InputError, match=f":3: probability {wrong} is not a probability, 0 to 1"
        ):
            read_preferences(save(tmp_path, text.replace("0.5", wrong)))
    text = "topic\tleft\tright\tpreferred\tprobability\n1\tA\tB\tB\t0.9\n1\tA\tC\tA\t0.6\n"
    table = read_preferences(save(tmp_path, text), scale=SIDES)
    assert table["strength"].to_pylist() == [1, -1]


def test_names_of_strengths_lie_around_none(tmp_path):
    text = "topic\tleft\tright\tstrength\n" + "".join(
        f"1\tA\tB\t{name}\n" for name in ("much better", "better", "worse", "much worse")
    )
    scale = Scale.of({"values": ["much better", "better", "worse", "much worse"]})
    table = read_preferences(save(tmp_path, text), scale=scale)
    assert table["strength"].to_pylist() == [-2, -1, 1, 2]


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("pair-winner", "7 B A B\n7 A B A\n7 A C tie\n7 C A C\n"),
        ("winner-loser", "7 B A\n7 A B\n7 A C\n7 C A\n"),
    ],
)
def test_lines_without_sides_put_documents_in_order_of_name(tmp_path, format, content):
    table = read_preferences(save(tmp_path, content), format=format, scale=SIDES)
    tie = [0.0] if format == "pair-winner" else [-1.0]
    assert rows(table, "left", "right", "strength") == [
        ("A", "B", -1.0),
        ("A", "B", 1.0),
        *[("A", "C", strength) for strength in sorted([*tie, 1.0])],
    ]
    assert not any(table["sides"].to_pylist())
    assert table["worker"].null_count == 4


def test_three_assessors_of_images(tmp_path):
    scale = Scale.of({"values": [-2, -1, 0, 1, 2]})
    table = read_preferences(save(tmp_path, IMAGES), format="image-preferences", scale=scale)
    assert rows(table, "left", "right", "worker", "strength") == [
        ("x/1.jpg", "x/2.jpg", "1", -1.0),
        ("x/1.jpg", "x/2.jpg", "2", 0.0),
        ("x/1.jpg", "x/2.jpg", "3", 2.0),
        ("x/2.jpg", "x/3.jpg", "1", 1.0),
        ("x/2.jpg", "x/3.jpg", "2", 1.0),
        ("x/2.jpg", "x/3.jpg", "3", -2.0),
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("\tD1\tw1", "\tD9\tw1", 3, "preferred 'D9' is neither D3, D1, left, right nor tie"),
        ("D3\tD1\tD1", "D1\tD1\tD1", 3, "document D1 of topic 401 is compared with itself"),
        (
            "D3\tD1\tD1",
            "D2\tD1\tD1",
            3,
            "worker w1 compares D1 and D2 again for topic 401 in unit u1: line 2 has it",
        ),
        ("\t9.5", "\tlong", 2, "seconds 'long' is not a number"),
        ("\tD3\ttie", "\t\ttie", 4, "right is empty"),
        (
            "preferred",
            "winner",
            None,
            "has neither where one of preferred, strength and probability is needed",
        ),
        ("position", "strength", None, "has preferred and strength where one of"),
        ("\tleft\t", "\tlift\t", 1, "column 'left' is missing"),
    ],
)
def test_bad_rows(tmp_path, old, new, line, reason):
    path = save(tmp_path, TSV.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_preferences(path)
    first = str(caught.value).splitlines()[0]
    assert first.startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert reason in first


def test_rows_that_may_be_left_out_are_counted(tmp_path):
    path = save(tmp_path, TSV + "401\tD1\tD1\tleft\tw1\tu2\t1\t\n")
    count = Counter()
    scale = Scale.of({"values": [-1, 1]})
    table = read_preferences(path, scale=scale, off_scale="drop", itself="drop", left_out=count)
    assert rows(table, "left", "right") == [("D1", "D2"), ("D3", "D1")]
    assert count == {
        "preferred off the scale of -1, 1 (0)": 1,
        "a document compared with itself": 1,
    }
    with pytest.raises(InputError, match="preferred 0 is not on the scale -1, 1") as caught:
        read_preferences(path, scale=scale, itself="drop")
    assert "off_scale: drop" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"format": "pairs"}, "unknown format"),
        ({"itself": "keep"}, "unknown itself"),
        ({"off_scale": "keep"}, "unknown off_scale"),
        ({"columns": {"lift": "a"}}, "unknown columns 'lift'; did you mean 'left'"),
        ({"worker": "me"}, "only for files that name no worker"),
        ({"format": "winner-loser", "columns": {"left": "a"}}, "only for files that name them"),
        ({"scale": Scale.of({"levels": 3})}, "preferences cannot be on the scale of 0, 1, 2"),
        ({"scale": Scale.of({"ratio": True})}, "preferences cannot be on the scale of positive"),
    ],
)
def test_bad_parameters(tmp_path, options, reason):
    with pytest.raises(ParameterError, match=reason):
        read_preferences(save(tmp_path, TSV), **options)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    images=st.booleans(),
    start=st.integers(0, len(TSV)),
    length=st.integers(0, 9),
    piece=st.binary(max_size=4) | st.sampled_from([b"\t", b",", b"\n", b"\r", b"\x00"]),
)
def test_a_corrupted_file_is_read_or_refused(tmp_path, images, start, length, piece):
    content = (IMAGES if images else TSV).encode()
    path = tmp_path / "preferences"
    path.write_bytes(content[:start] + piece + content[start + length :])
    try:
        table = read_preferences(path, format="image-preferences" if images else "tsv")
    except InputError as error:
        assert str(error).startswith(str(path))
    else:
        assert 1 <= len(table) <= 9


def test_real_preferences(real_data):
    won = Scale.of({"values": [-1, 1]})
    people = read_preferences(real_data / "dl21/preferences.gz", format="pair-winner", scale=won)
    assert len(people) == 11_681
    model = read_preferences(
        real_data / "dl21/preferences-gpt4o.gz", format="winner-loser", scale=won, worker="gpt-4o"
    )
    assert (len(model), len(pc.unique(model["topic"]))) == (43_939, 53)
    images = read_preferences(
        real_data / "image-preferences/pairs.tsv.gz",
        format="image-preferences",
        scale=Scale.of({"values": [-2, -1, 0, 1, 2]}),
    )
    assert len(images) == 3 * 41_538
    assert pc.sum(pc.equal(images["strength"], 0)).as_py() == 44_208 + 52


def test_exact_copies_in_a_unit_are_left_out_and_counted(tmp_path):
    path, counts = tmp_path / "own.tsv", Counter()
    head = "topic\tleft\tright\tstrength\tworker\tunit\n"
    row, turned, nobody = "1\ta\tb\t1\tw\tu\n", "1\tb\ta\t-1\tw\tu\n", "1\ta\tb\t1\t\tu\n"
    path.write_text(head + row + row + nobody + nobody)
    assert len(read_preferences(path, left_out=counts)) == 3
    assert counts == {"copies of a row before": 1}
    path.write_text(head + row + turned)
    with pytest.raises(InputError, match="worker w compares a and b again"):
        read_preferences(path)

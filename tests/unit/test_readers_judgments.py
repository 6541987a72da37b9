"""Judgments: the TSV, and the published CSV of several scales."""

import csv
import gzip
import io
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import InputError, ParameterError
from regrade.readers import read_judgments
from regrade.readers.rows import read_panel
from regrade.scales import BINARY, Scale
from regrade.tables import read_table, write_table
from tests.unit import saved
from tests.unit.saved import save

TSV = """\
run\tunit\ttopic\tworker\tposition\tdocno\tvalue\tseconds\tnote
1\tu1\t401\tw1\t1\tD1\t2\t9.5\t"odd, yes
2\tu1\t401\tw1\t1\tD1\t100\t3\t
2\tu1\t401\tw1\t2\tD2\t40\t\ta b
3\tu1\t401\tw2\t\tD1\t0\t1e1\t
"""
SLIDERS = {"run": [2, 3]}
BEYOND = ("back", "failed")
S100 = Scale.of({"levels": 101})
ONE_OF_TWO = {"where": {"relevance_scale": "S100"}}
PUBLISHED = "crowdsourcing-relevance-scales"
HEADER = (
    "topic_id,unit_id,document_id,gold,doc_pos,worker_id,relevance_score,"
    "normalized_relevance_score,cumulative_time,comment,trec,sormunen,relevance_scale"
)
SCALES = f"""{HEADER}
402,u1,D2,N,2,w1,80,0.8,30.5,"well, ""yes""
and no",1,3,S100
402,u1,D1,H,1,w1,10,0.1,12.5,,0,0,S100
402,u1,D1,H,1,w2,20,0.2,7,,0,0,S100
402,u2,D1,H,1,w1,55,0.5,4,,0,0,S100
402,u1,D1,H,1,w1,3,0.1,99,,0,0,S4
"""


def rows(table):
    """Without what is of the whole unit."""
    return saved.rows(table, *(name for name in table.column_names if name not in BEYOND))


@pytest.mark.parametrize(
    "content",
    [TSV, TSV.replace("\n", "\r\n"), "\ufeff" + TSV, gzip.compress(TSV.encode(), mtime=0)],
)
def test_tsv(tmp_path, content):
    path = save(tmp_path, content)
    table = read_judgments(path, scale=S100, where=SLIDERS, unit=["run", "unit"])
    assert rows(table) == [
        ("401", "D1", "w1", "2/u1", 1, 100.0, 3.0),
        ("401", "D1", "w2", "3/u1", None, 0.0, 10.0),
        ("401", "D2", "w1", "2/u1", 2, 40.0, None),
    ]
    assert table.schema.equals(SCHEMAS["judgments"])
    write_table(table, tmp_path / "table.parquet", "judgments")
    assert read_table(tmp_path / "table.parquet", "judgments").equals(table)


def test_clicks_back_and_failed_attempts_are_of_the_unit(tmp_path):
    head = "topic\tunit\tworker\tdocno\tvalue\tback\tattempts\n"
    path = save(tmp_path, head + "1\tu1\tw1\tD1\t0.5\t2\t0\n1\tu2\tw2\tD1\t7\t\t1\n")
    table = read_judgments(path, scale=Scale.of({"ratio": True}), columns={"failed": "attempts"})
    assert table["back"].to_pylist() == [2, None]
    assert table["failed"].to_pylist() == [0, 1]


def test_column_unit_is_the_default(tmp_path):
    table = read_judgments(save(tmp_path, TSV), where={"run": "1"})
    assert rows(table) == [("401", "D1", "w1", "u1", 1, 2.0, 9.5)]


def test_required_columns_are_enough_and_repeats_without_units_are_kept(tmp_path):
    path = save(tmp_path, "value\tworker\tdocno\ttopic\n1\tw\tD\t5\n0\tw\tD\t5\n1\tw\tD\t5\n")
    assert rows(read_judgments(path, scale=BINARY)) == [
        ("5", "D", "w", None, None, value, None) for value in (0.0, 1.0, 1.0)
    ]


def test_an_empty_unit_is_none(tmp_path):
    path = save(tmp_path, "topic\tdocno\tworker\tvalue\tunit\n" + "1\tD\tw\t0\t\n" * 2)
    assert read_judgments(path)["unit"].null_count == 2


@pytest.mark.parametrize(
    ("where", "counts"),
    [
        ({"run": [2, 3]}, {"other than run 2 or 3 (where)": 1}),
        ({"run": 1}, {"other than run 1 (where)": 3}),
        ({"run": "2", "docno": "D1"}, {"other than run 2, docno D1 (where)": 3}),
        ({"run": ["1", "2", "3"]}, {}),
    ],
)
def test_rows_that_where_leaves_out_are_counted(tmp_path, where, counts):
    count = Counter()
    table = read_judgments(save(tmp_path, TSV), where=where, unit=["run", "unit"], left_out=count)
    assert (dict(count), len(table)) == (counts, 4 - sum(counts.values()))


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(TSV.splitlines()[1:]))
def test_order_of_rows_changes_nothing(tmp_path, order):
    former, later = (
        read_judgments(save(tmp_path, "\n".join(lines)), unit=["run", "unit"])
        for lines in ([TSV.splitlines()[0], *order], TSV.splitlines())
    )
    assert former.equals(later)


def test_topics(tmp_path):
    path = save(tmp_path, TSV + "2\tu2\t402\tw1\t1\tD1\t5\t\t\n")
    table = read_judgments(path, topics=["402"], where=SLIDERS)
    assert rows(table) == [("402", "D1", "w1", "u2", 1, 5.0, None)]
    with pytest.raises(InputError, match="no row of the requested topics"):
        read_judgments(path, topics=["403"], where=SLIDERS)


@pytest.mark.parametrize(
    ("old", "new", "options", "line", "reason"),
    [
        ("\t40\t", "\tforty\t", {}, 4, "value 'forty' is not a number"),
        ("\t40\t", "\t\t", {}, 4, "value '' is not a number"),
        ("\t40\t", "\tnan\t", {}, 4, "value 'nan' is not a number"),
        ("\t40\t", "\t-inf\t", {}, 4, "value -inf is not finite"),
        ("\t40\t", "\t101\t", {"scale": S100}, 4, "value 101 is not on the scale of 101 levels"),
        ("\t40\t", "\t39.5\t", {"scale": S100}, 4, "value 39.5 is not on the scale"),
        ("\t40\t", "\t-1\t", {"scale": S100}, 4, "value -1 is not on the scale"),
        ("w1\t2\t", "w1\ttwo\t", {}, 4, "position 'two' is not an integer"),
        ("1e1", "soon", {}, 5, "seconds 'soon' is not a number"),
        ("D2\t", " \t", {}, 4, "docno is empty"),
        ("a b", "a\tb", {}, 4, "has 10 columns where there should be 9, separated by tabs"),
        ("D2", "D1", {}, 4, "worker w1 judges document D1 again for topic 401 in unit 2/u1"),
        ("\t", " ", {}, 1, "column 'topic' is missing"),
        ("\ttopic\t", "\ttopics\t", {}, 1, "column 'topic' is missing; did you mean 'topics'?"),
        ("position", "run", {}, 1, "two columns are named 'run'"),
        ("", "", {"where": {"rum": 2}}, None, "has no column 'rum' (asked by `where`)"),
        ("", "", {"where": {"run": [2, 22]}}, None, "no row has run '22'"),
        ("", "", {"where": {"run": 1, "worker": "w2"}}, None, "no row has all that `where`"),
        ("", "", {"unit": "hit"}, None, "has no column 'hit' (asked by `unit`)"),
        ("", "", {"unit": ["run", "unitt"]}, None, "did you mean 'unit'?"),
    ],
)
def test_bad_tsv(tmp_path, old, new, options, line, reason):
    path = save(tmp_path, TSV.replace(old, new) if old else TSV)
    with pytest.raises(InputError) as caught:
        read_judgments(path, **{"where": SLIDERS, "unit": ["run", "unit"], **options})
    first = str(caught.value).splitlines()[0]
    assert first.startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert reason in first


def test_a_repeat_in_a_unit_names_both_lines_and_the_remedy(tmp_path):
    with pytest.raises(InputError) as caught:
        read_judgments(save(tmp_path, TSV))
    assert ":3: worker w1 judges document D1 again" in str(caught.value)
    assert "line 2 has it" in str(caught.value)
    assert "Say with `unit`" in str(caught.value)


def test_exact_copies_in_a_unit_are_left_out_and_counted(tmp_path):
    head = "topic\tdocno\tworker\tunit\tvalue\tseconds\n"
    once = ["1\tD1\tw\tu\t1\t3", "1\tD1\tv\tu\t1\t3", "1\tD1\tw\tu2\t1\t3", "1\tD2\tw\tu\t0\t"]
    counts = Counter()
    twice = save(tmp_path, head + "\n".join([*once, once[0], *once[2:], once[0]]) + "\n")
    held = read_judgments(twice, left_out=counts)
    assert counts == {"copies of a row before": 4}
    assert held.equals(read_judgments(save(tmp_path, head + "\n".join(once), "once")))
    # another time, and the same without a unit, are no copies
    other = save(tmp_path, head + "\n".join([once[0], once[0][:-1] + "4"]))
    with pytest.raises(InputError, match=":3: worker w judges document D1 again"):
        read_judgments(other)
    without = save(tmp_path, head + "1\tD1\tw\t\t1\t3\n" * 2)
    assert len(read_judgments(without)) == 2


def test_a_header_alone_is_no_data(tmp_path):
    with pytest.raises(InputError, match="no row follows the header"):
        read_judgments(save(tmp_path, TSV.splitlines()[0]))


def test_rows_on_other_scales_are_counted(tmp_path):
    counts = Counter()
    read_judgments(
        save(tmp_path, SCALES), scale=S100, format=PUBLISHED, left_out=counts, **ONE_OF_TWO
    )
    assert counts == {"other than relevance_scale S100 (where)": 1}


def test_published_csv(tmp_path):
    table = read_judgments(save(tmp_path, SCALES), scale=S100, format=PUBLISHED, **ONE_OF_TWO)
    assert rows(table) == [
        ("402", "D1", "w1", "u1", 1, 10.0, 12.5),
        ("402", "D1", "w1", "u2", 1, 55.0, 4.0),
        ("402", "D1", "w2", "u1", 1, 20.0, 7.0),
        ("402", "D2", "w1", "u1", 2, 80.0, 18.0),
    ]


def test_published_csv_of_one_scale_need_not_say_which(tmp_path):
    path = save(tmp_path, SCALES.replace("402,u1,D1,H,1,w1,3,0.1,99,,0,0,S4\n", ""))
    assert read_judgments(path, format=PUBLISHED).equals(
        read_judgments(path, format=PUBLISHED, **ONE_OF_TWO)
    )


def test_times_of_the_published_csv_that_are_of_no_unit_are_as_they_are(tmp_path):
    path = save(tmp_path, SCALES.replace(",u1,", ",,"))
    table = read_judgments(path, format=PUBLISHED, **ONE_OF_TWO)
    assert rows(table.select(["docno", "worker", "seconds"])) == [
        ("D1", "w1", 4.0), ("D1", "w1", 12.5), ("D1", "w2", 7.0), ("D2", "w1", 30.5),
    ]  # fmt: skip


def test_published_csv_in_another_order_of_columns(tmp_path):
    path = save(tmp_path, SCALES)
    expected = read_judgments(path, format=PUBLISHED, **ONE_OF_TWO)
    turned = io.StringIO()
    csv.writer(turned).writerows(row[::-1] for row in csv.reader(io.StringIO(SCALES)))
    path = save(tmp_path, turned.getvalue(), "turned")
    assert read_judgments(path, format=PUBLISHED, **ONE_OF_TWO).equals(expected)


@pytest.mark.parametrize(
    ("content", "options", "reason"),
    [
        (SCALES, {}, ": holds several scales: S100, S4"),
        (
            SCALES,
            {"where": {"relevance_scale": "S10"}},
            ": no row has relevance_scale 'S10' (asked by `where`); did you mean 'S100'?",
        ),
        (
            SCALES.replace("doc_pos", "pos"),
            {"where": {"relevance_scale": "S4"}},
            ":1: column 'doc_pos' is missing",
        ),
        (
            SCALES.replace("D1,H,1,w2,20", "D1,H,1,w2,x"),
            ONE_OF_TWO,
            ":5: relevance_score 'x'",
        ),
        (SCALES.replace(",7,,", ",7,"), ONE_OF_TWO, ":5: has 12 columns"),
        (SCALES.replace('no"', "no"), ONE_OF_TWO, ":2: is no CSV"),
        (
            SCALES.replace("u2,D1", "u1,D1"),
            ONE_OF_TWO,
            ":6: worker w1 judges document D1",
        ),
        (
            SCALES.encode().replace(b"well", b"w\xff"),
            ONE_OF_TWO,
            ":2: is not UTF-8",
        ),
        (
            SCALES,
            {"where": {"relevance_scale": "S4"}, "scale": Scale.of({"levels": 3})},
            ":7: relevance_score 3 is not on the scale",
        ),
    ],
)
def test_bad_published_csv(tmp_path, content, options, reason):
    path = save(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_judgments(path, format=PUBLISHED, **options)
    assert str(caught.value).startswith(f"{path}{reason}")


MAGNITUDES = Scale.of({"ratio": True})
NO_MAGNITUDES = {
    "0": "0 is not a positive number",
    "-2": "-2 is not a positive number",
    "inf": "inf is not a positive number",
    "1e400": "1e400 is not a positive number",
    "twice": "'twice' is not a number",
    "1/2": "'1/2' is not a number",
    "nan": r"'nan' is not a number \(NaN\)",
    "": "'' is not a number",
}


def of_magnitudes(folder, layout, values):
    """A file with these values, and how to read it."""
    if layout == "tsv":
        body = [f"402\tD1\tw{i}\tu{i}\t{value}" for i, value in enumerate(values)]
        content, options = ["topic\tdocno\tworker\tunit\tvalue", *body], {}
    else:
        # raw magnitudes, not the normalised ones beside them; 0 is a value of the other scale
        body = [f"402,u{i},D1,H,1,w{i},{value},0.8,5,,1,3,ME" for i, value in enumerate(values)]
        content = [HEADER, *body, "402,u,D1,H,1,w,0,0.8,5,,1,3,S100"]
        options = {"format": PUBLISHED, "where": {"relevance_scale": "ME"}}
    path = save(folder, "\n".join([*content, ""]))
    return path, {"scale": MAGNITUDES, **options}


@pytest.mark.parametrize("layout", ["tsv", PUBLISHED])
def test_magnitudes(tmp_path, layout):
    path, options = of_magnitudes(tmp_path, layout, ["0.5", "1e3", ".25", "1e-100"])
    assert read_judgments(path, **options)["value"].to_pylist() == [0.5, 1000, 0.25, 1e-100]


@pytest.mark.parametrize("layout", ["tsv", PUBLISHED])
@pytest.mark.parametrize("value", NO_MAGNITUDES)
def test_what_is_no_magnitude_is_refused_with_its_line(tmp_path, layout, value):
    path, options = of_magnitudes(tmp_path, layout, ["2", value])
    said = f":3: (relevance_score|value) {NO_MAGNITUDES[value]}"
    with pytest.raises(InputError, match=said) as error:
        read_judgments(path, **options)
    assert len(error.value.problems) == 1


@pytest.mark.parametrize("layout", ["tsv", PUBLISHED])
def test_what_is_no_magnitude_is_left_out_and_counted(tmp_path, layout):
    """Numbers are; text is no value of any scale, and refused all the same."""
    path, options = of_magnitudes(tmp_path, layout, ["2", "0", "-2", "inf", "1e400", "0"])
    left_out = Counter()
    table = read_judgments(path, **options, off_scale="drop", left_out=left_out)
    assert table["value"].to_pylist() == [2]
    ((reason, count),) = ((why, n) for why, n in left_out.items() if "off the scale" in why)
    assert count == 5
    assert reason.endswith("off the scale of positive numbers (0, -2, inf, 1e400)")
    path, options = of_magnitudes(tmp_path, layout, ["2", "0", "twice"])
    with pytest.raises(InputError, match=r":4: .*'twice' is not a number"):
        read_judgments(path, **options, off_scale="drop")


def test_real_values_and_names(tmp_path):
    path = save(tmp_path, "topic\tdocno\tjudge\tvalue\n5\tA\tw\t 0.3 \n5\tB\tw\t2.25\n")
    columns = {"worker": "judge"}
    table = read_judgments(path, columns=columns, scale=Scale.of({"range": [0, 3]}))
    assert table["value"].to_pylist() == [0.3, 2.25]
    path = save(tmp_path, "topic\tdocno\tworker\tvalue\n5\tA\tw\tno\n5\tB\tw\tyes\n")
    table = read_judgments(path, scale=Scale.of({"values": ["no", "maybe", "yes"]}))
    assert table["value"].to_pylist() == [0, 2]
    with pytest.raises(InputError, match=r":2: value no is not on the scale yes, No"):
        read_judgments(path, scale=Scale.of({"values": ["yes", "No"]}))


def test_a_qrels_like_file_holds_one_judges_values(tmp_path):
    path = save(tmp_path, "5 a1 A 0.5\n5 a2 B 1\n")
    table = read_judgments(path, format="trec", worker="gpt", scale=Scale.of({"range": [0, 1]}))
    assert rows(table.select(["docno", "worker", "value"])) == [("A", "gpt", 0.5), ("B", "gpt", 1)]
    assert table["unit"].null_count == 2
    table = read_judgments(path, format="trec", columns={"worker": "iteration"})
    assert table["worker"].to_pylist() == ["a1", "a2"]
    with pytest.raises(ParameterError, match="qrels name no worker"):
        read_judgments(path, format="trec")
    with pytest.raises(ParameterError, match="only for format: trec"):
        read_judgments(path, worker="gpt")


def test_a_panel_is_read_as_one_file(tmp_path):
    files = {
        name: save(tmp_path, f"5 0 B {grade}\n5 0 A 1\n", name)
        for name, grade in (("y", 2), ("x", 0))
    }
    panel = read_panel(read_judgments, files, format="trec", scale=Scale.of({"levels": 3}))
    assert rows(panel.select(["docno", "worker", "value"])) == [
        ("A", "x", 1),
        ("A", "y", 1),
        ("B", "x", 0),
        ("B", "y", 2),
    ]
    assert panel.schema.equals(SCHEMAS["judgments"])
    with pytest.raises(InputError) as caught:
        read_panel(read_judgments, files | {"z": files["y"]}, format="trec", scale=BINARY)
    assert len(caught.value.errors) == 2


def test_values_off_the_scale_are_left_out_and_counted(tmp_path):
    path = save(
        tmp_path,
        "topic\tdocno\tworker\tvalue\n"
        + "".join(f"5\t{docno}\tw\t{value}\n" for docno, value in enumerate((0, 5, 5, 10, 3))),
    )
    scale, count = Scale.of({"levels": 4}), Counter()
    table = read_judgments(path, scale=scale, off_scale="drop", left_out=count)
    assert table["value"].to_pylist() == [0, 3]
    assert count == {"value off the scale of 0, 1, 2, 3 (5, 10)": 3}
    with pytest.raises(InputError) as caught:
        read_judgments(path, scale=scale)
    assert [line for line, _ in caught.value.problems] == [3, 4, 5]
    assert caught.value.remedy == (
        "Correct the file, or leave them out (off_scale: drop, --off-scale drop)."
    )


def test_real_judges_off_the_scale(real_data):
    path, count = real_data / "llmjudge" / "judgments.tsv.gz", Counter()
    with pytest.raises(InputError, match="off_scale: drop") as caught:
        read_judgments(path, scale=Scale.of({"levels": 4}))
    assert len(caught.value.problems) == 3
    table = read_judgments(path, scale=Scale.of({"levels": 4}), off_scale="drop", left_out=count)
    assert (len(table), [*count.values()]) == (132_687, [3])


def test_bad_parameters(tmp_path):
    path = save(tmp_path, TSV)
    with pytest.raises(ParameterError, match="unknown format 'tvs'; did you mean 'tsv'"):
        read_judgments(path, format="tvs")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    published=st.booleans(),
    start=st.integers(0, len(SCALES)),
    length=st.integers(0, 9),
    piece=st.binary(max_size=4) | st.sampled_from([b"\t", b",", b'"', b"\n", b"\r", b"\x00"]),
)
def test_a_corrupted_file_is_read_or_refused(tmp_path, published, start, length, piece):
    content = (SCALES if published else TSV).encode()
    path = save(tmp_path, content[:start] + piece + content[start + length :])
    options = {"format": PUBLISHED, **ONE_OF_TWO} if published else {"unit": ["run", "unit"]}
    try:
        table = read_judgments(path, **options)
    except InputError as error:
        assert str(error).startswith(str(path))
    else:
        assert 1 <= len(table) <= 6


def test_real_judgments(real_data):
    folder = real_data / "uc3m2011"
    sliders = read_judgments(
        folder / "judgments.tsv.gz",
        scale=S100,
        where={**SLIDERS, "status": "Accepted"},
        unit=["run", "unit"],
    )
    assert len(sliders) == 4_315
    assert sliders["unit"].null_count == 0
    votes = read_judgments(folder / "binary-votes.tsv.gz", scale=BINARY)
    assert len(votes) == votes["unit"].null_count == 58_476

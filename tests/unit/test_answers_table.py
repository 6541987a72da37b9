"""The small table of an answer: what its cells say, and how it is written for whom."""

import json
import re
import string
from html import escape

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from pandas.io.formats.style_render import _escape_latex

from regrade.answers.shape import Answer
from regrade.answers.table import (
    BAR,
    POINT,
    AnswerColumn,
    AnswerTable,
    interval,
    latex_of,
    lines_of,
    markdown_of,
    p_value,
)
from regrade.wording import number

COLUMNS = (
    AnswerColumn("rank", "count"), AnswerColumn("system"), AnswerColumn("AP", "estimate"),
    AnswerColumn("best set", "mark"), AnswerColumn("p", "p"), AnswerColumn("judged", "share"),
    AnswerColumn("d", "number", 2),
)  # fmt: skip

ROWS = (
    (1, "a_1", (0.5, 0.4, 0.6), True, None, 1.0, np.float64(0.25)),
    (2, "b|%", (0.3, 0.2, 0.4), np.bool_(False), 0.0004, 0.125, -0.001),
    (np.int64(3), "c", (0.1, np.nan, np.nan), None, 0.04999, 0.0, float("nan")),
)


def table(rows=ROWS):
    return AnswerTable.of("AP · 3 systems", COLUMNS, rows)


def test_cells_are_written_by_the_kind_of_their_column():
    assert table().header() == ["rank", "system", "AP", "95% CI", "best set", "p", "judged", "d"]
    assert list(table().cells()) == [
        ["1", "a_1", "0.500", "0.400–0.600", "●", "", "100.0%", "0.25"],
        ["2", "b|%", "0.300", "0.200–0.400", "", "<0.001", "12.5%", "0.00"],
        ["3", "c", "0.100", "", "", "0.050", "0.0%", ""],
    ]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (number(-1234.5678, 2), "−1,234.57"),
        (number(-0.0004), "0.000"),
        (number(None), "–"),
        (number(float("nan"), 2, ""), ""),
        (interval(0.1, 0.25, 2), "0.10–0.25"),
        (interval(-0.022, 0.052), "−0.022 to 0.052"),
        (interval(None, 0.1), ""),
        (p_value(0.0009999), "<0.001"),
        (p_value(0.001), "0.001"),
        (p_value(0.0496), "0.050"),
        (p_value(0.436), "0.44"),
    ],
)
def test_numbers_ends_and_p_values(written, text):
    assert written == text


def test_a_table_is_the_same_read_back_from_its_text():
    assert AnswerTable.of_json(table().to_json()) == table()
    assert "NaN" not in table().to_json()
    answer = Answer.of("Which?", ["This one.", "For this reason."], rows=table(), key="1 of 3",
                       light="fine", method="Means were compared.", notes=["So."],
                       tables=["a/b"])  # fmt: skip
    assert Answer.of_frame(answer.to_frame()) == answer
    assert json.loads(json.dumps(answer.to_dict()))["rows"]["title"] == "AP · 3 systems"
    bare = Answer.of("Which?", ["None."])
    assert Answer.of_frame(bare.to_frame()) == bare


def test_nothing_is_a_table_without_rows():
    assert AnswerTable.of("AP", COLUMNS, []) is None
    assert str(Answer.of("Which?", ["None."])) == "None."


def test_lines_are_aligned_and_ten_rows_are_printed():
    lines = lines_of(table(), 100)
    assert lines[0] == "AP · 3 systems"
    assert lines[1].index("AP") + 2 == lines[2].index("0.500") + 5
    assert lines[-1] == ""
    many = AnswerTable.of("", COLUMNS, ROWS * 5)
    assert lines_of(many, 100)[-2] == "… 5 further rows"
    assert len(lines_of(many, 100)) == 2 + 10 + 2
    assert lines_of(AnswerTable.of("", COLUMNS, (ROWS * 5)[:11]), 100)[-2] == "… 1 further row"


@pytest.mark.parametrize("width", [90, 120, 300])
def test_bars_lie_on_one_axis(width):
    """The place of each character is that of its number, by a plain calculation."""
    plain, drawn = lines_of(table(), width), lines_of(table(), width, bars=True)
    assert max(map(len, drawn)) <= width
    header = drawn[1]
    start = header.index("AP") + len("AP") + 2
    size = min(width - max(map(len, plain)) - 2, 40)
    for line, ends in zip(drawn[2:4], [ROWS[0][2], ROWS[1][2]], strict=True):
        bar = line[start : start + size].rstrip()
        places = bar.index(POINT), len(bar) - len(bar.lstrip()), len(bar) - 1
        assert set(bar.strip()) == {BAR, POINT}
        for place, value in zip(places, ends, strict=True):
            assert abs(place - (value - 0.2) / 0.4 * (size - 1)) <= 0.5 + 1e-9
    assert BAR not in drawn[4]  # without an interval


def test_no_bars_where_there_is_no_room_or_nothing_to_compare():
    assert lines_of(table(), 60, bars=True) == lines_of(table(), 60)
    assert lines_of(table(ROWS[:1]), 200, bars=True) == lines_of(table(ROWS[:1]), 200)
    equal = [(1, "a", (0.5, 0.5, 0.5), None, None, None, None)] * 2
    drawn = lines_of(table(equal), 200, bars=True)
    assert drawn[2].count(POINT) == 1


def test_markdown_has_the_cells_of_the_table():
    html = MarkdownIt("commonmark").enable("table").render(markdown_of(table()))
    assert html.count("<tr>") == 4
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", html)
    rows = [table().header(), *table().cells()]
    assert cells == [escape(cell) for row in rows for cell in row]


def test_latex_escapes_as_pandas_does_and_writes_signs_in_mathematics():
    text = latex_of(table(), "50% of x_1")
    start = ["\\begin{table}", "\\centering", "\\caption{50\\% of x\\_1}"]
    assert text.splitlines()[:4] == [*start, "\\begin{tabular}{rlrrlrrr}"]
    assert "2 & b|\\% & 0.300 & 0.200--0.400 &  & $<$0.001 & 12.5\\% & 0.00 \\\\" in text
    assert text.count("\\begin{") == text.count("\\end{") == 2
    assert latex_of(table()).startswith("\\begin{tabular}")
    for one in string.punctuation:
        if one in "<>\\~^":  # which pandas writes in another way
            continue
        only = AnswerTable.of("", [AnswerColumn("x")], [[one]])
        assert f"\n{_escape_latex(one)} \\\\\n" in latex_of(only)


def test_what_no_ascii_has_is_a_command():
    greek = AnswerTable.of("", [AnswerColumn("x")], [["α = −0.1, τ_b ≥ 0.9, Eρ²"]])
    assert latex_of(greek).isascii()


def test_a_frame_becomes_a_table_by_its_types():
    frame = pd.DataFrame({"system_name": ["a", None], "n": [1, 2], "x": [0.5, np.nan],
                          "is": [True, False]})  # fmt: skip
    made = AnswerTable.of_frame(frame)
    assert made.header() == ["system name", "n", "x", "is"]
    assert list(made.cells()) == [["a", "1", "0.5000", "●"], ["", "2", "", ""]]


def test_measures_are_named_in_the_title_and_above_columns():
    answer = Answer.of("Which?", ["a has the highest AP."], rows=table(), key="AP of 3")
    named = answer.naming({"AP": "AP (grades ≥ 1)"})
    assert named.rows.title == "AP (grades ≥ 1) · 3 systems"
    assert named.rows.columns[2].name == "AP (grades ≥ 1)"
    assert named.verdict == "a has the highest AP (grades ≥ 1)."


def test_a_method_can_be_quoted():
    answer = Answer.of("Which?", ["None."], method="Means over 5 topics were compared.")
    sentence = answer.methods_sentence()
    assert sentence.startswith("Means over 5 topics were compared. Computed with regrade ")
    assert "<td>a_1</td>" in Answer.of("Which?", ["This <b>."], rows=table())._repr_html_()
    assert "This &lt;b&gt;." in Answer.of("Which?", ["This <b>."], rows=table())._repr_html_()

"""Pictures that the page draws itself: each mark is where its number belongs."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.audit.overview import tiles
from regrade.evaluations.page_figures import pictures
from regrade.show.charts import biases, cells_of, forest, matrix, scatter, ticks


def of(svg):
    """Elements by their tag."""
    root = ElementTree.fromstring(str(svg))
    found = {}
    for element in root.iter():
        found.setdefault(element.tag, []).append(element)
    return found


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-0.03, 0.001), (0.4799, 0.4801), (3.0, 900.0), (0.0, 1e-9)]
)
def test_ticks_are_round_and_within(low, high):
    found = ticks(low, high)
    assert 2 <= len(found) <= 6
    for value, text in found:
        assert low - 1e-12 <= value <= high + 1e-12
        assert float(text.replace("−", "-").replace(",", "")) == pytest.approx(value, abs=1e-12)


def table(rows, mark=True):
    columns = [AnswerColumn("system"), AnswerColumn("AP", "estimate", digits=2)]
    columns += [AnswerColumn("best set", "mark")] * mark
    return AnswerTable.of("T", columns, rows)


def test_a_forest_plot_has_each_interval_in_its_place():
    rows = [("a<b>", (0.8, 0.6, 1.0), True), ("b", (0.5, 0.4, 0.6), False),
            ("a name of many words", (0.2, None, None), None)]  # fmt: skip
    found = of(forest(table(rows)))
    places = [float(one.get("cx").rstrip("%")) for one in found["circle"]]
    scale = np.polyfit([0.8, 0.5, 0.2], places, 1)
    assert np.polyval(scale, [0.8, 0.5, 0.2]) == pytest.approx(places, abs=0.02)
    bars = [one for one in found["line"] if one.get("class") == "ci"]
    ends = [[float(bar.get(end).rstrip("%")) for end in ("x1", "x2")] for bar in bars]
    assert ends == [pytest.approx(np.polyval(scale, at), abs=0.02) for at in ([0.6, 1], [0.4, 0.6])]
    assert [one.get("class") for one in found["g"]] == ["best", "rest", "rest"]
    assert found["title"][0].text == "a<b>: 0.80 (95% CI 0.60–1.00)"
    texts = [one.text for one in found["text"]]
    assert "a name of many wo…" in texts and "0.20" in texts


def test_a_forest_plot_of_equal_estimates_is_drawn_and_of_two_or_none_is_not():
    equal = [(name, (0.5, 0.5, 0.5), None) for name in "abc"]
    assert len(of(forest(table(equal)))["circle"]) == 3
    assert forest(table(equal[:2])) == forest(None) == ""
    assert forest(AnswerTable.of("T", [AnswerColumn("a")], [("x",)] * 5)) == ""


def test_cells_hold_what_the_table_holds_and_sort_by_its_numbers():
    html = str(cells_of(table([("a<b>", (0.8, 0.6, 1.0), True), ("b", (None, None, None), None)])))
    assert "a&lt;b&gt;" in html and html.count("<tr>") == 3
    assert re.findall(r'data-sort="([^"]+)"', html) == ["0.8"]
    assert re.findall(r'style="([^"]+)"', html) == ["--from:0.0%;--to:0.0%;--at:50.0%"]
    assert '<th class="number">95% CI</th>' in html and "0.60–1.00" in html


def test_a_scatter_plot_has_each_system_in_its_place():
    first, second = [0.1, 0.5, 0.3, 0.9], [0.2, 0.4, 0.6, 0.7]
    found = of(scatter(["a<b>", "b", "c", "d"], first, second, ("NIST", "model")))
    x, y = (np.array([float(one.get(side)) for one in found["circle"]]) for side in ("cx", "cy"))
    assert np.corrcoef(x, first)[0, 1] == pytest.approx(1, abs=1e-5)
    assert np.corrcoef(y, second)[0, 1] == pytest.approx(-1, abs=1e-5)
    # as much to the right as up: the line of equal scores rises by 45 degrees
    assert np.ptp(x) / 0.8 == pytest.approx(np.ptp(y) / 0.5, rel=1e-3)
    line = list(map(float, re.findall(r"[\d.]+", found["path"][0].get("d"))))
    assert line[2] - line[0] == pytest.approx(line[1] - line[3])
    assert [one.get("class") for one in found["g"]] == ["of", "beside", "beside", "of"]
    assert found["title"][0].text == "a<b>: 0.100 (NIST), 0.200 (model)"
    assert scatter(["a", "b"], [1, 2], [2, 1], ("x", "y")) == ""
    assert len(of(scatter(["a", "b", "c"], [1] * 3, [1] * 3, ("x", "y")))["circle"]) == 3


def test_a_matrix_has_shares_of_rows():
    found = of(matrix({(0.0, 0.0): 3, (0.0, 1.0): 1, (2.0, 1.0): 5}, ("a<b>", "c")))
    shares = [one.get("style") for one in found["rect"]]
    assert shares == ["--share:0.750", "--share:0.250", "--share:0.000", "--share:1.000"]
    titles = [one.text for one in found["title"]]
    assert titles[0] == "a<b> 0, c 0: 3 documents, 75%"
    assert matrix({(0.0, 0.0): 3}, ("a", "b")) == matrix({}, ("a", "b")) == ""
    assert matrix({(i / 10, i / 10): 1 for i in range(101)}, ("a", "b")) == ""


def test_biases_stand_at_their_places_with_their_intervals():
    rows = [(0.5, 0.25, 0.75), (-0.25, None, None), (-1.0, -1.5, 0.0)]
    found = of(biases(["0", "1", "2"], rows, ("grade from a<b>", "mean difference")))
    y = np.array([float(one.get("cy")) for one in found["circle"]])
    scale = np.polyfit([row[0] for row in rows], y, 1)
    assert np.polyval(scale, [row[0] for row in rows]) == pytest.approx(y, abs=0.1)
    bars = [one for one in found["line"] if one.get("class") == "ci"]
    ends = [[float(bar.get(end)) for end in ("y1", "y2")] for bar in bars]
    expected = [np.polyval(scale, at) for at in ([0.25, 0.75], [-1.5, 0])]
    assert ends == [pytest.approx(one, abs=0.2) for one in expected]
    zero = float(re.search(r" ([\d.]+)H", found["path"][0].get("d"))[1])
    assert zero == pytest.approx(np.polyval(scale, 0), abs=0.1)
    assert found["title"][0].text == "grade from a<b> 0: 0.50 (95% CI 0.25–0.75)"
    assert found["title"][1].text == "grade from a<b> 1: −0.25"
    assert biases(["0", "1"], rows[:2], ("x", "y")) == ""
    zeros = [(0.0, None, None)] * 3
    assert len(of(biases(["0", "1", "2"], zeros, ("x", "y")))["circle"]) == 3


def test_two_sets_are_drawn_by_grade_and_by_system():
    confusion = pd.DataFrame(
        [(0, 0, 5), (0, 1, 2), (1, 1, 4), (np.nan, 1, 9), (1, np.nan, 8)],
        columns=["first_grade", "second_grade", "documents"],
    )
    systems = pd.DataFrame({
        "measure": ["AP"] * 3 + ["P"] * 3, "system": list("abc") * 2,
        "first": [0.3, 0.2, 0.1] * 2, "second": [0.2, 0.3, 0.1] * 2,
    })  # fmt: skip
    bias = pd.DataFrame({
        "grade": [0.0, 1, 2, 3], "documents": [7, 4, 5, 2], "topics": [2, 2, 1, 1],
        "difference": [0.5, -0.25, -1, np.nan], "low": [0.1, -0.5, np.nan, np.nan],
        "high": [0.9, 0.1, np.nan, np.nan],
    })  # fmt: skip
    *shown, drawn = pictures("compare-x", "x<", "y", confusion, bias, systems)
    assert [one.name for one in shown] == ["compare-x-confusion", "compare-x-bias"]
    assert shown[1].data.splitlines()[1::2] == ["0.0,7,2,0.5,0.1,0.9", "2.0,5,1,-1.0,,"]
    assert shown[1].caption.startswith("Mean grade of y less that of x<, over the co-judged")
    shown[1:] = [drawn]
    assert shown[0].data.splitlines() == ["x<,y,documents", "0.0,0.0,5", "0.0,1.0,2", "1.0,1.0,4"]
    assert shown[1].data.splitlines()[1] == "a,0.3,0.2"
    assert shown[1].caption.startswith("Mean AP of each system with x< and with y;")
    few = pictures("c", "x", "y", confusion, bias.iloc[:2], systems.iloc[:0])
    assert [one.name for one in few] == ["c-confusion"]
    assert pictures("c", "x", "y", confusion.iloc[:0], bias.iloc[2:], systems.iloc[:2]) == []


def test_tiles_say_how_much_there_is():
    summary = pd.DataFrame(
        [("runs", "systems", 63, np.nan), ("runs", "topics", 60, np.nan),
         ("qrels NIST", "topics", 53, np.nan),
         ("qrels NIST", "top 10 documents that are judged, topics with qrels", 999, 1000)],
        columns=["source", "fact", "value", "total"],
    )  # fmt: skip
    values = pd.DataFrame(
        [("qrels", "NIST", "0", 750), ("qrels", "NIST", "1", 250)]
        + [("judgments", "S100", str(i), 1) for i in range(101)],
        columns=["kind", "set", "written", "count"],
    )
    shown = [(one.value, one.label, one.note) for one in tiles(summary, values, ["NIST", "S100"])]
    assert shown == [("63", "systems", ""), ("53", "topics", ""),
                     ("1,000", "labels (NIST)", "1 further set"),
                     ("99.9%", "Judged@10 (NIST)", "")]  # fmt: skip
    labels = tiles(summary, values, ["NIST"])[2]
    assert labels.shares == (("0", 0.75), ("1", 0.25))
    (topics, crowd) = tiles(summary.iloc[1:2], values, ["S100"])
    assert (topics.value, crowd.shares) == ("60", ())  # a bar of 101 grades says nothing
    assert tiles(summary.iloc[:0], values.iloc[:0], []) == []

"""The report's page in a browser: tables sort, figures enlarge, folded parts open."""

from functools import partial

import pandas as pd
import pytest

from regrade.answers.shape import Answer
from regrade.show import style
from regrade.show.published import write_markdown
from regrade.show.report import Card, ReportItem, _figure, render
from tests.unit.test_show_explorer import (  # noqa: F401 (two are fixtures)
    browser,
    nothing_said,
    visit,
    window,
)
from tests.unit.test_show_report import SVG, TEMPLATE

CELLS = pd.DataFrame({
    "system": ["a<b>", "b", "c", "d"],
    "AP": ["0.20", "1,000.5", "", "−0.30"],
    "said": ["two", "one", "10", "9"],
})  # fmt: skip


@pytest.fixture
def opened(window, tmp_path):  # noqa: F811
    """Open a page."""
    write_markdown(CELLS, tmp_path / "table.md", "Systems", "")
    (tmp_path / "figure.svg").write_text(SVG, encoding="utf-8")
    dots = style.new_figure(3, 2)
    style.dots(dots.add_subplot(), [1, 2], [2, 1], ["a<b>", "sys & co"], color="#0072B2", ms=9)
    style.save(dots, tmp_path / "dots.svg")
    items = [
        ReportItem.read("audit", tmp_path / "table.md"),
        ReportItem.read("s-figure-1", tmp_path / "figure.svg", title="Figure 1", group="study"),
        ReportItem.read("s-dots", tmp_path / "dots.svg", title="Dots", group="study"),
        ReportItem.read("s-table-1", tmp_path / "table.md", title="Table 1", group="study"),
    ]
    drawn = _figure(tmp_path / "dots.svg", "dots", "Dots go down.", at_once=True)
    answer = Answer("Where to cut?", "x" * 300 + " at 3, 5.", ("Of α.",), ("Ask for `trust`.",))
    cards = [Card("cut", "S100", answer, drawn, "<p>Dots.</p>")]
    path = tmp_path / "report.html"
    path.write_text(render("T", "", items, TEMPLATE, cards=cards), encoding="utf-8")

    with nothing_said(window):
        yield partial(visit, window, path)


def column(page, number):
    cells = f"#audit tbody td:nth-child({number})"
    return page.locator(cells).all_inner_texts()


def test_what_was_read_is_folded_until_it_is_asked_for(opened):
    page = opened()
    cells = page.locator("#audit td")
    assert not cells.first.is_visible()
    page.locator("#audit summary").click()
    assert cells.first.is_visible()
    assert opened("#audit").locator("#audit td").first.is_visible()


@pytest.mark.parametrize("width", [700, 1280])
def test_nothing_is_cut_off_in_print(opened, width):
    page = opened("#audit", width)
    page.emulate_media(media="print")
    over = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(over) <= 0
    hides = """boxes => boxes.filter((box) => getComputedStyle(box).overflowX != "visible"
        && box.scrollWidth > box.clientWidth).length"""
    assert page.locator(".wide").evaluate_all(hides) == 0


def test_tables_sort_by_numbers_and_by_words(opened):
    page = opened("#audit")
    button = page.locator("#audit th button")
    button.nth(1).click()
    assert column(page, 2) == ["−0.30", "0.20", "1,000.5", ""]
    button.nth(1).click()
    assert column(page, 2) == ["1,000.5", "0.20", "−0.30", ""]
    assert page.locator("#audit th").nth(1).get_attribute("aria-sort") == "descending"
    button.nth(2).click()
    assert column(page, 3) == ["9", "10", "one", "two"]
    button.nth(0).click()
    assert column(page, 1) == ["a<b>", "b", "c", "d"]


def test_the_address_unfolds_what_it_names(opened):
    page = opened("#s-table-1")
    page.wait_for_function("document.getElementById('of-study').open")
    page = opened()
    assert not page.locator("#of-study").evaluate("part => part.open")
    assert not page.locator("#s-table-1").is_visible()
    page.locator("nav a", has_text="study").first.click()
    page.wait_for_function("document.getElementById('of-study').open")


def test_figures_enlarge_and_download(opened):
    page = opened("#s-figure-1")
    page.locator("#s-figure-1 .figure svg").wait_for(state="attached")
    page.locator("#s-figure-1 .figure").click()
    assert page.locator("dialog[open] svg").count() == 1
    assert page.locator("dialog").get_attribute("aria-label") == "Figure 1"
    page.locator("dialog").click()
    assert page.locator("dialog[open]").count() == 0
    with page.expect_download() as download:
        page.locator("#s-figure-1").get_by_text("download").click()
    assert download.value.suggested_filename == "s-figure-1.svg"
    assert download.value.path().read_text(encoding="utf-8") == SVG


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_narrow_screen_in_light_and_dark(opened, scheme):
    page = opened("#s-table-1", width=400, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.parametrize("where", ["#answers .figure", "#s-dots .figure"])
def test_a_point_has_its_name_where_the_pointer_rests(opened, where):
    """Whether the figure is there at once or drawn when it comes into view."""
    page = opened("#s-dots")
    page.locator(f"{where} svg").wait_for(state="attached")
    names = page.evaluate("""(where) => {
      const frame = document.querySelector(where);
      frame.scrollIntoView();
      return [...frame.shadowRoot.querySelectorAll("title")].map((title) => {
        const box = title.parentElement.getBoundingClientRect();
        const middle = [box.x + box.width / 2, box.y + box.height / 2];
        const hit = frame.shadowRoot.elementFromPoint(...middle);
        return [title.textContent, title.parentElement.contains(hit)];
      });
    }""", where)  # fmt: skip
    assert names == [["a<b>", True], ["sys & co", True]]


def test_figures_are_drawn_for_print_without_being_seen(opened):
    page = opened()
    assert page.evaluate("document.querySelector('#s-dots .figure').shadowRoot") is None
    page.wait_for_function("""() => {
      window.dispatchEvent(new Event("beforeprint"));
      return document.querySelector("#s-dots .figure").shadowRoot !== null;
    }""")

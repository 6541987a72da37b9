"""A page of a collection as large as TREC-8 (129 systems, 50 topics) is small and soon there."""

import base64
import json
from dataclasses import replace

import numpy as np
import pytest

from regrade.answers.shape import LOOK, Answer
from regrade.ranking.explorer_page import packed_rankings
from regrade.show import style
from regrade.show.report import EXPLORERS, Card, ReportItem, figure_html, render
from regrade.topic_analysis.page_documents import packed_documents
from tests.unit.test_ranking_explorer_page import made
from tests.unit.test_show_explorer import (  # noqa: F401 (two are fixtures)
    browser,
    nothing_said,
    window,
    work_until_seen,
)
from tests.unit.test_show_page import documents_of
from tests.unit.test_show_report import TEMPLATE, leaderboard

SYSTEMS, TOPICS = 129, 50
ANSWERS, FIGURES, TABLES = 25, 70, 60
"""As the page of `config/trec8.yaml` has them."""

MOST, SOONEST = 6_000_000, 500
"""Bytes, and milliseconds of the page's thread until something is seen."""


def scattered(path, panels, points):
    """A figure of panels of points, as those of studies are."""
    rng, figure = np.random.default_rng(panels), style.new_figure(7, 3)
    for axes in figure.subplots(1, panels):
        for _ in range(3):
            axes.plot(*rng.normal(size=(2, points)), "o", ms=1.5, alpha=0.6, rasterized=True)
    style.save(figure, path)
    return path


@pytest.fixture(scope="module")
def large_page(tmp_path_factory):
    """The path of the page, and its bytes."""
    folder = tmp_path_factory.mktemp("large")
    ranking = made(SYSTEMS, TOPICS, ("AP", "nDCG@10"), name="NIST")
    documents = documents_of(ranking.systems, ranking.scores, depth=10)
    drawn, glyphs = figure_html(scattered(folder / "small.svg", 3, 20), "small", "A figure.")
    answers = [
        Answer("Which is best?", "s0 is.", "1 of 129", LOOK, leaderboard(SYSTEMS if i % 2 else 20))
        for i in range(ANSWERS)
    ]
    cards = [Card(f"ranking-{i}", "NIST", answer, drawn, glyphs=glyphs)
             for i, answer in enumerate(answers)]  # fmt: skip
    plain = ReportItem.read("plain", scattered(folder / "plain.svg", 3, 20), group="study")
    dense = ReportItem.read("dense", scattered(folder / "dense.svg", 3, 450), group="study")
    items = [
        replace(dense if i % 10 == 0 else plain, name=f"figure-{i}", title=f"Figure {i}")
        for i in range(FIGURES)
    ]
    cells = [[f"{value:.3f}" for value in row] for row in np.random.default_rng(1).random((60, 8))]
    rows = [["system", *"abcdefg"], ["---"] * 8, *cells]
    (folder / "table.md").write_text(
        "\n".join("| " + " | ".join(row) + " |" for row in rows), encoding="utf-8"
    )
    table = ReportItem.read("table", folder / "table.md", group="study")
    items += [replace(table, name=f"table-{i}", title=f"Table {i}") for i in range(TABLES)]
    # of explorers as much as a page takes; nothing of them is unpacked before it is seen
    filler = base64.b64encode(np.random.default_rng(2).bytes(EXPLORERS * 3 // 4 - 200)).decode()
    explorer = json.dumps({"name": "S", "texts": {}, "arrays": [], "data": filler})
    path = folder / "report.html"
    path.write_text(
        render("Large", "Simulated, not real: all.", items, TEMPLATE, {"S: x": explorer}, cards,
               rankings=packed_rankings([ranking], ["NIST"]),
               documents=packed_documents([documents])),
        encoding="utf-8",
    )  # fmt: skip
    return path


def test_it_is_at_most_six_megabytes(large_page):
    assert 3_000_000 < large_page.stat().st_size <= MOST


def test_something_of_it_is_seen_within_half_a_second(browser, window, large_page):  # noqa: F811
    with nothing_said(window):
        assert work_until_seen(browser, window, large_page) < SOONEST


def test_explorers_beyond_the_budget_are_named(large_page):
    html = large_page.read_text(encoding="utf-8")
    assert "Not on it" not in html
    more = {"S: x": "{}", "T<: y": "x" * (EXPLORERS - 1)}
    page = render("T", "", [], TEMPLATE, more, sweeps={"choices": "{}"})
    text = " ".join(page.split())
    assert "explorers of at most 1.7 MB in all. Not on it: T&lt;: y (1.7 MB). A collection" in text
    assert 'id="explore-S"' in page and 'id="explore-sweep-choices"' in page
    assert 'id="explore-T' not in page

"""The report page: complete in itself, with notes and captions, and what goes wrong."""

import base64
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from regrade import __version__
from regrade.answers.shape import LIGHTS, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable, latex_of
from regrade.audit.overview import Tile
from regrade.errors import InputError
from regrade.show.published import write_markdown
from regrade.show.report import DATA, Card, ReportItem, render
from regrade.show.style import save
from regrade.tables import write_table

REPORT = Path(__file__).parents[2] / "workflow" / "report"
TEMPLATE = REPORT / "report.html.j2"
CAPTIONS = sorted(REPORT.rglob("*.rst"))
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><title>τ</title></svg>'


class Page(HTMLParser):
    """Tags with their attributes, and the text between them."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def of(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]


def assert_self_contained(html):
    page = Page(html)
    ids = {attributes.get("id") for _, attributes in page.tags}
    for tag, attributes in page.tags:
        assert tag not in ("link", "iframe", "object", "embed", "base"), tag
        for name in ("src", "srcset", "data", "poster", "action", "background"):
            assert attributes.get(name, "data:").startswith("data:"), (tag, attributes)
        assert "url(" not in attributes.get("style", "")
        if "href" in attributes:
            assert tag == "a"
            if not attributes["href"].startswith("http"):
                assert attributes["href"].removeprefix("#") in ids
    styles = "".join(re.findall(r"<style.*?</style>", html, flags=re.DOTALL))
    assert "url(" not in styles
    assert "@import" not in styles
    return page


@pytest.fixture
def figure(tmp_path):
    path = tmp_path / "figure-1.svg"
    path.write_text(SVG, encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table-3.md"
    cells = pd.DataFrame({"source": ["So4_a", "<b>&"], "left (paper)": ["0.882", ""]})
    write_markdown(cells, path, "Table 3. α", "Judgments are simulated.")
    return path


@pytest.fixture
def caption(tmp_path):
    path = tmp_path / "caption.rst"
    path.write_text(
        "Kendall's τ_b of *every* cut, see `han2019 <https://example.org>`__.\n\n- one\n"
    )
    return path


def sections(page):
    return [section["id"] for section in page.of("section")]


def test_the_page(figure, table, caption):
    items = [
        ReportItem.read("audit", table, section=DATA),
        ReportItem.read("table-3", table, caption, group="han2019"),
        ReportItem.read("figure-1", figure, caption, section="Labels"),
    ]
    html = render("TREC <8>", "Judgments are simulated & seeded.", items, TEMPLATE)
    page = assert_self_contained(html)
    assert page.of("html")[0]["lang"] == "en"
    assert sections(page) == ["overview", "labels", "data", "method", "studies", "of-han2019"]
    links = [link["href"] for link in page.of("a") if link["href"].startswith("#")]
    shown = ["overview", "labels", "data", "method", "studies", "of-han2019"]
    assert links == ["#main", *(f"#{name}" for name in shown)]
    assert [one["id"] for one in page.of("article")] == ["figure-1", "audit", "table-3"]
    assert page.text.count("TREC <8>") == 2  # title and heading
    assert __version__ in page.text
    assert page.text.count("Kendall's τ_b") == 2
    assert html.count('<div class="caption">') == 2
    assert render("TREC <8>", "Judgments are simulated & seeded.", items, TEMPLATE) == html


def leaderboard(systems, marks=2):
    columns = [AnswerColumn("rank", "count"), AnswerColumn("system"),
               AnswerColumn("AP", "estimate"), AnswerColumn("best set", "mark"),
               AnswerColumn("p (MCB)", "p")]  # fmt: skip
    rows = [(i + 1, f"s<{i}>", (0.9 - i / 100, 0.8 - i / 100, 0.95 - i / 100), i < marks, 0.01)
            for i in range(systems)]  # fmt: skip
    return AnswerTable.of(f"AP · {systems} systems · 5 topics", columns, rows)


ANSWER = Answer(
    "Where to cut S100 & levels?",
    "Cut S<100> at 3 (held out, α = 0.05), by AP(rel=2).",
    "3 of 100 cuts are best",
    PROBLEM,
    leaderboard(4),
    ("Its α is 0.5.",),
    ("No document has level 1.",),
    "Cuts were chosen by `trust`.",
    ("cuts/recommended",),
)


def test_the_first_screen_shows_all_findings(tmp_path, figure):
    path = tmp_path / "answer.parquet"
    write_table(ANSWER.to_frame(), path, "cuts/answer")
    assert Answer.read(path) == ANSWER == Answer.of_frame(ANSWER.to_frame())
    cards = [
        Card.read("cut-S100", "S100-to-2", path, figure, section="Choices"),
        Card("plain", "", Answer("Is it?", "It is.")),
    ]
    tiles = [Tile("4,423", "labels (<a>)", "1 further set", (("0", 0.75), ("1", 0.25)))]
    page = assert_self_contained(render("T", "", [], TEMPLATE, cards=cards, tiles=tiles))
    assert sections(page) == ["overview", "systems", "choices", "method"]
    text = " ".join(page.text.split())
    first = text[: text.index("Its α is 0.5.")]
    for shown in (
        "4,423 labels (<a>) + 1 further set 0: 75 % · 1: 25 %",
        "3 of 100 cuts are best problem Where to cut S100 & levels? S100-to-2",
        "Cut S<100> at 3, by AP(rel=2).",  # without what stands in brackets
        "Is it? It is.",
        *(f"{light} {meaning}" for light, meaning in LIGHTS.items()),
    ):
        assert shown in first, shown
    labels = [one["aria-label"] for one in page.of("div") if one.get("class") == "figure"]
    assert labels == [ANSWER.verdict]
    (thumb,) = [one for one in page.of("span") if one.get("class") == "thumb"]
    assert thumb["data-of"] == "answer-cut-S100"
    assert {"answer-cut-S100", "answer-plain"} == {
        one["id"] for one in page.of("article") if one.get("class") == "answer"
    }
    assert "Tables: cuts/recommended." in text
    assert text.count("Cuts were chosen by trust.") == 2  # below the answer, and in the section
    (term, *_) = [a for a in page.of("a") if a.get("class") == "term" and "α" in a["href"]]
    assert term["title"].startswith("Krippendorff's")
    assert {"class": "noted"} in page.of("p")
    assert page.of("details") == []  # nothing is folded


def test_three_keys_are_shown_problems_first():
    lights = ["fine", "", "look", "problem", "look"]
    answers = [Answer(f"Q{i}?", "It is.", f"{i} of 9 are", light) for i, light in enumerate(lights)]
    cards = [Card(f"c{i}", "", answer) for i, answer in enumerate(answers)]
    html = render("T", "", [], TEMPLATE, cards=[*cards, Card("c9", "", Answer("Q?", "It is."))])
    keys = html.partition('<ul class="keys">')[2].partition("</ul>")[0]
    assert re.findall(r"<b>(.*?)</b>", keys) == ["3 of 9", "2 of 9", "4 of 9"]


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("10 of 63 systems may be best", ("10 of 63", "systems may be best")),
        ("1,865 of 1,953 pairs", ("1,865 of 1,953", "pairs")),
        ("99.9% judged", ("99.9%", "judged")),
        ("−0.20 grades", ("−0.20", "grades")),
        ("τ_b 0.94 with human", ("", "τ_b 0.94 with human")),
    ],
)
def test_the_number_of_a_key_stands_out(key, parts):
    assert Card("a", "", Answer("?", "It is.", key)).key == parts


@pytest.mark.parametrize("systems", [1, 2, 3, 129])
def test_the_leaderboard_is_drawn_of_three_or_more_and_listed_whole(systems):
    card = Card("ranking-N", "N", Answer("?", "It is.", rows=leaderboard(systems)))
    html = render("T", "", [], TEMPLATE, cards=[card])
    page = assert_self_contained(html)
    drawn = html.partition('<svg class="own forest"')[2].partition("</svg>")[0]
    if systems < 3:
        assert drawn == ""
    else:
        assert drawn.count("<circle") == min(systems, 20)
        assert drawn.count('<g class="best">') == 2
        assert "s&lt;0&gt;: 0.900 (95% CI 0.800–0.950)" in drawn
        assert ("All systems" in page.text) == (systems > 20)
    assert len(page.of("tr")) == systems + 1
    assert html.count('<i class="bar"') == systems
    packed = re.search(r'class="csv">([^<]+)', html)[1]
    lines = zlib.decompress(base64.b64decode(packed)).decode().splitlines()
    assert lines[0] == "rank,system,AP,AP 95% CI low,AP 95% CI high,best set,p (MCB)"
    assert lines[1] == "1,s<0>,0.9,0.8,0.95,True,0.01" and len(lines) == systems + 1
    packed = re.search(r'class="latex">([^<]+)', html)[1]
    assert zlib.decompress(base64.b64decode(packed)).decode() == latex_of(
        leaderboard(systems), f"AP · {systems} systems · 5 topics"
    )


def test_an_answer_without_key_light_and_rows_is_shown():
    card = Card("a", "", Answer("Is it?", "It is.", rows=None))
    page = assert_self_contained(render("T", "", [], TEMPLATE, cards=[card]))
    assert "It is." in page.text
    assert not [one for one in page.of("span") if one.get("class", "").startswith("thumb")]


def test_what_must_be_known_is_one_badge_that_opens_a_drawer(figure):
    items = [ReportItem.read("figure-1", figure)]
    unwanted = [("qrels <b>", "3 of 9 rows: other than worker w")]
    html = render(
        "T", "Simulated.", items, TEMPLATE, warnings=[("qrels <a>", "it has no row")],
        unwanted=unwanted, lacking=["answer <a>", "explorer of b"],
        failed=["score: <bad>", "see x.log"],
    )  # fmt: skip
    page = assert_self_contained(html)
    (badge,) = [one for one in page.of("button") if one.get("class", "").startswith("badge")]
    assert badge == {"type": "button", "class": "badge problem", "popovertarget": "notes"}
    assert {"id": "notes", "popover": "auto", "aria-label": "Notes"} in page.of("aside")
    text = " ".join(page.text.split())
    for shown in ("Incomplete: 5 notes", "Simulated.", "1 data warning", "qrels <a>: it has no row",
                  "1 set with excluded rows", "qrels <b>: 3 of 9 rows: other than worker w",
                  "score: <bad>see x.log", "2 items are missing", "explorer of b"):  # fmt: skip
        assert shown in text, shown
    without = Page(render("T", "", items, TEMPLATE))
    assert not [one for one in without.of("button") if "badge" in one.get("class", "")]
    assert without.of("aside") == []


def test_nothing_is_fetched_for_what_a_table_holds(tmp_path):
    path = tmp_path / "table.md"
    cells = ["![x](https://example.org/x.png)", "<img src='https://example.org/x.png'>"]
    write_markdown(pd.DataFrame({"docno": cells}), path, "T", "<script src='https://x'></script>")
    assert_self_contained(render("T", "", [ReportItem.read("table", path)], TEMPLATE))


def test_a_real_figure_is_fetched_from_nowhere(tmp_path):
    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label="τ")
    save(figure, tmp_path / "figure.svg", tmp_path / "figure.png")
    assert_self_contained(
        render("T", "", [ReportItem.read("f", tmp_path / "figure.svg")], TEMPLATE)
    )
    svg = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert not re.search(r'(?:href|src)="(?!#)', svg)
    assert "@import" not in svg


def test_every_caption_of_the_workflow(figure):
    """As one page of them all."""
    items = [ReportItem.read(f"{path.parent.name}-{path.stem}", figure, path) for path in CAPTIONS]
    text = " ".join(assert_self_contained(render("T", "", items, TEMPLATE)).text.split())
    for path, item in zip(CAPTIONS, items, strict=True):
        first_words = " ".join(path.read_text(encoding="utf-8").split()[:2])
        assert re.sub("[*`]", "", first_words) in text, path
        assert "system-message" not in item.caption, path
        assert "problematic" not in item.caption, path


def test_missing_files_are_named(tmp_path, figure, caption):
    absent = tmp_path / "absent"
    for read in (
        lambda: ReportItem.read("f", absent.with_suffix(".svg"), caption),
        lambda: ReportItem.read("t", absent.with_suffix(".md"), caption),
        lambda: ReportItem.read("f", figure, absent.with_suffix(".rst")),
        lambda: render("T", "", [], absent.with_suffix(".j2")),
    ):
        with pytest.raises(InputError, match=re.escape(str(absent))):
            read()


def test_neither_figure_nor_table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a\n")
    with pytest.raises(InputError, match=r"table\.csv: is neither a figure"):
        ReportItem.read("t", path)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("Fine.\n\n.. nonsense:: x\n", 3, '"nonsense"'),
        ("Fine.\n\nSome *emphasis without end\n", 3, "emphasis"),
        (".. include:: /etc/hostname\n", 1, "disabled"),
    ],
)
def test_a_caption_that_is_no_rst(figure, tmp_path, capsys, text, line, reason):
    path = tmp_path / "caption.rst"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"caption\.rst:{line}: .*{reason}"):
        ReportItem.read("f", figure, path)
    assert capsys.readouterr().err == ""


def test_a_caption_that_is_no_text(figure, tmp_path):
    path = tmp_path / "caption.rst"
    path.write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match=r"caption\.rst: "):
        ReportItem.read("f", figure, path)

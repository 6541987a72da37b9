"""The report page: complete in itself, with notes and captions, and what goes wrong."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from regrade import __version__
from regrade.answers.shape import Answer
from regrade.errors import InputError
from regrade.show.published import write_markdown
from regrade.show.report import MOST_OPEN, Card, ReportItem, render
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


def test_the_page(figure, table, caption):
    items = [
        ReportItem.read("audit", table),
        ReportItem.read("table-3", table, caption),
        ReportItem.read("figure-1", figure, caption),
    ]
    html = render("TREC <8>", "Judgments are simulated & seeded.", items, TEMPLATE)
    page = assert_self_contained(html)
    assert page.of("html")[0]["lang"] == "en"
    assert [link["href"] for link in page.of("a") if link["href"].startswith("#")] == [
        "#audit",
        "#table-3",
        "#figure-1",
    ]
    assert [section["id"] for section in page.of("section")] == ["audit", "table-3", "figure-1"]
    notes, simulated = '<p class="notes">', "Judgments are simulated & seeded."
    assert notes in html
    assert simulated in page.text
    assert page.text.index(simulated) < page.text.index("Table 3. α")
    assert page.text.count("TREC <8>") == 2  # title and heading
    assert __version__ in page.text
    assert page.text.count("Kendall's τ_b") == 2
    assert html.count('<div class="caption">') == 2
    assert render("TREC <8>", "Judgments are simulated & seeded.", items, TEMPLATE) == html


def test_the_page_begins_with_answers(tmp_path, figure):
    answer = Answer(
        "Where to cut S100 & levels?",
        "Cut S<100> at 3.",
        ("Its α is 0.5.",),
        ("No document has level 1.",),
        "By `trust`.",
        ("cuts/recommended",),
    )
    path = tmp_path / "answer.parquet"
    write_table(answer.to_frame(), path, "cuts/answer")
    assert Answer.read(path) == answer == Answer.of_frame(answer.to_frame())
    cards = [Card.read("cut-S100", "S100-to-2", path, figure)]
    items = [ReportItem.read("audit", figure, title="What was read")]
    items += [ReportItem.read("han2019-figure-1", figure, title="Figure 1. τ", group="han2019")]
    page = assert_self_contained(render("T", "", items, TEMPLATE, cards=cards))
    assert page.text.index("Cut S<100> at 3.") < page.text.rindex("What was read")
    assert "Where to cut S100 & levels?" in page.text
    assert "Every number is in the tables cuts/recommended." in page.text
    labels = [one["aria-label"] for one in page.of("div") if one.get("class") == "figure"]
    assert labels[0] == "Cut S<100> at 3."
    (term,) = [link for link in page.of("a") if link.get("class") == "term" and "α" in link["href"]]
    assert term["title"].startswith("Krippendorff's alpha")
    assert {"class": "noted"} in page.of("p")
    assert {"class": "group", "id": "of-han2019"} in page.of("details")
    links = [link["href"] for link in page.of("a") if link.get("class") != "term"]
    assert links == ["#answers", "#audit", "#of-han2019", "#han2019-figure-1"]
    assert "Figure 1. τ" in page.text


def test_many_answers_are_folded_under_a_table_of_their_verdicts(tmp_path):
    def cards(count):
        answers = [Answer(f"What of {n}?", f"It is {n}.") for n in range(count)]
        return [Card(f"a-{n}", "", answer) for n, answer in enumerate(answers)]

    items = [ReportItem("audit", "", "")]
    for count, is_open in ((MOST_OPEN, True), (MOST_OPEN + 1, False)):
        page = assert_self_contained(render("T", "", items, TEMPLATE, cards=cards(count)))
        folded = [one for one in page.of("details") if one["class"] == "answer"]
        assert len(folded) == count
        assert all(("open" in one) == is_open for one in folded)
        assert {"class": "verdicts"} in page.of("table")
        assert page.text.count("It is 3.") == 2
    assert not Page(render("T", "", items, TEMPLATE, cards=cards(1))).of("table")


def test_what_must_be_known_comes_first(figure):
    items = [ReportItem.read("figure-1", figure)]
    html = render("T", "", items, TEMPLATE, warnings=[("qrels <a>", "it has no row")])
    page = assert_self_contained(html)
    assert "1 warning of the import" in page.text
    assert page.text.index("qrels <a>: it has no row") < page.text.index("Figure 1")
    assert "warning" not in Page(render("T", "", items, TEMPLATE)).text.split("Made by")[0]


def test_rows_that_nobody_wants_are_told_before_any_result(figure):
    items = [ReportItem.read("figure-1", figure)]
    for count, said in ((1, "rows of 1 set (where)"), (9, "rows of 9 sets (where)")):
        unwanted = [(f"qrels <{n}>", "3 of 9 rows: other than worker w") for n in range(count)]
        page = assert_self_contained(render("T", "", items, TEMPLATE, unwanted=unwanted))
        assert page.text.index(said) < page.text.index("qrels <0>: 3 of 9 rows: other than")
        assert page.text.index("qrels <0>") < page.text.index("Figure 1")
        (box,) = [one for one in page.of("details") if one.get("id") == "unwanted"]
        assert ("open" in box) == (count == 1)
    assert "(where)" not in Page(render("T", "", items, TEMPLATE)).text


def test_what_is_lacking_is_told_with_why(figure):
    items = [ReportItem.read("figure-1", figure)]
    for lacking, said in (
        (["answer <a>"], "1 item is not on it"),
        (["by hand: a", "b"], "2 items are not"),
    ):
        html = render(
            "T", "", items, TEMPLATE, lacking=lacking, failed=["score: <bad>", "see x.log"]
        )
        page = assert_self_contained(html)
        assert "score: <bad>see x.log" in page.text.replace("\n", "")
        assert page.text.index(said) < page.text.index(lacking[0]) < page.text.index("Figure 1")
    assert "not whole" not in Page(render("T", "", items, TEMPLATE)).text


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

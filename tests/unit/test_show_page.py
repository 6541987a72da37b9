"""The page in a browser: what it draws is what it holds; keyboard, colours, widths, paper."""

import itertools
import os
import re
import zlib
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from regrade.answers.shape import LOOK, Answer
from regrade.audit.overview import Tile
from regrade.evaluations.page_figures import pictures
from regrade.ranking.explorer_page import packed_rankings
from regrade.show import style
from regrade.show.published import write_markdown
from regrade.show.report import DATA, Card, ReportItem, figure_html, render
from regrade.topic_analysis.page_documents import AnalysedTopics, packed_documents
from tests.unit.test_ranking_explorer_page import made, made_of
from tests.unit.test_show_explorer import (  # noqa: F401 (two are fixtures)
    Made,
    browser,
    nothing_said,
    settled,
    visit,
    window,
    work_until_seen,
)
from tests.unit.test_show_report import SVG, TEMPLATE, leaderboard


def documents_of(systems, scores, depth=5, seed=3):
    """An analysis of the topics of a ranking: twelve documents of each, in an order of each
    system, some of them labelled.
    """
    rng, rows, ranks = np.random.default_rng(seed), [], []
    names = systems["system"].drop_duplicates().astype(str).tolist()
    for topic in sorted(set(scores["topic"].astype(str))):
        placed = {}
        for system in names:
            for rank, docno in enumerate(rng.permutation(12)[:depth], 1):
                placed.setdefault(f"{topic}-d{docno}", []).append((rank, system))
        grades = rng.choice([0, 1, 2, np.nan], (len(placed), 2))
        ordered = sorted(placed, key=lambda docno: (-len(placed[docno]), min(placed[docno]), docno))
        for docno, grade in zip(ordered, grades, strict=True):
            rows.append((topic, docno, *grade, min(placed[docno])[0], len(placed[docno])))
            ranks += [(topic, docno, system, rank) for rank, system in sorted(placed[docno])]
    keys = ["topic", "docno"]
    facts = [("*", "depth", depth, ""), ("*", "second labels", np.nan, "model")]
    return AnalysedTopics(
        "NIST",
        pd.DataFrame(facts, columns=["measure", "quantity", "value", "note"]),
        pd.DataFrame({"system": names}),
        pd.DataFrame(rows, columns=[*keys, "first_grade", "second_grade", "best_rank", "runs"]),
        pd.DataFrame(ranks, columns=[*keys, "system", "rank"]),
    )


CELLS = pd.DataFrame({
    "system": ["a<b>", "b", "c", "d"],
    "AP": ["0.20", "1,000.5", "", "−0.30"],
    "said": ["two", "one", "10", "9"],
})  # fmt: skip

RANKING = replace(made(30, 12, name="NIST"), qrels="NIST")
DOCUMENTS = documents_of(RANKING.systems, RANKING.scores)
BIAS = pd.DataFrame({"grade": range(4), "documents": 9, "topics": 5, "difference": [1, 0, 0, -1],
                     "low": -0.5, "high": 0.5})  # fmt: skip
COUNTS = [(first, second, 9 - 2 * abs(first - second)) for first in range(4) for second in range(4)]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page with something of everything but sweeps."""
    folder = tmp_path_factory.mktemp("page")
    write_markdown(CELLS, folder / "table.md", "Systems", "")
    (folder / "figure.svg").write_text(SVG, encoding="utf-8")
    dots = style.new_figure(3, 2)
    style.dots(dots.add_subplot(), [1, 2], [2, 1], ["a<b>", "sys & co"], color="#0072B2", ms=9)
    style.save(dots, folder / "dots.svg")
    items = [
        ReportItem.read("s-figure-1", folder / "figure.svg", title="Figure 1", group="study"),
        ReportItem.read("s-dots", folder / "dots.svg", title="Dots", group="study"),
        ReportItem.read("s-table-1", folder / "table.md", title="Table 1", group="study"),
        ReportItem.read("audit", folder / "table.md", section=DATA),
    ]
    drawn, glyphs = figure_html(folder / "dots.svg", "dots", "Dots go down.")
    confusion = pd.DataFrame(COUNTS, columns=["first_grade", "second_grade", "documents"])
    means = RANKING.systems[RANKING.systems["measure"] == "AP"]
    systems = pd.DataFrame({"measure": "AP", "system": means["system"], "first": means["mean"],
                            "second": means["mean"].to_numpy()[::-1]})  # fmt: skip
    ranked = Answer("Which is best?", "s0 is (MCB).", "2 of 30 systems may be best", LOOK,
                    leaderboard(30), ("Of 435 pairs 3 differ.",), ("Note this.",),
                    "Systems were ranked by mean AP.", ("ranking/systems",))  # fmt: skip
    cut = Answer("Where to cut?", "x" * 300 + " at 3, 5.", method="By `trust`.")
    alike = Answer(
        "Would other labels change it?", "No: τ_b is 0.94.", "τ_b 0.94", method="By τ_b."
    )
    cards = [
        Card("ranking-NIST", "NIST", ranked, drawn, "<p>Dots.</p>", glyphs=glyphs),
        Card("compare", "", alike, section="Labels",
             pictures=pictures("compare", "NIST", "model", confusion, BIAS, systems)),
        Card("cut", "S100", cut, drawn, "<p>Dots again.</p>", section="Choices"),
    ]  # fmt: skip
    shares = tuple((str(grade), 0.25) for grade in range(4))
    html = render(
        "A collection", "Simulated, not real: runs.", items, TEMPLATE,
        {"S11: S100 into 3 levels": Made(3).data}, cards,
        warnings=[("qrels N", "it has no row")],
        rankings=packed_rankings([RANKING], ["NIST"]), documents=packed_documents([DOCUMENTS]),
        tiles=[Tile("30", "systems"), Tile("4,423", "labels (NIST)", "5 further sets", shares)],
    )  # fmt: skip
    path = folder / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture
def opened(window, page_file):  # noqa: F811
    """Open the page; nothing goes wrong, and nothing is asked of elsewhere."""
    with nothing_said(window):
        yield lambda *address, **size: settled(visit(window, page_file, *address, **size))


@pytest.fixture
def expect():
    """Playwright's, which waits until something is so."""
    return pytest.importorskip("playwright.sync_api").expect


def test_tables_sort_by_numbers_and_by_words(opened, expect):
    page = opened("#audit")
    button = page.locator("#audit th button")
    column = "#audit tbody td:nth-child({})".format
    button.nth(1).click()
    expect(page.locator(column(2))).to_have_text(["−0.30", "0.20", "1,000.5", ""])
    button.nth(1).click()
    expect(page.locator(column(2))).to_have_text(["1,000.5", "0.20", "−0.30", ""])
    expect(page.locator("#audit th").nth(1)).to_have_attribute("aria-sort", "descending")
    button.nth(2).click()
    expect(page.locator(column(3))).to_have_text(["9", "10", "one", "two"])
    button.nth(0).click()
    expect(page.locator(column(1))).to_have_text(["a<b>", "b", "c", "d"])


def test_all_systems_sort_by_their_estimates(opened, expect):
    page = opened("#systems")
    names = page.locator("#answer-ranking-NIST tbody td:nth-child(2)")
    expect(names).to_have_count(30)
    page.locator("#answer-ranking-NIST th button", has_text="AP").click()
    expect(names).to_have_text([f"s<{i}>" for i in reversed(range(30))])


# pictures


def test_no_picture_is_folded_and_those_of_findings_are_seen_first(opened):
    page = opened()
    page.wait_for_function("document.querySelector('.thumb[data-of]').shadowRoot !== null")
    assert page.locator("#overview svg.forest circle").count() == 20
    assert page.locator("details:not(.save)").count() == 0
    for figure in ("#overview .forest", ".findings .thumb >> nth=1", "#topics svg",
                   "#pairs svg", "#compare-x, #labels svg.own >> nth=0"):  # fmt: skip
        page.locator(figure).first.scroll_into_view_if_needed()
        box = page.locator(figure).first.bounding_box()
        assert box["width"] > 100 and box["height"] > 60


def test_figures_enlarge(opened, expect):
    page = opened("#s-figure-1")
    page.locator("#s-figure-1 .figure svg").wait_for(state="attached")
    page.locator("#s-figure-1 .figure").press("Enter")
    expect(page.locator("dialog[open] svg")).to_have_count(1)
    expect(page.locator("dialog")).to_have_attribute("aria-label", "Figure 1")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.locator("#s-figure-1 .figure").click()
    page.locator("dialog").click()
    expect(page.locator("dialog[open]")).to_have_count(0)


def save(page, where, action):
    """The file that an entry of a figure's menu gives."""
    page.locator(where).scroll_into_view_if_needed()
    page.locator(f"{where} .save summary").first.click()
    with page.expect_download() as download:
        page.locator(f"{where} .save[open] button", has_text=action).click()
    return download.value.suggested_filename, download.value.path()


def test_figures_are_saved(opened):
    page = opened("#s-figure-1")
    page.locator("#s-figure-1 .figure svg").wait_for(state="attached")
    name, path = save(page, "#s-figure-1", "SVG")
    assert (name, path.read_text(encoding="utf-8")) == ("s-figure-1.svg", SVG)
    name, path = save(page, "#s-dots", "PNG")
    assert name == "s-dots.png" and path.read_bytes().startswith(b"\x89PNG")


OWN = ("figure[data-name=leaderboard]", "#pairs figure", "figure[data-name=topics]",
       "figure[data-name=compare-systems]")  # fmt: skip


@pytest.mark.parametrize("where", OWN)
def test_pictures_of_the_page_itself_are_saved_in_its_colours(opened, where):
    page = opened(color_scheme="dark")
    _, path = save(page, where, "SVG")
    svg = path.read_text(encoding="utf-8")
    assert "var(" not in svg and "background: rgb(20, 24, 29)" in svg
    _, path = save(page, where, "PNG")
    assert len(path.read_bytes()) > 5000
    name, path = save(page, where, "CSV")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert name.endswith(".csv") and len(lines) in (13, 31)


def parts_of_pdf(data):
    """The objects of a PDF, each where its cross-reference says, streams inflated."""
    start = int(data.rsplit(b"startxref", 1)[1].split()[0])
    lines = data[start:].splitlines()
    assert data.startswith(b"%PDF-1.5") and lines[0] == b"xref"
    count = int(lines[1].split()[1])
    found = []
    for number, line in enumerate(lines[3 : 2 + count], 1):
        at = int(line.split()[0])
        assert data[at:].startswith(b"%d 0 obj\n" % number)
        head, _, rest = data[at:].partition(b"stream\n")
        length = re.search(rb"/Length (\d+)", head)
        is_stream = length and b"endobj" not in head
        found.append(zlib.decompress(rest[: int(length[1])]) if is_stream else head)
    return found


PDFS = (*OWN, "#documents figure", "#answer-ranking-NIST", "#s-dots",
        "figure[data-name=compare-bias]", "figure[data-name=compare-confusion]")  # fmt: skip


@pytest.mark.parametrize("where", PDFS)
def test_pictures_are_saved_as_pdf(opened, where):
    """Each object is where the file says, names are text, and it looks as the picture does."""
    page = opened("#s-dots" if where == "#s-dots" else "")
    name, path = save(page, where, "PDF")
    parts = parts_of_pdf(path.read_bytes())
    content = parts[3].decode("ascii")
    assert name.endswith(".pdf") and b"/Catalog" in parts[0]
    steps = content.split("\n")
    assert sum(one.split(" ")[0] == "q" for one in steps) == sum(one.endswith("Q") for one in steps)
    pdfium = pytest.importorskip("pypdfium2")
    sheet = pdfium.PdfDocument(path)[0]
    if where == OWN[0]:
        said = sheet.get_textpage().get_text_range()
        assert "s<0>" in said and "AP (95% CI)" in said
    picture = page.locator(f"{where} svg").first
    page.add_style_tag(content=".save, .menu, .said-here { visibility: hidden; }")
    shown = Image.open(BytesIO(picture.screenshot())).convert("L")
    drawn = sheet.render(scale=shown.width / sheet.get_width()).to_pil().convert("L")
    small = [
        np.asarray(one.resize((60, 40), Image.Resampling.BOX), float) for one in (shown, drawn)
    ]
    assert np.corrcoef(*(one.ravel() for one in small))[0, 1] > 0.9


def test_tables_captions_and_methods_are_copied(opened, window):  # noqa: F811
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened("#answer-ranking-NIST")
    for action, copied in (
        ("Copy caption", "Dots."),
        ("Copy method", "Systems were ranked by mean AP. Computed with regrade"),
    ):
        page.locator("#answer-ranking-NIST figure .save summary").click()
        page.locator("#answer-ranking-NIST figure .save button", has_text=action).click()
        page.wait_for_function("!document.querySelector('.save[open]')")
        assert page.evaluate("navigator.clipboard.readText()").startswith(copied)
    name, path = save(page, "#answer-ranking-NIST .listed", "LaTeX")
    assert name == "ranking-NIST.tex" and r"\toprule" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("where", ["#answer-ranking-NIST .figure", "#s-dots .figure"])
def test_a_point_has_its_name_where_the_pointer_rests(opened, where):
    """Whether the figure is there at once or drawn when it comes into view."""
    page = opened("#s-dots")
    page.locator(where).first.scroll_into_view_if_needed()
    page.locator(f"{where} svg").wait_for(state="attached")
    names = page.evaluate("""async (where) => {
      const frame = document.querySelector(where);
      frame.scrollIntoView();
      for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
      return [...frame.shadowRoot.querySelectorAll("title")].map((title) => {
        const box = title.parentElement.getBoundingClientRect();
        const middle = [box.x + box.width / 2, box.y + box.height / 2];
        const hit = frame.shadowRoot.elementFromPoint(...middle);
        return [title.textContent, title.parentElement.contains(hit)];
      });
    }""", where)  # fmt: skip
    assert names == [["a<b>", True], ["sys & co", True]]


# two systems, and all topics


EVERY_PAIR = """async () => {
  const shown = await document.getElementById("rankings").shown;
  const found = [];
  for (let a = 0; a < 4; a++) {
    for (let b = 0; b < 4; b++) {
      if (a === b) continue;
      shown.pair = [a, b];
      shown.showPair();
      const cells = [...document.querySelectorAll("#pairs tbody td")].map((cell) => cell.textContent);
      found.push([shown.of.systems[a], shown.of.systems[b], cells, shown.differences.map((one) => [one.topic, one.difference])]);
    }
  }
  return found;
}"""  # noqa: E501


def test_any_two_systems_are_compared_by_the_numbers_of_the_tables(opened):
    page = opened("#pairs")
    pairs = RANKING.pairs[RANKING.pairs["measure"].astype(str) == "AP"]
    of = {(str(row.system), str(row.other)): row for row in pairs.itertuples()}
    scores = RANKING.scores[RANKING.scores["measure"].astype(str) == "AP"]
    wide = scores.pivot(index="topic", columns="system", values="value")
    for a, b, (delta, own, effect, corrected, stepdown, outcomes), differences in page.evaluate(
        EVERY_PAIR
    ):
        row, sign = (of[a, b], 1) if (a, b) in of else (of[b, a], -1)
        ends = sorted([sign * row.low, sign * row.high])
        shown = f"{sign * row.difference:+.3f} ({ends[0]:.3f} to {ends[1]:.3f})".replace("-", "−")
        assert delta == shown
        assert effect == f"{sign * row.effect:.2f}".replace("-", "−")
        for text, value in (
            (own, row.p_interval),
            (corrected, row.p_corrected),
            (stepdown, row.p_adjusted),
        ):
            assert text == ("<0.001" if value < 0.001 else f"{value:.{3 if value < 0.1 else 2}f}")
        expected = (wide[a] - wide[b]).sort_values(ascending=False)
        assert [topic for topic, _ in differences] == expected.index.tolist()
        assert [value for _, value in differences] == pytest.approx(expected.tolist(), abs=1e-6)
        wins, losses = (expected > 0).sum(), (expected < 0).sum()
        assert outcomes == f"{wins} / {len(expected) - wins - losses} / {losses}"


def test_systems_are_chosen_by_keyboard_and_by_measure(opened, expect):
    page = opened("#pairs")
    verdict, second = page.locator("#pairs .verdict"), page.locator("#pairs select").nth(2)
    second.focus()
    page.keyboard.press("ArrowDown")
    names = page.locator("#pairs select").nth(1).locator("option").all_inner_texts()
    expect(second.locator("option:checked")).to_have_text(names[2])
    expect(verdict).to_contain_text(re.compile(r"^Δ = \+"))
    page.locator("#pairs select").nth(0).select_option(label="P@5, NIST")
    expect(verdict).to_contain_text(" P@5 (95% CI")
    page.locator("#pairs select").nth(2).select_option(index=0)
    expect(verdict).to_have_text("Choose two different systems.")


def test_runs_that_are_the_same_are_said_to_be(window, tmp_path, expect):  # noqa: F811
    values = np.random.default_rng(1).random((3, 9, 1))
    values[1] = values[0] = values[:2].max(axis=0)
    path = tmp_path / "same.html"
    cards = [Card("ranking-N", "N", Answer("?", "It is."))]
    path.write_text(
        render("T", "", [], TEMPLATE, cards=cards, rankings=packed_rankings([made_of(values)])),
        encoding="utf-8",
    )
    with nothing_said(window):
        page = settled(visit(window, path, "#pairs"))
        other = page.locator("#pairs select").nth(1)
        expect(other.locator("option:checked")).to_have_text("s2")
        other.select_option(label="s1")
        verdict = page.locator("#pairs .verdict")
        expect(verdict).to_have_text("s0 and s1 have the same AP on every topic.")


def test_without_pairs_the_page_says_so(window, tmp_path, expect):  # noqa: F811
    path = tmp_path / "many.html"
    bare = packed_rankings([replace(RANKING, pairs=None)])
    cards = [Card("ranking-N", "N", Answer("?", "It is."))]
    path.write_text(render("T", "", [], TEMPLATE, cards=cards, rankings=bare), encoding="utf-8")
    with nothing_said(window):
        page = settled(visit(window, path, "#pairs"))
        said = re.compile("^This page holds no tests of pairs: there are 30 systems")
        expect(page.locator("#pairs .verdict")).to_contain_text(said)
        expect(page.locator("#topics image")).to_have_count(1)


def test_topics_and_systems_are_sorted(opened):
    page = opened("#topics")
    order = """async () => {
      const shown = await document.getElementById("rankings").shown;
      return [shown.systems.map((s) => shown.of.systems[s]), shown.topics.map((t) => shown.of.topics[t])];
    }"""  # noqa: E501
    scores = RANKING.scores[RANKING.scores["measure"].astype(str) == "AP"]
    wide = scores.pivot(index="system", columns="topic", values="value")
    systems, topics = page.evaluate(order)
    assert systems == wide.mean(axis=1).sort_values(ascending=False).index.tolist()
    assert topics == wide.std().sort_values(ascending=False).index.tolist()
    by_topic, by_system = (page.locator("#topics select").nth(at) for at in (1, 2))
    by_topic.select_option(label="topic t7")
    assert page.evaluate(order)[0] == wide["t7"].sort_values(ascending=False).index.tolist()
    by_system.select_option(label="score of s3")
    assert page.evaluate(order)[1] == wide.loc["s3"].sort_values(ascending=False).index.tolist()
    by_system.select_option(label="mean over systems")
    assert page.evaluate(order)[1] == wide.mean().sort_values(ascending=False).index.tolist()
    picture, said = page.locator("#topics svg").first, page.locator("#topics .said-here").first
    picture.hover(position={"x": picture.bounding_box()["width"] / 2, "y": 40})
    said.wait_for()
    system, topic, value = said.inner_text().replace(":", ",").split(", ")
    assert float(value) == pytest.approx(wide.loc[system, topic.removeprefix("topic ")], abs=5.1e-4)


# documents


def documents_shown(page):
    """Heads and rows of the table of documents."""
    cells = "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    return page.locator("#documents table tr").evaluate_all(cells)


def grade(value):
    return "–" if np.isnan(value) else f"{value:g}"


def test_a_topics_documents_are_listed_with_labels_and_ranks(opened, expect):
    page = opened("#documents")
    retrieved, ranks = DOCUMENTS.retrieved, DOCUMENTS.ranks
    for topic in ("t0", "t7"):
        page.locator("#documents select").nth(0).select_option(label=topic)
        heads, *rows = documents_shown(page)
        assert heads == ["document", "NIST", "model", "systems", "best rank"]
        assert rows == [
            [row.docno, grade(row.first_grade), grade(row.second_grade), str(row.runs),
             str(row.best_rank)]
            for row in retrieved[retrieved["topic"] == topic].itertuples()
        ]  # fmt: skip
    page.locator("#documents select").nth(1).select_option(label="s3")
    heads, *rows = documents_shown(page)
    of = ranks[(ranks["topic"] == "t7") & (ranks["system"] == "s3")].sort_values("rank")
    assert heads[:2] == ["rank", "document"]
    assert [row[:2] for row in rows] == [[str(one.rank), one.docno] for one in of.itertuples()]
    page.locator("#documents td button").first.press("Enter")
    expect(page.locator("#documents .said")).to_contain_text(f"{rows[0][1]} (NIST ")
    said = page.locator("#documents .said").inner_text()
    first = ranks[(ranks["topic"] == "t7") & (ranks["docno"] == rows[0][1])]
    for rank, some in first.groupby("rank"):
        assert f"rank {rank}: {', '.join(some['system'])}" in said
    assert f"Not in the first 5 of {30 - len(first)} system" in said
    name, path = save(page, "#documents figure", "CSV")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert name == "documents.csv" and len(lines) == 1 + len(rows)
    assert lines[0].startswith("topic,docno,NIST,model,systems,best rank,s")


def test_a_cell_of_the_heat_map_leads_to_its_documents(opened):
    page = opened("#topics")
    picture, said = page.locator("#topics svg").first, page.locator("#topics .said-here").first
    place = {"x": picture.bounding_box()["width"] / 2, "y": 60}
    picture.hover(position=place)
    said.wait_for()
    system, topic = said.inner_text().split(":")[0].split(", ")
    picture.click(position=place)
    page.wait_for_function(
        "chosen => [...document.querySelectorAll('#documents select')].map((one) => one.value)"
        ".join() === chosen",
        arg=f"{topic.removeprefix('topic ')},{system}",
    )
    page.wait_for_function(
        "Math.abs(document.getElementById('documents').getBoundingClientRect().top) < innerHeight"
    )


# the frame


STATES = list(itertools.product([1280, 400], ["light", "dark"]))

SEEN = {
    "overview": ("", ""),
    "notes": ("", ".badge"),
    "systems": ("#systems", ""),
    "pairs": ("#pairs", ""),
    "topics": ("#topics", ""),
    "documents": ("#documents", ""),
    "labels": ("#labels", ""),
    "thresholds": ("#explore-S11", ""),
    "saving": ("#answer-compare", "figure[data-name=compare-bias] summary"),
    "studies": ("#studies", ""),
}
"""The address of each of ten states, and what is clicked there."""

CLIPPED = """() => {
  const found = [];
  for (const svg of document.querySelectorAll("svg.own, .chart svg")) {
    if (svg.closest(".thumb") || !svg.checkVisibility()) continue;
    const holder = svg.getBoundingClientRect();
    if (!holder.width) continue;
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => text.getBoundingClientRect());
    boxes.forEach((box, i) => {
      const isOut = box.left < holder.left - 3 || box.right > holder.right + 3 || box.top < holder.top - 3 || box.bottom > holder.bottom + 3;
      if (isOut) found.push(["clipped", texts[i].textContent]);
      const isTurned = texts[i].hasAttribute("transform");
      for (let k = 0; k < i && !isTurned; k++) {
        if (texts[k].hasAttribute("transform")) continue;
        const across = Math.min(box.right, boxes[k].right) - Math.max(box.left, boxes[k].left);
        const up = Math.min(box.bottom, boxes[k].bottom) - Math.max(box.top, boxes[k].top);
        if (across > 2 && up > 4) found.push(["overlapping", texts[i].textContent, texts[k].textContent]);
      }
    });
    if (!svg.querySelector("rect:not(.hit), path, circle, line, image")) found.push(["empty", svg.getAttribute("aria-label")]);
  }
  return found;
}"""  # noqa: E501


@pytest.fixture
def screenshots(tmp_path):
    """Where screenshots are kept: `REGRADE_SCREENSHOTS`, or nowhere for long."""
    folder = Path(os.environ.get("REGRADE_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize(("width", "scheme"), STATES)
@pytest.mark.parametrize("state", SEEN)
def test_it_fits_the_screen(opened, screenshots, width, scheme, state):
    """Nothing is beyond the screen, cut off, empty or on top of something else."""
    address, clicked = SEEN[state]
    page = opened(address, width=width, color_scheme=scheme)
    if clicked:
        page.locator(clicked).first.click()
        settled(page)
    page.screenshot(path=screenshots / f"{state}-{width}-{scheme}.png")
    over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(over) <= 0
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    out = """() => [...document.querySelectorAll("main *:not(.skip)")].filter((part) => {
      const box = part.getBoundingClientRect();
      const holder = part.closest(".wide, .rows, .numbers, figure:has(> .figure), .thumb, .save, svg, [popover], .grades");
      return !holder && box.width && (box.right > innerWidth + 1 || box.left < -1);
    }).map((part) => part.outerHTML.slice(0, 80))"""  # noqa: E501
    assert page.evaluate(out) == []
    assert page.evaluate(CLIPPED) == []


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((c, i) => c * a + below[i] * (1 - a));
  const paper = (part) => {
    const below = part.parentElement ? paper(part.parentElement) : [255, 255, 255];
    return over(rgba(getComputedStyle(part).backgroundColor), below);
  };
  const light = (colour) => colour.map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const found = [];
  for (const part of document.querySelectorAll("body *")) {
    const own = [...part.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !part.checkVisibility() || part.closest("script, style, noscript, title")) continue;
    const look = getComputedStyle(part);
    const cell = part.closest(".cell")?.querySelector("rect");
    const below = cell ? over(rgba(getComputedStyle(cell).fill), paper(part.closest("svg"))) : paper(part.closest("svg") ?? part);
    const ink = over(rgba(part.closest("svg") ? look.fill : look.color), below);
    const value = contrast(ink, below);
    if (value < 4.5) found.push([part.outerHTML.slice(0, 90), value]);
  }
  return found;
}"""  # noqa: E501


@pytest.mark.parametrize(("width", "scheme"), STATES)
def test_texts_are_told_from_what_is_behind_them(opened, width, scheme):
    page = opened(width=width, color_scheme=scheme)
    page.locator(".badge").click()
    settled(page)
    assert page.evaluate(CONTRAST) == []


NAMED = """() => {
  const name = (part) => (part.getAttribute("aria-label") || part.labels?.[0]?.firstChild.textContent || part.title || part.textContent).trim();
  const reached = "a[href], button, select, input, summary, [tabindex]";
  const parts = [...document.querySelectorAll(reached)].filter((part) => part.checkVisibility());
  return { nameless: parts.filter((part) => !name(part)).map((part) => part.outerHTML.slice(0, 80)),
    unreached: parts.filter((part) => part.tabIndex < 0).map((part) => part.outerHTML.slice(0, 80)),
    pictures: [...document.querySelectorAll("svg, [role=img]")].filter((part) => !part.closest(".thumb") && !part.getAttribute("aria-label")).length,
    ids: [...document.querySelectorAll("[id]")].map((part) => part.id) };
}"""  # noqa: E501


AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (400, "light")])
def test_axe_has_no_serious_finding(opened, width, scheme):
    """By axe-core's rules for WCAG 2.1 AA and good practice, with all sections laid out."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = opened(width=width, color_scheme=scheme)
    page.add_style_tag(content="article { content-visibility: visible !important; }")
    page.locator(".badge").click()
    settled(page)
    with_notes = axe.run(page, options={"runOnly": AXE_RULES}).response["violations"]
    page.keyboard.press("Escape")
    page.locator("#answer-ranking-NIST .save summary").first.click()
    found = with_notes + axe.run(page, options={"runOnly": AXE_RULES}).response["violations"]
    serious = [(one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in found
               if one["impact"] in ("serious", "critical")]  # fmt: skip
    assert serious == []


@pytest.mark.parametrize("width", [1280, 400])
def test_everything_is_reached_by_keyboard_and_has_a_name(opened, width):
    page = opened(width=width)
    found = page.evaluate(NAMED)
    assert found["nameless"] == found["unreached"] == []
    assert found["pictures"] == 0
    assert len(found["ids"]) == len(set(found["ids"]))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the findings"
    seen = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
        outlined = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outlined) != "none"
    assert len(seen) == 12


def test_notes_and_contents_open_and_close_by_keyboard(opened, expect):
    page = opened(width=400)
    notes, contents = page.locator("#notes"), page.locator("#contents")
    expect(notes).to_be_hidden()
    page.locator(".badge").press("Enter")
    expect(notes).to_be_visible()
    expect(notes).to_contain_text("it has no row")
    page.keyboard.press("Escape")
    expect(notes).to_be_hidden()
    expect(contents).to_be_hidden()
    page.locator(".menu").press("Enter")
    expect(contents).to_be_visible()
    page.locator("#contents a", has_text="Topics").press("Enter")
    expect(contents).to_be_hidden()
    page.wait_for_function("location.hash === '#topics' && scrollY > 900")


def test_the_theme_is_switched_and_kept(opened, expect):
    page = opened(color_scheme="light")
    paper = page.locator("body")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark colours").press("Enter")
    expect(paper).not_to_have_css("background-color", light)
    page.reload()
    expect(paper).not_to_have_css("background-color", light)
    page.get_by_role("button", name="Light colours").click()
    expect(paper).to_have_css("background-color", light)
    page.evaluate("localStorage.clear()")


@pytest.mark.parametrize("width", [700, 1280])
def test_nothing_is_cut_off_in_print(opened, expect, width):
    page = opened("#audit", width)
    page.emulate_media(media="print")
    over = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(over) <= 0
    hides = """boxes => boxes.filter((box) => getComputedStyle(box).overflowX != "visible"
        && box.scrollWidth > box.clientWidth).length"""
    assert page.locator(".wide").evaluate_all(hides) == 0
    expect(page.locator("#contents")).to_be_hidden()


def test_figures_are_drawn_for_print_without_being_seen(opened):
    page = opened()
    assert page.evaluate("document.querySelector('#s-dots .figure').shadowRoot") is None
    page.wait_for_function("""() => {
      window.dispatchEvent(new Event("beforeprint"));
      return document.querySelector("#s-dots .figure").shadowRoot !== null;
    }""")


def test_something_is_seen_within_half_a_second(browser, window, page_file):  # noqa: F811
    """Of the page's own thread: what else the machine does in the meantime does not count."""
    with nothing_said(window):
        assert work_until_seen(browser, window, page_file) < 500

"""The pages are easy to read: short lines, short paragraphs, one thought a sentence.

Tables and blocks of code are not prose; a word that is longer than a line, and a picture with its
description, stay whole.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

PROJECT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(PROJECT).as_posix()
    for path in (*PROJECT.glob("*.md"), *PROJECT.glob("*/*.md"), *PROJECT.glob("docs/*/*.md"))
    if not path.relative_to(PROJECT).parts[0].startswith((".", "build"))
)
LINE, PARAGRAPH, CLAUSE, BEGINNING = 100, 6, 46, 15
MARKDOWN = MarkdownIt("commonmark").enable("table")


def paragraphs(page: str) -> list[tuple[int, list[str]]]:
    """The paragraphs of a page, those of lists and quotations too: first line's number, lines."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    lines = text.splitlines()
    found = (token.map for token in MARKDOWN.parse(text) if token.type == "paragraph_open")
    return [(start + 1, lines[start:stop]) for start, stop in found]


def faults(page: str) -> Iterator[str]:
    """What of a page is hard to read, each with its line."""
    for start, lines in paragraphs(page):
        for number, line in enumerate(lines, start):
            if len(line) > LINE and " " in line.strip(" ->") and not line.startswith("!["):
                yield f"{page}:{number}: {len(line)} characters"
        if len(lines) > PARAGRAPH:
            yield f"{page}:{start}: a paragraph of {len(lines)} lines"
        formulas = lines[0].startswith(">") and "<br>" in lines[0]
        for clause in [] if formulas else re.split(r"(?<=[.!?:;])\s+", " ".join(lines)):
            if len(clause.split()) > CLAUSE:
                yield f"{page}:{start}: {len(clause.split())} words: {clause[:60]} …"


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_easy_to_read(page):
    assert not list(faults(page))


def test_rows_are_part_of_their_table():
    """A blank line within a table makes text of the rest."""
    for page in PAGES:
        for start, lines in paragraphs(page):
            assert not lines[0].startswith("| "), f"{page}:{start}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/methods/")])
def test_methods_begin_with_their_question_and_what_was_open(page):
    before, heading, _ = (PROJECT / page).read_text(encoding="utf-8").partition("\n## ")
    assert heading
    beginning, example, _ = before.partition("\n```python\n>>> ")
    prose = beginning.split("\n\n", 1)[1]
    assert len(prose.splitlines()) <= BEGINNING
    asked = re.search(r"^\*\*Question\.\*\* .*?^$", prose, re.DOTALL | re.MULTILINE)
    assert asked and "?" in asked[0]
    assert re.search(r"^\*\*(Left open|Chosen here)", prose, re.MULTILINE)
    assert example


@pytest.mark.parametrize("name", ["estimate", "judges", "sweep"])
def test_results_are_short_papers(name):
    """Question, data, findings, limits, and the commands that make every number, in this order."""
    page = (PROJECT / "docs" / f"results-{name}.md").read_text(encoding="utf-8")
    parts = ["**Question.**", "**Data and methods.**", "## What to believe", "## Limits"]
    places = [page.find(part) for part in [*parts, "## Made by\n\n```sh\n"]]
    assert -1 not in places and places == sorted(places)


def anchors(path: Path) -> set[str]:
    """The headings of a page, as links name them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = (line.lstrip("# ").lower() for line in lines if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """`make docs` finds this too, and takes a minute."""
    for link in re.findall(r"\]\(([^)\s]+)\)", (PROJECT / page).read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = ((PROJECT / page).parent / path).resolve() if path else PROJECT / page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_on_the_site():
    listed = (PROJECT / "docs" / "index.rst").read_text(encoding="utf-8").split()
    everywhere = [name[:-1] for name in listed if name.endswith("*")]
    for page in PAGES:
        name = page.removeprefix("docs/").removesuffix(".md")
        if page.startswith("docs/") and not name.startswith(tuple(everywhere)):
            assert name in listed, page

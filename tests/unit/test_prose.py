"""Links of the pages lead somewhere, and every page is on the site."""

import re
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(PROJECT).as_posix()
    for path in (*PROJECT.glob("*.md"), *PROJECT.glob("*/*.md"), *PROJECT.glob("docs/*/*.md"))
    if not path.relative_to(PROJECT).parts[0].startswith((".", "build"))
)


def anchors(path: Path) -> set[str]:
    """The headings of a page, as links name them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = (line.lstrip("# ").lower() for line in lines if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


def test_links_lead_somewhere():
    """`make docs` finds this too, and takes a minute."""
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s]+)\)", (PROJECT / page).read_text(encoding="utf-8")):
            if link.startswith("http"):
                continue
            path, _, anchor = link.partition("#")
            target = ((PROJECT / page).parent / path).resolve() if path else PROJECT / page
            assert target.exists(), (page, link)
            assert not anchor or anchor in anchors(target), (page, link)


def test_every_page_is_on_the_site():
    listed = (PROJECT / "docs" / "index.rst").read_text(encoding="utf-8").split()
    everywhere = [name[:-1] for name in listed if name.endswith("*")]
    for page in PAGES:
        name = page.removeprefix("docs/").removesuffix(".md")
        if page.startswith("docs/") and not name.startswith(tuple(everywhere)):
            assert name in listed, page

"""Names in tables for reading: what Markdown or HTML would take for its own."""

import pandas as pd
from markdown_it import MarkdownIt

from regrade.show.published import write_markdown


def test_bars_and_tags_in_names_are_shown_as_they_are(tmp_path):
    names = ["a|b", "<b>bold</b>", "<!-- gone", "x < 4", "<img src=x onerror=alert(1)>"]
    write_markdown(pd.DataFrame({"name": names, "n": 1}), tmp_path / "t.md", "A table", "")
    page = MarkdownIt("commonmark").enable("table").render((tmp_path / "t.md").read_text())
    assert "<img" not in page and "<b>" not in page and "<!--" not in page
    for shown in ("a|b", "&lt;b&gt;bold", "&lt;!-- gone", "x &lt; 4", "&lt;img src=x"):
        assert f">{shown}" in page

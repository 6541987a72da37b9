"""Figures of chapter 5 drawn from the collection of `pairs_made`: axes, n, and what is missing."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.style import save
from regrade.studies.yang2019 import pairs_figures
from regrade.studies.yang2019.pairs_items import PAIRS
from tests.each import others_slow
from tests.snapshots import assert_said
from tests.unit.figure_checks import assert_same_files, described, on_page, texts, words
from tests.unit.pairs_made import LABELS, SIGNIFICANCE, answers, made
from tests.unit.test_studies_yang2019_pairs_tables import VARIANTS

NOTES = "three systems, two topics"
FIGURES = [item for item in PAIRS if not item.is_table]
NAMES = [item.name for item in FIGURES]
SETTINGS = {"references": ["R"], "significance": SIGNIFICANCE}

COUNTED = re.compile(r"\d (documents?|systems?|pairs?|topics?|answers?|workers?|draws?)\b|n = \d")


def drawn(name, tables, **options):
    item = next(item for item in FIGURES if item.name == name)
    given = [tables[path.rpartition("/")[2]] for path in item.shows]
    settings = {key: SETTINGS[key] for key in item.settings if key in SETTINGS} | options
    module = import_module(item.module)
    figure = getattr(module, item.function)(*given, **settings)
    style.add_notes(figure, NOTES)
    return figure


@pytest.fixture(scope="module")
def tables():
    return made()


@pytest.fixture(scope="module")
def usual(tables):
    """Each figure as it is without options, drawn once."""
    return cache(lambda name: drawn(name, tables))


def panels(figure):
    return [axes for axes in figure.axes if axes.axison and axes.get_visible()]


def axes_at(figure, place=0):
    return panels(figure)[place]


def lines(axes):
    return [line for line in axes.get_lines() if len(line.get_xdata())]


def test_what_is_drawn(usual):
    assert_said(
        "figures-yang2019-pairs", lambda name: described(usual(name)), ((n,) for n in NAMES)
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_axes_are_named_and_every_panel_says_of_how_many(tmp_path, usual, name):
    figure = usual(name)
    assert on_page(figure)
    assert NOTES in words(figure)
    assert all(text.get_fontsize() >= style.FONT_SIZE for text in texts(figure))
    for axes in panels(figure):
        # a label of the row or column stands at its outer panel
        below = any(a.get_xlabel() for a in panels(figure) if a.get_position().x0 ==
                    pytest.approx(axes.get_position().x0, abs=0.02))  # fmt: skip
        beside = any(a.get_ylabel() for a in panels(figure))
        assert below and beside
    said = " | ".join(words(figure))
    assert len(COUNTED.findall(said)) >= len(panels(figure)), said
    save(figure, tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").stat().st_size > 1000


def test_5_18_counts_pairs_in_the_corners(tables):
    said = words(drawn("figure-5.18", tables, labels=["R", "frequency"]))
    assert {"TP 1", "FP 2", "FN 0", "TN 0"} <= set(said)
    assert not any("without p" in text for text in said)
    # of one topic all of them, which no corner's count says
    untold = {**tables, "quadrants": tables["quadrants"].assign(undefined=2)}
    said = words(drawn("figure-5.18", untold, labels=["R", "frequency"]))
    assert any("3 pairs, 2 without p, " in text for text in said)


def test_labels_and_topics_are_chosen(tables):
    figure = drawn("figure-5.6", tables, topics=["2"], labels=["absolute"])
    assert len(panels(figure)) == 1
    assert len(lines(axes_at(figure))) == 1
    with pytest.raises(ParameterError, match="there is no nobody"):
        drawn("figure-5.6", tables, labels=["nobody"])


@pytest.fixture(scope="module")
def twice():
    """The same tables, made twice."""
    return made(answers(), LABELS), made(answers(), LABELS)


@pytest.mark.parametrize("name", others_slow(["figure-5.5", "figure-5.11", "figure-5.18"]))
def test_the_same_tables_give_the_same_bytes(tmp_path, twice, name):
    each = iter(twice)
    assert_same_files(tmp_path, lambda: drawn(name, next(each)), "")


# --- edges ---------------------------------------------------------------------------------------

SAYS = {
    ("no scores", "figure-5.8"): "no numbers that express ratios",
    ("no question but the first", "figure-5.8"): "no numbers that express ratios",
    ("no question but the first", "figure-5.19"): "no two methods",
    ("no question but the first", "figure-5.20"): "no two methods",
    ("nobody known", "figure-5.12"): "no answer names its worker",
    ("nobody known", "figure-5.13"): "no answer names its worker",
    ("nobody known", "figure-5.14"): "no answer has a time",
    ("nobody known", "figure-5.15"): "no answer has a time",
}


# figures do not see that there were test questions, nor that all labels are the same; what others
# lack these three lack too
SEEN = ["one topic", "no question but the first", "nobody known", "one worker", "no ties"]
SEEN = others_slow([*SEEN, "no scores"])


@pytest.fixture(scope="module", params=SEEN)
def variant(request):
    return request.param, made(*VARIANTS[request.param]())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_drawn_or_says_why_not(variant, name):
    what, tables = variant
    if (what, name) in SAYS:
        with pytest.raises(ParameterError, match=SAYS[what, name]):
            drawn(name, tables)
        return
    figure = drawn(name, tables)
    assert on_page(figure)
    assert not any("nan" in text.lower() for text in words(figure))


@pytest.mark.parametrize("name", ["figure-5.18", "figure-5.19"])
def test_captions_say_where_smaller_p_stand(name):
    caption = Path(__file__).parents[2] / "workflow" / "report" / "yang2019" / f"{name}.rst"
    said = f"Values below {pairs_figures.P_FLOOR:g} are drawn at {pairs_figures.P_FLOOR:g}"
    assert said in " ".join(caption.read_text(encoding="utf-8").split())

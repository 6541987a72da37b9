"""The figures beneath the answers: they show what the tables hold."""

import itertools
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from regrade.answers.shape import Answer
from regrade.audit.figures import figure_workers
from regrade.catalogue import columns_of
from regrade.cutsearch.figures import figure_cut
from regrade.cutsearch.recommended_numbers import EQUAL
from regrade.evaluations.figures import figure_judges, figure_pair
from regrade.magnitudes.figures import GAIN_PROFILES, figure_magnitudes
from regrade.pools.figures import figure_pool
from regrade.power.figures import figure_pdp
from regrade.show.report import Card
from regrade.show.style import save
from regrade.tables import read_table, write_table
from regrade.tied_scores.figures import figure_ties
from regrade.uncertainty.figures import figure_unjudged
from tests.unit.figure_checks import all_in_view, laid_out, words
from tests.unit.test_answers import Made, trusted


def named(figure, tmp_path):
    """The names that the figure gives what it draws."""
    save(figure, tmp_path / "figure.svg")
    root = ElementTree.parse(tmp_path / "figure.svg")
    return [found.text for found in root.iter("{http://www.w3.org/2000/svg}title")]


def systems(count, beside=EQUAL, measure="AP"):
    rng = np.random.default_rng(count)
    first, second = (rng.permutation(count) + 1 for _ in range(2))
    return pd.DataFrame({
        "beside": beside, "measure": measure, "system": [f"s<{i}>" for i in range(count)],
        "first_rank": first, "second_rank": second, "move": first - second,
    })  # fmt: skip


def numbers(trust=None, levels=3):
    made = Made(levels)
    asked = trusted(made, [0.1, 0.2, 0.3]) if trust else None
    return made, made.numbers(asked)


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize("count", [0, 2, 3, 129])
def test_the_cut_is_drawn(tmp_path, trust, levels, count):
    if trust and levels != 3:
        pytest.skip("the tables of trust here are of three levels")
    _, found = numbers(trust, levels)
    write_table(found, tmp_path / "recommended.parquet", "cuts/recommended")
    found = read_table(tmp_path / "recommended.parquet").to_pandas()
    table = systems(count) if count else pd.DataFrame(columns=systems(1).columns)
    figure = figure_cut(found, table, "S11", "AP")
    said = named(figure, tmp_path)
    bars = [text for text in said if text.startswith(("optimum", "equal widths"))]
    assert len(bars) == 4 * levels
    moved = [text for text in said if text.startswith("s<")]
    assert len(set(moved)) == (count if count > 2 else 0)  # fewer are read in words
    sure = {text for text in said if text.startswith("threshold")}
    assert len(sure) == bool(trust)  # c1 alone has an interval there
    documents = found[found["quantity"] == "documents"]["value"]
    shares = [text.rpartition(" ")[2] for text in bars[2 * levels : 3 * levels]]
    assert shares == [f"{share:.0%}" for share in documents / documents.sum()]


def test_texts_that_would_meet_are_one_and_none_is_missing():
    _, found = numbers(levels=4)
    of = {("c1", ""): 0.8, ("c2", ""): 2.6, ("c3", ""): 28 / 9,
          ("scale", ""): 0.1, ("documents", "level 3"): 0}  # fmt: skip
    keys = list(zip(found["quantity"], found["beside"].fillna(""), strict=True))
    values = [of.get(key, value) for key, value in zip(keys, found["value"], strict=True)]
    found = found.assign(value=values)
    found.loc[found["quantity"] == "scale", ["low", "high"]] = 0, 5
    figure = figure_cut(found, systems(3), "S5", "AP")
    scale, documents, _ = figure.axes
    assert "≤ 2.6, ≤ 3.11111" in [text.get_text() for text in scale.texts]
    assert "3: 0%" in " ".join(text.get_text() for text in documents.texts)
    laid_out(figure)
    for axes in (scale, documents):
        boxes = [text.get_window_extent() for text in axes.texts]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


def test_no_cut_is_said_in_words(tmp_path):
    empty = pd.DataFrame(columns=columns_of("cuts/recommended"))
    table = pd.DataFrame(columns=columns_of("cuts/recommended_systems"))
    assert named(figure_cut(empty, table, "S11", "AP"), tmp_path) == []


def test_panels_that_share_an_axis_show_all_of_each():
    """The first has the lowest values."""
    most = {"AP": 1, "RBP": 9, "RR": 4}
    rows = [(measure, depth, most[measure] if depth < 20 else 0, 0, 66)
            for measure in most for depth in (5, 10, 20)]  # fmt: skip
    columns = ["measure", "depth", "reordered", "reordered_significant", "pairs"]
    assert all_in_view(figure_pool(pd.DataFrame(rows, columns=columns)))
    gains = [(name, f"{profile} gain", level, most * level)
             for name, most in (("low", 1.0), ("high", 9.0))
             for profile in GAIN_PROFILES for level in (1.0, 2.0, 3.0)]  # fmt: skip
    columns = ["reference", "quantity", "level", "value"]
    assert all_in_view(figure_magnitudes(pd.DataFrame(gains, columns=columns)))


def test_panels_of_power_say_which_documents_they_are_of():
    lists = ("judged", "top 5", "top 10")
    ranked = pd.DataFrame([
        {"preferences": "people", "mode": "aggregate", "list": of, "set": name, "n_topics": 7,
         "settled": 0.1 * place, "p": np.nan}
        for of in lists for place, name in enumerate(("a", "b", "c"))
    ])  # fmt: skip
    figure = laid_out(figure_pdp(ranked))
    heads = [{text.get_text() for text in axes.texts} for axes in figure.axes]
    for of, axes, found in zip(lists, figure.axes, heads, strict=True):
        said = found | {axes.get_title(loc) for loc in ("left", "center", "right")}
        assert f"{of}, 7 topics" in said


@pytest.mark.parametrize("width", [0.00002, 0.0002, 0.004, 0.3])
def test_scores_along_the_axis_stand_beside_each_other(width):
    ranks = pd.DataFrame(
        {"measure": "AP", "system": ["a", "b", "c"], "value": 0.15475, "pessimistic": 0.15475,
         "optimistic": 0.15475 + width, "rank": 1, "rank_low": 1, "rank_high": 3}
    )  # fmt: skip
    axes = laid_out(figure_ties(ranks, 3)).axes[0]
    low, high = axes.get_xlim()
    at = zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    boxes = [label.get_window_extent() for place, label in at if low <= place <= high]
    assert boxes and all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


@pytest.mark.parametrize(
    "shared",
    [
        [4421, 4422, 4423],
        [12] * 3,
        [12, 12, 13],
        [3, 40, 500],
        [10, 20, 100],
        [10, 10, 101],
        [1, 1, 2],
    ],
)
def test_documents_that_workers_share_are_counted_in_whole_numbers(shared):
    workers = pd.DataFrame({"worker": [f"w{n}" for n in range(3)], "shared": shared})
    axes = laid_out(figure_workers(workers.assign(tau=0.5, disagrees=False))).axes[0]
    low, high = axes.get_xlim()
    at = zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    seen = [(place, label) for place, label in at if low <= place <= high]
    assert seen and all(place == round(place) for place, _ in seen)
    assert [label.get_text() for _, label in seen] == [f"{place:,.0f}" for place, _ in seen]
    boxes = [label.get_window_extent() for _, label in seen]
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_bounds_that_leave_all_open_are_not_drawn_where_others_do_not():
    """AP, the first, says nothing of ranks, and P does."""
    ranks = pd.DataFrame(
        {"measure": ["AP"] * 3 + ["P"] * 3, "system": list("abc") * 2, "value": 0.5, "low": 0.4,
         "high": 0.6, "rank": 1, "rank_low": 1, "rank_high": [3, 3, 3, 3, 3, 2]}
    )  # fmt: skip
    drawn = [figure_unjudged(some, 5).axes[0] for some in (ranks, ranks.head(3))]
    assert [axes.get_xlabel() for axes in drawn] == ["P, mean over topics", "AP, mean over topics"]


def test_two_sets_without_runs_show_their_grades():
    """Counts, and the percentage of each row."""
    confusion = pd.DataFrame({
        "first_grade": [0.0, 0, 1, np.nan], "second_grade": [0.0, 1, 1, 1],
        "documents": [30, 10, 5, 7],
    })  # fmt: skip
    bias = pd.DataFrame({
        "grade": [0.0, 1, 2], "documents": [40, 5, 4], "topics": 3,
        "difference": [0.25, 0, -1], "low": [0.1, np.nan, -2], "high": [0.4, np.nan, 0],
    })  # fmt: skip
    beside = figure_pair(confusion, bias, first="A", second="B")
    assert {"grade, A", "mean Δ grade, B − A", "30\n75%"} <= set(words(beside))
    (drawn,) = [line for line in beside.axes[1].lines if line.get_marker() == "o"]
    assert drawn.get_ydata().tolist() == [0.25, 0, -1]
    found = words(figure_pair(confusion, bias[:2], first="A", second="B"))
    assert {"30\n75%", "10\n25%", "5\n100%", "grade, A", "grade, B"} <= set(found)
    assert any("45 co-judged documents" in one for one in found)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_one_or_two_points_are_no_picture(count, tmp_path):
    """Words stand there in the figure's file, and nothing on the page."""
    systems = pd.DataFrame({
        "measure": "AP", "system": list("abc"), "first_rank": [1, 2, 3], "second_rank": [2, 1, 3],
        "move": [-1, 1, 0], "value": 0.5, "pessimistic": 0.4, "optimistic": 0.6, "rank": 1,
        "rank_low": 1, "rank_high": 3, "tau": 0.5, "shared": 20, "disagrees": False,
        "worker": list("abc"), "depth": [1, 2, 3], "reordered": 0, "reordered_significant": 0,
        "pairs": 3, "judge": list("abc"), "alpha": 0.5, "alpha_low": 0.4, "alpha_high": 0.6,
    }).head(count)  # fmt: skip
    figures = [
        figure_ties(systems, 5),
        figure_pair(pd.DataFrame(), pd.DataFrame(), systems, first="A", second="B"),
        figure_workers(systems),
        figure_pool(systems),
        figure_judges(systems),
    ]
    Answer("?", "So it is.").to_frame().pipe(
        write_table, tmp_path / "answer.parquet", "ties/answer"
    )
    for figure in figures:
        save(figure, tmp_path / "figure.svg")
        card = Card.read("c", "", tmp_path / "answer.parquet", tmp_path / "figure.svg")
        assert bool(figure.axes) == bool(card.figure) == (count == 3)

"""Tables of made-up numbers drawn; everything legible, on the page, and where it belongs."""

from functools import cache
from importlib import import_module

import numpy as np
import pytest

from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.style import save
from regrade.studies.turpin2015.items import TURPIN2015

from .figure_checks import (
    assert_fits,
    assert_legible_and_small,
    assert_same_files,
    box_edges,
    on_page,
    words,
)
from .magnitude_tables import FITTED, MEASURES, Made

ITEMS = {item.name: item for item in TURPIN2015.items if not item.is_table}
NOTES = "129 runs of TREC-8, 18 topics. Judgments are simulated: ME from So4, seed 1"


def shown_by(name, made, folder):
    return [made.read(folder, table.split("/")[-1]) for table in ITEMS[name].shows]


def draw(name, frames, **settings):
    module = import_module(ITEMS[name].module)
    return getattr(module, ITEMS[name].function)(*frames, **settings)


def few_panels(name, made=None):
    """A setting that draws one reference of two, where that is less to draw."""
    if "reference" not in ITEMS[name].options or made is THREE:
        return {}
    return {"reference": "So4"}


def points(axes, marker):
    """What stands at the marks of a shape."""
    drawn = [line.get_xydata() for line in axes.lines if line.get_marker() == marker]
    return np.concatenate(drawn) if drawn else np.empty((0, 2))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Tables of a collection of the paper's size."""
    made, folder = Made(129, 18), tmp_path_factory.mktemp("large")
    return {name: shown_by(name, made, folder) for name in ITEMS}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Tables of a few systems and topics."""
    made, folder = Made(9, 3), tmp_path_factory.mktemp("small")
    return {name: shown_by(name, made, folder) for name in ITEMS}


@pytest.fixture(scope="module")
def usual(small):
    """Each figure of few systems and topics as it is without settings, drawn once."""
    return cache(lambda name: draw(name, small[name]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ITEMS)
def test_real_sizes_fit_the_page_and_the_file(large, tmp_path, name):
    figure = draw(name, large[name])
    assert_fits(figure, NOTES)
    assert NOTES in " ".join(words(figure)).replace("\n", " ")
    assert_legible_and_small(figure, tmp_path)


TWO = Made(2, 1)
ONE = Made(1, 1, {"So4": (0.0, 1.0, 2.0, 3.0)})
THREE = Made(5, 13, {"A": (0.0, 1.0), "B": (0.0, 1.0, 2.0), "C_a": (0.0, 1.0, 2.0, 3.0)})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "made"),
    [
        *((name, made) for name in ITEMS for made in (TWO, ONE)),
        *((f"figure-{number}", THREE) for number in (1, 2, 3, 6, 8, 9, "profiles")),
    ],
)
def test_any_collection_fits_the_page(name, made, tmp_path):
    frames = shown_by(name, made, tmp_path)
    if any(frame.empty for frame in frames):
        with pytest.raises(ParameterError, match="has no rows"):
            draw(name, frames)
    else:
        figure = draw(name, frames, **few_panels(name, made))
        style.add_notes(figure, NOTES)
        assert on_page(figure)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ITEMS)
def test_undefined_values_render(small, tmp_path, name):
    """Whatever may be null is."""
    keys = ["topic", "level", "lower", "upper", "width", "units", "k", "limit"]
    frames = []
    for frame in small[name]:
        numbers = [c for c in frame.select_dtypes("float") if c not in keys]
        nullable = [c for c in numbers if c not in ("score", "higher", "equal", "linear",
                                                    "exponential")]  # fmt: skip
        frames.append(frame.assign(**dict.fromkeys(nullable, np.nan)))
    figure = draw(name, frames, **few_panels(name))
    assert on_page(figure)
    save(figure, tmp_path / "figure.svg")


@pytest.mark.parametrize("name", ["figure-1", "figure-4", "figure-populations"])
def test_the_same_tables_give_the_same_bytes(small, tmp_path, name):
    assert_same_files(tmp_path, lambda: draw(name, small[name], **few_panels(name)), NOTES)


@pytest.mark.parametrize("name", ITEMS)
def test_what_a_table_lacks_is_said(small, name):
    first, *others = small[name]
    with pytest.raises(ParameterError, match=r"the table \S+/\S+ has no rows"):
        draw(name, [first.iloc[:0], *others])


@pytest.mark.parametrize("name", [n for n, item in ITEMS.items() if "reference" in item.options])
def test_one_reference_can_be_drawn_alone(small, usual, name):
    whole = " ".join(words(usual(name)))
    alone = " ".join(words(draw(name, small[name], reference="So4")))
    assert "So4" in whole
    assert len(alone) < len(whole)
    with pytest.raises(ParameterError, match="reference"):
        draw(name, small[name], reference="none such")


# --- what is drawn where -------------------------------------------------------------------------


def test_1_boxes_have_the_quartiles_of_the_table_unjudged_documents_first(small):
    [levels] = small["figure-1"]
    figure = draw("figure-1", [levels], aggregate="geometric_mean")
    rows = levels[(levels["topic"] == "*") & (levels["aggregate"] == "geometric_mean")]
    for axes, reference in zip(figure.axes, ("TR2", "So4"), strict=True):
        of_reference = rows[rows["reference"] == reference].sort_values(
            "level", na_position="first"
        )
        np.testing.assert_allclose(box_edges(axes), of_reference[["q1", "q3"]].to_numpy(float))
        labels = [label.get_text() for label in axes.get_xticklabels()]
        assert labels == ["U", "0", "1", "2", "3"][: len(of_reference)]
        counts = [text.get_text() for text in axes.texts if "\n" in text.get_text()]
        expected = [f"{n}\n+{o}" for n, o in of_reference[["n", "outliers"]].to_numpy()]
        assert counts == expected
    assert "geometric mean magnitude" in words(figure)


def test_1_axis_is_linear_where_values_are_near_each_other(small, usual):
    [levels] = small["figure-1"]
    assert usual("figure-1").axes[0].get_yscale() == "log"
    near = levels.assign(low=4.0, q1=5.0, median=6.0, q3=7.0, high=8.0)
    assert draw("figure-1", [near]).axes[0].get_yscale() == "linear"


def test_2_has_a_panel_for_each_topic_in_order(usual):
    figure = usual("figure-2")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["topic 401", "topic 402", "topic 403"]
    # of the first topic the last level of each reference has no document
    assert [len(box_edges(axes)) for axes in figure.axes] == [6, 8, 8]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


def test_3_draws_each_topic_and_the_mean(small):
    [agreement] = small["figure-3"]
    figure = draw("figure-3", [agreement], reference="So4")
    assert len(figure.axes) == 7
    for axes, (_, rows) in zip(
        figure.axes,
        agreement[agreement["by"] == "So4"].groupby(["lower", "upper"], sort=False, dropna=False),
        strict=True,
    ):
        drawn = np.sort(points(axes, "o")[:, 1])
        np.testing.assert_allclose(
            drawn[~np.isnan(drawn)], np.sort(rows["share"].dropna().to_numpy(float))
        )
        labels = [label.get_text() for label in axes.get_xticklabels()]
        assert labels == ["magnitudes\nSo4", "magnitudes\nTR2", "So4\nTR2"]
    assert figure.axes[0].get_ylabel() == "share of pairs\nthat agree"


@pytest.mark.parametrize(("name", "over"), [("figure-4", "runs"), ("figure-5", "merged")])
def test_4_and_5_place_systems_by_both_scores_and_mark_top_sets(small, name, over):
    systems, rankings = small[name]
    figure = draw(name, [systems, rankings], reference="So4")
    assert len(figure.axes) == len(MEASURES)
    for axes, measure in zip(figure.axes, MEASURES, strict=True):
        rows = systems[
            (systems["reference"] == "So4")
            & (systems["over"] == over)
            & (systems["measure"] == measure)
        ]
        scores = {gains: some.set_index("system") for gains, some in rows.groupby("gains")}
        x, y = scores["magnitudes"], scores["reference"]
        both = x.index[x["top"].astype(bool) & y["top"].astype(bool)]
        drawn = {tuple(point) for point in points(axes, "D")}
        assert drawn == {(x.at[s, "score"], y.at[s, "score"]) for s in both}
        everywhere = np.concatenate([points(axes, marker) for marker in "o^>D"])
        assert len(everywhere) == x["score"].size
        heads = " ".join(text.get_text() for text in (axes.title, axes._left_title))
        assert r"$\tau_b$ 0.814, overlap 75 %" in heads


def test_4_needs_both_gains(small):
    systems, rankings = small["figure-4"]
    with pytest.raises(ParameterError, match="no scores under magnitudes"):
        draw("figure-4", [systems[systems["gains"] != "magnitudes"], rankings])
    with pytest.raises(ParameterError, match="has no rows of merged"):
        draw("figure-5", [systems, rankings[rankings["over"] == "runs"]])


def test_5_says_where_no_system_could_be_merged(small):
    systems, rankings = small["figure-5"]
    nothing = rankings.assign(n_systems=0, tau=np.nan, overlap=np.nan)
    figure = draw("figure-5", [systems[systems["over"] == "runs"], nothing])
    assert words(figure).count("no systems") == 4
    assert "0 systems, $\\tau_b$ undefined, overlap undefined" in words(figure)


def test_6_marks_the_tau_of_medians_beside_each_box(small, usual):
    [quantiles] = small["figure-6"]
    [axes] = usual("figure-6").axes
    np.testing.assert_allclose(box_edges(axes), quantiles[["q1", "q3"]].to_numpy(float))
    np.testing.assert_allclose(points(axes, "D")[:, 1], quantiles["tau"])
    assert [text.get_text() for text in axes.figure.legends[0].texts] == [
        "samples", "all judgments",
    ]  # fmt: skip


def test_7_counts_the_bars_that_it_does_not_show(small, usual):
    widths, quantiles = small["figure-7"]
    [axes] = usual("figure-7").axes
    few = widths["units"] < 4
    bars = [segment[1].tolist() for segment in axes.collections[0].get_segments()]
    assert bars == widths.loc[~few, ["width", "units"]].to_numpy().tolist()
    head = axes.title.get_text() + axes._left_title.get_text()
    assert f"{widths.loc[few, 'units'].sum()} in bars of fewer than 4, not shown" in head
    [axes] = draw("figure-7", [widths, quantiles], least=1).axes
    assert len(axes.collections[0].get_segments()) == len(widths)
    assert "not shown" not in axes._left_title.get_text()
    assert "median 5" in [text.get_text() for text in axes.texts]
    assert "$H_k / N_k$" in axes.get_xlabel()


def test_7_says_which_widths_are_no_ratios_of_known_documents(small):
    tables = [table.assign(width_of="greatest / smallest") for table in small["figure-7"]]
    [axes] = draw("figure-7", tables).axes
    assert axes.get_xlabel() == "width of a unit, greatest / smallest value, to the nearest 5"


def test_8_puts_assumed_gains_on_the_boxes(small):
    [gains] = small["figure-8"]
    figure = draw("figure-8", [gains], reference="So4")
    rows = gains[gains["reference"] == "So4"]
    [axes] = figure.axes
    np.testing.assert_allclose(box_edges(axes)[: len(rows)], rows[["q1", "q3"]].to_numpy(float))
    np.testing.assert_allclose(points(axes, "o")[:, 1], [1, 2, 3, 4])
    np.testing.assert_allclose(points(axes, "^")[:, 1], [2, 4, 8, 16])
    assert max(axes.get_yticks()) <= 20
    counts = [text.get_text() for text in axes.texts if "\n+" in text.get_text()]
    assert counts == [f"300\n+{above}" for above in rows["above"]]


def test_9_marks_the_recommended_ratio(small):
    [axes] = draw("figure-9", small["figure-9"], reference="So4").axes
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["2 / 1", "3 / 1", "3 / 2"]
    assert any(list(line.get_ydata()) == [1.1, 1.1] for line in axes.lines)


def test_profiles_have_a_thin_line_for_each_topic(usual):
    figure = usual("figure-profiles")
    for axes in figure.axes:
        names = [line.get_gid() for line in axes.lines]
        assert sorted(names) == sorted(
            ["linear *", "exponential *", "fitted *"]
            + [f"{profile} {topic}" for profile in FITTED for topic in ("401", "402", "403")]
        )
        assert {line.get_linewidth() for line in axes.lines if "*" not in line.get_gid()} == {0.6}


def test_populations_are_seen_from_the_order_of_the_medians(small):
    orders, unanimity, systems = small["figure-populations"]
    figure = draw("figure-populations", [orders, unanimity, systems], reference="TR2")
    axes = figure.axes[0]
    shares = np.ma.filled(axes.images[0].get_array().astype(float), np.nan)
    n = systems["system"].nunique()
    for first in range(n):
        for second in range(n):
            if first < second:  # runs are named in the order of their score
                expected = min(0.45 + (second - first) / 12, 1.0)
                assert shares[first, second] == pytest.approx(expected)
            else:
                assert np.isnan(shares[first, second])
    assert "18 of 36 pairs: all alike" in " ".join(words(figure))
    assert "no pair of systems" not in words(figure)
    unmerged = orders[orders["over"] == "runs"]
    figure = draw("figure-populations", [unmerged, unanimity, systems], reference="TR2")
    assert words(figure).count("no pair of systems") == len(MEASURES)
    with pytest.raises(ParameterError, match="has no score of run0"):
        draw("figure-populations", [orders, unanimity, systems[systems["system"] != "run0"]])


@pytest.mark.parametrize("name", ["figure-populations", "figure-per-document", "figure-6"])
def test_one_comparison_fits_the_page(small, name):
    frames = []
    for frame in small[name]:
        one = (frame["reference"] == "TR2") & (frame["over"] == "merged")
        frames.append(frame[one & (frame["measure"] == MEASURES[0])])
    figure = draw(name, frames)
    style.add_notes(figure, NOTES)
    assert on_page(figure)


def test_per_document_draws_a_line_for_each_other_ranking(usual):
    figure = usual("figure-per-document")
    assert len(figure.axes) == 2 * 2 * len(MEASURES)
    for axes in figure.axes:
        [reference, everything] = axes.lines
        np.testing.assert_allclose(reference.get_ydata(), 0.9 - 0.4 / np.arange(1, 11))
        np.testing.assert_allclose(everything.get_ydata(), 1.0 - 0.4 / np.arange(1, 11))


def test_figures_of_references_with_levels_of_their_own(tmp_path):
    """Levels need not be whole numbers."""
    made = Made(4, 2, {"half": (0.0, 0.5, 1.0)})
    figure = draw("figure-1", shown_by("figure-1", made, tmp_path))
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == ["U", "0", "0.5", "1"]

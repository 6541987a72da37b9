"""Frames of the columns that the library's tables have, drawn; the numbers are made up."""

import itertools
import re
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.style import save
from regrade.studies.items import schema_key
from regrade.studies.yang2019 import pools_figures, residuals_figures, ties_figures
from regrade.studies.yang2019.items import YANG2019
from tests.unit.figure_checks import (
    assert_fits,
    assert_legible_and_small,
    assert_same_files,
    box_edges,
    laid_out,
    on_page,
    words,
)
from tests.unit.magnitude_tables import product

DEPTHS = (5, 10, 15, 20, 25)
FIGURES = {
    item.name: getattr(import_module(item.module), item.function)
    for item in YANG2019.items
    if item.part in ("ties", "residuals", "pools") and not item.is_table
}
NOTES = "129 runs of TREC-8, 50 topics"


def names(stem, count):
    return [f"{stem}{i}" for i in range(count)]


def pairs(systems):
    return np.array(list(itertools.combinations(names("run", systems), 2)))


def ties(systems, topics, rng, measures=("AP",)):
    table = product(measure=list(measures), system=names("run", systems))
    n = len(table)
    middle = rng.beta(3, 8, n)
    reach = np.where(np.arange(n) % 5 == 0, 0.0, 10 ** rng.uniform(-8, -1.5, n))
    return table.assign(
        run=middle,
        trec_eval=middle,
        expected=middle + 0.1 * reach,
        eq33=np.nan,
        pessimistic=middle - reach / 2,
        optimistic=middle + reach / 2,
        range=reach,
        tied=np.where(reach == 0, 0, rng.integers(1, 3000, n)),
    )


def banded(systems, topics, rng, rhos=(1.1, 1.2, 1.4, 1.7, 2.0)):
    table = product(
        measure=["RR", "RBP(p=0.5)", "RBP(p=0.85)", "AP"],
        rho=list(rhos),
        system=names("run", systems),
        topic=names("40", topics),
    )
    moved = rng.normal(0, 0.02, len(table)) * (rng.random(len(table)) < 0.6)
    table["measure"] = pd.Categorical(table["measure"])
    return table.assign(original=0.3, banded=0.3 + moved, difference=moved)


def p_values(systems, topics, rng, rhos=(1.1, 1.4, 1.7, 2.0), undefined=0.001):
    first, second = pairs(systems).T
    parts = []
    for rho in rhos:
        p = rng.beta(0.2, 0.8, len(first))
        shaken = np.clip(p * np.exp(rng.normal(0, 0.2 * (rho - 1), len(p))), 0, 1)
        gone = rng.random(len(p)) < undefined
        part = {"measure": "AP", "rho": rho, "first": first, "second": second}
        part |= {
            "p_original": np.where(gone, np.nan, p),
            "p_banded": np.where(gone, np.nan, shaken),
        }
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def quadrants(table):
    shares = {"true_positive": 0.701, "false_negative": 0.012, "false_positive": 0.023}
    keys = table[["measure", "rho"]].drop_duplicates(ignore_index=True)
    return keys.assign(pairs=1, **shares, true_negative=0.264)


def curves(systems, topics, rng):
    depths = np.array([2, 5, 10, 20, 50, 100, 200])
    table = product(
        phi=list(1 - 1 / depths), system=names("run", systems), topic=names("40", topics)
    )
    share = 0.6 * table["phi"] ** 20
    value = (1 - share) * rng.beta(1, 2, len(table))
    residual = share * rng.beta(2, 2, len(table))
    return table.assign(depth=1 / (1 - table["phi"]), value=value, residual=residual)


def tau(systems, topics, rng, depths=(2, 5, 10, 20, 50, 100)):
    measures = ["RR", "P@10", "R@1000", "Rprec", "AP", "nDCG"]
    table = product(measure=measures, depth=[float(depth) for depth in depths])
    residual = 1e-4 * table["depth"] ** 1.5
    return table.assign(
        phi=1 - 1 / table["depth"], tau=rng.uniform(0.5, 0.95, len(table)), residual=residual
    )


def nearest(systems, topics, rng):
    table = product(
        measure=["AP", "nDCG"],
        coefficient=["tau_b", "rbo"],
        topic=[*names("40", topics), ALL_TOPICS],
    )
    low = rng.integers(500, 990, len(table)) / 1000
    width = rng.integers(0, 9, len(table)) / 1000
    return table.assign(
        relevant=np.where(table["topic"] == ALL_TOPICS, 5000, rng.integers(1, 400, len(table))),
        correlation=rng.uniform(0.6, 1.0, len(table)),
        phi_lowest=low,
        phi_middle=low + width / 2,
        phi_highest=low + width,
        tied=1,
        residual=0.1,
    )


def summary(table=None):
    return product(measure=["AP", "nDCG"], coefficient=["tau_b", "rbo"]).assign(tau=-0.4321)


def sizes(systems, topics, rng):
    table = product(pooling=[f"Depth@{d}" for d in (5, 10, 15, 20, 25)], topic=names("40", topics))
    judged = rng.integers(50, 900, len(table))
    return table.assign(pooled=judged, judged=judged, relevant=judged // 10)


def movements(systems, topics, rng):
    table = product(
        measure=["AP", "nDCG", "RBP(p=0.98)"],
        depth=[5, 10, 15, 20, 25],
        system=names("run", systems),
        topic=names("40", topics),
    )
    scale = 0.5 / table["depth"]
    return table.assign(
        difference=rng.normal(0, scale),
        residual=np.clip(rng.beta(3, 3, len(table)) * scale * 9, 0, 1),
    )


def correlations(table=None):
    return pd.DataFrame({"measure": ["AP", "nDCG", "RBP(p=0.98)"], "tau_difference": -0.123})


def trends(systems, topics, rng):
    table = product(
        measure=["AP", "nDCG", "RBP(p=0.98)"],
        test=["t"],
        tau=[*np.round(np.linspace(-1, 1, 11), 10), 0.1053, np.nan],
        outcome=["significant", "not significant", "straddling"],
    )
    count = rng.integers(1, 200, len(table))
    total = pd.Series(count).groupby(table["measure"]).transform("sum")
    return table.assign(n_pairs=count, share=count / total)


def power(systems, topics, rng, measures=("AP", "nDCG", "RR"), depths=()):
    n = len(pairs(systems))
    parts = []
    for measure, depth in itertools.product(measures, depths or [None]):
        p = np.sort(rng.beta(0.3, 1, n))[::-1]
        p[:2] = np.nan
        part = {"measure": measure, "test": "t", "position": np.arange(1, n + 1)}
        part |= {"share": np.arange(1, n + 1) / n, "p": p}
        parts.append(pd.DataFrame(part if depth is None else {"depth": depth} | part))
    return pd.concat(parts, ignore_index=True)


def system_ranges(systems, topics, rng):
    table = product(measure=["AP", "nDCG", "RBP(p=0.98)"], system=names("run", systems))
    value = rng.beta(3, 6, len(table))
    return table.assign(value=value, low=0.8 * value, high=value + 0.3 * (1 - value))


def left_out(systems, topics, rng):
    table = product(
        pooling=["Depth@100"],
        by=["run", "group"],
        measure=["AP", "nDCG"],
        system=names("run", systems),
    )
    score = rng.beta(3, 6, len(table))
    passed = rng.poisson(0.3, len(table))
    rank = table.groupby(["by", "measure"]).cumcount() + 1
    return table.assign(
        left_out=table["system"],
        score=score,
        score_left_out=score - 0.01 * passed,
        rank=rank,
        rank_left_out=rank + passed,
        passed=passed,
        passed_significant=passed // 2,
    )


def diagnostics(systems, topics, rng, depths=range(5, 55, 5)):
    table = product(
        measure=["AP", "nDCG"],
        depth=list(depths),
        topic=names("40", topics),
        system=names("run", systems),
    )
    standardised = rng.standard_t(5, len(table))
    quantile = np.sort(rng.normal(size=len(table)))[np.argsort(np.argsort(standardised))]
    return table.assign(
        fitted=rng.beta(2, 5, len(table)),
        residual=0.02 * standardised,
        leverage=0.2,
        standardised=standardised,
        quantile=quantile,
    )


MADE = {
    "ties/ranges": ties,
    "ties/banded": banded,
    "ties/p_values": p_values,
    "residuals/rbp": curves,
    "residuals/tau_by_phi": tau,
    "residuals/nearest_phi": nearest,
    "pools/sizes": sizes,
    "pools/movements": movements,
    "discrimination/trends": trends,
    "ranges/systems": system_ranges,
    "leave-one-out/systems": left_out,
    "discrimination/curve": power,
    "ancova/diagnostics": diagnostics,
}
"""What makes the first table that a figure shows."""

OTHERS = {
    "ties/quadrants": quadrants,
    "residuals/nearest_summary": summary,
    "pools/movement_correlations": correlations,
}
"""What makes the second of it."""

KINDS = [name for name, of in FIGURES.items() if of.__name__ == YANG2019.by_name[name].function]
"""One figure drawn by each function."""


def frame(name, systems=5, topics=4, **options):
    make = MADE[schema_key(YANG2019.by_name[name].shows[0])]
    return make(systems, topics, np.random.default_rng([7, systems, topics]), **options)


def draw(name, table):
    """The figure of its first table; the others go with that."""
    item = YANG2019.by_name[name]
    first, *others = item.shows
    tables = [OTHERS[schema_key(path)](table) for path in others]
    options = {"depths": DEPTHS} if name == "figure-4.5" else {}
    return FIGURES[name]({"runs": table} if "left_out" in first else table, *tables, **options)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", KINDS)
def test_real_sizes_fit_the_page_and_the_file(tmp_path, name):
    systems = 67 if name in ("figure-4.8", "figure-ancova") else 129
    figure = draw(name, frame(name, systems, 50))
    assert_fits(figure, NOTES)
    assert NOTES in words(figure)
    assert_legible_and_small(figure, tmp_path)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "systems", "topics"),
    [
        *((name, 2, 1) for name in KINDS),
        *((name, 63, 57) for name in ("figure-3.4", "figure-ranges", "figure-leave-one-out")),
    ],
)
def test_any_collection_fits_the_page(name, systems, topics):
    figure = draw(name, frame(name, systems, topics))
    style.add_notes(figure, NOTES)
    assert on_page(figure)


UNDEFINED = {
    "figure-3.8": ["p_original", "p_banded"],
    "figure-4.2": ["tau"],
    "figure-4.3": ["correlation", "phi_lowest", "phi_middle", "phi_highest"],
    "figure-4.7": ["tau"],
    "figure-power": ["p"],
    "figure-ancova": ["standardised", "quantile"],
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", UNDEFINED)
def test_undefined_values_render(tmp_path, name):
    table = frame(name)
    table[UNDEFINED[name]] = np.nan
    figure = draw(name, table)
    assert on_page(figure)
    save(figure, tmp_path / "figure.svg")


@pytest.mark.parametrize(
    "name", ["figure-3.4", "figure-3.8", "figure-4.3", "figure-4.8", "figure-ancova"]
)
def test_the_same_tables_give_the_same_bytes(tmp_path, name):
    assert_same_files(tmp_path, lambda: draw(name, frame(name, 3, 3)), NOTES)


@pytest.mark.parametrize("name", KINDS)
def test_what_a_table_lacks_is_said(name):
    with pytest.raises(ParameterError, match=r"the table \S+/\S+ has no rows"):
        draw(name, frame(name).iloc[:0])


@pytest.mark.parametrize("name", ["figure-3.6", "figure-4.7", "figure-4.8", "figure-ranges"])
def test_any_measures_get_a_panel_in_the_order_of_the_table(name):
    table = frame(name)
    for count in (1, 2, 5):
        measures = [f"nDCG@{10 * i}" for i in range(count, 0, -1)]
        parts = [table[table["measure"] == "AP"].assign(measure=m) for m in measures]
        whole = pd.concat(parts, ignore_index=True)
        whole["measure"] = pd.Categorical(whole["measure"], categories=sorted(measures))
        titles = words(FIGURES[name](whole))
        found = [re.sub(r"^\(.\)  ", "", title) for title in titles]
        assert [title for title in dict.fromkeys(found) if title in measures] == measures


def test_3_4_draws_every_system_once_at_its_range_and_score():
    table = frame("figure-3.4", 129)
    axes = ties_figures.figure_3_4(table).axes[0]
    for column, marker, size in (("trec_eval", "o", 4.2), ("expected", "^", 4.2)):
        lines = [line for line in axes.lines if line.get_marker() == marker]
        drawn = np.concatenate([line.get_xydata() for line in lines])
        expected = np.column_stack([table[column], table["range"].clip(lower=1e-6)])
        np.testing.assert_array_equal(np.sort(drawn, axis=0), np.sort(expected, axis=0))
        assert {line.get_markersize() for line in lines} == {size}
    colors = {}
    for line in axes.lines:
        colors[line.get_color()] = colors.get(line.get_color(), 0) + len(line.get_xdata())
    tied = table["tied"]
    assert colors[ties_figures.GREEN] == 4 * (tied == 0).sum()
    assert colors[ties_figures.RED] == 4 * (tied > 1000).sum()
    assert colors[pools_figures.BLUE] == 4 * tied.between(1, 1000).sum()


def test_boxes_have_the_quartiles_of_their_values():
    table = frame("figure-3.6", 20, 10)
    axes = ties_figures.figure_3_6(table).axes[1]
    one = table[table["measure"] == "RBP(p=0.5)"].groupby("rho")["difference"]
    expected = one.quantile([0.25, 0.75]).unstack()
    np.testing.assert_allclose(box_edges(axes), expected.to_numpy(), atol=1e-12)
    axes = pools_figures.figure_4_6(frame("figure-4.6", 20, 10)).axes[0]
    assert len(box_edges(axes)) == 5


def test_whiskers_reach_to_the_last_value_within_1_5_boxes():
    values = [*range(11), 16, 18]
    table = pd.DataFrame({"measure": "AP", "rho": 2.0, "difference": np.array(values, dtype=float)})
    axes = ties_figures.figure_3_6(table).axes[0]
    low, high = box_edges(axes)[0]
    assert (low, high) == (3, 9)
    ends = {y for line in axes.lines for y in line.get_ydata()}
    assert {0, 18} <= ends  # 9 + 1.5 · 6
    table.loc[12, "difference"] = 18.1
    axes = ties_figures.figure_3_6(table).axes[0]
    [outlying] = [line for line in axes.lines if line.get_marker() == "o"]
    assert outlying.get_ydata().tolist() == [18.1]


def test_3_8_counts_every_defined_pair_and_shows_the_shares():
    table = frame("figure-3.8", 40, undefined=0.05)
    figure = draw("figure-3.8", table)
    defined = table.dropna().groupby("rho").size()
    for axes, count in zip(figure.axes, defined, strict=False):
        [hexagons] = [c for c in axes.collections if isinstance(c, PolyCollection)]
        assert hexagons.get_array().sum() == count < 780
        low, high = axes.get_xlim()
        # where each share stands: banded p up, original p to the right
        places = {text.get_text(): text for text in axes.texts}
        assert {"70.1%", "1.2%", "2.3%", "26.4%"} <= set(places)
        assert places["1.2%"].xy == (0, 1) and places["70.1%"].xy == (0, 0.05)
        assert places["2.3%"].xy == (1, 0) and places["26.4%"].xy == (1, 0.05)
        assert low < 1e-3 and high > 1
    assert "780 pairs" in words(figure)
    with pytest.raises(ParameterError, match=r"AP, ρ = 2: its quadrants"):
        ties_figures.figure_3_8(table, quadrants(table[table["rho"] < 2]))


def test_4_2_marks_the_highest_of_each_curve_and_names_depths_where_they_are():
    table = frame("figure-4.2", depths=(2, 5, 10, 20, 50, 100))
    figure = residuals_figures.figure_4_2(table)
    axes = figure.axes[0]
    best = table.loc[table.groupby("measure", sort=False)["tau"].idxmax()]
    filled = np.concatenate([ln.get_xydata() for ln in axes.lines if ln.get_markersize() == 5.5])
    np.testing.assert_array_equal(filled, best[["residual", "tau"]])
    [above] = axes.child_axes
    residual = table.drop_duplicates("depth").set_index("depth")["residual"]
    labels = [label.get_text() for label in above.get_xticklabels()]
    np.testing.assert_allclose(above.get_xticks(), residual[[float(text) for text in labels]])
    many = frame("figure-4.2", depths=np.geomspace(2, 1000, 500))
    assert not any(
        len(line.get_xdata()) > 1 and line.get_marker() not in ("", "None", None)
        for line in residuals_figures.figure_4_2(many).axes[0].lines
    )


@pytest.mark.parametrize("least", [1e-6, 1e-4, 2e-3, 0.05])
def test_4_2_names_no_place_over_another(least):
    table = frame("figure-4.2", depths=(2, 5, 10, 20, 50, 100, 200, 500, 1000))
    depths = sorted(table["depth"].unique())
    spread = least * (0.97 / least) ** (1 - 0.5 ** np.arange(len(depths)))  # ever nearer to 1
    residual = table["depth"].map(dict(zip(depths, spread, strict=True)))
    figure = laid_out(residuals_figures.figure_4_2(table.assign(residual=residual)))
    [axes] = figure.axes
    for one in (axes, *axes.child_axes):
        low, high = sorted(axes.get_xlim())
        at = zip(one.get_xticks(), one.get_xticklabels(), strict=True)
        shown = [label for place, label in at if low <= place <= high and label.get_text()]
        boxes = sorted((label.get_window_extent() for label in shown), key=lambda box: box.x0)
        assert len(boxes) > 1
        assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes)), [t.get_text() for t in shown]


def test_4_3_draws_each_topic_once_by_its_strength():
    table = frame("figure-4.3", topics=60)
    for tied in ("lowest", "highest"):
        figure = residuals_figures.figure_4_3(table, tied=tied)
        rows = table[(table["measure"] == "nDCG") & (table["coefficient"] == "tau_b")]
        rows = rows[rows["topic"] != ALL_TOPICS]
        axes = figure.axes[2]
        for low, high, look in residuals_figures.STRENGTHS.values():
            drawn = [line for line in axes.lines if line.get_marker() == look["marker"]]
            some = rows[(rows["correlation"] >= low) & (rows["correlation"] < high)]
            expected = some[["relevant", f"phi_{tied}"]]
            np.testing.assert_array_equal(drawn[0].get_xydata(), expected)
    assert "60 topics, $\\tau_b$ of φ and R = −0.432" in words(draw("figure-4.3", table))


def test_4_3_axes_say_the_same_of_phi_and_depth():
    figure = residuals_figures.figure_4_3(frame("figure-4.3", topics=50))
    left, right = figure.axes[1], figure.axes[1].child_axes[0]
    figure.draw_without_rendering()
    assert left.get_ylim() == pytest.approx(right.get_ylim())
    named = [label.get_text() for label in right.get_yticklabels()]
    assert named == ["2", "5", "10", "20", "50", "100", "200", "1000"]


def test_4_5_shows_topics_without_relevant_documents():
    table = frame("figure-4.5", topics=50)
    assert pools_figures.figure_4_5(table).axes[0].get_yscale() == "log"
    table.loc[3, "relevant"] = 0
    axes = pools_figures.figure_4_5(table).axes[0]
    assert axes.get_yscale() == "symlog" and axes.get_ylim()[0] == 0
    assert [label.get_text() for label in axes.get_xticklabels()] == ["5", "10", "15", "20", "25"]
    table["pooling"] = table["pooling"].str.replace("Depth", "CombSUM")
    assert "CombSUM@25" in words(pools_figures.figure_4_5(table))


def test_4_7_bars_hold_every_pair_with_a_tau():
    table = frame("figure-4.7", 67)
    figure = pools_figures.figure_4_7(table)
    one = table[table["measure"] == "nDCG"]
    bars = [bar for bar in figure.axes[1].patches if isinstance(bar, Rectangle)]
    defined = one["tau"].notna()
    assert sum(bar.get_height() for bar in bars) == pytest.approx(one["share"][defined].sum())
    for color, outcome in (
        (pools_figures.BLUE, "significant"),
        (pools_figures.ORANGE, "straddling"),
    ):
        rows = one[(one["outcome"] == outcome) & (one["tau"].round(1) == 0.1)]
        rows = pd.concat([rows, one[(one["outcome"] == outcome) & (one["tau"] == 0.2)]])
        [bar] = [
            bar
            for bar in bars
            if style.to_rgb(color) == bar.get_facecolor()[:3]
            and bar.get_x() + bar.get_width() / 2 == pytest.approx(0.2)
        ]
        assert bar.get_height() == pytest.approx(rows["share"].sum())
    pairs_of = int(one["n_pairs"].sum())
    missing = int(one["n_pairs"][~defined].sum())
    assert f"{pairs_of:,} pairs, {missing:,} without $\\tau_b$" in words(figure)


def test_4_8_draws_every_score_deeper_pools_on_top():
    table = frame("figure-4.8", 20, 10)
    axes = residuals_figures.figure_4_8(table, correlations()).axes[1]
    clouds = [line for line in axes.lines if line.get_marker() == "o"]
    rows = table[table["measure"] == "nDCG"]
    for line, (_, some) in zip(clouds, rows.groupby("depth"), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), some[["residual", "difference"]])
    assert "1,000 scores, $\\tau_b$ = −0.12" in words(axes.figure)


def test_ranges_stand_in_the_order_of_scores():
    table = frame("figure-ranges", 129)
    figure = pools_figures.figure_ranges(table)
    axes = figure.axes[2]
    rows = table[table["measure"] == "RBP(p=0.98)"].sort_values("value", ascending=False)
    [dots] = axes.lines
    np.testing.assert_array_equal(dots.get_ydata(), rows["value"])
    below, above = (c.get_segments() for c in axes.collections)
    np.testing.assert_array_equal([segment[0, 1] for segment in below], rows["low"])
    np.testing.assert_array_equal([segment[1, 1] for segment in above], rows["high"])


def test_leave_one_out_fills_what_passes_significantly():
    table = frame("figure-leave-one-out", 40)
    figure = pools_figures.figure_leave_one_out({"runs": table})
    score, rank = figure.axes[:2]
    rows = table[(table["measure"] == "AP") & (table["by"] == "run")]
    lines = [line for line in score.lines if line.get_color() == pools_figures.BLUE]
    np.testing.assert_allclose(lines[0].get_ydata(), rows["score_left_out"] - rows["score"])
    significant = rows[rows["passed_significant"] > 0]
    assert len(significant)
    [filled] = [line for line in rank.lines if line.get_markerfacecolor() == pools_figures.BLUE]
    np.testing.assert_array_equal(filled.get_xdata(), significant["rank"])
    np.testing.assert_array_equal(filled.get_ydata(), significant["passed"])
    both = {"one": table[table["measure"] == "AP"], "other": table.assign(pooling="Take@1000")}
    assert "(c)  AP, Take@1000: score" in words(pools_figures.figure_leave_one_out(both))


def test_power_marks_where_the_curve_crosses_the_level():
    table = frame("figure-power", 129, measures=["AP"])
    axes = pools_figures.figure_power(table).axes[0]
    [mark] = [line for line in axes.lines if line.get_markersize() == 4]
    [place] = mark.get_xdata()
    assert place == pytest.approx(1 - (table["p"] < 0.05).mean(), abs=1 / 500)
    [curve] = [line for line in axes.lines if len(line.get_xdata()) > 2]
    assert len(curve.get_xdata()) <= 600
    assert curve.get_xdata()[0] == table["share"][2]  # the first with a p
    assert curve.get_xdata()[-1] == 1
    figure = pools_figures.figure_power(frame("figure-power", 20, depths=[5, 50]))
    assert {"(a)  paired t, d′ = 5", "(b)  paired t, d′ = 50"} <= set(words(figure))


def test_ancova_maps_all_scores():
    table = frame("figure-ancova", 67, 20)
    figure = pools_figures.figure_ancova(table)
    per_measure = len(table) // 2
    maps = [
        c.get_array().sum()
        for axes in figure.axes[:6]
        for c in axes.collections
        if isinstance(c, PolyCollection)
    ]
    assert maps == [per_measure] * 4
    norms = {
        (c.norm.vmin, c.norm.vmax)
        for axes in figure.axes[:6]
        for c in axes.collections
        if isinstance(c, PolyCollection)
    }
    assert len(norms) == 1
    few = pools_figures.figure_ancova(frame("figure-ancova", 5, 4))
    assert len(few.axes) == 6  # points need no scale of counts


def test_tables_have_columns_of_those_that_items_show():
    for path, make in MADE.items():
        table = make(5, 4, np.random.default_rng(7))
        assert set(table.columns) <= set(columns_of(path)), path
    for path, make in OTHERS.items():
        assert set(make(frame("figure-3.8")).columns) <= set(columns_of(path)), path

import itertools
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.cutsearch.best import cut_tables, unserved_cuts
from regrade.cutsearch.groups import cut_groups
from regrade.cutsearch.search import CutSearch, TopicAlpha
from regrade.errors import ParameterError
from regrade.scales import Scale
from regrade.show import style
from regrade.show.style import save
from regrade.studies.han2019 import figures as han2019
from regrade.studies.han2019 import tau_figures
from regrade.studies.han2019.searches import GAP, SearchTables
from regrade.studies.han2019.trust_figures import figure_budget
from tests.each import others_slow
from tests.snapshots import assert_said
from tests.unit.figure_checks import assert_fits, assert_same_files, described, on_page, words

TREC8 = [str(topic) for topic in range(401, 419)]
UC3M = [str(20500 + 37 * i) for i in range(20)]
SIXTY = [str(topic) for topic in range(401, 461)]
FEW, EVERY, OVER, TOP = (
    han2019.figure_1,
    han2019.figure_3,
    han2019.figure_5,
    han2019.figure_6,
)


class Published(NamedTuple):
    """What a figure of the paper shows: what draws it, the transformation, method and reference."""

    draw: Callable
    source: str
    levels: int
    panels: tuple


PUBLISHED = {
    "figure-1": Published(FEW, "S4", 2, (("h2", "TR2_a"), ("d2_at", "TR2_a"), ("h1_ta", None))),
    "figure-3": Published(EVERY, "S100", 2, (("h1_ta", None), ("h2", "TR2_a"), ("d2_at", "TR2_a"))),
    "figure-5": Published(OVER, "S100", 2, (("h1_ta", None),)),
    "figure-6": Published(TOP, "S100", 4, (("h1_ta", None), ("h1_at", None), ("tw1", None))),
}
NOTES = "S100, S4, S2, So4 are simulated"


def alpha_table(topics, cuts, levels, seed, undefined=()):
    """α that rises and falls over the cuts, with plateaus as real data has them."""
    rng = np.random.default_rng([seed, cuts, levels])
    rows = np.array(list(itertools.combinations(range(cuts), levels - 1)), dtype=np.int16)
    table = pd.DataFrame(rows, columns=CUT_COLUMNS[: levels - 1])
    ideal = np.arange(1, levels) / levels * cuts
    steps = (rows // 5 * 5) if cuts > 20 else rows
    for topic in topics:
        peak = ideal + rng.normal(0, 0.12 * cuts, levels - 1)
        bend = (((steps - peak) / cuts) ** 2).sum(axis=1)
        alpha = rng.uniform(0.3, 0.8) - rng.uniform(0.8, 1.6) * bend
        alpha[rows[:, -1] > 0.95 * cuts] = np.nan if topic == topics[-1] and cuts > 20 else 0.1
        table[topic] = np.nan if topic in undefined else alpha
    of_topics = table[list(topics)]
    return table.assign(mean=of_topics.mean(axis=1), n_topics=of_topics.notna().sum(axis=1))


def panel(method, reference=None, topics=TREC8, cuts=100, levels=2, undefined=(), source="S100"):
    return made_panel(method, reference, tuple(topics), cuts, levels, tuple(undefined), source)


@cache
def made_panel(method, reference, topics, cuts, levels, undefined, source):
    """A search that gave the α of `alpha_table`, and what is kept of it."""
    seed = sum(map(ord, f"{method}@{reference}"))
    table = alpha_table(topics, cuts, levels, seed, undefined)
    values = table[[*topics]].to_numpy()
    alpha = TopicAlpha(values, 389 * ~np.isnan(values), np.full(len(topics), 390))
    thresholds = table[list(CUT_COLUMNS[: levels - 1])].to_numpy(dtype=float)
    search = CutSearch.of_topics(method, thresholds, topics, alpha)
    kept = cut_tables(search, reference)
    return SearchTables(method, reference, search.to_frame(), **kept, source=source)


def draw_searches(figure, searches):
    """A figure of some searches, from the tables that its item shows."""
    tables = [
        pd.concat([getattr(search, name) for search in searches], ignore_index=True)
        for name in ("best_cuts", "top_cuts", "tied_cuts")
    ]
    names = [f"{one.method}@{one.reference}" if one.reference else one.method for one in searches]
    alpha = dict(zip(names, (one.alpha for one in searches), strict=True))
    return figure(*tables, alpha, source=searches[0].source)


def published_panels(name, topics=TREC8, undefined=(), cuts=None, levels=None):
    figure = PUBLISHED[name]
    cuts = cuts or {"S4": 3, "S100": 100 if figure.levels == 2 else 15}[figure.source]
    return [
        panel(method, reference, topics, cuts, levels or figure.levels, undefined, figure.source)
        for method, reference in figure.panels
    ]


METHODS = (
    ("h1_ta", None),
    ("h1_at", None),
    ("tw1", None),
    ("h2", "So4_a"),
    ("h2", "S4"),
    ("d2_at", "So4_a"),
    ("d2_at", "S4"),
    ("d2_ta", "So4_a"),
    ("d2_ta", "S4"),
)


def tau_panel(expert, topics=TREC8, seed=1, undefined=False):
    rng = np.random.default_rng(seed)
    tau = alpha_table(topics, 30, 4, seed)[["c1", "c2", "c3"]]
    values = np.round(0.45 + 0.3 * rng.beta(6, 2, len(tau)), 4)
    tau = tau.assign(mean=np.nan if undefined else values)
    keys = itertools.product(METHODS, ("single", "per-topic"), ("TR2", "So4"))
    rankings = pd.DataFrame(
        [
            {
                "method": method,
                "reference": reference,
                "selection": selection,
                "expert": other,
                "measure": "nDCG",
                "tau": rng.uniform(0.65, 0.75),
                "n_systems": 129,
                "n_topics": len(topics),
            }
            for (method, reference), selection, other in keys
        ]
    )
    return tau_figures.CutTaus(expert, "nDCG", tau, rankings, "S100")


def draw_tau(panels):
    rankings = {"S100-to-4": panels[0].rankings} if panels else {}
    tau = {("S100-to-4", panel.expert): panel.tau for panel in panels}
    known = {"S100-to-4": {"source": "S100", "measure": "nDCG"}}
    return tau_figures.figure_tau(rankings, tau, transformations=known)


def draw_tau_topics(topics=TREC8, undefined=()):
    rng = np.random.default_rng(5)
    rows = []
    for (method, reference), topic in itertools.product(METHODS, [*topics, ALL_TOPICS]):
        values = np.sort(rng.uniform(0.1, 0.8, 7))
        values = np.full(7, np.nan) if topic in undefined else values
        names = ("low", "q1", "single", "median", "per_topic", "q3", "high")
        row = {"method": method, "reference": reference, "expert": "TR2", "topic": topic}
        rows.append(row | dict(zip(names, values, strict=True)))
    return tau_figures.figure_tau_topics(
        pd.DataFrame(rows), panels=["tw1", "h2@So4_a", "h2@S4"], expert="TR2", source="S100",
        levels=4,
    )  # fmt: skip


def draw(name, **options):
    if name == "figure-tau":
        topics, undefined = options.get("topics", TREC8), bool(options.get("undefined"))
        return draw_tau(
            [tau_panel(expert, topics, undefined=undefined) for expert in ("TR2", "So4")]
        )
    if name == "figure-tau-topics":
        return draw_tau_topics(**options)
    return draw_searches(PUBLISHED[name].draw, published_panels(name, **options))


@pytest.fixture(scope="module")
def usual():
    """Each figure of some topics, drawn once."""
    return cache(lambda name, topics=tuple(TREC8[:4]): draw(name, topics=list(topics)))


KINDS = [*PUBLISHED, "figure-tau", "figure-tau-topics"]
"""One figure drawn by each function."""
SVG = "{http://www.w3.org/2000/svg}"


def markers(axes, label_size):
    """Places of the black dots of one size."""
    lines = [line for line in axes.lines if line.get_markersize() == label_size]
    points = [line.get_xydata() for line in lines if line.get_color() == style.BLACK]
    return np.concatenate(points) if points else np.empty((0, 2))


def test_what_is_drawn(usual):
    assert_said("figures-han2019", lambda name: described(usual(name)), ((n,) for n in KINDS))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("topics", others_slow([SIXTY, UC3M, ["401"]]), ids=len)
def test_every_figure_renders_on_its_page(usual, name, topics):
    figure = usual(name, tuple(topics))
    assert_fits(figure, NOTES)
    shown = words(figure)
    assert NOTES in shown
    if name not in ("figure-5", "figure-tau"):
        # a label of more topics than fit may be left out, the others stand in order
        assert [text for text in shown if text in topics][: len(topics)] == topics


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("undefined", others_slow([["402"], ["401", "402", "403"]]), ids=len)
def test_undefined_topics_render(tmp_path, name, undefined):
    figure = draw(name, topics=["401", "402", "403"], undefined=undefined)
    assert on_page(figure)
    save(figure, tmp_path / "figure.svg")


@pytest.mark.parametrize("name", others_slow(KINDS, 3))
def test_the_same_tables_give_the_same_bytes(tmp_path, name):
    assert_same_files(tmp_path, lambda: draw(name, topics=TREC8[:4]), NOTES)


def test_bytes_do_not_depend_on_which_format_is_saved_first(tmp_path):
    first, second = (draw("figure-3", topics=TREC8[:4]) for _ in range(2))
    save(first, tmp_path / "a.svg", tmp_path / "a.png")
    save(second, tmp_path / "b.png", tmp_path / "b.svg")
    for ending in ("svg", "png"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_the_map_shows_each_alpha_the_best_cut_and_every_tied_cut():
    topics = ["9", "10", "401"]
    one = panel("h1_ta", None, topics, undefined=["10"])
    axes = draw_searches(han2019.figure_3, [one]).axes[0]
    block, mean = (image.get_array() for image in axes.images)
    for place, topic in enumerate(topics):
        np.testing.assert_array_equal(block[:, place].filled(np.nan), one.alpha[topic])
    np.testing.assert_array_equal(mean[:, 0].filled(np.nan), one.alpha["mean"])
    best = [[0, one.best.loc["9", "c1"]], [2, one.best.loc["401", "c1"]]]
    best.append([3 + GAP, one.best.loc[ALL_TOPICS, "c1"]])
    np.testing.assert_allclose(markers(axes, 3.4), np.array(best, dtype=float))
    small = markers(axes, 1.3)
    assert len(small) == one.best["tied"].sum() > 3
    for place, topic in ((0, "9"), (2, "401")):
        values = one.alpha[topic].to_numpy()
        tied = np.flatnonzero(values >= np.nanmax(values) - 1e-12)
        np.testing.assert_array_equal(small[small[:, 0] == place, 1], tied)


def test_two_thresholds_serve_as_well_as_three():
    figure = draw_searches(han2019.figure_6, [panel("d2_at", "NIST", UC3M, levels=3)])
    assert {"$c_1$", "$c_2$"} < set(words(figure)) and "$c_3$" not in words(figure)


def test_other_methods_rows_are_passed_over():
    ours, other = panel("h2", "TR2_a", ["401"]), panel("h2", "S2", ["401"])
    mixed = pd.concat([other.best_cuts, ours.best_cuts], ignore_index=True)
    both = SearchTables("h2", "TR2_a", ours.alpha, mixed, ours.top_cuts, ours.tied_cuts)
    assert (both.best_cut("401") == ours.best_cut("401")).all()
    assert len(both.best) == 2


def test_tau_of_the_papers_size(tmp_path):
    rows = np.array(list(itertools.combinations(range(100), 3)), dtype=np.int16)
    assert len(rows) == 161_700
    values = np.random.default_rng(3).beta(6, 2, len(rows))
    one = tau_panel("TR2")
    tau = pd.DataFrame(rows, columns=CUT_COLUMNS).assign(mean=values)
    figure = draw_tau([tau_figures.CutTaus("TR2", "nDCG", tau, one.rankings, "S100")])
    save(figure, tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").stat().st_size < 500_000
    assert "161,700 cuts" in words(figure)


def test_maps_of_every_size_stay_small(tmp_path):
    save(draw("figure-3", topics=SIXTY), tmp_path / "figure.svg")  # its layout is fixed then
    root = ET.parse(tmp_path / "figure.svg").getroot()
    assert len(list(root.iter(f"{SVG}image"))) >= 6  # α as pictures, not as thousands of paths
    assert (tmp_path / "figure.svg").stat().st_size < 500_000


def test_what_a_figure_cannot_show_is_said():
    none = pd.DataFrame()
    with pytest.raises(ParameterError, match="at least one panel"):
        han2019.figure_3(none, none, none, {})
    with pytest.raises(ParameterError, match="at least one panel"):
        draw_tau([])
    with pytest.raises(ParameterError, match="two levels, not 4"):
        draw_searches(han2019.figure_3, [panel("tw1", None, ["401"], cuts=10, levels=4)])
    with pytest.raises(ParameterError, match="use figure_3"):
        draw_searches(han2019.figure_1, [panel("tw1", None, ["401"], cuts=100)])
    with pytest.raises(ParameterError, match="no column c1"):
        SearchTables("tw1", None, pd.DataFrame({"mean": [0.1]}), none, none, none)
    no_topic = pd.DataFrame({"c1": [0, 1], "mean": np.nan, "n_topics": 0})
    reason = unserved_cuts({"tw1": "no document has the judgments of two"}).to_pandas()
    with pytest.raises(ParameterError, match=r"tw1 has no topic to draw: no document .* out"):
        SearchTables("tw1", None, no_topic, reason, none, none)


# --- groups of cuts ------------------------------------------------------------------------------


def groups(levels=4, topics=("401", "402"), searches=(("d2_at", "So4_a"), ("tw1", None))):
    """Tables ``cuts/groups`` and ``cuts/group_counts`` of some searches."""
    parts = {"groups": [], "group_counts": []}
    for method, reference in searches:
        alpha = alpha_table(topics, 20, levels, seed=len(method))
        made = cut_groups(alpha, method, reference, Scale.of({"levels": 21}), size=30)
        for name, tables in parts.items():
            tables.append(made[name])
    return {name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()}


def test_groups_are_drawn():
    made = groups()
    of_topics = {"panels": ["d2_at@So4_a"], "topics": ["401", "*"]}
    drawn = {
        "figure-10": han2019.figure_10(made["group_counts"], **of_topics, source="S20", levels=4),
        "figure-groups": han2019.figure_groups(made["groups"], source="S20", levels=4),
    }
    said = ((name,) for name in drawn)
    assert_said("figures-han2019-groups", lambda name: described(drawn[name]), said)
    with pytest.raises(ParameterError, match="no method has cuts"):
        han2019.figure_groups(made["groups"].iloc[:0], source="S20", levels=4)


def test_figure_10_of_topics_that_are_not_there():
    counts = groups()["group_counts"]
    with pytest.raises(ParameterError, match="tw1 has no cuts for topic 9: name some of"):
        han2019.figure_10(counts, panels=["tw1"], topics=["9"], source="S20", levels=4)
    with pytest.raises(ParameterError, match="at least one topic"):
        han2019.figure_10(counts, panels=["tw1"], topics=[], source="S20", levels=4)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (np.arange(51) / 10, [0, 1, 2, 3, 4, 5]),
        (np.arange(100), [0, 20, 40, 60, 80]),
        (np.unique(np.r_[np.arange(13) / 3, 0.5, 3.6]), [0, 1, 2, 3, 4]),
        ([0, 1, 2], [0, 1, 2]),
        ([], []),
        ([7.0], [7.0]),
    ],
)
def test_axes_of_cuts_name_round_values(values, named):
    values = np.asarray(values, dtype=float)
    assert values[han2019.round_places(values)].tolist() == pytest.approx(named)


def test_axes_of_cuts_without_round_values_name_some():
    values = np.sort(np.random.default_rng(1).random(40))
    assert len(han2019.round_places(values)) >= 4


@pytest.mark.parametrize("units", [["labels"], ["labels", "topics"]])
def test_budgets_of_one_topic_have_no_panels_of_topics(units):
    budget = pd.DataFrame([
        {"method": "d2_at", "reference": "R", "selection": "single", "unit": unit,
         "budget": count, "regret": 0.1 / count, "low": 0.0, "high": 0.2, "epsilon": 0.01,
         "note": None}
        for unit in units for count in (1, 2, 5)
    ])  # fmt: skip
    figure = figure_budget(budget)
    assert [axes.get_xlabel() for axes in figure.axes] == [
        {"labels": "labels a topic", "topics": "topics with labels"}[unit] for unit in units
    ]
    assert all(axes.lines for axes in figure.axes)

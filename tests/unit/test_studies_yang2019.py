"""The thesis's tables from ours, what it printed beside them, and how much of it comes out."""

import re
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from regrade import tied_scores
from regrade.audit.rankings import audit_runs
from regrade.errors import ParameterError
from regrade.pools import leave_out as leaveout
from regrade.pools import pooling
from regrade.pools.scores import to_frame
from regrade.run_arrays import JudgedLists
from regrade.scoring import score
from regrade.show.published import read_published, reproduced, write_markdown
from regrade.show.style import save
from regrade.significance import ancova, discrimination
from regrade.studies.yang2019 import residuals_figures, ties_figures
from regrade.studies.yang2019 import tables as yang2019
from regrade.studies.yang2019.items import YANG2019
from regrade.tables import write_csv
from regrade.uncertainty import movements, ranges, residuals
from tests.each import others_slow
from tests.snapshots import assert_said

from . import trec
from .figure_checks import (
    assert_fits,
    assert_legible_and_small,
    assert_same_files,
    box_edges,
    described,
    laid_out,
    on_page,
    table_lines,
    words,
)
from .trec8_depths import trec8_depth_scores

PRINTED = Path(__file__).parents[2] / "data" / "published"
RBP = "RBP(p=0.98)"
VALUES = {
    "table-3.2": 14, "table-3.3": 15, "table-3.4": 72, "table-4.1": 25, "table-4.2": 24,
    "table-4.3": 18, "table-4.4": 96, "table-4.5": 54, "table-4.6": 61, "table-4.7": 90,
    "table-4.8": 12, "table-4.9": 56,
}  # fmt: skip
"""How many numbers the thesis prints in each table, and one of Table 4.6 in its text."""


OF_PAIRS = ("preferences/", "pair-")
"""What chapter 5 shows is tested where it is computed, and drawn by the workflow's tests."""
ITEMS = {
    name: item
    for name, item in YANG2019.by_name.items()
    if not any(path.startswith(OF_PAIRS) for path in item.shows)
}
COLLECTIONS = [name for name in YANG2019.published["enum"] if name]
DECIMALS = {name: (item.decimals, item.decimals_of) for name, item in ITEMS.items()}


def printed(name):
    """All that the thesis prints, of every collection."""
    return pd.read_csv(PRINTED / f"yang2019-{name}.csv", keep_default_na=False)


def printed_of(name, collection):
    return read_published(PRINTED / f"yang2019-{name}.csv", collection)


def chosen(table, **keys):
    """The published numbers of the rows with these values, in order."""
    for key, value in keys.items():
        table = table[table[key] == value]
    return table["published"].tolist()


# --- what the thesis printed -------------------------------------------------------------------


@pytest.mark.parametrize("name", VALUES)
def test_every_number_is_there_once(name):
    table = printed(name)
    layout = ITEMS[name]
    # the thesis does not tell pairs of one group from others
    keys = [key for key in layout.keys if key != "pairs"]
    keys += ["relation"] if layout.has_bounds else []
    keys = keys if name == "table-3.3" else ["collection", *keys]
    assert table.columns.tolist() == [*keys, "published"]
    assert len(table) == VALUES[name]
    assert not table.duplicated([key for key in keys if key != "relation"]).any()
    assert table["published"].notna().all()
    if name != "table-3.3":
        assert set(table["collection"]) <= set(COLLECTIONS)


def test_all_published_tables_have_a_layout():
    files = {path.stem for path in PRINTED.glob("yang2019-*.csv") if "-5." not in path.stem}
    assert files == {f"yang2019-{name}" for name in VALUES}
    assert set(VALUES) <= set(ITEMS)


# The thesis's tables check each other, so a slip in writing them down would show.


def test_lines_of_table_4_4_sum_to_its_totals():
    table = printed("table-4.4")
    judged = table[table["quantity"] == "judged"]
    keys = ["collection", "pooling"]
    total = judged[judged["votes"] == "all"].set_index(keys)["published"]
    parts = judged[judged["votes"] != "all"].groupby(keys)["published"].sum()
    pd.testing.assert_series_equal(parts, total, check_like=True)
    # and percentages of the lines, each rounded, to the percentage of all
    wide = table.pivot(index=[*keys, "votes"], columns="quantity", values="published")
    relevant = (wide["judged"] * wide["percent"] / 100).drop("all", level="votes")
    slack = (wide["judged"] * 0.05 / 100).drop("all", level="votes").groupby(keys).sum()
    of_total = wide.xs("all", level="votes")
    difference = relevant.groupby(keys).sum() - of_total["judged"] * of_total["percent"] / 100
    assert (difference.abs() <= slack + of_total["judged"] * 0.05 / 100).all()


def test_table_4_6_sums_to_all_pairs_and_gives_table_4_5():
    counts = printed("table-4.6").query("collection == 'TREC-7'")
    counts = counts.pivot(index=["measure", "depth"], columns="outcome", values="published")
    assert (counts.sum(axis=1) == 65 * 64 / 2).all()  # pairs of one group among them
    deep = (counts["tp"] + counts["fn"]).groupby("measure").unique().explode()
    assert len(deep) == 3  # as many under the deep pool, whatever the depth
    ratios = printed("table-4.5").query("collection == 'TREC-7'")
    ratios = ratios.set_index(["measure", "depth"])["published"]
    for (measure, depth), row in counts.iterrows():
        ratio = 100 * (row["tp"] + row["fp"]) / 2080
        assert ratio == pytest.approx(ratios[measure, depth], abs=0.05)
    for measure, found in deep.items():
        assert 100 * found / 2080 == pytest.approx(ratios[measure, 50], abs=0.05)


def test_shares_and_counts_are_whole():
    shares = printed("table-4.7").groupby(["collection", "measure", "depth"])["published"].sum()
    assert shares.sub(100).abs().max() < 0.15
    strengths = printed("table-4.2")
    strengths = strengths[strengths["quantity"].isin(["below_08", "below_09", "from_09"])]
    assert (strengths.groupby(["measure", "coefficient"])["published"].sum() == 249).all()


def test_where_the_thesis_disagrees_with_itself():
    """docs/methods/yang2019.md says these."""
    sizes, lines = printed("table-4.3"), printed("table-4.4")
    for collection, size, total in (
        ("TREC-7", 33870, 23903),
        ("TREC-8", 40238, 38352),
        ("TREC-13", 17509, 17517),
    ):
        assert chosen(sizes, collection=collection, quantity="judged") == [size]
        in_lines = {"pooling": "Depth@50", "votes": "all", "quantity": "judged"}
        assert chosen(lines, collection=collection, **in_lines) == [total]
    assert round(100 * 98 / 103, 1) == 95.1  # "98 out of 103"; its Table 3.2 has 95.2


# --- tables from what the library makes --------------------------------------------------------


@cache
def made(systems=6, topics=5, depths=(5, 10, 50)):
    """What the stages make of a small random collection, by the names of the tables."""
    runs, labels = trec.random_collection(
        4, systems=systems, topics=topics, documents=40, longest=25, levels=2
    )
    collection = trec.Collection.small(runs, labels)
    ranked, judged = collection.ranked, collection.judged
    names = ("AP", "nDCG", RBP, "RR")
    by_depth = {
        depth: score(
            ranked,
            pooling.make_pool(ranked, pooling.Pooling("Depth", depth=depth)).reduce(judged),
            names,
            max_grade=1,
            topics=judged.topics,
        )
        for depth in depths
    }
    ways = [pooling.Pooling("Depth", depth=depth) for depth in (20, 50)]
    sizes = pooling.pool_sizes(ranked, judged, ways)
    pairs = discrimination.compare_depths(by_depth)
    moved = movements.score_movements(
        {depth: by_depth[depth].to_table() for depth in depths[:-1]},
        by_depth[depths[-1]].to_table(),
        measures=names[:3],
    )
    phis = [residuals.phi_of_depth(depth) for depth in residuals.EXPECTED_DEPTHS]
    curves = residuals.rbp_curves(ranked, judged, phis, ["RBP", *names[:2]])
    scores = score(ranked, judged, names[:2], max_grade=1)
    near = residuals.nearest_phi(curves, scores)
    lists = JudgedLists.match(ranked, judged, 1.0)
    banded = tied_scores.score_bands(ranked, lists, ["1.4", "2"], ["RR", "AP"]).to_frame()
    p_values = tied_scores.banded_p_values(banded)
    groups = tied_scores.TieGroups.by_score(ranked, "float64")
    left = leaveout.leave_out_of_pool(ranked, judged, pooling.Pooling("Depth", depth=20), "run")
    left = leaveout.rescore(ranked, judged, left, ["AP"])
    across = discrimination.across_groups(pairs, {"s0": "a", "s1": "a"})
    ratios = {"all": pairs, "across groups": across}
    below = pairs[pairs["depth"] != depths[-1]]
    return {
        "ties/rates": tied_scores.tie_rates(audit_runs(collection.ranked)),
        "ties/bounds": tied_scores.worst_case_bounds(["1.4", "2"], ["RR", "RBP(p=0.5)"]),
        "ties/non_inferior": tied_scores.count_non_inferior(tied_scores.non_inferiority(banded)),
        "ties/banded": banded,
        "ties/p_values": p_values,
        "ties/quadrants": tied_scores.quadrants(p_values),
        "ties/ranges": tied_scores.tie_scores(ranked, lists, groups, ["AP"]).to_frame(),
        "pools/collection": pooling.collection_facts(collection.audit(), [judged]),
        "residuals/rbp": curves[0].to_frame(),
        "residuals/tau_by_phi": residuals.tau_by_phi(curves, scores),
        "residuals/nearest_phi": near,
        "residuals/nearest_summary": residuals.summarise_nearest(near),
        "pools/sizes": sizes,
        "pools/facts": pooling.pool_facts(sizes, systems),
        "pools/votes": pd.concat(
            pooling.multiplicities(pooling.make_pool(ranked, way), judged).assign(pooling=str(way))
            for way in ways
        ),
        "pools/movements": moved,
        "discrimination/ratios": pd.concat(
            discrimination.discrimination_ratios(table).assign(pairs=kind)
            for kind, table in ratios.items()
        ),
        "discrimination/agreement": discrimination.agreement_with_baseline(pairs, depths[-1]),
        "discrimination/trends": discrimination.trend_counts(discrimination.p_trends(below)),
        "discrimination/curve": discrimination.significance_curve(pairs),
        "pools/movement_shares": movements.movement_shares(moved),
        "pools/movement_correlations": movements.movement_correlations(moved),
        "ancova/effects": effects_of(by_depth),
        "ancova/diagnostics": ancova.residual_diagnostics(to_frame(by_depth)),
        "ranges/systems": ranges.system_ranges(
            ranges.exact_ranges(ranked, judged, names[:3]).to_frame(), RBP
        ),
        "leave-one-out/{left_out}/summary": {"runs": left.summary_frame()},
        "leave-one-out/{left_out}/systems": {"runs": left.systems_frame()},
    }


@pytest.fixture(scope="module")
def stages():
    return made()


def effects_of(by_depth):
    """Both models, as the stage writes them."""
    long = to_frame(by_depth)
    return pd.concat([ancova.ancova(long, model) for model in ("main", "full")], ignore_index=True)


@pytest.fixture(scope="module")
def library(stages):
    """What the function of each table takes."""
    return {
        name: tuple(stages[shown] for shown in item.shows)
        for name, item in ITEMS.items()
        if item.is_table
    }


def make(name, library, collection):
    """The table by its name, given what the stages made."""
    function = getattr(yang2019, ITEMS[name].function)
    if name not in VALUES:
        return function(*library[name])
    # the thesis's bounds are the same for all collections
    known = collection or name == "table-3.3"
    return function(*library[name], published=printed_of(name, collection) if known else None)


def test_what_is_shown(library):
    def say(name):
        made = make(name, library, "TREC-8")
        return [line for table in made for line in table_lines(table.round(6))]

    assert_said("tables-yang2019", say, ((name,) for name in library))


@pytest.mark.parametrize("collection", [*COLLECTIONS, None])
@pytest.mark.parametrize("name", VALUES)
def test_published_beside_ours(library, name, collection, tmp_path):
    tidy, readable = make(name, library, collection)
    keys = list(ITEMS[name].keys)
    assert not tidy.duplicated(keys).any()
    table = printed(name)
    if name != "table-3.3":
        table = table[table["collection"] == collection]
    # every printed number that has a row of ours stands there, and nowhere else
    known = [key for key in keys if key != "pairs"]
    expected = table.set_index(known)["published"].to_dict()
    for row, pairs in zip(
        tidy.itertuples(), tidy.get("pairs", pd.Series(["all"] * len(tidy))), strict=True
    ):
        key = tuple(getattr(row, k) for k in known)
        wanted = expected.get(key if len(known) > 1 else key[0])
        if wanted is None or pairs != "all":
            assert np.isnan(row.published)
        else:
            assert row.published == wanted
    in_brackets = readable.map(lambda cell: " (" in cell)
    assert in_brackets.sum(axis=None) == tidy["published"].notna().sum()
    write_csv(tidy, tmp_path / "t.csv")
    write_markdown(readable, tmp_path / "t.md", ITEMS[name].title, "")
    back = pd.read_csv(tmp_path / "t.csv")
    assert back.columns.tolist() == tidy.columns.tolist()
    np.testing.assert_allclose(back["ours"], tidy["ours"], rtol=1e-11)


def test_what_a_table_is_told_counts(stages):
    effects, systems = stages["ancova/effects"], stages["ranges/systems"]
    few, many = (yang2019.table_4_9(effects, significance=level)[1] for level in (1e-9, 0.999))
    assert not few.equals(many)
    tidy, _ = yang2019.table_ranges(systems, residual="nDCG")
    assert tidy["measure"].unique().tolist() == ["AP", RBP]


def test_what_runs_and_qrels_do_not_tell_is_the_thesis_s_alone(library):
    tidy, readable = make("table-4.1", library, "TREC-8")
    alone = tidy[tidy["ours"].isna()].set_index("quantity")["published"].to_dict()
    assert alone == {"year": 1999, "systems that contribute to the pool": 71, "pool depth": 100}
    shown = readable.set_index("quantity")["value"]
    assert shown["pool depth"] == "– (100)"
    assert make("table-4.1", library, None)[0]["ours"].notna().all()


def test_cells_for_reading(library):
    _, readable = make("table-3.3", library, None)
    assert readable.to_dict("records") == [
        {"rho": "1.4", "RR": "0.0417 (0.0417)", "RBP(p=0.5)": "0.0429 (0.0429)"},
        {"rho": "2.0", "RR": "0.0833 (0.0833)", "RBP(p=0.5)": "0.1016 (0.1016)"},
    ]
    ratios = pd.DataFrame(
        {"pairs": "all", "depth": [5, 10], "measure": "AP", "test": "t", "n_pairs": 3,
         "undefined": [0, 1],
         "significant": [2, 0], "ratio": [2 / 3, 0.0]}
    )  # fmt: skip
    _, readable = yang2019.table_4_5(ratios, published=printed_of("table-4.5", "TREC-8"))
    assert readable.to_dict("records") == [
        {"pairs": "all", "number": "3", "measure": "AP", "test": "t", "d′ = 5": "66.7 (71.1)",
         "d′ = 10": "0.0 (72.6)"}
    ]  # fmt: skip
    _, readable = yang2019.table_4_5(
        ratios.assign(test="sign"), published=printed_of("table-4.5", "TREC-8")
    )
    assert readable["d′ = 5"].tolist() == ["66.7"]  # the thesis has no other test
    correlations = pd.DataFrame(
        {"measure": ["AP"], "rankings": 9, "tau_difference": [-0.001], "ratios": 9,
         "tau_ratio": [np.nan]}
    )  # fmt: skip
    _, readable = yang2019.table_4_8(correlations, published=printed_of("table-4.8", "TREC-7"))
    assert readable.loc[0, "τ_b of differences"] == "0.00 (0.04)"  # no −0.00
    assert readable.loc[0, "τ_b of ratios"] == "– (0.18)"


def test_bounds_are_shown_as_bounds():
    nearest = pd.DataFrame(
        {"measure": ["AP"], "coefficient": "rbo", "below_08": 1, "below_09": 2, "from_09": 3,
         "undefined": 0, "tau": 0.5952, "p": 0.02, "mean_phi": 0.9}
    )  # fmt: skip
    tidy, readable = yang2019.table_4_2(nearest, published=printed_of("table-4.2", "TREC-13"))
    assert tidy.set_index("quantity")["relation"].to_dict() == {
        "below_08": "=", "below_09": "=", "from_09": "=", "undefined": "", "tau": "=", "p": "<",
        "mean_phi": "=",
    }  # fmt: skip
    assert readable.loc[0, "p"] == "0.0200 (< 0.0001)"
    assert readable.loc[0, "τ of φ and R"] == "0.595 (0.595)"
    _, readable = yang2019.table_4_2(nearest.assign(p=1e-9))
    assert readable.loc[0, "p"] == "< 0.0001"

    main = pd.DataFrame(
        {"measure": "RR", "term": ["(Intercept)", "depth", "topic", "Residuals"],
         "sum_sq": 1.0, "df": 1, "f": 2.0, "p": [0.0, 0.8604, 0.0, np.nan]}
    )  # fmt: skip
    full = main.assign(term=["(Intercept)", "depth", "depth:topic", "Residuals"])
    effects = pd.concat([main.assign(model="main"), full.assign(model="full")])
    tidy, readable = yang2019.table_4_9(effects, published=printed_of("table-4.9", "TREC-7"))
    assert readable.set_index(["model", "term"])["RR"].to_dict() == {
        ("main effects", "depth"): "0.860 (0.860)",
        ("main effects", "topic"): "*** (***)",
        ("interactions", "depth"): "0.860",  # the thesis's is that of the other model
        ("interactions", "depth:topic"): "*** (***)",
    }
    assert reproduced({"table-4.9": tidy}, DECIMALS).to_dict("records") == [
        {"table": "table-4.9", "values": 3, "reproduced": 3,
         "largest_difference": pytest.approx(0.0004)}
    ]  # fmt: skip


def test_reproduced_counts_to_the_printed_digit():
    def tidy(ours, published, **columns):
        return pd.DataFrame({"ours": ours, "published": published, **columns})

    tables = {
        "table-4.5": tidy([71.149, 71.151, 71.1, np.nan], [71.1, 71.1, np.nan, 71.1]),
        "table-4.4": tidy([5.26, 5.3], [5.3, 5.0], quantity=["percent", "judged"]),
        "table-4.8": tidy([1.0], [np.nan]),
        "table-4.2": tidy(
            [0.0002, 1e-9], [0.0001, 0.0001], quantity=["p", "p"], relation=["<", "<"]
        ),
    }
    found = reproduced(tables, DECIMALS).set_index("table")
    assert found[["values", "reproduced"]].to_dict("index") == {
        "table-4.5": {"values": 2, "reproduced": 1},
        "table-4.4": {"values": 2, "reproduced": 2},
        "table-4.2": {"values": 2, "reproduced": 1},
    }
    assert found.loc["table-4.5", "largest_difference"] == pytest.approx(0.051)
    assert found.loc["table-4.2", "largest_difference"] == 0


# --- new tables --------------------------------------------------------------------------------


def test_ranges_beside_the_residual(library):
    (systems,) = library["table-ranges"]
    tidy, readable = make("table-ranges", library, None)
    wide = systems.set_index(["system", "measure"])
    assert set(tidy["measure"]) == {"AP", "nDCG"}
    for row in tidy.itertuples():
        rbp = wide.loc[(row.system, RBP)]
        assert row.residual == rbp["high"] - rbp["value"]
        assert row.low <= row.value <= row.high
        assert row.high == wide.loc[(row.system, row.measure), "high"]
    ap = tidy[tidy["measure"] == "AP"]
    assert ap["value"].is_monotonic_decreasing
    assert readable["system"].tolist() == ap["system"].tolist()
    best = ap.iloc[0]
    assert readable.loc[0, "AP"] == f"{best['value']:.4f}"
    assert readable.loc[0, "AP, range"] == f"{best['low']:.4f} – {best['high']:.4f}"
    assert readable.loc[0, f"{RBP}, residual"] == f"{best['residual']:.4f}"
    with pytest.raises(ParameterError, match=r"unknown measure 'RBP\(p=0.5\)'"):
        yang2019.table_ranges(systems, residual="RBP(p=0.5)")
    with pytest.raises(ParameterError, match="add AP or nDCG"):
        yang2019.table_ranges(systems[systems["measure"] == RBP])


def test_ancova_in_full(library):
    (effects,) = library["table-ancova"]
    tidy, readable = yang2019.table_ancova(effects)
    pd.testing.assert_frame_equal(tidy, effects[tidy.columns.tolist()])
    assert readable.loc[0, "F"] == f"{effects.loc[0, 'f']:.4g}"
    assert readable.loc[0, "η²"] == ""  # the intercept has no size
    underflow = effects.assign(p=0.0)
    assert set(yang2019.table_ancova(underflow)[1]["p"]) == {"< 1e-300"}


# --- figures -----------------------------------------------------------------------------------

FIGURES = {
    name: item
    for name, item in ITEMS.items()
    if item.part in ("ties", "residuals", "pools") and not item.is_table
}
KINDS = [
    "figure-3.4", "figure-3.6", "figure-3.8", "figure-4.1", "figure-4.2", "figure-4.3",
    "figure-4.5", "figure-4.6", "figure-4.7", "figure-4.8", "figure-ranges",
    "figure-leave-one-out", "figure-power", "figure-ancova",
]  # fmt: skip
"""One figure drawn by each function."""
NOTES = "129 runs of TREC-8, 50 topics"


def draw(name, stages, **replaced):
    """A figure of the stages' tables; another one in place of the first that it shows."""
    item = FIGURES[name]
    first, *others = (stages[path] for path in item.shows)
    first = replaced.get("first", first)
    if isinstance(stages[item.shows[0]], dict) and not isinstance(first, dict):
        first = {"runs": first}
    settings = {"depths": (20, 50)} if name == "figure-4.5" else {}
    function = getattr(import_module(item.module), item.function)
    return function(first, *others, **settings)


def first_of(name, stages):
    """The first table that a figure shows."""
    table = stages[FIGURES[name].shows[0]]
    return table["runs"] if isinstance(table, dict) else table


def test_what_is_drawn(stages):
    assert_said("figures-yang2019", lambda n: described(draw(n, stages)), ((n,) for n in KINDS))


SIZES = {"many": (70, 20), "two systems": (2, 5), "few topics": (9, 2)}


@pytest.mark.slow
@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("size", SIZES)
def test_any_collection_fits_the_page(size, tmp_path):
    stages = made(*SIZES[size])
    for name in KINDS:
        figure = draw(name, stages)
        assert_fits(figure, NOTES)
        assert NOTES in words(figure)
        assert_legible_and_small(figure, tmp_path)


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
def test_undefined_values_render(stages, tmp_path, name):
    table = first_of(name, stages).copy()
    table[UNDEFINED[name]] = np.nan
    figure = draw(name, stages, first=table)
    assert on_page(figure)
    save(figure, tmp_path / "figure.svg")


@pytest.mark.parametrize(
    "name", others_slow(["figure-3.4", "figure-3.8", "figure-4.3", "figure-ancova"])
)
def test_the_same_tables_give_the_same_bytes(stages, tmp_path, name):
    assert_same_files(tmp_path, lambda: draw(name, stages), NOTES)


@pytest.mark.parametrize("name", KINDS)
def test_a_table_without_rows_is_said(stages, name):
    table = first_of(name, stages)
    with pytest.raises(ParameterError, match=r"the table \S+/\S+ has no rows"):
        draw(name, stages, first=table.iloc[:0])


@pytest.mark.parametrize("name", ["figure-3.6", "figure-4.7", "figure-4.6", "figure-ranges"])
def test_any_measures_get_a_panel_in_the_order_of_the_table(stages, name):
    table = first_of(name, stages)
    for count in (1, 2, 5):
        measures = [f"nDCG@{10 * i}" for i in range(count, 0, -1)]
        parts = [table[table["measure"] == "AP"].assign(measure=m) for m in measures]
        whole = pd.concat(parts, ignore_index=True)
        whole["measure"] = pd.Categorical(whole["measure"], categories=sorted(measures))
        found = [re.sub(r"^\(.\)  ", "", title) for title in words(draw(name, stages, first=whole))]
        assert [title for title in dict.fromkeys(found) if title in measures] == measures


def test_boxes_have_the_quartiles_of_their_values_and_whiskers_reach_1_5_of_them(stages):
    table = stages["ties/banded"]
    axes = ties_figures.figure_3_6(table).axes[1]
    one = table[table["measure"] == "AP"].groupby("rho")["difference"]
    expected = one.quantile([0.25, 0.75]).unstack()
    np.testing.assert_allclose(box_edges(axes), expected.to_numpy(), atol=1e-12)
    values = [*range(11), 16, 18]
    table = pd.DataFrame({"measure": "AP", "rho": 2.0, "difference": np.array(values, dtype=float)})
    axes = ties_figures.figure_3_6(table).axes[0]
    assert tuple(box_edges(axes)[0]) == (3, 9)
    assert {0, 18} <= {y for line in axes.lines for y in line.get_ydata()}  # 9 + 1.5 · 6
    table.loc[12, "difference"] = 18.1
    axes = ties_figures.figure_3_6(table).axes[0]
    [outlying] = [line for line in axes.lines if line.get_marker() == "o"]
    assert outlying.get_ydata().tolist() == [18.1]


def test_3_8_needs_the_quadrants_of_every_band(stages):
    table, quadrants = stages["ties/p_values"], stages["ties/quadrants"]
    with pytest.raises(ParameterError, match=r"ρ = 2: its quadrants"):
        ties_figures.figure_3_8(table, quadrants[quadrants["rho"] < 2])


@pytest.mark.parametrize("least", [1e-6, 1e-4, 2e-3, 0.05])
def test_4_2_names_no_place_over_another(stages, least):
    table = stages["residuals/tau_by_phi"]
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
        assert all(a.x1 < b.x0 for a, b in pairwise(boxes)), [t.get_text() for t in shown]


# --- TREC-8 ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trec8(real_data):
    """Tidy tables of TREC-8, from the runs and qrels."""
    collection = trec.trec8(real_data)
    ranked, judged = collection.ranked, collection.judged
    deep = trec.trec8_deep(real_data)
    ways = [pooling.Pooling("Depth", depth=depth) for depth in (20, 50)]
    by_depth = trec8_depth_scores(real_data)
    pairs = discrimination.compare_depths({d: by_depth[d] for d in (5, 10, 15, 20, 25, 50)})
    made = {
        "table-3.2": (tied_scores.tie_rates(audit_runs(collection.ranked)),),
        "table-3.3": (
            tied_scores.worst_case_bounds(
                ["1.1", "1.2", "1.4", "1.7", "2.0"], ["RR", "RBP(p=0.5)", "RBP(p=0.85)"]
            ),
        ),
        "table-4.1": (pooling.collection_facts(collection.audit(), [judged]),),
        "table-4.3": (
            pooling.pool_facts(
                pooling.pool_sizes(ranked, judged, ways, contributors=deep), len(deep)
            ),
        ),
        "table-4.4": (
            pd.concat(
                pooling.multiplicities(
                    pooling.make_pool(ranked, way, contributors=deep), judged
                ).assign(pooling=str(way))
                for way in ways
            ),
        ),
        "table-4.5": (discrimination.discrimination_ratios(pairs).assign(pairs="all"),),
        "table-4.6": (discrimination.agreement_with_baseline(pairs, 50),),
        "table-4.9": (effects_of(by_depth),),
    }
    return {name: make(name, made, "TREC-8")[0] for name in made}


def test_trec8_comes_out(trec8):
    whole = {name: tidy for name, tidy in trec8.items() if name != "table-4.4"}
    # Table 4.4 (b) is not of the pool that Table 4.3 is of
    whole["table-4.4"] = trec8["table-4.4"].query("pooling == 'Depth@20'")
    found = reproduced(whole, DECIMALS).set_index("table")
    assert found["values"].to_dict() == {
        "table-3.2": 7, "table-3.3": 15, "table-4.1": 6, "table-4.3": 6, "table-4.5": 18,
        "table-4.6": 1, "table-4.4": 16,
    }  # fmt: skip
    assert (found["reproduced"] == found["values"]).all()


def test_trec8_table_4_4_b_is_of_another_pool(trec8):
    table = trec8["table-4.4"].query("pooling == 'Depth@50' and votes == 'all'")
    judged = table[table["quantity"] == "judged"].iloc[0]
    assert (judged["published"], judged["ours"]) == (38352, 40238)


def test_trec8_effects_are_similar_to_those_printed_for_trec7(trec8):
    """The thesis says so without numbers: all significant but depth for RR."""
    ours = trec8["table-4.9"].set_index(["model", "term", "measure"])["ours"]
    assert ours.pop(("main effects", "depth", "RR")) == pytest.approx(0.847, abs=5e-4)
    assert (ours < 0.05).all()

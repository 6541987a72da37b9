"""The thesis's tables from ours, what it printed beside them, and how much of it comes out."""

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
from regrade.significance import ancova, discrimination
from regrade.studies.yang2019 import tables as yang2019
from regrade.studies.yang2019.items import YANG2019
from regrade.tables import write_csv
from regrade.uncertainty import movements, ranges, residuals

from . import trec
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


@pytest.mark.parametrize(
    ("name", "keys", "numbers"),
    [
        (
            "table-3.2",
            {"collection": "TREC-7"},
            [95.2, 91.0, 14.0, 66, 6.8, 4.2, 1.3],
        ),
        ("table-3.3", {"measure": "RR"}, [0.0038, 0.0119, 0.0417, 0.0833, 0.0833]),
        ("table-3.3", {"rho": 2.0}, [0.0833, 0.1016, 0.0971]),
        ("table-3.4", {"rho": 1.7}, [37, 11, 14, 0, 80, 67, 80, 77]),
        ("table-3.4", {"measure": "AP", "fraction": 0.97}, [80, 80, 80, 77, 20, 1, 0, 0, 0]),
        (
            "table-4.1",
            {"collection": "TREC-13"},
            [2004, 249, 110, 1250.6, 74.1, 69.6, 0],
        ),
        ("table-4.2", {"quantity": "mean_phi"}, [0.958, 0.953, 0.956, 0.943]),
        ("table-4.2", {"quantity": "p"}, [0.0001] * 4),
        ("table-4.3", {"collection": "TREC-7"}, [50, 65, 33870, 3121, 15943, 639]),
        (
            "table-4.4",
            {"collection": "TREC-13", "pooling": "Depth@50", "quantity": "percent"},
            [2.6, 3.7, 5.1, 7.7, 13.1, 22.9, 48.8, 9.0],
        ),
        (
            "table-4.5",
            {"collection": "TREC-13", "measure": RBP},
            [57.0, 55.5, 56.0, 54.3, 56.0, 56.9],
        ),
        ("table-4.6", {"measure": RBP, "depth": 20}, [1416, 53, 29, 582]),
        ("table-4.6", {"collection": "TREC-8"}, [3]),
        (
            "table-4.7",
            {"collection": "TREC-7", "measure": "nDCG", "movement": "equal"},
            [1.1, 5.2, 5.1, 6.9, 11.0],
        ),
        ("table-4.8", {"collection": "TREC-7"}, [0.04, 0.18, 0.09, 0.16, -0.06, -0.19]),
        ("table-4.9", {"relation": "="}, [0.860, 0.875]),
    ],
)
def test_numbers_as_printed(name, keys, numbers):
    assert chosen(printed(name), **keys) == numbers


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


@pytest.fixture(scope="module")
def stages():
    """What the stages make of a small random collection, by the names of the tables."""
    collection = trec.Collection.small(
        *trec.random_collection(4, systems=6, topics=5, documents=40, longest=25, levels=2)
    )
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
        for depth in (5, 10, 50)
    }
    ways = [pooling.Pooling("Depth", depth=depth) for depth in (20, 50)]
    sizes = pooling.pool_sizes(ranked, judged, ways)
    pairs = discrimination.compare_depths(by_depth)
    moved = movements.score_movements(
        {depth: by_depth[depth].to_table() for depth in (5, 10)},
        by_depth[50].to_table(),
        measures=names[:3],
    )
    curves = residuals.rbp_curves(ranked, judged, [0.5, 0.8, 0.98], names[:2])
    near = residuals.nearest_phi(curves, score(ranked, judged, names[:2], max_grade=1))
    lists = JudgedLists.match(ranked, judged, 1.0)
    banded = tied_scores.score_bands(ranked, lists, ["1.4", "2"], ["RR", "AP"]).to_frame()
    left = leaveout.leave_out_of_pool(ranked, judged, pooling.Pooling("Depth", depth=20), "run")
    across = discrimination.across_groups(pairs, {"s0": "a", "s1": "a"})
    ratios = {"all": pairs, "across groups": across}
    return {
        "ties/rates": tied_scores.tie_rates(audit_runs(collection.ranked)),
        "ties/bounds": tied_scores.worst_case_bounds(["1.4", "2"], ["RR", "RBP(p=0.5)"]),
        "ties/non_inferior": tied_scores.count_non_inferior(tied_scores.non_inferiority(banded)),
        "pools/collection": pooling.collection_facts(collection.audit(), [judged]),
        "residuals/nearest_summary": residuals.summarise_nearest(near),
        "pools/facts": pooling.pool_facts(sizes, 6),
        "pools/votes": pd.concat(
            pooling.multiplicities(pooling.make_pool(ranked, way), judged).assign(pooling=str(way))
            for way in ways
        ),
        "discrimination/ratios": pd.concat(
            discrimination.discrimination_ratios(table).assign(pairs=kind)
            for kind, table in ratios.items()
        ),
        "discrimination/agreement": discrimination.agreement_with_baseline(pairs, 50),
        "pools/movement_shares": movements.movement_shares(moved),
        "pools/movement_correlations": movements.movement_correlations(moved),
        "ancova/effects": effects_of(by_depth),
        "ranges/systems": ranges.system_ranges(
            ranges.exact_ranges(ranked, judged, names[:3]).to_frame(), RBP
        ),
        "leave-one-out/{left_out}/summary": {
            "runs": leaveout.rescore(ranked, judged, left, ["AP"]).summary_frame()
        },
    }


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


@pytest.mark.parametrize("name", [name for name in VALUES if name != "table-3.3"])
def test_other_data_have_nothing_published(library, name):
    tidy, _ = make(name, library, None)
    assert tidy["published"].isna().all()
    assert tidy["ours"].notna().any()


def test_what_a_table_is_told_counts(stages):
    effects, systems = stages["ancova/effects"], stages["ranges/systems"]
    few, many = (yang2019.table_4_9(effects, significance=level)[1] for level in (1e-9, 0.999))
    assert not few.equals(many)
    tidy, _ = yang2019.table_ranges(systems, residual="nDCG")
    assert tidy["measure"].unique().tolist() == ["AP", RBP]


def test_ours_are_what_the_library_made(library):
    tidy = {name: make(name, library, "TREC-8")[0] for name in VALUES}
    rates = library["table-3.2"][0]
    assert tidy["table-3.2"]["ours"].tolist() == rates["value"].tolist()
    assert tidy["table-3.2"]["total"].tolist() == rates["total"].tolist()

    counts = library["table-3.4"][0].set_index(["rho", "fraction", "measure"])["systems"]
    ours = tidy["table-3.4"].set_index(["rho", "fraction", "measure"])["ours"]
    assert {key: ours[key] for key in ours.index} == {key: counts[key] for key in counts.index}

    facts = library["table-4.3"][0].set_index("pooling")
    ours = tidy["table-4.3"].set_index(["pooling", "quantity"])["ours"]
    for pool in facts.index:
        assert ours[pool, "systems"] == 6
        for quantity in ("topics", "pooled", "judged", "relevant", "single_judged"):
            assert ours[pool, quantity] == facts.loc[pool, quantity]

    votes = library["table-4.4"][0]
    lines = votes[votes["pooling"] == "Depth@50"].set_index("votes")
    ours = tidy["table-4.4"].set_index(["pooling", "votes", "quantity"])["ours"]
    for votes in lines.index:
        assert ours["Depth@50", votes, "judged"] == lines.loc[votes, "judged"]
        percent = lines.loc[votes, "percent"]
        assert ours["Depth@50", votes, "percent"] == pytest.approx(percent, nan_ok=True)

    by_kind = dict(iter(library["table-4.5"][0].groupby("pairs")))
    all_pairs = by_kind["all"].set_index(["measure", "depth"])
    across = by_kind["across groups"].set_index(["measure", "depth"])
    ours = tidy["table-4.5"].set_index(["pairs", "measure", "depth"])
    assert across["n_pairs"].iloc[0] == all_pairs["n_pairs"].iloc[0] - 1
    for kind, ratios in (("all", all_pairs), ("across groups", across)):
        for key in ratios.index:
            assert ours.loc[(kind, *key), "ours"] == 100 * ratios.loc[key, "ratio"]
            assert ours.loc[(kind, *key), "n_pairs"] == ratios.loc[key, "n_pairs"]

    shares = library["table-4.7"][0].set_index(["measure", "depth"])
    ours = tidy["table-4.7"].set_index(["measure", "depth", "movement"])["ours"]
    for measure, depth, movement in ours.index:
        assert ours[measure, depth, movement] == 100 * shares.loc[(measure, depth), movement]

    ours = tidy["table-4.9"].set_index(["model", "term", "measure"])["ours"]
    for name, effects in library["table-4.9"][0].groupby("model"):
        model = yang2019.MODELS[name]
        for row in effects[~effects["term"].isin(["(Intercept)", "Residuals"])].itertuples():
            assert ours[model, row.term, row.measure] == pytest.approx(row.p, nan_ok=True)
    assert len(ours) == (3 + 7) * 4


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


def test_tables_as_read_from_files(library):
    """Names are categories there."""
    agreement = library["table-4.6"][0]
    categories = agreement.astype({"measure": "category", "test": "category", "depth": "int32"})
    plain = yang2019.table_4_6(agreement, published=printed_of("table-4.6", "TREC-7"))
    coded = yang2019.table_4_6(categories, published=printed_of("table-4.6", "TREC-7"))
    pd.testing.assert_frame_equal(plain[0], coded[0], check_dtype=False)
    pd.testing.assert_frame_equal(plain[1], coded[1], check_dtype=False)
    assert plain[0]["published"].notna().sum() == 2 * 3 * 4  # depths 5 and 10, three measures


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


def test_leave_one_out(library):
    ((summary,),) = (shown.values() for shown in library["table-leave-one-out"])
    tidy, readable = make("table-leave-one-out", library, None)
    pd.testing.assert_frame_equal(tidy, summary[tidy.columns.tolist()])
    assert readable.loc[0, "MAE"] == f"{summary.loc[0, 'mae']:.5f}"
    assert readable.loc[0, "SRE"] == str(summary.loc[0, "sre"])
    assert readable.loc[0, "left out by"] == "run"


def test_ancova_in_full(library):
    (effects,) = library["table-ancova"]
    tidy, readable = yang2019.table_ancova(effects)
    pd.testing.assert_frame_equal(tidy, effects[tidy.columns.tolist()])
    assert readable.loc[0, "F"] == f"{effects.loc[0, 'f']:.4g}"
    assert readable.loc[0, "η²"] == ""  # the intercept has no size
    underflow = effects.assign(p=0.0)
    assert set(yang2019.table_ancova(underflow)[1]["p"]) == {"< 1e-300"}


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

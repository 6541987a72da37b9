"""The paper's tables from ours, what the paper printed beside them, and their files."""

import warnings
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.choices import CUT_METHODS
from regrade.cutsearch.experts import expert_cuts
from regrade.errors import ParameterError
from regrade.show.published import beside, read_published, write_markdown
from regrade.studies.han2019 import tables as han2019
from regrade.studies.han2019.items import HAN2019
from regrade.studies.han2019.tables import (
    table_2,
    table_3,
    table_4,
)
from regrade.tables import read_table, write_csv, write_table
from tests.snapshots import assert_said, assert_snapshot
from tests.unit.figure_checks import table_lines
from tests.unit.trec import qrels_table

KEYS_4 = list(HAN2019.by_name["table-4"].keys)
PRINTED = Path(__file__).parents[2] / "data" / "published"


@pytest.fixture(scope="module")
def printed_3():
    return read_published(PRINTED / "han2019-table-3.csv")


@pytest.fixture(scope="module")
def printed_4():
    return read_published(PRINTED / "han2019-table-4.csv")


# --- what the paper printed ----------------------------------------------------------------------


def test_table_4_holds_all_27_transformations_once(printed_4):
    assert not printed_4.duplicated(KEYS_4).any()
    made = printed_4.drop_duplicates(["source", "levels", "method", "reference"])
    assert len(made) == 27
    assert printed_4["quantity"].value_counts().to_dict() == {"tau": 108, "cut": 45}
    assert set(printed_4["method"]) == set(CUT_METHODS)
    needs_reference = printed_4["method"].map(lambda name: CUT_METHODS[name].needs_reference)
    assert ((printed_4["reference"] != "") == needs_reference).all()
    assert printed_4["published"].notna().all()


# --- Table 2 -------------------------------------------------------------------------------------


def test_table_2_lists_each_search_once():
    def found(*searches):
        """Rows of best cuts: a topic's and the collection's, τ's last."""
        rows = [(*search, topic, 18) for search in searches for topic in ("401", ALL_TOPICS)]
        # what no topic could serve is no search
        rows += [("tau", "TR2", "401", 1), ("h1_ta", None, ALL_TOPICS, 0)]
        return pd.DataFrame(rows, columns=["method", "reference", "topic", "n"])

    table, _ = table_2(
        {"S100-to-2": found(("tw1", None), ("h2", "TR2_a")), "S4-to-2": found(("h2", "S2"))}
    )
    assert table[["transformation", "datasets", "method", "reference"]].values.tolist() == [
        ["S100-to-2", "single", "tw1", ""],
        ["S100-to-2", "double", "h2", "TR2_a"],
        ["S4-to-2", "double", "h2", "S2"],
    ]
    assert table["compares"].tolist() == [CUT_METHODS[m].summary for m in ("tw1", "h2", "h2")]


# --- Table 3 -------------------------------------------------------------------------------------


def pool_of(documents):
    """Documents of a judgment set, which has many rows for each."""
    rows = [(t, d) for t, docnos in documents.items() for d in docnos] * 2
    topic, docno = zip(*rows, strict=True)
    return pa.table({"topic": topic, "docno": docno, "value": np.arange(len(rows))})


def by_hand(pairs, cut):
    """α of two coders by the krippendorff package; NaN where undefined."""
    coders = np.array([[source > cut, grade > 0] for source, grade in pairs], float).reshape(-1, 2)
    if len(np.unique(coders)) < 2:
        return np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return krippendorff.alpha(coders.T, level_of_measurement="nominal")


@pytest.fixture(scope="module")
def experts():
    """Two sets that overlap in part, one topic's labels without any relevant document."""
    rng = np.random.default_rng(3)
    documents = {t: [f"D{i}" for i in range(40)] for t in ("1", "2", "3", "4")}
    source, reference = {}, {}
    for topic, docnos in documents.items():
        relevance = rng.random(len(docnos)) * (topic != "3")
        source[topic] = {
            d: int(4 * r) for d, r in zip(docnos, relevance, strict=True) if rng.random() < 0.4
        }
        reference[topic] = {
            d: int(r + rng.normal(0, 0.2) > 0.6 and topic != "3")
            for d, r in zip(docnos, relevance, strict=True)
            if rng.random() < 0.7
        }
    source["1"]["outside"], reference["1"]["outside"] = 0, 1
    source["9"] = reference["9"] = {"D1": 1}
    return source, reference, documents


def test_alpha_of_experts_however_the_sets_are_completed(experts, tmp_path):
    source, reference, documents = experts
    pool = pool_of(documents)
    table = expert_cuts(qrels_table(source), qrels_table(reference), pool, "So4", "TR2", 4)[
        "agreement"
    ]
    write_table(table, tmp_path / "cuts.parquet", "expert-cuts/agreement")
    assert len(table) == 9
    cases = {
        ("So4", "TR2"): (),
        ("So4_a", "TR2"): (source,),
        ("So4_a", "TR2_a"): (source, reference),
    }
    for names, completed in cases.items():
        rows = table[(table["source"] == names[0]) & (table["reference"] == names[1])]
        assert rows["c1"].tolist() == [0, 1, 2]
        pairs = {t: [] for t in documents}
        for topic, docnos in documents.items():
            for docno in docnos:
                a = source[topic].get(docno, 0 if source in completed else None)
                b = reference[topic].get(docno, 0 if reference in completed else None)
                if a is not None and b is not None:
                    pairs[topic].append((a, b))
        assert set(rows["documents"]) == {sum(map(len, pairs.values()))}
        per_topic = {t: [by_hand(of, cut) for cut in range(3)] for t, of in pairs.items()}
        defined = [alphas for alphas in per_topic.values() if not np.isnan(alphas).all()]
        assert 0 < len(defined) < 4  # topic 3 has no relevant document
        assert set(rows["n_topics"]) == {len(defined)}
        for cut, row in enumerate(rows.itertuples()):
            everything = [pair for of in pairs.values() for pair in of]
            assert row.alpha == pytest.approx(by_hand(everything, cut), abs=1e-12)
            assert row.mean_alpha == pytest.approx(np.nanmean([a[cut] for a in defined]), abs=1e-12)
            best = sum(a[cut] >= np.nanmax(a) - 1e-12 for a in defined)
            assert row.best_topics == best


def test_a_cut_that_is_undefined_for_a_topic_counts_for_the_others_only():
    # topic 1 has one level above 0 only in the source: cuts 1 and 2 leave nothing relevant
    source = {"1": {"a": 0, "b": 1}, "2": {"a": 3, "b": 0, "c": 2}}
    reference = {"1": {"a": 0, "b": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    pool = pool_of({"1": ["a", "b"], "2": ["a", "b", "c"]})
    rows = expert_cuts(qrels_table(source), qrels_table(reference), pool, "So4", "TR2", 4)
    rows = rows["agreement"].iloc[:3]
    in_1 = by_hand([(0, 0), (1, 0)], 0)
    in_2 = [by_hand([(3, 1), (0, 0), (2, 0)], cut) for cut in range(3)]
    assert in_2[2] == 1
    expected = [(in_1 + in_2[0]) / 2, in_2[1], in_2[2]]
    assert rows["mean_alpha"].tolist() == pytest.approx(expected, abs=1e-12)
    assert rows["best_topics"].tolist() == [1, 0, 1]
    assert set(rows["n_topics"]) == {2}


def test_topics_that_experts_lack_are_not_completed(caplog):
    """A topic that a set does not have at all is not a topic of non-relevant documents."""
    sets = {"1": {"a": 3, "b": 0}, "2": {"a": 1}}, {"1": {"a": 1, "b": 0}, "3": {"a": 1}}
    documents = {t: ["a", "b", "c"] for t in "1234"}
    tables = [qrels_table(labels) for labels in sets]
    found = expert_cuts(*tables, pool_of(documents), "So4", "TR2", 4)["agreement"]
    assert "left out 3 topics (2, 3, 4): one of the sets has no label for them" in caplog.text
    only = expert_cuts(*tables, pool_of({"1": documents["1"]}), "So4", "TR2", 4)["agreement"]
    pd.testing.assert_frame_equal(found, only)


def test_experts_without_a_document_in_common_have_no_alpha(tmp_path):
    table = expert_cuts(
        qrels_table({"1": {"elsewhere": 1}}),
        qrels_table({"1": {"b": 1}}),
        pool_of({"1": ["a", "b"]}),
        "So4",
        "TR2",
        4,
    )["agreement"]
    first = table.iloc[:3]
    assert first[["documents", "best_topics", "n_topics"]].eq(0).all(axis=None)
    assert first[["alpha", "mean_alpha"]].isna().all(axis=None)
    assert table["documents"].tolist() == [0] * 3 + [1] * 3 + [2] * 3
    write_table(table, tmp_path / "cuts.parquet", "expert-cuts/agreement")


def test_the_best_cut_of_each_topic(experts, tmp_path):
    source, reference, documents = experts
    tables = qrels_table(source), qrels_table(reference), pool_of(documents), "So4", "TR2", 4
    found = expert_cuts(*tables)
    topics, summary = found["topics"], found["agreement"]
    write_table(topics, tmp_path / "topics.parquet", "expert-cuts/topics")
    keys = ["source", "reference", "c1"]
    counts = topics.groupby(keys, sort=False)["best"].sum()
    assert counts.tolist() == summary["best_topics"].tolist()
    means = topics.groupby(keys, sort=False)["alpha"].mean()
    assert means.to_numpy() == pytest.approx(summary["mean_alpha"].to_numpy())
    documents_of = topics[topics["c1"] == 0].groupby(["source", "reference"], sort=False)
    expected = summary[summary["c1"] == 0]["documents"].tolist()
    assert documents_of["documents"].sum().tolist() == expected
    assert not topics[topics["topic"] == "3"]["best"].any()  # undefined


def our_cuts(names=(("So4", "TR2"), ("So4_a", "TR2"), ("So4_a", "TR2_a")), levels=4):
    rows = [
        {"source": s, "reference": r, "documents": 100 + i, "c1": c, "alpha": i + c / 10,
         "mean_alpha": i + c / 100, "best_topics": 18 - c, "n_topics": 18}
        for i, (s, r) in enumerate(names)
        for c in range(levels - 1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def our_topics(names=(("So4", "TR2"), ("So4_a", "TR2"), ("So4_a", "TR2_a")), levels=4):
    """The first cut is the best of topics 401 … 405, the second of 406."""
    rows = [
        {"source": s, "reference": r, "topic": t, "documents": 9, "c1": c, "alpha": 0.5 - c / 10,
         "best": c == (t == "406")}
        for s, r in names
        for t in ("401", "402", "403", "404", "405", "406")
        for c in range(levels - 1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def read_back(frame, schema, folder):
    """A table as a script gets it: strings are categories."""
    write_table(frame, folder / f"{schema}.parquet", schema)
    return read_table(folder / f"{schema}.parquet", schema).to_pandas()


def test_table_3_has_the_printed_alpha_beside_ours(printed_3, tmp_path):
    for cuts in (our_cuts(), read_back(our_cuts(), "expert-cuts/agreement", tmp_path)):
        tidy, readable = table_3(cuts, our_topics(), published=printed_3)
        pd.testing.assert_series_equal(tidy["published"], printed_3["published"])
        assert_snapshot("tables-han2019-3", "\n".join(table_lines(readable)))
        assert tidy["ours"].tolist() == our_cuts()["alpha"].tolist()
        assert tidy["documents"].tolist() == our_cuts()["documents"].tolist()
        assert tidy["mean_over_topics"].tolist() == our_cuts()["mean_alpha"].tolist()
        assert tidy["best_topics"].tolist() == [18, 17, 16] * 3
        assert tidy["cut"].tolist() == ["left", "middle", "right"] * 3


# --- Table 4 -------------------------------------------------------------------------------------


def our_rankings(pairs, experts=("TR2", "So4")):
    """τ = 0.01, 0.02, … in the order of the rows."""
    rows = [
        {"method": m, "reference": r, "selection": s, "expert": e, "measure": "nDCG@10",
         "tau": None, "n_systems": 129, "n_topics": 18}
        for m, r in pairs
        for s in ("per-topic", "single")
        for e in experts
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    return frame.assign(tau=np.arange(1, len(frame) + 1) / 100)


def our_best(pairs, cuts):
    """A single cut for each pair, and another one for topic 401."""
    rows = [
        {"method": m, "reference": r, "topic": t, "c1": None, "c2": None, "c3": None,
         "value": 0.5, "tied": 1, "runs": 1, "n_defined": 18, "n": 18}
        | {f"c{j}": c for j, c in enumerate(cut, 1) if t == ALL_TOPICS}
        for (m, r), cut in zip(pairs, cuts, strict=True)
        for t in ("401", ALL_TOPICS)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns_of("cuts/best_cuts"))
    return frame.astype(dict.fromkeys(("c1", "c2", "c3"), float))


def made_4(transformations, rankings, best, published):
    about = {
        name: {"source": source, "levels": levels, "experts": {"TR2": 2, "So4": 4}}
        for name, (source, levels) in transformations.items()
    }
    return table_4(rankings, best, published=published, transformations=about)


def ours_4(folder=None):
    """S4 → 2 and S100 → 4, as read from files where a folder is given."""
    transformations = {"S100-to-4": ("S100", 4), "S4-to-2": ("S4", 2)}
    to_4 = [("tw1", None), ("d2_at", "So4"), ("d2_at", "So4_a"), ("h2", "mine")]
    to_2 = [("h2", "TR2_a"), ("d2_at", "S2")]
    cuts_4 = [(20, 60, 80), (50, 80, 98), (51, 81, 99), (1, 2, 3)]
    rankings = {"S100-to-4": our_rankings(to_4), "S4-to-2": our_rankings(to_2)}
    best = {"S100-to-4": our_best(to_4, cuts_4), "S4-to-2": our_best(to_2, [(0,), (1,)])}
    if folder is not None:
        rankings = {n: read_back(table, "rankings", folder) for n, table in rankings.items()}
        best = {n: read_back(table, "cuts/best_cuts", folder) for n, table in best.items()}
    return transformations, rankings, best


def test_table_4_for_reading(printed_4):
    """In bold the highest with experts on the target scale."""
    tidy, readable = made_4(*ours_4(), printed_4)
    assert_snapshot("tables-han2019-4", "\n".join([*table_lines(tidy), *table_lines(readable)]))


def test_nothing_is_bold_where_all_methods_have_one_cut(printed_4):
    pairs = [("h2", "TR2_a"), ("d2_at", "S2")]
    tables = {"t": our_rankings(pairs)}, {"t": our_best(pairs, [(1,), (1,)])}
    _, readable = made_4({"t": ("S4", 2)}, *tables, printed_4)
    assert not readable.map(lambda text: "**" in str(text)).any(axis=None)


def test_a_reference_that_drops_the_unjudged_stands_beside_the_paper_where_it_is_alone(printed_4):
    pairs = [("d2_at", "So4")]
    tables = (
        {"t": ("S100", 4)},
        {"t": our_rankings(pairs)},
        {"t": our_best(pairs, [(1, 2, 3)])},
    )
    tidy, _ = made_4(*tables, printed_4)
    assert tidy["published"].tolist() == [0.77, 0.82, 0.73, 0.77, 58, 85, 99]
    # another transformation's completed reference does not matter
    other = [("d2_at", "So4_a")]
    tables[0]["u"], tables[1]["u"] = ("S4", 2), our_rankings(other)
    tables[2]["u"] = our_best(other, [(1,)])
    tidy, _ = made_4(*tables, printed_4)
    assert tidy["published"].tolist()[:7] == [0.77, 0.82, 0.73, 0.77, 58, 85, 99]


def test_undefined_values_of_table_4_are_empty(printed_4, tmp_path):
    pairs = [("tw1", None)]
    rankings = our_rankings(pairs).assign(tau=np.nan)
    best = our_best(pairs, [(None, None, None)])
    for tables in (
        (rankings, best),
        (read_back(rankings, "rankings", tmp_path), read_back(best, "cuts/best_cuts", tmp_path)),
    ):
        tidy, readable = made_4({"t": ("S100", 4)}, {"t": tables[0]}, {"t": tables[1]}, printed_4)
        assert tidy["ours"].isna().all()
        assert tidy["published"].notna().all()
        assert readable.loc[0, "per-topic τ, TR2"] == "– (0.74)"
        assert readable.loc[0, "single cut"] == "– – – (24 63 82)"


# --- putting the two beside each other, and files ------------------------------------------------


def test_beside_keeps_our_rows_and_their_order():
    ours = pd.DataFrame({"a": ["z", "a", "m", "a"], "b": ["1", "2", "", "1"], "ours": [1, 2, 3, 4]})
    published = pd.DataFrame(
        {"b": ["2", "1", "9"], "a": ["a", "z", "a"], "published": [20, 10, 90]}
    )
    table = beside(ours.assign(extra=0), published, ["a", "b"])
    assert list(table.columns) == ["a", "b", "published", "ours"]
    assert table["ours"].tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(table["published"], [10, 20, np.nan, np.nan])
    without = beside(ours, None, ["a", "b"])
    assert without["published"].isna().all()
    assert without[["a", "b", "ours"]].equals(ours)


def test_beside_refuses_to_choose_between_two_published_values():
    ours = pd.DataFrame({"a": ["x"], "ours": [1.0]})
    published = pd.DataFrame({"a": ["x", "x"], "published": [1.0, 2.0]})
    with pytest.raises(pd.errors.MergeError):
        beside(ours, published, ["a"])


def test_published_files_keep_their_keys_as_text(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("source,reference,expert,threshold,published\nNA,,1,c1,0.5\n007,x,,,\n")
    table = read_published(path)
    assert table["source"].tolist() == ["NA", "007"]
    assert table["reference"].tolist() == ["", "x"]
    assert table["expert"].tolist() == ["1", ""]
    np.testing.assert_array_equal(table["published"], [0.5, np.nan])


def test_written_tables(tmp_path):
    table = pd.DataFrame(
        {"name": ["τ", "a|b"], "published": [np.nan, 0.7], "ours": [1 / 3, -1e-13]}
    )
    write_csv(table, tmp_path / "new folder" / "table.csv")
    assert (tmp_path / "new folder" / "table.csv").read_bytes() == (
        "name,published,ours\nτ,,0.333333333333\na|b,0.7,-1e-13\n".encode()
    )
    readable = pd.DataFrame({"source": ["S4"], "cut": ["007"], "τ": ["0.70"]})
    write_markdown(readable, tmp_path / "table.md", "Table 1. Title", "Simulated.")
    assert (tmp_path / "table.md").read_text(encoding="utf-8").splitlines() == [
        "**Table 1. Title**",
        "",
        "| source   | cut   | τ    |",
        "|:---------|:------|:-----|",
        "| S4       | 007   | 0.70 |",
        "",
        "Simulated.",
    ]
    write_markdown(readable, tmp_path / "table.md", "Table 1. Title", "")
    assert (tmp_path / "table.md").read_text(encoding="utf-8").endswith("| 0.70 |\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new folder", "table.md"]


@pytest.mark.parametrize("name", ["table.csv", "table.md"])
def test_a_writer_that_fails_leaves_what_was_there(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_text("before")

    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)
    monkeypatch.setattr(Path, "write_text", fail)
    table = pd.DataFrame({"a": [1]})
    with pytest.raises(KeyboardInterrupt):
        write_csv(table, path) if name.endswith("csv") else write_markdown(table, path, "T", "")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


# --- the numbers of the text ---------------------------------------------------------------------


def printed(item):
    return read_published(PRINTED / f"han2019-{item}.csv")


ABOUT = {"S100-to-4": {"source": "S100", "levels": 4}}


def test_every_printed_number_has_the_keys_of_its_table():
    for item in ("table-1", "table-topics", "table-ends", "table-references", "table-widths"):
        columns = {*HAN2019.by_name[item].keys, "published"}
        columns |= {"relation"} if HAN2019.by_name[item].has_bounds else set()
        table = printed(item)
        assert set(table.columns) == columns
        assert not table.duplicated(list(HAN2019.by_name[item].keys)).any()
        assert table["published"].notna().all()


def text_tables(folder):
    """The tables of the text's numbers, tidy and for reading, by name: each of a few rows."""
    best = our_best([("h1_ta", None), ("tw1", None)], [(50,), (0,)])
    rows = {
        "overlaps/sets": [
            {"set": name, "kind": kind, "simulated": kind == "crowd", "levels": levels,
             "topics": 18, "documents": documents, "pool": "S100", "pool_documents": 4269,
             "shared": shared, "share": shared / 4269}
            for name, kind, levels, documents, shared in (
                ("TR2", "expert", 2, 90000, 3881), ("S100", "crowd", 101, 4269, 4269),
                ("MEd", "expert", None, 10, 5),
            )
        ],
        "cuts/internal": [
            {"method": "tw1", "topic": t, "metric": "ordinal", "source_alpha": a, "n_defined": 1,
             "n": 1, "per_topic": b, "single": 0.3}
            for t, a, b in (("1", 0.4, 0.5), ("2", 0.6, 0.5), (ALL_TOPICS, 0.5, 0.5))
        ],
        "cuts/reference_tests": [
            {"method": "h2", "first": "So4_a", "second": "S4", "threshold": threshold,
             "n_topics": 18, "mean_first": 95.0, "mean_second": 82.0, "difference": 13.0,
             "low": low, "high": 17.0, "t": t, "p": p, "p_unpaired": 0.01, "better": 17,
             "worse": 1}
            for threshold, low, t, p in (("c3", 9.0, 7.0, 0.0002), ("c1", None, None, None))
        ],
        "cuts/width_correlations": [
            {"method": "d2_at", "reference": "So4_a", "group": group, "labels": "TR2",
             "n_topics": 18, "r": 0.4, "low": 0.1, "high": 0.7, "p": 0.04}
            for group in ("best", "median", "worst")
        ],
        "cuts/widths": [
            {"method": "d2_at", "reference": "So4_a", "group": group, "topic": ALL_TOPICS,
             "n_cuts": 1000, "width": 40.0, "level_0": 50.0, "level_1": 20.0, "level_2": 20.0,
             "level_3": 10.0}
            for group in ("best", "median", "worst")
        ],
        "cuts/pooled": [
            {"method": "tw1", "reference": None, "c1": 58.0, "c2": None, "c3": None, "value": 0.6,
             "mean_alpha": 0.5, "tied": 1, "runs": 1, "n_defined": 1, "n": 1, "single_c1": 57.0,
             "single_c2": None, "single_c3": None, "single_value": 0.59,
             "single_mean_alpha": 0.51, "note": None}
        ],
        "cuts/best_cuts": best.to_dict("records"),
        "expert-cuts/topics": our_topics([("So4_a", "TR2_a")]).to_dict("records"),
    }  # fmt: skip
    frames = {name: pd.DataFrame(of) for name, of in rows.items()}
    frames["overlaps/sets"] = frames["overlaps/sets"].astype({"levels": "Int32"})
    tables = {name: read_back(frame, name, folder) for name, frame in frames.items()}
    by_name = {name: {"S100-to-4": table} for name, table in tables.items()}
    four = {"transformations": ABOUT}
    yield "table-1", han2019.table_1(tables["overlaps/sets"], published=printed("table-1"))
    yield "table-1, ours alone", han2019.table_1(tables["overlaps/sets"])
    topics = tables["expert-cuts/topics"]
    yield "table-topics", han2019.table_topics(topics, published=printed("table-topics"))
    yield "table-internal", han2019.table_internal(by_name["cuts/internal"], **four)
    ends = tables["cuts/best_cuts"], {"h1_ta": ALPHA}
    options = {"published": printed("table-ends"), "source": "S100", "levels": 2}
    yield "table-ends", han2019.table_ends(*ends, **options)
    tests = by_name["cuts/reference_tests"]
    options = {"published": printed("table-references")} | four
    yield "table-references", han2019.table_references(tests, **options)
    widths = by_name["cuts/width_correlations"], by_name["cuts/widths"]
    yield "table-widths", han2019.table_widths(*widths, published=printed("table-widths"), **four)
    two_levels = {"S100-to-4": {"source": "S100", "levels": 2}}
    pooled = by_name["cuts/pooled"]
    yield "table-pooled", han2019.table_pooled(pooled, transformations=two_levels)


ALPHA = pd.DataFrame({"c1": [0.0, 50.0, 99.0], "1": 0.1, "mean": [0.2, 0.7, 0.4]})


def test_numbers_of_the_text(tmp_path):
    made = dict(text_tables(tmp_path))

    def say(name):
        tidy, readable = made[name]
        return [*tidy.to_csv(index=False, float_format="%.6g").splitlines(), *table_lines(readable)]

    assert_said("tables-han2019-text", say, ((name,) for name in made))
    with pytest.raises(ParameterError, match="for two levels"):
        best = our_best([("h1_ta", None)], [(50,)])
        han2019.table_ends(best, {"h1_ta": ALPHA}, source="S100", levels=4)

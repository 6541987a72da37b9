"""τ of every cut against trec_eval's code and scipy, cut by cut; τ of chosen cuts by hand."""

import logging
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval
from scipy.stats import kendalltau

from regrade.aggregation import Aggregation, aggregate, enumerate_cuts
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.catalogue.arrow import SCHEMAS, per_cut_schema
from regrade.choices import CUT_METHODS
from regrade.cutsearch.best import best_cuts, cut_tables, unserved_cuts
from regrade.cutsearch.cut_scores import scores_of_every_cut
from regrade.cutsearch.labels import selected_cuts
from regrade.cutsearch.search import UnservedError, search
from regrade.cutsearch.system_tau import (
    rankings_of_cuts,
    tau_of_chosen_cuts,
    tau_of_every_cut,
)
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.measures import parse
from regrade.readers import read_qrels, read_runs
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.scoring import score
from regrade.simulation.collection import CollectionParameters, simulate_collection
from regrade.simulation.crowds import crowd_parameters
from regrade.simulation.judgments import simulate_judgments
from regrade.simulation.pool import SimulationParameters
from regrade.tables import read_table, write_table
from tests.reference import han2019
from tests.reference import measures as reference
from tests.unit.judgments import random_judgments, random_labels
from tests.unit.trec import qrels_table

EXACT = 1e-12
S100 = Scale.of({"levels": 101})
NO_TAU = {"abs": EXACT, "nan_ok": True}


# A collection in plain Python: runs {system: {topic: [docno, …]}}, labels {topic: {docno: value}}.


def strings(table):
    """A data frame without categories."""
    return table.to_pandas().astype(
        {name: str for name in ("system", "topic", "docno") if name in table.column_names}
    )


def lists_of(runs):
    lists = {}
    for (system, topic), rows in strings(runs).groupby(["system", "topic"]):
        lists.setdefault(system, {})[topic] = list(rows["docno"])
    return lists


def labels_of(table):
    labels = {}
    for topic, docno, grade in zip(*(table[name].to_pylist() for name in table.column_names),
                                   strict=True):  # fmt: skip
        labels.setdefault(topic, {})[docno] = grade
    return labels


def cut_labels(labels, cut, topics):
    return {t: {d: int(han2019.level(v, cut)) for d, v in labels[t].items()} for t in topics}


def trec_eval_scores(lists, labels, cutoff):
    """nDCG of each system, one column per topic, by trec_eval's code."""
    name = "ndcg" if cutoff is None else f"ndcg_cut_{cutoff}"
    asked = "ndcg" if cutoff is None else f"ndcg_cut.{cutoff}"
    evaluator = pytrec_eval.RelevanceEvaluator(labels, {asked})
    scores = np.zeros((len(lists), len(labels)))
    for s, system in enumerate(sorted(lists)):
        run = {
            topic: {docno: float(-rank) for rank, docno in enumerate(ranking)}
            for topic, ranking in lists[system].items()
        }
        found = evaluator.evaluate(run)
        for t, topic in enumerate(sorted(labels)):
            scores[s, t] = found[topic][name] if topic in found else 0
    return scores


def plain_scores(lists, labels, **options):
    """The same from the definition."""
    return np.array(
        [
            [reference.ndcg(lists[s].get(t, []), labels[t], **options) for t in sorted(labels)]
            for s in sorted(lists)
        ]
    )


def library_scores(ranked, labels, *, measure, max_grade):
    judged = Judged.from_table(qrels_table(labels), ranked)
    return score(ranked, judged, [measure], max_grade=max_grade).values[:, :, 0]


def scipy_tau(ours, theirs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kendalltau(np.round(ours, 10), np.round(theirs, 10), variant="b").statistic


def assert_tau(found, indices, scores_of, labels, expert):
    """τ of some cuts, per topic and in the mean, from the scores that `scores_of` gives."""
    theirs = scores_of({t: expert[t] for t in found.topics})
    for i in indices:
        ours = scores_of(cut_labels(labels, found.cuts[i].tolist(), found.topics))
        expected = [scipy_tau(ours[:, t], theirs[:, t]) for t in range(len(found.topics))]
        assert found.values[i] == pytest.approx(expected, **NO_TAU), found.cuts[i]
        mean = scipy_tau(ours.mean(axis=1), theirs.mean(axis=1))
        assert found.mean[i] == pytest.approx(mean, **NO_TAU), found.cuts[i]


def simulated_runs(seed, systems=10):
    """Three topics sharing documents; a system lacks a topic, another has one document for it."""
    sizes = {"topics": 3, "systems": systems, "depth": 25, "documents": 50, "pool_depth": 8}
    made = simulate_collection(CollectionParameters(seed=seed, **sizes))
    runs, qrels = (strings(table) for table in (made.runs, made.qrels))
    first, second = sorted(runs["system"].unique())[:2]
    gone = (runs["system"] == first) & (runs["topic"] == "402")
    gone |= (runs["system"] == second) & (runs["topic"] == "402") & (runs["rank"] > 1)
    return tuple(
        pa.Table.from_pandas(
            frame.assign(docno=frame["docno"].str.replace(r"SIM4..", "D", regex=True)),
            schema=SCHEMAS[schema],
            preserve_index=False,
        )
        for frame, schema in ((runs[~gone], "runs"), (qrels, "qrels"))
    )


def simulated(seed, levels, halves):
    """Runs, labels of the source scale and graded experts.

    Documents are judged that nobody retrieved, and the other way round; in topic 403 no value is
    above 3, so that high cuts leave it no gain; labels and experts each have a topic of their own.
    """
    rng = np.random.default_rng([seed, levels])
    runs, _ = simulated_runs(seed)
    retrieved = {t: sorted(set(rows["docno"])) for t, rows in strings(runs).groupby("topic")}
    labels, expert = {}, {}
    for topic, docnos in retrieved.items():
        docnos = [*docnos, "nobody-1", "nobody-2"]
        relevance = rng.random(len(docnos))
        top = 3 if topic == "403" else levels - 1
        step = 2 if halves else 1
        values = np.clip(np.round(relevance * (top + 1) * step - 0.5), 0, top * step) / step
        grades = np.clip(np.floor(relevance * 4 + rng.normal(0, 0.7, len(docnos))), 0, 3)
        labels[topic] = {d: v for d, v in zip(docnos, values, strict=True) if rng.random() < 0.6}
        expert[topic] = {
            d: int(g) for d, g in zip(docnos, grades, strict=True) if rng.random() < 0.6
        }
        labels[topic]["nobody-2"] = float(top)
    labels["404"] = expert["405"] = {"nobody-1": 1}
    return runs, labels, expert


def tau_of(made, source_levels, levels, *rest, **options):
    """τ of every cut of runs, labels and experts as `simulated` gives them."""
    runs, *tables = made
    ranked, (labels, expert) = RankedLists.from_table(runs), map(qrels_table, tables)
    return tau_of_every_cut(ranked, labels, expert, source_levels, levels, *rest, **options)


# --- τ of every cut ----------------------------------------------------------------------------


@pytest.mark.parametrize("cutoff", [None, 10])
@pytest.mark.parametrize(
    ("source_levels", "levels", "halves"),
    [(8, 2, True), (9, 3, False), (11, 3, True), (8, 4, True)],
)
def test_every_cut_as_trec_eval_and_scipy_have_it(source_levels, levels, halves, cutoff):
    runs, labels, expert = simulated(levels, source_levels, halves)
    ranked, lists = RankedLists.from_table(runs), lists_of(runs)
    measure = "nDCG" if cutoff is None else f"nDCG@{cutoff}"
    found = tau_of((runs, labels, expert), source_levels, levels, measure)
    assert found.topics == ("401", "402", "403")
    assert (found.cuts == enumerate_cuts(source_levels, levels)).all()
    for scores_of in (
        partial(trec_eval_scores, lists, cutoff=cutoff),
        partial(library_scores, ranked, measure=measure, max_grade=3),
    ):
        assert_tau(found, range(len(found.cuts)), scores_of, labels, expert)
    if source_levels - levels >= 3:
        # cuts that all of topic 403's values stay below: undefined there, not in the mean
        no_gain = found.cuts[:, 0] >= 3
        assert no_gain.any()
        assert np.isnan(found.values[no_gain, 2]).all()
        assert not np.isnan(found.mean[no_gain]).any()


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("nDCG(dcg='exp-log2')@10", {"dcg": "exp-log2", "cutoff": 10}),
        ("nDCG(base=2)", {"base": 2}),
        ("nDCG(base=3)@10", {"base": 3, "cutoff": 10}),
        ("nDCG(dcg='exp-log2',base=2)@5", {"dcg": "exp-log2", "base": 2, "cutoff": 5}),
        ("nDCG(gains={1:1,2:1,3:5})@10", {"gains": {1: 1, 2: 1, 3: 5}, "cutoff": 10}),
        ("nDCG(gains={1:0,2:0.5,3:0.75})", {"gains": {1: 0, 2: 0.5, 3: 0.75}}),
        ("nDCG@1", {"cutoff": 1}),
        ("nDCG@1000", {"cutoff": 1000}),
    ],
)
@pytest.mark.parametrize("levels", [2, 4])
def test_gains_and_discounts_from_the_definition(measure, options, levels):
    runs, labels, expert = simulated(17, 8, True)
    lists, found = lists_of(runs), tau_of((runs, labels, expert), 8, levels, measure)
    plain = partial(plain_scores, lists, **options)
    assert_tau(found, range(len(found.cuts)), plain, labels, expert)


@pytest.mark.parametrize("how", ["median", "mean"])
def test_hundreds_of_cuts_of_101_levels(how):
    runs, qrels = simulated_runs(5, systems=12)
    simulation = SimulationParameters(depth=6, unit_size=5, workers_per_document=4)
    ranked, crowd = RankedLists.from_table(runs), crowd_parameters(S100, {})
    judgments = simulate_judgments(ranked, qrels, "S100", S100, simulation, crowd)
    values = aggregate(judgments, how)
    assert (values["grade"].to_numpy() % 1 != 0).any()  # aggregates between the scale's values
    lists = lists_of(runs)
    expert = {t: {d: int(g) for d, g in of.items()} for t, of in labels_of(qrels).items()}
    for levels, measure, cutoff in ((4, "nDCG@10", 10), (3, "nDCG", None)):
        found = tau_of_every_cut(ranked, values, qrels, 101, levels, measure)
        chosen = np.random.default_rng(levels).choice(len(found.cuts), 150, replace=False)
        scores_of = partial(trec_eval_scores, lists, cutoff=cutoff)
        assert_tau(found, chosen, scores_of, labels_of(values), expert)


def test_real_runs_as_trec_eval_and_scipy_have_them(real_data):
    topics = ["403", "421", "448"]
    folder = real_data / "trec8"
    runs = read_runs(sorted((folder / "runs").glob("*.gz")), topics=topics, threads=2)
    qrels = read_qrels(folder / "qrels.gz", topics=topics)
    crowd = crowd_parameters(S100, {})
    ranked, lists = RankedLists.from_table(runs, topics), lists_of(runs)
    judgments = simulate_judgments(ranked, qrels, "S100", S100, SimulationParameters(), crowd)
    values = aggregate(judgments, "median")
    assert len(lists) == 129
    found = tau_of_every_cut(ranked, values, qrels, 101, 4, "nDCG@10", threads=2)
    expert = {t: {d: int(g) for d, g in of.items()} for t, of in labels_of(qrels).items()}
    lists = {s: {t: ranking[:10] for t, ranking in of.items()} for s, of in lists.items()}
    chosen = np.random.default_rng(8).choice(len(found.cuts), 60, replace=False)
    scores_of = partial(trec_eval_scores, lists, cutoff=10)
    assert_tau(found, chosen, scores_of, labels_of(values), expert)


def test_threads_and_the_order_of_rows_change_no_bit():
    runs, labels, expert = simulated(3, 50, True)
    ranked = RankedLists.from_table(runs)
    tables = qrels_table(labels), qrels_table(expert)
    found = tau_of_every_cut(ranked, *tables, 50, 4)
    assert len(found.cuts) > 3 * 4096  # several tasks
    rng = np.random.default_rng(0)
    shuffled = [table.take(rng.permutation(table.num_rows)) for table in tables]
    for again in (
        tau_of_every_cut(ranked, *tables, 50, 4, threads=3),
        tau_of_every_cut(ranked, *shuffled, 50, 4, threads=2),
    ):
        np.testing.assert_array_equal(again.values, found.values)
        np.testing.assert_array_equal(again.mean, found.mean)


def test_the_names_of_systems_and_topics_change_nothing():
    runs, labels, expert = simulated(4, 9, True)
    found = tau_of((runs, labels, expert), 9, 3)
    new_topic = {"401": "c", "402": "a", "403": "b", "404": "e", "405": "d"}
    frame = strings(runs)
    frame["topic"] = frame["topic"].map(new_topic)
    frame["system"] = frame["system"].map(lambda name: name[::-1])
    frame = frame.sort_values(["system", "topic", "rank"])
    renamed = pa.Table.from_pandas(frame, schema=SCHEMAS["runs"], preserve_index=False)
    tables = ({new_topic[t]: values for t, values in of.items()} for of in (labels, expert))
    again = tau_of((renamed, *tables), 9, 3)
    assert again.topics == ("a", "b", "c")
    columns = [again.topics.index(new_topic[t]) for t in found.topics]
    np.testing.assert_array_equal(again.values[:, columns], found.values)
    np.testing.assert_allclose(again.mean, found.mean, atol=EXACT)


def test_the_result_is_a_search_by_tau(tmp_path):
    found = tau_of(simulated(6, 9, False), 9, 3)
    assert found.method == "tau"
    assert (found.n_defined == ~np.isnan(found.values)).all()
    assert (found.n_topics == 3).all()
    assert (found.n == 1).all()
    np.testing.assert_array_equal(found.single, found.mean)
    best = best_cuts(found, "So4")
    assert best["topic"].tolist() == ["401", "402", "403", ALL_TOPICS]
    assert best["value"].iloc[-1] == np.nanmax(found.mean)
    write_table(best, tmp_path / "best.parquet", "cuts/best_cuts")
    top = cut_tables(found, "So4")["top_cuts"]
    write_table(top, tmp_path / "top.parquet", "cuts/top_cuts")
    write_table(
        found.to_frame(), tmp_path / "tau.parquet", per_cut_schema("cuts/tau", 3, found.topics)
    )


def test_progress_is_told(caplog):
    with caplog.at_level(logging.INFO, "regrade.cutsearch.system_tau"):
        tau_of(simulated(6, 9, False), 9, 3)
    assert "the mean over 3 topics of 28 cuts" in caplog.text
    assert "topic 403, 3 of 3" in caplog.text


def test_sums_of_discounts_by_hand():
    runs = pa.table(
        {
            "system": ["a", "a", "a", "b"],
            "topic": ["1"] * 4,
            "rank": pa.array([1, 2, 3, 1], pa.int32()),
            "docno": ["x", "unjudged", "y", "y"],
        }
    )
    ranked = RankedLists.from_table(runs)
    labels = qrels_table({"1": {"x": 1, "y": 1.5, "unretrieved": 3}})
    judged = Judged.from_table(labels, ranked)
    thresholds = Thresholds(np.arange(3.0), 3)
    found = scores_of_every_cut(ranked, judged, parse("nDCG@2"), thresholds, 2)
    # thresholds 0, 1, 2; system a's y is past the cutoff; ranks 1 and 2 weigh 1 and 1 / log2(3)
    second = 1 / np.log2(3)
    np.testing.assert_allclose(found.parts, [[[1, 1], [0, 1], [0, 0]]], atol=EXACT)
    np.testing.assert_allclose(found.ideal, [[1 + second, 1 + second, 1]], atol=EXACT)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("NLRE(second=other)", "NLRE.*: uses several label sets"),
        ("nDGC", "did you mean"),
    ],
)
def test_measures_that_cannot_rank_cuts(measure, message):
    with pytest.raises(ParameterError, match=message):
        tau_of(simulated(6, 9, False), 9, 3, measure)


def test_no_topic_in_common():
    runs, labels, expert = simulated(6, 9, False)
    made = runs, {"401": labels["401"]}, {"402": expert["402"]}
    with pytest.raises(UnservedError, match="no topic has runs, judgments to cut and expert"):
        tau_of(made, 9, 3)
    found = tau_of(made, 9, 3, required=False)
    (row,) = best_cuts(found, "So4").to_dict("records")
    assert row["note"] == "tau: no topic has runs, judgments to cut and expert judgments"


@pytest.mark.parametrize("value", [8.5, 9, -1.0])
def test_values_off_the_scale(value):
    runs, labels, expert = simulated(6, 9, False)
    labels["402"]["nobody-1"] = value
    problem = rf"topic 402: the value {value:g} .*source scale, 0, 1"
    with pytest.raises(ParameterError, match=problem):
        tau_of((runs, labels, expert), 9, 3)


# --- τ of chosen cuts --------------------------------------------------------------------------


def best_rows(method, reference_name, cuts):
    """Rows of schema ``best_cuts``; a cut of ``None`` is undefined."""
    rows = []
    for topic, cut in cuts.items():
        thresholds = dict(zip(CUT_COLUMNS, cut or (), strict=False))
        row = {"method": method, "reference": reference_name, "topic": topic}
        row |= {name: thresholds.get(name) for name in CUT_COLUMNS}
        rows.append(
            row | {"value": 0.5 if cut else None, "tied": 1, "runs": 1, "n_defined": 1, "n": 1}
        )
    frame = pd.DataFrame(rows, columns=columns_of("cuts/best_cuts"))
    return frame.astype(dict.fromkeys(CUT_COLUMNS, float))


def tied_rows(best, cuts):
    """Rows of schema ``tied_cuts``: the cuts of some methods and topics."""
    references = dict(zip(best["method"], best["reference"], strict=True))
    rows = [
        {"method": m, "reference": references[m], "topic": t, "run": 1, "c1": cut[0], "c2": cut[1]}
        for (m, t), of in cuts.items()
        for cut in of
    ]
    frame = pd.DataFrame(rows).assign(c3=None)
    return frame.astype(dict.fromkeys(CUT_COLUMNS, float))


def random_runs(seed, judgments, systems=9):
    """Rankings of the judged documents and of others."""
    rng = np.random.default_rng([seed, 2])
    documents = judgments.to_pandas()[["topic", "docno"]].drop_duplicates()
    lists = {}
    for s in range(systems):
        lists[f"s{s}"] = {}
        for topic, rows in documents.groupby("topic"):
            pool = [*rows["docno"], "U1", "U2"]
            lists[f"s{s}"][topic] = [pool[d] for d in rng.permutation(len(pool))[:6]]
    rows = [
        (s, t, i, d) for s, of in lists.items() for t, ds in of.items() for i, d in enumerate(ds, 1)
    ]
    columns = zip(*rows, strict=True)
    table = pa.table(dict(zip(("system", "topic", "rank", "docno"), columns, strict=True)))
    return table, lists


@pytest.fixture(scope="module")
def chosen():
    """Crowd judgments of four topics, experts for some of them, and the best cuts of methods."""
    judgments = random_judgments(11, levels=11, topics=4, documents=9, units=14, heaped=False)
    runs, lists = random_runs(11, judgments)
    graded = random_labels(11, judgments, 3)
    binary = random_labels(12, judgments, 2).to_pandas().query("topic in ('2', '3', '4')")
    binary = pa.Table.from_pandas(binary, preserve_index=False)
    cuts = {"1": (2, 5), "2": (0, 9), "3": None, "4": (4, 7), ALL_TOPICS: (3, 6)}
    other = {"1": (6, 7), "2": (1, 2), "3": (5, 9), "4": (0, 1), ALL_TOPICS: (4, 8)}
    best = pd.concat(
        [
            best_rows("d2_at", "graded", cuts),
            best_rows("d2_ta", "graded", cuts),
            best_rows("tw1", None, other),
            best_rows("tau", "graded", other),
        ],
        ignore_index=True,
    )
    return judgments, runs, lists, {"graded": graded, "binary": binary}, best


def ranked_under(chosen, best=None, measure="nDCG@5", levels=3, **options):
    """`rankings_of_cuts` of the judgments, runs and experts of `chosen`, and of its cuts."""
    judgments, runs, _, experts, own = chosen
    ranked = RankedLists.from_table(runs)
    best = own if best is None else best
    return rankings_of_cuts(ranked, judgments, best, experts, measure, levels=levels, **options)


def plain_labels(judgments, cuts, order, at, ta):
    frame = han2019.once(judgments.to_pandas(), ["topic", "docno", "worker"])
    labels = {}
    for (topic, docno), rows in frame.groupby(["topic", "docno"]):
        if topic not in cuts:
            continue
        values = list(rows["value"])
        if order == "at":
            label = han2019.level(han2019.aggregated(values, at), cuts[topic])
        else:
            levels = [han2019.level(v, cuts[topic]) for v in values]
            label = han2019.on_scale(han2019.aggregated(levels, ta))
        labels.setdefault(topic, {})[docno] = label
    return labels


@pytest.mark.parametrize(("at", "ta"), [("median", None), ("mean", "median_high")])
def test_chosen_cuts_rank_systems_as_plain_python_does(chosen, at, ta):
    judgments, _, lists, experts, best = chosen
    found = ranked_under(chosen, aggregation=Aggregation(at, ta))
    assert len(found) == 4 * 2 * 2
    for row in found.itertuples():
        of_method = best[best["method"] == row.method].set_index("topic")
        topics = ["1", "2", "4"] if row.method in ("d2_at", "d2_ta") else ["1", "2", "3", "4"]
        cuts = {
            t: tuple(of_method.loc[t if row.selection == "per-topic" else "*", ["c1", "c2"]])
            for t in topics
        }
        order = "ta" if row.method == "d2_ta" else "at"
        theirs = labels_of(experts[row.expert])
        shared = [t for t in topics if t in theirs]
        ours = plain_labels(judgments, cuts, order, at, ta or "median")
        tau = scipy_tau(
            plain_scores(lists, {t: ours[t] for t in shared}, cutoff=5).mean(axis=1),
            plain_scores(lists, {t: theirs[t] for t in shared}, cutoff=5).mean(axis=1),
        )
        assert row.tau == pytest.approx(tau, abs=EXACT), row
        assert row.n_topics == len(shared)
        assert row.n_systems == 9
        assert row.measure == "nDCG@5"
        assert pd.isna(row.reference) == (row.method == "tw1")


def test_the_two_orders_can_rank_systems_differently(chosen):
    found = ranked_under(chosen)
    tau = found.set_index(["method", "selection", "expert"])["tau"]
    assert tau["d2_at"].index.equals(tau["d2_ta"].index)
    assert (tau["d2_at"] - tau["d2_ta"]).abs().max() > 0.01


def test_tables_read_back_rank_systems_alike(chosen, tmp_path):
    judgments, runs, lists, experts, best = chosen
    found = ranked_under(chosen)
    write_table(best, tmp_path / "best.parquet", "cuts/best_cuts")
    write_table(judgments, tmp_path / "judgments.parquet", "judgments")
    for name, qrels in experts.items():
        write_table(qrels, tmp_path / f"{name}.parquet", "qrels")
    judgments = read_table(tmp_path / "judgments.parquet", "judgments")
    best = read_table(tmp_path / "best.parquet", "cuts/best_cuts").to_pandas()
    experts = {name: read_table(tmp_path / f"{name}.parquet", "qrels") for name in experts}
    again = ranked_under((judgments, runs, lists, experts, best))
    write_table(found, tmp_path / "rankings.parquet", "rankings")
    write_table(again, tmp_path / "again.parquet", "rankings")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "rankings.parquet").read_bytes()


def test_methods_without_a_cut_have_no_ranking(chosen, caplog):
    without = unserved_cuts({"h1_ta": "no unit"}).to_pandas()
    with caplog.at_level(logging.INFO, "regrade.cutsearch.system_tau"):
        found = ranked_under(chosen, without)
    assert found.empty
    assert found.columns.tolist() == columns_of("rankings")
    assert "h1_ta has no cut, so no ranking" in caplog.text
    again = ranked_under(chosen, pd.concat([chosen[-1], without], ignore_index=True))
    assert set(again["method"]) == {"d2_at", "d2_ta", "tw1", "tau"}


def test_expert_labels_can_be_cut(chosen):
    _, runs, lists, experts, _ = chosen
    source = experts["graded"]
    best = best_rows("d2_at", "binary", {"2": (0,), "4": (1,), ALL_TOPICS: (1,)})
    made = source, runs, lists, {"binary": experts["binary"]}, best
    found = ranked_under(made, measure="nDCG", levels=2).set_index("selection")
    labels, theirs = labels_of(source), labels_of(experts["binary"])
    expected = plain_scores(lists, {t: theirs[t] for t in ("2", "4")}).mean(axis=1)
    for selection, cuts in (
        ("per-topic", {"2": (0,), "4": (1,)}),
        ("single", {"2": (1,), "4": (1,)}),
    ):
        own = {
            t: {d: han2019.level(v, cut) for d, v in labels[t].items()} for t, cut in cuts.items()
        }
        tau = scipy_tau(plain_scores(lists, own).mean(axis=1), expected)
        assert found.loc[selection, "tau"] == pytest.approx(tau, abs=EXACT)


def test_no_shared_topic_and_rankings_that_all_tie_are_undefined(chosen, tmp_path):
    best = best_rows("tw1", None, {"1": (9, 10), ALL_TOPICS: (9, 10)})
    none = pa.table({"topic": ["2"], "docno": ["D000"], "grade": [1.0]})
    flat = pa.table({"topic": ["1"], "docno": ["nobody's"], "grade": [1.0]})
    found = ranked_under((*chosen[:3], {"none": none, "flat": flat}, best), measure="nDCG")
    assert found["tau"].isna().all()
    assert found.set_index("expert")["n_topics"].to_dict() == {"flat": 1, "none": 0}
    write_table(found, tmp_path / "rankings.parquet", "rankings")


def test_the_two_selections_compare_the_same_topics():
    rows = best_rows(
        "h2", "TR2", {"1": (1, 2, 3), "2": None, "3": (0, 4, 9), ALL_TOPICS: (1, 3, 5)}
    )
    assert selected_cuts(rows) == {
        "per-topic": {"1": (1, 2, 3), "3": (0, 4, 9)},
        "single": {"1": (1, 3, 5), "3": (1, 3, 5)},
    }
    no_single = best_rows("h2", "TR2", {"1": (7,), ALL_TOPICS: None})
    assert selected_cuts(no_single) == {"per-topic": {"1": (7,)}}


@pytest.fixture(scope="module")
def compared():
    """τ of every cut of 9 levels into 3, and what two methods chose."""
    runs, labels, expert = simulated(8, 9, True)
    ranked = RankedLists.from_table(runs)
    judgments = qrels_table(labels)
    tau = tau_of_every_cut(ranked, judgments, qrels_table(expert), 9, 3, "nDCG")
    low, high = (3, 7), (0, 4)
    best = pd.concat(
        [
            best_rows("d2_at", "So4", {"401": low, "402": high, "403": None, ALL_TOPICS: (2, 5)}),
            best_rows("tw1", None, {"401": high, "402": low, "403": high, ALL_TOPICS: (1, 2)}),
        ],
        ignore_index=True,
    )
    tied = tied_rows(best, {("d2_at", "401"): [low, (2, 4), (5, 6)], ("tw1", ALL_TOPICS): [(0, 7)]})
    experts = {"So4": qrels_table(expert), "other": qrels_table(labels)}
    rankings = rankings_of_cuts(ranked, judgments, best, experts, "nDCG", levels=3)
    return tau, best, tied, rankings, runs


def test_chosen_cuts_among_all_cuts(compared):
    tau, best, tied, rankings, _ = compared
    found = tau_of_chosen_cuts(best, tied, tau.to_frame(), rankings, "So4")
    assert found["topic"].tolist() == ["401", "402", "403", ALL_TOPICS] * 2
    assert set(found["expert"]) == {"So4"}
    cuts = [tuple(cut) for cut in tau.cuts.tolist()]
    for row in found.itertuples():
        every = tau.mean if row.topic == ALL_TOPICS else tau.values[:, tau.topics.index(row.topic)]
        known = sorted(value for value in every if not np.isnan(value))
        spread = [row.low, row.q1, row.median, row.q3, row.high]
        assert spread == pytest.approx(list(np.quantile(known, [0, 0.25, 0.5, 0.75, 1])), abs=EXACT)
        assert (row.low, row.high) == (known[0], known[-1])
        rows = best[best["method"] == row.method].set_index("topic")
        if row.topic == ALL_TOPICS:
            own = rankings[(rankings["method"] == row.method) & (rankings["expert"] == "So4")]
            per_topic, single = own.set_index("selection").loc[["per-topic", "single"], "tau"]
        elif row.method == "d2_at" and row.topic == "403":
            per_topic = single = np.nan
        else:
            per_topic, single = (
                every[cuts.index(tuple(rows.loc[t, ["c1", "c2"]]))] for t in (row.topic, "*")
            )
        assert row.per_topic == pytest.approx(per_topic, **NO_TAU)
        assert row.single == pytest.approx(single, **NO_TAU)
        if np.isnan(per_topic):
            assert np.isnan(row.share_higher)
        else:
            higher = sum(value > per_topic + 1e-12 for value in known)
            assert row.share_higher == higher / len(known)
        shared = tied[(tied["method"] == row.method) & (tied["topic"] == row.topic)]
        of_tied = [every[cuts.index(cut)] for cut in zip(shared["c1"], shared["c2"], strict=True)]
        of_tied = [value for value in of_tied if not np.isnan(value)]
        expected = [min(of_tied), max(of_tied)] if of_tied else [np.nan] * 2
        assert [row.tied_low, row.tied_high] == pytest.approx(expected, **NO_TAU)


def test_the_single_cut_is_one_of_all_cuts(compared):
    tau, _, _, rankings, _ = compared
    # tw1 has a cut for every topic, so its single cut's ranking is that of the search
    own = rankings[(rankings["method"] == "tw1") & (rankings["expert"] == "So4")]
    single = own.set_index("selection")["tau"]["single"]
    assert tau.mean[tau.cuts.tolist().index([1, 2])] == pytest.approx(single, abs=EXACT)


def test_compared_tables_read_back_alike(compared, tmp_path):
    tau, best, tied, rankings, _ = compared
    write_table(tau.to_frame(), tmp_path / "tau.parquet", per_cut_schema("cuts/tau", 3, tau.topics))
    write_table(best, tmp_path / "best.parquet", "cuts/best_cuts")
    write_table(tied, tmp_path / "tied.parquet", "cuts/tied_cuts")
    write_table(rankings, tmp_path / "rankings.parquet", "rankings")
    again = tau_of_chosen_cuts(
        read_table(tmp_path / "best.parquet", "cuts/best_cuts").to_pandas(),
        read_table(tmp_path / "tied.parquet", "cuts/tied_cuts").to_pandas(),
        read_table(tmp_path / "tau.parquet").to_pandas(),
        read_table(tmp_path / "rankings.parquet", "rankings").to_pandas(),
        "So4",
    )
    found = tau_of_chosen_cuts(best, tied, tau.to_frame(), rankings, "So4")
    write_table(found, tmp_path / "found.parquet", "cuts/tau_topics")
    write_table(again, tmp_path / "again.parquet", "cuts/tau_topics")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "found.parquet").read_bytes()


def test_a_topic_without_any_tau_has_no_range(compared):
    tau, best, tied, rankings, _ = compared
    frame = tau.to_frame().assign(**{"401": np.nan})
    found = tau_of_chosen_cuts(best, tied, frame, rankings, "So4")
    of_topic = found[found["topic"] == "401"]
    assert of_topic[["low", "high", "per_topic", "single", "share_higher"]].isna().all(axis=None)


@pytest.mark.parametrize("method", list(CUT_METHODS))
def test_every_method_s_best_cuts_can_be_ranked(chosen, method):
    name = "graded" if CUT_METHODS[method].needs_reference else None
    found = search(chosen[0], 11, 3, method, chosen[3].get(name))
    found = ranked_under(chosen, best_cuts(found, name))
    assert sorted(set(found["selection"])) == ["per-topic", "single"]
    assert found["tau"].between(-1, 1).all()

"""Labels under chosen cuts: written as qrels, scored anew by trec_eval's code, and told of."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval

from regrade.aggregation import Aggregation, aggregate, transform
from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.labels import (
    Labelling,
    selected_cuts,
    write_judgments,
    write_provenance,
)
from regrade.cutsearch.search import search
from regrade.cutsearch.system_tau import mean_of, rankings_of_cuts
from regrade.errors import ParameterError
from regrade.kendall import tau_b
from regrade.readers import read_judgments, read_qrels
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.scoring import ranked_systems, score
from regrade.writers import write_qrels
from tests.unit.judgments import random_judgments, random_labels

LEVELS = 3
SCALE = Scale.of({"levels": 9})


@pytest.fixture(scope="module")
def judgments():
    return random_judgments(5, levels=9)


@pytest.fixture(scope="module")
def expert(judgments):
    return random_labels(6, judgments, LEVELS)


def found(judgments, expert, method):
    reference = expert if method in ("h2", "d2_at", "d2_ta") else None
    label = "E" if reference is not None else None
    return best_cuts(search(judgments, SCALE, LEVELS, method, reference), label)


def runs_over(judgments, systems=7):
    rng = np.random.default_rng(2)
    documents = judgments.select(["topic", "docno"]).to_pandas().astype(str).drop_duplicates()
    rows = []
    for system in range(systems):
        for topic, of in documents.groupby("topic"):
            docnos = [*rng.permutation(of["docno"].to_numpy()), f"unjudged-{system}"]
            rows += [(f"s{system}", topic, r + 1, d) for r, d in enumerate(docnos)]
    frame = pd.DataFrame(rows, columns=["system", "topic", "rank", "docno"])
    frame = frame.astype({"rank": "int32"})
    return frame, RankedLists.from_table(pa.Table.from_pandas(frame, preserve_index=False))


def trec_eval(path, runs, measure, name):
    """Scores by system and topic, of files as TREC's tools take them."""
    with path.open(encoding="utf-8") as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), {measure})
    scores = {}
    for system, rows in runs.groupby("system"):
        run = {
            topic: dict(zip(of["docno"], -of["rank"].astype(float), strict=True))
            for topic, of in rows.groupby("topic")
        }
        scores[system] = {topic: by[name] for topic, by in evaluator.evaluate(run).items()}
    return scores


@pytest.mark.parametrize("selection", ["per-topic", "single"])
@pytest.mark.parametrize("method", ["d2_at", "d2_ta", "tw1", "h1_ta"])
def test_written_qrels_rank_systems_as_the_search_does(
    tmp_path, judgments, expert, method, selection
):
    best = found(judgments, expert, method)
    labelling = Labelling.of_search(best, selection, LEVELS)
    path = tmp_path / "labels.qrels"
    write_qrels(labelling.labels(judgments), path)
    runs, ranked = runs_over(judgments)
    ours = trec_eval(path, runs, "ndcg_cut.10", "ndcg_cut_10")
    theirs_path = tmp_path / "expert.qrels"
    write_qrels(expert, theirs_path)
    theirs = trec_eval(theirs_path, runs, "ndcg_cut.10", "ndcg_cut_10")
    topics = sorted(set(ours["s0"]) & set(theirs["s0"]))

    def means(scores):
        return mean_of(
            {t: np.array([scores[s][t] for s in sorted(scores)]) for t in topics}, topics
        )

    rows = rankings_of_cuts(ranked, judgments, best, {"E": expert}, "nDCG@10", levels=LEVELS)
    row = rows[rows["selection"] == selection].iloc[0]
    assert row["tau"] == pytest.approx(tau_b(means(ours), means(theirs)), abs=1e-12)
    assert row["n_topics"] == len(topics)


def test_what_is_written_can_be_read(tmp_path, judgments, expert):
    labelling = Labelling.of_search(found(judgments, expert, "d2_at"), "per-topic", LEVELS)
    labels = labelling.labels(judgments)
    write_qrels(labels, tmp_path / "labels.qrels")
    first = (tmp_path / "labels.qrels").read_text(encoding="utf-8").splitlines()[0].split(" ")
    assert first[1] == "0"
    assert first[3] in {"0", "1", "2"}
    read = read_qrels(tmp_path / "labels.qrels", scale=Scale.of({"levels": LEVELS}))
    pd.testing.assert_frame_equal(
        read.to_pandas().astype({"topic": str, "docno": str}),
        labels.to_pandas().astype({"topic": str, "docno": str}),
    )
    own = labelling.of_workers(judgments)
    write_judgments(own, tmp_path / "judgments.tsv")
    header = (tmp_path / "judgments.tsv").read_text(encoding="utf-8").partition("\n")[0]
    assert {*header.split("\t")} <= {*own.column_names}
    again = read_judgments(tmp_path / "judgments.tsv", scale=Scale.of({"levels": LEVELS}))
    keys = ["topic", "docno", "worker", "unit", "value"]
    ordered = [
        table.to_pandas()[keys].astype(dict.fromkeys(keys[:4], str)).sort_values(keys)
        for table in (own, again)
    ]
    pd.testing.assert_frame_equal(*(t.reset_index(drop=True) for t in ordered))


def test_each_judgment_gets_its_topic_s_level(judgments, expert):
    labelling = Labelling.of_search(found(judgments, expert, "d2_at"), "per-topic", LEVELS)
    own, given = labelling.of_workers(judgments).to_pandas(), judgments.to_pandas()
    assert len(own) == len(given)
    for level, topic, value in zip(own["value"], given["topic"], given["value"], strict=True):
        assert level == transform(np.array([value]), labelling.cuts[str(topic)])[0]


def test_labels_by_hand(judgments):
    topics = sorted(judgments["topic"].unique().to_pylist())
    everywhere = Labelling.by_hand([2, 6], topics, LEVELS, aggregation=Aggregation("mean"))
    assert set(everywhere.cuts) == set(topics)
    values = aggregate(judgments, "mean").to_pandas()["grade"].to_numpy()
    grades = everywhere.labels(judgments).to_pandas()["grade"].to_numpy()
    np.testing.assert_array_equal(grades, transform(values, (2, 6)))
    some = Labelling.by_hand({topics[0]: [1, 2], "unknown": [3, 4]}, topics, LEVELS)
    assert set(some.cuts) == {topics[0]}
    assert set(some.left_out) == set(topics[1:])
    assert set(some.labels(judgments)["topic"].to_pylist()) == {topics[0]}
    each = Labelling.by_hand(
        [2, 6], topics, LEVELS, order="ta", aggregation=Aggregation(levels="median_high")
    )
    frame = judgments.to_pandas().astype({"topic": str, "docno": str})
    frame = frame.drop_duplicates(["topic", "docno", "worker"], keep=False)
    voted = each.labels(judgments).to_pandas().astype({"topic": str, "docno": str})
    voted = voted.set_index(["topic", "docno"])["grade"]
    whole = judgments.to_pandas().astype({"topic": str, "docno": str})
    repeated = whole[whole.duplicated(["topic", "docno", "worker"], keep=False)]
    unsure = set(map(tuple, repeated[["topic", "docno"]].to_numpy()))
    for key, values in frame.groupby(["topic", "docno"])["value"]:
        if key not in unsure:
            levels = sorted(transform(values.to_numpy(), (2, 6)))
            assert voted[key] == levels[len(levels) // 2]
    with pytest.raises(ParameterError, match="order"):
        Labelling.by_hand([2, 6], topics, LEVELS, order="both")
    for cut in ([6, 2], [6, 6], [2, 4, 6]):
        with pytest.raises(ParameterError, match="3 levels need 2 ascending thresholds"):
            Labelling.by_hand(cut, topics, LEVELS)
    with pytest.raises(ParameterError, match="no topic of the source has a cut"):
        Labelling.by_hand({"unknown": [3, 4]}, topics, LEVELS)


def test_what_made_labels_is_told(tmp_path, judgments, expert):
    best = found(judgments, expert, "d2_at")
    best["note"] = best["note"].astype(object)
    first = best.index[0]
    best.loc[first, ["c1", "c2"]] = np.nan
    best.loc[first, "note"] = "nothing to compare"
    labelling = Labelling.of_search(best, "single", LEVELS)
    labels = labelling.labels(judgments)
    provenance = labelling.provenance(labels, {"collection": "own"})
    write_provenance(provenance, tmp_path / "told.json")
    read = json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
    assert read == provenance
    assert read["left_out"] == {str(best.loc[first, "topic"]): "nothing to compare"}
    assert (read["method"], read["reference"], read["selection"]) == ("d2_at", "E", "single")
    assert (read["order"], read["aggregation"], read["repeats"]) == ("at", "median", "median_low")
    assert sum(read["rows_by_level"].values()) == read["rows"] == labels.num_rows
    of_workers = labelling.provenance(labelling.of_workers(judgments), {})
    assert (of_workers["order"], of_workers["aggregation"]) == ("as judged", None)
    assert of_workers["repeats"] is None


def test_a_search_without_cuts_has_no_labels(judgments, expert):
    best = found(judgments, expert, "d2_at")
    best.loc[:, ["c1", "c2"]] = np.nan
    with pytest.raises(ParameterError, match="d2_at: no per-topic cut was found"):
        Labelling.of_search(best, "per-topic", LEVELS)
    only_single = found(judgments, expert, "d2_at").query("topic == @ALL_TOPICS")
    with pytest.raises(ParameterError, match="no single cut"):
        Labelling.of_search(only_single, "single", LEVELS)


def test_rows_of_one_search_are_chosen(judgments, expert):
    searches = [found(judgments, expert, method) for method in ("tw1", "d2_at")]
    other = searches[1].assign(reference="F", c1=0.0)
    both = pd.concat([*searches, other], ignore_index=True)
    rules = {"aggregate": {"source": "median", "levels": None}}
    how = rules | {"selection": "per-topic", "cut": None, "levels": LEVELS}
    for method, reference in (("tw1", None), ("d2_at", "E")):
        one = Labelling.chosen(both, [], how | {"method": method, "reference": reference})
        expected = selected_cuts(found(judgments, expert, method))["per-topic"]
        assert one.cuts == expected
    by_hand = rules | {"cut": [1, 2], "order": "at", "levels": 3}
    assert Labelling.chosen(None, ["1"], by_hand).cuts == {"1": (1.0, 2.0)}


def test_systems_in_order_of_their_means(judgments, expert):
    _, ranked = runs_over(judgments, systems=4)
    scores = score(ranked, Judged.from_table(expert, ranked), ["nDCG@10", "P@1"])
    table = ranked_systems(scores.to_table())
    assert list(table.columns) == ["measure", "place", "system", "mean", "n_topics"]
    for m, measure in enumerate(("nDCG@10", "P@1")):
        rows = table[table["measure"] == measure].set_index("system")
        means = dict(zip(scores.systems, scores.values[:, :, m].mean(axis=1), strict=True))
        for system, mean in means.items():
            assert rows.loc[system, "mean"] == pytest.approx(mean, abs=1e-15)
            higher = sum(other > mean + 1e-12 for other in means.values())
            assert rows.loc[system, "place"] == 1 + higher
    assert table["n_topics"].eq(len(scores.topics)).all()
    assert ALL_TOPICS not in set(table["system"])

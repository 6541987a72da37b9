"""Aggregating before and after cutting: against searches, plain models, and made judges."""

import builtins
import importlib.util

import numpy as np
import pandas as pd
import pytest

from regrade import agreement
from regrade.aggregation import once_per_worker
from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.search import prepare, search
from regrade.errors import ParameterError
from regrade.scales import Scale
from regrade.tables import write_table
from regrade.trust import crowd as trust_crowd
from regrade.trust.crowd import _alpha_of_levels, aggregated_table, crowd_model, modelled
from regrade.trust.named_cuts import cut_index, named_cuts
from regrade.trust.searches import RankedInput
from tests.reference import crowd
from tests.unit.judgments import alpha_options, random_labels
from tests.unit.test_trust_bootstrap import made
from tests.unit.test_trust_judges import alpha
from tests.unit.test_trust_transfer import mean_alpha, tau_under

needs_crowd_kit = pytest.mark.skipif(
    importlib.util.find_spec("crowdkit") is None,
    reason="crowd-kit is not installed (pip install regrade[crowd])",
)


def transformation(judgments, ranked=None, labels=None, **options):
    ranking = {"ranked": ranked, "measure": "nDCG@5"}
    ranking["experts"] = {} if labels is None else {"E": labels}
    scale, options = Scale.of({"levels": 9}), alpha_options(**options)
    return RankedInput(judgments, scale, 3, options, **ranking)


def votes(seed, documents=60, judges=7, each=4, labels=3):
    """Votes of judges of whom the later are the better, and what is true."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, documents)
    rows = []
    for d in range(documents):
        for j in rng.permutation(judges)[:each]:
            right = rng.random() < 0.3 + 0.1 * j
            rows.append((f"{d % 2}", f"d{d:03d}", f"w{j}", float(truth[d] if right else
                         rng.integers(0, labels))))  # fmt: skip
    return pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"]), truth


@pytest.mark.parametrize(("when", "method"), [("before", "d2_at"), ("after", "d2_ta")])
@pytest.mark.parametrize("vote", ["median", "majority", "mean"])
def test_a_vote_is_the_search_by_that_vote(when, method, vote):
    judgments, labels, ranked, _ = made(5)
    table = aggregated_table(transformation(judgments, ranked, labels), labels, "E", [vote])
    how = {"aggregate_source": vote, "aggregate_levels": vote}
    found = search(judgments, 9, 3, method, labels, alpha_options(**how))
    best = best_cuts(found, "E").set_index("topic")
    rows = table[table["when"] == when].set_index(["selection", "quantity"])
    single = rows.loc["single", "alpha"]
    cut = best.loc[ALL_TOPICS, ["c1", "c2"]].to_numpy(dtype=float)
    assert single[["c1", "c2"]].tolist() == cut.tolist()
    assert rows.loc["per-topic", ["c1", "c2"]].isna().all(axis=None)
    assert single["value"] == pytest.approx(mean_alpha(found, cut)[0], abs=1e-12)
    own = best["value"].drop(ALL_TOPICS).astype(float)
    assert rows.loc["per-topic", "alpha"]["value"] == pytest.approx(own.mean(), abs=1e-12)
    if vote == "median" and when == "before":
        expected = tau_under(ranked, judgments, labels, cut)
        assert rows.loc["single", "tau"]["value"] == pytest.approx(expected, abs=1e-12)
        assert single["difference"] == 0


def test_what_a_topic_left_out_is_worth():
    judgments, labels, _, _ = made(5)
    table = aggregated_table(transformation(judgments), labels, "E", ["median"])
    found = search(judgments, 9, 3, "d2_at", labels)
    values = []
    for t in range(len(found.topics)):
        others = np.nan_to_num(np.delete(found.values, t, axis=1).mean(axis=1), nan=-9)
        values.append(others)
    single = table[(table["when"] == "before") & (table["selection"] == "single")].iloc[0]
    assert single["held_out"] <= single["value"] + 1e-12
    chosen = [np.flatnonzero(one >= one.max() - 1e-12) for one in values]
    ranges = [found.values[cuts, t] for t, cuts in enumerate(chosen)]
    low = np.mean([np.nanmin(one) for one in ranges])
    high = np.mean([np.nanmax(one) for one in ranges])
    assert low - 1e-12 <= single["held_out"] <= high + 1e-12


@pytest.mark.parametrize(("undefined", "is_then"), [("drop", np.nan), ("one", 1), ("zero", 0)])
def test_levels_that_a_model_finds_beside_the_reference(undefined, is_then):
    judgments, labels, _, _ = made(5)
    plan = prepare(judgments, 9, 3, "d2_at", labels, alpha_options(undefined=undefined))
    topic = plan.topics[0].topic
    reference = plan.labels[topic]
    reference = reference - (reference >= 0)  # of kernels the highest of three levels is 3
    levels = np.random.default_rng(1).integers(-1, 3, (5, len(reference)))
    levels[0] = np.where(np.arange(len(reference)) == np.argmax(reference >= 0), reference, -1)
    levels[1] = np.where(reference < 0, 1, -1)  # the reference has none of these
    found = _alpha_of_levels(plan, topic, levels)
    assert np.isnan(found[1])
    for own, value in zip(np.delete(levels, 1, 0), np.delete(found, 1), strict=True):
        both = np.array([own, reference], dtype=float)[:, (own >= 0) & (reference >= 0)]
        expected = agreement.alpha(both, "ordinal")
        expected = is_then if np.isnan(expected) else expected
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_a_model_that_takes_the_majority_is_the_vote_by_majority(monkeypatch):
    def by_majority(votes, _):
        values = votes.groupby(["topic", "docno"])["value"]
        return values.agg(lambda of: of.mode().iloc[0]).reset_index()

    monkeypatch.setattr(trust_crowd, "modelled", by_majority)
    monkeypatch.setattr(trust_crowd, "crowd_model", lambda name: None)
    judgments, labels, _, _ = made(5)
    ways = ["majority", "mace"]
    table = aggregated_table(transformation(judgments), labels, "E", ways, tried=5, values=5)
    (row,) = table[(table["vote"] == "mace") & (table["when"] == "before")].to_dict("records")
    assert row["note"] == "9 values: a model of labels takes 5 at most"
    assert (row["reference"], row["n_topics"], row["n_cuts"]) == ("E", 0, 0)
    table = table[table["selection"] == "single"].set_index(["vote", "when"])
    cuts = table.loc["majority"][["c1", "c2"]]
    assert table.loc[("mace", "after"), "n_cuts"] == len(cuts.drop_duplicates())
    both = aggregated_table(transformation(judgments), labels, "E", ways, values=9)
    both = both[both["selection"] == "single"].set_index(["vote", "when"])
    for when, of in (("after", table), ("before", both), ("after", both)):
        for column in ("value", "n_topics", "difference"):
            found, expected = (of.loc[(vote, when), column] for vote in ("mace", "majority"))
            assert found == pytest.approx(expected, abs=1e-12)


def test_without_crowd_kit_the_error_says_what_to_do(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **named):
        if name.startswith("crowdkit"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    judgments, labels, _, _ = made(5)
    with pytest.raises(ParameterError, match=r"pip install regrade\[crowd\]"):
        aggregated_table(transformation(judgments), labels, "E", ["median", "mace"])


def test_unknown_ways_are_refused():
    judgments, labels, _, _ = made(5)
    with pytest.raises(ParameterError, match="dawid_skene"):
        aggregated_table(transformation(judgments), labels, "E", ["dawid_skeen"])
    with pytest.raises(ParameterError, match="mace"):
        crowd_model("maze")


def test_what_cannot_be_aggregated_says_why(tmp_path):
    judgments, labels, _, _ = made(5)
    (row,) = aggregated_table(transformation(judgments), None, None).to_dict("records")
    assert "name `references`" in row["note"]
    assert (row["n_topics"], row["n_cuts"]) == (0, 0)
    source = transformation(random_labels(3, judgments, 9))
    table = aggregated_table(source, labels, "E")
    assert table["note"].tolist() == ["one label per document: there is nothing to aggregate"]
    write_table(table, tmp_path / "aggregated.parquet", "cuts/aggregated", {})


def test_the_table_has_its_schema(tmp_path):
    judgments, labels, ranked, _ = made(5)
    table = aggregated_table(transformation(judgments, ranked, labels), labels, "E")
    write_table(table, tmp_path / "aggregated.parquet", "cuts/aggregated", {})
    assert set(table["vote"]) == {"median", "majority", "mean"}


@needs_crowd_kit
@pytest.mark.parametrize(
    ("name", "step"), [("dawid_skene", crowd.confusions), ("one_coin", crowd.coins)]
)
@pytest.mark.parametrize("labels", [2, 3])
def test_models_are_those_by_plain_loops(name, step, labels):
    frame, _ = votes(3, labels=labels)
    rows = [((r.topic, r.docno), r.worker, r.value) for r in frame.itertuples()]
    expected = crowd.most_likely(rows, step)
    found = modelled(frame, name).set_index(["topic", "docno"])["value"]
    assert len(found) == len(expected)
    for document, posterior in expected.items():
        ordered = sorted(posterior.values())
        if ordered[-1] - ordered[-2] > 1e-6:
            assert found.loc[document] == max(posterior, key=posterior.get)


@needs_crowd_kit
@pytest.mark.parametrize("name", ["dawid_skene", "one_coin", "mace"])
def test_models_know_good_judges_from_bad_ones(name):
    frame, truth = votes(4, documents=200, each=5)
    found = modelled(frame, name).sort_values("docno")["value"].to_numpy()
    majority = frame.groupby("docno")["value"].agg(lambda v: v.mode().iloc[0]).to_numpy()
    assert (found == truth).mean() > (majority == truth).mean()


@needs_crowd_kit
@pytest.mark.parametrize("name", ["dawid_skene", "one_coin", "mace"])
def test_order_of_rows_and_names_of_judges_change_nothing(name):
    frame, _ = votes(5)
    other = frame.sample(frac=1, random_state=1)
    first, second = (modelled(f, name) for f in (frame, other))
    keys = ["topic", "docno"]
    pd.testing.assert_frame_equal(
        first.sort_values(keys, ignore_index=True), second.sort_values(keys, ignore_index=True)
    )


@needs_crowd_kit
@pytest.mark.parametrize("name", ["dawid_skene", "one_coin", "mace"])
def test_one_label_one_judge_one_document(name):
    frame, _ = votes(6, documents=4)
    same = modelled(frame.assign(value=2.0), name)
    assert (same["value"] == 2).all()
    one = modelled(frame.iloc[:1], name)
    assert one["value"].tolist() == frame["value"].iloc[:1].tolist()


@needs_crowd_kit
def test_models_before_and_after_cutting():
    judgments, labels, ranked, _ = made(5)
    named = {}

    def find(lent):
        thresholds = lent.plan.thresholds
        places = named_cuts(thresholds, 3, Scale.of({"levels": 9}), np.arange(9))
        named.update({n: int(cut_index(p[None], 8, 3)[0]) for n, p in places.items()})
        return named

    ways = ["median", "one_coin", "dawid_skene"]
    told = transformation(judgments, ranked, labels)
    table = aggregated_table(told, labels, "E", ways, named=find, tried=5)
    after = table[(table["vote"] == "one_coin") & (table["when"] == "after")]
    # those that the two votes choose for all topics, and the named ones
    wide = table[(table["vote"] == "median") & (table["selection"] == "single")]
    wide = wide.loc[wide["quantity"] == "alpha", ["c1", "c2"]].to_numpy(float)
    chosen = np.searchsorted(np.arange(0.5, 8), wide)
    assert after["n_cuts"].iloc[0] == len({*cut_index(chosen, 8, 3)} | {*named.values()})
    few = aggregated_table(told, labels, "E", ways, values=4)
    before = few[(few["vote"] == "one_coin") & (few["when"] == "before")]
    assert before["note"].tolist() == ["9 values: a model of labels takes 4 at most"]
    assert before[["vote", "reference", "n_topics", "n_cuts"]].values.tolist() == [
        ["one_coin", "E", 0, 0]
    ]
    every = aggregated_table(told, labels, "E", ["one_coin"], tried=28)
    rows = every[(every["when"] == "after") & (every["selection"] == "single")]
    row = rows[rows["quantity"] == "alpha"].iloc[0]
    assert row["n_cuts"] == 28
    levels = once_per_worker(judgments.select(["topic", "docno", "worker", "value"]).to_pandas())
    levels["value"] = (levels["value"].to_numpy()[:, None] > [row["c1"], row["c2"]]).sum(1) * 1.0
    source = modelled(levels, "one_coin").rename(columns={"value": "grade"})
    both = source.merge(labels.to_pandas(), on=["topic", "docno"], suffixes=("", "_E"))
    alphas = [alpha(own["grade"], own["grade_E"]) for _, own in both.groupby("topic")]
    assert row["value"] == pytest.approx(np.nanmean(alphas), abs=1e-12)

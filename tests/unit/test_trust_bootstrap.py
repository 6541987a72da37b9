"""The bootstrap against searches run anew on files of what was drawn, and on made data."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from scipy.stats import kendalltau

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.means import weighted_means
from regrade.cutsearch.search import prepare, search
from regrade.cutsearch.system_tau import rankings_of_cuts
from regrade.errors import ParameterError
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from regrade.trust.bootstrap import (
    RepeatedSearch,
    bootstrap_tables,
    drawn_outcomes,
    outcomes_of_topics,
    topic_weights,
)
from regrade.trust.named_cuts import named_cuts
from regrade.trust.plateau import on_plateau, plateau_tables, sentence
from regrade.trust.resampling import drawn_again, times_drawn
from regrade.trust.systems import JudgedSystems
from tests.reference import drawn
from tests.snapshots import assert_snapshot
from tests.unit.judgments import alpha_options, random_judgments, random_labels
from tests.unit.test_trust_resampling import named_times


def random_runs(seed, judgments, systems=6):
    rng = np.random.default_rng([seed, 9])
    frame = judgments.to_pandas().groupby(["topic", "docno"])["value"].mean().reset_index()
    rows = []
    for s in range(systems):
        for topic, group in frame.groupby("topic"):
            noisy = group["value"] + rng.normal(0, 1 + s, len(group))
            order = group["docno"].to_numpy()[np.argsort(-noisy)][:6]
            rows += [(f"s{s}", topic, r + 1, d, float(-r), r + 1, 1) for r, d in enumerate(order)]
    frame = pd.DataFrame(rows, columns=columns_of("runs"))
    return RankedLists.from_table(pa.Table.from_pandas(frame, preserve_index=False))


def made(seed, method="d2_at", levels=3, topics=3, ranks=True, scale=9, **options):
    judgments = random_judgments(
        seed, levels=scale, topics=topics, documents=9, units=12, workers=7
    )
    labels = random_labels(seed, judgments, levels)
    reference = labels if method in ("h2", "d2_at", "d2_ta") else None
    plan = prepare(judgments, scale, levels, method, reference, alpha_options(**options))
    systems = None
    ranked = random_runs(seed, judgments)
    if ranks:
        experts = {"E": labels}
        systems = JudgedSystems.of(ranked, plan.topics, levels, "nDCG@5", experts)
    values = np.arange(scale)
    named = named_cuts(plan.thresholds, levels, Scale.of({"levels": scale}), values)
    return judgments, labels, ranked, RepeatedSearch(plan, named, systems)


def given_of(again):
    topics = again.plan.topics
    return again.outcome(topics, map(again.criterion, topics, again.labels))


def best_values(found, topic):
    """Whether a search chose anything for a topic, its thresholds and its value."""
    row = best_cuts(found).set_index("topic").loc[topic]
    return row[["c1", "c2"]].to_numpy(dtype=float), row["value"]


@pytest.mark.parametrize("method", ["d2_at", "d2_ta", "h2", "tw1"])
def test_what_is_given_is_what_the_search_finds(method):
    judgments, labels, ranked, again = made(5, method)
    given, found = given_of(again), again.plan.search()
    best = best_cuts(found, "E" if again.plan.labels else None)
    for t, topic in enumerate(found.topics):
        cut, value = best_values(found, topic)
        np.testing.assert_array_equal(again.plan.cuts[given.chosen[t]], cut)
        assert given.alpha[0, t] == pytest.approx(value, abs=1e-12)
    cut, value = best_values(found, ALL_TOPICS)
    np.testing.assert_array_equal(again.plan.cuts[given.single], cut)
    assert given.means[1] == pytest.approx(value, abs=1e-12)
    rankings = rankings_of_cuts(ranked, judgments, best, {"E": labels}, "nDCG@5", levels=3)
    tau = rankings.set_index("selection")["tau"]
    assert given.tau["E"][0] == pytest.approx(tau["per-topic"], abs=1e-12)
    assert given.tau["E"][1] == pytest.approx(tau["single"], abs=1e-12)


@pytest.mark.parametrize("resampled", ["units", "workers", "documents"])
@pytest.mark.parametrize("method", ["d2_at", "d2_ta", "tw1"])
def test_a_draw_is_the_search_and_the_ranking_of_its_file(method, resampled):
    judgments, labels, ranked, again = made(8, method)
    times = times_drawn(resampled, again.plan.topics, 3, seed=2)
    outcomes = drawn_outcomes(again, resampled, 3, seed=2, threads=2)
    for draw, outcome in enumerate(outcomes):
        own = [of_topic[draw] for of_topic in times]
        named = named_times(judgments, resampled, again.plan, own)
        file = getattr(drawn, f"file_of_{resampled}")(judgments, named)
        known = drawn.file_of_documents(labels, named) if resampled == "documents" else labels
        reference = known if again.plan.labels else None
        found = search(file, 9, 3, method, reference)
        cut, value = best_values(found, ALL_TOPICS)
        np.testing.assert_array_equal(again.plan.cuts[outcome.single], cut)
        assert outcome.means[1] == pytest.approx(value, abs=1e-12)
        per_topic = [best_values(found, topic)[1] for topic in found.topics]
        assert outcome.means[0] == pytest.approx(np.nanmean(per_topic), abs=1e-12)
        if resampled == "documents":
            assert not outcome.tau
            continue
        best = best_cuts(found, "E" if reference is not None else None)
        rankings = rankings_of_cuts(ranked, file, best, {"E": labels}, "nDCG@5", levels=3)
        tau = rankings.set_index("selection")["tau"].astype(float)
        np.testing.assert_allclose(
            outcome.tau["E"][:2], tau[["per-topic", "single"]], atol=1e-12, rtol=0
        )


@pytest.mark.parametrize("undefined", ["drop", "one"])
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_topics_drawn_are_the_search_of_their_file(undefined, coverage):
    judgments, labels, _, again = made(3, topics=4, undefined=undefined, coverage=coverage)
    weights = topic_weights(4, 25, seed=4)
    for weight, outcome in zip(weights, outcomes_of_topics(again, weights), strict=True):
        times = dict(zip(again.names, map(int, weight), strict=True))
        files = [drawn.file_of_topics(table, times) for table in (judgments, labels)]
        options = {"undefined": undefined, "coverage": coverage}
        anew = search(files[0], 9, 3, "d2_at", files[1], alpha_options(**options))
        cut, value = best_values(anew, ALL_TOPICS)
        np.testing.assert_array_equal(again.plan.cuts[outcome.single], cut)
        assert outcome.means[1] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("undefined", ["drop", "one", "zero"])
@pytest.mark.parametrize("method", ["d2_at", "h2"])
def test_what_a_cut_reaches_is_that_of_the_search_under_each_rule(method, undefined):
    _, _, _, again = made(3, method, undefined=undefined)
    found = again.plan.search()
    expected = np.where(found.eligible, found.values, np.nan)
    np.testing.assert_allclose(again.criteria, expected, atol=1e-12, rtol=0)
    topic = again.plan.topics[0]
    nothing = drawn_again(topic, "units", np.zeros(topic.n_units, int), again.labels[0])
    assert method != "h2" or np.isnan(again.criterion(*nothing)).all()
    if method == "d2_at":  # all in the lowest level, by values and labels: α is undefined
        counts_as = {"drop": np.nan, "one": 1, "zero": 0}[undefined]
        lowest = np.ones(topic.n_documents, dtype=np.int64)
        *_, last = again.criterion(topic, lowest)
        assert last == pytest.approx(counts_as, nan_ok=True)


def test_a_topic_without_a_cut_leaves_the_others_theirs():
    _, _, _, again = made(9, topics=4, scale=3, levels=2)
    topics, labels, given = again.plan.topics, again.labels, again.original
    nothing, _ = drawn_again(topics[0], "units", np.zeros(topics[0].n_units, int))
    found = again.outcome(
        [nothing, *topics[1:]], map(again.criterion, [nothing, *topics[1:]], labels)
    )
    assert found.chosen.tolist() == [-1, *given.chosen[1:]]
    assert np.isnan(found.alpha[:, 0]).all()
    np.testing.assert_array_equal(found.alpha[:, 1:], given.alpha[:, 1:])
    means = again.criteria[:, 1:].mean(axis=1)
    assert found.single == means.argmax()
    cuts = [found.single, given.single, *again.named_index]
    assert found.means == pytest.approx([given.alpha[0, 1:].mean(), *means[cuts]])
    cuts = [found.chosen[1:], *(np.full(3, cut) for cut in cuts)]
    others = [*enumerate(topics[1:])]
    assert found.tau["E"] == pytest.approx(tau_by_hand(again, others, cuts))


def tau_by_hand(again, topics, cuts):
    """τ_b of means over topics, each with its place in the cuts; NaN where there is no cut."""
    names = [topic.topic for _, topic in topics]
    theirs = np.mean([again.systems.experts["E"][name] for name in names], axis=0)
    found = []
    for own in cuts:
        if (own < 0).any():
            found.append(np.nan)
            continue
        scores = [again.scores(judgments, own[[t]])[0] for t, judgments in topics]
        found.append(kendalltau(np.round(np.mean(scores, axis=0), 12), theirs).statistic)
    return found


def test_systems_are_ranked_under_the_cuts_that_draws_choose():
    """Of two cuts, so that either is chosen often."""
    _, _, _, again = made(9, topics=4, scale=3, levels=2)
    original, topics = again.original, again.plan.topics
    held = [np.full(4, cut) for cut in (original.single, *again.named_index)]
    assert [*held[0], *again.named_index] == [0, 0, 0, 0, 1, 0]
    weights = topic_weights(4, 12, seed=1)
    draws = outcomes_of_topics(again, weights)
    assert {draw.single for draw in draws} == {0, 1}
    for times, draw in zip(weights, draws, strict=True):
        named = [(t, topics[t]) for t in np.repeat(np.arange(4), times)]
        cuts = [original.chosen, np.full(4, draw.single), *held]
        assert draw.tau["E"] == pytest.approx(tau_by_hand(again, named, cuts), nan_ok=True)
        mean = again.criteria[:, [t for t, _ in named]].mean(axis=1)
        own = np.mean([original.alpha[0, t] for t, _ in named])
        expected = [own, *(mean[of_all[0]] for of_all in cuts[1:])]
        assert draw.means == pytest.approx(expected, abs=1e-12)
    units = times_drawn("units", topics, 8, seed=1)
    draws = drawn_outcomes(again, "units", 8, seed=1)
    assert {draw.single for draw in draws} == {0, 1}
    for r, draw in enumerate(draws):
        named = [(t, drawn_again(topic, "units", units[t][r])[0]) for t, topic in enumerate(topics)]
        cuts = [draw.chosen, np.full(4, draw.single), *held]
        assert draw.tau["E"] == pytest.approx(tau_by_hand(again, named, cuts), nan_ok=True)


def told_of(value, drawn, method="linear"):
    """Estimate, ends, bias, draws and those without a value."""
    known = [one for one in drawn if not np.isnan(one)]
    ends = np.quantile(known, [0.025, 0.975], method=method)
    return value, *ends, np.mean(known) - value, len(drawn), len(drawn) - len(known)


@pytest.mark.parametrize("resampled", ["topics", "units", "documents"])
def test_rows_are_of_what_the_draws_chose_and_reached(resampled):
    _, _, _, again = made(9, topics=4, scale=3, levels=2)
    original, names = again.original, ["best", *again.named]
    if resampled == "topics":
        weights = topic_weights(4, 15, seed=3)
        draws = outcomes_of_topics(again, weights)
    else:
        draws = drawn_outcomes(again, resampled, 15, seed=3)
    expected, times = {}, {}

    def add_cut(topic, selection, of_data, of_draws):
        cuts = [cut if cut >= 0 else np.nan for cut in of_draws]  # of 0, 1, 2: a cut's threshold
        expected[topic, selection, "", "c1", ""] = told_of(of_data, cuts, "inverted_cdf")
        times.update({(topic, cut): of_draws.count(cut) for cut in of_draws if cut >= 0})

    def add(topic, quantity, selections, of_data, of_draws):
        expert, of_draws = "E" if quantity == "tau" else "", np.array(of_draws)
        for i, own in enumerate(selections):
            key = topic, own, "", quantity, expert
            expected[key] = told_of(of_data[i], of_draws[:, i])
            for j in range(i + 1, len(selections)) if own in ("per-topic", "single") else ():
                key = topic, own, selections[j], quantity, expert
                less = of_data[i] - of_data[j], of_draws[:, i] - of_draws[:, j]
                expected[key] = told_of(*less)

    for t, topic in enumerate(again.plan.topics if resampled != "topics" else ()):
        add_cut(topic.topic, "per-topic", original.chosen[t], [draw.chosen[t] for draw in draws])
        alpha = original.alpha[:, t], [draw.alpha[:, t] for draw in draws]
        add(topic.topic, "alpha", ["per-topic", *names], *alpha)
    selections = ["per-topic", "single", *names]
    add_cut(ALL_TOPICS, "single", original.single, [draw.single for draw in draws])
    add(ALL_TOPICS, "alpha", selections, original.means, [draw.means for draw in draws])
    if resampled != "documents":
        taus = original.tau["E"], [draw.tau["E"] for draw in draws]
        add(ALL_TOPICS, "tau", selections, *taus)
    tables = bootstrap_tables(again, "E", [resampled], 15, seed=3)
    rows = tables["bootstrap"]
    keys = rows[["topic", "selection", "against", "quantity", "expert"]].astype(object).fillna("")
    keys = [*keys.itertuples(index=False, name=None)]
    assert sorted(keys) == sorted(expected)
    for key, row in zip(keys, rows.itertuples(), strict=True):
        told = [row.estimate, row.low, row.high, row.bias, row.resamples, row.undefined]
        assert told == pytest.approx(expected[key], abs=1e-12)
    chosen = tables["chosen"].set_index(["topic", "c1"])
    assert chosen["times"].to_dict() == times
    assert chosen["share"].to_numpy() == pytest.approx(chosen["times"] / 15)


def test_the_number_of_threads_changes_nothing_and_tables_can_be_written(tmp_path):
    _, _, _, again = made(2)
    kinds = ["topics", "units", "workers", "documents"]
    one, two = (bootstrap_tables(again, "E", kinds, 6, threads=n) for n in (1, 2))
    for name in one:
        pd.testing.assert_frame_equal(one[name], two[name])
        write_table(one[name], tmp_path / f"{name}.parquet", f"cuts/{name}")
        assert read_table(tmp_path / f"{name}.parquet").num_rows == len(one[name])
    rows = one["bootstrap"]
    assert set(rows["resampled"]) == set(kinds)
    assert (rows["low"].dropna() <= rows["high"].dropna()).all()
    shares = one["chosen"].groupby(["resampled", "topic"], observed=True)["share"].sum()
    assert (shares <= 1 + 1e-12).all()


def test_what_cannot_be_drawn_has_a_row_that_says_so():
    _, labels, _, _ = made(2)
    judged = random_labels(4, random_judgments(2, levels=9, topics=3, documents=9), 3)
    plan = prepare(labels, 3, 2, "d2_at", judged.set_column(
        2, "grade", pa.array(np.minimum(judged["grade"].to_numpy(), 1))))  # fmt: skip
    tables = bootstrap_tables(RepeatedSearch(plan, {}), None, ["units", "topics"], 4)
    row = tables["bootstrap"].iloc[0]
    assert "name no unit" in row["note"]
    assert row["undefined"] == 4
    with pytest.raises(ParameterError, match="at least 1"):
        bootstrap_tables(RepeatedSearch(plan, {}), None, ["topics"], 0)


# --- made data with a known best cut ---------------------------------------------------------


class Made:
    """α of nine cuts for topics of a population whose best cut is the fifth."""

    truth = 0.6 - 0.01 * (np.arange(9) - 4.0) ** 2

    def __init__(self, topics, seed):
        rng = np.random.default_rng(seed)
        own = rng.normal(0, 0.05, (1, topics)) + rng.normal(0, 0.06, (9, topics))
        self.criterion = self.truth[:, None] + own


def test_intervals_cover_the_truth_as_often_as_they_say():
    """The chosen cut, α at a named cut, and the difference of two named cuts, 30 topics."""
    weights = topic_weights(30, 400, seed=1)
    hits = {"cut": 0, "alpha": 0, "difference": 0}
    trials = 250
    truth = Made.truth[:8]
    for trial in range(trials):
        criterion = Made(30, trial).criterion[:8]
        means = np.concatenate(list(weighted_means(criterion, weights, 0.9)))
        chosen = np.quantile(means.argmax(axis=1), [0.025, 0.975], method="inverted_cdf")
        hits["cut"] += chosen[0] <= 4 <= chosen[1]
        low, high = np.quantile(means[:, 3], [0.025, 0.975])
        hits["alpha"] += low <= truth[3] <= high
        low, high = np.quantile(means[:, 4] - means[:, 2], [0.025, 0.975])
        hits["difference"] += low <= truth[4] - truth[2] <= high
    # of 250 intervals of 95 %, 230 to 245 (two standard errors) are no surprise; a choice among
    # few cuts is covered more often than it says, never less
    assert hits["cut"] >= 230
    for name in ("alpha", "difference"):
        assert 0.90 * trials <= hits[name] <= 0.985 * trials, hits


def test_the_best_cut_is_on_the_plateau_as_often_as_it_says():
    weights = topic_weights(20, 300, seed=1)
    on = sizes = 0
    for trial in range(200):
        criterion = Made(20, 1000 + trial).criterion
        best = int(criterion.mean(axis=1).argmax())
        told = on_plateau(criterion, np.ones(9, dtype=bool), best, weights)
        assert told["on"][best]
        on += told["on"][4]
        sizes += told["on"].sum()
    assert on >= 185  # of 200, 95 % less two standard errors
    assert sizes < 200 * 7  # and it is not everything


def test_a_plateau_by_hand():
    of_best = np.array([0.5, 0.6, 0.7, 0.5, 0.4])
    criterion = np.array([of_best, of_best, of_best - 0.4])
    weights = topic_weights(5, 100, seed=1)
    told = on_plateau(criterion, np.ones(3, dtype=bool), 0, weights)
    # the second is the same for every topic, the third less by as much for every topic
    assert told["on"].tolist() == [True, True, False]
    assert told["difference"].tolist() == pytest.approx([0, 0, 0.4])
    few = on_plateau(criterion[:, :4], np.ones(3, dtype=bool), 0, weights[:, :4])
    assert few["on"].all()
    alone = on_plateau(criterion[:, :1], np.ones(3, dtype=bool), 0, weights[:, :1])
    assert alone["on"].all()


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("cells", [120, 1 << 19])  # two cuts at a time, and all at once
def test_a_plateau_is_that_of_its_definition_draw_by_draw(missing, cells, monkeypatch):
    monkeypatch.setattr("regrade.trust.plateau.CELLS", cells)
    rng = np.random.default_rng(7)
    criterion = rng.normal([[0.6], [0.59], [0.3], [0.55]], 0.1, (4, 8))
    if missing:
        criterion[1, 2] = criterion[3, 5] = np.nan
    weights = topic_weights(8, 60, seed=1)
    told = on_plateau(criterion, np.ones(4, dtype=bool), 0, weights)
    largest, as_good = [], np.zeros(4)
    for drawn_times in weights:
        drawn_topics = np.repeat(np.arange(8), drawn_times)
        moved = []
        for cut in range(4):
            delta = criterion[0] - criterion[cut]
            d, d_drawn = np.nanmean(delta), np.nanmean(delta[drawn_topics])
            as_good[cut] += d_drawn <= 1e-12
            s = np.nanstd(delta, ddof=1) / np.sqrt((~np.isnan(delta)).sum())
            moved += [abs(d_drawn - d) / s] if s > 0 else []
        largest.append(max(moved))
    assert told["q"] == pytest.approx(np.quantile(largest, 0.95), rel=1e-12)
    assert told["share"] == pytest.approx(as_good / 60)
    for cut in range(1, 4):
        delta = criterion[0] - criterion[cut]
        n = (~np.isnan(delta)).sum()
        beyond = stats.norm.sf(told["q"] * np.sqrt(n / (n - 1)))
        error = np.nanstd(delta, ddof=1) / np.sqrt(n)
        assert told["on"][cut] == (np.nanmean(delta) <= stats.t.isf(beyond, n - 1) * error)
    assert not told["on"].all() and told["on"].sum() > 1


@pytest.mark.parametrize(("cuts", "topics"), [(2, 5), (2, 10), (300, 5), (300, 10)])
def test_a_cut_is_seldom_told_from_others_that_are_as_good(cuts, topics):
    """Nor is one of two cuts sure, whichever the sample prefers."""
    rng, wrong, times = np.random.default_rng(cuts + topics), 0, 200
    for trial in range(times):
        criterion = rng.normal(0, 0.1, (cuts, topics))
        weights = topic_weights(topics, 300, seed=trial)
        best = int(criterion.mean(axis=1).argmax())
        on = on_plateau(criterion, np.ones(cuts, dtype=bool), best, weights)["on"]
        wrong += not (on.all() if cuts == 2 else on[0])
    assert wrong <= times * 0.05 + 3 * (times * 0.05 * 0.95) ** 0.5


def test_a_best_cut_that_stands_alone_is_said_to():
    row = {"on": 1, "n_cuts": 10, "n_topics": 53, "c1_low": 2.0, "c1_high": 2.0}
    assert sentence(row) == (
        "The optimum is uniquely determined: all other thresholds are significantly worse with 53 "
        "topics."
    )
    assert sentence(row | {"n_cuts": 1}) == "No other thresholds were searched."
    assert sentence(row | {"n_topics": 1}).startswith("1 topic is too few to test ")
    assert sentence(row | {"n_topics": 4}).startswith("4 topics are too few to test ")
    assert sentence(row | {"n_topics": 5}).endswith(" significantly worse with 5 topics.")


def test_thresholds_that_are_not_significantly_worse_are_counted():
    row = {"on": 4, "n_cuts": 10, "n_topics": 53, "c1_low": 2.0, "c1_high": 5.0}
    three = {"c2_low": 6.0, "c2_high": 6.0, "c3_low": 7.5, "c3_high": 9.0}
    cases = [row, row | three, row | {"c1_low": -1.0, "n_systems": 3, "farthest": 1}]
    cases.append(row | {"n_systems": 3, "farthest": 0})
    assert_snapshot("cuts-not-unique", "\n".join(map(sentence, cases)))


@pytest.mark.parametrize("topics", [4, 5])
def test_that_topics_are_too_few_to_tell_cuts_apart_is_noted(topics):
    _, _, _, again = made(5, topics=topics, ranks=False)
    (effect,) = plateau_tables(again, "E", 20)["plateau_effects"].to_dict("records")
    assert effect["note"] == (
        "fewer than 5 topics: too few to test one cut against another" if topics == 4 else None
    )


def test_the_plateau_of_a_search():
    _, _, _, again = made(5, topics=6)
    tables = plateau_tables(again, "E", 50)
    rows, (effect,) = tables["plateau"], tables["plateau_effects"].to_dict("records")
    assert rows["best"].sum() == 1
    assert effect["on"] == len(rows)
    assert f"not uniquely determined: {len(rows)} of " in effect["said"]
    assert effect["said"].endswith(f"moves a system by at most {effect['farthest']} ranks.")
    assert (effect["resamples"], effect["seed"]) == (50, 1)
    best = rows[rows["best"]].iloc[0]
    assert best["tau_best"] == pytest.approx(1)
    assert effect["tau_low"] <= effect["tau_chosen"] <= effect["tau_high"]
    assert effect["n_systems"] == 6


def test_a_plateau_without_systems_says_nothing_of_them():
    _, _, _, again = made(5, topics=6, ranks=False)
    (effect,) = plateau_tables(again, "E", 50)["plateau_effects"].to_dict("records")
    assert f"not uniquely determined: {effect['on']} of " in effect["said"]
    assert effect["said"].endswith(
        "topics (first threshold "
        f"{effect['c1_low']:g}–{effect['c1_high']:g}, second "
        f"{effect['c2_low']:g}–{effect['c2_high']:g})."
    )

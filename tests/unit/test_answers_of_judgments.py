"""What ties, unjudged documents and pools change: numbers by hand, sentences, and edges."""

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

import regrade
from regrade.answers.orders import first_place, numbers_of, rank_range
from regrade.answers.shape import FINE, LOOK, PROBLEM
from regrade.pools import depth_answer as pool
from regrade.pools import left_out_answer as leave_one_out
from regrade.ranking.possible_ranks import apart, order_numbers, rank_ranges
from regrade.stages.registry import stages
from regrade.tied_scores import answer as ties
from regrade.uncertainty import answer as unjudged
from tests.snapshots import assert_said, assert_snapshot
from tests.unit import carried
from tests.unit.carried import assert_carried

TOPICS = [f"t{n}" for n in range(6)]
DOCUMENTS = [f"d{n:02}" for n in range(12)]


def world(systems=5, topics=TOPICS, judged=1.0, tied=1, seed=1, grades=3):
    """Runs that see what is relevant with noise, and labels of some documents."""
    rng = np.random.default_rng(seed)
    relevance = {t: dict(zip(DOCUMENTS, rng.integers(0, grades, 12), strict=True)) for t in topics}
    runs = {}
    for s in range(systems):
        noise = {t: rng.normal(0, 0.5 + s, 12) for t in topics}
        runs[f"s{s}"] = {
            t: {d: float(np.round((10 * relevance[t][d] + n) / tied)) if tied > 1 else
                float(10 * relevance[t][d] + 6 * n)
                for d, n in zip(DOCUMENTS, noise[t], strict=True)}
            for t in topics
        }  # fmt: skip
    qrels = {t: {d: int(g) for d, g in of.items() if rng.random() < judged}
             for t, of in relevance.items()}  # fmt: skip
    return {t: of or {"d00": 0} for t, of in qrels.items()}, runs


def checked(found, folder, tmp_path, *names):
    return carried.checked(found, folder, tmp_path, "nDCG@10", "AP", *names)


def numbers(found, measure="AP"):
    table = found.numbers
    of = table[table["measure"].astype(str) == measure]
    return dict(zip(of["quantity"].astype(str), of["value"], strict=True))


# --- orders of systems ------------------------------------------------------------------------


def test_ranks_are_those_of_every_choice_within_the_ranges():
    rng = np.random.default_rng(1)
    for _ in range(20):
        low = rng.integers(0, 6, 4).astype(float)
        high = low + rng.integers(0, 3, 4)
        table = pd.DataFrame({"measure": "AP", "system": list("abcd"), "value": low,
                              "low": low, "high": high})  # fmt: skip
        found = rank_ranges(table, apart("low", "high")).set_index("system")
        ranks = []
        for chosen in product(*zip(low, high, strict=True)):
            scores = np.array(chosen)
            ranks.append(1 + (scores[None, :] > scores[:, None]).sum(axis=1))
        least, most = np.min(ranks, axis=0), np.max(ranks, axis=0)
        for i, name in enumerate("abcd"):
            assert found.loc[name, "rank_low"] == least[i]
            assert found.loc[name, "rank_high"] == most[i]


# --- ties -------------------------------------------------------------------------------------


def ranges(*rows):
    """Systems by measure with a value and its range."""
    return pd.DataFrame(rows, columns=["measure", "system", "value", "low", "high"])


def test_how_much_of_an_order_is_open_is_counted():
    """By P a and b may change places, and c is last; by AP, the second, x is surely first."""
    scores = ranges(
        ("P", "c", 0.2, 0.1, 0.29),
        ("P", "b", 0.45, 0.35, 0.5),
        ("P", "a", 0.5, 0.4, 0.6),
        ("AP", "y", 0.15, 0.1, 0.2),
        ("AP", "x", 0.85, 0.8, 0.9),
    )
    least = apart("low", "high")
    ranks = rank_ranges(scores, least)
    shown = ranks[["system", "rank", "rank_low", "rank_high"]].to_numpy().tolist()
    assert shown == [["a", 1, 1, 2], ["b", 2, 1, 2], ["c", 3, 3, 3], ["x", 1, 1, 1], ["y", 2, 2, 2]]
    rows = [*order_numbers(ranks, least, "low", "high")]
    assert list(dict.fromkeys(measure for measure, *_ in rows)) == ["P", "AP"]
    quantities = ("systems", "pairs", "open pairs", "certain pairs", "open ranks", "farthest")
    quantities += ("may be first", "widest range")
    for measure, counts in (("P", [3, 3, 1, 2, 2, 1, 2, 0.2]), ("AP", [2, 1, 0, 1, 0, 0, 1, 0.1])):
        found = {quantity: value for name, quantity, value in rows if name == measure}
        assert found == pytest.approx(dict(zip(quantities, counts, strict=True)))


def test_systems_that_may_rank_first_are_named():
    """Also those that tie whatever happens."""
    cases = [((1, 2, 3), (1, 2, 3)), ((1, 1, 3), (1, 1, 3)), ((1, 1, 3), (2, 2, 3))]
    cases += [((1, 1, 1), (3, 3, 3)), ((*[1] * 6, 7), (*[6] * 6, 7))]

    def say(low, high):
        names = [f"s{n}" for n in range(len(low))]
        frame = pd.DataFrame({"system": names, "rank_low": low, "rank_high": high})
        return first_place(frame, "under any")

    assert_said("orders-first", say, cases)


def test_a_rank_that_stays_is_one_number():
    assert [rank_range(1, 1), rank_range(44.0, 55.0)] == ["1", "44–55"]


def test_pairs_that_ties_reverse_are_counted():
    """How far systems move is left out where that may be from first to last."""

    def say(systems, open_):
        pairs = systems * (systems - 1) // 2
        counts = {"systems": systems, "pairs": pairs, "open pairs": open_, "farthest": 2,
                  "widest range": 0.1}  # fmt: skip
        numbers = pd.DataFrame([("AP", *one) for one in counts.items()])
        numbers.columns = ["measure", "quantity", "value"]
        ranks = pd.DataFrame({"measure": "AP", "system": ["a", "b"], "rank": [1, 2]})
        ranks = ranks.assign(rank_low=[1, 1], rank_high=[1, 4])
        tied = pd.DataFrame({"count": [9]}, index=["documents"])
        return ties.verdict("AP", ranks, numbers_of(numbers, "AP"), tied)

    assert_said("ties-verdicts", say, [(7, 1), (7, 2), (3, 1), (3, 3), (41, 41), (2, 1), (2, 0)])


def test_other_ranks_in_trec_eval_are_counted():
    ranks = pd.DataFrame({"system": ["a", "b"], "rank_low": 1, "rank_high": 2})

    def say(count):
        return ties.other_ranks(ranks, {"otherwise in trec_eval": count})

    assert_said("ties-trec-eval", say, [(0,), (1,), (2,)])


def test_ties_of_three_systems_and_of_one():
    qrels, runs = world(systems=3, tied=30)
    several = regrade.ties(runs, qrels, measures=["AP", "P@3"]).answer
    alone = regrade.ties({"s0": runs["s0"]}, qrels, measures="AP").answer
    assert_snapshot("ties-of-three-and-of-one", f"{several}\n\n{alone}")


def test_ties_leave_open_what_orders_of_tied_documents_do(tmp_path):
    qrels = {"1": {"a": 1, "b": 0, "c": 0}}
    runs = {
        "tied": {"1": {"a": 1.0, "b": 1.0, "c": 1.0}},
        "second": {"1": {"b": 3.0, "a": 2.0, "c": 1.0}},
    }
    found = regrade.ties(runs, qrels, "AP")
    checked(found, "ties", tmp_path)
    scores = [1 / (1 + order.index("a")) for order in permutations("abc")]
    row = found.ranks.set_index("system").loc["tied"]
    assert (row["pessimistic"], row["optimistic"]) == (min(scores), max(scores))
    assert (row["rank_low"], row["rank_high"]) == (1, 2)
    assert numbers(found)["open pairs"] == numbers(found)["pairs"] == 1
    shares = found.ranks.set_index("system")["tied_share"]
    assert shares[["second", "tied"]].tolist() == pytest.approx([0, 2 / 3])
    assert_snapshot("ties-open", str(found.answer))


def test_ties_that_reverse_nothing_do_not_matter(tmp_path):
    qrels, runs = world(systems=3)
    found = regrade.ties(runs, qrels)
    none = checked(found, "ties", tmp_path)
    for run in runs.values():
        for of in run.values():
            of["x"] = of["y"] = -99.0  # the last two, not judged
    nothing = checked(regrade.ties(runs, qrels), "ties", tmp_path)
    assert none.light == nothing.light == FINE
    assert_snapshot("ties-without-effect", f"{none}\n\n{nothing}")


@pytest.mark.parametrize(("depth", "bound"), [(1, "0.131"), (300, "0.00007")])
def test_ties_that_reverse_nothing_say_how_far_they_reach(depth, bound, tmp_path):
    """One relevant document of two that tie at ranks depth + 1 and depth + 2."""
    above = {f"x{i}": 9000.0 - i for i in range(depth)}
    qrels = {"1": {"a": 1, "b": 0, "best": 1}}
    runs = {
        "tied": {"1": {**above, "a": 1.0, "b": 1.0}},
        "first": {"1": {"best": 2.0, "a": 1.0}},
    }
    found = regrade.ties(runs, qrels, "DCG")
    answer = checked(found, "ties", tmp_path)
    ends = [1 / np.log2(depth + 2), 1 / np.log2(depth + 3)]
    assert numbers(found, "DCG")["widest range"] == pytest.approx(ends[0] - ends[1])
    assert answer.verdict == (
        f"Tie-breaking cannot reverse the two systems by DCG; no mean changes by more than {bound}."
    )
    alone = regrade.ties({"tied": runs["tied"]}, qrels, "DCG")
    assert "with DCG between " in checked(alone, "ties", tmp_path).verdict


def test_relevant_unjudged_documents_among_the_tied_are_told():
    qrels, runs = world(tied=4)
    tables = regrade.ties(runs, qrels).tables
    answer = ties.answer(tables["rates"], tables["ranks"], tables["numbers"], "relevant")
    assert "treated as relevant" in " ".join(answer.notes)


# --- unjudged ---------------------------------------------------------------------------------


def test_pairs_that_unjudged_documents_could_reverse_are_counted():
    def say(pairs, open_):
        counts = {"systems": 5, "pairs": pairs, "open pairs": open_, "widest range": 0.1}
        return unjudged.verdict("AP", pd.DataFrame({"value": [0.1, 0.2]}), counts)

    cases = [(10, 0), (10, 1), (10, 2), (10, 5), (10, 6), (1, 1), (1, 0)]
    assert_said("unjudged-verdicts", say, cases)


def test_bounds_that_leave_all_open_are_a_note(tmp_path):
    """Every pair could reverse by AP: what is judged is the answer, and no rank is bounded."""
    qrels = {"1": {"a": 1, "b": 0}}
    documents = {name: [f"{name}{i}" for i in range(3)] for name in "stu"}
    runs = {name: {"1": {d: 3.0 - i for i, d in enumerate(of)}} for name, of in documents.items()}
    runs["s"]["1"]["a"] = 9.0
    answer = checked(regrade.unjudged(qrels, runs, "AP"), "ranges", tmp_path)
    assert answer.verdict.startswith("Mean Judged@10 is ") and not answer.facts
    assert answer.notes[0].startswith("AP: worst-case bounds are uninformative (every pair could")
    assert "rank range" not in answer.rows.header() and not answer.key and answer.light == LOOK


def test_systems_that_tie_as_judged_are_not_said_to_keep_an_order(tmp_path):
    runs = {"a": {"1": {"d1": 2.0, "x": 1.0}}, "b": {"1": {"d2": 2.0, "d1": 1.0}}}
    answer = checked(regrade.unjudged({"1": {"d1": 0, "d2": 0}}, runs, "P@2"), "ranges", tmp_path)
    assert answer.verdict == (
        "Both systems have the same P@2; unjudged documents could separate them."
    )


def test_of_whom_fewest_documents_are_judged_is_named():
    """Not of all: of two systems one has fewer; those who have all are not among the fewest."""
    cases = [(0.5, 0.5), (0.6, 0.4), (0.8, 0.2, 0.3, 0.7, 0.5), (1.0, 0.9, 1.0, 1.0), (np.nan,)]

    def say(*shares):
        systems = [f"s{n}" for n in range(len(shares))]
        frame = pd.DataFrame({"system": systems, "judged_share": shares})
        return unjudged.judged_documents(frame, {"judged to": 10, "judged share": 0.5})

    assert_said("unjudged-fewest", say, cases)


def test_nothing_unjudged_changes_nothing(tmp_path):
    qrels, runs = world()
    found = regrade.unjudged(qrels, runs)
    answer = checked(found, "ranges", tmp_path)
    assert answer.verdict == "Unjudged documents affect no system's nDCG@10."
    assert answer.facts[0] == "Judged@10 is 100.0% for every system." and answer.light == FINE


def means_of_assignments(qrels, runs, measure, systems):
    """A row of systems' means for each of 120 drawn assignments of grades to what is unjudged.

    All are scored at once, each assignment as topics of its own.
    """
    rng = np.random.default_rng(2)
    shares = np.tile([0, 0.2, 0.5, 0.8, 1], 24)
    full = {
        f"{t} {draw}": {d: of.get(d, int(rng.integers(1, 3)) if rng.random() < share else 0)
                        for d in DOCUMENTS}
        for draw, share in enumerate(shares) for t, of in qrels.items()
    }  # fmt: skip
    many = {
        system: {f"{t} {draw}": of for draw in range(len(shares)) for t, of in run.items()}
        for system, run in runs.items()
    }
    scores = regrade.score(full, many, measure, max_grade=2).to_frame()
    draws = scores["topic"].str.rpartition(" ")[2].astype(int)
    return scores.groupby([draws, "system"])["value"].mean().unstack()[list(systems)]


@pytest.mark.parametrize("measure", ["AP", "nDCG@3", "nDCG@10", "nDCG", "nDCG(dcg='exp-log2')@5"])
@pytest.mark.parametrize("judged", [0.95, 0.7, 0.2])
def test_pairs_are_certain_where_no_assignment_reverses_them(judged, measure, tmp_path):
    qrels, runs = world(judged=judged, systems=4, topics=TOPICS[:2])
    found = regrade.unjudged(qrels, runs, measure)
    checked(found, "ranges", tmp_path, measure)
    ranks, pairs = found.ranks.set_index("system"), found.pairs.set_index(["system", "other"])
    means = means_of_assignments(qrels, runs, measure, ranks.index)
    order = (-means.round(12)).rank(axis=1, method="min")
    for (a, b), row in pairs.iterrows():
        assert (means[a] - means[b]).between(row["low"] - 1e-12, row["high"] + 1e-12).all()
    for system, row in ranks.iterrows():
        assert means[system].between(row["low"] - 1e-12, row["high"] + 1e-12).all()
        assert order[system].between(row["rank_low"], row["rank_high"]).all()
    certain = ((pairs["low"] >= -1e-12) | (pairs["high"] <= 1e-12)).sum()
    assert numbers(found, found.ranks["measure"].iloc[0])["certain pairs"] == certain


def test_what_two_systems_share_makes_pairs_certain(tmp_path):
    """Both have one unjudged document at rank 1: its label is the same for both."""
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"u": 3.0, "a": 2.0, "b": 1.0}}, "y": {"1": {"u": 3.0, "b": 2.0, "a": 1.0}}}
    found = regrade.unjudged(qrels, runs, "nDCG@3")
    checked(found, "ranges", tmp_path, "nDCG@3")
    ranks = found.ranks.set_index("system")
    assert ranks.loc["y", "high"] > ranks.loc["x", "low"]  # by themselves they overlap
    assert numbers(found, "nDCG@3")["certain pairs"] == 1
    assert ranks.loc["x", ["rank_low", "rank_high"]].tolist() == [1, 1]
    shared = (1 / np.log2(3) - 1 / np.log2(4)) / (1 + 1 / np.log2(3))  # the ideal with u relevant
    assert found.pairs["low"].iloc[0] == pytest.approx(shared)


def test_how_much_is_judged_is_counted_by_hand(tmp_path):
    qrels, runs = world(judged=0.6, systems=4)
    found = regrade.unjudged(qrels, runs, "AP")
    answer = checked(found, "ranges", tmp_path)
    for system, run in runs.items():
        shares = []
        for topic, of in run.items():
            first = sorted(of, key=lambda d, of=of: -of[d])[:10]
            shares.append(np.mean([d in qrels[topic] for d in first]))
        share = found.ranks.set_index("system").loc[system, "judged_share"]
        assert share == pytest.approx(np.mean(shares))
    assert "Judged@10" in answer.verdict + answer.facts[0] if answer.facts else answer.verdict
    assert [row[-1] for row in answer.rows.rows] == found.ranks["judged_share"].tolist()
    assert found.plot().axes


# --- leave one out ----------------------------------------------------------------------------


def test_systems_that_bring_nothing_of_their_own_show_nothing(tmp_path):
    qrels, runs = world(systems=2)
    runs |= {f"{name}-again": run for name, run in runs.items()}
    found = regrade.leave_one_out(qrels, runs, 5)
    answer = checked(found, "leave-one-out", tmp_path)
    assert answer.verdict == (
        "No run has unique judged documents, so leaving one out cannot show a bias against new "
        "systems."
    )
    assert not answer.facts and answer.light == PROBLEM
    assert any("perhaps because few of their documents" in one for one in answer.notes)
    assert (numbers(found)["moved"], numbers(found)["farthest"]) == (0, 0)
    assert not any("would have no judgment" in one for one in answer.notes)


def test_systems_that_score_the_same_tell_nothing_of_new_ones(tmp_path):
    qrels, runs = world(systems=3)
    none = {topic: dict.fromkeys(of, 0) for topic, of in qrels.items()}
    answer = checked(regrade.leave_one_out(none, runs, 2, measures="AP"), "leave-one-out", tmp_path)
    assert answer.verdict == "All 3 systems have the same mean AP."


def test_with_one_topic_no_change_of_order_is_tested(tmp_path):
    qrels, runs = world(systems=5, topics=TOPICS[:1], seed=4)
    found = regrade.leave_one_out(qrels, runs, 2, measures="AP")
    answer = checked(found, "leave-one-out", tmp_path)
    assert " when left out of the pool" in answer.verdict
    assert answer.facts[0] == "With one topic, no pair of systems can be tested."
    assert answer.light == LOOK
    assert found.systems["passed"].sum() and found.systems["passed_significant"].isna().all()
    assert found.plot().axes


def test_passed_systems_differ_at_five_percent_by_default():
    qrels, runs = world(systems=5)
    found, same, any_of_them = (
        regrade.leave_one_out(qrels, runs, 2, measures="AP", **how).systems["passed_significant"]
        for how in ({}, {"significance": 0.05}, {"significance": 0.99})
    )
    assert found.tolist() == same.tolist()
    assert found.sum() < any_of_them.sum()


def test_a_topic_that_would_have_no_judgment_is_warned_of():
    """Only s0 retrieves the document that is judged for topic 1."""
    qrels = {"1": {"x": 1}, "2": {"a": 1, "b": 0}}
    runs = {"s0": {"1": {"x": 2.0}, "2": {"a": 2.0, "b": 1.0}}}
    runs["s1"] = {"1": {"y": 2.0}, "2": {"b": 2.0, "a": 1.0}}
    answer = regrade.leave_one_out(qrels, runs, 2, measures="AP").answer
    assert "Without s0, 1 topic would have no judgment." in answer.notes


def test_systems_that_lose_most_ranks_come_first():
    """Of equal ones those that lose more of their score; those that gain are last."""
    systems = pd.DataFrame({
        "measure": "AP", "by": "run", "left_out": [*"abcdef"], "system": [*"abcdef"],
        "score": 0.5, "score_left_out": [0.5, 0.4, 0.1, 0.3, 0.2, 0.5],
        "rank": [1, 2, 3, 4, 5, 6], "rank_left_out": [1, 3, 6, 5, 7, 5],
    })  # fmt: skip
    left_out = systems[["left_out"]].assign(lost=[1, 2, 3, 4, 5, 6], lost_relevant=0)
    table = leave_one_out.system_table(systems, left_out, ["AP"], 6)
    assert [row[0] for row in table.rows] == [*"cedbaf"]
    assert table.rows[0] == ("c", 3, 0, 0.5, 0.1, 3, 6)


def test_a_change_with_a_system_that_differs_is_not_fine():
    systems = pd.DataFrame({
        "pooling": "Depth@5", "by": "run", "left_out": ["a", "b"], "system": ["a", "b"],
        "measure": "AP", "score": [0.5, 0.4], "score_left_out": [0.3, 0.4],
        "rank": [1, 2], "rank_left_out": [2, 2], "passed": [1, 0], "passed_significant": [1, 0],
    })  # fmt: skip
    left_out = systems[["pooling", "by", "left_out", "measure"]].assign(
        systems=1, lost=[10, 0], lost_relevant=[4, 0], gained=0, gained_relevant=0,
        lost_topics=[2, 0], tau=1.0,
    )  # fmt: skip
    summary = pd.DataFrame([{
        "pooling": "Depth@5", "by": "run", "measure": "AP", "systems": 2, "mae": 0.1,
        "largest_error": 0.2, "bias": -0.1, "sre": 1, "sre_significant": 1, "tau": 0, "tau_all": 0,
    }])  # fmt: skip
    tables = {"systems": systems, "left_out": left_out, "summary": summary}
    tables["numbers"] = leave_one_out.answered(tables, 90, 7, 3)["numbers"]
    answer = leave_one_out.answer(tables)
    assert_carried(answer, tables, "Depth@5", folder="leave-one-out")
    assert answer.light == LOOK
    assert_snapshot("leave-one-out-unsafe", str(answer))


def test_changes_of_order_by_several_measures_are_one_sentence():
    """Without any nothing is said, and of one topic that none is tested."""

    def say(*changes):
        rows = [{"sre": n, "sre_significant": k} for n, k in changes]
        return leave_one_out.significant_changes(dict(zip(["AP", "RR"], rows, strict=False)), 0.01)

    cases = [((0, 0),), ((80, 0), (160, 4)), ((1, 1),), ((1, 0), (0, 0)), ((3, np.nan),)]
    assert_said("leave-one-out-changes", say, cases)


def test_the_first_stays_first_or_falls():
    def say(ranks, left_out):
        frame = pd.DataFrame({"system": [*"abc"], "rank": ranks, "rank_left_out": left_out})
        return leave_one_out.first_place(frame)

    cases = [([1, 2, 3], [1, 3, 3]), ([3, 1, 2], [3, 3, 1]), ([1, 1, 3], [1, 1, 2])]
    cases += [([1, 1, 3], [2, 1, 3]), ([1, 1, 1], [2, 3, 1]), ([1, 1, 1], [1, 1, 1])]
    assert_said("leave-one-out-first", say, cases)


def test_runs_with_the_most_unique_documents_are_named():
    def say(*lost):
        names = [f"s{n}" for n in range(len(lost))]
        frame = pd.DataFrame({"left_out": names, "lost": lost, "lost_relevant": 2})
        return leave_one_out.unique_documents(frame)

    cases = [(3, 1), (1, 0), (1, 4, 4), (4, 4), (1,) * 6, (1,) * 6 + (0,)]
    assert_said("leave-one-out-lost", say, cases)


def test_a_first_that_lives_of_what_it_alone_brought_falls(tmp_path):
    # left out, `a` finds nothing relevant at 3, and each other one finds one
    alone = {t: [f"{t}-{i}" for i in range(3)] for t in "123"}
    qrels = {t: {"d0": 0, "d1": 1, "d2": 0, **dict.fromkeys(alone[t], 1)} for t in alone}
    runs = {"a": {t: {d: 9 - i for i, d in enumerate([*alone[t], "d0"])} for t in alone}}
    runs |= {n: {t: {d: 9 - i for i, d in enumerate(of)} for t in alone}
             for n, of in (("b", ["d0", "d1", "d2"]), ("c", ["d0", "d2", "d1"]))}  # fmt: skip
    found = regrade.leave_one_out(qrels, runs, 3, measures="P@3")
    row = found.systems.set_index("system").loc["a"]
    assert [row["rank"], row["rank_left_out"]] == [1, 3]
    facts = checked(found, "leave-one-out", tmp_path).facts
    assert any(fact.startswith("a falls from rank 1 to rank 3; ") for fact in facts)


# --- pools ------------------------------------------------------------------------------------


def test_depths_are_held_beside_the_deepest(tmp_path):
    qrels, runs = world(systems=5)
    found = regrade.pool_depths(qrels, runs, 10, measures="AP nDCG@10")
    answer = checked(found, "pools", tmp_path)
    assert answer.question == "How deep must the pool be?"
    assert [row[0] for row in answer.rows.rows] == found.depths["depth"].unique().tolist()
    assert answer.rows.rows[-1][3:] == ((None, None, None), None, None, None, None)
    means = {}
    for depth in found.depths["depth"].unique():
        reduced = regrade.pool(runs, int(depth)).reduce(qrels)
        means[depth] = regrade.score(reduced, runs, "AP").means()["AP"].sort_index()
    deepest = means[10]
    for row in found.depths.query("measure == 'AP'").itertuples():
        ranks = [one.round(12).rank(ascending=False, method="min") for one in
                 (means[row.depth], deepest)]  # fmt: skip
        assert row.moved == (ranks[0] != ranks[1]).sum()
        assert row.farthest == (ranks[0] - ranks[1]).abs().max()
        reordered = sum(
            np.sign(round(means[row.depth][a] - means[row.depth][b], 12))
            != np.sign(round(deepest[a] - deepest[b], 12))
            for i, a in enumerate(runs) for b in list(runs)[:i]
        )  # fmt: skip
        assert row.reordered == reordered
        assert row.reordered_significant <= row.reordered
    assert found.plot().axes


def test_systems_that_are_judged_less_deep_are_counted():
    qrels = {"1": dict.fromkeys("abcdefgh", 1) | {"a": 0}}
    orders = ("abcdefgh", "bacdefgh", "ijabcdef")
    runs = {name: {"1": {d: 9 - i for i, d in enumerate(order)}}
            for name, order in zip("stu", orders, strict=True)}  # fmt: skip
    found = regrade.pool_depths(qrels, runs, measures="AP")
    note = "1 of 3 systems neither pooled nor compared: not judged to depth 8 for every topic."
    assert note in found.answer.notes
    every = regrade.pool_depths(qrels, runs, 8, measures="AP", contributors=list(runs))
    assert not [one for one in every.answer.notes if "neither pooled" in one]
    with pytest.raises(
        regrade.RegradeError,
        match=r"as deep as 9 documents, .*: give contributors='all' .*, or a smaller depth",
    ):
        regrade.pool_depths(qrels, runs, 9, measures="AP")


def test_a_depth_is_enough_from_where_on_intervals_lie_above_what_is_preserved():
    """Of a shallower depth that does too, with a deeper one that does not, nothing is said."""

    def say(*low, moved=(4, 3, 2, 0)):
        found = pd.DataFrame({
            "measure": "AP", "depth": [1, 2, 3, 4], "systems": 5, "topics": 20, "pairs": 10,
            "pooled": [5, 9, 13, 15], "judged": [5, 9, 12, 14], "outside": [12, 8, 5, 3],
            "tau": [0.94, 0.95, 0.96, 1], "low": [*low, np.nan], "high": [0.98, 0.98, 0.98, np.nan],
            "resamples": 200, "seed": 1, "significant": [5, 4, 5, 6], "reordered": [3, 2, 1, 0],
            "reordered_significant": [2, 1, 0, 0], "tied_significant": [1, 0, 0, 0],
            "reversed_significant": [1, 1, 0, 0], "lost": [0, 2, 1, 0],
            "moved": moved, "farthest": [2, 1, 1, 0],
        })  # fmt: skip
        found.loc[found["low"].isna(), "high"] = np.nan
        answer = pool.answer(found)
        assert_carried(answer, {"pools/depths": found}, "AP")
        is_known = not answer.verdict.startswith(("No ", "Too few"))
        assert (answer.light, bool(answer.key)) == ((FINE, True) if is_known else (LOOK, False))
        return answer

    none = (np.nan,) * 3
    assert_said("pool-enough", say, [(0.8, 0.91, 0.92), (0.91, 0.89, 0.92), (0.8, 0.8, 0.8), none])
    same = say(*none, moved=(4, 0, 0, 0))
    assert same.verdict == (
        "From depth 2 on, pools rank the 5 systems by AP exactly as at depth 4."
    )


def test_the_interval_of_a_depth_is_that_of_two_sets_of_labels():
    """As `compare` has it, of the labels of the pool beside those of the deepest."""
    qrels, runs = world(topics=[f"t{i}" for i in range(12)], systems=6)
    found = regrade.pool_depths(qrels, runs, 10, measures="AP").depths
    labels = {d: regrade.pool(runs, d).reduce(qrels) for d in map(int, found["depth"].unique())}
    for row in found.iloc[:-1].itertuples():
        two = regrade.compare(labels[10], labels[row.depth], runs, "AP", resamples=200, splits=2,
                              same_scale=True)  # fmt: skip
        tau = two.rankings.set_index("quantity").loc["tau", ["value", "low", "high"]]
        np.testing.assert_allclose([row.tau, row.low, row.high], tau.astype(float))
    assert found.iloc[-1][["low", "high"]].isna().all()


def two_pools():
    """Facts of pools of depth 1 and 2."""
    judged = [3, 6]
    pools = ["Depth@1", "Depth@2"]
    return pd.DataFrame({"pooling": pools, "pooled": judged, "judged": judged, "outside": 0})


def test_systems_that_are_one_do_not_differ_and_one_alone_moves_nowhere():
    """a and b, the same at the deepest, differ below: nothing significant is reordered."""
    values = {"a": (0.4, 0.5), "b": (0.5, 0.5)}
    rows = [
        ("AP", depth, system, topic, value[depth - 1])
        for depth in (1, 2) for system, value in values.items() for topic in "123"
    ]  # fmt: skip
    scores = pd.DataFrame(rows, columns=["measure", "depth", "system", "topic", "value"])
    facts = two_pools()
    found = pool.depths(scores, facts)
    counts = ["significant", "reordered", "reordered_significant", "lost", "farthest"]
    assert found[counts].to_numpy().tolist() == [[1, 1, 0, 0, 1], [0] * 5]
    alone = pool.depths(scores[scores["system"] == "a"], facts)
    assert alone["farthest"].tolist() == [0, 0]
    answer = pool.answer(alone)
    assert answer.verdict == "There is only one system, so no ranking is compared."
    assert not answer.facts and not answer.light
    every = pool.answer(found)
    assert every.verdict == "Both systems have the same mean AP at any depth."


def test_a_pair_that_ties_counts_as_one_that_no_longer_is_in_order():
    """Significant at the deepest, equal below: what is counted is named, reversed or tied."""
    topics = [str(t) for t in range(6)]
    apart = {"a": 0.5, "b": 0.3}
    rows = [
        ("AP", depth, system, topic, value + 0.01 * t * (system == "a"))
        for depth in (1, 2)
        for system, value in (apart.items() if depth == 2 else (("a", 0.475), ("b", 0.5)))
        for t, topic in enumerate(topics)
    ]
    scores = pd.DataFrame(rows, columns=["measure", "depth", "system", "topic", "value"])
    facts = two_pools()
    found = pool.depths(scores, facts)
    assert found["reordered_significant"].tolist() == [1, 0]
    assert found["tied_significant"].tolist() == [1, 0]
    answer = pool.answer(found)
    assert answer.verdict == "Both systems have the same mean AP at depth 1."
    assert answer.light == LOOK and answer.facts[0] == (
        "The only pair that differs significantly at depth 2 reverses or ties at depth 1 "
        "(two-sided paired t-test, p < 0.05, uncorrected)."
    )


def test_pairs_that_are_no_longer_significant_are_counted():
    """By loops over pairs, and scipy."""
    rng = np.random.default_rng(5)
    topics, names = [str(t) for t in range(12)], [*"abcdef"]
    means = {2: np.linspace(0.1, 0.8, 6), 1: np.array([0.3, 0.31, 0.6, 0.2, 0.65, 0.9])}
    values = {depth: np.clip(rng.normal(of[:, None], 0.15, (6, 12)), 0, 1)
              for depth, of in means.items()}  # fmt: skip
    rows = [
        ("AP", depth, name, topic, of[s, t])
        for depth, of in values.items()
        for s, name in enumerate(names) for t, topic in enumerate(topics)
    ]  # fmt: skip
    scores = pd.DataFrame(rows, columns=["measure", "depth", "system", "topic", "value"])
    found = pool.depths(scores, two_pools()).set_index("depth")
    counts = {"significant": 0, "reordered_significant": 0, "lost": 0}
    for i, j in combinations(range(6), 2):
        p = {depth: ttest_rel(of[i], of[j]).pvalue for depth, of in values.items()}
        order = {depth: np.sign((of[i] - of[j]).mean()) for depth, of in values.items()}
        counts["significant"] += p[1] < 0.05
        if p[2] < 0.05:
            counts["reordered_significant"] += order[1] != order[2]
            counts["lost"] += order[1] == order[2] and p[1] >= 0.05
    assert counts["lost"] and counts["reordered_significant"]
    assert {name: found.loc[1, name] for name in counts} == counts
    assert found.loc[2, ["lost", "reordered", "tied_significant"]].tolist() == [0, 0, 0]


def test_no_depth_is_enough_of_one_topic():
    """One topic tests no pair, and has no interval."""
    qrels, runs = world(systems=3)
    one = dict(list(qrels.items())[:1])
    answer = regrade.pool_depths(one, runs, 3, measures="AP", contributors=list(runs)).answer
    assert answer.verdict.startswith("Too few topics for intervals: ") or (
        " exactly as at depth 3." in answer.verdict
    )


# --- edges ------------------------------------------------------------------------------------

EDGES = {
    "one system": world(systems=1),
    "two systems": world(systems=2, judged=0.7),
    "one topic": world(topics=TOPICS[:1], judged=0.7),
    "the same systems": (lambda made: (made[0], dict.fromkeys("abc", made[1]["s0"])))(
        world(systems=1, judged=0.7)
    ),
    "a topic without relevant documents": (lambda made: (
        made[0] | {"t0": dict.fromkeys(DOCUMENTS, 0)}, made[1]
    ))(world(judged=0.7)),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_edges_are_answered(name, tmp_path):
    qrels, runs = EDGES[name]
    found = {
        "ties": regrade.ties(runs, qrels),
        "ranges": regrade.unjudged(qrels, runs),
        "leave-one-out": regrade.leave_one_out(qrels, runs, 3),
        "pools": regrade.pool_depths(qrels, runs, 3, contributors=list(runs)),
    }
    for folder, one in found.items():
        answer = checked(one, folder, tmp_path, *runs)
        if name == "one system":
            assert answer.verdict.startswith("There is only one system"), answer.verdict
        one.plot()


def test_questions_are_asked_in_the_words_of_users():
    for stage in stages().values():
        if stage.door:
            assert stage.question.endswith("?") and stage.question[0].isupper(), stage.key

"""Whether workers are any good: numbers by hand, sentences and edges."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import regrade
from regrade.agreement import alpha
from regrade.audit.answer import answer, limits
from regrade.audit.crowd import DRAWS, FEWEST, MANY, _tau
from regrade.audit.worker_groups import Pairwise
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import RegradeError
from tests.snapshots import assert_said
from tests.unit import carried

DOCUMENTS = [f"d{n:02}" for n in range(24)]
TRUTH = dict(zip(DOCUMENTS, np.arange(24) % 4, strict=True))


def crowd(**workers):
    """Judgments of documents: each worker a function of document and what is true."""
    rows = [
        ("t", d, name, float(value), seconds)
        for name, (of, seconds) in workers.items()
        for d, truth in TRUTH.items()
        if (value := of(d, truth)) is not None
    ]
    names = ("topic", "docno", "worker", "value", "seconds")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def good(d, truth):
    return truth


def random(d, truth):
    return (7 * int(d[1:]) ** 2 + 3) % 4


def constant(d, truth):
    return 2


def few(d, truth):
    return truth if d < "d05" else None


def checked(found, tmp_path, *names):
    assert all(f"workers/{name}" in SCHEMAS for name in found.tables)
    return carried.checked(found, "workers", tmp_path, *names)


def test_up_to_five_workers_are_named():
    """Agreement without anybody is told where somebody is to be dropped."""

    def say(count):
        named = pd.DataFrame({"worker": [f"w{n}" for n in range(9)]})
        is_bad = named.index < count
        table = named.assign(
            drop=is_bad, disagrees=is_bad, fails=is_bad, fast=False, copies=np.nan, documents=20
        )
        table = table.assign(tau=0.5, p=0.01, test_tau=0.25, test_p=0.02)
        facts = {
            "workers": 9,
            "tested": 8,
            "untested": 1,
            "to drop": count,
            "tested by reference": 7,
            "one value": 0,
            "fast": 0,
        }
        facts |= {"ordinal alpha": 0.41234, "ordinal alpha without": 0.51234}
        facts |= {"fewest shared": 10, "permutations": 2000, "most permuted": 50}
        facts |= {"groups": 1, "sound share": 0.7, "least sound share": 2 / 3, "disagrees": count}
        facts = pd.DataFrame(facts.items(), columns=["quantity", "value"])
        return answer(table, facts, "R")

    assert_said("workers-named", say, [(1,), (5,), (6,), (0,)])


def test_agreement_that_is_not_higher_without_them_is_not_called_so():
    def say(without):
        alphas = {"ordinal alpha": 0.41, "ordinal alpha without": without}
        return limits({"tested": 8, "untested": 0, "to drop": 1} | alphas, "ordinal")

    assert_said("workers-without", say, [(0.3,), (0.41,), (np.nan,), (0.42,)])


def test_who_agrees_no_more_than_chance_is_named(tmp_path):
    held = crowd(ann=(good, 20), bob=(good, 25), cem=(good, 22), gil=(good, 22), dan=(random, 21),
                 eva=(constant, 2), fay=(few, 20))  # fmt: skip
    found = regrade.workers(held)
    answer = checked(found, tmp_path)
    table = found.workers.set_index("worker")
    assert set(table.index[table["drop"]]) == {"dan", "eva"}
    assert not table.loc["fay", "drop"] and table.loc["fay", "shared"] == 5
    assert table.index[table["fast"]].tolist() == ["eva"]
    assert answer.verdict == (
        "2 of 6 workers (eva and dan) do not agree with the others significantly better than "
        "chance (Kendall's τ_b, p ≥ 0.05)."
    ).replace("eva and dan", " and ".join(found.workers.query("drop")["worker"]))
    assert answer.light == "look" and answer.key == "2 of 6 workers not above chance"
    assert answer.facts[-1] == (
        "1 worker gives only one value and eva takes less than a quarter of the median time."
    )
    assert any("by selection" in one for one in answer.notes)
    assert any(one.startswith("1 worker is not tested") for one in answer.notes)
    order = [
        *found.workers.query("disagrees")["worker"],
        *found.workers.query("~disagrees")["worker"],
    ]
    assert [row[0] for row in answer.rows.rows] == order
    assert {row[0] for row in answer.rows.rows if row[4]} == {"dan", "eva"}
    matrix = np.array([[TRUTH[d] for d in DOCUMENTS]] * 4
                      + [[(TRUTH[d] if d < "d05" else np.nan) for d in DOCUMENTS]])  # fmt: skip
    facts = found.facts.set_index("quantity")["value"]
    assert facts["ordinal alpha without"] == pytest.approx(alpha(matrix, "ordinal")) == 1
    assert facts["ordinal alpha"] < 1


def test_agreement_is_with_the_median_of_the_others():
    held = crowd(ann=(good, 1), bob=(random, 1), cem=(lambda d, t: t // 2, 1))
    table = regrade.workers(held).workers.set_index("worker")
    others = [np.median([random(d, t), t // 2]) for d, t in TRUTH.items()]
    expected = kendalltau(list(TRUTH.values()), others)
    assert table.loc["ann", "tau"] == pytest.approx(expected.statistic)
    # of 2,000 orders: within four Monte Carlo errors of the normal distribution's
    assert table.loc["ann", "p"] == pytest.approx(expected.pvalue, abs=0.042)


def test_p_of_few_values_that_tie_is_that_of_all_their_orders():
    """Of more, and of values without a tie, scipy's."""
    one, other = pd.Series([0, 0, 1, 1, 2, 2, 0]), pd.Series([0, 1, 1, 0, 2, 2, 0])
    tau, p = _tau(one, other)
    assert tau == kendalltau(one, other).statistic
    # equal values change places in as many ways in each order
    orders = {*permutations(other)}
    orders = np.array([kendalltau(one, order).statistic for order in orders])
    share = (np.abs(orders) >= tau - 1e-9).mean()
    assert p == pytest.approx(share, abs=4 * (share * (1 - share) / DRAWS) ** 0.5)
    assert _tau(pd.Series([0, 1, 0, 1]), pd.Series([0, 0, 1, 1])) == (0, 1), "all reach 0"
    rng = np.random.default_rng(1)
    for n, draw in ((MANY + 1, lambda n: rng.integers(0, 2, n)), (12, rng.permutation)):
        one, other = pd.Series(draw(n)), pd.Series(draw(n))
        assert _tau(one, other)[1] == kendalltau(one, other).pvalue


def test_who_tosses_coins_of_which_few_are_heads_is_seldom_told_to_agree():
    rng, told, by_scipy, times = np.random.default_rng(1), 0, 0, 300
    for _ in range(times):
        one, other = (pd.Series((rng.random(FEWEST) < 0.1) * 1) for _ in range(2))
        tau, p = _tau(one, other)
        told += tau > 0 and p < 0.05
        by_scipy += tau > 0 and kendalltau(one, other).pvalue < 0.05
    assert told <= times * 0.025 + 3 * (times * 0.025 * 0.975) ** 0.5 < by_scipy


def test_labels_are_test_questions(tmp_path):
    held = crowd(ann=(good, 1), bob=(good, 1), cem=(random, 1))
    labels = {"t": {d: int(t) for d, t in TRUTH.items() if d < "d12"}}
    found = regrade.workers(held, labels)
    answer = checked(found, tmp_path)
    assert found.workers["tests"].tolist() == [12] * 3
    assert answer.facts[1].startswith("1 of 3 tested workers (cem) does not agree with ")
    assert answer.rows.header()[-2:] == ["τ_b, qrels", "p, qrels"]


def test_labels_that_tell_nothing_of_workers_say_so(tmp_path):
    """Of nine documents, or of none."""
    held = crowd(ann=(good, 1), bob=(good, 1), cem=(random, 1))
    few = regrade.workers(held, {"t": {d: int(t) for d, t in TRUTH.items() if d < "d09"}})
    said = (
        "No worker judged 10 documents whose grades in qrels vary, so agreement with qrels is not "
        "tested."
    )
    assert said in checked(few, tmp_path).facts
    assert said not in regrade.workers(held).answer.facts
    other = {"t": {f"x{d}": int(t) for d, t in TRUTH.items()}}
    with pytest.raises(RegradeError, match="share no document: do topics and docnos have the same"):
        regrade.workers(held, other)


@pytest.mark.parametrize("tested", [9, 10])
def test_ten_documents_are_enough_to_tell_of_a_worker(tested):
    held = crowd(
        **dict.fromkeys(("ann", "bob", "cem", "eva"), (good, 1)),
        back=(lambda d, t: 3 - t, 1), half=(lambda d, t: t // 2, 1),
        ten=(lambda d, t: 2 if d < "d10" else None, 1),
        nine=(lambda d, t: 2 if d < "d09" else None, 1),
    )  # fmt: skip
    labels = {"t": {d: int(t) for d, t in TRUTH.items() if d < f"d{tested:02}"}}
    found = regrade.workers(held, labels)
    table = found.workers.set_index("worker")
    assert set(table.index[table["drop"]]) == {"back", "ten"}
    # the wrong way round is no agreement, two values are enough for some
    assert table.loc["back", "test_tau"] < 0 < table.loc["half", "test_tau"]
    expected = {"back", "ten"} if tested == 10 else set()
    assert set(table.index[table["fails"]]) == expected
    facts = found.facts.set_index("quantity")["value"]
    assert facts[["tested", "to drop", "failing", "one value"]].tolist() == [7, 2, len(expected), 1]
    assert facts["tested by reference"] == (7 if tested == 10 else 0)
    assert (regrade.workers(held).workers["tests"] == 0).all()


def test_all_good_one_worker_and_nobody_shared(tmp_path):
    three = crowd(ann=(good, 1), bob=(good, 1), cem=(good, 1))
    answer = checked(regrade.workers(three), tmp_path)
    assert answer.verdict == (
        "All 3 workers agree with the others significantly better than chance (Kendall's τ_b, "
        "p < 0.05)."
    )
    assert answer.light == "fine" and len(answer.notes) == 1
    one = checked(regrade.workers(crowd(ann=(good, 1))), tmp_path)
    assert one.verdict == "There are fewer than two workers, so agreement cannot be assessed."
    assert one.key == one.light == one.method == ""
    apart = crowd(ann=(lambda d, t: t if d < "d12" else None, 1),
                  bob=(lambda d, t: t if d >= "d12" else None, 1))  # fmt: skip
    assert "agreement is not tested" in checked(regrade.workers(apart), tmp_path).verdict


def test_who_is_beside_one_value_only_is_not_named(tmp_path):
    """The good worker has nobody to agree with; who never varies tells nothing beside her."""
    found = regrade.workers(crowd(good=(good, 9), constant=(constant, 9)))
    answer = checked(found, tmp_path)
    workers = found.workers.set_index("worker")
    assert workers["disagrees"].to_dict() == {"good": False, "constant": True}
    assert answer.verdict.startswith("Only 0 of 1 worker agree with the others")
    alike = regrade.workers(crowd(a=(constant, 9), b=(constant, 9)))
    assert not alike.workers["drop"].any()
    assert "others whose values vary" in checked(alike, tmp_path).verdict
    same = {"t": dict.fromkeys(DOCUMENTS, 1)}
    beside = regrade.workers(crowd(good=(good, 9), bad=(random, 9)), same)
    assert not beside.workers["fails"].any()
    assert "No worker judged 10 documents" in " ".join(checked(beside, tmp_path).facts)


def test_who_never_varies_beside_two_values_is_named():
    binary = (lambda d, t: t // 2, 9)
    found = regrade.workers(crowd(a=binary, b=binary, constant=(constant, 9)))
    assert found.workers.set_index("worker")["drop"].to_dict() == {
        "a": False, "b": False, "constant": True,
    }  # fmt: skip


KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Four observers of twelve units (Krippendorff, Computing Krippendorff's alpha-reliability)."""


def test_alpha_is_ordinal_unless_another_metric_is_chosen_and_named(tmp_path):
    rows = [
        ("t", f"d{unit:02}", f"w{observer}", int(value))
        for observer, line in enumerate(KRIPPENDORFF.split("\n")[1:-1])
        for unit, value in enumerate(line.split())
        if value != "."
    ]
    held = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    published = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}
    for metric, value in published.items():
        found = regrade.workers(held, metric=metric)
        said = f"α ({metric}, all documents) of all workers is {value}."
        assert checked(found, tmp_path).facts[0] == said
    assert regrade.workers(held).answer.facts[0] == (
        "α (ordinal, all documents) of all workers is 0.815."
    )


def random_crowd(bad, honest, per=8, documents=100, seed=1, copied=False):
    """Four levels; each document is judged by some workers, of whom b… guess or copy one another.

    The honest ones, h…, give the truth in 7 of 10 cases and guess else; who copies errs in one of
    twenty cases.
    """
    rng, rows = np.random.default_rng(seed), []
    truth, copy = rng.integers(0, 4, (2, documents))
    for d in range(documents):
        for w in rng.choice(bad + honest, per, replace=False):
            source, kept = (truth, 0.7) if w >= bad else (copy, 0.95 if copied else 0.0)
            value = source[d] if rng.random() < kept else rng.integers(0, 4)
            rows.append(("t", f"d{d:03}", f"{'b' if w < bad else 'h'}{w:02}", float(value)))
    return pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])


def is_bad(table):
    return table["worker"].str.startswith("b")


def test_nobody_is_to_be_left_out_where_half_of_a_crowd_guesses(tmp_path):
    """Beside the median of all others a third of the honest ones were named."""
    found = regrade.workers(random_crowd(10, 10, per=5))
    answer = checked(found, tmp_path)
    table = found.workers
    assert not table["drop"].any()
    # beside those who agree with each other most of the honest ones pass
    assert table.loc[~is_bad(table), "disagrees"].sum() <= 3
    assert table.loc[is_bad(table), "disagrees"].sum() >= 9
    assert "too few to identify unreliable workers" in answer.verdict
    assert answer.light == "problem" and not any(row[4] for row in answer.rows.rows)


def test_groups_who_agree_among_themselves_only_are_named_first(tmp_path):
    """Eight of twenty copy one another: they pass, beside each other, and half of the others fail
    beside all."""
    found = regrade.workers(random_crowd(8, 12, per=12, copied=True))
    answer = checked(found, tmp_path)
    table = found.workers
    bad = is_bad(table)
    assert set(table.loc[bad, "agreeing_group"]) == {2}
    assert set(table.loc[~bad, "agreeing_group"]) == {1}
    assert set(table.loc[bad, "copies"]) == {1} and table.loc[~bad, "copies"].isna().all()
    assert not table["drop"].any()
    assert answer.verdict.startswith(
        "Workers form 2 groups that agree only among themselves (12 and 8 workers), "
    )
    assert answer.notes[0].startswith("8 workers give nearly identical values")


def test_who_guesses_in_a_sound_crowd_is_still_named():
    table = regrade.workers(random_crowd(2, 18)).workers
    assert set(table.loc[table["drop"], "worker"]) == {"b00", "b01"}
    assert table["copies"].isna().all()


def test_workers_who_guess_are_no_group():
    """A union bound over groups of each size: seldom, whichever of them is the best."""
    found = sum(
        len(Pairwise.of(random_crowd(12, 0, per=6, documents=60, seed=seed)).groups())
        for seed in range(60)
    )
    assert found <= 60 * 0.05 + 3 * (60 * 0.05 * 0.95) ** 0.5


def test_pairs_are_those_of_every_two_workers():
    held = random_crowd(2, 4, per=3, documents=20)
    pairs = Pairwise.of(held)
    matrix = held.pivot(index="worker", columns="docno", values="value")
    standard = matrix.sub(matrix.mean(axis=1), axis=0).div(matrix.std(axis=1, ddof=0), axis=0)
    for i, one in enumerate(pairs.workers):
        for j, other in enumerate(pairs.workers):
            expected = (standard.loc[one] * standard.loc[other]).sum() if i != j else 0
            assert pairs.sums[i, j] == pytest.approx(expected)
            both = matrix.loc[[one, other]].dropna(axis=1)
            assert pairs.shared[i, j] == (both.shape[1] if i != j else 0)
            assert pairs.equal[i, j] == ((both.iloc[0] == both.iloc[1]).sum() if i != j else 0)

"""Files whose labels cannot have been chosen as they say are refused, and others are not."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.errors import InputError, ParameterError
from regrade.estimation.design_checks import check_design, log_chance
from regrade.estimation.inclusion import draw_fixed_sample, draw_sample
from tests.unit.test_assign import ON, filled
from tests.unit.test_estimates import MEASURES, MODEL, RUNS


@pytest.fixture(scope="module")
def first():
    return filled(regrade.assign(RUNS, MODEL, 80, MEASURES, **ON))


def estimated(frame):
    return regrade.estimate(frame, MODEL, RUNS, MEASURES, replays=0, **ON)


@pytest.mark.parametrize("count", range(6))
def test_a_bound_is_above_the_tail(count):
    pi = np.array([0.1, 0.35, 0.8, 0.5, 0.97])
    chances = np.zeros(6)
    for choice in product((0, 1), repeat=5):
        chances[sum(choice)] += np.prod(np.where(choice, pi, 1 - pi))
    bound = np.exp(log_chance(pi, count))
    tail = chances[: count + 1].sum() if count <= pi.sum() else chances[count:].sum()
    assert tail <= bound * (1 + 1e-9) <= 1 + 1e-9
    # a certain one more changes nothing, and what is impossible is
    assert np.exp(log_chance(np.append(pi, 1.0), count + 1)) == pytest.approx(bound)
    assert log_chance(np.append(pi, 1.0), 0) == -np.inf


@pytest.mark.parametrize("draw", [draw_sample, draw_fixed_sample])
def test_choices_at_random_are_not_refused(draw):
    rng = np.random.default_rng(1)
    topic = np.repeat(np.arange(20), 30)
    names = np.char.add("t", topic.astype(str)).astype(object), topic.astype(object)
    for _ in range(60):
        pi = np.clip(rng.lognormal(-2.5, 1.2, 600), 1e-3, 1)
        how = (pi, rng) if draw is draw_sample else (pi, topic, rng)
        chosen = draw(*how)
        check_design(*names, pi[None], chosen.astype(int))
        if draw is draw_fixed_sample:
            check_design(*names, pi[None], chosen.astype(int), is_stated=False)


def test_probabilities_of_other_documents_are_told():
    """As many are chosen of all and of each topic; only not those that were likely."""
    rng = np.random.default_rng(1)
    topic = np.repeat(np.arange(10), 40)
    names = topic.astype(str).astype(object), np.arange(400).astype(str).astype(object)
    pi = np.tile(np.repeat([0.05, 0.6], [32, 8]), 10)
    chosen = draw_fixed_sample(pi, topic, rng)
    check_design(*names, pi[None], chosen.astype(int))
    moved = pi.reshape(10, 40)[:, ::-1].ravel()
    assert chosen.sum() == pytest.approx(moved.sum(), abs=1)
    with pytest.raises(ParameterError, match=r"5 documents of inclusion 0\.5 to 1 are chosen"):
        check_design(*names, moved[None], chosen.astype(int))


@pytest.mark.parametrize("lost", [1, 5, 30])
def test_a_shortfall_is_named(first, lost):
    own = first[first["chosen"]].index[:lost]
    short = first.assign(grade=first["grade"].where(~first.index.isin(own)))
    with pytest.raises(ParameterError) as of:
        estimated(short.drop(columns="chosen"))
    said = str(of.value)
    if "is not labelled" not in said:  # what was certain comes first
        assert f"{80 - lost} documents are labelled, and the inclusion of all adds up to 80" in said
        assert f": {lost} are missing, most of them of topic t" in said
    assert "Give the column `chosen`" in said or "give the column `chosen`" in said
    # where it is known which were chosen, intervals reach as far as their labels could take them
    assert len(estimated(short).systems)
    # and all labels are as good without the column
    pd.testing.assert_frame_equal(
        estimated(first.drop(columns="chosen")).systems, estimated(first).systems
    )


def test_labels_too_many_are_named(first):
    more = first.assign(grade=first["grade"].fillna(0).where(first.index < 90))
    with pytest.raises(ParameterError, match="adds up to 80: 10 are too many, most of them of"):
        estimated(more.drop(columns="chosen"))


def test_what_is_certain_is_there(first):
    """All of inclusion 1, and a third of them chosen: ten of ten pairs, intervals of no width."""
    with pytest.raises(ParameterError, match="has inclusion 1, and is not chosen, as 159 others"):
        estimated(first.assign(inclusion=1.0))
    i = int(np.flatnonzero(~first["chosen"])[0])
    one = first.assign(inclusion=first["inclusion"].where(first.index != i, 1.0))
    with pytest.raises(ParameterError, match=f"{first['docno'][i]} for topic {first['topic'][i]} "):
        estimated(one)


def test_what_is_next_to_impossible_is_not(first):
    i = int(np.flatnonzero(first["chosen"])[3])
    one = first.assign(inclusion=first["inclusion"].where(first.index != i, 1e-6))
    said = f"{first['docno'][i]} for topic {first['topic'][i]} is chosen with inclusion 1e-06: of"
    with pytest.raises(ParameterError, match=said):
        estimated(one)
    with pytest.raises(ParameterError, match=r"correct `inclusion`"):
        estimated(first.assign(inclusion=first["inclusion"] * 1e-5))
    with pytest.raises(InputError, match="is of a document that is never chosen"):
        estimated(first.assign(inclusion=first["inclusion"] * 1e-12))


def test_numbers_by_topic_are_what_inclusion_adds_up_to(first):
    """Nothing is chosen of a topic of which 24 documents are expected."""
    own = first["topic"] == "t3"
    pi = np.where(own, 0.8, 0.3)
    chosen = ~own & (np.arange(len(first)) % 3 == 0)
    frame = first.assign(
        inclusion=pi, chosen=chosen, grade=pd.Series(np.where(chosen, 1.0, np.nan))
    )
    with pytest.raises(
        ParameterError, match=r"0 documents of topic t3 are chosen, .* adds up to 24"
    ):
        estimated(frame)
    with pytest.raises(ParameterError, match="of all topics are chosen, and the inclusion of all"):
        estimated(first.assign(inclusion=np.minimum(first["inclusion"] * 3, 0.99)))


def test_later_batches_are_looked_at_too(first):
    two = filled(regrade.assign(RUNS, MODEL, 30, MEASURES, after=first, **ON))
    estimated(two)
    later = two["batch"] == 2
    lost = two.index[later & two["chosen"]][:3]
    short = two.assign(grade=two["grade"].where(~two.index.isin(lost))).drop(columns="chosen")
    with pytest.raises(ParameterError, match=r"are missing|is not labelled"):
        estimated(short)


def test_what_was_expected_is_a_fact(first):
    facts = estimated(first).facts.set_index("quantity")
    assert facts.loc["expected", "value"] == pytest.approx(80)
    by_topic = first.groupby("topic")[["chosen", "inclusion"]].sum()
    furthest = (by_topic["chosen"] - by_topic["inclusion"]).abs().idxmax()
    of = by_topic.loc[furthest]
    assert facts.loc["expected", "note"] == (
        f"topic {furthest}: {of['chosen']:.0f} chosen, {of['inclusion']:.1f} expected"
    )


def test_a_label_that_counts_for_nearly_all_is_named(first):
    """A document that was chosen 200 times less likely than the others."""
    pi = np.full(len(first), 0.4)
    i = int(np.flatnonzero(first["chosen"])[0])
    pi[i] = 0.002
    rng = np.random.default_rng(2)
    chosen = rng.random(len(pi)) < pi
    chosen[i] = True
    grades = np.where(chosen, 0.0, np.nan)
    grades[i] = 3.0
    found = estimated(first.assign(inclusion=pi, chosen=chosen, grade=grades))
    facts = found.facts[found.facts["quantity"] == "largest part of a label"]
    row = facts.set_index("measure").loc["P(rel=2)@5"]
    name = f"{first.loc[i, 'docno']} (topic {first.loc[i, 'topic']})"
    assert row["value"] > 0.9 and row["note"] == f"{name}, which counts 500×"
    assert any(name in said and "a single label makes up" in said for said in found.answer.notes)
    # its intervals stay within what the measure can be
    systems = found.systems[found.systems["measure"] == "P(rel=2)@5"]
    assert systems["low"].ge(-1e-9).all() and systems["high"].le(1 + 1e-9).all()
    assert systems["value"].between(0 - 1e-9, 1 + 1e-9).all()
    assert found.pairs[["low", "high"]].abs().le(1 + 1e-9).all(axis=None)

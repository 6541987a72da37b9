"""Which judge is best: lines, sentences and edges."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import regrade
from regrade.answers.changed import UNTESTED, lower_of_selected
from regrade.answers.words import listed
from regrade.errors import ParameterError, RegradeError
from regrade.evaluations.cut_labels import JudgeOptions
from regrade.evaluations.judges_answer import (
    _numbers,
    answer,
    changed_pairs,
    light,
    range_of_tau,
    same_labels,
    uncompared,
    unserved_measures,
)
from regrade.evaluations.judges_question import levels_of
from tests.snapshots import assert_said, assert_snapshot
from tests.unit import carried
from tests.unit.figure_checks import words
from tests.unit.test_answers_of_judgments import world

MANY = [f"t{n:02}" for n in range(25)]
QRELS, RUNS = world(systems=6, topics=MANY)


def noisy(every, seed=0, levels=3):
    """Another judge: wrong about every so manyth document."""
    found = {}
    for t, (topic, of) in enumerate(QRELS.items()):
        found[topic] = {
            d: (g + 1) % levels if (7 * i + 3 * t + seed) % every == 0 else g
            for i, (d, g) in enumerate(of.items())
        }
    return found


def checked(found, tmp_path, *names):
    return carried.checked(found, "judges", tmp_path, "nDCG@10", "AP", *names)


def ranked(*verdicts, cut="uncut"):
    """Judges a, b, … of which each has a lower τ_b and a higher α than the one before."""
    rows = [("abcdefgh"[n], one, 0.9 - n / 10, 0.5 + n / 10) for n, one in enumerate(verdicts)]
    found = pd.DataFrame(rows, columns=["judge", "verdict", "tau", "alpha"])
    found = found.assign(difference=found["tau"] - 0.9, low=found["tau"] - 1, high=0.05)
    found = found.assign(tau_low=found["tau"] - 0.1, tau_high=found["tau"] + 0.1)
    found = found.assign(cut=cut, held_out=cut != "uncut", measure="AP")
    p = [{"best": np.nan, "significantly worse": 0.004}.get(one, 0.3) for one in verdicts]
    found["p_adjusted"] = np.where(found["verdict"].isna(), np.nan, p)
    return found.assign(pairs=6, changed=2, alpha_low=0.1, alpha_high=0.95)


VERDICTS = [
    ("best",),
    ("best", "significantly worse"),
    ("best", "not significant", "significantly worse", "non-inferior", "significantly worse"),
    ("best", "at the threshold", "significantly worse", "at the threshold"),
    ("best", "significantly worse", None),  # of other topics than most
    (None, None),
]


def test_judges_that_agree_significantly_less_than_the_best_are_counted_and_marked():
    assert_said("judges", lambda *verdicts: answer(ranked(*verdicts), "R"), VERDICTS)
    for verdicts in VERDICTS:
        sets, how = pd.DataFrame({"shared": [12]}), JudgeOptions()
        of = dict(_numbers(ranked(*verdicts), sets, how))
        p = [row[3] for row in answer(ranked(*verdicts), "R").rows.rows]
        assert [one is not None and one < 0.05 for one in p] == [
            one == "significantly worse" for one in verdicts
        ]
        counts = [verdicts.count(one) for one in ("best", "significantly worse", "not significant",
                                                  "non-inferior")]  # fmt: skip
        assert of["judges"] == len(verdicts)
        assert [of["best"], of["significantly worse"]] == counts[:2]
        assert of["not significant"] == sum(counts[2:])


def test_judges_who_tie_in_front_are_all_named():
    of = ranked("best", "not significant", "not significant", "significantly worse").assign(
        tau=[1, 1, 0.9, 0.8]
    )
    other_topics = of.assign(
        verdict=["best", "significantly worse", "significantly worse", "significantly worse"]
    )
    alone = regrade.judges(QRELS, {"a": noisy(3), "b": noisy(3), "c": noisy(2)}, resamples=5)
    said = [answer(of, "R"), answer(other_topics, "R"), alone.answer]
    assert_snapshot("judges-tied-in-front", "\n\n".join(map(str, said)))


def test_tau_ranges_from_the_least_to_the_highest_of_compared_judges():
    of = ranked("best", "significantly worse", "significantly worse")
    nearer = of.assign(tau=[0.5, 0.8, 0.7])  # the least difference need not be the last
    apart = ranked("best", "significantly worse", None)
    said = [range_of_tau(one) for one in (of, nearer, apart, of[:1], of.assign(tau=0.9))]
    assert_snapshot("judges-last", "\n".join(said))


def test_what_the_best_judge_changes_is_counted():
    def say(changed):
        best = pd.Series({"judge": "J", "pairs": 6, "changed": changed})
        return changed_pairs(best, "R", JudgeOptions(correction="holm", significance=0.01))

    assert_said("judges-changed-pairs", say, [(1,), (2,), (np.nan,)])


@pytest.mark.parametrize(
    ("ends", "lit"),
    [((0.9, 1.0), "fine"), ((0.85, 1.0), "look"), ((0.5, 0.79), "problem"), ((np.nan,) * 2, "")],
)
def test_the_light_is_that_of_the_best_judges_ranking(ends, lit):
    of = pd.DataFrame([(0.95, *ends)], columns=["tau", "tau_low", "tau_high"])
    assert light(of) == lit


def test_the_light_allows_for_the_choice_of_the_best_judge():
    """Of two judges the lower end is 0.2414 / 0.1960 times as far from the value as of one."""
    of = pd.DataFrame({"tau": [0.95, 0.9], "tau_low": [0.9101, 0.8], "tau_high": [0.99, 1.0]})
    assert light(of[:1]) == "fine"
    assert light(of) == "fine"
    low = 0.95 - (0.95 - 0.9101) * stats.norm.ppf(1 - 0.0125) / stats.norm.ppf(0.975)
    assert low == pytest.approx(lower_of_selected(0.95, 0.9101, 2)) and low > 0.9
    assert light(of.assign(tau_low=[0.9, 0.8])) == "look"
    assert light(of[:1].assign(tau_low=0.9)) == "fine"


def test_few_topics_have_no_test_of_differences():
    """Their intervals are undefined, whatever the word is."""
    of = ranked("best", "not significant").assign(low=np.nan, high=np.nan, tau_low=np.nan)
    found = answer(of, "R")
    assert found.verdict == (
        "a agrees best with R (AP, τ_b = 0.90); differences between judges are not tested."
    )
    assert found.light == "" and "simultaneous" not in found.method


def test_a_judge_at_the_threshold_is_named():
    of = ranked("best", "at the threshold")
    taus = pd.DataFrame({"judge": ["a", "b"], "cut": "uncut", "held_out": False, "measure": "AP",
                         "quantity": "tau", "defined": 5, "resamples": 5})  # fmt: skip
    assert [*uncompared(of.assign(held_out=False), taus)] == [
        "b is at the threshold of significance, within three Monte Carlo errors."
    ]


def test_a_judge_of_all_the_labels_may_be_the_reference():
    """Not one whose finer values agree under a cut."""
    same = ranked("best", "significantly worse").assign(alpha=[0.99, 1.0])
    assert_snapshot("judges-same", "\n".join(same_labels(same, "R")))
    assert not [*same_labels(same.assign(cut="single"), "R")]


def test_only_a_measure_that_serves_no_judge_is_told():
    columns = ["measure", "value", "note"]
    rows = [("AP", np.nan, "no grade 1"), ("AP", np.nan, ""), ("RR", 0.5, ""), ("RR", np.nan, "x")]
    assert_snapshot(
        "judges-unserved", "\n".join(unserved_measures(pd.DataFrame(rows, columns=columns)))
    )


def test_judges_are_listed_by_how_like_the_reference_they_rank(tmp_path):
    sets = {"near": noisy(9), "far": noisy(2), "same": QRELS}
    found = regrade.judges(QRELS, sets, RUNS, "nDCG@10", resamples=50)
    answer = checked(found, tmp_path)
    ranked = found.ranked.set_index("judge")
    assert ranked["tau"].iloc[0] == 1
    assert ranked.index[-1] == "far"
    assert ranked.loc["same", "tau"] == ranked.loc["same", "alpha"] == 1
    assert (ranked["tau"].diff().dropna() <= 0).all()
    for name, one in sets.items():
        compared = regrade.compare(QRELS, one, RUNS, "nDCG@10", resamples=5, splits=5,
                                   same_scale=True)  # fmt: skip
        tau = compared.rankings.set_index("quantity").loc["tau", "value"]
        assert ranked.loc[name, "tau"] == pytest.approx(tau)
        assert ranked.loc[name, "changed"] == compared.changes["changed"].iloc[0]
    first = listed(ranked.index[ranked["tau"] == 1])
    agree = "agree" if " and " in first else "agrees"
    assert answer.verdict.startswith(f"{first} {agree} best with ")
    assert [row[0] for row in answer.rows.rows] == ranked.index.tolist()
    assert found.plot().axes


def test_the_least_ranking_is_named_wherever_its_judge_stands(tmp_path):
    """A judge of fewer topics comes last, has no difference from the best, and may be nearer."""
    fewer = dict(list(QRELS.items())[:-1])
    sets = {"near": noisy(9), "far": noisy(2), "fewer": fewer}
    found = regrade.judges(QRELS, sets, RUNS, "nDCG@10", resamples=50)
    answer = checked(found, tmp_path)
    ranked = found.ranked.set_index("judge")
    assert ranked.index[-1] == "fewer" and ranked["tau"].idxmin() == "far"
    [said] = [one for one in answer.facts if one.startswith("τ_b ranges from")]
    assert said.startswith(f"τ_b ranges from {ranked.loc['far', 'tau']:.2f} (far) to ")
    [note] = [one for one in answer.notes if "other topics" in one]
    assert note == (
        "fewer was not compared with the best judge: labels for other topics than most judges."
    )
    # documents of topics that a judge has not are in no score
    assert found.sets.set_index("judge").loc["fewer", ["unjudged", "as_not_relevant"]].tolist() == [
        len(QRELS[MANY[-1]]), 0,
    ]  # fmt: skip
    assert not any("not relevant" in one for one in answer.notes)


def without(count, of=QRELS):
    """Labels of all documents but the first ones of the first topic."""
    first, *others = of
    return {first: dict([*of[first].items()][count:])} | {topic: of[topic] for topic in others}


def test_documents_without_a_label_are_counted_and_what_they_count_as_is_said(tmp_path):
    sets = {"one": without(3), "two": without(3, noisy(9)), "three": without(1), "all": noisy(5)}
    found = regrade.judges(QRELS, sets, RUNS, "nDCG@10", resamples=20)
    answer = checked(found, tmp_path)
    assert (
        f"Documents of {found.sets['reference'].iloc[0]} without a judge's label count as not "
        "relevant (3 for each of one and two and 1 for three); `--documents shared` leaves them "
        "out."
    ) in answer.notes
    as_zeros = {t: {d: sets["one"][t].get(d, 0) for d in of} for t, of in QRELS.items()}
    filled = regrade.judges(QRELS, {"one": as_zeros}, RUNS, "nDCG@10", resamples=20)
    of_one = found.rankings.query("judge == 'one' and quantity == 'tau'")["value"].iloc[0]
    assert filled.ranked["tau"].iloc[0] == pytest.approx(of_one)
    labels_only = checked(regrade.judges(QRELS, sets, resamples=20), tmp_path)
    name = found.sets["reference"].iloc[0]
    assert labels_only.notes[:2] == tuple(
        f"All labels of {judge} equal those of {name}: it may be the reference itself."
        for judge in ("one", "three")
    )
    assert labels_only.notes[-1] == (
        f"α excludes documents of {name} without a judge's label (3 for each of one and two and 1 "
        "for three)."
    )
    many = {f"j{n}": without(n) for n in range(1, 8)}
    answer = checked(regrade.judges(QRELS, many, RUNS, "nDCG@10", resamples=20), tmp_path, *many)
    assert any("(1 to 7 for 7 judges)" in one for one in answer.notes)


def test_only_documents_that_all_labelled_count_where_that_is_asked(tmp_path):
    """As if the others had been taken out of every set by hand."""

    sets = {"one": without(1, noisy(9)), "two": without(3, noisy(2))}
    how = {"runs": RUNS, "measures": "nDCG@10", "resamples": 20}
    found = regrade.judges(QRELS, sets, **how, documents="shared")
    answer = checked(found, tmp_path)
    every = {name: without(3, one) for name, one in (("one", noisy(9)), ("two", noisy(2)))}
    by_hand = regrade.judges(without(3, QRELS), every, **how)
    for name in ("ranked", "rankings", "agreement", "sets", "changes"):
        pd.testing.assert_frame_equal(found.tables[name], by_hand.tables[name])
    count = sum(map(len, QRELS.values())) - 3
    assert f"on {count:,} documents that all of them labelled" in answer.method
    assert not [said for said in answer.notes if "without a judge's label" in said]
    apart = {"one": {"t": {"x": 1}}, "two": {"t": {"y": 1}}}
    with pytest.raises(RegradeError, match="no document is labelled by qrels and by every judge"):
        regrade.judges(QRELS, apart, documents="shared")
    with pytest.raises(RegradeError, match="unknown documents 'both'; there is all, shared"):
        regrade.judges(QRELS, sets, documents="both")


def test_a_judge_without_tau_in_some_draw_is_told_from_one_of_other_topics(tmp_path):
    """Whose labels tell systems apart in one topic only has no ranking without that one."""
    one = {t: {d: g if t == MANY[0] else 0 for d, g in of.items()} for t, of in QRELS.items()}
    found = regrade.judges(QRELS, {"near": noisy(9), "far": noisy(2), "one": one}, RUNS, "nDCG@10",
                           resamples=50)  # fmt: skip
    answer = checked(found, tmp_path)
    assert (
        "one was not compared with the best judge: τ_b is undefined in some bootstrap samples."
    ) in answer.notes
    assert not any("other topics" in warning for warning in answer.notes)


def test_without_runs_labels_decide(tmp_path):
    found = regrade.judges(QRELS, {"far": noisy(2), "near": noisy(9)}, resamples=50)
    answer = checked(found, tmp_path)
    assert found.ranked["judge"].tolist() == ["near", "far"]
    assert answer.verdict.startswith("Of 2 judges, near agrees best with qrels (ordinal α = ")
    assert answer.verdict.endswith("; differences are not tested without runs.")
    assert answer.facts == () and answer.light == ""
    assert answer.rows.header() == ["judge", "α", "95% CI"]
    assert words(found.plot()) == ["Not drawn: 2 judges only."]


def test_the_first_measure_that_serves_some_judge_tells_of_systems(tmp_path):
    """On a coarser scale than the reference's nobody knows which documents are relevant."""
    coarse = {topic: {d: min(g, 1) for d, g in of.items()} for topic, of in QRELS.items()}
    found = regrade.judges(QRELS, {"coarse": regrade.read_qrels(coarse, scale=2, name="coarse")},
                           RUNS, ["AP(rel=2)", "nDCG@10"], resamples=50)  # fmt: skip
    answer = checked(found, tmp_path, "AP(rel=2)")
    assert answer.verdict.startswith(
        "The ranking of systems by qrels is unchanged under coarse (nDCG@10, τ_b = "
    )
    [said] = [one for one in answer.notes if "AP(rel=2)" in one]
    assert said.startswith("No judge's systems can be ranked by AP(rel=2): it counts relevant")


def test_a_judge_on_two_levels_among_others_in_one_file_is_told(caplog):
    sets = {"ann": noisy(9), "bob": {t: {d: min(g, 1) for d, g in of.items()}
                                     for t, of in QRELS.items()}}  # fmt: skip
    rows = [(t, d, worker, g) for worker, one in sets.items()
            for t, of in one.items() for d, g in of.items()]  # fmt: skip
    held = dict(zip(("topic", "docno", "worker", "value"), zip(*rows, strict=True), strict=True))
    regrade.judges(QRELS, regrade.read_judgments(held), resamples=50)
    [said] = [one for one in caplog.messages if "0 and 1 only" in one]
    assert "values by bob are 0 and 1 only" in said


def test_one_judge_a_finer_and_a_coarser_one(tmp_path):
    fine = {t: {d: 40 * g + i for i, (d, g) in enumerate(of.items())} for t, of in QRELS.items()}
    coarse = {t: {d: int(g > 0) for d, g in of.items()} for t, of in QRELS.items()}
    found = regrade.judges(QRELS, {"fine": fine, "coarse": coarse}, RUNS, resamples=50)
    answer = checked(found, tmp_path)
    ranked = found.ranked.set_index("judge")
    assert ranked.loc["fine", "held_out"] and ranked.loc["fine", "cut"] == "single"
    assert answer.notes[0].startswith("α was not computed for coarse: another scale")
    assert "thresholds that maximise α on held-out topics" in answer.method
    alone = regrade.judges(QRELS, {"only": noisy(5)}, RUNS, "AP", resamples=50)
    assert " under only (AP, τ_b = " in checked(alone, tmp_path).verdict


def test_one_set_of_labels_is_a_judge_as_it_is_by_name(tmp_path):
    alone = regrade.judges(QRELS, noisy(5), RUNS, "AP", resamples=50)
    by_name = regrade.judges(QRELS, {"judge": noisy(5)}, RUNS, "AP", resamples=50)
    assert checked(alone, tmp_path).verdict == by_name.answer.verdict
    pd.testing.assert_frame_equal(alone.ranked, by_name.ranked)


def test_what_is_no_reference_is_refused():
    fine = {t: {d: 40.5 * g for d, g in of.items()} for t, of in QRELS.items()}
    with pytest.raises(ParameterError, match="a reference has levels"):
        regrade.judges(fine, {"a": QRELS})


# --- what is given as a judge ---------------------------------------------------------------------

FEW = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 0, "b": 1}}


def crowd(**values):
    """Values of workers by name, of a … d of topic 1."""
    rows = [
        ("1", docno, worker, value)
        for worker, own in values.items()
        for docno, value in zip("abcd", own, strict=False)
    ]
    return pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])


@pytest.mark.parametrize(
    ("grades", "levels"), [([0, 0], 2), ([1, 1], 2), ([1, 0], 2), ([3, 0], 4), ([4, 0], None)]
)
def test_a_reference_is_on_two_to_four_levels(grades, levels):
    """Labels that are all 0, or all 1, are on two."""
    reference = regrade.read_qrels({"1": dict(zip("ab", grades, strict=True))})
    if levels is None:
        with pytest.raises(RegradeError, match="qrels holds 0, 1, 2, 3, 4: a reference has levels"):
            levels_of(reference)
    else:
        assert levels_of(reference) == levels


def test_a_judge_of_one_label_throughout_is_held_beside_the_others():
    """One who calls nothing relevant agrees as chance would, or less: krippendorff's α."""
    never = {topic: dict.fromkeys(of, 0) for topic, of in FEW.items()}
    found = regrade.judges(FEW, {"never": never, "same": FEW})
    values = [[g for of in one.values() for g in of.values()] for one in (FEW, never)]
    expected = krippendorff.alpha(np.array(values), level_of_measurement="ordinal")
    assert found.ranked["judge"].tolist() == ["same", "never"]
    assert found.ranked["alpha"].tolist() == pytest.approx([1, expected])


def test_why_a_judge_has_no_alpha_is_said():
    three = {"1": {"a": 2, "b": 0, "c": 1, "d": 0}}
    found = regrade.judges(three, {"two": FEW, "one": {"1": {"a": 2}}})
    assert found.answer.verdict == (
        "No judge's labels can be compared with those of qrels: no α is defined."
    )
    assert found.answer.notes[-2:] == (
        "α was not computed for two: another scale than that of qrels.",
        "α was not computed for one: too few documents co-judged with qrels, or all of one grade.",
    )


def test_of_one_topic_no_pair_is_tested_and_no_cut_held_out(tmp_path):
    qrels, runs = world(systems=6, topics=["t0"])
    other = {"t0": {d: (g + n % 2) % 3 for n, (d, g) in enumerate(qrels["t0"].items())}}
    fine = {"t0": {d: 2 * g + n % 2 for n, (d, g) in enumerate(qrels["t0"].items())}}
    found = regrade.judges(qrels, {"other": other, "fine": fine}, runs, measures="AP")
    said = carried.checked(found, "judges", tmp_path, "AP", "other", "fine")
    assert not any("significan" in one for one in said.facts)
    assert (
        "α was not computed for fine: with one topic, no other topic can choose thresholds."
    ) in said.notes
    facts = regrade.compare(qrels, other, runs, measures="AP").answer.facts
    assert facts[0] == UNTESTED
    axes = {"labels": ["a", "b"]}
    sets = {"a": qrels, "b": other}
    swept = regrade.sweep(axes, {"labels": "a", "measure": "AP"}, runs=runs, sets=sets)
    assert "With one topic, no pair of systems can be tested." in str(swept.answer)
    assert not any("changes the conclusion" in one for one in swept.answer.facts)


def test_workers_who_share_no_document_are_left_out_and_counted(caplog):
    frame = crowd(x=[1, 0, 1, 0], y=[1, 1, 0, 0])
    regrade.judges(FEW, frame)
    assert caplog.messages == []
    other = frame.assign(topic="9", worker="z" + frame["worker"])
    found = regrade.judges(FEW, pd.concat([frame, other[other["worker"] == "zx"]]))
    assert sorted(found.ranked["judge"]) == ["x", "y"]
    assert caplog.messages == ["1 of 3 workers share no document with qrels: left out"]
    with pytest.raises(RegradeError, match="share no judged document"):
        regrade.judges(FEW, other)


@pytest.mark.parametrize(
    ("others", "told", "warned"),
    [([3, 0, 2, 1], None, True), ([3, 0, 2, 1], 4, False), ([1, 0, 0, 0], None, False)],
)
def test_who_seems_to_judge_on_another_scale_is_named(others, told, warned, caplog):
    """By 0 and 1 only where others go further and no scale is told."""
    frame = crowd(x=[1, 0, 1, 0], y=others)
    regrade.judges(FEW, regrade.read_judgments(frame, scale=told))
    said = (
        "values by x are 0 and 1 only, and are assumed to be on the scale of all values, 0, 1, 2, 3"
    )
    assert [said in one for one in caplog.messages] == [True] * warned


@pytest.mark.parametrize(("vote", "said"), [("majority", 1), ("median", 1), ("another", 0)])
def test_a_reference_that_is_the_vote_of_its_judges_is_told_of(vote, said):
    """Each is then a part of what it is compared with."""
    rng = np.random.default_rng(5)
    documents = [(t, f"d{d}") for t in MANY[:6] for d in range(12)]
    values = {key: rng.integers(0, 4, 5) for key in documents}
    judges = {f"j{n}": {} for n in range(5)}
    reference = {}
    for (topic, docno), own in values.items():
        for n, value in enumerate(own):
            judges[f"j{n}"].setdefault(topic, {})[docno] = int(value)
        votes = np.bincount(own, minlength=4)
        label = {"majority": votes.argmax(), "median": np.median(own), "another": 3 - own[0]}[vote]
        reference.setdefault(topic, {})[docno] = int(label)
    warnings = regrade.judges(reference, judges, resamples=10).answer.notes
    assert (
        sum(one.startswith(f"qrels is the {vote} of these judges, so") for one in warnings) == said
    )
    assert sum("is the" in one for one in warnings) == said

"""Documents that runs rank and models do not list: drawn, estimated, and said."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.errors import MethodError, ParameterError
from regrade.estimation.listed import depth_of, ranked_within, unlisted_shares, with_ranked
from regrade.scales import Scale
from tests.unit.test_estimates import MODEL, PEOPLE, RUNS, filled

ON = {"scale": 4}
MEASURE = "P(rel=2)@5"
LISTED = {t: {d: v for d, v in of.items() if int(d[1:]) % 3} for t, of in MODEL.items()}
"""The model without every third document."""


def top(depth, topics=None):
    return {(t, d) for run in RUNS.values() for t, of in run.items()
            if topics is None or t in topics
            for d in sorted(of, key=of.get, reverse=True)[:depth]}  # fmt: skip


UNLISTED = top(5) - {(t, d) for t, of in LISTED.items() for d in of}


def keys(frame):
    return set(zip(frame["topic"], frame["docno"], strict=True))


def test_the_depth_is_that_of_the_deepest_cutoff():
    assert depth_of(["P@5", "nDCG@10", "AP", "RBP(p=0.8)"]) == 10
    assert depth_of(["AP"]) == depth_of([]) == 0


def test_what_runs_rank_within_a_depth():
    ranked = regrade.read_runs(RUNS).ranked
    assert keys(ranked_within(ranked, ["P@5", "nDCG@3"], {"t1", "t4"})) == top(5, {"t1", "t4"})
    assert keys(ranked_within(ranked, ["P@500"], {"t1"})) == top(500, {"t1"})
    for none in ((ranked, ["AP"], {"t1"}), (ranked, ["P@5"], set()), (None, ["P@5"], {"t1"})):
        assert not len(ranked_within(*none))


def test_people_may_be_asked_about_what_no_model_lists():
    asked = regrade.assign(RUNS, LISTED, 60, MEASURE, **ON)
    listed = {(t, d) for t, of in LISTED.items() for d in of}
    assert keys(asked.documents) == listed | top(5)
    places = [(t, d) not in listed for run in RUNS.values() for t, of in run.items()
              for d in sorted(of, key=of.get, reverse=True)[:5]]  # fmt: skip
    assert 0.1 < np.mean(places) < 0.5
    assert asked.unlisted == {MEASURE: pytest.approx(np.mean(places))}
    assert str(asked.summary()).endswith(
        f"\n{np.mean(places):.1%} of the documents in the top 5 ({MEASURE}) have no model score; "
        f"{len(UNLISTED)} such documents are part of full judging."
    )
    chosen = asked.documents[asked.documents["chosen"]]
    assert keys(chosen) & UNLISTED
    # without a cutoff it is what models list
    assert keys(regrade.assign(RUNS, LISTED, 60, "AP", **ON).documents) == listed
    # and with all listed nothing is said
    assert "\n" not in str(regrade.assign(RUNS, MODEL, 60, MEASURE, **ON).summary())


def test_shares_are_of_places_or_of_weights():
    runs = {"a": {"1": {"d1": 3.0, "x": 2.0, "d2": 1.0}}, "b": {"1": {"y": 3.0, "d1": 2.0}},
            "c": {"2": {"z": 1.0}}}  # fmt: skip
    ranked = regrade.read_runs(runs).ranked
    values = pd.DataFrame({"topic": ["1"] * 3, "docno": ["d1", "d2", "y"], "m": [1, 0, np.nan]})
    measures = ["P@2", "RBP(p=0.5)", "AP", "nDCG@1"]
    found = unlisted_shares(values, ranked, measures, Scale.of({"levels": 4}))
    weights = np.array([0.5, 0.25, 0.125])
    assert found == pytest.approx({
        "P@2": 2 / 4, "RBP(p=0.5)": (0.25 + 0.5) / (weights.sum() + weights[:2].sum()),
        "AP": 2 / 5, "nDCG@1": 1 / 2,
    })  # fmt: skip
    assert unlisted_shares(values, None, measures, Scale.of({"levels": 4})) == {}


def test_full_judging_is_of_what_no_model_lists_too():
    truth = regrade.score(PEOPLE, RUNS, MEASURE).means()[MEASURE]
    known = {t: {d: PEOPLE[t][d] for d in of} for t, of in LISTED.items()}
    other = regrade.score(known, RUNS, MEASURE).means()[MEASURE]
    runs, held, of_list = regrade.read_runs(RUNS), [], []
    for seed in range(12):
        asked = regrade.assign(runs, LISTED, 60, MEASURE, seed=seed, **ON)
        found = regrade.estimate(filled(asked), LISTED, runs, MEASURE, seed=seed, replays=0, **ON)
        systems = found.systems.set_index("system").loc[truth.index]
        held.append(systems["low"].le(truth).mul(systems["high"].ge(truth)).mean())
        of_list.append(systems["low"].le(other).mul(systems["high"].ge(other)).mean())
    assert np.mean(held) > 0.95 - 3 * np.std(held) / np.sqrt(12) - 0.02
    assert np.mean(of_list) < 0.8
    facts = found.facts.set_index("quantity")["value"]
    assert found.answer.notes[0].startswith(f"{facts['unlisted']:.1%} of the documents in")
    assert facts["documents without values"] == len(UNLISTED)


def test_documents_of_which_the_file_says_nothing_are_refused():
    asked = filled(regrade.assign(RUNS, LISTED, 60, "P@3", **ON))
    assert len(regrade.estimate(asked, LISTED, RUNS, "P@3", replays=0, **ON).systems) == 5
    lacking = top(5) - keys(asked)
    with pytest.raises(
        ParameterError, match=f"probability for {len(lacking)} documents that runs rank within"
    ):
        regrade.estimate(asked, LISTED, RUNS, "P@5", **ON)
    with pytest.raises(ParameterError, match="choose documents by these runs and measures"):
        regrade.assign(RUNS, LISTED, 20, "P@5", after=asked, **ON)


def test_a_class_without_labels_is_refused():
    asked = filled(regrade.assign(RUNS, LISTED, 60, MEASURE, **ON))
    of_all = zip(asked["topic"], asked["docno"], strict=True)
    is_other = [key in UNLISTED for key in of_all]
    none = asked.assign(grade=asked["grade"].mask(is_other))
    with pytest.raises(MethodError, match=r"no label is of one of .* without a model's value"):
        regrade.estimate(none, LISTED, RUNS, MEASURE, **ON)


def test_labels_of_all_documents_are_full_judging():
    """With a budget people's labels are all that there are: what they lack is not relevant."""
    people = {t: {d: g for d, g in of.items() if d != "d00"} for t, of in PEOPLE.items()}
    everything = len({(t, d) for t, of in LISTED.items() for d in of} | top(5))
    lost = {(t, "d00") for t in PEOPLE} & UNLISTED
    assert lost
    found = regrade.estimate(
        people, LISTED, RUNS, MEASURE, budget=everything - len(lost), replays=0, **ON
    )
    truth = regrade.score(people, RUNS, MEASURE).means()[MEASURE]
    systems = found.systems.set_index("system").loc[truth.index]
    np.testing.assert_allclose(systems["value"], truth, atol=1e-12)


def test_assumed_choices_are_of_what_runs_rank_too():
    few = {t: {d: PEOPLE[t][d] for d in [*of][:12]} for t, of in PEOPLE.items()}
    found = regrade.estimate(few, LISTED, RUNS, MEASURE, assume="uniform", replays=0, **ON)
    listed = {(t, d) for t, of in LISTED.items() for d in of}
    labelled = {(t, d) for t, of in few.items() for d in of}
    facts = found.facts.set_index("quantity")["value"]
    assert facts["documents"] == len(listed | labelled | top(5))


def test_models_values_come_with_empty_rows():
    values = pd.DataFrame({"topic": ["t1"], "docno": ["d01"], "m": [1.0]})
    found = with_ranked(values, regrade.read_runs(RUNS).ranked, ["P@5"])
    assert keys(found) == top(5, {"t1"}) | {("t1", "d01")}
    assert found["m"].notna().sum() == 1

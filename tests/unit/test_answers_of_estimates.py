"""What full judging would have said, in sentences: of rows written by hand."""

import numpy as np
import pandas as pd
import pytest

from regrade.answers.estimate import answer, facts_said, labels_said, verdict_said
from regrade.catalogue import ALL_TOPICS

NONE = (np.nan, np.nan)
OF_ALL = {
    "documents": 200.0, "topics": 4.0, "systems": 3.0, "labelled": 50.0, "labels": 50.0,
    "assumed uniform": 0.0, "not labelled": 0.0, "topics without values": 0.0,
}  # fmt: skip
OF_MEASURE = {
    "pairs": 3.0, "told apart": 2.0, "left to the model": 0.0, "pairs left to the model": 0.0,
    "held of systems": 0.95, "held of pairs": 0.95, "median width": 0.1,
    "median width of pairs": 0.2,
}  # fmt: skip


def systems_of(*rows, measure="P@5"):
    """Each a system, its value and ends, its rank and whether it may be first."""
    columns = ["system", "value", "low", "high", "rank", "may_be_first"]
    return pd.DataFrame(rows, columns=columns).assign(measure=measure)


def three(*may_be):
    """A system first, and which of the others may be."""
    rest = [(f"s{i}", 0.5, 0.4, 0.6, i + 1, one) for i, one in enumerate(may_be, 1)]
    return systems_of(("s0", 0.8, 0.7, 0.9, 1, True), *rest)


def facts_of(of_all, by_measure=None):
    """The table of facts, with `which` as the note of documents and topics that lack something."""
    rows = [(ALL_TOPICS, name, value, "d1 (topic t)") for name, value in of_all.items()]
    for measure, own in (by_measure or {}).items():
        rows += [(measure, name, value, None) for name, value in own.items()]
    return pd.DataFrame(rows, columns=["measure", "quantity", "value", "note"])


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.4, 0.4 + 1e-15, "0.400"), (-0.02, 0.01, "0.400 (−0.02"), (*NONE, "0.400")],
)
def test_one_system_has_its_value_and_ends_unless_it_is_known(low, high, said):
    found = verdict_said("P@5", systems_of(("a", 0.4, low, high, 1, True)), OF_MEASURE)
    assert found.startswith(f"There is only one system, a: its P@5 would be {said}")
    assert (" to " in found) == (high - low > 0.01)


@pytest.mark.parametrize(
    ("may_be", "said"),
    [
        ((False,), "surely no other is."),
        ((True,), "the other may be."),
        ((True, True), "any other may be."),
        ((True, False), "s1 may be, the last one is surely not."),
        ((True, True, False, False), "s1 and s2 may be, the other 2 are surely not."),
        ((*[True] * 6, False), "6 others may be, the last one is surely not."),
    ],
)
def test_which_others_may_be_first(may_be, said):
    found = verdict_said("P@5", three(*may_be), OF_MEASURE)
    assert found == (
        f"By P@5 full judging would have put s0 first of {len(may_be) + 1} systems, as far as "
        f"these labels tell; {said}"
    )
    none = verdict_said("P@5", three(*may_be), OF_MEASURE | {"told apart": np.nan})
    assert none.endswith("these labels tell; whether others may be is not said.")


@pytest.mark.parametrize(
    ("pairs", "told", "width", "own", "said"),
    [
        (0, np.nan, np.nan, 0.1, []),
        (1, 1, 0.2, 0.1, []),
        (3, 1, 0.2, np.nan, ["Of 3 pairs of systems 1 is told apart on these topics.",
                             "Intervals of differences are 0.200 wide (the middle of all)."]),
        (3, 2, 0.0, 0.0, ["Of 3 pairs of systems 2 are told apart on these topics."]),
        (3, 0, 0.2, 0.1, ["Of 3 pairs of systems 0 are told apart on these topics.",
                          "Intervals of differences are 0.200 wide (the middle of all), those of "
                          "single systems 0.100."]),
        (3, np.nan, np.nan, 0.1, []),
    ],
)  # fmt: skip
def test_pairs_are_counted_where_there_are_several(pairs, told, width, own, said):
    facts = {
        "pairs": pairs, "told apart": told, "median width of pairs": width, "median width": own
    }  # fmt: skip
    *found, labels = facts_said(facts, OF_ALL)
    assert found == said
    assert labels == "People labelled 50 of 200 documents of 4 topics."


def test_labels_are_counted_where_they_are_more_than_documents():
    found = labels_said(OF_ALL | {"labels": 51.0})
    assert found == "People labelled 50 of 200 documents of 4 topics, with 51 labels."
    assert labels_said(OF_ALL | {"labelled": 200.0, "labels": 400.0}) == (
        "People labelled all 200 documents of 4 topics."
    )


def answer_of(measures, of_all=OF_ALL):
    """An answer of three systems by each measure, with what its facts have that others have not."""
    systems = []
    for measure, own in measures.items():
        rows = three(True, False).assign(measure=measure)
        if own.get("no ends"):
            rows[["low", "high"]] = np.nan
        systems.append(rows)
    facts = facts_of(of_all, {name: OF_MEASURE | own for name, own in measures.items()})
    return answer({"systems": pd.concat(systems), "facts": facts})


def test_lacking_labels_widen_only_intervals_that_there_are():
    lacking = OF_ALL | {"not labelled": 1.0}
    no_pairs = {"told apart": np.nan, "held of pairs": 0.8}
    none = {"no ends": True, "held of systems": 0.7, **no_pairs}
    first = answer_of({"P@1": {}, "P@2": none, "P@3": no_pairs}, lacking).warnings[0]
    assert first == (
        "1 chosen document has no label: d1 (topic t). Fill in `grade` there to have narrower "
        "intervals: until then those of P@1 and P@3 reach as far as any grade could take them."
    )
    said = answer_of({"P@2": none}, lacking).warnings
    assert said[0] == "1 chosen document has no label: d1 (topic t)."
    assert said[1].startswith("Intervals by P@2 are not given where too few labels make them:")
    assert said[1].endswith(
        "of single systems in 70% and of differences in 80% of cases would hold."
    )


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1 chosen document has"), (2, "2 chosen documents have")]
)
def test_many_without_a_label_are_given_by_example(count, said):
    found = answer_of({"P@5": {}}, OF_ALL | {"not labelled": float(count)}).warnings[0]
    assert found.startswith(f"{said} no label: d1")
    many = answer_of({"P@5": {}}, OF_ALL | {"not labelled": 100.0}).warnings[0]
    assert many.startswith("100 chosen documents have no label: such as d1")


def test_that_all_hold_at_once_is_said_where_it_is_said_which_may_be_first():
    ends = "Which systems may be first holds for all of them at once."
    none = {"told apart": np.nan, "held of pairs": 0.8}
    assert answer_of({"P@5": {}}).how.endswith(ends)
    assert answer_of({"P@5": none, "P@10": {}}).how.endswith(ends)
    assert not answer_of({"P@5": none}).how.endswith(ends)
    known = OF_ALL | {"labelled": 200.0}
    assert answer_of({"P@5": {}}, known).how == (
        "All documents are labelled: these are the scores under people's labels."
    )


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ((0.0, 0.0), ""),
        ((1.0, 0.0), "single systems"),
        ((0.0, 1.0), "differences"),
        ((1.0, 1.0), "single systems and differences"),
    ],
)
def test_what_rests_on_the_model_alone_is_said_once(left, said):
    own = {"left to the model": left[0], "pairs left to the model": left[1], "no ends": left[0]}
    found = answer_of({"P@5": own | ({"told apart": np.nan} if left[1] else {})}).warnings
    assert [one.partition(":")[0] for one in found] == [
        f"By P@5 there are no intervals of {said}"
    ] * any(left)


# --- without systems ------------------------------------------------------------------------------


def labels_of(*models, ends=(0.1, 0.3), grades=2, equal=0.85, alpha=0.5):
    rows = [("share", grade, None, 1 / grades, *ends) for grade in range(grades)]
    rows += [("mean", np.nan, None, 0.5, *ends)]
    for model in models:
        rows += [("equal", np.nan, model, equal, *ends), ("alpha", np.nan, model, alpha, *ends)]
    columns = ["quantity", "grade", "model", "value", "low", "high"]
    return pd.DataFrame(rows, columns=columns).astype({"model": object})


def answer_of_labels(labels, **of_all):
    facts = facts_of(OF_ALL | {"systems": 0.0} | of_all)
    return answer({"labels": labels, "facts": facts})


@pytest.mark.parametrize(("models", "said"), [(1, 1), (5, 5), (6, 0)])
def test_how_each_of_a_few_models_agrees(models, said):
    names = [f"m{i}" for i in range(models)]
    facts = answer_of_labels(labels_of(*names)).facts
    assert facts[1:-1] == tuple(
        f"Labels by {name} would be equal to people's for 85.0% (10.0% to 30.0%) of the "
        "documents, with an α (ordinal) of 0.500 (0.100 to 0.300)."
        for name in names[:said]
    )


@pytest.mark.parametrize(("grades", "is_mean"), [(2, False), (5, False), (6, True)])
def test_each_of_a_few_grades_has_its_share(grades, is_mean):
    found = answer_of_labels(labels_of("m", grades=grades))
    mean = "Full judging would have given 200 documents a mean grade of 0.500 (0.100 to 0.300)."
    assert (found.verdict == mean) == is_mean
    first = f"Full judging would have given grade 0 to {1 / grades:.1%} (10.0% to 30.0%) of 200 doc"
    assert found.verdict.startswith(first) == (not is_mean)
    assert ("The mean grade would be 0.500 (0.100 to 0.300)." in found.facts) == (not is_mean)


@pytest.mark.parametrize("grades", [2, 6])
def test_what_has_no_interval_is_said_with_care(grades):
    unsure = ", as far as these labels tell: how far off that may be is not known."
    assert answer_of_labels(labels_of("m", grades=grades, ends=NONE)).verdict.endswith(unsure)
    assert unsure not in answer_of_labels(labels_of("m", grades=grades)).verdict
    assert unsure not in answer_of_labels(labels_of("m", grades=grades, ends=(0.5, 0.5))).verdict


def test_lacking_labels_widen_shares_only_where_these_have_intervals():
    said = answer_of_labels(labels_of("m"), **{"not labelled": 1.0}).warnings
    assert said == (
        "1 chosen document has no label: d1 (topic t). Fill in `grade` there to have all "
        "intervals: until then there are none of α, and those of shares reach as far as any grade "
        "could take them.",
    )
    unequal = answer_of_labels(labels_of("m", ends=NONE), **{"not labelled": 1.0}).warnings
    assert unequal[0] == "1 chosen document has no label: d1 (topic t)."
    assert unequal[1].startswith("There are no intervals: documents were chosen with")


def test_what_labels_do_not_tell_of_models_is_said():
    said = answer_of_labels(labels_of("m", equal=np.nan, alpha=np.nan)).warnings
    assert [one.partition(":")[0] for one in said] == [
        "What m gave are no grades of people's scale"
    ]
    said = answer_of_labels(labels_of("m", alpha=np.nan)).warnings
    assert said == ("The α of m is not given: nearly all labels by people are of one grade.",)


def test_all_labels_are_no_scores_without_systems():
    found = answer_of_labels(labels_of("m", ends=(0.5, 0.5)), labelled=200.0)
    assert found.how == "All documents are labelled: these are people's labels."


def test_only_shares_tell_that_there_are_no_intervals():
    """Of α there are none where a label is lacking."""
    labels = labels_of("m")
    labels.loc[labels["quantity"] == "alpha", ["low", "high"]] = np.nan
    found = answer_of_labels(labels, **{"not labelled": 1.0})
    assert found.facts[1].endswith("with an α (ordinal) of 0.500.")
    (said,) = found.warnings
    assert "until then there are none of α, and those of shares reach as far" in said

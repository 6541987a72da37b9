"""What full judging would have said, in sentences: of rows written by hand."""

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS
from regrade.estimation.answer import (
    CARRIED,
    answer,
    heaviest,
    identical_pairs,
    light,
    method,
    pairs,
    unlisted,
    verdict,
)
from tests.snapshots import assert_said, assert_snapshot
from tests.unit.carried import assert_carried

NONE = (np.nan, np.nan)
OF_ALL = {
    "documents": 200.0, "topics": 4.0, "systems": 3.0, "labelled": 50.0, "labels": 50.0,
    "assumed uniform": 0.0, "not labelled": 0.0, "topics without values": 0.0,
    "documents without values": 0.0, "replays": 40.0, "seed": 2.0, "odds ratio": np.nan,
}  # fmt: skip
OF_MEASURE = {
    "pairs": 3.0, "significant": 2.0, "same rankings": 0.0,
    "left to the model": 0.0, "pairs left to the model": 0.0,
    "held of systems": 0.95, "held of pairs": 0.95, "median width": 0.1,
    "median width of pairs": 0.2, "unlisted": 0.0, "largest part of a label": 0.1,
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
        rows += [(measure, name, float(value), None) for name, value in own.items()]
    return pd.DataFrame(rows, columns=["measure", "quantity", "value", "note"])


def test_one_system_has_its_value_and_ends_unless_it_is_known():
    def say(low, high):
        return verdict("P@5", systems_of(("a", 0.4, low, high, 1, True)), OF_MEASURE, OF_ALL)

    assert_said("estimate-one-system", say, [(0.4, 0.4 + 1e-15), (-0.02, 0.01), NONE])


def test_which_others_may_be_first():
    def say(*may_be):
        for facts in (OF_MEASURE, OF_MEASURE | {"significant": np.nan}):
            yield light(three(*may_be), facts, OF_ALL)
            yield verdict("P@5", three(*may_be), facts, OF_ALL)

    cases = [(False,), (True,), (True, True), (True, False), (True, True, False, False)]
    assert_said("estimate-first", say, [*cases, (*[True] * 6, False)])


def test_pairs_are_counted_where_there_are_several():
    def say(count, significant, width, own, same=0):
        facts = {"pairs": count, "significant": significant, "same rankings": same}
        facts |= {"median width of pairs": width, "median width": own}
        return [*pairs(facts, OF_ALL), identical_pairs(facts)]

    cases = [(0, np.nan, np.nan, 0.1), (1, 1, 0.2, 0.1), (3, 1, 0.2, np.nan), (3, 2, 0.0, 0.0)]
    cases += [(3, 0, 0.2, 0.1), (3, np.nan, np.nan, 0.1), (3, 1, 0.2, 0.1, 1), (6, 0, 0.2, 0.1, 3)]
    assert_said("estimate-pairs", say, cases)


def test_labels_are_counted_where_they_are_more_than_documents():
    def say(**how):
        return method(OF_ALL | how, has_intervals=False, is_tested=False)

    more, every = say(labels=51.0), say(labelled=200.0, labels=400.0)
    assert_snapshot("estimate-labels", f"{more}\n{every}")


def answer_of(measures, of_all=OF_ALL):
    """An answer of three systems by each measure, with what its facts have that others have not."""
    systems = []
    for measure, own in measures.items():
        rows = three(True, False).assign(measure=measure)
        if own.get("no ends"):
            rows[["low", "high"]] = np.nan
        systems.append(rows)
    facts = facts_of(of_all, {name: OF_MEASURE | own for name, own in measures.items()})
    tables = {"systems": pd.concat(systems), "facts": facts}
    answered = answer(tables)
    assert_carried(answered, tables, *measures, folder="estimates")
    return answered


def test_documents_without_a_models_value_are_said_of_each_measure():
    cases = [{}, {"P@5": 0.0}, {"P@5": 0.183}, {"P@5": 0.183, "nDCG@10": 0.183, "P@10": 0.183}]
    cases += [{"P@5": 0.2, "nDCG@10": 0.183}, {"AP": 0.5, "RBP(p=0.8)": 0.1, "P@5": 0.01}]
    sentences = [one for of in cases for one in unlisted(of, 12.0)]
    sentences += [one for n in (0.0, 1.0) for one in unlisted({"P@5": 0.183}, n)]
    assert_snapshot("estimate-unlisted", "\n".join(sentences))


def test_a_label_that_carries_the_answer_is_named():
    facts = facts_of(OF_ALL, {"P@5": OF_MEASURE | {"largest part of a label": 0.83}})
    is_it = facts["quantity"] == "largest part of a label"
    facts["note"] = facts["note"].mask(is_it, "d7 (topic t1), which counts 1e+03×")
    assert heaviest(facts, "P@5") == (
        "For P@5 a single label makes up 83% of what labels change (sum of squares over systems): "
        "d7 (topic t1), which counts 1e+03×. Check it."
    )
    assert heaviest(facts.assign(value=CARRIED), "P@5") == ""


def test_lacking_labels_widen_only_intervals_that_there_are():
    no_pairs = {"significant": np.nan, "held of pairs": 0.8}
    none = {"no ends": True, "held of systems": 0.7, **no_pairs}

    def say(lacking, measures):
        return answer_of(measures, OF_ALL | {"not labelled": float(lacking)}).notes

    cases = [(1, {"P@1": {}, "P@2": none, "P@3": no_pairs}), (1, {"P@2": none})]
    assert_said("estimate-lacking", say, [*cases, *((n, {"P@5": {}}) for n in (1, 2, 100))])


def test_that_all_hold_at_once_is_said_where_it_is_said_which_may_be_first():
    none = {"significant": np.nan, "held of pairs": 0.8}
    cases = [({"P@5": {}}, 50.0), ({"P@5": none, "P@10": {}}, 50.0), ({"P@5": none}, 50.0)]

    def say(measures, labelled):
        return answer_of(measures, OF_ALL | {"labelled": labelled}).method

    assert_said("estimate-how", say, [*cases, ({"P@5": {}}, 200.0)])


def test_what_rests_on_the_model_alone_is_said_once():
    def say(systems, pairs):
        own = {"left to the model": systems, "pairs left to the model": pairs, "no ends": systems}
        return answer_of({"P@5": own | ({"significant": np.nan} if pairs else {})}).notes

    assert_said("estimate-model-alone", say, [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])


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
    tables = {"labels": labels, "facts": facts}
    answered = answer(tables)
    assert_carried(answered, tables, folder="estimates")
    return answered


def test_each_of_a_few_grades_and_models_is_told_of():
    """With care where there is no interval."""

    def say(models, grades, ends=(0.1, 0.3)):
        return answer_of_labels(labels_of(*models, grades=grades, ends=ends))

    cases = [("m", 2), ("m", 5), ("m", 6), ("abcde", 2), ("abcdef", 2)]
    cases += [("m", grades, ends) for grades in (2, 6) for ends in (NONE, (0.5, 0.5))]
    assert_said("estimate-shares", say, cases)


def test_what_labels_do_not_tell_is_said():
    """Lacking ones widen shares only where these have intervals."""

    def say(lacking, how):
        return answer_of_labels(labels_of("m", **how), **{"not labelled": lacking}).notes

    cases = [(1.0, {}), (1.0, {"ends": NONE}), (0.0, {"alpha": np.nan})]
    assert_said("estimate-unknown", say, [*cases, (0.0, {"alpha": np.nan, "equal": np.nan})])


def test_all_labels_are_no_scores_without_systems():
    found = answer_of_labels(labels_of("m", ends=(0.5, 0.5)), labelled=200.0)
    assert found.method == "All 200 documents of 4 topics had human labels; these are their grades."


def test_only_shares_tell_that_there_are_no_intervals():
    """Of α there are none where a label is lacking."""
    labels = labels_of("m")
    labels.loc[labels["quantity"] == "alpha", ["low", "high"]] = np.nan
    assert_snapshot("estimate-no-alpha", str(answer_of_labels(labels, **{"not labelled": 1.0})))

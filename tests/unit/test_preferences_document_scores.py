"""Scores from all that was asked of pairs, and scores as labels."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue import columns_of
from regrade.choices import PAIR_METHODS, PREFERENCE_SCORES
from regrade.errors import MethodError, ParameterError, RegradeError
from regrade.preferences.document_scores import (
    score_answers,
    scores_as_labels,
    served_methods,
)
from regrade.preferences.scores import (
    absolute_scores,
    combine_scores,
    comparable,
    ratio_scores,
    score_documents,
)
from regrade.preferences.systems import as_gains
from regrade.scales import Scale
from tests.unit.preferences_frames import preferences

ROWS = [("A", "B", -1), ("B", "C", -1), ("C", "A", 1), ("A", "C", -1), ("E", "F", 1, "2")]


def answers(relevant=True, numbers=True):
    frame = preferences(*ROWS)
    asked = [(True, False), (True, True), (False, True), (True, None), (False, False)]
    given = [(4.0, 1.0), (2.0, 0.0), (0.0, 8.0), (6.0, None), (0.0, 1.0)]
    for place, side in enumerate(("left", "right")):
        frame[f"{side}_relevant"] = [a[place] if relevant else None for a in asked]
        frame[f"{side}_score"] = [g[place] if numbers else None for g in given]
    schema = pa.Schema.from_pandas(frame, preserve_index=False)
    for name in ("left_relevant", "right_relevant"):
        schema = schema.set(schema.get_field_index(name), pa.field(name, pa.bool_()))
    for name in ("left_score", "right_score"):
        schema = schema.set(schema.get_field_index(name), pa.field(name, pa.float64()))
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False)


def test_absolute_answers_are_shares_of_the_times_asked():
    made = absolute_scores(answers())
    assert list(made) == columns_of("preferences/scores")
    values = {(r.topic, r.docno): r.value for r in made.itertuples()}
    # the fourth answer says nothing of C, and counts for neither
    expected = {("1", "A"): 1, ("1", "B"): 0.5, ("1", "C"): 0.5, ("2", "E"): 0, ("2", "F"): 0}
    assert values == expected
    assert set(made["component"]) == {1}
    with pytest.raises(MethodError, match="no answer states the relevance of both documents"):
        absolute_scores(answers(relevant=False))


def test_what_was_asked_decides_the_methods():
    assert served_methods(answers()) == list(PAIR_METHODS)
    assert served_methods(answers(relevant=False)) == [*PREFERENCE_SCORES, "ratio"]
    assert served_methods(answers(numbers=False)) == [*PREFERENCE_SCORES, "absolute"]
    with pytest.raises(MethodError, match="no answer has left_score and right_score"):
        score_answers(answers(numbers=False), ["ratio"])
    with pytest.raises(RegradeError, match="borders"):
        score_answers(answers(), ["borders"])
    with pytest.raises(MethodError, match="there is no answer"):
        score_answers(answers().slice(0, 0))


def test_all_methods_in_their_order_are_those_of_the_library():
    combined = [["frequency", "absolute"], ["absolute", "ratio"]]
    made = score_answers(answers(), ["ratio", "frequency", "absolute"], combined)
    order = ["ratio", "frequency", "absolute", "frequency + absolute", "absolute + ratio"]
    assert list(dict.fromkeys(made["method"])) == order

    def of(method):
        return made.loc[made["method"] == method, "value"].to_numpy()

    table = answers()
    np.testing.assert_array_equal(of("frequency"), score_documents(table, ["frequency"])["value"])
    known = table.filter(table["right_score"].is_valid())
    np.testing.assert_array_equal(of("ratio"), ratio_scores(known)["value"])
    whole = combine_scores(made, ["frequency", "absolute"])["value"]
    np.testing.assert_array_equal(of("frequency + absolute"), whole)
    with pytest.raises(ParameterError, match="ratio is combined with others: name it as a"):
        score_answers(answers(), ["frequency"], [["frequency", "ratio"]])


def scores(*values, method="bradley-terry", topic="1"):
    docnos = [f"D{i}" for i in range(len(values))]
    made = {"topic": topic, "docno": docnos, "method": method, "value": values, "component": 1}
    return pd.DataFrame(made)


def test_scores_are_labels_as_they_are_or_rescaled():
    both = pd.concat([scores(-2.0, 0.0, 2.0), scores(5.0, 5.0, topic="2"), scores(9.0, method="x")])
    plain = scores_as_labels(both, "bradley-terry")
    assert list(plain) == ["topic", "docno", "grade"]
    assert plain["grade"].tolist() == [-2, 0, 2, 5, 5]
    assert scores_as_labels(both, "bradley-terry", "topic")["grade"].tolist() == [
        0,
        0.5,
        1,
        0.5,
        0.5,
    ]
    likely = scores_as_labels(both, "bradley-terry", "probability")["grade"].to_numpy()
    np.testing.assert_allclose(likely[:3], [1 / (1 + np.exp(2)), 0.5, 1 / (1 + np.exp(-2))])
    normal = scores_as_labels(scores(1.6448536, method="thurstone"), "thurstone", "probability")
    assert normal["grade"].item() == pytest.approx(0.95)


def test_documents_without_a_value_have_no_label():
    made = scores_as_labels(scores(0.2, np.nan, 0.3), "bradley-terry")
    assert made["docno"].tolist() == ["D0", "D2"]
    with pytest.raises(MethodError, match="no document has a value"):
        scores_as_labels(scores(np.nan), "bradley-terry")


def parts(component, method="strength", topic="1"):
    values = np.linspace(-1, 1, len(component))
    return scores(*values, method=method, topic=topic).assign(component=component)


def test_values_of_different_components_are_no_labels(caplog):
    """The topic's largest component has labels; of two equally large ones none, and it is said."""
    both = pd.concat(
        [parts([1, 2, 1, 1, 2]), parts([1, 1, 2, 2], topic="2"), parts([1], topic="3")]
    )
    made = scores_as_labels(both, "strength", "topic")
    assert made["docno"].tolist() == ["D0", "D2", "D3", "D0"]
    assert made["grade"].tolist() == pytest.approx([0, 1 / 1.5, 1, 0.5])
    (record,) = caplog.records
    assert "1 (2), 2 (4)" in record.getMessage()
    with pytest.raises(MethodError, match="no topic has more documents whose values by strength"):
        scores_as_labels(parts([1, 2]), "strength")


@pytest.mark.parametrize("method", ["bradley-terry", "thurstone", "ratio", "frequency + ratio"])
def test_all_methods_of_differences_are_comparable_within_components_only(method, caplog):
    some = parts([1, 1, 2], method)
    assert comparable(some)["docno"].tolist() == ["D0", "D1"]
    assert caplog.records
    caplog.clear()
    alike = pd.concat([parts([1, 1, 1], method), parts([1, 1, 2], "frequency")])
    pd.testing.assert_frame_equal(comparable(alike), alike)
    assert not caplog.records
    gains = as_gains(pd.concat([some, parts([1, 1, 2], "frequency")]))
    assert gains.groupby("method")["docno"].size().to_dict() == {method: 2, "frequency": 3}


def test_labels_must_be_on_the_scale():
    unit = Scale.of({"range": [0, 1]})
    assert len(scores_as_labels(scores(0.0, 1.0), "bradley-terry", scale=unit)) == 2
    with pytest.raises(ParameterError, match="document D1: bradley-terry"):
        scores_as_labels(scores(0.0, 1.5), "bradley-terry", scale=unit)
    with pytest.raises(ParameterError, match="frequency gives no probabilities"):
        scores_as_labels(scores(0.0, method="frequency"), "frequency", "probability")
    with pytest.raises(RegradeError, match="ratio"):
        scores_as_labels(scores(0.0), "ratio")

"""What `trust` refuses to learn of, and that rules learn of what is named."""

import copy

import pytest

from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete

COLLECTION = {
    "qrels": {
        "NIST": {"file": "q.txt", "levels": 2},
        "model": {"file": "m.txt", "levels": 11},
        "judge": {"file": "j.txt", "levels": 5},
        "model2": {"file": "m2.txt", "levels": 2},
        "other": {"file": "o.txt", "levels": 2},
        "three": {"file": "t.txt", "levels": 3},
    },
    "transformations": [
        {"source": "model", "levels": 2, "references": ["NIST", "model2"]},
        {"source": "judge", "levels": 2, "references": ["NIST"]},
        {"source": "judge", "levels": 3, "references": ["three"]},
        {"name": "pooled", "source": "judge", "levels": 2, "references": ["NIST"], "pool": "NIST"},
        {"name": "apart", "source": "judge", "levels": 2, "references": ["other"]},
    ],
    "trust": [{"transformation": "model-to-2", "trained_on": ["judge-to-2"]}],
}


def own(studies=None, **trust) -> Collection:
    """The collection, with another `trust`."""
    collection = copy.deepcopy(COLLECTION) | {"studies": studies or {}}
    collection["trust"][0] |= trust
    return read_collection(
        "own", complete({"collection": "own", "collections": {"own": collection}})
    )


def test_transformations_on_other_scales_teach():
    assert own().items["trust"]["model-to-2"]["trained_on"] == ["judge-to-2"]


@pytest.mark.parametrize(
    ("trust", "said"),
    [
        ({"trained_on": ["nobody"]}, "nobody"),
        ({"trained_on": ["model-to-2"]}, "model-to-2 is the transformation itself"),
        ({"trained_on": ["judge-to-3"]}, "judge-to-3 has 3 levels, and model-to-2 has 2"),
        ({"trained_on": ["pooled"]}, "give both the same `pool`, or none"),
        ({"trained_on": ["apart"]}, "apart and model-to-2 have no method and reference in common"),
        ({"searches": ["d2_at@model2"]}, "have no method and reference in common"),
    ],
)
def test_what_teaches_nothing_is_refused(trust, said):
    with pytest.raises(ConfigError) as caught:
        own(**trust)
    assert "collections.own.trust.model-to-2.trained_on: " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("unlabelled", "budget", "is_shown"), [(True, [], True), (False, [5], True), (False, [], False)]
)
def test_what_is_chosen_without_labels_is_shown_where_it_is_asked_for(unlabelled, budget, is_shown):
    studies = {"han2019": {"table-unlabelled": {"transformation": "model-to-2"}}}
    asked = {"studies": studies, "unlabelled": unlabelled, "budget": budget}
    if is_shown:
        assert len(own(**asked).requested_items) == 1
        return
    said = "shows what trust.model-to-2 leaves out: give `unlabelled` or `budget` there"
    with pytest.raises(ConfigError, match=said):
        own(**asked)

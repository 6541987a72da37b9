"""What searches compare and labels are made of, read from a job's tables: as if given by hand."""

import pytest

from regrade.aggregation import aggregate
from regrade.cutsearch.labels import Labelling, read_labelling
from regrade.cutsearch.pooled import pooled_search
from regrade.cutsearch.search import search
from regrade.cutsearch.sources import SearchInput, reference_labels
from regrade.tables import read_table, write_table
from tests.unit.judgments import alpha_options, random_judgments, random_labels

ALPHA = {"metric": "ordinal", "undefined": "drop", "coverage": 0.9, "grid": None}
TOLD = ALPHA | {
    "scale": {"levels": 11},
    "levels": 3,
    "references": ["E", "crowd"],
    "aggregate": {"source": "median", "levels": None},
}


@pytest.fixture(scope="module")
def given(tmp_path_factory) -> dict:
    """Paths of sliders, of an expert's labels and of a crowd's."""
    folder = tmp_path_factory.mktemp("given")
    sliders, crowd = random_judgments(1, levels=11), random_judgments(2, levels=3)
    write_table(sliders, folder / "sliders", "judgments")
    write_table(random_labels(3, sliders, 3), folder / "E", "qrels")
    write_table(crowd, folder / "crowd", "judgments")
    return {
        "judgments": folder / "sliders",
        "references": [folder / "E", folder / "crowd"],
        "pool": [],
    }


def test_a_crowd_is_one_label_per_document(given):
    crowd = read_table(given["references"][1])
    labels = SearchInput.read(given, TOLD, ["crowd"]).references["crowd"]
    assert labels.equals(aggregate(crowd, "median", 3))
    assert labels.equals(reference_labels(crowd, TOLD))
    # aggregated before, it is taken as it is
    assert SearchInput.read(given, TOLD).references["crowd"].equals(crowd)


def test_the_pool_is_read_where_there_is_one(given):
    assert SearchInput.read(given, TOLD).pool is None
    pooled = SearchInput.read(given | {"pool": given["references"][0]}, TOLD)
    assert pooled.pool.equals(read_table(given["references"][0]))


@pytest.mark.parametrize("rule", ["drop", "non-relevant"])
def test_a_search_is_what_it_is_by_hand(given, rule):
    source = SearchInput.read(given, TOLD, ["crowd"])
    asked = {"method": "d2_at", "reference": "E", "unjudged": rule}
    labels, options = read_table(given["references"][0]), alpha_options(unjudged=rule)
    by_hand = search(source.judgments, 11, 3, "d2_at", labels, options)
    found = source.topics().plan(**source.arguments(asked)).search()
    assert found.to_frame().equals(by_hand.to_frame())
    pooled = pooled_search(source.judgments, source.scale, **source.arguments(asked))
    assert pooled.to_frame().equals(
        pooled_search(source.judgments, 11, 3, "d2_at", labels, options).to_frame()
    )


def test_a_method_without_reference_has_none(given):
    asked = {"method": "tw1", "reference": None, "unjudged": "drop"}
    assert SearchInput.read(given, TOLD).arguments(asked)["reference"] is None


def test_a_labelling_by_hand_needs_no_table_of_cuts(given):
    how = TOLD | {"cut": [3, 6], "order": "at", "method": None, "reference": None}
    judgments, labelling = read_labelling(given | {"best_cuts": []}, how)
    assert judgments.equals(read_table(given["judgments"]))
    topics = judgments["topic"].unique().to_pylist()
    assert labelling.labels(judgments).equals(
        Labelling.by_hand([3, 6], topics, 3).labels(judgments)
    )

"""What lioma2017 claims of its measures, and what of it holds on all small rankings."""

from itertools import product

import pytest

from regrade.criteria.desiderata import MEASURES, READINGS, claimed, desiderata
from regrade.criteria.scores import weighted_score

CLAIMED = [
    (measure, reading.desideratum, reading.name)
    for measure, reading in product(MEASURES, READINGS)
    if claimed(measure, reading.desideratum) == "yes"
]
# D3 is claimed of ranks; D4 and D6 of the reading that the paper argues for
UNCLAIMED_READINGS = {("D3", "strictly"), ("D4", "as worded"), ("D6", "of one criterion")}
AGAINST_THE_CLAIM = {
    # Equation 8 weighs the other criterion's errors
    ("NLRE", "D8", "as told"),
    # F-1 knows no ranks, so that an exchange costs nothing, and is 0 where nothing is relevant
    ("CAM(NDCG,F-1)", "D1", ""),
    ("WHAM(NDCG,F-1)", "D1", ""),
    ("CAM(NDCG,F-1)", "D3", ""),
    ("WHAM(NDCG,F-1)", "D3", ""),
    ("WHAM(NDCG,F-1)", "D7", ""),
}


@pytest.fixture(scope="module")
def table():
    return desiderata().set_index(["measure", "desideratum", "reading"])


@pytest.mark.parametrize("key", CLAIMED)
def test_what_the_paper_claims(table, key):
    row = table.loc[key]
    if key[1:] in UNCLAIMED_READINGS:
        return
    assert (row["held"] == row["cases"]) == (key not in AGAINST_THE_CLAIM), row["against"]


@pytest.mark.parametrize("measure", MEASURES)
def test_no_measure_has_d4_as_worded(table, measure):
    """The relevance of the documents itself does not scale errors of credibility."""
    row = table.loc[measure, "D4", "as worded"]
    assert row["held"] == 0


def test_the_exceptions_that_the_paper_names(table):
    assert claimed("NWCS", "D4") == "no"
    for measure in ("CAM(NDCG,F-1)", "WHAM(NDCG,F-1)"):
        for desideratum, reading in (("D2", ""), ("D4", "as argued"), ("D6", "all grades")):
            assert claimed(measure, desideratum) == "not in general"
            row = table.loc[measure, desideratum, reading]
            assert row["held"] < row["cases"]
    # with measures that discount ranks and take shares, two of the three do hold
    for desideratum, reading in (("D2", ""), ("D6", "all grades")):
        row = table.loc["CAM(NDCG,NDCG)", desideratum, reading]
        assert row["held"] == row["cases"]


def test_the_sum_of_nwcs_does_not_scale_errors_by_errors():
    """D4: WCS adds, so that an error of credibility costs the same with one of relevance."""
    right, wrong = [4.0, 3, 2, 1], [3.0, 4, 2, 1]
    value = lambda first, second: weighted_score([first, second], [0.5, 0.5])  # noqa: E731
    with_error = value(wrong, right) - value(wrong, wrong)
    assert with_error == pytest.approx(value(right, right) - value(right, wrong))


def test_rank_errors_do_not_see_the_size_of_differences(table):
    for measure in ("NLRE", "NGRE"):
        row = table.loc[measure, "D3", "strictly"]
        assert (row["held"], row["equal"]) == (0, row["cases"])


def test_as_many_cases_are_tried_as_there_are(table):
    exchanges, neighbours, rankings = 3, 3, 12  # rankings of (4, 3, 1, 1)
    cases = {
        ("D1", ""): 2 * exchanges,
        ("D2", ""): 2 * (neighbours - 1),
        ("D3", ""): 2 * 4 * neighbours,
        ("D3", "strictly"): 2 * 4 * neighbours,
        ("D4", "as argued"): neighbours,
        ("D4", "as worded"): 4 * neighbours,
        ("D5", ""): 3**3,
        ("D6", "all grades"): 3 * 3 * rankings,
        ("D6", "of one criterion"): 3 * 3 * rankings,
        ("D7", ""): 4 * rankings * (rankings - 1) // 2,
        ("D8", "adjusted"): 4 * neighbours,
        ("D8", "as told"): 4 * neighbours,
    }
    for measure in MEASURES:
        assert table.loc[measure, "cases"].to_dict() == cases


def test_ranks_and_shares_of_the_ideal_know_no_unit_of_one_criterion(table):
    """And the best grades' sums do, which NWCS divides by."""
    for measure in ("NLRE", "NGRE", "CAM(NDCG,NDCG)", "WHAM(NDCG,NDCG)"):
        row = table.loc[measure, "D6", "of one criterion"]
        assert row["held"] == row["cases"]
    row = table.loc["NWCS", "D6", "of one criterion"]
    assert row["held"] < row["cases"]


def test_measures_that_discount_see_every_greater_difference(table):
    for measure in ("NWCS", "CAM(NDCG,NDCG)", "WHAM(NDCG,NDCG)"):
        row = table.loc[measure, "D3", "strictly"]
        assert row["held"] == row["cases"]


def test_more_relevant_documents_make_errors_of_credibility_cheaper_by_nwcs_and_no_other(table):
    for measure in MEASURES:
        row = table.loc[measure, "D4", "as worded"]
        assert row["equal"] == (0 if measure == "NWCS" else row["cases"])


def test_a_case_is_named_where_one_speaks_against(table):
    failing = table["held"] < table["cases"]
    assert (table["against"].notna() == failing).all()
    # the first case: documents 1 and 2 change places, or 1 and 3, by relevance
    smaller, larger, tied = (3.0, 4.0, 2.0, 1.0), (2.0, 3.0, 4.0, 1.0), (2.0,) * 4
    against = table.loc[("WHAM(NDCG,F-1)", "D1", ""), "against"]
    assert against == str(((smaller, tied), (larger, tied)))


@pytest.mark.parametrize("measure", ["NLRE", "NGRE", "NWCS", "CAM(NDCG,NDCG)", "WHAM(NDCG,NDCG)"])
def test_the_criteria_may_change_places_with_their_weights(measure):
    one, other = (3.0, 4.0, 2.0, 1.0), (4.0, 1.0, 3.0, 2.0)
    for weight in (0.1, 0.5, 0.8):
        value = MEASURES[measure]((one, other), weight)
        assert value == pytest.approx(MEASURES[measure]((other, one), 1 - weight))

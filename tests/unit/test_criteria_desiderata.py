"""What lioma2017 claims of its measures, and what of it holds on all small rankings."""

from itertools import product

import pytest

from regrade.criteria.desiderata import MEASURES, READINGS, claimed, desiderata
from regrade.criteria.scores import weighted_score

TABLE = desiderata().set_index(["measure", "desideratum", "reading"])
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


@pytest.mark.parametrize("key", CLAIMED)
def test_what_the_paper_claims(key):
    row = TABLE.loc[key]
    if key[1:] in UNCLAIMED_READINGS:
        return
    assert (row["held"] == row["cases"]) == (key not in AGAINST_THE_CLAIM), row["against"]


@pytest.mark.parametrize("measure", MEASURES)
def test_no_measure_has_d4_as_worded(measure):
    """The relevance of the documents itself does not scale errors of credibility."""
    row = TABLE.loc[measure, "D4", "as worded"]
    assert row["held"] == 0


def test_the_exceptions_that_the_paper_names():
    assert claimed("NWCS", "D4") == "no"
    for measure in ("CAM(NDCG,F-1)", "WHAM(NDCG,F-1)"):
        for desideratum, reading in (("D2", ""), ("D4", "as argued"), ("D6", "all grades")):
            assert claimed(measure, desideratum) == "not in general"
            row = TABLE.loc[measure, desideratum, reading]
            assert row["held"] < row["cases"]
    # with measures that discount ranks and take shares, two of the three do hold
    for desideratum, reading in (("D2", ""), ("D6", "all grades")):
        row = TABLE.loc["CAM(NDCG,NDCG)", desideratum, reading]
        assert row["held"] == row["cases"]


def test_the_sum_of_nwcs_does_not_scale_errors_by_errors():
    """D4: WCS adds, so that an error of credibility costs the same with one of relevance."""
    right, wrong = [4.0, 3, 2, 1], [3.0, 4, 2, 1]
    value = lambda first, second: weighted_score([first, second], [0.5, 0.5])  # noqa: E731
    with_error = value(wrong, right) - value(wrong, wrong)
    assert with_error == pytest.approx(value(right, right) - value(right, wrong))


def test_rank_errors_do_not_see_the_size_of_differences():
    for measure in ("NLRE", "NGRE"):
        row = TABLE.loc[measure, "D3", "strictly"]
        assert (row["held"], row["equal"]) == (0, row["cases"])

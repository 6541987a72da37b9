"""Score movements by hand, and what the thesis says of them on real runs."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import kendalltau

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.uncertainty.movements import (
    movement_correlations,
    movement_shares,
    score_movements,
)
from tests.unit.trec8_depths import trec8_depth_scores

EXACT = 1e-12
RBP = "RBP(p=0.98)"


def scores_of(rows):
    rows = pd.DataFrame(rows, columns=columns_of("scores"))
    return pa.Table.from_pandas(rows, schema=SCHEMAS["scores"], preserve_index=False)


@pytest.fixture
def moving():
    shallow = {
        10: scores_of([("s", "1", "AP", 0.5, None), ("s", "1", "RBP(p=0.98)", 0.2, 0.3),
                       ("s", "2", "AP", 0.1 + 0.2, None), ("s", "2", "RBP(p=0.98)", 0.1, 0.4)]),
        5: scores_of([("s", "1", "AP", 0.6, None), ("s", "1", "RBP(p=0.98)", 0.1, 0.5),
                      ("s", "2", "AP", 0.0, None), ("s", "2", "RBP(p=0.98)", 0.0, 0.6),
                      ("s", "3", "AP", 0.7, None), ("s", "3", "RBP(p=0.98)", 0.1, 0.7)]),
    }  # fmt: skip
    baseline = scores_of([("s", "2", "AP", 0.3, None), ("s", "1", "AP", 0.4, None),
                           ("s", "4", "AP", 0.9, None), ("s", "1", "RBP(p=0.98)", 0.25, 0.1),
                           ("s", "2", "RBP(p=0.98)", 0.0, 0.2)])  # fmt: skip
    return shallow, baseline


def test_movements_by_hand(moving):
    found = score_movements(*moving, measures=["AP"])
    expected = pd.DataFrame(
        {
            "measure": ["AP"] * 4,
            "depth": [5, 5, 10, 10],
            "system": ["s"] * 4,
            "topic": ["1", "2", "1", "2"],
            "value": [0.6, 0.0, 0.5, 0.3],
            "baseline": [0.4, 0.3, 0.4, 0.3],
            "difference": [0.2, -0.3, 0.1, 0.0],
            "ratio": [1.5, 0.0, 1.25, 1.0],
            "residual": [0.5, 0.6, 0.3, 0.4],
        }
    )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=0, atol=EXACT)
    # 0.1 + 0.2 is 0.3
    assert found["difference"].tolist()[3] == 0
    shares = movement_shares(found)
    assert shares.to_dict("list") == {
        "measure": ["AP", "AP"],
        "depth": [5, 10],
        "rankings": [2, 2],
        "below": [0.5, 0.0],
        "equal": [0.0, 0.5],
        "above": [0.5, 0.5],
    }
    (row,) = movement_correlations(found).to_dict("records")
    assert (row["rankings"], row["ratios"]) == (4, 4)
    for name, column in (("tau_difference", "difference"), ("tau_ratio", "ratio")):
        tau = kendalltau(expected["residual"], expected[column]).statistic
        assert row[name] == pytest.approx(tau, abs=EXACT)


def test_measures_stay_in_their_order_and_each_share_is_its_own():
    movements = pd.DataFrame(
        {
            "measure": [RBP, RBP, RBP, "AP"],
            "depth": 5,
            "difference": [0.1, 0.2, -0.1, 0.0],
            "residual": [0.3, 0.2, 0.1, 0.4],
            "ratio": [1.1, 1.2, 0.9, 1.0],
        }
    )
    shares = movement_shares(movements)
    assert shares["measure"].tolist() == [RBP, "AP"]
    assert shares[["below", "equal", "above"]].to_numpy().tolist() == [[1 / 3, 0, 2 / 3], [0, 1, 0]]
    assert movement_correlations(movements)["measure"].tolist() == [RBP, "AP"]


def test_ratios_to_zero_are_left_out(moving):
    found = score_movements(*moving)
    assert found["measure"].unique().tolist() == ["AP", "RBP(p=0.98)"]
    rbp = found[found["measure"] == "RBP(p=0.98)"]
    assert rbp["ratio"].isna().tolist() == [False, True, False, True]
    assert movement_correlations(found)["ratios"].tolist() == [4, 2]


def test_movements_that_cannot_be(moving):
    shallow, baseline = moving
    with pytest.raises(ParameterError, match=r"depth 10.*RBP\(p=0.9\)"):
        score_movements(shallow, baseline, residual="RBP(p=0.9)")
    with pytest.raises(ParameterError, match="AP has no residual"):
        score_movements(shallow, baseline, residual="AP")
    with pytest.raises(ParameterError, match=r"the baseline.*nDCG"):
        score_movements(shallow, baseline, measures=["nDCG"])
    with pytest.raises(ParameterError, match="no shallow judgments"):
        score_movements({}, baseline)


def test_trec8_score_movements(real_data):
    """What yang2019 §4.9 says of every collection holds for TREC-8, which it does not print."""
    by_depth = trec8_depth_scores(real_data)
    shallow = {depth: by_depth[depth].to_table() for depth in (5, 10, 15, 20, 25)}
    moved = score_movements(shallow, by_depth[50].to_table(), measures=["AP", "nDCG", RBP])
    assert len(moved) == 3 * 5 * 67 * 50
    shares = movement_shares(moved).set_index(["measure", "depth"])
    assert (shares["rankings"] == 67 * 50).all()
    assert shares[["below", "equal", "above"]].sum(axis=1).to_numpy() == pytest.approx(1)
    # RBP never falls as judgments are added; AP and nDCG fall more often than they grow
    assert (shares.loc[RBP, "above"] == 0).all()
    for name in ("AP", "nDCG"):
        assert (shares.loc[name, "above"] > shares.loc[name, "below"]).all()
        assert shares.loc[(name, 25), "equal"] > shares.loc[(name, 5), "equal"]
    # Table 4.8: residuals say little of the differences, a little more of the ratios
    tau = movement_correlations(moved).set_index("measure")
    assert (tau["rankings"] == 5 * 67 * 50).all()
    assert (tau["tau_difference"].abs() < 0.06).all()
    assert (tau["tau_ratio"].abs() > tau["tau_difference"].abs()).all()
    assert (np.sign(tau["tau_ratio"]) == [1, 1, -1]).all()
    # no ratio where the baseline score is 0: 87 rankings, at each depth
    assert (tau["ratios"] == 5 * (67 * 50 - 87)).all()

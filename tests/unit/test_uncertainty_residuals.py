"""RBP over φ against scores of single φ, the nearest φ against scipy."""

import statistics

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from regrade.catalogue import ALL_TOPICS
from regrade.errors import ParameterError
from regrade.scoring import Scores, score
from regrade.uncertainty.residuals import (
    EXPECTED_DEPTHS,
    PHI_GRID,
    expected_depth,
    nearest_phi,
    phi_of_depth,
    rbp_curves,
    summarise_nearest,
    tau_by_phi,
)
from tests.unit.trec import judged_lists, trec8, trec8_deep

EXACT = 1e-12
DEPTHS = [phi_of_depth(depth) for depth in EXPECTED_DEPTHS]


@pytest.fixture(scope="module")
def graded():
    """Systems of rising quality, graded incomplete judgments, rankings of several lengths."""
    rng = np.random.default_rng(11)
    pool = [f"d{i:03d}" for i in range(120)]
    runs, qrels = {}, {}
    for topic in ("1", "2", "3", "4"):
        quality = rng.normal(size=len(pool))
        grades = np.clip(np.ceil(quality), 0, 3).astype(int)
        judged = rng.random(len(pool)) < 0.6
        qrels[topic] = {d: int(g) for d, g, j in zip(pool, grades, judged, strict=True) if j}
        for s in range(9):
            noise = rng.normal(size=len(pool)) * (0.5 + s / 3)
            order = np.argsort(-(quality + noise))[: rng.integers(20, 100)]
            runs.setdefault(f"s{s}", {})[topic] = [pool[d] for d in order]
    return judged_lists(runs, qrels)


# --- RBP over φ ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "own", "max_grade"),
    [
        ("RBP", "", None),
        ("RBP", "", 5),
        ("AP(rel=2)", ",rel=2", 3),
        ("nDCG(dcg='exp-log2')", ",dcg='exp-log2'", 3),
        ("ERR(gains={1:3,2:7,3:8})", ",gains={1:3,2:7,3:8}", 3),
    ],
)
def test_curves_are_the_scores_of_each_phi(graded, measure, own, max_grade):
    phis = [0.3, *DEPTHS, 0.999]
    (curves,) = rbp_curves(*graded, phis, [measure], max_grade=max_grade)
    scores = score(*graded, [f"RBP(p={phi!r}{own})" for phi in phis], max_grade=max_grade)
    assert curves.systems == scores.systems
    assert curves.topics == scores.topics
    assert curves.values == pytest.approx(scores.values, abs=1e-15)
    assert curves.residuals == pytest.approx(scores.residuals, abs=1e-15)
    assert curves.residuals.min() > 0 and curves.values.max() < 1


def test_curves_of_some_systems(graded):
    (every,) = rbp_curves(*graded, DEPTHS)
    (some,) = rbp_curves(*graded, DEPTHS, systems=["s7", "s2"])
    assert (some.systems, some.topics) == (("s2", "s7"), every.topics)
    assert np.array_equal(some.values, every.values[[2, 7]])
    assert np.array_equal(some.residuals, every.residuals[[2, 7]])


def test_residual_of_ten_judged_documents():
    """yang2019 §2.3.1: 0.349 for φ = 0.9 and 0.001 for 0.5, below ten judged documents."""
    ranked, judged = judged_lists(
        {"s": {"1": list("abcdefghij")}}, {"1": dict.fromkeys("abcdefghij", 1)}
    )
    (curves,) = rbp_curves(ranked, judged, [0.9, 0.5])
    assert curves.residuals[0, 0].round(3).tolist() == [0.349, 0.001]
    assert curves.values + curves.residuals == pytest.approx(1, abs=EXACT)


def test_the_table_of_figure_4_1(graded):
    (curves,) = rbp_curves(*graded, DEPTHS)
    found = curves.to_frame()
    assert len(found) == 7 * 9 * 4
    assert found["depth"].unique() == pytest.approx(EXPECTED_DEPTHS)
    row = found.set_index(["phi", "system", "topic"]).loc[(0.98, "s3", "2")]
    assert row["value"] == curves.values[3, 1, 4]
    assert row["residual"] == curves.residuals[3, 1, 4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"phis": []}, "φ is missing"),
        ({"phis": [0.5, 1.0]}, r"φ is \[1.0\]"),
        ({"phis": [float("nan")]}, "φ is"),
        ({"max_grade": 0}, "max_grade is 0"),
        ({"max_grade": 2}, "a document has the grade 3, above the highest of the scale, 2"),
        ({"systems": ["s9"]}, "unknown system 's9'"),
    ],
)
def test_curves_that_cannot_be(graded, options, message):
    with pytest.raises(ParameterError, match=message):
        rbp_curves(*graded, **{"phis": [0.5], **options})


def test_depths():
    figure = [0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995]  # yang2019 Figure 4.3
    assert [*map(phi_of_depth, EXPECTED_DEPTHS)] == pytest.approx(figure)
    assert expected_depth(np.array(figure)).tolist() == [*EXPECTED_DEPTHS]
    with pytest.raises(ParameterError, match="expected depth 1"):
        phi_of_depth(1)
    assert (PHI_GRID[0], PHI_GRID[-1], len(PHI_GRID)) == (0.5, 0.999, 500)


# --- The nearest φ ---------------------------------------------------------------------------


def rbo_by_sets(x, y, p):
    """RBO_ext from sets of systems at each depth; ties share the highest rank (RBO^w)."""

    def top(scores, depth):
        return {s for s in range(len(scores)) if sum(scores > scores[s]) < depth}

    agreement = [
        2 * len(top(x, d) & top(y, d)) / (len(top(x, d)) + len(top(y, d)))
        for d in range(1, len(x) + 1)
    ]
    seen = sum((1 - p) * p**i * a for i, a in enumerate(agreement))
    return seen + p ** len(x) * agreement[-1]


def test_tau_over_phi(graded):
    binary = {"AP": 1, "nDCG": None, "P@10": 1, "AP(rel=2)": 2}
    measures = list(binary)
    found = tau_by_phi(rbp_curves(*graded, DEPTHS, measures), score(*graded, measures))
    assert found["measure"].tolist() == [m for m in measures for _ in DEPTHS]
    means = score(*graded, measures).values.mean(axis=1)
    for i, phi in enumerate(DEPTHS):
        for m, (measure, rel) in enumerate(binary.items()):
            one = score(*graded, [f"RBP(p={phi!r}{f',rel={rel}' if rel else ''})"])
            row = found[found["measure"] == measure].iloc[i]
            tau = kendalltau(one.values[:, :, 0].mean(axis=1), means[:, m]).statistic
            assert row["tau"] == pytest.approx(tau, abs=EXACT)
            assert row["residual"] == pytest.approx(one.residuals.mean(), abs=EXACT)
            assert row["depth"] == pytest.approx(EXPECTED_DEPTHS[i])


def test_nearest_phi_by_trying_each(graded):
    phis = [0.5, 0.6, 0.61, 0.7, 0.8, 0.9, 0.95, 0.99]
    measures = {"nDCG": 1, "P(rel=2)@5": 2}
    graded_curves, binary = rbp_curves(*graded, phis, [*measures, "P(rel=2)@10"])
    scores = score(*graded, list(measures))
    found = nearest_phi([graded_curves, binary], scores, rbo_p=0.8)
    assert len(found) == 2 * 2 * 5
    assert found["tied"].max() > 1
    for row in found.itertuples():
        m = list(measures).index(row.measure)
        curves = (graded_curves, binary)[m]
        relevant = graded[1].relevant_counts(measures[row.measure])
        if row.topic == ALL_TOPICS:
            x, y = curves.values.mean(axis=1), scores.values[:, :, m].mean(axis=1)
            residuals = curves.residuals.mean(axis=(0, 1))
            assert row.relevant == sum(relevant.values())
        else:
            t = scores.topics.index(row.topic)
            x, y = curves.values[:, t], scores.values[:, t, m]
            residuals = curves.residuals[:, t].mean(axis=0)
            assert row.relevant == relevant[row.topic]
        x, y = x.round(10), y.round(10)  # means that are equal
        if row.coefficient == "tau_b":
            each = [kendalltau(x[:, p], y).statistic for p in range(len(phis))]
        else:
            each = [rbo_by_sets(x[:, p], y, 0.8) for p in range(len(phis))]
        near = [phi for phi, r in zip(phis, each, strict=True) if r > max(each) - 1e-9]
        assert row.correlation == pytest.approx(max(each), abs=EXACT)
        assert (row.phi_lowest, row.phi_highest, row.tied) == (near[0], near[-1], len(near))
        assert row.phi_middle == statistics.median_low(near)
        assert row.residual == pytest.approx(residuals[phis.index(near[0])], abs=EXACT)


def test_a_measure_finds_its_own_phi(graded):
    """RBP(0.837) ranks the systems as RBP(φ) does for the φ around 0.837."""
    curves = rbp_curves(*graded, PHI_GRID)
    found = nearest_phi(curves, score(*graded, ["RBP(p=0.837)"]))
    assert found["correlation"].to_numpy() == pytest.approx(1, abs=EXACT)
    assert (found["phi_lowest"] <= 0.837).all() and (found["phi_highest"] >= 0.837).all()
    assert (found["phi_highest"] - found["phi_lowest"]).max() < 0.3


def test_all_phi_are_as_near_where_none_changes_the_order():
    runs = {"s": {"1": list("ab")}, "u": {"1": list("cb")}}
    ranked, judged = judged_lists(runs, {"1": {"a": 1, "b": 0, "c": 0}})
    curves = rbp_curves(ranked, judged, PHI_GRID, ["AP"])
    scores = score(ranked, judged, ["AP"])
    for coefficient in ("tau_b", "rbo"):
        found = nearest_phi(curves, scores, coefficients=[coefficient]).iloc[0]
        assert found["correlation"] == pytest.approx(1)
        assert (found["phi_lowest"], found["phi_highest"], found["tied"]) == (0.5, 0.999, 500)
        assert found["phi_middle"] == pytest.approx(0.749)


def test_no_phi_is_near_where_the_measure_ties_all_systems():
    runs = {"s": {"1": list("ab"), "2": ["a"]}, "u": {"1": list("cb"), "2": ["c"]}}
    ranked, judged = judged_lists(runs, {"1": {"a": 1}, "2": {"b": 1}})
    curves = rbp_curves(ranked, judged, [0.5, 0.9], ["AP"])
    found = nearest_phi(curves, score(ranked, judged, ["AP"]))
    none = found[found["topic"] == "2"]
    assert none[["correlation", "phi_lowest", "phi_middle", "phi_highest"]].isna().all(axis=None)
    assert (none["tied"] == 0).all() and none["residual"].isna().all()
    assert found[found["topic"] == "1"]["tied"].tolist() == [2, 2]
    summary = summarise_nearest(found)
    assert summary["undefined"].tolist() == [1, 1]
    assert (summary["below_08"] + summary["below_09"]).tolist() == [0, 0]


def test_nearest_phi_needs_what_it_compares(graded):
    curves = rbp_curves(*graded, [0.5], ["AP"])
    scores = score(*graded, ["AP"], topics=["1", "2"])
    with pytest.raises(ParameterError, match="unknown topic '3'"):
        nearest_phi(curves, scores)
    fewer = Scores(("s0",), *(getattr(scores, f) for f in ("topics", "measures")),
                   scores.values[:1], scores.residuals[:1])  # fmt: skip
    with pytest.raises(ParameterError, match="unknown system 's1'"):
        tau_by_phi(curves, fewer)
    full = score(*graded, ["AP"])
    with pytest.raises(ParameterError, match="unknown coefficient 'tau'"):
        nearest_phi(curves, full, coefficients=["tau"])
    with pytest.raises(ParameterError, match="rbo_p is 1"):
        nearest_phi(curves, full, rbo_p=1)
    with pytest.raises(ParameterError, match=r"AP\(rel=2\) goes with curves of RBP\(rel=2\)"):
        tau_by_phi(curves, score(*graded, ["AP(rel=2)"]))


def test_the_gains_of_a_measure_decide_how_near_its_phi_is():
    """AP(rel=2) sees neither the documents of grade 1 nor how many there are."""
    runs = {f"s{i}": {t: list("abcd") for t in "123"} for i in range(4)}
    runs |= {"s1": {t: list("bacd") for t in "123"}, "s2": {t: list("cdab") for t in "123"}}
    qrels = {"1": {"a": 2, "c": 1, "d": 1}, "2": {"b": 2, "c": 2, "d": 1}, "3": {"d": 3, "a": 1}}
    ranked, judged = judged_lists(runs, qrels)
    of_grades = nearest_phi(
        rbp_curves(ranked, judged, PHI_GRID, ["AP(rel=2)", "nDCG"]),
        score(ranked, judged, ["AP(rel=2)", "nDCG"]),
    )
    binary = {t: {d: float(g >= 2) for d, g in of.items()} for t, of in qrels.items()}
    ranked, judged = judged_lists(runs, binary)
    of_binary = nearest_phi(
        rbp_curves(ranked, judged, PHI_GRID, ["AP"]), score(ranked, judged, ["AP"])
    )
    found = of_grades[of_grades["measure"] == "AP(rel=2)"].drop(columns="measure")
    assert found["relevant"].tolist()[:4] == [1, 2, 1, 4]
    pd.testing.assert_frame_equal(found, of_binary.drop(columns="measure"))
    graded_r = of_grades.loc[of_grades["measure"] == "nDCG", "relevant"]
    assert graded_r.tolist()[:4] == [3, 3, 2, 8]


def test_the_rows_of_table_4_2():
    correlation = [0.79, 0.8, 0.8 - 1e-14, 0.89, 0.9 - 1e-14, 0.95, np.nan, 0.1]
    phi = [0.5, 0.6, 0.7, 0.6, 0.8, 0.9, np.nan, 0.999]
    R = [1, 2, 3, 4, 5, 6, 7, 100]
    nearest = pd.DataFrame(
        {
            "measure": "AP",
            "coefficient": "rbo",
            "topic": [*map(str, range(7)), ALL_TOPICS],
            "relevant": R,
            "correlation": correlation,
            "phi_lowest": phi,
            "phi_middle": np.array(phi) + 0.01,
            "phi_highest": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, np.nan, 0.3],
        }
    )
    (row,) = summarise_nearest(nearest).to_dict("records")
    counts = [row[name] for name in ("below_08", "below_09", "from_09", "undefined")]
    assert counts == [1, 3, 2, 1]
    tau = kendalltau(phi[:6], R[:6])
    assert (row["tau"], row["p"]) == pytest.approx((tau.statistic, tau.pvalue), abs=EXACT)
    assert row["mean_phi"] == pytest.approx(np.mean(phi[:6]))


# --- TREC-8 ----------------------------------------------------------------------------------


def test_trec8_residuals_exceed_scores_from_an_expected_depth_of_about_100(real_data):
    """yang2019 §4.3: "once the value of ϕ is about 0.99", over all systems and topics."""
    collection = trec8(real_data)
    assert len(trec8_deep(real_data)) == 67
    grid = [phi for phi in PHI_GRID if phi >= 0.95]
    (curves,) = rbp_curves(collection.ranked, collection.judged, grid)
    exceeds = curves.residuals.mean(axis=(0, 1)) > curves.values.mean(axis=(0, 1))
    crossing = grid[int(np.argmax(exceeds))]
    assert exceeds[grid.index(crossing) :].all()
    assert round(crossing, 2) == 0.99


def test_trec8_nearest_phi(real_data):
    """yang2019 §4.4: P@10 near φ = 0.9; AP, nDCG, R-precision at 0.98 or more, residual ≥ 0.1."""
    ranked, judged = trec8(real_data).ranked, trec8(real_data).judged
    names = ["RR", "P@10", "Rprec", "AP", "nDCG", "R@1000"]
    scores = score(ranked, judged, names)
    every = nearest_phi(rbp_curves(ranked, judged, PHI_GRID, names), scores)
    overall = every[every["topic"] == ALL_TOPICS].set_index(["coefficient", "measure"])
    tau = overall.loc["tau_b"]
    assert tau.loc["P@10", "phi_lowest"] == pytest.approx(0.9, abs=0.03)
    assert tau.loc["RR", "phi_lowest"] < 0.6
    for name in ("Rprec", "AP", "nDCG", "R@1000"):
        assert tau.loc[name, "phi_lowest"] >= 0.98
        assert tau.loc[name, "residual"] >= 0.1

    # the data of Figure 4.2 peak among the six depths where the thesis's curves do
    curve = tau_by_phi(rbp_curves(ranked, judged, DEPTHS[:6], names), scores)
    peaks = curve.loc[curve.groupby("measure")["tau"].idxmax()].set_index("measure")["depth"]
    assert peaks.round().to_dict() == {
        "RR": 2, "P@10": 10, "Rprec": 100, "AP": 100, "nDCG": 100, "R@1000": 100,
    }  # fmt: skip

    # per topic, AP and nDCG: φ grows with R (Figures 4.3 and 4.4, Table 4.2)
    summary = summarise_nearest(every).set_index(["measure", "coefficient"])
    for name in ("AP", "nDCG"):
        for coefficient in ("tau_b", "rbo"):
            row = summary.loc[(name, coefficient)]
            assert row["below_08"] + row["below_09"] + row["from_09"] == 50
            assert row["tau"] > 0.4 and row["p"] < 1e-4
            assert 0.94 < row["mean_phi"] < 0.98

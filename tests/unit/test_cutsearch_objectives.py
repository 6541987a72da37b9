"""Criteria of cuts against scikit-learn, scipy, krippendorff and plain Python."""

import warnings

import krippendorff
import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn import metrics

from regrade.aggregation import enumerate_cuts
from regrade.choices import CUT_CRITERIA
from regrade.cutsearch.objectives import criterion_codes, measured, of_cuts
from regrade.errors import ParameterError

EXACT = 1e-12


def plain_gamma(own, theirs):
    """Over all pairs of documents."""
    signs = [
        np.sign(own[i] - own[j]) * np.sign(theirs[i] - theirs[j])
        for i in range(len(own))
        for j in range(i)
    ]
    concordant, discordant = signs.count(1), signs.count(-1)
    pairs = concordant + discordant
    return (concordant - discordant) / pairs if pairs else np.nan


def plain_alpha(own, theirs, metric, levels):
    """The package refuses where expected disagreement is zero."""
    if len({*own, *theirs}) < 2:
        return np.nan
    data = np.array([own, theirs], dtype=float)
    return krippendorff.alpha(data, value_domain=np.arange(levels), level_of_measurement=metric)


def plain_kappa(own, theirs, weights, levels):
    if len({*own, *theirs}) < 2:
        return np.nan
    return metrics.cohen_kappa_score(own, theirs, labels=range(levels), weights=weights)


def plain(own, theirs, levels):
    """All criteria of two lists of levels, by other people's code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rho = spearmanr(own, theirs).statistic if len(own) > 1 else np.nan
    top = levels // 2
    shares = [np.bincount(x, minlength=levels) / len(x) for x in (own, theirs)]
    upper = np.array(own) >= top, np.array(theirs) >= top
    return {
        **{
            f"alpha_{metric}": plain_alpha(own, theirs, metric, levels)
            for metric in ("nominal", "ordinal", "interval")
        },
        "kappa": plain_kappa(own, theirs, None, levels),
        "kappa_linear": plain_kappa(own, theirs, "linear", levels),
        "kappa_quadratic": plain_kappa(own, theirs, "quadratic", levels),
        "accuracy": metrics.accuracy_score(theirs, own),
        "f1_macro": metrics.f1_score(theirs, own, average="macro"),
        "f1_top": metrics.f1_score(upper[1], upper[0], zero_division=np.nan),
        "spearman": rho,
        "gamma": plain_gamma(own, theirs),
        "prevalence": np.minimum(*shares).sum(),
    }


def joint_of(own, theirs, levels):
    joint = np.zeros((levels, levels), dtype=np.int64)
    np.add.at(joint, (own, theirs), 1)
    return joint


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=EXACT, nan_ok=True), name


@pytest.mark.parametrize("levels", [2, 3, 4, 7])
@pytest.mark.parametrize("documents", [1, 2, 3, 30])
def test_criteria_are_those_of_others(levels, documents):
    rng = np.random.default_rng([levels, documents])
    for _ in range(25):
        theirs = rng.integers(levels, size=documents)
        noise = rng.integers(-1, 2, size=documents)
        own = np.clip(theirs + noise, 0, levels - 1)
        same(measured(joint_of(own, theirs, levels)), plain(own, theirs, levels))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_everything_equal_is_undefined_but_accurate(level):
    found = measured(joint_of([level] * 5, [level] * 5, 3))
    known = {name for name, value in found.items() if not np.isnan(value)}
    assert known == {"accuracy", "f1_macro", "prevalence"} | ({"f1_top"} if level else set())
    assert all(found[name] == 1 for name in known)


def test_one_side_constant():
    found = measured(joint_of([1, 1, 1, 1], [0, 1, 2, 1], 3))
    same(found, plain([1, 1, 1, 1], [0, 1, 2, 1], 3))
    assert np.isnan(found["spearman"])
    assert np.isnan(found["gamma"])
    assert found["kappa"] == 0


def test_no_document_has_no_criterion():
    assert all(np.isnan(value) for value in measured(np.zeros((3, 3), dtype=int)).values())


def test_names_are_checked():
    with pytest.raises(ParameterError, match="kapa"):
        criterion_codes(["kapa"])


@pytest.mark.parametrize("values", [range(8), (1, 4, 5), (0, 7)])
@pytest.mark.parametrize("levels", [2, 3, 4, 5])
def test_every_cut_beside_its_labels(levels, values):
    """Cuts between the same values too, whose criteria are found once."""
    rng = np.random.default_rng(levels)
    thresholds, documents = 7, 20
    codes = rng.choice(values, size=documents)
    theirs = np.clip(codes * levels // 8 + rng.integers(-1, 2, size=documents), 0, levels - 1)
    below = np.zeros((thresholds + 2, levels), dtype=np.int64)
    np.add.at(below, (codes + 1, theirs), 1)
    below = below.cumsum(axis=0)
    places = (
        enumerate_cuts(thresholds + 1, levels)
        if levels <= 4
        else np.array([[0, 1, 2, 3], [1, 3, 5, 6], [0, 2, 4, 6]], dtype=np.int16)
    )
    found = of_cuts(places, below, criterion_codes(list(CUT_CRITERIA)))
    for i, cut in enumerate(places):
        own = (codes[:, None] > cut).sum(axis=1)
        same(dict(zip(CUT_CRITERIA, found[:, i], strict=True)), plain(own, theirs, levels))

"""Intervals of strengths from preferences drawn anew: against fitting each draw exactly."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.errors import ParameterError
from regrade.preferences import bootstrap
from regrade.preferences.bootstrap import strength_intervals
from regrade.preferences.document_scores import score_answers
from regrade.preferences.fits import strengths
from regrade.preferences.scores import compared_answers, score_documents
from regrade.randomness import generator
from tests.unit.preferences_frames import preferences, wins


def drawn(seed, documents=8, answers=60, ties=False, topic="1"):
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=documents)
    rows = []
    for _ in range(answers):
        a, b = rng.choice(documents, 2, replace=False)
        strength = -1 if rng.random() < 1 / (1 + np.exp(ability[b] - ability[a])) else 1
        if ties and rng.random() < 0.2:
            strength = 0
        rows.append((f"D{a}", f"D{b}", strength, topic))
    return preferences(*rows)


def exactly(frame, resamples, prior=0.1, seed=0, **options):
    """Each draw fitted by `strengths`, its finite ones with mean 0."""
    compared, pair, share, weight = compared_answers(frame, **options)
    ends = np.empty((2, len(compared.docno)))
    for documents, pairs, first, second in compared.each():
        rows = np.flatnonzero(np.isin(pair, pairs))
        cell = compared.topic[documents[0]], compared.docno[documents[0]]
        lines = generator(seed, "strength-intervals", *cell).integers(
            len(rows), size=(resamples, len(rows)), dtype=np.int32
        )
        place = np.searchsorted(pairs, pair[rows])
        values = []
        for line in lines:
            of = rows[line]
            won = np.bincount(place[line], weight[of] * share[of], len(pairs))
            lost = np.bincount(place[line], weight[of] * (1 - share[of]), len(pairs))
            fit = strengths(len(documents), first, second, won, lost, "bradley-terry", prior)
            values.append(fit.value)
        ends[:, documents] = np.quantile(values, [0.025, 0.975], axis=0)
    return ends


@pytest.mark.parametrize(
    ("frame", "options"),
    [
        (drawn(1), {}),
        (drawn(2, answers=300), {}),
        (drawn(3, ties=True), {"bias": 0.04}),
        (drawn(4), {"even_sides": True}),
        (wins("AB", "BC", "CD"), {}),  # never finite
        (wins("AB", "CD", "DC"), {}),  # two components
        (pd.concat([drawn(5), drawn(6, topic="2")]), {}),
        (wins("AB"), {}),
    ],
)
def test_every_draw_is_fitted_exactly(frame, options):
    made = strength_intervals(frame, 40, **options)
    np.testing.assert_allclose(
        made[["low", "high"]].to_numpy().T, exactly(frame, 40, **options), atol=2e-6
    )


def test_nothing_but_the_draws_counts(monkeypatch):
    frame = pd.concat([drawn(5), drawn(6, topic="2")])
    made = strength_intervals(frame, 50)
    pd.testing.assert_frame_equal(made, strength_intervals(frame, 50, threads=3))
    shuffled = frame.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(made, strength_intervals(shuffled, 50))
    monkeypatch.setattr(bootstrap, "_ROWS", 100)  # line by line
    pd.testing.assert_frame_equal(made, strength_intervals(frame, 50))
    alone = strength_intervals(drawn(6, topic="2"), 50)
    rows = made[made["topic"] == "2"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, rows)
    assert not made.equals(strength_intervals(frame, 50, seed=1))


def test_intervals_are_those_of_many_comparisons():
    """With many answers a percentile interval is that of the curvature."""
    frame = drawn(7, documents=4, answers=3000)
    scores = score_documents(frame, ["bradley-terry"])
    made = strength_intervals(frame, 2000, threads=2)
    width = scores["high"] - scores["low"]
    np.testing.assert_allclose(made["high"] - made["low"], width, rtol=0.08)
    assert ((made["low"] < scores["value"]) & (scores["value"] < made["high"])).all()


def test_scores_take_them():
    frame = drawn(8).assign(
        left_score=np.nan, right_score=np.nan, left_relevant=None, right_relevant=None
    )

    table = pa.Table.from_pandas(frame, preserve_index=False)
    plain = score_answers(table, ["frequency", "bradley-terry"])
    made = score_answers(table, ["frequency", "bradley-terry"], resamples=30, seed=4)
    pd.testing.assert_series_equal(made["value"], plain["value"])
    ends = strength_intervals(frame, 30, seed=4)
    likely = made[made["method"] == "bradley-terry"]
    assert likely["low"].tolist() == ends["low"].tolist()
    assert made.loc[made["method"] == "frequency", "low"].isna().all()


def test_one_resample_is_no_interval():
    with pytest.raises(ParameterError, match="resamples 1"):
        strength_intervals(drawn(1), 1)

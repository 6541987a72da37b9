"""What an object keeps of what it was asked before is of those arguments only.

Of folders of sweeps: `test_api_sweeps.py`; of kernels: `test_kernel_cache.py`; of the workflow:
`tests/workflow/test_accidents.py`.
"""

import itertools

import pandas as pd
import pytest

import regrade

DOCUMENTS = [f"d{n}" for n in range(6)]
MODEL = {str(t): {d: (3 * t + 5 * n) % 11 for n, d in enumerate(DOCUMENTS)} for t in range(5)}
PEOPLE = {t: {d: int(v > 4 + int(t) % 2) for d, v in of.items()} for t, of in MODEL.items()}
ASKED = {
    "as it is": {},
    "another number of draws": {"resamples": 7},
    "another seed": {"seed": 2},
    "by another method": {"methods": ["d2_at"]},
}


def found():
    return regrade.find_cuts(MODEL, 2, PEOPLE)


def asked(cuts, how):
    return cuts.intervals(**{"resamples": 5, "seed": 1} | ASKED[how])


@pytest.mark.parametrize(("first", "then"), [*itertools.permutations(ASKED, 2)])
def test_a_search_keeps_draws_by_how_they_were_drawn(first, then):
    cuts = found()
    asked(cuts, first)
    pd.testing.assert_frame_equal(asked(cuts, then), asked(found(), then))


def test_a_cut_of_each_topic_is_held_out_by_seed():
    cuts = found()
    for seed, per_topic in ((1, True), (2, True), (1, False), (2, False)):
        said = cuts.answer(resamples=5, seed=seed, per_topic=per_topic)
        anew = found().answer(resamples=5, seed=seed, per_topic=per_topic)
        assert str(said) == str(anew)


def test_labels_of_a_model_that_has_changed_are_cut_anew():
    """A dict that its owner changes between two calls is read again."""
    model = {t: dict(of) for t, of in MODEL.items()}
    before = regrade.find_cuts(model, 2, PEOPLE).to_frame()
    for of in model.values():
        of.update({d: 10 - v for d, v in of.items()})
    after = regrade.find_cuts(model, 2, PEOPLE).to_frame()
    assert not before.equals(after)
    pd.testing.assert_frame_equal(before, found().to_frame())

"""Quick figures: what is drawn where, and what axes and names say."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.api.plots import draw_comparison
from tests.snapshots import assert_said
from tests.unit.figure_checks import described

TOPICS = ("1", "2", "3")
QRELS = {t: {"a": 1, "b": 0, "c": 0} for t in TOPICS}


def run(order):
    return {t: {d: -float(place) for place, d in enumerate(order)} for t in TOPICS}


def preferences():
    """Answers of which most are in the order of the letters."""
    rng = np.random.default_rng(1)
    rows = [("1", *(pair if rng.random() < 0.7 else pair[::-1])) for pair in ["ab", "bc"] * 30]
    return pd.DataFrame(rows, columns=["topic", "winner", "loser"])


def cuts_into(levels):
    values = {str(t): {f"d{i}": float(i + (t + i) % 3) for i in range(9)} for t in range(4)}
    people = {t: {d: min(int(v // 4), levels - 1) for d, v in of.items()}
              for t, of in values.items()}  # fmt: skip
    return regrade.find_cuts(values, levels, people)


def pooled():
    runs = {"x": {t: dict(zip("abcd"[: n + 2], range(9, 0, -1), strict=False))
                  for n, t in enumerate(TOPICS)}}  # fmt: skip
    return regrade.pool(runs, 3)


PLOTTED = {
    "scores": lambda: regrade.score(QRELS, {"x": run("abc"), "y": run("bca")}, "RR P@1"),
    "documents with intervals": lambda: regrade.fit_scores(preferences()),
    "documents without": lambda: regrade.fit_scores(preferences(), "copeland"),
    "a pool": pooled,
    "cuts into two levels": lambda: cuts_into(2),
    "cuts into three levels": lambda: cuts_into(3),
}


def test_what_is_drawn():
    """By the first measure; of each threshold the best cut, and the one that is recommended."""
    said = ((name,) for name in PLOTTED)
    assert_said("plots", lambda name: described(PLOTTED[name]().plot()), said)
    with pytest.raises(regrade.RegradeError, match="unknown topic '9'; there is 1"):
        PLOTTED["documents without"]().plot(topic=9)


@pytest.mark.parametrize(("count", "most"), [(1, 1), (79, 79), (80, 80), (81, 41), (159, 80)])
def test_no_more_names_are_written_than_fit(count, most):
    runs = {f"s{n:03}": {"1": {"a": 1.0, "b": 0.5}} for n in range(count)}
    figure = regrade.score({"1": {"a": 1}}, runs, "AP").plot()
    (axes,) = figure.axes
    labels = axes.get_yticklabels()
    assert len(labels) == most
    assert len(axes.lines[0].get_xdata()) == count
    assert figure.get_figheight() <= 9
    if count > 10:  # what is written takes no more than there is, a line's height each
        height = axes.get_window_extent().height / figure.dpi * 72
        assert len(labels) * labels[0].get_fontsize() < height


def test_figures_of_systems_need_runs_and_rows():
    other = {t: {"a": 0, "b": 1, "c": 1} for t in TOPICS}
    how = {"resamples": 5, "splits": 5}
    found = regrade.compare(QRELS, other, {"x": run("abc"), "y": run("bca")}, "AP", **how)
    assert found.plot("ranks").axes
    with pytest.raises(regrade.RegradeError, match="'pairs' shows systems, and no runs were given"):
        draw_comparison(regrade.compare(QRELS, other), "pairs")
    with pytest.raises(regrade.RegradeError, match="there is nothing to draw"):
        regrade.rank(QRELS, {"x": run("abc")}, "AP", draws=100).plot("pairs")

"""Quick figures: what is drawn where, and what axes and names say."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import regrade
from regrade.api.plots import draw_comparison

TOPICS = ("1", "2", "3")
QRELS = {t: {"a": 1, "b": 0, "c": 0} for t in TOPICS}


def run(order):
    return {t: {d: -float(place) for place, d in enumerate(order)} for t in TOPICS}


def dots(figure):
    """Of the only axes: the number at each name, from top to bottom."""
    (axes,) = figure.axes
    (line,) = axes.lines
    names = [label.get_text() for label in axes.get_yticklabels()]
    found = dict(zip(line.get_ydata(), line.get_xdata(), strict=True))
    places = sorted(found, key=lambda y: -axes.transData.transform((0, y))[1])
    return dict(zip(names, [float(found[place]) for place in places], strict=False)), axes


def test_scores_are_drawn_by_the_first_measure():
    found = regrade.score(QRELS, {"x": run("abc"), "y": run("bca")}, "RR P@1")
    drawn, axes = dots(found.plot())
    assert drawn == {"x": 1.0, "y": pytest.approx(1 / 3)}
    assert axes.get_xlabel() == "RR"


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


def test_documents_have_their_intervals_or_none():
    rng = np.random.default_rng(1)
    rows = [("1", *(("a", "b") if rng.random() < 0.7 else ("b", "a"))) for _ in range(30)]
    rows += [("1", *(("b", "c") if rng.random() < 0.7 else ("c", "b"))) for _ in range(30)]
    answers = pd.DataFrame(rows, columns=["topic", "winner", "loser"])
    fitted = regrade.fit_scores(answers)
    drawn, axes = dots(fitted.plot())
    table = fitted.to_frame().set_index("docno")
    assert drawn == table["value"].sort_values(ascending=False).to_dict()
    ends = [segment[:, 0].tolist() for held in axes.collections for segment in held.get_segments()]
    ranked = table.loc[list(drawn)]
    known = ranked[ranked["low"].notna()]
    if len(known):
        assert [one for one in ends if not np.isnan(one).any()] == known[
            ["low", "high"]
        ].values.tolist()
        assert (known["low"] < known["high"]).all()
    _, axes = dots(regrade.fit_scores(answers, "copeland").plot())
    assert not axes.collections
    assert axes.get_xlabel() == "copeland, topic 1"
    with pytest.raises(regrade.RegradeError, match="unknown topic '9'; there is 1"):
        fitted.plot(topic=9)


def test_a_pool_has_a_bar_for_each_topic():
    runs = {"x": {t: dict(zip("abcd"[: n + 2], range(9, 0, -1), strict=False))
                  for n, t in enumerate(TOPICS)}}  # fmt: skip
    figure = regrade.pool(runs, 3).plot()
    (axes,) = figure.axes
    assert [bar.get_height() for bar in axes.patches] == [2, 3, 3]
    assert [label.get_text() for label in axes.get_xticklabels()] == [*TOPICS]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("topic", "documents pooled")


@pytest.mark.parametrize("levels", [2, 3])
def test_cuts_show_the_best_of_each_threshold_and_the_one_that_was_found(levels):
    values = {str(t): {f"d{i}": float(i + (t + i) % 3) for i in range(9)} for t in range(4)}
    people = {t: {d: min(int(v // 4), levels - 1) for d, v in of.items()}
              for t, of in values.items()}  # fmt: skip
    cuts = regrade.find_cuts(values, levels, people)
    figure = cuts.plot()
    panels = [axes for axes in figure.axes if axes.lines]
    assert len(panels) == levels - 1
    found = cuts.searches["d2_at"]
    for index, axes in enumerate(panels):
        curve, line = axes.lines
        for threshold, best in zip(curve.get_xdata(), curve.get_ydata(), strict=True):
            held = found.single[found.cuts[:, index] == threshold]
            assert best == pytest.approx(np.nanmax(held))
        assert set(curve.get_xdata()) == set(found.cuts[:, index])
        assert list(line.get_xdata()) == [cuts.best.thresholds[index]] * 2
    texts = " ".join(text.get_text() for text in figure.findobj(Text))
    numbers = [str(n + 1) for n in range(levels - 1)] if levels > 2 else []
    assert re.findall(r"threshold (\d)", texts) == numbers


def test_figures_of_systems_need_runs_and_rows():
    other = {t: {"a": 0, "b": 1, "c": 1} for t in TOPICS}
    how = {"resamples": 5, "splits": 5}
    found = regrade.compare(QRELS, other, {"x": run("abc"), "y": run("bca")}, "AP", **how)
    assert found.plot("ranks").axes
    with pytest.raises(regrade.RegradeError, match="'pairs' shows systems, and no runs were given"):
        draw_comparison(regrade.compare(QRELS, other), "pairs")
    with pytest.raises(regrade.RegradeError, match="there is nothing to draw"):
        regrade.rank(QRELS, {"x": run("abc")}, "AP", draws=100).plot("pairs")

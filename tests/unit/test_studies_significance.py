"""What is shown of pairs of systems under whole sets of judgments."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from matplotlib.text import Text

from regrade.errors import ParameterError
from regrade.scoring import Scores
from regrade.show import style
from regrade.significance.discrimination import compare_under, ratios_by_pairs, significance_curve
from regrade.significance.figures import figure_significance
from regrade.significance.tables import table_significance


def scores(seed, systems=5, topics=12):
    rng = np.random.default_rng(seed)
    values = rng.random((systems, topics)) + np.arange(systems)[:, None] * 0.3
    rows = [
        ("AP", f"s{s}", f"{t}", values[s, t]) for s in range(systems) for t in range(topics)
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["measure", "system", "topic", "value"])
    table["residual"] = np.nan
    return Scores.from_table(pa.Table.from_pandas(table, preserve_index=False))


@pytest.fixture(scope="module")
def pairs():
    return compare_under({"NIST": scores(1), "model": scores(2)}, "t", correction="none")


def test_a_column_for_each_set(pairs):
    groups = {"s0": "a", "s1": "a", "s2": "b", "s3": "b", "s4": "c"}
    ratios = ratios_by_pairs(pairs, groups, significance=0.05)
    tidy, readable = table_significance(ratios)
    found = tidy.set_index(["pairs", "qrels"])
    for name in ("NIST", "model"):
        under = pairs[pairs["qrels"] == name]
        assert found.loc[("all", name), "n_pairs"] == 10
        significant = (under["p_adjusted"] < 0.05).sum()
        assert found.loc[("all", name), "ours"] == pytest.approx(10 * significant)
        assert f"{10 * significant:.1f}" in set(readable[name])
    assert list(readable["number"].astype(int)) == [10, 8]


def test_a_panel_for_each_set(pairs, tmp_path):
    figure = figure_significance(significance_curve(pairs), significance=0.1)
    said = " ".join(text.get_text() for text in figure.findobj(Text))
    assert "NIST, paired t" in said and "model, paired t" in said and "10 pairs" in said
    lines = figure.axes[0].lines
    assert lines[0].get_ydata()[0] == 0.1
    level = np.sort(pairs["p"][pairs["qrels"] == "NIST"])[::-1]
    assert lines[1].get_ydata() == pytest.approx(level.clip(min=1e-3))
    style.save(figure, tmp_path / "figure.svg", notes="Simulated.")


def test_without_pairs_there_is_nothing_to_draw(pairs):
    with pytest.raises(ParameterError, match="no rows"):
        figure_significance(significance_curve(pairs.iloc[:0]), significance=0.05)

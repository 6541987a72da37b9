"""Tables and figures of fewer pairs: every row of a stage's table stands in them, as it is."""

import itertools

import numpy as np
import pandas as pd
import pytest

from regrade.catalogue import columns_of
from regrade.choices import PAIR_POLICIES
from regrade.errors import ParameterError
from regrade.show import style
from regrade.studies.items import schema_key
from regrade.studies.yang2019 import budgets_figures as figures
from regrade.studies.yang2019 import tables
from regrade.studies.yang2019.items import BUDGETS, YANG2019
from tests.snapshots import assert_said
from tests.unit.figure_checks import described, table_lines

TABLES = [item.name for item in BUDGETS if item.name.startswith("table")]
FIGURES = [item.name for item in BUDGETS if item.name.startswith("figure")]
RANKED = [
    ("documents", None, "tau_b"), ("documents", None, "overlap"),
    ("systems", "nDCG@10", "tau_b"), ("systems", "nDCG@10", "tau_ap"),
]  # fmt: skip


def frame(key, rows):
    """A table of a stage, its last columns drawn at random between 0 and 1 where rows end."""
    rng = np.random.default_rng(len(rows))
    names = columns_of(key)
    filled = [(*row, *rng.random(len(names) - len(row))) for row in rows]
    return pd.DataFrame(filled, columns=names)


def subsets(shares=(0.0, 0.5), repeats=20):
    rows = []
    for draw, share, method in itertools.product(
        ("random", "connected"), shares, ("frequency", "bradley-terry")
    ):
        for ranked, measure, coefficient in RANKED:
            if coefficient == "overlap":
                continue
            for reference in ["all answers"] + ["NIST"] * (ranked == "systems"):
                mean = np.nan if ranked == "documents" and share == 0 else 0.5 + share / 4
                ends = (mean, mean - 0.1, mean, mean + 0.1)
                rows.append((draw, share, 100 * share, share, 1.0, 0.0, method, ranked, measure,
                             coefficient, reference, 3, repeats, *ends))  # fmt: skip
    return frame("pair-budgets/subsets", rows)


def needed():
    rows = [
        (draw, method, ranked, measure, coefficient, target, 0.95,
         *((np.nan,) * 3 if target == 0.95 else (0.25, 75.4, 1.257)))
        for draw in ("random", "connected")
        for method in ("frequency", "bradley-terry")
        for ranked, measure, coefficient in RANKED
        if coefficient != "overlap"
        for target in (0.9, 0.95)
    ]  # fmt: skip
    return frame("pair-budgets/needed", rows)


def policies(names=PAIR_POLICIES):
    rows = []
    for policy, per_document in itertools.product(names, (0.5, 1.0)):
        for ranked, measure, coefficient in RANKED:
            resampled = "topics" if ranked == "documents" else "replays"
            less = 0.0 if policy == "random" else 0.1
            rows.append((policy, per_document, 10.0, ranked, measure, coefficient, "all answers",
                         3, resampled, 0.5, 0.4, 0.6, less, less - 0.05, less + 0.05))  # fmt: skip
    return frame("pair-budgets/policies", rows)


def stopping():
    rows = [
        ("tau", 0.7, 0.5, 3, 2, 0.25, 0.6, 0.9, 1.0, 0.7),
        ("tau", 0.7, 0.9, 3, 0, 0.0, np.nan, np.nan, np.nan, 0.7),
    ]
    return frame("pair-budgets/stopping", rows)


def coverage(spreads=(1.5,), stopped=50):
    rows = [
        (world, spread, assumed, policy, rule, top, target, confidence, 60, stopped, 4.0,
         round(stopped * confidence), confidence, confidence - 0.1, min(confidence + 0.1, 1), 0.8)
        for world in ("normal", "careless")
        for spread in spreads
        for assumed in (1.5, np.nan)
        for policy in ("random", "information")
        for rule, top, target in (("tau", None, 0.7), ("top", 5, 0.8))
        for confidence in (0.5, 0.9)
    ]  # fmt: skip
    return frame("pair-worlds/coverage", rows)


def transitivity():
    rows = []
    for scope, judge in itertools.product(("own", "common"), ("people", "model")):
        for quantity in ("cycles", "feedback") if scope == "common" else ("cycles", "weak"):
            base = (np.nan,) * 7
            if quantity != "feedback":
                base = (0.25, 0.2, 0.3, 0.15, 0.1, 0.2, 0.01)
            rows.append((scope, judge, quantity, 3, 200, 20, 0.1, 0.05, 0.15, -0.1, -0.2, 0.0,
                         *base, 1 if quantity == "feedback" else 0))  # fmt: skip
    return frame("pair-budgets/transitivity", rows)


GIVEN = {
    "pair-budgets/subsets": subsets,
    "pair-budgets/needed": needed,
    "pair-budgets/policies": policies,
    "pair-budgets/stopping": stopping,
    "pair-worlds/coverage": coverage,
    "pair-budgets/transitivity": transitivity,
}


def given(name):
    """The table that an item shows."""
    (path,) = YANG2019.by_name[name].shows
    return GIVEN[schema_key(path)]()


def made(name, *args):
    return getattr(tables, name.replace("-", "_"))(*args)


def title(axes):
    """All that stands above a panel."""
    return " ".join([axes.get_title(loc="left"), *(text.get_text() for text in axes.texts)])


def drawn(name, *args):
    return getattr(figures, name.replace("-", "_"))(*args)


# --- tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_every_row_and_quantity_stands_in_the_table_once(name):
    source = given(name)
    tidy, shown = made(name, source)
    keys = list(YANG2019.by_name[name].keys)
    assert list(tidy.columns) == [*keys, "published", "ours"]
    assert not tidy[keys].duplicated().any()
    quantities = tidy["quantity"].unique()
    assert len(tidy) == len(source) * len(quantities)
    assert set(quantities) <= set(source.columns) | {"count"}
    for quantity, some in tidy.groupby("quantity"):
        values = pd.to_numeric(some["ours"]).to_numpy(dtype=float)
        expected = source[quantity].to_numpy(dtype=float)
        np.testing.assert_allclose(np.sort(values), np.sort(expected))
    assert len(shown) == len(source)


# --- figures --------------------------------------------------------------------------------------


def test_what_is_shown():
    def say(name):
        if name in TABLES:
            return table_lines(made(name, given(name))[1])
        return described(drawn(name, given(name)))

    assert_said("shown-yang2019-budgets", say, ((name,) for name in TABLES + FIGURES))


@pytest.mark.parametrize("name", FIGURES)
def test_figures_fit_the_page_and_have_the_same_bytes_again(tmp_path, name):
    paths = [tmp_path / f"{number}.svg" for number in (1, 2)]
    for path in paths:
        figure = drawn(name, given(name))
        assert figure.get_figwidth() <= style.DOUBLE_COLUMN
        style.save(figure, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("name", FIGURES)
def test_a_table_without_rows_is_refused(name):
    with pytest.raises(ParameterError, match="no rows"):
        drawn(name, given(name).iloc[:0])


def test_a_policy_looks_alike_whichever_others_are_there():
    def colours(names):
        figure = figures.figure_policies(policies(names))
        handles = figure.legends[0].legend_handles
        return {handle.get_label(): handle.get_color() for handle in handles}

    every, some = colours(PAIR_POLICIES), colours(("random", "information", "tournament"))
    assert set(every) == set(PAIR_POLICIES)
    assert list(some) == ["random", "information", "tournament"]
    assert all(every[name] == colour for name, colour in some.items())


def test_stopping_is_drawn_of_pairs_at_random_and_most_best_documents():
    table = coverage()
    more = table[table["rule"] == "top"].assign(top=10)
    figure = figures.figure_stopping(pd.concat([table, more], ignore_index=True))
    assert sum("top 10" in title(axes) for axes in figure.axes) == 2
    assert not any("top 5" in title(axes) for axes in figure.axes)
    alone = figures.figure_stopping(table[table["policy"] == "information"])
    assert len(alone.axes) == 4


def test_shares_of_few_worlds_are_not_drawn():
    for stopped, lines in ((50, 2), (9, 0)):
        axes = figures.figure_stopping(coverage(stopped=stopped)).axes[0]
        shown = [c for c in axes.containers if len(c.lines[0].get_xdata())]
        assert len(shown) == lines

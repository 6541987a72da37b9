"""Figures of fewer pairs: subsets, policies, when to stop, judges' cycles; of some partitions.

Those of partitions of the answers are of yang2019, chapter 5; the others go past the thesis, and
show tables of the stages ``pair_budgets`` and ``pair_worlds``.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from regrade.choices import PAIR_POLICIES
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import mean_boxes
from regrade.show.item_tables import Frame
from regrade.show.panels import panel_grid, require, rows_by
from regrade.show.published import as_text, text
from regrade.show.style import mark
from regrade.wording import counted

COEFFICIENTS = {"tau_b": r"$\tau_b$", "tau_ap": r"$\tau_{ap}$", "overlap": "overlap of the best"}
KINDS = {"random": "at random", "fitted": "with an order (fitted)"}
FEWEST = 10
"""Worlds of which a share is drawn."""
_LINE = {"ms": 3.0, "lw": 1.0}
_ALL = "all answers"


@style.themed
def figure_subsets(subsets: Frame) -> Figure:
    """Draw means and the middle of subsets against the share of pairs, a line for each method.

    A panel for what is ranked, measure, coefficient and draw; dashed for labels.
    """
    subsets = _as_text(subsets)
    looks = style.looks(list(dict.fromkeys(subsets["method"])))
    panels = rows_by(subsets, ["ranked", "measure", "coefficient", "draw"])
    grid = panel_grid(panels, 10, pitch=10, height=1.8, share="x")
    for panel, ((ranked, measure, coefficient, draw), some) in grid:
        axes = panel.axes
        for (method, reference), line in some.groupby(["method", "reference"], sort=False):
            is_all = reference == _ALL
            look = looks[method] | {"ls": "-" if is_all else "--"} | _LINE
            axes.plot(line["share"], line["mean"], **look, alpha=1.0 if is_all else 0.7)
            if is_all:
                ends = line["low"].astype(float), line["high"].astype(float)
                axes.fill_between(line["share"], *ends, color=look["color"], alpha=0.25, lw=0)
        axes.set_xlim(-0.04, 1.04)
        title, count = (
            _title(ranked, measure, draw),
            f"{some['repeats'].max()} subsets of each size",
        )
        panel.finish(title, count, "share of pairs", COEFFICIENTS[coefficient])
    handles = style.marks(looks, **_LINE)
    others = [name for name in dict.fromkeys(subsets["reference"]) if name != _ALL]
    if others:
        handles.append(mark("with the ranking by all", color=style.GREY, ls="-"))
        handles.append(mark(f"with that of {', '.join(others)}", color=style.GREY, ls="--"))
    return grid.with_legend(handles)


@style.themed
def figure_policies(policies: Frame) -> Figure:
    """Draw each policy's values, and differences from random, against questions per document.

    Left what is reached, right the difference from ``random`` with its 95 % interval; a row for
    each ranking, against the ranking by all answers.
    """
    policies = _as_text(policies)
    policies = policies[policies["reference"] == _ALL]
    panels = rows_by(policies, ["ranked", "measure", "coefficient"])
    looks = style.looks(PAIR_POLICIES)
    chosen = [policy for policy in PAIR_POLICIES if (policies["policy"] == policy).any()]
    contents = [(*panel, is_difference) for panel in panels for is_difference in (False, True)]
    grid = panel_grid(contents, 10, pitch=14, height=1.8, columns=2, share="x")
    for panel, ((ranked, measure, coefficient), some, is_difference) in grid:
        axes = panel.axes
        what = "the best documents" if coefficient == "overlap" else ranked
        for policy, line in some.groupby("policy", sort=False):
            place, look = line["per_document"], looks[policy]
            if not is_difference:
                axes.plot(place, line["value"].astype(float), **look, **_LINE)
            elif policy != "random":
                columns = ["difference", "difference_low", "difference_high"]
                difference, *ends = line[columns].astype(float).to_numpy().T
                aside = (chosen.index(policy) - len(chosen) / 2) * 0.03
                _with_errors(axes, place + aside, difference, np.abs(ends - difference), look)
        y, title = COEFFICIENTS[coefficient], _title(what, measure, "minus random" * is_difference)
        count = counted(some["n"].max(), "topic")
        if is_difference:
            axes.axhline(0, color=style.GREY, lw=0.8, ls="--", zorder=0)
            y, count = "difference", f"95 % over {some['resampled'].iloc[0]}"
        panel.finish(title, count, "questions per document", y)
    return grid.with_legend(style.marks({policy: looks[policy] for policy in chosen}, **_LINE))


@style.themed
def figure_stopping(coverage: Frame) -> Figure:
    """Draw the share of true statements against the promised confidence, with 95 % intervals.

    A panel for each kind of world and rule; a line for each spread that the rule assumes.  Of pairs
    at random, if there are some, and of the largest number of best documents: the table has the
    others.  Shares of less than `FEWEST` worlds in which the rule stopped are not drawn.
    """
    if (coverage["policy"] == "random").any():
        coverage = coverage[coverage["policy"] == "random"]
    coverage = coverage[coverage["top"].isna() | (coverage["top"] == coverage["top"].max())]
    assumed = [text(spread, "g") or "estimated" for spread in coverage["assumed"].astype(float)]
    coverage = _as_text(coverage).assign(assumed=assumed)
    tops = ["" if pd.isna(top) else f" {top:g}" for top in coverage["top"]]
    coverage["rule"] = [f"{rule}{top}" for rule, top in zip(coverage["rule"], tops, strict=True)]
    keys = ["world", "spread", "rule"]
    order = {key: list(coverage[key].unique()) for key in keys}
    panels = sorted(
        rows_by(coverage, keys),
        key=lambda panel: [order[key].index(v) for key, v in zip(keys, panel[0], strict=True)],
    )
    looks = style.looks(list(dict.fromkeys(coverage["assumed"])))
    made = [f"{spread:g}" for spread in order["spread"]]
    low = coverage["confidence"].min()
    grid = panel_grid(panels, 8, pitch=10, height=1.7, columns=len(order["rule"]))
    for panel, ((world, spread, rule), some) in grid:
        axes = panel.axes
        axes.plot([low, 1], [low, 1], color=style.GREY, lw=0.8, ls="--", zorder=0)
        for place, (name, line) in enumerate(some.groupby("assumed", sort=False)):
            line = line[line["stopped"] >= FEWEST]
            confidence = line["confidence"] + (place - 1) * 0.006
            share, *ends = line[["share", "low", "high"]].astype(float).to_numpy().T
            errors = np.maximum([share - ends[0], ends[1] - share], 0)
            _with_errors(axes, confidence, share, errors, looks[name])
        axes.set_ylim(-0.03, 1.03)
        what = r"$\tau$" if rule == "tau" else rule
        of = f"spread {spread:g}" if len(made) > 1 else f"{some['worlds'].max()} worlds"
        count = f"{what} ≥ {some['target'].iloc[0]:g}, {of}"
        y = "share of simulations with\na true statement"
        panel.finish(world, count, "nominal confidence", y, bare="")
    title = f"spread assumed by the rule; true spread {' or '.join(made)}"
    return grid.with_legend(style.marks(looks, **_LINE), title=title)


@style.themed
def figure_intransitivity(transitivity: Frame) -> Figure:
    """Draw shares that are violated with 95 % intervals, and beside them the baselines' ranges.

    A panel for each scope and quantity; a place for each judge.
    """
    known = _as_text(transitivity[transitivity["share"].notna()])
    judges = list(dict.fromkeys(known["judge"].astype(str)))
    colors = dict(zip(KINDS, (style.LIGHT_GREY, style.tint(style.CUT_COLORS[1])), strict=True))
    panels = rows_by(known, ["scope", "quantity"])
    units = {name: "pairs" if name == "feedback" else "triples" for name in known["quantity"]}
    share = f"share of {' or '.join(dict.fromkeys(units.values()))}\nthat are violated"
    grid = panel_grid(panels, 4 * len(judges), pitch=10, height=1.7, share="x")
    for panel, ((scope, quantity), some) in grid:
        axes = panel.axes
        for row in some.itertuples():
            place = judges.index(str(row.judge))
            for side, kind in enumerate(KINDS):
                ends = [float(getattr(row, f"{kind}_{end}")) for end in ("low", "high")]
                if not np.isnan(ends).any():
                    at = place + 0.18 * side  # thin ones are a line
                    axes.vlines(at, *ends, color=colors[kind], lw=6, zorder=1)
                    axes.hlines(ends, at - 0.07, at + 0.07, color=style.GREY, lw=0.5, zorder=2)
            errors = np.array([[row.share - row.low], [row.high - row.share]], dtype=float)
            look = {"color": style.CUT_COLORS[0], "marker": "o", "ms": 4, "lw": 0}
            at = [place - 0.18], [row.share]
            axes.errorbar(*at, np.maximum(errors, 0), **look, elinewidth=1)
        axes.set_xlim(-0.5, len(judges) - 0.5)
        axes.set_ylim(0)
        style.label_positions(axes, judges, range(len(judges)), 4 * grid.pitch)
        counts = dict.fromkeys(f"{int(n):,}" for n in some["n"])
        count = f"{' and '.join(counts)} {units[quantity]}"
        panel.finish(f"{quantity}, {scope}", count, y=share, outer="y", bare="")
    point = mark("the judge", color=style.CUT_COLORS[0], marker="o", ms=4, lw=1)
    bands = [Patch(fc=colors[kind], label=name) for kind, name in KINDS.items()]
    return grid.with_legend([point, *bands])


def _with_errors(axes: Axes, x: pd.Series, y: np.ndarray, errors: np.ndarray, look: dict) -> None:
    axes.errorbar(x, y, errors, **look, ms=2.5, lw=0.8, elinewidth=0.6)


def _as_text(table: Frame) -> Frame:
    """Names as text, empty where there is none."""
    require(table)
    is_number = pd.api.types.is_numeric_dtype
    return as_text(table, [column for column in table if not is_number(table[column])])


def _title(*parts: str) -> str:
    return ", ".join(filter(None, parts))


# --- some of the partitions of the answers ------------------------------------------------------


@style.themed
def figure_5_16(topics: Frame) -> Figure:
    """Draw Krippendorff's α of scores from draws of partitions."""
    return _partition_lines(topics, "alpha", style.ALPHA_LABEL)


@style.themed
def figure_5_17(topics: Frame) -> Figure:
    """Draw the mean τ_b of scores from some partitions and from all."""
    return _partition_lines(topics, "tau", f"mean {style.TAU_LABEL} to all")


def _partition_lines(topics: Frame, column: str, label: str) -> Figure:
    """A panel for each method, a line for each topic, those with most documents first."""
    documents = topics.groupby("topic", observed=True)["documents"].max()
    documents = documents.sort_values(ascending=False, kind="stable")
    looks = style.looks([str(topic) for topic in documents.index])
    grid = panel_grid(list(topics["method"].unique()), 6, pitch=20, height=2.5)
    for panel, method in grid:
        axes, some = panel.axes, topics[topics["method"] == method]
        for topic in documents.index:
            line = some[some["topic"] == topic].sort_values("partitions")
            values = line[column].astype(float)
            axes.plot(line["partitions"], values, **_THIN, **looks[str(topic)])
        axes.set_xticks(sorted(some["partitions"].unique()))
        draws = f"{some['draws'].max()} draws"
        panel.finish(str(method), draws, "partitions drawn", label, grid="xy")
    named = {f"{topic} ({count})": looks[str(topic)] for topic, count in documents.items()}
    return grid.with_legend(style.marks(named, **_THIN), title="topic (documents)")


_THIN = {"ms": 3.0, "lw": 0.8}


@style.themed
def figure_5_20(taus: Frame) -> Figure:
    """Draw τ_b of p-values of pairs of systems under two methods, by partitions drawn."""
    if not len(taus):
        raise ParameterError("there are no two methods to compare: leave figure-5.20 out")
    pairs = list(dict.fromkeys(zip(taus["first"], taus["second"], strict=True)))
    counts = _counts(taus)
    figure, axes = style.new_axes(style.DOUBLE_COLUMN, 2.9)
    looks = style.looks([" and ".join(pair) for pair in pairs])
    for number, ((first, second), look) in enumerate(zip(pairs, looks.values(), strict=True)):
        some = taus[(taus["first"] == first) & (taus["second"] == second)]
        groups = [some[some["partitions"] == count]["tau"].dropna() for count in counts]
        places = np.arange(len(counts)) + (number - (len(pairs) - 1) / 2) * 0.25
        mean_boxes(axes, groups, places, 0.2, look["color"])
        means = [group.mean() if len(group) else np.nan for group in groups]
        axes.plot(places, means, color=look["color"], lw=0.9, ls=look["ls"])
    axes.set_xticks(range(len(counts)), [str(count or "all") for count in counts])
    axes.set_xlabel("partitions drawn")
    axes.set_ylabel(f"{style.TAU_LABEL} of p-values")
    axes.grid(axis="y")
    [measure] = taus["measure"].unique()
    axes.set_title(f"{measure}, {counted(int(taus['draw'].max()), 'draw')}")
    handles = [mark(name, color=look["color"], ls=look["ls"]) for name, look in looks.items()]
    return style.legend(figure, handles)


@style.themed
def figure_5_21(systems: Frame) -> Figure:
    """Draw the scores of systems from draws of partitions, a line from lowest to highest each.

    Systems stand in the order of their scores under the first method and all partitions.
    """
    methods = list(systems["method"].unique())
    full = systems[(systems["method"] == methods[0]) & (systems["partitions"] == 0)]
    order = full.sort_values("score", ascending=False, kind="stable")["system"].tolist()
    looks = style.looks(methods)
    grid = panel_grid(_counts(systems), 12, pitch=10, height=1.7, columns=2)
    for panel, count in grid:
        some = systems[systems["partitions"] == count]
        for number, method in enumerate(methods):
            scores = some[some["method"] == method].groupby("system", observed=True)["score"]
            low, middle, high = (scores.agg(end).reindex(order) for end in ("min", "median", "max"))
            places = np.arange(1, len(order) + 1) + (number - (len(methods) - 1) / 2) * 0.3
            color = looks[method]["color"]
            panel.axes.vlines(places, low, high, color, lw=0.7)
            style.dots(panel.axes, places, middle, order, color=color, ms=1.6)
        name = "all partitions" if count == 0 else counted(count, "partition")
        x = f"system, by its {methods[0]} score from all partitions"
        y = f"mean {some['measure'].iloc[0]}"
        panel.finish(name, counted(int(some["draw"].max()), "draw"), x, y)
    colors = {method: {"color": look["color"]} for method, look in looks.items()}
    return grid.with_legend(style.marks(colors, lw=1.5))


def _counts(table: Frame) -> list[int]:
    """Numbers of partitions, all of them (0) last."""
    return sorted(table["partitions"].unique(), key=lambda count: (count == 0, count))

"""The figures of yang2019, chapter 5: documents, systems, p-values, workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from regrade.catalogue import ALL_TOPICS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import mean_boxes
from regrade.show.item_tables import Frame, Names
from regrade.show.panels import panel_grid
from regrade.show.style import mark
from regrade.wording import counted

QUESTIONS = ("frequency", "absolute", "ratio")
"""Scores of the thesis's three questions."""

METHODS = (*QUESTIONS, "borda", "copeland", "strength", "bradley-terry", "thurstone", "random")
"""Names that are no references."""

USUAL = ("frequency", "copeland", "bradley-terry")
"""Methods that are shown where none are named and only the first question was asked."""

UNMAPPED = "none"
UNLABELLED = "no label"

TOPICS = 9
"""Topics that are shown where none are named: those with the most documents or answers."""

MOST_LABELS = 12
"""Different labels up to which there is a box for each."""

P_FLOOR = 1e-3
"""p-values below this are drawn at it."""

P_ENDS = (P_FLOOR / 1.3, 1.3)
"""Where the axes of p-values end."""

GOLDEN = 0.618034
"""The golden ratio, whose multiples spread evenly however many there are."""

BLUE, ORANGE, GREEN, PINK, _, RED, _ = style.CUT_COLORS
DOT = {"marker": "o", "ls": "", "ms": 1.6, "mew": 0, "alpha": 0.5, "rasterized": True}


# --- documents ----------------------------------------------------------------------------------


@style.themed
def figure_5_5(documents: Frame, *, labels: Names = None) -> Figure:
    """Draw the scores of documents by their labels: a box each, beside its documents."""
    panels = _reference_panels(documents, labels)
    panels = [(key, some) for key, some in panels if some["grade"].nunique() <= MOST_LABELS]
    if not panels:
        raise ParameterError("no reference has so few labels that each can have a box")
    most = max(some["grade"].nunique() + 1 for _, some in panels)
    grid = panel_grid(panels, most, pitch=24, height=1.9, share="")
    for panel, ((reference, method), some) in grid:
        groups = _by_label(some)
        _boxes_and_dots(panel.axes, [part["value"].dropna() for part in groups.values()])
        names = [f"{name}\n{len(part):,}" for name, part in groups.items()]
        panel.axes.set_xticks(range(len(groups)), names)
        x, count = f"label in {reference}; documents below", counted(len(some), "document")
        panel.finish(f"{method}, {reference}", count, x, f"{method} score")
    return grid.figure


@style.themed
def figure_5_6(scores: Frame, *, labels: Names = None, topics: Names = None) -> Figure:
    """Draw the scores of each topic's documents from the highest down, by method.

    Scores below 0 or above 1 are drawn from the topic's lowest to its highest.
    """
    methods = _chosen(scores["method"], labels)
    looks = {method: look | {"marker": ""} for method, look in style.looks(methods).items()}
    if topics is None:
        counts = scores.groupby("topic", observed=True)["docno"].nunique()
        topics = sorted(counts.nlargest(TOPICS).index.astype(str))
    grid = panel_grid([str(topic) for topic in topics], 12, pitch=10, height=1.5, share="y")
    for panel, topic in grid:
        some = scores[scores["topic"] == topic]
        for method in methods:
            value = np.sort(some[some["method"] == method]["value"].dropna().to_numpy())[::-1]
            if len(value) and (value[-1] < 0 or value[0] > 1):
                value = (value - value[-1]) / max(value[0] - value[-1], 1e-12)
            panel.axes.plot(np.arange(1, len(value) + 1), value, **looks[method])
        style.whole_numbers(panel.axes.xaxis, fewest=1)
        count = counted(some["docno"].nunique(), "document")
        panel.finish(topic, count, "document, by score", "score", grid="xy", outer="xy")
    return grid.with_legend(style.marks(looks))


@style.themed
def figure_5_7(documents: Frame, orders: Frame, *, labels: Names = None) -> Figure:
    """Draw the scores of documents against their labels, with the mean τ_b of topics."""
    taus = orders[orders["topic"] == ALL_TOPICS].set_index(["first", "second"])["tau"]
    grid = panel_grid(_reference_panels(documents, labels), pitch=140, height=2.0, share="")
    for panel, ((reference, method), some) in grid:
        axes, some = panel.axes, some.dropna(subset=["grade", "value"])
        axes.plot(_spread(some["grade"]), some["value"], color=BLUE, **DOT)
        if some["grade"].nunique() <= MOST_LABELS:
            axes.set_xticks(np.unique(some["grade"]))
        tau = style.number(taus.loc[reference, method], 3)
        count = f"{counted(len(some), 'document')}, mean $\\tau_b$ {tau}"
        ends = f"label in {reference}", f"{method} score"
        panel.finish(f"{method}, {reference}", count, *ends, grid="xy")
    return grid.figure


def _spread(grades: pd.Series) -> np.ndarray:
    """Grades, those of few kinds a little beside each other, always in the same order."""
    values = grades.to_numpy(float)
    if len(np.unique(values)) > MOST_LABELS:
        return values
    gap = np.diff(np.unique(values)).min(initial=1.0)
    return values + 0.5 * gap * ((np.arange(len(values)) * GOLDEN) % 1 - 0.5)


@style.themed
def figure_5_8(raw: Frame) -> Figure:
    """Draw the mean number that people gave documents to express ratios, by label.

    A dot per topic.
    """
    panels = list(raw.groupby("reference", sort=False, observed=True))
    if not panels:
        raise ParameterError("there are no numbers that express ratios: leave figure-5.8 out")
    grid = panel_grid(panels, 5, pitch=24, height=2.2, share="y")
    for panel, (reference, some) in grid:
        groups = _by_label(some)
        _boxes_and_dots(panel.axes, [part["mean"] for part in groups.values()], size=3.0)
        names = [f"{name}\n{part['answers'].sum():,}" for name, part in groups.items()]
        panel.axes.set_xticks(range(len(groups)), names)
        x, count = f"label in {reference}; numbers given below", some["topic"].nunique()
        panel.finish(str(reference), counted(count, "topic"), x, "mean number given")
    return grid.figure


def _by_label(rows: Frame) -> dict[str, pd.DataFrame]:
    """Rows of each label, those without one last."""
    groups = {f"{grade:g}": some for grade, some in rows.groupby("grade")}
    without = rows[rows["grade"].isna()]
    return groups | ({UNLABELLED: without} if len(without) else {})


def _boxes_and_dots(axes: Axes, groups: Sequence[pd.Series], size: float = 1.6) -> None:
    """A box for each group, its values left of it."""
    mean_boxes(axes, groups, np.arange(len(groups)) + 0.18, 0.3, BLUE)
    for place, values in enumerate(groups):
        across = place - 0.22 + 0.24 * ((np.arange(len(values)) * GOLDEN) % 1 - 0.5)
        axes.plot(across, values, color=GREEN, **DOT | {"ms": size})
    axes.set_xlim(-0.6, len(groups) - 0.4)


# --- systems ------------------------------------------------------------------------------------


@style.themed
def figure_5_9(systems: Frame, orders: Frame, *, labels: Names = None) -> Figure:
    """Draw the scores of systems under each two sets of labels or scores."""
    return _system_scatter(systems, orders, UNMAPPED, labels)


@style.themed
def figure_5_10(
    systems: Frame, orders: Frame, *, references: Sequence[str], labels: Names = None
) -> Figure:
    """Draw the scores of systems under scores mapped to levels of the first reference that can."""
    known = [name for name in references if (systems["mapping"] == name).any()]
    if not known:
        raise ParameterError("no reference has so few labels that scores are mapped to them")
    return _system_scatter(systems, orders, known[0], labels)


def _system_scatter(systems: Frame, orders: Frame, mapping: str, labels: Names) -> Figure:
    """A panel for each two sets of labels or scores under a mapping."""
    systems, orders = (table[table["mapping"] == mapping] for table in (systems, orders))
    pairs = list(combinations(_chosen(systems["labels"], labels), 2))
    values = systems.pivot(index="system", columns="labels", values="score")
    taus = orders.set_index(["first", "second"])["tau"]
    [measure] = systems["measure"].unique()
    levels = "" if mapping == UNMAPPED else f", {mapping}'s levels"
    grid = panel_grid(pairs, pitch=140, height=1.9, share="")
    for panel, (first, second) in grid:
        scores = values[first], values[second]
        style.dots(panel.axes, *scores, values.index, color=BLUE, alpha=0.5)
        count = f"{counted(len(values), 'system')}, {_tau(taus.get((first, second), np.nan))}"
        ends = f"mean {measure}, {first}", f"{second}{levels}"
        panel.finish(f"{second} by {first}", count, *ends, grid="xy")
    return grid.figure


@style.themed
def figure_5_18(
    p_values: Frame,
    quadrants: Frame,
    *,
    references: Sequence[str],
    significance: float,
    labels: Names = None,
) -> Figure:
    """Draw p-values of pairs of systems under the first reference and under others."""
    names = _chosen(p_values["labels"], labels)
    first = next(name for name in references if name in names)
    pairs = [(first, name) for name in names if name != first]
    return _p_value_panels(p_values, quadrants, pairs, significance)


@style.themed
def figure_5_19(
    p_values: Frame,
    quadrants: Frame,
    *,
    references: Sequence[str],
    significance: float,
    labels: Names = None,
) -> Figure:
    """Draw p-values of pairs of systems under each two methods."""
    names = [name for name in _chosen(p_values["labels"], labels) if name not in references]
    pairs = list(combinations(names, 2))
    if not pairs:
        raise ParameterError("there are no two methods to compare: leave figure-5.19 out")
    return _p_value_panels(p_values, quadrants, pairs, significance)


def _p_value_panels(
    p_values: Frame, quadrants: Frame, pairs: Sequence[tuple[str, str]], significance: float
) -> Figure:
    """A panel for each two sets of labels or scores, with the counts of its quadrants."""
    of_labels = p_values.groupby("labels", observed=True)["p"]
    p_of = {name: p.clip(lower=P_FLOOR).to_numpy() for name, p in of_labels}
    counts = quadrants.set_index(["reference", "labels"])
    grid = panel_grid(pairs, pitch=140, height=2.1)
    for panel, (first, second) in grid:
        axes, row = panel.axes, counts.loc[(first, second)]
        many = {"alpha": 0.25} if row["pairs"] > MANY else {}
        axes.plot(p_of[first], p_of[second], color=BLUE, **DOT | many)
        axes.set(xscale="log", yscale="log", xlim=P_ENDS, ylim=P_ENDS)
        for line in (axes.axhline, axes.axvline):
            line(significance, color=style.BLACK, lw=0.6, ls="--")
        for name, (x, y) in CORNERS.items():
            where = {"ha": "left" if x < 0.5 else "right", "va": "bottom" if y < 0.5 else "top"}
            text = f"{name.upper()} {int(row[name]):,}"
            axes.text(x, y, text, transform=axes.transAxes, **where, **WRITTEN)
        without = f", {row['undefined']:,} without p" if row["undefined"] else ""
        count = f"{counted(int(row['pairs']), 'pair')}{without}, {_tau(row['tau'])}"
        ends = f"p, {first}", f"p, {second}"
        panel.finish(f"{second} by {first}", count, *ends, grid="", outer="")
    return grid.figure


MANY = 200
"""Dots of more pairs are let through each other."""


CORNERS = {"tp": (0.02, 0.02), "fp": (0.98, 0.02), "fn": (0.02, 0.98), "tn": (0.98, 0.98)}
"""Where the count of a quadrant stands."""

WRITTEN = {"size": style.FONT_SIZE, "bbox": {"fc": "white", "ec": "none", "alpha": 0.8, "pad": 1}}


# --- workers -------------------------------------------------------------------------------------


@style.themed
def figure_5_11(workers: Frame, relations: Frame) -> Figure:
    """Draw the inconsistency of workers against the documents that they were shown.

    The inconsistency of preferences is a line from its lowest to its highest share.
    """
    answers = {
        "preferences": ("inconsistent_low", "inconsistent_high"),
        "absolute answers": ("inconsistent_absolute", "inconsistent_absolute"),
    }
    contents = [(name, *ends) for name, ends in answers.items() if workers[ends[0]].notna().any()]
    if not contents:
        raise ParameterError("no worker's consistency is known: leave figure-5.11 out")
    tau = relations[relations["x"] == "documents shown"].set_index("y")["tau"]
    colors = _topic_colors(workers["topic"])
    grid = panel_grid(contents, pitch=200, height=2.4, columns=1, share="x")
    for panel, (name, low, high) in grid:
        some = workers.dropna(subset=[low])
        color = [colors[str(topic)] for topic in some["topic"]]
        panel.axes.vlines(some["shown"], some[low], some[high], color, lw=0.6)
        panel.axes.scatter(some["shown"], some[low], s=6, c=color, linewidths=0)
        title, x = f"inconsistent {name}", "documents shown to the worker, once for each unit"
        count = _n_and_tau(some, tau[f"inconsistency of {name}"])
        panel.finish(title, count, x, "share of documents", grid="xy")
    return grid.with_legend(_of_topics(colors), title="topic")


@style.themed
def figure_5_12(seen: Frame, *, topics: Names = None) -> Figure:
    """Draw how many documents were judged by how many workers."""
    if not len(seen):
        raise ParameterError("no answer names its worker: leave figure-5.12 out")
    grid = panel_grid(_topics(seen, "documents", topics), 12, pitch=8, height=1.4)
    for panel, topic in grid:
        axes, some = panel.axes, seen[seen["topic"] == topic]
        axes.bar(some["workers"], some["documents"], width=0.9, color=BLUE)
        style.whole_numbers(axes.xaxis, 6)
        panel.finish(topic, f"n = {some['documents'].sum():,}", "workers", "documents")
    return grid.figure


@style.themed
def figure_5_13(workers: Frame, *, topics: Names = None) -> Figure:
    """Draw how many documents each worker judged, in one unit, in two, in more."""
    known = workers.dropna(subset=["worker"])
    known = known[known["documents"] > 0]  # the others' answers were all left out
    if not len(known):
        raise ParameterError("no answer names its worker: leave figure-5.13 out")
    units = {"once": PINK, "twice": ORANGE, "more": RED}
    grid = panel_grid(_topics(known, "documents", topics), 12, pitch=8, height=1.4, share="y")
    for panel, topic in grid:
        some = known[known["topic"] == topic].sort_values(["documents", "worker"])
        place, bottom = np.arange(len(some)) + 1, np.zeros(len(some))
        for column, color in units.items():
            panel.axes.bar(place, some[column], bottom=bottom, width=1.0, color=color)
            bottom += some[column].to_numpy()
        count = counted(len(some), "worker")
        panel.finish(topic, count, "worker, by documents", "documents", outer="xy")
    names = {"in one unit": PINK, "in two units": ORANGE, "in more units": RED}
    return grid.with_legend(style.patches(names))


@style.themed
def figure_5_14(times: Frame, fits: Frame, *, topics: Names = None) -> Figure:
    """Draw how long answers take, and the gamma distributions fitted to that."""
    of_topics = times[times["topic"] != ALL_TOPICS]
    if not len(of_topics):
        raise ParameterError("no answer has a time: leave figure-5.14 out")
    fit_of = fits.set_index("topic")
    grid = panel_grid(_topics(of_topics, "answers", topics), 12, pitch=8, height=1.5)
    for panel, topic in grid:
        axes, some = panel.axes, of_topics[of_topics["topic"] == topic]
        some, last = some.iloc[:-1], some.iloc[-1]
        middle, width = (some["low"] + some["high"]) / 2, some["high"] - some["low"]
        axes.bar(middle, some["share"], width=0.9 * width, color=style.tint(BLUE))
        axes.plot(middle, some["fitted"], color=RED, ls="--", lw=1.0)
        fit = fit_of.loc[topic]
        axes.text(
            0.97, 0.95,
            f"shape {style.number(fit['shape'], 2)}\nscale {style.number(fit['scale'], 1)} s\n"
            f"mean {fit['mean']:.1f} s\nbeyond: {last['share']:.1%}",
            transform=axes.transAxes, ha="right", va="top", size=style.FONT_SIZE,
        )  # fmt: skip
        answers = counted(int(fit["answers"]), "answer")
        panel.finish(topic, answers, "seconds of an answer", "share of answers")
    fitted = mark("fitted gamma distribution", color=RED, ls="--", lw=1.0)
    return grid.with_legend([*style.patches({"answers": style.tint(BLUE)}), fitted])


@style.themed
def figure_5_15(
    workers: Frame, worker_labels: Frame, relations: Frame, label_relations: Frame
) -> Figure:
    """Draw the time that workers take for a document by how much they do, and by its labels.

    The thesis also has documents' lengths, which answers and labels do not tell.
    """
    timed = workers.dropna(subset=["per_document"])
    if not len(timed):
        raise ParameterError("no answer has a time: leave figure-5.15 out")
    tau = relations.set_index(["x", "y"])["tau"]
    contents = [("documents shown", timed, "shown", tau["seconds per document", "documents shown"])]
    keys = ["topic", "worker"]
    for reference, some in worker_labels.groupby("reference", sort=False, observed=True):
        both = timed.astype(dict.fromkeys(keys, str))
        both = both.merge(some.astype(dict.fromkeys(keys, str)), on=keys)
        tau = label_relations.loc[label_relations["reference"] == reference, "tau"].iloc[0]
        contents.append((f"mean label in {reference}", both, "mean_grade", tau))
    colors = _topic_colors(workers["topic"])
    grid = panel_grid(contents, pitch=200, height=2.4, columns=1, share="x")
    for panel, (name, some, column, tau) in grid:
        some = some.dropna(subset=[column])
        color = [colors[str(topic)] for topic in some["topic"]]
        panel.axes.scatter(some["per_document"], some[column], s=6, c=color, linewidths=0)
        panel.finish(name, _n_and_tau(some, tau), "mean seconds for a document", name, grid="xy")
    return grid.with_legend(_of_topics(colors), title="topic")


def _n_and_tau(rows: Frame, tau: float) -> str:
    return f"n = {len(rows):,}, {style.TAU_LABEL} {style.number(tau, 3)}"


def _topics(table: Frame, column: str, topics: Names) -> list[str]:
    """The topics asked for, or those with the largest sum of a column; sorted."""
    sums = table.groupby("topic", observed=True)[column].sum()
    return sorted(map(str, topics or sums.nlargest(TOPICS).index))


def _topic_colors(topics: pd.Series) -> dict[str, str]:
    """A colour for each topic; one for all where there are more than distinct colours."""
    names = sorted(set(topics.astype(str)))
    if len(names) > TOPICS:
        return dict.fromkeys(names, BLUE)
    colors = [*style.CUT_COLORS, "#999999", "#8B4513"]
    return dict(zip(names, colors, strict=False))


def _of_topics(colors: Mapping[str, str]) -> list[Line2D]:
    """What a legend shows of the topics, where each has a colour."""
    if not len(set(colors.values())) == len(colors) > 1:
        return []
    named = {topic: {"color": color} for topic, color in colors.items()}
    return style.marks(named, marker="o", ls="", ms=3.5, mew=0)


# --- what several figures share -----------------------------------------------------------------


def _tau(tau: float) -> str:
    return f"{style.TAU_LABEL} {style.number(tau, 3)}"


def _chosen(names: pd.Series, labels: Names) -> list[str]:
    """Names to show, in the tables' order."""
    known = list(dict.fromkeys(names.astype(str)))
    if labels is not None:
        unknown = [name for name in labels if name not in known]
        if unknown:
            raise ParameterError(f"there is no {', '.join(unknown)}: there are {', '.join(known)}")
        return [name for name in known if name in labels]
    methods = [name for name in known if name in METHODS]
    questions = [name for name in methods if name in QUESTIONS]
    usual = [name for name in methods if name in USUAL] or methods[:3]
    kept = questions if len(questions) > 1 else usual
    others = [name for name in known if name not in METHODS and " + " not in name]
    return [name for name in known if name in kept or name in others]


def _reference_panels(
    documents: Frame, labels: Names
) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """Documents by reference and method."""
    references = list(dict.fromkeys(documents["reference"].astype(str)))
    wanted = None if labels is None else [name for name in labels if name not in references]
    methods = _chosen(documents["method"], wanted or None)
    kept = [name for name in references if labels is None or name in labels] or references
    of_methods = {method: documents[documents["method"] == method] for method in methods}
    return [
        ((reference, method), some[some["reference"] == reference])
        for reference in kept
        for method, some in of_methods.items()
    ]

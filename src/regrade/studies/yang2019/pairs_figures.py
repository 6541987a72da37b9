"""The figures of yang2019, chapter 5, drawn from what the stages of ``pairs`` made.

Nothing is computed here that a table should hold; quartiles of boxes are matplotlib's.

References
----------
Yang: Improving the Reliability and Robustness of Information Retrieval Evaluation. PhD thesis, The
University of Melbourne, 2019; chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from regrade.errors import ParameterError
from regrade.schemas import ALL_TOPICS
from regrade.show import style
from regrade.show.style import plural

QUESTIONS = ("frequency", "absolute", "ratio")
"""Scores of the thesis's three questions."""

UNMAPPED = "none"
UNLABELLED = "no label"
OTHERWISE = ("frequency", "copeland", "bradley-terry")
"""Methods that are shown where none are named and only the first question was asked."""

PANELS = 9
"""Topics that are shown where none are named: those with the most documents."""

MOST_LABELS = 12
"""Different labels up to which there is a box for each."""

P_FLOOR = 1e-3
"""p-values below this are drawn at it."""

P_ENDS = (P_FLOOR / 1.3, 1.3)
"""Where the axes of p-values end."""

BLUE, ORANGE, GREEN, PINK, SKY, RED, _ = style.CUT_COLORS
DOT = {"marker": "o", "ls": "", "ms": 1.6, "mew": 0, "alpha": 0.5, "rasterized": True}


# --- documents ----------------------------------------------------------------------------------


@style.themed
def figure_5_5(
    documents: pd.DataFrame, notes: str = "", *, labels: Sequence[str] | None = None
) -> Figure:
    """Draw the scores of documents by their labels: a box each, beside its documents.

    Parameters
    ----------
    documents
        As `regrade.preferences.labelled.labelled_documents` gives.
    notes
        A line for the figure's foot.
    labels
        References and methods to show.

    Raises
    ------
    ParameterError
        If nothing is left to show.
    """
    panels = _reference_panels(documents, labels)
    panels = [(key, some) for key, some in panels if some["grade"].nunique() <= MOST_LABELS]
    if not panels:
        raise ParameterError("no reference has so few labels that each can have a box")
    most = max(some["grade"].nunique() + 1 for _, some in panels)
    grid = style.panel_grid(len(panels), most, pitch=24, height=1.9, notes=notes, share_x=False,
                            share_y=False)  # fmt: skip
    for index, ((reference, method), some) in enumerate(panels):
        axes = grid.axes[index]
        groups = [(f"{g:g}", part["value"]) for g, part in some.groupby("grade")]
        without = some[some["grade"].isna()]["value"]
        groups += [(UNLABELLED, without)] if len(without) else []
        _boxes_and_dots(axes, [value.dropna() for _, value in groups])
        axes.set_xticks(range(len(groups)), [f"{name}\n{len(value):,}" for name, value in groups])
        axes.set_xlabel(f"label in {reference}; documents below")
        axes.set_ylabel(f"{method} score")
        style.panel_title(grid, index, f"{method}, {reference}", plural(len(some), "document"))
    return grid.figure


@style.themed
def figure_5_6(
    scores: pd.DataFrame,
    notes: str = "",
    *,
    labels: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
) -> Figure:
    """Draw the scores of each topic's documents from the highest down, by method.

    Scores below 0 or above 1 are drawn from the topic's lowest to its highest.

    Parameters
    ----------
    scores
        As `regrade.preferences.answered.score_answers` gives.
    notes
        A line for the figure's foot.
    labels
        Methods to show.
    topics
        Topics to show.
    """
    methods = _chosen(scores["method"], labels)
    shown = _topics(scores, topics)
    looks = style.looks(methods)
    grid = style.panel_grid(len(shown), 12, pitch=10, height=1.5, notes=notes, share_x=False)
    for index, topic in enumerate(shown):
        axes, some = grid.axes[index], scores[scores["topic"] == topic]
        for method in methods:
            value = np.sort(some[some["method"] == method]["value"].dropna().to_numpy())[::-1]
            if len(value) and (value[-1] < 0 or value[0] > 1):
                value = (value - value[-1]) / max(value[0] - value[-1], 1e-12)
            look = {**looks[method], "marker": ""}
            axes.plot(np.arange(1, len(value) + 1), value, **look)
        axes.grid()
        style.label_x(grid, index, "document, by score")
        style.label_y(grid, index, "score")
        style.panel_title(grid, index, str(topic), plural(some["docno"].nunique(), "document"))
    handles = [Line2D([], [], label=m, **{**looks[m], "marker": ""}) for m in methods]
    style.legend(grid.figure, handles)
    return grid.figure


@style.themed
def figure_5_7(
    documents: pd.DataFrame,
    orders: pd.DataFrame,
    notes: str = "",
    *,
    labels: Sequence[str] | None = None,
) -> Figure:
    """Draw the scores of documents against their labels, with the mean τ_b of topics.

    Parameters
    ----------
    documents
        As `regrade.preferences.labelled.labelled_documents` gives.
    orders
        As `regrade.preferences.agreement.order_agreement` gives.
    notes
        A line for the figure's foot.
    labels
        References and methods to show.
    """
    panels = _reference_panels(documents, labels)
    everything = orders[orders["topic"] == ALL_TOPICS].set_index(["first", "second"])
    grid = style.panel_grid(len(panels), 1, pitch=140, height=2.0, notes=notes, share_x=False,
                            share_y=False)  # fmt: skip
    for index, ((reference, method), some) in enumerate(panels):
        axes, some = grid.axes[index], some.dropna(subset=["grade", "value"])
        axes.plot(_spread(some["grade"]), some["value"], color=BLUE, **DOT)
        if some["grade"].nunique() <= MOST_LABELS:
            axes.set_xticks(np.unique(some["grade"]))
        axes.grid()
        axes.set_xlabel(f"label in {reference}")
        axes.set_ylabel(f"{method} score")
        tau = everything.loc[(reference, method), "tau"]
        count = f"{plural(len(some), 'document')}, {style.TAU_LABEL} {_number(tau)}"
        style.panel_title(grid, index, f"{method}, {reference}", count)
    return grid.figure


def _spread(grades: pd.Series) -> np.ndarray:
    """Grades, those of few kinds a little beside each other, in an order that is always the same.

    The golden ratio's multiples spread evenly however many there are.
    """
    values = grades.to_numpy(float)
    if len(np.unique(values)) > MOST_LABELS:
        return values
    gap = np.diff(np.unique(values)).min(initial=1.0)
    return values + 0.5 * gap * ((np.arange(len(values)) * 0.618034) % 1 - 0.5)


@style.themed
def figure_5_8(raw: pd.DataFrame, notes: str = "") -> Figure:
    """Draw the mean number that people gave documents to express ratios, by label.

    Parameters
    ----------
    raw
        As `regrade.preferences.labelled.raw_scores` gives: a dot per topic.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If no number was given.
    """
    panels = list(raw.groupby("reference", sort=False, observed=True))
    if not panels:
        raise ParameterError("nobody gave numbers to express ratios: leave figure-5.8 out")
    grid = style.panel_grid(len(panels), 5, pitch=24, height=2.2, notes=notes, share_x=False)
    for index, (reference, some) in enumerate(panels):
        axes = grid.axes[index]
        groups = [(f"{g:g}", part) for g, part in some.groupby("grade")]
        without = some[some["grade"].isna()]
        groups += [(UNLABELLED, without)] if len(without) else []
        _boxes_and_dots(axes, [part["mean"] for _, part in groups], size=3.0)
        names = [f"{name}\n{part['answers'].sum():,}" for name, part in groups]
        axes.set_xticks(range(len(groups)), names)
        axes.set_xlabel(f"label in {reference}; numbers given below")
        style.label_y(grid, index, "mean number given")
        style.panel_title(grid, index, str(reference), plural(some["topic"].nunique(), "topic"))
    return grid.figure


# --- systems ------------------------------------------------------------------------------------


@style.themed
def figure_5_9(
    systems: pd.DataFrame,
    orders: pd.DataFrame,
    notes: str = "",
    *,
    labels: Sequence[str] | None = None,
) -> Figure:
    """Draw the scores of systems under each two sets of labels or scores.

    Parameters
    ----------
    systems
        As `regrade.preferences.systems.system_table` gives, of one measure.
    orders
        As `regrade.preferences.systems.system_agreement` gives, of the same one.
    notes
        A line for the figure's foot.
    labels
        References and methods to show.
    """
    unmapped = systems[systems["mapping"] == UNMAPPED]
    pairs = orders[orders["mapping"] == UNMAPPED]
    return _system_scatter(unmapped, pairs, _chosen(unmapped["labels"], labels), notes)


@style.themed
def figure_5_10(
    systems: pd.DataFrame,
    orders: pd.DataFrame,
    notes: str = "",
    *,
    references: Sequence[str],
    labels: Sequence[str] | None = None,
) -> Figure:
    """Draw the scores of systems under scores mapped to the levels of the first reference that can.

    Parameters
    ----------
    systems, orders
        As for `figure_5_9`.
    notes
        A line for the figure's foot.
    references
        Which sets are references.
    labels
        References and methods to show.

    Raises
    ------
    ParameterError
        If no scores are mapped to a reference.
    """
    known = [name for name in references if (systems["mapping"] == name).any()]
    if not known:
        raise ParameterError("no reference has so few labels that scores are mapped to them")
    mapped = systems[systems["mapping"] == known[0]]
    pairs = orders[orders["mapping"] == known[0]]
    return _system_scatter(mapped, pairs, _chosen(mapped["labels"], labels), notes)


def _system_scatter(
    systems: pd.DataFrame, orders: pd.DataFrame, names: Sequence[str], notes: str
) -> Figure:
    wide = systems.pivot(index="system", columns="labels", values="score")
    taus = orders.set_index(["first", "second"])["tau"]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    [measure] = systems["measure"].unique()
    [mapping] = systems["mapping"].unique()
    said = "" if mapping == UNMAPPED else f", {mapping}'s levels"
    grid = style.panel_grid(len(pairs), 1, pitch=140, height=1.9, notes=notes, share_x=False,
                            share_y=False)  # fmt: skip
    for index, (first, second) in enumerate(pairs):
        axes = grid.axes[index]
        style.dots(axes, wide[first], wide[second], wide.index, color=BLUE, alpha=0.5)
        axes.grid()
        axes.set_xlabel(f"mean {measure}, {first}")
        axes.set_ylabel(f"{second}{said}")
        tau = taus.get((first, second), np.nan)
        count = f"{plural(len(wide), 'system')}, {style.TAU_LABEL} {_number(tau)}"
        style.panel_title(grid, index, f"{second} by {first}", count)
    return grid.figure


@style.themed
def figure_5_18(
    p_values: pd.DataFrame,
    quadrants: pd.DataFrame,
    notes: str = "",
    *,
    references: Sequence[str],
    significance: float,
    labels: Sequence[str] | None = None,
) -> Figure:
    """Draw p-values of pairs of systems under the first reference and under others.

    Parameters
    ----------
    p_values
        As `regrade.preferences.systems.p_table` gives, of one measure.
    quadrants
        As `regrade.preferences.systems.quadrant_table` gives, of the same one.
    notes
        A line for the figure's foot.
    references
        Which sets are references.
    significance
        A pair is told apart where p is below.
    labels
        References and methods to show.
    """
    names = _chosen(p_values["labels"], labels)
    first = next(name for name in references if name in names)
    pairs = [(first, name) for name in names if name != first]
    return _p_value_panels(p_values, quadrants, pairs, significance, notes)


@style.themed
def figure_5_19(
    p_values: pd.DataFrame,
    quadrants: pd.DataFrame,
    notes: str = "",
    *,
    references: Sequence[str],
    significance: float,
    labels: Sequence[str] | None = None,
) -> Figure:
    """Draw p-values of pairs of systems under each two methods.

    Parameters
    ----------
    p_values, quadrants, notes, references, significance, labels
        As for `figure_5_18`.

    Raises
    ------
    ParameterError
        If there is only one method.
    """
    names = [n for n in _chosen(p_values["labels"], labels) if n not in references]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    if not pairs:
        raise ParameterError("there are no two methods to compare: leave figure-5.19 out")
    return _p_value_panels(p_values, quadrants, pairs, significance, notes)


def _p_value_panels(
    p_values: pd.DataFrame,
    quadrants: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    significance: float,
    notes: str,
) -> Figure:
    by = {name: some["p"].clip(lower=P_FLOOR).to_numpy()
          for name, some in p_values.groupby("labels", observed=True)}  # fmt: skip
    counted = quadrants.set_index(["reference", "labels"])
    grid = style.panel_grid(len(pairs), 1, pitch=140, height=2.1, notes=notes)
    for index, (first, second) in enumerate(pairs):
        axes, row = grid.axes[index], counted.loc[(first, second)]
        axes.plot(by[first], by[second], color=BLUE, **DOT | {"alpha": 0.25})
        axes.set(xscale="log", yscale="log", xlim=P_ENDS, ylim=P_ENDS)
        for line in (axes.axhline, axes.axvline):
            line(significance, color=style.BLACK, lw=0.6, ls="--")
        _quadrant_shares(axes, row)
        axes.set_xlabel(f"p, {first}")
        axes.set_ylabel(f"p, {second}")
        count = f"{plural(int(row['pairs']), 'pair')}, {style.TAU_LABEL} {_number(row['tau'])}"
        style.panel_title(grid, index, f"{second} by {first}", count)
    return grid.figure


def _quadrant_shares(axes: Axes, row: pd.Series) -> None:
    """The count of each quadrant, in its corner."""
    corners = {"tp": (0.02, 0.02), "fp": (0.98, 0.02), "fn": (0.02, 0.98), "tn": (0.98, 0.98)}
    for name, (x, y) in corners.items():
        axes.text(
            x,
            y,
            f"{name.upper()} {int(row[name]):,}",
            transform=axes.transAxes,
            ha="left" if x < 0.5 else "right",
            va="bottom" if y < 0.5 else "top",
            size=style.FONT_SIZE,
            bbox={"fc": "white", "ec": "none", "alpha": 0.8, "pad": 1},
        )


# --- workers ------------------------------------------------------------------------------------


@style.themed
def figure_5_11(workers: pd.DataFrame, relations: pd.DataFrame, notes: str = "") -> Figure:
    """Draw the inconsistency of workers against the documents that they were shown.

    Parameters
    ----------
    workers
        As `regrade.preferences.workers.worker_table` gives.  The inconsistency of preferences is a
        line from its lowest to its highest share.
    relations
        As `regrade.preferences.workers.worker_relations` gives.
    notes
        A line for the figure's foot.
    """
    panels = {
        "preferences": ("inconsistent_low", "inconsistent_high", "inconsistency of preferences"),
        "absolute answers": (
            "inconsistent_absolute", "inconsistent_absolute", "inconsistency of absolute answers"
        ),
    }  # fmt: skip
    panels = {name: of for name, of in panels.items() if workers[of[0]].notna().any()}
    if not panels:
        raise ParameterError("no worker's consistency is known: leave figure-5.11 out")
    grid = style.panel_grid(len(panels), 1, pitch=200, height=2.4, notes=notes, columns=1,
                            share_y=False)  # fmt: skip
    tau = relations[relations["x"] == "documents shown"].set_index("y")["tau"]
    colors = _topic_colors(workers["topic"])
    for index, (name, (low, high, called)) in enumerate(panels.items()):
        axes, some = grid.axes[index], workers.dropna(subset=[low])
        color = [colors[str(topic)] for topic in some["topic"]]
        axes.vlines(some["shown"], some[low], some[high], color, lw=0.6)
        _dots_of_workers(grid, index, some, ("shown", low), colors)
        style.label_x(grid, index, "documents shown to the worker, once for each unit")
        axes.set_ylabel("share of documents")
        _title_of_workers(grid, index, f"inconsistent {name}", len(some), tau[called])
    _topic_legend(grid.figure, colors)
    return grid.figure


@style.themed
def figure_5_12(
    seen: pd.DataFrame, notes: str = "", *, topics: Sequence[str] | None = None
) -> Figure:
    """Draw how many documents were judged by how many workers.

    Parameters
    ----------
    seen
        As `regrade.preferences.workers.seen_table` gives.
    notes
        A line for the figure's foot.
    topics
        Topics to show.

    Raises
    ------
    ParameterError
        If no worker is known.
    """
    if not len(seen):
        raise ParameterError("no answer says whose it is: leave figure-5.12 out")
    shown = _most(seen, "documents", topics)
    grid = style.panel_grid(len(shown), 12, pitch=8, height=1.4, notes=notes)
    for index, topic in enumerate(shown):
        axes, some = grid.axes[index], seen[seen["topic"] == topic]
        axes.bar(some["workers"], some["documents"], width=0.9, color=BLUE)
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.grid(axis="y")
        style.label_x(grid, index, "workers")
        style.label_y(grid, index, "documents")
        style.panel_title(grid, index, str(topic), f"n = {some['documents'].sum():,}")
    return grid.figure


@style.themed
def figure_5_13(
    workers: pd.DataFrame, notes: str = "", *, topics: Sequence[str] | None = None
) -> Figure:
    """Draw how many documents each worker judged, in one unit, in two, in more.

    Parameters
    ----------
    workers
        As `regrade.preferences.workers.worker_table` gives.
    notes
        A line for the figure's foot.
    topics
        Topics to show.
    """
    known = workers.dropna(subset=["worker"])
    if not len(known):
        raise ParameterError("no answer says whose it is: leave figure-5.13 out")
    shown = _most(known, "documents", topics)
    grid = style.panel_grid(len(shown), 12, pitch=8, height=1.4, notes=notes, share_x=False)
    looks = {"once": PINK, "twice": ORANGE, "more": RED}
    for index, topic in enumerate(shown):
        axes = grid.axes[index]
        some = known[known["topic"] == topic].sort_values(["documents", "worker"])
        place, bottom = np.arange(len(some)) + 1, np.zeros(len(some))
        for column, color in looks.items():
            axes.bar(place, some[column], bottom=bottom, width=1.0, color=color)
            bottom += some[column].to_numpy()
        axes.grid(axis="y")
        style.label_x(grid, index, "worker, by documents")
        style.label_y(grid, index, "documents")
        style.panel_title(grid, index, str(topic), plural(len(some), "worker"))
    names = {"once": "in one unit", "twice": "in two units", "more": "in more units"}
    style.legend(grid.figure, [Patch(color=looks[c], label=n) for c, n in names.items()])
    return grid.figure


@style.themed
def figure_5_14(
    times: pd.DataFrame,
    fits: pd.DataFrame,
    notes: str = "",
    *,
    topics: Sequence[str] | None = None,
) -> Figure:
    """Draw how long answers take, and the gamma distributions fitted to that.

    Parameters
    ----------
    times, fits
        As `regrade.preferences.timing.time_bins` and `time_fits` give.
    notes
        A line for the figure's foot.
    topics
        Topics to show.

    Raises
    ------
    ParameterError
        If no time is known.
    """
    of_topics = times[times["topic"] != ALL_TOPICS]
    if not len(of_topics):
        raise ParameterError("no answer says how long it took: leave figure-5.14 out")
    shown = _most(of_topics, "answers", topics)
    known = fits.set_index("topic")
    grid = style.panel_grid(len(shown), 12, pitch=8, height=1.5, notes=notes)
    for index, topic in enumerate(shown):
        axes, some = grid.axes[index], of_topics[of_topics["topic"] == topic]
        some, last = some.iloc[:-1], some.iloc[-1]
        middle, width = (some["low"] + some["high"]) / 2, some["high"] - some["low"]
        axes.bar(middle, some["share"], width=0.9 * width, color=style.tint(BLUE))
        axes.plot(middle, some["fitted"], color=RED, ls="--", lw=1.0)
        axes.grid(axis="y")
        style.label_x(grid, index, "seconds of an answer")
        style.label_y(grid, index, "share of answers")
        fit = known.loc[topic]
        axes.text(
            0.97, 0.95,
            f"shape {_number(fit['shape'], 2)}\nscale {_number(fit['scale'], 1)} s\n"
            f"mean {fit['mean']:.1f} s\nbeyond: {last['share']:.1%}",
            transform=axes.transAxes, ha="right", va="top", size=style.FONT_SIZE,
        )  # fmt: skip
        style.panel_title(grid, index, str(topic), plural(int(fit["answers"]), "answer"))
    handles = [
        Patch(color=style.tint(BLUE), label="answers"),
        Line2D([], [], color=RED, ls="--", lw=1.0, label="fitted gamma distribution"),
    ]
    style.legend(grid.figure, handles)
    return grid.figure


@style.themed
def figure_5_15(
    workers: pd.DataFrame,
    known: pd.DataFrame,
    relations: pd.DataFrame,
    of_labels: pd.DataFrame,
    notes: str = "",
) -> Figure:
    """Draw the time that workers take for a document by how much they do, and by its labels.

    The thesis also has documents' lengths, which answers and labels do not tell.

    Parameters
    ----------
    workers
        As `regrade.preferences.workers.worker_table` gives.
    known
        As `regrade.preferences.workers.worker_labels` gives.
    relations, of_labels
        As `regrade.preferences.workers.worker_relations` and `label_relations` give.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If no time is known.
    """
    timed = workers.dropna(subset=["per_document"])
    if not len(timed):
        raise ParameterError("no answer says how long it took: leave figure-5.15 out")
    tau = relations.set_index(["x", "y"])["tau"]
    panels = [("documents shown", timed, "shown", tau["seconds per document", "documents shown"])]
    keys = ["topic", "worker"]
    for reference, some in known.groupby("reference", sort=False, observed=True):
        both = timed.astype(dict.fromkeys(keys, str)).merge(
            some.astype(dict.fromkeys(keys, str)), on=keys
        )
        tau_of = of_labels[of_labels["reference"] == reference]["tau"].iloc[0]
        panels.append((f"mean label in {reference}", both, "mean_grade", tau_of))
    colors = _topic_colors(workers["topic"])
    grid = style.panel_grid(len(panels), 1, pitch=200, height=2.4, notes=notes, columns=1,
                            share_y=False)  # fmt: skip
    for index, (name, some, column, value) in enumerate(panels):
        some = some.dropna(subset=[column])
        _dots_of_workers(grid, index, some, ("per_document", column), colors)
        style.label_x(grid, index, "mean seconds for a document")
        grid.axes[index].set_ylabel(name)
        _title_of_workers(grid, index, name, len(some), value)
    _topic_legend(grid.figure, colors)
    return grid.figure


def _dots_of_workers(
    grid: style.Grid,
    index: int,
    some: pd.DataFrame,
    columns: tuple[str, str],
    colors: dict[str, str],
) -> None:
    """A dot for each worker and topic, in the topic's colour."""
    color = [colors[str(topic)] for topic in some["topic"]]
    x, y = columns
    grid.axes[index].scatter(some[x], some[y], s=6, c=color, linewidths=0)
    grid.axes[index].grid()


def _title_of_workers(grid: style.Grid, index: int, name: str, n: int, tau: float) -> None:
    style.panel_title(grid, index, name, f"n = {n:,}, {style.TAU_LABEL} {_number(tau)}")


# --- partitions ---------------------------------------------------------------------------------


@style.themed
def figure_5_16(topics: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Krippendorff's α of scores from draws of partitions.

    Parameters
    ----------
    topics
        As `regrade.preferences.partitions.partition_topics` gives.
    notes
        A line for the figure's foot.
    """
    return _partition_lines(topics, "alpha", style.ALPHA_LABEL, notes)


@style.themed
def figure_5_17(topics: pd.DataFrame, notes: str = "") -> Figure:
    """Draw the mean τ_b of scores from some partitions and from all.

    Parameters
    ----------
    topics
        As `regrade.preferences.partitions.partition_topics` gives.
    notes
        A line for the figure's foot.
    """
    return _partition_lines(topics, "tau", f"mean {style.TAU_LABEL} to all", notes)


def _partition_lines(topics: pd.DataFrame, column: str, label: str, notes: str) -> Figure:
    methods = list(topics["method"].unique())
    largest = topics.groupby("topic", observed=True)["documents"].max()
    order = largest.sort_values(ascending=False, kind="stable").index
    looks = style.looks([str(topic) for topic in order])
    grid = style.panel_grid(len(methods), 6, pitch=20, height=2.5, notes=notes)
    for index, method in enumerate(methods):
        axes, some = grid.axes[index], topics[topics["method"] == method]
        for topic in order:
            of = some[some["topic"] == topic].sort_values("partitions")
            axes.plot(of["partitions"], of[column].astype(float), ms=3.0, lw=0.8,
                      **looks[str(topic)])  # fmt: skip
        axes.set_xticks(sorted(some["partitions"].unique()))
        axes.grid()
        style.label_x(grid, index, "partitions drawn")
        style.label_y(grid, index, label)
        style.panel_title(grid, index, str(method), f"{some['draws'].max()} draws")
    handles = [
        Line2D([], [], ms=3.0, lw=0.8, label=f"{topic} ({largest[topic]})", **looks[str(topic)])
        for topic in order
    ]
    style.legend(grid.figure, handles, title="topic (documents)")
    return grid.figure


@style.themed
def figure_5_20(taus: pd.DataFrame, notes: str = "") -> Figure:
    """Draw τ_b of p-values of pairs of systems under two methods, by partitions drawn.

    Parameters
    ----------
    taus
        As `regrade.preferences.partitions.partition_systems` gives, of one measure.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If there is only one method.
    """
    if not len(taus):
        raise ParameterError("there are no two methods to compare: leave figure-5.20 out")
    pairs = list(dict.fromkeys(zip(taus["first"], taus["second"], strict=True)))
    counts = _counts(taus)
    figure = style.new_figure(style.DOUBLE_COLUMN, 2.9, notes)
    axes = figure.add_subplot()
    looks = style.looks([" and ".join(pair) for pair in pairs])
    for number, (first, second) in enumerate(pairs):
        some = taus[(taus["first"] == first) & (taus["second"] == second)]
        groups = [some[some["partitions"] == count]["tau"].dropna() for count in counts]
        places = np.arange(len(counts)) + (number - (len(pairs) - 1) / 2) * 0.25
        look = looks[f"{first} and {second}"]
        _boxes(axes, groups, places, 0.2, look["color"])
        means = [group.mean() if len(group) else np.nan for group in groups]
        axes.plot(places, means, color=look["color"], lw=0.9, ls=look["ls"])
    axes.set_xticks(range(len(counts)), _count_names(counts))
    axes.set_xlabel("partitions drawn")
    axes.set_ylabel(f"{style.TAU_LABEL} of p-values")
    axes.grid(axis="y")
    [measure] = taus["measure"].unique()
    axes.set_title(f"{measure}, {plural(int(taus['draw'].max()), 'draw')}")
    style.legend(figure, [Line2D([], [], color=look["color"], ls=look["ls"], label=name)
                          for name, look in looks.items()])  # fmt: skip
    return figure


@style.themed
def figure_5_21(systems: pd.DataFrame, notes: str = "") -> Figure:
    """Draw the scores of systems from draws of partitions, a line from lowest to highest each.

    Systems stand in the order of their scores under the first method and all partitions.

    Parameters
    ----------
    systems
        As `regrade.preferences.partitions.partition_systems` gives, of one measure.
    notes
        A line for the figure's foot.
    """
    methods, counts = list(systems["method"].unique()), _counts(systems)
    full = systems[(systems["method"] == methods[0]) & (systems["partitions"] == 0)]
    order = full.sort_values("score", ascending=False, kind="stable")["system"].tolist()
    looks = style.looks(methods)
    grid = style.panel_grid(len(counts), 12, pitch=10, height=1.7, notes=notes, columns=2)
    for index, count in enumerate(counts):
        axes, some = grid.axes[index], systems[systems["partitions"] == count]
        for number, method in enumerate(methods):
            of = some[some["method"] == method].groupby("system", observed=True)["score"]
            low, middle, high = (getattr(of, end)().reindex(order) for end in
                                 ("min", "median", "max"))  # fmt: skip
            places = np.arange(1, len(order) + 1) + (number - (len(methods) - 1) / 2) * 0.3
            axes.vlines(places, low, high, looks[method]["color"], lw=0.7)
            style.dots(axes, places, middle, order, color=looks[method]["color"], ms=1.6)
        axes.grid(axis="y")
        style.label_x(grid, index, f"system, by its {methods[0]} score from all partitions")
        style.label_y(grid, index, f"mean {some['measure'].iloc[0]}")
        name = "all partitions" if count == 0 else plural(count, "partition")
        style.panel_title(grid, index, name, plural(int(some["draw"].max()), "draw"))
    handles = [Line2D([], [], color=looks[m]["color"], lw=1.5, label=m) for m in methods]
    style.legend(grid.figure, handles)
    return grid.figure


def _counts(table: pd.DataFrame) -> list[int]:
    """Numbers of partitions, all of them (0) last."""
    return sorted(table["partitions"].unique(), key=lambda count: (count == 0, count))


def _count_names(counts: Sequence[int]) -> list[str]:
    return ["all" if count == 0 else str(count) for count in counts]


# --- parts --------------------------------------------------------------------------------------


def _chosen(
    given: pd.Series, labels: Sequence[str] | None, references: Sequence[str] = ()
) -> list[str]:
    """Names to show, in the tables' order.

    Raises
    ------
    ParameterError
        If a name is none of them.
    """
    known = list(dict.fromkeys(given.astype(str)))
    if labels is not None:
        unknown = [name for name in labels if name not in known]
        if unknown:
            raise ParameterError(f"there is no {', '.join(unknown)}: there are {', '.join(known)}")
        return [name for name in known if name in labels]
    methods = [name for name in known if name in QUESTIONS or name in METHODS]
    asked = [name for name in methods if name in QUESTIONS]
    usual = [name for name in methods if name in OTHERWISE] or methods[:3]
    kept = asked if len(asked) > 1 else usual
    others = [name for name in known if name not in METHODS and not _is_made(name)]
    return [name for name in known if name in kept or name in others or name in references]


METHODS = (*QUESTIONS, "borda", "copeland", "strength", "bradley-terry", "thurstone", "random")
"""Names that are no references."""


def _is_made(name: str) -> bool:
    return " + " in name


def _reference_panels(
    documents: pd.DataFrame, labels: Sequence[str] | None
) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """Documents by reference and method."""
    references = list(dict.fromkeys(documents["reference"].astype(str)))
    wanted = None if labels is None else [name for name in labels if name not in references]
    methods = _chosen(documents["method"], wanted or None)
    kept = [name for name in references if labels is None or name in labels] or references
    return [
        (
            (reference, method),
            documents[(documents["reference"] == reference) & (documents["method"] == method)],
        )
        for reference in kept
        for method in methods
    ]


def _topics(table: pd.DataFrame, topics: Sequence[str] | None) -> list[str]:
    if topics is not None:
        return [str(topic) for topic in topics]
    counts = table.groupby("topic", observed=True)["docno"].nunique()
    return sorted(counts.nlargest(PANELS).index.astype(str))


def _most(table: pd.DataFrame, column: str, topics: Sequence[str] | None) -> list[str]:
    """The topics asked for, or those with the largest sum of a column; sorted."""
    sums = table.groupby("topic", observed=True)[column].sum()
    return sorted(map(str, topics or sums.nlargest(PANELS).index))


def _topic_colors(topics: pd.Series) -> dict[str, str]:
    """A colour for each topic; one for all where there are too many to tell apart."""
    names = sorted(set(topics.astype(str)))
    if len(names) > PANELS:
        return dict.fromkeys(names, BLUE)
    colors = [*style.CUT_COLORS, "#999999", "#8B4513"]
    return dict(zip(names, colors, strict=False))


def _topic_legend(figure: Figure, colors: dict[str, str]) -> None:
    if len(set(colors.values())) == len(colors) > 1:
        handles = [
            Line2D([], [], marker="o", ls="", ms=3.5, mew=0, color=color, label=topic)
            for topic, color in colors.items()
        ]
        style.legend(figure, handles, title="topic")


def _boxes_and_dots(axes: Axes, groups: Sequence[pd.Series], size: float = 1.6) -> None:
    """A box for each group, its values left of it."""
    _boxes(axes, groups, np.arange(len(groups)) + 0.18, 0.3, BLUE)
    for place, values in enumerate(groups):
        across = place - 0.22 + 0.24 * ((np.arange(len(values)) * 0.618034) % 1 - 0.5)
        axes.plot(across, values, color=GREEN, **DOT | {"ms": size})
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.grid(axis="y")


def _boxes(
    axes: Axes, groups: Sequence[pd.Series], places: Sequence[float], width: float, color: str
) -> None:
    kept = [(np.asarray(g), x) for g, x in zip(groups, places, strict=True) if len(g)]
    if not kept:
        return
    values, positions = zip(*kept, strict=True)
    axes.boxplot(
        values,
        positions=positions,
        widths=width,
        showfliers=False,
        showmeans=True,
        meanline=True,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"fc": style.tint(color), "ec": color, "lw": 0.7},
        medianprops={"color": style.BLACK, "lw": 1.0},
        meanprops={"color": style.BLACK, "lw": 0.8, "ls": "--"},
        whiskerprops={"color": color, "lw": 0.7},
        capprops={"color": color, "lw": 0.7},
    )


def _number(value: float, digits: int = 3) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}".replace("-", "−")

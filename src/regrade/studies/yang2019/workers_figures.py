"""The figures of yang2019, chapter 5, of the workers who answered about pairs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from regrade.catalogue import ALL_TOPICS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.item_tables import Names
from regrade.show.panels import panel_grid
from regrade.show.style import mark
from regrade.wording import counted

TOPICS = 9
"""Topics that are shown where none are named: those with the most documents or answers."""

BLUE, ORANGE, _, PINK, _, RED, _ = style.CUT_COLORS


@style.themed
def figure_5_11(workers: pd.DataFrame, relations: pd.DataFrame) -> Figure:
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
        count = _count(some, tau[f"inconsistency of {name}"])
        panel.finish(title, count, x, "share of documents", grid="xy")
    return grid.with_legend(_of_topics(colors), title="topic")


@style.themed
def figure_5_12(seen: pd.DataFrame, *, topics: Names = None) -> Figure:
    """Draw how many documents were judged by how many workers."""
    if not len(seen):
        raise ParameterError("no answer says whose it is: leave figure-5.12 out")
    grid = panel_grid(_topics(seen, "documents", topics), 12, pitch=8, height=1.4)
    for panel, topic in grid:
        axes, some = panel.axes, seen[seen["topic"] == topic]
        axes.bar(some["workers"], some["documents"], width=0.9, color=BLUE)
        style.whole_numbers(axes.xaxis, 6)
        panel.finish(topic, f"n = {some['documents'].sum():,}", "workers", "documents")
    return grid.figure


@style.themed
def figure_5_13(workers: pd.DataFrame, *, topics: Names = None) -> Figure:
    """Draw how many documents each worker judged, in one unit, in two, in more."""
    known = workers.dropna(subset=["worker"])
    known = known[known["documents"] > 0]  # the others' answers were all left out
    if not len(known):
        raise ParameterError("no answer says whose it is: leave figure-5.13 out")
    units = {"once": PINK, "twice": ORANGE, "more": RED}
    grid = panel_grid(_topics(known, "documents", topics), 12, pitch=8, height=1.4, share="y")
    for panel, topic in grid:
        some = known[known["topic"] == topic].sort_values(["documents", "worker"])
        place, bottom = np.arange(len(some)) + 1, np.zeros(len(some))
        for column, color in units.items():
            panel.axes.bar(place, some[column], bottom=bottom, width=1.0, color=color)
            bottom += some[column].to_numpy()
        workers_said = counted(len(some), "worker")
        panel.finish(topic, workers_said, "worker, by documents", "documents", outer="xy")
    names = {"in one unit": PINK, "in two units": ORANGE, "in more units": RED}
    return grid.with_legend(style.patches(names))


@style.themed
def figure_5_14(times: pd.DataFrame, fits: pd.DataFrame, *, topics: Names = None) -> Figure:
    """Draw how long answers take, and the gamma distributions fitted to that."""
    of_topics = times[times["topic"] != ALL_TOPICS]
    if not len(of_topics):
        raise ParameterError("no answer says how long it took: leave figure-5.14 out")
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
    workers: pd.DataFrame,
    worker_labels: pd.DataFrame,
    relations: pd.DataFrame,
    label_relations: pd.DataFrame,
) -> Figure:
    """Draw the time that workers take for a document by how much they do, and by its labels.

    The thesis also has documents' lengths, which answers and labels do not tell.
    """
    timed = workers.dropna(subset=["per_document"])
    if not len(timed):
        raise ParameterError("no answer says how long it took: leave figure-5.15 out")
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
        panel.finish(name, _count(some, tau), "mean seconds for a document", name, grid="xy")
    return grid.with_legend(_of_topics(colors), title="topic")


def _count(rows: pd.DataFrame, tau: float) -> str:
    return f"n = {len(rows):,}, {style.TAU_LABEL} {style.number(tau, 3)}"


def _topics(table: pd.DataFrame, column: str, topics: Names) -> list[str]:
    """The topics asked for, or those with the largest sum of a column; sorted."""
    sums = table.groupby("topic", observed=True)[column].sum()
    return sorted(map(str, topics or sums.nlargest(TOPICS).index))


def _topic_colors(topics: pd.Series) -> dict[str, str]:
    """A colour for each topic; one for all where there are too many to tell apart."""
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

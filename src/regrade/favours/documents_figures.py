"""The figures of which documents carry a judge's favour.  Nothing is computed here."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.errors import ParameterError, did_you_mean
from regrade.favours.documents import DEEPER, OTHERS, SHARED, UNIQUE
from regrade.favours.effects import ALL, EQUAL
from regrade.favours.family_favour import baseline_of
from regrade.favours.figures import family_panels
from regrade.show import style
from regrade.show.style import Axes, Figure

COLORS = {UNIQUE: "#D55E00", SHARED: "#0072B2", OTHERS: "#999999", DEEPER: "#CCCCCC"}
NAMES = {
    UNIQUE: "unique documents",
    SHARED: "shared documents",
    OTHERS: "documents of others",
    DEEPER: "deeper documents",
}
MOST_TOPICS = 100
"""Topics that are named."""

_TEXTS = dict.fromkeys(("measure", "judge", "family", "beside", "peers"), str)


@style.themed
def figure_documents(
    documents: pd.DataFrame, effects: pd.DataFrame, *, measure: str | None = None
) -> Figure:
    """Draw the parts of each favour: a panel for each family, a stack of bars for each judge.

    A dot is the favour, with its simultaneous interval.
    """
    rows = _of_measure(documents.astype(_TEXTS | {"carriers": str}), measure)
    favour = _of_measure(effects.astype(_TEXTS), rows["measure"].iloc[0])
    beside = baseline_of(favour)
    peers = _peers(rows, beside)
    rows = rows[(rows["beside"] == beside) & (rows["peers"] == peers)]
    favour = favour[(favour["beside"] == beside) & (favour["peers"] == peers)]
    judges, families = (list(dict.fromkeys(rows[name])) for name in ("judge", "family"))
    figure, panels = family_panels(len(families), 0.5 + 0.17 * len(judges), 0.6)
    for axes, family in zip(panels, families, strict=True):
        axes.axvline(0, color="black", lw=0.6)
        for y, judge in enumerate(judges):
            own = rows[(rows["family"] == family) & (rows["judge"] == judge)]
            _stack(axes, y, dict(zip(own["carriers"], own["carried"], strict=True)))
        total = favour[(favour["family"] == family) & favour["judge"].isin(judges)]
        for row in total.itertuples():
            y = judges.index(row.judge)
            if np.isfinite(row.low):
                axes.plot([row.low, row.high], [y, y], color="black", lw=0.7)
            axes.plot([row.favour], [y], "o", color="black", ms=3)
        style.name_rows(axes, judges)
        axes.set_title(family)
        axes.grid(axis="x")
    panels[0].locator_params(axis="x", nbins=4)
    metric = f"favour in {rows['measure'].iloc[0]}, simultaneous 95% CI"
    figure.supxlabel(metric, size=style.FONT_SIZE, parse_math=False)
    used = [name for name in NAMES if name in set(rows["carriers"])]
    return style.legend(figure, style.patches({NAMES[name]: COLORS[name] for name in used}))


def _stack(axes: Axes, y: int, parts: dict[str, float]) -> None:
    """Bars from 0 to the right of positive parts, to the left of negative ones."""
    ends = {True: 0.0, False: 0.0}
    for name in (one for one in NAMES if one in parts):
        width = parts[name]
        axes.barh(y, width, 0.7, left=ends[width > 0], color=COLORS[name], lw=0)
        ends[width > 0] += width


@style.themed
def figure_topics(
    topic_parts: pd.DataFrame,
    topic_effects: pd.DataFrame,
    effects: pd.DataFrame,
    *,
    measure: str | None = None,
    judge: str | None = None,
    family: str | None = None,
) -> Figure:
    """Draw a favour of each topic beside the reference, the largest first, by documents.

    Dots are the sums of the parts, squares the same of the controls.
    """
    keys = dict.fromkeys(("measure", "judge", "family", "topic"), str)
    rows = _of_measure(topic_parts.astype(keys), measure)
    judge, family = _chosen(_of_measure(effects.astype(_TEXTS), measure), rows, judge, family)
    rows = rows[(rows["judge"] == judge) & (rows["family"] == family)]
    every = topic_effects.astype(keys)
    rows = rows.merge(every, on=[*keys]).sort_values("value", ascending=False, kind="stable")
    figure, axes = style.new_axes(style.DOUBLE_COLUMN, 2.4)
    axes.axhline(0, color="black", lw=0.6)
    for x, row in enumerate(rows.itertuples()):
        ends = {True: 0.0, False: 0.0}
        for name in (UNIQUE, SHARED, OTHERS):
            height = getattr(row, f"of_{name}")
            axes.bar(x, height, 0.8, bottom=ends[height > 0], color=COLORS[name], lw=0)
            ends[height > 0] += height
    control = rows["control"].to_numpy(float)
    axes.plot(np.arange(len(rows)), rows["value"], "o", color="black", ms=2.5)
    handles = style.patches({NAMES[name]: COLORS[name] for name in (UNIQUE, SHARED, OTHERS)})
    handles += style.marks({judge: {"color": "black", "marker": "o"}}, ls="", ms=2.5)
    if np.isfinite(control).any():
        look = {"color": "black", "marker": "s", "fillstyle": "none"}
        axes.plot(np.arange(len(rows)), control, ls="", ms=3, mew=0.6, **look)
        handles += style.marks({"controls": look}, ls="", ms=3)
    names = rows["topic"].tolist() if len(rows) <= MOST_TOPICS else []
    style.name_columns(axes, names, length=0)
    axes.tick_params(axis="x", rotation=90, labelbottom=bool(names))
    axes.set_xlabel("topic")
    axes.set_ylabel(f"favour of {family}, {rows['measure'].iloc[0]}", parse_math=False)
    axes.grid(axis="y")
    return style.legend(figure, handles)


def _of_measure(rows: pd.DataFrame, measure: str | None) -> pd.DataFrame:
    known = list(dict.fromkeys(rows["measure"]))
    if not known:
        raise ParameterError("no measure is a sum over documents: choose one such as nDCG@10")
    chosen = known[0] if measure is None else str(measure)
    if chosen not in known:
        raise ParameterError(f"no documents carry {chosen}{did_you_mean(chosen, known)}")
    return rows[rows["measure"] == chosen]


def _peers(rows: pd.DataFrame, beside: str) -> str:
    """At equal quality, where there are such rows."""
    own = rows[rows["beside"] == beside]
    return EQUAL if (own["peers"] == EQUAL).any() else ALL


def _chosen(
    effects: pd.DataFrame, rows: pd.DataFrame, judge: str | None, family: str | None
) -> tuple[str, str]:
    """The judge and the family of the largest favour, of those that are named."""
    beside = baseline_of(effects)
    peers = _peers(effects, beside)
    own = effects[(effects["beside"] == beside) & (effects["peers"] == peers)]
    own = own[own["judge"].isin(rows["judge"])]
    for name, value in (("judge", judge), ("family", family)):
        if value is not None:
            if value not in set(own[name]):
                raise ParameterError(f"unknown {name} '{value}'{did_you_mean(value, own[name])}")
            own = own[own[name] == value]
    largest = own.loc[own["favour"].abs().fillna(-1.0).idxmax()]
    return largest["judge"], largest["family"]

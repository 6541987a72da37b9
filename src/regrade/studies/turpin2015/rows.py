"""What figures of turpin2015 share: a reference's rows, the order of levels, names and counts.

Tables of the stage ``magnitudes`` hold several references (measures, topics, pairs of levels): a
figure draws a panel for each, or for the one reference that it is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from regrade.errors import check_choice
from regrade.show import style
from regrade.show.panels import require


def of_reference(
    table: pd.DataFrame, reference: str | None, columns: str, source: str, of: str = "reference"
) -> pd.DataFrame:
    """The rows of a reference, or all."""
    table = require(table, source, f"{of} {columns}").astype({of: str})
    if reference is None:
        return table
    check_choice("reference", reference, list(dict.fromkeys(table[of])))
    return table[table[of] == reference]


def by_level(rows: pd.DataFrame) -> pd.DataFrame:
    """In the order of levels, documents without one first, as in the paper."""
    return rows.sort_values("level", na_position="first", ignore_index=True)


def short_names(measures: Sequence[str]) -> dict[str, str]:
    """Measures without their parameters, where that tells them apart."""
    short = {measure: re.sub(r"\(.*\)", "", measure) for measure in measures}
    names = list(short.values())
    return {full: name if names.count(name) == 1 else full for full, name in short.items()}


def box_counts(
    axes: Axes, places: Sequence[float], rows: pd.DataFrame, n: str = "n", beyond: str = ""
) -> None:
    """How many each box has, along the top, and how many of them lie beyond what is drawn."""
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        more = f"\n+{int(row[beyond]):,}" if beyond else ""
        where = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "top"}
        axes.text(place, 0.98, f"{int(row[n]):,}{more}", color=style.GREY, zorder=6, **where)

"""What the page draws of two sets of labels: documents by both grades, systems by both scores."""

from __future__ import annotations

import pandas as pd

from regrade.show.charts import Picture, csv_of, matrix, scatter


def pictures(card: str, first: str, second: str, *tables: pd.DataFrame) -> list[Picture]:
    """The pictures that there is enough to draw of.

    From the tables ``compare/confusion`` (none of scores by item) and ``compare/systems``, of the
    first measure.
    """
    *of_labels, systems = tables
    shown = [_grades(card, first, second, one) for one in of_labels]
    if len(systems):
        shown.append(_systems(card, first, second, systems))
    return [one for one in shown if one.svg]


def _grades(card: str, first: str, second: str, confusion: pd.DataFrame) -> Picture:
    both = confusion.dropna(subset=["first_grade", "second_grade"])
    counts = {
        (row.first_grade, row.second_grade): row.documents for row in both.itertuples(index=False)
    }
    cells = [(*grades, count) for grades, count in counts.items()]
    return Picture(
        f"{card}-confusion",
        matrix(counts, (first, second)),
        f"Documents judged by both, by their grade from {first} (rows) and from {second} "
        "(columns); the shade is the share of the row.",
        csv_of([first, second, "documents"], cells),
    )


def _systems(card: str, first: str, second: str, systems: pd.DataFrame) -> Picture:
    measure = str(systems["measure"].iloc[0])
    rows = systems[systems["measure"].astype(str) == measure]
    names = rows["system"].astype(str).tolist()
    axes = f"{measure}, {first}", f"{measure}, {second}"
    return Picture(
        f"{card}-systems",
        scatter(names, rows["first"], rows["second"], axes),
        f"Mean {measure} of each system with {first} and with {second}; the line is that "
        "of equal scores. Named: the largest rank changes.",
        csv_of(["system", first, second], rows[["system", "first", "second"]].to_numpy()),
    )

"""What the page draws of two sets of labels: both grades of documents, bias, both scores."""

from __future__ import annotations

import pandas as pd

from regrade.show.charts import Picture, biases, csv_of, matrix, scatter


def pictures(card: str, first: str, second: str, *tables: pd.DataFrame) -> list[Picture]:
    """The pictures that there is enough to draw of.

    From the tables ``compare/confusion`` and ``compare/grade_bias`` (none of scores by item) and
    ``compare/systems``, of the first measure.
    """
    *of_labels, systems = tables
    drawn = []
    if of_labels:
        confusion, bias = of_labels
        drawn.append(_grades(card, first, second, confusion))
        drawn.append(_bias(card, first, second, bias.dropna(subset=["difference"])))
    if len(systems):
        drawn.append(_systems(card, first, second, systems))
    return [one for one in drawn if one.svg]


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


def _bias(card: str, first: str, second: str, rows: pd.DataFrame) -> Picture:
    """The mean difference of grades by the first set's grade."""
    names = [f"{grade:g}" for grade in rows["grade"]]
    ends = rows[["difference", "low", "high"]].astype(object)
    ends = ends.where(ends.notna(), None).to_numpy().tolist()
    columns = ["grade", "documents", "topics", "difference", "low", "high"]
    return Picture(
        f"{card}-bias",
        biases(names, ends, (f"grade from {first}", f"mean difference, {second} − {first}")),
        f"Mean grade of {second} less that of {first}, over the co-judged documents of each grade "
        f"from {first}, with 95% CIs over topics. Dashed: no bias.",
        csv_of(columns, rows[columns].astype(object).where(rows[columns].notna(), "").to_numpy()),
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

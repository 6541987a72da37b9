"""The tables of a ranking, arranged from what its stage made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.table import SHOWN
from regrade.ranking.items import RANKING
from regrade.show.item_tables import TablePart, takes
from regrade.show.published import (
    Column,
    Tables,
    col,
    interval,
    listing,
    melted,
    p_text,
    text,
    tidy_beside,
)
from regrade.wording import counted, number

ITEMS = RANKING.by_name

COEFFICIENTS = {"e_rho2": "Eρ²", "phi": "Φ", "tau": "τ_b with the population ranking"}
"""As tables for reading name them."""

_SYSTEM = ["mean", "low", "high", "rank", "p_best", "rank_low", "rank_high", "tier", "share_first",
           "share_top"]  # fmt: skip
_PAIR = ["difference", "low", "high", "p_interval", "all_low", "all_high", "p", "p_corrected",
         "p_tukey", "p_adjusted", "effect", "won", "even", "detectable"]  # fmt: skip


def table_answer(answer: pd.DataFrame, facts: pd.DataFrame) -> Tables:
    """The sentences and the leaderboard; the tidy table has the numbers that they are made of."""
    known = facts[facts["value"].notna()].rename(columns={"value": "ours"})
    tidy = tidy_beside(ITEMS["table-answer"], known)
    of = Answer.of_frame(answer)
    lines = [(part, text) for part, text in of.parts if part not in ("rows", "table")]
    return tidy, pd.DataFrame([*lines, *_leaders(of)], columns=["part", "answer"])


def _leaders(answer: Answer) -> Iterator[tuple[str, str]]:
    """The first rows of the leaderboard, each as a line."""
    if answer.rows:
        yield "leaderboard", answer.rows.title
        header = answer.rows.header()
        for cells in islice(answer.rows.cells(), SHOWN):
            named = (f"{name} {cell}" for name, cell in zip(header, cells, strict=True) if cell)
            yield "system", ", ".join(named)


def table_systems(systems: pd.DataFrame, *, limit: int) -> Tables:
    """The best systems of each measure."""
    rows = _first_of_each(systems, limit, ["measure", "system"])
    tidy = tidy_beside(
        ITEMS["table-systems"], melted(rows, ["measure", "system"], "quantity", _SYSTEM)
    )
    k = int(rows["k"].iloc[0]) if len(rows) else 0
    return tidy, listing(
        rows, col("measure"), col("system"), col("mean", "z.4f"),
        interval("low", "high", "z.4f", "95% CI"), col("rank", "z.0f"),
        _p("p_best", "p (MCB)"),
        interval("rank_low", "rank_high", "z.0f", "rank, 95% simultaneous confidence set"),
        col("tier", "z.0f"),
        col("share_first", ".1%", "first in samples"),
        col("share_top", ".1%", f"among the first {k}"),
    )  # fmt: skip


@takes(pairs=TablePart(kept=lambda some, limit: some.groupby("measure", observed=True).head(limit)))
def table_pairs(pairs: pd.DataFrame, *, limit: int) -> Tables:
    """Pairs of each measure, those of the best systems first."""
    rows = _first_of_each(pairs, limit, ["measure", "system", "other"])
    keys = ["measure", "system", "other"]
    tidy = tidy_beside(ITEMS["table-pairs"], melted(rows, keys, "quantity", _PAIR))
    return tidy, listing(
        rows, col("measure"), col("system"), col("other"),
        col("difference", "z.4f"), interval("low", "high", "z.4f", "95% CI"),
        _p("p_interval", "p of the CI"),
        interval("all_low", "all_high", "z.4f", "95% simultaneous CI"), _p("p", "p, chosen test"),
        _p("p_corrected", "p, corrected"), _p("p_tukey", "p (Tukey HSD)"),
        _p("p_adjusted", "p (stepdown)"), col("effect", "z.2f", "d"),
        col("won", ".1%", "topics won"), col("detectable", "z.4f", "min. detectable difference"),
    )  # fmt: skip


def _p(name: str, title: str) -> Column:
    return Column(title, lambda rows: map(p_text, rows[name]))


def table_reliability(
    variances: pd.DataFrame, reliability: pd.DataFrame, needed: pd.DataFrame, facts: pd.DataFrame
) -> Tables:
    """Variances, coefficients of the collection's topics, topics for what is to be reached."""
    topics = facts.loc[facts["quantity"].astype(str) == "topics", "value"].iloc[0]
    now = reliability[reliability["topics"] == topics]
    rows = [
        *((r.measure, "variance", r.quantity, r.value, r.low, r.high, 6, text(r.share, ".1%"))
          for r in variances.itertuples()),
        *((r.measure, f"reliability of {topics:.0f} topics", COEFFICIENTS[r.quantity], r.value,
           r.low, r.high, 3, "") for r in now.itertuples()),
        *((r.measure, "topics needed", f"{COEFFICIENTS[r.quantity]} ≥ {r.target:.2f}", r.needed,
           r.low, r.high, 0, "") for r in needed.itertuples()),
    ]  # fmt: skip
    return _listed("table-reliability", rows, "share")


def table_power(detectable: pd.DataFrame, needed_differences: pd.DataFrame) -> Tables:
    """Quartiles over pairs: minimum detectable differences, and topics that a difference needs."""
    correction = {"none": "uncorrected", "all pairs": "corrected for all pairs"}
    rows = [
        *((r.measure, "min. detectable difference", correction[r.correction], r.median, r.q1, r.q3,
           4, f"{r.smaller:,} of {r.pairs:,} are smaller") for r in detectable.itertuples()),
        *((r.measure, "topics needed", f"to detect {r.target:g}", r.median, r.q1, r.q3, 0, "")
          for r in needed_differences.itertuples()),
    ]  # fmt: skip
    tidy, table = _listed("table-power", rows, "observed differences")
    return tidy, table.rename(columns={"value": "median over pairs", "95% CI": "quartiles"})


def table_judges(judge_variances: pd.DataFrame, judge_reliability: pd.DataFrame) -> Tables:
    """Variances, and the coefficients of each number of topics and judges."""
    rows = [
        *((r.measure, "variance", r.quantity, r.value, None, None, 6, text(r.share, ".1%"))
          for r in judge_variances.itertuples()),
        *((r.measure, f"{name} of {counted(r.topics, 'topic')}", counted(r.judges, "judge"), value,
           None, None, 3, "") for r in judge_reliability.itertuples()
          for name, value in (("Eρ²", r.e_rho2), ("Φ", r.dependability))),
    ]  # fmt: skip
    tidy, table = _listed("table-judges", rows, "share")
    return tidy, table.drop(columns="95% CI")


def _listed(item: str, rows: Sequence[tuple], further: str) -> Tables:
    """A line for each row: measure, part, quantity, value, ends, decimals, and something more."""
    names = ["measure", "part", "quantity", "ours", "low", "high", "decimals", further]
    frame = pd.DataFrame(rows, columns=names).astype({"ours": float, "low": float, "high": float})
    tidy = tidy_beside(ITEMS[item], frame)
    table = frame[["measure", "part", "quantity"]].astype(str)
    table["value"] = [
        number(v, d, "") for v, d in zip(frame["ours"], frame["decimals"], strict=True)
    ]
    table["95% CI"] = [
        f"{number(low, digits)} to {number(high, digits)}" if pd.notna(low + high) else ""
        for low, high, digits in zip(frame["low"], frame["high"], frame["decimals"], strict=True)
    ]
    table[further] = frame[further]
    return tidy, table


def _first_of_each(table: pd.DataFrame, limit: int, texts: Sequence[str]) -> pd.DataFrame:
    rows = table.astype(dict.fromkeys(texts, str))
    return rows.groupby("measure", sort=False).head(limit).reset_index(drop=True)

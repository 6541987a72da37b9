"""What the answer about magnitudes is made of: numbers beside each reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.kendall import places


def gain_numbers(tables: Mapping[str, pd.DataFrame], seed: int) -> pd.DataFrame:
    """The table ``magnitudes/numbers``, from others of the same stage and the seed of its draws."""
    references = dict.fromkeys(tables["gain_profiles"]["reference"].astype(str))
    rows = [row for one in references for row in _numbers(tables, one, seed)]
    return pd.DataFrame(rows, columns=columns_of("magnitudes/numbers"))


def _numbers(tables: Mapping[str, pd.DataFrame], reference: str, seed: int) -> Iterator[tuple]:
    """Rows of reference, quantity, level, value and the ends of its interval."""

    def row(quantity: str, value: float, level: float = np.nan, *ends: float) -> tuple:
        return reference, quantity, level, float(value), *(ends or (np.nan, np.nan))

    units = tables["units"]
    yield row("seed", seed)
    yield row("units", len(units))
    yield row("units that fail", units["problems"].notna().sum())
    yield row("units left out", (~units["kept"]).sum())
    levels = _of(tables["levels"], reference, topic=ALL_TOPICS, aggregate="median")
    yield row("documents", levels["n"].sum())
    yield row("documents labelled", levels.loc[levels["level"].notna(), "n"].sum())
    profiles = _of(tables["gain_profiles"], reference, topic=ALL_TOPICS)
    for one in profiles.itertuples():
        yield row(f"{one.profile} gain", one.gain, one.level)
    likely = _of(tables["gain_likelihoods"], reference)
    for one in likely.itertuples():
        yield row(f"{one.profile} log-likelihood", one.per_contrast)
        if one.profile != "linear":
            gained = f"{one.profile} over linear"
            yield row(gained, one.difference, np.nan, one.low, one.high)
            yield row(f"{gained} p", one.p)
    yield row("topics left out in parts", likely["topics"].max())
    adjacent = _of(tables["exceptions"], reference, aggregate="median", pairs="adjacent")
    yield row("cases", (adjacent["cases"] - adjacent["undefined"]).sum())
    yield row("exceptions", adjacent["exceptions"].sum())
    yield from (row(*one) for one in _agreement(tables["agreement"], reference))
    if "rankings" in tables:
        yield from (row(*one) for one in _systems(tables, reference))


def _of(table: pd.DataFrame, reference: str, **cell: str) -> pd.DataFrame:
    """The rows of one reference, and of one cell of the table."""
    chosen = table["reference"].astype(str) == reference
    for column, value in cell.items():
        chosen &= table[column].astype(str) == value
    return table[chosen]


def _agreement(agreement: pd.DataFrame, reference: str) -> Iterator[tuple]:
    """How many pairs magnitudes order as the reference does, over all topics."""
    own = agreement.astype({"first": str, "second": str, "topic": str})
    own = own[(own["first"] == "magnitudes") & (own["second"] == reference)]
    whole = own[(own["topic"] == ALL_TOPICS) & own["lower"].isna()]
    for one in whole.head(1).itertuples():
        yield "pairs", one.pairs
        yield "concordant pairs", one.concordant
        yield "tied pairs", one.tied
        yield "ordered alike", one.ordered, np.nan, one.ordered_low, one.ordered_high


def _systems(tables: Mapping[str, pd.DataFrame], reference: str) -> Iterator[tuple]:
    """What magnitudes as gains make of the ranking of the runs, by each measure."""
    cell = {"over": "runs", "gains": "magnitudes"}
    for one in _of(tables["rankings"], reference, **cell).itertuples():
        of = _of(tables["systems"], reference, over="runs", measure=str(one.measure))
        moves = np.abs(_ranks(of, "magnitudes") - _ranks(of, "reference"))
        yield f"systems by {one.measure}", one.n_systems
        yield f"topics by {one.measure}", one.n_topics
        yield f"tau by {one.measure}", one.tau
        yield f"moving by {one.measure}", (moves > 0).sum()
        yield f"farthest by {one.measure}", moves.max() if len(moves) else 0
        may_be = [_may_be_first(of, gains) for gains in ("reference", "magnitudes")]
        yield f"may be best by {one.measure}", len(may_be[0])
        yield f"may be best under magnitudes by {one.measure}", len(may_be[1])
        yield f"may be best under both by {one.measure}", len(may_be[0] & may_be[1])
    for one in _of(tables["unanimity"], reference, over="runs").itertuples():
        yield f"pairs of systems by {one.measure}", one.pairs
        yield f"settled pairs by {one.measure}", one.above_95


def _ranks(systems: pd.DataFrame, gains: str) -> np.ndarray:
    """Ranks of the systems, by name, under one kind of gains."""
    own = systems[systems["gains"].astype(str) == gains]
    return places(own.sort_values("system", key=lambda s: s.astype(str))["score"].to_numpy())


def _may_be_first(systems: pd.DataFrame, gains: str) -> set[str]:
    """The systems that may be the best under one kind of gains."""
    own = systems[(systems["gains"].astype(str) == gains) & systems["may_be_first"]]
    return {*own["system"].astype(str)}

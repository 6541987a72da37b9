"""What are magnitudes worth as gains?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.changed import reordered_said
from regrade.answers.shape import Answer
from regrade.answers.words import listed, signed
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.intervals import INTERVALS
from regrade.kendall import places
from regrade.magnitudes.stage import Magnitudes
from regrade.wording import counted

TABLES = ("magnitudes/numbers",)

FEW_LABELLED = 0.5
"""Where fewer of the documents have a label it is said."""

FEWEST = INTERVALS["mean_over_topics"].fewest
"""Topics from which on systems are told from the best."""

USUAL = ("linear", "exponential")
"""The gains that are given, not fitted."""


def answered(tables: Mapping[str, pd.DataFrame], shift: float = 0.0) -> dict[str, pd.DataFrame]:
    """The tables ``magnitudes/numbers`` and ``magnitudes/answer``."""
    references = list(dict.fromkeys(tables["gain_profiles"]["reference"].astype(str)))
    rows = [row for one in references for row in _numbers(tables, one)]
    numbers = pd.DataFrame(rows, columns=columns_of("magnitudes/numbers"))
    return {"numbers": numbers, "answer": answer(numbers, shift)}


def _numbers(tables: Mapping[str, pd.DataFrame], reference: str) -> Iterator[tuple]:
    """Rows of reference, quantity, level, value and the ends of its interval."""

    def row(quantity: str, value: float, level: float = np.nan, *ends: float) -> tuple:
        return reference, quantity, level, float(value), *(ends or (np.nan, np.nan))

    units = tables["units"]
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
        yield row(f"{one.profile} likelier than linear", one.better_share)
    yield row("units left out in parts", likely["units"].max())
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
    """The share of pairs that magnitudes order as the reference does, over all topics."""
    own = agreement.astype({"first": str, "second": str, "topic": str})
    own = own[(own["first"] == "magnitudes") & (own["second"] == reference)]
    whole = own[(own["topic"] == ALL_TOPICS) & own["lower"].isna()]
    for one in whole.head(1).itertuples():
        yield "pairs", one.pairs
        yield "share alike", one.share, np.nan, one.share_low, one.share_high
        yield "share alike, none equal", one.strict_share


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


class _Found:
    """The numbers of one reference."""

    def __init__(self, numbers: pd.DataFrame, reference: str):
        self.reference = reference
        own = numbers[numbers["reference"].astype(str) == reference]
        self.whole = own[own["level"].isna()].set_index("quantity")
        self.levels = own[own["level"].notna()]

    def __getitem__(self, quantity: str) -> float:
        return float(self.whole.at[quantity, "value"])

    def __contains__(self, quantity: str) -> bool:
        return quantity in self.whole.index

    def gains(self, profile: str) -> dict[float, float]:
        """Gain by level."""
        own = self.levels[self.levels["quantity"] == f"{profile} gain"]
        return dict(zip(own["level"], own["value"], strict=True))

    def likelihoods(self) -> dict[str, float]:
        """Log-likelihood by profile, where it is known."""
        ending = " log-likelihood"
        return {
            quantity.removesuffix(ending): value
            for quantity, value in self.whole["value"].items()
            if quantity.endswith(ending) and np.isfinite(value)
        }

    @property
    def measures(self) -> list[str]:
        """Those that rank systems."""
        start = "tau by "
        return [name.removeprefix(start) for name in self.whole.index if name.startswith(start)]


def answer(numbers: pd.DataFrame, shift: float) -> Answer:
    """Of the first reference a verdict and facts, of each further one what it says of gains."""
    references = list(dict.fromkeys(numbers["reference"].astype(str)))
    first, *others = (_Found(numbers, one) for one in references)
    said = [
        *(ranked_said(first, measure) for measure in first.measures),
        gains_said(first),
        likelier_said(first),
        pairs_said(first),
        exceptions_said(first),
        *(best_said(first, measure) for measure in first.measures[:1]),
        *(settled_said(first, measure) for measure in first.measures[:1]),
        *(gains_said(one) for one in others),
    ]
    return Answer.of(
        Magnitudes.question,
        said,
        how=f"Judgments of {counted(first['units'], 'unit')}, put on one scale within each topic; "
        "a document's magnitude is the middle one of its judgments. Gains are fitted to ratios "
        "within units, and judged by documents that the fit has not seen.",
        warnings=warned(first, shift),
        tables=TABLES,
    )


def ranked_said(found: _Found, measure: str) -> str:
    """How much magnitudes as gains reorder the systems."""
    systems = int(found[f"systems by {measure}"])
    changing = f"Taking magnitudes for gains instead of {found.reference}"
    if not systems or not found[f"topics by {measure}"]:
        return f"{changing} cannot be judged by {measure}: nothing is shared."
    return reordered_said(
        changing,
        systems,
        found[f"tau by {measure}"],
        int(found[f"moving by {measure}"]),
        int(found[f"farthest by {measure}"]),
        measure,
    )


def gains_said(found: _Found) -> str:
    """The gain of each level of a reference."""
    gains = found.gains("fitted")
    if len(gains) < 2 or not np.isfinite([*gains.values()]).all():
        return f"No unit compares all levels of {found.reference}: magnitudes give them no gains."
    levels = listed([f"{level:g}" for level in gains])
    return (
        f"Magnitudes give the levels {levels} of {found.reference} the gains "
        f"{listed([signed(gain, 1) for gain in gains.values()])}."
    )


def likelier_said(found: _Found) -> str:
    """Which gains left-out documents speak for."""
    known = found.likelihoods()
    if not set(USUAL) <= set(known):
        return ""
    best = max(known, key=known.get)
    if len(found.gains("linear")) < 3:  # of two levels, all given gains are one
        return f"Of documents that no fit has seen, {best} gains are the likeliest."
    first, last = sorted(USUAL, key=known.get, reverse=True)
    share = found["exponential likelier than linear"]
    said = (
        f"Of documents that no fit has seen, {first} gains are likelier than {last} ones "
        f"(exponential ones in {share:.0%} of {counted(found['units left out in parts'], 'unit')})"
    )
    return f"{said}." if best == first else f"{said}; the likeliest of all are {best} ones."


def pairs_said(found: _Found) -> str:
    """How often magnitudes order two documents of two levels as the levels do."""
    if "share alike" not in found or not found["pairs"]:
        return f"Magnitudes and {found.reference} share no two documents of two levels."
    row = found.whole.loc["share alike"]
    ends = "" if pd.isna(row["low"]) else f" ({row['low']:.0%} to {row['high']:.0%})"
    unequal = f"{found['share alike, none equal']:.0%}"
    without = "" if unequal == f"{row['value']:.0%}" else f"; without these {unequal}"
    return (
        f"Magnitudes order {row['value']:.0%}{ends} of the pairs of documents of two levels as "
        f"{found.reference} does, equal magnitudes among them{without}."
    )


def exceptions_said(found: _Found) -> str:
    """How often a higher level has no higher magnitudes."""
    if not found["cases"]:
        return ""
    return (
        f"In {found['exceptions']:,.0f} of {counted(found['cases'], 'case')} the higher of two "
        "adjacent levels of a topic has no higher median."
    )


def best_said(found: _Found, measure: str) -> str:
    """How many systems may be the best, where topics are enough to tell."""
    names = ("may be best", "may be best under magnitudes", "may be best under both")
    here, there, both = (found[f"{name} by {measure}"] for name in names)
    if not here or not there or found[f"topics by {measure}"] < FEWEST:
        return ""
    if both == found[f"systems by {measure}"]:
        return f"No system is surely not the best, under {found.reference} or under magnitudes."
    return (
        f"With endless topics the best may be any of {counted(here, 'system')} under "
        f"{found.reference} and of {there:,.0f} under magnitudes, {both:,.0f} of them under both."
    )


def settled_said(found: _Found, measure: str) -> str:
    """How many pairs of systems one judgment per document settles."""
    if f"pairs of systems by {measure}" not in found:
        return ""
    pairs = found[f"pairs of systems by {measure}"]
    if not pairs:
        return ""
    return (
        f"With one judgment of each document, {found[f'settled pairs by {measure}']:,.0f} of "
        f"{counted(pairs, 'pair')} of systems keep their order in 95% of draws."
    )


def warned(found: _Found, shift: float) -> Iterator[str]:
    """What a user would not expect."""
    if shift:
        yield (
            "A constant was added to all values because some are 0: all ratios, and so all gains, "
            "depend on it."
        )
    labelled, documents = found["documents labelled"], found["documents"]
    if labelled < FEW_LABELLED * documents:
        yield (
            f"{found.reference} has labels of {labelled:,.0f} of {counted(documents, 'document')} "
            f"only; there are magnitudes of all."
        )
    if found["units that fail"]:
        out = found["units left out"]
        left = f"{out:,.0f} are left out" if out else "all are kept"
        yield (
            f"Of {counted(found['units'], 'unit')} {found['units that fail']:,.0f} fail a check; "
            f"{left}."
        )

"""Which documents full judging is of: those that models list, and those that runs rank high enough.

A document that a run ranks within a measure's depth counts, whether or not a model has a value of
it.  Measures without a depth count what models list: pools are what they are of elsewhere too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.errors import ParameterError
from regrade.estimation.functionals import Sum, functionals
from regrade.measures import Measure, parse_all
from regrade.run_arrays import NO_DOCUMENT, RankedLists
from regrade.scales import Scale
from regrade.wording import counted

_KEY = ["topic", "docno"]


def depth_of(measures: Sequence[str | Measure]) -> int:
    """The deepest rank that measures with a cutoff count; 0 where none has one."""
    return max((measure["cutoff"] or 0 for measure in parse_all(measures)), default=0)


def ranked_within(
    ranked: RankedLists | None, measures: Sequence[str | Measure], topics: Iterable[str]
) -> pd.DataFrame:
    """``topic`` and ``docno`` of what runs rank within the depth of measures, of some topics."""
    depth = 0 if ranked is None else depth_of(measures)
    if not depth:
        return pd.DataFrame({name: pd.Series(dtype=object) for name in _KEY})
    codes = np.unique(ranked.top(depth))
    codes = codes[codes != NO_DOCUMENT]
    topic = np.searchsorted(ranked.name_offsets, codes, side="right") - 1
    own = np.isin(topic, np.flatnonzero(np.isin(ranked.topics, [*topics])))
    names = np.array(ranked.topics, object)[topic[own]]
    return pd.DataFrame({"topic": names, "docno": ranked.docnos[codes[own]]})


def with_ranked(
    values: pd.DataFrame, ranked: RankedLists | None, measures: Sequence[str | Measure]
) -> pd.DataFrame:
    """Models' values, and a row without any for what only runs list, of the models' topics."""
    return values.merge(ranked_within(ranked, measures, set(values["topic"])), how="outer", on=_KEY)


def check_ranked(
    documents: pd.DataFrame, ranked: RankedLists | None, measures: Sequence[str | Measure]
) -> None:
    """Refuse documents that lack some which runs rank within the depth of measures."""
    needed = ranked_within(ranked, measures, set(documents["topic"]))
    rows = needed.merge(documents[_KEY], how="left", on=_KEY, indicator=True)
    lacking = rows[rows["_merge"] == "left_only"]
    if not len(lacking):
        return
    row = lacking.iloc[0]
    raise ParameterError(
        f"labels give no inclusion probability for {counted(len(lacking), 'document')} "
        f"that runs rank within the depth of {', '.join(map(str, parse_all(measures)))}, "
        f"such as {row['docno']} for topic {row['topic']}: choose documents by these runs "
        "and measures (assign), or leave out the runs and measures that need other "
        "documents"
    )


def unlisted_shares(
    values: pd.DataFrame,
    ranked: RankedLists | None,
    measures: Sequence[str | Measure],
    scale: Scale,
) -> Mapping[str, float]:
    """Which part of the ranks that a measure counts holds documents without any model's value.

    Of places within its cutoff; without a cutoff each place counts as much as its rank does.
    """
    if ranked is None:
        return {}
    listed = values[values.drop(columns=_KEY).notna().any(axis=1)]
    names = (pa.chunked_array([pa.array(listed[name], pa.string())]) for name in _KEY)
    codes = ranked.codes(*names)
    is_listed = np.zeros(len(ranked.names), bool)
    is_listed[codes[codes != NO_DOCUMENT]] = True
    ranking = np.repeat(np.arange(len(ranked.offsets) - 1), np.diff(ranked.offsets))
    of_topics = np.flatnonzero(np.isin(ranked.topics, values["topic"].unique()))
    own = np.isin(ranking // max(len(ranked.systems), 1), of_topics)
    ranks, is_unlisted = ranked.ranks[own], ~is_listed[ranked.documents[own]]
    shares = {}
    for functional in functionals(measures, scale.values):
        if cutoff := functional.measure["cutoff"]:
            counts = (ranks <= cutoff).astype(float)
        else:
            is_weighted = isinstance(functional, Sum)
            counts = functional.weights(ranks) if is_weighted else np.ones(len(ranks))
        total = counts.sum()
        shares[str(functional.measure)] = float(counts[is_unlisted].sum() / total) if total else 0.0
    return shares

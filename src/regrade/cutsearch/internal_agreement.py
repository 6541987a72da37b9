"""Agreement of workers with each other on the scale that they used, beside that of their levels.

han2019 §3.2 compares the internal agreement of transformed judgments with that of the original
ones; §5 would choose the cut where the two are nearest.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregation_code
from regrade.agreement import alpha, alpha_from_coincidences, coincidences
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.choices import CUT_METHODS
from regrade.cutsearch import kernels
from regrade.cutsearch.data import TopicJudgments, topics_of
from regrade.cutsearch.means import mean_of_defined
from regrade.cutsearch.options import DEFAULTS, AlphaOptions
from regrade.cutsearch.search import TopicAlpha, what_they_hold, why_unserved
from regrade.cutsearch.source_comparisons import of_topics
from regrade.cutsearch.thresholds import as_scale
from regrade.errors import MethodError
from regrade.scales import Scale


def source_alpha(
    judgments: pa.Table, source: Scale | int, method: str, options: AlphaOptions = DEFAULTS
) -> pd.DataFrame:
    """Internal α of judgments as they are, not transformed."""
    chosen = CUT_METHODS.get(method)
    if chosen is None or chosen.needs_reference:
        raise MethodError(
            f"{method} is not a method of internal agreement: use h1_ta, h1_at or tw1"
        )
    topics = topics_of(judgments, as_scale(source))
    reason = why_unserved(chosen, *what_they_hold(topics))
    if reason:
        raise MethodError(reason)
    how = aggregation_code(options.aggregation.source)
    make = _of_units if chosen.unit_wise else _of_topic
    alphas = [make(topic, options.metric, how) for topic in topics]
    means, n_defined, n = (np.array(column) for column in zip(*alphas, strict=True))
    values = TopicAlpha(means, n_defined, n).settled(options.undefined)
    mean, n_topics = mean_of_defined(values[None]), (~np.isnan(values)).sum()
    columns = {
        "topic": [*(topic.topic for topic in topics), ALL_TOPICS],
        "source_alpha": np.append(values, mean),
        "n_defined": np.append(n_defined, n_topics),
        "n": np.append(n, len(topics)),
    }
    return pd.DataFrame(columns)


def _of_units(topic: TopicJudgments, metric: str, how: int) -> tuple[float, int, int]:
    """Mean α of a topic's units, how many have one, and how many have something to compare."""
    rows, table = topic.with_own_value()
    others = kernels.others_aggregated(topic.value, rows, table, topic.values, how)
    own = topic.values[topic.value]
    offsets = topic.unit_offsets
    units = [
        alpha(np.array([own[a:b], others[a:b]]), metric)
        for a, b in itertools.pairwise(offsets)
        if not np.isnan(others[a:b]).all()
    ]
    defined = np.sort([value for value in units if not np.isnan(value)])
    return (defined.mean() if len(defined) else np.nan), len(defined), len(units)


def _of_topic(topic: TopicJudgments, metric: str, _: int) -> tuple[float, int, int]:
    counts = topic.shared_counts
    if not len(counts):
        return np.nan, 0, 0
    value = alpha_from_coincidences(coincidences(counts), counts.sum(axis=0), topic.values, metric)
    return value, int(not np.isnan(value)), 1


def internal_agreement(
    source: Mapping[str, pd.DataFrame],
    searches: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]],
    metric: str,
) -> pd.DataFrame:
    """α of the judgments as given beside α under the best cuts."""
    parts = []
    for method, table in source.items():
        for key in ("per_topic", "single"):
            values = of_topics(*searches[method], key.replace("_", "-"))
            mean = pd.Series({ALL_TOPICS: mean_of_defined(values.to_numpy()[None])[0]})
            values = pd.concat([values, mean])
            table = table.assign(**{key: table["topic"].map(values).astype(float)})
        parts.append(table.assign(method=method, metric=metric))
    names = columns_of("cuts/internal")
    return pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names)


def methods_of(searches: Sequence[str]) -> list[str]:
    """Those of some searches that compare workers with each other."""
    return [s for s in searches if s in CUT_METHODS and not CUT_METHODS[s].needs_reference]

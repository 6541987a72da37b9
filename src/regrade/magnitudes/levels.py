"""Whether magnitudes agree with categories: by level of a reference (turpin2015 §4.1).

A document's magnitude is the median, or geometric mean, of its normalised judgments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS
from regrade.kendall import TOLERANCE
from regrade.magnitudes.label_comparison import (
    AGGREGATES,
    DOCUMENT,
    References,
    box,
    by_topic,
    document_magnitudes,
    framed,
    known_labels,
    plain,
)

ALL_REFERENCES = "*"
"""The reference of a row that holds for all references together."""

PAIRS = ("adjacent", "all")
"""Which pairs of levels are counted: those of neighbours, or all."""

Levels = Mapping[str, Sequence[float]]


def level_boxes(
    documents: pa.Table | pd.DataFrame, labels: References, levels: Levels
) -> pd.DataFrame:
    """Distribution of documents' magnitudes at each level (turpin2015 Figures 1 and 2)."""
    rows = []
    for reference, topic, aggregate, scale, frame in _cells(documents, labels, levels):
        magnitude, code = frame["magnitude"].to_numpy(), frame["code"].to_numpy()
        cell = {"reference": reference, "topic": topic, "aggregate": aggregate}
        chosen = [*(code == place for place in range(len(scale))), np.isnan(code)]
        for level, own in zip([*scale, np.nan], chosen, strict=True):
            rows.append(cell | {"level": level} | box(magnitude[own]))
    return framed(rows, "magnitudes/levels")


def level_tests(
    documents: pa.Table | pd.DataFrame, labels: References, levels: Levels
) -> pd.DataFrame:
    """Two-sided t-tests between levels, and whether their medians are in order (turpin2015 §4.1).

    The paper has a "two-tailed t-test" and says no more.  Here it is Welch's, on natural
    logarithms: magnitudes are about log-normal (§3.3), so that a t-test of the values themselves
    would rest on a few very large ones; and levels differ much in size and in spread (most
    documents are not relevant), which Student's pooled variance does not allow for.
    """
    parts = []
    for reference, topic, aggregate, scale, frame in _cells(documents, labels, levels):
        tests = _pair_tests(scale, frame["magnitude"].to_numpy(), frame["code"].to_numpy())
        parts.append(tests.assign(reference=reference, topic=topic, aggregate=aggregate))
    table = framed([], "magnitudes/level_tests")
    return pd.concat(parts, ignore_index=True)[table.columns] if parts else table


def exceptions(tests: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """How many topics order the medians of levels otherwise than the reference (turpin2015
    §4.1).
    """
    tests = plain(tests)
    tests = tests[tests["topic"] != ALL_TOPICS]
    rows = []
    for reference in [*tests["reference"].unique(), ALL_REFERENCES]:
        of_reference = tests[(tests["reference"] == reference) | (reference == ALL_REFERENCES)]
        for aggregate, of_aggregate in of_reference.groupby("aggregate", sort=False):
            for pairs in PAIRS:
                chosen = of_aggregate[of_aggregate["adjacent"].astype(bool) | (pairs == "all")]
                undefined = chosen["exception"].isna()
                out_of_order = chosen[~undefined & chosen["exception"].eq(True)]
                topics = ", ".join(sorted(out_of_order["topic"].unique())) or None
                counts = (len(chosen), int(undefined.sum()), len(out_of_order), topics)
                rows.append((reference, aggregate, pairs, *counts))
    return framed(rows, "magnitudes/exceptions")


def _cells(
    documents: pa.Table | pd.DataFrame, labels: References, levels: Levels
) -> Iterator[tuple[str, str, str, np.ndarray, pd.DataFrame]]:
    """Each reference, topic and aggregate: its levels, and the documents' magnitudes and codes."""
    for reference in labels:
        _, known, scale = known_labels(labels, levels, reference)
        how = {"on": DOCUMENT, "how": "left", "validate": "one_to_one"}
        frames = [by_topic(document_magnitudes(documents, of).merge(known, **how))
                  for of in AGGREGATES]  # fmt: skip
        for of_topic in zip(*frames, strict=True):
            for aggregate, (topic, frame) in zip(AGGREGATES, of_topic, strict=True):
                yield reference, topic, aggregate, scale, frame


def _pair_tests(scale: np.ndarray, magnitude: np.ndarray, code: np.ndarray) -> pd.DataFrame:
    """The tests of all pairs of levels of one cell."""
    of_level = [magnitude[code == place] for place in range(len(scale))]
    n = np.array([len(values) for values in of_level])
    median = np.array([np.median(values) if len(values) else np.nan for values in of_level])
    lower, upper = np.triu_indices(len(scale), 1)
    t, p = _welch([np.log(values) for values in of_level], lower, upper)
    in_order = np.log(median[upper]) - np.log(median[lower]) > TOLERANCE
    undefined = (n[lower] == 0) | (n[upper] == 0)
    return pd.DataFrame(
        {
            "lower": scale[lower],
            "upper": scale[upper],
            "adjacent": upper == lower + 1,
            "n_lower": n[lower],
            "n_upper": n[upper],
            "median_lower": median[lower],
            "median_upper": median[upper],
            "t": t,
            "p": p,
            "exception": np.where(undefined, None, ~in_order),
        }
    )


def _welch(
    logs: Sequence[np.ndarray], lower: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Welch's t of pairs of samples (upper − lower) and its two-sided p.

    Spreads and differences within the tolerance are none, so that last bits make no difference
    that is beyond doubt.
    """
    from scipy.stats import ttest_ind_from_stats  # slow to import

    n = np.array([len(values) for values in logs])
    mean = np.array([values.mean() if len(values) else np.nan for values in logs])
    spread = np.array([values.std(ddof=1) if len(values) > 1 else np.nan for values in logs])
    spread = np.where(spread <= TOLERANCE, 0.0, spread)
    difference = mean[upper] - mean[lower]
    difference = np.where(np.abs(difference) <= TOLERANCE, 0.0, difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        return ttest_ind_from_stats(
            difference, spread[upper], n[upper], 0.0, spread[lower], n[lower], equal_var=False
        )

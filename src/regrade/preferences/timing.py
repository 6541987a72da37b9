"""How long answers take: distributions by topic, and gamma distributions fitted to them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import stats

from regrade.catalogue import ALL_TOPICS, columns_of

WIDTH = 10.0
"""Seconds of a bar."""

LAST = 0.99
"""The share of all answers that lie in bars of that width; one bar holds the rest."""

_FEWEST = 2


def time_fits(answers: pa.Table) -> pd.DataFrame:
    """Gamma distributions of the seconds that answers took (yang2019 Figure 5.14)."""
    return pd.DataFrame(
        [_fit(topic, seconds) for topic, seconds in _by_topic(answers)],
        columns=columns_of("preferences/time_fits"),
    )


def _fit(topic: str, seconds: np.ndarray) -> dict[str, object]:
    above = np.sort(seconds[seconds > 0])
    row = {
        "topic": topic,
        "answers": len(seconds),
        "unfitted": len(seconds) - len(above),
        "mean": float(seconds.mean()),
        "median": float(np.median(seconds)),
        "deviation": float(seconds.std(ddof=1)) if len(seconds) > 1 else np.nan,
    }
    if len(np.unique(above)) < _FEWEST:
        return row | {"note": "fewer than two different times above 0: nothing to fit"}
    shape, _, scale = stats.gamma.fit(above, floc=0)
    fitted = stats.gamma(shape, scale=scale)
    return row | {
        "shape": shape,
        "scale": scale,
        "log_likelihood": float(fitted.logpdf(above).sum()),
        "distance": float(stats.kstest(above, fitted.cdf).statistic),
        "note": None,
    }


def time_bins(answers: pa.Table, fits: pd.DataFrame) -> pd.DataFrame:
    """How many answers took how long, in bars of `WIDTH` seconds."""
    by_topic = list(_by_topic(answers))
    if not by_topic:
        return pd.DataFrame(columns=columns_of("preferences/times"))
    everything = by_topic[-1][1]
    bars = int(np.quantile(everything, LAST) // WIDTH) + 1
    low = np.arange(bars + 1) * WIDTH
    edges = np.append(low, np.inf)
    known = fits.set_index("topic")
    parts = []
    for topic, seconds in by_topic:
        answers = np.histogram(seconds, edges)[0]
        fit = stats.gamma(known.loc[topic, "shape"], scale=known.loc[topic, "scale"])
        columns = {
            "topic": topic,
            "low": low,
            "high": np.append(low[1:], np.nan),
            "answers": answers,
            "share": answers / len(seconds),
            "fitted": np.diff(fit.cdf(edges)),
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def _by_topic(answers: pa.Table):
    """Known seconds of the answers of each topic, and of all."""
    kept = answers.select(["topic", "seconds"]).to_pandas().dropna()
    if not len(kept):
        return
    for topic, some in kept.astype({"topic": str}).groupby("topic"):
        yield topic, some["seconds"].to_numpy(float)
    yield ALL_TOPICS, np.sort(kept["seconds"].to_numpy(float))

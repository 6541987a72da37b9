"""What each topic says of systems, of a pair of them, and of two sets of labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import special

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.conversions import to_strings
from regrade.errors import ParameterError
from regrade.evaluations.label_agreement import LabelPair
from regrade.kendall import TOLERANCE, places, tau_b
from regrade.run_arrays import NO_DOCUMENT, RankedLists
from regrade.scoring import Scores
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.significance.paired import differences, paired_difference
from regrade.system_pairs.paired_tests import places_of

OF_SIGN, OF_SIGNIFICANCE, OF_NOTHING = "sign", "significance", "none"
"""What leaving out a topic changes of the difference of two systems."""


@dataclass(frozen=True)
class TopicOptions:
    """How topics are analysed.

    Attributes
    ----------
    between
        Names of two systems; ``None``: of no pair.
    metric
        Of Krippendorff's α.
    depth
        The first documents of each run among which a disagreement is counted.
    """

    between: Sequence[str] | None = None
    metric: str = "ordinal"
    depth: int = 10

    def __post_init__(self):
        """Check that a pair is two."""
        if self.between is not None and len(self.between) != 2:
            raise ParameterError(f"between is {list(self.between)}: name two systems")


class Retrieved:
    """Where runs have some documents, of rankings that come by some topics at a time.

    Attributes
    ----------
    documents
        Frame of ``topic`` and ``docno``.
    best_rank, runs
        (D,) the best rank of each, NaN of one that no run has; runs that have it in the first
        `depth`.
    """

    def __init__(self, documents: pd.DataFrame, depth: int):
        self.documents, self.depth = documents, depth
        self.best_rank = np.full(len(documents), np.nan)
        self.runs = np.zeros(len(documents), np.int64)

    def look(self, ranked: RankedLists) -> None:
        """Look for the documents of the topics of some rankings."""
        rows = np.flatnonzero(self.documents["topic"].isin(ranked.topics))
        of = self.documents.iloc[rows]
        names = (to_strings(of[name].tolist()) for name in ("topic", "docno"))
        codes = ranked.codes(*(pa.chunked_array([one]) for one in names))
        is_there = codes != NO_DOCUMENT
        rows, codes, ranks = rows[is_there], codes[is_there], ranked.ranks
        best = np.full(len(ranked.names), np.iinfo(np.int64).max)
        np.minimum.at(best, ranked.documents, ranks)
        first = ranked.documents[ranks <= self.depth]
        self.best_rank[rows] = best[codes]
        self.runs[rows] = np.bincount(first, minlength=len(ranked.names))[codes]


class FirstDocuments:
    """The first documents of each system, of rankings that come by some topics at a time.

    Attributes
    ----------
    parts
        Frames of ``topic``, ``docno``, ``system`` and ``rank``.
    """

    def __init__(self, depth: int):
        self.depth, self.parts = depth, []

    def look(self, ranked: RankedLists) -> None:
        """Take those of the topics of some rankings."""
        ranks = ranked.ranks
        rows = np.flatnonzero(ranks <= self.depth)
        ranking = np.repeat(np.arange(len(ranked.offsets) - 1), np.diff(ranked.offsets))[rows]
        topic, system = np.divmod(ranking, len(ranked.systems))
        docnos = ranked.names.take(pa.array(ranked.documents[rows]))
        frame = {
            "topic": np.array(ranked.topics, object)[topic],
            "docno": docnos.to_numpy(zero_copy_only=False),
            "system": np.array(ranked.systems, object)[system],
            "rank": ranks[rows].astype(np.int32),
        }
        self.parts.append(pd.DataFrame(frame))

    def tables(
        self, topics: Sequence[str], first: pd.DataFrame, second: pd.DataFrame | None
    ) -> dict[str, pd.DataFrame]:
        """Tables ``retrieved`` and ``ranks`` of these topics in this order.

        Labels are frames of ``topic``, ``docno`` and ``grade``.
        """
        names = columns_of("topic-analysis/ranks")
        ranks = pd.concat(self.parts) if self.parts else pd.DataFrame(columns=names)
        ranks = ranks[ranks["topic"].isin(set(topics))]
        keys = ["topic", "docno"]
        documents = ranks.groupby(keys, sort=False)["rank"].agg(best_rank="min", runs="count")
        documents = documents.reset_index()
        for which, labels in (("first_grade", first), ("second_grade", second)):
            if labels is None:
                documents[which] = np.nan
            else:
                of = labels[[*keys, "grade"]].astype({"topic": str, "docno": str})
                documents = documents.merge(
                    of.rename(columns={"grade": which}), on=keys, how="left"
                )
        place = {topic: place for place, topic in enumerate(topics)}
        order = [
            documents["docno"],
            documents["best_rank"],
            -documents["runs"],
            documents["topic"].map(place),
        ]
        documents = documents.iloc[np.lexsort(order)].reset_index(drop=True)
        at = documents[keys].assign(place=np.arange(len(documents)))
        placed = ranks.merge(at, on=keys, how="left").sort_values(["place", "rank", "system"])
        return {
            "retrieved": documents.astype({"best_rank": "Int32", "runs": "int64"}),
            "ranks": placed[names],
        }


@dataclass(frozen=True, eq=False)
class SecondLabels:
    """A second set of labels.

    Attributes
    ----------
    scores
        Under it, of topics that both sets may have judged.
    labels
        Both sets, document by document.
    retrieved
        Where runs have the documents that both judged.
    """

    scores: Scores
    labels: LabelPair
    retrieved: Retrieved


def topic_tables(
    scores: Scores, how: TopicOptions | None = None, second: SecondLabels | None = None
) -> dict[str, pd.DataFrame]:
    """The tables of the stage ``topic_analysis`` that rest on scores, by the first labels."""
    how = how or TopicOptions()
    pair = None
    if how.between is not None:
        options = ("between (first)", "between (second)")
        pair = places_of(scores.systems, dict(zip(options, how.between, strict=True)))
    agreement = None if second is None else second.labels.agreement(how.metric)
    under = None if second is None else second.scores
    parts = [_MeasureTopics(scores, m, pair, under, agreement) for m in range(len(scores.measures))]
    facts = [(ALL_TOPICS, *row) for row in _facts(scores, how)]
    if second is not None:
        facts += [(ALL_TOPICS, *row) for row in _facts_of_labels(scores, second.labels, agreement)]
    facts += [(part.measure, *row) for part in parts for row in part.facts()]
    tables = {
        "facts": pd.DataFrame(facts, columns=columns_of("topic-analysis/facts")),
        "topics": pd.concat([part.topics() for part in parts], ignore_index=True),
        "scores": pd.concat([part.scores_in_order() for part in parts], ignore_index=True),
    }
    if second is not None:
        tables["documents"] = _documents(second.retrieved, parts[0].topics()["topic"])
    return {name: table[columns_of(f"topic-analysis/{name}")] for name, table in tables.items()}


class _MeasureTopics:
    """The topics by one measure."""

    def __init__(
        self,
        scores: Scores,
        m: int,
        pair: Sequence[int] | None,
        second: Scores | None,
        agreement: pd.DataFrame | None,
    ):
        self.measure, self.scores, self.pair = str(scores.measures[m]), scores, pair
        self.values = np.ascontiguousarray(scores.values[:, :, m])
        self.second = np.full(self.values.shape, np.nan)
        if second is not None:
            here, there = (
                {topic: place for place, topic in enumerate(of.topics)} for of in (scores, second)
            )
            shared = sorted(here.keys() & there.keys())
            of_second = second.values[:, [there[topic] for topic in shared], m]
            self.second[:, [here[topic] for topic in shared]] = of_second
        self.agreement = agreement
        self.apart = None if pair is None else differences(*self.values[[*pair]])

    def topics(self) -> pd.DataFrame:
        """Rows of ``topic-analysis/topics``."""
        systems, n = self.values.shape
        means = self.values.mean(axis=0)
        table = pd.DataFrame(
            {
                "measure": self.measure,
                "topic": self.scores.topics,
                "mean": means,
                "sd": self.values.std(axis=0, ddof=1) if systems > 1 else np.nan,
                "tau_others": tau_with_others(self.values),
                "mean_under_second": self.second.mean(axis=0),
                "shift": self.second.mean(axis=0) - means,
                "tau": [_tau(*of) for of in zip(self.values.T, self.second.T, strict=True)],
            }
        )
        names = ["difference", "contribution", "without", "p_without"]
        table[names] = np.nan
        table["outcome"] = None
        if self.apart is not None:
            without, p = left_out(self.apart)
            table["difference"], table["contribution"] = self.apart, self.apart / n
            table["without"], table["p_without"] = without, p
            table["outcome"] = outcomes(self.apart, without, p)
        own = {"both": "both", "equal": "equal", "difference": "bias", "alpha": "alpha"}
        if self.agreement is None:
            table[[*own.values()]] = np.nan
        else:
            of = self.agreement.set_index("topic")[[*own]].rename(columns=own)
            table = table.join(of, on="topic")
        return table.iloc[self._order(table)]

    def _order(self, table: pd.DataFrame) -> np.ndarray:
        """Disagreement first, else influence on the pair, else difficulty; then by name."""
        by = [places(table["mean"].to_numpy())]
        if self.apart is not None:
            influence = np.abs(table["without"] - self.apart.mean()).fillna(0.0)
            by.insert(0, -places(influence.to_numpy()))
        if self.agreement is not None:
            named = "alpha" if table["alpha"].notna().any() else "tau"
            by.insert(0, table[named].fillna(np.inf).to_numpy())
        return np.lexsort((np.arange(len(table)), *by[::-1]))

    def scores_in_order(self) -> pd.DataFrame:
        """Rows of ``topic-analysis/scores``."""
        systems = np.lexsort((self.scores.systems, -places(self.values.mean(axis=1))))
        topics = np.lexsort((self.scores.topics, places(self.values.mean(axis=0))))
        system, topic = np.repeat(systems, len(topics)), np.tile(topics, len(systems))
        return pd.DataFrame(
            {
                "measure": self.measure,
                "system": pd.Categorical.from_codes(system, self.scores.systems),
                "topic": pd.Categorical.from_codes(topic, self.scores.topics),
                "value": self.values[system, topic],
                "second": self.second[system, topic],
            }
        )

    def facts(self) -> Iterator[tuple]:
        """What holds over all topics."""
        table = self.topics()
        yield "mean", self.values.mean(), ""
        spread = np.ptp(self.values, axis=0)
        yield "topics without a difference", int((spread <= TOLERANCE).sum()), ""
        yield "topics of the opposite order", int((table["tau_others"] < -TOLERANCE).sum()), ""
        if self.pair is None:
            return
        of = paired_difference(self.apart)
        for which, place in zip(("first", "second"), self.pair, strict=True):
            yield f"{which} system", self.values[place].mean(), self.scores.systems[place]
        yield "difference", of["difference"], ""
        yield "p", of["p"], ""
        for outcome in (OF_SIGN, OF_SIGNIFICANCE):
            yield f"topics that change the {outcome}", int((table["outcome"] == outcome).sum()), ""


def _tau(first: np.ndarray, second: np.ndarray) -> float:
    """τ_b; NaN of one system, or of scores that are not there."""
    if len(first) < 2 or np.isnan(second).any():
        return np.nan
    return float(tau_b(np.ascontiguousarray(first), np.ascontiguousarray(second)))


def tau_with_others(values: np.ndarray) -> np.ndarray:
    """(T,) τ_b of (S, T) scores on each topic with the means over the other topics."""
    n = values.shape[1]
    if n < 2:
        return np.full(n, np.nan)
    others = (values.sum(axis=1, keepdims=True) - values) / (n - 1)
    return np.array([_tau(*of) for of in zip(values.T, others.T, strict=True)])


def left_out(apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T,) mean difference and p of the paired t-test, each topic left out in turn.

    NaN where no topic is left, or for p only one.
    """
    n = len(apart)
    if n < 2:
        return np.full(n, np.nan), np.full(n, np.nan)
    centred = apart - apart.mean()
    without = apart.mean() - centred / (n - 1)
    without = np.where(np.abs(without) <= TOLERANCE, 0.0, without)
    if n < 3:
        return without, np.full(n, np.nan)
    squares = np.maximum(0.0, (centred**2).sum() - n / (n - 1) * centred**2)
    spread = np.sqrt(squares / (n - 2))
    if (spread <= np.sqrt(TOLERANCE)).any():
        spread = _spreads(apart)
    error = spread / np.sqrt(n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = without / error
    return without, 2.0 * special.stdtr(n - 2, -np.abs(t))


def _spreads(apart: np.ndarray) -> np.ndarray:
    """Standard deviations with each left out, of differences too alike for sums of squares."""
    spread = np.array([np.delete(apart, t).std(ddof=1) for t in range(len(apart))])
    return np.where(spread <= TOLERANCE, 0.0, spread)


def outcomes(apart: np.ndarray, without: np.ndarray, p: np.ndarray) -> np.ndarray:
    """(T,) what leaving out each topic changes."""
    of = paired_difference(apart)
    sign = np.sign(of["difference"] if abs(of["difference"]) > TOLERANCE else 0.0)
    significant = (p < SIGNIFICANCE) != (of["p"] < SIGNIFICANCE)
    is_known = ~np.isnan(without)
    changed = np.where(significant & ~np.isnan(p), OF_SIGNIFICANCE, OF_NOTHING)
    return np.where(is_known & (np.sign(without) != sign), OF_SIGN, changed).astype(object)


def _facts(scores: Scores, how: TopicOptions) -> Iterator[tuple]:
    yield "systems", len(scores.systems), ""
    yield "topics", len(scores.topics), ""
    yield "depth", how.depth, ""
    yield "metric", np.nan, how.metric


def _facts_of_labels(scores: Scores, labels: LabelPair, agreement: pd.DataFrame) -> Iterator[tuple]:
    whole = agreement[agreement["topic"] == ALL_TOPICS].iloc[0]
    own = agreement[agreement["topic"].isin(scores.topics)]
    for which, name in zip(("first", "second"), labels.names, strict=True):
        yield f"{which} labels", np.nan, name
    yield "documents", whole["both"], ""
    yield "equal", whole["equal"], ""
    yield "bias", whole["difference"], ""
    yield "alpha", whole["alpha"], ""
    yield "topics by chance", int((own["alpha"] <= TOLERANCE).sum()), "α of 0 or less"
    yield "topics of both", int((own["both"] > 0).sum()), ""


def _documents(retrieved: Retrieved, topics: pd.Series) -> pd.DataFrame:
    """Rows of ``topic-analysis/documents``, of the topics in this order."""
    both = retrieved.documents
    table = pd.DataFrame(
        {
            "topic": both["topic"].to_numpy(),
            "docno": both["docno"].to_numpy(),
            "first_grade": both["first"].to_numpy(),
            "second_grade": both["second"].to_numpy(),
            "difference": (both["second"] - both["first"]).to_numpy(),
            "best_rank": pd.array(retrieved.best_rank, "Int32"),
            "runs": retrieved.runs,
        }
    )
    place = {topic: place for place, topic in enumerate(topics)}
    table = table[table["topic"].isin(place)]
    of_topic, apart = table["topic"].map(place).to_numpy(), table["difference"].abs().to_numpy()
    best = table["best_rank"].fillna(np.iinfo(np.int32).max).to_numpy()
    order = np.lexsort((table["docno"], best, -table["runs"], -apart, of_topic))
    return table.iloc[order].reset_index(drop=True)

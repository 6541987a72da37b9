"""Two sets of judgments side by side: all tables of the stage ``compare``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.aggregation import aggregate
from regrade.blocks import Blocks
from regrade.catalogue import columns_of
from regrade.choices import COMPARED_DOCUMENTS
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.evaluations.label_agreement import LabelPair
from regrade.evaluations.pair_outcomes import DRAWS, changes_table, pair_counts, pair_outcomes
from regrade.evaluations.system_rankings import ScoredPair, top_table
from regrade.evaluations.tie_orders import TieOrders, tie_range
from regrade.label_sets import LabelSet
from regrade.measures import Measure
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import Scores, score
from regrade.tables import scored_topics

_FEWEST = 2


@dataclass(frozen=True)
class ComparisonOptions:
    """How sets are compared.

    Attributes
    ----------
    metric, weights
        Of Krippendorff's α and of weighted κ; see
        `regrade.evaluations.label_agreement.agreement_of`.
    documents
        ``all``: each set scores systems by all its labels; ``shared``: by those of documents that
        both judged, so that what differs is what the labels say.
    test, correction, significance, permutations
        Of pairs of systems; see `regrade.significance.discrimination.compare_systems`.
    persistence
        φ of RBO.
    tops
        Numbers of top systems whose changes are told.
    resamples, splits, seed
        Of topics; see `regrade.evaluations.system_rankings.ScoredPair`.
    """

    metric: str = "ordinal"
    weights: str = "linear"
    documents: str = "all"
    test: str = "t"
    correction: str = "none"
    significance: float = 0.05
    permutations: int = 10_000
    persistence: float = 0.9
    tops: Sequence[int] = (1, 3, 5, 10)
    resamples: int = 1000
    splits: int = 1000
    seed: int = 1

    def __post_init__(self):
        """Check what numbers must be."""
        check_choice("documents", self.documents, COMPARED_DOCUMENTS)
        if not 0 < self.persistence < 1:
            raise ParameterError(
                f"persistence is {self.persistence}: give a number between 0 and 1"
            )
        if not 0 < self.significance < 1:
            raise ParameterError(
                f"significance is {self.significance}: give a number between 0 and 1"
            )
        for name in ("resamples", "splits", "permutations"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} is {getattr(self, name)}: give at least 1")
        if not self.tops or min(self.tops) < 1:
            raise ParameterError(f"tops is {list(self.tops)}: numbers of systems, from 1")


def compare_sets(
    first: LabelSet,
    second: LabelSet,
    ranked: RankedLists | None = None,
    measures: Sequence[str | Measure] = (),
    how: ComparisonOptions | None = None,
    *,
    groups: Mapping[str, str] | None = None,
    same_scale: bool = True,
    score_precision: str = "float64",
) -> dict[str, pd.DataFrame | Blocks]:
    """Compare two sets of judgments of the same documents."""
    how = how or ComparisonOptions()
    sides = [one.with_table(aggregate(one.table, "median")) for one in (first, second)]
    labels = LabelPair.of((first.name, second.name), *(s.table for s in sides), same_scale)
    tables = {
        "agreement": labels.agreement(how.metric, how.weights),
        "labels": labels.intervals(how.metric, how.resamples, how.seed),
        "grade_bias": labels.grade_bias(how.resamples, how.seed),
        "confusion": labels.confusion(),
    }
    scored = None
    if ranked is not None:
        if how.documents == "shared":
            shared = [labels.shared(which) for which in ("first", "second")]
            sides = [*map(LabelSet.with_table, sides, shared)]
        scored = scored_pair(*sides, ranked, measures, how)
        orders = TieOrders.of(ranked, score_precision)
        of_systems = system_tables(scored, how, groups)
        rankings = with_tie_ranges(of_systems["rankings"], sides, scored, orders)
        tables |= of_systems | {"rankings": rankings}
    return {"facts": fact_table(labels, scored, groups, how)} | tables


def compare_scores(
    first: Scores,
    second: Scores,
    how: ComparisonOptions | None = None,
    *,
    groups: Mapping[str, str] | None = None,
) -> dict[str, pd.DataFrame | Blocks]:
    """Compare scores of the same systems on the same items by two judges: no tables of labels."""
    how = how or ComparisonOptions()
    scored = ScoredPair(first, second, **_drawn(how))
    tables = system_tables(scored, how, groups)
    ties = pd.DataFrame(np.nan, tables["rankings"].index, ["ties_low", "ties_high"])
    rankings = pd.concat([tables["rankings"], ties], axis=1)[columns_of("compare/rankings")]
    facts = fact_table(None, scored, groups, how)
    return {"facts": facts} | tables | {"rankings": rankings}


def system_tables(
    scored: ScoredPair, how: ComparisonOptions, groups: Mapping[str, str] | None
) -> dict[str, pd.DataFrame | Blocks]:
    """What becomes of the systems: all tables but the facts, τ_b without tie-breakings."""
    pairs, systems = pairs_of_systems(scored, how), scored.systems(groups)
    tested = how.significance, how.correction, how.seed
    return {
        "rankings": scored.rankings(how.tops),
        "systems": systems,
        "top": top_table(systems, how.tops),
        "top_k": scored.top_k(how.tops),
        "pairs": pairs,
        "pair_counts": pair_counts(pairs, scored.measures),
        "changes": changes_table(pairs, systems, scored.first, *tested),
        "topics": scored.topics(),
        "groups": scored.groups(groups or {}),
        "reliability": scored.reliability(),
    }


def _drawn(how: ComparisonOptions) -> dict[str, object]:
    return {key: getattr(how, key) for key in ("persistence", "resamples", "splits", "seed")}


def scored_pair(
    first: LabelSet,
    second: LabelSet,
    ranked: RankedLists,
    measures: Sequence[str | Measure],
    how: ComparisonOptions,
) -> ScoredPair:
    """The systems under one set and under another, whatever scales these are on."""
    sides = (first, second)
    both = scored_topics(first.table) & scored_topics(second.table)
    if not both & set(ranked.topics):
        names = " and ".join(side.name for side in sides)
        raise MethodError(
            f"no topic of the runs is judged in both {names}: do topics have the same "
            f"format? The runs have {ranked.topics[0] if ranked.topics else 'none'!r}"
        )
    ranked = ranked.with_topics(both)
    judged = [Judged.from_table(side.table, ranked) for side in sides]
    scores = [
        score(ranked, some, measures, max_grade=side.max_grade, topics=sorted(both))
        for side, some in zip(sides, judged, strict=True)
    ]
    return ScoredPair(*scores, **_drawn(how))


def with_tie_ranges(
    rankings: pd.DataFrame, sides: Sequence[LabelSet], scored: ScoredPair, orders: TieOrders
) -> pd.DataFrame:
    """Table ``compare/rankings`` with what each τ_b is over the orders of tied documents."""
    topics, measures = scored.first.topics, scored.first.measures
    scores = [
        orders.scores(Judged.from_table(side.table, orders.orders[0].with_topics(topics)),
                      measures, side.max_grade, topics) if orders.orders else []
        for side in sides
    ]  # fmt: skip
    ends = pd.DataFrame(np.nan, rankings.index, ["ties_low", "ties_high"])
    for m, measure in enumerate(scored.measures):
        row = rankings.index[(rankings["measure"] == measure) & (rankings["quantity"] == "tau")]
        own = [[ordered[:, :, m] for ordered in each] for each in scores]
        value = float(rankings.loc[row[0], "value"])
        ends.loc[row] = tie_range(value, *own, lambda a, b: scored.correlations(a, b)[0])
    return pd.concat([rankings, ends], axis=1)[columns_of("compare/rankings")]


def pairs_of_systems(scored: ScoredPair, how: ComparisonOptions) -> pd.DataFrame | Blocks:
    """Significance of every pair of systems under both sets (table ``compare/pairs``)."""
    tested = {key: getattr(how, key) for key in ("significance", "test", "correction")}
    tested |= {"permutations": how.permutations, "seed": how.seed}
    return pair_outcomes(scored.first, scored.second, **tested)


def fact_table(
    labels: LabelPair | None,
    scored: ScoredPair | None,
    groups: Mapping[str, str] | None,
    how: ComparisonOptions,
) -> pd.DataFrame:
    """What was compared, how, and what could not be (table ``compare/facts``).

    Where systems are scored by all documents, those that only one set labels count as not relevant
    under the other.
    """
    rows = [] if labels is None else [*_facts_of_labels(labels, how)]
    rows += [(name, getattr(how, name), "") for name in ("resamples", "seed")]
    if scored is not None:
        for name in ("first", "second") if labels is not None else ():
            lacking = labels.lacking(name) if how.documents == "all" else 0
            rows.append((f"not relevant {name}", lacking, ""))
        topics, systems = len(scored.first.topics), len(scored.first.systems)
        alone = "one topic: no intervals, no tests, no halves" if topics < _FEWEST else ""
        rows.append(("topics scored", topics, alone))
        rows.append(("systems", systems, "one system: no ranking" if systems < _FEWEST else ""))
        grouped = sum(system in (groups or {}) for system in scored.first.systems)
        note = "" if grouped == systems else "the others are in no group"
        note = "no groups are named" if groups is None else note
        rows.append(("systems in groups", grouped, note))
        rows += [(name, np.nan, getattr(how, name)) for name in ("test", "correction")]
        rows += [(name, getattr(how, name), "") for name in ("significance", "splits")]
        rows.append(("topic draws", DRAWS, ""))
    return pd.DataFrame(rows, columns=["quantity", "value", "note"]).astype({"value": np.float64})


def _facts_of_labels(labels: LabelPair, how: ComparisonOptions) -> Iterator[tuple]:
    """How many topics and documents each set labels, and whether their grades mean the same."""
    labelled = {"first": labels.frame["first"].notna(), "second": labels.frame["second"].notna()}
    labelled["both"] = labelled["first"] & labelled["second"]
    for name, which in labelled.items():
        yield f"topics {name}", labels.frame.loc[which, "topic"].nunique(), ""
    for name, which in labelled.items():
        yield f"documents {name}", which.sum(), ""
    is_one = labels.same_scale
    note = "" if is_one else "the sets are on different scales: no α and no κ"
    yield "same scale", is_one, note
    yield "metric", np.nan, how.metric

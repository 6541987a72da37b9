"""The tables of the stage ``favour``: each judge's favour for each family of systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.errors import MethodError, ParameterError
from regrade.favours.changes import FIRST, RankingChange, ranks
from regrade.favours.document_rows import DocumentTables
from regrade.favours.effects import (
    ALL,
    COMPARABLE,
    CONTROL,
    EQUAL,
    REFERENCE,
    REGRESSED,
    Effects,
    FavourEffects,
    contributions,
    effects_at_once,
    favour_effects,
    quality_gap,
    without_means,
)
from regrade.favours.families import Families
from regrade.favours.shared_scores import (
    MeasuredScores,
    measured_scores,
    shared_labels,
)
from regrade.kendall import TOLERANCE
from regrade.label_sets import LabelSet
from regrade.measures import Measure, parse_all
from regrade.run_arrays import RankedLists
from regrade.shared_labels import SharedLabels
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.variance_shares import variance_shares

FAVOURS, DISFAVOURS, NOT_SIGNIFICANT = "favours", "disfavours", "not significant"
THRESHOLD, NOT_COMPARABLE = "at the threshold", "not comparable"
"""Verdicts: by the side of 0 of the interval at equal quality; or p within `ERRORS` Monte Carlo
errors of α; or the
other systems nearest in quality are too far away (`COMPARABLE`)."""

ERRORS = 3
"""Monte Carlo errors by which p must lie on one side of α."""

MEAN_OF_CONTROLS = "mean of controls"
"""The name of the controls together, of which a topic has the mean."""

DOCUMENT_TABLES = (
    *("documents", "document_labels", "unique_labels", "document_grades", "top_documents"),
    "topic_parts",
)
"""Tables on the documents that carry a favour."""

SCORES, MEANS = "scores", "means"
"""Differences whose variance is split: on each topic, or in means over topics."""


@dataclass(frozen=True)
class FavourOptions:
    """How favour is estimated.

    Attributes
    ----------
    draws
        Bootstrap samples of topics.
    seed
        Of these.
    own
        A judge's own families, by judge.
    """

    draws: int = 10_000
    seed: int = 1
    own: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self):
        """Check what numbers must be."""
        if self.draws < 100:
            raise ParameterError(f"draws is {self.draws}: give at least 100")


def favour_tables(
    reference: LabelSet,
    judges: Sequence[LabelSet],
    controls: Sequence[LabelSet],
    ranked: RankedLists,
    measures: Sequence[str | Measure],
    families: Families,
    how: FavourOptions | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables ``favour/…`` but for the answer, by name.

    Parameters
    ----------
    reference, judges, controls
        Label sets of the same documents; controls are of further people.
    ranked
        The runs.
    measures
        Measures of the systems.
    families
        The systems of each family.
    how
        Draws, seed, own families.

    Raises
    ------
    MethodError
        If label sets share no document, or a measure is defined for no judge.
    """
    how = how or FavourOptions()
    _check_names(reference, judges, controls)
    shared = shared_labels(reference, judges, controls, ranked.topics)
    parts = [
        _MeasureFavour(measured_scores(shared, ranked, measure), families, how)
        for measure in parse_all(measures)
    ]
    of_documents = [part.documents(shared, ranked) for part in parts]
    tables = {}
    for name in ("effects", "own", "judges", "families", "topic_effects", "changes", "systems",
                 "variance"):  # fmt: skip
        own = [getattr(part, name)().assign(measure=str(part.measure)) for part in parts]
        tables[name] = pd.concat(own, ignore_index=True)[columns_of(f"favour/{name}")]
    for name in DOCUMENT_TABLES:
        own = [
            of[name].assign(measure=str(part.measure))
            for part, of in zip(parts, of_documents, strict=True)
        ]
        tables[name] = pd.concat(own, ignore_index=True).reindex(
            columns=columns_of(f"favour/{name}")
        )
    numbers = [*_numbers(shared, how), *(row for part in parts for row in part.numbers())]
    tables["numbers"] = pd.DataFrame(numbers, columns=["measure", "quantity", "value"])
    tables["numbers"] = tables["numbers"][columns_of("favour/numbers")]
    return tables


def _check_names(
    reference: LabelSet, judges: Sequence[LabelSet], controls: Sequence[LabelSet]
) -> None:
    names = [reference.name, *(one.name for one in (*judges, *controls))]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"two label sets are called '{name}': rename one")
    if not judges:
        raise MethodError("there is no judge: name one beside the reference")


def _numbers(shared: SharedLabels, how: FavourOptions) -> Iterator[tuple]:
    yield "", "documents of the reference", shared.sizes[0]
    yield "", "shared documents", len(shared.frame)
    yield "", "topics", len(shared.topics)
    yield "", "topics left out", shared.left_topics
    yield "", "judges", len(shared.sets) - 1
    yield "", "controls", len(shared.controls)
    yield "", "draws", how.draws
    yield "", "seed", how.seed
    yield "", "significance", SIGNIFICANCE


class _MeasureFavour:
    """The tables of one measure."""

    def __init__(self, of: MeasuredScores, families: Families, how: FavourOptions):
        self.of, self.how, self.measure, self.families_of = of, how, of.measure, families
        self.names, self.members = [*families], families.members(of.systems)
        self.sets = [*of.judges, *of.controls]
        names = {"judges": of.judges, "families": self.names, "topics": of.topics}
        self.result: FavourEffects = favour_effects(
            of.scores, self.members, **names, draws=how.draws, seed=how.seed
        )
        self.gap = quality_gap(of.scores.reference, self.members)
        self.is_comparable = np.abs(self.gap) <= COMPARABLE
        of = self.result
        control = np.empty(0) if of.beside_control is None else of.beside_control.p
        self.beside = headline_baseline(of.beside_reference.p, control)
        self.headline = self._effects()[self.beside, EQUAL]

    def _effects(self) -> dict[tuple[str, str], Effects]:
        of = self.result
        every: dict[tuple[str, str], Effects | None] = {
            (REFERENCE, ALL): of.beside_reference,
            (REFERENCE, EQUAL): of.equal_beside_reference,
            (REFERENCE, REGRESSED): of.regressed_beside_reference,
            (CONTROL, ALL): of.beside_control,
            (CONTROL, EQUAL): of.equal_beside_control,
            (CONTROL, REGRESSED): of.regressed_beside_control,
        }
        return {key: effects for key, effects in every.items() if effects is not None}

    def effects(self) -> pd.DataFrame:
        """Each judge and family, beside reference and control, by comparison of systems."""
        rows = [
            row
            for (beside, peers), effects in self._effects().items()
            for row in self._rows(effects, self.sets, beside, peers)
        ]
        if self.result.control is not None and len(self.of.controls) > 1:
            for peers, effects in zip((ALL, EQUAL, REGRESSED), self.result.control, strict=True):
                rows += self._rows(effects, [MEAN_OF_CONTROLS], REFERENCE, peers)
        return pd.DataFrame(rows)

    def _rows(
        self, effects: Effects, names: Sequence[str], beside: str, peers: str
    ) -> Iterator[dict]:
        detectable = effects.detectable
        for place in np.ndindex(effects.value.shape):
            name, family = names[place[0]], self.names[place[1]]
            yield {
                "judge": name,
                "family": family,
                "beside": beside,
                "peers": peers,
                "is_control": name not in self.of.judges,
                "is_own": family in self.how.own.get(name, ()),
                "favour": effects.value[place],
                "error": effects.error[place],
                "low": effects.low[place],
                "high": effects.high[place],
                "p_adjusted": effects.p[place],
                "detectable": detectable[place],
                "verdict": self._verdict(effects, place),
            }

    def _verdict(self, effects: Effects, place: tuple[int, int]) -> str | None:
        p, value = effects.p[place], effects.value[place]
        if np.isnan(p):
            return None
        if effects is self.headline and not self.is_comparable[place[1]]:
            return NOT_COMPARABLE
        return verdict(p, value, self.how.draws)

    def own(self) -> pd.DataFrame:
        """Judges' own families, with intervals that are simultaneous among these alone."""
        pairs = [
            (j, f)
            for j, judge in enumerate(self.of.judges)
            for f, family in enumerate(self.names)
            if family in self.how.own.get(judge, ())
        ]
        rows = []
        if pairs:
            by_topic = np.array([self.headline.by_topic[pair] for pair in pairs])
            value = np.array([self.headline.value[pair] for pair in pairs])
            own = effects_at_once(by_topic[:, None], value[:, None], self.how.draws, self.how.seed)
            for row, (judge, family) in enumerate(pairs):
                place = row, 0
                p, outside = own.p[place], not self.is_comparable[family]
                word = None if np.isnan(p) else verdict(p, value[row], self.how.draws)
                rows.append({
                    "judge": self.of.judges[judge], "family": self.names[family],
                    "favour": own.value[place], "low": own.low[place], "high": own.high[place],
                    "p_adjusted": p, "detectable": own.detectable[place],
                    "verdict": NOT_COMPARABLE if word and outside else word,
                })  # fmt: skip
        return pd.DataFrame(rows, columns=columns_of("favour/own"))

    def judges(self) -> pd.DataFrame:
        """Level and slope of each label set's differences from the reference."""
        scores, beside = self.of.scores, self.result.slopes_beside_control
        every = np.concatenate([scores.judges, scores.controls])
        difference = every - scores.reference
        return pd.DataFrame({
            "judge": self.sets,
            "is_control": [name in self.of.controls for name in self.sets],
            "topics": (~np.isnan(difference[:, :, 0])).sum(axis=1),
            "without_gain": [self.of.without_gain[name] for name in self.sets],
            "difference": [mean_known(own) for own in difference],
            "slope": self.result.slopes,
            "slope_beside_control": [
                np.nan if beside is None or j >= len(beside) else beside[j]
                for j in range(len(self.sets))
            ],
        })  # fmt: skip

    def families(self) -> pd.DataFrame:
        """Size and quality of each family."""
        mean = self.of.scores.reference.mean(axis=0)
        return pd.DataFrame({
            "family": self.names,
            "systems": self.members.sum(axis=1),
            "mean": [mean[own].mean() for own in self.members],
            "others": [mean[~own].mean() for own in self.members],
            "gap": self.gap, "is_comparable": self.is_comparable,
        })  # fmt: skip

    def topic_effects(self) -> pd.DataFrame:
        """Each topic's difference of differences, and what it contributes at equal quality."""
        of, table = self.result, self.result.table
        every = np.ones(len(self.of.topics), dtype=bool)
        equal = self._contributions(of.equal_beside_reference, every)
        less = self._contributions(of.equal_beside_control, self.of.scores.controlled)
        own = zip(table["judge"], table["family"], strict=True)
        return table.assign(
            equal_quality=equal.ravel(),
            equal_less_control=less.ravel(),
            is_own=[family in self.how.own.get(judge, ()) for judge, family in own],
        )

    def _contributions(self, effects: Effects | None, known: np.ndarray) -> np.ndarray:
        """(J, F, T) contributions of the known topics, whose mean is the favour.

        They are the pseudo-values, shifted by their bias; NaN for families without a verdict.
        """
        judges = len(self.of.judges)
        values = np.full((judges, len(self.names), len(known)), np.nan)
        if effects is not None:
            values[:, :, known] = contributions(effects.by_topic[:judges], effects.value[:judges])
            values[:, ~self.is_comparable] = np.nan
        return values

    def documents(self, shared: SharedLabels, ranked: RankedLists) -> dict[str, pd.DataFrame]:
        """The tables on documents."""
        of = DocumentTables.of(shared, ranked, self.of, self.families_of, self._effects())
        return of.tables()

    def changes(self) -> pd.DataFrame:
        """What each judge's favour for each family changes of the ranking."""
        reference, judges = self._means()
        rows = []
        for j, judge in enumerate(self.of.judges):
            for f, family in enumerate(self.names):
                favour = self.headline.value[j, f]
                if np.isnan(favour):
                    favour = self._effects()[self.beside, ALL].value[j, f]
                change = RankingChange.of(reference, judges[j], self.members[f], favour)
                rows.append({"judge": judge, "family": family, "favour": favour, **asdict(change)})
        return pd.DataFrame(rows)

    def _means(self) -> tuple[np.ndarray, np.ndarray]:
        scores = self.of.scores
        return scores.reference.mean(axis=0), scores.judges.mean(axis=1)

    def systems(self) -> pd.DataFrame:
        """Ranks under the reference, under each judge, and with significant favour taken out."""
        reference, judges = self._means()
        rows = []
        for j, judge in enumerate(self.of.judges):
            significant = np.array([
                self._verdict(self.headline, (j, f)) in (FAVOURS, DISFAVOURS)
                for f in range(len(self.names))
            ])  # fmt: skip
            favour = np.where(significant, self.headline.value[j], 0.0) @ self.members
            without = judges[j] - favour
            rows.append(
                pd.DataFrame(
                    {
                        "judge": judge,
                        "system": self.of.systems,
                        "reference_score": reference,
                        "score": judges[j],
                        "score_without": without,
                        "reference_rank": ranks(reference),
                        "rank": ranks(judges[j]),
                        "rank_without": ranks(without),
                    }
                )
            )
        return pd.concat(rows, ignore_index=True)

    def variance(self) -> pd.DataFrame:
        """Shares of the variance of the judges' differences from the reference."""
        scores = self.of.scores
        difference = scores.judges - scores.reference
        return pd.concat(
            [
                self._shares(SCORES, difference, ("judge", "topic", "system")),
                self._shares(MEANS, difference.mean(axis=1), ("judge", "system")),
            ],
            ignore_index=True,
        )

    def _shares(self, of: str, values: np.ndarray, axes: Sequence[str]) -> pd.DataFrame:
        """Of judge × system, the part that is judge × family too."""
        shares = variance_shares(values, axes)
        count = dict(zip(axes, values.shape, strict=True), family=len(self.names))
        means = values if values.ndim == 2 else values.mean(axis=1)
        both = means - means.mean(axis=0) - means.mean(axis=1, keepdims=True) + means.mean()
        by_family = both - both @ without_means(self.members)
        total = ((values - values.mean()) ** 2).mean()
        part = (by_family**2).mean() / total if total > TOLERANCE**2 else np.nan
        row = {"axis": "judge", "other": "family", "first_order": part, "total": np.nan}
        shares = pd.concat([shares, pd.DataFrame([row])], ignore_index=True)
        pairs = zip(shares["axis"], shares["other"], strict=True)
        levels = [count[axis] * count.get(other, 1) for axis, other in pairs]
        return shares.assign(of=of, levels=levels)

    def numbers(self) -> Iterator[tuple]:
        """Quantities of the answer."""
        measure = str(self.measure)
        pairs = np.ndindex(len(self.of.judges), len(self.names))
        verdicts = [self._verdict(self.headline, place) for place in pairs]
        for word in (FAVOURS, DISFAVOURS, NOT_SIGNIFICANT, THRESHOLD, NOT_COMPARABLE):
            yield measure, word, verdicts.count(word)
        yield measure, "pairs", len(verdicts)
        yield measure, "controlled topics", self.result.controlled
        yield measure, "critical value", self.headline.critical
        yield measure, "first systems", FIRST
        yield measure, "comparable", COMPARABLE


def headline_baseline(reference_p: np.ndarray, control_p: np.ndarray) -> str:
    """The baseline of verdicts: the control, but for one of too few topics for a test.

    Parameters
    ----------
    reference_p, control_p
        p of favour beside the reference, and less the control (empty: there is none).
    """
    is_tested = not np.isnan(control_p).all() or np.isnan(reference_p).all()
    return CONTROL if len(control_p) and is_tested else REFERENCE


def baseline_of(effects: pd.DataFrame) -> str:
    """The same from a measure's rows of ``favour/effects``."""
    p = [
        effects.loc[effects["beside"] == beside, "p_adjusted"].to_numpy(float)
        for beside in (REFERENCE, CONTROL)
    ]
    return headline_baseline(*p)


def mean_known(values: np.ndarray) -> float:
    """The mean of the values that are known; NaN of none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def verdict(p: float, value: float, draws: int) -> str:
    """The verdict of a p-value by so many draws."""
    if abs(p - SIGNIFICANCE) < ERRORS * (SIGNIFICANCE * (1 - SIGNIFICANCE) / draws) ** 0.5:
        return THRESHOLD
    if p >= SIGNIFICANCE:
        return NOT_SIGNIFICANT
    return FAVOURS if value > 0 else DISFAVOURS

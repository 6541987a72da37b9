"""The tables of the stage ``favour`` on documents: which ones carry a judge's favour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.favours.documents import (
    DEEPER,
    FINEST,
    GROUPS,
    Comparison,
    FirstDocuments,
    Parts,
    is_carried,
    label_differences,
    mean_of_known,
    parts_of,
)
from regrade.favours.effects import ALL, CONTROL, EQUAL, REFERENCE, Effects
from regrade.favours.families import Families
from regrade.favours.shared_scores import MeasuredScores
from regrade.run_arrays import RankedLists
from regrade.shared_labels import SharedLabels
from regrade.significance.corrections import adjust

LISTED = 20
"""Documents that are listed of a judge and a family: those with the largest parts of the favour."""

CERTAIN = 2
"""Standard errors from 0 from which on there are shares of a favour."""


@dataclass(frozen=True, eq=False)
class DocumentTables:
    """The tables of one measure.

    Attributes
    ----------
    documents
        Documents, by topic.
    docnos
        Name of a document of the runs, by its code.
    scores
        Scores of the systems on the same topics.
    families
        The families.
    effects
        The favour of judges (first) for families, by ``(beside, peers)``.
    """

    documents: FirstDocuments
    docnos: np.ndarray
    scored: MeasuredScores
    families: Families
    effects: Mapping[tuple[str, str], Effects]

    @classmethod
    def of(
        cls,
        shared: SharedLabels,
        ranked: RankedLists,
        scored: MeasuredScores,
        families: Families,
        effects: Mapping[tuple[str, str], Effects],
    ) -> DocumentTables:
        """Those of label sets on their shared documents."""
        sets = {one.name: one for one in (*shared.sets, *shared.controls)}

        def labels(name: str) -> tuple[pa.Table, float]:
            return shared.table(name), sets[name].scale.high

        documents = FirstDocuments.of(
            scored.measure, ranked, scored.topics, labels(shared.names[0]),
            [*map(labels, scored.judges)], [*map(labels, scored.controls)],
        )  # fmt: skip
        return cls(documents, ranked.docnos, scored, families, effects)

    @cached_property
    def members(self) -> np.ndarray:
        """(F, S) the families."""
        return self.families.members(self.scored.systems)

    @property
    def _pairs(self) -> dict[str, Sequence[str]]:
        return {"judge": self.scored.judges, "family": [*self.families]}

    @cached_property
    def _groups(self) -> np.ndarray:
        return self.documents.groups(self.members)

    @cached_property
    def _carriers(self) -> tuple[str, ...]:
        """The groups of documents that there are."""
        is_deeper = (self._groups == GROUPS.index(DEEPER)).any()
        return GROUPS if is_deeper else GROUPS[:-1]

    def tables(self) -> dict[str, pd.DataFrame]:
        """Each by its name, but for the measure; topics of `topic_parts` are to be joined."""
        comparisons = self._comparisons() if is_carried(self.documents.measure) else {}
        parts = {
            key: parts_of(self.documents, self.members, than, beside_control=key[0] == CONTROL)
            for key, than in comparisons.items()
        }
        tables = {
            "document_labels": self._labels(),
            "unique_labels": self._unique_labels(),
            "document_grades": self._grades(),
            "documents": [self._carried(key, of) for key, of in parts.items()],
            "top_documents": [],
            "topic_parts": [],
        }
        if parts:
            beside, peers = [*parts][-1]
            tables["top_documents"] = self._listed(parts[beside, peers], beside)
            tables["topic_parts"] = [self._topic_parts(parts[REFERENCE, ALL].by_topic)]
        return {
            name: pd.concat(of, ignore_index=True) if of else pd.DataFrame()
            for name, of in tables.items()
        }

    @property
    def _sides(self) -> list[str]:
        is_controlled = self.scored.scores.controlled.any()
        return [REFERENCE, CONTROL] if is_controlled else [REFERENCE]

    def _comparisons(self) -> dict[tuple[str, str], Comparison]:
        """By what is taken off, and with which systems families are compared."""
        of = {}
        for beside in self._sides:
            scores = self.scored.scores
            if beside == CONTROL:
                scores = scores.of_topics(scores.controlled)
            difference = scores.judges - scores.reference
            if beside == CONTROL:
                difference = difference - scores.control_differences()
            of[beside, ALL] = Comparison.of_all(scores.reference, self.members)
            equal = Comparison.at_equal_quality(difference, scores.reference, self.members)
            if not np.isnan(equal.slope).any():
                of[beside, EQUAL] = equal
        return of

    def _carried(self, key: tuple[str, str], parts: Parts) -> pd.DataFrame:
        """What groups of documents carry of the favour."""
        judges, carriers = len(self.scored.judges), slice(len(self._carriers))
        favour, error = (
            of[:judges, :, None] for of in (self.effects[key].value, self.effects[key].error)
        )
        own = parts.carried
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(np.abs(favour) > CERTAIN * error, own.value / favour, np.nan)
        values = {"carried": own.value, "low": own.low, "high": own.high}
        values |= {"of_ideal": parts.of_ideal, "carried_share": share}
        values = {name: of[:, :, carriers] for name, of in values.items()}
        table = _rows({**self._pairs, "carriers": self._carriers}, **values)
        return table.assign(beside=key[0], peers=key[1])

    def _labels(self) -> list[pd.DataFrame]:
        """The mean labels of groups of documents."""
        documents, known, parts = self.documents, self.documents.is_labelled, []
        control = mean_of_known(documents.controls.shares)
        pairs = (len(self.scored.judges), len(self.families))
        for place in range(len(self._carriers)):
            every = self._groups == place
            of = every & known
            values = {
                "documents": of.sum(axis=1),
                "unlabelled": (every & ~known).sum(axis=1),
                "topics": np.array([len(np.unique(documents.topic[own])) for own in of]),
                "reference": _means(documents.reference.shares, of),
                "judge_label": _means(documents.judges.shares, of),
                "control": _means(control[None], of & ~np.isnan(control)),
            }
            parts.append({name: np.broadcast_to(own, pairs) for name, own in values.items()})
        values = {name: np.stack([part[name] for part in parts], axis=-1) for name in parts[0]}
        return [_rows({**self._pairs, "carriers": self._carriers}, **values)]

    def _unique_labels(self) -> list[pd.DataFrame]:
        """How much more judges give to unique documents than to others."""
        tables = []
        for beside in self._sides:
            for peers in (ALL, EQUAL):
                of = label_differences(
                    self.documents,
                    self.members,
                    beside_control=beside == CONTROL,
                    equal_grades=peers == EQUAL,
                )
                p_adjusted = of.p.copy()
                known = ~np.isnan(of.p)
                p_adjusted[known] = adjust(of.p[known], "holm")
                values = {"difference": of.value, "low": of.low, "high": of.high}
                table = _rows(self._pairs, **values, p_adjusted=p_adjusted)
                tables.append(table.assign(beside=beside, peers=peers))
        return tables

    def _grades(self) -> list[pd.DataFrame]:
        """Numbers of documents by the grades of the reference and of a judge or control."""
        documents, tables = self.documents, []
        (reference,) = documents.reference.grades
        if len(np.unique(reference[documents.is_labelled])) > FINEST:
            return []
        every = np.concatenate([documents.judges.grades, documents.controls.grades])
        names = [*self.scored.judges, *self.scored.controls]
        for name, own in zip(names, every, strict=True):
            known = ~np.isnan(own) & ~np.isnan(reference)
            if len(np.unique(own[known])) > FINEST:
                continue
            for family, of in zip(self.families, self._groups, strict=True):
                cells = {"place": of[known], "reference": reference[known], "grade": own[known]}
                counts = pd.DataFrame(cells).value_counts().rename("documents").sort_index()
                counts = counts.reset_index().assign(judge=name, family=family)
                carriers = np.array(GROUPS, dtype=object)[counts.pop("place")]
                tables.append(counts.assign(carriers=carriers))
        return tables

    def _listed(self, parts: Parts, beside: str) -> list[pd.DataFrame]:
        """The documents with the largest parts of each judge's favour for each family."""
        documents, tables = self.documents, []
        topics = len(documents.topics)
        if beside == CONTROL:
            topics = int(self.scored.scores.controlled.sum())
        control, names = mean_of_known(documents.controls.grades), self.docnos[documents.codes]
        for judge, family in np.ndindex(len(parts.differences), len(parts.weights)):
            own = np.nan_to_num(parts.differences[judge] * parts.weights[family]) / topics
            # by docno where parts are equal
            first = np.lexsort((names, -np.abs(own).round(_DIGITS)))[:LISTED]
            first = first[own[first] != 0]
            inside = self.members[family]
            table = {
                "judge": self.scored.judges[judge],
                "family": [*self.families][family],
                "topic": np.array(documents.topics, dtype=object)[documents.topic[first]],
                "docno": names[first],
                "carried": own[first],
                "systems": documents.is_first[inside][:, first].sum(axis=0),
                "others": documents.is_first[~inside][:, first].sum(axis=0),
                "reference": documents.reference.grades[0, first],
                "grade": documents.judges.grades[judge, first],
                "control": control[first],
            }
            tables.append(pd.DataFrame(table))
        return tables

    def _topic_parts(self, by_topic: np.ndarray) -> pd.DataFrame:
        """What groups of documents carry of each topic's favour beside the reference."""
        parts = {f"of_{name}": by_topic[:, :, place] for place, name in enumerate(GROUPS[:3])}
        return _rows({**self._pairs, "topic": self.documents.topics}, **parts)


_DIGITS = 15
"""To which parts of documents are compared."""


def _rows(axes: Mapping[str, Sequence[object]], **values: np.ndarray) -> pd.DataFrame:
    """A row for each element of arrays that have these axes, the last varying first."""
    names = [np.asarray(axis, dtype=object) for axis in axes.values()]
    shape = [len(axis) for axis in names]
    places = np.indices(shape).reshape(len(shape), -1)
    keys = {name: of[place] for name, of, place in zip(axes, names, places, strict=True)}
    return pd.DataFrame(
        keys | {name: np.broadcast_to(of, shape).ravel() for name, of in values.items()}
    )


def _means(values: np.ndarray, of: np.ndarray) -> np.ndarray:
    """(L, F) means of (L, D) values over (F, D) documents; NaN of none."""
    count = of.sum(axis=1)
    total = np.nan_to_num(values) @ of.T.astype(float)
    return np.divide(total, count, where=count > 0, out=np.full(total.shape, np.nan))

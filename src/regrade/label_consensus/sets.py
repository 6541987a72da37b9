"""Sets of labels as an array of judges × documents, and what a consensus of them is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import once_per_worker, value_column
from regrade.answers.shape import Answer
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.label_consensus.answer import answer_of
from regrade.label_consensus.rescaling import consensus_scale
from regrade.label_consensus.rules import Consensus, consensus
from regrade.scales import Scale
from regrade.tables import unlabelled, with_unlabelled

KEYS = ["topic", "docno"]


@dataclass(frozen=True)
class LabelArray:
    """Labels of J judges for D documents.

    Attributes
    ----------
    judges : tuple of str
        Names, in the order of the sets.
    documents : DataFrame
        Columns ``topic`` and ``docno``, sorted; every document that a judge has.
    values : array of float64, shape (J, D)
        NaN where a judge has no label.
    """

    judges: tuple[str, ...]
    documents: pd.DataFrame
    values: np.ndarray

    @classmethod
    def of(cls, tables: Mapping[str, pa.Table]) -> LabelArray:
        """Of a table of labels, or of a worker's judgments, for each judge."""
        columns = {name: _column(table) for name, table in tables.items()}
        together = pd.concat(columns, axis="columns").sort_index()
        documents = together.index.to_frame(index=False)
        return cls(tuple(tables), documents, together.to_numpy(dtype=float).T)

    @property
    def topic(self) -> np.ndarray:
        """Place of each document's topic among the names, sorted: int64, shape (D,)."""
        return pd.factorize(self.documents["topic"], sort=True)[0]

    def beside(self, table: pa.Table) -> np.ndarray:
        """The labels of a further set of the same documents, NaN where it has none: (D,)."""
        index = pd.MultiIndex.from_frame(self.documents)
        return _column(table).reindex(index).to_numpy(dtype=float)


def _column(table: pa.Table) -> pd.Series:
    """A set's labels by topic and docno, of repeated judgments the middle one."""
    value = value_column(table)
    if "worker" in table.column_names:
        frame = table.select([*KEYS, "worker", value]).to_pandas()
        frame = once_per_worker(frame.assign(worker=frame["worker"].astype(str)))
    else:
        frame = table.select([*KEYS, value]).to_pandas()
    frame = frame.astype(dict.fromkeys(KEYS, "str"))
    return frame.set_index(KEYS)[value]


def by_worker(judgments: pa.Table, name: str) -> dict[str, pa.Table]:
    """The judgments of each worker by name.

    Raises
    ------
    ParameterError
        If a judgment has no worker.
    """
    workers = judgments["worker"].combine_chunks()
    if workers.null_count:
        raise ParameterError(
            f"{name}: {workers.null_count:,} judgments have no worker, so that their judges are "
            "unknown: name the column, columns={'worker': …}, or aggregate them"
        )
    if pa.types.is_dictionary(workers.type):
        workers = workers.cast(pa.string())
    names = np.asarray(workers)
    return {str(one): judgments.filter(pa.array(names == one)) for one in np.unique(names)}


def on_unit_range(table: pa.Table, scale: Scale) -> pa.Table:
    """A set whose scale is mapped onto 0 to 1."""
    name = value_column(table)
    values = (table[name].to_numpy() - scale.low) / (scale.high - scale.low)
    return table.set_column(table.column_names.index(name), name, pa.array(values))


@dataclass(frozen=True)
class SetConsensus:
    """The consensus of sets: an array, a result, the rule and where weights come from.

    Attributes
    ----------
    array : LabelArray
    result : Consensus
    by : str
        The rule.
    reference : str
        Name of the reference of `weighted`; empty without one.
    """

    array: LabelArray
    result: Consensus
    by: str
    reference: str = ""

    @classmethod
    def of(
        cls,
        tables: Mapping[str, pa.Table],
        by: str,
        reference: tuple[str, pa.Table] | None = None,
    ) -> SetConsensus:
        """Of tables by judge, and of a reference by name; errors as those of `consensus`."""
        array = LabelArray.of(tables)
        name, beside = ("", None) if reference is None else reference
        labels = None if beside is None else array.beside(beside)
        result = consensus(array.values, by, topic=array.topic, reference=labels)
        return cls(array, result, by, name)

    @property
    def topics(self) -> int:
        """Number of topics with a labelled document."""
        return self.array.documents["topic"].nunique()

    def labels(self, tables: Mapping[str, pa.Table]) -> pa.Table:
        """The table of labels; topics that no judge labels stay topics without labels."""
        documents = self.array.documents
        columns = [documents["topic"], documents["docno"], self.result.label]
        table = pa.table([pa.array(one) for one in columns], names=[*KEYS, "grade"])
        without = {topic for one in tables.values() for topic in unlabelled(one)}
        return with_unlabelled(table.cast(SCHEMAS["qrels"]), without)

    def scale(self, common: Scale) -> Scale:
        """The scale of the labels: that of the judges where all lie on it."""
        if common.contains(self.result.label).all():
            return common
        return consensus_scale(self.by, common, rescaled=False)

    @property
    def answer(self) -> Answer:
        """What it rests on."""
        return answer_of(self.result, self.by, self.judges_frame(), self.topics, self.reference)

    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables ``consensus/…`` by name."""
        return {
            "documents": self.documents_frame(),
            "judges": self.judges_frame(),
            "confusion": self.confusion_frame(),
        }

    def documents_frame(self) -> pd.DataFrame:
        """``topic``, ``docno``, ``grade``, ``judges`` (their number) and ``tied``."""
        result = self.result
        return self.array.documents.assign(
            grade=result.label, judges=result.judges, tied=result.tied
        )

    def judges_frame(self) -> pd.DataFrame:
        """A row per judge: documents, likeness to the consensus, accuracy and weight."""
        values, result = self.array.values, self.result
        apart = pd.DataFrame(np.abs(values - result.label), index=self.array.judges)
        number, nothing = apart.count(axis=1), np.nan
        return pd.DataFrame({
            "judge": self.array.judges,
            "documents": number.to_numpy(),
            "agreement": (apart.eq(0).sum(axis=1) / number).to_numpy(),
            "difference": apart.mean(axis=1).to_numpy(),
            "accuracy": nothing if result.accuracy is None else result.accuracy,
            "vote_weight": nothing if result.weight is None else result.weight,
        })  # fmt: skip

    def confusion_frame(self) -> pd.DataFrame:
        """``judge``, ``level``, ``value``, ``probability`` of Dawid–Skene; else without rows."""
        names = ["judge", "level", "value", "probability"]
        if self.by != "dawid-skene":
            return pd.DataFrame({name: pd.Series(dtype=float) for name in names})
        classes, judges = self.result.classes, self.array.judges
        index = pd.MultiIndex.from_product([judges, classes, classes], names=names[:3])
        frame = index.to_frame(index=False)
        return frame.assign(probability=self.result.model.confusion.ravel())

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
from regrade.label_sets import LabelSet
from regrade.scales import Scale
from regrade.shared_labels import KEYS
from regrade.tables import unlabelled, with_unlabelled


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
        """Of tables by name: a judge each, or of judgments by several workers each of these.

        Raises
        ------
        ParameterError
            If two judges have one name, or a judgment has no worker.
        """
        sets = (LabelSet(name, table) for name, table in tables.items())
        judges = [judge for one in sets for judge in one.by_worker()]
        names = [judge.name for judge in judges]
        if again := [name for name in names if names.count(name) > 1]:
            raise ParameterError(
                f"two judges are called '{again[0]}': give each set its own name, {{name: set}}"
            )
        frames = [_frame(judge.table) for judge in judges]
        judge = np.repeat(np.arange(len(names)), [*map(len, frames)])
        together = pd.concat(frames, ignore_index=True)
        (topic, topics), (docno, docnos) = (pd.factorize(together[key], sort=True) for key in KEYS)
        known, document = np.unique(topic * len(docnos) + docno, return_inverse=True)
        values = np.full((len(names), len(known)), np.nan)
        values[judge, document] = together["value"]
        places = np.divmod(known, len(docnos))
        documents = pd.DataFrame({"topic": topics[places[0]], "docno": docnos[places[1]]})
        return cls(tuple(names), documents, values)

    @property
    def topic(self) -> np.ndarray:
        """Place of each document's topic among the names, sorted: int64, shape (D,)."""
        return pd.factorize(self.documents["topic"], sort=True)[0]

    def beside(self, table: pa.Table) -> np.ndarray:
        """The labels of a further set of the same documents, NaN where it has none: (D,)."""
        labels = _frame(table).set_index(KEYS)["value"]
        return labels.reindex(pd.MultiIndex.from_frame(self.documents)).to_numpy(dtype=float)


def _frame(table: pa.Table) -> pd.DataFrame:
    """``topic``, ``docno`` and ``value``, once for each document."""
    value = value_column(table)
    names = [*KEYS, *(["worker"] if "worker" in table.column_names else []), value]
    frame = table.select(names).to_pandas().rename(columns={value: "value"})
    frame = frame.astype(dict.fromkeys(KEYS, "str"))
    return once_per_worker(frame.astype({"worker": "str"})) if "worker" in frame else frame


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

"""What is known of documents before anything is estimated: models' values, people's labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate
from regrade.audit.overlap import nearly_alike
from regrade.choices import ASSUMED, SEVERAL
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.estimation.batches import Counting
from regrade.estimation.design_checks import check_design
from regrade.estimation.estimates import LabelledSample
from regrade.estimation.grades import middle_places
from regrade.estimation.listed import check_ranked, with_ranked
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.tables import label_frame

_KEY = ["topic", "docno"]


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents that people could have been asked about, and what was said of them.

    Attributes
    ----------
    topics, docnos
        (N,) str objects.
    models
        M names.
    values
        (N, M) of M models, NaN where one has none.
    grades
        (N,) people's, NaN where there is none.
    inclusion
        (K, N) probability of each to be chosen in each of K batches; NaN in those after its own.
    batch
        (N,) int64 in which it was chosen, from 1; 0: in none.
    assumed
        Whether inclusion is not known: all were taken to be as likely.
    labels
        How many labels people gave: more than documents where several labelled one.
    is_alone
        Whether inclusion is known of chosen documents alone; of others it is what these make
        likely, and spreads are estimated from those that were chosen.
    """

    topics: np.ndarray
    docnos: np.ndarray
    models: tuple[str, ...]
    values: np.ndarray
    grades: np.ndarray
    inclusion: np.ndarray
    batch: np.ndarray
    assumed: bool
    labels: int
    is_alone: bool = False

    @classmethod
    def of(
        cls,
        sample: pa.Table,
        models: Mapping[str, pa.Table],
        assume: str | None = None,
        several: str = "majority",
        ranked: RankedLists | None = None,
        measures: Sequence[str] = (),
    ) -> Documents:
        """Put labels and models together; the documents are also those that runs rank high enough.

        Labels of all documents that models list, with no word of how they were chosen, are full
        judging as it is.
        """
        check_choice("several", several, SEVERAL)
        people = sample.to_pandas().astype({"topic": str, "docno": str})
        known = people["inclusion"].notna().all()
        is_alone = "alone" in people
        documents = _by_batch(people if known else people.assign(batch=1))
        if known and assume is not None:
            problem = "labels give the inclusion probability of each document: leave it out"
            raise ParameterError(f"assume: {problem}")
        values = values_of(models)
        _check_shared(documents, values)
        if is_alone:
            own = values[values["topic"].isin(documents["topic"])]
            values = with_ranked(own, ranked, measures)
        elif known:
            _check_listed(values, documents)
            check_ranked(documents, ranked, measures)
            _check_repeats(documents)
            _check_design(documents, "stated" not in people or bool(people["stated"].all()))
        elif len(documents.merge(values[_KEY], on=_KEY)) < len(values):
            values = with_ranked(values, ranked, measures)
        is_outer = is_alone or not known
        documents = documents.merge(values, how="outer" if is_outer else "left", on=_KEY)
        # one grade for each document that somebody labelled
        labels = people.loc[people["grade"].notna(), [*_KEY, "grade"]]
        if labels.duplicated(_KEY).any():
            judgments = people[people["grade"].notna()].rename(columns={"grade": "value"})
            labels = aggregate(pa.Table.from_pandas(judgments, preserve_index=False), several)
            labels = labels.to_pandas().astype({"topic": str, "docno": str})
        documents = documents.merge(labels, how="left", on=_KEY)
        documents = documents.sort_values(_KEY, kind="stable", ignore_index=True)
        # null where people were never asked
        batch = documents["batch"].fillna(0).to_numpy(np.int64)
        chosen = batch > 0
        assumed = not (known or chosen.all())  # of all documents there is nothing to assume
        if assumed:
            check_assumed(assume)
        inclusion = documents[_batches(documents)].to_numpy(float).T
        if not known:
            inclusion = np.full((1, len(batch)), chosen.mean())
        elif is_alone:
            inclusion = np.where(np.isnan(inclusion), _of_others(inclusion[0, chosen]), inclusion)
        return cls(
            documents["topic"].to_numpy(object),
            documents["docno"].to_numpy(object),
            tuple(models),
            documents[[*values.columns[2:]]].to_numpy(float),
            documents["grade"].to_numpy(float),
            inclusion,
            batch,
            assumed,
            int(people["grade"].notna().sum()),
            is_alone,
        )

    @property
    def chosen(self) -> np.ndarray:
        """(N,) whether people were asked about the document."""
        return self.batch > 0

    def sample(self, places: np.ndarray, scale: Scale) -> LabelledSample:
        """What people labelled of some of the documents."""
        labelled = np.flatnonzero(self.labelled[places])
        levels = scale.codes(self.grades[places][labelled]).astype(np.int64)
        inclusion = self.inclusion[:, places]
        counting = Counting.of(inclusion, self.batch[places], np.nansum(inclusion, axis=1))
        if self.is_alone:  # a sum over all of (1 − π) / π is one over those chosen of (1 − π) / π²
            # what is learned may not know π of chosen documents alone: it would tell these apart
            uniform = np.full(len(places), self.chosen.mean())
            counting = replace(counting, spread=counting.seen, inclusion=uniform)
        return LabelledSample(counting.inclusion, labelled, levels, counting)

    @property
    def labelled(self) -> np.ndarray:
        """(N,) whether people labelled the document."""
        return ~np.isnan(self.grades)

    @property
    def table(self) -> pa.Table:
        """The documents as a table of schema ``qrels``, all with the grade 0."""
        grades = np.zeros(len(self.topics))
        return pa.table({"topic": self.topics, "docno": self.docnos, "grade": grades})

    @property
    def expected(self) -> np.ndarray:
        """(N,) how often each document is expected to be chosen, over all batches that offer it."""
        return np.nansum(self.inclusion, axis=0)

    @property
    def without_values(self) -> np.ndarray:
        """(N,) whether no model has a value of the document."""
        return np.isnan(self.values).all(axis=1)

    @property
    def by_model(self) -> pd.DataFrame:
        """``topic``, ``docno`` and a column for each model, NaN where it has no value."""
        names = {"topic": self.topics, "docno": self.docnos}
        return pd.DataFrame(names | dict(zip(self.models, self.values.T, strict=True)))

    @property
    def topics_without_values(self) -> list[str]:
        """The topics of which no model has a value."""
        return sorted({*self.topics} - {*self.topics[~self.without_values]})


def _of_others(inclusion: np.ndarray) -> float:
    """A probability of those not chosen, if they stand behind chosen ones (Horvitz and Thompson).

    One over the mean of 1 / π over those that are not chosen.
    """
    behind = (1 - inclusion) / inclusion
    return float(behind.sum() / (behind / inclusion).sum()) if behind.any() else 1.0


def check_assumed(assume: str | None) -> None:
    """Refuse labels of documents that nobody knows how they were chosen, unless that is assumed."""
    if assume is None:
        raise ParameterError(
            "labels give no inclusion probabilities, and a pool or a convenience sample "
            "may differ from the other documents: choose documents with `assign`, name "
            "the column of probabilities (columns: inclusion=…), or assume equal "
            "probabilities: assume uniform"
        )
    check_choice("assume", assume, ASSUMED)


def values_of(models: Mapping[str, pa.Table]) -> pd.DataFrame:
    """Every document that a model labelled: ``topic``, ``docno``, and a column for each model."""
    frames = []
    for name, table in models.items():
        frames.append(label_frame(table).rename(columns={"grade": f"value {name}"}))
    nobody = pd.DataFrame({"topic": pd.Series(dtype=str), "docno": pd.Series(dtype=str)})
    return reduce(partial(pd.merge, how="outer", on=_KEY), frames or [nobody])


def mean_places(values: np.ndarray) -> np.ndarray:
    """(N,) the mean place of each document's values among those of each model; NaN of none."""
    places = np.column_stack([middle_places(of_model) for of_model in values.T])
    some = ~np.isnan(places)
    sums, counts = np.where(some, places, 0).sum(axis=1), some.sum(axis=1)
    return np.divide(sums, counts, out=np.full(len(places), np.nan), where=counts > 0)


def _by_batch(people: pd.DataFrame) -> pd.DataFrame:
    """A row for each document: its probability in each batch, and in which it was chosen."""
    rows = people.drop_duplicates([*_KEY, "batch"])
    inclusion = rows.pivot(index=_KEY, columns="batch", values="inclusion").add_prefix("inclusion ")
    chosen = rows[rows["chosen"].eq(True)].set_index(_KEY)["batch"]
    rows_of = inclusion.assign(batch=chosen.reindex(inclusion.index).fillna(0))
    return rows_of.reset_index().rename_axis(columns=None)


def _batches(documents: pd.DataFrame) -> list[str]:
    """The columns with probabilities, by batch."""
    columns = [name for name in documents if name.startswith("inclusion ")]
    return sorted(columns, key=lambda name: int(name.split()[1]))


def _check_shared(documents: pd.DataFrame, values: pd.DataFrame) -> None:
    if not len(documents.merge(values[_KEY], on=_KEY)):
        row, other = documents.iloc[0], values.iloc[0]
        alike = nearly_alike(values["topic"], documents["topic"])
        why = f" (topics {alike})" if alike else ""
        raise MethodError(
            f"model and labels share no document{why}: do topics and docnos have the same "
            f"format? The model has '{other['docno']}' for topic '{other['topic']}', the "
            f"labels '{row['docno']}' for topic '{row['topic']}'"
        )


def _check_repeats(documents: pd.DataFrame) -> None:
    """Refuse batches that leave out documents which none before has chosen."""
    inclusion = documents[_batches(documents)].to_numpy(float)
    batch = documents["batch"].to_numpy(int)
    last = np.where(batch > 0, batch, inclusion.shape[1])
    left_out = np.isnan(inclusion) & (np.arange(inclusion.shape[1]) < last[:, None])
    for i in np.flatnonzero(left_out.any(axis=1))[:1]:
        row, k = documents.iloc[i], int(np.argmax(left_out[i])) + 1
        raise ParameterError(
            f"labels give no inclusion probability for {row['docno']} of topic "
            f"{row['topic']} in batch {k}: keep all rows of each batch, as `assign` writes "
            "them"
        )


def _check_design(documents: pd.DataFrame, is_stated: bool) -> None:
    names = (documents[name].to_numpy(object) for name in _KEY)
    inclusion = documents[_batches(documents)].to_numpy(float).T
    check_design(*names, inclusion, documents["batch"].to_numpy(np.int64), is_stated)


def _check_listed(values: pd.DataFrame, documents: pd.DataFrame) -> None:
    """Refuse a list of chosen documents alone: how likely the others were is needed too."""
    own = values.loc[values["topic"].isin(documents["topic"]), _KEY]
    missing = own.merge(documents[_KEY], how="left", on=_KEY, indicator=True)
    missing = missing[missing["_merge"] == "left_only"]
    if len(missing):
        row = missing.iloc[0]
        raise ParameterError(
            f"labels give no inclusion probability for {len(missing):,} documents of the "
            f"model, such as {row['docno']} for topic {row['topic']}: keep the rows of "
            "documents that were not chosen, as `assign` writes them"
        )

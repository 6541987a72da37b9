"""Few labels by people, many by a model: whom to ask about what, and what full judging had said."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from regrade.answers.words import named
from regrade.api.pipes import reads_pipes
from regrade.api.results import Result, Text
from regrade.api.scores import matched
from regrade.api.sets import (
    Labels,
    Runs,
    as_input,
    measures_for,
    read_qrels,
    read_runs,
    scale_from,
)
from regrade.blocks import Blocks, blocks_of
from regrade.catalogue import ALL_TOPICS
from regrade.choices import COARSE, COMPARED
from regrade.errors import ParameterError
from regrade.estimation import stage
from regrade.estimation.assignment import (
    Design,
    assign_documents,
    assign_more_documents,
    check_aim,
)
from regrade.estimation.samples import Documents, values_of
from regrade.estimation.stopping import Look, settled
from regrade.measures import relevance_note
from regrade.readers.formats import headed_format
from regrade.readers.labels import OPTIONAL, REQUIRED, ScaledSample, sample_of
from regrade.readers.rows import guarded
from regrade.readers.sources import described, input_table, is_tuples
from regrade.readers.values import scale_of_all, scale_of_most, without_junk
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types
from regrade.tables import atomic_path, label_frame
from regrade.wording import SHOWN, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, repr=False)
class Assigned:
    """Which documents people are asked to label.

    Attributes
    ----------
    documents
        ``topic``, ``docno``, ``inclusion`` (the probability that the document is chosen, above 0
        and at most 1) and ``chosen``; the chosen ones first.  Of a later batch also its number,
        ``batch``, and documents that were chosen before are not among them.
    scale
        That people are to label on.
    earlier
        The rows of earlier batches, with their labels; ``None``: there is none.
    """

    documents: pd.DataFrame
    scale: Scale
    earlier: pd.DataFrame | None = None

    def to_frame(self) -> pd.DataFrame:
        """The documents, with a column ``grade`` for people to fill in, and earlier batches."""
        empty = pd.array([None] * len(self.documents), "Float64")
        asked = self.documents.assign(grade=empty)
        if self.earlier is None:
            return asked
        kind = "object" if self.scale.names else "Float64"
        earlier = self.earlier.astype({"grade": kind}).dropna(axis=1, how="all")
        return pd.concat([asked.astype({"grade": kind}), earlier], ignore_index=True)

    def to_csv(self, path: str | os.PathLike) -> None:
        """Write the frame with a column ``grade`` for people to fill in, for `estimate` to read.

        Rows of documents that were not chosen stay in the file: how likely they were counts too.
        Names that a spreadsheet would take for a formula have a ``'`` before them there.
        """
        with atomic_path(path) as temporary:
            guarded(self.to_frame(), ("topic", "docno", "worker")).to_csv(temporary, index=False)

    def summary(self) -> Text:
        """How many documents of which topics."""
        chosen, n = int(self.documents["chosen"].sum()), len(self.documents)
        topics = self.documents["topic"].nunique()
        more = "" if self.earlier is None else " more"
        least, most = (getattr(self.documents["inclusion"], end)() for end in ("min", "max"))
        ends = f"{least:.3g}" if least == most else f"{least:.3g} to {most:.3g}"
        return Text(
            f"People label {chosen:,}{more} of {counted(n, 'document')} of "
            f"{counted(topics, 'topic')}, on {self.scale}: those that are chosen have a "
            f"probability of {ends}."
        )

    def __repr__(self) -> str:
        """The summary."""
        return f"<Assigned: {self.summary()}>"


class Estimates(Result):
    """What labels of all documents would have given, and how far that may be off.

    Attributes
    ----------
    tables
        By name, as the stage ``estimates`` of the workflow has them: ``labels``, ``facts`` and
        ``answer``; of systems also ``systems`` and ``pairs``.  Each is an attribute as well, the
        answer as one object.
    """

    @property
    def main_table(self) -> str:
        """``systems`` where there are some, else ``labels``."""
        return "systems" if "systems" in self.tables else "labels"

    @property
    def measures(self) -> list[str]:
        """As they are written; none of labels alone."""
        return list(dict.fromkeys(self.systems["measure"])) if "systems" in self.tables else []

    def settled(self, aim: str | int = 1) -> Settled:
        """Is it settled, or are more labels needed?

        What is settled is wrong in 5 % of cases at most, over all looks after each batch together
        (`regrade.estimation.stopping`).

        Parameters
        ----------
        aim
            A number k: whether the first k systems are these; ``undecided``: which pairs of systems
            are in the right order, each for itself.

        Raises
        ------
        ParameterError
            If the aim is another, or there are no more systems than k.
        """
        return Settled.of(self, aim)

    def plot(self) -> Figure:
        """Draw systems, and how far they are from the first; of labels alone, shares of grades."""
        from regrade.estimation.figures import figure_estimate
        from regrade.show.ranked import SHOWN

        drawn = [self.labels]
        if "systems" in self.tables:
            first = self.systems["system"].iloc[0]
            pairs = (some[some["system"] == first] for some in blocks_of(self.tables["pairs"]))
            drawn += [self.systems, pd.concat(pairs, ignore_index=True)]
        return figure_estimate(*drawn, shown=SHOWN)


@dataclass(frozen=True, eq=False, repr=False)
class Settled:
    """Whether more labels are needed; made by `Estimates.settled`.

    Attributes
    ----------
    table
        ``measure``, ``pairs`` (how many are asked), ``open`` (not settled) and ``more``: how many
        further labels are expected until they are, of all pairs until half of these are; NaN where
        a measure has no intervals.
    aim
        What was asked.
    leaders
        The first systems of each measure.
    """

    table: pd.DataFrame
    aim: str | int
    leaders: Mapping[str, list[str]]

    @classmethod
    def of(cls, found: Estimates, aim: str | int) -> Settled:
        """Of estimates."""
        if not found.measures:
            raise ParameterError("what is settled is the order of systems: give runs")
        check_aim(aim, ("undecided",))
        facts = found.facts.set_index(["measure", "quantity"])["value"][ALL_TOPICS]
        look = Look(*(int(facts[name]) for name in ("batches", "labelled", "documents")))
        k = None if aim == "undecided" else int(aim)
        if k is not None and k >= facts["systems"]:
            raise ParameterError(f"aim is {k}, and there are {facts['systems']:.0f} systems")
        rows, leaders = [], {}
        for measure in found.measures:
            systems = found.systems[found.systems["measure"] == measure]
            leaders[measure] = systems["system"].tolist()[:k]
            pairs = _asked(found.tables["pairs"], measure, None if k is None else leaders[measure])
            rows.append({"measure": measure, **settled(pairs, look, k)})
        return cls(pd.DataFrame(rows), aim, leaders)

    def to_frame(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def __bool__(self) -> bool:
        """Whether all is settled, by every measure."""
        return bool((self.table["open"] == 0).all())

    def summary(self) -> Text:
        """Stop, or go on, by each measure."""
        return Text("\n".join(self._said(row) for row in self.table.itertuples()))

    def _said(self, row: object) -> str:
        if np.isnan(row.open):
            return f"{row.measure}: it has no intervals, so that nothing is settled."
        more, none_left = counted(row.more, "label"), "and no document is left to label: stop."
        if self.aim == "undecided":
            count = row.pairs - row.open
            are = "is" if count == 1 else "are"
            done = f"{count:,.0f} of {counted(row.pairs, 'pair')} {are} settled"
            if not row.open:
                return f"{row.measure}: {done}: stop."
            if not row.more:
                return f"{row.measure}: {done}, {none_left}"
            return (
                f"{row.measure}: {done}. Go on: half of the others are expected to be with about "
                f"{more} more."
            )
        what = (
            f"that {named(self.leaders[row.measure], 'system')} come first"
            if self.aim != 1
            else f"that {self.leaders[row.measure][0]} is first"
        )
        if not row.open:
            return f"{row.measure}: settled {what}: stop."
        are, will = ("is" if count == 1 else "are" for count in (row.open, row.more))
        said = (
            f"{row.measure}: not settled {what}: {row.open:,.0f} of {counted(row.pairs, 'pair')} "
            f"{are} open"
        )
        if not row.more:
            return f"{said}, {none_left}"
        return f"{said}. Go on: about {more} more {will} expected to settle it."

    def __repr__(self) -> str:
        """The summary."""
        return f"<Settled: {self.summary()}>"


def _asked(
    pairs: pd.DataFrame | Blocks, measure: str, leaders: Sequence[str] | None
) -> pd.DataFrame:
    """The pairs by a measure: of some first systems with the others, or all without names."""
    parts = []
    for some in blocks_of(pairs):
        own = some[some["measure"] == measure]
        if leaders is not None:
            own = own[own["system"].isin(leaders) & ~own["other"].isin(leaders)]
        parts.append(own if leaders is not None else own[["difference", "low", "high"]])
    return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """Labels of documents that were chosen at random; made by `read_sample`.

    Attributes
    ----------
    table
        As `regrade.readers.labels.sample_of` makes it.
    stated_scale
        The scale, if it was told.
    several
        How labels by several people of one document become one.
    left_out
        How many rows were not read, by reason.
    written
        (n,) each grade as it was written, if that was in columns.
    """

    table: pa.Table
    stated_scale: Scale | None = None
    several: str = "majority"
    left_out: Mapping[str, int] = field(default_factory=dict)
    written: pa.Array | None = None

    @property
    def rows(self) -> pd.DataFrame:
        """The table with grades as they were written: junk as junk, and levels by their names."""
        frame = self.table.to_pandas()
        if self.written is None:
            return frame
        grades = self.written.to_pandas()
        is_named = self.stated_scale is not None and self.stated_scale.names
        return frame.assign(grade=grades if is_named else pd.to_numeric(grades))

    @property
    def labels(self) -> Labels:
        """What people labelled, each label of its own.

        Raises
        ------
        ParameterError
            If they labelled nothing.
        """
        given = self.table.filter(self.table["grade"].is_valid())
        if not len(given):
            raise ParameterError("no document has a grade: have people fill in the column")
        table = given.select(["topic", "docno", "grade"])
        return Labels(table, "labels", self.stated_scale, self.left_out)

    def on_levels(self) -> Sample:
        """The same, TREC's junk being level 0; see `Labels.on_levels`."""
        left_out = self.labels.on_levels().left_out
        if left_out == self.left_out:
            return self
        grades, _ = without_junk(self.table["grade"].to_numpy(), "grade")
        place = self.table.column_names.index("grade")
        table = self.table.set_column(place, "grade", pa.array(grades, from_pandas=True))
        return replace(self, table=table, left_out=left_out)

    def __repr__(self) -> str:
        """How many there are."""
        labelled = len(self.table) - self.table["grade"].null_count
        return f"<Sample: {labelled:,} of {counted(len(self.table), 'row')} labelled>"


@reads_pipes
def read_sample(
    source: object,
    *,
    scale: object = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    several: str = "majority",
) -> Sample:
    """Read labels of documents that were chosen at random.

    Parameters
    ----------
    source
        What `Assigned.to_csv` wrote, filled in; a frame or file with columns for topic, docno,
        grade (empty: not labelled), the probability to be chosen (``inclusion``), whether the
        document was chosen (``chosen``; by default where there is a grade), the ``batch`` of
        several (by default 1) and, of several people, the ``worker``.  Without ``inclusion``, and
        so of TREC qrels, `estimate` has to assume it.
    scale, columns, where
        As for `regrade.read_qrels`.
    several
        How labels by several people of one document become one: ``majority`` (ties to the lower
        one), ``median_low`` or ``median_high``.

    Returns
    -------
    Sample

    Raises
    ------
    RegradeError
        If it cannot be read; the message says where and what to do.
    """
    if isinstance(source, Sample):
        return source
    stated = scale_from(scale)
    is_file = isinstance(source, str | os.PathLike)
    if isinstance(source, Labels) or (is_file and headed_format(source, columns) is None):
        return _of_labels(read_qrels(source, scale=stated, columns=columns, where=where), several)
    rows = input_table(source, described(source, "labels"), REQUIRED, OPTIONAL, columns, where)
    left_out, texts = Counter(rows.left_out), rows.as_text([*REQUIRED, *OPTIONAL])
    table = sample_of(texts, stated, left_out)
    written = pc.if_else(table["grade"].is_valid(), texts.text("grade"), None)
    return Sample(table, stated, several, left_out, written)


def _of_labels(labels: Labels, several: str) -> Sample:
    n = len(labels)
    columns = {name: labels.table[name].cast(pa.string()) for name in ("topic", "docno")}
    columns["worker"] = pa.nulls(n, pa.string())
    columns["grade"] = labels.table["grade"]
    columns["inclusion"] = pa.nulls(n, pa.float64())
    columns["chosen"] = pa.array(np.ones(n, bool))
    columns["batch"] = pa.array(np.ones(n, np.int64))
    return Sample(pa.table(columns), labels.stated_scale, several, labels.left_out)


def read_models(source: object) -> dict[str, Labels]:
    """Labels by models, by name: of one, or of several in a list or a mapping by name.

    TREC's junk is level 0 (`Labels.on_levels`).

    Parameters
    ----------
    source
        Whatever `regrade.read_qrels` takes; a list, or a mapping by name, of such.

    Raises
    ------
    RegradeError
        If one cannot be read.
    """
    if _are_by_name(source):
        return {name: read_qrels(one, name=name).on_levels() for name, one in source.items()}
    if isinstance(source, list | tuple) and not is_tuples(source):
        read = [read_qrels(one).on_levels() for one in source]
        if not read:
            raise ParameterError("model: the list is empty: give labels by a model")
        names = [one.name for one in read]
        again = len(set(names)) < len(names)
        return {f"{one.name} {i}" if again else one.name: one for i, one in enumerate(read, 1)}
    labels = read_qrels(source).on_levels()
    return {labels.name: labels}


def _are_by_name(source: object) -> bool:
    """Whether it is labels by the names of models, and not by topic or in columns."""
    first = next(iter(source.values()), None) if isinstance(source, Mapping) else None
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), Mapping)
    return first is not None and (not isinstance(first, list | tuple) or is_tuples(first))


@checks_types
def assign(
    runs: object | None,
    model: object,
    budget: float,
    measures: Sequence[str] | str | None = None,
    *,
    scale: object = None,
    after: object = None,
    aim: str | int = "all",
    per_topic: bool = False,
    cost: object = None,
    seed: int = 1,
) -> Assigned:
    """Which documents shall people label, so that a few labels say most?

    Parameters
    ----------
    runs
        Whatever `regrade.read_runs` takes; ``None``: all documents are as likely, for grades and
        agreement alone.
    model
        Labels by a model of all documents that people may be asked about, whatever
        `regrade.read_qrels` takes, on any scale; or several, as a list or by name.
    budget
        How many documents people label; where they have costs, what their labels cost on average.
    measures
        That are to be estimated: P, DCG, SDCG, RBP, INSQ, nDCG or AP; by default those of
        `regrade.choices.COMPARED` that mean something on the scale.
    scale
        That people label on; by default that of the earlier labels, or the model's, if it is one of
        few levels.
    after
        Labels of the batches before, whatever `read_sample` takes: a further batch is chosen of the
        other documents, by what those labels teach.
    aim
        ``all``: what decides the value of any system.  After a first batch also ``undecided``: what
        decides pairs that labels do not tell apart, or a number k: which systems are the first k.
    per_topic
        Whether each topic has the same budget, as far as it has documents.
    cost
        Of each document's label, such as its length: whatever `regrade.read_qrels` takes, with
        numbers above 0 in place of grades.
    seed
        Of the choice.

    Returns
    -------
    Assigned
        For each document of a topic that a run ranks documents for; without runs, for each.

    Raises
    ------
    RegradeError
        If something cannot be read, a measure cannot be estimated, the budget is above the number
        of documents or what they cost, a document has no cost, or there are too few labels before.

    Examples
    --------
    >>> model = {"1": {"d1": 0.9, "d2": 0.4, "d3": 0.1}}
    >>> runs = {"a": {"1": {"d1": 3.0, "d2": 2.0}}, "b": {"1": {"d2": 3.0, "d3": 2.0}}}
    >>> asked = assign(runs, model, 2, "P@2", scale=2)
    >>> round(float(asked.documents["inclusion"].sum()), 6)
    2.0
    """
    models, read = read_models(model), _read(runs, measures)
    tables = {name: one.table for name, one in models.items()}
    how = {"seed": seed, "aim": aim, "per_topic": per_topic}
    if after is not None:
        before = read_sample(after, scale=scale).on_levels()
        people = before.labels
        _tell(people, *models.values())
        _check_slips(people, models)
        named = measures_for(measures, [people], COMPARED)
        documents = Documents.of(before.table, tables, several=before.several)
        ranked = _matched(documents.table, "model and people", read)
        names = pd.DataFrame({"topic": documents.topics, "docno": documents.docnos})
        design = Design(budget, cost=_costs(cost, names), **how)
        made = assign_more_documents(documents, ranked, named, people.likely_scale, design)
        return Assigned(made, people.likely_scale, before.rows)
    _tell(*models.values())
    labels_on = _scale_of_people(scale, models)
    named = measures_for(measures, [Labels(_any(models).table, "model", labels_on)], COMPARED)
    documents = values_of(tables)
    table = documents[["topic", "docno"]].assign(grade=0.0)
    _matched(pa.Table.from_pandas(table, preserve_index=False), "the model", read)
    design = Design(budget, cost=_costs(cost, table), **how)
    ranked = None if read is None else read.ranked
    return Assigned(assign_documents(documents, ranked, named, labels_on, design), labels_on)


def _tell(*sets: Labels) -> None:
    """Log what an answer would mind of how sets were read."""
    for note in (note for one in sets for note in one.notes):
        log.info("%s", note.removesuffix("."))


def _taken_for_people(sample: Sample, documents: Documents) -> str:
    """That a set is taken for the people's which might as well be a model's; else empty."""
    inclusion = sample.table["inclusion"]
    is_said = inclusion.null_count < len(inclusion)
    if is_said or not documents.labelled.all():
        return ""
    return (
        f"The first set labels all {len(documents.topics):,} documents and has no `chosen` or "
        "`inclusion`, as what `assign` wrote would: it is taken for the people's. If it is the "
        "model's, the two are swapped: the people's comes first."
    )


def _check_slips(people: Labels, models: Mapping[str, Labels]) -> None:
    """Refuse few grades above all others, or above all levels of the models, on no told scale."""
    if people.stated_scale is not None:
        return
    values = people.values
    scale = scale_of_most(values, [one.likely_scale for one in models.values()])
    if scale is None:
        return
    off = values > scale.high
    rows = people.table.filter(pa.array(off)).slice(0, SHOWN).to_pylist()
    shown = ", ".join(f"{row['grade']:g} of {row['docno']} (topic {row['topic']})" for row in rows)
    told = scale_of_all(values)
    raise ParameterError(
        f"labels: {counted(int(off.sum()), 'grade')} of {len(values):,} above {scale.high:g}, the "
        f"highest of all others or of the models: {shown}: correct them{told and f', or {told}'}"
    )


def _read(runs: object | None, measures: Sequence[str] | str | None) -> Runs | None:
    """Runs, if there are some."""
    if runs is None and measures is not None:
        raise ParameterError(
            f"measures {measures}: they are of systems: give runs, or leave it out"
        )
    return None if runs is None else read_runs(runs)


def _matched(labels: pa.Table, name: str, runs: Runs | None) -> RankedLists | None:
    """The rankings, with all topics of the labels."""
    return None if runs is None else matched(Labels(labels, name), runs)[0]


def _costs(cost: object, documents: pd.DataFrame) -> np.ndarray | None:
    """(N,) of each document, if there are costs."""
    if cost is None:
        return None
    of = label_frame(read_qrels(cost, name="costs").table)
    found = documents[["topic", "docno"]].merge(of, how="left", on=["topic", "docno"])
    wrong = ~(found["grade"] > 0)
    if wrong.any():
        row = found[wrong].iloc[0]
        has = "no cost" if np.isnan(row["grade"]) else f"the cost {row['grade']:g}"
        raise ParameterError(
            f"{row['docno']} of topic {row['topic']} has {has}: give each of the model's documents "
            "one above 0"
        )
    return found["grade"].to_numpy(float)


def _any(models: Mapping[str, Labels]) -> Labels:
    return next(iter(models.values()))


def _scale_of_people(scale: object, models: Mapping[str, Labels]) -> Scale:
    """The scale that was told, else the models' if it is of few levels."""
    found = scale_from(scale) or _any(models).likely_scale
    if not found.finite or len(found.values) > COARSE:
        raise ParameterError(
            f"people do not label on {found}: say on which levels they do, such as scale=4"
        )
    return found


@asks(stage.Estimates, several=None)
def estimate(
    labels: object,
    model: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    scale: object = None,
    options: SimpleNamespace,
) -> Estimates:
    """What would full judging have said, from few labels by people and many by a model?

    Of systems, and of labels: which grades people would have given how often, and how far the
    model's values agree with theirs.

    Parameters
    ----------
    labels
        Whatever `read_sample` takes: as `assign` chose the documents, filled in by people, where
        `several` is by default as they were read; with a `budget`, labels of all documents,
        whatever `regrade.read_qrels` takes.
    model, measures
        As for `assign`.
    runs
        Whatever `regrade.read_runs` takes; ``None``: of labels alone.
    scale
        That people label on; by default as their labels seem to be.

    Returns
    -------
    Estimates

    Raises
    ------
    RegradeError
        If something cannot be read, labels do not say how documents were chosen and nothing is
        assumed, a measure cannot be estimated, or there are too few labels.

    Examples
    --------
    >>> labels = {"topic": ["1"] * 3, "docno": ["d1", "d2", "d3"], "grade": [1, 0, 1],
    ...           "inclusion": [1, 1, 1]}
    >>> model = {"1": {"d1": 0.9, "d2": 0.4, "d3": 0.1}}
    >>> runs = {"a": {"1": {"d1": 3.0, "d2": 2.0}}, "b": {"1": {"d2": 3.0, "d3": 2.0}}}
    >>> said = estimate(labels, model, runs, "P@1")
    >>> said.systems[["system", "value", "low", "high"]].values.tolist()
    [['a', 1.0, 1.0, 1.0], ['b', 0.0, 0.0, 0.0]]
    """
    models, read = read_models(model), _read(runs, measures)
    tables = {name: one.table for name, one in models.items()}
    sample, note = None, ""
    if options.budget is None:
        sample = read_sample(labels, scale=scale).on_levels()
        people = sample.labels
        _check_slips(people, models)
        options.several = options.several or sample.several
        documents = Documents.of(sample.table, tables, options.assume, options.several)
        _matched(documents.table, "model and people", read)
        note = _taken_for_people(sample, documents)
    else:
        options.several = options.several or stage.Estimates.several.default
        people = read_qrels(labels, scale=scale).on_levels()
        _matched(people.table, people.name, read)
    options.measures = measures_for(measures, [people], COMPARED)
    notes = [n for one in (people, *models.values()) for n in one.notes] + [note]
    if read is not None:
        notes.append(relevance_note(options.measures, people.likely_scale.high))
    inputs = {
        "models": [replace(as_input(one), name=name) for name, one in models.items()],
        "file": sample and ScaledSample(sample.table, people.likely_scale),
        "qrels": as_input(people),
        "runs": read and MemoryRuns(read.ranked),
    }
    return Estimates(StageTables(stage.Estimates, inputs, options, notes))

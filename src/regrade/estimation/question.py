"""Full human judging, estimated from few human labels and a model's labels of all documents."""

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
from regrade.api.results import Result, Summarised, Text
from regrade.api.scores import matched
from regrade.api.sets import (
    Labels,
    Runs,
    are_sets,
    as_input,
    measures_for,
    not_scores,
    read_qrels,
    read_runs,
    scale_from,
)
from regrade.argument_checks import within
from regrade.blocks import blocks_of
from regrade.choices import COARSE, COMPARED
from regrade.errors import ParameterError
from regrade.estimation import stage
from regrade.estimation.answer import unlisted
from regrade.estimation.assignment import Design, assign_documents, assign_more_documents, check_aim
from regrade.estimation.listed import unlisted_shares, with_ranked
from regrade.estimation.samples import Documents, values_of
from regrade.estimation.stopping import settled_by_measure
from regrade.measures import check_estimable, relevance_note
from regrade.readers.formats import headed_format
from regrade.readers.labels import OPTIONAL, REQUIRED, ScaledSample, sample_of
from regrade.readers.lines import Problems
from regrade.readers.rows import guarded
from regrade.readers.sampled import check_one_method, has_five_fields, sampled_lines
from regrade.readers.sources import InputTable, described, input_table, is_tuples
from regrade.readers.values import scale_of_all, scale_of_most, without_junk
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types, measures_that
from regrade.tables import atomic_path, label_frame
from regrade.wording import SHOWN, counted, to_be

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger("regrade.api")


@dataclass(frozen=True, eq=False, repr=False)
class Assigned(Summarised):
    """Documents to be labelled by assessors.

    Attributes
    ----------
    documents
        ``topic``, ``docno``, ``inclusion`` (the inclusion probability, above 0 and at most 1) and
        ``chosen``; sampled documents first. A later batch also has its number, ``batch``, and omits
        documents sampled before.
    scale
        Scale of the human labels.
    earlier
        Rows of earlier batches, with their labels; ``None``: no earlier batch.
    unlisted
        By measure, the share of counted ranks without a model's value
        (`regrade.estimation.listed.unlisted_shares`).
    without_values
        Number of documents of the frame without a value of any model.
    """

    documents: pd.DataFrame
    scale: Scale
    earlier: pd.DataFrame | None = None
    unlisted: Mapping[str, float] = field(default_factory=dict)
    without_values: int = 0

    def to_frame(self) -> pd.DataFrame:
        """The documents, with an empty column ``grade`` for assessors, and earlier batches."""
        empty = pd.array([None] * len(self.documents), "Float64")
        blank = self.documents.assign(grade=empty)
        if self.earlier is None:
            return blank
        kind = "object" if self.scale.names else "Float64"
        earlier = self.earlier.astype({"grade": kind}).dropna(axis=1, how="all")
        return pd.concat([blank.astype({"grade": kind}), earlier], ignore_index=True)

    def to_csv(self, path: str | os.PathLike) -> None:
        """Write the frame with an empty column ``grade`` for assessors; `estimate` reads the file.

        Rows of unsampled documents stay in the file, for their inclusion probabilities. Names that
        a spreadsheet would read as a formula begin with ``'`` there.
        """
        with atomic_path(path) as temporary:
            guarded(self.to_frame(), ("topic", "docno", "worker")).to_csv(temporary, index=False)

    def summary(self) -> Text:
        """Numbers of documents and topics."""
        chosen, n = int(self.documents["chosen"].sum()), len(self.documents)
        topics = self.documents["topic"].nunique()
        more = "" if self.earlier is None else " further"
        least, most = self.documents["inclusion"].agg(["min", "max"])
        ends = f"{least:.3g}" if least == most else f"{least:.3g}–{most:.3g}"
        sample = (
            f"{chosen:,}{more} of {counted(n, 'document')} ({counted(topics, 'topic')}) are to be "
            f"labelled on the scale {self.scale}; inclusion probabilities are {ends}."
        )
        return Text("\n".join([sample, *unlisted(self.unlisted, self.without_values)]))


class Estimates(Result):
    """Estimates under full judging, with confidence intervals.

    Attributes
    ----------
    tables
        By name, as the stage ``estimates`` of the workflow has them: ``labels``, ``facts`` and
        ``answer``; of systems also ``systems`` and ``pairs``.  Each is an attribute as well, the
        answer as one object.
    """

    @property
    def main_table(self) -> str:
        """``systems``, without runs ``labels``."""
        return "systems" if "systems" in self.tables else "labels"

    @property
    def measures(self) -> list[str]:
        """Measures in canonical spelling; empty without runs."""
        return list(dict.fromkeys(self.systems["measure"])) if "systems" in self.tables else []

    def settled(self, aim: str | int = 1) -> Settled:
        """Is the ranking settled, or are more labels needed? The error rate is at most 5 %, over
        all looks together (`regrade.estimation.stopping`).

        Parameters
        ----------
        aim
            A number k: the set of the first k systems; ``undecided``: the order of each pair of
            systems.

        Raises
        ------
        ParameterError
            If the aim is another, or there are no more systems than k.
        """
        table, leaders, same = settled_by_measure(self.tables, aim)
        return Settled(table, aim, leaders, same)

    def plot(self) -> Figure:
        """Draw systems and their differences from the first; without runs, shares of grades."""
        from regrade.estimation.figures import figure_estimate
        from regrade.show.item_tables import with_measures_named
        from regrade.show.ranked import SHOWN

        drawn = [self.labels]
        if "systems" in self.tables:
            first = self.systems["system"].iloc[0]
            pairs = (some[some["system"] == first] for some in blocks_of(self.tables["pairs"]))
            pairs = pd.concat(pairs, ignore_index=True)
            names = self.tables.measure_names
            drawn += [with_measures_named(table, names) for table in (self.systems, pairs)]
        return figure_estimate(*drawn, limit=SHOWN)


@dataclass(frozen=True, eq=False, repr=False)
class Settled(Summarised):
    """Whether more labels are needed; made by `Estimates.settled`.

    Attributes
    ----------
    table
        ``measure``, ``pairs`` (number of pairs), ``same`` (pairs with identical rankings, which no
        label settles), ``open`` (not settled) and ``more``: the expected number of further labels
        (for all pairs: until half are settled); NaN for a measure without intervals.
    aim
        The requested aim.
    leaders
        The first systems of each measure.
    same
        Further systems of each measure with the ranking of a leader.
    """

    table: pd.DataFrame
    aim: str | int
    leaders: Mapping[str, list[str]]
    same: Mapping[str, list[str]] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def __bool__(self) -> bool:
        """Whether all is settled, by every measure; the first ones only where no other is alike."""
        is_settled = self.table["open"] == 0
        if self.aim != "undecided":
            is_settled &= self.table["same"] == 0
        return bool(is_settled.all())

    def summary(self) -> Text:
        """Whether to stop, by measure."""
        return Text("\n".join(self._sentence(row) for row in self.table.itertuples()))

    def _sentence(self, row: object) -> str:
        """Whether to stop, by one measure."""
        if np.isnan(row.open):
            return f"{row.measure}: not tested, as there are no intervals."
        leaders = self.leaders[row.measure]
        if self.aim == "undecided":
            count = row.pairs - row.same - row.open
            state = f"{count:,.0f} of {counted(row.pairs, 'pair')} {to_be(count)} decided"
            if row.same:
                state += f"; {counted(row.same, 'pair')} {to_be(row.same)} identical"
            rest = "half of the remaining pairs"
        else:
            is_first = f"{leaders[0]} is first" if self.aim == 1 else (
                f"{named(leaders, 'system')} are the first {self.aim}"
            )  # fmt: skip
            if row.same:
                return f"{row.measure}: {self._identical(row, is_first)}"
            state = f"{is_first} (decided)"
            if row.open:
                pairs = f"{row.open:,.0f} of {counted(row.pairs, 'pair')} {to_be(row.open)} open"
                state = f"not yet decided that {is_first} ({pairs})"
            rest = "all"
        return f"{row.measure}: {state}{self._advice(row, rest)}"

    def _identical(self, row: object, is_first: str) -> str:
        """Systems with identical rankings, and whether labels may settle the rest."""
        alike, leaders = self.same[row.measure], self.leaders[row.measure]
        which = named([leaders[0], *alike], "system")
        if len(leaders) > 1:
            which = f"one of these and {named(alike, 'other')}"
        state = f"no label can decide that {is_first}, as {which} are identical"
        if not row.open:
            return f"{state}. All other pairs are decided: stop labelling."
        others = counted(row.pairs - row.same, "other pair")
        state = f"{state}; {row.open:,.0f} of {others} {to_be(row.open)} open"
        return f"{state}{self._advice(row, 'these')}"

    @staticmethod
    def _advice(row: object, rest: str) -> str:
        """To stop labelling, or how many labels are expected to decide the rest."""
        if not row.open:
            return ": stop labelling."
        if not row.more:
            return "; no document is left to label: stop labelling."
        more = f"about {counted(row.more, 'further label')} {to_be(row.more)}"
        return f". Continue: {more} expected to decide {rest}."


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """Labels of randomly sampled documents; made by `read_sample`.

    Attributes
    ----------
    table
        As `regrade.readers.labels.sample_of` makes it.
    stated_scale
        The scale, if stated.
    several
        Aggregation of several human labels of one document.
    left_out
        Number of rows that were not read, by reason.
    written
        (n,) each grade as written, if the source has columns.
    """

    table: pa.Table
    stated_scale: Scale | None = None
    several: str = "majority"
    left_out: Mapping[str, int] = field(default_factory=dict)
    written: pa.Array | None = None

    @property
    def rows(self) -> pd.DataFrame:
        """The table with grades as written: junk as junk, levels by name."""
        frame = self.table.to_pandas().drop(columns="stated", errors="ignore")
        if self.written is None:
            return frame
        grades = self.written.to_pandas()
        is_named = self.stated_scale is not None and self.stated_scale.names
        return frame.assign(grade=grades if is_named else pd.to_numeric(grades))

    @property
    def labels(self) -> Labels:
        """The human labels, one row each.

        Raises
        ------
        ParameterError
            If there is no human label.
        """
        labelled = self.table.filter(self.table["grade"].is_valid())
        if not len(labelled):
            raise ParameterError("no document has a grade: fill in human labels in the column")
        table = labelled.select(["topic", "docno", "grade"])
        return Labels(table, "labels", self.stated_scale, self.left_out)

    def on_levels(self) -> Sample:
        """The sample with TREC's junk as level 0; see `Labels.on_levels`."""
        left_out = self.labels.on_levels().left_out
        if left_out == self.left_out:
            return self
        grades, _ = without_junk(self.table["grade"].to_numpy(), "grade")
        place = self.table.column_names.index("grade")
        table = self.table.set_column(place, "grade", pa.array(grades, from_pandas=True))
        return replace(self, table=table, left_out=left_out)

    def __repr__(self) -> str:
        """Numbers of labelled rows and of all rows."""
        labelled = len(self.table) - self.table["grade"].null_count
        return f"<Sample: {labelled:,} of {counted(len(self.table), 'row')} labelled>"


@reads_pipes
@not_scores("labels")
def read_sample(
    source: object,
    *,
    scale: object = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    several: str = "majority",
    below_zero: str = "trec",
) -> Sample:
    """Read labels of randomly sampled documents.

    Parameters
    ----------
    source
        A completed file of `Assigned.to_csv`; TREC's sampled judgments (five fields: strata,
        probabilities, prels); or a frame or file with columns. Columns are topic, docno, grade
        (empty: not labelled), ``inclusion`` (inclusion probability), ``chosen`` (sampled; by
        default if there is a grade), ``batch`` (by default 1) and, for several assessors,
        ``worker``. Without ``inclusion``, as in TREC qrels, `estimate` must assume it.
    scale, columns, where
        As for `regrade.read_qrels`.
    several
        Aggregation of several human labels of one document: ``majority`` (ties to the lower
        one), ``median_low`` or ``median_high``.
    below_zero
        As for `regrade.read_qrels`: with ``unjudged`` such a document has no label.

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
    is_plain = is_file and headed_format(source, columns) is None
    is_sampled = is_plain and has_five_fields(source)
    if isinstance(source, Labels) or (is_plain and not is_sampled):
        how = {"below_zero": below_zero} if is_plain else {}
        labels = read_qrels(source, scale=stated, columns=columns, where=where, **how)
        none, ones = pa.nulls(len(labels)), np.ones(len(labels))
        table = pa.table({
            **{name: labels.table[name].cast(pa.string()) for name in ("topic", "docno")},
            "worker": none.cast(pa.string()),
            "grade": labels.table["grade"],
            "inclusion": none.cast(pa.float64()),
            "chosen": pa.array(ones.astype(bool)),
            "batch": pa.array(ones.astype(np.int64)),
        })  # fmt: skip
        return Sample(table, labels.stated_scale, several, labels.left_out)
    described_as = described(source, "labels")
    if is_sampled:
        raw, line = sampled_lines(source)
        rows = InputTable(raw, line, {}, Problems(described_as))
        check_one_method(rows, where or ())
        rows = rows.named(REQUIRED, OPTIONAL, columns).chosen(where or {})
    else:
        rows = input_table(source, described_as, REQUIRED, OPTIONAL, columns, where)
    left_out, texts = Counter(rows.left_out), rows.as_text([*REQUIRED, *OPTIONAL])
    table = sample_of(texts, stated, left_out, below_zero)
    written = pc.if_else(table["grade"].is_valid(), texts.text("grade"), None)
    return Sample(table, stated, several, left_out, written)


def read_models(source: object) -> dict[str, Labels]:
    """Labels by one or several models, by name.

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
    if isinstance(source, Mapping) and source and are_sets(source):
        return {name: read_qrels(one, name=name).on_levels() for name, one in source.items()}
    if isinstance(source, list | tuple) and not is_tuples(source):
        read = [read_qrels(one).on_levels() for one in source]
        if not read:
            raise ParameterError("model: the list is empty: give a model's labels")
        names = [one.name for one in read]
        again = len(set(names)) < len(names)
        return {f"{one.name} {i}" if again else one.name: one for i, one in enumerate(read, 1)}
    labels = read_qrels(source).on_levels()
    return {labels.name: labels}


@checks_types(
    measures=measures_that(check_estimable),
    budget=within(above=0),
    aim=lambda _, aim: check_aim(aim),
    seed=within(least=0),
)
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
    """Which documents should people label, given a model's labels of all documents?

    Parameters
    ----------
    runs
        Whatever `regrade.read_runs` takes; ``None``: equal probabilities, for estimates of grades
        and agreement only.
    model
        A model's labels of the sampling frame, whatever `regrade.read_qrels` takes, on any scale;
        or several, as a list or by name. Documents that runs rank within the depth of a measure are
        in the frame too.
    budget
        Number of documents to label; with costs, the expected total cost.
    measures
        Measures to estimate: P, DCG, SDCG, RBP, INSQ, nDCG or AP; by default those of
        `regrade.choices.COMPARED` that are defined on the scale.
    scale
        Scale of the human labels; by default the scale of earlier labels, or the model's if it has
        few levels.
    after
        Labels of earlier batches, whatever `read_sample` takes: a further batch is sampled from the
        other documents, given these labels.
    aim
        ``all``: labels that determine the value of any system.  After a first batch also
        ``undecided``: labels that decide undecided pairs of systems; or a number k: labels that
        decide the top k systems.
    per_topic
        Whether topics have equal budgets, within their numbers of documents.
    cost
        Cost of each document's label, such as its length: whatever `regrade.read_qrels` takes, with
        positive numbers in place of grades.
    seed
        Random seed of the choice.

    Returns
    -------
    Assigned
        A row for each document of the topics of the runs; without runs, for each document.

    Raises
    ------
    RegradeError
        If something cannot be read, a measure cannot be estimated, the budget exceeds the number or
        cost of documents, a document has no cost, or earlier labels are too few.

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
    before = None if after is None else read_sample(after, scale=scale).on_levels()
    people = [] if before is None else [before.labels]
    for note in (note for one in (*people, *models.values()) for note in one.notes):
        log.info("%s", note.removesuffix("."))
    if before is None:
        on = scale_from(scale) or next(iter(models.values())).likely_scale
        if not on.finite or len(on.values) > COARSE:
            raise ParameterError(
                f"human labels cannot be on {on}: give their levels, such as scale=4"
            )
        people = [Labels(next(iter(tables.values())), "model", on)]
        documents = values_of(tables)
        table = documents[["topic", "docno"]].assign(grade=0.0)
        table = pa.Table.from_pandas(table, preserve_index=False)
        named = measures_for(measures, people, COMPARED)
        _matched(table, "the model", read)
        ranked = read and read.ranked
        documents = with_ranked(documents, ranked, named)
        values = documents
    else:
        on = people[0].likely_scale
        _check_slips(people[0], models)
        named = measures_for(measures, people, COMPARED)
        documents = Documents.of(
            before.table, tables, None, before.several, read and read.ranked, named
        )
        ranked = _matched(documents.table, "model and people", read)
        values = documents.by_model
    costs = None if cost is None else _costs(cost, values[["topic", "docno"]])
    design = Design(budget, cost=costs, seed=seed, aim=aim, per_topic=per_topic)
    choose = assign_documents if before is None else assign_more_documents
    made = choose(documents, ranked, named, on, design)
    unlisted = unlisted_shares(values, ranked, named, on)
    without = int(values.drop(columns=["topic", "docno"]).isna().all(axis=1).sum())
    return Assigned(made, on, None if before is None else before.rows, unlisted, without)


def _taken_for_people(sample: Sample, documents: Documents) -> str:
    """That a set is taken for the people's which might as well be a model's; else empty."""
    inclusion = sample.table["inclusion"]
    is_stated = inclusion.null_count < len(inclusion)
    if is_stated or not documents.labelled.all():
        return ""
    return (
        f"The first set labels all {len(documents.topics):,} documents and has no `chosen` "
        "or `inclusion`, unlike a file by `assign`: it is treated as human labels. If it "
        "is the model's, swap the two: human labels come first."
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
    examples = ", ".join(
        f"{row['grade']:g} of {row['docno']} (topic {row['topic']})" for row in rows
    )
    fix = scale_of_all(values)
    raise ParameterError(
        f"labels: {counted(int(off.sum()), 'grade')} of {len(values):,} above {scale.high:g}, the "
        f"highest of all others or of the models: {examples}: correct them{fix and f', or {fix}'}"
    )


def _read(runs: object | None, measures: Sequence[str] | str | None) -> Runs | None:
    """Runs, if there are some."""
    if runs is None and measures is not None:
        raise ParameterError(
            f"measures {measures}: measures are for systems: give runs, or leave measures out"
        )
    return None if runs is None else read_runs(runs)


def _matched(labels: pa.Table, name: str, runs: Runs | None) -> RankedLists | None:
    """The rankings, with all topics of the labels."""
    return None if runs is None else matched(Labels(labels, name), runs)[0]


def _costs(cost: object, documents: pd.DataFrame) -> np.ndarray:
    """(N,) of each document."""
    of = label_frame(read_qrels(cost, name="costs").table)
    costs = documents.merge(of, how="left", on=["topic", "docno"])
    wrong = ~(costs["grade"] > 0)
    if wrong.any():
        row = costs[wrong].iloc[0]
        has = "no cost" if np.isnan(row["grade"]) else f"the cost {row['grade']:g}"
        raise ParameterError(
            f"{row['docno']} of topic {row['topic']} has {has}: give a cost above 0 for "
            "each document of the model and each document that runs rank within the "
            "measures' depth"
        )
    return costs["grade"].to_numpy(float)


@asks(stage.Estimates, several=None)
@checks_types(measures=measures_that(check_estimable))
def estimate(
    labels: object,
    model: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    scale: object = None,
    options: SimpleNamespace,
) -> Estimates:
    """What would full human judging conclude, estimated from a few human and many model labels?

    Estimates the scores of systems, the distribution of human grades, and the agreement of the
    model's values with them.

    Parameters
    ----------
    labels
        Whatever `read_sample` takes: the completed sample of `assign`, with `several` by default as
        read. With a `budget`, labels of all documents, whatever `regrade.read_qrels` takes.
    model, measures
        As for `assign`.
    runs
        Whatever `regrade.read_runs` takes; ``None``: estimates for labels only.
    scale
        Scale of the human labels; by default inferred from the labels.

    Returns
    -------
    Estimates

    Raises
    ------
    RegradeError
        If something cannot be read, inclusion probabilities are neither stated nor assumed, a
        measure cannot be estimated, or there are too few labels.

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
        named = measures_for(measures, [people], COMPARED)
        documents = Documents.of(
            sample.table, tables, options.assume, options.several, read and read.ranked, named
        )
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

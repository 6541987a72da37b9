"""Preferences: rankings, and further pairs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from regrade.answers.words import named
from regrade.api.pipes import reads_pipes
from regrade.api.results import Result, Summarised, Text
from regrade.api.scores import match_runs
from regrade.api.sets import (
    Judgments,
    Labels,
    as_input,
    measures_for,
    named_sets,
    read_qrels,
    read_runs,
)
from regrade.argument_checks import one_of, within
from regrade.audit.warnings import copies_warning
from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import (
    IRDS,
    LEAVING,
    PAIR_METHODS,
    PREFERENCE_FORMATS,
    PREFERENCE_SCORES,
    USUAL_RESCALES,
)
from regrade.errors import ParameterError, did_you_mean
from regrade.preferences import stage
from regrade.preferences.asking import Asking, next_questions, topics_of
from regrade.preferences.document_scores import scores_as_labels
from regrade.preferences.posterior import recorded
from regrade.preferences.scores import score_documents
from regrade.readers import preferences as preference_files
from regrade.readers.formats import certain_format, headed_format
from regrade.readers.rows import completed
from regrade.readers.sources import described, input_table
from regrade.readers.spellings import COLUMNS, spelled
from regrade.scales import Scale
from regrade.stages.library import (
    MemoryRuns,
    MemorySet,
    StageTables,
    asks,
    check_kind,
    checks_types,
)
from regrade.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@reads_pipes
@checks_types(format=one_of(PREFERENCE_FORMATS), missing=one_of(LEAVING))
def read_preferences(
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    missing: str = "refuse",
) -> pa.Table:
    """Read preferences between two documents of a topic.

    Parameters
    ----------
    source
        A path, or a frame with columns for topic, left, right and one of winner (``left``,
        ``right``, ``tie`` or the document), strength (below 0 for the left one) or probability of
        the left one; or with columns for topic, winner, loser.
    columns
        Our names → the source's.
    format
        Format of a file without named columns: ``pair-winner``, ``winner-loser`` or
        ``image-preferences``; ``None``: inferred from its lines.
    missing
        Treatment of unanswered rows of named columns: ``refuse``, ``drop``.

    Returns
    -------
    pa.Table
        Schema ``preferences``.

    Raises
    ------
    RegradeError
        If it cannot be read.
    """
    if isinstance(source, pa.Table) and set(columns_of("preferences")) <= set(source.column_names):
        return source
    is_path = isinstance(source, str) or hasattr(source, "__fspath__")
    if is_path and (format or headed_format(source, columns) is None):
        return _of_lines(source, format)
    what = described(source, "preferences")
    rows = input_table(source, what, *COLUMNS["preferences"], columns)
    return preference_files.preferences_of_rows(rows, missing)


def _of_lines(path: str | os.PathLike, format: str | None) -> pa.Table:
    format = format or certain_format(Path(path))
    if format is None:
        raise ParameterError(
            f"{path}: its first line names no columns: give the format, "
            "format='pair-winner' (topic document document winner) or 'winner-loser' "
            "(--format in a command)"
        )
    return preference_files.read_preferences(path, format=format)


@dataclass(frozen=True, eq=False, repr=False)
class DocumentScores:
    """Scores of documents from preferences.

    Attributes
    ----------
    table
        ``topic``, ``docno``, ``method``, ``value``, ``low``, ``high``, ``component``, ``note``.
    method
        Method that scored the documents.
    preferences
        Number of preferences.
    """

    table: pd.DataFrame
    method: str
    preferences: int

    def to_frame(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def to_labels(self, rescale: str | None = None) -> Labels:
        """The scores as labels, for `regrade.score` and every function of labels.

        Parameters
        ----------
        rescale
            ``none``; ``topic``, from 0 for a topic's lowest to 1; ``probability`` (Bradley–Terry,
            Thurstone) of being preferred to a document of strength 0; ``None``:
            `regrade.choices.USUAL_RESCALES`.

        Returns
        -------
        Labels
            Labels of the documents with scores comparable within their topic.

        Raises
        ------
        RegradeError
            If no document has such a score, or the method has no probabilities.
        """
        return _labels_of(self.table, self.method, rescale)

    def to_qrels(self, path: str | os.PathLike, rescale: str | None = None) -> None:
        """Write the labels of `to_labels`, as `Labels.to_qrels` does."""
        self.to_labels(rescale).to_qrels(path)

    def plot(self, topic: str | None = None) -> Figure:
        """Draw a topic's documents by score, with intervals; by default the first topic's."""
        from regrade.api.plots import draw_documents

        return draw_documents(self, topic)

    def __repr__(self) -> str:
        """What was fitted, and the first rows."""
        topics = counted(self.table["topic"].nunique(), "topic")
        head = (
            f"<Scores of {counted(len(self.table), 'document')} of {topics} by {self.method} from "
            f"{counted(self.preferences, 'preference')}>"
        )
        return f"{head}\n{self.table.head(10).to_string(index=False)}"


@checks_types(method=one_of(PREFERENCE_SCORES))
def fit_scores(
    preferences: object,
    method: str = "bradley-terry",
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    **options: object,
) -> DocumentScores:
    """Scores of documents from preferences between pairs.

    Parameters
    ----------
    preferences
        Whatever `read_preferences` takes.
    method
        One of `regrade.choices.PREFERENCE_SCORES`.
    columns, format
        As for `read_preferences`.
    **options
        Of `regrade.preferences.scores.score_documents`.

    Returns
    -------
    DocumentScores

    Raises
    ------
    RegradeError
        If something cannot be read, or there is no such method.

    Examples
    --------
    >>> pairs = {"topic": ["1"] * 3, "winner": ["a", "a", "b"], "loser": ["b", "c", "c"]}
    >>> fitted = fit_scores(pairs, "copeland")
    >>> fitted.to_frame()["value"].tolist()
    [1.0, 0.5, 0.0]
    >>> import regrade
    >>> run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    >>> regrade.score(fitted, run, "nDCG").to_frame()["value"].round(3).tolist()
    [0.86]
    """
    table = read_preferences(preferences, columns=columns, format=format)
    return DocumentScores(score_documents(table, [method], **options), method, len(table))


def copies_text(answers: pa.Table) -> list[str]:
    """What an answer says of preferences that seem to be copies, if any does."""
    copies = copies_warning(answers)
    return [f"preferences: {copies}."] if copies else []


def preferences_input(name: str, answers: pa.Table) -> MemorySet:
    """Preferences as jobs take them."""
    return MemorySet(name, answers, Scale.of({"values": [-1, 0, 1]}))


def _labels_of(scores: pd.DataFrame, method: str, rescale: str | None) -> Labels:
    """Scores of documents by a method as labels, on the range from 0 to 1 where that is theirs."""
    rescale = USUAL_RESCALES.get(method, "none") if rescale is None else rescale
    made = scores_as_labels(scores, method, rescale)
    table = completed({name: made[name] for name in made}, SCHEMAS["qrels"], ("topic", "docno"))
    is_share = rescale != "none" or method not in USUAL_RESCALES
    return Labels(table, method, Scale.of({"range": [0.0, 1.0]}) if is_share else None)


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Result):
    """Ranking by preference judgments, and its consistency.

    Attributes
    ----------
    tables
        By name, as the stage ``pairs`` of the workflow has them, made on first use: ``answers``
        (kept ones), ``scores``, ``graphs``, ``sides``, ``consistency``, ``circles``, ``numbers``,
        ``answer`` and those of workers; with references comparisons with labels, with runs too
        those of systems. Each is an attribute as well, the answer as one object.
    method
        Method of the scores of `to_labels`.

    `plot` draws the share of circular triads of each topic.
    """

    method: str
    main_table = "scores"

    def to_labels(self, rescale: str | None = None) -> Labels:
        """The scores as labels; see `DocumentScores.to_labels`."""
        return _labels_of(self.scores, self.method, rescale)


@asks(stage.Pairs, seconds=0)
@checks_types(method=one_of(PAIR_METHODS), format=one_of(PREFERENCE_FORMATS))
def pairs(
    preferences: object,
    method: str = "bradley-terry",
    references: object = None,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    one_topic: bool = False,
    options: SimpleNamespace,
) -> Pairs:
    """Do pairwise preferences give a consistent ranking, and how many more are needed?

    Parameters
    ----------
    preferences, columns, format
        As for `read_preferences`.
    method
        Scoring method, as for `fit_scores`.  By default the only one; `methods` adds others.
    references
        Labels for comparison with answers and scores: whatever `regrade.read_qrels` takes, by
        name or in a list, or one set.
    runs
        Whatever `regrade.read_runs` takes: with references, systems are ranked by the scores.
    measures
        Measures of systems for real-valued gains; by default those of the workflow.
    one_topic
        Whether all topics count as one, as in an arena, where each topic is a question to two
        systems.

    Returns
    -------
    Pairs

    Raises
    ------
    RegradeError
        If something cannot be read, or there is no such method.

    Examples
    --------
    >>> answers = {"topic": ["1", "1"], "winner": ["a", "b"], "loser": ["b", "c"]}
    >>> pairs(answers).graphs["components"].tolist()
    [1]
    """
    if one_topic and references is not None:
        raise ParameterError("one_topic leaves no topics to compare with labels: give one")
    options.methods = list(dict.fromkeys([method, *(options.methods or ())]))
    table = read_preferences(preferences, columns=columns, format=format)
    labels = {} if references is None else named_sets(references, read_qrels)
    sets = [one.on_levels() for one in labels.values()]
    ranked, usual = None, stage.Pairs.measures.default
    options.measures = measures_for(measures, sets, usual)
    notes = copies_text(table)
    if one_topic:
        topics = pc.unique(table["topic"].cast(pa.string()))
        all_rows = pa.array(["all topics"] * len(table), pa.string())
        place = table.schema.get_field_index("topic")
        kind = table.schema.field(place)
        table = table.set_column(place, kind, all_rows.cast(kind.type))
        notes.append(f"{counted(len(topics), 'topic')} are taken as one.")
    notes += [note for one in sets for note in one.notes]
    if runs is not None:
        read = read_runs(runs)
        ranked = MemoryRuns(read.ranked)
        for one in sets:
            notes += match_runs(one, read, options.measures)[2].notes()
    inputs = {
        "set": preferences_input("preferences", table),
        "pairs": None,
        "tests": None,
        "references": [
            replace(as_input(one), name=name, stated=one.likely_scale)
            for name, one in zip(labels, sets, strict=True)
        ],
        "runs": ranked,
    }
    return Pairs(StageTables(stage.Pairs, inputs, options, notes), method)


@dataclass(frozen=True, eq=False, repr=False)
class NextPairs(Summarised):
    """Further pairs for assessors.

    Attributes
    ----------
    pairs
        ``topic``, ``left``, ``right``, in the order of the questions.
    topics
        By topic: ``documents``, ``answers`` so far, pairs without a question (``open``), and the
        number of further pairs (``next``).
    policy
        Policy that chose the pairs.
    note
        Unexpected properties of the answers so far, if any.
    """

    pairs: pd.DataFrame
    topics: pd.DataFrame
    policy: str
    note: str = ""

    def to_frame(self) -> pd.DataFrame:
        """The pairs, with an empty column ``preferred`` for assessors. Values are ``left``,
        ``right``, ``tie``, or the document; `regrade.pairs` reads it.
        """
        return self.pairs.assign(preferred="")

    def summary(self) -> Text:
        """Numbers of pairs by topic, and topics without further pairs."""
        open_topics = self.topics[self.topics["next"] > 0]
        sentences = []
        if len(open_topics):
            sentences.append(
                f"The next {counted(len(self.pairs), 'pair')} to ask, from "
                f"{counted(len(open_topics), 'topic')} (policy: {self.policy})."
            )
        single = self.topics[self.topics["documents"] == 1]["topic"].tolist()
        if single:
            sentences.append(f"There is no pair for {named(single, 'topic')}: only one document.")
        done = self.topics[(self.topics["documents"] > 1) & (self.topics["open"] == 0)]
        if len(done):
            topics = named(done["topic"].tolist(), "topic")
            sentences.append(f"All pairs are answered for {topics}.")
        used = open_topics[open_topics["next"] == open_topics["open"]]["topic"].tolist()
        if used:
            sentences.append(f"No further pair remains for {named(used, 'topic')}.")
        if self.note:
            sentences.append(f"Note: {self.note}")
        return Text(" ".join(sentences))


@checks_types(count=within(least=1), format=one_of(PREFERENCE_FORMATS))
def next_pairs(
    preferences: object,
    count: int,
    *,
    documents: object = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    **how: object,
) -> NextPairs:
    """Which pairs of documents to ask next?

    Questions go to the topics with the fewest questions per document, and there to the pairs that
    the policy ranks first among new pairs.

    Parameters
    ----------
    preferences, columns, format
        As for `regrade.read_preferences`.
    count
        Total number of pairs.
    documents
        Further documents, and topics without answers: what `regrade.read_qrels` takes, judgments,
        a table with columns for topic and docno, or ``{topic: [docno, …]}``; grades do not matter.
    **how
        Options of `regrade.preferences.asking.Asking`: policy, top, per_topic, spread, seed.

    Returns
    -------
    NextPairs

    Raises
    ------
    RegradeError
        If something cannot be read, or an option cannot be used.

    Examples
    --------
    >>> answers = {"topic": ["1", "1"], "winner": ["a", "b"], "loser": ["b", "c"]}
    >>> asked = next_pairs(answers, 5)
    >>> sorted(asked.pairs[["left", "right"]].iloc[0])
    ['a', 'c']
    >>> asked.summary()
    The next 1 pair to ask, from 1 topic (policy: information). No further pair remains for 1.
    """
    known = Asking.__dataclass_fields__
    for name, value in how.items():
        if name not in known:
            near = did_you_mean(name, known)
            raise ParameterError(f"there is no option '{name}' of the next pairs{near}")
        check_kind(name, value, known[name].default)
    options = Asking(**how)
    answers = read_preferences(preferences, columns=columns, format=format)
    answered = recorded(answers)
    topics = topics_of(answered, None if documents is None else _documents(documents))
    questions = next_questions(topics, count, options)
    counts = questions["topic"].value_counts()
    rows = [
        (one.topic, len(one.docnos), one.n_answers, one.n_open, counts.get(one.topic, 0))
        for one in topics
    ]
    of_topics = pd.DataFrame(rows, columns=["topic", "documents", "answers", "open", "next"])
    return NextPairs(questions, of_topics, options.policy, "".join(copies_text(answers)))


def _documents(source: object) -> dict[str, list[str]]:
    """The documents of each topic, of labels or of what has no grades."""
    is_path = isinstance(source, str | os.PathLike)
    is_by_topic = (
        isinstance(source, Mapping)
        and all(isinstance(some, list | tuple | set | frozenset) for some in source.values())
        and not spelled(list(source), "documents", (), ("topic", "docno"))  # columns by name
    )
    if is_by_topic:
        return {str(topic): list(map(str, dict.fromkeys(some))) for topic, some in source.items()}
    if isinstance(source, Judgments):
        table = source.table
    elif (
        isinstance(source, Labels)
        or hasattr(source, "to_labels")
        or (is_path and (str(source).startswith(IRDS) or headed_format(source) is None))
    ):
        table = read_qrels(source).table
    else:
        rows = input_table(source, described(source, "documents"), ("topic", "docno"))
        table = {name: rows.identifiers(name) for name in ("topic", "docno")}
    columns = {name: pa.array(table[name]).to_pylist() for name in ("topic", "docno")}
    by_topic = pd.DataFrame(columns).groupby("topic")["docno"]
    return {str(topic): list(some) for topic, some in by_topic}

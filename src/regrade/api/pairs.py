"""Scores of documents from preferences between pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from regrade.api.pipes import reads_pipes
from regrade.api.results import Result
from regrade.api.scores import match_runs
from regrade.api.sets import Labels, as_input, measures_for, named_sets, read_qrels, read_runs
from regrade.audit.warnings import copies_warning
from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import PAIR_METHODS, PREFERENCE_SCORES, USUAL_RESCALES
from regrade.errors import ParameterError, check_choice
from regrade.preferences import stage
from regrade.preferences.document_scores import scores_as_labels
from regrade.preferences.scores import score_documents
from regrade.readers import preferences as preference_files
from regrade.readers.formats import certain_format, headed_format
from regrade.readers.rows import completed
from regrade.readers.sources import described, input_table
from regrade.readers.spellings import COLUMNS
from regrade.scales import Scale
from regrade.stages.library import MemoryRuns, MemorySet, StageTables, asks, checks_types
from regrade.wording import counted

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure


@reads_pipes
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
        A path, or a frame with columns for topic, left, right and winner (``left``, ``right``,
        ``tie`` or the document), strength (below 0 for the left one) or probability (that the left
        one is preferred); or topic, winner, loser.
    columns
        Our names → the source's.
    format
        Of a file without named columns: ``pair-winner``, ``winner-loser`` or
        ``image-preferences``; ``None``: as its lines can only be.
    missing
        What becomes of rows of named columns that nobody answered: ``refuse``, ``drop``.

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


def _of_lines(path: str | PathLike, format: str | None) -> pa.Table:
    format = format or certain_format(Path(path))
    if format is None:
        raise ParameterError(
            f"{path}: its first line names no columns: say how it is written, format='pair-winner' "
            "(topic document document winner) or 'winner-loser' (--format in a command)"
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
        How preferences became scores.
    preferences
        How many there were.
    """

    table: pd.DataFrame
    method: str
    preferences: int

    def to_frame(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def to_labels(self, rescale: str | None = None) -> Labels:
        """The scores as labels, by which `regrade.score` and all that takes labels go.

        Parameters
        ----------
        rescale
            ``none``; ``topic``, from 0 for a topic's lowest to 1; ``probability``, of Bradley and
            Terry's and Thurstone's strengths: that of being preferred to a document of strength 0;
            ``None``: `regrade.choices.USUAL_RESCALES`.

        Returns
        -------
        Labels
            Of the documents whose scores can be compared with their topic's others.

        Raises
        ------
        RegradeError
            If no document has such a score, or the method has no probabilities.
        """
        return _labels_of(self.table, self.method, rescale)

    def to_qrels(self, path: str | PathLike, rescale: str | None = None) -> None:
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


@checks_types
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
    check_choice("method", method, PREFERENCE_SCORES)
    table = read_preferences(preferences, columns=columns, format=format)
    return DocumentScores(score_documents(table, [method], **options), method, len(table))


def _labels_of(scores: pd.DataFrame, method: str, rescale: str | None) -> Labels:
    """Scores of documents by a method as labels, on the range from 0 to 1 where that is theirs."""
    rescale = USUAL_RESCALES.get(method, "none") if rescale is None else rescale
    made = scores_as_labels(scores, method, rescale)
    table = completed({name: made[name] for name in made}, SCHEMAS["qrels"], ("topic", "docno"))
    is_share = rescale != "none" or method not in USUAL_RESCALES
    return Labels(table, method, Scale.of({"range": [0.0, 1.0]}) if is_share else None)


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Result):
    """What order answers about pairs give, and how far they contradict it.

    Attributes
    ----------
    tables
        By name, as the stage ``pairs`` of the workflow has them, made when first asked for:
        ``answers`` (those that count), ``scores``, ``graphs``, ``sides``, ``consistency``,
        ``circles``, ``numbers``, ``answer`` and those of workers; with references those beside
        labels, and with runs too those of systems.  Each is an attribute as well, the answer as
        one object.
    method
        Whose scores `to_labels` takes.
    """

    method: str
    main_table = "scores"

    def plot(self) -> Figure:
        """Draw how many triples of each topic go round in circles."""
        from regrade.preferences.figures import figure_pairs

        return figure_pairs(self.circles)

    def to_labels(self, rescale: str | None = None) -> Labels:
        """The scores as labels; see `DocumentScores.to_labels`."""
        return _labels_of(self.scores, self.method, rescale)


@asks(stage.Pairs, seconds=0)
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
    """What order do pairs give, is it consistent, and how many more are needed?

    Parameters
    ----------
    preferences, columns, format
        As for `read_preferences`.
    method
        Of the scores; as for `fit_scores`.  By default the only one; `methods` adds others.
    references
        Labels beside which answers and scores are held: whatever `regrade.read_qrels` takes, by
        name or in a list, or one set.
    runs
        Whatever `regrade.read_runs` takes: with references, systems are ranked by the scores.
    measures
        Of systems, of real gains; by default those of the workflow.
    one_topic
        Take all topics as one, as where what is compared are systems and a topic is a question
        that was put to two of them (an arena).

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
    check_choice("method", method, PAIR_METHODS)
    options.methods = list(dict.fromkeys([method, *(options.methods or ())]))
    table = read_preferences(preferences, columns=columns, format=format)
    if one_topic and references is not None:
        raise ParameterError("one_topic leaves no topics beside which labels could be held")
    labels = {} if references is None else named_sets(references, read_qrels)
    sets = [one.on_levels() for one in labels.values()]
    ranked, usual = None, stage.Pairs.measures.default
    options.measures = measures_for(measures, sets, usual)
    copies = copies_warning(table)
    notes = [f"preferences: {copies}."] if copies else []
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
        "set": MemorySet("preferences", "preferences", table, Scale.of({"values": [-1, 0, 1]})),
        "pairs": None,
        "tests": None,
        "references": [
            replace(as_input(one), name=name, high=one.likely_scale.high)
            for name, one in zip(labels, sets, strict=True)
        ],
        "runs": ranked,
    }
    return Pairs(StageTables(stage.Pairs, inputs, options, notes), method)

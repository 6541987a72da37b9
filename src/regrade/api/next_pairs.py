"""Which pairs of documents to ask next."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from regrade.answers.words import named
from regrade.api.pairs import read_preferences
from regrade.api.results import Text
from regrade.api.sets import Judgments, Labels, read_qrels
from regrade.choices import IRDS
from regrade.errors import ParameterError, did_you_mean
from regrade.preferences.asking import Asking, next_questions, topics_of
from regrade.preferences.posterior import recorded
from regrade.readers.formats import headed_format
from regrade.readers.sources import described, input_table
from regrade.readers.spellings import spelled
from regrade.stages.library import check_kind, checks_types
from regrade.wording import counted


@dataclass(frozen=True, eq=False, repr=False)
class NextPairs:
    """Which pairs to ask next.

    Attributes
    ----------
    pairs
        ``topic``, ``left``, ``right``, in the order in which they are to be asked.
    topics
        Of each topic: ``documents``, ``answers`` so far, pairs that nobody was asked about
        (``open``), and how many of these are ``next``.
    policy
        By which they were chosen.
    """

    pairs: pd.DataFrame
    topics: pd.DataFrame
    policy: str

    def to_frame(self) -> pd.DataFrame:
        """The pairs, with a column ``preferred`` for people to fill in.

        They write ``left``, ``right`` or ``tie``, or the document; `regrade.pairs` reads it.
        """
        return self.pairs.assign(preferred="")

    def summary(self) -> Text:
        """How many pairs of which topics, and which topics have none left."""
        asked = self.topics[self.topics["next"] > 0]
        said = []
        if len(asked):
            said.append(
                f"The next {counted(len(self.pairs), 'pair')}, of "
                f"{counted(len(asked), 'topic')}, by {self.policy}."
            )
        single = self.topics[self.topics["documents"] == 1]["topic"].tolist()
        if single:
            said.append(f"Of {named(single, 'topic')} only one document is known: no pair.")
        done = self.topics[(self.topics["documents"] > 1) & (self.topics["open"] == 0)]
        if len(done):
            said.append(f"Of {named(done['topic'].tolist(), 'topic')} all pairs are answered.")
        used = asked[asked["next"] == asked["open"]]["topic"].tolist()
        if used:
            said.append(f"No further pair is left of {named(used, 'topic')}.")
        return Text(" ".join(said))

    def __repr__(self) -> str:
        """The summary."""
        return f"<NextPairs: {self.summary()}>"


@checks_types
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

    Questions go to the topics that have fewest per document, and there to the pairs that a policy
    puts first among those that nobody was asked about.

    Parameters
    ----------
    preferences, columns, format
        As for `regrade.read_preferences`.
    count
        How many pairs, in all.
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
    The next 1 pair, of 1 topic, by information. No further pair is left of 1.
    """
    options = _asking(how)
    check_kind("count", count, 1)
    answered = recorded(read_preferences(preferences, columns=columns, format=format))
    topics = topics_of(answered, None if documents is None else _documents(documents))
    found = next_questions(topics, count, options)
    given = found["topic"].value_counts()
    rows = [
        (one.topic, len(one.docnos), one.n_answers, one.n_open, given.get(one.topic, 0))
        for one in topics
    ]
    of_topics = pd.DataFrame(rows, columns=["topic", "documents", "answers", "open", "next"])
    return NextPairs(found, of_topics, options.policy)


def _asking(given: Mapping[str, object]) -> Asking:
    """The options that were given by name."""
    known = Asking.__dataclass_fields__
    for name, value in given.items():
        if name not in known:
            near = did_you_mean(name, known)
            raise ParameterError(f"there is no option '{name}' of the next pairs{near}")
        check_kind(name, value, known[name].default)
    return Asking(**given)


def _documents(source: object) -> dict[str, list[str]]:
    """The documents of each topic, of labels or of what has no grades."""
    if _are_lists(source):
        return {str(topic): list(map(str, dict.fromkeys(some))) for topic, some in source.items()}
    if isinstance(source, Judgments):
        table = source.table
    elif _has_grades(source):
        table = read_qrels(source).table
    else:
        rows = input_table(source, described(source, "documents"), ("topic", "docno"))
        table = {name: rows.identifiers(name) for name in ("topic", "docno")}
    named = pd.DataFrame({name: pa.array(table[name]).to_pylist() for name in ("topic", "docno")})
    return {str(topic): list(some) for topic, some in named.groupby("topic")["docno"]}


def _are_lists(source: object) -> bool:
    """Whether they come as lists by topic, and not as columns by name."""
    return (
        isinstance(source, Mapping)
        and all(isinstance(some, list | tuple | set | frozenset) for some in source.values())
        and not spelled(list(source), "documents", (), ("topic", "docno"))
    )


def _has_grades(source: object) -> bool:
    """Whether documents come as labels that need no names of columns."""
    if isinstance(source, str | os.PathLike):
        return str(source).startswith(IRDS) or headed_format(source) is None
    return isinstance(source, Labels) or hasattr(source, "to_labels")

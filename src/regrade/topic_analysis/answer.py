"""Which topics matter?

With a second set of labels it is on which topics the two disagree; with two systems, which topics
decide between them; else which are hard.  Only of two systems there is a light: fine where no
single topic decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.answers.shape import FINE, LOOK, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import by_quantity, listed, of_measure, p_clause, percent
from regrade.catalogue import ALL_TOPICS
from regrade.kendall import TOLERANCE
from regrade.topic_analysis.per_topic import OF_NOTHING, OF_SIGN, OF_SIGNIFICANCE
from regrade.wording import counted, number

TABLES = ("topic-analysis/topics", "topic-analysis/facts")

DOCUMENTS = "topic-analysis/documents"
"""With a second set of labels the answer rests on this table too."""

NAMED = 3
"""Topics that share a place and have their names in a sentence."""

ROWS = 200
"""Of the answer's table at most."""


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The answer from the tables of the stage ``topic_analysis``, by name: of the first measure."""
    measure, *others = dict.fromkeys(tables["topics"]["measure"].astype(str))
    of_all = of_measure(tables["facts"], ALL_TOPICS)
    of_first = of_measure(tables["facts"], measure)
    topics = {m: of_measure(tables["topics"], m).astype({"topic": str}) for m in (measure, *others)}
    context = _Context(
        measure,
        topics.pop(measure),
        topics,
        {**by_quantity(of_all), **by_quantity(of_first)},
        {**_notes(of_all), **_notes(of_first)},
    )
    if "first labels" in context.note:
        kind = _Labels(context, tables["documents"])
    elif "first system" in context.note:
        kind = _Pair(context)
    else:
        kind = _Hard(context)
    return Answer.of(
        kind.question,
        [kind.verdict(), *kind.facts()],
        key=kind.key(),
        light=kind.light(),
        rows=kind.rows(),
        method=kind.method(),
        tables=(*TABLES, DOCUMENTS) if "first labels" in context.note else TABLES,
    )


def _notes(facts: pd.DataFrame) -> dict[str, str]:
    return dict(zip(facts["quantity"].astype(str), facts["note"].astype(str), strict=True))


@dataclass(frozen=True)
class _Context:
    """What all three answers rest on.

    Attributes
    ----------
    measure, topics
        The first measure, and its topics in the order of the table.
    further
        The topics of each further measure.
    value, note
        Facts by quantity.
    """

    measure: str
    topics: pd.DataFrame
    further: Mapping[str, pd.DataFrame]
    value: Mapping[str, float]
    note: Mapping[str, str]

    @property
    def systems(self) -> str:
        """How many."""
        return counted(self.value["systems"], "system")

    @property
    def count(self) -> str:
        """How many topics."""
        return counted(self.value["topics"], "topic")

    def lowest(self, column: str) -> pd.Series | None:
        """The topic with the lowest value of a column; ``None`` where none has one."""
        known = self.topics[column].dropna()
        return None if known.empty else self.topics.loc[known.idxmin()]

    def highest(self, column: str) -> pd.Series | None:
        """That with the highest."""
        known = self.topics[column].dropna()
        return None if known.empty else self.topics.loc[known.idxmax()]

    def table(
        self, columns: Mapping[AnswerColumn, str], further: str, heading: str, digits: int = 3
    ) -> AnswerTable | None:
        """A row for each topic, of these columns, and of one by each further measure."""
        by_topic = [topics.set_index("topic")[further] for topics in self.further.values()]
        rows = self.topics[["topic", *columns.values()]].head(ROWS)
        cells = ((*row, *(of[row[0]] for of in by_topic)) for row in rows.itertuples(index=False))
        every = [AnswerColumn("topic"), *columns]
        every += [
            AnswerColumn(f"{heading} {measure}", "number", digits) for measure in self.further
        ]
        return AnswerTable.of(f"{self.measure} · {self.systems} · {self.count}", every, cells)

    def means(self) -> str:
        """The beginning of every method."""
        return f"{self.systems} were scored by {self.measure} on {self.count}."


@dataclass(frozen=True)
class _Hard:
    """Which topics are hard, and which separate systems."""

    of: _Context
    question = "Which topics are hard, and which separate systems?"

    def _hardest(self) -> list[str]:
        means = self.of.topics["mean"]
        return self.of.topics.loc[means - means.min() <= TOLERANCE, "topic"].tolist()

    def verdict(self) -> str:
        of, names = self.of, self._hardest()
        lowest = of.topics["mean"].min()
        if of.value["topics"] == 1:
            return f"There is only one topic, {names[0]}: mean {of.measure} is {lowest:.3f}."
        if len(names) == len(of.topics):
            return f"All {of.count} have the same mean {of.measure} ({lowest:.3f})."
        verb = "is" if len(names) == 1 else "are"
        noun = "Topic" if len(names) == 1 else "Topics"
        who = f"{noun} {listed(names)}" if len(names) <= NAMED else f"{len(names):,} topics"
        return (
            f"{who} {verb} hardest: mean {of.measure} over {of.systems} is {lowest:.3f}, against "
            f"{of.value['mean']:.3f} over all {of.count}."
        )

    def key(self) -> str:
        if self.of.value["topics"] == 1:
            return ""
        return f"lowest topic mean {self.of.topics['mean'].min():.3f} {self.of.measure}"

    def light(self) -> str:
        return ""

    def facts(self) -> Iterator[str]:
        of = self.of
        most, least = of.highest("sd"), of.lowest("sd")
        if most is not None and most["topic"] != least["topic"]:
            alike = int(of.value["topics without a difference"])
            last = f"least topic {least['topic']} ({least['sd']:.3f})"
            if alike > 1:
                last = f"on {counted(alike, 'topic')} all systems score the same"
            yield (
                f"Topic {most['topic']} spreads the systems most (standard deviation "
                f"{most['sd']:.3f}), {last}."
            )
        yield opposite_order(of)
        yield self._further()

    def _further(self) -> str:
        parts = (
            f"by {measure} is {topics['topic'].iloc[0]} ({topics['mean'].iloc[0]:.3f})"
            for measure, topics in self.of.further.items()
        )
        text = ", ".join(parts) if self.of.value["topics"] > 1 else ""
        return text and f"The hardest topic {text}."

    def rows(self) -> AnswerTable | None:
        return self.of.table({
            AnswerColumn("mean", "number"): "mean",
            AnswerColumn("SD", "number"): "sd",
            AnswerColumn("τ_b with other topics", "number", 2): "tau_others",
        }, "mean", "mean")  # fmt: skip

    def method(self) -> str:
        return f"{self.of.means()} {DISCRIMINATION}"


DISCRIMINATION = (
    "SD is the standard deviation over systems. Topic discrimination is Kendall's τ_b between the "
    "systems' scores on the topic and their means over the other topics."
)


def opposite_order(of: _Context) -> str:
    """Which topics rank systems least as the others do."""
    lowest, highest = of.lowest("tau_others"), of.highest("tau_others")
    if lowest is None or lowest["topic"] == highest["topic"]:
        return ""
    if opposite := int(of.value["topics of the opposite order"]):
        return (
            f"On {counted(opposite, 'topic')} the order of the systems correlates negatively with "
            f"that on the other topics, most on topic {lowest['topic']} (τ_b "
            f"{number(lowest['tau_others'], 2)})."
        )
    least, most = (number(topic["tau_others"], 2) for topic in (lowest, highest))
    return (
        f"Correlation with the order on the other topics (τ_b) is lowest on topic "
        f"{lowest['topic']} ({least}), highest on topic {highest['topic']} ({most})."
    )


@dataclass(frozen=True)
class _Pair:
    """Which topics decide between two systems."""

    of: _Context
    question = "Which topics decide between two systems?"

    @property
    def _names(self) -> tuple[str, str]:
        return self.of.note["first system"], self.of.note["second system"]

    def verdict(self) -> str:
        of, (first, second), row = self.of, self._names, self.of.topics.iloc[0]
        if not (np.abs(of.topics["difference"]) > 0).any():
            return f"{first} and {second} have the same {of.measure} on every topic."
        if pd.isna(row["without"]):
            return f"{first} and {second} share one topic only, {row['topic']}."
        return (
            f"Without topic {row['topic']} the difference {first} − {second} changes most, from "
            f"{number(of.value['difference'], 3)} to {number(row['without'], 3)} {of.measure}"
            f"{self._tests(row)}."
        )

    def _tests(self, row: pd.Series) -> str:
        """p with all topics and without the one; empty of too few topics."""
        if pd.isna(row["p_without"]):
            return ""
        p, without = p_clause(self.of.value["p"]), p_clause(row["p_without"])
        if p == without:
            return f" (paired t-test, both {p})"
        without = without.removeprefix("p ").removeprefix("= ").replace(" ", "")
        return f" (paired t-test, {p} and {without})"

    def _changes(self) -> int:
        return int((self.of.topics["outcome"].astype(str) != OF_NOTHING).sum())

    def key(self) -> str:
        return f"{counted(self._changes(), 'topic')} can change the conclusion"

    def light(self) -> str:
        return LOOK if self._changes() else FINE

    def facts(self) -> Iterator[str]:
        of, (first, second) = self.of, self._names
        if not (np.abs(of.topics["difference"]) > 0).any() or pd.isna(of.topics["without"].iloc[0]):
            return
        yield self._conclusion()
        parts = []
        for name, row in ((first, of.highest("contribution")), (second, of.lowest("contribution"))):
            value = row["contribution"]
            if abs(value) > TOLERANCE and (value > 0) == (name == first):
                parts.append(f"topic {row['topic']} ({number(value, 4)}) for {name}")
        largest = "Largest contribution" if len(parts) == 1 else "Largest contributions"
        yield f"{largest} to the difference: {', '.join(parts)}."
        yield opposite_order(of)

    def _conclusion(self) -> str:
        outcome = self.of.topics["outcome"].astype(str)
        if not self._changes():
            return (
                "Leaving out any one topic changes neither the sign of the difference nor its "
                "significance (paired t-test, α = 0.05)."
            )
        parts = []
        for what in (OF_SIGN, OF_SIGNIFICANCE):
            names = self.of.topics.loc[outcome == what, "topic"].tolist()
            if names:
                who = f"topic {names[0]}" if len(names) == 1 else f"{len(names):,} topics"
                if 1 < len(names) <= NAMED:
                    who = f"topics {listed(names)}"
                parts.append(f"the {what} of the difference for {who}")
        return f"Leaving out one topic changes {' and '.join(parts)} (paired t-test, α = 0.05)."

    def rows(self) -> AnswerTable | None:
        return self.of.table({
            AnswerColumn("difference", "number"): "difference",
            AnswerColumn("contribution", "number", 4): "contribution",
            AnswerColumn("Δ without topic", "number"): "without",
            AnswerColumn("p without topic", "p"): "p_without",
            AnswerColumn("changes"): "outcome",
        }, "difference", "difference")  # fmt: skip

    def method(self) -> str:
        first, second = self._names
        return (
            f"{self.of.means()} A topic's contribution is the difference of {first} less {second} "
            "on it over the number of topics. Each topic was left out in turn and the paired "
            "t-test (two-sided, α = 0.05, uncorrected) repeated. Topics are ordered by how much "
            f"the mean difference changes without them. {DISCRIMINATION}"
        )


@dataclass(frozen=True)
class _Labels:
    """On which topics two sets of labels disagree."""

    of: _Context
    documents: pd.DataFrame

    @property
    def _names(self) -> tuple[str, str]:
        return self.of.note["first labels"], self.of.note["second labels"]

    @property
    def question(self) -> str:
        first, second = self._names
        return f"On which topics do {first} and {second} disagree?"

    def verdict(self) -> str:
        of, (first, second), row = self.of, self._names, self.of.topics.iloc[0]
        if pd.notna(row["alpha"]):
            return (
                f"{first} and {second} disagree most on topic {row['topic']}: Krippendorff's α "
                f"{number(row['alpha'], 2)}, exact agreement {percent(row['equal'])} "
                f"({percent(of.value['equal'])} over all topics)."
            )
        if pd.notna(row["tau"]):
            return (
                f"{first} and {second} rank the systems least alike on topic {row['topic']} "
                f"({of.measure}, τ_b {number(row['tau'], 2)})."
            )
        return f"On no topic is the agreement of {first} and {second} defined."

    def key(self) -> str:
        row = self.of.topics.iloc[0]
        if pd.notna(row["alpha"]):
            return f"lowest α {number(row['alpha'], 2)} (topic {row['topic']})"
        return (
            f"lowest τ_b {number(row['tau'], 2)} (topic {row['topic']})"
            if row["tau"] == row["tau"]
            else ""
        )

    def light(self) -> str:
        return ""

    def facts(self) -> Iterator[str]:
        of = self.of
        if chance := int(of.value["topics by chance"]):
            yield (
                f"On {chance:,} of {counted(of.value['topics of both'], 'topic')} the labels agree "
                "no better than chance (α ≤ 0)."
            )
        yield self._systems()
        yield self._document()

    def _systems(self) -> str:
        of = self.of
        lowest, moved = of.lowest("tau"), of.topics["shift"].abs()
        if moved.isna().all():
            return ""
        most = of.topics.loc[moved.idxmax()]
        parts = [
            f"mean {of.measure} changes most on topic {most['topic']} "
            f"({number(most['mean'], 3)} to {number(most['mean_under_second'], 3)})"
        ]
        if lowest is not None and (of.topics["alpha"].notna().any()):
            parts.append(
                f"the order of the systems on topic {lowest['topic']} (τ_b between the labels "
                f"{number(lowest['tau'], 2)})"
            )
        text = ", ".join(parts)
        return f"{text[0].upper()}{text[1:]}."

    def _document(self) -> str:
        """The first of the documents whose labels differ most on the first topic."""
        of, (first, second) = self.of, self._names
        own = self.documents[self.documents["topic"].astype(str) == of.topics["topic"].iloc[0]]
        if own.empty or not own["difference"].iloc[0]:
            return ""
        row = own.iloc[0]
        runs = f"{row['runs']:,} of {of.systems}" if row["runs"] else "no system"
        retrieve = "retrieve" if row["runs"] > 1 else "retrieves"
        return (
            f"The labels of topic {row['topic']} differ most on document {row['docno']} ({first} "
            f"{row['first_grade']:g}, {second} {row['second_grade']:g}), which {runs} {retrieve} "
            f"in the top {of.value['depth']:.0f}."
        )

    def rows(self) -> AnswerTable | None:
        return self.of.table({
            AnswerColumn("documents", "count"): "both",
            AnswerColumn("exact", "share", 2): "equal",
            AnswerColumn("bias", "number", 2): "bias",
            AnswerColumn("α", "number", 2): "alpha",
            AnswerColumn("τ_b of systems", "number", 2): "tau",
            AnswerColumn("mean", "number"): "mean",
            AnswerColumn("Δ mean", "number"): "shift",
        }, "tau", "τ_b", 2)  # fmt: skip

    def method(self) -> str:
        of, (first, second) = self.of, self._names
        pair = ""
        if "first system" in of.note:
            pair = f" {of.note['first system']} and {of.note['second system']} were also compared "
            pair += "with each topic left out in turn (table `topics`)."
        return (
            f"{first} and {second} were compared on {of.value['documents']:,.0f} documents that "
            f"both judged: exact agreement, mean difference of grades ({second} less {first}) and "
            f"Krippendorff's α ({of.note['metric']}) by topic. {of.means()} τ_b is Kendall's, "
            f"between the systems' scores under both. Δ mean is {second} less {first}.{pair}"
        )

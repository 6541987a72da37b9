"""Whether a new version of a system passes: what continuous integration asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

from regrade import __version__
from regrade.answers.shape import Answer
from regrade.answers.table import markdown_of, without_tags
from regrade.api.designs import check_of_labels, score_design
from regrade.api.results import Summarised, Text
from regrade.api.scores import runs_under
from regrade.api.sets import Runs, measures_for, name_of, read_qrels, read_runs
from regrade.argument_checks import one_of, within
from regrade.choices import COMPARED, GATE_FAILURES, LEAVING
from regrade.errors import MethodError, ParameterError
from regrade.measures import names_with_levels, parse_all
from regrade.ranking.copies import RunCopies
from regrade.scoring import score
from regrade.stages.library import checks_types
from regrade.system_pairs.answer import answer
from regrade.system_pairs.gate import gate_answer, is_failure, outcomes, sentence
from regrade.system_pairs.paired_tests import PairOptions, compare_pair, places_of
from regrade.system_pairs.question import SystemPair

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Summarised):
    """Whether a new system passes, and why.

    Attributes
    ----------
    pair
        The comparison that it rests on: the new system first, the old one second.
    outcomes
        By measure, one of `regrade.system_pairs.gate.OUTCOMES`.
    fail_if
        One of `regrade.choices.GATE_FAILURES`.
    answer
        The answer.
    """

    pair: SystemPair
    outcomes: dict[str, str]
    fail_if: str
    answer: Answer

    @property
    def passed(self) -> bool:
        """Whether it fails by no measure."""
        return not any(is_failure(one, self.fail_if) for one in self.outcomes.values())

    @property
    def reason(self) -> str:
        """The verdict, a sentence."""
        return self.answer.verdict

    def summary(self) -> Text:
        """The answer: its table, verdict, facts, method and notes."""
        return Text(self.answer)

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "passed": self.passed,
            "fail_if": self.fail_if,
            "outcomes": self.outcomes,
            "answer": self.answer.to_dict(),
        }

    def to_markdown(self) -> Text:
        """A comment for a pull request: verdict, table, facts, and the method folded up."""
        mark = "✅" if self.passed else "❌"
        facts = [f"- {fact}" for fact in (*self.answer.facts, *self.answer.notes)]
        method = without_tags(self.answer.methods_sentence())
        parts = [
            f"### {mark} regrade gate",
            f"**{without_tags(self.answer.verdict)}**",
            markdown_of(self.answer.rows).rstrip() if self.answer.rows else "",
            without_tags("\n".join(facts)),
            f"<details><summary>Method</summary>\n\n{method}\n\n</details>",
        ]
        return Text("\n\n".join(filter(None, parts)) + "\n")

    def to_junit(self) -> Text:
        """A report in JUnit's XML, with a test case for each measure."""
        failures = [name for name, one in self.outcomes.items() if is_failure(one, self.fail_if)]
        counts = {
            "tests": str(len(self.outcomes)), "failures": str(len(failures)), "errors": "0",
            "time": "0",
        }  # fmt: skip
        suites = Xml.Element("testsuites", {"name": "regrade", **counts})
        suite = Xml.SubElement(suites, "testsuite", {"name": "regrade gate", **counts})
        properties = Xml.SubElement(suite, "properties")
        for name, value in (("regrade", __version__), ("fail-if", self.fail_if)):
            Xml.SubElement(properties, "property", {"name": name, "value": value})
        facts = self.pair.facts.set_index("quantity")["value"].to_dict()
        for row in self.pair.tests.itertuples():
            name = str(row.measure)
            case = {"classname": "regrade.gate", "name": name, "time": "0"}
            element = Xml.SubElement(suite, "testcase", case)
            message = sentence(row, facts, self.outcomes[name])
            if name in failures:
                of = {"type": self.outcomes[name], "message": message}
                Xml.SubElement(element, "failure", of).text = message
            else:
                Xml.SubElement(element, "system-out").text = message
        Xml.SubElement(suite, "system-out").text = str(self.answer)
        Xml.indent(suites)
        text = Xml.tostring(suites, encoding="unicode")
        return Text(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n')

    def plot(self, measure: str | None = None) -> Figure:
        """Draw the differences on topics by a measure, by default the first."""
        from regrade.system_pairs.figures import figure_system_pair

        return figure_system_pair(*self.pair.drawn_tables(("topics", "tests")), measure=measure)

    def _repr_html_(self) -> str:
        """The answer in a notebook."""
        return self.answer._repr_html_()


@checks_types(
    fail_if=one_of(GATE_FAILURES),
    margin=within(above=0),
    significance=within(above=0, below=0.5),
    missing=one_of(LEAVING),
)
def gate(
    old: object,
    new: object,
    qrels: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    runs: object = None,
    scores: object = None,
    margin: float | None = None,
    fail_if: str = "worse",
    significance: float = 0.05,
    missing: str = "refuse",
    lower: Sequence[str] = (),
) -> Gate:
    """Is the new system worse than the old one?

    Parameters
    ----------
    old, new
        A run each, as `regrade.read_runs` takes it; without `qrels` scores by item, as
        `regrade.read_scores` takes them.  With `runs` or `scores`, the names of two systems there.
    qrels
        Whatever `regrade.read_qrels` takes; ``None``: `old` and `new` are scores, or `scores` has
        them.
    measures
        A list, or one text with blanks between; by default those of `regrade.choices.COMPARED`
        that are defined on the labels' scale; of scores all of these.
    runs
        Whatever `regrade.read_runs` takes, with both systems.
    scores
        Whatever `regrade.read_scores` takes, with both systems.
    margin
        The largest loss that does not matter.
    fail_if
        ``worse``: a significant loss, unless it is significantly smaller than `margin`.
        ``unknown``: that, or a loss above the margin that is neither excluded (non-inferiority) nor
        detectable with 80 % power.  ``may-be-worse``: that, or any loss above the margin that is
        not excluded.  The latter two need a margin.
    significance
        α of the one-sided tests.  Losses are corrected for the measures (Holm).
    missing
        Of scores by item: ``refuse`` items that a system or measure lacks, or ``drop`` them.
    lower
        Of scores by item: names of measures of which lower values are better.

    Returns
    -------
    Gate

    Raises
    ------
    RegradeError
        If something cannot be read, a margin is missing, or items are too few for a test.

    Examples
    --------
    >>> scores = {"old": {"1": 0.2, "2": 0.5, "3": 0.4}, "new": {"1": 0.3, "2": 0.6, "3": 0.4}}
    >>> gate("old", "new", scores=scores).passed
    True
    """
    if margin is None and fail_if != GATE_FAILURES[0]:
        raise ParameterError(f"fail_if is {fail_if!r}: needs a margin, the loss that matters")
    how = PairOptions(margin=margin, significance=significance)
    if qrels is not None:
        check_of_labels(lower=lower)
    if qrels is None:
        reading = {"missing": missing, "lower": lower}
        tables, notes, names = _of_scores(old, new, measures, scores, reading, how)
    else:
        tables, notes, names = _of_runs(old, new, qrels, measures, runs, how)
    if not tables["tests"]["df"].ge(1).all():
        raise MethodError("one item or cluster is too few for a test: give two or more")
    text = gate_answer(tables, fail_if).naming(names).with_notes(notes)
    of_pair = answer(tables)
    if qrels is None:
        text, of_pair = text.about_items(), of_pair.about_items()
    pair = SystemPair(tables | {"answer": of_pair.to_frame()})
    return Gate(pair, outcomes(tables), fail_if, text)


def _of_runs(
    old: object, new: object, qrels: object, measures: object, runs: object, how: PairOptions
) -> tuple:
    """The tables of two runs under labels, notes, and measures with the levels that they count."""
    labels = read_qrels(qrels)
    if runs is None:
        old, new, runs = named_apart(old, new)
    read = read_runs(runs)
    parsed = parse_all(measures_for(measures, [labels], COMPARED))
    under, notes = runs_under(labels, read, parsed)
    copies = RunCopies()
    copies.add(under.ranked)
    values = score(under.ranked, under.judged, parsed, max_grade=under.high)
    places_of(values.systems, {"old": old, "new": new})
    tables = compare_pair(values, new, old, how, copies.first())
    names = names_with_levels([*map(str, parsed)], labels.likely_scale.high)
    return tables, notes, names


def _of_scores(
    old: object,
    new: object,
    measures: Sequence[str] | str | None,
    scores: object,
    reading: Mapping[str, object],
    how: PairOptions,
) -> tuple:
    """The same of scores by item."""
    if scores is None:
        old, new, scores = named_apart(old, new)
    design = score_design(scores, measures, **reading)
    places_of(design.scores.systems, {"old": old, "new": new})
    tables = compare_pair(design.scores, new, old, how, design=design)
    return tables, design.notes, {}


def named_apart(old: object, new: object) -> tuple[str, str, dict[str, object]]:
    """Names of two sources, and these by name: those of files where they differ."""
    for one in (old, new):
        if isinstance(one, Runs):
            raise ParameterError("old and new are names where runs were read: give runs=…")
    names = name_of(old, "old"), name_of(new, "new")
    if names[0] == names[1]:
        names = "old", "new"
    return *names, dict(zip(names, (old, new), strict=True))

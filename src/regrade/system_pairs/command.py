"""The commands ``regrade compare-systems`` and ``regrade gate``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import regrade
from regrade.argument_checks import one_of
from regrade.choices import GATE_FAILURES, GATE_FORMATS
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, Argument, Option, Passes, command
from regrade.errors import ParameterError

if TYPE_CHECKING:
    from regrade.system_pairs.gate_question import Gate


@command("system_pairs", place=4)
def compare_systems(
    *,
    qrels: declare.QrelsOrScores,
    runs: declare.RankedOrScores = None,
    first: Annotated[str | None, Argument(help="The name of a run or system.")] = None,
    second: Annotated[
        str | None, Argument(help="The name of the run or system to compare it with.")
    ] = None,
    measures: declare.Measures = None,
    lower: declare.Lower = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Do two systems differ significantly?

    Example: regrade compare-systems qrels.txt runs bm25 dense -m nDCG@10

    With scores by item: regrade compare-systems scores.csv old new; or two files, each with one
    system: regrade compare-systems old.json new.json
    """
    if arguments.are_scores(qrels):
        files = [qrels, *(runs or ())]
        if first is None and second is not None:  # a file, where names of systems would stand
            scores, (first, *_, second) = arguments.scores_of_systems([*files, second], lower, how)
        else:
            scores = arguments.scores_from(files, lower, how)
        return regrade.compare_systems(
            scores, None, first, second, measures, missing=how["missing"], **options
        )
    labels = arguments.labels_with_runs(qrels, runs, lower, how)
    ranked = arguments.read_runs(runs, **how)
    return regrade.compare_systems(labels, ranked, first, second, measures, **options)


@command(calls="gate", place=5)
def gate(
    *,
    old: Annotated[str, Argument(help="The old run, or scores by item; with --runs, its name.")],
    new: Annotated[str, Argument(help="The new run, or its scores or name.")],
    qrels: Annotated[str | None, Argument(help=f"{QRELS} Absent: scores by item.")] = None,
    measures: declare.Measures = None,
    runs: declare.RankedIfAny = None,
    scores: Annotated[
        list[str] | None, Option(help="Scores by item of several systems: OLD and NEW are names.")
    ] = None,
    margin: Annotated[
        float | None, Option(help="The largest loss that does not matter, on the measures' scale.")
    ] = None,
    fail_if: Annotated[
        str,
        Option(
            help="Exit with code 3 if the new system is worse: significantly, and the loss may "
            "exceed the margin; unknown: or the margin is neither excluded nor detectable; "
            "may-be-worse: or it is not excluded."
        ),
        Passes(one_of(GATE_FAILURES)),
    ] = GATE_FAILURES[0],
    significance: Annotated[float, Option(help="Significance level α of one-sided tests.")] = 0.05,
    format: Annotated[
        str,
        Option(help=f"Output format: {', '.join(GATE_FORMATS)}."),
        Passes(one_of(GATE_FORMATS)),
    ] = GATE_FORMATS[0],
    out: Annotated[
        str | None,
        Option(
            help="Write the output to this file, and print the verdict. Without --format, a table: "
            ".csv, .tsv, .jsonl, .parquet the tests, .tex and .md that of the answer; .json all; "
            ".xml JUnit."
        ),
        Passes(declare.place),
    ] = None,
    lower: declare.Lower = None,
    plot: declare.Plot = None,
    how: Mapping,
) -> None:
    """Is the new system worse than the old one? For continuous integration.

    Example: regrade gate old.run new.run qrels.txt --margin 0.01 --fail-if unknown

    Of scores by item: regrade gate old.csv new.csv; of one file: regrade gate old new --scores FILE
    """
    from regrade.system_pairs.gate_question import named_apart

    rule = {"margin": margin, "fail_if": fail_if, "significance": significance}
    if qrels is None and runs:
        raise ParameterError("--runs are scored by labels: give them behind the two names")
    if qrels is not None and scores:
        raise ParameterError("--scores need no labels: leave out the third file")
    if runs is None and scores is None:
        old, new, files = named_apart(old, new)
        files = {name: arguments.path(file) for name, file in files.items()}
    if qrels is not None:
        arguments.refuse_of_scores(lower)
        labels = arguments.labels_of(qrels, **how)
        ranked = arguments.read_runs(runs, **how) if runs else arguments.read_two_runs(files, **how)
        result = regrade.gate(old, new, labels, measures, runs=ranked, **rule)
    else:
        read = arguments.scores_from(scores or files, lower, how)
        rule["missing"] = how["missing"]
        result = regrade.gate(old, new, None, measures, scores=read, **rule)
    _print_gate(result, format, out, plot)
    if not result.passed:
        raise declare.failure(fail_if)


def _print_gate(result: Gate, format: str, out: str | None, plot: str | None) -> None:
    """Print the outcome; or write it to a file, and print the verdict."""
    from regrade.command.output import print_answer, save_plot, write_result
    from regrade.tables import atomic_path
    from regrade.writers import NAMED_ENDINGS, PAPER_ENDINGS

    if plot is not None:
        save_plot(result, plot)
    texts = {
        "text": lambda: f"{result.summary()}\n",
        "markdown": result.to_markdown,
        "junit": result.to_junit,
        "json": lambda: json.dumps(result.to_dict(), ensure_ascii=False, indent=2) + "\n",
    }
    if out is not None:
        if format == GATE_FORMATS[0] and Path(out).suffix in (*NAMED_ENDINGS, *PAPER_ENDINGS):
            write_result(result.pair, None, out, result.answer)
        else:
            if format == GATE_FORMATS[0]:
                format = {".json": "json", ".xml": "junit"}.get(Path(out).suffix, format)
            with atomic_path(out) as file:
                Path(file).write_text(texts[format](), encoding="utf-8")
        print(result.reason)
    elif format == "text":
        print_answer(result.answer)
    else:
        print(texts[format](), end="")

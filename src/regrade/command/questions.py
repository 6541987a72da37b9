"""The commands about files: what each is given, the one library call, what it prints."""

from __future__ import annotations

import json
import logging
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from click.exceptions import Exit

import regrade
from regrade.argument_checks import one_of, within
from regrade.choices import (
    ASKING_POLICIES,
    CUT_METHODS,
    DEPTH,
    FINDINGS,
    GATE_FAILURES,
    GATE_FORMATS,
    SCORE_RESCALES,
)
from regrade.command.arguments import (
    are_scores,
    by_named_columns,
    groups_of,
    judge_scores_of,
    judge_sets,
    judges_of,
    labelled_sets,
    labels_of,
    labels_with_runs,
    numbers_of,
    panel_of,
    path,
    read_beside,
    read_runs,
    read_two_runs,
    reference_of,
    refuse_of_scores,
    refuse_runs,
    rules_of,
    scores_from,
    scores_of_systems,
    sets_of,
    with_names,
)
from regrade.command.options import (
    QRELS,
    RUNS,
    Argument,
    Cite,
    Columns,
    EachTopic,
    FamilyFile,
    FamilyPatterns,
    Groups,
    Json,
    JudgeSets,
    Lower,
    Measures,
    Missing,
    ModelWhere,
    Option,
    OwnFamilies,
    Passes,
    Plot,
    Qrels,
    QrelsOrScores,
    Ranked,
    RankedIfAny,
    RankedOrScores,
    Reads,
    Scale,
    Where,
    command,
    place,
    table_place,
)
from regrade.errors import ParameterError, RegradeError
from regrade.measures import parse_all
from regrade.pools.options import Pooling
from regrade.resources import cores

if TYPE_CHECKING:
    from regrade.api.gate import Gate

FOUND = 3
"""The exit code of a command that was asked to fail at what it finds."""


CONSENSUS_TABLES = ("judges", "documents", "confusion")
"""Tables of a consensus."""

SCORE_FORMATS = ("ir_measures", "trec_eval", "table", "csv", "jsonl", "parquet")
"""How scores are printed."""


def _aim_of(text: str) -> str | int:
    """A number of first systems, or a word."""
    return int(text) if text.isdecimal() else text


def _settled(name: str, aim: str | int) -> None:
    """Refuse what cannot be asked about more labels."""
    if aim != "undecided" and not (isinstance(aim, int) and aim > 0):
        raise ParameterError(f"{name} is {aim!r}: write undecided, or a number of top systems")


@command()
def look(
    *,
    files: Annotated[
        list[str], Argument(help="Files of any kind: runs, labels, judgments, preferences.")
    ],
    json: Json = False,
) -> None:
    """What do these files contain, how are they read, and which commands apply?

    Example: regrade look qrels.txt runs model.csv
    """
    from regrade.command.given_files import mixed_rows
    from regrade.command.output import print_json

    seen = regrade.look([path(file) for file in files])
    if json:
        print_json({"files": [one.to_dict() for one in seen.files], "commands": seen.commands})
    else:
        print(with_names(seen.summary()))
    for one in seen.files:
        if one.kind == "judgments" and (mixed := mixed_rows(Path(one.file), one_scale=False)):
            logging.getLogger("regrade.command").warning("%s: %s", one.file, mixed)
    if any(one.problem for one in seen.files):
        raise Exit(1)


@command(calls="score")
def score(
    *,
    qrels: Qrels,
    runs: Ranked,
    measures: Measures = None,
    others: Annotated[
        list[str] | None,
        Option(help="A further label set named by a measure: cred=FILE for NLRE(second=cred)@5."),
        Reads(sets_of),
    ] = None,
    per_topic: EachTopic = False,
    format: Annotated[
        str,
        Option(
            help="Output format: ir_measures, trec_eval, table, csv, jsonl or parquet (with --out)."
        ),
        Passes(one_of(SCORE_FORMATS)),
    ] = SCORE_FORMATS[0],
    out: Annotated[
        str | None, Option(help="Write all scores to this file."), Passes(table_place)
    ] = None,
    unranked: Annotated[
        str,
        Option(
            help="Judged topics that a run lacks: zero scores them 0, omit leaves them out of the "
            "run's mean."
        ),
    ] = "zero",
    how: Mapping,
    json: Json = False,
) -> None:
    """Score runs under labels.

    Example: regrade score qrels.txt runs/*.gz -m "AP nDCG@10" -q
    """
    from regrade.command.output import print_frame, print_json, score_lines
    from regrade.writers import write_frame

    if json and format != SCORE_FORMATS[0]:
        raise ParameterError(f"--json and --format {format} both name an output format: give one")
    if format == "parquet" and out is None:
        raise RegradeError("format parquet cannot be printed: name a file, --out scores.parquet")
    labels = labels_of(qrels, **how)
    further = {name: reference_of(file, how) for name, file in (others or {}).items()}
    ranked = read_runs(runs, **how)
    scores = regrade.score(labels, ranked, measures, others=further, unranked=unranked)
    columns = ["system", "topic", "measure", "value"]
    if out is not None:
        write_frame(scores.to_frame()[columns], out)
    if format in ("ir_measures", "trec_eval") and not json:
        print(score_lines(scores, format, per_topic))
    elif format == "table":
        print_frame(scores.means().reset_index())
    elif format != "parquet":
        rows = scores.to_frame()[columns]
        if not per_topic:
            by = rows.groupby(["system", "measure"], sort=False)
            rows = by["value"].mean().reset_index()
        if json:
            print_json(rows)
        elif format == "csv":
            print(rows.to_csv(index=False), end="")
        else:
            print(rows.to_json(orient="records", lines=True), end="")


@command("ranking")
def rank(
    *,
    qrels: QrelsOrScores,
    runs: RankedOrScores = None,
    measures: Measures = None,
    lower: Lower = None,
    judges: Annotated[
        list[str] | None,
        Option(help="Labels by a further judge: gpt=FILE; may be repeated."),
        Reads(partial(sets_of, option="judges")),
    ] = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Which system is best, and how sure is that?

    Example: regrade rank qrels.txt runs/*.gz -m nDCG@10 --table systems

    With scores by item in place of labels and runs: regrade rank scores.csv
    """
    if are_scores(qrels):
        scores = scores_from([qrels, *(runs or ())], lower, how)
        given = {"judges": judges or None, "missing": how["missing"], "threads": cores()}
        return regrade.rank(scores, None, measures, **given, **options)
    labels = labels_with_runs(qrels, runs, lower, how)
    own = {**how, "scale": None, "columns": None}
    further = {name: labels_of(file, **own) for name, file in (judges or {}).items()}
    ranked = read_runs(runs, **how)
    return regrade.rank(labels, ranked, measures, judges=further, threads=cores(), **options)


@command("system_pairs")
def compare_systems(
    *,
    qrels: QrelsOrScores,
    runs: RankedOrScores = None,
    first: Annotated[str | None, Argument(help="The name of a run or system.")] = None,
    second: Annotated[
        str | None, Argument(help="The name of the run or system to compare it with.")
    ] = None,
    measures: Measures = None,
    lower: Lower = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Do two systems differ significantly?

    Example: regrade compare-systems qrels.txt runs bm25 dense -m nDCG@10

    With scores by item: regrade compare-systems scores.csv old new; or two files, each with one
    system: regrade compare-systems old.json new.json
    """
    if are_scores(qrels):
        files = [qrels, *(runs or ())]
        if first is None and second is not None:  # a file, where names of systems would stand
            scores, (first, *_, second) = scores_of_systems([*files, second], lower, how)
        else:
            scores = scores_from(files, lower, how)
        return regrade.compare_systems(
            scores, None, first, second, measures, missing=how["missing"], **options
        )
    labels = labels_with_runs(qrels, runs, lower, how)
    ranked = read_runs(runs, **how)
    return regrade.compare_systems(labels, ranked, first, second, measures, **options)


@command(calls="gate")
def gate(
    *,
    old: Annotated[str, Argument(help="The old run, or scores by item; with --runs, its name.")],
    new: Annotated[str, Argument(help="The new one.")],
    qrels: Annotated[str | None, Argument(help=f"{QRELS} Absent: scores by item.")] = None,
    measures: Measures = None,
    runs: RankedIfAny = None,
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
        Passes(place),
    ] = None,
    lower: Lower = None,
    plot: Plot = None,
    how: Mapping,
) -> None:
    """Is the new system worse than the old one? For continuous integration.

    Example: regrade gate old.run new.run qrels.txt --margin 0.01 --fail-if unknown

    Of scores by item: regrade gate old.csv new.csv; of one file: regrade gate old new --scores FILE
    """
    from regrade.api.gate import named_apart

    given = {"margin": margin, "fail_if": fail_if, "significance": significance}
    if qrels is None and runs:
        raise ParameterError("--runs are scored by labels: give them behind the two names")
    if qrels is not None and scores:
        raise ParameterError("--scores need no labels: leave out the third file")
    if runs is None and scores is None:
        old, new, files = named_apart(old, new)
        files = {name: path(file) for name, file in files.items()}
    if qrels is not None:
        refuse_of_scores(lower)
        labels = labels_of(qrels, **how)
        ranked = read_runs(runs, **how) if runs else read_two_runs(files, **how)
        result = regrade.gate(old, new, labels, measures, runs=ranked, **given)
    else:
        read = scores_from(scores or files, lower, how)
        given["missing"] = how["missing"]
        result = regrade.gate(old, new, None, measures, scores=read, **given)
    _print_gate(result, format, out, plot)
    if not result.passed:
        print(f"regrade: {fail_if}: exit code {FOUND} (--fail-if)", file=sys.stderr)
        raise Exit(FOUND)


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


@command("topic_analysis")
def topics(
    *,
    qrels: QrelsOrScores,
    runs: RankedOrScores = None,
    measures: Measures = None,
    lower: Lower = None,
    second: Annotated[str | None, Option(help="Other labels of the same topics.")] = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Which topics matter: which are hard, which decide between two runs, on which labels disagree?

    Example: regrade topics qrels.txt runs --second model.qrels -m nDCG@10

    With scores by item in place of labels and runs: regrade topics scores.csv
    """
    if are_scores(qrels):
        scores = scores_from([qrels, *(runs or ())], lower, how)
        given = {"second": second, "missing": how["missing"]}
        return regrade.topics(scores, None, measures, **given, **options)
    labels = labels_with_runs(qrels, runs, lower, how)
    other = reference_of(second, how)
    ranked = read_runs(runs, **how)
    return regrade.topics(labels, ranked, measures, second=other, **options)


@command("compare")
def compare(
    *,
    first: Annotated[
        str, Argument(help=f"The first label set. {QRELS} Or scores of systems by item.")
    ],
    second: Annotated[
        str, Argument(help="The second label set, in the same formats; or judgments; or scores.")
    ],
    runs: RankedIfAny = None,
    measures: Measures = None,
    lower: Lower = None,
    how: Mapping,
    groups: Groups = None,
    options: Mapping,
    fail_if: Annotated[
        str | None,
        Option(
            help="Exit with code 3 if a pair of systems (or, without runs, a label) changes; or if "
            "the best system does."
        ),
        Passes(one_of(FINDINGS)),
    ] = None,
    printing: Mapping,
) -> None:
    """Would the evaluation have come out differently with another label set?

    Example: regrade compare qrels.txt model.qrels --runs "runs/*.gz" -m nDCG@10 --table pairs

    Two leaderboards from scores by item: regrade compare human.csv model.csv
    """
    from regrade.answers.words import by_quantity
    from regrade.command.output import print_result

    if fail_if == "best" and not runs and not are_scores(first):
        raise ParameterError("--fail-if best compares systems: give runs (--runs)")
    files = first, second
    if are_scores(first):
        refuse_runs(runs)
        sets = [scores_from([file], lower, how) for file in files]
        comparison = regrade.compare(
            *sets, None, measures, groups=groups_of(groups), missing=how["missing"], **options
        )
        print_result(comparison, printing)
        _fail_on(comparison, fail_if)
        return
    refuse_of_scores(lower)
    sets = [
        labels_of(one, "set", **own).on_levels()
        for one, own in zip(files, by_named_columns(files, how), strict=True)
    ]
    ranked = read_runs(runs, groups, **how)
    comparison = regrade.compare(*sets, ranked, measures, **options)
    print_result(comparison, printing)
    if not any(printing.values()) and not by_quantity(comparison.facts)["same scale"]:
        print(_how_to_cut(files, sets), end="")
    _fail_on(comparison, fail_if)


def _fail_on(comparison, fail_if: str | None) -> None:
    """End with the exit code of what a pipeline stops on, where the comparison shows it."""
    if fail_if is not None and comparison.finds(fail_if):
        print(f"regrade: {fail_if}: exit code {FOUND} (--fail-if)", file=sys.stderr)
        raise Exit(FOUND)


def _how_to_cut(files: Sequence[str], sets: Sequence) -> str:
    """The command that brings two label sets to one scale, where one scale is finer.

    Grades are never merged: label sets are on one scale (`--scale`), or are not compared.

    """
    from regrade.api.comparison import uses_grades
    from regrade.evaluations.cut_labels import FINER, Judge
    from regrade.scales import MAX_LEVELS

    for (finer, coarser), (source, reference) in ((files, sets), (files[::-1], sets[::-1])):
        scale = reference.likely_scale
        levels = scale.levels or 0
        if not 2 <= levels <= MAX_LEVELS or not scale.is_levels(levels):
            continue
        is_finer = Judge(source.name, source.table, source.likely_scale).relation(levels) == FINER
        if is_finer and not uses_grades(source):
            words = shlex.join([finer, "-k", f"{levels}", "-r", coarser, "--out", "cut.qrels"])
            return (
                f"To compare both label sets on one scale, cut {source.name}: regrade cut {words}\n"
            )
    return ""


@command("judges")
def judges(
    *,
    reference: Annotated[
        str,
        Argument(
            help=f"Reference labels on 2 to 4 levels. {QRELS} Or scores by item, or the name of a "
            "judge in them."
        ),
    ],
    sets: JudgeSets,
    runs: RankedIfAny = None,
    measures: Measures = None,
    lower: Lower = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Which judge agrees best with the reference, and what would each judge change?

    Example: regrade judges qrels.txt gpt=gpt.qrels llama=llama.csv --runs "runs/*.gz"

    With scores by item: regrade judges human.csv gpt=gpt.csv llama=llama.csv; or one file with a
    column of judges: regrade judges human scores.csv
    """
    if are_scores(sets[0].rpartition("=")[2]):
        refuse_runs(runs)
        beside, of_judges = judge_scores_of(reference, sets, lower, how)
        given = {"missing": how["missing"], "threads": cores()}
        return regrade.judges(beside, of_judges, None, measures, **given, **options)
    refuse_of_scores(lower)
    held = judges_of(reference, sets, runs, how)
    return regrade.judges(*held, measures, threads=cores(), **options)


@command("favour")
def favour(
    *,
    reference: Annotated[str, Argument(help=f"Human labels. {QRELS}")],
    sets: JudgeSets,
    runs: Annotated[list[str], Option(help=RUNS)],
    families: FamilyFile = None,
    patterns: FamilyPatterns = None,
    control: Annotated[
        list[str] | None,
        Option(help="Labels of the same documents by further people: a=FILE or FILE; repeatable."),
    ] = None,
    own: OwnFamilies = None,
    measures: Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Does a judge favour some systems beyond what a second person does?

    Example: regrade favour qrels.txt gpt=gpt.qrels --runs runs --families families.txt --control
    second.qrels --own gpt=gpt
    """
    labels, judges, ranked = judges_of(reference, sets, runs, how)
    controls = control and labelled_sets(control, how)
    given = {"controls": controls, "patterns": patterns, "own": own or {}}
    return regrade.favour(labels, judges, ranked, path(families), measures, **given, **options)


@command("replace")
def replace(
    *,
    reference: Annotated[str, Argument(help=f"Human labels. {QRELS}")],
    judge: Annotated[str, Argument(help="The judge's labels, in the same formats; or judgments.")],
    runs: RankedIfAny = None,
    measures: Measures = None,
    people: Annotated[
        list[str] | None,
        Option(
            help="Labels of the same documents by a further person: a=FILE or FILE; repeatable."
        ),
    ] = None,
    judgments: Annotated[
        str | None, Option(help="Judgments of further people (a crowd), in place of --people.")
    ] = None,
    families: FamilyFile = None,
    patterns: FamilyPatterns = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Can this judge replace people?

    Example: regrade replace qrels.txt model.qrels --runs "runs/*.gz" --people second.qrels
    """
    labels = [labels_of(one, "set", **how) for one in (reference, judge)]
    further = people and labelled_sets(people, how, "people")
    crowd = labels_of(judgments, "judgments", **how)
    given = {"people": further, "judgments": crowd, "patterns": patterns}
    ranked = read_runs(runs, **how)
    return regrade.replace(*labels, ranked, measures, families=path(families), **given, **options)


@command("panel")
def panel(
    *,
    people: Annotated[
        str,
        Argument(
            help=f"Human labels on 2 to 4 levels. {QRELS} Or of a random sample: the file that "
            "`assign` wrote, with human labels filled in."
        ),
    ],
    sets: JudgeSets,
    runs: RankedIfAny = None,
    families: FamilyFile = None,
    patterns: FamilyPatterns = None,
    control: Annotated[
        list[str] | None,
        Option(
            help="Labels of a further person, for an effective number free of people's errors: "
            "a=FILE or FILE; repeatable."
        ),
    ] = None,
    measures: Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """What is a panel of judges worth?

    Example: regrade panel qrels.txt gpt=gpt.qrels llama=llama.csv --runs "runs/*.gz"
    """
    held = panel_of(people, sets, runs, how)
    controls = control and labelled_sets(control, how)
    given = {"controls": controls, "families": path(families), "patterns": patterns}
    return regrade.panel(*held, measures, **given, **options)


@command("calibration")
def calibrate(
    *,
    reference: Annotated[str, Argument(help=f"Human labels. {QRELS}")],
    sets: JudgeSets,
    runs: RankedIfAny = None,
    measures: Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Are thresholded grades enough, or are calibrated probabilities better?

    Example: regrade calibrate qrels.txt gpt=gpt.csv --runs runs --table sets
    """
    held = judges_of(reference, sets, runs, how)
    return regrade.calibrate(*held, measures, threads=cores(), **options)


@command(calls="consensus", reads="scale columns where missing off_scale below_zero")
def consensus(
    *,
    sets: JudgeSets,
    by: Annotated[
        str,
        Option(
            help="Rule: majority, median (median_low, median_high), mean, dawid-skene (a model of "
            "judges), or weighted (votes weighted by accuracy)."
        ),
    ] = "majority",
    reference: Annotated[
        str | None,
        Option("--reference", "-r", help="Labels from which weighted estimates accuracy."),
    ] = None,
    rescale: Annotated[
        str,
        Option(help="range: map each judge's scale onto 0 to 1, for mean and medians; or none."),
    ] = "none",
    out: Annotated[
        str | None, Option(help="Write the labels as qrels (or .csv, …)."), Passes(place)
    ] = None,
    table: Annotated[
        str | None,
        Option(help=f"Print this table instead: {', '.join(CONSENSUS_TABLES)}."),
        Passes(one_of(CONSENSUS_TABLES)),
    ] = None,
    cite: Cite = False,
    json: Json = False,
    how: Mapping,
) -> None:
    """What do several judges say together? Their labels as one set, for every other command.

    Example: regrade consensus a.qrels b.qrels c.qrels --by median_low --out consensus.qrels
    """
    from regrade.command.output import print_answer, print_frame, print_json

    labels = reference_of(reference, how)
    held = read_beside(labels, how, partial(judge_sets, sets))
    joint = regrade.consensus(held, by, reference=labels, rescale=rescale)
    if out is not None:
        joint.to_qrels(out)
    tables = {one: getattr(joint, one) for one in CONSENSUS_TABLES}
    if cite:
        print(joint.methods_sentence())
    elif json:
        print_json(tables[table] if table else {"answer": joint.answer.to_dict(), **tables})
    elif table is not None:
        print_frame(tables[table])
    else:
        print_answer(joint.answer)
        if out is not None:
            print(f"labels: {out}")


@command("meta_analysis")
def meta_analysis(
    *,
    collections: Annotated[
        list[str],
        Argument(
            help="Results of each collection: dl19=FILE …, the table that holds the effect; or a "
            "folder of tables."
        ),
    ],
    options: Mapping,
) -> object:
    """Does an effect hold over several collections?

    Example: regrade meta-analysis dl19=dl19.csv dl21=dl21.csv

    Each file is a table of a collection's results: regrade judges qrels.txt gpt=gpt.qrels --runs
    runs --table samples --out dl19.csv
    """
    of_each = sets_of(collections, option="collections")
    return regrade.meta_analysis(of_each, threads=cores(), **options)


@command(calls="cut_at")
def cut(
    *,
    judgments: Annotated[str, Argument(help=f"The scores to threshold. {QRELS}")],
    levels: Annotated[
        int | None, Option("--levels", "-k", help="Number of grades; 2, or as --at makes.")
    ] = None,
    reference: Annotated[
        str | None,
        Option("--reference", "-r", help="Reference labels 0 … levels − 1, for agreement."),
    ] = None,
    at: Annotated[
        str | None,
        Option(help="Thresholds to apply instead of the best ones: 25,50,75."),
        Reads(partial(numbers_of, option="at")),
    ] = None,
    equal: Annotated[
        bool, Option("--equal", help="Thresholds of equal widths instead of the best ones.")
    ] = False,
    quantiles: Annotated[
        bool, Option("--quantiles", help="Quantiles of documents' values as thresholds.")
    ] = False,
    runs: Annotated[list[str] | None, Option(help="Runs to rank under the thresholds.")] = None,
    measures: Measures = None,
    method: Annotated[
        str | None,
        Option(help="Search method whose optimum is applied."),
        Passes(one_of(CUT_METHODS)),
    ] = None,
    per_topic: Annotated[
        bool, Option("-q", "--per-topic", help="Also thresholds for each topic, for --out too.")
    ] = False,
    out: Annotated[
        str | None, Option(help="Write the grades as qrels (or .csv, …)."), Passes(place)
    ] = None,
    how: Mapping,
    grid: Annotated[int | None, Option(help="Most thresholds to try.")] = None,
    resamples: Annotated[
        int,
        Option(help="Bootstrap samples of topics for intervals; 0: none."),
        Passes(within(least=0)),
    ] = 1000,
    plot: Plot = None,
    cite: Cite = False,
    json: Json = False,
) -> None:
    """Which thresholds convert a fine scale to grades, and can they be trusted?

    Every set of thresholds is tried, by every method that the data serve; or apply given ones,
    equal widths or quantiles.

    Example: regrade cut model.csv --levels 4 --reference qrels.txt --out cut.qrels
    """
    from regrade.command.output import print_answer, print_frame, print_json, save_plot

    rules = [rule for rule, is_asked in (("equal", equal), ("quantiles", quantiles)) if is_asked]
    rules += ["at"] if at is not None else []
    if len(rules) > 1:
        raise ParameterError(f"--{rules[0]} and --{rules[1]} are two sets of thresholds: give one")
    if rules and per_topic:
        raise ParameterError(f"--per-topic searches thresholds, and --{rules[0]} gives them")
    if rules and reference is None and (method or grid is not None):
        searching = "--method" if method else "--grid"
        raise ParameterError(f"{searching} belongs to a search: give --reference, or leave it out")
    if rules and reference is None and plot is not None:
        raise ParameterError("--plot shows the agreement of thresholds: give --reference")
    if not rules:
        regrade.find_cuts.check(levels=levels or 2, **({} if grid is None else {"grid": grid}))
    if runs and reference is None:
        raise ParameterError(
            "--runs compares systems under --reference and under the cut: give --reference"
        )
    if measures is not None:
        parse_all(measures.split())
    labels = reference_of(reference, how)
    source = read_beside(labels, how, partial(labels_of, judgments, "set", one_scale=True))
    user_cut = None
    if rules:
        user_cut = regrade.cut_at(source, rules[0] if at is None else at, levels)
        levels = len(user_cut.thresholds) + 1
        if out is not None:
            user_cut.to_qrels(out)
        if reference is None:
            if json:
                print_json({"answer": user_cut.answer.to_dict(), "grades": user_cut.grades})
                return
            if cite:
                print(user_cut.answer.methods_sentence())
                return
            print_answer(user_cut.answer)
            if out is not None:
                print(f"grades: {out}")
            return
    cuts = regrade.find_cuts(source, levels or 2, labels, grid=grid, threads=cores())
    chosen = cuts.best if method is None else cuts.of(method)
    tables = {"methods": cuts.to_frame()}
    if resamples:
        tables["intervals"] = cuts.intervals(resamples, methods=[chosen.method])
    if per_topic:
        tables["per_topic"] = cuts.per_topic(chosen.method)
    applied = cuts.apply(method=chosen.method) if user_cut is None else user_cut.labels
    if out is not None and user_cut is None:
        cuts.apply(method=chosen.method, per_topic=per_topic).to_qrels(out)
    ranked = read_runs(runs, **how)
    measures = measures or "nDCG@10"
    options_of_cut = {"method": chosen.method, "resamples": resamples, "per_topic": per_topic}
    options_of_cut["given"] = user_cut.thresholds if user_cut else ()
    answer = cuts.answer(ranked, str(parse_all(measures.split())[0]), **options_of_cut)
    if plot is not None:
        save_plot(cuts, plot)
    if cite:
        print(answer.methods_sentence())
        return
    if json:
        best = {"answer": answer.to_dict(), "best": list(chosen.thresholds)}
        if runs:
            compared = regrade.compare(labels, applied, ranked, measures, same_scale=True)
            tables["comparison"] = compared.tables
        print_json(best | tables)
        return
    print_answer(answer)
    titles = {
        "methods": "Optimum of each method, with α on the same topics:",
        "per_topic": f"Thresholds of each topic ({chosen.method}), with α on the same and on "
        "held-out documents, and of the common thresholds (single):",
    }
    if len(tables["methods"]) == 1:
        del tables["methods"]  # the answer has it
    for name, frame in tables.items():
        if name in titles:
            print_frame(frame.dropna(axis="columns", how="all"), titles[name])
    if out is not None:
        print(f"grades: {out}")


@command("ties")
def ties(
    *,
    runs: Ranked,
    qrels: Annotated[
        str | None, Option(help="Labels, to compute the effect of ties on scores.")
    ] = None,
    measures: Measures = None,
    options: Mapping,
    how: Mapping,
    printing: Mapping,
) -> None:
    """Does tie-breaking matter? Without labels: how many ties there are.

    Example: regrade ties runs/*.gz --qrels qrels.txt -m AP
    """
    from regrade.command.output import print_frame, print_json, print_result, without_answer
    from regrade.writers import write_frame

    if qrels is None and printing["table"] not in (None, "rates"):
        raise ParameterError(f"--table {printing['table']} is a table of scores: add --qrels")
    if qrels is None:
        without_answer(printing, "add --qrels")
    labels = labels_of(qrels, **how)
    result = regrade.ties(read_runs(runs, **how), labels, measures, **options)
    if qrels is not None:
        print_result(result, printing)
        return
    if printing["out"] is not None:
        write_frame(result.rates, printing["out"])
    if printing["json"]:
        print_json(result.tables)
    else:
        print_frame(result.rates, "ties")


@command("ranges", residual=None)
def unjudged(
    *, qrels: Qrels, runs: Ranked, measures: Measures = None, options: Mapping, how: Mapping
) -> object:
    """What could unjudged documents change?

    Example: regrade unjudged qrels.txt runs/*.gz -m nDCG@10 --table ranks
    """
    labels = labels_of(qrels, **how)
    return regrade.unjudged(labels, read_runs(runs, **how), measures, **options)


@command("pools")
def pool(
    *,
    runs: Ranked,
    depth: Annotated[
        int | None,
        Option(help="Pool depth, by default 10; with --qrels alone, the deepest pool."),
    ] = None,
    method: Annotated[str, Option(help="Depth, or a fusion method such as RRF.")] = "Depth",
    size: Annotated[int | None, Option(help="Number of documents in a fused pool.")] = None,
    qrels: Annotated[
        str | None,
        Option(
            help="Labels: which pool depth suffices? With --out, the labels to reduce to the pool."
        ),
    ] = None,
    measures: Measures = None,
    out: Annotated[
        str | None,
        Option(help="Write the pool, or the reduced qrels, to this file."),
        Passes(place),
    ] = None,
    options: Mapping,
    how: Mapping,
    printing: Mapping,
) -> None:
    """How deep must the pool be? Or pool the first documents of runs; reduce labels to these.

    Example: regrade pool runs/*.gz --qrels qrels.txt
    """
    from regrade.command.output import print_frame, print_json, print_result, without_answer
    from regrade.writers import write_frame

    is_question = qrels is not None and out is None
    if printing["table"] is not None and not is_question:
        raise ParameterError(
            "--table belongs to the question of pool depth: give --qrels without --out"
        )
    if is_question and (method, size) != (DEPTH, None):
        raise ParameterError("--method and --size make a pool: name the file to write, --out FILE")
    if not is_question:
        without_answer(printing, "give --qrels without --out")
        depth = 10 if depth is None else depth
        Pooling(method, depth=depth, size=size)  # which refuses what makes none
    labels = labels_of(qrels, **how)
    ranked = read_runs(runs, **how)
    if is_question:
        rules = {**options, "baseline": options["baseline"] or depth}
        result = regrade.pool_depths(labels, ranked, measures=measures, **rules)
        print_result(result, printing)
        return
    pooled = regrade.pool(ranked, depth, method=method, size=size)
    sizes, documents = pooled.sizes.reset_index(), pooled.to_frame()
    reduced = None if labels is None else pooled.reduce(labels)
    if reduced is not None:
        reduced.to_qrels(out)
    elif out is not None:
        write_frame(documents, out)
    if printing["json"]:
        print_json({"sizes": sizes, "documents": documents})
        return
    for one in filter(None, (pooled, reduced)):
        print(repr(one)[1:-1])
    if out is None:
        print_frame(sizes)


@command("leave_one_out")
def leave_one_out(
    *,
    qrels: Qrels,
    runs: Ranked,
    depth: Annotated[
        int | None,
        Option(help="Pool depth; by default the depth to which half of the systems are judged."),
    ] = None,
    by: Annotated[
        str | None,
        Option(
            help="Unit to leave out: run, group or origins; by default group with --groups, else "
            "run."
        ),
    ] = None,
    groups: Groups = None,
    origins: Annotated[
        str | None, Option(help="A file that names the runs that contributed each document.")
    ] = None,
    measures: Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Can new systems be evaluated with this pool? Scores each system without its unique judgments.

    Example: regrade leave-one-out qrels.txt runs/*.gz --depth 100 --groups groups.txt
    """
    if by == "group" and groups is None:
        raise ParameterError("--by group needs groups: add --groups FILE (lines: run-tag group)")
    if by == "run" and groups is not None:
        raise ParameterError("--by run takes no groups: leave out --by run, or --groups")
    if by == "origins" and origins is None:
        raise ParameterError(
            "--by origins needs the runs that contributed each document: add --origins FILE"
        )
    if depth is not None and options["pooling"] is not None:
        raise ParameterError("--depth and --pooling both define the pool: give one")
    labels = labels_of(qrels, **how)
    further = {"by": by, "groups": groups_of(groups), "origins": path(origins), **options}
    ranked = read_runs(runs, **how)
    return regrade.leave_one_out(
        labels, ranked, depth, measures=measures, threads=cores(), **further
    )


@command(calls="assign", reads="missing below_zero tie_break not_self")
def assign(
    *,
    runs: Annotated[
        str,
        Argument(
            help="Runs: a file, a folder, or a glob in quotes; without runs, sampling is based on "
            "labels alone."
        ),
    ],
    budget: Annotated[
        float,
        Option(help="Number of documents to label; with --cost, the total cost."),
    ],
    models: Annotated[
        list[str] | None, Argument(help=f"Labels by one or several models. {QRELS}")
    ] = None,
    measures: Measures = None,
    scale: Scale = None,
    model_where: ModelWhere = None,
    after: Annotated[
        str | None,
        Option(help="Labels of earlier batches: choose a further batch by what they teach."),
    ] = None,
    aim: Annotated[
        str,
        Option(
            help="Aim of the labels: all; after a batch also undecided (pairs), or a number of top "
            "systems."
        ),
        Reads(_aim_of),
    ] = "all",
    per_topic: Annotated[
        bool, Option("-q", "--per-topic", help="Use the same budget for each topic.")
    ] = False,
    cost: Annotated[
        str | None, Option(help="Cost of each label, as qrels with costs in place of grades.")
    ] = None,
    how: Mapping,
    seed: Annotated[int, Option(help="Random seed of the choice.")] = 1,
    out: Annotated[
        str | None,
        Option(help="Write the documents to be labelled: ask.csv."),
        Passes(table_place),
    ] = None,
    json: Json = False,
) -> None:
    """Which documents should people label, given a model's labels of all documents?

    Example: regrade assign runs model.qrels --budget 541 -m nDCG@10 --out ask.csv
    """
    from regrade.command.output import print_frame, print_json

    of_models = [labels_of(one, where=model_where, **how) for one in models or [runs]]
    ranked = read_runs([runs], **how) if models else None
    assigned = regrade.assign(
        ranked,
        of_models,
        budget,
        measures,
        scale=scale,
        seed=seed,
        after=path(after),
        aim=aim,
        per_topic=per_topic,
        cost=labels_of(cost),
    )
    if out is not None:
        assigned.to_csv(out)
    if json:
        print_json(assigned.documents)
        return
    print(assigned.summary())
    if out is not None:
        print(f"{out}: fill in `grade` where `chosen` is True, and keep the other rows")
    else:
        print_frame(assigned.documents[assigned.documents["chosen"]].drop(columns="chosen"))


@command("estimates", reads="missing below_zero tie_break not_self", several=None)
def estimate(
    *,
    labels: Annotated[
        str, Argument(help="The file that `assign` wrote, with human labels filled in.")
    ],
    models: Annotated[list[str], Argument(help=f"Labels by one or several models. {QRELS}")],
    runs: Annotated[
        list[str] | None,
        Option("--runs", "-r", help=f"{RUNS} Without runs: estimates for labels alone."),
    ] = None,
    measures: Measures = None,
    scale: Scale = None,
    columns: Columns = None,
    where: Where = None,
    model_where: ModelWhere = None,
    options: Mapping,
    how: Mapping,
    settled: Annotated[
        str | None,
        Option(help="Is the ranking decided? The first k systems: 1; all pairs: undecided."),
        Reads(_aim_of),
        Passes(_settled),
    ] = None,
    printing: Mapping,
) -> None:
    """What would full human judging conclude, estimated from a few labels?

    Example: regrade estimate ask.csv model.qrels --runs runs -m nDCG@10 --table systems
    """
    from regrade.command.output import print_json, print_result, without_answer

    if settled is not None and not runs:
        raise ParameterError("--settled is about the order of systems: give runs (--runs)")
    if settled is not None:
        if printing["table"] or printing["out"]:
            raise ParameterError("--settled has its own answer: leave out --table and --out")
        without_answer(printing, "leave out --settled")
    own = {"scale": scale, "columns": columns, "where": where}
    if options["budget"] is None:
        file, rules = rules_of(labels, own)
        own = {name: rules[name] for name in own} | {"below_zero": how["below_zero"]}
        people = regrade.read_sample(path(file), **own)
    else:
        people = labels_of(labels, **own, **how)
    of_models = [labels_of(one, where=model_where, **how) for one in models]
    ranked = read_runs(runs, **how)
    estimates = regrade.estimate(people, of_models, ranked, measures, **options)
    if settled is None:
        print_result(estimates, printing)
        return
    verdict = estimates.settled(settled)
    if printing["json"]:
        print_json(verdict.to_frame())
    else:
        print(verdict.summary())


@command()
def design(
    *,
    qrels: Annotated[str, Argument(help=f"The pool, partly graded. {QRELS}")],
    relevant: Annotated[
        str,
        Option(help="Grades of known relevant documents, best first."),
        Reads(partial(numbers_of, option="relevant")),
    ] = "1",
    not_relevant: Annotated[
        str,
        Option(help="Grades of known non-relevant documents."),
        Reads(partial(numbers_of, option="not-relevant")),
    ] = "0",
    size: Annotated[int, Option(help="Number of documents in a group.")] = 8,
    partners: Annotated[int, Option(help="Number of partners of each document in its group.")] = 3,
    judges: Annotated[int, Option(help="Number of workers for each unit (HIT).")] = 3,
    share: Annotated[
        float,
        Option(help="Share of the topic's other documents that each document is compared with."),
    ] = 0.15,
    seed: Annotated[int, Option(help="Random seed.", least=0)] = 1,
    out: Annotated[
        str | None, Option(help="Write the pairs (.csv, .jsonl, …)."), Passes(table_place)
    ] = None,
    columns: Columns = None,
    json: Json = False,
) -> None:
    """Design pairs of documents for a preference task.

    Example: regrade design qrels.txt --relevant 2,1 --not-relevant 0 --out pairs.csv
    """
    from regrade.command.output import print_frame, print_json
    from regrade.preferences.design import Task, design_tasks, known_roles
    from regrade.writers import write_frame

    task = Task(size=size, partners=partners, judges=judges, share=share)
    labels = labels_of(qrels, columns=columns).table
    roles = known_roles(labels, labels, relevant, not_relevant, seed)
    tasks = design_tasks(roles, task, seed)
    if out is not None:
        write_frame(tasks.pairs, out)
    if json:
        print_json({"topics": tasks.topics, "pairs": tasks.pairs})
    else:
        print_frame(tasks.topics)


@command("power", reads="missing")
def pdp(
    *,
    qrels: Annotated[list[str], Argument(help=f"Label sets to compare. {QRELS}")],
    preferences: Annotated[
        str, Option("--preferences", "-p", help="Human preferences between documents.")
    ],
    runs: RankedIfAny = None,
    measures: Measures = None,
    format: Annotated[
        str | None, Option(help="Format of the preferences: pair-winner or winner-loser.")
    ] = None,
    per_topic: EachTopic = False,
    options: Mapping,
    how: Mapping,
    printing: Mapping,
) -> None:
    """How well do labels discriminate what people prefer? (Pairwise discriminative power.)

    Example: regrade pdp qrels.txt model.qrels -p preferences.tsv --format pair-winner
    """
    from regrade.command.output import print_result

    if per_topic and printing["table"] is not None:
        raise ParameterError("--per-topic is the same as --table topics: give one")
    sets = [labels_of(one, "set", **how) for one in qrels]
    ranked = read_runs(runs)
    result = regrade.pdp(sets, path(preferences), ranked, measures, format=format, **options)
    printing = {**printing, "table": printing["table"] or ("topics" if per_topic else None)}
    print_result(result, printing)


@command("workers", reads="scale columns where missing off_scale")
def workers(
    *,
    judgments: Annotated[str, Argument(help="Judgments, with a worker column.")],
    reference: Annotated[
        str | None, Option("--reference", "-r", help=f"Labels of the test questions. {QRELS}")
    ] = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Which workers are unreliable?

    Example: regrade workers judgments.tsv --reference gold.qrels --table workers
    """
    labels = reference_of(reference, how)
    held = read_beside(labels, how, partial(labels_of, judgments, "judgments", one_scale=True))
    return regrade.workers(held, labels, **options)


@command("magnitudes", reads="columns where missing tie_break not_self")
def magnitudes(
    *,
    judgments: Annotated[
        str, Argument(help="Magnitude judgments, with columns for workers and units (HITs).")
    ],
    qrels: Annotated[list[str], Argument(help=f"Reference labels on levels. {QRELS}")],
    runs: Annotated[list[str] | None, Option("--runs", help=RUNS)] = None,
    measures: Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """What gains do magnitudes give to levels, and do they change the ranking?

    Example: regrade magnitudes magnitudes.tsv qrels.txt --runs runs --table gain_profiles
    """
    held = labels_of(judgments, "judgments", **how)
    labels = [reference_of(one, how) for one in qrels]
    ranked = read_runs(runs, **how)
    return regrade.magnitude_gains(held, labels, ranked, measures, threads=cores(), **options)


@command("pairs", calls="pairs read_preferences", seconds=0)
def pairs(
    *,
    preferences: Annotated[
        list[str],
        Argument(
            help="Preference judgments in one or several files: topic, two documents, the winner."
        ),
    ],
    format: Annotated[
        str | None,
        Option(help="Format of files without named columns: pair-winner or winner-loser."),
    ] = None,
    method: Annotated[str, Option(help="Method that scores the documents.")] = "bradley-terry",
    next: Annotated[
        int,
        Option(help="Number of pairs to ask next; 0: report the ranking."),
        Passes(within(least=0)),
    ] = 0,
    policy: Annotated[
        str,
        Option(
            help="With --next, the policy: information, top (for the best documents), "
            "uncertainty, even, random."
        ),
        Passes(one_of(ASKING_POLICIES)),
    ] = "information",
    top: Annotated[
        int,
        Option(help="With --policy top: the number of best documents."),
        Passes(within(least=1)),
    ] = 10,
    documents: Annotated[
        str | None,
        Option(
            help="With --next: further documents and topics, as qrels or columns topic and docno."
        ),
    ] = None,
    per_topic: Annotated[
        bool, Option("-q", "--per-topic", help="With --next: this number of pairs for each topic.")
    ] = False,
    references: Annotated[
        list[str] | None, Option(help=f"Labels to compare the scores with. {QRELS}")
    ] = None,
    runs: Annotated[
        list[str] | None, Option(help=f"With --references: runs of systems to rank. {RUNS}")
    ] = None,
    measures: Measures = None,
    options: Mapping,
    out: Annotated[
        str | None,
        Option(help="Write the scores as qrels (or .csv, …); with --next, write the pairs."),
        Passes(place),
    ] = None,
    one_topic: Annotated[
        bool, Option("--one-topic", help="Treat all topics as one: an arena of systems.")
    ] = False,
    rescale: Annotated[
        str | None,
        Option(
            help="With --out, the scale of scores: none, topic (0 to 1 within each topic) or "
            "probability."
        ),
        Passes(one_of(SCORE_RESCALES)),
    ] = None,
    columns: Columns = None,
    missing: Missing = "refuse",
    printing: Mapping,
) -> None:
    """Do pairwise preferences give a consistent ranking, and how many more are needed?

    Example: regrade pairs preferences.tsv --format pair-winner --table scores
    """
    from regrade.command.output import print_result, without_answer

    names = columns or {}
    if rescale is not None and (out is None or next):
        raise RegradeError("--rescale turns scores into labels: name the file to write, --out FILE")
    if next:
        without_answer(printing, "leave out --next")
    if next and printing["table"] is not None:
        raise RegradeError("--next chooses pairs to ask, --table shows known results: give one")
    if documents is not None and not next:
        raise RegradeError(
            "--documents are candidates for --next: give a number of pairs, --next 50"
        )
    if runs and not references:
        raise ParameterError(
            "--runs ranks systems under scores and labels: give labels (--references)"
        )
    if one_topic and references:
        raise ParameterError("--one-topic leaves no topics to compare with --references: give one")
    if next and out is not None:
        table_place("out", out)
    answers = _answers(preferences, names, format, missing)
    if next:
        rules = {"policy": policy, "top": top, "per_topic": per_topic, "seed": options["seed"]}
        questions = regrade.next_pairs(answers, next, documents=path(documents), **rules)
        again = [*preferences, out, "--missing", "drop"]
        again += [] if format is None else ["--format", format]
        again += ["--columns", ",".join(map("=".join, names.items()))] if names else []
        _print_next(questions, names, out, again, as_json=printing["json"])
        return
    labels = [labels_of(one) for one in references or ()]
    ranked = read_runs(runs)
    options = {**options, "one_topic": one_topic}
    result = regrade.pairs(answers, method, labels or None, ranked, measures, **options)
    if out is not None:
        result.to_labels(rescale).to_qrels(out)
    print_result(result, printing)


def _answers(files: Sequence[str], names: Mapping[str, str], format: str | None, missing: str):
    """The answers of all files together; the format is of those without named columns."""
    import pyarrow as pa

    from regrade.readers.formats import headed_format
    from regrade.readers.sources import files_of

    files, tables = [*map(str, files_of([*map(path, files)]))], []
    for one in files:
        is_headed = len(files) > 1 and headed_format(one, names) is not None
        own = {"columns": names or None, "format": None if is_headed else format}
        tables.append(regrade.read_preferences(one, **own, missing=missing))
    return pa.concat_tables(tables)


def _print_next(pairs, names: Mapping[str, str], out: str | None, again: list, *, as_json: bool):
    """The pairs to ask next; or where they are written, and the command that reads them again."""
    from regrade.command.output import print_frame, print_json
    from regrade.readers.rows import guarded
    from regrade.writers import write_frame

    preferred = names.get("winner", "preferred")
    if out is not None:
        # called as in the file of answers, so that both are read alike
        called = {name: names[name] for name in ("topic", "left", "right") if name in names}
        frame = guarded(pairs.to_frame(), ("topic", "left", "right"))
        write_frame(frame.rename(columns={**called, "preferred": preferred}), out)
    if as_json:
        print_json({"pairs": pairs.pairs, "topics": pairs.topics})
        return
    print(pairs.summary())
    if out is None:
        print_frame(pairs.pairs)
    else:
        print(
            f"{out}: write left, right or tie to `{preferred}`; then regrade pairs "
            f"{shlex.join(again)}"
        )

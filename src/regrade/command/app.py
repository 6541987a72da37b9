"""The commands: what each is given, the one library call, what it prints."""

from __future__ import annotations

import inspect
import logging
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from regrade import __version__
from regrade.calibration import stage as calibration_stage
from regrade.command.arguments import (
    Inputs,
    columns_of,
    file_and_columns,
    inputs,
    numbers_of,
    scale_of,
    sets_of,
    where_of,
)
from regrade.command.options import takes_options
from regrade.command.places import Commands, advice_now
from regrade.command.progress import told_while_long
from regrade.errors import InputError, ParameterError, RegradeError, check_choice
from regrade.estimation import stage as estimation_stage
from regrade.evaluations import stage as evaluations_stage
from regrade.magnitudes import stage as magnitudes_stage
from regrade.pools import stage as pools_stage
from regrade.power import stage as power_stage
from regrade.preferences import stage as preferences_stage
from regrade.ranking import stage as ranking_stage
from regrade.tied_scores import stage as ties_stage
from regrade.uncertainty import stage as uncertainty_stage

FOUND = 3
"""The exit code of a command that was asked to fail at what it finds."""

app = Commands(
    name="regrade",
    help="Would the evaluation have come out differently?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measures",
        help="As ir_measures writes them, blanks between; by default some that fit the labels.",
    ),
]
Columns = Annotated[
    str | None, typer.Option(help="What the file calls our columns: topic=qid,grade=rel.")
]
Where = Annotated[
    str | None, typer.Option(help="Rows of a file with named columns to read: status=Accepted.")
]
ModelWhere = Annotated[
    str | None, typer.Option(help="Rows of the models' files to read: worker=gpt-4o.")
]
Missing = Annotated[
    str, typer.Option(help="Rows of named columns without a value: refuse, or drop.")
]
OffScale = Annotated[
    str, typer.Option(help="Rows whose values are off the scale: refuse, or drop.")
]
BelowZero = Annotated[
    str, typer.Option(help="What grades below 0 mean: trec, junk, unjudged or sampled-out.")
]
Scale = Annotated[
    str | None, typer.Option(help="Of the labels: 4 (0 to 3), 0:1, 0:5:0.1, or N,R,H in order.")
]
TieBreak = Annotated[
    str,
    typer.Option(
        help="Documents of one score of a run: by rank, or line, as the run has them; or as "
        "trec_eval has them."
    ),
]
TableOut = Annotated[
    str | None,
    typer.Option(help="Write that table, or the main one (.parquet, .csv, …)."),
]
Groups = Annotated[str | None, typer.Option(help="A file of lines: run-tag group.")]
RUNS = "Runs: TREC, CSV, TSV, JSON lines (compressed too); files, globs, folders; - for stdin."
ComparedRuns = Annotated[list[str] | None, typer.Option("--runs", "-r", help=RUNS)]
JudgeSets = Annotated[
    list[str],
    typer.Argument(help="Judges: gpt=FILE …, a folder; or judgments, each worker a judge."),
]
QRELS = "Labels: TREC qrels, or CSV, TSV, JSON lines, Parquet with columns; irds:<id>; - for stdin."


def one_of_tables(*stages: str, only: str = "") -> typer.models.OptionInfo:
    """The option that prints one of the tables that stages make, or of `only` some of them."""
    from regrade.catalogue import tables_of

    names = dict.fromkeys(path.rpartition("/")[2] for one in stages for path in tables_of(one))
    held = [name for name in names if not only or name in only.split()]
    return typer.Option(help=f"Print that table instead: {', '.join(held)}.")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"regrade {__version__}")
        raise typer.Exit


@app.callback()
def every_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Which one this is."
        ),
    ] = False,
) -> None:
    """Would the evaluation have come out differently?"""


def _check_measures(measures: str | None) -> None:
    """Refuse what is no measure before any file is read."""
    if measures:
        from regrade.api.sets import measures_for
        from regrade.measures import parse_all

        parse_all(measures_for(measures, (), ()))


def with_errors_as_messages(function: Callable) -> Callable:
    """A command whose errors are one message and exit code 1; each of several ``-m`` counts."""

    @wraps(function)
    def command(*arguments: object, **options: object) -> None:
        if options.get("measures"):
            options["measures"] = " ".join(options["measures"])
        with inputs() as command_inputs:
            _INPUTS.append(command_inputs)
            try:
                _check_measures(options.get("measures"))
                function(*arguments, **options)
            except RegradeError as error:
                said = advice_now() or command_inputs.with_names(str(error))
                print(f"regrade: {said}", file=sys.stderr)
                raise typer.Exit(1) from None
            except KeyboardInterrupt:
                print("regrade: interrupted", file=sys.stderr)
                raise typer.Exit(130) from None
            except BrokenPipeError:  # whoever reads has enough, as `head` does
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(141) from None
            except OSError as error:  # of a file to be written; readers say what they cannot read
                where = f"{error.filename}: " if error.filename else ""
                print(f"regrade: {where}{error.strerror or error}", file=sys.stderr)
                raise typer.Exit(1) from None
            finally:
                _INPUTS.pop()

    return command


READING = {
    "scale": (Scale, None),
    "columns": (Columns, None),
    "where": (Where, None),
    "missing": (Missing, "refuse"),
    "off_scale": (OffScale, "refuse"),
    "below_zero": (BelowZero, "trec"),
    "tie_break": (TieBreak, "rank"),
}
"""Options of how files of labels and runs are read: what they are, and their defaults."""


def reading(*names: str) -> Callable[[Callable], Callable]:
    """Give a command these options, all without names, in place of its parameter ``how``.

    The command gets them there, as they were written, for `labels_of` and `read_runs`.
    """
    names = names or tuple(READING)

    def decorated(function: Callable) -> Callable:
        @wraps(function)
        def command(**options: object) -> None:
            how = {name: options.pop(name) for name in names}
            function(**options, how=how)

        signature = inspect.signature(function, eval_str=True)
        own = [_option(name) for name in names]
        parameters = [
            new
            for old in signature.parameters.values()
            for new in (own if old.name == "how" else [old])
        ]
        command.__signature__ = signature.replace(parameters=parameters)
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return decorated


def _option(name: str) -> inspect.Parameter:
    kind, default = READING[name]
    parameter = inspect.Parameter
    return parameter(name, parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)


_INPUTS: list[Inputs] = []
"""What the running command was given, last; a test may run one within another."""


def path(text: str) -> str:
    """The path of a file that the running command was given."""
    return _INPUTS[-1].path(text)


def labels_of(text: str, read: str = "qrels", *, one_scale: bool = False, **how: str | None):
    """Labels (``qrels``), ``judgments``, or either (``set``) that the running command was given.

    `how` are the options of `READING` as they were written; with `one_scale`, rows on several
    scales are refused.
    """
    from regrade.api import sets

    file, own = file_and_columns(text)
    where = where_of(how.get("where"))
    columns = {**(columns_of(how.get("columns")) or {}), **own} or None
    rules = {} if read == "judgments" else {"below_zero": how.get("below_zero") or "trec"}
    found = getattr(sets, f"read_{read}")(
        path(file),
        **rules,
        scale=scale_of(how.get("scale")),
        columns=columns,
        where=where,
        missing=how.get("missing") or "refuse",
        off_scale=how.get("off_scale") or "refuse",
    )
    if not Path(file).is_file():
        return found
    return replace(found, mixed=_mixed_rows(file, where, columns, one_scale=one_scale))


_LEAVING = ("missing", "off_scale", "below_zero")


def _reference(text: str, how: Mapping):
    """Labels beside what a command is about, on a scale and with columns of their own.

    Levels by the names that the command was told in order are read as these.
    """
    scale, own = how.get("scale"), {key: how.get(key) for key in _LEAVING}
    try:
        return labels_of(text, **own)
    except InputError:
        named = scale_of(scale)
        if not isinstance(named, list) or not any(isinstance(name, str) for name in named):
            raise
        return labels_of(text, scale=scale, **own)


def _beside(reference, how: Mapping, read: Callable[[Mapping], object]):
    """What is read, on a scale of its own where names of levels are the reference's alone."""
    try:
        return read(how)
    except InputError as error:
        stated = reference and reference.stated_scale
        if not (stated and stated.names):
            raise
        try:
            return read({**how, "scale": None})
        except InputError:
            raise error from None


def _by_named_columns(texts: Sequence[str], how: Mapping) -> list[Mapping]:
    """How each of some files is read: by columns, where only some have names for these, those."""
    from regrade.readers.formats import headed_format

    if not (how["where"] or how["columns"]):
        return [how for _ in texts]
    files = [path(file_and_columns(text)[0]) for text in texts]
    named = [not Path(one).is_file() or headed_format(one) is not None for one in files]
    plain = {**how, "where": None, "columns": None}
    return [how if one or not any(named) else plain for one in named]


def _mixed_rows(file: str, *told: Mapping | None, one_scale: bool = False) -> str:
    """That rows are read together that a configuration would tell apart; else empty.

    Those on several scales are refused where all have to be on one.
    """
    from regrade.command.given_files import mixed_rows

    return mixed_rows(Path(file), *told, one_scale=one_scale)


def read_runs(
    texts: list[str], groups: str | None = None, *, tie_break: str = "rank", **_: str | None
):
    """The runs that the running command was given; of `READING` only ``tie_break`` is of them.

    trec_eval takes scores for equal that single precision does not tell apart.
    """
    from regrade.api.sets import read_runs as read

    _refuse_measures(texts)
    precision = "float32" if tie_break == "trec_eval" else "float64"
    rules = {"tie_break": tie_break, "score_precision": precision}
    return read(_INPUTS[-1].paths(texts), groups=_groups(groups), **rules)


def _refuse_measures(texts: list[str]) -> None:
    """Refuse measures among the files, which a shell passes on where no quotes join them."""
    from regrade.measures import parse_all

    for text in texts:
        if not Path(text).exists():
            try:
                parse_all([text])
            except RegradeError:
                continue
            raise ParameterError(
                f"{text}: there is no such file; measures stand together, as in -m 'nDCG@10 AP'"
            )


def _groups(name: str | None) -> dict[str, str] | None:
    if name is None:
        return None
    from regrade.readers.groups import group_of_systems

    return group_of_systems(path(name))


@app.command()
@with_errors_as_messages
def look(
    files: Annotated[list[str], typer.Argument(help="Any: runs, labels, judgments, preferences.")],
    json: Json = False,
) -> None:
    """What are these files, how would they be read, and what can be asked with them?

    Example: regrade look qrels.txt runs model.csv
    """
    from regrade.api.look import look as looked
    from regrade.command.output import print_json

    found = looked([_INPUTS[-1].path(file) for file in files])
    if json:
        seen = {"files": [one.to_dict() for one in found.files], "commands": found.commands}
        print_json(seen)
    else:
        print(_INPUTS[-1].with_names(found.summary()))
    for one in found.files:
        if one.kind == "judgments" and (mixed := _mixed_rows(one.file)):
            logging.getLogger("regrade.command").warning("%s: %s", one.file, mixed)
    if any(one.problem for one in found.files):
        raise typer.Exit(1)


@app.command()
@with_errors_as_messages
@reading()
def score(
    qrels: Annotated[str, typer.Argument(help=QRELS)],
    runs: Annotated[list[str], typer.Argument(help=RUNS)],
    measures: Measures = None,
    others: Annotated[
        list[str] | None,
        typer.Option(help="A further set that measures name: cred=FILE for NLRE(second=cred)@5."),
    ] = None,
    per_topic: Annotated[bool, typer.Option("-q", "--per-topic", help="Each topic too.")] = False,
    format: Annotated[
        str, typer.Option(help="ir_measures, trec_eval, table, csv, jsonl or parquet (with --out).")
    ] = "ir_measures",
    out: Annotated[str | None, typer.Option(help="Write every score there.")] = None,
    unranked: Annotated[
        str, typer.Option(help="Judged topics that a run lacks: zero, or omit them from its mean.")
    ] = "zero",
    how: Mapping | None = None,
    json: Json = False,
) -> None:
    """Score runs under labels.

    Example: regrade score qrels.txt runs/*.gz -m "AP nDCG@10" -q
    """
    from regrade.api.scores import score as scored
    from regrade.command.output import FORMATS, print_frame, print_json, score_lines
    from regrade.writers import write_frame

    check_choice("format", format, FORMATS)
    if format == "parquet" and out is None:
        raise RegradeError("format parquet is not for a terminal: say where, --out scores.parquet")
    labels = labels_of(qrels, **how)
    further = {name: _reference(file, how) for name, file in sets_of(others or []).items()}
    found = scored(labels, read_runs(runs, **how), measures, others=further, unranked=unranked)
    frame = found.to_frame()[["system", "topic", "measure", "value"]]
    if out is not None:
        write_frame(frame, out)
        if format == "parquet":
            return
    means = frame.groupby(["system", "measure"], sort=False)["value"].mean().reset_index()
    shown = frame if per_topic else means
    if json:
        print_json(shown)
    elif format == "table":
        print_frame(found.means().reset_index())
    elif format == "csv":
        print(shown.to_csv(index=False), end="")
    elif format == "jsonl":
        print(shown.to_json(orient="records", lines=True), end="")
    else:
        print(score_lines(frame, format, per_topic))


@app.command()
@with_errors_as_messages
@reading()
@takes_options(ranking_stage.Ranking)
def rank(
    qrels: Annotated[str, typer.Argument(help=QRELS)],
    runs: Annotated[list[str], typer.Argument(help=RUNS)],
    measures: Measures = None,
    judges: Annotated[
        list[str] | None, typer.Option(help="Labels by another judge: gpt=FILE; several times.")
    ] = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[str | None, one_of_tables("ranking")] = None,
    out: TableOut = None,
    json: Json = False,
) -> None:
    """Which system is best, and how sure is that?

    Example: regrade rank qrels.txt runs/*.gz -m nDCG@10 --table systems
    """
    from regrade.api.ranking import rank as ranked
    from regrade.command.output import print_result

    labels = labels_of(qrels, **how)
    own = {**how, "scale": None, "columns": None}
    further = {
        name: labels_of(file, **own) for name, file in sets_of(judges or [], "judges").items()
    }
    found = ranked(labels, read_runs(runs, **how), measures, judges=further, **options)
    print_result(found, table, json, out)


@app.command()
@with_errors_as_messages
@reading()
@takes_options(evaluations_stage.Compare)
def compare(
    first: Annotated[str, typer.Argument(help=f"The first set. {QRELS}")],
    second: Annotated[str, typer.Argument(help="The second set, likewise; or judgments.")],
    runs: ComparedRuns = None,
    measures: Measures = None,
    how: Mapping | None = None,
    groups: Groups = None,
    options: Mapping | None = None,
    fail_if: Annotated[
        str | None,
        typer.Option(help="Exit code 3 if a pair is changed (a label, without runs), or the best."),
    ] = None,
    table: Annotated[str | None, one_of_tables("compare", "compare_systems")] = None,
    out: TableOut = None,
    json: Json = False,
) -> None:
    """Would the evaluation have come out differently under another set of judgments?

    Example: regrade compare qrels.txt model.qrels --runs "runs/*.gz" -m nDCG@10 --table pairs
    """
    from regrade.answers.words import by_quantity
    from regrade.api.comparison import compare as compared
    from regrade.command.output import print_result

    sets = [
        labels_of(one, "set", **own).on_levels()
        for one, own in zip((first, second), _by_named_columns((first, second), how), strict=True)
    ]
    found = compared(
        *sets,
        read_runs(runs, groups, **how) if runs else None,
        measures,
        **options,
    )
    print_result(found, table, json, out)
    if table is None and out is None and not json and not by_quantity(found.facts)["same scale"]:
        print(_how_to_cut((first, second), sets), end="")
    if fail_if is not None and found.finds(fail_if):
        print(f"regrade: {fail_if}: exit code {FOUND} (--fail-if)", file=sys.stderr)
        raise typer.Exit(FOUND)


def _how_to_cut(files: Sequence[str], sets: Sequence) -> str:
    """The command that brings one of two sets on the scale of the other, where one is finer."""
    from regrade.evaluations.cut_labels import FINER, Judge
    from regrade.scales import MAX_LEVELS

    for (finer, coarser), (source, reference) in ((files, sets), (files[::-1], sets[::-1])):
        scale = reference.likely_scale
        levels = scale.levels or 0
        if not 2 <= levels <= MAX_LEVELS or not scale.is_levels(levels):
            continue
        if Judge(source.name, source.table, source.likely_scale).relation(levels) == FINER:
            words = [
                "regrade",
                "cut",
                finer,
                "-k",
                f"{levels}",
                "-r",
                coarser,
                "--out",
                "cut.qrels",
            ]
            return f"To compare them on one scale, cut {source.name}: {shlex.join(words)}\n"
    return ""


def _judges_held(reference: str, sets: list[str], runs: list[str] | None, **how: str | None):
    """The reference, the judges, and the runs if there are any."""
    ranked = read_runs(runs, **how) if runs else None
    labels = _reference(reference, how)
    return labels, _beside(labels, how, lambda how: _judges(sets, **how)), ranked


def _judges(sets: list[str], **how: str | None):
    """Judges by name, or as files, globs and folders of theirs are called; or judgments."""
    from regrade.readers.sources import files_of

    # what has a name, or columns of its own, is one file
    files = ([text] if "=" in text else map(str, files_of(text)) for text in sets)
    sets = [*chain.from_iterable(files)]
    has_name = ["=" in text.partition(":")[0] for text in sets]
    if has_name == [False]:
        return labels_of(sets[0], "set", **how)
    named = sets_of([t for t, has in zip(sets, has_name, strict=True) if has], "sets")
    found = {name: labels_of(file, "set", **how) for name, file in named.items()}
    for text in (t for t, has in zip(sets, has_name, strict=True) if not has):
        one = labels_of(text, "set", **how)
        if one.name in found:
            raise ParameterError(f"sets: two are called '{one.name}': name one, as in mine={text}")
        found[one.name] = one
    return found


@app.command()
@with_errors_as_messages
@reading()
@takes_options(evaluations_stage.Judges)
def judges(
    reference: Annotated[str, typer.Argument(help=f"On 2 to 4 levels. {QRELS}")],
    sets: JudgeSets,
    runs: ComparedRuns = None,
    measures: Measures = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[str | None, one_of_tables("judges", "judges_and_systems")] = None,
    json: Json = False,
) -> None:
    """Which judge is best, and what does each change?

    Example: regrade judges qrels.txt gpt=gpt.qrels llama=llama.csv --runs "runs/*.gz"
    """
    from regrade.api.judges import judges as judged
    from regrade.command.output import print_frame, print_result

    held = _judges_held(reference, sets, runs, **how)
    found = judged(*held, measures, **options)
    print_result(found, table, json)
    told = found.ranked.dropna(axis="columns", how="all")
    if table is None and not json and {"alpha", "tau"} & {*told}:
        print_frame(told)


@app.command()
@with_errors_as_messages
@reading()
@takes_options(calibration_stage.Calibration)
def calibrate(
    reference: Annotated[str, typer.Argument(help=f"Labels by people. {QRELS}")],
    sets: JudgeSets,
    runs: ComparedRuns = None,
    measures: Measures = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[str | None, one_of_tables("calibration")] = None,
    json: Json = False,
) -> None:
    """Is a cut of the values enough, and what do they say of grades?

    Example: regrade calibrate qrels.txt gpt=gpt.csv --runs runs --table sets
    """
    from regrade.api.calibration import calibrate as calibrated
    from regrade.command.output import print_result

    held = _judges_held(reference, sets, runs, **how)
    print_result(calibrated(*held, measures, **options), table, json)


@app.command()
@with_errors_as_messages
@reading()
def cut(
    judgments: Annotated[str, typer.Argument(help=f"What to cut. {QRELS}")],
    levels: Annotated[int, typer.Option("--levels", "-k", help="Of the target scale.")] = 2,
    reference: Annotated[
        str | None, typer.Option("--reference", "-r", help="Labels 0 … levels − 1 to agree with.")
    ] = None,
    runs: Annotated[list[str] | None, typer.Option(help="What the cut does to them.")] = None,
    measures: Measures = None,
    method: Annotated[str | None, typer.Option(help="Whose best cut to apply.")] = None,
    per_topic: Annotated[
        bool, typer.Option("-q", "--per-topic", help="Also a cut for each topic, for --out too.")
    ] = False,
    out: Annotated[
        str | None, typer.Option(help="Write the labels under it as qrels (or .csv, .tsv, …).")
    ] = None,
    how: Mapping | None = None,
    grid: Annotated[int | None, typer.Option(help="Thresholds to try at most.")] = None,
    resamples: Annotated[int, typer.Option(help="Draws of topics for intervals; 0: none.")] = 1000,
    json: Json = False,
) -> None:
    """Find where to cut a fine scale into levels: every cut, by every method that the data serve.

    Example: regrade cut model.csv --levels 4 --reference qrels.txt --out cut.qrels
    """
    from regrade.api.comparison import compare as compared
    from regrade.api.cuts import find_cuts
    from regrade.command.output import print_frame, print_json
    from regrade.measures import parse_all

    labels = None if reference is None else _reference(reference, how)
    source = _beside(labels, how, lambda how: labels_of(judgments, "set", one_scale=True, **how))
    cuts = find_cuts(source, levels, labels, grid=grid)
    chosen = cuts.best if method is None else cuts.of(method)
    result = {"methods": cuts.to_frame()}
    if resamples:
        result["intervals"] = cuts.intervals(resamples, methods=[chosen.method])
    if per_topic:
        result["per_topic"] = cuts.per_topic(chosen.method)
    applied = cuts.apply(method=chosen.method)
    if out is not None:
        cuts.apply(method=chosen.method, per_topic=per_topic).to_qrels(out)
    if runs and labels is None:
        raise RegradeError("--runs compares systems with those of --reference: give one")
    ranked = read_runs(runs, **how) if runs else None
    measures = measures or "nDCG@10"
    measure = parse_all(measures.split())
    asked = {"method": chosen.method, "resamples": resamples, "per_topic": per_topic}
    answer = cuts.answer(ranked, str(measure[0]), **asked)
    comparison = None
    if runs and json:
        comparison = compared(labels, applied, ranked, measures, same_scale=True)
    if json:
        tables = {} if comparison is None else {"comparison": comparison.tables}
        best = {"answer": answer.to_dict(), "best": list(chosen.thresholds)}
        print_json(best | result | tables)
        return
    print(answer)
    titles = {
        "methods": "methods: each one's best cut, its α on the topics that chose it",
        "intervals": f"intervals of {chosen.method}: of the cut on the topics that chose it "
        "(in_sample), of cuts on topics that did not (held_out); 95%",
        "per_topic": f"a cut for each topic by {chosen.method}: α on the documents that chose it, "
        "and on documents that did not (held_out); of the one cut for all (single)",
    }
    for name, frame in result.items():
        print_frame(frame.dropna(axis="columns", how="all"), titles[name])
    if out is not None:
        print(f"labels under it: {out}")


@app.command()
@with_errors_as_messages
@reading()
@takes_options(ties_stage.Ties)
def ties(
    runs: Annotated[list[str], typer.Argument(help=RUNS)],
    qrels: Annotated[str | None, typer.Option(help="Labels, to see what ties leave open.")] = None,
    measures: Measures = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[
        str | None,
        one_of_tables("ties"),
    ] = None,
    json: Json = False,
) -> None:
    """Does it matter how ties are broken? Without labels: how many ties there are.

    Example: regrade ties runs/*.gz --qrels qrels.txt -m AP
    """
    from regrade.api.tied_scores import ties as tied
    from regrade.command.output import print_frame, print_json, print_result

    labels = None if qrels is None else labels_of(qrels, **how)
    found = tied(read_runs(runs, **how), labels, measures, **options)
    if qrels is not None:
        print_result(found, table, json)
    elif json:
        print_json(found.tables)
    else:
        print_frame(found.rates, "ties")


@app.command()
@with_errors_as_messages
@reading()
@takes_options(uncertainty_stage.Ranges, residual=None)
def unjudged(
    qrels: Annotated[str, typer.Argument(help=QRELS)],
    runs: Annotated[list[str], typer.Argument(help=RUNS)],
    measures: Measures = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[str | None, one_of_tables("ranges")] = None,
    json: Json = False,
) -> None:
    """What could unjudged documents change?

    Example: regrade unjudged qrels.txt runs/*.gz -m nDCG@10 --table ranks
    """
    from regrade.api.unjudged import unjudged as found_unjudged
    from regrade.command.output import print_result

    labels = labels_of(qrels, **how)
    print_result(found_unjudged(labels, read_runs(runs, **how), measures, **options), table, json)


@app.command()
@with_errors_as_messages
@reading()
@takes_options(pools_stage.Pools)
def pool(
    runs: Annotated[list[str], typer.Argument(help=RUNS)],
    depth: Annotated[
        int | None,
        typer.Option(help="Documents of each ranking, 10; how deep it need be: the deepest."),
    ] = None,
    method: Annotated[str, typer.Option(help="Depth, or a way to fuse, such as RRF.")] = "Depth",
    size: Annotated[int | None, typer.Option(help="Documents of a fused pool.")] = None,
    qrels: Annotated[
        str | None,
        typer.Option(help="Labels: how deep need the pool be? With --out, to reduce to the pool."),
    ] = None,
    measures: Measures = None,
    out: Annotated[str | None, typer.Option(help="Where the pool, or the qrels, go.")] = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[str | None, one_of_tables("pools")] = None,
    json: Json = False,
) -> None:
    """How deep need the pool be? Or pool the first documents of runs; reduce labels to these.

    Example: regrade pool runs/*.gz --qrels qrels.txt
    """
    from regrade.api.pools import pool as pooled
    from regrade.api.pools import pool_depths
    from regrade.command.output import print_frame, print_json, print_result
    from regrade.writers import write_frame

    labels = None if qrels is None else labels_of(qrels, **how)
    if labels is not None and out is None:
        rules = {**options, "baseline": options["baseline"] or depth}
        found = pool_depths(labels, read_runs(runs, **how), measures=measures, **rules)
        print_result(found, table, json)
        return
    found = pooled(read_runs(runs, **how), 10 if depth is None else depth, method=method, size=size)
    reduced = None if labels is None else found.reduce(labels)
    if reduced is not None:
        reduced.to_qrels(out)
    elif out is not None:
        write_frame(found.to_frame(), out)
    if json:
        print_json({"sizes": found.sizes.reset_index(), "documents": found.to_frame()})
        return
    print(repr(found)[1:-1])
    if reduced is not None:
        print(repr(reduced)[1:-1])
    if out is None:
        print_frame(found.sizes.reset_index())


@app.command("leave-one-out")
@with_errors_as_messages
@reading()
@takes_options(pools_stage.LeaveOneOut)
def leave_one_out(
    qrels: Annotated[str, typer.Argument(help=QRELS)],
    runs: Annotated[list[str], typer.Argument(help=RUNS)],
    depth: Annotated[
        int | None,
        typer.Option(help="Of the pool; by default as deep as half of the systems are judged."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="run, group or origins; by default group with --groups, else run."),
    ] = None,
    groups: Groups = None,
    origins: Annotated[
        str | None, typer.Option(help="A file of whose runs brought which document.")
    ] = None,
    measures: Measures = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[str | None, one_of_tables("leave_one_out")] = None,
    json: Json = False,
) -> None:
    """Can new systems be evaluated with this pool? Each is scored as if it had not been pooled.

    Example: regrade leave-one-out qrels.txt runs/*.gz --depth 100 --groups groups.txt
    """
    from regrade.api.pools import leave_one_out as left_out
    from regrade.command.output import print_result

    if by == "group" and groups is None:
        raise ParameterError("--by group needs groups: add --groups FILE (lines: run-tag group)")
    if by == "run" and groups is not None:
        raise ParameterError("--by run takes no groups: leave out --by run, or --groups")
    labels = labels_of(qrels, **how)
    given = {"by": by, "groups": _groups(groups), "measures": measures}
    given["origins"] = None if origins is None else path(origins)
    found = left_out(labels, read_runs(runs, **how), depth, **given, **options)
    print_result(found, table, json)


def _aim_of(text: str) -> str | int:
    """A number of first systems, or a word."""
    return int(text) if text.isdecimal() else text


@app.command()
@with_errors_as_messages
@reading("missing", "tie_break")
def assign(
    runs: Annotated[
        str,
        typer.Argument(
            help="Runs: a file, a folder, or a glob in quotes; left out: of labels alone."
        ),
    ],
    budget: Annotated[
        float,
        typer.Option(help="How many documents people shall label; with costs, what that costs."),
    ],
    models: Annotated[
        list[str] | None, typer.Argument(help=f"Labels by a model, or several. {QRELS}")
    ] = None,
    measures: Measures = None,
    scale: Scale = None,
    model_where: ModelWhere = None,
    after: Annotated[
        str | None, typer.Option(help="Labels before: choose a further batch by what they teach.")
    ] = None,
    aim: Annotated[
        str,
        typer.Option(help="all; after a batch also undecided, or which are the first so many: 1."),
    ] = "all",
    per_topic: Annotated[
        bool, typer.Option("-q", "--per-topic", help="The same budget for each topic.")
    ] = False,
    cost: Annotated[
        str | None, typer.Option(help="What each label costs, as qrels with costs for grades.")
    ] = None,
    how: Mapping | None = None,
    seed: Annotated[int, typer.Option(help="Of the choice.")] = 1,
    out: Annotated[
        str | None, typer.Option(help="Write the documents for people to fill in: ask.csv.")
    ] = None,
    json: Json = False,
) -> None:
    """Which documents shall people label, so that few labels beside a model's say most?

    Example: regrade assign runs model.qrels --budget 541 -m nDCG@10 --out ask.csv
    """
    from regrade.api.estimates import assign as assigned
    from regrade.command.output import print_frame, print_json

    of_models = [labels_of(one, where=model_where, **how) for one in models or [runs]]
    ranked = read_runs([runs], **how) if models else None
    rules = {
        "after": None if after is None else path(after),
        "aim": _aim_of(aim),
        "per_topic": per_topic,
        "cost": None if cost is None else labels_of(cost),
    }
    found = assigned(ranked, of_models, budget, measures, scale=scale_of(scale), seed=seed, **rules)
    if out is not None:
        found.to_csv(out)
    if json:
        print_json(found.documents)
        return
    print(found.summary())
    if out is not None:
        print(f"{out}: fill in `grade` where `chosen` is True, and keep the other rows")
    else:
        print_frame(found.documents[found.documents["chosen"]].drop(columns="chosen"))


@app.command()
@with_errors_as_messages
@reading("missing", "tie_break")
@takes_options(estimation_stage.Estimates, several=None)
def estimate(
    labels: Annotated[str, typer.Argument(help="What `assign` wrote, filled in by people.")],
    models: Annotated[list[str], typer.Argument(help=f"Labels by a model, or several. {QRELS}")],
    runs: Annotated[
        list[str] | None, typer.Option("--runs", "-r", help=f"{RUNS} Without: of labels alone.")
    ] = None,
    measures: Measures = None,
    scale: Scale = None,
    columns: Columns = None,
    where: Where = None,
    model_where: ModelWhere = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    settled: Annotated[
        str | None,
        typer.Option(help="Stop or go on? Which are the first so many: 1; or undecided pairs."),
    ] = None,
    table: Annotated[str | None, one_of_tables("estimates", "estimated_systems")] = None,
    out: TableOut = None,
    json: Json = False,
) -> None:
    """What would full judging have said, from few labels by people and many by a model?

    Example: regrade estimate ask.csv model.qrels --runs runs -m nDCG@10 --table systems
    """
    from regrade.api.estimates import estimate as estimated
    from regrade.api.estimates import read_sample
    from regrade.command.output import print_json, print_result

    own = {"scale": scale, "columns": columns, "where": where}
    if options["budget"] is None:
        file, names = file_and_columns(labels)
        own |= {"scale": scale_of(scale), "where": where_of(where)}
        own["columns"] = {**(columns_of(columns) or {}), **names} or None
        people = read_sample(path(file), **own)
    else:
        people = labels_of(labels, **own, **how)
    of_models = [labels_of(one, where=model_where, **how) for one in models]
    ranked = read_runs(runs, **how) if runs else None
    found = estimated(people, of_models, ranked, measures, **options)
    if settled is None:
        print_result(found, table, json, out)
        return
    said = found.settled(_aim_of(settled))
    if json:
        print_json(said.to_frame())
    else:
        print(said.summary())


@app.command()
@with_errors_as_messages
def design(
    qrels: Annotated[str, typer.Argument(help=f"The pool, some of it graded. {QRELS}")],
    relevant: Annotated[str, typer.Option(help="Grades known to be relevant, best first.")] = "1",
    not_relevant: Annotated[str, typer.Option(help="Grades known not to be.")] = "0",
    size: Annotated[int, typer.Option(help="Documents of a group.")] = 8,
    partners: Annotated[int, typer.Option(help="Partners of a document in its group.")] = 3,
    judges: Annotated[int, typer.Option(help="Workers of each unit.")] = 3,
    share: Annotated[float, typer.Option(help="Of other documents that each shall meet.")] = 0.15,
    seed: Annotated[int, typer.Option(min=0, help="Of all draws.")] = 1,
    out: Annotated[str | None, typer.Option(help="Write the pairs (.csv, .jsonl, …).")] = None,
    columns: Columns = None,
    json: Json = False,
) -> None:
    """Design pairs of documents to ask people about.

    Example: regrade design qrels.txt --relevant 2,1 --not-relevant 0 --out pairs.csv
    """
    from regrade.command.output import print_frame, print_json
    from regrade.preferences.design import Task, design_tasks, known_roles
    from regrade.writers import write_frame

    labels = labels_of(qrels, columns=columns).table
    grades = numbers_of(relevant, "relevant"), numbers_of(not_relevant, "not-relevant")
    roles = known_roles(labels, labels, *grades, seed)
    task = Task(size=size, partners=partners, judges=judges, share=share)
    made = design_tasks(roles, task, seed)
    if out is not None:
        write_frame(made.pairs, out)
    if json:
        print_json({"topics": made.topics, "pairs": made.pairs})
    else:
        print_frame(made.topics)


@app.command()
@with_errors_as_messages
@reading("missing")
@takes_options(power_stage.Power)
def pdp(
    qrels: Annotated[list[str], typer.Argument(help=f"Sets to hold side by side. {QRELS}")],
    preferences: Annotated[str, typer.Option("--preferences", "-p", help="Of people.")],
    runs: ComparedRuns = None,
    measures: Measures = None,
    format: Annotated[
        str | None, typer.Option(help="Of preferences: pair-winner or winner-loser.")
    ] = None,
    per_topic: Annotated[bool, typer.Option("-q", "--per-topic", help="Each topic too.")] = False,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[
        str | None,
        one_of_tables(
            *("power", "power_and_systems", "power_of_levels", "power_of_levels_and_systems")
        ),
    ] = None,
    json: Json = False,
) -> None:
    """How well do labels tell apart what people prefer? (Pairwise discriminative power.)

    Example: regrade pdp qrels.txt model.qrels -p preferences.tsv --format pair-winner
    """
    from regrade.api.power import pdp as powers
    from regrade.command.output import print_frame, print_result

    sets = [labels_of(one, "set", **how) for one in qrels]
    ranked = read_runs(runs) if runs else None
    found = powers(sets, path(preferences), ranked, measures, format=format, **options)
    if per_topic and table is None:
        table = "topics"
    print_result(found, table, json)
    if table is None and not json:
        print_frame(found.ranked.dropna(axis="columns", how="all"))


@app.command()
@with_errors_as_messages
@reading("scale", "columns", "where", "missing", "off_scale")
def workers(
    judgments: Annotated[str, typer.Argument(help="Judgments, with a column of workers.")],
    reference: Annotated[
        str | None, typer.Option("--reference", "-r", help=f"Test questions. {QRELS}")
    ] = None,
    how: Mapping | None = None,
    table: Annotated[str | None, one_of_tables("workers")] = None,
    json: Json = False,
) -> None:
    """Are the workers any good, and whom to drop?

    Example: regrade workers judgments.tsv --reference gold.qrels --table workers
    """
    from regrade.api.workers import workers as checked
    from regrade.command.output import print_result

    labels = None if reference is None else _reference(reference, how)
    held = _beside(
        labels, how, lambda how: labels_of(judgments, "judgments", one_scale=True, **how)
    )
    print_result(checked(held, labels), table, json)


@app.command()
@with_errors_as_messages
@reading("columns", "where", "missing", "tie_break")
@takes_options(magnitudes_stage.Magnitudes)
def magnitudes(
    judgments: Annotated[str, typer.Argument(help="Magnitudes, with columns of workers, units.")],
    qrels: Annotated[list[str], typer.Argument(help=f"Labels on levels. {QRELS}")],
    runs: Annotated[list[str] | None, typer.Option("--runs", help=RUNS)] = None,
    measures: Measures = None,
    options: Mapping | None = None,
    how: Mapping | None = None,
    table: Annotated[
        str | None,
        one_of_tables(
            "magnitudes", "magnitudes_and_labels", "magnitudes_answer", "magnitudes_and_systems"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """What are magnitudes worth as gains?

    Example: regrade magnitudes magnitudes.tsv qrels.txt --runs runs --table gain_profiles
    """
    from regrade.api.magnitudes import magnitude_gains
    from regrade.command.output import print_result

    found = magnitude_gains(
        labels_of(judgments, "judgments", **how),
        [_reference(one, how) for one in qrels],
        read_runs(runs, **how) if runs else None,
        measures,
        **options,
    )
    print_result(found, table, json)


def _answers(files: Sequence[str], names: Mapping[str, str], format: str | None, missing: str):
    """The answers of all files together; the format is of those without named columns."""
    import pyarrow as pa

    from regrade.api.pairs import read_preferences
    from regrade.readers.formats import headed_format

    found = []
    for one in map(path, files):
        is_headed = len(files) > 1 and headed_format(one, names) is not None
        own = {"columns": names or None, "format": None if is_headed else format}
        found.append(read_preferences(one, **own, missing=missing))
    return pa.concat_tables(found)


@app.command()
@with_errors_as_messages
@takes_options(preferences_stage.Pairs, seconds=0)
def pairs(
    preferences: Annotated[
        list[str],
        typer.Argument(help="Answers, of one file or several: topic, two documents, the winner."),
    ],
    format: Annotated[
        str | None, typer.Option(help="pair-winner or winner-loser, without named columns.")
    ] = None,
    method: Annotated[str, typer.Option(help="Of the scores of documents.")] = "bradley-terry",
    next: Annotated[int, typer.Option(help="How many pairs to ask next; 0: tell the order.")] = 0,
    policy: Annotated[
        str,
        typer.Option(
            help="With --next: information, top (for the best ones), uncertainty, even, random."
        ),
    ] = "information",
    top: Annotated[int, typer.Option(help="With --policy top: how many best ones.")] = 10,
    documents: Annotated[
        str | None,
        typer.Option(
            help="With --next: further documents and topics, as qrels or topic and docno."
        ),
    ] = None,
    per_topic: Annotated[
        bool, typer.Option("-q", "--per-topic", help="With --next: so many for each topic.")
    ] = False,
    references: Annotated[
        list[str] | None, typer.Option(help=f"Beside which scores are held. {QRELS}")
    ] = None,
    runs: Annotated[
        list[str] | None, typer.Option(help=f"With --references: systems to rank. {RUNS}")
    ] = None,
    measures: Measures = None,
    options: Mapping | None = None,
    out: Annotated[
        str | None,
        typer.Option(help="Write the scores as qrels (or .csv, …); with --next the pairs."),
    ] = None,
    one_topic: Annotated[
        bool, typer.Option("--one-topic", help="All topics are one: an arena of systems.")
    ] = False,
    rescale: Annotated[
        str | None, typer.Option(help="With --out: none, topic (0 to 1 in each) or probability.")
    ] = None,
    columns: Columns = None,
    missing: Missing = "refuse",
    table: Annotated[
        str | None,
        one_of_tables(
            *("pairs", "pairs_and_workers", "pairs_and_labels", "pairs_and_systems"),
            *("pairs_and_partitions", "partitions_and_systems"),
        ),
    ] = None,
    json: Json = False,
) -> None:
    """What order do pairs give, is it consistent, and how many more are needed? Which ones next?

    Example: regrade pairs preferences.tsv --format pair-winner --table scores
    """
    from regrade.api.next_pairs import next_pairs
    from regrade.api.pairs import pairs as ordered
    from regrade.command.output import print_frame, print_json, print_result
    from regrade.readers.rows import guarded
    from regrade.writers import write_frame

    names = columns_of(columns) or {}
    if rescale is not None and (out is None or next):
        raise RegradeError("--rescale is how scores become labels: say where they go, --out FILE")
    read = _answers(preferences, names, format, missing)
    if next:
        if table is not None:
            raise RegradeError("--next makes pairs to ask, --table shows what is known: give one")
        rules = {"policy": policy, "top": top, "per_topic": per_topic, "seed": options["seed"]}
        further = None if documents is None else path(documents)
        asked = next_pairs(read, next, documents=further, **rules)
        if out is not None:
            # called as in the file of answers, so that both are read alike
            own = {"topic", "left", "right"} & names.keys()
            called = {name: names[name] for name in own}
            called["preferred"] = names.get("winner", "preferred")
            shown = guarded(asked.to_frame(), ("topic", "left", "right"))
            write_frame(shown.rename(columns=called), out)
        if json:
            print_json({"pairs": asked.pairs, "topics": asked.topics})
            return
        print(asked.summary())
        if out is None:
            print_frame(asked.pairs)
        else:
            words = [*preferences, out, "--missing", "drop"]
            for option, given in (("--format", format), ("--columns", columns)):
                words += [] if given is None else [option, given]
            print(
                f"{out}: write left, right or tie to `{called['preferred']}`; then regrade pairs "
                f"{shlex.join(words)}"
            )
        return
    if documents is not None:
        raise RegradeError("--documents may be asked about: say how many pairs, --next 50")
    labels = [labels_of(one) for one in references or ()]
    ranked = read_runs(runs) if runs else None
    options = {**options, "one_topic": one_topic}
    found = ordered(read, method, labels or None, ranked, measures, **options)
    if out is not None:
        found.to_labels(rescale).to_qrels(out)
    print_result(found, table, json)


@app.command()
@with_errors_as_messages
def init(
    files: Annotated[list[str], typer.Argument(help="Runs, labels, judgments, groups: any.")],
    out: Annotated[str | None, typer.Option(help="Where to; by default printed.")] = None,
    name: Annotated[
        str | None, typer.Option(help="Of the collection; by default that of the file, or mine.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Write a configuration for the files that you have, with comments.

    Example: regrade init runs/*.gz qrels.txt model.csv --out mine.yaml
    """
    from regrade.command.init import configuration
    from regrade.tables import atomic_path

    if out is not None and Path(out).exists() and not force:
        raise RegradeError(f"{out}: is there already: name another file, or replace it by --force")
    known_as = name or (Path(out).stem if out else "mine")
    text = configuration([path(one) for one in files], known_as)
    if out is None:
        print(text, end="")
        return
    with atomic_path(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"{out}: look at it, then: regrade run {out}")


@app.command()
@with_errors_as_messages
def run(
    config: Annotated[str, typer.Argument(help="A configuration; see config/README.md.")],
    targets: Annotated[list[str] | None, typer.Argument(help="Studies or files; all.")] = None,
    cores: Annotated[str, typer.Option(help="How many, or all.")] = "all",
    data: Annotated[str | None, typer.Option(help="What {data} stands for in paths.")] = None,
    directory: Annotated[str | None, typer.Option(help="Where results go.")] = None,
    snakefile: Annotated[str | None, typer.Option(help="Where the workflow is.")] = None,
    dry_run: Annotated[bool, typer.Option("-n", "--dry-run", help="Only say what.")] = False,
    force: Annotated[
        bool, typer.Option("-f", "--force", help="Make the files named anew; without names, all.")
    ] = False,
) -> None:
    """Run the workflow with a progress line, and the last error alone.

    Example: regrade run mine.yaml --cores 4
    """
    from regrade.command.workflow import run_workflow

    given = {"data": data, "directory": directory, "dry_run": dry_run, "force": force}
    raise typer.Exit(run_workflow(config, targets or [], cores, snakefile, **given))


@app.command()
@with_errors_as_messages
def demo(
    cores: Annotated[str, typer.Option(help="How many, or all.")] = "all",
    directory: Annotated[str | None, typer.Option(help="Where results go.")] = None,
    files: Annotated[
        str | None, typer.Option(help="Only write files to try the commands on, to this folder.")
    ] = None,
) -> None:
    """Run the workflow on data that come with the project: everything that it can show.

    Example: regrade demo --directory shown
    """
    from regrade.command.workflow import run_workflow, snakefile_of

    project = snakefile_of(None).parent
    if files is not None:
        from regrade.command.example_files import write_examples

        write_examples(project / "data" / "demo", Path(files))
        return
    config = project / "config" / "config.yaml"
    raise typer.Exit(run_workflow(str(config), [], cores, directory=directory))


@app.command()
@with_errors_as_messages
def sweep(
    config: Annotated[str, typer.Argument(help="A configuration with `sweeps`.")],
    name: Annotated[str | None, typer.Option(help="Say that sweep only.")] = None,
    cores: Annotated[str, typer.Option(help="How many, or all.")] = "all",
    data: Annotated[str | None, typer.Option(help="What {data} stands for in paths.")] = None,
    directory: Annotated[str | None, typer.Option(help="Where results go.")] = None,
    snakefile: Annotated[str | None, typer.Option(help="Where the workflow is.")] = None,
    table: Annotated[
        str | None, one_of_tables("sweep_levels", "sweep_part", "sweeps", "label_sweeps")
    ] = None,
    json: Json = False,
) -> None:
    """Every combination of choices: what holds in all, and which choice decides.

    Example: regrade sweep mine.yaml --table pairs
    """
    from regrade.answers.shape import Answer
    from regrade.catalogue import TABLES
    from regrade.command.output import print_frame, print_json
    from regrade.command.workflow import run_workflow, sweep_folders
    from regrade.tables import read_table

    folders = sweep_folders(config, snakefile, directory)
    if name is not None:
        check_choice("sweep", name, folders)
    which = table or "answer"
    wanted = [*folders] if name is None else [name]
    is_of_labels = {one: folders[one].parent.name == "label-sweeps" for one in wanted}
    kinds = {one: "label-sweeps" if labels else "sweeps" for one, labels in is_of_labels.items()}
    for kind in kinds.values():
        known = [path.partition("/")[2] for path in TABLES if path.startswith(f"{kind}/")]
        check_choice("table", which, known)
    rules = [*dict.fromkeys("swept_labels" if is_of_labels[one] else "swept" for one in wanted)]
    code = run_workflow(config, rules, cores, snakefile, data=data, directory=directory)
    if code:
        raise typer.Exit(code)
    for one in wanted:
        found = read_table(folders[one] / f"{which}.parquet", f"{kinds[one]}/{which}").to_pandas()
        if table is None:
            answer = Answer.of_frame(found)
            print_json(answer.to_dict()) if json else print(f"{one}\n{answer}")
        elif json:
            print_json(found)
        else:
            print_frame(found)


@app.command()
@with_errors_as_messages
def targets(
    config: Annotated[
        str | None, typer.Argument(help="A configuration; without one, the demo's.")
    ] = None,
    group: Annotated[str | None, typer.Option(help="List that group only, whole.")] = None,
    snakefile: Annotated[str | None, typer.Option(help="Where the workflow is.")] = None,
    json: Json = False,
) -> None:
    """List what `run` can be asked for: targets, tables, figures, labels.

    Example: regrade targets mine.yaml --group targets
    """
    from regrade.command.output import print_json, target_lines
    from regrade.command.workflow import targets as listed

    found = listed(config, snakefile)
    groups = list(dict.fromkeys(target["group"] for target in found["targets"]))
    if group is not None:
        check_choice("group", group, groups)
        found["targets"] = [one for one in found["targets"] if one["group"] == group]
        found["not asked for"] = {}
    if json:
        print_json(found)
    else:
        print("\n".join(target_lines(found, most=None if group else TARGETS_SHOWN)))


@app.command()
@with_errors_as_messages
def explain(
    key: Annotated[str, typer.Argument(help="A key of a configuration, or its end.")],
    snakefile: Annotated[str | None, typer.Option(help="Where the workflow is.")] = None,
) -> None:
    """What a key of a configuration means, its type, and its default.

    Example: regrade explain pools.depths
    """
    from regrade.command.workflow import ask_workflow

    print(ask_workflow("regrade.workflow.schemas.document", key, snakefile=snakefile), end="")


@app.command()
@with_errors_as_messages
def tables(
    name: Annotated[str | None, typer.Argument(help="A path, its last part, a folder.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The page of all.")] = False,
    json: Json = False,
) -> None:
    """What the tables of results hold: all in a line each, or some with their columns.

    Example: regrade tables best_cuts
    """
    from regrade.catalogue import dictionary

    if markdown:
        print(dictionary.markdown(), end="")
    elif json:
        from regrade.command.output import print_json

        print_json(list(map(asdict, dictionary.chosen(name))))
    elif name is None:
        print(dictionary.listing(dictionary.chosen(None)))
    else:
        print("\n\n".join(map(dictionary.in_full, dictionary.chosen(name))))


TARGETS_SHOWN = 12
"""How many of a group a list of all groups shows."""


class _OfPipes(logging.Formatter):
    """Messages with the names of pipes in place of where they were put."""

    def format(self, record: logging.LogRecord) -> str:
        """The message of a record."""
        said = super().format(record)
        return _INPUTS[-1].with_names(said) if _INPUTS else said


def main() -> None:
    """The entry point; what the library has to say goes to the standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OfPipes("regrade: %(message)s"))
    logging.getLogger("regrade").addHandler(handler)
    logging.getLogger("regrade.api").setLevel(logging.INFO)
    logging.getLogger("regrade.readers.shapes").setLevel(logging.INFO)
    if said := compiling_said(sys.argv[1:], Path(__file__).parents[1]):
        print(said, file=sys.stderr)
    with told_of(sys.argv[1:]):
        app()


OF_WORKFLOW = ("run", "demo", "sweep")
"""Commands that say themselves how far they are."""


def told_of(arguments: list[str]) -> AbstractContextManager:
    """While a command of these arguments takes long, it is said that it is at work."""
    command = next(iter(arguments), "")
    if command in OF_WORKFLOW:
        return nullcontext()
    return told_while_long(lambda: f"{command} is at work")


COMPUTING = ("score", "rank", "compare", "judges", "cut", "ties", "unjudged", "leave-one-out",
             "pool", "workers", "pdp", "pairs")  # fmt: skip
COMPILING = (
    "regrade: kernels are compiled when first used, some seconds each, and kept; "
    "`python -m regrade.kernels` compiles all of them once"
)


def compiling_said(arguments: list[str], library: Path) -> str:
    """What a command says before its first kernels are compiled; nothing where some are."""
    computes = bool(arguments) and arguments[0] in COMPUTING
    return COMPILING if computes and not any(library.glob("__pycache__/*.nbi")) else ""

"""How a command is declared: what files and options it takes, and how its result is printed."""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, get_args, get_origin

import click
from click.exceptions import Exit

import regrade
from regrade.argument_checks import Check, one_of
from regrade.catalogue import tables_of
from regrade.command.arguments import (
    STDIN,
    are_scores,
    columns_of,
    families_of_patterns,
    inputs,
    scale_of,
    where_of,
)
from regrade.command.places import FileCommand, advice_now
from regrade.errors import ParameterError, RegradeError
from regrade.stages.common import option_fields
from regrade.stages.declare import TYPES, Field, Stage
from regrade.stages.registry import stages

FOUND = 3
"""The exit code of a command that was asked to fail at what it finds."""


class _Built(UserDict):
    """Commands by name, each built of its declaration when it is first looked up."""

    def __getitem__(self, name: str) -> click.Command:
        one = self.data[name]
        if not isinstance(one, click.Command):
            one = self.data[name] = one()
        return one


class Commands(click.Group):
    """Commands in the order of their places, of which those are built that are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return sorted(self.commands, key=_PLACES.get)


_PLACES: dict[str, int] = {}
"""By command, where it stands among others."""


app = Commands(
    name="regrade",
    commands=_Built(),
    help="Would the evaluation have come out differently?",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)


@dataclass(frozen=True)
class Argument:
    """Of a command's parameter: it has no name on the command line."""

    help: str


class Option:
    """Of a command's parameter: how it is called on the command line; a number's least value."""

    def __init__(self, *names: str, help: str, least: int | None = None):
        self.names, self.help, self.least = names, help, least


@dataclass(frozen=True)
class Reads:
    """Of a command's parameter: what makes of the text that was written what the function gets."""

    read: Callable[[str], object]


@dataclass(frozen=True)
class Passes:
    """Of a command's parameter: a check of what no function of the library takes."""

    check: Check


# what many commands take -------------------------------------------------------------------------

RUNS = "Runs: TREC, CSV, TSV, JSON lines (or compressed); files, globs, folders; - for stdin."
QRELS = "Labels: TREC qrels, or CSV, TSV, JSON lines, Parquet with columns; irds:<id>; - for stdin."

Qrels = Annotated[str, Argument(help=QRELS)]
Ranked = Annotated[list[str], Argument(help=RUNS)]
LABELS_OR_SCORES = f"{QRELS} Or scores by item, in place of labels and runs."
QrelsOrScores = Annotated[str, Argument(help=LABELS_OR_SCORES)]
RankedOrScores = Annotated[
    list[str] | None, Argument(help=f"{RUNS} Beside scores, further files of scores.")
]
RankedIfAny = Annotated[list[str] | None, Option("--runs", "-r", help=RUNS)]
JudgeSets = Annotated[
    list[str],
    Argument(
        help="Judges: gpt=FILE …, or a folder; or judgments, in which each worker is a judge."
    ),
]
Measures = Annotated[
    list[str] | None,
    Option(
        "-m",
        "--measures",
        help="Measures in the notation of ir_measures, separated by spaces; by default "
        "measures that fit the scale of the labels.",
    ),
    Reads(" ".join),
]
Lower = Annotated[
    list[str] | None,
    Option(help="A measure of scores by item of which lower values are better; repeatable."),
]
Groups = Annotated[str | None, Option(help="A file with lines: run-tag group.")]
FamilyFile = Annotated[
    str | None, Option("--families", help="Families of runs, with lines: run-tag family.")
]
FamilyPatterns = Annotated[
    list[str] | None,
    Option("--family", help="A family by the names of its runs: gpt=*gpt*; repeatable."),
    Reads(families_of_patterns),
]
OwnFamilies = Annotated[
    list[str] | None,
    Option(
        "--own",
        help="A judge's own families, by judge: these pairs are also tested among themselves. "
        "gpt-4o-umbrela=gpt; repeatable.",
    ),
    Reads(partial(families_of_patterns, option="own")),
]
ModelWhere = Annotated[
    str | None,
    Option(help="Rows to read from the models' files: worker=gpt-4o."),
    Reads(where_of),
]
EachTopic = Annotated[bool, Option("-q", "--per-topic", help="Show each topic too.")]
Json = Annotated[bool, Option("--json", help="Print JSON.")]

Scale = Annotated[
    str | None,
    Option(help="Scale of the labels: 4 (0 to 3), 0:1, 0:5:0.1, or N,R,H from lowest to highest."),
    Reads(scale_of),
]
Columns = Annotated[
    str | None,
    Option(help="Names of our columns in the file: topic=qid,grade=rel."),
    Reads(columns_of),
]
Where = Annotated[
    str | None,
    Option(help="Rows to read from a file with named columns: status=Accepted."),
    Reads(where_of),
]
Missing = Annotated[str, Option(help="Rows without a value (named columns): refuse, or drop.")]
OffScale = Annotated[str, Option(help="Rows with values outside the scale: refuse, or drop.")]
BelowZero = Annotated[
    str, Option(help="Meaning of grades below 0: trec, junk, unjudged or sampled-out.")
]
TieBreak = Annotated[
    str,
    Option(
        help="Tie-breaking within runs: rank or line (the order of the run file), or trec_eval."
    ),
]
NotSelf = Annotated[
    bool, Option("--not-self", help="Remove documents whose identifier equals the topic's.")
]


def place(name: str, path: str) -> None:
    """Refuse a file that cannot be written."""
    folder = Path(path).parent
    if Path(path).is_dir():
        raise ParameterError(f"--{name} {path}: is a folder: name a file in it")
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "is not there: make it first"
        raise ParameterError(f"--{name} {path}: {folder} {what}")
    if not os.access(folder, os.W_OK):
        raise ParameterError(f"--{name} {path}: the folder {folder} is not writable")


def table_place(name: str, path: str) -> None:
    """Refuse a file in which no table can be written."""
    from regrade.writers import check_ending

    check_ending(path)
    place(name, path)


def answer_place(name: str, path: str) -> None:
    """Refuse a file in which neither a table nor an answer's table can be written."""
    from regrade.writers import PAPER_ENDINGS, check_ending

    check_ending(path, PAPER_ENDINGS)
    place(name, path)


def figure_place(name: str, path: str) -> None:
    """Refuse a file in which no figure can be saved."""
    if Path(path).suffix not in FIGURE_ENDINGS:
        raise ParameterError(f"--{name} {path}: figures are saved as {', '.join(FIGURE_ENDINGS)}")
    place(name, path)


FIGURE_ENDINGS = (".svg", ".pdf", ".png")

TableOut = Annotated[
    str | None,
    Option(
        help="Write the main table, or the table of --table (.csv, .parquet, …); .tex and .md "
        "write the answer's table."
    ),
    Passes(answer_place),
]

Plot = Annotated[
    str | None, Option(help="Save the answer's figure (.svg, .pdf or .png)."), Passes(figure_place)
]

Cite = Annotated[bool, Option("--cite", help="Print the method sentences for a paper instead.")]

READING = {
    "scale": (Scale, None),
    "columns": (Columns, None),
    "where": (Where, None),
    "missing": (Missing, "refuse"),
    "off_scale": (OffScale, "refuse"),
    "below_zero": (BelowZero, "trec"),
    "tie_break": (TieBreak, "rank"),
    "not_self": (NotSelf, False),
}
"""Options of how files of labels and runs are read: what they are, and their defaults."""

_PLAIN = {kind: of for of, kind in TYPES.items()}


def command(
    key: str = "",
    *,
    calls: str = "",
    reads: str = " ".join(READING),
    place: int = 100,
    **defaults: object,
) -> Callable[[Callable], Callable]:
    """Register a command, of a stage if that has a key; its errors are one message and exit code 1.

    Parameters of the function by these names are mappings of several options:

    ``how``
        Those of `READING` that `reads` names, as they were written.
    ``options``
        Those of the stage, read and checked.  Lists have commas between their values; what has
        parts is JSON.  `defaults` are other ones than those of the configuration.  An option that
        the function has as a parameter itself is its own.
    ``printing``
        What of the result is printed, written and drawn.  A function without it gives back a
        result, of which that is done.  Where `out` is a parameter of its own, it is the function's.

    All of them are read and checked before the function, which reads files, is called: by what
    their declarations say, and by what `calls` names: functions of the library (by default the
    stage's), which check their arguments.  `place` is where the command stands among others, by
    default behind them.
    """

    def registered(function: Callable) -> Callable:
        name = function.__name__.replace("_", "-")
        _PLACES[name] = place
        app.commands[name] = partial(_built, name, function, key, calls, reads, defaults)
        return function

    return registered


def _built(
    name: str,
    function: Callable,
    key: str,
    calls: str,
    reads: str,
    defaults: Mapping[str, object],
) -> click.Command:
    """The command of a function; see `command`."""
    stage = stages()[key] if key else None
    calls = calls or (stage.door.function if stage else "")
    known = [*inspect.signature(function, eval_str=True).parameters.values()]
    names = {one.name for one in known}
    fields, groups = {}, {}
    if "how" in names:
        groups["how"] = [_parameter(one, *READING[one]) for one in reads.split()]
    if "options" in names:
        fields = option_fields(stage, defaults)
        fields = {one: field for one, field in fields.items() if one not in names}
        groups["options"] = [_option(one, field) for one, field in fields.items()]
    if stage is not None:
        groups["printing"] = _printing(stage, has_out="out" in names)
        known += [] if "printing" in names else groups["printing"]
    parameters = [new for old in known for new in groups.get(old.name, [old])]

    def run(**values: object) -> None:
        with _errors_as_messages():
            for one in parameters:
                values[one.name] = _read(one, values[one.name])
            for one, field in fields.items():
                values[one] = read_option(one, values[one], field)
            # what is positional and after labels, runs or systems, may be scores too
            is_of_scores = "lower" in values and _are_of_scores(known[0].name, values)
            checked = {**values}
            if "lower" in values:  # of labels, measures are checked whether there are runs or not
                checked["runs"] = None if is_of_scores else values.get("runs") or [""]
            for called in (*calls.split(), *(_READERS if "how" in names else ())):
                getattr(regrade, called).check(**_own(getattr(regrade, called), checked))
            if stage is not None and "runs" in values and not is_of_scores:
                _check_runs(stage, values.get("table"), values["runs"])
            for group, of in groups.items():
                values[group] = {one.name: values.pop(one.name) for one in of}
            printing = None if "printing" in names else values.pop("printing", None)
            result = function(**values)
            if result is not None:
                from regrade.command.output import print_result

                print_result(result, printing)

    built = [*map(_on_command_line, parameters)]
    return FileCommand(name, params=built, callback=run, help=inspect.getdoc(function))


_CLICK = {int: click.INT, float: click.FLOAT, str: click.STRING, bool: click.BOOL}


def _on_command_line(parameter: inspect.Parameter) -> click.Parameter:
    """A parameter as click has it, by its annotation."""
    kind, declaration = get_args(parameter.annotation)[:2]
    plain = next(one for one in (get_args(kind) or (kind,)) if one is not type(None))
    is_list = get_origin(plain) is list or get_origin(kind) is list
    of = str if is_list else plain
    is_required = parameter.default is parameter.empty
    default = {} if is_required else {"default": parameter.default}
    common = {"required": is_required, "help": declaration.help, **default}
    if isinstance(declaration, Argument):
        several = -1 if is_list else 1
        return click.Argument([parameter.name], type=_CLICK[of], nargs=several, **common)
    called = parameter.name.replace("_", "-")
    names = declaration.names or [f"--{called}/--no-{called}" if of is bool else f"--{called}"]
    kind = _CLICK[of] if declaration.least is None else click.IntRange(min=declaration.least)
    is_flag = {"is_flag": True} if of is bool else {"multiple": is_list}
    return click.Option([parameter.name, *names], type=kind, **common, **is_flag)


_READERS = ("read_qrels", "read_runs")
"""What reads files as the options `how` say."""


def _read(parameter: inspect.Parameter, value: object) -> object:
    """A parameter as the function gets it, by what its declaration says."""
    if isinstance(value, tuple):
        value = list(value) or (None if parameter.default is None else [])
    for one in get_args(parameter.annotation)[1:]:
        if value not in (None, []) and isinstance(one, Reads):
            value = one.read(value)
        elif value is not None and isinstance(one, Passes):
            one.check(parameter.name, value)
    return value


def _are_of_scores(first: str, arguments: Mapping[str, object]) -> bool:
    """Whether files that a command is given are scores by item; a pipe is not looked into."""
    files = [arguments[first], *(arguments.get("sets") or ()), *(arguments.get("scores") or ())]
    return any(are_scores(file.rpartition("=")[2]) for file in files if file != STDIN)


def _own(function: Callable, arguments: Mapping[str, object]) -> dict[str, object]:
    """Those arguments that a function of the library takes too, but for what is not given."""
    names = inspect.signature(function).parameters
    return {one: value for one, value in arguments.items() if one in names and value is not None}


def _check_runs(stage: type[Stage], table: str | None, runs: object) -> None:
    """Refuse a table of systems where there are no runs."""
    of = [one for one in stage.tables if table in _names_of(one.name)]
    if table is not None and not runs and all(one.needs_runs for one in of):
        raise ParameterError(f"--table {table} is a table of systems: give runs (--runs)")


def _names_of(*groups: str) -> list[str]:
    """The tables of some groups by their names."""
    return list(dict.fromkeys(path.rpartition("/")[2] for one in groups for path in tables_of(one)))


@contextmanager
def _errors_as_messages() -> Iterator[None]:
    """One message in place of a traceback, with the names of pipes in place of where they were."""
    with inputs() as files:
        try:
            yield
        except RegradeError as error:
            advice = advice_now() if files.were_read else ""  # else an option is wrong
            raise _stopped(1, advice or files.with_names(str(error))) from None
        except KeyboardInterrupt:
            raise _stopped(130, "interrupted") from None
        except BrokenPipeError:  # whoever reads has enough, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise Exit(141) from None
        except OSError as error:  # of a file to be written; readers say what they cannot read
            where = f"{error.filename}: " if error.filename else ""
            raise _stopped(1, f"{where}{error.strerror or error}") from None


def _stopped(code: int, message: str) -> Exit:
    print(f"regrade: {message}", file=sys.stderr)
    return Exit(code)


def failure(condition: str) -> Exit:
    """The end of a command that was asked to fail at what it found; says so."""
    return _stopped(FOUND, f"{condition}: exit code {FOUND} (--fail-if)")


def _parameter(name: str, annotation: object, default: object) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def one_of_tables(*groups: str) -> object:
    """The option that prints one of the tables of some groups."""
    names = _names_of(*groups)
    return Annotated[
        str | None,
        Option(help=f"Print this table instead: {', '.join(names)}."),
        Reads(lambda text: text.rpartition("/")[2]),  # texts have the stage in front
        Passes(one_of(names)),
    ]


def _printing(stage: type[Stage], *, has_out: bool) -> list[inspect.Parameter]:
    table = one_of_tables(*(group.name for group in stage.tables))
    written = [] if has_out else [_parameter("out", TableOut, None)]
    return [
        _parameter("table", table, None),
        *written,
        _parameter("plot", Plot, None),
        _parameter("cite", Cite, False),
        _parameter("json", Json, False),
    ]


def _option(name: str, field: Field) -> inspect.Parameter:
    """An option of a stage, of which a configuration's types are those of a command or text."""
    plain = [_PLAIN.get(kind, str) for kind in field.types if kind != "null"]
    kind, default, about = plain[0] if len(plain) == 1 else str, field.default, field.about
    if kind is str and default is not None and not isinstance(default, str):
        default = ",".join(map(str, default)) if _is_list(field) else json.dumps(default)
    if field.choices:
        about = f"{about.rstrip('.')}: {', '.join(field.choices)}."
    kind = kind | None if default is None else kind
    return _parameter(name, Annotated[kind, Option(help=about)], default)


def _is_list(field: Field) -> bool:
    """Whether it is a list of what has no parts."""
    return field.is_several and field.node["items"].get("type") not in ("array", "object")


def read_option(name: str, written: object, field: Field) -> object:
    """An option as a configuration has it, from what was written for it.

    Raises
    ------
    ParameterError
        If it is no list, or no JSON.
    """
    if not isinstance(written, str) or "string" in field.types or field.choices:
        return written
    if _is_list(field):
        of = _PLAIN.get(field.node["items"].get("type"), str)
        try:
            return [of(one) for one in written.replace(",", " ").split()]
        except ValueError as error:
            raise ParameterError(
                f"{name} is {written}: give numbers, separated by commas"
            ) from error
    try:
        return json.loads(written)
    except ValueError as error:
        raise ParameterError(f'{name} is {written}: give JSON, such as {{"a": 1}}') from error

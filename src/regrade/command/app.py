"""The command line: commands about the workflow and its tables, and the entry point."""

from __future__ import annotations

import gc
import logging
import shlex
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from functools import partial
from json import dumps as as_json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from click import version_option
from click.exceptions import Exit

import regrade.command.files  # noqa: F401 (registers its commands)
from regrade import __version__
from regrade.command.arguments import path, with_names
from regrade.command.declare import (
    Argument,
    Json,
    Option,
    Passes,
    Plot,
    TableOut,
    app,
    command,
    one_of_tables,
    place,
)
from regrade.command.progress import at_work, drawn_while_long, status_while_long
from regrade.command.streams import spell
from regrade.errors import ParameterError, RegradeError, check_choice, near_files
from regrade.subjects import modules_of_subjects
from regrade.wording import first_few

if TYPE_CHECKING:
    from regrade.sweeps.question import SweepResult


def _cores(name: str, text: str) -> None:
    """Refuse what is no number of cores."""
    if text != "all" and not (text.isdecimal() and int(text)):
        raise ParameterError(
            f"--{name} {text}: give a number of processor cores, 1 or more, or all"
        )


def _folder(name: str, path: str) -> None:
    """Refuse a folder that is not there."""
    if not Path(path).is_dir():
        raise ParameterError(f"--{name} {path}: there is no such folder{near_files(path)}")


Cores = Annotated[str, Option(help="Number of processor cores, or all."), Passes(_cores)]
Data = Annotated[
    str | None, Option(help="The folder that {data} stands for in paths."), Passes(_folder)
]
Directory = Annotated[str | None, Option(help="The folder for results.")]
Snakefile = Annotated[str | None, Option(help="Path of the workflow's Snakefile.")]


SWEPT = {"sweeps": "swept", "label-sweeps": "swept_labels"}
"""Folder of sweeps → the workflow's target that makes all of them."""

TARGETS_SHOWN = 12
"""How many of a group a list of all groups shows."""


list(modules_of_subjects("command"))  # which register the other commands
version_option(__version__, message="regrade %(version)s", help="Show the version and exit.")(app)


@command()
def init(
    files: Annotated[
        list[str], Argument(help="Files of any kind: runs, labels, judgments, groups.")
    ],
    out: Annotated[
        str | None,
        Option(help="The file to write; by default the configuration is printed."),
        Passes(place),
    ] = None,
    name: Annotated[
        str | None, Option(help="Name of the collection; by default the name of the file, or mine.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a configuration for the files that you have, with comments.

    Example: regrade init runs/*.gz qrels.txt model.csv --out mine.yaml
    """
    from regrade.command.init import configuration
    from regrade.command.workflow import line_for_editors
    from regrade.tables import atomic_path

    if out is not None and Path(out).exists() and not force:
        raise RegradeError(f"{out}: already exists: name another file, or replace it with --force")
    known_as = name or (Path(out).stem if out else "mine")
    text = configuration([path(one) for one in files], known_as)
    text = line_for_editors(Path(out).parent if out else Path()) + text
    if out is None:
        print(text, end="")
        return
    with atomic_path(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"{out}: check the configuration, then: regrade run {shlex.quote(out)}")


@command()
def run(
    config: Annotated[str, Argument(help="A configuration file; see config/README.md.")],
    targets: Annotated[
        list[str] | None, Argument(help="Studies or result files; by default all.")
    ] = None,
    collection: Annotated[
        list[str] | None,
        Option(help="Collections to run: a name, a pattern or all; may be repeated."),
    ] = None,
    cores: Cores = "all",
    data: Data = None,
    directory: Directory = None,
    snakefile: Snakefile = None,
    dry_run: Annotated[bool, Option("-n", "--dry-run", help="Only show what would run.")] = False,
    force: Annotated[
        bool, Option("-f", "--force", help="Rebuild the named targets; without names, all.")
    ] = False,
) -> None:
    """Run the workflow, with a progress line and only the last error shown.

    Example: regrade run mine.yaml --cores 4
    """
    from regrade.command.workflow import run_workflow

    arguments = {"data": data, "directory": directory, "dry_run": dry_run, "force": force}
    arguments["collections"] = collection or []
    raise Exit(run_workflow(config, targets or [], cores, snakefile, **arguments))


@command()
def demo(
    cores: Cores = "all",
    directory: Directory = None,
    files: Annotated[
        str | None, Option(help="Only write example files for the commands to this folder.")
    ] = None,
) -> None:
    """Run the workflow on the data that are shipped with the project.

    Example: regrade demo --directory shown
    """
    from regrade.command.workflow import run_workflow, snakefile_of

    project = snakefile_of(None).parent
    if files is not None:
        from regrade.command.example_files import write_examples

        write_examples(project / "data" / "demo", Path(files))
        return
    config = project / "config" / "config.yaml"
    raise Exit(run_workflow(str(config), [], cores, directory=directory))


@command()
def sweep(
    config: Annotated[str, Argument(help="A configuration file with `sweeps`.")],
    name: Annotated[str | None, Option(help="Report this sweep only.")] = None,
    cores: Cores = "all",
    data: Data = None,
    directory: Directory = None,
    snakefile: Snakefile = None,
    table: one_of_tables("sweep_levels", "sweep_part", "sweeps", "label_sweeps") = None,
    out: TableOut = None,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Which analysis choices change the conclusions? Runs every combination of choices.

    Example: regrade sweep mine.yaml --table pairs
    """
    from regrade.answers.shape import Answer
    from regrade.catalogue import TABLES
    from regrade.command.output import print_frame, print_json, save_plot, write_result
    from regrade.command.workflow import run_workflow, sweep_folders
    from regrade.tables import read_table

    folders = sweep_folders(config, snakefile, directory)
    if name is not None:
        check_choice("sweep", name, folders)
        folders = {name: folders[name]}
    if (plot or out) and len(folders) > 1:
        does = "--plot draws" if plot else "--out writes"
        raise ParameterError(f"{does} one sweep: choose it with --name ({first_few([*folders])})")
    which = table or "answer"
    kinds = {
        one: "label-sweeps" if folder.parent.name == "label-sweeps" else "sweeps"
        for one, folder in folders.items()
    }
    for kind in kinds.values():
        known = [path.partition("/")[2] for path in TABLES if path.startswith(f"{kind}/")]
        check_choice("table", which, known)
    rules = [SWEPT[kind] for kind in dict.fromkeys(kinds.values())]
    code = run_workflow(config, rules, cores, snakefile, data=data, directory=directory)
    if code:
        raise Exit(code)
    for one, folder in folders.items():
        if plot is not None:
            save_plot(_stored_sweep(folder, kinds[one], DRAWN), plot)
        if out is not None:
            result = _stored_sweep(folder, kinds[one], [table or WRITTEN[kinds[one]], "answer"])
            write_result(result, table, out, result.answer)
        frame = read_table(folder / f"{which}.parquet", f"{kinds[one]}/{which}").to_pandas()
        if table is None:
            answer = Answer.of_frame(frame)
            print_json(answer.to_dict()) if json else print(f"{one}\n{answer}")
        elif json:
            print_json(frame)
        else:
            print_frame(frame)


DRAWN = ("curve", "curve_choices", "levels", "facts")
"""Tables that a sweep's picture shows."""

WRITTEN = {"sweeps": "pairs", "label-sweeps": "documents"}
"""Tables that are written where none is named."""


def _stored_sweep(folder: Path, kind: str, names: Iterable[str]) -> SweepResult:
    """Some tables of a sweep."""
    from regrade.sweeps.question import SweepResult
    from regrade.tables import read_table

    tables = {
        name: read_table(folder / f"{name}.parquet", f"{kind}/{name}").to_pandas()
        for name in dict.fromkeys(names)
    }
    return SweepResult(tables)


@command()
def targets(
    config: Annotated[
        str | None, Argument(help="A configuration file; by default the demo's.")
    ] = None,
    group: Annotated[str | None, Option(help="List this group only, in full.")] = None,
    snakefile: Snakefile = None,
    json: Json = False,
) -> None:
    """List the targets of `run`: studies, tables, figures, labels.

    Example: regrade targets mine.yaml --group targets
    """
    from regrade.command.workflow import target_lines
    from regrade.command.workflow import targets as listed

    known = listed(config, snakefile)
    if group is not None:
        check_choice("group", group, dict.fromkeys(one["group"] for one in known["targets"]))
        known["targets"] = [one for one in known["targets"] if one["group"] == group]
        known["not asked for"] = {}
    if json:
        from regrade.command.output import print_json

        print_json(known)
    else:
        print("\n".join(target_lines(known, most=None if group else TARGETS_SHOWN)))


@command()
def explain(
    key: Annotated[str, Argument(help="A key of a configuration, in full or its last part.")],
    snakefile: Snakefile = None,
) -> None:
    """Explain a configuration key: its meaning, type and default.

    Example: regrade explain pools.depths
    """
    from regrade.command.workflow import ask_workflow

    print(ask_workflow("regrade.workflow.schemas.document", key, snakefile=snakefile), end="")


@command()
def tables(
    names: Annotated[
        list[str] | None, Argument(help="Names of tables or of their folders; or result files.")
    ] = None,
    markdown: Annotated[bool, Option("--markdown", help="Print the page of all tables.")] = False,
    json: Json = False,
) -> None:
    """Describe the result tables, or the provenance of result files.

    Example: regrade tables best_cuts
    """
    from regrade.catalogue import dictionary
    from regrade.command.streams import print_json_text

    if markdown and (json or names):
        raise ParameterError("--markdown prints the page of all tables: give it alone")
    known = [name for name in names or () if not _are_files(name)]
    if markdown:
        print(dictionary.markdown(), end="")
        return
    if names and len(known) < len(names):
        if known:
            raise ParameterError(
                f"{known[0]} is the name of a table: give names or files, not both"
            )
        _say_files(names, json)
        return
    chosen = list(dict.fromkeys(t for name in known or [None] for t in dictionary.chosen(name)))
    if json:
        print_json_text(as_json(list(map(asdict, chosen)), ensure_ascii=False, indent=2))
    elif names:
        print("\n\n".join(map(dictionary.in_full, chosen)))
    else:
        print(dictionary.listing(chosen))


def _are_files(name: str) -> bool:
    """Whether a name is not the catalogue's but that of files, a folder or a pattern."""
    from regrade.catalogue import TABLES

    is_path = name.endswith((".parquet", "/")) or name.startswith((".", "/", "~"))
    is_known = any(f"/{name}/" in f"/{path}/" for path in TABLES)
    return is_path or (not is_known and (bool({*"*?["} & {*name}) or Path(name).exists()))


def _say_files(names: list[str], json: bool) -> None:
    """Print what files of results say of themselves, one whole and several in a line each."""
    from regrade.command.streams import print_json_text
    from regrade.table_files import read_files

    files, problems = read_files(names)
    if json:
        print_json_text(as_json([file.to_dict() for file in files], ensure_ascii=False, indent=2))
    elif len(files) == 1 and not problems:
        print(files[0])
    else:
        print("\n".join(file.line for file in files))
    if problems:
        raise RegradeError("\n".join(map(str, problems)))


class _OfPipes(logging.Formatter):
    """Messages with the names of pipes in place of where they were put."""

    def format(self, record: logging.LogRecord) -> str:
        """The message of a record."""
        return with_names(super().format(record))


class _Messages(logging.Handler):
    """Messages on the standard error of the moment: what is drawn there is above or below them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message."""
        print(self.format(record), file=sys.stderr)


def main() -> None:
    """The entry point; what the library has to say goes to the standard error."""
    for stream in (sys.stdout, sys.stderr):
        spell(stream)
    gc.set_threshold(250_000, 20, 50)  # else a sixth of the time goes to what imports make
    handler = _Messages()
    handler.setFormatter(_OfPipes("regrade: %(message)s"))
    logging.getLogger("regrade").addHandler(handler)
    logging.getLogger("regrade.api").setLevel(logging.INFO)
    logging.getLogger("regrade.readers.shapes").setLevel(logging.INFO)
    logging.getLogger("regrade.kernel_cache").setLevel(logging.INFO)
    with progress_of(sys.argv[1:]):
        app()


OF_WORKFLOW = ("run", "demo", "sweep")
"""Commands that say themselves how far they are."""


def progress_of(arguments: list[str]) -> AbstractContextManager:
    """While a command of these arguments takes long, it is said that it is at work."""
    name = next(iter(arguments), "")
    if name in OF_WORKFLOW:
        return nullcontext()
    progress = drawn_while_long if sys.stderr.isatty() else status_while_long
    return progress(partial(at_work, name))

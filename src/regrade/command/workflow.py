"""The workflow as a process of its own: a line of progress, and the last error alone."""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from tempfile import NamedTemporaryFile

from regrade.command.progress import Following, earlier_costs, left_text, status_while_long
from regrade.errors import FAILED, ParameterError, near_files
from regrade.extras import need
from regrade.wording import SHOWN, first_few
from regrade.workflow.project import ALL, PLACES, environment

ERROR = re.compile(r"^(Error in rule|RuleException|CalledProcessError)")
REFUSED = re.compile(r"^WorkflowError in file .*common\.smk")
OF_KEYS = "config: "
"""What the workflow says of keys of a configuration begins so."""

FAILED_LOG = re.compile(r"^ +log: (.+?) \(check log file")
"""What Snakemake says of the log of a job that failed."""

GO_ON = "once it is mended, the same command goes on"

LOGGED = re.compile(r"^(?:.+ )?\d\d:\d\d:\d\d (\w+): (.*)")
"""A line of a job, after its name."""

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""

PATIENCE = 10
"""Seconds in which Snakemake ends its jobs."""

UNKNOWN = re.compile(r"No rule to produce (\S+) \(if you use")
"""What Snakemake says of a target that nothing makes."""

COLLECTIONS = re.compile(rb"^collections *:", re.MULTILINE)
"""What tells a configuration from other YAML."""

TRACEBACK = 15
"""Lines that are shown where nothing tells which one says what is wrong."""


def snakefile_of(path: str | None) -> Path:
    """Where the workflow is: as given, in the clone that the library is of, or installed with
    it.
    """
    places = [Path(path)] if path else [place / "Snakefile" for place in PLACES]
    snakefile = next(filter(Path.is_file, places), None)
    if snakefile is None:
        raise ParameterError(
            f"there is no workflow at {places[0]}: clone the project, and give --snakefile "
            "CLONE/Snakefile"
        )
    return snakefile


def line_for_editors(folder: Path) -> str:
    """The first line of a configuration in a folder, by which editors check and complete its keys.

    It names the schema from there within a clone, and in full elsewhere.
    """
    project = snakefile_of(None).parent.resolve()
    schema, folder = project / "config" / "regrade.schema.json", folder.resolve()
    within = folder.is_relative_to(project)
    name = Path(os.path.relpath(schema, folder)).as_posix() if within else schema.as_uri()
    return f"# yaml-language-server: $schema={name}\n"


def ask_workflow(module: str, *arguments: str, snakefile: str | None = None) -> str:
    """What a module of the workflow prints, run as a process of its own."""
    need("snakemake", "the workflow")
    snakefile_of(snakefile)  # which refuses one that is not there
    paths = [*filter(None, sys.path)]
    code = f"import sys; sys.path[:0] = {paths!r}; from {module} import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code, *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment(),
        check=False,
    )
    if done.returncode:
        raise ParameterError(done.stderr.strip())
    return done.stdout


def targets(config: str | None = None, snakefile: str | None = None) -> dict:
    """What the collections of a configuration can be asked for."""
    arguments = [] if config is None else [config]
    return json.loads(ask_workflow("regrade.workflow.targets", *arguments, snakefile=snakefile))


def target_lines(lists: Mapping, most: int | None = None) -> list[str]:
    """What can be asked for, group by group."""
    groups: dict[str, list[Mapping]] = {}
    for target in lists["targets"]:
        groups.setdefault(target["group"], []).append(target)
    names = lists["collections"]
    lines = [f"{'collection' if len(names) == 1 else 'collections'} {', '.join(names)}"]
    for group, of in groups.items():
        width = max(len(target["name"]) for target in of[:most])
        lines += ["", group]
        lines += [f"  {target['name']:<{width}}  {target['sentence']}" for target in of[:most]]
        if len(of) > len(of[:most]):
            lines.append(f'  … and {len(of) - most} more: --group "{group}"')
    if lists["not asked for"]:
        lines += ["", "not asked for: add them under `studies`, with the stages that they show"]
        lines += [f"  {name}: {', '.join(of)}" for name, of in lists["not asked for"].items()]
    return lines


def sweep_folders(
    config: str, snakefile: str | None = None, directory: str | None = None
) -> dict[str, Path]:
    """Where the sweeps of a configuration's collection lie, by name."""
    _check_there(config)
    lists = targets(config, snakefile)
    paths = [Path(one["name"]) for one in lists["targets"]]
    kinds = ("sweeps/*/answer.parquet", "label-sweeps/*/answer.parquet")
    folders = [path.parent for path in paths if any(map(path.match, kinds))]
    if not folders:
        raise ParameterError(
            f"{config}: contains no sweep: add `sweeps` to the collection, without runs "
            "with a `reference`"
        )
    names = [folder.name for folder in folders]
    return {
        name if names.count(name) == 1 else f"{folder.parent.name}/{name}": Path(directory or ".")
        / folder
        for name, folder in zip(names, folders, strict=True)
    }


def run_workflow(
    config: str,
    targets: Sequence[str],
    cores: str,
    snakefile: str | None = None,
    *,
    collections: Sequence[str] = (),
    data: str | None = None,
    directory: str | None = None,
    dry_run: bool = False,
    force: bool = False,
) -> int:
    """Run Snakemake with a configuration, of its collections those of some names or patterns.

    Where a job fails, those that do not need it go on, and the page is made of the rest.
    """
    _check_there(config)
    chosen = ask_workflow("regrade.workflow.chosen", config, *collections, snakefile=snakefile)
    names = chosen.split()
    command = [sys.executable, "-m", "snakemake", "-s", str(snakefile_of(snakefile))]
    overrides = [f"data={Path(data).resolve()}"] if data else []
    overrides += [f"collection={json.dumps(list(collections))}"] if collections else []
    command += ["--config", *overrides] if overrides else []
    command += ["--directory", directory] if directory else []
    command += ["--cores", cores, "--configfile", str(Path(config).resolve())]
    options = ["--dry-run"] if dry_run else ["--keep-going"]
    if force:  # names of targets make no file
        are_files = targets and all("/" in target for target in targets)
        options.append("--force" if are_files else "--forceall")
    options += ["--", *targets] if targets else []
    process = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env=environment(),
    )
    results = Path(directory or ".") / "results"
    pages = [f"results/{name}/report.html" for name in names + [ALL] * (len(names) > 1)]
    try:
        lines = list(_followed(process.stdout, results))
        status = process.wait()
    except KeyboardInterrupt:
        try:  # Snakemake ends its jobs, if it was told too
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate()
        print("interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    if status:
        unknown = [match[1] for match in map(UNKNOWN.match, lines) if match]
        if unknown:
            raise ParameterError(_no_target(unknown[0], config, snakefile))
        overrides = last_error(lines)
        if overrides and overrides[0].startswith(OF_KEYS):
            overrides = [
                ask_workflow(
                    "regrade.workflow.places", config, *overrides, snakefile=snakefile
                ).strip()
            ]
        if FAILED in lines:
            overrides.append(
                _went_on(command, directory or ".", [] if targets else pages, overrides)
            )
        print("\n".join(overrides), file=sys.stderr)
        return 1
    page = results.parent / (pages[-1] if pages else "results")
    print("\n".join(planned(lines)) if dry_run else done_text(lines, targets, page))
    return 0


def _check_there(config: str) -> None:
    if Path(config).is_dir():
        files = (file for file in sorted(Path(config).glob("*.y*ml")) if file.is_file())
        held = [str(file) for file in files if COLLECTIONS.search(file.read_bytes())]
        there = f"name the configuration in it, {' or '.join(held[:SHOWN])}"
        remedy = there if held else "it holds no configuration: regrade init makes one"
        raise ParameterError(f"{config}: is a folder: {remedy}")
    if not Path(config).is_file():
        near = near_files(config, "regrade init makes one")
        raise ParameterError(f"{config}: there is no such configuration{near}")


def _no_target(name: str, config: str, snakefile: str | None) -> str:
    known = [one["name"] for one in targets(config, snakefile)["targets"]]
    words = [*known, *(Path(one).stem for one in known)]
    near = difflib.get_close_matches(name, words, n=1)
    matches = [one for one in known if near and near[0] in (one, Path(one).stem)]
    # of a figure in several formats the first
    first = {Path(one).with_suffix(""): one for one in reversed(matches)}
    meant = [f"'{one}'" for one in matches if one in first.values()][:SHOWN]
    hint = f"; did you mean {' or '.join(meant)}?" if meant else ""
    return (
        f"{config}: there is no target '{name}'{hint}: regrade targets {shlex.quote(config)} lists "
        "them"
    )


def _went_on(
    command: Sequence[str], directory: str, pages: Sequence[str], overrides: Sequence[str]
) -> str:
    """Make pages without what failed jobs left unmade, and say what there is, and how to go on."""
    if not pages:
        return f"what does not need that is made; {GO_ON}"
    how = {"capture_output": True, "env": environment(), "check": False}
    summary = subprocess.run([*command, "--summary"], encoding="utf-8", **how)
    rows = (line.split("\t") for line in summary.stdout.splitlines())
    unmade = [row[0] for row in rows if row[-1] == "update pending"]
    lacking = [page for page in pages if page in unmade]
    whole = [page for page in pages if page not in unmade]
    needs = "the page {} needs" if len(whole) == 1 else "the pages {} need"
    clauses = [f"{needs.format(_places(directory, whole))} nothing of it"] if whole else []
    audits = {path.partition("/audit/")[0] for path in unmade if "/audit/" in path}
    unshown = {*audits, f"results/{ALL}"}  # of several pages none is made unless all are whole
    partial = [page for page in lacking if str(Path(page).parent) not in unshown]
    if partial:
        with NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as more:
            json.dump({"unmade": {"files": unmade, "said": overrides}}, more)
            more.flush()
            ran = subprocess.run([*command, more.name, "--", *partial], **how)
        if ran.returncode:
            partial = []
    for page in lacking:
        if page not in partial:  # that of before shows what was read before
            Path(directory, page).unlink(missing_ok=True)
    if partial:
        shows = "shows" if len(partial) == 1 else "show"
        clauses.insert(0, f"{_places(directory, partial)} {shows} the rest")
    return "; ".join([*(clauses or ["what does not need that is made, but no page"]), GO_ON])


def _places(directory: str, pages: Sequence[str]) -> str:
    return first_few([str(Path(directory, page)) for page in pages])


def done_text(lines: Sequence[str], targets: Sequence[str], page: Path) -> str:
    """That all is made, and where."""
    made = targets or ([str(page)] if page.is_file() else [])
    nothing = any("Nothing to be done" in line for line in lines)
    return ": ".join(filter(None, ["nothing to be done" if nothing else "done", ", ".join(made)]))


def last_error(lines: Sequence[str]) -> list[str]:
    """Of what Snakemake printed, the lines that say what to do."""
    if FAILED in lines:
        return [line for line in lines[lines.index(FAILED) + 1 :] if line.strip()]
    wrong = [line for line in lines if line.startswith(OF_KEYS)]
    if wrong:
        return wrong
    refused = [i for i, line in enumerate(lines) if REFUSED.match(line)]
    if refused:
        refusal = lines[refused[-1] + 1 :]
        return [line for line in refusal if line.strip() and not line.startswith("  File ")]
    failed = next((i for i, line in enumerate(lines) if ERROR.match(line)), len(lines))
    logged = [i for i, line in enumerate(lines[:failed]) if LOGGED.match(line)]
    if logged and failed < len(lines):
        rule, message = LOGGED.match(lines[logged[-1]]).groups()
        ends = ("[", "Traceback", "RuleException")
        after = lines[logged[-1] + 1 : failed]
        rest = takewhile(lambda line: line.strip() and not line.startswith(ends), after)
        return [f"{rule}: {message}", *rest]
    return [line for line in lines if line.strip()][-TRACEBACK:]


def planned(lines: Sequence[str]) -> list[str]:
    """The table of jobs of a dry run."""
    heads = [i for i, line in enumerate(lines) if re.match(r"^job +count", line)]
    return [*takewhile(str.strip, lines[heads[-1] :])] if heads else ["nothing to be done"]


def _with_failures(lines: Iterable[str]) -> Iterable[str]:
    """The lines; a job that fails is told at once, as others may go on for long."""
    reported = set()
    for line in lines:
        failed = FAILED_LOG.match(line)
        if failed and failed[1] not in reported:
            reported.add(failed[1])
            print(f"regrade: a job failed, see {failed[1]}; others go on", file=sys.stderr)
        yield line


def _followed(lines: Iterable[str], results: Path) -> Iterable[str]:
    """The lines, with what runs, how far it is, how long it still takes.

    That is a bar on a terminal; else a line now and then, where it takes long.
    """
    following = Following(earlier_costs(results))
    with _progress(following) as show:
        for line in _with_failures(lines):
            following.see(line.rstrip("\n"), time.monotonic())
            show()
            yield line.rstrip("\n")


@contextmanager
def _progress(following: Following) -> Iterator[Callable[[], None]]:
    """Gives what shows how far a run is, after each line."""
    if not sys.stderr.isatty():
        with status_while_long(lambda: following.full_text(time.monotonic())):
            yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn
    from rich.text import Text

    class Left(ProgressColumn):
        """The time left, counted down between lines too."""

        def render(self, task) -> Text:
            return Text(left_text(following.seconds_left(time.monotonic())))

    text = TextColumn("{task.description}", markup=False)
    columns = text, BarColumn(), TaskProgressColumn(), Left()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("regrade", total=None)
        yield lambda: progress.update(
            task,
            description=following.status(),
            completed=following.done,
            total=following.total or None,
        )

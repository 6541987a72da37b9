"""Measure and print the table; see README.md."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.measuring import ONE_THREAD, Measured, Settings, in_own_process
from benchmarks.report import Result, about, as_markdown, check_agreement, write
from benchmarks.rows import ROWS, Row


def main() -> int:
    """Run the chosen rows; 1 if one failed or disagreed with its peer."""
    options = _options()
    load = os.getloadavg()[0]
    folder_of_data = in_own_process("inputs:real_data", options.data)
    rows = [ROWS[name] for name in options.rows or ROWS]
    for row in rows:
        if row.real_only and folder_of_data is None:
            _say(f"{row.name}: left out, for no real data were found")
    rows = [row for row in rows if folder_of_data is not None or not row.real_only]
    with tempfile.TemporaryDirectory(prefix="regrade-benchmarks-") as folder:
        settings = Settings(Path(folder), folder_of_data, options.threads, options.repeats)
        data = _prepare(settings, rows)
        results = [_measure(row, settings, options.peers) for row in rows]
    introduction = about(options.threads, options.repeats, data, load)
    print(as_markdown(results, introduction), end="")
    for path in options.write:
        write(path, results, introduction)
    return int(any(result.failure for result in results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help=f"which rows; by default all: {', '.join(ROWS)}"
    )
    parser.add_argument("--data", help="folder that holds trec8/; by default $REGRADE_DATA")
    parser.add_argument("--threads", type=int, default=2, help="for our part (default: 2)")
    parser.add_argument("--repeats", type=int, default=3, help="of our part (default: 3)")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="our part only")
    parser.add_argument(
        "--write", type=Path, action="append", default=[], metavar="FILE", help=".md or .json"
    )
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"no row {', '.join(unknown)}: there is {', '.join(ROWS)}")
    if options.data is not None and not Path(options.data, "trec8", "qrels.gz").exists():
        parser.error(f"--data {options.data}: holds no trec8/qrels.gz")
    if options.threads < 1 or options.repeats < 1:
        parser.error("--threads and --repeats are at least 1")
    return options


def _prepare(settings: Settings, rows: list[Row]) -> str:
    """Make what the rows need; what it is, in words."""
    needed = {row.inputs for row in rows}
    if needed == {""}:
        return "The workflow makes or reads its own data."
    _say("making the inputs")
    in_own_process("inputs:make_files", settings)
    text = (
        "Runs and qrels: TREC-8."
        if settings.data is not None
        else "Runs and qrels: simulated, for no real data were found."
    )
    if needed & {"tables", "pool scores"}:
        text += f" Simulated judgments of {in_own_process('inputs:make_tables', settings)}."
    if "pool scores" in needed:
        in_own_process("inputs:make_pool_scores", settings)
    return text


def _measure(row: Row, settings: Settings, with_peer: bool) -> Result:
    """One row; what goes wrong in it does not stop the others."""
    settings = replace(settings, sample=row.sample)
    result = Result(row)
    try:
        result.ours = _side(row.ours, row, settings)
        if with_peer and row.peer:
            result.peer = _side(row.peer, row, settings, environment=ONE_THREAD)
            check_agreement(row, result.ours, result.peer)
    except Exception as error:
        result.failure = f"failed: {error}"
        _say(f"{row.name}: {result.failure}")
    return result


def _side(function: str, row: Row, settings: Settings, **options) -> Measured:
    _say(f"{row.name}: {function}")
    return in_own_process(function, settings, *row.arguments, **options)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

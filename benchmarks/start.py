"""What somebody waits for first: commands, and a first call, as processes of their own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from benchmarks.inputs import qrels_file, run_files
from benchmarks.measuring import Measured, Settings, timed

MEASURES = ("AP", "nDCG@10", "RR")
TIES = "trec_eval"
"""How the peer breaks them."""

STARTS = 3
"""Starts at least."""

LIBRARY = """
import sys, {library}
print(*({scored}).values())
"""
OURS = (
    "(lambda r, q, run: dict(r.score(q, r.read_runs([run], tie_break={ties!r}), {measures!r})"
    ".means().iloc[0]))(regrade, *sys.argv[1:3])"
)
PEERS = (
    "(lambda p: p.calc_aggregate([*map(p.parse_measure, {measures!r})], "
    "[*p.read_trec_qrels(sys.argv[1])], [*p.read_trec_run(sys.argv[2])]))(ir_measures)"
)


def version(settings: Settings) -> Measured:
    """`regrade --version`."""
    return _of_process(settings, "-m", "regrade", "--version")


def nothing(settings: Settings) -> Measured:
    """A Python that does nothing."""
    return _of_process(settings, "-c", "pass")


def command(settings: Settings) -> Measured:
    """`regrade score` of one run."""
    words = [part for measure in MEASURES for part in ("-m", measure)]
    words += ["--tie-break", TIES]
    return _scored(settings, "-m", "regrade", "score", *_files(settings), *words)


def peers_command(settings: Settings) -> Measured:
    """The same by the command of ir_measures."""
    return _scored(settings, "-m", "ir_measures", *_files(settings), *MEASURES)


def first_call(settings: Settings) -> Measured:
    """Import the library and score one run."""
    code = LIBRARY.format(library="regrade", scored=OURS.format(measures=MEASURES, ties=TIES))
    return _scored(settings, "-c", code, *_files(settings))


def peers_first_call(settings: Settings) -> Measured:
    """The same by ir_measures."""
    code = LIBRARY.format(library="ir_measures", scored=PEERS.format(measures=MEASURES))
    return _scored(settings, "-c", code, *_files(settings))


def _files(settings: Settings) -> list[str]:
    return [str(qrels_file(settings)), str(run_files(settings)[0])]


def _of_process(settings: Settings, *arguments: str) -> Measured:
    def work() -> str:
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])
        return done.stdout

    work()
    spans, printed = timed(work, max(settings.repeats, STARTS))
    return Measured(spans, note=printed)


def _scored(settings: Settings, *arguments: str) -> Measured:
    """With the values that it prints, in the order of their size."""
    measured = _of_process(settings, *arguments)
    numbers = [word for word in measured.note.split() if word.replace(".", "").isdigit()]
    return Measured(measured.spans, np.sort(np.round([float(one) for one in numbers], 4)))

"""Measures from raw files, and import: regrade beside ir_measures and trec_eval."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.inputs import qrels_file, run_files
from benchmarks.measuring import Measured, Settings, timed

MEASURES = ("AP", "nDCG", "nDCG@10", "RBP", "RR")
SHARED = ("AP", "nDCG", "nDCG@10", "RR")
"""What pytrec_eval and trec_eval have, too."""

TREC_EVAL = ("map", "ndcg", "ndcg_cut.10", "recip_rank")
"""The same, as trec_eval calls them."""


def ours(settings: Settings, threads: int | None = None) -> Measured:
    """Read all files and score all runs, ties as trec_eval 9 and pytrec_eval break them."""
    from regrade.readers import read_qrels
    from regrade.readers.runs import each_run
    from regrade.run_arrays import Judged, RankedLists
    from regrade.scoring import score

    threads = threads or settings.threads

    paths = run_files(settings)

    def work(paths):
        runs = each_run(paths, tie_break="trec_eval", score_precision="float32", threads=threads)
        ranked = RankedLists.from_runs(runs, threads)
        judged = Judged.from_table(read_qrels(qrels_file(settings)), ranked)
        return score(ranked, judged, MEASURES)

    work(paths[:2])
    spans, found = timed(lambda: work(paths), settings.repeats)
    shared = [MEASURES.index(measure) for measure in SHARED]
    return Measured(spans, found.values[:, :, shared])


def ir_measures(settings: Settings) -> Measured:
    """The documented way: an evaluator made once, each run read and scored in turn."""
    import ir_measures as peer

    measures = [peer.parse_measure(measure) for measure in SHARED]

    def work() -> dict:
        evaluator = peer.pytrec_eval.evaluator(
            measures, peer.read_trec_qrels(str(qrels_file(settings)))
        )
        return {
            path: list(evaluator.iter_calc(peer.read_trec_run(str(path))))
            for path in run_files(settings)
        }

    spans, found = timed(work, 1)
    systems = {path: system for system, path in sorted((_tag(path), path) for path in found)}
    scores = {
        (systems[path], metric.query_id, metric.measure): metric.value
        for path, metrics in found.items()
        for metric in metrics
    }
    topics = sorted({topic for _, topic, _ in scores})
    values = [
        [[scores.get((system, topic, m), 0.0) for m in measures] for topic in topics]
        for system in sorted(systems.values())
    ]
    return Measured(spans, np.array(values), note="one thread, measured once")


def trec_eval(settings: Settings, _threads: int) -> Measured:
    """The program itself, where it is on the path; it reads plain files only."""
    program = shutil.which("trec_eval")
    if program is None:
        return Measured([], missing="no trec_eval on the path")
    wanted = [part for measure in TREC_EVAL for part in ("-m", measure)]

    def work() -> None:
        with tempfile.TemporaryDirectory(dir=settings.inputs) as folder:
            qrels = _plain(qrels_file(settings), Path(folder) / "qrels")
            for path in run_files(settings):
                run = _plain(path, Path(folder) / "run")
                subprocess.run(
                    [program, "-q", "-c", *wanted, qrels, run],
                    check=True,
                    stdout=subprocess.DEVNULL,
                )

    spans, _ = timed(work, 1)
    return Measured(spans, note="one thread, measured once")


def import_runs(settings: Settings) -> Measured:
    """Read all runs, and nothing else, so that the memory is that of the import."""
    from regrade.readers import read_runs

    paths = run_files(settings)
    read_runs(paths[:2], threads=settings.threads)
    spans, runs = timed(lambda: read_runs(paths, threads=settings.threads), settings.repeats)
    return Measured(spans, note=f"{len(runs):,} lines")


def _tag(path: Path) -> str:
    with gzip.open(path, "rt") as lines:
        return next(lines).split()[5]


def _plain(packed: Path, plain: Path) -> Path:
    opener = gzip.open if packed.suffix == ".gz" else open
    with opener(packed, "rb") as source, plain.open("wb") as target:
        shutil.copyfileobj(source, target)
    return plain

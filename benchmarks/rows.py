"""The rows of the table: what is measured, its limits, and beside which peer."""

from __future__ import annotations

from dataclasses import dataclass

UNIT_WISE = "α of all 161,700 cuts (S100 → 4), unit by unit"
PER_TOPIC = "α of all 161,700 cuts (S100 → 4)"
RAW = "AP, nDCG, nDCG@10, RBP, RR of 129 runs × 50 topics × 1,000, from raw files"


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes
    ----------
    name
        What it is called on the command line.
    work
        In words.
    ours
        ``module:function`` in this package; called with `Settings` and `arguments`.
    arguments
        Passed to `ours` and `peer`.
    seconds, gigabytes
        At most.
    peer
        ``module:function``, or empty.
    peer_name
        In words.
    times_faster
        At least, beside the peer.
    sample
        Cuts that a peer is measured on, and that both must agree on.
    tolerance
        How far a value may be from the peer's.
    inputs
        What must be made first: ``files``, ``tables`` (which need the files) or ``""``.
    real_only
        Whether the row is left out where there are no real data.
    """

    name: str
    work: str
    ours: str
    arguments: tuple = ()
    seconds: float | None = None
    gigabytes: float | None = None
    peer: str = ""
    peer_name: str = ""
    times_faster: float | None = None
    sample: int = 0
    tolerance: float = 1e-10
    inputs: str = "tables"
    real_only: bool = False


def _alpha(method: str, seconds: float, sample: int, times_faster: float | None = None) -> Row:
    return Row(
        name=method,
        work=f"{method}: {UNIT_WISE if method.startswith('h') else PER_TOPIC}",
        ours="alpha:ours",
        arguments=(method,),
        seconds=seconds,
        peer="alpha:peer",
        peer_name="loop over krippendorff",
        times_faster=times_faster,
        sample=sample,
    )


ROWS = {
    row.name: row
    for row in (
        _alpha("tw1", seconds=3, sample=100),
        _alpha("d2_at", seconds=3, sample=100),
        _alpha("h2", seconds=3, sample=5, times_faster=5000),
        _alpha("h1_at", seconds=3, sample=5),
        _alpha("h1_ta", seconds=60, sample=5),
        _alpha("d2_ta", seconds=60, sample=100),
        Row(
            name="tau",
            work="NDCG@10 of every cut and τ_b of the means",
            ours="tau:ours",
            arguments=("means",),
            seconds=4,
            peer="tau:peer",
            peer_name="pytrec_eval + scipy",
            times_faster=1000,
            sample=20,
        ),
        Row(
            name="tau_topics",
            work="τ_b per topic of every cut",
            ours="tau:ours",
            arguments=("topics",),
            seconds=12,
            peer="tau:peer",
            peer_name="pytrec_eval + scipy",
            sample=20,
        ),
        Row(
            name="scores",
            work=RAW,
            ours="scores:ours",
            peer="scores:ir_measures",
            peer_name="ir_measures with pytrec_eval (without RBP)",
            times_faster=3,
            tolerance=1e-6,
            inputs="files",
        ),
        Row(
            name="scores_one_thread",
            work="the same with one thread",
            ours="scores:ours",
            arguments=(1,),
            peer="scores:trec_eval",
            peer_name="trec_eval (without RBP)",
            inputs="files",
        ),
        Row(
            name="import",
            work="import of 129 runs",
            ours="scores:import_runs",
            gigabytes=2,
            inputs="files",
        ),
        Row(
            name="demo",
            work="the demo, from an empty folder to its report",
            ours="workflow:run",
            arguments=("config.yaml",),
            seconds=180,
            inputs="",
        ),
        Row(
            name="trec8",
            work="config/trec8.yaml, from an empty folder to its report",
            ours="workflow:run",
            arguments=("trec8.yaml",),
            seconds=600,
            gigabytes=8,
            inputs="",
            real_only=True,
        ),
    )
}

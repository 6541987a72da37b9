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
        How many cuts (rankings, units left out) a peer is measured on, and both must agree on; 0
        where it is measured on all.
    tolerance
        How far a value may be from the peer's.
    inputs
        What must be made first: ``files``, ``tables`` (which need the files), ``pool scores``
        (which need the tables) or ``""``.
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


def _alpha(
    method: str,
    seconds: float,
    sample: int,
    times_faster: float | None = None,
    vote: str = "median",
) -> Row:
    suffix = "" if vote == "median" else f"_{vote}"
    return Row(
        name=method + suffix,
        work=f"{method + suffix}: {UNIT_WISE if method.startswith('h') else PER_TOPIC}",
        ours="alpha:ours",
        arguments=(method, vote),
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
        _alpha("h1_ta", seconds=3, sample=5),
        _alpha("h1_ta", seconds=3, sample=5, vote="majority"),
        _alpha("d2_ta", seconds=3, sample=100),
        Row(
            name="start_version",
            work="`regrade --version`, a process of its own",
            ours="start:version",
            seconds=0.3,
            peer="start:nothing",
            peer_name="`python -c pass`",
            inputs="files",
        ),
        Row(
            name="start_score",
            work="`regrade score` of one run, a process of its own",
            ours="start:command",
            seconds=0.8,
            peer="start:peers_command",
            peer_name="`ir_measures`",
            tolerance=1e-4,
            inputs="files",
        ),
        Row(
            name="start_library",
            work="the library imported and one run scored",
            ours="start:first_call",
            seconds=1.2,
            peer="start:peers_first_call",
            peer_name="ir_measures",
            tolerance=1e-4,
            inputs="files",
        ),
        Row(
            name="five_levels",
            work="d2_at: α of all 3,921,225 cuts (S100 → 5), and the best",
            ours="levels:ours",
            seconds=30,
            gigabytes=4,
            peer="levels:by_krippendorff",
            peer_name="loop over krippendorff",
            sample=100,
        ),
        Row(
            name="five_levels_evalica",
            work="the same, beside another peer",
            ours="levels:ours",
            seconds=30,
            peer="levels:by_evalica",
            peer_name="loop over evalica",
            sample=100,
        ),
        Row(
            name="seven_levels",
            work="d2_at: the highest nominal α into seven levels (S100 → 7), exactly",
            ours="levels:optimum",
            seconds=1,
        ),
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
            times_faster=5,
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
            name="pairs",
            work="paired t-test of all pairs of 129 systems on 50 topics",
            ours="pairs:ours",
            peer="pairs:peer",
            peer_name="loop over scipy",
            times_faster=100,
        ),
        Row(
            name="expected",
            work="expected AP, nDCG and RBP of 6,450 rankings in bands of ten ρ",
            ours="ties:ours",
            seconds=10,
            peer="ties:peer",
            peer_name="plain loop over ranks",
            sample=300,
        ),
        Row(
            name="leave_out",
            work="leave one out: 129 runs and their groups, AP and nDCG",
            ours="leave_out:ours",
            seconds=30,
            peer="leave_out:peer",
            peer_name="pool again + pytrec_eval",
            sample=4,
        ),
        Row(
            name="ancova",
            work="ANCOVA with all interactions, types II and III, 33,500 rows, four measures",
            ours="ancova:ours",
            seconds=5,
            gigabytes=1,
            peer="ancova:peer",
            peer_name="statsmodels, less data",
            tolerance=1e-9,
            inputs="pool scores",
        ),
        Row(
            name="ranges",
            work="exact range of AP of 6,450 rankings",
            ours="ranges:ours",
            seconds=60,
            peer="ranges:peer",
            peer_name="numpy, each extreme assignment",
            sample=50,
        ),
        Row(
            name="phi",
            work="nearest of 500 φ to AP and nDCG by τ_b, 50 topics, 67 systems",
            ours="phi:ours",
            arguments=("tau_b",),
            seconds=30,
            peer="phi:peer",
            peer_name="numpy + scipy",
        ),
        Row(
            name="phi_rbo",
            work="the same by τ_b and by RBO",
            ours="phi:ours",
            arguments=("tau_b", "rbo"),
            seconds=30,
        ),
        Row(
            name="magnitudes",
            work="τ of 1,000 samples of magnitudes, nDCG@10 and ERR@10, 129 systems × 18 topics",
            ours="magnitudes:ours",
            seconds=3,
            peer="magnitudes:peer",
            peer_name="loop over score and scipy",
            sample=20,
        ),
        Row(
            name="power",
            work="synthetic PDP: 10,000 topics × 29 scales × 2 modes",
            ours="power:synthetic",
            seconds=120,
            peer="power:synthetic_peer",
            peer_name="gradient descent and 50,000 rankings, numpy",
            sample=20,
            tolerance=0.03,
            inputs="",
        ),
        Row(
            name="power_topic",
            work="PDP of 20 documents",
            ours="power:topic",
            arguments=(20,),
            seconds=0.3,
            peer="power:topic_peer",
            peer_name="50,000 rankings, numpy",
            tolerance=0.1,
            inputs="",
        ),
        Row(
            name="power_topic_200",
            work="PDP of 200 documents",
            ours="power:topic",
            arguments=(200,),
            seconds=0.3,
            peer="power:topic_peer",
            peer_name="50,000 rankings, numpy",
            tolerance=0.2,
            inputs="",
        ),
        Row(
            name="power_cuts",
            work="PDP as objective of all 161,700 cuts (S100 → 4), 102 topics × 29 documents",
            ours="power:cuts",
            seconds=10,
            peer="power:cuts_peer",
            peer_name="power_table of each cut",
            sample=5,
            tolerance=1e-8,
            inputs="",
        ),
        Row(
            name="pairs_design",
            work="a task of 300 documents in 14 partitions, 532 lists of 12 pairs",
            ours="preferences:design",
            seconds=1,
            inputs="",
        ),
        Row(
            name="pairs_scores",
            work="scores of documents by six methods, 43,939 preferences",
            ours="preferences:scores",
            seconds=2,
            inputs="",
        ),
        Row(
            name="pairs_feedback",
            work="minimum feedback of 7,884 units of 12 pairs of eight documents",
            ours="preferences:feedback",
            seconds=1,
            inputs="",
        ),
        Row(
            name="trust_topics",
            work="the best cut of tw1, h2, d2_at (S100 → 4) again, 1,000 draws of 18 topics",
            ours="trust:drawn",
            arguments=("topics",),
            seconds=300,
            gigabytes=4,
        ),
        Row(
            name="trust_units",
            work="the same, 1,000 draws of each topic's units",
            ours="trust:drawn",
            arguments=("units",),
            seconds=300,
            gigabytes=4,
        ),
        Row(
            name="trust_left_out",
            work="each topic left out, every method by α and every expert by τ_b (S100 → 4)",
            ours="trust:left_out",
            seconds=60,
        ),
        Row(
            name="dl21_judges",
            work="config/dl21-judges.yaml, from an empty folder to its report",
            ours="workflow:run",
            arguments=("dl21-judges.yaml",),
            seconds=180,
            inputs="",
            real_only=True,
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
        Row(
            name="yang2019",
            work="snakemake yang2019 with config/trec8.yaml, from an empty folder",
            ours="workflow:run",
            arguments=("trec8.yaml", "yang2019"),
            seconds=600,
            inputs="",
            real_only=True,
        ),
    )
}

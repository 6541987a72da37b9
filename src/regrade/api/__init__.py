"""The library for notebooks: runs, labels or judgments in any form as input, small objects as
output.

`regrade` exports these names. Input may be paths, frames of pandas or polars (by narwhals), Arrow
tables, dicts as in pytrec_eval and tuples of ir_measures. `sets` reads them by `regrade.readers`,
`item_scores` reads scores by item, `pipes` reads once. Questions: `scores`, `ranking` (with ties
and unjudged documents), `systems` (two of them, and topics), `gate` (a new system and an old one),
`comparison`, `judges` (with calibration), `favours` (of judges for families of systems),
`replacement` (of people by a judge), `panels` and `consensus` (of judges), `meta_analysis` (an
effect in several collections), `cuts` (searched) and `given_cuts`, `estimates`, `pools`, `pairs`
(preferences), `judgments` (workers, magnitudes), `sweeps`, `look`. `designs` takes scores in place
of labels and runs. `results` has the common parts of results, `plots` their figures.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "comparison": ["Comparison", "compare"],
        "consensus": ["JudgeConsensus", "consensus"],
        "cuts": ["Cut", "Cuts", "find_cuts"],
        "favours": ["Favour", "favour"],
        "gate": ["Gate", "gate"],
        "given_cuts": ["GivenCut", "cut_at"],
        "estimates": ["Assigned", "Estimates", "assign", "estimate", "read_sample"],
        "item_scores": ["read_scores"],
        "judges": ["Calibration", "Judges", "calibrate", "judges"],
        "judgments": ["MagnitudeGains", "Workers", "magnitude_gains", "workers"],
        "meta_analysis": ["MetaAnalysis", "meta_analysis"],
        "pairs": [
            *("DocumentScores", "fit_scores", "Pairs", "pairs", "read_preferences"),
            *("NextPairs", "next_pairs", "Power", "pdp"),
        ],
        "panels": ["Panel", "panel"],
        "pools": ["LeftOut", "Pool", "PoolDepths", "leave_one_out", "pool", "pool_depths"],
        "ranking": ["Ranking", "Ties", "Unjudged", "rank", "ties", "unjudged"],
        "replacement": ["Replacement", "replace"],
        "scores": ["ScoreTable", "score"],
        "sets": ["Judgments", "Labels", "Runs", "read_judgments", "read_qrels", "read_runs"],
        "sweeps": ["SweepResult", "sweep"],
        "systems": ["SystemPair", "Topics", "compare_systems", "topics"],
    },
)

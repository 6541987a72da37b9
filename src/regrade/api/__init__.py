"""What a notebook needs: whatever holds runs, labels or judgments goes in, small objects come out.

`regrade` itself gives these names. Everything here takes paths, frames of pandas or polars (by
narwhals), Arrow tables, dicts as pytrec_eval takes them and tuples as ir_measures makes them:
`sets` reads them by `regrade.readers`, `item_scores` scores by item, and `pipes` once. What is
asked of them: `scores`, `ranking` (ties and unjudged documents too), `systems` (two of them, and
topics), `gate`, `comparison`, `judges` (and what their values say of grades), `cuts` (searched) and
`given_cuts`, `estimates`, `pools`, `pairs` (of preferences), `judgments` (by workers, and
magnitudes), `sweeps`, `look`; `designs` is what takes scores in place of labels and runs, `gate` a
test of a new system against an old one; `results` has what those of several tables share, `plots`
their pictures.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "comparison": ["Comparison", "compare"],
        "cuts": ["Cut", "Cuts", "find_cuts"],
        "gate": ["Gate", "gate"],
        "given_cuts": ["GivenCut", "cut_at"],
        "estimates": ["Assigned", "Estimates", "assign", "estimate", "read_sample"],
        "item_scores": ["read_scores"],
        "judges": ["Calibration", "Judges", "calibrate", "judges"],
        "judgments": ["MagnitudeGains", "Workers", "magnitude_gains", "workers"],
        "pairs": [
            *("DocumentScores", "fit_scores", "Pairs", "pairs", "read_preferences"),
            *("NextPairs", "next_pairs", "Power", "pdp"),
        ],
        "pools": ["LeftOut", "Pool", "PoolDepths", "leave_one_out", "pool", "pool_depths"],
        "ranking": ["Ranking", "Ties", "Unjudged", "rank", "ties", "unjudged"],
        "scores": ["ScoreTable", "score"],
        "sets": ["Judgments", "Labels", "Runs", "read_judgments", "read_qrels", "read_runs"],
        "sweeps": ["SweepResult", "sweep"],
        "systems": ["SystemPair", "Topics", "compare_systems", "topics"],
    },
)

"""What a notebook needs: whatever holds runs, labels or judgments goes in, small objects come out.

`regrade` itself gives these names. Everything here takes paths, frames of pandas or polars (by
narwhals), Arrow tables, dicts as pytrec_eval takes them and tuples as ir_measures makes them:
`sets` reads them by `regrade.readers`, `pipes` once. A result each: `scores`, `ranking`,
`comparison`, `judges`, `cuts`, `calibration`, `estimates`, `tied_scores`, `unjudged`, `pools`,
`pairs`, `next_pairs`, `power`, `workers`, `magnitudes`, `sweeps`, `look`; `results` has what those
of several tables share, `plots` their pictures.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "calibration": ["Calibration", "calibrate"],
        "comparison": ["Comparison", "compare"],
        "cuts": ["Cut", "Cuts", "find_cuts"],
        "estimates": ["Assigned", "Estimates", "assign", "estimate", "read_sample"],
        "judges": ["Judges", "judges"],
        "magnitudes": ["MagnitudeGains", "magnitude_gains"],
        "next_pairs": ["NextPairs", "next_pairs"],
        "pairs": ["DocumentScores", "Pairs", "fit_scores", "pairs", "read_preferences"],
        "pools": ["LeftOut", "Pool", "PoolDepths", "leave_one_out", "pool", "pool_depths"],
        "power": ["Power", "pdp"],
        "ranking": ["Ranking", "rank"],
        "scores": ["ScoreTable", "score"],
        "sets": ["Judgments", "Labels", "Runs", "read_judgments", "read_qrels", "read_runs"],
        "sweeps": ["SweepResult", "sweep"],
        "tied_scores": ["Ties", "ties"],
        "unjudged": ["Unjudged", "unjudged"],
        "workers": ["Workers", "workers"],
    },
)

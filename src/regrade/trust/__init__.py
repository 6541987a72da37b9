"""Which cut to trust: judged on what it was not chosen on, and chosen from judgments drawn anew.

`searches` runs the search of a transformation again, `named_cuts` are those to hold it beside,
`systems` ranks under any labels. `held_out` judges on what did not choose, `gains` what the chosen
cut gains there; `resampling` draws units, workers and documents anew for `bootstrap`; `plateau` has
the cuts not significantly worse than the best; `best_cut` has all of these of one search in memory.
Without a reference `rules` choose; `budget` says how few labels, topics and judges will do.
`judges` (each one's), `crowd` (many labels as one) and `transfer` (cuts chosen elsewhere) are of
judges.
"""

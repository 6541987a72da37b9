"""Every combination of choices: what each concludes, what holds in all, and which choice decides.

A *universe* is one choice on each axis: whose labels and how cut, what unjudged documents count
for, the pool, the order of ties, the measure, the topics, the test. `options` is what a user
writes, `configured` reads it of a collection, `axes` which universes there are, `labels` and `runs`
make what is scored, `outcomes` scores it and tests all pairs of systems, `sweep` does all of these,
`store` keeps what was made, `sums` and `parts` add up over universes, `shares` says what each axis
decides, `totals`, `counts` and `curve` tell what came out, `results` and `jobs` put it together,
here and by jobs. `score_sweep` is of scores by item, without rankings of documents. `label_sweep`
and `label_results` are of labels alone, as what people read, `label_answer`, `label_tables` and
`label_figures`; `curve_figures` draws the curves of both,
`explorer_page` packs what a page shows of a sweep.
"""

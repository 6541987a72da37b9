"""α of every cut of a scale, exactly, by the six methods of han2019 (Table 2).

`data` turns tables into one topic's arrays, `thresholds` says which cuts a scale has, `options` how
α is computed; `kernels`, `votes` and `unitwise` find α of every cut of one topic, `search` over a
collection, `parts` shares topics out to jobs, `sources` reads for these, `means` averages over
topics, `best` picks and puts the methods together.

What is said of searches: `groups`, `reference_tests`, `internal_agreement`, `pooled`, `overlaps`,
`experts`, `source_comparisons` (two searches), `explorer` (what a page needs to find α of any cut;
`explorer_page` packs it).
What cuts do to systems: `labels` (under chosen ones), `cut_scores` (under every one), `system_tau`,
`discrimination`. By what else cuts can be chosen: `joint_counts` and `objectives` beside a
reference's labels, `criterion_picks`, `optimum` (the best without enumerating), `levels` (how
many); `weighed` reads for these. The cut to use: `recommended`, its numbers by name in
`recommended_numbers`; `given_question` and `given_answer`: grades under given thresholds.
"""

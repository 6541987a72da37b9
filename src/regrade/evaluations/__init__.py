"""Two sets of judgments of the same documents: would the evaluation have come out differently?

`label_agreement` compares labels, `system_rankings` rankings and halves of topics, `top_systems`
the top k systems, `pair_outcomes` pairs and whether more of them change than topics alone would
change, `tie_orders` what the order of tied documents moves; `compare_sets` has all of them.
Several judges beside one reference:
`cut_labels` (their labels, cut in every way, held out), `judges`, `judge_differences` (which is
best, and how much is the judge, how much the cut), `pooled_reference` (whether the reference is the
judges' own vote). Both are asked by `comparison_question` and `judges_question`, say
`comparison_answer` and `judges_answer`, and show `comparison_tables`, `comparison_figures`,
`judges_tables`, `judges_figures`, and on the page `page_figures`.
"""

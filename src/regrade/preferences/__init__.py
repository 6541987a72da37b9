"""Preferences between documents: tasks that ask for them, and what the answers say.

Tasks: `pairing` makes lists of pairs, `design` and `tasks` a topic's, `answer_key` what test
questions accept. Answers: `checks` says what counts, `scores` gives documents numbers, by `fits`,
with the intervals of `profiles`, as a stage writes them in `document_scores`; `consistency` and
`intransitivity` ask whether there is an order, `pair_numbers` has what is said of it. Beside
labels: `label_comparison`, `agreement`. Who answers: `workers`, `effects` (mixed models),
`partitions`. Systems: `systems`, `gains` under scores. With fewer pairs: `posterior` (strengths
with a prior), `subsets`, `next_pairs` (policies, replayed), `asking` (by them, what to ask),
`stopping`.
"""

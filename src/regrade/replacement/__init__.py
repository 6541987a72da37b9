"""Whether a judge can replace people: its cost beside that of a second person, within margins.

`margins` has the lines and the one verdict on them, `shared` the documents that all judged,
`annotators` the alternative annotator test, `label_lines` and `system_lines` what is measured of
labels and of systems, `line_samples` the lines in bootstrap samples, `failures` the topics where a
judge fails, and `judge_replacement` all tables.
"""

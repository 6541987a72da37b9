"""Few human labels, many by a model: what full judging would have said.

`frame` holds the documents that may be asked about and where systems rank them, `listed` says which
these are; `functionals` what measures are of their grades; `inclusion` says which documents people
label, `assignment` chooses them, `samples` takes in what they said, `design_checks` holds that
against the choice; `grades` learns from their labels what people would have said of the others
(`chains`: topic by topic), `posterior` draws that; `estimates` puts labels and draws together,
`maxima` looks at all differences at once, `replays` measures how often intervals hold, and
`measure_estimates` shows all. `labels` says of labels themselves which grades all documents would
have, and how far a model agrees; `missing` bounds what missing ones may do.  `batches` says what a
label stands for where documents were chosen in several, `stopping` whether more labels are needed,
and `kernels` holds what is compiled.
"""

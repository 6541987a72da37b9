"""Scores of systems by item: files and frames of any shape, as a typed table.

`parts` makes of a source rows with a value each, one part for each file: `objects` are those of
evaluation frameworks' files, `lines` those of trec_eval and its like, and `layouts` tells of
columns what they hold; each makes `rows`, of which `means` leaves out what is none of an item's,
and `table` one table of all parts. `recognition` tells whether a file holds scores.
"""

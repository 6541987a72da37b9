"""Scores of systems by item: what `regrade.readers.item_scores` reads them by.

`objects` are those of evaluation frameworks' files, `lines` those of trec_eval and its like, and
`layouts` tells of columns what they hold; each makes `rows`, and `table` one table of all.
"""

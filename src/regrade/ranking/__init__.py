"""Which system is best, and how sure that is.

`copies` finds runs that are the same. `layout` says which items are one unit (clusters) and of one
data set, `sample` has the values of units, `repeats` what seeds and trials of a system vary by,
`datasets` the rankings on each data set, `moments` the differences of many pairs on many items.
`draws` draws units for all pairs of systems at once and for the best; `pairs` has their
differences, with intervals that hold all together; `systems` ranks, sets of ranks and tiers that
follow from these; `reliability` how much of the variance of scores is the systems' and `halves` how
alike other topics' rankings are; `power` minimum detectable differences, `beside_best` whether more
topics would separate the best system from each other one; `rank_systems` puts all together,
`explorer_page` packs it for the page, `dataset_figures` draws the rankings on each data set.
`possible_ranks` are those that ranges of scores leave open.
"""

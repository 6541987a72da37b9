"""Which system is best, and how sure that is.

`pairs` has the differences of all pairs of systems, with intervals that hold all at once;
`systems` ranks, sets of ranks and tiers that follow from these; `reliability` how much of the
variance of scores is the systems'; `decision` how that grows with topics; `power` what differences
can be found; `tables` puts all together.
"""

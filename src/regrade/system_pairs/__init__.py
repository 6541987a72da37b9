"""Two systems, compared topic by topic.

`paired_tests` has the difference by each test, its interval, effect size and power, and the
randomisation test by all assignments of signs where these are few; `item_groups` the mean
difference over clusters, data sets and repeats; `margins` equivalence, non-inferiority and
losses; `gate` what a new system passes or fails at, `gate_question` asks it.
"""

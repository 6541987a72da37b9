"""Two systems, compared topic by topic.

`paired_tests` has the difference by each test, its interval, effect size and power, and the
randomisation test by all assignments of signs where these are few.
"""

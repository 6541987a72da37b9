"""What is a panel of judges worth?

`errors` puts judges and people on the same documents and one scale, `effective` has the moments of
the judges' errors and the effective number of judges, `controls` those free of people's errors by
labels of further people, `growth` the panels of every size: their
agreement with people and their ranking of systems, of random panels and of panels chosen on other
topics. `panel` makes the tables.
"""

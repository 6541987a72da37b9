"""Magnitude estimation: relevance on a ratio scale (turpin2015).

`normalising` puts a topic's units on one scale and has one magnitude of each document, `units`
checks units. Beside labels (`label_comparison` holds what these share): `levels`, `pairs`,
`discordant`, `gains`. Systems under magnitudes: `scores`, `systems`. How much judgments vary:
`resampling` draws them anew, `samples` hears fewer, `intervals`. `steps` makes all tables of each
step, `gain_numbers` what the answer is made of.
"""

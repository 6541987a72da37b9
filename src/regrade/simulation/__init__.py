"""Simulated collections and judgments: seeded, for demonstrations, tests and what-if studies.

`parameters` are the knobs. `collection` makes runs and labels, `pool` what judges see and the
latent relevance, `judgments` experts' and a crowd's, whose members `crowds` describes, `answers`
those about pairs.
"""

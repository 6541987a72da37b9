"""What a user came for, in numbers and in sentences: a module a question.

`shape` is what an answer is, for library, command and report alike; `words` and `changed` hold each
wording once, `glossary` the terms, `numbers` the numbers of sentences by name. The questions:
`ranking`, `ties` and `unjudged` (both by `orders`: which are possible), `leave_one_out`, `pool`,
`compare`, `judges`, `cuts`, `estimate`, `calibration`, `sweep`, `label_sweep`, `workers`, `pairs`,
`pdp`, `magnitudes`.
"""

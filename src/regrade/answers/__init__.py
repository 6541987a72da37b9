"""What answers to all questions share; each stands in its subject's folder, as `answer`.

`shape` is what an answer is, for library, command and report alike, `table` its small table;
`words` and `changed` hold each wording once, `pair_tests` the names of tests, `glossary` the terms,
`orders` (of ties and of unjudged documents) which orders of systems are possible.
"""

"""Every combination of choices: what each concludes, what holds in all, and which choice decides.

A *universe* is one choice on each axis: whose labels and how cut, what unjudged documents count
for, the pool, the order of ties, the measure, the topics, the test.  `axes` says which there are,
`labels` and `rankings` make what is scored, `outcomes` scores it and tests all pairs of systems,
`store` keeps what was made, `sums` adds up over universes, and `tables` tells what came out.
"""

"""What the collected tables hold: ties, contradictions, unjudged documents, coverage, values.

Nothing here is an error but parts that share nothing (`overlap`); it is what a reader wants to know
before believing a number: `rankings`, `sets`, `crowd` (each worker) and `worker_groups` (who agrees
among themselves only), on `columns` as arrays; `summary` has the facts, `warnings` what must be
known before any result, `unwanted` which rows are left out on purpose, `overview` the numbers of
the page's first screen.
"""

"""One effect in several collections: in each, over them, and how much it differs among them.

`effects` reads an effect from the tables of each collection, `pooled` has the means over
collections and the order of judges by them, `heterogeneity` Cochran's Q, τ² and I², and
`margin_verdicts` the verdict on means that are compared with margins.
"""

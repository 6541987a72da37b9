"""regrade inside other packages: each module is imported by whoever has its package.

`ir_measures` makes measures of `ir_measures`, which PyTerrier takes, of what ties and unjudged
documents leave open; `pandas` the accessor ``frame.regrade``.
"""

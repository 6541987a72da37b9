"""regrade: would the evaluation have come out differently?

A library of pure functions over arrays and tables: readers and tables at the
bottom, measures and agreement on them, the studies' methods on those, figures
on top.  It knows nothing of Snakemake, of the configuration or of where files lie.
"""

__version__ = "0.1.0"

"""α of every cut of a scale, exactly, by the six methods of han2019 (Table 2).

`data` turns tables into one topic's arrays, `kernels` finds α of every cut of one topic,
`search` runs a method over a collection, `best` picks the best cuts.
"""

from regrade.cutsearch.best import best_cuts, top_cuts
from regrade.cutsearch.search import CutSearch, search

__all__ = ["CutSearch", "best_cuts", "search", "top_cuts"]

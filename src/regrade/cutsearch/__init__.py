"""α of every cut of a scale, exactly, by the six methods of han2019 (Table 2).

`data` turns tables into one topic's arrays, `kernels` finds α of every cut of one topic,
`search` runs a method over a collection, `best` picks the best cuts.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "best": ["best_cuts", "tied_cuts", "top_cuts"],
        "search": ["CutSearch", "UnservedError"],
    },
)

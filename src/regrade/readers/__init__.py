"""One way in for files and frames: bytes, rows, a typed table.

`encodings` makes bytes of files, `lines` columns of these, `records` columns of files that name
them, and `shapes` of other tools' files, under names that `spellings` knows; `formats` tells how a
file is written. `rows` are checked, `sources` makes them of whatever the library is given and tells
what files hold, and `values` puts them on scales; `mixed` tells apart rows of several sets. A typed
table of each kind: `runs`, `labels` (judgments too, and samples, of TREC's five fields `sampled`),
`preferences`, `groups`, `pages` (result pages that people compared or rated), and the package
`scores` (of systems by item).
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "groups": ["read_groups", "read_pool_origins"],
        "preferences": ["read_preferences"],
        "labels": ["read_judgments", "read_qrels"],
        "rows": ["read_panel"],
        "runs": ["read_runs"],
    },
)

"""One way in for files and frames: bytes, rows, a typed table.

`encodings` makes bytes of files; `formats` tells how a file is written, `kinds` what it holds.
`lines` makes columns of bytes, `records` of JSON, Parquet and workbooks, and `shapes` of other
tools' files, under names that `spellings` knows. `rows` are checked, `sources` makes them of
whatever the library is given, and `values` puts them on scales; `mixed` tells apart rows of several
sets, `guards` keeps names from being a spreadsheet's formulas. A typed table of each kind: `runs`,
`qrels`, `judgments`, `preferences`, `groups`, `panel` (a file for each judge), `samples` (labels of
documents chosen at random), `pages` (two result pages), `rated_lists`.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "groups": ["read_groups", "read_pool_origins"],
        "judgments": ["read_judgments"],
        "panel": ["read_panel"],
        "preferences": ["read_preferences"],
        "qrels": ["read_qrels"],
        "runs": ["read_runs"],
    },
)

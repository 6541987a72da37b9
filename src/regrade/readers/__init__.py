"""Readers of what others wrote: TREC runs, labels, workers' judgments and preferences.

`encodings` makes bytes of files, `lines` columns of bytes, `records` columns of JSON, Parquet and
workbooks; `formats` tells how a file is written, `spellings` are the names that columns go by,
`shapes` other tools' files; `rows` and `values` check rows and put values on scales, `mixed` tells
apart rows of several sets; `guards` keeps names from being a spreadsheet's formulas. A module for
each kind: `runs`, `qrels`, `judgments`, `preferences`, `groups`, `panel` (a file for each judge),
`samples` (labels of documents chosen at random), `pages` (two result pages), `rated_lists`.
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

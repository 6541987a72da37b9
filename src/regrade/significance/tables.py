"""The table of how many pairs of systems differ under whole sets of judgments."""

from __future__ import annotations

import pandas as pd

from regrade.show.published import Tables, crossed
from regrade.significance.items import SIGNIFICANCE

ITEM = SIGNIFICANCE[0]


def table_significance(ratios: pd.DataFrame) -> Tables:
    """Discrimination ratios, a column for each set.

    Of all pairs and, where groups are known, of those across groups. The tidy table has
    ``n_pairs``, ``undefined`` and ``significant`` pairs.
    """
    ours = ratios.assign(ours=100 * ratios["ratio"])
    extra = ["n_pairs", "undefined", "significant"]
    rows = ["pairs", "n_pairs", "measure", "test"]
    tidy, readable = crossed(ITEM, ours, extra=extra, rows=rows)
    return tidy, readable.rename(columns={"n_pairs": "number"})

"""The rows of ``best_cuts`` that say why a method has no cut."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from regrade.schemas import ALL_TOPICS, SCHEMAS


def unserved_cuts(reasons: Mapping[str, str]) -> pa.Table:
    """One row for each method that was not searched at all.

    Parameters
    ----------
    reasons
        From the method to why the data cannot serve it.

    Returns
    -------
    Table in schema ``best_cuts``: topic ``*``, no cut, the reason as `note`.
    """
    counts = dict.fromkeys(("tied", "runs", "n_defined", "n"), 0)
    rows = [
        {"method": method, "topic": ALL_TOPICS, "note": reason} | counts
        for method, reason in reasons.items()
    ]
    return pa.Table.from_pylist(rows, SCHEMAS["cuts/best_cuts"])

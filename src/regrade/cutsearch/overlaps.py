"""Which documents of a pool each set of a collection has judged (han2019 §3.1, Table 1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of


def overlaps(
    sets: Mapping[str, pa.Table],
    pool: str,
    levels: Mapping[str, int | None],
    simulated: frozenset[str] | set[str] = frozenset(),
) -> pd.DataFrame:
    """The documents that each set shares with one of them."""
    keys = ("topic", "docno")
    known = {
        name: set(zip(*(table[key].to_pylist() for key in keys), strict=True))
        for name, table in sets.items()
    }
    of_pool = known[pool]
    rows = []
    for name, documents in known.items():
        shared = len(documents & of_pool)
        row = {"set": name, "kind": "expert" if "grade" in sets[name].column_names else "crowd"}
        row |= {"simulated": name in simulated, "levels": levels[name]}
        row |= {"topics": len({topic for topic, _ in documents}), "documents": len(documents)}
        row |= {"pool": pool, "pool_documents": len(of_pool), "shared": shared}
        rows.append(row | {"share": shared / len(of_pool) if of_pool else np.nan})
    frame = pd.DataFrame(rows, columns=columns_of("overlaps/sets"))
    return frame.astype({"levels": "Int32"})

"""Small tables of magnitudes for tests."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from regrade.catalogue.arrow import SCHEMAS
from regrade.magnitudes.resampling import GAINS, all_gains

NAMES = ("topic", "docno", "worker", "unit", "value", "seconds", "back", "failed")

MAGNITUDES = st.one_of(
    st.sampled_from([0.5, 1.0, 2.0, 3.0, 10.0, 100.0]), st.floats(1e-6, 1e9, allow_subnormal=False)
)


def judgments_of(rows) -> pa.Table:
    """Judgments of rows of topic, docno, worker, unit, value, and maybe seconds, back, failed."""
    schema = SCHEMAS["judgments"]
    plain = pa.schema([(f.name, getattr(f.type, "value_type", f.type)) for f in schema])
    rows = [dict.fromkeys(schema.names) | dict(zip(NAMES, row, strict=False)) for row in rows]
    return pa.Table.from_pylist(rows, schema=plain).cast(schema)


@st.composite
def judged(draw):
    """Rows of a few topics, in units of several sizes, some of several by one worker."""
    rows = []
    for topic in range(draw(st.integers(1, 3))):
        for unit in range(draw(st.integers(1, 4))):
            worker = draw(st.sampled_from("ab"))
            given = draw(st.lists(MAGNITUDES, min_size=1, max_size=5))
            # names of units come again for other topics and workers
            rows += [
                (f"t{topic}", f"d{place}", worker, f"u{unit}", v) for place, v in enumerate(given)
            ]
    return rows


def gain_table(judgments, gains, aggregate="median") -> pa.Table:
    """Gains of each topic's judgments as labels, which systems can be scored with."""
    grades = [all_gains(topic, aggregate)[:, GAINS.index(gains)] for topic in judgments]
    columns = {
        "topic": pa.array([topic.topic for topic in judgments for _ in topic.docnos], pa.string()),
        "docno": pa.array([docno for topic in judgments for docno in topic.docnos], pa.string()),
        "grade": np.concatenate([np.empty(0), *grades]),
    }
    return pa.table(columns).cast(SCHEMAS["qrels"])

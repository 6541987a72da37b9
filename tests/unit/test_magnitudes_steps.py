"""All tables of magnitudes: which units are narrow, and what is told while units are checked."""

import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue import ALL_TOPICS
from regrade.magnitudes.resampling import NARROW, NEITHER, WIDE
from regrade.magnitudes.steps import MagnitudeOptions, judgments_by_topic, unit_tables
from tests.unit.magnitudes import judgments_of
from tests.unit.test_magnitudes_systems import normalised_frame, units_frame
from tests.unit.test_magnitudes_units import labels, unit


@pytest.mark.parametrize(
    ("median", "widths"), [(3.0, [NARROW, WIDE, WIDE, NEITHER]), (np.nan, [NEITHER] * 4)]
)
def test_units_below_the_middle_width_of_all_topics_are_narrow(median, widths):
    """Where no unit has a width, none is narrow or wide."""
    rows = [("1", f"d{n}", f"w{n}", "u", 1.0) for n in range(4)]
    units = units_frame(
        {("1", f"w{n}", "u"): width for n, width in enumerate([2.0, 3.0, 4.0, np.nan])}
    )
    over = pd.DataFrame({"topic": ["1", ALL_TOPICS], "median": [9.0, median]})
    (found,) = judgments_by_topic(normalised_frame(rows), units, over)
    assert found.widths.tolist() == widths


def test_topics_without_known_documents_and_units_that_fail_are_told(caplog):
    """The second topic has no label; the unit v puts the known low document above the high one."""
    rows = [
        *unit("u", {"H": 5.0, "N": 1.0}),
        *unit("v", {"H": 1.0, "N": 5.0}, worker="x"),
        *unit("u", {"a": 5.0, "b": 1.0}, topic="2", worker="y"),
    ]
    known = pa.Table.from_pandas(labels(H=3, N=0), preserve_index=False)
    with caplog.at_level(logging.INFO, "regrade.magnitudes.steps"):
        found = unit_tables(judgments_of(rows), MagnitudeOptions(leave_out=["order"]), known)
    assert found["units"]["kept"].tolist() == [True, False, True]
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "1 of 2 topics have no known documents (2: no document of the topic is known)",
        "1 of 3 units fail a check",
        "1 units are left out",
    ]

"""One magnitude per document: against plain Python, and labels made of magnitudes."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import AGGREGATIONS, DOCUMENT_AGGREGATES, MAGNITUDE_NORMALISATIONS
from regrade.errors import MethodError, ParameterError
from regrade.magnitudes.normalising import (
    aggregated_labels,
    document_table,
    normalise,
    normalised_table,
)
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from tests.reference import magnitudes as reference
from tests.unit.magnitudes import judged, judgments_of


@pytest.mark.parametrize("how", MAGNITUDE_NORMALISATIONS)
@given(rows=judged())
@settings(max_examples=12)
def test_against_plain_python(how, rows):
    judgments = judgments_of(rows)
    normalised = normalised_table(judgments, how)
    assert list(normalised) == columns_of("magnitudes/normalised")
    assert len(normalised) == len(rows)
    found = document_table(normalised)
    assert list(found) == columns_of("magnitudes/documents")
    for prefix, table in (("", judgments), ("normalised_", normalise(judgments, how))):
        expected = reference.documents(table.to_pylist())
        assert list(zip(found.topic, found.docno, strict=True)) == list(expected)
        n, median, mean = map(list, zip(*expected.values(), strict=True))
        assert found.n.tolist() == n
        assert found[f"{prefix}median"].tolist() == median
        np.testing.assert_allclose(found[f"{prefix}geometric_mean"], mean, rtol=1e-12)


@given(rows=judged(), seed=st.integers(0, 99))
@settings(max_examples=10)
def test_order_of_rows_changes_no_bit(rows, seed):
    judgments = judgments_of(rows)
    other = judgments.take(np.random.default_rng(seed).permutation(len(rows)))
    tables = [normalised_table(j) for j in (judgments, other)]
    pd.testing.assert_frame_equal(*tables, check_exact=True)
    shuffled = tables[0].sample(frac=1, random_state=seed)
    pd.testing.assert_frame_equal(
        document_table(tables[0]), document_table(shuffled), check_exact=True
    )
    for how in DOCUMENT_AGGREGATES:
        assert aggregated_labels(judgments, how).equals(aggregated_labels(other, how))


def test_tables_can_be_written(tmp_path):
    rows = [("1", d, w, "u", v) for w in "xy" for d, v in zip("ab", (1.0, 3.0), strict=True)]
    normalised = normalised_table(judgments_of(rows))
    for name, table in (("normalised", normalised), ("documents", document_table(normalised))):
        write_table(table, tmp_path / "t.parquet", f"magnitudes/{name}")
        read = read_table(tmp_path / "t.parquet", f"magnitudes/{name}")
        assert read.num_rows == len(table)
    assert document_table(read_back(tmp_path, normalised)).equals(document_table(normalised))


def read_back(folder, normalised):
    write_table(normalised, folder / "n.parquet", "magnitudes/normalised")
    return read_table(folder / "n.parquet")


def test_a_value_of_0_has_no_ratios():
    rows = [("1", d, "w", "u", v) for d, v in zip("ab", (0.0, 99.0), strict=True)]
    with pytest.raises(MethodError, match=r"document a, worker w: value is 0.*`shift`"):
        normalised_table(judgments_of(rows))


def test_a_worker_counts_once():
    """Worker x gives the known document 2, 4 and 9 in three units: 4 counts, once."""
    rows = [("1", "known", "x", u, v) for u, v in (("1", 2.0), ("2", 4.0), ("3", 9.0))]
    rows += [("1", "known", "y", "4", 1.0), ("1", "other", "x", "1", 3.0)]
    found = document_table(normalised_table(judgments_of(rows), "none")).set_index("docno")
    assert found.n.to_dict() == {"known": 2, "other": 1}
    assert found.loc["known", "median"] == 2.5
    assert found.loc["known", "geometric_mean"] == pytest.approx(2)


def test_labels_are_those_of_the_documents():
    rows = [("1", d, w, "u", v) for w, vs in (("x", (1.0, 4.0)), ("y", (2.0, 100.0)))
            for d, v in zip("ab", vs, strict=True)]  # fmt: skip
    judgments = normalise(judgments_of(rows))
    found = document_table(normalised_table(judgments, "none"))
    for how in ("median", "geometric_mean"):
        labels = aggregated_labels(judgments, how)
        assert labels.schema.equals(SCHEMAS["qrels"])
        assert labels["grade"].to_pylist() == found[how].tolist()
        assert labels["docno"].to_pylist() == ["a", "b"]
    assert aggregated_labels(judgments, "mean")["grade"].to_numpy() == pytest.approx(
        judgments.to_pandas().groupby("docno", observed=True).value.mean().to_numpy()
    )


def test_labels_of_scales_with_zeros():
    judgments = judgments_of([("1", "a", "x", None, 0.0), ("1", "a", "y", None, 3.0)])
    for how in AGGREGATIONS:
        assert aggregated_labels(judgments, how)["grade"].to_pylist()[0] >= 0
    with pytest.raises(MethodError, match="value is 0"):
        aggregated_labels(judgments, "geometric_mean")


def test_unknown_choices():
    judgments = judgments_of([("1", "a", "x", "u", 1.0)])
    with pytest.raises(ParameterError, match="unknown aggregation 'geometric'; did you mean"):
        aggregated_labels(judgments, "geometric")


def test_without_units_there_is_no_table():
    judgments = judgments_of([("1", "a", "x", None, 1.0)])
    with pytest.raises(MethodError, match="have no unit"):
        normalised_table(judgments, "none")


def test_no_judgments():
    nothing = normalised_table(judgments_of([]))
    assert list(nothing) == columns_of("magnitudes/normalised")
    assert list(document_table(nothing)) == columns_of("magnitudes/documents")
    assert document_table(nothing).empty
    assert aggregated_labels(judgments_of([]), "geometric_mean").equals(
        pa.Table.from_pylist([], schema=SCHEMAS["qrels"])
    )


def test_labels_that_are_not_on_the_scale_are_refused():
    judgments = judgments_of([("1", "a", "x", "u", 1.0), ("1", "a", "y", "v", 2.0)])
    levels = Scale.of({"levels": 4})
    with pytest.raises(MethodError, match=r"topic 1, document a: the median 1.5 is not on"):
        aggregated_labels(judgments, scale=levels)
    assert aggregated_labels(judgments, "median_low", scale=levels)["grade"].to_pylist() == [1.0]
    assert aggregated_labels(judgments, scale=Scale.of({"range": [0, 3]})).num_rows == 1

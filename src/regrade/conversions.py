"""Arrays of numpy from those of Arrow, and back.

The conversions of pyarrow itself (`to_numpy`, `pyarrow.array`, `pyarrow.scalar`) load pandas where
it is installed, to see whether they were given a series; this takes longer than to read and score
a run. Of numbers and names that is not needed: both have the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa


def to_numpy(values: pa.Array | pa.ChunkedArray, missing: float | None = None) -> np.ndarray:
    """(n,) numbers, or whether something is so, not to be written to where they share memory.

    `missing` stands for nulls; without it there may be none but of floats, where it is NaN.

    Raises
    ------
    ValueError
        If there are nulls, and nothing stands for them.
    """
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if pa.types.is_boolean(array.type):
        return to_numpy(array.cast(pa.uint8()), missing).astype(bool)
    kind = np.dtype(array.type.to_pandas_dtype())
    validity, data = array.buffers()
    if not len(array):
        return np.empty(0, kind)
    numbers = np.frombuffer(data, kind, len(array), array.offset * kind.itemsize)
    if not array.null_count:
        return numbers
    if missing is None and kind.kind != "f":
        raise ValueError(f"{array.null_count} of {len(array)} values are null")
    bits = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little")
    is_valid = bits[array.offset : array.offset + len(array)].astype(bool)
    return np.where(is_valid, numbers, kind.type(np.nan if missing is None else missing))


def to_arrow(values: np.ndarray) -> pa.Array:
    """Numbers, or whether something is so, as they are: NaN is a number."""
    if values.dtype == bool:
        kind, buffer = pa.bool_(), np.packbits(values, bitorder="little")
    else:
        kind, buffer = pa.from_numpy_dtype(values.dtype), np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(buffer)])


def to_strings(names: Sequence[str]) -> pa.StringArray:
    """Names."""
    encoded = [name.encode() for name in names]
    offsets = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(one) for one in encoded], out=offsets[1:])
    text = pa.py_buffer(b"".join(encoded))
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(offsets), text)

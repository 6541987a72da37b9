"""Arrays in a page: one after the other, deflated, beside what is said of them in JSON."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence

import numpy as np


class Buffer:
    """Arrays one after the other, each at a multiple of eight bytes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.length = 0
        self.arrays: list[tuple[str, int, int]] = []

    def add(self, values: Sequence[float] | np.ndarray, kind: str | None = None) -> int:
        """Put an array into the buffer; where it stands in `arrays`.

        Without a kind whole numbers, in the smallest type that holds them.
        """
        values = np.asarray(values)
        if kind is None:
            highest = int(values.max(initial=0))
            kind = "u1" if highest < 1 << 8 else "u2" if highest < 1 << 16 else "i4"
        values = np.ascontiguousarray(values, dtype=f"<{kind}")
        data = values.tobytes()
        self.arrays.append((values.dtype.str[-2:], self.length, len(values)))
        data += bytes(-len(data) % 8)
        self.parts.append(data)
        self.length += len(data)
        return len(self.arrays) - 1

    def with_page(self, page: Mapping) -> str:
        """A page's data as JSON for a ``script`` element, with all of this, deflated."""
        data = base64.b64encode(zlib.compress(b"".join(self.parts), 9)).decode("ascii")
        page = {**page, "arrays": self.arrays, "data": data}
        return json.dumps(page, ensure_ascii=True).replace("<", "\\u003c")

"""Arrays in a page: one after the other, deflated, beside what is said of them in JSON."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

LONG = 2000
"""Characters of JSON beyond which a part of a page is deflated with the arrays."""


class Buffer:
    """Arrays one after the other, each at a multiple of eight bytes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.length = 0
        self.arrays: list[tuple[str, int, int]] = []
        self.places: dict[tuple[str, bytes], int] = {}

    def add(self, values: Sequence[float] | np.ndarray, kind: str | None = None) -> int:
        """Put an array into the buffer, the same one once; where it stands in `arrays`.

        Without a kind whole numbers, in the smallest type that holds them. ``d1`` is ``u1`` as
        differences of neighbours modulo 256, which are small where values are smooth.
        """
        values = np.asarray(values)
        if kind is None:
            highest = int(values.max(initial=0))
            kind = "u1" if highest < 1 << 8 else "u2" if highest < 1 << 16 else "i4"
        if kind == "d1":
            values = np.diff(values.astype(np.uint8), prepend=np.uint8(0))
        values = np.ascontiguousarray(values, dtype="u1" if kind == "d1" else f"<{kind}")
        data = values.tobytes()
        if (place := self.places.setdefault((kind, data), len(self.arrays))) < len(self.arrays):
            return place
        self.arrays.append((kind, self.length, len(values)))
        data += bytes(-len(data) % 8)
        self.parts.append(data)
        self.length += len(data)
        return len(self.arrays) - 1

    def with_page(self, page: Mapping) -> str:
        """A page's data as JSON for a ``script`` element, with all of this, deflated.

        So are its long parts, as arrays of JSON: `texts` says which.
        """
        short, texts = {}, {}
        for name, value in page.items():
            text = json.dumps(value, ensure_ascii=True)
            if len(text) > LONG:
                texts[name] = self.add(np.frombuffer(text.encode("ascii"), np.uint8), "u1")
            else:
                short[name] = value
        data = base64.b64encode(zlib.compress(b"".join(self.parts), 9)).decode("ascii")
        page = {**short, "texts": texts, "arrays": self.arrays, "data": data}
        return json.dumps(page, ensure_ascii=True).replace("<", "\\u003c")

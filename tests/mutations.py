"""Files as accidents leave them: what one holds, changed at random."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import regrade
from regrade.api.item_scores import read_scores
from regrade.api.sets import read_set
from regrade.errors import RegradeError
from regrade.readers.groups import read_groups

ODD = (
    b"", b" ", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8",
    b"\xc2\xa0", b",", b";", b'"', b"'", b"{", b"}", b"[", b"]", b":", b"\\", b"\\ud83d", b"|",
    b"NaN", b"null", b"inf", b"-1", b"1e999", b"0x10", b"1_0", b"1,5", b"true", b"9" * 30,
    b"9" * 5000, b"-0", b"#", b"=1+1", b"<b>", b"all", b"Q0", b"[" * 3000, b'{"a":' * 500,
    "é".encode(), "é".encode("utf-16"), "㊙".encode(), b"\x1b[31m", b"topic", b"docno", b"worker",
)  # fmt: skip
"""What is put in places where nobody expects it."""


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes with one to four accidents: cut off, doubled, moved, replaced, joined, packed."""
    for _ in range(rng.integers(1, 5)):
        start, end = np.sort(rng.integers(0, len(data) + 1, 2))
        odd = ODD[rng.integers(len(ODD))]
        lines = data.splitlines(keepends=True)
        match rng.integers(8):
            case 0:
                data = data[:start]
            case 1:
                data = data[:start] + odd + data[start:]
            case 2:
                data = data[:start] + data[min(end, start + 20) :]
            case 3:
                data = data[:end] + data[start:end] + data[end:]
            case 4:
                data = b"".join(rng.permuted(np.array(lines, object)).tolist()) or data
            case 5 if data:
                flipped = bytearray(data)
                flipped[min(start, len(data) - 1)] ^= 1 << rng.integers(8)
                data = bytes(flipped)
            case 6 if lines:
                row = rng.integers(len(lines))
                fields = lines[row].replace(b",", b"\t").split(b"\t")
                fields[rng.integers(len(fields))] = odd
                lines[row] = (b"," if b"," in lines[row] else b"\t").join(fields)
                data = b"".join(lines)
            case _:
                words = data.split(b" ")
                words[rng.integers(len(words))] = odd
                data = b" ".join(words)
    if rng.random() < 0.05:
        data = gzip.compress(data)[: rng.integers(1, 200)]
    return data


FORMATS = Path(__file__).parent / "data" / "formats"
"""Files of other tools."""

EXAMPLES = (
    b"1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n",
    b"1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n",
    b"x one\ny two\n",
    b"1 a b a\n1 b c tie\n",
    b"runid all x\nmap 1 0.5\nmap 2 0.25\nmap all 0.375\n",
    b"item,old,new\n1,0.5,0.25\n2,true,0\n",
    *(path.read_bytes() for path in sorted(FORMATS.rglob("*")) if path.is_file()),
)
"""What is changed: runs, qrels, groups, preferences, scores, and what other tools write."""

READERS: tuple[Callable[[Path], object], ...] = (
    regrade.look,
    read_set,
    regrade.read_qrels,
    regrade.read_runs,
    regrade.read_preferences,
    read_scores,
    read_groups,
)


def tracebacks(folder: Path, count: int, seed: int) -> Iterator[tuple[bytes, str, Exception]]:
    """What every reader raises of mutated files that is no message for a user.

    Parameters
    ----------
    folder
        Where one file after another is written.
    count
        How many files.
    seed
        Of the accidents.

    Yields
    ------
    bytes, str, Exception
        The file, the reader and what it raised.
    """
    rng = np.random.default_rng([seed, count])
    path = folder / "mutated"
    for _ in range(count):
        data = mutated(EXAMPLES[rng.integers(len(EXAMPLES))], rng)
        path.write_bytes(data)
        for read in READERS:
            try:
                read(path)
            except RegradeError:
                pass
            except Exception as error:
                yield data, read.__name__, error

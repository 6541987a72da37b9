"""Tens of thousands of files that accidents have changed: which of them end in a traceback.

``python -m benchmarks.mutations --files 30000`` takes some ten minutes; the unit tests of this name
read a few.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

from tests.mutations import READERS, tracebacks


def main() -> None:
    """Print each that did, and how many were read."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    start, count = time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for count, (data, read, error) in enumerate(  # noqa: B007
            tracebacks(Path(folder), given.files, given.seed), 1
        ):
            print(f"{read}: {error!r:.200}: {data[:200]!r}", flush=True)
    seconds = time.perf_counter() - start
    print(f"{given.files:,} files, {len(READERS)} readers: {count} tracebacks, {seconds:.0f} s")
    sys.exit(count > 0)


if __name__ == "__main__":
    main()

"""What the tables over samples from populations share: their command line, and their head."""

from __future__ import annotations

import argparse
from pathlib import Path


def asked(about: str | None, repetitions: int) -> argparse.Namespace:
    """The folder of ``data``, or none, and how many ``repetitions`` there are to be.

    Parameters
    ----------
    about
        What is printed for help.
    repetitions
        How many unless told.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repetitions", type=int, default=repetitions)
    return parser.parse_args()


def print_head(*columns: str) -> None:
    """Print the names of columns, and the line below."""
    print("|", " | ".join(columns), "|")
    print("|---" * len(columns) + "|")

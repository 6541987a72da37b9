"""How far from the truth it is how many pairs of systems are said to be in the right order.

    python -m benchmarks.in_order [--data FOLDER] [--repetitions 200]

Populations and samples are those of the claim "in order" (``tests/coverage/claims.py``).  Printed
are the true share, and of what is said less that the mean and the standard deviation, in points:
the table of docs/methods/ranking.md.
"""

from __future__ import annotations

from benchmarks.samples import asked, print_head
from tests.coverage.claims import in_order
from tests.coverage.ranking import ordered_populations

TOPICS = (10, 25, 50)


def main() -> None:
    """Print the table."""
    given = asked(__doc__, 200)
    print_head("population", *(f"{topics} topics" for topics in TOPICS))
    for name, source in ordered_populations(given.data).items():
        cells = []
        for topics in TOPICS:
            true, said, _ = in_order(source(), topics, given.repetitions, seed=1).T
            error = 100 * (said - true)
            cells.append(f"{true.mean():.0%}: {error.mean():+.1f}, {error.std(ddof=1):.1f}")
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()

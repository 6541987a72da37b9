"""How often each interval holds what it is of, in worlds with a known truth: docs/coverage.md.

    python -m benchmarks.coverage [--repetitions 1000] [--data FOLDER] [--only NAME …]
    python -m benchmarks.coverage --markdown > docs/coverage.md

The first measures what is not yet in ``benchmarks/coverage.csv``, or what ``--only`` names anew;
the second writes the page of it.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd

from regrade.catalogue import TABLES
from regrade.intervals import INTERVALS
from tests.coverage import AIM, World, every_world, measure

KEPT = Path(__file__).with_suffix(".csv")
KEY = ["interval", "world", "size"]
HEAD = """# How often intervals hold

Every interval that is printed, drawn or stored, and how often it held what it is of.
All are of 95 %.  The aim is {low:.0%} to {high:.0%} in every world.
What lies outside by more than three Monte Carlo errors is in bold.

A *world* is where the truth is known.  *Made* ones draw it from distributions.  The others take all
topics of a real collection for a population and draw as many as said from it, with replacement.
*Below* and *above*: in how many samples the truth lay below the interval, and above it.
Each line is of {repetitions:,} samples unless said otherwise; a share has a Monte Carlo error of
{error:.1%} at 95 %.

`python -m benchmarks.coverage` measures, `tests/unit/test_coverage.py` does so with fewer samples.
How each is made and why, and what was tried and did not hold:
[which cut to trust](methods/trust.md), [two sets side by side](methods/compare.md),
[preferences](methods/preferences.md), [magnitudes](methods/magnitudes.md),
[discriminative power](methods/power.md).
"""


def measured(world: World, repetitions: int) -> dict[str, object]:
    """A line of the table."""
    start = time.perf_counter()
    found = measure(world, repetitions)
    shares = {name: getattr(found, name) for name in ("held", "below", "above", "width")}
    key = dict(zip(KEY, (world.interval, world.name, world.size), strict=True))
    seconds = round(time.perf_counter() - start, 1)
    return key | {"repetitions": repetitions, "given": found.given} | shares | {"seconds": seconds}


def _measured_at(place: int, data: Path | None, repetitions: int) -> dict[str, object]:
    return measured(every_world(data)[place], repetitions)


def measure_all(data: Path | None, repetitions: int, only: list[str], workers: int) -> None:
    """Measure the worlds that `KEPT` lacks, or those of the intervals named; keep each at once."""
    kept = pd.read_csv(KEPT) if KEPT.exists() else pd.DataFrame(columns=KEY)
    if only:
        kept = kept[~kept["interval"].isin(only)]
    there = set(map(tuple, kept[KEY].to_numpy()))
    worlds = every_world(data)
    order = {(w.interval, w.name, w.size): place for place, w in enumerate(worlds)}
    kept = kept[[key in order for key in map(tuple, kept[KEY].to_numpy())]]
    left = [place for key, place in order.items() if key not in there]
    with ProcessPoolExecutor(workers) as pool:
        jobs = [pool.submit(_measured_at, place, data, repetitions) for place in left]
        for job in jobs:
            row = job.result()
            print(*(row[name] for name in [*KEY, "held", "seconds"]), sep=" | ", flush=True)
            kept = pd.concat([kept, pd.DataFrame([row])], ignore_index=True)
            kept["place"] = [order[key] for key in map(tuple, kept[KEY].to_numpy())]
            kept = kept.sort_values("place").drop(columns="place")
            kept.to_csv(KEPT, index=False, float_format="%.6g")


def page(kept: pd.DataFrame) -> str:
    """docs/coverage.md."""
    usual = int(kept["repetitions"].mode()[0])
    error = (0.95 * 0.05 / usual) ** 0.5
    parts = [HEAD.format(low=AIM[0], high=AIM[1], repetitions=usual, error=error)]
    for name, interval in INTERVALS.items():
        parts.append(f"## {name}\n")
        parts.append(f"Of {interval.estimand}: {interval.method}.")
        parts.append(f"Given from {interval.fewest} {interval.over} on; in {_tables_with(name)}.\n")
        rows = kept[kept["interval"] == name]
        if rows.empty:
            parts.append("Not measured.\n")
            continue
        parts += [
            "| world | sample | held | below | above | mean width |",
            "|---|---|---|---|---|---|",
        ]
        parts += [_line(row, usual) for row in rows.itertuples()]
        parts.append("")
    return "\n".join(parts)


def _tables_with(name: str) -> str:
    tables = {
        path: None
        for path, table in TABLES.items()
        for column in table.columns
        if column.ends and INTERVALS[name] in column.ends.intervals
    }
    return ", ".join(f"`{path}`" for path in tables)


def _line(row: object, usual: int) -> str:
    if row.given == 0:
        return f"| {row.world} | {row.size} | not given | | | |"
    error = 3 * (0.95 * 0.05 / max(row.given, 1)) ** 0.5
    inside = AIM[0] - error <= row.held <= AIM[1] + error
    held = f"{row.held:.1%}" if inside else f"**{row.held:.1%}**"
    world = row.world if row.given == usual else f"{row.world} ({row.given:,} given)"
    return (
        f"| {world} | {row.size} | {held} | {row.below:.1%} | {row.above:.1%} | {row.width:.3f} |"
    )


def main() -> None:
    """Measure, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--only", nargs="+", default=[], help="intervals, by name")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--markdown", action="store_true", help="print the page")
    asked = parser.parse_args()
    if asked.markdown:
        print(page(pd.read_csv(KEPT)), end="")
    else:
        measure_all(asked.data, asked.repetitions, asked.only, asked.workers)


if __name__ == "__main__":
    main()

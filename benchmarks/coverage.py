"""Coverage of each interval, and error rates of claims, with a known truth: docs/coverage.md.

    python -m benchmarks.coverage --data FOLDER [--repetitions 1000] [--only NAME …]
    python -m benchmarks.coverage --markdown > docs/coverage.md

The first measures what is not yet in ``benchmarks/coverage.csv`` (intervals) and
``benchmarks/claims.csv`` (what is said of changes, judges, cuts and sets), or what ``--only`` names
anew; the second writes the page of it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import pandas as pd

from regrade.catalogue import TABLES
from regrade.intervals import INTERVALS
from tests.coverage import AIM, World, every_world, measure
from tests.coverage.claims import CLAIMS, MOST, ClaimWorld, claim_worlds, measure_claim

HEAD = """# Coverage of intervals

Coverage of every interval that is printed, drawn or stored, in simulated and real populations.
The nominal level is 95 %.  The aim is a coverage of {low:.0%} to {high:.0%} in every population.
Coverage outside this range by more than three Monte Carlo errors is in bold.

The truth is known in every *population*.  Simulated populations are distributions.  Real
populations are all topics of a collection; samples of topics are drawn with replacement.
*Held* is the coverage; *below* and *above*: share of samples with the truth below the interval, and
above it.
Each line has {repetitions:,} samples unless another number is given.  The Monte Carlo error of a
coverage of 95 % is {error:.1%}.

`tests/unit/test_coverage.py` uses fewer samples.  The command for all populations:

```sh
python -m benchmarks.coverage --data FOLDER
```

The methods, their reasons, and alternatives without nominal coverage:
[cuts](methods/trust.md), [comparing label sets](methods/compare.md),
[preferences](methods/preferences.md), [magnitudes](methods/magnitudes.md),
[discriminative power](methods/power.md), [ranking](methods/ranking.md),
[few labels](methods/estimate.md).
"""

CLAIMED = """# Error rates of claims

The aim is at most {most:.0%} of samples with a false claim.  A share above it by more than three
Monte Carlo errors is in bold.  *True*: share of samples with a claim that is true (0 % where no
such claim can be true).
"""


def measured(world: World, repetitions: int) -> dict[str, object]:
    """A line of the table of intervals, without its key."""
    found = measure(world, repetitions)
    shares = {name: getattr(found, name) for name in ("held", "below", "above", "width")}
    return {"given": found.given} | shares


def measured_claim(world: ClaimWorld, repetitions: int) -> dict[str, object]:
    """A line of the table of claims, without its key."""
    return vars(measure_claim(world, repetitions))


@dataclass(frozen=True)
class Kept:
    """What is measured, and where it is kept.

    Attributes
    ----------
    file
        A CSV file.
    of
        Its first column: what a world is of.
    worlds, measured
        All worlds, given the folder of real data or ``None``; what is found in one.
    """

    file: Path
    of: str
    worlds: Callable[[Path | None], list]
    measured: Callable[..., dict[str, object]]

    @property
    def key(self) -> list[str]:
        """The columns that identify a row."""
        return [self.of, "world", "size"]

    def read(self) -> pd.DataFrame:
        """What was measured."""
        return pd.read_csv(self.file) if self.file.exists() else pd.DataFrame(columns=self.key)

    def keys(self, worlds: list) -> list[tuple[str, str, str]]:
        """Of each world."""
        return [(getattr(world, self.of), world.name, world.size) for world in worlds]


INTERVALS_KEPT = Kept(Path(__file__).with_suffix(".csv"), "interval", every_world, measured)
CLAIMS_KEPT = Kept(Path(__file__).with_name("claims.csv"), "claim", claim_worlds, measured_claim)


def _measured_at(kept: Kept, place: int, data: Path | None, repetitions: int) -> dict[str, object]:
    world, start = kept.worlds(data)[place], time.perf_counter()
    found = dict(zip(kept.key, kept.keys([world])[0], strict=True)) | {"repetitions": repetitions}
    found |= kept.measured(world, repetitions)
    return found | {"seconds": round(time.perf_counter() - start, 1)}


def measure_all(
    kept: Kept, data: Path | None, repetitions: int, only: list[str], workers: int
) -> None:
    """Measure the worlds that the file lacks, or those of what is named; keep each at once."""
    rows = kept.read()
    rows = rows[~rows[kept.of].isin(only)]
    order = {key: place for place, key in enumerate(kept.keys(kept.worlds(data)))}
    rows = rows[rows[kept.key].apply(tuple, axis=1).isin(order)] if len(rows) else rows
    rows.to_csv(kept.file, index=False, float_format="%.6g")  # without worlds that are gone
    there = set(map(tuple, rows[kept.key].to_numpy()))
    left = [place for key, place in order.items() if key not in there]
    with ProcessPoolExecutor(workers) as pool:
        jobs = [pool.submit(_measured_at, kept, place, data, repetitions) for place in left]
        for job in jobs:
            row = job.result()
            print(*row.values(), sep=" | ", flush=True)
            rows = pd.concat([rows, pd.DataFrame([row])], ignore_index=True)
            rows["place"] = [order[key] for key in map(tuple, rows[kept.key].to_numpy())]
            rows = rows.sort_values("place").drop(columns="place")
            rows.to_csv(kept.file, index=False, float_format="%.6g")


def page(kept: pd.DataFrame, claims: pd.DataFrame) -> str:
    """docs/coverage.md: of intervals, then of claims."""
    usual = int(kept["repetitions"].mode()[0])
    error = (0.95 * 0.05 / usual) ** 0.5
    parts = [HEAD.format(low=AIM[0], high=AIM[1], repetitions=usual, error=error)]
    for name, interval in INTERVALS.items():
        parts.append(f"## {name}\n")
        parts.append(_prose(f"Estimand: {interval.estimand}. Method: {interval.method}."))
        if interval.at_least:
            parts.append("It is conservative: its coverage is at least the nominal level.")
        given = f"Reported from {interval.fewest} {interval.over} on; in {_tables_with(name)}."
        parts.append(f"{_prose(given)}\n")
        rows = kept[kept["interval"] == name]
        if rows.empty:
            parts.append("Not measured.\n")
            continue
        parts += [
            "| population | sample | held | below | above | mean width |",
            "|---|---|---|---|---|---|",
        ]
        parts += [_line(row, usual) for row in rows.itertuples()]
        parts.append("")
    parts.append(CLAIMED.format(most=MOST))
    for name, said in CLAIMS.items():
        parts += [f"## {name}\n", f"{_prose(f'Claim: {said}.')}\n"]
        parts += ["| population | sample | false | true |", "|---|---|---|---|"]
        parts += [_claim_line(row, usual) for row in claims[claims["claim"] == name].itertuples()]
        parts.append("")
    return "\n".join(parts)


def _prose(sentences: str) -> str:
    return fill(sentences, 100, break_on_hyphens=False)


def _claim_line(row: object, usual: int) -> str:
    wrong = f"{row.wrong:.1%}"
    wrong = f"**{wrong}**" if row.wrong > MOST + 3 * row.error else wrong
    few = row.repetitions != usual
    world = f"{row.world} ({row.repetitions:,} samples)" if few else row.world
    return f"| {world} | {row.size} | {wrong} | {row.right:.1%} |"


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
        return f"| {row.world} | {row.size} | not reported | | | |"
    error = 3 * (0.95 * 0.05 / max(row.given, 1)) ** 0.5
    most = 1.0 if INTERVALS[row.interval].at_least else AIM[1] + error
    inside = AIM[0] - error <= row.held <= most
    held = f"{row.held:.1%}" if inside else f"**{row.held:.1%}**"
    of = "samples" if row.given == row.repetitions else "reported"
    world = row.world if row.given == usual else f"{row.world} ({row.given:,} {of})"
    return (
        f"| {world} | {row.size} | {held} | {row.below:.1%} | {row.above:.1%} | {row.width:.3f} |"
    )


def main() -> None:
    """Measure, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--only", nargs="+", default=[], help="intervals and claims, by name")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--markdown", action="store_true", help="print the page")
    asked = parser.parse_args()
    if asked.markdown:
        print(page(INTERVALS_KEPT.read(), CLAIMS_KEPT.read()), end="")
        return
    if asked.data is None:
        parser.error("name the folder of real data (--data): rows of worlds that are not there go")
    for kept in (INTERVALS_KEPT, CLAIMS_KEPT):
        measure_all(kept, asked.data, asked.repetitions, asked.only, asked.workers)


if __name__ == "__main__":
    main()

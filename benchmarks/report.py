"""The measured rows as one table."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from tabulate import tabulate

from benchmarks.measuring import Measured
from benchmarks.rows import Row

PACKAGES = ("regrade", "numpy", "numba", "pyarrow", "krippendorff", "pytrec_eval-terrier")
PACKAGES += ("ir_measures", "scipy", "statsmodels", "snakemake")
HEADER = ("row", "work", "seconds: median (min–max)", "processor", "memory", "limit", "met")
HEADER += ("peer", "its seconds", "its processor", "its memory", "times faster", "other load")


@dataclass
class Result:
    """A row, and what was measured of it; `failure` is why there is nothing."""

    row: Row
    ours: Measured | None = None
    peer: Measured | None = None
    failure: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times the peer's time is ours."""
        if self.ours is None or self.peer is None or not self.peer.seconds:
            return None
        return self.peer.median / self.ours.median

    @property
    def checks(self) -> list[bool | None]:
        """Whether each limit is met; ``None`` where that was not tested."""
        row, found = self.row, []
        if self.ours is None:
            return found
        if row.seconds is not None:
            found.append(self.ours.median <= row.seconds)
        if row.gigabytes is not None:
            found.append(self.ours.gigabytes < row.gigabytes)
        if row.times_faster is not None:
            found.append(None if self.ratio is None else self.ratio >= row.times_faster)
        return found

    @property
    def met(self) -> str:
        """All limits in one word; — where there is none."""
        if self.failure or False in self.checks:
            return "no"
        return "not tested" if None in self.checks else "yes" if self.checks else "—"


def check_agreement(row: Row, ours: Measured, peer: Measured) -> None:
    """Raise `ValueError` where the two sides computed different numbers."""
    if peer.values is None:
        return
    if ours.values.shape != peer.values.shape:
        raise ValueError(f"{row.name}: {ours.values.shape} values, not {peer.values.shape}")
    undefined = np.isnan(peer.values)
    if not np.array_equal(np.isnan(ours.values), undefined):
        raise ValueError(f"{row.name}: other values are undefined than the peer's")
    apart = np.abs(ours.values - peer.values)[~undefined].max(initial=0)
    if apart > row.tolerance:
        raise ValueError(f"{row.name}: a value differs from the peer's by {apart:.3g}")


def about(threads: int, repeats: int, data: str, load: float) -> str:
    """What a reader must know of the machine and the data."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{os.cpu_count()} processors, {threads} threads for regrade, one for each peer; load "
        f"average {load:.1f} before the start. Medians of {repeats} repeats after a warm-up. "
        f"{data} Python {platform.python_version()}; {packages}."
    )


def as_markdown(results: list[Result], introduction: str) -> str:
    """The table and the notes under it."""
    notes: list[str] = []
    rows = [_cells(result, notes) for result in results]
    table = tabulate(rows, HEADER, tablefmt="github", disable_numparse=True)
    explained = [
        "Seconds are by the wall clock, and so are the limits and `times faster`; processor "
        "seconds add up all threads and hardly depend on what else runs.",
        "Other load: processors kept busy by anything else while our part ran, on average.",
        "Memory: peak resident memory of the process (of a workflow: of its largest job).",
        *notes,
    ]
    return "\n\n".join([introduction, table, "\n".join(f"- {note}" for note in explained)]) + "\n"


def as_json(results: list[Result], introduction: str) -> str:
    """The same, with every number in full."""
    rows = []
    for result in results:
        sides = {
            name: None if side is None else _record(side)
            for name, side in (("ours", result.ours), ("peer", result.peer))
        }
        rows.append(
            {"row": asdict(result.row), **sides, "ratio": result.ratio, "failure": result.failure}
            | {"met": result.met}
        )
    return json.dumps({"about": introduction, "rows": rows}, ensure_ascii=False, indent=1) + "\n"


def write(path: Path, results: list[Result], introduction: str) -> None:
    """Write the table as JSON where the name ends so, else as Markdown."""
    written = as_json if path.suffix == ".json" else as_markdown
    path.write_text(written(results, introduction), encoding="utf-8")


def _record(side: Measured) -> dict:
    return {
        "spans": [span.tolist() for span in side.spans],
        "gigabytes": side.gigabytes,
        "other_load": side.other_load,
        "note": side.note,
        "missing": side.missing,
    }


def _cells(result: Result, notes: list[str]) -> list[str]:
    row, ours, peer = result.row, result.ours, result.peer
    if ours is None:
        notes.append(f"{row.name}: {result.failure}")
        return [row.name, row.work, *["—"] * 3, _limit(row), "—", row.peer_name or "—", *["—"] * 5]
    sides = (("ours", ours), (row.peer_name, peer))
    notes += [f"{row.name}, {who}: {side.note}" for who, side in sides if side and side.note]
    if result.failure:
        notes.append(f"{row.name}: {result.failure}")
    if peer is None:
        theirs = ["—"] * 4
    elif peer.missing:
        theirs = [peer.missing, *["—"] * 3]
    else:
        theirs = [_number(peer.median), _number(peer.processor), _memory(peer)]
        theirs.append(f"{_number(result.ratio)} ×")
    spread = f" ({_number(min(ours.seconds))}–{_number(max(ours.seconds))})"
    return [
        row.name,
        row.work,
        _number(ours.median) + (spread if len(ours.seconds) > 1 else ""),
        _number(ours.processor),
        _memory(ours),
        _limit(row),
        result.met,
        row.peer_name or "—",
        *theirs,
        f"{ours.other_load:.1f}",
    ]


def _limit(row: Row) -> str:
    parts = []
    if row.seconds is not None:
        parts.append(f"{row.seconds:g} s")
    if row.gigabytes is not None:
        parts.append(f"{row.gigabytes:g} GB")
    if row.times_faster is not None:
        parts.append(f"{row.times_faster:,.0f} ×")
    return ", ".join(parts) or "—"


def _number(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _memory(side: Measured) -> str:
    return f"{side.gigabytes:.2f} GB"

"""A small collection of files, what accidents do to a file of it, and the commands that read it."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from click.testing import CliRunner

import regrade
from regrade.catalogue import TABLES
from regrade.command import output
from regrade.command.app import app
from regrade.errors import RegradeError
from regrade.stages.library import StageTables
from tests.mutations import mutated

SECONDS = 60
"""No command on these files takes longer."""

COMMANDS = {
    "calibrate": (
        "calibrate q m=m --folds 2 --json",
        "calibrate q j4.csv --folds 2 --resamples 10 --json",
        "calibrate q m=m m2=m2 --runs runs --folds 2 --resamples 20 --json",
        "calibrate q2 m --runs runs -m RR --folds 2 --resamples 5 --json",
    ),
    "favour": (
        "favour q m=m --runs runs --family f=runa --draws 100 --json",
        "favour q m=m m2=m2 --runs runs --family f=runa --control j=j4.csv --draws 100 --json",
        "favour q m2=m2 --runs runs --family f=runa -m RR --draws 100 --table systems",
    ),
    "pairs": (
        "pairs p.csv --json",
        "pairs p --format pair-winner --method copeland --json",
        "pairs p.csv --references q --runs runs --json",
        "pairs p.csv --out o.qrels --rescale topic",
        "pairs p.csv --one-topic --json",
    ),
    "next": (
        "pairs p.csv --next 5",
        "pairs p.csv --next 3 -q --policy top --top 2 --json",
        "pairs p --format pair-winner --next 4 --policy random --documents q --out o.csv",
        "pairs p.csv --next 1000000 --policy even --json",
    ),
    "cut": (
        "cut m --levels 2 --reference q2 --json",
        "cut j.csv --levels 4 --reference q --runs runs --resamples 5 --json",
        "cut m --levels 4 --reference q --runs runs --resamples 5 --json",
        "cut j.csv --levels 3 --resamples 5 --out o.qrels",
    ),
    "cut per topic": (
        "cut m --levels 2 --reference q2 -q --resamples 5 --json",
        "cut m --levels 3 --reference q3 -q --resamples 5 --out o.qrels",
        "cut j.csv --levels 2 -q --resamples 5 --json",
    ),
    "init": (
        "init runs q m j4.csv",
        "init q j.csv p.csv mag.csv",
        "init runs/a runs/b q --out o.yaml",
    ),
    "look": ("look q m j.csv", "look p.csv mag.csv", "look q runs --json"),
    "workers": (
        "workers j4.csv --json",
        "workers j4.csv --reference q --json",
        "workers j.csv --json",
    ),
    "magnitudes": (
        "magnitudes mag.csv q --resamples 20 --json",
        "magnitudes mag.csv q --runs runs --resamples 20 --samples 20 --json",
        "magnitudes mag.csv q m2 --resamples 20 --json",
    ),
    "judges": (
        "judges q m=m m2=m2 --runs runs --resamples 20 --json",
        "judges q j4.csv --resamples 20 --json",
        "judges q m=m --resamples 20 --json",
    ),
    "replace": (
        "replace q m2 --runs runs --resamples 20 --top 1 --json",
        "replace q m2 --runs runs --control j=j4.csv --family f=runa --resamples 20 --json",
        "replace q m2 --judgments j4.csv --resamples 20 --json",
    ),
    "pdp": (
        "pdp q m -p p --format pair-winner --json",
        "pdp q m2 -p p.csv --runs runs --json",
        "pdp j4.csv q -p p.csv --json",
    ),
    "score": (
        "score q runs -q --json",
        "score q runs -m 'AP nDCG@5 P@3 RBP RR infAP Bpref ERR@5' -q",
        "score q runs/a -q --format trec_eval",
    ),
}
"""By command, what is asked of the collection."""


class Swept(NamedTuple):
    """A sweep: its axes, its baseline, and files of the collection that are its sets."""

    axes: Mapping[str, list]
    baseline: Mapping[str, str]
    sets: tuple[str, ...]


SWEPT = {
    "sweep": (
        Swept(
            {"labels": ["q", "m2", "q3"], "unjudged": ["non-relevant", "condensed"],
             "pool": ["all", "depth-3"], "ties": ["rank", "docno"], "measure": ["nDCG@5", "RR"],
             "test": ["t/none", "t/holm"]},
            {"labels": "q"}, ("q", "m2", "q3"),
        ),
        Swept(
            {"labels": ["q", {"cuts": "m", "which": ["best", "rounded", "middle"], "levels": 4}],
             "measure": ["AP", "P@3"], "topics": ["all", "halves-2"]},
            {"labels": "q"}, ("q", "m"),
        ),
        Swept(
            {"labels": ["q2", {"judgments": "j.csv", "aggregate": ["median", "majority"],
                               "cuts": ["best", "rounded"], "levels": 2}],
             "pool": ["all", {"without": "run", "depth": 2}, "RRF@5"],
             "ties": ["rank", "docno-reversed", "expected"], "measure": ["nDCG", "P@5"]},
            {"labels": "q2"}, ("q2", "j.csv"),
        ),
    ),
    "sweep of labels": (
        Swept(
            {"labels": ["q3", {"cuts": "m", "which": ["best", "rounded", "every"], "levels": 3}],
             "metric": ["nominal", "ordinal", "interval"], "topics": ["all", "halves-2"]},
            {"labels": "m to 3 rounded", "reference": "q3"}, ("q3", "m"),
        ),
        Swept(
            {"labels": [{"judgments": "j4.csv", "aggregate": ["majority", "median_low"]},
                        {"judgments": "j.csv", "aggregate": ["median", "mean"],
                         "cuts": ["best", "every"], "levels": 4}],
             "metric": ["ordinal", "nominal"]},
            {"labels": "j4.csv majority", "reference": "q"}, ("q", "j.csv", "j4.csv"),
        ),
    ),
}  # fmt: skip
"""By whether there are runs, what is swept in the library: the command has its files collected."""

NO_LEVELS = (
    None, True, 0, -1, 1e308, "", "q", "nope", "m to 4 best", "depth-0", "depth-99999", "halves-0",
    "halves-1000", "t/nope", "AP(rel=99)", "P@0", "RBP(p=2)", [], ["q"], {}, {"cuts": "m"},
    {"cuts": "m", "which": [], "levels": 4}, {"cuts": "m", "which": ["best"], "levels": 1},
    {"cuts": "m", "which": ["every"], "levels": 11}, {"cuts": "nope", "which": ["best"]},
    {"judgments": "q", "aggregate": ["median"]}, {"judgments": "j.csv", "aggregate": ["nope"]},
    {"without": "group", "depth": 1}, {"without": "run", "depth": 0}, "RRF@0", float("nan"), b"q",
)  # fmt: skip
"""What is no level of an axis, or of another one."""

LIMITS = tuple(
    """
    --folds 1|--folds 1000|--resamples 1|--resamples 0|--seed 0|--levels 1000|--levels 3|--grid 1
    --grid 2|--coverage 0|--coverage 1|--significance 0|--significance 1|--significance 1e-300
    --metric nominal|--missing drop|--off-scale drop|--below-zero junk|--below-zero unjudged
    --scale 4|--scale 0:1|--scale 0:100|--scale 11|--top 0|--top 99999|--accuracy 0|--accuracy 1
    --bias 1e308|--bias -1|--price 0|--price 1e308|--parts 1|--parts 1000|--seconds 1e-9|-m nDCG
    -m 'AP P@1000000'|--method nope|--documents shared|--unranked omit|--samples 1|--samples 2
    """.strip()
    .replace("\n", "|")
    .split("|")
)
"""Options at their limits, and of other commands."""

NUMBERS = (
    b"0", b"-0.0", b"1", b"2", b"3", b"0.5", b"1e100", b"-1e100", b"1e-100", b"1e-12", b"0.1",
    b"100", b"1e16", b"9007199254740993", b"-1", b"7.5",
)  # fmt: skip
"""Values that may be read."""

NO_NUMBERS = (
    b"1e308", b"-1e308", b"5e-324", b"1e400", b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"null",
    b"None", b"NA", b"-", b"?", b"", b"yes", b"0,5", b"1,000", b"0x10", b"+3", "−1".encode(),
    b" 2 ", b"99999999999999999999999",
)  # fmt: skip
"""Values that are not, or not as they seem."""

NAMES = (
    b"9007199254740993", b"18446744073709551617", b"-1", b"0401", b"401.0", b"4e2", b"nan", b"None",
    b"", b"null", b"Q0", b"*", b"all", b"mean", "café".encode(), "cafe\u0301".encode(), b"a b",
    b'"x"', b"'x'", b"a,b", b"a/b", b"..", b"=1", b"\xc2\xa0", b"true", b"topic", b"d1",
)  # fmt: skip
"""What topics, documents and workers may be called, and may not."""

TOPICS, DOCUMENTS = ("401", "402", "q3", "404"), tuple(f"d{n}" for n in range(8))


@cache
def collection() -> Mapping[str, bytes]:
    """Files by name: labels, models' values, runs, judgments, magnitudes, preferences."""
    rng = np.random.default_rng(5)
    keys = [(topic, doc) for topic in TOPICS for doc in DOCUMENTS]
    grade = {key: int(rng.integers(0, 4)) for key in keys}

    def labels(of: Callable[[int], int]) -> str:
        return "".join(f"{t} 0 {d} {of(grade[t, d])}\n" for t, d in keys)

    def judgments(workers: int, most: int, of: Callable[[int], int]) -> str:
        rows = [f"{t},{d},w{w},{np.clip(of(grade[t, d]), 0, most)}" for t, d in keys
                for w in range(workers)]  # fmt: skip
        return "\n".join(["topic,docno,worker,value", *rows, ""])

    files = {
        "q": labels(int),
        "q2": labels(lambda one: int(one > 1)),
        "q3": labels(lambda one: min(one, 2)),
        "m": labels(lambda one: int(np.clip(3 * one + rng.integers(-2, 3), 0, 10))),
        "m2": labels(lambda one: int(np.clip(one + rng.integers(-1, 2), 0, 3))),
        "j.csv": judgments(3, 10, lambda one: 3 * one + rng.integers(-3, 4)),
        "j4.csv": judgments(4, 3, lambda one: one + rng.integers(-1, 2)),
    }
    for name, noise in zip("abc", (0.5, 1, 3), strict=True):
        lines = []
        for topic in TOPICS:
            score = {doc: grade[topic, doc] + noise * rng.normal() for doc in DOCUMENTS}
            best = sorted(DOCUMENTS, key=lambda doc: -score[doc])[:6]
            lines += [
                f"{topic} Q0 {d} {n} {score[d]:.4f} run{name}\n" for n, d in enumerate(best, 1)
            ]
        files[f"runs/{name}"] = "".join(lines)
    rows = [f"{t},{d},w{w},u{w}{t},{max(0.1, 10 * grade[t, d] + rng.integers(-3, 4)):.2f}"
            for t in TOPICS for w in range(3) for d in DOCUMENTS]  # fmt: skip
    files["mag.csv"] = "\n".join(["topic,docno,worker,unit,value", *rows, ""])
    lines, rows = [], ["topic,left,right,preferred,worker"]
    for topic in TOPICS:
        for _ in range(20):
            x, y = rng.choice(DOCUMENTS, 2, replace=False)
            by = grade[topic, x] - grade[topic, y] + rng.normal()
            side = "tie" if abs(by) < 0.3 else "left" if by > 0 else "right"
            lines.append(f"{topic} {x} {y} {x if by > 0 else y}\n")
            rows.append(f"{topic},{x},{y},{side},w{rng.integers(2)}")
    files |= {"p": "".join(lines), "p.csv": "\n".join([*rows, ""])}
    return {name: text.encode() for name, text in files.items()}


class Lines:
    """The lines of a file of the collection, in fields."""

    def __init__(self, name: str, data: bytes):
        lines = data.splitlines()
        self.mark = b"," if name.endswith(".csv") else b" "
        self.head = lines[:1] if name.endswith(".csv") else []
        self.rows = [line.split(self.mark) for line in lines[len(self.head) :]]
        # the place of the value: of runs before the tag, of preferences in the middle
        self.value = {"r": 4, "p": 3}.get(name[0], -1)

    def data(self, rows: list[list[bytes]] | None = None) -> bytes:
        """The file with these rows."""
        rows = self.rows if rows is None else rows
        return b"".join(line + b"\n" for line in [*self.head, *map(self.mark.join, rows)])

    def put(self, rows: np.ndarray, column: int, of: Callable[[bytes], bytes]) -> bytes:
        """The file with other fields in a column of some rows."""
        for row in rows:
            fields = self.rows[row]
            fields[column % len(fields)] = of(fields[column % len(fields)])
        return self.data()


def _kept(lines: Lines, rng: np.random.Generator) -> bytes:
    return lines.data([row for row in lines.rows if rng.random() < 0.7])


def _some_empty(lines: Lines, rng: np.random.Generator) -> bytes:
    rows = np.flatnonzero(rng.random(len(lines.rows)) < rng.choice([0.1, 0.5, 1]))
    return lines.put(rows, rng.integers(6), lambda _: b"")


def _a_line_twice(lines: Lines, rng: np.random.Generator) -> bytes:
    return lines.data([*lines.rows, lines.rows[rng.integers(len(lines.rows))]])


def _a_line_twice_with_0(lines: Lines, rng: np.random.Generator) -> bytes:
    row = [*lines.rows[rng.integers(len(lines.rows))]]
    row[lines.value] = b"0"
    return lines.data([*lines.rows, row])


def _all_twice(lines: Lines, _: np.random.Generator) -> bytes:
    return lines.data([*lines.rows, *lines.rows])


def _one_topic(lines: Lines, _: np.random.Generator) -> bytes:
    return lines.data([row for row in lines.rows if row[0] == lines.rows[0][0]])


def _a_topic_missing(lines: Lines, rng: np.random.Generator) -> bytes:
    topic = lines.rows[rng.integers(len(lines.rows))][0]
    return lines.data([row for row in lines.rows if row[0] != topic])


def _a_line_of_each_topic(lines: Lines, _: np.random.Generator) -> bytes:
    return lines.data([*{row[0]: row for row in lines.rows}.values()])


def _one_worker(lines: Lines, _: np.random.Generator) -> bytes:
    return lines.data([row for row in lines.rows if not {b"w1", b"w2", b"w3"} & {*row}])


def _all_values(lines: Lines, rng: np.random.Generator) -> bytes:
    value = _number(rng)
    return lines.put(range(len(lines.rows)), lines.value, lambda _: value)


def _few_values(lines: Lines, rng: np.random.Generator) -> bytes:
    few = [NUMBERS[place] for place in rng.integers(0, len(NUMBERS), 3)]
    return lines.put(range(len(lines.rows)), lines.value, lambda _: few[rng.integers(3)])


def _a_value(lines: Lines, rng: np.random.Generator) -> bytes:
    return lines.put([rng.integers(len(lines.rows))], lines.value, lambda _: _number(rng))


def _a_topic_equal(lines: Lines, rng: np.random.Generator) -> bytes:
    topic = lines.rows[rng.integers(len(lines.rows))][0]
    rows = [place for place, row in enumerate(lines.rows) if row[0] == topic]
    return lines.put(rows, lines.value, lambda _: b"1")


def _scaled(lines: Lines, rng: np.random.Generator) -> bytes:
    by = rng.choice([1e90, 1e-90, -1, 1e15, 0.1, 1e300, 1e-320])

    def of(value: bytes) -> bytes:
        return repr(float(value) * by).encode() if re.fullmatch(rb"[\d.]+", value) else value

    return lines.put(range(len(lines.rows)), lines.value, of)


def _a_name(lines: Lines, rng: np.random.Generator) -> bytes:
    name = NAMES[rng.integers(len(NAMES))]
    return lines.put([rng.integers(len(lines.rows))], rng.integers(4), lambda _: name)


def _all_names(lines: Lines, rng: np.random.Generator) -> bytes:
    name = NAMES[rng.integers(len(NAMES))]
    return lines.put(range(len(lines.rows)), rng.integers(4), lambda _: name)


def _columns_swapped(lines: Lines, rng: np.random.Generator) -> bytes:
    first, second = rng.integers(0, 5, 2)
    for row in lines.rows:
        a, b = first % len(row), second % len(row)
        row[a], row[b] = row[b], row[a]
    return lines.data()


def _number(rng: np.random.Generator) -> bytes:
    some = NUMBERS if rng.random() < 0.75 else NO_NUMBERS
    return some[rng.integers(len(some))]


ACCIDENTS = (
    _kept, _some_empty, _a_line_twice, _a_line_twice_with_0, _all_twice, _one_topic,
    _a_topic_missing, _a_line_of_each_topic, _one_worker, _all_values, _few_values, _a_value,
    _a_topic_equal, _scaled, _a_name, _all_names, _columns_swapped,
)  # fmt: skip
"""What becomes of lines."""


def accident(name: str, data: bytes, rng: np.random.Generator) -> bytes | None:
    """A file of the collection after an accident; ``None``: a folder is in its place."""
    if rng.random() < 0.75:
        return ACCIDENTS[rng.integers(len(ACCIDENTS))](Lines(name, data), rng)
    place = int(rng.integers(len(data)))
    match rng.integers(11):
        case 0:
            return data.decode().encode("utf-16")
        case 1:
            return data.replace(b"d1", b"d\xe9")  # cp1252
        case 2:
            return data[:place] + b"\0" + data[place:]
        case 3:
            packed = gzip.compress(data)
            return packed[: 1 + place % len(packed)]
        case 4:
            return b""
        case 5:
            return None
        case 6:
            return data.splitlines(keepends=True)[0]
        case 7:
            others = collection()
            return others[[*others][rng.integers(len(others))]]
        case 8:
            return data.replace(b".", b",").replace(b" ", b"\t")
        case _:
            return mutated(data, rng)


def files_in(line: str) -> list[str]:
    """The files of the collection that a command line names."""
    words = {word.rpartition("=")[2] for word in line.split()}
    return [one for one in collection() if one in words or (one[:5] == "runs/" and "runs" in words)]


def accidents(name: str, count: int, seed: int) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Command lines of a command, and the collection with an accident or two."""
    for number in range(count):
        rng = np.random.default_rng([seed, number, *name.encode()])
        line = COMMANDS[name][number % len(COMMANDS[name])]
        files = dict(collection())
        for one in rng.choice(files_in(line), 1 + int(rng.random() < 0.3)):
            files[one] = accident(one, collection()[one], rng)
        if rng.random() < 0.25:
            line += " " + LIMITS[rng.integers(len(LIMITS))].strip()
        yield line, files


def designs(name: str, count: int, seed: int) -> Iterator[tuple[Swept, dict[str, bytes | None]]]:
    """Sweeps, of which the files or what is swept had an accident."""
    for number in range(count):
        rng = np.random.default_rng([seed, number, *name.encode()])
        swept, files = SWEPT[name][number % len(SWEPT[name])], dict(collection())
        if rng.random() < 0.6:
            one = str(rng.choice([*swept.sets, *(["runs/a"] if name == "sweep" else [])]))
            files[one] = accident(one, collection()[one], rng)
        else:
            swept = _other_design(swept, rng)
        yield swept, files


def _other_design(swept: Swept, rng: np.random.Generator) -> Swept:
    """A sweep with a level, an axis or the baseline changed."""
    axes = {axis: [*levels] for axis, levels in swept.axes.items()}
    baseline, axis = dict(swept.baseline), str(rng.choice([*axes]))
    level = NO_LEVELS[rng.integers(len(NO_LEVELS))]
    match rng.integers(7):
        case 0:
            axes[axis] = level
        case 1:
            axes[axis][rng.integers(len(axes[axis]))] = level
        case 2:
            axes[axis].append(level)
        case 3:
            axes[axis].append(axes[axis][0])
        case 4:
            baseline[axis] = level
        case 5:
            axes[str(rng.choice(["labels", "pool", "ties", "reference", "nope"]))] = [level]
        case _:
            del axes[axis]
    return Swept(axes, baseline, swept.sets)


# what a command does with them -------------------------------------------------------------------


class Done(NamedTuple):
    """What a command printed and wrote, and what is wrong with that."""

    code: int
    printed: str
    message: str
    written: dict[str, bytes]
    faults: list[str]


@contextmanager
def _caught_tables(faults: list[str]) -> Iterator[None]:
    """Have tables that a command prints held against what the catalogue says of them."""
    print_result = output.print_result

    def held(result: object, printing: Mapping) -> None:
        print_result(result, printing)
        if isinstance(result.tables, StageTables):
            faults.extend(table_faults(result.tables.stage.key, result.tables.served()))

    output.print_result = held
    try:
        yield
    finally:
        output.print_result = print_result


def table_faults(stage: str, tables: Mapping[str, object]) -> Iterator[str]:
    """What tables hold that the catalogue says they do not: no numbers, or others."""
    declared = {path.rpartition("/")[2]: t for path, t in TABLES.items() if t.stage == stage}
    for name, frame in tables.items():
        if not isinstance(frame, pd.DataFrame) or name not in declared:
            continue
        for column in declared[name].columns:
            if column.name not in frame:
                continue
            values, where = frame[column.name], f"{stage}/{name}.{column.name}"
            if not column.nullable and values.isna().any():
                yield f"{where} is null"
            if values.dtype.kind not in "fiu":
                continue
            low, mark, high = column.unit.partition("..")
            low, high = (
                (float(low or -np.inf), float(high or np.inf)) if mark else (-np.inf, np.inf)
            )
            held = values.dropna().to_numpy(float)
            if np.isinf(held).any() or (held < low - 1e-9).any() or (held > high + 1e-9).any():
                yield f"{where} is from {held.min()} to {held.max()}, not {column.unit}"


class TookTooLongError(BaseException):
    """A command has not come to an end."""


def sweep_faults(
    folder: Path, name: str, swept: Swept, files: Mapping[str, bytes | None]
) -> list[str]:
    """What is wrong with what a sweep of files says; the working directory is the folder."""
    _put(folder, files)
    runs = "runs" if name == "sweep" else None
    try:
        with _in_time():
            sets = {one: one for one in swept.sets}
            made = regrade.sweep(swept.axes, swept.baseline, runs=runs, sets=sets)
            str(made.summary())
    except TookTooLongError:
        return [f"takes more than {SECONDS} seconds"]
    except RegradeError:
        return []
    except Exception as error:  # what is no message
        return [f"traceback: {error!r}"]
    return [*table_faults("sweeps" if runs else "label-sweeps", made.tables)]


def _put(folder: Path, files: Mapping[str, bytes | None]) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.mkdir() if data is None else path.write_bytes(data)


@contextmanager
def _in_time() -> Iterator[None]:
    """Raise what takes too long."""

    def stop(*_: object) -> None:
        raise TookTooLongError

    # of the processor, and by the clock what is enough where the machine does much else
    limits = {
        (signal.ITIMER_PROF, signal.SIGPROF): SECONDS,
        (signal.ITIMER_REAL, signal.SIGALRM): 20 * SECONDS,
    }
    before = [signal.signal(number, stop) for _, number in limits]
    for (timer, _), seconds in limits.items():
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (timer, number), handler in zip(limits, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def run(folder: Path, line: str, files: Mapping[str, bytes | None]) -> Done:
    """Run a command line on files; the working directory is the folder, which they are put into."""
    _put(folder, files)
    faults: list[str] = []
    try:
        with _caught_tables(faults), _in_time():
            done = CliRunner().invoke(app, shlex.split(line), input="")
    except TookTooLongError:
        return Done(-1, "", "", {}, [f"takes more than {SECONDS} seconds"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        faults.append(f"traceback: {done.exception!r}")
    elif done.exit_code not in (0, 1, 2, 3):
        faults.append(f"exit code {done.exit_code}")
    elif done.exit_code and not done.stderr.strip() and "look" not in line:
        faults.append("no message")
    written = {one.name: one.read_bytes() for one in folder.glob("o.*")}
    if done.exit_code and written:
        faults.append(f"failed, and left {', '.join(written)}")
    return Done(done.exit_code, done.stdout, done.stderr, written, faults)

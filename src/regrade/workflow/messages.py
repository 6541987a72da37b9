"""Snakemake does not say what to do: of targets that are not asked for, and of jobs that failed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from regrade.errors import FAILED, did_you_mean
from regrade.studies.registry import STUDIES
from regrade.wording import first_few
from regrade.workflow.chosen import ALL, RESULT
from regrade.workflow.config import ConfigError

_SHOWN = re.compile(
    r"(?:\./)?results/([^/]+)/(?:figures|tables)/([^/]+)/([^/]+)\.(?:svg|png|csv|md)"
)
_ERROR = re.compile(r"^ *Error in rule (\w+)")
_LOG = re.compile(r"^ +log: (.+?) \(check log file")
_LOGGED = re.compile(r"^\d\d:\d\d:\d\d (\w+: .*)")


def check_targets(collections: Mapping, targets: Iterable[str]) -> None:
    """Refuse targets that the configuration does not ask for, where it could.

    Parameters
    ----------
    collections
        Those that the call is about, by name.
    targets
        Of the command line.
    """
    for target in targets:
        if target in STUDIES:
            if not any(target in one.studies for one in collections.values()):
                problem = "asks for none of its tables and figures: add some there"
                raise next(iter(collections.values())).error(f"studies.{target}", problem)
            continue
        result = RESULT.fullmatch(target)
        if result and result[1] not in {*collections, ALL}:
            near = did_you_mean(result[1], collections)
            raise ConfigError(f"config: {target}: there is no collection '{result[1]}'{near}")
        shown = _SHOWN.fullmatch(target)
        if shown and shown[2] in STUDIES and shown[1] in collections:
            _check_item(collections[shown[1]], shown[2], shown[3])


def _check_item(collection, study: str, item: str) -> None:
    """Refuse a table or figure that is not among those asked for."""
    place = f"studies.{study}"
    if item == "table-published" or item in collection.options["studies"].get(study, {}):
        return
    known = STUDIES[study].by_name
    if item not in known:
        raise collection.error(place, f"there is no {item}{did_you_mean(item, known)}")
    raise collection.error(place, f"{item} is not asked for: add it there, {item}: {{}}")


def failures(logs: Iterable[str | Path]) -> list[str]:
    """What is to be said of each job that failed, the last lines that a user reads."""
    lines = [line for log in logs for line in _lines(log)]
    found: dict[tuple[str, ...], list[str]] = {}
    for rule, path in dict.fromkeys(_failed(lines)):
        found.setdefault(tuple(_message(rule, path)), []).append(path)
    said = [
        line for message, paths in found.items() for line in (*message, f"see {first_few(paths)}")
    ]
    return [FAILED, *said] if said else []


def _failed(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Rule and log of each failed job."""
    rule = ""
    for line in lines:
        if named := _ERROR.match(line):
            rule = named[1]
        elif rule and (found := _LOG.match(line)):
            yield rule, found[1]
            rule = ""


def _message(rule: str, path: str) -> list[str]:
    """The last message of a job's log."""
    lines = _lines(path)
    said = [number for number, line in enumerate(lines) if _LOGGED.match(line)]
    if not said or not _LOGGED.match(lines[said[-1]])[1].startswith(f"{rule}: "):
        problem = (
            "ended without a message, as where memory, time or the disk ran out (mem_mb, runtime)"
        )
        return [f"{rule}: {problem}"]
    message = [_LOGGED.match(lines[said[-1]])[1], *lines[said[-1] + 1 :]]
    if "Traceback (most recent call last):" in message:
        return [message[0], message[-1]]
    return message


def _lines(path: str | Path) -> list[str]:
    """The lines of a file; none where it is not there."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def forget_unmade(jobs: Iterable, persistence) -> None:
    """Have Snakemake forget how jobs read their inputs that have not made what they should.

    It keeps that of failed jobs as of others; as their outputs are gone, and what was made of these
    before is not older than them, it would find nothing to do the next time.
    """
    for job in jobs:
        if not all(Path(str(file)).exists() for file in job.output):
            persistence.cleanup(job)

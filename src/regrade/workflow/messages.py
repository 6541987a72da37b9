"""Snakemake does not say what to do: of targets that are not asked for, and of jobs that failed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from regrade.errors import FAILED, did_you_mean
from regrade.studies.registry import STUDIES
from regrade.wording import first_few
from regrade.workflow.chosen import RESULT
from regrade.workflow.config import ConfigError
from regrade.workflow.project import ALL

UNMADE = Path(".snakemake", "regrade-unmade.txt")
"""What the last call that failed has not made, in the folder of the call."""

_SHOWN = re.compile(
    r"(?:\./)?results/([^/]+)/(?:figures|tables)/([^/]+)/([^/]+)\.(?:svg|png|csv|md)"
)
_ERROR = re.compile(r"^ *Error in rule (\w+)")
_LOG = re.compile(r"^ +log: (.+?)(?: \([a-z ]+ storage\))? \(check log file")
_OURS = re.compile(r"(?:^|/)results/[^/]+/logs/")
_SUBMITTED = re.compile(r"^ +external_jobid: (\S+)")
_LOGGED = re.compile(r"^\d\d:\d\d:\d\d (\w+: .*)")

SILENT = "ended without a message, as where memory, time or the disk ran out (mem_mb, runtime)"
FIELD = 4
"""How far Snakemake indents a field of an error."""


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
                problem = "requests none of its tables and figures: add some there"
                raise next(iter(collections.values())).error(f"studies.{target}", problem)
            continue
        result = RESULT.fullmatch(target)
        if result and result[1] not in {*collections, ALL}:
            near = did_you_mean(result[1], collections)
            raise ConfigError(f"config: {target}: there is no collection '{result[1]}'{near}")
        figure = _SHOWN.fullmatch(target)
        if figure and figure[2] in STUDIES and figure[1] in collections:
            _check_item(collections[figure[1]], figure[2], figure[3])


def _check_item(collection, study: str, item: str) -> None:
    """Refuse a table or figure that is not among those asked for."""
    place = f"studies.{study}"
    if item == "table-published" or item in collection.options["studies"].get(study, {}):
        return
    known = STUDIES[study].by_name
    if item not in known:
        raise collection.error(place, f"there is no {item}{did_you_mean(item, known)}")
    raise collection.error(place, f"{item} is not requested: add it there, {item}: {{}}")


class _Failure(NamedTuple):
    """A job that failed: its rule, its own log, the cluster's, and its group's number, from 1."""

    rule: str
    log: str
    cluster: tuple[str, ...] = ()
    group: int = 0


def failures(logs: Iterable[str | Path]) -> list[str]:
    """What is to be said of each job that failed, the last lines that a user reads."""
    lines = [line for log in logs for line in _lines(log)]
    places: dict[tuple[str, ...], list[str]] = {}
    for message, paths in _messages(list(dict.fromkeys(_failed(lines)))):
        places.setdefault(tuple(message), []).extend(paths)
    lines_of_jobs = [
        line
        for message, paths in places.items()
        for line in (*message, f"see {first_few(list(dict.fromkeys(paths)))}")
    ]
    return [FAILED, *lines_of_jobs] if lines_of_jobs else []


def _messages(failed: Sequence[_Failure]) -> Iterator[tuple[list[str], list[str]]]:
    """What each job says, and its logs.

    Of a group Snakemake names all jobs: those are meant that say something, or else all together.
    """
    for number, jobs in groupby(failed, key=attrgetter("group")):
        jobs = list(jobs)
        own = [(job, _message(job)) for job in jobs]
        if number and not any(message for _, message in own):
            yield [f"{first_few([job.rule for job in jobs])}: {SILENT}"], [*jobs[0].cluster]
            continue
        for job, message in own:
            if message or not number:
                yield message or [f"{job.rule}: {SILENT}"], [job.log, *job.cluster]


def _failed(lines: Iterable[str]) -> Iterator[_Failure]:
    """Each failed job of the workflow; a host's own jobs have their logs elsewhere."""
    rule, indent, groups, of_group, logs, cluster = "", 0, 0, (), [], []
    for line in (*lines, ""):
        depth = len(line) - len(line.lstrip())
        if depth <= indent:
            if rule and logs and _OURS.search(logs[0]):
                number = groups if indent else 0
                yield _Failure(rule, logs[0], (*logs[1:], *cluster, *of_group), number)
            rule, logs, cluster = "", [], []
            if not depth:
                indent = 0
        if error := _ERROR.match(line):
            rule, indent = error[1], depth
            of_group = of_group if depth else ()
        elif log := _LOG.match(line):
            paths = log[1].split(", ")
            if rule:
                logs = paths
            elif depth == FIELD:  # of a group, before what it says of its jobs
                groups, of_group = groups + 1, paths
        elif rule and (submitted := _SUBMITTED.match(line)):
            path = f".snakemake/cluster-{submitted[1]}.log"
            cluster += [path] if Path(path).is_file() else []


def _message(job: _Failure) -> list[str]:
    """The last message of a job's log; none where it ended without one."""
    lines = _lines(job.log)
    logged = [number for number, line in enumerate(lines) if _LOGGED.match(line)]
    if not logged or not _LOGGED.match(lines[logged[-1]])[1].startswith(f"{job.rule}: "):
        return []
    message = [_LOGGED.match(lines[logged[-1]])[1], *lines[logged[-1] + 1 :]]
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
    before is not older than them, it would find nothing to do the next time.  What is not there is
    written down for `is_unmade`.
    """
    unmade = []
    for job in jobs:
        missing = [str(file) for file in job.output if not Path(str(file)).exists()]
        if missing:
            persistence.cleanup(job)
            unmade += {*missing}.difference(map(str, job.temp_output))
    UNMADE.parent.mkdir(parents=True, exist_ok=True)
    UNMADE.write_text("\n".join(sorted(unmade)), encoding="utf-8")


def is_unmade() -> bool:
    """Whether a file is still not there that the last call to fail should have made."""
    return any(not Path(file).exists() for file in _lines(UNMADE))

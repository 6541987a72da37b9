"""What commands are given: files, the standard input, scales and columns as text; and read."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from regrade.api.pipes import copy_pipe
from regrade.choices import IRDS
from regrade.errors import InputError, ParameterError, RegradeError

STDIN = "-"


class Inputs:
    """Files by their names; ``-`` is the standard input, which like a pipe is read once."""

    def __init__(self, folder: Path):
        """Take a folder that is deleted at the end."""
        self._folder = folder
        self._copies: dict[str, Path] = {}
        self.were_read = False

    def path(self, text: str) -> str:
        """The path to read."""
        self.were_read = True
        if text.startswith(IRDS):
            return text
        path = Path(text).expanduser()
        if text != STDIN and not path.is_fifo():
            return str(path)
        if text not in self._copies:
            copy = self._folder / f"pipe{len(self._copies)}"
            with copy.open("wb") as file:
                if text == STDIN:
                    shutil.copyfileobj(sys.stdin.buffer, file)
                else:
                    copy_pipe(path, file)
            self._copies[text] = copy
        return str(self._copies[text])

    def with_names(self, message: str) -> str:
        """A message with the names of pipes in place of where they were put."""
        for name, copy in self._copies.items():
            message = message.replace(str(copy), "<stdin>" if name == STDIN else name)
        return message


_INPUTS: list[Inputs] = []
"""What the running command was given, last; a test may run one within another."""


@contextmanager
def inputs() -> Iterator[Inputs]:
    """Inputs for a command, which are those of `path` meanwhile."""
    with tempfile.TemporaryDirectory(prefix="regrade-") as folder:
        _INPUTS.append(Inputs(Path(folder)))
        try:
            yield _INPUTS[-1]
        finally:
            _INPUTS.pop()


def with_names(message: str) -> str:
    """A message with the names of the running command's pipes in place of where they were put."""
    return _INPUTS[-1].with_names(message) if _INPUTS else message


def path(text: str | None) -> str | None:
    """The path of a file that the running command was given, if it was."""
    return None if text is None else _INPUTS[-1].path(text)


def numbers_of(text: str, option: str) -> list[float]:
    """Numbers with commas between them."""
    from regrade.readers.lines import is_number

    parts = text.split(",")
    if wrong := [part for part in parts if not is_number(part)]:
        raise ParameterError(f"--{option} {text}: {wrong[0]!r} is not a number")
    return list(map(float, parts))


def scale_of(text: str | None) -> object:
    """A scale as the command line writes it."""
    if text is None:
        return None
    from regrade.readers.lines import is_number

    if "," in text:
        parts = [part.strip() for part in text.split(",")]
        return [_number(part) if is_number(part) else part for part in parts]
    parts = text.split(":")
    whole = len(parts) > 1 or text.strip().isdecimal()
    if not all(map(is_number, parts)) or len(parts) > 3 or not whole:
        raise ParameterError(
            f"scale {text!r}: write levels as 4, a range as 0:1, in steps as 0:5:0.1, values as "
            "N,R,H"
        )
    if len(parts) == 3:
        low, high, by = map(_number, parts)
        return {"values": {"from": low, "to": high, "by": by}}
    if len(parts) == 2:
        return (_number(parts[0]), _number(parts[1]))
    return int(parts[0])


def columns_of(text: str | None) -> dict[str, str]:
    """``topic=qid,grade=rel`` as a mapping."""
    parts = [] if text is None else text.split(",")
    return dict(_assigned(parts, f"columns {text!r}: write them as topic=qid,grade=rel"))


def file_and_columns(text: str) -> tuple[str, dict[str, str]]:
    """A file, and what it alone calls our columns: ``model.csv:grade=gpt4,topic=qid``."""
    file, mark, columns = text.rpartition(":")
    if not (mark and file and "=" in columns) or "/" in columns or Path(text).exists():
        return text, {}
    return file, columns_of(columns)


def where_of(text: str | None) -> Mapping[str, list[str]] | None:
    """``status=Accepted,status=Checked`` as a mapping of columns to the values wanted."""
    wanted: dict[str, list[str]] = {}
    parts = text.split(",") if text else []
    for name, value in _assigned(parts, f"where {text!r}: write it as status=Accepted", some=False):
        wanted.setdefault(name, []).append(value)
    return wanted or None


def sets_of(texts: Sequence[str] | None, option: str = "others") -> dict[str, str]:
    """Sets as the command line writes them, ``cred=credibility.qrels`` each, as files by name."""
    files: dict[str, str] = {}
    for text in texts or ():
        wrong = f"{option} {text!r}: write a set as its name and file, NAME=FILE"
        ((name, file),) = _assigned([text], wrong)
        if name in files:
            raise ParameterError(f"{option}: two sets are called '{name}': rename one")
        files[name] = file
    return files


def families_of_patterns(
    texts: Sequence[str] | None, option: str = "family"
) -> dict[str, list[str]]:
    """``gpt=*gpt*`` as patterns by family, or ``umbrela=gpt`` as families by judge."""
    several: dict[str, list[str]] = {}
    for text in texts or ():
        example = {"family": "gpt=*gpt*", "own": "gpt-4o=gpt"}[option]
        wrong = f"--{option} {text!r}: write it as {example}"
        ((name, value),) = _assigned([text], wrong)
        several.setdefault(name, []).append(value)
    return several


def _assigned(parts: Sequence[str], wrong: str, *, some: bool = True) -> Iterator[tuple[str, str]]:
    """Names and values, ``name=value`` each; with `some`, of which none is empty."""
    for part in parts:
        name, mark, value = (one.strip() for one in part.partition("="))
        if not (name and mark and (value or not some)):
            raise ParameterError(wrong)
        yield name, value


def _number(text: str) -> float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


_LEAVING = {"missing": "refuse", "off_scale": "refuse", "below_zero": "trec"}
"""What becomes of rows of labels that some files have and should not."""


def rules_of(text: str, how: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """A file, and how the library reads it, by options of reading."""
    file, own = file_and_columns(text)
    rules = {
        "where": how.get("where"),
        "columns": {**(how.get("columns") or {}), **own} or None,
        "scale": how.get("scale"),
    }
    return file, rules | {name: how.get(name) or usual for name, usual in _LEAVING.items()}


def labels_of(text: str | None, read: str = "qrels", *, one_scale: bool = False, **how: object):
    """Labels (``qrels``), ``judgments``, or either (``set``) that the running command was given.

    `how` are options of reading; with `one_scale`, rows on several scales are
    refused.
    """
    if text is None:
        return None
    from regrade.api import sets

    file, rules = rules_of(text, how)
    if read == "judgments":
        del rules["below_zero"]
    labels = getattr(sets, f"read_{read}")(path(file), **rules)
    if not Path(file).is_file():
        return labels
    from regrade.command.given_files import mixed_rows

    mixed = mixed_rows(Path(file), rules["where"], rules["columns"], one_scale=one_scale)
    return replace(labels, mixed=mixed)


def reference_of(text: str | None, how: Mapping[str, object]):
    """Labels beside what a command is about, on a scale and with columns of their own, if any.

    Levels by the names that the command was told in order are read as these.
    """
    scale, own = how.get("scale"), {key: how.get(key) for key in _LEAVING}
    try:
        return labels_of(text, **own)
    except InputError:
        if not isinstance(scale, list) or not any(isinstance(name, str) for name in scale):
            raise
        return labels_of(text, scale=scale, **own)


def read_beside(reference, how: Mapping[str, object], read: Callable[..., object]):
    """What `read` gives, on a scale of its own where names of levels are the reference's alone."""
    try:
        return read(**how)
    except InputError as error:
        stated = reference and reference.stated_scale
        if not (stated and stated.names):
            raise
        try:
            return read(**{**how, "scale": None})
        except InputError:
            raise error from None


def by_named_columns(texts: Sequence[str], how: Mapping) -> list[Mapping]:
    """How each of some files is read: by columns, where only some have names for these, those."""
    from regrade.readers.formats import headed_format

    if not (how["where"] or how["columns"]):
        return [how for _ in texts]
    files = [path(file_and_columns(text)[0]) for text in texts]
    named = [not Path(one).is_file() or headed_format(one) is not None for one in files]
    plain = {**how, "where": None, "columns": None}
    return [how if one or not any(named) else plain for one in named]


def judges_of(reference: str, sets: list[str], runs: list[str] | None, how: Mapping[str, object]):
    """The reference, the judges, and the runs if there are any."""
    ranked = read_runs(runs, **how)
    labels = reference_of(reference, how)
    return labels, read_beside(labels, how, partial(judge_sets, sets)), ranked


def judge_sets(sets: list[str], **how: object):
    """Judges by name, or as files, globs and folders of theirs are called; or judgments."""
    from regrade.readers.sources import files_of

    # what has a name, or columns of its own, is one file
    files = ([text] if "=" in text else map(str, files_of(text)) for text in sets)
    sets = [*chain.from_iterable(files)]
    named = [text for text in sets if "=" in text.partition(":")[0]]
    if len(sets) == 1 and not named:
        return labels_of(sets[0], "set", **how)
    return _by_name(sets, named, "sets", how)


def labelled_sets(texts: list[str], how: Mapping[str, object]):
    """Label sets by name, or as files are called, on a scale and with columns of their own."""
    named = [text for text in texts if "=" in text.partition(":")[0]]
    return _by_name(texts, named, "control", {key: how.get(key) for key in _LEAVING})


def _by_name(texts: Sequence[str], named: Sequence[str], option: str, how: Mapping):
    sets = {n: labels_of(file, "set", **how) for n, file in sets_of(named, option).items()}
    for text in texts:
        if text not in named:
            one = labels_of(text, "set", **how)
            if one.name in sets:
                raise ParameterError(
                    f"{option}: two sets are called '{one.name}': name one, as in mine={text}"
                )
            sets[one.name] = one
    return sets


def are_scores(text: str | None) -> bool:
    """Whether a file that a command is given has scores by item; nothing is said of others."""
    if text is None or text.startswith(IRDS):
        return False
    from regrade.api.designs import is_score_source

    file = file_and_columns(text)[0]
    is_there = file == STDIN or Path(file).expanduser().exists() or any(c in file for c in "*?[")
    return is_there and is_score_source(path(file))


_OF_LABELS = {"scale": None, "off_scale": "refuse", "below_zero": "trec",
              "tie_break": "rank", "not_self": False}  # fmt: skip
"""Options of reading labels and runs: what they are where nobody gives them."""


def scores_from(
    texts: Sequence[str] | Mapping[str, str],
    lower: Sequence[str] | None,
    how: Mapping[str, object],
):
    """Scores by item of files that the running command was given; options of labels are refused.

    Files by name have a system each.
    """
    from regrade.api.item_scores import read_scores

    written = [*texts.values()] if isinstance(texts, Mapping) else texts
    files, rules = _score_files(written, lower, how)
    source: object = files[0] if len(files) == 1 else files
    if isinstance(texts, Mapping):
        source = dict(zip(texts, files, strict=True))
    return read_scores(source, **rules)


def scores_of_systems(texts: Sequence[str], lower: Sequence[str] | None, how: Mapping[str, object]):
    """The same of several files, and the first system of each."""
    from regrade.api.item_scores import read_files_of_systems

    files, rules = _score_files(texts, lower, how)
    return read_files_of_systems(files, **rules)


def _score_files(
    texts: Sequence[str],
    lower: Sequence[str] | None,
    how: Mapping[str, object],
) -> tuple[list[str], dict[str, object]]:
    """The files, and how they are read."""
    for name, usual in _OF_LABELS.items():
        if how.get(name, usual) != usual:
            option = name.replace("_", "-")
            raise ParameterError(
                f"--{option} is about labels and runs, and {next(iter(texts))} has scores by item: "
                "leave it out"
            )
    read = [file_and_columns(text) for text in texts]
    own = {ours: theirs for _, columns in read for ours, theirs in columns.items()}
    columns = {**(how.get("columns") or {}), **own} or None
    files = [path(file) for file, _ in read]
    return files, {"columns": columns, "where": how.get("where"), "lower": tuple(lower or ())}


def labels_with_runs(
    text: str, runs: Sequence[str] | None, lower: Sequence[str] | None, how: Mapping[str, object]
):
    """The labels that a command was given in place of scores by item; they need runs."""
    refuse_of_scores(lower)
    labels = labels_of(text, **how)
    if not runs:
        form = " (of JSON {system: {measure: {item: number}}})" if ".json" in text else ""
        raise ParameterError(
            f"{text} holds labels: give runs beside it, or scores in its place{form}"
        )
    return labels


def judge_scores_of(
    reference: str, sets: Sequence[str], lower: Sequence[str] | None, how: Mapping[str, object]
):
    """The reference's scores, or the name of a judge, and those of judges: by name, or one set."""
    from regrade.readers.sources import files_of

    is_file = are_scores(reference)
    beside = scores_from([reference], lower, how) if is_file else reference
    if len(sets) == 1 and "=" not in sets[0] and len(files_of(path(sets[0]))) == 1:
        return beside, scores_from(sets, lower, how)
    files = ([text] if "=" in text else map(str, files_of(text)) for text in sets)
    written = [*chain.from_iterable(files)]
    named = sets_of([text for text in written if "=" in text.partition(":")[0]], "sets")
    judges = {name: scores_from([file], lower, how) for name, file in named.items()}
    for text in written:
        if "=" not in text.partition(":")[0]:
            one = scores_from([text], lower, how)
            if one.name in judges:
                raise ParameterError(
                    f"sets: two sets are called '{one.name}': name one, as in mine={text}"
                )
            judges[one.name] = one
    return beside, judges


def refuse_runs(runs: Sequence[str] | None) -> None:
    """Refuse runs beside scores by item."""
    if runs:
        raise ParameterError("--runs scores systems under labels: leave it out beside scores")


def refuse_of_scores(lower: Sequence[str] | None) -> None:
    """Refuse an option of scores by item where there are none."""
    if lower:
        raise ParameterError("--lower is about scores by item: leave it out with labels and runs")


def read_two_runs(
    files: Mapping[str, str], *, tie_break: str = "rank", not_self: bool = False, **_: object
):
    """A run for each name; otherwise as `read_runs`."""
    from regrade.api.sets import read_runs as read

    precision = "float32" if tie_break == "trec_eval" else "float64"
    rules = {"tie_break": tie_break, "score_precision": precision, "not_self": not_self}
    return read(dict(files), **rules)


def read_runs(
    texts: Sequence[str] | None,
    groups: str | None = None,
    *,
    tie_break: str = "rank",
    not_self: bool = False,
    **_: object,
):
    """The runs that the running command was given; of options of reading these two count.

    trec_eval takes scores for equal that are equal in single precision.
    """
    if not texts:
        return None
    from regrade.api.sets import read_runs as read

    _refuse_measures(texts)
    precision = "float32" if tie_break == "trec_eval" else "float64"
    files = [path(text) for text in texts]
    files = files[0] if len(files) == 1 else files  # a single one may name several
    rules = {"tie_break": tie_break, "score_precision": precision, "not_self": not_self}
    return read(files, groups=groups_of(groups), **rules)


def _refuse_measures(texts: Sequence[str]) -> None:
    """Refuse measures among the files, which a shell passes on where no quotes join them."""
    from regrade.measures import parse_all

    for text in texts:
        if not Path(text).exists():
            try:
                parse_all([text])
            except RegradeError:
                continue
            raise ParameterError(
                f"{text}: there is no such file; measures are given together, as in -m 'nDCG@10 AP'"
            )


def groups_of(file: str | None) -> dict[str, str] | None:
    """Group by system, of a file that the running command was given."""
    if file is None:
        return None
    from regrade.readers.groups import group_of_systems

    return group_of_systems(path(file))

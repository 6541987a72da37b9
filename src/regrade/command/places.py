"""Files in places of others: which command to type instead."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from click import Command, Context, Parameter

from regrade.choices import IRDS
from regrade.command.arguments import STDIN, file_and_columns
from regrade.errors import RegradeError

RUNS, LABELS, SAMPLE = "runs", "labels", "sample"

_HELD = {"runs": RUNS, "qrels": LABELS, "judgments": LABELS, "sample": SAMPLE}
"""What a place may be for, by the kind of a file; other kinds are left where they are."""

_PLACES = {
    "runs": RUNS,
    **dict.fromkeys(
        ("qrels", "first", "second", "reference", "sets", "judgments", "models"), LABELS
    ),
    "labels": SAMPLE,
}
"""What parameters of commands take, by their names."""

_CALLED = {
    RUNS: "runs",
    LABELS: "labels",
    SAMPLE: "the columns `chosen` and `inclusion` that `assign` wrote",
}
_LOOKED_AT = 5
_SHOWN = 5


class FileCommand(Command):
    """A command that says of files too many where they go, and keeps what it was given."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Take the words of a command line; those that have no place are refused."""
        if wrong := _after_labels(self, args):
            ctx.fail(wrong)
        ctx.allow_extra_args = True
        if further := super().parse_args(ctx, args):
            ctx.fail(advice(ctx) or f"there is no place for {shlex.join(further)}")
        return further

    def invoke(self, ctx: Context) -> object:
        """Run it."""
        _RUNNING.append(ctx)
        try:
            return super().invoke(ctx)
        finally:
            _RUNNING.pop()


def _after_labels(command: Command, args: Sequence[str]) -> str:
    """What is wrong with a word after an option of a label set: its place may be either.

    Labels of a person and of a judge are of one kind, so that no reader would refuse the word.
    """
    own = {name for p in command.params if _holds_labels(p) for name in p.opts}
    for at, word in enumerate(args):
        flag, is_joined, _ = word.partition("=")
        after = at + (1 if is_joined else 2)
        if flag in own and after < len(args) and not args[after].startswith("-"):
            value, file = (shlex.quote(one) for one in (args[after - 1], args[after]))
            value = value.removeprefix(f"{flag}=")
            return (
                f"{flag} takes one file, and {file} follows {value}: type {flag} {value} {flag} "
                f"{file}, or put {file} in front of all options if it is another argument"
            )
    return ""


def _holds_labels(parameter: Parameter) -> bool:
    return parameter.param_type_name == "option" and parameter.name == "control"


_RUNNING: list[Context] = []
"""What the running command was given, last."""


def advice_now() -> str:
    """The advice on the running command."""
    return advice(_RUNNING[-1])


def advice(context: Context) -> str:
    """Which file is not where its kind goes, and the command to type; empty where all are.

    Also where another order would make no command either: what is wrong is then something else.
    """
    places = {p.name: _PLACES[p.name] for p in context.command.params if p.name in _PLACES}
    located = [(place, file) for name, place in places.items() for file in _files(context, name)]
    located += [(None, file) for file in context.args]
    held = [_held(file) for _, file in located]
    if SAMPLE not in places.values():
        held = [LABELS if one == SAMPLE else one for one in held]
    elif SAMPLE not in held:  # whatever labels people gave
        places = {name: LABELS if of == SAMPLE else of for name, of in places.items()}
        located = [(LABELS if place == SAMPLE else place, file) for place, file in located]
    held = [one or place for one, (place, _) in zip(held, located, strict=True)]
    wrong = [i for i, (place, _) in enumerate(located) if held[i] != place]
    if not wrong or None in held:
        return ""
    files = {of: [f for (_, f), one in zip(located, held, strict=True) if one == of] for of in held}
    filled = _filled(context, places, files)
    if filled is None:
        return ""
    rarest = next((i for i in wrong if held[i] == SAMPLE), wrong[0])  # the rarest says most
    (_, file), of = located[rarest], held[rarest]
    goes = _goes(context, next(name for name, some in filled.items() if file in some))
    command = " ".join(_words(context, filled))
    return f"{file} holds {_CALLED[of]}, which {goes}; type: {command}"


def _files(context: Context, name: str) -> list[str]:
    value = context.params.get(name)
    return [value] if isinstance(value, str) else list(value or ())


def _held(text: str) -> str | None:
    """What a file, or the first ones of a folder or glob, are for; ``None``: that is not known."""
    if text == STDIN or text.startswith(IRDS):
        return None
    from regrade.readers.sources import files_of, kind_of

    try:
        files = files_of(Path(file_and_columns(text)[0]).expanduser())
    except RegradeError:
        return None
    for file in islice(files, _LOOKED_AT):
        with suppress(RegradeError):
            if file.is_file() and (of := _HELD.get(kind_of(file).kind)):  # a pipe is read once
                return of
    return None


def _filled(
    context: Context, places: Mapping[str, str], files: Mapping[str, list[str]]
) -> dict[str, list[str]] | None:
    """Files by parameter, each kind in the order given; ``None`` where some lack or are left."""
    left = {of: list(some) for of, some in files.items()}
    filled = {}
    for one in context.command.params:
        if one.name in places:
            some = left.get(places[one.name], [])
            most = len(some) if one.nargs == -1 or one.multiple else 1
            filled[one.name], some[:] = some[:most], some[most:]
            if one.required and not filled[one.name]:
                return None
    return None if any(left.values()) else filled


def _goes(context: Context, name: str) -> str:
    """Where the files of a parameter go."""
    arguments = [p.name for p in context.command.params if p.param_type_name == "argument"]
    if name not in arguments:
        return f"go with {_flag(context, name)}"
    return "come first" if name == arguments[0] else f"come after {arguments[0]}"


def _flag(context: Context, name: str) -> str:
    return max(next(p.opts for p in context.command.params if p.name == name), key=len)


def _words(context: Context, filled: Mapping[str, list[str]]) -> Iterator[str]:
    """The command with files where they go, and all that was given besides."""
    yield from ("regrade", context.info_name)
    for is_option in (False, True):
        for one in context.command.params:
            if (one.param_type_name == "option") != is_option:
                continue
            flag = [_flag(context, one.name)] if is_option else []
            if one.name in filled:
                files = [shlex.quote(file) for file in filled[one.name]]
                files = files if len(files) <= _SHOWN else [files[0], "…"]
                yield from (word for file in files for word in [*flag, file])
            elif context.get_parameter_source(one.name).name == "COMMANDLINE":
                value = context.params[one.name]
                values = value if isinstance(value, list | tuple) else [value]
                for entry in values:
                    yield from flag if entry is True else [*flag, _quoted(entry)]


def _quoted(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else shlex.quote(str(value))

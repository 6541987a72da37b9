"""A stage's options as those of a command: one is written as the configuration has it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer

from regrade.errors import ParameterError
from regrade.stages.common import option_fields
from regrade.stages.declare import TYPES, Field, Stage
from regrade.stages.library import check_option

_PLAIN = {kind: of for of, kind in TYPES.items()}


def takes_options(stage: type[Stage], **defaults: object) -> Callable[[Callable], Callable]:
    """Give a command the options of a stage in place of its parameter ``options``, a mapping.

    Lists have commas between their values; what has parts is JSON.  `defaults` are other ones than
    those of the configuration.  An option that the command has as a parameter itself is its own.
    """

    def decorated(function: Callable) -> Callable:
        signature = inspect.signature(function, eval_str=True)
        known = signature.parameters
        fields = {n: f for n, f in option_fields(stage, defaults).items() if n not in known}

        @wraps(function)
        def command(**given: object) -> None:
            options = {name: read(name, given.pop(name), one) for name, one in fields.items()}
            for name, value in options.items():
                check_option(name, value, fields[name])  # before any file is read
            function(**given, options=options)

        own = [_parameter(name, field) for name, field in fields.items()]
        parameters = [
            new
            for old in signature.parameters.values()
            for new in (own if old.name == "options" else [old])
        ]
        command.__signature__ = signature.replace(parameters=parameters)
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return decorated


def _parameter(name: str, field: Field) -> inspect.Parameter:
    kind, default = _kind(field), field.default
    if kind is str and default is not None and not isinstance(default, str):
        default = ",".join(map(str, default)) if _is_list(field) else json.dumps(default)
    about = field.about
    if field.choices:
        about = f"{about.rstrip('.')}: {', '.join(field.choices)}."
    return inspect.Parameter(
        name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=default,
        annotation=Annotated[kind | None if default is None else kind, typer.Option(help=about)],
    )


def _kind(field: Field) -> type:
    plain = [_PLAIN.get(kind, str) for kind in field.types if kind != "null"]
    return plain[0] if len(plain) == 1 else str


def _is_list(field: Field) -> bool:
    """Whether it is a list of what has no parts."""
    return field.is_several and field.node["items"].get("type") not in ("array", "object")


def read(name: str, written: object, field: Field) -> object:
    """An option as a configuration has it, from what was written for it.

    Raises
    ------
    ParameterError
        If it is no list, or no JSON.
    """
    if not isinstance(written, str) or "string" in field.types or field.choices:
        return written
    if _is_list(field):
        of = _PLAIN.get(field.node["items"].get("type"), str)
        try:
            return [of(one) for one in written.replace(",", " ").split()]
        except ValueError as error:
            raise ParameterError(f"{name} is {written}: give numbers, commas between") from error
    try:
        return json.loads(written)
    except ValueError as error:
        raise ParameterError(f'{name} is {written}: give JSON, as {{"a": 1}}') from error

"""The effects that stages declare, by question and name."""

from __future__ import annotations

from regrade.errors import ParameterError, check_choice
from regrade.stages.declare import Effect
from regrade.stages.registry import stages


def questions() -> dict[str, tuple[Effect, ...]]:
    """The effects of each question that has some, by the key of its stage."""
    return {key: stage.effects for key, stage in stages().items() if stage.effects}


def known_question(text: str) -> str:
    """The key of a question that has effects; raises `ParameterError` for others."""
    check_choice("question", text, questions())
    return text


def known_effect(text: str) -> str:
    """The name of an effect of any question; raises `ParameterError` for others."""
    names = {one.name: None for effects in questions().values() for one in effects}
    check_choice("effect", text, names)
    return text


def effect_of(question: str, name: str | None = None) -> Effect:
    """The effect of a question by its name; without one the question's first.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    known = questions()
    check_choice("question", question, known)
    if name is None:
        return known[question][0]
    named = {one.name: one for one in known[question]}
    if name not in named:
        raise ParameterError(f"effect is {name!r}: effects of {question} are {', '.join(named)}")
    return named[name]

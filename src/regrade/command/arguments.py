"""What commands are given: files, the standard input, scales and columns as text."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from regrade.api.pipes import copy_pipe
from regrade.choices import IRDS
from regrade.errors import ParameterError

STDIN = "-"


class Inputs:
    """Files by their names; ``-`` is the standard input, which like a pipe is read once."""

    def __init__(self, folder: Path):
        """Take a folder that is deleted at the end."""
        self._folder = folder
        self._copies: dict[str, Path] = {}

    def path(self, text: str) -> str:
        """The path to read."""
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

    def paths(self, texts: Sequence[str]) -> list[str] | str:
        """The paths to read; of a single one itself, for it may name several files."""
        found = [self.path(text) for text in texts]
        return found[0] if len(found) == 1 else found

    def with_names(self, message: str) -> str:
        """A message with the names of pipes in place of where they were put."""
        for name, copy in self._copies.items():
            message = message.replace(str(copy), "<stdin>" if name == STDIN else name)
        return message


@contextmanager
def inputs() -> Iterator[Inputs]:
    """Inputs for a command."""
    with tempfile.TemporaryDirectory(prefix="regrade-") as folder:
        yield Inputs(Path(folder))


def numbers_of(text: str, option: str) -> list[float]:
    """Numbers with commas between them."""
    from regrade.readers.lines import is_number

    parts = text.split(",")
    if wrong := [part for part in parts if not is_number(part)]:
        raise ParameterError(f"--{option} {text}: {wrong[0]!r} is no number")
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


def columns_of(text: str | None) -> Mapping[str, str] | None:
    """``topic=qid,grade=rel`` as a mapping."""
    if text is None:
        return None
    found = {}
    for part in text.split(","):
        ours, mark, theirs = part.partition("=")
        if not mark or not ours.strip() or not theirs.strip():
            raise ParameterError(f"columns {text!r}: write them as topic=qid,grade=rel")
        found[ours.strip()] = theirs.strip()
    return found


def file_and_columns(text: str) -> tuple[str, dict[str, str]]:
    """A file, and what it alone calls our columns: ``model.csv:grade=gpt4,topic=qid``."""
    file, mark, said = text.rpartition(":")
    if not (mark and file and "=" in said) or "/" in said or Path(text).exists():
        return text, {}
    return file, dict(columns_of(said) or {})


def where_of(text: str | None) -> Mapping[str, list[str]] | None:
    """``status=Accepted,status=Checked`` as a mapping of columns to the values wanted."""
    found: dict[str, list[str]] = {}
    for part in text.split(",") if text else []:
        name, mark, value = part.partition("=")
        if not mark or not name.strip():
            raise ParameterError(f"where {text!r}: write it as status=Accepted")
        found.setdefault(name.strip(), []).append(value.strip())
    return found or None


def sets_of(texts: Sequence[str], option: str = "others") -> dict[str, str]:
    """Sets as the command line writes them, ``cred=credibility.qrels`` each, as files by name."""
    found: dict[str, str] = {}
    for text in texts:
        name, mark, file = (part.strip() for part in text.partition("="))
        if not (name and mark and file):
            raise ParameterError(f"{option} {text!r}: write a set as its name and file, cred=FILE")
        if name in found:
            raise ParameterError(f"{option}: two sets are called '{name}': call one otherwise")
        found[name] = file
    return found


def _number(text: str) -> float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)

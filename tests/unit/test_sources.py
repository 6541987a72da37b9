"""What of a module's text is its code, of which jobs know the hash."""

import io
import tokenize
from pathlib import Path

import pytest

from regrade.workflow.sources import code_of

CLONE = Path(__file__).parents[2]
ONE = '''"""What it is for."""

import os  # of the system

X = 1
"""A number."""


def double(x):
    """Twice it."""
    # quickly
    return 2 * x
'''
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}


@pytest.mark.parametrize(
    ("of", "becomes"),
    [
        ("What it is for.", 'What it was for,\n\nwith `more`: it\'s \\"said\\" # here'),
        ("A number.", "A number"),
        ("Twice it.", "Two times.\n\n    Examples\n    --------\n    >>> double(2)\n    4\n    "),
        ("# of the system", ""),
        ("    # quickly\n", ""),
        ("# quickly", "# quickly, it's (so"),
        ("\n\n\n", "\n\n\n\n"),
        ("2 * x\n", "2 * x  # x\n\n# the end"),
    ],
)
def test_what_code_says_of_itself_is_no_code(of, becomes):
    assert of in ONE
    assert code_of(ONE.replace(of, becomes)) == code_of(ONE)


@pytest.mark.parametrize(
    ("of", "becomes"),
    [
        ("2 * x", "3 * x"),
        ("return", "    return"),
        ("2 * x", "2 * len('''x''')"),
        ("X = 1", "X = 1\nY = 2"),
        ("X = 1", "X = '# 1'"),
    ],
)
def test_other_code_is_other_code(of, becomes):
    assert code_of(ONE.replace(of, becomes)) != code_of(ONE)


@pytest.mark.parametrize(
    "text",
    [
        "x = 'a{}'  # a",
        'x = "#{}"',
        'x = """\n{}\n"""',
        'x = f(\n    """\n{}\n    """\n)',
        'x = \\\n"""{}"""',
        '"""{}""".strip()',
        "x = r'\\{}'",
        "x = '\\'{}'",
        'x = """a"{}\\""""',
        "x = rb'#{}'\n",
    ],
)
def test_a_text_that_is_no_docstring_is_code(text):
    assert code_of(text.format(1)) != code_of(text.format(2))


def test_two_texts_are_not_taken_for_one_another():
    assert code_of("f('a', 'b')") != code_of("f('b', 'a')") != code_of("f('ab', '')")


def tokens(text: str) -> list[str]:
    """Names, numbers, operators and texts, as Python reads them, without texts by themselves."""
    read = list(tokenize.generate_tokens(io.StringIO(text).readline))
    read = [t for t in read if t.type not in (tokenize.NL, tokenize.COMMENT)]
    alone = {
        place
        for place, token in enumerate(read)
        if token.type == tokenize.STRING
        and (not place or read[place - 1].type in LAYOUT)
        and read[place + 1].type == tokenize.NEWLINE
    }
    return [t.string for i, t in enumerate(read) if i not in alone and t.type not in LAYOUT]


def with_texts(code: str) -> str:
    """The code with its texts where they stood."""
    parts = code.split("\0")
    texts = parts[len(parts) - len(parts) // 2 :]
    rest = parts[: len(parts) - len(texts)]
    return rest[0] + "".join(text + after for text, after in zip(texts, rest[1:], strict=True))


def test_code_is_what_python_reads():
    files = sorted([*(CLONE / "src").rglob("*.py"), *(CLONE / "tests" / "unit").glob("*.py")])
    assert len(files) > 400
    for file in files[::7]:
        text = file.read_text(encoding="utf-8")
        code = with_texts(code_of(text)) + "\n"
        assert tokens(code) == tokens(text), file

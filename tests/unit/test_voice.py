"""What is shown is in the field's words: phrases of a private language are refused.

`BANNED` lists them once, each with what to write instead.  What is shown: the help of every
command, the configuration's keys, tables, columns and intervals, terms, captions and templates,
pages, messages, docstrings of what `import regrade` offers, and the texts of answers and figures.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import regrade
from regrade.answers.glossary import TERMS
from regrade.catalogue import TABLES
from regrade.command.app import app
from regrade.intervals import INTERVALS

PROJECT = Path(__file__).parents[2]

BANNED = {
    r"surely": "significantly (test, correction)",
    r"\b(told|tell|tells|telling) apart": "significantly different",
    r"\b(tell|tells) [^.;:]{1,40} apart\b": "differ significantly; discriminates between",
    r"told from": "significantly different from",
    r"(cannot|can) be told": "is not significant; is not identifiable",
    r"\b(held|hold|holds|holding) beside": "compared with",
    r"\bas far as [^.;:]{1,40} (tell|tells)\b": "estimated from",
    r"(of|in) five cases": "with 80% power",
    r"endless": "the population of topics",
    r"draws? of": "bootstrap samples of",
    r"Mind:": "Note: or Caution:",
    r"How:": "Method:",
    r"whom": "which",
    r"nobody": "no worker, no judge; unjudged",
    r"found is|found of": "the noun",
    r"rather too": "optimistic: the maximum of several",
    r"judged one label": "exact agreement",
    r"people's labels|labels by people": "human labels",
    r"taken for people's": "treated as the human reference",
    r"the other way round": "in the opposite direction",
    r"(go|goes|going) round": "intransitive; circular triads",
    r"tosses of a coin": "random preferences",
    r"is at work": "running",
    r"made (worlds|and real)": "simulated populations",
    r"hurt most": "largest rank losses",
    r"what was read": "data",
    r"[Bb]eside that,": "for comparison,",
    r"hardly|mostly|not safely": "a term of a scale that is defined",
    r"could be found": "minimum detectable difference",
    r"as good as [^.;:]{1,40} can tell": "not significantly different from",
}
"""A pattern, between the borders of words → what to write instead."""

OPENING = re.compile(r"^(Of|Whose|How often|How many|Which one)\b[^?]*$")
"""How no text of help begins that is not a question: it says first what it is."""

LONGEST = 25
"""Words of a sentence of help."""

MESSAGES = ("warning", "info", "error", "exception", "debug", "refuse", "add")
"""What a call is called that says something."""

PROBLEMS = {"problem", "reason", "remedy", "message", "advice", "said", "text"}
"""What a name is called that holds what is said."""

SHOWN_MODULES = re.compile(r"(^|/)(answers|show)/|(answer|figures)\.py$")
"""Modules whose every text is shown."""

PARTICIPLES = {"asked", "found", "given", "met", "said", "shown", "told"}
"""What no result, parameter, attribute or function of the source is called: it is a noun."""

TERMS_OF_THE_FIELD = {"given_grade"}
"""Names that have one of these words as the field has it: an error given the grade."""

_BANNED = [(re.compile(rf"(?<!\w)(?:{one})(?!\w)"), said) for one, said in BANNED.items()]


def problems(text: str) -> list[str]:
    """Each phrase of a text that is refused, and what to write instead."""
    line = " ".join(re.sub(r"`[^`]*`", "``", text).split())
    return [f"{found[0]!r} ({said}) in {line!r}" for one, said in _BANNED
            if (found := one.search(line))]  # fmt: skip


def texts_of_help() -> Iterator[tuple[str, str]]:
    """Each text of the help of each command."""
    for name in app.commands:
        command = app.commands[name]
        yield name, command.help.partition("\n")[0]
        for one in command.params:
            yield f"{name} {one.name}", getattr(one, "help", None) or ""


def texts_of_schema(node: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Each description of the configuration's schema."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("description", "title") and isinstance(value, str):
                yield path, value
            yield from texts_of_schema(value, f"{path}.{key}".lstrip("."))


def texts_of_catalogue() -> Iterator[tuple[str, str]]:
    """Each sentence of a table, and each meaning of a column."""
    for path, table in TABLES.items():
        yield path, table.sentence
        for column in table.columns:
            yield f"{path} {column.name}", column.meaning


def texts_of_docstrings() -> Iterator[tuple[str, str]]:
    """Each docstring of what `import regrade` offers."""
    for name in regrade.__all__:
        one = getattr(regrade, name)
        yield name, one.__doc__ or ""
    for path in sorted((PROJECT / "src/regrade/api").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_named = isinstance(node, ast.ClassDef | ast.FunctionDef)
            if is_named and not node.name.startswith("_"):
                yield f"{path.stem}.{node.name}", ast.get_docstring(node) or ""


HELD = {
    "help": texts_of_help,
    "schema": lambda: texts_of_schema(
        json.loads((PROJECT / "config/regrade.schema.json").read_text(encoding="utf-8"))
    ),
    "catalogue": texts_of_catalogue,
    "intervals": lambda: ((name, one.description) for name, one in INTERVALS.items()),
    "terms": lambda: ((name, f"{name}: {text}") for name, text in TERMS.items()),
    "docstrings": texts_of_docstrings,
}
"""Where texts stand that are no files of their own."""


@pytest.mark.parametrize("where", HELD)
def test_declared_texts_are_in_the_fields_words(where):
    found = [f"{name}: {one}" for name, text in HELD[where]() for one in problems(text)]
    assert not found, "\n".join(found)


def test_help_says_first_what_it_is_and_in_short_sentences():
    for name, text in texts_of_help():
        assert not OPENING.match(text), f"{name}: {text}"
        if name.endswith(" table"):
            continue  # a list of names
        for sentence in re.split(r"(?<=[.?;]) ", text):
            assert len(sentence.split()) <= LONGEST, f"{name}: {sentence}"


def test_keys_say_first_what_they_are():
    for name, text in HELD["schema"]():
        assert not OPENING.match(text), f"{name}: {text}"


def literal(node: ast.AST) -> str | None:
    """The text of a literal; of one with fields, with … in their place."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            one.value if isinstance(one, ast.Constant) else "…" for one in node.values
        )  # fmt: skip
    return None


def texts_within(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The literals within a node, but for what finds something: indices, keys, what is compared."""
    if (text := literal(node)) is not None:
        yield node.lineno, text
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.FormattedValue):
                yield from texts_within(one.value)
        return
    passed = []
    if isinstance(node, ast.Subscript):
        passed = [node.slice]
    elif isinstance(node, ast.Dict):
        passed = node.keys
    elif isinstance(node, ast.Compare):
        passed = [node.left, *node.comparators]
    elif isinstance(node, ast.Expr) and literal(node.value) is not None:
        passed = [node.value]  # a docstring
    for one in ast.iter_child_nodes(node):
        if one not in passed or isinstance(one, ast.Call):
            yield from texts_within(one)


def called(node: ast.AST) -> str:
    """What a call calls."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def texts_of_module(path: Path) -> Iterator[tuple[int, str]]:
    """The literals of a module that are shown."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if SHOWN_MODULES.search(path.relative_to(PROJECT / "src/regrade").as_posix()):
        yield from texts_within(tree)
        return
    for node in ast.walk(tree):
        is_call = isinstance(node, ast.Call) and (
            called(node) in MESSAGES or called(node).endswith(("Error", "Problem"))
        )
        is_said = isinstance(node, ast.Assign) and any(
            getattr(one, "id", "") in PROBLEMS for one in node.targets
        )
        is_sentence = isinstance(node, ast.JoinedStr) and literal(node).count(" ") > 2
        if is_call or is_said or is_sentence or isinstance(node, ast.Raise):
            yield from texts_within(node)


def texts_of_file(path: Path) -> Iterator[tuple[int, str]]:
    """What a file shows: a module's literals, a page's or a caption's paragraphs."""
    if path.suffix == ".py":
        yield from texts_of_module(path)
        return
    line = 1
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        yield line, block
        line += block.count("\n") + 2


FILES = sorted(
    path
    for pattern in ("src/regrade/**/*.py", "workflow/report/**/*.rst", "workflow/report/*.j2",
                    "docs/**/*.md", "README.md", "config/README.md")
    for path in PROJECT.glob(pattern)
    if "build" not in path.parts
)  # fmt: skip


STRING = re.compile(r"`[^`]*`|\"[^\"\\n]*\"")
"""A text in a script of the page."""


def texts_of_script(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the text of each string of a script that has a blank, as sentences have."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        yield from ((number, one[1:-1]) for one in STRING.findall(line) if " " in one)


def wrong(path: Path) -> list[str]:
    """What a file shows and is refused."""
    return [
        f"{path.relative_to(PROJECT)}:{line}: {one}"
        for line, text in dict.fromkeys(texts_of_file(path))
        for one in problems(text)
    ]


def test_files_are_in_the_fields_words():
    found = [one for path in FILES for one in wrong(path)]
    assert not found, "\n".join(found)


def test_the_pages_scripts_are_in_the_fields_words():
    """Nor do they speak of universes, which are specifications."""
    found = [
        (path.name, number, text)
        for path in sorted((PROJECT / "src" / "regrade" / "show").glob("*.js"))
        for number, text in texts_of_script(path)
        if problems(text) or "universe" in re.sub(r"\$\{[^}]*\}", "", text)
    ]
    assert not found


def names_bound(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names of results, parameters, attributes and functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr


def participles(text: str) -> list[tuple[int, str]]:
    """The lines and names of a module that have a participle for a noun."""
    return [
        (line, name)
        for line, name in names_bound(ast.parse(text))
        if PARTICIPLES & {*name.split("_")} and name not in TERMS_OF_THE_FIELD
    ]


def test_nothing_in_the_source_is_called_by_a_participle():
    paths = [path for top in ("src", "workflow") for path in (PROJECT / top).rglob("*.py")]
    wrong = [
        (path.relative_to(PROJECT).as_posix(), *one)
        for path in sorted(paths)
        for one in participles(path.read_text(encoding="utf-8"))
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("found = search()", ["found"]),
        ("def f(told, *, is_asked=None): ...", ["told", "is_asked"]),
        ("def p_said(p): ...", ["p_said"]),
        ("self._shown = 1", ["_shown"]),
        ("[said for said in notes]", ["said"]),
        ("scores = search(given_files)", []),
        ("given_grade = metric = foundation = 1", []),
    ],
)
def test_what_a_name_may_be(text, refused):
    assert [name for _, name in participles(text)] == refused


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("15 others cannot be told apart from these", True),
        ("the other 45 are surely worse", True),
        ("How: means over 53 topics", True),
        ("whom to drop?", True),
        ("which labels can tell systems apart", True),
        ("10 of 63 systems may be best", False),
        ("how: a keyword; randomly drawn", False),
    ],
)
def test_what_is_refused(text, is_refused):
    assert bool(problems(text)) == is_refused

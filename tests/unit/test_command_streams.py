"""What commands print where a terminal's encoding lacks α, τ or a name's letters."""

import ast
import io
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

import regrade
from regrade.command.app import main
from regrade.command.streams import SPELLED, spell
from regrade.workflow.project import environment

LIBRARY = Path(regrade.__file__).parent
ENCODINGS = ("ascii", "cp1252", "latin-1", "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Labels of a reference and a judge, and runs; one system has a name beyond ASCII."""
    folder = tmp_path_factory.mktemp("files")
    documents = "abcdef"
    for name, grades in (("nist", (0, 1, 2, 0, 1, 2)), ("model", (0, 2, 2, 1, 0, 1))):
        rows = [f"{t} 0 {d} {g}\n" for t in (1, 2, 3) for d, g in zip(documents, grades)]  # noqa: B905
        (folder / f"{name}.qrels").write_text("".join(rows), encoding="utf-8")
    for name, order in (("é", "abcdef"), ("ß", "cbafed"), ("文", "fedcba")):
        rows = [
            f"{t} Q0 {d} {r} {9 - r} {name}\n" for t in (1, 2, 3) for r, d in enumerate(order, 1)
        ]
        (folder / f"{name}.run").write_text("".join(rows), encoding="utf-8")
    return folder


def printed(folder, encoding, *words, read_as=None):
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    ended = subprocess.run(
        [sys.executable, "-m", "regrade", *words],
        env=environment, cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    assert not ended.returncode, ended.stderr
    assert b"Traceback" not in ended.stderr
    return ended.stdout.decode(read_as or encoding)


@pytest.fixture
def printed_here(folder, monkeypatch):
    """The same of a process that is there: what it imports takes longer than what it does."""

    def printed(encoding, *words):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.stdout", stream)
        monkeypatch.setattr("sys.argv", ["regrade", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        stream.flush()
        return stream.buffer.getvalue().decode(encoding)

    return printed


def test_answers_have_names_of_letters_in_ascii(folder, printed_here):
    words = ("compare", "nist.qrels", "model.qrels", "--runs", "*.run", "-m", "nDCG@10")
    text = {encoding: printed_here(encoding, *words) for encoding in ENCODINGS}
    assert printed(folder, "ascii", *words) == text["ascii"]
    assert "α" in text["utf-8"]
    assert "τ_b" in text["utf-8"]
    assert "alpha" in text["ascii"]
    assert "tau_b" in text["ascii"]
    assert "tau_b" in text["cp1252"]
    for encoding, one in text.items():
        assert one == text["utf-8"].encode(encoding, "regrade").decode(encoding)


def test_json_is_the_same_in_any_encoding(printed_here):
    words = ("compare", "nist.qrels", "model.qrels", "--runs", "*.run", "--json")
    read = [json.loads(printed_here(encoding, *words)) for encoding in ENCODINGS]
    assert "é" in json.dumps(read[0], ensure_ascii=False)
    assert all(one == read[0] for one in read)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_help_is_printed_in_any_encoding(encoding, folder):
    # to ASCII streams click writes UTF-8, as it takes them for set up wrongly
    read_as = "utf-8" if encoding == "ascii" else encoding
    assert "judges" in printed(folder, encoding, "judges", "--help", read_as=read_as)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        (
            "ascii",
            "alpha (-0.1 to 0.2), tau_b >= 1, Delta \\u00e9\\u6587\\ud83d\\ude00\\udc80",
        ),
        ("cp1252", "alpha (-0.1 to 0.2), tau_b >= 1, Delta é\\u6587\\ud83d\\ude00\\udc80"),
        ("utf-8", "α (−0.1 to 0.2), τ_b ≥ 1, Δ é文😀\\udc80"),
    ],
)
def test_what_an_encoding_lacks_is_spelled(encoding, expected):
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding=encoding)
    spell(stream)
    stream.write("α (−0.1 to 0.2), τ_b ≥ 1, Δ é文😀\udc80")
    stream.flush()
    assert buffer.getvalue().decode(encoding) == expected
    spell(io.StringIO())  # which encodes nothing


def _sentences(path):
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value


def test_all_signs_of_sentences_have_a_spelling():
    modules = [
        one for name in ("answer", "question", "command") for one in LIBRARY.glob(f"*/*{name}.py")
    ]
    modules += LIBRARY.glob("answers/*.py")
    modules += [*LIBRARY.glob("api/*.py"), *LIBRARY.glob("command/*.py"), LIBRARY / "wording.py"]
    signs = {c for path in modules for text in _sentences(path) for c in text if ord(c) > 127}
    signs = {c for c in signs if not unicodedata.name(c).startswith("LATIN ")}  # of people's names
    assert {"α", "τ", "−"} <= signs
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="ascii")
    spell(stream)
    stream.write("".join(sorted(signs)))
    stream.flush()
    assert b"\\u" not in buffer.getvalue()
    assert all(text.isascii() for text in SPELLED.values())


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_the_workflow_prints_is_read_in_utf_8(folder, encoding):
    assert "targets" in printed(folder, encoding, "targets")


@pytest.mark.parametrize("home", ["/dev/null", None])
def test_the_workflow_has_a_cache_where_none_can_be_kept(monkeypatch, home):
    """As of containers, whose user has no home."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    if home:
        monkeypatch.setenv("HOME", home)
    else:
        monkeypatch.setattr(Path, "home", no_home)
    cache = Path(environment()["XDG_CACHE_HOME"])
    assert os.access(cache, os.W_OK)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache / "own"))
    assert environment()["XDG_CACHE_HOME"] == str(cache / "own")

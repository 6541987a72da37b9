"""Files that people and programs have spoilt, for each command: an answer or a message.

No traceback, no number that the catalogue excludes, nothing that a failed command leaves; what
means the same gives the same. `test_mutations.py` does so for the readers.
"""

import gzip
import re
from itertools import cycle

import numpy as np
import pytest

import regrade
from tests import accidents
from tests.accidents import COMMANDS, SWEPT, collection, files_in, run, sweep_faults

EACH, MANY = 4, 120
"""How many accidents the fast tests try of each command, and the slow ones."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("accidents")


@pytest.fixture
def tmp_path(folder):
    """One for all tests, which each run empties, as some commands say where files are."""
    return folder


UNSPOILT = {}
"""What commands did with the collection as it is, by their line."""


def unspoilt(folder, line):
    """What a command does with the collection as it is: for all tests it is run once."""
    if line not in UNSPOILT:
        UNSPOILT[line] = run(folder, line, collection())
    return UNSPOILT[line]


def faults(folder, name, count, seed):
    """What goes wrong, of so many accidents."""
    for line, files in accidents.accidents(name, count, seed):
        if wrong := run(folder, line, files).faults:
            changed = {one: data for one, data in files.items() if data != collection()[one]}
            yield line, wrong, changed


@pytest.mark.parametrize("name", COMMANDS)
def test_accidents_have_an_answer_or_a_message(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [*faults(tmp_path, name, 1 if name == "calibrate" else EACH, 1)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_many_accidents_have_an_answer_or_a_message(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [*faults(tmp_path, name, MANY, 2)] == []


def faults_of_sweeps(folder, name, count, seed):
    for swept, files in accidents.designs(name, count, seed):
        if wrong := sweep_faults(folder, name, swept, files):
            changed = {one: data for one, data in files.items() if data != collection()[one]}
            yield swept, wrong, changed


@pytest.mark.parametrize("name", SWEPT)
def test_accidents_of_sweeps_have_an_answer_or_a_message(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [*faults_of_sweeps(tmp_path, name, 2, 1)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SWEPT)
def test_many_accidents_of_sweeps_have_an_answer_or_a_message(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [*faults_of_sweeps(tmp_path, name, MANY, 2)] == []
    for swept in SWEPT[name]:  # or accidents would say nothing
        runs = "runs" if name == "sweep" else None
        accidents.sweep_faults(tmp_path, name, swept, collection())
        sets = {one: one for one in swept.sets}
        assert len(regrade.sweep(swept.axes, swept.baseline, runs=runs, sets=sets).universes)


def test_the_collection_is_answered(tmp_path, monkeypatch):
    """Or accidents would say nothing."""
    monkeypatch.chdir(tmp_path)
    for name in sorted({*COMMANDS} - {"calibrate"}):
        done = unspoilt(tmp_path, COMMANDS[name][0])
        assert done.code == 0, (name, done.message)
        assert not done.faults, name


# what means the same -----------------------------------------------------------------------------


def shuffled(name, data):
    lines = data.splitlines(keepends=True)
    head = int(name.endswith(".csv"))
    rng = np.random.default_rng(1)
    return b"".join(lines[:head] + [lines[n] for n in head + rng.permutation(len(lines) - head)])


def quoted(name, data):
    if not name.endswith(".csv"):
        return data
    return re.sub(rb"[^,\n]+", lambda field: b'"' + field[0] + b'"', data)


def longer_numbers(name, data):
    """Every value with a decimal more."""
    kind = rb"(?m)(?<= )(-?\d+\.\d+)(?= run)" if name[:5] == "runs/" else rb"(?m)\b(\d+\.?\d*)$"
    return re.sub(kind, lambda one: one[0] + (b"0" if b"." in one[0] else b".0"), data)


SAME = {
    "shuffled": shuffled,
    "quoted": quoted,
    "longer numbers": longer_numbers,
    "CRLF": lambda _, data: data.replace(b"\n", b"\r\n"),
    "a mark of bytes' order": lambda _, data: b"\xef\xbb\xbf" + data,
    "packed": lambda _, data: gzip.compress(data),
    "no end of the last line": lambda _, data: data.removesuffix(b"\n"),
    "blank lines": lambda _, data: data + b"\n\n",
}
"""What changes a file, and not what it means."""

IN_ORDER = {"answers", "named"}
"""Tables of answers in the order in which they were given."""


def without_order(printed):
    """What is printed, but for tables that list answers as they came."""
    return re.sub(r'(?ms)^  "(answers|named)": \[.*?^  \]', "", printed)


def check_same(folder, line, change):
    expected = unspoilt(folder, line)
    files = {name: change(name, data) for name, data in collection().items()}
    done = run(folder, line, files)
    assert done.code == expected.code == 0, done.message
    assert without_order(done.printed) == without_order(expected.printed)
    assert done.written == expected.written


def test_what_means_the_same_gives_the_same(tmp_path, monkeypatch):
    """Each way with another command; all with all is slow."""
    monkeypatch.chdir(tmp_path)
    names = sorted({*COMMANDS} - {"calibrate", "magnitudes"})
    for how, name in zip(cycle(SAME), names, strict=False):
        check_same(tmp_path, COMMANDS[name][0], SAME[how])


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_whatever_means_the_same_gives_the_same(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for how in SAME:
        for line in COMMANDS[name]:
            check_same(tmp_path, line, SAME[how])


RENAMED = ("900719925474099", "1844674407370955161", "é", "文", "x:", "_")
"""What documents are called before their digit, in the order that they had."""


def check_renamed(folder, line, stem):
    def renamed(text):
        return re.sub(r"(?<![\w.])d(?=\d\b)", stem, text)

    files = {name: renamed(data.decode()).encode() for name, data in collection().items()}
    expected, done = unspoilt(folder, line), run(folder, line, files)
    assert done.code == expected.code == 0, done.message
    assert done.printed.replace(stem, "d") == expected.printed.replace(stem, "d"), line


def test_documents_by_other_names_give_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ("cut", "judges", "pairs", "pdp", "score", "workers")
    for stem, name in zip(RENAMED, names, strict=True):
        check_renamed(tmp_path, COMMANDS[name][0], stem)


@pytest.mark.slow
@pytest.mark.parametrize("stem", RENAMED)
def test_documents_by_any_names_give_the_same(stem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in COMMANDS:
        for line in COMMANDS[name]:
            if "--json" in line or name in ("init", "look"):
                check_renamed(tmp_path, line, stem)


def check_twice(folder, line, one, caplog):
    """A file of twice its lines is refused, or an answer or a line on the terminal tells of it."""
    caplog.clear()
    data = collection()[one]
    rows = data.splitlines(keepends=True)[int(one.endswith(".csv")) :]
    files = {**collection(), one: data + b"".join(rows)}
    done = run(folder, line.replace(" --json", ""), files)
    said = done.printed + caplog.text
    assert done.code == 1 or re.search("copies|judged before", said), (line, one)


def test_answers_that_come_twice_are_said(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    for line, one in (
        ("pairs p.csv", "p.csv"),
        ("pairs p --format pair-winner", "p"),
        ("pairs p --format pair-winner --next 3", "p"),
        ("pdp q m -p p --format pair-winner", "p"),
        ("workers j.csv", "j.csv"),
    ):
        check_twice(tmp_path, line, one, caplog)


def test_a_file_that_is_given_twice_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in (
        "score q runs/a runs/b ./runs/a",
        "score q runs runs/c",
        "pairs p.csv p.csv",
        "pairs p p --format pair-winner --next 3",
        "init q runs q",
        "look q q",
    ):
        done = run(tmp_path, line, collection())
        assert done.code == 1, line
        assert "is given 2 times: name it once" in done.message, line


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"init", "look"}))
def test_what_stands_there_twice_is_refused_or_said(name, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    for line in COMMANDS[name]:
        for one in files_in(line):
            if "--out" not in line:  # what is written says nothing
                check_twice(tmp_path, line, one, caplog)

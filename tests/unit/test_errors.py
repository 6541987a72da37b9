"""What messages say: where, what, how many more, and what was meant."""

import pytest

from regrade import errors
from regrade.errors import (
    LISTED,
    QUOTED,
    InputError,
    InputErrors,
    MethodError,
    ParameterError,
    RegradeError,
    StorageError,
    check_choice,
    did_you_mean,
    near_files,
)
from regrade.wording import SHOWN


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("detph", ["seed", "depth"], "; did you mean 'depth'?"),
        ("DEPTH", ["seed", "depth"], "; did you mean 'depth'?"),
        ("ndcg", ["RBP", "nDCG", "NDCG"], "; did you mean 'nDCG'?"),  # the first of equal ones
        (40, ["401", "522"], "; did you mean '401'?"),
        ("401", [401, 522], "; did you mean '401'?"),
        (None, ["seed", "depth"], "; there is seed, depth"),
        ("zzz", ["seed", "depth"], "; there is seed, depth"),
        ("zzz", {"seed": 1, "depth": 2}, "; there is seed, depth"),
        ("zzz", [], ""),
        ("", ["seed"], "; there is seed"),
    ],
)
def test_did_you_mean(name, known, said):
    assert did_you_mean(name, known) == said


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("qrel.txt", "; did you mean 'qrels.txt'?"),
        ("runs/b.run", "; did you mean 'a.run'?"),
        ("rns/*.run", "; there is no folder rns; did you mean 'runs'?"),
        ("rns/deep/a", "; there is no folder rns; did you mean 'runs'?"),
        ("zzz", ""),
        ("zzz/a", "; there is no folder zzz"),
        ("qrels.txt/a", ""),
    ],
)
def test_files_of_nearly_the_name_are_told(path, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for name in ("qrels.txt", "runs/a.run"):
        (tmp_path / name).write_text("")
    assert near_files(path) == said
    assert near_files(path, "add it") == f"{said}{' ' if said[-1:] == '?' else ': '}add it"


def test_two_forms_of_one_name_are_told_apart():
    said = did_you_mean("caf\u00e9", ["cafe\u0301"])
    assert said == r"; did you mean 'cafe\u0301', not 'caf\xe9'?"


def test_did_you_mean_takes_an_iterator():
    assert did_you_mean("zzz", iter(["seed", "depth"])) == "; there is seed, depth"


def test_what_is_known_is_listed_only_so_far():
    known = [f"{i:03d}" for i in range(LISTED + 1)]
    assert did_you_mean("zzz", known) == f"; there is {', '.join(known[:-1])}, …"
    assert did_you_mean("zzz", known[:-1]) == f"; there is {', '.join(known[:-1])}"


def test_something_else_can_be_said_where_no_name_is_near():
    assert did_you_mean("zzz", ["seed"], otherwise="; see the guide") == "; see the guide"
    assert did_you_mean("zzz", ["seed"], otherwise="") == ""
    assert did_you_mean("sede", ["seed"], otherwise="") == "; did you mean 'seed'?"


def test_check_choice():
    assert check_choice("tie_break", "rank", ("rank", "line")) is None
    with pytest.raises(ParameterError) as caught:
        check_choice("tie_break", "rnak", ("rank", "line"))
    assert str(caught.value) == "unknown tie_break 'rnak'; did you mean 'rank'?"
    with pytest.raises(ParameterError) as caught:
        check_choice("column", None, ("trec", "gold"))
    assert str(caught.value) == "unknown column None; there is trec, gold"


def test_an_input_error_names_file_line_reason_and_remedy():
    error = InputError("runs/a", [(3, "score 'x' is not a number"), (None, "is short")], "Mend it.")
    assert str(error).splitlines() == [
        "runs/a:3: score 'x' is not a number",
        "runs/a: is short",
        "Mend it.",
    ]
    assert error.path == "runs/a"
    assert error.problems == [(3, "score 'x' is not a number"), (None, "is short")]
    assert error.remedy == "Mend it."


@pytest.mark.parametrize(
    ("given", "total", "more"),
    [
        (SHOWN, None, None),
        (SHOWN + 1, None, "… and 1 more of 6"),
        (SHOWN, 1000, "… and 995 more of 1000"),
        (2, 2, None),
    ],
)
def test_an_input_error_lists_the_first_few(given, total, more):
    error = InputError("a", [(line, "bad") for line in range(1, given + 1)], "Mend it.", total)
    listed = [f"a:{line}: bad" for line in range(1, min(given, SHOWN) + 1)]
    assert str(error).splitlines() == [*listed, *([more] if more else []), "Mend it."]


@pytest.mark.parametrize("files", [1, SHOWN, SHOWN + 2])
def test_input_errors_tell_of_every_file(files):
    parts = [InputError(f"f{i}", [(i + 1, "bad")], "Mend it.") for i in range(files)]
    error = InputErrors(parts)
    lines = [line for i in range(min(files, SHOWN)) for line in (f"f{i}:{i + 1}: bad", "Mend it.")]
    if files > SHOWN:
        lines.append(f"… and 2 more of {files} files")
    assert str(error).splitlines() == lines
    assert error.errors == parts
    assert error.path == "f0"
    assert error.problems == [(i + 1, "bad") for i in range(files)]
    assert isinstance(error, InputError)


def test_whoever_catches_regrade_errors_catches_all():
    raised = {
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    known = {InputError, InputErrors, MethodError, ParameterError, StorageError}
    assert raised == {RegradeError, *known}
    assert all(issubclass(error, RegradeError) for error in raised)


def test_a_long_field_is_cut_also_where_it_has_blanks():
    said = str(InputError("f", [(1, f"grade '{'word ' * 500}' is not a number"), (2, "x" * 500)]))
    one, other = said.splitlines()
    assert one == f"f:1: grade '{('word ' * 500)[: QUOTED - 1]}…' is not a number"
    assert other == f"f:2: {'x' * (QUOTED - 1)}…"


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (1540, "1.5 kB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (17_400_000, "17 MB"),
        (2_500_000_000, "2.5 GB"),
        (12 * 10**12, "12000 GB"),
    ],
)
def test_bytes_are_told_in_units_of_which_there_are_few(count, said):
    assert errors._size(count) == said

"""Options are checked first: whatever is wrong with one is said before any file is read."""

import inspect
import re

import pytest
from click.testing import CliRunner

import regrade
from regrade.command import arguments, places, workflow
from regrade.command.app import app
from regrade.errors import RegradeError
from tests.each import each

COMMANDS = app.commands

FILES = {
    "after", "control", "cost", "documents", "families", "groups", "judgments", "origins",
    "preferences", "qrels", "reference", "references", "runs", "scores", "second", "snakefile",
}  # fmt: skip
"""Options that name what is read: nothing is wrong with them before it is."""

FREE = {
    ("init", "name"): "any text: a name is made of it",
    ("run", "collection"): "the configuration knows the collections",
    ("run", "directory"): "made where it is not there",
    ("demo", "directory"): "made where it is not there",
    ("demo", "files"): "made where it is not there",
    ("gate", "lower"): "the scores know their measures",
    ("meta-analysis", "measures"): "the tables know their measures",
    ("panel", "candidates"): "the sets know their names",
    ("sweep", "directory"): "made where it is not there",
    ("sweep", "name"): "the configuration knows the names",
    ("targets", "group"): "the configuration knows the groups",
}
"""Options of which any text may be right, and why."""

WRONG = {
    "out": ["nowhere/made.csv"],
    "measures": ["nonsense", "AP(rel=no)"],
    ("ties", "measures"): ["Bpref"],
    ("unjudged", "measures"): ["ERR"],
    ("assign", "measures"): ["Bpref"],
    ("estimate", "measures"): ["Bpref"],
}
"""Wrong values of options by name, or command and name; of others by their types."""


def wrong_values(command, name, kind: str) -> list[str]:
    """Values that nothing takes for right."""
    if name in WRONG:
        return [*WRONG[name], *WRONG.get((command, name), ())]
    return {"integer": ["-1", "x", "1.5"], "float": ["-1", "x"]}.get(kind, ["=¿"])


def cases():
    """Every option of every command with values that are wrong."""
    for name, command in COMMANDS.items():
        for one in command.params:
            is_option = one.param_type_name == "option" and one.name != "help"
            if not is_option or one.is_flag or one.name in FILES or (name, one.name) in FREE:
                continue
            wrong = wrong_values(name, one.name, one.type.name.removesuffix(" range"))
            yield from ((name, one.name, value) for value in wrong)


class WasRead(Exception):
    """A file was looked at."""


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Runs a command whose required files are not there, and must not be looked for."""
    monkeypatch.chdir(tmp_path)

    def read(*given, **options):
        raise WasRead

    monkeypatch.setattr(arguments.Inputs, "path", read)
    monkeypatch.setattr(places, "_held", read)  # which looks for files in places of others
    for name in ("ask_workflow", "run_workflow", "sweep_folders", "targets"):
        monkeypatch.setattr(workflow, name, read)

    def ran(name, *words):
        typed = [name]
        for one in COMMANDS[name].params:
            if one.required and one.param_type_name == "argument":
                typed.append("nowhere")
            elif one.required and max(one.opts, key=len) not in words:
                typed += [max(one.opts, key=len), "10"]
        return CliRunner().invoke(app, [*typed, *words])

    return ran


@pytest.mark.parametrize(("name", "option", "value"), list(cases()))
def test_a_wrong_option_is_said_before_any_file_is_read(name, option, value, run):
    flag = max(next(one.opts for one in COMMANDS[name].params if one.name == option), key=len)
    done = run(name, flag, value)
    assert not isinstance(done.exception, WasRead), "a file was read first"
    assert done.exit_code in (1, 2), done.output
    said = done.stderr.replace("_", "-")
    assert option.replace("_", "-") in said or value in said, said


AGAINST_EACH_OTHER = """
score --json --format csv
score --format parquet
compare --fail-if best
compare --table systems
judges --table rankings
cut --runs nowhere
ties --table ranks
pool --table depths
pool --table depths --qrels nowhere --out pool.txt
pool --qrels nowhere --size 10
pool --size 10
pool --method RRF
leave-one-out --by group
leave-one-out --by run --groups nowhere
leave-one-out --by origins
leave-one-out --depth 5 --pooling Depth@5
estimate --settled 1
estimate --settled 1 --runs nowhere --table systems
pdp --per-topic --table topics
pdp --table systems
pairs --next 5 --table scores
pairs --documents nowhere
pairs --runs nowhere
pairs --one-topic --references nowhere
pairs --rescale topic
pairs --next 5 --out pairs.qrels
tables --markdown --json
"""


@pytest.mark.parametrize("line", AGAINST_EACH_OTHER.strip().splitlines())
def test_options_against_each_other_are_said_before_any_file_is_read(line, run):
    done = run(*line.split())
    assert not isinstance(done.exception, WasRead), "a file was read first"
    assert done.exit_code == 1 and done.stderr.count("\n") == 1, done.output


def test_where_a_result_cannot_go_is_said_first(run, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for path, said in (
        ("folder", "--out folder: is a folder: name a file in it"),
        ("none/a.qrels", "--out none/a.qrels: none is not there: make it first"),
        ("file/a.qrels", "--out file/a.qrels: file is no folder"),
    ):
        done = run("cut", "--out", path)
        assert done.stderr == f"regrade: {said}\n"


# --- the library ----------------------------------------------------------------------------------

FUNCTIONS = {
    name: function
    for name in regrade.__all__
    if hasattr(function := getattr(regrade, name), "check")
}
NEEDED = {
    "budget": 10, "count": 5, "axes": {"labels": ["a"]}, "baseline": {"labels": "a"},
    "sets": {"a": "nowhere"},
}  # fmt: skip
"""What is needed and names no file."""

WORDS = {"name", "origins", "folder", "contributors", "first", "second", "candidates"}
"""Arguments that may be any text, a file, or names of systems or judges."""


LABELS_OR_SCORES = ("rank", "compare_systems", "topics", "compare", "judges")
"""Functions that take scores by item where there are no runs, whose measures are any names."""


def arguments_of_functions():
    """Every argument of the library's functions with values that are wrong."""
    for name, function in FUNCTIONS.items():
        for one in inspect.signature(function).parameters.values():
            kinds = str(one.annotation).split(" | ")
            if one.name in WORDS:
                continue
            if one.name == "measures":
                yield name, one.name, "nonsense"
            elif {"int", "float"} & {*kinds} and "str" not in kinds:
                yield from ((name, one.name, value) for value in (-1, "x"))
            elif "str" in kinds:
                yield name, one.name, "=¿"
            elif "Sequence[str]" in kinds:
                yield name, one.name, ["=¿"]


@each(arguments_of_functions())
def test_a_wrong_argument_is_said_before_any_file_is_read(name, argument, value):
    needed = {
        one.name: NEEDED.get(one.name, "nowhere")
        for one in inspect.signature(FUNCTIONS[name]).parameters.values()
        if one.default is inspect.Parameter.empty and one.kind != inspect.Parameter.VAR_KEYWORD
    }
    if name in LABELS_OR_SCORES:
        needed["runs"] = "nowhere"
    if name == "gate":
        needed["qrels"] = "nowhere"
    with pytest.raises(RegradeError) as refused:
        FUNCTIONS[name](**{**needed, argument: value})
    said = str(refused.value)
    assert "nowhere" not in said, said
    assert re.search(rf"\b{argument}\b|{value}|method|nonsense", said), said

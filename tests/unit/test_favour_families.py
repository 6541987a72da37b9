"""Families of systems: files, groups, patterns, mappings and frames; and judges' own ones."""

import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.command.arguments import families_of_patterns
from regrade.errors import InputError, ParameterError
from regrade.favours.families import by_group, families_of
from regrade.readers.groups import read_families
from tests.unit.saved import save

SYSTEMS = ["bm25", "rankgpt4", "rankgpt4o", "zephyr", "t5"]
FILE = b"rankgpt4o gpt\nrankgpt4\tgpt\r\n\nrankgpt4o openai\nbm25 lexical\n"


def test_a_file_in_any_order(tmp_path):
    for content in (FILE, gzip.compress(FILE, mtime=0), b"\xef\xbb\xbf" + FILE):
        families = families_of(save(tmp_path, content), SYSTEMS)
        assert dict(families) == {
            "gpt": ("rankgpt4", "rankgpt4o"),  # in the order of the systems
            "openai": ("rankgpt4o",),
            "lexical": ("bm25",),
        }
        assert families.notes == (
            "2 of 5 systems are in no family (zephyr, t5).",
            "1 system is in several families (rankgpt4o).",
        )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a x\nb\n", r"file:2: has 1 columns where there should be 2.*: 'b'\nA line is: run-tag"),
        (b"a x y\n", r"file:1: has 3 columns where there should be 2"),
        (b"a x\n\na y\na x\n", r"file:4: run a again in family x: line 1 has it\nA line is"),
        (b"\n", r"file: is empty"),
        (b"\xff x\n", r"file:1: .*is not UTF-8"),
    ],
)
def test_faults_of_a_file(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read_families(save(tmp_path, content))


def test_names_that_are_no_systems_are_counted(tmp_path):
    path = save(tmp_path, b"bm25 lexical\nql lexical\nql old\nrm3 old\n")
    families = families_of(path, SYSTEMS)
    assert dict(families) == {"lexical": ("bm25",)}
    assert families.notes[:2] == (
        "2 names in the families are no system's (ql, rm3).",
        "No system is in family 'old'; it is left out.",
    )


def test_a_family_of_everything_is_no_family_beside_others():
    families = families_of({"all": "*", "gpt": "*gpt*"}, SYSTEMS)
    assert dict(families) == {"gpt": ("rankgpt4", "rankgpt4o")}
    assert families.notes[0] == "Family 'all' has all 5 systems; it is left out."


def test_patterns_join_a_source(tmp_path):
    path = save(tmp_path, FILE)
    families = families_of(path, SYSTEMS, {"gpt": "t?", "new": ["z*", "bm25"]})
    assert families["gpt"] == ("rankgpt4", "rankgpt4o", "t5")
    assert families["new"] == ("bm25", "zephyr")


def test_a_name_with_wildcards_is_a_name_first():
    assert dict(families_of({"x": "a*"}, ["a*", "ab"])) == {"x": ("a*",)}
    assert dict(families_of({"x": "[ab]"}, ["a", "b", "c"])) == {"x": ("a", "b")}


def test_patterns_keep_to_the_case_of_names():
    with pytest.raises(ParameterError, match=r"no system matches '\*GPT\*' of family 'gpt'"):
        families_of({"gpt": "*GPT*"}, SYSTEMS)


def test_one_system_as_a_family_of_its_name():
    assert dict(families_of({"t5": "t5"}, SYSTEMS)) == {"t5": ("t5",)}


def test_groups_are_families():
    groups = {"bm25": "old", "t5": "new", "zephyr": "new"}
    assert dict(families_of(by_group(groups), SYSTEMS)) == {
        "old": ("bm25",),
        "new": ("zephyr", "t5"),
    }


@pytest.mark.parametrize("names", [("system", "family"), ("run", "family"), ("run", "group")])
def test_a_frame(names):
    rows = [("t5", "x"), ("bm25", "x"), ("t5", "y")]
    families = families_of(pd.DataFrame(rows, columns=names), SYSTEMS)
    assert dict(families) == {"x": ("bm25", "t5"), "y": ("t5",)}


def test_families_of_the_same_systems():
    families = families_of({"x": ["t5"], "y": ["t5"]}, ["t5", "bm25"])
    assert "Families x, y have the same systems." in families.notes


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "none is named: give a file of lines: run family"),
        ({}, "none is named"),
        (3, "is of type int: give a file"),
        ({"x": 3}, "family 'x' is of type int"),
        ({"x": {"t5": 1}}, "family 'x' is of type dict"),
        ({"x": []}, "family 'x' is empty"),
        ({"x": [3]}, "3 in 'x': names are texts"),
        ({"x": [" "]}, "' ' in 'x': names are texts that are not empty"),
        ({"x": ["t5", "t5"]}, "t5 is named 2 times in family 'x': name it once"),
        ({"x": "*5?"}, r"no system matches '\*5\?' of family 'x'"),
        ({"x": "ql"}, r"no system is in family 'x': the runs are .*, and the names ql"),
        ({"x": "*"}, "family 'x' has all 5 systems: name families of some of the systems"),
        ({"t5": "x", "bm25": "y"}, r"the keys are names of systems: give \{family: \[systems\]\}"),
        (pd.DataFrame({"name": ["t5"]}), "needs the column system or run; it has name"),
        (pd.DataFrame({"run": ["t5"], "of": "x"}), "needs the column family or group"),
        (pd.DataFrame({"run": ["t5"], "family": [np.nan]}), "'t5' in nan: names are texts"),
    ],
)
def test_refusals(source, message):
    with pytest.raises(ParameterError, match=f"^families:? (a frame )?{message}"):
        families_of(source, SYSTEMS)


def test_the_command_line_names_a_family_by_patterns():
    assert families_of_patterns(None) == {}
    several = families_of_patterns(["gpt=*gpt*", "t5=t5", "gpt=zeph*"])
    assert several == {"gpt": ["*gpt*", "zeph*"], "t5": ["t5"]}
    assert families_of_patterns(["gpt-4o=gpt"], "own") == {"gpt-4o": ["gpt"]}
    for text in ("gpt", "gpt=", "=gpt"):
        with pytest.raises(ParameterError, match=r"--family '.*': write it as gpt=\*gpt\*"):
            families_of_patterns([text])
    with pytest.raises(ParameterError, match="--own 'gpt': write it as gpt-4o=gpt"):
        families_of_patterns(["gpt"], "own")


def test_own_families():
    families = families_of({"gpt": "*gpt*", "t5": ["t5"], "all": "*", "old": ["ql"]}, SYSTEMS)
    assert families.own({}, ["umbrela"]) == {}
    own = families.own({"umbrela": "gpt", "mono": ["t5", "gpt"]}, ["mono", "umbrela", "rank1"])
    assert own == {"umbrela": ("gpt",), "mono": ("t5", "gpt")}
    for named, message in [
        ({"umbrella": "gpt"}, "unknown judge 'umbrella'; did you mean 'umbrela'?"),
        ({"umbrela": "gtp"}, "unknown family 'gtp' of umbrela; did you mean 'gpt'?"),
        ({"umbrela": ["gpt", "gpt"]}, "'gpt' is named twice for umbrela: name it once"),
        ({"umbrela": "all"}, "family 'all' has all 5 systems: leave out umbrela=all"),
        ({"umbrela": "old"}, "no system is in family 'old': leave out umbrela=old"),
    ]:
        with pytest.raises(ParameterError, match=message.replace("?", r"\?")):
            families.own(named, ["umbrela"])


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz")), unique=True))
def test_membership_is_that_of_the_lines(rows):
    systems = ["d", "a", "c", "b"]
    members = {(one, family) for one, family in rows if one in systems}
    defined = {
        family
        for family in "xyz"
        if 0 < sum((one, family) in members for one in systems) < len(systems)
    }
    frame = pd.DataFrame(rows, columns=["system", "family"])
    if not defined:
        with pytest.raises(ParameterError):
            families_of(frame, systems)
        return
    families = families_of(frame, systems)
    assert set(families) == defined
    wanted = [[(one, family) in members for one in systems] for family in families]
    np.testing.assert_array_equal(families.members(systems), wanted)


def test_a_mapping_of_families_loads_nothing_heavy():
    code = """
import sys
from regrade.favours.families import families_of
families_of({"gpt": "*gpt*"}, ["gpt", "t5"])
print(sorted({"numpy", "pandas", "pyarrow", "numba", "scipy"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_dl19(real_data):
    systems = sorted(path.stem for path in (real_data / "dl19/runs").iterdir())
    families = families_of(real_data / "dl19/families.txt", systems)
    assert {family: len(of) for family, of in families.items()} == {
        "neural": 25, "lexical": 12, "dense-or-sparse": 2, "t5": 2, "zephyr": 3,
        "cross-encoder": 9, "gpt": 8,
    }  # fmt: skip
    assert families.notes == ()

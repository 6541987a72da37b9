"""The collection as a wildcard: which names it goes with, and whose functions are called."""

import re
from types import SimpleNamespace

import pytest
from snakemake.io import regex_from_filepattern

from regrade.workflow.inputs.each import Each, one_of, only


def matched(pattern: str, path: str, names: dict) -> tuple[str, str] | None:
    """What Snakemake takes the wildcards of an output for."""
    constraints = only(re.sub(r"^results/\{collection\}/", "", pattern), names)
    for wildcard, allowed in constraints.items():
        pattern = pattern.replace(f"{{{wildcard}}}", f"{{{wildcard},{allowed}}}")
    found = re.match(regex_from_filepattern(pattern), path)
    return found and tuple(found.groupdict().values())


NAMES = {"a": ["x", "x.y"], "a.b": ["z"], "c": []}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("results/a/scores/x.parquet", ("a", "x")),
        ("results/a/scores/x.y.parquet", ("a", "x.y")),
        ("results/a.b/scores/z.parquet", ("a.b", "z")),
        ("results/a/scores/z.parquet", None),
        ("results/a.b/scores/x.parquet", None),
        ("results/a.b/scores/x.y.parquet", None),
        ("results/c/scores/x.parquet", None),
        ("results/axb/scores/z.parquet", None),
        ("results/a/scores/x.systems.csv", None),
    ],
)
def test_a_name_goes_with_its_own_collection_alone(path, expected):
    assert matched("results/{collection}/scores/{name}.parquet", path, NAMES) == expected


@pytest.mark.parametrize("table", ["alpha.parquet", "tw1/alpha.parquet"])
def test_a_folder_between_may_be_any(table):
    pattern = f"results/{{collection}}/cuts/{{item}}/{table}"
    names = {"a": ["x"], "b": ["y"]}
    constraints = only("*/{item}", names)
    for wildcard, allowed in constraints.items():
        pattern = pattern.replace(f"{{{wildcard}}}", f"{{{wildcard},{allowed}}}")
    regex = re.compile(regex_from_filepattern(pattern))
    assert regex.match(f"results/a/cuts/x/{table}")
    assert not regex.match(f"results/a/cuts/y/{table}")


def test_names_that_all_have_need_no_more_than_a_list():
    assert only("scores/{name}.parquet", {"a": ["x"], "b": ["x"]}) == {
        "collection": "(?:a|b)",
        "name": "x",
    }


def test_no_names_match_nothing():
    for pattern in (one_of([]), *only("scores/{name}.parquet", {"a": []}).values()):
        assert not re.match(pattern, "") and not re.match(pattern, "a")


def test_functions_are_those_of_the_collection_that_wildcards_name():
    def of(name: str) -> SimpleNamespace:
        return SimpleNamespace(files=lambda wildcards: [name, wildcards.item])

    each = Each({"a": of("a"), "b": of("b")})
    assert each.files(SimpleNamespace(collection="b", item="x")) == ["b", "x"]

"""Several collections in one call: each has the tables of its own call, all have one page."""

import re
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from regrade.command.workflow import run_workflow
from tests.each import others_slow

pytestmark = pytest.mark.workflow

RUNS = {"s": "abcd", "t": "badc", "u": "dcba"}
TOPICS = ("1", "2", "3", "4")


def write_collection(folder: Path, relevant: str, runs: bool = True) -> dict:
    """The options of a small collection, whose files are written."""
    folder.mkdir(parents=True)
    lines = [f"{t} 0 {d} {int(d in relevant)}" for t in TOPICS for d in "abcd"]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    other = [f"{t} 0 {d} {int(d in relevant[:1])}" for t in TOPICS for d in "abcd"]
    (folder / "other.txt").write_text("\n".join(other) + "\n", encoding="utf-8")
    qrels = {
        "N": {"file": str(folder / "qrels.txt"), "levels": 2},
        f"only-{folder.name}": {"file": str(folder / "other.txt"), "levels": 2},
    }
    if not runs:
        return {"qrels": qrels, "judges": [{"reference": "N", "sets": [f"only-{folder.name}"]}]}
    for name, order in RUNS.items():
        lines = [f"{t} Q0 {d} {r} {9 - r} {name}" for t in TOPICS for r, d in enumerate(order, 1)]
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ranking = [{"qrels": name, "draws": 100, "splits": 10} for name in qrels]
    return {"runs": str(folder / "*.run"), "qrels": qrels, "ranking": ranking}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a configuration of three collections, one of them without runs."""
    folder = tmp_path_factory.mktemp("several")
    collections = {
        "x": write_collection(folder / "data" / "x", "a"),
        "y": write_collection(folder / "data" / "y", "bd"),
        "z": write_collection(folder / "data" / "z", "ab", runs=False),
    }
    # the runs of x, read by others' labels
    collections["w"] = {
        "runs": collections["x"]["runs"],
        "qrels": collections["y"]["qrels"],
        "ranking": [{"qrels": "N", "draws": 100, "splits": 10}],
    }
    config = {"collection": "all", "collections": collections}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return folder


JOINED = ["results/all/ranking/systems.parquet", "results/all/qrels.parquet"]


@pytest.fixture(scope="module")
def made(house, folder):
    """What one call makes of all."""
    house.snakemake(folder, "all", *JOINED).well()
    return folder / "results"


def tables(results: Path) -> dict[str, object]:
    """Every table of some results, by path."""
    return {
        str(path.relative_to(results)): pq.read_table(path) for path in results.rglob("*.parquet")
    }


@pytest.mark.parametrize("collection", others_slow("zwxy"))
def test_a_collection_has_the_tables_of_a_call_of_its_own(
    house, folder, made, tmp_path, collection
):
    (tmp_path / "config.yaml").write_bytes((folder / "config.yaml").read_bytes())
    house.snakemake(tmp_path, "all", "--config", f"collection={collection}").well()
    alone = tables(tmp_path / "results" / collection)
    together = tables(made / collection)
    assert alone.keys() == together.keys() and alone
    assert [path for path in alone if not alone[path].equals(together[path])] == []
    notes = {path: table.schema.metadata for path, table in alone.items()}
    assert notes == {path: table.schema.metadata for path, table in together.items()}
    for page in (tmp_path / "results" / collection / "report.html", made / collection):
        assert page.exists()


def test_after_that_a_call_of_one_has_nothing_to_do(house, folder, made):
    assert house.snakemake(folder, "all", "--config", "collection=y").well().jobs == {}
    target = "results/z/report.html"
    assert house.snakemake(folder, target, "--config", "collection=y").well().jobs == {}


def test_joined_tables_say_of_which_collection_and_item_rows_are(made):
    joined = pq.read_table(made / "all" / "ranking" / "systems.parquet").to_pandas()
    own = {name: pq.read_table(made / path).to_pandas() for name, path in {
        ("w", "N"): "w/ranking/N/systems.parquet",
        ("x", "N"): "x/ranking/N/systems.parquet",
        ("x", "only-x"): "x/ranking/only-x/systems.parquet",
        ("y", "N"): "y/ranking/N/systems.parquet",
        ("y", "only-y"): "y/ranking/only-y/systems.parquet",
    }.items()}  # fmt: skip
    parts = dict(iter(joined.groupby(["collection", "item"], observed=True)))
    assert parts.keys() == own.keys()
    for key, part in parts.items():
        rest = part.drop(columns=["collection", "item"]).reset_index(drop=True)
        pd.testing.assert_frame_equal(rest, own[key], check_categorical=False)
    labels = pq.read_table(made / "all" / "qrels.parquet").to_pandas()
    rows = labels.groupby("collection", observed=True).size()
    assert rows.to_dict() == dict.fromkeys("wxyz", 32)


def test_the_page_leads_to_what_each_collection_says(made):
    page = (made / "all" / "report.html").read_text(encoding="utf-8")
    assert "<h1>4 collections</h1>" in page
    links = set(re.findall(r'href="\.\./([^"]+)"', page))
    assert {f"{name}/report.html" for name in "wxyz"} < links
    for link in links:
        path, _, anchor = link.partition("#")
        assert not anchor or f'id="{anchor}"' in (made / path).read_text(encoding="utf-8")


def test_rules_of_a_name_serve_all_collections(house, folder):
    planned = house.snakemake(folder, "-n", "-F", "--set-threads", "collect_runs=1").well()
    # the runs of w and x are read once
    assert {"collect_runs": 2, "collect_qrels": 8, "audit": 4, "report": 4}.items() <= (
        planned.jobs.items()
    )


def test_what_is_set_of_a_rule_holds_for_its_further_ones(house, folder):
    """Labels of x and y differ in name, so other figures are drawn, by a rule with a number."""
    of = ["draw_answers", "audit", "collect_runs"]
    asked = ["--set-resources", *(f"{rule}:mem_mb=1234" for rule in of)]
    printed = house.snakemake(folder, "-n", "-F", *asked).well().printed
    jobs = re.findall(r"^rule (\w+):\n((?: +.*\n)+)", printed, re.MULTILINE)
    named = {name for name, _ in jobs}
    assert {"draw_answers_2", "audit_2", "collect_runs_2"} <= named
    for name, said in jobs:
        if name.rstrip("_0123456789") in of:
            assert "mem_mb=1234" in said, name


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["results/v/report.html"], "there is no collection 'v'"),
        (["results/all/ranking/system.parquet"], "did you mean 'ranking/systems'?"),
        (["--config", "collection=v*"], "there is no collection 'v*'"),
    ],
)
def test_what_is_not_there_is_refused(house, folder, arguments, said):
    ran = house.snakemake(folder, "-n", *arguments)
    assert ran.status and said in ran.printed


@pytest.mark.slow
def test_where_one_fails_the_pages_of_the_others_are_made(tmp_path, capfd):
    collections = {name: write_collection(tmp_path / "data" / name, "a") for name in "xy"}
    spoilt = tmp_path / "data" / "y" / "qrels.txt"
    spoilt.write_text("1 0 a no\n", encoding="utf-8")
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump({"collection": "all", "collections": collections}), "utf-8")
    assert run_workflow(str(config), [], "2", directory=str(tmp_path)) == 1
    said = capfd.readouterr().err
    assert "y/qrels.txt:1: grade 'no' is not a number" in said
    assert f"the page {tmp_path}/results/x/report.html needs nothing of it" in said
    assert (tmp_path / "results" / "x" / "report.html").exists()
    for name in ("y", "all"):
        assert not (tmp_path / "results" / name / "report.html").exists()

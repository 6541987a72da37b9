"""What a job of the workflow does around its work: its log, its lines, what its tables say."""

import subprocess
import sys

import pytest

from regrade.table_files import TableFile

JOB = """
import sys
from types import SimpleNamespace
from snakemake.iocontainers import Namedlist
from regrade.errors import ParameterError
from regrade.tables import write_table
from regrade.workflow.job import job, parameters

item, fails = sys.argv[1], sys.argv[2] == "fails"
inputs = Namedlist(["alone.txt", "one.txt", "two.txt", "three.txt"])
inputs._set_name("one", 1)
inputs._set_name("more", 2, end=4)
snakemake = SimpleNamespace(
    rule="collect_qrels",
    input=inputs,
    output=Namedlist([f"results/demo/tables/qrels/{item}.parquet"]),
    log=Namedlist([f"results/demo/logs/collect_qrels/{item}.log"]),
    params=Namedlist(fromdict={"code": "c0de", "content": None, "kind": "qrels"}),
)
with job(snakemake) as log:
    log.info("read %d rows", 5)
    if fails:
        raise ParameterError("one.txt:3: no grade\\nMend it.")
    frame = __import__("pandas").DataFrame({"topic": ["1"], "docno": ["a"], "grade": [1.0]})
    write_table(frame, snakemake.output[0], "qrels", parameters(snakemake))
"""


def ran(folder, item="NIST", how=""):
    for name in ("one", "two", "three", "alone"):
        (folder / f"{name}.txt").write_text(name)
    done = subprocess.run(
        [sys.executable, "-c", JOB, item, how],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    log = folder / "results" / "demo" / "logs" / "collect_qrels" / f"{item}.log"
    return done, log.read_text().splitlines()


@pytest.mark.parametrize("item", ["NIST", "50%s", "a.b"])
def test_lines_on_the_terminal_begin_with_the_jobs_name(item, tmp_path):
    done, log = ran(tmp_path, item)
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    name, time, *rest = line.split(" ")
    assert (name, rest) == (f"demo/collect_qrels/{item}", ["read", "5", "rows"])
    assert log[1] == f"{time} read 5 rows"
    assert log[0].split(" ", 1)[1].startswith("regrade 0.")
    assert log[0].endswith("code c0de")
    table = TableFile.read(tmp_path / "results" / "demo" / "tables" / "qrels" / f"{item}.parquet")
    assert {name: [*files] for name, files in table.inputs.items()} == {
        "one": ["one.txt"], "more": ["2 files"], "files": ["alone.txt"]
    }  # fmt: skip
    assert (table.item, table.code) == (item, "c0de")


def test_an_error_is_the_last_line_of_both(tmp_path):
    done, log = ran(tmp_path, how="fails")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2].startswith("demo/collect_qrels/NIST ")
    assert log[-2].endswith(" collect_qrels: one.txt:3: no grade")
    assert done.stderr.splitlines()[-1] == log[-1] == "Mend it."

"""What `regrade init` writes, `regrade run` runs: the whole of it, for a few small kinds of files.

`tests/unit/test_command_init.py` has the rest of the kinds, as far as the jobs' readers.
"""

import pytest
from click.testing import CliRunner

from regrade.command.app import app
from regrade.command.init import configuration
from regrade.tables import read_table
from tests.unit.given_kinds import KINDS
from tests.unit.test_command_init import laid

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

RUN = {
    "several scales in one file": "cuts/own-S98-to-3/best_cuts.parquet",
    "one run, two sets": "compare/other-and-own/systems.parquet",
}


@pytest.mark.parametrize(("kind", "made"), RUN.items())
def test_it_runs(kind, made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files, _ = KINDS[kind]
    (tmp_path / "mine.yaml").write_text(configuration(laid(files, tmp_path), "mine"))

    def run(*words):
        done = CliRunner().invoke(app, ["run", "mine.yaml", "--cores", "2", *words])
        assert done.exit_code == 0, done.stderr
        return done.stdout

    run()
    results = tmp_path / "results" / "mine"
    assert (results / "report.html").is_file()
    assert read_table(results / made).num_rows
    one = f"results/mine/{made}"
    assert run("-n", one) == "nothing to be done\n"
    assert run("-n", one, "--force").splitlines()[-1].split() == ["total", "1"]
    jobs = [line.split()[0] for line in run("-n", "--force").splitlines()]
    assert {"collect_qrels", "report"} <= {*jobs}

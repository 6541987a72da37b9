"""Attacks by files and configurations: what SECURITY.md says happens.

Markup in names is tried in test_show_report, test_show_explorer and test_show_sweep_explorer, code
in caches of kernels in test_kernel_cache.
"""

import pytest

import regrade
from regrade.errors import RegradeError
from regrade.measures import parse
from regrade.workflow.config import complete, read_configuration

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}


def test_code_in_a_configuration_is_not_run(tmp_path):
    done = tmp_path / "done"
    config = tmp_path / "mine.yaml"
    config.write_text(f"collection: !!python/object/apply:os.mkdir ['{done}']\n", encoding="utf-8")
    with pytest.raises(RegradeError, match="python/object/apply"):
        read_configuration(config)
    assert not done.exists()


def test_code_in_the_name_of_a_measure_is_not_run(tmp_path):
    done = tmp_path / "done"
    for name in (
        f"AP(rel=__import__('os').mkdir('{done}'))",
        f"P@(__import__('os').mkdir('{done}'))",
    ):
        with pytest.raises(RegradeError):
            parse(name)
    assert not done.exists()


@pytest.mark.parametrize("name", ["../up", "/tmp/up", "a/b", "a\nb"])
def test_results_stay_in_their_folder(name):
    with pytest.raises(RegradeError):
        complete({"collection": name, "collections": {name: {}}})


@pytest.mark.parametrize("name", ["\x1b[2J", "a\u202eb", "a\x00b"])
def test_names_that_change_a_terminal_are_refused(name, tmp_path):
    run = tmp_path / "run"
    run.write_text(f"1 Q0 a 1 2 {name}\n1 Q0 b 2 1 {name}\n", encoding="utf-8")
    with pytest.raises(RegradeError, match=r"run:1"):
        regrade.score(QRELS, run, "AP")
    qrels = tmp_path / "qrels"
    qrels.write_text(f"1 0 {name} 1\n", encoding="utf-8")
    with pytest.raises(RegradeError, match=r"qrels:1"):
        regrade.read_qrels(qrels)

"""A tiny collection from nothing to its report: what is made, and what a change makes again."""

import copy
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

import pandas as pd
import pytest

from regrade.tables import read_provenance, read_table
from tests.workflow.conftest import TINY, configured, made, planned

pytestmark = pytest.mark.workflow

RESULTS = "results/tiny"
STUDY = TINY["studies"]["han2019"]
FIGURES = [item for item in STUDY if item.startswith("figure")]
TABLES = [item for item in STUDY if item.startswith("table")]

# what the whole consists of, counted by hand from TINY
EVERYTHING = {
    "simulate_collection": 1,
    "simulate_experts": 1,  # So4
    "simulate_judgments": 3,  # S11, S4, S2
    "collect_runs": 1,
    "collect_qrels": 1,  # TR2
    "audit": 1,
    "score_qrels": 2,
    "aggregate_reference": 1,  # S2, for S4-to-2
    "search_cuts": 4 + 6 + 1,
    "tau_cuts": 2 + 1 + 1,  # a transformation's experts
    "combine_cuts": 3,
    "rank_systems": 3,
    "compare_with_tau": 3,
    "expert_cuts": 1,
    "table_2": 1,
    "table_3": 1,
    "table_4": 1,
    "figure_1": 1,
    "figure_3": 1,
    "figure_5": 1,
    "figure_6": 1,
    "figure_tau": 1,
    "figure_tau_topics": 1,
    "report": 1,
}


# --- what is made --------------------------------------------------------------------------------


def test_every_figure_and_table_is_made(built):
    for item in FIGURES:
        figure = built / RESULTS / "figures" / "han2019" / item
        root = ElementTree.parse(figure.with_suffix(".svg")).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        png = figure.with_suffix(".png").read_bytes()
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        assert png.endswith(b"IEND\xaeB`\x82")
    for item in TABLES:
        table = built / RESULTS / "tables" / "han2019" / item
        assert len(pd.read_csv(table.with_suffix(".csv"))) > 1
        assert "|" in table.with_suffix(".md").read_text(encoding="utf-8")
    assert {"published", "ours"} <= set(
        pd.read_csv(built / RESULTS / "tables/han2019/table-4.csv").columns
    )


def test_the_report_shows_everything_and_needs_nothing_else(built):
    page = (built / RESULTS / "report.html").read_text(encoding="utf-8")
    for item in ["audit", *FIGURES, *TABLES]:
        assert f'<section id="{item}">' in page
    assert page.count('src="data:image/svg+xml;base64,') == len(FIGURES)
    assert page.count("<table>") >= len(TABLES) + 1
    assert "Simulated, not real: runs, TR2, So4, S11, S4, S2." in page
    assert "<h1>Tiny</h1>" in page
    addresses = re.findall(r"""(?:src|href|action|data)=["']?([^"'\s>]+)|url\(([^)]*)\)""", page)
    for address in map("".join, addresses):
        assert address.startswith(("#", "data:")), address
    assert not re.search(r"<(script|link|iframe|object)\b|@import", page)


def test_every_cut_has_its_alpha(built):
    cuts = built / RESULTS / "cuts"
    assert len(read_table(cuts / "S4-to-2" / "h2@TR2_a" / "alpha.parquet")) == 3
    assert len(read_table(cuts / "S11-to-2" / "h1_ta" / "alpha.parquet")) == 10
    assert len(read_table(cuts / "S11-to-3" / "tw1" / "alpha.parquet")) == 45
    best = read_table(cuts / "S4-to-2" / "best_cuts.parquet", "best_cuts").to_pandas()
    searches = {(m, r) for m, r in zip(best["method"], best["reference"], strict=True)}
    assert searches == {
        ("h2", "TR2_a"),
        ("h2", "S2"),
        ("d2_at", "TR2_a"),
        ("d2_at", "S2"),
        ("tau", "TR2"),
        ("tau", "So4"),
    }
    assert set(best["topic"]) == {"401", "402", "403", "*"}


def test_a_table_tells_what_made_it(built):
    alpha = built / RESULTS / "cuts" / "S4-to-2" / "h2@TR2_a" / "alpha.parquet"
    parameters = read_provenance(alpha)["parameters"]
    assert parameters["method"] == "h2"
    assert parameters["reference"] == "TR2_a"
    assert parameters["unjudged"] == "non-relevant"
    assert "code" not in parameters


def test_every_job_has_a_log_and_a_benchmark(house, built):
    shown = house.snakemake(built, "--dry-run", "--forceall").well()
    jobs = sum(EVERYTHING.values())
    for kind in ("log", "benchmark"):
        paths = shown.field(kind)
        assert len(set(paths)) == len(paths) == jobs
        for path in paths:
            assert (built / path).is_file(), path
    for path in shown.field("benchmark"):
        assert "max_rss" in (built / path).read_text(encoding="utf-8")
    log = (built / RESULTS / "logs" / "collect_runs.log").read_text(encoding="utf-8")
    assert "reading 6 runs" in log


def test_nothing_is_written_outside_of_results(house, built):
    assert {path.name for path in built.iterdir()} == {"config.yaml", "results", ".snakemake"}
    assert {path.name for path in (built / "results").iterdir()} == {"tiny"}


def test_nothing_is_written_into_the_clone(house, tmp_path):
    before = house.contents()
    configured(tmp_path, "tiny", TINY)
    house.snakemake(tmp_path, f"{RESULTS}/tables/qrels/TR2.parquet").well()
    assert (tmp_path / RESULTS / "tables" / "qrels" / "TR2.parquet").exists()
    assert house.contents() == before


# --- what is made again --------------------------------------------------------------------------


def test_a_second_run_has_nothing_to_do(house, built):
    before = made(built)
    assert house.snakemake(built).well().jobs == {}
    assert made(built) == before


def changed(path: str, value) -> dict:
    """TINY with another value at a dotted path."""
    collection = copy.deepcopy(TINY)
    *parents, last = path.split(".")
    node = collection
    for part in parents:
        node = node[int(part) if isinstance(node, list) else part]
    node[last] = value
    return collection


@pytest.mark.parametrize(
    ("path", "value", "again"),
    [
        pytest.param("measures", ["AP", "nDCG@10", "P@5"], {"score_qrels": 2}, id="a measure"),
        pytest.param(
            "transformations.2.alpha",
            "nominal",
            {
                "search_cuts": 1,
                "combine_cuts": 1,
                "rank_systems": 1,
                "compare_with_tau": 1,
                "figure_6": 1,
                "figure_tau": 1,
                "figure_tau_topics": 1,
                "table_4": 1,
                "report": 1,
            },
            id="the metric of one transformation",
        ),
        pytest.param(
            "transformations.1.measure",
            "nDCG",
            {
                "tau_cuts": 1,
                "combine_cuts": 1,
                "rank_systems": 1,
                "compare_with_tau": 1,
                "figure_3": 1,
                "figure_5": 1,
                "figure_tau": 1,
                "table_4": 1,
                "report": 1,
            },
            id="the measure of one transformation",
        ),
        pytest.param(
            "judgments.S2.simulate.workers",
            80,
            {
                "simulate_judgments": 1,
                "audit": 1,
                "aggregate_reference": 1,
                "search_cuts": 2,  # h2 and d2_at of S4 with S2
                "combine_cuts": 1,
                "rank_systems": 1,
                "compare_with_tau": 1,
                "figure_1": 1,
                "figure_tau": 1,
                "table_4": 1,
                "report": 1,
            },
            id="a knob of one simulated set",
        ),
        pytest.param(
            "qrels.So4.simulate.sigma",
            0.1,
            {
                "simulate_experts": 1,
                "audit": 1,
                "score_qrels": 1,
                "tau_cuts": 1,  # S4-to-2, the only one with So4 as an expert
                "combine_cuts": 1,
                "rank_systems": 1,
                "compare_with_tau": 1,
                "expert_cuts": 1,
                "figure_1": 1,
                "figure_tau": 1,
                "table_3": 1,
                "table_4": 1,
                "report": 1,
            },
            id="a knob of the simulated experts",
        ),
        pytest.param("title", "Small", {"report": 1}, id="the title"),
        pytest.param(
            "studies.han2019.figure-3.panels",
            ["tw1", "h1_ta"],
            {"figure_3": 1, "report": 1},
            id="the panels of a figure",
        ),
    ],
)
def test_a_changed_parameter_makes_again_what_depends_on_it(house, built, path, value, again):
    before = (built / "config.yaml").read_bytes()
    try:
        configured(built, "tiny", changed(path, value))
        assert planned(house, built) == again
    finally:
        (built / "config.yaml").write_bytes(before)


def test_another_seed_makes_everything_again_but_what_holds_no_data(house, built):
    before = (built / "config.yaml").read_bytes()
    try:
        configured(built, "tiny", changed("runs.simulate.seed", 4))
        assert planned(house, built) == {k: v for k, v in EVERYTHING.items() if k != "table_2"}
    finally:
        (built / "config.yaml").write_bytes(before)


@pytest.mark.parametrize(
    ("path", "at_least", "never"),
    [
        (
            "src/regrade/cutsearch/kernels.py",
            {"search_cuts": 11},
            {"simulate_collection", "collect_runs", "collect_qrels", "score_qrels", "audit"},
        ),
        (
            "src/regrade/readers/runs.py",
            {"collect_runs": 1, "audit": 1},
            {"simulate_collection", "collect_qrels", "table_2"},
        ),
        ("src/regrade/report.py", {"report": 1}, set(EVERYTHING) - {"report"}),
        ("workflow/scripts/table_2.py", {"table_2": 1, "report": 1}, {"table_3", "search_cuts"}),
        ("workflow/report/han2019/figure-3.rst", {"report": 1}, set(EVERYTHING) - {"report"}),
    ],
)
def test_edited_code_makes_again_what_used_it(house, built, path, at_least, never):
    with house.edited(path):
        again = planned(house, built)
    assert at_least.items() <= again.items()
    assert not never & again.keys()
    assert planned(house, built) == {}


# --- the shape of the graph ----------------------------------------------------------------------

SIMULATED_RUNS = {"simulate_collection": 1, "collect_runs": 1}
SIMULATED = {**SIMULATED_RUNS, "collect_qrels": 1}
NOT_OF_THE_STUDY = ("audit", "score_qrels", "report")


@pytest.mark.parametrize(
    ("target", "jobs"),
    [
        ("all", EVERYTHING),
        (
            "han2019",
            {
                **{k: v for k, v in EVERYTHING.items() if k not in NOT_OF_THE_STUDY},
                "compare_with_tau": 1,  # figure-tau-topics shows one transformation
            },
        ),
        (f"{RESULTS}/tables/han2019/table-2.csv", {"table_2": 1}),
        (
            f"{RESULTS}/tables/han2019/table-3.md",
            {
                **SIMULATED,
                "simulate_experts": 1,
                "simulate_judgments": 1,  # S4, the pool
                "expert_cuts": 1,
                "table_3": 1,
            },
        ),
        (
            f"{RESULTS}/figures/han2019/figure-1.svg",
            {
                **SIMULATED,
                "simulate_experts": 1,
                "simulate_judgments": 2,  # S4 and its reference S2
                "aggregate_reference": 1,
                "search_cuts": 4,
                "tau_cuts": 2,
                "combine_cuts": 1,
                "figure_1": 1,
            },
        ),
        (
            f"{RESULTS}/figures/han2019/figure-6.png",
            {
                **SIMULATED,
                "simulate_judgments": 1,
                "search_cuts": 1,
                "tau_cuts": 1,
                "combine_cuts": 1,
                "figure_6": 1,
            },
        ),
        (
            f"{RESULTS}/figures/han2019/figure-tau-topics.svg",
            {
                **SIMULATED,
                "simulate_judgments": 1,
                "search_cuts": 1,
                "tau_cuts": 1,
                "combine_cuts": 1,
                "rank_systems": 1,
                "compare_with_tau": 1,
                "figure_tau_topics": 1,
            },
        ),
        (
            f"{RESULTS}/cuts/S4-to-2/h2@TR2_a/alpha.parquet",
            {**SIMULATED, "simulate_judgments": 1, "search_cuts": 1},
        ),
        (f"{RESULTS}/scores/TR2.parquet", {**SIMULATED, "score_qrels": 1}),
        (f"{RESULTS}/tables/runs.parquet", SIMULATED_RUNS),
    ],
)
def test_a_target_has_just_its_ancestors(house, tmp_path, target, jobs):
    configured(tmp_path, "tiny", TINY)
    assert planned(house, tmp_path, target) == jobs
    assert not (tmp_path / "results").exists(), "a dry run writes no result"


@pytest.mark.parametrize(
    "target", [f"{RESULTS}/figures/han2019/figure-2.svg", f"{RESULTS}/scores/S4.parquet", "trec8"]
)
def test_what_nothing_makes_is_refused(house, built, target):
    ran = house.snakemake(built, "--dry-run", target)
    assert ran.status == 1
    assert "Traceback" not in ran.printed


def test_rules_are_listed_and_lint_finds_nothing(house, tmp_path):
    listed = house.snakemake(tmp_path, "--list-rules").well().printed.split()
    assert {*EVERYTHING, "all", "han2019"} <= set(listed)
    linted = house.snakemake(tmp_path, "--lint").well().printed
    assert "Congratulations" in linted


# --- killed half-way -----------------------------------------------------------------------------

# found by Python where it starts: the first job that searches writes half of its table, then the
# job, and Snakemake with it, are killed as by the system
HALF_WAY = """
import os, signal, sys

if any(argument.endswith("search_cuts.py") for argument in sys.orig_argv):
    import pyarrow.parquet

    write = pyarrow.parquet.write_table

    def half(table, where, *arguments, **options):
        write(table, where, *arguments, **options)
        os.truncate(where, os.path.getsize(where) // 2)
        os.killpg(0, signal.SIGKILL)

    pyarrow.parquet.write_table = half
"""


def test_killed_half_way_and_gone_on_with_one_core_the_bytes_are_the_same(house, built, tmp_path):
    (tmp_path / "killer").mkdir()
    (tmp_path / "killer" / "sitecustomize.py").write_text(HALF_WAY, encoding="utf-8")
    directory = configured(tmp_path / "run", "tiny", TINY)
    killed = subprocess.run(
        house.command(directory, "--cores", "1"),
        env=house.environment(tmp_path / "killer"),
        capture_output=True,
        start_new_session=True,
        cwd=directory,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    whole = made(built)
    before = made(directory)
    assert before
    assert before.items() < whole.items(), "what is there is whole"

    house.snakemake(directory, "--unlock").well()
    again = house.snakemake(directory, "--cores", "1").well()
    assert again.jobs.get("collect_runs", 0) == 0, "what was whole is not made again"
    assert again.jobs["search_cuts"] == EVERYTHING["search_cuts"]
    after = made(directory)
    assert after.keys() == whole.keys()
    assert [name for name in whole if after[name] != whole[name]] == []


def test_a_job_that_dies_leaves_no_output_and_the_run_fails(house, built, tmp_path):
    """The kernel kills a job alone, for memory say: Snakemake goes on to say so."""
    (tmp_path / "killer").mkdir()
    text = HALF_WAY.replace("os.killpg(0, ", "os.kill(os.getpid(), ")
    (tmp_path / "killer" / "sitecustomize.py").write_text(text, encoding="utf-8")
    directory = configured(tmp_path / "run", "tiny", TINY)
    target = f"{RESULTS}/cuts/S11-to-3/tw1/alpha.parquet"
    ran = subprocess.run(
        house.command(directory, target),
        env=house.environment(tmp_path / "killer"),
        capture_output=True,
        text=True,
        cwd=directory,
        check=False,
    )
    assert ran.returncode == 1
    assert "Error in rule search_cuts" in ran.stderr
    assert not (directory / target).exists()
    house.snakemake(directory, target).well()
    assert (directory / target).read_bytes() == (built / target).read_bytes()

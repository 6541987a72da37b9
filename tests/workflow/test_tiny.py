"""A tiny collection from nothing to its report: what is made, and what a change makes again."""

import copy
import re
import shutil
import signal
import subprocess
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from regrade.kernels import recorded
from regrade.studies.registry import STUDIES
from regrade.tables import read_provenance, read_table
from regrade.wording import WORDS_ALONE
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete, read_configuration
from regrade.workflow.targets import targets_of
from tests.snapshots import assert_said
from tests.workflow.conftest import FEW, FILES, TINY, House, Ran, configured, made, planned

pytestmark = pytest.mark.workflow

RESULTS = "results/tiny"


def of_kind(kind: str, collection: dict) -> list[tuple[str, str]]:
    """Figures or tables of a collection's studies."""
    every = ((study, item) for study, items in collection["studies"].items() for item in items)
    return [(study, item) for study, item in every if item.startswith(kind)]


def rule_of(study: str, item: str) -> str:
    """The rule that makes a figure or table."""
    return f"{study}_{re.sub('[-.]', '_', item)}"


FIGURES, TABLES = of_kind("figure", FEW), of_kind("table", FEW)
ANSWERED = (*("cut-S4-to-2", "cut-S11-to-2", "cut-S11-to-3", "cut-MEd-to-2"),
            *("compare-So4-and-S4", "compare-TR2-and-So4"),
            *("sweep-choices", "label-sweep-ways", "ranking-TR2"),
            *("system-pair-TR2", "topics-TR2", "topics-labels"),
            *("ties", "unjudged", "leave-one-out-runs", "pool", "judges-So4"),
            *("workers-S11", "workers-S4", "workers-S2", "workers-ME"),
            *("calibration-So4", "favour-So4", "pairs-answers", "pdp-S2", "magnitudes-ME"),
            *("replace-TR2", "panel-So4", "meta-analysis-judges"),
            "estimate-So4")  # fmt: skip

WITHOUT_DATA = ("tie_bounds", "score_rated_lists", "synthetic_power", "pair_worlds")
"""What rests on no simulated data: on thresholds, a file of lists, worlds of their own."""
STAGES = {"ties", "pools", "leave-one-out", "residuals", "ranges", "discrimination", "ancova"}
"""The folders of what the stages of yang2019 make."""
OF_CUTS = {"cuts", "rankings", "cut-comparisons", "expert-cuts", "overlaps"}
"""Those of han2019."""


# --- what is made --------------------------------------------------------------------------------


def test_figures_and_tables_are_made(built):
    assert_drawn(built, FIGURES)
    for study, item in TABLES:
        folder = built / RESULTS / "tables" / study
        assert len(pd.read_csv(folder / f"{item}.csv")) > 1
        assert "|" in (folder / f"{item}.md").read_text(encoding="utf-8")
    for path in ("tables/han2019/table-4.csv", "tables/yang2019/table-4.7.csv"):
        assert {"published", "ours"} <= set(pd.read_csv(built / RESULTS / path).columns)


@pytest.fixture(scope="module")
def whole(house, built, tmp_path_factory) -> tuple[Path, Ran]:
    """The tiny collection with every figure, and how those that are not in `built` were made."""
    directory = shutil.copytree(built, tmp_path_factory.mktemp("every") / "whole")
    return directory, house.snakemake(configured(directory, "tiny", TINY)).well()


@pytest.mark.slow
def test_every_figure_of_every_study_is_made(whole):
    directory, ran = whole
    more = of_kind("figure", TINY)
    rules = {rule_of(*one) for one in more} - {rule_of(*one) for one in FIGURES}
    assert {*ran.jobs} == {*rules, "report", "all"}
    assert_drawn(directory, more)
    page = (directory / RESULTS / "report.html").read_text(encoding="utf-8")
    for study, item in more:
        assert f'<article class="item" id="{study}-{item}">' in page


def assert_drawn(directory: Path, figures: list[tuple[str, str]]) -> None:
    """Figures are there, whole, in both forms."""
    for study, item in figures:
        folder = directory / RESULTS / "figures" / study
        root = ElementTree.parse(folder / f"{item}.svg").getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        png = (folder / f"{item}.png").read_bytes()
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        assert png.endswith(b"IEND\xaeB`\x82")


def test_the_stages_hold_what_was_asked(built):
    def values(path, schema, column):
        return set(read_table(built / RESULTS / path, schema).to_pandas()[column])

    systems = values("tables/runs.parquet", "runs", "system")
    assert len(systems) == 6
    assert values("ties/bounds.parquet", "ties/bounds", "rho") == {1.5, 2, 4}
    assert values("ties/banded.parquet", "ties/banded", "measure") == {"RR", "RBP(p=0.5)", "AP"}
    sizes = ["Depth@2", "Depth@3", "Depth@5", "RRF@8", "CombSUM@8"]
    assert values("pools/sizes.parquet", "pools/sizes", "pooling") == set(sizes)
    assert values("pools/votes.parquet", "pools/votes", "pooling") == {"Depth@3"}
    # the depths of the pools and those of ANCOVA, once each, of all systems
    assert values("pools/scores.parquet", "pools/scores", "depth") == {2, 3, 4, 5}
    assert values("pools/scores.parquet", "pools/scores", "system") == systems
    assert values("pools/movements.parquet", "pools/movements", "depth") == {2, 3}
    assert values("discrimination/pairs.parquet", "discrimination/pairs", "depth") == {2, 3, 5}
    assert values("significance/pairs.parquet", "significance/pairs", "test") == {"tukey_hsd"}
    diagnostics = "ancova/diagnostics.parquet"
    assert values(diagnostics, "ancova/diagnostics", "depth") == {2, 3, 4, 5}
    left_out = "leave-one-out/runs/left_out.parquet"
    assert values(left_out, "leave-one-out/left_out", "left_out") == systems
    assert values(left_out, "leave-one-out/left_out", "pooling") == {"Depth@5"}
    depths = sorted(values("residuals/rbp.parquet", "residuals/rbp", "depth"))
    assert depths == pytest.approx([2, 5, 10, 20, 50, 100, 200])  # 1 / (1 − φ)
    ranges = values("ranges/ranges.parquet", "ranges/ranges", "measure")
    assert ranges == {"AP", "nDCG", "RBP(p=0.98)"}


def test_a_figure_shows_the_rows_that_it_is_told_to(built):
    def shown(item):
        return (built / RESULTS / "figures" / "yang2019" / f"{item}.svg").read_bytes()

    # the same measure, other ρ
    assert shown("figure-3.9") != shown("figure-3.10")
    assert shown("figure-3.6") != shown("figure-3.7")


def test_the_report_shows_everything_and_needs_nothing_else(built):
    page = (built / RESULTS / "report.html").read_text(encoding="utf-8")
    for name in ["audit", *(f"{study}-{item}" for study, item in FIGURES + TABLES)]:
        assert f'<article class="item" id="{name}">' in page
    figures = sorted((built / RESULTS / "figures" / "answers").glob("*.svg"))
    drawn = [path for path in figures if WORDS_ALONE not in path.read_text(encoding="utf-8")]
    assert len(figures) == len(ANSWERED)
    packed = '<script type="application/octet-stream" class="{}">'.format
    assert page.count(packed("svg")) == len(FIGURES) + len(drawn)
    assert len(drawn) > len(figures) / 2
    assert page.count("<table>") + page.count(packed("html")) >= len(TABLES) + 1
    assert "Simulated, not real: runs, TR2, So4, Pairs, MEd, S11, S4, S2, ME, MEz, answers." in page
    assert "<h1>Tiny</h1>" in page
    scripts = re.findall(r"<script([^>]*)>", page)
    kinds = {"", ' type="application/json"', ' type="application/json" id="rankings"'}
    kinds |= {' type="application/json" id="topic-documents"'}
    of_texts = ("svg", "csv", "latex", "html", "glyphs")
    kinds |= {f' type="application/octet-stream" class="{kind}"' for kind in of_texts}
    assert scripts and set(scripts) <= kinds  # none from elsewhere
    # what scripts and figures hold is no address of the page's
    page = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    page = re.sub(r"<template.*?</template>", "", page, flags=re.DOTALL)
    addresses = re.findall(r"""\b(?:src|href|action|data)=["']?([^"'\s>]+)|url\(([^)]*)\)""", page)
    for address in map("".join, addresses):
        assert address.startswith(("#", "data:")), address
    assert not re.search(r"<(script|link|iframe|object)\b|@import", page)


def test_every_cut_has_its_alpha(built):
    cuts = built / RESULTS / "cuts"
    assert len(read_table(cuts / "S4-to-2" / "h2@TR2_a" / "alpha.parquet")) == 3
    assert len(read_table(cuts / "S11-to-2" / "h1_ta" / "alpha.parquet")) == 10
    assert len(read_table(cuts / "S11-to-3" / "tw1" / "alpha.parquet")) == 45
    best = read_table(cuts / "S4-to-2" / "best_cuts.parquet", "cuts/best_cuts").to_pandas()
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
    assert parameters["search"] == {
        "method": "h2",
        "reference": "TR2",
        "label": "TR2_a",
        "unjudged": "non-relevant",
    }
    assert parameters["metric"] == "ordinal"
    assert "code" not in parameters


def test_every_job_has_a_log_and_a_benchmark(house, built):
    shown = house.snakemake(built, "--dry-run", "--forceall").well()
    paths = shown.field("log")
    assert len(set(paths)) == len(paths) == sum(shown.jobs.values()) - 1
    for path in paths:
        assert (built / path).is_file(), path
        taken = path.replace("/logs/", "/benchmarks/").replace(".log", ".tsv")
        head, values = (built / taken).read_text(encoding="utf-8").splitlines()
        assert head.split() == ["s", "max_rss", "cpu_time"]
        seconds, peak, busy = map(float, values.split())
        assert 0 <= seconds < 600 and 10 < peak < 8000 and 0 <= busy < 1200
    log = (built / RESULTS / "logs" / "collect_runs.log").read_text(encoding="utf-8")
    assert "reading 6 runs" in log


def test_jobs_compile_nothing_that_is_not_compiled_in_advance(house, built):
    """What the jobs of all stages had to compile stands in kernels.txt, so that `make` does it."""
    assert house.compiled() - set(recorded()) == set()


def test_nothing_is_written_outside_of_results(house, built):
    given = {"config.yaml", *FILES}
    assert {path.name for path in built.iterdir()} == {*given, "results", ".snakemake"}
    assert {path.name for path in (built / "results").iterdir()} == {"tiny"}


def test_nothing_is_written_into_the_clone(house, house_before, built):
    assert house.contents() == house_before


# --- what is made again --------------------------------------------------------------------------


def test_a_second_run_has_nothing_to_do(house, built):
    before = made(built)
    assert house.snakemake(built).well().jobs == {}
    assert made(built) == before


def changed(collection: dict, path: str, value) -> dict:
    """A collection with another value at a path of keys and positions."""
    collection = copy.deepcopy(collection)
    *parents, last = path.split("/")
    node = collection
    for part in parents:
        node = node[int(part) if isinstance(node, list) else part]
    node[last] = value
    return collection


CHANGES = {
    "a measure": ("measures", ["AP", "nDCG@10", "P@5"]),  # the audit says which grades count
    "a measure of gains": ("measures", ["AP", "nDCG@10", "nDCG@5"]),
    "the metric of one transformation": ("transformations/2/metric", "nominal"),
    "the measure of one transformation": ("transformations/1/measure", "nDCG"),
    "a knob of one simulated set": ("judgments/S2/simulate/workers", 80),
    "a knob of the simulated experts": ("qrels/So4/simulate/thresholds", [0.3, 0.6, 0.8]),
    "how topics are split": ("compare/splits", 21),
    "how often magnitudes are drawn": ("magnitudes/0/samples", 12),
    "how a set is normalised": ("judgments/MEz/normalise", "rank"),
    "the title": ("title", "Small"),
    "the panels of a figure": ("studies/han2019/figure-3/panels", ["tw1", "h1_ta"]),
    "the bands": ("ties/rho", ["1.5", "2", "4", "6"]),
    "the baseline pool": ("pools/baseline", 3),
    "the pool that runs are left out of": ("leave_one_out/0/pooling", "Depth@3"),
    "the bands that a figure shows": ("studies/yang2019/figure-3.6/rho", ["2"]),
}


@contextmanager
def asked_again(house: House, directory: Path, collection: dict) -> Iterator[Callable]:
    """The jobs that another value at a path makes again; the configuration is put back."""
    before = (directory / "config.yaml").read_bytes()

    def ask(path, value):
        configured(directory, "tiny", changed(collection, path, value))
        return planned(house, directory)

    yield ask
    (directory / "config.yaml").write_bytes(before)


@pytest.fixture
def again(house, built):
    with asked_again(house, built, FEW) as ask:
        yield ask


@pytest.mark.slow
def test_a_changed_parameter_makes_again_what_depends_on_it(house, whole):
    with asked_again(house, whole[0], TINY) as ask:
        assert_said("jobs-again", lambda name: listed(ask(*CHANGES[name])), ((n,) for n in CHANGES))


def test_how_many_judge_a_document_makes_no_experts_again(again):
    jobs = again("simulation/workers_per_document", 3)
    assert jobs["simulate_judgments"] == 4
    assert "simulate_experts" not in jobs


def test_another_seed_makes_everything_again_but_what_holds_no_data(again, planned_at_once):
    everything = planned_at_once.ancestors("all")
    jobs = again("simulation/seed", 4)
    assert jobs.items() <= everything.items()
    left = everything.keys() - jobs.keys()
    assert {*WITHOUT_DATA} <= left
    items = {
        (study, i.name)
        for study in ("yang2019", "lioma2017", "chu2021")
        for i in STUDIES[study].items
    }
    items |= {*of_kind("figure", TINY)} - {*FIGURES}
    left -= {f"{study}_{re.sub('[-.]', '_', item)}" for study, item in items}
    assert left == {*WITHOUT_DATA}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "at_least", "never"),
    [
        (
            "src/regrade/cutsearch/kernels.py",
            {"search_cuts": 4},
            {"simulate_collection", "collect_runs", "collect_qrels", "score_qrels", "audit"},
        ),
        (
            "src/regrade/readers/runs.py",
            {"collect_runs": 1, "audit": 1},
            {"simulate_collection", "collect_qrels", "tie_bounds"},
        ),
        ("src/regrade/show/report.py", {"report": 1}, None),
        (
            "src/regrade/pools/scores.py",
            {"pool_scores": 1, "score_movements": 1, "compare_pairs": 1, "fit_ancova": 1},
            {"tie_rates", "pool_sizes", "leave_one_out", "rbp_curves", "search_cuts"},
        ),
        (
            "src/regrade/studies/han2019/tables.py",
            {"han2019_table_2": 1, "report": 1},
            {"search_cuts", "han2019_figure_1"},
        ),
        ("workflow/report/han2019/figure-3.rst", {"report": 1}, None),
    ],
)
def test_edited_code_makes_again_what_used_it(house, built, path, at_least, never):
    with house.edited(path):
        again = planned(house, built)
    assert at_least.items() <= again.items()
    assert again == at_least if never is None else not never & again.keys()


# --- the shape of the graph ----------------------------------------------------------------------

TARGETS = [
    *("all", "han2019", "yang2019"),
    *(f"{RESULTS}/figures/yang2019/figure-4.{name}" for name in ("5.svg", "7.png")),
    f"{RESULTS}/figures/turpin2015/figure-7.svg",  # runs only to simulate over
    f"{RESULTS}/tables/yang2019/table-3.3.md",
    f"{RESULTS}/pools/qrels/depth-7.parquet",
    f"{RESULTS}/ancova/mixed_tests.parquet",
    f"{RESULTS}/tables/han2019/table-3.md",
    *(f"{RESULTS}/figures/han2019/figure-{name}" for name in ("1.svg", "6.png", "tau-topics.svg")),
    f"{RESULTS}/cuts/S4-to-2/h2@TR2_a/alpha.parquet",
    f"{RESULTS}/scores/TR2.parquet",
    f"{RESULTS}/tables/runs.parquet",
]


def listed(jobs: dict[str, int]) -> list[str]:
    """Jobs by rule, those of several items with their number, as lines of text."""
    named = [rule if count == 1 else f"{rule} ({count})" for rule, count in sorted(jobs.items())]
    return textwrap.wrap(", ".join(named), 95)


@pytest.fixture(scope="module")
def plan(tmp_path_factory) -> Path:
    """A directory where nothing is."""
    return configured(tmp_path_factory.mktemp("plan"), "tiny", TINY)


@pytest.fixture(scope="module")
def planned_at_once(house, plan) -> Ran:
    """The jobs of all targets there."""
    return house.snakemake(plan, "--dry-run", *TARGETS).well()


def test_a_target_has_just_its_ancestors(planned_at_once):
    def say(target):
        return listed(planned_at_once.ancestors(target))

    assert_said("jobs-of-targets", say, ((target,) for target in TARGETS))


@pytest.mark.slow
def test_what_is_asked_for_alone_makes_the_same_jobs(house, planned_at_once, tmp_path):
    configured(tmp_path, "tiny", TINY)
    for target in ("han2019", f"{RESULTS}/figures/yang2019/figure-4.7.png"):
        assert planned(house, tmp_path, target) == planned_at_once.ancestors(target)


def test_a_dry_run_writes_no_result(plan, planned_at_once):
    assert planned_at_once.jobs
    assert not (plan / "results").exists()


@pytest.mark.parametrize(
    "target",
    [
        f"{RESULTS}/figures/han2019/figure-2.svg",
        f"{RESULTS}/figures/yang2019/figure-3.5.svg",
        f"{RESULTS}/leave-one-out/groups/left_out.parquet",
        f"{RESULTS}/scores/S4.parquet",
        "trec8",
    ],
)
def test_what_nothing_makes_is_refused(house, built, target):
    ran = house.snakemake(built, "--dry-run", target)
    assert ran.status == 1
    assert "Traceback" not in ran.printed


@pytest.mark.slow
def test_rules_are_listed_and_lint_finds_nothing(house, tmp_path):
    configured(tmp_path, "tiny", TINY)
    rules = house.snakemake(tmp_path, "--list-rules").well().printed.split()
    named = {"all", "han2019", "yang2019", "reduce_qrels", "mixed_models", "search_cuts"}
    assert named <= set(rules)
    linted = house.snakemake(tmp_path, "--lint").well().printed
    assert "Congratulations" in linted


# --- killed half-way -----------------------------------------------------------------------------

# found by Python where it starts: the first job that searches writes half of its table, then the
# job, and Snakemake with it, are killed as by the system
HALF_WAY = """
import os, signal, sys

if any(part.endswith(("search_cuts.py", "regrade.workflow.forkserver")) for part in sys.orig_argv):
    import pyarrow.parquet

    close = pyarrow.parquet.ParquetWriter.close

    def half(self):
        close(self)
        if sys.argv[0].endswith("search_cuts.py"):
            os.truncate(self.where.name, os.path.getsize(self.where.name) // 2)
            os.killpg(0, signal.SIGKILL)

    pyarrow.parquet.ParquetWriter.close = half
"""


@pytest.mark.slow
def test_killed_half_way_and_gone_on_with_one_core_the_bytes_are_the_same(house, built, tmp_path):
    (tmp_path / "killer").mkdir()
    (tmp_path / "killer" / "sitecustomize.py").write_text(HALF_WAY, encoding="utf-8")
    directory = configured(tmp_path / "run", "tiny", FEW)
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
    # of two studies their stages, a table and a figure: the same two scripts draw the others
    stages = [f"results/{name}" for name in whole if name.split("/")[1] in STAGES | OF_CUTS]
    shown = ["tables/yang2019/table-4.5.csv", "figures/yang2019/figure-4.5.svg"]
    shown += ["tables/han2019/table-2.csv", "figures/han2019/figure-3.svg"]
    targets = [*stages, *(f"{RESULTS}/{path}" for path in shown)]
    again = house.snakemake(directory, "--cores", "1", "score", *targets).well()
    assert again.jobs.get("collect_runs", 0) == 0, "what was whole is not made again"
    assert "search_cuts" in again.jobs
    after = made(directory)
    assert len(stages) > 100
    assert {f"results/{name}" for name in after} >= set(targets)
    whole = {name: whole[name] for name in after}
    assert [name for name in whole if after[name] != whole[name]] == []


@pytest.mark.slow
def test_a_job_that_dies_leaves_no_output_and_the_run_fails(house, built, tmp_path):
    """The kernel kills a job alone, for memory say: Snakemake goes on to say so."""
    (tmp_path / "killer").mkdir()
    text = HALF_WAY.replace("os.killpg(0, ", "os.kill(os.getpid(), ")
    (tmp_path / "killer" / "sitecustomize.py").write_text(text, encoding="utf-8")
    directory = configured(tmp_path / "run", "tiny", FEW)
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


def test_all_that_is_listed_can_be_asked_for(house, built):
    """`regrade targets` knows of no target that the rules do not make, and of all they make."""
    config = complete(read_configuration(built / "config.yaml"))
    targets = [target.name for target in targets_of(read_collection("tiny", config))]
    assert len(set(targets)) == len(targets)
    house.snakemake(built, *targets, "--dry-run").well()
    summary = house.snakemake(built, "--summary").well().printed
    found = {line.split("\t")[0] for line in summary.splitlines() if line.startswith(RESULTS)}
    # what serves other jobs, the parts of a search, and what goes with something listed
    aside = ("audit", "codes", "simulated", "figures/answers", "pair-tasks")
    parts = ("best_cuts.parquet", "tied_cuts.parquet", "top_cuts.parquet", "explorer.json")
    left = {
        path
        for path in found - set(targets)
        if not path.startswith(tuple(f"{RESULTS}/{part}" for part in aside))
        and not path.endswith(parts)
        and "/references/" not in path
        and "/parts/" not in path
    }
    assert found
    assert left == set()

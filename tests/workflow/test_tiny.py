"""A tiny collection from nothing to its report: what is made, and what a change makes again."""

import copy
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

import pandas as pd
import pytest

from regrade.kernels import recorded
from regrade.studies.registry import STUDIES
from regrade.tables import read_provenance, read_table
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete, read_configuration
from regrade.workflow.targets import targets_of
from tests.workflow.conftest import FILES, TINY, Ran, configured, made, planned

pytestmark = pytest.mark.workflow

RESULTS = "results/tiny"
ITEMS = [(study, item) for study, items in TINY["studies"].items() for item in items]
FIGURES = [(study, item) for study, item in ITEMS if item.startswith("figure")]
TABLES = [(study, item) for study, item in ITEMS if item.startswith("table")]
ANSWERED = (*("cut-S4-to-2", "cut-S11-to-2", "cut-S11-to-3", "cut-MEd-to-2"),
            *("compare-So4-and-S4", "compare-TR2-and-So4"),
            *("sweep-choices", "label-sweep-ways", "ranking-TR2"),
            *("ties", "unjudged", "leave-one-out-runs", "pool", "judges-So4"),
            *("workers-S11", "workers-S4", "workers-S2", "workers-ME"),
            *("calibration-So4", "pairs-answers", "pdp-S2", "magnitudes-ME"),
            "estimate-So4")  # fmt: skip

# what the whole consists of, counted by hand from TINY
FIRST = {
    "simulate_collection": 1,
    "simulate_experts": 1,  # So4
    "simulate_judgments": 4,  # S11, S4, S2, ME
    "derive_judgments": 1,  # MEz
    "derive_qrels": 1,  # MEd
    "collect_runs": 1,
    "collect_qrels": 1,  # TR2
    "code_qrels": 4,
    "audit": 1,
    "score_qrels": 4,
    "search_cuts": 4,  # all methods of a transformation
    "rank_cuts": 4,  # all experts of a transformation
    "explore_cuts": 4,
    "recommend_cut": 4,
    "draw_answers": 1,
    "hold_out_cuts": 1,
    "transfer_cuts": 2,
    "aggregate_cuts": 2,
    "fewer_judges": 2,
    "bootstrap_cuts": 1,
    "cut_unlabelled": 1,
    "compare_cuts": 1,
    "expert_cuts": 1,
    "overlaps": 1,
    "describe_cuts": 2,
    "pool_cuts": 1,
    "han2019_table_1": 1,
    "han2019_table_2": 1,
    "han2019_table_3": 1,
    "han2019_table_4": 1,
    "han2019_table_topics": 1,
    "han2019_table_internal": 1,
    "han2019_table_ends": 1,
    "han2019_table_references": 1,
    "han2019_table_widths": 1,
    "han2019_table_pooled": 1,
    "han2019_figure_10": 1,
    "han2019_figure_groups": 1,
    "han2019_figure_experts": 1,
    "han2019_figure_1": 1,
    "han2019_figure_3": 1,
    "han2019_figure_5": 1,
    "han2019_figure_6": 1,
    "han2019_figure_tau": 1,
    "han2019_figure_tau_topics": 1,
    "weigh_cuts": 1,
    "han2019_table_criteria": 1,
    "han2019_figure_criteria": 1,
    "han2019_figure_pareto": 1,
    "count_levels": 1,
    "han2019_table_levels": 1,
    "han2019_figure_levels": 1,
    "han2019_table_judges": 1,
    "han2019_table_transfer": 1,
    "han2019_table_aggregated": 1,
    "han2019_table_fewer": 1,
    "han2019_figure_judges": 1,
    "han2019_figure_transfer": 1,
    "han2019_figure_fewer": 1,
    "han2019_table_trust": 1,
    "han2019_table_sure": 1,
    "han2019_figure_sure": 1,
    "han2019_table_held_out": 1,
    "han2019_figure_plateau": 1,
    "han2019_figure_chosen": 1,
    "han2019_figure_held_out": 1,
    "han2019_table_unlabelled": 1,
    "han2019_figure_unlabelled": 1,
    "han2019_figure_budget": 1,
    "report": 1,
}


def drawn(*items: str, study: str = "yang2019") -> dict[str, int]:
    """The jobs of some tables and figures of a study."""
    return {f"{study}_{re.sub('[-.]', '_', item)}": 1 for item in items}


SECOND = {
    "tie_rates": 1,
    "tie_bounds": 1,
    "tie_ranges": 1,
    "banded_scores": 1,
    "deep_systems": 1,
    "pool_sizes": 1,
    "pool_scores": 1,
    "score_movements": 1,
    "leave_one_out": 1,
    "rbp_curves": 1,
    "nearest_phi": 1,
    "exact_ranges": 1,
    "compare_pairs": 1,
    "ancova": 1,
    **drawn(*TINY["studies"]["yang2019"]),
}
THIRD = {
    "normalise_magnitudes": 2,
    "compare_magnitudes": 1,
    "rank_magnitudes": 1,
    **drawn(*TINY["studies"]["turpin2015"], study="turpin2015"),
}
LIOMA2017 = STUDIES["lioma2017"].items
OF_CRITERIA = {
    "rank_criteria": 1,
    **drawn(
        *(item.name for item in LIOMA2017 if item.shows[0].startswith("criteria")),
        study="lioma2017",
    ),
}
OF_LISTS = {
    "score_rated_lists": 1,
    **drawn(
        *(item.name for item in LIOMA2017 if item.shows[0].startswith("rated")), study="lioma2017"
    ),
}
"""What rests on a file of lists alone."""


def of_power(*tables: str) -> dict[str, int]:
    """The jobs of the items of chu2021 that show one of these tables."""
    items = STUDIES["chu2021"].items
    shown = {item.name: {path.rpartition("/")[2] for path in item.shows} for item in items}
    return drawn(*(name for name in shown if shown[name] & set(tables)), study="chu2021")


MEASURED = ("grades", "served", "topics", "sets", "intervals", "extended", "discrimination")
MEASURED += ("differences",)
CUT = ("levels", "level_systems", "cuts")
OF_CUTS_BY_POWER = {"cut_by_power": 1, **of_power(*CUT)}
OF_POWER = {"measure_power": 1, **of_power(*MEASURED, "orders"), **OF_CUTS_BY_POWER}
OF_PAGES = {"prefer_pages": 1, **of_power("agreement")}
SYNTHETIC = ("qualities", "consistency", "reliability", "needed", "example")
OF_NOTHING = {"synthetic_power": 1, **of_power(*SYNTHETIC)}
"""Synthetic judgments, of no collection."""
OF_COMPARED = {
    "compare_sets": 2,
    **drawn(
        *(name for name, asked in TINY["studies"]["compare"].items() if "pair" in asked),
        study="compare",
    ),
}
OF_JUDGES = {
    "judge_judges": 1,
    "calibrate": 1,
    **drawn(
        *(name for name, asked in TINY["studies"]["compare"].items() if "judges" in asked),
        study="compare",
    ),
}
OF_SIGNIFICANCE = {
    "significant_pairs": 1,
    **drawn("table-significance", "figure-significance", study="compare"),
}
OF_PAIRS = {
    "design_pairs": 1,
    "simulate_answers": 1,
    "score_pairs": 1,
    "label_by_scores": 1,
    "compare_pair_labels": 1,
    "rank_by_pairs": 1,
    "describe_workers": 1,
    "draw_partitions": 1,
    "judge_transitivity": 1,
    "draw_pairs": 1,
    "replay_pairs": 1,
    "pair_worlds": 1,
}
OF_SWEEPS = {
    "sweep_levels": 1,
    "sweep_part_choices": 1,
    "join_sweep_choices": 1,
    "explore_sweep_choices": 1,
    "label_sweep": 1,
    **drawn(*TINY["studies"]["sweeps"], study="sweeps"),
}
OF_RANKING = {"rank_runs": 1, **drawn(*TINY["studies"]["ranking"], study="ranking")}
OF_ESTIMATES = {"estimate_full": 1}
OF_CROWDS = {"check_workers": 4}  # S11, S4, S2, ME
EVERYTHING = (
    OF_RANKING
    | OF_ESTIMATES
    | OF_CROWDS
    | OF_SWEEPS
    | FIRST
    | SECOND
    | THIRD
    | OF_CRITERIA
    | OF_LISTS
    | OF_PAIRS
    | OF_COMPARED
    | OF_JUDGES
) | (OF_POWER | OF_PAGES | OF_NOTHING | OF_SIGNIFICANCE)
OF_MAGNITUDES = {
    "compare_magnitudes": 1,
    "rank_magnitudes": 1,
    **drawn("table-3", "table-gains", "table-discordant", study="turpin2015"),
    **drawn("figure-1", "figure-4", "figure-per-document", study="turpin2015"),
}
"""What comes of the normalised magnitudes ME."""
STAGES = {"ties", "pools", "leave-one-out", "residuals", "ranges", "discrimination", "ancova"}
"""The folders of what the stages of yang2019 make."""
OF_CUTS = {"cuts", "rankings", "cut-comparisons", "expert-cuts", "overlaps"}
"""Those of han2019."""


# --- what is made --------------------------------------------------------------------------------


def test_every_figure_and_table_is_made(built):
    for study, item in FIGURES:
        folder = built / RESULTS / "figures" / study
        root = ElementTree.parse(folder / f"{item}.svg").getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        png = (folder / f"{item}.png").read_bytes()
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        assert png.endswith(b"IEND\xaeB`\x82")
    for study, item in TABLES:
        folder = built / RESULTS / "tables" / study
        assert len(pd.read_csv(folder / f"{item}.csv")) > 1
        assert "|" in (folder / f"{item}.md").read_text(encoding="utf-8")
    for path in ("tables/han2019/table-4.csv", "tables/yang2019/table-4.7.csv"):
        assert {"published", "ours"} <= set(pd.read_csv(built / RESULTS / path).columns)


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
    for section in ["audit", *(f"{study}-{item}" for study, item in ITEMS)]:
        assert f'<section id="{section}">' in page
    assert page.count('<script type="application/octet-stream">') == len(FIGURES)
    assert page.count('<template shadowrootmode="open">') == len(ANSWERED)
    assert page.count("<table>") >= len(TABLES) + 1
    assert "Simulated, not real: runs, TR2, So4, Pairs, MEd, S11, S4, S2, ME, MEz, answers." in page
    assert "<h1>Tiny</h1>" in page
    scripts = re.findall(r"<script([^>]*)>", page)
    kinds = {"", ' type="application/json"', ' type="application/octet-stream"'}
    assert scripts and set(scripts) <= kinds  # none from elsewhere
    # what scripts and figures hold is no address of the page's
    page = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    page = re.sub(r"<template.*?</template>", "", page, flags=re.DOTALL)
    addresses = re.findall(r"""(?:src|href|action|data)=["']?([^"'\s>]+)|url\(([^)]*)\)""", page)
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
    jobs = sum(EVERYTHING.values())
    paths = shown.field("log")
    assert len(set(paths)) == len(paths) == jobs
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
    """TINY with another value at a path of keys and positions."""
    collection = copy.deepcopy(TINY)
    *parents, last = path.split("/")
    node = collection
    for part in parents:
        node = node[int(part) if isinstance(node, list) else part]
    node[last] = value
    return collection


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "value", "again"),
    [
        pytest.param(
            "measures",
            ["AP", "nDCG@10", "P@5"],
            # the audit says which grades measures count
            {"score_qrels": 4, "audit": 1, "report": 1} | OF_SIGNIFICANCE,
            id="a measure",
        ),
        pytest.param(
            "measures",
            ["AP", "nDCG@10", "nDCG@5"],
            {"score_qrels": 4, "report": 1} | OF_SIGNIFICANCE,
            id="a measure of gains",
        ),
        pytest.param(
            "transformations/2/metric",
            "nominal",
            {
                "search_cuts": 1,
                "rank_cuts": 1,
                "explore_cuts": 1,
                "recommend_cut": 1,
                "draw_answers": 1,
                "describe_cuts": 1,
                "han2019_table_internal": 1,
                "han2019_table_widths": 1,
                "han2019_figure_10": 1,
                "han2019_figure_groups": 1,
                "han2019_table_2": 1,
                "han2019_figure_6": 1,
                "han2019_figure_tau": 1,
                "han2019_figure_tau_topics": 1,
                "han2019_table_4": 1,
                **OF_CUTS_BY_POWER,  # beside the cuts that agree best
                "report": 1,
            },
            id="the metric of one transformation",
        ),
        pytest.param(
            "transformations/1/measure",
            "nDCG",
            {
                "rank_cuts": 1,
                "bootstrap_cuts": 1,
                "cut_unlabelled": 1,
                "hold_out_cuts": 1,
                "transfer_cuts": 1,
                "aggregate_cuts": 1,
                "fewer_judges": 1,
                **drawn("table-judges", "table-transfer", "table-aggregated", study="han2019"),
                **drawn("table-fewer", "figure-judges", study="han2019"),
                **drawn("figure-transfer", "figure-fewer", study="han2019"),
                **drawn("figure-budget", "figure-chosen", "figure-held-out", study="han2019"),
                **drawn("figure-plateau", "figure-unlabelled", study="han2019"),
                **drawn("table-held-out", "table-trust", "table-unlabelled", study="han2019"),
                **drawn("table-sure", "figure-sure", study="han2019"),
                "explore_cuts": 1,
                "recommend_cut": 1,
                "draw_answers": 1,
                "han2019_table_ends": 1,  # with the best cuts of τ too
                "han2019_table_pooled": 1,  # is told of the transformation
                "han2019_table_2": 1,
                "han2019_figure_3": 1,
                "han2019_figure_5": 1,
                "han2019_figure_tau": 1,
                "weigh_cuts": 1,
                "count_levels": 1,
                **drawn("table-criteria", "figure-criteria", "figure-pareto", study="han2019"),
                **drawn("table-levels", "figure-levels", study="han2019"),
                "han2019_table_4": 1,
                "report": 1,
            },
            id="the measure of one transformation",
        ),
        pytest.param(
            "judgments/S2/simulate/workers",
            80,
            {
                "simulate_judgments": 1,
                "check_workers": 1,
                "audit": 1,
                "search_cuts": 1,  # with S2 as reference
                "rank_cuts": 1,
                "transfer_cuts": 1,
                "aggregate_cuts": 1,
                "fewer_judges": 1,
                "explore_cuts": 1,
                "recommend_cut": 1,
                "draw_answers": 1,
                "describe_cuts": 1,
                "overlaps": 1,
                "han2019_table_1": 1,
                "han2019_table_references": 1,
                "han2019_figure_experts": 1,
                "han2019_table_2": 1,
                "han2019_figure_1": 1,
                "han2019_figure_tau": 1,
                "han2019_table_4": 1,
                "report": 1,
            },
            id="a knob of one simulated set",
        ),
        pytest.param(
            "qrels/So4/simulate/thresholds",
            [0.3, 0.6, 0.8],
            {
                "simulate_experts": 1,
                "audit": 1,
                "score_qrels": 1,
                "rank_cuts": 1,  # the only one with So4 as an expert
                "transfer_cuts": 1,
                "aggregate_cuts": 1,
                "fewer_judges": 1,
                "explore_cuts": 1,
                "recommend_cut": 1,
                "draw_answers": 1,
                "code_qrels": 1,
                "han2019_table_2": 1,
                "expert_cuts": 1,
                "describe_cuts": 1,
                "overlaps": 1,
                "han2019_table_1": 1,
                "han2019_table_topics": 1,
                "han2019_table_references": 1,
                "han2019_figure_experts": 1,
                "han2019_figure_1": 1,
                "han2019_figure_tau": 1,
                "han2019_table_3": 1,
                "han2019_table_4": 1,
                # the first reference tells which of the known documents is the high one
                "normalise_magnitudes": 1,
                **OF_MAGNITUDES,
                **drawn("table-1", study="turpin2015"),
                **OF_CRITERIA,  # So4 is the second criterion
                **OF_POWER,  # its order stands for preferences
                **OF_COMPARED,
                **OF_JUDGES,
                **OF_SWEEPS,
                **OF_RANKING,  # So4 is a judge
                **OF_ESTIMATES,  # and a model
                "report": 1,
            },
            id="a knob of the simulated experts",
        ),
        pytest.param(
            "compare/splits",
            21,
            OF_COMPARED | {"draw_answers": 1, "report": 1},
            id="how topics are split",
        ),
        pytest.param(
            "magnitudes/0/samples",
            12,
            {
                "rank_magnitudes": 1,
                "draw_answers": 1,
                **drawn("table-3", "figure-4", "figure-per-document", study="turpin2015"),
                "report": 1,
            },
            id="how often magnitudes are drawn",
        ),
        pytest.param(
            "judgments/MEz/normalise",
            "rank",
            {
                "derive_judgments": 1,
                "audit": 1,
                "normalise_magnitudes": 1,
                **drawn("figure-7", study="turpin2015"),
                "report": 1,
            },
            id="how a set is normalised",
        ),
        pytest.param("title", "Small", {"report": 1}, id="the title"),
        pytest.param(
            "studies/han2019/figure-3/panels",
            ["tw1", "h1_ta"],
            {"han2019_figure_3": 1, "report": 1},
            id="the panels of a figure",
        ),
        pytest.param(
            "ties/rho",
            ["1.5", "2", "4", "6"],
            {
                "tie_bounds": 1,
                "banded_scores": 1,
                **drawn("table-3.3", "table-3.4", "figure-3.6", "figure-3.7"),
                **drawn("figure-3.8", "figure-3.9", "figure-3.10", "figure-3.11"),
                "report": 1,
            },
            id="the bands",
        ),
        pytest.param(
            "pools/baseline",
            3,
            {
                "deep_systems": 1,  # those that reach as deep as the baseline
                "pool_sizes": 1,
                "pool_scores": 1,
                "nearest_phi": 1,
                **drawn("table-4.1", "table-4.2", "table-4.3", "table-4.4"),
                **drawn("figure-4.3", "figure-4.5"),
                "score_movements": 1,
                "compare_pairs": 1,
                "ancova": 1,  # the model at one depth is of the baseline
                **drawn("table-4.9", "table-ancova", "figure-ancova"),
                **drawn("table-4.5", "table-4.6", "table-4.7", "table-4.8"),
                **drawn("figure-4.6", "figure-4.7", "figure-4.8", "figure-power"),
                "draw_answers": 1,
                "report": 1,
            },
            id="the baseline pool",
        ),
        pytest.param(
            "leave_one_out/0/pooling",
            "Depth@3",
            {
                "leave_one_out": 1,
                **drawn("table-leave-one-out", "figure-leave-one-out"),
                "draw_answers": 1,
                "report": 1,
            },
            id="the pool that runs are left out of",
        ),
        pytest.param(
            "studies/yang2019/figure-3.6/rho",
            ["2"],
            {**drawn("figure-3.6"), "report": 1},
            id="the bands that a figure shows",
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


def test_how_many_judge_a_document_makes_no_experts_again(house, built):
    before = (built / "config.yaml").read_bytes()
    try:
        configured(built, "tiny", changed("simulation/workers_per_document", 3))
        again = planned(house, built)
        assert again["simulate_judgments"] == 4
        assert "simulate_experts" not in again
    finally:
        (built / "config.yaml").write_bytes(before)


def test_another_seed_makes_everything_again_but_what_holds_no_data(house, built):
    before = (built / "config.yaml").read_bytes()
    try:
        configured(built, "tiny", changed("simulation/seed", 4))
        without_data = {"tie_bounds", *drawn("table-3.3"), *OF_LISTS, *OF_NOTHING}
        without_data |= {"pair_worlds", *drawn("table-stopping", "figure-stopping")}
        again = {k: v for k, v in EVERYTHING.items() if k not in without_data}
        assert planned(house, built) == again
    finally:
        (built / "config.yaml").write_bytes(before)


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
        ("src/regrade/show/report.py", {"report": 1}, set(EVERYTHING) - {"report"}),
        (
            "src/regrade/pools/scores.py",
            {"pool_scores": 1, "score_movements": 1, "compare_pairs": 1, "ancova": 1},
            {"tie_rates", "pool_sizes", "leave_one_out", "rbp_curves", "search_cuts"},
        ),
        (
            "src/regrade/studies/han2019/tables.py",
            {"han2019_table_2": 1, "report": 1},
            {"search_cuts", "han2019_figure_1"},
        ),
        ("workflow/report/han2019/figure-3.rst", {"report": 1}, set(EVERYTHING) - {"report"}),
    ],
)
def test_edited_code_makes_again_what_used_it(house, built, path, at_least, never):
    with house.edited(path):
        again = planned(house, built)
    assert at_least.items() <= again.items()
    assert not never & again.keys()


# --- the shape of the graph ----------------------------------------------------------------------

SIMULATED_RUNS = {"simulate_collection": 1, "collect_runs": 1}
SIMULATED = {**SIMULATED_RUNS, "collect_qrels": 1}
CODED = {**SIMULATED, "code_qrels": 1}
NOT_OF_THE_STUDY = (
    *("audit", "score_qrels", "code_qrels", "report"),
    *("derive_judgments", "compare_cuts"),
)
# no item shows those of S4-to-2
SHOWN_OF_ONE = dict.fromkeys(("transfer_cuts", "aggregate_cuts", "fewer_judges"), 1)


ANSWERS = ("explore_cuts", "recommend_cut", "draw_answer")
"""What the report begins with."""

TARGETS = [
    ("all", EVERYTHING),
    (
        "han2019",
        {
            job: count
            for job, count in FIRST.items()
            if job not in NOT_OF_THE_STUDY and not job.startswith(ANSWERS)
        }
        | SHOWN_OF_ONE,
    ),
    (
        "yang2019",
        {**CODED, **SECOND, "simulate_judgments": 1}  # S4, the pool of pairs
        | {job: count for job, count in OF_PAIRS.items() if job != "label_by_scores"},
    ),
    (
        f"{RESULTS}/figures/yang2019/figure-4.5.svg",
        {**CODED, "deep_systems": 1, "pool_sizes": 1, **drawn("figure-4.5")},
    ),
    (
        f"{RESULTS}/figures/yang2019/figure-4.7.png",
        {
            **CODED,
            "deep_systems": 1,
            "pool_sizes": 1,  # for the answer about depths
            "pool_scores": 1,
            "compare_pairs": 1,
            **drawn("figure-4.7"),
        },
    ),
    (
        f"{RESULTS}/figures/turpin2015/figure-7.svg",  # runs only to simulate over
        {
            **SIMULATED,
            "simulate_judgments": 1,
            "derive_judgments": 1,
            "normalise_magnitudes": 1,
            **drawn("figure-7", study="turpin2015"),
        },
    ),
    (
        f"{RESULTS}/tables/yang2019/table-3.3.md",
        {"tie_bounds": 1, **drawn("table-3.3")},
    ),
    (
        f"{RESULTS}/pools/qrels/depth-7.parquet",
        {**CODED, "deep_systems": 1, "reduce_qrels": 1},
    ),
    (
        f"{RESULTS}/ancova/mixed_tests.parquet",
        {**CODED, "deep_systems": 1, "pool_sizes": 1, "pool_scores": 1, "mixed_models": 1},
    ),
    (
        f"{RESULTS}/tables/han2019/table-3.md",
        {
            **SIMULATED,
            "simulate_experts": 1,
            "simulate_judgments": 1,  # S4, the pool
            "expert_cuts": 1,
            "han2019_table_3": 1,
        },
    ),
    (
        f"{RESULTS}/figures/han2019/figure-1.svg",
        {
            **SIMULATED,
            "simulate_experts": 1,
            "simulate_judgments": 2,  # S4 and its reference S2
            "search_cuts": 1,
            "rank_cuts": 1,
            "han2019_figure_1": 1,
        },
    ),
    (
        f"{RESULTS}/figures/han2019/figure-6.png",
        {
            **SIMULATED,
            "simulate_judgments": 1,
            "search_cuts": 1,
            "rank_cuts": 1,
            "han2019_figure_6": 1,
        },
    ),
    (
        f"{RESULTS}/figures/han2019/figure-tau-topics.svg",
        {
            **SIMULATED,
            "simulate_judgments": 1,
            "search_cuts": 1,
            "rank_cuts": 1,
            "han2019_figure_tau_topics": 1,
        },
    ),
    (
        f"{RESULTS}/cuts/S4-to-2/h2@TR2_a/alpha.parquet",
        {**SIMULATED, "simulate_judgments": 2, "search_cuts": 1},  # S4 and S2
    ),
    (f"{RESULTS}/scores/TR2.parquet", {**CODED, "score_qrels": 1}),
    (f"{RESULTS}/tables/runs.parquet", SIMULATED_RUNS),
]


@pytest.fixture(scope="module")
def planned_at_once(house, tmp_path_factory) -> Ran:
    """The jobs of all targets where nothing is."""
    directory = configured(tmp_path_factory.mktemp("plan"), "tiny", TINY)
    return house.snakemake(directory, "--dry-run", *(target for target, _ in TARGETS)).well()


@pytest.mark.parametrize(("target", "jobs"), TARGETS)
def test_a_target_has_just_its_ancestors(planned_at_once, target, jobs):
    assert planned_at_once.ancestors(target) == jobs


def test_what_is_asked_for_alone_makes_the_same_jobs(house, planned_at_once, tmp_path):
    configured(tmp_path, "tiny", TINY)
    for target in ("han2019", f"{RESULTS}/figures/yang2019/figure-4.7.png"):
        assert planned(house, tmp_path, target) == planned_at_once.ancestors(target)


def test_a_dry_run_writes_no_result(house, tmp_path):
    configured(tmp_path, "tiny", TINY)
    assert planned(house, tmp_path)
    assert not (tmp_path / "results").exists()


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


def test_rules_are_listed_and_lint_finds_nothing(house, tmp_path):
    configured(tmp_path, "tiny", TINY)
    listed = house.snakemake(tmp_path, "--list-rules").well().printed.split()
    named = {"all", "han2019", "yang2019", "reduce_qrels", "mixed_models"}
    assert {*EVERYTHING, *named} <= set(listed)
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
            os.truncate(self.where, os.path.getsize(self.where) // 2)
            os.killpg(0, signal.SIGKILL)

    pyarrow.parquet.ParquetWriter.close = half
"""


@pytest.mark.slow
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
    # of two studies their stages, a table and a figure: the same two scripts draw the others
    stages = [f"results/{name}" for name in whole if name.split("/")[1] in STAGES | OF_CUTS]
    shown = ["tables/yang2019/table-4.5.csv", "figures/yang2019/figure-3.4.svg"]
    shown += ["tables/han2019/table-2.csv", "figures/han2019/figure-3.svg"]
    targets = [*stages, *(f"{RESULTS}/{path}" for path in shown)]
    again = house.snakemake(directory, "--cores", "1", "score", *targets).well()
    assert again.jobs.get("collect_runs", 0) == 0, "what was whole is not made again"
    searches = {rule for rule in EVERYTHING if rule.startswith("search_cuts")}
    assert searches <= again.jobs.keys()
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


def test_all_that_is_listed_can_be_asked_for(house, built):
    """`regrade targets` knows of no target that the rules do not make, and of all they make."""
    config = complete(read_configuration(built / "config.yaml"))
    listed = [target.name for target in targets_of(read_collection("tiny", config))]
    assert len(set(listed)) == len(listed)
    house.snakemake(built, *listed, "--dry-run").well()
    summary = house.snakemake(built, "--summary").well().printed
    found = {line.split("\t")[0] for line in summary.splitlines() if line.startswith(RESULTS)}
    # what serves other jobs, the parts of a search, and what goes with something listed
    aside = ("audit", "codes", "simulated", "figures/answers", "pair-tasks")
    parts = ("best_cuts.parquet", "tied_cuts.parquet", "top_cuts.parquet", "explorer.json")
    left = {
        path
        for path in found - set(listed)
        if not path.startswith(tuple(f"{RESULTS}/{part}" for part in aside))
        and not path.endswith(parts)
        and "/references/" not in path
        and "/parts/" not in path
    }
    assert found
    assert left == set()

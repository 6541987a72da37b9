"""The shipped configurations on real data."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
import yaml

from regrade.tables import read_table
from tests.workflow.conftest import planned

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def table(results, path: str) -> pd.DataFrame:
    return read_table(results / path).to_pandas()


@pytest.fixture(scope="module")
def uc3m2011(house, real_data, tmp_path_factory):
    """The folder of results of config/uc3m2011.yaml, all of it, with few draws and cuts."""
    directory = tmp_path_factory.mktemp("uc3m2011")
    config = yaml.safe_load((house.root / "config" / "uc3m2011.yaml").read_text(encoding="utf-8"))
    collection = config["collections"]["uc3m2011"]
    for item in collection["trust"]:
        item |= {"resamples": 20, "samples": 5, "splits": 3}
    for item in collection["per_judge"]:
        item["fewer"] = [1, 3]
    for item in collection["cut_levels"]:
        item["enumerate_to"] = 3
    for item in collection["magnitudes"]:
        item |= {"resamples": 20, "samples": 20}
    for item in collection["power"]:
        item["levels"] = [2, 3]
        item["cuts"] |= {"levels": [2, 3], "evaluated": 5, "individually": 1}
    for item in collection["sweeps"].values():
        item["axes"]["topics"] = ["all", "halves-2"]
    (directory / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    house.snakemake(directory, "--config", f"data={real_data}").well()
    return directory / "results" / "uc3m2011"


def test_what_uc3m2011_holds(uc3m2011):
    sliders = table(uc3m2011, "tables/judgments/S100.parquet")
    assert len(sliders) == 4315
    assert sliders["topic"].nunique() == 20
    assert sliders["value"].between(0, 100).all()
    votes = table(uc3m2011, "tables/judgments/S2.parquet")
    assert len(votes) == 58476
    assert votes["worker"].nunique() == 956
    assert votes["unit"].isna().all()
    gold = table(uc3m2011, "tables/qrels/NIST.parquet")
    assert len(gold) == 395
    assert set(gold["grade"]) == {0, 1, 2}
    binary = table(uc3m2011, "tables/qrels/NIST2.parquet")
    assert binary["grade"].sum() == (gold["grade"] >= 1).sum()
    pairs = pd.concat(
        table(uc3m2011, f"tables/judgments/{name}.parquet")[["topic", "docno"]]
        for name in ("S100", "S3")
    ).drop_duplicates()
    assert len(pairs) <= 2175
    assert len(pairs.merge(gold)) <= 290


def test_no_systems_are_ranked_in_uc3m2011(uc3m2011):
    assert not (uc3m2011 / "rankings").exists()
    assert not (uc3m2011 / "scores").exists()
    assert not list(uc3m2011.glob("cuts/*/tau*"))
    page = (uc3m2011 / "report.html").read_text(encoding="utf-8")
    assert "Simulated" not in page


def test_every_method_finds_cuts_in_uc3m2011(uc3m2011):
    for transformation, references, cuts in (
        ("S100-to-2", ("S2", "NIST2"), 100),
        ("S100-to-3", ("S3", "NIST"), 4950),
    ):
        folder = f"cuts/{transformation}"
        best = table(uc3m2011, f"{folder}/best_cuts.parquet")
        best["reference"] = best["reference"].astype(object).fillna("")
        single = best[best["topic"] == "*"].set_index(["method", "reference"])["value"]
        assert set(single.index) == {("h1_ta", ""), ("h1_at", ""), ("tw1", "")} | {
            (method, reference) for method in ("h2", "d2_at", "d2_ta") for reference in references
        }
        assert single.between(0, 1).all(), "judgments agree more than by chance"
        for (method, reference), highest in single.items():
            search = f"{method}@{reference}" if reference else method
            alpha = table(uc3m2011, f"{folder}/{search}/alpha.parquet")
            assert len(alpha) == cuts
            assert highest == alpha.loc[alpha["n_topics"] >= 18, "mean"].max()  # 0.9 of 20


def oracle(coders: np.ndarray) -> float:
    """Ordinal α of coders (rows) by the krippendorff package, NaN where all values are equal."""
    if len(np.unique(coders[~np.isnan(coders)])) < 2:
        return np.nan
    return krippendorff.alpha(reliability_data=coders, level_of_measurement="ordinal")


def test_alpha_of_uc3m2011_is_that_of_another_implementation(uc3m2011):
    """All cuts into two of three topics: the whole matrix (tw1), and the medians with NIST's."""
    sliders = table(uc3m2011, "tables/judgments/S100.parquet")
    gold = table(uc3m2011, "tables/qrels/NIST2.parquet")
    within = table(uc3m2011, "cuts/S100-to-2/tw1/alpha.parquet")
    experts = table(uc3m2011, "cuts/S100-to-2/d2_at@NIST2/alpha.parquet")
    topics = [topic for topic in experts.columns if topic in set(gold["topic"])][:3]
    assert len(topics) == 3
    assert experts[topics].notna().sum().min() > 50, "there is something to compare"
    for topic in topics:
        of_topic = sliders[sliders["topic"] == topic]
        matrix = of_topic.pivot_table("value", "worker", "docno", aggfunc=list)
        assert matrix.map(lambda cell: not isinstance(cell, list) or len(cell) == 1).all(axis=None)
        matrix = matrix.map(lambda cell: cell[0] if isinstance(cell, list) else np.nan)
        matrix = matrix.to_numpy(dtype=float)
        labels = gold[gold["topic"] == topic].set_index("docno")["grade"]
        both = (
            of_topic.groupby("docno", observed=True)["value"]
            .median()
            .to_frame()
            .join(labels, how="inner")
        )
        for c1 in range(100):
            cut = np.where(np.isnan(matrix), np.nan, matrix > c1)
            assert within[topic][c1] == pytest.approx(oracle(cut), abs=1e-10, nan_ok=True)
            two = np.stack([both["value"] > c1, both["grade"]]).astype(float)
            assert experts[topic][c1] == pytest.approx(oracle(two), abs=1e-10, nan_ok=True)


def would_run(house, real_data, directory, name: str) -> dict[str, int]:
    config = house.root / "config" / f"{name}.yaml"
    return planned(house, directory, "--config", f"data={real_data}", "--configfile", str(config))


def test_what_trec8_would_run(house, real_data, tmp_path):
    jobs = would_run(house, real_data, tmp_path, "trec8")
    assert jobs["collect_runs"] == jobs["report"] == 1
    assert jobs["simulate_judgments"] == 4
    assert jobs["rank_magnitudes"] == jobs["compare_magnitudes"] == 3
    searched, ranked = (
        sum(count for rule, count in jobs.items() if rule.startswith(name))
        for name in ("search_cuts", "rank_cuts")  # other searches than the first ones: a number
    )
    assert ranked >= searched >= 5  # of one no method serves the data
    assert jobs["leave_one_out"] == 3  # runs, groups, origins
    assert jobs["compare_pairs"] == jobs["fit_ancova"] == jobs["banded_scores"] == 1
    assert sum(jobs.values()) < 240  # three studies, an item a job


def test_what_dl21_would_run(house, real_data, tmp_path):
    jobs = would_run(house, real_data, tmp_path, "dl21")
    assert jobs["collect_runs"] == jobs["report"] == 1
    assert jobs["collect_preferences"] == 2  # people's, a model's
    assert jobs["score_qrels"] == 18  # NIST's, those of sixteen judges, scores from pairs
    assert jobs["leave_one_out"] == jobs["compare_pairs"] == jobs["exact_ranges"] == 1
    assert jobs["search_cuts"] == jobs["rank_cuts"] >= 1
    assert "simulate_judgments" not in jobs
    assert sum(jobs.values()) < 220


def test_what_dl19_would_run(house, real_data, tmp_path):
    jobs = would_run(house, real_data, tmp_path, "dl19")
    assert jobs["collect_runs"] == jobs["favour_families"] == 2
    assert jobs["collect_qrels"] == 8 + 19  # NIST's, seven judges and eighteen
    assert jobs["collect_judgments"] == 1  # eight people's


def test_what_dl21_judges_would_run(house, real_data, tmp_path):
    jobs = would_run(house, real_data, tmp_path, "dl21-judges")
    assert jobs["collect_runs"] == jobs["report"] == 1
    assert jobs["collect_qrels"] == 18  # NIST's twice, sixteen judges
    assert jobs["judge_judges"] == 2
    assert jobs["bootstrap_cuts"] == 11  # judges that are finer than NIST's grades
    assert jobs["transfer_cuts"] == 3
    assert sum(jobs.values()) < 180

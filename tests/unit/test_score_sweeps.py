"""Sweeps of scores by item: each universe against plain loops; doors, refusals, kept files."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from scipy import stats

import regrade
from regrade.api.designs import judged_scores
from regrade.command.app import app
from regrade.errors import RegradeError
from regrade.show.item_tables import items_named, of_items
from regrade.sweeps.explorer_page import packed_sweep
from regrade.sweeps.items import SWEEPS
from regrade.sweeps.options import SCORE_AXES, read_sweep
from regrade.sweeps.outcomes import topic_rows
from regrade.sweeps.score_sweep import ScoreSweep, known_of
from regrade.sweeps.sweep import SweepDesign
from regrade.system_pairs.item_groups import ItemGroups, mean_difference, t_of_pairs
from regrade.variance_shares import variance_shares
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete
from tests.reference import sweeps as plain
from tests.unit.carried import assert_carried
from tests.unit.figure_checks import on_page, words
from tests.unit.items_made import assert_made, shown

JUDGES = {"human": 0.3, "gpt": 0.8, "odd": 1.5}
AXES = {
    "scores": [*JUDGES],
    "measure": ["accuracy", "f1"],
    "average": ["datasets", "items"],
    "items": ["all", "own", {"without": "dataset"}, {"only": "dataset"}, "halves-2"],
    "test": ["t/holm", "t/none", "t/bh"],
}
PLAIN = {"scores": [*JUDGES], "measure": ["accuracy", "f1"], "test": ["t/holm", "t/none"]}


def frame(systems: int = 5, items: int = 36, seed: int = 1) -> pd.DataFrame:
    """Scores by three judges, of items of three data sets and in clusters of one to three."""
    rng = np.random.default_rng(seed)
    quality, base = rng.normal(0, 0.5, systems), rng.normal(0, 1, items)
    cluster = np.sort(rng.integers(0, items // 2, items))
    rows = [
        (
            f"s{s}",
            f"i{t:02}",
            measure,
            judge,
            ["code", "news", "web"][t * 3 // items],
            f"c{cluster[t]}",
            quality[s] + base[t] + rng.normal(0, noise),
        )
        for judge, noise in JUDGES.items()
        for measure in ("accuracy", "f1")
        for s in range(systems)
        for t in range(items)
    ]
    names = ["system", "topic", "measure", "judge", "dataset", "cluster", "value"]
    return pd.DataFrame(rows, columns=names)


def alone(table: pd.DataFrame) -> pd.DataFrame:
    """The same without data sets and clusters."""
    return table.drop(columns=["dataset", "cluster"])


def half_of(level: str, table: pd.DataFrame, seed: int = 1) -> set | None:
    """The items of a half: of halves of the clusters, by the names of their first items."""
    if not level.startswith("half"):
        return None
    of = table.drop_duplicates("topic").sort_values("topic")
    first = of.groupby(["dataset", "cluster"])["topic"].min().sort_values()
    units = [*first.index]
    kept = {units[i] for i in topic_rows(level, [*first], seed)}
    keys = zip(of["dataset"], of["cluster"], strict=True)
    pairs = zip(of["topic"], keys, strict=True)
    return {topic for topic, key in pairs if key in kept}


def rows_of(table: pd.DataFrame) -> list[dict]:
    """As the plain reference takes them."""
    own = table.rename(columns={"topic": "item"})
    own = own.assign(cluster=own["dataset"] + own["cluster"])
    return own.to_dict("records")


def test_universes_of_clusters_and_data_sets_are_those_of_plain_loops(tmp_path):
    table = frame()
    lacking = table[(table["judge"] == "gpt") & (table["topic"] == "i05")].index[:1]
    table = table.drop(index=lacking)
    swept = regrade.sweep(
        AXES, {"scores": "human"}, sets=table, missing="drop", folder=tmp_path, significance=0.1
    )
    universes = swept.universes.astype(str)
    assert len(universes) == 3 * 2 * 2 * (1 + 1 + 3 + 3 + 2) * 3
    means = pd.concat(map(pd.read_parquet, tmp_path.glob("means/*/*.parquet")))
    means = means.pivot(index="ranking", columns="system", values="mean")
    known, at_baseline = {}, None
    common = table[table["topic"] != "i05"]
    for row in universes.to_dict("records"):
        key = {name: row[name] for name in ("scores", "measure", "average")} | {
            "items": row["topics"]
        }
        if (named := tuple(key.values())) not in known:
            half = half_of(row["topics"], common)
            known[named] = plain.score_universe(rows_of(table), half=half, **key)
        own, tests = known[named]
        np.testing.assert_allclose(means.loc[int(row["ranking"])], [*own.values()], atol=1e-12)
        concluded = plain.score_conclusions(own, tests, row["test"][2:], 0.1)
        at_baseline = concluded if at_baseline is None else at_baseline
        base = [*next(iter(known.values()))[0].values()]
        tau = stats.kendalltau(base, [*own.values()]).statistic
        assert float(row["tau"]) == pytest.approx(tau, abs=1e-12)
        assert int(row["significant_pairs"]) == np.count_nonzero(concluded)
        changed = sum(a != b for a, b in zip(concluded, at_baseline, strict=True))
        assert int(row["changed_pairs"]) == changed
    assert_carried(swept.answer, swept.tables, "human", folder="sweeps")
    said = " ".join(swept.answer.sentences)
    assert "3 data sets" in said and "35 items" in said and "topic" not in said
    assert "1 item of human was left out of all" in said


def test_shares_of_variance_are_those_of_the_whole_array():
    swept = regrade.sweep(PLAIN, {"scores": "human"}, sets=alone(frame()))
    shape = [len(PLAIN[name]) for name in SCORE_AXES if name in PLAIN]
    names = [name for name in SCORE_AXES if name in PLAIN]
    assert swept.universes[[*names]].astype(str).duplicated().sum() == 0
    own = swept.axes[swept.axes["with_axis"].isna()]
    for outcome in ("tau", "significant_pairs", "changed_pairs"):
        values = swept.universes[outcome].to_numpy(float).reshape(shape)
        expected = variance_shares(values, names, {})
        expected = expected[expected["other"].isna()].set_index("axis")
        of = own[own["outcome"] == outcome].set_index("axis")
        for column in ("first_order", "total"):
            for name in names:
                assert of.loc[name, column] == pytest.approx(expected.loc[name, column], abs=1e-12)


def test_a_sweep_of_scores_is_that_of_the_runs_they_are_of():
    rng = np.random.default_rng(4)
    docs, topics = [f"d{n}" for n in range(12)], [f"t{n}" for n in range(14)]
    sets = {
        name: {t: {d: int(rng.integers(0, 3)) for d in docs} for t in topics}
        for name in ("NIST", "model")
    }
    runs = {
        f"r{n}": {t: {d: float(rng.normal() + n * sets["NIST"][t][d] / 3) for d in docs}
                  for t in topics}
        for n in range(6)
    }  # fmt: skip
    axes = {"measure": ["nDCG@10", "AP"], "test": ["t/holm", "wilcoxon/none"]}
    of_runs = regrade.sweep(
        {"labels": [*sets], "topics": ["all", "halves-4"]} | axes, {"labels": "NIST"},
        runs=runs, sets=sets,
    )  # fmt: skip
    scores = {
        name: regrade.score(of, runs, axes["measure"]).to_frame().drop(columns="residual")
        for name, of in sets.items()
    }
    of_scores = regrade.sweep(
        {"scores": [*sets], "items": ["all", "halves-4"]} | axes, {"scores": "NIST"}, sets=scores
    )
    by = ["first", "topics", "measure", "test"]
    outcomes = ["tau", "tau_ap", "rbo", "first_system", "moved", "farthest", "significant_pairs",
                "changed_pairs"]  # fmt: skip
    universes = [
        own.assign(first=own[axis])[[*by, *outcomes]]
        .astype(dict.fromkeys(by, str)).sort_values(by, ignore_index=True)
        for own, axis in ((of_runs.universes, "labels"), (of_scores.universes, "scores"))
    ]  # fmt: skip
    pd.testing.assert_frame_equal(*universes)
    ranks = [one.systems[one.systems["axis"].isna()] for one in (of_runs, of_scores)]
    pd.testing.assert_frame_equal(*ranks)
    apart = ["depends_on", "changed_at"]  # axes are called otherwise
    pd.testing.assert_frame_equal(*(one.pairs.drop(columns=apart) for one in (of_runs, of_scores)))


def test_sets_by_name_and_one_set_by_judges_are_the_same():
    table = alone(frame())
    by_name = {judge: own.drop(columns="judge") for judge, own in table.groupby("judge")}
    both = [regrade.sweep(PLAIN, {"scores": "human"}, sets=sets) for sets in (table, by_name)]
    for name in both[0].tables:
        first, second = (one.to_frame(name) for one in both)
        pd.testing.assert_frame_equal(first, second)


def test_neither_threads_nor_kept_files_nor_order_change_anything(tmp_path):
    table = alone(frame())
    first = regrade.sweep(PLAIN, {"scores": "human"}, sets=table, folder=tmp_path)
    again = regrade.sweep(PLAIN, {"scores": "human"}, sets=table, folder=tmp_path, threads=2)
    shuffled = table.sample(frac=1, random_state=1)
    other = regrade.sweep(PLAIN, {"scores": "human"}, sets=shuffled)
    changed = table.assign(value=np.where(table["judge"] == "gpt", 0.0, table["value"]))
    anew = regrade.sweep(PLAIN, {"scores": "human"}, sets=changed, folder=tmp_path)
    for name in first.tables:
        pd.testing.assert_frame_equal(first.to_frame(name), again.to_frame(name))
        pd.testing.assert_frame_equal(first.to_frame(name), other.to_frame(name))
    assert not anew.universes.equals(first.universes)


def test_scores_that_are_the_same_count_once_and_a_judge_without_a_measure_is_left_out():
    table = alone(frame())
    copy = table[table["judge"] == "human"].assign(judge="copy")
    few = table[(table["judge"] != "odd") | (table["measure"] == "f1")]
    axes = PLAIN | {"scores": ["human", "copy", "gpt", "odd"]}
    swept = regrade.sweep(axes, {"scores": "human"}, sets=pd.concat([few, copy]))
    assert swept.levels.query("axis == 'scores'")["entry"].tolist() == ["human", "gpt", "odd"]
    assert any("copy is the same as human" in note for note in swept.answer.notes)
    assert swept.left_out["why_not"].tolist() == ["odd has no score by accuracy"]
    assert swept.left_out["universes"].tolist() == [2]
    assert len(swept.universes) == 2 * (2 * 2 + 1)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"ties": ["rank", "docno"]}, "ties: needs rankings of documents"),
        ({"pool": ["all", "depth-10"]}, "pool: needs rankings of documents"),
        ({"unjudged": ["condensed"]}, "unjudged: needs rankings of documents"),
        ({"labels": ["human"]}, "labels: needs rankings of documents"),
        ({"topics": ["all"]}, "topics: of scores by item this axis is `items`"),
        ({"measure": ["acuracy"]}, "did you mean 'accuracy'"),
        ({"items": ["some"]}, "items: 'some' is not an entry"),
        ({"items": [{"without": "cluster"}]}, "items: {'without': 'cluster'} is not an entry"),
        ({"items": [{"only": "dataset"}]}, "needs scores of several data sets"),
        ({"scores": ["humen"]}, "did you mean 'human'"),
        ({"average": ["datasets", "items"]}, "are of one data set"),
        ({"test": ["z/none"]}, "test"),
    ],
)
def test_axes_that_cannot_be_are_refused_with_the_reason(axes, message):
    with pytest.raises(RegradeError, match=message):
        regrade.sweep(PLAIN | axes, {"scores": "human"}, sets=alone(frame()))


def test_refusals_name_the_remedy():
    table = frame()
    with pytest.raises(RegradeError, match="are tested by t, wilcoxon"):
        regrade.sweep(PLAIN | {"test": ["sign/none"]}, {"scores": "human"}, sets=table)
    with pytest.raises(RegradeError, match="missing='drop'"):
        regrade.sweep(PLAIN, {"scores": "human"}, sets=table.drop(index=3))
    with pytest.raises(RegradeError, match="give its measure"):
        regrade.sweep({"test": ["t/none"]}, {"scores": "human"}, sets=table)
    with pytest.raises(RegradeError, match="sets are labels"):
        regrade.sweep({"scores": ["a"]}, {}, sets={"a": {"1": {"d": 1}}})
    apart = {name: own.assign(system=name + own["system"]) for name, own in table.groupby("judge")}
    with pytest.raises(RegradeError, match="share no system"):
        regrade.sweep(PLAIN, {"scores": "human"}, sets=apart)
    apart = {name: own.assign(topic=name + own["topic"]) for name, own in table.groupby("judge")}
    with pytest.raises(RegradeError, match="share no item"):
        regrade.sweep(PLAIN, {"scores": "human"}, sets=apart)


@pytest.mark.parametrize(("systems", "items"), [(1, 5), (2, 1), (3, 2)])
def test_few_systems_and_items(systems, items):
    table = alone(frame(systems, 5))
    table = table[table["topic"].isin([f"i{t:02}" for t in range(items)])]
    swept = regrade.sweep(PLAIN, {"scores": "human"}, sets=table)
    assert len(swept.universes) == 12
    assert swept.answer.verdict


def test_all_tied():
    table = alone(frame()).assign(value=0.5)
    table = table[table["judge"] == "human"]
    axes = {"measure": ["accuracy", "f1"], "test": ["t/holm", "t/none"]}
    swept = regrade.sweep(axes, {"scores": "human"}, sets=table)
    assert swept.universes["significant_pairs"].eq(0).all()
    assert swept.systems["baseline_rank"].eq(1).all()


# --- what is shown -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def swept():
    """A sweep with data sets and clusters."""
    return regrade.sweep(AXES, {"scores": "human"}, sets=frame())


@pytest.mark.parametrize("item", [one for one in SWEEPS.items if "label" not in one.name],
                         ids=lambda one: one.name)  # fmt: skip
def test_every_item_shows_it_and_speaks_of_items(item, swept, tmp_path):
    tables = {name: of_items(swept.to_frame(name)) for name in swept.tables}
    made = assert_made(item, lambda: shown(item, tables), False, tmp_path)
    if item.is_table:
        head, cells = items_named(made[1]), items_named(made[1]).to_numpy().ravel()
        assert not [text for text in (*head.columns, *cells) if "topic" in text]
    else:
        assert not [text for text in words(made) if "topic" in text]


def test_the_curve_is_drawn(swept):
    for outcome in (None, "tau", "significant_pairs"):
        figure = swept.plot(outcome)
        assert on_page(figure)
        assert not [text for text in words(figure) if "topic" in text]
    with pytest.raises(RegradeError, match="outcome"):
        swept.plot("alpha")


def test_the_explorer_has_every_combination_of_entries(swept):
    sets = judged_scores(frame(), ())
    written = read_sweep(AXES, {"scores": "human"}, [*sets], None, known_of(sets), SCORE_AXES)
    sweep = ScoreSweep.of_scores(SweepDesign.of(written), sets, "refuse")
    page = json.loads(packed_sweep("board", sweep, swept.tables))
    assert [axis["name"] for axis in page["axes"]] == [*SCORE_AXES]
    assert page["combinations"] == 3 * 2 * 2 * 5 * 3
    assert page["unit"] == "item"
    items = next(axis for axis in page["axes"] if axis["name"] == "items")
    choices = dict(zip(items["entries"], items["choices"], strict=True))
    assert choices == {"all": 1, "own": 1, "without dataset": 3, "only dataset": 3, "halves": 2}


# --- configuration -------------------------------------------------------------------------------


def configured(sweep: dict, **further):
    """A collection with scores alone."""
    scores = {"human": {"file": "human.csv"}, "gpt": {"file": "gpt.csv"}}
    own = {"scores": scores, "sweeps": {"board": sweep}} | further
    config = {"collection": "mine", "collections": {"mine": own}}
    return read_collection("mine", complete(config))


def test_a_collection_with_scores_alone_can_sweep_them():
    axes = {"scores": ["human", "gpt"], "items": ["all", {"without": "dataset"}, "halves-20"]}
    sweep = {"baseline": {"scores": "human", "measure": "accuracy"}, "axes": axes}
    studies = {"sweeps": {"figure-curve": {}, "table-axes": {}}}
    collection = configured(sweep, studies=studies)
    assert collection.items["sweeps"]["board"]["scores"] == ["human", "gpt"]
    assert collection.items["label_sweeps"] == {}


@pytest.mark.parametrize(
    ("baseline", "axes", "message"),
    [
        ({"scores": "human", "measure": "f1"}, {"ties": ["rank"]}, "sweeps.board.*ties: needs"),
        ({"scores": "human", "measure": "f1"}, {"scores": ["gtp"]}, "gtp"),
        ({"scores": "human"}, {}, "sweeps.board.*give its measure"),
        ({"labels": "human"}, {}, "no `runs`"),
        ({"scores": "gpt", "measure": "f1"}, {"scores": ["human"]}, "not a level of the axis"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused_at_its_key(baseline, axes, message):
    with pytest.raises(RegradeError, match=message):
        configured({"baseline": baseline, "axes": axes})


@pytest.mark.parametrize("datasets", [True, False])
def test_init_sweeps_what_several_sets_of_scores_share(datasets, tmp_path):
    table = frame() if datasets else alone(frame())
    for judge, own in table.groupby("judge"):
        own.drop(columns="judge").to_csv(tmp_path / f"{judge}.csv", index=False)
    done = CliRunner().invoke(app, ["init", str(tmp_path)])
    assert done.exit_code == 0, done.output
    collection = read_collection("mine", complete(yaml.safe_load(done.output)))
    axes = collection.items["sweeps"]["choices"]["axes"]
    assert axes["scores"] == ["gpt", "human", "odd"]
    assert axes["measure"] == ["accuracy", "f1"]
    assert axes["average"] == (["datasets", "items"] if datasets else None)
    swept = regrade.sweep(
        {name: levels for name, levels in axes.items() if levels},
        {"scores": "gpt", "measure": "accuracy"},
        sets={judge: tmp_path / f"{judge}.csv" for judge in JUDGES},
    )
    assert len(swept.universes)


@pytest.mark.parametrize(("clusters", "datasets"), [(None, 3), (9, None), (5, 2)])
def test_one_product_of_residuals_has_the_t_of_each_pair(clusters, datasets):
    rng, items = np.random.default_rng(5), 30
    values = rng.random((7, items))
    values[1], values[2] = values[0], values[0] + 1e-3 * rng.random(items)
    sets = None if datasets is None else np.arange(items) % datasets
    unit = None if clusters is None else rng.integers(0, clusters, items)
    if clusters and datasets:
        unit = np.unique(unit * datasets + sets, return_inverse=True)[1]
    groups = ItemGroups.of_arrays(items, unit, sets)
    pairs = np.column_stack(np.triu_indices(len(values), 1))
    alone = [mean_difference(values[a] - values[b], groups).p for a, b in pairs]
    np.testing.assert_allclose(t_of_pairs(values, groups), alone, rtol=1e-9)

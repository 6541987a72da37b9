"""Sweeps: each universe, and all that is said over universes, against plain loops."""

from __future__ import annotations

import itertools
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from regrade.answers.shape import Answer
from regrade.correlations import competition_ranks, rbo_ext, tau_ap
from regrade.errors import InputError, ParameterError
from regrade.kendall import tau_b
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import paired_t
from regrade.sweeps import parts
from regrade.sweeps.axes import Axis, Conditions, largest_factorials
from regrade.sweeps.labels import LabelledSet
from regrade.sweeps.options import DEFAULTS, AvailableLevels, read_sweep
from regrade.sweeps.outcomes import STEPS, conclusions, statistics, topic_rows
from regrade.sweeps.parts import SweepPart, add_sums, sums_tables
from regrade.sweeps.results import blocks_of, swept
from regrade.sweeps.store import Store, pack, unpack
from regrade.sweeps.sums import Sums
from regrade.sweeps.sweep import Block, Sweep, SweepDesign, level_tables
from regrade.variance_shares import variance_shares
from tests.each import others_slow
from tests.reference import sweeps as plain
from tests.unit.sweep_worlds import World, world

AXES = {
    "labels": ["NIST", {"cuts": "judge", "which": ["rounded", "every"], "levels": 3}],
    "unjudged": ["non-relevant", "condensed"],
    "pool": ["all", "depth-3", "RRF@6", {"without": "group", "depth": 5}],
    "ties": ["rank", "docno", "docno-reversed"],
    "measure": ["nDCG@10", "AP(rel=2)", "P@10"],
    "topics": ["all", "halves-2"],
    "test": ["t/none", "t/holm"],
}
SMALL = {
    "labels": ["NIST", {"cuts": "judge", "which": ["rounded", "every"], "levels": 2}, "judge"],
    "ties": ["rank", "docno"],
    "measure": ["nDCG@10", "AP"],
    "topics": ["all", "halves-2"],
    "test": ["t/none", "t/bh"],
}
BASELINE = {"labels": "NIST", "test": "t/none"}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small sweep, all of its universes made plainly, and its tables."""
    of = world()
    sweep = of.sweep(SMALL, BASELINE, significance=0.2)
    tables = swept(sweep, tmp_path_factory.mktemp("small"))
    return of, sweep, tables, made_plainly(of, sweep)


def labels_of(of: World, row) -> dict:
    """The labels of a row of ``universes``."""
    name = row["labels"]
    if row["thresholds"] is None:
        return of.labels[name]
    return plain.cut(of.labels[name.split()[0]], [float(c) for c in row["thresholds"].split()])


def topics_of(sweep, level: str) -> list[str]:
    return [sweep.runs.topics[t] for t in topic_rows(level, sweep.runs.topics, sweep.design.seed)]


def universe(of: World, sweep, row) -> np.ndarray:
    """(S, T) scores of a universe, plainly."""
    return plain.scores(
        of.runs, labels_of(of, row), unjudged=row["unjudged_as"], pool=row["pool"],
        ties=row["tie_order"], measure=row["measure"], topics=topics_of(sweep, row["topics"]),
        groups=of.groups,
    )  # fmt: skip


def rows_of(tables) -> list[dict]:
    return tables["universes"].to_pylist()


def made_plainly(of: World, sweep) -> list[dict]:
    """What each universe concludes, in the order of the table; and its weight."""
    entries = {axis.name: axis for axis in sweep.design.conditions.axes}
    made = []
    for entry, labels in enumerate(sweep.labels):
        for cut, k in itertools.product(labels.cuts(), range(len(sweep.design.conditions.codes))):
            if not sweep.possible[entry, k]:
                continue
            levels = {
                name: axis.levels[sweep.design.conditions.codes[k, a]]
                for a, (name, axis) in enumerate(entries.items())
            }
            row = {**levels, "labels": labels.entry.text, "thresholds": cut,
                   "unjudged_as": levels["unjudged"], "tie_order": levels["ties"]}  # fmt: skip
            values = universe(of, sweep, row)
            weight = 1 / len(labels)
            for a, axis in enumerate(entries.values()):
                named = axis.entries[sweep.design.conditions.codes[k, a]]
                weight /= axis.entries.count(named)
            told = plain.conclusions(values, row["test"], sweep.design.significance)
            made.append({**row, "means": values.mean(axis=1), "told": told, "weight": weight})
    return made


# --- universes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("count", others_slow([6, 60]))
def test_random_universes_are_those_of_trec_eval(count):
    of = world()
    sweep = of.sweep(AXES, BASELINE)
    store = Store()
    rng = np.random.default_rng(3)
    seen = 0
    for block in sweep.blocks():
        cells = store.cells(sweep, block)
        (part,) = SweepPart(sweep, [block], store).universes()
        rows = part.to_pylist()
        for at in rng.permutation(len(rows))[:count]:
            row = rows[at]
            values = universe(of, sweep, row)
            told = plain.conclusions(values, row["test"])
            label, column = divmod(int(at), len(cells))
            cell = cells[sorted(cells)[column]]
            np.testing.assert_allclose(cell.outcomes.means[label], values.mean(axis=1), atol=1e-9)
            own = np.empty((len(block), len(told)), dtype=np.int8)
            unpack(cell.packed, own[:, None], 0)
            np.testing.assert_array_equal(own[label], told)
            assert row["significant_pairs"] == np.count_nonzero(told)
            assert row["changed_pairs"] == (told != sweep.baseline.conclusions).sum()
            base = sweep.baseline.means
            means = values.mean(axis=1)
            ranks, at_base = competition_ranks(means), competition_ranks(base)
            assert row["tau"] == pytest.approx(tau_b(means, base), abs=1e-9)
            assert row["tau_ap"] == pytest.approx(tau_ap(base, means), abs=1e-9)
            assert row["rbo"] == pytest.approx(rbo_ext(base, means, 0.9), abs=1e-9)
            assert row["moved"] == (ranks != at_base).sum()
            assert row["farthest"] == np.abs(ranks - at_base).max()
            assert row["first_system"] == sweep.systems[int(np.argmax(ranks == 1))]
            seen += 1
    assert seen >= 2 * count


def test_pools_without_each_run_and_without_each_group():
    of = world()
    pools = [{"without": "group", "depth": 4}, {"without": "run", "depth": 2}]
    sweep = of.sweep({"pool": ["all", *pools], "measure": ["AP(rel=2)"]}, {"labels": "NIST"})
    (block,) = sweep.blocks()
    rows = [
        row for part in SweepPart(sweep, [block], Store()).universes() for row in part.to_pylist()
    ]
    assert len(rows) == 1 + len(of.runs) + len({*of.groups.values()})
    base = sweep.baseline.means
    assert len({row["tau_ap"] for row in rows}) > 3
    for row in rows:
        means = universe(of, sweep, row).mean(axis=1)
        assert row["tau_ap"] == pytest.approx(tau_ap(base, means), abs=1e-9), row["pool"]


def test_gains_are_shares_of_the_highest_level_of_a_cut():
    of = world()
    axes = {"labels": ["NIST", {"cuts": "judge", "which": ["rounded"], "levels": 3}]}
    sweep = of.sweep(axes | {"measure": ["ERR@5"]}, {"labels": "judge to 3 rounded"})
    row = {"labels": "judge to 3 rounded", "thresholds": sweep.labels[1].cuts()[0]}
    labels = labels_of(of, row)
    for system, mean in zip(sweep.systems, sweep.baseline.means, strict=True):
        values = []
        for topic, ranking in of.runs[system].items():
            gains = [(2 ** labels[topic].get(d, 0) - 1) / 2**2 for d, _ in ranking[:5]]
            left = np.cumprod([1, *(1 - np.array(gains[:-1]))])
            values.append(sum(left * gains / np.arange(1, 6)))
        assert mean == pytest.approx(np.mean(values))


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "P@10", "RR"])
@pytest.mark.parametrize("unjudged", ["non-relevant", "condensed"])
def test_expected_is_the_mean_over_every_order_of_ties(measure, unjudged):
    of = world(4, systems=3, topics=3, documents=9)
    axes = {"labels": ["NIST", {"cuts": "judge", "which": ["every"], "levels": 2}],
            "ties": ["rank", "expected"]}  # fmt: skip
    sweep = of.sweep(axes, {**BASELINE, "measure": measure, "unjudged": unjudged})
    for block in sweep.blocks():
        (table,) = SweepPart(sweep, [block], Store()).universes()
        cells = Store().cells(sweep, block)
        for at, row in enumerate(table.to_pylist()):
            label, column = divmod(at, len(cells))
            means = cells[sorted(cells)[column]].outcomes.means[label]
            np.testing.assert_allclose(means, universe(of, sweep, row).mean(axis=1), atol=1e-9)


def test_wilcoxon_and_other_tests_are_those_of_scipy():
    of = world(7, topics=9)
    sweep = of.sweep(
        {"test": ["wilcoxon/holm", "t/hommel", "t/none"]}, {**BASELINE, "test": "t/none"}
    )
    (table,) = SweepPart(sweep, list(sweep.blocks()), Store()).universes()
    for row in table.to_pylist():
        values = universe(of, sweep, row)
        if row["test"] == "t/hommel":
            told = adjust(paired_t(values).p, "hommel") < 0.05
        else:
            told = plain.conclusions(values, row["test"]) != 0
        assert row["significant_pairs"] == told.sum()


def test_conclusions_are_those_of_corrected_p_values():
    rng = np.random.default_rng(2)
    for systems, topics in ((7, 12), (5, 4), (2, 3), (9, 30)):
        values = rng.normal(0, 1, (systems, topics)) + 0.6 * np.arange(systems)[:, None]
        values[1] = values[0]  # no difference at all
        if systems > 3:
            values[3] = values[2] + 0.25  # one difference on all topics
            values[-1] = values[-2] + 1e-13  # equal but for rounding
            values[4, 1:] = values[2, 1:]  # one topic only
        if systems > 5:
            values[5] = values[0] + 1e-7 * rng.normal(0, 1, topics)  # nearly equal
        sweep_scores = cut_scores(values)
        means, signed = statistics(sweep_scores, [np.arange(topics)])
        np.testing.assert_allclose(means[0, 0], values.mean(axis=1), atol=1e-14)
        tests = paired_t(values)
        squares = np.sign(tests.statistic) * tests.statistic**2
        np.testing.assert_allclose(signed[0, 0], squares, rtol=1e-6)
        for correction in STEPS:
            told = adjust(tests.p, correction) < 0.05
            sign = np.where(np.abs(tests.difference) <= 1e-12, 0, np.sign(tests.difference))
            own = conclusions(signed[0], topics, correction, 0.05)[0]
            np.testing.assert_array_equal(own, np.where(told, sign, 0), err_msg=correction)


def cut_scores(values):
    """Scores (S, T) as those under one cut."""
    from regrade.cutsearch.cut_scores import CutScores

    parts = np.ascontiguousarray(values.T[:, None, :])
    zeros = np.zeros((1, 1), dtype=np.int64)
    return CutScores(zeros, parts, None, np.ones(1), np.zeros((len(parts), 1), np.int64), zeros)


# --- over universes ----------------------------------------------------------------------------


def test_pairs_are_counted_over_universes(small):
    _, sweep, tables, made = small
    weight = np.array([one["weight"] for one in made])
    told = np.array([one["told"] for one in made])
    means = np.array([one["means"] for one in made])
    i, j = np.triu_indices(len(sweep.systems), 1)
    gap = means[:, i] - means[:, j]
    for p, row in enumerate(tables["pairs"].itertuples()):
        sign = 1 if row.system == sweep.systems[i[p]] else -1
        y, d = sign * told[:, p], sign * gap[:, p]
        y0 = sign * sweep.baseline.conclusions[p]
        share = weight / weight.sum()
        assert row.conclusion == {1: "better", 0: "not significant", -1: "worse"}[y0]
        assert row.scores_higher == pytest.approx(share[d > 1e-12].sum())
        assert row.significantly_better == pytest.approx(share[y > 0].sum())
        assert row.significantly_worse == pytest.approx(share[y < 0].sum())
        assert row.holds == (y == y0).all()
        assert row.order_holds == (d > 1e-12).all()


def test_shares_of_variance_are_those_of_the_full_array(small):
    _, sweep, tables, made = small
    assert_shares(sweep, tables, made)


def test_shares_are_of_the_largest_factorial_where_another_has_more_measures(tmp_path):
    """Labels of two levels have no grade 2."""
    of = world(systems=3, topics=3)
    axes = {
        "labels": ["NIST", {"cuts": "judge", "which": ["rounded", "every"], "levels": 2}],
        "measure": ["nDCG@10", "AP(rel=2)"],
        "ties": ["rank", "docno"],
        "test": ["t/none"],
    }
    sweep = of.sweep(axes, BASELINE, significance=0.2)
    assert [len(levels[4]) for levels in sweep.factorials] == [1, 2]
    assert_shares(sweep, swept(sweep, tmp_path), made_plainly(of, sweep))


def assert_shares(sweep, tables, made):
    inside = sweep.factorials[0]
    names, arrays, weights = full_array(sweep, made, inside)
    axes = tables["axes"]
    for outcome, values in arrays.items():
        of_pair = isinstance(outcome, tuple)
        wanted = variance_shares(values, names, weights) if np.ptp(values) else None
        rows = axes[
            (axes["outcome"] == (outcome[0] if of_pair else outcome)) & (axes["factorial"] == 1)
        ]
        if of_pair:
            pair = set(outcome[1:])
            rows = rows[rows["system"].isin(pair) & rows["other"].isin(pair)]
        own = {
            (r.axis, None if pd.isna(r.with_axis) else r.with_axis): (r.first_order, r.total)
            for r in rows.itertuples()
        }
        if wanted is None:
            assert all(np.isnan(v).all() for v in own.values())
            continue
        if of_pair:
            named = [sweep.systems.index(rows[name].iloc[0]) for name in ("system", "other")]
            assert np.diff(sweep.baseline.means[named]) <= 1e-12  # the better is named first
        keys = [(w.axis, None if pd.isna(w.other) else w.other) for w in wanted.itertuples()]
        if outcome[0] == "difference":  # which no test decides
            assert {*own} == {key for key in keys if "test" not in key}
        checked = 0
        for w in wanted.itertuples():
            key = (w.axis, None if pd.isna(w.other) else w.other)
            if key in own:
                np.testing.assert_allclose(
                    own[key], (w.first_order, w.total), atol=1e-9, err_msg=f"{outcome} {key}"
                )
                checked += 1
        assert checked == len(own) > 0


def full_array(sweep, made, inside):
    """Outcomes on the largest factorial as arrays over the axes of several levels, plainly."""
    conditions = sweep.design.conditions
    i, j = np.triu_indices(len(sweep.systems), 1)
    units = {
        m: next(one["means"] for one in made if one["labels"] == "NIST" and one["measure"] == m
                and one["ties"] == "rank" and one["topics"] == "all").std()
        for m in conditions.axes[3].levels
    }  # fmt: skip
    cells, label_weights = {}, {}
    kept_labels = [sweep.labels[e].entry.text for e in inside[0]]
    kept = [
        [axis.levels[k] for k in own] for axis, own in zip(conditions.axes, inside[1:], strict=True)
    ]
    for one in made:
        place = [one[axis.name] for axis in conditions.axes]
        if one["labels"] not in kept_labels or any(
            level not in own for level, own in zip(place, kept, strict=True)
        ):
            continue
        label = (one["labels"], one["thresholds"])
        counted = next(len(x) for x in sweep.labels if x.entry.text == one["labels"])
        label_weights[label] = 1 / counted
        cells[(label, *place)] = one
    levels = [list(label_weights), *kept]
    names = ["labels", *(axis.name for axis in conditions.axes)]
    several = [a for a, own in enumerate(levels) if len(own) > 1]
    weights = {"labels": np.array(list(label_weights.values()))}
    for axis, own in zip(conditions.axes, inside[1:], strict=True):
        count = [axis.entries.count(axis.entries[k]) for k in own]
        weights[axis.name] = 1 / np.array(count)
    shape = [len(levels[a]) for a in several]
    every = [cells[key] for key in itertools.product(*levels)]

    def array(value):
        return np.array([value(one) for one in every]).reshape(shape)

    base = sweep.baseline
    arrays = {
        "tau": array(lambda one: tau_b(one["means"], base.means)),
        "significant_pairs": array(lambda one: np.count_nonzero(one["told"])),
        "changed_pairs": array(lambda one: (one["told"] != base.conclusions).sum()),
    }
    for p in range(len(i)):
        pair = sweep.systems[i[p]], sweep.systems[j[p]]
        arrays["conclusion", *pair] = array(lambda one, p=p: one["told"][p])
        arrays["difference", *pair] = array(
            lambda one, p=p: (one["means"][i[p]] - one["means"][j[p]]) / units[one["measure"]]
        )
    names = [names[a] for a in several]
    return names, arrays, {name: weights[name] for name in names}


def test_universes_of_one_ranking_differ_in_their_test_alone(small):
    frame = small[2]["universes"].to_pandas().astype(str)
    choices = ["labels", "thresholds", "unjudged_as", "pool", "tie_order", "measure", "topics"]
    assert frame["universe"].is_unique
    assert (frame.groupby("ranking")[choices].nunique(dropna=False) == 1).all(axis=None)
    assert (frame.groupby(choices, dropna=False)["ranking"].nunique() == 1).all()


def test_ranks_of_systems_are_counted_over_universes(small):
    _, sweep, tables, made = small
    frame = tables["systems"]
    conditions = sweep.design.conditions
    for (axis, entry), rows in frame.groupby(["axis", "entry"], dropna=False):
        own = [one for one in made if _is_of(one, conditions, axis, entry)]
        weight = np.array([one["weight"] for one in own])
        ranks = np.array([competition_ranks(one["means"]) for one in own])
        for row in rows.itertuples():
            column = ranks[:, sweep.systems.index(row.system)]
            order = np.argsort(column, kind="stable")
            reached = np.cumsum(weight[order]) / weight.sum()
            for q, value in ((0.25, row.q1), (0.5, row.median), (0.75, row.q3)):
                assert value == column[order][np.argmax(reached >= q - 1e-12)]
            assert (row.low, row.high) == (column.min(), column.max())
            share = weight / weight.sum()
            assert row.share_first == pytest.approx(share[column == 1].sum())
            assert row.share_top == pytest.approx(share[column <= row.k].sum())


def _is_of(one, conditions, axis, entry) -> bool:
    if pd.isna(axis):
        return True
    if axis == "labels":
        return one["labels"] == entry
    of = next(a for a in conditions.axes if a.name == axis)
    return of.entries[of.levels.index(one[axis])] == entry


def test_examples_are_the_nearest_universes(small):
    _, sweep, tables, made = small
    at = sweep.design.baseline
    examples = {frozenset((r.system, r.other)): r for r in tables["examples"].itertuples()}
    numbers = {row["universe"]: row for row in rows_of(tables)}
    told = {row["universe"]: one["told"] for row, one in zip(rows_of(tables), made, strict=True)}
    words = {1: "better", 0: "not significant", -1: "worse"}
    i, j = np.triu_indices(len(sweep.systems), 1)
    found = 0
    for p in range(len(i)):
        y0 = sweep.baseline.conclusions[p]
        distances = [
            sum(one[axis] != at[axis] for axis in at) for one in made if one["told"][p] != y0
        ]
        row = examples.get(frozenset((sweep.systems[i[p]], sweep.systems[j[p]])))
        assert (row is None) == (not distances)
        if row is not None:
            found += 1
            assert row.changed_choices == min(distances)
            there = numbers[row.universe]
            sign = 1 if row.system == sweep.systems[i[p]] else -1
            assert row.conclusion == words[sign * y0]
            assert row.becomes == words[sign * told[row.universe][p]] != row.conclusion
            assert there["changed_choices"] == row.changed_choices == row.changes.count(": ")
    assert found > 3


def test_what_a_pair_depends_on_is_the_axis_of_the_largest_total(small):
    _, _, tables, _ = small
    axes = tables["axes"]
    conclusion = axes[axes["outcome"] == "conclusion"]
    told = 0
    for row in tables["pairs"].itertuples():
        own = conclusion[(conclusion["system"] == row.system) & (conclusion["other"] == row.other)]
        if row.depends_on is None or pd.isna(row.depends_on):
            assert own["total"].isna().all()
            continue
        assert row.total == pytest.approx(own["total"].max())
        best = own.loc[own["total"].idxmax(), "axis"]
        assert row.depends_on == best
        told += 1
    assert told > 3


def test_where_a_pair_concludes_otherwise_is_most_of_an_entry_s_universes(small):
    _, sweep, tables, made = small
    weight = np.array([one["weight"] for one in made])
    other = np.array([one["told"] for one in made]) != sweep.baseline.conclusions
    for p, row in enumerate(tables["pairs"].itertuples()):
        if pd.isna(row.depends_on):
            continue
        entries = pd.Series([one[row.depends_on] for one in made])
        entries = entries.where(~entries.str.startswith("half "), "halves")
        share = pd.Series(weight * other[:, p]).groupby(entries).sum()
        share = (share / pd.Series(weight).groupby(entries).sum()).round(9)
        most = share > 0.5 if (share > 0.5).any() else share == share.max()
        named = set(row.changed_at.split(", "))
        assert named <= {*share.index[most]}
        assert len(named) == most.sum() or share.max() <= 0.5


def test_an_axis_without_effect_has_no_share(tmp_path):
    of = world()
    for run in of.runs.values():  # nothing is tied
        for topic, ranking in run.items():
            run[topic] = [(doc, float(-rank)) for rank, (doc, _) in enumerate(ranking)]
    axes = {"labels": ["NIST", "judge"], "ties": ["rank", "docno", "expected"]}
    tables = swept(of.sweep(axes, BASELINE), tmp_path)
    ties = tables["axes"][(tables["axes"]["axis"] == "ties")]
    assert len(ties)
    assert ties["total"].dropna().to_numpy() == pytest.approx(0, abs=1e-12)
    assert "ties" not in set(tables["pairs"]["depends_on"].dropna())


# --- order, parts, what is stored --------------------------------------------------------------


def test_the_order_of_axes_and_levels_changes_no_universe(tmp_path):
    of = world()
    turned = {name: SMALL[name][::-1] for name in reversed(SMALL)}
    one = swept(of.sweep(SMALL, BASELINE), tmp_path / "one")
    other = swept(of.sweep(turned, BASELINE), tmp_path / "other")
    first, second = (
        t["universes"].to_pandas().astype({"labels": str}).set_index("universe").sort_index()
        for t in (one, other)
    )
    pd.testing.assert_frame_equal(first.astype(str), second.astype(str))
    keys = ["system", "other"]
    shares = [
        t["pairs"].set_index(keys)[["scores_higher", "significantly_better", "holds"]]
        for t in (one, other)
    ]
    pd.testing.assert_frame_equal(*shares)


def test_threads_and_parts_change_nothing(tmp_path):
    of = world()
    sweep = of.sweep(SMALL, BASELINE)
    tables = [swept(of.sweep(SMALL, BASELINE), tmp_path / str(n), n) for n in (1, 3)]
    for name, table in tables[0].items():
        other = tables[1][name]
        if name == "universes":
            assert table.equals(other)
        else:
            pd.testing.assert_frame_equal(table, other)
    for count in (1, 2, 5, 50):
        parts = sweep.parts(count)
        assert [b for part in parts for b in part] == list(sweep.blocks())
        assert len(parts) == count
    files = [sorted(p.relative_to(tmp_path / n) for p in (tmp_path / n).rglob("*.parquet"))
             for n in ("1", "3")]  # fmt: skip
    assert files[0] == files[1]
    for file in files[0]:
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "3" / file).read_bytes()


def test_one_level_of_each_axis_is_the_baseline_s(small):
    levels = small[2]["levels"]
    at = levels[levels["at_baseline"].astype(bool)].set_index("axis")["entry"]
    expected = {"labels": "NIST", "ties": "rank", "measure": "nDCG@10", "topics": "all"}
    expected |= {"test": "t/none", "unjudged": "non-relevant", "pool": "all"}
    assert at.to_dict() == expected


def test_blocks_find_their_rows_in_the_tables_of_parts(small):
    _, sweep, tables, _ = small
    every = tables["universes"]
    rows = [own for _, own in blocks_of(sweep, [every])]
    for block, own in zip(sweep.blocks(), rows, strict=True):
        assert own["labels"].unique().to_pylist() == [sweep.labels[block.entry].entry.text]
    ends = np.cumsum([len(own) for own in rows])
    assert ends[-1] == len(every)
    parts = [every[: ends[1]], every[ends[1] : ends[2]], every[ends[2] :]]
    for one, other in zip(blocks_of(sweep, parts), rows, strict=True):
        assert one[1].equals(other)


def test_how_much_is_held_at_a_time_changes_no_sum(monkeypatch):
    of = world(systems=3, topics=3)
    axes = {**SMALL, "measure": ["nDCG@10"], "topics": ["all"]}
    sweep = of.sweep(axes, BASELINE)

    def summed():
        part = SweepPart(sweep, [*sweep.blocks()], Store())
        for _ in part.universes():
            pass
        return part.sums

    whole, again = summed(), Sums.nothing(sweep)
    monkeypatch.setattr(parts, "TOLD_BYTES", 1)
    monkeypatch.setattr(parts, "SLICE", 7)
    tables = [*sums_tables(summed())]
    assert max(map(len, tables)) <= 7
    add_sums(again, tables)
    for name, values in vars(whole).items():
        assert np.array_equal(getattr(again, name), values), name


def test_one_level_more_makes_only_what_is_new(tmp_path, monkeypatch):
    of = world()
    fewer = {**SMALL, "ties": ["rank"], "test": ["t/none"]}
    whole = swept(of.sweep(SMALL, BASELINE), tmp_path / "whole")
    swept(of.sweep(fewer, BASELINE), tmp_path / "grown")
    sweep = of.sweep(SMALL, BASELINE)
    made = []
    conclude = type(sweep).conclude
    monkeypatch.setattr(
        type(sweep), "conclude",
        lambda self, block, keys: made.extend(keys) or conclude(self, block, keys),
    )  # fmt: skip
    grown = swept(sweep, tmp_path / "grown")
    # a test more needs the scores anew, and ties more those of their own; nothing is made twice
    assert len(made) == len(set(made)) * sum(1 for _ in sweep.blocks()) or made
    assert grown["universes"].equals(whole["universes"])
    for file in (tmp_path / "whole").rglob("*.parquet"):
        other = tmp_path / "grown" / file.relative_to(tmp_path / "whole")
        assert pq.read_table(file).num_rows == pq.read_table(other).num_rows
    made.clear()
    again = swept(of.sweep(SMALL, BASELINE), tmp_path / "grown")
    examples = len({(e.system, e.other) for e in again["examples"].itertuples()})
    assert len(made) <= examples  # only what examples look up
    back = swept(of.sweep(fewer, BASELINE), tmp_path / "grown")
    kept = whole["universes"].to_pandas()
    kept = kept[(kept["tie_order"] == "rank") & (kept["test"] == "t/none")]
    assert back["universes"]["universe"].to_pylist() == kept["universe"].tolist()


def test_what_a_killed_job_left_is_gone_on_from(tmp_path):
    of = world()
    whole = swept(of.sweep(SMALL, BASELINE), tmp_path / "whole")
    shutil.copytree(tmp_path / "whole", tmp_path / "killed")
    files = sorted((tmp_path / "killed" / "cells").rglob("*.parquet"))
    for file in files[::2]:
        file.unlink()
    again = swept(of.sweep(SMALL, BASELINE), tmp_path / "killed")
    assert again["universes"].equals(whole["universes"])
    for file in (tmp_path / "whole").rglob("*.parquet"):
        other = tmp_path / "killed" / file.relative_to(tmp_path / "whole")
        assert file.read_bytes() == other.read_bytes()


def test_other_data_makes_all_anew(tmp_path):
    of = world()
    sweep = of.sweep(SMALL, BASELINE)
    for block in sweep.blocks():
        Store(tmp_path, "one").cells(sweep, block)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*.parquet")}
    (block, *_) = sweep.blocks()
    Store(tmp_path, "other").cells(sweep, block)
    changed = [p for p, content in before.items() if p.read_bytes() != content]
    assert len(changed) == 2 * len(sweep.design.conditions.axes[3])


def test_means_of_another_sweep_are_not_taken_for_ones_own(tmp_path):
    of = world()
    sweep = of.sweep(SMALL, BASELINE)
    (block, *_) = sweep.blocks()
    Store(tmp_path, "one").cells(sweep, block)
    assert np.isfinite(Store(tmp_path, "one").means(sweep, block)).any()
    topic = of.labels["NIST"]["t0"]
    topic[min(topic)] = 3 - topic[min(topic)]
    for other in (("two", sweep), ("one", of.sweep(SMALL, BASELINE))):
        with pytest.raises(InputError, match="is missing, or of another sweep"):
            Store(tmp_path, other[0]).means(other[1], block)


def test_the_same_labels_in_other_chunks_are_the_same(tmp_path):
    of = world()
    sweep = of.sweep(SMALL, BASELINE)
    swept(sweep, tmp_path)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    again = of.sweep(SMALL, BASELINE)
    for labels in again.labels:
        whole = labels.table
        parts = [whole.slice(start, 7) for start in range(0, len(whole), 7)]
        object.__setattr__(labels, "table", pa.concat_tables(parts))
    swept(again, tmp_path)
    assert times == {path: path.stat().st_mtime_ns for path in times}


def test_means_are_a_dataset_that_is_read_by_measure(small, tmp_path):
    of, _, _, _ = small
    sweep = of.sweep(SMALL, BASELINE)
    tables = swept(sweep, tmp_path)
    folder = ds.dataset(tmp_path / "means", partitioning="hive")
    read = folder.to_table(filter=ds.field("measure") == "AP").to_pandas()
    universes = tables["universes"].to_pandas()
    wanted = universes.loc[universes["measure"] == "AP", "ranking"].unique()
    assert set(read["ranking"]) == set(wanted)
    assert len(read) == len(wanted) * len(sweep.systems)
    manifest = tables["manifest"]
    assert manifest["rows"].sum() == folder.count_rows()
    assert all((tmp_path / file).is_file() for file in manifest["file"])
    one = read[read["ranking"] == wanted[0]].sort_values("system")
    assert (competition_ranks(one["mean"].to_numpy()) == one["rank"]).all()


def test_of_universes_as_near_the_first_in_the_order_of_labels_and_conditions_is_taken():
    rng = np.random.default_rng(0)
    sums = Sums(*[None] * 8, nearest=np.full((30, 4), 127))
    parts = rng.integers(0, 2, (3, 30, 4))
    for part in parts:
        sums.take_nearer(part)
    assert [*map(tuple, sums.nearest.tolist())] == [
        min(map(tuple, of)) for of in parts.swapaxes(0, 1).tolist()
    ]


def test_conclusions_are_packed():
    told = np.random.default_rng(1).integers(-1, 2, (7, 11)).astype(np.int8)
    found = np.empty_like(told)
    unpack(pack(told), found[:, None], 0)
    np.testing.assert_array_equal(found, told)


# --- axes and levels ---------------------------------------------------------------------------


def test_entries_count_the_same():
    axis = Axis.of(
        "topics", {"all": ["all"], "halves": ["half 1a", "half 1b", "half 2a", "half 2b"]}
    )
    assert axis.weights.tolist() == [4, 1, 1, 1, 1]
    plain_axis = Axis.of("ties", {"rank": ["rank"], "docno": ["docno"]})
    conditions = Conditions((plain_axis, axis))
    assert conditions.weights.tolist() == [4, 1, 1, 1, 1] * 2
    assert len(set(conditions.keys.tolist())) == 10
    fewer = Conditions((Axis.of("ties", {"docno": ["docno"]}), axis))
    assert set(fewer.keys.tolist()) < set(conditions.keys.tolist())


def test_halves_are_those_of_a_split():
    topics = [f"t{t}" for t in range(9)]
    one, other = (set(topic_rows(f"half 3{side}", topics, 5).tolist()) for side in "ab")
    assert one | other == set(range(9)) and not one & other
    assert {len(one), len(other)} == {4, 5}
    assert one != set(topic_rows("half 4a", topics, 5).tolist())


def test_largest_factorials_are_the_largest():
    rng = np.random.default_rng(0)
    for _ in range(20):
        possible = rng.random((3, 2, 3)) < 0.7
        counts = [rng.integers(1, 5, n) for n in possible.shape]
        found = largest_factorials(possible, counts)
        subsets = [
            [list(c) for r in range(1, n + 1) for c in itertools.combinations(range(n), r)]
            for n in possible.shape
        ]
        sizes = [
            np.prod([counts[a][list(s)].sum() for a, s in enumerate(some)])
            for some in itertools.product(*subsets)
            if possible[np.ix_(*some)].all()
        ]
        if not sizes:
            assert found == []
            continue
        for levels in found:
            assert possible[np.ix_(*levels)].all()
        first = np.prod([counts[a][own].sum() for a, own in enumerate(found[0])])
        assert first == max(sizes)
        for axis in range(3):
            some = possible.any(axis=tuple(a for a in range(3) if a != axis))
            assert set(np.flatnonzero(some)) == {k for levels in found for k in levels[axis]}


def test_what_cannot_be_is_left_out_and_said():
    of = world()
    cuts = {"cuts": "judge", "which": ["every"], "levels": 2}
    axes = {"labels": ["NIST", "share", cuts],
            "measure": ["nDCG@10", "AP", "AP(rel=2)", "Bpref"],
            "ties": ["rank", "expected"]}  # fmt: skip
    sweep = of.sweep(axes, BASELINE)
    tables = level_tables(sweep)
    left = tables["left_out"]
    assert (left["labels"] == "share").sum() == 2 * 3 and left["why_not"].str.len().min() > 10
    assert ((left["measure"] == "Bpref") & (left["tie_order"] == "expected")).sum() == 3
    assert left["universes"].sum() + sweep.universes == 8 * sweep.counts.sum()
    assert set(tables["factorials"]["factorial"]) == set(range(1, len(sweep.factorials) + 1))


BAD = [
    ({"labels": ["NIST"], "tie": ["rank"]}, {"labels": "NIST"}, "unknown axis of a sweep 'tie'"),
    ({"labels": ["NISt"]}, {"labels": "NISt"}, "no set 'NISt'; did you mean 'NIST'"),
    ({"labels": ["NIST"]}, {"labels": "judge"}, "'judge' is not a level of the axis 'labels'"),
    ({"labels": [{"cuts": "judge"}]}, {"labels": "judge every"}, "is many cuts"),
    ({"labels": [{"cuts": "judge", "which": ["worst"]}]}, {"labels": "NIST"}, "worst"),
    ({"labels": [{"cut": "judge"}]}, {"labels": "NIST"},
     "is not an entry: write the name of a set"),
    ({"labels": []}, {"labels": "NIST"}, "give a list of levels, or leave the axis out"),
    ({"ties": ["random"]}, {"labels": "NIST"}, "random"),
    ({"ties": ["docno"]}, {"labels": "NIST", "ties": "rank"},
     "'rank' is not a level of the axis 'ties'"),
    ({"pool": ["depth-0"]}, {"labels": "NIST"}, "depth-0"),
    ({"pool": ["dept-10"]}, {"labels": "NIST"}, "'dept-10' is not an entry"),
    ({"pool": ["all", {"without": "judge"}]}, {"labels": "NIST"}, "is not a pooling method"),
    ({"pool": ["all", {"method": "RFR", "size": 9}]}, {"labels": "NIST"}, "RFR"),
    ({"pool": ["all", "RRF@0"]}, {"labels": "NIST"}, "size is 0"),
    ({"pool": ["RRF@many"]}, {"labels": "NIST"}, "'RRF@many' is not a pooling method"),
    ({"pool": ["Depth@5"]}, {"labels": "NIST"}, "'Depth@5' is not an entry: write all, depth-10"),
    ({"topics": ["all", "halves-3"]}, {"labels": "NIST"}, "halves"),
    ({"topics": ["some"]}, {"labels": "NIST"}, "'some' is not an entry"),
    ({"test": ["z/holm"]}, {"labels": "NIST"}, "z"),
    ({"test": ["t/bonf"]}, {"labels": "NIST"}, "bonf"),
    ({"measure": ["nDCG@"]}, {"labels": "NIST"}, "nDCG@"),
    ({"measure": ["NLRE(second=b)@2"]}, {"labels": "NIST"}, "uses several label sets"),
    ({"measure": ["nDCG@10"]}, {}, "give its labels"),
    ({"pool": ["all", {"without": "group"}]}, {"labels": "NIST"}, "give the group of each run"),
]  # fmt: skip


@pytest.mark.parametrize(("axes", "baseline", "problem"), BAD)
def test_what_is_no_sweep_is_refused(axes, baseline, problem):
    with pytest.raises(ParameterError) as caught:
        read_sweep(
            axes, baseline, ["NIST", "judge"], None, AvailableLevels({"run": ["a"], "group": []})
        )
    assert problem in str(caught.value)


REFUSED = [
    ({"labels": ["NIST", {"cuts": "judge", "levels": 3, "which": ["every", "middle"]},
                 {"cuts": "judge", "which": ["every"], "levels": 2}, "judge"]},
     BASELINE, r"limit of 10 \(labels 48, unjudged 1"),
    ({"labels": ["share"], "measure": ["nDCG@10", "AP"]}, {"labels": "share"},
     r"measure: AP goes with no other choice: AP: .*share"),
    ({"labels": ["NIST", "share"], "measure": ["AP", "AP(rel=2)"]},
     {"labels": "NIST", "measure": "AP"}, "labels: share goes with no other choice: AP"),
    ({"measure": ["AP"]}, {"labels": "share"},
     "baseline: the combination is impossible: AP: counts grades"),
]  # fmt: skip


@pytest.mark.parametrize(("axes", "baseline", "problem"), REFUSED)
def test_what_cannot_be_swept_is_refused(axes, baseline, problem):
    with pytest.raises(ParameterError, match=problem):
        world().sweep(axes, baseline, limit=10)


def test_an_axis_of_one_level_is_said():
    notes = level_tables(world().sweep({"ties": ["docno"]}, {"labels": "NIST"}))["levels"]
    assert (notes.set_index("axis")["note"].drop("labels") == "the only one: nothing varies").all()


def values_of(labels) -> dict[tuple[str, str], float]:
    rows = labels.to_pylist()
    return {(row["topic"], row["docno"]): row["grade"] for row in rows}


def test_judgments_become_labels_by_each_aggregation():
    of = world()
    rows = [
        {"topic": t, "docno": d, "worker": w, "unit": None, "position": None,
         "value": float(min(9, max(0, v + off)))}
        for t, own in of.labels["judge"].items() for d, v in own.items()
        for w, off in (("a", 0), ("b", 0), ("c", 4))
    ]  # fmt: skip
    crowd = pa.table({key: [row[key] for row in rows] for key in rows[0]})
    axes = {
        "labels": [
            "NIST",
            {"judgments": "crowd", "aggregate": ["median", "mean"]},
            {"judgments": "crowd", "aggregate": ["mean"], "cuts": ["rounded"]},
        ]
    }
    written = read_sweep(axes, {"labels": "NIST"}, ["NIST", "crowd"])
    sets = {"NIST": of.sets["NIST"], "crowd": LabelledSet(crowd, of.scales["judge"])}
    sweep = Sweep.of(SweepDesign.of(written), sets, of.ranked)
    assert [m.entry.text for m in sweep.labels] == ["NIST", "crowd median", "crowd mean",
                                                    "crowd mean rounded"]  # fmt: skip
    median, mean = (values_of(made.table) for made in sweep.labels[1:3])
    for (topic, docno), value in median.items():
        assert value == of.labels["judge"][topic][docno]
        assert mean[topic, docno] == pytest.approx((2 * value + min(9, value + 4)) / 3)


def test_rules_that_choose_one_cut_are_counted_once_and_said():
    of = world()
    of.labels["judge"] = {t: {d: 9 * (v > 4) for d, v in own.items()}
                          for t, own in of.labels["judge"].items()}  # fmt: skip
    axes = {"labels": ["NIST", {"cuts": "judge", "which": ["middle", "equal_widths"], "levels": 2}]}
    sweep = of.sweep(axes, BASELINE)
    assert [labels.entry.text for labels in sweep.labels] == ["NIST", "judge to 2 middle"]
    notes = level_tables(sweep)["levels"].set_index("entry")["note"]
    assert "judge to 2 equal_widths is the same as" in notes["judge to 2 middle"]


def test_a_note_stands_at_its_own_entry_alone():
    of = world(topics=10)
    del of.labels["judge"]["t1"]
    axes = {"labels": ["NIST", "judge", {"cuts": "judge", "which": ["middle"], "levels": 3}]}
    notes = level_tables(of.sweep(axes, BASELINE))["levels"].set_index("entry")["note"]
    assert notes["judge"].startswith("judge lacks 1 of 10 topics")
    assert notes["judge to 3 middle"].startswith("judge to 3 middle lacks 1 of 10 topics")
    assert ";" not in notes["judge"]


def test_levels_that_are_the_same_choice_are_counted_once():
    written = read_sweep(
        {"measure": ["nDCG@10", "nDCG(dcg=log2)@10", "AP", "AP(rel=1)"], "test": ["t", "t/none"]},
        {"labels": "a", "test": "t"}, ["a"],
    )  # fmt: skip
    assert list(written.others["measure"]) == ["nDCG@10", "AP"]
    assert list(written.others["test"]) == ["t/none"]


def test_topics_that_labels_lack_are_said_and_score_nothing():
    of = world(topics=10)
    del of.labels["judge"]["t1"]
    sweep = of.sweep({"labels": ["NIST", "judge"]}, BASELINE)
    assert any("judge lacks 1 of 10 topics" in note for _, note in sweep.notes)
    (block,) = [b for b in sweep.blocks() if sweep.labels[b.entry].entry.text == "judge"]
    (cell,) = Store().cells(sweep, block).values()
    row = {"labels": "judge", "thresholds": None, "unjudged_as": "non-relevant",
           "tie_order": "rank", **DEFAULTS}  # fmt: skip
    np.testing.assert_allclose(cell.outcomes.means[0], universe(of, sweep, row).mean(axis=1))
    del of.labels["judge"]
    of.labels["judge"] = {"x9": {"d01": 3}}
    with pytest.raises(ParameterError, match="judge has 0 of the 10 topics of the baseline"):
        of.sweep({"labels": ["NIST", "judge"]}, BASELINE)


# --- the edges ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("systems", "topics"), [(1, 5), (2, 1), (2, 2), (3, 1)])
def test_few_systems_and_topics(systems, topics, tmp_path):
    of = world(5, systems=systems, topics=topics)
    axes = {
        "labels": ["NIST", "judge"],
        "ties": ["rank", "docno"],
        "test": ["t/holm", "wilcoxon/bh"],
    }
    tables = swept(of.sweep(axes, {"labels": "NIST"}), tmp_path)
    assert len(tables["universes"]) == 8
    assert len(tables["pairs"]) == systems * (systems - 1) // 2
    if topics == 1:
        assert (tables["pairs"]["conclusion"] == "not significant").all()
        assert tables["pairs"]["holds"].all()
    assert Answer.of_frame(tables["answer"]).question == "Which choices decide the evaluation?"


def test_one_topic_has_no_halves():
    of = world(5, topics=1)
    with pytest.raises(ParameterError, match="1 topic of the baseline's labels has no halves"):
        of.sweep({"topics": ["all", "halves-2"]}, BASELINE)


def test_one_universe(tmp_path):
    tables = swept(world().sweep({}, BASELINE), tmp_path)
    assert len(tables["universes"]) == 1
    assert tables["pairs"]["holds"].all() and len(tables["examples"]) == 0
    assert len(tables["axes"]) == 0


def test_everything_tied(tmp_path):
    of = world()
    for name in of.runs:
        of.runs[name] = of.runs["s0"]
    tables = swept(of.sweep({"labels": ["NIST", "judge"]}, BASELINE), tmp_path)
    assert tables["pairs"]["order_holds"].all() and tables["pairs"]["holds"].all()
    assert tables["universes"]["tau"].null_count == 2
    assert (tables["systems"]["share_first"] == 1).all()
    assert tables["universes"]["first_system"].unique().to_pylist() == ["s0"]


def test_a_topic_without_judgments_in_a_pool_scores_nothing(tmp_path):
    of = world()
    sweep = of.sweep({"pool": ["all", "depth-1"]}, BASELINE)
    tables = swept(sweep, tmp_path)
    row = next(r for r in rows_of(tables) if r["pool"] == "depth-1")
    values = universe(of, sweep, row)
    block = Block(0, 0, 1)
    cells = Store().cells(sweep, block)
    np.testing.assert_allclose(cells[sorted(cells)[1]].outcomes.means[0], values.mean(axis=1))

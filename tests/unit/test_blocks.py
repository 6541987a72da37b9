"""Tables in blocks: the rows of tables that are whole, in the same order, wherever they go."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pandas.testing import assert_frame_equal

import regrade
from regrade import blocks
from regrade.blocks import Blocks, blocks_of, concat, table_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.command import output
from regrade.command.app import app
from regrade.errors import InputError
from regrade.estimation.figures import figure_estimate
from regrade.evaluations import comparison_tables as compare_tables
from regrade.evaluations.pair_outcomes import (
    changes_table,
    flips_by_topics,
    pair_counts,
    pair_outcomes,
)
from regrade.evaluations.system_rankings import ScoredPair
from regrade.ranking import figures as ranking_figures
from regrade.ranking import tables as ranking_tables
from regrade.ranking.rank_systems import RankingOptions, rank_systems
from regrade.show.item_tables import read_item
from regrade.significance.discrimination import (
    compare_under,
    ratios_by_pairs,
    significance_curve,
)
from regrade.tables import read_row_groups, read_table, write_table, write_tables
from regrade.writers import write_frame
from tests.unit import test_estimates as estimated
from tests.unit.figure_checks import words
from tests.unit.test_ranking_rank_systems import scored, world

HOW = RankingOptions(draws=200, splits=10)
BOTH = ("AP", "nDCG")


@pytest.fixture
def few(monkeypatch):
    """Makes blocks of so many rows."""

    def limited(rows):
        monkeypatch.setattr(blocks, "MOST_ROWS", rows)

    return limited


def two(systems, topics, measures=BOTH):
    values = [world(systems, topics, seed) for seed in range(2 * len(measures))]
    half = len(measures)
    return [scored(np.stack(some, axis=2), measures) for some in (values[:half], values[half:])]


def equal(found, wanted):
    """The same values; only what names are coded by may be another."""

    def plain(frame):
        names = [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c])]
        return frame.astype(dict.fromkeys(names, object))

    assert_frame_equal(plain(found), plain(wanted), check_exact=True)


def numbered(rows):
    return rows, lambda start, stop: pd.DataFrame({"n": np.arange(start, stop)})


# --- blocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("parts", "sizes"), [([7], [3, 3, 1]), ([6, 0, 2], [3, 3, 2])])
def test_a_block_has_rows_of_one_part(few, parts, sizes):
    few(3)
    table = table_of([numbered(rows) for rows in parts])
    assert isinstance(table, Blocks)
    assert (len(table), [len(some) for some in table]) == (sum(parts), sizes)
    assert [len(some) for some in table] == sizes  # again
    wanted = [n for rows in parts for n in range(rows)]
    assert concat(table)["n"].tolist() == wanted
    assert concat(table).index.tolist() == [*range(sum(parts))]


def test_a_table_of_no_more_rows_than_are_held_is_a_frame(few):
    few(3)
    for rows in (0, 3):
        table = table_of([numbered(rows)])
        assert table["n"].tolist() == list(range(rows))
        assert blocks_of(table)[0] is table
        assert concat(table) is table
    assert isinstance(table_of([numbered(2), numbered(2)]), Blocks)
    assert table_of([numbered(1), numbered(2)]).index.tolist() == [0, 1, 2]


# --- pairs of systems -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("systems", "topics", "rows"), [(45, 12, 100), (9, 30, 7), (4, 2, 1), (3, 1, 2)]
)
def test_rankings_in_blocks_are_those_of_all_pairs(few, systems, topics, rows):
    """Of 990 pairs Tukey's p is interpolated, of 100 alone it would not be."""
    scores = two(systems, topics)[0]
    wanted = rank_systems(scores, HOW)
    few(rows)
    found = rank_systems(scores, HOW)
    assert isinstance(found["pairs"], Blocks)
    assert max(len(some) for some in found["pairs"]) <= rows
    for name, table in wanted.items():
        equal(concat(found[name]), table)


def test_one_system_has_no_pair_and_no_block(few):
    few(1)
    assert len(rank_systems(two(1, 5)[0], HOW)["pairs"]) == 0
    assert len(pair_outcomes(*two(1, 5))) == 0


@pytest.mark.parametrize(
    "options",
    [{}, {"correction": "bh"}, {"test": "wilcoxon"}, {"test": "tukey_hsd", "permutations": 50}],
    ids=str,
)
@pytest.mark.parametrize(("systems", "topics", "rows"), [(9, 30, 7), (4, 2, 1), (4, 1, 5)])
def test_comparisons_in_blocks_are_those_of_all_pairs(few, systems, topics, rows, options):
    pair = ScoredPair(*two(systems, topics), 0.9, 10, 10, 1)

    def made():
        pairs = pair_outcomes(pair.first, pair.second, significance=0.3, **options)
        asked = pair.systems(), pair.first, 0.3, options.get("correction", "none"), 1
        return pairs, pair_counts(pairs, pair.measures), changes_table(pairs, *asked)

    wanted = made()
    few(rows)
    found = made()
    assert isinstance(found[0], Blocks)
    for one, other in zip(found, wanted, strict=True):
        equal(concat(one), other)
    if topics == 30:
        assert 0 < wanted[2]["changed"].sum() < wanted[2]["pairs"].sum()


@pytest.mark.parametrize("test", ["t", "wilcoxon", "tukey_hsd"])
@pytest.mark.parametrize(("systems", "topics", "rows"), [(9, 30, 7), (4, 2, 1)])
def test_tests_in_blocks_are_those_of_all_pairs(few, test, systems, topics, rows):
    scores = dict(zip(("N", "M"), two(systems, topics), strict=True))
    same = scores["N"].values
    same[1] = same[0]  # undefined p
    groups = {f"s{s:02}": str(s % 3) for s in range(systems)}

    def made():
        pairs = compare_under(scores, test, correction="holm", permutations=50)
        ratios = ratios_by_pairs(pairs, groups, significance=0.3)
        return pairs, ratios, ratios_by_pairs(pairs), significance_curve(pairs)

    wanted = made()
    few(rows)
    found = made()
    assert isinstance(found[0], Blocks) and isinstance(found[3], Blocks)
    assert max(len(some) for some in found[3]) <= rows
    for one, other in zip(found, wanted, strict=True):
        equal(concat(one), other)
    assert {*wanted[1]["pairs"]} == {"all", "across groups"}


@pytest.mark.parametrize("left", [0, 3], ids=["all labelled", "some lack labels"])
def test_estimates_in_blocks_are_those_of_all_pairs(few, left):
    runs, people, model = estimated.world(systems=7)
    asked = regrade.assign(runs, model, estimated.BUDGET, estimated.MEASURES, scale=4)
    labels = estimated.filled(asked, people)
    labels.loc[labels.index[labels["grade"].notna()][:left], "grade"] = np.nan
    how = {"measures": estimated.MEASURES, "scale": 4, "replays": 2}
    wanted = regrade.estimate(labels, model, runs, **how)
    few(4)
    found = regrade.estimate(labels, model, runs, **how)
    assert isinstance(found.tables["pairs"], Blocks)
    assert max(len(some) for some in found.tables["pairs"]) <= 4
    for name, table in wanted.tables.items():
        equal(concat(found.tables[name]), table)
    assert wanted.pairs["low"].notna().any()
    for aim in (1, 3, "undecided"):
        equal(found.settled(aim).table, wanted.settled(aim).table)
    assert words(found.plot()) == words(wanted.plot())


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_flips_do_not_depend_on_how_much_is_held(monkeypatch, correction):
    scores = world(12, 20)
    wanted = flips_by_topics(scores, 0.05, correction, 1, draws=30)
    monkeypatch.setattr("regrade.evaluations.pair_outcomes.HELD", 150)
    monkeypatch.setattr("regrade.evaluations.pair_outcomes.CHUNK", 13)
    assert np.array_equal(flips_by_topics(scores, 0.05, correction, 1, draws=30), wanted)
    assert wanted.any()


# --- files ----------------------------------------------------------------------------------------


def test_each_block_is_a_row_group(few, tmp_path):
    scores = two(9, 20)[0]
    write_table(rank_systems(scores, HOW)["pairs"], tmp_path / "whole.parquet", "ranking/pairs")
    few(10)
    for name in ("blocks", "again"):
        pairs = rank_systems(scores, HOW)["pairs"]
        write_table(pairs, tmp_path / f"{name}.parquet", "ranking/pairs")
    found, wanted = (
        read_table(tmp_path / f"{name}.parquet", "ranking/pairs") for name in ("blocks", "whole")
    )
    equal(found.to_pandas(), wanted.to_pandas())
    assert pq.ParquetFile(tmp_path / "blocks.parquet").num_row_groups == 2 * 4  # 36 pairs each
    assert (tmp_path / "blocks.parquet").read_bytes() == (tmp_path / "again.parquet").read_bytes()
    groups = list(read_row_groups(tmp_path / "blocks.parquet", "ranking/pairs", ["p", "won"]))
    assert [group.num_rows for group in groups] == [10, 10, 10, 6] * 2
    assert groups[0].column_names == ["p", "won"]
    assert SCHEMAS["ranking/pairs"].field("p") == groups[0].schema.field("p")


def test_row_groups_of_another_table_are_refused(tmp_path):
    facts = rank_systems(two(3, 5)[0], HOW)["facts"]
    write_table(facts, tmp_path / "facts.parquet", "ranking/facts")
    with pytest.raises(InputError, match="no 'ranking/pairs' table"):
        next(read_row_groups(tmp_path / "facts.parquet", "ranking/pairs"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_text_in_blocks_has_the_bytes_of_the_whole(few, tmp_path, ending):
    made = {}
    for rows in (1000, 10):
        few(rows)
        pairs = pair_outcomes(*two(9, 20))
        write_frame(pairs, str(tmp_path / f"{rows}.{ending}"))
        made[rows] = (tmp_path / f"{rows}.{ending}").read_bytes()
    assert made[10] == made[1000]
    assert made[10].count(b"\n") == 72 + (ending != "jsonl")


def test_parquet_in_blocks_has_the_rows_of_the_whole(few, tmp_path):
    for rows in (1000, 10):
        few(rows)
        write_frame(pair_outcomes(*two(9, 20)), str(tmp_path / f"{rows}.parquet"))
    found, wanted = (pd.read_parquet(tmp_path / f"{rows}.parquet") for rows in (10, 1000))
    equal(found, wanted)


# --- what shows them ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [ranking_tables.table_pairs, ranking_figures.figure_pairs, ranking_figures.figure_power,
     compare_tables.table_changed_pairs],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_items_read_the_part_that_they_show(few, tmp_path, function):
    folder = "compare" if function is compare_tables.table_changed_pairs else "ranking"
    settings = {"limit": 4} if "power" not in function.__name__ else {}
    first, second = two(9, 20)
    names = {"figure_pairs": ["pairs", "systems"],
             "figure_power": ["pairs", "needed_differences", "facts"]}  # fmt: skip
    names = names.get(function.__name__, ["pairs"])
    shown = []
    for rows in (1000, 10):
        few(rows)
        made = rank_systems(first, HOW)
        if folder == "compare":
            made = {"pairs": pair_outcomes(first, second, significance=0.3)}
        for name in names:
            write_table(made[name], tmp_path / f"{name}.parquet", f"{folder}/{name}")
        given = [(f"{folder}/{name}", name, None) for name in names]
        paths = {name: [tmp_path / f"{name}.parquet"] for name in names}
        tables = read_item(given, paths, {}, function, settings)
        if "figure" in function.__name__:
            settings |= {"measure": "AP"}
            assert not {"low", "p_tukey"} & set(tables[0])
            drawn = function(*tables, **settings)
            shown.append(
                [text.get_text() for text in drawn.findobj(lambda one: hasattr(one, "get_text"))]
            )
            settings = {key: value for key, value in settings.items() if key == "limit"}
        else:
            assert len(tables[0]) < len(made["pairs"])
            shown.append([part.to_csv() for part in function(*tables, **settings)])
    assert shown[0] == shown[1]


def test_estimates_are_drawn_from_the_pairs_of_the_first_system(few, tmp_path):
    runs, people, model = estimated.world(systems=7)
    asked = regrade.assign(runs, model, estimated.BUDGET, estimated.MEASURES, scale=4)
    labels, said = estimated.filled(asked, people), []
    names = ("labels", "systems", "pairs")
    for rows in (1000, 6):
        few(rows)
        made = regrade.estimate(labels, model, runs, estimated.MEASURES, scale=4, replays=0)
        write_tables(made.tables, {n: tmp_path / f"{n}.parquet" for n in made.tables}, "estimates")
        given = [(f"estimates/{name}", name, None) for name in names]
        paths = {name: [tmp_path / f"{name}.parquet"] for name in names}
        tables = read_item(given, paths, {}, figure_estimate, {"limit": 5})
        assert len(tables[2]) < len(made.pairs)
        said.append(words(figure_estimate(*tables, limit=5)))
        assert words(figure_estimate(*(made.to_frame(n) for n in names), limit=5)) == said[-1]
    assert said[0] == said[1]


def test_of_many_pairs_every_so_many_th_is_drawn(monkeypatch):
    made = rank_systems(two(9, 20)[0], HOW)
    monkeypatch.setattr(ranking_figures, "MOST_DRAWN", 10)
    shown = [made[name] for name in ("pairs", "needed_differences", "facts")]
    figure = ranking_figures.figure_power(*shown, measure="AP")
    axes = figure.axes[0]
    dots = np.concatenate([line.get_xydata() for line in axes.lines[:2]])
    rows = made["pairs"].query("measure == 'AP'").iloc[::4]
    assert sorted(map(tuple, dots)) == sorted(
        zip(rows["difference"], rows["detectable"], strict=True)
    )
    assert any("every 4th of 36 pairs" in word for word in words(figure))


# --- the command and the library ------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Runs of six systems on two topics, and two sets of labels."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    for s in range(6):
        lines = [
            f"{t} Q0 d{d} {rank} {-rank} s{s}\n"
            for t in (1, 2)
            for rank, d in enumerate(rng.permutation(12), 1)
        ]
        (tmp_path / f"s{s}.run").write_text("".join(lines))
    for name in ("one", "other"):
        grades = [f"{t} 0 d{d} {rng.integers(2)}\n" for t in (1, 2) for d in range(12)]
        (tmp_path / f"{name}.qrels").write_text("".join(grades))
    return tmp_path


COMMANDS = {
    "rank": ["rank", "one.qrels", "s*.run", "-m", "AP RR", "--draws", "100"],
    "compare": ["compare", "one.qrels", "other.qrels", "--runs", "s*.run", "-m", "AP RR",
                "--resamples", "10", "--splits", "10"],
    "estimate": ["estimate", "one.qrels", "other.qrels", "--runs", "s*.run", "-m", "P@5 RBP",
                 "--scale", "2", "--assume", "uniform", "--replays", "0"],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("asked", [["--json"], ["--json", "--table", "pairs"], []], ids=str)
def test_the_command_says_the_same_of_blocks(few, files, monkeypatch, command, asked):
    said = []
    monkeypatch.setattr(output, "PAGE", 3)
    for rows in (1000, 4):
        few(rows)
        result = CliRunner().invoke(app, [*COMMANDS[command], *asked])
        assert result.exit_code == 0
        said.append(result.output)
    assert said[0] == said[1]
    if asked:
        json.loads(said[0])


@pytest.mark.parametrize("command", COMMANDS)
def test_rows_of_blocks_are_printed_below_one_head(few, files, monkeypatch, command):
    monkeypatch.setattr(output, "PAGE", 3)
    said = []
    for rows in (1000, 4):
        few(rows)
        result = CliRunner().invoke(app, [*COMMANDS[command], "--table", "pairs"])
        said.append([line.split() for line in result.output.splitlines()])
    assert said[0] == said[1]
    assert len(said[0]) == 31


@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_goes_to_a_file(few, files, command):
    few(4)
    asked = [*COMMANDS[command], "--table", "pairs", "--out"]
    result = CliRunner().invoke(app, [*asked, "pairs.csv"])
    assert result.exit_code == 0
    assert "pairs" in result.output
    assert len(pd.read_csv("pairs.csv")) == 30
    main = CliRunner().invoke(app, [*COMMANDS[command], "--out", "main.jsonl"])
    assert main.exit_code == 0
    assert len(pd.read_json("main.jsonl", lines=True)) == (30 if command == "compare" else 12)
    refused = CliRunner().invoke(app, [*asked, "pairs.xls"])
    assert refused.exit_code == 1


def test_a_result_gives_blocks_as_one_frame(few, files):
    asked = ("one.qrels", "other.qrels", "s*.run", "AP")
    drawn = {"resamples": 10, "splits": 10, "significance": 0.9}
    wanted = regrade.compare(*asked, **drawn)
    few(4)
    found = regrade.compare(*asked, **drawn)
    assert isinstance(found.tables["pairs"], Blocks)
    equal(found.pairs, wanted.pairs)
    equal(found.to_frame("pairs"), wanted.to_frame())
    equal(found.changed_pairs(), wanted.changed_pairs())
    assert len(wanted.changed_pairs())
    assert found.finds("changed")
    ranked = regrade.rank("one.qrels", "s*.run", "AP", draws=100)
    assert isinstance(ranked.tables["pairs"], Blocks)
    assert ranked.plot("power").axes
    assert ranked.plot("pairs").axes

"""Scores by item in place of labels and runs: library, command, several judges, refusals."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

import regrade
from regrade.catalogue import tables_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.command.app import app
from regrade.correlations import tau_b
from regrade.errors import RegradeError
from regrade.evaluations.top_systems import top_k
from regrade.readers.scores.parts import ScoreReading
from regrade.stages.library import StageTables
from regrade.tables import write_tables
from tests.unit.carried import assert_carried

MEASURES = ["nDCG@10", "AP"]


def invoke(*arguments):
    return CliRunner().invoke(app, list(arguments))


FEW = {"draws": 500, "splits": 50}


def frame(systems=6, items=30, seed=1, noise=0.3, measures=("accuracy",), judge=None):
    rng = np.random.default_rng(7)  # the same systems and items whoever judges
    truth = rng.normal(0, 0.3, (systems, 1)) + rng.normal(0, 1, (systems, items))
    own = np.random.default_rng(seed)
    parts = []
    for measure in measures:
        values = truth + noise * own.normal(size=truth.shape)
        rows = np.indices(values.shape).reshape(2, -1)
        parts.append(
            pd.DataFrame(
                {
                    "system": [f"s{s:02}" for s in rows[0]],
                    "topic": [f"t{t:03}" for t in rows[1]],
                    "measure": measure,
                    "value": values.ravel(),
                }
            )
        )
    table = pd.concat(parts, ignore_index=True)
    return table if judge is None else table.assign(judge=judge)


def collection(systems=5, topics=12, documents=30, seed=3):
    rng = np.random.default_rng(seed)
    qrels = {
        f"{401 + t}": {f"d{d:02}": int(rng.integers(0, 4)) for d in range(documents)}
        for t in range(topics)
    }
    runs = {
        f"run{s}": {
            topic: {doc: float(grade + rng.normal(0, 1 + s / 2)) for doc, grade in of.items()}
            for topic, of in qrels.items()
        }
        for s in range(systems)
    }
    return qrels, runs


def written(scores, folder):
    """Files as `ir_measures -q` writes them, one a system, with all digits."""
    folder.mkdir()
    for system, rows in scores.to_frame().groupby("system", observed=True):
        lines = [f"{row.topic}\t{row.measure}\t{row.value!r}" for row in rows.itertuples()]
        means = rows.groupby("measure", observed=True)["value"].mean()
        lines += [f"all\t{name}\t{mean:.4f}" for name, mean in means.items()]
        (folder / f"{system}.eval").write_text("\n".join(lines) + "\n")
    return str(folder)


def bytes_of(result, folder):
    """The files of all tables but the answer, which calls topics items."""
    folder.mkdir()
    tables = {name: result.to_frame(name) for name in result.tables if name != "answer"}
    paths = {name: folder / f"{name}.parquet" for name in tables}
    write_tables(tables, paths, "ranking", {})
    return {name: path.read_bytes() for name, path in paths.items()}


def test_scores_written_as_text_give_the_bytes_of_runs_and_labels(tmp_path):
    qrels, runs = collection()
    of_runs = regrade.rank(qrels, runs, MEASURES, **FEW)
    files = written(regrade.score(qrels, runs, MEASURES), tmp_path / "scores")
    of_scores = regrade.rank(files, measures=MEASURES, **FEW)
    assert bytes_of(of_scores, tmp_path / "a") == bytes_of(of_runs, tmp_path / "b")
    said = str(of_runs.answer.verdict)
    assert of_scores.answer.verdict == said


def test_all_runs_of_a_track_give_the_same_bytes(real_data, tmp_path):
    folder = real_data / "dl21"
    runs, qrels = regrade.read_runs(folder / "runs"), regrade.read_qrels(folder / "qrels.gz")
    measures = ["nDCG@10", "AP(rel=2)"]
    files = written(regrade.score(qrels, runs, measures), tmp_path / "scores")
    both = regrade.rank(files, measures=measures), regrade.rank(qrels, runs, measures)
    assert len(both[0].systems) == 2 * 63
    of_scores, of_runs = (bytes_of(one, tmp_path / f"{n}") for n, one in enumerate(both))
    assert of_scores == of_runs


def test_copies_of_a_run_are_known_by_documents_alone(tmp_path):
    qrels, runs = collection()
    runs["again"] = runs["run0"]
    of_runs = regrade.compare_systems(qrels, runs, "run0", "again", MEASURES)
    files = written(regrade.score(qrels, runs, MEASURES), tmp_path / "scores")
    of_scores = regrade.compare_systems(files, first="run0", second="again", measures=MEASURES)
    assert "same rankings" in of_runs.answer.verdict
    assert of_scores.answer.verdict == "again and run0 have the same nDCG@10 on every item." or (
        of_scores.answer.verdict == "run0 and again have the same nDCG@10 on every item."
    )
    ranked = [
        regrade.rank(qrels, runs, MEASURES, **FEW), regrade.rank(files, measures=MEASURES, **FEW)
    ]  # fmt: skip
    names = [name for name in ranked[0].tables if name not in ("answer", "pairs", "systems")]
    for name in names:
        pd.testing.assert_frame_equal(*(one.to_frame(name) for one in ranked), check_exact=True)


# --- one door, either input -----------------------------------------------------------------------


def test_ranking_of_scores_is_that_of_their_means():
    table = frame(measures=("accuracy", "f1"))
    ranked = regrade.rank(table, **FEW)
    means = table.groupby(["measure", "system"])["value"].mean()
    of = ranked.systems.set_index(["measure", "system"])["mean"]
    np.testing.assert_allclose(of[means.index], means, atol=1e-12)
    assert ranked.measures == ["accuracy", "f1"]
    assert "30 items" in ranked.answer.method
    assert "topic" not in " ".join(ranked.answer.sentences)
    assert_carried(ranked.answer, ranked.tables, folder="ranking")


def test_measures_are_chosen_in_order_and_lower_ones_negated():
    table = frame(measures=("accuracy", "seconds"))
    ranked = regrade.rank(table, measures="seconds accuracy", lower=["seconds"], **FEW)
    assert ranked.measures == ["-seconds", "accuracy"]
    slow = table[table["measure"] == "seconds"].groupby("system")["value"].mean()
    assert ranked.systems["system"].iloc[0] == slow.idxmin()
    assert any("seconds" in note for note in ranked.answer.notes)
    with pytest.raises(RegradeError, match="accuracy"):
        regrade.rank(table, measures=["acuracy"])


def test_missing_scores_are_refused_or_their_items_dropped_and_counted():
    table = frame().drop(index=[3, 4])
    with pytest.raises(RegradeError, match="missing"):
        regrade.rank(table)
    ranked = regrade.rank(table, missing="drop", **FEW)
    assert any("2 of 30 items were dropped" in note for note in ranked.answer.notes)
    pair = regrade.compare_systems(table, first="s02", second="s01", missing="drop")
    assert len(pair.topics) == 28


def test_two_systems_need_no_names_and_more_do():
    table = frame(systems=2)
    pair = regrade.compare_systems(table)
    t, p = stats.ttest_rel(*(table.loc[table["system"] == s, "value"] for s in ("s00", "s01")))
    assert pair.tests["t"][0] == pytest.approx(t)
    assert pair.tests["p"][0] == pytest.approx(p)
    two = [table[table["system"] == name].assign(system=new) for name, new in
           (("s00", "z"), ("s01", "a"))]  # fmt: skip
    assert regrade.compare_systems(two).tests["first"].tolist() == ["z"]
    with pytest.raises(RegradeError, match="6 systems"):
        regrade.compare_systems(frame())
    with pytest.raises(RegradeError, match="name two systems"):
        regrade.compare_systems(*collection())


@pytest.mark.parametrize(("systems", "items"), [(1, 5), (2, 1), (3, 2)])
def test_few_systems_and_items(systems, items):
    table = frame(systems, items)
    assert len(regrade.rank(table, **FEW).systems) == systems
    assert len(regrade.topics(table).topics) == items


def test_all_tied_and_copies():
    table = frame().assign(value=0.5)
    assert "same mean" in regrade.rank(table, **FEW).answer.verdict
    assert "same" in regrade.compare_systems(table, first="s00", second="s01").answer.verdict


def test_topics_of_scores_are_hardest_first():
    table = frame()
    analysed = regrade.topics(table)
    means = table.groupby("topic")["value"].mean()
    assert analysed.topics["topic"].iloc[0] == means.idxmin()
    assert "Item" in analysed.answer.verdict
    deciding = regrade.topics(table, between=["s00", "s01"]).topics
    assert deciding["contribution"].sum() == pytest.approx(deciding["difference"].mean())


def test_labels_beside_scores_are_refused():
    table, qrels = frame(), collection()[0]
    with pytest.raises(RegradeError, match="judges"):
        regrade.rank(table, judges={"gpt": qrels})
    with pytest.raises(RegradeError, match="second"):
        regrade.topics(table, second=qrels)


# --- several judges -------------------------------------------------------------------------------


def test_leaderboards_side_by_side():
    first, second = frame(systems=12, noise=0.1), frame(systems=12, seed=2, noise=1.0)
    compared = regrade.compare(first, second, names=("human", "model"), resamples=100, splits=20)
    means = [one.groupby("system")["value"].mean().to_numpy() for one in (first, second)]
    tau = compared.rankings.set_index("quantity").loc["tau"]
    assert tau["value"] == pytest.approx(stats.kendalltau(*means).statistic)
    assert tau["low"] < tau["value"] < tau["high"]
    assert not {"agreement", "confusion", "labels", "grade_bias"} & {*compared.tables}
    assert any("Labels of documents were not compared" in note for note in compared.answer.notes)
    assert any("disagree most about item" in note for note in compared.answer.notes)
    assert_carried(compared.answer, compared.tables, "human", "model", folder="compare")
    every = {*tables_of("compare"), *tables_of("compare_systems")}
    assert {f"compare/{name}" for name in compared.tables} == every


@pytest.mark.parametrize("seed", range(5))
def test_top_k_is_of_sets_of_ranks(seed):
    rng = np.random.default_rng(seed)
    first, second = (np.round(rng.random(9), 1) for _ in range(2))
    for row in top_k(first[None], second[None], [1, 3, 5, 9]):
        a, b = (
            {s for s in range(9) if (of > of[s]).sum() < row["k"]} for of in (first, second)
        )  # fmt: skip
        assert row["jaccard"] == len(a & b) / len(a | b)
        assert (row["first"], row["second"], row["shared"]) == (len(a), len(b), len(a & b))
        places = sorted(a)
        if len(places) < 2:
            assert np.isnan(row["tau"])
        else:
            expected = tau_b(first[places], second[places])
            np.testing.assert_equal(row["tau"], expected)


def test_judges_of_scores_by_name_in_a_list_or_in_one_table():
    human = frame(systems=10, noise=0.1)
    models = {name: frame(systems=10, seed=n, noise=n / 2) for n, name in enumerate("abc", 2)}
    how = {"resamples": 200}
    by_name = regrade.judges(human, models, **how)
    every = {"human": human, **models}
    together = pd.concat([of.assign(judge=name) for name, of in every.items()])
    in_one = regrade.judges("human", together, **how)
    pd.testing.assert_frame_equal(by_name.ranked, in_one.ranked, check_exact=True)
    assert by_name.ranked["judge"].iloc[0] == "a"
    assert {*by_name.rankings["quantity"]} == {"tau", "tau_ap", "rbo"}
    means = [of.groupby("system")["value"].mean().to_numpy() for of in (human, models["c"])]
    tau = by_name.ranked.set_index("judge").loc["c", "tau"]
    assert tau == pytest.approx(stats.kendalltau(*means).statistic)
    assert by_name.ranked["alpha"].isna().all()
    assert_carried(in_one.answer, in_one.tables, "human", folder="judges")
    for name in by_name.tables:
        assert [*by_name.to_frame(name).columns] == SCHEMAS[f"judges/{name}"].names


def test_judges_are_compared_on_what_all_have():
    human, model = frame(systems=5), frame(systems=4, seed=2)
    model = model[model["topic"] != "t003"]
    compared = regrade.compare(human, model, resamples=50, splits=10, names=("human", "model"))
    assert len(compared.systems) == 4
    assert len(compared.topics) == 29
    notes = " ".join(compared.answer.notes)
    assert "1 system of human was left out" in notes
    assert "1 item of human was left out" in notes
    with pytest.raises(RegradeError, match="share no item"):
        regrade.compare(human, model.assign(topic="x" + model["topic"]))
    with pytest.raises(RegradeError, match="only judge"):
        regrade.judges("human", human.assign(judge="human"))
    with pytest.raises(RegradeError, match="no judge 'nist'"):
        regrade.judges("nist", pd.concat([human.assign(judge=j) for j in "ab"]))


def test_a_judge_not_inferior_to_the_best_is_named_with_the_margin():
    human = frame(systems=8, noise=0)
    same = {"a": human, "b": human}
    ranked = regrade.judges(human, same, resamples=100)
    assert ranked.ranked["verdict"].astype(str).tolist() == ["best", "non-inferior"]
    assert any("not inferior to the best by a margin of 0.02" in n for n in ranked.answer.notes)


def test_scores_of_labels_and_runs_have_top_k_too():
    qrels, runs = collection()
    other = {t: {d: g // 2 for d, g in of.items()} for t, of in qrels.items()}
    compared = regrade.compare(qrels, other, runs, MEASURES, resamples=20, splits=5)
    assert [*compared.top_k["k"]] == [1, 3, 5, 10] * 2
    compared = regrade.judges({t: {d: g // 2 for d, g in of.items()} for t, of in qrels.items()},
                              {"gpt": other}, runs, resamples=20)  # fmt: skip
    assert (compared.top_k["jaccard"] == 1).all()
    assert (compared.topics["tau"].dropna() == 1).all()


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = frame(measures=("accuracy", "seconds"))
    table.to_csv("scores.csv", index=False)
    for name, system in (("old", "s00"), ("new", "s01")):
        own = table[table["system"] == system].drop(columns="system")
        own.to_csv(f"{name}.csv", index=False)
    for judge in range(3):
        frame(seed=judge, noise=judge).to_csv(f"judge{judge}.csv", index=False)
    every = [frame(seed=judge, noise=judge, judge=f"judge{judge}") for judge in range(3)]
    pd.concat(every).to_csv("judges.csv", index=False)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("rank scores.csv -m accuracy --draws 500 --splits 20", "highest mean accuracy"),
        ("rank scores.csv --lower seconds --draws 500 --splits 20", "-seconds"),
        ("rank old.csv new.csv -m accuracy --draws 500 --splits 20", "2 systems"),
        ("rank judges.csv --where judge=judge1 --draws 500 --splits 20", "30 items"),
        ("compare-systems scores.csv s00 s01 -m accuracy", "s00 − s01"),
        ("compare-systems old.csv new.csv -m accuracy", "old − new"),
        ("topics scores.csv -m accuracy", "is hardest"),
        ("compare judge0.csv judge1.csv --resamples 50 --splits 10", "τ_b"),
        ("judges judge0.csv judge1.csv judge2.csv --resamples 50", "agrees best with judge0"),
        ("judges judge0.csv a=judge1.csv b=judge2.csv --resamples 50", "a agrees best"),
        ("judges judge0 judges.csv --resamples 50", "agrees best with judge0"),
        ("rank scores.csv -m accuracy --table systems --draws 500 --splits 20", "may_be_best"),
    ],
)
def test_commands_take_scores(files, typed, said):
    ran = invoke(*typed.split())
    assert ran.exit_code == 0, ran.stderr
    assert said in ran.stdout


def test_two_files_are_read_once(files, monkeypatch):
    opened, read = [], ScoreReading.file
    monkeypatch.setattr(
        ScoreReading, "file", lambda self, path: opened.append(path.name) or read(self, path)
    )
    ran = invoke("compare-systems", "new.csv", "old.csv", "-m", "accuracy")
    assert "new − old" in ran.stdout
    assert opened == ["new.csv", "old.csv"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("rank qrels.txt", "holds labels: give runs"),
        ("rank nothing.csv", "nothing.csv"),
        ("rank scores.csv --scale 3", "--scale is about labels"),
        ("rank scores.csv --judges gpt=qrels.txt", "judges names labels"),
        ("rank scores.csv -m bleu", "no measure 'bleu'"),
        ("rank qrels.txt runs --lower AP", "--lower is about scores"),
        ("rank judges.csv", "by 3 judges"),
        ("compare-systems scores.csv", "6 systems"),
        ("compare-systems scores.csv s00 s9", "no system has this name"),
        ("compare judge0.csv judge1.csv --runs runs", "--runs"),
        ("judges judge0.csv judge1.csv --runs runs", "--runs"),
        ("judges judge9 judges.csv", "no judge 'judge9'"),
    ],
)
def test_commands_say_what_is_wrong(files, typed, said):
    ran = invoke(*typed.split())
    assert ran.exit_code == 1
    assert said in ran.stderr


def test_a_leaderboard_that_changes_fails_a_pipeline(files):
    typed = "compare judge0.csv judge2.csv --resamples 20 --splits 5 --fail-if best"
    assert invoke(*typed.split()).exit_code in (0, 3)


def test_no_table_is_promised_that_scores_do_not_have():
    compared = regrade.judges(frame(), {"a": frame(seed=2)}, resamples=20)
    assert isinstance(compared.tables, StageTables)
    assert {*compared.tables.served()} == {*compared.tables}


@pytest.mark.parametrize("name", ["rank", "compare_systems", "topics", "judges", "compare"])
def test_docstrings_tell_of_all_parameters_also_of_those_that_questions_share(name):
    function = getattr(regrade, name)
    said = inspect.getdoc(function).partition("Parameters\n")[2].partition("\nReturns\n")[0]
    named = ", ".join(re.findall(r"^(\w+(?:, \w+)*)$", said, re.MULTILINE)).split(", ")
    assert named == [*inspect.signature(function).parameters]

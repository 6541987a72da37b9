"""A gate: outcomes by hand, sentences, exit codes, and what parsers of JUnit and Markdown read."""

import contextlib
import json
import re
import shlex
from functools import partial
from xml.etree import ElementTree as Xml

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from scipy import stats

import regrade
from regrade.choices import GATE_FAILURES
from regrade.command.app import app
from regrade.errors import MethodError, ParameterError
from regrade.sample_means import skewness, unskewed_t
from regrade.system_pairs.gate import OUTCOMES, is_failure
from regrade.wording import number
from tests.pages import PROJECT
from tests.unit.carried import assert_carried


def scores_of(**shifts):
    """Scores by item of systems that are higher by a shift than the first, with some noise."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.3, 0.7, 60)
    noise = rng.normal(0, 0.03, 60)
    noise -= noise.mean()
    return {
        name: dict(
            zip(
                map("q{:02}".format, range(60)),
                base + (shift + noise) * (name != "old"),
                strict=True,
            )
        )
        for name, shift in ({"old": 0.0} | shifts).items()
    }


def gated(shift, **how):
    result = regrade.gate("old", "new", scores=scores_of(new=shift), **how)
    paths = {f"system-pairs/{name}": table for name, table in result.pair.tables.items()}
    assert_carried(result.answer, paths, "old", "new", "score")
    return result


@pytest.mark.parametrize(
    ("shift", "margin", "outcome"),
    [
        (-0.03, None, "worse"),
        (-0.03, 0.01, "worse"),
        (-0.009, 0.02, "non-inferior"),  # significant, and smaller than the margin
        (0.0, None, "no significant loss"),
        (0.0, 0.01, "non-inferior"),
        (-0.005, 0.0102, "may-be-worse"),
        (0.0, 0.005, "unknown"),
        (0.03, 0.005, "better"),
        (0.03, None, "better"),
        (0.009, 0.02, "better"),  # significant, and smaller than the margin
        (0.005, 0.02, "non-inferior"),
    ],
)
def test_the_outcome_by_a_shift_and_a_margin(shift, margin, outcome):
    result = gated(shift, margin=margin)
    assert result.outcomes == {"score": outcome}
    assert result.passed == (outcome != "worse")
    assert result.reason.startswith("Passed: " if result.passed else "Failed: ")


def test_a_gain_is_what_a_person_takes_from_it():
    better = gated(0.03, margin=0.005)
    assert better.reason.startswith("Passed: new scores significantly higher than old by 0.030 ")
    assert better.answer.light == "fine"
    row = better.pair.tests.iloc[0]
    of_topics = better.pair.topics["difference"]
    student = stats.ttest_1samp(of_topics, 0, alternative="greater")
    hall = stats.t.sf(unskewed_t(student.statistic, skewness(of_topics), 60), 59)
    assert row["p_gain_corrected"] == pytest.approx(max(student.pvalue, hall))


def test_a_gain_or_a_loss_is_one_that_the_printed_interval_excludes():
    for shift in np.linspace(-0.01, 0.01, 21):
        result = gated(shift)
        row = result.pair.tests.iloc[0]
        (outcome,) = result.outcomes.values()
        assert (outcome == "better") == (row["margin_from"] > 0)
        assert (outcome == "worse") == (row["margin_to"] < 0)
        interval = f"90% CI {number(row['margin_from'], 3)} to {number(row['margin_to'], 3)}"
        assert interval in result.reason and "95%" not in str(result.answer)


def test_gains_are_corrected_for_the_measures():
    scores = {"topic": [], "system": [], "measure": [], "value": []}
    for measure, shift in (("a", 0.0065), ("b", -0.1), ("c", 0.0)):
        for system, own in scores_of(new=shift).items():
            for item, value in own.items():
                row = (item, system, measure, value)
                for column, one in zip(scores, row, strict=True):
                    scores[column].append(one)
    result = regrade.gate("old", "new", scores=pd.DataFrame(scores), measures=["a", "b", "c"])
    tests = result.pair.tests.set_index("measure")
    assert tests.loc["a", "margin_from"] > 0 and tests.loc["a", "p_gain_corrected"] > 0.05
    assert result.outcomes == {"a": "no significant loss", "b": "worse", "c": "no significant loss"}


def test_a_graver_outcome_fails_too():
    failing = {at: [one for one in OUTCOMES if is_failure(one, at)] for at in GATE_FAILURES}
    assert failing == {
        "worse": ["worse"],
        "unknown": ["worse", "unknown"],
        "may-be-worse": ["worse", "unknown", "may-be-worse"],
    }


@pytest.mark.parametrize("fail_if", ["unknown", "may-be-worse"])
def test_what_rests_on_a_margin_needs_one(fail_if):
    with pytest.raises(ParameterError, match="needs a margin"):
        gated(0.0, fail_if=fail_if)


def test_verdicts():
    assert gated(-0.03).reason.startswith(
        "Failed: new scores significantly lower than old by 0.030 score (90% CI −0.036 to −0.025; "
        "one-sided t-test, p < 0.001)."
    )
    assert gated(0.0, margin=0.01).reason.startswith(
        "Passed: new is non-inferior to old within 0.01 score (Δ = 0.000, 90% CI "
    )
    unknown = gated(0.0, margin=0.005, fail_if="unknown")
    assert unknown.reason.startswith(
        "Failed: 60 items neither exclude nor detect a loss of 0.005 score (Δ = 0.000, 90% CI "
    )
    assert "minimum detectable loss of score" in unknown.answer.facts[-1]


def test_measures_are_corrected_and_the_gravest_decides():
    rng = np.random.default_rng(3)
    off = rng.normal(0, 0.1, 40)
    off += -0.032 - off.mean()  # one-sided p of about 0.03
    rows = {
        "old": {f"q{i}": {"acc": 0.5, "f1": 0.5} for i in range(40)},
        "new": {f"q{i}": {"acc": 0.5 + off[i], "f1": 0.5 + 0.1 * (-1) ** i} for i in range(40)},
    }
    result = regrade.gate("old", "new", scores=rows)
    tests = result.pair.tests.set_index("measure")
    assert tests.loc["acc", "p_loss"] < 0.05 < tests.loc["acc", "p_loss_corrected"]
    assert result.passed
    assert "Holm correction over 2 measures" in result.answer.method
    alone = regrade.gate("old", "new", None, ["acc"], scores=rows)
    assert alone.outcomes == {"acc": "worse"}


def test_holm_and_the_detectable_loss_are_by_the_number_of_measures():
    scores = scores_of(new=-0.001)
    twice = {
        system: {item: {"m": value, "n": value} for item, value in own.items()}
        for system, own in scores.items()
    }
    one, two = (regrade.gate("old", "new", scores=given).pair.tests for given in (scores, twice))
    assert two["p_loss_corrected"].iloc[0] == pytest.approx(min(1, 2 * one["p_loss"].iloc[0]))
    assert two["detectable_loss"].iloc[0] > one["detectable_loss"].iloc[0]


def test_one_item_is_refused():
    with pytest.raises(MethodError, match="too few for a test"):
        regrade.gate("old", "new", scores={"old": {"q": 0.1}, "new": {"q": 0.2}})


def test_names_are_old_and_new_in_messages():
    with pytest.raises(ParameterError, match=r"new is .neww.: no .* did you mean .new."):
        regrade.gate("old", "neww", scores=scores_of(new=0.0))


# --- runs -----------------------------------------------------------------------------------------

RUN = {
    topic: {f"d{place}": 11.0 - place for place in range(1, 11)}
    for topic in map(str, range(401, 421))
}
BACKWARDS = {topic: {doc: -score for doc, score in own.items()} for topic, own in RUN.items()}
QRELS = {topic: {f"d{place}": int(place < 4) for place in range(1, 11)} for topic in RUN}


def test_runs_are_scored_and_the_same_ones_pass():
    assert regrade.gate(RUN, BACKWARDS, QRELS).outcomes == {"nDCG@10": "worse", "AP": "worse"}
    same = regrade.gate(RUN, RUN, QRELS, "nDCG@10", margin=0.001, fail_if="may-be-worse")
    assert same.passed
    assert same.reason == "Passed: new and old are the same rankings."


def test_scores_are_those_of_compare_systems():
    runs = {"one": RUN, "two": BACKWARDS}
    result = regrade.gate("one", "two", QRELS, "AP", runs=runs)
    pair = regrade.compare_systems(QRELS, runs, "two", "one", "AP")
    for name in ("difference", "low", "high", "t", "p_t"):
        assert result.pair.tests[name].tolist() == pytest.approx(pair.tests[name].tolist())


def test_read_runs_need_names():
    with pytest.raises(ParameterError, match="give runs="):
        regrade.gate(regrade.read_runs(RUN), RUN, QRELS)


# --- what others read -----------------------------------------------------------------------------


def junit_of(result):
    return Xml.fromstring(result.to_junit().encode())


def test_junit_is_what_its_schema_has():
    """testsuites > testsuite > properties, testcase*, system-out; counts of each."""
    rows = scores_of(new=-0.03, other=0.0)
    rows = {s: {i: {"a": v, "b<&": 0.5} for i, v in own.items()} for s, own in rows.items()}
    suites = junit_of(regrade.gate("old", "new", scores=rows))
    (suite,) = suites
    assert (suites.tag, suite.tag) == ("testsuites", "testsuite")
    assert [one.tag for one in suite] == ["properties", "testcase", "testcase", "system-out"]
    for of in (suites, suite):
        assert (of.get("tests"), of.get("failures"), of.get("errors")) == ("2", "1", "0")
    cases = {one.get("name"): one for one in suite.iter("testcase")}
    assert set(cases) == {"a", "b<&"}
    assert cases["a"].find("failure").get("type") == "worse"
    assert cases["a"].find("failure").get("message").startswith("new scores significantly lower")
    assert cases["b<&"].find("failure") is None
    assert all(one.get("classname") == "regrade.gate" for one in cases.values())
    of_jenkins = {"name", "tests", "failures", "errors", "time"}
    assert set(suites.attrib) == of_jenkins


def test_a_common_parser_reads_junit(tmp_path):
    parser = pytest.importorskip("junitparser", reason="junitparser is not installed")
    file = tmp_path / "gate.xml"
    file.write_text(gated(-0.03).to_junit(), encoding="utf-8")
    (suite,) = parser.JUnitXml.fromfile(str(file))
    assert (suite.tests, suite.failures) == (1, 1)


def test_markdown_is_a_comment_with_a_table():
    text = str(gated(-0.03, margin=0.01).to_markdown())
    head, verdict, table, facts, method = text.split("\n\n", 4)
    assert head == "### ❌ regrade gate"
    assert verdict.startswith("**Failed: new scores significantly lower")
    rows = [line.count("|") for line in table.splitlines()]
    assert len(set(rows)) == 1
    assert facts.startswith("- With 60 items")
    assert method.startswith("<details><summary>Method</summary>")
    assert "✅" in gated(0.03).to_markdown()


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    for name, run in (("old", RUN), ("new", BACKWARDS)):
        lines = (
            f"{topic} Q0 {doc} {place} {score} mine\n"
            for topic, own in run.items()
            for place, (doc, score) in enumerate(own.items(), 1)
        )
        (tmp_path / f"{name}.run").write_text("".join(lines))
    lines = (f"{t} 0 {doc} {grade}\n" for t, own in QRELS.items() for doc, grade in own.items())
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for name, own in scores_of(new=-0.03, same=0.0).items():
        rows = (f"{item},acc,{value}\n" for item, value in own.items())
        (tmp_path / f"{name}.csv").write_text("topic,measure,value\n" + "".join(rows))
    return tmp_path


def ran(folder, *words):
    words = [str(folder / word) if (folder / word).exists() else word for word in words]
    return CliRunner().invoke(app, ["gate", *words])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["old.run", "new.run", "qrels.txt"], 3),
        (["new.run", "old.run", "qrels.txt", "-m", "AP"], 0),
        (["old.csv", "new.csv"], 3),
        (["old.csv", "same.csv"], 0),
        (["old.csv", "same.csv", "--margin", "0.004", "--fail-if", "unknown"], 3),
        (["old.csv", "same.csv", "--margin", "0.01", "--fail-if", "may-be-worse"], 0),
        (["old.csv", "same.csv", "--fail-if", "unknown"], 1),
        (["old.csv", "same.csv", "--margin", "0"], 1),
        (["old.csv", "same.csv", "--fail-if", "never"], 1),
        (["old.csv", "lost.csv"], 1),
        (["old.run", "new.run", "qrels.txt", "--lower", "AP"], 1),
        (["old.csv", "same.csv", "--runs", "old.run"], 1),
    ],
)
def test_exit_codes(folder, words, code):
    done = ran(folder, *words)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    assert ("exit code 3 (--fail-if)" in done.stderr) == (code == 3)


def test_files_name_the_systems(folder):
    assert (
        "new.run scores significantly lower than old.run"
        in ran(folder, "old.run", "new.run", "qrels.txt").stdout
    )


def test_one_file_of_several_systems(folder):
    lines = ["system,topic,measure,value\n"]
    for system, own in scores_of(new=-0.03).items():
        lines += [f"{system},{item},acc,{value}\n" for item, value in own.items()]
    (folder / "both.csv").write_text("".join(lines))
    done = ran(folder, "old", "new", "--scores", str(folder / "both.csv"))
    assert done.exit_code == 3
    assert "new scores significantly lower than old" in done.stdout


def test_names_like_tags_are_seen_in_markdown():
    rows = scores_of(new=-0.03, other=0.0)
    held = regrade.gate("<old>", "a|b", scores={"<old>": rows["old"], "a|b": rows["new"]})
    text = held.to_markdown()
    assert "| measure | \\<old> | a\\|b |" in text
    assert "<old>" not in text.replace("\\<old>", "")


def test_files_of_scores_may_be_called_as_columns_are_named(tmp_path):
    for model, values in (("a", (0.5, 0.25, 1)), ("b", (0.25, 0.5, 1))):
        folder = tmp_path / f"tides:subject=x,model={model}"
        folder.mkdir()
        stats = [[{"name": {"name": "em"}, "mean": value}] for value in values]
        rows = [{"instance_id": f"id{i}", "stats": one} for i, one in enumerate(stats)]
        (folder / "per_instance_stats.json").write_text(json.dumps(rows))
    folders = [str(folder) for folder in sorted(tmp_path.iterdir())]
    done = CliRunner().invoke(app, ["gate", *folders])
    assert done.exit_code == 0, done.output
    assert "no significant loss of em" in done.output


def test_a_file_of_xml_is_junit(tmp_path):
    for name, text in (("old.csv", "item,score\n1,0.5\n2,0.25\n3,1\n"),
                       ("new.csv", "item,score\n1,0.25\n2,0.5\n3,1\n")):  # fmt: skip
        (tmp_path / name).write_text(text)
    out = tmp_path / "gate.xml"
    files = [str(tmp_path / name) for name in ("old.csv", "new.csv")]
    assert CliRunner().invoke(app, ["gate", *files, "--out", str(out)]).exit_code == 0
    assert Xml.parse(out).getroot().tag == "testsuites"


@pytest.mark.parametrize("format", ["text", "markdown", "junit", "json"])
def test_formats_are_printed_or_written(folder, format):
    words = ["old.csv", "new.csv", "--format", format]
    printed = ran(folder, *words)
    file = folder / "out"
    written = ran(folder, *words, "--out", str(file))
    assert (printed.exit_code, written.exit_code) == (3, 3)
    assert file.read_text(encoding="utf-8").strip() == printed.stdout.strip()
    assert written.stdout.startswith("Failed: new scores significantly lower")
    if format == "junit":
        assert Xml.fromstring(printed.stdout.encode()).get("failures") == "1"
    if format == "json":
        assert json.loads(printed.stdout)["outcomes"] == {"acc": "worse"}


def test_the_ending_of_a_file_says_what_is_written(folder):
    readers = {
        "csv": pd.read_csv,
        "tsv": partial(pd.read_csv, sep="\t"),
        "jsonl": partial(pd.read_json, lines=True),
        "parquet": pd.read_parquet,
    }
    for ending, read in readers.items():
        file = folder / f"gate.{ending}"
        assert ran(folder, "old.csv", "new.csv", "--out", str(file)).exit_code == 3
        assert read(file)["p_loss"].iloc[0] < 0.05
    for ending, begin in (("tex", "\\begin{tabular}"), ("md", "| measure"), ("json", "{")):
        file = folder / f"gate.{ending}"
        ran(folder, "old.csv", "new.csv", "--out", str(file))
        assert begin in file.read_text(encoding="utf-8")
    # a format that was named is written whatever the ending
    ran(folder, "old.csv", "new.csv", "--format", "markdown", "--out", str(folder / "gate.md"))
    assert (folder / "gate.md").read_text(encoding="utf-8").startswith("### ")


def test_a_lower_value_may_be_better(folder):
    assert ran(folder, "old.csv", "new.csv", "--lower", "acc").exit_code == 0
    assert ran(folder, "new.csv", "old.csv", "--lower", "acc").exit_code == 3


def test_it_is_drawn(folder):
    file = folder / "gate.svg"
    assert ran(folder, "old.csv", "new.csv", "--plot", str(file)).exit_code == 3
    assert file.read_text().startswith("<?xml")


# --- the page -------------------------------------------------------------------------------------

PAGE = PROJECT / "docs" / "questions" / "gate.md"


def recipes():
    """The recipes of the page by what they configure."""
    blocks = re.findall(r"```yml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    action, hook = map(yaml.safe_load, blocks)
    return action, hook


def test_the_action_scores_and_comments(folder):
    action, _ = recipes()
    assert set(action) == {"name", True, "permissions", "jobs"}  # YAML's "on" is true
    steps = action["jobs"]["gate"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    (line,) = (step["run"] for step in steps if step.get("run", "").startswith("regrade"))
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, shlex.split(line)[1:])
    assert done.exit_code == 3
    assert (folder / "gate.md").read_text(encoding="utf-8").startswith("### ❌ regrade gate")
    (comment,) = (step for step in steps if "gh pr comment" in step.get("run", ""))
    assert comment["if"] == "always()"
    assert "--body-file gate.md" in comment["run"]


def test_the_hook_passes_and_fails(folder):
    _, hook = recipes()
    (own,) = hook["repos"][0]["hooks"]
    assert own["language"] == "system" and own["pass_filenames"] is False
    words = shlex.split(own["entry"])[1:]
    with contextlib.chdir(folder):
        assert re.search(own["files"], "new.csv")
        assert CliRunner().invoke(app, words).exit_code == 0  # the loss is within the margin
        (folder / "new.csv").write_text((folder / "new.csv").read_text().replace(",0.", ",0.0"))
        assert CliRunner().invoke(app, words).exit_code == 3


def test_lines_in_text_are_commands(folder):
    text = PAGE.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("regrade gate old")]
    assert len(lines) == 2
    known = {one for option in app.commands["gate"].params for one in option.opts}
    for line in lines:
        assert {word for word in shlex.split(line) if word.startswith("--")} <= known

"""What a new user does first: from files to an answer, to qrels, and to the page.

Three kinds of data, each with the commands of the README: TREC runs and two qrels; a crowd's
sliders; a model's scores with runs.  What is printed and written is computed anew by others.
"""

import contextlib
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
import yaml
from scipy.stats import kendalltau
from typer.testing import CliRunner

from regrade.answers.words import signed
from regrade.command.app import app
from regrade.tables import read_table
from tests.unit.test_show_explorer import (  # noqa: F401 (two are fixtures)
    browser,
    nothing_said,
    visit,
    window,
)

pytestmark = pytest.mark.workflow

TOPICS = ("401", "402", "403", "404")
DOCUMENTS = [f"d{number:02}" for number in range(24)]
SYSTEMS = {"bm25": 0.35, "dense": 0.3, "fused": 0.1, "old": 0.9, "poor": 1.5}
"""How far each system's scores are from what is relevant."""
CUT = r"(?:Cut {0} at|The cut of {0} with the highest α is)"
"""How a verdict begins, whether the cut gains over equal widths or not."""


@dataclass(frozen=True)
class Files:
    """A folder as a new user has it, and commands in it."""

    root: Path

    def ran(self, line: str) -> str:
        """What a command prints; it must end well."""
        with contextlib.chdir(self.root):
            done = CliRunner().invoke(app, line.split()[1:])
        assert done.exit_code == 0, done.output
        return done.stdout

    def page(self, config: str, *without: str) -> Path:
        """The page of a configuration, made by ``regrade run``, but for what is taken out."""
        path = self.root / config
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
        collection = given["collections"].pop(given["collection"])
        name = given["collection"] = path.stem
        for keys in map(str.split, without):
            part = collection
            for key in keys[:-1]:
                part = part[key]
            del part[keys[-1]]
        given["collections"][name] = collection
        path.write_text(yaml.safe_dump(given, sort_keys=False), encoding="utf-8")
        self.ran(f"regrade run {config} --cores 2")
        return self.root / "results" / name / "report.html"

    def qrels(self, name: str) -> dict[str, dict[str, int]]:
        """Qrels as pytrec_eval takes them."""
        held = {topic: {} for topic in TOPICS}
        for line in (self.root / name).read_text(encoding="utf-8").splitlines():
            topic, _, docno, grade = line.split()
            held[topic][docno] = int(grade)
        return held

    def scores(self, qrels: str) -> dict[str, float]:
        """Every system's nDCG@10 under qrels, by pytrec_eval."""
        evaluator = pytrec_eval.RelevanceEvaluator(self.qrels(qrels), {"ndcg_cut_10"})
        found = {}
        for name in SYSTEMS:
            run = {topic: {} for topic in TOPICS}
            for line in (self.root / "runs" / f"{name}.run").read_text("utf-8").splitlines():
                topic, _, docno, _, score, _ = line.split()
                run[topic][docno] = float(score)
            of_topics = evaluator.evaluate(run).values()
            found[name] = float(np.mean([values["ndcg_cut_10"] for values in of_topics]))
        return found

    def tau(self, first: str, second: str) -> float:
        """τ_b of the systems under two qrels, by pytrec_eval and scipy."""
        one, other = self.scores(first), self.scores(second)
        return kendalltau([one[name] for name in SYSTEMS], [other[name] for name in SYSTEMS])[0]

    def reordered(self, changing: str, first: str, second: str) -> str:
        """What is to be said of the systems' ranks under two qrels."""
        ranks = [pd.Series(self.scores(one)).rank(ascending=False) for one in (first, second)]
        moves = (ranks[0] - ranks[1]).abs()
        tau = self.tau(first, second)
        if not moves.any():
            return f"{changing} leaves the 5 systems in the same order by nDCG@10."
        much = "little" if tau >= 0.9 else "somewhat" if tau >= 0.7 else "much"
        change = "changes" if (moves > 0).sum() == 1 else "change"
        return (
            f"{changing} reorders the 5 systems {much} by nDCG@10 (τ_b {signed(tau)}): "
            f"{(moves > 0).sum()} {change} rank, by at most {moves.max():.0f}."
        )


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Files:
    """The user's files: what is relevant, as judges, a crowd, a model and systems see it."""
    root = tmp_path_factory.mktemp("first")
    rng = np.random.default_rng(3)
    relevance = {topic: rng.beta(0.7, 1.2, len(DOCUMENTS)) for topic in TOPICS}

    def seen(noise: float) -> dict[str, np.ndarray]:
        return {t: r + noise * rng.standard_normal(len(r)) for t, r in relevance.items()}

    def write(name: str, lines) -> None:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def rows(held):
        return ((t, d, v) for t in TOPICS for d, v in zip(DOCUMENTS, held[t], strict=True))

    for name, noise in (("nist.qrels", 0.0), ("model.qrels", 0.15)):
        graded = ((t, d, int(np.clip(3 * v, 0, 2))) for t, d, v in rows(seen(noise)))
        write(name, (f"{t} 0 {d} {g}" for t, d, g in graded))
    hundred = [(t, d, round(100 * min(max(v, 0), 1))) for t, d, v in rows(seen(0.1))]
    write("scores.csv", ["query_id,doc_id,score", *(f"{t},{d},{v}" for t, d, v in hundred)])
    judged = ["topic\tdocno\tworker\tunit\tvalue"]
    for worker in ("ann", "bob", "cem"):
        for number, (t, d, v) in enumerate(rows(seen(0.12))):
            value = round(100 * min(max(v, 0), 1))
            judged.append(f"{t}\t{d}\t{worker}\t{worker}-{number // 8}\t{value}")
    write("sliders.tsv", judged)
    for name, noise in SYSTEMS.items():
        lines = []
        for topic, scores in seen(noise).items():
            for rank, place in enumerate(np.argsort(-scores), 1):
                docno = DOCUMENTS[place]
                lines.append(f"{topic} Q0 {docno} {rank} {scores[place]:.4f} {name}")
        write(f"runs/{name}.run", lines)
    return Files(root)


@pytest.fixture
def opened(window):  # noqa: F811
    """Open a page."""
    with nothing_said(window):
        yield partial(visit, window)


def number(pattern: str, text: str) -> float:
    """The number that a pattern finds, signs as people write them."""
    found = re.search(pattern, text)
    assert found, text
    return float(found[1].replace("−", "-"))


# --- TREC runs and two qrels ---------------------------------------------------------------------

HEAVY = ("leave_one_out", "pools", "ranges", "ties")
"""What is taken out of a configuration that `init` wrote, for the tests' time."""


@pytest.fixture(scope="module")
def compared(files):
    """The page of two qrels and runs."""
    said = files.ran("regrade init runs nist.qrels model.qrels --out compared.yaml")
    assert said == "compared.yaml: look at it, then: regrade run compared.yaml\n"
    tables = ("labels", "pairs", "reliability", "movers")
    items = (
        *(f"table-{name}" for name in tables),
        *("figure-confusion", "figure-systems", "figure-pairs"),
    )
    return files.page("compared.yaml", *HEAVY, *(f"studies compare {item}" for item in items))


def test_two_qrels_are_compared(files):
    said = files.ran(
        "regrade compare nist.qrels model.qrels --runs runs -m nDCG@10 --resamples 20 --splits 20"
    )
    nist, model = files.qrels("nist.qrels"), files.qrels("model.qrels")
    equal = np.mean([nist[t][d] == model[t][d] for t in TOPICS for d in DOCUMENTS])
    assert number(r"give ([\d.]+)% of", said) == round(100 * equal, 1)
    assert said.startswith(files.reordered("model instead of nist", "nist.qrels", "model.qrels"))
    assert "fused is the best under both." in said


@pytest.mark.slow
def test_the_page_of_two_qrels_answers(files, compared, opened):
    page = opened(compared)
    answer = page.locator("#answers").inner_text()
    assert "nist" in answer and "model" in answer
    page.goto(f"file://{compared}#compare-table-rankings")
    rankings = page.locator("#compare-table-rankings")
    rankings.wait_for()
    tau = files.tau("nist.qrels", "model.qrels")
    assert f"{tau:.3f}" in rankings.inner_text()
    assert page.get_by_text("Simulated").count() == 0


@pytest.mark.slow
def test_scores_of_the_page_are_pytrec_evals(files, compared):
    scores = read_table(compared.parent / "scores" / "nist.parquet").to_pandas()
    ours = scores[scores["measure"] == "nDCG@10"].groupby("system", observed=True)["value"].mean()
    assert ours.to_dict() == pytest.approx(files.scores("nist.qrels"), abs=1e-9)


# --- TREC runs and qrels -------------------------------------------------------------------------

QUESTIONS = (
    "Which system is best, and how sure is that?",
    "Does it matter how ties are broken?",
    "What could unjudged documents change?",
    "Can new systems be evaluated with this pool?",
    "How deep need the pool be?",
)
"""What runs and qrels alone answer, in order."""


@pytest.fixture(scope="module")
def alone(files):
    """The page of runs and qrels."""
    files.ran("regrade init runs nist.qrels --out alone.yaml")
    return files.page("alone.yaml", "studies", "sweeps")


@pytest.mark.slow
def test_runs_and_qrels_alone_answer_five_questions(files, alone, opened):
    page = opened(alone)
    summaries = page.locator("#answers details.answer > summary").all_inner_texts()
    assert [one.partition("?")[0] + "?" for one in summaries] == list(QUESTIONS)
    verdicts = page.locator("#answers table.verdicts tbody tr").all_inner_texts()
    assert len(verdicts) == len(QUESTIONS)
    for folder in ("ranking/nist", "ties", "ranges", "leave-one-out/runs", "pools"):
        answer = read_table(alone.parent / folder / "answer.parquet").to_pandas()
        (verdict,) = answer.loc[answer["part"] == "verdict", "said"]
        assert verdict in page.locator("#answers").inner_text()


# --- a crowd's sliders ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def slid(files):
    """The page of sliders alone."""
    files.ran("regrade init sliders.tsv --out sliders.yaml")
    return files.page("sliders.yaml", "studies")


def test_sliders_are_cut_and_the_labels_are_qrels(files):
    said = files.ran(
        "regrade cut sliders.tsv --levels 3 --reference nist.qrels --resamples 10 --out slid.qrels"
    )
    found = re.match(rf"{CUT.format('sliders')} (\d+), (\d+):? \(?up to", said)
    assert found, said
    low, high = int(found[1]), int(found[2])
    assert number(r"Its agreement with nist is α ([\d.]+)", said) > 0.5
    values = pd.read_csv(files.root / "sliders.tsv", sep="\t", dtype={"topic": str})
    medians = values.groupby(["topic", "docno"])["value"].median()
    expected = {
        topic: {docno: int(v > low) + int(v > high) for docno, v in medians[topic].items()}
        for topic in TOPICS
    }
    assert files.qrels("slid.qrels") == expected
    score = files.ran("regrade score slid.qrels runs -m nDCG@10 --format csv")
    printed = {row.split(",")[0]: float(row.split(",")[-1]) for row in score.split()[1:]}
    assert printed == pytest.approx(files.scores("slid.qrels"), abs=1e-4)


@pytest.mark.slow
def test_the_page_of_sliders_says_where_to_cut(slid, opened):
    page = opened(slid)
    answer = page.locator("#answers").inner_text()
    best = read_table(slid.parent / "cuts" / "sliders-to-2" / "best_cuts.parquet").to_pandas()
    of_all = best[best["topic"] == "*"].set_index("method")["c1"]
    cut = int(number(rf"{CUT.format('sliders')} (\d+)", answer))
    assert cut in set(of_all)
    assert of_all[re.search(r"method (h1_at|h1_ta|tw1)", answer)[1]] == cut
    assert page.locator("#explore-sliders-to-2").count() == 1
    assert not (slid.parent / "scores").exists()


# --- a model's scores, and runs ------------------------------------------------------------------


@pytest.fixture(scope="module")
def modelled(files):
    """The page of a model's scores beside labels, with runs."""
    files.ran("regrade init runs nist.qrels scores.csv --out scored.yaml")
    return files.page("scored.yaml", *HEAVY, "studies")


def test_a_models_scores_are_cut_and_change_the_evaluation_as_said(files):
    said = files.ran(
        "regrade cut scores.csv --levels 3 --reference nist.qrels --runs runs --resamples 0 "
        "--out cut.qrels"
    )
    low, high = map(int, re.match(rf"{CUT.format('scores')} (\d+), (\d+)", said).groups())
    scores = pd.read_csv(files.root / "scores.csv", dtype={"query_id": str})
    labels = files.qrels("cut.qrels")
    for topic, docno, score in scores.itertuples(index=False):
        assert labels[topic][docno] == int(score > low) + int(score > high)
    assert files.reordered("This cut instead of nist", "nist.qrels", "cut.qrels") in said


@pytest.mark.slow
def test_the_page_of_a_models_scores_says_the_same_as_the_command(files, modelled, opened):
    said = files.ran("regrade cut scores.csv --levels 3 --reference nist.qrels --resamples 0")
    cut = re.match(rf"{CUT.format('scores')} (\d+), (\d+)", said).groups()
    page = opened(modelled)
    answer = page.locator("#answers").inner_text()
    assert re.search(f"{CUT.format('scores')} {cut[0]}, {cut[1]}", answer)
    page.locator("#explore-scores-to-3 summary").click()
    page.locator("#explore-scores-to-3 input").first.wait_for()

"""Each message of docs/troubleshooting.md is one that the project says, and its remedy works.

A case provokes the message of a row, and then does what the row says to do.
"""

import gzip
import itertools
import logging
import math
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from regrade.errors import RegradeError
from regrade.pools.pooling import Pooling, make_pool
from regrade.readers import read_groups, read_judgments, read_pool_origins
from regrade.tied_scores import worst_case_bounds
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete
from tests.pages import PROJECT

PAGE = (PROJECT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
SPAN = re.compile(r"``\s?(.+?)\s?``(?!`)|`([^`]+)`")


def rows() -> list[tuple[str, list[str]]]:
    """The section of each row, and the messages of its first column."""
    section, found = "", []
    for line in PAGE.splitlines():
        section = line.lstrip("# ") if line.startswith("#") else section
        if line.startswith("| ") and not line.startswith(("| message", "| symptom")):
            first = re.split(r"(?<!\\) \| ", line.removeprefix("| "), maxsplit=1)[0]
            messages = [
                one.replace("\\|", "|") for pair in SPAN.findall(first) for one in pair if one
            ]
            found += [(section, messages)] if messages else []
    return found


ROWS = rows()


def pattern(message: str) -> re.Pattern:
    """A message of the page, in which … stands for whatever is filled in."""
    parts = (re.escape(part).replace(r"\ ", r"\s+") for part in message.split("…"))
    return re.compile(".*?".join(parts), re.DOTALL)


# --- the files of cases ---------------------------------------------------------------------------

Q = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n"
R = "1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 a 1 2.0 t\n2 Q0 b 2 1.0 t\n"
P = "1 a b a\n"
COUNT = itertools.count()


def file(content: str | bytes, name: str = "file.txt") -> Path:
    """A file of its own folder, which is the working one's."""
    path = Path(f"made{next(COUNT)}", name)
    path.parent.mkdir()
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def qrels(content, name="file.txt", **how):
    return regrade.read_qrels(file(content, name), **how)


def runs(content, name="file.txt"):
    return regrade.read_runs(file(content, name))


def judgments(content, name="file.csv", **how):
    return regrade.read_judgments(file(content, name), **how)


def preferences(content, name="file.csv", **how):
    return regrade.read_preferences(file(content, name), **how)


def written(name):
    return regrade.read_qrels({"blue hat": {"d1": 1}}).to_qrels(Path(name))


def several_runs(*contents):
    return regrade.read_runs([file(one, f"{i}.run") for i, one in enumerate(contents)])


def scored(measures, labels=None, ranked=None, **how):
    labels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 2}} if labels is None else labels
    ranked = {"s": {"1": {"a": 2, "b": 1}, "2": {"a": 2, "b": 1}}} if ranked is None else ranked
    return regrade.score(labels, ranked, measures, **how)


def compared(first, second, **how):
    return regrade.compare(first, second, **how)


def columns(*names, rows=("1\ta\tw\t1",)):
    return "\n".join(["\t".join(names), *rows]) + "\n"


COLLECTION = {
    "runs": {"simulate": {}},
    "qrels": {"TR2": {"levels": 2}, "Q4": {"simulate": {}, "levels": 4}},
    "judgments": {"S100": {"simulate": {}, "levels": 101}},
}
CUT = {"source": "S100", "levels": 4, "references": ["Q4"]}


def configured(collection="own", **changes):
    """A configuration of a collection with other keys, as the workflow checks it."""
    own = {key: one for key, one in {**COLLECTION, **changes}.items() if one is not None}
    return read_collection(
        collection, complete({"collection": collection, "collections": {"own": own}})
    )


def command(*words):
    """What a command refuses."""
    done = CliRunner().invoke(app, list(words))
    if done.exit_code:
        raise RegradeError(done.stderr)


def noted(result):
    """Says what the facts of a result note."""
    notes = " ".join(result.tables["facts"]["note"].dropna())
    logging.getLogger("regrade").warning("%s", notes)


def prefer(winner):
    return preferences(f"topic,left,right,winner\n1,a,b,{winner}\n")


def sample(**columns):
    row = {"topic": ["1"], "docno": ["a"], "inclusion": [0.5], "chosen": [True], "grade": ["1"]}
    return regrade.read_sample(pd.DataFrame({**row, **columns}))


def magnitude(units="xyz", twice=False, **how):
    values = [("a", 0), ("b", 2), ("c", 5)] + [("a", 1)] * twice
    made = "topic,docno,worker,unit,value\n" + "".join(
        f"1,{d},{w},{u},{v}\n" for w, u in zip("xyz", units, strict=True) for d, v in values
    )
    labels = {"1": {"a": 0, "b": 1, "c": 2}}
    gains = regrade.magnitude_gains(file(made, "m.csv"), labels, resamples=20, **how)
    return gains.tables["answer"]


def chosen_of(documents, budget=30):
    """A sample of documents as `assign` writes it, filled in."""
    made = {f"d{i}": i % 3 for i in range(documents)}
    asked = regrade.assign(None, {"1": made}, budget, scale=2).documents
    return regrade.read_sample(
        asked.assign(grade=[i % 2 if one else None for i, one in enumerate(asked["chosen"])])
    )


MODEL_OF_60 = {"1": {f"d{i}": i % 3 for i in range(60)}}


def drawn_alone():
    """A sample of TREC's `.probs`: of each topic, every second document of forty."""
    lines = (f"{t} 0 d{i} {i // 2 % 2} 0.5\n" for t in range(1, 5) for i in range(0, 40, 2))
    return file("".join(lines))


MODEL_AND_RUNS = (
    {str(t): {f"d{i}": i % 3 for i in range(40)} for t in range(1, 5)},
    {
        name: {str(t): {f"d{i}": (i * step + t) % 41 for i in range(40)} for t in range(1, 5)}
        for name, step in (("r", 1), ("s", 3))
    },
)


def ranked():
    return regrade.read_runs(RUN).ranked


def print_notes(result):
    """Says what an answer notes."""
    logging.getLogger("regrade").warning("%s", result.summary())


GRADES = {f"d{i}": i % 4 for i in range(400)}
RUN = {"s": {"1": {"a": 2, "b": 1}}, "t": {"1": {"b": 2, "a": 1}}}

S = "system,item,measure,value\na,1,AP,1\na,2,AP,0\nb,1,AP,0\nb,2,AP,1\n"


def scores(content, name="file.csv", **how):
    return regrade.read_scores(file(content, name), **how)


def designed(content, missing="refuse", **how):
    return scores(content, **how).design(missing=missing)


CASES = {
    "holds scores by item, and no labels": (qrels, [S], [Q]),
    "system …, item …, measure … has a score already: line … has it": (
        scores,
        ["model,item,value,round\na,1,1,x\na,1,0,y\n"],
        {
            "content": "model,item,value,round\na,1,1,x\na,1,0,y\n",
            "columns": {"repeat": "round"},
        },
    ),
    "A missing score is an empty field": (scores, [f"{S}c,1,AP,none of it\n"], [f"{S}c,1,AP,\n"]),
    "no column names the items": (
        scores,
        ["system,value\na,1\n"],
        ["system,topic,value\na,1,1\n"],
    ),
    "every score is missing": (scores, ["item,a,b\n1,,\n"], ["item,a,b\n1,1,0\n"]),
    "… has no score by …: choose measures that all systems have": (
        designed,
        [f"{S}a,1,RR,1\n"],
        {"content": f"{S}a,1,RR,1\n", "measures": "AP"},
    ),
    "… of … are missing, as of … on … by …": (
        designed,
        [S.replace("b,2,AP,1\n", "")],
        {"content": S.replace("b,2,AP,1\n", ""), "missing": "drop"},
    ),
    "no item is scored for every system and measure": (
        designed,
        {"content": "item,a,b\n1,1,\n2,,1\n", "missing": "drop"},
        ["item,a,b\n1,1,0\n2,0,1\n"],
    ),
    "holds means over all items only": (scores, ["map all 0.5\n"], ["map 1 0.5\nmap all 0.5\n"]),
    "is no line of scores: topic measure value, or system topic measure value": (
        scores,
        ["a 1\n"],
        ["item,a\n1,1\n"],
    ),
    "lower: no score is of '…'": (
        scores,
        {"content": S, "lower": "WER"},
        {"content": S, "lower": "AP"},
    ),
    "'…' contains … systems": (
        lambda source: regrade.read_scores(source),
        [{"a": pd.DataFrame({"system": ["x", "y"], "topic": ["1", "1"], "value": [0, 1]})}],
        [pd.DataFrame({"system": ["x", "y"], "topic": ["1", "1"], "value": [0, 1]})],
    ),
    "holds no score by item (…)": (
        scores,
        ['{"instance_id": "1", "stats": []}'],
        ['{"instance_id": "1", "stats": [{"name": {"name": "f1"}, "mean": 1}]}'],
    ),
    "cannot be read: …": (lambda path: regrade.read_qrels(path), ["none"], lambda: [file(Q)]),
    "is empty": (qrels, [""], [Q]),
    "is a truncated .gz": (
        qrels,
        [gzip.compress(Q.encode())[:-9], "q.gz"],
        [gzip.compress(Q.encode()), "q.gz"],
    ),
    "is not UTF-8": (qrels, ["1 0 é 1\n".encode("latin-1")], ["\ufeff1 0 é 1\r\n"]),
    "is UTF-16, not UTF-8": (qrels, [Q.encode("utf-16")], [Q]),
    "holds a NUL byte": (qrels, ["1 0 a\0 1\n"], ["1 0 a 1\n"]),
    "begins with a byte-order mark, as where files were joined": (
        qrels,
        ["1 0 a 1\n\ufeff2 0 b 0\n"],
        ["1 0 a 1\n2 0 b 0\n"],
    ),
    "… holds U+200B (…), which is invisible": (qrels, ["1 0 a\u200b 1\n"], ["1 0 a 1\n"]),
    "… has a blank, and is not valid in TREC lines": (written, ["cut.qrels"], ["cut.csv"]),
    "is empty, apart from comments: lines that begin with #": (qrels, ["# x\n"], [f"# x\n{Q}"]),
    "has … columns where there should be …: '…'": (qrels, ["1 0 a\n"], ["1 0 a 1\n"]),
    "score '…' is not a number": (runs, ["1 Q0 a 1 x t\n"], [R]),
    "… is beyond what a number can hold": (runs, ["1 Q0 a 1 1e400 t\n"], ["1 Q0 a 1 1e40 t\n"]),
    "rank … is below 0: ranks count from 1 or 0": (runs, ["1 Q0 a -1 2 t\n"], ["1 Q0 a 0 2 t\n"]),
    "document … again for topic …: line … has it": (
        runs,
        ["1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n"],
        ["1 Q0 a 1 2 t\n"],
    ),
    "The lines of a document differ in the second column: these are labels by subtopic": (
        qrels,
        ["1 1 a 1\n1 2 a 0\n"],
        ["1 0 a 1\n"],
    ),
    "Write 1 in place of true, and 0 in place of false": (
        regrade.read_qrels,
        [pd.DataFrame({"topic": ["1"], "docno": ["a"], "grade": [True]})],
        [
            pd.DataFrame({"topic": ["1"], "docno": ["a"], "grade": [True]}).pipe(
                lambda frame: frame.assign(grade=frame["grade"].astype(int))
            )
        ],
    ),
    "… is '10': give a whole number": (
        regrade.pool,
        [{"s": {"1": {"a": 1}}}, "10"],
        [{"s": {"1": {"a": 1}}}, 10],
    ),
    "… is a folder": (regrade.read_qrels, ["."], lambda: [file(Q)]),
    "tag '…' where line … has '…'": (
        runs,
        ["1 Q0 a 1 2 t\n1 Q0 b 2 1 u\n"],
        ["1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"],
    ),
    "its tag '…' is also that of …": (several_runs, [R, R], [R, R.replace(" t\n", " u\n")]),
    "no grade of … is above 0, and some are below": (
        lambda shift: scored("nDCG", {"1": {"a": -1 + shift, "b": -2 + shift}}),
        [0],
        [2],
    ),
    "… is given … times: name it once": (
        lambda times: regrade.read_runs([file(R, "a.run")] * times),
        [2],
        [1],
    ),
    "… is not 0, nor from 1e-100 to 1e+100 in size": (
        qrels,
        ["1 0 a 1e308\n1 0 b 1\n"],
        ["1 0 a 1e8\n1 0 b 1\n"],
    ),
    "… has … levels: magnitudes are compared with labels on at most 101": (
        lambda most: regrade.magnitude_gains(
            pd.DataFrame(
                [("1", d, "w", "u", n + 1.0) for n, d in enumerate("abcd")],
                columns=["topic", "docno", "worker", "unit", "value"],
            ),
            {"1": {"a": 0, "b": most, "c": 1, "d": 2}},
        ),
        [700],
        [3],
    ),
    "… is not finite": (qrels, ["1 0 a inf\n"], ["1 0 a 1\n"]),
    "has no column '…'": (
        lambda **how: qrels("topic,docno,grade,kind\n1,a,1,x\n", "f.csv", **how),
        {"where": {"sort": "x"}},
        {"where": {"kind": "x"}},
    ),
    "has … columns where there should be …": (
        lambda text: read_groups(file(text)),
        ["run\n"],
        ["run group\n"],
    ),
    "run … again: line … has it": (lambda text: read_groups(file(text)), ["r g\nr h\n"], ["r g\n"]),
    "has … columns where there are at least 5": (
        lambda text: read_pool_origins(file(text)),
        ["1 0 a 1\n"],
        ["1 0 a 1 1 g\n"],
    ),
    "no row is left: …": (
        lambda content: qrels(content, below_zero="unjudged"),
        ["1 0 a -1\n1 0 b -2\n"],
        ["1 0 a 1\n1 0 b -2\n"],
    ),
    "… and … share no judged document": (
        compared,
        [{"1": {"a": 1}}, {"01": {"a": 1}}],
        [{"1": {"a": 1}}, {"1": {"a": 1}}],
    ),
    "stands before the line that names the columns": (
        qrels,
        ["A title\ntopic,docno,grade\n1,a,1\n", "f.csv"],
        ["topic,docno,grade\n1,a,1\n", "f.csv"],
    ),
    "… has no column for the … (its columns: …)": (
        lambda **how: qrels("frage,docno,grade\n1,a,1\n", "f.csv", **how),
        {},
        {"columns": {"topic": "frage"}},
    ),
    "… is a …, which cannot be read": (regrade.read_qrels, [5], [{"1": {"a": 1}}]),
    "… has a label for the same topic already": (
        qrels,
        ["topic,docno,grade\n1,a,1\n1,a,0\n", "f.csv"],
        ["topic,docno,grade\n1,a,1\n", "f.csv"],
    ),
    "… and the runs have no topic in common": (
        lambda topic: scored("AP", {topic: {"a": 1}}),
        ["01"],
        ["1"],
    ),
    "no method is applicable: …": (
        regrade.find_cuts,
        [{"1": {"a": 3, "b": 1, "c": 2}}, 2],
        [{"1": {"a": 3, "b": 1, "c": 2}}, 2, {"1": {"a": 1, "b": 0, "c": 0}}],
    ),
    "… holds the grade …, but a reference for … levels has grades …": (
        lambda levels: regrade.find_cuts(
            {"1": {"a": 3, "b": 1, "c": 2}}, levels, {"1": {"a": 2, "b": 0, "c": 1}}
        ),
        [2],
        [3],
    ),
    "its first line names no columns: give the format": (
        lambda **how: preferences("1 a b\n", "f.txt", **how),
        {},
        {"format": "winner-loser"},
    ),
    "there is no measure …": (scored, ["MAPP"], ["MAP"]),
    "… has no parameter …; it takes …": (scored, ["AP(x=1)"], ["AP(rel=1)"]),
    "'…' and '…' are the same measure": (scored, ["MAP AP"], ["AP"]),
    "documents … differ by quotes only": (
        lambda name: scored("P@1", {"1": {name: 1, "b": 0}}, RUN),
        ['"a"'],
        ["a"],
    ),
    "column '…' is missing": (
        lambda text: read_judgments(file(text), format="tsv"),
        ["topic\tdocno\tvalue\n1\ta\t1\n"],
        [columns("topic", "docno", "worker", "value")],
    ),
    "is not a CSV file: …": (
        qrels,
        ['topic,docno,grade\n1,"a,1\n', "f.csv"],
        ['topic,docno,grade\n1,"a",1\n', "f.csv"],
    ),
    "q1, d3: NaN is not a finite number": (
        qrels,
        ['{"q1": {"d3": NaN}}', "q.json"],
        ['{"q1": {"d3": 1}, "q2": {}}', "q.json"],
    ),
    "… is not one of the two documents, left, right or tie": (prefer, ["c"], ["a"], ["tie"]),
    "… is compared with itself": (
        preferences,
        ["topic,left,right,winner\n1,a,a,a\n"],
        ["topic,left,right,winner\n1,a,b,a\n"],
    ),
    "topic is empty": (
        qrels,
        ["topic,docno,grade\n,a,1\n", "f.csv"],
        ["topic,docno,grade\n1,a,1\n", "f.csv"],
    ),
    "all values are …: there is nothing to cut or compare": (
        lambda value: regrade.find_cuts(
            {"1": {"a": 0.5, "b": 0.5, "c": value}}, 2, {"1": {"a": 0, "b": 0, "c": 1}}
        ),
        [0.5],
        [0.7],
    ),
    "… grades are -1: they count as TREC's junk": (
        lambda **how: scored("P@1", qrels("1 0 a 1\n1 0 b -1\n", **how)),
        {},
        {"below_zero": "unjudged"},
        {"below_zero": "junk"},
        {"below_zero": "sampled-out"},
    ),
    "grade … is not on the scale …": (
        lambda **how: qrels("1 0 a 3\n1 0 b 1\n", **how),
        {"scale": 2},
        {"scale": 4},
    ),
    "… is not on the scale …: …": (
        lambda **how: regrade.find_cuts(
            qrels("".join(f"1 0 {d} {g}\n" for d, g in {**GRADES, "x": 10}.items()), **how),
            2,
            {"1": {d: int(g > 1) for d, g in GRADES.items()}},
        ),
        {},
        {"off_scale": "drop"},
        {"scale": 11},
    ),
    "there is no such configuration": (lambda name: command("run", name, "-n"), ["none.yaml"]),
    "there is no collection '…'": (configured, {"collection": "mine"}, {"collection": "own"}),
    "unknown key '…'; did you mean '…'?": (configured, {"poools": {}}, {"pools": {"qrels": "TR2"}}),
    "… is not of type …": (configured, {"topics": [401]}, {"topics": ["401"]}),
    "there is no …; there is …": (configured, {"tie_break": "doc"}, {"tie_break": "line"}),
    "… is less than the minimum of …": (configured, {"seed": -1}, {"seed": 1}),
    "'…' cannot be used here: A name that is valid in a path": (
        configured,
        {"qrels": {"TR2": {"levels": 2}, "a/b": {"simulate": {}, "levels": 2}}},
        {"qrels": {"TR2": {"levels": 2}, "a-b": {"simulate": {}, "levels": 2}}},
    ),
    "give one of `file`, `simulate` …": (
        configured,
        {"judgments": {"S4": {"levels": 4}}},
        {"judgments": {"S4": {"simulate": {}, "levels": 4}}},
    ),
    "… names sets of several kinds: rename one": (
        configured,
        {"judgments": {"Q4": {"simulate": {}, "levels": 4}}},
        {"judgments": {"S4": {"simulate": {}, "levels": 4}}},
    ),
    "two are called '…'": (
        configured,
        {"transformations": [CUT, CUT]},
        {"transformations": [CUT, {**CUT, "name": "again"}]},
    ),
    "a source scale has at least 3 levels, not …": (
        configured,
        {"transformations": [{"source": "TR2", "levels": 2}]},
        {"transformations": [{"source": "Q4", "levels": 2, "references": ["TR2"]}]},
    ),
    "grid is …": (
        configured,
        {"transformations": [{**CUT, "grid": 100_000}]},
        {"transformations": [{**CUT, "grid": 100}]},
    ),
    "reference '…' has … levels and the target scale …": (
        configured,
        {"transformations": [{**CUT, "references": ["TR2"]}]},
        {"transformations": [{**CUT, "references": ["TR2"], "levels": 2}]},
    ),
    "there is no set '…'": (
        configured,
        {"transformations": [{**CUT, "source": "S"}]},
        {"transformations": [CUT]},
    ),
    "… needs several workers' judgments, and … holds one label per document": (
        configured,
        {
            "transformations": [
                {"source": "Q4", "levels": 2, "references": ["TR2"], "methods": ["h2"]}
            ]
        },
        {
            "transformations": [
                {"source": "Q4", "levels": 2, "references": ["TR2"], "methods": ["d2_at"]}
            ]
        },
    ),
    "… compares with a reference: name one under `references`": (
        configured,
        {"transformations": [{"source": "S100", "levels": 4, "methods": ["h2"]}]},
        {"transformations": [{**CUT, "methods": ["h2"]}]},
    ),
    "…: its scores do not follow from those of thresholds…": (
        configured,
        {"transformations": [{**CUT, "measure": "nDCG(gains={0:1,1:1,2:2,3:3})"}]},
        {"transformations": [{**CUT, "measure": "nDCG"}]},
        {"transformations": [{**CUT, "measure": "nDCG(gains={0:1,1:1,2:2,3:3})", "grid": 20}]},
    ),
    "judgments are simulated over the top of runs": (
        configured,
        lambda: {
            "runs": None,
            "qrels": {"TR2": {"file": str(file(Q)), "levels": 2}},
            "judgments": {"S4": {"simulate": {}, "levels": 4}},
        },
        {"judgments": {"S4": {"simulate": {}, "levels": 4}}},
    ),
    "works on pools: request `pools` too": (
        configured,
        {"discrimination": {}},
        {"discrimination": {}, "pools": {"qrels": "TR2"}},
    ),
    "shows `…`: request it too": (
        configured,
        {"studies": {"yang2019": {"table-3.2": {}}}},
        {"studies": {"yang2019": {"table-3.2": {}}}, "ties": {"qrels": "TR2"}},
    ),
    "… is not one of `depths`: add it there": (
        configured,
        {"pools": {"qrels": "TR2", "depths": [5, 10], "baseline": 20}},
        {"pools": {"qrels": "TR2", "depths": [5, 10, 20], "baseline": 20}},
    ),
    "Depth takes a depth and no size": (
        lambda **way: regrade.pool(RUN, **way),
        {"size": 5},
        {"depth": 5},
        {"method": "RRF", "size": 5},
    ),
    "unknown normalisation '…'": (
        lambda one: regrade.pool(RUN, method="CombSUM", size=5, normalisation=one),
        ["max"],
        ["sum"],
    ),
    "needs the file that `groups` names": (
        configured,
        {"pools": {"qrels": "TR2"}, "leave_one_out": [{"name": "a", "by": "group"}]},
        {"pools": {"qrels": "TR2"}, "leave_one_out": [{"name": "a", "by": "run"}]},
    ),
    "there is no rho under `ties.rho` '…'": (
        configured,
        {"ties": {"qrels": "TR2"}, "studies": {"yang2019": {"figure-3.4": {"measure": "RR"}}}},
        {
            "ties": {"qrels": "TR2", "ranges": ["RR"]},
            "studies": {"yang2019": {"figure-3.4": {"measure": "RR"}}},
        },
    ),
    "… is not of type string: put it in quotes": (
        configured,
        {"ties": {"qrels": "TR2", "rho": [1.1]}},
        {"ties": {"qrels": "TR2", "rho": ["1.1"]}},
    ),
    "…: not available for tied documents; there is …": (
        lambda measure: regrade.ties(RUN, {"1": {"a": 1}}, measure),
        ["Bpref"],
        ["AP"],
    ),
    "…: there are exact ranges of AP, nDCG, and …": (
        lambda measure: regrade.unjudged({"1": {"a": 1}}, RUN, measure),
        ["ERR"],
        ["RBP(p=0.8)"],
    ),
    "…: no exact range of measures that take unjudged documents out": (
        lambda measure: regrade.unjudged({"1": {"a": 1}}, RUN, measure),
        ["AP(judged_only=True)"],
        ["AP"],
    ),
    "a document has the grade …, above the highest of the scale": (
        lambda **how: scored("RBP(p=0.8)", {"1": {"a": 3}}, **how),
        {"max_grade": 2},
        {"max_grade": 3},
    ),
    "… counts grades from … on, and the highest of … is …": (
        configured,
        {"measures": ["AP(rel=3)"], "qrels": {"TR2": {"levels": 2}}},
        {"measures": ["AP(rel=1)"], "qrels": {"TR2": {"levels": 2}}},
    ),
    "a set has exactly one of levels, values, range, ratio": (
        configured,
        {"judgments": {"S": {"simulate": {}}}},
        {"judgments": {"S": {"simulate": {}, "levels": 4}}},
    ),
    "worker … judges document … again for topic … in unit …": (
        lambda **how: read_judgments(
            file("topic\tdocno\tworker\tvalue\trun\tunit\n1\ta\tw\t1\tr\t1\n1\ta\tw\t2\ts\t1\n"),
            format="tsv",
            **how,
        ),
        {"unit": "unit"},
        {"unit": ["run", "unit"]},
    ),
    "… is not a positive number": (
        lambda **how: judgments("topic,docno,worker,value\n1,a,w,0\n1,b,w,2\n", "j.csv", **how),
        {"scale": {"ratio": True}},
        {"scale": {"ratio": True}, "off_scale": "drop"},
    ),
    "topic …, document …, worker …: value is …, which is not a positive finite number": (
        magnitude,
        {},
        {"shift": 1},
    ),
    "… is named twice: name another set": (
        configured,
        {"compare": {"pairs": [["TR2", "TR2"]]}},
        {"compare": {"pairs": [["TR2", "Q4"]]}},
    ),
    "… may be 1100 or 1,100: write it so": (
        judgments,
        ["topic;docno;worker;value\n1;a;w;1.100\n1;b;w;2\n"],
        ["topic;docno;worker;value\n1;a;w;1100\n1;b;w;2\n"],
        ["topic;docno;worker;value\n1;a;w;1,100\n1;b;w;2\n"],
    ),
    "its columns (…) have unknown names": (
        lambda **how: qrels("Frage,Seite,Note\n1,2,1\n", "f.csv", **how),
        {},
        {"columns": {"topic": "Frage", "docno": "Seite", "grade": "Note"}},
    ),
    "inclusion … is not an inclusion probability": (
        sample,
        {"inclusion": [2]},
        {"inclusion": [1]},
    ),
    "chosen says no, but there is a grade": (
        sample,
        {"chosen": [False]},
        {"chosen": [False], "grade": [""]},
    ),
    "… cannot be estimated from sampled labels": (
        lambda measure: regrade.assign(RUN, {"1": {"a": 1, "b": 0}}, 1, measure, scale=2),
        ["Bpref"],
        ["P@1"],
    ),
    "there is no run of system …": (
        lambda system: regrade.pool(RUN, 1, contributors=[system]),
        ["u"],
        ["s"],
    ),
    "there is no workflow at …": (
        lambda place: command("explain", "pools", "--snakefile", place),
        ["none/Snakefile"],
        [str(PROJECT / "Snakefile")],
    ),
    "there is no search of … '…'": (
        lambda panel: configured(
            transformations=[CUT],
            studies={"han2019": {"figure-6": {"transformation": "S100-to-4", "panels": [panel]}}},
        ),
        ["h2@Q5"],
        ["h2@Q4"],
    ),
    "scores systems, and the collection has no `runs`": (
        lambda **how: configured(
            qrels={"TR2": {"file": str(file(Q)), "levels": 2}}, judgments={}, runs=None, **how
        ),
        {"ties": {"qrels": "TR2"}},
        {},
    ),
    "… has no residual: name one that has, such as RBP": (
        configured,
        {"ranges": {"qrels": "TR2", "residual": "AP"}},
        {"ranges": {"qrels": "TR2", "residual": "RBP(p=0.8)"}},
    ),
    "… is not of type number or string: put it in quotes": (
        lambda *values: configured(judgments={"S": {"simulate": {}, "values": list(values)}}),
        [False, True],
        ["no", "yes"],
    ),
    "preferences cannot be on the scale of …": (
        lambda **scale: configured(preferences={"P": {"file": str(file(P)), **scale}}),
        {"values": [0, 1, 2]},
        {"values": [-1, 1]},
        {"range": [-2, 2]},
        {"values": ["left", "tie", "right"]},
    ),
    "simulated experts use values or a range, not magnitudes": (
        lambda **scale: configured(qrels={"TR2": {"levels": 2}, "E": {"simulate": {}, **scale}}),
        {"ratio": True},
        {"levels": 4},
        {"range": [0, 1]},
    ),
    "…, and a highest grade is needed": (
        lambda name: configured(
            judgments={"M": {"simulate": {}, "ratio": True}},
            compare={"pairs": [["TR2", name]]},
            qrels=COLLECTION["qrels"] | {"M2": {"file": str(file(Q)), "ratio": True}},
        ),
        ["M2"],
        ["Q4"],
    ),
    "no system is judged as deep as …": (
        lambda **how: regrade.pool_depths({"1": {"a": 1, "b": 0}}, RUN, 3, measures="AP", **how),
        {},
        {"contributors": "all"},
    ),
    "the sets are on different scales: no α and no κ": (
        lambda **how: noted(
            regrade.compare({"1": {"a": 1, "b": 0, "c": 2}}, {"1": {"a": 3, "b": 0, "c": 1}}, **how)
        ),
        {},
        {"scale": 4},
    ),
    "labels give no inclusion probabilities, …": (
        lambda **how: regrade.estimate(
            {"topic": ["1"] * 30, "docno": [f"d{i}" for i in range(30)], "grade": [0, 1] * 15},
            {"1": {f"d{i}": i % 3 for i in range(40)}},
            **how,
        ),
        {},
        {"assume": "uniform"},
    ),
    "documents were chosen by methods …": (
        lambda **how: regrade.read_sample(file("1 a 0 1 0.5\n1 b 1 0 0.5\n"), **how),
        {},
        {"where": {"method": "1"}},
    ),
    "its fifth field is 1 everywhere: a grade of each, or the probability of each": (
        lambda text: regrade.read_sample(file(text)),
        ["1 0 a 1 1\n1 0 b 0 1\n"],
        ["topic\tdocno\tgrade\tinclusion\n1\ta\t1\t1\n1\tb\t0\t1\n"],
    ),
    "inclusion … is of a document that is never chosen": (
        sample,
        {"inclusion": [1e-12]},
        {"inclusion": [1e-3]},
    ),
    "the budget is …, which is for … labels": (
        lambda budget: regrade.assign(None, {"1": {"a": 0, "b": 1}}, budget, scale=2),
        [0.25],
        [1],
    ),
    "odds_ratio is …: give 1 or more": (
        lambda ratio: regrade.estimate(chosen_of(60), MODEL_OF_60, odds_ratio=ratio),
        [0.5],
        [2],
    ),
    "labels hold drawn documents alone, and …": (
        lambda measure: regrade.estimate(drawn_alone(), *MODEL_AND_RUNS, measure, replays=0),
        ["AP"],
        ["P@10"],
    ),
    "… has inclusion 1, and is not chosen": (
        lambda pi: regrade.estimate(
            regrade.read_sample(
                pd.DataFrame(
                    {
                        "topic": "1",
                        "docno": [f"d{i}" for i in range(60)],
                        "inclusion": [pi] * 30 + [1.0] * 30,
                        "chosen": [i % 2 == 0 if i < 30 else True for i in range(60)],
                        "grade": [i // 2 % 2 if i % 2 == 0 or i >= 30 else None for i in range(60)],
                    }
                )
            ),
            {"1": {f"d{i}": i % 3 for i in range(60)}},
        ),
        [1.0],
        [0.5],
    ),
    "half of the systems are judged to rank … only, too shallow for pools": (
        lambda **how: regrade.pool_depths({"1": {"a": 1}}, RUN, measures="AP RBP", **how),
        {},
        {"depths": [1, 2], "contributors": "all"},
    ),
    "… the score …, which cannot be fused: fuse by rank instead": (
        lambda way: regrade.pool({"s": {"1": {"a": math.inf, "b": 1}}}, method=way, size=1),
        ["CombSUM"],
        ["RRF"],
    ),
    "… fuses scores: give the scores of the runs": (
        lambda **how: make_pool(ranked(), Pooling("CombSUM", size=1), **how),
        {},
        lambda: {"scores": ranked().scores},
    ),
    "ρ is '…': bands grow by a number of at least 1": (
        lambda rho: regrade.ties(RUN, {"1": {"a": 1}}, "AP", rho=[rho]),
        ["0.5"],
        ["1.5"],
    ),
    "labels give no inclusion probability for … documents of the model, …": (
        lambda n: regrade.estimate(chosen_of(n), {"1": {f"d{i}": i % 3 for i in range(60)}}),
        [40],
        [60],
    ),
    "… human labels are too few to estimate errors": (
        lambda budget: regrade.estimate(
            chosen_of(60, budget), {"1": {f"d{i}": i % 3 for i in range(60)}}
        ),
        [10],
        [30],
    ),
    "takes shares of the highest grade, and the scale has none": (
        lambda measure: scored(
            measure, regrade.read_qrels({"1": {"a": 1, "b": 2}}, scale={"ratio": True})
        ),
        ["RBP(p=0.8)"],
        ["RBP(p=0.8,max_rel=2)"],
        ["nDCG"],
    ),
    "… takes no grades below 0 but TREC's junk, …": (
        lambda measure: scored(measure, {"1": {"a": -0.5, "b": 1}}),
        ["nDCG"],
        ["AP(rel=0.5)"],
    ),
    "the sum of gains is too large to compute": (
        lambda measure: scored(measure, {"1": {"a": 2000, "b": 1}}),
        ["nDCG(dcg='exp-log2')"],
        ["nDCG"],
    ),
    "…: on a scale up to … grades from … down count as nothing": (
        lambda measure: scored(measure, {"1": {"a": 100, "b": 1}}),
        ["ERR@10"],
        ["ERR(dcg='log2')@10"],
        ["ERR(max_rel=100)@10"],
    ),
    "…: there are worst-case bounds for RR and RBP, uncut": (
        lambda measure: worst_case_bounds(["2"], [measure]),
        ["AP"],
        ["RR"],
    ),
    "… of … judgments have no unit": (
        magnitude,
        {"shift": 1, "units": [""] * 3},
        {"shift": 1, "units": "xyz"},
    ),
    "document … occurs twice in unit …": (magnitude, {"shift": 1, "twice": True}, {"shift": 1}),
    "… of … judgments name no unit": (
        lambda unit: regrade.find_cuts(
            judgments(
                "topic,docno,worker,value,unit\n"
                + "".join(
                    f"1,{d},{w},{i + (w == 'x')},{unit if d == 'a' else 'u' + w}\n"
                    for i, d in enumerate("abcd")
                    for w in "xy"
                )
            ),
            2,
            {"1": {"a": 0, "b": 0, "c": 1, "d": 1}},
            methods=["h2"],
        ),
        [""],
        ["u"],
    ),
    "pool of depth …: no judged document is left for … of … topics (…)": (
        lambda depths: regrade.pool_depths(
            {"1": {"a": 1, "b": 0}, "2": {"c": 1}},
            {
                "s": {"1": {"a": 2, "b": 1}, "2": {"a": 2, "c": 1}},
                "t": {"1": {"b": 2, "a": 1}, "2": {"b": 2, "c": 1}},
            },
            measures="AP RBP",
            depths=depths,
            contributors="all",
        ),
        [[1, 3]],
        [[2, 3]],
    ),
    "… judgments repeat a document that the worker has judged before": (
        lambda name: print_notes(
            regrade.workers(
                judgments(
                    "topic,docno,worker,value\n"
                    + "".join(f"1,d{i},{w},{i % 3}\n" for i in range(6) for w in ("Bob", name))
                )
            )
        ),
        ["bob"],
        ["Ann"],
    ),
}
"""A row's first message → what is called, with what it is said, and with what mends it.

"""


def arguments(given):
    return given() if callable(given) else given


def ends(do, given) -> str:
    """What calling says: its refusal, or what is logged."""
    given = arguments(given)
    try:
        do(**given) if isinstance(given, dict) else do(*given)
    except RegradeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("message", list(CASES))
def test_a_message_is_said_and_its_remedy_works(message, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.INFO, "regrade")
    messages = next(of for _, of in ROWS if of and of[0] == message)
    do, wrong, *remedies = CASES[message]
    said = f"{ends(do, wrong)}\n{caplog.text}"
    assert any(pattern(one).search(said) for one in messages), said
    for remedy in remedies:
        caplog.clear()
        refused = ends(do, remedy)
        assert not refused, f"{remedy}: {refused}"
        logged = "".join(
            line for line in caplog.text.splitlines(True) if not line.endswith("left out\n")
        )
        assert not any(pattern(one).search(logged) for one in messages), logged


# --- every row ------------------------------------------------------------------------------------

UNTRIED = {
    "said by Snakemake itself; test_tiny has locks and targets": (
        "Directory cannot be locked",
        "MissingInputException",
        "Invalid config definition: Config entries have to be defined as name=value pairs",
    ),
    "said by jobs and of tables: test_simulation_*, test_tables, test_codes": (
        "judgment … of document … for topic …",
        "the reference's grade … is not one of the target scale's levels",
        "… compares workers with each other, and no document has the judgments of two",
        "a topic may not be called …",
        "no topic has runs, judgments to cut and expert judgments",
        "no topic has both runs and base labels",
        "its pool holds … documents, fewer than a unit's …",
        "… levels need … thresholds",
        "…: unknown key …",
        "… cannot be written: …: … are free without it",
        "cannot be read as Parquet",
        "cannot be read as Arrow",
        "topic …: was made for runs with other documents",
        "system … ranks document … twice for topic …",
        "is Parquet, but no table that regrade wrote",
    ),
    "said by functions of jobs: test_pools_*, test_significance_*, test_tied_scores": (
        "the qrels hold documents that no run has: reduce them to a pool first",
        "…: the qrels were encoded for other rankings",
        "no group is known for … contributing systems: …",
        "to leave out groups, give the group of each run",
        "a score rises from one rank to the next when compared as …",
        "expected depth …: RBP expects more than one document",
        "pairs of systems are tested over topics, with at least two systems and two topics: …",
        "no pair was tested at depth …",
        "topic … has scores of system … at fewer than two depths …",
        "topic … has no score of system …: the interaction of topic and system needs all",
        "…: there are scores of one topic only …",
        "…: all scores are …: nothing varies that could be explained",
        "every topic has each system's scores at two depths only …",
        "topics and systems fall into … sets that share no score",
        "no topic has a system's scores at two depths",
    ),
    "said by jobs, or where scales meet stages: test_collection, test_magnitudes_*": (
        "infAP with sampled labels is scored only by",
        "It has labels and whose runs brought each document",
        "qrels name no worker",
        "holds no row of the requested topics",
        "holds several scales: …",
        "… of … topics have no known documents (…)",
        "group … again for document … of topic …",
    ),
    "needs files, targets or a command: test_collection, test_messages, test_command_init": (
        "key '…' occurs twice, first in line …",
        "table-… is not requested: add it there",
        "… is of the collection '…': choose it",
        "…; there is no folder …",
        "folders in it are not looked into: name them too",
        "no file matches …",
        "… is no run, as … others beside it are",
        "the source has … distinct values, which cannot be cut into … levels",
        "… cuts of … topics are more than … values",
        "… compares unit by unit (HIT by HIT), and … has no units",
        "ranks systems, and the collection has no …",
    ),
    "said of fine scales, or by functions of jobs: test_measures, test_scoring": (
        "…: a document has the gain …, above that of the highest grade",
        "…: … of … judged documents with a grade above 0 count as nothing",
        "… goes with curves of …",
    ),
    "said by items of studies: test_studies_items": (),
    "needs a design, or another machine: test_estimation_*, test_kernel_cache": (
        "no topic of the runs is judged in both …",
        "… is a set of ir_datasets, which is not installed",
        "figures: matplotlib is not installed",
        "labels give no inclusion probability for … that runs rank within the depth of …",
        "no label is of one of … without a model's value",
        "… are labelled, and the inclusion of all adds up to …: … are missing",
        "batches are numbered 1, 2, …",
        "all … are already decided by the labels",
        "kernels are compiled again in each process …",
        "NUMBA_CACHE_DIR is not used …",
    ),
}
"""Rows that are not tried here, by why."""


def test_every_row_is_tried_or_says_why_not():
    untried = [message for messages in UNTRIED.values() for message in messages]
    first = [messages[0] for _, messages in ROWS]
    assert sorted(first) == sorted({*first}), "two rows begin alike"
    assert sorted(first) == sorted([*CASES, *untried])


def sayings() -> str:
    """What the sources and what tests expect hold as text, where lines of it are joined."""
    folders = [(name, "*.py") for name in ("src", "workflow", "tests")] + [("tests/data", "*.txt")]
    paths = [path for name, files in folders for path in PROJECT.joinpath(name).rglob(files)]
    texts = (path.read_text(encoding="utf-8") for path in paths if path != Path(__file__))
    joined = (re.sub(r'"\s*\n\s*f?"', "", text) for text in texts)
    return "\n".join(joined).replace("\\", "")


COMPOSED = 5
"""Parts of a message as short as this are not looked for."""


def test_messages_of_rows_that_are_not_tried_are_said_somewhere():
    known, unsaid = sayings(), []
    for section, messages in ROWS:
        if messages[0] not in CASES and section != "Snakemake":
            parts = (part.strip(" :,;()'") for one in messages for part in one.split("…"))
            unsaid += [part for part in parts if len(part) > COMPOSED and part not in known]
    assert not unsaid

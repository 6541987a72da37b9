"""The library in five lines: whatever goes in, what comes out, and what is said of bad input."""

import doctest
import gzip
import importlib
import json
import pkgutil
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import pytrec_eval

import regrade
from regrade.api.sets import read_set, scale_from
from regrade.cutsearch import question as cuts_question
from regrade.cutsearch.question import Cut
from regrade.errors import ParameterError, RegradeError
from regrade.measures import relevance_note
from regrade.readers.values import scale_of_most
from regrade.scales import Scale
from regrade.wording import counted
from tests.each import each
from tests.snapshots import assert_said
from tests.unit.carried import assert_carried

QRELS = {"401": {"d1": 2, "d2": 0, "d3": 1, "d4": 0}, "402": {"d1": 1, "d5": 0}}
RUN = {
    "401": {"d1": 3.0, "d3": 2.5, "d2": 2.5, "d9": 1.0},
    "402": {"d5": 1.5, "d1": 1.0},
}
OTHER = {"401": {"d2": 3.0, "d1": 2.0}, "402": {"d1": 9.0}}


def rows(nested, value):
    return [
        {"query_id": int(topic), "doc_id": doc, value: number}
        for topic, documents in nested.items()
        for doc, number in documents.items()
    ]


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def trec_qrels(path):
    lines = (f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items())
    return written(path, "".join(lines))


def trec_run(path, run=RUN, tag="mine"):
    lines = (
        f"{t} Q0 {d} {rank} {s} {tag}\n"
        for t, docs in run.items()
        for rank, (d, s) in enumerate(docs.items(), 1)
    )
    return written(path, "".join(lines))


# --- whatever goes in -----------------------------------------------------------------------------


def gzipped(path):
    path.write_bytes(gzip.compress(trec_qrels(path.with_suffix(".x")).read_bytes()))
    return path


def parquet(path):
    pq.write_table(pa.Table.from_pandas(pd.DataFrame(rows(QRELS, "relevance"))), path)
    return path


def csv(path, separator=","):
    frame = pd.DataFrame(rows(QRELS, "rel"))
    frame.to_csv(path, sep=separator, index=False)
    return path


def json_lines(path):
    return written(path, "".join(json.dumps(row) + "\n" for row in rows(QRELS, "grade")))


class Named:
    def __init__(self, **fields):
        self.__dict__.update(fields)


QRELS_GIVEN = {
    "dict": lambda folder: QRELS,
    "int topics in a dict": lambda folder: {int(t): docs for t, docs in QRELS.items()},
    "pandas": lambda folder: pd.DataFrame(rows(QRELS, "relevance")),
    "pandas, topics as floats": lambda folder: pd.DataFrame(rows(QRELS, "label")).astype(
        {"query_id": float}
    ),
    "pandas, categories": lambda folder: pd.DataFrame(rows(QRELS, "rel")).astype(
        {"query_id": "category", "doc_id": "category"}
    ),
    "polars": lambda folder: pl.DataFrame(rows(QRELS, "relevance")),
    "arrow": lambda folder: pa.Table.from_pylist(rows(QRELS, "relevance")),
    "columns": lambda folder: pd.DataFrame(rows(QRELS, "relevance")).to_dict("list"),
    "tuples": lambda folder: [Named(**row) for row in rows(QRELS, "relevance")],
    "trec": lambda folder: trec_qrels(folder / "qrels.txt"),
    "trec, text": lambda folder: str(trec_qrels(folder / "qrels.txt")),
    "trec, gz": lambda folder: gzipped(folder / "qrels.gz"),
    "csv": lambda folder: csv(folder / "qrels.csv"),
    "tsv": lambda folder: csv(folder / "qrels.tsv", "\t"),
    "jsonl": lambda folder: json_lines(folder / "qrels.jsonl"),
    "parquet": lambda folder: parquet(folder / "qrels.parquet"),
}


@pytest.mark.parametrize("made", QRELS_GIVEN.values(), ids=QRELS_GIVEN)
def test_labels_come_as_anything(made, tmp_path):
    found = regrade.read_qrels(made(tmp_path)).to_frame()
    held = {t: dict(of[["docno", "grade"]].to_numpy().tolist()) for t, of in found.groupby("topic")}
    assert held == QRELS


def frame_of_runs(runs):
    return pd.DataFrame(
        [{"run": name, **row} for name, run in runs.items() for row in rows(run, "score")]
    )


BOTH = {"mine": RUN, "other": OTHER}
RUNS_GIVEN = {
    "dict of dicts": lambda folder: BOTH,
    "frame": lambda folder: frame_of_runs(BOTH),
    "polars": lambda folder: pl.DataFrame(frame_of_runs(BOTH).to_dict("list")),
    "dict of frames": lambda folder: {n: pd.DataFrame(rows(r, "score")) for n, r in BOTH.items()},
    "dict of tuples": lambda folder: {
        n: [Named(**row) for row in rows(r, "score")] for n, r in BOTH.items()
    },
    "files": lambda folder: [trec_run(folder / n, r, n) for n, r in BOTH.items()],
    "folder": lambda folder: [trec_run(folder / n, r, n) for n, r in BOTH.items()] and folder,
    "glob": lambda folder: [trec_run(folder / n, r, n) for n, r in BOTH.items()] and f"{folder}/*",
    "dict of files": lambda folder: {n: trec_run(folder / n, r, n) for n, r in BOTH.items()},
    "csv": lambda folder: (
        frame_of_runs(BOTH).to_csv(folder / "runs.csv", index=False) or folder / "runs.csv"
    ),
}


@pytest.mark.parametrize("made", RUNS_GIVEN.values(), ids=RUNS_GIVEN)
def test_runs_come_as_anything(made, tmp_path):
    runs = regrade.read_runs(made(tmp_path))
    assert runs.systems == ["mine", "other"]
    assert runs.topics == ["401", "402"]
    frame = runs.to_frame()
    first = frame[(frame["system"] == "mine") & (frame["topic"] == "401")]
    assert first["docno"].tolist() == ["d1", "d3", "d2", "d9"]
    assert first["rank"].tolist() == [1, 2, 3, 4]


def test_a_run_without_scores_goes_by_rank():
    frame = pd.DataFrame({"qid": [1, 1, 1], "docid": list("abc"), "rank": [3, 1, 2]})
    assert regrade.read_runs(frame).to_frame()["docno"].tolist() == ["b", "c", "a"]


def test_ranks_are_whole_numbers_from_0_on():
    frame = pd.DataFrame({"qid": [1, 1, 1], "docid": list("abc"), "rank": [2, 0, 1]})
    assert regrade.read_runs(frame).to_frame()["docno"].tolist() == ["b", "c", "a"]
    for wrong in (-1, 1.5):
        with pytest.raises(
            RegradeError, match=f"runs:3: rank {wrong} is not a whole number from 0"
        ):
            regrade.read_runs(frame.assign(rank=[2, 0, wrong]))


def test_judgments_and_labels_are_told_apart():
    frame = pd.DataFrame(
        {"topic": [1, 1], "doc": ["a", "a"], "annotator": ["x", "y"], "rating": [3, 4]}
    )
    found = read_set(frame)
    assert "2 values by 2 workers" in repr(found)
    assert not found.has_units
    assert "units" not in repr(regrade.read_qrels(QRELS))
    with pytest.raises(RegradeError, match="has a label for the same topic already"):
        regrade.read_qrels(frame)


def test_scales_are_told_in_several_ways():
    assert scale_from(3).values == (0, 1, 2)
    assert (scale_from((0, 1)).low, scale_from((0, 1)).finite) == (0, False)
    assert scale_from(["N", "R"]).names == ("N", "R")
    frame = pd.DataFrame({"topic": [1, 1], "docno": ["a", "b"], "grade": ["R", "N"]})
    assert regrade.read_qrels(frame, scale=["N", "R"]).values.tolist() == [1, 0]


# --- what comes out -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("qrels", "measures", "said"),
    [
        ({"1": {"d1": 0, "d2": 0}}, "AP nDCG", ["no grade is above 0"]),
        ({"1": {"d1": -1, "d2": 1}}, "AP", ["1 of 2 grades are -1: they count as"]),
        ({"1": {"d1": 3, "d2": 0}}, "AP(rel=7) P(rel=4)@5 AP(rel=3)", ["AP(rel=7) is 0", "from 4"]),
        ({"1": {"d1": 1}}, "AP nDCG@10 P@5 ERR@10 RBP(p=0.8)", []),
        ({"1": {"d1": 0.5}}, "nDCG", []),
    ],
)
def test_measures_that_can_only_be_0_are_warned_of(qrels, measures, said, caplog):
    regrade.score(qrels, {"run": {"1": {"d1": 1.0}}}, measures)
    assert len(caplog.messages) == len(said)
    for message, part in zip(caplog.messages, said, strict=True):
        assert part in message


def thirty(topics=range(30), shift=0):
    """A run, by topic, and labels of 30 topics: of each the documents d0 … d9, d0 relevant."""
    qrels = {str(t): {f"d{d}": int(d == 0) for d in range(10)} for t in range(30)}
    return {str(t): {f"d{(d + shift) % 10}": 10 - d for d in range(9)} for t in topics}, qrels


def test_a_score_does_not_depend_on_its_company(caplog):
    (part, qrels), (whole, _) = thirty(range(14), shift=9), thirty(shift=8)
    alone = regrade.score(qrels, {"part": part}, "AP RR")
    together = regrade.score(qrels, {"part": part, "whole": whole}, "AP RR")
    assert alone.means().loc["part"].tolist() == together.means().loc["part"].tolist()
    assert alone.means().loc["part"].tolist() == [pytest.approx(14 / 30 / 2)] * 2
    peer = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(part)  # of its topics
    assert sum(found["map"] for found in peer.values()) / 30 == pytest.approx(14 / 30 / 2)
    said = (
        "1 of 1 runs rank fewer than the 30 judged topics (part 14, not 14, 15, 16, 17, 18, …): "
        "the others count 0"
    )
    assert said in caplog.messages and said.replace("of 1", "of 2") in caplog.messages


def test_topics_that_a_run_lacks_are_left_out_of_its_mean_where_asked(caplog):
    (part, qrels), (whole, _) = thirty(range(14), shift=9), thirty(shift=8)
    runs = {"part": part, "whole": whole, "other": {"99": {"d1": 1.0}}}
    found = regrade.score(qrels, runs, "AP RR", unranked="omit")
    assert found.means()["AP"].iloc[:2].tolist() == [pytest.approx(1 / 2), pytest.approx(1 / 3)]
    assert found.means().index.tolist() == ["part", "whole", "other"]
    assert np.isnan(found.means().loc["other"]).all()
    assert found.to_frame().groupby("system").size().to_dict() == {"part": 28, "whole": 60}
    assert "the others are left out of its mean" in caplog.messages[0]
    with pytest.raises(RegradeError, match="unknown unranked 'none'; there is zero, omit"):
        regrade.score(qrels, runs, unranked="none")


def test_what_meets_of_labels_and_runs_is_said(caplog):
    run, qrels = thirty()
    caplog.set_level("INFO", "regrade.api")
    regrade.score(regrade.read_qrels(qrels, name="nist"), {"a": run | {"77": {"x": 1}}}, "AP")
    expected = (
        "nist and 1 run: 30 of 30 judged topics ranked; 1 more of the runs' are not judged and "
        "left out (77); 270 of 300 judged documents retrieved"
    )
    assert caplog.messages == [expected]
    caplog.clear()
    mixed = {("0" + topic if int(topic) % 2 else topic): own for topic, own in run.items()}
    regrade.score(qrels, {"a": mixed}, "AP")
    found = regrade.compare(qrels, qrels, {"a": mixed}, "AP", resamples=1, splits=1)
    for told in (caplog.messages, found.answer.notes):
        assert sum("differ by leading zeros only" in said for said in told) == 1


ASKED_OF_RUNS = [
    lambda qrels, runs: regrade.rank(qrels, runs, "AP", draws=100),
    lambda qrels, runs: regrade.compare(qrels, qrels, runs, "AP", resamples=1, splits=1),
    lambda qrels, runs: regrade.unjudged(qrels, runs, "AP"),
    lambda qrels, runs: regrade.ties(runs, qrels, "AP"),
    lambda qrels, runs: regrade.judges(qrels, {"same": qrels}, runs, "AP", resamples=1),
    lambda qrels, runs: regrade.leave_one_out(qrels, runs, 2, measures="AP"),
    lambda qrels, runs: regrade.pool_depths(qrels, runs, 2, measures="AP", contributors=["a", "b"]),
]
"""Questions about runs by AP."""


@pytest.mark.parametrize("ask", ASKED_OF_RUNS)
def test_answers_name_topics_that_runs_or_labels_lack(ask):
    run, qrels = thirty()
    lacking = {topic: own for topic, own in run.items() if topic not in ("3", "17")}
    runs = {"a": run | {"77": {"x": 1.0}}, "b": lacking}
    said = ask(regrade.read_qrels(qrels, name="nist"), runs).answer.notes
    expected = (
        "1 of 2 runs rank fewer than the 30 judged topics (b 28, not 17, 3): the others count 0."
    )
    assert expected in said
    assert any(one.startswith("1 topic of the runs is not judged by nist") for one in said)
    assert any(one.endswith(": 77.") for one in said)


@pytest.mark.parametrize("ask", ASKED_OF_RUNS)
def test_answers_say_from_which_grade_on_documents_are_relevant(ask):
    run, qrels = thirty()
    other = {topic: dict(reversed(own.items())) for topic, own in run.items()}
    runs = {"a": run, "b": other}
    said = "AP counts every grade from 1 on as relevant; say otherwise by `AP(rel=2)`."
    assert not [one for one in ask(qrels, runs).answer.notes if "relevant;" in one]
    next(iter(qrels.values()))["d1"] = 2
    assert ask(qrels, runs).answer.notes.count(said) == 1


@pytest.mark.parametrize(
    ("values", "beside", "high"),
    [
        ([0] * 60 + [1, 2, 3] * 13 + [10], (), 3),  # 1 of 100, apart
        ([0] * 60 + [1, 2, 3] * 12 + [10] * 2, (), None),  # 2 of 98
        ([0] * 60 + [1, 2, 3] * 12 + [10] * 2, (4,), 3),  # and above all levels of another
        ([0] * 60 + [1, 2, 3] * 12 + [10] * 6, (4,), None),  # 6 of 102: too many for slips
        ([0] * 62 + [1, 2, 3] * 11 + [10] * 5, (4,), 3),  # 5 of 100
        ([0] * 60 + [1, 2] * 18 + [3] * 3, (), None),  # a rare level stands next to the others
        ([0] * 60 + [1, 2] * 18 + [3] * 3, (3,), 2),
        ([0] * 60 + [1, 2] * 18 + [3], (3,), 2),
        ([0] * 60 + [1, 2] * 18 + [3] * 3, (3, 4), None),  # one has the level
        ([0] * 60 + [1, 2] * 18 + [3] * 3, (101,), None),  # a fine scale says nothing of levels
    ],
)
def test_few_values_above_all_others_are_on_no_scale(values, beside, high):
    scales = [Scale.of({"levels": levels}) for levels in beside]
    found = scale_of_most(np.array(values, float), scales)
    assert (None if found is None else found.high) == high


def test_measures_that_say_from_which_grade_on_are_left_alone():
    assert relevance_note(["AP(rel=2)", "nDCG@10", "RBP"], 3) == ""
    assert relevance_note(["nDCG", "P@10", "RR"], 3) == (
        "P@10 and RR count every grade from 1 on as relevant; say otherwise by `P(rel=2)@10`."
    )
    assert relevance_note(["P@10"], 1) == ""
    assert relevance_note(["AP"], 2).startswith("AP counts every grade from 1 on as relevant; ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t, d: (t if t == "7" else f"q{t}", d), "only 1 of 30 topics in common"),
        (lambda t, d: (f"{t}.", d), "no topic in common"),
        (lambda t, d: (t, d if (t, d) == ("7", "d1") else f"x{d}"), "only 1 of 270 documents of"),
        (lambda t, d: (t, f"x{d}"), "no document that qrels judges was retrieved"),
    ],
)
def test_next_to_nothing_in_common_is_refused(change, said):
    run, qrels = thirty()
    changed = {}
    for topic, own in run.items():
        for docno, score in own.items():
            new, called = change(topic, docno)
            changed.setdefault(new, {})[called] = score
    with pytest.raises(RegradeError, match=said):
        regrade.score(qrels, {"a": changed})


def test_measures_of_relevant_documents_refuse_numbers_of_which_only_the_highest_counts():
    run, levels = thirty()
    numbers = {t: {d: (int(d[1:]) + 1) / 10 for d in own} for t, own in levels.items()}
    said = r"AP: counts grades from 1 on, .* say from which on, as AP\(rel=0.5\), or take a measure"
    with pytest.raises(RegradeError, match=said):
        regrade.score(numbers, run, "nDCG AP")
    with pytest.raises(RegradeError, match=said):
        regrade.compare(levels, numbers, {"a": run}, "AP", resamples=1, splits=1)
    found = regrade.score(numbers, run, "AP(rel=0.5) nDCG").means()
    cut = {t: {d: int(v >= 0.5) for d, v in own.items()} for t, own in numbers.items()}
    assert found["AP(rel=0.5)"].tolist() == regrade.score(cut, run, "AP").means()["AP"].tolist()


def test_scores_are_those_of_trec_eval():
    found = regrade.score(QRELS, {"mine": RUN, "other": OTHER}, "AP nDCG@10 RR")
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg_cut_10", "recip_rank"})
    names = {"AP": "map", "nDCG@10": "ndcg_cut_10", "RR": "recip_rank"}
    frame = found.to_frame().set_index(["system", "topic", "measure"])["value"]
    # trec_eval orders ties by docno; d3 comes before d2 either way
    for topic, expected in evaluator.evaluate(RUN).items():
        for ours, theirs in names.items():
            assert frame["mine", topic, ours] == pytest.approx(expected[theirs])
    assert found.means().loc["mine", "RR"] == pytest.approx(0.75)
    assert "2 systems on 2 topics of qrels" in repr(found)


def test_a_comparison_says_what_changes():
    changed = {"401": {"d1": 0, "d2": 2, "d3": 1, "d4": 0}, "402": {"d1": 1, "d5": 0}}
    found = regrade.compare(QRELS, changed, BOTH, "nDCG@10 AP", resamples=20, splits=5)
    assert found.agreement["both"].tolist() == [4, 2, 6]
    assert found.to_frame() is found.pairs
    assert found.to_frame("systems") is found.systems
    assert found.to_frame("answer").columns.tolist() == ["part", "said"]
    with pytest.raises(AttributeError, match=r"no 'sistems'.*systems"):
        found.to_frame("sistems")
    assert found.confusion["documents"].sum() == 6
    text = str(found.summary())
    assert "agree exactly on 66.7% of 6 co-judged documents" in text
    assert "Replacing first with second reverses the order of the 2 systems (nDCG@10)." in text
    assert "By AP (grades ≥ 1), τ_b = −1.00." in text
    assert "The top system changes from mine under first to other under second." in text
    assert_carried(found.answer, found.tables, "nDCG@10", folder="compare")
    assert set(found.movers(1)["measure"]) == {"nDCG@10", "AP"}
    with pytest.raises(AttributeError, match="did you mean 'rankings'"):
        found.ranking  # noqa: B018
    assert "not relevant" not in text
    labels = regrade.compare(QRELS, changed)
    assert "systems" not in str(labels.summary())


def test_documents_that_only_one_set_labels_are_told():
    fewer = {"401": {"d1": 1, "d2": 1}, "402": {"d1": 1, "d5": 0, "d9": 1}}
    asked = (QRELS, fewer, BOTH, "nDCG@10")
    found = regrade.compare(*asked, resamples=5, splits=5)
    lack = [
        sum(d not in b[t] for t in b for d in a[t]) for a, b in ((fewer, QRELS), (QRELS, fewer))
    ]
    assert (
        f"Documents without a label count as not relevant ({lack[0]} in first, {lack[1]} in "
        "second); `--documents shared` leaves them out."
    ) in found.answer.notes
    assert_carried(found.answer, found.tables, "nDCG@10", folder="compare")
    shared = regrade.compare(*asked, documents="shared", resamples=5, splits=5)
    assert not any("not relevant" in one for one in shared.answer.notes)
    # documents of a topic that only one set has are in no score
    other = regrade.compare(QRELS, {"401": QRELS["401"]}, BOTH, "nDCG@10", resamples=5, splits=5)
    assert not any("not relevant" in one for one in other.answer.notes)


def test_sets_on_other_scales_are_compared_by_systems():
    binary = {t: {d: int(g > 0) for d, g in docs.items()} for t, docs in QRELS.items()}
    found = regrade.compare(QRELS, binary, BOTH, "nDCG", resamples=5, splits=5)
    assert "different scales" in found.answer.notes[0]
    assert_carried(found.answer, found.tables, folder="compare")
    assert found.labels["value"].isna().all()
    told = regrade.compare(QRELS, binary, same_scale=True)
    assert told.labels["value"].notna().all()


MODEL = {
    str(t): {f"d{i}": float(v) for i, v in enumerate(values)}
    for t, values in enumerate(np.random.default_rng(1).integers(0, 101, (6, 12)))
}
TRUE = {
    t: {d: int(np.searchsorted([30, 60], v)) for d, v in docs.items()} for t, docs in MODEL.items()
}


def test_cuts_are_found_told_and_applied(tmp_path):
    cuts = regrade.find_cuts(MODEL, levels=3, reference=TRUE)
    best = cuts.best
    assert best.alpha == pytest.approx(1)
    assert best.method == "d2_at"
    assert best.levels == 3
    assert cuts.methods == ["d2_at"]
    assert "tw1 needs workers" in repr(cuts)
    frame = cuts.to_frame(topics=True)
    assert len(frame) == 7
    labels = cuts.apply(MODEL)
    assert regrade.compare(labels, TRUE).agreement["equal"].tolist() == [1] * 7
    labels.to_qrels(tmp_path / "cut.qrels")
    again = regrade.read_qrels(tmp_path / "cut.qrels")
    assert again.to_frame().equals(labels.to_frame())
    own = cuts.apply(cut=[50]).values
    expected = [v > 50 for _, v in sorted(
        ((t, d), v) for t, docs in MODEL.items() for d, v in docs.items())]  # fmt: skip
    assert own.tolist() == expected


@pytest.mark.parametrize(
    "of", [lambda v: v / 3, lambda v: 0.1 * (v + 1) + 0.2 - 0.2, lambda v: v * np.pi]
)
def test_thresholds_are_said_in_few_digits_that_cut_the_same(of):
    truth = {t: {d: v // 27 for d, v in docs.items()} for t, docs in MODEL.items()}
    values = {t: {d: of(v / 8) for d, v in docs.items()} for t, docs in MODEL.items()}
    cuts = regrade.find_cuts(values, levels=4, reference=truth)
    said = cuts.answer(resamples=0).verdict
    thresholds = re.fullmatch(r"Thresholds (.*) maximise .*", said)[1]
    written = [float(one) for one in re.split(", | and ", thresholds)]
    assert len(written) == 3
    assert not re.search(r"\d\.\d{7}", said)
    assert cuts.apply(cut=written).values.tolist() == cuts.apply().values.tolist()


def test_intervals_are_of_topics_drawn_anew():
    rng = np.random.default_rng(3)
    noisy = {
        t: {d: int(np.clip(g + rng.integers(-1, 2), 0, 2)) for d, g in docs.items()}
        for t, docs in TRUE.items()
    }
    cuts = regrade.find_cuts(MODEL, levels=3, reference=noisy)
    found = cuts.intervals(50).set_index("quantity")
    assert list(found.index) == [
        "alpha",
        "gain over equal widths",
        "c1 chosen on drawn topics",
        "c2 chosen on drawn topics",
    ]
    assert found.loc["alpha", "in_sample"] == pytest.approx(cuts.best.alpha)
    drawn = found.iloc[2:]
    assert drawn["in_sample"].tolist() == list(cuts.best.thresholds)
    assert (drawn["low"] <= drawn["high"]).all()
    # too few topics for an interval of what the cut has on all that there might be
    assert found.loc[["alpha", "gain over equal widths"], ["low", "high"]].isna().all(axis=None)
    assert found["held_out"].notna().tolist() == [len(TRUE) > 1] * 2 + [False] * 2


def test_crowds_serve_more_methods():
    frame = pd.DataFrame(
        [
            {"topic": t, "docno": d, "worker": w, "unit": w, "value": min(100, v + 3 * i)}
            for t, docs in MODEL.items()
            for d, v in docs.items()
            for i, w in enumerate("xyz")
        ]
    )
    without = regrade.find_cuts(frame)
    assert without.levels == 2
    assert without.methods == ["h1_at", "h1_ta", "tw1"]
    assert without.best.reference == ""
    both = regrade.find_cuts(frame, 2, {t: {d: int(g > 0) for d, g in docs.items()}
                                        for t, docs in TRUE.items()})  # fmt: skip
    assert both.best.method == "d2_at"
    assert set(both.methods) == {"d2_at", "d2_ta", "h2", "h1_at", "h1_ta", "tw1"}

    assert both.to_frame().index.tolist() == [*range(6)]


@pytest.mark.parametrize(
    ("tied", "topics", "said"),
    [(1, 2, "by d2_at with NIST, 2 topics>"), (3, 4, ", 4 topics, 3 cuts share it>")],
)
def test_a_cut_says_how_many_share_it(tied, topics, said):
    assert repr(Cut((3.0,), "d2_at", 0.5, tied, "NIST", topics)).endswith(said)


def test_labels_that_a_cut_is_held_beside_have_its_levels(monkeypatch):
    """Nobody gave level 2, and levels go up to it all the same."""
    fewer = {t: {d: min(g, 1) for d, g in docs.items()} for t, docs in TRUE.items()}
    runs = {"a": MODEL, "b": {t: {d: -v for d, v in docs.items()} for t, docs in MODEL.items()}}
    seen, under = [], cuts_question.systems_under
    monkeypatch.setattr(cuts_question, "systems_under", lambda *a: seen.append(a) or under(*a))
    found = regrade.find_cuts(MODEL, levels=3, reference=fewer)
    answer = found.answer(runs, "AP", resamples=0)
    chosen, experts, *_ = seen[0]
    assert {side.max_grade for side in (*chosen.values(), *experts)} == {2}
    said = relevance_note(["AP"], 2)
    assert said and said in answer.notes
    two = {t: {d: int(g > 0) for d, g in docs.items()} for t, docs in TRUE.items()}
    graded = regrade.find_cuts(MODEL, levels=2, reference=two).answer(runs, "AP", resamples=0)
    assert said not in graded.notes


def test_pools_ties_and_left_out():
    made = regrade.pool(BOTH, 1)
    assert made.to_frame()[["topic", "docno", "votes"]].to_numpy().tolist() == [
        ["401", "d1", 1], ["401", "d2", 1], ["402", "d1", 1], ["402", "d5", 1]
    ] or set(made.to_frame()["docno"]) == {"d1", "d2", "d5"}  # fmt: skip
    assert made.sizes.to_dict() == {"401": 2, "402": 2}
    assert len(made.reduce(QRELS)) == 4
    assert regrade.pool(BOTH).pooling.depth == 10
    left = regrade.leave_one_out(QRELS, BOTH, 1, measures="AP")
    assert set(left.systems["system"]) == {"mine", "other"}
    assert regrade.leave_one_out(QRELS, BOTH).pooling.depth == 2  # one of two is judged so deep
    groups = regrade.leave_one_out(QRELS, BOTH, 1, by="group", groups={"mine": "a", "other": "b"})
    assert groups.by == "group"
    told = regrade.leave_one_out(QRELS, BOTH, 1, groups={"mine": "a", "other": "a"})
    assert told.by == "group" and set(told.left_out["left_out"]) == {"a"}
    grouped = regrade.read_runs(BOTH, groups={"mine": "a", "other": "a"})
    assert regrade.leave_one_out(QRELS, grouped, 1).by == "group"
    assert regrade.leave_one_out(QRELS, grouped, 1, by="run").by == "run"
    found = regrade.ties(BOTH, QRELS, "AP")
    scores = found.to_frame().set_index("system")
    assert scores.loc["mine", "range"] > 0  # d3 and d2 tie, and one is relevant
    assert scores.loc["other", "range"] == 0
    assert regrade.ties(BOTH).scores is None


def test_preferences_become_scores():
    frame = pd.DataFrame(
        {"topic": [1, 1, 1], "left": list("aab"), "right": list("bcc"), "preferred": list("aac")}
    )
    found = regrade.fit_scores(frame, "copeland").to_frame().set_index("docno")["value"]
    assert found.to_dict() == {"a": 1, "b": 0, "c": 0.5}
    frame["preferred"] = ["left", "left", "tie"]
    found = regrade.fit_scores(frame, "copeland").to_frame().set_index("docno")["value"]
    assert found.to_dict() == {"a": 1, "b": 0.25, "c": 0.25}


def test_scores_of_preferences_are_labels(tmp_path):
    pairs = {"topic": ["1"] * 4, "winner": list("aabc"), "loser": list("bcca")}
    fitted = regrade.fit_scores(pairs)
    strength = fitted.to_frame().set_index("docno")["value"]
    made = fitted.to_labels().to_frame().set_index("docno")["grade"]
    expected = 1 / (1 + np.exp(-strength))  # logistic: the probability against strength 0
    np.testing.assert_allclose(made[expected.index], expected, rtol=1e-12)
    share = (strength["b"] - strength["c"]) / (strength["a"] - strength["c"])
    assert fitted.to_labels("topic").values.tolist() == [1, pytest.approx(share), 0]
    fitted.to_qrels(tmp_path / "a.qrels")
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    scored = [
        regrade.score(labels, run, "nDCG").to_frame()["value"].item()
        for labels in (fitted, fitted.to_labels(), regrade.pairs(pairs), tmp_path / "a.qrels")
    ]
    gain = made[["b", "a", "c"]].to_numpy() / np.log2([2, 3, 4])
    ideal = np.sort(made.to_numpy())[::-1] / np.log2([2, 3, 4])
    assert scored == pytest.approx([gain.sum() / ideal.sum()] * 4, abs=1e-10)
    with pytest.raises(regrade.RegradeError, match="copeland gives no probabilities"):
        regrade.fit_scores(pairs, "copeland").to_labels("probability")
    assert regrade.fit_scores(pairs, "strength").to_labels().values.tolist()[0] == 1


# --- bad input ------------------------------------------------------------------------------------


NOT_A_NUMBER = pd.DataFrame({"topic": [1, 1], "docno": ["a", "b"], "rel": ["x", "1"]})
EMPTY_TOPIC = pd.DataFrame({"topic": ["1", None], "docno": ["a", "b"], "rel": [0, 1]})

BAD = {
    "a number": lambda f: regrade.read_qrels(7),
    "a lazy frame": lambda f: regrade.read_qrels(pl.LazyFrame(rows(QRELS, "rel"))),
    "an empty frame": lambda f: regrade.read_qrels(NOT_A_NUMBER.head(0)),
    "an empty dict": lambda f: regrade.read_qrels({}),
    "no number": lambda f: regrade.read_qrels(NOT_A_NUMBER),
    "not finite": lambda f: regrade.read_qrels({"1": {"a": float("nan")}}),
    "no topic": lambda f: regrade.read_qrels(EMPTY_TOPIC),
    "no topic, and what to do": lambda f: regrade.read_qrels(EMPTY_TOPIC),
    "no document of rows that a column tells": lambda f: regrade.read_qrels(
        EMPTY_TOPIC.assign(docno=["a", ""], topic=["1", "gold"])
    ),
    "no document, and a column of other words": lambda f: regrade.read_qrels(
        EMPTY_TOPIC.assign(docno=["a", ""], topic="1", of=["x y", 0])
    ),
    "no document, whatever other columns have": lambda f: regrade.read_qrels(
        EMPTY_TOPIC.assign(docno=["a", ""], topic="1", of="x")
    ),
    "no document in any row": lambda f: regrade.read_qrels(
        EMPTY_TOPIC.assign(docno="", topic="1", of="x")
    ),
    "a flat dict": lambda f: regrade.read_qrels({"1": 3}),
    "two columns of grades": lambda f: regrade.read_qrels(NOT_A_NUMBER.assign(label=1)),
    "a column of runs, beside labels": lambda f: regrade.score({"1": {"a": 1}}, NOT_A_NUMBER),
    "a column that is not there": lambda f: regrade.read_qrels(
        NOT_A_NUMBER, columns={"grade": "relx"}
    ),
    "a role that is not there": lambda f: regrade.read_qrels(
        NOT_A_NUMBER, columns={"grades": "rel"}
    ),
    "a document twice": lambda f: regrade.read_qrels(
        pd.DataFrame({"qid": [1, 1], "did": "aa", "rel": [1, 2]}).assign(did=["a", "a"])
    ),
    "off a scale of names": lambda f: regrade.read_qrels({"1": {"a": "X"}}, scale=["N", "R"]),
    "a scale of nothing": lambda f: regrade.read_qrels(QRELS, scale="4"),
    "columns for TREC": lambda f: regrade.read_qrels(trec_qrels(f / "q"), columns={"grade": "x"}),
    "judgments without workers": lambda f: regrade.read_judgments(trec_qrels(f / "q")),
    "a run of neither": lambda f: regrade.read_runs(pd.DataFrame({"qid": [1], "did": ["a"]})),
    "a document twice in a run": lambda f: regrade.read_runs(
        pd.DataFrame({"qid": [1, 1], "did": ["a", "a"], "score": 1.0})
    ),
    "runs of one name": lambda f: regrade.read_runs([RUN, OTHER]),
    "no runs": lambda f: regrade.read_runs([]),
    "a rule for ties": lambda f: regrade.read_runs(BOTH, tie_break="coin"),
    "no topic in common": lambda f: regrade.score({"1": {"d1": 1}}, BOTH),
    "no document in common": lambda f: regrade.score({"401": {"x": 1}}, BOTH),
    "a highest grade of 0": lambda f: regrade.score(QRELS, BOTH, max_grade=0),
    "nothing to compare": lambda f: regrade.compare(QRELS, {"9": {"a": 1}}),
    "no such option": lambda f: regrade.compare(QRELS, QRELS, metrics="ordinal"),
    "no such metric": lambda f: regrade.compare(QRELS, QRELS, metric="x"),
    "a reference on another scale": lambda f: regrade.find_cuts(MODEL, 2, TRUE),
    "a reference of other topics": lambda f: regrade.find_cuts(MODEL, 2, {"x": {"d": 1}}),
    "a grade in the last row of a dict": lambda f: regrade.read_qrels({"t": {"a": 1, "b": "x"}}),
    "too many levels": lambda f: regrade.find_cuts(MODEL, 9, QRELS),
    "no such method": lambda f: regrade.find_cuts(MODEL, 3, TRUE, methods=["d2"]),
    "a method without workers": lambda f: regrade.find_cuts(MODEL, 3, TRUE, methods=["h2"]),
    "all values equal": lambda f: regrade.find_cuts(
        {"1": {"a": 0.5, "b": 0.5}}, 2, {"1": {"a": 1, "b": 0}}
    ),
    "a cut that falls": lambda f: regrade.find_cuts(MODEL, 3, TRUE).apply(cut=[60, 30]),
    "a method that was not searched": lambda f: regrade.find_cuts(MODEL, 3, TRUE).of("tw1"),
    "a pool of nothing": lambda f: regrade.pool(BOTH, 0),
    "a way to pool": lambda f: regrade.pool(BOTH, method="Luck"),
    "no such contributor": lambda f: regrade.pool(BOTH, contributors=["x"]),
    "groups that are not known": lambda f: regrade.leave_one_out(QRELS, BOTH, by="group"),
    "groups that are not wanted": lambda f: regrade.leave_one_out(
        QRELS, BOTH, by="run", groups={"mine": "a", "other": "b"}
    ),
    "judged too shallowly": lambda f: regrade.leave_one_out({"401": {"d1": 1}}, BOTH),
    "left out by what": lambda f: regrade.leave_one_out(QRELS, BOTH, by="team"),
    "preferences of neither": lambda f: regrade.fit_scores(
        pd.DataFrame({"topic": [1], "left": ["a"]})
    ),
    "a winner of neither": lambda f: regrade.fit_scores(
        {"topic": [1], "left": ["a"], "right": ["b"], "winner": ["c"]}
    ),
    "itself": lambda f: regrade.fit_scores({"topic": [1], "winner": ["a"], "loser": ["a"]}),
    "pairs without a format": lambda f: regrade.fit_scores(written(f / "p", "1 a b\n")),
    "no such way to score": lambda f: regrade.fit_scores(
        {"topic": [1], "winner": ["a"], "loser": ["b"]}, "elo"
    ),
}


def test_bad_input_is_said_with_its_remedy(tmp_path):
    """What is not in files, and of options in Python; of the others see `test_bad_input.py`."""

    def say(name):
        with pytest.raises(RegradeError) as refused:
            BAD[name](tmp_path)
        return str(refused.value).replace(f"{tmp_path}/", "").replace(str(tmp_path), "FOLDER")

    assert_said("bad-input-of-the-library", say, ((name,) for name in BAD))


def test_sets_of_ir_datasets_need_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets", None)
    with pytest.raises(RegradeError, match=r"pip install regrade\[datasets\]"):
        regrade.read_qrels("irds:vaswani")


# --- several criteria -----------------------------------------------------------------------------

CREDIBLE = {"401": {"d1": 0, "d2": 3}, "402": {"d5": 1}}
"""Grades 0 … 3 of another criterion; not of all documents."""


@pytest.mark.parametrize(
    ("measures", "others", "said"),
    [
        ("NLRE(second=cred)@2", None, r"needs labels of the set 'cred' too: .*others=\{'cred'"),
        ("NLRE(second=cred)@2", {"kred": CREDIBLE}, "set 'cred' too; given are kred"),
        ("AP", {"cred": CREDIBLE}, "no measure needs the set 'cred'"),
        ("NLRE(second=cred)@2", [CREDIBLE], "others is a list: give further label sets by name"),
        (
            "NLRE(second=cred)@2",
            {"cred": {"401": {"d1": "x"}}},
            r"cred:1: grade 'x' \(topic 401, document d1\) is no",
        ),
        ("NLRE(second=cred)@2", {"cred": {"9": {"d1": 1}}}, "cred has 'd1' for topic '9'"),
        ("NLRE(second=cred)@2", {"cred": {"401": {"z": 1}}}, "cred has 'z'"),
    ],
)
def test_further_sets_are_checked(measures, others, said):
    with pytest.raises(RegradeError, match=said):
        regrade.score(QRELS, {"mine": RUN}, measures, others=others)


def test_what_a_further_set_lacks_is_said(caplog):
    some = {"401": {"d1": 0, "d2": 0}}
    regrade.score(QRELS, {"mine": RUN}, "NWCS(second=cred)", others={"cred": some})
    assert "cred judges no document of 1 of the 2 topics" in caplog.text
    assert "cred: no grade is above 0" in caplog.text


# --- examples -------------------------------------------------------------------------------------

LIBRARY = Path(regrade.__file__).parent
MODULES = sorted([*LIBRARY.glob("api/[a-z]*.py"), *LIBRARY.glob("*/*question.py")])
NAMES = [".".join(path.relative_to(LIBRARY).with_suffix("").parts) for path in MODULES]


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_docstrings_hold(name):
    assert doctest.testmod(importlib.import_module(f"regrade.{name}")).failed == 0


DOCS = Path(__file__).parents[2] / "docs"
WITH_EXAMPLES = [path for path in sorted(DOCS.rglob("*.md")) if ">>> " in path.read_text("utf-8")]


@pytest.mark.parametrize("document", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_examples_in_documents_hold(document, monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    found = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert found.attempted > (20 if document.stem == "library" else 1)
    assert found.failed == 0


@pytest.mark.parametrize("name", ["criteria", "power"])
def test_the_document_names_every_function_that_a_package_gives(name):
    package = importlib.import_module(f"regrade.{name}")
    document = (Path(__file__).parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
    results = {"Entropy", "GradePreferences", "Lists", "PlackettLuceFit"}  # what others return
    for given in set(package.__all__) - results:
        assert re.search(rf"`{given}\b", document), given


PACKAGES = [
    one.name
    for one in pkgutil.walk_packages(regrade.__path__, "regrade.")
    if one.ispkg and hasattr(importlib.import_module(one.name), "__all__")
]


@each(PACKAGES)
def test_everything_that_a_package_gives_is_there(package):
    package = importlib.import_module(package)
    assert [name for name in package.__all__ if not hasattr(package, name)] == []


def test_everything_that_is_given_can_be_had():
    assert PACKAGES
    for name in regrade.__all__:
        assert callable(getattr(regrade, name))
        assert getattr(regrade, name).__doc__
    with pytest.raises(AttributeError):
        regrade.nothing  # noqa: B018


# --- rows that are asked for ----------------------------------------------------------------------


def of_two_states():
    """Judgments, some of which were rejected."""
    return pd.DataFrame(
        {
            "topic": "1", "docno": ["a", "b", "a", "b"], "worker": ["x", "x", "y", "y"],
            "value": [1, 0, 3, 3], "status": ["Accepted", "Accepted", "Rejected", "Checked"],
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"state": "Accepted"}, "has no column 'state'; did you mean 'status'"),
        ({"status": "Acepted"}, "has status 'Acepted'; did you mean 'Accepted'"),
        ({"status": "Rejected", "worker": "x"}, "no row of the frame given as judgments has all"),
    ],
)
def test_rows_that_are_not_there_are_refused(where, said):
    with pytest.raises(RegradeError, match=said):
        regrade.read_judgments(of_two_states(), where=where)


def test_what_there_is_one_of_is_said_so():
    """Of several it is said by the examples."""
    run, qrels = {"1": {"a": 1.0}}, {"1": {"a": 1}}
    labels, runs = regrade.read_qrels(qrels), regrade.read_runs({"x": run})
    judged = regrade.read_judgments({"topic": ["1"], "docno": ["a"], "worker": ["w"], "value": [1]})
    won = {"topic": ["1"], "winner": ["a"], "loser": ["b"]}
    said = {
        repr(labels): "1 document of 1 topic,",
        repr(judged): "1 value by 1 worker for 1 topic,",
        repr(runs): "<Runs of 1 system: 1 topic, 1 document ranked>",
        repr(regrade.score(labels, runs, "P@1")): "<Scores of 1 system on 1 topic of ",
        repr(regrade.pool(runs, 1)): " of 1 system: 1 document of 1 topic, 1 to 1 each>",
        repr(regrade.fit_scores(won)): "2 documents of 1 topic by bradley-terry from 1 preference>",
    }
    for shown, told in said.items():
        assert told in shown
    assert [counted(n, "topic") for n in (0, 1, 1000)] == ["0 topics", "1 topic", "1,000 topics"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda threads: regrade.judges(QRELS, {"m": QRELS}, threads=threads),
        lambda threads: regrade.rank(QRELS, {"a": RUN, "b": OTHER}, threads=threads),
        lambda threads: regrade.find_cuts(QRELS, 2, QRELS, threads=threads),
        lambda threads: regrade.sweep({"labels": ["m"]}, {}, sets={"m": QRELS}, threads=threads),
        lambda threads: regrade.magnitude_gains(QRELS, QRELS, threads=threads),
    ],
    ids=["judges", "rank", "find_cuts", "sweep", "magnitude_gains"],
)
@pytest.mark.parametrize(
    ("threads", "said"),
    [(0, "threads is 0: give 1 or more"), ("two", "threads is 'two': give"), (1.5, "is 1.5: give")],
)
def test_what_is_no_number_of_threads_is_refused(ask, threads, said):
    with pytest.raises(ParameterError, match=said):
        ask(threads)

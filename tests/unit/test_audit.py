"""The audit: small tables by hand, random ones by brute force, and TREC-8's known facts."""

from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.audit.columns import distinct
from regrade.audit.rankings import audit_judged, audit_runs, facts_of_coverage, facts_of_runs
from regrade.audit.sets import (
    CollectedSet,
    audit_judgments,
    audit_preferences,
    audit_values,
    audit_workers,
)
from regrade.audit.summary import readable_summary, summarise
from regrade.audit.unwanted import rows_unwanted
from regrade.audit.warnings import topic_warnings, warnings_of
from regrade.catalogue.arrow import SCHEMAS, STRING
from regrade.choices import TIE_BREAKS
from regrade.readers import read_judgments, read_preferences, read_qrels, read_runs
from regrade.readers.rows import other_than
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale, signed
from regrade.tables import read_table, write_table
from tests.unit.saved import rows
from tests.unit.trec import trec8

SIDES = signed(Scale.of({"values": ["left", "tie", "right"]}))


def save(folder, name, lines):
    path = folder / name
    path.write_text("\n".join(lines))
    return path


def test_tuples_of_codes_are_told_apart():
    """Each of 3 · 4 pairs, most of them twice."""
    first, second = np.repeat([0, 1, 2], 4), np.tile([0, 1, 2, 3], 3)
    assert distinct(first, second) == distinct(second, first) == 12
    assert distinct(np.tile(first, 2)[:-3], np.tile(second, 2)[:-3]) == 12
    assert (distinct(first), distinct(second), distinct(first[:0])) == (3, 4, 0)


@pytest.fixture
def runs(tmp_path):
    """a/1: B and C tied, D contradicts (rank 1 after 3); a/2: short; b/1: all tied."""
    a = ["1 Q0 A 2 9 a", "1 Q0 B 3 8 a", "1 Q0 C 0 8 a", "1 Q0 D 1 7 a", "2 Q0 A 1 1 a"]
    b = ["1 Q0 X 0 5 b", "1 Q0 A 1 5 b", "1 Q0 C 2 5 b", "1 Q0 B 3 5 b"]
    return read_runs([save(tmp_path, "a", a), save(tmp_path, "b", b)])


@pytest.fixture
def qrels(tmp_path):
    return read_qrels(save(tmp_path, "q", ["1 0 A 2", "1 0 B 0", "1 0 C 1", "3 0 A 0", "1 0 Z 0"]))


def named(kind, **tables):
    """Sets of a kind, without a scale."""
    return [CollectedSet(kind, name, table) for name, table in tables.items()]


def of_runs(runs, **options):
    return audit_runs(RankedLists.from_table(runs), **options)


def of_judged(runs, qrels_by_name):
    ranked = RankedLists.from_table(runs)
    judged = {name: Judged.from_table(qrels, ranked) for name, qrels in qrels_by_name.items()}
    return audit_judged(ranked, judged)


def test_audit_runs(runs):
    # order of a/1: A (rank 2), C (0), B (3), D (1): C after A and D after B contradict
    assert rows(of_runs(runs)) == [
        ("a", "1", 4, 1, 3, 2, False),
        ("a", "2", 1, 0, None, 0, True),
        ("b", "1", 4, 3, 2, 0, False),
    ]


def test_audit_runs_compares_scores_as_the_order_did(tmp_path):
    path = save(tmp_path, "a", ["1 Q0 A 2 1.00000000001 a", "1 Q0 B 1 1 a"])
    assert rows(of_runs(read_runs([path]))) == [("a", "1", 2, 0, None, 1, False)]
    single = read_runs([path], score_precision="float32")
    assert rows(of_runs(single, score_precision="float32")) == [("a", "1", 2, 1, 2, 0, False)]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    documents=st.dictionaries(
        st.tuples(st.sampled_from("12"), st.sampled_from("ABCDEFGH")),
        st.tuples(st.integers(0, 9), st.integers(0, 3)),
        min_size=1,
    )
)
def test_audit_runs_against_brute_force(tmp_path, documents):
    lines = [f"{t} Q0 {d} {rank} {score} s" for (t, d), (rank, score) in documents.items()]
    path = save(tmp_path, "s", lines)
    by_topic = groupby(sorted(documents), key=lambda key: key[0])
    rankings = {
        topic: sorted((documents[key] for key in keys), key=lambda d: (-d[1], d[0]))
        for topic, keys in by_topic
    }
    expected = []
    for topic, ranking in rankings.items():
        pairs = list(pairwise(ranking))
        tied = [upper[1] == lower[1] for upper, lower in pairs]
        expected.append(
            (
                *("s", topic, len(ranking), sum(tied)),
                tied.index(True) + 2 if any(tied) else None,
                sum(upper[1] > lower[1] and upper[0] > lower[0] for upper, lower in pairs),
                len(ranking) < max(map(len, rankings.values())),
            )
        )
    for tie_break in TIE_BREAKS:  # the rule for ties changes nothing
        assert rows(of_runs(read_runs([path], tie_break=tie_break))) == expected


def test_audit_judged(runs, qrels):
    table = of_judged(runs, {"q": qrels, "again": qrels})
    assert rows(table) == [
        (name, *row)
        for name in ("q", "again")
        for row in (("a", "1", 3, 3, 1, 4), ("a", "2", 0, 0, 1, 1), ("b", "1", 3, 3, 1, 1))
    ]


def test_a_ranking_judged_to_its_end_has_its_first_unjudged_after_it(runs, tmp_path):
    everything = read_qrels(save(tmp_path, "all", ["2 0 A 0"]))
    assert of_judged(runs, {"q": everything})["first_unjudged"].to_pylist() == [1, 2, 1]


@pytest.mark.parametrize(("unjudged", "top_ten_judged"), [(9, 0), (10, 0), (11, 1), (12, 1)])
def test_a_top_ten_is_judged_where_the_first_unjudged_is_below_it(
    unjudged, top_ten_judged, tmp_path
):
    lines = [f"1 Q0 D{rank} {rank} {-rank} a" for rank in range(1, 13)]
    run = save(tmp_path, "a", [*lines, "2 Q0 D1 1 1 a"])  # the second has fewer than ten, judged
    judged = [f"1 0 D{rank} 1" for rank in range(1, 13) if rank != unjudged]
    qrels = read_qrels(save(tmp_path, "q", [*judged, "2 0 D1 0"]))
    facts = facts_of_coverage(of_judged(read_runs([run]), {"q": qrels}), qrels)
    found = {name: (count, of) for name, count, of in facts}
    assert found["systems whose top 10 is judged for every topic"] == (top_ten_judged, 1)
    assert found["retrieved documents that are judged"] == (12, 13)
    top = "top 10 documents that are judged, topics with qrels"
    assert found[top] == (11 - (unjudged <= 10), 11)
    assert found["rank of a ranking's first unjudged document, median"] == (unjudged, None)


def test_facts_of_runs_are_those_of_their_rankings(runs):
    facts = {name: (count, of) for name, count, of in facts_of_runs(of_runs(runs))}
    assert facts["rankings shorter than the longest"] == (1, 3)
    assert facts["rankings with tied scores"] == (2, 3)
    assert facts["documents tied with the one above"] == (4, 9)
    assert facts["rank of a ranking's first tie, geometric mean"] == (pytest.approx(6**0.5), None)
    none = {name: count for name, count, _ in facts_of_runs(of_runs(runs).slice(0, 0))}
    assert none["rankings shorter than the longest"] == 0
    assert none["documents of the longest ranking"] == 0
    assert "rank of a ranking's first tie, geometric mean" not in none


def test_audit_judgments(tmp_path):
    header = "topic\tdocno\tworker\tunit\tvalue"
    lines = ["2\tA\tw\tu\t1", "1\tA\tw\tu\t1", "1\tB\tw\tu\t1", "1\tA\tv\tu\t1", "1\tA\tw\tx\t1"]
    units = read_judgments(save(tmp_path, "units", [header, *lines]))
    votes = read_judgments(
        save(tmp_path, "votes", ["topic\tdocno\tworker\tvalue", *["1\tA\tw\t0"] * 3])
    )
    assert rows(audit_judgments(named("judgments", units=units, votes=votes))) == [
        ("units", "1", 2, 4, 2, 3, 1, 2.0, 3, 1),
        ("units", "2", 1, 1, 1, 1, 1, 1.0, 1, 0),
        ("votes", "1", 1, 3, 1, None, 3, 3.0, 3, 2),
    ]


@pytest.fixture
def preferences(tmp_path):
    """Topic 1: A and B both ways by w (with sides) and once more by v; a tie of A and C."""
    header = "topic\tleft\tright\tpreferred\tworker\tunit"
    lines = [
        "1\tA\tB\tleft\tw\tu", "1\tB\tA\tleft\tw\tx", "1\tA\tB\tleft\tv\tu",
        "1\tA\tC\ttie\tv\tu", "2\tA\tB\tright\t\t",
    ]  # fmt: skip
    path = save(tmp_path, "preferences", [header, *lines])
    return CollectedSet("preferences", "P", read_preferences(path), SIDES)


def test_audit_preferences(preferences, tmp_path):
    path = save(tmp_path, "lines", ["1 B A B", "1 A B A", "1 A B B"])
    lines = read_preferences(path, format="pair-winner")
    sets = [preferences, CollectedSet("preferences", "L", lines)]
    assert rows(audit_preferences(sets)) == [
        ("P", "1", 3, 2, 4, 2, 3, 1, 2.0, 3, 1, 4, 3, 1, 1, 1),
        ("P", "2", 2, 1, 1, None, None, 1, 1.0, 1, 0, 1, 0, 0, 0, 0),
        ("L", "1", 2, 1, 3, None, None, 3, 3.0, 3, 0, 0, 0, 0, 1, 0),
    ]


def test_audit_values(preferences, qrels):
    graded = CollectedSet("qrels", "q", qrels, Scale.of({"values": ["N", "M", "R", "H"]}))
    shares = CollectedSet("qrels", "s", qrels, Scale.of({"range": [0, 2]}))
    found = [row[1:] for row in rows(audit_values([graded, shares, preferences]))]
    assert found == [
        ("q", 0, "N", 3), ("q", 1, "M", 1), ("q", 2, "R", 1), ("q", 3, "H", 0),
        ("s", 0, "0", 3), ("s", 1, "1", 1), ("s", 2, "2", 1),
        ("P", -1, "left", 3), ("P", 0, "tie", 1), ("P", 1, "right", 1),
    ]  # fmt: skip


def test_audit_workers(preferences, tmp_path):
    lines = ["1\tA\tw\t3", "1\tB\tw\t0.5", "2\tA\tw\t3", "1\tA\tv\t2"]
    text = ["topic\tdocno\tworker\tvalue", *lines]
    judgments = read_judgments(save(tmp_path, "values", text))
    sets = [CollectedSet("judgments", "J", judgments), preferences]
    assert [row[1:] for row in rows(audit_workers(sets))] == [
        ("J", "v", 1, 1, 1, 1, 2, 2, 2, 1),
        ("J", "w", 3, 2, 3, 2, 0.5, 3, 3, 2),
        ("P", "v", 2, 1, 2, 2, -1, 0, -1, 1),
        ("P", "w", 2, 1, 1, 1, -1, -1, -1, 2),
    ]


def test_the_summary_tells_of_values_workers_and_what_was_left_out(preferences):
    held = replace(preferences, left_out={"a document compared with itself": 5})
    summary = summarise(
        [held],
        {"preferences": audit_preferences([held]), "workers": audit_workers([held])},
    )
    found = facts(summary)
    assert {fact: value for (source, fact), value in found.items()} == {
        "topics": (2, None),
        "documents": (5, None),
        "pairs of documents": (3, None),
        "preferences": (5, None),
        "workers": (2, None),
        "units (a worker's HIT for a topic)": (3, None),
        "preferences per pair, mean": (5 / 3, None),
        "preferences per pair, fewest": (1, None),
        "preferences per pair, most": (3, None),
        "ties": (1, 5),
        "preferences for the left document": (3, 5),
        "preferences without a known worker": (1, 5),
        "preferences that repeat a pair of the same worker": (1, 4),
        "pairs with preferences both ways": (1, 3),
        "pairs that one worker prefers both ways": (1, 3),
        "values of the scale that are used": (3, 3),
        "rows with the most frequent value": (3, 5),
        "workers who gave one value only": (1, 2),
        "rows of the busiest worker": (2, 4),
        "left out: a document compared with itself": (5, 10),
    }


def test_real_preferences_are_counted(real_data):
    path = real_data / "dl21/preferences.gz"
    people = CollectedSet("preferences", "P", read_preferences(path, format="pair-winner"))
    found, workers = audit_preferences([people]), audit_workers([people])
    assert len(workers) == 0
    facts_found = facts(summarise([people], {"preferences": found, "workers": workers}))
    assert facts_found["preferences P", "preferences without a known worker"] == (11_681, 11_681)
    assert [pc.sum(found[name]).as_py() for name in ("pairs", "contradictory", "ties")] == [
        8_685,
        967,
        0,
    ]


def test_topic_warnings(qrels):
    assert list(topic_warnings(["1", "2"], named("qrels", q=qrels))) == [
        ("qrels q", "no row for 1 topic (2) of the runs"),
        ("qrels q", "1 topic (3) in no run"),
    ]
    both = named("qrels", q=qrels.filter(pa.array(np.asarray(qrels["topic"]) == "1")))
    assert list(topic_warnings(["1"], both)) == []
    assert list(topic_warnings(None, named("qrels", q=qrels))) == []


def facts(summary):
    return {
        (row["source"], row["fact"]): (row["value"], row["total"]) for row in summary.to_pylist()
    }


def test_summary(runs, qrels):
    tables = {"q": qrels}
    found = facts(
        summarise(
            named("qrels", **tables),
            {"runs": of_runs(runs), "judged": of_judged(runs, tables)},
        )
    )
    assert found["runs", "systems with tied scores"] == (2, 2)
    assert found["runs", "documents tied with the one above"] == (4, 9)
    assert found["runs", "rankings with submitted ranks that contradict scores"] == (1, 3)
    assert found["runs", "rankings shorter than the longest"] == (1, 3)
    assert found["runs", "rank of a ranking's first tie, geometric mean"][0] == pytest.approx(
        6**0.5
    )
    assert found["qrels q", "judged documents per topic, mean"] == (2.5, None)
    assert found["qrels q", "relevant documents (grade above 0)"] == (2, 5)
    assert found["qrels q", "topics of the runs without qrels"] == (1, 2)
    assert found["qrels q", "topics in no run"] == (1, 2)
    assert found["qrels q", "retrieved documents that are judged"] == (6, 9)


@pytest.mark.parametrize("highest", [-1, 0, 3])
def test_the_highest_grade_is_one_that_is_given(highest, tmp_path):
    qrels = read_qrels(save(tmp_path, "q", ["1 0 A -2", f"1 0 B {highest}"]))
    found = facts(summarise(named("qrels", q=qrels), {}))
    assert found["qrels q", "highest grade"] == (highest, None)


def test_a_collection_may_lack_any_part(runs, tmp_path):
    assert len(summarise()) == 0
    assert len(of_judged(runs, {})) == len(audit_judgments([])) == 0
    plain = read_runs([save(tmp_path, "c", ["1 Q0 A 1 2 c", "1 Q0 B 2 1 c"])])
    found = facts(summarise(audits={"runs": of_runs(plain)}))
    assert found["runs", "systems with tied scores"] == (0, 1)
    assert ("runs", "rank of a ranking's first tie, geometric mean") not in found


def test_a_table_from_a_file_gives_the_same(runs, qrels, tmp_path):
    again = []
    for name, table in (("runs", runs), ("qrels", qrels)):
        write_table(table, tmp_path / "table.parquet", name)
        again.append(read_table(tmp_path / "table.parquet", name))
    # two chunks, each with a dictionary of its own
    plain = pa.schema(
        [(f.name, pa.string() if f.type == STRING else f.type) for f in again[0].schema]
    )
    pieces = [again[0].slice(0, 3), again[0].slice(3)]
    chunked = pa.concat_tables([piece.cast(plain).cast(piece.schema) for piece in pieces])
    assert chunked["docno"].chunk(0).dictionary != chunked["docno"].chunk(1).dictionary
    assert of_runs(chunked).equals(of_runs(runs))
    assert of_judged(chunked, {"q": again[1]}).equals(of_judged(runs, {"q": qrels}))


def test_readable_summary():
    facts = [
        ("runs", "systems", 129.0, None, "129", ""),
        ("runs", "documents retrieved", 6_284_293.0, None, "6,284,293", ""),
        ("runs", "documents tied", 692_941.0, 6_284_293.0, "692,941", "11.0 %"),
        ("runs", "systems with tied scores", 129.0, 129.0, "129", "100.0 %"),
        ("runs", "rankings shorter", 0.0, 6450.0, "0", "0.0 %"),
        ("runs", "first tie", 71.03912, None, "71.04", ""),
        ("qrels q", "judged per topic", 1736.6, None, "1,737", ""),
        ("qrels q", "many per topic", 123_456.7, None, "123,500", ""),
        ("qrels q", "few per topic", 0.123456, None, "0.1235", ""),
        ("qrels q", "median", 2.5, None, "2.5", ""),
        ("qrels q", "nearly three", 2.99999, None, "3", ""),
        ("qrels q", "one of eight", 1.0, 8.0, "1", "12.5 %"),
        ("qrels q", "none of none", 0.0, 0.0, "0", ""),
    ]
    columns = [list(column) for column in zip(*facts, strict=True)]
    found = readable_summary(pa.table(columns[:4], schema=SCHEMAS["audit/summary"]))
    assert found.columns.tolist() == ["source", "fact", "value", "share"]
    assert [*found.itertuples(index=False, name=None)] == [
        (source, fact, value, share) for source, fact, _, _, value, share in facts
    ]


def test_a_readable_summary_of_a_real_one(runs, qrels):
    summary = summarise(named("qrels", q=qrels), {"runs": of_runs(runs)})
    found = readable_summary(summary)
    assert found["fact"].tolist() == summary["fact"].to_pylist()
    tied = found[found["fact"] == "documents tied with the one above"]
    assert tied.to_numpy().tolist() == [["runs", tied["fact"].item(), "4", "44.4 %"]]
    nothing = readable_summary(summarise())
    assert nothing.columns.tolist() == ["source", "fact", "value", "share"]
    assert len(nothing) == 0


def test_trec8_ties_and_contradictions(real_data):
    """yang2019 Table 3.2, and the exact counts that belong to these files."""
    found = facts(summarise(audits={"runs": of_runs(trec8(real_data).runs)}))
    value = {fact: number for (_, fact), number in found.items()}
    assert value["documents retrieved"] == (6_284_293, None)
    assert value["documents tied with the one above"] == (692_941, 6_284_293)
    percent = {
        fact: round(100 * number / total, 1) for fact, (number, total) in value.items() if total
    }
    assert percent["systems with tied scores"] == 93.8
    assert percent["rankings with tied scores"] == 91.8
    assert percent["documents tied with the one above"] == 11.0
    assert percent["systems with submitted ranks that contradict scores"] == 6.2
    assert percent["rankings with submitted ranks that contradict scores"] == 5.6
    assert percent["documents whose submitted rank contradicts"] == 1.8
    assert round(value["rank of a ranking's first tie, geometric mean"][0]) == 71


def test_trec8_depth_of_judging(real_data):
    runs, qrels = trec8(real_data).runs, trec8(real_data).qrels
    tables = {"TR2": qrels}
    judged = of_judged(runs, tables)
    found = facts(summarise(named("qrels", **tables), {"judged": judged}))
    assert found["qrels TR2", "judged documents per topic, mean"] == (1736.6, None)
    assert found["qrels TR2", "topics of the runs without qrels"] == (0, 50)

    frame = judged.to_pandas()
    frame["deep"] = (frame.judged + frame.unjudged >= 50) & (frame.first_unjudged > 50)
    deep = frame.groupby("system", observed=True).deep.all()
    assert deep.sum() == 67
    top = runs.filter(pa.array(runs["rank"].to_numpy() <= 50)).to_pandas()
    top = top[top.system.isin(deep[deep].index)][["topic", "docno"]].drop_duplicates()
    pool = top.merge(qrels.to_pandas(), on=["topic", "docno"])
    assert (len(top), len(pool), pool.grade.sum()) == (40_238, 40_238, 3_175)


def test_schemas_hold(runs, qrels):
    assert of_runs(runs).schema.equals(SCHEMAS["audit/runs"])
    assert of_judged(runs, {"q": qrels}).schema.equals(SCHEMAS["audit/judged"])
    assert summarise(audits={"runs": of_runs(runs)}).schema.equals(SCHEMAS["audit/summary"])


# --- what must be known before any result --------------------------------------------------------


def warned(*tables, in_runs=None, judged=None, left_out=None, kind="qrels"):
    sets = [
        CollectedSet(kind, name, table, None, left_out or {})
        for name, table in zip("abc", tables, strict=False)
    ]
    return [(row["source"], row["said"]) for row in warnings_of(in_runs, sets, judged).to_pylist()]


def test_from_which_grade_on_measures_count_is_said_once():
    held = [CollectedSet("qrels", name, labels(("1", "d", 1))) for name in "ab"]
    for relevance, said in (("P@10 counts", [("measures", "P@10 counts")]), ("", [])):
        told = warnings_of(["1"], held, relevance=relevance).to_pylist()
        assert [(r["source"], r["said"]) for r in told if r["source"] == "measures"] == said


def labels(*rows):
    columns = list(zip(*rows, strict=True)) or [()] * 3
    return pa.table(columns, schema=SCHEMAS["qrels"])


def test_nothing_is_said_of_sets_that_share_documents():
    first = labels(("1", "x", 0.0), ("1", "y", 1.0))
    assert warned(first, labels(("1", "y", 0.0), ("1", "z", 1.0)), in_runs=["1"]) == []


def test_sets_without_a_document_in_common_are_named():
    tables = labels(("1", "x", 0.0), ("1", "y", 1.0)), labels(("2", "x", 0.0), ("2", "y", 1.0))
    (said,) = warned(*tables)
    assert said == (
        "qrels a",
        "it shares no document with qrels b: the two sets cannot be compared",
    )


def test_sets_of_one_value_and_of_none_are_named():
    same = labels(("1", "x", 2.0), ("1", "y", 2.0))
    (said,) = warned(same)
    assert said[1].startswith("all 2 values are 2: no cut tells documents apart")
    (said,) = warned(labels(("1", "x", 0.0), ("1", "y", 0.0)))
    assert "no grade of its 2 documents is above 0" in said[1]
    assert warned(labels()) == [("qrels a", "it has no row")]
    assert warned(labels(("1", "x", 1.0))) == []


def test_preferences_for_one_side_throughout_are_no_labels_of_one_value(tmp_path):
    path = save(tmp_path, "lines", ["1 A B A", "1 B C B"])
    table = read_preferences(path, format="pair-winner")
    assert set(table["strength"].to_pylist()) == {-1.0}
    assert warned(table, kind="preferences") == []


@pytest.mark.parametrize(
    ("kind", "values"), [("preferences", (-1, 0, 1)), ("judgments", (0, 1, 2))]
)
def test_a_set_is_known_with_what_its_job_has_noted(kind, values):
    """Names of strengths lie around none."""
    noted = {"parameters": {"left_out": {"no grade": 2}, "mixed": "rows differ", "seed": 1}}
    scale, table = {"values": ["left", "tie", "right"]}, labels(("1", "x", 0.0))
    held = CollectedSet.made_by(kind, "a", scale, table, noted)
    assert (held.kind, held.name, held.table.num_rows) == (kind, "a", 1)
    assert (held.scale.values, held.left_out, held.mixed) == (
        values,
        {"no grade": 2},
        "rows differ",
    )


def test_rows_left_out_and_topics_of_one_side_are_named():
    table = labels(("1", "x", 0.0), ("1", "y", 1.0))
    asked = other_than({"run": 1})  # of which nobody need be warned
    said = warned(table, in_runs=["1", "2"], left_out={asked: 7, "no grade": 3})
    assert said == [
        ("qrels a", "no row for 1 topic (2) of the runs"),
        ("qrels a", "3 rows are left out: no grade"),
    ]


def test_rows_that_nobody_wants_are_told_by_their_condition():
    table = labels(("1", "x", 0.0), ("1", "y", 1.0))
    reasons = {other_than({"worker": ["a", "b"], "run": 1}): 2_998, "no grade": 1}
    held = [CollectedSet("qrels", "a", table, None, reasons), CollectedSet("qrels", "b", table)]
    assert rows_unwanted(summarise(held)) == [
        ("qrels a", "2,998 of 3,001 rows: other than worker a or b, run 1")
    ]
    assert rows_unwanted(summarise(held[1:])) == rows_unwanted(summarise()) == []


def test_runs_that_retrieve_nothing_judged_are_named():
    table = labels(("1", "x", 0.0), ("1", "y", 1.0))
    judged = pa.table(
        [["a", "b"], ["s", "s"], ["1", "1"], [0, 4], [0, 4], [9, 5], [1, 1]],
        schema=SCHEMAS["audit/judged"],
    )
    (said,) = warned(table, in_runs=["1"], judged=judged)
    assert said[1].startswith("no system retrieves a document that it judges")


def test_topics_that_are_wanted_and_nowhere_are_named():
    (held,) = named("qrels", q=labels(("401", "x", 0.0), ("402", "y", 1.0)))
    said = lambda *wanted: warnings_of(None, [held], wanted=wanted).to_pylist()  # noqa: E731
    assert said("401", "402") == []
    (one,) = said("401", "4O2")
    assert one == {
        "source": "topics",
        "said": "1 topic is requested by `topics` and missing from all files: 4O2; did you "
        "mean '402'?",
    }
    (two,) = said("4O2", "7")
    assert two["said"] == "2 topics are requested by `topics` and missing from all files: 4O2, 7"
    (many,) = said(*map(str, range(11)))
    assert many["said"].endswith("in no file: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …")


def test_units_of_several_workers_are_counted(tmp_path):
    header = "topic\tdocno\tworker\tunit\tvalue"
    lines = ["1\tA\tw\tu\t1", "1\tB\tw\tu\t2", "1\tA\tv\tx\t1"]

    def said(*more):
        table = read_judgments(save(tmp_path, "judged", [header, *lines, *more]))
        return [row["said"] for row in warnings_of(None, named("judgments", j=table)).to_pylist()]

    assert said() == []
    without = ["topic\tdocno\tworker\tvalue", "1\tA\tw\t1", "1\tA\tv\t2"]
    unknown = named("judgments", j=read_judgments(save(tmp_path, "without", without)))
    assert warnings_of(None, unknown).num_rows == 0
    (shared,) = said("1\tC\tv\tu\t0", "2\tC\tv\tu\t0", "2\tC\tz\tu\t0", "2\tC\tw\tx\t0")
    assert shared.startswith("units (HITs) of a topic with several workers: 2; each worker's")

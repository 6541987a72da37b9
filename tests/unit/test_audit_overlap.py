"""Parts that share nothing are refused; names and values of which little can come out are told."""

import re
from contextlib import nullcontext

import pyarrow as pa
import pytest

import regrade
from regrade.audit.overlap import (
    Overlap,
    check_documents_shared,
    documents_of,
    names_to_compare,
    nearly_alike,
    shared_documents,
)
from regrade.audit.sets import CollectedSet
from regrade.audit.warnings import docnos_of, topic_warnings, warnings_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.codes import CodedRuns, read_chunks, write_qrels, write_runs
from regrade.errors import MethodError
from regrade.readers.rows import completed
from regrade.run_arrays import Judged, RankedLists
from regrade.wording import SHOWN
from tests.unit.test_codes import topic_rankings
from tests.unit.trec import qrels_table, runs_table


def table(*rows, value="grade", **more):
    """Topic, docno and value of each row."""
    columns = dict(zip(("topic", "docno", value), zip(*rows, strict=True), strict=True))
    return pa.table({name: list(column) for name, column in (columns | more).items()})


@pytest.fixture
def overlap():
    """Of three judged topics two are ranked, one by one run alone; four are ranked in all."""
    lists = {
        "s": {"1": "baf", "2": "c", "8": "z", "9": "z"},
        "t": {"1": "adg"},
    }
    ranked = runs_table(
        {
            system: {topic: [(d, -i) for i, d in enumerate(docs)] for topic, docs in of.items()}
            for system, of in lists.items()
        }
    )
    labels = {"1": {"a": 1, "x": 0, "d": 2}, "2": {"e": 1}, "3": {"a": 1, "b": 1}}
    ranked = RankedLists.from_table(ranked).with_topics(labels)
    return Overlap.of(
        "N", pa.chunked_array([["x"]]), Judged.from_table(qrels_table(labels), ranked), ranked
    )


def test_what_labels_and_runs_share_is_counted(overlap):
    assert overlap.judged == {"1", "2", "3"}
    assert overlap.ranked == {"1", "2", "8", "9"}
    assert overlap.documents == 4, "a, x, d; e; topic 3 is not ranked"
    assert overlap.retrieved == 6, "a, b, d, f, g; c; topics 8 and 9 are not judged"
    assert overlap.shared == 2
    assert overlap.lacking == {"s": ["3"], "t": ["2", "3"]}
    assert overlap.documents_alike == ("x", "a")
    assert overlap.facts() == (
        "N and 2 runs: 2 of 3 judged topics ranked; 2 more of the runs' are not judged and left "
        "out (8, 9); 2 of 4 judged documents retrieved"
    )
    assert list(overlap.warnings()) == [
        "2 of 2 runs rank fewer than the 3 judged topics (s 2, not 3; t 1, not 2, 3): the others "
        "count 0"
    ]
    assert list(overlap.notes()) == [
        "2 of 2 runs rank fewer than the 3 judged topics (s 2, not 3; t 1, not 2, 3): the others "
        "count 0.",
        "2 topics of the runs are not judged by N: 8, 9.",
    ]
    (left_out,) = overlap.warnings("omit")
    assert left_out.endswith(": the others are left out of its mean")


def shared(judged, ranked, documents=100, retrieved=100, both=100, lacking=(("s", "9"),)):
    """An overlap of these topics and counts."""
    topics = (frozenset(map(str, names)) for names in (judged, ranked))
    return Overlap("N", *topics, documents, retrieved, both, dict(lacking), ("x", "a"))


def test_one_run_that_ranks_all():
    one = shared([1, 2], [1, 2], 7, 5, 3, [("s", ())])
    assert (
        one.facts() == "N and 1 run: 2 of 2 judged topics ranked; 3 of 7 judged documents retrieved"
    )
    assert list(one.warnings()) == []


def test_as_many_runs_are_named_as_are_shown():
    def named(n):
        (said,) = shared([1, 2], [1], lacking=[(f"s{i}", "2") for i in range(n)]).warnings()
        return said

    assert "; …" not in named(SHOWN)
    assert named(SHOWN).count("; ") == SHOWN - 1
    assert f"s{SHOWN - 1} 1, not 2; …)" in named(SHOWN + 1)
    topics = [f"{i}" for i in range(SHOWN + 1)]
    (said,) = shared(topics, ["9"], lacking=[("s", topics)]).warnings()
    assert "(s 0, not 0, 1, 2, 3, 4, …)" in said


def test_topics_that_may_be_written_in_two_ways_are_warned_of():
    (said,) = shared(["1", "02"], ["1", "2"], lacking=[("s", ())]).warnings()
    assert (
        said == "topics '02' and '2' differ by leading zeros only: topics are text, use one format"
    )


@pytest.mark.parametrize(
    ("judged", "ranked", "said"),
    [
        (range(10), range(9, 20), None),  # a tenth of the ten
        (range(11), range(10, 30), "only 1 of 11 topics"),
        (range(10, 30), range(11), "only 1 of 11 topics"),
        (range(10), range(10, 20), "no topic"),
    ],
)
def test_a_tenth_of_the_topics_must_be_shared(judged, ranked, said):
    overlap = shared(judged, ranked)
    if said is None:
        overlap.check()
    else:
        with pytest.raises(MethodError, match=f"N and the runs have {said} in common"):
            overlap.check()


@pytest.mark.parametrize(
    ("documents", "retrieved", "both", "said"),
    [
        (200, 1000, 2, None),  # a hundredth of the 200
        (201, 1000, 2, "only 2 of 201 documents of N were"),
        (3000, 1000, 9, "only 9 of 1,000 documents of N were"),
        (200, 1000, 0, "no document that N judges was"),
        (0, 0, 0, "no document that N judges was"),
    ],
)
def test_a_hundredth_of_the_documents_must_be_shared(documents, retrieved, both, said):
    overlap = shared([1], [1], documents, retrieved, both)
    if said is None:
        overlap.check()
        return
    with pytest.raises(MethodError) as caught:
        overlap.check()
    assert str(caught.value) == (
        f"{said} retrieved for its topic: do docnos have the same format? The labels have 'x', the "
        "runs "
        "'a'"
    )


def test_documents_of_each_topic_stand_once():
    twice = table(("2", "b", 1.0), ("1", "a", 1.0), ("2", "c", 0.0), ("2", "b", 1.0))
    assert {topic: sorted(names) for topic, names in documents_of(twice).items()} == {
        "1": ["a"],
        "2": ["b", "c"],
    }
    assert documents_of(twice.slice(0, 0)) == {}


def test_what_two_sets_share_is_said():
    first = table(("1", "a", 1.0), ("1", "b", 1.0), ("2", "c", 1.0), ("3", "d", 1.0))
    second = table(
        ("1", "a", 0.0), ("1", "b", 0.0), ("2", "d", 1.0), ("2", "c", 0.0), ("04", "a", 1)
    )
    assert shared_documents(first, second, ("N", "S")) == (
        "N (3 topics, 4 documents) and S (3 topics, 5 documents) share 2 topics, 3 documents"
    )
    assert shared_documents(first, table(("03", "d", 1.0)), ("N", "S")).endswith(
        "share 0 topics, 0 documents; topics '3' and '03' differ by leading zeros only: topics are "
        "text, write them alike"
    )


def test_no_topic_in_common_shows_one_of_each():
    with pytest.raises(MethodError, match="The labels have '1', the runs 'a'") as caught:
        shared([1, 2], ["b", "a"]).check()
    assert "leading zeros" not in str(caught.value)
    shared([1, "a"], ["b", "a"]).check()


def test_leading_zeros_are_said():
    with pytest.raises(MethodError, match=r"\('51' and '051' differ by leading zeros only\)"):
        shared(["51"], ["051"]).check()
    assert nearly_alike({"1", "02"}, {"001", "2", "3"}) == (
        "'02' and '2', '1' and '001' differ by leading zeros only"
    )
    assert nearly_alike({"1", "2"}, {"1", "3"}) == ""
    assert nearly_alike({"1"}, {"1", "01"}) == ""
    for n in (SHOWN, SHOWN + 4):
        many = nearly_alike(map(str, range(n)), (f"0{i}" for i in range(n)))
        assert (many.count(" and "), many.count(", …")) == (SHOWN, n > SHOWN)
    assert nearly_alike({"1"}, {"01", "001"}).startswith("'1' and '001'"), "the first by name"


def test_documents_are_shared_within_a_topic():
    first = table(("1", "a", 1.0), ("2", "b", 1.0))
    check_documents_shared(first, table(("2", "b", 5.0), value="value"), ("N", "S"))
    with pytest.raises(
        MethodError, match="N has 'a' for topic '1', S has 'a' for topic '2'"
    ) as said:
        check_documents_shared(first, table(("2", "a", 1.0)), ("N", "S"))
    assert str(said.value).startswith("N and S share no document: are")
    with pytest.raises(MethodError, match="differ by leading zeros only"):
        check_documents_shared(first, table(("01", "a", 1.0)), ("N", "S"))


FORMS = ("caf\u00e9", "cafe\u0301")


@pytest.mark.parametrize(
    ("judged", "retrieved", "said"),
    [
        (FORMS[0], FORMS[1], "'caf\\xe9' and 'cafe\\u0301' differ in their form of Unicode only"),
        (FORMS[1], FORMS[0], "'cafe\\u0301' and 'caf\\xe9' differ in their form of Unicode only"),
        ('"a"', "a", '"a" and a differ by quotes only'),
        ("a", "'a'", "a and 'a' differ by quotes only"),
        ("a", "b", ""),
    ],
)
@pytest.mark.parametrize("n_others", [0, 3])
def test_the_workflow_says_what_commands_do(judged, retrieved, said, n_others, tmp_path):
    others = [f"d{n}" for n in range(n_others)]
    labels = {t: dict.fromkeys([judged, *others], 1) for t in ("1", "2")}
    lists = {"s": {t: [(d, -i) for i, d in enumerate([retrieved, "c", *others])] for t in labels}}
    table = runs_table(lists)
    ranked = RankedLists.from_table(table).with_topics(labels)
    qrels = qrels_table(labels)
    of_command = Overlap.of("N", qrels["docno"], Judged.from_table(qrels, ranked), ranked)
    runs, coded = tmp_path / "runs.arrow", tmp_path / "qrels.arrow"
    write_runs(runs, ["s"], topic_rankings(ranked))
    write_qrels(coded, qrels, CodedRuns(runs))
    chunks = read_chunks(runs, coded, max_bytes=1)
    of_workflow = Overlap.of_chunks("N", qrels["docno"], chunks, CodedRuns(runs).topics)
    assert of_workflow == of_command
    assert of_workflow.alike == said
    if not n_others:
        with pytest.raises(MethodError, match="are docnos written alike") as refused:
            of_workflow.check()
        assert said in str(refused.value)
    else:
        of_workflow.check()
    held = CollectedSet("qrels", "N", qrels)
    names = pa.chunked_array([names_to_compare(ranked.names, docnos_of([held]))])
    warned = warnings_of(["1", "2"], [held], retrieved=names)["said"].to_pylist()
    assert [one for one in warned if "docnos are text" in one] == (
        [f"documents {said}: docnos are text, use one format"] if said else []
    )
    assert not said or warned[-1] in [*of_command.warnings()]


def test_topics_that_are_apart_are_refused_by_the_workflow_too(tmp_path):
    labels = {"01": {"a": 1}, "3": {"a": 1}}
    runs, coded = tmp_path / "runs.arrow", tmp_path / "qrels.arrow"
    ranked = RankedLists.from_table(runs_table({"s": {"1": [("a", 1)], "2": [("a", 1)]}}))
    write_runs(runs, ["s"], topic_rankings(ranked))
    qrels = qrels_table(labels)
    write_qrels(coded, qrels, CodedRuns(runs), max_bytes=1)
    chunks = read_chunks(runs, coded, max_bytes=1)
    apart = Overlap.of_chunks("N", qrels["docno"], chunks, CodedRuns(runs).topics)
    assert (apart.judged, apart.ranked) == ({"01", "3"}, {"1", "2"})
    said = r"N and the runs have no topic in common \('01' and '1' differ by leading zeros only\)"
    with pytest.raises(MethodError, match=said):
        apart.check()


def test_units_of_several_workers():
    rows = [("1", "a", 0.0), ("1", "b", 1.0), ("1", "c", 2.0), ("2", "a", 3.0), ("2", "b", 3.0)]

    def said(workers, units):
        held = CollectedSet(
            "judgments", "N", table(*rows, value="value", worker=workers, unit=units)
        )
        return warnings_of(None, [held])["said"].to_pylist()

    assert said(["v", "w", "w", "v", "w"], ["u", "u", "t", "u", None]) == [
        "units (HITs) of a topic with several workers: 1; each worker's part counts as a unit "
        "of its own"
    ]
    assert said(["v", "w", "w", "v", "w"], list("abcde")) == []


def test_documents_that_a_worker_judged_before_are_warned_of():
    rows = [("1", "a", 0.0), ("1", "a", 0.0), ("1", "a", 1.0), ("2", "a", 3.0), ("1", "a", 0.0)]

    def said(workers):
        units = [None] * len(rows)
        held = table(*rows, value="value", worker=workers, unit=units)
        return warnings_of(None, [CollectedSet("judgments", "N", held)])["said"].to_pylist()

    assert said(["v", "v", "v", "v", "w"]) == [
        "2 of 5 judgments are of a document that the worker has judged before: if they are copies, "
        "leave them out"
    ]
    assert said(["v", "w", "x", "v", None]) == said([None] * 5) == []


def test_copies_of_preferences_are_warned_of():
    def said(*rows):
        names = ("topic", "left", "right", "worker", "unit", "strength")
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        held = completed(columns | {"sides": [True] * len(rows)}, SCHEMAS["preferences"])
        return warnings_of(None, [CollectedSet("preferences", "P", held)])["said"].to_pylist()

    first, other = ("1", "a", "b", "v", None, -1.0), ("1", "a", "b", "v", None, 1.0)
    assert said(first, first, other, first) == [
        "2 of 4 preferences say in all columns what the worker has said before: they count as "
        "answers; if they are copies, leave them out"
    ]
    nobody = ("1", "a", "b", None, None, -1.0)
    assert said(first, other, nobody, nobody) == []


def test_topics_that_differ_by_zeros_are_warned_of():
    held = CollectedSet("qrels", "N", table(("051", "a", 1.0), ("52", "a", 0.0)))
    *_, (source, warning) = topic_warnings(["51", "52"], [held])
    assert source == "qrels N"
    assert warning == (
        "topics '51' and '051' differ by leading zeros only: topics are text, use one format"
    )


@pytest.mark.parametrize("n", [1, SHOWN, SHOWN + 1])
def test_as_many_topics_are_named_as_are_shown(n):
    held = CollectedSet("qrels", "N", table(("0", "a", 1.0)))
    lacking = [f"{number}" for number in range(1, n + 1)]
    ((_, warning),) = topic_warnings(["0", *lacking], [held])
    more = ", …" if n > SHOWN else ""
    shown = f"{n} topic{'s' * (n > 1)} ({', '.join(lacking[:SHOWN])}{more})"
    assert warning == f"no row for {shown} of the runs"


def test_topics_that_are_asked_for_and_nowhere_are_warned_of():
    held = CollectedSet("qrels", "N", table(("401", "a", 1.0), ("402", "a", 0.0)))

    def said(wanted, in_runs=None):
        warned = warnings_of(in_runs, [held], wanted=wanted).to_pylist()
        return [row["said"] for row in warned if row["source"] == "topics"]

    assert said(None) == said(["401", "402"]) == []
    one = "1 topic is requested by `topics` and missing from all files: 4022; did you mean '402'?"
    assert said(["401", "4022"]) == [one]
    assert said(["x", 7, "401"]) == [
        "2 topics are requested by `topics` and missing from all files: x, 7"
    ], "topics are text"
    assert said(["403"], ["401", "402", "403"]) == [], "the runs have it"
    many = said([f"t{number}" for number in range(12)])
    assert many[0].endswith("t8, t9, …")


@pytest.mark.parametrize(
    ("labelled", "ranked", "said"),
    [
        ('"A,_b!"', "A,_b!", '"A,_b!" and A,_b! differ by quotes only'),
        ("A,_b!", "'A,_b!'", "A,_b! and 'A,_b!' differ by quotes only"),
        ("caf\u00e9", "cafe\u0301", r"'caf\xe9' and 'cafe\u0301' differ in their form of Unicode"),
        ('"x"', '"x"', None),
        ("caf\u00e9", "caf\u00e9", None),
    ],
)
def test_documents_that_may_be_written_in_two_ways_are_warned_of(labelled, ranked, said, caplog):
    labels = {"1": {labelled: 1, "b": 0}}
    regrade.score(labels, {"s": {"1": {ranked: 2.0, "b": 1.0}}}, "AP")
    warned = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert [said in one for one in warned] == [True] * (said is not None)
    if said:
        with pytest.raises(MethodError, match=re.escape(said)):
            regrade.score({"1": {labelled: 1}}, {"s": {"1": {ranked: 2.0}}}, "AP")
    with pytest.raises(MethodError) if said else nullcontext():
        regrade.score({labelled: {"b": 1}}, {"s": {ranked: {"b": 1.0}}}, "AP")


def test_both_names_on_both_sides_are_names():
    names = ['"x"', "x", "caf\u00e9", "cafe\u0301"]
    assert nearly_alike(names, names) == ""
    labels = {"1": dict.fromkeys(names, 1)}
    scores = {"1": {name: float(i) for i, name in enumerate(names)}}
    assert regrade.score(labels, {"s": scores}, "AP").means().to_numpy().tolist() == [[1.0]]

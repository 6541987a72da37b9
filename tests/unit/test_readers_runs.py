"""Runs: what is read, what is refused and why, and that nothing else can happen."""

import bz2
import gzip
import io
import lzma
import math
import random
import re
import unicodedata
import zipfile
from itertools import groupby

import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import InputError, InputErrors, ParameterError
from regrade.readers import read_runs
from regrade.tables import read_table, write_table
from tests.unit.saved import rows, save

RUN = b"401 Q0 D1 1 9.5 sys\n401 Q0 D2 2 8.5 sys\n402 Q0 D1 1 7 sys\n"
GZ = gzip.compress(RUN, mtime=0)


def zipped(**files: bytes) -> bytes:
    """A .zip of these files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_a_plain_run(tmp_path):
    table = read_runs([save(tmp_path, RUN)])
    assert table.schema.equals(SCHEMAS["runs"])
    assert rows(table) == [
        ("sys", "401", 1, "D1", 9.5, 1, 1),
        ("sys", "401", 2, "D2", 8.5, 2, 2),
        ("sys", "402", 1, "D1", 7.0, 1, 3),
    ]


@pytest.mark.parametrize(
    "content",
    [
        RUN.replace(b" ", b"\t"),
        RUN.replace(b" ", b" \t  "),
        RUN.replace(b"\n", b"\r\n"),
        RUN.replace(b"\n", b"\r"),
        RUN.rstrip(),
        b"\xef\xbb\xbf" + RUN,
        b"\xef\xbb\xbf" * 2 + RUN,
        b"  " + RUN.replace(b"\n", b" \t\n "),
        GZ,
        gzip.compress(RUN[:20], mtime=0) + gzip.compress(RUN[20:], mtime=0),
        bz2.compress(RUN),
        bz2.compress(RUN[:20], 1) + bz2.compress(RUN[20:]),
        lzma.compress(RUN),
        zipped(run=RUN),
        zipped(**{"folder/": b"", "folder/run": RUN, "__MACOSX/folder/._run": b"\0"}),
        RUN.replace(b" 9.5 ", b" 9.5e+00 ").replace(b" 7 ", b" +.7E1 "),
        RUN.replace(b"Q0", b"\xff"),
        RUN.replace(b" 1 9.5", b" +01 9.5"),
    ],
    ids=[
        *("tabs", "mixed blanks", "CRLF", "CR", "no last line end", "BOM", "two", "blanks around"),
        *("gz", "gz of two members", "bz2", "bz2 of two", "xz", "zip", "zip of macOS"),
        *("scientific", "unused column", "signed rank"),
    ],
)
def test_the_same_run_written_otherwise(tmp_path, content):
    assert read_runs([save(tmp_path, content)]).equals(read_runs([save(tmp_path, RUN, "plain")]))


def test_line_numbers_count_blank_lines(tmp_path):
    table = read_runs([save(tmp_path, b"\n" + RUN.replace(b"\n", b"\n \t\n"))])
    assert table["line"].to_pylist() == [2, 4, 6]


def test_ranks_from_zero_and_lines_out_of_order(tmp_path):
    content = b"402 Q0 D1 0 1 s\n401 Q0 D3 2 1 s\n401 Q0 D1 0 3e0 s\n401 Q0 D2 1 2 s\n"
    assert [row[1:4] + row[5:] for row in rows(read_runs([save(tmp_path, content)]))] == [
        *(("401", 1, "D1", 0, 3), ("401", 2, "D2", 1, 4), ("401", 3, "D3", 2, 2)),
        ("402", 1, "D1", 0, 1),
    ]


@pytest.mark.parametrize(
    ("tie_break", "score_precision", "expected"),
    [
        ("rank", "float64", ["C", "b", "D", "A"]),
        ("trec_eval", "float64", ["C", "b", "D", "A"]),
        ("line", "float64", ["C", "D", "b", "A"]),
        ("rank", "float32", ["b", "C", "D", "A"]),
        ("trec_eval", "float32", ["b", "D", "C", "A"]),
        ("line", "float32", ["D", "C", "b", "A"]),
    ],
)
def test_tie_rules(tmp_path, tie_break, score_precision, expected):
    content = b"1 Q0 A 4 1 s\n1 Q0 D 3 2 s\n1 Q0 C 2 2.00000000001 s\n1 Q0 b 1 2 s\n"
    table = read_runs(
        [save(tmp_path, content)], tie_break=tie_break, score_precision=score_precision
    )
    assert table["docno"].to_pylist() == expected
    assert table["rank"].to_pylist() == [1, 2, 3, 4]


def test_equal_ranks_and_scores_fall_back_on_the_line(tmp_path):
    content = b"1 Q0 A 0 2 s\n1 Q0 C 0 2 s\n1 Q0 B 0 2 s\n"
    assert read_runs([save(tmp_path, content)])["docno"].to_pylist() == ["A", "C", "B"]


def test_many_files_are_sorted_and_threads_change_nothing(tmp_path):
    paths = [save(tmp_path, RUN.replace(b"sys", tag), tag.decode()) for tag in (b"b", b"a", b"B")]
    table = read_runs(paths, threads=3)
    assert pc.unique(table["system"]).to_pylist() == ["B", "a", "b"]
    assert table.equals(read_runs(paths[::-1], threads=1))
    for name in ("system", "topic", "docno"):
        values = table[name].combine_chunks().dictionary.to_pylist()
        assert values == sorted(values)


def test_topics_are_a_selection(tmp_path):
    paths = [save(tmp_path, RUN), save(tmp_path, b"401 Q0 D9 1 1 other", "other")]
    table = read_runs(paths, topics=["402"])
    assert rows(table) == [("sys", "402", 1, "D1", 7.0, 1, 3)]
    assert table["docno"].combine_chunks().dictionary.to_pylist() == ["D1"]
    with pytest.raises(InputError, match="none of the requested topics"):
        read_runs(paths, topics=["403"])


def test_round_trip_through_parquet(tmp_path):
    table = read_runs([save(tmp_path, RUN)])
    write_table(table, tmp_path / "runs.parquet", "runs")
    assert read_table(tmp_path / "runs.parquet", "runs").equals(table)


@given(names=st.lists(st.text("ab", min_size=1, max_size=20), min_size=1, max_size=40))
def test_every_document_that_stands_twice_is_found(tmp_path_factory, names):
    lines = (f"401 Q0 {name} {rank} 1 sys\n" for rank, name in enumerate(names, start=1))
    path = save(tmp_path_factory.getbasetemp(), "".join(lines).encode())
    if len(set(names)) == len(names):
        assert read_runs([path])["docno"].to_pylist() == names
    else:
        with pytest.raises(InputError, match="again for topic 401"):
            read_runs([path])


def test_one_of_many_documents_that_stands_twice_is_found(tmp_path):
    """So many that some share their place in a table of hashes."""
    lines = [f"401 Q0 D{n} {n} 1 sys\n" for n in range(1, 1001)]
    path = save(tmp_path, "".join(lines).encode())
    assert len(read_runs([path])) == 1000
    path.write_text("".join([*lines, "401 Q0 D1000 1001 1 sys\n"]))
    with pytest.raises(InputError, match=r":1001: document D1000 again .* line 1000 has it"):
        read_runs([path])


def test_the_remedy_of_a_document_twice(tmp_path):
    path, keep = tmp_path / "run", "Keep one line of each document of a topic: its first, or"
    path.write_bytes(RUN + b"401 Q0 D1 3 1.0 sys\n")
    with pytest.raises(InputError) as caught:
        read_runs([path])
    assert keep in caught.value.remedy and "A line of a run" not in caught.value.remedy
    path.write_bytes(RUN + b"401 Q0 D1 3 1.0 sys\n401 Q0 D3 3\n")
    with pytest.raises(InputError, match=f"A line of a run is: .* {keep}"):
        read_runs([path])


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (RUN + b"401 Q0 D3 3 1.0\n", 4, "has 5 columns where there should be 6"),
        (b"\n" + RUN + b"401 Q0 D3 3 1.0 sys extra\n", 5, "has 7 columns"),
        (RUN.replace(b" 8.5 ", b" high "), 2, "score 'high' is not a number"),
        (RUN.replace(b" 8.5 ", b" 8,5 "), 2, "score '8,5' is not a number"),
        (RUN.replace(b" 8.5 ", b" 8_5 "), 2, "score '8_5' is not a number"),
        (RUN.replace(b" 8.5 ", b" NaN "), 2, "score 'NaN' is not a number"),
        (RUN.replace(b" 8.5 ", b" nan(2) "), 2, "score 'nan(2)' is not a number"),
        (RUN.replace(b" 2 8.5", b" 2.0 8.5"), 2, "submitted rank '2.0' is not an integer"),
        (RUN.replace(b" 2 8.5", b" 0x2 8.5"), 2, "submitted rank '0x2' is not an integer"),
        (RUN.replace(b" 2 8.5", b" 3000000000 8.5"), 2, "'3000000000' is too large"),
        (RUN + b"401 Q0 D1 3 1.0 sys\n", 4, "document D1 again for topic 401: line 1 has it"),
        (RUN + b"402 Q0 D3 3 1.0 other\n", 4, "tag 'other' where line 1 has 'sys'"),
        (RUN.replace(b"D2", b"D\xff"), 2, "docno is not UTF-8"),
        (b"", None, "is empty"),
        (b"\xef\xbb\xbf \r\n", None, "is empty"),
        (gzip.compress(b"", mtime=0), None, "is empty"),
        (GZ[:-10], None, "is a truncated .gz"),
        (GZ + b"more", None, "is a damaged .gz: Not a gzipped file"),
        (GZ[:-8] + b"\0" * 8, None, "is a damaged .gz"),
        (GZ + b"more", None, "is a damaged .gz"),
        (gzip.compress(GZ, mtime=0), None, "is a .gz within a compressed file"),
        (bz2.compress(GZ), None, "is a .gz within a compressed file"),
        (RUN.decode().encode("utf-16"), None, "is UTF-16, not UTF-8"),
        (RUN.decode().encode("utf-16-be"), None, "is UTF-16, not UTF-8"),
        (b"PK\x03\x04" + RUN, None, "is a truncated .zip"),
        (zipped(run=RUN)[:-9], None, "is a truncated .zip"),
        (zipped(run=RUN).replace(b"D1", b"D3", 1), None, "is a damaged .zip: Bad CRC-32"),
        (zipped(a=RUN, b=RUN), None, "is a .zip of 2 files, not one: a, b"),
        (zipped(), None, "is binary, not text"),
        (b"\xfd7zXZ\x00" + RUN, None, "is a damaged .xz"),
        (lzma.compress(RUN)[:-9], None, "is a truncated .xz"),
        (b"BZh91AY&SY" + RUN, None, "is a damaged .bz2"),
        (bz2.compress(RUN)[:-9], None, "is a truncated .bz2"),
        (b"\x28\xb5\x2f\xfd" + RUN, None, "is a .zst, not text"),
        (b"\x1f\x9d" + RUN, None, "is a .Z, not text"),
        (b"PAR1" + RUN, None, "is Parquet, not text"),
        (b"%PDF-1.4\n" + RUN, None, "is a PDF, not text"),
        (b"runs/a".ljust(257, b"\0") + b"ustar\0" + RUN, None, "is a .tar, not text"),
        (bytes(range(64)) * 9, None, "is binary, not text"),
        (RUN.replace(b"D2", b"D\0"), 2, "holds a NUL byte"),
        (RUN.replace(b"D2", b"D\0").replace(b"\n", b"\r\n"), 2, "holds a NUL byte"),
        (RUN.replace(b"402 Q0 D1", b"402 Q0 D\0").replace(b"\n", b"\r"), 3, "holds a NUL byte"),
        (RUN + b"\xef\xbb\xbf" + RUN, 4, "begins with a byte-order mark, as where files"),
        (RUN.replace(b" 2 8.5", b" -2 8.5"), 2, "rank -2 is below 0: ranks count from 1 or 0"),
        (RUN.replace(b" 8.5 ", b" 1e400 "), 2, "score '1e400' is beyond what a number can hold"),
        (RUN.replace(b" 8.5 ", b" -1e999 "), 2, "score '-1e999' is beyond what a number"),
    ],
)
def test_bad_files(tmp_path, content, line, reason):
    path = save(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_runs([path])
    where = f"{path}:{line}: " if line else f"{path}: "
    first = str(caught.value).splitlines()[0]
    assert first.startswith(where)
    assert reason in first


def test_a_gz_that_unpacks_to_too_much_is_refused_whatever_follows(tmp_path):
    begins = gzip.compress(b"1 Q0 D1 1 1 r\n" * 100_000, mtime=0)
    follows = gzip.compress(random.Random(1).randbytes(1 << 14), mtime=0)
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        read_runs([save(tmp_path, begins + follows)])


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, compress):
    monkeypatch.setattr("regrade.readers.encodings._PROBED", 1 << 20)
    content = compress(b"1 Q0 D1 1 1 r\n" * 100_000)
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        read_runs([save(tmp_path, content)])


def test_a_zip_with_a_password_is_refused(tmp_path):
    content = bytearray(zipped(run=RUN))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(header) + flags] |= 1
    with pytest.raises(InputError, match=r"cannot be unpacked: .*encrypted"):
        read_runs([save(tmp_path, bytes(content))])


def test_missing_file_and_folder(tmp_path):
    for path, said in ((tmp_path / "nothing", "cannot be read"), (tmp_path, "is a folder")):
        with pytest.raises(InputError, match=said):
            read_runs([path])


def test_all_kinds_of_problems_of_a_file_come_together_in_order_of_line(tmp_path):
    content = b"1 Q0 A x y s\n1 Q0 B 1 s\n1 Q0 C 1 2 s\n1 Q0 C 2 1 t\n"
    with pytest.raises(InputError) as caught:
        read_runs([save(tmp_path, content)])
    assert [line for line, _ in caught.value.problems] == [1, 1, 2, 4, 4]
    assert "A line of a run is" in str(caught.value)


def test_the_first_few_of_many_and_their_number(tmp_path):
    with pytest.raises(InputError) as caught:
        read_runs([save(tmp_path, RUN + b"1 2 3\n" * 1000)])
    assert "… and 995 more of 1000" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 7


def test_problems_of_all_files_come_together(tmp_path):
    paths = [save(tmp_path, b"1 2 3", name) for name in "abcdefg"]
    with pytest.raises(InputErrors) as caught:
        read_runs([*paths, save(tmp_path, RUN)])
    message = str(caught.value)
    assert all(f"{path}:1: has 3 columns" in message for path in paths[:5])
    assert "… and 2 more of 7 files" in message
    assert len(caught.value.errors) == 7


def test_two_files_of_one_system(tmp_path):
    former, later = save(tmp_path, RUN, "x"), save(tmp_path, RUN, "y")
    with pytest.raises(InputError) as caught:
        read_runs([former, later])
    assert str(former) in str(caught.value)
    assert str(later) in str(caught.value)
    assert "'sys'" in str(caught.value)


def test_bad_parameters(tmp_path):
    path = save(tmp_path, RUN)
    with pytest.raises(ParameterError, match="did you mean 'trec_eval'"):
        read_runs([path], tie_break="treceval")
    with pytest.raises(ParameterError, match="did you mean 'float32'"):
        read_runs([path], score_precision="float23")
    with pytest.raises(ParameterError, match="no run files"):
        read_runs([])


# --- fuzzing -----------------------------------------------------------------------------------

names = st.text(
    st.characters(exclude_categories=["Z", "C"], exclude_characters="\"'"), min_size=1, max_size=6
)
scores = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0, 2.0])
rankings = st.dictionaries(
    st.tuples(names.filter(lambda name: not name.startswith("#")), names),
    st.tuples(st.integers(0, 2**31 - 1), scores),
    min_size=1,
    max_size=30,
)
blanks = st.text(" \t", min_size=1, max_size=3)


@QUICK
@given(data=st.data(), ranking=rankings, tag=names)
def test_what_was_written_is_read(tmp_path, data, ranking, tag):
    lines, expected = [], {}
    number = 0
    for (topic, docno), (rank, score) in ranking.items():
        skipped = data.draw(st.integers(0, 1))
        number += 1 + skipped
        lines += [""] * skipped
        fields = (topic, "Q0", docno, str(rank), repr(score), tag)
        lines.append(data.draw(blanks).join(fields))
        expected[topic, docno] = (rank, score, number)
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    content = data.draw(st.sampled_from(["", "\ufeff"])) + end.join(lines)
    content = content.encode()
    if data.draw(st.booleans()):
        content = gzip.compress(content, mtime=0)
    table = read_runs([save(tmp_path, content)])
    assert {
        (row["topic"], row["docno"]): (row["submitted_rank"], row["score"], row["line"])
        for row in table.to_pylist()
    } == expected
    assert pc.unique(table["system"]).to_pylist() == [tag]


@QUICK
@given(ranking=rankings, seed=st.randoms(use_true_random=False))
def test_order_of_lines_changes_nothing_where_the_rule_decides(tmp_path, ranking, seed):
    # distinct ranks, so that `rank` decides every tie
    lines = [
        f"{topic} Q0 {docno} {number} {score!r} s"
        for number, ((topic, docno), (_, score)) in enumerate(ranking.items())
    ]
    shuffled = seed.sample(lines, len(lines))
    for tie_break in ("rank", "trec_eval"):
        former, later = (
            read_runs([save(tmp_path, "\n".join(order).encode())], tie_break=tie_break)
            for order in (lines, shuffled)
        )
        assert former.drop_columns("line").equals(later.drop_columns("line"))


def is_odd(name):
    return any(unicodedata.category(one) == "Cc" or one == "\ufeff" for one in name)


def plain_reading(content):
    """What any reader should make of a plain run: documents by topic, or None if it is bad."""
    found = {}
    tags = set()
    mark = b"\xef\xbb\xbf"
    while content.startswith(mark):
        content = content.removeprefix(mark)
    if b"\0" in content or re.search(rb"[\r\n]" + mark, content):
        return None
    for line in re.split(rb"\r\n|\r|\n", content):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        try:
            topic, _, docno, rank, score, tag = fields
            topic, docno, tag = topic.decode(), docno.decode(), tag.decode()
            score = float(re.fullmatch(rb"[!-^`-~]+", score).group())
            rank = int(re.fullmatch(rb"[+-]?[0-9]+", rank).group())
        except (ValueError, AttributeError):
            return None
        infinite = math.isinf(score) and b"inf" not in line.split()[4].lower()
        if math.isnan(score) or infinite or not 0 <= rank < 2**31 or (topic, docno) in found:
            return None
        if any(is_odd(name) for name in (topic, docno, tag)):
            return None
        found[topic, docno] = (rank, score)
        tags.add(tag)
    return found if len(tags) == 1 else None


# what a reader might stumble over
pieces = st.sampled_from(
    b'#|\n|\r|\t| |\x0b|\x0c|\x00|\xff|\xc3|\xa9|nan|0x|inf|e|E5|+|-|.|_|"|\\|1|\x1f\x8b'.split(
        b"|"
    )
)


@settings(QUICK, max_examples=400)
@given(
    edits=st.lists(
        st.tuples(st.integers(0, len(RUN)), st.integers(0, 6), pieces | st.binary(max_size=3)),
        min_size=1,
        max_size=3,
    )
)
@example(edits=[(10, 0, b"0x"), (10, 1, b"")])
@example(edits=[(len(RUN) - 6, 0, b"\xc2\xa0")])
def test_a_corrupted_run_is_read_rightly_or_refused(tmp_path, edits):
    content = RUN
    for start, length, piece in edits:
        content = content[:start] + piece + content[start + length :]
    path = save(tmp_path, content)
    expected = None if content.startswith(b"\x1f\x8b") else plain_reading(content)
    if expected is None:
        with pytest.raises(InputError):
            read_runs([path])
    else:
        table = read_runs([path])
        assert {
            (row["topic"], row["docno"]): (row["submitted_rank"], row["score"])
            for row in table.to_pylist()
        } == expected


@QUICK
@given(position=st.integers(0, len(GZ) - 1), byte=st.integers(0, 255))
def test_a_corrupted_gz_is_read_or_refused(tmp_path, position, byte):
    content = bytearray(GZ)
    content[position] = byte
    for damaged in (content, content[:position]):
        path = save(tmp_path, damaged)
        try:
            table = read_runs([path])
        except InputError as error:
            assert str(error).startswith(str(path))
        else:
            assert table.equals(read_runs([save(tmp_path, RUN, "plain")]))


# --- runs without scores or tags ---------------------------------------------------------------

RANKED = "q2 d7 1\nq1 d1 1\nq1 d3 3\nq1 d2 2\n"
PAIRS = "q2 d7\nq1 d1\nq1 d2\nq1 d3\n"


@pytest.mark.parametrize("text", [RANKED, RANKED.replace(" ", "\t"), PAIRS])
@pytest.mark.parametrize("name", ["mine.run", "mine.tsv.gz", "mine"])
def test_topics_documents_and_ranks_are_a_run(tmp_path, text, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    table = read_runs([path])
    rows = list(zip(*(table[one].to_pylist() for one in ("topic", "docno", "rank")), strict=True))
    assert rows == [("q1", "d1", 1), ("q1", "d2", 2), ("q1", "d3", 3), ("q2", "d7", 1)]
    assert table["system"].unique().to_pylist() == ["mine"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q1 d1 2.5\nq1 d2 1\n", "1: rank '2.5' is not an integer"),
        ("q1 d1 9\nq1 d2 7\n", "1: has 3 columns, and its last column no ranks from 1"),
        ("q1 d1 1\nq1 d2 1\n", "1: has 3 columns, and its last column no ranks from 1"),
        ("q1 d1 0\nq1 d2 1\n", "1: has 3 columns, and its last column no ranks from 1"),
        ("q1 d1 1\nq2 d2 1\n", "1: has 3 columns, and its last column no ranks from 1"),
        ("s1 group\ns2 group\n", "1: has 2 columns, and each topic once"),
        ("q1 d1\nq1 d1\n", "2: document d1 again for topic q1: line 1 has it"),
        ("q1 d1 1\nq1 Q0 d2 2 1 x\n", "2: has 6 columns where there should be 3"),
    ],
)
def test_what_may_be_another_thing_is_no_run(tmp_path, text, said):
    path = tmp_path / "mine"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_runs([path])
    assert f"mine:{said}" in str(refused.value)
    if "columns, and" in said:
        assert "give the file a first line of names: topic, docno, score" in str(refused.value)


# --- real runs ---------------------------------------------------------------------------------


def test_trec8_runs_against_plain_reading(real_data):
    """Ten real files, among them mis-sorted ones, ranks from 0 and scientific notation."""
    paths = sorted((real_data / "trec8" / "runs").glob("input.*.gz"))[::13]
    table = read_runs(paths, threads=2)
    expected = {}
    for path in paths:
        with gzip.open(path, "rt") as lines:
            for number, line in enumerate(lines, start=1):
                topic, _, docno, rank, score, tag = line.split()
                expected[tag, topic, docno] = (float(score), int(rank), number)
    assert len(table) == len(expected)
    ordered = sorted(expected, key=lambda key: (*key[:2], -expected[key][0], *expected[key][1:]))
    columns = [table[name].to_pylist() for name in ("system", "topic", "docno")]
    assert list(zip(*columns, strict=True)) == ordered
    columns = [table[name].to_pylist() for name in ("score", "submitted_rank", "line")]
    assert list(zip(*columns, strict=True)) == [expected[key] for key in ordered]
    ranks = [
        rank
        for _, keys in groupby(ordered, key=lambda key: key[:2])
        for rank, _ in enumerate(keys, 1)
    ]
    assert table["rank"].to_pylist() == ranks


@pytest.mark.parametrize(
    ("runs", "strays", "said"),
    [
        (2, ["README"], ", or name {}/*.run"),
        (3, ["README", "x.run"], ""),
        (2, ["README", "x.txt"], None),
        (0, ["README"], None),
    ],
)
def test_files_that_are_no_runs_are_named_where_most_are_some(tmp_path, runs, strays, said):
    files = [save(tmp_path, RUN.replace(b"sys", b"s%d" % n), f"{n}.run") for n in range(runs)]
    strays = [save(tmp_path, b"two words\nof no run\n", name) for name in strays]
    with pytest.raises(InputError, match="README:1: ") as error:
        read_runs([*strays, *files])
    told = str(error.value).splitlines()
    end = None if said is None else said.format(tmp_path)
    for stray in strays:
        named = f"{stray.name} is no run, as {runs} others beside it are: take it out{end}"
        assert (named in told) == (said is not None)
    # a run with a bad line is one all the same, and is told of beside
    if runs == 2:
        files[0].write_bytes(RUN.replace(b"9.5", b"high"))
        with pytest.raises(InputErrors, match="A line of a run is"):
            read_runs([*strays[:1], *files])

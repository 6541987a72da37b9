"""Lines into columns, against what Python makes of the same bytes."""

import json
import math
import re
import struct

import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import regrade
from regrade.catalogue.arrow import STRING
from regrade.errors import InputError, RegradeError
from regrade.readers.formats import headed_format
from regrade.readers.labels import read_judgments, read_qrels
from regrade.readers.lines import (
    DIGITS_ALONE,
    NAMES_IN_ORDER,
    Problems,
    _any_columns,
    _plain_columns,
    blank_separated,
)
from regrade.readers.records import tab_separated
from regrade.readers.rows import MISSING
from regrade.readers.runs import read_runs

bits = struct.Struct("<d").pack
plain = st.from_regex(r"-?([0-9]{1,20}(\.[0-9]{0,30})?|\.[0-9]{1,30})", fullmatch=True)
other = st.sampled_from(
    ["+1.5", "1e5", "-2.5E-3", "5e-324", "2.4703282292062328e-324", "9007199254740993", "0" * 40]
)
lines = st.text(st.sampled_from('ab"- \t\v\f\r\né\x1c'))
BLOCK = 1 << 12
"""Bytes that are looked through at once."""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("lines") / "file"


def read(path, texts, kind):
    path.write_bytes("\n".join(texts).encode())
    problems = Problems(path)
    table = blank_separated({"x": kind}, problems)
    problems.raise_if_any()
    return table["x"].to_pylist()


def rows(*columns):
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


@given(texts=st.lists(st.one_of(plain, other, st.floats(allow_nan=False).map(repr)), min_size=1))
def test_numbers_are_those_of_python(path, texts):
    found = read(path, texts, pa.float64())
    assert [*map(bits, found)] == [bits(float(text)) for text in texts]


@given(
    values=st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1),
    before=st.sampled_from(["", "+", "0000"]),
)
def test_integers_are_those_of_python(path, values, before):
    texts = [f"{before if value >= 0 else ''}{value}" for value in values]
    assert read(path, texts, pa.int32()) == values


@pytest.mark.parametrize("text", ["-", ".", "-.", "1.2.3", "1-", "--1", "0x10", "1_000", "nan"])
@pytest.mark.parametrize("kind", [pa.float64(), pa.int32()])
def test_what_is_no_number(path, text, kind):
    with pytest.raises(InputError, match=r":2: x .* is (not a|not an) "):
        read(path, ["1", text, "3"], kind)


@given(text=lines, before=st.sampled_from([0, *range(BLOCK - 16, BLOCK - 8)]))
def test_fields_are_those_between_blanks(path, text, before):
    path.write_bytes(b" " * before + b"first line\n" + text.encode())
    problems = Problems(path)
    table = blank_separated({"a": STRING, "b": pa.string()}, problems)
    found = [
        (*re.findall("[^ \t\v\f]+", line), number)
        for number, line in enumerate(re.split("\r\n|\r|\n", text), start=2)
    ]
    wanted = [("first", "line", 1), *(row for row in found if len(row) == 3)]
    assert rows(*table.columns) == wanted
    if any(len(row) in (2, 4) for row in found):
        with pytest.raises(InputError, match="columns where there should be 2"):
            problems.raise_if_any()


@given(text=lines, before=st.sampled_from([0, *range(BLOCK - 16, BLOCK)]))
def test_fields_are_those_between_tabs(path, text, before):
    text = "é" * (before // 2) + "-" * (before % 2) + text
    path.write_bytes(b"a\tb\n" + text.encode())
    table, line = tab_separated(["a", "b"], Problems(path))
    wanted = [
        (*line.split("\t"), number)
        for number, line in enumerate(re.split("\r\n|\r|\n", text), start=2)
        if line.count("\t") == 1
    ]
    assert rows(*table.columns, pa.array(line)) == wanted


@pytest.mark.parametrize(
    "name", ['"d1"', "'d1'", '"A,_b!"', 'd1"', '"d1', "d1'", "'d1", '"', "'", 'd"1']
)
def test_a_quote_is_part_of_a_name(tmp_path, name):
    (tmp_path / "run").write_text(f"1 Q0 {name} 1 2.5 s\n1 Q0 d2 2 1.5 s\n")
    (tmp_path / "qrels").write_text(f"1 0 {name} 1\n")
    in_csv = name.replace('"', '""')
    (tmp_path / "own.csv").write_text(f'topic,docno,grade\n1,"{in_csv}",1\n')
    for file in ("qrels", "own.csv"):
        labels = regrade.read_qrels(tmp_path / file)
        assert labels.table["docno"].to_pylist() == [name]
        scores = regrade.score(labels, tmp_path / "run", "RR").means()
        assert scores.to_numpy().tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("d\u200b1", "holds U+200B (zero width space), which is invisible: remove it"),
        ("\ufeffd1", "holds U+FEFF (zero width no-break space)"),
        ("d\u202e1", "holds U+202E (right-to-left override)"),
        ("d1\xa0", "holds U+00A0 (no-break space)"),
        ("d\x071", "holds U+0007 (a control character)"),
    ],
)
def test_names_with_what_nobody_sees_are_refused(tmp_path, name, said):
    fields = {
        "run": "1 Q0 {} 1 2.5 s\n",
        "qrels": "1 0 {} 1\n",
        "csv": "topic,docno,grade\n1,{},1\n",
    }
    csv_name = name.replace('"', '""')
    texts = {kind: text.format(name) for kind, text in fields.items()}
    texts["csv"] = fields["csv"].format(f'"{csv_name}"')
    if name.strip() != name:  # blanks around what stands between commas are no part of it
        del texts["csv"]
    readers = {"run": regrade.read_runs, "qrels": regrade.read_qrels, "csv": regrade.read_qrels}
    for kind, text in texts.items():
        path = tmp_path / kind
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RegradeError) as error:
            readers[kind](path)
        assert said in str(error.value) and "\u200b" not in str(error.value)
    if name.strip() != name:
        return
    with pytest.raises(RegradeError):
        regrade.read_qrels({"1": {name: 1}})


@pytest.mark.parametrize(
    "name", ["a b".replace(" ", "\u2003"), "d’Or", "日本", "x'y", "d'", "a\u200db"]
)
def test_names_of_any_script_are_taken(tmp_path, name):
    assert regrade.read_qrels({"1": {name: 1}}).to_frame()["docno"].tolist() == [name]
    path = tmp_path / "run"
    path.write_text(f"1 Q0 {name} 1 2.5 s\n", encoding="utf-8")
    assert regrade.read_runs(path).to_frame()["docno"].tolist() == [name]


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        ("read_qrels", '{"topic": "1", "docno": "a", "grade": 1, "grade": 2}\n', '"grade" twice'),
        (
            "read_qrels",
            '{"topic": "1", "docno": "a", "grade": true}\n',
            "True is not a finite number",
        ),
        ("read_qrels", "topic,docno,grade\n1,a,true\n", "'true' is not a finite number"),
    ],
)
def test_values_that_say_nothing_are_refused(tmp_path, read, text, said):
    path = tmp_path / "given"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RegradeError, match=re.escape(said)):
        getattr(regrade, read)(path)


@pytest.mark.parametrize("column", ["seconds", "position"])
@pytest.mark.parametrize("value", ["-1", "-0.5", "inf"])
def test_times_and_places_are_not_below_0(tmp_path, column, value):
    path = tmp_path / "judgments.tsv"
    path.write_text(f"topic\tdocno\tworker\tvalue\t{column}\n1\ta\tw\t2\t{value}\n")
    with pytest.raises(InputError, match=f"{column} .?{re.escape(value)}.? is no"):
        read_judgments(path)


MIXED = """topic;docno;worker;score;seconds;note
1;a;w;0,5;1,5;1,5
1;b;w;0,25;2,5;2,5
1;c;w;1,0;3,5;0.5
"""


@pytest.mark.parametrize("name", ["score", "seconds"])
def test_a_column_of_both_decimals_is_refused_by_who_reads_it(tmp_path, name):
    """Nobody reads `note`, unless it is said to be the value."""
    file = tmp_path / "mixed.csv"
    file.write_text(MIXED)
    columns = {"value": "score"}
    assert read_judgments(file, format="csv", columns=columns)["value"].to_pylist() == [
        0.5, 0.25, 1,
    ]  # fmt: skip
    assert regrade.read_judgments(file, columns=columns).table["value"].to_pylist() == [
        0.5,
        0.25,
        1,
    ]
    refusals = [lambda: read_judgments(file, format="csv", columns={"value": "note"})]
    refusals += [lambda: regrade.read_judgments(file, columns={"value": "note"})]
    for refused in refusals:
        with pytest.raises(InputError, match=r"csv:4: note '0.5' has a decimal point, and 2 other"):
            refused()
    # a point in one that the reader reads
    odd = {"score": "0,25", "seconds": "3,5"}[name]
    file.write_text(MIXED.replace(odd, odd.replace(",", "."), 1))
    said = f"{name} '{odd.replace(',', '.')}'"
    with pytest.raises(InputError, match=said):
        read_judgments(file, format="csv", columns=columns)


@pytest.mark.parametrize(
    ("values", "row"),
    [
        (["900", "1.100", "12.500"], 3),
        (["0", "NA", "1.234.567", "4.000"], 5),  # the other is none to any reader
        (["", "NA", "4.000", "5.000"], None),  # three decimals each, for all that one can tell
        (["0.125", "1.100", "900"], None),
        (["3.5", "1.100", "900"], None),
    ],
)
def test_points_that_may_part_thousands_are_refused_between_semicolons(tmp_path, values, row):
    file = tmp_path / "german.csv"
    rows = [f"1;d{place};w;{value}" for place, value in enumerate(values)]
    file.write_text("\n".join(["topic;docno;worker;value", *rows, ""]))
    if row is None:
        found = regrade.read_judgments(file, missing="drop").values
        assert sorted(found) == sorted(float(one) for one in values if one not in ("", "NA"))
        return
    value = values[row - 2]
    said = f"{row}: value '{value}' may be {value.replace('.', '')} or {value.replace('.', ',')}: "
    for read in (
        lambda: regrade.read_judgments(file, missing="drop"),
        lambda: read_judgments(file, format="csv"),
    ):
        with pytest.raises(InputError, match=re.escape(said)):
            read()
    file.write_text(file.read_text().replace(";", ","))  # here points are decimal
    if "1.234.567" not in values:
        assert 1.1 in regrade.read_judgments(file).values


@pytest.mark.parametrize("text", ["1,000", "1.000,50", "20%", "1'000", "-3,5", ",5"])
def test_what_is_nearly_a_number_is_told_how_numbers_are_written(tmp_path, text):
    (tmp_path / "a.csv").write_text(f'topic,docno,grade\n1,a,1\n1,b,"{text}"\n')
    (tmp_path / "a.qrels").write_text(f"1 0 a 1\n1 0 b {text}\n")
    for file, found in [("a.csv", "is not a finite number"), ("a.qrels", "is not a number")]:
        with pytest.raises(InputError) as caught:
            regrade.read_qrels(tmp_path / file)
        assert f"{text!r} {found}" in str(caught.value)
        assert DIGITS_ALONE in str(caught.value)
        assert NAMES_IN_ORDER not in str(caught.value)


def test_names_of_levels_are_told_to_need_an_order_also_in_qrels_and_not_in_runs(tmp_path):
    (tmp_path / "a.qrels").write_text("1 0 a partly\n1 0 b 50%\n")
    with pytest.raises(InputError) as caught:
        regrade.read_qrels(tmp_path / "a.qrels")
    told = f"docno grade. {DIGITS_ALONE} {NAMES_IN_ORDER}"
    assert str(caught.value).endswith(told)
    assert len(regrade.read_qrels(tmp_path / "a.qrels", scale=["50%", "partly", "all"])) == 2
    (tmp_path / "a.run").write_text("1 Q0 a 1 high s\n")
    with pytest.raises(InputError) as caught:
        regrade.read_runs(tmp_path / "a.run")
    assert NAMES_IN_ORDER not in str(caught.value)


@pytest.mark.parametrize("absent", MISSING)
def test_texts_for_no_value_are_left_out_where_asked(tmp_path, absent):
    file = tmp_path / "model.jsonl"
    rows = [("a", 1), ("b", absent), ("c", 0)]
    file.write_text(
        "".join(f'{{"qid": "1", "docid": "{d}", "label": {json.dumps(v)}}}\n' for d, v in rows)
    )
    with pytest.raises(InputError, match="--missing drop"):
        regrade.read_qrels(file)
    found = regrade.read_qrels(file, missing="drop")
    assert len(found) == 2
    assert found.notes == ["model: 1 row is left out: no label (missing)."]


@pytest.mark.parametrize(
    "text", ["1\tQ0\ta\n2\tb\ta\n", "one 0 a 1\none 0 query,doc 1\n", "1\tx\ty\tx\n1\ta\tb\ta\n"]
)
def test_names_of_documents_in_the_second_line_are_no_names_of_columns(tmp_path, text):
    (tmp_path / "a").write_text(text)
    assert headed_format(tmp_path / "a") is None


def test_a_judge_of_both_decimals_is_refused_and_not_passed_over(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("topic;docno;one;other\n1;a;0,5;0,5\n1;b;0,5;1\n1;c;0.5;0\n")
    for refused in (
        lambda: regrade.read_judgments(file),
        lambda: read_judgments(file, format="csv", columns={"value": "value"}),
    ):
        with pytest.raises(
            InputError, match=r"one '0.5' has a decimal point, and 2 others a comma"
        ):
            refused()


@pytest.mark.parametrize(
    ("read", "text", "remedy"),
    [
        ("read_qrels", "1,0,d1,1\n1,0,d2,0\n", "Its columns are separated by , : give it a first"),
        ("read_qrels", "1;d1;1\n1;d2;0\n", "Its columns are separated by ; : give it a first"),
        ("read_qrels", "1 d1 1\n1 d2 0\n", "It lacks one: put a 0 before the document"),
        ("read_runs", "1 Q0 d1 1 2.5 my run\n1 Q0 d2 2 1.5 my run\n", "have no blanks: put _ in"),
        ("read_qrels", "1,d1\n1,d2\n", None),  # of two columns nothing is known
        ("read_qrels", "1 0 a,b,c 1 x\n1 0 d 1 x\n", None),  # of a name
        ("read_qrels", "one\nword\n", None),
        (
            "read_qrels",
            "1 Q0 d1 1 2.5 s\n1 Q0 d2 2 1.5 s\n",
            "It has 6 as a run: name labels here.",
        ),
        ("read_runs", "1 0 d1 1\n1 0 d2 0\n", "It has 4 as labels: name a run here."),
        ("read_qrels", "1 0 d1 1 1 a\n1 0 d3 0 0\n1 0 d2 0 2 a b\n", "brought each document"),
        ("read_qrels", "1 0 d1 1 2 a\n1 0 d2 0 2 a b\n1 0 d3 0 0\n", None),
    ],
)
def test_what_a_file_of_other_columns_seems_to_be_is_said(tmp_path, read, text, remedy):
    path, readers = tmp_path / "given", {"read_qrels": read_qrels, "read_runs": read_runs}
    path.write_text(text)
    given = [path] if read == "read_runs" else path
    with pytest.raises(InputError, match="columns where there should be") as refused:
        readers[read](given)
    usual = {"read_qrels": "A line of qrels is: topic iteration docno grade.",
             "read_runs": "A line of a run is: topic Q0 docno rank score tag."}[read]  # fmt: skip
    assert refused.value.remedy.startswith(usual)
    assert (remedy or "") in refused.value.remedy
    assert (refused.value.remedy == usual) == (remedy is None)


COMMENTED = {
    "before all": "# made, by us\n{}",
    "a line of the columns": "#topic\titeration\tdocno\tgrade\n{}",
    "several, with blanks": "\n  # one\n\t#two\n{}",
    "at the end": "{}# end",
    "between Windows lines": "#a\r\n{}\r\n#b\r\n",
}


@pytest.mark.parametrize("text", COMMENTED.values(), ids=COMMENTED)
def test_comments_are_passed_over_and_lines_keep_their_numbers(tmp_path, text):
    """As trec_eval 10 passes over them; see tests/reference/trec_eval."""
    run, qrels = "1 Q0 d#1 1 2.5 s\n1 Q0 d2 2 1.5 s\n", "1 0 d#1 1\n1 0 d2 0\n"
    (tmp_path / "run").write_bytes(text.format(run).encode())
    (tmp_path / "qrels").write_bytes(text.format(qrels).encode())
    scores = regrade.score(tmp_path / "qrels", tmp_path / "run", "RR").means()
    assert scores.to_numpy().tolist() == [[1.0]]
    (tmp_path / "bad").write_bytes(text.format("1 0 d1 x\n").encode())
    line = 1 + text.partition("{}")[0].count("\n")
    with pytest.raises(RegradeError, match=f"bad:{line}: grade 'x'"):
        regrade.read_qrels(tmp_path / "bad")


def test_a_file_of_comments_and_one_before_named_columns_are_refused(tmp_path):
    (tmp_path / "run").write_text("# 1\n# 2\n")
    for read in (regrade.read_runs, regrade.read_qrels):
        with pytest.raises(RegradeError, match="is empty, apart from comments"):
            read(tmp_path / "run")
    (tmp_path / "own.csv").write_text("# made\ntopic,docno,grade\n1,d,1\n")
    with pytest.raises(RegradeError, match=r"stands before the line that names .*: '# made'"):
        regrade.read_qrels(tmp_path / "own.csv")
    (tmp_path / "own.csv").write_text("topic,docno,grade\n#1,d,1\n")
    assert regrade.read_qrels(tmp_path / "own.csv").topics == ["#1"], "a name of CSV"


@pytest.mark.parametrize("written", ["inf", "-inf", "+Infinity", "INF"])
def test_an_infinite_score_ranks_as_trec_eval_ranks_it(tmp_path, written):
    labels = {"1": {"a": 1, "b": 0, "c": 1}}
    score = float(written)
    lines = f"1 Q0 a 1 {written} t\n1 Q0 b 2 3.5 t\n1 Q0 c 3 -inf t\n"
    (tmp_path / "run").write_text(lines)
    (tmp_path / "run.csv").write_text(f"topic,docno,score\n1,a,{written}\n1,b,3.5\n1,c,-inf\n")
    given = {"1": {"a": score, "b": 3.5, "c": -math.inf}}
    sources = [tmp_path / "run", tmp_path / "run.csv", given]
    found = [regrade.score(labels, source, "AP").means().to_numpy().item() for source in sources]
    oracle = pytrec_eval.RelevanceEvaluator(labels, {"map"}).evaluate(given)["1"]["map"]
    assert found == pytest.approx([oracle] * 3)
    assert oracle == pytest.approx(5 / 6 if score > 0 else 7 / 12)


@pytest.mark.parametrize("text", ["1 Q0 a 1 1e400 t\n", "topic,docno,score\n1,a,1e400\n",
                                  '{"topic": "1", "docno": "a", "score": 1e400}\n'])  # fmt: skip
def test_a_number_that_is_too_large_is_not_infinite(tmp_path, text):
    (tmp_path / "run").write_text(text)
    with pytest.raises(RegradeError, match=r"1e400.*is beyond what a number can hold"):
        regrade.read_runs(tmp_path / "run")


def test_infinite_scores_are_fused_by_rank_alone():
    runs = {s: {"1": {"a": math.inf, "b": 1.0}} for s in "xy"}
    assert len(regrade.pool(runs, None, method="RRF", size=1).documents) == 1
    with pytest.raises(RegradeError, match="cannot be fused: fuse by rank instead"):
        regrade.pool(runs, None, method="CombSUM", size=1)


FIELDS = {
    "text": st.text(st.sampled_from('abé"#-'), min_size=1, max_size=3),
    "whole": st.integers(-20, 10**10).map(str) | st.sampled_from(["+1", "0x1A", "007", "1.0"]),
    "number": plain
    | other
    | st.sampled_from(["inf", "nan", "1e999", "0x1", "1_0", "a", "1.", "-"]),
}
TYPES = {"a": STRING, "b": None, "c": pa.string(), "d": pa.int32(), "e": pa.float64()}


@st.composite
def mostly_plain(draw):
    """Lines of five columns; a few have another sign between them, or are otherwise odd."""
    kinds = ["text", "text", "text", "whole", "number"]
    rows = draw(st.lists(st.tuples(*(FIELDS[kind] for kind in kinds)), min_size=1, max_size=6))
    between = draw(st.sampled_from(" \t"))
    texts = [between.join(row) for row in rows]
    odd = ["", " ", "  ", "\t", "\r", " a", "a ", "a b", "\v", "\x1c", "\ufeff", "\n"]
    for oddity in draw(st.lists(st.sampled_from(odd), max_size=1)):
        at = draw(st.integers(0, len(texts) - 1))
        place = draw(st.integers(0, len(texts[at])))
        texts[at] = texts[at][:place] + oddity + texts[at][place:]
    return ("\n".join(texts) + draw(st.sampled_from(["", "\n", "\n\n"]))).encode()


@given(mostly_plain(), st.sampled_from(["blanks", "tabs"]))
def test_the_plain_way_reads_what_the_careful_one_does(data, separator):
    table = _plain_columns(data, TYPES, separator)
    if table is None:
        return
    problems = Problems("file")
    careful = _any_columns(data, TYPES, separator, problems)
    problems.raise_if_any()
    for name in careful.column_names:
        assert table[name].type == careful[name].type
        assert table[name].to_pylist() == careful[name].to_pylist()


def test_plain_lines_are_read_the_plain_way():
    data = b"q1 Q0 d1 1 2.5\nq1 Q0 d2 2 -1e-3\nq2 Q0 d1 1 0.25"
    for text in (data, data.replace(b" ", b"\t"), data + b"\n"):
        table = _plain_columns(text, TYPES, "blanks")
        assert table["e"].to_pylist() == [2.5, -1e-3, 0.25]
        assert table["line"].to_pylist() == [1, 2, 3]


@pytest.mark.parametrize(
    "data", [b"a b c 1 2\n\n", b"a b  c 1 2", b" a b c 1 2", b"a\tb c 1 2", b"a b c 1 2\r\n",
             b"a b c +1 2", b"a b c 1 inf", b"a b c 1", b"\xff b c 1 2", b"\xef\xbb\xbfa b c 1 2"],
)  # fmt: skip
def test_what_is_not_plain_is_read_with_care(data):
    assert _plain_columns(data, TYPES, "blanks") is None

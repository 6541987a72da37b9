"""What no file may hold, and every reader: each refuses each, with file, line, value and remedy.

A reader is here with two good rows; each case puts one bad value into the second.
"""

import functools
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import regrade
from regrade.errors import InputError
from regrade.readers.groups import read_groups, read_pool_origins
from regrade.readers.labels import read_judgments, read_qrels
from regrade.readers.pages import read_page_preferences, read_rated_lists
from regrade.readers.preferences import read_preferences
from regrade.readers.rows import read_panel
from regrade.readers.runs import read_runs
from regrade.scales import Scale

GOOD = {
    **{"topic": ("1", "2"), "docno": ("d1", "d2"), "worker": ("w1", "w2"), "unit": ("u1", "u2")},
    **{"grade": ("1", "0"), "value": ("3", "2"), "seconds": ("2.5", "3.5")},
    **{"position": ("1", "2"), "back": ("0", "1"), "failed": ("0", "1")},
    **{"left": ("a", "c"), "right": ("b", "d"), "preferred": ("left", "right")},
    **{"strength": ("-1", "1"), "partition": ("1", "2"), "left_score": ("1", "2")},
    **{"right_score": ("2", "1"), "winner": ("a", "c"), "loser": ("b", "d")},
    **{"rank": ("1", "1"), "score": ("2.5", "1.5"), "tag": ("x", "x"), "system": ("x", "y")},
    **{"Q0": ("Q0", "Q0"), "iteration": ("0", "0"), "pair": ("a,b", "c,d")},
    **{"assessor": ("p", "q"), "group": ("g", "h"), "n": ("1", "1"), "winning": ("A", "B")},
    **{"rel": ("1", "2"), "cred": ("1", "2"), "1": ("1", "1"), "2": ("0", "0"), "3": ("-1", "1")},
}
"""Two good values of each column."""

OF_JUDGMENTS = "topic docno worker value unit position seconds back failed"
OF_PREFERENCES = "topic left right worker unit position seconds partition"
PUBLISHED = (
    "topic_id:topic document_id:docno worker_id:worker relevance_score:value unit_id:unit "
    "doc_pos:position cumulative_time:seconds relevance_scale:S100 back failed"
)


def pages(path):
    return read_page_preferences(path, "topic", "winning", {"A": "x", "B": "y"})


def rated(path):
    scale = Scale.of({"levels": 5})
    return read_rated_lists(
        path, ["assessor", "topic", "rank", "docno", "rel", "cred", "note"], ["rel", "cred"], scale
    )


READERS = {
    # name: what reads, the columns (header:ours, where they differ), what stands between fields
    "qrels, TREC": (read_qrels, "topic iteration docno grade", " "),
    "qrels, TSV": (functools.partial(read_qrels, format="tsv"), "+topic docno grade", "\t"),
    "qrels, CSV": (functools.partial(read_qrels, format="csv"), "+topic docno grade", ","),
    "judgments, TSV": (read_judgments, f"+{OF_JUDGMENTS}", "\t"),
    "judgments, CSV": (functools.partial(read_judgments, format="csv"), f"+{OF_JUDGMENTS}", ","),
    "judgments, TREC": (
        functools.partial(read_judgments, format="trec", worker="w"),
        "topic iteration docno value",
        " ",
    ),
    "judgments, TREC with workers": (
        functools.partial(read_judgments, format="trec", columns={"worker": "iteration"}),
        "topic worker docno value",
        " ",
    ),
    "judgments, published CSV": (
        functools.partial(read_judgments, format="crowdsourcing-relevance-scales"),
        f"+{PUBLISHED}",
        ",",
    ),
    "a panel": (
        lambda path: read_panel(read_judgments, {"w": path}, format="trec"),
        "topic iteration docno value",
        " ",
    ),
    "preferences, TSV": (read_preferences, f"+{OF_PREFERENCES} preferred", "\t"),
    "preferences, CSV": (
        functools.partial(read_preferences, format="csv"),
        f"+{OF_PREFERENCES} strength",
        ",",
    ),
    "preferences of scores": (read_preferences, "+topic left right left_score right_score", "\t"),
    "pairs and winners": (
        functools.partial(read_preferences, format="pair-winner"),
        "topic left right winner",
        " ",
    ),
    "winners and losers": (
        functools.partial(read_preferences, format="winner-loser"),
        "topic winner loser",
        " ",
    ),
    "preferences of images": (
        functools.partial(read_preferences, format="image-preferences"),
        "+topic pair 1 2 3",
        "\t",
    ),
    "runs": (lambda path: read_runs([path]), "topic Q0 docno rank score tag", " "),
    "groups": (read_groups, "system group", " "),
    "pool origins": (read_pool_origins, "topic iteration docno grade n group", " "),
    "pages": (pages, "+topic winning", "\t"),
    "rated lists": (rated, "assessor topic rank docno rel cred note", ","),
    "qrels, any": (regrade.read_qrels, "+topic docno grade", ","),
    "judgments, any": (regrade.read_judgments, "+topic docno worker value unit", "\t"),
    "runs, any": (regrade.read_runs, "+system topic docno rank score", ","),
    "preferences, any": (regrade.read_preferences, "+topic left right worker unit strength", ","),
    "qrels, JSON": (regrade.read_qrels, "+topic docno grade", "json"),
    "judgments, JSON": (regrade.read_judgments, "+topic docno worker value unit", "json"),
    "runs, JSON": (regrade.read_runs, "+system topic docno rank score", "json"),
    "qrels, Parquet": (regrade.read_qrels, "+topic docno grade", "parquet"),
}

NAMES = ("topic", "docno", "worker", "unit", "left", "right", "loser", "system", "group", "tag")
NAMES += ("assessor",)
NUMBERS = ("grade", "value", "strength", "score", "left_score", "right_score", "seconds", "rel")
NUMBERS += ("cred", "3")
COUNTS = ("position", "partition", "rank", "back", "failed")
NOT_BELOW_0 = (*COUNTS, "seconds")

ODD = ("d\u200b2", "\ufeffd2")
"""A blank that nobody sees, and a mark."""
OPEN = ("inf", "-inf", "1e400", "nan", "x", "true")
INFINITE = ("inf", "-inf")
"""Numbers in the scores of a run, and nowhere else."""
OPTIONAL = {"seconds", *COUNTS, "unit"}
"""Columns that may lack a value, and so may the worker of a preference."""


def cases():
    for name, (_, columns, mark) in READERS.items():
        for column in [one.split(":")[-1] for one in columns.lstrip("+").split()]:
            if column in NAMES:
                yield from ((name, column, value) for value in ODD)
                if mark != " ":
                    yield name, column, ""
            if column in NUMBERS:
                values = [one for one in OPEN if column != "score" or one not in INFINITE]
                yield from ((name, column, value) for value in values)
            if column in COUNTS:
                yield from ((name, column, value) for value in ("inf", "1.5", "x", "true"))
            if column in NOT_BELOW_0:
                yield name, column, "-1"


def written(name, path, bad=None):
    """The file of a reader, and the line of its second row."""
    _, columns, mark = READERS[name]
    headed = columns.startswith("+")
    pairs = [(*one.split(":"), one)[:2] if ":" in one else (one, one)
             for one in columns.lstrip("+").split()]  # fmt: skip
    rows = [
        [bad[1] if bad and ours == bad[0] and n == 1 else GOOD.get(ours, (ours, ours))[n]
         for _, ours in pairs]
        for n in range(2)
    ]  # fmt: skip
    header = [theirs for theirs, _ in pairs]
    if mark == "parquet":
        columns = [_typed([row[n] for row in rows]) for n in range(len(header))]
        pq.write_table(pa.table(dict(zip(header, columns, strict=True))), path)
        return 2
    if mark == "json":
        lines = [
            "{" + ", ".join(f'"{h}": {_json(v)}' for h, v in zip(header, row, strict=True)) + "}"
            for row in rows
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 2
    lines = [mark.join(row) for row in ([header] if headed else []) + rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def _json(value):
    bare = re.fullmatch(r"-?[\d.]+(e\d+)?|true", value)
    return value if bare else '"' + value.replace('"', '\\"') + '"'


def _typed(values):
    try:
        return [float(value) for value in values]
    except ValueError:
        return values


@pytest.mark.parametrize("name", READERS)
def test_good_files_are_read(name, tmp_path):
    path = tmp_path / "given"
    written(name, path)
    assert len(READERS[name][0](path))


@pytest.mark.parametrize(("name", "column", "value"), cases())
def test_each_is_refused_with_file_line_value_and_remedy(name, column, value, tmp_path):
    path = tmp_path / "given"
    line = written(name, path, (column, value))
    optional = {*OPTIONAL, "worker"} if "preferences" in name else OPTIONAL
    if value in ("", "nan") and column in optional:
        READERS[name][0](path)  # no value, which these columns may lack
        return
    with pytest.raises(InputError) as refused:
        READERS[name][0](path)
    shown = value.replace("\u200b", "\\u200b").replace("\ufeff", "\\ufeff")
    place = f"{path}:{line}: "
    here = [one for one in str(refused.value).splitlines() if one.startswith(place)]
    reasons = [one for one in here if any(text in one for text in (shown, *SAID.get(value, ())))]
    assert reasons, refused.value
    assert re.search(REMEDIES, str(refused.value)), reasons


SAID = {"true": ("True",), "1e400": ("inf", "1e+400"), "": ("is empty",), "nan": ("lacks",),
        "\ufeffd2": ("byte-order mark",)}  # fmt: skip
"""How a value is told where not as it stands."""

REMEDIES = (
    r"take it out|leaves? (them|it) out|is empty|is no |is not an? |not finite|beyond|"
    r"on the scale|below 0|byte-order|neither|none of|lacks|A line"
)


@pytest.mark.parametrize("read", [regrade.read_qrels, regrade.read_judgments, regrade.read_runs])
def test_a_key_that_an_object_has_twice_is_refused(read, tmp_path):
    path = tmp_path / "given.jsonl"
    good = '"topic": "1", "docno": "a", "worker": "w", "score": 1'
    path.write_text(f'{{{good}}}\n{{{good}, "score": 2}}\n')
    with pytest.raises(InputError, match=r'given.jsonl:2: is no JSON: it has "score" twice'):
        read(path)

"""Kinds of files that users come with, as small ones: what `regrade init` is tried on.

All values are made up.  `KINDS` has, by what is special about a kind, its files (by name: text, or
bytes) and what `init` is to say of it: a text of the configuration, or, after `REFUSED`, of the
message that refuses it.
"""

import bz2
import gzip
import io
import json
import lzma
from itertools import product

import pyarrow as pa
import pyarrow.parquet as pq

REFUSED = "refused: "
TOPICS = ("401", "402", "403", "404")
DOCNOS = tuple(f"FT{n}" for n in range(12))


def grade(topic: str, docno: str, levels: int, salt: int = 0) -> int:
    """A made-up grade, the same wherever it is asked for."""
    return (7 * int(topic) + 5 * int(docno[2:]) + int(docno[2:]) ** 2 + salt) % levels


def qrels(value=lambda t, d: grade(t, d, 2), topics=TOPICS, end="\n") -> str:
    """TREC's labels."""
    return "".join(f"{t} 0 {d} {value(t, d)}{end}" for t, d in product(topics, DOCNOS))


def run(tag: str, topics=TOPICS, shift: int = 0, ties: bool = False) -> str:
    """A TREC run."""
    lines = []
    for topic in topics:
        order = sorted(DOCNOS, key=lambda d, t=topic: grade(t, d, 97, 13 * shift))
        for rank, docno in enumerate(order, 1):
            score = (20 - rank) // 3 if ties else 20 - rank
            lines.append(f"{topic} Q0 {docno} {rank} {score} {tag}\n")
    return "".join(lines)


def runs(count: int, folder: str = "", **how) -> dict[str, str]:
    """So many runs."""
    return {f"{folder}run-{n}": run(f"tag-{n}", shift=n, **how) for n in range(count)}


def table(rows, header: str, mark: str = "\t") -> str:
    """Rows with a header, fields between marks."""
    lines = [header.split(), *([str(one) for one in row] for row in rows)]
    return "".join(mark.join(line) + "\n" for line in lines)


def judged(levels: int, workers: int = 4, unit: bool = False, topics=TOPICS):
    """Workers' values of all documents: topic, docno, worker, value (and unit)."""
    for t, d, w in product(topics, DOCNOS, range(workers)):
        value = (grade(t, d, 2) * (levels - 1) * 2 // 3 + grade(t, d, 7, 3 * w)) % levels
        yield (t, d, f"w{w}", value, *([f"{t}-{w}"] if unit else []))


def shares(topic: str, docno: str) -> float:
    """Between 0 and 1."""
    return round((2 * grade(topic, docno, 2) + grade(topic, docno, 50) / 50) / 3, 3)


def parquet() -> bytes:
    """Labels as Parquet."""
    rows = [(t, d, grade(t, d, 2)) for t, d in product(TOPICS, DOCNOS)]
    written = io.BytesIO()
    columns = map(list, zip(*rows, strict=True))
    pq.write_table(pa.table(dict(zip(("topic", "docno", "grade"), columns, strict=True))), written)
    return written.getvalue()


def several_scales():
    """As a crowd's file that holds three tasks: units count anew in each, some are rejected."""
    for task, levels in (("1", 3), ("2", 101), ("3", 101)):
        for t, d, w in product(TOPICS, DOCNOS, range(3)):
            value = (grade(t, d, 2) * levels // 2 + grade(t, d, levels, w)) % levels
            status = "Rejected" if w == 2 and t == "404" else "Accepted"
            yield task, int(t) % 100, t, f"w{w}", status, 1 + int(d[2:]), d, value, 3.5 + w


HEAD = "topic docno grade"
OF_WORKERS = "topic docno worker value"
PAIRS = [
    (t, a, b, max(a, b, key=lambda d, t=t: grade(t, d, 97)))
    for t in TOPICS
    for a, b in zip(DOCNOS, DOCNOS[1:] + DOCNOS[:1], strict=True)
]
NEGATIVE = {0: -2, 1: 0, 2: 1, 3: 2}

KINDS: dict[str, tuple[dict[str, str | bytes], str]] = {
    "qrels of 2 levels": ({"own.qrels": qrels()}, "levels: 2"),
    "qrels of 3 levels, runs": (
        {"own.qrels": qrels(lambda t, d: grade(t, d, 3)), **runs(3)},
        'measures: ["AP", "nDCG", "nDCG@10", "RR"]',
    ),
    "qrels of 4 levels, runs": (
        {"own.qrels": qrels(lambda t, d: grade(t, d, 4)), **runs(2)},
        'measures: ["AP", "nDCG", "nDCG@10", "RR"]',
    ),
    "qrels of 5 levels": ({"own.qrels": qrels(lambda t, d: grade(t, d, 5))}, "levels: 5"),
    "qrels of 101 levels and of 2": (
        {"fine.qrels": qrels(lambda t, d: round(100 * shares(t, d))), "own.qrels": qrels()},
        "{source: fine, levels: 2, references: [own]}",
    ),
    "shares, labels of 2 levels, runs": (
        {"model.csv": table([(t, d, shares(t, d)) for t, d in product(TOPICS, DOCNOS)], HEAD, ","),
         "own.qrels": qrels(), **runs(3)},
        "{source: model, levels: 2, references: [own]}",
    ),
    "magnitudes": (
        {"own.tsv": table([(t, d, w, 3.5**v + 0.1) for t, d, w, v in judged(7)], OF_WORKERS)},
        "range: [1.1, ",
    ),
    "TREC's junk, runs": (
        {"web.qrels": qrels(lambda t, d: NEGATIVE[grade(t, d, 4)]), **runs(3)},
        "below 0, TREC's junk, are read as 0\n        levels: 3\n",
    ),
    "strengths below 0, runs": (
        {"own.qrels": qrels(lambda t, d: round(6 * shares(t, d) - 3, 3)), **runs(2)},
        'measures: ["AP(rel=',
    ),
    "a TSV under other names": (
        {"own.tsv": table(
            [(t, d, grade(t, d, 3)) for t, d in product(TOPICS, DOCNOS)], "qid doc_id relevance"
        )},
        'columns: {topic: "qid", docno: "doc_id", grade: "relevance"}',
    ),
    "JSON lines": (
        {"own.jsonl": "".join(
            f'{{"topic": "{t}", "docno": "{d}", "grade": 1}}\n'
            for t, d in product(TOPICS, DOCNOS)
        )},
        "format: jsonl",
    ),
    "Parquet": ({"own.parquet": parquet()}, "format: parquet"),
    "an array of JSON": (
        {"own.json": json.dumps(
            [{"qid": t, "docid": d, "judge": w, "label": grade(t, d, 4)}
             for t, d in product(TOPICS, DOCNOS) for w in "ab"], indent=1
        )},
        'columns: {topic: "qid", docno: "docid", worker: "judge", value: "label"}',
    ),
    "gzipped": (
        {"own.qrels.gz": gzip.compress(qrels().encode()), **{
            f"{name}.gz": gzip.compress(text.encode()) for name, text in runs(2).items()
        }},
        "2 systems, 4 topics",
    ),
    "bzip2, xz": (
        {"own.csv.xz": lzma.compress(table(judged(4), OF_WORKERS, ",").encode()), **{
            f"{name}.bz2": bz2.compress(text.encode()) for name, text in runs(2).items()
        }},
        "{source: own, levels: 2, references: []}",
    ),
    "judgments with workers": (
        {"own.tsv": table(judged(4), OF_WORKERS)}, "{source: own, levels: 2, references: []}"
    ),
    "judgments with units, a reference": (
        {"own.csv": table(judged(101, unit=True), f"{OF_WORKERS} unit", ","),
         "own.qrels": qrels()},
        "{source: own, levels: 2, references: [own-2]}",
    ),
    "judgments with seconds and positions": (
        {"own.tsv": table(
            [(*row, 1 + i % 12, 2.5 + i % 7) for i, row in enumerate(judged(4))],
            f"{OF_WORKERS} position seconds",
        )},
        "judgments by 4 workers",
    ),
    "several scales in one file": (
        {"own.tsv": table(
            several_scales(), "run unit topic worker status position docno value seconds"
        ), "nist.qrels": qrels(lambda t, d: grade(t, d, 3))},
        'where: {status: "Accepted", run: ["2", "3"]}',
    ),
    "units that tell nothing apart": (
        {"own.tsv": table(
            [(*row[:3], abs(turn - row[3]), row[4]) for turn in (0, 3)
             for row in judged(4, unit=True)],
            f"{OF_WORKERS} unit",
        )},
        "unit: null # 192 of 384 rows judge a document again in one: units are not identified",
    ),
    "preferences with a header": (
        {"own.tsv": table(
            [(t, a, b, f"w{i % 3}", w) for i, (t, a, b, w) in enumerate(PAIRS)],
            "topic left right worker preferred",
        )},
        "values: [-1, 0, 1]",
    ),
    "preferences with strengths": (
        {"own.csv": table(
            [(t, a, b, 2 if w == b else -1) for t, a, b, w in PAIRS],
            "topic left right strength", ","),
         "own.qrels": qrels(), **runs(2)},
        "values: [-2, -1, 0, 1, 2]",
    ),
    "lines of pair and winner": (
        {"own.txt": "".join(f"{t} {a} {b} {w}\n" for t, a, b, w in PAIRS)}, "format: pair-winner"
    ),
    "lines of winner and loser": (
        {"own.txt": "".join(f"{t} {w} {a if w == b else b}\n" for t, a, b, w in PAIRS)},
        "format: winner-loser",
    ),
    "preferences between pages": (
        {"own.tsv": table([(t, i % 3) for i, t in enumerate(TOPICS)], "Query Winner")},
        REFUSED + "goes under `pages`",
    ),
    "runs alone": (runs(3), "3 systems, 4 topics"),
    "a folder of runs": (
        {**runs(5, "runs/"), "own.qrels": qrels(), "groups": "".join(
            f"tag-{n} g{n % 2}\n" for n in range(5)
        )},
        "runs/*",
    ),
    "runs that lack topics": (
        {"own.qrels": qrels(), "run-0": run("a"), "run-1": run("b", TOPICS[:2], 1)},
        "b 2",
    ),
    "labels of half of the runs' topics": (
        {"own.qrels": qrels(topics=TOPICS[:2]), "other.qrels": qrels(topics=TOPICS[1:]),
         **runs(3)},
        "{pairs: [[other, own]]}",
    ),
    "runs with tied scores": ({"own.qrels": qrels(), **runs(3, ties=True)}, "3 systems"),
    "a byte-order mark": ({"own.qrels": "\ufeff" + qrels(), **runs(2)}, "levels: 2"),
    "Windows line ends": ({"own.qrels": qrels(end="\r\n"), **runs(2)}, "levels: 2"),
    "a CSV without a header": (
        {"own.csv": "".join(f"{t},{d},1\n" for t, d in product(TOPICS, DOCNOS))},
        REFUSED + "give the file a first line of names",
    ),
    "one topic": (
        {"own.qrels": qrels(topics=TOPICS[:1]), **runs(3, topics=TOPICS[:1])},
        "1 topic",
    ),
    "one topic, two sets": (
        {"own.qrels": qrels(topics=TOPICS[:1]), "other.qrels": qrels(),
         **runs(3, topics=TOPICS[:1])},
        "{pairs: [[other, own]]}",
    ),
    "one judge": ({"own.tsv": table(judged(4, 1), OF_WORKERS), "own.qrels": qrels()}, "own-2"),
    "one run": ({"own.qrels": qrels(), **runs(1)}, "pools (TREC runs, two or more, and qrels)"),
    "one run, two sets": (
        {"own.qrels": qrels(), "other.qrels": qrels(lambda t, d: 1 - grade(t, d, 2)), **runs(1)},
        "{pairs: [[other, own]]}",
    ),
    "all grades equal": ({"own.qrels": qrels(lambda t, d: 1), **runs(3)}, "levels: 2"),
    "no relevant document": ({"own.qrels": qrels(lambda t, d: 0), **runs(3)}, "levels: 2"),
    "all values of workers equal": (
        {"own.tsv": table([(t, d, w, 2) for t, d, w, _ in judged(4)], OF_WORKERS),
         "own.qrels": qrels()},
        "levels: 3",
    ),
    "few values off the scale": (
        {"own.tsv": table([*judged(4), ("401", "FT0", "w9", 10)], OF_WORKERS)}, "off_scale: drop"
    ),
    "names for grades": (
        {"own.qrels": qrels(lambda t, d: "NR"[grade(t, d, 2)])},
        REFUSED + "write the set by hand, with values: [",
    ),
    "labels of no document of the runs": (
        {"own.qrels": qrels().replace("FT", "LA"), **runs(2)},
        REFUSED + "are docnos written alike?",
    ),
    "a run with named columns": (
        {"own.csv": table([("401", "FT1", 1, 2.5)], "topic docno rank score", ",")},
        REFUSED + "looks like a run with named columns",
    ),
    "groups alone": ({"groups": "a g1\nb g2\n"}, REFUSED + "neither runs nor labels"),
    "an empty file": ({"own.qrels": ""}, REFUSED + "is empty"),
}  # fmt: skip
"""By what is special about them; see above."""

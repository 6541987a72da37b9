"""Shapes of files that others write, as rows of topic, document, judge and value.

Objects of JSON within objects (`flattened`), and tables with a column for each judge or metric
(`reshaped`).  Each shape is told by its own keys; a file of none of them stays as it is.
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from os import PathLike
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.errors import QUOTED, InputError
from regrade.readers.spellings import SPELLINGS, called, plain

log = logging.getLogger(__name__)

Record = Mapping[str, object]

NUGGET_SCORES = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
"""What an answer scores for its nuggets, as AutoNuggetizer calls it."""

_SUPPORT = {"support": 2, "partial_support": 1, "not_support": 0}
_INSPECT = {"C": 1, "I": 0, "P": 0.5, "N": 0, "true": 1, "false": 0, "yes": 1, "no": 0}
"""What Inspect's letters and words count: correct, incorrect, partial, no answer."""
QUESTIONS = ("user_input", "question", "input")
ANSWERS = ("response", "answer", "actual_output")
"""What columns of questions and answers are called."""
TASKS = ("task", "task_id", "taskid")
"""What columns of what a crowd is asked are called."""
TOTALS = ("all", "amean")
"""What stands for all topics where scores by topic are listed."""
_TRIALS = ("trial", "trial_id", "repeat", "repetition", "replicate", "attempt", "seed")
_RUNS = ("run", "run_id")
"""Columns that may tell one judge's runs over the same documents apart."""
CASES = ("testCases", "test_cases", "test_results", "testResults")
METRICS = ("metricsData", "metrics_data", "metricsMetadata", "metrics_metadata")


class _Unfit(ValueError):
    """What an object lacks, or has too much of, for the shape that it seems to have."""


@dataclass
class _Answers:
    """Numbers of the answers to each question, in the order that they are met."""

    known: dict[str, dict[str, str]] = field(default_factory=dict)

    def number(self, topic: str, answer: object) -> str:
        """``answer1`` is the first answer that differs from those before."""
        own = self.known.setdefault(topic, {})
        return own.setdefault(str(answer), f"answer{len(own) + 1}")


@dataclass(frozen=True)
class Shape:
    """A kind of object: its name and description, how it is recognised, how its rows are made."""

    name: str
    description: str
    fits: Callable[[Record], object]
    rows: Callable[..., Iterable]


def declared(
    shapes: list[Shape], name: str, description: str, fits: Callable[[Record], object]
) -> Callable:
    """Let a function make the rows of such objects; the first shape that fits is taken."""

    def add(rows: Callable) -> Callable:
        shapes.append(Shape(name, description, fits, rows))
        return rows

    return add


_SHAPES: list[Shape] = []
_shape = partial(declared, _SHAPES)


# --- JSON -----------------------------------------------------------------------------------------


def flattened(
    path: str | PathLike, rows: list[dict], lines: list[int], columns: Collection[str] = ()
) -> tuple[list[dict], list[int]]:
    """Rows of objects within objects."""
    if not rows:
        return rows, lines
    shape = next((shape for shape in _SHAPES if shape.fits(rows[0])), None)
    if shape is None:
        inner = _of_one(path, rows[0]) if len(rows) == 1 else None
        return (rows, lines) if inner is None else (inner, [1] * len(inner))
    made, of, problems, answers = [], [], [], _Answers()
    for row, line in zip(rows, lines, strict=True):
        try:
            own = list(shape.rows(row, columns, answers))
        except _Unfit as error:
            problems.append((line, str(error)))
        except (AttributeError, KeyError, TypeError):  # of what a shape takes for granted
            problems.append((line, "is built otherwise than the first object"))
        else:
            made += own
            of += [line] * len(own)
    if problems:
        raise InputError(path, problems, f"The file was read as {shape.name}.")
    if not made:
        raise InputError(path, [(None, f"holds no judgment ({shape.name})")])
    _tell(str(path), f"{shape.name}: {shape.description}")
    return made, of


def is_shaped(row: Record) -> bool:
    """Whether an object is of a shape that has judgments, labels or rankings."""
    return any(shape.fits(row) for shape in _SHAPES)


@lru_cache(maxsize=256)
def _tell(what: str, description: str) -> None:
    """Say once how a file is read, however often it is."""
    log.info("%s: %s", what, description)


def objects(value: object) -> list[dict]:
    """The objects of a list; none of what is no list of objects."""
    is_list = isinstance(value, list) and all(isinstance(one, dict) for one in value)
    return value if is_list else []


def _only_objects(row: Record, name: str, of: str) -> list[dict]:
    """The objects of a list that holds nothing else; none where there is no list."""
    held = row.get(name) or []
    odd = [one for one in held if not isinstance(one, dict)] if isinstance(held, list) else [held]
    if odd:
        raise _Unfit(f"holds {_quoted(odd[0])} among the {name} of {of}, which is not an object")
    return held


def first(row: Record, names: Iterable[str]) -> object:
    """The value of the first name that has one."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def needed(row: Record, *names: str) -> object:
    """The same; an error where none has one."""
    value = first(row, names)
    if value is None or value == "":
        listed = ", ".join(map(str, row))
        raise _Unfit(f"has no {' or '.join(names)} (it has {listed})")
    return value


def line_of_text(text: object) -> str:
    """A text as a name: without line ends."""
    return re.sub(r"\s+", " ", str(text)).strip()


def _of_one(path: str | PathLike, row: Record) -> list[dict] | None:
    """The rows of a lone object of objects: grades by topic, or columns as pandas writes them.

    A topic without documents is a row of its own, without more.
    """
    values, names = list(row.values()), list(row)
    objects = [one for one in values if isinstance(one, dict)]
    if 2 * len(objects) < max(len(values), 1):
        return None
    inner = [one for value in objects for one in value.values()]
    places = list(objects[0])
    is_named = called(names, "topic") and (called(names, "docno") or called(names, "left"))
    # texts of rows that are counted, as pandas writes columns
    is_counted = places == [str(n) for n in range(len(places))] and any(
        isinstance(one, str) and not _is_number(one) for one in inner
    )
    is_whole = len(objects) == len(values) and all(list(value) == places for value in values)
    if places and is_whole and (is_named or is_counted):
        return [{name: value[place] for name, value in row.items()} for place in places]
    within = [one for one in inner if isinstance(one, dict | list)]
    if 2 * len(within) > len(inner):
        if all(isinstance(one, dict) and all(map(_is_number, one.values())) for one in within):
            reason = f"{names[0]}, {places[0]}: an object where a number is wanted"
            remedy = "A file holds {topic: {document: number}}: give each of several a file."
            raise InputError(path, [(1, reason)], remedy)
        return None
    wrong = [
        (1, f"{topic}: {_quoted(of)} is not an object of documents, {{document: number}}")
        for topic, of in row.items()
        if not isinstance(of, dict)
    ]
    wrong += [
        (1, f"{topic}, {docno}: {_quoted(number)} is not a finite number")
        for topic, documents in row.items()
        if isinstance(documents, dict)
        for docno, number in documents.items()
        if not (_is_number(number) or _is_infinite(number))
    ]
    if wrong:
        remedy = "An object of objects holds {topic: {document: number}}: correct these, or leave "
        raise InputError(path, wrong, f"{remedy}them out, as of documents without a number.")
    return [
        {"topic": topic, "docno": docno, "score": number}
        for topic, documents in row.items()
        for docno, number in documents.items()
    ] + [{"topic": topic} for topic, documents in row.items() if not documents]


def _quoted(value: object) -> str:
    """A value as its file has it, not longer than anybody reads."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= QUOTED else f"{text[: QUOTED - 1]}…"


def _is_infinite(value: object) -> bool:
    """Whether a value, or its text, says that it is infinite, as scores of runs may be."""
    return isinstance(value, float) and math.isinf(value)


def _is_number(value: object) -> bool:
    """Whether a value is a number; the text of one, where numbers are read as text."""
    try:
        return not isinstance(value, bool | list | dict) and math.isfinite(float(value))
    except (TypeError, ValueError):
        return False


def parts(row: Record, names: Iterable[str]) -> list[Record]:
    """The objects of some lists of an object, or itself where it has none."""
    return [one for name in names for one in objects(row.get(name))] or [row]


def _rated(row: Record) -> list[Record]:
    """The parts of an object that may have ratings, also of what a search engine replies."""
    hits = row["hits"] if isinstance(row.get("hits"), dict) else {}
    if replied := objects(hits.get("hits")):
        return [part for one in replied for part in _rated(one)]
    row = row["_source"] if isinstance(row.get("_source"), dict) else row
    return parts(row, ("judgments", "judgmentRatings", "requests"))


@_shape(
    "judgments of OpenSearch or Elasticsearch",
    "a grade a rating",
    lambda row: any(isinstance(one.get("ratings"), list) for one in _rated(row)),
)
def _ratings(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    for part in _rated(row):
        topic = line_of_text(needed(part, "query", "query_id", "id"))
        if not isinstance(part.get("ratings"), list):
            raise _Unfit(f"has no list of ratings for the query {topic!r}")
        if not part["ratings"]:
            yield {"topic": topic}
        for rated in _only_objects(part, "ratings", f"the query {topic!r}"):
            docno = needed(rated, "docId", "doc_id", "_id", "docid")
            try:
                grade = needed(rated, "rating", "grade")
            except _Unfit as error:
                raise _Unfit(f"query {topic!r}, document {docno!r}: {error}") from None
            yield {"topic": topic, "docno": docno, "grade": grade}


def _groups(row: Record) -> Iterator[tuple[Record, Sequence[Record]]]:
    """What has relevant documents in RRE's ratings, and its queries."""
    for name in ("topics", "query_groups", "queries"):
        for one in _only_objects(row, name, "the ratings"):
            if "relevant_documents" in one:
                yield one, _only_objects(one, "queries", "a group") or [one]
            else:
                yield from _groups(one)


def _is_rated(row: Record) -> bool:
    """Whether an object, or one within, has relevant documents, as RRE's ratings have."""
    parts = (
        one for name in ("topics", "query_groups", "queries") for one in objects(row.get(name))
    )
    return any("relevant_documents" in one or _is_rated(one) for one in parts)


def _gains(held: object, topic: str) -> Iterator[tuple[str, object]]:
    """Documents and gains: by document, by gain, or in a list of documents."""
    if isinstance(held, list):
        named = [one for one in held if isinstance(one, dict) and "document_id" in one]
        by = {str(one["document_id"]): one for one in named}
        for one in held:
            if isinstance(one, dict) and "document_id" not in one:
                by |= one
        if sum(1 if "document_id" in one else len(one) for one in objects(held)) != len(by):
            raise _Unfit(
                f"the relevant documents of {topic!r} repeat a document, or are not all objects"
            )
        held = by
    if not isinstance(held, dict):
        raise _Unfit(f"the relevant documents of {topic!r} are {_quoted(held)}: no object of gains")
    for name, of in held.items():
        if isinstance(of, list):
            yield from ((docno, name) for docno in of)
        elif isinstance(of, dict) and of.get("gain") is not None:
            yield name, of["gain"]
        else:
            raise _Unfit(f"document {name!r} of {topic!r} has no gain")


def _query_text(query: Record, name: object) -> str:
    """What a query of RRE asks for: what its placeholder of that name, or the only one, holds."""
    held = query.get("placeholders")
    held = held if isinstance(held, dict) else {}
    texts = [held[one] for one in (name, f"${name}", "$query", "query") if one in held]
    if not texts and len(held) != 1:
        raise _Unfit(f"a query has the placeholders {_quoted(list(held))}, and none is $query")
    return line_of_text(texts[0] if texts else next(iter(held.values())))


@_shape(
    "ratings of RRE",
    "a topic is the text of a query, with the documents of its group and their gains",
    _is_rated,
)
def _rre_ratings(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    for group, queries in _groups(row):
        for query in queries:
            topic = _query_text(query, row.get("query_placeholder"))
            gains = list(_gains(group["relevant_documents"], topic))
            yield from ({"topic": topic, "docno": docno, "grade": gain} for docno, gain in gains)
            if not gains:
                yield {"topic": topic}


def _evaluations(row: Record) -> Iterator[Record]:
    """The queries of RRE's results, within corpora, topics and groups."""
    for name in ("corpora", "topics", "query-groups"):
        for one in objects(row.get(name)):
            yield from _evaluations(one)
    yield from objects(row.get("query-evaluations"))


@_shape(
    "results of RRE",
    "a document is a version of the system, a judge a metric; one alone: where worker=…",
    lambda row: next(_evaluations(row), None) is not None,
)
def _rre_results(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    for one in _evaluations(row):
        topic = line_of_text(needed(one, "query", "name", "id"))
        for metric, held in (one.get("metrics") or {}).items():
            for version, of in held["versions"].items():
                yield {"topic": topic, "docno": version, "worker": metric, "value": of["value"]}


_OF_MTEB = "mteb_model_meta"


@_shape(
    "predictions of MTEB",
    "a row a ranked document",
    lambda row: isinstance(row.get(_OF_MTEB), dict),
)
def _predictions(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    system = line_of_text(row[_OF_MTEB].get("model_name") or "run")
    parts = {
        (subset, split): topics
        for subset, splits in row.items()
        if subset != _OF_MTEB and isinstance(splits, dict)
        for split, topics in splits.items()
    }
    for names, topics in parts.items():
        for topic, documents in topics.items():
            called = topic if len(parts) == 1 else "/".join([*names, topic])
            for docno, score in documents.items():
                yield {"topic": called, "docno": docno, "score": score, "system": system}


@_shape(
    "results of MTEB",
    "",
    lambda row: "mteb_version" in row and isinstance(row.get("scores"), dict),
)
def _task_means(row: Record, columns: Collection[str], answers: _Answers) -> NoReturn:
    raise _Unfit(
        "holds only the means of a whole task: have MTEB write its rankings "
        "(prediction_folder), and read these as runs"
    )


@_shape(
    "ranked candidates with judgments",
    "a row a candidate",
    lambda row: objects(row.get("candidates")) and isinstance(row.get("query"), dict),
)
def _candidates(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    topic = needed(row["query"], "qid", "query_id", "text")
    for rank, one in enumerate(objects(row["candidates"]), 1):
        ranked = {"topic": topic, "docno": needed(one, "docid", "doc_id", "id"), "rank": rank}
        judged = {"grade": one["judgment"]} if one.get("judgment") is not None else {}
        yield ranked | judged | ({"score": one["score"]} if "score" in one else {})


@_shape(
    "AutoNuggetizer's assignments",
    "a document is a nugget of an answer (run/number), graded 0 to 2 as not, partly, supported; "
    "for a score of each answer name one: columns grade=strict_vital_score "
    f"({', '.join(NUGGET_SCORES[1:])})",
    lambda row: "assignment" in parts(row, ["nuggets"])[0] and objects(row.get("nuggets")),
)
def _nuggets(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    topic = needed(row, "qid", "query_id", "topic_id", "query")
    run = first(row, ("run_id", "run", "system"))
    if run is None:
        run = answers.number(str(topic), row.get("answer_text"))
    grades = []
    for nugget in _only_objects(row, "nuggets", f"topic {topic}"):
        support = _SUPPORT.get(str(nugget.get("assignment")).strip().lower())
        if support is None:
            raise _Unfit(
                f"assignment {nugget.get('assignment')!r} is not one of {', '.join(_SUPPORT)}"
            )
        grades.append((support, str(nugget.get("importance", "")).lower(), nugget))
    if set(columns) & set(NUGGET_SCORES):
        yield {"topic": topic, "docno": run, **_nugget_scores(grades)}
        return
    for number, (grade, importance, nugget) in enumerate(grades, 1):
        text = line_of_text(nugget.get("text", ""))
        more = {"importance": importance, "nugget": text, "run": run}
        yield {"topic": topic, "docno": f"{run}/{number}", "grade": grade, **more}


def _nugget_scores(grades: Sequence[tuple[int, str, Record]]) -> dict[str, float | None]:
    """Shares of an answer's nuggets that it supports; strict ones count no partial support."""
    vital = [grade for grade, importance, _ in grades if importance == "vital"]
    every = [grade for grade, _, _ in grades]
    shares = [
        sum(points[grade] for grade in of) / len(of) if of else None
        for points in ((0, 0, 1), (0, 0.5, 1))
        for of in (vital, every)
    ]
    return dict(zip(NUGGET_SCORES, shares, strict=True))


@_shape(
    "a log of Inspect",
    "a topic is a sample, a document the model's answer, a judge a scorer; C, P, I count 1, ½, "
    "0; one scorer alone: where worker=…",
    lambda row: any({"scores", "score"} & one.keys() for one in objects(row.get("samples"))),
)
def _samples(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    about = row.get("eval") if isinstance(row.get("eval"), dict) else {}
    model = line_of_text(about.get("model") or "answer")
    samples = objects(row["samples"])
    epochs = len({str(sample.get("epoch", 1)) for sample in samples}) > 1
    for sample in samples:
        topic = line_of_text(needed(sample, "id", "uuid"))
        docno = f"{model}#{sample.get('epoch', 1)}" if epochs else model
        for scorer, score in (sample.get("scores") or {}).items():
            value = score.get("value") if isinstance(score, dict) else score
            parts = value.items() if isinstance(value, dict) else [("", value)]
            for key, one in parts:
                worker = f"{scorer}/{key}" if key else scorer
                if isinstance(one, bool):
                    one = int(one)
                elif not _is_number(one):
                    if not isinstance(one, str) or one not in _INSPECT:
                        where = f"sample {topic}, scorer {worker}"
                        known = ", ".join(_INSPECT)
                        raise _Unfit(
                            f"value {one!r} ({where}) is not a number and not one of {known}"
                        )
                    one = _INSPECT[one]
                yield {"topic": topic, "docno": docno, "worker": worker, "value": one}


@_shape(
    "results of deepeval",
    "a topic is an input, a document its answer, a judge a metric; one alone: where worker=…",
    lambda row: any(objects(parts(row, CASES)[0].get(name)) for name in METRICS),
)
def _metrics(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    for case in parts(row, CASES):
        topic = line_of_text(needed(case, "input", "name"))
        docno = answers.number(topic, first(case, ("actualOutput", "actual_output")))
        for metric in objects(first(case, METRICS)):
            worker = line_of_text(needed(metric, "name", "metric"))
            if metric.get("score") is not None:
                value = metric["score"]
                yield {"topic": topic, "docno": docno, "worker": worker, "value": value}


def _identified(*parts: object) -> dict[str, object]:
    """Topic and document, from the first object that names each as people call them."""
    names_of = {}
    held = [part for part in parts if isinstance(part, dict)]
    for ours in ("topic", "docno"):
        for part in held:
            if names := called([name for name in part if part[name] is not None], ours):
                names_of[ours] = line_of_text(part[names[0]])
                break
        else:
            names = ", ".join(str(name) for part in held for name in part) or "none"
            raise _Unfit(f"names no {ours}: none of {', '.join(SPELLINGS[ours][:5])} is in {names}")
    return names_of


def _named(values: Mapping[str, object]) -> dict[str, object]:
    """Answers to questions by the question; to a single one as the value."""
    return {"value": next(iter(values.values()))} if len(values) == 1 else dict(values)


@_shape(
    "an export of Argilla",
    "submitted responses; suggestions, drafts and what was discarded are left out",
    lambda row: isinstance(row.get("fields"), dict) and {"responses", "suggestions"} & row.keys(),
)
def _responses(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    identified = _identified(row.get("metadata"), row["fields"], row)
    by_user: dict[str, dict[str, object]] = {}
    held = row.get("responses") or {}
    if isinstance(held, dict):  # by question, each with a list of answers
        answered = [(one, {question: one}) for question in held for one in objects(held[question])]
    else:  # a list of users, each with answers by question
        answered = [(one, one.get("values") or {}) for one in objects(held)]
    for one, values in answered:
        if one.get("status", "submitted") in ("submitted", None):
            own = by_user.setdefault(str(needed(one, "user_id", "user")), {})
            own |= {n: v.get("value") if isinstance(v, dict) else v for n, v in values.items()}
    for worker, values in by_user.items():
        yield {**identified, "worker": worker, **_named(values)}


def _annotations_of(row: Record) -> list[Record]:
    return objects(row.get("annotations", row.get("completions")))


@_shape(
    "an export of Label Studio",
    "annotations that were not cancelled",
    lambda row: isinstance(row.get("data"), dict) and _annotations_of(row),
)
def _annotations(row: Record, columns: Collection[str], answers: _Answers) -> Iterator[dict]:
    identified = _identified(row["data"])
    for one in _annotations_of(row):
        if one.get("was_cancelled") is True:
            continue
        by = needed(one, "completed_by", "created_username")
        worker = line_of_text(needed(by, "email", "id")) if isinstance(by, dict) else str(by)
        values = {}
        for result in objects(one.get("result")):
            kind, value = str(result.get("type")), result.get("value")
            if isinstance(value, dict) and kind in value:
                answer = value[kind]
                is_one = isinstance(answer, list) and len(answer) == 1
                values[str(result.get("from_name", kind))] = answer[0] if is_one else answer
        if values:
            seconds = {"seconds": one["lead_time"]} if "lead_time" in one else {}
            yield {**identified, "worker": worker, **_named(values), **seconds}


# --- tables ---------------------------------------------------------------------------------------


def reshaped(
    table: pa.Table, line: np.ndarray, what: str, columns: Collection[str] = ()
) -> tuple[pa.Table, np.ndarray]:
    """A table with a row for each value, of one with a column for each judge or metric."""
    names = table.column_names
    topic, docno = called(names, "topic"), called(names, "docno")
    roles = ("grade", "worker", "system", "rank")
    if len(topic) == 1 and not docno and (scores := _leaderboard(table, line, topic[0])):
        _tell(what, "scores of runs: a document is a run's answer, a judge a measure")
        return scores
    if not topic and not docno and (labels := _labels_of_crowd(table)):
        _tell(what, f"no column of topics: all tasks are of one topic, {_ONE_TOPIC}")
        return labels, line
    table, topic, docno = _with_answers(table, topic, docno, columns)
    if len(topic) != 1 or len(docno) != 1:
        return table, line
    rest = [name for name in table.column_names if name not in (*topic, *docno)]
    if trial := _trial(table, topic[0], docno[0], rest):
        _tell(what, f"each {trial} is a judge; one of them alone: where {trial}=…")
        return table.append_column("worker", pc.cast(table[trial], pa.string())), line
    if any(called(rest, role) for role in roles):
        return table, line
    judges = [name for name in rest if _are_numbers(table[name])]
    is_made = topic[0] not in names or docno[0] not in names
    if len(judges) < (1 if is_made else 2) or set(judges) & set(columns):
        return table, line
    _tell(
        what,
        f"each of {', '.join(judges)} is a judge; one of them alone: columns grade={judges[0]}",
    )
    return _melted(table, line, judges)


def _trial(table: pa.Table, topic: str, docno: str, rest: Sequence[str]) -> str | None:
    """The column that tells apart what would be several labels of a document, if there is one."""
    grades = called(rest, "grade")
    is_run = not (set(grades) - set(called(rest, "score"))) or called(rest, "rank")
    trials = [name for name in rest if plain(name) in (_TRIALS if is_run else _TRIALS + _RUNS)]
    if called(rest, "worker") or not grades or len(trials) != 1:
        return None
    keys = table.select([topic, docno, *trials])
    documents = len(keys.group_by([topic, docno]).aggregate([]))
    labels = len(keys.group_by(keys.column_names).aggregate([]))
    return trials[0] if documents < labels == len(keys) else None


def _with_answers(
    table: pa.Table, topic: list[str], docno: list[str], columns: Collection[str]
) -> tuple[pa.Table, list[str], list[str]]:
    """Questions as topics and answers as documents, where a table has those and not these."""
    question, answer = _first_named(table, QUESTIONS), _first_named(table, ANSWERS)
    if docno or question is None or answer is None:
        return table, topic, docno
    answers = _Answers()
    texts = [line_of_text(one) for one in table[topic[0] if topic else question].to_pylist()]
    responses = table[answer].to_pylist()
    numbers = [answers.number(*pair) for pair in zip(texts, responses, strict=True)]
    kept = table.drop_columns([question, answer])
    if not topic:
        kept = kept.append_column("topic", pa.array(texts, pa.string()))
        topic = ["topic"]
    return kept.append_column("docno", pa.array(numbers, pa.string())), topic, ["docno"]


def _first_named(table: pa.Table, names: Sequence[str]) -> str | None:
    """The column that goes by the first of the names that one does."""
    known = {plain(name): name for name in table.column_names}
    return next((known[name] for name in names if name in known), None)


_ONE_TOPIC = "tasks"
"""What the topic of all tasks is called."""


def _labels_of_crowd(table: pa.Table) -> pa.Table | None:
    """What workers said of tasks, with all of these in one topic."""
    names, task = table.column_names, _first_named(table, TASKS)
    outputs = [name for name in names if name.startswith("OUTPUT:")]  # as Toloka has them
    workers, values = called(names, "worker"), called(names, "value") or outputs
    if task is None or len(workers) != 1 or len(values) != 1:
        return None
    topic = pa.array([_ONE_TOPIC] * len(table), pa.string())
    columns = {"topic": topic, "docno": table[task]}
    columns |= {"worker": table[workers[0]], "value": table[values[0]]}
    rest = [name for name in names if name not in (task, workers[0], values[0], *columns)]
    return pa.table(columns | {name: table[name] for name in rest})


def _leaderboard(
    table: pa.Table, line: np.ndarray, topic: str
) -> tuple[pa.Table, np.ndarray] | None:
    """Scores of runs by topic and measure, without those over all topics."""
    run = _first_named(table, ("run_id", "runid", "run", "system"))
    measure = _first_named(table, ("measure", "metric"))
    value = _first_named(table, ("value", "score"))
    if None in (run, measure, value):
        return None
    texts = pc.cast(table[topic], pa.string())
    kept = pc.invert(pc.is_in(texts, pa.array(TOTALS)))
    columns = {"topic": texts, "docno": table[run], "worker": table[measure], "value": table[value]}
    return pa.table(columns).filter(kept), line[kept.to_numpy()]


def _are_numbers(column: pa.ChunkedArray) -> bool:
    """Whether a column holds numbers and nothing else, but for what is missing."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return True
    if not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
        return False
    texts = [one for one in column.to_pylist() if one not in _NONE]
    return bool(texts) and all(_is_number(one) and "_" not in one for one in texts)


_NONE = (None, "", "NA", "NaN", "nan", "None", "null")


def _melted(
    table: pa.Table, line: np.ndarray, judges: Sequence[str]
) -> tuple[pa.Table, np.ndarray]:
    """A row for each value that a judge gave, with what else its row says, in their order."""
    values_of_rows = zip(*(table[name].to_pylist() for name in judges), strict=True)
    cells = [
        (row, judge, value)
        for row, values in enumerate(values_of_rows)
        for judge, value in zip(judges, values, strict=True)
        if value not in _NONE and value == value
    ]
    rows, workers, values = zip(*cells, strict=True) if cells else ((), (), ())
    as_one = str if any(isinstance(one, str) for one in values) else float
    taken = pa.array(rows, pa.int64())
    made = {n: table[n].take(taken) for n in table.column_names if n not in judges}
    made |= {"worker": pa.array(workers, pa.string()), "value": pa.array(map(as_one, values))}
    return pa.table(made), np.asarray(line)[list(rows)]

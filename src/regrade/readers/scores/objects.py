"""Objects of evaluation frameworks' files, as rows of system, topic, measure and value.

Each shape is told by its own keys, as in `regrade.readers.shapes`, which reads some of these files
as judgments: which of both is wanted says the door that reads.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from regrade.errors import InputError, did_you_mean
from regrade.readers.scores.rows import file_name
from regrade.readers.shapes import (
    CASES,
    METRICS,
    Shape,
    declared,
    first,
    line_of_text,
    needed,
    objects,
    parts,
)
from regrade.readers.sources import MODEL_META

Record = Mapping[str, object]


@dataclass
class ScoreFile:
    """A file whose objects are read: where it is, which measures are wanted, what is left out."""

    path: Path
    measures: Sequence[str] = ()
    left_out: Counter = field(default_factory=Counter)


_SHAPES: list[Shape] = []
_shape = partial(declared, _SHAPES)
"""Of all objects at once: rows are made with the place of each one's object."""


def shaped(
    rows: Sequence[Record], lines: Sequence[int], file: ScoreFile
) -> tuple[list[dict], list[int], str] | None:
    """Scores of objects of a known shape, the line of each, and what they are."""
    shape = next((shape for shape in _SHAPES if rows and shape.fits(rows[0])), None)
    if shape is None:
        return None
    try:
        made = list(shape.rows(rows, file))
    except _At as error:
        raise InputError(
            file.path, [(lines[error.place], error.reason)], f"The file was read as {shape.name}."
        ) from None
    if not made:
        raise InputError(file.path, [(None, f"holds no score by item ({shape.name})")])
    description = f"{shape.name}: {shape.description}" if shape.description else shape.name
    return [row for _, row in made], [lines[place] for place, _ in made], description


def any_fits(rows: Sequence[Record]) -> bool:
    """Whether objects are of a shape that has scores."""
    return bool(rows) and any(shape.description and shape.fits(rows[0]) for shape in _SHAPES)


class _At(ValueError):
    """What is wrong with an object, and which one it is."""

    def __init__(self, place: int, reason: str):
        self.place, self.reason = place, reason
        super().__init__(reason)


def _each(rows: Sequence[Record], of: Callable[[Record], Iterable[dict]]) -> Iterator:
    """The rows of each object, and its place."""
    for place, row in enumerate(rows):
        try:
            yield from ((place, one) for one in list(of(row)))
        except (AttributeError, KeyError, TypeError):  # of what a shape takes for granted
            raise _At(place, "is built otherwise than the first object") from None
        except ValueError as error:
            raise _At(place, str(error)) from None


# --- HELM -----------------------------------------------------------------------------------------


def _of_run_name(path: Path) -> dict[str, str]:
    """System and data set, as the folder of a HELM run names them: ``mmlu:…,model=a_b``."""
    name = path.absolute().parent.name
    scenario, _, rest = name.partition(":")
    settings = [one.partition("=") for one in (rest or scenario).split(",")]
    model = next((value for key, _, value in settings if key == "model"), None)
    if model is None:
        return {}
    others = ",".join("".join(one) for one in settings if one[0] != "model")
    dataset = f"{scenario}:{others}" if rest and others else scenario if rest else others
    return {"system": model, "dataset": dataset}


@_shape(
    "per-instance statistics of HELM",
    "an item is an instance, a measure the mean of a statistic, a repeat a trial",
    lambda row: "instance_id" in row and isinstance(row.get("stats"), list | dict),
)
def _instances(rows: Sequence[Record], file: ScoreFile) -> Iterator[tuple[int, dict]]:
    about = _of_run_name(file.path)
    trials = len({str(row.get("train_trial_index", 0)) for row in rows}) > 1

    def of(row: Record) -> Iterator[dict]:
        item = line_of_text(needed(row, "instance_id"))
        named = {**about, "topic": item}
        if trials:
            named["repeat"] = str(row.get("train_trial_index", 0))
        for name, mean in _helm_statistics(row["stats"]):
            if row.get("perturbation") or name.get("perturbation"):
                file.left_out["perturbed instances"] += 1
                continue
            if _HELM_COSTS.fullmatch(name["name"]):
                file.left_out["statistics of costs and lengths, which are no scores"] += 1
                continue
            yield {**named, "measure": name["name"], "value": mean}

    return _each(rows, of)


def _helm_statistics(stats: object) -> Iterator[tuple[Record, object]]:
    """What each statistic is called, and its mean: listed, or by name (``display_predictions``)."""
    if isinstance(stats, dict):
        yield from (({"name": name}, mean) for name, mean in stats.items())
    else:
        yield from ((stat["name"], stat.get("mean")) for stat in objects(stats))


_HELM_COSTS = re.compile(
    r"(max_)?num_\w+|\w*_(runtime|cost)|finish_reason_\w+|prompt_(truncated|length)|batch_size"
    r"|max_prob|logprob|predicted_index"
)
"""Statistics of HELM that are no scores of the answer."""


# --- lm-evaluation-harness ------------------------------------------------------------------------

_SAMPLE_KEYS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}


@_shape(
    "samples of lm-evaluation-harness",
    "an item is a document of the task",
    lambda row: {"doc_id", "resps"} <= row.keys() or {"doc_id", "filtered_resps"} <= row.keys(),
)
def _logged_samples(rows: Sequence[Record], file: ScoreFile) -> Iterator[tuple[int, dict]]:
    about = {}
    if named := re.fullmatch(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT.*)?", file_name(file.path)):
        about = {"system": file.path.absolute().parent.name, "dataset": named[1]}
    filters = len({str(row.get("filter", "none")) for row in rows}) > 1

    def of(row: Record) -> Iterator[dict]:
        names = row.get("metrics")
        if not isinstance(names, list):  # as first versions have it, and tools of others
            free = [name for name in row if name not in _SAMPLE_KEYS]
            names = [name for name in free if not isinstance(row[name], str)]
            file.left_out["texts beside the scores"] += len(free) - len(names)
        for name in names:
            value = row.get(name)
            if isinstance(value, list | dict):
                file.left_out[f"parts of a measure over all documents ({name})"] += 1
                continue
            measure = f"{name},{row.get('filter', 'none')}" if filters else str(name)
            yield {**about, "topic": str(row["doc_id"]), "measure": measure, "value": value}

    return _each(rows, of)


# --- Inspect --------------------------------------------------------------------------------------


@_shape(
    "a log of Inspect",
    "an item is a sample, a measure a scorer, a repeat an epoch; C, P, I, N count 1, ½, 0, 0",
    lambda row: any({"scores", "score"} & one.keys() for one in objects(row.get("samples"))),
)
def _samples(rows: Sequence[Record], file: ScoreFile) -> Iterator[tuple[int, dict]]:
    def of(row: Record) -> Iterator[dict]:
        about = row.get("eval") if isinstance(row.get("eval"), dict) else {}
        samples = objects(row["samples"])
        epochs = len({str(one.get("epoch", 1)) for one in samples}) > 1
        named = {"system": about.get("model"), "dataset": about.get("task")}
        named = {n: line_of_text(one) for n, one in named.items() if one}
        for sample in samples:
            item = line_of_text(needed(sample, "id", "uuid"))
            repeat = {"repeat": str(sample.get("epoch", 1))} if epochs else {}
            scores = sample.get("scores")
            if scores is None and sample.get("score") is not None:
                scores = {"score": sample["score"]}  # as first versions have it
            if not scores:
                file.left_out["samples without a score"] += 1
            for scorer, score in (scores or {}).items():
                value = score.get("value") if isinstance(score, dict) else score
                values = value if isinstance(value, dict) else {"": value}
                for key, one in values.items():
                    if isinstance(one, list | dict):
                        raise ValueError(f"sample {item}, {scorer}: {json.dumps(one)} is no number")
                    measure = f"{scorer}/{key}" if key else str(scorer)
                    yield {**named, **repeat, "topic": item, "measure": measure, "value": one}

    return _each(rows, of)


# --- promptfoo ------------------------------------------------------------------------------------


def _promptfoo_results(row: Record) -> list[dict]:
    """The results of an output of promptfoo, also of versions that nest them less."""
    held = row.get("results")
    held = held.get("results") if isinstance(held, dict) else held
    return [one for one in objects(held) if "provider" in one and {"score", "success"} & one.keys()]


_PROMPTFOO = (
    "a system is a provider, with its prompt where there are several; an item is a test case, "
    "a repeat a test case that comes again"
)


@_shape("results of promptfoo", _PROMPTFOO, _promptfoo_results)
def _test_cases(rows: Sequence[Record], file: ScoreFile) -> Iterator[tuple[int, dict]]:
    return _each(rows, lambda row: (one for _, one in _of_results(_promptfoo_results(row))))


@_shape(
    "lines of results of promptfoo",
    _PROMPTFOO,
    lambda row: {"promptIdx", "testIdx", "provider", "score", "success"} <= row.keys(),
)
def _lines_of_test_cases(rows: Sequence[Record], file: ScoreFile) -> Iterator[tuple[int, dict]]:
    for place, row in enumerate(rows):
        if not {"provider", "score"} <= row.keys():
            raise _At(place, "is built otherwise than the first object")
    return _of_results(rows)


def _of_results(results: Sequence[Record]) -> Iterator[tuple[int, dict]]:
    """The scores of all results of an evaluation, and the place of each among them."""
    prompt_of = _prompts(results)
    cases = [_case(one) for one in results]
    first_of: dict[str, object] = {}
    for one, case in zip(results, cases, strict=True):
        first_of.setdefault(case, one.get("testIdx", len(first_of)))
    counts: Counter = Counter()
    systems = [_system(one, prompt_of) for one in results]
    repeated = max(Counter(zip(systems, cases, strict=True)).values()) > 1
    for place, (one, system, case) in enumerate(zip(results, systems, cases, strict=True)):
        counts[system, case] += 1
        named = {"system": system, "topic": str(first_of[case])}
        if repeated:
            named["repeat"] = str(counts[system, case])
        value = one.get("score")
        if one.get("error") and one.get("failureReason") == 2:  # no answer was scored
            value = None
        yield place, {**named, "measure": "score", "value": value}
        if isinstance(one.get("success"), bool):
            passed = None if value is None else one["success"]
            yield place, {**named, "measure": "pass", "value": passed}
        for name, score in (one.get("namedScores") or {}).items():
            yield place, {**named, "measure": line_of_text(name), "value": score}


def _label(held: object) -> object:
    """What something is called: its label, else its id or text."""
    names = (
        [held.get(name) for name in ("label", "id", "raw")] if isinstance(held, dict) else [held]
    )
    return next(filter(None, names), None)


def _prompts(results: Sequence[Record]) -> dict[object, str]:
    """What each prompt is called, by its index where results have one; none where one is all.

    A prompt that no label names is given as it was sent, and that differs by test case.
    """
    names: dict[object, str] = {}
    for one in results:
        label = line_of_text(_label(one.get("prompt")) or "")
        names.setdefault(one.get("promptIdx", label), label)
    return names if len({*names.values()}) > 1 else {}


def _system(result: Record, prompt_of: Mapping[object, str]) -> str:
    provider = line_of_text(_label(result.get("provider")))
    label = line_of_text(_label(result.get("prompt")) or "")
    prompt = prompt_of.get(result.get("promptIdx", label))
    return f"{provider} | {prompt}" if prompt else provider


def _case(result: Record) -> str:
    """What tells a test case from others, but not from itself when it is run again."""
    case = result.get("testCase") if isinstance(result.get("testCase"), dict) else {}
    held = {name: case.get(name) for name in ("description", "vars", "assert")}
    if not any(held.values()):
        held = {"vars": result.get("vars"), "testIdx": result.get("testIdx")}
    return json.dumps(held, sort_keys=True, default=str)


# --- deepeval -------------------------------------------------------------------------------------


def _cases(row: Record) -> list[Record]:
    """The test cases of deepeval's results, also within what it keeps of its last run."""
    run = row.get("testRunData")
    return parts(run if isinstance(run, dict) else row, CASES)


@_shape(
    "results of deepeval",
    "an item is an input, a measure a metric",
    lambda row: any(objects(_cases(row)[0].get(name)) for name in METRICS),
)
def _metrics(rows: Sequence[Record], file: ScoreFile) -> Iterator[tuple[int, dict]]:
    def of(row: Record) -> Iterator[dict]:
        cases = _cases(row)
        inputs = Counter(line_of_text(needed(case, "input", "name")) for case in cases)
        for case in cases:
            item = line_of_text(needed(case, "input", "name"))
            if inputs[item] > 1 and case.get("name"):
                item = line_of_text(case["name"])
            for metric in objects(first(case, METRICS)):
                measure = line_of_text(needed(metric, "name", "metric"))
                yield {"topic": item, "measure": measure, "value": metric.get("score")}

    return _each(rows, of)


# --- MTEB -----------------------------------------------------------------------------------------


def _task_results(row: Record) -> list[tuple[str, Record]]:
    """Results of tasks, each with the model where it is named: of a task, a model, or several."""
    if "mteb_dataset_name" in row and "scores" not in row:
        return [("", _of_first_versions(row))]
    if "task_name" in row and isinstance(row.get("scores"), dict):
        return [("", row)]
    models = objects(row.get("model_results")) or [row]
    return [
        (line_of_text(model.get("model_name") or ""), task)
        for model in models
        for task in objects(model.get("task_results"))
    ]


@_shape(
    "results of MTEB",
    "an item is a task, with its split and subset if they are not `test` and `default`; its score "
    "is a mean over its own items",
    _task_results,
)
def _tasks(rows: Sequence[Record], file: ScoreFile) -> Iterator[tuple[int, dict]]:
    beside = _mteb_model(file.path)

    def of(row: Record) -> Iterator[dict]:
        for model, task in _task_results(row):
            yield from _of_task(task, model or beside, file.measures or ["main_score"])

    return _each(rows, of)


def _of_first_versions(row: Record) -> Record:
    """A task's results as versions from 1.11 on have them: splits of subsets, with a main score."""
    splits = {name: held for name, held in row.items() if isinstance(held, Mapping)}
    scores = {}
    for split, held in splits.items():
        inner = {name: one for name, one in held.items() if isinstance(one, Mapping)}
        numbers = held.keys() - inner.keys() - {"evaluation_time"}
        by_subset = inner if inner and not numbers and not inner.keys() & _SIMILARITIES else {}
        subsets = by_subset or {"default": held}
        scores[split] = [{"hf_subset": name, **_flat(one)} for name, one in subsets.items()]
    return {"task_name": row["mteb_dataset_name"], "scores": scores}


_SIMILARITIES = {"cos_sim", "dot", "euclidean", "manhattan", "max"}
"""Under which first versions of MTEB have scores of pairs."""

_MAIN = ("main_score", "ndcg_at_10", "map", "v_measure", "cos_sim_spearman", "cos_sim_ap")
"""Main scores of retrieval, reranking, clustering, similarity and classification of pairs."""


def _flat(held: Record) -> dict[str, object]:
    """Scores with those of a similarity named as ``cos_sim_spearman``, and the main score."""
    flat: dict[str, object] = {}
    for name, one in held.items():
        inner = one if isinstance(one, Mapping) else {"": one}
        flat |= {"_".join(filter(None, (name, key))): value for key, value in inner.items()}
    main = next((name for name in _MAIN if name in flat), None)
    return flat if main is None else {**flat, "main_score": flat[main]}


def _of_task(result: Record, system: str, measures: Sequence[str]) -> Iterator[dict]:
    """The scores of a task, by split and subset.

    The split `test` and the subset `default` are not named, whatever else a file holds, as another
    model's may hold other splits.
    """
    task = line_of_text(result["task_name"])
    for split, held in result["scores"].items():
        for one in objects(held):
            more = [(str(split), "test"), (str(one.get("hf_subset") or "default"), "default")]
            names = [task, *(name for name, usual in more if name != usual)]
            named = {"system": system, "topic": "/".join(names), "cluster": task}
            for name in measures:
                if name not in one:
                    known = [n for n, v in one.items() if isinstance(v, int | float)]
                    raise ValueError(f"{task} has no {name}{did_you_mean(name, known)}")
                yield {**named, "measure": name, "value": one[name]}


def _mteb_model(path: Path) -> str:
    """The model that a file of MTEB's is of: beside it, or as its folders are called."""
    path = path.absolute()
    try:
        meta = json.loads((path.parent / MODEL_META).read_text(encoding="utf-8"))
        return line_of_text(meta["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return path.parent.parent.name.replace("__", "/")


# --- ranx -----------------------------------------------------------------------------------------


def _is_report(row: Record) -> bool:
    names = row.get("model_names")
    return isinstance(names, list) and {"stat_test", "metrics"} <= row.keys()


@_shape("a report of ranx", "", _is_report)
def _report(rows: Sequence[Record], file: ScoreFile) -> Iterator[tuple[int, dict]]:
    reason = "is a report of ranx, which holds means over all topics only"
    remedy = (
        "Write scores by topic: json.dump({run.name: run.scores for run in runs}, file), after "
        "evaluate(qrels, run, metrics)."
    )
    raise InputError(file.path, [(None, reason)], remedy)

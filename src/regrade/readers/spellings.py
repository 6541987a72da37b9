"""How people call our columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from shlex import quote

from regrade.errors import ParameterError, did_you_mean

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "topic": ("topic", "topic_id", "topicid", "query_id", "queryid", "qid", "query", "q_id",
              "request_id", "requestid", "question_id"),
    "docno": (
        *("docno", "doc_no", "doc_id", "docid", "did", "doc", "document", "document_id"),
        *("documentid", "corpus_id", "passage_id", "pid", "url_id"),
    ),
    "grade": ("grade", "relevance", "rel", "label", "score", "value", "judgment", "judgement",
              "rating"),
    "value": ("value", "judgment", "judgement", "grade", "relevance", "rel", "label", "score",
              "rating"),
    "worker": ("worker", "worker_id", "workerid", "assessor", "annotator", "rater", "judge",
               "coder", "user", "user_id", "performer", "performer_id"),
    "unit": ("unit", "unit_id", "hit", "hit_id", "hitid"),
    "seconds": ("seconds",),
    "score": ("score", "sim", "rsv", "similarity"),
    "rank": ("rank", "position"),
    "system": ("system", "system_id", "run", "run_id", "runid", "run_name", "run_tag", "runtag",
               "tag"),
    "left": ("left", "doc_a", "doca", "a", "first", "document_a", "passage_a", "model_a"),
    "right": ("right", "doc_b", "docb", "b", "second", "document_b", "passage_b", "model_b"),
    "winner": ("winner", "preferred", "won"),
    "loser": ("loser", "lost"),
    "strength": ("strength", "preference"),
    "probability": ("probability", "p_left", "prob_left", "probability_left", "p_a", "prob_a",
                    "probability_a"),
    "inclusion": ("inclusion", "inclusion_probability", "pi"),
    "chosen": ("chosen", "asked", "sampled", "selected"),
    "batch": ("batch",),
}  # fmt: skip
"""Our names → theirs, as `plain` writes them."""


SCORES: Mapping[str, tuple[str, ...]] = {
    "system": (*SPELLINGS["system"], "model", "model_id", "model_name", "method", "name"),
    "topic": (
        *SPELLINGS["topic"],
        *("item", "item_id", "instance", "instance_id", "sample", "sample_id", "example"),
        *("example_id", "prompt_id", "doc_id", "id", "question", "user_input", "input", "prompt"),
    ),
    "measure": ("measure", "metric", "metric_name", "measure_name", "scorer"),
    "value": ("value", "score", "result", "mean"),
    "judge": ("judge", "judge_id", "worker", "assessor", "annotator", "rater", "grader"),
    "dataset": ("dataset", "data_set", "dataset_name", "benchmark", "corpus", "task", "task_name",
                "task_id", "split"),
    "cluster": ("cluster", "cluster_id", "conversation", "conversation_id", "source", "source_id",
                "passage_id", "document", "document_id"),
    "repeat": ("repeat", "repeat_id", "seed", "epoch", "trial", "fold", "repetition", "replicate",
               "attempt"),
}  # fmt: skip
"""What files of scores by item call our columns of them."""

TOLD = ("strength", "winner", "probability")
"""Columns that say what is preferred; the first there is counts."""

COLUMNS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "qrels": (("topic", "docno", "grade"), ()),
    "judgments": (("topic", "docno", "worker", "value"), ("unit", "seconds")),
    "preferences": (("topic",), ("left", "right", *TOLD, "loser", "worker", "unit")),
    "runs": (("topic", "docno"), ("score", "rank", "system")),
    "sample": (("topic", "docno", "grade"), ("inclusion", "chosen", "worker", "batch")),
}
"""Our columns of what a file may hold, by kind: those that it needs, and those that it may have."""

VALUES = {"qrels": "grade", "judgments": "value", "preferences": "strength"}
"""What sets of each kind call their values."""


def plain(name: object) -> str:
    """A name as spellings are compared: without case, blanks, hyphens and Toloka's prefixes."""
    name = str(name).strip().lower().replace(" ", "_").replace("-", "_")
    return re.sub("^(input|output|assignment):", "", name)


def called(
    names: Iterable[str], ours: str, spellings: Mapping[str, tuple[str, ...]] = SPELLINGS
) -> list[str]:
    """Those of the names that one of our columns goes by; ours alone, where it is there."""
    fitting = [name for name in names if plain(name) in spellings[ours]]
    exact = [name for name in fitting if plain(name) == ours]
    return exact if len(exact) == 1 else fitting


def spelled(
    names: Sequence[str],
    what: str,
    required: Sequence[str],
    optional: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Which column is which: our name → the one that is there."""
    wanted = [*required, *optional]
    columns = dict(columns or {})
    for ours, theirs in columns.items():
        if ours not in wanted:
            problem = f"columns: {what} has no use for '{ours}'{did_you_mean(ours, wanted)}"
            raise ParameterError(problem)
        if theirs not in names:
            problem = f"columns: {what} has no column '{theirs}'{did_you_mean(theirs, names)}"
            raise ParameterError(problem)
    free = [name for name in names if name not in columns.values()]
    for ours in (one for one in wanted if one not in columns):
        fitting = called(free, ours)
        if len(fitting) > 1:
            both = " and ".join(f"'{name}'" for name in fitting)
            raise ParameterError(
                f"{what}: {both} could be the {ours}: say which, "
                f"columns={{'{ours}': '{fitting[0]}'}}{_reader(wanted)}, "
                f"--columns {quote(f'{ours}={fitting[0]}')} in a command"
            )
        if fitting:
            columns[ours] = fitting[0]
            free.remove(fitting[0])
        elif ours in required:
            listed = ", ".join(map(str, names)) or "none"
            raise ParameterError(
                f"{what} has no column for the {ours} (its columns: {listed}): name it, "
                f"columns={{'{ours}': …}}{_reader(wanted)}, --columns {ours}=… in a command"
            )
    return columns


def _reader(wanted: Sequence[str]) -> str:
    """Whose `columns` are meant, of a function that is given several inputs."""
    of = {"grade": "qrels", "value": "judgments", "system": "runs", "left": "preferences"}
    return next((f" of read_{kind}" for name, kind in of.items() if name in wanted), "")

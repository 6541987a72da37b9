"""The commands ``regrade design`` and ``regrade pairs``."""

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated

import regrade
from regrade.argument_checks import one_of, within
from regrade.choices import ASKING_POLICIES, SCORE_RESCALES
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, RUNS, Argument, Option, Passes, Reads, command
from regrade.errors import ParameterError, RegradeError


@command(place=22)
def design(
    *,
    qrels: Annotated[str, Argument(help=f"The pool, partly graded. {QRELS}")],
    relevant: Annotated[
        str,
        Option(help="Grades of known relevant documents, best first."),
        Reads(partial(arguments.numbers_of, option="relevant")),
    ] = "1",
    not_relevant: Annotated[
        str,
        Option(help="Grades of known non-relevant documents."),
        Reads(partial(arguments.numbers_of, option="not-relevant")),
    ] = "0",
    size: Annotated[int, Option(help="Number of documents in a group.")] = 8,
    partners: Annotated[int, Option(help="Number of partners of each document in its group.")] = 3,
    judges: Annotated[int, Option(help="Number of workers for each unit (HIT).")] = 3,
    share: Annotated[
        float,
        Option(help="Share of the topic's other documents that each document is compared with."),
    ] = 0.15,
    seed: Annotated[int, Option(help="Random seed.", least=0)] = 1,
    out: Annotated[
        str | None, Option(help="Write the pairs (.csv, .jsonl, …)."), Passes(declare.table_place)
    ] = None,
    columns: declare.Columns = None,
    json: declare.Json = False,
) -> None:
    """Design pairs of documents for a preference task.

    Example: regrade design qrels.txt --relevant 2,1 --not-relevant 0 --out pairs.csv
    """
    from regrade.command.output import print_frame, print_json
    from regrade.preferences.design import Task, design_tasks, known_roles
    from regrade.writers import write_frame

    task = Task(size=size, partners=partners, judges=judges, share=share)
    labels = arguments.labels_of(qrels, columns=columns).table
    roles = known_roles(labels, labels, relevant, not_relevant, seed)
    tasks = design_tasks(roles, task, seed)
    if out is not None:
        write_frame(tasks.pairs, out)
    if json:
        print_json({"topics": tasks.topics, "pairs": tasks.pairs})
    else:
        print_frame(tasks.topics)


@command("pairs", calls="pairs read_preferences", seconds=0, place=26)
def pairs(
    *,
    preferences: Annotated[
        list[str],
        Argument(
            help="Preference judgments in one or several files: topic, two documents, the winner."
        ),
    ],
    format: Annotated[
        str | None,
        Option(help="Format of files without named columns: pair-winner or winner-loser."),
    ] = None,
    method: Annotated[str, Option(help="Method that scores the documents.")] = "bradley-terry",
    next: Annotated[
        int,
        Option(help="Number of pairs to ask next; 0: report the ranking."),
        Passes(within(least=0)),
    ] = 0,
    policy: Annotated[
        str,
        Option(
            help="With --next, the policy: information, top (for the best documents), "
            "uncertainty, even, random."
        ),
        Passes(one_of(ASKING_POLICIES)),
    ] = "information",
    top: Annotated[
        int,
        Option(help="With --policy top: the number of best documents."),
        Passes(within(least=1)),
    ] = 10,
    documents: Annotated[
        str | None,
        Option(
            help="With --next: further documents and topics, as qrels or columns topic and docno."
        ),
    ] = None,
    per_topic: Annotated[
        bool, Option("-q", "--per-topic", help="With --next: this number of pairs for each topic.")
    ] = False,
    references: Annotated[
        list[str] | None, Option(help=f"Labels to compare the scores with. {QRELS}")
    ] = None,
    runs: Annotated[
        list[str] | None, Option(help=f"With --references: runs of systems to rank. {RUNS}")
    ] = None,
    measures: declare.Measures = None,
    options: Mapping,
    out: Annotated[
        str | None,
        Option(help="Write the scores as qrels (or .csv, …); with --next, write the pairs."),
        Passes(declare.place),
    ] = None,
    one_topic: Annotated[
        bool, Option("--one-topic", help="Treat all topics as one: an arena of systems.")
    ] = False,
    rescale: Annotated[
        str | None,
        Option(
            help="With --out, the scale of scores: none, topic (0 to 1 within each topic) or "
            "probability."
        ),
        Passes(one_of(SCORE_RESCALES)),
    ] = None,
    columns: declare.Columns = None,
    missing: declare.Missing = "refuse",
    printing: Mapping,
) -> None:
    """Do pairwise preferences give a consistent ranking, and how many more are needed?

    Example: regrade pairs preferences.tsv --format pair-winner --table scores
    """
    from regrade.command.output import print_result, without_answer

    names = columns or {}
    if rescale is not None and (out is None or next):
        raise RegradeError("--rescale turns scores into labels: name the file to write, --out FILE")
    if next:
        without_answer(printing, "leave out --next")
    if next and printing["table"] is not None:
        raise RegradeError("--next chooses pairs to ask, --table shows known results: give one")
    if documents is not None and not next:
        raise RegradeError(
            "--documents are candidates for --next: give a number of pairs, --next 50"
        )
    if runs and not references:
        raise ParameterError(
            "--runs ranks systems under scores and labels: give labels (--references)"
        )
    if one_topic and references:
        raise ParameterError("--one-topic leaves no topics to compare with --references: give one")
    if next and out is not None:
        declare.table_place("out", out)
    answers = _answers(preferences, names, format, missing)
    if next:
        rules = {"policy": policy, "top": top, "per_topic": per_topic, "seed": options["seed"]}
        questions = regrade.next_pairs(answers, next, documents=arguments.path(documents), **rules)
        again = [*preferences, out, "--missing", "drop"]
        again += [] if format is None else ["--format", format]
        again += ["--columns", ",".join(map("=".join, names.items()))] if names else []
        _print_next(questions, names, out, again, as_json=printing["json"])
        return
    labels = [arguments.labels_of(one) for one in references or ()]
    ranked = arguments.read_runs(runs)
    options = {**options, "one_topic": one_topic}
    result = regrade.pairs(answers, method, labels or None, ranked, measures, **options)
    if out is not None:
        result.to_labels(rescale).to_qrels(out)
    print_result(result, printing)


def _answers(files: Sequence[str], names: Mapping[str, str], format: str | None, missing: str):
    """The answers of all files together; the format is of those without named columns."""
    import pyarrow as pa

    from regrade.readers.formats import headed_format
    from regrade.readers.sources import files_of

    files, tables = [*map(str, files_of([*map(arguments.path, files)]))], []
    for one in files:
        is_headed = len(files) > 1 and headed_format(one, names) is not None
        own = {"columns": names or None, "format": None if is_headed else format}
        tables.append(regrade.read_preferences(one, **own, missing=missing))
    return pa.concat_tables(tables)


def _print_next(pairs, names: Mapping[str, str], out: str | None, again: list, *, as_json: bool):
    """The pairs to ask next; or where they are written, and the command that reads them again."""
    from regrade.command.output import print_frame, print_json
    from regrade.readers.rows import guarded
    from regrade.writers import write_frame

    preferred = names.get("winner", "preferred")
    if out is not None:
        # called as in the file of answers, so that both are read alike
        called = {name: names[name] for name in ("topic", "left", "right") if name in names}
        frame = guarded(pairs.to_frame(), ("topic", "left", "right"))
        write_frame(frame.rename(columns={**called, "preferred": preferred}), out)
    if as_json:
        print_json({"pairs": pairs.pairs, "topics": pairs.topics})
        return
    print(pairs.summary())
    if out is None:
        print_frame(pairs.pairs)
    else:
        print(
            f"{out}: write left, right or tie to `{preferred}`; then regrade pairs "
            f"{shlex.join(again)}"
        )

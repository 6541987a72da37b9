"""The commands that read files and score runs."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from click.exceptions import Exit

import regrade
from regrade.argument_checks import one_of
from regrade.command import arguments, declare
from regrade.command.declare import Argument, Option, Passes, Reads, command
from regrade.errors import ParameterError, RegradeError

SCORE_FORMATS = ("ir_measures", "trec_eval", "table", "csv", "jsonl", "parquet")
"""How scores are printed."""


@command(place=1)
def look(
    *,
    files: Annotated[
        list[str], Argument(help="Files of any kind: runs, labels, judgments, preferences.")
    ],
    json: declare.Json = False,
) -> None:
    """What do these files contain, how are they read, and which commands apply?

    Example: regrade look qrels.txt runs model.csv
    """
    from regrade.command.given_files import mixed_rows
    from regrade.command.output import print_json

    seen = regrade.look([arguments.path(file) for file in files])
    if json:
        print_json({"files": [one.to_dict() for one in seen.files], "commands": seen.commands})
    else:
        print(arguments.with_names(seen.summary()))
    for one in seen.files:
        if one.kind == "judgments" and (mixed := mixed_rows(Path(one.file), one_scale=False)):
            logging.getLogger("regrade.command").warning("%s: %s", one.file, mixed)
    if any(one.problem for one in seen.files):
        raise Exit(1)


@command(calls="score", place=2)
def score(
    *,
    qrels: declare.Qrels,
    runs: declare.Ranked,
    measures: declare.Measures = None,
    others: Annotated[
        list[str] | None,
        Option(help="A further label set named by a measure: cred=FILE for NLRE(second=cred)@5."),
        Reads(arguments.sets_of),
    ] = None,
    per_topic: declare.EachTopic = False,
    format: Annotated[
        str,
        Option(
            help="Output format: ir_measures, trec_eval, table, csv, jsonl or parquet (with --out)."
        ),
        Passes(one_of(SCORE_FORMATS)),
    ] = SCORE_FORMATS[0],
    out: Annotated[
        str | None, Option(help="Write all scores to this file."), Passes(declare.table_place)
    ] = None,
    unranked: Annotated[
        str,
        Option(
            help="Judged topics that a run lacks: zero scores them 0, omit leaves them out of the "
            "run's mean."
        ),
    ] = "zero",
    how: Mapping,
    json: declare.Json = False,
) -> None:
    """Score runs under labels.

    Example: regrade score qrels.txt runs/*.gz -m "AP nDCG@10" -q
    """
    from regrade.command.output import print_frame, print_json, score_lines
    from regrade.writers import write_frame

    if json and format != SCORE_FORMATS[0]:
        raise ParameterError(f"--json and --format {format} both name an output format: give one")
    if format == "parquet" and out is None:
        raise RegradeError("format parquet cannot be printed: name a file, --out scores.parquet")
    labels = arguments.labels_of(qrels, **how)
    further = {name: arguments.reference_of(file, how) for name, file in (others or {}).items()}
    ranked = arguments.read_runs(runs, **how)
    scores = regrade.score(labels, ranked, measures, others=further, unranked=unranked)
    columns = ["system", "topic", "measure", "value"]
    if out is not None:
        write_frame(scores.to_frame()[columns], out)
    if format in ("ir_measures", "trec_eval") and not json:
        print(score_lines(scores, format, per_topic))
    elif format == "table":
        print_frame(scores.means().reset_index())
    elif format != "parquet":
        rows = scores.to_frame()[columns]
        if not per_topic:
            by = rows.groupby(["system", "measure"], sort=False)
            rows = by["value"].mean().reset_index()
        if json:
            print_json(rows)
        elif format == "csv":
            print(rows.to_csv(index=False), end="")
        else:
            print(rows.to_json(orient="records", lines=True), end="")

"""The commands ``regrade assign`` and ``regrade estimate``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, RUNS, Argument, Option, Passes, Reads, command
from regrade.errors import ParameterError


def _aim_of(text: str) -> str | int:
    """A number of first systems, or a word."""
    return int(text) if text.isdecimal() else text


def _settled(name: str, aim: str | int) -> None:
    """Refuse what cannot be asked about more labels."""
    if aim != "undecided" and not (isinstance(aim, int) and aim > 0):
        raise ParameterError(f"{name} is {aim!r}: write undecided, or a number of top systems")


@command(calls="assign", reads="missing below_zero tie_break not_self", place=20)
def assign(
    *,
    runs: Annotated[
        str,
        Argument(
            help="Runs: a file, a folder, or a glob in quotes; without runs, sampling is based on "
            "labels alone."
        ),
    ],
    budget: Annotated[
        float,
        Option(help="Number of documents to label; with --cost, the total cost."),
    ],
    models: Annotated[
        list[str] | None, Argument(help=f"Labels by one or several models. {QRELS}")
    ] = None,
    measures: declare.Measures = None,
    scale: declare.Scale = None,
    model_where: declare.ModelWhere = None,
    after: Annotated[
        str | None,
        Option(help="Labels of earlier batches: choose a further batch by what they teach."),
    ] = None,
    aim: Annotated[
        str,
        Option(
            help="Aim of the labels: all; after a batch also undecided (pairs), or a number of top "
            "systems."
        ),
        Reads(_aim_of),
    ] = "all",
    per_topic: Annotated[
        bool, Option("-q", "--per-topic", help="Use the same budget for each topic.")
    ] = False,
    cost: Annotated[
        str | None, Option(help="Cost of each label, as qrels with costs in place of grades.")
    ] = None,
    how: Mapping,
    seed: Annotated[int, Option(help="Random seed of the choice.")] = 1,
    out: Annotated[
        str | None,
        Option(help="Write the documents to be labelled: ask.csv."),
        Passes(declare.table_place),
    ] = None,
    json: declare.Json = False,
) -> None:
    """Which documents should people label, given a model's labels of all documents?

    Example: regrade assign runs model.qrels --budget 541 -m nDCG@10 --out ask.csv
    """
    from regrade.command.output import print_frame, print_json

    of_models = [arguments.labels_of(one, where=model_where, **how) for one in models or [runs]]
    ranked = arguments.read_runs([runs], **how) if models else None
    assigned = regrade.assign(
        ranked,
        of_models,
        budget,
        measures,
        scale=scale,
        seed=seed,
        after=arguments.path(after),
        aim=aim,
        per_topic=per_topic,
        cost=arguments.labels_of(cost),
    )
    if out is not None:
        assigned.to_csv(out)
    if json:
        print_json(assigned.documents)
        return
    print(assigned.summary())
    if out is not None:
        print(f"{out}: fill in `grade` where `chosen` is True, and keep the other rows")
    else:
        print_frame(assigned.documents[assigned.documents["chosen"]].drop(columns="chosen"))


@command("estimates", reads="missing below_zero tie_break not_self", several=None, place=21)
def estimate(
    *,
    labels: Annotated[
        str, Argument(help="The file that `assign` wrote, with human labels filled in.")
    ],
    models: Annotated[list[str], Argument(help=f"Labels by one or several models. {QRELS}")],
    runs: Annotated[
        list[str] | None,
        Option("--runs", "-r", help=f"{RUNS} Without runs: estimates for labels alone."),
    ] = None,
    measures: declare.Measures = None,
    scale: declare.Scale = None,
    columns: declare.Columns = None,
    where: declare.Where = None,
    model_where: declare.ModelWhere = None,
    options: Mapping,
    how: Mapping,
    settled: Annotated[
        str | None,
        Option(help="Is the ranking decided? The first k systems: 1; all pairs: undecided."),
        Reads(_aim_of),
        Passes(_settled),
    ] = None,
    printing: Mapping,
) -> None:
    """What would full human judging conclude, estimated from a few labels?

    Example: regrade estimate ask.csv model.qrels --runs runs -m nDCG@10 --table systems
    """
    from regrade.command.output import print_json, print_result, without_answer

    if settled is not None and not runs:
        raise ParameterError("--settled is about the order of systems: give runs (--runs)")
    if settled is not None:
        if printing["table"] or printing["out"]:
            raise ParameterError("--settled has its own answer: leave out --table and --out")
        without_answer(printing, "leave out --settled")
    own = {"scale": scale, "columns": columns, "where": where}
    if options["budget"] is None:
        file, rules = arguments.rules_of(labels, own)
        own = {name: rules[name] for name in own} | {"below_zero": how["below_zero"]}
        people = regrade.read_sample(arguments.path(file), **own)
    else:
        people = arguments.labels_of(labels, **own, **how)
    of_models = [arguments.labels_of(one, where=model_where, **how) for one in models]
    ranked = arguments.read_runs(runs, **how)
    estimates = regrade.estimate(people, of_models, ranked, measures, **options)
    if settled is None:
        print_result(estimates, printing)
        return
    verdict = estimates.settled(settled)
    if printing["json"]:
        print_json(verdict.to_frame())
    else:
        print(verdict.summary())

"""The command ``regrade panel``."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import regrade
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, Argument, Option, command


@command("panel", place=11)
def panel(
    *,
    reference: Annotated[
        str,
        Argument(
            help=f"Human labels on 2 to 4 levels. {QRELS} Or of a random sample: the file that "
            "`assign` wrote, with human labels filled in."
        ),
    ],
    sets: declare.JudgeSets,
    runs: declare.RankedIfAny = None,
    families: declare.FamilyFile = None,
    patterns: declare.FamilyPatterns = None,
    control: Annotated[
        list[str] | None,
        Option(
            help="Labels of the same documents by further people, for an effective number free of "
            "people's errors: a=FILE or FILE; repeatable."
        ),
    ] = None,
    measures: declare.Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """What is a panel of judges worth?

    Example: regrade panel qrels.txt gpt=gpt.qrels llama=llama.csv --runs "runs/*.gz"
    """
    held = _panel_of(reference, sets, runs, how)
    controls = control and arguments.labelled_sets(control, how)
    design = {"controls": controls, "families": arguments.path(families), "patterns": patterns}
    return regrade.panel(*held, measures, **design, **options)


def _panel_of(reference: str, sets: list[str], runs: list[str] | None, how: Mapping[str, object]):
    """The human labels, all or a sample, the judges, and the runs if there are any."""
    ranked = arguments.read_runs(runs, **how)
    labels = _people_of(reference, how)
    beside = getattr(labels, "labels", labels)
    return labels, arguments.read_beside(beside, how, partial(arguments.judge_sets, sets)), ranked


def _people_of(text: str, how: Mapping[str, object]):
    """Human labels, or a sample of them where the file has inclusion probabilities."""
    from regrade.estimation.question import read_sample
    from regrade.readers.formats import headed_format
    from regrade.readers.sampled import has_five_fields
    from regrade.readers.sources import opened
    from regrade.readers.spellings import spelled

    file, rules = arguments.rules_of(text, how)
    where = arguments.path(file)
    if Path(where).is_file():
        columns = rules["columns"] or {}
        if headed_format(where, columns) is None:
            is_sample = has_five_fields(where)
        else:
            names = opened(where, file).raw.column_names
            is_sample = "inclusion" in {*columns, *spelled(names, file, (), ("inclusion",))}
        if is_sample:
            own = {name: rules[name] for name in ("scale", "columns", "where", "below_zero")}
            return read_sample(where, **own)
    return arguments.reference_of(text, how)

"""The commands ``regrade compare`` and ``regrade judges``."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Annotated

import regrade
from regrade.argument_checks import one_of
from regrade.choices import FINDINGS
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, Argument, Option, Passes, command
from regrade.errors import ParameterError
from regrade.resources import cores


@command("compare", place=7)
def compare(
    *,
    first: Annotated[
        str, Argument(help=f"The first label set. {QRELS} Or scores of systems by item.")
    ],
    second: Annotated[
        str, Argument(help="The second label set, in the same formats; or judgments; or scores.")
    ],
    runs: declare.RankedIfAny = None,
    measures: declare.Measures = None,
    lower: declare.Lower = None,
    how: Mapping,
    groups: declare.Groups = None,
    options: Mapping,
    fail_if: Annotated[
        str | None,
        Option(
            help="Exit with code 3 if a pair of systems (or, without runs, a label) changes; or if "
            "the best system does."
        ),
        Passes(one_of(FINDINGS)),
    ] = None,
    printing: Mapping,
) -> None:
    """Would the evaluation have come out differently with another label set?

    Example: regrade compare qrels.txt model.qrels --runs "runs/*.gz" -m nDCG@10 --table pairs

    Two leaderboards from scores by item: regrade compare human.csv model.csv
    """
    from regrade.answers.words import by_quantity
    from regrade.command.output import print_result

    is_of_scores = arguments.are_scores(first)
    if fail_if == "best" and not runs and not is_of_scores:
        raise ParameterError("--fail-if best compares systems: give runs (--runs)")
    files = first, second
    if is_of_scores:
        arguments.refuse_runs(runs)
        sets = [arguments.scores_from([file], lower, how) for file in files]
        design = {"groups": arguments.groups_of(groups), "missing": how["missing"]}
        comparison = regrade.compare(*sets, None, measures, **design, **options)
    else:
        arguments.refuse_of_scores(lower)
        sets = [
            arguments.labels_of(one, "set", **own).on_levels()
            for one, own in zip(files, arguments.by_named_columns(files, how), strict=True)
        ]
        ranked = arguments.read_runs(runs, groups, **how)
        comparison = regrade.compare(*sets, ranked, measures, **options)
    print_result(comparison, printing)
    is_plain = not is_of_scores and not any(printing.values())
    if is_plain and not by_quantity(comparison.facts)["same scale"]:
        print(_how_to_cut(files, sets), end="")
    if fail_if is not None and comparison.finds(fail_if):
        raise declare.failure(fail_if)


def _how_to_cut(files: Sequence[str], sets: Sequence) -> str:
    """The command that brings two label sets to one scale, where one scale is finer.

    Grades are never merged: label sets are on one scale (`--scale`), or are not compared.
    """
    from regrade.evaluations.comparison_question import uses_grades
    from regrade.scales import FINER, MAX_LEVELS

    for (finer, coarser), (source, reference) in ((files, sets), (files[::-1], sets[::-1])):
        scale = reference.likely_scale
        levels = scale.levels or 0
        if not 2 <= levels <= MAX_LEVELS or not scale.is_levels(levels):
            continue
        is_finer = source.likely_scale.relation(levels) == FINER
        if is_finer and not uses_grades(source):
            words = shlex.join([finer, "-k", f"{levels}", "-r", coarser, "--out", "cut.qrels"])
            return (
                f"To compare both label sets on one scale, cut {source.name}: regrade cut {words}\n"
            )
    return ""


@command("judges", place=8)
def judges(
    *,
    reference: Annotated[
        str,
        Argument(
            help=f"Reference labels on 2 to 4 levels. {QRELS} Or scores by item, or the name of a "
            "judge in them."
        ),
    ],
    sets: declare.JudgeSets,
    runs: declare.RankedIfAny = None,
    measures: declare.Measures = None,
    lower: declare.Lower = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Which judge agrees best with the reference, and what would each judge change?

    Example: regrade judges qrels.txt gpt=gpt.qrels llama=llama.csv --runs "runs/*.gz"

    With scores by item: regrade judges human.csv gpt=gpt.csv llama=llama.csv; or one file with a
    column of judges: regrade judges human scores.csv
    """
    if arguments.are_scores(sets[0].rpartition("=")[2]):
        arguments.refuse_runs(runs)
        beside, of_judges = arguments.judge_scores_of(reference, sets, lower, how)
        design = {"missing": how["missing"], "threads": cores()}
        return regrade.judges(beside, of_judges, None, measures, **design, **options)
    arguments.refuse_of_scores(lower)
    held = arguments.judges_of(reference, sets, runs, how)
    return regrade.judges(*held, measures, threads=cores(), **options)

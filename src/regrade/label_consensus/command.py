"""The command ``regrade consensus``."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import regrade
from regrade.argument_checks import one_of
from regrade.command import arguments, declare
from regrade.command.declare import Option, Passes, command

CONSENSUS_TABLES = ("judges", "documents", "confusion")
"""Tables of a consensus."""


@command(calls="consensus", reads="scale columns where missing off_scale below_zero", place=13)
def consensus(
    *,
    sets: declare.JudgeSets,
    by: Annotated[
        str,
        Option(
            help="Rule: majority, median (median_low, median_high), mean, dawid-skene (a model of "
            "judges), or weighted (votes weighted by accuracy)."
        ),
    ] = "majority",
    reference: Annotated[
        str | None,
        Option("--reference", "-r", help="Labels from which weighted estimates accuracy."),
    ] = None,
    rescale: Annotated[
        str,
        Option(help="range: map each judge's scale onto 0 to 1, for mean and medians; or none."),
    ] = "none",
    out: Annotated[
        str | None, Option(help="Write the labels as qrels (or .csv, …)."), Passes(declare.place)
    ] = None,
    table: Annotated[
        str | None,
        Option(help=f"Print this table instead: {', '.join(CONSENSUS_TABLES)}."),
        Passes(one_of(CONSENSUS_TABLES)),
    ] = None,
    cite: declare.Cite = False,
    json: declare.Json = False,
    how: Mapping,
) -> None:
    """What do several judges say together? Their labels as one set, for every other command.

    Example: regrade consensus a.qrels b.qrels c.qrels --by median_low --out consensus.qrels
    """
    from regrade.command.output import print_answer, print_frame, print_json

    labels = arguments.reference_of(reference, how)
    held = arguments.read_beside(labels, how, partial(arguments.judge_sets, sets))
    joint = regrade.consensus(held, by, reference=labels, rescale=rescale)
    if out is not None:
        joint.to_qrels(out)
    tables = {one: getattr(joint, one) for one in CONSENSUS_TABLES}
    if cite:
        print(joint.methods_sentence())
    elif json:
        print_json(tables[table] if table else {"answer": joint.answer.to_dict(), **tables})
    elif table is not None:
        print_frame(tables[table])
    else:
        print_answer(joint.answer)
        if out is not None:
            print(f"labels: {out}")

"""The commands ``regrade pool`` and ``regrade leave-one-out``."""

from collections.abc import Mapping
from typing import Annotated

import regrade
from regrade.choices import DEPTH
from regrade.command import arguments, declare
from regrade.command.declare import Option, Passes, command
from regrade.errors import ParameterError
from regrade.pools.options import Pooling
from regrade.resources import cores


@command("pools", place=18)
def pool(
    *,
    runs: declare.Ranked,
    depth: Annotated[
        int | None,
        Option(help="Pool depth, by default 10; with --qrels alone, the deepest pool."),
    ] = None,
    method: Annotated[str, Option(help="Depth, or a fusion method such as RRF.")] = "Depth",
    size: Annotated[int | None, Option(help="Number of documents in a fused pool.")] = None,
    qrels: Annotated[
        str | None,
        Option(
            help="Labels: which pool depth suffices? With --out, the labels to reduce to the pool."
        ),
    ] = None,
    measures: declare.Measures = None,
    out: Annotated[
        str | None,
        Option(help="Write the pool, or the reduced qrels, to this file."),
        Passes(declare.place),
    ] = None,
    options: Mapping,
    how: Mapping,
    printing: Mapping,
) -> None:
    """How deep must the pool be? Or pool the first documents of runs; reduce labels to these.

    Example: regrade pool runs/*.gz --qrels qrels.txt
    """
    from regrade.command.output import print_frame, print_json, print_result, without_answer
    from regrade.writers import write_frame

    is_question = qrels is not None and out is None
    if printing["table"] is not None and not is_question:
        raise ParameterError(
            "--table belongs to the question of pool depth: give --qrels without --out"
        )
    if is_question and (method, size) != (DEPTH, None):
        raise ParameterError("--method and --size make a pool: name the file to write, --out FILE")
    if not is_question:
        without_answer(printing, "give --qrels without --out")
        depth = 10 if depth is None else depth
        Pooling(method, depth=depth, size=size)  # which refuses what makes none
    labels = arguments.labels_of(qrels, **how)
    ranked = arguments.read_runs(runs, **how)
    if is_question:
        rules = {**options, "baseline": options["baseline"] or depth}
        result = regrade.pool_depths(labels, ranked, measures=measures, **rules)
        print_result(result, printing)
        return
    pooled = regrade.pool(ranked, depth, method=method, size=size)
    sizes, documents = pooled.sizes.reset_index(), pooled.to_frame()
    reduced = None if labels is None else pooled.reduce(labels)
    if reduced is not None:
        reduced.to_qrels(out)
    elif out is not None:
        write_frame(documents, out)
    if printing["json"]:
        print_json({"sizes": sizes, "documents": documents})
        return
    for one in filter(None, (pooled, reduced)):
        print(repr(one)[1:-1])
    if out is None:
        print_frame(sizes)


@command("leave_one_out", place=19)
def leave_one_out(
    *,
    qrels: declare.Qrels,
    runs: declare.Ranked,
    depth: Annotated[
        int | None,
        Option(help="Pool depth; by default the depth to which half of the systems are judged."),
    ] = None,
    by: Annotated[
        str | None,
        Option(
            help="Unit to leave out: run, group or origins; by default group with --groups, else "
            "run."
        ),
    ] = None,
    groups: declare.Groups = None,
    origins: Annotated[
        str | None, Option(help="A file that names the runs that contributed each document.")
    ] = None,
    measures: declare.Measures = None,
    options: Mapping,
    how: Mapping,
) -> object:
    """Can new systems be evaluated with this pool? Scores each system without its unique judgments.

    Example: regrade leave-one-out qrels.txt runs/*.gz --depth 100 --groups groups.txt
    """
    if by == "group" and groups is None:
        raise ParameterError("--by group needs groups: add --groups FILE (lines: run-tag group)")
    if by == "run" and groups is not None:
        raise ParameterError("--by run takes no groups: leave out --by run, or --groups")
    if by == "origins" and origins is None:
        raise ParameterError(
            "--by origins needs the runs that contributed each document: add --origins FILE"
        )
    if depth is not None and options["pooling"] is not None:
        raise ParameterError("--depth and --pooling both define the pool: give one")
    labels = arguments.labels_of(qrels, **how)
    further = {
        "by": by,
        "groups": arguments.groups_of(groups),
        "origins": arguments.path(origins),
        **options,
    }
    ranked = arguments.read_runs(runs, **how)
    return regrade.leave_one_out(
        labels, ranked, depth, measures=measures, threads=cores(), **further
    )

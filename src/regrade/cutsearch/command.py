"""The command ``regrade cut``."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import regrade
from regrade.argument_checks import one_of, within
from regrade.choices import CUT_METHODS
from regrade.command import arguments, declare
from regrade.command.declare import QRELS, Argument, Option, Passes, Reads, command
from regrade.errors import ParameterError
from regrade.measures import parse_all
from regrade.resources import cores


@command(calls="cut_at", place=15)
def cut(
    *,
    judgments: Annotated[str, Argument(help=f"The scores to threshold. {QRELS}")],
    levels: Annotated[
        int | None, Option("--levels", "-k", help="Number of grades; 2, or as --at makes.")
    ] = None,
    reference: Annotated[
        str | None,
        Option("--reference", "-r", help="Reference labels 0 … levels − 1, for agreement."),
    ] = None,
    at: Annotated[
        str | None,
        Option(help="Thresholds to apply instead of the best ones: 25,50,75."),
        Reads(partial(arguments.numbers_of, option="at")),
    ] = None,
    equal: Annotated[
        bool, Option("--equal", help="Thresholds of equal widths instead of the best ones.")
    ] = False,
    quantiles: Annotated[
        bool, Option("--quantiles", help="Quantiles of documents' values as thresholds.")
    ] = False,
    runs: Annotated[list[str] | None, Option(help="Runs to rank under the thresholds.")] = None,
    measures: declare.Measures = None,
    method: Annotated[
        str | None,
        Option(help="Search method whose optimum is applied."),
        Passes(one_of(CUT_METHODS)),
    ] = None,
    per_topic: Annotated[
        bool, Option("-q", "--per-topic", help="Also thresholds for each topic, for --out too.")
    ] = False,
    out: Annotated[
        str | None, Option(help="Write the grades as qrels (or .csv, …)."), Passes(declare.place)
    ] = None,
    how: Mapping,
    grid: Annotated[int | None, Option(help="Most thresholds to try.")] = None,
    resamples: Annotated[
        int,
        Option(help="Bootstrap samples of topics for intervals; 0: none."),
        Passes(within(least=0)),
    ] = 1000,
    plot: declare.Plot = None,
    cite: declare.Cite = False,
    json: declare.Json = False,
) -> None:
    """Which thresholds convert a fine scale to grades, and can they be trusted?

    Every set of thresholds is tried, by every method that the data serve; or apply given ones,
    equal widths or quantiles.

    Example: regrade cut model.csv --levels 4 --reference qrels.txt --out cut.qrels
    """
    from regrade.command.output import print_answer, print_frame, print_json, save_plot

    rules = [rule for rule, is_chosen in (("equal", equal), ("quantiles", quantiles)) if is_chosen]
    rules += ["at"] if at is not None else []
    if len(rules) > 1:
        raise ParameterError(f"--{rules[0]} and --{rules[1]} are two sets of thresholds: give one")
    if rules and per_topic:
        raise ParameterError(f"--per-topic searches thresholds, and --{rules[0]} gives them")
    if rules and reference is None and (method or grid is not None):
        searching = "--method" if method else "--grid"
        raise ParameterError(f"{searching} belongs to a search: give --reference, or leave it out")
    if rules and reference is None and plot is not None:
        raise ParameterError("--plot shows the agreement of thresholds: give --reference")
    if not rules:
        regrade.find_cuts.check(levels=levels or 2, **({} if grid is None else {"grid": grid}))
    if runs and reference is None:
        raise ParameterError(
            "--runs compares systems under --reference and under the cut: give --reference"
        )
    if measures is not None:
        parse_all(measures.split())
    labels = arguments.reference_of(reference, how)
    source = arguments.read_beside(
        labels, how, partial(arguments.labels_of, judgments, "set", one_scale=True)
    )
    user_cut = None
    if rules:
        user_cut = regrade.cut_at(source, rules[0] if at is None else at, levels)
        levels = len(user_cut.thresholds) + 1
        if out is not None:
            user_cut.to_qrels(out)
        if reference is None:
            if json:
                print_json({"answer": user_cut.answer.to_dict(), "grades": user_cut.grades})
                return
            if cite:
                print(user_cut.answer.methods_sentence())
                return
            print_answer(user_cut.answer)
            if out is not None:
                print(f"grades: {out}")
            return
    cuts = regrade.find_cuts(source, levels or 2, labels, grid=grid, threads=cores())
    chosen = cuts.best if method is None else cuts.of(method)
    tables = {"methods": cuts.to_frame()}
    if resamples:
        tables["intervals"] = cuts.intervals(resamples, methods=[chosen.method])
    if per_topic:
        tables["per_topic"] = cuts.per_topic(chosen.method)
    applied = cuts.apply(method=chosen.method) if user_cut is None else user_cut.labels
    if out is not None and user_cut is None:
        cuts.apply(method=chosen.method, per_topic=per_topic).to_qrels(out)
    ranked = arguments.read_runs(runs, **how)
    measures = measures or "nDCG@10"
    options_of_cut = {"method": chosen.method, "resamples": resamples, "per_topic": per_topic}
    options_of_cut["fixed"] = user_cut.thresholds if user_cut else ()
    answer = cuts.answer(ranked, str(parse_all(measures.split())[0]), **options_of_cut)
    if plot is not None:
        save_plot(cuts, plot)
    if cite:
        print(answer.methods_sentence())
        return
    if json:
        best = {"answer": answer.to_dict(), "best": list(chosen.thresholds)}
        if runs:
            compared = regrade.compare(labels, applied, ranked, measures, same_scale=True)
            tables["comparison"] = compared.tables
        print_json(best | tables)
        return
    print_answer(answer)
    titles = {
        "methods": "Optimum of each method, with α on the same topics:",
        "per_topic": f"Thresholds of each topic ({chosen.method}), with α on the same and on "
        "held-out documents, and of the common thresholds (single):",
    }
    if len(tables["methods"]) == 1:
        del tables["methods"]  # the answer has it
    for name, frame in tables.items():
        if name in titles:
            print_frame(frame.dropna(axis="columns", how="all"), titles[name])
    if out is not None:
        print(f"grades: {out}")

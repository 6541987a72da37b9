"""What the report's explorer needs to find the criteria of any cut."""

from regrade.aggregation import aggregate
from regrade.catalogue import ALL_TOPICS, summary_columns
from regrade.codes import CodedRuns
from regrade.cutsearch.explorer_page import bests, packed_page, packed_search, packed_systems
from regrade.cutsearch.sources import SearchInput
from regrade.errors import MethodError
from regrade.packing import Buffer
from regrade.tables import atomic_path, read_table
from regrade.workflow.job import job, request_of

with job(snakemake) as log:
    inputs, params = snakemake.input, request_of(snakemake)
    source = SearchInput.read(inputs, params)
    judgments, topics = source.judgments, source.topics()
    best = read_table(inputs.best_cuts, "cuts/best_cuts").to_pandas()
    plateau = read_table(inputs.plateau, "cuts/plateau").to_pandas() if inputs.plateau else None
    buffer = Buffer()
    searches, left_out, columns = [], {}, summary_columns(params.levels)
    for item, path in zip(params.searches, inputs.alpha, strict=True):
        plan = topics.plan(**source.arguments(item))
        try:
            alpha = read_table(path, "cuts/alpha", columns=columns).to_pandas()
            drawn = item["label"], alpha, best, plateau
            searches.append(packed_search(buffer, plan, *drawn))
        except MethodError as error:
            name = f"{item['method']}@{item['label']}" if item["label"] else item["method"]
            log.info("%s is not explored: %s", name, error)
            left_out[name] = str(error)
    systems, thresholds = None, topics.thresholds(params.levels, params.grid)
    if inputs.runs:
        names = judgments["topic"].unique().to_pylist()
        ranked = CodedRuns(inputs.runs).ranked(names, scores=True, submitted_ranks=True)
        tables = [read_table(path, "qrels") for path in inputs.experts]
        graded = zip(tables, params.experts.values(), strict=True)
        experts = dict(zip(params.experts, graded, strict=True))
        cut = aggregate(judgments, params.aggregate["source"])
        rest = thresholds, params.levels, params.measure, best, params.score_precision
        try:
            systems = packed_systems(buffer, ranked, cut, experts, *rest)
        except MethodError as error:
            left_out["the ranking of the systems"] = str(error)
    start = None
    if params.start:
        of_start = bests(best, params.start["method"], params.start["label"], thresholds)
        start = of_start[ALL_TOPICS]["cut"] if ALL_TOPICS in of_start else None
    about = {key: getattr(params, key) for key in ("name", "levels", "metric", "undefined")}
    about |= {"scale": source.scale, "thresholds": thresholds, "start": start}
    text = packed_page(buffer, searches, systems, **about, left_out=left_out)
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(text, encoding="utf-8")

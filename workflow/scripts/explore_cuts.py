"""What the report's explorer needs to find the criteria of any cut."""

from job import job

from regrade.aggregation import aggregate
from regrade.codes import CodedRuns
from regrade.cutsearch.search import how_to_search, prepare
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import MethodError
from regrade.scales import Scale
from regrade.schemas import summary_columns
from regrade.show.explorer import Explored, explored_search, explored_systems, packed
from regrade.tables import atomic_path, read_table
from regrade.trust.asked import source_values

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    judgments, scale = read_table(given.judgments), Scale.of(params.scale)
    pool = read_table(given.pool) if given.pool else None
    tables = [read_table(path, "qrels") for path in given.references]
    labels = dict(zip(params.references, tables, strict=True))
    best = read_table(given.best_cuts, "cuts/best_cuts").to_pandas()
    plateau = read_table(given.plateau, "cuts/plateau").to_pandas() if given.plateau else None
    options = how_to_search(params) | {"pool": pool}
    searches, left_out, columns = [], {}, summary_columns(params.levels)
    for asked, path in zip(params.searches, given.alpha, strict=True):
        reference = labels.get(asked["reference"])
        options["unjudged"] = asked["unjudged"]
        prepared = prepare(judgments, scale, params.levels, asked["method"], reference, **options)
        try:
            alpha = read_table(path, "cuts/alpha", columns=columns).to_pandas()
            found = asked["label"], alpha, best, plateau
            searches.append(explored_search(prepared, *found))
        except MethodError as error:
            name = f"{asked['method']}@{asked['label']}" if asked["label"] else asked["method"]
            log.info("%s is not explored: %s", name, error)
            left_out[name] = str(error)
    systems, values = None, source_values(judgments)
    thresholds = Thresholds.of(scale, params.levels, values, params.grid)
    if given.runs:
        ranked = CodedRuns(given.runs).ranked(judgments["topic"].unique().to_pylist())
        tables = [read_table(path, "qrels") for path in given.experts]
        experts = dict(zip(params.experts, tables, strict=True))
        cut = aggregate(judgments, params.aggregate["source"], repeats=params.repeats)
        rest = thresholds, params.levels, params.measure, best, params.experts
        try:
            systems = explored_systems(ranked, cut, experts, *rest)
        except MethodError as error:
            left_out["the ranking of the systems"] = str(error)
    about = params.name, params.levels, params.metric, params.undefined, scale, thresholds
    page = Explored(*about, searches, systems, left_out)
    with atomic_path(snakemake.output[0]) as temporary:
        temporary.write_text(packed(page), encoding="utf-8")

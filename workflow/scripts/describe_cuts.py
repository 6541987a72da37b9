"""Groups of cuts, widths of levels, thresholds by several references, α on the source scale."""

import pandas as pd

from regrade.catalogue.arrow import SCHEMAS
from regrade.cutsearch.groups import cut_groups, relevant_shares, width_correlations
from regrade.cutsearch.internal_agreement import internal_agreement, methods_of, source_alpha
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.reference_tests import reference_tests
from regrade.cutsearch.source_comparisons import single_cut
from regrade.scales import Scale
from regrade.tables import PerCut, read_table, write_table
from regrade.workflow.job import asked, job, parameters

with job(snakemake):
    given, made, params = snakemake.input, snakemake.output, asked(snakemake)
    made_by = parameters(snakemake)
    judgments, scale = read_table(given.judgments), Scale.of(params.scale)
    best_cuts, of_single, every = {}, {}, {}
    for search, best_path, path in zip(params.searches, given.best_cuts, given.alpha, strict=True):
        name = search["name"]
        every[name] = PerCut(path, "cuts/alpha")
        best_cuts[name] = read_table(best_path, "cuts/best_cuts").to_pandas()
        of_single[name] = best_cuts[name], every[name].at(single_cut(best_cuts[name]))
    names = ("groups", "group_counts", "widths")
    parts = {name: [SCHEMAS[f"cuts/{name}"].empty_table().to_pandas()] for name in names}
    for search in params.searches:
        alpha, about = every[search["name"]], (search["method"], search["label"])
        found = cut_groups(alpha, *about, scale)
        for name in names:
            parts[name].append(found[name])
    for name in names:
        write_table(pd.concat(parts[name]), made[name], f"cuts/{name}", made_by)
    shares = {
        name: relevant_shares(judgments, read_table(path, "qrels"))
        for name, path in zip(params.labels, given.labels, strict=True)
    }
    correlations = width_correlations(pd.concat(parts["widths"]), shares)
    write_table(correlations, made.width_correlations, "cuts/width_correlations", made_by)
    best = pd.concat([SCHEMAS["cuts/best_cuts"].empty_table().to_pandas(), *best_cuts.values()])
    write_table(reference_tests(best), made.reference_tests, "cuts/reference_tests", made_by)
    how = AlphaOptions.of(params)
    source = {name: source_alpha(judgments, scale, name, how) for name in methods_of(best_cuts)}
    internal = internal_agreement(source, of_single, how.metric)
    write_table(internal, made.internal, "cuts/internal", made_by)

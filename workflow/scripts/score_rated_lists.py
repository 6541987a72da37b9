"""Score lists that assessors rated by two criteria, under every convention."""

from regrade.criteria.conventions import (
    conventions,
    divergent_results,
    list_correlations,
    list_scores,
    list_weights,
    tie_ranges,
)
from regrade.criteria.desiderata import desiderata
from regrade.readers.rated_lists import read_rated_lists
from regrade.scales import Scale
from regrade.tables import write_tables
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params = snakemake.params
    scale = Scale.of(params.scale)
    lists = read_rated_lists(snakemake.input[0], params.fields, params.criteria, scale)
    results = lists.drop_duplicates(["topic", "assessor", "rank"])
    again = results.duplicated(["topic", "assessor", "docno"]).sum()
    log.info("%d rated results; %d are a document again in its list", len(results), again)
    relevant_from = [scale.value(grade) for grade in params.relevant_from]
    scores = list_scores(lists, relevant_from[0], scale.low)
    made = {
        "lists": lists,
        "scores": scores,
        "conventions": conventions(lists, relevant_from, scale.low),
        "correlations": list_correlations(scores),
        "examples": divergent_results(lists, scores, scale.low, scale.high),
        "ties": tie_ranges(lists),
        "weights": list_weights(lists),
        "desiderata": desiderata(),
    }
    write_tables(made, snakemake.output, "rated-lists", parameters(snakemake))

"""Documents and systems ranked by subsets of the pairs."""

from regrade.codes import CodedRuns
from regrade.preferences.gains import gain_rankings, with_highest
from regrade.preferences.posterior import recorded
from regrade.preferences.subsets import Drawing, needed_pairs, subset_table, summarise
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    topics = recorded(read_table(given.answers, "preferences"))
    spread = read_table(given.judges, "pair-budgets/judges")["spread"][0].as_py()
    labels = [read_table(path, "qrels") for path in given.references]
    references = with_highest(params.highest, labels)
    ranked = CodedRuns(given.runs).ranked() if given.runs else None
    rankings = gain_rankings(ranked, topics, params.measures, references)
    keys = ("shares", "repeats", "seed")
    drawing = Drawing(spread=spread, **{key: params[key] for key in keys})
    subsets = subset_table(topics, drawing, rankings, snakemake.threads)
    log.info("%d rankings by subsets of pairs", len(subsets))
    made = {
        "subsets": summarise(subsets),
        "needed": needed_pairs(subsets),
    }
    write_tables(made, snakemake.output, "pair-budgets", parameters(snakemake))

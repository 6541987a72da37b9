"""Design a task of pairs: its tables, and the files that crowd platforms take."""

from regrade.preferences.design import Task, row_per_pair, row_per_unit
from regrade.preferences.tasks import (
    design_from_sets,
    pool_of_topics,
    pseudo_pairs,
    row_per_test,
    unit_table,
)
from regrade.show.published import write_csv
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters


def read(path):
    """A set of labels or judgments."""
    return read_table(path, "judgments" if "/judgments/" in path else "qrels")


with job(snakemake):
    given, params, made = snakemake.input, snakemake.params, snakemake.output
    design = design_from_sets(
        pool_of_topics(read(given.pool), params.topics),
        read(given.known),
        params.relevant,
        params.not_relevant,
        task=Task(**params.asked),
        serves=params.serves,
        seed=params.seed,
    )
    tests = pseudo_pairs(design.topics["topic"], params.pseudo, params.seed)
    tables = {
        "topics": design.topics,
        "documents": design.documents,
        "units": unit_table(design),
        "pairs": design.pairs,
        "tests": tests,
    }
    write_tables(tables, made, "pair-tasks", parameters(snakemake))
    write_csv(row_per_pair(design.pairs), made.pairs_csv)
    write_csv(row_per_unit(design.pairs), made.units_csv)
    write_csv(row_per_test(tests), made.tests_csv)

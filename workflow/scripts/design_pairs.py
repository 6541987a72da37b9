"""Design a task of pairs: its tables, and the files that crowd platforms take."""

from job import job, parameters

from regrade.preferences.design import Task, row_per_pair, row_per_unit
from regrade.preferences.tasks import design_from_sets, pseudo_pairs, row_per_test, unit_table
from regrade.show.beside import write_csv
from regrade.tables import read_table, write_table


def read(path):
    """A set of labels or judgments."""
    return read_table(path, "judgments" if "/judgments/" in path else "qrels")


with job(snakemake) as log:
    given, params, made = snakemake.input, snakemake.params, snakemake.output
    design = design_from_sets(
        read(given.pool),
        read(given.known),
        params.relevant,
        params.not_relevant,
        padding=read(given.padding),
        topics=params.topics,
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
    for name, table in tables.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, made[name], f"pair-tasks/{name}", parameters(snakemake))
    write_csv(row_per_pair(design.pairs), made.pairs_csv)
    write_csv(row_per_unit(design.pairs), made.units_csv)
    write_csv(row_per_test(tests), made.tests_csv)

"""Units of magnitudes checked, their values normalised, one magnitude per document."""

from job import job, parameters

from regrade.magnitudes.documents import document_table, normalised_table
from regrade.magnitudes.normalising import shifted
from regrade.magnitudes.units import (
    kept_judgments,
    known_documents,
    topic_table,
    unit_table,
    width_counts,
    width_quantiles,
)
from regrade.tables import read_table, write_tables

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    judgments = shifted(read_table(given.judgments, "judgments"), params.shift)
    known = known_documents(
        judgments,
        read_table(given.known, "qrels") if given.known else None,
        read_table(given.reference[0], "qrels") if given.reference else None,
    )
    for row in known[known["reason"].notna()].itertuples():
        log.warning("topic %s has no known documents: %s", row.topic, row.reason)
    units = unit_table(
        judgments,
        known,
        leave_out=params.leave_out,
        extremes=params.extremes,
    )
    failed = units["problems"].notna()
    log.info("%d of %d units fail a check", failed.sum(), len(units))
    log.info("%d units are left out", (~units["kept"]).sum())
    normalised = normalised_table(kept_judgments(judgments, units), params.normalise)
    made = {
        "units": units,
        "topics": topic_table(units, judgments, known),
        "widths": width_counts(units),
        "width_quantiles": width_quantiles(units),
        "normalised": normalised,
        "documents": document_table(normalised),
    }
    write_tables(made, snakemake.output, "magnitudes", parameters(snakemake))

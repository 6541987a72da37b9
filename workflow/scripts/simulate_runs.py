"""Make run files of simulated systems that rank the documents of real labels."""

from regrade.simulation.collection import RunParameters, simulate_runs, write_runs
from regrade.tables import read_table
from regrade.workflow.job import job

with job(snakemake):
    labels = [read_table(path, "qrels") for path in snakemake.input]
    runs = simulate_runs(labels, RunParameters.from_dict(snakemake.params.parameters))
    write_runs(runs, snakemake.output[0])

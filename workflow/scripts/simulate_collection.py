"""Make a small collection from nothing: run files and qrels."""

from pathlib import Path

from regrade.simulation.collection import (
    CollectionParameters,
    simulate_collection,
    write_collection,
)
from regrade.workflow.job import job

with job(snakemake):
    collection = simulate_collection(CollectionParameters.from_dict(snakemake.params.parameters))
    write_collection(collection, Path(snakemake.output.qrels).parent)

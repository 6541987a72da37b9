"""Simulate a crowd's answers about the pairs of a task."""

from regrade.codes import CodedRuns
from regrade.readers.rows import keep_topics
from regrade.scales import Scale, signed
from regrade.simulation.answers import AnswerParameters, simulate_answers
from regrade.simulation.pool import SimulationParameters
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    inputs, params = snakemake.input, snakemake.params
    task = {
        name: read_table(inputs[name], f"pair-tasks/{name}").to_pandas()
        for name in ("pairs", "tests")
    }
    topics = task["pairs"]["topic"].astype(str).unique().tolist()
    table = simulate_answers(
        CodedRuns(inputs.runs).ranked(topics, submitted_ranks=True),
        keep_topics(read_table(inputs.base, "qrels"), topics, inputs.base),
        task,
        params.name,
        SimulationParameters.from_dict(params.simulation),
        AnswerParameters.from_dict(params.crowd),
        judges=params.judges,
        scale=signed(Scale.of(params.scale)),
        base=Scale.of(params.base_scale),
    )
    log.info("simulated %d answers", table.num_rows)
    made_by = {"simulated": True, **parameters(snakemake)}
    write_table(table, snakemake.output[0], "preferences", made_by)

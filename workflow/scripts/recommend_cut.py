"""The cut to use for all topics: how well it agrees, what it does to the systems, in sentences."""

import pandas as pd

from regrade.aggregation import Aggregation, source_values
from regrade.answers.words import read_said
from regrade.catalogue import columns_of, summary_columns
from regrade.choices import SURENESS_TABLES
from regrade.codes import CodedRuns
from regrade.cutsearch.answer import answer_of, no_answer, no_search
from regrade.cutsearch.labels import of_search
from regrade.cutsearch.recommended import ChosenCut, recommended, systems_under
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.evaluations.compare_sets import LabelSet
from regrade.scales import Scale
from regrade.tables import read_provenance, read_table, write_tables
from regrade.workflow.job import asked, job, parameters

with job(snakemake):
    given, made, params = snakemake.input, snakemake.output, asked(snakemake)

    def searched(table):
        """Rows of the search."""
        rows = read_table(given[table], f"cuts/{table}").to_pandas()
        return of_search(rows, params.search["method"], params.search["label"])

    judgments, scale = read_table(given.judgments), Scale.of(params.scale)
    values, levels = source_values(judgments), params.how["levels"]
    thresholds = Thresholds.of(scale, levels, values, params.grid)
    systems = pd.DataFrame(columns=columns_of("cuts/recommended_systems"))
    try:
        if params.search is None:
            raise ParameterError(no_search(params.unserved))
        how = levels, Aggregation.of(params.how)
        chosen = ChosenCut.of(searched("best_cuts"), thresholds, scale, values, *how)
    except ParameterError as error:
        numbers = pd.DataFrame(columns=columns_of("cuts/recommended"))
        answer = no_answer(params.source, levels, str(error))
    else:
        labels = chosen.labels(judgments)
        names = SURENESS_TABLES if given.bootstrap else ()
        columns = None if names else summary_columns(levels)  # of topics only what was left out
        alpha = read_table(given.alpha, "cuts/alpha", columns=columns).to_pandas()
        trusted = {name: searched(name) for name in names} or None
        numbers = recommended(chosen, alpha, labels, trusted)
        if given.runs:
            topics = judgments["topic"].unique().to_pylist()
            ranked = CodedRuns(given.runs).ranked(topics, scores=True, submitted_ranks=True)
            sides = {name: LabelSet(name, table, levels - 1) for name, table in labels.items()}
            sets = zip(params.experts.items(), given.experts, strict=True)
            experts = [LabelSet(one, read_table(path, "qrels"), high) for (one, high), path in sets]
            rest = params.measure, None, params.score_precision
            more, systems = systems_under(sides, experts, ranked, *rest)
            numbers = pd.concat([numbers, more], ignore_index=True)
        answer = answer_of(chosen, numbers, systems, source=params.source, measure=params.measure)
    read = read_provenance(given.judgments)["parameters"]
    answer = answer.with_warnings(read_said(params.source, read))
    tables = {"recommended": numbers, "recommended_systems": systems, "answer": answer.to_frame()}
    write_tables(tables, made, "cuts", parameters(snakemake))

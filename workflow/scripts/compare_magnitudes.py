"""Magnitudes beside labels: levels, order of pairs, discordant documents, gains."""

import pandas as pd
from job import job, parameters

from regrade.magnitudes.discordant import discordant_documents, said_of
from regrade.magnitudes.gains import gain_boxes, gain_profiles, gain_ratios
from regrade.magnitudes.levels import exceptions, level_boxes, level_tests
from regrade.magnitudes.pairs import PairComparison, pair_agreement, pair_intervals
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    units, topics, normalised, documents = (
        read_table(given[name], f"magnitudes/{name}")
        for name in ("units", "topics", "normalised", "documents")
    )
    levels = dict(params.levels)
    tables = [read_table(path, "qrels") for path in given.references]
    labels = dict(zip(levels, tables, strict=True))
    comparison = PairComparison(documents, labels, levels, next(iter(levels)), params.aggregate)
    drawn = {"resamples": params.resamples, "seed": params.seed}
    how = {"aggregate": params.aggregate}
    tests = level_tests(documents, labels, levels)
    made = {
        "levels": [level_boxes(documents, labels, levels)],
        "level_tests": [tests],
        "exceptions": [exceptions(tests)],
        "agreement": [pair_agreement(comparison)],
        "share_intervals": [pair_intervals(comparison, normalised, **drawn)],
    }
    for name in levels:
        beside = {"labels": labels, "levels": levels, "reference": name}
        discordant = discordant_documents(documents, normalised, **beside, **how)
        profiles, likelihoods = gain_profiles(normalised, **beside, seed=params.seed)
        parts = {
            "discordant": discordant,
            "said": said_of(discordant, normalised, labels),
            "gains": gain_boxes(normalised, units, topics, **beside),
            "gain_ratios": gain_ratios(documents, **beside, **how),
            "gain_profiles": profiles,
            "gain_likelihoods": likelihoods,
        }
        for table, part in parts.items():
            made.setdefault(table, []).append(part)
    for name, parts in made.items():
        table = pd.concat(parts, ignore_index=True)
        write_table(table, snakemake.output[name], f"magnitudes/{name}", parameters(snakemake))

"""Pairs of systems under whole sets of judgments: a table and a figure of the study `compare`."""

from __future__ import annotations

from regrade.studies.items import read_items

ITEMS = """
[]
table-significance: Pairs of systems that differ significantly under each whole set of judgments, %
    shows significance/ratios
    keys pairs measure test qrels
    decimals 1
figure-significance: p-values of all pairs of systems in order, under each whole set of judgments
    shows significance/curve
    settings significance=pair_tests.significance
"""

SIGNIFICANCE = read_items(ITEMS, {}, package=__package__)

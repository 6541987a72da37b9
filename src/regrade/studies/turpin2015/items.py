"""The tables and figures of turpin2015, and some that go past it."""

from __future__ import annotations

from regrade.studies.items import (
    OF_THE_PAPER,
    Study,
    choice,
    count,
    one_of,
    one_or_none,
    read_items,
)

OPTIONS = {
    "set": one_of("magnitudes", "Which magnitudes."),
    "reference": one_or_none(
        "The labels to compare magnitudes with; absent or null, all of the stage's.",
        names="references of magnitudes",
    ),
    "aggregate": choice(
        "median geometric_mean",
        "median",
        "Aggregation of a document's magnitudes; the paper's is the median.",
    ),
    "resampled": choice("topics documents units", "topics", "Resampled units of the intervals."),
    "least": count(4, "Units that a bar must have to be shown; the others are counted."),
}

ITEMS = """
[]
    in magnitudes/{set}
table-1: Table 1. Topics, documents, units, H_k, N_k, clicks back and failed attempts
    shows topics
    keys topic quantity
table-2: Table 2. τ_b of rankings of systems under levels as gains and under mapped levels
    shows mappings
    keys reference over mapping measure
    decimals 4
table-3: Table 3. τ_b and overlap of top sets under magnitudes of narrow, all and wide units
    shows rankings intervals
    options resampled
    keys reference over quantity measure gains
    decimals 0; tau 3; overlap 0
table-exceptions: Differences of magnitudes between levels, and topics that are exceptions (§4.1)
    shows level_tests exceptions
    keys reference aggregate topic levels quantity
    decimals 0; p 3; cases 0; undefined 0; exceptions 0
    has_bounds
table-agreement: Pairs of documents that two sets order alike, % (the averages of Figure 3)
    shows agreement share_intervals
    options resampled
    keys by first second topic ties levels
table-widths: Widths of units by definition
    shows width_quantiles
    keys width_of topic quantity
table-gains: Gains by level, their ratios, and how likely profiles make documents unseen
    shows gains gain_ratios gain_profiles gain_likelihoods
    keys reference profile topic quantity level
    decimals 2; ratio 1
table-discordant: Documents whose magnitudes and labels differ most, with labels and judgments
    shows discordant said
    options reference
table-intervals: Standard deviations of τ_b and of overlaps of top sets, and 95 % intervals of τ_b
    shows intervals
[]
table-cuts: Best agreement with experts of cut magnitudes and of another scale, cut
    shows cut-comparisons/agreement
[]
    in magnitudes/{set}
    options reference
figure-1: Documents' magnitudes by the level that a reference gives them
    shows levels
    options aggregate
figure-2: Documents' magnitudes by level, each topic
    shows levels
    options aggregate
figure-3: Agreement of two sets on the order of pairs of documents, by the pair's levels
    shows agreement
[systems]
    in magnitudes/{set}
    options reference
figure-4: The runs' scores under a reference and under magnitudes as gains
    shows systems rankings
figure-5: Merged systems' scores under a reference and under magnitudes as gains
    shows systems rankings
figure-6: τ_b of rankings under one judgment per document, drawn many times
    shows sample_quantiles
[]
    in magnitudes/{set}
figure-7: Units by their width
    shows widths width_quantiles
    options least
[]
    in magnitudes/{set}
    options reference
figure-8: Magnitudes over that of N_k by level, with linear and exponential gains
    shows gains
figure-9: Ratios of magnitudes of documents of two levels
    shows gain_ratios
figure-profiles: Gains by level: fitted to magnitudes, linear and exponential
    shows gain_profiles
[systems]
    in magnitudes/{set}
    options reference
figure-populations: Pairs of systems by how many simulated users order them alike
    shows orders unanimity systems
figure-per-document: τ_b by how many judgments a document gets
    shows per_document
"""

TURPIN2015 = Study(
    "turpin2015",
    "Turpin, Scholer, Mizzaro, Maddalena: The Benefits of Magnitude Estimation Relevance "
    "Assessments for Information Retrieval Evaluation. SIGIR 2015.",
    published=OF_THE_PAPER,
    items=read_items(ITEMS, OPTIONS, package=__package__),
)

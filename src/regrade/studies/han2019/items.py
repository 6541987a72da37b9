"""The tables and figures of han2019, and some that go past it."""

from __future__ import annotations

from regrade.studies.items import OF_THE_PAPER, Study, choice, one_of, read_items, some_or_all

OPTIONS = {
    "transformation": one_of("transformations", "Its name."),
    "transformations": some_or_all(
        "transformations", "Their names; absent or null, all of the collection's."
    ),
    "transformations:trusted": some_or_all(
        "transformations", "Transformations; absent or null, all that are under `trust`."
    ),
    "panels": {
        "type": "array",
        "names": "searches",
        "minItems": 1,
        "items": {"type": "string"},
        "description": "Methods, those with a reference as in `h2@TR2_a`.",
    },
    "topics": {
        "type": "array",
        "minItems": 1,
        "items": {"type": "string"},
        "description": "Topics; `*`: cuts by the mean over topics.",
    },
    "expert": one_of("experts", "The labels to compare rankings with."),
    "reference": one_of("labels of references", "Reference of the criteria, as in `So4_a`."),
    "searches": some_or_all(
        "searches", "Searches, as in `h2@TR2_a`; absent or null, all that are under `trust`."
    ),
    "searches:judges": some_or_all(
        "searches", "Searches, as in `h2@TR2_a`; absent or null, all that are under `per_judge`."
    ),
    "by": {
        "enum": ["workers", "topics", "transformations", "collections"],
        "description": "Units whose cuts are transferred to each other.",
    },
    "drawn": choice(
        "documents workers",
        "documents",
        "Whether each document has judges of its own, or the same judge all.",
    ),
}

ITEMS = """
table-1: Table 1. The sets, and how many of the pool's documents each has
    shows overlaps/sets
    keys set quantity
    decimals 1; documents 0; levels 0
table-2: Table 2. Transformations and methods
    shows cuts/{transformations}/best_cuts
table-3: Table 3. α between experts' labels, cut into two levels, and other experts'
    shows expert-cuts/agreement expert-cuts/topics
    keys source reference documents cut
    decimals 3
table-topics: §4.1.1. α of each cut of experts' labels, topic by topic
    shows expert-cuts/topics
    keys source reference quantity
table-4: Table 4. τ_b with the experts' ranking of systems, under the best cuts
    shows rankings/{transformations} cuts/{transformations}/best_cuts
    settings transformations
    keys source levels method reference selection expert quantity threshold
    decimals 2; cut 0
table-internal: §3.2. Agreement of workers on the scale they used, and under the best cuts
    shows cuts/{transformations}/internal
    settings transformations
table-ends: §4.2. Mean α under the lowest, the highest and the best cut into two levels
    shows cuts/{transformation}/best_cuts cuts/{transformation}/{panels}/alpha
    settings source levels
    keys source levels method reference quantity
    decimals 2; lowest cut 0; highest cut 0; best cut 0
[]
    in cuts/{transformations}
    settings transformations
table-references: §4.3.1. Thresholds of topics' best cuts by two references
    shows reference_tests
    keys source levels method first second threshold quantity
    decimals 3
    has_bounds
table-widths: §4.3.2. Mean widths of cuts, and Pearson's r with the share of relevant documents
    shows width_correlations widths
    keys source levels method reference group labels quantity
    decimals 2
    has_bounds
table-pooled: Footnote 1. One search over all judgments, and the highest mean over topics
    shows pooled
[]
    in cuts/{transformation}
    shows best_cuts top_cuts tied_cuts {panels}/alpha
    settings source
figure-1: α of the few cuts of a small scale into two levels, per topic
figure-2: As figure-1; in the paper, with a crowd's reference and tw1
    like figure-1
figure-3: α of every cut of a large scale into two levels, per topic
figure-4: As figure-3; in the paper, with a crowd's reference and tw1
    like figure-3
figure-5: α of every cut into two levels, over the whole collection
figure-6: Thresholds of the cuts with the highest α, into three or four levels
figure-7: As figure-6; in the paper, with experts, documents not judged left out
    like figure-6
figure-8: As figure-6; in the paper, with experts, unjudged documents non-relevant
    like figure-6
figure-9: As figure-6; in the paper, with a crowd's reference
    like figure-6
[]
    in cuts/{transformation}
    settings source levels
figure-10: Thresholds of the best, the median and the worst cuts, for some topics
    shows group_counts
    options panels topics
figure-groups: Thresholds of the best, the median and the worst cuts, by every method
    shows groups
[]
    in cuts/{transformation}
figure-experts: α of the cuts of experts' labels into two levels, per topic
    shows best_cuts top_cuts tied_cuts {panels}/alpha
    settings source
[tau]
figure-tau: τ_b of every cut, and of the best ones
    shows rankings/{transformations} cuts/{transformations}/tau@{experts}/tau
    settings transformations
figure-tau-topics: τ_b of each topic's ranking under every cut and under chosen ones
    shows cuts/{transformation}/tau_topics
    options expert panels
    settings source levels
[]
table-criteria: The cut that each criterion selects, and its value by the others
    shows cuts/{transformation}/picked
    options reference
    settings levels
[criteria]
    in cuts/{transformation}
    options reference
    settings source levels
figure-criteria: The cut that each criterion selects, and the share of better cuts by the others
    shows picked
figure-pareto: α and τ_b of every cut, the Pareto-optimal cuts, and the cuts selected by criteria
    shows criteria fronts picked
    options expert
    settings metric
[]
table-levels: Number of levels: α of the best cuts into 2 to 7, and chosen on other topics
    shows cuts/{transformation}/levels
[criteria]
figure-levels: Number of levels: α, held out, and τ_b of the best cuts into 2 to 7
    shows cuts/{transformation}/levels cuts/{transformation}/levels_tau
    settings source
[trust]
    in cuts/{transformation}
    options searches
    settings source levels
table-trust: The best cut for all topics: its uncertainty and its held-out value
    shows bootstrap gains held_out plateau_effects
[trust]
    in cuts/{transformations}
    options transformations:trusted
    settings transformations
table-sure: Uncertainty of the one cut for all topics, by scale, and the cost of others
    shows bootstrap gains held_out plateau_effects
figure-sure: Best cut of each scale, its bootstrap range and its plateau
    shows bootstrap plateau_effects
[trust]
    in cuts/{transformation}
    options searches
    settings source levels
table-held-out: Held-out α and τ_b of cuts
    shows held_out
figure-plateau: Cuts not significantly worse than the best, and the best cuts of bootstrap samples
    shows bootstrap plateau_effects
figure-chosen: Cuts chosen in bootstrap samples
    shows chosen bootstrap
figure-held-out: α where a cut is chosen, and held out
    shows held_out
table-unlabelled: Cuts that rules choose for topics without labels, judged by the labels
    shows unlabelled
figure-unlabelled: Loss of cuts chosen without labels against each topic's best
    shows unlabelled
figure-budget: Loss of cuts chosen by few labels against the best
    shows budget
[trust]
    in cuts/{transformation}
    settings source levels
table-judges: Each judge's own cut and the cut of all others
    shows judges
    options searches:judges
figure-judges: Each judge's own cut and the others' cuts, on held-out data
    shows judges
    options searches:judges
table-transfer: Loss of a cut where another uses it
    shows transfer
    options searches:judges
figure-transfer: Loss of a cut where another uses it
    shows transfer
    options searches:judges by
table-aggregated: Many judges' labels as one, before and after cutting
    shows aggregated
table-fewer: Effect of fewer judges per document
    shows fewer
    options searches:judges
figure-fewer: α and τ_b by how many judgments are paid for
    shows fewer
    options searches:judges drawn
"""

HAN2019 = Study(
    "han2019",
    "Han, Roitero, Maddalena, Mizzaro, Demartini: On Transforming Relevance Scales. CIKM 2019.",
    published=OF_THE_PAPER,
    items=read_items(ITEMS, OPTIONS, package=__package__),
)

"""The tables and figures of yang2019, chapters 3 to 5, and some that go past it."""

from __future__ import annotations

from regrade.choices import REPLICATES
from regrade.studies.items import Study, one_of, read_items
from regrade.studies.yang2019.pairs_items import PAIRS

OPTIONS = {
    "measure": {"type": "string", "description": "The measure to show, of those under `ties`."},
    "measure:ap": {
        "type": "string",
        "description": "The measure to show, of those under `ties`.",
        "default": "AP",
    },
    "rho": {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "description": "The ρ to show, of those under `ties`.",
    },
    "set:task": one_of("pair_tasks", "Which task."),
    "set:pairs": one_of("pairs", "Which preferences."),
    "set:budget": one_of("pair_budgets", "Which preferences."),
}

NOTES = {"replicates": REPLICATES}

CHAPTERS = """
table-3.2: Table 3.2. Ties and rank contradictions, % of all, and the rank of the first tie
    shows ties/rates
    keys affected quantity
    decimals 0; systems 1; rankings 1; documents 1
table-3.3: Table 3.3. The most that a score can lose where ranks are banded by ρ
    shows ties/bounds
    keys rho measure
    decimals 4
table-3.4: Table 3.4. Systems whose banded scores are significantly above a share of the original
    shows ties/non_inferior
    keys rho fraction measure
[ties]
figure-3.4: Each system's score range over the orders of tied documents; 3.5 is another
        collection's
    shows ties/ranges
    options measure:ap
    filters measure
[ties]
    shows ties/banded
    options rho
    filters rho
    caption banding
figure-3.6: Score differences of banded rankings by ρ, small values
figure-3.7: Score differences of banded rankings by ρ, large values
[ties]
    shows ties/p_values ties/quadrants
    options measure rho
    filters measure rho
    settings significance=pair_tests.significance
    caption p-values-of-bands
figure-3.8: p-values of all pairs of systems without and with bands; in the thesis, RR
figure-3.9: p-values of all pairs of systems without and with bands; in the thesis, RBP(p=0.5)
figure-3.10: p-values of all pairs of systems without and with bands; in the thesis, RBP(p=0.85)
figure-3.11: p-values of all pairs of systems without and with bands; in the thesis, AP
[]
table-4.1: Table 4.1. The collection and its judgments
    shows pools/collection
    keys quantity
    decimals 0; judged documents per topic 1; relevant documents per topic 1; rank of the first
        unjudged document 1
table-4.2: Table 4.2. Correlation of rankings by a measure and by RBP at the nearest φ, by topic
    shows residuals/nearest_summary
    keys measure coefficient quantity
    decimals 0; tau 3; p 4; mean_phi 3
    has_bounds
table-4.3: Table 4.3. Reduced qrels
    shows pools/facts
    keys pooling quantity
table-4.4: Table 4.4. Judged documents of reduced qrels by how many systems nominate them
    shows pools/votes
    keys pooling votes quantity
    decimals 0; percent 1
table-4.5: Table 4.5. Discrimination ratios: % of pairs that differ significantly, by pool depth d′
    shows discrimination/ratios
    keys pairs measure test depth
    decimals 1
table-4.6: Table 4.6. Pairs found significant at pool depth d′ and under the deepest pool
    shows discrimination/agreement
    keys measure test depth outcome
table-4.7: Table 4.7. Rankings whose score rises (< 0), stays (= 0), falls (> 0) beyond depth d′, %
    shows pools/movement_shares
    keys measure depth movement
    decimals 1
table-4.8: Table 4.8. τ_b of RBP's residual and the movement of scores
    shows pools/movement_correlations
    keys measure quantity
    decimals 2
table-4.9: Table 4.9. p of pool depth, topic and system, *** where significant
    shows ancova/effects
    settings significance=pair_tests.significance
    keys model term measure
    decimals 3
    has_bounds
    note {replicates}
[residuals]
figure-4.1: RBP's scores and residuals by expected depth
    shows residuals/rbp
figure-4.2: τ_b between RBP's and other measures' rankings of systems, against the residual
    shows residuals/tau_by_phi
figure-4.3: The nearest φ of each topic; 4.4 is that of another collection
    shows residuals/nearest_phi residuals/nearest_summary
[pools]
figure-4.5: Sizes of pools and their relevant documents by depth
    shows pools/sizes
    settings depths=pools.depths
figure-4.6: Score movements by pool depth
    shows pools/movements
figure-4.7: τ_b of p-values and pool depth
    shows discrimination/trends
[residuals]
figure-4.8: Score movements against residuals; 4.9 is that of another collection
    shows pools/movements pools/movement_correlations
[]
table-5.1: Table 5.1. The numbers of the task that asks about pairs of documents
    shows pair-tasks/{set}/topics
    options set:task
    keys topic quantity
table-5.3: Table 5.3. Right answers to test questions, and how often each answer was given
    shows preferences/{set}/options
    options set:pairs
    keys left_level right_level question option
"""

FURTHER = """
table-ancova: Analysis of covariance of scores on pool depth, topic and system
    shows ancova/effects
    note {replicates}
table-ranges: Exact ranges of mean scores over all that unjudged documents may be
    shows ranges/systems
    settings residual=ranges.residual
table-leave-one-out: Scores of runs or groups that are left out of the pool
    shows leave-one-out/{left_out}/summary
[pools]
figure-ranges: Exact ranges of the systems' scores
    shows ranges/systems
figure-leave-one-out: Left-out systems' changes of score and rank
    shows leave-one-out/{left_out}/systems
figure-power: Discriminative power, p-values of all pairs in order
    shows discrimination/curve
    settings significance=pair_tests.significance
figure-ancova: Residuals of the analysis of covariance
    shows ancova/diagnostics
"""

BUDGETS = read_items(
    """
[]
    in pair-budgets/{set}
    options set:budget
table-subsets: Pairs that are enough to rank as all of them do
    shows needed
    keys draw method ranked measure coefficient target quantity
    decimals 2; pairs 0
table-policies: Selection of pairs: policies at equal numbers of questions
    shows policies
    keys ranked measure coefficient reference per_document policy quantity
    decimals 3
table-stops: Stopping points of a rule on recorded answers
    shows stopping
    keys rule target confidence quantity
    decimals 3; topics 0; stopped 0
[]
table-stopping: Attained confidence of a stopping rule in simulated populations
    shows pair-worlds/coverage
    keys world spread assumed policy rule top target confidence quantity
    decimals 3; worlds 0; stopped 0; kept 0; questions 1
table-intransitivity: Intransitivity of judges of pairs
    shows pair-budgets/{set}/transitivity
    options set:budget
    keys scope violated judge quantity
    decimals 3; topics 0; n 0; count 0; unproven 0
[budgets]
    in pair-budgets/{set}
    options set:budget
figure-subsets: Rankings by a share of the pairs
    shows subsets
figure-policies: Policies of the next pair, at equal cost
    shows policies
[budgets]
figure-stopping: Nominal and actual confidence on stopping
    shows pair-worlds/coverage
figure-intransitivity: Cycles of judges of pairs
    shows pair-budgets/{set}/transitivity
    options set:budget
""",
    OPTIONS,
    package=__package__,
)
"""Those of fewer pairs."""

YANG2019 = Study(
    "yang2019",
    "Yang: Improving the Reliability and Robustness of Information Retrieval Evaluation. Thesis, "
    "2019; chapters 3 to 5.",
    published={
        "enum": ["TREC-7", "TREC-8", "TREC-13", None],
        "default": None,
        "description": (
            "Name of this collection in the thesis, for comparison with its printed numbers."
        ),
    },
    items=(
        *read_items(CHAPTERS, OPTIONS, NOTES, package=__package__),
        *PAIRS,
        *read_items(FURTHER, OPTIONS, NOTES, package=__package__),
        *BUDGETS,
    ),
)

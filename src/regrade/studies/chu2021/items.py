"""The tables and figures of chu2021, and some that go past it."""

from __future__ import annotations

from regrade.studies.items import Study, one_of, read_items

OPTIONS = {"power": one_of("power", "Which comparison."), "set": one_of("pages", "Which pages.")}


ITEMS = """
table-example: The example of §3.5: PDP of five images in 4 and 7 grades, exact, and α
    shows synthetic-power/example
    keys grades quantity
    decimals 4; alpha 2
table-needed: Tests of preference needed for a probability (Eq. 12), and their actual confidence
    shows synthetic-power/needed
    keys p within confidence formula quantity
    decimals 3; tests 0
table-consistency: Spearman's ρ of each metric with the quality of judgments (Figure 5 in numbers)
    shows synthetic-power/consistency
    keys metric grades
    decimals 3
[]
    in power/{power}
table-sets: Sizes of sets, agreement of assessors, and PDP with 95 % CIs
    shows sets served topics intervals
    keys set quantity
    decimals 4; topics 0; documents 0; assessors 0; values 0; grades 0
table-2: Table 2. α, Φ, discriminative power of systems, and PDP
    shows sets discrimination topics
    keys set quantity
    decimals 4
table-differences: Differences of PDP between sets, tested over topics (§5.2.1)
    shows differences
    keys preferences mode list first second quantity
    decimals 4; n_topics 0
table-orders: τ_b of the sets' order by PDP and by discriminative power of systems
    shows orders
    keys preferences mode list measure test
    decimals 3
table-cuts: The cuts of highest power and of highest agreement, and the loss of each
    shows cuts
    keys preferences set mode list levels transformation search by quantity
    decimals 4
table-levels: Sets by their number of levels: α, Somers' d with tests of preference, PDP
    shows levels
    keys preferences set mode list levels way quantity
    decimals 4
[]
table-pages: Agreement of measures with human preferences between result pages
    shows pages/{set}/agreement
    keys set levels way preferences measure quantity
    decimals 3; left_out 0; preferred 0; right 0; wrong 0; undecided 0
figure-4: PDP by number of grades and quality of judgments
    shows synthetic-power/qualities
figure-5: Correlation of metrics with the quality of judgments
    shows synthetic-power/consistency
figure-6: PDP from few tests of preference
    shows synthetic-power/reliability
[]
    in power/{power}
figure-7: Grades spread over nearly twice as many: PDP and discriminative power of systems
    shows extended
figure-levels: PDP, agreement and order by the number of levels that sets are cut into
    shows levels topics served
figure-level-systems: Systems by the number of levels that sets are cut into
    shows level_systems discrimination
[]
figure-pages: Measures and people's preferred pages by the number of levels
    shows pages/{set}/agreement
[]
    in power/{power}
figure-cuts: Thresholds of sets: by power, evenly, and by agreement
    shows cuts
figure-systems: PDP and discriminative power of systems
    shows topics discrimination orders
"""

CHU2021 = Study(
    "chu2021",
    "Chu, Mao, Zhang, Liu, Sakai, Zhang, Ma: Evaluating Relevance Judgments with Pairwise "
    "Discriminative Power. CIKM 2021.",
    published={
        "type": "boolean",
        "default": False,
        "description": "Whether the paper's example is compared with its printed numbers.",
    },
    items=read_items(ITEMS, OPTIONS, package=__package__),
)

"""The tables and figures of lioma2017, and some that go past it."""

from __future__ import annotations

from regrade.studies.items import OF_THE_PAPER, Study, one_of, read_items

OPTIONS = {
    "set:lists": one_of("rated_lists", "Which lists."),
    "set:systems": one_of("criteria", "Which criteria."),
}


ITEMS = """
[]
    in rated-lists/{set}
    options set:lists
table-3: Table 3. Measures of relevance, of credibility, and of both, over all lists
    shows conventions
    keys measure
    decimals 4
table-4: Table 4. Lists with a result that is high by one criterion and low by the other
    shows examples
    keys high topic rank docno measure
    decimals 3
table-correlations: Spearman's ρ of two measures (§6.2)
    shows correlations
    keys over first second
    decimals 2
table-conventions: Means of measures over lists under every convention
    shows conventions
[]
table-desiderata: Desiderata D1–D8: claimed, and held in all cases tried (§§3–5)
    shows criteria/{set}/desiderata
    options set:systems
table-list-desiderata: Desiderata D1–D8: claimed, and held in all cases tried (§§3–5)
    shows rated-lists/{set}/desiderata
    options set:lists
    caption table-desiderata
table-systems: Rankings of systems under several criteria and under the first
    shows criteria/{set}/rankings criteria/{set}/coverage
    options set:systems
[]
    in rated-lists/{set}
    options set:lists
figure-conventions: Effect of conventions on each measure's mean
    shows conventions
    printed table-3
figure-ties: NLRE and NGRE of each list between the worst and the best order of tied documents
    shows ties
figure-list-weights: Measures of both criteria as the first one weighs more
    shows weights
[]
    in criteria/{set}
    options set:systems
figure-weights: Rankings of systems as the first criterion weighs more
    shows weights
figure-systems: Systems' scores under one criterion and under several
    shows systems
"""

LIOMA2017 = Study(
    "lioma2017",
    "Lioma, Simonsen, Larsen: Evaluation Measures for Relevance and Credibility in Ranked Lists. "
    "ICTIR 2017.",
    published=OF_THE_PAPER,
    items=read_items(ITEMS, OPTIONS, package=__package__),
)

"""Names of methods, metrics and rules, as plain data that costs nothing to import.

What each name does is told where it is done; the configuration's schema takes its choices here.
"""

from __future__ import annotations

from dataclasses import dataclass

TIE_BREAKS = ("rank", "trec_eval", "line")
"""What decides between equal scores; see `regrade.ordering.canonical_order`."""

TIE_ORDERS = ("docno", "docno-reversed", "rank")
"""Usual orders of documents of one score: by docno from the first or from the last (trec_eval),
or as submitted; see `regrade.tied_scores.groups.TieGroups.in_order`."""

SWEPT_TIES = ("rank", "docno", "docno-reversed", "expected")
"""What a sweep may do with documents of one score: an order, or the mean over all orders."""

AVERAGES = ("items", "datasets")
"""What counts the same in a system's mean of scores by item: each item, or each data set."""

CUT_RULES = ("best", "equal_widths", "middle", "rounded", "plateau", "every")
"""How the cuts of a sweep are chosen; see `regrade.sweeps.options`."""

SWEPT_UNJUDGED = ("non-relevant", "condensed")
"""What unjudged documents count for in a sweep: nothing, or they are taken out of the rankings."""

SCORE_PRECISIONS = ("float64", "float32")
"""As what scores are compared: trec_eval 10 compares doubles, trec_eval 9 single floats."""

UNRANKED = ("zero", "omit")
"""What a run gets on a judged topic that it ranks nothing for; see `regrade.score`."""

RELEVANCE_SCALES = "crowdsourcing-relevance-scales"
"""The format of the published CSV (IPM 2021) that holds judgments on several scales."""

NAMED_COLUMNS = ("tsv", "csv", "jsonl", "parquet", "xlsx", "scores", "letor")
"""Layouts with named columns: the first line names them, or each record; or all know them, as of
scores of runs and of examples to learn to rank from."""

LABEL_FORMATS = ("trec", *NAMED_COLUMNS, RELEVANCE_SCALES)
"""Layouts of files of labels; see `regrade.readers.read_qrels`."""

JUDGMENT_FORMATS = (*NAMED_COLUMNS, "trec", RELEVANCE_SCALES)
"""Layouts of files of judgments; see `regrade.readers.read_judgments`."""

PREFERENCE_FORMATS = (*NAMED_COLUMNS, "pair-winner", "winner-loser", "image-preferences")
"""Layouts of files of preferences; see `regrade.readers.read_preferences`."""

LEAVING = ("refuse", "drop")
"""What becomes of rows that some files have and should not: an error, or left out and counted."""

ASKED = " (where)"
"""How the reason ends for which rows are left out that the user asked to leave out."""

JUNK = (-1, -2)
"""TREC's marks of junk (spam) and of what was not to be judged: grades without a gain."""

BELOW_ZERO = ("trec", "junk", "unjudged")
"""What grades below 0 mean: as TREC's tools have them, where −1 and −2 are judged and without a
gain; junk, read as 0; or not judged, so that their rows are left out."""

SAMPLED_OUT = "sampled-out"
"""The same of a sample: such documents were in the pool, for infAP, and are not judged."""

METRICS = ("nominal", "ordinal", "interval")
"""Differences that Krippendorff's α knows; see `regrade.agreement`."""

KAPPA_WEIGHTS = ("linear", "quadratic")
"""How far apart two grades count in weighted κ; see `regrade.evaluations.label_agreement`."""

FINDINGS = ("changed", "best")
"""At what `regrade compare --fail-if` fails; see `Comparison.finds`."""

GATE_FAILURES = ("worse", "unknown", "may-be-worse")
"""At what `regrade.gate` fails, each at what those before it name too: a significant loss; a loss
above the margin that is neither excluded nor detectable; one that is not excluded."""

GATE_FORMATS = ("text", "markdown", "junit", "json")
"""How the outcome of a gate is written."""

COMPARED_DOCUMENTS = ("all", "shared")
"""Documents whose labels score systems where two sets are compared: each set's own, or those that
both judged; see `regrade.evaluations.compare_sets`."""

SEVERAL = ("majority", "median_low", "median_high")
"""How labels by several people become one of the scale; see `regrade.estimation.samples`."""

ASSUMED = ("uniform",)
"""What may be assumed where nobody knows how documents were chosen to be labelled."""

LEAST_INCLUSION = 1e-9
"""A lower probability to be chosen is none: such a document never is."""

AGGREGATIONS = ("median", "median_low", "median_high", "majority", "mean")
"""How many values become one; see `regrade.aggregation.aggregate`."""

CONSENSUS_RULES = (*AGGREGATIONS, "dawid-skene", "weighted")
"""How the labels of several judges become one; see `regrade.label_consensus.rules`."""

CONSENSUS_RESCALES = ("none", "range")
"""What becomes of judges' scales before a consensus: nothing, or each is mapped onto 0 to 1."""

DOCUMENT_AGGREGATES = (*AGGREGATIONS, "geometric_mean")
"""How the values of a document become its label; see `regrade.magnitudes.normalising`."""

MAGNITUDE_NORMALISATIONS = ("geometric", "none", "z-score", "rank")
"""What becomes of magnitudes, unit by unit; see `regrade.magnitudes.normalising`."""

MAGNITUDE_AGGREGATES = ("median", "geometric_mean")
"""How the normalised magnitudes of a document become one; see `regrade.magnitudes.normalising`."""

WIDTHS_OF = ("H_k / N_k", "greatest / smallest")
"""What the width of a unit of magnitudes is: of its known documents, or of all its values."""

UNIT_CHECKS = ("order", "time", "known")
"""What a unit of magnitudes can fail; see `regrade.magnitudes.units`."""

UNDEFINED = ("drop", "one", "zero")
"""What an undefined α counts as: nothing, 1 (as in han2019) or 0."""

RESAMPLED = ("units", "workers", "documents")
"""What of a topic's judgments is drawn anew; see `regrade.trust.resampling`."""

DRAWN = ("topics", *RESAMPLED)
"""What is drawn anew before a search is done again; see `regrade.trust.bootstrap`."""

SPLITS = ("topics", "documents", "units", "systems")
"""What a choice of a cut is judged on that it did not see; see `regrade.trust.held_out`."""

LENDERS = ("workers", "topics")
"""Whose cuts are used on each other's judgments; see `regrade.trust.transfer`."""

FEWER_OF = ("documents", "workers")
"""What has judges of its own where fewer are drawn; see `regrade.trust.budget`."""

CROWD_MODELS = ("dawid_skene", "one_coin", "mace")
"""Models of judges and labels, of crowd-kit; see `regrade.trust.crowd`."""

VOTES = ("median", "majority", "mean", *CROWD_MODELS)
"""How many judges' labels become one, before or after cutting; see `regrade.trust.crowd`."""

UNJUDGED = ("drop", "non-relevant")
"""What a document that a reference lacks is: left out, or of level 0."""

CUT_CRITERIA = {
    "alpha_nominal": "Krippendorff's α, nominal",
    "alpha_ordinal": "Krippendorff's α, ordinal",
    "alpha_interval": "Krippendorff's α, interval",
    "kappa": "Cohen's κ",
    "kappa_linear": "Cohen's κ, linear weights",
    "kappa_quadratic": "Cohen's κ, quadratic weights",
    "accuracy": "accuracy",
    "f1_macro": "F1, mean over levels",
    "f1_top": "F1 of the upper levels",
    "spearman": "Spearman's ρ",
    "gamma": "Goodman and Kruskal's γ",
    "prevalence": "equal shares of levels",
}
"""How good labels are beside a reference's, each the higher the better; see
`regrade.cutsearch.objectives`."""

MAX_CUTS = 3_000_000
"""Cuts that a search tries at most: 1,001 values into 3 levels, 264 into 4."""

MAX_THRESHOLDS = 5_000
"""Thresholds that a search tries at most: some methods keep a matrix of them."""

MAX_SCORED_CUTS = 5_000
"""Cuts whose labels are scored one by one, where a measure does not follow from thresholds; see
`regrade.cutsearch.cut_scores`."""

GRID = 100
"""Thresholds that are tried where there are more, unless said otherwise."""


@dataclass(frozen=True)
class CutMethod:
    """One of the six methods of han2019, Table 2.

    Attributes
    ----------
    name
        As in the paper, ``t`` for transform and ``a`` for aggregate.
    unit_wise
        Whether α is found per unit (HIT) and averaged.
    needs_reference
        Whether the method compares with a second set on the target scale.
    order
        ``at`` or ``ta``: how the method turns judgments into one label per document.
    summary
        What it compares.
    """

    name: str
    unit_wise: bool
    needs_reference: bool
    order: str
    summary: str


CUT_METHODS = {
    method.name: method
    for method in (
        CutMethod("h1_ta", True, False, "ta", "a worker with the vote of the others' levels"),
        CutMethod("h1_at", True, False, "at", "a worker with the others' aggregate, transformed"),
        CutMethod("tw1", False, False, "at", "all workers of a topic with each other"),
        CutMethod("h2", True, True, "at", "a worker with the reference"),
        CutMethod("d2_at", False, True, "at", "the transformed aggregates with the reference"),
        CutMethod("d2_ta", False, True, "ta", "the vote of the levels with the reference"),
    )
}
"""Ways to find α of a cut; see `regrade.cutsearch.search`."""

PREFERRED_CUT_METHODS = ("d2_at", "d2_ta", "h2", "h1_at", "h1_ta", "tw1")
"""Whose best cut is recommended: the first of these that the data serve."""

SURENESS_TABLES = ("bootstrap", "gains", "plateau_effects", "held_out")
"""Tables that say how sure a cut is, where the collection asks for them."""

DEPTH = "Depth"
"""The way to pool that takes the first documents of every contributing system."""

FUSION_METHODS = (
    "Take",
    "Borda",
    "Condorcet",
    "CombMAX",
    "CombMIN",
    "CombMED",
    "CombSUM",
    "CombANZ",
    "CombMNZ",
    "RRF",
)
"""Ways to fuse rankings into one; see `regrade.pools.fusion`."""

NORMALISATIONS = ("none", "min-max", "sum", "z-score")
"""Of the scores that are fused; see `regrade.pools.fusion.normalised_scores`."""

PAIR_TESTS = ("t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey_hsd")
"""Tests of pairs of systems; see `regrade.significance.discrimination`."""

CORRECTIONS = (
    "none",
    "bonferroni",
    "sidak",
    "holm",
    "holm-sidak",
    "hochberg",
    "hommel",
    "bh",
    "by",
)
"""Of p-values of many tests."""

SS_TYPES = ("II", "III")
"""Types of sums of squares; see `regrade.significance.ancova`."""

RANDOM_TERMS = ("topic", "topic + topic:system")
"""Random terms of a mixed model; see `regrade.significance.mixed`."""

REPLICATES = (
    "In the models with depth, as in the thesis, the scores of a system on a topic under pools of "
    "several depths count as independent. They are nearly one score again and again: F of topic "
    "and system is too large and p too small there. Neither the analysis at one depth takes them "
    "so, nor the mixed model with the random terms topic and topic:system."
)
"""What must be said beside results of models with depth."""

CONTRASTS = ("sum", "treatment")
"""Of sums of squares of type III; ``treatment`` is R's default."""

UNJUDGED_IN_RANGES = ("non-relevant", "relevant")
"""What the unjudged are in the upper limit of tied scores; see `regrade.tied_scores.limits`."""
POWER_MODES = ("individual", "aggregate")
"""How several assessors' grades become preferences; see `regrade.power.preferences`."""

PREFERENCE_SCORES = (
    "frequency",
    "borda",
    "copeland",
    "strength",
    "bradley-terry",
    "thurstone",
)
"""How preferences become scores of documents; see `regrade.preferences.scores`."""

STRENGTHS = ("bradley-terry", "thurstone")
"""Those of them that tell how probable a preference is."""

PAIR_METHODS = (*PREFERENCE_SCORES, "absolute", "ratio")
"""How answers about pairs become scores of documents; see `regrade.preferences.document_scores`."""

TEST_LEVELS = ("H", "M", "N")
"""What the documents of test questions are: highly, marginally, not relevant (yang2019 §5.1.4)."""

BUDGET_SCORES = ("frequency", "borda", "copeland", "bradley-terry")
"""Scores of documents from few preferences; see `regrade.preferences.subsets`."""

PAIR_DRAWS = ("random", "connected")
"""Subsets of pairs: any; or first those that join all documents, as far as they are enough."""

PAIR_POLICIES = ("random", "even", "uncertainty", "information", "top", "tournament")
"""Which pair to ask next; see `regrade.preferences.next_pairs`."""

ASKING_POLICIES = PAIR_POLICIES[:-1]
"""Those that choose several pairs before an answer comes; see `regrade.preferences.asking`."""

STOPPING_RULES = ("tau", "top", "near")
"""When to stop asking, with a stated confidence; see `regrade.preferences.stopping`."""

ANSWER_CHECKS = (
    "untrusted",
    "test",
    "inaccurate",
    "outside",
    "repeated",
    "score_order",
    "relevance_order",
    "relevant_zero",
    "number_of_not_relevant",
)
"""What can be wrong with answers about pairs; see `regrade.preferences.checks`."""

SCORE_RESCALES = ("none", "topic", "probability")
"""How scores become labels; see `regrade.preferences.document_scores.scores_as_labels`."""

LABEL_RESCALES = (*SCORE_RESCALES, "range")
"""These, and that of a consensus; see `regrade.label_consensus.rescaling`."""

USUAL_RESCALES = {"bradley-terry": "probability", "thurstone": "probability", "strength": "topic"}
"""Those of methods whose scores lie around 0, unless said otherwise; of the others ``none``."""

PAIR_WORLDS = ("normal", "groups", "heavy", "careless")
"""Made worlds: what strengths and answers are like; see `regrade.preferences.stopping`."""

DESIGN_SIDES = ("balanced", "stay")
"""On which side documents stand in designed pairs; see `regrade.preferences.design.Task`."""

INTERCEPT = "(Intercept)"
RESIDUALS = "Residuals"
"""Terms of an analysis of covariance that no hypothesis is about."""

IDEAL_RANKS = ("stable", "reverse", "competition", "average", "dense")
"""Ranks of tied documents in an ideal ranking; see `regrade.criteria.errors.ideal_ranks`."""

CRITERIA_TIES = ("stable", "competition", "optimistic", "pessimistic", "expected")
"""What measures of rank errors do with ties; see `regrade.criteria.errors`."""

RATED = ("topic", "assessor", "rank", "docno")
"""Fields of a file of rated lists, beside the criteria; see `regrade.readers.pages`."""

SCORED = ("AP", "nDCG", "nDCG@10", "RR")
"""Measures of runs where nothing else is said; see `regrade.measures.default_measures`."""

COMPARED = ("nDCG@10", "AP")
"""Likewise of two sets side by side."""

TIED = ("AP", "nDCG@10")
"""Likewise of ties, and of runs that are left out of a pool."""

COARSE = 11
"""Scales of at most so many levels have grades; finer ones are cut, or taken as gains."""

IRDS = "irds:"
"""What the names of sets of ir_datasets begin with."""

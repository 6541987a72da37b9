"""Which system is best, and how sure that is."""

COLUMNS = """
tier  int32? [1..]  its first is the best that no earlier tier has; the others are those that are
        not significantly worse than that one
may_be_best  bool?  whether it may be the best
p_best  float64? [0..1]  p-value of its being the best, beside all others at once (one-sided)
all_low  float64?  lower end where all pairs are taken together
all_high  float64?  upper end where all pairs are taken together
p_tukey  float64? [0..1]  p-value of Tukey's honestly significant difference
variance  float64?  variance
won  float64 [0..1]  share of topics on which the first system scores higher
even  float64 [0..1]  share of topics on which both score the same
doubled  float64?  difference that twice the topics find with a power of 80 %
needed_low  float64? [1..]  lower end of the topics needed
needed_high  float64? [1..]  upper end of the topics needed
tau_expected  float64? [-1..1]  the same, by the mixture fitted to halves of all sizes
correction  string  none, or all pairs taken together
smaller  int64?  pairs whose observed difference is smaller than what is found
e_rho2  float64? [0..1]  generalizability coefficient Eρ²
dependability  float64? [0..1]  index of dependability Φ
judges  int64 [1..]  judges
"""

TABLES = """
[ranking]
ranking/facts: what was ranked, and what could not be said
    measure quantity | value? note
    measure = effectiveness measure; `*`: of all of them
ranking/systems: each system, the best first: its score, its rank, and how sure that is
    measure system | mean! low high rank may_be_best p_best rank_low rank_high tier share_first?
    share_top?
    k
    mean = mean score over topics
    rank = rank of the system, from 1; systems that tie share the highest
    may_be_best = whether it is in the set that holds the best system in 95 % of samples (multiple
        comparisons with the best)
    low..high = interval of mean: mean_over_topics, best_mean
    rank_low..rank_high = interval of rank: ranks_at_once
    share_first = share of draws of the topics in which it is first; systems that tie share a draw
    share_top = share of draws of the topics in which it is among the first k
ranking/pairs: each pair of systems; the first has the higher mean
    measure system other | difference low high all_low all_high p p_corrected p_tukey p_adjusted
    effect won even
    detectable
    difference = mean score of the first less that of the other
    low..high = interval of difference: mean_over_topics
    all_low..all_high = interval of difference: differences_at_once
    p = p-value of the test that is chosen, Student's paired t-test unless another one is
    p_adjusted = p-value with all pairs taken together, by Romano and Wolf's stepdown: share of
        draws in which the pair, or one of a smaller statistic, deviates as far
ranking/variances: where the variance of scores lies
    measure quantity | value! low high share
    quantity = systems, topics or residual (systems × topics)
    value = variance; below 0 where there is less than chance would make
    low..high = interval of value: variance_component
    share = share of their sum, those below 0 counting as 0
ranking/reliability: how reliable as many topics make the ranking (decision study)
    measure quantity topics | value? low high
    quantity = e_rho2, phi, or tau (τ_b with the ranking by endless topics)
    topics = topics of the collection
    low..high = interval of value: reliability
ranking/halves: how alike rankings by two halves of topics are
    measure topics | tau low! high! tau_expected resamples
    topics = topics of each half; tau = τ_b of the two rankings, mean over splits at random
    low..high = range of τ_b over 95 % of the splits; resamples = splits
ranking/needed: topics that are needed for a ranking as reliable as that
    measure quantity target | needed low high
    quantity = e_rho2, phi, or tau (τ_b with the ranking by endless topics)
    low..high = interval of needed: topics_needed
ranking/detectable: differences that are found with a power of 80 %, quartiles over pairs of systems
    measure correction | q1 median q3 smaller pairs
    pairs = pairs of systems
ranking/needed_differences: topics with which the paired t-test finds a difference with a power of
        80 %, quartiles over pairs of systems
    measure target | q1 median q3
    target = difference to be found
ranking/beside_best: the best system beside each other one: with how many topics the two are told
        apart with a power of 80 %
    measure system other correction | difference variance low high detectable doubled
    needed needed_low needed_high
    system = the first of those with the highest mean
    difference = mean score of the best less that of the other
    variance = variance of the difference over topics
    low..high = interval of variance: variance_component
    detectable = difference that as many topics as there are find
    needed = topics that find this difference, were it and the variance the true ones; null of no
        difference, and where no number is enough
    needed_low..needed_high = range of needed from low to high of the variance
ranking/judge_variances: where the variance of scores lies with the labels of several judges
    measure quantity | value! share
    quantity = facets: systems, topics, judges, and their interactions; the last is the residual
    value = variance; below 0 where there is less than chance would make
    share = share of their sum, those below 0 counting as 0
ranking/judge_reliability: how reliable as many topics and judges make the ranking
    measure topics judges | e_rho2 dependability
    topics = topics of the collection
ranking/answer: what all this says, sentence by sentence
    part | said
"""

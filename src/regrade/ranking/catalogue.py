"""Ranking of systems, and its uncertainty."""

COLUMNS = """
tier  int32? [1..]  its first is the best that no earlier tier has; the others are those that are
        not significantly worse than that one
may_be_best  bool?  whether it may be the best
p_best  float64? [0..1]  p-value of being the best (one-sided, multiple comparisons with the best)
p_interval  float64? [0..1]  p-value of the test that the interval of the pair inverts: below 0.05
        exactly where the interval excludes 0
p_tukey  float64? [0..1]  p-value of Tukey's honestly significant difference
variance  float64?  variance
won  float64 [0..1]  share of topics on which the first system scores higher
even  float64 [0..1]  share of topics on which both score the same
doubled  float64?  minimum detectable difference with twice the topics
needed_low  float64? [1..]  lower end of the topics needed
needed_high  float64? [1..]  upper end of the topics needed
tau_expected  float64? [-1..1]  expected τ_b by the mixture fitted to halves of all sizes
correction  string  none, or simultaneous over all pairs
smaller  int64?  pairs whose observed difference is below the minimum detectable difference
e_rho2  float64? [0..1]  generalizability coefficient Eρ²
dependability  float64? [0..1]  index of dependability Φ
items  int64 [1..]  items
n_repeats  int64 [1..]  repeats of each system
mean_rank  float64? [1..]  mean over data sets of the system's ranks; ties share the mean of ranks
rank_by_mean_rank  int32 [1..]  rank by mean rank, from 1
error_mean  float64? [0..]  standard error of the mean of a system
error_difference  float64? [0..]  standard error of the difference of two systems
"""

TABLES = """
[ranking]
ranking/facts: numbers of ranked items, and undefined results
    measure quantity | value? note
    measure = effectiveness measure; `*`: of all of them
ranking/systems: score and rank of each system with confidence intervals, the best first
    measure system | mean! low high rank may_be_best p_best rank_low rank_high tier share_first?
    share_top?
    k
    mean = mean score over topics
    rank = rank of the system, from 1; systems that tie share the highest
    may_be_best = whether it is in the set that holds the best system in 95 % of samples (multiple
        comparisons with the best)
    low..high = interval of mean: mean_over_topics, best_mean, share_of_items, mean_over_clusters,
        mean_of_datasets, mean_over_repeats
    rank_low..rank_high = interval of rank: ranks_at_once
    share_first = share of bootstrap samples in which it is first (split among ties)
    share_top = share of bootstrap samples in which it is among the top k
ranking/pairs: each pair of systems; the first has the higher mean
    measure system other | difference low high p_interval all_low all_high p p_corrected p_tukey
    p_adjusted effect won even
    detectable
    difference = mean score of the first less that of the other
    low..high = interval of difference: mean_over_topics, difference_of_shares, mean_over_clusters,
        mean_of_datasets, mean_over_repeats
    all_low..all_high = interval of difference: differences_at_once
    p = p-value of the chosen test, by default Student's paired t-test (two-sided)
    p_adjusted = p-value corrected for all pairs (Romano–Wolf stepdown over bootstrap samples)
ranking/variances: variance components of scores
    measure quantity | value! low high share
    quantity = systems, topics or residual (systems × topics)
    value = variance; negative estimates are possible
    low..high = interval of value: variance_component
    share = share of the sum of variances, negative ones counted as 0
ranking/reliability: reliability of the ranking by number of topics (decision study)
    measure quantity topics | value? low high
    quantity = e_rho2, phi, or tau (τ_b with the ranking over the population of topics)
    topics = topics of the collection
    low..high = interval of value: reliability
ranking/halves: split-half agreement of rankings
    measure topics | tau low! high! tau_expected resamples
    topics = topics of each half; tau = τ_b of the two rankings, mean over splits at random
    low..high = range of τ_b over 95 % of the splits; resamples = splits
ranking/needed: topics needed for a required reliability of the ranking
    measure quantity target | needed low high
    quantity = e_rho2, phi, or tau (τ_b with the ranking over the population of topics)
    low..high = interval of needed: topics_needed
ranking/detectable: minimum detectable differences (80 % power), quartiles over pairs of systems
    measure correction | q1 median q3 smaller pairs
    pairs = pairs of systems
ranking/needed_differences: topics needed to detect a difference (paired t-test, 80 % power),
        quartiles over pairs of systems
    measure target | q1 median q3
    target = difference to detect
ranking/beside_best: topics needed to separate the best system from each other system (80 %
        power)
    measure system other correction | difference variance low high detectable doubled
    needed needed_low needed_high
    system = the first of those with the highest mean
    difference = mean score of the best less that of the other
    variance = variance of the difference over topics
    low..high = interval of variance: variance_component
    detectable = minimum detectable difference with the present topics
    needed = topics that detect this difference, if it and the variance are true; null without a
        difference, and where no number suffices
    needed_low..needed_high = range of needed from low to high of the variance
ranking/judge_variances: variance components of scores with the labels of several judges
    measure quantity | value! share
    quantity = facets: systems, topics, judges, and their interactions; the last is the residual
    value = variance; negative estimates are possible
    share = share of the sum of variances, negative ones counted as 0
ranking/judge_reliability: reliability of the ranking by number of topics and judges
    measure topics judges | e_rho2 dependability
    topics = topics of the collection
ranking/datasets: score and rank of each system on each data set, the best first
    measure dataset! system | items mean! low high rank
    mean = mean score over the data set's items
    rank = rank of the system on the data set, from 1; systems that tie share the highest
    low..high = interval of mean: mean_over_topics, mean_over_clusters, share_of_items
ranking/dataset_ranks: systems over all data sets, by mean score and by mean rank
    measure system | mean! low high rank mean_rank rank_by_mean_rank may_be_best p_best
    mean = mean of the data sets' means
    rank = rank by mean, from 1; systems that tie share the highest
    may_be_best = whether it is in the set that holds the best system over the population of data
        sets in 95 % of samples of data sets
    low..high = interval of mean: mean_over_datasets
ranking/repeats: variance components of scores with repeats (seeds, folds, trials) of systems
    measure quantity | value! share
    quantity = systems, items, systems × items, repeats (within systems), repeats × items
    value = variance; negative estimates are possible
    share = share of the sum of variances, negative ones counted as 0
ranking/repeat_errors: standard errors by numbers of items and repeats
    measure items n_repeats | error_mean error_difference
    items = independent items, or clusters
ranking/answer
"""

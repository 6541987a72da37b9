"""Judgments that are magnitudes: units, documents, levels, gains, systems."""

COLUMNS = """
scatter  float64? [0..]  standard deviation over the bootstrap samples
upper  float64?  the upper of two levels; null: all levels
width_of  string  what the width is: H_k / N_k, or greatest / smallest value of the unit
problems  string?  checks that the unit fails, separated by commas; null: none
label  float64  the document's label
high_docno  string?  the document known to be highly relevant
low_docno  string?  the document known to be not relevant
back_0  int64?  units without a click on the back button; null: not counted
back_1  int64?  units with one click on the back button
back_2  int64?  units with two or more clicks on the back button
failed_0  int64?  units without a failed attempt; null: not counted
failed_1  int64?  units with one failed attempt
failed_2  int64?  units with two or more failed attempts
order  int64  units that put the known documents in the wrong order
time  int64  units with a document judged too fast
known  int64  units that fail the check of the known documents
narrow  int64  units with a width below the median
wide  int64  units with a width of the median or above
normalised  float64  the magnitude, normalised by the unit
geometric_mean  float64 [0..]  geometric mean of the values
normalised_median  float64  median of the normalised values
normalised_geometric_mean  float64  geometric mean of the normalised values
aggregate  string  aggregation of a document's magnitudes
outliers  int64  values beyond the whiskers
adjacent  bool  whether the two levels are neighbours
n_lower  int64  documents of the lower level
n_upper  int64  documents of the upper level
median_lower  float64?  median of the lower level
median_upper  float64?  median of the upper level
exception  bool?  whether the upper level's median is not above the lower one's
exceptions  int64  cases in which the upper level's median is not above the lower one's
concordant  int64  pairs that both put in the same order
discordant  int64  pairs that they put in opposite orders
half_share  float64? [0..1]  share of pairs that agree, ties counting half
strict_share  float64? [0..1]  share of pairs that agree, ties counting nothing
share_low  float64? [0..1]  lower end of the share
share_high  float64? [0..1]  upper end of the share
ordered  float64? [0..1]  share of all pairs that both order alike, of all topics together
ordered_low  float64? [0..1]  lower end of that share
ordered_high  float64? [0..1]  upper end of that share
nearest  float64  the level whose median magnitude is nearest
limit  float64  bound that values are counted above
linear  float64  linear gain of the level
exponential  float64  exponential gain of the level
profile  string  gains by level: linear, exponential, fitted, fitted by topic, partially pooled
contrasts  int64  contrasts of left-out documents: in each unit, those of a part but one
per_contrast  float64?  log-likelihood over the number of contrasts
better_share  float64? [0..1]  share of units that are likelier than under linear gains
top_reference  int64  the same under the reference's gains
top_both  int64  systems in both
complete  int64  sub-runs whose first documents the reference has all judged
sample  int32 [1..]  number of the sample
unanimous  int64  pairs of which every sample puts the same system first
above_95  int64  pairs of which 95 % of the samples put the same system first
"""

TABLES = """
[magnitudes]
magnitudes/units: each unit of work (HIT), its checks, and whether it is kept
    topic unit! worker! | documents high low width width_of seconds back failed problems kept
    low..high = range of the magnitudes of the documents known to be not and highly relevant
    width = how many times the smaller value the greater one is
    seconds = least time spent on a document
magnitudes/topics: units of each topic, and failed checks
    topic | documents units judgments workers high_docno low_docno back_0 back_1 back_2 failed_0
    failed_1 failed_2 order time known left_out
    left_out = units that are left out
magnitudes/widths: widths of units
    width! | units width_of
    width = rounded to the nearest 5 (0: below 2.5)
magnitudes/width_quantiles: quartiles of the widths of units, by topic
    topic | units width_of low q1 median q3 high narrow wide
    low..high = box of the widths of units
magnitudes/normalised: the judgments of the units that are kept
    topic docno worker! unit! | value normalised
    value = magnitude, with the shift
magnitudes/documents: magnitudes of documents
    topic docno | n median! geometric_mean normalised_median normalised_geometric_mean
    n = judgments; median = median of the values
[magnitudes_and_labels]
magnitudes/levels: documents' normalised magnitudes by the level that a reference gives them
    reference topic aggregate level:float64 | n mean low q1 median q3 high outliers
    level = level of the reference; null: it gives none; n = documents
    low..high = box of the magnitudes, whiskers to the last value within 1.5 quartiles' distances
magnitudes/level_tests: t-tests of the magnitudes of each two levels
    reference topic aggregate lower! upper! | adjacent n_lower n_upper median_lower median_upper t
    p exception
magnitudes/exceptions: frequency over topics of a higher level without the higher median
    reference aggregate pairs:string | cases undefined exceptions topics:string?
    pairs = pairs of levels: adjacent or all; undefined = cases of a level without documents
    topics = topics with an exception
magnitudes/agreement: pairs of documents of two levels, by how two sets order them
    by first second topic lower upper | pairs concordant tied discordant share half_share
    strict_share pooled:float64? share_low share_high ordered ordered_low ordered_high
    by = whose levels group the pairs; tied = pairs that either set ties
    share = share that agrees, ties too: mean over groups and, for `*`, over topics
    pooled = share over all pairs together
    share_low..share_high = interval of share: share_over_topics
    ordered_low..ordered_high = interval of ordered: share_over_topics
magnitudes/share_intervals: confidence intervals for shares of pairs of documents
    reference over gains measure quantity resampled | estimate low high resamples undefined
    reference = whose levels group the pairs; gains = the two sets that are compared
    measure = the two levels, or all
    low..high = interval of estimate: share_over_topics, share_over_documents, share_over_units
    undefined = samples without a value
magnitudes/discordant: documents whose magnitude is nearer another level's than their own label's
    reference place | topic docno label nearest distance! n median! low! high!
    place = the most discordant first
    distance = logarithm of the magnitude over the median of the label's; n = judgments
    median = median of the normalised magnitudes
    low..high = range of the normalised magnitudes
magnitudes/said: all judgments and labels of these documents
    reference place topic docno by worker unit | value normalised?
    place = the most discordant first; by = set of labels, or `magnitudes`
magnitudes/gains: magnitudes over that of the unit's known low document, by level
    reference level:float64! | n low q1 median q3 high limit above:int64 linear exponential
    n = judgments
    low..high = box of these ratios
    above = ratios over the limit
magnitudes/gain_ratios: ratios of magnitudes of documents of two levels
    reference upper! lower! | pairs low q1 median q3 high limit above:int64
    low..high = box of these ratios
    above = ratios over the limit
magnitudes/gain_profiles: gains by level that magnitudes suggest
    reference profile topic level:float64! | gain
    gain = gain of the level; of the lowest with a gain 1
magnitudes/gain_likelihoods: held-out likelihood of documents under the fitted gains
    reference profile | units contrasts log_likelihood per_contrast better_share topics
    difference:float64? low high p
    units = units with at least two labelled documents that were left out together
    topics = topics with such units
    difference = mean over topics of the log-likelihood per contrast less that of linear gains
    low..high = interval of difference: mean_over_topics
    p = two-sided paired t-test of difference
[magnitudes_answer]
magnitudes/numbers: quantities of the answer about magnitudes
    reference quantity level:float64 | value? low high
    level = level of the reference; null: not about a level
    low..high = interval of value: share_over_topics
magnitudes/answer
[magnitudes_and_systems]
magnitudes/systems: systems under magnitudes and under the reference's labels
    reference over gains measure system | score p top:bool may_be_first:bool
    over = runs, or merged: made of sub-runs that the reference has judged wholly
    gains = reference, magnitudes, narrow or wide (of narrow or wide units)
    p = p-value of the test against the best system
    top = whether it is not significantly worse than the best
    may_be_first = whether it may be the best over the population of topics (multiple
        comparisons with the best); true for all systems with fewer than ten topics
magnitudes/rankings: rankings of systems under magnitudes and under the reference
    reference over gains measure | n_systems n_topics tau top top_reference top_both overlap
    over = runs, or merged: made of sub-runs that the reference has judged wholly
    gains = magnitudes, narrow or wide (of narrow or wide units)
magnitudes/intervals: uncertainty of these comparisons
    reference over gains measure quantity resampled | estimate low high scatter resamples undefined
    resampled = topics, documents or units, drawn with replacement
    estimate = τ_b, or the overlap of top sets, of which there is no interval
    low..high = interval of estimate: rankings_alike
    undefined = samples without a value
magnitudes/complete: sub-runs that the reference has judged wholly
    reference topic | complete runs used
    used = whether there are at least two, so that the topic is used
magnitudes/mappings: rankings under magnitudes and under grades mapped to gains
    reference over mapping measure | tau
    mapping = of the reference's grades to gains
magnitudes/samples: rankings under one sampled magnitude of each document
    reference over measure sample | tau
magnitudes/sample_quantiles: the quartiles of τ_b over these samples
    reference over measure | samples tau low q1 median q3 high
    tau = τ_b under all judgments
    low..high = box of τ_b, whiskers to the last value within 1.5 quartiles' distances
magnitudes/orders: share of samples that rank one system before another
    reference over measure first second | higher equal
    first = system; second = other system; equal = share of samples in which both score the same
magnitudes/unanimity: number of pairs of systems on which the samples agree
    reference over measure | samples pairs unanimous above_95
    pairs = pairs of systems
magnitudes/per_document: effect of more judgments per document on the ranking
    reference over measure other k | samples low median high
    other = ranking compared by τ_b: the reference's, or the ranking under all judgments
    k = judgments per document
    low..high = range of τ_b over 95 % of the samples
"""

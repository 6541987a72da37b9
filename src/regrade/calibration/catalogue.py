"""Probabilities of grades from a judge's values, beside the best cut of these."""

COLUMNS = """
bin  int32 [0..]  class of probabilities, the lowest first
predicted  float64 [0..1]  mean probability
observed  float64 [0..1]  observed share
covered  float64 [0..1]  coverage of the sets, mean over topics
size  float64 [1..]  levels in a set, mean over topics
one_level  float64 [0..1]  share of sets of one level, mean over topics
value_low  float64?  lower end of the value
value_high  float64?  upper end of the value
folds  int64 [2..]  parts of the topics that were left out in turn
"""

TABLES = """
[calibration]
calibration/methods: error of labels and probabilities against the reference's levels
    judge method left_out:string quantity | value? value_low value_high topics difference? low high
    folds seed
    method = labels (under the best cut), prior, isotonic, proportional odds, by topic
    left_out = held-out units: topics, or documents of each topic
    quantity = brier or ranked (low is good), or alpha (of the middle level, by `metric`)
    value = mean over topics; topics = topics in the mean
    value_low..value_high = interval of value: mean_over_topics
    difference = from the labels, mean over topics; null: of the labels
    low..high = interval of difference: taught_difference
calibration/rankings: agreement of system rankings by held-out expected grades with the reference
    judge method measure | tau difference? low high p_adjusted verdict resamples
    tau = τ_b of the rankings of systems under judge and reference
    difference = τ_b less that of the best method
    low..high = interval of difference: best_judge
    p_adjusted = p-value corrected for all pairs of methods (max-t over the same samples)
    verdict = best, significantly worse, non-inferior, not significant, or at the threshold
calibration/maps: probability of each level by value, from all documents
    judge method value level:float64! | share!
    value = of the judge; level = of the reference; share = probability of the level
calibration/curves: predicted and observed shares of documents that reach a level
    judge method left_out:string level:float64! bin | documents predicted observed
    left_out = held-out units: topics, or documents of each topic
    level = of the reference; bin = tenths of the probability
calibration/sets: prediction sets of adjacent levels for documents of a new topic
    judge method target | covered low high size one_level topics
    target = nominal coverage
    low..high = interval of covered: mean_over_topics
calibration/answer
"""

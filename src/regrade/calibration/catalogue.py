"""Probabilities of grades from a judge's values, beside the best cut of these."""

COLUMNS = """
bin  int32 [0..]  class of probabilities, the lowest first
predicted  float64 [0..1]  mean probability
observed  float64 [0..1]  share that it is so of
covered  float64 [0..1]  how often sets hold the level, mean over topics
size  float64 [1..]  levels in a set, mean over topics
one_level  float64 [0..1]  share of sets of one level, mean over topics
value_low  float64?  lower end of the value
value_high  float64?  upper end of the value
folds  int64 [2..]  parts of the topics that were left out in turn
"""

TABLES = """
[calibration]
calibration/methods: how far labels and probabilities are from the reference's levels
    judge method left_out:string quantity | value? value_low value_high topics difference? low high
    folds seed
    method = labels (under the best cut), prior, isotonic, proportional odds, by topic
    left_out = what had no part in it: topics, or documents of each topic
    quantity = brier or ranked (low is good), or alpha (of the middle level, by `metric`)
    value = mean over topics; topics = topics that it is over
    value_low..value_high = interval of value: mean_over_topics
    difference = from the labels, mean over topics; null: of the labels
    low..high = interval of difference: taught_difference
calibration/rankings: how like the reference systems are ranked by expected grades, topics left out
    judge method measure | tau difference? low high verdict resamples
    tau = τ_b of the rankings of systems under judge and reference
    difference = τ_b less that of the best method
    low..high = interval of difference: best_judge
    verdict = best, worse, as good, not told apart, or at the threshold of worse
calibration/maps: what a value says of the level, from all documents
    judge method value level:float64! | share!
    value = of the judge; level = of the reference; share = probability of the level
calibration/curves: what was said of reaching a level, and how often it was so
    judge method left_out:string level:float64! bin | documents predicted observed
    left_out = what had no part in it: topics, or documents of each topic
    level = of the reference; bin = tenths of the probability
calibration/sets: sets of neighbouring levels that are to hold a new topic's documents' levels
    judge method target | covered low high size one_level topics
    target = how often they are to hold the level
    low..high = interval of covered: mean_over_topics
calibration/answer: what all this says, sentence by sentence
    part | said
"""

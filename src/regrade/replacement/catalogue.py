"""A judge in place of people."""

COLUMNS = """
judge_value  float64?  the judge's value
second_value  float64?  a second person's value, the mean of several; null: there is none
reversed  int64  pairs that differ under the reference and have the opposite order
reference_mean  float64  mean score under the reference
judge_mean  float64  mean score under the judge
people_mean  float64?  mean score under the further people; null: there are none
judge_rank  int32 [1..]  rank of the system under the judge
judge_relevant  int64  documents that are relevant under the judge
failure  float64?  mean difference from the reference under the judge less a second person's
passes  bool  whether a further condition of a yes is met: a winning rate of at least 0.5
reason  string  what stands out on the topic; empty: nothing
"""

TABLES = """
[replacement]
replace/lines: each line of the verdict, beside its margin
    measure quantity | judge_value second_value value? low high all_low all_high margin_low
    margin_high verdict? note!
    measure = effectiveness measure; `*`: of labels
    quantity = alpha, epsilon (the alternative annotator test), tau, tau_ap, top, level, spread,
        pairs or favour
    value = the judge's value less a second person's (less that of equal labels where there is
        none); of epsilon the advantage over people; of level the difference of means; of spread
        the ratio of standard deviations; of favour that of the family which decides
    low..high = interval of value: agreement_difference, ranking_difference,
        mean_over_topics, ratio_of_spreads, favour
    all_low..all_high = interval of value: agreement_difference, ranking_difference,
        mean_over_topics, ratio_of_spreads, favour
    margin_low..margin_high = range of the values within the margin
    verdict = yes, no or not known; null: the line has no margin
replace/annotators: the alternative annotator test, by person left out
    worker! | documents probability difference:float64 p p_adjusted wins:bool
    worker = person; documents = documents that this person and others labelled
    probability = share of documents on which the judge agrees at least as well with the others
    difference = the same share of the person less that of the judge
    p = one-sided p-value that the difference is below ε; p_adjusted = the same, corrected for all
        people (Benjamini–Yekutieli)
    wins = whether the judge wins
replace/grades: how much higher or lower the judge grades what the reference gives each grade
    grade | documents topics equal difference low high second_value
    grade = grade of the reference
    topics = topics that have such documents; equal = share with equal grades
    difference = mean of the judge's grade less the reference's
    low..high = interval of difference: grade_bias
replace/confusion: documents by their two grades
    first_grade second_grade | documents
    first_grade = grade of the reference; second_grade = grade of the judge
replace/facts: what was compared, and how
    measure quantity | value? note
    measure = effectiveness measure; `*`: of labels
replace/topics: where the judge fails: topics, the largest failure first
    measure topic | documents relevant judge_relevant value? second_value failure tau reason
    measure = effectiveness measure; `*`: of labels, without runs
    relevant = documents that are relevant under the reference
    value = mean absolute difference of systems' scores under judge and reference; without runs, of
        grades
    second_value = the same of a second person; null: there is none
    tau = τ_b of the systems' scores on the topic; null: without runs
replace/samples: the lines but for favour in bootstrap samples of topics
    measure quantity replicate | topics value? beside:string margin_low margin_high passes
    measure = effectiveness measure; `*`: of labels
    quantity = alpha, epsilon, tau, tau_ap, top, level, log spread or pairs
    margin_low..margin_high = range of the values within the margin
    topics = topics that are labelled in all sets
    beside = what value is beside: a second person, equal labels, or the reference
    value = as of replace/lines; of log spread its logarithm, as the margin's ends
replace/answer
[replacement_systems]
replace/top: what the first k systems under each label set and under the reference have in common
    measure set k | shared overlap! tau pairs reversed
    set = the judge, or a further person; shared = systems of both
    overlap = share of the first k that are in both; systems that tie at rank k count
    tau = τ_b of the two rankings of the first k under the reference; null: one system
    pairs = pairs among these that differ under the reference
replace/changes: pairs of systems whose significance each label set changes
    measure set | gained lost:int64 pairs changed significant_changes by_topics low high
    set = the judge, or a further person
    gained = pairs that become significant; lost = pairs that are significant no longer
    pairs = pairs of systems; changed = pairs whose significance appears, disappears or reverses
    significant_changes = changed pairs whose change is individually significant (corrected test);
        null: fewer than 25 topics
    low..high = range of changed pairs over 95 % of pairs of bootstrap samples
replace/systems: the systems under the reference and under the judge
    measure system | reference_mean judge_mean people_mean first_rank judge_rank
    first_rank = rank of the system under the reference
[replacement_families]
replace/favour: how much more the judge raises each family of systems than the other systems
    measure group | systems value! second_value low high is_comparable
    group = family of systems
    value = the judge's favour, less that of further people; at equal quality where that is known
    second_value = favour of a second person
    low..high = interval of value: favour
"""

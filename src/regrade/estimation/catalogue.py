"""What labels of all documents would have said, estimated from some."""

COLUMNS = """
topics_low  float64?  lower end where topics are a sample as well
topics_high  float64?  upper end where topics are a sample as well
same_rankings  bool  whether both rank the same documents that can be labelled at the same ranks
"""

TABLES = """
[estimates]
estimates/facts: what was labelled, what was estimated from it, and what was not
    measure quantity | value? note
    measure = effectiveness measure; `*`: of all of them
estimates/labels: which grades labels of all documents would have, and how models agree with them
    quantity grade? model? | value? low high
    quantity = share of a grade, mean grade; of a model equal (share of equal labels), alpha
        (ordinal), kappa, weighted_kappa (linear), of the documents that it has values of
    grade = null: all of them
    model = null: none; value = of a model null: its values are no grades of people's scale, or
        there are too few labels
    low..high = interval of value: full_judging_share, full_judging_mean, full_judging_agreement
estimates/answer: what all this says, sentence by sentence
    part | said
[estimated_systems]
estimates/systems: what labels of all documents would have given each system, the best first
    measure system | value! low high topics_low topics_high rank may_be_first
    value = mean over topics; low..high = interval of value: full_judging
    topics_low..topics_high = interval of value: mean_over_topics
    rank = rank of the system, from 1; systems that tie share the highest
estimates/pairs: what they would have given each pair of systems; the first has the higher value
    measure system other | difference low high p p_adjusted same_rankings
    difference = mean of the first less that of the other
    low..high = interval of difference: full_judging_of_pairs
    p = p-value of there being no difference, normal
    p_adjusted = p-value with all pairs taken together: share of draws of the errors in which the
        largest one, in standard errors, is as large (max-t)
"""

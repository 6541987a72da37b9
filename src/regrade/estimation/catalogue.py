"""What full judging would have shown, estimated from some."""

COLUMNS = """
topics_low  float64?  lower end where topics are a sample as well
topics_high  float64?  upper end where topics are a sample as well
same_rankings  bool  whether both rank the same documents that can be labelled at the same ranks
"""

TABLES = """
[estimates]
estimates/facts: numbers of labels, and estimated and missing quantities
    measure quantity | value? note
    measure = effectiveness measure; `*`: of all of them
estimates/labels: estimated distribution of grades under full judging, and agreement of models
    quantity grade? model? | value? low high
    quantity = share of a grade, mean grade; of a model equal (share of equal labels), alpha
        (ordinal), kappa, weighted_kappa (linear), of the documents that it has values of
    grade = null: all of them
    model = null: none; value = of a model null: its values are not grades of the human scale, or
        there are too few labels
    low..high = interval of value: full_judging_share, full_judging_mean, full_judging_agreement
estimates/answer
[estimated_systems]
estimates/systems: estimated score of each system under full judging, the best first
    measure system | value! low high topics_low topics_high rank may_be_first
    value = mean over topics; low..high = interval of value: full_judging
    topics_low..topics_high = interval of value: mean_over_topics
    rank = rank of the system, from 1; systems that tie share the highest
estimates/pairs: estimated difference of each pair of systems; the first has the higher value
    measure system other | difference low high p p_adjusted same_rankings
    difference = mean of the first less that of the other
    low..high = interval of difference: full_judging_of_pairs
    p = two-sided p-value of the difference, normal
    p_adjusted = p-value corrected for all pairs (max-t over simulated errors)
"""

"""Favour of judges for families of systems."""

COLUMNS = """
family  string  family of systems
peers  string  other systems: all, equal (nearest in quality, adjusted), or regressed
favour  float64?  difference of differences: judge less reference, of the family less other systems
is_control  bool  whether the label set is a control
is_own  bool  whether the family is the judge's own
slope  float64?  slope of the difference on quality within families; null: quality is not reliable
slope_beside_control  float64?  slope of the difference from the control; null: without a control
without_gain  int64  topics without any gain: all systems score 0
others  float64  mean reference score of the other systems
gap  float64  mean reference score less that of other systems
control  float64?  the same of the controls, in the mean; null: no control labelled the topic
is_comparable  bool  whether the gap in quality is small enough for a verdict at equal quality
first_reference  int64  systems of the family among the first 10 under the reference
first_without  int64  systems of the family among the first 10 with the favour taken out
turned_for  int64  pairs ordered otherwise than under the reference, for the family
turned_against  int64  pairs ordered otherwise than under the reference, against the family
turned_for_without  int64  turned_for with the favour taken out
turned_against_without  int64  turned_against with the favour taken out
tau_without  float64? [-1..1]  τ_b with the favour taken out
score_without  float64  mean score with significant favour taken out
reference_score  float64  mean score under the reference
reference_rank  int64  rank under the reference
rank_without  int64  rank with significant favour taken out
"""

TABLES = """
[favour]
favour/effects: favour of each judge, and each control, for each family of systems
    measure judge family beside:string! peers | is_control is_own favour error low high p_adjusted
    detectable verdict?
    judge = judge, control, or mean of controls
    beside = reference, or control (less the mean of the controls)
    error = standard error over topics
    low..high = interval of favour: favour
    p_adjusted = p-value corrected for all judges and families (max-t)
    detectable = least favour detected with 80 % power
    verdict = favours, disfavours, not significant, at the threshold or not comparable
favour/own: favour of judges for their own families, corrected among these
    measure judge family | favour low high p_adjusted detectable verdict?
    low..high = interval of favour: favour
    p_adjusted = p-value corrected for all pairs of a judge and its own family (max-t)
    detectable = least favour detected with 80 % power
    verdict = favours, disfavours, not significant, at the threshold or not comparable
favour/judges: level and scale of each label set's scores
    measure judge | is_control topics without_gain difference:float64? slope slope_beside_control
    judge = judge or control; topics = topics with labels
    difference = mean score of all systems less that under the reference; null: no topic
favour/families: size and quality of each family
    measure family | systems mean others gap is_comparable
    mean = mean reference score of the family
    gap = mean reference score less that of the nearest other systems, in standard deviations
favour/topic_effects: difference of differences of each topic
    measure judge family topic | value control
    value = judge less reference, mean of the family less that of the other systems
favour/changes: effect of the favour of each judge for each family on the ranking
    measure judge family | favour first:int64 first_reference first_without pairs turned_for
    turned_against turned_for_without turned_against_without tau tau_without
    favour = favour that is taken out: at equal quality, less the control if any
    first = systems of the family among the first 10 under the judge
    pairs = pairs of a system of the family with another system
    tau = τ_b of the rankings under judge and reference
favour/systems: ranks of systems under the reference, each judge, and without significant favour
    measure judge system | reference_score score score_without reference_rank rank rank_without
    score = mean score under the judge
    rank = rank under the judge
favour/variance: variance components of the differences from the reference
    measure of axis other? | first_order total:float64? levels
    of = scores of each topic, or means over topics
    axis = judge, topic or system
    other = second axis, for the joint share; family: the part of judge × system by family
    total = total-effect share of the variance; null: by family
    levels = number of levels; of two axes: combinations
favour/numbers: quantities of the answer about favour
    measure quantity | value?
    measure = measure that the quantity is of; empty: of all
favour/answer: the answer: verdict, key number, rows, facts, method and notes
    part | said
"""

"""Favour of judges for families of systems."""

COLUMNS = """
family  string  family of systems
peers  string  other systems: all, equal (nearest in quality, adjusted), or regressed
favour  float64?  difference of differences: judge less reference, of the family less other systems
is_control  bool  whether the label set is a control
equal_quality  float64?  contribution to the favour at equal quality; null: not comparable
equal_less_control  float64?  the same less the control; null: no control labelled the topic
is_own  bool  whether the family is the judge's own
slope  float64?  slope of the difference on quality within families; null: quality is not reliable
slope_beside_control  float64?  slope of the difference from the control; null: without a control
without_gain  int64  topics without any gain: all systems score 0
others  float64  mean reference score of the other systems
gap  float64  mean reference score less that of other systems
carriers  string  documents among the first of: unique (family alone), shared, others, deeper (none)
carried  float64?  part of the favour that the documents carry
carried_share  float64?  carried / favour; null: favour within two standard errors of 0
of_ideal  float64?  part of carried that ideal sums make; null: at equal quality
of_unique  float64?  part that unique documents carry
of_shared  float64?  part that shared documents carry
of_others  float64?  part that documents of others carry
unlabelled  int64  documents that not all label sets have
judge_label  float64?  mean label of the judge, as share of the highest
control  float64?  the same of the controls, in the mean; null: no control labelled the topic
first_reference  int64  systems of the family among the first 10 under the reference
first_without  int64  systems of the family among the first 10 without the favour
turned_for  int64  pairs ordered otherwise than under the reference, for the family
turned_against  int64  pairs ordered otherwise than under the reference, against the family
turned_for_without  int64  turned_for without the favour
turned_against_without  int64  turned_against without the favour
tau_without  float64? [-1..1]  τ_b without the favour
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
    measure judge family topic | value control equal_quality equal_less_control is_own
    value = judge less reference, mean of the family less that of the other systems
favour/documents: parts of the favour by the documents that carry it
    measure judge family beside:string! peers carriers | carried low high of_ideal carried_share
    beside = reference, or control (less the mean of the controls)
    low..high = interval of carried: favour_part
favour/document_labels: mean labels of documents among the first of families and other systems
    measure judge family carriers | documents unlabelled topics reference:float64? judge_label
    control
    documents = labelled documents; topics = topics with labelled documents
    reference = mean label of the reference, as share of the highest
    control = mean label of the controls, as share of the highest; null: without a control
favour/unique_labels: labels of unique documents compared with those of the other first documents
    measure judge family beside:string! peers | difference:float64? low high p_adjusted
    beside = reference or control: what is taken off the judge's labels, as shares of the highest
    peers = all, or equal (documents of the same reference grade)
    difference = mean over unique documents less that over the others
    low..high = interval of difference: label_difference
    p_adjusted = p-value (Student's or Hall's t), corrected over judges and families (Holm)
favour/document_grades: labelled documents by the grades of two label sets
    measure judge family carriers reference:float64 grade | documents
    judge = judge or control
    reference = grade of the reference; grade = grade of the judge or control
    documents = documents with these grades
favour/top_documents: the 20 documents with the largest parts of each favour
    measure judge family topic docno | carried systems others:int64 reference:float64?
    grade:float64? control
    carried = part of the favour of all topics: at equal quality and less the control, if any
    systems = systems of the family with the document among the first
    others = other systems with the document among the first
    reference = grade of the reference; grade = grade of the judge; control = mean control grade
favour/topic_parts: parts of each topic's difference of differences by the documents that carry it
    measure judge family topic | of_unique of_shared of_others
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
favour/answer
"""

"""Cuts of scales: the best ones, their effects, their users."""

COLUMNS = """
{topic}  float64? [..1]  α of the topic at that cut
{criterion}  float64?  value of the criterion, over the whole collection
n_defined  int64  units with a defined α (for `*`: topics that are averaged)
other_if_drop  bool?  whether another cut is best where an undefined α is dropped
other_if_one  bool?  whether another cut is best where an undefined α counts as 1
other_if_zero  bool?  whether another cut is best where an undefined α counts as 0
threshold  string  which threshold: c1, c2 or c3
values  int64  number of the highest distinct values covered
per_topic  float64? [..1]  value under each topic's own best cut
single  float64? [..1]  value under the one cut for all topics
share_higher  float64? [0..1]  share of cuts with a higher value
tied_low  float64? [-1..1]  lowest τ_b of the cuts that tie with the best
tied_high  float64? [-1..1]  highest τ_b of the cuts that tie with the best
significant_first  int64  systems that it differs from significantly, in the comparison
significant_second  int64  systems that it differs from significantly, under the cut
source_alpha  float64? [..1]  α of the workers on their own scale
level_0  float64?  width of level 0
level_1  float64?  width of level 1
level_2  float64?  width of level 2
level_3  float64?  width of level 3
r  float64? [-1..1]  Pearson's correlation of width and share of relevant documents
mean_first  float64?  mean threshold by the first reference
mean_second  float64?  mean threshold by the second reference
p_unpaired  float64? [0..1]  p-value of Welch's test
mean_alpha  float64? [..1]  mean α over topics
single_c1  float64?  the cut with the highest mean: its first threshold
single_c2  float64?  the cut with the highest mean: its second threshold
single_c3  float64?  the cut with the highest mean: its third threshold
single_value  float64? [..1]  α of that cut over all judgments together
single_mean_alpha  float64? [..1]  mean α of that cut over topics
pool_documents  int64  documents of the pool
best_topics  int64  topics where the cut is one of the best
picks  string  criterion that picks the cut
measured  string  criterion that the pick is measured by
alpha_first  float64? [..1]  mean α of the first transformation
alpha_second  float64? [..1]  mean α of the second transformation
"""

TABLES = """
[cuts]
cuts/alpha: α of every cut, a column for each topic; `regrade.read_long` gives a row for each
    c1! c2! c3! | {topic} mean? n_topics!
    mean = mean over the topics with a defined α for at least half of the units
cuts/best_cuts: the best cut of each search, for each topic and for all topics
    method reference? topic | c1 c2 c3 value? tied runs n_defined n other_if_drop other_if_one
    other_if_zero note
    method = method of the search; `tau` maximises τ_b itself
    reference = set compared with; for `tau` the expert; topic = topic; `*`: one cut for all topics
    value = α of the cut; τ_b where the method is `tau`
    runs = runs of neighbouring cuts that share the best value; the cut is the middle of the widest
    n = units (for `*`: topics)
cuts/tied_cuts: every cut that shares the best value
    method reference? topic run c1! c2 c3 |
    topic = topic; `*`: one cut for all topics
cuts/top_cuts: where the thresholds of the cuts with the highest values lie
    method reference? topic threshold values | n_cuts low q1 median q3 high
    low..high = box of the threshold over these cuts
[cuts_described]
cuts/groups: where the thresholds of the best, the middle and the worst cuts lie
    method reference? topic group threshold | n_cuts low q1 median q3 high mean
    group = best, median or worst by α
    low..high = box of the threshold over the group's cuts
    mean = mean of the threshold
cuts/group_counts: frequency of each value as a threshold of the best, middle and worst cuts
    method reference? topic group threshold value | n_cuts
    group = best, median or worst by α; value = value of the source scale
    n_cuts = cuts of the group with that threshold
cuts/widths: widths of the levels of the best, middle and worst cuts
    method reference? topic group | n_cuts width level_0 level_1 level_2 level_3
    group = best, median or worst by α; width = highest less lowest threshold, mean over the group
cuts/width_correlations: whether topics with wider cuts have more relevant documents
    method reference? group labels | n_topics r low high p
    group = best, median or worst by α
    low..high = interval of r: correlation_over_topics
cuts/reference_tests: thresholds of topics' best cuts by two references
    method first second threshold | n_topics mean_first mean_second difference? low high t p
    p_unpaired better worse
    difference = mean of the first less the second
    low..high = interval of difference: mean_over_topics
cuts/internal: α among workers on their own scale and under the best cuts
    method topic metric | source_alpha n_defined n per_topic single
    n = units
[recommended_cuts]
cuts/recommended: the recommended cut and its effects, in numbers
    quantity beside | value? low high ties_low ties_high note
    low..high = interval of value: chosen_cut, mean_over_topics, rankings_of_new_topics
    ties_low..ties_high = range of τ_b over tie-breakings within runs
cuts/recommended_systems: systems under the cut and in the comparison
    beside! measure system | first:float64 second:float64 difference first_rank second_rank move
    significant_first significant_second
    first = score in the comparison; second = score under the cut
cuts/answer
[pooled_cuts]
cuts/pooled: the best cut of all judgments together, and the cut with the highest mean
    method reference? | c1 c2 c3 value? mean_alpha tied runs n_defined n single_c1 single_c2
    single_c3 single_value single_mean_alpha note
    value = α of the cut over all judgments together
    runs = runs of neighbouring cuts that share the best value; n_defined = units with a defined α
    n = units
[overlaps]
overlaps/sets: the documents of a pool that each set has judged
    set | kind simulated levels? topics documents pool pool_documents shared share
    shared = documents of the pool that the set has judged; share = shared over the pool's documents
[rankings]
rankings: agreement of system rankings under the best cuts with the experts' rankings
    method reference? selection expert! measure | tau n_systems n_topics
cuts/tau: τ_b of systems' rankings with the expert's under every cut, a column for each topic;
        `regrade.read_long` gives a row for each
    c1! c2! c3! | {topic} mean? n_topics!
    {topic} = τ_b of the systems' ranking on that topic
    mean = τ_b of the ranking by the mean over topics
cuts/tau_topics: τ_b of the chosen cuts among all cuts
    method reference? expert! topic | low q1 median q3 high per_topic single share_higher tied_low
    tied_high
    low..high = box of τ_b over all cuts
    tied_low..tied_high = range of τ_b over the cuts that tie with the best
    share_higher = share of cuts with a higher τ_b than the topic's best by α
[cut_comparisons]
cut-comparisons/agreement: two transformations' best α over the topics that both have it for
    first second method reference? selection | n_topics alpha_first alpha_second difference? low
    high t p better worse
    difference = first less second
    low..high = interval of difference: mean_over_topics
[cut_criteria]
cuts/criteria: every criterion of every cut over the whole collection, a column for each;
        `regrade.read_long` gives a row for each
    c1! c2! c3! | {criterion}
cuts/picked: the cut that each criterion selects, and its value by every other criterion
    reference picks selection topic (c1 c2 c3 tied? runs?) measured | value? best:float64? cost
    share_higher
    runs = runs of neighbouring cuts that share the best value
    best = the best value of any cut, where known; cost = best less value
cuts/fronts: Pareto-optimal cuts by two criteria
    reference criterion against! c1! c2 c3 | value other:float64 tied
    against = the second criterion; value = value of the first criterion
    other = value of the second criterion; tied = cuts with both values
[cut_levels]
cuts/levels: the best cuts into 2 to 7 levels
    search levels selection topic | c1 c2 c3 c4 c5 c6 value? held_out:float64? exact tied? n_cuts
    n_topics?
    value = α of the cut
    held_out = mean over topics of α at the one cut that is best for the others
    exact = whether no better cut can exist; n_cuts = cuts into so many levels
[cut_levels_and_systems]
cuts/levels_tau: rankings of systems under these cuts
    search levels selection expert! measure | n_topics tau
[expert_cuts]
expert-cuts/agreement: α of experts' labels, cut into two levels, with other experts'
    source reference (documents) c1! | alpha mean_alpha best_topics n_topics
    documents = documents that both judged; alpha = α over all documents together
expert-cuts/topics: the same topic by topic
    source reference topic (documents) c1! | alpha best
    documents = documents that both judged
    best = whether the cut has the topic's highest α, or shares it
"""

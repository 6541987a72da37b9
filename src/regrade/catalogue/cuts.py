"""Cuts of scales: the best ones, how sure they are, what they do, whom they serve."""

COLUMNS = """
selection  string  per-topic: each topic's own cut; single: one cut for all topics
{topic}  float64? [..1]  α of the topic at that cut
{criterion}  float64?  value of the criterion, over the whole collection
n_defined  int64  units with a defined α (for `*`: topics that are averaged)
other_if_drop  bool?  whether another cut is best where an undefined α is dropped
other_if_one  bool?  whether another cut is best where an undefined α counts as 1
other_if_zero  bool?  whether another cut is best where an undefined α counts as 0
threshold  string  which threshold: c1, c2 or c3
values  int64  how many of the highest distinct values are covered
n_cuts  int64  cuts
expert  string?  set of experts' labels that systems are ranked by
per_topic  float64? [..1]  value under each topic's own best cut
single  float64? [..1]  value under the one cut for all topics
share_higher  float64? [0..1]  share of cuts with a higher value
tied_low  float64? [-1..1]  lowest τ_b of the cuts that tie with the best
tied_high  float64? [-1..1]  highest τ_b of the cuts that tie with the best
beside  string?  what it is held beside: a cut by name, or an expert
significant_first  int64  systems that it differs from significantly, beside
significant_second  int64  systems that it differs from significantly, under the cut
times  int64  draws that chose the cut
source_alpha  float64? [..1]  α of the workers on their own scale
level_0  float64?  width of level 0
level_1  float64?  width of level 1
level_2  float64?  width of level 2
level_3  float64?  width of level 3
r  float64? [-1..1]  Pearson's correlation of width and share of relevant documents
mean_first  float64?  mean threshold by the first reference
mean_second  float64?  mean threshold by the second reference
p_unpaired  float64? [0..1]  p-value of Welch's test
better  int64  topics (or judges) where the first value is higher
worse  int64  topics (or judges) where the first value is lower
mean_alpha  float64? [..1]  mean α over topics
single_c1  float64?  the cut with the highest mean: its first threshold
single_c2  float64?  the cut with the highest mean: its second threshold
single_c3  float64?  the cut with the highest mean: its third threshold
single_value  float64? [..1]  α of that cut over all judgments together
single_mean_alpha  float64? [..1]  mean α of that cut over topics
pool_documents  int64  documents of the pool
error  float64? [0..]  standard error of the difference, over topics
tau_best  float64? [-1..1]  τ_b with the ranking of systems under the best cut
on  int64  cuts that cannot be told from the best
q  float64?  critical value that the difference is held against
c1_low  float64?  lowest first threshold of the plateau
c1_high  float64?  highest first threshold of the plateau
c2_low  float64?  lowest second threshold of the plateau
c2_high  float64?  highest second threshold of the plateau
c3_low  float64?  lowest third threshold of the plateau
c3_high  float64?  highest third threshold of the plateau
alpha_best  float64? [..1]  α of the best cut
other_first  float64? [0..1]  share of these cuts where another system is first
tau_best_low  float64? [-1..1]  lowest τ_b with the ranking under the best cut
tau_chosen  float64? [-1..1]  τ_b of the best cut with the expert's ranking
split  string  what is held out: topics, documents, units or systems
training  float64?  value on what the cut was chosen on
in_sample  float64?  value where cuts are chosen and judged on everything
optimism  float64?  how much better the cut looks than it is: in sample less held out
optimism_low  float64?  lower end of the optimism
optimism_high  float64?  upper end of the optimism
optimism_p  float64? [0..1]  p-value of the optimism
chosen_on  string  judge, topic, … that the cut was chosen on; `*`: the one cut for all
used_on  string  judge, topic, … that the cut is used on; `*`: the mean over all users
own  float64?  value under the user's own best cut
n_users  int64?  users that the mean is over
n_judgments  int64  judgments of the judge
n_compared  int64  of these, the ones that can be compared with others'
others_c1  float64?  the others' best cut: its first threshold
others_c2  float64?  the others' best cut: its second threshold
others_c3  float64?  the others' best cut: its third threshold
others_alpha  float64? [..1]  α of this judge's judgments under the others' best cut
held_out_others  float64? [..1]  the same of the others' cut
n_judges  int64?  judges with a cut
n_few  int64?  judges with too few judgments for one
n_held_out  int64?  judges that the means held out are over
vote  string  vote or model that makes one label of many
when  string  whether it votes before or after cutting
drawn  string  documents: each has judges of its own; workers: the same for all
everything  bool  whether these are all judgments
full  float64?  value by all judgments
trained  string?  what the rule learnt on: own topics, another transformation; null: nothing
regret  float64? [0..]  α of the best cut less that of the one found
budget  int64  labels of a topic, or topics with labels
epsilon  float64 [0..]  regret that is small enough
enough  bool?  whether the mean regret here, and with more, is within ε
best_topics  int64  topics where the cut is one of the best
picks  string  criterion that picks the cut
measured  string  criterion that the pick is measured by
alpha_first  float64? [..1]  mean α of the first transformation
alpha_second  float64? [..1]  mean α of the second transformation
"""

TABLES = """
[cuts]
cuts/alpha: α of every cut, topic by topic
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
cuts/group_counts: how often each value is a threshold among the best, middle and worst cuts
    method reference? topic group threshold value | n_cuts
    group = best, median or worst by α; value = value of the source scale
    n_cuts = cuts of the group with that threshold
cuts/widths: how wide the levels of the best, middle and worst cuts are
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
cuts/internal: α of workers among each other on their own scale, beside that under the best cuts
    method topic metric | source_alpha n_defined n per_topic single
    n = units
[recommended_cuts]
cuts/recommended: the cut to use, and what it does, in numbers
    quantity beside | value? low high ties_low ties_high note
    low..high = interval of value: chosen_cut, mean_over_topics, rankings_of_new_topics
    ties_low..ties_high = range of τ_b over orders of documents of one score in a run
cuts/recommended_systems: systems under the cut and under what it is held beside
    beside! measure system | first:float64 second:float64 difference first_rank second_rank move
    significant_first significant_second
    first = score under what the cut is held beside; second = score under the cut
cuts/answer: the cut to use, and what it does, in sentences
    part | said
[pooled_cuts]
cuts/pooled: the best cut of all judgments together, beside the one with the highest mean
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
rankings: how like the experts' the rankings of systems are under the best cuts
    method reference? selection expert! measure | tau n_systems n_topics
cuts/tau: τ_b of systems' rankings with the expert's, under every cut, topic by topic
    c1! c2! c3! | {topic} mean? n_topics!
    {topic} = τ_b of the systems' ranking on that topic
    mean = τ_b of the ranking by the mean over topics
cuts/tau_topics: how chosen cuts fare among all cuts by τ_b
    method reference? expert! topic | low q1 median q3 high per_topic single share_higher tied_low
    tied_high
    low..high = box of τ_b over all cuts
    tied_low..tied_high = range of τ_b over the cuts that tie with the best
    share_higher = share of cuts with a higher τ_b than the topic's best by α
[trust]
cuts/held_out: choices judged on what they were not made on, means over topics
    method reference? split criterion expert selection | n_topics in_sample training
    held_out:float64? optimism optimism_low optimism_high optimism_p difference? low high t p
    better? worse? weight note
    selection = single, per-topic, or pooled: the topic's own drawn towards the single one
    held_out = value on what was held out
    optimism_low..optimism_high = interval of optimism: mean_over_topics
    difference = held-out value less that of the single cut
    low..high = interval of difference: held_out_difference
    weight = of the topic's own cut where the two are pooled, mean
cuts/held_out_topics: the same topic by topic
    method reference? split criterion expert selection topic | training value? weight
    selection = single, per-topic, or pooled: the topic's own drawn towards the single one
    value = on the topic held out, or the mean over repeats of the parts held out
    weight = of the topic's own cut where the two are pooled
cuts/gains: what the one cut for all topics has, and gains over given ones, chosen and held out
    method reference? against | n_topics in_sample held_out:float64? low high
    against = cut by name whose value is taken off; null: nothing, the value itself
    in_sample = mean over the topics that chose the cut
    held_out = mean over topics that did not: of halves, each under the cut that the other chose
    low..high = interval of held_out: chosen_cut
cuts/bootstrap: how much cuts, their α and τ_b move when something is drawn anew
    method reference? resampled topic selection quantity expert against | estimate low high bias
    resamples undefined note
    selection = per-topic, single (chosen anew in each draw), best (as chosen), or a cut by name
    quantity = c1 … of the chosen cut, alpha or tau
    against = selection that the quantity is less that of
    low..high = range of the estimate over 95 % of the draws
    undefined = draws without a value
cuts/chosen: how often each cut was chosen among the draws
    method reference? resampled topic c1! c2 c3 | times share!
    share = share of all draws
cuts/plateau: the cuts for all topics that cannot be told from the best
    method reference? c1! c2 c3 | alpha! difference error share best tau_best
    alpha = mean α over topics; difference = α of the best cut less that of this one
    share = share of draws of topics where the cut is at least as good as the best
    best = whether it is the best cut
cuts/plateau_effects: what choosing another cut of the plateau changes
    method reference? expert | n_topics n_cuts on q c1_low c1_high c2_low c2_high c3_low c3_high
    alpha_best alpha_low n_systems? moved? farthest:int64? other_first tau_best_low tau_chosen
    tau_low tau_high said? note
    n_cuts = cuts that were looked at
    moved = systems with another place under some of these cuts
    c1_low..c1_high = range of the first threshold over the plateau
    c2_low..c2_high = range of the second threshold over the plateau
    c3_low..c3_high = range of the third threshold over the plateau
    alpha_low = lowest α of the plateau
    tau_low..tau_high = range of τ_b with the expert's ranking over the plateau
[trust_without_labels]
cuts/unlabelled: each topic's cut chosen without its labels
    method reference? rule trained topic | c1 c2 c3 alpha regret n_topics difference? low high
    note
    topic = topic; `*`: means over topics; difference = α less that of the single cut
    low..high = interval of difference: rule_difference
cuts/budget: how much labelling finds a cut
    method reference? selection unit! budget | regret low high within epsilon enough samples note
    unit = what is counted: labels or topics
    regret = mean over samples of the best cut's α less that of the one found
    low..high = range of regret over 95 % of the samples
[per_judge]
cuts/judges: each judge's own best cut beside that of all others
    method reference? judge | n_judgments n_compared c1 c2 c3 tied? alpha others_c1 others_c2
    others_c3 others_alpha lost held_out:float64? held_out_others n_judges n_few n_held_out
    difference? low high p better? worse? note
    judge = worker; `*`: means over the judges with a cut; alpha = α under the judge's own best cut
    held_out = α of the judge's own cut on halves that did not choose it
    difference = own cut less the others', both held out
    low..high = interval of difference: mean_over_judges
cuts/transfer: cuts chosen on one judge, topic, transformation or collection and used on another
    method reference? by selection chosen_on used_on (c1 c2 c3) quantity expert | value? own lost
    low high n_topics? n_users note
    by = workers, topics, transformations or collections
    low..high = interval of lost: chosen_cut, others_cuts, mean_over_topics, mean_over_judges
cuts/aggregated: labels made one by votes and models, before and after cutting, under the best cut
    reference? vote when selection (c1 c2 c3) quantity expert | value? held_out:float64?
    difference? low high n_topics n_cuts note
    held_out = value on topics that did not choose the cut
    difference = α less that of the first vote before cutting
    low..high = interval of difference: mean_over_topics
cuts/fewer: what fewer judges of each document would have done
    method reference? drawn per_document:int64 (everything cost documents:float64? short)
    selection quantity expert | estimate low high full samples undefined note
    per_document = judges of each document; documents = documents judged, mean over topics
    quantity = alpha, tau, or regret of the one cut chosen by them in α by all judgments
    estimate = mean over samples
    low..high = range of the quantity over 95 % of the samples
    undefined = samples without a value
[cut_comparisons]
cut-comparisons/agreement: two transformations' best α over the topics that both have it for
    first second method reference? selection | n_topics alpha_first alpha_second difference? low
    high t p better worse
    difference = first less second
    low..high = interval of difference: mean_over_topics
[cut_criteria]
cuts/criteria: every criterion of every cut over the whole collection
    c1! c2! c3! | {criterion}
cuts/picked: the cut that each criterion picks, and what it is worth in every other
    reference picks selection topic (c1 c2 c3 tied? runs?) measured | value? best:float64? cost
    share_higher
    runs = runs of neighbouring cuts that share the best value
    best = the best value of any cut, where known; cost = best less value
cuts/fronts: the cuts that none beats in two criteria at once
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

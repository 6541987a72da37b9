"""Which cut to trust: held out, drawn anew, chosen with fewer labels, by each judge."""

COLUMNS = """
times  int64  samples that chose the cut
tau_best  float64? [-1..1]  τ_b with the ranking of systems under the best cut
on  int64  cuts that are not significantly worse than the best, with the best
q  float64?  critical value of the studentised difference
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
split  string  held-out units: topics, documents, units or systems
training  float64?  value on what the cut was chosen on
in_sample  float64?  in-sample value: cuts are chosen and evaluated on the same data
optimism  float64?  optimism of the cut: in-sample less held-out value
optimism_low  float64?  lower end of the optimism
optimism_high  float64?  upper end of the optimism
optimism_p  float64? [0..1]  p-value of the optimism
chosen_on  string  judge, topic, … that the cut was chosen on; `*`: the one cut for all
used_on  string  judge, topic, … that the cut is used on; `*`: the mean over all users
own  float64?  value under the user's own best cut
n_users  int64?  users that the mean is over
n_judgments  int64  judgments of the judge
n_compared  int64  judgments that can be compared with other judges'
others_c1  float64?  the others' best cut: its first threshold
others_c2  float64?  the others' best cut: its second threshold
others_c3  float64?  the others' best cut: its third threshold
others_alpha  float64? [..1]  α of this judge's judgments under the others' best cut
held_out_others  float64? [..1]  the same of the others' cut
n_judges  int64?  judges with a cut
n_few  int64?  judges with too few judgments for one
n_held_out  int64?  judges that the means held out are over
vote  string  vote or model that aggregates labels
when  string  whether it votes before or after cutting
drawn  string  documents: each has judges of its own; workers: the same for all
everything  bool  whether these are all judgments
full  float64?  value from all judgments
trained  string?  training data of the rule: own topics, another transformation; null: none
regret  float64? [0..]  α of the best cut less that of the one found
budget  int64  labels of a topic, or topics with labels
epsilon  float64 [0..]  regret that is small enough
enough  bool?  whether the mean regret here, and with more, is within ε
"""

TABLES = """
[trust]
cuts/held_out: held-out evaluation of choices, means over topics
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
cuts/gains: value of the one cut for all topics, and its gains over given cuts, in sample and held
        out
    method reference? against | n_topics in_sample held_out:float64? low high
    against = cut by name whose value is taken off; null: nothing, the value itself
    in_sample = mean over the topics that chose the cut
    held_out = mean over topics that did not: of halves, each under the cut that the other chose
    low..high = interval of held_out: chosen_cut
cuts/bootstrap: variation of cuts, their α and τ_b over bootstrap samples
    method reference? resampled topic selection quantity expert against | estimate low high bias
    resamples undefined note
    selection = per-topic, single (chosen again in each sample), best (as chosen), or a cut by name
    quantity = c1 … of the chosen cut, alpha or tau
    against = selection that the quantity is less that of
    low..high = range of the estimate over 95 % of the samples
    undefined = samples without a value
cuts/chosen: frequency of each cut over the bootstrap samples
    method reference? resampled topic c1! c2 c3 | times share!
    share = share of all samples
cuts/plateau: the cuts for all topics that are not significantly worse than the best
    method reference? c1! c2 c3 | alpha! difference error share best tau_best
    alpha = mean α over topics; difference = α of the best cut less that of this one
    share = share of bootstrap samples in which the cut's α is at least the best cut's
    best = whether it is the best cut
cuts/plateau_effects: effect of choosing another cut of the plateau
    method reference? expert | n_topics n_cuts on q c1_low c1_high c2_low c2_high c3_low c3_high
    alpha_best alpha_low n_systems? moved? farthest:int64? other_first tau_best_low tau_chosen
    tau_low tau_high resamples:int64? seed said? note
    n_cuts = cuts examined
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
cuts/budget: labels needed to find a cut
    method reference? selection unit! budget | regret low high within epsilon enough samples note
    unit = counted units: labels or topics
    regret = mean over samples of the best cut's α less that of the one found
    low..high = range of regret over 95 % of the samples
[per_judge]
cuts/judges: each judge's own best cut, and the best cut of all others
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
cuts/fewer: effect of fewer judges per document
    method reference? drawn per_document:int64 (everything cost documents:float64? short)
    selection quantity expert | estimate low high full samples undefined note
    per_document = judges of each document; documents = documents judged, mean over topics
    quantity = alpha, tau, or regret of the one cut chosen by them in α by all judgments
    estimate = mean over samples
    low..high = range of the quantity over 95 % of the samples
    undefined = samples without a value
"""

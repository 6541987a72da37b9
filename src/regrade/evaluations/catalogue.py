"""Two label sets compared, and several judges compared with one reference."""

COLUMNS = """
relation  string  the judge's scale relative to the reference's: finer, equal or coarser
cut  string  cut of the judge's values
jaccard  float64 [0..1]  Jaccard coefficient of the two sets of top systems
jaccard_low  float64? [0..1]  lower end of the Jaccard coefficient
jaccard_high  float64? [0..1]  upper end of the Jaccard coefficient
new_low  float64? [-1..1]  lower end for as many new topics
new_high  float64? [-1..1]  upper end for as many new topics
defined  int64  samples with a value
reference_grade  float64  grade of the reference
change_p  float64? [0..1]  p-value of the change of the difference, after Benjamini and Hochberg
change  string  change from the first set to the second
only_second  int64  documents that only the second set judged
as_not_relevant  int64  unjudged documents of judged topics: not relevant in scores
kappa  float64? [..1]  Cohen's κ
weighted_kappa  float64? [..1]  Cohen's weighted κ
first_difference  float64  difference of the systems' means under the first set
second_difference  float64  difference of the systems' means under the second set
first_p  float64? [0..1]  p-value under the first set
second_p  float64? [0..1]  p-value under the second set
first_significant  bool  whether they differ significantly under the first set
second_significant  bool  whether they differ significantly under the second set
splits  int64  splits of the topics into halves
"""

TABLES = """
[compare]
compare/facts: numbers of compared items, and undefined comparisons
    quantity | value? note!
    note = what was chosen, or why the value is undefined, where nothing else says so
compare/answer
[compare_labels]
compare/agreement: agreement on co-judged documents, by topic and overall
    topic | first:int64 second:int64 both only_first only_second equal? difference? alpha kappa
    weighted_kappa
    first = documents that the first set judged; second = documents that the second set judged
    equal = exact agreement: share of co-judged documents with equal grades
    difference = mean of the second grade less the first, on co-judged documents
    alpha = Krippendorff's α by `metric` of `compare`
compare/labels: agreement of labels over all documents
    quantity | value? low high defined resamples
    quantity = equal (share with equal grades), difference (mean of the second grade less the
        first), alpha (by `metric` of `compare`), kappa, linear_kappa or quadratic_kappa (weighted)
    low..high = interval of value: agreement
compare/grade_bias: how much higher or lower the second set grades what the first gives each grade
    grade | documents topics equal? difference? low high
    grade = grade of the first set; documents = documents of that grade that both judged
    topics = topics that have such documents; equal = share with equal grades
    difference = mean of the second grade less the first
    low..high = interval of difference: grade_bias
compare/confusion: documents by their two grades
    first_grade second_grade | documents
[compare_systems]
compare/rankings: agreement of the two rankings of systems
    measure quantity | value? low high new_low new_high defined resamples ties_low ties_high
    low..high = interval of value: rankings_alike, top_systems
    new_low..new_high = interval of value: rankings_of_new_topics, top_systems_of_new_topics
    ties_low..ties_high = range of τ_b over tie-breakings within runs
compare/systems: each system under both sets
    measure system | group first:float64 second:float64 difference low high first_rank second_rank
    move gain gain_low gain_high
    group = group of the system; first = score under the first set
    second = score under the second set
    low..high = interval of difference: mean_over_topics
    gain = gain of the system's standard score among the systems
    gain_low..gain_high = interval of gain: standardised_gain
compare/top: systems that enter or leave the top k
    measure k system | first_rank second_rank change
    k = number of top systems
compare/top_k: the top k systems under both sets
    measure k | first:int64 second:int64 shared jaccard jaccard_low jaccard_high
    tau? tau_low tau_high
    k = number of top systems; first = systems at rank k or above under the first set
    second = systems at rank k or above under the second set; shared = systems of both
    tau = τ_b of the two rankings of the top k under the first set; null: one system
    jaccard_low..jaccard_high = interval of jaccard: top_systems
    tau_low..tau_high = interval of tau: top_systems
compare/pairs: change of each pair of systems
    measure system other | first_difference second_difference first_p second_p first_significant
    second_significant outcome change change_p
    outcome = agreement of the two sets about the pair; change = change of its significance
compare/pair_counts: number of pairs of systems by outcome and change
    measure outcome change | pairs share
    outcome = agreement of the two sets about the pair; pairs = pairs of systems
compare/changes: changed pairs of systems, and changes expected from topic sampling
    measure | pairs changed significant_changes by_topics low high moved
    farthest
    pairs = pairs of systems; changed = pairs whose significance appears, disappears or reverses
    significant_changes = changed pairs whose change is individually significant (corrected test);
        null: fewer than 25 topics
    low..high = range of changed pairs over 95 % of pairs of bootstrap samples
compare/topics: agreement of the systems' scores, by topic
    measure topic | tau first:float64 second:float64 difference
    tau = τ_b of the systems' scores on the topic
    first = mean score of all systems under the first set
    second = mean score of all systems under the second set
compare/groups: gains of groups of systems
    measure group | systems gain low high move:float64
    gain = mean gain of the group's systems in standard scores
    low..high = interval of gain: standardised_gain
    move = mean number of places gained
compare/reliability: split-half agreement of rankings, within one set and between both sets
    measure quantity of | value? low high defined splits topics
    quantity = tau, tau_ap or another correlation of the two rankings
    value = mean over the splits
    low..high = range of value over 95 % of the splits
    defined = splits with a value; topics = topics of a half
[judges]
judges/ranked: judges by agreement with the reference, the best first: uncut, or under the
        held-out cut if the scale is finer
    judge | cut held_out measure? alpha alpha_low alpha_high tau tau_low tau_high difference? low
    high p_adjusted verdict? pairs? changed?
    measure = measure that ranks the systems; null: without runs
    alpha_low..alpha_high = interval of alpha: agreement
    tau = τ_b of the rankings of systems under judge and reference
    tau_low..tau_high = interval of tau: rankings_alike
    difference = τ_b less that of the first judge
    low..high = interval of difference: best_judge
    p_adjusted = p-value corrected for all pairs of judges (max-t over the same samples)
    pairs = pairs of systems
judges/numbers: quantities of the answer about judges
    quantity | value
judges/answer
[judges_labels]
judges/sets: judged documents of each judge
    judge reference | relation levels? distinct topics documents shared unjudged
    as_not_relevant note!
    levels = levels of the judge's scale; null: not counted
    unjudged = documents of the reference that the judge did not judge
judges/cuts: the cuts of each judge; null: uncut, no such threshold, or several cuts
    judge cut held_out topic | c1 c2 c3 alpha
judges/agreement: agreement of each judge with the reference, under every cut
    judge cut held_out quantity | value? low high gain gain_low gain_high defined resamples note!
    quantity = mean_alpha, alpha (both by `metric` of `judges`), kappa or weighted_kappa
    low..high = interval of value: agreement
    gain = gain over the rounded cut of the same judge
    gain_low..gain_high = interval of gain: agreement
judges/confusion: documents by their two labels
    judge cut held_out reference_grade level:float64! | documents
    level = level of the judge's label
[judges_cut_scores]
judges/variance: variance components of systems' scores, for judges on a finer scale
    measure of axis other? | first_order total:float64? levels
    of = scores of each topic, or means over topics, which rank the systems
    axis = judge, cut (common to all judges, held out where chosen), topic or system
    other = second axis, for the joint share; null: axis alone
    total = total-effect share of the variance of the axis, or of both
    levels = number of levels; of two axes: combinations
[judges_and_systems]
judges/rankings: agreement of each judge's system ranking with the reference, under every cut
    judge cut held_out measure quantity | value? low high new_low new_high gain gain_low gain_high
    defined resamples ties_low ties_high note!
    quantity = tau, tau_ap, or of scores by item rbo
    low..high = interval of value: rankings_alike
    new_low..new_high = interval of value: rankings_of_new_topics
    ties_low..ties_high = range of τ_b over tie-breakings within runs
    gain = gain over the rounded cut of the same judge
    gain_low..gain_high = interval of gain: rankings_alike
judges/differences: difference of each judge's τ_b from the best judge's
    judge cut held_out measure | difference low high p_adjusted verdict draw_error resamples
    draw_error = Monte Carlo standard error of low and high; null with too few samples
    resamples = bootstrap samples of topics; more where the verdict would depend on them
    p_adjusted = p-value corrected for all pairs of judges (max-t over the same samples)
    difference = its τ_b (uncut, or under the single cut held out) less that of the best judge
    low..high = interval of difference: best_judge
judges/samples: τ_b of each judge's system ranking with the reference's in bootstrap samples of
        topics, for each judge as in `differences`
    judge cut held_out measure replicate | topics tau
    replicate = bootstrap sample of topics, the same for all judges; 0: all topics once
    topics = topics of a sample
judges/top_k: the top k systems under reference and judge
    judge cut held_out measure k | first:int64 second:int64 shared jaccard jaccard_low jaccard_high
    tau? tau_low tau_high
    k = number of top systems; first = systems at rank k or above under the reference
    second = systems at rank k or above under the judge; shared = systems of both
    tau = τ_b of the two rankings of the top k under the reference; null: one system
    jaccard_low..jaccard_high = interval of jaccard: top_systems
    tau_low..tau_high = interval of tau: top_systems
judges/topics: agreement of the systems' scores under each judge with the reference, by topic
    judge cut held_out measure topic | tau first:float64 second:float64 difference
    tau = τ_b of the systems' scores on the topic
    first = mean score of all systems under the reference
    second = mean score of all systems under the judge
judges/pairs: changes of pairs of systems from the reference to the judge
    judge cut held_out measure change | pairs share
    change = change of their significance; pairs = pairs of systems
judges/changes: changed pairs of systems, and changes expected from topic sampling
    judge cut held_out measure | pairs changed significant_changes by_topics low high
    pairs = pairs of systems; changed = pairs whose significance appears, disappears or reverses
    significant_changes = changed pairs whose change is individually significant (corrected test);
        null: fewer than 25 topics
    low..high = range of changed pairs over 95 % of pairs of bootstrap samples
"""

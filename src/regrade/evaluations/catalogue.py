"""Two sets of judgments side by side, and several judges beside one reference."""

COLUMNS = """
relation  string  the judge's scale beside the reference's: finer, equal or coarser
cut  string  how the judge's values are cut
alpha_high  float64? [..1]  upper end of α
gain_low  float64?  lower end of the gain
new_low  float64? [-1..1]  lower end for as many new topics
new_high  float64? [-1..1]  upper end for as many new topics
gain_high  float64?  upper end of the gain
defined  int64  draws with a value
reference_grade  float64  grade of the reference
change_p  float64? [0..1]  p-value of the change of the difference, after Benjamini and Hochberg
changed  int64  pairs whose significance changes
told  int64?  pairs whose change is told from none; null: fewer than 25 topics
by_topics  float64?  changed pairs between two draws of topics under the first set, mean
change  string  what becomes of it from the one set to the other
only_second  int64  documents that only the second set judged
as_not_relevant  int64  of these, those of topics that the judge judged: not relevant in scores
kappa  float64? [..1]  Cohen's κ
weighted_kappa  float64? [..1]  Cohen's weighted κ
first_difference  float64  difference of the systems' means under the first set
second_difference  float64  difference of the systems' means under the second set
first_p  float64? [0..1]  p-value under the first set
second_p  float64? [0..1]  p-value under the second set
first_significant  bool  whether they differ significantly under the first set
second_significant  bool  whether they differ significantly under the second set
of  string  first, second (both halves under that set), between, expected of one order, or excess
splits  int64  splits of the topics into halves
draw_error  float64? [0..]  Monte Carlo standard error
"""

TABLES = """
[compare]
compare/facts: what was compared, and what could not be
    quantity | value? note!
    note = what was chosen, or why the value is undefined, where nothing else says so
compare/agreement: which documents both sets judged, and how alike, by topic and over all
    topic | first:int64 second:int64 both only_first only_second equal? difference? alpha kappa
    weighted_kappa
    first = documents that the first set judged; second = documents that the second set judged
    equal = of both, the share with equal grades
    difference = of both, the mean of the second grade less the first
    alpha = Krippendorff's α by `metric` of `compare`
compare/labels: how alike labels are over all documents
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
compare/answer: what all this says, sentence by sentence
    part | said
[compare_systems]
compare/rankings: how alike the two rankings of systems are
    measure quantity | value? low high new_low new_high defined resamples ties_low ties_high
    low..high = interval of value: rankings_alike
    new_low..new_high = interval of value: rankings_of_new_topics
    ties_low..ties_high = range of τ_b over orders of documents of one score in a run
compare/systems: each system under both sets
    measure system | group first:float64 second:float64 difference low high first_rank second_rank
    move gain gain_low gain_high
    group = group of the system; first = score under the first set
    second = score under the second set
    low..high = interval of difference: mean_over_topics
    gain = gain of the system's standard score among the systems
    gain_low..gain_high = interval of gain: standardised_gain
compare/top: who enters and leaves the first k systems
    measure k system | first_rank second_rank change
    k = how many first systems
compare/pairs: what becomes of each pair of systems
    measure system other | first_difference second_difference first_p second_p first_significant
    second_significant outcome change change_p
    outcome = agreement of the two sets about the pair; change = what becomes of its significance
compare/pair_counts: how many pairs of systems become what
    measure outcome change | pairs share
    outcome = agreement of the two sets about the pair; pairs = pairs of systems
compare/changes: how many pairs of systems change, and how many topics change by themselves
    measure | pairs changed told by_topics low high moved farthest
    pairs = pairs of systems; changed = those whose significance appears, disappears or reverses
    told = of these, those whose change is told by a test of its own (corrected); null: fewer than
        25 topics
    low..high = range of changed pairs over 95 % of the twos of draws of topics
compare/topics: how alike the systems' scores are, topic by topic
    measure topic | tau first:float64 second:float64 difference
    tau = τ_b of the systems' scores on the topic
    first = mean score of all systems under the first set
    second = mean score of all systems under the second set
compare/groups: which groups of systems gain
    measure group | systems gain low high move:float64
    gain = mean gain of the group's systems in standard scores
    low..high = interval of gain: standardised_gain
    move = mean number of places gained
compare/reliability: how alike rankings on halves of the topics are, under one set and between both
    measure quantity of | value? low high defined splits topics
    quantity = tau, tau_ap or another correlation of the two rankings
    value = mean over the splits
    low..high = range of value over 95 % of the splits
    defined = splits with a value; topics = topics of a half
[judges]
judges/sets: what each judge judged
    judge reference | relation levels? distinct topics documents shared unjudged
    as_not_relevant note!
    levels = levels of the judge's scale; null: not counted
    unjudged = documents of the reference that the judge did not judge
judges/cuts: the cuts of each judge; null: uncut, no such threshold, or several cuts
    judge cut held_out topic | c1 c2 c3 alpha
judges/agreement: how each judge agrees with the reference, under every cut
    judge cut held_out quantity | value? low high gain gain_low gain_high defined resamples note!
    quantity = mean_alpha, alpha (both by `metric` of `judges`), kappa or weighted_kappa
    low..high = interval of value: agreement
    gain = on the rounded cut of the same judge
    gain_low..gain_high = interval of gain: agreement
judges/confusion: documents by their two labels
    judge cut held_out reference_grade level:float64! | documents
    level = level of the judge's label
judges/ranked: a line for each judge, the most alike first: uncut, or where it is finer under the
        cut that was held out
    judge | cut held_out measure? alpha alpha_low alpha_high tau tau_low tau_high difference? low
    high verdict? pairs? changed?
    measure = that ranks the systems; null: without runs
    alpha_low..alpha_high = interval of alpha: agreement
    tau = τ_b of the rankings of systems under judge and reference
    tau_low..tau_high = interval of tau: rankings_alike
    difference = τ_b less that of the first judge
    low..high = interval of difference: best_judge
    pairs = pairs of systems
judges/numbers: what the answer about judges is made of
    quantity | value
judges/answer: what all this says, sentence by sentence
    part | said
[judges_and_systems]
judges/rankings: how each judge ranks systems beside the reference, under every cut
    judge cut held_out measure quantity | value? low high new_low new_high gain gain_low gain_high
    defined resamples ties_low ties_high note!
    quantity = tau or tau_ap
    low..high = interval of value: rankings_alike
    new_low..new_high = interval of value: rankings_of_new_topics
    ties_low..ties_high = range of τ_b over orders of documents of one score in a run
    gain = on the rounded cut of the same judge
    gain_low..gain_high = interval of gain: rankings_alike
judges/differences: how much less like the reference each judge ranks systems than the best one
    judge cut held_out measure | difference low high verdict draw_error resamples
    draw_error = Monte Carlo standard error of low and high; null with too few draws
    resamples = draws of topics, of which there are more where a verdict would depend on them
    difference = its τ_b (uncut, or under the single cut held out) less that of the best judge
    low..high = interval of difference: best_judge
judges/variance: how much of the variance of systems' scores is whose, of judges on a finer scale
    measure of axis other? | first_order total:float64? levels
    of = scores of each topic, or means over topics, which rank the systems
    axis = judge, cut (those that all judges have, held out where chosen), topic or system
    other = another of these, for what the two do together; null: axis alone
    total = share of the variance that it has, or both have, any part in
    levels = how many of them there are; of two: combinations
judges/pairs: what becomes of pairs of systems from the reference to the judge
    judge cut held_out measure change | pairs share
    change = what becomes of their significance; pairs = pairs of systems
judges/changes: how many pairs of systems change, and how many topics change by themselves
    judge cut held_out measure | pairs changed told by_topics low high
    pairs = pairs of systems; changed = those whose significance appears, disappears or reverses
    told = of these, those whose change is told by a test of its own (corrected); null: fewer than
        25 topics
    low..high = range of changed pairs over 95 % of the twos of draws of topics
"""

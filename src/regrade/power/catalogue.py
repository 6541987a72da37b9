"""Discriminative power of labels, pages of results, synthetic judgments."""

COLUMNS = """
settled  float64? [..1]  entropy reduction by the labels, as a share of the highest entropy
mode  string  individual or aggregate: each assessor's labels, or all of a document together
served  int64  tests of which both documents have labels
list  string  which documents: judged, top 5, …
entropy  float64 [0..]  discriminative power: mean entropy of the order of a list, low is good
highest  float64? [0..]  entropy of uninformative labels, log n!
way  string  choice of the cut: even, or by power
standard_error  float64? [0..]  standard error of what was sampled
clipped  float64? [0..1]  share of pairs whose probability was clipped
made  int64  number of resulting levels
concordance  float64? [-1..1]  Somers' d of labels with tests
cuts  int64  cuts of which these have the least pairwise entropy
pair_entropy  float64 [0..]  entropy summed over pairs of documents
transformation  string?  transformation whose search chose by agreement
entropy_lost  float64 [0..]  entropy above that of the cut with the most power
alpha_lost  float64? [0..]  α below that of the cut with the best agreement
preferred  int64  topics with a page that people prefer
wrong  int64  topics of which the measure prefers the other page
undecided  int64  topics of which both pages score the same
slice  int32 [1..]  number of the random spread
sets  int64  sets of labels
batch  int32 [1..]  number of the batch
sigma  float64 [0..]  standard deviation σ of the judgments
quality  string  quality of the judgments by σ
batches  int64  batches of judgments
all_tests  float64 [0..]  the value from all tests
formula  string  formula that gives the number
"""

TABLES = """
[power]
power/grades: preferences between documents of each pair of grades
    preferences set mode first:float64 second:float64 | tests:float64 wins probability
    first = grade of the one document; second = grade of the other
    probability = wins over tests
power/served: number of preference tests whose documents have labels
    preferences set | tests served tied
    tied = served tests whose labels tie
power/topics: discriminative power of sets of labels, topic by topic
    preferences set mode list topic | lists documents:float64 entropy? highest exact way
    standard_error clipped finite unseen?
    documents = documents of a list, mean
    entropy = mean over the topic's lists; for `*` over topics; low is good
    exact = whether no list was sampled; way = over all states, as an integral, or sampled
    unseen = share of pairs of grades that no test compares
power/sets: counts of each set, and the agreement of its assessors
    set quantity | value?
    quantity = counts, and alpha, fleiss, weighted or phi
power/intervals: confidence intervals for discriminative power
    preferences set mode list over | n resamples entropy low high
    over = topics or assessors; n = number of topics or assessors
    low..high = interval of entropy: power_over_topics, power_over_assessors
power/differences: whether sets of labels differ in discriminative power
    preferences mode list first second | n_topics difference low high t p p_adjusted
    difference = of PDP, mean over topics, the first less the second
    low..high = interval of difference: power_difference
    p = p-value of the paired t-test, preferences by grade being known
    p_adjusted = p-value, topics being left out with their preferences, of all pairs of sets
power/ranked: a line for each set of labels, the one with most power first
    preferences mode list set | n_topics documents:float64 entropy? low high highest settled
    difference? p unseen?
    n_topics = topics with an entropy; documents = documents of a list, mean
    entropy = mean over topics; low is good; low..high = interval of entropy: power_over_topics
    difference = of PDP, mean over topics, less that of the first set
    p = p-value of the difference, as of power/differences; corrected for all pairs of sets
power/numbers: quantities of the answer about discriminative power
    preferences mode list quantity | value
power/answer
power/extended: effect of spreading grades at random over more grades
    set certainty? slice preferences? list? metric | value?
    certainty = certainty w that grades stay separate; null: unchanged
    preferences = set of preferences; null: of systems; list = which documents; null: of systems
[power_and_systems]
power/discrimination: how many pairs of systems differ significantly under each set
    set measure test | topics pairs undefined significant share!
    pairs = pairs of systems
power/orders: correlation of power with the share of significant pairs of systems
    preferences mode list measure test | sets tau
    tau = τ_b of the sets' order by power and by the share of significant pairs
[power_of_levels]
power/levels: power of sets cut into fewer levels
    preferences set levels way (made alpha concordance) mode list | entropy? standard_error
    levels = requested levels; 0: unchanged; alpha = α of the assessors
power/searched: the cuts with the least pairwise entropy
    preferences set mode list levels (cuts) place | pair_entropy c1 c2 c3 c4 c5 c6 entropy
    standard_error!
    place = by pairwise entropy
power/cuts: the cut chosen by power, evenly or by agreement, and its loss by the other criteria
    preferences set mode list levels transformation search? by | c1 c2 c3 c4 c5 c6 entropy
    entropy_lost alpha alpha_lost
    by = what the cut was chosen by: power, even or agreement
[power_of_levels_and_systems]
power/level_systems: systems under sets cut into fewer levels
    set levels way preferences? mode? list? measure (tau) test | share!
    levels = requested levels; 0: unchanged; tau = τ_b with the ranking under the unchanged set
    share = share of pairs of systems that differ significantly
[pages]
pages/agreement: agreement of measures with human preferences between pages
    set levels way preferences? measure | topics left_out preferred right:int64 wrong undecided
    share low high
    topics = topics with both pages and a preference
    left_out = topics that have a page or a preference, but not all three
    levels = requested levels; 0: unchanged
    right = topics of which the measure prefers that page too
    share = right over preferred, undecided ones counting half
    low..high = interval of share: share_of_topics
[synthetic_power]
synthetic-power/batches: metrics of batches of synthetic judgments
    batch sigma quality? topics grades metric | value?
    quality = quality of the judgments by σ; null: σ outside the paper's
synthetic-power/qualities: discriminative power by the quality of judgments
    quality mode grades | batches topics mean!
    mean = mean discriminative power
synthetic-power/consistency: whether metrics order judgments by their quality
    grades metric | batches rho?
    rho = Spearman's ρ with σ, signed so that 1 is the order of quality
synthetic-power/reliability: discriminative power from few tests
    quality sigma mode grades tests | n all_tests low! q1! median! q3! high!
    tests = tests sampled for each pair of grades; n = number of samples
    low..high = box of the value over samples
synthetic-power/needed: number of tests needed to estimate a probability
    p! within! confidence formula | tests simulated:float64 exact:float64
    p = the probability; within = required precision of the estimate
    confidence = required probability of being that near
    simulated = simulated probability; exact = exact probability
synthetic-power/example: the example of chu2021
    grades quantity | value
"""

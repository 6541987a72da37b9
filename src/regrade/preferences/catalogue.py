"""Judgments about pairs: tasks, answers, scores of documents, how many pairs are enough."""

COLUMNS = """
right_level  string  level of the right document: H, M or N
questions  float64  questions asked, mean over topics
left_level  string  level of the left document: H, M or N
expected_tau  float64? [-1..1]  expected τ with the true order, mean over topics
answers  int64  answers about pairs of documents
spread  float64 [0..]  spread of the strengths that is assumed
scope  string  own: the judge's own triples; common: triples that all judges have
random  float64? [0..1]  mean share of answers at random
random_low  float64? [0..1]  lower end of the share of answers at random
random_high  float64? [0..1]  upper end of the share of answers at random
fitted_low  float64? [0..1]  lower end of the share of a fitted order's answers
fitted_high  float64? [0..1]  upper end of the share of a fitted order's answers
fitted_bias  float64?  bias that was taken off the fitted share
unproven  int64  topics left out because the fewest could not be proven
draw  string  sampling of pairs: random, or connected
connected  float64 [0..1]  share of topics whose documents the pairs join
ranked  string  ranked items: documents or systems
repeats  int64  number of samples of pairs
policy  string  which pair is asked next
stopped  int64  topics or simulated populations in which the rule stopped
sure  float64 [0..1]  confidence of the rule
saved  float64 [0..1]  share of the answers that need not be asked for
reached  float64? [0..1]  share of topics that reach the target
world  string  distribution of the true strengths
assumed  float64? [0..]  spread that is assumed; null: estimated
worlds  int64  number of simulated populations
achieved  float64? [-1..1]  mean τ_b, or overlap, with the truth
groups  int64  groups of the random effect
serves  int64  groups of a partition that each relevant known document is in
partitions  int64  partitions of the design; 0: all of them
judgments_per_document  int64  judgments that a document gets in all partitions
met  float64 [0..1]  mean share of the other documents that a document is compared with
repeated_pairs  int64  pairs that are asked about more than once
role  string  role of the document in the task
gold  int64  answers about pairs whose answer is known
not_relevant  string  document written to be not relevant
stays  string?  document kept from the previous pair
check  string  name of the check
found  int64  answers that the check finds
preference  int64  test questions answered correctly by preference
absolute  float64?  mean share with inconsistent absolute answers
relevance  int64  test questions answered correctly by relevance
question  string  question about the pair
option  string  answer option
accepted  bool  whether the option is correct
component  int64  component of the comparisons; values of one can be compared
components  int64  components of the comparisons
largest  int64  documents of the largest strongly connected component
never_beaten  int64  documents to which none was preferred
never_winning  int64  documents preferred to none
answers_missing  int64  fewest further answers that make all strengths finite and comparable
triples  int64  three documents of which each two were compared, one preferred more often
cycles  int64  circular triads
feedback  float64?  fewest answers that an order disagrees with
affected_low  float64?  fewest documents of such answers, over the best orders
affected_high  float64?  most documents of such answers, over the best orders
agree  int64  pairs that both put in the same order
disagree  int64  pairs that they put in opposite orders
tie  int64  pairs that one of them ties
agree_share  float64? [0..1]  share that agrees
disagree_share  float64? [0..1]  share that disagrees
tie_share  float64? [0..1]  share that ties
alpha_apart  float64? [..1]  Krippendorff's α of pairs with different labels
apart_share  float64? [0..1]  share that agrees, ties excluded
case  string  which document has the higher label: left, right, equal
left_share  float64? [0..1]  share for the left document
right_share  float64? [0..1]  share for the right document
apart  int64  answers about documents with different labels
shown  int64  documents shown, a document once for each unit
once  int64  documents shown by one unit
twice  int64  documents shown by two units
more  int64  documents shown by more units
inconsistent_low  float64? [0..1]  least share of the documents shown with inconsistent preferences
inconsistent_high  float64? [0..1]  largest share of the documents shown with inconsistent
        preferences
inconsistent_absolute  float64? [0..1]  share of documents called both relevant and not relevant
people  float64?  different workers with answers that count, also over all topics
untrusted  int64  answers by untrusted workers
x  string  first variable
y  string  second variable
unfitted  int64  answers that the fit excludes
deviation  float64? [0..]  standard deviation
shape  float64? [0..]  shape of the gamma distribution
scale  float64? [0..]  scale of the gamma distribution
gold_right  int64  pairs with a known answer that were answered correctly
mean_grade  float64?  mean label of the documents shown
gold_workers  int64  workers with pairs whose answer is known
gold_mean  float64? [0..1]  mean over workers of the share of correct known pairs
gold_deviation  float64? [0..]  standard deviation over workers of that share
available  int64  partitions that there are
draws  int64  number of samples of partitions
"""

TABLES = """
[pair_tasks]
pair-tasks/topics: the task of each topic in numbers
    topic | pool:int64 documents groups serves partitions units pairs judgments_per_document met
    repeated_pairs
    pool = documents of the pool; groups = groups of a partition
pair-tasks/documents: number of times that each document is shown
    topic docno | role units pairs left:int64 met:int64
    left = times shown on the left; met = documents it is compared with
pair-tasks/units: what each unit of work (HIT) asks for
    topic partition! unit! | documents pairs gold:int32 relevant:string not_relevant
    gold = position of the pair whose answer is known; relevant = document written to be relevant
pair-tasks/pairs: the pairs in the order in which a unit asks for them
    topic partition! unit! position! | left right stays gold:bool
    gold = whether its answer is known
pair-tasks/tests: pairs of documents written for the topic, whose answers are known
    topic test:int32 | left right left_level right_level
    test = number of the test question
[pairs]
preferences/scores: scores of documents from preferences
    topic docno method | value? low high component note
    low..high = interval of value: strength
preferences/graphs: connection and identifiability of each topic's comparisons
    topic | documents preferences:int64 pairs ties components largest never_beaten never_winning
    finite:bool! answers_missing
    preferences = answers; pairs = pairs that were compared
    largest = documents of the largest component
    finite = whether every document's strength is finite
preferences/sides: how often the left document is preferred, of answers with sides that are no ties
    topic | preferences:int64 left:int64 share low high
    preferences = answers with sides that are no ties; left = answers for the left document
    low..high = interval of share: share_of_sides
preferences/consistency: consistency of preferences with a ranking
    topic worker unit | documents preferences:int64 ties pairs repeated contradictory triples
    cycles feedback affected_low affected_high largest note
    worker = worker; null: unknown, or all together; unit = unit; null: unknown, or all together
    preferences = answers; pairs = pairs that were compared
    repeated = pairs with more than one answer
    contradictory = answers that the majority of their own pair contradicts
    affected_low..affected_high = range of documents that a best order disagrees about
preferences/circles: circular triads among each topic's documents
    topic by:string | triples cycles share
    by = whose preferences: those within each worker, unit, …, or the majority of all answers
    share = of all triples, over workers and units
preferences/numbers: quantities of the answer about pairs
    quantity | value? low high
    low..high = interval of value: share_of_sides
preferences/answer
preferences/answers: the answers that count
    topic left right sides worker unit position | strength seconds left_score right_score
    left_relevant right_relevant trusted test:bool? partition
    test = whether it is a test question with a known answer
preferences/left_out: the answers that do not count, except test questions
    topic left right sides worker unit position | strength seconds left_score right_score
    left_relevant right_relevant trusted test:bool? partition
    test = whether it is a test question with a known answer
preferences/checks: checks of answers, and their consequences
    check rule topic | answers found left_out
    answers = answers that the check applies to; left_out = answers that its rule left out
preferences/named: each answer that fails a check, except untrusted answers and test questions
    check topic worker unit position left right |
preferences/tests: test questions of each worker
    topic worker | tests preference relevance score:int64 right:int64
    tests = test questions; score = test questions answered correctly by score
    right = test questions answered correctly overall
preferences/options: answer options of test questions, and their frequency
    left_level right_level question option | accepted answers
    answers = number of answers with the option
[pairs_and_labels]
preferences/documents: each document's scores and label
    reference method topic docno | value? grade?
    grade = label; null: the reference has none
preferences/orders: pairs of documents that two sets of scores or labels put in the same order
    first second topic | documents pairs agree disagree tie agree_share disagree_share tie_share
    tau alpha alpha_apart
    pairs = pairs of documents; tau = τ_b of the two orders of documents
    alpha = Krippendorff's α of the two orders of pairs
preferences/graded: the same by the two labels of a pair
    reference method topic lower higher:float64? | pairs agree:float64? disagree:float64? tie
    agree_share disagree_share tie_share apart_share
    lower = the lower of the two labels; null: all pairs whose labels differ
    higher = the higher of the two labels; null: all pairs whose labels differ
    pairs = pairs of documents
preferences/sided: answers by question, and by which document has the higher label
    reference question topic sides case | answers left:int64 right:int64 tie left_share right_share
    tie_share
    left = answers for the left document; right = answers for the right document
    tie = answers for neither
preferences/side_tests: whether answers agree with labels more often on one side, over topics
    reference question | topics left:float64? right:float64? difference? t p
    left = mean share of answers for the higher label where it is on the left
    right = mean share where it is on the right; difference = right less left
    p = of the paired t-test
preferences/questions: whether answers to two questions about the same pair agree
    first second topic | answers agree disagree tie agree_share disagree_share tie_share
    agree = answers that agree; disagree = answers that disagree
    tie = answers of which one is a tie
preferences/alphas: Krippendorff's α of answers, among each other and with labels
    question reference? topic | answers pairs alpha apart alpha_apart
    reference = set of labels; null: among the answers about a pair
    apart = answers about pairs with different labels (or a majority)
preferences/raw: numbers given to express ratios, by label
    reference topic grade? | documents answers mean!
    grade = label; null: the reference has none; mean = mean number
preferences/worker_labels: each worker's answers compared with a reference
    reference topic worker | apart right:int64 gold gold_right mean_grade
    right = answers that prefer the document with the higher label
preferences/accuracy: share of answers that prefer the document with the higher label
    reference topic | workers apart right:int64 mean deviation gold_workers gold gold_right
    gold_mean gold_deviation
    right = answers that prefer the document with the higher label
    mean = mean over workers of the share that is right
    deviation = standard deviation over workers of that share
preferences/label_relations: correlation of workers' time with labels
    reference x y | n tau p
    n = workers and topics; tau = τ_b of the two
preferences/label_effects: mixed models of worker behaviour, with labels
    reference model outcome group term? level | estimate std_error z p rows groups note
    outcome = dependent variable; group = random effect
    term = term of the model; `variance` for variances; estimate = coefficient, or variance
[pairs_and_systems]
preferences/systems: mean scores of systems under labels and under scores of documents
    mapping labels measure system | topics score
    mapping = none, a reference whose proportions scores are mapped to, or a number of parts
preferences/system_orders: agreement of two rankings of systems
    mapping first second measure | systems pairs agree disagree tie agree_share disagree_share
    tie_share tau tau_ap rbo
    mapping = none, a reference whose proportions scores are mapped to, or a number of parts
    pairs = pairs of systems
preferences/p_values: tests of all pairs of systems
    labels measure system other | difference p
    difference = of the means, the system's less the other's
preferences/quadrants: significant pairs of systems under labels and under a reference
    reference labels measure | topics pairs undefined tp fp fn tn ratio tau
    pairs = pairs of systems; ratio = significant pairs over all; tau = τ_b of the p-values
preferences/difficulty: difficulty of each topic
    reference measure topic | systems mean!
    mean = mean score of all systems
[pairs_and_workers]
preferences/workers: work of each worker for each topic
    topic worker | answers left_out units documents shown once twice more seconds
    per_document? inconsistent_low inconsistent_high inconsistent_absolute
    seconds = mean time of an answer; per_document = seconds spent on a document shown, mean
    inconsistent_low..inconsistent_high = range of the share that a best order disagrees about
preferences/topics: questions about each topic, and their cost
    topic | documents pairs partitions:float64? units:float64? workers:float64? people
    trusted:int64! untrusted kept:int64 cost seconds
    pairs = pairs that were compared; partitions = partitions of the design; null: unknown
    units = units of work (HITs); null: unknown
    workers = workers with answers that count, each topic's by itself; null: unknown
    trusted = answers by trusted workers; kept = answers that count
preferences/seen: number of documents by the number of workers that saw them
    topic workers | documents
preferences/relations: correlations of worker behaviour, over workers and topics
    x y | n tau p
    n = workers and topics; tau = τ_b of the two
preferences/inconsistency: whether absolute answers are less consistent than preferences
    over | n preference:float64? absolute difference? t p
    over = workers and topics, or workers: each one's mean over topics
    preference = mean share of documents with inconsistent preferences; p = of the paired t-test
preferences/time_fits: gamma distributions of the time that answers take
    topic | answers unfitted mean! median! deviation shape scale log_likelihood distance note
    mean = mean seconds of an answer; median = median seconds of an answer
preferences/times: histogram of answer times
    topic low! | high answers share! fitted
    low..high = class of seconds
    fitted = share under the gamma distribution
preferences/effects: mixed models of worker behaviour
    model outcome group term? level | estimate std_error z p rows groups note
    outcome = dependent variable; group = random effect
    term = term of the model; `variance` for variances; estimate = coefficient, or variance
[pairs_and_partitions]
preferences/partition_topics: document scores from sampled partitions and from all partitions
    method topic partitions | used:int64 available draws documents alpha tau tau_low tau_high
    used = partitions that are used
    alpha = Krippendorff's α with the scores from all partitions, mean over samples
    tau = τ_b with the scores from all partitions, mean over samples
    tau_low..tau_high = range of τ_b over samples
preferences/partition_effects: mixed models of the effect of more partitions
    model outcome group term? level | estimate std_error z p rows groups note
    outcome = dependent variable; group = random effect
    term = term of the model; `variance` for variances; estimate = coefficient, or variance
[partitions_and_systems]
preferences/partition_systems: scores of systems under document scores from sampled partitions
    method measure partitions draw:int32 system | score
    draw = number of the sample
preferences/partition_taus: agreement of system rankings under two sets of scores
    first second measure partitions draw:int32 | tau
    draw = number of the sample; tau = τ_b of the p-values
preferences/partition_quadrants: significant pairs of systems under these scores, means over samples
    reference method measure partitions | draws pairs:float64 tp:float64 fp:float64 fn:float64
    tn:float64 rbo tau
    pairs = pairs of systems, mean; tau = τ_b of the p-values
[pair_budgets]
pair-budgets/judges: expected accuracy of each judge's answers
    judge | topics documents pairs answers spread expected_tau
    pairs = pairs that were compared; spread = spread of the strengths, estimated from the answers
pair-budgets/transitivity: intransitivity of each judge, compared with chance and a fitted order
    scope judge quantity | topics n count share low high difference? difference_low
    difference_high random random_low random_high fitted fitted_low fitted_high fitted_bias unproven
    quantity = cycles, weak, moderate or strong (of triples), feedback (of pairs)
    n = triples, or pairs, examined; count = violations
    share = share of violations
    low..high = interval of share: share_of_pairs
    difference = share less that of the first judge
    difference_low..difference_high = interval of difference: share_of_pairs
    random_low..random_high = range of the share over 95 % of random samples
    fitted = mean share in answers simulated from a fitted order
    fitted_low..fitted_high = range of the share over 95 % of samples from a fitted order
pair-budgets/subsets: rankings by subsets of the pairs, compared with all pairs
    draw share! (pairs:float64 per_document connected unseen) method ranked measure? coefficient
    reference | n repeats mean low median high
    share = share of the pairs in the sample; 0: none; pairs = sampled pairs in all topics, mean
    measure = effectiveness measure; null: documents are ranked
    reference = ranking for comparison: all answers, or a set of labels
    unseen = documents in no pair, share; n = topics
    low..high = range of the coefficient over the required share of repeats
pair-budgets/needed: number of pairs needed
    draw method ranked measure? coefficient target certainty | share pairs:float64? per_document?
    measure = effectiveness measure; null: documents are ranked
    share = share of the pairs; null: no sampled share suffices; pairs = pairs in all topics
pair-budgets/policies: gain from choosing the next pair by a policy
    policy per_document (questions) ranked measure? coefficient reference | n resampled value? low
    high difference? difference_low difference_high
    measure = effectiveness measure; null: documents are ranked
    reference = ranking for comparison: all answers, or a set of labels
    n = topics, or replays; resampled = topics or replays
    low..high = interval of value: mean_of_replays
    difference = value less that of the policy `random`
    difference_low..difference_high = interval of difference: mean_of_replays
pair-budgets/stops: when each topic's questions stop
    topic rule target confidence | stopped:bool questions:int64 answers sure agreement expected_tau
    stopped = whether the rule stopped before all was asked; questions = questions asked
    agreement = agreement with the order under all answers
    expected_tau = expected τ_b with the true order
pair-budgets/stopping: savings and costs of a stopping rule
    rule target confidence | topics stopped saved sure? agreement? reached expected_tau
    stopped = topics in which the rule stopped
    agreement = mean agreement with the order under all answers
[pair_worlds]
pair-worlds/coverage: whether a rule keeps its stated confidence, in simulated populations
    world spread assumed policy rule top? target confidence | worlds stopped questions? kept:int64
    share low high achieved
    spread = true spread of the strengths; stopped = populations in which the rule stopped
    top = number of best documents; null: all documents
    questions = questions per document, mean over populations
    kept = populations in which the stated condition holds
    low..high = interval of share: share_of_answers
"""

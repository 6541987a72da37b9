"""Judgments about pairs: tasks, answers, scores of documents, how many pairs are enough."""

COLUMNS = """
right_level  string  level of the right document: H, M or N
questions  float64  questions asked, mean over topics
left_level  string  level of the left document: H, M or N
expected_tau  float64? [-1..1]  expected τ with the true order, mean over topics
answers  int64  answers about pairs of documents
agreement  float64 [-1..1]  mean agreement with the order under all answers
spread  float64 [0..]  spread of the strengths that is assumed
scope  string  own: the judge's own triples; common: those that all judges have
difference_low  float64?  lower end of the difference
difference_high  float64?  upper end of the difference
random  float64? [0..1]  mean share of answers at random
random_low  float64? [0..1]  lower end of the share of answers at random
random_high  float64? [0..1]  upper end of the share of answers at random
fitted_low  float64? [0..1]  lower end of the share of a fitted order's answers
fitted_high  float64? [0..1]  upper end of the share of a fitted order's answers
fitted_bias  float64?  bias that was taken off the fitted share
unproven  int64  topics left out because the fewest could not be proven
draw  string  how pairs are drawn: random, or connected
connected  float64 [0..1]  share of topics whose documents the pairs join
ranked  string  what is ranked: documents or systems
repeats  int64  how many times pairs were drawn
policy  string  which pair is asked next
stopped  int64  topics or worlds in which the rule stopped
sure  float64 [0..1]  how sure the rule was
saved  float64 [0..1]  share of the answers that need not be asked for
reached  float64? [0..1]  share of topics that reach the target
world  string  how true strengths are distributed
assumed  float64? [0..]  spread that is assumed; null: estimated
worlds  int64  worlds made
achieved  float64? [-1..1]  mean τ_b, or overlap, with the truth
groups  int64  groups of what is random
serves  int64  groups of a partition that each relevant known document is in
partitions  int64  partitions of the design; 0: all of them
judgments_per_document  int64  judgments that a document gets in all partitions
met  float64 [0..1]  share of the others that a document meets, mean
repeated_pairs  int64  pairs that are asked about more than once
role  string  role of the document in the task
gold  int64  answers about pairs whose answer is known
not_relevant  string  document written to be not relevant
stays  string?  document that stays from the pair before
check  string  what is checked
found  int64  answers that the check finds
preference  int64  test questions answered rightly by preference
absolute  float64?  mean share with inconsistent absolute answers
relevance  int64  test questions answered rightly by relevance
question  string  what was asked about the pair
option  string  what may be answered
accepted  bool  whether that is right
component  int64  component of the comparisons; values of one can be compared
components  int64  components of the comparisons
largest  int64  documents of the largest strongly connected component
never_beaten  int64  documents to which none was preferred
never_winning  int64  documents preferred to none
answers_missing  int64  fewest further answers that make all strengths finite and comparable
triples  int64  three documents of which each two were compared, one preferred more often
cycles  int64  triples that go round
feedback  float64?  fewest answers that an order disagrees with
affected_low  float64?  fewest documents of such answers, over the best orders
affected_high  float64?  most documents of such answers, over the best orders
agree  int64  pairs that both put in the same order
disagree  int64  pairs that they put in opposite orders
tie  int64  pairs that one of them ties
agree_share  float64? [0..1]  share that agrees
disagree_share  float64? [0..1]  share that disagrees
tie_share  float64? [0..1]  share that ties
alpha_apart  float64? [..1]  Krippendorff's α of pairs that the labels tell apart
apart_share  float64? [0..1]  share that agrees, of those that do not tie
case  string  which document has the higher label: left, right, equal
left_share  float64? [0..1]  share for the left document
right_share  float64? [0..1]  share for the right document
apart  int64  answers about documents with different labels
shown  int64  documents shown, a document once for each unit
once  int64  documents shown by one unit
twice  int64  documents shown by two units
more  int64  documents shown by more units
inconsistent_low  float64? [0..1]  least share of the documents shown with inconsistent preferences
inconsistent_high  float64? [0..1]  largest share of the documents shown with such
inconsistent_absolute  float64? [0..1]  share of them called both relevant and not
people  float64?  different workers with answers that count, also over all topics
untrusted  int64  answers of workers who are not trusted
x  string  what is related
y  string  what it is related to
unfitted  int64  answers that the fit leaves out
deviation  float64? [0..]  standard deviation
shape  float64? [0..]  shape of the gamma distribution
scale  float64? [0..]  scale of the gamma distribution
gold_right  int64  of the pairs whose answer is known, those answered rightly
mean_grade  float64?  mean label of the documents shown
gold_workers  int64  workers with pairs whose answer is known
gold_mean  float64? [0..1]  mean over workers of the share of known pairs that is right
gold_deviation  float64? [0..]  standard deviation over workers of that share
available  int64  partitions that there are
draws  int64  how many times partitions were drawn
"""

TABLES = """
[pair_tasks]
pair-tasks/topics: the task of each topic in numbers
    topic | pool:int64 documents groups serves partitions units pairs judgments_per_document met
    repeated_pairs
    pool = documents of the pool; groups = groups of a partition
pair-tasks/documents: how often each document is shown
    topic docno | role units pairs left:int64 met:int64
    left = how often it is shown on the left; met = other documents that it meets
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
preferences/graphs: what each topic's comparisons can tell
    topic | documents preferences:int64 pairs ties components largest never_beaten never_winning
    finite:bool! answers_missing
    preferences = answers; pairs = pairs that were compared
    largest = documents of the largest component
    finite = whether every document's strength is finite
preferences/sides: how often the left document is preferred, of answers with sides that are no ties
    topic | preferences:int64 left:int64 share low high
    preferences = answers with sides that are no ties; left = answers for the left document
    low..high = interval of share: share_of_sides
preferences/consistency: how far preferences are from an order
    topic worker unit | documents preferences:int64 ties pairs repeated contradictory triples
    cycles feedback affected_low affected_high largest note
    worker = worker; null: unknown, or all together; unit = unit; null: unknown, or all together
    preferences = answers; pairs = pairs that were compared
    repeated = pairs with more than one answer
    contradictory = answers that the majority of their own pair contradicts
    affected_low..affected_high = range of documents that a best order disagrees about
preferences/circles: how many triples of each topic's documents go round
    topic by:string | triples cycles share
    by = whose preferences: those within each worker, unit, …, or the majority of all answers
    share = of all triples, over workers and units
preferences/numbers: what the answer about pairs is made of
    quantity | value? low high
    low..high = interval of value: share_of_sides
preferences/answer: what all this says, sentence by sentence
    part | said
preferences/answers: the answers that count
    topic left right sides worker unit position | strength seconds left_score right_score
    left_relevant right_relevant trusted test:bool? partition
    test = whether it is a test question, of which the answer was known
preferences/left_out: the answers that do not count, but for test questions
    topic left right sides worker unit position | strength seconds left_score right_score
    left_relevant right_relevant trusted test:bool? partition
    test = whether it is a test question, of which the answer was known
preferences/checks: what is wrong with answers, and what was done about it
    check rule topic | answers found left_out
    answers = answers that the check can look at; left_out = answers that its rule left out
preferences/named: each answer that a check finds, but for untrusted ones and test questions
    check topic worker unit position left right |
preferences/tests: test questions of each worker
    topic worker | tests preference relevance score:int64 right:int64
    tests = test questions; score = test questions answered rightly by score
    right = test questions answered rightly in all
preferences/given: what may be answered to a test question, and how often it was
    left_level right_level question option | accepted answers
    answers = how often it was answered
[pairs_and_labels]
preferences/documents: each document's scores beside its label
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
    apart = answers about pairs that the labels (or most answers) tell apart
preferences/raw: numbers given to express ratios, by label
    reference topic grade? | documents answers mean!
    grade = label; null: the reference has none; mean = mean number
preferences/worker_labels: each worker's answers beside a reference
    reference topic worker | apart right:int64 gold gold_right mean_grade
    right = of these, the ones that put the higher label first
preferences/accuracy: how often workers put the higher label first
    reference topic | workers apart right:int64 mean deviation gold_workers gold gold_right
    gold_mean gold_deviation
    right = of these, the ones that put the higher label first
    mean = mean over workers of the share that is right
    deviation = standard deviation over workers of that share
preferences/label_relations: whether the time that workers take has to do with labels
    reference x y | n tau p
    n = workers and topics; tau = τ_b of the two
preferences/label_effects: mixed models of what workers do, with labels
    reference model outcome group term? level | estimate std_error z p rows groups note
    outcome = what is explained; group = what is random
    term = term of the model; `variance` for variances; estimate = coefficient, or variance
[pairs_and_systems]
preferences/systems: mean scores of systems under labels and under scores of documents
    mapping labels measure system | topics score
    mapping = none, a reference whose proportions scores are mapped to, or a number of parts
preferences/system_orders: how alike two rankings of systems are
    mapping first second measure | systems pairs agree disagree tie agree_share disagree_share
    tie_share tau tau_ap rbo
    mapping = none, a reference whose proportions scores are mapped to, or a number of parts
    pairs = pairs of systems
preferences/p_values: tests of all pairs of systems
    labels measure system other | difference p
    difference = of the means, the system's less the other's
preferences/quadrants: pairs of systems that labels and a reference tell apart
    reference labels measure | topics pairs undefined tp fp fn tn ratio tau
    pairs = pairs of systems; ratio = pairs told apart over all; tau = τ_b of the p-values
preferences/difficulty: how hard each topic is
    reference measure topic | systems mean!
    mean = mean score of all systems
[pairs_and_workers]
preferences/workers: what each worker did for each topic
    topic worker | answers left_out units documents shown once twice more seconds
    per_document? inconsistent_low inconsistent_high inconsistent_absolute
    seconds = mean time of an answer; per_document = seconds spent on a document shown, mean
    inconsistent_low..inconsistent_high = range of the share that a best order disagrees about
preferences/topics: what was asked about each topic, and what it cost
    topic | documents pairs partitions:float64? units:float64? workers:float64? people
    trusted:int64! untrusted kept:int64 cost seconds
    pairs = pairs that were compared; partitions = partitions of the design; null: unknown
    units = units of work (HITs); null: unknown
    workers = workers with answers that count, each topic's by itself; null: unknown
    trusted = answers of workers who are trusted; kept = answers that count
preferences/seen: how many documents so many workers saw
    topic workers | documents
preferences/relations: whether what workers do is related, over workers and topics
    x y | n tau p
    n = workers and topics; tau = τ_b of the two
preferences/inconsistency: whether absolute answers are less consistent than preferences
    over | n preference:float64? absolute difference? t p
    over = workers and topics, or workers: each one's mean over topics
    preference = mean share of documents with inconsistent preferences; p = of the paired t-test
preferences/time_fits: gamma distributions of the time that answers take
    topic | answers unfitted mean! median! deviation shape scale log_likelihood distance note
    mean = mean seconds of an answer; median = median seconds of an answer
preferences/times: how many answers take how long
    topic low! | high answers share! fitted
    low..high = class of seconds
    fitted = share under the gamma distribution
preferences/effects: mixed models of what workers do
    model outcome group term? level | estimate std_error z p rows groups note
    outcome = what is explained; group = what is random
    term = term of the model; `variance` for variances; estimate = coefficient, or variance
[pairs_and_partitions]
preferences/partition_topics: scores of documents from drawn partitions beside those from all
    method topic partitions | used:int64 available draws documents alpha tau tau_low tau_high
    used = partitions that are used
    alpha = Krippendorff's α with the scores from all partitions, mean over draws
    tau = τ_b with the scores from all partitions, mean over draws
    tau_low..tau_high = range of τ_b over draws
preferences/partition_effects: mixed models of what more partitions do
    model outcome group term? level | estimate std_error z p rows groups note
    outcome = what is explained; group = what is random
    term = term of the model; `variance` for variances; estimate = coefficient, or variance
[partitions_and_systems]
preferences/partition_systems: scores of systems under scores from drawn partitions
    method measure partitions draw:int32 system | score
    draw = number of the draw
preferences/partition_taus: rankings of systems under two of these
    first second measure partitions draw:int32 | tau
    draw = number of the draw; tau = τ_b of the p-values
preferences/partition_quadrants: pairs of systems told apart under these, means over draws
    reference method measure partitions | draws pairs:float64 tp:float64 fp:float64 fn:float64
    tn:float64 rbo tau
    pairs = pairs of systems, mean; tau = τ_b of the p-values
[pair_budgets]
pair-budgets/judges: what each judge's answers are worth
    judge | topics documents pairs answers spread expected_tau
    pairs = pairs that were compared; spread = spread of the strengths, estimated from the answers
pair-budgets/transitivity: how often each judge is intransitive, beside chance and a fitted order
    scope judge quantity | topics n count share low high difference? difference_low
    difference_high random random_low random_high fitted fitted_low fitted_high fitted_bias unproven
    quantity = cycles, weak, moderate or strong (of triples), feedback (of pairs)
    n = triples, or pairs, that were looked at; count = of these, the violated ones
    share = violated over all
    low..high = interval of share: share_of_pairs
    difference = share less that of the first judge
    difference_low..difference_high = interval of difference: share_of_pairs
    random_low..random_high = range of the share over 95 % of draws at random
    fitted = mean share of answers drawn from a fitted order
    fitted_low..fitted_high = range of the share over 95 % of draws from a fitted order
pair-budgets/subsets: rankings by subsets of the pairs beside that by all
    draw share! (pairs:float64 per_document connected unseen) method ranked measure? coefficient
    reference | n repeats mean low median high
    share = share of the pairs that is drawn; 0: none; pairs = pairs drawn in all topics, mean
    measure = effectiveness measure; null: documents are ranked
    reference = what the ranking is held against: all answers, or a set of labels
    unseen = documents in no pair, share; n = topics
    low..high = range of the coefficient over the repeats, as many as the certainty asks for
pair-budgets/needed: how many pairs are enough
    draw method ranked measure? coefficient target certainty | share pairs:float64? per_document?
    measure = effectiveness measure; null: documents are ranked
    share = share of the pairs; null: none that was drawn is enough; pairs = pairs in all topics
pair-budgets/policies: what asking the next pair by a policy wins
    policy per_document (questions) ranked measure? coefficient reference | n resampled value? low
    high difference? difference_low difference_high
    measure = effectiveness measure; null: documents are ranked
    reference = what the ranking is held against: all answers, or a set of labels
    n = topics, or replays; resampled = topics or replays
    low..high = interval of value: mean_of_replays
    difference = value less that of the policy `random`
    difference_low..difference_high = interval of difference: mean_of_replays
pair-budgets/stops: when each topic's questions stop
    topic rule target confidence | stopped:bool questions:int64 answers sure agreement expected_tau
    stopped = whether the rule stopped before all was asked; questions = questions asked
    agreement = agreement with the order under all answers
    expected_tau = expected τ_b with the true order
pair-budgets/stopping: what stopping by a rule saves and costs
    rule target confidence | topics stopped saved sure? agreement? reached expected_tau
    stopped = topics in which the rule stopped
[pair_worlds]
pair-worlds/coverage: whether what a rule promises is true, in made worlds
    world spread assumed policy rule top? target confidence | worlds stopped questions? kept:int64
    share low high achieved
    spread = true spread of the strengths; stopped = worlds in which the rule stopped
    top = how many are the best; null: the rule is about all
    questions = questions per document, mean over these worlds
    kept = of these worlds, the ones in which the promise is true
    low..high = interval of share: share_of_answers
"""

"""What the import found, and how each worker agrees with the others."""

COLUMNS = """
disagrees  bool  whether agreement is not significantly better than chance
agreeing_group  int64?  number of the worker's group, the largest being 1; null: in none
copies  int64?  number of a group that gives nearly the same values; null: in none
drop  bool  whether, in addition, enough of the other workers agree
test_tau  float64? [-1..1]  τ_b of the worker's values and the labels
test_p  float64? [0..1]  p-value of test_tau
fails  bool  whether agreement with the labels is not significantly better than chance
most_frequent_share  float64 [0..1]  share of judgments with the worker's most frequent value
fast  bool  whether the worker takes less than a quarter of the workers' median time
judged_top  int64  judged documents of the first 10
tied_documents  int64  documents with the score of the document just above
first_tie  int32? [1..]  rank of the first tied document; null: none
judgments_count  int64  judgments of the topic
min_per_document  int64  fewest judgments of a document
median_per_document  float64  median number of judgments of a document
max_per_document  int64  most judgments of a document
preferences_count  int64  preferences of the topic
min_per_pair  int64  fewest preferences about a pair
median_per_pair  float64  median number of preferences about a pair
max_per_pair  int64  most preferences about a pair
with_sides  int64  preferences with known sides
self_contradictory  int64  pairs about which a worker contradicts herself
fact  string  name of the value
written  string  the value as the scale writes it
most_frequent  float64  the value used most often
most_frequent_count  int64  number of uses of the most frequent value
"""

TABLES = """
[audit]
audit/runs: ties and contradictions in each ranking
    system topic | documents tied_documents first_tie contradictions short:bool
    contradictions = documents with a lower score but an earlier rank than the preceding one
    short = whether it has fewer documents than the longest ranking
audit/judged: judged documents of each ranking
    qrels system topic | judged judged_top unjudged first_unjudged
audit/judgments: the judgments of each set and topic
    judgments:string topic | documents judgments_count workers units? min_per_document
    median_per_document max_per_document repeated
    judgments = set of judgments
    repeated = judgments of a document by a worker who had judged it before
audit/preferences: the preferences of each set and topic
    preferences topic | documents pairs preferences_count workers? units? min_per_pair
    median_per_pair max_per_pair ties with_sides left:int64 repeated contradictory
    self_contradictory
    left = preferences for the left document
    repeated = preferences about a pair by a worker who had judged it before
audit/values: frequency of each value of a set's scale (observed values if not listable)
    kind set value | written count
    count = frequency of the value
audit/workers: use of the scale by each known worker
    kind set worker! | rows topics judged distinct low! high! most_frequent most_frequent_count
    rows = values that the worker gave
    judged = documents, or pairs of documents, that the worker judged
    low..high = range of the values that the worker gave
audit/summary: summary of the imported data
    source fact | value total:float64?
    source = set, or runs; total = total that the value is part of
audit/warnings: data warnings
    source said |
    source = set, or runs
[workers]
workers/workers: agreement of each worker with the others and with labels; least agreement first
    worker! | documents topics shared:int64 agreeing_group copies tau p disagrees drop tests
    test_tau test_p fails distinct most_frequent_share seconds fast
    documents = documents that the worker judged; topics = topics that the worker judged
    shared = documents also judged by others; seconds = median time of a judgment
    tau = τ_b of the worker's values and the medians of the others' values: those of the
        group; of the largest group for other workers; of all without groups
    p = p-value of tau; tests = documents with labels
    distinct = number of distinct values
workers/facts: counts of workers
    quantity | value?
workers/answer
"""

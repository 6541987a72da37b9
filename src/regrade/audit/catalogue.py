"""What the import found, and how each worker agrees with the others."""

COLUMNS = """
disagrees  bool  whether the worker does not agree more than chance
agreeing_group  int64?  number of the worker's group, the largest being 1; null: in none
copies  int64?  number of a group that gives nearly the same values; null: in none
drop  bool  the same, where enough of the others agree
test_tau  float64? [-1..1]  τ_b of the worker's values and the labels
test_p  float64? [0..1]  p-value of it
fails  bool  whether agreement with the labels cannot be told from chance
most_frequent_share  float64 [0..1]  share of judgments with the worker's most frequent value
fast  bool  whether the worker takes less than a quarter of the workers' median time
judged_top  int64  judged documents of the first 10
tied_documents  int64  documents with the score of the document just above
first_tie  int32? [1..]  rank of the first of them; null: none
judgments_count  int64  judgments of the topic
min_per_document  int64  fewest judgments of a document
median_per_document  float64  median number of judgments of a document
max_per_document  int64  most judgments of a document
preferences_count  int64  preferences of the topic
min_per_pair  int64  fewest preferences about a pair
median_per_pair  float64  median number of preferences about a pair
max_per_pair  int64  most preferences about a pair
with_sides  int64  preferences of which the sides are known
self_contradictory  int64  pairs about which a worker contradicts herself
fact  string  what the value is
written  string  the value as the scale writes it
most_frequent  float64  the value used most often
most_frequent_count  int64  how often that is
"""

TABLES = """
[audit]
audit/runs: what the import found in each ranking
    system topic | documents tied_documents first_tie contradictions short:bool
    contradictions = documents with a lower score, but an earlier rank, than the one just above
    short = whether it has fewer documents than the longest ranking
audit/judged: how far each ranking is judged
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
audit/values: how often each value of a set's scale comes, or each found where none can be listed
    kind set value | written count
    count = how often it comes
audit/workers: how each known worker uses the scale
    kind set worker! | rows topics judged distinct low! high! most_frequent most_frequent_count
    rows = values that the worker gave
    judged = documents, or pairs of documents, that the worker judged
    low..high = range of the values that the worker gave
audit/summary: what a reader of the import wants to know, a fact a row
    source fact | value total:float64?
    source = set that it is of, or runs; total = what the value is some of
audit/warnings: what must be known before any result
    source said |
    source = set that it is of, or runs
[workers]
workers/workers: how each worker agrees with the others, and with labels; who agrees least first
    worker! | documents topics shared:int64 agreeing_group copies tau p disagrees drop tests
    test_tau test_p fails distinct most_frequent_share seconds fast
    documents = documents that the worker judged; topics = topics of these
    shared = of these, the ones that others judged too; seconds = median time of a judgment
    tau = τ_b of the worker's values and the medians of the others' values: those of the group, of
        the largest one for who is in none, of all where there is none
    p = p-value of it; tests = documents that the labels have
    distinct = distinct values given
workers/facts: what is counted of workers
    quantity | value?
workers/answer: what all this says, sentence by sentence
    part | said
"""

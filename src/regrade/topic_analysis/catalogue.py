"""Topics: which are hard, which separate systems, which decide a pair, on which labels disagree."""

COLUMNS = """
sd  float64? [0..]  standard deviation over systems
tau_others  float64? [-1..1]  τ_b of the systems' scores on the topic with their means over the
        other topics
contribution  float64?  difference of the two systems over the number of topics: these add up to
        the difference of their means
without  float64?  difference of the two systems' means with the topic left out
p_without  float64? [0..1]  p-value of the paired t-test with the topic left out
mean_under_second  float64?  mean over systems under the second labels
shift  float64?  mean over systems under the second labels less that under the first
best_rank  int32? [1..]  best rank at which a run has the document; null where none has
"""

TABLES = """
[topic_analysis]
topic-analysis/facts: what the topics were analysed by, and what holds over all of them
    measure quantity | value? note
    measure = effectiveness measure; `*`: of all of them
topic-analysis/topics: each topic, by what matters: disagreement of labels, else influence on the
        difference of two systems, else difficulty
    measure topic | mean sd tau_others difference? contribution without p_without outcome?
    mean_under_second shift tau both? equal? bias alpha
    mean = mean over systems
    difference = score of the first of two systems less that of the second
    outcome = what leaving the topic out changes of the two systems: sign, significance or none
    tau = τ_b of the systems' scores under the two sets of labels
    both = documents that both sets judged; equal = share of these with equal grades
    bias = mean of the second grade less the first
    alpha = Krippendorff's α of the topic's documents by `metric` of `topic_analysis`
topic-analysis/scores: the score of each system on each topic, the best system and the hardest topic
        first
    measure system topic | value second:float64?
    second = score under the second labels
topic-analysis/answer
[topic_analysis_documents]
topic-analysis/retrieved: documents in the first `depth` of any system, the topics as in `topics`,
        those of most systems first
    topic docno | first_grade second_grade best_rank runs
    first_grade = grade; null: unjudged
    second_grade = grade of the second labels; null: unjudged, or no second labels
    runs = runs that have it in the first `depth` of `topic_analysis`
topic-analysis/ranks: the rank at which each system has these documents, within the first `depth`
    topic docno system | rank
[topic_analysis_labels]
topic-analysis/documents: documents that both sets judged, the topics as in `topics`, the largest
        disagreement first
    topic docno | first_grade! second_grade! difference best_rank runs
    difference = second grade less first grade
    runs = runs that have it in the first `depth` of `topic_analysis`
"""

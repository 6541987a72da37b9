"""Pools of documents, and systems left out of them."""

COLUMNS = """
shortest  int32 [1..]  length of the system's shortest ranking
deeply_judged  bool  whether all its rankings are judged down to the pool's depth
pooling  string  way of pooling, such as `Depth@20` or `RRF@100`
single_judged  int64  judged documents nominated by one system only
outside  int64  judged documents that are not in the pool
single_relevant  int64  relevant documents nominated by one system only
reversed_significant  int64  of those reordered and significant, the ones that are reversed
tied_significant  int64  of those reordered and significant, the ones that tie
without_judgments  int64  topics of which the pool has no judged document
votes  string  number of systems that nominate the documents, such as `3–4`
percent  float64? [%]  share of the judged documents that are relevant
score_left_out  float64  score without the unique judgments of the left-out run or group
rank_left_out  int32 [1..]  rank with that score
passed  int64  systems between the two scores
passed_significant  int64?  passed systems that differ from it significantly; null: one topic
lost_relevant  int64  lost relevant judgments
gained_relevant  int64  gained relevant judgments
reordered  int64  pairs of systems reversed or tied relative to the deepest pool
reordered_significant  int64  of those reordered, the ones significant under the deepest pool
lost_topics  int64  topics that lose their last judgment
mae  float64 [0..]  mean absolute error of scores left out
largest_error  float64 [0..]  largest absolute error
sre  int64  system rank error: the sum of the systems passed
sre_significant  int64?  sum of the systems passed that differ significantly; null: one topic
tau_all  float64? [-1..1]  mean τ_b of all systems' rankings with and without those left out
rankings  int64  rankings: systems × topics
below  float64 [0..1]  share of rankings whose score falls as judgments are added
tau_difference  float64? [-1..1]  τ_b of the difference and the residual
ratios  int64  rankings whose ratio is defined
tau_ratio  float64? [-1..1]  τ_b of the ratio and the residual
baseline  float64  score at the baseline depth
"""

TABLES = """
[pools]
pools/deeply_judged: which systems are judged down to the pool's depth
    system | topics shortest first_unjudged deeply_judged
    first_unjudged = lowest rank of a first unjudged document, of any topic
pools/collection: facts of the collection
    quantity | value
pools/sizes: number of documents in each pool, by topic
    pooling topic | pooled judged relevant single_judged single_relevant outside
    judged = documents of the pool that are judged
pools/facts: the sums of sizes over topics
    pooling | systems topics without_judgments pooled judged relevant single_judged
    single_relevant outside
    systems = systems that contribute
pools/votes: documents of a pool by the number of systems that nominate them
    pooling votes | low:int64! high:int64 judged relevant percent
    low..high = class of systems that nominate a document
pools/scores: scores under the qrels reduced to a pool of each depth
    depth system topic measure | value residual?
    residual = residual of the value; null where the measure has none
pools/movements: change of each ranking's score as judgments are added to the baseline's
    measure depth system topic | value baseline difference ratio residual
    difference = value less baseline; ratio = value over baseline; null where that is 0
    residual = of the measure that the configuration names, at this depth
pools/movement_shares: shares of rankings whose score grows, stays or falls with more judgments
    measure depth | rankings below equal above
    equal = share of rankings whose score stays; above = share of rankings whose score grows
pools/movement_correlations: whether the residual predicts the movement
    measure | rankings tau_difference ratios tau_ratio
pools/depths: rankings under pools of each depth, compared with the deepest
    measure depth | systems topics pairs pooled judged outside tau low high resamples seed
    significant reordered reordered_significant reversed_significant tied_significant
    lost:int64! moved farthest
    systems = systems that form the pools and are compared; pairs = pairs of systems
    judged = documents of the pool that are judged
    moved = systems with another rank; farthest = largest rank change of a system
    tau = τ_b of the two rankings
    lost = pairs significant under the deepest pool that keep their order and are so no longer
    low..high = interval of tau: rankings_alike
pools/answer
[leave_one_out]
leave-one-out/systems: each system's score and rank without its unique judgments
    pooling by left_out:string system measure | score score_left_out rank rank_left_out passed
    passed_significant
    by = unit left out: run or group; left_out = the run or group left out
leave-one-out/left_out: effect of leaving out a run or group on the judgments and on all systems
    pooling by left_out:string measure | systems lost:int64! lost_relevant gained
    gained_relevant lost_topics tau
    by = unit left out: run or group; left_out = the run or group left out
    systems = systems that are left out; lost = judgments removed
leave-one-out/summary: errors of scores left out, over all systems
    pooling by measure | systems mae largest_error bias! sre sre_significant tau tau_all
    by = what is left out: run or group; bias = mean error
    tau = τ_b between the scores and the scores left out
leave-one-out/numbers: quantities of the answer about systems left out
    measure quantity | value
leave-one-out/answer
"""

"""What unjudged documents leave open: residuals and exact ranges."""

COLUMNS = """
phi  float64 [0..1]  RBP's persistence φ
correlation  float64?  highest correlation with RBP over φ from 0.500 to 0.999
phi_lowest  float64? [0..1]  lowest of the φ that reach it
phi_middle  float64? [0..1]  middle one of the φ that reach it
phi_highest  float64? [0..1]  highest of the φ that reach it
below_08  int64  topics whose highest correlation is below 0.8
below_09  int64  topics whose highest correlation is from 0.8 to below 0.9
from_09  int64  topics whose highest correlation is at least 0.9
mean_phi  float64? [0..1]  mean over topics of the nearest φ
relevant_low  int64  relevant unjudged documents at the low end
relevant_high  int64  relevant unjudged documents at the high end
judged_share  float64? [0..1]  share of the first documents that are judged; null: none is ranked
judged_to  int32 [1..]  down to which rank documents are the first
"""

TABLES = """
[residuals]
residuals/rbp: graded RBP of every ranking at each expected depth
    system topic depth:float64 | phi value residual
    depth = expected depth of reading, 1 / (1 − φ)
residuals/tau_by_phi: how near RBP at each φ ranks systems to another measure
    measure phi | depth:float64 tau residual
    depth = expected depth of reading, 1 / (1 − φ)
    tau = τ_b of the systems' rankings by the measure and by RBP with its gains
    residual = RBP's, mean
residuals/nearest_phi: the φ at which RBP ranks systems most like a measure, topic by topic
    measure coefficient topic | relevant correlation phi_lowest phi_middle phi_highest tied
    residual?
    coefficient = tau_b or rbo; topic = topic; `*`: the ranking by the mean over topics
    relevant = documents with a gain for the measure; tied = φ that reach the highest correlation
    residual = RBP's at the lowest φ, mean
residuals/nearest_summary: topics by how near RBP comes to a measure
    measure coefficient | below_08 below_09 from_09 undefined tau p mean_phi
    tau = τ_b over topics of the nearest φ and the number of relevant documents
    undefined = topics without a correlation
[ranges]
ranges/ranges: the least and the highest score that any labels of the unjudged documents give
    system topic measure | value low! high! unjudged judged_share judged_to relevant_low
    relevant_high
    value = with unjudged documents as non-relevant
    low..high = range of the score over all labels of unjudged documents, exact
    relevant_low..relevant_high = range of relevant unjudged documents, the fewest at each end
    unjudged = unjudged documents of the ranking
ranges/systems: means of these over topics
    system measure | value low! high! residual?
    low..high = range of the mean score over all labels of unjudged documents, exact
    residual = of the one measure that the configuration names, the same for all measures; null:
            none is named
ranges/pairs: bounds on the difference of each two systems, whatever the unjudged documents are
    measure system other | low! high!
    low..high = range of the difference of the mean scores, or a wider one
ranges/ranks: the ranks that systems can have whatever the unjudged documents are
    measure system | value low! high! rank rank_low! rank_high! judged_share
    low..high = range of the mean score over all labels of unjudged documents, exact
    rank_low..rank_high = range of ranks that the bounds on differences leave
    judged_share = share of the first documents that are judged, mean over topics
ranges/numbers: what the answer about unjudged documents is made of
    measure quantity | value
ranges/answer: what all this says, sentence by sentence
    part | said
"""

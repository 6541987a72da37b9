"""Uncertainty from unjudged documents: residuals and exact ranges."""

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
judged_to  int32 [1..]  cutoff of judged_share
"""

TABLES = """
[residuals]
residuals/rbp: graded RBP of every ranking at each expected depth
    system topic depth:float64 | phi value residual
    depth = expected depth of reading, 1 / (1 − φ)
residuals/tau_by_phi: agreement of system rankings by RBP at each φ and another measure
    measure phi | depth:float64 tau residual
    depth = expected depth of reading, 1 / (1 − φ)
    tau = τ_b of the systems' rankings by the measure and by RBP with its gains
    residual = RBP's, mean
residuals/nearest_phi: the φ whose RBP ranking agrees best with a measure's, by topic
    measure coefficient topic | relevant correlation phi_lowest phi_middle phi_highest tied
    residual?
    coefficient = tau_b or rbo; topic = topic; `*`: the ranking by the mean over topics
    relevant = documents with a gain for the measure; tied = φ that reach the highest correlation
    residual = RBP's at the lowest φ, mean
residuals/nearest_summary: topics by the highest agreement of RBP with a measure
    measure coefficient | below_08 below_09 from_09 undefined tau p mean_phi
    tau = τ_b over topics of the nearest φ and the number of relevant documents
    undefined = topics without a correlation
[ranges]
ranges/ranges: the lowest and the highest score over all grades of the unjudged documents
    system topic measure | value low! high! unjudged judged_share judged_to relevant_low
    relevant_high
    value = with unjudged documents as non-relevant
    low..high = range of the score over all labels of unjudged documents, exact
    relevant_low..relevant_high = range of relevant unjudged documents, the fewest at each end
    unjudged = unjudged documents of the ranking
ranges/systems: means of these over topics
    system measure | value low! high! residual?
    low..high = range of the mean score over all labels of unjudged documents, exact
    residual = residual of the configured measure, the same for all rows; null: none configured
ranges/pairs: bounds on the difference of each pair of systems over all grades of unjudged documents
    measure system other | low! high!
    low..high = range of the difference of the mean scores, conservative
ranges/ranks: possible ranks of systems over all grades of unjudged documents
    measure system | value low! high! rank rank_low! rank_high! judged_share
    low..high = range of the mean score over all labels of unjudged documents, exact
    rank_low..rank_high = range of ranks that the bounds on differences leave
    judged_share = share of the first documents that are judged, mean over topics
ranges/numbers: quantities of the answer about unjudged documents
    measure quantity | value
ranges/answer
"""

"""Tied scores: how often there are, and what their order does."""

COLUMNS = """
affected  string  what is counted: tied scores or rank contradictions
trec_eval  float64  score with ties as trec_eval breaks them, docno descending
eq33  float64?  AP by the thesis's Equation 3.3
range  float64 [0..]  highest less lowest
tied_share  float64? [0..1]  share of the system's documents tied with the preceding document
bound  float64 [0..]  largest possible loss of a score
original  float64  score as submitted
banded  float64  expected score where scores within a band count as tied
fraction  float64 [0..1]  share of the original score that must remain
p_original  float64? [0..1]  p-value under the original scores
p_banded  float64? [0..1]  p-value under the banded scores
true_positive  float64 [0..1]  share of pairs significant by both
false_negative  float64 [0..1]  share of pairs significant by the original scores only
false_positive  float64 [0..1]  share of pairs significant by the banded scores only
true_negative  float64 [0..1]  share of pairs significant by neither
"""

TABLES = """
[ties]
ties/rates: frequency of tied scores and of ranks that contradict scores
    affected quantity | count total value
    value = per cent; of the first tie the geometric mean of its rank
ties/bounds: worst-case loss through bands of scores
    rho measure | bound
ties/ranges: scores under every order of ties, means over topics
    measure system | run:float64 trec_eval expected eq33 pessimistic optimistic range tied
    tied_share
    run = with ties in canonical order; tied = documents tied with the preceding document
ties/banded: scores with close scores as ties
    measure rho system topic | original banded difference
    difference = banded less original
ties/non_inferiority: tests that a banded score keeps a fraction of the original one
    measure rho fraction system | t p
    p = p-value of the one-tailed test
ties/non_inferior: number of systems that significantly keep a fraction of their score
    measure rho fraction | systems n_systems
    systems = systems that keep it
ties/p_values: p-values of pairs of systems under original and banded scores
    measure rho first second | p_original p_banded
ties/quadrants: pairs of systems by significance under original and banded scores
    measure rho | pairs true_positive false_negative false_positive true_negative
    pairs = pairs of systems
ties/ranks: range of ranks over tie-breakings
    measure system | value pessimistic optimistic rank rank_low! rank_high! tied_share
    value = score in the order of the run
    rank_low..rank_high = range of ranks over orders of ties
ties/numbers: quantities of the answer about ties
    measure quantity | value
ties/answer
"""

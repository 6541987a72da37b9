"""Tests of pairs of systems, analysis of covariance."""

COLUMNS = """
n_pairs  int64  pairs of systems
statistic  float64?  statistic of the test
sum_sq  float64 [0..]  sum of squares
f  float64? [0..]  F statistic
eta_sq  float64? [0..1]  η²
omega_sq  float64? [..1]  ω²
partial_eta_sq  float64? [0..1]  partial η²
partial_omega_sq  float64? [..1]  partial ω²
leverage  float64 [0..1]  leverage of the case
standardised  float64?  standardised residual
quantile  float64?  quantile of the normal distribution at the residual's place
chi2  float64? [0..]  χ² of the term
topic_variance  float64? [0..]  variance between topics
topic_system_variance  float64? [0..]  variance of topics × systems
residual_variance  float64? [0..]  residual variance
intraclass  float64? [0..1]  the topics' share of the variance
converged  bool  whether the fit converged
"""

TABLES = """
[discrimination]
discrimination/pairs: tests of all pairs of systems under pools of each depth
    depth measure test system other | difference statistic p p_adjusted
    difference = of the means, the system's less the other's
discrimination/ratios: the share of pairs that differ significantly, by depth
    pairs:string depth measure test | n_pairs undefined significant ratio!
    pairs = all, or across groups where groups are known; ratio = significant over n_pairs
discrimination/curve: p-values in descending order, by depth
    depth measure test position! | share! p
    position = place of the pair; share = position over pairs
discrimination/agreement: pairs by significance at this depth and at the baseline depth
    depth measure test | tp fp fn tn contradictions
    contradictions = false positives that are significant in the opposite direction
discrimination/trends: pairs by the trend of p over depth, and by their significance
    measure test tau outcome | n_pairs share!
    tau = τ_b of p and depth; null where p is undefined or does not change
    outcome = significant at all depths, not significant at any, or straddling
[significance]
significance/pairs: tests of all pairs of systems under whole sets of labels
    qrels measure test system other | difference statistic p p_adjusted
    difference = of the means, the system's less the other's
significance/ratios: the share of pairs that differ significantly, by set of labels
    pairs:string qrels measure test | n_pairs undefined significant ratio!
    pairs = all, or across groups where groups are known; ratio = significant over n_pairs
significance/curve: p-values in descending order, by set of labels
    qrels measure test position! | share! p
    position = place of the pair; share = position over pairs
[ancova]
ancova/effects: effects of depth, topic and system
    model measure term! | sum_sq df f p eta_sq omega_sq partial_eta_sq partial_omega_sq
    model = main, two-way, full, or `depth 50` of the scores at that depth alone
ancova/diagnostics: residual diagnostics of the main model
    measure depth topic system | fitted! residual leverage standardised quantile
    residual = score less fitted score
ancova/mixed_coefficients: coefficients of mixed models; null where no residual variance is left
    model measure term! level! | estimate std_error z p
    model = the random terms, or `depth 50` of the scores at that depth alone
    estimate = coefficient
ancova/mixed_tests: tests of the terms of mixed models
    model measure term! | chi2 df p
    model = the random terms, or `depth 50` of the scores at that depth alone
ancova/mixed_variances: variance components of mixed models
    model measure | topic_variance topic_system_variance residual_variance intraclass
    log_likelihood converged
    model = the random terms, or `depth 50` of the scores at that depth alone
"""

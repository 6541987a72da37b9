"""A panel of judges: effective number, correlations of errors, panels of every size."""

COLUMNS = """
bias_low  float64?  lower end of the bias
bias_high  float64?  upper end of the bias
tau_gain  float64?  τ_b of the panel without the judge, or with the candidate, less the panel's
tau_gain_low  float64?  lower end of the gain in τ_b
tau_gain_high  float64?  upper end of the gain in τ_b
error_correlation  float64? [-1..1]  correlation of two judges' errors; null: no variance
is_candidate  bool  whether the judge is a candidate, outside the panel
kin  string?  kin of the judge; null: none was named
error_sd  float64? [0..]  standard deviation of a judge's error, of the mean variance
panel_sd  float64? [0..]  standard deviation of the error of the judges' average
effective  float64? [0..]  effective number of judges; null: undefined
weighted  float64? [0..]  effective number of judges of the average with held-out weights
other_place  int64 [1..]  place of the other judge
of_folds  int64  folds of topics
chosen_in  int64?  folds of topics with the same choice
panels  int64  panels of judges
panel_size  int64 [1..]  judges of the panel
every  bool  whether these are all panels of the size
panel  float64?  value of the whole panel
contrast  string  what the whole panel is compared with
"""

TABLES = """
[panel]
panel/effective: number of independent judges that the panel is worth, by kind of error
    kind measure? beside:string! | judges topics error_sd panel_sd effective low high
    error_correlation weighted
    kind = grade (label less the judge's mean label of the human grade, within topics), document
        (label less human label, within topics), topic (mean of a topic's errors), score (score of
        a system on a topic), system (mean score of a system), family (favour of a family on a
        topic)
    measure = measure of errors of scores; null: errors of labels
    beside = reference (errors beside the human labels), or control (errors about the truth, from
        products beside the human labels and beside a further person; not of kind grade)
    judges = judges of the panel; topics = topics of the errors
    effective = mean error variance over the variance of the average's error
    low..high = interval of effective: effective_judges
    error_correlation = mean correlation of two judges' errors
panel/judges: each judge, and the panel without the judge; of candidates, with the judge
    judge | is_candidate kin bias:float64? bias_low bias_high error_sd error_correlation
    alpha:float64? alpha_low alpha_high tau:float64? tau_low tau_high effective
    gain:float64? gain_low gain_high tau_gain tau_gain_low tau_gain_high
    bias = mean error on the reference's scale, topics counting equally
    bias_low..bias_high = interval of bias: mean_over_topics
    error_sd = standard deviation of the errors given the human grade
    error_correlation = mean correlation with other judges
    alpha_low..alpha_high = interval of alpha: agreement
    tau = τ_b of the rankings of systems under judge and reference, first measure
    tau_low..tau_high = interval of tau: rankings_alike
    effective = effective number of the panel without the judge, or with the candidate (errors
        given the human grade)
    gain = α of the panel without the judge, or with the candidate, less that of the panel
    gain_low..gain_high = interval of gain: agreement
    tau_gain_low..tau_gain_high = interval of tau_gain: rankings_alike
panel/correlations: correlations of the judges' errors, similar judges side by side
    kind measure? judge other | place other_place error_correlation
    measure = measure of errors of scores; null: errors of labels
    other = other judge; place = place of the judge in the clustered order
panel/kin: mean correlations of errors within and between kins of judges
    kind measure? kin other | pairs error_correlation
    measure = measure of errors of scores; null: errors of labels
    other = other kin, or the same; pairs = pairs of judges
panel/sizes: panels of each size
    kind panel_size quantity measure? | value? low high gain:float64? gain_low gain_high
    panels every
    kind = random (mean over panels), or chosen (built on other topics)
    quantity = effective (errors given the human grade), alpha, kappa or tau
    measure = measure that ranks systems; null: of labels
    low..high = interval of value: agreement, rankings_alike
    gain = gain of the chosen panel over random panels of the size
    gain_low..gain_high = interval of gain: chosen_panel
    panels = panels of the mean, or folds
panel/order: order in which judges are added to the panel
    place | judge chosen_in! of_folds
    judge = judge added by all topics; chosen_in = folds that add the judge at this place
panel/contrasts: the whole panel compared with single judges and with chosen panels
    contrast quantity measure? | judge:string? panel_size? panel other:float64?
    difference? low high chosen_in
    measure = measure that ranks systems; null: of labels
    contrast = mean judge, best judge (of other topics), without (the panel without the judge that
        other topics drop), with (the panel with the candidate that other topics add), selected
        (the built panel of highest α on other topics)
    judge = best, dropped or added judge by all topics
    panel_size = judges by all topics
    other = value of what it is compared with
    difference = panel less judge; of without, with and selected: other less panel
    low..high = interval of difference: chosen_panel, agreement, rankings_alike
panel/numbers: quantities of the answer about a panel
    quantity | value? low high
    low..high = interval of value: mean_over_topics
panel/answer
"""

"""An effect in several collections, over them, and how it differs among them."""

COLUMNS = """
in_collection  string  collection that the effect is in
subject  string  what the effect is of: the judge, or the judge and the family
p_mean  float64? [0..1]  p-value of the mean against 0
p_mean_adjusted  float64? [0..1]  the same after Holm's correction for all subjects of the measure
collections  int64  collections that have the effect
population_low  float64?  lower end for the population of collections
population_high  float64?  upper end for the population of collections
heterogeneity  float64? [0..]  Cochran's Q, by the inverse of the squared standard errors
tau_squared  float64? [0..]  variance of the effect among collections (Paule–Mandel)
tau_squared_low  float64? [0..]  lower end of the variance among collections
tau_squared_high  float64? [0..]  upper end of the variance among collections
i_squared  float64? [0..1]  share of the variance of estimates that is among collections (I²)
i_squared_low  float64? [0..1]  lower end of I²
i_squared_high  float64? [0..1]  upper end of I²
"""

TABLES = """
[meta_analysis]
meta_analysis/effects: the effect in each collection
    quantity measure? subject in_collection | topics value? low high std_error
    quantity = the effect; measure = measure of the systems; null: an effect of labels alone
    topics = topics with a value
    low..high = interval of value: mean_over_topics, rankings_alike
meta_analysis/overall: the effect over all collections that have it, and its heterogeneity
    quantity measure? subject | collections topics mean low high p_mean p_mean_adjusted
    population_low population_high difference? difference_low difference_high heterogeneity p
    p_adjusted tau_squared tau_squared_low tau_squared_high i_squared i_squared_low i_squared_high
    margin_low margin_high verdict?
    quantity = the effect; measure = measure of the systems; null: an effect of labels alone
    topics = topics with a value, of all collections
    mean = mean of the collections' effects, each with the same weight
    low..high = interval of mean: mean_of_collections
    p_mean = p-value of the mean against 0 (Student's t, or Hall's if p is greater); null: an
        agreement, or one collection
    population_low..population_high = interval of mean: mean_over_collections
    difference = effect in the second collection less that in the first; null: not two collections
    difference_low..difference_high = interval of difference: difference_of_collections
    p = Welch's test that the effect is the same in all collections
    p_adjusted = p-value after Holm's correction for all subjects of the measure
    tau_squared_low..tau_squared_high = interval of tau_squared: variance_among_collections
    i_squared_low..i_squared_high = interval of i_squared: variance_among_collections
    margin_low..margin_high = range of the means within the margin
    verdict = yes, no or not known; null: no margin, or some collection lacks the effect
meta_analysis/ranking: those with the effect in all collections, by its mean, the highest first
    measure? subject | mean difference? low high p_adjusted verdict draw_error
    measure = measure of the systems; null: an effect of labels alone
    mean = mean of the collections' effects, each with the same weight
    difference = mean less that of the first
    low..high = interval of difference: best_over_collections
    p_adjusted = p-value corrected for all pairs (max-t over bootstrap samples of topics within
        collections)
    draw_error = Monte Carlo standard error of low and high; null with too few samples
meta_analysis/numbers: quantities of the answer about several collections
    quantity | value
meta_analysis/answer
"""

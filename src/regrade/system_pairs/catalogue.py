"""Two systems, compared topic by topic."""

COLUMNS = """
first_mean  float64  mean score of the first system over topics
second_mean  float64  mean score of the second system over topics
skewed_low  float64?  lower end corrected for skewness
skewed_high  float64?  upper end corrected for skewness
p_t  float64? [0..1]  p-value of the paired t-test
p_wilcoxon  float64? [0..1]  p-value of the Wilcoxon signed-rank test
p_randomisation  float64? [0..1]  p-value of the randomisation test of the mean difference
permutations  int64  assignments of signs that the randomisation test tried
p_loss  float64? [0..1]  one-sided p-value that the first system scores lower
p_loss_corrected  float64? [0..1]  the same, corrected for the measures (Holm)
p_gain_corrected  float64? [0..1]  one-sided p-value that the first system scores higher (Holm)
detectable_loss  float64?  loss that the one-sided t-test detects with a power of 80 %
margin  float64?  largest difference that does not matter; null where none was given
p_noninferior  float64? [0..1]  one-sided p-value that the first is not worse by the margin or more
p_equivalent  float64? [0..1]  p-value of the two one-sided tests (TOST)
margin_from  float64?  lower end of the (1 − 2α) CI of the difference: one-sided tests by its ends
margin_to  float64?  upper end of the (1 − 2α) CI of the difference: one-sided tests by its ends
power_equivalent  float64? [0..1]  power of TOST if the true difference is 0
margin_exact  bool  whether p-values of the margin are those of the numbers of losses and gains
equal_topics  int64  topics on which both systems score the same
"""

TABLES = """
[system_pairs]
system-pairs/facts: what was compared, and by how many topics, pairs and samples
    measure quantity | value? note
    measure = effectiveness measure; `*`: of all of them
system-pairs/tests: the difference of the two systems by each measure, and its tests
    measure first second | first_mean second_mean difference low high
    skewed_low skewed_high t df p p_corrected p_t
    p_wilcoxon p_randomisation permutations exact effect better worse equal_topics detectable needed
    p_loss p_loss_corrected p_gain_corrected detectable_loss margin p_noninferior p_equivalent
    margin_from margin_to power_equivalent margin_exact
    detectable_loss = loss that the one-sided t-test detects with a power of 80 %, at α over the
        number of measures
    first = the system that is named first; second = the system that is named second
    difference = mean score of the first less that of the second
    low..high = interval of difference: mean_difference
    skewed_low..skewed_high = interval of difference: mean_over_topics
    p = p-value of the test that is chosen, the paired t-test unless another one is
    exact = whether the randomisation test tried all assignments of signs
    better = topics on which the first system scores higher
    worse = topics on which the first system scores lower
    needed = topics for 80 % power if the difference and the variance are true; null: no
        difference, or no number suffices
system-pairs/topics: the scores of the two systems on each topic, the largest difference first
    measure topic | first:float64 second:float64 difference
    first = score of the first system; second = score of the second system
    difference = score of the first less that of the second
system-pairs/answer
"""

"""Every interval that is printed, drawn or stored: of what it is, how it is made, from how many.

Plain data, once: the catalogue's tables name these entries for the ends that they hold, columns,
pages, captions and sentences take their words from here, and ``benchmarks/coverage.py`` measures
how often each holds what it is of (docs/coverage.md).  All are of 95 %.  What no method covers has
no entry and is not printed as an interval: ends of what was drawn are then a *range*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A kind of interval.

    Attributes
    ----------
    name
        As tables refer to it.
    estimand
        What it is to hold, to be read after "of": the mean over the topics of which these are a
        sample.
    method
        How its ends are found.
    over
        What is taken for a sample: topics, answers, judges.
    fewest
        From how many of these on it is given.
    at_least
        Whether it is made to hold in at least 95 % of samples: in more where
        the sample has little information.
    """

    name: str
    estimand: str
    method: str
    over: str
    fewest: int
    at_least: bool = False

    @property
    def description(self) -> str:
        """Estimand and method, for a column or a caption."""
        return f"{self.estimand}; {self.method}"


def _read(text: str) -> Iterator[Interval]:
    """A line each: name, estimand, method, sample of what, fewest of these (and ``at least``)."""
    for line in text.strip().splitlines():
        name, estimand, method, over, fewest = (part.strip() for part in line.split("|"))
        number, _, at_least = fewest.partition(", ")
        yield Interval(name, estimand, method, over, int(number), bool(at_least))


_OF_TOPICS = "over the population of topics"

_AROUND = "Student's t times the standard deviation over bootstrap samples of topics"

_OF_SKEWED = "Student's t, or Hall's for skewed values if wider"

INTERVALS = {
    interval.name: interval
    for interval in _read(
        f"""
mean_over_topics | the mean {_OF_TOPICS} | {_OF_SKEWED} | topics | 10
share_of_items | the share over the population of items | Clopper and Pearson's, of as many independent items as tell as much | items | 10, at least
difference_of_shares | the difference of two shares over the population of items, paired by item | Bonett and Price's adjusted interval with Student's t | items | 10, at least
mean_over_clusters | the mean over the population of clusters of items | Bell and McCaffrey's variance and degrees of freedom (CR2), {_OF_SKEWED} | clusters | 20
mean_of_datasets | the mean over fixed data sets of their means over populations of items | stratified, Student's t with Satterthwaite's degrees of freedom, or Hall's for skewed values if wider | items | 10
mean_over_datasets | the mean over the population of data sets | {_OF_SKEWED} | data sets | 5
mean_of_collections | the mean over fixed collections of their effects over populations of topics | stratified, Student's t with Satterthwaite's degrees of freedom, or Hall's for skewed topics if wider | topics | 10
mean_over_collections | the mean effect over the population of collections | Student's t of the collections' effects | collections | 2
difference_of_collections | the difference of the effects in two collections, over populations of topics | Welch's t | topics | 10
variance_among_collections | the variance of the effect over the population of collections (or its share I²) | the Q profile, with Welch's F | collections | 2, at least
best_over_collections | the mean difference from the first over fixed collections, over samples of equally many topics, simultaneously | {_AROUND} within collections, with a simultaneous critical value | topics | 10
mean_over_repeats | the mean over the populations of items and of repeats of the system | Student's t with Satterthwaite's degrees of freedom (up to three repeats of a mean: Cochran and Cox's), or Hall's for skewed values if wider | repeats | 2
mean_difference | the mean difference of two systems {_OF_TOPICS} | Student's t, as the paired t-test (clusters: Bell and McCaffrey's) | topics | 10
taught_difference | the difference {_OF_TOPICS}, of rules learnt from equally many topics | {_OF_SKEWED}, widened for the training topics that held-out topics share | topics | 10
chosen_cut | the value or gain of the printed cut {_OF_TOPICS} | Student's t: the lower end from held-out topics, the higher of the upper ends from held-out and from all topics | topics | 10
rule_difference | the gain of a rule without training topics over the one cut chosen by all topics {_OF_TOPICS} | Student's t: the upper end from held-out topics, the lower of the lower ends from held-out and from all topics | topics | 10
held_out_difference | the gain of topics' own cuts over the one cut for all, both held out, {_OF_TOPICS} | {_OF_SKEWED}, by the standard deviation over bootstrap samples of topics that choose the one cut again | topics | 10
others_cuts | the mean loss under the others' cuts, over the population of users | the jackknife, leaving out each user and its cut, {_OF_SKEWED} | users | 10
best_mean | the mean of the top system {_OF_TOPICS} | {_OF_SKEWED}: the lower end from held-out topics, the higher of the upper ends from held-out and from all topics | topics | 10, at least
correlation_over_topics | the correlation {_OF_TOPICS} | Fisher's z | topics | 4
mean_over_judges | the mean over the population of judges | {_OF_SKEWED} | judges | 15
agreement | the coefficient {_OF_TOPICS} | {_AROUND}, or Hall's for skewed topics if wider | topics | 20
grade_bias | the mean difference {_OF_TOPICS} | {_AROUND}, or Hall's for skewed topics if wider; degrees of freedom of as many topics of equal size as tell as much | topics of equal size | 10
rankings_alike | the mean over samples of equally many topics | {_AROUND} | topics | 10
rankings_of_new_topics | the value for equally many new topics | {_AROUND}, of the old and of the new topics | topics | 10
favour_part | the part of the favour that the documents carry, {_OF_TOPICS} | the jackknife over topics, {_OF_SKEWED} | topics | 15
label_difference | the difference {_OF_TOPICS}, documents of all topics pooled | the jackknife over topics, {_OF_SKEWED} | topics | 15
agreement_difference | the difference of coefficients, or of shares, {_OF_TOPICS} | {_AROUND}, or Hall's for skewed topics if wider | topics | 20
ranking_difference | the mean difference from a second person, or from equal labels, over samples of equally many topics | {_AROUND} | topics | 10, at least
ratio_of_spreads | the geometric mean ratio over samples of equally many topics | {_AROUND} on logarithms | topics | 10
top_systems | the mean over samples of equally many topics | {_AROUND}, and half a system, or half a swapped pair, at either end | topics | 25, at least
top_systems_of_new_topics | the value for equally many new topics | {_AROUND}, of the old and of the new topics, and half a system at either end | topics | 25, at least
best_judge | the mean difference from the best judge over samples of equally many topics, simultaneously | {_AROUND}, with a simultaneous critical value | topics | 10
favour | the favour {_OF_TOPICS} (at equal quality beside the systems nearest in quality in the sample), simultaneously for all pairs of judge and family | studentised maximum over pairs in bootstrap samples of topics (bootstrap-t), at equal quality of the jackknife's pseudo-values | topics | 15
effective_judges | the effective number of judges {_OF_TOPICS}, for fixed judges | the jackknife on logarithms, Student's t or Hall's for skewed topics if wider | topics | 25
chosen_panel | the mean difference over samples of equally many topics, of panels or judges chosen on other topics | {_AROUND}, or Hall's for skewed topics if wider, widened for the training topics that folds share | topics | 25, at least
standardised_gain | the mean gain of the standard score over samples of equally many topics | Student's t times the jackknife's standard error | topics | 10
differences_at_once | the difference {_OF_TOPICS}, simultaneously for all pairs | studentised maximum over pairs in bootstrap samples of topics, each pair's variance and the residual variance being added | topics | 10
ranks_at_once | the rank {_OF_TOPICS}, simultaneously for all systems | numbers of significantly better and significantly worse systems by the Romano–Wolf stepdown over all pairs | topics | 10, at least
variance_component | the variance {_OF_TOPICS}, for fixed systems | the jackknife on logarithms, Student's t or Hall's for skewed topics if wider | topics | 25
reliability | the coefficient {_OF_TOPICS}, for fixed systems | the jackknife on logarithms of the error's variance over the systems', Student's t or Hall's for skewed topics if wider | topics | 25
topics_needed | the topics with which the coefficient {_OF_TOPICS} reaches its target, for fixed systems | from the interval of the coefficient, rounded up | topics | 25, at least
share_of_pairs | the share {_OF_TOPICS} | {_AROUND} | topics | 10
share_over_topics | the mean share {_OF_TOPICS} | Wilson's score with Student's t | topics | 10
share_of_topics | the share of topics in the population | Wilson's score with Student's t | topics | 2, at least
share_over_documents | the share over the population of each topic's documents | percentiles over bootstrap samples of documents | topics | 5
share_over_units | the mean share over equally many new units | Student's t times the standard deviation over bootstrap samples of units | units of each topic | 2
power_over_topics | the mean entropy over samples of equally many topics and their preferences | studentised bootstrap over topics (bootstrap-t), or Student's t times the jackknife's standard error if wider, leaving out topics with their preferences | topics | 20
power_difference | the mean difference of entropies over samples of equally many topics and their preferences | Student's t times the jackknife's standard error, leaving out topics with their preferences | topics | 10
power_over_assessors | the mean entropy of equally many new assessors | Student's t times the standard deviation over bootstrap samples of assessors | assessors | 10
strength | the document's strength on the model's scale less the mean of its component (ratio: over the geometric mean), under the model | profile likelihood; Student's t for strength and ratio | answers | 2
share_of_sides | the probability of an answer for the left document, over the populations of pairs and workers (for one worker, of pairs alone) | Wilson's score with Student's t, by the variance over pairs and over workers | pairs | 2, at least
share_of_answers | the probability of such an answer, for independent answers | Clopper and Pearson's | answers | 10, at least
full_judging | the value under full judging | normal, over the sampling of documents to label | labels | 20
full_judging_of_pairs | the difference under full judging | normal, over the sampling of documents to label | labels | 20
full_judging_share | the share under full judging | Wilson's score, over the sampling of documents to label | labels | 20
full_judging_mean | the mean under full judging | normal, over the sampling of documents to label | labels | 20
full_judging_agreement | the coefficient under full judging | normal, linearised, over the sampling of documents to label | labels | 20
mean_of_replays | the mean over the population of topics, or of replays | {_OF_SKEWED} | topics or replays | 5
"""  # noqa: E501
    )
}
"""By name."""

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
        Whether it is made to hold in at least 95 % of samples: in more where little can be told.
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


_OF_TOPICS = "over the topics of which these are a sample"

_AROUND = "Student's t times the standard deviation of drawn topics"

_OF_SKEWED = "Student's t, or Hall's for skewed numbers where it reaches further"

INTERVALS = {
    interval.name: interval
    for interval in _read(
        f"""
mean_over_topics | the mean {_OF_TOPICS} | {_OF_SKEWED} | topics | 10
taught_difference | the difference {_OF_TOPICS}, of what as many topics teach | {_OF_SKEWED}, wider by what the topics that are left out in turn are taught in common | topics | 10
chosen_cut | what the cut that is printed has or gains {_OF_TOPICS} | Student's t: the lower end of topics that did not choose it, the higher of the upper ends of these and of all | topics | 10
rule_difference | by how much a rule that no other topic teaches exceeds the one cut that all topics choose {_OF_TOPICS} | Student's t: the upper end of topics that did not choose the cut, the lower of the lower ends of these and of all | topics | 10
held_out_difference | by how much topics' own cuts exceed the one cut for all, both held out, {_OF_TOPICS} | {_OF_SKEWED} | topics | 10
others_cuts | the mean, over those of whom these are a sample, of what they lose under cuts of the others | the jackknife, each being left out with the cut that it lends, {_OF_SKEWED} | users | 10
best_mean | the mean of the system that is first {_OF_TOPICS} | {_OF_SKEWED}: the lower end of topics that did not choose it, the higher of the upper ends of these and of all | topics | 10, at least
correlation_over_topics | the correlation {_OF_TOPICS} | Fisher's z | topics | 4
mean_over_judges | the mean over the judges of whom these are a sample | {_OF_SKEWED} | judges | 10
agreement | the coefficient {_OF_TOPICS} | {_AROUND}, or Hall's for skewed topics where it reaches further | topics | 20
grade_bias | the mean difference {_OF_TOPICS} | {_AROUND}, or Hall's for skewed topics where it reaches further; degrees of freedom of as many topics of equal size as tell as much | topics of equal size | 10
rankings_alike | what samples of as many topics give on average | {_AROUND} | topics | 10
rankings_of_new_topics | what as many new topics will give | {_AROUND} and of the new ones | topics | 10
best_judge | the difference from the best that samples of as many topics give on average, all at once | {_AROUND}, as many as hold all of them | topics | 10
standardised_gain | the gain of the standard score that samples of as many topics give on average | Student's t times the jackknife's standard error | topics | 10
differences_at_once | the difference {_OF_TOPICS}, all pairs at once | studentised maximum over pairs in draws of topics, each pair's variance and the residual variance being added | topics | 10
ranks_at_once | the rank {_OF_TOPICS}, all systems at once | systems significantly better and significantly worse, all pairs at once, by Romano and Wolf's stepdown | topics | 10, at least
variance_component | the variance {_OF_TOPICS}, the systems being these | the jackknife on logarithms, Student's t or Hall's for skewed topics where it reaches further | topics | 25
reliability | the coefficient {_OF_TOPICS}, the systems being these | the jackknife on logarithms of the error's variance over the systems', Student's t or Hall's for skewed topics where it reaches further | topics | 25
topics_needed | the topics with which the coefficient {_OF_TOPICS} reaches its target, the systems being these | as of the coefficient, rounded up | topics | 25, at least
share_of_pairs | the share {_OF_TOPICS} | {_AROUND} | topics | 10
share_over_topics | the mean share {_OF_TOPICS} | Wilson's score with Student's t | topics | 10
share_of_topics | the share of topics, of those of which these are a sample | Wilson's score with Student's t | topics | 2, at least
share_over_documents | the share, over the documents of which each topic's are a sample | percentiles of drawn documents | topics | 5
share_over_units | the mean share of as many other units | Student's t times the standard deviation of drawn units | units of each topic | 2
power_over_topics | the mean entropy that samples of as many topics and their preferences give on average | studentised draws of topics (bootstrap-t), or Student's t times the jackknife's standard error where it reaches further, topics being left out with their preferences | topics | 20
power_difference | the difference of entropies that samples of as many topics and their preferences give on average | Student's t times the jackknife's standard error, topics being left out with their preferences | topics | 10
power_over_assessors | the mean entropy of as many other assessors | Student's t times the standard deviation of drawn assessors | assessors | 10
strength | the document's strength on the model's scale less the mean of its component (ratio: over the geometric mean), the model being true | profile likelihood; Student's t for strength and ratio | answers | 2
share_of_sides | the probability of an answer for the left document, over the pairs and workers of which these are a sample (of one worker, over pairs alone) | Wilson's score with Student's t, by the variance over pairs and over workers | pairs | 2, at least
share_of_answers | the probability of such an answer, answers being independent | Wilson | answers | 10
full_judging | what labels of all documents would have given | normal, by what another choice of documents to label would have given | labels | 20
full_judging_of_pairs | the difference that labels of all documents would have given | normal, by what another choice of documents to label would have given | labels | 20
full_judging_share | the share that labels of all documents would have given | Wilson's score, by what another choice of documents to label would have given | labels | 20
full_judging_mean | the mean that labels of all documents would have given | normal, by what another choice of documents to label would have given | labels | 20
full_judging_agreement | the coefficient that labels of all documents would have given | normal, linearised, by what another choice of documents to label would have given | labels | 20
mean_of_replays | the mean over the topics, or the replays, of which these are a sample | {_OF_SKEWED} | topics or replays | 5
"""  # noqa: E501
    )
}
"""By name."""

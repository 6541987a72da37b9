"""Labels that are nothing but noise: how often what is said of a cut claims a gain.

The truth is known: values and reference are drawn apart from each other, and no topic has a cut of
its own.  Where half of the documents are relevant and values are even, levels of equal widths have
the highest α that noise can have, 0, and whatever says that another cut gains is wrong; of 100 data
sets at most 5 may.

Where another share is relevant, a cut that gives as many documents the higher level does have a
higher α than equal widths, which falls below 0 where the two distributions differ.  Such a gain is
one of α and true, though the labels are worth nothing: it is said only where α itself is told from
0, and `agreeing` says how often that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

import regrade
from regrade.cutsearch.answer import answer_of
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.question import Cuts
from regrade.cutsearch.recommended import ChosenCut, recommended
from regrade.randomness import generator
from regrade.trust.bootstrap import TOPICS, RepeatedSearch, bootstrap_tables
from regrade.trust.gains import search_gains
from regrade.trust.held_out import held_out_tables
from regrade.trust.named_cuts import EQUAL_WIDTHS, named_cuts
from regrade.trust.plateau import plateau_tables

MOST = 0.05
"""The share of data sets without a gain of which one may be said to be."""

_GAIN = re.compile(r"Δα = (−?\d+\.\d+), 95% CI (−?\d+\.\d+)(?:–| to )(−?\d+\.\d+)")


@dataclass(frozen=True)
class Noise:
    """Values and a reference that know nothing of each other.

    Attributes
    ----------
    topics, documents
        How many, and documents of a topic.
    workers
        Of a document; 0: one value of each document, as a model gives.
    skew
        Exponent of the uniform numbers that values are: 1 has all values alike, 3 most of them low.
    relevant
        Share of documents with the reference's higher level.
    """

    topics: int = 25
    documents: int = 40
    workers: int = 0
    skew: float = 1.0
    relevant: float = 0.5

    def __str__(self) -> str:
        """Name it in a line of a table."""
        whose = f"{self.workers} workers" if self.workers else "a model"
        shape = "even" if self.skew == 1 else "skewed"
        return (
            f"simulated: {shape} noise of {whose}, "
            f"{self.topics} topics of {self.documents} documents, "
            f"{self.relevant:.0%} relevant"
        )

    def draw(self, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Values of documents 0 … 100 (of workers, if there are any), and levels of theirs."""
        names = pd.MultiIndex.from_product(
            [[f"t{t}" for t in range(self.topics)], [f"d{d}" for d in range(self.documents)]],
            names=["topic", "docno"],
        )
        reference = (rng.random(len(names)) < self.relevant).astype(int)
        reference = pd.DataFrame({"grade": reference}, index=names).reset_index()
        parts = []
        for w in range(max(self.workers, 1)):
            values = np.floor(101 * rng.random(len(names)) ** self.skew)
            part = pd.DataFrame({"value": values}, index=names).reset_index()
            parts.append(part.assign(worker=f"w{w}") if self.workers else part)
        return pd.concat(parts, ignore_index=True), reference


NOISES = (
    Noise(),
    Noise(topics=12),
    Noise(workers=3, documents=20),
    Noise(relevant=0.3),
    Noise(topics=50, documents=20, skew=3.0, relevant=0.3),
)


@dataclass(frozen=True)
class Claims:
    """Of how many data sets something is said to gain, though nothing does.

    Attributes
    ----------
    sets
        Data sets.
    command
        Whose `regrade cut` prints an interval of the gain over equal widths above 0.
    report
        Whose answer in the report says a gain that its topics tell from nothing.
    agreeing
        Whose interval of α on topics that did not choose the cut is above 0.
    sentences
        What these answers say.
    """

    sets: int
    command: int
    report: int
    agreeing: int
    sentences: tuple[str, ...] = ()


def claimed_gains(noise: Noise, sets: int = 200, seed: int = 1, resamples: int = 20) -> Claims:
    """How many of so many data sets of noise are said to gain by a cut.

    Parameters
    ----------
    noise
        What is drawn.
    sets, seed
        How many data sets; of the draws.
    resamples
        Draws of topics for where thresholds lie, of which no gain is said.
    """
    command, agreeing, told = 0, 0, []
    for number in range(sets):
        values, reference = noise.draw(generator(seed, "noise", str(noise), str(number)))
        cuts = regrade.find_cuts(values, 2, reference, scale=101)
        method = cuts.best.method
        printed = cuts.intervals(resamples, methods=[method]).set_index("quantity")
        command += bool(printed.loc["gain over equal widths", "low"] > 0)
        agreeing += bool(printed.loc["alpha", "low"] > 0)
        said = gain_said(cuts, method, resamples)
        if any(float(low.replace("−", "-")) > 0 for _, low, _ in _GAIN.findall(said)):
            told.append(said)
    return Claims(sets, command, len(told), agreeing, tuple(told))


def gain_said(cuts: Cuts, method: str, resamples: int = 20) -> str:
    """What the report answers about the gain of a cut, as the stage ``trust`` finds it."""
    prepared = cuts.prepared[method]
    thresholds, name = prepared.thresholds, cuts.reference.name
    source = cuts.source
    named = named_cuts(thresholds, cuts.levels, source.scale, source.values)
    search = RepeatedSearch(prepared, {EQUAL_WIDTHS: named[EQUAL_WIDTHS]})
    trusted = {
        "bootstrap": bootstrap_tables(search, name, [TOPICS], resamples)["bootstrap"],
        "plateau_effects": plateau_tables(search, name, resamples)["plateau_effects"],
        "held_out": held_out_tables(search, name, ["documents"])["held_out"],
        "gains": search_gains(search),
    }
    best = best_cuts(cuts.searches[method], name)
    chosen = ChosenCut.of(best, thresholds, source.scale, source.values, cuts.levels)
    numbers = recommended(chosen, cuts.alpha(method), chosen.labels(source.table), trusted)
    answer = answer_of(chosen, numbers, None, source="noise", measure="nDCG@10")
    return answer.verdict


def measured(sets: int = 200, seed: int = 1) -> Iterator[tuple[str, Claims]]:
    """The claims of each noise, one after the other."""
    for noise in NOISES:
        yield str(noise), claimed_gains(noise, sets, seed)


def main() -> None:
    """Print them."""
    for name, found in measured():
        print(
            f"{name}: of {found.sets}, {found.command} (command) and {found.report} (report) say a "
            f"gain, {found.agreeing} an α above 0",
            flush=True,
        )
        for said in found.sentences[:2]:
            print(f"    {said}")


if __name__ == "__main__":
    main()

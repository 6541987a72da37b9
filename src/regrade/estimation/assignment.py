"""Which documents people are asked to label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa

from regrade.estimation.frame import Frame
from regrade.estimation.functionals import functionals
from regrade.estimation.inclusion import (
    draw_sample,
    guessed_shares,
    importance,
    inclusion_probabilities,
)
from regrade.estimation.samples import combined, values_of
from regrade.randomness import generator
from regrade.run_arrays import RankedLists
from regrade.scales import Scale


def assign_documents(
    documents: pd.DataFrame,
    ranked: RankedLists,
    budget: float,
    measures: Sequence[str],
    scale: Scale,
    seed: int = 1,
) -> pd.DataFrame:
    """Choose documents at random, the more likely the more they decide.

    Parameters
    ----------
    documents
        That people may be asked about, as `regrade.estimation.samples.values_of` makes them.
    ranked
        The rankings; documents of topics that they lack are left out.
    budget
        How many documents are chosen on average.
    measures
        That are to be estimated.
    scale
        That people label on, finite.
    seed
        Of the choice.

    Returns
    -------
    DataFrame
        ``topic``, ``docno``, ``inclusion``, ``chosen``: the chosen documents first, then by topic
        and document.

    Raises
    ------
    ParameterError
        If the budget is not above 0 or above the number of documents, or a measure cannot be
        estimated.
    """
    frame, places = Frame.of(documents["topic"], documents["docno"], ranked)
    values = documents.drop(columns=["topic", "docno"]).to_numpy(float)[places]
    shares = guessed_shares(combined(values), len(scale.values))
    weights = importance(frame, shares, functionals(measures, scale.values))
    inclusion = inclusion_probabilities(weights, budget)
    made = pd.DataFrame(
        {
            "topic": documents["topic"].to_numpy()[places],
            "docno": frame.docnos,
            "inclusion": inclusion,
            "chosen": draw_sample(inclusion, generator(seed, "assign")),
        }
    )
    order = ["chosen", "topic", "docno"]
    return made.sort_values(order, ascending=[False, True, True], ignore_index=True)


def drawn_sample(
    labels: pa.Table,
    models: Mapping[str, pa.Table],
    ranked: RankedLists,
    budget: float,
    measures: Sequence[str],
    scale: Scale,
    seed: int = 1,
) -> pa.Table:
    """People's labels as if they had been asked about some of the models' documents only.

    Parameters
    ----------
    labels
        By people, schema ``qrels``.
    models
        Labels by models, likewise, by name.
    ranked, budget, measures, scale, seed
        As for `assign_documents`.

    Returns
    -------
    pa.Table
        As `regrade.readers.samples.sample_of` makes it; a document that people did not label is
        chosen and has no label.
    """
    made = assign_documents(values_of(models), ranked, budget, measures, scale, seed)
    known = labels.select(["topic", "docno", "grade"]).to_pandas()
    known = known.astype({"topic": str, "docno": str})
    made = made.merge(known, how="left", on=["topic", "docno"])
    made["grade"] = made["grade"].where(made["chosen"])
    return pa.Table.from_pandas(made.assign(worker=None), preserve_index=False)

"""Systems under labels that cuts make: against the scores under files of these labels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.aggregation import aggregate, transform
from regrade.catalogue.arrow import SCHEMAS
from regrade.cutsearch.search import prepare
from regrade.run_arrays import Judged
from regrade.scoring import score
from regrade.trust.systems import Labeller
from tests.unit.judgments import alpha_options, random_judgments, random_labels
from tests.unit.test_trust_bootstrap import made


def under(ranked, topic, docnos, grades, measure="nDCG@5"):
    """(S,) scores under a file of labels."""
    frame = pd.DataFrame({"topic": topic, "docno": docnos, "grade": np.asarray(grades, float)})
    labels = pa.Table.from_pandas(frame, preserve_index=False).cast(SCHEMAS["qrels"])
    judged = Judged.from_table(labels, ranked)
    return score(ranked, judged, [measure], max_grade=2, topics=[topic]).values[:, 0, 0]


def test_scores_under_labels_are_those_of_their_file():
    """Drawn labels; none, one or all documents with a gain."""
    _, _, ranked, again = made(5)
    rng = np.random.default_rng(1)
    for topic in again.plan.topics:
        n = topic.n_documents
        drawn, some = rng.integers(0, 3, (5, n)), np.eye(n, dtype=int)
        levels = np.vstack([drawn, some, 0 * drawn[:1], 0 * drawn[:1] + 2])
        found = again.systems.scores(topic.topic, levels)
        for own, row in zip(found, levels, strict=True):
            expected = under(ranked, topic.topic, topic.docnos, row)
            np.testing.assert_allclose(own, expected, atol=1e-12)


@pytest.mark.parametrize("method", ["d2_at", "d2_ta"])
def test_levels_under_a_cut_are_those_of_cutting_medians_or_medians_of_cut_votes(method):
    judgments = random_judgments(6, levels=9, topics=3, documents=14, units=16, workers=7)
    plan = prepare(judgments, 9, 3, method, random_labels(6, judgments, 3), alpha_options())
    thresholds = plan.thresholds.values
    places = np.array([[0, 1], [2, 5], [6, 7]])
    votes = judgments.to_pandas()
    for row, cut in enumerate(places):
        if method == "d2_at":
            medians = aggregate(judgments, "median").to_pandas()
            levels = medians.assign(grade=transform(medians["grade"], thresholds[cut]))
        else:
            cut_votes = votes.assign(value=transform(votes["value"], thresholds[cut]).astype(float))
            table = pa.Table.from_pandas(cut_votes, schema=judgments.schema, preserve_index=False)
            levels = aggregate(table, "median").to_pandas()
            levels["grade"] = np.ceil(levels["grade"] - 0.5)  # halves are put on the lower level
        known = levels.astype({"topic": str, "docno": str}).set_index(["topic", "docno"])["grade"]
        for topic in plan.topics:
            found = Labeller(plan, topic).levels_under(places)[row]
            assert found.tolist() == known.loc[topic.topic].reindex(topic.docnos).tolist()


def test_documents_that_nobody_judged_have_the_lowest_level():
    again = made(6)[-1]
    topic = again.plan.topics[0]
    histograms = topic.histograms.copy()
    histograms[2] = 0
    labeller = Labeller(again.plan, replace(topic, histograms=histograms))
    before = Labeller(again.plan, topic).levels_under([[0, 1]])[0]
    found = labeller.levels_under([[0, 1]])[0]
    assert found[2] == 0
    assert np.delete(found, 2).tolist() == np.delete(before, 2).tolist()

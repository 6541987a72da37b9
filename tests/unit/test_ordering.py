"""The canonical order, against a plain sort."""

import numpy as np
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import ParameterError
from regrade.ordering import (
    SCORE_PRECISIONS,
    TIE_BREAKS,
    canonical_order,
    comparable_scores,
    group_starts,
    rank_in_group,
)

small = st.integers(-2, 2)
score = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-12, -np.inf, np.inf, 1e300, 2e300])
documents = st.lists(st.tuples(small, score, small), max_size=20)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("score_precision", SCORE_PRECISIONS)
@given(rows=documents, data=st.data())
def test_against_a_plain_sort(tie_break, score_precision, rows, data):
    n = len(rows)
    line = data.draw(st.permutations(range(n)))
    docno = [f"{place:02}" + "é" * (place % 2) for place in data.draw(st.permutations(range(n)))]
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.zeros(0)] * 3
    topic, scores, rank = columns

    names = sorted(docno, key=str.encode)

    def key(row):
        with np.errstate(over="ignore"):
            compared = np.dtype(score_precision).type(scores[row])
        ties = {
            "rank": (rank[row], line[row]),
            "trec_eval": (-names.index(docno[row]),),
            "line": (line[row],),
        }
        return (topic[row], -compared, *ties[tie_break])

    order = canonical_order(
        topic,
        scores,
        rank,
        np.array(line, dtype=int),
        pa.array(docno, pa.string()),
        tie_break=tie_break,
        score_precision=score_precision,
    )
    assert order.tolist() == sorted(range(n), key=key)


def test_trec_eval_order_is_that_of_trec_eval():
    """One topic per document, which alone is relevant: its reciprocal rank tells its place."""
    rng = np.random.default_rng([2, 8])
    docno = np.array(sorted(["a", "B", "b1", "b", "é", "z", "-", "10", "9", "ａ"], key=str.encode))
    # pytrec_eval compares as single floats: 3 and 3 + 1e-9 are tied
    scores = rng.choice([1.0, 2.0, 3.0, 3.0 + 1e-9], len(docno))
    run = dict(zip(docno.tolist(), scores.tolist(), strict=True))
    evaluator = pytrec_eval.RelevanceEvaluator({name: {name: 1} for name in run}, {"recip_rank"})
    found = evaluator.evaluate(dict.fromkeys(run, run))
    order = canonical_order(
        np.zeros(len(docno)),
        scores,
        *(np.zeros(len(docno)),) * 2,
        pa.array(docno),
        tie_break="trec_eval",
        score_precision="float32",
    )
    places = {name: 1 / place for place, name in enumerate(docno[order].tolist(), start=1)}
    assert {name: row["recip_rank"] for name, row in found.items()} == pytest.approx(places)


def test_unknown_rules_are_refused():
    nothing = [np.zeros(0)] * 5
    with pytest.raises(ParameterError, match="rank, trec_eval, line"):
        canonical_order(*nothing, tie_break="docno")
    with pytest.raises(
        ParameterError, match="unknown score_precision 'float16'; did you mean 'float"
    ):
        comparable_scores(nothing[0], "float16")


def test_groups_and_ranks():
    starts = group_starts(np.array([1, 1, 1, 2, 2]), np.array([1, 1, 2, 2, 2]))
    assert starts.tolist() == [0, 2, 3]
    ranks = rank_in_group(starts, 5)
    assert ranks.tolist() == [1, 2, 1, 1, 2]
    assert ranks.dtype == np.int32
    assert group_starts(np.zeros(0)).tolist() == []
    assert rank_in_group(group_starts(np.zeros(0)), 0).tolist() == []

"""What is drawn anew is searched as a file of it would be."""

import numpy as np
import pyarrow as pa
import pytest

from regrade.choices import CUT_METHODS
from regrade.cutsearch.search import prepare
from regrade.errors import ParameterError
from regrade.trust.resampling import drawn_again, times_drawn, why_not_drawn
from tests.reference import drawn
from tests.unit.judgments import alpha_options, random_judgments, random_labels


def made(seed, repeats=True):
    judgments = random_judgments(
        seed, levels=9, topics=2, documents=8, units=10, workers=5 if repeats else 1000
    )
    return judgments, random_labels(seed, judgments, 3)


def plan(judgments, labels, method, levels=3, **options):
    reference = labels if CUT_METHODS[method].needs_reference else None
    return prepare(judgments, 9, levels, method, reference, alpha_options(**options))


def named_times(judgments, resampled, found, times):
    """How often each was drawn, by its name in the table."""
    if resampled == "workers":
        return {
            name: int(n)
            for topic, of_topic in zip(found.topics, times, strict=True)
            for name, n in zip(topic.raw.workers, of_topic, strict=True)
        }
    named = {}
    frame = judgments.to_pandas()
    for topic, of_topic in zip(found.topics, times, strict=True):
        rows = frame[frame["topic"] == topic.topic]
        if resampled == "documents":
            keys = [(topic.topic, docno) for docno in topic.docnos]
        else:
            pairs = sorted({(w, u) for w, u in zip(rows["worker"], rows["unit"], strict=True)})
            keys = [(topic.topic, *pair) for pair in pairs]
        named |= dict(zip(keys, map(int, of_topic), strict=True))
    return named


@pytest.mark.parametrize("resampled", ["units", "workers", "documents"])
@pytest.mark.parametrize("method", list(CUT_METHODS))
def test_a_search_of_what_is_drawn_is_the_search_of_its_file(method, resampled):
    judgments, labels = made(4)
    found = plan(judgments, labels, method)
    assert why_not_drawn(resampled, found.topics) is None
    every = times_drawn(resampled, found.topics, 3, seed=7)
    for draw in range(3):
        times = [of_topic[draw] for of_topic in every]
        named = named_times(judgments, resampled, found, times)
        file = getattr(drawn, f"file_of_{resampled}")(judgments, named)
        known = drawn.file_of_documents(labels, named) if resampled == "documents" else labels
        anew = plan(file, known, method).search()
        for topic, of_topic in zip(found.topics, times, strict=True):
            own = found.labels.get(topic.topic)
            result = found.of_topic(*drawn_again(topic, resampled, of_topic, own))
            if topic.topic not in anew.topics:
                assert result.n == 0
                continue
            t = anew.topics.index(topic.topic)
            np.testing.assert_allclose(result.alpha, anew.values[:, t], atol=1e-12, rtol=0)
            np.testing.assert_array_equal(result.n_defined, anew.n_defined[:, t])
            assert result.n == anew.n[t]


@pytest.mark.parametrize("resampled", ["units", "workers", "documents"])
def test_everything_drawn_once_is_what_was_given(resampled):
    judgments, labels = made(3)
    found = plan(judgments, labels, "h1_ta")
    for topic in found.topics:
        n = {"units": topic.n_units, "workers": len(topic.raw.workers)}
        once = np.ones(n.get(resampled, topic.n_documents), dtype=np.int64)
        again, _ = drawn_again(topic, resampled, once)
        for name in ("document", "value", "unit", "vote", "histograms"):
            np.testing.assert_array_equal(getattr(again, name), getattr(topic, name), name)


def test_draws_depend_on_the_topic_and_not_on_the_others():
    judgments, labels = made(3)
    both = plan(judgments, labels, "tw1").topics
    everything = times_drawn("units", both, 5, seed=1)
    alone = times_drawn("units", both[1:], 5, seed=1)
    np.testing.assert_array_equal(everything[1], alone[0])
    assert everything[0].sum(axis=1).tolist() == [both[0].n_units] * 5
    assert not np.array_equal(everything[1], times_drawn("units", both, 5, seed=2)[1])


def test_what_cannot_be_drawn_is_said():
    judgments, labels = made(3)
    experts = prepare(labels, 3, 2, "d2_at", random_labels(5, judgments, 2)).topics
    assert "name no unit" in why_not_drawn("units", experts)
    assert "one judge" in why_not_drawn("workers", experts)
    assert why_not_drawn("documents", experts) is None
    with pytest.raises(ParameterError, match="thing to draw 'unit'"):
        times_drawn("unit", experts, 5, seed=1)


def test_judgments_without_units_are_drawn_by_worker():
    judgments, labels = made(6)
    none = pa.nulls(judgments.num_rows, pa.string())
    without = judgments.drop_columns(["unit"]).append_column("unit", none)
    found = plan(without, labels, "d2_at")
    times = times_drawn("workers", found.topics, 1, seed=1)
    named = named_times(without, "workers", found, [of_topic[0] for of_topic in times])
    anew = plan(drawn.file_of_workers(without, named), labels, "d2_at").search()
    for topic, of_topic in zip(found.topics, times, strict=True):
        result = found.of_topic(
            *drawn_again(topic, "workers", of_topic[0], found.labels[topic.topic])
        )
        t = anew.topics.index(topic.topic)
        np.testing.assert_allclose(result.alpha, anew.values[:, t], atol=1e-12, rtol=0)

"""Simulated magnitudes: the model, how people write numbers, attempts, and the published widths."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.magnitudes.normalising import document_table, normalised_table
from regrade.magnitudes.units import known_documents, topic_table, unit_table, width_quantiles
from regrade.readers.labels import read_qrels
from regrade.readers.runs import read_runs
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.simulation.collection import CollectionParameters, simulate_collection
from regrade.simulation.crowds import WrittenNumbers, crowd_parameters
from regrade.simulation.judgments import simulate_judgments
from regrade.simulation.pool import SimulationParameters, topic_pools

RATIO = Scale.of({"ratio": True})
COLLECTION = simulate_collection(CollectionParameters(topics=4))
DATA = RankedLists.from_table(COLLECTION.runs), COLLECTION.qrels
SIMULATION = SimulationParameters()
EXACT = {"sigma": [0, 0], "one_digit": 0.0, "whole": 0.0}


def made(name="ME", simulation=SIMULATION, data=DATA, **changes):
    parameters = crowd_parameters(RATIO, changes)
    return simulate_judgments(*data, name, RATIO, simulation, parameters)


def plain(table):
    frame = table.to_pandas()
    return frame.astype(dict.fromkeys(["topic", "docno", "worker", "unit"], str))


def known(simulation=SIMULATION, data=DATA):
    """The known documents as the pools have them."""
    rows = [(p.topic, p.docno[p.high], p.docno[p.low], None)
            for p in topic_pools(*data, simulation)]  # fmt: skip
    return pd.DataFrame(rows, columns=["topic", "high", "low", "reason"], dtype=object)


def units(simulation=SIMULATION, **changes):
    return unit_table(made(simulation=simulation, **changes), known(simulation))


def digits(value):
    """Significant digits of a decimal number."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


# the model


def test_numbers_are_positive_and_known_documents_are_found():
    judgments = made()
    values = judgments["value"].to_numpy()
    assert (np.isfinite(values) & (values > 0)).all()
    found = known_documents(judgments)
    pd.testing.assert_frame_equal(found, known())


def test_without_error_the_number_is_log_linear_in_the_latent_relevance():
    """Up to the rounding to two digits, a twentieth at most."""
    exact = {"modulus": 300.0, "modulus_sd": 0.0, "width": 9.0, "width_sd": 0.0}
    frame = plain(made(**EXACT, **exact))
    latent = pd.concat(
        pd.DataFrame({"topic": p.topic, "docno": p.docno, "r": p.latent + p.leniency})
        for p in topic_pools(*DATA, SIMULATION)
    )
    merged = frame.merge(latent, on=["topic", "docno"])
    np.testing.assert_allclose(merged.value, 300 * 9**merged.r, rtol=0.05)


def test_workers_have_a_location_and_a_spread():
    """Without errors a unit's width is 9 ^ (s (r_H − r_N)), and log s is normal."""
    model = SimulationParameters(leniency=(0, 0), workers_per_document=100)
    found = units(model, workers=5000, **EXACT, modulus=5.0, modulus_sd=0.7, width=9.0,
                  width_sd=0.3)  # fmt: skip
    pools = {p.topic: p for p in topic_pools(*DATA, model)}
    span = found.topic.map({t: p.latent[p.high] - p.latent[p.low] for t, p in pools.items()})
    slope = np.log(found.width) / span
    assert np.log(slope).std() == pytest.approx(0.3, rel=0.1)
    assert slope.median() == pytest.approx(math.log(9), rel=0.05)
    low = found.topic.map({t: p.latent[p.low] for t, p in pools.items()})
    location = np.log(found.low) - slope * low
    assert location.std() == pytest.approx(0.7, rel=0.1)
    assert location.median() == pytest.approx(math.log(5), abs=0.06)


def test_workers_are_narrow_or_wide_in_all_topics():
    found = units(SimulationParameters(workers_per_document=100), workers=1100)
    slope = np.log(found.width).groupby([found.worker, found.topic]).first().unstack()
    assert slope.corr(method="spearman").to_numpy()[np.triu_indices(4, 1)].min() > 0.4


def test_same_seed_same_numbers_and_topics_do_not_depend_on_each_other():
    assert made().equals(made())
    only = RankedLists.from_table(COLLECTION.runs, ["402"])
    alone = plain(made(data=(only, COLLECTION.qrels), keeps_failing=0.2))
    frame = plain(made(keeps_failing=0.2))
    pd.testing.assert_frame_equal(alone, frame[frame.topic == "402"].reset_index(drop=True))
    assert not made(name="other").equals(made())


# how people write numbers


def test_digits_and_whole_numbers():
    few = made(one_digit=1.0, whole=0.0)["value"].to_numpy()
    assert {digits(v) for v in few.tolist()} == {1}
    assert (few < 1).any()
    two = made(one_digit=0.0, whole=0.0)["value"].to_numpy()
    assert {digits(v) for v in two.tolist()} == {1, 2}
    whole = made(whole=1.0)["value"].to_numpy()
    assert (whole == whole.round()).all() and whole.min() == 1
    share = (
        plain(made(one_digit=0.3, whole=0.0))
        .groupby("worker")
        .value.agg(lambda values: max(map(digits, values)) == 1)
    )
    assert 0.25 < share.mean() < 0.5  # some have two digits to use, and do not need them


def numbers(n_digits=1, whole=False):
    return WrittenNumbers(np.zeros(1), np.ones(1), np.array([n_digits]), np.array([whole]))


WORKER = np.zeros(1, dtype=int)


@pytest.mark.parametrize(
    ("n_digits", "whole", "number", "written"),
    [
        (1, False, 0.034, 0.03), (1, False, 0.2999999, 0.3), (1, False, 0.96, 1.0),
        (1, False, 17.0, 20.0), (1, False, 96.0, 100.0), (1, False, 1000.0, 1000.0),
        (2, False, 0.254, 0.25), (2, False, 1.26, 1.3), (2, False, 1234.0, 1200.0),
        (2, True, 1.26, 1.0), (2, True, 0.2, 1.0), (2, True, 12.6, 13.0), (1, True, 12.6, 10.0),
    ],
)  # fmt: skip
def test_rounding(n_digits, whole, number, written):
    answer = numbers(n_digits, whole)
    assert answer(np.log([[number]]), WORKER).item() == written


@given(value=st.floats(1e-9, 1e9), n_digits=st.sampled_from([1, 2]), whole=st.booleans())
@settings(max_examples=200)
def test_the_next_number_above(value, n_digits, whole):
    answer = numbers(n_digits, whole)
    written = answer(np.log([[value]]), WORKER)[0]
    above = answer.at_least_above(written, written, WORKER)
    assert above > written
    assert digits(above.item()) <= n_digits or (whole and n_digits == 1 and above == 1)
    # nothing that the worker writes lies between
    between = answer(np.log([[(written.item() + above.item()) / 2]]), WORKER)[0]
    assert between in (written, above)
    assert answer.at_least_above(above, written, WORKER) == above


# checks and attempts


@pytest.mark.parametrize("whole", [0.0, 1.0])
def test_with_the_check_every_unit_has_the_known_documents_in_order(whole):
    narrow = {"width": 1.2, "sigma": [0.3, 0.6], "one_digit": 1.0, "whole": whole}
    found = units(**narrow)
    assert found.problems.isna().all()
    assert (found.high > found.low).all()
    unchecked = units(**narrow, known_check=False)
    assert (unchecked.problems == "order").mean() > 0.1


def many(**changes):
    """Numbers of attempts and clicks in some thousand units."""
    judgments = made(simulation=SimulationParameters(workers_per_document=100), workers=5000,
                     **changes)  # fmt: skip
    return plain(judgments).groupby(["topic", "unit"])[["back", "failed"]].agg(["min", "max"])


def test_shares_of_clicks_and_failed_attempts():
    counts = many(back_once=0.2, back_more=0.1, failed_once=0.3, failed_more=0.2)
    for name, shares in (("back", (0.7, 0.2, 0.1)), ("failed", (0.5, 0.3, 0.2))):
        assert (counts[name]["min"] == counts[name]["max"]).all()  # they are the unit's
        found = np.bincount(counts[name]["max"].clip(upper=2), minlength=3) / len(counts)
        np.testing.assert_allclose(found, shares, atol=0.03)
        assert counts[name]["max"].max() > 2
    never = {"back_once": 0.0, "back_more": 0.0, "failed_once": 0.0, "failed_more": 0.0}
    assert not many(**never, sigma=[0, 0]).to_numpy().any()


def test_who_had_the_known_documents_reversed_has_failed():
    never = {"failed_once": 0.0, "failed_more": 0.0, "sigma": [0.5, 0.9]}
    unchecked = units(**never, known_check=False)
    reversed_ = unchecked.problems.notna() & (unchecked.high != unchecked.low)
    checked = units(**never)
    assert 0.05 < reversed_.mean() < 0.6
    assert (checked.failed[reversed_] == 1).all()
    # nearly all of the others: of equal numbers some were reversed before rounding
    assert (checked.failed[unchecked.high > unchecked.low] == 0).all()
    assert not unchecked.failed.any()


def test_keeps_failing():
    found = units(SimulationParameters(workers_per_document=100), workers=5000, keeps_failing=0.3)
    for problems in ("order", "time", "order,time"):
        assert (found.problems == problems).mean() == pytest.approx(0.1, abs=0.02)
    assert found.problems.isna().mean() == pytest.approx(0.7, abs=0.03)
    assert (found.failed[found.problems.notna()] >= 1).all()
    assert found.seconds.min() < 3
    # nothing else changes
    left = units(SimulationParameters(workers_per_document=100), workers=5000)
    columns = ["unit", "worker", "documents", "back"]
    pd.testing.assert_frame_equal(found[columns], left[columns])
    good = found.problems.isna()
    pd.testing.assert_series_equal(found.width[good], left.width[good])


# on the real pool


@pytest.fixture(scope="module")
def trec8(real_data):
    topics = ["402", "403", "405", "407", "408", "410", "415", "416", "418", "420", "421", "427",
              "428", "431", "440", "442", "445", "448"]  # fmt: skip
    files = sorted((real_data / "trec8" / "runs").glob("*.gz"))
    runs = read_runs(files, topics=topics, threads=2)
    qrels = read_qrels(real_data / "trec8" / "qrels.gz", topics=topics)
    return RankedLists.from_table(runs), qrels


def test_trec8_magnitudes_look_like_the_published_ones(trec8):
    """turpin2015: Table 1, median width 5 and its long tail (§5.3), magnitudes of 2 … 15."""
    for seed in (1, 2, 3):
        judgments = made(simulation=SimulationParameters(seed=seed), data=trec8)
        pairs = known_documents(judgments)
        assert pairs.reason.isna().all()
        table = unit_table(judgments, pairs)
        assert table.problems.isna().all()
        total = topic_table(table, judgments, pairs).iloc[-1]
        assert (total.documents, total.units, total.judgments) == (4269, 7059, 8 * 7059)
        published = {"back": (6944, 106, 9), "failed": (6389, 329, 341)}
        for name, counts in published.items():
            ours = [total[f"{name}_{count}"] for count in range(3)]
            np.testing.assert_allclose(ours, counts, atol=150)
        widths = width_quantiles(table).set_index("topic")
        assert widths.loc["*", "median"] == 5
        assert 0.4 < widths.loc["*", "narrow"] / 7059 < 0.5  # "nearly half" are wide
        assert (table.width >= 20).mean() > 0.08 and (table.width >= 95).mean() > 0.01
        documents = document_table(normalised_table(judgments))
        assert len(documents) == 4269
        assert documents.n.min() >= 10
        assert documents.normalised_median.between(2, 15).mean() > 0.95

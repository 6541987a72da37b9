"""The parameter sets: what they refuse, and that draws depend on names alone."""

import dataclasses
import inspect

import numpy as np
import pytest

from regrade.errors import ParameterError
from regrade.randomness import generator
from regrade.scales import Scale
from regrade.simulation.answers import AnswerParameters
from regrade.simulation.collection import CollectionParameters
from regrade.simulation.crowds import (
    ButtonParameters,
    MagnitudeParameters,
    SliderParameters,
    crowd_parameters,
)
from regrade.simulation.judgments import ExpertParameters
from regrade.simulation.pool import SimulationParameters

CLASSES = [
    ButtonParameters,
    CollectionParameters,
    ExpertParameters,
    MagnitudeParameters,
    SimulationParameters,
    SliderParameters,
]


@pytest.mark.parametrize("parameters", CLASSES)
def test_defaults_come_back_from_a_mapping(parameters):
    made = parameters()
    # YAML knows lists, not tuples
    mapping = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in dataclasses.asdict(made).items()
    }
    assert parameters.from_dict(mapping) == made
    assert parameters.from_dict({}) == made


@pytest.mark.parametrize("parameters", CLASSES)
def test_every_field_is_documented(parameters):
    for owner in parameters.__mro__[:-1]:
        for name in inspect.get_annotations(owner):
            assert name in owner.__doc__


@pytest.mark.parametrize(
    ("parameters", "mapping", "message"),
    [
        (SimulationParameters, {"detph": 10}, r"unknown key 'detph'; did you mean 'depth'\?"),
        (SimulationParameters, {"zzz": 1}, r"unknown key 'zzz'; there is seed, depth"),
        (SimulationParameters, {"depth": 0}, r"depth is 0: use a whole number of at least 1$"),
        (SimulationParameters, {"depth": 2.5}, r"depth is 2.5: use a whole number"),
        (SimulationParameters, {"depth": True}, r"depth is True: use a whole number"),
        (SimulationParameters, {"seed": "1"}, r"seed is '1': use a whole number"),
        (
            SimulationParameters,
            {"pool_rank": "raw"},
            r"pool_rank 'raw'; there is submitted, canonical",
        ),
        (SimulationParameters, {"separation": float("nan")}, r"separation is nan"),
        (SimulationParameters, {"separation": float("inf")}, r"separation is inf"),
        (SimulationParameters, {"separation": -0.5}, r"separation is -0.5: .* at least 0"),
        (SimulationParameters, {"difficulty": [-0.5, 1]}, r"difficulty is .* at least 0"),
        (SimulationParameters, {"beta": [5, 2]}, r"beta is \[5.0, 2.0\]: put the lower"),
        (SimulationParameters, {"beta": [2]}, r"beta is \[2.0\]: use two numbers"),
        (SimulationParameters, {"beta": "25"}, r"beta is '25': use a list"),
        (SimulationParameters, {"beta": [2, "x"]}, r"beta is 'x': use a number"),
        (SliderParameters, {"tens": 0.8, "fives": 0.3}, r"sum to 1.1"),
        (SliderParameters, {"known_check": 1}, r"known_check is 1: use true or false"),
        (SliderParameters, {"tens": 1.5}, r"at least 0 and at most 1"),
        (SliderParameters, {"threshold_sd": 0.1}, r"unknown key 'threshold_sd'"),
        (ButtonParameters, {"tens": 0.1}, r"unknown key 'tens'"),
        (MagnitudeParameters, {"tens": 0.1}, r"unknown key 'tens'"),
        (MagnitudeParameters, {"width": 0.5}, r"width is 0.5: use a number of at least 1"),
        (MagnitudeParameters, {"failed_once": 0.97}, r"failed_once and failed_more .*sum to 1.018"),
        (MagnitudeParameters, {"back_more": 1.0}, r"back_once and back_more .*sum to 1.015"),
        (ExpertParameters, {"thresholds": [0.8, 0.5, 0.9]}, r"put the lower number first"),
        (CollectionParameters, {"depth": 500}, r"rankings of depth 500 cannot be made of 400"),
    ],
)
def test_bad_values_are_refused(parameters, mapping, message):
    with pytest.raises(ParameterError, match=message):
        parameters.from_dict(mapping)


@pytest.mark.parametrize("parameters", [*CLASSES, AnswerParameters])
def test_deviations_and_seconds_are_not_below_0(parameters):
    for field in dataclasses.fields(parameters):
        if field.name.endswith(("_sd", "_seconds")):
            with pytest.raises(ParameterError, match="at least 0"):
                parameters(**{field.name: -0.5})


@pytest.mark.parametrize("threshold", [-1.1, 2.1])
def test_a_threshold_of_answers_is_near_the_documents_relevance(threshold):
    with pytest.raises(ParameterError, match=r"threshold is .*: .* at least -1 and at most 2"):
        AnswerParameters(threshold=threshold)


def test_scale_decides_the_kind_of_crowd():
    assert crowd_parameters(Scale.of({"levels": 101}), {"tens": 0.1}) == SliderParameters(tens=0.1)
    assert crowd_parameters(Scale.of({"levels": 4}), {}) == ButtonParameters()
    assert crowd_parameters(Scale.of({"levels": 11}), {}) == SliderParameters()
    assert crowd_parameters(Scale.of({"levels": 10}), {}) == ButtonParameters()
    ratio = Scale.of({"ratio": True})
    assert crowd_parameters(ratio, {"width": 3}) == MagnitudeParameters(width=3.0)


def test_generator_is_a_function_of_seed_and_names():
    first = generator(1, "S100", "401").random(4)
    assert np.array_equal(first, generator(1, "S100", "401").random(4))
    for other in (generator(2, "S100", "401"), generator(1, "S4", "401"), generator(1, "401")):
        assert not np.array_equal(first, other.random(4))
    # the known value guards against a change of the scheme: published seeds must keep their data
    assert first[0] == pytest.approx(KNOWN, abs=1e-15)


KNOWN = 0.23234577588577687

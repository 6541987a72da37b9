"""Answers of a simulated crowd about the pairs of a designed task (yang2019 chapter 5).

Nothing here was answered by a person.  All three questions follow from one latent relevance of
each document, the one that the simulated judgments of the collection follow too;
``docs/methods/simulation.md`` has the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import MethodError, ParameterError
from regrade.preferences.answer_key import PREFERENCE, RELEVANCE, is_accepted, options_chosen
from regrade.randomness import generator
from regrade.run_arrays import RankedLists
from regrade.scales import BINARY, Scale
from regrade.simulation.parameters import Parameters, drawn_as, interval, knob
from regrade.simulation.pool import (
    SimulationParameters,
    TopicPool,
    label_places,
    topic_pools,
)

PSEUDO = {"H": 0.95, "M": 0.6, "N": 0.05}
"""Latent relevance of documents written for test questions, by their level."""

QUIZ = 13
"""Test questions before a worker may begin (yang2019 §5.1.4)."""

SPARE = 12
"""Further workers that a unit is given to, until enough of them are trusted."""

HIGHEST_GUESS = 10
"""Spammers' numbers are whole ones from 1 to this."""


@dataclass(frozen=True, kw_only=True)
class AnswerParameters(Parameters):
    """A crowd that answers questions about pairs.

    Parameters
    ----------
    workers
        People of a topic, who do its units; each does a unit once.
    activity
        Shape of the gamma distribution of how many units people do: small, a few do most.
    sigma
        Bounds of the uniform draw of a worker's σ_u, of opinions that stay.
    wobble
        Standard deviation of what comes to it from one answer to the next: intransitivity.
    discernible
        Perceived difference up to which a worker cannot tell and guesses.
    left
        Probability that a guess is for the left document.
    ties
        Share of the guesses that are given as a tie, where the scale has ties.
    threshold, threshold_sd
        Mean and standard deviation over the workers of the perceived relevance from which on a
        document is called relevant.
    modulus, modulus_sd, width, width_sd
        Numbers, as in `regrade.simulation.crowds.MagnitudeParameters`.
    whole
        Share of the workers who write whole numbers; the others write tenths.
    consistent
        Whether an answer is refused where the preferred document's number is not the larger one,
        or the other document alone is relevant, as the thesis's form does.
    slips
        Share of the answers to each of the first two questions that are another option by mistake.
    spammers
        Share of the workers who answer at random.
    spammer_left
        Probability that a spammer prefers the left document.
    spammer_pace
        Time that they take, of others'.
    accuracy
        Share of the test questions that must be right to begin; workers below do no unit.
    reading
        Mean seconds to read a document that is new in the unit.
    preference_seconds, absolute_seconds, ratio_seconds
        Mean seconds of each question.
    shape
        Shape of these gamma distributions.
    pace
        Shape of the gamma distribution, of mean 1, of a worker's factor on all times.
    effort
        σ_u is divided by the worker's factor to this power: who takes time errs less.
    practice
        Times are divided by position^practice.
    absolute, ratio
        Whether the second and the third question are asked; the first always is.
    seed
        Another crowd of the same kind, over the same documents, for each number.
    """

    workers: int = knob(100, 1)
    activity: float = knob(1.0, 1e-2)
    sigma: tuple[float, float] = interval((0.001, 0.3), 0)
    wobble: float = knob(0.04, 0)
    discernible: float = knob(0.08, 0)
    left: float = knob(0.58, 0, 1)
    ties: float = knob(0.0, 0, 1)
    threshold: float = knob(0.5, -1, 2)
    threshold_sd: float = knob(0.08, 0)
    modulus: float = knob(2.0, 1e-6, 1e6)
    modulus_sd: float = knob(0.5, 0, 5)
    width: float = knob(5.0, 1, 1e6)
    width_sd: float = knob(0.4, 0, 2)
    whole: float = knob(0.8, 0, 1)
    consistent: bool = knob(True)
    slips: float = knob(0.02, 0, 1)
    spammers: float = knob(0.05, 0, 1)
    spammer_left: float = knob(0.6, 0, 1)
    spammer_pace: float = knob(0.2, 0)
    accuracy: float = knob(0.84, 0, 1)
    reading: float = knob(42.0, 0)
    preference_seconds: float = knob(11.5, 0)
    absolute_seconds: float = knob(14.3, 0)
    ratio_seconds: float = knob(5.9, 0)
    shape: float = knob(2.0, 1e-2)
    pace: float = knob(6.0, 1e-2)
    effort: float = knob(0.2, 0, 5)
    practice: float = knob(0.05, 0, 5)
    absolute: bool = knob(True)
    ratio: bool = knob(True)
    seed: int = knob(0, 0)


class _Answered(NamedTuple):
    """n answers: preference (−1, 0, 1), whether each is relevant, numbers of both."""

    strength: np.ndarray
    relevant: np.ndarray
    score: np.ndarray


def simulate_answers(
    ranked: RankedLists,
    qrels: pa.Table,
    task: Mapping[str, pd.DataFrame],
    name: str,
    simulation: SimulationParameters,
    crowd: AnswerParameters,
    *,
    judges: int,
    scale: Scale,
    base: Scale = BINARY,
) -> pa.Table:
    """Simulate a crowd that answers the questions of a task.

    Worker u finds document d, of latent relevance r, to be

        p_du = r + b_q + f_q σ_u ε_du,    and at the i-th answer  p_du + wobble · ε_dui

    with the topic's leniency b_q and difficulty f_q of the collection's other simulated crowds.
    From these two numbers of a pair come all its answers: the larger one is preferred, or a guess
    made where they do not differ enough; what lies above the worker's threshold is relevant; a
    relevant document's number is modulus · width^p.
    """
    if list(scale.values or ()) not in ([-1, 1], [-1, 0, 1]):
        raise ParameterError(f"{name}: simulated preferences are −1, 0 or 1, not of {scale}")
    ties = crowd.ties if len(scale.values) == 3 else 0.0
    pools = {pool.topic: pool for pool in topic_pools(ranked, qrels, simulation, base)}
    pairs, tests = (task[part].astype({"topic": str}) for part in ("pairs", "tests"))
    parts = []
    for topic, rows in pairs.groupby("topic", sort=True):
        if topic not in pools:
            raise MethodError(f"topic {topic} has no simulated pool: leave it out of the task")
        known = _labels(qrels, topic, base)
        questions = _Topic(pools[topic], known, rows, tests[tests["topic"] == topic], simulation)
        parts.append(_Crowd(questions, name, simulation.seed, crowd, ties).table(judges))
    table = pd.concat(parts, ignore_index=True)
    order = ["topic", "left", "right", "worker", "unit"]
    table = table.sort_values(order, kind="stable")[columns_of("preferences")]
    return pa.Table.from_pandas(
        table, schema=SCHEMAS["preferences"], preserve_index=False
    ).replace_schema_metadata()


class _Topic:
    """A topic's documents as numbers: those of pairs, then those of test questions.

    Attributes
    ----------
    latent
        (d,) latent relevance.
    pairs
        (units, length, 2) documents of each pair, left and right.
    tests
        (t, 2) documents of each test question; `levels` theirs.
    """

    def __init__(
        self,
        pool: TopicPool,
        labels: Mapping[str, float],
        pairs: pd.DataFrame,
        tests: pd.DataFrame,
        simulation: SimulationParameters,
    ):
        self.topic, self.leniency, self.difficulty = pool.topic, pool.leniency, pool.difficulty
        pairs = pairs.sort_values(["unit", "position"], kind="stable")
        self.docno = np.unique(pairs[["left", "right"]].to_numpy(dtype=str))
        written = np.unique(tests[["left", "right"]].to_numpy(dtype=str))
        units = pairs.drop_duplicates("unit")
        self.unit = units["unit"].to_numpy(dtype=str)
        self.partition = units["partition"].to_numpy()
        length = len(pairs) // len(units)
        sides = pairs[["left", "right"]].to_numpy(dtype=str)
        self.pairs = np.searchsorted(self.docno, sides).reshape(len(units), length, 2)
        first = len(self.docno)
        sides = tests[["left", "right"]].to_numpy(dtype=str)
        self.tests = first + np.searchsorted(written, sides)
        self.levels = tests[["left_level", "right_level"]].to_numpy(dtype=str)
        level = dict(zip(sides.ravel(), self.levels.ravel(), strict=True))
        latent = [_latent(pool, labels, docno, simulation) for docno in self.docno]
        self.latent = np.array([*latent, *(PSEUDO[level[docno]] for docno in written)])
        self.docno = np.concatenate([self.docno, written])


def _labels(qrels: pa.Table, topic: str, base: Scale) -> dict[str, float]:
    """Where the base labels of a topic lie on their scale, 0 to 1."""
    frame = qrels.select(["topic", "docno", "grade"]).to_pandas()
    frame = frame[frame["topic"].astype(str) == topic]
    grade = frame["grade"].to_numpy()
    place = label_places(grade, np.ones(len(grade), dtype=bool), base)
    return dict(zip(frame["docno"].astype(str), place, strict=True))


def _latent(
    pool: TopicPool, labels: Mapping[str, float], docno: str, simulation: SimulationParameters
) -> float:
    """The pool's latent relevance; of a document outside it, drawn as the pool's were."""
    place = np.searchsorted(pool.docno.astype(str), docno)
    if place < len(pool.docno) and pool.docno[place] == docno:
        return pool.latent[place]
    alpha, beta = generator(simulation.seed, "latent", pool.topic).uniform(*simulation.beta, size=2)
    g, s = labels.get(docno, 0.0), simulation.separation
    return generator(simulation.seed, "latent", pool.topic, docno).beta(
        alpha + s * g, beta + s * (1 - g)
    )


class _Crowd:
    """A topic's workers, traits of each (w,), and what they answer to its questions.

    Attributes
    ----------
    opinion
        (w, d) what each thinks of each document.
    """

    def __init__(
        self, questions: _Topic, name: str, seed: int, crowd: AnswerParameters, ties: float
    ):
        self.questions, self.parameters, self.ties = questions, crowd, ties
        called, n = drawn_as(name, crowd.seed), crowd.workers
        draw = generator(seed, *called, "crowd", questions.topic)
        pace = draw.gamma(crowd.pace, 1 / crowd.pace, size=n)
        sigma = draw.uniform(*crowd.sigma, size=n)
        if crowd.effort:
            sigma = sigma / np.maximum(pace, 1e-3) ** crowd.effort
        self.slope = np.log(crowd.width) * np.exp(crowd.width_sd * draw.standard_normal(n))
        self.spams = draw.random(n) < crowd.spammers
        self.pace = np.where(self.spams, crowd.spammer_pace, 1.0) * pace
        self.name = np.array([f"{name}-{questions.topic}-{i:04d}" for i in range(1, n + 1)])
        self.activity = draw.gamma(crowd.activity, size=n)
        self.threshold = crowd.threshold + crowd.threshold_sd * draw.standard_normal(n)
        self.modulus = crowd.modulus * np.exp(crowd.modulus_sd * draw.standard_normal(n))
        self.step = np.where(draw.random(n) < crowd.whole, 1.0, 0.1)
        draw = generator(seed, *called, "opinions", questions.topic)
        error = draw.standard_normal((n, len(questions.latent)))
        opinion = questions.latent + questions.leniency
        self.opinion = opinion + questions.difficulty * sigma[:, None] * error
        self.draw = generator(seed, *called, "answers", questions.topic)

    def table(self, judges: int) -> pd.DataFrame:
        """The answers of enough trusted workers for each unit."""
        questions, passed = self.questions, self._passed()
        if passed.sum() < judges:
            raise MethodError(
                f"topic {questions.topic}: {passed.sum()} of {len(passed)} simulated workers pass "
                f"the test questions, and a unit needs {judges}: raise `workers`, or lower "
                "`accuracy`"
            )
        n_judges = min(judges + (SPARE if len(questions.tests) else 0), int(passed.sum()))
        # weighted draws without replacement, for each unit by itself (Gumbel's trick)
        shape = len(questions.unit), len(self.name)
        keys = np.log(np.maximum(self.activity, 1e-300)) + self.draw.gumbel(size=shape)
        keys[:, ~passed] = -np.inf
        worker = np.argsort(-keys, axis=1, kind="stable")[:, :n_judges]
        unit = np.indices(worker.shape)[0]
        if not len(questions.tests):
            everyone = np.ones(worker.shape, bool)
            return self._of_units(worker, unit, everyone).assign(trusted=None, test=None)
        chosen = self.draw.integers(len(questions.tests), size=worker.shape)
        tested = self.answer(worker, questions.tests[chosen])
        right = _is_right(tested, questions.levels[chosen])
        done = np.cumsum(right, axis=1) - right < judges  # trusted ones before
        answers = self._of_units(worker, unit, done)
        trusted, length = right[done], questions.pairs.shape[1]
        answers = answers.assign(trusted=np.repeat(trusted, length), test=False)
        pairs = questions.tests[chosen][done][:, None]
        tests = _Answered(*(part[done][:, None] for part in tested))
        last = self._rows(worker[done], unit[done], pairs, tests, length + 1)
        return pd.concat([answers, last.assign(trusted=trusted, test=True)], ignore_index=True)

    def _passed(self) -> np.ndarray:
        """(w,) which workers may begin: all, where there are no test questions."""
        questions, number = self.questions, len(self.name)
        if not len(questions.tests):
            return np.ones(number, dtype=bool)
        chosen = self.draw.integers(len(questions.tests), size=(number, QUIZ))
        worker = np.broadcast_to(np.arange(number)[:, None], chosen.shape)
        right = _is_right(self.answer(worker, questions.tests[chosen]), questions.levels[chosen])
        return right.mean(axis=1) >= self.parameters.accuracy

    def answer(self, worker: np.ndarray, documents: np.ndarray) -> _Answered:
        """Answers to all three questions; `worker` is (…), the pair's `documents` (…, 2)."""
        crowd, draw, shape = self.parameters, self.draw, worker.shape
        opinion = self.opinion[worker[..., None], documents]
        perceived = opinion + crowd.wobble * draw.standard_normal(opinion.shape)
        spams = self.spams[worker]
        difference = perceived[..., 1] - perceived[..., 0]
        guesses = spams | (np.abs(difference) <= crowd.discernible)
        left = np.where(spams, crowd.spammer_left, crowd.left)
        guess = np.where(draw.random(shape) < left, -1.0, 1.0)
        guess = np.where(draw.random(shape) < self.ties, 0.0, guess)
        strength = np.where(guesses, guess, np.sign(difference))
        strength = np.where(draw.random(shape) < crowd.slips, 0.0 - strength, strength)
        preferred = np.stack([strength < 0, strength > 0], axis=-1)
        relevant = self._relevant(worker, perceived, preferred)
        return _Answered(strength, relevant, self._numbers(worker, perceived, preferred, relevant))

    def _relevant(
        self, worker: np.ndarray, perceived: np.ndarray, preferred: np.ndarray
    ) -> np.ndarray:
        """(…, 2) bool: both, only the preferred one, or neither; what the form has no option for
        too, unless answers are consistent."""
        crowd, draw = self.parameters, self.draw
        option = draw.integers(3, size=worker.shape)  # by mistake, or at random
        options = np.stack([np.ones_like(preferred), preferred, np.zeros_like(preferred)], axis=-2)
        random = np.take_along_axis(options, option[..., None, None], axis=-2)[..., 0, :]
        slips = (draw.random(worker.shape) < crowd.slips) | self.spams[worker]
        above = perceived > self.threshold[worker][..., None]
        relevant = np.where(slips[..., None], random, above)
        if crowd.consistent:
            is_alone = relevant.sum(axis=-1) == 1
            has_preferred = preferred.any(axis=-1)
            other_alone = is_alone & ~(relevant & preferred).any(axis=-1) & has_preferred
            relevant = np.where(other_alone[..., None], preferred, relevant)
        return relevant

    def _numbers(
        self,
        worker: np.ndarray,
        perceived: np.ndarray,
        preferred: np.ndarray,
        relevant: np.ndarray,
    ) -> np.ndarray:
        """(…, 2) numbers: 0 for what is not relevant; the preferred one's larger if it must be."""
        step, modulus, slope, spams = (
            trait[worker][..., None] for trait in (self.step, self.modulus, self.slope, self.spams)
        )
        number = np.maximum(np.rint(modulus * np.exp(slope * perceived) / step), 1) * step
        random = self.draw.integers(1, HIGHEST_GUESS + 1, size=number.shape)
        number = np.where(spams, random, np.where(relevant, number, 0.0))
        if self.parameters.consistent:
            other = number[..., ::-1]
            number = np.where(preferred & (number <= other), other + step, number)
            tied = ~preferred.any(axis=-1, keepdims=True)
            number = np.where(tied, number.max(axis=-1, keepdims=True), number)
        return number.round(1)

    def _of_units(self, worker: np.ndarray, unit: np.ndarray, done: np.ndarray) -> pd.DataFrame:
        """A row per answer about the pairs of each unit, by its workers who do it."""
        worker, unit = worker[done], unit[done]
        documents = self.questions.pairs[unit]
        whole = np.broadcast_to(worker[:, None], documents.shape[:2])
        return self._rows(worker, unit, documents, self.answer(whole, documents), 1)

    def _rows(
        self,
        worker: np.ndarray,
        unit: np.ndarray,
        documents: np.ndarray,
        answered: _Answered,
        first: int,
    ) -> pd.DataFrame:
        """A row per answer; `documents` (n, length, 2) stand from place `first` of the unit on."""
        questions, crowd = self.questions, self.parameters
        count, length = documents.shape[:2]
        columns = {
            "topic": questions.topic,
            "left": questions.docno[documents[..., 0].ravel()],
            "right": questions.docno[documents[..., 1].ravel()],
            "sides": True,
            "worker": np.repeat(self.name[worker], length),
            "unit": np.repeat(questions.unit[unit], length),
            "position": np.tile(np.arange(first, first + length), count),
            "strength": answered.strength.ravel(),
            "seconds": self._seconds(worker, documents, first).ravel().round(2),
            "partition": np.repeat(questions.partition[unit], length),
        }
        for place, side in enumerate(("left", "right")):
            score = answered.score[..., place].ravel()
            relevant = answered.relevant[..., place].ravel()
            columns[f"{side}_score"] = score if crowd.ratio else np.nan
            columns[f"{side}_relevant"] = relevant if crowd.absolute else None
        return pd.DataFrame(columns)

    def _seconds(self, worker: np.ndarray, documents: np.ndarray, first: int) -> np.ndarray:
        """(n, length) time of each pair: of documents new in the unit, and of questions."""
        crowd, draw = self.parameters, self.draw
        count, length = documents.shape[:2]
        documents = documents.reshape(count, -1)
        again = np.zeros(documents.shape, dtype=bool)
        for place in range(1, documents.shape[1]):
            again[:, place] = (documents[:, :place] == documents[:, place, None]).any(axis=1)
        new = (~again).reshape(count, length, 2).sum(axis=-1)
        # the sum of n gamma variables is one of n times the shape
        total = draw.gamma(crowd.shape * new + 1e-300) * crowd.reading / crowd.shape
        for mean, is_question in (
            (crowd.preference_seconds, True),
            (crowd.absolute_seconds, crowd.absolute),
            (crowd.ratio_seconds, crowd.ratio),
        ):
            drawn = draw.gamma(crowd.shape, size=(count, length)) * mean / crowd.shape
            total = total + (drawn if is_question else 0.0)
        position = np.arange(first, first + length)
        return self.pace[worker][:, None] * total / position**crowd.practice


def _is_right(answered: _Answered, levels: np.ndarray) -> np.ndarray:
    """Whether the answers to test questions are right, in the shape of their strengths."""
    shape = answered.strength.shape
    left, right = levels.reshape(-1, 2).T
    relevant = answered.relevant.reshape(-1, 2).astype(float).T
    strength = answered.strength.ravel()
    preference, relevance = options_chosen(strength, *relevant)
    score = answered.score.reshape(-1, 2)
    larger = np.sign(score[:, 1] - score[:, 0]) == strength
    preferred = is_accepted(left, right, PREFERENCE, preference)
    return (preferred & is_accepted(left, right, RELEVANCE, relevance) & larger).reshape(shape)

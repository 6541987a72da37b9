"""Which documents to ask people about: docs/results-estimate.md.

    python -m benchmarks.assigning designs --data FOLDER [--replays 20]
    python -m benchmarks.assigning peers --data FOLDER [--replays 10]
    python -m benchmarks.assigning looks --data FOLDER [--replays 50]
    python -m benchmarks.assigning --markdown

``designs`` holds one batch beside two, chosen independently or as many as asked, and the aims of a
second batch beside each other.  ``peers`` holds what `assign` and `estimate` say beside what other
choices of as many documents do; these know no probability, so that systems are scored by people's
labels, and what people did not label is not relevant or as the model says.  ``looks`` asks after
each batch whether the order is settled, and counts what is ever called so and is not so.  NIST's
labels of all documents are the truth.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import kendalltau
from threadpoolctl import threadpool_limits

from benchmarks.few_labels import Collection, held
from regrade.estimation.assignment import aimed, further_importance
from regrade.estimation.batches import Counting
from regrade.estimation.estimates import Estimate, LabelledSample, estimate, learned_shares
from regrade.estimation.functionals import functionals
from regrade.estimation.grades import features
from regrade.estimation.inclusion import (
    draw_fixed_sample,
    draw_sample,
    guessed_shares,
    importance,
    in_each_topic,
    inclusion_probabilities,
)
from regrade.estimation.replays import Z, full_values
from regrade.estimation.stopping import Look, settled
from regrade.randomness import generator

KEPT = Path(__file__).with_suffix(".csv")

JUDGE = {"dl21": "gpt-4o-umbrela", "trec8": "simulated"}
"""Whose values of all documents are known."""

NAMES = {"dl21": "TREC 2021 Deep Learning", "trec8": "TREC-8"}

SHARES = (0.02, 0.05, 0.1, 0.2)
"""Of the documents that people label."""

Draw = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]


def independently(inclusion: np.ndarray, topic: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Poisson sampling."""
    return draw_sample(inclusion, rng)


@dataclass(frozen=True, eq=False)
class World:
    """A collection, the measures, a judge's values of all its documents.

    Attributes
    ----------
    collection
        With NIST's labels of all.
    """

    collection: Collection

    @cached_property
    def of(self) -> list:
        """P@10 and nDCG@10."""
        names = self.collection.measures["top"]
        return functionals([names[0], names[3]], range(self.collection.levels))

    @cached_property
    def truths(self) -> list[np.ndarray]:
        """(S,) of each measure."""
        return [full_values(one, self.collection.frame, self.collection.grades) for one in self.of]

    @cached_property
    def values(self) -> np.ndarray:
        """(N,) of the judge."""
        return self.collection.values(JUDGE[self.collection.name])

    @cached_property
    def X(self) -> np.ndarray:
        """Features of the documents."""
        return features(self.collection.frame, self.values)

    @cached_property
    def costs(self) -> np.ndarray:
        """(N,) simulated: lognormal, of mean 1."""
        costs = generator(1, "costs").lognormal(0, 0.7, len(self.X))
        return costs / costs.mean()

    @cached_property
    def guessed(self) -> np.ndarray:
        """(N,) importance before any label."""
        shares = guessed_shares(self.values, self.collection.levels)
        return importance(self.collection.frame, shares, self.of)


class Course:
    """Batches of documents, one after the other, and what they say.

    Parameters
    ----------
    world
        Where.
    rng
        Of the choices.
    draw
        How documents are chosen.
    """

    def __init__(self, world: World, rng: np.random.Generator, draw: Draw = draw_fixed_sample):
        self.world, self.rng, self.draw = world, rng, draw
        self.batch = np.zeros(len(world.X), int)
        self.inclusion: list[np.ndarray] = []

    def ask(
        self,
        budget: float,
        aim: str | int | None = None,
        costs: str | None = None,
        per_topic: bool = False,
    ) -> Course:
        """Choose a further batch: by what labels teach, or as the first (``None``).

        With simulated ``costs`` the budget is theirs; they are ``ignored`` by the choice, or
        ``minded``.
        """
        frame, weights = self.world.collection.frame, self.world.guessed
        if aim is not None:
            steps = self.world.collection.levels - 1
            shares = learned_shares(frame, self.world.X, self.sample, steps, 1)
            aims = None if aim == "all" else aimed(self.estimate(1), aim)
            weights = further_importance(frame, shares, self.world.of, aims)
        rest = self.batch == 0
        inclusion = np.full(len(rest), np.nan)
        cost = None if costs is None else self.world.costs[rest]
        own = weights[rest] * np.sqrt(cost) if costs == "ignored" else weights[rest]
        topic = frame.topic[rest]
        if per_topic:
            inclusion[rest] = in_each_topic(own, budget, topic, cost)
        else:
            inclusion[rest] = inclusion_probabilities(own, budget, cost)
        chosen = self.draw(inclusion[rest], topic, self.rng)
        self.inclusion.append(inclusion)
        self.batch[np.flatnonzero(rest)[chosen]] = len(self.inclusion)
        return self

    @property
    def sample(self) -> LabelledSample:
        """All labels so far."""
        inclusion, chosen = np.array(self.inclusion), np.flatnonzero(self.batch)
        counting = Counting.of(inclusion, self.batch, np.nansum(inclusion, axis=1))
        levels = self.world.collection.grades[chosen]
        return LabelledSample(counting.inclusion, chosen, levels, counting)

    def estimate(self, seed: int) -> list[Estimate]:
        """What they say."""
        world = self.world
        return estimate(world.collection.frame, world.X, self.sample, world.of, seed)


DESIGNS: dict[str, Callable[[Course, float], Course]] = {
    "5% at once, independently": lambda course, n: course.ask(0.05 * n),
    "5% at once": lambda course, n: course.ask(0.05 * n),
    "5% at once, as many of each topic": lambda course, n: course.ask(0.05 * n, per_topic=True),
    "5% of simulated costs, ignored": lambda course, n: course.ask(0.05 * n, costs="ignored"),
    "5% of simulated costs, minded": lambda course, n: course.ask(0.05 * n, costs="minded"),
    "2%, then 3% as the first": lambda course, n: course.ask(0.02 * n).ask(0.03 * n),
    "2%, then 3% learned": lambda course, n: course.ask(0.02 * n).ask(0.03 * n, "all"),
    "2%, then 3% at undecided pairs": lambda c, n: c.ask(0.02 * n).ask(0.03 * n, "undecided"),
    "2%, then 3% at the first": lambda course, n: course.ask(0.02 * n).ask(0.03 * n, 1),
    "2%, then 3% at the first ten": lambda course, n: course.ask(0.02 * n).ask(0.03 * n, 10),
}


def designs(world: World, count: int) -> Iterator[dict[str, object]]:
    """A row for each replay, design and measure."""
    n = len(world.X)
    for r in range(count):
        for name, asked in DESIGNS.items():
            draw = independently if name.endswith("independently") else draw_fixed_sample
            course = asked(Course(world, generator(r, "designs", name), draw), n)
            said = course.estimate(r)
            for functional, one, truth in zip(world.of, said, world.truths, strict=True):
                yield {
                    "what": name, "measure": str(functional.measure), "replay": r,
                    "labels": len(course.sample.chosen), **held(one, truth),
                    **of_the_first(one, truth),
                }  # fmt: skip


def of_the_first(one: Estimate, truth: np.ndarray) -> dict[str, float]:
    """How the truly first, and the first ten, lie beside others: widths of differences."""
    order = np.argsort(-truth)

    def width(inside: np.ndarray, outside: np.ndarray) -> float:
        return float(2 * Z * one.pair_errors(inside[:, None], outside[None]).mean())

    near = np.abs(truth[:, None] - truth) < 0.05
    first, second = np.nonzero(np.triu(near, 1))
    return {
        "width_first": width(order[:1], order[1:11]),
        "width_ten": width(order[5:10], order[10:15]),
        "width_near": float(2 * Z * one.pair_errors(first, second).mean()),
        "found_ten": len({*order[:10]} & {*np.argsort(-one.values)[:10]}) / 10,
        "lost_by_first": float(truth.max() - truth[np.argmax(one.values)]),
    }


# --- looks after every batch -------------------------------------------------------------------

LOOKS = (0.02, *[0.01] * 8)
"""Parts of the documents that batches have."""


def looks(world: World, count: int) -> Iterator[dict[str, object]]:
    """A row for each course of batches, measure, and what is asked."""
    n = len(world.X)
    for r in range(count):
        course, called = Course(world, generator(r, "looks")), {}
        for k, share in enumerate(LOOKS):
            course.ask(share * n, "all" if k else None)
            look = Look(k + 1, len(course.sample.chosen), n)
            for m, (one, truth) in enumerate(zip(course.estimate(r), world.truths, strict=True)):
                for what, *found in told(one, truth, look):
                    called.setdefault((m, what), []).append(found)
        for (m, what), found in called.items():
            right, wrong = (np.array([one[i] for one in found]) for i in (0, 1))
            yield {
                "what": what, "measure": str(world.of[m].measure), "replay": r,
                "ever_wrong": wrong.any(axis=0).mean(),
                "ever_right": right.any(axis=0).mean(),
            }  # fmt: skip


def told(one: Estimate, truth: np.ndarray, look: Look) -> Iterator[tuple]:
    """What is asked, and whether it is called settled rightly and wrongly."""
    first, second = np.triu_indices(len(truth), 1)
    apart, true = (values[first] - values[second] for values in (one.values, truth))
    scaled = apart / np.maximum(one.pair_errors(first, second), 1e-12)
    near = np.argsort(np.abs(true), kind="stable")[: len(true) // 10]
    for what, reach, own in (
        ("each pair", look.reach(), slice(None)),
        ("each of the nearest tenth of pairs", look.reach(), near),
        ("these, by intervals of 95 % at every look", Z, near),
    ):
        is_told, is_right = np.abs(scaled[own]) > reach, np.sign(apart[own]) == np.sign(true[own])
        yield what, is_told & is_right, is_told & ~is_right
    table, order = pairs_of(one, [str(s) for s in range(len(truth))]), np.argsort(-one.values)
    for k, what in ((1, "which is first"), (10, "which are the first ten")):
        is_told = settled(table, look, k)["open"] == 0
        is_right = {*order[:k]} == {*np.argsort(-truth)[:k]}
        yield (
            what,
            np.array([is_told and is_right]),
            np.array([is_told and not is_right]),
        )


def pairs_of(one: Estimate, names: list[str]) -> pd.DataFrame:
    """Pairs of systems as the table ``estimates/pairs`` has them."""
    order = np.argsort(-one.values, kind="stable")
    i, j = np.triu_indices(len(order), 1)
    first, second = order[i], order[j]
    difference = one.values[first] - one.values[second]
    reach = Z * one.pair_errors(first, second)
    names = np.array(names, object)
    return pd.DataFrame(
        {"system": names[first], "other": names[second], "difference": difference,
         "low": difference - reach, "high": difference + reach}
    )  # fmt: skip


# --- peers: choices that know no probability ---------------------------------------------------


def depth_pool(world: World, budget: int, rng: np.random.Generator) -> np.ndarray:
    """The documents that some system ranks highest, down to the depth that the budget allows."""
    ranks = world.collection.frame.ranks
    best = np.where(ranks > 0, ranks, np.iinfo(np.int32).max).min(axis=0)
    return np.lexsort((rng.random(len(best)), best))[:budget]


def uniform(world: World, budget: int, rng: np.random.Generator) -> np.ndarray:
    """Any documents."""
    return rng.permutation(len(world.X))[:budget]


def move_to_front(world: World, budget: int, rng: np.random.Generator) -> np.ndarray:
    """Cormack, Palmer and Clarke, Efficient construction of large test collections, SIGIR 1998.

    Within each topic the system with the highest priority gives its next document; where that is
    not relevant, its priority falls by one.  The budget is the same for all topics.
    """

    def pick(state: Topic) -> int:
        best = state.open_systems()
        best = best[state.priority[best] == state.priority[best].max()]
        return int(rng.choice(best))

    def learn(state: Topic, system: int, document: int, is_relevant: bool) -> None:
        if not is_relevant:
            state.priority[system] -= 1

    return in_turn(world, budget, pick, learn)


def bandit(world: World, budget: int, rng: np.random.Generator) -> np.ndarray:
    """Losada, Parapar and Barreiro, Multi-armed bandits for adjudicating documents, IPM 2017.

    Non-stationary Bayesian: each system's last document alone says how likely its next one is to be
    relevant (Beta(1 + 1, 1) or Beta(1, 1 + 1)), of which one is drawn (Thompson sampling).
    """

    def pick(state: Topic) -> int:
        systems = state.open_systems()
        return int(systems[np.argmax(rng.beta(1 + state.hits[systems], 1 + state.misses[systems]))])

    def learn(state: Topic, system: int, document: int, is_relevant: bool) -> None:
        state.hits[system], state.misses[system] = float(is_relevant), float(not is_relevant)

    return in_turn(world, budget, pick, learn)


def hedge(world: World, budget: int, rng: np.random.Generator) -> np.ndarray:
    """Aslam, Pavlu and Savell, A unified model for metasearch, pooling and system evaluation, CIKM
    2003: Hedge with β = 0.1.

    A document's loss to a system of which it is at rank r of n is ½ log(n / r), lost where it is
    not relevant and won where it is; the document with the highest expected loss is judged next.
    """
    frame, beta, found = world.collection.frame, 0.1, []
    for t, size in enumerate(sizes_of(world, budget)):
        rows = frame.rows(t)
        ranks = frame.ranks[:, rows]
        n = ranks.max()
        losses = np.where(ranks > 0, 0.5 * np.log(n / np.maximum(ranks, 1)), 0.0)
        relevant = world.of[0].gains[world.collection.grades[rows]] > 0
        total, open_ones = np.zeros(len(ranks)), np.ones(ranks.shape[1], bool)
        for _ in range(min(size, ranks.shape[1])):
            weights = beta ** (total - total.min())
            expected = np.where(open_ones, weights @ losses, -1.0)
            i = int(np.argmax(expected))
            open_ones[i] = False
            found.append(rows.start + i)
            total += -losses[:, i] if relevant[i] else losses[:, i]
    return np.array(found)


class Topic:
    """Where systems are in their rankings of one topic, and how they did."""

    def __init__(self, ranks: np.ndarray):
        S, n = ranks.shape
        self.lists = [np.argsort(np.where(own > 0, own, n + 1 + own.max()))[: (own > 0).sum()]
                      for own in ranks]  # fmt: skip
        self.at = np.zeros(S, int)
        self.judged = np.zeros(n, bool)
        self.priority, self.hits, self.misses = np.zeros(S), np.zeros(S), np.zeros(S)

    def open_systems(self) -> np.ndarray:
        """Those that have a document that is not judged, each before its next one."""
        for s, own in enumerate(self.lists):
            while self.at[s] < len(own) and self.judged[own[self.at[s]]]:
                self.at[s] += 1
        return np.flatnonzero([at < len(own) for at, own in zip(self.at, self.lists, strict=True)])


def in_turn(world: World, budget: int, pick: Callable, learn: Callable) -> np.ndarray:
    """The documents of each topic that are judged one after the other."""
    frame, found = world.collection.frame, []
    relevant = world.of[0].gains[world.collection.grades] > 0
    for t, size in enumerate(sizes_of(world, budget)):
        rows = frame.rows(t)
        state = Topic(frame.ranks[:, rows])
        for _ in range(size):
            if not len(state.open_systems()):
                break
            system = pick(state)
            i = int(state.lists[system][state.at[system]])
            state.judged[i] = True
            learn(state, system, i, bool(relevant[rows.start + i]))
            found.append(rows.start + i)
    return np.array(found)


def sizes_of(world: World, budget: int) -> np.ndarray:
    """How many documents each topic has of a budget."""
    T = len(world.collection.frame.topics)
    return np.diff(np.linspace(0, budget, T + 1).astype(int))


PEERS = {
    "uniform": uniform,
    "depth-k pool": depth_pool,
    "move to front": move_to_front,
    "Hedge": hedge,
    "bandit": bandit,
}


def peers(world: World, count: int) -> Iterator[dict[str, object]]:
    """A row for each replay, choice, number of labels and measure."""
    grades = world.collection.grades
    for r in range(count):
        for share in SHARES:
            budget = round(share * len(grades))
            key = {"share": share, "replay": r}
            course = Course(world, generator(r, "peers", str(share))).ask(budget)
            for name, said in (
                ("assign and estimate", [one.values for one in course.estimate(r)]),
                *others(world, budget, r),
            ):
                for functional, values, truth in zip(world.of, said, world.truths, strict=True):
                    off = values - truth
                    yield key | {
                        "what": name,
                        "measure": str(functional.measure),
                        "labels": budget,
                        # equal means tie, whatever their last bits
                        "tau_b": kendalltau(*np.round([values, truth], 12)).statistic,
                        "error": np.abs(off).mean(),
                        "bias": off.mean(),
                        "error_of_pairs": np.sqrt(2) * off.std(),
                    }


def others(world: World, budget: int, r: int) -> Iterator[tuple[str, list[np.ndarray]]]:
    """What other choices say: by people alone, and with the model's labels of the rest."""
    frame, grades = world.collection.frame, world.collection.grades
    model = world.values.astype(int)
    for name, choose in PEERS.items():
        chosen = choose(world, budget, generator(r, name, str(budget)))
        for rest, how in ((np.zeros_like(grades), ""), (model, ", the model's else")):
            if rest.max() >= world.collection.levels:
                continue  # the model is on another scale
            levels = rest.copy()
            levels[chosen] = grades[chosen]
            yield name + how, [full_values(one, frame, levels) for one in world.of]


def kept() -> pd.DataFrame:
    """What was measured."""
    return pd.read_csv(KEPT) if KEPT.exists() else pd.DataFrame()


def main() -> None:
    """Measure, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--collection", default="dl21", choices=JUDGE)
    parser.add_argument("--replays", type=int, default=20)
    parser.add_argument("--markdown", action="store_true", help="print the tables")
    asked = parser.parse_args()
    if asked.markdown:
        print("\n".join(MARKDOWN[part](rows) for part, rows in kept().groupby("part")))
        return
    world = World(Collection(asked.data, asked.collection))
    with threadpool_limits(1, "blas"):
        rows = pd.DataFrame(PARTS[asked.part](world, asked.replays))
    keys = [name for name in ("share", "what", "measure") if name in rows]
    means = rows.groupby(keys, sort=False).mean(numeric_only=True).drop(columns="replay")
    own = means.reset_index().assign(
        part=asked.part, collection=asked.collection, replays=asked.replays
    )
    before = kept()
    if len(before):
        same = (before["part"] == asked.part) & (before["collection"] == asked.collection)
        before = before[~same]
    pd.concat([before, own], ignore_index=True).to_csv(KEPT, index=False, float_format="%.5g")
    print(own.to_string())


def markdown_designs(rows: pd.DataFrame) -> str:
    """How wide intervals are by the way documents are chosen."""
    lines = [
        "| chosen | measure | labels | systems held | width | pairs held | width | width, near "
        "pairs | the first | the tenth | τ_b |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.what} | {row.measure} | {row.labels:.0f} | {row.systems_held:.1%} "
        f"| {row.systems_width:.3f} | {row.pairs_held:.1%} | {row.pairs_width:.3f} "
        f"| {row.width_near:.3f} | {row.width_first:.3f} | {row.width_ten:.3f} | {row.tau_b:.3f} |"
        for row in rows.itertuples()
    ]
    return "\n".join([*lines, ""])


def markdown_peers(rows: pd.DataFrame) -> str:
    """τ_b with the truth and the mean error of values, by the number of labels."""
    parts = []
    for (name, measure), own in rows.groupby(["collection", "measure"], sort=False):
        shares = own["share"].unique()
        heads = " | ".join(f"{share:.0%}" for share in shares)
        parts += [f"{NAMES[name]}, {measure}:", "", f"| labels of documents chosen by | {heads} |",
                  f"|---|{'---|' * len(shares)}"]  # fmt: skip
        for what, of in own.groupby("what", sort=False):
            cells = " | ".join(f"{row.tau_b:.2f}, {row.error:.3f}" for row in of.itertuples())
            parts.append(f"| {what} | {cells} |")
        parts.append("")
    return "\n".join(parts)


def markdown_looks(rows: pd.DataFrame) -> str:
    """How often what is called settled after some look is wrong."""
    lines = [
        "| asked | measure | ever called settled wrongly | rightly |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {row.what} | {row.measure} | {row.ever_wrong:.1%} | {row.ever_right:.1%} |"
        for row in rows.itertuples()
    ]
    return "\n".join([*lines, ""])


PARTS = {"designs": designs, "looks": looks, "peers": peers}
MARKDOWN = {"designs": markdown_designs, "looks": markdown_looks, "peers": markdown_peers}


if __name__ == "__main__":
    main()

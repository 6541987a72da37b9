"""Small collections for sweeps: runs with ties, a reference, and a judge on a finer scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.sweeps.labels import LabelledSet
from regrade.sweeps.options import AvailableLevels, read_sweep
from regrade.sweeps.sweep import Sweep, SweepDesign


@dataclass
class World:
    """A collection, as the plain reference takes it and as the library does."""

    runs: dict
    labels: dict  # by set
    scales: dict
    groups: dict

    @property
    def ranked(self) -> RankedLists:
        """The runs as arrays."""
        rows = [
            (system, topic, rank, doc, score, rank)
            for system in sorted(self.runs)
            for topic in sorted(self.runs[system])
            for rank, (doc, score) in enumerate(self.runs[system][topic], 1)
        ]
        names = ("system", "topic", "rank", "docno", "score", "submitted_rank")
        return RankedLists.from_table(
            pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))
        )

    @property
    def sets(self) -> dict[str, LabelledSet]:
        """The sets by name."""
        return {name: LabelledSet(table(of), self.scales[name]) for name, of in self.labels.items()}

    def sweep(self, axes: dict, baseline: dict, families: dict | None = None, **options) -> Sweep:
        """A sweep over it."""
        known = AvailableLevels(
            {"run": sorted(self.runs), "group": sorted(set(self.groups.values()))}
        )
        written = read_sweep(axes, baseline, list(self.labels), families, known)
        return Sweep.of(
            SweepDesign.of(written, **options), self.sets, self.ranked, groups=self.groups
        )


def table(labels: dict) -> pa.Table:
    """Schema ``qrels``."""
    rows = [(t, d, float(v)) for t in sorted(labels) for d, v in sorted(labels[t].items())]
    columns = zip(*rows, strict=True)
    named = dict(zip(("topic", "docno", "grade"), map(list, columns), strict=True))
    return pa.table(named).cast(SCHEMAS["qrels"])


def world(seed: int = 1, systems: int = 6, topics: int = 6, documents: int = 14) -> World:
    """Runs of different quality, whose scores tie; a reference on four levels, a judge on 0–9."""
    rng = np.random.default_rng(seed)
    names = [f"t{t}" for t in range(topics)]
    runs, labels = {}, {"NIST": {}, "judge": {}, "share": {}}
    quality = rng.uniform(0.2, 2.5, systems)
    true = {topic: rng.integers(0, 4, documents) for topic in names}
    for s in range(systems):
        runs[f"s{s}"] = {}
        for topic in names:
            # few distinct scores, so that some tie; a tied group of at most three
            belief = np.round(quality[s] * true[topic] + rng.normal(0, 2, documents), 0)
            kept = rng.permutation(documents)[: documents - 3]
            seen: dict[float, int] = {}
            ranking = []
            for d in sorted(kept, key=lambda d: -belief[d]):
                score = float(belief[d])
                seen[score] = seen.get(score, 0) + 1
                ranking.append((f"d{d:02}", score + (0.01 * d if seen[score] > 3 else 0.0)))
            ranking.sort(key=lambda one: -one[1])
            runs[f"s{s}"][topic] = ranking
    for topic in names:
        judged = rng.permutation(documents)[: documents - 2]
        noisy = np.clip(np.round(2.6 * true[topic] + rng.normal(0, 1.3, documents)), 0, 9)
        labels["NIST"][topic] = {f"d{d:02}": int(true[topic][d]) for d in judged}
        labels["judge"][topic] = {f"d{d:02}": int(noisy[d]) for d in judged if d % 7}
        labels["share"][topic] = {f"d{d:02}": float(noisy[d]) / 9 for d in judged}
    scales = {
        "NIST": Scale.of({"levels": 4}),
        "judge": Scale.of({"levels": 10}),
        "share": Scale.of({"range": [0, 1]}),
    }
    groups = {f"s{s}": f"g{s // 2}" for s in range(systems)}
    return World(runs, labels, scales, groups)

"""Sweeps as the configuration of a collection writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from regrade.sweeps.options import AXES, CutFamily, SweepSpec, read_sweep


def sweep_of(collection, options: Mapping, names: Sequence[str] = AXES) -> SweepSpec:
    """A sweep as a collection's configuration writes it, over some axes."""
    labels = {**collection.qrels, **collection.judgments}
    return read_sweep(
        stated(options["axes"]),
        stated(options["baseline"]),
        list(labels),
        cut_families(collection),
        names=names,
    )


def stated(options):
    """The options without keys that are null, at any depth."""
    if isinstance(options, Mapping):
        return {key: stated(value) for key, value in options.items() if value is not None}
    return [stated(one) for one in options] if isinstance(options, list) else options


def cut_families(collection) -> dict[str, CutFamily]:
    """What sweeps can cut: the source of each transformation, as that does."""
    return {
        name: CutFamily(
            name,
            one.source,
            one.levels,
            one.references[0].name if one.references else None,
            one.options["aggregate"]["source"],
            one.options["metric"],
            one.options["coverage"],
            one.options["grid"],
        )
        for name, one in collection.transformations.items()
    }

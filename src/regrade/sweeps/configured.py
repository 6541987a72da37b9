"""Sweeps as the configuration of a collection writes them."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.sweeps.options import SCORE_AXES, CutFamily, SweepSpec, axes_of, read_sweep


def sweep_of(collection, options: Mapping) -> SweepSpec:
    """A sweep as a collection's configuration writes it, over the axes of its kind."""
    axes, baseline = stated(options["axes"]), stated(options["baseline"])
    names = axes_of(baseline, axes)
    sets = {**collection.qrels, **collection.judgments}
    sets = collection.score_sets if names == SCORE_AXES else sets
    return read_sweep(axes, baseline, list(sets), cut_families(collection), names=names)


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

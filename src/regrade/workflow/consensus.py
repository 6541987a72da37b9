"""Qrels that are the consensus of other sets: which these are, and what they must be.

Plain functions over plain mappings; no Snakemake in here, so tests can call it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from regrade.choices import CONSENSUS_RESCALES
from regrade.errors import ParameterError
from regrade.label_consensus.rescaling import check_rescaled, consensus_scale


def judges_of(options: Mapping) -> list[str]:
    """The sets whose consensus a qrels is; none for another source."""
    judges = options.get("consensus", [])
    return [judges] if isinstance(judges, str) else [*judges]


def sources_of(options: Mapping) -> list[str]:
    """These, and the reference of weights."""
    return [*judges_of(options), *filter(None, [options.get("reference")])]


def is_rescaled(options: Mapping) -> bool:
    """Whether the judges' scales are mapped onto 0 to 1."""
    return "consensus" in options and options["rescale"] == "range"


def check_consensus(collection) -> None:
    """Refuse a consensus of unknown sets, of itself, of several scales, or on another scale."""
    for name, options in collection.qrels.items():
        if "consensus" not in options:
            continue
        place = f"qrels.{name}"
        _check_sources(collection, place, name, options)
        if options["rescale"] not in CONSENSUS_RESCALES:
            problem = "goes with `method` only: give none or range"
            raise collection.error(f"{place}.rescale", problem)
        if options["reference"] and options["by"] != "weighted":
            problem = f"{options['by']} uses no reference: leave it out, or weight by it (weighted)"
            raise collection.error(f"{place}.reference", problem)
        _check_scale(collection, place, name, options)


def _check_sources(collection, place: str, name: str, options: Mapping) -> None:
    is_crowd = isinstance(options["consensus"], str)
    noun, known = ("qrels", collection.qrels)
    if is_crowd:
        noun, known = "set of judgments", collection.judgments
    for one in judges_of(options):
        collection.check_known(f"{place}.consensus", noun, one, known)
    judges = judges_of(options)
    if twice := [one for one in judges if judges.count(one) > 1]:
        raise collection.error(f"{place}.consensus", f"names {twice[0]} twice: name it once")
    if options["reference"]:
        reference = options["reference"]
        collection.check_known(f"{place}.reference", "qrels", reference, collection.qrels)
    if name in {*needed_for(collection, name)}:
        problem = f"rests on {name} itself: name sets that exist without it"
        raise collection.error(f"{place}.consensus", problem)


def needed_for(collection, name: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The sets that must be there before a set, some of them more than once."""
    if name in seen:
        return
    for one in _direct(collection, collection.sets.get(name, {})):
        yield one
        yield from needed_for(collection, one, seen | {name})


def _direct(collection, options: Mapping) -> Iterator[str]:
    """The sets that a set is made of."""
    yield from sources_of(options)
    source = options.get("from")
    if "labels" in options and source in collection.transformations:
        one = collection.transformations[source]
        if options["labels"] in one.labellings:
            yield from one.needs(options["labels"])
    elif source in collection.sets and "method" not in options:
        yield source


def _check_scale(collection, place: str, name: str, options: Mapping) -> None:
    """The judges have one scale, and the labels the one that follows."""
    judges, rescaled = judges_of(options), is_rescaled(options)
    scales = {one: collection.scale(one) for one in sources_of(options)}
    if rescaled:
        try:
            check_rescaled(options["by"], *(scales[one] for one in judges))
        except ParameterError as error:
            raise collection.error(f"{place}.rescale", error) from error
    first, common = judges[0], scales[judges[0]]
    for one, scale in scales.items():
        if scale != common and not rescaled:
            problem = (
                f"{first} has {common} and {one} {scale}, where a label means different things: "
                "cut them to the same levels first, or `rescale: range` for a mean or median"
            )
            raise collection.error(f"{place}.consensus", problem)
    expected = consensus_scale(options["by"], common, rescaled=rescaled)
    if collection.scale(name) == expected:
        return
    if expected == common:
        raise collection.error(place, f"the judges have {common}: give that scale")
    problem = (
        f"values may lie between two levels: give range: [{expected.low:g}, {expected.high:g}]"
    )
    remedy = "" if rescaled or options["by"] == "mean" else ", or use median_low"
    raise collection.error(place, f"{problem}{remedy}")

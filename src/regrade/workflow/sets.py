"""The sets of a collection: each of a kind, on a scale, from one source.

Plain functions over plain mappings; no Snakemake in here, so tests can call it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from regrade.choices import NAMED_COLUMNS, RELEVANCE_SCALES
from regrade.errors import ParameterError
from regrade.scales import FORMS, Scale, signed
from regrade.workflow.config import resolved, schema

KINDS = ("qrels", "judgments", "preferences")
"""The kinds of sets, as the configuration calls them: labels, judgments, preferences."""

_UNIT_COLUMN = {**dict.fromkeys(NAMED_COLUMNS, "unit"), "trec": None, RELEVANCE_SCALES: "unit_id"}
SOURCES = ("file", "simulate", "from", "consensus")
"""Where a set is from: a file, nothing, another set, or several of which it is the consensus."""

_KNOWN = {"qrels": SOURCES, "judgments": SOURCES[:3], "preferences": SOURCES[:2]}

_DERIVING = {"normalise", "shift", "aggregate"}
# a set of any source has a scale, and may say what its units are
_OF_ANY_SOURCE = {*FORMS, *SOURCES, "unit", "labels", "method", "rescale", "by", "reference"}


def scale_of(kind: str, options: Mapping) -> Scale:
    """The scale of a set's table."""
    scale = Scale.of(collected_scale(options))
    return signed(scale) if kind == "preferences" else scale


def written_scale(options: Mapping) -> dict:
    """The options that say which scale a set's file is on."""
    return {form: options[form] for form in FORMS if options.get(form) not in (None, False)}


def collected_scale(options: Mapping) -> dict:
    """The options that say which scale a set's table is on."""
    return {"levels": 2} if "relevant_from" in options else written_scale(options)


def collected_scales(collection, kind: str) -> dict[str, dict]:
    """`collected_scale` of every set of a kind, by name."""
    return {name: collected_scale(o) for name, o in collection.options[kind].items()}


def relevant_from(options: Mapping) -> float | None:
    """The lowest grade that counts as relevant in a set that is made binary."""
    lowest = options.get("relevant_from")
    return None if lowest is None else Scale.of(options).value(lowest)


def units_of(options: Mapping) -> list[str]:
    """The columns that together tell a set's HITs apart; none if it has no units."""
    column = options.get("unit", _UNIT_COLUMN.get(options["format"]))
    if column is None:
        return []
    return [column] if isinstance(column, str) else column


_READING = ("format", "columns", "where", "off_scale", "below_zero", "itself")


def reading(kind: str, options: Mapping) -> dict:
    """How the reader of a kind is to read a set's files, beside the scale."""
    how = {key: options[key] for key in _READING if key in options}
    if kind != "qrels":  # absent, it is taken where the file has it
        how["unit"] = (options["unit"] or []) if "unit" in options else None
    return how


def source_of(options: Mapping) -> str | None:
    """Where a set is from, one of `SOURCES`; ``None``: it comes with the simulated runs."""
    return next((source for source in SOURCES if source in options), None)


def deriving(options: Mapping) -> dict:
    """How a set is derived of another one."""
    return {key: options[key] for key in sorted(_DERIVING & options.keys())}


def files_of(options: Mapping) -> list[str]:
    """The files of a set, as the configuration writes them."""
    return [options["file"]] if isinstance(options["file"], str) else [*options["file"].values()]


def workers(kind: str, name: str, options: Mapping) -> list[str] | None:
    """The judge of each file where files name none; ``None`` if they do, or nobody knows."""
    if kind == "qrels":
        return None
    if not isinstance(options["file"], str):
        return list(options["file"])
    is_unnamed = options["format"] == "trec" and "worker" not in options["columns"]
    return [name] if kind == "judgments" and is_unnamed else None


def check_sets(collection) -> None:
    """Refuse sets of a collection that have one name, several sources, no scale, unused options."""
    names = [name for kind in (*KINDS, "scores") for name in collection.options[kind]]
    shared = sorted({name for name in names if names.count(name) > 1})
    if shared:
        problem = f"{', '.join(shared)} names sets of several kinds: rename one"
        raise collection.error("", problem)
    for kind in KINDS:
        for name, options in collection.options[kind].items():
            _check_source(collection, kind, name, options)
            _check_derived(collection, kind, name, options)
            _check_scale(collection, kind, name, options)


def _check_source(collection, kind: str, name: str, options: Mapping) -> None:
    """A set comes from one source, and has no option that its source would ignore."""
    place = f"{kind}.{name}"
    sources = [source for source in SOURCES if source in options]
    if kind == "qrels" and collection.is_made_with_runs(name):
        if sources:
            problem = f"comes with the simulated runs: leave out {' and '.join(sources)}"
            raise collection.error(place, problem)
    elif len(sources) != 1:
        known = _KNOWN[kind]
        listed = ", ".join(f"`{source}`" for source in known[:-1])
        raise collection.error(place, f"give one of {listed} and `{known[-1]}`")
    if "from" not in options:
        if "labels" in options:
            problem = "needs `from`: name the transformation there"
            raise collection.error(f"{place}.labels", problem)
        if "method" in options:
            problem = "needs `from`: name the pairs there"
            raise collection.error(f"{place}.method", problem)
        unused = _DERIVING & options.keys()
        _check_unused(collection, kind, name, unused, "goes with `from` only: leave it out")
    if "method" not in options and "consensus" not in options:
        problem = "goes with `method` or `consensus` only: leave it out"
        _check_unused(collection, kind, name, {"rescale"}, problem)
    if "consensus" not in options:
        problem = "goes with `consensus` only: leave it out"
        _check_unused(collection, kind, name, {"by", "reference"}, problem)
    if "file" not in options:
        unused = options.keys() - _OF_ANY_SOURCE - _DERIVING
        _check_unused(collection, kind, name, unused, "goes with `file` only: leave it out")
        return
    if options["format"] == "trec":
        unused = {"where", "columns"} if kind == "qrels" else {"where"}
        problem = "needs a file whose first line names the columns: leave it out"
        _check_unused(collection, kind, name, unused, problem)


def _check_derived(collection, kind: str, name: str, options: Mapping) -> None:
    """A set is derived of judgments that have what deriving needs; none of a derived set's own."""
    if "from" not in options:
        return
    if "labels" in options and "method" in options:
        problem = "labels are of cuts, or scores of pairs: give one of `labels` and `method`"
        raise collection.error(f"{kind}.{name}", problem)
    # of a transformation or of pairs, which are checked when there are some
    if "labels" in options or "method" in options:
        unused = _DERIVING & options.keys()
        _check_unused(collection, kind, name, unused, "goes with judgments only: leave it out")
        return
    place, source, known = f"{kind}.{name}", options["from"], collection.judgments
    others = [other for other in known if other != name]
    collection.check_known(f"{place}.from", "set of judgments", source, others)
    if kind == "judgments" and "from" in known[source]:
        problem = f"{source} is itself from {known[source]['from']}: name a set with values"
        raise collection.error(f"{place}.from", problem)
    normalises = options["normalise"] != "none"
    if normalises and not collection.units(source):
        problem = f"compares values within a unit (HIT), and {source} has no units: use none"
        raise collection.error(f"{place}.normalise", problem)
    if options["shift"] and not normalises:
        problem = "is added before normalising, and `normalise` is none: leave it out"
        raise collection.error(f"{place}.shift", problem)
    if "unit" in options:
        raise collection.error(f"{place}.unit", f"units are those of {source}: leave it out")


def _check_unused(collection, kind: str, name: str, keys: Iterable[str], problem: str) -> None:
    """Refuse options other than their defaults that would go unused."""
    described = schema()["$defs"][kind]["properties"]
    options = collection.options[kind][name]
    for key in sorted(keys & options.keys()):
        default = resolved(described[key]).get("default")
        if options[key] != default:
            raise collection.error(f"{kind}.{name}.{key}", problem)


def _check_scale(collection, kind: str, name: str, options: Mapping) -> None:
    """A set has one scale that its kind and its source can be on."""
    place = f"{kind}.{name}"
    try:
        scale = Scale.of(options)
        scale_of(kind, options)
    except ParameterError as error:
        raise collection.error(place, error) from error
    if "relevant_from" in options:
        try:
            lowest = relevant_from(options)
        except ParameterError as error:
            raise collection.error(f"{place}.relevant_from", error) from error
        if lowest <= scale.low:
            problem = f"all grades would be relevant: name one above the lowest, {scale.low:g}"
            raise collection.error(f"{place}.relevant_from", problem)
    if "simulate" in options and kind == "preferences":
        _check_answers(collection, place, scale)
    elif "simulate" in options and scale.ratio and kind != "judgments":
        problem = (
            "simulated experts use values or a range, not magnitudes: give levels, values or range"
        )
        raise collection.error(f"{place}.simulate", problem)


def _check_answers(collection, place: str, scale: Scale) -> None:
    """Simulated answers say which document is preferred."""
    if list(signed(scale).values or ()) not in ([-1, 1], [-1, 0, 1]):
        problem = f"simulated answers are -1, 0 or 1, not of {scale}: give values: [-1, 1]"
        raise collection.error(f"{place}.simulate", problem)

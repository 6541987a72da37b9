"""Searches as a job is told of them, ready to be run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from regrade.codes import CodedRuns
from regrade.cutsearch.pooled import together
from regrade.cutsearch.search import Prepared, prepare
from regrade.measures import parse
from regrade.ranked import RankedLists
from regrade.scales import Scale
from regrade.tables import read_table
from regrade.trust.bootstrap import Again
from regrade.trust.named import cut_index, named_cuts
from regrade.trust.systems import JudgedSystems
from regrade.trust.transfer import Lent


def source_values(judgments: pa.Table) -> np.ndarray:
    """The values of a set of judgments or of labels."""
    return judgments["grade" if "grade" in judgments.column_names else "value"].to_numpy()


def searches_again(
    judgments: pa.Table,
    searches: Sequence[Mapping],
    references: Mapping[str, pa.Table],
    *,
    scale: Scale,
    levels: int,
    options: Mapping,
    aggregate: Mapping,
    named: Mapping[str, Sequence[float]],
    pool: pa.Table | None = None,
    ranked: RankedLists | None = None,
    experts: Mapping[str, pa.Table] | None = None,
    measure: str = "nDCG@10",
) -> Iterator[tuple[str | None, Again]]:
    """Each search, prepared, with the cuts held beside it and the systems ranked under it.

    Parameters
    ----------
    judgments
        The source set, schema ``judgments`` or ``qrels``.
    searches
        ``method``, ``reference``, its ``label`` and the rule for its ``unjudged`` of each.
    references
        On the target scale, schema ``qrels``, by name.
    scale, levels
        The source scale; levels of the target scale.
    options
        ``metric``, ``undefined``, ``coverage``, ``repeats`` and ``grid`` of
        `regrade.cutsearch.search.search`.
    aggregate
        ``source`` and ``levels``: how values become one.
    named
        A user's cuts by name.
    pool
        For expert labels, whose documents count.
    ranked, experts, measure
        What is ranked, under whose labels, and by what; systems are left out where there are none,
        or where the measure is no nDCG.

    Yields
    ------
    label, again
        The reference's label (``None`` for methods without one), and the search.
    """
    how = {f"aggregate_{key}": aggregate[key] for key in ("source", "levels")}
    ranks = ranked is not None and parse(measure).name == "nDCG"
    for asked in searches:
        reference = references.get(asked["reference"])
        own = {"unjudged": asked["unjudged"], "pool": pool}
        prepared = prepare(
            judgments, scale, levels, asked["method"], reference, **options, **how, **own
        )
        systems = None
        if ranks and prepared.topics:
            systems = JudgedSystems.of(ranked, prepared.topics, levels, measure, experts or {})
        yield asked["label"], Again(prepared, _named(prepared, judgments, scale, named), systems)


def search_together(
    again: Again, judgments: pa.Table, asked: Mapping, references: Mapping[str, pa.Table], **how
) -> Again:
    """A search over the judgments of all topics as one topic's, without systems.

    Parameters
    ----------
    again
        The search by topic, whose thresholds are tried; topics that it leaves out are left out.
    judgments, asked, references, how
        As `searches_again` took them, `asked` being one of its searches.
    """
    topics = [topic.topic for topic in again.prepared.topics]
    kept = np.isin(judgments["topic"].to_numpy(zero_copy_only=False).astype(str), topics)
    reference = references.get(asked["reference"])
    known = {} if reference is None else {asked["reference"]: together(reference)}
    how |= {"ranked": None, "experts": {}, "pool": None}
    ((_, found),) = searches_again(
        together(judgments.filter(pa.array(kept))), [asked], known, **how
    )
    return replace(found, prepared=replace(found.prepared, task=again.prepared.task))


def _named(
    prepared: Prepared, judgments: pa.Table, scale: Scale, named: Mapping
) -> dict[str, np.ndarray]:
    task = prepared.task
    values = source_values(judgments)
    if not len(values):
        return {}
    return named_cuts(task.thresholds, task.levels, scale, values, named)


def named_indices(judgments: pa.Table, scale: Scale) -> Callable[[Lent], dict[str, int]]:
    """A function that finds cuts of equal widths and of the middle among those of a search."""

    def find(lent: Lent) -> dict[str, int]:
        again = lent.again
        places = _named(again.prepared, judgments, scale, {})
        count, levels = len(again.prepared.task.thresholds.values), again.prepared.task.levels
        return {name: int(cut_index(cut[None], count, levels)[0]) for name, cut in places.items()}

    return find


OPTIONS = ("metric", "undefined", "coverage", "repeats", "grid")
"""Of `regrade.cutsearch.search.search`, which a job is told."""


def read_searches(given: Mapping, told: Mapping) -> dict:
    """What `searches_again` takes, read from the tables of a job.

    Parameters
    ----------
    given
        Paths: ``judgments``, ``references``, ``pool`` and ``runs`` (empty where there is none) and
        ``experts``.
    told
        ``searches``, ``references``, ``experts``, ``scale``, ``levels``, ``named``, ``aggregate``,
        ``measure`` and `OPTIONS`.
    """
    judgments = read_table(given["judgments"])
    topics = judgments["topic"].unique().to_pylist()
    ranked = CodedRuns(given["runs"]).ranked(topics) if given["runs"] else None
    return _told(judgments, given["references"], told) | {
        "named": told["named"],
        "pool": read_table(given["pool"]) if given["pool"] else None,
        "ranked": ranked,
        "experts": _labels(told["experts"], given["experts"]),
        "measure": told["measure"],
    }


def read_teachers(
    judgments: Sequence[str],
    references: Sequence[str],
    others: Mapping[str, Mapping],
    ranking: Mapping | None = None,
) -> dict[str, dict[tuple[str, str | None], Again]]:
    """The searches of other transformations, by their name, then method and reference's label.

    Parameters
    ----------
    judgments
        The path of each one's source set.
    references
        Those of all their references, one transformation's after the other's.
    others
        What is told of each, as in `read_searches`.
    ranking
        More of `searches_again`: ``pool``, which all share; ``ranked``, ``experts`` and
        ``measure``, to rank systems too.
    """
    found, start = {}, 0
    for path, (name, told) in zip(judgments, others.items(), strict=True):
        stop = start + len(told["references"])
        asked = (
            _told(read_table(path), references[start:stop], told) | {"named": {}} | (ranking or {})
        )
        start = stop
        found[name] = {
            (search.prepared.method.name, label): search
            for label, search in searches_again(**asked)
            if search.prepared.topics
        }
    return found


def _told(judgments: pa.Table, references: Sequence[str], told: Mapping) -> dict:
    return {
        "judgments": judgments,
        "searches": told["searches"],
        "references": _labels(told["references"], references),
        "scale": Scale.of(told["scale"]),
        "levels": told["levels"],
        "options": {key: told[key] for key in OPTIONS},
        "aggregate": told["aggregate"],
    }


def _labels(names: Sequence[str], paths: Sequence[str]) -> dict[str, pa.Table]:
    return {name: read_table(path, "qrels") for name, path in zip(names, paths, strict=True)}

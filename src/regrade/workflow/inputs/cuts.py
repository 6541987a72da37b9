"""What the jobs of a transformation read, make and are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from typing import NamedTuple

from regrade.choices import PREFERRED_CUT_METHODS, SURENESS_TABLES
from regrade.errors import did_you_mean
from regrade.workflow.config import ConfigError
from regrade.workflow.inputs import subset
from regrade.workflow.inputs.each import only
from regrade.workflow.inputs.paths import Paths, Places
from regrade.workflow.transformations import Search, Transformation

SEARCHED = ("alpha", "best_cuts", "tied_cuts", "top_cuts")
"""The tables of a search."""

IN_CHUNKS = ("arrow", *(f"{table}.parquet" for table in SEARCHED[1:]))
"""How the files of a search in chunks of topics end: α, then the tables of its topics' cuts."""

CUT = "*/{transformation}"
"""Where the name of a transformation stands in the path of what is made of its cuts."""

ALPHA = ("grid", "metric", "undefined", "coverage", "aggregate")
"""The options by which α of cuts is computed."""


class CutInputs:
    """Of one transformation, with the paths of its collection."""

    def __init__(self, paths: Paths, transformation: Transformation):
        self.paths = paths
        self.collection = paths.collection
        self.transformation = transformation
        self.name = transformation.name
        self.options = transformation.options
        self.source = transformation.source
        self.levels = transformation.levels
        self.searches: dict[str, Search] = transformation.searches
        self.references = list(dict.fromkeys(r.name for r in transformation.references))
        self.crowds = [name for name in self.references if name in self.collection.judgments]
        self.scale = self.collection.collected_scale(self.source)
        self.chunks = range(1, self.options["chunks"] + 1)

    # paths
    def path(self, part: str) -> str:
        """A path below the transformation's cuts."""
        return self.paths.below("cuts", self.name, part)

    def of_searches(self, table: str, searches: Iterable[str]) -> list[str]:
        """A table of each of some searches."""
        return [self.path(f"{search}/{table}.parquet") for search in searches]

    @property
    def searched(self) -> dict[str, list[str]]:
        """What is kept of each search, by table."""
        return {table: self.of_searches(table, self.searches) for table in SEARCHED}

    @property
    def tau(self) -> list[str]:
        """τ of every cut, by expert."""
        return self.of_searches("tau", [f"tau@{expert}" for expert in self.transformation.experts])

    @property
    def combined(self) -> dict[str, str | list[str]]:
        """What is kept of all searches together; where there are runs, of τ too."""
        tables = {name: self.path(f"{name}.parquet") for name in SEARCHED[1:]}
        if not self.collection.has_runs:
            return tables
        return tables | {
            "tau_topics": self.path("tau_topics.parquet"),
            "tau": self.tau,
            "rankings": self.paths.below("rankings", f"{self.name}.parquet"),
        }

    def of_chunks(self, chunks: Iterable[object], endings: Iterable[str]) -> list[str]:
        """The files of chunks of topics, given by numbers or as a wildcard, search by search."""
        return [
            self.path(f"chunks/{chunk}/{search}.{ending}")
            for ending in endings
            for search in self.searches
            for chunk in chunks
        ]

    @property
    def aggregated(self) -> list[str]:
        """The labels of references that are judgment sets."""
        return [self.path(f"references/{name}.parquet") for name in self.crowds]

    @property
    def labels(self) -> dict[str, str]:
        """The labels of each reference: experts' sets, and crowds' as aggregated."""
        labels = {name: self.paths.set(name) for name in self.references}
        return labels | dict(zip(self.crowds, self.aggregated, strict=True))

    def trusted(self, *tables: str) -> dict[str, str | list]:
        """Tables that say how sure a cut is, by their names; none where `trust` is not asked."""
        if self.name in self.collection.items["trust"]:
            return subset(self.paths.tables("trust", of=self.name), *tables)
        return {table: [] for table in tables}

    # inputs
    @property
    def compared(self) -> dict[str, str | list[str]]:
        """The source, and the labels that it is compared with."""
        pool = self.options["pool"]
        return {
            "judgments": self.paths.set(self.source),
            "references": list(self.labels.values()),
            "pool": self.paths.set(pool) if pool else [],
        }

    @property
    def compared_by_rule(self) -> dict[str, str | list[str]]:
        """The same; a reference that is compared with under two rules is there twice."""
        references = [self.labels[one.name] for one in self.transformation.references]
        return self.compared | {"references": references}

    @property
    def ranked(self) -> dict[str, str | list[str]]:
        """The runs, where there are some, and the labels that they are ranked by."""
        experts = self.paths.sets(self.transformation.experts)
        return {"runs": self.paths.runs, "experts": experts}

    # parameters
    def request(self, *keys: str) -> dict[str, object]:
        """Scales and some options."""
        return {"scale": self.scale, "levels": self.levels, **subset(self.options, *keys)}

    def params_of(self, searches: Iterable[Search], *keys: str) -> dict[str, object]:
        """The same, some searches, and the names of all references."""
        requests = [search.request for search in searches]
        return {"references": self.references, "searches": requests, **self.request(*keys)}

    @property
    def searching(self) -> dict[str, object]:
        """What the tables of searches rest on: the same in however many jobs."""
        named = {"crowds": self.crowds, "named": self.options["methods"]}
        return self.params_of(self.searches.values(), *ALPHA) | named

    def again(self, searches: Iterable[Search]) -> dict[str, object]:
        """What a job needs to do some searches again."""
        return self.params_of(searches, *ALPHA, "measure") | {
            "experts": self.transformation.experts
        }

    # choices
    def chosen(self, options: Mapping) -> list[Search]:
        """The searches that an item under `trust` or `per_judge` names, or all."""
        return [self.searches[name] for name in options["searches"] or self.searches]

    @property
    def recommended(self) -> Search | None:
        """The search whose cut is recommended: of those that are trusted, if any, by the method.

        None where no method serves the data, as without a reference for one label per document.
        """
        item = self.collection.items["trust"].get(self.name, {"searches": None})
        order = PREFERRED_CUT_METHODS.index
        return min(self.chosen(item), key=lambda one: order(one.method), default=None)


class Shape(NamedTuple):
    """Transformations whose jobs make the same files.

    Their number, from 1, their paths with wildcards, collection → their names.
    """

    number: int
    cuts: CutInputs
    names: dict[str, list[str]]

    @property
    def matched(self) -> dict[str, str]:
        """What the wildcards may stand for."""
        return only(CUT, self.names)


def _searched(cuts: CutInputs) -> tuple:
    """What the files of searches depend on."""
    return tuple(cuts.searches), tuple(cuts.crowds)


class CutJobs:
    """What the jobs of transformations read and are told; their names are a wildcard.

    Functions of wildcards are for Snakemake to call.

    Parameters
    ----------
    cuts
        Of each collection, by the transformation's name.
    """

    def __init__(self, cuts: Mapping[str, Mapping[str, CutInputs]]):
        self.cuts = cuts

    @property
    def names(self) -> dict[str, list[str]]:
        """The transformations of each collection."""
        return {collection: list(own) for collection, own in self.cuts.items()}

    @property
    def of_crowds(self) -> dict[str, list[str]]:
        """Those of them that cut judgments of several workers."""
        return {
            collection: [n for n, one in own.items() if one.source in one.collection.judgments]
            for collection, own in self.cuts.items()
        }

    @property
    def labellings(self) -> list[str]:
        """The cuts of any of them that judgments can be labelled by."""
        known = (
            n
            for own in self.cuts.values()
            for c in own.values()
            for n in c.transformation.labellings
        )
        return list(dict.fromkeys(known))

    @property
    def searched_at_once(self) -> Iterator[Shape]:
        """By what is searched, transformations whose topics one job goes through."""
        return self._shapes(_searched, lambda cuts: len(cuts.chunks) == 1)

    @property
    def searched_in_chunks(self) -> Iterator[Shape]:
        """By what is searched, transformations whose topics are shared out to jobs."""
        return self._shapes(_searched, lambda cuts: len(cuts.chunks) > 1)

    @property
    def ranked(self) -> Iterator[Shape]:
        """By their experts, all transformations of collections with runs."""
        return self._shapes(
            lambda cuts: tuple(cuts.transformation.experts), lambda cuts: cuts.collection.has_runs
        )

    @property
    def combined(self) -> Iterator[Shape]:
        """All transformations of collections without runs."""
        return self._shapes(lambda _: None, lambda cuts: not cuts.collection.has_runs)

    def _shapes(
        self, alike: Callable[[CutInputs], object], are: Callable[[CutInputs], bool]
    ) -> Iterator[Shape]:
        groups: dict[object, list[CutInputs]] = {}
        for one in (one for own in self.cuts.values() for one in own.values() if are(one)):
            groups.setdefault(alike(one), []).append(one)
        for number, group in enumerate(groups.values(), 1):
            pattern = copy(group[0])
            pattern.name, pattern.paths = "{transformation}", Places()
            names: dict[str, list[str]] = {}
            for one in group:
                names.setdefault(one.collection.name, []).append(one.name)
            yield Shape(number, pattern, names)

    def threads(self, wildcards) -> int:
        """As many as help."""
        cuts = self.cuts[wildcards.collection]
        return cuts[wildcards.transformation].transformation.threads()

    def chunk(self, wildcards) -> int:
        """The number of a chunk of topics."""
        return int(wildcards.chunk)

    def inputs(self, part: str) -> Callable:
        """An input function: what a job reads, by the name of its part in `CutsParts`."""
        return lambda wildcards: self._part(part, wildcards).paths

    def request(self, part: str) -> Callable:
        """A parameter function: what it is told."""
        return lambda wildcards: self._part(part, wildcards).request

    def _part(self, part: str, wildcards) -> CutsPart:
        item = {"transformation": wildcards.transformation}
        return getattr(CutsParts(self.cuts[wildcards.collection], item), part)()


class CutsPart(NamedTuple):
    """What a job reads of transformations, and what it is told of them."""

    paths: dict[str, str | list[str]]
    request: dict[str, object]


class CutsParts:
    """What jobs of declared stages read of the cuts of transformations, part by part.

    Parameters
    ----------
    cuts
        Of the collection, by the transformation's name.
    item
        What the stage is asked for.
    """

    def __init__(self, cuts: Mapping[str, CutInputs], item: Mapping):
        self._cuts = cuts
        self._item = item

    def searches(self) -> CutsPart:
        """Searches to be done again, and the runs that are ranked under their cuts."""
        return self._again()

    def searches_beside_named(self) -> CutsPart:
        """The same, beside the cuts that are given by hand."""
        return self._again(named=self._own.transformation.cuts_of_all)

    def searches_without_runs(self) -> CutsPart:
        """The same, of labels alone, beside those of transformations that teach."""
        paths, request = self.searches_beside_named()
        others = self._others("trained_on")
        alone = {"runs": [], "experts": []}
        return CutsPart(paths | alone | others.paths, request | {"experts": []} | others.request)

    def searches_beside_others(self) -> CutsPart:
        """Searches, and those of the transformations that lend their cuts."""
        (paths, request), others = self._again(), self._others("others")
        return CutsPart(paths | others.paths, request | others.request)

    def weighed(self) -> CutsPart:
        """A source with its references, each under its rule, and the runs."""
        own = self._own
        unjudged = {one.label: one.unjudged for one in own.transformation.references}
        request = own.request(*ALPHA, "measure") | {
            "references": [*unjudged],
            "unjudged": unjudged,
            "experts": own.transformation.max_grades,
        }
        return CutsPart(own.compared_by_rule | own.ranked | {"tau": []}, request)

    def weighed_by_tau(self) -> CutsPart:
        """The same, and τ_b of every cut."""
        paths, request = self.weighed()
        return CutsPart(paths | {"tau": self._own.tau}, request)

    def searched(self) -> CutsPart:
        """The source, and the sets that it is compared with, as they are."""
        own = self._own
        paths = own.compared | {"references": own.paths.sets(own.references)}
        return CutsPart(paths, own.searching)

    def aggregated(self) -> CutsPart:
        """References that are judgment sets."""
        return CutsPart({"crowds": self._own.paths.sets(self._own.crowds)}, self._own.searching)

    def in_chunks(self) -> CutsPart:
        """The source, and the labels that it is compared with, for one chunk of topics."""
        own = self._own
        return CutsPart(own.compared, own.searching | {"chunks": own.options["chunks"]})

    def of_chunks(self) -> CutsPart:
        """What was found in all chunks."""
        own = self._own
        files = (own.of_chunks(own.chunks, part) for part in (IN_CHUNKS[:1], IN_CHUNKS[1:]))
        return CutsPart(dict(zip(("parts", "tables"), files, strict=True)), own.searching)

    def described(self) -> CutsPart:
        """Cuts, and the labels of experts."""
        own, labels = self._own, self._own.transformation.expert_labels
        paths = {"judgments": own.compared["judgments"], "labels": own.paths.sets(labels)}
        request = subset(own.options, *ALPHA) | {
            "experts": labels,
            "searches": [{"name": s.name, **s.request} for s in own.searches.values()],
            "scale": own.scale,
        }
        return CutsPart(subset(own.searched, "alpha", "best_cuts") | paths, request)

    def pooled(self) -> CutsPart:
        """What is compared, and the cuts of topics."""
        own = self._own
        paths = own.compared | subset(own.searched, "alpha", "best_cuts")
        return CutsPart(paths, own.params_of(own.searches.values(), *ALPHA))

    def combined(self) -> CutsPart:
        """The chosen cuts of all searches; where there are runs, what ranks them."""
        own, one = self._own, self._own.transformation
        paths, request = subset(own.searched, *SEARCHED[1:]), {"unserved": one.unserved}
        if not own.collection.has_runs:
            return CutsPart(paths, request)
        request |= own.request("grid", "measure", "aggregate") | {
            "experts": one.experts,
            "max_grades": one.max_grades,
            "named": one.options["experts"],
        }
        return CutsPart(own.ranked | paths | subset(own.compared, "judgments"), request)

    def explored(self) -> CutsPart:
        """What the explorer rests on."""
        own = self._own
        paths = {
            **own.compared,
            **own.ranked,
            **own.trusted("plateau"),
            "alpha": own.searched["alpha"],
            "best_cuts": own.combined["best_cuts"],
        }
        request = own.again(own.searches.values()) | {
            "experts": own.transformation.max_grades,
            "score_precision": own.collection.options["score_precision"],
            "name": own.name,
            "start": own.recommended.request if own.recommended else None,
        }
        return CutsPart(paths, request)

    def recommended(self) -> CutsPart:
        """What says which cut to use."""
        own, one, search = self._own, self._own.transformation, self._own.recommended
        paths = {
            **own.ranked,
            **own.trusted(*SURENESS_TABLES),
            "judgments": own.compared["judgments"],
            "best_cuts": own.combined["best_cuts"],
            "alpha": own.path(f"{search.name}/alpha.parquet") if search else [],
        }
        request = subset(own.options, "grid", "measure", "metric") | {
            "source": one.source,
            "search": search.request if search else None,
            "unserved": list(one.unserved.values()),
            "score_precision": own.collection.options["score_precision"],
            "scale": own.scale,
            "how": one.label_options,
            "max_grades": one.max_grades,
        }
        return CutsPart(paths, request)

    @property
    def _own(self) -> CutInputs:
        return self._cuts[self._item["transformation"]]

    def _again(self, named: Mapping | None = None) -> CutsPart:
        own, alone = self._own, {"other_judgments": [], "other_references": []}
        request = own.again(own.chosen(self._item)) | {"named": named or {}, "others": {}}
        return CutsPart(own.compared | own.ranked | alone, request)

    def _others(self, key: str) -> CutsPart:
        """Those searches of other transformations that are among the item's."""
        others = [self._cuts[name] for name in self._item[key]]
        names = {search.name for search in self._own.chosen(self._item)}
        paths = {
            "other_judgments": [one.compared["judgments"] for one in others],
            "other_references": [path for one in others for path in one.compared["references"]],
        }
        request = {
            one.name: one.again(search for name, search in one.searches.items() if name in names)
            for one in others
        }
        return CutsPart(paths, {"others": request})

    def beside_power(self) -> CutsPart:
        """The searches of the sets that `power` cuts itself, into as many levels."""
        sets, levels = cut_by_power(self._item), self._item["cuts"]["levels"]
        beside = [c for c in self._cuts.values() if c.source in sets and c.levels in levels]
        paths = {
            table: [path for one in beside for path in one.searched[table]]
            for table in ("best_cuts", "alpha")
        }
        searches = [
            [one.name, one.source, one.levels, search] for one in beside for search in one.searches
        ]
        grids = [[one.source, one.levels, one.options["grid"]] for one in beside]
        return CutsPart(paths, {"searches": searches, "grids": grids})


def cut_by_power(item: Mapping) -> list[str]:
    """The sets of a comparison that are cut where they keep the most discrimination."""
    cuts = item["cuts"]
    if not cuts["levels"]:
        return []
    return item["sets"] if cuts["sets"] is None else cuts["sets"]


class Labellings:
    """Input and parameter functions of labels under chosen cuts.

    A job is of a path, with a transformation and a labelling, or of a qrels that is one.
    """

    def __init__(self, cuts: Mapping[str, CutInputs]):
        self.cuts = cuts

    def _requested(self, wildcards) -> tuple[CutInputs, str]:
        name = wildcards.get("name")
        if name is not None:
            options = next(iter(self.cuts.values())).collection.qrels[name]
            return self.cuts[options["from"]], options["labels"]
        cuts, labelling = self.cuts[wildcards.transformation], wildcards.labelling
        known = cuts.transformation.labellings
        if labelling not in known:
            problem = f"there is no search or cut '{labelling}'{did_you_mean(labelling, known)}"
            raise ConfigError(f"config: {cuts.name}: {problem}")
        return cuts, labelling

    def judgments(self, wildcards) -> str:
        """The source set."""
        return self._requested(wildcards)[0].compared["judgments"]

    def best_cuts(self, wildcards) -> str | list:
        """The table with the cuts; none where they are given by hand."""
        cuts, labelling = self._requested(wildcards)
        search = cuts.transformation.labellings[labelling]["search"]
        if search is None:
            return []
        if search in cuts.searches:
            return cuts.path(f"{search}/best_cuts.parquet")
        return cuts.combined["best_cuts"]

    def how(self, wildcards) -> dict:
        """What `regrade.cutsearch.labels.Labelling` is told."""
        cuts, labelling = self._requested(wildcards)
        return cuts.transformation.how_to_label(labelling)

    def about(self, wildcards) -> dict:
        """What is to be told of labels beside how they were made."""
        cuts, labelling = self._requested(wildcards)
        transformation, by_runs = cuts.transformation, labelling.startswith("tau@")
        notes = cuts.collection.notes_on(*sorted(transformation.sets), runs=by_runs)
        search = transformation.searches.get(transformation.labellings[labelling]["search"])
        keys = ("pool", "metric", "undefined", "coverage", "grid", "measure")
        return {
            "collection": cuts.collection.name,
            "transformation": cuts.name,
            "source": transformation.source,
            "labels": labelling,
            "unjudged": search.request["unjudged"] if search else "drop",
            **subset(cuts.options, *keys),
            "note": notes or None,
        }

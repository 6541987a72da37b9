"""The stages of `trust`: which cut to trust, and what cuts lose where others use them."""

from collections.abc import Iterable, Mapping

from regrade.measures import parse
from regrade.stages import declare

FEW_CUTS = 50_000
"""Of searches that are done again and again."""

LOAD = "regrade.trust.searches.read_ranked"


def threads(collection, item: Mapping) -> int:
    """One thread where there are few cuts."""
    return collection.transformations[item["transformation"]].threads(FEW_CUTS)


class Trust(declare.Stage):
    """Reliability of a transformation's cuts: held-out evaluation, bootstrap samples, cuts chosen
    without a reference or with few labels. Results are stored with the transformation's cuts. The
    optimised cuts are compared with the transformation's cuts by hand, `equal_widths`, and
    `middle` (equally many values in each level).
    """

    key = "trust"
    place = 310
    about = "Transformations whose cuts are checked for reliability."
    called = "{transformation}"
    tables = (
        declare.Tables(
            "trust",
            runs=declare.UNUSED,
            tell_of_runs=(
                "cuts/held_out",
                "cuts/held_out_topics",
                "cuts/bootstrap",
                "cuts/plateau",
                "cuts/plateau_effects",
            ),
        ),
        declare.Tables("trust_without_labels", runs=declare.UNUSED, asks=("unlabelled|budget",)),
    )

    transformation = declare.one("transformations", "One of the collection's transformations.")
    searches = declare.several(
        "searches", "Its searches, such as `tw1` or `h2@TR2_a`; absent or null, all.", default=None
    )
    held_out = declare.options(
        ["topics", "documents", "units", "systems"],
        "Data to hold out: one topic at a time, or half of the others.",
        choices="SPLITS",
    )
    splits = declare.option(
        10, "Number of random splits of documents, units and systems into halves.", least=1
    )
    bootstrap = declare.options(
        ["topics", "units"],
        "Data that are resampled with replacement before the whole search is repeated.",
        choices="DRAWN",
    )
    resamples = declare.option(1000, "Number of bootstrap samples.", least=1)
    unlabelled = declare.option(
        True,
        "Whether rules that choose a cut without a reference are tried, and evaluated by "
        "the reference.",
    )
    trained_on = declare.several(
        "transformations",
        "Other transformations with equally many levels and a search in common, from "
        "which rules without a reference also learn, besides the collection's other "
        "topics.",
        default=[],
    )
    budget = declare.options(
        [5, 10, 20, 40, 80, 160],
        "Numbers of labelled documents per topic to try; the numbers of labelled topics "
        "follow. An empty list: no budgets.",
        type="integer",
        minimum=1,
    )
    samples = declare.option(50, "Number of samples of labelled documents, or of topics.", least=1)

    @classmethod
    def check(cls, collection, name, item):
        """Others teach something, and systems are ranked by nDCG under drawn judgments."""
        place, one = f"{cls.key}.{name}", collection.transformations[name]
        for other in item["trained_on"]:
            key = f"{place}.trained_on"
            if other == name:
                problem = (
                    "is the transformation itself, whose other topics are used anyway: leave it"
                )
                raise collection.error(key, f"{name} {problem} out")
            searches = [one.searches[search] for search in item["searches"] or one.searches]
            judged = [search.name for search in searches if search.reference]
            check_shares(collection, key, one, collection.transformations[other], judged)
        measure = one.options["measure"]
        if collection.has_runs and item["bootstrap"] and parse(measure).name != "nDCG":
            problem = (
                f"systems are ranked under resampled judgments by nDCG, and {name} by {measure}"
            )
            raise collection.error(f"{place}.bootstrap", f"{problem}: leave it empty")

    @declare.job(
        reads=(declare.cuts("source", "searches_beside_named", LOAD),),
        makes="cuts/held_out cuts/held_out_topics cuts/gains",
        memory=4000,
        minutes=60,
        threads=threads,
    )
    def hold_out_cuts(data, held_out, splits, seed):
        """Cuts judged on what they were not chosen on, by α and by τ_b."""
        import pandas as pd

        from regrade.aggregation import aggregate
        from regrade.catalogue import columns_of
        from regrade.trust.held_out import held_out_by_tau, held_out_tables, scores_under_cuts

        source = data.source
        how = {"repeats": splits, "seed": seed, "threads": data.threads}
        of_judgments = [split for split in held_out if split != "systems"]
        made = []
        for label, search in source.searches(source.items):
            data.log.info("hold out: %s %s", search.plan.method.name, label or "")
            made.append(held_out_tables(search, label, of_judgments, **how))
        if source.ranked is not None:
            labels = aggregate(source.judgments, source.options.aggregation.source)
            for expert, qrels in source.experts.items():
                data.log.info("hold out: tau %s", expert)
                scores = scores_under_cuts(source, labels, qrels, data.threads)
                if scores is not None:
                    made.append(held_out_by_tau(*scores, expert, held_out, **how))
        tables = {}
        for name in ("held_out", "held_out_topics", "gains"):
            parts = [part[name] for part in made if name in part]
            tables[name] = pd.concat(parts, ignore_index=True)[columns_of(f"cuts/{name}")]
        return tables

    @declare.job(
        reads=(declare.cuts("source", "searches_beside_named", LOAD),),
        makes="cuts/bootstrap cuts/chosen cuts/plateau cuts/plateau_effects",
        memory=4000,
        minutes=120,
        threads=threads,
    )
    def bootstrap_cuts(data, bootstrap, resamples, seed):
        """The whole search again on data drawn anew: intervals, chosen cuts, and the plateau."""
        import pandas as pd

        from regrade.trust.bootstrap import bootstrap_tables
        from regrade.trust.plateau import plateau_tables

        drawn, parts = {"resamples": resamples, "seed": seed}, {}
        for label, search in data.source.searches(data.source.items):
            data.log.info("search again: %s %s", search.plan.method.name, label or "")
            tables = bootstrap_tables(search, label, bootstrap, **drawn, threads=data.threads)
            for name, table in (tables | plateau_tables(search, label, **drawn)).items():
                parts.setdefault(name, []).append(table)
        return {name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()}

    @declare.job(
        reads=(declare.cuts("source", "searches_without_runs", LOAD),),
        makes="trust_without_labels",
        memory=4000,
        minutes=60,
        threads=threads,
    )
    def cut_unlabelled(data, unlabelled, budget, samples, seed):
        """Cuts chosen without a topic's labels, and how many labels find one."""
        import pandas as pd

        from regrade.catalogue import columns_of
        from regrade.trust.budget import budget_table
        from regrade.trust.rules import unlabelled_table

        teachers = data.source.searches_of_others()
        parts = {
            name: [pd.DataFrame(columns=columns_of(f"cuts/{name}"))]
            for name in ("unlabelled", "budget")
        }
        drawn = {"samples": samples, "seed": seed, "threads": data.threads}
        for label, search in data.source.searches(data.source.items):
            method = search.plan.method
            data.log.info("without labels, and with few: %s %s", method.name, label or "")
            others = {
                name: searches[method.name, label]
                for name, searches in teachers.items()
                if (method.name, label) in searches
            }
            if method.needs_reference and unlabelled:
                parts["unlabelled"].append(unlabelled_table(search, label, others, seed))
            if budget:
                parts["budget"].append(budget_table(search, label, budget, **drawn))
        return {name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()}


class PerJudge(declare.Stage):
    """The optimum cut of each judge of a transformation's source, and the loss of a cut chosen for
    one judge, topic, transformation or collection on another. Results are stored with the
    transformation's cuts.
    """

    key = "per_judge"
    place = 320
    about = "Transformations whose cuts are compared between judges and transferred to others."
    called = "{transformation}"
    tables = (
        declare.Tables(
            "per_judge",
            runs=declare.UNUSED,
            tell_of_runs=("cuts/transfer", "cuts/aggregated", "cuts/fewer"),
        ),
    )

    transformation = declare.one("transformations", "One of the collection's transformations.")
    searches = declare.several(
        "searches",
        "Its searches, such as `h1_ta` or `h2@TR2_a`; absent or null, all.",
        default=None,
    )
    between = declare.options(
        ["workers", "topics"],
        "Units between which cuts are transferred, besides `others` and `collections`; "
        "`workers` also chooses a cut for each worker.",
        choices="LENDERS",
    )
    minimum = declare.option(
        30,
        "Least number of comparable documents that a worker must have judged; workers "
        "with fewer are named.",
        least=2,
    )
    others = declare.several(
        "transformations",
        "Other transformations, with sources on the same scale and equally many levels, "
        "between which and this one cuts are transferred; searches of the same name are "
        "compared.",
        default=[],
    )
    collections = declare.schema(
        {},
        "Other collections by name, each with the file of best cuts "
        "(`results/…/cuts/…/best_cuts.parquet`) whose cuts for all topics are used on "
        "this transformation, by the same method.",
        type="object",
        additionalProperties={"type": "string"},
    )
    votes = declare.options(
        ["median", "majority", "mean"],
        "Aggregation of a document's judgments, before and after cutting; differences are "
        "from the first. Models need crowd-kit (`pip install regrade[crowd]`); an empty "
        "list skips the comparison.",
        choices="VOTES",
    )
    fewer = declare.options(
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        "Numbers of judges per document to sample, for the effect of fewer judges; an "
        "empty list skips it.",
        type="integer",
        minimum=1,
    )
    fewer_of = declare.options(
        ["documents"],
        "Whether each document has its own sample of its judges, or all documents have "
        "the same workers (only where every worker judged all documents).",
        choices="FEWER_OF",
        fewest=1,
    )

    @classmethod
    def check(cls, collection, name, item):
        """Others lend cuts that mean something."""
        one = collection.transformations[name]
        for other in item["others"]:
            key = f"{cls.key}.{name}.others"
            if other == name:
                raise collection.error(key, f"{name} is the transformation itself: name others")
            searches = item["searches"] or one.searches
            check_lends(collection, key, one, collection.transformations[other], searches)

    @declare.job(
        reads=(declare.cuts("source", "searches_beside_others", LOAD), declare.file("collections")),
        makes="cuts/judges cuts/transfer",
        memory=4000,
        minutes=60,
        threads=threads,
    )
    def transfer_cuts(data, between, minimum, collections, seed):
        """The cut of each judge, and what a cut loses where another judge, topic or set uses it."""
        import pandas as pd

        from regrade.catalogue import columns_of
        from regrade.tables import read_table
        from regrade.trust.judges import judge_tables, why_no_judges
        from regrade.trust.transfer import transfer_table

        source, others = data.source, data.source.searches_of_others()
        files = zip(collections, data.collections or (), strict=True)
        tables = {name: read_table(path).to_pandas() for name, path in files}
        drawn = {"minimum": minimum, "seed": seed, "threads": data.threads}
        parts = {
            name: [pd.DataFrame(columns=columns_of(f"cuts/{name}"))]
            for name in ("judges", "transfer")
        }
        for item, (label, search) in zip(source.items, source.searches(source.items), strict=True):
            key = search.plan.method.name, label
            data.log.info("transfer: %s %s", key[0], label or "")
            lent = {name: searches[key] for name, searches in others.items() if key in searches}
            parts["transfer"].append(
                transfer_table(search, data.item, label, between, lent, tables)
            )
            if "workers" in between:
                pooled = source.pooled(search, item) if why_no_judges(search) is None else None
                of_judges = judge_tables(search, pooled, label, **drawn)
                for name, table in of_judges.items():
                    parts[name].append(table)
        return {
            name: pd.concat([one for one in made if len(one)] or made, ignore_index=True)
            for name, made in parts.items()
        }

    @declare.job(
        reads=(declare.cuts("source", "searches", LOAD),),
        makes="cuts/aggregated",
        memory=4000,
        minutes=120,
    )
    def aggregate_cuts(data, votes):
        """Judgments of a document as one, before and after cutting: by votes and by models."""
        import pandas as pd

        from regrade.catalogue import columns_of
        from regrade.trust.crowd import aggregated_table

        compared = {(s["label"], s["reference"], s["unjudged"]): None for s in data.source.items}
        compared = [key for key in compared if key[1] is not None] or [(None, None, "drop")]
        parts = []
        for label, reference, unjudged in compared if votes else ():
            data.log.info("aggregated: %s", label or "no reference")
            source = data.source.with_unjudged(unjudged)
            labels, named = source.references.get(reference), source.named_indices
            parts.append(aggregated_table(source, labels, label, votes, named=named))
        nothing = pd.DataFrame(columns=columns_of("cuts/aggregated"))
        return {"aggregated": pd.concat(parts or [nothing], ignore_index=True)}

    @declare.job(
        reads=(declare.cuts("source", "searches", LOAD),),
        makes="cuts/fewer",
        memory=4000,
        minutes=120,
        threads=threads,
    )
    def fewer_judges(data, fewer, fewer_of, seed):
        """What fewer judges of each document would have done: cost against α and τ_b."""
        import pandas as pd

        from regrade.catalogue import columns_of
        from regrade.trust.budget import fewer_table

        drawn, parts = {"seed": seed, "threads": data.threads}, []
        for label, search in data.source.searches(data.source.items) if fewer else ():
            data.log.info("fewer judges: %s %s", search.plan.method.name, label or "")
            parts.append(fewer_table(search, label, fewer, fewer_of, **drawn))
        nothing = pd.DataFrame(columns=columns_of("cuts/fewer"))
        return {"fewer": pd.concat(parts or [nothing], ignore_index=True)}


def check_lends(collection, place: str, one, other, searches: Iterable[str]) -> None:
    """Refuse a transformation whose cuts mean nothing on another one's scale."""
    scales = [collection.scale(t.source) for t in (one, other)]
    if other.levels == one.levels and scales[0] != scales[1]:
        problem = f"{other.source} holds {scales[1]}, and {one.source} holds {scales[0]}"
        raise collection.error(place, f"{problem}: name a transformation on the same scale")
    check_shares(collection, place, one, other, searches)


def check_shares(collection, place: str, one, other, searches: Iterable[str]) -> None:
    """Refuse a transformation from which nothing can be learnt for another."""
    if other.levels != one.levels:
        problem = f"{other.name} has {other.levels} levels, and {one.name} has {one.levels}"
        raise collection.error(place, f"{problem}: name a transformation into {one.levels} levels")
    if one.options["pool"] != other.options["pool"]:
        problem = f"{other.name} and {one.name} are not completed over one pool"
        raise collection.error(place, f"{problem}: give both the same `pool`, or none")
    if not set(searches) & other.searches.keys():
        problem = f"{other.name} and {one.name} have no method and reference in common"
        has = f"{', '.join(other.searches) or 'none'}, and {', '.join(searches) or 'none'}"
        raise collection.error(place, f"{problem} ({has}): name `references` of both")

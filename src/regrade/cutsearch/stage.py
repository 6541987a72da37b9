"""The stages of `cutsearch`: every cut of a scale, and what follows from all of them."""

from itertools import chain

from regrade.stages import declare

LOAD = "regrade.cutsearch.weighed.read_weighed"

COMPLETED = "_a"
"""After a reference's name, as the papers have it: a document that it lacks has level 0."""


def set_of_reference(written: str) -> str:
    """The set that a reference names, with or without the subscript; no set is called so."""
    return written.removesuffix(COMPLETED)


class CutLevels(declare.Stage):
    """α at the best cuts and at cuts chosen on other topics, and τ_b of the systems, by the
    number of levels. With the transformation's references (evenly on their scale) and
    internally.
    """

    key = "cut_levels"
    place = 350
    about = "Transformations whose sources are cut into 2 to 7 levels, for comparison."
    called = "{transformation}"
    target = "cuts"
    tables = (
        declare.Tables("cut_levels", runs=declare.UNUSED),
        declare.Tables("cut_levels_and_systems", runs=declare.USED),
    )

    transformation = declare.one(
        "transformations", "The transformation that gives source, references and rules."
    )
    references = declare.several(
        "labels",
        "Further reference sets, with any number of levels. A crowd's values count by "
        "each document's median, put on the nearest level.",
        scale="levels",
        default=[],
    )
    most = declare.option(7, "Largest number of levels.", least=2, most=7)
    enumerate_to = declare.option(
        5,
        "Every cut is tried up to 20 million cuts per number of levels. Beyond that the "
        "optimum is found exactly where no enumeration is needed, else by hill climbing.",
        least=2,
        most=7,
    )

    @classmethod
    def check(cls, collection, name, item):
        """There is something beside which cuts are held, each once."""
        place, known = f"{cls.key}.{name}", collection.transformations[name]
        if known.source_is_expert and not (known.references or item["references"]):
            problem = f"{name} has labels without workers and no `references`: name some"
            raise collection.error(place, problem)
        for one in item["references"]:
            if one in {known.source, *(r.name for r in known.references)}:
                problem = f"{one} is the source, or one of its references: leave it out"
                raise collection.error(f"{place}.references", problem)

    @declare.job(
        reads=(declare.cuts("source", "weighed", LOAD), declare.sets("references")),
        memory=4000,
        minutes=60,
        threads=8,
    )
    def count_levels(data, most, enumerate_to):
        """The best cuts into 2 to 7 levels, held out by topic, and τ_b under these cuts."""
        import pandas as pd

        from regrade.aggregation import aggregate
        from regrade.catalogue.arrow import SCHEMAS
        from regrade.cutsearch.joint_counts import JointCounts
        from regrade.cutsearch.levels import (
            best_by_levels,
            internal,
            levels_table,
            tau_by_levels,
            with_reference,
        )
        from regrade.measures import parse

        source, alpha = data.source, data.source.options
        topics = source.topics()
        thresholds = topics.thresholds(2, alpha.grid)
        own = internal(topics, thresholds, alpha.metric)
        criteria = [own] if own else []
        joints = source.joint_counts(topics, thresholds)
        for one in data.references:
            labels = aggregate(one.table, "median", one.levels)
            joints[one.name] = JointCounts.of(topics, thresholds, labels, one.levels, alpha)
        criteria += [with_reference(joint, label) for label, joint in joints.items()]
        how = {"coverage": alpha.coverage, "enumerate_to": enumerate_to}
        how["threads"], up_to = data.threads, range(2, most + 1)
        tables = [levels_table(each, best_by_levels(each, up_to, **how)) for each in criteria]
        nothing = SCHEMAS["cuts/levels"].empty_table().to_pandas()
        levels = pd.concat([nothing, *tables], ignore_index=True)
        data.about["thresholds"] = thresholds.note or "all"
        if source.ranked is None:
            return {"levels": levels}
        beside = source.ranked, source.labels, source.experts, parse(source.measure)
        return {"levels": levels, "levels_tau": tau_by_levels(levels, *beside)}


class CutCriteria(declare.Stage):
    """Transformations whose cuts are evaluated by all criteria."""

    key = "cut_criteria"
    place = 340
    held = declare.several(
        "transformations",
        "Transformations with references whose cuts are evaluated by all criteria: α, κ, "
        "accuracy, F1, rank correlations and equal level shares with each reference; the "
        "α nearest to the source's own; τ_b and significantly different pairs.",
        default=[],
    )
    target = "cuts"
    tables = (
        declare.Tables(
            "cut_criteria",
            runs=declare.UNUSED,
            tell_of_runs=("cuts/criteria", "cuts/fronts", "cuts/picked"),
        ),
    )

    @classmethod
    def items(cls, collection):
        """The transformations to evaluate."""
        return {name: {"transformation": name} for name in collection.options[cls.key]}

    @classmethod
    def check(cls, collection, name, item):
        """There are references beside which cuts are weighed."""
        if not collection.transformations[name].references:
            problem = f"{name} has no references: name some under its `references`"
            place = f"{cls.key}.{name}"
            raise collection.error(place, f"compares cuts with references, and {problem}")

    @declare.job(
        reads=(declare.cuts("source", "weighed_by_tau", LOAD),), memory=4000, minutes=60, threads=8
    )
    def weigh_cuts(data, significance):
        """Every criterion of every cut, the cut that each criterion selects, and its cost by the
        other criteria.
        """
        from regrade.cutsearch import criterion_picks
        from regrade.cutsearch.discrimination import CutGains

        source, alpha = data.source, data.source.options
        topics = source.topics()
        thresholds = topics.thresholds(source.levels, alpha.grid)
        joints = source.joint_counts(topics, thresholds)
        own = criterion_picks.source_alpha(topics, source.levels, thresholds, alpha.metric)
        others, ranking = [own] if own else [], None
        if source.ranked is not None:
            scale = source.levels, source.measure, thresholds
            gains = CutGains.of(source.ranked, source.labels, *scale)
            ranking = criterion_picks.ExpertRankings(gains, source.experts, significance)
            others += [
                criterion_picks.tau_criterion(expert, table) for expert, table in source.tau.items()
            ]
            shares = gains.shares(gains.of_cuts.cuts, significance, data.threads)
            others.append(
                criterion_picks.Criterion(criterion_picks.SIGNIFICANT_PAIRS, over_topics=shares)
            )
        data.about["thresholds"] = thresholds.note or "all"
        how = {"metric": alpha.metric, "coverage": alpha.coverage, "threads": data.threads}
        return criterion_picks.criteria_tables(joints, others, ranking, **how)


class CutComparisons(declare.Stage):
    """Best agreement of two transformations."""

    key = "cut_comparisons"
    place = 330
    held = declare.schema(
        [],
        "Pairs of transformations with equally many levels, whose best agreement with "
        "shared references is compared.",
        type="array",
        items={
            "type": "array",
            "names": "transformations",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
        },
    )
    target = "cuts"
    tables = (declare.Tables("cut_comparisons", runs=declare.UNUSED),)

    @classmethod
    def check(cls, collection, name, item):
        """Two transformations with equally many levels and at least one search in common."""
        known = collection.transformations
        for number, names in enumerate(item):
            place = f"{cls.key}.{number}"
            if names[0] == names[1]:
                raise collection.error(
                    place, f"{names[0]} is named twice: name another transformation"
                )
            first, second = (known[name] for name in names)
            if first.levels != second.levels:
                problem = f"{first.levels} and {second.levels} levels cannot be compared"
                raise collection.error(
                    place, f"{problem}: name transformations with equally many levels"
                )
            if not first.searches.keys() & second.searches.keys():
                problem = "have no method and reference in common: name `references` of both"
                raise collection.error(place, f"{names[0]} and {names[1]} {problem}")

    @declare.job(
        reads=(
            declare.searches(
                lambda collection: [
                    (name, search)
                    for name in dict.fromkeys(chain(*collection.options["cut_comparisons"]))
                    for search in collection.transformations[name].searches
                ]
            ),
        ),
        minutes=5,
    )
    def compare_cuts(data, cut_comparisons):
        """Whether one source, once cut, agrees better with the references than another source."""
        import pandas as pd

        from regrade.cutsearch.source_comparisons import compared_searches

        tables = {}
        for (transformation, search), best_cuts in data.searches.items():
            tables.setdefault(transformation, {})[search] = best_cuts
        compared = [
            compared_searches(tables[first], tables[second], (first, second))
            for first, second in cut_comparisons
        ]
        return {"agreement": pd.concat(compared, ignore_index=True)}


class ExpertCuts(declare.Stage):
    """Experts' labels cut into two levels, against other experts' labels."""

    key = "expert_cuts"
    is_partial = True
    place = 360
    held = declare.listed(
        "Experts' labels to cut into two levels and to compare with other experts' labels "
        "(han2019 §3.4).",
        "α of every cut of a set of labels.",
        source=declare.one("qrels", "The qrels to cut."),
        reference=declare.one("qrels", "A binary qrels."),
        pool=declare.one("labels", "The set whose documents count as non-relevant where unjudged."),
    )
    tables = (declare.Tables("expert_cuts", runs=declare.UNUSED),)

    @declare.job(
        reads=[
            declare.sets(
                part, lambda options, part=part: [one[part] for one in options["expert_cuts"]]
            )
            for part in ("source", "reference", "pool")
        ],
        memory=1000,
        minutes=5,
    )
    def cut_expert_labels(data):
        """α of experts' labels, cut into two levels, against other experts'."""
        import pandas as pd

        from regrade.cutsearch.experts import expert_cuts

        compared = [
            (
                *(labels.table for labels in (source, reference, pool)),
                *(source.name, reference.name, source.scale.levels),
            )
            for source, reference, pool in zip(data.source, data.reference, data.pool, strict=True)
        ]
        tables = [expert_cuts(*one) for one in compared]
        return {name: pd.concat([of[name] for of in tables]) for name in ("agreement", "topics")}


class Overlaps(declare.Stage):
    """Number of a set's documents that other sets share (han2019, Table 1). Absent or null, not
    computed.
    """

    key = "overlaps"
    is_partial = True
    place = 305
    tables = (declare.Tables("overlaps", runs=declare.UNUSED),)

    pool = declare.one("labels", "The set whose documents are counted.")
    sets = declare.several("labels", "The sets compared with it.", least=1)

    @staticmethod
    def overlapping(options):
        """The sets and the pool, each once."""
        return [*dict.fromkeys([*options["sets"], options["pool"]])]

    @declare.job(
        reads=(declare.sets("all", overlapping),),
        memory=1000,
        minutes=5,
        further=lambda collection, item: {
            "simulated": [
                name
                for name in Overlaps.overlapping(collection.options["overlaps"])
                if name in collection.simulated
            ]
        },
    )
    def count_overlaps(data, pool):
        """The documents of a pool that each set has."""
        from regrade.cutsearch.overlaps import overlaps

        tables = {one.name: one.table for one in data.all}
        levels = {one.name: one.scale.levels for one in data.all}
        return {"sets": overlaps(tables, pool, levels, {*data.further.simulated})}


class Transformations(declare.Stage):
    """The scales that are cut: every cut, the best cuts, and their effect on systems."""

    key = "transformations"
    title = "Transformation"
    place = 300
    about = "Fine scales to convert to grades."
    called = "{source}-to-{levels}"
    question = "Which thresholds convert a fine scale to grades, and can they be trusted?"
    door = declare.Door("find_cuts", command="cut", brings="values, labels")
    target = "cuts"
    tables = (
        declare.Tables("cuts", runs=declare.UNUSED),
        declare.Tables("cuts_described", runs=declare.UNUSED),
        declare.Tables(
            "recommended_cuts", runs=declare.UNUSED, tell_of_runs=("cuts/recommended_systems",)
        ),
        declare.Tables("pooled_cuts", runs=declare.UNUSED),
        declare.Tables("rankings", runs=declare.USED),
    )
    card = declare.Card(
        "cut",
        section="Choices",
        draws=("recommended", "recommended_systems"),
        caption=lambda collection, name: (
            "cut-trusted" if name in collection.items["trust"] else "cut"
        ),
        settings=lambda collection, name: {
            "source": collection.transformations[name].source,
            "measure": collection.transformations[name].options["measure"],
        },
        explored=True,
    )

    name = declare.item_name("Its name in paths; by default `<source>-to-<levels>`.")
    source = declare.one("labels", "The judgments or qrels to cut.")
    levels = declare.option(
        declare.MISSING, "Number of levels of the target scale.", type="integer", least=2, most=4
    )
    grid = declare.option(
        None,
        "Largest number of thresholds to try, as quantiles of the distinct values. Absent "
        "or null: all values, up to 5,000 values and 3,000,000 cuts; otherwise 100 "
        "thresholds.",
        type=["integer", "null"],
        least=1,
    )
    chunks = declare.option(
        1,
        "Number of jobs that share the source's topics; results do not depend on it. One "
        "job takes up to 100,000,000 cuts times topics, which is 600 topics of S100 into "
        "four levels.",
        least=1,
    )
    references = declare.several(
        "references",
        "Reference sets on the target scale. Documents that a reference lacks are left "
        "out; with the papers' subscript after its name (`TR2_a`), these documents have "
        "level 0. Both may be given.",
        default=[],
    )
    pool = declare.one(
        "labels",
        "If the source is a qrels: the set whose documents count, with level 0 where the "
        "source lacks them (the papers' So4_a). Absent or null, the source's own "
        "documents.",
        default=None,
    )
    methods = declare.options(
        None,
        "The methods of han2019; absent or null, all that the data allow (`best_cuts` "
        "gives the reasons for the others). A named method that the data do not allow is "
        "an error.",
        choices="CUT_METHODS",
    )
    metric = declare.option(
        "ordinal", "Metric of Krippendorff's α on the target levels.", choices="METRICS"
    )
    undefined = declare.option(
        "drop",
        "Treatment of an undefined α (all values equal): left out, 1 (as in han2019) or "
        "0. `best_cuts` notes whether another treatment would choose another cut.",
        choices="UNDEFINED",
    )
    coverage = declare.option(
        0.9,
        "Share of the topics with a defined α that a cut needs to be a candidate for the "
        "one cut of all topics.",
        least=0,
        most=1,
    )
    aggregate = declare.part(
        "Aggregation of the judgments of a document.",
        default={},
        source=declare.schema(
            "median",
            "Aggregation on the source scale, before transforming (at).",
            **{"$ref": "#/$defs/aggregation"},
        ),
        levels=declare.schema(
            None,
            "Aggregation on the target scale, after transforming (ta). Absent or null: "
            "the majority for two levels, the median for more, as in han2019.",
            oneOf=[{"$ref": "#/$defs/aggregation"}, {"type": "null"}],
        ),
    )
    cuts = declare.schema(
        {},
        "Cuts chosen by hand, by name: the thresholds in ascending order, or the "
        "thresholds of each topic. On demand they label aggregated judgments "
        "(`labels/<transformation>/<name>.qrels`), or each judgment before aggregation "
        "(`<name>@ta.qrels`). `trust` compares those for all topics with the optimised "
        "cuts.",
        type="object",
        propertyNames=declare.CUT_NAME,
        additionalProperties={
            "oneOf": [
                declare.THRESHOLDS,
                {"type": "object", "minProperties": 1, "additionalProperties": declare.THRESHOLDS},
            ]
        },
    )
    measure = declare.one(
        "measures",
        "Measure of the systems under transformed judgments: any measure of one label "
        "set. More than 5,000 cuts can be ranked only by measures of relevant documents "
        "(AP, P, RR, `RBP(rel=1)`, …) and by sums of gains and their ratios (DCG, SDCG, "
        "RBP, INSQ, nDCG).",
        default="nDCG@10",
    )
    experts = declare.schema(
        None,
        "The qrels whose system ranking is the reference. Absent or null: all of the "
        "collection's qrels that share a topic with the source and do not come from crowd "
        "judgments.",
        type=["array", "null"],
        names="qrels",
        items={"type": "string"},
    )

    @classmethod
    def items(cls, collection):
        """The transformations, which what is asked of one names so."""
        items = super().items(collection)
        return {name: {**item, "transformation": name} for name, item in items.items()}

    @declare.job(
        reads=(declare.cuts("cuts", "described"),), makes="cuts_described", minutes=15, group="cuts"
    )
    def describe_cuts(data):
        """Groups of cuts, widths of levels, thresholds by references, α on the source scale."""
        import pandas as pd

        from regrade.catalogue.arrow import SCHEMAS
        from regrade.cutsearch.groups import cut_groups, relevant_shares, width_correlations
        from regrade.cutsearch.internal_agreement import (
            internal_agreement,
            methods_of,
            source_alpha,
        )
        from regrade.cutsearch.options import AlphaOptions
        from regrade.cutsearch.reference_tests import reference_tests
        from regrade.cutsearch.source_comparisons import single_cut
        from regrade.scales import Scale
        from regrade.tables import PerCut, read_table

        paths, request = data.cuts.paths, data.cuts.request
        judgments, scale = read_table(paths.judgments), Scale.of(request.scale)
        best_cuts, of_single = {}, {}
        names = ("groups", "group_counts", "widths")
        parts = {name: [SCHEMAS[f"cuts/{name}"].empty_table().to_pandas()] for name in names}
        for search, best, path in zip(request.searches, paths.best_cuts, paths.alpha, strict=True):
            name, alpha = search["name"], PerCut(path, "cuts/alpha")
            best_cuts[name] = read_table(best, "cuts/best_cuts").to_pandas()
            of_single[name] = best_cuts[name], alpha.at(single_cut(best_cuts[name]))
            groups = cut_groups(alpha, search["method"], search["label"], scale)
            for table in names:
                parts[table].append(groups[table])
        tables = {name: pd.concat(tables) for name, tables in parts.items()}
        shares = {
            name: relevant_shares(judgments, read_table(path, "qrels"))
            for name, path in zip(request.experts, paths.labels, strict=True)
        }
        nothing = SCHEMAS["cuts/best_cuts"].empty_table().to_pandas()
        how = AlphaOptions.of(vars(request))
        source = {name: source_alpha(judgments, scale, name, how) for name in methods_of(best_cuts)}
        return tables | {
            "width_correlations": width_correlations(tables["widths"], shares),
            "reference_tests": reference_tests(pd.concat([nothing, *best_cuts.values()])),
            "internal": internal_agreement(source, of_single, how.metric),
        }

    @declare.job(
        reads=(declare.cuts("cuts", "pooled"),),
        makes="pooled_cuts",
        memory=4000,
        minutes=60,
        group="cuts",
    )
    def pool_cuts(data):
        """One search over all judgments together, by each method."""
        import pandas as pd

        from regrade.catalogue import columns_of, summary_columns
        from regrade.cutsearch.pooled import pooled_cut, pooled_search
        from regrade.cutsearch.sources import SearchInput
        from regrade.tables import read_table

        paths, request, rows = data.cuts.paths, data.cuts.request, []
        source = SearchInput.read(vars(paths), vars(request))
        columns = summary_columns(request.levels)
        for item, best_cuts, alpha in zip(
            request.searches, paths.best_cuts, paths.alpha, strict=True
        ):
            data.log.info("search of all judgments: %s %s", item["method"], item["label"] or "")
            how = source.arguments(item) | {"pool": source.pool, "threads": data.threads}
            search = pooled_search(source.judgments, source.scale, **how)
            alpha = read_table(alpha, "cuts/alpha", columns=columns).to_pandas()
            best_cuts = read_table(best_cuts, "cuts/best_cuts").to_pandas()
            rows.append(pooled_cut(search, alpha, best_cuts, item["label"]))
        return {"pooled": pd.DataFrame(rows, columns=columns_of("cuts/pooled"))}

    @declare.job(
        reads=(declare.cuts("cuts", "recommended"),),
        makes="recommended_cuts",
        memory=4000,
        minutes=15,
        group="shown",
    )
    def recommend_cut(data):
        """The recommended cut for all topics: its agreement and its effect on systems."""
        import pandas as pd

        from regrade.aggregation import Aggregation, source_values
        from regrade.answers.words import reading_notes
        from regrade.catalogue import columns_of, summary_columns
        from regrade.choices import SURENESS_TABLES
        from regrade.codes import CodedRuns
        from regrade.cutsearch.answer import answer_of, no_answer, no_search
        from regrade.cutsearch.labels import of_search
        from regrade.cutsearch.recommended import ChosenCut, recommended, systems_under
        from regrade.cutsearch.thresholds import Thresholds
        from regrade.errors import ParameterError
        from regrade.label_sets import LabelSet
        from regrade.scales import Scale
        from regrade.tables import read_provenance, read_table

        paths, request = data.cuts.paths, data.cuts.request

        def searched(table):
            """Rows of the search."""
            rows = read_table(getattr(paths, table), f"cuts/{table}").to_pandas()
            return of_search(rows, request.search["method"], request.search["label"])

        judgments, scale = read_table(paths.judgments), Scale.of(request.scale)
        values, levels = source_values(judgments), request.how["levels"]
        thresholds = Thresholds.of(scale, levels, values, request.grid)
        systems = pd.DataFrame(columns=columns_of("cuts/recommended_systems"))
        try:
            if request.search is None:
                raise ParameterError(no_search(request.unserved))
            how = levels, Aggregation.of(request.how)
            chosen = ChosenCut.of(searched("best_cuts"), thresholds, scale, values, *how)
        except ParameterError as error:
            numbers = pd.DataFrame(columns=columns_of("cuts/recommended"))
            answer = no_answer(request.source, levels, str(error))
        else:
            labels = chosen.labels(judgments)
            names = SURENESS_TABLES if paths.bootstrap else ()
            columns = None if names else summary_columns(levels)  # of topics what was left out
            alpha = read_table(paths.alpha, "cuts/alpha", columns=columns).to_pandas()
            trusted = {name: searched(name) for name in names} or None
            numbers = recommended(chosen, alpha, labels, trusted)
            if paths.runs:
                topics = judgments["topic"].unique().to_pylist()
                ranked = CodedRuns(paths.runs).ranked(topics, scores=True, submitted_ranks=True)
                sides = {one: LabelSet.on_levels(one, own, levels) for one, own in labels.items()}
                experts = [
                    LabelSet(one, read_table(path, "qrels")).with_high(high)
                    for (one, high), path in zip(
                        request.max_grades.items(), paths.experts, strict=True
                    )
                ]
                rest = request.measure, None, request.score_precision
                more, systems = systems_under(sides, experts, ranked, *rest)
                numbers = pd.concat([numbers, more], ignore_index=True)
            named = {"source": request.source, "measure": request.measure, "metric": request.metric}
            answer = answer_of(chosen, numbers, systems, **named)
        read = read_provenance(paths.judgments)["parameters"]
        answer = answer.with_notes(reading_notes(request.source, read))
        return {"recommended": numbers, "recommended_systems": systems, "answer": answer.to_frame()}

"""The stages of this subject, as a collection asks for them."""

from regrade.errors import RegradeError
from regrade.pools.options import NO_RESIDUAL, Pooling, first_with_residual
from regrade.stages import declare


def check_pooling(collection, place: str, pooling: str) -> None:
    """Refuse a way to pool that there is not.

    Raises
    ------
    ConfigError
        Naming the place.
    """
    try:
        Pooling.read(pooling)
    except RegradeError as error:
        raise collection.error(place, error) from error


class Pools(declare.Stage):
    """Judgments reduced to shallower pools (yang2019 ch. 4); absent or null, none."""

    key = "pools"
    is_partial = True
    place = 230
    question = "How deep must the pool be?"
    door = declare.Door("pool_depths", command="pool", brings="runs, labels")
    card = declare.Card("pool", section="Pool", draws=("depths",), about=declare.qrels_of("pools"))

    qrels = declare.one("qrels", "The qrels to reduce.", scale="graded")
    contributors = declare.schema(
        "deep",
        "The systems that form the pools and are compared: the deeply judged systems, or all.",
        enum=["deep", "all"],
    )
    depths = declare.options(
        None,
        "Depths of the pools. Null: the thesis's depths (5, 10, 15, 20, 25 and 50 where "
        "`baseline` is 50), in proportion to `baseline`.",
        type="integer",
        minimum=1,
        fewest=2,
    )
    baseline = declare.option(
        None,
        "The depth of the reference pool, one of `depths`. Null: the largest of `depths`; without "
        "`depths`, `deep`; otherwise the depth to which half of the systems are judged for "
        "every topic, at most 50.",
        type=["integer", "null"],
        least=1,
    )
    votes = declare.options(
        None,
        "Depths whose documents are counted by the number of systems that nominate them. "
        "Null: 20 and 50, in proportion to `baseline`.",
        type="integer",
        minimum=1,
        fewest=1,
    )
    fused = declare.options(
        [],
        "Further pooling methods whose sizes are listed. `Depth@50`: the first 50 "
        "documents of each ranking; `RRF@100`: the first 100 documents of a fused "
        "ranking. `CombSUM(depth=100,normalisation=z-score)@50` fuses the first 100 of "
        "each with normalised scores (`min-max` by default; `none`, `sum`, `z-score`). "
        "Fusion methods: Take, Borda, Condorcet, CombMAX, CombMIN, CombMED, CombSUM, "
        "CombANZ, CombMNZ, RRF.",
        type="string",
        distinct=False,
        reads=Pooling.read,
    )
    measures = declare.measures(
        ["AP", "nDCG", "RBP(p=0.98)", "RR"],
        "Measures under reduced judgments; the residual of the first that has one is reported with "
        "score movements.",
    )

    @classmethod
    def check(cls, collection, name, item):
        """The baseline is one of the depths, and a measure has a residual."""
        if item["baseline"] and item["baseline"] not in item["depths"]:
            problem = f"{item['baseline']} is not one of `depths`: add it there"
            raise collection.error(f"{cls.key}.baseline", problem)
        if first_with_residual(item["measures"]) is None:
            raise collection.error(f"{cls.key}.measures", NO_RESIDUAL)
        for number, pooling in enumerate(item["fused"]):
            check_pooling(collection, f"{cls.key}.fused.{number}", pooling)

    @declare.job(
        reads=(declare.RUNS, declare.codes("qrels")),
        makes="pools/deeply_judged pools/collection",
        memory=1500,
        minutes=5,
    )
    def deep_systems(data, baseline):
        """The deeply judged systems, and facts of the collection."""
        from regrade.audit.rankings import audit_judged, join_audits
        from regrade.pools.pooling import collection_facts, deeply_judged, judged_depth

        # not from the audit's table, which changes with every other set of the collection
        audit, parts = [], []
        for ranked, judged in data.chunks(data.qrels, all_ranked=True):
            parts.append(judged)
            audit.append(audit_judged(ranked, {data.qrels.name: judged}))
        audit = join_audits(audit)
        depth = baseline or judged_depth(deeply_judged(audit))
        systems = deeply_judged(audit, depth)
        deep = systems["deeply_judged"].sum()
        data.log.info("%d of %d systems are judged to rank %d", deep, len(systems), depth)
        return {"deeply_judged": systems, "collection": collection_facts(audit, parts, depth=depth)}

    @declare.job(
        reads=(declare.RUNS, declare.codes("qrels"), declare.made("deeply_judged")),
        makes="pools/sizes pools/facts pools/votes",
        memory=1500,
        minutes=20,
    )
    def pool_sizes(data, contributors, depths, votes, fused):
        """Sizes of pools, and their documents by number of votes."""
        import pandas as pd

        from regrade.pools import pooling
        from regrade.pools.options import VOTE_SHARES, Pooling
        from regrade.pools.pooling import as_judged, make_pool

        deep = data.deeply_judged
        chosen = pooling.contributors(contributors, deep)
        poolings = [Pooling("Depth", depth=depth) for depth in sorted(as_judged(depths, deep))]
        poolings += [Pooling.read(text) for text in fused]
        voted = [Pooling("Depth", depth=depth) for depth in as_judged(votes, deep, VOTE_SHARES)]
        sizes, votes = [], {str(one): [] for one in voted}
        for ranked, judged in data.chunks(data.qrels, scores=True):
            pooled = {"contributors": chosen, "scores": ranked.scores}
            sizes.append(pooling.pool_sizes(ranked, judged, poolings, **pooled))
            for one in voted:
                pool = make_pool(ranked, one, contributors=chosen)
                votes[str(one)].append(pooling.multiplicities(pool, judged))
            systems = len(ranked.systems if chosen is None else chosen)
        sizes = pooling.join_sizes(sizes)
        votes = [
            pooling.add_multiplicities(part).assign(pooling=name) for name, part in votes.items()
        ]
        return {
            "sizes": sizes,
            "facts": pooling.pool_facts(sizes, systems),
            "votes": pd.concat(votes),
        }

    @declare.job(
        reads=(
            declare.RUNS,
            declare.codes("qrels"),
            declare.made("deeply_judged"),
            declare.made("facts"),
        ),
        makes="pools/scores pools/depths pools/answer",
        memory=1500,
        minutes=20,
        further=lambda collection, item: {
            "ancova": (collection.options["ancova"] or {"depths": []})["depths"]
        },
    )
    def pool_scores(data, contributors, depths, measures):
        """Scores of the contributing systems under pools of every depth, ANCOVA's too."""
        from regrade.pools import pooling
        from regrade.pools.depth_answer import answered
        from regrade.pools.options import ANCOVA_SHARES
        from regrade.pools.pooling import as_judged
        from regrade.pools.scores import join_depths, scores_by_depth, to_frame

        deep = data.deeply_judged
        depths = {*as_judged(depths, deep), *as_judged(data.further.ancova, deep, ANCOVA_SHARES)}
        how = {
            "contributors": pooling.contributors(contributors, deep),
            "max_grade": data.qrels.high,
        }
        scores = [
            scores_by_depth(ranked, judged, sorted(depths), measures, **how)
            for ranked, judged in data.chunks(data.qrels)
        ]
        tables = {"scores": to_frame(join_depths(scores)), "facts": data.facts.to_pandas()}
        return {"scores": tables["scores"]} | answered(tables)

    @declare.job(
        reads=(declare.made("scores"), declare.made("deeply_judged")),
        makes="pools/movements pools/movement_shares pools/movement_correlations",
        minutes=5,
    )
    def score_movements(data, depths, baseline, measures):
        """How scores under shallow pools differ from those under the baseline pool."""
        from regrade.errors import MethodError
        from regrade.pools.options import NO_RESIDUAL, first_with_residual
        from regrade.pools.pooling import as_judged
        from regrade.pools.scores import from_frame
        from regrade.uncertainty import movements

        residual = first_with_residual(measures)
        if residual is None:
            raise MethodError(f"measures: {NO_RESIDUAL}")
        scores = from_frame(data.scores.to_pandas())
        baseline = as_judged(baseline, data.deeply_judged, None)
        depths = as_judged(depths, data.deeply_judged)
        moved = movements.score_movements(
            {depth: scores[depth].to_table() for depth in depths if depth != baseline},
            scores[baseline].to_table(),
            residual=residual,
        )
        return {
            "movements": moved,
            "movement_shares": movements.movement_shares(moved),
            "movement_correlations": movements.movement_correlations(moved),
        }


class LeaveOneOut(declare.Stage):
    """Runs or groups that are left out of a pool."""

    key = "leave_one_out"
    is_partial = True
    target = "left_out"
    place = 220
    question = "Can new systems be evaluated with this pool?"
    door = declare.Door("leave_one_out", command="leave-one-out", brings="runs, labels")
    about = "Runs or groups left out of a pool, one analysis each; needs `pools`."
    called = "{name}"
    needs = ("pools",)
    card = declare.Card(
        "leave_one_out", section="Pool", draws=("systems",), about=declare.qrels_of("pools")
    )

    name = declare.item_name("Its name in paths.", default=declare.MISSING)
    by = declare.schema(
        declare.MISSING,
        "Leave out each run, each group of `groups`, or each group by the record in "
        "`pool_origins` of which group contributed which document.",
        enum=["run", "group", "origins"],
    )
    pooling = declare.option(
        None,
        "Pooling method for all runs, as in `pools.fused`. Absent or null: to the depth "
        "of `pools.baseline`. Not used by `origins`.",
        type=["string", "null"],
        reads=Pooling.read,
    )
    measures = declare.measures(["AP", "nDCG"], "Measures to compare.")

    @classmethod
    def check(cls, collection, name, item):
        """The pool can be made, and the files are named that say what to leave out."""
        needs = {"run": (), "group": ("groups",), "origins": ("groups", "pool_origins")}
        place = f"{cls.key}.{name}"
        if item["pooling"] is not None:
            check_pooling(collection, f"{place}.pooling", item["pooling"])
        for key in needs[item["by"]]:
            if collection.options[key] is None:
                raise collection.error(place, f"needs the file that `{key}` names")

    @classmethod
    def items(cls, collection):
        """The analyses, each of the qrels that are pooled."""
        pools = collection.options["pools"] or {}
        items = super().items(collection)
        more = {"qrels": pools.get("qrels"), "origins": collection.options["pool_origins"]}
        return {name: {**item, **more} for name, item in items.items()}

    @declare.job(
        reads=(
            declare.RUNS,
            declare.codes("qrels"),
            declare.table("pools", "deeply_judged").where(
                lambda item: item["pooling"] is None and item["by"] != "origins"
            ),
            declare.GROUPS.where(lambda item: item["by"] != "run"),
            declare.file("origins").where(lambda item: item["by"] == "origins"),
        ),
        memory=1500,
        minutes=60,
        threads=4,
    )
    def leave_one_out(data, by, pooling, measures, significance):
        """Scores and ranks when each run or group is left out of the pool."""
        import pandas as pd

        from regrade.pools.leave_out import leave_out_of_origins, leave_out_of_pool, rescore
        from regrade.pools.left_out_answer import answered
        from regrade.pools.pooling import as_deep_as_judged
        from regrade.readers.groups import read_pool_origins
        from regrade.run_arrays import NO_DOCUMENT

        groups = data.groups and pd.DataFrame(data.groups.items(), columns=["system", "group"])
        by_origins = by == "origins"
        origins = read_pool_origins(data.origins) if by_origins else None
        pooling = None if by_origins else as_deep_as_judged(pooling, data.deeply_judged)
        scored, scores = {"max_grade": data.qrels.high, "threads": data.threads}, None
        every = unretrieved = topics = 0
        for ranked, judged in data.chunks(data.qrels, scores=True):
            every += len(judged.documents)
            topics += len(judged.topics)
            unretrieved += int((judged.documents == NO_DOCUMENT).sum())
            if by_origins:
                left_out = leave_out_of_origins(ranked, judged, origins, groups)
            else:
                held = {"groups": groups, "scores": ranked.scores}
                left_out = leave_out_of_pool(ranked, judged, pooling, by, **held)
            scores = rescore(ranked, judged, left_out, measures, **scored, before=scores)
        level = {"significance": significance}
        tables = {
            "systems": scores.systems_frame(**level),
            "left_out": scores.left_out_frame(),
            "summary": scores.summary_frame(**level),
        }
        # a record says itself whose runs brought what
        unretrieved = 0 if by_origins else unretrieved
        return tables | answered(tables, every, unretrieved, topics, **level)

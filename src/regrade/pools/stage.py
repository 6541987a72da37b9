"""The stages of this subject, as a collection asks for them."""

from collections.abc import Sequence

from regrade.errors import RegradeError
from regrade.measures import parse_all
from regrade.pools.options import Pooling
from regrade.stages import declare


def first_with_residual(measures: Sequence[str]) -> str | None:
    """The first of the measures that has a residual."""
    parsed = parse_all(measures)
    return next((str(one) for one in parsed if one.definition.residual is not None), None)


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
    only_shown = True
    place = 230
    question = "How deep need the pool be?"
    door = declare.Door("pool_depths", command="pool", brings="runs, labels")
    tables = (declare.Tables("pools"),)
    card = declare.Card("pool", draws=("depths",), about=declare.qrels_of("pools"))

    qrels = declare.one("qrels", "The qrels to reduce.", scale="graded")
    contributors = declare.schema(
        "deep",
        "The systems that make the pools and are compared; the deeply judged ones, or all.",
        enum=["deep", "all"],
    )
    depths = declare.options(
        None,
        "Depths of the pools; null, the thesis's (5, 10, 15, 20, 25 and 50 where `baseline` is "
        "50) in proportion to `baseline`.",
        type="integer",
        minimum=1,
        fewest=2,
    )
    baseline = declare.option(
        None,
        "The depth, one of `depths`, that counts as right; null, the largest of them, without "
        "them `deep`, and without that as deep as half of the systems are judged for every "
        "topic, at most 50.",
        type=["integer", "null"],
        least=1,
    )
    votes = declare.options(
        None,
        "Depths whose documents are counted by the number of systems that nominate them; null, "
        "20 and 50 in proportion to `baseline`.",
        type="integer",
        minimum=1,
        fewest=1,
    )
    fused = declare.options(
        [],
        "Further ways to pool whose sizes are listed: `Depth@50`, the first 50 documents of each "
        "ranking; `RRF@100`, the first 100 of a fused one, or "
        "`CombSUM(depth=100,normalisation=z-score)@50`, of the first 100 of each, with other "
        "scores than `min-max` (`none`, `sum`, `z-score`). Fused is by Take, Borda, Condorcet, "
        "CombMAX, CombMIN, CombMED, CombSUM, CombANZ, CombMNZ or RRF.",
        type="string",
        distinct=False,
    )
    measures = declare.measures(
        ["AP", "nDCG", "RBP(p=0.98)", "RR"],
        "Measures under reduced judgments; the residual of the first that has one stands beside "
        "score movements.",
    )

    @classmethod
    def check(cls, collection, name, item):
        """The baseline is one of the depths, and a measure has a residual."""
        if item["baseline"] and item["baseline"] not in item["depths"]:
            problem = f"{item['baseline']} is none of `depths`: add it there"
            raise collection.error(f"{cls.key}.baseline", problem)
        if first_with_residual(item["measures"]) is None:
            problem = (
                "none has a residual, which stands beside how far scores move: add one, such as RBP"
            )
            raise collection.error(f"{cls.key}.measures", problem)
        for number, pooling in enumerate(item["fused"]):
            check_pooling(collection, f"{cls.key}.fused.{number}", pooling)


class LeaveOneOut(declare.Stage):
    """What to leave out of which pool."""

    key = "leave_one_out"
    only_shown = True
    target = "left_out"
    place = 220
    question = "Can new systems be evaluated with this pool?"
    door = declare.Door("leave_one_out", command="leave-one-out", brings="runs, labels")
    about = "Runs or groups to leave out of a pool, one analysis each; needs `pools`."
    called = "{name}"
    needs = ("pools",)
    tables = (declare.Tables("leave_one_out"),)
    card = declare.Card("leave_one_out", draws=("systems",), about=declare.qrels_of("pools"))

    name = declare.item_name("Its name in paths.", default=declare.MISSING)
    by = declare.schema(
        declare.MISSING,
        "Leave out each run, each group of `groups`, or each group by the record in "
        "`pool_origins` of whose runs brought which document.",
        enum=["run", "group", "origins"],
    )
    pooling = declare.option(
        None,
        "How the pool is made, from all runs, as in `pools.fused`; absent or null, to the depth "
        "of `pools.baseline`. Not used by `origins`.",
        type=["string", "null"],
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

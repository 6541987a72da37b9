"""The stages of `system_pairs`: two systems, compared topic by topic."""

from regrade.stages import declare
from regrade.stages.checks import check_inputs


class SystemPairs(declare.Stage):
    """Two systems, compared topic by topic: the difference of their means with interval, tests,
    effect size and power. Results go to `system-pairs/<name>`.
    """

    key = "system_pairs"
    place = 110
    question = "Do two systems differ significantly?"
    door = declare.Door(
        "compare_systems", command="compare-systems", brings="two runs, labels; or scores"
    )
    about = "Two systems, to compare topic by topic."
    called = "{qrels}"
    card = declare.Card("system_pair", draws=("topics", "tests"))
    scaled_by = ("qrels",)

    name = declare.item_name("Name of the item; absent, the name of its qrels or scores.")
    qrels = declare.one("qrels", "The qrels to score with.", scale="graded", default=None)
    scores = declare.SCORES
    either = ("qrels", "scores")
    first = declare.option(declare.MISSING, "The name of a run or system.", type="string")
    second = declare.option(
        declare.MISSING, "The name of the run or system to compare it with.", type="string"
    )
    measures = declare.measures(
        None,
        "Measures to compare by; absent or null, those of nDCG@10 and AP that are defined on "
        "the scale; of scores by item all of these.",
    )
    test = declare.option(
        "t", "The test whose p-value decides on significance.", choices="PAIR_TESTS"
    )
    correction = declare.option(
        "holm",
        "Multiple-testing correction of that test, over all pairs of runs.",
        choices="CORRECTIONS",
    )
    permutations = declare.option(
        10_000,
        "Sign assignments of the randomisation test; where fewer are possible it is exact.",
        least=100,
    )
    margin = declare.option(
        None,
        "Equivalence margin: tests equivalence within ±margin (TOST), and non-inferiority of the "
        "first system; null: neither.",
        type=["number", "null"],
        above=0,
    )

    @classmethod
    def check(cls, collection, name, item):
        """It is about qrels or scores, and the two systems are two."""
        check_inputs(collection, cls, name, item)
        if item["first"] == item["second"]:
            problem = f"{item['first']} is the first one already: name another run"
            raise collection.error(f"{cls.key}.{name}.second", problem)

    @declare.job(
        reads=(declare.RUNS, declare.codes("qrels"), declare.design("scores")),
        uses="first second measures test correction permutations seed margin",
        memory=1500,
        minutes=10,
    )
    def compare_two(data, first, second, measures, **options):
        """The difference of two systems, and how sure it is."""
        from regrade.ranking.copies import RunCopies
        from regrade.scoring import concat, score
        from regrade.system_pairs.answer import answer
        from regrade.system_pairs.paired_tests import PairOptions, compare_pair

        how, design, copies, parts = PairOptions(**options), data.scores, RunCopies(), []
        if design is not None:
            tables = compare_pair(design.scores, first, second, how, design=design)
            text = answer(tables).about_items().with_notes(design.notes)
            return tables | {"answer": text}
        for ranked, judged in data.chunks(data.qrels):
            copies.add(ranked)
            parts.append(score(ranked, judged, measures, max_grade=data.qrels.high))
        tables = compare_pair(concat(parts), first, second, how, copies.first())
        return tables | {"answer": answer(tables)}

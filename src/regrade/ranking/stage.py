"""The stages of `ranking`: which system is best, and how sure that is."""

from regrade.stages import declare
from regrade.stages.checks import check_inputs


class Ranking(declare.Stage):
    """System ranking with its uncertainty: differences of all pairs, ranks, tiers, the reliability
    of the collection, and minimum detectable differences. Results go to `ranking/<name>`.
    """

    key = "ranking"
    noun = "qrels under `ranking`"
    place = 100
    question = "Which system is best, and how sure is that?"
    door = declare.Door("rank", command="rank", brings="runs, labels; or scores")
    about = "The best system and the uncertainty of the ranking."
    called = "{qrels}"
    target = "ranked"
    card = declare.Card("ranking", draws=("systems", "facts", "datasets"), first=declare.FIRST)
    scaled_by = ("qrels",)

    name = declare.item_name("Name of the item; absent, the name of its qrels.")
    qrels = declare.one("qrels", "The qrels for the ranking.", scale="graded", default=None)
    scores = declare.SCORES
    either = ("qrels", "scores")
    judges = declare.several(
        "qrels",
        "Further qrels of the same documents, for the judges' share of the variance of scores.",
        scale="graded",
        default=[],
    )
    measures = declare.measures(
        None,
        "Measures for the ranking; absent or null, nDCG@10 and AP where these are defined "
        "on the scale; of scores by item all of these.",
    )
    draws = declare.option(
        10_000,
        "Number of bootstrap samples of topics, for simultaneous confidence intervals and ranks.",
        least=100,
    )
    top = declare.option(5, "Value of k for top-k shares.", least=1)
    splits = declare.option(
        500, "Number of split-half replicates for each number of topics.", least=1
    )

    test = declare.option(
        "t",
        "Pairwise test that is reported besides the simultaneous tests of all pairs.",
        choices="PAIR_TESTS",
    )
    correction = declare.option(
        "holm",
        "Multiple-testing correction of this test's p-values over all pairs.",
        choices="CORRECTIONS",
    )

    @classmethod
    def check(cls, collection, name, item):
        """It is about qrels or scores, and the labels that rank are none of the further judges'."""
        check_inputs(collection, cls, name, item, "judges")
        if item["qrels"] in item["judges"]:
            problem = f"{item['qrels']} is the ranking's qrels: name other qrels"
            raise collection.error(f"{cls.key}.{name}.judges", problem)

    @declare.job(
        reads=(
            declare.RUNS,
            declare.codes("qrels"),
            declare.codes("judges"),
            declare.design("scores"),
        ),
        uses="measures draws top splits test correction seed",
        pairs_of_systems=0.2,
        minutes=20,
    )
    def rank_runs(data, measures, **how):
        """The systems' order under each judge's labels, and how sure it is."""
        from regrade.ranking.answer import answer
        from regrade.ranking.copies import RunCopies
        from regrade.ranking.rank_systems import RankingOptions, rank_systems
        from regrade.scoring import concat, score

        options, design, copies = RankingOptions(**how), data.scores, RunCopies()
        if design is not None:
            tables = rank_systems(design.scores, options, threads=data.threads, design=design)
            text = answer(tables).about_items().with_notes(design.notes)
            return tables | {"answer": text}

        def scored(labels):
            for ranked, judged in data.chunks(labels):
                if labels is ranking:
                    copies.add(ranked)
                yield score(ranked, judged, measures, max_grade=labels.high)

        ranking, *judges = data.qrels, *data.judges
        scores, *others = (concat(scored(labels)) for labels in (ranking, *judges))
        tables = rank_systems(scores, options, others, data.threads, copies.first())
        return tables | {"answer": answer(tables)}

"""The stages of `ranking`: which system is best, and how sure that is."""

from regrade.stages import declare


class Ranking(declare.Stage):
    """System ranking with its uncertainty: differences of all pairs, ranks, tiers, the reliability
    of the collection, and minimum detectable differences. Results go to `ranking/<name>`.
    """

    key = "ranking"
    noun = "qrels under `ranking`"
    place = 100
    question = "Which system is best, and how sure is that?"
    door = declare.Door("rank", command="rank", brings="runs, labels")
    about = "The best system and the uncertainty of the ranking."
    called = "{qrels}"
    target = "ranked"
    card = declare.Card("ranking", draws=("systems", "facts"), first=declare.FIRST)

    name = declare.item_name("Name of the item; absent, the name of its qrels.")
    qrels = declare.one("qrels", "The qrels for the ranking.", scale="graded")
    judges = declare.several(
        "qrels",
        "Further qrels of the same documents, for the judges' share of the variance of scores.",
        scale="graded",
        default=[],
    )
    measures = declare.measures(
        None,
        "Measures for the ranking; absent or null, nDCG@10 and AP where these are defined "
        "on the scale.",
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
    def items(cls, collection):
        """Each qrels that ranks, with measures that mean something on its scale."""
        return {
            name: collection.with_measures(item, collection.scales(item["qrels"]))
            for name, item in super().items(collection).items()
        }

    @classmethod
    def check(cls, collection, name, item):
        """The labels that rank are none of the further judges'."""
        if item["qrels"] in item["judges"]:
            problem = f"{item['qrels']} is the ranking's qrels: name other qrels"
            raise collection.error(f"{cls.key}.{name}.judges", problem)

    @declare.job(
        reads=(declare.RUNS, declare.codes("qrels"), declare.codes("judges")),
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

        copies = RunCopies()

        def scored(labels):
            for ranked, judged in data.chunks(labels):
                if labels is ranking:
                    copies.add(ranked)
                yield score(ranked, judged, measures, max_grade=labels.high)

        ranking, *judges = data.qrels, *data.judges
        scores, *others = (concat(scored(labels)) for labels in (ranking, *judges))
        options = RankingOptions(**how)
        tables = rank_systems(scores, options, others, data.threads, copies.first())
        return tables | {"answer": answer(tables)}

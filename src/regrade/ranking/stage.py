"""The stages of `ranking`: which system is best, and how sure that is."""

from regrade.stages import declare


class Ranking(declare.Stage):
    """Which system is best, and how sure: differences of all pairs, ranks, tiers, the reliability
    of the collection, and what differences it can find. Results go to `ranking/<name>`.
    """

    key = "ranking"
    noun = "qrels under `ranking`"
    place = 100
    question = "Which system is best, and how sure is that?"
    door = declare.Door("rank", command="rank", brings="runs, labels")
    about = "Which system is best, and how sure."
    called = "{qrels}"
    target = "ranked"
    card = declare.Card("ranking", draws=("systems", "facts"), first=declare.FIRST)

    name = declare.item_name("What it is called; absent, as its qrels.")
    qrels = declare.one("qrels", "The qrels to rank with.", scale="graded")
    judges = declare.several(
        "qrels",
        "Other qrels of the same documents; how much of the variance of scores is the judges'.",
        scale="graded",
        default=[],
    )
    measures = declare.measures(
        None,
        "Measures to rank by; absent or null, those of nDCG@10 and AP that mean something on the "
        "scale.",
    )
    draws = declare.option(
        10_000, "How often topics are drawn with replacement, for what is sure.", least=100
    )
    top = declare.option(5, "How many first systems are counted.", least=1)
    splits = declare.option(
        500, "How often topics are put into two halves, for each number of them.", least=1
    )

    test = declare.option(
        "t",
        "The test of each pair that stands beside what is said of all pairs at once.",
        choices="PAIR_TESTS",
    )
    correction = declare.option(
        "holm", "Correction of that test's p-values for all pairs.", choices="CORRECTIONS"
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
            problem = f"{item['qrels']} ranks the systems: name other ones"
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

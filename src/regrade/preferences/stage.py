"""The stages of this subject, as a collection asks for them."""

from regrade.measures import parse_all
from regrade.stages import declare


class PairTasks(declare.Stage):
    """A designed preference task (yang2019 §5.1): groups of documents, lists of pairs, test
    questions. Results go to `pair-tasks/<name>`, with CSV files for crowd platforms.
    """

    key = "pair_tasks"
    noun = "task under `pair_tasks`"
    place = 525
    about = "Tasks to design that ask workers to compare pairs of documents."
    called = "{name}"
    tables = (declare.Tables("pair_tasks", runs=declare.UNUSED),)

    name = declare.item_name("Name of the task.", default=declare.MISSING)
    pool = declare.one("labels", "The set of labels or judgments whose documents are compared.")
    topics = declare.options(
        None,
        "Topics of the task, quoted; absent or null, all topics of the pool.",
        type="string",
        fewest=1,
        distinct=False,
    )
    known = declare.one(
        "qrels",
        "The label set that identifies known relevant and known non-relevant documents.",
    )
    relevant = declare.options(
        declare.MISSING,
        "Its grades of known relevant documents, in order of preference.",
        type="number",
        fewest=1,
        distinct=False,
    )
    not_relevant = declare.options(
        declare.MISSING,
        "Its grades of known non-relevant documents.",
        type="number",
        fewest=1,
        distinct=False,
    )
    size = declare.option(8, "Number of documents in a group.", least=2)
    partners = declare.option(
        3, "Number of documents of its group with which each document is compared, K.", least=1
    )
    judges = declare.option(3, "Number of workers for each unit, Y.", least=1)
    partitions = declare.option(
        None,
        "Number of partitions of a topic's documents into groups, X; absent or null, by `share`.",
        type=["integer", "null"],
        least=1,
    )
    share = declare.option(
        0.15,
        "Share of its topic's other documents with which each document is compared, over "
        "all partitions.",
        above=0,
        most=1,
    )
    sides = declare.option(
        "balanced",
        "`balanced`: every document is on the left as often as on the right; `stay`: a "
        "document that is kept for the next pair keeps its side.",
        choices="DESIGN_SIDES",
    )
    serves = declare.schema(
        {},
        "For topics, quoted: the least number of groups of a partition that contain each "
        "known relevant document; more where there are too few such documents.",
        type="object",
        additionalProperties={"type": "integer", "minimum": 1},
    )
    pseudo = declare.option(
        0,
        "Number of documents to be written for the test questions of each topic; 0, no "
        "test questions.",
        least=0,
    )

    @classmethod
    def check(cls, collection, name, item):
        """Test questions are of two documents or more."""
        if item["pseudo"] == 1:
            problem = "test questions need two documents or more: raise it, or give 0"
            raise collection.error(f"{cls.key}.{name}.pseudo", problem)

    @declare.job(
        reads=(declare.sets("pool"), declare.sets("known")),
        uses="topics relevant not_relevant serves pseudo seed size partners judges share "
        "partitions sides",
        files=("pairs.csv", "units.csv", "tests.csv"),
        memory=1500,
        minutes=10,
    )
    def design_pairs(data, topics, relevant, not_relevant, serves, pseudo, seed, **task):
        """The task's tables, and the files that crowd platforms take."""
        from regrade.preferences import tasks
        from regrade.preferences.design import Task, row_per_pair, row_per_unit

        design = tasks.design_from_sets(
            tasks.pool_of_topics(data.pool.table, topics),
            data.known.table,
            relevant,
            not_relevant,
            task=Task(**task),
            serves=serves,
            seed=seed,
        )
        tests = tasks.pseudo_pairs(design.topics["topic"], pseudo, seed)
        return {
            "topics": design.topics,
            "documents": design.documents,
            "units": tasks.unit_table(design),
            "pairs": design.pairs,
            "tests": tests,
            "pairs.csv": row_per_pair(design.pairs),
            "units.csv": row_per_unit(design.pairs),
            "tests.csv": tasks.row_per_test(tests),
        }


class Pairs(declare.Stage):
    """Document scores from a set of preferences (yang2019 chapter 5), by several methods, and the
    consistency of the preferences. Results go to `preferences/<name>`.
    """

    key = "pairs"
    noun = "set under `pairs`"
    place = 530
    question = "Do pairwise preferences give a consistent ranking, and how many more are needed?"
    door = declare.Door("pairs", command="pairs", brings="preferences")
    about = "Preferences between documents: scores from them, and comparison with labels."
    called = "{set}"
    tables = (
        declare.Tables("pairs", runs=declare.UNUSED),
        declare.Tables("pairs_and_workers", runs=declare.UNUSED),
        declare.Tables("pairs_and_labels", runs=declare.UNUSED, asks=("references",)),
        declare.Tables(
            "pairs_and_systems",
            runs=declare.USED,
            asks=("references",),
            lists={"measure": "measures"},
        ),
        declare.Tables("pairs_and_partitions", runs=declare.UNUSED, asks=("partitions",)),
        declare.Tables(
            "partitions_and_systems",
            runs=declare.USED,
            asks=("references", "partitions"),
            lists={"measure": "measures"},
        ),
    )
    card = declare.Card("pairs", section="Crowd", draws=("circles",))

    name = declare.item_name("Name of the item; absent, the name of its set.")
    set = declare.one("preferences", "The set of preferences.")
    references = declare.several(
        "qrels",
        "Label sets with which scores and preferences are compared.",
        scale="graded",
        default=[],
    )
    methods = declare.options(
        None,
        "Methods that score documents; absent or null, all that the answers allow.",
        choices="PAIR_METHODS",
        fewest=1,
    )
    combined = declare.schema(
        [],
        "Methods whose scores are combined by the adjusted geometric mean, each list "
        'separately; the combination is named by its methods with " + " between.',
        type="array",
        items={
            "type": "array",
            "names": "own methods",
            "items": {"choices": "PAIR_METHODS"},
            "uniqueItems": True,
            "minItems": 2,
        },
    )
    bias = declare.option(
        0,
        "Score of the loser of a comparison, and deduction of the winner (yang2019, 0.04).",
        type="number",
        least=0,
        below=0.5,
    )
    task = declare.one(
        "pair_tasks",
        "The task that the answers belong to; absent or null, unknown.",
        default=None,
    )
    accuracy = declare.option(
        0.84,
        "Share of correct test questions below which a worker counts as inaccurate.",
        least=0,
        most=1,
    )
    drop = declare.options(
        ["untrusted", "test"],
        "Answers that are left out; all findings are counted. `untrusted`: marked by the "
        "collector of the answers; `test`: answers to test questions; `inaccurate`: all "
        "answers of a worker below `accuracy` on a topic; `outside`: about pairs that are "
        "not in the task; `repeated`: about a pair that the worker had answered before; "
        "`score_order`: the preferred document does not have the larger number, or a tie "
        "has two numbers; `relevance_order`: only the other document is relevant; "
        "`relevant_zero`: a relevant document has the number 0; `number_of_not_relevant`: "
        "a non-relevant document has a number above 0.",
        choices="ANSWER_CHECKS",
    )
    refuse = declare.options(
        ["outside"], "Kinds of answers that are an error, unless left out.", choices="ANSWER_CHECKS"
    )
    consistency_by = declare.schema(
        ["topic", "worker", "unit"],
        "Units whose preferences are analysed together, for contradictions and cycles.",
        type="array",
        items={"enum": ["topic", "worker", "unit"]},
        uniqueItems=True,
    )
    seconds = declare.option(
        5,
        "Time limit, for each group of more than 20 cyclic documents, for its best order.",
        type="number",
        least=0,
    )
    price = declare.option(
        None,
        "Cost of an answer, trusted or not. At 0.012 dollars (one cent, and a fifth of it "
        "for the platform), costs are within 1 % of all costs printed in yang2019.",
        type=["number", "null"],
        least=0,
    )
    difficulty = declare.one(
        "measures",
        "With runs, the measure whose mean over systems is a topic's difficulty.",
        default="AP",
    )
    partitions = declare.part(
        "Document scores from random samples of the task's partitions; absent or null, none.",
        default=None,
        counts=declare.options(
            [1, 2, 3, 4, 5, 6],
            "Number of partitions in a sample.",
            type="integer",
            minimum=1,
            fewest=1,
        ),
        draws=declare.option(10, "Number of samples (yang2019, 50 for α).", least=1),
    )
    metric = declare.option(
        "nominal",
        "The difference function of α for orders of pairs, which are left, neither and "
        "right (yang2019, categories).",
        choices="METRICS",
    )
    measures = declare.measures(
        ["RBP(p=0.9)", "nDCG@10"],
        "With runs, measures of real-valued gains by which systems are ranked.",
    )
    parts = declare.options(
        [],
        "Numbers of levels of equal proportion to which scores are also mapped, besides "
        "the levels of each reference in its proportions.",
        type="integer",
        minimum=2,
    )

    @declare.job(
        reads=(
            declare.table("pair_tasks", "pairs", "task"),
            declare.table("pair_tasks", "tests", "task"),
            declare.sets("set"),
        ),
        uses="drop refuse accuracy methods combined bias consistency_by seconds",
        makes="pairs",
    )
    def score_pairs(data, methods, combined, bias, consistency_by, seconds, **counted):
        """Answers that count, scores of documents from them, how far they agree."""
        from regrade.preferences.answer import answer
        from regrade.preferences.checks import check_answers
        from regrade.preferences.consistency import circular_triads, consistency
        from regrade.preferences.document_scores import score_answers
        from regrade.preferences.pair_numbers import circles, pair_numbers
        from regrade.preferences.scores import comparison_graphs, side_shares

        task = {"pairs": data.pairs, "tests": data.tests}
        checked = check_answers(
            data.set.table,
            **counted,
            **{name: table.to_pandas() for name, table in task.items() if table is not None},
        )
        answers = checked.answers
        tables = {
            **vars(checked),
            "scores": score_answers(answers, methods=methods, combined=combined, bias=bias),
            "graphs": comparison_graphs(answers),
            "sides": side_shares(answers),
            "consistency": consistency(answers, consistency_by, seconds),
        }
        numbers = pair_numbers(tables, majorities := circular_triads(answers))
        tables |= {"circles": circles(tables["consistency"], majorities), "numbers": numbers}
        return tables | {"answer": answer(tables)}

    @declare.job(
        reads=(*map(declare.made, ("answers", "left_out", "consistency")),),
        makes="pairs_and_workers",
    )
    def describe_workers(data, price, seconds, consistency_by):
        """Who answered: how much, how fast, how consistently."""
        from regrade.preferences.consistency import KEYS
        from regrade.preferences.effects import worker_effects
        from regrade.preferences.workers import (
            inconsistency_table,
            seen_table,
            time_bins,
            time_fits,
            topic_table,
            worker_relations,
            worker_table,
        )

        by_unit = set(consistency_by) == set(KEYS)
        units = data.consistency.to_pandas() if by_unit else None
        workers = worker_table(data.answers, data.left_out, seconds, units)
        fits = time_fits(data.answers)
        return {
            "workers": workers,
            "topics": topic_table(data.answers, data.left_out, price),
            "seen": seen_table(data.answers),
            "relations": worker_relations(workers),
            "inconsistency": inconsistency_table(workers),
            "time_fits": fits,
            "times": time_bins(data.answers, fits),
            "effects": worker_effects(data.answers, workers),
        }

    @declare.job(
        reads=(
            *map(declare.made, ("answers", "scores", "workers")),
            declare.table("pair_tasks", "pairs", "task"),
            declare.sets("references"),
        ),
        makes="pairs_and_labels",
        asks="references",
    )
    def compare_pair_labels(data, metric):
        """Answers and scores of documents beside labels."""
        import pandas as pd

        from regrade.preferences import agreement, label_comparison
        from regrade.preferences.effects import label_effects
        from regrade.preferences.scores import comparable
        from regrade.preferences.workers import accuracy_table, label_relations, worker_labels

        answers, scores = data.answers, comparable(data.scores.to_pandas())
        references = {one.name: one.table.to_pandas() for one in data.references}

        def of_each(compare, held, **rest):
            """One table of all references."""
            return pd.concat([compare(held, t, name, **rest) for name, t in references.items()])

        task = None if data.pairs is None else data.pairs.to_pandas()
        known = of_each(worker_labels, answers, pairs=task)
        sided = of_each(agreement.side_agreement, answers)
        return {
            "documents": of_each(label_comparison.labelled_documents, scores),
            "orders": agreement.order_agreement(
                label_comparison.label_values(scores, references), metric=metric
            ),
            "graded": of_each(agreement.graded_agreement, scores),
            "sided": sided,
            "side_tests": agreement.side_tests(sided),
            "questions": agreement.question_agreement(answers),
            "alphas": agreement.answer_alpha(answers, references, metric),
            "raw": of_each(label_comparison.raw_scores, answers),
            "worker_labels": known,
            "accuracy": accuracy_table(known),
            "label_relations": label_relations(data.workers.to_pandas(), known),
            "label_effects": of_each(label_effects, answers),
        }

    @declare.job(
        reads=(declare.RUNS, declare.made("scores"), declare.sets("references")),
        makes="pairs_and_systems",
        memory=3000,
        asks="references",
        needs_runs=True,
    )
    def rank_by_pairs(data, measures, parts, difficulty, test, correction, significance, seed):
        """Systems ranked by scores of documents from pairs, and pairs that differ significantly."""
        import pandas as pd

        from regrade.preferences import systems

        gains = systems.as_gains(data.scores.to_pandas())
        gains = pd.concat([gains, systems.random_gains(gains, seed)], ignore_index=True)
        references = {one.name: (one.table.to_pandas(), one.high) for one in data.references}
        labels = systems.all_labels(gains, references, parts)
        ranked = data.runs.ranked()
        scored = systems.score_labels(ranked, labels, measures)
        topics = scored[0].scores.topics
        pairs = systems.p_table(scored, test, correction, seed=seed)
        return {
            "systems": systems.system_table(scored),
            "system_orders": systems.system_agreement(scored),
            "p_values": pairs,
            "quadrants": systems.quadrant_table(pairs, len(topics), significance),
            "difficulty": systems.difficulty_table(ranked, references, difficulty, topics),
        }

    @declare.job(
        reads=(declare.made("answers"), declare.RUNS_IF_ANY, declare.sets("references")),
        uses="partitions metric measures bias test correction significance seed",
        makes="pairs_and_partitions partitions_and_systems",
        memory=3000,
        minutes=60,
        asks="partitions",
    )
    def draw_partitions(data, partitions, metric, measures, bias, **tested):
        """Scores of documents, and systems under them, from drawn partitions of a task."""
        from regrade.preferences.effects import partition_effects
        from regrade.preferences.partitions import (
            available_partitions,
            partition_draws,
            partition_systems,
            partition_topics,
        )
        from regrade.significance.discrimination import PairTestOptions

        draws = partition_draws(
            data.answers,
            partitions["counts"],
            partitions["draws"],
            seed=tested["seed"],
            bias=bias,
        )
        data.log.info("%d draws", len(draws))
        topics = partition_topics(draws, available_partitions(data.answers), metric)
        tables = {"partition_topics": topics, "partition_effects": partition_effects(topics)}
        if data.runs and data.references:
            references = {one.name: (one.table.to_pandas(), one.high) for one in data.references}
            how = PairTestOptions(**tested)
            tables |= partition_systems(draws, data.runs.ranked(), references, measures, how)
        return tables


class PairBudgets(declare.Stage):
    """What fewer preferences would have shown: subsets of pairs, replayed policies, a stopping
    rule, and cycles of several judges. Results go to `pair-budgets/<name>`.
    """

    key = "pair_budgets"
    noun = "set under `pair_budgets`"
    place = 532
    about = "Preferences of which subsets of the pairs are taken."
    called = "{set}"
    tables = (
        declare.Tables(
            "pair_budgets",
            runs=declare.UNUSED,
            tell_of_runs=("pair-budgets/subsets", "pair-budgets/needed", "pair-budgets/policies"),
        ),
    )

    set = declare.one(
        "preferences",
        "The set of preferences; if `pairs` has it, the answers that its rules keep.",
    )
    others = declare.several(
        "preferences",
        "Further sets of preferences, whose cycles on the same triples of documents are compared.",
        default=[],
    )
    references = declare.several(
        "qrels",
        "With runs, label sets whose ranking of systems is compared.",
        scale="graded",
        default=[],
    )
    measures = declare.several(
        "measures",
        "With runs, measures of real-valued gains by which systems are ranked.",
        default=["nDCG@10"],
    )
    shares = declare.options(
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
        "Shares of each topic's pairs in the subsets.",
        type="number",
        exclusiveMinimum=0,
        exclusiveMaximum=1,
        fewest=1,
    )
    repeats = declare.option(100, "Number of subsets for each share.", least=1)
    policies = declare.options(
        ["random", "even", "uncertainty", "information", "top", "tournament"],
        "Policies for the next pair, in replays.",
        choices="PAIR_POLICIES",
        fewest=1,
    )
    per_document = declare.options(
        [0.5, 1, 1.5, 2, 3, 4],
        "Numbers of questions per document after which replays are evaluated.",
        type="number",
        exclusiveMinimum=0,
        fewest=1,
    )
    replays = declare.option(20, "Number of replays for each policy and topic.", least=1)
    top = declare.option(10, "Number of best documents.", least=1)
    stop_tau = declare.option(
        0.7,
        "Required τ with the true order before stopping.",
        most=1,
        above=0,
    )
    stop_overlap = declare.option(
        0.8,
        "Required share of the best documents before stopping; or of the reported "
        "documents that are nearly as good.",
        most=1,
        above=0,
    )

    @classmethod
    def check(cls, collection, name, item):
        """Other sets are other ones, and measures take gains without a highest grade."""
        place = f"{cls.key}.{name}"
        if item["set"] in item["others"]:
            problem = f"{item['set']} is the set itself: name other sets"
            raise collection.error(f"{place}.others", problem)
        for measure in parse_all(item["measures"]):
            if measure.needs_max_grade:
                problem = f"{measure} takes shares of a highest grade, and scores have none"
                raise collection.error(f"{place}.measures", f"{problem}: name nDCG or give max_rel")

    @declare.job(
        reads=(declare.counted("set"), declare.counted("others")),
        makes="pair-budgets/judges pair-budgets/transitivity",
        threads=8,
    )
    def judge_transitivity(data, seed):
        """What judges' answers are worth, and how often they go round in circles."""
        from regrade.preferences.intransitivity import judge_table, transitivity_table
        from regrade.preferences.posterior import recorded

        judges = {one.name: recorded(one.table) for one in (data.set, *data.others)}
        worth = judge_table(judges)
        spreads = dict(zip(worth["judge"], worth["spread"], strict=True))
        return {
            "judges": worth,
            "transitivity": transitivity_table(judges, spreads, seed=seed, threads=data.threads),
        }

    @declare.job(
        reads=(
            declare.counted("set"),
            declare.made("judges"),
            declare.RUNS_IF_ANY,
            declare.sets("references"),
        ),
        makes="pair-budgets/subsets pair-budgets/needed",
        memory=3000,
        minutes=60,
        threads=8,
    )
    def draw_pairs(data, measures, shares, repeats, seed):
        """Documents and systems ranked by subsets of the pairs."""
        from regrade.preferences.gains import gain_rankings
        from regrade.preferences.posterior import recorded
        from regrade.preferences.subsets import Drawing, needed_pairs, subset_table, summarise

        topics = recorded(data.set.table)
        ranked = data.runs.ranked() if data.runs and measures else None
        rankings = gain_rankings(ranked, topics, measures, data.references)
        drawing = Drawing(
            shares, repeats=repeats, spread=data.judges["spread"][0].as_py(), seed=seed
        )
        subsets = subset_table(topics, drawing, rankings, data.threads)
        data.log.info("%d rankings by subsets of pairs", len(subsets))
        return {"subsets": summarise(subsets), "needed": needed_pairs(subsets)}

    @declare.job(
        reads=(
            declare.counted("set"),
            declare.made("judges"),
            declare.RUNS_IF_ANY,
            declare.sets("references"),
        ),
        makes="pair-budgets/policies pair-budgets/stops pair-budgets/stopping",
        memory=3000,
        minutes=60,
        threads=8,
    )
    def replay_pairs(
        data, measures, policies, per_document, replays, top, stop_tau, stop_overlap, seed
    ):
        """Policies of asking, replayed on the answers; where a rule would have stopped."""
        from regrade.preferences.gains import gain_rankings
        from regrade.preferences.next_pairs import Replays, policy_table
        from regrade.preferences.posterior import recorded
        from regrade.preferences.stopping import Rule, stop_summary, stop_table

        topics, spread = recorded(data.set.table), data.judges["spread"][0].as_py()
        ranked = data.runs.ranked() if data.runs and measures else None
        rankings = gain_rankings(ranked, topics, measures, data.references)
        replays = Replays(policies, per_document, replays, top, spread, seed=seed)
        overlap = stop_overlap
        targets = (("tau", stop_tau), ("top", overlap), ("near", overlap))
        rule = Rule(targets, tops=[top])
        stops = stop_table(topics, spread, rule, seed, data.threads)
        return {
            "policies": policy_table(topics, replays, rankings, threads=data.threads),
            "stops": stops,
            "stopping": stop_summary(stops),
        }


class PairWorlds(declare.Stage):
    """Simulated populations that check whether the stopping rule keeps its stated confidence;
    absent
    or null, none. Results go to `pair-worlds`.
    """

    key = "pair_worlds"
    place = 534
    target = "pair_budgets"
    tables = (declare.Tables("pair_worlds", runs=declare.UNUSED),)

    shapes = declare.options(
        ["normal", "groups", "heavy", "careless"],
        "Distribution of the strengths (normal, two groups, heavy tails), or normal with "
        "a tenth of the answers at random.",
        choices="PAIR_WORLDS",
        fewest=1,
    )
    worlds = declare.option(200, "Number of simulated populations of each kind.", least=1)

    @declare.job(memory=1000, minutes=60, threads=8)
    def pair_worlds(data, shapes, worlds, seed):
        """Worlds in which it is known whether the rule keeps what it promises."""
        from regrade.preferences.stopping import Worlds, coverage_table

        worlds = Worlds(shapes=shapes, worlds=worlds, seed=seed)
        return {"coverage": coverage_table(worlds, threads=data.threads)}

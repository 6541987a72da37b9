"""The stages of this subject, as a collection asks for them."""

from regrade.choices import RATED
from regrade.errors import RegradeError
from regrade.scales import Scale
from regrade.stages import declare


class Criteria(declare.Stage):
    """Systems under several label sets at once (lioma2017): whether their ranking changes.
    Results go to `criteria/<name>`.
    """

    key = "criteria"
    noun = "set under `criteria`"
    place = 570
    about = "Systems ranked under several label sets at once."
    called = "{set}"

    name = declare.item_name("Name of the item; absent, the name of its set.")
    set = declare.one(
        "qrels", "The labels by the first criterion, which determine the topics.", scale="graded"
    )
    others = declare.several(
        "qrels",
        "The labels by further criteria, such as credibility or a model's quality score.",
        scale="graded",
        least=1,
    )
    measure = declare.one(
        "measures",
        "Measures that rank systems by one criterion, and that CAM and WHAM combine.",
        default="nDCG@10",
    )
    steps = declare.option(
        10, "Number of steps in which the weight of the first criterion goes from 0 to 1.", least=1
    )

    @classmethod
    def check(cls, collection, name, item):
        """The first criterion is none of the others."""
        if item["set"] in item["others"]:
            problem = f"{item['set']} is the first criterion: name other sets"
            raise collection.error(f"{cls.key}.{name}.others", problem)

    @declare.job(
        reads=(
            declare.RUNS,
            *(read(field) for read in (declare.codes, declare.sets) for field in ("set", "others")),
        ),
        memory=3000,
    )
    def rank_criteria(data, measure, steps):
        """Systems under several sets of labels at once, and beside the first one alone."""
        import pandas as pd

        from regrade.codes import CodedQrels
        from regrade.criteria.desiderata import desiderata
        from regrade.criteria.systems import (
            coverage,
            ranking_table,
            score_sets,
            system_table,
            weight_table,
        )

        first, runs = data.set, data.runs
        sets = {one.name: one for one in (first, *data.others)}
        highest = {name: one.high for name, one in sets.items()}
        codes = {name: CodedQrels(one.codes, runs) for name, one in sets.items()}
        parts = []
        for chunk in runs.chunks(codes[first.name].topics, max_bytes=data.chunk_bytes):
            ranked = runs.ranked(chunk)
            judged = {name: labels.judged(ranked) for name, labels in codes.items()}
            parts.append(score_sets(ranked, judged, highest, measure, steps))
        scores = pd.concat(parts, ignore_index=True)
        shared = coverage(first.table, {one.name: one.table for one in data.others})
        for row in shared[shared["topic"] == "*"].itertuples():
            data.log.info("%s: %d documents of both", row.other, row.both)
            data.log.info(
                "%s: %d of %s only, %d only its own",
                row.other, row.only_first, first.name, row.only_other,
            )  # fmt: skip
        systems = system_table(scores)
        return {
            "coverage": shared,
            "systems": systems,
            "rankings": ranking_table(systems, first.name, scores["topic"].nunique()),
            "weights": weight_table(scores, list(sets)),
            "desiderata": desiderata(),
        }


class RatedLists(declare.Stage):
    """Result lists rated by assessors by two criteria (lioma2017, A66). Results go to
    `rated-lists/<name>`.
    """

    key = "rated_lists"
    noun = "set under `rated_lists`"
    place = 575
    about = "Result lists rated by assessors by two criteria."
    called = "{name}"
    target = "criteria"
    tables = (declare.Tables("rated_lists", runs=declare.UNUSED),)

    name = declare.item_name("", default=declare.MISSING)
    file = declare.option(
        declare.MISSING,
        "One line per result, plain or compressed; comma-separated fields, without a header line.",
        type="string",
    )
    fields = declare.options(
        declare.MISSING,
        "Names of the fields in order, among them topic, assessor, rank, docno and the "
        "criteria. The last field takes the rest of the line.",
        type="string",
    )
    criteria = declare.options(
        declare.MISSING,
        "The fields that hold grades; the paper's are relevance and credibility.",
        type="string",
        fewest=2,
        most=2,
    )
    values = declare.options(
        declare.MISSING,
        "The grades in ascending order, as numbers or names.",
        type=["number", "string"],
        fewest=2,
        distinct=False,
    )
    relevant_from = declare.options(
        declare.MISSING,
        "The grade from which a result counts as relevant or credible. Further grades are "
        "tried as other conventions.",
        type="number",
        fewest=1,
    )

    @classmethod
    def check(cls, collection, name, item):
        """The file's fields are all named, and the grades are on its scale."""
        place = f"{cls.key}.{name}"
        missing = [field for field in (*RATED, *item["criteria"]) if field not in item["fields"]]
        if missing:
            problem = f"lacks {' and '.join(missing)}: name the fields of the file"
            raise collection.error(f"{place}.fields", problem)
        try:
            scale = Scale.of(item)
            for grade in item["relevant_from"]:
                scale.value(grade)
        except RegradeError as error:
            raise collection.error(place, error) from error

    @declare.job(reads=(declare.file("file"),), memory=1000, minutes=10)
    def score_rated_lists(data, fields, criteria, values, relevant_from):
        """Lists that assessors rated by two criteria, under every convention."""
        from regrade.criteria.conventions import (
            conventions,
            divergent_results,
            list_correlations,
            list_scores,
            list_weights,
            tie_ranges,
        )
        from regrade.criteria.desiderata import desiderata
        from regrade.readers.pages import read_rated_lists
        from regrade.scales import Scale

        scale = Scale.of({"values": values})
        lists = read_rated_lists(data.file, fields, criteria, scale)
        results = lists.drop_duplicates(["topic", "assessor", "rank"])
        again = results.duplicated(["topic", "assessor", "docno"]).sum()
        data.log.info("%d rated results; %d are a document again in its list", len(results), again)
        relevant_from = [scale.value(grade) for grade in relevant_from]
        scores = list_scores(lists, relevant_from[0], scale.low)
        return {
            "lists": lists,
            "scores": scores,
            "conventions": conventions(lists, relevant_from, scale.low),
            "correlations": list_correlations(scores),
            "examples": divergent_results(lists, scores, scale.low, scale.high),
            "ties": tie_ranges(lists),
            "weights": list_weights(lists),
            "desiderata": desiderata(),
        }

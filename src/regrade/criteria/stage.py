"""The stages of this subject, as a collection asks for them."""

from regrade.stages import declare


class Criteria(declare.Stage):
    """Systems under several sets of labels at once (lioma2017) - whether they change places.
    Results go to `criteria/<name>`.
    """

    key = "criteria"
    noun = "set under `criteria`"
    place = 570
    about = "Systems to rank under several sets of labels at once."
    called = "{set}"
    tables = (declare.Tables("criteria"),)

    name = declare.item_name("What it is called; absent, as its set.")
    set = declare.one(
        "qrels", "The labels by the first criterion; its topics count.", scale="graded"
    )
    others = declare.several(
        "qrels",
        "The labels by further criteria, such as credibility or a model's quality score.",
        scale="graded",
        least=1,
    )
    measure = declare.one(
        "measures",
        "What ranks systems by one criterion, and what CAM and WHAM take of each.",
        default="nDCG@10",
    )
    steps = declare.option(
        10,
        "Steps in which the weight of the first criterion goes from 0 to 1.",
        least=1,
    )


class RatedLists(declare.Stage):
    """Result lists that assessors rated, each its own, by two criteria (lioma2017, A66). Results
    go to `rated-lists/<name>`.
    """

    key = "rated_lists"
    noun = "set under `rated_lists`"
    place = 575
    about = "Result lists that assessors rated by two criteria."
    called = "{name}"
    target = "criteria"
    tables = (declare.Tables("rated_lists", runs=declare.UNUSED),)

    name = declare.item_name("", default=declare.MISSING)
    file = declare.option(
        declare.MISSING,
        "A line for each result, plain or compressed, fields between commas, without a line of "
        "names.",
        type="string",
    )
    fields = declare.options(
        declare.MISSING,
        "What the fields are, in order; among them topic, assessor, rank, docno and the "
        "criteria. The last one takes the rest of the line.",
        type="string",
    )
    criteria = declare.options(
        declare.MISSING,
        "The fields with grades; the paper's are relevance and credibility.",
        type="string",
        fewest=2,
        most=2,
    )
    values = declare.options(
        declare.MISSING,
        "The grades, the lowest first; numbers or names.",
        type=["number", "string"],
        fewest=2,
        distinct=False,
    )
    relevant_from = declare.options(
        declare.MISSING,
        "The grade from which on a result is relevant, or credible; further ones are tried as "
        "other conventions.",
        type="number",
        fewest=1,
    )

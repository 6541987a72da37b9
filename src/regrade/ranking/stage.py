"""The stages of `ranking`: which system is best, and how sure that is."""

from regrade.stages import declare


class Ranking(declare.Stage):
    """Which system is best, and how sure: differences of all pairs, ranks, tiers, the reliability
    of the collection, and what differences it can find. Results go to `ranking/<qrels>`.
    """

    key = "ranking"
    noun = "qrels under `ranking`"
    place = 100
    about = "Which system is best, and how sure."
    called = "{qrels}"
    target = "ranked"
    tables = (declare.Tables("ranking"),)
    card = declare.Card("ranking", draws=("systems", "facts"), first=declare.FIRST)

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

"""The stages of `tied_scores`: what tied scores do to an evaluation."""

from regrade.stages import declare


class Ties(declare.Stage):
    """What tied scores do to evaluation (yang2019 ch. 3); absent or null, not asked."""

    key = "ties"
    place = 200
    tables = (
        declare.Tables(
            "ties",
            lists={"ties/ranges:measure": "ranges", "measure": "measures", "rho": "rho"},
        ),
    )
    card = declare.Card(
        "ties", draws=("ranks",), first=declare.FIRST, about=declare.qrels_of("ties")
    )

    qrels = declare.one("qrels", "The qrels to score with.", scale="graded")
    ranges = declare.measures(
        ["AP"], "Measures whose range over the orders of tied documents is found."
    )
    unjudged = declare.option(
        "non-relevant",
        "What unjudged documents are in the upper ends of `ranges`: as in the scores, so that "
        "the ranges say what ties do, or relevant for measures that do not divide by all that is "
        "relevant, as the thesis has it.",
        choices="UNJUDGED_IN_RANGES",
    )
    measures = declare.measures(
        ["RR", "RBP(p=0.5)", "RBP(p=0.85)", "AP"], "Measures of banded rankings."
    )
    rho = declare.options(
        ["1.1", "1.2", "1.4", "1.7", "2", "3", "4", "5", "6"],
        "Ratios ρ of geometric bands, quoted, so that 1.1 is 11/10.",
        type="string",
        pattern="^[1-9][0-9]*([.][0-9]+)?$(?!\\n)",
        description="A decimal number of at least 1, quoted.",
        fewest=1,
    )
    systems = declare.option(
        None,
        "Band this many systems, the best by AP (yang2019, 99 of TREC-8); absent or null, all.",
        type=["integer", "null"],
        least=2,
    )

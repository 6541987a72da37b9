"""The stages of `uncertainty`: how far scores can move with what nobody judged."""

from regrade.stages import declare


class Residuals(declare.Stage):
    """RBP's residual as a measure of uncertainty (yang2019 §4.3–4.5); absent or null, none."""

    key = "residuals"
    place = 240
    tables = (declare.Tables("residuals"),)

    qrels = declare.one("qrels", "The qrels to score with.", scale="graded")
    measures = declare.measures(
        ["RR", "P@10", "R@1000", "Rprec", "AP", "nDCG"],
        "Measures whose ranking of systems RBP is compared with.",
    )
    nearest = declare.measures(["AP", "nDCG"], "Measures whose nearest φ is sought per topic.")


class Ranges(declare.Stage):
    """Exact ranges of scores over what unjudged documents may be; absent or null, none."""

    key = "ranges"
    place = 210
    tables = (declare.Tables("ranges"),)
    card = declare.Card(
        "unjudged", draws=("ranks",), first=declare.FIRST, about=declare.qrels_of("ranges")
    )

    qrels = declare.one("qrels", "The qrels to score with.", scale="listed")
    measures = declare.measures(["AP", "nDCG"], "Measures, AP and nDCG with any parameters.")
    residual = declare.one(
        "measures with residuals",
        "The measure whose residual stands beside the ranges.",
        default="RBP(p=0.98)",
    )

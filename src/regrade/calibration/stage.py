"""The stage `calibration`: what judges' values say of grades, beside labels under the best cut."""

from regrade.stages import declare
from regrade.stages.checks import check_reference


class Calibration(declare.Stage):
    """Calibration of judges' scores against a reference: held-out probabilities of each grade by
    several maps, compared with labels under the best cut; prediction sets of grades with a stated
    coverage. Results go to `calibration/<name>`.
    """

    key = "calibration"
    place = 510
    question = "Are thresholded grades enough, or are calibrated probabilities better?"
    door = declare.Door("calibrate", command="calibrate", brings="values, labels")
    about = "Judges' scores, calibrated to the grades of a reference."
    called = "{reference}"

    name = declare.item_name("Name; absent: the name of its reference.")
    reference = declare.one("qrels", "Human labels, with 2 to 4 grades.")
    sets = declare.several(
        "labels",
        "The judges, each a set of labels or judgments. A document's judgments count by "
        "their median.",
        scale="graded",
        least=1,
    )
    measures = declare.measures(
        ["nDCG@10"],
        "With runs, measures of the systems. Measures that need a relevance threshold are "
        "computed for labels only.",
    )
    metric = declare.option("ordinal", "Metric of Krippendorff's α.", choices="METRICS")
    folds = declare.option(
        10,
        "Number of folds of the topics, and of each topic's documents, for held-out predictions.",
        least=2,
    )
    resamples = declare.option(
        1000, "Number of bootstrap samples of topics for differences of τ_b.", least=1
    )

    tables = (
        declare.Tables("calibration", runs=declare.UNUSED, tell_of_runs=("calibration/rankings",)),
    )
    card = declare.Card("calibration", section="Labels", draws=("maps",))

    @classmethod
    def check(cls, collection, name, item):
        """The reference is on levels, and none of the judges."""
        check_reference(collection, f"{cls.key}.{name}", item["reference"], item["sets"])

    @declare.job(
        reads=(declare.sets("reference"), declare.sets("sets"), declare.RUNS_IF_ANY),
        uses="measures metric folds resamples seed",
        memory=3000,
        minutes=60,
    )
    def calibrate(data, measures, **how):
        """What each judge's values say, and the answer."""
        from regrade.calibration.answer import answer
        from regrade.calibration.judge_calibration import CalibrationOptions, calibration_tables
        from regrade.measures import parse_all

        tables = calibration_tables(
            data.reference,
            data.sets,
            data.runs and data.runs.ranked(),
            parse_all(measures),
            CalibrationOptions(**how),
        )
        conclusion = answer(tables, data.reference.name, data.reference.levels, how["metric"])
        return tables | {"answer": conclusion}

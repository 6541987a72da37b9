"""The stages of this subject, as a collection asks for them."""

from regrade.stages import declare


class Magnitudes(declare.Stage):
    """What magnitudes say (turpin2015) - judgments of which the ratios within a unit count.
    Results go to `magnitudes/<name>`.
    """

    key = "magnitudes"
    noun = "set under `magnitudes`"
    place = 550
    about = (
        "Sets of magnitudes to check, normalise and compare with labels, and systems under them."
    )
    called = "{set}"
    tables = (
        declare.Tables("magnitudes", runs=declare.UNUSED),
        declare.Tables("magnitudes_and_labels", runs=declare.UNUSED, asks=("references",)),
        declare.Tables("magnitudes_and_systems", runs=declare.USED, asks=("references",)),
        declare.Tables("magnitudes_answer", runs=declare.UNUSED, asks=("references",)),
    )
    card = declare.Card("magnitudes", draws=("numbers",))

    name = declare.item_name("What it is called; absent, as its set.")
    set = declare.one(
        "judgments", "The set of judgments; on a scale of numbers above 0 or with a shift."
    )
    references = declare.several(
        "qrels",
        "Sets of labels to compare with, on scales whose values can be listed; pairs of "
        "documents are grouped by the levels of the first.",
        scale="listed",
        default=[],
    )
    normalise = declare.schema(declare.ABSENT, "", **{"$ref": "#/$defs/normalise"})
    shift = declare.schema(declare.ABSENT, "", **{"$ref": "#/$defs/shift"})
    aggregate = declare.option(
        "median",
        "How the normalised magnitudes of a document become its gain.",
        choices="MAGNITUDE_AGGREGATES",
    )
    known = declare.one(
        "qrels",
        "Labels of the documents that every unit holds, the highest of a topic being its known "
        "high and the lowest its known low document; absent or null, the two documents that are "
        "in more than half of the topic's units.",
        default=None,
    )
    leave_out = declare.options(
        [],
        "The checks for whose failure a unit is left out - `order`, the known high document is "
        "not above the known low one; `time`; `known`, it lacks one of them. Whatever fails is "
        "counted.",
        choices="UNIT_CHECKS",
    )
    extremes = declare.option(
        False,
        "Whether a unit's width is its greatest over its smallest value, for units without known "
        "documents; grows with the documents of a unit, so not to be compared with other widths.",
    )
    measures = declare.measures(
        ["nDCG(base=2)@10", "ERR(max_rel='topic')@10"],
        "Measures of systems, with magnitudes as gains and with the references' grades.",
    )
    samples = declare.option(1000, "Times that one magnitude per document is drawn.", least=2)
    resamples = declare.option(
        1000, "How often topics, judgments and units are drawn anew.", least=2
    )

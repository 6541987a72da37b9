"""The stages of `significance`: tests of all pairs of systems, and analysis of covariance."""

from regrade.stages import declare


class Discrimination(declare.Stage):
    """Tests of all pairs of systems under each pool (`{}`); needs `pools`; absent or null, none."""

    key = "discrimination"
    place = 250
    needs = ("pools",)
    tables = (declare.Tables("discrimination"),)


class Significance(declare.Stage):
    """Whole sets of labels under which all pairs of systems are tested."""

    key = "significance"
    place = 260
    held = declare.several(
        "qrels",
        "Whole sets of labels under which all pairs of systems are tested, by the collection's "
        "`measures`; needs no `pools`.",
        default=[],
    )
    tables = (declare.Tables("significance"),)


class Ancova(declare.Stage):
    """Score on pool depth, topic and system; needs `pools`; absent or null, none."""

    key = "ancova"
    place = 270
    needs = ("pools",)
    tables = (declare.Tables("ancova"),)

    depths = declare.options(
        None,
        "Depths of the pools; null, ten parts of `pools.baseline` (5, 10, …, 50 of 50).",
        type="integer",
        minimum=1,
        fewest=3,
    )

"""The stages of `sweeps`: all combinations of choices, of systems or of labels alone."""

from collections.abc import Mapping

from regrade.cutsearch.stage import set_of_reference
from regrade.errors import RegradeError
from regrade.stages import declare


def cut_sets(options: Mapping) -> set[str]:
    """The sets that sweeps cut, and those that labels are compared with."""
    sweeps = [s for key in ("sweeps", "label_sweeps") for s in (options.get(key) or {}).values()]
    entries = [entry for sweep in sweeps for entry in sweep["axes"]["labels"] or ()]
    named = (entry.get("cuts") for entry in entries if isinstance(entry, Mapping))
    cuts = {cut for cut in named if isinstance(cut, str)}
    sets = {sweep["baseline"].get("reference") for sweep in sweeps} - {None}
    for one in options["transformations"]:
        if one.get("name", "{source}-to-{levels}".format(**one)) in cuts:
            sets |= {one["source"], *map(set_of_reference, one["references"][:1])}
    return sets


def _read(collection, name: str, item: Mapping):
    """The sweep of an item; if it cannot be read, the error names its key."""
    from regrade.sweeps.configured import sweep_of

    try:
        return sweep_of(collection, item)
    except RegradeError as error:
        raise collection.error(f"sweeps.{name}", error) from error


CARD = {
    "section": "Choices",
    "draws": ("curve", "curve_choices", "levels", "facts"),
    "figure": "curve",
}


class Sweeps(declare.Stage):
    """All combinations of choices, and the ranking and significant pairs of each."""

    key = "sweeps"
    noun = "sweep under `sweeps`"
    place = 600
    question = "Which choices decide the evaluation?"
    door = declare.Door("sweep", command="sweep", brings="a configuration")
    held = declare.schema(
        None,
        "Combinations of choices, by name; absent or null, none.",
        type=["object", "null"],
        propertyNames={"$ref": "#/$defs/name"},
        additionalProperties={"$ref": "#/$defs/sweep"},
    )
    target = "swept"
    tables = (declare.Tables("sweep_levels"), declare.Tables("sweeps"))
    card = declare.Card(
        "sweep",
        settings=lambda collection, name: {"outcome": "changed_pairs"},
        explored=True,
        **CARD,
    )
    sets_besides = staticmethod(cut_sets)

    @classmethod
    def items(cls, collection):
        """The sweeps of systems."""
        return collection.options[cls.key] or {}

    @classmethod
    def check(cls, collection, name, item):
        """Its axes and baseline can be read, and groups are known where pools leave some out."""
        written = _read(collection, name, item)
        if written.first == "scores":
            return
        leaves_out = any("group" in entry for entry in written.others["pool"])
        if leaves_out and collection.options["groups"] is None:
            problem = "to leave out groups, name their file under `groups`"
            raise collection.error(f"sweeps.{name}.axes.pool", problem)

    @declare.job(reads=(declare.sweep("regrade.sweeps.jobs.read_design"),), makes="sweep_levels")
    def sweep_levels(data):
        """The choices of a sweep: its entries, the cuts that rules choose, what cannot be."""
        from regrade.sweeps.sweep import level_tables

        return level_tables(data.sweep)


class LabelSweeps(declare.Stage):
    """All combinations of choices of labels; no system is ranked."""

    key = "label_sweeps"
    has_key = False  # a sweep with a `reference` is one of labels
    noun = "sweep of labels under `sweeps`"
    place = 610
    target = "swept_labels"
    written = "`sweeps` with a `reference`"
    tables = (declare.Tables("label_sweeps", runs=declare.UNUSED),)
    card = declare.Card(
        "label-sweep", settings=lambda collection, name: {"outcome": "alpha"}, **CARD
    )
    sets_besides = staticmethod(cut_sets)

    @classmethod
    def items(cls, collection):
        """The sweeps of labels."""
        return collection.options[cls.key] or {}

    @classmethod
    def check(cls, collection, name, item):
        """Its axes and the baseline can be read, and nothing is asked of systems."""
        for key in ("top", "parts"):
            if item[key] is not None:
                problem = (
                    "belongs to a sweep of systems; with a `reference` a sweep is of labels: "
                    "leave it out"
                )
                raise collection.error(f"sweeps.{name}.{key}", problem)
        _read(collection, name, item)

    @declare.job(reads=(declare.sweep("regrade.sweeps.jobs.read_label_design"),))
    def label_sweep(data):
        """Which level each document gets, how labels agree, which choice decides."""
        from regrade.sweeps.label_results import swept_labels

        return swept_labels(data.sweep)

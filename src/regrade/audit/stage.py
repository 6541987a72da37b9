"""The stages of this subject, as a collection asks for them."""

from regrade.stages import declare


class Workers(declare.Stage):
    """How the workers of each set of judgments agree; every collection with such a set asks it."""

    key = "workers"
    written = "`judgments`"
    place = 520
    tables = (declare.Tables("workers", runs=declare.UNUSED),)
    card = declare.Card("workers", draws=("workers",))

    judgments = declare.one("judgments", "The judgments.")
    reference = declare.several("qrels", "Labels to hold beside, of which one is taken.")

    @classmethod
    def definition(cls):
        """No key asks for it."""

    @classmethod
    def property(cls):
        """No key asks for it."""

    @classmethod
    def is_asked(cls, options):
        """Where there are judgments."""
        return bool(options["judgments"])

    @classmethod
    def sets_besides(cls, options):
        """The sets of judgments."""
        return set(options["judgments"])

    @classmethod
    def items(cls, collection):
        """Each crowd, and the first labels beside which it is cut."""
        return {
            name: {"judgments": name, "reference": [reference] if reference else []}
            for name, reference in collection.crowds.items()
        }

"""The stages of this subject, as a collection asks for them."""

from regrade.stages import declare


class Workers(declare.Stage):
    """Agreement of the workers of each set of judgments. Every collection with judgments has it."""

    key = "workers"
    has_key = False
    written = "`judgments`"
    place = 520
    question = "Which workers are unreliable?"
    door = declare.Door("workers", command="workers", brings="judgments")
    tables = (declare.Tables("workers", runs=declare.UNUSED),)
    card = declare.Card("workers", section="Crowd", draws=("workers",))

    judgments = declare.one("judgments", "The judgments.")
    reference = declare.several("qrels", "Reference labels, of which the first set is used.")
    metric = declare.option(
        None,
        "Metric of Krippendorff's α; absent or null, ordinal for levels and interval for "
        "real numbers.",
        choices="METRICS",
    )

    @classmethod
    def is_requested(cls, options):
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
            name: {
                "judgments": name,
                "reference": [reference] if reference else [],
                "metric": collection.judgments[name]["metric"],
            }
            for name, reference in collection.crowds.items()
        }

    @declare.job(
        reads=(declare.sets("judgments"), declare.sets("reference")), uses="metric", minutes=20
    )
    def check_workers(data, metric):
        """How each worker agrees with the others, and with labels."""
        from regrade.audit.answer import answer
        from regrade.audit.crowd import fact_table, worker_table

        judgments, (reference, *_) = data.judgments.table, (*data.reference, None)
        metric = metric or data.judgments.scale.metric
        workers = worker_table(judgments, reference and reference.table)
        tables = {"workers": workers, "facts": fact_table(judgments, workers, metric)}
        name = reference.name if reference else ""
        return tables | {"answer": answer(**tables, reference=name, metric=metric)}

"""The stages of this subject, as a collection asks for them."""

from regrade.stages import declare


class Magnitudes(declare.Stage):
    """Magnitude judgments (turpin2015): judgments whose ratios within a unit count. Results go
    to `magnitudes/<name>`.
    """

    key = "magnitudes"
    noun = "set under `magnitudes`"
    place = 550
    question = "What gains do magnitudes give to levels, and do they change the ranking?"
    door = declare.Door("magnitude_gains", command="magnitudes", brings="magnitudes, labels")
    about = (
        "Magnitudes to check, normalise and compare with labels, and systems with them as gains."
    )
    called = "{set}"
    tables = (
        declare.Tables("magnitudes", runs=declare.UNUSED),
        declare.Tables("magnitudes_and_labels", runs=declare.UNUSED, asks=("references",)),
        declare.Tables("magnitudes_answer", runs=declare.UNUSED, asks=("references",)),
        declare.Tables("magnitudes_and_systems", runs=declare.USED, asks=("references",)),
    )
    card = declare.Card("magnitudes", section="Crowd", draws=("numbers",))

    name = declare.item_name("Name of the item; absent, the name of its set.")
    set = declare.one(
        "judgments", "The set of judgments, on a scale of numbers above 0 or with a shift."
    )
    references = declare.several(
        "qrels",
        "Label sets to compare with, on scales whose values can be listed. Pairs of "
        "documents are grouped by the levels of the first set.",
        scale="listed",
        default=[],
    )
    normalise = declare.option(
        "geometric",
        "Normalisation of the values of a unit. `geometric`: geometric averaging, which "
        "keeps ratios within the unit (turpin2015 §3.3); `z-score`: equal spread too; "
        "`rank`: ranks within the unit; `none`.",
        choices="MAGNITUDE_NORMALISATIONS",
    )
    shift = declare.option(
        0,
        "Constant added to all values before normalising, which needs values above 0, "
        "such as for a slider's 0; 0 adds nothing.",
        type="number",
        least=0,
    )
    aggregate = declare.option(
        "median",
        "Aggregation of a document's normalised magnitudes to its gain.",
        choices="MAGNITUDE_AGGREGATES",
    )
    known = declare.one(
        "qrels",
        "Labels of the documents that every unit contains; a topic's highest label marks "
        "its known high document, the lowest its known low document. Absent or null: the "
        "two documents that occur in more than half of the topic's units.",
        default=None,
    )
    leave_out = declare.options(
        [],
        "Checks whose failure leaves out a unit. `order`: the known high document is not "
        "above the known low document; `time`; `known`: the unit lacks one of the two "
        "documents. All failures are counted.",
        choices="UNIT_CHECKS",
    )
    extremes = declare.option(
        False,
        "Whether a unit's width is its highest value divided by its lowest, for units "
        "without known documents. This width grows with the number of documents in a unit "
        "and is not comparable with other widths.",
    )
    measures = declare.measures(
        ["nDCG(base=2)@10", "ERR(max_rel='topic')@10"],
        "Measures of systems, with magnitudes as gains and with the references' grades.",
    )
    samples = declare.option(1000, "Number of samples of one magnitude per document.", least=2)
    resamples = declare.option(
        1000, "Number of bootstrap samples of topics, judgments and units.", least=2
    )

    @classmethod
    def check(cls, collection, name, item):
        """The set has units, and its values are above 0."""
        place = f"{cls.key}.{name}"
        if not collection.units(item["set"]):
            problem = f"compares values within a unit (HIT), and {item['set']} has no units"
            raise collection.error(f"{place}.set", f"{problem}: name its `unit` column")
        scale = collection.scale(item["set"])
        if not (item["shift"] or scale.above_zero):
            problem = f"{item['set']} holds {scale}, and magnitudes are above 0: give a `shift`"
            raise collection.error(f"{place}.shift", problem)

    @declare.job(
        reads=(declare.sets("set"), declare.sets("known"), declare.sets("references")),
        uses="normalise shift extremes leave_out",
        makes="magnitudes",
        minutes=10,
    )
    def normalise_magnitudes(data, **how):
        """Units checked, their values normalised, one magnitude per document."""
        from regrade.magnitudes.steps import MagnitudeOptions, unit_tables

        known = data.known.table if data.known else None
        reference = data.references[0].table if data.references else None
        return unit_tables(data.set.table, MagnitudeOptions(**how), known, reference)

    @declare.job(
        reads=(
            *map(declare.made, ("units", "topics", "normalised", "documents")),
            declare.sets("references"),
        ),
        uses="aggregate resamples shift seed",
        makes="magnitudes_and_labels magnitudes_answer",
        minutes=20,
        asks="references",
    )
    def compare_magnitudes(data, **how):
        """Magnitudes beside labels: levels, order of pairs, discordant documents, gains."""
        from regrade.magnitudes.answer import answer
        from regrade.magnitudes.gain_numbers import gain_numbers
        from regrade.magnitudes.steps import MagnitudeOptions, label_tables

        names = ("units", "topics", "normalised", "documents")
        made = {name: getattr(data, name) for name in names}
        labels = {one.name: one.table for one in data.references}
        levels = {one.name: one.scale.values for one in data.references}
        tables = label_tables(made, labels, levels, MagnitudeOptions(**how))
        if "answer" in data.makes:  # no systems: nothing follows
            numbers = gain_numbers({**tables, "units": data.units.to_pandas()}, how["seed"])
            tables |= {"numbers": numbers, "answer": answer(numbers, how["shift"])}
        return tables

    @declare.job(
        reads=(
            declare.RUNS,
            *map(declare.made, ("units", "normalised", "width_quantiles")),
            *map(declare.made, ("levels", "agreement", "exceptions")),
            *map(declare.made, ("gain_profiles", "gain_likelihoods")),
            declare.sets("references"),
        ),
        uses="measures aggregate samples resamples shift seed significance",
        makes="magnitudes_and_systems magnitudes_answer",
        memory=3000,
        threads=8,
        asks="references",
        needs_runs=True,
    )
    def rank_magnitudes(data, measures, significance, **how):
        """Systems under magnitudes as gains beside systems under labels, and how sure that is."""
        from regrade.magnitudes.answer import answer
        from regrade.magnitudes.gain_numbers import gain_numbers
        from regrade.magnitudes.steps import MagnitudeOptions, gain_tables, judgments_by_topic
        from regrade.magnitudes.systems import GainComparison, ReferenceLabels

        how = MagnitudeOptions(**how)
        judgments = judgments_by_topic(
            data.normalised, data.units, data.width_quantiles.to_pandas()
        )
        comparison = GainComparison(
            data.runs.ranked([one.topic for one in judgments]),
            [ReferenceLabels(one.name, one.table, one.high) for one in data.references],
            judgments,
            measures,
            aggregate=how.aggregate,
            seed=how.seed,
        )
        tables = gain_tables(comparison, how, significance, data.threads)
        names = ("units", "levels", "agreement", "exceptions", "gain_profiles", "gain_likelihoods")
        beside = {name: getattr(data, name).to_pandas() for name in names}
        numbers = gain_numbers(beside | tables, how.seed)
        return tables | {"numbers": numbers, "answer": answer(numbers, how.shift)}

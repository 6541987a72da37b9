"""The stage `meta_analysis`: one effect in several collections, over them, and how it differs."""

from regrade.stages import declare
from regrade.stages.effects import effect_of, known_effect, known_question, questions


class MetaAnalysis(declare.Stage):
    """One effect in several collections of the configuration: in each, over them, and how much it
    differs among them. Results go to `meta_analysis/<name>`.
    """

    key = "meta_analysis"
    place = 520
    question = "Does an effect hold over several collections?"
    door = declare.Door(
        "meta_analysis", command="meta-analysis", brings="results of several collections"
    )
    about = "Effects of other keys, over several collections of the configuration."
    called = "{of}"
    tables = (
        declare.Tables(
            "meta_analysis",
            runs=declare.UNUSED,
            tell_of_runs=tuple(
                f"meta_analysis/{name}" for name in ("effects", "overall", "ranking")
            ),
        ),
    )
    card = declare.Card("meta_analysis", section="Labels", draws=("effects", "overall"))

    name = declare.item_name("Name; absent: the key of the results.")
    of = declare.option(
        "judges",
        "Key of the results, one that has effects, such as `judges`.",
        reads=known_question,
    )
    collections = declare.schema(
        declare.MISSING,
        "Names of collections of the configuration. Each has the key `of`, and the same names of "
        "judges.",
        type="array",
        items={"type": "string"},
        minItems=1,
        uniqueItems=True,
    )
    item = declare.option(
        None,
        "Name of the item of `of` in each collection, such as the reference of `judges`; absent or "
        "null: the only one.",
        type=["string", "null"],
    )
    effect = declare.option(
        None,
        "Effect of the results: of `judges` tau, alpha or score_difference; of `favour` "
        "equal_quality, equal_less_control, own_families (at equal quality), all_systems or "
        "less_control; of `replace` lines; absent or null: the first.",
        type=["string", "null"],
        reads=known_effect,
    )
    measures = declare.options(
        None,
        "Measures of the systems; absent or null, all that every collection has.",
        type="string",
        fewest=1,
    )
    resamples = declare.option(
        1000,
        "Number of bootstrap samples of topics, for effects that are means over topics.",
        least=1,
    )

    @classmethod
    def check(cls, collection, name, item):
        """The results have such an effect."""
        place = f"{cls.key}.{name}"
        collection.check_known(f"{place}.of", "key with effects", item["of"], questions())
        effects = [one.name for one in questions()[item["of"]]]
        if item["effect"] is not None:
            where = f"{place}.effect"
            collection.check_known(where, f"effect of {item['of']}", item["effect"], effects)

    @declare.job(reads=(declare.effects(),), uses="of effect measures resamples seed", memory=2000)
    def pool_effects(data, of, effect, measures, **how):
        """The effect in each collection, over them, and its heterogeneity."""
        from regrade.pooled_effects.answer import answer_tables
        from regrade.pooled_effects.effects import read_effects
        from regrade.pooled_effects.pooled import pooled_tables

        read = read_effects(effect_of(of, effect), data.effects, measures)
        return (tables := pooled_tables(read, **how)) | answer_tables(tables, read, **how)

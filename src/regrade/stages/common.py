"""Options that many stages share; a configuration gives them once for a collection."""

from collections.abc import Mapping

from regrade.stages import declare

SEED = declare.option(1, "Random seed; simulations have their own.", least=0)

PAIR_TESTS = {
    "test": declare.option(
        "t",
        "Pairwise test of systems; pages and criteria use the paired t-test.",
        choices="PAIR_TESTS",
    ),
    "correction": declare.option(
        "none",
        "Multiple-testing correction; bh is Benjamini–Hochberg, by is Benjamini–Yekutieli.",
        choices="CORRECTIONS",
    ),
    "significance": declare.option(0.05, "Significance level α of all tests.", above=0, below=1),
}
"""Tests of pairs of systems, wherever they are used."""

SHARED = {"seed": SEED, **PAIR_TESTS}
"""Those that the library and the command take beside a stage's own."""


def option_fields(
    stage: type[declare.Stage], defaults: Mapping[str, object] | None = None
) -> dict[str, declare.Field]:
    """The options of a stage that library, command and configuration have: those its jobs use.

    Names and levels of sets, and measures, aside, which are inputs.  `defaults` are other ones
    than those of the configuration.
    """
    used = dict.fromkeys(name for job in stage.jobs.values() for name in job.options)
    own = {name: stage.fields.get(name, SHARED.get(name)) for name in used}
    defaults = defaults or {}
    return {
        name: field.with_default(defaults[name]) if name in defaults else field
        for name, field in own.items()
        if field is not None and not (field.is_input or field.is_measures or field.is_scale)
    }


def measures_named(options: Mapping[str, object]) -> list[str]:
    """The measures that options of a stage name, by whichever of its fields."""
    named = [options.get(name) for name in ("measures", "measure", "ranges")]
    if "axes" in options:  # of a sweep
        named += [options[part].get("measure") for part in ("axes", "baseline")]
    lists = ([one] if isinstance(one, str) else one or [] for one in named)
    return list(dict.fromkeys(measure for one in lists for measure in one))

"""What a command line, or a profile, sets of rules: only of such as there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from regrade.errors import ParameterError, did_you_mean
from regrade.stages.registry import stages
from regrade.wording import first_few
from regrade.workflow.targets import stage_targets


def check_settings(workflow) -> None:
    """Refuse what is set of a rule that Snakemake, which has read all, does not know.

    It would pass over it without a word, and the job would have what it had.
    """
    resources, groups = workflow.resource_settings, workflow.group_settings
    settings = {
        "--set-resources": resources.overwrite_resources,
        "--set-threads": resources.overwrite_threads,
        "--groups": groups.overwrite_groups,
    }
    makers = [rule.name for rule in workflow.rules if not rule.norun]
    targets = [rule.name for rule in workflow.rules if rule.norun]
    check_rules(settings, makers, targets)


def check_rules(
    settings: Mapping[str, Iterable[str]], rules: Iterable[str], targets: Iterable[str] = ()
) -> None:
    """Refuse settings of names that are no rules with jobs; `targets` have none of their own."""
    rules = sorted(rules)
    for option, names in settings.items():
        for name in names:
            if name not in rules:
                raise ParameterError(f"{option}: {name} {_problem(name, rules, targets)}")


def _problem(name: str, rules: Iterable[str], targets: Iterable[str]) -> str:
    """What is wrong with a name, and what to write in its place."""
    if name in targets or name in stages():
        jobs, words = _jobs_of(name), (f"{name}_", f"_{name}")
        own = [r for r in rules if r in jobs or r.startswith(words[0]) or r.endswith(words[1])]
        which = f"its rules, {first_few(own)}" if own else "the rules that it needs"
        return f"has no job of its own: name {which}"
    near = did_you_mean(name, rules)
    return f"is no rule{near}" if near else "is no rule: --list-rules lists them"


def _jobs_of(name: str) -> set[str]:
    """The jobs of a stage, by its key or by its target, as their rules are called."""
    keys = {name, *stage_targets().get(name, ())} & {*stages()}
    return {job for key in keys for job in stages()[key].jobs}

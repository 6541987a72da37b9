"""A comparison of sets of labels, read from its tables: what its stages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regrade.codes import CodedRuns
from regrade.power.label_sets import GradedSet, Systems, all_lists
from regrade.power.preferences import PreferenceTests
from regrade.power.topics import Lists, PowerOptions
from regrade.tables import read_table


@dataclass(frozen=True)
class PowerInputs:
    """Sets, what people prefer, and systems.

    Attributes
    ----------
    sets
        Of labels or judgments.
    preferences
        Name → tests of preference.
    lists
        The documents in question.
    how
        How power is computed.
    systems
        Runs and how they are told apart; ``None`` where there are no runs.
    """

    sets: Sequence[GradedSet]
    preferences: Mapping[str, PreferenceTests]
    lists: Sequence[Lists]
    how: PowerOptions
    systems: Systems | None

    @classmethod
    def read(
        cls,
        sets: Mapping[str, tuple[str, Sequence[float | None]]],
        preferences: Mapping[str, str],
        experts: Mapping[str, str],
        runs: str | None,
        *,
        how: PowerOptions,
        tested: Mapping,
    ) -> PowerInputs:
        """Read the tables."""
        labelled = [GradedSet(name, read_table(file), *ends) for name, (file, ends) in sets.items()]
        tests = {
            name: PreferenceTests.from_table(read_table(file, "preferences"))
            for name, file in preferences.items()
        }
        tests |= {
            name: PreferenceTests.from_labels(read_table(file, "qrels"))
            for name, file in experts.items()
        }
        ranked = CodedRuns(runs).ranked() if runs else None
        systems = None if ranked is None else Systems(ranked, **tested)
        return cls(labelled, tests, all_lists(labelled, ranked), how, systems)

    @classmethod
    def of_job(cls, inputs: Mapping, params: Mapping) -> PowerInputs:
        """Of the files and parameters that a job was given, by their names."""
        files = zip(params["ends"].items(), inputs["sets"], strict=True)
        tested = ("measures", "significance", "tests", "correction", "seed")
        return cls.read(
            {name: (file, ends) for (name, ends), file in files},
            dict(zip(params["preferences"], inputs["preferences"], strict=True)),
            dict(zip(params["experts"], inputs["experts"], strict=True)),
            inputs["runs"] or None,
            how=PowerOptions(params["modes"], seed=params["seed"]),
            tested={key: params[key] for key in tested},
        )

    @property
    def all(self) -> tuple:
        """Sets, preferences, lists and how, which most tables take."""
        return self.sets, self.preferences, self.lists, self.how

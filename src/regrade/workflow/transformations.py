"""Transformations of a collection: what is searched, and what the searches need."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from regrade.choices import CUT_METHODS
from regrade.cutsearch.stage import COMPLETED, set_of_reference


@dataclass(frozen=True)
class Reference:
    """A set that a transformation compares with."""

    name: str
    unjudged: str

    @classmethod
    def of(cls, written: str) -> Self:
        """As a configuration writes it: with the subscript, unjudged is non-relevant."""
        name = set_of_reference(written)
        return cls(name, "drop" if name == written else "non-relevant")

    @property
    def label(self) -> str:
        """The papers' way of writing it: a subscript a where unjudged is non-relevant."""
        return self.name + COMPLETED * (self.unjudged == "non-relevant")


@dataclass(frozen=True)
class Search:
    """One method of one transformation, and its reference if it has one."""

    method: str
    reference: Reference | None

    @property
    def name(self) -> str:
        """As in paths: ``tw1`` or ``h2@TR2_a``."""
        return f"{self.method}@{self.reference.label}" if self.reference else self.method

    @property
    def request(self) -> dict[str, str | None]:
        """What a job is told of it: method, the set it compares with, its label and rule."""
        reference = self.reference
        return {
            "method": self.method,
            "reference": reference.name if reference else None,
            "label": reference.label if reference else None,
            "unjudged": reference.unjudged if reference else "drop",
        }


@dataclass(frozen=True, eq=False)
class Transformation:
    """One transformation of a collection: its searches, and what they need."""

    collection: Any  # a `regrade.workflow.collection.Collection`
    name: str
    options: Mapping

    @property
    def place(self) -> str:
        """Where messages say that it stands."""
        return f"transformations.{self.name}"

    @property
    def source(self) -> str:
        """The set that is cut."""
        return self.options["source"]

    @property
    def levels(self) -> int:
        """Of the target scale."""
        return self.options["levels"]

    @cached_property
    def references(self) -> list[Reference]:
        """The sets that are compared with, each by its rule."""
        return [Reference.of(written) for written in self.options["references"]]

    @property
    def sets(self) -> set[str]:
        """The sets that its results rest on."""
        pool = [self.options["pool"]] if self.options["pool"] else []
        compared = [reference.name for reference in self.references]
        return {self.source, *compared, *self.experts, *pool}

    @property
    def expert_labels(self) -> list[str]:
        """The qrels that say which documents are relevant: experts and expert references."""
        compared = [r.name for r in self.references if r.name in self.collection.qrels]
        return list(dict.fromkeys([*self.experts, *compared]))

    @property
    def metric(self) -> str:
        """Of its α."""
        return self.options["metric"]

    @property
    def source_is_expert(self) -> bool:
        """Whether the source is a qrels: one label per document, no workers."""
        return self.source in self.collection.qrels

    @property
    def known_cuts(self) -> int:
        """How many cuts are tried, as far as the configuration tells (0: the data will)."""
        scale = self.collection.scale(self.source)
        known = [self.options["grid"], scale.levels - 1 if scale.finite else None]
        return math.comb(min(filter(None, known), default=0), self.levels - 1)

    def threads(self, few: int = 1_000_000) -> int:
        """One where there are few cuts: another job makes more of a core than it does.

        Where only the data will tell how many values there are, there are few as a rule.
        """
        return 1 if self.known_cuts <= few else 8

    @property
    def max_grades(self) -> dict[str, float]:
        """The highest level of each expert's scale."""
        return self.collection.max_grades(self.experts)

    @property
    def experts(self) -> list[str]:
        """The qrels that rank systems, if none is named those that no crowd's judgments made."""
        known, named = self.collection.qrels, self.options["experts"]
        if not self.collection.has_runs:
            return []
        return [name for name in known if "from" not in known[name]] if named is None else named

    @property
    def cuts_of_all(self) -> dict[str, list[float]]:
        """By name, the cuts given by hand that are the same for all topics."""
        cuts = self.options["cuts"]
        return {name: cut for name, cut in cuts.items() if not isinstance(cut, Mapping)}

    @cached_property
    def labellings_of_searches(self) -> dict[str, dict]:
        """By name: the search whose best cuts label, and their selection."""
        taus = [f"tau@{expert}" for expert in self.experts]
        return {
            f"{search}{'@single' * (selection == 'single')}": {
                "search": search,
                "selection": selection,
                "cut": None,
            }
            for search in (*self.searches, *taus)
            for selection in ("per-topic", "single")
        }

    @cached_property
    def labellings(self) -> dict[str, dict]:
        """By name, the cuts that judgments can be labelled by: of searches, and given by hand."""
        by_hand = {
            name if order == "at" else f"{name}@{order}": {
                "search": None,
                "selection": None,
                "cut": cut,
                "order": order,
            }
            for name, cut in self.options["cuts"].items()
            for order in ("at", "ta")
        }
        return {**self.labellings_of_searches, **by_hand}

    def how_to_label(self, labelling: str) -> dict[str, object]:
        """What `regrade.cutsearch.labels.Labelling.chosen` is told of a labelling."""
        options = self.labellings[labelling]
        method, _, reference = (options["search"] or "").partition("@")
        return {
            "method": method or None,
            "reference": reference or None,
            "selection": options["selection"],
            "cut": options["cut"],
            "order": options.get("order", "at"),
            **self.label_options,
        }

    @property
    def label_options(self) -> dict[str, object]:
        """How judgments become one label per document under any cut."""
        return {"levels": self.levels, "aggregate": self.options["aggregate"]}

    def needs(self, labelling: str) -> set[str]:
        """The sets that must be there before its judgments can be labelled so."""
        search = self.labellings[labelling]["search"]
        if search is None:
            return {self.source}
        return self.sets if search.startswith("tau@") else self.sets - set(self.experts)

    @cached_property
    def unserved(self) -> dict[str, str]:
        """Why each of the methods that the data cannot serve is left out; none that is named."""
        methods = CUT_METHODS.values() if self.options["methods"] is None else ()
        reasons = {method.name: self.why_unserved(method) for method in methods}
        return {name: f"{name} {reason}" for name, reason in reasons.items() if reason}

    @cached_property
    def searches(self) -> dict[str, Search]:
        """What to search, by name."""
        named = self.options["methods"]
        methods = CUT_METHODS.keys() - self.unserved.keys() if named is None else named
        searches = [
            Search(method.name, reference)
            for method in CUT_METHODS.values()
            if method.name in methods
            for reference in (self.references if method.needs_reference else [None])
        ]
        return {search.name: search for search in searches}

    def why_unserved(self, method) -> str:
        """Why the data cannot serve a method; empty if it can."""
        if method.needs_reference and not self.references:
            return "compares with a reference: name one under `references`"
        if self.source_is_expert:
            if method.name != "d2_at":
                return (
                    f"needs several workers' judgments, and {self.source} holds one label per "
                    "document: use d2_at"
                )
        elif method.unit_wise and not self.collection.units(self.source):
            return (
                f"compares unit by unit (HIT by HIT), and {self.source} has no units: use tw1, "
                "d2_at or d2_ta, or name its `unit` column"
            )
        return ""

"""Two sets of judgments of the same documents, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from regrade.api.sets import Judgments, Labels, read_runs, read_set
from regrade.comparing.compared import How, Side, compare_sets
from regrade.errors import did_you_mean
from regrade.schemas import ALL_TOPICS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 3
"""How many names a sentence lists."""


class Text(str):
    """Text that a notebook shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The text itself."""
        return str(self)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What changes from one set of judgments to another.

    Attributes
    ----------
    first, second
        What the sets are called.
    tables
        By name, as the stage ``compare`` of the workflow has them: ``facts``, ``agreement``,
        ``labels``, ``confusion``; with runs ``rankings``, ``systems``, ``top``, ``pairs``,
        ``pair_counts``, ``topics``, ``groups``, ``reliability``.  Each is an attribute as well.
    how
        The options.
    """

    first: str
    second: str
    tables: Mapping[str, pd.DataFrame]
    how: How

    def __getattr__(self, name: str) -> pd.DataFrame:
        """A table by its name."""
        tables = self.__dict__.get("tables", {})
        if name in tables:
            return tables[name]
        raise AttributeError(f"a comparison has no '{name}'{did_you_mean(name, tables)}")

    def __dir__(self) -> list[str]:
        """The tables among the rest."""
        return sorted({*super().__dir__(), *self.tables})

    @property
    def has_systems(self) -> bool:
        """Whether runs were given."""
        return "systems" in self.tables

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """A table by its name; by default the pairs of systems, without runs the agreement."""
        return getattr(self, table or ("pairs" if self.has_systems else "agreement"))

    def movers(self, count: int = 10) -> pd.DataFrame:
        """The systems that move furthest, by measure."""
        systems = self.systems.sort_values("move", key=abs, ascending=False, kind="stable")
        found = systems[systems["move"] != 0].groupby("measure", sort=False).head(count)
        order = list(dict.fromkeys(self.systems["measure"]))
        return found.sort_values("measure", key=lambda m: m.map(order.index), kind="stable")

    def changed_pairs(self) -> pd.DataFrame:
        """The pairs of systems whose significance appears, disappears or reverses."""
        kept = self.pairs["change"].isin(["appears", "disappears", "reverses"])
        return self.pairs[kept].reset_index(drop=True)

    def summary(self) -> Text:
        """In a few sentences: whether the evaluation would have come out differently."""
        lines = [f"{self.first} (first) and {self.second} (second)", *self._of_labels()]
        if self.has_systems:
            for measure in dict.fromkeys(self.systems["measure"]):
                lines += self._of_measure(measure)
        return Text("\n".join(lines))

    def plot(self, what: str | None = None) -> Figure:
        """Draw ``systems``, ``ranks``, ``pairs``, ``topics``, ``reliability`` or ``confusion``."""
        from regrade.api.drawing import draw_comparison

        return draw_comparison(self, what or ("systems" if self.has_systems else "confusion"))

    def __repr__(self) -> str:
        """The summary."""
        return f"<Comparison: {self.summary()}>"

    def _of_labels(self) -> list[str]:
        facts = self.facts.set_index("quantity")
        value, note = facts["value"], facts["note"]
        text = (
            f"Documents: {value['documents both']:,.0f} that both judged; {self.first} has "
            f"{value['documents first']:,.0f}, {self.second} {value['documents second']:,.0f}."
        )
        if note["same scale"]:
            return [text, f"Labels: {note['same scale']}."]
        whole = self.agreement[self.agreement["topic"] == ALL_TOPICS].iloc[0]
        found = [
            f"{name} {_interval(row)}"
            for name, row in zip(("α", "κ", "weighted κ"), self.labels.itertuples(), strict=True)
        ]
        more = f"{self.second} is {'higher' if whole['difference'] > 0 else 'lower'} by "
        more += f"{abs(whole['difference']):.2f} on average"
        return [text, f"Labels: equal for {whole['equal']:.1%}; {', '.join(found)}; {more}."]

    def _of_measure(self, measure: str) -> list[str]:
        of = self.rankings[self.rankings["measure"] == measure].set_index("quantity")
        counts = self.pair_counts[self.pair_counts["measure"] == measure]
        changes = counts.groupby("change")["pairs"].sum()
        facts = self.facts.set_index("quantity")["value"]
        n = f"{facts['systems']:.0f} systems on {facts['topics scored']:.0f} topics"
        found = ", ".join(
            f"{name} {_interval(of.loc[key])}"
            for name, key in (("τ_b", "tau"), ("τ_ap", "tau_ap"), ("RBO", "rbo"))
        )
        pairs = (
            f"  of {counts['pairs'].sum():,} pairs of systems significance stays for "
            f"{changes['stays']:,}, appears for {changes['appears']:,}, disappears for "
            f"{changes['disappears']:,}, reverses for {changes['reverses']:,}"
        )
        return [
            f"{measure}, {n}: {found}",
            pairs,
            f"  {self._best(measure)}; {self._moving(measure)}",
            f"  {self._halves(measure)}",
        ]

    def _best(self, measure: str) -> str:
        of = self.systems[self.systems["measure"] == measure]
        before, after = (
            sorted(of.loc[of[rank] == 1, "system"]) for rank in ("first_rank", "second_rank")
        )
        if before == after:
            return f"best under both: {_listed(before)}"
        return f"best: {_listed(before)}, then {_listed(after)}"

    def _moving(self, measure: str) -> str:
        movers = self.movers(SHOWN)
        of = movers[movers["measure"] == measure]
        if of.empty:
            return "no system moves"
        moves = (f"{row.system} {row.move:+d}" for row in of.itertuples())
        return f"furthest: {', '.join(moves)}"

    def _halves(self, measure: str) -> str:
        of = self.reliability[
            (self.reliability["measure"] == measure) & (self.reliability["quantity"] == "tau")
        ].set_index("of")
        if of["value"].isna().all():
            return "halves of the topics: undefined"
        value = of["value"]
        return (
            f"halves of the topics: τ_b {value['first']:.3f} under the first, "
            f"{value['second']:.3f} under the second, {value['between']:.3f} with one each; the "
            f"sets add {_interval(of.loc['excess'])}"
        )


def compare(
    first: object,
    second: object,
    runs: object = None,
    measures: Sequence[str] | str = ("nDCG@10", "AP"),
    *,
    scale: object = None,
    same_scale: bool | None = None,
    groups: Mapping[str, str] | None = None,
    names: tuple[str, str] | None = None,
    **how: object,
) -> Comparison:
    """Would the evaluation have come out differently under another set of judgments?

    Parameters
    ----------
    first, second
        Labels or judgments, whatever `regrade.read_qrels` and `regrade.read_judgments` take; of
        judgments the median of a document's values counts.
    runs
        Whatever `regrade.read_runs` takes; ``None``: labels only.
    measures
        Of the systems; a list, or one text with blanks between them.
    scale
        Of both sets, as for `regrade.read_qrels`.
    same_scale
        Whether grades mean the same in both sets; ``None``: if both were told the same scale or,
        told none, their highest grades are the same.
    groups
        Group by system; by default those that the runs were read with.
    names
        What to call the sets.
    **how
        Options of `regrade.comparing.compared.How`: metric, weights, documents, test, correction,
        significance, persistence, tops, resamples, splits, seed.

    Returns
    -------
    Comparison

    Raises
    ------
    RegradeError
        If something cannot be read, the sets share no document, or an option cannot be used.

    Examples
    --------
    >>> nist = {"401": {"d1": 1, "d2": 0, "d3": 1}}
    >>> model = {"401": {"d1": 1, "d2": 1, "d3": 1}}
    >>> compare(nist, model).agreement["equal"].tolist()[0]
    0.6666666666666666
    """
    called = names or (_name(first, "first"), _name(second, "second"))
    sets = [
        read_set(one, scale=scale, name=name)
        for one, name in zip((first, second), called, strict=True)
    ]
    own = [one.name for one in sets] if names is None else list(names)
    if own[0] == own[1]:
        own = [f"{own[0]} (first)", f"{own[1]} (second)"]
    sides = [Side(name, one.table, _highest(one)) for name, one in zip(own, sets, strict=True)]
    options = checked_how(how)
    ranked = None
    if runs is not None:
        runs = read_runs(runs)
        ranked, groups = runs.ranked, groups or runs.groups
    if isinstance(measures, str):
        measures = measures.split()
    is_same = _is_same_scale(*sets) if same_scale is None else same_scale
    tables = compare_sets(*sides, ranked, measures, options, groups=groups, same_scale=is_same)
    return Comparison(own[0], own[1], tables, options)


def checked_how(how: Mapping[str, object]) -> How:
    """Options that exist, as one object."""
    from regrade.errors import ParameterError

    known = How.__dataclass_fields__
    for name in how:
        if name not in known:
            problem = f"there is no option '{name}' of a comparison{did_you_mean(name, known)}"
            raise ParameterError(problem)
    return How(**how)


def _name(source: object, role: str) -> str | None:
    """Files and sets have names of their own."""
    from os import PathLike

    return None if isinstance(source, Labels | Judgments | str | PathLike) else role


def _highest(one: Labels | Judgments) -> float | None:
    return None if one.told is None else one.told.high


def _is_same_scale(first: Labels | Judgments, second: Labels | Judgments) -> bool:
    if first.told is not None and second.told is not None:
        return first.told == second.told
    return bool(first.values.max() == second.values.max())


def _interval(row: object) -> str:
    if pd.isna(row.value):
        return "undefined"
    if pd.isna(row.low):
        return f"{row.value:.3f}"
    return f"{row.value:.3f} [{row.low:.3f}, {row.high:.3f}]"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")

"""Does a judge favour some systems?

The light is fine where no judge significantly favours or disfavours a family, a problem where a
judge favours its own family, else to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from regrade.answers.changed import estimate
from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable, interval
from regrade.answers.words import by_quantity, listed, named, of_measure, percent
from regrade.favours.documents import OTHERS, SHARED, UNIQUE
from regrade.favours.effects import FEWEST, NEIGHBOURS
from regrade.favours.family_favour import (
    ALL,
    CONTROL,
    DISFAVOURS,
    EQUAL,
    FAVOURS,
    NOT_COMPARABLE,
    REFERENCE,
    THRESHOLD,
    baseline_of,
)
from regrade.favours.stage import Favour
from regrade.wording import counted, number, to_be

TABLES = tuple(
    f"favour/{name}"
    for name in ("effects", "own", "judges", "families", "changes", "variance", "documents",
                 "numbers")
)  # fmt: skip

ENDS = ["low", "high"]

SIMULTANEOUS = "simultaneous 95% CI"

MOST_ROWS = 200
"""Of the small table."""

NAMED_PAIRS = 3
"""Up to so many pairs of judge and family have their names in a sentence."""

FACTS = 3
"""Sentences beside the verdict."""


def answer(
    tables: Mapping[str, pd.DataFrame], reference: str, controls: Sequence[str] = ()
) -> Answer:
    """The answer from the tables ``favour/…``: of the first measure."""
    measure, *others = dict.fromkeys(tables["effects"]["measure"].astype(str))
    of = _MeasureAnswer(tables, measure, reference, controls)
    sentences = [of.own_families(), of.pairs(), of.carried(), of.changed(), of.power()]
    sentences.append(of.variance())
    sentences = [*filter(None, sentences)][: FACTS + 1]
    return Answer.of(
        Favour.question,
        sentences,
        key=of.key(),
        light=of.light(),
        rows=of.rows(),
        method=of.method(),
        notes=[*of.notes(), *_further(tables, others)],
        tables=TABLES,
    )


class _MeasureAnswer:
    """What is said of one measure."""

    def __init__(
        self,
        tables: Mapping[str, pd.DataFrame],
        measure: str,
        reference: str,
        controls: Sequence[str],
    ):
        own = {name: of_measure(tables[name.rpartition("/")[2]], measure) for name in TABLES}
        self.of = {name.rpartition("/")[2]: table for name, table in own.items()}
        numbers = tables["numbers"].astype({"measure": str})
        self.numbers = by_quantity(numbers[numbers["measure"].isin(["", measure])])
        self.measure, self.reference = measure, reference
        used = set(self.of["judges"].query("topics > 0")["judge"].astype(str))
        self.controls = [one for one in controls if one in used]
        effects = self.of["effects"].astype({"beside": str, "peers": str, "judge": str,
                                             "family": str, "verdict": object})  # fmt: skip
        self.beside = baseline_of(effects)
        self.effects = effects[~effects["is_control"].astype(bool)]
        self.headline = self._headline()
        has_verdict = self.headline["p_adjusted"].notna()
        has_verdict &= self.headline["verdict"] != NOT_COMPARABLE
        self.tested = self.headline[has_verdict]

    def _headline(self) -> pd.DataFrame:
        """At equal quality, less the control if any: the clearest first, without verdict last."""
        every = self.effects[self.effects["beside"] == self.beside]
        rows = every[every["peers"] == EQUAL]
        plain = every[every["peers"] == ALL].set_index(["judge", "family"])["favour"]
        place = pd.MultiIndex.from_frame(rows[["judge", "family"]])
        rows = rows.assign(plain=plain.reindex(place).to_numpy())
        order = rows.assign(size=-rows["favour"].abs())
        order["apart"] = order["verdict"] == NOT_COMPARABLE
        keys = ["apart", "p_adjusted", "size"]
        order = order.sort_values(keys, kind="stable", na_position="last")
        return rows.loc[order.index].reset_index(drop=True)

    @property
    def control(self) -> str:
        """The controls by name."""
        return named(self.controls, "control")

    @property
    def beyond(self) -> str:
        return f" beyond {self.control}" if self.beside == CONTROL else ""

    def _of(self, *verdicts: str) -> pd.DataFrame:
        return self.headline[self.headline["verdict"].isin(verdicts)]

    def pairs(self) -> str:
        """Which judges favour or disfavour which families."""
        if self.tested.empty:
            return self._untested()
        rows, test = self._of(FAVOURS, DISFAVOURS), f"({self.measure}, {SIMULTANEOUS}s)"
        if len(self.tested) == 1:
            row = self.tested.iloc[0]
            of = estimate("Δ", row["favour"], row[["low", "high"]], 3)
            word = "does not significantly favour or disfavour"
            word = f"significantly {row['verdict']}" if len(rows) else word
            family = f"{row['family']} systems{self.beyond}"
            return f"{row['judge']} {word} {family} ({self.measure}, {of})."
        if not len(rows):
            pairs = counted(len(self.tested), "pair")
            return (
                f"No judge significantly favours or disfavours a family{self.beyond} "
                f"({self.measure}, {pairs} of judge and family, max-t, α = 0.05)."
            )
        if len(rows) == 1:
            row = rows.iloc[0]
            of = estimate("Δ", row["favour"], row[["low", "high"]], 3, SIMULTANEOUS)
            test = f"({self.measure}, {of})"
        if len(rows) <= NAMED_PAIRS:
            by_judge = (
                f"{judge} {listed([f'{r.verdict} {r.family} systems' for r in of.itertuples()])}"
                for judge, of in rows.groupby("judge", sort=False)
            )
            return f"{listed([*by_judge])}{self.beyond} {test}."
        favoured, disfavoured = len(self._of(FAVOURS)), len(self._of(DISFAVOURS))
        return (
            f"{favoured:,} of {counted(len(self.tested), 'pair')} of judge and family show "
            f"favour and {disfavoured:,} disfavour{self.beyond} {test}."
        )

    def _untested(self) -> str:
        topics = int(self._topics())
        if topics < FEWEST:
            return f"Favour is not tested: {counted(topics, 'topic')}, and a test needs {FEWEST}."
        why = "no two systems of the same family differ reliably in quality"
        if self.headline["p_adjusted"].notna().any():
            why = "no family has other systems of similar quality"
        return f"Favour is not tested at equal quality: {why}."

    def _topics(self) -> float:
        whole = self.numbers["topics"]
        return self.numbers["controlled topics"] if self.beside == CONTROL else whole

    def key(self) -> str:
        """How many own families are favoured if any, else how many pairs show favour."""
        if self.tested.empty:
            return ""
        own = self.of["own"]["verdict"].astype(object)
        if (own == FAVOURS).any():
            families = counted(len(own), "own family", "own families")
            return f"{(own == FAVOURS).sum():,} of {families} favoured"
        favoured = int(self.numbers[FAVOURS])
        return f"{favoured:,} of {counted(len(self.tested), 'pair')} favoured"

    def light(self) -> str:
        """Whether a judge favours its own family, or any."""
        if self.tested.empty:
            return ""
        own = self.of["own"]
        if (own["verdict"].astype(object) == FAVOURS).any():
            return PROBLEM
        return LOOK if len(self._of(FAVOURS, DISFAVOURS, THRESHOLD)) else FINE

    def rows(self) -> AnswerTable | None:
        """A row for each judge and family, the clearest first."""
        topics = counted(self._topics(), "topic")
        beside = f"{self.reference}{f' and {self.control}' if self.beside == CONTROL else ''}"
        has_own = bool(len(self.of["own"]))
        columns = [
            AnswerColumn("judge"), AnswerColumn("family"),
            *[AnswerColumn("own", "mark")] * has_own,
            AnswerColumn("favour", "estimate", 3, "simult. 95% CI"),
            AnswerColumn("p (max-t)", "p"), AnswerColumn("all systems", "number"),
            AnswerColumn("detectable", "number"),
        ]  # fmt: skip
        rows, apart = self.headline, self.headline["verdict"] == NOT_COMPARABLE
        rows = rows.assign(
            family=rows["family"].mask(apart, rows["family"] + f" ({NOT_COMPARABLE})")
        )
        rows.loc[apart, ["p_adjusted", "detectable"]] = None
        cells = (
            (r.judge, r.family, *[bool(r.is_own)] * has_own, (r.favour, r.low, r.high),
             r.p_adjusted, r.plain, r.detectable)
            for r in rows.head(MOST_ROWS).itertuples()
        )  # fmt: skip
        return AnswerTable.of(f"{self.measure} · beside {beside} · {topics}", columns, cells)

    def own_families(self) -> str:
        """Judges and their own families, corrected among these alone."""
        own = self.of["own"].astype({"judge": str, "family": str, "verdict": object})
        own = own[own["p_adjusted"].notna() & (own["verdict"] != NOT_COMPARABLE)]
        own = own.sort_values("p_adjusted", kind="stable")
        if not len(own):
            return ""
        row, favoured = own.iloc[0], own[own["verdict"] == FAVOURS]
        kind = SIMULTANEOUS if len(own) > 1 else "95% CI"
        inference = estimate("Δ", row["favour"], row[["low", "high"]], 3, kind)
        inference = f"({self.measure}, {inference})"
        if len(own) == 1:
            word = "significantly favours" if len(favoured) else "does not significantly favour"
            return f"{row['judge']} {word} its own family {row['family']}{self.beyond} {inference}."
        if not len(favoured):
            pairs = counted(len(own), "pair")
            return (
                f"No judge significantly favours its own family{self.beyond} ({self.measure}, "
                f"{pairs} of judge and own family, max-t, α = 0.05)."
            )
        if len(favoured) == 1:
            row = favoured.iloc[0]
            inference = estimate("Δ", row["favour"], row[["low", "high"]], 3, kind)
            judges = f"{row['judge']}, the only one of {len(own):,},"
            return (
                f"{judges} favours its own family {row['family']}{self.beyond} "
                f"({self.measure}, {inference})."
            )
        return (
            f"{named(favoured['judge'].tolist(), 'judge')} of {counted(len(own), 'pair')} favour "
            f"their own family{self.beyond} ({self.measure}, {SIMULTANEOUS}s)."
        )

    def changed(self) -> str:
        """What the clearest favour changes of the first systems and of pairs."""
        if (row := self._clearest()) is None:
            return ""
        of = self.of["changes"].astype({"judge": str, "family": str})
        of = of[(of["judge"] == row["judge"]) & (of["family"] == row["family"])].iloc[0]
        return (
            f"Under {row['judge']}, {of['first']:,} {row['family']} "
            f"{'system is' if of['first'] == 1 else 'systems are'} in the top "
            f"{self.numbers['first systems']:.0f}, {of['first_reference']:,} under "
            f"{self.reference} and {of['first_without']:,} without the favour. "
            f"{of['turned_for']:,} of {counted(of['pairs'], 'pair')} with other systems change "
            f"order for the family and {of['turned_against']:,} against it."
        )

    def _clearest(self) -> pd.Series | None:
        """The judge and family of the clearest favour; None if none is significant."""
        own = self.of["own"]
        rows = pd.concat([
            own[own["verdict"].astype(object) == FAVOURS].sort_values("p_adjusted", kind="stable"),
            self._of(FAVOURS),
            self._of(DISFAVOURS),
        ])  # fmt: skip
        return rows.iloc[0] if len(rows) else None

    def carried(self) -> str:
        """What documents carry of the clearest favour."""
        row, texts = self._clearest(), ("judge", "family", "beside", "peers", "carriers")
        of = self.of["documents"].astype(dict.fromkeys(texts, str))
        if row is None or of.empty:
            return ""
        of = of[(of["judge"] == row["judge"]) & (of["family"] == row["family"])]
        of = of[(of["beside"] == self.beside) & (of["peers"] == EQUAL)].set_index("carriers")
        if of.empty:
            return ""
        parts = []
        for name in (UNIQUE, SHARED, OTHERS):
            part = of.loc[name]
            ends = "" if pd.isna(part["low"]) else f" (95% CI {interval(*part[ENDS])})"
            parts.append(f"{number(part['carried'])}{ends}")
        return (
            f"The favour of {number(row['favour'])} is the sum of {parts[0]} from documents unique "
            f"to {row['family']} systems, {parts[1]} from documents shared with other systems and "
            f"{parts[2]} from others."
        )

    def power(self) -> str:
        """The least favour that would have been detected."""
        detectable = self.tested["detectable"].dropna()
        if not len(detectable):
            return ""
        least, most = (number(end) for end in (detectable.min(), detectable.max()))
        span = least if least == most else f"{least} to {most}, depending on judge and family"
        topics = counted(self._topics(), "topic")
        return f"Minimum detectable favour (80% power, {topics}): {span}."

    def variance(self) -> str:
        """Which share of the differences in means is of judge and family."""
        of = self.of["variance"].astype({"of": str, "axis": str, "other": object})
        of = of[of["of"] == "means"].set_index("other")["first_order"]
        if self.headline["judge"].nunique() < 2 or not of.get("system") > 0:
            return ""
        share, part = percent(of["system"]), percent(of["family"])
        return (
            f"Judge × system accounts for {share} of the variance of the judges' mean differences "
            f"from {self.reference}, judge × family for {part}."
        )

    def method(self) -> str:
        """What was estimated, with test, interval, n and seed."""
        numbers = self.numbers
        less = ""
        if self.beside == CONTROL:
            less = f", less the same for {self.control}"
            less += " (mean over controls)" if len(self.controls) > 1 else ""
        return (
            f"Favour is a difference in differences: {self.measure} under the judge less that "
            f"under {self.reference}, of a family's systems less the {NEIGHBOURS} other systems "
            f"nearest in quality{less}, in the mean over topics. Remaining differences in quality "
            "are adjusted by the slope of the difference on quality within families, estimated "
            "across topics. "
            f"{counted(numbers['shared documents'], 'document')} of "
            f"{numbers['documents of the reference']:,.0f} were labelled by all label sets. "
            "Simultaneous 95% CIs and p-values are by the studentised maximum (max-t) over "
            f"{counted(numbers['pairs'], 'pair')} of judge and family in {numbers['draws']:,.0f} "
            f"bootstrap samples of {counted(self._topics(), 'topic')}, seed {numbers['seed']:.0f}; "
            f"systems and families are fixed.{self._own_method()}"
        )

    def _own_method(self) -> str:
        if len(self.of["own"]) < 2:
            return ""
        pairs = f"{len(self.of['own']):,} pairs"
        return f" Judges and their own families are also corrected among these {pairs} alone."

    def notes(self) -> Iterator[str]:
        """What a user would not expect."""
        numbers = self.numbers
        families = self.of["families"].astype({"family": str})
        if not self.controls:
            yield (
                "Without a control (`--control`), any second person's differences from "
                f"{self.reference} count as favour."
            )
        if numbers["topics left out"]:
            topics = counted(numbers["topics left out"], "topic")
            yield f"{topics} without a document that all label sets judged: left out."
        lacking = numbers["topics"] - numbers["controlled topics"]
        if self.beside == CONTROL and lacking:
            topics = counted(lacking, "topic")
            yield f"{topics} without labels of a control: used beside {self.reference} only."
        if self.beside == REFERENCE and self.controls:
            topics = counted(numbers["controlled topics"], "topic")
            yield (
                f"{self.control} labelled {topics}, too few for a test: favour is beside "
                f"{self.reference}, and what any second person does differently counts as favour."
            )
        if len(apart := families[~families["is_comparable"].astype(bool)]):
            yield (
                f"{named(apart['family'].tolist(), 'family', 'families')}: too few other systems "
                f"of similar quality under {self.reference}, so no verdict at equal quality (gap "
                f"of more than {numbers['comparable']:g} standard deviations)."
            )
        near = self._of(THRESHOLD)
        if len(near):
            pairs = counted(len(near), "pair")
            yield (
                f"{pairs} of judge and family {to_be(len(near))} at the threshold of "
                "significance, within three Monte Carlo errors."
            )
        for name in self._copies():
            yield (
                f"{name} gives all systems the same scores as {self.reference} on every topic; its "
                "labels may be a copy."
            )
        judges = self.of["judges"].astype({"judge": str})
        for name in judges.loc[judges["topics"] == 0, "judge"]:
            yield (
                f"{name} labelled fewer than half of the documents of every topic that all others "
                "labelled: not used."
            )
        without = judges[judges["without_gain"] > 0]
        if len(without):
            most = without.loc[without["without_gain"].idxmax()]
            yield (
                f"{named(without['judge'].tolist(), 'label set')} {to_be(len(without))} without a "
                f"relevant document on some topics, where all systems score 0 (at most "
                f"{counted(most['without_gain'], 'topic')}, {most['judge']})."
            )

    def _copies(self) -> list[str]:
        """Label sets under which all scores are those under the reference."""
        judges = self.of["judges"].astype({"judge": str})
        rows = judges[(judges["difference"] == 0) & (judges["slope"].fillna(0.0) == 0)]
        return rows["judge"].tolist()


def _further(tables: Mapping[str, pd.DataFrame], measures: Sequence[str]) -> Iterator[str]:
    """How many pairs further measures find."""
    numbers = tables["numbers"].astype({"measure": str})
    for measure in measures:
        of = by_quantity(numbers[numbers["measure"] == measure])
        pairs = counted(of["pairs"] - of[NOT_COMPARABLE], "pair")
        yield (
            f"By {measure}, {of[FAVOURS]:.0f} of {pairs} of judge and "
            f"family {'is' if of[FAVOURS] == 1 else 'are'} favoured and {of[DISFAVOURS]:.0f} "
            "disfavoured."
        )

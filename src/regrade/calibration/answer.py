"""Is a cut of a judge's values enough, or are probabilities of grades worth having?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import MEAN_OVER_TOPICS, alpha_of, signed, with_interval
from regrade.calibration.stage import Calibration
from regrade.evaluations.judge_differences import MARGIN
from regrade.wording import counted

TABLES = ("calibration/rankings", "calibration/methods", "calibration/sets")

LABELS, PRIOR, BY_TOPIC = "labels", "prior", "by topic"
"""Methods that sentences name (`regrade.calibration`)."""

TOLD = 0.9
"""Of the sets that are told of, how often they are to hold the grade."""


def answer(
    tables: Mapping[str, pd.DataFrame], reference: str, levels: int, metric: str = "ordinal"
) -> Answer:
    """Of the first judge a verdict and facts, of each further one a verdict."""
    judges = list(dict.fromkeys(tables["methods"]["judge"].astype(str)))
    first, *others = (_JudgeAnswer(tables, judge, reference, metric) for judge in judges)
    topics = int(first.methods["topics"].max())
    return Answer.of(
        Calibration.question,
        [
            first.verdict(),
            *first.facts(),
            first.sets(levels),
            *(one.verdict() for one in others),
        ],
        method="Labels are those of the best cut of the values (as they are on the scale of "
        f"{reference}); probabilities are learned by several maps, of which the best is told. "
        "Neither has seen the topics that it is held beside; means over "
        f"{counted(topics, 'topic')}.",
        notes=first.warned(),
        tables=TABLES,
    )


def _value_said(row: pd.Series) -> str:
    """The value of a row, and its interval."""
    return with_interval(row["value"], row["value_low"], row["value_high"], 3)


class _JudgeAnswer:
    """The rows of one judge."""

    def __init__(self, tables: Mapping[str, pd.DataFrame], judge: str, reference: str, metric: str):
        def own(name: str) -> pd.DataFrame:
            table = tables[name]
            return table[table["judge"].astype(str) == judge].astype({"method": str})

        self.judge, self.reference = judge, reference
        self.alpha = alpha_of(metric, MEAN_OVER_TOPICS)
        self.rankings, self.sets_made = own("rankings"), own("sets")
        self.methods = own("methods").astype({"left_out": str, "quantity": str})

    def _of(self, quantity: str, left_out: str = "topics") -> pd.DataFrame:
        """A quantity by method."""
        chosen = (self.methods["quantity"] == quantity) & (self.methods["left_out"] == left_out)
        return self.methods[chosen].set_index("method")

    @staticmethod
    def _best(values: pd.DataFrame, lowest: bool) -> pd.Series:
        """The best of the maps that know the judge."""
        maps = values.drop([LABELS, PRIOR], errors="ignore")
        order = maps["value"].sort_values(ascending=lowest, kind="stable")
        return maps.loc[order.index[0]].rename(order.index[0])

    def _brier(self) -> tuple[pd.Series, float]:
        """Brier's score of the best map, and without the judge."""
        brier = self._of("brier")
        return self._best(brier, lowest=True), brier.loc[PRIOR, "value"]

    def verdict(self) -> str:
        """Whether probabilities rank systems, or label documents, better than the labels."""
        rows = self._ranked()
        if rows is None:
            return self.labels_said()
        maps = rows.drop([LABELS, PRIOR], errors="ignore")
        best, labels = maps.iloc[0], rows.loc[LABELS]
        taus = (
            f"τ_b with the ranking by {self.reference} is {signed(labels['tau'], 3)} under labels "
            f"and {signed(best['tau'], 3)} under probabilities ({best['measure']})"
        )
        if labels["verdict"] == "worse":
            return f"A cut of {self.judge} is not enough to rank systems: {taus}."
        if labels["verdict"] == "best" and best["verdict"] == "worse":
            return f"A cut of {self.judge} ranks systems better than probabilities do: {taus}."
        other = best if labels["verdict"] == "best" else labels
        if other["verdict"] == "as good":
            return (
                f"To rank systems a cut of {self.judge} does as well as probabilities of grades, "
                f"within {MARGIN:g} of τ_b: {taus}."
            )
        size = ""
        if pd.notna(other["low"]):
            size = f", a difference of {with_interval(*other[['difference', 'low', 'high']], 3)}"
        return (
            f"A cut of {self.judge} and probabilities of grades do not differ significantly in "
            f"how they rank systems: {taus}{size}."
        )

    def _ranked(self) -> pd.DataFrame | None:
        """The first measure's rows by method; ``None`` where no τ_b can be held beside another."""
        rows = self.rankings
        rows = rows[rows["measure"] == rows["measure"].iloc[0]] if len(rows) else rows
        rows = rows.set_index("method")
        maps = rows.drop([LABELS, PRIOR], errors="ignore")
        if LABELS not in rows.index or pd.isna(rows.at[LABELS, "tau"]) or maps["tau"].isna().all():
            return None
        return rows

    def labels_said(self) -> str:
        """How the likeliest middle levels agree with the reference, beside the labels."""
        alpha = self._of("alpha")
        best = self._best(alpha, lowest=False)
        if LABELS not in alpha.index or pd.isna(best["difference"]):
            return (
                f"Of {self.judge} there are no labels on the scale of {self.reference}: the middle "
                f"levels of its probabilities have an {self.alpha} of {signed(best['value'], 3)}."
            )
        labels = alpha.loc[LABELS]
        # constant labels have an α below that of noise, which says nothing of either
        lows = pd.Series([best["value_low"], labels["value_low"]])
        if lows.max() <= 0:  # not of few topics, where there is none
            return (
                f"Neither the middle levels of {self.judge}'s probabilities nor its labels under "
                f"the best cut agree significantly with {self.reference}: {self.alpha} "
                f"{_value_said(best)} and {_value_said(labels)}."
            )
        values = f"{self.alpha} {signed(best['value'], 3)} beside {signed(labels['value'], 3)}"
        if best["low"] > 0:
            said = "agree more than its labels under the best cut"
        elif best["high"] < 0:
            said = "agree less than its labels under the best cut"
        else:
            said = "do not differ significantly from its labels under the best cut in agreement"
        return f"The middle levels of {self.judge}'s probabilities {said}: {values}."

    def facts(self) -> Iterator[str]:
        """How near probabilities are to the grades, also where topics have some labels."""
        if self._ranked() is not None:
            yield self.labels_said()
        best, prior = self._brier()
        yield (
            f"Brier's score of probabilities ({best.name}) is {signed(best['value'], 3)}; without "
            f"the judge it is {signed(prior, 3)} (low is good)."
        )
        within = self._of("brier", "documents")
        if BY_TOPIC in within.index:
            yield (
                "With labels of other documents of the same topic it is "
                f"{signed(within.loc[BY_TOPIC, 'value'], 3)}."
            )

    def sets(self, levels: int) -> str:
        """How many levels hold the grade of a new topic's document in nine of ten cases."""
        of = self.sets_made[(self.sets_made["target"] - TOLD).abs() < 1e-9]
        of = of[of["method"] != PRIOR].sort_values("size", kind="stable")
        if of.empty:
            return ""
        best = of.iloc[0]
        return (
            f"Sets that are to hold the grade in {best['target']:.0%} of cases hold it in "
            f"{best['covered']:.0%} and have {best['size']:.1f} of the {levels} levels on average; "
            f"{best['one_level']:.0%} of them have one."
        )

    def warned(self) -> Iterator[str]:
        """Where the judge says nothing."""
        best, prior = self._brier()
        if best["value"] >= prior:
            yield f"{self.judge} says nothing of the grades: without it they are guessed as well."

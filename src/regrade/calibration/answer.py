"""Are thresholded grades enough, or are calibrated probabilities better?

The light is fine where thresholded grades of the first judge are the better ones or equivalent, a
problem where its scores predict no grades.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable, interval
from regrade.answers.words import MEAN_OVER_TOPICS, alpha_of, percent, with_interval
from regrade.calibration.stage import Calibration
from regrade.evaluations.judge_differences import BEST, MARGIN, NON_INFERIOR, WORSE
from regrade.wording import counted, number

TABLES = ("calibration/rankings", "calibration/methods", "calibration/sets")

LABELS, PRIOR, BY_TOPIC = "labels", "prior", "by topic"
"""Methods that sentences name (`regrade.calibration`)."""

NOMINAL = 0.9
"""Coverage that the prediction sets of the answer are made for."""


def answer(
    tables: Mapping[str, pd.DataFrame], reference: str, levels: int, metric: str = "ordinal"
) -> Answer:
    """A row for each judge; verdict and facts are of the first."""
    judges = list(dict.fromkeys(tables["methods"]["judge"].astype(str)))
    every = [_JudgeAnswer(tables, judge, reference, metric) for judge in judges]
    first = every[0]
    return Answer.of(
        Calibration.question,
        [first.verdict(), *first.facts(levels)],
        key=first.key(),
        light=first.light(),
        rows=judges_table(every, reference, levels),
        method=method(first, tables["rankings"]),
        notes=[note for one in every for note in one.notes()],
        tables=TABLES,
    )


def judges_table(judges: list[_JudgeAnswer], reference: str, levels: int) -> AnswerTable | None:
    """Each judge's thresholded grades and calibrated probabilities."""
    ranked = [one.ranked() for one in judges]
    columns = [AnswerColumn("judge")]
    if any(rows is not None for rows in ranked):
        columns += [
            AnswerColumn("τ_b thresholded", "number"), AnswerColumn("τ_b calibrated", "number"),
            AnswerColumn("Δτ_b", "estimate"),
        ]  # fmt: skip
    columns += [
        AnswerColumn("α thresholded", "number"), AnswerColumn("α calibrated", "number"),
        AnswerColumn("Δα", "estimate"), AnswerColumn("Brier", "number"),
        AnswerColumn("without judge", "number"),
    ]  # fmt: skip
    cells = [one.cells(len(columns) > 6) for one in judges]
    topics = counted(judges[0].methods["topics"].max(), "topic")
    return AnswerTable.of(f"grades of {reference} · {levels} levels · {topics}", columns, cells)


def method(first: _JudgeAnswer, rankings: pd.DataFrame) -> str:
    """What was computed, with folds, interval and seed."""
    of = first.methods.iloc[0]
    sentences = [
        f"Grades by thresholds that maximise {first.alpha} with {first.reference} were compared "
        "with calibrated probabilities of grades (isotonic regression, proportional odds; the best "
        f"map of each judge). Both were evaluated on held-out topics ({of['folds']:.0f}-fold "
        f"cross-validation over {counted(of['topics'], 'topic')}, seed {of['seed']:.0f}); the "
        "calibrated grade of a document is the median of its probabilities. Δα is calibrated less "
        "thresholded, the mean over topics with a 95% confidence interval (Student's t, widened "
        "for what the folds share)."
    ]
    if len(rankings):
        sentences.append(
            "Δτ_b, the lower τ_b with the reference's ranking less the higher, has a simultaneous "
            f"95% confidence interval (bootstrap over topics, {rankings['resamples'].iloc[0]:,.0f} "
            f"samples); differences within {MARGIN:g} count as equivalent."
        )
    return " ".join(sentences)


def _estimate(value: float, low: float, high: float, name: str) -> str:
    """``Δα = 0.10, 95% CI 0.05–0.15``."""
    text = f"{name} = {number(value, 3)}"
    return text if pd.isna(low) else f"{text}, 95% CI {interval(low, high)}"


class _JudgeAnswer:
    """The rows of one judge."""

    def __init__(self, tables: Mapping[str, pd.DataFrame], judge: str, reference: str, metric: str):
        def own(name: str) -> pd.DataFrame:
            table = tables[name]
            return table[table["judge"].astype(str) == judge].astype({"method": str})

        self.judge, self.reference = judge, reference
        self.alpha = alpha_of(metric, MEAN_OVER_TOPICS)
        self.rankings, self.prediction_sets = own("rankings"), own("sets")
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
        """Brier score of the best map, and without the judge."""
        brier = self._of("brier")
        return self._best(brier, lowest=True), brier.loc[PRIOR, "value"]

    def ranked(self) -> pd.DataFrame | None:
        """The first measure's rows by method; ``None`` where no two τ_b can be compared."""
        rows = self.rankings
        rows = rows[rows["measure"] == rows["measure"].iloc[0]] if len(rows) else rows
        rows = rows.set_index("method")
        maps = rows.drop([LABELS, PRIOR], errors="ignore")
        if LABELS not in rows.index or pd.isna(rows.at[LABELS, "tau"]) or maps["tau"].isna().all():
            return None
        return rows

    def _taus(self) -> tuple[pd.Series, pd.Series, tuple[float, float, float]]:
        """Rows of the labels and of the best map; the lower τ_b less the higher, with its interval.

        The interval is of the difference from the best method, so that one of the two must be it.
        """
        rows = self.ranked()
        labels, best = rows.loc[LABELS], rows.drop([LABELS, PRIOR], errors="ignore").iloc[0]
        ends = ["difference", "low", "high"]
        if best["verdict"] == BEST:
            return labels, best, tuple(labels[ends])
        if labels["verdict"] == BEST:
            return labels, best, tuple(best[ends])
        return labels, best, (float("nan"),) * 3

    def key(self) -> str:
        """The two values that the verdict compares."""
        if self.ranked() is not None:
            labels, best, _ = self._taus()
            name, values = "τ_b", (labels["tau"], best["tau"])
        else:
            labels, best = self._alphas()
            name, values = "α", (labels["value"] if labels is not None else None, best["value"])
        thresholded, calibrated = values
        if thresholded is None:
            return f"{name} = {number(calibrated, 3)} calibrated"
        return f"{name} = {number(thresholded, 3)} thresholded, {number(calibrated, 3)} calibrated"

    def light(self) -> str:
        """Whether thresholded grades do, or the judge's scores predict no grades."""
        brier, prior = self._brier()
        if brier["value"] >= prior:
            return PROBLEM
        if self.ranked() is not None:
            labels, best, _ = self._taus()
            other = best if labels["verdict"] == BEST else labels
            is_enough = labels["verdict"] == BEST and other["verdict"] == WORSE
            return FINE if is_enough or other["verdict"] == NON_INFERIOR else LOOK
        labels, best = self._alphas()
        if labels is None:
            return LOOK
        if self._is_noise(labels, best):
            return PROBLEM
        return FINE if best["high"] < 0 else LOOK

    def verdict(self) -> str:
        """Whether thresholded grades rank systems, or agree, as well as calibrated ones."""
        if self.ranked() is None:
            return self.agreement()
        labels, best, ends = self._taus()
        thresholded, calibrated = "thresholded grades", "calibrated probabilities"
        size = "" if pd.isna(ends[1]) else f" ({_estimate(*ends, 'Δτ_b')})"
        if labels["verdict"] == WORSE:
            worse, better = thresholded, calibrated
        elif labels["verdict"] == BEST and best["verdict"] == WORSE:
            worse, better = calibrated, thresholded
        elif (best if labels["verdict"] == BEST else labels)["verdict"] == NON_INFERIOR:
            taus = f"τ_b {number(labels['tau'], 3)} vs {number(best['tau'], 3)}"
            return (
                f"Thresholded grades of {self.judge} rank systems equivalently to {calibrated} "
                f"({taus}; equivalence margin {MARGIN:g})."
            )
        else:
            return (
                f"Thresholded grades and {calibrated} of {self.judge} do not rank systems "
                f"significantly differently{size}."
            )
        return (
            f"{worse.capitalize()} of {self.judge} rank systems significantly worse than "
            f"{better}{size}."
        )

    def _alphas(self) -> tuple[pd.Series | None, pd.Series]:
        """α of the labels, if there are some, and of the best map."""
        alpha = self._of("alpha")
        best = self._best(alpha, lowest=False)
        has_labels = LABELS in alpha.index and pd.notna(best["difference"])
        return (alpha.loc[LABELS] if has_labels else None), best

    @staticmethod
    def _is_noise(labels: pd.Series, best: pd.Series) -> bool:
        """Whether neither agrees significantly: constant labels have a lower α than noise."""
        lows = pd.Series([best["value_low"], labels["value_low"]])
        return bool(lows.max() <= 0)  # not with few topics, which have no interval

    def agreement(self) -> str:
        """How thresholded and calibrated grades agree with the reference."""
        labels, best = self._alphas()
        if labels is None:
            value = with_interval(best["value"], best["value_low"], best["value_high"], 3)
            return (
                f"{self.judge} cannot be thresholded to the scale of {self.reference}; its "
                f"calibrated grades have an α of {value}."
            )
        values = f"α {number(labels['value'], 3)} vs {number(best['value'], 3)}"
        if self._is_noise(labels, best):
            return (
                f"Neither thresholded nor calibrated grades of {self.judge} agree significantly "
                f"with {self.reference} ({values})."
            )
        size = f"({_estimate(best['difference'], best['low'], best['high'], 'Δα')})"
        if best["low"] > 0 or best["high"] < 0:
            than = "better" if best["low"] > 0 else "less"
            return (
                f"Calibrated grades of {self.judge} agree significantly {than} with "
                f"{self.reference} than thresholded grades {size}."
            )
        return (
            f"Thresholded and calibrated grades of {self.judge} do not differ significantly in "
            f"agreement with {self.reference} {size}."
        )

    def facts(self, levels: int) -> Iterator[str]:
        """Agreement, where the verdict is about systems, Brier score, and prediction sets."""
        if self.ranked() is not None:
            yield self.agreement()
        best, prior = self._brier()
        within = self._of("brier", "documents")
        own = ""
        if BY_TOPIC in within.index:
            value = number(within.loc[BY_TOPIC, "value"], 3)
            own = f", {value} with labels of other documents of the topic"
        yield (
            f"The Brier score (lower is better) is {number(best['value'], 3)} with the judge"
            f"{own} and {number(prior, 3)} without the judge."
        )
        of = self.prediction_sets
        of = of[((of["target"] - NOMINAL).abs() < 1e-9) & (of["method"] != PRIOR)]
        if len(of):
            best = of.sort_values("size", kind="stable").iloc[0]
            yield (
                f"Prediction sets of {percent(best['target'])} nominal coverage cover "
                f"{percent(best['covered'])} and hold {best['size']:.1f} of {levels} grades on "
                f"average; {percent(best['one_level'])} hold a single grade."
            )

    def cells(self, is_ranked: bool) -> tuple:
        """The row of the answer's table."""
        taus = ()
        if is_ranked:
            taus = (None, None, (None,) * 3)
            if self.ranked() is not None:
                thresholded, calibrated, ends = self._taus()
                taus = thresholded["tau"], calibrated["tau"], ends
        labels, best = self._alphas()
        alpha, size = None, (None,) * 3
        if labels is not None:
            alpha, size = labels["value"], (best["difference"], best["low"], best["high"])
        brier, prior = self._brier()
        return (self.judge, *taus, alpha, best["value"], size, brier["value"], prior)

    def notes(self) -> Iterator[str]:
        """That the judge's scores predict no grades."""
        best, prior = self._brier()
        if best["value"] >= prior:
            yield (
                f"The scores of {self.judge} do not predict the grades: the Brier score is no "
                "better than without them."
            )

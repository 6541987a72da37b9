"""Which judge is best, and what does each change?

With runs the light is fine where the best judge largely preserves the reference's ranking of
systems, a problem where it does not preserve it. Without runs there is none: differences are not
tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.changed import (
    estimate,
    lower_of_selected,
    preservation,
    tau_estimate,
    top_agreement,
)
from regrade.answers.glossary import LARGELY, NOT
from regrade.answers.pair_tests import CORRECTED
from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import ALL_DOCUMENTS, NAMED, alpha_of, listed, named, rows_of
from regrade.catalogue import columns_of
from regrade.evaluations.cut_labels import SINGLE, UNCUT, JudgeOptions
from regrade.evaluations.judge_differences import (
    BEST,
    MARGIN,
    NON_INFERIOR,
    NOT_SIGNIFICANT,
    THRESHOLD,
    WORSE,
)
from regrade.evaluations.stage import Judges
from regrade.kendall import TOLERANCE
from regrade.scales import COARSER, FINER
from regrade.wording import counted, number, to_be

TABLES = ("judges/ranked", "judges/numbers", "judges/sets")

OF_SCORES = (*TABLES[:2], "judges/top_k", "judges/topics")
"""Of scores by item."""

TOP = 5
"""Of the top so many systems it is said how many reference and judge share."""

MOST_ROWS = 200
"""Of the small table."""


def answer_tables(
    tables: Mapping[str, pd.DataFrame],
    how: JudgeOptions | None = None,
    reference: str = "",
    vote_of: str = "",
) -> dict[str, pd.DataFrame]:
    """The tables ``judges/ranked``, ``judges/numbers`` and ``judges/answer``.

    Of scores by item there is no table of labels: `reference` names whose scores they are.
    `vote_of` is of which kind the reference is a vote of the judges; empty: of none.
    """
    how = how or JudgeOptions()
    ranked = ranked_judges(tables)
    if "sets" not in tables:
        numbers = pd.DataFrame(_numbers(ranked, None, how), columns=columns_of("judges/numbers"))
        notes = [*uncompared(ranked, tables["rankings"]), *item_disagreement(tables, reference)]
        of_scores = answer(ranked, reference, notes, how=how, tables=tables)
        return {"ranked": ranked, "numbers": numbers, "answer": of_scores}
    sets, rankings = tables["sets"], tables.get("rankings")
    numbers = pd.DataFrame(_numbers(ranked, sets, how), columns=columns_of("judges/numbers"))
    reference = str(sets["reference"].iloc[0])
    notes = [
        *vote(reference, vote_of),
        *lacking_labels(sets, reference, by_systems=rankings is not None),
        *without_alpha(ranked, sets, reference),
    ]
    if rankings is not None:
        notes = [*unserved_measures(rankings), *uncompared(ranked, rankings), *notes]
    shared = sets["shared"].iloc[0] if how.documents == "shared" else None
    of_judges = answer(ranked, reference, notes, shared, how)
    return {"ranked": ranked, "numbers": numbers, "answer": of_judges}


def ranked_judges(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A line for each judge, the best first: ``judges/ranked``.

    Each is taken as `regrade.evaluations.judge_differences` takes it: uncut where its scale is not
    finer than the reference's, else under the one cut that was held out.
    """
    if "sets" in tables:
        sets = tables["sets"]
        is_finer = (sets["relation"].astype(str) == FINER).to_numpy()
        judges = pd.DataFrame({"judge": sets["judge"].astype(str)})
        judges["cut"], judges["held_out"] = np.where(is_finer, SINGLE, UNCUT), is_finer
        joined = _joined(judges, tables["agreement"].query("quantity == 'alpha'"),
                        {"value": "alpha", "low": "alpha_low", "high": "alpha_high"})  # fmt: skip
    else:
        names = dict.fromkeys(tables["rankings"]["judge"].astype(str))
        joined = pd.DataFrame({"judge": [*names], "cut": UNCUT, "held_out": False})
        joined[["alpha", "alpha_low", "alpha_high"]] = np.nan
    columns = columns_of("judges/ranked")
    if "rankings" not in tables:
        joined = joined.sort_values("alpha", ascending=False, kind="stable")
        return joined.reindex(columns=columns).reset_index(drop=True)
    measure = _first_served(tables["rankings"])
    of = rows_of(tables, ("rankings", "differences", "changes"), measure)
    columns_of_tau = {"value": "tau", "low": "tau_low", "high": "tau_high"}
    joined = _joined(joined, of["rankings"].query("quantity == 'tau'"), columns_of_tau)
    beside = ("difference", "low", "high", "p_adjusted", "verdict")
    joined = _joined(joined, of["differences"], dict(zip(beside, beside, strict=True)))
    tested = of["changes"][of["changes"]["by_topics"].notna()]  # of one topic none are
    joined = _joined(joined, tested, {"pairs": "pairs", "changed": "changed"})
    joined = joined.assign(measure=measure)
    # a judge on other topics than most has no difference, and comes last
    joined = joined.sort_values(["difference", "tau"], ascending=False, kind="stable")
    return joined.reindex(columns=columns).reset_index(drop=True)


def _first_served(rankings: pd.DataFrame) -> str:
    """The first measure that some judge's labels serve; the first of all where none does."""
    measures = rankings["measure"].astype(str)
    served = measures[rankings["value"].notna()]
    return next(iter(dict.fromkeys([*served, *measures])))


def _joined(judges: pd.DataFrame, table: pd.DataFrame, taken: Mapping[str, str]) -> pd.DataFrame:
    """The judges with some columns of their rows in a table."""
    keys = ["judge", "cut", "held_out"]
    rows = table[[*keys, *taken]].astype({"judge": str, "cut": str}).rename(columns=taken)
    return judges.merge(rows, on=keys, how="left")


def _numbers(
    ranked: pd.DataFrame, sets: pd.DataFrame | None, how: JudgeOptions
) -> Iterator[tuple[str, float]]:
    """Rows of quantity and value."""
    verdict = ranked["verdict"].astype(str)
    yield "judges", len(ranked)
    yield BEST, (verdict == BEST).sum()
    yield WORSE, (verdict == WORSE).sum()
    yield THRESHOLD, (verdict == THRESHOLD).sum()
    is_other = ranked["verdict"].notna() & ~verdict.isin([BEST, WORSE, THRESHOLD])
    yield NOT_SIGNIFICANT, is_other.sum()
    yield "compared", len(_compared(ranked))
    yield NON_INFERIOR, (verdict == NON_INFERIOR).sum()
    yield "margin", MARGIN
    if sets is not None:
        yield "shared documents", sets["shared"].iloc[0]
    yield "resamples", how.resamples
    yield "seed", how.seed
    yield "significance", how.significance


def answer(
    ranked: pd.DataFrame,
    reference: str,
    notes: Sequence[str] = (),
    shared: int | None = None,
    how: JudgeOptions | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> Answer:
    """Which judge agrees best with the reference, and which agree significantly less.

    `tables` are those of scores by item, where there are no labels.
    """
    how = how or JudgeOptions()
    best, by_labels = ranked.iloc[0], tables is None
    by_systems = pd.notna(best["measure"])
    if by_systems:
        sentences = [
            system_verdict(ranked, reference),
            changed_pairs(best, reference, how),
            range_of_tau(ranked),
            highest_alpha(ranked, reference, how.metric)
            if by_labels
            else top_systems(tables, ranked, reference),
        ]
    else:
        sentences = [label_verdict(ranked, reference, how.metric)]
    return Answer.of(
        Judges.question,
        sentences,
        key=key(ranked, how.metric),
        light=light(ranked) if by_systems else "",
        rows=judge_rows(ranked, reference, by_labels=by_labels),
        method=method(ranked, reference, shared, how, by_labels=by_labels),
        notes=[*same_labels(ranked, reference), *selection(ranked), *non_inferior(ranked), *notes],
        tables=TABLES if by_labels else OF_SCORES,
    )


def _compared(ranked: pd.DataFrame) -> pd.DataFrame:
    """The judges whose difference from the best was tested."""
    tested = ranked["verdict"].notna() & ranked["low"].notna()
    return ranked[tested & (ranked["verdict"].astype(str) != BEST)]


def _as_high(values: pd.Series) -> pd.Series:
    """Which are as high as the first."""
    return (values - values.iloc[0]).abs() <= TOLERANCE


def system_verdict(ranked: pd.DataFrame, reference: str) -> str:
    """Which judge's ranking agrees best, and how many agree significantly less."""
    best = ranked.iloc[0]
    if pd.isna(best["tau"]):
        return f"No judge's ranking of systems can be compared with the ranking by {reference}."
    tau = tau_estimate(best["tau"], (best["tau_low"], best["tau_high"]))
    inside = f"({best['measure']}, {tau})"
    if len(ranked) == 1:
        word = preservation((best["tau_low"], best["tau_high"])) or "changed"
        word = "unchanged" if best["tau"] >= 1 - TOLERANCE else word
        return f"The ranking of systems by {reference} is {word} under {best['judge']} {inside}."
    verdict = ranked["verdict"].astype(str)
    first = ranked.loc[_as_high(ranked["tau"]) & (verdict != WORSE), "judge"].tolist()
    agrees = "agrees" if len(first) == 1 else "agree"
    sentence = f"{named(first, 'judge')} {agrees} best with {reference} {inside}"
    compared = _compared(ranked)
    if not len(compared):
        return f"{sentence}; differences between judges are not tested."
    worse = int((compared["verdict"].astype(str) == WORSE).sum())
    if len(compared) == 1:
        others = f"the other {'agrees' if worse else 'does not agree'}"
    elif worse:
        others = f"{worse:,} of {len(compared):,} others {'agrees' if worse == 1 else 'agree'}"
    else:
        others = f"none of {len(compared):,} others agrees"
    return f"{sentence}; {others} significantly less (simultaneous 95% CIs)."


def label_verdict(ranked: pd.DataFrame, reference: str, metric: str) -> str:
    """Whose labels have the highest α with the reference's."""
    best = ranked.iloc[0]
    if pd.isna(best["alpha"]):
        return f"No judge's labels can be compared with those of {reference}: no α is defined."
    if len(ranked) == 1:
        alpha = estimate(f"{metric} α", *best[["alpha"]], best[["alpha_low", "alpha_high"]], 3)
        return f"Labels of {best['judge']} were compared with those of {reference} ({alpha})."
    first = ranked.loc[_as_high(ranked["alpha"]), "judge"].tolist()
    agrees = "agrees" if len(first) == 1 else "agree"
    return (
        f"Of {counted(len(ranked), 'judge')}, {named(first, 'judge')} {agrees} best with "
        f"{reference} ({metric} α = {number(best['alpha'])}); differences are not tested without "
        "runs."
    )


def key(ranked: pd.DataFrame, metric: str) -> str:
    """The best judge's τ_b, without runs its α."""
    best = ranked.iloc[0]
    by_systems = pd.notna(best["measure"])
    value = best["tau"] if by_systems else best["alpha"]
    if pd.isna(value):
        return ""
    of = "" if len(ranked) == 1 else f", the best of {len(ranked):,} judges"
    return f"{'τ_b' if by_systems else f'{metric} α'} = {number(value, 2)}{of}"


def light(ranked: pd.DataFrame) -> str:
    """Whether the best judge preserves the ranking; empty without an interval.

    The lower end is corrected for the choice of the best judge (`lower_of_selected`).
    """
    best, judges = ranked.iloc[0], int(ranked["tau"].notna().sum())
    low = lower_of_selected(best["tau"], best["tau_low"], max(judges, 1))
    word = preservation((low, best["tau_high"]))
    return word and {LARGELY: FINE, NOT: PROBLEM}.get(word, LOOK)


def judge_rows(ranked: pd.DataFrame, reference: str, *, by_labels: bool) -> AnswerTable | None:
    """A row for each judge, the best first; with α where there are labels."""
    title = f"{counted(len(ranked), 'judge')} and {reference}"
    measure = ranked["measure"].iloc[0]
    rows = ranked.head(MOST_ROWS)
    if pd.isna(measure):
        columns = [AnswerColumn("judge"), AnswerColumn("α", "estimate")]
        cells = ((r.judge, (r.alpha, r.alpha_low, r.alpha_high)) for r in rows.itertuples())
        return AnswerTable.of(title, columns, cells)
    columns = [
        AnswerColumn("judge"), AnswerColumn("τ_b", "estimate", 2),
        AnswerColumn("Δ from best", "estimate", 2, "simult. 95% CI"),
        AnswerColumn("p (max-t)", "p"), *[AnswerColumn("α", "estimate")] * by_labels,
        AnswerColumn("pairs changed", "count"),
    ]  # fmt: skip
    cells = (
        (r.judge, (r.tau, r.tau_low, r.tau_high), (r.difference, r.low, r.high),
         r.p_adjusted,
         *[(r.alpha, r.alpha_low, r.alpha_high)] * by_labels, r.changed)
        for r in rows.itertuples()
    )  # fmt: skip
    return AnswerTable.of(f"{measure} · {title}", columns, cells)


def changed_pairs(best: pd.Series, reference: str, how: JudgeOptions) -> str:
    """How many pairs of systems the best judge changes."""
    if pd.isna(best["changed"]) or not best["pairs"]:
        return ""
    change = "changes" if best["changed"] == 1 else "change"
    return (
        f"{best['changed']:,.0f} of {counted(best['pairs'], 'pair')} of systems {change} "
        f"significance between {reference} and {best['judge']} (paired t-test, "
        f"α = {how.significance:g}, {CORRECTED[how.correction]})."
    )


def range_of_tau(ranked: pd.DataFrame) -> str:
    """From which judge to which τ_b ranges."""
    known = ranked[ranked["tau"].notna()]
    if known["verdict"].notna().any():
        known = known[known["verdict"].notna()]  # others are of other topics
    if len(known) < 2:
        return ""
    # the last by its difference, on topics that most judges have, need not have the least
    least, most = (known.loc[known["tau"].agg(of)] for of in ("idxmin", "idxmax"))
    if most["tau"] - least["tau"] <= TOLERANCE:
        return ""
    return (
        f"τ_b ranges from {number(least['tau'], 2)} ({least['judge']}) to "
        f"{number(most['tau'], 2)} ({most['judge']})."
    )


def top_systems(tables: Mapping[str, pd.DataFrame], ranked: pd.DataFrame, reference: str) -> str:
    """What the top systems under the reference and under the best judge share."""
    best = ranked.iloc[0]
    of = tables["top_k"].astype({"judge": str, "measure": str})
    of = of[(of["judge"] == best["judge"]) & (of["measure"] == best["measure"])]
    few = of[of["k"] <= TOP]
    if not len(of):
        return ""
    row = few.iloc[-1] if len(few) else of.iloc[0]
    return (
        f"{row['shared']:.0f} of the top {counted(row['first'], 'system')} under {reference} "
        f"{'is' if row['shared'] == 1 else 'are'} in the top {row['k']:.0f} under "
        f"{best['judge']} ({top_agreement(row)})."
    )


def item_disagreement(tables: Mapping[str, pd.DataFrame], reference: str) -> Iterator[str]:
    """On which topic the judges agree least with the reference."""
    topics = tables["topics"]
    measure = _first_served(tables["rankings"])
    of = topics[topics["measure"].astype(str) == measure].groupby("topic", observed=True)["tau"]
    means = of.mean().dropna()
    if len(means) < 2:
        return
    yield (
        f"Agreement with {reference} is lowest on topic {means.idxmin()} (mean τ_b of the "
        f"systems' scores over {counted(topics['judge'].nunique(), 'judge')} "
        f"{number(means.min(), 2)}; table `topics`)."
    )


def highest_alpha(ranked: pd.DataFrame, reference: str, metric: str) -> str:
    """Which judge's labels agree best, where systems decide."""
    agreeing = ranked.sort_values("alpha", ascending=False, kind="stable").iloc[0]
    if pd.isna(agreeing["alpha"]):
        return ""
    coefficient, value = alpha_of(metric, ALL_DOCUMENTS), number(agreeing["alpha"])
    if len(ranked) == 1:
        return f"The {coefficient} of {agreeing['judge']} with {reference} is {value}."
    return f"The highest {coefficient} with {reference} is {value} ({agreeing['judge']})."


def method(
    ranked: pd.DataFrame, reference: str, shared: int | None, how: JudgeOptions, *, by_labels: bool
) -> str:
    """What was compared, with every test, interval, n and seed."""
    of = "" if shared is None else f" on {counted(shared, 'document')} that all of them labelled"
    judges = f"{counted(len(ranked), 'judge')} {'was' if len(ranked) == 1 else 'were'}"
    samples = f"{how.resamples:,} bootstrap samples of topics, seed {how.seed}"
    compared_by = []
    if by_labels:
        compared_by.append(f"Krippendorff's {alpha_of(how.metric, ALL_DOCUMENTS)}")
    measure = ranked["measure"].iloc[0]
    if pd.notna(measure):
        compared_by.append(f"Kendall's τ_b of the rankings of systems by mean {measure}")
    parts = [f"{judges} compared with {reference}{of}, by {' and by '.join(compared_by)}"]
    parts[0] += f"; 95% confidence intervals are by Student's t over topics ({samples})."
    if ranked["held_out"].any():
        parts.append(
            f"Finer-grained values were mapped to the grades of {reference} by the thresholds that "
            "maximise α on held-out topics (leave-one-topic-out)."
        )
    if len(_compared(ranked)):
        parts.append(
            "Differences from the best judge have simultaneous 95% confidence intervals and "
            "adjusted p-values (max-t: studentised maximum over all pairs of judges, same "
            "samples); more samples were drawn where a result would depend on their number."
        )
    return " ".join(parts)


# --- notes ----------------------------------------------------------------------------------------


def selection(ranked: pd.DataFrame) -> Iterator[str]:
    """That the best of several is overestimated."""
    if len(ranked) > 2:
        yield (
            f"Values of the best of {len(ranked):,} judges are optimistic, because the judge was "
            "chosen by them (winner's curse)."
        )


def non_inferior(ranked: pd.DataFrame) -> Iterator[str]:
    """Which judges are not inferior to the best by more than the margin."""
    judges = ranked.loc[ranked["verdict"].astype(str) == NON_INFERIOR, "judge"].tolist()
    if judges:
        yield (
            f"{named(judges, 'judge')} {to_be(len(judges))} not inferior to the best by a margin "
            f"of {MARGIN} τ_b (simultaneous 95% CIs)."
        )


def same_labels(ranked: pd.DataFrame, reference: str) -> Iterator[str]:
    """Which judges have all the labels of the reference: one may be it."""
    is_same = (ranked["alpha"] > 1 - TOLERANCE) & (ranked["cut"].astype(str) == UNCUT)
    for judge in ranked.loc[is_same, "judge"]:
        yield f"All labels of {judge} equal those of {reference}: it may be the reference itself."


def without_alpha(ranked: pd.DataFrame, sets: pd.DataFrame, reference: str) -> Iterator[str]:
    """Which judges' labels have no α with the reference's, and why."""
    of = sets.set_index(sets["judge"].astype(str))
    judges = ranked.loc[ranked["alpha"].isna(), "judge"].astype(str)
    is_coarse = judges.map(of["relation"].astype(str)).eq(COARSER)
    is_uncut = ranked["held_out"] & judges.map(of["topics"]).eq(1)
    why = np.select(
        [is_coarse, is_uncut[judges.index]],
        [
            f"another scale than that of {reference}",
            "with one topic, no other topic can choose thresholds",
        ],
        f"too few documents co-judged with {reference}, or all of one grade",
    )
    for reason, some in judges.groupby(why, sort=False):
        yield f"α was not computed for {named(some.tolist(), 'judge')}: {reason}."


def vote(reference: str, kind: str) -> Iterator[str]:
    """That each judge is a part of what it is compared with, if the reference is their vote."""
    if kind:
        yield (
            f"{reference} is the {kind} of these judges, so each judge is compared with a set that "
            "contains it and agreement is overestimated; `regrade workers` compares each with the "
            "others."
        )


def lacking_labels(sets: pd.DataFrame, reference: str, *, by_systems: bool) -> Iterator[str]:
    """Which judges lack how many of the reference's documents, and what that means."""
    lacking = sets["as_not_relevant" if by_systems else "unjudged"]
    of = sets.assign(lacking=lacking)[(lacking > 0).to_numpy()]
    if not len(of):
        return
    groups = of.groupby("lacking")["judge"].agg(lambda names: [*map(str, names)])
    if len(groups) > NAMED:
        fewest, most = groups.index.min(), groups.index.max()
        counts = f"{fewest:,.0f} to {most:,.0f} for {counted(len(of), 'judge')}"
    else:
        counts = listed([
            f"{count:,.0f} for {'' if len(names) == 1 else 'each of '}{named(names, 'judge')}"
            for count, names in groups[::-1].items()
        ])  # fmt: skip
    meaning = (
        f"Documents of {reference} without a judge's label count as not relevant"
        if by_systems
        else f"α excludes documents of {reference} without a judge's label"
    )
    remedy = "; `--documents shared` leaves them out" if by_systems else ""
    yield f"{meaning} ({counts}){remedy}."


def unserved_measures(rankings: pd.DataFrame) -> Iterator[str]:
    """Which measures serve no judge, and why."""
    for measure, of in rankings.groupby(rankings["measure"].astype(str), sort=False):
        notes = sorted({*of["note"].astype(str)} - {""})
        if of["value"].isna().all() and notes:
            yield f"No judge's systems can be ranked by {measure}: {'; '.join(notes)}."


def uncompared(ranked: pd.DataFrame, rankings: pd.DataFrame) -> Iterator[str]:
    """Which judges were not compared with the best one, and which are at the threshold."""
    if ranked["verdict"].isna().all():
        return
    near = ranked.loc[ranked["verdict"].astype(str) == THRESHOLD, "judge"].tolist()
    if near:
        yield (
            f"{named(near, 'judge')} {to_be(len(near))} at the threshold of significance, within "
            "three Monte Carlo errors."
        )
    taus = rankings[rankings["quantity"] == "tau"].astype({"measure": str})
    taus = taus[taus["measure"] == ranked["measure"].iloc[0]]
    drawn = _joined(ranked[["judge", "cut", "held_out"]], taus,
                    {"defined": "defined", "resamples": "resamples"})  # fmt: skip
    apart = ranked["verdict"].isna() & ranked["tau"].notna()
    undefined = drawn["defined"] < drawn["resamples"]
    for which, why in (
        (apart & undefined, "τ_b is undefined in some bootstrap samples"),
        (apart & ~undefined, "labels for other topics than most judges"),
    ):
        if judges := ranked.loc[which, "judge"].tolist():
            were = "was" if len(judges) == 1 else "were"
            yield f"{named(judges, 'judge')} {were} not compared with the best judge: {why}."

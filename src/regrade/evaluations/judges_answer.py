"""Which judge is best, and what does each change?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.changed import tau_said
from regrade.answers.shape import Answer
from regrade.answers.words import (
    ALL_DOCUMENTS,
    NAMED,
    alpha_of,
    listed,
    named,
    rows_of,
    signed,
    with_ends,
    with_interval,
)
from regrade.catalogue import columns_of
from regrade.evaluations.cut_labels import COARSER, FINER, SINGLE, UNCUT
from regrade.evaluations.stage import Judges
from regrade.kendall import TOLERANCE
from regrade.wording import counted, to_be

TABLES = ("judges/ranked", "judges/numbers", "judges/sets")

BEST, WORSE, THRESHOLD = "best", "worse", "at the threshold"


def answered(
    tables: Mapping[str, pd.DataFrame],
    documents: str = "all",
    metric: str = "ordinal",
    vote: str = "",
) -> dict[str, pd.DataFrame]:
    """The tables ``judges/ranked``, ``judges/numbers`` and ``judges/answer``."""
    ranked = ranked_judges(tables)
    numbers = pd.DataFrame(_numbers(ranked), columns=columns_of("judges/numbers"))
    reference = str(tables["sets"]["reference"].iloc[0])
    rankings = tables.get("rankings")
    warnings = [
        *vote_said(reference, vote),
        *lacking_said(tables["sets"], reference, by_systems=rankings is not None),
        *without_alpha_said(ranked, tables["sets"], reference),
    ]
    if rankings is not None:
        warnings = [*unserved_said(rankings), *elsewhere_said(ranked, rankings), *warnings]
    count = tables["sets"]["shared"].iloc[0] if documents == "shared" else None
    said = answer(ranked, reference, warnings, count, metric)
    return {"ranked": ranked, "numbers": numbers, "answer": said}


def ranked_judges(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A line for each judge, the best first: ``judges/ranked``.

    Each is taken as `regrade.evaluations.judge_differences` takes it: uncut where its scale is not
    finer than the reference's, else under the one cut that was held out.
    """
    sets = tables["sets"]
    is_finer = (sets["relation"].astype(str) == FINER).to_numpy()
    judges = pd.DataFrame({"judge": sets["judge"].astype(str)})
    judges["cut"], judges["held_out"] = np.where(is_finer, SINGLE, UNCUT), is_finer
    found = _joined(judges, tables["agreement"].query("quantity == 'alpha'"),
                    {"value": "alpha", "low": "alpha_low", "high": "alpha_high"})  # fmt: skip
    columns = columns_of("judges/ranked")
    if "rankings" not in tables:
        found = found.sort_values("alpha", ascending=False, kind="stable")
        return found.reindex(columns=columns).reset_index(drop=True)
    measure = _told_by(tables["rankings"])
    of = rows_of(tables, ("rankings", "differences", "changes"), measure)
    columns_of_tau = {"value": "tau", "low": "tau_low", "high": "tau_high"}
    found = _joined(found, of["rankings"].query("quantity == 'tau'"), columns_of_tau)
    ends = {"difference": "difference", "low": "low", "high": "high", "verdict": "verdict"}
    found = _joined(found, of["differences"], ends)
    tested = of["changes"][of["changes"]["by_topics"].notna()]  # of one topic none are
    found = _joined(found, tested, {"pairs": "pairs", "changed": "changed"})
    found = found.assign(measure=measure)
    # a judge on other topics than most has no difference, and comes last
    found = found.sort_values(["difference", "tau"], ascending=False, kind="stable")
    return found.reindex(columns=columns).reset_index(drop=True)


def _told_by(rankings: pd.DataFrame) -> str:
    """The first measure that some judge's labels serve; the first of all where none does."""
    measures = rankings["measure"].astype(str)
    served = measures[rankings["value"].notna()]
    return next(iter(dict.fromkeys([*served, *measures])))


def _joined(judges: pd.DataFrame, table: pd.DataFrame, taken: Mapping[str, str]) -> pd.DataFrame:
    """The judges with some columns of their rows in a table."""
    keys = ["judge", "cut", "held_out"]
    rows = table[[*keys, *taken]].astype({"judge": str, "cut": str}).rename(columns=taken)
    return judges.merge(rows, on=keys, how="left")


def _numbers(ranked: pd.DataFrame) -> Iterator[tuple]:
    """Rows of quantity and value."""
    verdict = ranked["verdict"].astype(str)
    yield "judges", len(ranked)
    yield "best", (verdict == BEST).sum()
    yield "worse", (verdict == WORSE).sum()
    yield "at the threshold", (verdict == THRESHOLD).sum()
    is_other = ranked["verdict"].notna() & ~verdict.isin([BEST, WORSE, THRESHOLD])
    yield "not told apart", is_other.sum()


def answer(
    ranked: pd.DataFrame,
    reference: str,
    warnings: Sequence[str] = (),
    shared: int | None = None,
    metric: str = "ordinal",
) -> Answer:
    """Who is most like the reference, who may be as much, and what that changes."""
    best = ranked.iloc[0]
    by_systems = pd.notna(best["measure"])
    said = [
        systems_said(ranked, reference) if by_systems else labels_said(ranked, reference, metric)
    ]
    if by_systems:
        said += [changed_said(best, reference), last_said(ranked, reference)]
    elif len(ranked) > 1:
        said.append(
            "With runs (`--runs`) it is tested which judges rank the systems less like "
            f"{reference} than the best one."
        )
    agreeing = ranked.sort_values("alpha", ascending=False, kind="stable").iloc[0]
    if by_systems and pd.notna(agreeing["alpha"]):
        judge, alpha = agreeing["judge"], _highest_said(ranked)
        coefficient = alpha_of(metric, ALL_DOCUMENTS)
        highest = f"The highest {coefficient} with {reference} is that of {judge}, {alpha}."
        said.append(highest if len(ranked) > 1 else labels_said(ranked, reference, metric))
    warnings = [*same_said(ranked, reference), *warnings]
    of = "" if shared is None else f" of the {shared:,} documents that all of them labelled"
    return Answer.of(
        Judges.question,
        said,
        method=f"Each judge's labels beside those of {reference}{of}. Values on a finer scale are cut "
        "as agrees best on other topics than those that are judged.",
        notes=warnings,
        tables=TABLES,
    )


def same_said(ranked: pd.DataFrame, reference: str) -> Iterator[str]:
    """Which judges say all that the reference says: it may be among them."""
    is_same = (ranked["alpha"] > 1 - TOLERANCE) & (ranked["cut"].astype(str) == UNCUT)
    for judge in ranked.loc[is_same, "judge"]:
        yield f"{judge} has the labels of {reference}, every one: it may be the reference itself."


def without_alpha_said(ranked: pd.DataFrame, sets: pd.DataFrame, reference: str) -> Iterator[str]:
    """Which judges' labels have no α with the reference's, and why."""
    of = sets.set_index(sets["judge"].astype(str))
    judges = ranked.loc[ranked["alpha"].isna(), "judge"].astype(str)
    is_coarse = judges.map(of["relation"].astype(str)).eq(COARSER)
    is_uncut = ranked["held_out"] & judges.map(of["topics"]).eq(1)
    why = np.select(
        [is_coarse, is_uncut[judges.index]],
        [
            f"another scale than that of {reference}",
            "with one topic no other chooses a cut of their values",
        ],
        f"too few documents that {reference} has as well, or all of one label",
    )
    for reason, some in judges.groupby(why, sort=False):
        yield f"No α of {named(some.tolist(), 'judge')}: {reason}."


def vote_said(reference: str, vote: str) -> Iterator[str]:
    """That each judge is a part of what it is held beside, if the reference is their vote."""
    if vote:
        yield (
            f"{reference} is the {vote} of these judges, so that each is compared with a set that "
            "contains it and agreement is too high: `regrade workers` compares each with the "
            "others."
        )


def lacking_said(sets: pd.DataFrame, reference: str, *, by_systems: bool) -> Iterator[str]:
    """Which judges lack how many of the reference's documents, and what that means."""
    lacking = sets["as_not_relevant" if by_systems else "unjudged"]
    of = sets.assign(lacking=lacking)[(lacking > 0).to_numpy()]
    if not len(of):
        return
    groups = of.groupby("lacking")["judge"].agg(lambda names: [*map(str, names)])
    if len(groups) > NAMED:
        fewest, most = groups.index.min(), groups.index.max()
        said = f"{counted(len(of), 'judge')} lack from {fewest:,.0f} to {most:,.0f}"
    else:
        said = listed([
            f"{named(names, 'judge')} {'lacks' if len(names) == 1 else 'each lack'} {count:,.0f}"
            for count, names in groups[::-1].items()
        ])  # fmt: skip
    means = (
        "these count as not relevant (`regrade judges` with `--documents shared` leaves out what "
        "not all labelled)"
        if by_systems
        else "α is of the others only"
    )
    yield f"Of the documents of {reference} {said}: {means}."


def unserved_said(rankings: pd.DataFrame) -> Iterator[str]:
    """Which measures serve no judge, and why."""
    for measure, of in rankings.groupby(rankings["measure"].astype(str), sort=False):
        notes = sorted({*of["note"].astype(str)} - {""})
        if of["value"].isna().all() and notes:
            yield f"No judge's systems can be ranked by {measure}: {'; '.join(notes)}."


def systems_said(ranked: pd.DataFrame, reference: str) -> str:
    """Whose ranking of the systems is most like the reference's."""
    best = ranked.iloc[0]
    if pd.isna(best["tau"]):
        return f"No judge's ranking of the systems can be compared with that of {reference}."
    verdict = ranked["verdict"].astype(str)
    is_first = _as_high(ranked["tau"]) & (verdict != WORSE)
    first = ranked.loc[is_first, "judge"].tolist()
    rank, it = ("ranks", "it") if len(first) == 1 else ("rank", "these")
    said = f"By {best['measure']} {named(first, 'judge')} {rank} the systems most like {reference}"
    if len(ranked) == 1:
        tau = tau_said(best["tau"], (best["tau_low"], best["tau_high"]))
        return (
            f"{best['judge']} ranks the systems by {best['measure']} with {tau} to the ranking by "
            f"{reference}."
        )
    worse = ranked.loc[verdict == WORSE, "judge"].tolist()
    others = ranked[~is_first]
    is_alike = others["verdict"].notna() & ~verdict[others.index].isin([WORSE, THRESHOLD])
    alike = others.loc[is_alike, "judge"].tolist()
    between = ranked.loc[verdict == THRESHOLD, "judge"].tolist()
    apart = others.loc[others["verdict"].isna() & pd.notna(best["verdict"]), "judge"].tolist()
    parts = []
    if worse:
        parts.append(
            f"{named(worse, 'judge')} {'does' if len(worse) == 1 else 'do'} so significantly less"
        )
    if alike:
        differ = "does" if len(alike) == 1 else "do"
        parts.append(f"{named(alike, 'other')} {differ} not differ significantly from {it}")
    if between:
        parts.append(f"{_judges(between)} at the threshold of significance")
    if apart:
        compared = to_be(len(apart))
        parts.append(f"{named(apart, 'other')} {compared} not compared")
    return f"{said}; {', '.join(parts)}." if parts else f"{said}."


def _judges(names: Sequence[str]) -> str:
    """``a and b are``."""
    return f"{named(names, 'judge')} {to_be(len(names))}"


def _as_high(values: pd.Series) -> pd.Series:
    """Which are as high as the first."""
    return (values - values.iloc[0]).abs() <= TOLERANCE


def labels_said(ranked: pd.DataFrame, reference: str, metric: str = "ordinal") -> str:
    """Whose labels have the highest α with the reference's; whether surely is not tested."""
    best = ranked.iloc[0]
    if pd.isna(best["alpha"]):
        return f"No judge's labels can be held beside those of {reference}: no α is defined."
    if len(ranked) == 1:
        alpha = with_ends(*best[["alpha", "alpha_low", "alpha_high"]])
        coefficient = alpha_of(metric, ALL_DOCUMENTS)
        return f"{coefficient} of {best['judge']} with {reference} is {alpha}."
    first = ranked.loc[_as_high(ranked["alpha"]), "judge"].tolist()
    has = "has" if len(first) == 1 else "share"
    return (
        f"Of {counted(len(ranked), 'judge')} {named(first, 'judge')} {has} the highest "
        f"{alpha_of(metric, ALL_DOCUMENTS)} with {reference}, {_highest_said(ranked)}; whether it "
        "is surely higher than the others' is not tested."
    )


def _highest_said(ranked: pd.DataFrame) -> str:
    """The highest α, without its interval, which is that of a judge that was named beforehand.

    Of thirty judges that were equally good it held the best one's in 47 to 80 % of samples.
    """
    return f"{signed(ranked['alpha'].max(), 3)}, rather too high as the highest of several"


def changed_said(best: pd.Series, reference: str) -> str:
    """How many pairs of systems the best judge changes."""
    if pd.isna(best["changed"]) or not best["pairs"]:
        return ""
    differ = "differs" if best["changed"] == 1 else "differ"
    return (
        f"Of {counted(best['pairs'], 'pair')} of systems {best['changed']:,.0f} {differ} "
        f"significantly under only one of {reference} and {best['judge']}, or the other way round."
    )


def last_said(ranked: pd.DataFrame, reference: str) -> str:
    """τ_b of the first judge's ranking with the reference's, and the least of the others'."""
    known = ranked[ranked["tau"].notna()]
    if known["verdict"].notna().any():
        known = known[known["verdict"].notna()]  # others are of other topics
    if len(ranked) == 1 or not len(known):
        return ""
    first, others = known.iloc[0], known.iloc[1:]
    said = f"τ_b to the ranking by {reference} is {signed(first['tau'])} for {first['judge']}"
    if not len(others):
        return f"{said}."
    # the last by its difference, on topics that most judges have, need not have the least
    least = others.loc[others["tau"].idxmin()]
    said += f", and of the others least, {signed(least['tau'])}, for {least['judge']}"
    if pd.isna(least["low"]):
        return f"{said}."
    difference = with_interval(*least[["difference", "low", "high"]])
    return f"{said}: a difference of {difference}."


def elsewhere_said(ranked: pd.DataFrame, rankings: pd.DataFrame) -> Iterator[str]:
    """Which judges are not held beside the best one, and why."""
    if ranked["verdict"].isna().all():
        return
    taus = rankings[rankings["quantity"] == "tau"].astype({"measure": str})
    taus = taus[taus["measure"] == ranked["measure"].iloc[0]]
    drawn = _joined(ranked[["judge", "cut", "held_out"]], taus,
                    {"defined": "defined", "resamples": "resamples"})  # fmt: skip
    apart = ranked["verdict"].isna() & ranked["tau"].notna()
    undefined = drawn["defined"] < drawn["resamples"]
    for which, why in (
        (apart & undefined, "no τ_b in some draw of topics"),
        (apart & ~undefined, "labels of other topics than most judges"),
    ):
        if judges := ranked.loc[which, "judge"].tolist():
            has = "has" if len(judges) == 1 else "have"
            yield f"{named(judges, 'judge')} {has} {why}: no difference from the best is given."

"""Can new systems be evaluated with this pool?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.changed import UNTESTED
from regrade.answers.shape import Answer
from regrade.answers.words import NAMED, listed, named, rows_of, signed, unless_certain
from regrade.catalogue import columns_of
from regrade.kendall import TOLERANCE
from regrade.pools.stage import LeaveOneOut
from regrade.wording import counted, to_be

TABLES = tuple(f"leave-one-out/{name}" for name in ("systems", "left_out", "summary", "numbers"))

IDLE = 0.25
"""Where more of those left out take no judgment with them, it is said."""

HURT = 3
"""How many of the systems that lose most ranks have a name."""


def answered(
    tables: Mapping[str, pd.DataFrame], judged: int, unretrieved: int
) -> dict[str, pd.DataFrame]:
    """The tables ``leave-one-out/numbers`` and ``leave-one-out/answer``.

    Parameters
    ----------
    tables
        ``systems``, ``left_out`` and ``summary``.
    judged, unretrieved
        Documents, and those among them that none of the runs ranks: others' runs brought them.
    """
    rows = [*_numbers(tables["systems"]), *_idle(tables["left_out"])]
    for measure in dict.fromkeys(tables["left_out"]["measure"]):
        rows += [(measure, "judged", judged), (measure, "in no run", unretrieved)]
    numbers = pd.DataFrame(rows, columns=columns_of("leave-one-out/numbers"))
    return {"numbers": numbers, "answer": answer({**tables, "numbers": numbers})}


def _numbers(systems: pd.DataFrame) -> Iterator[tuple]:
    """Rows of measure, quantity and value."""
    for measure, of in systems.groupby("measure", sort=False, observed=True):
        falls = (of["rank_left_out"] - of["rank"]).to_numpy()
        yield measure, "moved", np.count_nonzero(falls)
        yield measure, "farthest", np.abs(falls).max(initial=0)
        yield measure, "lower score", (of["score_left_out"] < of["score"] - TOLERANCE).sum()


def _idle(left_out: pd.DataFrame) -> Iterator[tuple]:
    """How many of those left out take no judgment with them."""
    for measure, of in left_out.groupby("measure", sort=False, observed=True):
        yield measure, "left out", len(of)
        yield measure, "take nothing", (of["lost"] == 0).sum()


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The first measure has a verdict and facts, each further one a verdict of its own."""
    measures = list(dict.fromkeys(tables["summary"]["measure"].astype(str)))
    said = list(dict.fromkeys(verdict_said(measure, tables) for measure in measures))
    said += [
        significant_said(measure, rows_of(tables, tables, measure)["summary"].iloc[0])
        for measure in measures[1:]
    ]
    of = rows_of(tables, tables, measures[0])
    row = of["summary"].iloc[0]
    what, numbers = what_of(row), of["numbers"].set_index("quantity")["value"]
    facts, is_idle = [], _is_idle(numbers)
    if row["systems"] > 1 and not is_idle:
        facts = [significant_said(measures[0], row)]
        facts += [error_said(row, of["systems"]), hurt_said(of["systems"])]
        facts.append(lost_said(of["left_out"]))
    without = of["left_out"].loc[of["left_out"]["lost_topics"] > 0]
    warnings = [idle_said(numbers, what), unretrieved_said(numbers)]
    if len(without):
        worst = without.sort_values("lost_topics", ascending=False, kind="stable").iloc[0]
        topics = counted(worst["lost_topics"], "topic")
        warnings.append(f"Without {worst['left_out']} {topics} would have no judgment left.")
    return Answer.of(
        LeaveOneOut.question,
        [said[0], *facts, *(() if is_idle else said[1:])],
        method=f"Each {what} is scored as if the others alone had made the pool ({row['pooling']}); "
        "these keep their scores. Documents outside the pool count as unjudged throughout.",
        notes=warnings,
        tables=TABLES,
    )


def _is_idle(numbers: Mapping[str, float]) -> bool:
    """Whether none of those left out takes a judgment with it, so that nothing can change."""
    return numbers["take nothing"] == numbers["left out"]


def what_of(row: Mapping) -> str:
    """What is left out one by one."""
    return "run" if row["by"] == "run" else "group of runs"


def verdict_said(measure: str, tables: Mapping[str, pd.DataFrame]) -> str:
    """Whether systems that stay out of the pool keep their ranks."""
    of = rows_of(tables, tables, measure)
    row = of["summary"].iloc[0]
    if row["systems"] == 1:
        return f"There is only one system, {of['systems']['system'].iloc[0]}: nothing is ranked."
    left = "Left out of the pool" if row["by"] == "run" else "Left out of the pool with its group"
    systems = counted(row["systems"], "system")
    numbers = of["numbers"].set_index("quantity")["value"]
    if _is_idle(numbers):
        what = f"no {what_of(row)} alone brought a judged document"
        return f"That is not known: {what}, so leaving one out shows nothing."
    if np.ptp(of["systems"]["score"]) <= TOLERANCE:
        return f"That is not known: by {measure} all {systems} score the same."
    if not row["sre"]:
        return f"{left}, none of the {systems} would change its rank by {measure}."
    moved = f"{numbers['moved']:,.0f} of the {systems}"
    farthest = unless_certain(
        f", by at most {numbers['farthest']:,.0f}", numbers["farthest"], row["systems"] - 1
    )
    return f"{left}, {moved} would change rank by {measure}{farthest}; {first_said(of['systems'])}."


def significant_said(measure: str, row: Mapping) -> str:
    """How many changes of order are between systems that differ significantly."""
    if not row["sre"]:
        return ""
    if pd.isna(row["sre_significant"]):
        return UNTESTED
    test = "two-sided paired t-test, uncorrected"
    significant = row["sre_significant"]
    if row["sre"] == 1:
        those = "differ" if significant else "do not differ"
        return (
            f"The systems of the one change of order by {measure} {those} significantly ({test})."
        )
    are = to_be(significant)
    return (
        f"{significant:,.0f} of {row['sre']:,.0f} changes of order by {measure} {are} "
        f"between systems that differ significantly ({test})."
    )


def first_said(systems: pd.DataFrame) -> str:
    """Whether the system in front stays there when it is left out."""
    first = systems[systems["rank"] == 1]
    fallen = first[first["rank_left_out"] > 1].head(HURT)
    if not len(fallen):
        return f"{named(first['system'], 'first system')} would stay first"
    return f"the first, {listed(fallen['system'])}, would fall to {listed(fallen['rank_left_out'])}"


def idle_said(numbers: Mapping[str, float], what: str) -> str:
    """Of how many nothing can be learnt, as no judgment is theirs alone."""
    idle, every = numbers["take nothing"], numbers["left out"]
    if idle <= IDLE * every:
        return ""
    each = "runs" if what == "run" else "groups"
    return (
        f"{idle:,.0f} of {every:,.0f} {each} brought no judged document alone, maybe as few of "
        "theirs were judged: leaving these out shows nothing of what a new system would lose."
    )


def unretrieved_said(numbers: Mapping[str, float]) -> str:
    """That runs which are not here brought documents too, where some did."""
    if not numbers["in no run"]:
        return ""
    return (
        f"{numbers['in no run']:,.0f} of {numbers['judged']:,.0f} judged documents are in none of "
        "these runs: other runs contributed to the pool, and may have contributed what counts here "
        "as contributed by one alone. The losses are upper bounds."
    )


def error_said(row: Mapping, systems: pd.DataFrame) -> str:
    """What scores lose on average, and at most."""
    if not row["largest_error"] > TOLERANCE:
        return "No score changes."
    errors = (systems["score_left_out"] - systems["score"]).abs()
    worst = systems.loc[errors.idxmax(), "system"]
    return (
        f"Scores change by {signed(row['bias'], 4)} on average (bias), at most by "
        f"{row['largest_error']:.4f}, that of {worst}."
    )


def hurt_said(systems: pd.DataFrame) -> str:
    """Which systems lose most ranks."""
    falls = systems.assign(fall=systems["rank_left_out"] - systems["rank"])
    falls = falls[falls["fall"] > 0].sort_values("fall", ascending=False, kind="stable").head(HURT)
    found = [f"{row.system} from {row.rank} to {row.rank_left_out}" for row in falls.itertuples()]
    return f"Largest rank losses: {listed(found)}." if found else ""


def lost_said(left_out: pd.DataFrame) -> str:
    """Who brought most judged documents that nobody else did."""
    most = left_out[left_out["lost"] == left_out["lost"].max()]
    count = most["lost"].iloc[0]
    if not count:
        return "No judged document was brought by one alone."
    documents = counted(count, "judged document")
    if len(most) > 1:
        who = listed(most["left_out"]) if len(most) <= NAMED else "Several"
        others = ", more than any other" if len(most) < len(left_out) else ""
        return f"{who} each brought {documents} that nobody else did{others}."
    return (
        f"{most['left_out'].iloc[0]} alone brought {documents}, more than any other, "
        f"{most['lost_relevant'].iloc[0]:,} of them relevant."
    )

"""Can new systems be evaluated with this pool?

The light is fine where no change of order is between systems that differ significantly, a problem
where nothing can be learnt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import NAMED, by_quantity, every, listed, named, of_measure
from regrade.catalogue import columns_of
from regrade.kendall import TOLERANCE
from regrade.pools.leave_out import SIGNIFICANCE
from regrade.pools.stage import LeaveOneOut
from regrade.wording import counted, number

TABLES = tuple(f"leave-one-out/{name}" for name in ("systems", "left_out", "summary", "numbers"))

IDLE = 0.25
"""Where more of those left out have no unique judgment, a note says so."""

FALLEN = 3
"""How many of the systems that fall from the first rank have a name."""


def answered(
    tables: Mapping[str, pd.DataFrame],
    judged: int,
    unretrieved: int,
    topics: int,
    significance: float = SIGNIFICANCE,
) -> dict[str, pd.DataFrame]:
    """The tables ``leave-one-out/numbers`` and ``leave-one-out/answer``.

    Parameters
    ----------
    tables
        ``systems``, ``left_out`` and ``summary``.
    judged, unretrieved
        Documents, and those among them that none of the runs ranks: others' runs brought them.
    topics
        Over which scores are means.
    significance
        Pairs with a smaller p differ significantly.
    """
    rows = [*_numbers(tables["systems"]), *_idle(tables["left_out"])]
    for measure in dict.fromkeys(tables["left_out"]["measure"]):
        rows += [(measure, "judged", judged), (measure, "in no run", unretrieved)]
        rows += [(measure, "topics", topics), (measure, "significance", significance)]
    numbers = pd.DataFrame(rows, columns=columns_of("leave-one-out/numbers"))
    return {"numbers": numbers, "answer": answer({**tables, "numbers": numbers})}


def _numbers(systems: pd.DataFrame) -> Iterator[tuple]:
    """Rows of measure, quantity and value."""
    for measure, of in systems.groupby("measure", sort=False, observed=True):
        falls = (of["rank_left_out"] - of["rank"]).to_numpy()
        yield measure, "moved", np.count_nonzero(falls)
        yield measure, "farthest", np.abs(falls).max(initial=0)
        change = (of["score_left_out"] - of["score"]).reset_index(drop=True)
        yield measure, "largest change", change[change.abs().idxmax()]
        yield measure, "lower score", (of["score_left_out"] < of["score"] - TOLERANCE).sum()


def _idle(left_out: pd.DataFrame) -> Iterator[tuple]:
    """How many of those left out take no judgment with them."""
    for measure, of in left_out.groupby("measure", sort=False, observed=True):
        yield measure, "left out", len(of)
        yield measure, "take nothing", (of["lost"] == 0).sum()


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The answer by the first measure; further ones have a column each, and a part of one fact."""
    summaries = {str(row["measure"]): row for _, row in tables["summary"].iterrows()}
    measure, *others = summaries
    systems, left_out = (of_measure(tables[name], measure) for name in ("systems", "left_out"))
    numbers = by_quantity(of_measure(tables["numbers"], measure))
    row, facts = summaries[measure], []
    if row["systems"] > 1 and not _is_idle(numbers):
        facts = [
            significant_changes(summaries, numbers["significance"]),
            score_changes(row, systems),
            unique_documents(left_out),
        ]
    return Answer.of(
        LeaveOneOut.question,
        [verdict(measure, systems, row, numbers), *facts],
        key=key(row, numbers),
        light=light(summaries, numbers),
        rows=system_table(tables["systems"], left_out, [measure, *others], numbers["topics"]),
        method=method([measure, *others], row, numbers),
        notes=[
            idle_runs(numbers, what_of(row)),
            unretrieved_documents(numbers),
            lost_topics(left_out),
        ],
        tables=TABLES,
    )


def _is_idle(numbers: Mapping[str, float]) -> bool:
    """Whether none of those left out takes a judgment with it, so that nothing can change."""
    return numbers["take nothing"] == numbers["left out"]


def _is_comparable(row: Mapping, numbers: Mapping[str, float]) -> bool:
    return row["systems"] > 1 and not _is_idle(numbers)


def what_of(row: Mapping) -> str:
    """What is left out one by one."""
    return "run" if row["by"] == "run" else "group of runs"


def verdict(measure: str, systems: pd.DataFrame, row: Mapping, numbers: Mapping[str, float]) -> str:
    """How many systems that stay out of the pool change rank, and by how much."""
    if row["systems"] == 1:
        return f"There is only one system, {systems['system'].iloc[0]}, so nothing is ranked."
    if _is_idle(numbers):
        return (
            f"No {what_of(row)} has unique judged documents, so leaving one out cannot show a bias "
            "against new systems."
        )
    if np.ptp(systems["score"]) <= TOLERANCE:
        return f"{every(row['systems'], 'system')} have the same mean {measure}."
    one = numbers["moved"] == 1
    condition = "when left out of the pool"
    if row["by"] != "run":
        condition = f"when {'its' if one else 'their'} group is left out"
    if not numbers["moved"]:
        return f"No system changes rank by {measure} {condition}."
    places = ""
    if numbers["farthest"] < row["systems"] - 1:
        places = f", by at most {counted(numbers['farthest'], 'place')}"
    moved = f"{numbers['moved']:,.0f} of {row['systems']:,.0f} systems"
    return f"{moved} {'changes' if one else 'change'} rank by {measure} {condition}{places}."


def key(row: Mapping, numbers: Mapping[str, float]) -> str:
    """How many systems change rank."""
    if not _is_comparable(row, numbers):
        return ""
    change = "changes" if numbers["moved"] == 1 else "change"
    return f"{numbers['moved']:,.0f} of {row['systems']:,.0f} systems {change} rank"


def light(summaries: Mapping[str, Mapping], numbers: Mapping[str, float]) -> str:
    """Whether a system changes places with one that differs significantly, by any measure."""
    rows = [*summaries.values()]
    if rows[0]["systems"] == 1:
        return ""
    if _is_idle(numbers):
        return PROBLEM
    if any(row["sre"] and pd.isna(row["sre_significant"]) for row in rows):
        return LOOK
    return LOOK if any(row["sre"] and row["sre_significant"] for row in rows) else FINE


def system_table(
    systems: pd.DataFrame, left_out: pd.DataFrame, measures: Sequence[str], topics: float
) -> AnswerTable | None:
    """All systems, those that lose most ranks first."""
    of = {m: of_measure(systems, m).astype({"system": str, "left_out": str}) for m in measures}
    first, *others = measures
    own = of[first].merge(
        left_out.astype({"left_out": str})[["left_out", "lost", "lost_relevant"]], on="left_out"
    )
    own = own.assign(
        fall=own["rank_left_out"] - own["rank"], loss=own["score"] - own["score_left_out"]
    )
    own = own.sort_values(["fall", "loss"], ascending=False, kind="stable")
    ranks = {
        m: {row.system: f"{row.rank} → {row.rank_left_out}" for row in of[m].itertuples()}
        for m in others
    }
    by_group = own["by"].astype(str).iloc[0] != "run"
    columns = [
        AnswerColumn("system"), *([AnswerColumn("group")] if by_group else []),
        AnswerColumn("unique judged", "count"), AnswerColumn("unique relevant", "count"),
        AnswerColumn(first, "number"), AnswerColumn(f"{first} left out", "number"),
        AnswerColumn("rank", "count"), AnswerColumn("rank left out", "count"),
        *(AnswerColumn(f"{m} rank") for m in others),
    ]  # fmt: skip
    cells = (
        (row.system, *([row.left_out] if by_group else []), row.lost, row.lost_relevant,
         row.score, row.score_left_out, row.rank, row.rank_left_out,
         *(ranks[m][row.system] for m in others))
        for row in own.itertuples()
    )  # fmt: skip
    n = f"{counted(len(own), 'system')} · {counted(topics, 'topic')}"
    return AnswerTable.of(f"{first} · {n}", columns, cells)


def significant_changes(summaries: Mapping[str, Mapping], significance: float) -> str:
    """How many changes of order are between systems that differ significantly."""
    parts = []
    for measure, row in summaries.items():
        if not row["sre"]:
            continue
        if pd.isna(row["sre_significant"]):
            return "With one topic, no pair of systems can be tested."
        significant, changes = row["sre_significant"], row["sre"]
        if changes == 1:
            of = "in the only change" if significant else "in no change"
        else:
            count = f"{significant:,.0f}" if significant else "none"
            of = f"in {count} of {changes:,.0f}" + ("" if parts else " changes")
        parts.append(
            f"{of} by {measure}" if parts and changes > 1 else f"{of} of order by {measure}"
        )
    if not parts:
        return ""
    return (
        f"The two systems differ significantly {listed(parts)} (two-sided paired t-test, "
        f"p < {significance:g}, uncorrected)."
    )


def score_changes(row: Mapping, systems: pd.DataFrame) -> str:
    """Whether the first system stays first, and how scores change."""
    first = first_place(systems)
    if not row["largest_error"] > TOLERANCE:
        return f"{first}; no score changes."
    change = systems["score_left_out"] - systems["score"]
    worst = change.abs().idxmax()
    return (
        f"{first}; scores change by {number(row['bias'], 4)} on average (largest: "
        f"{systems.loc[worst, 'system']}, {number(change[worst], 4)})."
    )


def first_place(systems: pd.DataFrame) -> str:
    """Whether the system that ranks first stays there when it is left out."""
    first = systems[systems["rank"] == 1]
    fallen = first[first["rank_left_out"] > 1].head(FALLEN)
    if not len(fallen):
        stay = "stays" if len(first) == 1 else "stay"
        return f"{named(first['system'], 'system')} {stay} first"
    fall = "falls" if len(fallen) == 1 else "fall"
    ranks = f"{'rank' if len(fallen) == 1 else 'ranks'} {listed(fallen['rank_left_out'])}"
    return f"{listed(fallen['system'])} {fall} from rank 1 to {ranks}"


def unique_documents(left_out: pd.DataFrame) -> str:
    """Which of those left out has the most unique judged documents."""
    most = left_out[left_out["lost"] == left_out["lost"].max()]
    count = most["lost"].iloc[0]
    documents = f"unique judged {'document' if count == 1 else 'documents'}"
    if len(most) > 1:
        if len(most) > NAMED:
            return ""
        return f"{listed(most['left_out'])} have the most unique judged documents ({count:,} each)."
    return (
        f"{most['left_out'].iloc[0]} has the most {documents} ({count:,}, of which "
        f"{most['lost_relevant'].iloc[0]:,} relevant)."
    )


def idle_runs(numbers: Mapping[str, float], what: str) -> str:
    """Of how many nothing can be learnt, as no judgment is theirs alone."""
    idle, total = numbers["take nothing"], numbers["left out"]
    if idle <= IDLE * total:
        return ""
    have = "has" if idle == 1 else "have"
    return (
        f"{idle:,.0f} of {counted(total, what, f'{what}s' if what == 'run' else 'groups of runs')} "
        f"{have} no unique judged documents, perhaps because few of their documents were judged. "
        "Leaving these out does not show what a new system would lose."
    )


def unretrieved_documents(numbers: Mapping[str, float]) -> str:
    """That runs which are not here contributed documents too, where some did."""
    if not numbers["in no run"]:
        return ""
    return (
        f"{numbers['in no run']:,.0f} of {numbers['judged']:,.0f} judged documents are in none of "
        "these runs, so other runs contributed to the pool, perhaps also documents that count as "
        "unique here. The losses are upper bounds."
    )


def lost_topics(left_out: pd.DataFrame) -> str:
    """Without whom most topics would have no judgment."""
    worst = left_out.loc[left_out["lost_topics"].idxmax()]
    if not worst["lost_topics"]:
        return ""
    topics = counted(worst["lost_topics"], "topic")
    return f"Without {worst['left_out']}, {topics} would have no judgment."


def method(measures: Sequence[str], row: Mapping, numbers: Mapping[str, float]) -> str:
    """What was computed, with test and n."""
    what, topics = what_of(row), counted(numbers["topics"], "topic")
    each = "their" if what != "run" else "its"
    return (
        f"Each {what} was left out of the pool ({row['pooling']}) in turn: documents that it alone "
        f"contributed became unjudged, {each} scores (mean {listed(measures)} over {topics}) were "
        "computed anew and ranked among the scores of the other systems, which were kept. "
        "Documents outside the pool counted as unjudged. Systems whose order changed were compared "
        f"by two-sided paired t-tests over topics (p < {numbers['significance']:g}, uncorrected)."
    )

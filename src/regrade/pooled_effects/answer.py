"""Does an effect hold over several collections?

The light is fine where the effect does not differ significantly between collections and the
verdict is significant; else it is to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd
from scipy.special import stdtrit

from regrade.answers.changed import estimate
from regrade.answers.shape import FINE, LOOK, Answer
from regrade.answers.table import AnswerColumn, AnswerTable, interval, p_value
from regrade.answers.words import NAMED, by_quantity, listed, named, p_clause, with_interval
from regrade.catalogue import columns_of
from regrade.evaluations.judge_differences import THRESHOLD, WORSE
from regrade.percentiles import CONFIDENCE, ends
from regrade.pooled_effects.effects import Effects, SampledEffect
from regrade.pooled_effects.margin_verdicts import (
    LIGHTS,
    margin_method,
    margin_notes,
    margin_rows,
    margin_verdict,
    with_line_names,
)
from regrade.pooled_effects.stage import MetaAnalysis
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.wording import counted, number, to_be

TABLES = tuple(f"meta_analysis/{name}" for name in ("overall", "ranking", "effects", "numbers"))

MOST_COLUMNS = 3
"""Up to so many collections have a column each in the answer's table."""


def answer_tables(
    tables: Mapping[str, pd.DataFrame], effects: Effects, resamples: int, seed: int
) -> dict[str, object]:
    """The table ``meta_analysis/numbers`` and the answer."""
    measure = effects.measures[0]
    own = {name: _of_measure(table, measure) for name, table in tables.items()}
    numbers = pd.DataFrame(
        _numbers(own, effects, resamples, seed), columns=columns_of("meta_analysis/numbers")
    )
    return {"numbers": numbers, "answer": answer(own, by_quantity(numbers), effects)}


def _of_measure(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    is_own = table["measure"].fillna("").astype(str) == measure
    return table[is_own].reset_index(drop=True)


def _numbers(
    own: Mapping[str, pd.DataFrame], effects: Effects, resamples: int, seed: int
) -> Iterator[tuple[str, float]]:
    overall, ranking = own["overall"], own["ranking"]
    count = len(effects.collections)
    yield "collections", count
    topics = {name: _topics_of(own["effects"], name) for name in effects.collections}
    yield from ((f"topics of {name}", topics[name]) for name in topics)
    yield "topics", sum(topics.values())
    yield "subjects", len(overall)
    yield "in all collections", (overall["collections"] == count).sum()
    verdict = ranking["verdict"].astype(str)
    yield WORSE, (verdict == WORSE).sum()
    yield THRESHOLD, (verdict == THRESHOLD).sum()
    yield "ranked", len(ranking)
    pooled = overall[overall["collections"] > 1]
    yield "tested for heterogeneity", pooled["p_adjusted"].notna().sum()
    yield "heterogeneous", (pooled["p_adjusted"] < SIGNIFICANCE).sum()
    significant = pooled["p_mean_adjusted"] < SIGNIFICANCE
    yield "effect above 0", (significant & (pooled["mean"] > 0)).sum()
    yield "effect below 0", (significant & (pooled["mean"] < 0)).sum()
    yield "pooled", len(pooled)
    if effects.effect.has_margin:
        words = overall["verdict"].dropna().astype(str)
        yield "lines", len(words)
        yield from ((word, (words == word).sum()) for word in LIGHTS)
    width = pooled["high"] - pooled["low"]
    wide = pooled["population_high"] - pooled["population_low"]
    if (width > 0).any():
        yield "median ratio of widths", (wide / width)[width > 0].median()
    if count > 1:
        yield "degrees of freedom of the population", count - 1
        yield "quantile of t", float(stdtrit(count - 1, ends(CONFIDENCE)[1]))
    yield (
        "undefined topics",
        sum(one.undefined for of in effects.of.values() for one in of.values() if one.count),
    )
    yield "resamples", resamples
    yield "seed", seed
    yield "significance", SIGNIFICANCE


def _topics_of(effects: pd.DataFrame, collection: str) -> int:
    of_one = effects.loc[effects["in_collection"] == collection, "topics"]
    return int(of_one.max()) if len(of_one) else 0


def answer(
    own: Mapping[str, pd.DataFrame], numbers: Mapping[str, float], effects: Effects
) -> Answer:
    """What holds over the collections, of tables of one measure."""
    noun = noun_of(effects)
    if effects.effect.has_margin:
        return margin_answer(own, numbers, effects)
    if effects.effect.is_agreement:
        verdict = agreement_verdict(own, numbers, effects)
        significant = numbers[WORSE] > 0
    else:
        verdict = effect_verdict(own, numbers, effects)
        significant = numbers["effect above 0"] + numbers["effect below 0"] > 0
    is_fine = significant and not numbers["heterogeneous"]
    facts = [
        heterogeneity_fact(own["overall"], numbers, effects, noun),
        population_fact(own, numbers, effects),
    ]
    return Answer.of(
        MetaAnalysis.question,
        [verdict, *facts],
        key=key(own, effects),
        light=FINE if is_fine else LOOK,
        rows=effect_rows(own, effects),
        method=method(effects, numbers),
        notes=notes(own, numbers, effects, noun),
        tables=TABLES,
    )


def margin_answer(
    own: Mapping[str, pd.DataFrame], numbers: Mapping[str, float], effects: Effects
) -> Answer:
    """Whether a judge can replace people over the collections."""
    overall = own["overall"]
    own = {name: with_line_names(table) for name, table in own.items()}
    word, sentence, key = margin_verdict(overall, effects.collections)
    return Answer.of(
        MetaAnalysis.question,
        [sentence, heterogeneity_fact(own["overall"], numbers, effects, "line")],
        key=key,
        light=LIGHTS[word],
        rows=margin_rows(own, effects),
        method=margin_method(method(effects, numbers)),
        notes=[*margin_notes(effects), *notes(own, numbers, effects, "line")],
        tables=TABLES,
    )


def noun_of(effects: Effects) -> str:
    """What the effect is of: a judge; a judge and a family."""
    keys = effects.effect.keys
    return keys[0] if len(keys) == 1 else f"pair of {' and '.join(keys)}"


def _plural(noun: str) -> str:
    first, of, rest = noun.partition(" of ")
    return f"{first}s{of}{rest}"


def _of_collections(numbers: Mapping[str, float]) -> str:
    return counted(numbers["collections"], "collection")


def _by(effects: Effects) -> str:
    """The measure and the symbol, as sentences name the effect."""
    return ", ".join(filter(None, [effects.measures[0], effects.effect.symbol]))


def _digits(effects: Effects) -> int:
    return 2 if effects.effect.is_agreement else 3


def agreement_verdict(
    own: Mapping[str, pd.DataFrame], numbers: Mapping[str, float], effects: Effects
) -> str:
    """Which agrees best over the collections, and how many agree significantly less."""
    ranking, noun = own["ranking"], noun_of(effects)
    if len(effects.collections) == 1 or ranking.empty:
        return effect_verdict(own, numbers, effects)
    first = ranking.iloc[0]
    row = _row(own["overall"], first["subject"])
    inside = estimate(_by(effects), row["mean"], (row["low"], row["high"]))
    sentence = f"{first['subject']} agrees best over {_of_collections(numbers)} ({inside})"
    others = len(ranking) - 1
    if ranking["low"].notna().sum() == 0:
        return f"{sentence}; differences between {_plural(noun)} are not tested."
    worse = int(numbers[WORSE])
    if others == 1:
        agree = f"the other {'agrees' if worse else 'does not agree'}"
    elif worse:
        agree = f"{worse:,} of {others:,} others {'agrees' if worse == 1 else 'agree'}"
    else:
        agree = f"none of {others:,} others agrees"
    return f"{sentence}; {agree} significantly less (simultaneous 95% CIs)."


def _row(table: pd.DataFrame, subject: object) -> pd.Series:
    return table[table["subject"].astype(str) == str(subject)].iloc[0]


def effect_verdict(
    own: Mapping[str, pd.DataFrame], numbers: Mapping[str, float], effects: Effects
) -> str:
    """How many effects over the collections are above and below 0; of one, its size."""
    overall, noun = own["overall"], noun_of(effects)
    if len(effects.collections) == 1:
        (collection,) = effects.collections
        return f"There is one collection, {collection}, so nothing is pooled or compared."
    pooled = overall[overall["collections"] > 1]
    if pooled.empty:
        return f"No {noun} has a value in two collections."
    if len(pooled) == 1 or effects.effect.is_agreement:
        row = pooled.loc[pooled["mean"].idxmax()]
        digits = _digits(effects)
        value = with_interval(row["mean"], row["low"], row["high"], digits)
        over = counted(row["collections"], "collection")
        return f"{_by(effects)} of {row['subject']} over {over} is {value}."
    if pooled["p_mean"].isna().all():
        return (
            f"{_by(effects)} over {_of_collections(numbers)} is not tested: too few topics, or no "
            "variation among topics."
        )
    above, below = numbers["effect above 0"], numbers["effect below 0"]
    if not above + below:
        return (
            f"{_by(effects)} over {_of_collections(numbers)} does not differ significantly from 0 "
            f"for any of {counted(len(pooled), noun, _plural(noun))} (Student's or Hall's t, Holm)."
        )
    return (
        f"{_by(effects)} over {_of_collections(numbers)} is significantly above 0 for "
        f"{above:,.0f} and below 0 for {below:,.0f} of {counted(len(pooled), noun, _plural(noun))} "
        "(Student's or Hall's t, Holm)."
    )


def key(own: Mapping[str, pd.DataFrame], effects: Effects) -> str:
    """The first one's effect over the collections."""
    if len(own["ranking"]):
        first = _row(own["overall"], own["ranking"]["subject"].iloc[0])
    else:
        order = ["collections", "mean"]
        first = own["overall"].sort_values(order, ascending=False, kind="stable").iloc[0]
    if pd.isna(first["mean"]):
        return ""
    value = f"{effects.effect.symbol} = {number(first['mean'], _digits(effects))}"
    return f"{value}, {first['subject']} over {counted(first['collections'], 'collection')}"


def heterogeneity_fact(
    overall: pd.DataFrame, numbers: Mapping[str, float], effects: Effects, noun: str
) -> str:
    """For how many the effect differs between collections."""
    tested = int(numbers["tested for heterogeneity"])
    if not tested:
        return ""
    differing = overall[overall["p_adjusted"] < SIGNIFICANCE]
    symbol = effects.effect.symbol
    if symbol[0].isascii():
        symbol = symbol[0].upper() + symbol[1:]
    how = "Welch's test, Holm" if tested > 1 else "Welch's test"
    if tested == 1:
        row = overall[overall["p_adjusted"].notna()].iloc[0]
        word = "differs" if len(differing) else "does not differ"
        inside = [how, p_clause(row["p"])]
        return (
            f"{symbol} of {row['subject']} {word} significantly between collections "
            f"({', '.join(inside)})."
        )
    if differing.empty:
        smallest = p_value(overall["p_adjusted"].min())
        return (
            f"{symbol} does not differ significantly between collections for any of {tested:,} "
            f"{_plural(noun)} ({how}; smallest adjusted p = {smallest})."
        ).replace("p = <", "p < ")
    names = f": {listed(differing['subject'].tolist())}" if len(differing) <= NAMED else ""
    return (
        f"{symbol} differs significantly between collections for {len(differing):,} of {tested:,} "
        f"{_plural(noun)} ({how}){names}."
    )


def population_fact(
    own: Mapping[str, pd.DataFrame], numbers: Mapping[str, float], effects: Effects
) -> str:
    """What so few collections say of others, of the first subject."""
    count, overall = numbers["collections"], own["overall"]
    pooled = overall[(overall["collections"] == count) & overall["population_low"].notna()]
    if count < 2 or pooled.empty:
        return ""
    first = own["ranking"]["subject"].iloc[0] if len(own["ranking"]) else None
    row = pooled.loc[pooled["mean"].idxmax()] if first is None else _row(pooled, first)
    ends = interval(row["population_low"], row["population_high"], _digits(effects))
    freedom = numbers["degrees of freedom of the population"]
    of = f"{counted(freedom, 'degree')} of freedom, t = {number(numbers['quantile of t'], 1)}"
    sentence = f"For the population of collections the 95% CI of {row['subject']} is {ends} ({of})"
    if count == 2 and numbers.get("median ratio of widths", 0) > 2:
        return f"{sentence}; two collections support no conclusion about others."
    return f"{sentence}."


def effect_rows(own: Mapping[str, pd.DataFrame], effects: Effects) -> AnswerTable | None:
    """A row for each subject: over the collections, in each, and how much it differs."""
    overall, ranking, each = own["overall"], own["ranking"], own["effects"]
    names, digits = effects.collections, _digits(effects)
    symbol, is_one = effects.effect.symbol, len(effects.collections) == 1
    beside = names if len(names) <= MOST_COLUMNS else ()
    columns = [AnswerColumn(" · ".join(effects.effect.keys))]
    if not is_one:
        columns.append(AnswerColumn(f"mean {symbol}", "estimate", digits))
    if len(ranking):
        columns += [
            AnswerColumn("Δ from first", "estimate", digits, "simult. 95% CI"),
            AnswerColumn("p (max-t)", "p"),
        ]
    elif not (is_one or effects.effect.is_agreement):
        columns.append(AnswerColumn("p (t, Holm)", "p"))
    columns += [AnswerColumn(name, "estimate", digits) for name in beside]
    if len(names) > 1:
        columns += [AnswerColumn("I²", "share", 2), AnswerColumn("p (Welch, Holm)", "p")]
    order = [*ranking["subject"].astype(str)]
    rest = overall.sort_values(["collections", "mean"], ascending=False, kind="stable")
    rest = rest["subject"].astype(str)
    by_subject = overall.set_index(overall["subject"].astype(str))
    ranked = ranking.set_index(ranking["subject"].astype(str))
    in_each = each.set_index([each["subject"].astype(str), each["in_collection"].astype(str)])
    rows = []
    for subject in [*order, *(one for one in rest if one not in order)]:
        one = by_subject.loc[subject]
        row = [subject]
        if not is_one:
            row.append((one["mean"], one["low"], one["high"]))
        if len(ranking):
            has = subject in ranked.index
            of = ranked.loc[subject] if has else None
            row += [
                (of["difference"], of["low"], of["high"]) if has else (None, None, None),
                of["p_adjusted"] if has else None,
            ]
        elif not (is_one or effects.effect.is_agreement):
            row.append(one["p_mean_adjusted"])
        for name in beside:
            has = (subject, name) in in_each.index
            of = in_each.loc[(subject, name)] if has else None
            row.append((of["value"], of["low"], of["high"]) if has else (None, None, None))
        if len(names) > 1:
            row += [one["i_squared"], one["p_adjusted"]]
        rows.append(row)
    measure = effects.measures[0]
    noun = noun_of(effects)
    title = f"{counted(len(overall), noun, _plural(noun))} · {listed(names)}"
    return AnswerTable.of(f"{measure} · {title}" if measure else title, columns, rows)


def method(effects: Effects, numbers: Mapping[str, float]) -> str:
    """What was computed, with every test, interval, n and seed."""
    topics = listed([
        f"{name} ({counted(numbers[f'topics of {name}'], 'topic')})" for name in effects.collections
    ])  # fmt: skip
    measure = effects.measures[0]
    by = f" ({measure})" if measure else ""
    parts = [f"The effect is {effects.effect.words}{by}, in {topics}."]
    is_sampled = any(isinstance(one, SampledEffect) for of in effects.of.values()
                     for one in of.values())  # fmt: skip
    error = (
        "the standard deviation over bootstrap samples of topics"
        if is_sampled
        else ("the standard error over topics")
    )
    of_each = "Student's t" if is_sampled else "Student's t, or Hall's for skewed topics if wider"
    parts.append(f"95% confidence intervals in a collection are by {of_each}, with {error}.")
    if len(effects.collections) == 1:
        return " ".join(parts)
    parts.append(
        "Over collections it is the mean of the collections' effects with equal weights; its 95% "
        "confidence interval takes the collections as fixed and their topics as samples "
        "(Satterthwaite's degrees of freedom). For the population of collections it is by "
        "Student's t of the collections' effects (Hartung–Knapp with equal weights)."
    )
    if not (effects.effect.is_agreement or effects.effect.has_margin):
        parts.append(
            "Means were tested against 0 by Student's t, or Hall's for skewed topics if its p is "
            "greater, with Holm's correction; without it, p is below 0.05 where the interval "
            "excludes 0."
        )
    parts.append(
        "Heterogeneity: Welch's test with Holm's correction; the variance among collections by "
        "Paule and Mandel, with the Q profile for its interval and that of I²."
    )
    if numbers["ranked"]:
        samples = (
            "the same samples"
            if is_sampled
            else (f"{numbers['resamples']:,.0f} samples, seed {numbers['seed']:.0f}")
        )
        parts.append(
            "Differences from the first have simultaneous 95% confidence intervals and adjusted "
            "p-values (max-t: studentised maximum over all pairs in bootstrap samples of topics "
            f"within collections, {samples})."
        )
    return " ".join(parts)


def notes(
    own: Mapping[str, pd.DataFrame],
    numbers: Mapping[str, float],
    effects: Effects,
    noun: str,
) -> Iterator[str]:
    """What is left out, and what a reader would not expect."""
    overall, count = own["overall"], len(effects.collections)
    yield from effects.notes
    nowhere = overall.loc[overall["collections"] == 0, "subject"].astype(str).tolist()
    if nowhere:
        yield (
            f"{named(nowhere, noun, _plural(noun))} {to_be(len(nowhere))} without an effect in any "
            "collection."
        )
    some = overall["collections"].between(1, count - 1)
    if lacking := overall.loc[some, "subject"].astype(str).tolist():
        yield (
            f"{named(lacking, noun, _plural(noun))} {to_be(len(lacking))} not in all collections: "
            "the mean is over those that have it"
            f"{', and it is not ranked' if effects.effect.is_agreement else ''}."
        )
    in_all = overall.loc[overall["collections"] == count, "subject"].astype(str)
    apart = [one for one in in_all if one not in {*own["ranking"]["subject"].astype(str)}]
    if effects.effect.is_agreement and len(own["ranking"]) and apart:
        yield (
            f"{named(apart, noun, _plural(noun))} {to_be(len(apart))} not ranked: other topics "
            "than most in some collection."
        )
    for measure, names in effects.unshared.items():
        yield f"{measure} is left out: only {listed(names)} {to_be(len(names))} scored by it."
    without = [name for name in effects.collections if not numbers[f"topics of {name}"]]
    if without:
        has = "has" if len(without) == 1 else "have"
        yield f"{listed(without)} {has} no value of {effects.effect.symbol}."
    if numbers["undefined topics"]:
        yield (
            f"{counted(numbers['undefined topics'], 'value')} of topics "
            f"{to_be(numbers['undefined topics'])} undefined and left out."
        )
    near = own["ranking"]["verdict"].astype(str) == THRESHOLD
    if near.any():
        subjects = own["ranking"].loc[near, "subject"].astype(str).tolist()
        yield (
            f"{named(subjects, noun, _plural(noun))} {to_be(len(subjects))} at the threshold of "
            "significance, within three Monte Carlo errors."
        )
    if len(own["ranking"]) > 2:
        yield (
            f"The mean of the first of {len(own['ranking']):,} {_plural(noun)} is optimistic, "
            "because it was chosen by its value (winner's curse)."
        )

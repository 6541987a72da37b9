"""Which documents carry a judge's favour: exact parts, labels of unique documents, tables."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regrade
from regrade.favours.document_rows import LISTED
from regrade.favours.documents import (
    GROUPS,
    Comparison,
    FirstDocuments,
    gains_of,
    is_carried,
    label_differences,
    parts_of,
    rank_weights,
)
from regrade.favours.effects import contrasts
from regrade.measures import parse
from regrade.run_arrays import Judged
from regrade.scoring import score

TOPICS = [f"q{t}" for t in range(24)]
DOCNOS = [f"d{n:02}" for n in range(30)]
FAMILY = ("s0", "s1")
MEASURES = ("nDCG@10", "nDCG@5", "nDCG", "nDCG(dcg='exp-log2')@10", "P@10", "P(rel=2)@5", "DCG@10",
            "RBP(p=0.8)", "SDCG@10", "nDCG(gains={1:1,2:5,3:6})@10")  # fmt: skip


def labels(rng, high, share=0.95, topics=TOPICS):
    """Grades of some documents of each topic, by topic and document."""
    return {
        t: {d: int(rng.integers(0, high + 1)) for d in DOCNOS if d == "d00" or rng.random() < share}
        for t in topics
    }


def runs(rng, systems=6, length=20):
    """Rankings of all systems; the first two are alike."""
    liked = {t: rng.normal(size=len(DOCNOS)) for t in TOPICS}
    return {
        f"s{s}": {
            t: dict(zip(
                np.array(DOCNOS)[np.argsort(-(liked[t] * (s < 2) + rng.normal(
                    size=len(DOCNOS))))[:length]].tolist(),
                range(length, 0, -1), strict=True,
            ))
            for t in TOPICS
        }
        for s in range(systems)
    }  # fmt: skip


def on_shared(*sets):
    """Only the documents that all sets have; a set may lack topics."""
    kept = []
    for one in sets:
        documents = {
            t: set.intersection(*(set(other[t]) for other in sets if t in other)) for t in one
        }
        kept.append({t: {d: g for d, g in of.items() if d in documents[t]}
                     for t, of in one.items()})  # fmt: skip
    return kept


def table(of):
    rows = [(t, d, float(g)) for t, own in of.items() for d, g in own.items()]
    return pa.table(
        dict(zip(("topic", "docno", "grade"), map(list, zip(*rows, strict=True)), strict=True))
    )


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(4)
    sets = on_shared(
        labels(rng, 3), labels(rng, 3), labels(rng, 1), labels(rng, 3, topics=TOPICS[2:]),
        labels(rng, 3, topics=TOPICS[:19]),
    )  # fmt: skip
    reference, graded, binary, *controls = sets
    return (
        reference,
        {"graded": graded, "binary": binary},
        dict(zip("ab", controls, strict=True)),
        runs(rng),
    )


def first_documents(world, measure):
    reference, judges, controls, of = world
    ranked = regrade.read_runs(of).ranked
    highs = {"graded": 3.0, "binary": 1.0}
    return ranked, FirstDocuments.of(
        parse(measure), ranked, TOPICS, (table(reference), 3.0),
        [(table(one), highs[name]) for name, one in judges.items()],
        [(table(one), 3.0) for one in controls.values()],
    )  # fmt: skip


def scores(world, ranked, measure):
    """(T, S), (J, T, S) and (C, T, S) by the library; NaN on topics that a control lacks."""
    reference, judges, controls, _ = world
    highs = {"binary": 1.0}

    def of(name, one):
        judged = Judged.from_table(table(one), ranked)
        own = score(ranked, judged, [measure], max_grade=highs.get(name, 3.0))
        values = np.full((len(TOPICS), len(ranked.systems)), np.nan)
        values[[TOPICS.index(t) for t in own.topics]] = own.values[:, :, 0].T
        return values

    every = {**judges, **controls}
    return of("", reference), *(
        np.array([of(name, every[name]) for name in group]) for group in (judges, controls)
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_gains_and_weights_make_up_the_scores(world, measure):
    if "rel=2" in measure:
        world = world[0], {"graded": world[1]["graded"]}, world[2], world[3]
    ranked, documents = first_documents(world, measure)
    assert is_carried(parse(measure))
    for of, wanted in zip(
        (documents.reference, documents.judges, documents.controls),
        scores(world, ranked, measure), strict=True,
    ):  # fmt: skip
        wanted = wanted.reshape(-1, *wanted.shape[-2:])
        for own, values in zip(of.gains, wanted, strict=True):
            for t, _ in enumerate(TOPICS):
                is_of = documents.topic == t
                np.testing.assert_allclose(
                    documents.weights[:, is_of] @ own[is_of], values[t], atol=1e-12
                )


@pytest.mark.parametrize("measure", ["AP", "RR", "nDCG(judged_only=True)@10", "ERR@10"])
def test_measures_that_are_no_sums_are_not_split(measure):
    assert not is_carried(parse(measure))


def plain_parts(world, measure, family, depth, judge, high, control=()):
    """By definition, one document at a time: the mean over topics of the parts of each group."""
    reference, judges, controls, of = world
    measure = parse(measure)
    own, others = [s for s in of if s in family], [s for s in of if s not in family]
    sums = {group: [] for group in GROUPS}
    topics = [t for t in TOPICS if not control or any(t in controls[c] for c in control)]
    for t in topics:
        ranks = {s: {d: i + 1 for i, d in enumerate(of[s][t])} for s in of}

        def gain(labels, high, d, t=t):
            if d not in labels[t]:
                return 0.0
            every = gains_of(measure, np.array([*labels[t].values()], float), high)
            best = np.sort(every)[::-1]
            ideal = float(best @ rank_weights(measure, len(best))) or np.inf
            own = gains_of(measure, np.array([float(labels[t][d])]), high)[0]
            return own / (ideal if measure.name == "nDCG" else 1.0)

        def weight(d, systems, ranks=ranks):
            of = [rank_weights(measure, 40)[ranks[s][d] - 1] if d in ranks[s] else 0
                  for s in systems]  # fmt: skip
            return sum(of) / len(of)

        def is_first(d, systems, ranks=ranks):
            return any(ranks[s].get(d, np.inf) <= depth for s in systems)

        parts = dict.fromkeys(GROUPS, 0.0)
        for d in DOCNOS:
            less = gain(judges[judge], high, d) - gain(reference, 3.0, d)
            known = [controls[c] for c in control if t in controls[c]]
            if known:
                less -= np.mean([gain(one, 3.0, d) - gain(reference, 3.0, d) for one in known])
            inside, outside = is_first(d, own), is_first(d, others)
            group = {(1, 0): "unique", (1, 1): "shared", (0, 1): "others", (0, 0): "deeper"}
            parts[group[inside, outside]] += (weight(d, own) - weight(d, others)) * less
        for name, value in parts.items():
            sums[name].append(value)
    return [np.mean(sums[group]) for group in GROUPS]


@pytest.mark.parametrize("measure", ["nDCG@5", "nDCG", "P@10"])
@pytest.mark.parametrize("control", [(), ("a", "b")])
def test_parts_are_those_of_the_definition_and_add_up_to_the_favour(world, measure, control):
    ranked, documents = first_documents(world, measure)
    members = np.array([[name in FAMILY for name in ranked.systems]])
    reference, judges, controls = scores(world, ranked, measure)
    is_known = ~np.isnan(controls[:, :, 0]).all(axis=0) if control else np.ones(len(TOPICS), bool)
    than = Comparison.of_all(reference[is_known], members)
    parts = parts_of(documents, members, than, beside_control=bool(control))
    depth = {"nDCG@5": 5}.get(measure, 10)
    for judge, (name, high) in enumerate((("graded", 3.0), ("binary", 1.0))):
        wanted = plain_parts(world, measure, FAMILY, depth, name, high, control)
        np.testing.assert_allclose(parts.carried.value[judge, 0], wanted, atol=1e-12)
        less = judges[judge] - reference
        if control:
            less = less - np.nanmean(controls - reference, axis=0)
        favour = (less @ contrasts(members).T)[is_known].mean()
        assert parts.carried.value[judge, 0].sum() == pytest.approx(favour, abs=1e-12)
        of_documents = np.nansum(parts.differences[judge] * parts.weights[0]) / is_known.sum()
        assert of_documents == pytest.approx(favour, abs=1e-12)


def test_at_equal_quality_parts_add_up_and_pseudo_values_are_the_jackknifes(world):
    ranked, documents = first_documents(world, "nDCG@10")
    members = np.array([[name in FAMILY for name in ranked.systems],
                        [name in ("s1", "s2", "s3") for name in ranked.systems]])  # fmt: skip
    reference, judges, _ = scores(world, ranked, "nDCG@10")
    rng = np.random.default_rng(1)
    than = Comparison(
        Comparison.of_all(reference, members).contrasts,
        rng.normal(size=2), rng.normal(size=(2, len(TOPICS))),
    )  # fmt: skip
    parts = parts_of(documents, members, than, beside_control=False)
    less = judges - reference - than.slope[:, None, None] * reference
    favour = (less @ contrasts(members).T).mean(axis=1)
    np.testing.assert_allclose(parts.carried.value.sum(axis=-1), favour, atol=1e-12)


def test_the_ideal_part_is_all_where_labels_are_a_multiple():
    """Under labels of which only the ideal differs, gains of documents that are seen are alike."""
    of = {f"s{s}": {t: {d: 20 - i for i, d in enumerate(DOCNOS[s:s + 12])} for t in TOPICS}
          for s in range(4)}  # fmt: skip
    reference = {t: {d: i % 3 for i, d in enumerate(DOCNOS)} for t in TOPICS}
    judge = {t: own | {DOCNOS[-1]: 3, DOCNOS[-2]: 3} for t, own in reference.items()}
    ranked = regrade.read_runs(of).ranked
    documents = FirstDocuments.of(
        parse("nDCG@10"), ranked, TOPICS, (table(reference), 3.0), [(table(judge), 3.0)], []
    )
    members = np.array([[True, False, False, False]])
    values = np.zeros((len(TOPICS), 4))
    parts = parts_of(documents, members, Comparison.of_all(values, members), beside_control=False)
    assert np.abs(parts.carried.value).max() > 0.001
    np.testing.assert_allclose(parts.of_ideal, parts.carried.value, atol=1e-12)


def plain_difference(world, family, judge, high, *, equal, control=(), leave_out=None):
    """The mean over unique documents less that over the others, document by document."""
    reference, judges, controls, of = world
    rows = []
    for t in TOPICS:
        if t == leave_out:
            continue
        tops = {s: set([*of[s][t]][:10]) for s in of}
        inside = set.union(*(tops[s] for s in family))
        outside = set.union(*(tops[s] for s in of if s not in family))
        for d in (inside | outside) & set(reference[t]):
            known = [controls[c][t][d] / 3 for c in control if t in controls[c]]
            if control and not known:
                continue
            less = np.mean(known) if control else reference[t][d] / 3
            value = judges[judge][t][d] / high - less
            rows.append((d in inside and d not in outside, reference[t][d] if equal else 0, value))
    frame = pd.DataFrame(rows, columns=["unique", "grade", "value"])
    total = weight = 0.0
    for _, own in frame.groupby("grade"):
        if own["unique"].any() and not own["unique"].all():
            means = own.groupby("unique")["value"].mean()
            total += own["unique"].sum() * (means[True] - means[False])
            weight += own["unique"].sum()
    return total / weight if weight else np.nan


@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("control", [(), ("a", "b")])
def test_differences_of_labels_by_definition_with_the_jackknife(world, equal, control):
    ranked, documents = first_documents(world, "nDCG@10")
    members = np.array([[name in FAMILY for name in ranked.systems]])
    of = label_differences(documents, members, beside_control=bool(control), equal_grades=equal)
    for judge, (name, high) in enumerate((("graded", 3.0), ("binary", 1.0))):
        how = {"equal": equal, "control": control}
        value = plain_difference(world, FAMILY, name, high, **how)
        assert of.value[judge, 0] == pytest.approx(value, abs=1e-12)
        without = [plain_difference(world, FAMILY, name, high, **how, leave_out=t) for t in TOPICS]
        pseudo = 24 * value - 23 * np.array(without)
        error = pseudo.std(ddof=1) / np.sqrt(24)
        assert of.high[judge, 0] - of.low[judge, 0] >= 2 * 2.06 * error
        assert of.low[judge, 0] < value < of.high[judge, 0]


def test_too_few_topics_give_no_interval(world):
    reference, judges, _, of = world
    few = {t: of_topic for t, of_topic in reference.items() if t in TOPICS[:9]}
    ranked = regrade.read_runs(of).ranked
    documents = FirstDocuments.of(
        parse("nDCG@10"), ranked, TOPICS[:9], (table(few), 3.0),
        [(table({t: judges["graded"][t] for t in few}), 3.0)], [],
    )  # fmt: skip
    members = np.array([[name in FAMILY for name in ranked.systems]])
    estimates = label_differences(documents, members, beside_control=False, equal_grades=False)
    assert np.isfinite(estimates.value).all() and np.isnan(estimates.low).all()


# the tables -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def favour(world):
    reference, judges, controls, of = world
    families = {"alike": list(FAMILY), "last": ["s5"], "both": ["s1", "s2", "s3"]}
    return regrade.favour(
        reference, judges, of, families, ["nDCG@10", "AP"], controls=controls, draws=200
    )


def test_parts_in_the_tables_add_up_to_the_favour(favour):
    key = ["measure", "judge", "family", "beside", "peers"]
    parts = favour.documents.groupby(key, observed=True)["carried"].sum()
    effects = favour.effects.set_index(key)["favour"]
    assert set(parts.index.get_level_values("measure")) == {"nDCG@10"}  # AP is no sum
    assert {("reference", "all"), ("control", "all")} <= set(
        parts.reset_index()[["beside", "peers"]].itertuples(index=False, name=None)
    )
    np.testing.assert_allclose(parts, effects.loc[parts.index].astype(float), atol=1e-12)


def test_parts_of_topics_add_up_to_their_effects(favour):
    key = ["measure", "judge", "family", "topic"]
    parts = favour.topic_parts.set_index(key)[["of_unique", "of_shared", "of_others"]].sum(axis=1)
    value = favour.topic_effects.set_index(key)["value"]
    np.testing.assert_allclose(parts, value.loc[parts.index].astype(float), atol=1e-12)


def test_grades_count_each_labelled_document_once(favour):
    key = ["measure", "judge", "family", "carriers"]
    counted = favour.document_grades.groupby(key, observed=True)["documents"].sum()
    known = favour.document_labels.set_index(key)["documents"]
    shared = counted.index.intersection(known.index)
    assert set(favour.document_grades["judge"]) == {"graded", "binary", "a", "b"}
    assert (counted.loc[shared] == known.loc[shared]).all() and len(shared) == len(known[known > 0])


def test_listed_documents_are_those_with_the_largest_parts(favour, world):
    listed = favour.top_documents
    sizes = listed.groupby(["judge", "family"], observed=True).size()
    assert (sizes <= LISTED).all() and (sizes > 0).all()
    parts = listed.groupby(["judge", "family"], observed=True)["carried"]
    assert parts.apply(lambda of: (np.diff(of.abs()) <= 1e-15).all()).all()
    reference, judges, *_ = world
    for row in listed.itertuples():
        assert row.reference == reference[row.topic][row.docno]
        assert row.grade == judges[row.judge][row.topic][row.docno]
        assert row.systems + row.others > 0


def test_shares_of_a_range_are_gains():
    rng = np.random.default_rng(6)
    reference, judge = on_shared(labels(rng, 3), labels(rng, 10))
    shares = {t: {d: g / 10 + 1e-3 * (g == 5) for d, g in own.items()} for t, own in judge.items()}
    found = regrade.favour(reference, {"x": shares}, runs(rng), {"one": ["s0"]}, draws=100)
    assert (found.judges["without_gain"] == 0).all()
    assert (found.documents.query("carriers == 'shared'")["carried"] != 0).all()


def test_a_family_of_one_system_identical_judges_and_one_topic():
    rng = np.random.default_rng(3)
    reference, judge = on_shared(labels(rng, 3), labels(rng, 3))
    of = runs(rng)
    same = regrade.favour(reference, {"x": judge, "y": judge}, of, {"one": ["s0"]}, draws=100)
    columns = ["carried", "low", "high"]
    x, y = (same.documents.query("judge == @name")[columns].to_numpy() for name in "xy")
    np.testing.assert_array_equal(x, y)
    one = {t: {q: rows for q, rows in own.items() if q == "q0"} for t, own in of.items()}
    single = regrade.favour({"q0": reference["q0"]}, {"x": {"q0": judge["q0"]}}, one,
                            {"one": ["s0"]}, draws=100)  # fmt: skip
    assert single.documents["low"].isna().all() and single.documents["carried"].notna().all()
    assert single.unique_labels["low"].isna().all()


def test_the_judge_that_is_the_reference_carries_nothing():
    rng = np.random.default_rng(5)
    reference = labels(rng, 3)
    same = regrade.favour(reference, {"x": reference}, runs(rng), {"one": list(FAMILY)}, draws=100)
    assert (same.documents["carried"] == 0).all() and same.top_documents.empty
    assert (same.unique_labels["difference"].abs() < 1e-12).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["nDCG@10", "P@5", "RBP(p=0.8)"]))
def test_groups_partition_the_favour(seed, measure):
    rng = np.random.default_rng(seed)
    reference, judge = on_shared(labels(rng, 3, 0.5), labels(rng, 3, 0.5))
    of = runs(rng, systems=4)
    ranked = regrade.read_runs(of).ranked
    documents = FirstDocuments.of(
        parse(measure), ranked, TOPICS, (table(reference), 3.0), [(table(judge), 3.0)], []
    )
    members = rng.random((3, 4)) < 0.5
    members[:, 0], members[:, 1] = True, False
    world = reference, {"graded": judge}, {}, of
    values, judged, _ = scores(world, ranked, measure)
    than = Comparison.of_all(values, members)
    parts = parts_of(documents, members, than, beside_control=False)
    favour = ((judged - values) @ contrasts(members).T).mean(axis=1)
    np.testing.assert_allclose(parts.carried.value.sum(axis=-1), favour, atol=1e-12)
    inside = np.array([documents.is_first[own].any(axis=0) for own in members])
    for own, of_family in zip(documents.groups(members), inside, strict=True):
        assert set(np.unique(own[of_family])) <= {0, 1} and not of_family[own == 2].any()


def test_dl19_parts_add_up(real_data):
    folder, names = real_data / "dl19", ("gpt-4o-umbrela", "monot5-3b")
    sets = {name: folder / "judges" / f"{name}.qrels.gz" for name in names}
    of = regrade.favour(
        folder / "qrels.gz", sets, folder / "runs", folder / "families.txt",
        controls={"a": folder / "people-a.qrels.gz"}, draws=200,
    )  # fmt: skip
    key = ["judge", "family", "beside", "peers"]
    parts = of.documents.groupby(key, observed=True)["carried"].sum()
    effects = of.effects.set_index(key)["favour"]
    np.testing.assert_allclose(parts, effects.loc[parts.index].astype(float), atol=1e-12)
    rows = of.documents.query("judge == 'monot5-3b' and family == 't5' and beside == 'reference'")
    carried = rows[rows["peers"] == "all"].set_index("carriers")["carried"]
    assert carried["unique"] < 0.01 and carried["shared"] > 0.02

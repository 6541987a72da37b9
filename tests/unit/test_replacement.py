"""Can this judge replace people: lines against oracles, the rule of the verdict, and edges."""

from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import regrade
from regrade.drawn_intervals import around
from regrade.errors import MethodError, ParameterError
from regrade.evaluations.label_agreement import drawn_topics
from regrade.label_sets import LabelSet
from regrade.replacement.annotators import alternative_test
from regrade.replacement.failures import reason
from regrade.replacement.figures import cost
from regrade.replacement.label_lines import label_lines
from regrade.replacement.margins import (
    NO,
    UNKNOWN,
    YES,
    Line,
    Margins,
    drawn_ends,
    error_ends,
    judged_lines,
    mean_ends,
    verdict_of,
)
from regrade.replacement.shared import ReplacementLabels
from regrade.replacement.system_lines import SystemScores, changed_shares, overlap, t_of_pairs
from regrade.sample_means import mean_interval
from tests.snapshots import assert_said
from tests.unit import carried
from tests.unit.figure_checks import words
from tests.unit.test_answers_of_judgments import world

TOPICS = [f"t{n:02}" for n in range(30)]
NIST, RUNS = world(systems=6, topics=TOPICS)
FAMILIES = {"one": ["s1", "s4"], "two": ["s1", "s5"]}


def other(share, seed, labels=NIST, levels=3):
    """Somebody else's labels, of which a share is one grade higher or lower."""
    rng = np.random.default_rng(seed)
    return {
        topic: {
            d: int(np.clip(g + rng.choice([-1, 1]), 0, levels - 1)) if rng.random() < share else g
            for d, g in of.items()
        }
        for topic, of in labels.items()
    }


A, B, JUDGE, POOR = other(0.2, 1), other(0.2, 2), other(0.1, 3), other(0.9, 4)


def replaced(judge=JUDGE, runs=RUNS, people=True, top=3, **how):
    further = {"a": A, "b": B} if people else None
    return regrade.replace(NIST, judge, runs, controls=further, resamples=200, top=top, **how)


def shared_labels(*labels):
    tables = [regrade.read_qrels(one).table for one in labels]
    reference, judge, *people = (LabelSet(f"s{n}", one) for n, one in enumerate(tables))
    return ReplacementLabels.of_people(reference, judge, people)


# --- the alternative annotator test ---------------------------------------------------------------


def annotated(seed, people, error, levels):
    """Labels of 120 documents by a judge and by people, who each label three of four."""
    rng = np.random.default_rng(seed)
    true = rng.normal(0, 1, 120)
    cuts = [0.0] if levels == 2 else [-0.5, 0.3, 1.0]
    labels = np.array([np.digitize(true + rng.normal(0, 0.7, 120), cuts) for _ in range(people)])
    judge = np.digitize(true + rng.normal(0, error, 120), cuts).astype(float)
    labels = labels.T.astype(float)
    labels[rng.random(labels.shape) < 0.25] = np.nan
    return judge, labels


PUBLISHED = {
    (1, 3, 0.4, 4, 0.2): (1.0, 0.831349701762),
    (2, 4, 0.9, 4, 0.1): (0.0, 0.743610721521),
    (2, 4, 0.9, 4, 0.2): (0.25, 0.743610721521),
    (3, 6, 0.7, 4, 0.1): (0.0, 0.763789194298),
    (3, 6, 0.7, 4, 0.2): (0.666666666667, 0.763789194298),
    (4, 2, 1.2, 4, 0.2): (0.0, 0.683333333333),
    (5, 5, 0.6, 2, 0.1): (0.0, 0.857044573431),
    (5, 5, 0.6, 2, 0.2): (1.0, 0.857044573431),
    (6, 8, 1.0, 2, 0.2): (0.25, 0.817885128705),
}
"""What the code that Calderon, Reichart and Dror published gives: by negative RMSE, on two values
by accuracy."""


@pytest.mark.parametrize("of", PUBLISHED)
def test_the_winning_rate_and_the_advantage_are_those_of_the_published_code(of):
    judge, labels = annotated(*of[:4])
    found = alternative_test(judge, labels, range(of[1]), np.zeros(120, int), of[4])
    assert (found.winning_rate, found.advantage_probability) == pytest.approx(PUBLISHED[of])


def test_each_person_is_tested_as_the_paper_says():
    judge, labels = annotated(3, 5, 0.7, 4)
    topic = np.repeat(np.arange(12), 10)
    found = alternative_test(judge, labels, "abcde", topic, 0.15)
    p, sums = [], np.zeros(12)
    for h, row in enumerate(found.people.itertuples()):
        difference, at = [], []
        for i in range(120):
            others = np.delete(labels[i], h)
            others = others[~np.isnan(others)]
            if np.isnan(labels[i, h]) or not len(others):
                continue
            own, judged = (-np.sqrt(np.mean((x - others) ** 2)) for x in (labels[i, h], judge[i]))
            difference.append(float(own >= judged) - float(judged >= own))
            at.append(i // 10)
        np.subtract.at(sums, at, difference)
        test = stats.ttest_1samp(difference, 0.15, alternative="less")
        assert (row.documents, row.p) == (len(difference), pytest.approx(test.pvalue))
        assert row.difference == pytest.approx(np.mean(difference))
        p.append(test.pvalue)
    adjusted = multipletests(p, method="fdr_by")[1]
    assert found.people["p_adjusted"].to_numpy() == pytest.approx(adjusted)
    assert found.sums == pytest.approx(sums)
    advantage = found.advantage(np.ones((1, 12)))[0]
    assert advantage == pytest.approx(found.judge_share - found.person_share)


def test_people_with_few_documents_are_not_left_out_in_turn():
    judge, labels = annotated(1, 3, 0.4, 4)
    labels[29:, 2] = np.nan
    found = alternative_test(judge, labels, "abc", np.zeros(120, int), 0.2)
    assert found.people["person"].tolist() == ["a", "b"]
    nobody = alternative_test(judge[:20], labels[:20], "abc", np.zeros(20, int), 0.2)
    assert len(nobody.people) == 0
    assert np.isnan(nobody.winning_rate)


# --- labels and systems ---------------------------------------------------------------------------


def test_agreement_is_that_of_krippendorffs_package():
    shared = shared_labels(NIST, JUDGE, A, B)
    T = len(shared.topics)
    lines, _ = label_lines(shared, np.ones((2 + T, T)), "ordinal", 0.2)
    grades = shared.grades.T

    def alpha(one, two):
        return krippendorff.alpha(grades[[one, two]], level_of_measurement="ordinal")

    judge = np.mean([alpha(1, person) for person in (0, 2, 3)])
    people = np.mean([alpha(*two) for two in combinations((0, 2, 3), 2)])
    assert (lines[0].judge, lines[0].second) == pytest.approx((judge, people))
    assert lines[0].value == pytest.approx(judge - people)


def scores_of(sets=3, systems=7, topics=12, seed=5):
    rng = np.random.default_rng(seed)
    own = rng.normal(0, 0.2, (systems, 1)) + rng.normal(0, 0.3, (systems, topics))
    scores = np.stack([own + rng.normal(0, 0.2, own.shape) for _ in range(sets)])
    drawn = drawn_topics(np.arange(topics).astype(str), 4, 1)
    weights = np.vstack([np.ones((1, topics)), drawn])
    names = tuple(map(str, range(systems)))
    return SystemScores("AP", names, tuple(map(str, range(topics))), scores, weights)


def test_t_and_changes_of_drawn_topics_are_those_of_scipy():
    of = scores_of()
    shares = changed_shares(of, 0.05, "none")
    for b, weights in enumerate(of.weights.astype(int)):
        topics = np.repeat(np.arange(12), weights)
        t, significant = [], []
        for scores in of.scores:
            tests = [
                stats.ttest_rel(scores[i][topics], scores[j][topics])
                for i, j in combinations(range(7), 2)
            ]
            t.append([test.statistic for test in tests])
            significant.append([test.pvalue < 0.05 for test in tests])
        assert t_of_pairs(of.scores[0], weights[None])[0] == pytest.approx(t[0])
        for place in (1, 2):
            same = np.sign(t[0]) == np.sign(t[place])
            both = np.array(significant[0]) & significant[place] & same
            neither = ~np.array(significant[0]) & ~np.array(significant[place])
            assert shares[place - 1, b] == pytest.approx(1 - np.mean(both | neither))


def test_changes_are_corrected_as_asked():
    of = scores_of(systems=5)
    p = [[stats.ttest_rel(*two).pvalue for two in combinations(scores, 2)] for scores in of.scores]
    significant = [multipletests(one, method="holm")[0] for one in p]
    expected = np.mean(significant[0] != significant[1])
    assert changed_shares(of, 0.05, "holm")[0, 0] == pytest.approx(expected)


def test_values_of_systems_are_plain_ones():
    found = replaced(JUDGE, families=FAMILIES)
    lines = found.lines.set_index("quantity")
    scored = [
        regrade.score(one, RUNS, "nDCG@10").scores.values[:, :, 0] for one in (NIST, JUDGE, A, B)
    ]
    means = [one.mean(axis=1) for one in scored]
    taus = [stats.kendalltau(means[0], one).statistic for one in means[1:]]
    assert lines.loc["tau", ["judge_value", "second_value"]].tolist() == pytest.approx(
        [taus[0], np.mean(taus[1:])]
    )
    level = scored[1].mean() - scored[0].mean()
    assert lines.loc["level", "value"] == pytest.approx(level)
    low, high = mean_interval((scored[1] - scored[0]).mean(axis=0))
    assert lines.loc["level", ["low", "high"]].tolist() == pytest.approx([low, high])
    assert lines.loc["spread", "value"] == pytest.approx(means[1].std() / means[0].std())
    top = found.top
    assert set(top["k"]) == {1, 3, 5, 10}
    assert set(top["set"]) == {found.facts.set_index("quantity").loc["judge", "note"], "a", "b"}
    assert lines.index.tolist()[-1] == "favour"
    assert set(found.favour["group"]) == set(FAMILIES)


def test_the_overlap_counts_systems_that_tie():
    assert overlap(np.array([3.0, 2, 1]), np.array([3.0, 1, 2]), 2) == 0.5
    assert overlap(np.array([3.0, 2, 2]), np.array([3.0, 2, 1]), 2) == pytest.approx(4 / 5)


def test_ends_are_those_of_the_house():
    rng = np.random.default_rng(2)
    values, drawn, left_out = rng.normal(0, 1, 25), rng.normal(0, 0.2, 100), rng.gamma(1, 1, 25)
    expected = around(0.3, drawn, 25, "agreement", left_out=left_out)
    found = drawn_ends(0.3, drawn, 25, "agreement_difference", left_out)(0.95)
    assert found == pytest.approx(tuple(expected))
    assert mean_ends(values)(0.95) == pytest.approx(tuple(mean_interval(values)))
    wide, narrow = (mean_ends(values)(confidence) for confidence in (0.99, 0.9))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    assert np.isnan(mean_ends(values[:9])(0.95)).all()


# --- margins and the verdict ----------------------------------------------------------------------


def line(name, value, error=0.01, **how):
    return Line(name, "", 0.0, 0.0, value, error_ends(value, error, 0.0, 40, 39), **how)


@pytest.mark.parametrize(
    ("of", "verdict"),
    [
        (line("tau", -0.05), YES),
        (line("tau", 0.9), YES),  # better than a second person
        (line("tau", -0.2), NO),
        (line("tau", -0.1), UNKNOWN),
        (line("level", 0.0), YES),
        (line("level", 0.2), NO),
        (line("level", -0.2), NO),
        (line("pairs", -0.9), YES),
        (line("pairs", 0.3), NO),
        (line("spread", 1.0), YES),
        (line("spread", 0.7), NO),
        (line("spread", 1.4), NO),
        (line("epsilon", 0.5, also=False), UNKNOWN),
        (line("epsilon", -0.5, also=False), NO),
        (line("alpha", np.nan, counts=False), ""),
        (line("tau", -0.05, error=np.nan), UNKNOWN),
    ],
)
def test_a_line_is_within_its_margin_beyond_it_or_neither(of, verdict):
    (judged,) = judged_lines([of], Margins())
    assert judged.verdict == verdict


def test_no_needs_an_interval_that_holds_for_all_lines():
    lines = [line("tau", -0.123), *(line("level", 0.0) for _ in range(9))]
    alone, among = (judged_lines(some, Margins())[0] for some in (lines[:1], lines))
    assert (alone.verdict, among.verdict) == (NO, UNKNOWN)
    assert among.interval == alone.interval == alone.at_once
    assert among.at_once[1] > among.interval[1]


def test_a_line_without_a_margin_has_no_verdict_and_does_not_count():
    margins = Margins(tau=None)
    judged = judged_lines([line("tau", -0.9), line("level", 0.0)], margins)
    assert [one.verdict for one in judged] == ["", YES]
    assert judged[1].at_once == judged[1].interval


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ((YES, YES), YES),
        ((YES, UNKNOWN), UNKNOWN),
        ((YES, UNKNOWN, NO), NO),
        ((YES, ""), YES),
        (("",), UNKNOWN),
        ((), UNKNOWN),
    ],
)
def test_the_verdict_is_yes_if_all_lines_are_and_no_if_any_is(lines, verdict):
    assert verdict_of(lines) == verdict


@pytest.mark.parametrize("margin", [0, -0.1, np.inf])
def test_margins_are_above_zero(margin):
    with pytest.raises(ParameterError, match="margin level"):
        Margins(level=margin)


# --- answers and edges ----------------------------------------------------------------------------


def checked(found, tmp_path, *names):
    return carried.checked(found, "replace", tmp_path, "nDCG@10", "AP", "2nd", *names)


VERDICTS = {
    YES: (NIST, {}),  # perfect, beside people who err
    NO: (POOR, {}),
    UNKNOWN: (JUDGE, {"margin_tau": 0.001}),
}


def test_an_answer_is_carried_by_its_tables(tmp_path):
    def say(verdict):
        judge, how = VERDICTS[verdict]
        found = replaced(judge, families=FAMILIES, **how)
        assert found.verdict == verdict
        said = checked(found, tmp_path)
        assert said.light == {YES: "fine", NO: "problem", UNKNOWN: "look"}[verdict]
        assert any(text.startswith("τ_b: ") for text in words(found.plot()))
        return said

    assert_said("replace", say, ((verdict,) for verdict in VERDICTS))


def test_identical_labels_are_within_all_margins():
    found = replaced({t: dict(of) for t, of in NIST.items()})
    lines = found.lines.set_index("quantity")
    assert set(lines["verdict"]) == {YES}
    assert lines.loc["level", ["value", "low", "high"]].tolist() == [0, 0, 0]
    assert any("identical labels" in note for note in found.answer.notes)


@pytest.mark.parametrize("people", [None, {"a": A}, {"copy": NIST}])
def test_identical_labels_favour_no_family(people):
    found = regrade.replace(
        NIST, NIST, RUNS, controls=people, families=FAMILIES, resamples=50, top=3
    )
    line = found.lines.set_index("quantity").loc["favour"]
    assert [*line[["value", "low", "high", "verdict"]]] == [0, 0, 0, YES]
    assert found.verdict == YES
    note = "copy and reference are identical labels."
    assert (note in found.answer.notes) == (people is not None and "copy" in people)


def test_families_without_comparable_systems_do_not_decide():
    families = FAMILIES | {"first": ["s0"], "last": ["s5"]}
    found = replaced(POOR, families=families)
    favour = found.favour.set_index("group")
    favours = regrade.favour(
        NIST, {"POOR": POOR}, RUNS, families, controls={"a": A, "b": B}, draws=100
    )
    comparable = favours.families.set_index("family")["is_comparable"]
    assert favour["is_comparable"].to_dict() == comparable.to_dict()
    assert set(comparable) == {True, False}
    line = found.lines.set_index("quantity").loc["favour"]
    assert comparable[line["note"]]
    apart = ", ".join(comparable.index[~comparable])
    assert any(note.startswith(f"{apart}: too few other") for note in found.answer.notes)
    none = replaced(POOR, families={"first": ["s0"]})
    assert "favour" not in set(none.lines["quantity"])
    assert len(none.favour) == 1


def test_a_judge_of_one_label_ties_all_systems():
    for label in (0, 2):
        constant = {t: dict.fromkeys(of, label) for t, of in NIST.items()}
        found = replaced(constant)
        assert found.verdict == NO
        assert any("has rank 1 (tied with 5 other systems)" in one for one in found.answer.facts)


def test_one_person_alone_has_no_yardstick(tmp_path):
    found = replaced(people=False)
    lines = found.lines.set_index("quantity")
    assert lines["second_value"].isna().all()
    assert pd.isna(lines.loc["alpha", "verdict"])
    assert "epsilon" not in lines.index
    assert lines.loc["tau", "value"] == pytest.approx(lines.loc["tau", "judge_value"] - 1)
    said = checked(found, tmp_path)
    assert any("agreement has no margin" in note for note in said.notes)
    assert "2nd person" not in [column.name for column in said.rows.columns]


def test_labels_alone_are_compared_without_runs(tmp_path):
    found = replaced(runs=None)
    assert found.lines["quantity"].tolist() == ["alpha", "epsilon"]
    assert "systems" not in found.tables
    assert (found.topics["measure"] == "*").all()
    checked(found, tmp_path)
    with pytest.raises(ParameterError, match="families are of systems"):
        replaced(runs=None, families=FAMILIES)


def test_lines_of_labels_fall_out_for_a_binary_judge(tmp_path):
    binary = {t: {d: int(g > 1) for d, g in of.items()} for t, of in NIST.items()}
    found = replaced(binary, measures=["nDCG@10", "AP"])
    assert not {"alpha", "epsilon"} & set(found.lines["quantity"])
    assert len(found.grades) == 0
    said = checked(found, tmp_path)
    assert any("another scale" in note for note in said.notes)
    assert any(note.startswith("AP counts relevant documents") for note in said.notes)
    with pytest.raises(MethodError, match="without a relevance threshold"):
        replaced(binary, measures="AP")


def test_binary_people_and_a_binary_judge_are_on_one_scale():
    sets = [
        {t: {d: int(g > 1) for d, g in of.items()} for t, of in one.items()}
        for one in (NIST, JUDGE, A)
    ]
    found = regrade.replace(*sets[:2], RUNS, controls={"a": sets[2]}, resamples=50)
    assert {"alpha", "epsilon"} <= set(found.lines["quantity"])


def test_one_topic_tells_nothing(tmp_path):
    one = {"t00": NIST["t00"]}
    runs = {name: {"t00": run["t00"]} for name, run in RUNS.items()}
    found = regrade.replace(one, {"t00": JUDGE["t00"]}, runs)
    assert found.verdict == UNKNOWN
    assert found.lines["low"].isna().all()
    assert any("no line has a verdict" in note for note in checked(found, tmp_path).notes)
    alone = regrade.replace(one, {"t00": JUDGE["t00"]}, {"s0": runs["s0"]})
    assert alone.lines["quantity"].tolist() == ["alpha", "level"]


def test_documents_without_a_label_of_the_judge_are_counted():
    fewer = {t: dict(list(of.items())[2:]) for t, of in JUDGE.items()}
    found = replaced(fewer)
    facts = found.facts.set_index("quantity")["value"]
    assert facts["documents without a label of the judge"] == 2 * len(TOPICS)
    assert facts["documents"] == 10 * len(TOPICS)
    assert any("in all sets (60 have no label of" in note for note in found.answer.notes)
    few = {t: A[t] for t in TOPICS[:5]}
    found = regrade.replace(NIST, JUDGE, RUNS, controls={"few": few}, resamples=20, top=3)
    assert any("sets (few labelled 60); the others" in note for note in found.answer.notes)


def test_sets_that_share_no_document_are_refused():
    elsewhere = {t: {f"x{d}": g for d, g in of.items()} for t, of in NIST.items()}
    with pytest.raises(MethodError, match="no document is labelled in all"):
        replaced(elsewhere, runs=None)
    with pytest.raises(ParameterError, match="two sets are called 'a'"):
        regrade.replace(regrade.read_qrels(NIST, name="a"), JUDGE, controls={"a": A})


def test_no_topic_of_the_runs_is_an_error():
    away = {name: {f"x{t}": of for t, of in run.items()} for name, run in RUNS.items()}
    with pytest.raises(regrade.RegradeError, match="topic"):
        replaced(runs=away)


def crowd(workers=3, alone=0):
    """Judgments: of each topic two of the workers label all documents, but for some documents."""
    rows, left = [], alone
    for n, topic in enumerate(TOPICS):
        for which, labels in ((n % workers, A), ((n + 1) % workers, B)):
            for docno, grade in labels[topic].items():
                if which == (n + 1) % workers and left:
                    left -= 1
                    continue
                rows.append((topic, docno, f"w{which}", float(grade)))
    return pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])


def test_a_crowd_is_as_many_people_as_nearly_all_documents_have_judgments():
    found = regrade.replace(NIST, JUDGE, RUNS, judgments=crowd(alone=3), resamples=50)
    facts = found.facts.set_index("quantity")["value"]
    assert facts["people"] == 2
    assert facts["documents"] == 12 * len(TOPICS) - 3
    assert found.annotators["worker"].tolist() == ["reference", "w0", "w1", "w2"]
    single = crowd()
    single = single.drop_duplicates(["topic", "docno"])
    found = regrade.replace(NIST, JUDGE, RUNS, judgments=single, resamples=50)
    assert found.facts.set_index("quantity")["value"]["people"] == 1


def test_topics_are_sorted_by_how_far_the_judge_is_off_beyond_a_second_person():
    broken = {t: dict(of) for t, of in NIST.items()}
    broken["t07"] = {d: 2 - g for d, g in NIST["t07"].items()}
    found = replaced(broken)
    topics = found.topics
    assert topics["topic"].iloc[0] == "t07"
    assert topics["failure"].is_monotonic_decreasing
    assert topics["failure"].to_numpy() == pytest.approx(
        (topics["value"] - topics["second_value"]).to_numpy()
    )
    assert reason(40, 5, 20) == "few relevant documents, more relevant"
    assert reason(40, 30, 10) == "fewer relevant"
    assert reason(40, 30, None) == ""


def test_bias_is_of_each_grade_of_the_reference():
    found = replaced(JUDGE)
    for row in found.grades.itertuples():
        pairs = [
            (JUDGE[t][d] - g, A[t][d] - g, B[t][d] - g)
            for t, of in NIST.items()
            for d, g in of.items()
            if g == row.grade
        ]
        own, *people = np.transpose(pairs)
        assert row.documents == len(pairs)
        assert row.difference == pytest.approx(own.mean())
        assert row.second_value == pytest.approx(np.mean(people))


def test_costs_are_drawn_in_units_of_the_margin():
    rows = replaced(POOR).lines.set_index("quantity")
    costs = {row.quantity: cost(row.value, row) for row in rows.reset_index().itertuples()}
    assert costs["alpha"] == pytest.approx(rows.loc["alpha", "value"] / -0.1)
    assert costs["alpha"] > 1  # beyond
    assert costs["level"] == pytest.approx(rows.loc["level", "value"] / 0.05)
    ratio = rows.loc["spread", "value"]
    assert costs["spread"] == pytest.approx(np.log(ratio) / np.log(1.25))


def test_the_first_systems_fall_out_where_there_are_no_more():
    found = replaced(top=6)
    assert "top" not in set(found.lines["quantity"])
    assert "The top 6 are not compared: there are no more systems." in found.answer.notes
    assert "reversed" not in str(found.answer)


def test_several_measures_all_count():
    found = replaced(JUDGE, measures=["nDCG@10", "AP"])
    assert found.lines["quantity"].tolist().count("tau") == 2
    assert "measure" in [column.name for column in found.answer.rows.columns]


def test_names_that_are_equal_are_told_apart():
    labels = regrade.read_qrels(NIST, name="same")
    found = regrade.replace(labels, regrade.read_qrels(JUDGE, name="same"))
    assert found.facts["note"].tolist()[1:3] == ["same (people)", "same (judge)"]


# --- real labels ----------------------------------------------------------------------------------


def test_of_trec_2019_the_labels_of_gpt_4o_beside_two_people(real_data):
    folder = real_data / "dl19"
    found = regrade.replace(
        str(folder / "qrels.gz"),
        str(folder / "judges" / "gpt-4o-umbrela.qrels.gz"),
        str(folder / "runs"),
        judgments=str(folder / "judgments.tsv.gz"),
    )
    lines = found.lines.set_index("quantity")
    assert found.verdict == UNKNOWN
    assert set(lines["verdict"]) == {YES, UNKNOWN}
    values = ["judge_value", "second_value"]
    assert lines.loc["alpha", values].tolist() == pytest.approx([0.442, 0.243], abs=5e-4)
    assert lines.loc["tau", values].tolist() == pytest.approx([0.868, 0.880], abs=5e-4)
    assert lines.loc["level", "value"] == pytest.approx(0.017, abs=5e-4)
    facts = found.facts.set_index("quantity")["value"]
    assert facts["documents"] == 4493
    assert facts["people left out in turn"] == 9
    assert facts["winning rate"] == 1
    changes = found.changes.set_index("set")
    assert changes["changed"].tolist()[0] == 289
    people = changes.loc[[name for name in changes.index if name != "gpt-4o-umbrela"]]
    assert people["significant_changes"].max() <= 1 < changes["significant_changes"].iloc[0]

"""Tables of chapter 5 against numbers worked by hand, on the collection of `pairs_made`."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from regrade.show.published import read_published
from regrade.studies.yang2019 import pairs_tables
from regrade.studies.yang2019.pairs_items import PAIRS
from tests.unit.pairs_made import LABELS, answers, made

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
SETTINGS = {"references": ["R"]}
TABLES = [item for item in PAIRS if item.is_table]


def arranged(name, tables, published=None):
    """An item's tidy table and the one for reading."""
    item = next(item for item in TABLES if item.name == name)
    given = [tables[path.rpartition("/")[2]] for path in item.shows]
    settings = {key: SETTINGS[key] for key in item.settings}
    return getattr(pairs_tables, item.function)(*given, **settings, published=published)


@pytest.fixture(scope="module")
def tables():
    return made()


def ours(tables, name):
    """The values of a table by its keys."""
    tidy, _ = arranged(name, tables)
    keys = [column for column in tidy.columns if column not in ("ours", "published", "difference")]
    return {tuple(row): value for row, value in zip(tidy[keys].values, tidy["ours"], strict=True)}


def line(values, *keys):
    """The values whose keys begin so, by the last key."""
    return {key[-1]: value for key, value in values.items() if key[:-1] == keys}


def close(found, expected):
    chosen = {key: found[key] for key in expected}
    assert chosen == pytest.approx(expected, nan_ok=True)


def test_5_4_counts_workers_costs_and_answers(tables):
    found = ours(tables, "table-5.4")
    # of the third worker no answer counts
    one = {"workers": 2, "cost": 0.07, "trusted": 6, "untrusted": 1, "kept": 6}
    assert line(found, "1") == pytest.approx(one)
    assert line(found, "*") == pytest.approx(
        {"workers": 4, "cost": 0.13, "trusted": 12, "untrusted": 1, "kept": 12}
    )


def test_5_5_is_of_pairs_whose_labels_differ(tables):
    """Frequencies ¾, ½, ¼ and 1, ½, 0; shares of relevant 1, ½, 0 and 1, 1, 0."""
    found = ours(tables, "table-5.5")
    at = ("R", "0 < 1")
    assert line(found, *at, "1", "frequency") == {"pairs": 2, "agree": 1, "disagree": 0, "tie": 0}
    assert line(found, *at, "2", "frequency") == {
        "pairs": 2, "agree": 0.5, "disagree": 0.5, "tie": 0
    }  # fmt: skip
    assert line(found, *at, "*", "absolute") == {
        "pairs": 4, "agree": 0.75, "disagree": 0, "tie": 0.25
    }  # fmt: skip


def test_5_6_is_of_pairs_whose_labels_are_the_same(tables):
    found = ours(tables, "table-5.6")
    assert {key[1] for key in found} == {"0"}  # one document of a topic has the label 1
    assert line(found, "R", "0", "*", "frequency") == {"pairs": 2, "separable": 1, "tied": 0}
    assert line(found, "R", "0", "1", "absolute") == {"pairs": 1, "separable": 1, "tied": 0}


def test_5_7_holds_orders_of_documents_against_each_other(tables):
    found = ours(tables, "table-5.7")
    close(
        line(found, "R", "frequency"),
        # τ_b 2/√6 and 0; α: 3 of 6 pairs differ, (10, 4, 10) values in both directions
        {"agree": 3 / 6, "disagree": 1 / 6, "tie": 2 / 6, "tau_b": 1 / math.sqrt(6)}
        | {"alpha": 1 - 0.5 / (1 - 192 / 552)},
    )
    close(
        line(found, "frequency", "absolute"),
        {"agree": 5 / 6, "disagree": 0, "tie": 1 / 6, "tau_b": (1 + math.sqrt(2 / 3)) / 2}
        | {"alpha, no ties": 1},
    )


def test_5_8_holds_orders_of_systems_against_each_other(tables):
    """Means under R 3/8, 3/16, 3/8; under frequency 37/64, 19/64, 30/64."""
    found = line(ours(tables, "table-5.8"), "R", "frequency")
    close(found, {"agree": 2 / 3, "disagree": 0, "tie": 1 / 3, "tau_b": 2 / math.sqrt(6)})


def test_5_9_says_how_hard_topics_are_and_how_right_workers(tables):
    found = ours(tables, "table-5.9")
    close(
        line(found, "R", "1"),
        {"workers": 2, "AP": (1 + 1 / 3 + 1 / 2) / 3, "accuracy, all pairs": 0.75}
        | {"deviation, all pairs": math.sqrt(1 / 8)}
        | {"accuracy": 0.5, "deviation": math.sqrt(1 / 2)},  # a and b: w1 is right, w2 is not
    )
    close(
        line(found, "R", "2"),
        {"workers": 2, "AP": 2 / 3, "accuracy, all pairs": 0.5, "deviation, all pairs": 0}
        | {"accuracy": 0.5},  # w1 prefers x to y, w2 prefers y to z
    )
    close(
        line(found, "R", "*"),
        {"workers": 4, "accuracy, all pairs": 0.625, "deviation, all pairs": 0.25, "accuracy": 0.5},
    )


def test_5_10_is_the_mean_time_of_answers_that_count(tables):
    found = ours(tables, "table-5.10")
    assert [found[topic, "all questions"] for topic in "12*"] == [20, 10, 15]


def test_5_11_and_5_12_tell_sides_apart(tables):
    found = ours(tables, "table-5.11")
    assert line(found, "R", "1") == {"answers": 2, "left": 0.5, "right": 0.5}
    assert line(found, "R", "*") == {"answers": 4, "left": 0.5, "right": 0.5}
    found = ours(tables, "table-5.12")
    assert line(found, "R", "1", "original") == pytest.approx(
        {"equal": 2, "equal left": 0.5, "equal right": 0.5}
        | {"left": 3, "left agree": 2 / 3, "right": 1, "right agree": 1}
    )
    close(
        line(found, "R", "*", "original"),
        {"equal": 4, "left": 5, "left agree": 0.8, "right": 3, "right agree": 1 / 3},
    )


def test_5_13_to_5_15_count_pairs_of_systems(tables):
    """p of t on two topics: of R 0.5, 1, 0.205; of frequency 0.205, 0.090, 0.272."""
    found = ours(tables, "table-5.13")
    counts = {"tp": 1, "fp": 2, "fn": 0, "tn": 0}
    close(line(found, "R", "frequency"), counts | {"ratio": 1})
    found = ours(tables, "table-5.14")
    assert line(found, "R", "all", "frequency") == counts
    assert line(found, "R", "2", "frequency") == counts  # there are two
    found = ours(tables, "table-5.15")
    assert found["all", "frequency"] == found["2", "frequency"] == pytest.approx(1)


def test_answers_about_the_same_pair(tables):
    found = ours(tables, "table-pairs-alpha")
    close(
        line(found, "preference", "people"),
        {"answers": 12, "pairs": 6, "alpha": 1 - (1 / 3) / (1 - 264 / 552)},
    )
    close(
        line(found, "preference", "absolute"),
        {"answers": 12, "agree": 8 / 12, "disagree": 0, "tie": 4 / 12},
    )


def test_systems_under_scores_as_they_are_and_mapped(tables):
    found = ours(tables, "table-pairs-systems")
    assert {key[0] for key in found} == {"none", "R"}
    assert found["none", "R", "frequency", "RBP(p=0.5)", "tau_b"] == pytest.approx(2 / 6**0.5)
    # a third of the documents gets the label 1, a and x: 1/2, 1/8, 1/4
    mapped = found["R", "R", "frequency", "RBP(p=0.5)", "tau_b"]
    assert mapped == pytest.approx(2 / 6**0.5)


def test_effects_are_coefficients_or_say_why_there_are_none(tables):
    found = ours(tables, "table-pairs-effects")
    at = ("log seconds", "linear", "")
    # position moves topic 1 alone, by log 2 and log 1.5; topic 2 takes ten seconds throughout
    assert found[*at, "position", "", "estimate"] == pytest.approx(math.log(3) / 4)
    assert {key[0] for key in found} == {"log seconds", "inconsistency", "agrees"}
    found = ours(tables, "table-pairs-partitions")
    assert {key[0] for key in found} == {"alpha"}


# --- edges ---------------------------------------------------------------------------------------

VARIANTS = {
    "one worker": lambda: (answers()[lambda f: f["worker"] == "w1"], LABELS),
    "one topic": lambda: (answers()[lambda f: f["topic"] == "1"], LABELS[:3]),
    "no ties": lambda: (answers(), LABELS.assign(grade=[2.0, 1.0, 0.0, 0.0, 2.0, 1.0])),
    "no test questions": lambda: (answers()[lambda f: ~f["test"]].assign(test=None), LABELS),
    "no scores": lambda: (answers().assign(left_score=np.nan, right_score=np.nan), LABELS),
    "no question but the first": lambda: (
        answers().assign(left_score=np.nan, right_score=np.nan, left_relevant=None,
                         right_relevant=None),
        LABELS,
    ),
    "nobody known": lambda: (answers().assign(worker=None, unit=None, seconds=np.nan), LABELS),
    "all the same label": lambda: (answers(), LABELS.assign(grade=1.0)),
}  # fmt: skip


@pytest.fixture(scope="module", params=VARIANTS)
def variant(request):
    return request.param, made(*VARIANTS[request.param]())


@pytest.mark.parametrize("name", [item.name for item in TABLES])
def test_every_table_is_arranged_whatever_is_missing(variant, name):
    what, tables = variant
    tidy, readable = arranged(name, tables)
    empty = (what, name) in {
        ("no ties", "table-5.6"),
        ("no ties", "table-5.11"),
        ("all the same label", "table-5.5"),
    }
    assert (len(tidy) == len(readable) == 0) if empty else len(tidy) >= len(readable) > 0
    keys = [column for column in tidy.columns if column not in ("ours", "published", "difference")]
    assert not tidy.duplicated(keys).any()
    assert "nan" not in readable.to_string().lower()


PRINTED = [item.name for item in TABLES if (PUBLISHED / f"yang2019-{item.name}.csv").exists()]


@pytest.mark.parametrize("name", PRINTED)
def test_what_the_thesis_printed_stands_beside(tables, name):
    """Printed numbers of what is named as ours stand beside ours."""
    printed = read_published(PUBLISHED / f"yang2019-{name}.csv", "TREC-8")
    alone = len(arranged(name, tables)[0])
    tidy, _ = arranged(name, tables, printed)
    assert tidy["ours"].notna().any()
    assert len(tidy) >= alone  # with rows of what only the thesis has
    of_all = {"table-5.4", "table-5.10", "table-5.15"}
    assert tidy["published"].notna().any() or name not in of_all


# --- what docs/methods/yang2019.md says of the printed numbers ------------------------------------


def printed(name):
    return read_published(PUBLISHED / f"yang2019-table-{name}.csv", "TREC-8")


def wide(name, *keys):
    found = printed(name).pivot_table(
        index=list(keys), columns="quantity", values="published", sort=False
    )
    return found.astype(float)


def test_p_of_table_5_10_is_one_digit_more():
    times = wide("5.10", "topic")
    found = stats.ttest_rel(times["absolute only"], times["preference only"])
    assert found.pvalue == pytest.approx(0.0959, abs=5e-5)
    assert found.statistic == pytest.approx(1.89, abs=5e-3)


def test_p_of_table_5_12_is_another():
    rows = wide("5.12", "topic", "experiment")
    left, right = rows["left agree"], rows["right agree"]
    assert stats.ttest_rel(left, right).pvalue == pytest.approx(0.0446, abs=5e-5)
    assert stats.wilcoxon(left - right).pvalue == pytest.approx(0.055, abs=5e-4)
    for equal in (True, False):
        assert stats.ttest_ind(left, right, equal_var=equal).pvalue == pytest.approx(0.59, abs=5e-3)
    of_topics = (left - right).groupby("topic").mean()
    assert stats.ttest_1samp(of_topics, 0).pvalue == pytest.approx(0.15, abs=5e-3)
    rng = np.random.default_rng(1)
    drawn = rng.uniform(-5e-4, 5e-4, (2000, 2, len(rows)))
    p = stats.ttest_rel(left.to_numpy() + drawn[:, 0], right.to_numpy() + drawn[:, 1], axis=1)[1]
    assert p.min() > 0.0395 and p.max() < 0.0505


def test_untrusted_judgments_and_lists():
    answers = wide("5.4", "topic")
    share = answers["untrusted"] / (answers["untrusted"] + answers["trusted"])
    assert share["*"] == pytest.approx(0.134, abs=5e-4)
    assert share.drop("*").mean() == pytest.approx(0.113, abs=5e-4)
    units = wide("5.1", "topic")["units"]
    assert (len(units), units.sum()) == (9, 2628)


def test_quadrants_of_pairs_of_systems():
    draws = wide("5.14", "partitions", "method")
    names = ["tp", "fp", "fn", "tn"]
    copied = draws.loc["4", names]
    assert copied.loc["frequency"].tolist() == copied.loc["absolute"].tolist()
    total = draws[names].sum(axis=1)
    assert total[total != 7503].to_dict() == {("3", "absolute"): 7504}
    both = draws["tp"].unstack("method")
    assert both.loc["4", ["absolute", "ratio"]].tolist() == [2714, 2717]
    assert both.loc["5", ["absolute", "ratio"]].tolist() == [2684, 2704]
    pairs = wide("5.13", "labels").loc["frequency"]
    told = [pairs["tp"] + pairs["fp"], pairs["tp"] + pairs["fn"]]
    assert told == [3650, 3226]
    found = stats.chi2_contingency([[number, 7503 - number] for number in told])
    assert (found[0], found[1]) == pytest.approx((48.0, 4.2e-12), rel=0.01)
    apart = pairs["fp"], pairs["fn"]
    assert np.subtract(*apart) ** 2 / np.sum(apart) == pytest.approx(129.5, abs=0.05)

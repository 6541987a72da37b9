"""Searches as jobs are told of them: each with its reference, rule, named cuts and systems."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from regrade.cutsearch.search import prepare
from regrade.scales import Scale
from regrade.tables import write_table
from regrade.trust.searches import RankedInput, read_ranked
from tests.unit.judgments import alpha_options, random_judgments, random_labels
from tests.unit.test_trust_bootstrap import random_runs

OPTIONS = {"metric": "ordinal", "undefined": "drop", "coverage": 0.9, "grid": None}
OPTIONS["aggregate"] = {"source": "median", "levels": None}
ALONE = {"pool": None, "runs": None, "experts": [], "other_judgments": [], "other_references": []}


def asked(method, reference=None, unjudged="drop"):
    label = None if reference is None else f"{reference} ({unjudged})"
    return {"method": method, "reference": reference, "label": label, "unjudged": unjudged}


def labelled(seed, levels=3):
    """Judgments, and labels that lack some of their documents."""
    judgments = random_judgments(seed, levels=9, topics=3, documents=8, units=10)
    return judgments, random_labels(seed, judgments, levels)


def expected_criteria(judgments, method, labels, levels=3, **options):
    found = prepare(judgments, 9, levels, method, labels, alpha_options(**options)).search()
    return np.where(found.eligible, found.values, np.nan)


def test_searches_of_a_job_are_those_of_its_tables(tmp_path):
    judgments, first = labelled(4)
    second = random_labels(5, judgments, 3, share=0.6)
    write_table(judgments, tmp_path / "judgments.parquet", "judgments")
    paths = [tmp_path / f"{name}.parquet" for name in ("first", "second")]
    for path, table in zip(paths, (first, second), strict=True):
        write_table(table, path, "qrels")
    given = {"judgments": tmp_path / "judgments.parquet", "references": paths}
    given |= ALONE
    told = OPTIONS | {"scale": {"levels": 9}, "levels": 3, "measure": "nDCG@5"}
    told |= {"references": ["first", "second"], "experts": [], "named": {"own": [1.5, 3]}}
    told["others"] = {}
    told["searches"] = [
        asked("d2_at", "second"), asked("tw1"), asked("h2", "first", "non-relevant"),
    ]  # fmt: skip
    source = read_ranked(given, told)
    found = [*source.searches(source.items)]
    assert [label for label, _ in found] == ["second (drop)", None, "first (non-relevant)"]
    for (_, search), one, labels in zip(
        found, told["searches"], (second, None, first), strict=True
    ):
        assert search.systems is None
        assert search.plan.method.name == one["method"]
        expected = expected_criteria(judgments, one["method"], labels, unjudged=one["unjudged"])
        np.testing.assert_array_equal(search.criteria, expected)
        cuts = {name: cut.tolist() for name, cut in search.named.items()}
        assert cuts == {"equal_widths": [2, 5], "middle": [2, 5], "own": [1, 3]}


@pytest.mark.parametrize(("measure", "are_ranked"), [("nDCG@5", True), ("AP", False)])
def test_systems_are_ranked_under_cuts_by_ndcg_alone(measure, are_ranked):
    judgments, labels = labelled(4)
    ranked = random_runs(4, judgments)
    how = RankedInput(
        judgments, Scale.of({"levels": 9}), 3,
        ranked=ranked, experts={"E": labels}, measure=measure,
    )  # fmt: skip
    assert (how.search("d2_at", labels).systems is not None) == are_ranked
    assert replace(how, ranked=None).search("d2_at", labels).systems is None
    nothing = replace(how, judgments=judgments.slice(0, 0))
    assert nothing.search("d2_at", labels).systems is None


def test_named_cuts_have_their_place_among_all_cuts():
    judgments, labels = labelled(4)
    how = RankedInput(judgments, Scale.of({"levels": 9}), 3)
    search = how.search("d2_at", labels)
    places = search.plan.cuts.tolist()
    assert how.named_indices(search) == dict.fromkeys(
        ("equal_widths", "middle"), places.index([2, 5])
    )
    nothing = replace(how, judgments=judgments.slice(0, 0))
    assert nothing.named_indices(nothing.search("d2_at", labels)) == {}


def test_teachers_have_their_own_scale_and_references(tmp_path):
    judgments, others, paths, references = [], {}, [], []
    labels = {}
    for name, seed, known in (("A", 4, ["x"]), ("B", 5, ["y", "x"]), ("C", 6, ["z"])):
        table, _ = labelled(seed)
        judgments.append(table)
        paths.append(tmp_path / f"{name}.parquet")
        write_table(table, paths[-1], "judgments")
        levels = 2 if name == "C" else 3
        for reference in known:
            labels[name, reference] = random_labels(ord(reference), table, levels)
            references.append(tmp_path / f"{name}-{reference}.parquet")
            write_table(labels[name, reference], references[-1], "qrels")
        searches = [asked("d2_at", reference) for reference in known]
        others[name] = OPTIONS | {"scale": {"levels": 9}, "levels": levels, "searches": searches}
        others[name]["references"] = known
    given = {**ALONE, "judgments": paths[0], "references": []}
    given |= {"other_judgments": paths, "other_references": references}
    told = OPTIONS | {"scale": {"levels": 9}, "levels": 3, "measure": "nDCG@5", "others": others}
    told |= {"references": [], "experts": [], "named": {"own": [1.5, 3]}, "searches": []}
    found = read_ranked(given, told).searches_of_others()
    assert {name: [*searches] for name, searches in found.items()} == {
        "A": [("d2_at", "x (drop)")],
        "B": [("d2_at", "y (drop)"), ("d2_at", "x (drop)")],
        "C": [("d2_at", "z (drop)")],
    }
    for table, (name, searches) in zip(judgments, found.items(), strict=True):
        for (_, label), search in searches.items():
            of = labels[name, label[0]]
            expected = expected_criteria(table, "d2_at", of, others[name]["levels"])
            np.testing.assert_array_equal(search.criteria, expected)


def test_topics_that_a_search_leaves_out_are_left_out_of_the_search_over_all():
    judgments, labels = labelled(4)
    known = labels.filter(pa.array([topic != "2" for topic in labels["topic"].to_pylist()]))
    source = RankedInput(judgments, Scale.of({"levels": 9}), 3, references={"E": known})
    item = asked("d2_at", "E")
    ((_, apart),) = source.searches([item])
    assert [topic.topic for topic in apart.plan.topics] == ["1", "3"]
    (whole,) = source.pooled(apart, item).plan.topics
    assert whole.n_documents == sum(topic.n_documents for topic in apart.plan.topics)

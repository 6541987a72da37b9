"""Table 5.1 of yang2019: the numbers of its task beside ours."""

from pathlib import Path

import pandas as pd
import pytest

from regrade.preferences.answer_key import answer_key
from regrade.preferences.design import plan_task
from regrade.show.published import read_published
from regrade.studies.yang2019.tables import table_5_1, table_5_3

PRINTED = Path(__file__).parents[2] / "data" / "published" / "yang2019-table-5.1.csv"
SERVES = {"402": 2, "403": 2, "407": 2, "440": 2}
"""The topics of which the thesis says that known relevant documents served again."""


@pytest.fixture(scope="module")
def topics():
    printed = read_published(PRINTED, "TREC-8")
    pools = printed[printed["quantity"] == "pool"].set_index("topic")["published"]
    plans = {
        topic: plan_task(int(pool), int(pool), int(pool), serves=SERVES.get(topic, 1))
        for topic, pool in pools.items()
    }
    return pd.DataFrame([{"topic": topic, **vars(plan)} for topic, plan in plans.items()])


def test_all_45_numbers_come_out(topics):
    printed = read_published(PRINTED, "TREC-8")
    assert len(printed) == 45
    tidy, readable = table_5_1(topics, published=printed)
    beside = tidy.dropna(subset="published")
    assert len(beside) == 45
    assert (beside["published"] == beside["ours"]).all()
    assert readable.loc[readable["topic"] == "402", "documents"].item() == "285 (285)"
    assert readable["documents of the pool"].str.contains(r"\(").all()


def test_other_tasks_have_nothing_printed(topics):
    tidy, readable = table_5_1(topics.assign(topic="401"))
    assert tidy["published"].isna().all()
    assert not readable["documents"].str.contains(r"\(").any()


def test_the_key_is_the_printed_one_and_answers_are_counted():
    printed = read_published(PRINTED.with_name("yang2019-table-5.3.csv"), "TREC-8")
    assert len(printed) == 40
    given = answer_key().assign(answers=range(40))
    tidy, readable = table_5_3(given, published=printed)
    assert (tidy["published"] == tidy["ours"]).all()
    assert tidy["answers"].tolist() == list(range(40))
    first = readable.iloc[0]
    assert (first["left_level"], first["right_level"]) == ("H", "H")
    assert first["preference: left"] == "✓ (✓) 0"
    assert first["relevance: neither"] == "– (–) 4"
    assert len(readable) == 8
    _, alone = table_5_3(given)
    assert alone.iloc[0]["preference: left"] == "✓ 0"

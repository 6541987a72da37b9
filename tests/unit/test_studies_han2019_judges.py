"""Tables and figures of cuts per judge, on tables as the stage writes them."""

import pytest

from regrade.errors import ParameterError
from regrade.studies.han2019 import trust_figures, trust_tables
from regrade.tables import read_table, write_table
from regrade.trust.budget import fewer_table
from regrade.trust.crowd import aggregated_table
from regrade.trust.judges import judge_tables as tables_of
from regrade.trust.transfer import transfer_table
from tests.unit.test_trust_bootstrap import made
from tests.unit.test_trust_crowd import transformation
from tests.unit.test_trust_judges import joined


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The four tables of one search, written and read again."""
    judgments, labels, ranked, again = made(3)
    found = tables_of(again, joined(judgments, labels, again), "E", minimum=4, splits=2)
    found["topics"] = transfer_table(again, "S9-to-3", "E", ["topics"], {"other": again})
    found["aggregated"] = aggregated_table(transformation(judgments, ranked, labels), labels, "E")
    found["fewer"] = fewer_table(again, "E", [1, 2], samples=3)
    folder = tmp_path_factory.mktemp("tables")
    for name, table in found.items():
        key = "cuts/transfer" if name == "topics" else f"cuts/{name}"
        write_table(table, folder / f"{name}.parquet", key, {})
    return {name: read_table(folder / f"{name}.parquet").to_pandas() for name in found}


def axes_of(figure):
    return [axes for axes in figure.axes if axes.axison and axes.get_xlabel()]


def test_the_table_of_judges_shows_means_and_keeps_every_judge(tables):
    tidy, readable = trust_tables.table_judges(tables["judges"], source="S9", levels=3)
    assert len(tidy) == len(tables["judges"])
    (row,) = readable.to_dict("records")
    assert row["search"] == "d2_at@E"
    whole = tables["judges"].iloc[-1]
    assert row["α of own cut"] == f"{whole['alpha']:.3f}"
    assert "judges have no cut" in row["note"]


def test_the_table_of_transfer_shows_means_of_matrices_and_cells_of_transformations(tables):
    tidy, readable = trust_tables.table_transfer(tables["topics"])
    assert len(tidy) == len(tables["topics"])
    topics = readable[readable["between"] == "topics"]
    assert set(topics["used on"]) == {"each, mean"}
    assert set(topics["chosen on"]) == {"all together", "others"}
    between = readable[readable["between"] == "transformations"]
    assert set(between["chosen on"]) == {"other", "S9-to-3"}
    assert set(readable["by"]) == {"α", "τ_b E"}


def test_the_tables_of_votes_and_of_fewer_judges(tables):
    tidy, readable = trust_tables.table_aggregated(tables["aggregated"], source="S9", levels=3)
    assert len(readable) == len(tidy) == len(tables["aggregated"])
    assert set(readable["cut"]) == {"after it", "before it"}
    _, readable = trust_tables.table_fewer(tables["fewer"])
    assert readable["a document"].tolist() == ["1", "2", "all"]
    assert "τ_b E, single" in readable.columns


def test_the_figures(tables):
    by_topics = trust_figures.figure_transfer(tables["topics"], by="topics", levels=3)
    assert axes_of(by_topics)[0].get_xlabel() == "applied to topic (n = 3)"
    workers = trust_figures.figure_transfer(tables["transfer"], by="workers", levels=3)
    assert axes_of(workers)[0].get_ylabel() == "cut of worker"
    between = trust_figures.figure_transfer(tables["topics"], by="transformations")
    assert axes_of(between)[0].get_xlabel() == "applied to transformation (n = 2)"
    judges = trust_figures.figure_judges(tables["judges"])
    assert axes_of(judges)[0].get_xlabel() == "α of the others' cut"
    fewer = trust_figures.figure_fewer(tables["fewer"])
    assert len(fewer.axes) == 2  # α, and τ_b beside one expert


def test_what_cannot_be_drawn_says_why(tables):
    with pytest.raises(ParameterError, match="no cuts of collections to draw"):
        trust_figures.figure_transfer(tables["topics"], by="collections")
    with pytest.raises(ParameterError, match="no fewer judges of workers"):
        trust_figures.figure_fewer(tables["fewer"], drawn="workers")
    nobody = tables["judges"].assign(held_out=float("nan"))
    with pytest.raises(ParameterError, match="lower the `minimum`"):
        trust_figures.figure_judges(nobody)

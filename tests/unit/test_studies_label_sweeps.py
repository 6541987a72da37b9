"""The tables and figures of sweeps of labels, from small ones that the library makes."""

import pytest

from regrade.answers.shape import Answer
from regrade.catalogue.arrow import SCHEMAS
from regrade.sweeps.items import SWEEPS
from regrade.sweeps.label_results import swept_labels
from regrade.sweeps.label_sweep import LabelSweep
from regrade.sweeps.options import LABEL_AXES, read_sweep
from regrade.sweeps.sweep import SweepDesign
from regrade.tables import as_table, conform
from tests.each import others_slow
from tests.snapshots import assert_said
from tests.unit.carried import assert_carried
from tests.unit.figure_checks import assert_same_files, described, on_page, table_lines
from tests.unit.items_made import assert_made, shown
from tests.unit.sweep_worlds import world

ITEMS = [item for item in SWEEPS.items if item.part == "label"]
LABELS = ["NIST", {"cuts": "judge", "which": ["rounded", "every"], "levels": 4}]
WORLDS = {
    "several axes": {
        "labels": LABELS,
        "metric": ["ordinal", "nominal"],
        "topics": ["all", "halves-2"],
    },
    "one axis": {"labels": ["NIST", {"cuts": "judge", "which": ["rounded"], "levels": 4}]},
    "one universe": {},
}
CANNOT = {("one universe", "figure-label-shares")}
"""What has nothing to draw."""


@pytest.fixture(scope="module")
def made():
    """The tables of each of `WORLDS`, as they are read again."""
    of, found = world(3), {}
    for name, axes in WORLDS.items():
        written = read_sweep(
            axes, {"labels": "NIST", "reference": "NIST"}, list(of.labels), names=LABEL_AXES
        )
        tables = swept_labels(LabelSweep.of(SweepDesign.of(written), of.sets))
        found[name] = {
            table: conform(as_table(one), SCHEMAS[f"label-sweeps/{table}"], table).to_pandas()
            for table, one in tables.items()
        }
    return found


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
@pytest.mark.parametrize("name", WORLDS)
def test_every_item_is_made(made, name, item, tmp_path):
    cannot = (name, item.name) in CANNOT
    found = assert_made(item, lambda: shown(item, made[name]), cannot, tmp_path)
    assert item.is_table or cannot or on_page(found)


@pytest.mark.parametrize("item", others_slow([i for i in ITEMS if not i.is_table]))
def test_figures_have_the_same_bytes(made, item, tmp_path):
    assert_same_files(tmp_path, lambda: shown(item, made["several axes"]), "Simulated.")


def test_what_is_shown(made):
    of = made["several axes"]

    def say(name):
        item = SWEEPS.by_name[name]
        found = shown(item, of)
        return table_lines(found[1]) if item.is_table else described(found)

    assert_said("shown-label-sweeps", say, ((item.name,) for item in ITEMS))


@pytest.mark.parametrize("name", WORLDS)
def test_every_number_of_a_sentence_is_in_a_table(made, name):
    of = made[name]
    names = {*of["levels"]["entry"].astype(str), *of["levels"]["axis"].astype(str)}
    answer = Answer.of_frame(of["answer"])
    assert_carried(answer, of, *names, folder="label-sweeps")
    facts = of["facts"].set_index("quantity")["value"]
    assert facts["share holds"] == pytest.approx(facts["holds"] / facts["documents"])

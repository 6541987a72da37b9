"""Every item of every study has what it needs: a function, tables, a caption."""

import inspect
import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from regrade.catalogue.arrow import SCHEMAS
from regrade.stages.registry import stages
from regrade.studies.items import PLACEHOLDER, Item, read_items, schema_key
from regrade.studies.registry import STUDIES
from regrade.workflow.stages import STAGES, stage_of
from tests.each import each

PROJECT = Path(__file__).parents[2]
CAPTIONS = PROJECT / "workflow" / "report"
PUBLISHED = PROJECT / "data" / "published"
ITEMS = [(study, item) for study in STUDIES.values() for item in study.items]
PER_CUT = {"cuts/alpha", "cuts/tau", "cuts/criteria"}
"""Tables whose columns depend on the topics."""


@each(ITEMS)
def test_its_function_is_found_by_its_name(study, item):
    module = import_module(item.module)
    assert callable(getattr(module, item.function))


@each(ITEMS)
def test_its_function_takes_its_tables_in_order_and_its_settings_by_name(study, item):
    module = import_module(item.module)
    taken = inspect.signature(getattr(module, item.function)).parameters.values()
    tables = [one.name for one in taken if one.kind is one.POSITIONAL_OR_KEYWORD]
    settings = [one.name for one in taken if one.kind is one.KEYWORD_ONLY]
    assert len(tables) == len(item.shows)
    if any(one.kind is one.VAR_KEYWORD for one in taken):
        settings += [field.name for field in fields(module.Shown)]
    else:
        assert len(tables) + len(settings) == len(taken)
    assert set(settings) >= set(item.settings)


@each(ITEMS)
def test_what_it_shows_is_a_stages_table_with_a_schema(study, item):
    assert item.shows
    for table in item.shows:
        assert schema_key(table) in set(SCHEMAS) | PER_CUT
        assert stage_of(table) in STAGES


@each(ITEMS)
def test_its_filters_and_settings_are_of_its_options_or_its_stages(study, item):
    assert set(item.filters.values()) <= set(item.options)
    keys = {STAGES[stage_of(table)].key for table in item.shows}
    for key in item.settings.values():
        first, _, rest = key.partition(".")
        assert (first in item.options and not rest) or first in keys | {
            "transformation",
            "pair_tests",
        }
    for table in item.shows:
        for name in PLACEHOLDER.findall(table):
            assert name in item.options or name in ("experts", "left_out")


@each(ITEMS)
def test_its_caption_tells_what_to_see_and_nothing_of_one_collection(study, item):
    for is_studys in (False, True):
        path = CAPTIONS / study.name / item.caption_file(is_studys)
        caption = path.read_text(encoding="utf-8")
        assert len(caption) > 80
        assert max(map(len, caption.splitlines())) <= 100
        assert not re.search(r"TREC|S100|TR2", caption)


@each(ITEMS)
def test_the_papers_panels_are_told_of_the_papers_data_alone(study, item):
    """A figure whose panels a user chooses is not said to show the paper's."""
    if "panels" not in item.options:
        return
    caption = (CAPTIONS / study.name / item.caption_file()).read_text(encoding="utf-8")
    said = " ".join(caption.split())
    assert not re.search(
        r"need no second|a crowd judged|experts did not judge|[Cc]ompare with", said
    )
    assert "in the paper" not in (item.heading or item.title)


def test_no_caption_and_no_printed_table_is_left_over():
    captions = {
        f"{study.name}/{item.caption_file(is_studys)}"
        for study, item in ITEMS
        for is_studys in (False, True)
    }
    cards = [stage.card for stage in stages().values() if stage.card]
    named = {card.caption or card.question for card in cards if not callable(card.caption)}
    captions |= {
        f"answers/{name}.rst" for name in named | {"cut", "cut-trusted", "pair", "confusion"}
    }
    found = {str(path.relative_to(CAPTIONS)) for path in CAPTIONS.glob("*/*.rst")}
    assert found == captions
    printed = {path.stem for path in PUBLISHED.glob("*.csv")}
    assert printed <= {f"{study.name}-{item.name}" for study, item in ITEMS if item.keys}


def test_names_are_told_once():
    for study in STUDIES.values():
        assert len(study.by_name) == len(study.items)


def test_a_path_says_which_schema():
    assert schema_key("ties/rates") == "ties/rates"
    assert schema_key("cuts/{transformation}/{panels}/alpha") == "cuts/alpha"
    assert schema_key("cuts/{transformations}/tau@{experts}/tau") == "cuts/tau"
    assert schema_key("rankings/{transformations}") == "rankings"


def test_an_option_without_default_must_be_given():
    item = Item(
        "figure-x",
        "Title",
        options={"rho": {"type": "array"}, "measure": {"type": "string", "default": "AP"}},
    )
    schema = item.schema()
    assert schema["required"] == ["rho"]
    assert schema["properties"].keys() == {"rho", "measure"}
    assert schema["description"] == "Title."


DECLARED = """
[trust]
    in cuts/{transformation}
    options searches
table-a: What it tells
    shows best_cuts {panels}/alpha
    settings source shown=searches
    keys method topic
    decimals 2; of all topics 0
    note Beware. {why}
figure-a: Drawn: by
        topic
    shows best_cuts
    options measure:ap panels
    filters measure
figure-b: In the paper, of others
    like figure-a
[]
figure-c: Without a part
    shows sets
"""
OPTIONS = {
    name: {"description": name} for name in ("transformation", "searches", "measure:ap", "panels")
}


def test_items_are_read_from_their_notation():
    table, figure, like, bare = read_items(DECLARED, OPTIONS, {"why": "Why."}, comparable=False)
    assert table == Item(
        "table-a",
        "What it tells",
        shows=("cuts/{transformation}/best_cuts", "cuts/{transformation}/{panels}/alpha"),
        options={name: OPTIONS[name] for name in ("transformation", "panels", "searches")},
        settings={"source": "transformation.source", "shown": "searches"},
        keys=("method", "topic"),
        decimals=2,
        decimals_of={"of all topics": 0},
        note="Beware. Why.",
        part="trust",
        comparable=False,
    )
    assert figure.title == "Drawn: by topic"
    assert figure.options["measure"] == OPTIONS["measure:ap"]
    assert figure.filters == {"measure": "measure"}
    assert figure.settings == {"searches": "searches", "panels": "panels"}
    assert (like.shows, like.heading) == (figure.shows, figure.title)
    assert (like.caption, like.study_caption) == ("figure-a", "figure-b")
    assert bare == Item("figure-c", "Without a part", shows=("sets",), comparable=False)


@pytest.mark.parametrize(
    "line",
    ["figure-c: again", "no title", "figure-d: d\n    title x", "figure-d: d\n    options x"],
)
def test_what_declares_no_item_is_refused(line):
    with pytest.raises(ValueError, match=r"declares no item|no fields or options"):
        read_items(f"{DECLARED}\n{line}\n", OPTIONS, {"why": ""})


def test_bands_of_single_thresholds_are_said_to_be_of_single_thresholds():
    caption = " ".join((CAPTIONS / "han2019" / "figure-plateau.rst").read_text().split())
    assert "marginal: not every combination within them is on the plateau" in caption

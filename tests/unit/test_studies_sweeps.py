"""The tables and figures of sweeps, from small ones that the library makes."""

import numpy as np
import pandas as pd
import pytest

from regrade.answers.shape import Answer
from regrade.catalogue.arrow import SCHEMAS
from regrade.sweeps import curve, figures, tables
from regrade.sweeps.counts import reversed_in
from regrade.sweeps.items import SWEEPS
from regrade.sweeps.results import swept
from regrade.tables import as_table, conform
from tests.each import others_slow
from tests.snapshots import assert_said
from tests.unit.carried import assert_carried
from tests.unit.figure_checks import (
    assert_bar_as_high_as_panel,
    assert_same_files,
    described,
    on_page,
    words,
)
from tests.unit.items_made import assert_made, shown
from tests.unit.sweep_worlds import world

LABELS = ["NIST", {"cuts": "judge", "which": ["rounded", "every"], "levels": 2}, "judge"]
WORLDS = {
    "several axes": {
        "labels": LABELS,
        "ties": ["rank", "docno"],
        "measure": ["nDCG@10", "AP", "P@5"],
        "topics": ["all", "halves-2"],
        "test": ["t/none", "t/bh"],
    },
    "one axis": {"measure": ["nDCG@10", "P@5"]},
    "one universe": {},
    "nothing varies": {"unjudged": ["non-relevant", "condensed"]},
    "tied": {"labels": ["NIST", "judge"]},
    "two systems": {"labels": ["NIST", "judge"], "test": ["t/none", "t/holm"]},
    "some cannot be": {"labels": ["NIST", "share"], "measure": ["nDCG@10", "AP"]},
}
BASELINE = {"labels": "NIST", "test": "t/none"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The tables of each of `WORLDS`, as they are read again."""
    found = {}
    for name, axes in WORLDS.items():
        of = world(3, systems=2 if name == "two systems" else 6)
        if name == "tied":
            of.runs = dict.fromkeys(of.runs, of.runs["s0"])
        if name == "nothing varies":  # all that is retrieved is judged
            for topic, labels in of.labels["NIST"].items():
                for ranking in of.runs.values():
                    for docno, _ in ranking[topic]:
                        labels.setdefault(docno, 0)
        made = swept(of.sweep(axes, BASELINE, significance=0.2), tmp_path_factory.mktemp("sweep"))
        found[name] = {
            table: conform(as_table(one), SCHEMAS[f"sweeps/{table}"], table).to_pandas()
            for table, one in made.items()
        }
    return found


CANNOT = {("one universe", "figure-shares")}
"""What has nothing to draw."""


ITEMS = [item for item in SWEEPS.items if not item.part]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
@pytest.mark.parametrize("name", others_slow([*WORLDS], 2))
def test_every_item_is_made(made, name, item, tmp_path):
    cannot = (name, item.name) in CANNOT
    found = assert_made(item, lambda: shown(item, made[name]), cannot, tmp_path)
    assert item.is_table or cannot or on_page(found)


@pytest.mark.parametrize("item", others_slow([i for i in ITEMS if not i.is_table]))
def test_figures_have_the_same_bytes(made, item, tmp_path):
    assert_same_files(tmp_path, lambda: shown(item, made["several axes"]), "Simulated.")


def test_what_is_drawn(made):
    drawn = [item.name for item in ITEMS if not item.is_table]

    def say(name):
        return described(shown(SWEEPS.by_name[name], made["several axes"]))

    assert_said("figures-sweeps", say, ((name,) for name in drawn))


# --- the curve ---------------------------------------------------------------------------------


def weights(of):
    """How much each universe counts: entries the same, and so the levels of one."""
    levels = of["levels"].set_index(["axis", "entry"])["choices"]
    every = of["universes"]
    weight = 1.0 / levels.loc["labels"].loc[every["labels"].astype(str)].to_numpy()
    halves = every["topics"].astype(str).str.startswith("half").to_numpy()
    return weight * np.where(halves, 0.5, 1.0)


@pytest.mark.parametrize("outcome", ["tau", "significant_pairs", "changed_pairs"])
def test_places_of_few_universes_are_the_universes(made, outcome):
    of = made["some cannot be"]
    values = of["universes"][outcome].to_numpy(dtype=float)
    rows = of["curve"][of["curve"]["outcome"] == outcome]
    np.testing.assert_array_equal(rows["low"], np.sort(values))
    np.testing.assert_array_equal(rows["low"], rows["high"])
    shares = of["curve_choices"][of["curve_choices"]["outcome"] == outcome]
    assert set(shares["share"]) == {0.0, 1.0}
    by_place = shares[shares["share"] == 1].pivot(index="place", columns="axis", values="entry")
    found = sorted(zip(rows["low"], by_place["labels"], by_place["measure"], strict=True))
    every = of["universes"]
    assert found == sorted(zip(values, every["labels"], every["measure"], strict=True))
    (at,) = rows[rows["at_baseline"]].itertuples()
    baseline = every["changed_choices"].to_numpy().argmin()
    assert at.low == values[baseline]


@pytest.mark.parametrize("places", [7, 50])
@pytest.mark.parametrize("outcome", ["tau", "significant_pairs", "changed_pairs"])
def test_places_of_many_share_out_their_weight(monkeypatch, tmp_path, places, outcome):
    monkeypatch.setattr(curve, "PLACES", places)
    sweep = world(3).sweep(WORLDS["several axes"], BASELINE, significance=0.2)
    found = swept(sweep, tmp_path)
    of = {name: as_table(table).to_pandas() for name, table in found.items()}
    values, weight = of["universes"][outcome].to_numpy(dtype=float), weights(of)
    rows = of["curve"][of["curve"]["outcome"] == outcome]
    assert len(rows) == places
    np.testing.assert_allclose(rows["stop"] - rows["start"], 1 / places)
    # of each value a stretch of the curve, in which its universes are mixed evenly
    order = np.unique(values)
    total = np.array([weight[values == v].sum() for v in order])
    ends = np.append(0, np.cumsum(total)) / total.sum()
    choices = of["curve_choices"][of["curve_choices"]["outcome"] == outcome]
    entries = {"labels": of["universes"]["labels"].astype(str),
               "measure": of["universes"]["measure"].astype(str)}  # fmt: skip
    part_of_value = {
        (axis, entry): np.array([weight[(values == v) & (names == entry)].sum() for v in order])
        / total
        for axis, names in entries.items()
        for entry in names.unique()
    }
    for row in rows.itertuples():
        inside = np.clip(np.minimum(ends[1:], row.stop) - np.maximum(ends[:-1], row.start), 0, None)
        reached = order[inside > 1e-9]
        assert (row.low, row.high) == (reached[0], reached[-1])
        for axis in entries:
            own = choices[(choices["place"] == row.place) & (choices["axis"] == axis)]
            shares = [inside @ part_of_value[axis, entry] for entry in own["entry"]]
            np.testing.assert_allclose(own["share"], np.array(shares) * places, rtol=0, atol=1e-9)
    baseline = of["universes"]["changed_choices"].to_numpy().argmin()
    (at,) = rows[rows["at_baseline"]].itertuples()
    k = np.searchsorted(order, values[baseline])
    assert at.start - 1e-9 <= (ends[k] + ends[k + 1]) / 2 <= at.stop + 1e-9


# --- shares, systems, pairs --------------------------------------------------------------------


def test_what_does_not_vary_is_said(made):
    figure = shown(SWEEPS.by_name["figure-shares"], made["nothing varies"])
    assert words(figure).count("does not vary") == 3


@pytest.mark.parametrize("systems", [63, 129])
def test_many_systems_are_numbered(systems):
    names = [f"s{i:03}" for i in range(systems)]
    i, j = np.triu_indices(systems, 1)
    pairs = pd.DataFrame({
        "system": np.array(names)[i], "other": np.array(names)[j], "conclusion": "better",
        "significantly_better": 0.5, "significantly_worse": 0.0, "holds": False,
        "depends_on": "ties",
    })  # fmt: skip
    of = pd.DataFrame({"system": names, "axis": None, "baseline_rank": range(1, systems + 1)})
    figure = figures.figure_pairs(pairs, of, limit=None)
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()][:3] == ["1", "10", "20"]
    assert on_page(figure)
    named = figures.figure_pairs(pairs, of, limit=20)
    assert [t.get_text() for t in named.axes[0].get_yticklabels()] == names[:20]
    assert_bar_as_high_as_panel(named)


def test_what_is_as_good_as_nothing_is_nothing():
    assert [tables.percent(v) for v in (0, 1e-17, 1e-5, 0.5, 1 - 1e-5, 1, np.nan)] == [
        "0.0%", "0.0%", "< 0.1%", "50.0%", "> 99.9%", "100.0%", "",
    ]  # fmt: skip


# --- the answer --------------------------------------------------------------------------------


def answer_of(of):
    return Answer.of_frame(of["answer"])


@pytest.mark.parametrize("name", WORLDS)
def test_sentences_say_what_the_tables_hold(made, name):
    of = made[name]
    answer = answer_of(of)
    names = {*of["levels"]["entry"].astype(str), *of["levels"]["axis"].astype(str)}
    names |= {str(one) for one in of["examples"]["changes"]}
    names |= {one.partition(": ")[2] for one in of["examples"]["changes"].astype(str)}
    assert_carried(answer, of, *names, "nDCG@10", "AP", "P@5", folder="sweeps")
    facts = of["facts"].set_index("quantity")["value"]
    assert answer.method.startswith(f"{int(facts['universes']):,} combination")
    for count in of["levels"].groupby("axis", sort=False)["choices"].sum():
        assert (f"({count:,})" in answer.method) or count == 1
    said = " ".join(answer.facts)
    others = (of["examples"]["changed_choices"] == 1).sum()
    if others:
        assert f"{others} of {int(facts['pairs'])} pair" in said
    if len(of["examples"]) == 0:
        assert "No combination changes the conclusion on any pair" in said
    assert (f"disagree on {facts['halves']:,.0f} pairs" in said) == pd.notna(facts["halves"])


def test_what_alone_varies_does_not_decide(made):
    alone = made["one axis"]["axes"]
    assert (alone["total"].dropna() == 1).all() and len(alone)
    assert "account" not in str(answer_of(made["one axis"]))
    assert answer_of(made["one axis"]).verdict.startswith("None of the 3 pairs significant at ")
    assert "account" in answer_of(made["several axes"]).verdict
    assert answer_of(made["nothing varies"]).verdict.startswith("No choice has an effect: ")


def test_reversed_pairs_are_those_significant_in_the_other_direction():
    rows = [
        ("a", "b", "better", 0.9, 0.0),
        ("a", "c", "better", 0.5, 0.0001),
        ("b", "c", "not significant", 0.1, 0.2),
        ("c", "d", "better", 0.5, 0.4),
        ("d", "e", "worse", 0.2, 0.4),
    ]
    pairs = pd.DataFrame(
        rows,
        columns=["system", "other", "conclusion", "significantly_better", "significantly_worse"],
    )
    assert reversed_in(pairs).tolist() == [0, 0.0001, 0, 0.4, 0.2]


def test_examples_stand_by_choices_then_by_rank_at_the_baseline(made):
    of = made["several axes"]
    rank = tables.over_all(of["systems"]).set_index("system")["baseline_rank"]
    rows = of["examples"].astype({"system": str, "other": str})
    keys = [(row.changed_choices, rank[row.system], rank[row.other]) for row in rows.itertuples()]
    assert keys == sorted(keys) and len({*keys}) > 3

"""The explorer of a sweep in a browser: what it shows is what the sweep's tables hold."""

import json

import numpy as np
import pyarrow as pa
import pytest

from regrade.api.designs import judged_scores
from regrade.show.report import render
from regrade.sweeps import explorer_page
from regrade.sweeps.explorer_page import packed_sweep
from regrade.sweeps.options import SCORE_AXES, read_sweep
from regrade.sweeps.results import swept
from regrade.sweeps.score_sweep import ScoreSweep, known_of
from regrade.sweeps.store import Store
from regrade.sweeps.sweep import SweepDesign
from regrade.tables import as_frame
from tests.unit import test_score_sweeps as score_sweeps
from tests.unit.sweep_worlds import world
from tests.unit.test_show_explorer import (  # noqa: F401 (two are fixtures)
    browser,
    nothing_said,
    settled,
    visit,
    window,
)
from tests.unit.test_show_report import TEMPLATE, assert_self_contained

AXES = {
    "labels": ["NIST", {"cuts": "judge", "which": ["rounded", "every"], "levels": 2}, "judge"],
    "ties": ["rank", "docno"],
    "measure": ["nDCG@10", "AP(rel=2)"],
    "topics": ["all", "halves-2"],
    "test": ["t/none", "t/bh"],
}
BASELINE = {"labels": "NIST", "test": "t/none"}
NAME = "</script><b>&:;="


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A sweep, its tables, and what a page needs of it."""
    folder = tmp_path_factory.mktemp("sweep")
    sweep = world(3).sweep(AXES, BASELINE, significance=0.2)
    found = swept(sweep, folder)
    tables = {
        name: table.to_pandas() if isinstance(table, pa.Table) else table
        for name, table in found.items()
    }
    return sweep, tables, packed_sweep(NAME, sweep, tables, Store(folder))


def page_of(data):
    return render("Title", "", [], TEMPLATE, sweeps={NAME: data})


@pytest.fixture
def opened(window, made, tmp_path):  # noqa: F811
    """Open a report at its explorer."""

    def open_page(address="", width=1280, data=made[2]):
        path = tmp_path / "report.html"
        path.write_text(page_of(data), encoding="utf-8")
        page = visit(window, path, address, width)
        page.locator(".explorer").scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.explorer').dataset.picked !== undefined")
        return settled(page)

    with nothing_said(window):
        yield open_page


@pytest.fixture
def says():
    """What waits until the explorer says something, a part of which is this."""
    expect = pytest.importorskip("playwright.sync_api").expect
    return lambda page, text: expect(page.locator(".said")).to_contain_text(text)


EVERY = """async () => {
  const shown = await document.querySelector(".explorer").explorer;
  const found = [];
  for (const key of shown.places.keys()) {
    shown.picked = key.split(",").map(Number);
    shown.show();
    const cells = (row) => [...row.cells].map((cell) => cell.textContent);
    const rows = (body) => [...body.rows].map(cells);
    found.push([shown.picked.map((code, a) => shown.page.axes[a].entries[code]),
      shown.values, rows(shown.ranking), rows(shown.turned), shown.said.textContent]);
  }
  return found;
}"""

CONCLUSIONS = {"better": 1, "not significant": 0, "worse": -1}
COLUMNS = ["labels", "unjudged_as", "pool", "tie_order", "measure", "topics", "test"]


def test_every_combination_is_that_of_the_tables(opened, made):
    _, tables, _ = made
    universes = tables["universes"].astype(dict.fromkeys(COLUMNS, str))
    universes["topics"] = universes["topics"].where(universes["topics"] == "all", "halves")
    groups = dict(list(universes.groupby(COLUMNS)))
    shown = opened().evaluate(EVERY)
    assert {tuple(entries) for entries, *_ in shown} == set(groups)
    baseline = {
        (r.system, r.other): CONCLUSIONS[r.conclusion] for r in tables["pairs"].itertuples()
    }
    ranks = tables["systems"][tables["systems"]["axis"].isna()].set_index("system")
    plain = 0
    for entries, values, ranking, turned, said in shown:
        rows = groups[tuple(entries)]
        for outcome in ("tau", "significant_pairs", "changed_pairs"):
            expected = np.quantile(rows[outcome], [0, 0.25, 0.5, 0.75, 1])
            assert values[outcome] == pytest.approx(expected.tolist(), abs=1e-9)
        if len(rows) > 1:
            assert ranking == turned == []
            assert said.startswith(f"{len(rows)} specifications.")
            continue
        plain += 1
        assert len(turned) == rows["changed_pairs"].iloc[0]
        assert f"differs from the baseline's for {rows['changed_pairs'].iloc[0]} pairs" in said
        assert f"; {rows['moved'].iloc[0]} of 6 systems" in said
        first = sorted(name for rank, name, *_ in ranking if rank == "1")[0]
        assert first == rows["first_system"].iloc[0]
        for rank, name, _, before, moves in ranking:
            assert int(before) == ranks.loc[name, "baseline_rank"]
            gained = int(before) - int(rank)
            assert moves == ("" if not gained else f"{'▲' if gained > 0 else '▼'} {abs(gained)}")
        for system, other, before, here in turned:
            known = baseline.get((system, other))
            known = -baseline[other, system] if known is None else known
            assert CONCLUSIONS[before] == known != CONCLUSIONS[here]
    assert plain == 20  # two levels have no grade 2


def test_every_combination_of_scores_by_item_is_that_of_the_tables(opened, tmp_path):
    axes = score_sweeps.AXES | {"items": ["all", {"without": "dataset"}, "halves-2"]}
    sets = judged_scores(score_sweeps.frame(4), ())
    written = read_sweep(axes, {"scores": "human"}, [*sets], None, known_of(sets), SCORE_AXES)
    sweep = ScoreSweep.of_scores(SweepDesign.of(written), sets, "refuse")
    tables = {name: as_frame(table) for name, table in swept(sweep, tmp_path / "kept").items()}
    columns = ["scores", "measure", "average", "topics", "test"]
    universes = tables["universes"].astype(dict.fromkeys(columns, str))
    entry = {"all": "all"} | {f"half 1{side}": "halves" for side in "ab"}
    universes["topics"] = [entry.get(level, "without dataset") for level in universes["topics"]]
    groups = dict(list(universes.groupby(columns)))
    page = opened(data=packed_sweep(NAME, sweep, tables))
    shown = page.evaluate(EVERY)
    assert {tuple(entries) for entries, *_ in shown} == set(groups)
    for entries, values, *_ in shown:
        for outcome in ("tau", "significant_pairs", "changed_pairs"):
            expected = np.quantile(groups[tuple(entries)][outcome], [0, 0.25, 0.5, 0.75, 1])
            assert values[outcome] == pytest.approx(expected.tolist(), abs=1e-9)
    assert "topics" not in page.locator(".explorer").inner_text()


def test_means_and_conclusions_are_those_that_are_scored(opened, made):
    sweep, tables, _ = made
    universes = tables["universes"]
    row = universes[
        (universes["labels"] == "judge") & (universes["measure"] == "nDCG@10")
        & (universes["tie_order"] == "docno") & (universes["topics"] == "all")
        & (universes["test"] == "t/bh")
    ].iloc[0]  # fmt: skip
    entry = [one.entry.text for one in sweep.labels].index("judge")
    (block,) = [b for b in sweep.blocks() if b.entry == entry]
    key = ("non-relevant", "all", "docno", "nDCG@10")
    ((_, _, outcomes, told), *_) = [found for found in sweep.conclude(block, [key]) if not found[1]]
    page = opened("#sweep-%3C%2Fscript%3E%3Cb%3E%26%3A%3B%3D=labels:judge;ties:docno;test:t%2Fbh")
    shown = page.evaluate("""async () => {
      const shown = await document.querySelector(".explorer").explorer;
      const column = (at) => [...shown.ranking.rows].map((row) => row.cells[at].textContent);
      return [[...shown.conclusions], column(1), column(2)];
    }""")
    assert shown[0] == told["t/bh"][0].tolist()
    means = dict(zip(sweep.systems, outcomes.means[0], strict=True))
    assert [float(mean) for mean in shown[2]] == pytest.approx(
        [means[name] for name in shown[1]], abs=5.1e-5
    )
    assert row["significant_pairs"] == np.count_nonzero(shown[0])


def test_choices_are_picked_by_keyboard_and_shared_by_address(opened, says):
    page = opened()
    select = page.locator(".controls select").nth(1)
    select.focus()
    page.keyboard.press("ArrowDown")
    address = "#sweep-%3C%2Fscript%3E%3Cb%3E%26%3A%3B%3D="
    rest = ";ties:docno;measure:nDCG%4010;topics:all;test:t%2Fnone"
    page.wait_for_function(f"location.hash === {f'{address}labels:NIST{rest}'!r}")
    picked = page.evaluate("document.querySelector('.explorer').dataset.picked")
    other = opened(f"{address}labels:NIST{rest}")
    assert other.evaluate("document.querySelector('.explorer').dataset.picked") == picked
    other.get_by_role("button", name="Reset to the baseline").click()
    says(other, "baseline's for 0 pairs")
    other.evaluate(f"location.hash = {f'{address}labels:judge{rest}'!r}")
    other.wait_for_function("document.querySelector('select').selectedOptions[0].text === 'judge'")


@pytest.mark.parametrize("address", ["#sweep-x=labels:judge", "#sweep-=", "#cut-S=1"])
def test_other_addresses_are_not_followed(opened, says, address):
    says(opened(address), "baseline's for 0 pairs")


@pytest.mark.parametrize("limit", ["MOST", "MOST_CONCLUSIONS"])
def test_what_is_too_much_for_a_page_is_left_out_and_said(opened, says, made, monkeypatch, limit):
    sweep, tables, _ = made
    pairs = len(tables["pairs"])
    monkeypatch.setattr(explorer_page, limit, 4 if limit == "MOST" else 4 * pairs)
    data = packed_sweep(NAME, sweep, tables)
    page = opened(data=data)
    said = page.locator(".explorer > .small").last.inner_text()
    assert said.startswith("This page holds 4 of 48 combinations of entries")
    says(page, "baseline's for 0 pairs")
    for place, entry in ((0, "judge"), (1, "docno"), (2, "AP(rel=2)")):
        page.locator(".controls select").nth(place).select_option(label=entry)
    says(page, "not on this page")


def test_what_cannot_be_is_said(opened, says, tmp_path):
    sweep = world(3).sweep(
        {"labels": ["NIST", "share"], "measure": ["nDCG@10", "AP"]}, BASELINE, significance=0.2
    )
    found = swept(sweep, tmp_path / "sweep")
    tables = {"universes": found["universes"].to_pandas(), "curve": found["curve"],
              "facts": found["facts"]}  # fmt: skip
    page = opened(data=packed_sweep(NAME, sweep, tables))
    page.locator("select").nth(0).select_option(label="share")
    page.locator("select").nth(1).select_option(label="AP")
    says(page, "This combination is excluded")


def test_the_page_is_complete_in_itself_and_names_end_no_data(made):
    html = page_of(made[2])
    assert_self_contained(html)
    assert html.count("</script>") == 6  # the data, engine, charts, explorer, PDF, the page's own
    assert "<" not in made[2] and json.loads(made[2])["name"] == NAME

"""The explorer in a browser: its numbers are those of the tables, and nothing goes wrong."""

import json
import shutil
import time
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.aggregation import aggregate
from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch import explorer_page
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.explorer_page import bests, packed_page, packed_search, packed_systems
from regrade.cutsearch.search import prepare
from regrade.cutsearch.system_tau import tau_of_every_cut
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import MethodError
from regrade.evaluations.compare_sets import ComparisonOptions, compare_sets
from regrade.label_sets import LabelSet
from regrade.packing import Buffer
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.scoring import score
from regrade.show.report import render
from regrade.simulation.collection import CollectionParameters, simulate_collection
from tests.unit.judgments import alpha_options, random_judgments, random_labels
from tests.unit.test_show_report import TEMPLATE, assert_self_contained

S11 = Scale.of({"levels": 11})
METHODS = ("h1_ta", "h1_at", "tw1", "h2", "d2_at", "d2_ta")
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
PATIENCE = 120_000
"""Milliseconds that a page may take to come to where it is waited for, on a busy machine."""

NDCG = "nDCG@10"
HIGHEST = 5.0  # of the expert's scale, which no document has
MARKUP = "</script><b>&"


def collection(seed=3, topics=3, systems=6):
    """Rankings, judgments of their documents in units, and labels, of the same topics."""
    made = simulate_collection(
        CollectionParameters(systems=systems, topics=topics, documents=60, depth=40)
    )
    judgments = random_judgments(seed, levels=11, topics=topics, documents=12, units=14)
    names = {
        f"D{i:03d}": docno
        for i, docno in enumerate(sorted(set(made.runs["docno"].to_pylist()))[:40])
    }
    known = sorted(set(made.runs["topic"].to_pylist()))
    frame = judgments.to_pandas()
    frame["docno"] = frame["docno"].map(names)
    frame["topic"] = [known[int(topic) - 1] for topic in frame["topic"]]
    return RankedLists.from_table(made.runs), judgments.from_pandas(frame, preserve_index=False)


def within(found, loss):
    """Rows of schema ``cuts/plateau``: the cuts whose α is lower than the best by so little."""
    on = found.single >= np.nanmax(found.single) - loss
    names = [f"c{j + 1}" for j in range(found.cuts.shape[1])]
    rows = pd.DataFrame(found.cuts[on], columns=names).astype(float)
    return rows.assign(method="d2_at", reference="NIST")


class Made:
    """An explorer, and the results that it must agree with."""

    def __init__(
        self,
        levels,
        *,
        metric="ordinal",
        undefined="drop",
        name="S11",
        runs=True,
        measure=NDCG,
        recommended=("d2_at", "NIST"),
        **of,
    ):
        ranked, judgments = collection(**of)
        labels = random_labels(1, judgments, levels)
        options = {"metric": metric, "undefined": undefined}
        self.found, searches, best, buffer = {}, [], [], Buffer()
        self.plateau = None
        for method in METHODS:
            reference = labels if "2" in method else None
            plan = prepare(judgments, S11, levels, method, reference, alpha_options(**options))
            found = plan.search()
            label = "NIST" if "2" in method else None
            best.append(best_cuts(found, label))
            self.found[f"{method}@NIST" if label else method] = found
            if method == "d2_at":  # asked for of this search alone
                self.plateau = within(found, 0.2)
            of = plan, label, found.to_frame(), best[-1], self.plateau
            searches.append(packed_search(buffer, *of))
        thresholds = plan.thresholds
        of_start = bests(pd.concat(best), *recommended, thresholds)
        start = of_start[ALL_TOPICS]["cut"] if ALL_TOPICS in of_start else None
        systems = None
        if runs:
            source = aggregate(judgments, "median")
            self.tau = tau_of_every_cut(
                ranked, source, labels, S11, levels, measure, max_grade=HIGHEST
            )
            best = best_cuts(self.tau, "NIST")
            asked = {"NIST": (labels, HIGHEST)}, thresholds, levels, measure, best
            systems = packed_systems(buffer, ranked, source, *asked)
        about = {"name": name, "levels": levels, "metric": metric, "undefined": undefined}
        about |= {"scale": S11, "thresholds": thresholds, "start": start}
        about |= {"left_out": {"d2_ta@crowd": MARKUP}}
        self.data = packed_page(buffer, searches, systems, **about)

    def page(self):
        return render("Title", "", [], TEMPLATE, {"S11 cut": self.data})


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no chromium on the path")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        sync_api.expect.set_options(timeout=PATIENCE)
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        yield started
        started.close()


@pytest.fixture(scope="module")
def window(browser):
    """One for all tests of a module, which goes from file to file: a new one takes a second."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    return page


def visit(window, path, address="", width=1280, color_scheme="light"):
    """A file in the window, as if this had just been opened."""
    window.goto("about:blank")  # or another address of the same file would not load it again
    window.mouse.move(0, 0)
    window.emulate_media(media="screen", color_scheme=color_scheme)
    window.set_viewport_size({"width": width, "height": 900})
    window.goto(f"file://{path}{address}")
    return window


BUILT = """async () => {
  for (const id of ["rankings", "topic-documents"]) await document.getElementById(id)?.shown;
  // what shows them scrolls to the address so many milliseconds later; timers end in their order
  await new Promise((done) => setTimeout(done, 100));
}"""

DRAWN = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame(); // sizes are observed, and what came into view has begun
  const roots = [...document.querySelectorAll(".explorer")];
  const explorers = await Promise.all(roots.map((root) => root.explorer));
  return !document.querySelector("script.html") && !explorers.some((one) => one?.waiting);
}"""


def settled(page):
    """Wait until nothing moves on a page any more: all is unpacked, scrolled to and drawn."""
    page.evaluate(BUILT)
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(DRAWN):
        assert time.monotonic() < end, "it is not drawn"
    return page


def work_until_seen(browser, page, path):
    """Milliseconds that a page's thread works until something of the page is seen.

    By the clock it takes as long as what else the machine does lets it.
    """
    browser.start_tracing(page=page, categories=["loading", "toplevel"])
    visit(page, path)
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    [seen] = [event for event in events if event["name"] == "firstContentfulPaint"]
    of_thread = [event for event in events if event["tid"] == seen["tid"]
                 and event["pid"] == seen["pid"] and event["ts"] <= seen["ts"]]  # fmt: skip
    tasks = [event["tdur"] for event in of_thread if event["name"].endswith("::RunTask")]
    assert tasks
    return sum(tasks) / 1000


def clock_of(page):
    """What gives the milliseconds that the page's thread has worked from now on."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")  # from then on, or from when the page has another process

    def worked():
        metrics = session.send("Performance.getMetrics")["metrics"]
        [seconds] = [one["value"] for one in metrics if one["name"] == "ThreadTime"]
        return 1000 * seconds

    return worked


@contextmanager
def nothing_said(window):
    """What the console says besides information, and what is asked of elsewhere, is an error."""
    said = []
    hearing = {
        "pageerror": lambda error: said.append(str(error)),
        "console": lambda line: line.type == "error" and said.append(line.text),
        "request": lambda asked: asked.url.startswith("http") and said.append(asked.url),
    }
    for event, heard in hearing.items():
        window.on(event, heard)
    yield
    for event, heard in hearing.items():
        window.remove_listener(event, heard)
    assert said == []


@pytest.fixture
def opened(window, tmp_path):
    """Open a report at its explorer."""

    def open_page(made, address="", width=1280):
        path = tmp_path / "report.html"
        path.write_text(made.page(), encoding="utf-8")
        page = visit(window, path, address, width)
        page.locator(".explorer").scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.explorer').dataset.cut !== undefined")
        return settled(page)

    with nothing_said(window):
        yield open_page


CRITERIA = """async (cuts) => {
  const shown = await document.querySelector(".explorer").explorer;
  return cuts.map((cut) => {
    shown.cut = cut;
    shown.draw();
    const alphas = shown.found.map((one) => [String(one.value), one.topics, one.enough]);
    const topics = shown.searches.map((search) =>
      search.topics.map((topic) => String(alphaOfTopic(search, topic, cut, shown.settings).value)));
    const taus = shown.taus.map((tau) => String(tau.value));
    return { alphas, topics, taus, index: indexOfCut(cut, shown.page.thresholds.length) };
  });
}"""


@pytest.mark.parametrize(
    ("levels", "metric", "undefined"),
    [
        (2, "ordinal", "drop"),
        (3, "nominal", "one"),
        (4, "ordinal", "drop"),
        (4, "interval", "zero"),
    ],
)
def test_every_cut_has_the_numbers_of_the_tables(opened, levels, metric, undefined):
    made = Made(levels, metric=metric, undefined=undefined)
    page = opened(made)
    cuts = next(iter(made.found.values())).cuts.astype(int)
    shown = page.evaluate(CRITERIA, cuts.tolist())
    for at, numbers in enumerate(shown):
        assert numbers["index"] == at
        for found, (value, n_topics, enough), topics in zip(
            made.found.values(), numbers["alphas"], numbers["topics"], strict=True
        ):
            assert float(value) == pytest.approx(found.mean[at], abs=1e-9, nan_ok=True)
            assert n_topics == found.n_topics[at]
            assert enough == (not np.isnan(found.single[at]))
            np.testing.assert_allclose(np.array(topics, float), found.values[at], atol=1e-9)
        assert float(numbers["taus"][0]) == pytest.approx(
            made.tau.single[at], abs=1e-9, nan_ok=True
        )


@pytest.mark.parametrize("measure", ["AP", "P(rel=2)@5", "RBP@10", "DCG@10", "ERR@10", "nERR@10"])
def test_every_cut_ranks_the_systems_by_any_measure(opened, measure):
    made = Made(3, measure=measure)
    page = opened(made)
    cuts = next(iter(made.found.values())).cuts.astype(int)
    shown = [float(at["taus"][0]) for at in page.evaluate(CRITERIA, cuts.tolist())]
    assert shown == pytest.approx(made.tau.single, abs=1e-9, nan_ok=True)


def test_experts_are_scored_on_their_scale():
    ranked, judgments = collection()
    labels, source = random_labels(1, judgments, 3), aggregate(judgments, "median")
    best = pd.DataFrame({"method": [], "reference": []})
    asked = Thresholds.of(S11, 3), 3, "ERR@10", best
    for highest in (HIGHEST, None):
        experts = {"NIST": (labels, highest)}
        buffer = Buffer()
        [found] = packed_systems(buffer, ranked, source, experts, *asked)["experts"]
        kind, start, count = buffer.arrays[found["scores"]]
        packed = np.frombuffer(b"".join(buffer.parts), f"<{kind}", count, start)
        expected = score(ranked, Judged.from_table(labels, ranked), ["ERR@10"], max_grade=highest)
        np.testing.assert_array_equal(
            packed.reshape(-1, len(ranked.systems)).T, expected.values[:, :, 0]
        )


def test_ties_of_documents_are_told_of_the_best_cut():
    """As of the labels under that cut, compared with the expert's."""
    ranked, judgments = collection()
    tied = replace(ranked, scores=-(ranked.ranks // 8).astype(float))
    labels, source = random_labels(1, judgments, 3), aggregate(judgments, "median")
    best = best_cuts(
        tau_of_every_cut(tied, source, labels, S11, 3, NDCG, max_grade=HIGHEST), "NIST"
    )
    asked = {"NIST": (labels, HIGHEST)}, Thresholds.of(S11, 3), 3, NDCG, best
    [found] = packed_systems(Buffer(), tied, source, *asked)["experts"]
    cut = best.loc[best["topic"] == ALL_TOPICS, ["c1", "c2"]].to_numpy(float)[0]
    frame = source.to_pandas()
    frame["grade"] = [float(sum(value > c for c in cut)) for value in frame["grade"]]
    under = pa.table(frame, schema=source.schema)
    sides = (
        LabelSet.on_levels("NIST", labels, int(HIGHEST) + 1),
        LabelSet.on_levels("cut", under, 3),
    )
    how = ComparisonOptions(resamples=2, splits=2)
    rankings = compare_sets(*sides, tied, [NDCG], how)["rankings"].set_index("quantity")
    expected = rankings.loc["tau", ["ties_low", "ties_high"]].tolist()
    assert expected[0] < expected[1]
    assert found["ties"] == pytest.approx(expected)
    unscored = replace(ranked, scores=None)
    [found] = packed_systems(Buffer(), unscored, source, *asked)["experts"]
    assert found["ties"] is None


def test_handles_move_by_keyboard_and_push_each_other(opened):
    page = opened(Made(4), "#cut-S11=2,3,4")
    page.wait_for_function("document.querySelector('.explorer').dataset.cut === '2,3,4'")
    handle = page.locator(".handles input").nth(0)
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.said').textContent.includes('level 0: 0 – 5')")
    page.wait_for_function("location.hash === '#cut-S11=5,6,7'")
    texts = page.locator(".handles span").all_inner_texts()
    assert texts == ["level 0 up to 5", "level 1 up to 6", "level 2 up to 7"]


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_the_plateau_is_shown_where_it_is_known(opened, levels):
    made = Made(levels)
    page = opened(made)
    masks, notes = page.evaluate("""async () => {
      const shown = await document.querySelector(".explorer").explorer;
      const notes = shown.searches.map((search, i) => {
        shown.shown = i;
        shown.mapped = "";
        shown.draw();
        return [shown.mapNote.textContent, shown.edges ? shown.edges.length : -1];
      });
      return [shown.searches.map((search) => search.plateau && Array.from(search.plateau)), notes];
    }""")
    found = made.found["d2_at@NIST"]
    on = found.single >= np.nanmax(found.single) - 0.2
    for name, mask, (note, edges) in zip(made.found, masks, notes, strict=True):
        if name == "d2_at@NIST":
            assert mask == on.astype(int).tolist()
            told = f"the {on.sum()} of {len(on)} cuts that are not significantly worse"
            assert (told if levels > 2 else f"(d2_at@NIST {on.sum()})") in note
            assert edges > 0 or levels == 2
        else:
            assert mask is None
            assert "were not tested" in note or levels == 2
            assert edges <= 0


def test_a_cut_is_downloaded_as_qrels(opened):
    made = Made(2)
    page = opened(made, "#cut-S11=4")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save labels as qrels").click()
    assert download.value.suggested_filename == "S11-cut-4.qrels"
    lines = download.value.path().read_text().splitlines()
    labels = aggregate(collection()[1], "median").to_pandas()
    expected = {
        f"{row.topic} 0 {row.docno} {int(row.grade > 4)}" for row in labels.itertuples(index=False)
    }
    assert set(lines) == expected and len(lines) == len(expected)


def test_the_page_is_complete_in_itself():
    html = Made(2).page()
    assert_self_contained(html)
    assert html.count("</script>") == 6  # the data, engine, charts, explorer, PDF, the page's own


def test_a_scale_without_an_end_is_explored(window, tmp_path):
    """Magnitudes have no highest value, and JSON has no infinity."""
    thresholds = Thresholds(np.array([0.0, 1.5, 4.0]), 3)
    how = {"name": "ME", "levels": 2, "metric": "interval", "undefined": "drop", "start": None}
    how |= {"scale": Scale.of({"ratio": True}), "thresholds": thresholds}
    bare = json.loads(packed_page(Buffer(), [], None, **how), parse_constant=pytest.fail)
    assert (bare["scale"], bare["named"]) == ([0, None], {})
    data = json.loads(Made(2).data) | {"scale": [0, None], "name": "ME"}
    path = tmp_path / "report.html"
    text = json.dumps(data).replace("<", "\\u003c")
    html = render("Title", "", [], TEMPLATE, {"ME: into 2 levels": text})
    path.write_text(html, encoding="utf-8")
    with nothing_said(window):
        page = visit(window, path, "#explore-ME")
        said = "document.querySelector('.explorer .said')?.textContent"
        page.wait_for_function(said)
        assert page.locator(".explorer .said").inner_text().endswith(" and more.")
        page.evaluate("""async () => {
          const explorer = await document.querySelector(".explorer").explorer;
          explorer.go([explorer.page.thresholds.length - 1]);
        }""")
        page.wait_for_function(f"{said}.includes('level 1: above ')")  # drawn in the next frame


def test_names_cannot_end_the_data():
    data = Made(2, name=MARKUP, runs=False).data
    assert "<" not in data
    assert json.loads(data)["name"] == MARKUP


FRAMES = """async (count) => {
  const input = document.querySelectorAll(".handles input")[2];
  const { explorer } = document.querySelector(".explorer");
  const shown = await explorer;
  const drawn = new Set();
  for (let i = 0; i < count; i++) {
    input.value = String(4 + (i % 6));
    input.dispatchEvent(new Event("input"));
    await new Promise(requestAnimationFrame);
    drawn.add(shown.said.textContent);
  }
  return drawn.size;
}"""


def test_it_follows_a_handle_with_129_systems_and_18_topics(window, tmp_path):
    """Thirty frames a second leave a frame 33 ms; a page loads within two seconds.

    Both of the page's own thread: what else the machine does in the meantime does not count.
    """
    path = tmp_path / "report.html"
    path.write_text(Made(4, systems=129, topics=18).page(), encoding="utf-8")
    worked = clock_of(window)
    with nothing_said(window):
        page = visit(window, path)
        page.locator(".explorer").scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.explorer').dataset.cut !== undefined")
        settled(page)
        assert 10 < worked() < 2000
        spent = []
        for _ in range(3):
            before = worked()
            assert page.evaluate(FRAMES, 40) == 6  # each place of the handle was drawn
            spent.append((worked() - before) / 40)
    assert 1 < min(spent) < 33


def test_a_search_too_large_for_a_page_is_refused(monkeypatch):
    monkeypatch.setattr(explorer_page, "MOST", 40)
    with pytest.raises(MethodError, match="a page takes 40"):
        Made(2)


def test_the_address_keeps_the_cut_also_behind_a_link_to_the_explorer(opened):
    page = opened(Made(4), "#explore-S11")
    page.locator(".handles input").nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.hash.startsWith('#cut-S11=')")
    shown = page.evaluate("document.querySelector('.explorer').dataset.cut")
    assert page.evaluate("location.hash") == f"#cut-S11={shown}"


@pytest.mark.parametrize("method", ["d2_at", "tw1", "d2_ta"])
def test_it_starts_at_the_cut_that_is_recommended(opened, method):
    """Whichever search comes first, and unless the address names a cut."""
    reference = "NIST" if method.startswith("d2") else None
    made = Made(3, runs=False, recommended=(method, reference))
    best = best_cuts(made.found[f"{method}@NIST" if reference else method], reference)
    cut = best.loc[best["topic"] == ALL_TOPICS, ["c1", "c2"]].to_numpy(int)[0]
    shown = ",".join(map(str, cut))
    others = {tuple(found.cuts[np.nanargmax(found.single)]) for found in made.found.values()}
    assert len(others) > 1  # searches differ in what they find best
    page = opened(made)
    assert page.evaluate("document.querySelector('.explorer').dataset.cut") == shown
    assert page.evaluate("location.hash") == f"#cut-S11={shown}"
    mapped = page.locator("label", has_text="Criterion").locator("select")
    search = mapped.locator("option:checked").inner_text()
    found = made.found[search]
    assert found.single[(found.cuts == cut).all(axis=1)] == np.nanmax(found.single)
    page.wait_for_function("document.querySelector('.chart svg').hasAttribute('aria-label')")
    told = page.locator(".chart svg").first.get_attribute("aria-label")
    assert told == f"map of every cut by {search}"
    page = opened(made, "#cut-S11=1,8")
    assert page.evaluate("document.querySelector('.explorer').dataset.cut") == "1,8"

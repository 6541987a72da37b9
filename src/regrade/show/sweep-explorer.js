// The explorer of a sweep: an entry of each axis is picked; ranking, pairs, and the place on the curve.
"use strict";

const SWEEP_OUTCOMES = {
  changed_pairs: "pairs whose conclusion differs from the baseline's",
  significant_pairs: "significant pairs",
  tau: "τ_b with the baseline ranking",
};
const SWEEP_COLOURS = { curve: "#0072b2", here: "#d55e00" };
const SHOWN_PAIRS = 200;
const CONCLUSIONS = { "1": "better", "0": "not significant", "-1": "worse" };

class SweepExplorer {
  constructor(root, page, arrays) {
    this.root = root;
    this.page = page;
    const at = (place) => arrays[place];
    this.width = page.axes.length;
    this.means = at(page.means);
    this.ranks = at(page.ranks);
    this.tau = at(page.tau);
    this.packed = at(page.conclusions);
    this.counts = at(page.counts);
    this.quantiles = at(page.quantiles);
    const size = page.systems.length;
    this.pairs = [];
    for (let i = 0; i < size; i++) for (let j = i + 1; j < size; j++) this.pairs.push([i, j]);
    this.bytes = Math.ceil(this.pairs.length / 4);
    this.baseline = this.unpacked(at(page.baselineConclusions), 0);
    this.places = this.readPlaces(at(page.codes), at(page.one));
    this.picked = this.addressed() || page.axes.map((axis) => axis.baseline);
    this.outcome = "changed_pairs";
    this.build();
    this.show();
    window.addEventListener("hashchange", () => this.follow());
  }

  /** Of each combination, by its codes: whether it is a single specification, and its row among those. */
  readPlaces(codes, one) {
    const places = new Map();
    const next = [0, 0];
    for (let i = 0; i < one.length; i++) {
      const key = codes.subarray(i * this.width, (i + 1) * this.width).join();
      places.set(key, { isOne: one[i] === 1, row: next[one[i]]++ });
    }
    return places;
  }

  /** What is concluded of each pair: 1, 0 or −1. */
  unpacked(packed, row) {
    return Int8Array.from(this.pairs, (_, p) => ((packed[row * this.bytes + (p >> 2)] >> (2 * (p % 4))) & 3) - 1);
  }

  // --- the address ----------------------------------------------------------------------------

  /** What the address names, as #sweep-NAME=axis:entry;axis:entry; an axis not named: its baseline. */
  addressed() {
    const hash = location.hash.slice(1);
    const cut = hash.indexOf("=");
    if (cut < 0 || decodeURIComponent(hash.slice(0, cut)) !== `sweep-${this.page.name}`) return null;
    const picked = this.page.axes.map((axis) => axis.baseline);
    for (const part of hash.slice(cut + 1).split(";")) {
      const [name, entry] = part.split(":").map(decodeURIComponent);
      const place = this.page.axes.findIndex((axis) => axis.name === name);
      const found = place < 0 ? -1 : this.page.axes[place].entries.indexOf(entry);
      if (found < 0) return null;
      picked[place] = found;
    }
    return picked;
  }

  address() {
    const parts = this.page.axes
      .map((axis, a) => [axis, this.picked[a]])
      .filter(([axis]) => axis.entries.length > 1)
      .map(([axis, code]) => `${encodeURIComponent(axis.name)}:${encodeURIComponent(axis.entries[code])}`);
    return `#${encodeURIComponent(`sweep-${this.page.name}`)}=${parts.join(";")}`;
  }

  follow() {
    const picked = this.addressed();
    if (picked && picked.join() !== this.picked.join()) {
      this.picked = picked;
      this.show();
    }
  }

  // --- what the page is made of ---------------------------------------------------------------

  build() {
    this.selects = this.page.axes.map((axis, a) => this.select(axis, a));
    const baseline = make("button", { type: "button", textContent: "Reset to the baseline" });
    baseline.addEventListener("click", () => this.pick(this.page.axes.map((axis) => axis.baseline)));
    const outcomes = make("select", {}, Object.entries(SWEEP_OUTCOMES)
      .filter(([outcome]) => this.page.curve[outcome])
      .map(([value, textContent]) => make("option", { value, textContent })));
    outcomes.addEventListener("change", () => {
      this.outcome = outcomes.value;
      this.draw();
    });
    const labels = this.page.axes
      .map((axis, a) => (axis.entries.length > 1 ? make("label", {}, [axis.name, this.selects[a]]) : null))
      .filter(Boolean);
    this.said = make("p", { className: "said" });
    this.said.setAttribute("role", "status");
    this.map = make("div");
    this.mapNote = make("p", { className: "small" });
    this.ranking = make("tbody");
    this.turned = make("tbody");
    this.turnedNote = make("p", { className: "small" });
    this.root.append(
      make("div", { className: "controls" }, [...labels, baseline]),
      this.said,
      make("div", { className: "controls" }, [make("label", {}, ["Outcome", outcomes])]),
      this.map,
      this.mapNote,
      (this.lists = make("div", { className: "pictures" }, [
        this.table("Systems", ["rank", "system", "mean", "baseline rank", "rank change"], this.ranking, [0, 2, 3, 4]),
        this.table("Pairs whose conclusion differs", ["system", "other", "baseline", "selection"], this.turned, [], this.turnedNote),
      ])),
    );
    if (this.page.combinations > this.places.size) {
      const text = `This page holds ${this.places.size.toLocaleString("en")} of ${this.page.combinations.toLocaleString("en")} combinations of entries: those closest to the baseline.`;
      this.root.append(make("p", { className: "small", textContent: text }));
    }
    this.chart = new Chart(this.map, { axes: this.chartAxes(), height: 260, right: 22, tell: (x) => this.tell(x) });
  }

  select(axis, a) {
    const options = axis.entries.map((entry, value) => {
      const many = axis.choices[value] > 1 ? ` (${axis.choices[value].toLocaleString("en")} choices)` : "";
      const textContent = entry + many + (value === axis.baseline ? ", the baseline" : "");
      return make("option", { value: String(value), textContent });
    });
    const select = make("select", {}, options);
    select.addEventListener("change", () => {
      const picked = [...this.picked];
      picked[a] = Number(select.value);
      this.pick(picked);
    });
    return select;
  }

  table(title, heads, body, numbers, note = null) {
    body.numbers = new Set(numbers);
    const head = make("tr", {}, heads.map((textContent, i) =>
      make("th", { textContent, className: numbers.includes(i) ? "number" : "" })));
    const scrolled = make("div", { className: "rows", tabIndex: 0 }, [make("table", {}, [make("thead", {}, [head]), body])]);
    scrolled.setAttribute("role", "region");
    scrolled.setAttribute("aria-label", title);
    return make("div", {}, [make("b", { textContent: title }), ...(note ? [note] : []), scrolled]);
  }

  pick(picked) {
    this.picked = picked;
    this.show();
    history.replaceState(null, "", this.address());
  }

  // --- what is shown --------------------------------------------------------------------------

  show() {
    this.selects.forEach((select, a) => (select.value = String(this.picked[a])));
    this.place = this.places.get(this.picked.join());
    this.conclusions = this.place && this.place.isOne ? this.unpacked(this.packed, this.place.row) : null;
    this.values = this.valuesHere();
    this.fillSystems();
    this.fillPairs();
    this.lists.style.display = this.conclusions ? "" : "none";
    this.said.textContent = this.sentence();
    this.draw();
    this.root.dataset.picked = this.picked.join();
  }

  /** Of each outcome its quantiles here: five times the same where this is a single specification. */
  valuesHere() {
    if (!this.place) return null;
    if (!this.place.isOne) {
      const at = (o) => Array.from(this.quantiles.subarray((3 * this.place.row + o) * 5, (3 * this.place.row + o) * 5 + 5));
      return { tau: at(0), significant_pairs: at(1), changed_pairs: at(2) };
    }
    const apart = this.conclusions.reduce((sum, one) => sum + (one !== 0), 0);
    const changed = this.conclusions.reduce((sum, one, p) => sum + (one !== this.baseline[p]), 0);
    const same = (value) => Array(5).fill(value);
    return { tau: same(this.tau[this.place.row]), significant_pairs: same(apart), changed_pairs: same(changed) };
  }

  sentence() {
    const { page, values } = this;
    const pairs = this.pairs.length.toLocaleString("en");
    if (!values) {
      return page.combinations > this.places.size
        ? "This combination is excluded or not on this page. Choose one closer to the baseline."
        : "This combination is excluded: its choices cannot be combined.";
    }
    const halves = page.halves === null ? "" : ` (mean between random halves of the ${page.unit}s at the baseline: ${page.halves.toFixed(0)})`;
    if (!this.place.isOne) {
      const range = ([low, q1, middle, q3, high], digits) =>
        `median ${middle.toFixed(digits)} (quartiles ${q1.toFixed(digits)} to ${q3.toFixed(digits)}, range ${low.toFixed(digits)} to ${high.toFixed(digits)})`;
      return `${this.counts[this.place.row].toLocaleString("en")} specifications. Pairs whose conclusion differs from the baseline's, of ${pairs}: ${range(values.changed_pairs, 0)}${halves}. Significant pairs: ${range(values.significant_pairs, 0)}. τ_b with the baseline ranking: ${range(values.tau, 3)}. Select a single choice for each axis to list systems and pairs.`;
    }
    const tau = Number.isNaN(values.tau[0]) ? "undefined" : values.tau[0].toFixed(3);
    return `${values.significant_pairs[0].toLocaleString("en")} of ${pairs} pairs differ significantly. The conclusion differs from the baseline's for ${values.changed_pairs[0].toLocaleString("en")} pairs${halves}. τ_b with the baseline ranking is ${tau}; ${this.moved} of ${page.systems.length} systems change rank.`;
  }

  fillSystems() {
    const { page } = this;
    this.ranking.replaceChildren();
    this.moved = 0;
    if (!this.conclusions) return;
    const size = page.systems.length;
    const ranks = this.ranks.subarray(this.place.row * size, (this.place.row + 1) * size);
    const means = this.means.subarray(this.place.row * size, (this.place.row + 1) * size);
    const order = Array.from(ranks.keys()).sort((a, b) => ranks[a] - ranks[b] || page.baselineRanks[a] - page.baselineRanks[b]);
    this.ranking.append(...order.map((s) => {
      const move = page.baselineRanks[s] - ranks[s];
      this.moved += move !== 0;
      const moves = move > 0 ? `▲ ${move}` : move < 0 ? `▼ ${-move}` : "";
      return this.row([ranks[s], page.systems[s], means[s].toFixed(4), page.baselineRanks[s], moves], this.ranking);
    }));
  }

  fillPairs() {
    this.turned.replaceChildren();
    if (!this.conclusions) return;
    const { page } = this;
    const changes = [];
    const kinds = { "significant only in the selection": 0, "significant only at the baseline": 0, reversed: 0 };
    this.pairs.forEach(([i, j], p) => {
      const [before, here] = [this.baseline[p], this.conclusions[p]];
      if (before === here) return;
      kinds[before === 0 ? "significant only in the selection" : here === 0 ? "significant only at the baseline" : "reversed"] += 1;
      const swaps = page.baselineRanks[j] < page.baselineRanks[i];
      changes.push(swaps ? [j, i, -before, -here] : [i, j, before, here]);
    });
    const rank = page.baselineRanks;
    changes.sort((a, b) => rank[a[0]] - rank[b[0]] || rank[a[1]] - rank[b[1]]);
    this.turned.append(...changes.slice(0, SHOWN_PAIRS).map(([i, j, before, here]) =>
      this.row([page.systems[i], page.systems[j], CONCLUSIONS[before], CONCLUSIONS[here]], this.turned)));
    const said = Object.entries(kinds).filter(([, count]) => count).map(([kind, count]) => `${count.toLocaleString("en")} ${kind}`);
    const more = changes.length > SHOWN_PAIRS ? `; the first ${SHOWN_PAIRS} by baseline rank are listed` : "";
    this.turnedNote.textContent = changes.length ? `${said.join(", ")}${more}.` : "No conclusion differs from the baseline's.";
  }

  row(cells, body) {
    return make("tr", {}, cells.map((text, i) =>
      make("td", { textContent: String(text), className: body.numbers.has(i) ? "number" : "" })));
  }

  // --- the curve ------------------------------------------------------------------------------

  get curve() {
    return this.page.curve[this.outcome];
  }

  chartAxes() {
    const { low, high } = this.curve;
    const [from, to] = [low[0], Math.max(high[high.length - 1], this.outcome === "changed_pairs" ? this.page.halves || 0 : -1)];
    const room = (to - from || 1) * 0.05;
    const shares = [0, 0.25, 0.5, 0.75, 1].map((share) => [share, `${100 * share}%`]);
    const label = { changed_pairs: "pairs that differ", significant_pairs: "significant pairs", tau: "τ_b" }[this.outcome];
    return {
      x: { label: "share of specifications, sorted", from: 0, to: 1, ticks: shares },
      y: { label, from: from - room, to: to + room, ticks: ticksBetween(from, to, 5) },
    };
  }

  /** The part of the curve on which the outcome lies between two values: places with both ends. */
  part(from, to) {
    const { start, stop, low, high } = this.curve;
    const places = [];
    for (let i = 0; i < start.length; i++) {
      if (high[i] < from - 1e-9 || low[i] > to + 1e-9) continue;
      const inside = (value) => (high[i] > low[i] ? start[i] + ((value - low[i]) / (high[i] - low[i])) * (stop[i] - start[i]) : null);
      const [a, b] = [Math.max(from, low[i]), Math.min(to, high[i])];
      places.push([inside(a) ?? start[i], a], [inside(b) ?? stop[i], b]);
    }
    return places;
  }

  /** The middle of where the curve has a value. */
  middle(value) {
    const places = this.part(value, value);
    return places.length ? (places[0][0] + places[places.length - 1][0]) / 2 : NaN;
  }

  draw() {
    const { chart } = this;
    chart.axes = this.chartAxes();
    const pixels = (places) => places.map(([x, y]) => [chart.x(x), chart.y(y)]);
    const { start, stop, low, high } = this.curve;
    const every = Array.from(start.keys()).flatMap((i) => [[start[i], low[i]], [stop[i], high[i]]]);
    const here = this.values && this.values[this.outcome];
    const isHere = Boolean(here) && !Number.isNaN(here[2]);
    this.at = isHere ? this.middle(here[2]) : NaN;
    chart.paint(`all specifications by ${SWEEP_OUTCOMES[this.outcome]}`, () => {
      if (this.outcome === "changed_pairs" && this.page.halves !== null) {
        chart.line(pixels([[0, this.page.halves], [1, this.page.halves]]), { dash: [6, 4] });
      }
      chart.line(pixels(every), { colour: SWEEP_COLOURS.curve, width: 2 });
      if (!isHere) return;
      if (!this.place.isOne) {
        chart.line(pixels(this.part(here[0], here[4])), { colour: SWEEP_COLOURS.here, width: 4, alpha: 0.4 });
        chart.line(pixels(this.part(here[1], here[3])), { colour: SWEEP_COLOURS.here, width: 9, alpha: 0.6 });
      }
      const x = chart.x(this.at);
      chart.line([[x, 0], [x, chart.height]], { colour: SWEEP_COLOURS.here, dash: [2, 3] });
      chart.point(x, chart.y(here[2]), { fill: SWEEP_COLOURS.here, radius: 5 });
    });
    const halves = this.outcome === "changed_pairs" && this.page.halves !== null ? ` Dashed: mean between random halves of the ${this.page.unit}s at the baseline.` : "";
    const spread = isHere && !this.place.isOne ? " Point: median of the selection; wide bands: its quartiles and its range." : " Point: the selection.";
    this.mapNote.textContent = `${this.page.universes.toLocaleString("en")} specifications by ${SWEEP_OUTCOMES[this.outcome]}; entries of an axis have equal weight.${spread}${halves}`;
  }

  tell(x) {
    const { stop, low, high } = this.curve;
    if (x < 0 || x > 1) return "";
    const i = Math.min(stop.findIndex((end) => end >= x), stop.length - 1);
    if (i < 0) return "";
    const text = (value) => (this.outcome === "tau" ? value.toFixed(3) : value.toFixed(0));
    return `${(100 * x).toFixed(0)}%: ${low[i] === high[i] ? text(low[i]) : `${text(low[i])} to ${text(high[i])}`}`;
  }
}

showInView(".explorer.of-sweep", "sweep", SweepExplorer);

// The page around explorer-engine.js: handles, numbers, the map of all cuts, systems.
"use strict";

const LEVEL_COLOURS = ["#d9d9d9", "#56b4e9", "#009e73", "#f0e442", "#e69f00", "#d55e00", "#cc79a7"];
const ALL_TOPICS = "*";
const MOVERS = 5;

class Explorer {
  constructor(root, page, arrays) {
    this.root = root;
    this.page = page;
    const at = (place) => arrays[place];
    this.settings = page;
    this.searches = page.searches.map((search) => ({
      ...search,
      shades: at(search.shades),
      plateau: search.plateau === null ? null : at(search.plateau),
      onPlateau: search.plateau === null ? 0 : at(search.plateau).reduce((sum, one) => sum + one, 0),
      topics: search.topics.map((topic) => ({
        fixed: topic.fixed,
        offsets: at(topic.offsets),
        firstLow: at(topic.firstLow),
        firstHigh: at(topic.firstHigh),
        low: topic.low === undefined ? null : at(topic.low),
        high: topic.high === undefined ? null : at(topic.high),
        level: topic.level === undefined ? null : at(topic.level),
      })),
    }));
    this.systems = page.systems ? this.readSystems(page.systems, at) : null;
    this.topic = ALL_TOPICS;
    this.shown = this.recommended(); // the search whose map of all cuts is drawn
    this.cut = this.start();
    this.build();
    this.go(this.cut);
    window.addEventListener("hashchange", () => this.follow());
  }

  readSystems(systems, at) {
    const topics = systems.topics.map((topic) => ({ ...topic, labels: at(topic.labels) }));
    const place = new Map(topics.map((topic, t) => [topic.name, t]));
    const experts = systems.experts.map((expert) => {
      const scores = at(expert.scores);
      const size = systems.names.length;
      const ofTopic = new Map(expert.topics.map((topic, i) => [topic, scores.subarray(i * size, (i + 1) * size)]));
      return { name: expert.name, best: expert.best, ties: expert.ties, ofTopic, shared: expert.topics.filter((topic) => place.has(topic)) };
    });
    const ideal = systems.ideal === null ? null : at(systems.ideal);
    const lookups = { ...systems.lookups, part: at(systems.lookups.part) };
    return { ...systems, topics, place, experts, ideal, lookups, parts: at(systems.parts) };
  }

  /** The cut of the address, else the recommended one, else an even one. */
  start() {
    const even = Array.from({ length: this.page.levels - 1 }, (_, j) =>
      Math.round(((j + 1) * this.page.thresholds.length) / this.page.levels) - 1);
    return this.addressed() || this.page.start || even;
  }

  /** The first search that finds the recommended cut best, else the first of all. */
  recommended() {
    const isBest = ({ best }) => String((best[ALL_TOPICS] || {}).cut) === String(this.page.start);
    return Math.max(0, this.page.start ? this.searches.findIndex(isBest) : 0);
  }

  /** The cut that the address names, as #cut-NAME=v1,v2. */
  addressed() {
    const [name, values] = decodeURIComponent(location.hash.slice(1)).split("=");
    if (name !== `cut-${this.page.name}` || !values) return null;
    const cut = values.split(",").map((value) => this.page.thresholds.indexOf(Number(value)));
    const rising = cut.every((place, j) => place >= 0 && (j === 0 || place > cut[j - 1]));
    return rising && cut.length === this.page.levels - 1 ? cut : null;
  }

  follow() {
    const cut = this.addressed();
    if (cut && cut.join() !== this.cut.join()) this.go(cut);
  }

  // --- what the page is made of ---------------------------------------------------------------

  build() {
    this.bands = make("div", { className: "bands" });
    this.bands.setAttribute("aria-hidden", "true");
    this.handles = this.cut.map((_, j) => this.handle(j));
    this.said = make("p", { className: "said" });
    this.said.setAttribute("role", "status");
    this.numbers = make("tbody");
    const names = this.topicNames();
    const topics = make("select", {}, [
      make("option", { value: ALL_TOPICS, textContent: `all ${names.length} topics (one cut)` }),
      ...names.map((name) => make("option", { value: name, textContent: `topic ${name}` })),
    ]);
    topics.addEventListener("change", () => {
      this.topic = topics.value;
      this.show();
    });
    const goals = this.goals();
    const to = make("select", {}, [
      make("option", { value: "", textContent: "…" }),
      ...goals.map(([name], i) => make("option", { value: String(i), textContent: name })),
    ]);
    to.addEventListener("change", () => {
      if (to.value !== "") this.go(goals[Number(to.value)][1]());
      to.value = "";
    });
    const labels = make("button", { type: "button", textContent: "Save labels as qrels" });
    labels.addEventListener("click", () => this.download());
    const head = make("tr");
    ["criterion", "selected cut", "", "best cut", "thresholds of the best", "loss"].forEach((text, i) =>
      head.append(make("th", { textContent: text, className: [1, 3, 5].includes(i) ? "number" : "" })));
    const controls = [
      make("label", {}, ["Topics", topics]),
      make("label", {}, ["Go to cut", to]),
    ];
    if (this.systems) controls.push(labels);
    this.map = make("div");
    this.places = make("div");
    this.root.append(
      make("div", { className: "controls" }, controls),
      this.bands,
      make("div", { className: "handles" }, this.handles.map((handle) => handle.label)),
      this.said,
      make("div", { className: "numbers", tabIndex: 0, role: "region", ariaLabel: "criteria" }, [make("table", {}, [make("thead", {}, [head]), this.numbers])]),
      ...this.tieRanges().map((textContent) => make("p", { className: "small ties", textContent })),
      make("div", { className: "pictures" }, [this.map, this.places]),
      ...Object.entries(this.page.leftOut).map(([name, reason]) =>
        make("p", { className: "small", textContent: `${name} is not shown: ${reason}` })),
    );
    this.buildNumbers();
    this.buildMap();
    if (this.systems) this.buildPlaces();
  }

  topicNames() {
    const names = new Set(this.searches.flatMap((search) => search.names));
    return [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  }

  goals() {
    const bests = this.searches.map((search) => [
      `best by ${search.label}`,
      () => (search.best[this.topic] || search.best[ALL_TOPICS] || { cut: this.cut }).cut,
    ]);
    return [...bests, ...Object.entries(this.page.named).map(([name, cut]) => [name, () => cut])];
  }

  handle(j) {
    const input = make("input", { type: "range", min: 0, max: this.page.thresholds.length - 1, step: 1 });
    const text = make("span");
    input.setAttribute("aria-label", `threshold ${j + 1}: the highest value of level ${j}`);
    input.addEventListener("input", () => this.move(j, Number(input.value)));
    input.addEventListener("change", () => this.remember());
    return { input, text, label: make("label", {}, [text, input]) };
  }

  /** Move one threshold; it pushes the others before it. */
  move(j, place) {
    const last = this.page.thresholds.length - 1;
    const cut = [...this.cut];
    cut[j] = Math.min(Math.max(place, j), last - (cut.length - 1 - j));
    for (let i = j + 1; i < cut.length; i++) cut[i] = Math.max(cut[i], cut[i - 1] + 1);
    for (let i = j - 1; i >= 0; i--) cut[i] = Math.min(cut[i], cut[i + 1] - 1);
    this.cut = cut;
    this.show();
  }

  go(cut) {
    this.cut = [...cut];
    this.show();
    this.remember();
  }

  /** The address leads back to this cut. */
  remember() {
    const values = this.cut.map((place) => this.page.thresholds[place]).join(",");
    const came = decodeURIComponent(location.hash); // a link to this explorer may have led here
    if (came.startsWith("#cut-") || ["", `#explore-${this.page.name}`].includes(came)) {
      history.replaceState(null, "", `#cut-${encodeURIComponent(this.page.name)}=${values}`);
    }
    this.root.dataset.cut = values;
  }

  // --- what it shows --------------------------------------------------------------------------

  show() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const started = performance.now();
    this.found = this.searches.map((search) => this.alphaOf(search));
    this.taus = this.systems ? this.systems.experts.map((expert) => this.tauOf(expert)) : [];
    this.drawBands();
    this.drawNumbers();
    this.drawMap();
    if (this.systems) this.drawPlaces();
    this.milliseconds = performance.now() - started;
  }

  alphaOf(search) {
    if (this.topic === ALL_TOPICS) return alphaOfSearch(search, this.cut, this.settings);
    const t = search.names.indexOf(this.topic);
    if (t < 0) return { value: NaN, topics: 0, enough: true };
    const found = alphaOfTopic(search, search.topics[t], this.cut, this.settings);
    return { value: found.value, topics: 1, enough: found.eligible };
  }

  /** The topics that a ranking under the cut rests on. */
  sharedWith(expert) {
    if (this.topic === ALL_TOPICS) return expert.shared;
    return expert.shared.filter((topic) => topic === this.topic);
  }

  /** The systems' scores under the cut, once for experts that share the same topics. */
  ownOver(shared) {
    const key = [this.cut, shared].join("|");
    if (this.scored !== key) {
      this.scored = key;
      const topics = shared.map((topic) => this.systems.place.get(topic));
      this.own = scoresOfSystems(this.systems, this.cut, topics, this.page.thresholds.length);
    }
    return this.own;
  }

  tauOf(expert) {
    const shared = this.sharedWith(expert);
    if (!shared.length) return { value: NaN, shared };
    const theirs = new Float64Array(this.systems.names.length);
    shared.forEach((topic) => expert.ofTopic.get(topic).forEach((value, s) => (theirs[s] += value / shared.length)));
    const own = this.ownOver(shared);
    return { value: tauB(own, theirs), shared, own, theirs };
  }

  values(level) {
    const { thresholds, scale } = this.page;
    const from = level === 0 ? scale[0] : thresholds[this.cut[level - 1] + 1];
    const to = level === this.cut.length ? scale[1] : thresholds[this.cut[level]];
    if (to === null) return from === undefined ? `above ${tidy(thresholds[thresholds.length - 1])}` : `${tidy(from)} and more`;
    const low = from === undefined ? scale[1] : from;
    return low === to ? tidy(to) : `${tidy(low)} – ${tidy(to)}`;
  }

  drawBands() {
    const { thresholds, scale, levels } = this.page;
    // a scale without an end is drawn a little beyond its last threshold
    const end = scale[1] ?? 1.05 * thresholds[thresholds.length - 1];
    const ends = [scale[0], ...this.cut.map((place) => thresholds[place]), end];
    this.bands.replaceChildren(...Array.from({ length: levels }, (_, level) => {
      const band = make("span", { textContent: `${level}`, title: `level ${level}: ${this.values(level)}` });
      band.style.background = LEVEL_COLOURS[level];
      band.style.flex = `${Math.max(ends[level + 1] - ends[level], 1e-9)} 0 0.6rem`;
      return band;
    }));
    this.handles.forEach(({ input, text }, j) => {
      input.value = this.cut[j];
      input.setAttribute("aria-valuetext", `up to ${tidy(thresholds[this.cut[j]])}`);
      text.textContent = `level ${j} up to ${tidy(thresholds[this.cut[j]])}`;
    });
    const parts = Array.from({ length: levels }, (_, level) => `level ${level}: ${this.values(level)}`);
    this.said.textContent = `${parts.join("; ")}.`;
  }

  /** What the order of documents of one score in a run makes of τ_b, where it makes a difference. */
  tieRanges() {
    const experts = this.systems ? this.systems.experts : [];
    return experts.filter(({ ties }) => ties && fixed(ties[0]) !== fixed(ties[1])).map(({ name, ties }) =>
      `τ_b with ${name} under its best cut for all topics ranges from ${fixed(ties[0])} to ${fixed(ties[1])} over orders of tied documents.`);
  }

  buildNumbers() {
    const taus = this.systems ? this.systems.experts : [];
    const rows = [...this.searches.map((search) => [`α ${search.label}`, search.about]),
      ...taus.map((expert) => [`τ_b with ${expert.name}`, `ranking of ${this.systems.names.length} systems by ${this.systems.measure}`])];
    this.rows = rows.map(([name, about]) => {
      const cells = ["", "number", "", "number", "", "number"].map((className) => make("td", { className }));
      cells[0].textContent = name;
      cells[0].title = about;
      const bar = make("span", { className: "bar" });
      cells[2].append(bar);
      const row = make("tr", {}, cells);
      row.dataset.criterion = name;
      this.numbers.append(row);
      return { row, here: cells[1], bar, best: cells[3], at: cells[4], lost: cells[5] };
    });
  }

  drawNumbers() {
    this.found.forEach((found, i) => {
      const best = this.searches[i].best[this.topic];
      this.drawRow(this.rows[i], found.value, best, found.enough);
    });
    this.taus.forEach((tau, i) => {
      const best = this.searches.length + i;
      this.drawRow(this.rows[best], tau.value, this.systems.experts[i].best[this.topic], true);
    });
  }

  drawRow(cells, value, best, enough) {
    cells.row.dataset.value = String(value);
    cells.here.textContent = fixed(value) + (enough ? "" : " *");
    cells.here.title = enough ? "" : "defined for too few topics or units to be eligible";
    cells.bar.style.width = `${Math.max(0, value || 0) * 6}rem`;
    cells.best.textContent = best ? fixed(best.value) : "";
    cells.at.textContent = best ? best.cut.map((place) => tidy(this.page.thresholds[place])).join(", ") : "";
    cells.lost.textContent = best ? fixed(Math.max(0, best.value - value)) : "";
  }

  // --- the map of all cuts --------------------------------------------------------------------

  buildMap() {
    if (!this.searches.length) return;
    const axes = this.cut.length;
    const which = make("select", {}, this.searches.map((search, i) =>
      make("option", { value: String(i), textContent: search.label })));
    which.value = String(this.shown);
    which.addEventListener("change", () => {
      this.shown = Number(which.value);
      this.mapped = "";
      this.show();
    });
    this.axes = axes > 1 ? [0, 1] : [0];
    const controls = axes > 1 ? [make("label", {}, ["Criterion", which])] : [];
    if (axes > 2) {
      const pairs = [[0, 1], [0, 2], [1, 2]];
      const choice = make("select", {}, pairs.map((pair, i) =>
        make("option", { value: String(i), textContent: `thresholds ${pair[0] + 1} and ${pair[1] + 1}` })));
      choice.addEventListener("change", () => {
        this.axes = pairs[Number(choice.value)];
        this.mapped = "";
        this.show();
      });
      controls.push(make("label", {}, ["Axes", choice]));
    }
    this.map.append(make("div", { className: "controls" }, controls));
    const canvas = make("div");
    this.mapNote = make("p", { className: "small" });
    this.map.append(canvas, this.mapNote);
    if (axes > 1) this.buildHeat(canvas);
    else this.buildLine(canvas);
  }

  /** Places of thresholds, some of them by name. */
  axis(label) {
    const { thresholds } = this.page;
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000].find((one) => thresholds.length / one <= 11) ?? 2000;
    const places = thresholds.map((_, place) => place).filter((place) => place % step === 0);
    return { label, from: -0.5, to: thresholds.length - 0.5, ticks: places.map((place) => [place, tidy(thresholds[place])]) };
  }

  buildHeat(element) {
    const n = this.page.thresholds.length;
    this.picture = Object.assign(document.createElement("canvas"), { width: n, height: n });
    this.colours = this.page.palette.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
    this.edges = [];
    const [i, j] = this.axes;
    this.heat = new Chart(element, {
      axes: { x: this.axis(`threshold ${i + 1}`), y: this.axis(`threshold ${j + 1}`) },
      right: 64,
      pick: (x, y) => this.pick(Math.round(x), Math.round(y)),
      tell: (x, y) => this.tellCut(Math.round(x), Math.round(y)),
    });
  }

  /** The cut here with two thresholds elsewhere; nothing where they do not rise. */
  cutWith(x, y) {
    const [i, j] = this.axes;
    const cut = [...this.cut];
    [cut[i], cut[j]] = [x, y];
    const last = this.page.thresholds.length - 1;
    return cut.every((place, k) => place >= 0 && place <= last && (k === 0 || place > cut[k - 1])) ? cut : null;
  }

  tellCut(x, y) {
    const cut = this.cutWith(x, y);
    if (!cut) return "";
    const values = cut.map((place) => tidy(this.page.thresholds[place])).join(", ");
    const value = this.shadeAt(this.searches[this.shown], cut);
    return `${values}: α ${Number.isNaN(value) ? "undefined for too many topics" : `≈ ${value.toFixed(3)}`}`;
  }

  pick(x, y) {
    if (this.page.levels < 3) return this.go([x]);
    const cut = this.cutWith(x, y);
    if (cut) this.go(cut);
    return undefined;
  }

  shadeAt(search, cut) {
    const shade = search.shades[indexOfCut(cut, this.page.thresholds.length)];
    const [low, high] = search.ends;
    return shade ? low + ((shade - 1) / 254) * (high - low) : NaN;
  }

  drawMap() {
    if (!this.searches.length) return;
    const search = this.searches[this.shown];
    const best = search.best[ALL_TOPICS];
    if (this.page.levels === 2) return this.drawLine(best);
    const [i, j] = this.axes;
    const others = this.cut.filter((_, k) => k !== i && k !== j);
    const key = [this.shown, i, j, ...others].join();
    if (key !== this.mapped) {
      this.mapped = key;
      this.fillPixels(search, i, j);
    }
    const { heat } = this;
    heat.axes.x.label = `threshold ${i + 1}`;
    heat.axes.y.label = `threshold ${j + 1}`;
    const paint = () => {
      heat.picture(this.picture);
      heat.edges(this.edges, { colour: "#d55e00" });
      if (best) heat.point(heat.x(best.cut[i]), heat.y(best.cut[j]), { stroke: "#d55e00", radius: 6 });
      heat.point(heat.x(this.cut[i]), heat.y(this.cut[j]), { fill: "#d55e00", stroke: "#ffffff", radius: 5, width: 1.5 });
    };
    heat.paint(`map of every cut by ${search.label}`, paint, () => heat.bar(this.page.palette, search.ends));
    const fixedOnes = this.cut.length > 2 ? " The other threshold is fixed." : "";
    this.mapNote.textContent = `Mean α over topics, ${search.label}. Filled: the selected cut; ring: the best cut. ${this.plateauSaid(search)}${fixedOnes} Click a cut to select it.`;
    return undefined;
  }

  /** Which cuts are not significantly worse than the best. */
  plateauSaid(search) {
    if (!search.plateau) {
      return "Cuts were not tested against the best: `trust` in the configuration does not name this search.";
    }
    const here = search.plateau[indexOfCut(this.cut, this.page.thresholds.length)] ? "is one of them" : "is not one of them";
    return `Outlined: the ${search.onPlateau.toLocaleString("en")} of ${search.plateau.length.toLocaleString("en")} cuts that are not significantly worse than the best. The selected cut ${here}.`;
  }

  /** The outline of the cells that are on the plateau. */
  drawOutline(on, n) {
    this.edges = [];
    const add = (...ends) => this.edges.push(...ends);
    for (let y = 0; y <= n; y++) {
      for (let x = 0; x <= n; x++) {
        const own = x < n && y < n && on[y * n + x];
        if (own !== (x > 0 && y < n && on[y * n + x - 1])) add(x - 0.5, y - 0.5, x - 0.5, y + 0.5);
        if (own !== (y > 0 && x < n && on[(y - 1) * n + x])) add(x - 0.5, y - 0.5, x + 0.5, y - 0.5);
      }
    }
  }

  fillPixels(search, i, j) {
    const n = this.page.thresholds.length;
    const cut = [...this.cut];
    const context = this.picture.getContext("2d");
    const picture = context.createImageData(n, n);
    const on = new Array(n * n).fill(false);
    // the other threshold, where there is one, is before, between or after these two
    const from = i === 1 ? cut[0] + 1 : 0;
    const to = j === 1 && cut.length === 3 ? cut[2] : n;
    const between = i === 0 && j === 2;
    for (let y = from; y < to; y++) {
      if (between && y <= cut[1]) continue;
      for (let x = from; x < (between ? cut[1] : y); x++) {
        cut[i] = x;
        cut[j] = y;
        const index = indexOfCut(cut, n);
        const shade = search.shades[index];
        if (shade) picture.data.set([...this.colours[shade], 255], 4 * ((n - 1 - y) * n + x));
        on[y * n + x] = search.plateau !== null && search.plateau[index] === 1;
      }
    }
    this.drawOutline(on, n);
    context.putImageData(picture, 0, 0);
  }

  buildLine(element) {
    const n = this.page.thresholds.length;
    const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];
    const dashes = [[], [6, 4], [2, 3]];
    this.lines = this.searches.map((search, s) => ({
      search,
      colour: colours[s % colours.length],
      dash: dashes[Math.floor(s / colours.length) % dashes.length],
      values: Array.from({ length: n }, (_, place) => this.shadeAt(search, [place])),
    }));
    const ends = this.searches.map((search) => search.ends);
    const [low, high] = [Math.min(...ends.map(([one]) => one)), Math.max(...ends.map(([, one]) => one))];
    const room = (high - low || 1) * 0.04;
    this.curves = new Chart(element, {
      axes: {
        x: this.axis("threshold"),
        y: { label: "mean α over topics", from: low - room, to: high + room, ticks: ticksBetween(low, high, 5) },
      },
      pick: (x) => this.pick(Math.min(n - 1, Math.max(0, Math.round(x)))),
      tell: (x, y, near) => this.tellCurve(near),
    });
    element.append(make("div", { className: "legend" }, this.lines.map(({ search, colour, dash }) => {
      const swatch = make("span", { className: "swatch" });
      swatch.style.borderTop = `3px ${["solid", "dashed", "dotted"][dashes.indexOf(dash)]} ${colour}`;
      return make("span", {}, [swatch, search.label]);
    })));
  }

  /** Places on the curves in pixels. */
  placesOf({ values }) {
    return values.map((value, place) => [this.curves.x(place), this.curves.y(value)]);
  }

  tellCurve(near) {
    const n = this.page.thresholds.length;
    const at = near(this.lines.flatMap((line) => this.placesOf(line)));
    if (at < 0) return "";
    const line = this.lines[Math.floor(at / n)];
    return `${line.search.label} at ${tidy(this.page.thresholds[at % n])}: α ≈ ${line.values[at % n].toFixed(3)}`;
  }

  drawLine() {
    const { curves } = this;
    curves.paint("α of every cut", () => {
      for (const line of this.lines) {
        const { colour, dash, search } = line;
        const places = this.placesOf(line);
        if (search.plateau) {
          const on = places.map((place, at) => (search.plateau[at] ? place : [NaN, NaN]));
          curves.line(on, { colour, width: 9, alpha: 0.3, cap: "round" });
          // a place alone has no line
          for (const [x, y] of on) if (Number.isFinite(y)) curves.point(x, y, { fill: colour, radius: 2.5 });
        }
        curves.line(places, { colour, dash, width: 2 });
      }
      const here = curves.x(this.cut[0]);
      curves.line([[here, 0], [here, curves.height]], { colour: "#d55e00", width: 2 });
    });
    const known = this.searches.filter((search) => search.plateau);
    const counts = known.map((search) => `${search.label} ${search.onPlateau}`).join(", ");
    const said = known.length ? `Wide: cuts not significantly worse than the best (${counts}).` : this.plateauSaid({ plateau: null });
    this.mapNote.textContent = `Mean α over topics of every cut. ${said} Click a cut to select it.`;
  }

  // --- systems --------------------------------------------------------------------------------

  buildPlaces() {
    const { names, experts } = this.systems;
    if (!experts.length) return;
    const which = make("select", {}, experts.map((expert, i) =>
      make("option", { value: String(i), textContent: expert.name })));
    this.against = 0;
    which.addEventListener("change", () => {
      this.against = Number(which.value);
      this.show();
    });
    this.places.append(make("div", { className: "controls" }, [make("label", {}, ["System ranks compared with", which])]));
    const element = make("div");
    this.placesNote = make("p", { className: "small" });
    this.places.append(element, this.placesNote);
    const ticks = ticksBetween(1, Math.max(2, names.length), 8).filter(([place]) => Number.isInteger(place));
    // the first rank is on top, and on the right
    const rank = (label) => ({ label, from: names.length + 1, to: 0, ticks: ticks[0][0] === 1 ? ticks : [[1, "1"], ...ticks] });
    this.ranks = new Chart(element, {
      axes: { x: rank("rank under the reference"), y: rank("rank under the selected cut") },
      tell: (x, y, near) => this.tellSystem(near),
    });
    this.placed = [];
  }

  tellSystem(near) {
    const { ranks, placed } = this;
    const at = near(placed.map(([there, here]) => [ranks.x(there), ranks.y(here)]));
    if (at < 0) return "";
    return `${this.systems.names[at]}: rank ${placed[at][0]} under the reference, ${placed[at][1]} under the selected cut`;
  }

  drawPlaces() {
    if (!this.taus.length) return;
    const { own, theirs, shared } = this.taus[this.against];
    if (!shared.length) {
      this.placesNote.textContent = "The reference has no labels for this topic.";
      return;
    }
    const here = ranksOf(own);
    const there = ranksOf(theirs);
    const { names } = this.systems;
    const moving = names.map((_, s) => s).filter((s) => here[s] !== there[s]);
    const moved = moving.sort((a, b) => Math.abs(here[b] - there[b]) - Math.abs(here[a] - there[a])).slice(0, MOVERS);
    this.placed = names.map((_, s) => [there[s], here[s]]);
    const { ranks } = this;
    ranks.paint("ranks of systems", () => {
      const ends = [1, names.length].map((rank) => [ranks.x(rank), ranks.y(rank)]);
      ranks.line(ends, { alpha: 0.4 });
      const isMoved = new Set(moved);
      names.forEach((_, s) => {
        ranks.point(ranks.x(there[s]), ranks.y(here[s]), { fill: isMoved.has(s) ? "#d55e00" : "#0072b2", radius: 3.5 });
      });
      for (const s of moved) {
        const isRight = there[s] < names.length / 4; // a name there would leave the chart
        ranks.text(names[s], ranks.x(there[s]) + (isRight ? -7 : 7), ranks.y(here[s]), isRight ? "end" : "start");
      }
    });
    this.placesNote.textContent = `${names.length} systems by ${this.systems.measure} over ${shared.length} ${shared.length === 1 ? "topic" : "topics"}; ${moved.length ? "the largest rank changes are named" : "no rank changes"}.`;
  }

  // --- labels ---------------------------------------------------------------------------------

  /** The labels of the cut as a TREC qrels file. */
  download() {
    const lines = [];
    const level = levelsOf(this.cut, this.page.thresholds.length + 1);
    for (const topic of this.systems.topics) {
      if (this.topic !== ALL_TOPICS && this.topic !== topic.name) continue;
      topic.docnos.forEach((docno, i) => lines.push(`${topic.name} 0 ${docno} ${level[topic.labels[i]]}\n`));
    }
    const values = this.cut.map((place) => tidy(this.page.thresholds[place])).join("-");
    const link = make("a", {
      href: URL.createObjectURL(new Blob(lines, { type: "text/plain" })),
      download: `${this.page.name}-cut-${values}.qrels`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

function fixed(value) {
  return Number.isNaN(value) ? "–" : value.toFixed(4);
}

showInView(".explorer:not(.of-sweep)", "cut", Explorer);

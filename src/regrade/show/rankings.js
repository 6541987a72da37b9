// Two systems beside each other, and all systems on all topics, from what
// `regrade.ranking.explorer_page` made of the scores and of the tables of pairs.
"use strict";

{
  const SHADES = 64;
  const ROWS = { least: 9, named: 11, most: 640 }; // pixels of a row, and of all of them
  const signed = (value, digits = 3) => `${value < 0 ? "−" : value > 0 ? "+" : ""}${Math.abs(value).toFixed(digits)}`;
  const plain = (value, digits = 3) => (Number.isNaN(value) ? "–" : value.toFixed(digits).replace("-", "−"));
  const written = (p) => (Number.isNaN(p) ? "–" : p < 0.001 ? "<0.001" : p.toFixed(p < 0.1 ? 3 : 2));
  const mean = (values) => {
    const known = values.filter((value) => !Number.isNaN(value));
    return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : NaN;
  };

  /** Topics or systems by their values, the highest first; what has none comes last. */
  const sorted = (values) => Array.from(values.keys()).sort((a, b) => (values[b] ?? -Infinity) - (values[a] ?? -Infinity) || a - b);

  /** Every how many names there is room for one. */
  const everyNth = (count, room, size) => Math.max(1, Math.ceil((count * size) / Math.max(room, 1)));

  class Rankings {
    constructor(page, arrays) {
      this.rankings = page.rankings.map((one) => ({ ...one, scores: one.scores === null ? null : arrays[one.scores], pairs: Object.fromEntries(Object.entries(one.pairs).map(([name, place]) => [name, arrays[place]])) }));
      this.left = page.left;
      this.documents = page.documents;
      this.start(0);
      this.buildPair(document.querySelector(".pair"));
      const topics = document.querySelector(".topics");
      if (topics) this.buildTopics(topics);
      this.show();
    }

    /** The first ranking, or another: its first system beside the next that differs from it. */
    start(at) {
      this.at = at;
      const different = !this.hasPairs ? 1 : this.of.systems.findIndex((_, s) => s > 0 && this.numbers(0, s).difference !== 0);
      this.pair = [0, Math.max(different, 1)];
      this.order = { systems: "", topics: "spread" };
    }

    get of() {
      return this.rankings[this.at];
    }

    /** A text that speaks of items where a ranking is of scores by item, whose items need not be topics. */
    worded(text) {
      return this.of.unit === "item" ? text.replace(/(?<![\w@/.`-])([Tt])opic(s?)(?![\w@(/`-])/g, (_, t, s) => `${t === "T" ? "I" : "i"}tem${s}`) : text;
    }

    /** Whether the page holds the tests of all pairs. */
    get hasPairs() {
      return "difference" in this.of.pairs;
    }

    score(s, t) {
      return this.of.scores[s * this.of.topics.length + t];
    }

    /** What the table of pairs says of two systems, the first less the second. */
    numbers(a, b) {
      const [i, j] = a < b ? [a, b] : [b, a];
      const n = this.of.systems.length;
      const place = i * n - (i * (i + 1)) / 2 + j - i - 1;
      const found = Object.fromEntries(Object.entries(this.of.pairs).map(([name, values]) => [name, values[place]]));
      if (a < b) return found;
      return { ...found, difference: -found.difference, effect: -found.effect, low: -found.high, high: -found.low };
    }

    /** By which labels and measure; none where there is but one. */
    choiceOfRanking() {
      if (this.rankings.length < 2) return [];
      const options = this.rankings.map(({ label }, at) => [String(at), label]);
      const label = choice("Measure, labels", options, (at) => {
        this.start(Number(at));
        this.show();
      });
      (this.selects ??= []).push(label.lastChild);
      return [label];
    }

    show() {
      for (const select of this.selects ?? []) select.value = String(this.at);
      this.fill(this.first, this.of.systems, this.pair[0]);
      this.fill(this.second, this.of.systems, this.pair[1]);
      this.showPair();
      if (this.heat) this.showTopics();
    }

    fill(label, names, chosen) {
      label.lastChild.replaceChildren(...names.map((textContent, value) => make("option", { value: String(value), textContent })));
      label.lastChild.value = String(chosen);
    }

    // --- two systems --------------------------------------------------------------------------

    buildPair(root) {
      const pick = (side) => (value) => {
        this.pair[side] = Number(value);
        this.showPair();
      };
      this.first = choice("System", [], pick(0));
      this.second = choice("Compared with", [], pick(1));
      this.said = make("p", { className: "verdict" });
      this.said.setAttribute("role", "status");
      this.table = make("table");
      const chart = make("div");
      root.append(make("div", { className: "controls" }, [...this.choiceOfRanking(), this.first, this.second]), this.said, make("div", { className: "wide", tabIndex: 0, role: "region", ariaLabel: "both systems" }, [this.table]), chart);
      this.bars = new Chart(chart, { axes: { x: { label: "", from: 0, to: 1, ticks: [] }, y: { label: "", from: 0, to: 1, ticks: [] } }, height: 260, left: 58, tell: (x) => this.tellTopic(x) });
      this.pairFigure = root.closest("figure");
      this.pairFigure.csv = () => [[this.of.unit, ...this.pair.map((s) => this.of.systems[s]), "difference"], ...this.differences.map(({ topic, values, difference }) => [topic, ...values, difference])];
    }

    showPair() {
      const { of, pair } = this;
      const [a, b] = pair.map((s) => of.systems[s]);
      const same = pair[0] === pair[1];
      const found = same ? null : this.numbers(...pair);
      this.differences = [];
      if (of.scores && !same) {
        for (const [t, topic] of of.topics.entries()) {
          const values = pair.map((s) => this.score(s, t));
          this.differences.push({ topic, values, difference: values[0] - values[1] });
        }
        this.differences.sort((x, y) => y.difference - x.difference);
      }
      const isKnown = found && Number.isFinite(found.difference);
      const tests = isKnown ? [[", p", found.p_interval, ""], ["; family-wise p", found.p_adjusted, ", Romano–Wolf"]] : [];
      const parts = tests.filter(([, p]) => !Number.isNaN(p)).map(([name, p, test]) => `${name} = ${written(p)}${test}`);
      this.said.textContent = same ? "Choose two different systems." : !this.hasPairs ? `This page holds no tests of pairs: there are ${of.systems.length.toLocaleString("en")} systems, and it compares at most 300. The table ranking/pairs has all pairs.` : !isKnown ? "This pair was not tested."
        : found.difference === 0 && Number.isNaN(found.effect) ? `${a} and ${b} have the same ${of.measure} on every topic.`
        : `Δ = ${signed(found.difference)} ${of.measure} (95% CI ${plain(found.low)} to ${plain(found.high)}${parts.join("")}).`.replaceAll("= <", "< ");
      this.said.textContent = this.worded(this.said.textContent);
      const count = (sign) => this.differences.filter(({ difference }) => Math.sign(difference) === sign).length;
      const cells = isKnown ? [
        ["Δ (95% CI)", `${signed(found.difference)} (${plain(found.low)} to ${plain(found.high)})`],
        ["p of the CI", written(found.p_interval)],
        ["d", plain(found.effect, 2)],
        [`p, ${of.test}, ${of.correction}`, written(found.p_corrected)],
        ["p, Romano–Wolf stepdown", written(found.p_adjusted)],
        ...(of.scores ? [["wins / ties / losses", `${count(1)} / ${count(0)} / ${count(-1)}`]] : []),
      ] : [];
      const head = make("tr", {}, cells.map(([textContent]) => make("th", { textContent })));
      this.table.replaceChildren(make("thead", {}, [head]), make("tbody", {}, [make("tr", {}, cells.map(([, textContent]) => make("td", { textContent })))]));
      this.bars.frame.hidden = this.differences.length < 3;
      const values = this.differences.map(({ difference }) => difference);
      const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
      const room = 0.06 * (high - low || 1);
      const axis = (label, from, to, ticks) => ({ label, from, to, ticks });
      this.bars.axes = { x: axis(this.worded(`${values.length} topics, by difference`), 0, values.length, []), y: axis(`Δ ${of.measure}`, low - room, high + room, ticksBetween(low - room, high + room, 5)) };
      const { bars } = this;
      bars.paint(this.worded(`difference of ${a} and ${b} on each topic`), () => {
        values.forEach((value, i) => bars.box(bars.x(i + 0.1), bars.y(0), bars.x(i + 0.9), bars.y(value), value < 0 ? "var(--mark, #c04a00)" : "var(--best, #0072b2)"));
        bars.line([[bars.x(0), bars.y(0)], [bars.x(values.length), bars.y(0)]]);
      });
      this.pairFigure.querySelector("figcaption").textContent = bars.frame.hidden ? "" : this.worded(`Difference in ${of.measure} of ${a} and ${b} on each of ${values.length} topics, in order of the difference.`);
    }

    tellTopic(x) {
      const found = this.differences[Math.floor(x)];
      return found ? `${this.of.unit} ${found.topic}: ${found.values.map((value) => plain(value)).join(" − ")} = ${signed(found.difference)}` : "";
    }

    // --- all systems on all topics --------------------------------------------------------------

    buildTopics(root) {
      const controls = make("div", { className: "controls" });
      const byTopic = choice("Systems sorted by", [], (value) => this.sort({ systems: value }));
      const bySystem = choice("Topics sorted by", [], (value) => this.sort({ topics: value }));
      controls.append(...this.choiceOfRanking(), byTopic, bySystem);
      Object.assign(this, { byTopic: byTopic.lastChild, bySystem: bySystem.lastChild });
      root.append(controls);
      this.heat = new Chart(root, {
        axes: { x: { label: "", from: 0, to: 1, ticks: [] }, y: { label: "", from: 0, to: 1, ticks: [] } },
        right: 52, bottom: 44,
        pick: (x, y) => this.openTopic(this.topics[Math.round(x)], this.systems[this.systems.length - 1 - Math.round(y)]),
        tell: (x, y) => this.tellCell(Math.round(x), Math.round(y)),
      });
      this.heatFigure = root.closest("figure");
      this.heatFigure.csv = () => [["system", ...this.topics.map((t) => this.of.topics[t])], ...this.systems.map((s) => [this.of.systems[s], ...this.topics.map((t) => this.score(s, t))])];
      new ResizeObserver(() => this.heat.width !== this.drawn && this.showTopics()).observe(this.heat.frame);
    }

    /** The documents of a topic, as a system ranks them; without documents the systems by the topic. */
    openTopic(t, s) {
      if (t === undefined || s === undefined) return;
      const [topic, system] = [this.of.topics[t], this.of.systems[s]];
      if (this.hasDocuments) document.dispatchEvent(new CustomEvent("topic", { detail: { qrels: this.of.qrels, topic, system } }));
      else this.sort({ systems: topic });
    }

    /** Whether the page lists the documents of these topics. */
    get hasDocuments() {
      return this.documents.includes(this.of.qrels);
    }

    sort(order) {
      Object.assign(this.order, order);
      this.showTopics();
    }

    showTopics() {
      const { of, heat } = this;
      this.heatFigure.hidden = !of.scores;
      if (!of.scores) return;
      const every = [...of.systems.keys()];
      const topics = [...of.topics.keys()];
      this.byTopic.replaceChildren(make("option", { value: "", textContent: `mean over ${of.unit}s` }), ...of.topics.map((value) => make("option", { value, textContent: `${of.unit} ${value}` })));
      this.bySystem.previousSibling.textContent = this.worded("Topics sorted by");
      const orders = [["spread", "disagreement of the systems (SD)"], ["mean", "mean over systems"], ["name", "name"], ...of.systems.map((name, s) => [String(s), `score of ${name}`])];
      this.bySystem.replaceChildren(...orders.map(([value, textContent]) => make("option", { value, textContent })));
      [this.byTopic.value, this.bySystem.value] = [this.order.systems, this.order.topics];
      const chosen = of.topics.indexOf(this.order.systems);
      this.systems = chosen < 0 ? every : sorted(every.map((s) => this.score(s, chosen)));
      const column = (t) => every.map((s) => this.score(s, t));
      const spread = (values) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));
      const { topics: by } = this.order;
      const values = topics.map((t) => (by === "mean" ? mean(column(t)) : by === "spread" ? spread(column(t)) : this.score(Number(by), t)));
      this.topics = by === "name" ? topics : sorted(values);
      const row = Math.min(18, Math.max(3, ROWS.most / every.length));
      heat.height = Math.round(row * every.length) + heat.bottom + ROOM.top;
      const longest = Math.max(...of.systems.map((name) => name.length));
      heat.left = Math.min(12 + 7.6 * longest, 160, Math.max(84, heat.frame.clientWidth / 4));
      this.paintTopics(everyNth(every.length, row * every.length, ROWS.named));
    }

    paintTopics(nth) {
      const { of, heat } = this;
      const [rows, columns] = [this.systems.length, this.topics.length];
      const scores = of.scores.filter((value) => !Number.isNaN(value));
      const [low, high] = [scores.reduce((a, b) => Math.min(a, b), Infinity), scores.reduce((a, b) => Math.max(a, b), -Infinity)];
      // light to dark blue, as the matrices: of lightness that falls evenly
      const colour = (share) => [245 - 245 * share, 247 - 170 * share, 250 - 120 * share];
      const canvas = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
      const context = canvas.getContext("2d");
      const pixels = context.createImageData(columns, rows);
      this.systems.forEach((s, i) => this.topics.forEach((t, j) => {
        const value = this.score(s, t);
        if (!Number.isNaN(value)) pixels.data.set([...colour((value - low) / (high - low || 1)), 255], 4 * (i * columns + j));
      }));
      context.putImageData(pixels, 0, 0);
      const short = (name, most) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
      const fits = Math.floor((heat.left - 8) / 7.6);
      const names = this.systems.map((s, i) => [rows - 1 - i, i % nth ? "" : short(of.systems[s], fits)]).filter(([, name]) => name);
      const width = Math.max(100, heat.frame.clientWidth - heat.left - heat.right);
      const skip = everyNth(columns, width, 13);
      this.drawn = heat.frame.clientWidth;
      heat.axes = { x: { label: "", from: -0.5, to: columns - 0.5, ticks: [] }, y: { label: "", from: -0.5, to: rows - 0.5, ticks: names } };
      const shades = Array.from({ length: SHADES }, (_, i) => `rgb(${colour(i / (SHADES - 1)).map(Math.round)})`);
      heat.paint(`${of.label}: ${rows} systems on ${columns} ${of.unit}s`, () => heat.picture(canvas), () => {
        heat.bar(shades, [low, high]);
        const bottom = heat.inner.top + heat.inner.height + 4;
        this.topics.forEach((t, j) => {
          if (j % skip === 0) heat.text(short(of.topics[t], 6), heat.x(j), bottom, "end", { transform: `rotate(-60 ${heat.x(j)} ${bottom})`, "font-size": 10 });
        });
      });
      const listed = of.unit === "item" ? "" : " Documents are listed where `topic_analysis` analyses these labels.";
      const click = this.hasDocuments ? "Click a cell to list the documents of the topic as the system ranks them." : `Click a cell to sort the systems by its ${of.unit}.${listed}`;
      const left = this.left ? ` For its size this page omits ${this.left} further ${this.left === 1 ? "ranking" : "rankings"}.` : "";
      this.heatFigure.querySelector("figcaption").textContent = `${of.measure} of ${rows} systems (rows) on ${columns} ${of.unit}s (columns). ${click}${left}`;
    }

    tellCell(x, y) {
      const [t, s] = [this.topics[x], this.systems[this.systems.length - 1 - y]];
      return t === undefined || s === undefined ? "" : `${this.of.systems[s]}, ${this.of.unit} ${this.of.topics[t]}: ${plain(this.score(s, t))}`;
    }
  }

  const packed = document.getElementById("rankings");
  const page = JSON.parse(packed.textContent);
  packed.shown = unpack(page.data, page).then((arrays) => {
    const rankings = new Rankings(page, arrays);
    // what is above has grown
    setTimeout(() => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView(), 100);
    return rankings;
  });
}

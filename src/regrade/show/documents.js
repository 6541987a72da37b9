// The documents of a topic: their labels, and the rank at which each system has them, from what
// `regrade.topic_analysis.page_documents` made of the tables.
"use strict";

{
  const DRAWN = 60; // documents of the picture: those of most systems
  const ROW = { least: 4, most: 14, all: 460 }; // pixels of a row, and of all of them
  const COLOUR = [30, 125, 190];
  const LETTER = 6.5; // pixels of a letter, about
  const grade = (value) => (Number.isNaN(value) ? "–" : String(Number(value.toPrecision(6))).replace("-", "−"));
  const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  class Documents {
    constructor(root, page, arrays) {
      this.sets = page.sets.map((one) => this.read(one, arrays));
      this.root = root;
      this.figure = root.closest("figure");
      this.build();
      this.select(this.sets[0], this.sets[0].topics[0], "");
      document.addEventListener("topic", ({ detail: { qrels, topic, system } }) => {
        const of = this.sets.find((one) => one.qrels === qrels);
        if (!of || !of.topics.includes(topic)) return;
        this.select(of, topic, system);
        document.getElementById("documents").scrollIntoView();
      });
    }

    /** One label set with its arrays, and of each topic and document where its part begins. */
    read(one, arrays) {
      const of = Object.fromEntries(Object.entries(one.arrays).map(([name, place]) => [name, arrays[place]]));
      const starts = (sizes) => Array.from(sizes).reduce((ends, size) => [...ends, ends[ends.length - 1] + size], [0]);
      const docnos = new TextDecoder().decode(of.docnos).split("\n");
      const ranksOf = new Uint32Array(of.counts.length + 1);
      for (const [i, count] of of.counts.entries()) ranksOf[i + 1] = ranksOf[i] + count;
      return { ...one, ...of, docnos, ranksOf, documentsOf: starts(of.sizes) };
    }

    has(qrels) {
      return this.sets.some((one) => one.qrels === qrels);
    }

    build() {
      const of = choice("Labels", this.sets.map(({ labels }, at) => [String(at), labels.join(", ")]), (at) => {
        const next = this.sets[Number(at)];
        this.select(next, next.topics.includes(this.topic) ? this.topic : next.topics[0], next.systems.includes(this.system) ? this.system : "");
      });
      const topic = choice("Topic", [], (value) => this.select(this.of, value, this.system));
      const system = choice("System", [], (value) => this.select(this.of, this.topic, value));
      Object.assign(this, { ofs: of.lastChild, topics: topic.lastChild, systems: system.lastChild });
      this.said = make("p", { className: "said" });
      this.said.setAttribute("role", "status");
      this.table = make("table");
      const chart = make("div");
      const rows = make("div", { className: "rows", tabIndex: 0, role: "region", ariaLabel: "documents of the topic" }, [this.table]);
      this.root.append(make("div", { className: "controls" }, [...(this.sets.length > 1 ? [of] : []), topic, system]), chart, this.said, rows);
      const axis = () => ({ label: "", from: 0, to: 1, ticks: [] });
      this.matrix = new Chart(chart, {
        axes: { x: axis(), y: axis() }, left: 30, right: 52,
        tell: (x, y) => this.tell(Math.round(x), Math.round(y)),
        pick: (x, y) => this.describe(this.drawn[this.drawn.length - 1 - Math.round(y)]),
      });
      this.figure.csv = () => [
        ["topic", "docno", ...this.of.labels, "systems", "best rank", ...this.of.systems],
        ...this.rows.map((i) => [this.topic, this.of.docnos[i], ...this.grades(i), this.of.runs[i], this.of.best[i], ...this.of.systems.map((_, s) => this.rank(i, s) || "")]),
      ];
    }

    grades(i) {
      const { first, second } = this.of;
      return [first[i], ...(second ? [second[i]] : [])].map(grade);
    }

    /** The rank of a document in a system; 0 where it is not among the first. */
    rank(i, s) {
      const { ranksOf, systemOf, ranks } = this.of;
      for (let at = ranksOf[i]; at < ranksOf[i + 1]; at++) if (systemOf[at] === s) return ranks[at];
      return 0;
    }

    select(of, topic, system) {
      const isOther = of !== this.of;
      Object.assign(this, { of, topic, system: of.systems.includes(system) ? system : "" });
      if (isOther) {
        const options = (names) => names.map((value) => make("option", { value, textContent: value }));
        this.ofs.value = String(this.sets.indexOf(of));
        this.topics.replaceChildren(...options([...of.topics].sort((a, b) => a.localeCompare(b, "en", { numeric: true }))));
        this.systems.replaceChildren(make("option", { value: "", textContent: `all ${of.systems.length} systems` }), ...options(of.systems));
      }
      [this.topics.value, this.systems.value] = [this.topic, this.system];
      this.show();
    }

    show() {
      const { of } = this;
      const at = of.topics.indexOf(this.topic);
      const every = Array.from({ length: of.sizes[at] }, (_, i) => of.documentsOf[at] + i);
      const s = of.systems.indexOf(this.system);
      this.rows = s < 0 ? every : every.filter((i) => this.rank(i, s)).sort((a, b) => this.rank(a, s) - this.rank(b, s));
      const heads = [...(s < 0 ? [] : ["rank"]), "document", ...of.labels, "systems", "best rank"];
      const isText = (head) => head === "document";
      const head = make("tr", {}, heads.map((textContent) => make("th", { textContent, className: isText(textContent) ? "" : "number" })));
      const body = this.rows.map((i) => {
        const name = make("button", { type: "button", className: "link", textContent: of.docnos[i], title: "list its ranks" });
        name.addEventListener("click", () => this.describe(i));
        const cells = [...(s < 0 ? [] : [this.rank(i, s)]), name, ...this.grades(i), of.runs[i], of.best[i]];
        return make("tr", {}, cells.map((cell) => make("td", { className: cell === name ? "" : "number" }, [cell instanceof Node ? cell : String(cell)])));
      });
      this.table.replaceChildren(make("thead", {}, [head]), make("tbody", {}, body));
      this.said.textContent = `${counted(this.rows.length, "document")} in the first ${of.shown} of ${this.system || "any system"} on topic ${this.topic}; – is unjudged. Select a document to list its ranks.`;
      this.paint();
      const left = of.left ? ` ${of.left.toLocaleString("en")} documents at ranks ${of.shown + 1} to ${of.depth} are not on this page; the table topic-analysis/retrieved has them.` : "";
      const deeper = ` Ranks below ${of.depth} are not listed.`;
      const drawn = this.rows.length > DRAWN ? `Rank of the first ${DRAWN} documents of the table (rows)` : "Rank of each document (rows)";
      this.figure.querySelector("figcaption").textContent = `${drawn} in each system (columns, the best first) on topic ${this.topic}, within the first ${of.shown}; stronger colour is nearer the top.${left || deeper}`;
    }

    paint() {
      const { of, matrix } = this;
      const rows = this.rows.slice(0, DRAWN);
      this.drawn = rows;
      matrix.frame.hidden = rows.length * of.systems.length < 3;
      const row = Math.min(ROW.most, Math.max(ROW.least, ROW.all / rows.length));
      const longest = Math.min(14, Math.max(...of.systems.map((name) => name.length)));
      const isNamed = (matrix.frame.clientWidth - matrix.left - matrix.right) / of.systems.length >= 13;
      matrix.bottom = ROOM.bottom + (isNamed ? Math.round(longest * LETTER * 0.9) : 0);
      matrix.height = Math.round(row * rows.length) + ROOM.top + matrix.bottom;
      const canvas = Object.assign(document.createElement("canvas"), { width: of.systems.length, height: rows.length });
      const context = canvas.getContext("2d");
      const pixels = context.createImageData(canvas.width, canvas.height);
      // of one colour, legible on light and dark paper: the nearer the top the less transparent
      const strength = (rank) => 1 - (0.85 * (rank - 1)) / Math.max(of.shown - 1, 1);
      rows.forEach((i, y) => {
        for (let k = of.ranksOf[i]; k < of.ranksOf[i + 1]; k++) pixels.data.set([...COLOUR, 255 * strength(of.ranks[k])], 4 * (y * canvas.width + of.systemOf[k]));
      });
      context.putImageData(pixels, 0, 0);
      matrix.axes = {
        x: { label: isNamed ? "" : `${counted(of.systems.length, "system")}, by mean score`, from: -0.5, to: of.systems.length - 0.5, ticks: [] },
        y: { label: counted(rows.length, "document"), from: -0.5, to: rows.length - 0.5, ticks: [] },
      };
      const shades = Array.from({ length: of.shown }, (_, i) => `rgba(${COLOUR}, ${strength(of.shown - i).toFixed(2)})`);
      matrix.paint(`ranks of ${rows.length} documents in ${of.systems.length} systems on topic ${this.topic}`, () => matrix.picture(canvas), () => {
        const { inner } = matrix;
        const [end, bottom] = [inner.left + inner.width + 30, inner.top + inner.height];
        if (of.shown > 1) matrix.bar(shades, null);
        for (const [text, y] of [["1", inner.top + 6], [String(of.shown), bottom - 6]]) if (of.shown > 1) matrix.text(text, end, y);
        if (isNamed) of.systems.forEach((name, s) => {
          const short = name.length > 14 ? `${name.slice(0, 13)}…` : name;
          matrix.text(short, matrix.x(s), bottom + 8, "end", { transform: `rotate(-60 ${matrix.x(s)} ${bottom + 8})`, "font-size": 11 });
        });
      });
    }

    tell(x, y) {
      const i = this.drawn[this.drawn.length - 1 - y];
      const system = this.of.systems[x];
      if (i === undefined || system === undefined) return "";
      const rank = this.rank(i, x);
      return `${this.of.docnos[i]}, ${system}: ${rank ? `rank ${rank}` : `not in the first ${this.of.shown}`}`;
    }

    /** The systems that have a document, by rank. */
    describe(i) {
      if (i === undefined) return;
      const { of } = this;
      const systems = new Map();
      for (let at = of.ranksOf[i]; at < of.ranksOf[i + 1]; at++) systems.set(of.ranks[at], [...(systems.get(of.ranks[at]) ?? []), of.systems[of.systemOf[at]]]);
      const parts = [...systems.keys()].sort((a, b) => a - b).map((rank) => `rank ${rank}: ${systems.get(rank).join(", ")}`);
      const labels = of.labels.map((name, k) => `${name} ${this.grades(i)[k].replace("–", "unjudged")}`).join(", ");
      const others = of.systems.length - (of.ranksOf[i + 1] - of.ranksOf[i]);
      this.said.textContent = `${of.docnos[i]} (${labels}). ${parts.join("; ")}.${others ? ` Not in the first ${of.shown} of ${counted(others, "system")}.` : ""}`;
    }
  }

  const packed = document.getElementById("topic-documents");
  const page = JSON.parse(packed.textContent);
  packed.shown = unpack(page.data, page).then((arrays) => new Documents(document.querySelector(".documents"), page, arrays));
}

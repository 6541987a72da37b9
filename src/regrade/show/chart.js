// A chart as SVG: axes, and what is painted between them.  A frame costs what it paints, so that a
// picture of thousands of cells and a hundred systems follow a handle as it is dragged.
"use strict";

const ROOM = { left: 50, right: 12, top: 10, bottom: 40 };
const NEAR = 12; // pixels from the pointer within which a point is named
const INK = "currentColor";

/** An element of the page with its properties and children. */
function make(tag, properties = {}, children = []) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A select of [value, text] in a label, which calls back with what is chosen. */
function choice(text, options, chosen) {
  const select = make("select", {}, options.map(([value, textContent]) => make("option", { value, textContent })));
  select.addEventListener("change", () => chosen(select.value));
  return make("label", {}, [text, select]);
}

let charts = 0;

class Chart {
  /**
   * A chart as wide as its parent.
   *
   * `axes` holds x and y, each { label, from, to, ticks: [[place, text], …] }; an axis may fall.
   * `pick(x, y)` is called with the place of a click; `tell(x, y, near)` answers with what is said
   * of a place, or nothing; near(points) is the index of the point next to the pointer, or −1.
   */
  constructor(parent, { axes, height = 340, left = ROOM.left, right = ROOM.right, bottom = ROOM.bottom, pick = null, tell = null }) {
    Object.assign(this, { axes, height, left, right, bottom });
    this.name = `chart-${++charts}`;
    this.painted = () => {};
    this.paintedBeside = () => {};
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("role", "img");
    this.svg.setAttribute("font-family", "system-ui, sans-serif");
    this.said = make("div", { className: "said-here", hidden: true });
    this.frame = make("div", { className: "chart" }, [this.svg, this.said]);
    parent.append(this.frame);
    new ResizeObserver(() => this.frame.clientWidth !== this.width && this.repaint()).observe(this.frame);
    if (pick) {
      this.svg.style.cursor = "crosshair";
      this.svg.addEventListener("click", (event) => pick(...this.placeOf(event)));
    }
    if (tell) {
      this.svg.addEventListener("pointermove", (event) => this.tell(event, tell));
      this.svg.addEventListener("pointerdown", (event) => this.tell(event, tell));
      this.svg.addEventListener("pointerleave", () => (this.said.hidden = true));
    }
  }

  /** Paint anew; `paint` between the axes and `beside` them are kept for when the size changes. */
  paint(label, paint, beside = () => {}) {
    this.painted = paint;
    this.paintedBeside = beside;
    this.svg.setAttribute("aria-label", label);
    this.repaint();
  }

  repaint() {
    this.width = this.frame.clientWidth;
    if (!this.width) return;
    const { svg, width, height, left, right, bottom } = this;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    svg.replaceChildren();
    this.inner = { left, top: ROOM.top, width: Math.max(1, width - left - right), height: height - ROOM.top - bottom };
    this.layer = svg;
    this.drawAxes();
    this.paintedBeside();
    const clip = this.add("clipPath", { id: this.name });
    const { inner } = this;
    this.layer = clip;
    this.add("rect", { x: inner.left, y: inner.top, width: inner.width, height: inner.height });
    this.layer = svg;
    this.layer = this.add("g", { "clip-path": `url(#${this.name})` });
    this.painted();
  }

  /** An element on the layer that is painted. */
  add(tag, attributes, text = "") {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    this.layer.append(element);
    return element;
  }

  x(place) {
    const { from, to } = this.axes.x;
    return this.inner.left + ((place - from) / (to - from)) * this.inner.width;
  }

  y(place) {
    const { from, to } = this.axes.y;
    return this.inner.top + (1 - (place - from) / (to - from)) * this.inner.height;
  }

  /** The place on both axes of an event. */
  placeOf(event) {
    const box = this.svg.getBoundingClientRect();
    const { x, y } = this.axes;
    const [across, up] = [event.clientX - box.left - this.inner.left, event.clientY - box.top - this.inner.top];
    return [x.from + (across / this.inner.width) * (x.to - x.from), y.from + (1 - up / this.inner.height) * (y.to - y.from)];
  }

  drawAxes() {
    const { inner } = this;
    const [bottom, end] = [inner.top + inner.height, inner.left + inner.width];
    for (const [place, text] of this.axes.x.ticks) {
      this.line([[this.x(place), inner.top], [this.x(place), bottom]], { alpha: 0.12 });
      this.text(text, this.x(place), bottom + 12, "middle");
    }
    this.text(this.axes.x.label, inner.left + inner.width / 2, bottom + 29, "middle");
    for (const [place, text] of this.axes.y.ticks) {
      this.line([[inner.left, this.y(place)], [end, this.y(place)]], { alpha: 0.12 });
      this.text(text, inner.left - 6, this.y(place), "end");
    }
    const middle = inner.top + inner.height / 2;
    this.text(this.axes.y.label, 11, middle, "middle", { transform: `rotate(-90 11 ${middle})` });
    this.line([[inner.left, inner.top], [inner.left, bottom], [end, bottom]]);
  }

  // --- what is painted: places in pixels, as x() and y() give them ----------------------------

  /** A line through places; where one is not finite it breaks. */
  line(places, { colour = INK, width = 1, dash = [], alpha = 1, cap = "butt" } = {}) {
    let isBroken = true;
    const steps = places.map(([x, y]) => {
      const isFinite = Number.isFinite(x) && Number.isFinite(y);
      const step = isFinite ? `${isBroken ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}` : "";
      isBroken = !isFinite;
      return step;
    });
    this.path(steps.join(""), { stroke: colour, "stroke-width": width, "stroke-dasharray": dash.join(" "), opacity: alpha, "stroke-linecap": cap });
  }

  /** Edges that hang together nowhere: x0, y0, x1, y1, one after the other, on the axes. */
  edges(places, { colour = INK, width = 1.5 } = {}) {
    let steps = "";
    for (let i = 0; i < places.length; i += 4) {
      const [x0, y0, x1, y1] = [this.x(places[i]), this.y(places[i + 1]), this.x(places[i + 2]), this.y(places[i + 3])];
      steps += `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}`;
    }
    this.path(steps, { stroke: colour, "stroke-width": width, "stroke-linecap": "square" });
  }

  path(d, look) {
    this.add("path", { d, fill: "none", ...look });
  }

  point(x, y, { fill = "none", stroke = "none", radius = 4, width = 2 } = {}) {
    if (Number.isFinite(x + y)) this.add("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: radius, fill, stroke, "stroke-width": width });
  }

  /** A bar between two corners. */
  box(x0, y0, x1, y1, fill, more = {}) {
    const [x, y] = [Math.min(x0, x1), Math.min(y0, y1)];
    this.add("rect", { x: x.toFixed(1), y: y.toFixed(1), width: Math.abs(x1 - x0).toFixed(1), height: Math.abs(y1 - y0).toFixed(1), fill, ...more });
  }

  text(text, x, y, anchor = "start", more = {}) {
    this.add("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, "dominant-baseline": "central", "font-size": 12, fill: INK, ...more }, text);
  }

  /** A picture whose pixels are the places of both axes, the lowest left ones first. */
  picture(canvas) {
    const [x, y] = [this.x(-0.5), this.y(canvas.height - 0.5)];
    const size = { width: this.x(canvas.width - 0.5) - x, height: this.y(-0.5) - y };
    this.add("image", { x, y, ...size, href: canvas.toDataURL(), preserveAspectRatio: "none", style: "image-rendering: pixelated" });
  }

  /** What the colours stand for, beside the chart, between two ends. */
  bar(palette, ends) {
    const { inner } = this;
    const left = inner.left + inner.width + 14;
    const step = inner.height / palette.length;
    palette.forEach((colour, i) => {
      const bottom = inner.top + inner.height - i * step;
      this.box(left, bottom - step - 0.5, left + 12, bottom, colour);
    });
    if (!ends) return;
    const [low, high] = ends;
    for (const [place, text] of ticksBetween(low, high, 5)) {
      this.text(text, left + 16, inner.top + (1 - (place - low) / (high - low || 1)) * inner.height);
    }
  }

  tell(event, tell) {
    const box = this.svg.getBoundingClientRect();
    const pointer = [event.clientX - box.left, event.clientY - box.top];
    const near = (points) => {
      const far = points.map(([x, y]) => Math.hypot(x - pointer[0], y - pointer[1]));
      const nearest = far.indexOf(Math.min(...far));
      return far[nearest] <= NEAR ? nearest : -1;
    };
    const text = tell(...this.placeOf(event), near);
    this.said.hidden = !text;
    if (!text) return;
    this.said.textContent = text;
    this.said.style.left = `${Math.max(0, Math.min(pointer[0] + 12, box.width - this.said.offsetWidth))}px`;
    this.said.style.top = `${Math.max(0, pointer[1] - 32)}px`;
  }
}

/** Round numbers between two, about so many, with their texts. */
function ticksBetween(low, high, count) {
  if (!(high > low)) return [[low, tidy(low)]];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push([i * step, tidy(i * step).replace("-", "−")]);
  return ticks;
}

/** A number as people write it: 0.1 + 0.2 is 0.3. */
function tidy(value) {
  return String(Number(value.toPrecision(12)));
}

/** Unpack and show what a script element packs, once: when it comes into view, or is named. */
function showInView(selector, kind, Explorer) {
  for (const root of document.querySelectorAll(selector)) {
    const packed = root.querySelector("script").textContent;
    const name = JSON.parse(/"name": ("(?:[^"\\]|\\.)*")/.exec(packed)[1]);
    const show = () => {
      root.explorer ??= (async () => {
        const page = JSON.parse(packed);
        const explorer = new Explorer(root, page, await unpack(page.data, page));
        for (const chart of root.querySelectorAll(".chart")) chart.dataset.name = `${kind}-${name}`;
        root.dispatchEvent(new Event("drawn", { bubbles: true }));
        return explorer;
      })();
    };
    const inView = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && show(), { rootMargin: "400px" });
    inView.observe(root);
    const follow = () => {
      if (!decodeURIComponent(location.hash).startsWith(`#${kind}-${name}=`)) return;
      show();
      root.scrollIntoView();
    };
    window.addEventListener("hashchange", follow);
    follow();
  }
}

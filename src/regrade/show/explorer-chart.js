// A chart on a canvas: axes, and what is painted between them.  A frame costs what it paints, so that
// thousands of cells and a hundred systems follow a handle as it is dragged.
"use strict";

const ROOM = { left: 50, right: 12, top: 10, bottom: 40 };
const FONT = "12px system-ui, sans-serif";
const NEAR = 12; // pixels from the pointer within which a point is named

class Chart {
  /**
   * A chart as wide as its parent.
   *
   * `axes` holds x and y, each { label, from, to, ticks: [[place, text], …] }; an axis may fall.
   * `pick(x, y)` is called with the place of a click; `tell(x, y, near)` answers with what is said
   * of a place, or nothing; near(points) is the index of the point next to the pointer, or −1.
   */
  constructor(parent, { axes, height = 340, right = ROOM.right, pick = null, tell = null }) {
    this.axes = axes;
    this.height = height;
    this.right = right;
    this.painted = () => {};
    this.paintedBeside = () => {};
    this.frame = document.createElement("div");
    this.frame.className = "chart";
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.said = document.createElement("div");
    this.said.className = "said-here";
    this.said.hidden = true;
    this.frame.append(this.canvas, this.said);
    parent.append(this.frame);
    this.context = this.canvas.getContext("2d");
    new ResizeObserver(() => this.repaint()).observe(this.frame);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
    if (pick) {
      this.canvas.style.cursor = "crosshair";
      this.canvas.addEventListener("click", (event) => pick(...this.placeOf(event)));
    }
    if (tell) {
      this.canvas.addEventListener("pointermove", (event) => this.tell(event, tell));
      this.canvas.addEventListener("pointerdown", (event) => this.tell(event, tell));
      this.canvas.addEventListener("pointerleave", () => (this.said.hidden = true));
    }
  }

  /** Paint anew; `paint` between the axes and `beside` them are kept for when the size changes. */
  paint(label, paint, beside = () => {}) {
    this.painted = paint;
    this.paintedBeside = beside;
    this.canvas.setAttribute("aria-label", label);
    this.repaint();
  }

  repaint() {
    const width = this.frame.clientWidth;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
      this.canvas.style.height = `${this.height}px`;
    }
    this.inner = { left: ROOM.left, top: ROOM.top, width: width - ROOM.left - this.right, height: this.height - ROOM.top - ROOM.bottom };
    const { context } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, this.height);
    this.ink = getComputedStyle(this.frame).color;
    context.font = FONT;
    this.drawAxes();
    this.paintedBeside();
    context.save();
    context.beginPath();
    context.rect(this.inner.left, this.inner.top, this.inner.width, this.inner.height);
    context.clip();
    this.painted();
    context.restore();
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
    const box = this.canvas.getBoundingClientRect();
    const { x, y } = this.axes;
    const [across, up] = [event.clientX - box.left - this.inner.left, event.clientY - box.top - this.inner.top];
    return [x.from + (across / this.inner.width) * (x.to - x.from), y.from + (1 - up / this.inner.height) * (y.to - y.from)];
  }

  drawAxes() {
    const { context, inner, ink } = this;
    Object.assign(context, { strokeStyle: ink, fillStyle: ink, lineWidth: 1, globalAlpha: 1 });
    const bottom = inner.top + inner.height;
    context.textBaseline = "top";
    context.textAlign = "center";
    for (const [place, text] of this.axes.x.ticks) {
      this.line([[this.x(place), inner.top], [this.x(place), bottom]], { alpha: 0.12 });
      this.line([[this.x(place), bottom], [this.x(place), bottom + 4]]);
      context.fillText(text, this.x(place), bottom + 6);
    }
    context.fillText(this.axes.x.label, inner.left + inner.width / 2, bottom + 23);
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const [place, text] of this.axes.y.ticks) {
      this.line([[inner.left, this.y(place)], [inner.left + inner.width, this.y(place)]], { alpha: 0.12 });
      this.line([[inner.left - 4, this.y(place)], [inner.left, this.y(place)]]);
      context.fillText(text, inner.left - 6, this.y(place));
    }
    context.save();
    context.translate(11, inner.top + inner.height / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(this.axes.y.label, 0, 0);
    context.restore();
    this.line([[inner.left, inner.top], [inner.left, bottom], [inner.left + inner.width, bottom]]);
  }

  // --- what is painted: places in pixels, as x() and y() give them ----------------------------

  /** A line through places; where one is not finite it breaks. */
  line(places, { colour = this.ink, width = 1, dash = [], alpha = 1, cap = "butt" } = {}) {
    const { context } = this;
    context.beginPath();
    let isBroken = true;
    for (const [x, y] of places) {
      const isFinite = Number.isFinite(x) && Number.isFinite(y);
      if (isFinite) isBroken ? context.moveTo(x, y) : context.lineTo(x, y);
      isBroken = !isFinite;
    }
    Object.assign(context, { strokeStyle: colour, lineWidth: width, globalAlpha: alpha, lineCap: cap });
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /** Edges that hang together nowhere: x0, y0, x1, y1, one after the other, on the axes. */
  edges(places, { colour = this.ink, width = 1.5 } = {}) {
    const { context } = this;
    context.beginPath();
    for (let i = 0; i < places.length; i += 4) {
      context.moveTo(this.x(places[i]), this.y(places[i + 1]));
      context.lineTo(this.x(places[i + 2]), this.y(places[i + 3]));
    }
    Object.assign(context, { strokeStyle: colour, lineWidth: width, lineCap: "square" });
    context.stroke();
  }

  point(x, y, { fill = null, stroke = null, radius = 4, width = 2 } = {}) {
    const { context } = this;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill) Object.assign(context, { fillStyle: fill }).fill();
    if (stroke) Object.assign(context, { strokeStyle: stroke, lineWidth: width }).stroke();
  }

  text(text, x, y, align = "left") {
    Object.assign(this.context, { fillStyle: this.ink, textAlign: align, textBaseline: "middle" });
    this.context.fillText(text, x, y);
  }

  /** A picture whose pixels are the places of both axes, the lowest left ones first. */
  picture(canvas) {
    this.context.imageSmoothingEnabled = false;
    const [left, top] = [this.x(-0.5), this.y(canvas.height - 0.5)];
    this.context.drawImage(canvas, left, top, this.x(canvas.width - 0.5) - left, this.y(-0.5) - top);
  }

  /** What the colours stand for, beside the chart. */
  bar(palette, [low, high]) {
    const { context, inner } = this;
    const left = inner.left + inner.width + 14;
    const step = inner.height / palette.length;
    palette.forEach((colour, i) => {
      context.fillStyle = colour;
      context.fillRect(left, inner.top + inner.height - (i + 1) * step, 12, step + 0.5);
    });
    for (const [place, text] of ticksBetween(low, high, 5)) {
      this.text(text, left + 16, inner.top + (1 - (place - low) / (high - low || 1)) * inner.height);
    }
  }

  tell(event, tell) {
    const box = this.canvas.getBoundingClientRect();
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
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push([i * step, tidy(i * step)]);
  return ticks;
}

/** A number as people write it: 0.1 + 0.2 is 0.3. */
function tidy(value) {
  return String(Number(value.toPrecision(12)));
}

/** Unpack and show explorers, each once: when it is opened; at once where the address names it. */
function showWhenAsked(selector, kind, Explorer) {
  for (const root of document.querySelectorAll(selector)) {
    const details = root.closest("details");
    const packed = root.querySelector("script").textContent;
    const name = JSON.parse(/"name": ("(?:[^"\\]|\\.)*")/.exec(packed)[1]);
    const show = async () => {
      const page = JSON.parse(packed);
      return new Explorer(root, page, await unpack(page.data, page));
    };
    details.addEventListener("toggle", () => {
      if (details.open) root.explorer ??= show();
    });
    const follow = () => {
      if (decodeURIComponent(location.hash).startsWith(`#${kind}-${name}=`)) details.open = true;
    };
    window.addEventListener("hashchange", follow);
    follow();
  }
}

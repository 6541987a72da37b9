// An SVG of the page as a PDF of one page (ISO 32000-1): shapes and text as such, pixels as images.
"use strict";

const pdfOf = (() => {
  const ROUND = 0.5522847498; // a quarter of a circle as a Bézier curve
  const SHAPES = "path rect circle line text image use g a svg".split(" ");
  const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "fill-opacity", "stroke-opacity", "fill-rule", "opacity"];

  // widths of Helvetica from the blank to the tilde, in thousandths of its size (Adobe's metrics)
  const WIDTHS = "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584".split(" ").map(Number);
  const WESTERN = { "…": [0x85, 1000], "–": [0x96, 556], "—": [0x97, 1000], "‘": [0x91, 222], "’": [0x92, 222], "“": [0x93, 333], "”": [0x94, 333], "•": [0x95, 350], "€": [0x80, 556], "·": [0xb7, 278], "±": [0xb1, 584], "×": [0xd7, 584], "°": [0xb0, 400] };
  const SIGNS = { "−": 0x2d, "≤": 0xa3, "∞": 0xa5, "←": 0xac, "↑": 0xad, "→": 0xae, "↓": 0xaf, "≥": 0xb3, "≠": 0xb9, "≈": 0xbb };
  [..."ΑΒΧΔΕΦΓΗΙ ΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"].forEach((letter, i) => (SIGNS[letter] = 0x41 + i));
  [..."αβχδεφγηιϕκλμνοπθρστυϖωξψζ"].forEach((letter, i) => (SIGNS[letter] = 0x61 + i));
  delete SIGNS[" "];

  const num = (value) => String(Number(value.toFixed(4)));
  const nums = (...values) => values.map(num).join(" ");
  const bytesOf = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));

  async function deflated(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  const pixel = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const colours = new Map();

  /** Red, green, blue and opacity, 0 to 1, of any colour; nothing of none. */
  function colourOf(text) {
    if (!text || text === "none" || text.startsWith("url")) return null;
    if (!colours.has(text)) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = text;
      pixel.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
      colours.set(text, a ? [r / 255, g / 255, b / 255, a / 255] : null);
    }
    return colours.get(text);
  }

  /** The operators of a path's data. */
  function outline(d) {
    const steps = [];
    let [x, y, startX, startY, command] = [0, 0, 0, 0, "M"];
    const parts = d.match(/[a-z]|[-+]?(?:\d*\.\d+|\d+\.?)(?:e[-+]?\d+)?/gi) ?? [];
    const isNumber = (part) => part !== undefined && !/^[a-z]$/i.test(part);
    for (let at = 0; at < parts.length; ) {
      if (!isNumber(parts[at])) command = parts[at++];
      const kind = command.toUpperCase();
      const isRelative = command !== kind;
      if (kind === "Z") {
        steps.push("h");
        [x, y] = [startX, startY];
        continue;
      }
      const count = { M: 2, L: 2, H: 1, V: 1, Q: 4, C: 6 }[kind];
      if (!count) throw new Error(`no ${command} of a path is written as PDF`);
      const values = parts.slice(at, at + count).map(Number);
      at += count;
      if (kind === "H") values.push(isRelative ? 0 : y);
      if (kind === "V") values.unshift(isRelative ? 0 : x);
      if (isRelative) values.forEach((_, i) => (values[i] += i % 2 ? y : x));
      if (kind === "Q") {
        const [cx, cy, ex, ey] = values;
        values.splice(0, 4, x + (2 / 3) * (cx - x), y + (2 / 3) * (cy - y), ex + (2 / 3) * (cx - ex), ey + (2 / 3) * (cy - ey), ex, ey);
      }
      steps.push(`${nums(...values)} ${values.length === 6 ? "c" : kind === "M" ? "m" : "l"}`);
      [x, y] = values.slice(-2);
      if (kind === "M") {
        [startX, startY] = [x, y];
        command = isRelative ? "l" : "L";
      }
    }
    return steps.join("\n");
  }

  /** The operators of a shape's outline. */
  function shapeOf(node) {
    const of = (name) => node[name].baseVal.value;
    if (node.localName === "path") return outline(node.getAttribute("d") ?? "");
    if (node.localName === "rect") return `${nums(of("x"), of("y"), of("width"), of("height"))} re`;
    if (node.localName === "line") return `${nums(of("x1"), of("y1"))} m ${nums(of("x2"), of("y2"))} l`;
    const [x, y, r] = [of("cx"), of("cy"), of("r")];
    const k = ROUND * r;
    const curves = [[r, k, k, r, 0, r], [-k, r, -r, k, -r, 0], [-r, -k, -k, -r, 0, -r], [k, -r, r, -k, r, 0]];
    return `${nums(x + r, y)} m ${curves.map((c) => `${nums(...c.map((v, i) => v + (i % 2 ? y : x)))} c`).join(" ")} h`;
  }

  class Writer {
    constructor(svg, paper) {
      this.svg = svg;
      this.root = svg.getRootNode();
      this.steps = [];
      this.states = new Map();
      this.pictures = [];
      const box = svg.viewBox.baseVal;
      const { width, height } = svg.getBoundingClientRect();
      this.box = box && box.width ? box : { x: 0, y: 0, width, height };
      const isPoints = (svg.getAttribute("width") ?? "").endsWith("pt");
      this.scale = isPoints ? svg.width.baseVal.value / this.box.width / (96 / 72) : 0.75;
      this.size = [this.box.width * this.scale, this.box.height * this.scale];
      if (paper) {
        this.colour(paper, "rg");
        this.steps.push(`${nums(0, 0, ...this.size)} re f`);
      }
      const start = [this.scale, 0, 0, -this.scale, -this.box.x * this.scale, this.size[1] + this.box.y * this.scale];
      this.steps.push(`${nums(...start)} cm`);
    }

    /** Images, which are read before anything is written. */
    async readImages() {
      this.images = new Map();
      for (const node of this.svg.querySelectorAll("image")) {
        const image = new Image();
        image.src = node.href.baseVal;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), { width: image.naturalWidth, height: image.naturalHeight });
        canvas.getContext("2d").drawImage(image, 0, 0);
        this.images.set(node, canvas);
      }
    }

    byId(reference) {
      const id = reference.replace(/^url\(["']?|["']?\)$/g, "").replace(/^#/, "");
      return id && this.root.getElementById?.(id);
    }

    colour(text, operator) {
      const found = colourOf(text);
      if (found) this.steps.push(`${nums(...found.slice(0, 3))} ${operator}`);
      return found ? found[3] : 0;
    }

    /** How transparent fills and strokes are from here on. */
    state(fill, stroke) {
      const key = `/ca ${num(fill)} /CA ${num(stroke)}`;
      if (!this.states.has(key)) this.states.set(key, `G${this.states.size}`);
      this.steps.push(`/${this.states.get(key)} gs`);
    }

    /** What a node looks like; of one that is used elsewhere its own, else that of its user. */
    look(node, user) {
      const computed = getComputedStyle(user ?? node);
      const own = (name) => user && (node.style.getPropertyValue(name) || node.getAttribute(name));
      return Object.fromEntries(LOOKS.map((name) => [name, own(name) || computed.getPropertyValue(name)]));
    }

    write(node, opacity = 1, user = null) {
      if (!SHAPES.includes(node.localName)) return;
      const computed = user ? null : getComputedStyle(node);
      if (computed && (computed.display === "none" || computed.visibility === "hidden")) return;
      const look = this.look(node, user);
      const alpha = opacity * Number(look.opacity);
      this.steps.push("q");
      const moved = node !== this.svg && node.transform?.baseVal.consolidate()?.matrix;
      if (moved) this.steps.push(`${nums(moved.a, moved.b, moved.c, moved.d, moved.e, moved.f)} cm`);
      const clip = this.byId(node.getAttribute("clip-path") ?? "");
      if (clip) this.steps.push(...[...clip.children].filter((one) => SHAPES.includes(one.localName)).map(shapeOf), "W n");
      if (node.localName === "use") {
        const used = this.byId(node.href.baseVal);
        this.steps.push(`1 0 0 1 ${nums(node.x.baseVal.value, node.y.baseVal.value)} cm`);
        if (used) this.write(used, alpha, node);
      } else if (node.localName === "text") this.text(node, look, alpha, computed);
      else if (node.localName === "image") this.image(node, alpha);
      else if (["g", "a", "svg"].includes(node.localName)) for (const child of node.children) this.write(child, alpha, user);
      else this.shape(node, look, alpha);
      this.steps.push("Q");
    }

    shape(node, look, alpha) {
      const [fill, width] = [node.localName === "line" ? 0 : this.colour(look.fill, "rg"), parseFloat(look["stroke-width"])];
      const stroke = width > 0 ? this.colour(look.stroke, "RG") : 0;
      if (!fill && !stroke) return;
      this.state(alpha * fill * Number(look["fill-opacity"]), alpha * stroke * Number(look["stroke-opacity"]));
      if (stroke) {
        const dashes = look["stroke-dasharray"] === "none" ? [] : look["stroke-dasharray"].split(/[ ,]+/).map(parseFloat).filter(Number.isFinite);
        const [cap, join] = [["butt", "round", "square"].indexOf(look["stroke-linecap"]), ["miter", "round", "bevel"].indexOf(look["stroke-linejoin"])];
        this.steps.push(`${num(width)} w ${Math.max(0, cap)} J ${Math.max(0, join)} j [${nums(...dashes)}] 0 d`);
      }
      const even = look["fill-rule"] === "evenodd" ? "*" : "";
      this.steps.push(shapeOf(node), fill && stroke ? `B${even}` : fill ? `f${even}` : "S");
    }

    /** Pixels into the box from (x, y). */
    pixels(canvas, x, y, width, height) {
      this.pictures.push(canvas);
      this.steps.push(`q ${nums(width, 0, 0, -height, x, y + height)} cm /I${this.pictures.length - 1} Do Q`);
    }

    image(node, alpha) {
      const of = (name) => node[name].baseVal.value;
      this.state(alpha, alpha);
      this.pixels(this.images.get(node), of("x"), of("y"), of("width"), of("height"));
    }

    /** Text as wide as the browser's: Helvetica, Symbol, and pixels of what neither has. */
    text(node, look, alpha, computed) {
      const text = node.textContent;
      if (!text.trim()) return;
      this.state(alpha * this.colour(look.fill, "rg") * Number(look["fill-opacity"]), 1);
      const size = parseFloat(computed.fontSize);
      const runs = [];
      let natural = 0;
      for (const letter of text) {
        const [font, code, width] = this.letter(letter, size);
        natural += width;
        if (font !== "pixels" && runs.length && runs[runs.length - 1].font === font) runs[runs.length - 1].codes.push(code);
        else runs.push({ font, codes: [code], width, letter });
        runs[runs.length - 1].sum = (runs[runs.length - 1].sum ?? 0) + width;
      }
      const stretch = (1000 * node.getComputedTextLength()) / (natural * size);
      let { x } = node.getStartPositionOfChar(0);
      const y = node.y.baseVal[0].value + (computed.dominantBaseline === "central" ? 0.35 * size : 0);
      for (const { font, codes, sum, letter } of runs) {
        const width = (sum * size * stretch) / 1000;
        if (font === "pixels") this.pixels(this.drawn(letter, size, look.fill), x, y - size, (size * sum) / 1000, 1.4 * size);
        else this.steps.push(`BT /${font} ${num(size)} Tf ${num(100 * stretch)} Tz 1 0 0 -1 ${nums(x, y)} Tm <${codes.map((code) => code.toString(16).padStart(2, "0")).join("")}> Tj ET`);
        x += width;
      }
    }

    /** The font, the code and the width of a letter. */
    letter(letter, size) {
      const code = letter.codePointAt(0);
      if (code >= 32 && code < 127) return ["F0", code, WIDTHS[code - 32]];
      if (WESTERN[letter]) return ["F0", ...WESTERN[letter]];
      const base = letter.normalize("NFD").charCodeAt(0);
      if (code >= 0xc0 && code < 0x100) return ["F0", code, base >= 32 && base < 127 ? WIDTHS[base - 32] : 556];
      if (SIGNS[letter]) return ["F1", SIGNS[letter], letter === "−" ? 549 : 600];
      pixel.font = `${size}px system-ui, sans-serif`;
      return ["pixels", code, (1000 * pixel.measureText(letter).width) / size];
    }

    drawn(letter, size, fill) {
      const scale = 96 / size;
      pixel.font = `${size}px system-ui, sans-serif`;
      const width = Math.max(1, Math.ceil(pixel.measureText(letter).width * scale));
      const canvas = Object.assign(document.createElement("canvas"), { width, height: Math.round(1.4 * 96) });
      const context = canvas.getContext("2d");
      Object.assign(context, { font: "96px system-ui, sans-serif", fillStyle: fill });
      context.fillText(letter, 0, 96);
      return canvas;
    }

    /** The file. */
    async file() {
      const objects = [];
      const add = (head, bytes = null) => objects.push([head, bytes]);
      const stream = async (head, bytes) => {
        const data = await deflated(bytes);
        return add(`<< ${head} /Filter /FlateDecode /Length ${data.length} >>`, data);
      };
      add("<< /Type /Catalog /Pages 2 0 R >>");
      add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
      const states = [...this.states].map(([look, name]) => `/${name} << ${look} >>`).join(" ");
      const images = this.pictures.map((_, i) => `/I${i} ${7 + 2 * i} 0 R`).join(" ");
      add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${nums(...this.size)}] /Contents 4 0 R /Resources << /Font << /F0 5 0 R /F1 6 0 R >> /ExtGState << ${states} >> /XObject << ${images} >> >> >>`);
      await stream("", bytesOf(this.steps.join("\n")));
      add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
      add("<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>");
      for (const canvas of this.pictures) {
        const { width, height } = canvas;
        const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
        const [colours, alphas] = [new Uint8Array(3 * width * height), new Uint8Array(width * height)];
        for (let i = 0; i < alphas.length; i++) {
          colours.set(data.subarray(4 * i, 4 * i + 3), 3 * i);
          alphas[i] = data[4 * i + 3];
        }
        const head = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8`;
        await stream(`${head} /ColorSpace /DeviceRGB /SMask ${objects.length + 2} 0 R`, colours);
        await stream(`${head} /ColorSpace /DeviceGray`, alphas);
      }
      const parts = [bytesOf("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")];
      let length = parts[0].length;
      const put = (bytes) => {
        parts.push(bytes);
        length += bytes.length;
      };
      const places = [];
      objects.forEach(([head, bytes], i) => {
        places.push(length);
        put(bytesOf(`${i + 1} 0 obj\n${head}\n`));
        if (bytes) [bytesOf("stream\n"), bytes, bytesOf("\nendstream\n")].forEach(put);
        put(bytesOf("endobj\n"));
      });
      const start = length;
      const entries = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
      put(bytesOf(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`));
      return new Blob(parts, { type: "application/pdf" });
    }
  }

  /** A PDF of an SVG that is shown, on paper of a colour or on none. */
  return async (svg, paper = "") => {
    const writer = new Writer(svg, paper);
    await writer.readImages();
    writer.write(svg);
    return writer.file();
  };
})();

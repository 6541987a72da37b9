// The report's page: tables that sort, figures that enlarge and are saved, the theme, the contents.
"use strict";

{
  // --- tables -----------------------------------------------------------------------------------

  const numberOf = (text) => {
    const plain = text.trim().replace(/,(?=\d{3}\b)/g, "").replace("−", "-").replace(/^[<>]\s*/, "").replace(/\s*[%*]$/, "");
    return plain === "" ? NaN : Number(plain);
  };
  const textOf = (row, column) => row.cells[column]?.dataset.sort ?? row.cells[column]?.textContent.trim() ?? "";

  /** Numbers before words, in their order; what is empty comes last in either direction. */
  function compare(a, b, sign) {
    if (a === "" || b === "") return (a === "") - (b === "");
    const [x, y] = [numberOf(a), numberOf(b)];
    if (!isNaN(x) && !isNaN(y)) return sign * (x - y);
    if (isNaN(x) !== isNaN(y)) return sign * (isNaN(x) - isNaN(y));
    return sign * a.localeCompare(b, undefined, { numeric: true });
  }

  function sortBy(table, header, column) {
    const ascends = header.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", ascends ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => compare(textOf(a, column), textOf(b, column), ascends ? 1 : -1));
    table.tBodies[0].append(...rows);
  }

  /** Numbers to the right, and heads by which the rows are sorted. */
  function enhance(table) {
    if (!table.tHead || !table.tBodies.length || table.closest(".explorer, .pair, .documents")) return;
    const rows = [...table.tBodies[0].rows];
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const texts = rows.map((row) => textOf(row, column)).filter((text) => text !== "");
      if (texts.length && texts.every((text) => !isNaN(numberOf(text)))) {
        for (const row of [table.tHead.rows[0], ...rows]) row.cells[column]?.classList.add("number");
      }
      const button = document.createElement("button");
      button.append(...header.childNodes);
      button.title = "sort by this column";
      button.addEventListener("click", () => sortBy(table, header, column));
      header.append(button);
    });
  }

  document.querySelectorAll("section table").forEach(enhance);

  // --- figures: drawn within a shadow tree, for the ids of one figure are also those of others ----

  const unpacked = new Map(); // of a script element its text

  /** The text of a script element: base64 of what is deflated. */
  async function textIn(script) {
    if (!unpacked.has(script)) {
      const bytes = Uint8Array.from(atob(script.textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      unpacked.set(script, await new Response(stream).text());
    }
    return unpacked.get(script);
  }

  /** A figure's SVG, with the outlines of its characters, which all figures share. */
  async function svgIn(script) {
    const svg = await textIn(script);
    const shared = document.querySelector("script.glyphs");
    if (!shared) return svg;
    const glyphs = JSON.parse(await textIn(shared));
    const used = new Set([...svg.matchAll(/xlink:href="#(DejaVu[^"]+)"/g)].map(([, name]) => name));
    const outlines = [...used].map((name) => glyphs[name]).join("");
    return outlines ? svg.replace(/<svg[^>]*>/, (start) => `${start}<defs>${outlines}</defs>`) : svg;
  }

  function put(frame, drawing, height = "auto") {
    const style = document.createElement("style");
    style.textContent = `svg { display: block; width: 100%; height: ${height}; }`;
    frame.attachShadow({ mode: "open" }).append(style, drawing);
  }

  function draw(frame, svg) {
    if (frame.shadowRoot) return;
    put(frame, document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true));
  }

  /** Calls with each of some elements once, when it comes into view. */
  function inView(elements, margin, call) {
    const seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        call(target);
      }
    }, { rootMargin: margin });
    for (const element of elements) seen.observe(element);
  }

  const frames = [...document.querySelectorAll(".figure:not(.own)")];
  const drawPacked = async (frame) => draw(frame, await svgIn(frame.querySelector("script")));
  inView(frames, "800px", drawPacked);

  /** A large table, packed until now, in its place. */
  async function unfold(script) {
    const holder = script.parentElement;
    const html = await textIn(script);
    if (!script.isConnected) return;
    holder.innerHTML = html;
    holder.querySelectorAll("table").forEach(enhance);
  }

  const folded = [...document.querySelectorAll("script.html")];
  inView(folded.map((script) => script.parentElement), "800px", (holder) => holder.querySelector("script.html") && unfold(holder.querySelector("script.html")));

  const shown = document.querySelector("dialog");
  shown.addEventListener("click", () => shown.close());

  function enlarge(frame) {
    const drawing = frame.shadowRoot?.querySelector("svg");
    if (!drawing) return;
    const large = frame.cloneNode(false);
    large.removeAttribute("tabindex");
    large.style.setProperty("--ratio", frame.style.aspectRatio || "2");
    put(large, drawing.cloneNode(true));
    shown.replaceChildren(large);
    shown.setAttribute("aria-label", frame.getAttribute("aria-label"));
    shown.showModal();
  }

  for (const frame of frames) {
    frame.tabIndex = 0;
    frame.addEventListener("click", () => enlarge(frame));
    frame.addEventListener("keydown", (event) => event.key === "Enter" && enlarge(frame));
  }

  inView(document.querySelectorAll(".thumb[data-of]"), "300px", (thumb) => {
    const frame = document.getElementById(thumb.dataset.of).querySelector(".figure:not(.own)");
    drawPacked(frame).then(() => put(thumb, frame.shadowRoot.querySelector("svg").cloneNode(true), "100%"));
  });

  // --- what is saved and copied -------------------------------------------------------------------

  function save(name, data, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "text-anchor", "dominant-baseline", "opacity"];

  /** The SVG of a figure as a file: of our own with the colours that are seen, on their paper. */
  async function svgOf(frame) {
    const script = frame.querySelector(":scope > script.svg");
    if (script) return svgIn(script);
    const svg = frame.querySelector("svg");
    const copy = svg.cloneNode(true);
    const parts = [svg, ...svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((part, i) => {
      const look = getComputedStyle(parts[i]);
      for (const name of LOOKS) {
        part.removeAttribute(name);
        part.style.setProperty(name, look.getPropertyValue(name));
      }
    });
    const { width, height } = svg.getBoundingClientRect();
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.style.background = getComputedStyle(document.body).backgroundColor;
    copy.style.color = getComputedStyle(svg).color;
    return new XMLSerializer().serializeToString(copy);
  }

  async function pngOf(frame) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await svgOf(frame))}`;
    await image.decode();
    const scale = Math.max(2, 2000 / image.width);
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width * scale, height: image.height * scale });
    const context = canvas.getContext("2d");
    context.fillStyle = paperOf(frame);
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  const csvOf = (rows) => rows.map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(",")).join("\n") + "\n";

  /** The drawing of a figure, drawn if it is not yet. */
  async function drawingOf(frame) {
    if (frame.querySelector(":scope > script.svg")) await drawPacked(frame);
    return (frame.shadowRoot ?? frame).querySelector("svg");
  }

  const paperOf = (frame) => (frame.matches(".own, .chart") ? getComputedStyle(document.body).backgroundColor : "#fff");

  /** What can be done with a figure or a table, as [what it is called, what it does]. */
  function actionsOf(frame) {
    const name = frame.dataset.name;
    const answer = document.getElementById(frame.dataset.of) ?? frame.closest(".answer, .item");
    const own = frame.querySelector(":scope > script.csv");
    const [csv, latex] = ["csv", "latex"].map((kind) => answer?.querySelector(`.listed script.${kind}`));
    const caption = frame.querySelector("figcaption") ?? frame.parentElement.querySelector("figcaption") ?? answer?.querySelector(".caption");
    const method = answer?.querySelector(".method > span");
    const actions = [];
    if (!frame.matches(".listed")) {
      actions.push(["SVG", async () => save(`${name}.svg`, await svgOf(frame), "image/svg+xml")]);
      actions.push(["PNG", async () => save(`${name}.png`, await pngOf(frame))]);
      actions.push(["PDF", async () => save(`${name}.pdf`, await pdfOf(await drawingOf(frame), paperOf(frame)))]);
    }
    if (frame.csv) actions.push(["CSV of the data", () => save(`${name}.csv`, csvOf(frame.csv()), "text/csv")]);
    else if (own ?? csv) actions.push(["CSV of the data", async () => save(`${name}.csv`, await textIn(own ?? csv), "text/csv")]);
    if (latex && !own) actions.push(["LaTeX of the table", async () => save(`${name}.tex`, await textIn(latex), "text/x-tex")]);
    if (caption && !frame.matches(".listed")) actions.push(["Copy caption", () => copy(caption.textContent)]);
    if (method) actions.push(["Copy method", () => copy(`${method.textContent} Computed with regrade ${document.body.dataset.version}.`)]);
    return actions;
  }

  const copy = (text) => navigator.clipboard.writeText(text.trim().replace(/\s+/g, " "));

  function addMenu(frame) {
    const menu = document.createElement("details");
    menu.className = "save";
    menu.append(document.createElement("summary"), document.createElement("div"));
    menu.firstChild.textContent = "Save or copy";
    menu.firstChild.setAttribute("aria-label", `Save or copy ${frame.dataset.name}`);
    menu.addEventListener("toggle", () => {
      if (!menu.open) return;
      menu.lastChild.replaceChildren(...actionsOf(frame).map(([textContent, act]) => {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent });
        button.addEventListener("click", async () => {
          await act();
          menu.open = false;
          menu.firstChild.focus();
        });
        return button;
      }));
    });
    menu.addEventListener("keydown", (event) => event.key === "Escape" && (menu.open = false));
    menu.addEventListener("focusout", (event) => menu.contains(event.relatedTarget) || (menu.open = false));
    if (frame.matches("figure, .listed")) frame.append(menu);
    else frame.after(menu);
  }

  document.querySelectorAll(".figure, .listed").forEach(addMenu);
  document.addEventListener("drawn", ({ target }) => target.querySelectorAll(".chart").forEach(addMenu));

  // --- the theme, the contents ----------------------------------------------------------------------

  const theme = document.querySelector(".theme");
  const isDark = () => getComputedStyle(document.documentElement).getPropertyValue("color-scheme") === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  function setTheme(name) {
    if (name) document.documentElement.dataset.theme = name;
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", `${theme.textContent} colours`);
  }
  theme.addEventListener("click", () => {
    setTheme(isDark() ? "light" : "dark");
    localStorage.setItem("regrade-theme", document.documentElement.dataset.theme);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());
  setTheme(localStorage.getItem("regrade-theme"));
  theme.hidden = false;

  const contents = document.getElementById("contents");
  const links = new Map([...contents.querySelectorAll("a:not(.sub)")].map((link) => [link.hash.slice(1), link]));
  contents.addEventListener("click", (event) => event.target.closest("a") && contents.matches(":popover-open") && contents.hidePopover());
  const here = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) for (const [id, link] of links) link.toggleAttribute("aria-current", id === target.id);
    }
  }, { rootMargin: "-20% 0px -75%" });
  for (const id of links.keys()) here.observe(document.getElementById(id));

  // what is printed is drawn without waiting: its text is there before it is asked for
  const ready = new Map();
  (window.requestIdleCallback ?? setTimeout)(async () => {
    for (const script of folded) await unfold(script);
    for (const frame of frames) ready.set(frame, await svgIn(frame.querySelector("script")));
  });
  window.addEventListener("beforeprint", () => {
    for (const [frame, svg] of ready) draw(frame, svg);
  });
}

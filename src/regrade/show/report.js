// The report's page: tables that sort, figures that enlarge, folded parts that open when needed.
"use strict";

{
  const numberOf = (text) => {
    const plain = text.trim().replace(/,(?=\d{3}\b)/g, "").replace("−", "-").replace(/[%*]$/, "");
    return plain === "" ? NaN : Number(plain);
  };
  const textOf = (row, column) => row.cells[column]?.textContent.trim() ?? "";

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
    const sign = ascends ? 1 : -1;
    rows.sort((a, b) => compare(textOf(a, column), textOf(b, column), sign));
    table.tBodies[0].append(...rows);
  }

  for (const table of document.querySelectorAll("section table")) {
    if (!table.tHead || table.closest(".explorer")) continue;
    const rows = [...table.tBodies[0].rows];
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const texts = rows.map((row) => textOf(row, column)).filter((text) => text !== "");
      if (texts.length && texts.every((text) => !isNaN(numberOf(text)))) {
        for (const row of [table.tHead.rows[0], ...rows]) {
          row.cells[column]?.classList.add("number");
        }
      }
      const button = document.createElement("button");
      button.append(...header.childNodes);
      button.title = "sort by this column";
      button.addEventListener("click", () => sortBy(table, header, column));
      header.append(button);
    });
  }

  // --- figures: packed in the page, drawn when they come into view -----------------------------

  const texts = new Map(); // of a figure's frame the SVG

  /** The SVG of a frame: base64 of deflated text. */
  async function textOfFigure(frame) {
    if (!texts.has(frame)) {
      const packed = atob(frame.querySelector("script").textContent);
      const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      texts.set(frame, await new Response(stream).text());
    }
    return texts.get(frame);
  }

  /** Within a shadow tree, for the ids of one figure are also those of others. */
  function put(frame, drawing) {
    const style = document.createElement("style");
    style.textContent = "svg { display: block; width: 100%; height: auto; }";
    frame.attachShadow({ mode: "open" }).append(style, drawing);
  }

  function draw(frame, svg) {
    if (frame.shadowRoot) return;
    put(frame, document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true));
  }

  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        textOfFigure(target).then((svg) => draw(target, svg));
      }
    },
    { rootMargin: "800px" },
  );

  const shown = document.createElement("dialog");
  shown.addEventListener("click", () => shown.close());
  document.body.append(shown);

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

  async function download(frame) {
    const drawing = frame.shadowRoot?.querySelector("svg");
    const svg = frame.querySelector("script") ? await textOfFigure(frame) : new XMLSerializer().serializeToString(drawing);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    link.download = `${frame.dataset.name}.svg`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  for (const frame of document.querySelectorAll(".figure")) {
    if (!frame.shadowRoot) seen.observe(frame);
    frame.tabIndex = 0;
    frame.addEventListener("click", () => enlarge(frame));
    frame.addEventListener("keydown", (event) => event.key === "Enter" && enlarge(frame));
    const link = document.createElement("button");
    Object.assign(link, { type: "button", className: "tools", textContent: "download" });
    link.addEventListener("click", () => download(frame));
    frame.after(link);
  }

  // what is printed is drawn without waiting: its text is there before it is asked for
  (window.requestIdleCallback ?? setTimeout)(async () => {
    for (const frame of document.querySelectorAll(".figure:has(> script)")) await textOfFigure(frame);
  });

  /** What the address names is unfolded, with everything around it. */
  function unfold() {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let part = named?.querySelector(":scope > details.group") ?? named?.closest("details");
    if (!part) return;
    for (; part; part = part.parentElement.closest("details")) part.open = true;
    named.scrollIntoView();
  }
  window.addEventListener("hashchange", unfold);
  unfold();

  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.group:not([open]), details.answer:not([open])")];
    for (const part of folded) part.open = true;
    for (const [frame, svg] of texts) draw(frame, svg);
  });
  window.addEventListener("afterprint", () => folded.forEach((part) => (part.open = false)));
}

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

  const shown = document.createElement("dialog");
  shown.setAttribute("aria-label", "figure");
  shown.addEventListener("click", () => shown.close());
  document.body.append(shown);
  for (const image of document.querySelectorAll("img.figure")) {
    image.tabIndex = 0;
    const enlarge = () => {
      shown.replaceChildren(image.cloneNode());
      shown.showModal();
    };
    image.addEventListener("click", enlarge);
    image.addEventListener("keydown", (event) => event.key === "Enter" && enlarge());
    const link = document.createElement("a");
    Object.assign(link, { href: image.src, download: `${image.alt}.svg`, className: "tools" });
    link.textContent = "download";
    image.after(link);
  }

  /** What the address names is unfolded, with everything around it. */
  function unfold() {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let part = named?.closest("details");
    if (!part) return;
    for (; part; part = part.parentElement.closest("details")) part.open = true;
    named.scrollIntoView();
  }
  window.addEventListener("hashchange", unfold);
  unfold();

  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.group:not([open])")];
    for (const part of folded) part.open = true;
  });
  window.addEventListener("afterprint", () => folded.forEach((part) => (part.open = false)));
}

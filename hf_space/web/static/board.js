// Tables that are sorted and searched in the browser, and forms that are sent when something is chosen.
// Without this script tables have their first order, and such forms a button.
"use strict";
{
  const collator = new Intl.Collator(undefined, { numeric: true });

  /** Return the value of a cell by which its column is sorted. */
  const valueOf = (row, column, kind) => {
    const text = row.cells[column].textContent.trim();
    if (kind !== "number") return text;
    const number = parseFloat(text);
    return Number.isNaN(number) ? -Infinity : number;
  };

  function sortBy(table, heading) {
    const column = heading.cellIndex;
    const kind = heading.dataset.sort;
    const descends = heading.getAttribute("aria-sort") === "ascending";
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descends ? "descending" : "ascending");
    const way = descends ? -1 : 1;
    const body = table.tBodies[0];
    const compare = (one, other) => (kind === "number" ? one - other : collator.compare(one, other));
    const rows = [...body.rows].map((row) => [valueOf(row, column, kind), row]);
    rows.sort(([one], [other]) => way * compare(one, other) || 0);
    body.append(...rows.map(([, row]) => row));
  }

  function addSearch(table, box) {
    const field = document.createElement("input");
    const label = document.createElement("label");
    const found = document.createElement("span");
    const line = document.createElement("p");
    field.type = "search";
    field.id = "find";
    label.htmlFor = "find";
    label.textContent = "Find";
    found.setAttribute("role", "status");
    found.className = "soft";
    line.className = "inline find";
    line.append(label, field, found);
    box.after(line);
    field.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
    field.addEventListener("input", () => {
      const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) {
        const text = row.textContent.toLocaleLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      found.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
    });
  }

  for (const heading of document.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(heading.closest("table"), heading));
  }
  const first = document.querySelector("th[data-sort]");
  if (first) addSearch(first.closest("table"), first.closest(".scroll"));

  for (const form of document.querySelectorAll("form[data-auto]")) {
    form.querySelector("button").hidden = true;
    form.addEventListener("change", () => form.requestSubmit());
  }

  // Two systems are compared; a third tick takes the first one away.
  const ticked = [];
  document.getElementById("systems")?.addEventListener("change", (event) => {
    const box = event.target;
    const at = ticked.indexOf(box);
    if (at >= 0) ticked.splice(at, 1);
    if (box.checked) ticked.push(box);
    if (ticked.length > 2) ticked.shift().checked = false;
  });
}

// The table of systems: the code that `gr.HTML` runs with `element`, `props`, `trigger` and `watch`.
// Names come from strangers, so every text is set as text.
const state = { filter: "", column: -1, descending: false, chosen: "" };
const collator = new Intl.Collator(undefined, { numeric: true });

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** How many digits stand after the point. */
const digits = (value) => (typeof value === "number" ? (String(value).split(".")[1] || "").length : 0);

/** A number with spaces as wide as digits after it, so that the points of a column stand below each other. */
function shown(value, most) {
  if (value === null || value === undefined) return "—";
  if (typeof value !== "number" || !most) return String(value);
  return Number.isInteger(value) ? value.toFixed(most) : String(value) + "\u2007".repeat(most - digits(value));
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (one === null || other === null) return (one === null) - (other === null);
  return collator.compare(String(one), String(other));
}

function sorted(rows) {
  if (state.column < 0) return rows;
  const way = state.descending ? -1 : 1;
  return [...rows].sort((one, other) => way * compare(one[state.column], other[state.column]));
}

function choose(row, id, name) {
  state.chosen = id;
  for (const line of element.querySelectorAll("tbody tr")) {
    line.toggleAttribute("aria-current", false);
    if (line.dataset.id === id) line.setAttribute("aria-current", "true");
  }
  trigger("select", { index: [0, 0], value: name, row_value: row, selected: true });
}

function head(headers, visible, kinds) {
  const cells = visible.map((column) => {
    const button = make("button", { type: "button" }, headers[column]);
    button.addEventListener("click", () => {
      state.descending = state.column === column && !state.descending;
      state.column = column;
      draw();
      element.querySelector(`th[data-column="${column}"] button`).focus();
    });
    const cell = make("th", { scope: "col", "data-column": column, class: kinds[column] }, button);
    if (state.column === column) {
      cell.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    }
    return cell;
  });
  return make("thead", {}, make("tr", {}, ...cells));
}

function body(value, visible, kinds, rows) {
  const { headers } = value;
  const name = headers.indexOf("system");
  const id = headers.indexOf("id");
  const most = headers.map((_, column) => Math.max(0, ...value.data.map((row) => digits(row[column]))));
  const lines = rows.map((row) => {
    const cells = visible.map((column) => {
      if (column !== name) {
        return make("td", { class: kinds[column], dir: "auto" }, shown(row[column], most[column]));
      }
      const link = make("a", { href: `?system=${encodeURIComponent(row[id])}`, dir: "auto" }, String(row[name]));
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        choose(row, row[id], row[name]);
      });
      return make("th", { scope: "row" }, link);
    });
    const line = make("tr", { "data-id": row[id] }, ...cells);
    if (row[id] === state.chosen) line.setAttribute("aria-current", "true");
    line.addEventListener("click", (event) => {
      if (!event.target.closest("a")) choose(row, row[id], row[name]);
    });
    return line;
  });
  return make("tbody", {}, ...lines);
}

/** Writes the table anew; the field for searching is kept, so that the cursor stays in it. */
function draw() {
  const value = props.value;
  if (!value || !value.data) return;
  if (!element.querySelector("table")) {
    const field = make("input", { type: "search", id: "board-find", autocomplete: "off" });
    field.addEventListener("input", () => {
      state.filter = field.value;
      draw();
    });
    const find = make("label", { for: "board-find" }, "Find");
    element.replaceChildren(
      make("div", { class: "siou-find" }, find, field, make("span", { role: "status" })),
      make("div", { class: "siou-scroll", tabindex: "0", role: "region", "aria-label": "Systems" }, make("table")),
    );
  }
  const words = state.filter.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = value.data.filter((row) => {
    const text = row.join(" ").toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
  const n = value.data.length;
  const total = `${n} ${n === 1 ? "system" : "systems"}`;
  element.querySelector("[role=status]").textContent = found.length < n ? `${found.length} of ${total}` : total;
  const visible = value.headers.map((_, column) => column).filter((column) => value.headers[column] !== "id");
  const kinds = value.headers.map((_, column) => {
    const number = value.data.every((row) => row[column] === null || typeof row[column] === "number");
    return number ? "number" : "text";
  });
  element
    .querySelector("table")
    .replaceChildren(head(value.headers, visible, kinds), body(value, visible, kinds, sorted(found)));
  element.toggleAttribute("data-empty", n === 0);
}

watch("value", draw);
draw();

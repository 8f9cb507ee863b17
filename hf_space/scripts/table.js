// A table that is sorted and searched in the browser: the code that `gr.HTML` runs with `element`, `props`, `trigger`
// and `watch`. Its value has `headers`, `data`, a `noun` for its rows and perhaps a `title`. Where there is a column `id`, which is not
// shown, the names in the column `system` are links, and choosing a row triggers `select`.
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

/** What is shown of a table: its columns but the id, which of them names a row, and how each is written. */
function layOut({ headers, data }) {
  const id = headers.indexOf("id");
  const columns = headers.map((header, column) => ({
    header,
    column,
    number: data.every((row) => row[column] === null || typeof row[column] === "number"),
    most: Math.max(0, ...data.map((row) => digits(row[column]))),
  }));
  return { id, name: Math.max(0, headers.indexOf("system")), visible: columns.filter(({ column }) => column !== id) };
}

function choose(row, id, name) {
  state.chosen = row[id];
  for (const line of element.querySelectorAll("tbody tr")) {
    if (line.dataset.id === state.chosen) line.setAttribute("aria-current", "true");
    else line.removeAttribute("aria-current");
  }
  trigger("select", { index: [0, 0], value: row[name], row_value: row, selected: true });
}

function sortBy(column) {
  state.descending = state.column === column && !state.descending;
  state.column = column;
  draw();
  element.querySelector(`th[data-column="${column}"] button`).focus();
}

function head({ name, visible }) {
  const cells = visible.map(({ header, column, number }) => {
    const button = make("button", { type: "button" }, header.trim());
    button.addEventListener("click", () => sortBy(column));
    const kinds = [number ? "number" : "text", ...(column === name ? ["name"] : [])].join(" ");
    const cell = make("th", { scope: "col", class: kinds, "data-column": column }, button);
    if (state.column === column) cell.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    return cell;
  });
  return make("thead", {}, make("tr", {}, ...cells));
}

/** The name of a row: a link where it can be chosen. */
function nameOf(row, id, name) {
  if (id < 0) return make("span", { dir: "auto" }, String(row[name]) || "—");
  const link = make("a", { href: `?system=${encodeURIComponent(row[id])}`, dir: "auto" }, String(row[name]));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    choose(row, id, name);
  });
  return link;
}

function body({ id, name, visible }, rows) {
  const lines = rows.map((row) => {
    const cells = visible.map(({ column, number, most }) =>
      column === name
        ? make("th", { scope: "row" }, nameOf(row, id, name))
        : make("td", { class: number ? "number" : "text", dir: "auto" }, shown(row[column], most)),
    );
    const line = make("tr", id < 0 ? {} : { "data-id": row[id] }, ...cells);
    if (id >= 0) {
      if (row[id] === state.chosen) line.setAttribute("aria-current", "true");
      line.addEventListener("click", (event) => event.target.closest("a") || choose(row, id, name));
    }
    return line;
  });
  return make("tbody", {}, ...lines);
}

/** The parts around the table, which stay when it is written anew, so that the cursor does, too. */
function frame(noun, title) {
  const field = make("input", { type: "search", id: `find-${noun}`, autocomplete: "off" });
  field.addEventListener("input", () => {
    state.filter = field.value;
    draw();
  });
  const find = make("label", { for: field.id }, `Find a ${noun}`);
  element.replaceChildren(
    ...(title ? [make("h3", {}, title)] : []),
    make("div", { class: "siou-find" }, find, field, make("span", { role: "status" })),
    make("div", { class: "siou-scroll", tabindex: "0", role: "region", "aria-label": `All ${noun}s` }, make("table")),
  );
}

function draw() {
  const value = props.value;
  if (!value || !value.data) return;
  const { data, noun, title } = value;
  if (!element.querySelector("table")) frame(noun, title);
  const words = state.filter.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = data.filter((row) => {
    const text = row.join(" ").toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
  const total = `${data.length} ${noun}${data.length === 1 ? "" : "s"}`;
  element.querySelector("[role=status]").textContent =
    found.length < data.length ? `${found.length} of ${total}` : total;
  const layout = layOut(value);
  element.querySelector("table").replaceChildren(head(layout), body(layout, sorted(found)));
  element.toggleAttribute("data-empty", data.length === 0);
}

watch("value", draw);
draw();

// Runs the package in the page with Pyodide, and shows the comparison of two trees.
const MAX_CELLS = 1e7; // of the tables of a pair; more would take a minute without compiled code
const form = document.getElementById("form");
const button = document.getElementById("compare");
const state = document.getElementById("state");
const result = document.getElementById("result");
let python, compareTexts;

async function load() {
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  python = await loadPyodide();
  const answer = await fetch("structiou_metric.zip");
  if (!answer.ok) throw new Error(`structiou_metric.zip: status ${answer.status}`);
  python.unpackArchive(await answer.arrayBuffer(), "zip");
  compareTexts = python.pyimport("structiou_metric.report.pair").compare_texts;
  state.textContent = "";
  button.disabled = false;
}

/** Return the form's texts and options. */
function entered() {
  const options = {};
  for (const field of form.querySelectorAll("[data-option]")) options[field.name] = field.value;
  return { reference: form.reference.value, prediction: form.prediction.value, options };
}

/** Put texts and options into the form. Options that are not named get their defaults. */
function enter({ reference, prediction, options }) {
  form.reset();
  form.reference.value = reference;
  form.prediction.value = prediction;
  for (const field of form.querySelectorAll("[data-option]")) {
    if (field.name in options) field.value = options[field.name];
  }
}

function compare() {
  if (!compareTexts) return;
  const { reference, prediction, options } = entered();
  const values = python.toPy(options);
  result.innerHTML = compareTexts.callKwargs(reference, prediction, values, { max_cells: MAX_CELLS });
  history.replaceState(null, "", `#${encodeURIComponent(JSON.stringify(entered()))}`);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  compare();
});
for (const example of form.querySelectorAll("[data-reference]")) {
  example.addEventListener("click", () => {
    const { reference, prediction, unit } = example.dataset;
    enter({ reference, prediction, options: { unit } });
    compare();
  });
}
try {
  enter(JSON.parse(decodeURIComponent(location.hash.slice(1))));
} catch {
  form.querySelector("[data-reference]").click(); // no link to a comparison: begin with the first example
}
load().then(compare, (error) => {
  state.textContent = `The playground cannot be loaded: ${error.message}. It needs a server (python -m http.server) and a build with npm.`;
});

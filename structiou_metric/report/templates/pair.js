// What report/pair.py writes: drawings that zoom, keep their labels in view, and show what the buttons choose.
// It works on any part of the page that appears later, too.
"use strict";
(() => {
  const STEP = 1.25;
  const SMALLEST = 0.05;
  const LARGEST = 4;
  const outlines = new WeakMap(); // by bar, its label, where it begins and how wide it is

  const picture = (view) => view.querySelector("[data-drawing]:not([hidden]) svg");

  /** Draw a view at the size that its buttons say. */
  function resize(view) {
    const box = view.querySelector(".siou-drawing");
    const svg = picture(view);
    if (!svg || !box.clientWidth) return;
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const fitting = Math.min(1, (box.clientWidth - 2) / width);
    const zoom = view.dataset.zoom === "fit" ? fitting : Number(view.dataset.zoom || 1);
    const side = box.dir === "rtl" ? -1 : 1;
    const middle = (side * box.scrollLeft + box.clientWidth / 2) / box.scrollWidth;
    const before = svg.style.width;
    svg.style.width = `${width * zoom}px`;
    svg.style.height = `${height * zoom}px`;
    if (before && before !== svg.style.width) {
      box.scrollLeft = side * (middle * box.scrollWidth - box.clientWidth / 2);
    }
    view.dataset.scale = String(zoom);
    const shown = view.querySelector("[data-percent]");
    const percent = `${Math.round(100 * zoom)} %`;
    if (shown && shown.textContent !== percent) shown.textContent = percent;
    placeLabels(box, svg);
  }

  /** Move the labels of bars that are partly out of view into the part that is seen. */
  function placeLabels(box, svg) {
    const frame = svg.getBoundingClientRect();
    const view = box.getBoundingClientRect();
    const scale = frame.width / Number(svg.getAttribute("viewBox").split(" ")[2]);
    if (!scale) return;
    const first = (view.left - frame.left) / scale;
    const last = first + box.clientWidth / scale;
    for (const bar of svg.querySelectorAll("g[data-tree]")) {
      const text = bar.querySelector(":scope > text");
      let outline = outlines.get(bar);
      if (!outline || outline.of !== text.textContent) { // some frameworks put new text into old elements
        const { x, width } = text.previousElementSibling.getBBox();
        outline = { of: text.textContent, x, width };
        outlines.set(bar, outline);
      }
      const end = outline.x + outline.width;
      const cut = (outline.x < first && first < end) || (outline.x < last && last < end);
      if (!cut) {
        text.removeAttribute("transform");
        continue;
      }
      const half = text.getBBox().width / 2 + 4;
      const seen = (Math.max(outline.x, first) + Math.min(end, last)) / 2;
      const place = Math.max(outline.x + half, Math.min(end - half, seen));
      text.setAttribute("transform", `translate(${place - (outline.x + end) / 2} 0)`);
    }
  }

  /** Show the drawing that the pressed buttons of a view choose. */
  function choose(view) {
    const pressed = [...view.querySelectorAll("[data-choose][aria-pressed=true]")].map(
      (button) => button.dataset.choose,
    );
    for (const drawing of view.querySelectorAll("[data-drawing]")) {
      const names = drawing.dataset.drawing.split(" ").filter((name) => name !== "all");
      drawing.hidden = names.length !== pressed.length || !names.every((name) => pressed.includes(name));
    }
  }

  function press(view, button) {
    const { zoom, choose: choice } = button.dataset;
    if (choice) {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      choose(view);
    } else if (zoom === "fit" || zoom === "1") {
      view.dataset.zoom = zoom;
    } else {
      const factor = zoom === "in" ? STEP : 1 / STEP;
      const now = Number(view.dataset.scale || 1);
      view.dataset.zoom = String(Math.max(SMALLEST, Math.min(LARGEST, now * factor)));
    }
    resize(view);
  }

  const sizes = new ResizeObserver((entries) =>
    entries.forEach(({ target }) => {
      const view = target.closest(".siou-view");
      if (view) resize(view);
    }),
  );

  let waiting = false;
  function observe() {
    waiting = false;
    for (const box of document.querySelectorAll(".siou-view .siou-drawing")) {
      sizes.observe(box);
      resize(box.closest(".siou-view"));
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".siou-tools button");
    if (button) press(button.closest(".siou-view"), button);
  });

  document.addEventListener(
    "scroll",
    (event) => {
      const view = event.target.closest?.(".siou-view");
      if (view && picture(view)) requestAnimationFrame(() => placeLabels(event.target, picture(view)));
    },
    true,
  );

  const start = () => {
    new MutationObserver(() => {
      if (!waiting) requestAnimationFrame(observe);
      waiting = true;
    }).observe(document.body, { childList: true, subtree: true });
    observe();
  };
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
})();

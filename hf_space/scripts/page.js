// What pages do by themselves, whatever Gradio puts into them and when: links between pages, drawings that
// zoom and keep their labels in view, results that are read aloud. Nothing here reads or writes HTML.
"use strict";
(() => {
  const STEP = 1.25;
  const SMALLEST = 0.05;
  const LARGEST = 4;
  const outlines = new WeakMap(); // by bar, where it begins and how wide it is
  const said = new WeakMap(); // by element, what was read aloud last

  // ---- pages ----------------------------------------------------------------------------------

  /** Opens a page by its name; returns whether there is one. */
  function openPage(name) {
    const tab = document.getElementById(`page-${name}-button`);
    if (!tab) return false;
    tab.click();
    tab.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    return true;
  }

  /** Brings a part of the page into view and moves the keyboard's focus to its heading. */
  function reveal(id) {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const part = document.getElementById(id);
        const target = part && (part.querySelector("h2, h3, [role=alert]") || part);
        if (!target || !target.textContent.trim()) return;
        target.setAttribute("tabindex", "-1");
        target.focus({ preventScroll: true });
        part.scrollIntoView({ block: "start" });
      }),
    );
  }

  // ---- drawings -------------------------------------------------------------------------------

  const picture = (view) => view.querySelector("[data-drawing]:not([hidden]) svg");

  /** Draws a view at the size that its buttons say. */
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

  /** Moves the labels of bars that are partly out of view into the part that is seen. */
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
      if (!outline || outline.of !== text.textContent) {
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

  /** Shows the drawing that the pressed buttons of a view ask for. */
  function choose(view) {
    const pressed = [...view.querySelectorAll("[data-choose][aria-pressed=true]")].map(
      (button) => button.dataset.choose,
    );
    for (const drawing of view.querySelectorAll("[data-drawing]")) {
      const wanted = drawing.dataset.drawing.split(" ").filter((word) => word !== "all");
      drawing.hidden = wanted.length !== pressed.length || !wanted.every((word) => pressed.includes(word));
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

  // ---- what Gradio leaves to be said ----------------------------------------------------------

  const live = document.createElement("div");
  live.id = "siou-live";
  live.className = "siou-hidden";
  live.setAttribute("aria-live", "polite");

  /** Has new results read aloud: what an element says of itself, or all of its text. */
  function say() {
    for (const part of document.querySelectorAll("[data-say]")) {
      const text = part.dataset.say || part.textContent;
      if (said.get(part) === text) continue;
      said.set(part, text);
      live.textContent = text;
    }
  }

  /** The name of a box for files is what is seen in it, after its label. */
  function nameUploads() {
    for (const button of document.querySelectorAll("button.upload-container, button[aria-dropeffect]")) {
      const label = button.closest(".block")?.querySelector("label")?.textContent.trim();
      const seen = button.textContent.replace(/\s+/g, " ").trim();
      const name = label && seen ? `${label}: ${seen}` : label || seen;
      if (name && button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name);
    }
  }

  // ---- events ---------------------------------------------------------------------------------

  const sizes = new ResizeObserver((entries) =>
    entries.forEach(({ target }) => {
      const view = target.closest(".siou-view");
      if (view) resize(view);
    }),
  );

  let waiting = false;
  function look() {
    waiting = false;
    if (!live.isConnected) document.body.append(live);
    for (const box of document.querySelectorAll(".siou-view .siou-drawing")) {
      sizes.observe(box);
      resize(box.closest(".siou-view"));
    }
    nameUploads();
    say();
  }

  function lookSoon() {
    if (!waiting) requestAnimationFrame(look);
    waiting = true;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-page]");
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (link && plain && openPage(link.dataset.page)) event.preventDefault();
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

  window.structiou = { openPage, reveal };
  const start = () => {
    new MutationObserver(lookSoon).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
      attributeFilter: ["data-say", "viewBox"],
    });
    lookSoon();
  };
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
})();

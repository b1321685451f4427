// A network as it is wired: every unit shows what it draws, every link can be taken hold of.

import { arrows, h, number, square, svg } from "./dom.js";

// The drawing's own units: side of a unit, and how far columns and rows stand apart.
const [SIDE, ROW] = [40, 56];
const COLUMN = { few: 92, many: 68 };
// More links than this are not drawn one by one: the weakest are left out.
const MOST_DRAWN = 1600;

/** What a unit is called. */
export function unitName(network, u) {
  if (u < 4) return { bias: "1" }[network.inputs[u]] ?? network.inputs[u];
  const output = network.outputs.indexOf(u);
  if (output < 0) return `u${u}`;
  return network.outputs.filter((o) => o !== null).length === 1 ? "ink" : ["hue", "saturation", "brightness"][output];
}

/** A link in words: `y → u5`. */
export function linkName(network, i) {
  return `${unitName(network, network.links[i].source)} → ${unitName(network, network.links[i].target)}`;
}

/** What a unit computes. */
export function formula(network, easel, u) {
  if (u < 4) return { x: "x, across", y: "y, downwards", d: "d, distance from the middle" }[network.inputs[u]] ?? "1, everywhere";
  const terms = easel.into[u].filter((i) => easel.weight(i) !== 0).map((i) => {
    const source = unitName(network, network.links[i].source);
    return `${number(easel.weight(i))}${source === "1" ? "" : `·${source}`}`;
  });
  const shown = terms.length > 12 ? [...terms.slice(0, 12), `… ${terms.length - 12} more`] : terms;
  const sum = shown.join(" + ").replaceAll("+ −", "− ") || "0";
  const { activation } = network.units[u];
  return ["identity", "cache"].includes(activation) ? sum : `${activation}(${sum})`;
}

/** Where the drawing puts each unit: {width, height, shown, at(u) → [x, y]}. */
function places(network) {
  const touched = new Set(network.links.filter((l) => l.weight !== 0).flatMap((l) => [l.source, l.target]));
  const shown = network.units.map((_, u) => u).filter((u) => touched.has(u) || network.outputs.includes(u));
  const columns = new Map();
  for (const u of shown) columns.set(network.units[u].layer, [...(columns.get(network.units[u].layer) ?? []), network.units[u].y]);
  // The two that stand closest in a column stand a row apart.
  let closest = 1;
  for (const heights of columns.values()) {
    heights.sort((a, b) => a - b).forEach((y, i) => (closest = i ? Math.min(closest, Math.max(y - heights[i - 1], 0.002)) : closest));
  }
  const rows = Math.max(...[...columns.values()].map((heights) => heights.length));
  const steps = Math.max(columns.size - 1, 1);
  const [wide, high] = [steps * (steps > 9 ? COLUMN.many : COLUMN.few), ROW * Math.min(1 / closest, 1.6 * rows)];
  const at = (u) => [SIDE + wide * network.units[u].x, SIDE + high * network.units[u].y];
  return { width: wide + 2 * SIDE, height: high + 2 * SIDE, shown, at };
}

/**
 * Draws the wiring. `link(i)` and `unit(u)` are told what was taken, `hover(text)` what is pointed
 * at. Returns {element, squares, mark(link), refresh(link)}: `squares` are the maps to draw.
 */
export function wiringOf(network, easel, { link, hover, mapSide = 64 }) {
  const { width, height, shown, at } = places(network);
  const strongest = Math.max(...network.links.map((l) => Math.abs(l.weight)), 1e-9);
  const drawn = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0)
    .sort((a, b) => Math.abs(network.links[b].weight) - Math.abs(network.links[a].weight)).slice(0, MOST_DRAWN);
  const paths = new Map();
  const words = (i) => `${linkName(network, i)}, weight ${number(easel.weight(i))}`;
  const look = (i) => {
    const [line, weight] = [paths.get(i).lastChild, easel.weight(i)];
    const strength = Math.sqrt(Math.min(1, Math.abs(weight) / strongest));
    line.setAttribute("class", weight < 0 ? "line negative" : "line positive");
    line.setAttribute("stroke-width", (0.6 + 3 * strength).toFixed(2));
    line.setAttribute("opacity", (0.25 + 0.6 * strength).toFixed(2));
    paths.get(i).setAttribute("aria-label", words(i));
  };
  // Weak links first: strong ones lie over them. In the order of keys they go from strong to weak.
  for (const i of drawn) {
    const [[x0, y0], [x1, y1]] = [at(network.links[i].source), at(network.links[i].target)];
    const bend = Math.max(30, (x1 - x0) / 2);
    const d = `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`;
    paths.set(i, svg("g", { class: "link", role: "button", tabindex: -1, "data-link": i }, svg("path", { class: "hit", d }), svg("path", { d })));
    look(i);
  }
  const lines = svg("svg", { class: "links", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${drawn.length} links, strongest first` },
    [...paths.values()].reverse());
  const squares = [];
  const units = shown.map((u) => {
    const canvas = square(mapSide, { "aria-hidden": "true" });
    squares.push({ canvas, unit: u });
    const [x, y] = at(u);
    const element = h("button", { type: "button", class: network.units[u].seen === false ? "unit unseen" : "unit", "data-unit": u,
      "aria-label": `${unitName(network, u)}: ${network.units[u].activation}, ${easel.into[u].length} links in` },
      canvas, h("span", { "aria-hidden": "true" }, unitName(network, u)));
    for (const [name, value] of [["left", x / width], ["top", y / height], ["width", SIDE / width]]) {
      element.style.setProperty(name, `${(100 * value).toFixed(3)}%`);
    }
    return element;
  });
  const drawing = h("div", { class: "drawing" }, lines, h("div", { class: "units", role: "group", "aria-label": "Units, from inputs to picture" }, units));
  drawing.style.setProperty("aspect-ratio", `${width} / ${height}`);
  drawing.style.setProperty("--least", `${Math.round(width * 0.62)}px`);
  drawing.style.setProperty("--most", `${Math.round(width * 1.7)}px`);
  arrows(drawing.lastChild, units);
  arrows(lines, [...paths.values()]);

  const told = (event) => {
    const [u, i] = [event.target.closest("[data-unit]")?.dataset.unit, event.target.closest("[data-link]")?.dataset.link];
    if (u !== undefined) hover(unitName(network, u), formula(network, easel, Number(u)), `${network.units[u].activation}, layer ${network.units[u].layer}, fan-in ${easel.into[u].length}`);
    else if (i !== undefined) hover(linkName(network, Number(i)), `weight ${number(easel.weight(Number(i)), 4)}`, `link ${i}`);
  };
  drawing.addEventListener("pointerover", told);
  drawing.addEventListener("focusin", told);
  lines.addEventListener("click", (event) => {
    const taken = event.target.closest("[data-link]");
    if (taken) link(Number(taken.dataset.link));
  });
  lines.addEventListener("keydown", (event) => {
    const taken = event.target.closest("[data-link]");
    if (taken && ["Enter", " "].includes(event.key)) {
      event.preventDefault();
      link(Number(taken.dataset.link));
    }
  });
  drawing.addEventListener("click", (event) => {
    const u = event.target.closest("[data-unit]")?.dataset.unit;
    const into = u === undefined ? [] : easel.into[u].filter((i) => network.links[i].weight !== 0);
    // A unit's strongest link is taken hold of.
    if (into.length) link(into.reduce((a, b) => (Math.abs(network.links[b].weight) > Math.abs(network.links[a].weight) ? b : a)));
  });
  return {
    element: h("div", { class: "wiring", role: "region", "aria-label": "Wiring", tabindex: 0 }, drawing),
    squares,
    mark(i) {
      lines.querySelector(".taken")?.classList.remove("taken");
      const path = paths.get(i);
      if (!path) return;
      const focused = path === document.activeElement;
      path.classList.add("taken");
      // Over the others; what is moved in a document loses the focus.
      lines.append(path);
      if (focused) path.focus();
    },
    refresh: (i) => paths.has(i) && look(i),
  };
}

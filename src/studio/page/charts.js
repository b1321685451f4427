// Small charts in SVG: a loss that falls, a score with its interval, networks by depth and links.

import { number, svg } from "./dom.js";
import { meaning } from "./words.js";

const [WIDE, HIGH, LEFT, BOTTOM] = [560, 220, 52, 28];
// A map of networks is smaller: there is one for each picture.
const [MAP_WIDE, MAP_HIGH] = [380, 250];

/** The loss over the steps, on a scale of powers of ten. `curve`: [step, loss]; `steps`: where the axis ends. */
export function lossCurve(curve, steps) {
  const points = curve.filter(([, loss]) => loss > 0);
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": "Loss over training steps" });
  if (!points.length) return picture;
  const losses = points.map(([, loss]) => Math.log10(loss));
  const [low, high] = [Math.floor(Math.min(...losses)), Math.max(Math.ceil(Math.max(...losses)), Math.floor(Math.min(...losses)) + 1)];
  const end = Math.max(steps ?? 0, points.at(-1)[0], 1);
  const x = (step) => LEFT + ((WIDE - LEFT - 8) * step) / end;
  const y = (power) => 8 + ((HIGH - BOTTOM - 8) * (high - power)) / (high - low);
  for (let power = low; power <= high; power++) {
    picture.append(
      svg("line", { class: "grid", x1: LEFT, x2: WIDE - 8, y1: y(power), y2: y(power) }),
      svg("text", { x: LEFT - 8, y: y(power) + 4, "text-anchor": "end" }, power < -3 ? `1e${power}`.replace("-", "−") : String(10 ** power)));
  }
  for (const step of [0, end / 2, end]) {
    picture.append(svg("text", { x: x(step), y: HIGH - 8, "text-anchor": step === end ? "end" : step ? "middle" : "start" }, String(Math.round(step))));
  }
  const line = points.map(([step], i) => `${i ? "L" : "M"}${x(step).toFixed(1)} ${y(losses[i]).toFixed(1)}`).join("");
  picture.append(svg("path", { class: "curve", d: line }), svg("circle", { class: "head", cx: x(points.at(-1)[0]), cy: y(losses.at(-1)), r: 3.5 }));
  return picture;
}

/** A score from 0 to 1 on its interval. */
export function scoreBar({ score, low, high }) {
  const x = (value) => 16 + 168 * value;
  return svg("svg", { class: "scorebar", viewBox: "0 0 200 16", role: "img", "aria-label": `Score ${number(score)}, interval ${number(low)} to ${number(high)}` },
    svg("title", null, `${meaning("score")} ${meaning("interval")}`),
    svg("text", { x: 2, y: 12 }, "0"), svg("text", { x: 198, y: 12, "text-anchor": "end" }, "1"),
    svg("line", { class: "grid", x1: x(0), x2: x(1), y1: 8, y2: 8 }),
    svg("line", { class: "span", x1: x(low), x2: x(high), y1: 8, y2: 8 }),
    svg("circle", { class: "head", cx: x(score), cy: 8, r: 4.5 }));
}

// Damaged, unclear, clean: the colours of verdicts.
const SCALE = [[213, 60, 0], [240, 214, 40], [0, 158, 115]];

function scoreColour(score) {
  const at = 2 * Math.min(1, Math.max(0, score));
  const [a, b] = [SCALE[Math.floor(at)], SCALE[Math.min(2, Math.floor(at) + 1)]];
  return `rgb(${a.map((v, k) => Math.round(v + (at % 1) * (b[k] - v))).join(" ")})`;
}

/**
 * Networks of each picture by depth (across) and links kept (upwards, on a log scale), coloured by score: [picture, chart].
 * `to(row)`: where a point leads. Empty where there is but one depth.
 */
export function depthMaps(rows, to) {
  const placed = rows.filter((row) => row.depth && row.kept);
  const [depths, kept] = ["depth", "kept"].map((key) => [...new Set(placed.map((row) => row[key]))].sort((a, b) => a - b));
  if (depths.length < 2) return [];
  const [low, high] = [Math.log(kept[0] / 1.25), Math.log(kept.at(-1) * 1.25)];
  const room = (MAP_WIDE - LEFT - 8) / depths.length;
  const x = (depth) => LEFT + room * (depths.indexOf(depth) + 0.5);
  const y = (links) => 14 + ((MAP_HIGH - BOTTOM - 26) * (high - Math.log(links))) / (high - low);
  // Powers of ten, and what is halfway between them.
  const ticks = [1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5].filter((n) => Math.log(n) > low && Math.log(n) < high);
  return [...new Set(placed.map((row) => row.target))].map((target) => {
    const chart = svg("svg", { class: "chart map", viewBox: `0 0 ${MAP_WIDE} ${MAP_HIGH}`, role: "group", "aria-label": `${target}: networks by depth and links, coloured by score` });
    for (const links of ticks) {
      chart.append(svg("line", { class: "grid", x1: LEFT, x2: MAP_WIDE - 8, y1: y(links), y2: y(links) }), svg("text", { x: LEFT - 8, y: y(links) + 4, "text-anchor": "end" }, String(links)));
    }
    for (const depth of depths) chart.append(svg("text", { x: x(depth), y: MAP_HIGH - 20, "text-anchor": "middle" }, String(depth)));
    chart.append(svg("text", { x: LEFT - 8, y: 11, "text-anchor": "end" }, "links"), svg("text", { x: (LEFT + MAP_WIDE) / 2, y: MAP_HIGH - 5, "text-anchor": "middle" }, "layers"));
    // What would lie on one another stands side by side.
    const places = new Map();
    for (const row of placed.filter((row) => row.target === target)) {
      const place = `${row.depth} ${Math.round(12 * Math.log(row.kept))}`;
      places.set(place, [...(places.get(place) ?? []), row]);
    }
    for (const beside of places.values()) {
      beside.forEach((row, i) => {
        const step = Math.min(13, (room - 12) / beside.length);
        const point = svg("circle", { cx: x(row.depth) + step * (i - (beside.length - 1) / 2), cy: y(row.kept), r: 6, class: "point",
          fill: typeof row.score === "number" && row.fit !== false ? scoreColour(row.score) : "none" }, svg("title", null, `${row.label}: ${row.kept} links, score ${number(row.score)}${row.fit === false ? ", unfit: it does not count" : ""}`));
        chart.append(to(row) ? svg("a", { href: to(row), "aria-label": `${row.label}, ${row.depth} layers, ${row.kept} links, score ${number(row.score)}${row.fit === false ? ", unfit" : ""}` }, point) : point);
      });
    }
    return [target, chart];
  });
}

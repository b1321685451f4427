// A network as it is wired: every unit shows what it draws, every link can be taken hold of.

import { arrows, button, field, h, number, select, square, svg } from "./dom.js";
import { factorsOf } from "./shader.js";

// More links than this are lines on one canvas, not elements each.
const MOST_ELEMENTS = 1600;
// How near to a line, in the drawing's units, a click takes hold of it.
const NEAR = 8;

/** What a unit is called. */
export function unitName(network, u) {
  if (u < network.inputs.length) return { bias: "1" }[network.inputs[u]] ?? network.inputs[u];
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
  if (u < network.inputs.length) {
    const inputs = { x: "x, across", y: "y, downwards", d: "d, distance from the middle", bias: "1, everywhere" };
    const [name, factor] = [network.inputs[u], factorsOf(network).indexOf(network.inputs[u])];
    return inputs[name] ?? (factor < 0 ? name : `${name}, a factor: ${number(easel.z[factor])} everywhere`);
  }
  const terms = easel.into[u].filter((i) => easel.weight(i) !== 0).map((i) => {
    const source = unitName(network, network.links[i].source);
    return `${number(easel.weight(i))}${source === "1" ? "" : `·${source}`}`;
  });
  const shown = terms.length > 12 ? [...terms.slice(0, 12), `… ${terms.length - 12} more`] : terms;
  const sum = shown.join(" + ").replaceAll("+ −", "− ") || "0";
  const { activation } = network.units[u];
  return ["identity", "cache"].includes(activation) ? sum : `${activation}(${sum})`;
}

/** Very many links as lines on one canvas. `look(i)`: weight and strength; false for one that is drawn otherwise. */
class Mat {
  constructor({ width, height }, links, curve, look, sharp) {
    const scale = Math.min(sharp, 4096 / Math.max(width, height));
    Object.assign(this, { links, look, scale, curves: new Map(links.map((i) => [i, curve(i)])) });
    this.canvas = h("canvas", { class: "links", "aria-hidden": "true" });
    [this.canvas.width, this.canvas.height] = [width * scale, height * scale];
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.scheme.addEventListener("change", this);
    this.draw();
  }

  handleEvent() {
    if (this.canvas.isConnected) this.draw();
    else this.scheme.removeEventListener("change", this);
  }

  draw() {
    const on = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const [positive, negative] = ["--positive", "--negative"].map((name) => style.getPropertyValue(name));
    on.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    on.clearRect(0, 0, this.canvas.width, this.canvas.height);
    for (const i of this.links) {
      const look = this.look(i);
      if (!look) continue;
      const [weight, strength] = look;
      const [x, y, ...rest] = this.curves.get(i);
      on.beginPath();
      on.moveTo(x, y);
      on.bezierCurveTo(...rest);
      on.strokeStyle = weight < 0 ? negative : positive;
      on.lineWidth = 0.4 + 2.4 * strength;
      on.globalAlpha = 0.06 + 0.7 * strength ** 2;
      on.stroke();
    }
  }

  /** The link that passes nearest to a point; none if none is near. Of two as near, the stronger. */
  nearest(x, y) {
    let [best, found] = [NEAR ** 2, undefined];
    for (const i of this.links) {
      const [x0, y0, x1, y1, x2, y2, x3, y3] = this.curves.get(i);
      if (x < x0 - NEAR || x > x3 + NEAR || y < Math.min(y0, y3) - NEAR || y > Math.max(y0, y3) + NEAR) continue;
      for (let k = 0; k <= 32; k++) {
        const [t, s] = [k / 32, 1 - k / 32];
        const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
        const away = (a * x0 + b * x1 + c * x2 + d * x3 - x) ** 2 + (a * y0 + b * y1 + c * y2 + d * y3 - y) ** 2;
        if (away <= best) [best, found] = [away, i];
      }
    }
    return found;
  }
}

/**
 * Draws the wiring. `link(i)` is told what was taken (none: nothing can be), `hover(text)` what is pointed
 * at; more links than `most` are lines on one canvas, `sharp` times as fine as the drawing. Returns {element, squares, mark(link), refresh(link), redraw()}: `squares` are the maps to draw.
 */
export function wiringOf(network, easel, { link, hover, mapSide = 64, most = MOST_ELEMENTS, sharp = 2 }) {
  // The server says where everything stands.
  const { width, height, side } = network;
  const at = (u) => network.units[u].at;
  const shown = network.units.map((_, u) => u).filter(at);
  const largest = () => Math.max(...network.links.map((l) => Math.abs(l.weight)), 1e-9);
  let strongest = largest();
  const drawn = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0)
    .sort((a, b) => Math.abs(network.links[b].weight) - Math.abs(network.links[a].weight));
  const many = drawn.length > most;
  const paths = new Map();
  const curve = (i) => {
    const [[x0, y0], [x1, y1]] = [at(network.links[i].source), at(network.links[i].target)];
    const bend = Math.max(30, (x1 - x0) / 2);
    return [x0, y0, x0 + bend, y0, x1 - bend, y1, x1, y1];
  };
  const words = (i) => [linkName(network, i), ...(network.links[i].labels ?? []), `weight ${number(easel.weight(i))}`].join(", ");
  const strengthOf = (i) => Math.sqrt(Math.min(1, Math.abs(easel.weight(i)) / strongest));
  // What was pruned while the drawing stands.
  const isGone = (i) => network.links[i].kept === false && easel.weight(i) === 0;
  const look = (i) => {
    const [line, strength] = [paths.get(i).lastChild, strengthOf(i)];
    line.setAttribute("class", easel.weight(i) < 0 ? "line negative" : "line positive");
    line.setAttribute("stroke-width", (0.6 + 3 * strength).toFixed(2));
    line.setAttribute("opacity", isGone(i) ? 0 : (0.25 + 0.6 * strength).toFixed(2));
    paths.get(i).setAttribute("aria-label", words(i));
  };
  const element = (i) => {
    const [x0, y0, ...rest] = curve(i);
    const d = `M${x0} ${y0}C${rest.join(" ")}`;
    paths.set(i, svg("g", { class: "link", role: "button", tabindex: -1, "data-link": i }, svg("path", { class: "hit", d }), svg("path", { d })));
    look(i);
    return paths.get(i);
  };
  // Weak links first: strong ones lie over them. In the order of keys they go from strong to weak.
  const lines = svg("svg", { class: "links", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${drawn.length} links, strongest first` },
    many ? [] : drawn.map(element).reverse());
  // What people called links and units, each with those that carry it; the strongest link of each says it on the drawing.
  const labels = new Map();
  const carry = (labelled, i, kind) => (labelled.labels ?? []).forEach((label) => {
    if (!labels.has(label)) labels.set(label, { links: [], units: [] });
    labels.get(label)[kind].push(i);
  });
  drawn.forEach((i) => carry(network.links[i], i, "links"));
  shown.forEach((u) => carry(network.units[u], u, "units"));
  if (!many) {
    const said = new Set();
    for (const [label, { links: of }] of labels) {
      const i = of.find((i) => !said.has(i));
      if (i === undefined) continue;
      said.add(i);
      const [x0, y0, x1, y1, x2, y2, x3, y3] = curve(i);
      // In the middle of the link, and clear of the unit that it comes from.
      const left = Math.max(x0 + side / 2 + 4, (x0 + 3 * x1 + 3 * x2 + x3) / 8 - 3 * label.length);
      lines.append(svg("text", { class: "label", x: left, y: (y0 + 3 * y1 + 3 * y2 + y3) / 8 - 4, "aria-hidden": "true" }, label));
    }
  }
  const mat = many && new Mat({ width, height }, drawn.toReversed(), curve, (i) => !paths.has(i) && !isGone(i) && [easel.weight(i), strengthOf(i)], sharp);
  const squares = [];
  const units = shown.map((u) => {
    const canvas = square(mapSide, { "aria-hidden": "true" });
    squares.push({ canvas, unit: u });
    const [x, y] = at(u);
    const element = h("button", { type: "button", class: network.units[u].seen === false ? "unit unseen" : "unit", "data-unit": u,
      "aria-label": [`${unitName(network, u)}: ${network.units[u].activation}, ${easel.into[u].length} links in`, ...(network.units[u].labels ?? [])].join(", ") },
      canvas, h("span", { "aria-hidden": "true" }, unitName(network, u)));
    for (const [name, value] of [["left", x / width], ["top", y / height], ["width", side / width]]) {
      element.style.setProperty(name, `${(100 * value).toFixed(3)}%`);
    }
    return element;
  });
  const drawing = h("div", { class: "drawing" }, mat?.canvas, lines, h("div", { class: "units", role: "group", "aria-label": "Units, from inputs to picture" }, units));
  drawing.style.setProperty("aspect-ratio", `${width} / ${height}`);
  drawing.style.setProperty("--least", `${Math.round(width * 0.56)}px`);
  drawing.style.setProperty("--most", `${Math.round(width * 1.7)}px`);
  arrows(drawing.lastChild, units);
  arrows(lines, [...paths.values()]);

  const linkAt = (event) => {
    const element = event.target.closest("[data-link]");
    if (element) return Number(element.dataset.link);
    const box = drawing.getBoundingClientRect();
    return many && event.clientX ? mat.nearest(((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height) : undefined;
  };
  const told = (event) => {
    const u = event.target.closest("[data-unit]")?.dataset.unit;
    const i = u === undefined ? linkAt(event) : undefined;
    if (u !== undefined) hover(unitName(network, u), formula(network, easel, Number(u)), [...(network.units[u].labels ?? []), `${network.units[u].activation}, layer ${network.units[u].layer}, ${easel.into[u].length} links in`].join(" · "));
    else if (i !== undefined) hover(linkName(network, i), `weight ${number(easel.weight(i), 4)}`, [...(network.links[i].labels ?? []), `link ${i}`].join(" · "));
  };
  drawing.addEventListener(many ? "pointermove" : "pointerover", told);
  drawing.addEventListener("focusin", told);
  lines.addEventListener("click", (event) => {
    const i = linkAt(event);
    if (i !== undefined) link?.(i);
  });
  lines.addEventListener("keydown", (event) => {
    const taken = event.target.closest("[data-link]");
    if (taken && ["Enter", " "].includes(event.key)) {
      event.preventDefault();
      link?.(Number(taken.dataset.link));
    }
  });
  drawing.addEventListener("click", (event) => {
    const u = event.target.closest("[data-unit]")?.dataset.unit;
    const into = u === undefined ? [] : easel.into[u].filter((i) => network.links[i].weight !== 0);
    // A unit's strongest link is taken hold of.
    if (into.length) link?.(into.reduce((a, b) => (Math.abs(network.links[b].weight) > Math.abs(network.links[a].weight) ? b : a)));
  });
  const list = many && link && select([["", "…"], ...drawn.map((i) => [String(i), words(i)])], "", (i) => i && link(Number(i)));
  const mark = (label, on) => {
    const { links: of, units: at } = labels.get(label);
    of.forEach((i) => paths.get(i)?.classList.toggle("called", on));
    at.forEach((u) => units[shown.indexOf(u)].classList.toggle("called", on));
  };
  const chips = [...labels].map(([label, { links: of, units: at }]) => {
    const chip = button(`${label} (${of.length + at.length})`, () => {
      const on = chip.getAttribute("aria-pressed") !== "true";
      chip.setAttribute("aria-pressed", String(on));
      mark(label, on);
    }, { "aria-pressed": "false", title: "Mark the links and units that people gave this name" });
    return chip;
  });
  // Wider than its place, it scrolls, and says so.
  const frame = h("div", { class: "wiring", role: "region", "aria-label": "Wiring", tabindex: 0 }, drawing);
  const wide = h("p", { class: "note wide", hidden: true }, "The wiring goes on to the right: scroll sideways, or drag the bar under it.");
  new ResizeObserver(() => (wide.hidden = frame.scrollWidth <= frame.clientWidth + 2)).observe(frame);
  return {
    element: h("div", null, chips.length > 0 && h("div", { class: "row chips", role: "group", "aria-label": "Names of its parts" }, h("small", null, "Names of its parts:"), chips), wide, frame,
      list && field("Take hold of a link, the strongest first", list)),
    squares,
    mark(i) {
      lines.querySelector(".taken")?.classList.remove("taken");
      if (list) list.value = String(i);
      // Of many, those that were taken hold of are elements; so is one that had no weight.
      const path = paths.get(i) ?? element(i);
      if (mat) mat.draw();
      const focused = path === document.activeElement;
      path.classList.add("taken");
      // Over the others; what is moved in a document loses the focus.
      lines.append(path);
      if (focused) path.focus();
    },
    refresh: (i) => paths.has(i) && look(i),
    /** Every link anew, after the weights of `network` have changed. */
    redraw() {
      strongest = largest();
      for (const i of paths.keys()) look(i);
      mat?.draw?.();
    },
  };
}

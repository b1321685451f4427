// Every weight of a network moved, one at a time: a contact sheet.

import { arrows, button, count, field, h, number, select, square } from "./dom.js";
import { meaning } from "./words.js";
import { effect, scratch } from "./easel.js";
import { linkName } from "./wiring.js";
import { figureSaver } from "./save.js";

// Side of its pictures, and how many weights are drawn at most (the strongest).
const [SMALL, MOST_MOVED] = [64, 800];
// So many are drawn without being asked for.
const AT_ONCE = 60;
// Weights drawn before the page gets a turn.
const BATCH = 8;

const CALLS = ["damaged", "unclear", "clean"];
const ORDERS = {
  effect: (a, b) => b.effect - a.effect,
  layer: (a, b) => a.layer - b.layer || a.link - b.link,
  verdict: (a, b) => CALLS.indexOf(a.call) - CALLS.indexOf(b.call) || b.effect - a.effect,
  weight: (a, b) => Math.abs(b.weight) - Math.abs(a.weight),
};

/** The changes of each weight: those of the score where there is one, else the same step both ways. What is judged is the network as it was. */
function changesOf(network, judged, step) {
  const changes = judged?.map(({ link, delta, call, p }) => ({ link, delta, call, p }))
    ?? network.links.flatMap((l, link) => (l.weight === 0 ? [] : [{ link, delta: -step }, { link, delta: step }]));
  const weights = new Map();
  for (const change of changes) {
    if (!weights.has(change.link)) weights.set(change.link, { link: change.link, moves: [] });
    weights.get(change.link).moves.push(change);
  }
  return [...weights.values()].map((w) => {
    const { weight, target } = network.links[w.link];
    const calls = w.moves.map((m) => CALLS.indexOf(m.call)).filter((c) => c >= 0);
    return { ...w, weight, layer: network.units[target].layer, call: CALLS[Math.min(...calls)], effect: 0 };
  });
}

/** The sheet; `take(link, value)` is told what was clicked. Returns {element, stop}. */
export function contactSheet(easel, score, take) {
  const { network } = easel;
  // Verdicts are of the network as it was: one with moved weights begins with steps.
  let [order, step, ways, turn] = ["effect", 0.5, score && !easel.moved.size ? "score" : "step", 0];
  let drawnOf = null;
  const list = h("ul", { class: "moved" });
  const told = h("p", { class: "note", role: "status" });
  const stepField = field("Step", h("input", { type: "number", min: 0.01, max: 10, step: 0.01, value: step, change: (event) => {
    step = Math.min(10, Math.max(0.01, Math.abs(Number(event.target.value)) || 0.5));
    event.target.value = step;
    draw();
  } }));
  stepField.hidden = ways === "score";
  let weights = [];

  const tile = (w) => h("li", { class: w.call ? `call ${w.call}` : null, "data-link": w.link }, w.moves.map((m) => {
    const way = m.delta < 0 ? "down" : "up";
    m.canvas = square(SMALL, { "aria-hidden": "true" });
    return h("button", { type: "button", class: m.call ?? null, "aria-label": `${linkName(network, w.link)} ${way} by ${number(Math.abs(m.delta))}${m.call ? `: ${m.call}` : ""}`,
      click: () => take(w.link, from(w.link) + m.delta) }, m.canvas);
  }), h("span", null, linkName(network, w.link)), (w.told = h("small", { title: meaning("effect"), "data-term": "effect" })));

  // What the changes start from: the network as it stands now, or as it was when it was judged.
  const from = (link) => (ways === "score" ? network.links[link].weight : easel.weight(link));
  const asItWas = () => [...easel.moved.keys()].map((link) => [link, network.links[link].weight]);
  const standing = () => String([...easel.moved]);

  const sort = () => {
    weights.sort(ORDERS[order]);
    list.append(...weights.map((w) => w.element));
    const buttons = [...list.querySelectorAll("button")];
    if (buttons.length) arrows(list, buttons);
  };

  async function draw() {
    const mine = ++turn;
    const all = changesOf(network, ways === "score" ? score.judged : null, step);
    weights = all.sort(ORDERS.weight).slice(0, MOST_MOVED);
    list.replaceChildren();
    for (const w of weights) w.element = tile(w);
    sort();
    told.textContent = `0 of ${count(weights.length, "weight")} drawn`;
    const base = scratch(SMALL);
    await easel.ready;
    drawnOf = standing();
    const around = ways === "score" ? asItWas() : [...easel.moved];
    await easel.draw([{ canvas: base, set: new Map(around) }]);
    for (let i = 0; i < weights.length; i += BATCH) {
      const some = weights.slice(i, i + BATCH);
      await easel.draw(some.flatMap((w) => w.moves.map((m) => ({ canvas: m.canvas, set: new Map([...around, [w.link, (new Map(around).get(w.link) ?? w.weight) + m.delta]]) }))));
      if (mine !== turn) return;
      for (const w of some) {
        w.effect = Math.max(...w.moves.map((m) => effect(base, m.canvas)));
        w.told.textContent = number(w.effect);
      }
      told.textContent = `${Math.min(i + BATCH, weights.length)} of ${count(weights.length, "weight")} drawn`;
      await new Promise((next) => setTimeout(next));
    }
    told.textContent = `${count(weights.length, "weight")}${all.length > weights.length ? `, the strongest of ${all.length}` : ""}; under each how much the picture changes (0 to 1). ${
      ways === "score" ? `Moved as far as it took to change the picture alike, and judged${around.length ? ": the network as it was before you moved a weight" : ""}.`
        : `Each moved down and up by ${number(step)}${around.length ? ", from the network as you have moved it" : ""}.`}`;
    stale();
    sort();
  }

  const again = button("Draw again from the network as it stands", () => draw(), { hidden: true });
  /** Offers to draw anew once weights have been moved since. */
  function stale() {
    again.hidden = ways === "score" || drawnOf === null || drawnOf === standing();
  }

  const element = h("section", { class: "sheet" }, h("h2", null, "Every weight"),
    h("div", { class: "row" },
      field("Sorted by", select([["effect", "effect"], ["layer", "layer"], ["weight", "weight"], ...(score ? [["verdict", "verdict"]] : [])], order, (value) => {
        order = value;
        sort();
      })),
      score && field("Moved", select([["score", "as far as the score did"], ["step", "by the same step"]], ways, (value) => {
        ways = value;
        stepField.hidden = ways === "score";
        draw();
      })),
      stepField, again, figureSaver(() => list, () => `every weight of ${network.name}`)),
    told, list);
  const many = network.links.filter((l) => l.weight !== 0).length;
  if (many <= AT_ONCE) draw();
  else told.replaceChildren(button(`Draw ${count(Math.min(many, MOST_MOVED), "weight")}`, draw));
  return { element, stale, stop: () => turn++ };
}

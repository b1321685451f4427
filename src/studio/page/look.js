// Look inside: a network's picture, its wiring with what every unit draws, and a slider for every weight.

import { ask, button, complain, count, field, fill, h, keys, number, say, select, square } from "./dom.js";
import { address, given, isPicture, leaf, rename } from "./route.js";
import { STAY, meaning, term } from "./words.js";
import { besideTarget, find, get, hasFiles, post, saveAt, showAt } from "./api.js";
import { Easel, Live } from "./easel.js";
import { factorsOf } from "./shader.js";
import { scoreBar } from "./charts.js";
import { wiringOf, linkName } from "./wiring.js";
import { contactSheet } from "./sheet.js";
import { newSession } from "./start.js";
import { filmSaver, pictureSaver } from "./save.js";
import { larger } from "./large.js";
import { managed } from "./manage.js";

// Largest weight that can be written here.
const MOST_WEIGHT = 1e6;
// Side of the large picture, and of a map, in pixels.
const [LARGE, MAP] = [512, 64];
// Effects offered for a jump.
const JUMPS = [0.05, 0.15, 0.3];
// A wiring wider than this, in the drawing's units, has the page's whole width.
const DEEP = 900;

/** `3:0.2,7:-1` to and from a map. */
export function readMoves(text) {
  return new Map((text ?? "").split(",").filter(Boolean).map((pair) => pair.split(":").map(Number)));
}

/** Values of factors from an address, over those that are there. */
function readFactors(text, z) {
  (text ?? "").split(",").map(Number).forEach((value, k) => {
    if (text && k < z.length && Number.isFinite(value)) z[k] = Math.min(1, Math.max(-1, value));
  });
}

const writeMoves = (moved) => [...moved].map(([link, value]) => `${link}:${Math.fround(value).toPrecision(6).replace(/\.?0+$/, "")}`).join(",");

/** A picture that can be moved and zoomed with wheel, finger and keys. `changed()` after each move. */
function frameOf(canvas, view, changed) {
  let [x, y, zoom] = view;
  const go = (dx, dy, factor = 1, about = [0, 0]) => {
    const next = Math.min(1e4, Math.max(0.05, zoom * factor));
    // The point under the pointer stays where it is.
    x += dx / zoom + about[0] * (1 / zoom - 1 / next);
    y += dy / zoom + about[1] * (1 / zoom - 1 / next);
    zoom = next;
    changed();
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(2 * (event.clientX - box.left)) / box.width - 1, (2 * (event.clientY - box.top)) / box.height - 1];
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    go(0, 0, Math.exp(-event.deltaY / 400), point(event));
  }, { passive: false });
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = point(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const to = point(event);
    go(held[0] - to[0], held[1] - to[1]);
    held = to;
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (held = null));
  const home = () => {
    [x, y, zoom] = [0, 0, 1];
    changed();
  };
  const steps = {
    "+": () => go(0, 0, 1.25), "=": () => go(0, 0, 1.25), "-": () => go(0, 0, 0.8), "0": home,
    ArrowLeft: () => go(-0.2, 0), ArrowRight: () => go(0.2, 0), ArrowUp: () => go(0, -0.2), ArrowDown: () => go(0, 0.2),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!steps[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    steps[event.key]();
  });
  return {
    get frame() {
      return [x - 1 / zoom, y - 1 / zoom, 2 / zoom, 2 / zoom];
    },
    get view() {
      return x === 0 && y === 0 && zoom === 1 ? undefined : [x, y, zoom].map((v) => Number(v.toPrecision(5))).join(",");
    },
    buttons: h("div", { class: "row zoom" }, button("+", steps["+"], { "aria-label": "Nearer" }), button("−", steps["-"], { "aria-label": "Farther" }),
      button("Whole", home, { "aria-label": "The whole picture" })),
  };
}

/** Names of what a list offers: two of one name are told apart by where they lie. */
function offered(all) {
  const name = (entry) => entry.name || leaf(entry.id);
  const names = (all ?? []).map(name);
  return (all ?? []).map((entry) => [entry.id, names.filter((n) => n === name(entry)).length > 1 ? `${name(entry)} (${entry.id})` : name(entry)]);
}

/** A choice among `all`, and under it its settings as they are if nobody changes them. `text()`: as the command has it. */
function settingsOf(title, all, first) {
  let chosen = all.find((one) => one.name === first) ?? all[0];
  const settings = h("div", { class: "settings" });
  const show = () => settings.replaceChildren(...chosen.settings.map((s) => field(s.name,
    s.names.length ? select(s.names.map((n) => [n, n]), s.default, () => {}, { "data-setting": s.name })
      : h("input", { type: "text", value: s.default, "data-setting": s.name, inputmode: "decimal", autocomplete: "off" }), [`${s.means}.`, s.range && `Range: ${s.range}.`].filter(Boolean).join(" "))));
  show();
  const list = select(all.map(({ name }) => [name, STAY[name] ? `${name}: ${STAY[name]}` : name]), chosen.name, (name) => {
    chosen = all.find((one) => one.name === name);
    list.title = chosen.formula;
    show();
  });
  list.title = chosen.formula;
  const text = () => {
    const changed = [...settings.querySelectorAll("[data-setting]")].filter((input) => input.value.trim() !== chosen.settings.find((s) => s.name === input.dataset.setting).default);
    return [chosen.name, changed.map((input) => `${input.dataset.setting}=${input.value.trim()}`).join(",")].filter(Boolean).join(":");
  };
  return { element: h("div", { class: "choice" }, field(title, list), h("details", null, h("summary", null, "Its settings"), settings)), text };
}

/** Asks for the settings of work on `network` and starts it; training and evolving may be on another picture, `target`. */
export async function startWork(kind, network, wiring, target) {
  const isGenome = !network || network.kind === "genome";
  const numeric = (name, title, value, more, note) => field(title, h("input", { name, type: "number", value, min: 0, required: true, ...more }), note);
  const library = kind === "train" ? await get("library", null, "Looking for pictures") : {};
  const choices = ["train", "prune"].includes(kind) ? await get("choices", null, "Reading") : {};
  const optimizer = choices.optimizers && settingsOf("Optimizer", choices.optimizers, "adam");
  const method = choices.methods && settingsOf("Method", choices.methods, "sp");
  const most = network?.links.filter((l) => l.kept).length ?? 0;
  const rules = {
    budget: () => numeric("budget", "Links to keep", Math.ceil(most / 2), { min: 1, max: most, step: 1 }),
    threshold: () => numeric("threshold", "Least score to keep", 0.3, { min: null, step: "any" }),
  };
  const rule = h("div", null, rules.budget());
  const forms = {
    train: () => [target ? `Train a network on ${given(target)}` : "Train from random weights", [
      !network && field("Network", select(offered(library.genomes), "", () => {}, { name: "id" }), "Its wiring is trained, or a dense network of its shape."),
      isGenome && field("Wiring", select([["dense", "dense, layer on layer"], ["layerized", "the evolved wiring, in layers"], ["graph", "the evolved wiring"]], "dense", () => {}, { name: "wiring" })),
      !target && field("Picture to learn", select([["", "its own"], ...offered([...(library.pictures ?? []), ...(library.genomes ?? [])])], "", () => {}, { name: "target" })),
      numeric("steps", "Steps", 4000, { min: 1, step: 1, title: meaning("step") }), numeric("size", "Pixels along the picture", 64, { min: 8, max: 512, step: 1 }),
      optimizer.element,
      numeric("lr", "Learning rate", 0.003, { min: 1e-6, step: "any" }), numeric("seed", "Seed", 0, { step: 1, title: meaning("seed") }),
    ], "Train"],
    evolve: () => [`Evolve towards ${given(target)}`, [
      numeric("generations", "Generations", 100, { min: 1, max: 100000, step: 1, title: meaning("generation") }),
      numeric("size", "Pixels along the picture", 64, { min: 8, max: 512, step: 1 }, "The larger, the slower."),
      numeric("seed", "Seed", 0, { step: 1, title: meaning("seed") }),
    ], "Evolve"],
    prune: () => ["Prune", [
      method.element,
      field("Keep", select([["budget", "this many links"], ["threshold", "links of at least this score"]], "budget", (by) => {
        rule.replaceChildren(rules[by]());
      })), rule,
      numeric("steps", "Steps of training afterwards", 2000, { step: 1, title: meaning("step") }),
    ], "Prune"],
  };
  const answer = await ask(...forms[kind]());
  if (!answer) return;
  const words = ["id", "target", "wiring"];
  const values = Object.entries(answer).filter(([, value]) => value !== "").map(([name, value]) => [name, words.includes(name) ? value : Number(value)]);
  const more = { train: () => ({ target, wiring: "graph", optimizer: optimizer.text() }), evolve: () => ({ id: target }), prune: () => ({ method: method.text() }) }[kind]();
  const job = await post("jobs", { kind, id: network?.id, ...more, ...Object.fromEntries(values) }, "Starting");
  location.hash = address("jobs", job.job);
}

function provenance({ provenance: p }) {
  const rows = [["made by", p?.made_by], ["tags", p?.tags?.join(", ")], ...Object.entries(p?.notes ?? {})].filter(([, value]) => value);
  return rows.length ? h("details", null, h("summary", null, "Where it comes from"),
    h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, String(value)))))) : null;
}

function facts(network) {
  const alive = network.links.filter((l) => l.weight !== 0).length;
  const known = [
    term("unit", count(network.units.length - 4, "unit")),
    term("link", alive === network.links.length ? count(alive, "link") : `${alive} of ${count(network.links.length, "link")}`),
    term("layer", `${Math.max(...network.units.map((u) => u.layer))} layers`),
    network.r2 !== null && network.r2 !== undefined && term("r2", `R² ${number(network.r2, 3)}`),
    network.fit === false && h("span", { class: "unfit", title: meaning("unfit"), "data-term": "unfit" }, "unfit"),
  ].filter(Boolean);
  return known.flatMap((part, i) => (i ? [" · ", part] : [part]));
}

/** Asks for a name, and keeps a genome as it stands in `genomes/`. */
async function keepGenome(id, name, set) {
  const answer = await ask(set ? "Keep it with its moved weights" : "Keep a copy", [
    field("Name", h("input", { name: "name", required: true, maxlength: 60, autocomplete: "off", value: set ? `${name} moved` : name })),
    field("Tags", h("input", { name: "tags", autocomplete: "off", placeholder: "face, round" }), "Between commas."),
  ], "Keep");
  if (!answer) return;
  const tags = answer.tags.split(",").map((tag) => tag.trim()).filter(Boolean);
  const kept = await post("publish", { id, set, name: answer.name, tags }, "Keeping it");
  say(`Kept as ${kept.id}`);
  location.hash = address("look", kept.id);
}

/** Shows one network. */
export async function showLook(main, { id, query }) {
  if (isPicture(id)) return showTarget(main, id);
  const wiring = query.get("wiring") ?? "graph";
  const network = await get("network", { id, wiring }, "Reading the network");
  if (!network) throw new Error(`${id} is not in this site.`);
  const score = await find("score", { id, wiring }, "Reading its score");
  const easel = new Easel(network, { id, wiring });
  const factors = factorsOf(network);
  readFactors(query.get("at"), easel.z);
  for (const [link, value] of readMoves(query.get("set"))) if (network.links[link] && Number.isFinite(value)) easel.move(link, value);

  const canvas = square(LARGE, { class: "picture", tabindex: 0, role: "application",
    "aria-label": `Picture of ${network.name}. Arrows move the frame, plus and minus zoom, 0 shows the whole.` });
  const told = h("p", { class: "hover" }, h("b"), h("span"), h("small"));
  const hover = (...words) => [...told.children].forEach((child, i) => (child.textContent = words[i]));
  hover("Take hold of a link", "Click one, or walk there with the keys: a slider moves its weight.", "");
  const drawing = wiringOf(network, easel, { hover, link: (i) => take(i), mapSide: MAP });
  const by = h("small", { class: "by" });
  let link = null;
  let felt = [];
  let next = 0;
  let framed = "";
  let renaming;

  const live = new Live(async (fine) => {
    // While something moves, as many maps a frame as there is time for, in turns.
    // The server draws all maps or none: they wait until it rests.
    const here = frame.frame;
    // All of them where the frame has moved: every map is of what the picture shows.
    const stale = String(here) === framed ? felt : drawing.squares;
    const some = fine === 1 ? stale : easel.by === "server" ? [] : stale.slice(next, next + Math.max(1, Math.ceil(stale.length * fine ** 2)));
    next = next + some.length >= stale.length ? 0 : next + some.length;
    const side = fine === 1 ? LARGE : Math.max(96, 32 * Math.round((LARGE * fine) / 32));
    await easel.draw([{ canvas, side }, ...some].map((square) => ({ ...square, frame: here })));
    if (fine === 1) framed = String(here);
    canvas.dataset.drawn = Number(canvas.dataset.drawn ?? 0) + 1;
    if (fine === 1 && !live.wanted) canvas.dataset.settled = "";
  });
  // The picture as it is shown, as a file.
  const shownNow = () => ({ ...easel.parameters(undefined, { frame: frame.frame }), raw: undefined });
  const saver = pictureSaver(() => (hasFiles ? shownNow() : { frame: frame.frame, name: network.name || leaf(id) }), easel);
  const set = () => writeMoves(easel.moved) || undefined;
  const genome = h("a", { class: "button" }, "Genome");
  const fillGenome = () => saveAt(genome, "genome", { id, set: set() });
  if (network.has_genome) fillGenome();
  const changed = () => {
    delete canvas.dataset.settled;
    live.touch();
    if (network.has_genome) fillGenome();
    sheet.stale();
    clearTimeout(renaming);
    renaming = setTimeout(() => rename("look", id, {
      wiring: wiring === "graph" ? undefined : wiring, link: link ?? undefined, set: writeMoves(easel.moved), view: frame.view,
      at: factors.length && String(easel.z) !== String(network.at) ? easel.z.map((v) => Number(v.toPrecision(4))).join(",") : undefined,
    }), 250);
  };
  const frame = frameOf(canvas, query.get("view")?.split(",").map(Number) ?? [0, 0, 1], changed);

  // A slider a factor: the picture and every map follow.
  const turn = (k, value) => {
    easel.z[k] = value;
    felt = drawing.squares;
    changed();
  };
  const knobs = factors.length > 0 && h("div", { class: "slider panel factors" }, h("h2", null, term("factor", factors.length > 1 ? "Factors" : "Factor")),
    factors.map((name, k) => field(name, h("input", { type: "range", min: -1, max: 1, step: 0.01, value: easel.z[k], "data-factor": name,
      "aria-label": `Factor ${name}`, input: (event) => turn(k, Number(event.target.value)) }))));
  const panel = h("div", { class: "slider panel", hidden: true });
  let readout = () => {};
  const move = (value) => {
    easel.move(link, value);
    drawing.refresh(link);
    readout();
    changed();
  };
  async function take(i, value) {
    link = i;
    drawing.mark(i);
    const downstream = easel.downstream(i);
    felt = drawing.squares.filter((s) => downstream.has(s.unit));
    next = 0;
    const base = network.links[i].weight;
    const reach = Math.max(2, 2 * Math.abs(base), 1.2 * Math.abs(easel.weight(i) - base), value === undefined ? 0 : 1.2 * Math.abs(value - base));
    const range = h("input", { type: "range", min: base - reach, max: base + reach, step: "any", "aria-label": `Weight of ${linkName(network, i)}`,
      input: () => move(Number(range.value)) });
    // Keys take steps that can be seen.
    range.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (!way) return;
      event.preventDefault();
      move(Math.min(base + reach, Math.max(base - reach, easel.weight(link) + (way * reach) / 100)));
    });
    const exact = h("input", { type: "number", step: "any", "aria-label": "Weight, exactly", min: -MOST_WEIGHT, max: MOST_WEIGHT, change: () => move(Math.max(-MOST_WEIGHT, Math.min(MOST_WEIGHT, Number(exact.value)))) });
    const jumps = h("div", { class: "row jumps" });
    readout = () => {
      range.value = easel.weight(i);
      exact.value = Number(easel.weight(i).toPrecision(6));
      range.setAttribute("aria-valuetext", number(easel.weight(i)));
      if (told.firstChild.textContent === linkName(network, i)) hover(linkName(network, i), `weight ${number(easel.weight(i), 4)}`, told.lastChild.textContent);
    };
    const all = button("All as they were", () => {
      const moved = [...easel.moved.keys()];
      easel.reset();
      moved.forEach(drawing.refresh);
      felt = drawing.squares;
      readout();
      changed();
    });
    // From where it changes the picture, below its own value, to where it does above.
    const filmed = async (t, canvas, side) => {
      const { down, up } = (await found) ?? { down: [], up: [] };
      const end = (deltas, other) => deltas.findLast((delta) => delta !== null) ?? other;
      const [low, high] = [base + end(down, -reach / 2), base + end(up, reach / 2)];
      await easel.draw([{ canvas, side, frame: frame.frame, set: new Map([...easel.moved, [i, low + t * (high - low)]]) }]);
    };
    const found = find("matched", { id, wiring, link: i }, "Measuring its effect").catch(() => null);
    panel.hidden = false;
    const { labels = [] } = network.links[i];
    panel.replaceChildren(h("h2", null, linkName(network, i), labels.length > 0 && h("small", { class: "labels" }, ` ${labels.join(", ")}`)), h("div", { class: "row" }, range, exact),
      h("p", { class: "note", title: meaning("link") }, term("weight", `It was ${number(base, 4)}`), `. Link ${i}, into ${network.units[network.links[i].target].activation}.`),
      jumps, h("div", { class: "row" }, button("As it was", () => move(base)), all,
        filmSaver(shownNow, () => ({ link: i }), `Film of ${linkName(network, i)}, as far as it changes the picture, down to up`, filmed)));
    readout();
    if (value === undefined) changed();
    else move(value);
    const matched = await found;
    if (link !== i || !matched) return;
    const jump = (e, deltas, sign) => {
      const k = matched.effects.findIndex((effect) => Math.abs(effect - e) < 1e-6);
      const delta = deltas[k];
      return delta === null || delta === undefined ? null
        : button(`${sign}${number(e)}`, () => move(base + delta), { "aria-label": `${sign === "−" ? "Down" : "Up"} until the picture has changed by ${number(e)}` });
    };
    const both = [...JUMPS.toReversed().map((e) => jump(e, matched.down, "−")), ...JUMPS.map((e) => jump(e, matched.up, "+"))].filter(Boolean);
    jumps.replaceChildren(...(both.length ? [h("small", null, term("effect", "Change the picture by")), ...both] : [h("small", null, term("silent", "A silent weight: no move of it changes the picture so much."))]));
  }

  const sheet = contactSheet(easel, score, (i, value) => {
    take(i, value);
    canvas.scrollIntoView({ block: "nearest" });
    panel.querySelector("input").focus({ preventScroll: true });
  });
  const isGenome = network.kind === "genome";
  const { session, sheet: n } = network.provenance?.notes ?? {};
  const bred = /^studio\/sessions\/([^/]+)\.toml$/.exec(session ?? "");
  fill(main,
    h("header", { class: "page" }, h("h1", null, network.name || leaf(id)), h("p", { class: "lead" }, facts(network)),
      h("div", { class: "row" },
        isGenome && field("Wired", select([["graph", "as it was evolved"], ["layerized", "in layers"]], wiring, (value) => (location.hash = address("look", id, { wiring: value === "graph" ? undefined : value })))),
        h("a", { class: "button", href: address("compare", "", { ids: besideTarget(network.target, id) }) }, "Compare"),
        network.has_genome && button("Breed from it", () => newSession([id], [network.name || leaf(id)], set()).catch(complain)),
        hasFiles && network.has_genome && button("Keep …", () => keepGenome(id, network.name || leaf(id), set()).catch(complain)),
        hasFiles && bred && h("a", { class: "button", href: address("breed", bred[1], { node: n }) }, "Its sheet"),
        h("a", { class: "button", href: address("train", id, { wiring: network.kind === "genome" && wiring === "graph" ? undefined : wiring }) }, network.kind === "run" ? "Train and prune" : "Train"),
        h("a", { class: "button", href: address("score", id, { wiring: wiring === "graph" ? undefined : wiring }), click: () => set() && say("The score is of the network as it is kept, without the weights that are moved here.") }, "Score"),
        network.has_genome && genome,
        larger(() => ({ ...shownNow(), name: network.name || leaf(id) })), saver,
        network.own && managed({ id, name: network.name || leaf(id) }, { go: (kept) => address("look", kept.id) })),
      !network.has_genome && h("p", { class: "note" }, isGenome
        ? "In layers: no genome holds these weights. To keep, breed or save it, take it as it was evolved."
        : "A network in layers: it has no genome to keep or to breed from.")),
    h("div", { class: network.width > DEEP ? "bench deep" : "bench" },
      h("div", { class: "side" }, h("figure", null, canvas, h("figcaption", { class: "row" }, frame.buttons, by)), knobs, panel,
        score && h("div", { class: "panel" }, h("h2", null, term("score", "Score ", h("span", { class: "value" }, number(score.score)))), scoreBar(score),
          h("p", { class: "note" }, term("interval", `Between ${number(score.low)} and ${number(score.high)}`), ": how likely the picture is still ", term("clean", "clean"), " after a change of one weight (", term("clean_share", `clean share ${number(score.clean_share)}`), ")", network.fit === false ? ". It does not count: the network has not learned its picture." : "."),
          ...(score.measures ?? []).map((m) => h("p", { class: "note" }, h("strong", null, `${m.name} ${number(m.value)}`), ` (weights shuffled ${number(m.null)}${m.evolved === null || m.evolved === undefined ? "" : `, evolved ${number(m.evolved)}`}): ${m.reference}`)),
          score.measures?.length > 0 && h("p", { class: "note" }, "Weights shuffled: the same weights on other links. Such a network mostly draws something simple, which few changes damage: its number is no mark to reach.")),
        provenance(network)),
      h("div", { class: "inside" }, drawing.element, told, sheet.element)));
  easel.ready.then(() => {
    by.textContent = { WebGL: "", server: hasFiles ? "drawn by the server" : "drawn by the engine" }[easel.by];
    main.dataset.by = easel.by;
    live.touch();
  }).catch(complain);
  felt = drawing.squares;
  easel.draw([{ canvas }, ...felt].map((square) => ({ ...square, frame: frame.frame }))).catch(complain);
  // A link of a unit that does not reach the picture has no place in the drawing.
  const asked = query.get("link") === null ? undefined : network.links[Number(query.get("link"))];
  if (asked && network.units[asked.source].at && network.units[asked.target].at) {
    take(Number(query.get("link")));
    felt = drawing.squares;
  }
  const step = (by) => {
    const all = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0);
    take(all[(all.indexOf(link) + by + all.length) % all.length] ?? all[0]);
  };
  keys([["n", "next link", () => step(1)], ["p", "link before", () => step(-1)], ["←→", "on the slider: move the weight; on the wiring: from unit to unit, link to link; on the picture: move the frame"],
    ["Enter", "on the wiring: take hold"], ["r", "the weight as it was", () => link !== null && move(network.links[link].weight)],
    ["+", "nearer", () => frame.buttons.children[0].click()], ["-", "farther", () => frame.buttons.children[1].click()], ["0", "the whole picture", () => frame.buttons.children[2].click()]]);
  return () => {
    live.stop();
    sheet.stop();
    clearTimeout(renaming);
    easel.drop();
  };
}

/** A picture that is no network: something to train on. */
function showTarget(main, id) {
  const image = h("img", { class: "picture", alt: given(id), width: 384, height: 384 });
  showAt(image, "thumb", { id, size: 384 });
  fill(main, h("header", { class: "page" }, h("h1", null, given(id)), h("p", { class: "lead" }, "A picture. A network can be trained to draw it, or evolved towards it.")),
    image,
    h("div", { class: "row" }, h("a", { class: "button main", href: address("train", id) }, "Train a network on it"),
      button("Evolve towards it …", () => startWork("evolve", null, null, id).catch(complain))));
}

// Training while one looks on: the picture, the loss, what every unit draws; fewer links or more, at any time.

import { button, complain, count, field, fill, h, keys, number, select, square } from "./dom.js";
import { address, rename } from "./route.js";
import { STAY, term } from "./words.js";
import { get, hasFiles, keepTraining, pictureOf, pictureToLearn, watch } from "./api.js";
import { linksByTarget } from "./shader.js";
import { figureSaver } from "./save.js";
import { lossCurve } from "./charts.js";
import { wiringOf } from "./wiring.js";
import { startWork } from "./look.js";

// Side of the picture and of a map; how long the engine works at a time, at least and at most; how often maps and curve are drawn. Times in ms.
const [DRAWN, UNIT, WORK, MOST_WORK, SLOW] = [192, 40, 26, 130, 240];
// More links than this are lines on a canvas: they change all the time.
const MOST_LINES = 150;
const WIRINGS = [["dense", "dense, layer on layer"], ["layerized", "the evolved wiring, in layers"], ["graph", "the evolved wiring"]];
const RATES = [0.0003, 0.001, 0.003, 0.006, 0.01, 0.03];
const SIZES = [32, 48, 64, 96];
const MOTH_GENOME = "genomes/bred_moth.json";

/** Puts raw pixels on a canvas. */
export function putPixels(canvas, bytes, offset, side) {
  if (canvas.width !== side) canvas.width = canvas.height = side;
  canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(bytes.buffer, offset, 4 * side * side), side, side), 0, 0);
}

/** Shows a training. */
export async function showTrain(main, { id, query }) {
  const own = pictureOf(id);
  const of = own ? query.get("shape") ?? MOTH_GENOME : id;
  const begun = await get("network", { id: of, wiring: "graph" }, "Reading the network");
  const [isRun, isGenome] = ["run", "genome"].map((kind) => begun.kind === kind);
  const chosen = { wiring: isGenome ? query.get("wiring") ?? "dense" : "graph", rate: Number(query.get("rate") ?? 0.003), size: Number(query.get("size") ?? 64), seed: Number(query.get("seed") ?? 0) };
  if (!RATES.includes(chosen.rate)) chosen.rate = 0.003;
  if (!SIZES.includes(chosen.size)) chosen.size = 64;
  if (!WIRINGS.some(([name]) => name === chosen.wiring)) chosen.wiring = "dense";
  if (!Number.isSafeInteger(chosen.seed) || chosen.seed < 0) chosen.seed = 0;

  let [job, network, drawing, squares] = [null, null, null, []];
  let [running, left, steps, slow, cost, between] = [true, false, 4, 0, 0, WORK];
  let [looping, shownLinks] = [Promise.resolve(), 0];
  let [curve, kept, wantedKeep, pruning] = [[], 0, null, null];
  // Of the losses that came so far every so many-th is shown.
  let [logged, every] = [0, 1];

  const target = square(DRAWN, { class: "picture", role: "img", "aria-label": "The picture to learn" });
  const canvas = square(DRAWN, { class: "picture", role: "img", "aria-label": "What the network draws now" });
  const chart = h("div");
  const told = h("p", { class: "value readout" });
  const inside = h("div", { class: "inside" });
  const hover = h("p", { class: "hover" }, h("b"), h("span"), h("small"));
  const title = h("h1", null, own ? `Learning ${own.name}` : `Training: ${begun.picture}`);
  const go = button("Pause", () => run(!running), { class: "main" });
  const once = button("Step", () => {
    run(false);
    looping = looping.then(() => turn(1)).catch(stop);
  });
  const again = button("Randomise", () => restart({ seed: Math.floor(Math.random() * 2 ** 31) }), { title: "Begin again from other random weights" });
  const links = h("input", { type: "range", min: 1, max: 1, step: 1, value: 1, "aria-label": "Links kept", input: () => {
    wantedKeep = Number(links.value);
    keptWords.textContent = `${wantedKeep} of ${links.max}`;
    clearTimeout(pruning);
    pruning = setTimeout(prune, 60);
  } });
  const keptWords = h("output", { class: "value" });
  let method = "sp";
  const methods = select(Object.entries(STAY), method, (value) => {
    method = value;
    if (kept < Number(links.max)) {
      wantedKeep = kept;
      prune();
    }
  });
  const keep = button("Keep this network", () => keepIt().catch(complain), { title: hasFiles ? "As a run in this folder" : "Its weights go into an address of their own" });
  // Long work is the server's: it goes on when the page is closed.
  const later = (words, kind, network, target) => button(words, () => startWork(kind, network, chosen.wiring, target).catch(complain));
  const background = hasFiles && h("details", own ? { open: "" } : null, h("summary", null, "In the background"), h("div", { class: "row" },
    own ? [later("Train …", "train", null, id), later("Evolve towards it …", "evolve", null, id)] : [later("Train …", "train", begun), isRun && later("Prune …", "prune", begun)]));

  const stop = (error) => {
    running = false;
    go.textContent = "Go";
    if (!left) complain(error);
  };

  function run(on) {
    running = on;
    go.textContent = on ? "Pause" : "Go";
    go.setAttribute("aria-pressed", String(on));
    delete main.dataset.still;
    if (on) looping = looping.then(loop).catch(stop);
    else if (job) looping = looping.then(rest).catch(stop);
  }

  /** The engine works on the next steps, and has those after them, while those before are shown. */
  async function loop() {
    const ahead = [];
    while (running && !left) {
      while (ahead.length < 2) {
        const next = asked(steps);
        next.catch(() => {}); // Told when it is its turn.
        ahead.push(next);
      }
      const now = await ahead.shift();
      const began = performance.now();
      await show(now);
      await new Promise((next) => requestAnimationFrame(next));
      between += 0.2 * (performance.now() - began - between);
    }
    for (const next of ahead) await show(await next);
  }

  /** Once the steps that were asked for are made: what they led to, at the size that is looked at. */
  async function rest() {
    if (running) return;
    await turn(0);
    if (!running) main.dataset.still = "";
  }

  /** Some steps, and what they led to. */
  const turn = async (some) => show(await asked(some, true), true);

  async function asked(some, all = false) {
    const mine = job;
    const due = all || performance.now() - slow > Math.max(SLOW, 4 * cost);
    if (due) slow = performance.now();
    // While it runs, at the size that it is trained at: a larger picture would take the time of many steps.
    const side = running && some > 0 ? chosen.size : DRAWN;
    const answer = await watch("train-step", { job: mine, steps: some, picture: side, maps: due ? UNIT : undefined });
    return { answer, mine, some, due, side };
  }

  async function show({ answer: [now, bytes, took], mine, some, due, side }, all = false) {
    if (left || mine !== job) return;
    // More work than the page needs time to show what came before: else the engine waits for a slow screen.
    const work = Math.min(MOST_WORK, Math.max(WORK, 4 * between - WORK));
    if (running && some > 0 && !due) steps = Math.max(1, Math.min(1000, Math.round(some * Math.min(2, Math.max(0.5, work / Math.max(took, 1))))));
    curve.push(...now.lines.filter(() => logged++ % every === 0));
    // The whole curve, with fewer points.
    if (curve.length > 900) [curve, every] = [curve.filter((_, i) => i % 2 === 0), 2 * every];
    putPixels(canvas, bytes, 0, side);
    canvas.dataset.step = now.step;
    canvas.dataset.r2 = now.r2;
    told.replaceChildren(term("step", `Step ${now.step}`), " · ", term("r2", `R² ${number(now.r2, 3)}`), " · ", term("link", count(now.kept, "link")), now.why ? ` · ${{ collapsed: "it became one colour", diverged: "it left all bounds: take a smaller rate, and begin again", "step-limit": "all steps are made" }[now.why] ?? now.why}` : "");
    if (now.why && running) run(false);
    kept = now.kept;
    if (wantedKeep === null) [links.value, keptWords.textContent] = [kept, `${kept} of ${links.max}`];
    if (!due) return;
    const began = performance.now();
    const wide = UNIT * now.columns;
    const atlas = new ImageData(new Uint8ClampedArray(bytes.buffer, now.picture, now.maps), wide, now.maps / 4 / wide);
    for (const { canvas: map, unit } of squares) {
      const [x, y] = [UNIT * (unit % now.columns), UNIT * Math.floor(unit / now.columns)];
      map.getContext("2d").putImageData(atlas, -x, -y, x, y, UNIT, UNIT);
    }
    const weights = new Float32Array(bytes.slice(now.picture + now.maps).buffer);
    network.links.forEach((link, i) => {
      link.weight = weights[i];
      link.kept = weights[i] !== 0;
    });
    // Links change slowly, and are the most to draw.
    if (all || shownLinks++ % 4 === 0) drawing.redraw();
    chart.replaceChildren(lossCurve(curve));
    // A slow screen is given less to show, and the engine more time.
    await new Promise((next) => requestAnimationFrame(next));
    cost = performance.now() - began;
  }

  async function prune() {
    const keepNow = wantedKeep;
    try {
      await watch("train-prune", { job, keep: keepNow, method });
      if (!running) await turn(0);
    } catch (error) {
      complain(error);
    }
    if (wantedKeep === keepNow) wantedKeep = null;
    main.dataset.pruned = keepNow;
  }

  async function keepIt() {
    run(false);
    location.hash = address("look", await keepTraining(job));
  }

  /** Begins, or begins again with something changed. */
  async function restart(changes = {}) {
    Object.assign(chosen, changes);
    const before = job;
    const [learned, bytes] = own ? pictureToLearn(own, chosen.size) : [];
    const [now, picture] = await watch("train", { id: of, wiring: chosen.wiring, size: chosen.size, seed: chosen.seed, lr: chosen.rate, ...learned }, bytes);
    if (before) watch("train-end", { job: before }).catch(() => {});
    [job, network, curve, wantedKeep, logged, every] = [now.job, now, [], null, 0, 1];
    putPixels(target, picture, 0, now.size);
    [links.min, links.max] = [now.least ?? 1, now.most];
    const easel = { weight: (i) => network.links[i].weight, into: linksByTarget(network) };
    drawing = wiringOf(network, easel, { hover: (...words) => [...hover.children].forEach((child, i) => (child.textContent = words[i])), link: null, mapSide: UNIT, most: MOST_LINES, sharp: 1 });
    squares = drawing.squares;
    inside.replaceChildren(drawing.element, hover);
    slow = 0;
    rename("train", id, { wiring: !isGenome || chosen.wiring === "dense" ? undefined : chosen.wiring, rate: chosen.rate === 0.003 ? undefined : chosen.rate, size: chosen.size === 64 ? undefined : chosen.size, seed: chosen.seed || undefined, shape: own && of !== MOTH_GENOME ? of : undefined });
    await turn(0);
    main.dataset.job = job;
    if (running) run(true);
  }

  const numbers = (all) => all.map((n) => [String(n), String(n)]);
  fill(main,
    h("header", { class: "page" }, title, h("p", { class: "lead" }, "Gradient descent, live. Every square shows what a unit draws; blue links are positive, red ones negative.",
      isRun && !own && !begun.target && !hasFiles && " The picture that it learned was only on the page where it learned it: here it learns what it draws itself, and its R² begins at 1.")),
    h("div", { class: "bench live" },
      h("div", { class: "side" },
        h("div", { class: "goal" }, h("figure", null, target, h("figcaption", null, own?.isCut ? "to learn: its middle" : "to learn")), h("figure", null, canvas, h("figcaption", null, "drawn now"))),
        told, h("div", { class: "row" }, go, once, isRun ? null : again),
        h("div", { class: "panel" }, field("Links kept", h("div", { class: "row" }, links, keptWords), "Fewer: the rest trains on. More: they come back with their old weights, to the others as they are by now."), field("Which stay", methods)),
        chart,
        h("details", null, h("summary", null, "Settings"), h("div", { class: "settings" },
          isGenome && !own && field("Wiring", select(WIRINGS, chosen.wiring, (wiring) => restart({ wiring }).catch(stop))),
          field("Learning rate", select(numbers(RATES), String(chosen.rate), (rate) => {
            chosen.rate = Number(rate);
            watch("train-rate", { job, lr: chosen.rate }).catch(stop);
          })),
          field("Pixels along the picture", select(numbers(SIZES), String(chosen.size), (size) => restart({ size: Number(size) }).catch(stop))))),
        h("div", { class: "row" }, keep, figureSaver(() => main.querySelector(".bench"), () => title.textContent)), background),
      inside));
  await restart();
  keys([[" ", "go, or pause", () => run(!running)], ["s", "one step", () => once.click()], ["r", "begin again from other weights", () => again.click()]]);
  return () => {
    left = true;
    running = false;
    clearTimeout(pruning);
    watch("train-end", { job }).catch(() => {});
  };
}

// The first minute: two networks of one picture, evolved and trained, both shaken one weight at a time.

import { arrows, button, complain, fill, h, keys, number, square } from "./dom.js";
import { address, leaf } from "./route.js";
import { meaning, term } from "./words.js";
import { brought, get, post, showAt, watch } from "./api.js";
import { Easel } from "./easel.js";
import { putPixels } from "./live.js";
import { openFiles } from "./start.js";

/** Pictures to begin from. */
const FIRST = ["bred_moth", "bred_skull", "bred_gaze", "bred_lagoon", "bred_jupiter", "bred_owl", "bred_angel", "bred_volcano", "bred_shell", "bred_butterfly", "bred_diver", "bred_fern"]
  .map((name) => `genomes/${name}.json`);
const MOTH = FIRST[0];
const TILES = [...new Set([...brought, ...FIRST])].slice(0, FIRST.length);
// Its dense twin, which comes with the page.
const TWIN = "genomes/trained/bred_moth";

// Side of the two pictures; how much each weight changes them; how long one shake takes, in ms.
const [SHOWN, EFFECT, SHAKE] = [320, 0.25, 2200];
// A twin that is trained here: on so many pixels, for so many steps at most, until it draws so well.
const [PIXELS, MOST_STEPS, LEARNED] = [48, 6000, 0.97];
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** One of the two: its picture, and the weights that are moved. */
class Shaken {
  constructor(label, words) {
    this.canvas = square(SHOWN, { class: "picture", role: "img", "aria-label": `${label}: a picture that is shaken` });
    this.told = h("small", { class: "value" }, words);
    this.link = h("a", { href: "#/" }, label);
    this.element = h("figure", { class: "shaken" }, this.canvas, h("figcaption", null, h("b", null, this.link), this.told));
  }

  /** Takes a network; draws it at once. */
  async take(id, wiring) {
    const network = await get("network", { id, wiring }, `Reading ${leaf(id)}`);
    Object.assign(this, { id, wiring, network, easel: new Easel(network, { id, wiring }), moves: new Map() });
    this.link.href = address("look", id, { wiring: wiring === "graph" ? undefined : wiring });
    await this.draw(SHOWN);
    // Strong weights first, until it is known which can change the picture.
    this.order = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0)
      .sort((a, b) => Math.abs(network.links[b].weight) - Math.abs(network.links[a].weight));
  }

  /** The weights that can change the picture, in an order without pattern. */
  async rank() {
    const { links } = await get("ranked", { id: this.id, wiring: this.wiring });
    const step = [7, 11, 13].find((n) => links.length % n) ?? 1;
    if (links.length) this.order = links.map((_, k) => links[(Math.floor(links.length / 2) + k * step) % links.length]);
  }

  draw(side) {
    return this.easel.draw([{ canvas: this.canvas, side }]);
  }

  /** How far the `k`th weight moves down and up for the effect. */
  async movesOf(k) {
    const link = this.order[k % this.order.length];
    if (!this.moves.has(link)) this.moves.set(link, await get("matched", { id: this.id, wiring: this.wiring, link }));
    const { effects, down, up } = this.moves.get(link);
    const at = effects.findIndex((effect) => Math.abs(effect - EFFECT) < 1e-6);
    return { link, down: down[at] ?? 0, up: up[at] ?? 0 };
  }

  drop() {
    this.easel?.drop();
  }
}

/** Begins a session and goes there. */
async function breedFrom(from, more) {
  const session = await post("sessions", { from, seed: Math.floor(Math.random() * 2 ** 31), grid: 15, ...more }, "Drawing the first sheet");
  location.hash = address("breed", session.name);
}

/** Shows the two networks of a picture. */
export async function showOpen(main, { query }) {
  const id = query.get("of") ?? MOTH;
  const evolved = new Shaken("Evolved", "");
  const trained = new Shaken("Trained", "");
  const both = [evolved, trained];
  let [left, running, frame] = [false, !matchMedia("(prefers-reduced-motion: reduce)").matches, 0];
  let turn = Number(query.get("turn") ?? 0);
  let progress = 0;

  const big = button("", () => go(!running), { class: "main big" });
  const says = () => {
    big.textContent = running ? "Stop" : "Shake";
    big.setAttribute("aria-pressed", String(running));
  };

  /** Trains the dense twin of a picture that has none here, in front of the visitor. */
  async function learn() {
    const [job] = await watch("train", { id, wiring: "dense", size: PIXELS, seed: 1, lr: 0.006 });
    try {
      let r2 = 0;
      for (let step = 0; step < MOST_STEPS && r2 < LEARNED && !left;) {
        const began = performance.now();
        const [now, bytes] = await watch("train-step", { job: job.job, steps: 12, picture: PIXELS });
        step = now.step;
        r2 = now.r2;
        putPixels(trained.canvas, bytes, 0, PIXELS);
        trained.told.replaceChildren("learning: step ", String(step), ", ", term("r2", `R² ${number(r2)}`));
        if (now.why) break;
        // Whatever else is asked has its turn.
        await wait(Math.max(0, 16 - (performance.now() - began)));
      }
      const [{ text }] = await watch("train-text", { job: job.job });
      const twin = `held/twin-${job.job}`;
      await watch("hold", { id: twin, text });
      return twin;
    } finally {
      watch("train-end", { job: job.job }).catch(() => {});
    }
  }

  /** One weight of each moves up, back, down and back. */
  async function shake() {
    while (running && !left) {
      const ready = both.filter((own) => own.order);
      const moves = await Promise.all(ready.map((own) => own.movesOf(turn)));
      let side = SHOWN;
      while (running && !left && progress < 1) {
        const began = performance.now();
        await new Promise((next) => (frame = requestAnimationFrame(next)));
        const swing = Math.sin(2 * Math.PI * progress);
        ready.forEach((own, i) => {
          const { link, down, up } = moves[i];
          own.easel.move(link, own.network.links[link].weight + (swing < 0 ? -swing * down : swing * up));
        });
        await Promise.all(ready.map((own) => own.draw(side)));
        const took = performance.now() - began;
        // A slow card draws fewer pixels.
        if (took > 40) side = Math.max(96, side - 32);
        progress += Math.min(took, 120) / SHAKE;
        main.dataset.shaken = Number(main.dataset.shaken ?? 0) + 1;
      }
      if (progress >= 1) {
        ready.forEach((own) => own.easel.reset());
        turn += 1;
        progress = 0;
      }
    }
    if (!running) main.dataset.still = "";
  }

  let shaking = Promise.resolve();
  function go(on) {
    running = on;
    delete main.dataset.still;
    says();
    if (on) shaking = shaking.then(shake).catch(complain);
  }

  const input = h("input", { type: "file", class: "hidden", tabindex: -1, accept: "image/*,.json", "aria-label": "Picture to open", change: () => openFiles(input.files) });
  const offered = TILES.map((one) => [one, h("img", { class: "picture", alt: "", width: 128, height: 128 })]);
  const tiles = offered.map(([one, image]) => h("li", { class: "tile" }, h("a", { href: one === MOTH ? "#/" : address("", "", { of: one }), "aria-current": one === id ? "true" : null, "aria-label": leaf(one).replaceAll("_", " ") }, image)));
  // After the two that are shaken: they are what is looked at first.
  const drawTiles = () => offered.forEach(([one, image]) => showAt(image, "thumb", { id: one, size: 128 }));
  fill(main,
    h("header", { class: "first" }, h("h1", null, "One picture, two networks"),
      h("p", { class: "lead" }, "One was bred, one was trained. Both are shaken, one weight at a time.")),
    h("div", { class: "both" }, both.map((own) => own.element)),
    h("div", { class: "row acts" }, big,
      button("Breed", () => breedFrom([id]).catch(complain)),
      h("a", { class: "button", href: address("train", id) }, "Train"),
      h("a", { class: "button", href: address("look", id) }, "Look inside"),
      button("Randomise", () => breedFrom([], { colour: true }).catch(complain)),
      button("Your own picture", () => input.click()), input,
      id === MOTH ? h("a", { class: "button", href: "#/see" }, "See it") : null, h("a", { class: "button", href: "#/pictures" }, "All pictures")),
    h("section", { class: "begin" }, h("h2", null, "Begin from another"), h("ul", { class: "tiles" }, tiles),
      h("p", { class: "note" }, "Or drop a picture anywhere on this page: a network learns it in front of you.")));
  arrows(main.querySelector("ul.tiles"), tiles.map((tile) => tile.firstChild));
  says();

  const begin = async () => {
    const taken = (own, weights) => own.told.replaceChildren(`${own.order.length} weights`, ...weights);
    const shakeBoth = () => running && (shaking = shaking.then(shake).catch(complain));
    if (id === MOTH) {
      await Promise.all([evolved.take(id, "layerized"), trained.take(TWIN, "graph")]);
      drawTiles();
      taken(evolved, []);
      shakeBoth();
    } else {
      await evolved.take(id, "layerized");
      drawTiles();
      taken(evolved, []);
      shakeBoth();
      const twin = await learn();
      if (left) return;
      await trained.take(twin, "graph");
    }
    const { r2, fit } = trained.network;
    const isFit = fit !== false;
    taken(trained, [", ", term("r2", `R² ${number(r2, 3)}`), isFit ? null : [" ", h("span", { class: "unfit", title: meaning("unfit"), "data-term": "unfit" }, "unfit"), ": it has not learned the picture, and is not shaken"]].filter(Boolean).flat());
    main.dataset.begun = "";
    if (!isFit) delete trained.order;
    await evolved.rank();
    if (isFit) await trained.rank();
  };
  if (id === MOTH) await begin();
  else begin().catch((error) => !left && complain(error));
  keys([[" ", "shake, or stop", () => go(!running)], ["n", "the next weight", () => {
    turn += 1;
    progress = 0;
  }], ["b", "breed from this picture", () => breedFrom([id]).catch(complain)], ["r", "random pictures", () => breedFrom([], { colour: true }).catch(complain)]]);
  return () => {
    left = true;
    running = false;
    cancelAnimationFrame(frame);
    both.forEach((own) => own.drop());
  };
}

// A score: weights are moved one at a time, and a judge says of each picture whether it still makes sense.

import { complain, count, field, fill, h, keys, number, select, square } from "./dom.js";
import { address } from "./route.js";
import { term } from "./words.js";
import { get, keepScore, scoreSize, watch } from "./api.js";
import { scoreBar } from "./charts.js";
import { linkName } from "./wiring.js";
import { putPixels } from "./live.js";
import { figureSaver } from "./save.js";

// Weights that can be moved, at most, and how much each changes the picture.
const [SAMPLES, CHANGE] = [[40, 100, 400], 0.18];

/** Shows a score as it is taken. */
export async function showScore(main, { id, query }) {
  const wiring = query.get("wiring") ?? "graph";
  const samples = SAMPLES.find((n) => n === Number(query.get("weights"))) ?? SAMPLES[0];
  const graph = wiring === "graph" ? undefined : wiring;
  const network = await get("network", { id, wiring }, "Reading the network");
  const living = network.links.filter((l) => l.weight !== 0).length;
  let left = false;
  const base = square(64, { class: "picture", role: "img", "aria-label": "The picture as it is" });
  const list = h("ul", { class: "moved" });
  const bar = h("progress", { "aria-label": "Weights judged", max: 1, value: 0 });
  const told = h("p", { class: "note", role: "status" });
  const result = h("div");
  fill(main, h("header", { class: "page" }, h("h1", null, `Score: ${network.name}`),
    h("p", { class: "lead" }, "Each weight is moved down and up until the picture has changed by ", term("effect", number(CHANGE)), ". A judge says whether it is still a picture: ",
      ["clean", "unclear", "damaged"].map((call, i) => [["", ", ", " or "][i], h("i", { class: `verdict ${call}`, "aria-hidden": "true" }), " ", term(call, call)]), ". An empty place is a ", term("silent", "silent weight"), ".", network.palette ? ` It sees the colours of the network itself, not those of the palette ${network.palette}, and so does this page.` : ""),
    h("div", { class: "row" }, h("a", { class: "button", href: address("look", id, { wiring: graph }) }, "Look inside"), figureSaver(() => main.querySelector(".bench"), () => `score ${network.name}`, () => "Frames: green clean, yellow unclear, red damaged. Each weight is moved down and up until the picture has changed by 0.18 (RMSE)."),
      field("Weights", select(SAMPLES.map((n) => [String(n), `at most ${n}`]), String(samples), (n) => (location.hash = address("score", id, { wiring: graph, weights: Number(n) === SAMPLES[0] ? undefined : n })))))),
  h("div", { class: "bench" }, h("div", { class: "side" }, base, bar, told, result), h("div", { class: "inside" }, list)));
  const [{ job, size, links }, pixels] = await watch("score", { id, wiring, samples: Math.min(samples, living), effect: CHANGE, size: scoreSize(network) });
  putPixels(base, pixels, 0, size);
  bar.max = links.length;
  const go = async () => {
    for (let done = 0; done < links.length && !left;) {
      const [now, bytes] = await watch("score-next", { job });
      if (left) return;
      done = bar.value = now.done;
      let at = 0;
      const tiles = new Map();
      for (const seen of now.seen) {
        if (!tiles.has(seen.link)) tiles.set(seen.link, []);
        const canvas = square(size, { "aria-hidden": "true" });
        if (!seen.silent) {
          putPixels(canvas, bytes, at, size);
          at += 4 * size * size;
        }
        tiles.get(seen.link).push(h("a", { class: `judged ${seen.call ?? ""}`, href: address("look", id, { wiring: graph, link: seen.link, set: `${seen.link}:${network.links[seen.link].weight + seen.delta}` }),
          "aria-label": `${linkName(network, seen.link)} by ${number(seen.delta)}: ${seen.call ?? "silent"}`, title: seen.call ?? "silent" }, canvas));
      }
      for (const [link, canvases] of tiles) list.append(h("li", null, canvases, h("span", null, linkName(network, link))));
      told.textContent = `${done} of ${count(links.length, "weight")}${links.length < living ? `, drawn from ${living}` : ""}`;
      if (now.score) {
        const { score, low, high, clean_share, clean, unclear, damaged, silent } = now.score;
        result.replaceChildren(h("h2", null, term("score", `Score ${number(score)}`)), scoreBar(now.score),
          h("p", { class: "note" }, low === null || low === undefined ? null : [term("interval", `Between ${number(low)} and ${number(high)}`), ". "], term("clean_share", `Clean share ${number(clean_share)}`), `: ${clean} clean, ${unclear} unclear, ${damaged} damaged, ${silent} silent.`, network.fit === false && " It does not count: the network has not learned its picture."));
        main.dataset.score = score;
        await keepScore(job);
        main.dataset.kept = "";
      }
    }
  };
  go().catch((error) => !left && complain(error));
  keys([]);
  return () => (left = true);
}

// Compare: networks of one picture side by side, and one slider that changes a weight of each alike.

import { button, complain, count, field, fill, h, keys, number, select, square } from "./dom.js";
import { address, leaf, listed, rename, unlisted } from "./route.js";
import { canAnswer, find, get, isExport } from "./api.js";
import { Easel, Live } from "./easel.js";
import { scoreBar } from "./charts.js";
import { linkName, unitName } from "./wiring.js";
import { startWork } from "./look.js";

// Side of a picture and of a map; links offered for the slider.
const [WHOLE, SMALL_MAP, OFFERED] = [384, 48, 60];

async function column(id, wiring, taken, changed) {
  const network = await get("network", { id, wiring }, `Reading ${id}`);
  if (!network) throw new Error(`${id} is not in this site.`);
  const score = await find("score", { id, wiring }, "Reading a score");
  const easel = new Easel(network, { id, wiring });
  const canvas = square(WHOLE, { class: "picture", role: "img", "aria-label": `Picture of ${network.name || leaf(id)}` });
  const seen = network.units.map((_, u) => u).filter((u) => network.units[u].seen !== false);
  const maps = seen.map((unit) => ({ unit, canvas: square(SMALL_MAP, { title: unitName(network, unit) }) }));
  const links = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0 && canAnswer("matched", { id, wiring, link: i }))
    .sort((a, b) => Math.abs(network.links[b].weight) - Math.abs(network.links[a].weight)).slice(0, OFFERED);
  const own = { id, wiring, network, easel, canvas, maps, felt: maps, link: links[0] ?? 0, matched: null };
  if (network.links[taken]) own.link = taken;
  own.told = h("small", { class: "value" });
  const offered = links.includes(own.link) ? links : [own.link, ...links];
  const chosen = select(offered.map((i) => [String(i), `${linkName(network, i)}, ${number(network.links[i].weight)}`]), String(own.link), (value) => own.take(Number(value)));
  own.take = async (link) => {
    easel.reset();
    own.link = link;
    own.matched = null;
    const felt = easel.downstream(link);
    own.felt = maps.filter((m) => felt.has(m.unit));
    changed();
    const matched = await find("matched", { id, wiring, link }, "Measuring an effect").catch(complain);
    if (own.link !== link) return;
    own.matched = matched ?? { effects: [], down: [], up: [] };
    changed();
  };
  own.element = h("article", { class: "column" }, h("h2", null, h("a", { href: address("look", id, { wiring: wiring === "graph" ? undefined : wiring }) }, network.name || leaf(id))),
    canvas,
    h("small", null, [count(network.units.length - 4, "unit"), count(network.links.filter((l) => l.weight !== 0).length, "link"),
      network.r2 === null || network.r2 === undefined ? null : `R² ${number(network.r2)}`].filter(Boolean).join(" · ")),
    score ? h("div", null, h("small", null, `Score ${number(score.score)} (${number(score.low)} to ${number(score.high)})`), scoreBar(score))
      : isExport ? null : h("div", null, button("Score …", () => startWork("score", network, wiring).catch(complain))),
    field("Weight to move", chosen), own.told,
    h("div", { class: "maps", role: "img", "aria-label": `What the ${seen.length} units of ${network.name || leaf(id)} draw` }, maps.map((m) => m.canvas)));
  return own;
}

/** The move of a column's weight that changes its picture by the effect at `place` (negative: down). */
function delta(own, place) {
  if (place === 0) return 0;
  if (!own.matched) return undefined;
  return (place < 0 ? own.matched.down : own.matched.up)[Math.abs(place) - 1] ?? null;
}

/** Shows networks side by side: `ids=A,B@layerized,…`. */
export async function showCompare(main, { query }) {
  const asked = unlisted(query.get("ids"));
  if (!asked.length) throw new Error("Choose pictures in the library to compare them.");
  // The wiring stands after an @.
  const named = asked.map((text) => {
    const at = text.lastIndexOf("@");
    const isWiring = ["graph", "layerized", "dense"].includes(text.slice(at + 1));
    return at > 0 && isWiring ? [text.slice(0, at), text.slice(at + 1)] : [text, "graph"];
  });
  // A genome alone is shown beside itself in layers, and beside the runs that learned its picture.
  if (asked.length === 1) {
    const library = await get("library", null, "Looking for relatives");
    const [id] = named[0];
    if (library.genomes?.some((g) => g.id === id) && canAnswer("network", { id, wiring: "layerized" })) named.push([id, "layerized"]);
    named.push(...(library.runs ?? []).filter((r) => r.target === id && r.finished).slice(0, 4).map((r) => [r.id, "graph"]));
  }
  const links = (query.get("links") ?? "").split(",").map((text) => (text === "" ? undefined : Number(text)));
  let place = Number(query.get("effect") ?? 0);
  let effects = [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3];
  let columns = [];
  let renaming;
  const live = new Live(async (fine) => {
    await Promise.all(columns.map((own) => own.easel.draw([
      { canvas: own.canvas, side: Math.max(96, 32 * Math.round((WHOLE * fine) / 32)) }, ...(fine === 1 ? own.felt : [])])));
    if (fine === 1 && !live.wanted) main.dataset.settled = "";
  });
  const range = h("input", { type: "range", min: -effects.length, max: effects.length, step: 1, value: place, "aria-label": "Change of every picture, by moving its weight down or up", input: () => {
    place = Number(range.value);
    changed();
  } });
  const words = h("output", { class: "value" });
  function changed() {
    const amount = place === 0 ? 0 : effects[Math.abs(place) - 1];
    words.textContent = place === 0 ? "as they are" : `${place < 0 ? "down" : "up"}, ${number(amount)}`;
    range.setAttribute("aria-valuetext", words.textContent);
    for (const own of columns) {
      const by = delta(own, place);
      const base = own.network.links[own.link].weight;
      own.easel.move(own.link, base + (by ?? 0));
      own.told.textContent = by === undefined ? "measuring how far it must move …"
        : by === null ? "silent: no move of it changes the picture so much"
          : place === 0 ? `weight ${number(base, 3)}` : `weight ${number(base, 3)} → ${number(base + by, 3)}`;
    }
    delete main.dataset.settled;
    live.touch();
    clearTimeout(renaming);
    renaming = setTimeout(() => rename("compare", "", { ids: listed(asked), links: columns.map((c) => c.link).join(","), effect: place || undefined }), 250);
  }
  columns = await Promise.all(named.map(([id, wiring], i) => column(id, wiring, links[i], () => columns.length && changed())));
  const first = columns[0];
  const names = [...new Set(columns.map((own) => own.network.name || leaf(own.id)))];
  fill(main, h("header", { class: "page" }, h("h1", null, names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]),
    h("p", { class: "lead" }, "One slider moves a weight of each, as far as it takes to change each picture by the same amount. Which stay pictures?"),
    !isExport && h("div", { class: "row" },
      button("Train another …", () => startWork("train", first.network, first.wiring).catch(complain)),
      columns.some((c) => c.network.kind === "run") && button("Prune the last …", () => startWork("prune", columns.findLast((c) => c.network.kind === "run").network, "graph").catch(complain)))),
  h("div", { class: "together panel" }, h("div", { class: "row" }, h("b", null, "Change"), range, words, button("Back", () => {
    range.value = place = 0;
    changed();
  }))),
  h("div", { class: "columns", tabindex: 0, role: "region", "aria-label": "Networks side by side" }, columns.map((own) => own.element)));
  columns.forEach((own) => {
    own.easel.ready.then(changed);
    own.easel.draw([{ canvas: own.canvas }, ...own.maps]).catch(complain);
  });
  await Promise.race([Promise.all(columns.map((own) => own.take(own.link))), new Promise((later) => setTimeout(later, 300))]);
  effects = columns.find((own) => own.matched?.effects.length)?.matched.effects ?? effects;
  range.min = -(range.max = effects.length);
  changed();
  const nudge = (way) => () => {
    range.value = Number(range.value) + way;
    range.dispatchEvent(new Event("input"));
  };
  keys([["[", "less, or downwards", nudge(-1)], ["]", "more, or upwards", nudge(1)], ["0", "as they are", () => {
    range.value = place = 0;
    changed();
  }]]);
  return () => {
    live.stop();
    clearTimeout(renaming);
    columns.forEach((own) => own.easel.drop());
  };
}

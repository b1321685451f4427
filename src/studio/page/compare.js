// Compare: networks of one picture side by side, and one slider that changes a weight of each alike.

import { button, complain, count, field, fill, h, keys, number, select, square } from "./dom.js";
import { address, leaf, listed, rename, unlisted } from "./route.js";
import { meaning, term } from "./words.js";
import { find, get } from "./api.js";
import { Easel, Live } from "./easel.js";
import { scoreBar } from "./charts.js";
import { linkName, unitName } from "./wiring.js";
import { figureSaver } from "./save.js";

// Side of a picture and of a map; links offered for the slider; networks that a genome alone is shown beside.
const [WHOLE, SMALL_MAP, OFFERED, MOST_BESIDE] = [384, 48, 60, 6];
// The order of arms, where nobody chose one.
const ARMS = ["dense", "graph", "layerized", "sp", "magnitude"];

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** R², and a word where it is too low for a score to count. */
function fitOf({ r2, fit }) {
  if (r2 === null || r2 === undefined) return null;
  return [term("r2", `R² ${number(r2, 3)}`), fit === false ? [" ", h("span", { class: "unfit", title: meaning("unfit"), "data-term": "unfit" }, "unfit")] : null];
}

async function column({ id, wiring }, taken, changed) {
  const network = await get("network", { id, wiring }, `Reading ${leaf(id)}`);
  const score = await find("score", { id, wiring }, "Reading a score");
  const easel = new Easel(network, { id, wiring });
  const title = capital(network.what);
  const canvas = square(WHOLE, { class: "picture", role: "img", "aria-label": `Picture of ${network.picture}: ${network.what}` });
  const seen = network.units.map((_, u) => u).filter((u) => network.units[u].seen !== false);
  const maps = seen.map((unit) => ({ unit, canvas: square(SMALL_MAP, { title: unitName(network, unit) }) }));
  const strongest = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0)
    .sort((a, b) => Math.abs(network.links[b].weight) - Math.abs(network.links[a].weight)).slice(0, OFFERED);
  const own = { id, wiring, network, easel, canvas, maps, felt: maps, link: network.links[taken] ? taken : null, matched: null, ranked: null };
  own.told = h("small", { class: "value" }, "looking for a weight …");
  own.rank = h("small", { class: "rank" });
  const chooser = h("div");
  const offer = () => {
    const ranked = own.ranked?.links ?? [];
    const offered = [...new Set([...ranked, ...strongest, ...(own.link === null ? [] : [own.link])])];
    const words = (i) => `${ranked.includes(i) ? `${ranked.indexOf(i) + 1}. ` : ""}${linkName(network, i)}, ${number(network.links[i].weight)}`;
    chooser.replaceChildren(select(offered.map((i) => [String(i), words(i)]), String(own.link), (value) => own.take(Number(value)), { "aria-label": "Weight to move" }));
  };
  own.take = async (link) => {
    easel.reset();
    own.link = link;
    own.matched = null;
    const felt = easel.downstream(link);
    own.felt = maps.filter((m) => felt.has(m.unit));
    offer();
    changed();
    const matched = await find("matched", { id, wiring, link }, "Measuring an effect").catch(complain);
    if (own.link !== link) return;
    own.matched = matched ?? { effects: [], down: [], up: [] };
    changed();
  };
  // The weight in the middle of those that can change the picture: the same rank in every column.
  own.begin = async () => {
    own.ranked = (await find("ranked", { id, wiring }, "Looking for a weight that changes the picture").catch(complain)) ?? { links: [], tried: 0, silent: 0 };
    const { links } = own.ranked;
    own.another.disabled = own.random.disabled = links.length < 2;
    await own.take(own.link ?? links[Math.floor(links.length / 2)] ?? strongest[0] ?? 0);
  };
  const step = (to) => () => own.take(own.ranked.links[to(own.ranked.links)]).catch(complain);
  own.another = button("Another", step((links) => (links.indexOf(own.link) + 1) % links.length), { title: "The next weight in the ranking" });
  own.random = button("Random", step((links) => Math.floor(Math.random() * links.length)), { title: "Any weight that can change the picture" });
  own.another.disabled = own.random.disabled = true;
  own.told_rank = () => {
    const { links, tried, silent, effect } = own.ranked ?? {};
    if (!links?.length) return tried ? [`None of ${tried} weights tried can change the picture so much.`] : [];
    const at = links.indexOf(own.link);
    return [at < 0 ? "not ranked" : term("rank", `weight ${at + 1} of ${links.length} that can change the picture by ${number(effect)}`), silent ? ["; ", term("silent", `${silent} of ${tried} tried cannot`)] : null].flat().filter(Boolean);
  };
  own.element = h("article", { class: "column" },
    h("header", null, h("h2", null, h("a", { href: address("look", id, { wiring: wiring === "graph" ? undefined : wiring }) }, title)),
      (own.of = h("small", { class: "of" }, `draws ${network.picture}${network.seed ? `, seed ${network.seed}` : ""}`, wiring === "layerized" ? [", ", term("layered", "with relays")] : null))),
    canvas,
    h("small", { class: "counts" }, [term("unit", count(network.units.length - 4, "unit")), seen.length < network.units.length ? [", ", term("alive", `${network.units.length - seen.length} on no path`)] : null, " · ", term("link", count(network.links.filter((l) => l.weight !== 0).length, "link")),
      network.r2 === null || network.r2 === undefined ? null : [" · ", fitOf(network)]]),
    score ? h("div", { class: network.fit === false ? "pale" : null }, h("small", null, term("score", `Score ${number(score.score)}`), " ", term("interval", `(${number(score.low)} to ${number(score.high)})`), network.fit === false ? " does not count" : null), scoreBar(score))
      : h("div", null, h("a", { class: "button", href: address("score", id, { wiring: wiring === "graph" ? undefined : wiring }) }, "Score")),
    h("div", { class: "field" }, h("span", null, term("weight", "Weight to move")), h("div", { class: "row" }, chooser, own.another, own.random)),
    own.told, own.rank,
    h("div", { class: "maps", role: "img", "aria-label": `What the ${seen.length} units of ${network.picture}, ${network.what}, draw` }, maps.map((m) => m.canvas)));
  offer();
  return own;
}

/** The move of a column's weight that changes its picture by the effect at `place` (negative: down). */
function delta(own, place) {
  if (place === 0) return 0;
  if (!own.matched) return undefined;
  return (place < 0 ? own.matched.down : own.matched.up)[Math.abs(place) - 1] ?? null;
}

/** A genome alone is shown beside itself in layers, and beside the runs that learned its picture; a run beside the others of its picture. */
async function relatives(id) {
  const library = await get("library", null, "Looking for relatives");
  const beside = library.genomes?.some((g) => g.id === id) ? [[id, "layerized"]] : [];
  const rank = ({ arm }) => (ARMS.indexOf(arm) + ARMS.length + 1) % (ARMS.length + 1);
  const picture = library.runs?.find((r) => r.id === id)?.target ?? id;
  const runs = (library.runs ?? []).filter((r) => r.target === picture && r.id !== id && r.finished);
  return [...beside, ...runs.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_BESIDE).map((r) => [r.id, "graph"])];
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
  if (asked.length === 1) named.push(...(await relatives(named[0][0])));
  return beside(main, named, query, { page: "compare", ids: listed(asked) });
}

/** The networks `named`, each [id, wiring], as columns under one slider. `title`, `lead` and `more` stand above them, `below` under them. */
export async function beside(main, named, query, { page, ids, title, lead, more, below }) {
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
  const range = h("input", { type: "range", min: -effects.length, max: effects.length, step: 1, value: place, "aria-label": "Change of every picture, by moving its weight down or up", title: meaning("effect"), input: () => {
    place = Number(range.value);
    changed();
  } });
  const words = h("output", { class: "value", title: meaning("effect"), "data-term": "effect" });
  function changed() {
    const amount = place === 0 ? 0 : effects[Math.abs(place) - 1];
    words.textContent = place === 0 ? "as they are" : `${place < 0 ? "down" : "up"}, ${number(amount)}`;
    range.setAttribute("aria-valuetext", words.textContent);
    for (const own of columns.filter((own) => own.link !== null)) {
      const by = delta(own, place);
      const base = own.network.links[own.link].weight;
      own.easel.move(own.link, base + (by ?? 0));
      own.told.textContent = by === undefined ? "measuring how far it must move …"
        : by === null ? "silent: no move of it changes the picture so much"
          : place === 0 ? `weight ${number(base, 3)}` : `weight ${number(base, 3)} → ${number(base + by, 3)}`;
      own.told.title = meaning(by === null ? "silent" : "weight");
      own.rank.replaceChildren(...own.told_rank());
    }
    delete main.dataset.settled;
    live.touch();
    clearTimeout(renaming);
    renaming = setTimeout(() => columns.every((own) => own.link !== null) && rename(page, "", { ids, links: columns.map((c) => c.link).join(","), effect: place || undefined }), 250);
  }
  // Which weight of each is moved, for a figure that stands alone.
  const figureSays = () => `Change: ${words.textContent}. ${columns.filter((own) => own.link !== null).map((own) => `${linkName(own.network, own.link)}: ${own.told.textContent}`).join("; ")}`;
  columns = await Promise.all(named.map(([id, wiring], i) => column({ id, wiring }, links[i], () => columns.length && changed())));
  const pruned = columns.findLast((own) => own.network.kind === "run");
  // Two that are the same by name are told apart by where they lie.
  const called = ({ network }) => `${network.what} ${network.picture} ${network.seed}`;
  for (const own of columns) if (columns.filter((other) => called(other) === called(own)).length > 1) own.of.append(`, ${own.id}`);
  const pictures = [...new Set(columns.map((own) => own.network.picture))];
  fill(main, h("header", { class: "page" }, h("h1", null, title ?? (pictures.length > 1 ? `${pictures.slice(0, -1).join(", ")} and ${pictures.at(-1)}` : `${columns.length === 1 ? "A network that draws" : `${columns.length} networks that draw`} ${pictures[0]}`)),
    h("p", { class: "lead" }, lead ?? "One slider moves a weight of each, as far as it takes to change each picture by the same amount. Which stay pictures?"),
    more,
    !title && h("div", { class: "row" },
      h("a", { class: "button", href: address("train", columns[0].id) }, "Train another"),
      pruned && h("a", { class: "button", href: address("train", pruned.id) }, "Prune the last"))),
  h("div", { class: "together panel" }, h("div", { class: "row" }, h("b", null, "Change"), range, words, button("Back", () => {
    range.value = place = 0;
    changed();
  }), figureSaver(() => main.querySelector(".columns"), () => pictures.join(", "), figureSays))),
  h("div", { class: columns.length === 2 ? "columns pair" : "columns", tabindex: 0, role: "region", "aria-label": "Networks side by side" }, columns.map((own) => own.element)), below);
  columns.forEach((own) => {
    own.easel.ready.then(changed);
    own.easel.draw([{ canvas: own.canvas }, ...own.maps]).catch(complain);
  });
  const begun = Promise.all(columns.map((own) => own.begin())).then(() => {
    effects = columns.find((own) => own.matched?.effects.length)?.matched.effects ?? effects;
    range.min = -(range.max = effects.length);
    changed();
    main.dataset.begun = "";
  });
  await Promise.race([begun, new Promise((later) => setTimeout(later, 300))]);
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

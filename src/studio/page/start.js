// The start page: what lies in the studio's folder, each with its picture.

import { ask, arrows, button, choice, complain, count, field, fill, h, keys, number, say, select, square } from "./dom.js";
import { address, leaf, listed, route } from "./route.js";
import { meaning, term } from "./words.js";
import { get, hasFiles, post, showAt, upload } from "./api.js";
import { filmSaver } from "./save.js";

/** The picture of anything in the library. */
export function thumb(id, name, size = 192) {
  const image = h("img", { class: "picture", alt: name, width: size, height: size, loading: "lazy" });
  showAt(image, "thumb", { id, size });
  return image;
}

const options = (...names) => names.map((name) => [name, name]);

/** The colours that one's own palette begins with. */
const OWN = ["#f4e7c5", "#e2725b", "#5b8e7d", "#264653"];

/** Which palette: a name, or four colours of one's own. `usual`: the first choice, [value, words]. */
function paletteFields(usual) {
  const own = h("div", { class: "swatches", hidden: true, role: "group", "aria-label": "Colours around the circle of hues" },
    OWN.map((value, i) => h("input", { type: "color", name: `colour-${i}`, value, "aria-label": `Colour ${i + 1}` })));
  const names = ["free", "ember", "ocean", "forest", "dusk", "candy"].filter((name) => name !== usual[0]);
  const list = select([usual, ...options(...names), ["own", "four of my own"]], usual[0], (value) => (own.hidden = value !== "own"), { name: "palette" });
  return [field("Palette", list, "In which hues a coloured picture is drawn; free: all. How bright and how pale they are is the network's; greys stay grey."), own];
}

/** The palette that was chosen; undefined where a picture keeps its own. */
const paletteOf = (answer) => (answer.palette === "own" ? OWN.map((_, i) => answer[`colour-${i}`].slice(1)).join(",") : answer.palette || undefined);

/** Asks how to begin, and begins a session from these genomes (none: from random ones). `set`: moved weights of the one it is from. */
export async function newSession(from = [], names = from.map(leaf), set = undefined) {
  let colour = from.length ? "grey" : "colour";
  const words = from.length ? `Breed from ${names.join(", ")}${set ? " with its moved weights" : ""}` : "A new session";
  const answer = await ask(words, [
    field("Name", h("input", { name: "name", placeholder: "it gets one if this is empty", autocomplete: "off", maxlength: 60 })),
    choice("Colour", [["grey", from.length ? "as it is" : "grey"], ["colour", from.length ? "with colour" : "colour"]], colour, (value) => (colour = value)),
    ...paletteFields(from.length ? ["", "as it is"] : ["free", "free"]),
    !from.length && field("Symmetry", select(options("none", "left-right", "top-bottom", "four-fold", "radial"), "none", () => {}, { name: "symmetry" })),
    !from.length && field("Background", select(options("free", "dark", "light"), "free", () => {}, { name: "background" }), "What the first pictures fade into."),
    field("Pictures on a sheet", select([9, 15, 24].map((n) => [String(n), String(n)]), "15", () => {}, { name: "grid" })),
    field("Seed", h("input", { name: "seed", type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, placeholder: "by chance" }), "The same seed and the same choices give the same pictures."),
  ], "Begin");
  if (!answer) return;
  const seed = answer.seed === "" ? Math.floor(Math.random() * 2 ** 31) : Number(answer.seed);
  const session = await post("sessions", {
    name: answer.name || undefined, seed, from, set, grid: Number(answer.grid),
    palette: paletteOf(answer), symmetry: answer.symmetry, background: answer.background, colour: from.length && colour === "grey" ? undefined : colour === "colour",
  }, "Drawing the first sheet");
  if (answer.name && answer.name !== session.name) say(`It is called ${session.name}: the name is taken, or has letters that a file's name cannot have.`);
  location.hash = address("breed", session.name);
}

/** A name that may break after its underscores. */
const softly = (name) => name.split(/(?<=_)/).map((part, i) => (i ? [h("wbr"), part] : part));

function tile(entry, to, sub, chosen) {
  const name = entry.name || leaf(entry.id);
  const pick = chosen && h("label", { class: "pick", title: "Compare" },
    h("input", { type: "checkbox", "aria-label": `Compare ${name}`, "data-id": entry.id, change: chosen }));
  return h("li", { class: "tile" }, h("a", { href: to }, thumb(entry.id, ""), h("b", null, softly(name)), h("small", null, sub)), pick);
}

function shelf(title, tiles, note) {
  return h("section", null, h("h2", null, title), note && h("p", { class: "note" }, note), h("ul", { class: "tiles" }, tiles));
}

/** Words and numbers between commas. */
const between = (parts) => parts.filter(Boolean).flatMap((part, i) => (i ? [", ", part] : [part]));

function runWords(run) {
  const said = (name, word, value) => (value === null || value === undefined ? null : term(name, `${word} ${number(value, name === "r2" ? 3 : 2)}`));
  return between([run.finished ? null : "not finished", run.what, said("r2", "R²", run.r2), said("score", "score", run.score),
    run.fit === false && h("span", { class: "unfit", title: meaning("unfit"), "data-term": "unfit" }, "unfit")]);
}

const genomeWords = (g) => between([term("node", count(g.nodes, "node")), term("link", count(g.links, "link"))]);

/** A list that stays closed, and is filled when it is opened: its pictures are many. `first`: the entry whose picture stands for all. */
function folded(title, note, first, tiles, open = false) {
  const list = h("ul", { class: "tiles" });
  const details = h("details", { class: "folded", open, toggle: () => {
    if (!details.open || list.children.length) return;
    fill(list, tiles());
    arrows(list, [...list.querySelectorAll("a")]);
  } }, h("summary", null, first && thumb(first.id, "", 96), h("span", null, h("b", null, title), h("small", null, note))), list);
  return details;
}

/** Shows the library. */
export async function showStart(main) {
  const library = await get("library", null, "Looking through the folder");
  const { genomes: every = [], sessions = [], searches = [], collections = [], runs: all = [], studies = [], pictures = [], unread = [] } = library;
  // One's own first; the results of a search under it; what comes with the program last.
  const genomes = every.filter((g) => !g.builtin && !searches.some((s) => s.id === g.search));
  const builtin = every.filter((g) => g.builtin);
  const runs = all.filter((run) => !run.builtin);
  const mine = sessions.filter((s) => s.name);
  // Those that lie elsewhere, bred by the command say, stay as they are: one goes on in a copy.
  const others = sessions.filter((s) => !s.name);
  // Runs of a study stand under it.
  const studyOf = (run) => studies.find((s) => run.id.startsWith(`${s.id}/`));
  const ownRuns = runs.filter((run) => !studyOf(run));
  const runTile = (r) => tile({ ...r, name: r.picture }, address("look", r.id), runWords(r), chosen);
  const genomeTile = (g) => tile(g, address("look", g.id), genomeWords(g), chosen);
  const searchOf = (s) => {
    const results = every.filter((g) => g.search === s.id);
    return results.length ? folded(s.name, between([`${s.search} search`, term("genome", count(results.length, "genome")), s.generations !== null && term("generation", count(s.generations, "generation")),
      s.r2 !== null && term("r2", `R² ${number(s.r2, 3)}`), s.id]), results[0], () => results.map(genomeTile)) : null;
  };
  const collectionOf = (c) => {
    const idOf = (name) => `${c.id}#${name}`;
    const some = c.ids.map((name) => ({ id: idOf(name), name }));
    const tiles = () => [some.map((g) => tile(g, address("look", g.id), null, chosen)), c.count > some.length ? h("li", { class: "tile" }, h("form", { submit: (event) => {
      event.preventDefault();
      location.hash = address("look", idOf(new FormData(event.target).get("name").trim()));
    } }, field("Another", h("input", { name: "name", required: true, autocomplete: "off" }), `Its id, or a number from 1 to ${c.count}.`))) : []].flat();
    return folded(c.name, between([term("genome", count(c.count, "genome")), c.id]), some[0], tiles, route().id === c.id);
  };
  const runsOf = (s) => {
    const all = runs.filter((run) => studyOf(run) === s);
    return all.length ? h("details", null, h("summary", null, `${count(all.length, "run")} of ${s.name}`), h("ul", { class: "tiles" }, all.map(runTile))) : null;
  };
  const bar = h("div", { class: "comparebar", hidden: true });
  const chosen = () => {
    const ids = [...main.querySelectorAll(".pick input:checked")].map((input) => input.dataset.id);
    bar.hidden = ids.length === 0;
    bar.replaceChildren(
      h("span", null, count(ids.length, "picture"), " chosen"),
      h("a", { class: "button main", href: address("compare", "", { ids: listed(ids) }) }, ids.length > 1 ? "Compare" : "Look at it beside its relatives"),
      button("Let go", () => {
        main.querySelectorAll(".pick input:checked").forEach((input) => (input.checked = false));
        chosen();
      }));
    if (!ids.every((id) => every.some((g) => g.id === id) || id.includes("#"))) return;
    bar.children[1].after(button(ids.length > 1 ? "Breed from them" : "Breed from it", () => newSession(ids).catch(complain)),
      ...(hasFiles && ids.length === 2 ? [filmSaver(() => ({ id: ids[0], wiring: "graph" }), () => ({ with: ids[1] }), "Film from one to the other")] : []));
  };
  const input = h("input", { type: "file", multiple: true, class: "hidden", tabindex: -1, "aria-label": "File to open", change: () => openFiles(input.files) });
  const open = button("Open a file", () => input.click());
  fill(main,
    h("header", { class: "page" },
      h("h1", null, "Pictures drawn by networks"),
      h("p", { class: "lead" }, "Breed them, look inside, move a weight, compare. Drop a genome, weights or a picture anywhere on this page to open it."),
      h("div", { class: "row" }, h("button", { type: "button", class: "main", click: () => newSession().catch(complain) }, "New session"), open, input),
      h("a", { class: "seeit", href: "#/see" }, h("b", null, "See it"), h("span", null, "One picture, two networks: one bred, one trained. Move one weight in each, and look at what is left."))),
    mine.length ? shelf("Sessions", mine.map((s) => tile(s, address("breed", s.name), term("generation", `generation ${s.generation}`)))) : null,
    genomes.length ? shelf("Genomes", genomes.map(genomeTile)) : null,
    ownRuns.length ? shelf("Trained and pruned", ownRuns.map(runTile)) : null,
    collections.length ? h("section", null, h("h2", null, "Collections"), collections.map(collectionOf)) : null,
    searches.length ? h("section", null, h("h2", null, "Searches"), searches.map(searchOf)) : null,
    pictures.length ? shelf("Pictures to learn", pictures.map((p) => tile(p, address("look", p.id), "opened"))) : null,
    others.length ? h("section", null, h("h2", null, "Sessions bred elsewhere"), h("ul", { class: "lines" }, others.map((s) =>
      h("li", null, button(leaf(s.id), () => adopt(s.id).catch(complain)), h("span", null, `${s.id}: generation ${s.generation}; goes on in a copy`))))) : null,
    studies.length ? h("section", { class: "studies" }, h("h2", null, "Studies"), h("ul", { class: "tiles" }, studies.map((s) => tile(s, address("study", s.id), s.question))),
      studies.map(runsOf)) : null,
    unread.length ? h("section", null, h("h2", null, "Could not be read"), h("ul", { class: "lines" }, unread.map((u) => h("li", null, h("span", null, u.id), h("span", null, u.why))))) : null,
    hasFiles && !genomes.length && !runs.length && !mine.length
      ? h("p", { class: "empty" }, "There is nothing of your own here yet. Begin a session, open a file, or take one of those below.") : null,
    builtin.length ? shelf("Come with Picloom", builtin.map(genomeTile), "Look inside, compare, breed from them: what you make of one is yours.") : null,
    bar);
  requestAnimationFrame(() => requestAnimationFrame(() => main.querySelector(".folded[open]")?.scrollIntoView()));
  for (const list of main.querySelectorAll("ul.tiles")) arrows(list, [...list.querySelectorAll("a")]);
  keys([["←→↑↓", "from picture to picture"], ["Enter", "look at it"], ["c", "choose it for comparison", () => {
    document.activeElement.closest(".tile")?.querySelector(".pick input")?.click();
  }], ["n", "a new session", () => newSession().catch(complain)], ["o", "open a file", () => open.click()]]);
}

/** Goes on with a session that lies elsewhere, in a copy. */
async function adopt(id) {
  const session = await post("sessions", { from: [id] }, "Breeding it again");
  location.hash = address("breed", session.name);
}

/** The arch of weights that do not name theirs; none if nobody says. */
async function archOf(file) {
  if (!/\.npz$/i.test(file.name)) return undefined;
  const answer = await ask(`Which network has the weights of ${file.name}?`, [
    field("Arch", h("input", { name: "arch", placeholder: "12;cache:15,gaussian:4,identity:2,sin:1", required: true, spellcheck: false }),
      "Hidden layers; units of each layer by activation."),
  ], "Open");
  return answer?.arch;
}

// Side of a picture that is made square here, at most.
const LARGEST = 1024;

/** A picture that is not square, or that one can see through, as the square that somebody wants of it; null if none is wanted. Any other file as it is. */
async function squared(file) {
  const image = /^image\//.test(file.type) ? await createImageBitmap(file).catch(() => null) : null;
  if (!image) return file;
  const { width, height } = image;
  const side = Math.min(LARGEST, Math.max(width, height));
  const canvas = square(side);
  const on = canvas.getContext("2d", { willReadFrequently: true });
  on.drawImage(image, 0, 0, side, side);
  const isClear = on.getImageData(0, 0, side, side).data.some((value, i) => i % 4 === 3 && value < 255);
  if (width === height && !isClear) return file;
  const answer = await ask(`How is ${file.name} meant?`, [
    width !== height && field("It is not square", select([["crop", "its middle"], ["pad", "all of it, with an edge"], ["stretch", "stretched"]], "crop", () => {}, { name: "fit" })),
    field(isClear ? "Behind what one can see through" : "The edge, where there is one", select([["#fff", "white"], ["#000", "black"], ["#808080", "grey"]], "#fff", () => {}, { name: "behind" })),
  ], "Open");
  if (!answer) return null;
  const scale = side / (answer.fit === "pad" ? Math.max(width, height) : Math.min(width, height));
  const [w, h] = answer.fit === "stretch" ? [side, side] : [width * scale, height * scale];
  on.fillStyle = answer.behind;
  on.fillRect(0, 0, side, side);
  on.drawImage(image, (side - w) / 2, (side - h) / 2, w, h);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return new File([blob], file.name.replace(/\.[^.]*$/, ".png"), { type: "image/png" });
}

/** Opens files, and shows the last. */
export async function openFiles(files) {
  let last;
  for (const given of files) {
    try {
      const file = await squared(given);
      if (!file) continue;
      last = await upload(file, await archOf(file));
      say(`${file.name} is open`);
    } catch (error) {
      complain(error);
    }
  }
  if (!last) return;
  location.hash = address(last.page ?? "look", last.id);
}

/** Files may be dropped anywhere. */
export function takeDrops() {
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => !event.relatedTarget && document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    openFiles(event.dataTransfer.files);
  });
}

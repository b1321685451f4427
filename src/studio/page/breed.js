// Breeding: a sheet of pictures, a choice, the next sheet.

import { arrows, ask, button, choice, complain, count, field, fill, h, keys, say, square } from "./dom.js";
import { address, leaf, rename } from "./route.js";
import { meaning, term } from "./words.js";
import { foresee, get, getWithPixels, hasFiles, post, postForPixels, saveAt, showAt } from "./api.js";
import { larger } from "./large.js";
import { managed } from "./manage.js";
import { newSession } from "./start.js";
import { treeOf } from "./tree.js";
import { filmSaver, pictureSaver } from "./save.js";

// Side of the pictures: first a quick sheet, then a sharp one.
const [QUICK, SHARP] = [128, 256];
// The next sheet is drawn before it is asked for: so long after a choice, in ms, where that takes less than so long.
const [PAUSE, PATIENCE] = [20, 500];

const under = (name) => `sessions/${encodeURIComponent(name)}`;

/** Shows a session. */
export async function showBreed(main, { id: name, query }) {
  let [session, first] = await getWithPixels(under(name), { node: query.get("node") ?? undefined, size: QUICK }, "Reading the session");
  let shown = query.get("node") === null ? session.at : Number(query.get("node"));
  let [chosen, sheets, focus] = [new Set(), 0, 0];
  let parts = query.get("parts") ?? session.parts;
  let cells = [];

  const title = h("h1", null, session.title ?? session.name);
  const lead = h("p", { class: "lead" });
  const brood = h("div", { class: "brood", role: "group", "aria-label": "The sheet" });
  const changes = h("div", { class: "changes", "aria-live": "polite" });
  const tree = h("div", { class: "tree", tabindex: 0, role: "region", "aria-label": "Lineage" });
  const slider = h("input", { type: "range", min: 0, max: 1, step: 0.05, value: query.get("strength") ?? session.slider, "aria-label": "Strength of changes", change: settled, input: () => (strength.textContent = slider.value) });
  const strength = h("output", { title: meaning("strength"), "data-term": "strength" }, slider.value);
  const go = button("Breed", breed, { class: "main" });
  const undo = button("Undo", () => step("undo"));
  const redo = button("Redo", () => step("redo"));
  const more = h("div", { class: "row" });

  // One thing at a time, and nothing twice.
  let working = false;
  async function tell(what, body, words) {
    if (working) return [];
    working = true;
    brood.setAttribute("aria-busy", "true");
    try {
      return await postForPixels(`${under(name)}/${what}`, { version: session.version, ...body }, words);
    } catch (error) {
      if (error.status === 409 && error.answer?.session) {
        await stand(error.answer.session);
        complain("This session went on in another tab. Here is where it stands now; nothing was lost.");
      } else complain(error);
      return [];
    } finally {
      working = false;
      brood.removeAttribute("aria-busy");
    }
  }

  const choiceNow = () => ({ at: shown, chosen: [...chosen], slider: Number(slider.value), parts });

  // What the choice is going to lead to: pixels, once they are there, and the version of the session that has them.
  let [foreseen, took] = [null, 0];
  function look() {
    foreseen?.control.abort();
    foreseen = null;
    if (!chosen.size) return;
    // It is tried again after a while.
    if (took > PATIENCE) return void (took /= 2);
    const mine = (foreseen = { control: new AbortController(), seen: null });
    setTimeout(() => {
      if (mine.control.signal.aborted) return;
      const began = performance.now();
      const body = { version: session.version, ...choiceNow(), size: QUICK };
      mine.seen = foresee(`${under(name)}/foresee`, body, mine.control.signal).then(([next, pixels]) => {
        took = performance.now() - began;
        Object.assign(mine, { version: next.version, pixels });
      }, () => {}); // Whatever goes wrong is told when it is asked for.
    }, PAUSE);
  }

  async function breed(event) {
    if (working) return;
    if (!chosen.size) return say("Choose one picture or more first");
    performance.mark("breed", { startTime: event?.timeStamp });
    const ahead = foreseen?.seen ? foreseen : null;
    if (!ahead) foreseen?.control.abort();
    const [from, before, ready] = [sheets, painted, ahead?.pixels];
    if (ready) {
      sheets++;
      put(ready, QUICK);
      requestAnimationFrame(() => performance.measure("breed", "breed"));
    }
    const [next, drawn] = await tell("breed", { ...choiceNow(), size: ahead ? undefined : QUICK }, "Breeding");
    // Not kept, and nobody has said how it stands: as it was.
    if (!next && ready && sheets === from + 1) put(...before);
    if (!next) return;
    await ahead?.seen;
    await stand(next, next.at, ahead?.version === next.version ? ahead.pixels : drawn);
    // How long it took from the click until the step was kept and shown, and until the frame that has its pictures.
    performance.measure("bred", "breed");
    if (!ready) requestAnimationFrame(() => performance.measure("breed", "breed"));
    say(`Generation ${generation()}: ${count(session.sheet.length, "picture")}`);
  }

  async function step(way) {
    const [next, pixels] = await tell(way, { size: QUICK }, way === "undo" ? "Going back" : "Going on");
    if (next) await stand(next, next.at, pixels);
  }

  async function visit(node) {
    const [there, pixels] = await getWithPixels(under(name), { node, size: QUICK }, "Reading the sheet");
    await stand(there, node, pixels);
  }

  async function publish() {
    const place = chosen.size === 1 ? [...chosen][0] : focus;
    const picture = square(160, { class: "picture", role: "img", "aria-label": "The picture" });
    picture.getContext("2d").drawImage(cells[place].firstChild, 0, 0, 160, 160);
    const answer = await ask("Keep this picture", [picture,
      field("Name", h("input", { name: "name", required: true, maxlength: 60, autocomplete: "off" })),
      field("Tags", h("input", { name: "tags", autocomplete: "off", placeholder: "face, round" }), "Between commas."),
      h("p", { class: "note" }, "It becomes a genome in genomes/, beside this session."),
    ], "Keep");
    if (!answer) return;
    const tags = answer.tags.split(",").map((tag) => tag.trim()).filter(Boolean);
    if (shown !== session.at) {
      const [there] = await tell("goto", { node: shown }, "Going there");
      if (!there) return;
      session = there;
    }
    const [done] = await tell("publish", { place, name: answer.name, tags }, "Keeping it");
    if (!done) return;
    session = await get(under(name), null, "Reading the session");
    menu();
    say(`Kept as ${done.id}`);
  }

  const inside = (place) => address("look", `${session.id}/${shown}/${place}`);
  const generation = () => session.nodes.find((node) => node.n === shown)?.generation ?? 0;

  /** Shows a state of the session on its sheet number `node`; `pixels` are that sheet's, where they came along. */
  async function stand(next, node = next.at, pixels = null) {
    session = next;
    shown = node;
    chosen = new Set();
    look();
    await paint(pixels);
    menu();
    detail(focus);
    // The rest when the pictures can be seen.
    requestAnimationFrame(() => setTimeout(() => {
      if (!brood.isConnected) return;
      lineage();
      named();
    }));
  }

  /** What may change, and how much, is another. */
  function settled() {
    look();
    named();
  }

  /** The address has what a reload would lose. */
  function named() {
    rename("breed", session.name, { node: shown === session.at ? undefined : shown, chosen: [...chosen].join(","),
      strength: Number(slider.value) === session.slider ? undefined : slider.value, parts: parts === "both" ? undefined : parts });
  }

  /** The pictures to choose from: the elements stay from sheet to sheet. */
  function lay() {
    if (cells.length !== session.sheet.length) {
      cells = session.sheet.map((_, place) => {
        const element = h("button", { type: "button", click: () => toggle(place) }, square(QUICK, { "aria-hidden": "true" }));
        element.addEventListener("focus", () => {
          focus = place;
          if (!chosen.size) detail(place);
        });
        // The buttons beside it act on what is chosen.
        element.addEventListener("pointerenter", () => chosen.size || detail(place));
        return element;
      });
      brood.replaceChildren(...cells);
      arrows(brood, cells);
      focus = 0;
    }
    session.sheet.forEach((cell, i) => {
      cells[i].className = cell.kept ? "kept" : "";
      cells[i].setAttribute("aria-pressed", "false");
      cells[i].setAttribute("aria-label", `Picture ${i}, ${count(cell.links, "link")}${cell.kept ? ", the parent" : ""}`);
    });
  }

  let painted = null;
  /** Puts pictures into the places of the sheet. */
  function put(drawn, side) {
    painted = [drawn, side];
    cells.forEach((cell, i) => {
      const [canvas, one] = [cell.firstChild, 4 * side * side];
      if (canvas.width !== side) canvas.width = canvas.height = side;
      // Kept in plain memory: they are written, not drawn on.
      canvas.getContext("2d", { willReadFrequently: true }).putImageData(new ImageData(drawn.subarray(i * one, (i + 1) * one), side, side), 0, 0);
    });
  }

  /** Draws the sheet: quickly, and once more sharply when there is time. */
  async function paint(pixels) {
    const mine = ++sheets;
    const ask = async (side) => (await getWithPixels(`${under(name)}/sheet`, { node: shown, size: side }, "Drawing the sheet"))[1];
    const quick = pixels ?? (await ask(QUICK));
    if (mine !== sheets) return;
    lay();
    put(quick, QUICK);
    setTimeout(() => mine === sheets && ask(SHARP).then((drawn) => mine === sheets && put(drawn, SHARP)).catch(complain), 300);
  }

  function lineage() {
    const had = tree.contains(document.activeElement);
    tree.replaceChildren(treeOf(session.nodes, { at: session.at, shown, go: (n) => visit(n).catch(complain),
      picture: (image, n) => showAt(image, `${under(name)}/picture`, { node: n.parent ?? n.n, place: n.chosen?.[0] ?? 0, size: 96 }) }));
    const mark = tree.querySelector("[aria-current]");
    if (!mark) return;
    if (had) mark.focus();
    // What is shown stands in the middle of what can be seen of it.
    const [box, own] = [tree, mark].map((element) => element.getBoundingClientRect());
    tree.scrollLeft += own.left - box.left - box.width / 2;
  }

  function toggle(place) {
    if (!chosen.delete(place)) chosen.add(place);
    cells[place].setAttribute("aria-pressed", String(chosen.has(place)));
    detail([...chosen].at(-1) ?? place);
    look();
    menu();
    named();
  }

  function detail(place) {
    const cell = session.sheet[place];
    if (!cell) return;
    const words = cell.changes?.length ? h("ul", null, cell.changes.map((change) => h("li", null, change))) : h("p", { class: "note" }, cell.kept ? "The parent, unchanged." : "From the start.");
    changes.replaceChildren(h("h3", null, `Picture ${place}`), h("small", null, term("node", count(cell.nodes, "node")), ", ", term("link", count(cell.links, "link"))), words);
  }

  function menu() {
    const away = shown !== session.at;
    const held = [["palette", "free"], ["symmetry", "none"], ["background", "free"]].filter(([key, usual]) => session[key] && session[key] !== usual).map(([key]) => `${key} ${session[key].includes(",") ? "of your own" : session[key]}`);
    lead.replaceChildren(term("generation", `Generation ${generation()}`), held.length ? ` (${held.join(", ")})` : "", `${away ? ", an earlier sheet: breed from it to branch" : ""}. ${
      chosen.size ? `${count(chosen.size, "picture")} chosen.` : "Choose what you like, and breed."}`);
    go.textContent = chosen.size > 1 ? `Breed ${chosen.size} together` : "Breed";
    go.disabled = chosen.size === 0;
    undo.disabled = !session.can_undo;
    redo.disabled = !session.can_redo;
    const place = chosen.size === 1 ? [...chosen][0] : null;
    const cell = session.sheet[place];
    const at = { node: shown, place };
    more.replaceChildren(...(place === null ? [h("small", null, hasFiles ? "Choose one to keep it, to look inside, or to save it." : "Choose one to look inside, to train on it, or to save it.")] : [
      hasFiles && button("Keep …", publish),
      h("a", { class: "button", href: inside(place) }, "Look inside"), large,
      button("Other colours …", () => newSession([one().id], [`picture ${place}`]).catch(complain), { title: "A new session from this picture, in another palette" }),
      !hasFiles && h("a", { class: "button", href: address("train", `${session.id}/${shown}/${place}`) }, "Train"),
      genome(at), saver, hasFiles && shown > 0 ? film : null].filter(Boolean)));
    published.replaceChildren(...(session.published?.length ? [h("h3", null, "Kept"), h("ul", null, session.published.map((id) =>
      h("li", null, h("a", { href: address("look", id) }, id))))] : []));
  }

  const genome = (at) => {
    const link = h("a", { class: "button" }, "Genome");
    saveAt(link, `${under(name)}/genome`, at);
    return link;
  };
  const published = h("div");
  const one = () => ({ id: `${session.id}/${shown}/${[...chosen][0]}`, wiring: "graph" });
  const saver = hasFiles ? pictureSaver(one) : null;
  const large = larger(() => ({ ...one(), name: `Picture ${[...chosen][0]}` }));
  const film = filmSaver(one, () => ({}), "Film from the first ancestor to this picture");
  fill(main, h("header", { class: "page" }, title, lead),
    h("div", { class: "nursery" }, brood,
      h("div", { class: "controls" }, go, h("div", { class: "row" }, undo, redo),
        field("Strength of changes", h("div", { class: "row" }, slider, strength)),
        choice("What may change", [["both", "all"], ["structure", "structure"], ["colour", "colour"]], parts, (value) => {
          parts = value;
          settled();
        }),
        changes, more, published)),
    h("section", null, h("h2", null, "Lineage"), h("p", { class: "note" }, "Every sheet of this session, under the picture it was bred from. Take one to go back to it."), tree),
    h("p", { class: "note" }, hasFiles ? "Kept after every step; a session begins again where it was left. " : "The address holds the whole session. ", button("A new session", () => newSession().catch(complain))),
    hasFiles && h("div", { class: "row" }, managed(session, { go: ({ id }) => address("breed", leaf(id)), copy: () => post("sessions", { from: [session.id], name: session.name }, "Copying it").then((copy) => (location.hash = address("breed", copy.name))) })));
  await stand(session, shown, first);
  for (const place of (query.get("chosen") ?? "").split(",")) if (place !== "" && cells[place]) toggle(Number(place));
  keys([["←→↑↓", "from picture to picture"], [" ", "choose, or let go"], ["Enter", "breed from what is chosen (or from the picture with the focus)"], ["b", "breed", () => breed().catch(complain)], ["l", "look inside the picture with the focus", () => (location.hash = inside(focus))], ["u", "undo", () => step("undo")], ["r", "redo", () => step("redo")],
    ...(!hasFiles ? [] : [["p", "keep the picture with the focus", () => {
      if (chosen.size !== 1) {
        [...chosen].forEach(toggle);
        toggle(focus);
      }
      publish().catch(complain);
    }]]),
    ["a", "choose none", () => [...chosen].forEach(toggle)]]);
  brood.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (!chosen.size) toggle(focus);
    breed(event).catch(complain);
  });
  return () => {
    sheets++;
    foreseen?.control.abort();
  };
}

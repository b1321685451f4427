// Breeding: a sheet of pictures, a choice, the next sheet.

import { arrows, ask, button, choice, complain, count, field, fill, h, keys, say, select, square } from "./dom.js";
import { address, rename } from "./route.js";
import { bytes, call, get, post } from "./api.js";
import { newSession } from "./start.js";
import { treeOf } from "./tree.js";

// Side of the pictures: first a quick sheet, then a sharp one.
const [QUICK, SHARP] = [128, 256];

const under = (name) => `sessions/${encodeURIComponent(name)}`;

/** Shows a session. */
export async function showBreed(main, { id: name, query }) {
  let session = await get(under(name), { node: query.get("node") ?? undefined }, "Reading the session");
  let shown = query.get("node") === null ? session.at : Number(query.get("node"));
  let [chosen, sheets, focus] = [new Set(), 0, 0];
  let parts = session.parts ?? "both";
  let cells = [];

  const title = h("h1", null, session.name);
  const lead = h("p", { class: "lead" });
  const brood = h("div", { class: "brood", role: "group", "aria-label": "The sheet" });
  const changes = h("div", { class: "changes", "aria-live": "polite" });
  const tree = h("div", { class: "tree", tabindex: 0, role: "region", "aria-label": "Lineage" });
  const slider = h("input", { type: "range", min: 0, max: 1, step: 0.05, value: session.slider ?? 0.5, "aria-label": "Strength of changes", input: () => (strength.textContent = slider.value) });
  const strength = h("output", null, String(session.slider ?? 0.5));
  const go = button("Breed", breed, { class: "main" });
  const undo = button("Undo", () => step("undo"));
  const redo = button("Redo", () => step("redo"));
  const more = h("div", { class: "row" });

  // One thing at a time, and nothing twice.
  let working = false;
  async function tell(what, body, words) {
    if (working) return;
    working = true;
    brood.setAttribute("aria-busy", "true");
    try {
      const answer = await post(`${under(name)}/${what}`, { version: session.version, ...body }, words);
      return answer;
    } catch (error) {
      if (error.status === 409 && error.answer?.session) {
        await stand(error.answer.session);
        complain("This session went on in another tab. Here is where it stands now; nothing was lost.");
      } else complain(error);
    } finally {
      working = false;
      brood.removeAttribute("aria-busy");
    }
  }

  async function breed() {
    if (!chosen.size) return say("Choose one picture or more first");
    performance.mark("breed");
    const places = [...chosen];
    const next = await tell("breed", { at: shown, chosen: places, slider: Number(slider.value), parts }, "Breeding");
    if (!next) return;
    await stand(next);
    performance.measure("breed", "breed");
    say(`Generation ${generation()}: ${count(session.sheet.length, "picture")}`);
  }

  async function step(way) {
    const next = await tell(way, {}, way === "undo" ? "Going back" : "Going on");
    if (next) await stand(next);
  }

  async function visit(node) {
    const there = await get(under(name), { node }, "Reading the sheet").catch(complain);
    if (there) await stand(there, node);
  }

  async function publish() {
    const place = chosen.size === 1 ? [...chosen][0] : focus;
    const picture = square(160, { class: "picture", role: "img", "aria-label": "The picture" });
    picture.getContext("2d").drawImage(cells[place].firstChild, 0, 0, 160, 160);
    const answer = await ask("Publish this picture", [picture,
      field("Name", h("input", { name: "name", required: true, maxlength: 60, autocomplete: "off" })),
      field("Tags", h("input", { name: "tags", autocomplete: "off", placeholder: "face, round" }), "Between commas."),
    ], "Publish");
    if (!answer) return;
    const tags = answer.tags.split(",").map((tag) => tag.trim()).filter(Boolean);
    if (shown !== session.at) {
      const there = await tell("goto", { node: shown }, "Going there");
      if (!there) return;
      session = there;
    }
    const done = await tell("publish", { place, name: answer.name, tags }, "Publishing");
    if (!done) return;
    session = await get(under(name), null, "Reading the session");
    menu();
    say(`Published as ${done.id}`);
  }

  const generation = () => session.nodes.find((node) => node.n === shown)?.generation ?? 0;

  /** Shows a state of the session, and of its sheets number `node`. */
  async function stand(next, node = next.at) {
    session = next;
    shown = node;
    chosen = new Set();
    rename("breed", name, { node: shown === session.at ? undefined : shown });
    cells = session.sheet.map((cell) => {
      const element = h("button", { type: "button", "aria-pressed": "false", class: cell.kept ? "kept" : null,
        "aria-label": `Picture ${cell.place + 1}, ${count(cell.links, "link")}${cell.kept ? ", the parent" : ""}`, click: () => toggle(cell.place) }, square(QUICK, { "aria-hidden": "true" }));
      element.addEventListener("focus", () => detail((focus = cell.place)));
      element.addEventListener("pointerenter", () => detail(cell.place));
      return element;
    });
    const had = brood.contains(document.activeElement);
    await paint();
    brood.replaceChildren(...cells);
    const to = arrows(brood, cells);
    focus = Math.min(focus, cells.length - 1);
    to(focus, had);
    menu();
    detail(focus);
    tree.replaceChildren(treeOf(session.nodes, { at: session.at, shown, go: (n) => visit(n).then(() => tree.querySelector("[aria-current]")?.focus()),
      picture: (n) => call(`${under(name)}/picture`, { node: n.parent ?? n.n, place: n.chosen?.[0] ?? 0, size: 96 }) }));
  }

  /** Draws the sheet: quickly, and once more sharply when there is time. */
  async function paint() {
    const mine = ++sheets;
    const draw = async (side) => {
      const [pixels] = await bytes(`${under(name)}/sheet`, { node: shown, size: side, raw: 1 }, { what: "Drawing the sheet" });
      if (mine !== sheets) return;
      const one = 4 * side * side;
      cells.forEach((cell, i) => {
        const canvas = cell.firstChild;
        canvas.width = canvas.height = side;
        canvas.getContext("2d").putImageData(new ImageData(pixels.subarray(i * one, (i + 1) * one), side, side), 0, 0);
      });
    };
    await draw(QUICK);
    setTimeout(() => mine === sheets && draw(SHARP).catch(complain), 300);
  }

  function toggle(place) {
    if (!chosen.delete(place)) chosen.add(place);
    cells[place].setAttribute("aria-pressed", String(chosen.has(place)));
    menu();
  }

  function detail(place) {
    const cell = session.sheet[place];
    if (!cell) return;
    const words = cell.changes?.length ? h("ul", null, cell.changes.map((change) => h("li", null, change))) : h("p", { class: "note" }, cell.kept ? "The parent, unchanged." : "From the start.");
    changes.replaceChildren(h("h3", null, `Picture ${place + 1}`), h("small", null, `${cell.nodes} nodes, ${count(cell.links, "link")}`), words);
  }

  function menu() {
    const away = shown !== session.at;
    lead.textContent = `Generation ${generation()}${away ? ", an earlier sheet: breed from it to branch" : ""}. ${
      chosen.size ? `${chosen.size} chosen.` : "Choose what you like, and breed."}`;
    go.textContent = chosen.size > 1 ? `Breed ${chosen.size} together` : "Breed";
    go.disabled = chosen.size === 0;
    undo.disabled = !session.can_undo;
    redo.disabled = !session.can_redo;
    const place = chosen.size === 1 ? [...chosen][0] : null;
    const cell = session.sheet[place];
    const at = { node: shown, place };
    more.replaceChildren(...(place === null ? [h("small", null, "With one chosen: publish it, or take it along.")] : [
      button("Publish …", publish),
      h("a", { class: "button", href: call(`${under(name)}/genome`, at), download: `${session.name}-${cell.id}.json` }, "Genome"),
      h("a", { class: "button", href: call(`${under(name)}/picture`, { ...at, size: Number(size.value) }), download: `${session.name}-${cell.id}.png` }, "PNG"), size]));
    published.replaceChildren(...(session.published?.length ? [h("h3", null, "Published"), h("ul", null, session.published.map((id) =>
      h("li", null, h("a", { href: address("look", id) }, id))))] : []));
  }

  const published = h("div");
  const size = select([256, 512, 1024, 2048, 4096].map((n) => [String(n), `${n}²`]), "512", () => menu(), { "aria-label": "Size of the PNG" });
  fill(main, h("header", { class: "page" }, title, lead),
    h("div", { class: "nursery" }, brood,
      h("div", { class: "controls" }, go, h("div", { class: "row" }, undo, redo),
        field("Strength of changes", h("div", { class: "row" }, slider, strength)),
        choice("What may change", [["both", "all"], ["structure", "structure"], ["colour", "colour"]], parts, (value) => (parts = value)),
        changes, more, published)),
    h("section", null, h("h2", null, "Lineage"), h("p", { class: "note" }, "Every sheet of this session, under the picture it was bred from. Take one to go back to it."), tree),
    h("p", { class: "note" }, "Kept after every step; a session begins again where it was left. ", button("A new session", () => newSession().catch(complain))));
  await stand(session, shown);
  keys([["←→↑↓", "from picture to picture"], [" ", "choose, or let go"], ["Enter", "breed from what is chosen (or from the picture with the focus)"], ["b", "breed", breed], ["u", "undo", () => step("undo")], ["r", "redo", () => step("redo")],
    ["p", "publish the picture with the focus", () => {
      if (chosen.size !== 1) {
        [...chosen].forEach(toggle);
        toggle(focus);
      }
      publish().catch(complain);
    }],
    ["a", "choose none", () => [...chosen].forEach(toggle)]]);
  brood.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (!chosen.size) toggle(focus);
    breed().catch(complain);
  });
  return () => sheets++;
}

// A study: its question, its figures, what it decided, and every network of it.

import { field, fill, h, keys, number, select } from "./dom.js";
import { address, leaf, rename } from "./route.js";
import { meaning, term } from "./words.js";
import { get } from "./api.js";
import { depthMaps } from "./charts.js";

const COLUMNS = [["target", "Picture"], ["arm", "Arm"], ["depth", "Layers"], ["kept", "Links"], ["seed", "Seed"], ["r2", "R²"], ["score", "Score"]];
const NUMBERS = ["depth", "kept", "seed", "r2", "score"];
// What a column is, in the table of words.
const TERMS = { depth: "layer", kept: "kept", seed: "seed", r2: "r2", score: "score" };

/** Shows one study. */
export async function showStudy(main, { id, query }) {
  const study = await get("study", { id }, "Reading the study");
  const used = COLUMNS.filter(([name]) => study.rows?.some((row) => row[name] !== null && row[name] !== undefined));
  const value = (v) => (typeof v === "number" && !Number.isInteger(v) ? number(v) : v ?? "–");
  const maps = h("div", { class: "facets" });
  // Ways of pruning one at a time, beside what was not pruned.
  const pruned = [...new Set(study.rows?.filter((row) => row.level).map((row) => row.arm))];
  const draw = (arm) => maps.replaceChildren(...depthMaps((study.rows ?? []).filter((row) => !row.level || row.arm === arm), (row) => row.run && address("look", row.run))
    .map(([target, chart]) => h("figure", null, h("h3", null, target), chart)));
  const arm = pruned.includes(query.get("arm")) ? query.get("arm") : pruned[0];
  draw(arm);
  const list = h("tbody");
  let by = null;
  /** Fills the table, by a column upwards, a second time downwards. */
  function sort(name) {
    const rows = [...(study.rows ?? [])];
    const order = (a, b) => (typeof a[name] === "number" ? a[name] - (b[name] ?? Infinity) : String(a[name] ?? "~").localeCompare(String(b[name] ?? "~")));
    if (name) rows.sort(by === name ? (a, b) => order(b, a) : order);
    by = by === name ? null : name;
    list.replaceChildren(...rows.map((row) => h("tr", { class: row.fit === false ? "pale" : null },
      h("td", null, row.run ? h("a", { href: address("look", row.run) }, row.label) : row.label),
      used.map(([name]) => h("td", { class: NUMBERS.includes(name) ? "right" : null }, String(value(row[name])), name === "score" && row.fit === false && [" ", h("span", { class: "unfit", title: meaning("unfit"), "data-term": "unfit" }, "unfit")])))));
  }
  sort(null);
  fill(main,
    h("header", { class: "page" }, h("h1", null, study.name || leaf(id)), h("p", { class: "lead" }, study.question)),
    study.claims?.length ? h("section", null, h("h2", null, "What it decides"), h("ul", { class: "lines" }, study.claims.map((claim) =>
      h("li", null, h("span", { class: "verdict" }, claim.verdict?.verdict ?? claim.verdict), h("span", null, claim.claim))))) : null,
    study.figures?.length ? h("section", null, h("h2", null, "Figures"), h("div", { class: "figures" }, study.figures.map((figure) =>
      h("figure", null, h("div", { class: "paper", tabindex: 0, role: "region", "aria-label": figure.name }, h("img", { src: figure.url, alt: figure.caption || figure.name, loading: "lazy" })),
        h("figcaption", null, figure.caption || figure.name))))) : null,
    maps.children.length > 0 && h("section", { class: "regime" }, h("h2", null, "By depth and links"),
      h("p", { class: "note" }, "Each point a network: layers across, links kept upwards. Red: a changed weight damages the picture; green: it stays clean; hollow: not scored, or unfit. Take one to look inside."),
      pruned.length > 1 && h("div", { class: "row" }, field("Pruned by", select(pruned.map((name) => [name, name]), arm, (name) => {
        draw(name);
        rename("study", id, { arm: name });
      }))), maps),
    study.rows?.length ? h("section", null, h("h2", null, "Every network"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of networks" },
      h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Network"), used.map(([name, title]) => h("th", { scope: "col", class: NUMBERS.includes(name) ? "right" : null }, 
          h("button", { type: "button", class: "plain", title: "Sort by it", click: () => sort(name) }, TERMS[name] ? term(TERMS[name], title) : title))))),
        list))) : null,
    study.left_out ? h("p", { class: "note" }, `${study.left_out} more are in its record.`) : null);
  keys([]);
}

// A study: its question, its figures, what it decided, and every network of it.

import { fill, h, keys, number } from "./dom.js";
import { address, leaf } from "./route.js";
import { get } from "./api.js";

const COLUMNS = [["target", "Picture"], ["arm", "Arm"], ["depth", "Depth"], ["seed", "Seed"], ["score", "Score"]];

/** Shows one study. */
export async function showStudy(main, { id }) {
  const study = await get("study", { id }, "Reading the study");
  const used = COLUMNS.filter(([name]) => study.rows?.some((row) => row[name] !== null && row[name] !== undefined));
  const value = (v) => (typeof v === "number" && !Number.isInteger(v) ? number(v) : v ?? "–");
  fill(main,
    h("header", { class: "page" }, h("h1", null, study.name || leaf(id)), h("p", { class: "lead" }, study.question)),
    study.claims?.length ? h("section", null, h("h2", null, "What it decides"), h("ul", { class: "lines" }, study.claims.map((claim) =>
      h("li", null, h("span", null, claim.verdict ?? claim.status ?? ""), h("span", null, claim.claim ?? claim.text ?? claim.name))))) : null,
    study.figures?.length ? h("section", null, h("h2", null, "Figures"), h("div", { class: "figures" }, study.figures.map((figure) =>
      h("figure", null, h("div", { class: "paper", tabindex: 0, role: "region", "aria-label": figure.name }, h("img", { src: figure.url, alt: figure.caption || figure.name, loading: "lazy" })),
        h("figcaption", null, figure.caption || figure.name))))) : null,
    study.rows?.length ? h("section", null, h("h2", null, "Every network"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of networks" },
      h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Network"), used.map(([name, title]) => h("th", { scope: "col", class: name === "score" ? "right" : null }, title)))),
        h("tbody", null, study.rows.map((row) => h("tr", null,
          h("td", null, row.run ? h("a", { href: address("look", row.run) }, row.label) : row.label),
          used.map(([name]) => h("td", { class: name === "score" ? "right" : null }, String(value(row[name])))))))))) : h("p", { class: "note" }, "It has no rows yet."));
  keys([]);
}

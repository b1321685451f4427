// The lineage as a tree of pictures: every sheet a session has come to, and the picture it was bred from.

import { arrows, svg } from "./dom.js";

// Side of a picture, and how far generations and branches stand apart.
const [LEAF, ACROSS, DOWN] = [48, 78, 76];

/** Where each sheet stands: its generation across, its branch down. */
function spread(nodes) {
  const children = new Map(nodes.map((node) => [node.n, []]));
  for (const node of nodes) children.get(node.parent)?.push(node);
  const rows = new Map();
  let next = 0;
  // A sheet stands beside its first child; each further child opens a row.
  const lay = (node) => {
    const below = children.get(node.n);
    below.forEach(lay);
    rows.set(node.n, below.length ? rows.get(below[0].n) : next++);
  };
  nodes.filter((node) => node.parent === null || node.parent === undefined).forEach(lay);
  return rows;
}

/** Draws the tree. `picture(image, node)` lets an image show a sheet; `go(n)` is called with what was taken. */
export function treeOf(nodes, { at, shown, picture, go }) {
  const rows = spread(nodes);
  const wide = ACROSS * Math.max(...nodes.map((n) => n.generation)) + LEAF + 8;
  const high = DOWN * Math.max(...rows.values()) + LEAF + 24;
  const place = (node) => [4 + ACROSS * node.generation, 4 + DOWN * rows.get(node.n)];
  const by = new Map(nodes.map((node) => [node.n, node]));
  const lines = nodes.filter((node) => by.has(node.parent)).map((node) => {
    const [[x0, y0], [x1, y1]] = [place(by.get(node.parent)), place(node)];
    const [from, to, mid] = [x0 + LEAF, x1, (x0 + LEAF + x1) / 2];
    return svg("path", { class: "branch", d: `M${from} ${y0 + LEAF / 2}C${mid} ${y0 + LEAF / 2} ${mid} ${y1 + LEAF / 2} ${to} ${y1 + LEAF / 2}` });
  });
  const marks = nodes.map((node) => {
    const [x, y] = place(node);
    const image = svg("image", { x, y, width: LEAF, height: LEAF });
    picture(image, node);
    const named = node.generation ? `Generation ${node.generation}, bred from ${node.chosen.join(" and ")}` : "Generation 0, the first sheet";
    return svg("g", { class: "node", role: "button", tabindex: -1, "data-node": node.n, "aria-label": `${named}${node.n === at ? ", here" : ""}`,
      "aria-current": node.n === shown ? "true" : null },
    svg("rect", { x: x - 2, y: y - 2, width: LEAF + 4, height: LEAF + 4, rx: 6 }),
    image,
    svg("text", { x: x + LEAF / 2, y: y + LEAF + 15, "text-anchor": "middle", "aria-hidden": "true" }, node.n === at ? "here" : String(node.generation)));
  });
  const tree = svg("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, role: "group", "aria-label": "Sheets of this session" }, lines, marks);
  const taken = (event) => event.target.closest("[data-node]")?.dataset.node;
  tree.addEventListener("click", (event) => taken(event) !== undefined && go(Number(taken(event))));
  tree.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key) || taken(event) === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(Number(taken(event)));
  });
  arrows(tree, marks);
  return tree;
}

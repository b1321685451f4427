// See it: an evolved and a trained network of one picture, which come with the program, under one slider.

import { h } from "./dom.js";
import { beside } from "./compare.js";

// The genome in layers and its dense twin: as many layers, as many units, every link that there can be.
const PAIR = [["genomes/bred_moth.json", "layerized"], ["genomes/trained/bred_moth", "graph"]];

/** Shows the two. */
export async function showSee(main, { query }) {
  const more = h("p", { class: "seehint" }, "Move the slider, and look at what changes. ", h("b", null, "Does one part of the moth change, or does the whole picture come apart?"),
    " Then press “Another” under a picture, and look again: one weight says little, twenty say much.");
  const below = h("p", { class: "note" }, "Nobody chose these weights. Each column begins with the weight in the middle of its own ranking: half of those that can change the picture must move farther for it, half less far.");
  return beside(main, PAIR, query, {
    page: "see", title: "One picture, two networks",
    lead: "Both draw the same moth. The left one was bred, picture by picture. The right one has the same layers and units, and learned the picture by gradient descent. One slider moves one weight in each, until both pictures have changed by the same amount.",
    more, below,
  });
}

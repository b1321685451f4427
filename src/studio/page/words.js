// What the numbers and words of the page mean: one table, shown as tooltips.

import { h } from "./dom.js";

const MEANINGS = {
  score: "Score: the share of single-weight changes after which the picture is still coherent. 0 (every change breaks it) to 1 (none does).",
  interval: "Interval: where the score of all weights lies, 19 times out of 20. Both ends are between 0 and 1.",
  r2: "R²: how well the network draws the picture it learned. 1 is perfect, 0 is no better than one grey, below 0 is worse.",
  unfit: "Unfit: R² is below 0.95, so the network has not learned the picture and its score does not count.",
  loss: "Loss: mean squared difference between the picture drawn and the picture to learn, over all pixels and colours. 0 is perfect, 1 is black for white.",
  step: "Step: one change of all weights by gradient descent. From 0 to the number asked for.",
  effect: "Effect: how much the picture changes, as the root of the mean squared difference over pixels and colours (RMSE). 0 (not at all) to 1 (black for white).",
  weight: "Weight: by how much a link multiplies what it carries. Any number; 0 carries nothing, a negative one turns it round.",
  link: "Links: connections between two units, each with one weight. 0 or more.",
  unit: "Units: what computes. Each sums what comes in over its links and applies its function. 1 or more, the four inputs not counted.",
  node: "Nodes: the units of a genome, its four inputs and its outputs included. 5 or more.",
  genome: "Genomes: the graphs that a search kept, each a file that can be looked into, compared and bred from. 1 or more.",
  layer: "Layers: steps from the inputs to the picture, the last one included. 1 or more.",
  kept: "Links: those that the network kept of all that it could have, a number of 0 or more.",
  seed: "Seed: the number that the random first weights follow from. The same seed gives the same network. 0 or more.",
  generation: "Generation: how many times something was bred from the first sheet or the first random genomes. 0 or more.",
  rank: "Rank: the weights that can change the picture by the largest effect of the slider, both down and up, sorted by how far they must move for it. 1 is the nearest.",
  silent: "Silent: no move of this weight, up to 16 either way, changes the picture so much.",
  coherent: "Coherent: after the change it is still a picture, another one perhaps.",
  unclear: "Unclear: the judge cannot say whether it is still a picture.",
  fractured: "Fractured: the change has damaged the picture.",
  strength: "Strength of changes: how many genes change in a child, and how far. 0 (few) to 1 (many).",
};

/** A word or a number that says what it is when it is pointed at. */
export function term(name, ...children) {
  return h("span", { class: "term", title: MEANINGS[name], "data-term": name }, children);
}

/** What it says. */
export const meaning = (name) => MEANINGS[name];

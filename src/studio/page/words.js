// What the numbers and words of the page mean: one table, shown as tooltips.

import { h } from "./dom.js";

// The table is assets/words.json, which reports show, too.
const MEANINGS = {};

/** A word or a number that says what it is when it is pointed at. */
export function term(name, ...children) {
  return h("span", { class: "term", title: MEANINGS[name], "data-term": name }, children);
}

/** What it says. */
export const meaning = (name) => MEANINGS[name];

/** Ways to choose the links that stay, in plain words. */
export const STAY = { sp: "similar ones stay", magnitude: "large ones stay", random: "at random" };

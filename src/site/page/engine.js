// Asks the engine in its worker.

import { withoutRelaxed } from "./plain.js";

// In a site of one file everything stands in the page: the worker's text, and the engine, compressed, in base64.
const inside = globalThis.PICLOOM_SITE;

// A function that multiplies and adds relaxedly: a browser that takes it knows such vectors.
const RELAXED = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0,
  65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 133, 2, 11]);

/** Whether this browser has vectors whose multiply-add may round once. */
export const isRelaxed = typeof WebAssembly === "object" && WebAssembly.validate(RELAXED);

const answers = new Map();
let asked = 0;
let worker;

function send(message, bytes) {
  const n = ++asked;
  return new Promise((done, failed) => {
    answers.set(n, [done, failed]);
    worker.postMessage({ n, ...message, bytes });
  });
}

async function compiled() {
  let response;
  if (inside) {
    const bytes = Uint8Array.from(atob(inside["picloom.wasm"]), (letter) => letter.charCodeAt(0));
    response = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  } else {
    response = await fetch("picloom.wasm");
    if (!response.ok) throw new Error(`picloom.wasm: the server answered ${response.status}. The site is not whole; copy it once more.`);
  }
  // Not compiled as it comes: servers that do not know the kind of the file are common.
  const wasm = new Uint8Array(await response.arrayBuffer());
  return WebAssembly.compile(isRelaxed ? wasm : withoutRelaxed(wasm));
}

async function start() {
  // From a disk a browser starts no worker; the page of one file has its own inside.
  if (location.protocol === "file:" && !inside) {
    location.replace(`picloom.html${location.hash}`);
    await new Promise(() => {});
  }
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") throw new Error("This browser has no WebAssembly; a newer one can show this page.");
  const module = compiled();
  worker = new Worker(inside ? URL.createObjectURL(new Blob([inside["worker.js"]], { type: "text/javascript" })) : "worker.js");
  worker.onmessage = ({ data: { n, json, pixels, took, error } }) => {
    const [done, failed] = answers.get(n);
    answers.delete(n);
    if (error) failed(new Error(error));
    else done([json, pixels, took]);
  };
  worker.onerror = (event) => {
    for (const [, failed] of answers.values()) failed(new Error(`The engine could not begin: ${event.message ?? "its worker was not loaded"}.`));
    answers.clear();
  };
  const [json] = await send({ module: await module });
  return json;
}

/** Resolves to {fuses} once the engine is there: whether its pictures have the library's bits. */
export const engineReady = start();
engineReady.catch(() => {}); // Told to whoever asks.

/** Asks the engine: [json, bytes, milliseconds]. What is undefined or null is left out. */
export async function askEngine(ask, parameters, bytes) {
  await engineReady;
  const known = Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return send({ question: { ...Object.fromEntries(known), ask } }, bytes);
}

// The only place that asks the server.

import { busy } from "./dom.js";
import { given, isPicture, listed } from "./route.js";

/** The server keeps files: runs, sessions, long work, large pictures and films. */
export const hasFiles = true;

/** `/api/…?key=value` in the order given; what is undefined or null is left out. */
export function call(path, parameters) {
  const pairs = Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const query = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
  return query ? `/api/${path}?${query}` : `/api/${path}`;
}

/** Ids to compare: a network, and before it what it learned, if that is a network too and no picture. */
export function besideTarget(target, id) {
  return listed(target && target !== id && !isPicture(target) ? [target, id] : [id]);
}

/** A picture that was opened here: {id, name}; undefined for other ids. */
export const pictureOf = (id) => (isPicture(id) ? { id, name: given(id) } : undefined);

/** How a training is told of such a picture: parameters, and bytes. */
export const pictureToLearn = ({ id }) => [{ target: id }];

/** Networks that somebody gave along with the page. */
export const brought = [];

/** What the server refused: its message, its status, and the whole answer. */
export class Refusal extends Error {
  constructor(status, answer) {
    super(answer?.error ?? `The server answered ${status}.`);
    Object.assign(this, { status, answer });
  }
}

async function answered(request) {
  let response;
  try {
    response = await request;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The studio does not answer. Start `picloom studio` again in the same folder: nothing is lost.");
  }
  if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => null));
  return response;
}

/** A JSON answer. */
export function get(path, parameters, what = "Reading") {
  return busy(what, answered(fetch(call(path, parameters))).then((response) => response.json()));
}

/** A JSON answer, or null where there is none (404). */
export async function find(path, parameters, what) {
  try {
    return await get(path, parameters, what);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** Bytes, and a header of the answer. */
export async function bytes(path, parameters, { what = "Drawing", header, signal } = {}) {
  const response = await busy(what, answered(fetch(call(path, parameters), { signal })));
  return [new Uint8ClampedArray(await response.arrayBuffer()), header && response.headers.get(header)];
}

/** Pictures of a sheet, grey or in colour, as a canvas has them. */
function rgba(bytes, channels) {
  const words = new Uint32Array(bytes.length / channels);
  if (channels === 1) for (let i = 0; i < words.length; i++) words[i] = 0xff000000 | (bytes[i] * 0x010101);
  else for (let i = 0, k = 0; i < words.length; i++, k += 3) words[i] = 0xff000000 | (bytes[k + 2] << 16) | (bytes[k + 1] << 8) | bytes[k];
  return new Uint8ClampedArray(words.buffer);
}

/** An answer in JSON, and the pictures before it where there are any: [answer, pixels]. What is not said to be pixels stays as it is. */
async function parted(response) {
  const [end, channels] = ["x-json", "x-channels"].map((name) => response.headers.get(name));
  if (end === null) return [await response.json(), null];
  const all = new Uint8Array(await response.arrayBuffer());
  const json = new TextDecoder().decode(all.subarray(end));
  const before = all.subarray(0, end);
  return [json && JSON.parse(json), channels === null ? before : rgba(before, Number(channels))];
}

/** Reads an answer with pictures. */
export function getWithPixels(path, parameters, what = "Reading") {
  return busy(what, answered(fetch(call(path, parameters))).then(parted));
}

const posted = (path, body, signal) =>
  answered(fetch(call(path), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal })).then(parted);

/** Lets an element show a picture: `src` of an image, `href` of one in SVG. */
export function showAt(element, path, parameters) {
  element.setAttribute(element instanceof SVGElement ? "href" : "src", call(path, parameters));
}

/** Lets a link save a file. */
export function saveAt(link, path, parameters) {
  link.href = call(path, parameters);
  link.download = "";
}

/** Asks for something to be done, and for pixels with the answer. */
export const postForPixels = (path, body = {}, what = "Working") => busy(what, posted(path, body));

/** Asks for pixels before anybody waits for them. */
export const foresee = (path, body, signal) => posted(path, body, signal);

/** Asks for something to be done. */
export const post = (path, body, what) => postForPixels(path, body, what).then(([answer]) => answer);

let turn = Promise.resolve();

/** Asks about a training or a score that is looked on at: [json, bytes, milliseconds that the server took]. One question at a time, in the order that they were asked in. */
export function watch(ask, parameters) {
  const asked = turn.then(async () => {
    const response = await answered(fetch(call(`watched/${ask}`), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(parameters) }));
    return [...(await parted(response)), Number(response.headers.get("x-took"))];
  });
  turn = asked.catch(() => {}); // Told to whoever asked.
  return asked;
}

/** Keeps a training as it stands, as a run: its id. */
export const keepTraining = async (job) => (await watch("keep", { job }))[0].id;

/** Side of the pictures that a score judges: as large as those of studies. */
export const scoreSize = (network) => Math.min(128, network.size);

/** Keeps a score that is taken whole: the library and Look inside show it. */
export const keepScore = (job) => busy("Measuring", watch("keep-score", { job }));

/** Hands a file to the server. A picture is there to be learned. */
export function upload(file, arch) {
  const request = { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file };
  const opened = answered(fetch(call("open", { name: file.name, arch }), request)).then((response) => response.json());
  return busy(`Opening ${file.name}`, opened.then(({ id, kind }) => ({ id, page: { picture: "train", collection: "pictures" }[kind] ?? "look" })));
}

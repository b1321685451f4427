// The interface of the studio's modules, answered by the engine in this browser. The studio's own `api.js` asks a server.

import { busy, complain, say, square } from "./dom.js";
import { listed } from "./route.js";
import { askEngine } from "./engine.js";
import { contentId, ensureHeld, isContent, ready, sessionName, shared } from "./link.js";

/** Nobody keeps files: runs, long work, films. */
export const hasFiles = false;

// Side of a picture that a visitor brings, in pixels.
const BROUGHT = 128;
const pictures = new Map();

// A visitor's last pictures stay in the tab when the page is loaded again, where the browser lets pages keep something:
// the pixels, four bytes each, as text.
const [STORED, MOST_STORED] = ["picloom pictures", 8];
function storePictures() {
  const plain = [...pictures].slice(-MOST_STORED).map(([id, { name, canvas, isCut }]) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, BROUGHT, BROUGHT);
    return [id, name, isCut, btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""))];
  });
  try {
    sessionStorage.setItem(STORED, JSON.stringify(plain));
  } catch {
    // Full, or not allowed: the picture stays on this page alone.
  }
}
try {
  for (const [id, name, isCut, text] of JSON.parse(sessionStorage.getItem(STORED) ?? "[]")) {
    if (!/^brought\/\d+$/.test(id)) continue;
    const canvas = square(BROUGHT);
    canvas.getContext("2d", { willReadFrequently: true }).putImageData(new ImageData(Uint8ClampedArray.from(atob(text), (sign) => sign.charCodeAt(0)), BROUGHT), 0, 0);
    pictures.set(id, { name, canvas, isCut });
  }
} catch {
  // Not allowed, or not what this page wrote.
}

/** A visitor's picture: {name, canvas}; undefined for other ids. */
export function pictureOf(id) {
  if (id.startsWith("brought/") && !pictures.has(id)) throw new Error("This picture was only in the tab that it was dropped on. Drop it once more.");
  return pictures.get(id);
}

/** How a training is told of such a picture: parameters, and bytes: RGB, `size`² pixels. */
export function pictureToLearn({ canvas }, size) {
  const on = square(size).getContext("2d", { willReadFrequently: true });
  on.imageSmoothingQuality = "high";
  on.drawImage(canvas, 0, 0, size, size);
  const { data } = on.getImageData(0, 0, size, size);
  return [{}, Uint8Array.from({ length: 3 * size * size }, (_, i) => data[4 * Math.floor(i / 3) + (i % 3)])];
}

/** Networks that somebody gave along with the page. */
export const brought = [...shared.values()].filter((one) => one.entry?.nodes).map((one) => one.id);

/** Asks about a training or a score that is looked on at: [json, bytes, milliseconds]. */
export async function watch(ask, parameters, bytes) {
  await ready(parameters.id);
  return askEngine(ask, parameters, bytes);
}

/** Keeps a training as it stands: the id that carries it. */
export async function keepTraining(job) {
  const [{ text }] = await askEngine("train-text", { job });
  const id = await contentId(text, "trained");
  if (!isContent(id)) say("It is too large for a link; it stays while this page is open.");
  return id;
}

/** What the studio's server would be asked by. */
export const call = (path) => path;

/** Ids to compare: a network, and before it what it learned. */
export const besideTarget = (target, id) => listed(target && target !== id ? [target, id] : [id]);

/** What the engine refused. */
export class Refusal extends Error {}

/** A question for a path of the studio: [address, parameters]. What links and the site carry goes to the engine first. */
async function questionOf(path, parameters = {}) {
  const all = { ...parameters };
  for (const id of [all.id, ...(all.from ?? [])]) await ready(id);
  const found = /^sessions\/([^/]+)(.*)$/.exec(path);
  if (!found) return [path, all];
  const name = decodeURIComponent(found[1]);
  const { kind, session } = await ensureHeld(name);
  if (kind !== "session") throw new Error("This link carries a network, not a session. Look inside it, and breed from it there.");
  return [`sessions/${session}${found[2]}`, all];
}

/** What was answered; a session is named by what it has become. */
async function answered(path, parameters) {
  const [ask, all] = await questionOf(path, parameters);
  for (const [name, value] of Object.entries(all)) if (["node", "place", "size", "link"].includes(name) && value !== undefined && value !== null) all[name] = Number(value);
  const [json, pixels] = await askEngine(ask, all);
  if (json?.session !== undefined && json.nodes) {
    json.title = json.name;
    json.name = await sessionName(json.session);
  }
  return [json, pixels.length ? new Uint8ClampedArray(pixels.buffer) : null];
}

/** A JSON answer; null where there is none. Only scores that came with the site are kept. */
export async function get(path, parameters, what = "Reading") {
  if (path === "score") return shared.get(parameters.id)?.scores[parameters.wiring] ?? null;
  const [answer] = await busy(what, answered(path, parameters));
  if (path === "library") for (const { entry } of shared.values()) {
    const list = entry?.nodes ? answer.genomes : answer.runs;
    if (entry && !list.some((known) => known.id === entry.id)) list.push(entry);
  }
  return answer;
}

/** A JSON answer, or null where there is none. */
export const find = get;

/** Bytes, and what stands beside them: the columns of an atlas. */
export async function bytes(path, parameters, { what = "Drawing", header } = {}) {
  const [json, pixels] = await busy(what, answered(path, parameters));
  return [pixels, header === "x-columns" ? json.columns : null];
}

/** Reads an answer with pictures. */
export const getWithPixels = (path, parameters, what = "Reading") => busy(what, answered(path, parameters));

/** Asks for something to be done, and for pixels with the answer. */
export const postForPixels = (path, body = {}, what = "Working") => busy(what, answered(path, body));

/** Asks for pixels before anybody waits for them. */
export const foresee = (path, body) => answered(path, body);

/** Asks for something to be done. */
export const post = (path, body, what) => postForPixels(path, body, what).then(([answer]) => answer);

/** Lets an element show a picture once it is drawn. */
export function showAt(element, path, parameters) {
  const side = Number(parameters.size);
  const drawing = pictures.has(parameters.id)
    ? Promise.resolve(pictures.get(parameters.id).canvas)
    : answered(path === "thumb" ? "picture" : path, parameters).then(([, pixels]) => {
      const canvas = new OffscreenCanvas(side, side);
      canvas.getContext("2d").putImageData(new ImageData(pixels, side, side), 0, 0);
      return canvas;
    });
  drawing.then((canvas) => (canvas.convertToBlob ? canvas.convertToBlob() : new Promise((done) => canvas.toBlob(done)))).then((blob) => {
    const address = URL.createObjectURL(blob);
    element.addEventListener("load", () => URL.revokeObjectURL(address), { once: true });
    element.setAttribute(element instanceof SVGElement ? "href" : "src", address);
  }).catch(complain);
}

/** Lets a visitor save a text as a file. */
export function saveText(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Lets a link save a file: the engine writes it when it is asked for. */
export function saveAt(link, path, parameters) {
  link.href = "#";
  link.onclick = (event) => {
    event.preventDefault();
    answered(path, parameters).then(([{ name, text }]) => saveText(name, text)).catch(complain);
  };
}

/** Side of the pictures that a score judges: the engine's own. */
export const scoreSize = () => undefined;

/** Nobody keeps a score here. */
export const keepScore = () => null;

async function bring(file) {
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(`${file.name}: expected a picture that this browser can read (PNG, JPEG, GIF, WebP), found something else.`);
  });
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = BROUGHT;
  const short = Math.min(picture.width, picture.height);
  const on = canvas.getContext("2d", { willReadFrequently: true });
  on.imageSmoothingQuality = "high";
  on.fillStyle = "#fff";
  on.fillRect(0, 0, BROUGHT, BROUGHT);
  on.drawImage(picture, (picture.width - short) / 2, (picture.height - short) / 2, short, short, 0, 0, BROUGHT, BROUGHT);
  const last = Math.max(0, ...[...pictures.keys()].map((id) => Number(id.split("/")[1])));
  const id = `brought/${last + 1}`;
  pictures.set(id, { name: file.name, canvas, isCut: picture.width !== picture.height });
  storePictures();
  return { id, page: "train" };
}

/** Opens a file: a picture to learn, a genome, a trained network. */
export function upload(file) {
  return busy(`Opening ${file.name}`, (async () => {
    if (file.type.startsWith("image/")) return bring(file);
    if (file.size > 1 << 22) throw new Error(`${file.name}: expected a picture, or a genome of at most 4 MB, found ${(file.size / 1e6).toFixed(1)} MB.`);
    try {
      const text = await file.text();
      const id = await contentId(text, file.name.replaceAll("/", "_"));
      const { kind } = await ensureHeld(id);
      return kind === "session" ? { id, page: "breed" } : { id };
    } catch (error) {
      throw new Error(`${file.name}: ${error.message}`);
    }
  })());
}

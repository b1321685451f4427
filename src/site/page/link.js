// What a link carries: a genome, a trained network or a session, compressed, as the id of what it is.

import { askEngine } from "./engine.js";

// Most letters of a link's content, and most of what it unfolds to.
const [MOST_LETTERS, MOST_TEXT] = [8192, 1 << 20];
const CONTENT = "~";

const held = new Map();

/** The networks that were put into this site by `picloom studio --export`, by id: {text, entry, scores}. */
export const shared = new Map((globalThis.PICLOOM_NETWORKS ?? []).map((one) => [one.id, one]));

async function through(bytes, transform, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > most) {
      reader.cancel().catch(() => {});
      throw new RangeError(`This link unfolds to more than ${most >> 20} MB, and was refused. Links of this page are smaller.`);
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** A text as letters of an address. */
export async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Infinity);
  let letters = "";
  for (let i = 0; i < bytes.length; i += 4096) letters += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text of such letters; refuses what no link of ours can be. */
export async function unpacked(letters) {
  if (letters.length > MOST_LETTERS) throw new Error(`This link carries ${letters.length} letters; at most ${MOST_LETTERS} are read. Open the network as a file instead.`);
  if (!/^[A-Za-z0-9_-]+$/.test(letters)) throw new Error("This link is damaged: expected letters, digits, - and _, found something else. Copy it once more, whole.");
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw"), MOST_TEXT));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error("This link is damaged: a part of it is missing or changed. Copy it once more, whole.");
  }
}

/** True for an id that carries what it names. */
export const isContent = (id) => String(id).startsWith(CONTENT);

/** Hands what an id carries to the engine, once: {kind, session}. */
export function ensureHeld(id) {
  if (!held.has(id)) {
    const work = (async () => {
      const text = shared.get(id)?.text ?? await unpacked(id.slice(CONTENT.length));
      try {
        return (await askEngine("hold", { id, text }))[0];
      } catch (error) {
        throw new Error(`${shared.has(id) ? id : "This link"} cannot be opened: ${error.message}`);
      }
    })();
    held.set(id, work);
    work.catch(() => held.delete(id));
  }
  return held.get(id);
}

/** Hands a network to the engine where its id carries it, or the site does. */
export const ready = async (id) => isContent(id) || shared.has(id) ? ensureHeld(id) : null;

/** True for an id that opens the same network on another machine. */
export const isSolid = (id) => isContent(id) || shared.has(id) || String(id).startsWith("genomes/");

/** The id that carries this text, and holds it; one without content where the text is too large for a link. */
export async function contentId(text, kept) {
  const letters = await packed(text);
  const id = letters.length <= MOST_LETTERS ? CONTENT + letters : `held/${held.size + 1}-${kept ?? "network"}`;
  if (!held.has(id)) held.set(id, askEngine("hold", { id, text }).then(([json]) => json));
  await held.get(id);
  return id;
}

/** The name of a session that carries it, as it stands; a short one where it is too long for a link. */
export async function sessionName(session) {
  const [{ text }] = await askEngine("text", { id: `session/${session}` });
  const letters = await packed(text);
  const name = letters.length <= MOST_LETTERS ? CONTENT + letters : `s${session}`;
  held.set(name, Promise.resolve({ kind: "session", session }));
  return name;
}

/** An id that carries its network: the id itself where it does, or where it comes with the page. */
export async function solidId(id) {
  if (isSolid(id)) return id;
  const [{ text }] = await askEngine("text", { id });
  return contentId(text, id.split("/").at(-1));
}

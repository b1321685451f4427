// Pictures and films as files: from the server, which is asked first whether it can, or by the graphics card.

import { ask, busy, button, complain, field, h, number, say, select, square } from "./dom.js";
import { call, get, hasFiles } from "./api.js";

// Side of what the graphics card draws at once.
const TILE = 1024;
// The longer side of a picture that shows its shape.
const SHAPE = 220;

/** `512` or `6000x4000` as [width, height]; null for anything else. */
export function readSize(text) {
  const found = /^\s*(\d+)\s*(?:[x×]\s*(\d+))?\s*$/.exec(text);
  const [width, height] = found ? [Number(found[1]), Number(found[2] ?? found[1])] : [0, 0];
  return width >= 2 && height >= 2 ? [width, height] : null;
}

/** Why a picture of this size cannot be had; null if it can. `limits` are the server's. */
export function sizeProblem(text, limits, samples = 1) {
  const size = readSize(text);
  if (!size) return "Write a number of pixels, or WIDTHxHEIGHT: 6000x4000.";
  const [longest, pixels] = [Math.max(...size), size[0] * size[1] * samples ** 2];
  if (longest > limits.side) return `At most ${number(limits.side, 0)} pixels a side.`;
  if (pixels > limits.pixels) return `At most ${number(Math.floor(Math.sqrt(limits.pixels / samples ** 2)), 0)} × ${number(Math.floor(Math.sqrt(limits.pixels / samples ** 2)), 0)} pixels of this network here; picloom render has no such limit.`;
  return null;
}

/** Begins a download once the server has said that nothing stands against it. */
async function fetchFile(path, parameters) {
  await get(path, { ...parameters, check: 1 }, "Asking");
  h("a", { href: call(path, parameters), download: true }).click();
  say("The file is drawn while it is saved.");
}

const FORMATS = [["png", "PNG"], ["png16", "PNG, 16 bit"], ["jpeg", "JPEG"], ["tiff", "TIFF"], ["tiff16", "TIFF, 16 bit"]];

/**
 * A button, a size and a format. `network()` gives the parameters that name what is drawn: id, wiring, set, frame;
 * `easel` draws where there is no server.
 */
export function pictureSaver(network, easel) {
  const size = h("input", { type: "text", value: "1024", size: 9, "aria-label": "Pixels: one number, or WIDTHxHEIGHT" });
  const note = h("small", { class: "problem", role: "status" });
  let format = "png";
  const said = (problem) => {
    note.textContent = problem ?? "";
    size.setAttribute("aria-invalid", String(Boolean(problem)));
    return problem;
  };
  const limits = () => (!hasFiles ? { side: 16384, pixels: 2 ** 28 } : get("saves", { id: network().id, wiring: network().wiring }, "Asking"));
  // Another shape shows more of the longer side: small, before it is drawn large.
  const shape = hasFiles && h("img", { class: "picture shape", alt: "The picture in this shape", hidden: true });
  size.addEventListener("input", () => {
    const wanted = readSize(size.value);
    said(wanted ? null : sizeProblem(size.value, {}));
    if (!shape) return;
    shape.hidden = !wanted || wanted[0] === wanted[1];
    if (shape.hidden) return;
    const small = wanted.map((pixels) => Math.max(2, Math.round((pixels * SHAPE) / Math.max(...wanted))));
    shape.src = call("download", { ...network(), size: small.join("x"), format: "png" });
  });
  const save = button("Save", async () => {
    try {
      if (said(sizeProblem(size.value, await limits()))) return;
      if (!hasFiles) return await busy("Drawing", saveByCard(easel, network(), readSize(size.value)));
      const [, kind, bits] = /^([a-z]+)(16)?$/.exec(format);
      await fetchFile("download", { ...network(), size: readSize(size.value).join("x"), format: kind, bits });
    } catch (error) {
      // What the server says of a size belongs beside it.
      if (error.status === 413 || error.status === 400) said(error.message);
      else complain(error);
    }
  }, { title: "Save the picture" });
  const formats = !hasFiles ? null : select(FORMATS, format, (value) => (format = value), { "aria-label": "Format" });
  return h("span", { class: "save" }, h("span", { class: "joined" }, save, size, formats), note, shape);
}

/** Draws a picture in tiles on the graphics card and saves it as a PNG. */
async function saveByCard(easel, { frame, name }, [width, height]) {
  const canvas = h("canvas");
  [canvas.width, canvas.height] = [width, height];
  const all = canvas.getContext("2d");
  const tile = h("canvas");
  tile.width = tile.height = TILE;
  const [x, y, w] = frame;
  const short = Math.min(width, height);
  // By FER's coordinates the first and the last pixel of the shorter side lie on the edges of the frame.
  const isFer = easel.network.coords === "fer";
  const step = isFer ? w / Math.max(1, short - 1) : w / short;
  const edge = (from, pixels) => from + w / 2 - (step * (isFer ? pixels - 1 : pixels)) / 2;
  const span = step * (isFer ? TILE - 1 : TILE);
  for (let top = 0; top < height; top += TILE) {
    for (let left = 0; left < width; left += TILE) {
      const part = [edge(x, width) + step * left, edge(y, height) + step * top, span, span];
      if (!all || !(await easel.draw([{ canvas: tile, side: TILE, frame: part }]))) throw new Error("This browser cannot draw a picture of this size. Try a smaller one.");
      all.drawImage(tile, 0, 0, Math.min(TILE, width - left), Math.min(TILE, height - top), left, top, Math.min(TILE, width - left), Math.min(TILE, height - top));
    }
    await new Promise((next) => setTimeout(next));
  }
  await saveCanvas(canvas, `${name}-${width}x${height}`);
}

/** Saves what a canvas shows as a PNG. */
async function saveCanvas(canvas, name) {
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("This browser cannot hold a picture of this size. Try a smaller one.");
  saveBlob(blob, `${name}.png`);
}

function saveBlob(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_") });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Pixels of a saved figure for one of the page, its edge, the heights of its name and of a further line, the width of a letter, and what has no place in a figure.
const [FINE, EDGE, HEAD, LINE, LETTER] = [2, 16, 30, 20, 8.5];
const CONTROLS = "button:not(:has(img)), a.button, select, input, details, progress, [hidden], .field, .panel";

/** A button that saves what a part of the page shows as a figure, on white, under its name and what `says()` says. */
export function figureSaver(part, name, says = () => "") {
  return button("Save figure", () => busy("Drawing", saveFigure(part(), name(), says())).catch(complain), { title: "As a PNG" });
}

/** The page's rules as they are by day, all of which the page itself holds. */
const rules = () => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  .filter((rule) => !rule.conditionText?.includes("dark")).map((rule) => rule.cssText).join("\n");

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

async function saveFigure(part, name, says) {
  const [width, height] = [part.scrollWidth, part.scrollHeight];
  const copy = part.cloneNode(true);
  // A copy of a canvas is empty, and a picture in a picture may come from nowhere else.
  const pictures = [...copy.querySelectorAll("canvas, img")];
  for (const [i, shown] of [...part.querySelectorAll("canvas, img")].entries()) {
    const canvas = h("canvas");
    [canvas.width, canvas.height] = [shown.naturalWidth ?? shown.width, shown.naturalHeight ?? shown.height];
    if (canvas.width && canvas.height) canvas.getContext("2d").drawImage(shown, 0, 0);
    const box = shown.getBoundingClientRect();
    pictures[i].replaceWith(h("img", { class: shown.getAttribute("class"), alt: "", src: canvas.toDataURL(), "data-style": `width: ${box.width}px; height: ${box.height}px` }));
  }
  copy.setAttribute("data-style", "margin: 0");
  copy.querySelectorAll(CONTROLS).forEach((control) => control.remove());
  // The page's policy lets no script write styles: they are put in as text.
  const drawn = new XMLSerializer().serializeToString(copy).replaceAll(" data-style=", " style=");
  // What lies around its parts, a frame say, is in the figure, and its name above it.
  const head = HEAD + LINE * Math.floor((LETTER * (name.length + says.length)) / width);
  const [across, down] = [width + 2 * EDGE, height + 2 * EDGE + head];
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${across}" height="${down}"><style>${escaped(rules())}</style><foreignObject width="100%" height="100%">
    <body xmlns="http://www.w3.org/1999/xhtml" style="margin: 0; padding: ${EDGE}px; background: none"><p style="margin: 0; max-width: none; height: ${head}px; font: 600 15px sans-serif; color: #222">${escaped(name)}<span style="font-weight: 400"> ${escaped(says)}</span></p><main class="${document.getElementById("main").className}" style="all: unset; display: block; width: ${width}px">${drawn}</main></body></foreignObject></svg>`;
  const image = new Image();
  await new Promise((done, failed) => {
    image.onload = done;
    image.onerror = () => failed(new Error("This browser cannot draw this part of the page as a figure. Take a picture of the screen."));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
  const canvas = h("canvas");
  [canvas.width, canvas.height] = [FINE * across, FINE * down];
  const on = canvas.getContext("2d");
  on.fillStyle = "#fff";
  on.fillRect(0, 0, canvas.width, canvas.height);
  on.drawImage(image, 0, 0, FINE * across, FINE * down);
  await saveCanvas(canvas, name);
}

const FILMS = { here: "WebM, by this browser", gif: "GIF", apng: "APNG", mp4: "MP4", webm: "WebM" };
// Pictures a second of a film that the browser makes.
const RATE = 25;

/** Whether this browser can make films. */
const records = () => Boolean(globalThis.MediaRecorder?.isTypeSupported("video/webm"));

/**
 * A film by the browser's own encoder: `draw(t, canvas, side)` draws what is seen at t of 0 to 1. Every picture is drawn first, and then shown in time. `going` is told
 * the share that is done, and ends it by answering false. True if it was saved.
 */
async function record(draw, { size, seconds, back }, name, going) {
  const side = Number(size);
  const [drawn, shown] = [square(side), square(side)];
  const pictures = [];
  const on = shown.getContext("2d");
  const stream = shown.captureStream(RATE);
  try {
    const count = Math.max(2, Math.round(RATE * seconds));
    for (let i = 0; i < count; i++) {
      if (!going((0.5 * i) / count)) return false;
      // It rests at both ends.
      await draw((1 - Math.cos((Math.PI * i) / (count - 1))) / 2, drawn, side);
      pictures.push(await createImageBitmap(drawn));
    }
    const order = back ? [...pictures, ...pictures.slice(1, -1).toReversed()] : pictures;
    const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    const parts = [];
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    const ended = new Promise((done) => recorder.addEventListener("stop", done, { once: true }));
    recorder.start();
    const began = performance.now();
    for (const [i, picture] of order.entries()) {
      if (!going(0.5 + (0.5 * i) / order.length)) break;
      on.drawImage(picture, 0, 0);
      await new Promise((next) => setTimeout(next, Math.max(0, began + (1000 * (i + 1)) / RATE - performance.now())));
    }
    recorder.stop();
    await ended;
    if (!going(1)) return false;
    saveBlob(new Blob(parts, { type: "video/webm" }), `${name}.webm`);
    return true;
  } finally {
    pictures.forEach((picture) => picture.close());
    stream.getTracks().forEach((track) => track.stop());
  }
}

/**
 * A button that asks how a film is to be, and saves it. `network()` names what is drawn, `more()` what moves; `draw` draws a moment of it for the browser's encoder
 * (`record`). None where nobody can make one.
 */
export function filmSaver(network, more, title, draw) {
  const here = draw && records() ? ["here"] : [];
  if (!hasFiles && !here.length) return null;
  // One question and one film at a time: a click while it films stops it.
  let film = null;
  const saver = button("Film …", async () => {
    if (film) {
      film.isStopped = film.isBegun;
      return;
    }
    film = { isBegun: false, isStopped: false };
    try {
      const { films, frame } = hasFiles ? await get("saves", { id: network().id, wiring: network().wiring }, "Asking") : { films: [], frame: 1024 ** 2 };
      const all = films.includes("mp4") ? [...films, ...here] : [...here, ...films];
      const first = films.includes("mp4") ? "mp4" : all[0];
      const input = (name, value, rest) => h("input", { name, type: "number", value, required: true, ...rest });
      const answer = await ask(title, [
        field("Format", select(all.map((kind) => [kind, FILMS[kind]]), first, () => {}, { name: "format" }),
          films.includes("mp4") || !hasFiles ? null : "There and back, a GIF of 512 pixels has some 35 MB, one of 192 four. MP4 needs the program ffmpeg beside the studio."),
        field("Pixels along a side", input("size", first === "gif" ? 192 : 512, { min: 16, max: Math.floor(Math.sqrt(frame)), step: 2 })),
        field("Seconds", input("seconds", 4, { min: 0.5, max: 120, step: 0.5 })),
        h("label", { class: "field" }, h("span", null, "And back"), h("input", { name: "back", type: "checkbox", value: 1, checked: true })),
      ], "Save");
      if (answer?.format === "here") {
        film.isBegun = true;
        // Where its button is no more, nobody could stop it.
        const isSaved = await record(draw, answer, title, (share) => {
          saver.textContent = `Stop filming (${Math.round(100 * share)} %)`;
          return !film.isStopped && saver.isConnected;
        });
        if (!isSaved) say("The film was stopped: nothing was saved.");
      } else if (answer) await fetchFile("film", { ...network(), ...more(), ...answer });
    } catch (error) {
      complain(error);
    } finally {
      film = null;
      saver.textContent = "Film …";
    }
  });
  return saver;
}

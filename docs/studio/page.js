// Written by `picloom studio --export` from the modules of the studio's page.
(() => {
"use strict";
// Building the page: elements, keys, and telling people what goes on. Texts are always text.

const SVG = "http://www.w3.org/2000/svg";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

/** An element: `h("a", {href: "#/"}, "Home")`. Functions listen: `{click: () => …}`. */
function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
function svg(tag, attributes, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

/** Puts more into an element; what is null or false is left out. */
function fill(element, ...children) {
  return build(element, null, children);
}

/** A square canvas. */
function square(side, attributes) {
  const canvas = h("canvas", attributes);
  canvas.width = canvas.height = side;
  return canvas;
}

/** A button. */
function button(text, run, attributes) {
  return h("button", { type: "button", click: run, ...attributes }, text);
}

/** A control under its name. */
function field(name, control, note) {
  return h("label", { class: "field" }, h("span", null, name), control, note && h("small", null, note));
}

/** A choice of few, all in sight. `options`: [value, words]. */
function choice(name, options, chosen, changed) {
  const group = `choice-${name}`;
  return h("fieldset", { class: "choice" }, h("legend", null, name), options.map(([value, words]) =>
    h("label", null,
      h("input", { type: "radio", name: group, value, checked: value === chosen, change: () => changed(value) }),
      h("span", null, words))));
}

/** A choice from a list. */
function select(options, chosen, changed, attributes) {
  return h("select", { ...attributes, change: (event) => changed(event.target.value) },
    options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));
}

/** The side of a PNG to be saved, of any size. */
function pngSide(changed) {
  return h("input", { type: "number", min: 16, max: 4096, step: 1, value: 512, "aria-label": "Side of the PNG in pixels", input: changed });
}

/** Says something to screen readers, and to everybody in the corner of the page. */
function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => status.classList.remove("shown"), 4000);
}

/** Says what went wrong, until it is closed. */
function complain(error) {
  if (error?.name === "AbortError") return;
  const alert = document.getElementById("alert");
  alert.replaceChildren(h("p", null, String(error?.message ?? error)), button("Close", () => alert.replaceChildren()));
}

let waits = 0;

/** Shows that something is under way if it takes longer than half a second. */
async function busy(what, promise) {
  const bar = document.getElementById("busy");
  waits += 1;
  const timer = setTimeout(() => {
    bar.hidden = false;
    bar.setAttribute("aria-label", what);
    bar.lastElementChild.textContent = `${what} …`;
  }, 400);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    waits -= 1;
    if (waits === 0) bar.hidden = true;
  }
}

/** A dialog with a form; resolves to its values by name, or to null if it was given up. */
function ask(title, fields, go) {
  const form = h("form", { method: "dialog" }, h("h2", { id: "asked" }, title), fields, h("div", { class: "row" },
    h("button", { type: "submit", value: "go", class: "main" }, go), h("button", { value: "", formnovalidate: true }, "Cancel")));
  const dialog = h("dialog", { "aria-labelledby": "asked" }, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => {
    done(dialog.returnValue === "go" ? Object.fromEntries(new FormData(form)) : null);
    dialog.remove();
  }));
}

let table = [];

/** The keys of the page that is shown: [key, what it does, run]; run may be absent for keys that a part listens to itself. */
function keys(rows) {
  table = rows;
}

const GLOBAL = [["?", "this help"], ["h", "to the library", () => (location.hash = "#/")], ["Escape", "close, or let go"]];

/** Opens the table of keys. */
function help() {
  if (document.querySelector("dialog[open]")) return;
  const row = ([key, does]) => h("tr", null, h("th", { scope: "row" }, h("kbd", null, key === " " ? "Space" : key)), h("td", null, does));
  const dialog = h("dialog", { "aria-labelledby": "keys" }, h("h2", { id: "keys" }, "Keys"),
    h("table", { class: "keys" }, h("tbody", null, [...table, ...GLOBAL].map(row))),
    h("form", { method: "dialog" }, h("button", { autofocus: true }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Listens for keys; in fields they are the field's. */
function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input:not([type=radio], [type=checkbox], [type=range]), select, textarea, dialog")) return;
    if (event.key === "?") return help();
    const row = [...table, ...GLOBAL].find(([key, , run]) => run && key === event.key);
    if (!row) return;
    event.preventDefault();
    row[2]();
  });
}

/**
 * Arrow keys move the focus among `items` laid out in a grid; one of them is in the tab order.
 * Returns what moves the focus to one of them.
 */
function arrows(parent, items, moved) {
  const to = (i, focus = true) => {
    items.forEach((item, k) => item.setAttribute("tabindex", k === i ? 0 : -1));
    if (focus) items[i].focus();
    moved?.(i);
  };
  parent.addEventListener("keydown", (event) => {
    const at = items.indexOf(event.target.closest("[tabindex]"));
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    // As many in a row as stand at the height of the first.
    const top = items[0].getBoundingClientRect().top;
    const wide = Math.max(1, items.findIndex((item) => Math.abs(item.getBoundingClientRect().top - top) > 4));
    const columns = wide === 1 && Math.abs(items.at(-1).getBoundingClientRect().top - top) <= 4 ? items.length : wide;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -at, End: items.length - 1 - at }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (items[at + step]) to(at + step);
  });
  if (items.length) to(0, false);
  return to;
}

/** A number as people read it. */
function number(value, digits = 2) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return value.toFixed(digits).replace("-", "−");
}

/** "1 link", "3 links". */
function count(n, word) {
  return `${n.toLocaleString("en").replaceAll(",", "\u202f")} ${word}${n === 1 ? "" : "s"}`;
}
// Addresses: `#/page/ID?key=value`. An ID is a path below the studio's folder.

function decoded(piece) {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

/** What the address names: {page, id, query}. */
function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...id] = path.split("/").map(decoded);
  return { page, id: id.join("/"), query: new URLSearchParams(query) };
}

/** The address of a page: `address("look", "genomes/moth.json", {link: 3})`. */
function address(page, id, query) {
  const path = ["#", page, ...(id ? id.split("/") : [])].map((piece, i) => (i ? encodeURIComponent(piece) : piece)).join("/");
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== "");
  // Commas and colons may stand in a query as they are, and are easier to read so.
  const text = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%2C|%3A|%2F/g, decodeURIComponent)}`).join("&");
  return text ? `${path}?${text}` : path;
}

/** Several ids as one value of a query: a comma in one of them is escaped. */
function listed(ids) {
  return ids.map((id) => id.replace(/[%,]/g, (sign) => encodeURIComponent(sign))).join(",");
}

/** The ids of such a value. */
function unlisted(text) {
  return (text ?? "").split(",").filter(Boolean).map(decoded);
}

/** Lets the address name what is shown now, without going anywhere. */
function rename(page, id, query) {
  const to = address(page, id, query);
  if (to !== location.hash) history.replaceState(null, "", to);
}

/** The last piece of an id without its ending: what a thing is called when it has no name. */
function leaf(id) {
  return id.split("/").at(-1).replace(/\.[a-z]+$/, "");
}
// The only place that asks the server. In an exported site the answers stand in `PICLOOM_DATA`.


const known = globalThis.PICLOOM_DATA;

/** True for an exported site: nobody to breed, train or score. */
const isExport = Boolean(known);

/** `/api/…?key=value` in the order given; what is undefined or null is left out. */
function call(path, parameters) {
  const pairs = Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const query = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
  return query ? `/api/${path}?${query}` : `/api/${path}`;
}

/** False for what an exported site does not have. */
function canAnswer(path, parameters) {
  return !known || call(path, parameters) in known;
}

/** Ids to compare: a network, and before it what it learned, if that is a network too and no picture. */
function besideTarget(target, id) {
  const isPicture = /\.(png|jpe?g|gif|webp)$/i.test(target ?? "");
  const shows = target && target !== id && !isPicture && canAnswer("network", { id: target, wiring: "graph" });
  return listed(shows ? [target, id] : [id]);
}

/** What the server refused: its message, its status, and the whole answer. */
class Refusal extends Error {
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

/** A JSON answer; null for what an exported site does not have. */
async function get(path, parameters, what = "Reading") {
  const url = call(path, parameters);
  if (known) return known[url] ?? null;
  return busy(what, answered(fetch(url)).then((response) => response.json()));
}

/** A JSON answer, or null where there is none (404). */
async function find(path, parameters, what) {
  try {
    return await get(path, parameters, what);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** Bytes, and a header of the answer. */
async function bytes(path, parameters, { what = "Drawing", header, signal } = {}) {
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

/** An answer in JSON, and the pictures before it where there are any: [answer, pixels]. */
async function parted(response) {
  const [end, channels] = ["x-json", "x-channels"].map((name) => response.headers.get(name));
  if (end === null) return [await response.json(), null];
  const all = new Uint8Array(await response.arrayBuffer());
  const json = new TextDecoder().decode(all.subarray(end));
  return [json && JSON.parse(json), rgba(all.subarray(0, end), Number(channels))];
}

/** Reads an answer with pictures. */
function getWithPixels(path, parameters, what = "Reading") {
  return busy(what, answered(fetch(call(path, parameters))).then(parted));
}

const posted = (path, body, signal) =>
  answered(fetch(call(path), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal })).then(parted);

/** Asks for something to be done, and for pixels with the answer. */
const postForPixels = (path, body = {}, what = "Working") => busy(what, posted(path, body));

/** Asks for pixels before anybody waits for them. */
const foresee = (path, body, signal) => posted(path, body, signal);

/** Asks for something to be done. */
const post = (path, body, what) => postForPixels(path, body, what).then(([answer]) => answer);

/** Hands a file to the server. */
function upload(file, arch) {
  const request = { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file };
  return busy(`Opening ${file.name}`, answered(fetch(call("open", { name: file.name, arch }), request)).then((r) => r.json()));
}
// A network on the graphics card: one program draws its picture and the map of every unit.
//
// A picture-drawing network is a function of a point, so it is written as a fragment shader: one
// line a unit, one term a link. The weights stand in a uniform block; moving a slider writes one
// float. One hidden canvas draws for all; what it drew is copied to the canvases on the page.

// What each activation is in GLSL, as in the library. A network with any other is drawn by the server.
const ACTIVATIONS = {
  cache: (z) => z,
  cos: (z) => `cos(${z})`,
  gaussian: (z) => `gaussian(${z})`,
  identity: (z) => z,
  relu: (z) => `max(${z}, 0.0)`,
  sigmoid: (z) => `squash(0.5 * (${z}))`,
  sin: (z) => `sin(${z})`,
  tanh: (z) => `squash(${z})`,
};

// More weights than every driver takes in a block, and about what compiles in reasonable time.
const MOST_LINKS = 4096;

const VERTEX = `#version 300 es
void main() { gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0); }`;

const HEAD = `#version 300 es
precision highp float;
precision highp int;
uniform vec4 frame;  // x and y of the first pixel, width and height of what is drawn
uniform vec3 place;  // corner of the square on the canvas, its side in pixels
uniform int unit;    // whose map to draw; -1: the picture
out vec4 colour;

float gaussian(float z) { return 2.0 * exp(-z * z) - 1.0; }
// Some drivers' tanh overflows.
float squash(float z) { return tanh(clamp(z, -20.0, 20.0)); }

vec3 rgb(float h, float s, float v) {
  vec3 tooth = abs(mod(6.0 * fract(h) - vec3(0.0, 2.0, 4.0) + 3.0, 6.0) - 3.0) - 1.0;
  return clamp(abs(v), 0.0, 1.0) * (1.0 - clamp(s, 0.0, 1.0) * clamp(tooth, 0.0, 1.0));
}

// Red -1, white 0, blue +1.
vec4 map(float a) {
  vec3 end = a < 0.0 ? vec3(202.0, 44.0, 31.0) : vec3(21.0, 92.0, 178.0);
  return vec4(mix(vec3(1.0), end / 255.0, min(abs(a), 1.0)), 1.0);
}
`;

/** The links of each unit, as indices into `network.links`. */
function linksByTarget(network) {
  const into = network.units.map(() => []);
  network.links.forEach((link, i) => into[link.target].push(i));
  return into;
}

/** The fragment shader of a network; null where a unit's activation has no GLSL. */
function fragmentShader(network) {
  const { units, links, outputs, coords } = network;
  const weight = (i) => `w[${i >> 2}].${"xyzw"[i & 3]}`;
  const fer = coords !== "picbreeder";
  const lines = [
    "void main() {",
    "  vec2 pixel = vec2(gl_FragCoord.x - place.x, place.y + place.z - gl_FragCoord.y);",
    fer ? "  vec2 t = (pixel - 0.5) / max(place.z - 1.0, 1.0);" : "  vec2 t = pixel / place.z;",
    "  vec2 xy = frame.xy + frame.zw * t;",
    `  float u0 = xy.x, u1 = xy.y, u2 = ${fer ? "1.4" : "1.4142135623730951"} * length(xy), u3 = 1.0;`,
    "  if (unit >= 0 && unit < 4) { colour = map(unit == 0 ? u0 : unit == 1 ? u1 : unit == 2 ? u2 : u3); return; }",
  ];
  const into = linksByTarget(network);
  for (let u = 4; u < units.length; u++) {
    const apply = ACTIVATIONS[units[u].activation];
    if (!apply) return null;
    const sum = into[u].map((i) => `${weight(i)} * u${links[i].source}`).join(" + ") || "0.0";
    lines.push(`  float u${u} = ${apply(sum)};`, `  if (unit == ${u}) { colour = map(u${u}); return; }`);
  }
  const [h, s, v] = outputs.map((unit) => (unit === null ? "0.0" : `u${unit}`));
  lines.push(`  colour = vec4(rgb(${h}, ${s}, ${v}), 1.0);`, "}");
  const block = `layout(std140) uniform Weights { vec4 w[${Math.ceil(links.length / 4) || 1}]; };\n`;
  return HEAD + block + lines.join("\n");
}

let stage; // {canvas, gl} once asked for; null where there is no WebGL2

function theStage() {
  if (stage !== undefined) return stage;
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
  stage = gl && { canvas, gl, parallel: gl.getExtension("KHR_parallel_shader_compile") };
  if (stage) stage.slow = /swiftshader|llvmpipe|software/i.test(rendererName());
  // A lost context (a driver that restarts) is started anew by whoever asks next.
  canvas.addEventListener("webglcontextlost", () => (stage = undefined));
  return stage;
}

/** What draws for WebGL here, as the driver names it; null without WebGL2. */
function rendererName() {
  const on = theStage();
  if (!on) return null;
  const info = on.gl.getExtension("WEBGL_debug_renderer_info");
  return on.gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : on.gl.RENDERER);
}

/** Pixels along a square that is to be drawn. */
function sideOf({ canvas, side }) {
  return side ?? canvas.width;
}

/** True where a processor plays graphics card, or there is none. */
function isSoftware() {
  return theStage()?.slow ?? true;
}

/** What to draw on a canvas with, made this large; one that has the size keeps what is on it. */
function surface(canvas, side) {
  if (canvas.width !== side || canvas.height !== side) canvas.width = canvas.height = side;
  // A processor that plays graphics card is quicker with canvases in plain memory.
  return canvas.getContext("2d", { willReadFrequently: isSoftware() });
}

/** A network compiled for the graphics card. */
class Brush {
  /** Compiles without holding up the page; null if this network cannot be drawn here. */
  static async of(network) {
    const on = theStage();
    if (!on || network.links.length > MOST_LINKS) return null;
    const { gl, parallel } = on;
    const block = 16 * Math.ceil(network.links.length / 4);
    const source = block <= gl.getParameter(gl.MAX_UNIFORM_BLOCK_SIZE) ? fragmentShader(network) : null;
    if (!source) return null;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, source]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(program);
    while (parallel && !gl.isContextLost() && !gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR)) {
      await new Promise((done) => setTimeout(done, 10));
    }
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      gl.deleteProgram(program);
      return null;
    }
    return new Brush(on, program, network);
  }

  constructor(on, program, network) {
    const { gl } = on;
    Object.assign(this, { on, program });
    this.weights = new Float32Array(4 * Math.max(1, Math.ceil(network.links.length / 4)));
    network.links.forEach((link, i) => (this.weights[i] = link.weight));
    this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.buffer);
    gl.bufferData(gl.UNIFORM_BUFFER, this.weights, gl.DYNAMIC_DRAW);
    gl.uniformBlockBinding(program, gl.getUniformBlockIndex(program, "Weights"), 0);
    this.at = Object.fromEntries(["frame", "place", "unit"].map((name) => [name, gl.getUniformLocation(program, name)]));
  }

  /** Moves one weight. */
  set(link, value) {
    const { gl } = this.on;
    this.weights[link] = value;
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.buffer);
    gl.bufferSubData(gl.UNIFORM_BUFFER, 4 * link, this.weights, link, 1);
  }

  /**
   * Draws squares: each `{canvas, side, unit, frame}`, unit −1 for the picture; a canvas without a
   * side keeps its own. False if the graphics card was lost: compile again.
   */
  draw(squares) {
    const { canvas, gl } = this.on;
    if (gl.isContextLost()) return false;
    // Squares side by side in rows as wide as the widest needs.
    const width = Math.max(1024, ...squares.map(sideOf));
    let [x, y, row] = [0, 0, 0];
    const places = squares.map((square) => {
      const side = sideOf(square);
      if (x + side > width) [x, y, row] = [0, y + row, 0];
      const place = [x, y, side];
      [x, row] = [x + side, Math.max(row, side)];
      return place;
    });
    const height = y + row;
    if (canvas.width < width) canvas.width = width;
    if (canvas.height < height) canvas.height = height;
    gl.useProgram(this.program);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, this.buffer);
    squares.forEach(({ unit, frame }, i) => {
      const [left, top, side] = places[i];
      const bottom = canvas.height - top - side;
      gl.viewport(left, bottom, side, side);
      gl.uniform3f(this.at.place, left, bottom, side);
      gl.uniform4fv(this.at.frame, frame);
      gl.uniform1i(this.at.unit, unit);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    });
    squares.forEach((square, i) => {
      const [left, top, side] = places[i];
      surface(square.canvas, side).drawImage(canvas, left, top, side, side, 0, 0, side, side);
    });
    return true;
  }

  /** Gives the program back. */
  drop() {
    this.on.gl.deleteProgram(this.program);
    this.on.gl.deleteBuffer(this.buffer);
  }
}
// Pictures of one network, whoever draws them: the graphics card, or the server where it cannot.


/** The library's own picture: from −1 to 1 both ways. */
const FULL = [-1, -1, 2, 2];

// With more links a processor that plays graphics card is slower than the server.
const MOST_IN_SOFTWARE = 1500;

// How often each canvas was drawn on: what the server sends late must not cover what is newer.
const turns = new WeakMap();

/** Draws squares `{canvas, unit, frame, set}` of a network whose weights may be moved. */
class Easel {
  constructor(network, { id, wiring }) {
    Object.assign(this, { network, id, wiring, moved: new Map(), brush: null, into: linksByTarget(network) });
    const slow = isSoftware() && network.links.length > MOST_IN_SOFTWARE;
    // Until it is compiled the server draws; an exported site has only the card.
    this.ready = (slow && !isExport ? Promise.resolve(null) : Brush.of(network)).then((brush) => {
      for (const [link, value] of this.moved) brush?.set(link, value);
      this.brush = brush;
      return this;
    });
  }

  /** Who draws: "WebGL", "server", or "nobody". */
  get by() {
    return this.brush ? "WebGL" : isExport ? "nobody" : "server";
  }

  /** The weight of a link as it is now. */
  weight(link) {
    return this.moved.get(link) ?? this.network.links[link].weight;
  }

  /** Moves a weight; its own value puts it back. */
  move(link, value) {
    if (Math.fround(value) === Math.fround(this.network.links[link].weight)) this.moved.delete(link);
    else this.moved.set(link, value);
    this.brush?.set(link, value);
  }

  /** All weights as they were. */
  reset() {
    for (const link of [...this.moved.keys()]) this.move(link, this.network.links[link].weight);
  }

  /** The units that feel a link. */
  downstream(link) {
    const felt = new Set([this.network.links[link].target]);
    // Units stand in topological order.
    this.into.forEach((links, unit) => {
      if (links.some((i) => felt.has(this.network.links[i].source))) felt.add(unit);
    });
    return felt;
  }

  /** Draws all of `squares`; `unit` and `frame` default to the whole picture. False if nobody could. */
  async draw(squares, signal) {
    const all = squares.map((s) => ({ unit: -1, frame: FULL, turn: (turns.get(s.canvas) ?? 0) + 1, ...s }));
    for (const { canvas, turn } of all) turns.set(canvas, turn);
    if (this.brush) {
      if (this.paint(all)) return true;
      // The card was lost: once more from the start.
      this.brush = await Brush.of(this.network);
      for (const [link, value] of this.moved) this.brush?.set(link, value);
      if (this.brush) return this.paint(all);
    }
    if (isExport) return false;
    const maps = all.filter((s) => s.unit >= 0);
    const pictures = all.filter((s) => s.unit < 0);
    await Promise.all([maps.length && this.askMaps(maps, signal), ...pictures.map((s) => this.askPicture(s, signal))]);
    return true;
  }

  paint(squares) {
    const plain = squares.filter((s) => !s.set);
    if (plain.length && !this.brush.draw(plain)) return false;
    for (const one of squares.filter((s) => s.set)) {
      for (const [link, value] of one.set) this.brush.set(link, value);
      const drawn = this.brush.draw([one]);
      for (const [link] of one.set) this.brush.set(link, this.weight(link));
      if (!drawn) return false;
    }
    return true;
  }

  parameters(size, { set, frame }) {
    const moved = [...new Map([...this.moved, ...(set ?? [])])].map(([link, value]) => `${link}:${value}`).join(",");
    return {
      id: this.id, wiring: this.wiring, size, set: moved || undefined,
      frame: frame && frame.some((v, i) => v !== FULL[i]) ? frame.join(",") : undefined, raw: 1,
    };
  }

  async askPicture(one, signal) {
    const side = sideOf(one);
    const [pixels] = await bytes("picture", this.parameters(side, one), { signal });
    if (turns.get(one.canvas) !== one.turn) return;
    surface(one.canvas, side).putImageData(new ImageData(pixels, side, side), 0, 0);
  }

  async askMaps(squares, signal) {
    const side = sideOf(squares[0]);
    const [pixels, columns] = await bytes("maps", this.parameters(side, { frame: squares[0].frame }), { header: "x-columns", signal });
    const width = side * Number(columns);
    const atlas = new ImageData(pixels, width, pixels.length / 4 / width);
    for (const { canvas, unit, turn } of squares) {
      if (turns.get(canvas) !== turn) continue;
      const [x, y] = [side * (unit % columns), side * Math.floor(unit / columns)];
      surface(canvas, side).putImageData(atlas, -x, -y, x, y, side, side);
    }
  }

  drop() {
    this.ready.then(() => this.brush?.drop());
  }
}

/** How much two pictures of one size differ: root of the mean squared difference of their colours, 0 to 1. */
function effect(a, b) {
  const [p, q] = [a, b].map((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data);
  let sum = 0;
  for (let i = 0; i < p.length; i += 4) {
    for (let k = 0; k < 3; k++) sum += (p[i + k] - q[i + k]) ** 2;
  }
  return Math.sqrt(sum / (0.75 * p.length)) / 255;
}

/** A canvas to measure on. */
function scratch(side) {
  const canvas = square(side);
  canvas.getContext("2d", { willReadFrequently: true });
  return canvas;
}

/**
 * Redraws while something moves: at most once a frame, coarser where a frame takes too long, and
 * sharp again when it rests. `paint(fine)` draws, coarsely or finely: `fine` is 1, or less.
 */
class Live {
  constructor(paint) {
    Object.assign(this, { paint, fine: 0.6, wanted: false, running: false });
  }

  /** Something moved. */
  touch() {
    this.wanted = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.settle(), 180);
    if (!this.running) this.ask();
  }

  ask() {
    this.running = true;
    const asked = performance.now();
    requestAnimationFrame(() => this.frame(asked));
  }

  async frame(asked) {
    this.wanted = false;
    await this.paint(this.fine).catch(complain);
    // A card that has too much to do lets frames wait. Late ones are answered by fewer pixels, early ones by more.
    const took = performance.now() - asked;
    if (took > 30) this.fine = Math.max(0.2, this.fine * Math.max(0.4, Math.sqrt(20 / took)));
    else if (took < 20) this.fine = Math.min(1, this.fine * 1.1);
    if (this.wanted) this.ask();
    else this.running = false;
  }

  settle() {
    if (this.running) this.rest = setTimeout(() => this.settle(), 60);
    else this.paint(1).catch(complain);
  }

  stop() {
    clearTimeout(this.rest);
    this.wanted = false;
  }
}
// Small charts in SVG: a loss that falls, a score with its interval, networks by depth and links.


const [WIDE, HIGH, LEFT, BOTTOM] = [560, 220, 52, 28];
// A map of networks is smaller: there is one for each picture.
const [MAP_WIDE, MAP_HIGH] = [380, 250];

/** The loss over the steps, on a scale of powers of ten. `curve`: [step, loss]; `steps`: where the axis ends. */
function lossCurve(curve, steps) {
  const points = curve.filter(([, loss]) => loss > 0);
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": "Loss over training steps" });
  if (!points.length) return picture;
  const losses = points.map(([, loss]) => Math.log10(loss));
  const [low, high] = [Math.floor(Math.min(...losses)), Math.max(Math.ceil(Math.max(...losses)), Math.floor(Math.min(...losses)) + 1)];
  const end = Math.max(steps ?? 0, points.at(-1)[0], 1);
  const x = (step) => LEFT + ((WIDE - LEFT - 8) * step) / end;
  const y = (power) => 8 + ((HIGH - BOTTOM - 8) * (high - power)) / (high - low);
  for (let power = low; power <= high; power++) {
    picture.append(
      svg("line", { class: "grid", x1: LEFT, x2: WIDE - 8, y1: y(power), y2: y(power) }),
      svg("text", { x: LEFT - 8, y: y(power) + 4, "text-anchor": "end" }, power < -3 ? `1e${power}`.replace("-", "−") : String(10 ** power)));
  }
  for (const step of [0, end / 2, end]) {
    picture.append(svg("text", { x: x(step), y: HIGH - 8, "text-anchor": step === end ? "end" : step ? "middle" : "start" }, String(Math.round(step))));
  }
  const line = points.map(([step], i) => `${i ? "L" : "M"}${x(step).toFixed(1)} ${y(losses[i]).toFixed(1)}`).join("");
  picture.append(svg("path", { class: "curve", d: line }), svg("circle", { class: "head", cx: x(points.at(-1)[0]), cy: y(losses.at(-1)), r: 3.5 }));
  return picture;
}

/** A score from 0 to 1 on its interval. */
function scoreBar({ score, low, high }) {
  const x = (value) => 4 + 192 * value;
  return svg("svg", { class: "scorebar", viewBox: "0 0 200 16", role: "img", "aria-label": `Score ${number(score)}, interval ${number(low)} to ${number(high)}` },
    svg("line", { class: "grid", x1: 4, x2: 196, y1: 8, y2: 8 }),
    svg("line", { class: "span", x1: x(low), x2: x(high), y1: 8, y2: 8 }),
    svg("circle", { class: "head", cx: x(score), cy: 8, r: 4.5 }));
}

// Fractured, unclear, coherent: the colours of verdicts.
const SCALE = [[213, 60, 0], [240, 214, 40], [0, 158, 115]];

function scoreColour(score) {
  const at = 2 * Math.min(1, Math.max(0, score));
  const [a, b] = [SCALE[Math.floor(at)], SCALE[Math.min(2, Math.floor(at) + 1)]];
  return `rgb(${a.map((v, k) => Math.round(v + (at % 1) * (b[k] - v))).join(" ")})`;
}

/**
 * Networks of each picture by depth (across) and links kept (upwards, on a log scale), coloured by score: [picture, chart].
 * `to(row)`: where a point leads. Empty where there is but one depth.
 */
function depthMaps(rows, to) {
  const placed = rows.filter((row) => row.depth && row.kept);
  const [depths, kept] = ["depth", "kept"].map((key) => [...new Set(placed.map((row) => row[key]))].sort((a, b) => a - b));
  if (depths.length < 2) return [];
  const [low, high] = [Math.log(kept[0] / 1.25), Math.log(kept.at(-1) * 1.25)];
  const room = (MAP_WIDE - LEFT - 8) / depths.length;
  const x = (depth) => LEFT + room * (depths.indexOf(depth) + 0.5);
  const y = (links) => 14 + ((MAP_HIGH - BOTTOM - 26) * (high - Math.log(links))) / (high - low);
  // Powers of ten, and what is halfway between them.
  const ticks = [1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5].filter((n) => Math.log(n) > low && Math.log(n) < high);
  return [...new Set(placed.map((row) => row.target))].map((target) => {
    const chart = svg("svg", { class: "chart map", viewBox: `0 0 ${MAP_WIDE} ${MAP_HIGH}`, role: "group", "aria-label": `${target}: networks by depth and links, coloured by score` });
    for (const links of ticks) {
      chart.append(svg("line", { class: "grid", x1: LEFT, x2: MAP_WIDE - 8, y1: y(links), y2: y(links) }), svg("text", { x: LEFT - 8, y: y(links) + 4, "text-anchor": "end" }, String(links)));
    }
    for (const depth of depths) chart.append(svg("text", { x: x(depth), y: MAP_HIGH - 20, "text-anchor": "middle" }, String(depth)));
    chart.append(svg("text", { x: LEFT - 8, y: 11, "text-anchor": "end" }, "links"), svg("text", { x: (LEFT + MAP_WIDE) / 2, y: MAP_HIGH - 5, "text-anchor": "middle" }, "layers"));
    // What would lie on one another stands side by side.
    const places = new Map();
    for (const row of placed.filter((row) => row.target === target)) {
      const place = `${row.depth} ${Math.round(12 * Math.log(row.kept))}`;
      places.set(place, [...(places.get(place) ?? []), row]);
    }
    for (const beside of places.values()) {
      beside.forEach((row, i) => {
        const step = Math.min(13, (room - 12) / beside.length);
        const point = svg("circle", { cx: x(row.depth) + step * (i - (beside.length - 1) / 2), cy: y(row.kept), r: 6, class: "point",
          fill: typeof row.score === "number" ? scoreColour(row.score) : "none" }, svg("title", null, `${row.label}: ${row.kept} links, score ${number(row.score)}`));
        chart.append(to(row) ? svg("a", { href: to(row), "aria-label": `${row.label}, ${row.depth} layers, ${row.kept} links, score ${number(row.score)}` }, point) : point);
      });
    }
    return [target, chart];
  });
}
// A network as it is wired: every unit shows what it draws, every link can be taken hold of.


// The drawing's own units: side of a unit, and how far columns and rows stand apart.
const [SIDE, ROW] = [40, 64];
const COLUMN = { few: 92, many: 68 };
// More links than this are lines on one canvas, not elements each.
const MOST_ELEMENTS = 1600;
// How near to a line, in the drawing's units, a click takes hold of it.
const NEAR = 8;

/** What a unit is called. */
function unitName(network, u) {
  if (u < 4) return { bias: "1" }[network.inputs[u]] ?? network.inputs[u];
  const output = network.outputs.indexOf(u);
  if (output < 0) return `u${u}`;
  return network.outputs.filter((o) => o !== null).length === 1 ? "ink" : ["hue", "saturation", "brightness"][output];
}

/** A link in words: `y → u5`. */
function linkName(network, i) {
  return `${unitName(network, network.links[i].source)} → ${unitName(network, network.links[i].target)}`;
}

/** What a unit computes. */
function formula(network, easel, u) {
  if (u < 4) return { x: "x, across", y: "y, downwards", d: "d, distance from the middle" }[network.inputs[u]] ?? "1, everywhere";
  const terms = easel.into[u].filter((i) => easel.weight(i) !== 0).map((i) => {
    const source = unitName(network, network.links[i].source);
    return `${number(easel.weight(i))}${source === "1" ? "" : `·${source}`}`;
  });
  const shown = terms.length > 12 ? [...terms.slice(0, 12), `… ${terms.length - 12} more`] : terms;
  const sum = shown.join(" + ").replaceAll("+ −", "− ") || "0";
  const { activation } = network.units[u];
  return ["identity", "cache"].includes(activation) ? sum : `${activation}(${sum})`;
}

/** Where the drawing puts each unit: {width, height, shown, at(u) → [x, y]}. */
function places(network) {
  const touched = new Set(network.links.filter((l) => l.weight !== 0).flatMap((l) => [l.source, l.target]));
  const shown = network.units.map((_, u) => u).filter((u) => touched.has(u) || network.outputs.includes(u));
  const columns = new Map();
  for (const u of shown) columns.set(network.units[u].layer, [...(columns.get(network.units[u].layer) ?? []), network.units[u].y]);
  // The two that stand closest in a column stand a row apart.
  let closest = 1;
  for (const heights of columns.values()) {
    heights.sort((a, b) => a - b).forEach((y, i) => (closest = i ? Math.min(closest, Math.max(y - heights[i - 1], 0.002)) : closest));
  }
  const rows = Math.max(...[...columns.values()].map((heights) => heights.length));
  const steps = Math.max(columns.size - 1, 1);
  const [wide, tall] = [steps * (steps > 9 ? COLUMN.many : COLUMN.few), ROW * Math.min(1 / closest, 1.6 * rows)];
  const all = shown.map((u) => network.units[u].y);
  const [top, bottom] = [Math.min(...all), Math.max(...all)];
  const at = (u) => [SIDE + wide * network.units[u].x, SIDE + tall * (network.units[u].y - top)];
  return { width: wide + 2 * SIDE, height: tall * (bottom - top) + 2 * SIDE, shown, at };
}

/** Very many links as lines on one canvas. `look(i)`: weight and strength; false for one that is drawn otherwise. */
class Mat {
  constructor({ width, height }, links, curve, look) {
    const scale = Math.min(2, 4096 / Math.max(width, height));
    Object.assign(this, { links, look, scale, curves: new Map(links.map((i) => [i, curve(i)])) });
    this.canvas = h("canvas", { class: "links", "aria-hidden": "true" });
    [this.canvas.width, this.canvas.height] = [width * scale, height * scale];
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.scheme.addEventListener("change", this);
    this.draw();
  }

  handleEvent() {
    if (this.canvas.isConnected) this.draw();
    else this.scheme.removeEventListener("change", this);
  }

  draw() {
    const on = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const [positive, negative] = ["--positive", "--negative"].map((name) => style.getPropertyValue(name));
    on.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    on.clearRect(0, 0, this.canvas.width, this.canvas.height);
    for (const i of this.links) {
      const look = this.look(i);
      if (!look) continue;
      const [weight, strength] = look;
      const [x, y, ...rest] = this.curves.get(i);
      on.beginPath();
      on.moveTo(x, y);
      on.bezierCurveTo(...rest);
      on.strokeStyle = weight < 0 ? negative : positive;
      on.lineWidth = 0.4 + 2.4 * strength;
      on.globalAlpha = 0.06 + 0.7 * strength ** 2;
      on.stroke();
    }
  }

  /** The link that passes nearest to a point; none if none is near. Of two as near, the stronger. */
  nearest(x, y) {
    let [best, found] = [NEAR ** 2, undefined];
    for (const i of this.links) {
      const [x0, y0, x1, y1, x2, y2, x3, y3] = this.curves.get(i);
      if (x < x0 - NEAR || x > x3 + NEAR || y < Math.min(y0, y3) - NEAR || y > Math.max(y0, y3) + NEAR) continue;
      for (let k = 0; k <= 32; k++) {
        const [t, s] = [k / 32, 1 - k / 32];
        const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
        const away = (a * x0 + b * x1 + c * x2 + d * x3 - x) ** 2 + (a * y0 + b * y1 + c * y2 + d * y3 - y) ** 2;
        if (away <= best) [best, found] = [away, i];
      }
    }
    return found;
  }
}

/**
 * Draws the wiring. `link(i)` and `unit(u)` are told what was taken, `hover(text)` what is pointed
 * at. Returns {element, squares, mark(link), refresh(link)}: `squares` are the maps to draw.
 */
function wiringOf(network, easel, { link, hover, mapSide = 64 }) {
  const { width, height, shown, at } = places(network);
  const strongest = Math.max(...network.links.map((l) => Math.abs(l.weight)), 1e-9);
  const drawn = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0)
    .sort((a, b) => Math.abs(network.links[b].weight) - Math.abs(network.links[a].weight));
  const many = drawn.length > MOST_ELEMENTS;
  const paths = new Map();
  const curve = (i) => {
    const [[x0, y0], [x1, y1]] = [at(network.links[i].source), at(network.links[i].target)];
    const bend = Math.max(30, (x1 - x0) / 2);
    return [x0, y0, x0 + bend, y0, x1 - bend, y1, x1, y1];
  };
  const words = (i) => `${linkName(network, i)}, weight ${number(easel.weight(i))}`;
  const strengthOf = (i) => Math.sqrt(Math.min(1, Math.abs(easel.weight(i)) / strongest));
  const look = (i) => {
    const [line, strength] = [paths.get(i).lastChild, strengthOf(i)];
    line.setAttribute("class", easel.weight(i) < 0 ? "line negative" : "line positive");
    line.setAttribute("stroke-width", (0.6 + 3 * strength).toFixed(2));
    line.setAttribute("opacity", (0.25 + 0.6 * strength).toFixed(2));
    paths.get(i).setAttribute("aria-label", words(i));
  };
  const element = (i) => {
    const [x0, y0, ...rest] = curve(i);
    const d = `M${x0} ${y0}C${rest.join(" ")}`;
    paths.set(i, svg("g", { class: "link", role: "button", tabindex: -1, "data-link": i }, svg("path", { class: "hit", d }), svg("path", { d })));
    look(i);
    return paths.get(i);
  };
  // Weak links first: strong ones lie over them. In the order of keys they go from strong to weak.
  const lines = svg("svg", { class: "links", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${drawn.length} links, strongest first` },
    many ? [] : drawn.map(element).reverse());
  const mat = many && new Mat({ width, height }, drawn.toReversed(), curve, (i) => !paths.has(i) && [easel.weight(i), strengthOf(i)]);
  const squares = [];
  const units = shown.map((u) => {
    const canvas = square(mapSide, { "aria-hidden": "true" });
    squares.push({ canvas, unit: u });
    const [x, y] = at(u);
    const element = h("button", { type: "button", class: network.units[u].seen === false ? "unit unseen" : "unit", "data-unit": u,
      "aria-label": `${unitName(network, u)}: ${network.units[u].activation}, ${easel.into[u].length} links in` },
      canvas, h("span", { "aria-hidden": "true" }, unitName(network, u)));
    for (const [name, value] of [["left", x / width], ["top", y / height], ["width", SIDE / width]]) {
      element.style.setProperty(name, `${(100 * value).toFixed(3)}%`);
    }
    return element;
  });
  const drawing = h("div", { class: "drawing" }, mat?.canvas, lines, h("div", { class: "units", role: "group", "aria-label": "Units, from inputs to picture" }, units));
  drawing.style.setProperty("aspect-ratio", `${width} / ${height}`);
  drawing.style.setProperty("--least", `${Math.round(width * 0.62)}px`);
  drawing.style.setProperty("--most", `${Math.round(width * 1.7)}px`);
  arrows(drawing.lastChild, units);
  arrows(lines, [...paths.values()]);

  const linkAt = (event) => {
    const element = event.target.closest("[data-link]");
    if (element) return Number(element.dataset.link);
    const box = drawing.getBoundingClientRect();
    return many && event.clientX ? mat.nearest(((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height) : undefined;
  };
  const told = (event) => {
    const u = event.target.closest("[data-unit]")?.dataset.unit;
    const i = u === undefined ? linkAt(event) : undefined;
    if (u !== undefined) hover(unitName(network, u), formula(network, easel, Number(u)), `${network.units[u].activation}, layer ${network.units[u].layer}, fan-in ${easel.into[u].length}`);
    else if (i !== undefined) hover(linkName(network, i), `weight ${number(easel.weight(i), 4)}`, `link ${i}`);
  };
  drawing.addEventListener(many ? "pointermove" : "pointerover", told);
  drawing.addEventListener("focusin", told);
  lines.addEventListener("click", (event) => {
    const i = linkAt(event);
    if (i !== undefined) link(i);
  });
  lines.addEventListener("keydown", (event) => {
    const taken = event.target.closest("[data-link]");
    if (taken && ["Enter", " "].includes(event.key)) {
      event.preventDefault();
      link(Number(taken.dataset.link));
    }
  });
  drawing.addEventListener("click", (event) => {
    const u = event.target.closest("[data-unit]")?.dataset.unit;
    const into = u === undefined ? [] : easel.into[u].filter((i) => network.links[i].weight !== 0);
    // A unit's strongest link is taken hold of.
    if (into.length) link(into.reduce((a, b) => (Math.abs(network.links[b].weight) > Math.abs(network.links[a].weight) ? b : a)));
  });
  const list = many && select([["", "…"], ...drawn.map((i) => [String(i), words(i)])], "", (i) => i && link(Number(i)));
  return {
    element: h("div", null, h("div", { class: "wiring", role: "region", "aria-label": "Wiring", tabindex: 0 }, drawing),
      list && field("Take hold of a link, the strongest first", list)),
    squares,
    mark(i) {
      lines.querySelector(".taken")?.classList.remove("taken");
      if (list) list.value = String(i);
      // Of many, those that were taken hold of are elements; so is one that had no weight.
      const path = paths.get(i) ?? element(i);
      if (mat) mat.draw();
      const focused = path === document.activeElement;
      path.classList.add("taken");
      // Over the others; what is moved in a document loses the focus.
      lines.append(path);
      if (focused) path.focus();
    },
    refresh: (i) => paths.has(i) && look(i),
  };
}
// The lineage as a tree of pictures: every sheet a session has come to, and the picture it was bred from.


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

/** Draws the tree. `picture(node)` gives an address; `go(n)` is called with what was taken. */
function treeOf(nodes, { at, shown, picture, go }) {
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
    const named = node.generation ? `Generation ${node.generation}, bred from ${node.chosen.map((c) => c + 1).join(" and ")}` : "Generation 0, the first sheet";
    return svg("g", { class: "node", role: "button", tabindex: -1, "data-node": node.n, "aria-label": `${named}${node.n === at ? ", here" : ""}`,
      "aria-current": node.n === shown ? "true" : null },
    svg("rect", { x: x - 2, y: y - 2, width: LEAF + 4, height: LEAF + 4, rx: 6 }),
    svg("image", { href: picture(node), x, y, width: LEAF, height: LEAF }),
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
// Every weight of a network moved, one at a time: a contact sheet.


// Side of its pictures, and how many weights are drawn at most (the strongest).
const [SMALL, MOST_MOVED] = [64, 800];
// So many are drawn without being asked for.
const AT_ONCE = 60;
// Weights drawn before the page gets a turn.
const BATCH = 8;

const CALLS = ["fractured", "unclear", "coherent"];
const ORDERS = {
  effect: (a, b) => b.effect - a.effect,
  layer: (a, b) => a.layer - b.layer || a.link - b.link,
  verdict: (a, b) => CALLS.indexOf(a.call) - CALLS.indexOf(b.call) || b.effect - a.effect,
  weight: (a, b) => Math.abs(b.weight) - Math.abs(a.weight),
};

/** The changes of each weight: those of the score where there is one, else the same step both ways. */
function changesOf(network, judged, step) {
  const changes = judged?.map(({ link, delta, call, p }) => ({ link, delta, call, p }))
    ?? network.links.flatMap((l, link) => (l.weight === 0 ? [] : [{ link, delta: -step }, { link, delta: step }]));
  const weights = new Map();
  for (const change of changes) {
    if (!weights.has(change.link)) weights.set(change.link, { link: change.link, moves: [] });
    weights.get(change.link).moves.push(change);
  }
  return [...weights.values()].map((w) => {
    const { weight, target } = network.links[w.link];
    const calls = w.moves.map((m) => CALLS.indexOf(m.call)).filter((c) => c >= 0);
    return { ...w, weight, layer: network.units[target].layer, call: CALLS[Math.min(...calls)], effect: 0 };
  });
}

/** The sheet; `take(link, value)` is told what was clicked. Returns {element, stop}. */
function contactSheet(easel, score, take) {
  const { network } = easel;
  let [order, step, ways, turn] = ["effect", 0.5, score ? "score" : "step", 0];
  const list = h("ul", { class: "moved" });
  const told = h("p", { class: "note", role: "status" });
  const stepField = field("Step", h("input", { type: "number", min: 0.01, max: 10, step: 0.01, value: step, change: (event) => {
    step = Math.abs(Number(event.target.value)) || 0.5;
    draw();
  } }));
  stepField.hidden = ways === "score";
  let weights = [];

  const tile = (w) => h("li", { class: w.call ? `call ${w.call}` : null }, w.moves.map((m) => {
    const way = m.delta < 0 ? "down" : "up";
    m.canvas = square(SMALL, { "aria-hidden": "true" });
    return h("button", { type: "button", class: m.call ?? null, "aria-label": `${linkName(network, w.link)} ${way} by ${number(Math.abs(m.delta))}${m.call ? `: ${m.call}` : ""}`,
      click: () => take(w.link, w.weight + m.delta) }, m.canvas);
  }), h("span", null, linkName(network, w.link)), (w.told = h("small")));

  const sort = () => {
    weights.sort(ORDERS[order]);
    list.append(...weights.map((w) => w.element));
    const buttons = [...list.querySelectorAll("button")];
    if (buttons.length) arrows(list, buttons);
  };

  async function draw() {
    const mine = ++turn;
    const all = changesOf(network, ways === "score" ? score.judged : null, step);
    weights = all.sort(ORDERS.weight).slice(0, MOST_MOVED);
    list.replaceChildren();
    for (const w of weights) w.element = tile(w);
    sort();
    const base = scratch(SMALL);
    await easel.ready;
    await easel.draw([{ canvas: base, set: new Map([...easel.moved.keys()].map((i) => [i, network.links[i].weight])) }]);
    for (let i = 0; i < weights.length; i += BATCH) {
      const some = weights.slice(i, i + BATCH);
      await easel.draw(some.flatMap((w) => w.moves.map((m) => ({ canvas: m.canvas, set: new Map([[w.link, w.weight + m.delta]]) }))));
      if (mine !== turn) return;
      for (const w of some) {
        w.effect = Math.max(...w.moves.map((m) => effect(base, m.canvas)));
        w.told.textContent = number(w.effect);
      }
      told.textContent = `${Math.min(i + BATCH, weights.length)} of ${count(weights.length, "weight")} drawn`;
      await new Promise((next) => setTimeout(next));
    }
    told.textContent = `${count(weights.length, "weight")}${all.length > weights.length ? `, the strongest of ${all.length}` : ""}; under each how much the picture changes (0 to 1). ${
      ways === "score" ? "Moved as far as it took to change the picture alike, and judged." : `Each moved down and up by ${number(step)}.`}`;
    sort();
  }

  const element = h("section", { class: "sheet" }, h("h2", null, "Every weight"),
    h("div", { class: "row" },
      field("Sorted by", select([["effect", "effect"], ["layer", "layer"], ["weight", "weight"], ...(score ? [["verdict", "verdict"]] : [])], order, (value) => {
        order = value;
        sort();
      })),
      score && field("Moved", select([["score", "as far as the score did"], ["step", "by the same step"]], ways, (value) => {
        ways = value;
        stepField.hidden = ways === "score";
        draw();
      })),
      stepField),
    told, list);
  const many = network.links.filter((l) => l.weight !== 0).length;
  if (many <= AT_ONCE) draw();
  else told.replaceChildren(button(`Draw ${count(Math.min(many, MOST_MOVED), "weight")}`, draw));
  return { element, stop: () => turn++ };
}
// The start page: what lies in the studio's folder, each with its picture.


let queue = Promise.resolve();

/** The picture of anything in the library. In an exported site the graphics card draws it. */
function thumb(id, name, size = 192) {
  if (!isExport) return h("img", { class: "picture", src: call("thumb", { id, size }), alt: name, width: size, height: size, loading: "lazy" });
  const canvas = square(size, { class: "picture", role: "img", "aria-label": name });
  queue = queue.then(async () => {
    const network = await get("network", { id, wiring: "graph" });
    if (!network) return;
    const easel = await new Easel(network, { id }).ready;
    await easel.draw([{ canvas }]);
    easel.drop();
  }).catch(complain);
  return canvas;
}

/** Asks how to begin, and begins a session from these genomes (none: from random ones). */
async function newSession(from = [], names = from.map(leaf)) {
  let colour = "grey";
  const words = from.length ? `Breed from ${names.join(", ")}` : "A new session";
  const answer = await ask(words, [
    field("Name", h("input", { name: "name", placeholder: "it gets one if this is empty", autocomplete: "off", maxlength: 60 })),
    choice("Colour", [["grey", from.length ? "as it is" : "grey"], ["colour", from.length ? "with colour" : "colour"]], colour, (value) => (colour = value)),
    field("Pictures on a sheet", select([9, 15, 24].map((n) => [String(n), String(n)]), "15", () => {}, { name: "grid" })),
    field("Seed", h("input", { name: "seed", type: "number", min: 0, step: 1, placeholder: "by chance" }), "The same seed and the same choices give the same pictures."),
  ], "Begin");
  if (!answer) return;
  const seed = answer.seed === "" ? Math.floor(Math.random() * 2 ** 31) : Number(answer.seed);
  const session = await post("sessions", {
    name: answer.name || undefined, seed, from, grid: Number(answer.grid), colour: from.length && colour === "grey" ? undefined : colour === "colour",
  }, "Drawing the first sheet");
  location.hash = address("breed", session.name);
}

/** A name that may break after its underscores. */
const softly = (name) => name.split(/(?<=_)/).map((part, i) => (i ? [h("wbr"), part] : part));

function tile(entry, to, sub, chosen) {
  const name = entry.name || leaf(entry.id);
  const pick = chosen && h("label", { class: "pick", title: "Compare" },
    h("input", { type: "checkbox", "aria-label": `Compare ${name}`, "data-id": entry.id, change: chosen }));
  return h("li", { class: "tile" }, h("a", { href: to }, thumb(entry.id, ""), h("b", null, softly(name)), h("small", null, sub)), pick);
}

function shelf(title, tiles) {
  return h("section", null, h("h2", null, title), h("ul", { class: "tiles" }, tiles));
}

function runWords(run) {
  const said = (name, value) => (value === null || value === undefined ? null : `${name} ${number(value)}`);
  return [run.finished ? null : "not finished", run.arm || run.kind, said("R²", run.r2), said("score", run.score)].filter(Boolean).join(", ");
}

/** Shows the library. */
async function showStart(main) {
  const library = await get("library", null, "Looking through the folder");
  const { genomes = [], sessions = [], runs = [], studies = [], pictures = [], unread = [] } = library;
  const mine = sessions.filter((s) => s.name);
  // Those that lie elsewhere, bred by the command say, stay as they are: one goes on in a copy.
  const others = isExport ? [] : sessions.filter((s) => !s.name);
  // Runs of a study stand under it.
  const studyOf = (run) => studies.find((s) => run.id.startsWith(`${s.id}/`));
  const ownRuns = runs.filter((run) => !studyOf(run));
  const runTile = (r) => tile(r, address("look", r.id), runWords(r), chosen);
  const runsOf = (s) => {
    const all = runs.filter((run) => studyOf(run) === s);
    return all.length ? h("details", null, h("summary", null, `${count(all.length, "run")} of ${s.name}`), h("ul", { class: "tiles" }, all.map(runTile))) : null;
  };
  const bar = h("div", { class: "comparebar", hidden: true });
  const chosen = () => {
    const ids = [...main.querySelectorAll(".pick input:checked")].map((input) => input.dataset.id);
    bar.hidden = ids.length === 0;
    bar.replaceChildren(
      h("span", null, count(ids.length, "picture"), " chosen"),
      h("a", { class: "button main", href: address("compare", "", { ids: listed(ids) }) }, ids.length > 1 ? "Compare" : "Look at it beside its relatives"),
      button("Let go", () => {
        main.querySelectorAll(".pick input:checked").forEach((input) => (input.checked = false));
        chosen();
      }));
    if (!isExport && ids.every((id) => genomes.some((g) => g.id === id))) bar.children[1].after(button("Breed from them", () => newSession(ids).catch(complain)));
  };
  const input = h("input", { type: "file", multiple: true, class: "hidden", tabindex: -1, "aria-label": "File to open", change: () => openFiles(input.files) });
  const open = button("Open a file", () => input.click());
  fill(main,
    h("header", { class: "page" },
      h("h1", null, "Pictures drawn by networks"),
      h("p", { class: "lead" }, isExport
        ? "Take hold of a weight and see what it means. Every picture here is a small network; nothing but this page draws it."
        : "Breed them, look inside, move a weight, compare. Drop a genome, weights or a picture anywhere on this page to open it."),
      !isExport && h("div", { class: "row" }, h("button", { type: "button", class: "main", click: () => newSession().catch(complain) }, "New session"), open, input)),
    mine.length ? shelf("Sessions", mine.map((s) => tile(s, address("breed", s.name), `generation ${s.generation}`))) : null,
    genomes.length ? shelf("Genomes", genomes.map((g) => tile(g, address("look", g.id), `${g.nodes} nodes, ${count(g.links, "link")}`, chosen))) : null,
    ownRuns.length ? shelf("Trained and pruned", ownRuns.map(runTile)) : null,
    pictures.length ? shelf("Pictures to learn", pictures.map((p) => tile(p, address("look", p.id), "opened"))) : null,
    others.length ? h("section", null, h("h2", null, "Sessions bred elsewhere"), h("ul", { class: "lines" }, others.map((s) =>
      h("li", null, button(leaf(s.id), () => adopt(s.id).catch(complain)), h("span", null, `${s.id}: generation ${s.generation}; goes on in a copy`))))) : null,
    studies.length ? h("section", { class: "studies" }, h("h2", null, "Studies"), h("ul", { class: "tiles" }, studies.map((s) => tile(s, address("study", s.id), s.question))),
      studies.map(runsOf)) : null,
    unread.length ? h("section", null, h("h2", null, "Could not be read"), h("ul", { class: "lines" }, unread.map((u) => h("li", null, h("span", null, u.id), h("span", null, u.why))))) : null,
    !genomes.length && !runs.length && !mine.length
      ? h("p", { class: "empty" }, isExport ? "Nothing was exported." : "There is nothing here yet. Begin a session, or open a file.") : null,
    bar);
  for (const list of main.querySelectorAll("ul.tiles")) arrows(list, [...list.querySelectorAll("a")]);
  keys([["←→↑↓", "from picture to picture"], ["Enter", "look at it"], ["c", "choose it for comparison", () => {
    document.activeElement.closest(".tile")?.querySelector(".pick input")?.click();
  }], ...(isExport ? [] : [["n", "a new session", () => newSession().catch(complain)], ["o", "open a file", () => open.click()]])]);
}

/** Goes on with a session that lies elsewhere, in a copy. */
async function adopt(id) {
  const session = await post("sessions", { from: [id] }, "Breeding it again");
  location.hash = address("breed", session.name);
}

/** The arch of weights that do not name theirs; none if nobody says. */
async function archOf(file) {
  if (!/\.npz$/i.test(file.name)) return undefined;
  const answer = await ask(`Which network has the weights of ${file.name}?`, [
    field("Arch", h("input", { name: "arch", placeholder: "12;cache:15,gaussian:4,identity:2,sin:1", required: true, spellcheck: false }),
      "Hidden layers; units of each layer by activation."),
  ], "Open");
  return answer?.arch;
}

async function openFiles(files) {
  let last;
  for (const file of files) {
    try {
      last = await upload(file, await archOf(file));
      say(`${file.name} is open`);
    } catch (error) {
      complain(error);
    }
  }
  if (!last) return;
  location.hash = address("look", last.id);
}

/** Files may be dropped anywhere. */
function takeDrops() {
  if (isExport) return;
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => !event.relatedTarget && document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    openFiles(event.dataTransfer.files);
  });
}
// Breeding: a sheet of pictures, a choice, the next sheet.


// Side of the pictures: first a quick sheet, then a sharp one.
const [QUICK, SHARP] = [128, 256];
// The next sheet is drawn before it is asked for: so long after a choice, in ms, where that takes less than so long.
const [PAUSE, PATIENCE] = [20, 500];

const under = (name) => `sessions/${encodeURIComponent(name)}`;

/** Shows a session. */
async function showBreed(main, { id: name, query }) {
  let [session, first] = await getWithPixels(under(name), { node: query.get("node") ?? undefined, size: QUICK }, "Reading the session");
  let shown = query.get("node") === null ? session.at : Number(query.get("node"));
  let [chosen, sheets, focus] = [new Set(), 0, 0];
  let parts = query.get("parts") ?? session.parts;
  let cells = [];

  const title = h("h1", null, session.name);
  const lead = h("p", { class: "lead" });
  const brood = h("div", { class: "brood", role: "group", "aria-label": "The sheet" });
  const changes = h("div", { class: "changes", "aria-live": "polite" });
  const tree = h("div", { class: "tree", tabindex: 0, role: "region", "aria-label": "Lineage" });
  const slider = h("input", { type: "range", min: 0, max: 1, step: 0.05, value: query.get("strength") ?? session.slider, "aria-label": "Strength of changes", change: settled, input: () => (strength.textContent = slider.value) });
  const strength = h("output", null, slider.value);
  const go = button("Breed", breed, { class: "main" });
  const undo = button("Undo", () => step("undo"));
  const redo = button("Redo", () => step("redo"));
  const more = h("div", { class: "row" });

  // One thing at a time, and nothing twice.
  let working = false;
  async function tell(what, body, words) {
    if (working) return [];
    working = true;
    brood.setAttribute("aria-busy", "true");
    try {
      return await postForPixels(`${under(name)}/${what}`, { version: session.version, ...body }, words);
    } catch (error) {
      if (error.status === 409 && error.answer?.session) {
        await stand(error.answer.session);
        complain("This session went on in another tab. Here is where it stands now; nothing was lost.");
      } else complain(error);
      return [];
    } finally {
      working = false;
      brood.removeAttribute("aria-busy");
    }
  }

  const choiceNow = () => ({ at: shown, chosen: [...chosen], slider: Number(slider.value), parts });

  // What the choice is going to lead to: pixels, once they are there, and the version of the session that has them.
  let [foreseen, took] = [null, 0];
  function look() {
    foreseen?.control.abort();
    foreseen = null;
    if (!chosen.size) return;
    // It is tried again after a while.
    if (took > PATIENCE) return void (took /= 2);
    const mine = (foreseen = { control: new AbortController(), seen: null });
    setTimeout(() => {
      if (mine.control.signal.aborted) return;
      const began = performance.now();
      const body = { version: session.version, ...choiceNow(), size: QUICK };
      mine.seen = foresee(`${under(name)}/foresee`, body, mine.control.signal).then(([next, pixels]) => {
        took = performance.now() - began;
        Object.assign(mine, { version: next.version, pixels });
      }, () => {}); // Whatever goes wrong is told when it is asked for.
    }, PAUSE);
  }

  async function breed(event) {
    if (working) return;
    if (!chosen.size) return say("Choose one picture or more first");
    performance.mark("breed", { startTime: event?.timeStamp });
    const ahead = foreseen?.seen ? foreseen : null;
    if (!ahead) foreseen?.control.abort();
    const [from, before, ready] = [sheets, painted, ahead?.pixels];
    if (ready) {
      sheets++;
      put(ready, QUICK);
      requestAnimationFrame(() => performance.measure("breed", "breed"));
    }
    const [next, drawn] = await tell("breed", { ...choiceNow(), size: ahead ? undefined : QUICK }, "Breeding");
    // Not kept, and nobody has said how it stands: as it was.
    if (!next && ready && sheets === from + 1) put(...before);
    if (!next) return;
    await ahead?.seen;
    await stand(next, next.at, ahead?.version === next.version ? ahead.pixels : drawn);
    // How long it took from the click until the step was kept and shown, and until the frame that has its pictures.
    performance.measure("bred", "breed");
    if (!ready) requestAnimationFrame(() => performance.measure("breed", "breed"));
    say(`Generation ${generation()}: ${count(session.sheet.length, "picture")}`);
  }

  async function step(way) {
    const [next, pixels] = await tell(way, { size: QUICK }, way === "undo" ? "Going back" : "Going on");
    if (next) await stand(next, next.at, pixels);
  }

  async function visit(node) {
    const [there, pixels] = await getWithPixels(under(name), { node, size: QUICK }, "Reading the sheet");
    await stand(there, node, pixels);
  }

  async function publish() {
    const place = chosen.size === 1 ? [...chosen][0] : focus;
    const picture = square(160, { class: "picture", role: "img", "aria-label": "The picture" });
    picture.getContext("2d").drawImage(cells[place].firstChild, 0, 0, 160, 160);
    const answer = await ask("Publish this picture", [picture,
      field("Name", h("input", { name: "name", required: true, maxlength: 60, autocomplete: "off" })),
      field("Tags", h("input", { name: "tags", autocomplete: "off", placeholder: "face, round" }), "Between commas."),
    ], "Publish");
    if (!answer) return;
    const tags = answer.tags.split(",").map((tag) => tag.trim()).filter(Boolean);
    if (shown !== session.at) {
      const [there] = await tell("goto", { node: shown }, "Going there");
      if (!there) return;
      session = there;
    }
    const [done] = await tell("publish", { place, name: answer.name, tags }, "Publishing");
    if (!done) return;
    session = await get(under(name), null, "Reading the session");
    menu();
    say(`Published as ${done.id}`);
  }

  const inside = (place) => address("look", `${session.id}/${shown}/${place}`);
  const generation = () => session.nodes.find((node) => node.n === shown)?.generation ?? 0;

  /** Shows a state of the session on its sheet number `node`; `pixels` are that sheet's, where they came along. */
  async function stand(next, node = next.at, pixels = null) {
    session = next;
    shown = node;
    chosen = new Set();
    look();
    await paint(pixels);
    menu();
    detail(focus);
    // The rest when the pictures can be seen.
    requestAnimationFrame(() => setTimeout(() => {
      if (!brood.isConnected) return;
      lineage();
      named();
    }));
  }

  /** What may change, and how much, is another. */
  function settled() {
    look();
    named();
  }

  /** The address has what a reload would lose. */
  function named() {
    rename("breed", name, { node: shown === session.at ? undefined : shown, chosen: [...chosen].join(","),
      strength: Number(slider.value) === session.slider ? undefined : slider.value, parts: parts === "both" ? undefined : parts });
  }

  /** The pictures to choose from: the elements stay from sheet to sheet. */
  function lay() {
    if (cells.length !== session.sheet.length) {
      cells = session.sheet.map((_, place) => {
        const element = h("button", { type: "button", click: () => toggle(place) }, square(QUICK, { "aria-hidden": "true" }));
        element.addEventListener("focus", () => detail((focus = place)));
        element.addEventListener("pointerenter", () => detail(place));
        return element;
      });
      brood.replaceChildren(...cells);
      arrows(brood, cells);
      focus = 0;
    }
    session.sheet.forEach((cell, i) => {
      cells[i].className = cell.kept ? "kept" : "";
      cells[i].setAttribute("aria-pressed", "false");
      cells[i].setAttribute("aria-label", `Picture ${i + 1}, ${count(cell.links, "link")}${cell.kept ? ", the parent" : ""}`);
    });
  }

  let painted = null;
  /** Puts pictures into the places of the sheet. */
  function put(drawn, side) {
    painted = [drawn, side];
    cells.forEach((cell, i) => {
      const [canvas, one] = [cell.firstChild, 4 * side * side];
      if (canvas.width !== side) canvas.width = canvas.height = side;
      // Kept in plain memory: they are written, not drawn on.
      canvas.getContext("2d", { willReadFrequently: true }).putImageData(new ImageData(drawn.subarray(i * one, (i + 1) * one), side, side), 0, 0);
    });
  }

  /** Draws the sheet: quickly, and once more sharply when there is time. */
  async function paint(pixels) {
    const mine = ++sheets;
    const ask = async (side) => (await getWithPixels(`${under(name)}/sheet`, { node: shown, size: side }, "Drawing the sheet"))[1];
    const quick = pixels ?? (await ask(QUICK));
    if (mine !== sheets) return;
    lay();
    put(quick, QUICK);
    setTimeout(() => mine === sheets && ask(SHARP).then((drawn) => mine === sheets && put(drawn, SHARP)).catch(complain), 300);
  }

  function lineage() {
    const had = tree.contains(document.activeElement);
    tree.replaceChildren(treeOf(session.nodes, { at: session.at, shown, go: (n) => visit(n).catch(complain),
      picture: (n) => call(`${under(name)}/picture`, { node: n.parent ?? n.n, place: n.chosen?.[0] ?? 0, size: 96 }) }));
    const mark = tree.querySelector("[aria-current]");
    if (!mark) return;
    if (had) mark.focus();
    // What is shown stands in the middle of what can be seen of it.
    const [box, own] = [tree, mark].map((element) => element.getBoundingClientRect());
    tree.scrollLeft += own.left - box.left - box.width / 2;
  }

  function toggle(place) {
    if (!chosen.delete(place)) chosen.add(place);
    cells[place].setAttribute("aria-pressed", String(chosen.has(place)));
    look();
    menu();
    named();
  }

  function detail(place) {
    const cell = session.sheet[place];
    if (!cell) return;
    const words = cell.changes?.length ? h("ul", null, cell.changes.map((change) => h("li", null, change))) : h("p", { class: "note" }, cell.kept ? "The parent, unchanged." : "From the start.");
    changes.replaceChildren(h("h3", null, `Picture ${place + 1}`), h("small", null, `${cell.nodes} nodes, ${count(cell.links, "link")}`), words);
  }

  function menu() {
    const away = shown !== session.at;
    lead.textContent = `Generation ${generation()}${away ? ", an earlier sheet: breed from it to branch" : ""}. ${
      chosen.size ? `${chosen.size} chosen.` : "Choose what you like, and breed."}`;
    go.textContent = chosen.size > 1 ? `Breed ${chosen.size} together` : "Breed";
    go.disabled = chosen.size === 0;
    undo.disabled = !session.can_undo;
    redo.disabled = !session.can_redo;
    const place = chosen.size === 1 ? [...chosen][0] : null;
    const cell = session.sheet[place];
    const at = { node: shown, place };
    more.replaceChildren(...(place === null ? [h("small", null, "Choose one to publish it, to look inside, or to save it.")] : [
      button("Publish …", publish),
      h("a", { class: "button", href: inside(place) }, "Look inside"),
      h("a", { class: "button", href: call(`${under(name)}/genome`, at), download: true }, "Genome"),
      h("span", { class: "joined" }, png, size)]));
    png.href = call(`${under(name)}/picture`, { ...at, size: size.value });
    published.replaceChildren(...(session.published?.length ? [h("h3", null, "Published"), h("ul", null, session.published.map((id) =>
      h("li", null, h("a", { href: address("look", id) }, id))))] : []));
  }

  const published = h("div");
  const size = pngSide(() => (png.href = call(`${under(name)}/picture`, { node: shown, place: [...chosen][0], size: size.value })));
  const png = h("a", { class: "button", download: true }, "PNG");
  fill(main, h("header", { class: "page" }, title, lead),
    h("div", { class: "nursery" }, brood,
      h("div", { class: "controls" }, go, h("div", { class: "row" }, undo, redo),
        field("Strength of changes", h("div", { class: "row" }, slider, strength)),
        choice("What may change", [["both", "all"], ["structure", "structure"], ["colour", "colour"]], parts, (value) => {
          parts = value;
          settled();
        }),
        changes, more, published)),
    h("section", null, h("h2", null, "Lineage"), h("p", { class: "note" }, "Every sheet of this session, under the picture it was bred from. Take one to go back to it."), tree),
    h("p", { class: "note" }, "Kept after every step; a session begins again where it was left. ", button("A new session", () => newSession().catch(complain))));
  await stand(session, shown, first);
  for (const place of (query.get("chosen") ?? "").split(",")) if (place !== "" && cells[place]) toggle(Number(place));
  keys([["←→↑↓", "from picture to picture"], [" ", "choose, or let go"], ["Enter", "breed from what is chosen (or from the picture with the focus)"], ["b", "breed", () => breed().catch(complain)], ["l", "look inside the picture with the focus", () => (location.hash = inside(focus))], ["u", "undo", () => step("undo")], ["r", "redo", () => step("redo")],
    ["p", "publish the picture with the focus", () => {
      if (chosen.size !== 1) {
        [...chosen].forEach(toggle);
        toggle(focus);
      }
      publish().catch(complain);
    }],
    ["a", "choose none", () => [...chosen].forEach(toggle)]]);
  brood.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (!chosen.size) toggle(focus);
    breed(event).catch(complain);
  });
  return () => {
    sheets++;
    foreseen?.control.abort();
  };
}
// Look inside: a network's picture, its wiring with what every unit draws, and a slider for every weight.


// Side of the large picture, and of a map, in pixels.
const [LARGE, MAP] = [512, 64];
// Effects offered for a jump.
const JUMPS = [0.05, 0.15, 0.3];

/** `3:0.2,7:-1` to and from a map. */
function readMoves(text) {
  return new Map((text ?? "").split(",").filter(Boolean).map((pair) => pair.split(":").map(Number)));
}

const writeMoves = (moved) => [...moved].map(([link, value]) => `${link}:${Math.fround(value).toPrecision(6).replace(/\.?0+$/, "")}`).join(",");

/** A picture that can be moved and zoomed with wheel, finger and keys. `changed()` after each move. */
function frameOf(canvas, view, changed) {
  let [x, y, zoom] = view;
  const go = (dx, dy, factor = 1, about = [0, 0]) => {
    const next = Math.min(1e4, Math.max(0.05, zoom * factor));
    // The point under the pointer stays where it is.
    x += dx / zoom + about[0] * (1 / zoom - 1 / next);
    y += dy / zoom + about[1] * (1 / zoom - 1 / next);
    zoom = next;
    changed();
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(2 * (event.clientX - box.left)) / box.width - 1, (2 * (event.clientY - box.top)) / box.height - 1];
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    go(0, 0, Math.exp(-event.deltaY / 400), point(event));
  }, { passive: false });
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = point(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const to = point(event);
    go(held[0] - to[0], held[1] - to[1]);
    held = to;
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (held = null));
  const home = () => {
    [x, y, zoom] = [0, 0, 1];
    changed();
  };
  const steps = {
    "+": () => go(0, 0, 1.25), "=": () => go(0, 0, 1.25), "-": () => go(0, 0, 0.8), "0": home,
    ArrowLeft: () => go(-0.2, 0), ArrowRight: () => go(0.2, 0), ArrowUp: () => go(0, -0.2), ArrowDown: () => go(0, 0.2),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!steps[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    steps[event.key]();
  });
  return {
    get frame() {
      return [x - 1 / zoom, y - 1 / zoom, 2 / zoom, 2 / zoom];
    },
    get view() {
      return x === 0 && y === 0 && zoom === 1 ? undefined : [x, y, zoom].map((v) => Number(v.toPrecision(5))).join(",");
    },
    buttons: h("div", { class: "row zoom" }, button("+", steps["+"], { "aria-label": "Nearer" }), button("−", steps["-"], { "aria-label": "Farther" }),
      button("Whole", home, { "aria-label": "The whole picture" })),
  };
}

/** Asks for the settings of work on `network` and starts it; training may be on another picture, `target`. */
async function startWork(kind, network, wiring, target) {
  const isGenome = !network || network.kind === "genome";
  const numeric = (name, title, value, more) => field(title, h("input", { name, type: "number", value, min: 0, required: true, ...more }));
  const library = kind === "train" ? await get("library", null, "Looking for pictures") : {};
  const named = (all) => (all ?? []).map((entry) => [entry.id, entry.name || leaf(entry.id)]);
  const most = network?.links.filter((l) => l.kept).length ?? 0;
  const rules = {
    budget: () => numeric("budget", "Links to keep", Math.ceil(most / 2), { min: 1, max: most, step: 1 }),
    threshold: () => numeric("threshold", "Least score to keep", 0.3, { min: null, step: "any" }),
  };
  const rule = h("div", null, rules.budget());
  const forms = {
    train: () => ["Train from random weights", [
      !network && field("Network", select(named(library.genomes), "", () => {}, { name: "id" }), "Its wiring is trained, or a dense network of its shape."),
      isGenome && field("Wiring", select([["dense", "dense, layer on layer"], ["layerized", "the evolved wiring, in layers"], ["graph", "the evolved wiring"]], "dense", () => {}, { name: "wiring" })),
      !target && field("Picture to learn", select([["", "its own"], ...named(library.pictures), ...named(library.genomes)], "", () => {}, { name: "target" })),
      numeric("steps", "Steps", 4000, { min: 1, step: 1 }), numeric("size", "Pixels along the picture", 64, { min: 8, max: 512, step: 1 }),
      field("Optimizer", select([["adam", "Adam"], ["sgd", "SGD"], ["muon", "Muon"]], "adam", () => {}, { name: "optimizer" })),
      numeric("lr", "Learning rate", 0.003, { step: "any" }), numeric("seed", "Seed", 0, { step: 1 }),
    ], "Train"],
    prune: () => ["Prune", [
      field("Method", select([["sp", "by similarity"], ["magnitude", "by magnitude"], ["wanda", "by weight and activation"], ["random", "at random"]], "sp", () => {}, { name: "method" })),
      field("Keep", select([["budget", "this many links"], ["threshold", "links of at least this score"]], "budget", (by) => {
        rule.replaceChildren(rules[by]());
      })), rule,
      numeric("steps", "Steps of training afterwards", 2000, { step: 1 }),
    ], "Prune"],
    score: () => ["Score", [
      numeric("samples", "Weights to sample", Math.min(40, most), { min: 1, max: most, step: 1 }),
      numeric("effect", "Change of the picture (RMSE)", 0.18, { min: 0.01, max: 0.5, step: 0.01 }),
    ], "Score"],
  };
  const answer = await ask(...forms[kind]());
  if (!answer) return;
  const words = ["id", "target", "wiring", "optimizer", "method"];
  const values = Object.entries(answer).filter(([, value]) => value !== "").map(([name, value]) => [name, words.includes(name) ? value : Number(value)]);
  const body = { kind, id: network?.id, target, ...(kind === "score" ? { wiring } : kind === "train" ? { wiring: "graph" } : {}), ...Object.fromEntries(values) };
  const job = await post("jobs", body, "Starting");
  location.hash = address("jobs", job.job);
}

function provenance({ provenance: p }) {
  const rows = [["made by", p?.made_by], ["tags", p?.tags?.join(", ")], ...Object.entries(p?.notes ?? {})].filter(([, value]) => value);
  return rows.length ? h("details", null, h("summary", null, "Where it comes from"),
    h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, String(value)))))) : null;
}

function facts(network) {
  const alive = network.links.filter((l) => l.weight !== 0).length;
  return [
    count(network.units.length - 4, "unit"),
    alive === network.links.length ? count(alive, "link") : `${alive} of ${count(network.links.length, "link")}`,
    `${Math.max(...network.units.map((u) => u.layer))} layers`,
    network.r2 !== null && network.r2 !== undefined && `R² ${number(network.r2)}`,
  ].filter(Boolean).join(" · ");
}

/** Shows one network. */
async function showLook(main, { id, query }) {
  if (/\.(png|jpe?g|gif|webp)$/i.test(id)) return showTarget(main, id);
  const wiring = query.get("wiring") ?? "graph";
  const network = await get("network", { id, wiring }, "Reading the network");
  if (!network) throw new Error(`${id} is not in this site.`);
  const score = await find("score", { id, wiring }, "Reading its score");
  const easel = new Easel(network, { id, wiring });
  for (const [link, value] of readMoves(query.get("set"))) if (network.links[link] && Number.isFinite(value)) easel.move(link, value);

  const canvas = square(LARGE, { class: "picture", tabindex: 0, role: "application",
    "aria-label": `Picture of ${network.name}. Arrows move the frame, plus and minus zoom, 0 shows the whole.` });
  const told = h("p", { class: "hover" }, h("b"), h("span"), h("small"));
  const hover = (...words) => [...told.children].forEach((child, i) => (child.textContent = words[i]));
  hover("Take hold of a link", "Click one, or walk there with the keys: a slider moves its weight.", "");
  const drawing = wiringOf(network, easel, { hover, link: (i) => take(i), mapSide: MAP });
  const by = h("small", { class: "by" });
  let link = null;
  let felt = [];
  let next = 0;
  let framed = "";
  let renaming;

  const live = new Live(async (fine) => {
    // While something moves, as many maps a frame as there is time for, in turns.
    // The server draws all maps or none: they wait until it rests.
    const here = frame.frame;
    // All of them where the frame has moved: every map is of what the picture shows.
    const stale = String(here) === framed ? felt : drawing.squares;
    const some = fine === 1 ? stale : easel.by === "server" ? [] : stale.slice(next, next + Math.max(1, Math.ceil(stale.length * fine ** 2)));
    next = next + some.length >= stale.length ? 0 : next + some.length;
    const side = fine === 1 ? LARGE : Math.max(96, 32 * Math.round((LARGE * fine) / 32));
    const drawn = await easel.draw([{ canvas, side }, ...some].map((square) => ({ ...square, frame: here })));
    if (fine === 1) framed = String(here);
    if (!drawn) by.textContent = "This browser has no WebGL 2, and an exported site has nobody else to draw.";
    canvas.dataset.drawn = Number(canvas.dataset.drawn ?? 0) + 1;
    if (fine === 1 && !live.wanted) canvas.dataset.settled = "";
  });
  // The picture as it is shown, as a file.
  const png = h("a", { class: "button", download: true }, "PNG");
  const size = pngSide(() => fillPng());
  const fillPng = () => (png.href = call("download", { ...easel.parameters(size.value, { frame: frame.frame }), raw: undefined }));
  const changed = () => {
    delete canvas.dataset.settled;
    live.touch();
    fillPng();
    clearTimeout(renaming);
    renaming = setTimeout(() => rename("look", id, {
      wiring: wiring === "graph" ? undefined : wiring, link: link ?? undefined, set: writeMoves(easel.moved), view: frame.view,
    }), 250);
  };
  const frame = frameOf(canvas, query.get("view")?.split(",").map(Number) ?? [0, 0, 1], changed);

  const panel = h("div", { class: "slider panel", hidden: true });
  let readout = () => {};
  const move = (value) => {
    easel.move(link, value);
    drawing.refresh(link);
    readout();
    changed();
  };
  async function take(i, value) {
    link = i;
    drawing.mark(i);
    const downstream = easel.downstream(i);
    felt = drawing.squares.filter((s) => downstream.has(s.unit));
    next = 0;
    const base = network.links[i].weight;
    const reach = Math.max(2, 2 * Math.abs(base), 1.2 * Math.abs(easel.weight(i) - base), value === undefined ? 0 : 1.2 * Math.abs(value - base));
    const range = h("input", { type: "range", min: base - reach, max: base + reach, step: "any", "aria-label": `Weight of ${linkName(network, i)}`,
      input: () => move(Number(range.value)) });
    // Keys take steps that can be seen.
    range.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (!way) return;
      event.preventDefault();
      move(Math.min(base + reach, Math.max(base - reach, easel.weight(link) + (way * reach) / 100)));
    });
    const exact = h("input", { type: "number", step: "any", "aria-label": "Weight, exactly", change: () => move(Number(exact.value)) });
    const jumps = h("div", { class: "row jumps" });
    readout = () => {
      range.value = easel.weight(i);
      exact.value = Number(easel.weight(i).toPrecision(6));
      range.setAttribute("aria-valuetext", number(easel.weight(i)));
    };
    const all = button("All as they were", () => {
      const moved = [...easel.moved.keys()];
      easel.reset();
      moved.forEach(drawing.refresh);
      felt = drawing.squares;
      readout();
      changed();
    });
    panel.hidden = false;
    panel.replaceChildren(h("h2", null, linkName(network, i)), h("div", { class: "row" }, range, exact),
      h("p", { class: "note" }, `It was ${number(base, 4)}. Link ${i}, into ${network.units[network.links[i].target].activation}.`),
      jumps, h("div", { class: "row" }, button("As it was", () => move(base)), all));
    readout();
    if (value === undefined) changed();
    else move(value);
    const matched = await find("matched", { id, wiring, link: i }, "Measuring its effect").catch(() => null);
    if (link !== i || !matched) return;
    const jump = (e, deltas, sign) => {
      const k = matched.effects.findIndex((effect) => Math.abs(effect - e) < 1e-6);
      const delta = deltas[k];
      return delta === null || delta === undefined ? null
        : button(`${sign}${number(e)}`, () => move(base + delta), { "aria-label": `${sign === "−" ? "Down" : "Up"} until the picture has changed by ${number(e)}` });
    };
    const both = [...JUMPS.toReversed().map((e) => jump(e, matched.down, "−")), ...JUMPS.map((e) => jump(e, matched.up, "+"))].filter(Boolean);
    jumps.replaceChildren(...(both.length ? [h("small", null, "Change the picture by"), ...both] : [h("small", null, "A silent weight: no move of it changes the picture so much.")]));
  }

  const sheet = contactSheet(easel, score, (i, value) => {
    take(i, value);
    canvas.scrollIntoView({ block: "nearest" });
    panel.querySelector("input").focus({ preventScroll: true });
  });
  const isGenome = network.kind === "genome";
  const { session, node } = network.provenance?.notes ?? {};
  const bred = /^studio\/sessions\/([^/]+)\.toml$/.exec(session ?? "");
  fillPng();
  fill(main,
    h("header", { class: "page" }, h("h1", null, network.name || leaf(id)), h("p", { class: "lead" }, facts(network)),
      h("div", { class: "row" },
        isGenome && canAnswer("network", { id, wiring: "layerized" }) && field("Wired", select([["graph", "as it was evolved"], ["layerized", "in layers"]], wiring, (value) => (location.hash = address("look", id, { wiring: value === "graph" ? undefined : value })))),
        h("a", { class: "button", href: address("compare", "", { ids: besideTarget(network.target, id) }) }, "Compare"),
        !isExport && isGenome && button("Breed from it", () => newSession([id], [network.name || leaf(id)]).catch(complain)),
        !isExport && bred && h("a", { class: "button", href: address("breed", bred[1], { node }) }, "Its sheet"),
        !isExport && button("Train …", () => startWork("train", network, wiring).catch(complain)),
        !isExport && network.kind === "run" && button("Prune …", () => startWork("prune", network, wiring).catch(complain)),
        !isExport && button("Score …", () => startWork("score", network, wiring).catch(complain)),
        !isExport && isGenome && h("a", { class: "button", href: call("genome", { id }), download: true }, "Genome"),
        !isExport && h("span", { class: "joined" }, png, size))),
    h("div", { class: "bench" },
      h("div", { class: "side" }, h("figure", null, canvas, h("figcaption", { class: "row" }, frame.buttons, by)), panel,
        score && h("div", { class: "panel" }, h("h2", null, "Score ", h("span", { class: "value" }, number(score.score))), scoreBar(score),
          h("p", { class: "note" }, `Between ${number(score.low)} and ${number(score.high)}: the share of single-weight changes after which the picture is still clean.`)),
        provenance(network)),
      h("div", { class: "inside" }, drawing.element, told, sheet.element)));
  easel.ready.then(() => {
    by.textContent = { WebGL: "", server: "drawn by the server", nobody: "" }[easel.by];
    main.dataset.by = easel.by;
    live.touch();
  }).catch(complain);
  felt = drawing.squares;
  easel.draw([{ canvas }, ...felt].map((square) => ({ ...square, frame: frame.frame }))).catch(complain);
  if (query.get("link") !== null && network.links[Number(query.get("link"))]) {
    take(Number(query.get("link")));
    felt = drawing.squares;
  }
  const step = (by) => {
    const all = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0);
    take(all[(all.indexOf(link) + by + all.length) % all.length] ?? all[0]);
  };
  keys([["n", "next link", () => step(1)], ["p", "link before", () => step(-1)], ["←→", "on the slider: move the weight; on the wiring: from unit to unit, link to link; on the picture: move the frame"],
    ["Enter", "on the wiring: take hold"], ["r", "the weight as it was", () => link !== null && move(network.links[link].weight)],
    ["+", "nearer", () => frame.buttons.children[0].click()], ["-", "farther", () => frame.buttons.children[1].click()], ["0", "the whole picture", () => frame.buttons.children[2].click()]]);
  return () => {
    live.stop();
    sheet.stop();
    clearTimeout(renaming);
    easel.drop();
  };
}

/** A picture that is no network: something to train on. */
function showTarget(main, id) {
  fill(main, h("header", { class: "page" }, h("h1", null, leaf(id)), h("p", { class: "lead" }, "A picture. A network can be trained to draw it.")),
    h("img", { class: "picture", src: call("thumb", { id, size: 384 }), alt: leaf(id), width: 384, height: 384 }),
    h("p", null, button("Train a network on it …", () => startWork("train", null, null, id).catch(complain), { class: "main" })));
}
// Compare: networks of one picture side by side, and one slider that changes a weight of each alike.


// Side of a picture and of a map; links offered for the slider.
const [WHOLE, SMALL_MAP, OFFERED] = [384, 48, 60];

async function column(id, wiring, taken, changed) {
  const network = await get("network", { id, wiring }, `Reading ${id}`);
  if (!network) throw new Error(`${id} is not in this site.`);
  const score = await find("score", { id, wiring }, "Reading a score");
  const easel = new Easel(network, { id, wiring });
  const canvas = square(WHOLE, { class: "picture", role: "img", "aria-label": `Picture of ${network.name || leaf(id)}` });
  const seen = network.units.map((_, u) => u).filter((u) => network.units[u].seen !== false);
  const maps = seen.map((unit) => ({ unit, canvas: square(SMALL_MAP, { title: unitName(network, unit) }) }));
  const links = network.links.map((_, i) => i).filter((i) => network.links[i].weight !== 0 && canAnswer("matched", { id, wiring, link: i }))
    .sort((a, b) => Math.abs(network.links[b].weight) - Math.abs(network.links[a].weight)).slice(0, OFFERED);
  const own = { id, wiring, network, easel, canvas, maps, felt: maps, link: links[0] ?? 0, matched: null };
  if (network.links[taken]) own.link = taken;
  own.told = h("small", { class: "value" });
  const offered = links.includes(own.link) ? links : [own.link, ...links];
  const chosen = select(offered.map((i) => [String(i), `${linkName(network, i)}, ${number(network.links[i].weight)}`]), String(own.link), (value) => own.take(Number(value)));
  own.take = async (link) => {
    easel.reset();
    own.link = link;
    own.matched = null;
    const felt = easel.downstream(link);
    own.felt = maps.filter((m) => felt.has(m.unit));
    changed();
    const matched = await find("matched", { id, wiring, link }, "Measuring an effect").catch(complain);
    if (own.link !== link) return;
    own.matched = matched ?? { effects: [], down: [], up: [] };
    changed();
  };
  own.element = h("article", { class: "column" }, h("h2", null, h("a", { href: address("look", id, { wiring: wiring === "graph" ? undefined : wiring }) }, network.name || leaf(id))),
    canvas,
    h("small", null, [count(network.units.length - 4, "unit"), count(network.links.filter((l) => l.weight !== 0).length, "link"),
      network.r2 === null || network.r2 === undefined ? null : `R² ${number(network.r2)}`].filter(Boolean).join(" · ")),
    score ? h("div", null, h("small", null, `Score ${number(score.score)} (${number(score.low)} to ${number(score.high)})`), scoreBar(score))
      : isExport ? null : h("div", null, button("Score …", () => startWork("score", network, wiring).catch(complain))),
    field("Weight to move", chosen), own.told,
    h("div", { class: "maps", role: "img", "aria-label": `What the ${seen.length} units of ${network.name || leaf(id)} draw` }, maps.map((m) => m.canvas)));
  return own;
}

/** The move of a column's weight that changes its picture by the effect at `place` (negative: down). */
function delta(own, place) {
  if (place === 0) return 0;
  if (!own.matched) return undefined;
  return (place < 0 ? own.matched.down : own.matched.up)[Math.abs(place) - 1] ?? null;
}

/** Shows networks side by side: `ids=A,B@layerized,…`. */
async function showCompare(main, { query }) {
  const asked = unlisted(query.get("ids"));
  if (!asked.length) throw new Error("Choose pictures in the library to compare them.");
  // The wiring stands after an @.
  const named = asked.map((text) => {
    const at = text.lastIndexOf("@");
    const isWiring = ["graph", "layerized", "dense"].includes(text.slice(at + 1));
    return at > 0 && isWiring ? [text.slice(0, at), text.slice(at + 1)] : [text, "graph"];
  });
  // A genome alone is shown beside itself in layers, and beside the runs that learned its picture.
  if (asked.length === 1) {
    const library = await get("library", null, "Looking for relatives");
    const [id] = named[0];
    if (library.genomes?.some((g) => g.id === id) && canAnswer("network", { id, wiring: "layerized" })) named.push([id, "layerized"]);
    named.push(...(library.runs ?? []).filter((r) => r.target === id && r.finished).slice(0, 4).map((r) => [r.id, "graph"]));
  }
  const links = (query.get("links") ?? "").split(",").map((text) => (text === "" ? undefined : Number(text)));
  let place = Number(query.get("effect") ?? 0);
  let effects = [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3];
  let columns = [];
  let renaming;
  const live = new Live(async (fine) => {
    await Promise.all(columns.map((own) => own.easel.draw([
      { canvas: own.canvas, side: Math.max(96, 32 * Math.round((WHOLE * fine) / 32)) }, ...(fine === 1 ? own.felt : [])])));
    if (fine === 1 && !live.wanted) main.dataset.settled = "";
  });
  const range = h("input", { type: "range", min: -effects.length, max: effects.length, step: 1, value: place, "aria-label": "Change of every picture, by moving its weight down or up", input: () => {
    place = Number(range.value);
    changed();
  } });
  const words = h("output", { class: "value" });
  function changed() {
    const amount = place === 0 ? 0 : effects[Math.abs(place) - 1];
    words.textContent = place === 0 ? "as they are" : `${place < 0 ? "down" : "up"}, ${number(amount)}`;
    range.setAttribute("aria-valuetext", words.textContent);
    for (const own of columns) {
      const by = delta(own, place);
      const base = own.network.links[own.link].weight;
      own.easel.move(own.link, base + (by ?? 0));
      own.told.textContent = by === undefined ? "measuring how far it must move …"
        : by === null ? "silent: no move of it changes the picture so much"
          : place === 0 ? `weight ${number(base, 3)}` : `weight ${number(base, 3)} → ${number(base + by, 3)}`;
    }
    delete main.dataset.settled;
    live.touch();
    clearTimeout(renaming);
    renaming = setTimeout(() => rename("compare", "", { ids: listed(asked), links: columns.map((c) => c.link).join(","), effect: place || undefined }), 250);
  }
  columns = await Promise.all(named.map(([id, wiring], i) => column(id, wiring, links[i], () => columns.length && changed())));
  const first = columns[0];
  const names = [...new Set(columns.map((own) => own.network.name || leaf(own.id)))];
  fill(main, h("header", { class: "page" }, h("h1", null, names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]),
    h("p", { class: "lead" }, "One slider moves a weight of each, as far as it takes to change each picture by the same amount. Which stay pictures?"),
    !isExport && h("div", { class: "row" },
      button("Train another …", () => startWork("train", first.network, first.wiring).catch(complain)),
      columns.some((c) => c.network.kind === "run") && button("Prune the last …", () => startWork("prune", columns.findLast((c) => c.network.kind === "run").network, "graph").catch(complain)))),
  h("div", { class: "together panel" }, h("div", { class: "row" }, h("b", null, "Change"), range, words, button("Back", () => {
    range.value = place = 0;
    changed();
  }))),
  h("div", { class: "columns", tabindex: 0, role: "region", "aria-label": "Networks side by side" }, columns.map((own) => own.element)));
  columns.forEach((own) => {
    own.easel.ready.then(changed);
    own.easel.draw([{ canvas: own.canvas }, ...own.maps]).catch(complain);
  });
  await Promise.race([Promise.all(columns.map((own) => own.take(own.link))), new Promise((later) => setTimeout(later, 300))]);
  effects = columns.find((own) => own.matched?.effects.length)?.matched.effects ?? effects;
  range.min = -(range.max = effects.length);
  changed();
  const nudge = (way) => () => {
    range.value = Number(range.value) + way;
    range.dispatchEvent(new Event("input"));
  };
  keys([["[", "less, or downwards", nudge(-1)], ["]", "more, or upwards", nudge(1)], ["0", "as they are", () => {
    range.value = place = 0;
    changed();
  }]]);
  return () => {
    live.stop();
    clearTimeout(renaming);
    columns.forEach((own) => own.easel.drop());
  };
}
// A study: its question, its figures, what it decided, and every network of it.


const COLUMNS = [["target", "Picture"], ["arm", "Arm"], ["depth", "Layers"], ["kept", "Links"], ["seed", "Seed"], ["r2", "R²"], ["score", "Score"]];
const NUMBERS = ["depth", "kept", "seed", "r2", "score"];

/** Shows one study. */
async function showStudy(main, { id, query }) {
  const study = await get("study", { id }, "Reading the study");
  const used = COLUMNS.filter(([name]) => study.rows?.some((row) => row[name] !== null && row[name] !== undefined));
  const value = (v) => (typeof v === "number" && !Number.isInteger(v) ? number(v) : v ?? "–");
  const maps = h("div", { class: "facets" });
  // Ways of pruning one at a time, beside what was not pruned.
  const pruned = [...new Set(study.rows?.filter((row) => row.level).map((row) => row.arm))];
  const draw = (arm) => maps.replaceChildren(...depthMaps((study.rows ?? []).filter((row) => !row.level || row.arm === arm), (row) => row.run && address("look", row.run))
    .map(([target, chart]) => h("figure", null, h("h3", null, target), chart)));
  const arm = pruned.includes(query.get("arm")) ? query.get("arm") : pruned[0];
  draw(arm);
  fill(main,
    h("header", { class: "page" }, h("h1", null, study.name || leaf(id)), h("p", { class: "lead" }, study.question)),
    study.claims?.length ? h("section", null, h("h2", null, "What it decides"), h("ul", { class: "lines" }, study.claims.map((claim) =>
      h("li", null, h("span", { class: "verdict" }, claim.verdict?.verdict ?? claim.verdict), h("span", null, claim.claim))))) : null,
    study.figures?.length ? h("section", null, h("h2", null, "Figures"), h("div", { class: "figures" }, study.figures.map((figure) =>
      h("figure", null, h("div", { class: "paper", tabindex: 0, role: "region", "aria-label": figure.name }, h("img", { src: figure.url, alt: figure.caption || figure.name, loading: "lazy" })),
        h("figcaption", null, figure.caption || figure.name))))) : null,
    maps.children.length > 0 && h("section", { class: "regime" }, h("h2", null, "By depth and links"),
      h("p", { class: "note" }, "Each point a network: layers across, links kept upwards. Red: a changed weight damages the picture; green: it stays clean; hollow: not scored. Take one to look inside."),
      pruned.length > 1 && h("div", { class: "row" }, field("Pruned by", select(pruned.map((name) => [name, name]), arm, (name) => {
        draw(name);
        rename("study", id, { arm: name });
      }))), maps),
    study.rows?.length ? h("section", null, h("h2", null, "Every network"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of networks" },
      h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Network"), used.map(([name, title]) => h("th", { scope: "col", class: NUMBERS.includes(name) ? "right" : null }, title)))),
        h("tbody", null, study.rows.map((row) => h("tr", null,
          h("td", null, row.run ? h("a", { href: address("look", row.run) }, row.label) : row.label),
          used.map(([name]) => h("td", { class: NUMBERS.includes(name) ? "right" : null }, String(value(row[name])))))))))) : null,
    study.left_out ? h("p", { class: "note" }, `${study.left_out} more are in its record.`) : null);
  keys([]);
}
// Long work: training, pruning, scoring, as it goes on; stop it, go on later.


const WORDS = { queued: "waits its turn", running: "running", stopped: "stopped", finished: "finished", failed: "failed" };

/** Shows all work, or one piece of it. */
async function showJobs(main, { id }) {
  return id ? showJob(main, id) : showAll(main);
}

const titleOf = ({ name }) => name[0].toUpperCase() + name.slice(1);

async function showAll(main) {
  const jobs = await get("jobs", null, "Reading");
  const all = jobs.jobs ?? jobs;
  fill(main, h("header", { class: "page" }, h("h1", null, "Work"), h("p", { class: "lead" }, "Training, pruning and scoring that was started here. What was stopped goes on where it stopped.")),
    all.length ? h("ul", { class: "lines" }, all.map((job) => h("li", null, h("a", { href: address("jobs", job.job) }, titleOf(job)),
      h("span", null, h("span", { class: `state ${job.status}` }, WORDS[job.status] ?? job.status), job.steps ? ` · ${job.step ?? 0} of ${count(job.steps, job.kind === "score" ? "weight" : "step")}` : "")))) : h("p", { class: "empty" }, "Nothing yet. Look at a network, and train, prune or score it."));
  keys([]);
}

async function showJob(main, id) {
  const path = `jobs/${id.split("/").map(encodeURIComponent).join("/")}`;
  let job = await get(path, null, "Reading");
  let source = null;
  const curve = job.curve ?? [];
  const state = h("span", { class: "state" });
  const bar = h("progress", { "aria-label": "Done" });
  const told = h("p", { class: "note", role: "status" });
  const chart = h("div");
  const canvas = square(128, { class: "picture", role: "img", "aria-label": "What the network draws now" });
  const actions = h("div", { class: "row" });
  let drawing = false;
  let waiting = 0;

  async function picture() {
    if (drawing) return;
    drawing = true;
    try {
      // When it is done, its run has the picture.
      const [pixels] = job.run ? await bytes("picture", { id: job.run, size: 256, raw: 1 }) : await bytes(`${path}/picture`, { raw: 1 });
      const side = Math.round(Math.sqrt(pixels.length / 4));
      if (!side) return;
      canvas.width = canvas.height = side;
      canvas.getContext("2d").putImageData(new ImageData(pixels, side, side), 0, 0);
      canvas.dataset.drawn = Number(canvas.dataset.drawn ?? 0) + 1;
      canvas.hidden = false;
    } catch (error) {
      if (!error.status) throw error;
    } finally {
      drawing = false;
    }
  }

  function show() {
    state.className = `state ${job.status}`;
    state.textContent = WORDS[job.status] ?? job.status;
    main.dataset.status = job.status;
    const [done, all] = [job.step ?? 0, job.steps];
    bar.max = all || 1;
    bar.value = done;
    const score = job.score?.score !== undefined ? job.score : null;
    told.textContent = [all && `${done} of ${all}`, job.loss !== undefined && job.loss !== null && `loss ${job.loss.toPrecision(3)}`,
      job.r2 !== undefined && job.r2 !== null && `R² ${number(job.r2, 3)}`,
      score && `${score.coherent} clean, ${score.unclear} unclear, ${score.fractured} fractured`, job.error].filter(Boolean).join(" · ");
    chart.replaceChildren(...(score ? [h("h2", null, `Score ${number(score.score)}`), scoreBar(score), h("p", { class: "note" }, `Between ${number(score.low)} and ${number(score.high)}.`)] : []),
      ...(curve.length ? [lossCurve(curve, job.steps)] : []));
    const going = ["running", "queued"].includes(job.status);
    // Buttons stay as long as they mean the same: they may have the focus.
    const means = [going, job.can_resume, job.run, job.status].join();
    if (actions.dataset.means === means) return;
    actions.dataset.means = means;
    actions.replaceChildren(...[
      going && button("Stop", () => act("stop")),
      !going && job.can_resume && button("Go on", () => act("resume"), { class: "main" }),
      job.run && !going && h("a", { class: "button main", href: address("look", job.run) }, "Look inside"),
      !job.run && job.kind === "score" && job.status === "finished" && h("a", { class: "button main", href: address("look", job.id) }, "Look inside"),
      job.run && job.target && !going && h("a", { class: "button", href: address("compare", "", { ids: besideTarget(job.target, job.run) }) }, "Compare"),
    ].filter(Boolean));
  }

  async function act(what) {
    await post(`${path}/${what}`, {}, what === "stop" ? "Stopping" : "Going on").catch(complain);
    job = { ...job, ...(await get(path, null, "Reading")) };
    show();
    if (what === "resume" || !source) follow();
  }

  function follow() {
    source?.close();
    if (!["running", "queued"].includes(job.status)) return;
    source = new EventSource(call(`${path}/events`));
    const on = (name, run) => source.addEventListener(name, (event) => run(JSON.parse(event.data)));
    const soon = () => {
      // Events come faster than a page needs to be drawn.
      waiting ||= setTimeout(() => {
        waiting = 0;
        show();
      }, 120);
    };
    const progress = (data) => {
      if (data.loss !== undefined && data.step !== undefined && data.step > (curve.at(-1)?.[0] ?? -1)) curve.push([data.step, data.loss]);
      Object.assign(job, data, { status: "running" });
      if (data.total !== undefined) Object.assign(job, { step: data.done, steps: data.total });
      soon();
    };
    on("status", (data) => {
      Object.assign(job, data);
      show();
    });
    on("train", progress);
    on("score", progress);
    on("picture", () => picture().catch(complain));
    on("end", async (data) => {
      source.close();
      source = null;
      Object.assign(job, await get(path, null, "Reading").catch(() => ({})), data);
      show();
      await picture().catch(complain);
      say(`${titleOf(job)}: ${WORDS[job.status] ?? job.status}`);
    });
  }

  canvas.hidden = true;
  fill(main, h("header", { class: "page" }, h("h1", null, titleOf(job)), h("p", { class: "lead" }, state)),
    h("div", { class: "job" }, h("figure", null, canvas), h("div", null, bar, told, chart, actions)));
  if (job.kind === "score" && job.status === "finished") job.score = await find("score", { id: job.id, wiring: job.wiring }, "Reading its score");
  show();
  picture().catch(complain);
  follow();
  keys([["s", "stop, or go on", () => actions.querySelector("button")?.click()]]);
  return () => {
    source?.close();
    clearTimeout(waiting);
  };
}
// Shows the page that the address names.


const PAGES = { "": showStart, breed: showBreed, look: showLook, compare: showCompare, study: showStudy, jobs: showJobs };
let leave = null;
let shown = 0;

async function show() {
  const here = route();
  const turn = ++shown;
  leave?.();
  leave = null;
  keys([]);
  document.querySelectorAll("#nav a").forEach((link) => {
    if (link.getAttribute("href") === address(here.page)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  const old = document.getElementById("main");
  const main = h("main", { id: "main", tabindex: -1, class: here.page || "start", "aria-busy": "true" });
  try {
    const page = PAGES[here.page];
    if (!page) throw new Error(`There is no page called “${here.page}”.`);
    const done = await page(main, here);
    if (turn !== shown) return done?.();
    leave = done;
  } catch (error) {
    if (turn !== shown) return;
    main.replaceChildren(h("header", { class: "page" }, h("h1", null, "This cannot be shown"), h("p", { class: "lead" }, error.message),
      h("p", null, h("a", { href: "#/" }, "To the library"))));
    if (!error.status) console.warn(error);
  }
  main.removeAttribute("aria-busy");
  old.replaceWith(main);
  document.title = `${main.querySelector("h1")?.textContent ?? "Picloom"} · Picloom studio`;
  document.getElementById("alert").replaceChildren();
  scrollTo(0, 0);
  if (turn > 1) main.focus({ preventScroll: true });
}

fill(document.getElementById("nav"),
  h("a", { class: "home", href: "#/" }, "Picloom"), h("a", { href: "#/" }, "Library"),
  isExport ? null : h("a", { href: "#/jobs" }, "Work"), h("button", { type: "button", class: "plain", "aria-label": "Keys: help", click: help }, "?"));
document.querySelector("a.skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
listen();
takeDrops();
addEventListener("hashchange", show);
addEventListener("unhandledrejection", (event) => complain(event.reason));
show();
})();

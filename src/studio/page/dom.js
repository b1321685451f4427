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
export function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function svg(tag, attributes, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

/** Puts more into an element; what is null or false is left out. */
export function fill(element, ...children) {
  return build(element, null, children);
}

/** A square canvas. */
export function square(side, attributes) {
  const canvas = h("canvas", attributes);
  canvas.width = canvas.height = side;
  return canvas;
}

/** A button. */
export function button(text, run, attributes) {
  return h("button", { type: "button", click: run, ...attributes }, text);
}

/** A control under its name. */
export function field(name, control, note) {
  return h("label", { class: "field" }, h("span", null, name), control, note && h("small", null, note));
}

/** A choice of few, all in sight. `options`: [value, words]. */
export function choice(name, options, chosen, changed) {
  const group = `choice-${name}`;
  return h("fieldset", { class: "choice" }, h("legend", null, name), options.map(([value, words]) =>
    h("label", null,
      h("input", { type: "radio", name: group, value, checked: value === chosen, change: () => changed(value) }),
      h("span", null, words))));
}

/** A choice from a list. */
export function select(options, chosen, changed, attributes) {
  return h("select", { ...attributes, change: (event) => changed(event.target.value) },
    options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));
}

/** Says something to screen readers, and to everybody in the corner of the page. */
export function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => status.classList.remove("shown"), 4000);
}

/** Says what went wrong, until it is closed. */
export function complain(error) {
  if (error?.name === "AbortError") return;
  const alert = document.getElementById("alert");
  // A file that was opened is called as whoever opened it calls it.
  const words = String(error?.message ?? error).replace(/(?:[^\s:]*\/)?studio\/opened\/([^\s:]+?)-[0-9a-f]{10}/g, "$1");
  alert.replaceChildren(h("p", null, words), button("Close", () => alert.replaceChildren()));
}

let waits = 0;

/** Shows that something is under way if it takes longer than half a second. */
export async function busy(what, promise) {
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
export function ask(title, fields, go) {
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
export function keys(rows) {
  table = rows;
}

const GLOBAL = [["?", "this help"], ["h", "to the pictures", () => (location.hash = "#/pictures")], ["Escape", "close, or let go"]];

/** Opens the table of keys. */
export function help() {
  if (document.querySelector("dialog[open]")) return;
  const row = ([key, does]) => h("tr", null, h("th", { scope: "row" }, h("kbd", null, key === " " ? "Space" : key)), h("td", null, does));
  // The dotted words of the page, for whoever cannot point at one.
  // Each meaning begins with its word.
  const words = new Map([...document.querySelectorAll("[data-term][title]")].map(({ title }) => [title.split(":")[0], title.slice(title.indexOf(":") + 1).trim()]));
  const word = ([name, title]) => h("tr", null, h("th", { scope: "row" }, name), h("td", null, title));
  const dialog = h("dialog", { "aria-labelledby": "keys" }, h("h2", { id: "keys" }, "Keys"),
    h("table", { class: "keys" }, h("tbody", null, [...table, ...GLOBAL].map(row))),
    words.size > 0 && h("div", null, h("h2", null, "Words on this page"), h("table", { class: "keys" }, h("tbody", null, [...words].map(word)))),
    h("form", { method: "dialog" }, h("button", { autofocus: true }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0;
}

/** Listens for keys; in fields they are the field's. */
export function listen() {
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
export function arrows(parent, items, moved) {
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
export function number(value, digits = 2) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return value.toFixed(digits).replace("-", "−");
}

/** "1 link", "3 links". */
export function count(n, word) {
  return `${n.toLocaleString("en").replaceAll(",", "\u202f")} ${word}${n === 1 ? "" : "s"}`;
}

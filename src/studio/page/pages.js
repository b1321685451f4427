// One page at a time: the one that the address names.

import { complain, fill, h, help, keys, listen, say } from "./dom.js";
import { address, arrive } from "./route.js";
import { takeDrops } from "./start.js";

let leave = null;
let shown = 0;

/** Shows `pages` by the address, under a bar of `links`. `site` stands in the title; `missing` says where to go instead. */
export function showPages(pages, { site, links, missing }) {
  async function show() {
    const here = arrive();
    const turn = ++shown;
    leave?.();
    leave = null;
    document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
    keys([]);
    document.querySelectorAll("#nav a").forEach((link) => {
      if (link.getAttribute("href") === address(here.page)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
    const old = document.getElementById("main");
    const main = h("main", { id: "main", tabindex: -1, class: here.page || "start", "aria-busy": "true" });
    try {
      const page = Object.hasOwn(pages, here.page) && pages[here.page];
      if (!page) throw new Error(`There is no page called “${here.page}”.`);
      const done = await page(main, here);
      if (turn !== shown) return done?.();
      leave = done;
    } catch (error) {
      if (turn !== shown) return;
      main.replaceChildren(h("header", { class: "page" }, h("h1", null, "This cannot be shown"), h("p", { class: "lead" }, error.message),
        h("p", null, h("a", { href: "#/" }, missing))));
      if (!error.status) console.warn(error);
    }
    main.removeAttribute("aria-busy");
    old.replaceWith(main);
    document.title = `${main.querySelector("h1")?.textContent ?? "Picloom"} · ${site}`;
    document.getElementById("alert").replaceChildren();
    scrollTo(0, 0);
    if (turn > 1) main.focus({ preventScroll: true });
  }

  fill(document.getElementById("nav"), links, h("button", { type: "button", class: "plain", "aria-label": "Keys: help", click: help }, "?"));
  document.querySelector("a.skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  listen();
  // A finger cannot rest on a word: it says its meaning where it is touched.
  document.addEventListener("click", (event) => {
    const word = event.target.closest("[data-term]");
    if (event.pointerType === "touch" && word?.title && !event.target.closest("a, button, summary, label")) say(word.title);
  });
  takeDrops();
  addEventListener("hashchange", show);
  addEventListener("unhandledrejection", (event) => complain(event.reason));
  show();
}

// The pages of the site, and the link that brings one back.

import { button, complain, h, say } from "./dom.js";
import { rename, route } from "./route.js";
import { showStart } from "./start.js";
import { showBreed } from "./breed.js";
import { showLook } from "./look.js";
import { showCompare } from "./compare.js";
import { showSee } from "./see.js";
import { showPages } from "./pages.js";
import { engineReady } from "./engine.js";
import { isContent, isSolid, solidId } from "./link.js";
import { showOpen } from "./open.js";
import { showTrain } from "./live.js";
import { showScore } from "./judge.js";

/** Lets the address hold everything that its page shows. */
async function nameWhole() {
  const { page, id, query } = route();
  if (id.startsWith("brought/")) throw new Error("Your own picture does not fit into a link. Train on it, and keep the network: that has one.");
  if (page === "breed" && !isContent(id)) throw new Error("This session is too long for a link. Look inside a picture of it: that has one.");
  const whole = id && page !== "breed" ? await solidId(id) : id;
  if (whole && page !== "breed" && !isSolid(whole)) throw new Error("This network is too large for a link (8 kB). Save it as a file, and drop that on the page.");
  rename(page, whole, Object.fromEntries(query));
}

// A page that no server sends has no address on another machine.
const ELSEWHERE = /^https?:/.test(location.protocol) ? "" : ". This page is a file on your disk: the link is of no use elsewhere";

async function copyLink() {
  await nameWhole();
  try {
    await navigator.clipboard.writeText(location.href);
    say(`The link is copied${ELSEWHERE}`);
  } catch {
    // Browsers let pages from a disk, or without the focus, not copy.
    prompt(`Copy this link${ELSEWHERE}`, location.href);
  }
}

/** A network that was bred or trained here has an address that brings it back. */
const solidly = (show) => async (main, here) => {
  if (here.id && !here.id.startsWith("brought/")) {
    const id = await solidId(here.id);
    rename(here.page, id, Object.fromEntries(here.query));
    return show(main, { ...here, id });
  }
  return show(main, here);
};

showPages({ "": showOpen, pictures: showStart, breed: showBreed, look: solidly(showLook), compare: showCompare, see: showSee, train: solidly(showTrain), score: solidly(showScore) }, {
  site: "Picloom", missing: "To the beginning",
  links: [h("a", { class: "home", href: "#/" }, "Picloom"), h("a", { href: "#/pictures" }, "Pictures"), h("a", { href: "#/see" }, "See it"),
    button("Copy link", () => copyLink().catch(complain), { class: "plain copy" })],
});
engineReady.then(({ fuses }) => (document.documentElement.dataset.fuses = fuses), complain);

// Every page at two widths, light and dark: no serious fault of access, nothing wider than the screen; and the page of one file.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { accessible, close, expect, go, open, picloom, root } from "../../../tests/studio/studio.mjs";
import { links } from "./walk.mjs";

const SHOWN = {
  first: "#/",
  other: "#/?of=genomes/bred_cat.json",
  pictures: "#/pictures",
  look: "#/look/genomes/bred_moth.json?link=12",
  see: "#/see",
  train: "#/train/genomes/bred_moth.json",
  score: "#/score/genomes/bred_skull.json",
};

export async function pages(site) {
  if (site.shots) mkdirSync(site.shots, { recursive: true });
  const wrong = [];
  let looked = 0;
  for (const width of [1280, 390]) {
    for (const scheme of ["light", "dark"]) {
      const page = await open(site.address, { width, height: 800, scheme });
      for (const [name, hash] of Object.entries(SHOWN)) {
        await go(page, hash);
        if (name === "look") await page.waitForSelector("main[data-by]", { timeout: 60_000 });
        await page.waitForTimeout(["train", "other", "score"].includes(name) ? 3000 : 900);
        await accessible(page, `${name} at ${width} pixels, ${scheme}`).catch((error) => wrong.push(error.message));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) wrong.push(`${name} at ${width} pixels is ${wide} wide`);
        if (site.shots) await page.screenshot({ path: path.join(site.shots, `${name}-${width}-${scheme}.png`) });
        looked += 1;
      }
      await page.click("nav .home");
      await page.click(".acts >> text=Randomise");
      await page.waitForSelector(".brood button", { timeout: 60_000 });
      await page.waitForTimeout(900);
      await accessible(page, `breed at ${width} pixels, ${scheme}`).catch((error) => wrong.push(error.message));
      if (site.shots) await page.screenshot({ path: path.join(site.shots, `breed-${width}-${scheme}.png`) });
      await close(page);
    }
  }
  expect(!wrong.length, wrong.join("\n"));
  return [`${looked} pages looked at`];
}

/** The page of one file, from a disk: the fresh one; that of the program, also in a browser without relaxed vectors. The program's opens the links of the fresh one. */
export async function disk(site) {
  picloom("page", "--out", "own.html");
  const [fresh, own] = [path.join(site.folder, "picloom.html"), path.join(root, "own.html")].map((file) => pathToFileURL(file).href);
  const lacks = () => (WebAssembly.validate = () => false);
  for (const [address, init] of [[fresh], [own], [own, lacks]]) {
    const page = await open(address, { motion: "no-preference", init });
    await page.waitForFunction(() => Number(document.getElementById("main").dataset.shaken) > 3, null, { timeout: 60_000 });
    if (init) expect((await page.evaluate(() => document.documentElement.dataset.fuses)) === "false", "without relaxed vectors sums round twice");
    await page.click(".acts >> text=Breed");
    await page.waitForSelector(".brood button", { timeout: 60_000 });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.bringToFront();
    await page.click("nav .copy");
    await page.waitForFunction(() => /copied.*of no use elsewhere/.test(document.getElementById("status").textContent), null, { timeout: 60_000 });
    await close(page);
  }
  for (const link of links) {
    const page = await open(own + new URL(link).hash);
    await page.waitForSelector(".brood button, canvas.picture[data-settled]", { timeout: 60_000 });
    await close(page);
  }
  return [`${links.length} links open in the program's page`];
}

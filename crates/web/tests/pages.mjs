// Every page at two widths, light and dark: no serious fault of access, nothing wider than the screen; and the site of one file.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { accessible, close, expect, go, open } from "../../../tests/studio/studio.mjs";

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

/** The site of one file, from a disk. */
export async function disk(site) {
  const page = await open(pathToFileURL(path.join(site.folder, "picloom.html")).href, { motion: "no-preference" });
  await page.waitForFunction(() => Number(document.getElementById("main").dataset.shaken) > 3, null, { timeout: 60_000 });
  await page.click(".acts >> text=Breed");
  await page.waitForSelector(".brood button", { timeout: 60_000 });
  await close(page);
}

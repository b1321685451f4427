// Breed three generations, look inside, and take every link to a browser that knows nothing; how fast the engine trains.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { close, expect, open, picloom, pixelsOf, settled } from "../../../tests/studio/studio.mjs";
import { large, state, trained } from "../../../tests/studio/visitor.mjs";
import { nativeStep } from "./bits.mjs";

/** The links that were made, for other pages to open. */
export const links = [];

/** Copies the link of what is shown. */
async function linkOf(page) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.bringToFront();
  await page.click("nav .copy");
  await page.waitForFunction(() => document.getElementById("status").textContent === "The link is copied", null, { timeout: 60_000 });
  await page.evaluate(() => (document.getElementById("status").textContent = ""));
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link.length < 8192 + 200, `a link of at most 8 kB, found ${link.length} letters`);
  links.push(link);
  return link;
}

const sheet = (page) => pixelsOf(page, ".brood canvas");
const ready = (page) => page.waitForFunction(() => [...document.querySelectorAll(".brood canvas")].length === 15 && [...document.querySelectorAll(".brood canvas")].every((c) => c.width === 256), null, { timeout: 60_000 });

export async function walk(site) {
  const page = await open(site.address);
  await page.click(".acts >> text=Breed");
  await page.waitForSelector(".brood button", { timeout: 60_000 });
  const times = [];
  // By the page's own clock: from the click on until the next sheet's pictures are there.
  const took = () => page.evaluate(() => performance.getEntriesByName("breed", "measure").map((m) => m.duration));
  for (const place of [2, 5, 9]) {
    await ready(page);
    const before = await sheet(page);
    await page.click(`.brood button >> nth=${place}`);
    await page.click(".controls .main");
    const next = (g) => document.querySelector(".lead").textContent.startsWith(`Generation ${g}`);
    await page.waitForFunction(next, times.length + 1, { timeout: 60_000 });
    await page.waitForFunction((n) => performance.getEntriesByName("breed", "measure").length > n, times.length, { timeout: 60_000 });
    times.push((await took()).at(-1));
    await ready(page);
    expect(before !== (await sheet(page)), "another sheet is shown");
  }
  await page.click("text=Undo");
  await page.waitForFunction(() => document.querySelector(".lead").textContent.startsWith("Generation 2"), null, { timeout: 60_000 });
  await page.click("text=Redo");
  await page.waitForFunction(() => document.querySelector(".lead").textContent.startsWith("Generation 3"), null, { timeout: 60_000 });
  await ready(page);
  const [link, pictures] = [await linkOf(page), await sheet(page)];
  const fresh = await open(link);
  await ready(fresh);
  expect((await sheet(fresh)) === pictures, "the link of a session shows the same sheet");
  expect((await fresh.locator(".tree [data-node]").count()) === 4, "the lineage came with it");
  await close(fresh);
  // One of them, as a file and inside.
  await page.click(".brood button >> nth=4");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(".controls a:has-text('Genome')")]);
  expect(JSON.parse(readFileSync(await file.path(), "utf8")).format === "picloom-genome/1", "a genome is saved as the command reads it");
  await page.click("text=Look inside");
  await large(page);
  await settled(page);
  const [inside, picture] = [await linkOf(page), await pixelsOf(page, "figure canvas.picture")];
  const other = await open(inside);
  await large(other);
  expect((await pixelsOf(other, "figure canvas.picture")) === picture, "the link of a genome shows the same picture");
  await close(other);
  await close(page);
  return [`a click on Breed to the next sheet: ${times.map((t) => Math.round(t)).join(", ")} ms; links of ${link.length} letters (session) and ${inside.length} (genome)`];
}

/** Memory of the largest of the browser's page processes, in MB. */
function memory() {
  const sizes = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((process) => {
    try {
      const isPage = readFileSync(`/proc/${process}/cmdline`, "utf8").includes("--type=renderer");
      return isPage ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, "utf8"))?.[1] ?? 0) / 1000 : 0;
    } catch {
      return 0; // It has ended.
    }
  });
  return Math.round(Math.max(...sizes));
}

/** Steps a second of what the page trains, and of the same network on one native thread without AVX-512. */
async function paced(page) {
  const folder = path.join(process.env.WORK, "dense");
  picloom("train", "--genome", "bred_skull", "--target", "bred_skull", "--wiring", "dense", "--size", "64", "--steps", "1", "--out", folder);
  const [before, began] = [(await state(page)).step, performance.now()];
  await page.waitForTimeout(3000);
  const here = ((await state(page)).step - before) / (performance.now() - began) * 1000;
  await page.click(".side button:text-is('Pause')");
  const native = nativeStep("--run", folder);
  await page.click(".side button:text-is('Go')");
  return `${Math.round(here)} steps a second, ${((here * native.ms) / 1000).toFixed(2)} of one native thread (${native.isa})`;
}

/** How fast it trains, with how much memory, and the link of what was trained. */
export async function pace(site) {
  const page = await open(`${site.address}#/train/genomes/bred_skull.json?size=64`);
  await trained(page, 300);
  const [said, held] = [await paced(page), memory()];
  await page.click("text=Keep this network");
  await large(page);
  const link = await linkOf(page);
  await close(page);
  return [`${said}; ${held} MB of memory, the browser's own included; a link of ${link.length} letters`];
}

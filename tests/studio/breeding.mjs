// Breeding: five generations, back, a branch, published, reloaded, reopened after the server was killed.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { close, expect, go, open, pixelsOf, root, settled } from "./studio.mjs";

const CELLS = ".brood canvas";
const generation = (page) => page.textContent("header .lead");

/** Waits until the sheet is drawn sharply: only then are two alike. */
async function sharp(page) {
  await page.waitForFunction(() => [...document.querySelectorAll(".brood canvas")].every((c) => c.width === 256), null, { timeout: 30_000 });
}

async function bred(page, n) {
  await page.waitForFunction((text) => document.querySelector("header .lead").textContent.startsWith(text), `Generation ${n}`, { timeout: 30_000 });
  await sharp(page);
}

export async function breeding(studio) {
  const page = await open(studio.address);
  await page.click("text=New session");
  await page.fill("dialog [name=name]", "five generations");
  await page.fill("dialog [name=seed]", "7");
  await page.click("dialog .main");
  await page.waitForSelector(".brood button");
  await sharp(page);
  expect(await page.locator(CELLS).count() === 15, "a sheet has 15 pictures");
  const sheets = [await pixelsOf(page, CELLS)];
  const times = [];
  for (let n = 1; n <= 5; n++) {
    const before = await page.evaluate(() => performance.getEntriesByName("breed", "measure").length);
    if (n === 2) {
      // By keys alone: to the third picture, choose it and the one below, breed.
      await page.focus(".brood button[tabindex='0']");
      for (const key of ["Home", "ArrowRight", "ArrowRight", " ", "ArrowDown", " ", "Enter"]) await page.keyboard.press(key);
    } else {
      await page.click(`.brood button >> nth=${n}`);
      await page.click(".controls .main");
    }
    await page.waitForFunction((k) => performance.getEntriesByName("breed", "measure").length > k, before, { timeout: 30_000 });
    await bred(page, n);
    times.push(...await page.evaluate(() => {
      const took = performance.getEntriesByName("breed", "measure").at(-1);
      const sheet = performance.getEntriesByType("resource").filter((r) => r.name.includes("/sheet") && r.name.includes("size=128") && r.startTime >= took.startTime)[0];
      const rendering = sheet.serverTiming.find((t) => t.name === "render").duration;
      return [{ click: took.duration, rendering }];
    }));
    sheets.push(await pixelsOf(page, CELLS));
  }
  expect(new Set(sheets).size === 6, "every generation is another sheet");
  expect(/changed|weight|node|link|activation/i.test(await page.textContent(".changes")), "what changed is told");

  await page.keyboard.press("u");
  await bred(page, 4);
  expect(await pixelsOf(page, CELLS) === sheets[4], "undo shows the sheet before, pixel by pixel");
  await page.keyboard.press("r");
  await bred(page, 5);
  expect(await pixelsOf(page, CELLS) === sheets[5], "redo shows the sheet again");

  // A branch: back to the second sheet by the tree, and on from there.
  await page.click(".tree [data-node='2']");
  await bred(page, 2);
  expect(await pixelsOf(page, CELLS) === sheets[2], "the tree leads to an earlier sheet");
  expect(/node=2/.test(page.url()), "the address names the sheet");
  await page.click(".brood button >> nth=9");
  await page.click(".brood button >> nth=10");
  await page.click(".controls .main");
  await bred(page, 3);
  const branch = await pixelsOf(page, CELLS);
  expect(branch !== sheets[3], "a branch is another sheet");
  expect(await page.locator(".tree [data-node]").count() === 7, "the tree has all sheets: six and the branch");

  await page.click(".brood button >> nth=4");
  await page.click("text=Publish …");
  await page.fill("dialog [name=name]", "A <b>bold</b> child");
  await page.fill("dialog [name=tags]", "test, branch");
  await page.click("dialog .main");
  const link = page.locator(".controls a[href^='#/look/']");
  await link.waitFor();
  const id = await link.textContent();
  expect(existsSync(path.join(root, id)), `${id} is a file`);
  const kept = JSON.parse(readFileSync(path.join(root, id), "utf8"));
  expect(kept.provenance.name.includes("<b>bold</b>"), "the name is kept as it was written");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(".controls a:text('PNG')")]);
  expect(readFileSync(await download.path()).subarray(1, 4).toString() === "PNG", "a PNG is downloaded");

  await page.reload();
  await settled(page);
  await sharp(page);
  expect(await pixelsOf(page, CELLS) === branch, "a reload shows the same sheet");
  await studio.restart();
  await page.reload();
  await settled(page);
  await sharp(page);
  expect(await pixelsOf(page, CELLS) === branch, "after the server was killed the session goes on where it was");
  expect(await page.locator(".tree [data-node]").count() === 7, "and has its whole tree");

  // A second tab goes on; the first is told, and shows where the session stands.
  const other = await open(page.url());
  await sharp(other);
  await other.click(".brood button >> nth=0");
  await other.click(".controls .main");
  await bred(other, 4);
  await page.click(".brood button >> nth=1");
  await page.click(".controls .main");
  await page.waitForSelector("#alert p");
  expect(/another tab/.test(await page.textContent("#alert")), "the first tab is told");
  await bred(page, 4);
  expect(await pixelsOf(page, CELLS) === await pixelsOf(other, CELLS), "both tabs show the same");
  await close(other);

  // In colour, from a published genome.
  await go(page, `#/look/${id}`);
  await page.click("text=Breed from it");
  await page.fill("dialog [name=name]", "from a child");
  await page.click("dialog .main");
  await page.waitForSelector(".brood button");
  await sharp(page);
  await close(page, /409/);
  times.sort((a, b) => a.click / a.rendering - b.click / b.rendering);
  const { click, rendering } = times[2];
  return [`from a click on “Breed” to 15 pictures of 128²: ${click.toFixed(0)} ms, of which the library draws ${rendering.toFixed(0)} ms: ratio ${(click / rendering).toFixed(1)} (median of 5; ${
    times.map((t) => (t.click / t.rendering).toFixed(1)).join(", ")})`];
}

// A visitor's walk: breed three generations, look inside, train, prune, and take every link to a browser that knows nothing.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { close, expect, go, open, picloom, pixelsOf, repository, settled } from "../../../tests/studio/studio.mjs";
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
const large = (page) => page.waitForSelector("canvas.picture[data-settled]", { timeout: 60_000 });

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

const state = (page) => page.evaluate(() => {
  const { step, r2 } = document.querySelector("canvas[data-step]").dataset;
  return { step: Number(step), r2: Number(r2), links: Number(document.querySelector("[aria-label='Links kept']").value), most: Number(document.querySelector("[aria-label='Links kept']").max) };
});

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

export async function training(site) {
  const page = await open(`${site.address}#/train/genomes/bred_skull.json?size=64`);
  await page.waitForFunction(() => Number(document.querySelector("canvas[data-step]")?.dataset.step) > 300, null, { timeout: 120_000 });
  const learned = await state(page);
  expect(learned.r2 > 0.3, `training lowers the error, found R² ${learned.r2}`);
  const pace = await paced(page);
  // A quarter of the links.
  const keep = Math.round(learned.most / 4);
  await page.locator("[aria-label='Links kept']").fill(String(keep));
  await page.waitForFunction((n) => document.getElementById("main").dataset.pruned === String(n), keep, { timeout: 60_000 });
  await page.waitForFunction((n) => document.querySelector(".readout").textContent.includes(`${n} links`), keep, { timeout: 60_000 });
  await page.waitForTimeout(1500);
  await page.click(".side button:text-is('Pause')");
  // Steps that were asked for before the click are still made.
  await page.waitForSelector("main[data-still]", { timeout: 60_000 });
  const paused = await state(page);
  await page.waitForTimeout(200);
  expect((await state(page)).step === paused.step, "it pauses");
  await page.click(".side button:text-is('Step')");
  await page.waitForFunction((step) => Number(document.querySelector("canvas[data-step]").dataset.step) === step + 1, paused.step, { timeout: 60_000 });
  const held = memory();
  await page.click("text=Keep this network");
  await large(page);
  const [link, picture] = [await linkOf(page), await pixelsOf(page, "figure canvas.picture")];
  const fresh = await open(link);
  await large(fresh);
  expect((await pixelsOf(fresh, "figure canvas.picture")) === picture, "the link of a trained network shows the same picture");
  await close(fresh);
  await close(page);
  return [pace, `${learned.step} steps to R² ${learned.r2.toFixed(3)}, ${learned.most} links; pruned to ${keep}, R² ${paused.r2.toFixed(3)}; ${held} MB of memory, the browser's own included; a link of ${link.length} letters`];
}

export async function scoring(site) {
  const page = await open(`${site.address}#/score/genomes/bred_moth.json`);
  const began = performance.now();
  await page.waitForFunction(() => document.getElementById("main").dataset.score, null, { timeout: 120_000 });
  const score = Number(await page.evaluate(() => document.getElementById("main").dataset.score));
  expect(score >= 0 && score <= 1, `a score from 0 to 1, found ${score}`);
  const took = performance.now() - began;
  await go(page, "#/see");
  await page.waitForSelector("main[data-begun]", { timeout: 60_000 });
  await close(page);
  return [`the moth's score is ${score.toFixed(2)}, after ${Math.round(took)} ms`];
}

export async function files(site) {
  const page = await open(site.address);
  const give = (name, mimeType, buffer) => page.locator(".acts input[type=file]").setInputFiles({ name, mimeType, buffer: Buffer.from(buffer) });
  // A network learns a picture that a visitor brings.
  const png = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(90, 60);
    const on = canvas.getContext("2d");
    on.fillStyle = "#fff";
    on.fillRect(0, 0, 90, 60);
    on.fillStyle = "#c03";
    on.arc(45, 30, 18, 0, 7);
    on.fill();
    return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
  });
  await give("ball.png", "image/png", png);
  await page.waitForFunction(() => Number(document.querySelector("canvas[data-step]")?.dataset.step) > 60, null, { timeout: 60_000 });
  expect((await page.textContent("h1")) === "Learning ball.png", "the page says what is learned");
  const learned = await state(page);
  expect(learned.r2 > 0, `the picture is learned, found R² ${learned.r2}`);
  // A genome file, and a file of something else.
  await go(page, "#/");
  await give("mine.json", "application/json", readFileSync(path.join(repository, "genomes/bred_skull.json")));
  await large(page);
  await go(page, "#/");
  await give("notes.json", "application/json", "{\"a\": 1}");
  await page.waitForFunction(() => /notes\.json: .*expected a picloom-genome\/1 document/.test(document.getElementById("alert").textContent), null, { timeout: 60_000 });
  await close(page);
}

// A visitor's walk, the same on both shelves: the shaken pair, See it, a training that one looks on at and prunes, a
// picture of one's own, a score. `shelf.address` is the page's.
import { readFileSync } from "node:fs";
import path from "node:path";
import { close, expect, go, open, pixelsOf, repository, settled } from "./studio.mjs";

const LONG = { timeout: 120_000 };

/** Notes when both pictures are there, and when they are shaken, by the page's clock, which begins with the navigation. */
function watch() {
  const colours = (c) => new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size;
  const look = () => {
    const shown = [...document.querySelectorAll(".shaken canvas")];
    if (!window.pictured && shown.length > 1 && shown.every((c) => colours(c) > 20)) window.pictured = performance.now();
    if (Number(document.getElementById("main")?.dataset.shaken) > 3) window.shaken = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Both pictures are there and shaken, without a click; the big button stops them. */
export async function first(shelf) {
  // The browser itself takes a while to start.
  await close(await open(shelf.address));
  const page = await open(shelf.address, { motion: "no-preference", init: watch });
  await page.waitForFunction(() => window.shaken, null, { timeout: 60_000 });
  const [picture, alive] = await page.evaluate(() => [window.pictured, window.shaken]);
  const before = (await pixelsOf(page, ".shaken canvas")).split(" ");
  const isShaken = async (i) => (await pixelsOf(page, ".shaken canvas")).split(" ")[i] !== before[i];
  for (const i of [0, 1]) {
    let moved = false;
    for (let tries = 0; tries < 300 && !(moved = await isShaken(i)); tries++) await page.waitForTimeout(100);
    expect(moved, `${["the evolved", "the trained"][i]} network's picture is shaken`);
  }
  await page.click(".big");
  await page.waitForSelector("main[data-still]", { timeout: 60_000 });
  const still = await pixelsOf(page, ".shaken canvas");
  await page.waitForTimeout(300);
  expect(still === (await pixelsOf(page, ".shaken canvas")), "the big button stops both");
  await page.keyboard.press("Space");
  expect((await page.textContent(".big")) === "Shake" || (await page.textContent(".big")) === "Stop", "the button says what it does");
  // Another picture: its twin is trained in front of the visitor.
  await page.click('.begin a[aria-label="bred skull"]');
  await page.waitForFunction(() => /learning: step \d+/.test(document.querySelectorAll(".shaken")[1]?.textContent ?? ""), null, { timeout: 60_000 });
  await close(page);
  const calm = await open(shelf.address);
  await calm.waitForTimeout(400);
  expect(!(await calm.evaluate(() => document.getElementById("main").dataset.shaken)), "who wants less motion is not shown any");
  await close(calm);
  return [`first picture after ${Math.round(picture)} ms, shaken after ${Math.round(alive)} ms`];
}

/** The slider of See it moves a weight of each of the two networks. */
export async function slider(shelf) {
  const began = performance.now();
  const page = await open(`${shelf.address}#/see`);
  await page.waitForSelector("main[data-begun][data-settled]", LONG);
  const ready = performance.now() - began;
  const before = (await pixelsOf(page, ".column canvas.picture")).split(" ");
  await page.locator(".together input[type=range]").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => [...document.querySelectorAll(".column > .value")].every((told) => told.textContent.includes("→")), null, LONG);
  await page.waitForSelector("main[data-settled]", LONG);
  const answered = performance.now() - began;
  const after = (await pixelsOf(page, ".column canvas.picture")).split(" ");
  expect(after.length === 2 && after.every((picture, i) => picture !== before[i]), "both pictures change");
  await close(page);
  return [`See it is ready after ${Math.round(ready)} ms, and its slider has answered after ${Math.round(answered)} ms`];
}

/** Waits for the large picture of Look inside. */
export const large = (page) => page.waitForSelector("canvas.picture[data-settled]", LONG);

/** How a training stands. */
export const state = (page) => page.evaluate(() => {
  const { step, r2 } = document.querySelector("canvas[data-step]").dataset;
  const links = document.querySelector("[aria-label='Links kept']");
  return { step: Number(step), r2: Number(r2), links: Number(links.value), most: Number(links.max) };
});

/** Waits until a training has made more steps than this. */
export const trained = (page, steps) => page.waitForFunction((n) => Number(document.querySelector("canvas[data-step]")?.dataset.step) > n, steps, LONG);

/** A training lowers the error; it is pruned meanwhile, paused, kept, and found again at its address. */
export async function training(shelf) {
  const page = await open(`${shelf.address}#/train/genomes/bred_skull.json?size=48`);
  await trained(page, 300);
  const learned = await state(page);
  expect(learned.r2 > 0.3, `training lowers the error, found R² ${learned.r2}`);
  expect((await page.locator(".live .curve").count()) === 1 && (await page.locator(".wiring .unit").count()) > 20, "the loss and the wiring are there");
  const map = await pixelsOf(page, ".wiring .unit canvas");
  // A quarter of the links.
  const keep = Math.round(learned.most / 4);
  await page.locator("[aria-label='Links kept']").fill(String(keep));
  await page.waitForFunction((n) => document.getElementById("main").dataset.pruned === String(n), keep, LONG);
  await page.waitForFunction((n) => document.querySelector(".readout").textContent.includes(`${n} links`), keep, LONG);
  const before = (await state(page)).step;
  await trained(page, before + 20);
  await page.click(".side button:text-is('Pause')");
  // Steps that were asked for before the click are still made.
  await page.waitForSelector("main[data-still]", LONG);
  const paused = await state(page);
  expect(paused.links <= keep, `it keeps ${keep} links, found ${paused.links}`);
  expect(map !== (await pixelsOf(page, ".wiring .unit canvas")), "every unit shows what it draws by now");
  await page.waitForTimeout(200);
  expect((await state(page)).step === paused.step, "it pauses");
  await page.click(".side button:text-is('Step')");
  await page.waitForFunction((step) => Number(document.querySelector("canvas[data-step]").dataset.step) === step + 1, paused.step, LONG);
  // What is shown, as a figure: wide and sharp.
  const [figure] = await Promise.all([page.waitForEvent("download", LONG), page.click("button:text-is('Save figure')")]);
  const png = readFileSync(await figure.path());
  expect(/bred.skull.*\.png$/.test(figure.suggestedFilename()) && png.readUInt32BE(16) > 1000 && png.length > 100_000, `a figure is saved, found ${figure.suggestedFilename()}, ${png.readUInt32BE(16)} pixels wide, ${png.length} bytes`);
  await page.click("text=Keep this network");
  await large(page);
  await settled(page);
  const picture = await pixelsOf(page, "figure canvas.picture");
  expect((await page.textContent("header.page .lead")).includes("R²"), "it says how well it learned its picture");
  const fresh = await open(page.url());
  await large(fresh);
  expect((await pixelsOf(fresh, "figure canvas.picture")) === picture, "the address of a trained network shows the same picture");
  // It is trained on from where it stands.
  await fresh.click("text=Train and prune");
  await trained(fresh, 0);
  expect((await state(fresh)).r2 > 0, `it goes on from its weights, found R² ${(await state(fresh)).r2}`);
  await close(fresh);
  await close(page);
  return [`${learned.step} steps to R² ${learned.r2.toFixed(3)}, ${learned.most} links; pruned to ${paused.links}, R² ${paused.r2.toFixed(3)}`];
}

/** A network learns a picture that a visitor brings. A genome opens; another file is refused by its name. */
export async function own(shelf) {
  const page = await open(shelf.address);
  const give = (name, mimeType, buffer) => page.locator(".acts input[type=file]").setInputFiles({ name, mimeType, buffer: Buffer.from(buffer) });
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
  // It is not square: what of it is meant is asked.
  await page.selectOption("dialog [name=fit]", "pad");
  await page.click("dialog .main");
  await trained(page, 60);
  expect(/^Learning ball/.test(await page.textContent("h1")), "the page says what is learned");
  const learned = await state(page);
  expect(learned.r2 > 0, `the picture is learned, found R² ${learned.r2}`);
  await page.reload();
  await trained(page, 20);
  expect(/^Learning ball/.test(await page.textContent("h1")), "a reload does not lose it");
  await go(page, "#/");
  await give("mine.json", "application/json", readFileSync(path.join(repository, "genomes/bred_skull.json")));
  await large(page);
  await go(page, "#/");
  await give("notes.json", "application/json", "{\"a\": 1}");
  await page.waitForFunction(() => /notes.*picloom-genome/.test(document.getElementById("alert").textContent), null, LONG);
  await close(page, /status of 400/);
}

/** A score fills weight by weight. */
export async function scoring(shelf) {
  const page = await open(`${shelf.address}#/score/genomes/bred_moth.json`);
  const began = performance.now();
  await page.waitForFunction(() => document.getElementById("main").dataset.score, null, LONG);
  const score = Number(await page.evaluate(() => document.getElementById("main").dataset.score));
  expect(score > 0.5 && score <= 1, `the moth stays a picture, found a score of ${score}`);
  const took = performance.now() - began;
  const [framed, silent] = [await page.locator(".judged.clean, .judged.unclear, .judged.damaged").count(), await page.locator(".judged.null, .judged[title=silent]").count()];
  expect(framed > 20, `changed pictures are framed by their verdict, found ${framed} and ${silent} silent`);
  await page.locator(".judged").first().click();
  await large(page);
  await close(page);
  return [`the moth's score is ${score.toFixed(2)}, after ${Math.round(took)} ms`];
}

// Files of every kind that can be opened, and a session that was bred elsewhere.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { close, expect, go, open, picloom, root } from "./studio.mjs";

const MOTH = "genomes/bred_moth.json";
const LAYERED = "12;cache:15,gaussian:4,identity:2,sin:1";

/** Drops files on the page as a hand would. */
async function drop(page, name) {
  const bytes = readFileSync(path.join(root, name)).toString("base64");
  const transfer = await page.evaluateHandle(({ name, bytes }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
    return transfer;
  }, { name: path.basename(name), bytes });
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

export async function opening(studio) {
  mkdirSync(path.join(root, "given"), { recursive: true });
  picloom("genome", "convert", MOTH, "given/moth.zip");
  picloom("genome", "convert", MOTH, "given/moth.xml");
  picloom("export", "--genome", MOTH, "--wiring", "layerized", "--format", "safetensors", "--out", "given/moth.safetensors");
  picloom("export", "runs/dense", "--format", "npz", "--out", "given/dense.npz");
  const page = await open(studio.address);
  const opened = [];
  for (const name of [MOTH, "given/moth.zip", "given/moth.xml", "given/moth.safetensors", "given/dense.npz"]) {
    await go(page, "#/pictures");
    await drop(page, name);
    if (name.endsWith(".npz")) {
      // Weights of others do not say what network they belong to: first a wrong one, then the run's own.
      await page.fill("dialog [name=arch]", LAYERED);
      await page.click("dialog .main");
      await page.waitForSelector("#alert p");
      await page.click("#alert button");
      await drop(page, name);
      await page.fill("dialog [name=arch]", JSON.parse(picloom("genome", "info", "genomes/bred_skull.json", "--json")).arch);
      await page.click("dialog .main");
    }
    await page.waitForFunction(() => location.hash.startsWith("#/look/studio"), null, { timeout: 60_000 });
    await page.waitForSelector("[data-unit]", { timeout: 60_000 });
    opened.push(path.extname(name));
  }

  // A file of many genomes is one entry: its first are shown, the others are opened by id or number.
  picloom("genome", "convert", MOTH, "given/moth.vlm.json");
  const genome = JSON.parse(readFileSync(path.join(root, "given/moth.vlm.json"), "utf8"));
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`run ${i}/#`, genome]));
  writeFileSync(path.join(root, "given/many.json.gz"), gzipSync(JSON.stringify(many)));
  await go(page, "#/pictures");
  await drop(page, "given/many.json.gz");
  await page.waitForFunction(() => location.hash.startsWith("#/pictures/studio/opened/many"), null, { timeout: 60_000 });
  await page.waitForSelector(".folded[open] form", { timeout: 60_000 });
  const entry = page.locator(".folded:has-text('opened/many')");
  expect(/30 genomes/.test(await entry.locator("summary").textContent()) && await entry.locator("a").count() === 24, "a file of 30 shows its first");
  await entry.locator("[name=name]").fill("30");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-unit]", { timeout: 60_000 });
  expect(/run 29/.test(await page.textContent("h1")), `the thirtieth is opened: ${await page.textContent("h1")}`);
  await go(page, "#/pictures");
  await page.locator(".folded:has-text('given/many') summary").click();
  await page.locator(".folded[open] a").nth(3).click();
  await page.waitForSelector("[data-unit]", { timeout: 60_000 });
  opened.push("a file of 30");

  // What the command bred goes on in a copy; the file it came from stays.
  await go(page, "#/pictures");
  await page.click("li:has-text('genomes/sessions/moth.toml') button");
  await page.waitForSelector(".brood button", { timeout: 60_000 });
  expect(!/Generation 0/.test(await page.textContent("header .lead")), "the session goes on where it was");

  // The genome of a picture, to be saved.
  await page.click(".brood button >> nth=1");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(".controls a:text('Genome')")]);
  const saved = await download.path();
  expect(JSON.parse(picloom("genome", "info", named(saved), "--json")).nodes > 0, "a saved genome can be read");

  // Colour alone can be chosen, and bred.
  await page.click("label:has-text('colour') input[type=radio]");
  expect(await page.isChecked("label:has-text('colour') input[type=radio]"), "colour alone can be chosen");
  await page.click(".controls .main");
  await page.waitForSelector(".brood button");
  await close(page, /status of 400/);
  return [`opened by dropping: ${opened.join(", ")}; a session of the command goes on in a copy`];
}

/** A download under a name that says what it is. */
function named(file) {
  const to = path.join(root, "given/saved.json");
  copyFileSync(file, to);
  return to;
}

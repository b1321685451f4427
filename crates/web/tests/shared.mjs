// The site with networks of one's own, which `picloom studio --export` writes with the program's engine: from a file server,
// and from a disk.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "./server.mjs";
import { accessible, close, expect, go, open, picloom, root, settled } from "../../../tests/studio/studio.mjs";

const FACE = "genomes/face.json";
const RUN = "runs/face";

/** Refused with these words. */
function refused(words, ...said) {
  try {
    execFileSync(process.env.PICLOOM, [...words, "--quiet"], { cwd: root, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    for (const part of said) expect(error.stderr.includes(part), `expected ${part} in: ${error.stderr}`);
    return;
  }
  throw new Error(`expected a refusal of ${words.join(" ")}`);
}

export async function shared(site) {
  mkdirSync(path.join(root, "genomes"), { recursive: true });
  picloom("genome", "compose", "face", "--seed", "3", "--out", FACE);
  picloom("train", "--genome", FACE, "--wiring", "dense", "--target", FACE, "--size", "24", "--steps", "300", "--out", RUN);
  picloom("studio", "--export", "shared", "--ids", FACE, RUN, "genomes/bred_skull.json");
  const folder = path.join(root, "shared");
  refused(["studio", "--export", "other", "--ids", "genomes/none.json"], "genomes/none.json");
  refused(["studio", "--export", "genomes"], "with other files");
  expect(!existsSync(path.join(root, "other")), "what is refused leaves nothing behind");
  const server = await serve(folder);
  const said = [];
  for (const [name, address] of [["a file server", server.address], ["a disk", pathToFileURL(path.join(folder, "picloom.html")).href]]) {
    const page = await open(`${address}#/pictures`);
    await page.waitForSelector(".tile");
    const tiles = await page.evaluate(() => [...document.querySelectorAll(".tile a")].map((a) => a.getAttribute("href")));
    for (const id of [FACE, RUN]) expect(tiles.includes(`#/look/${id}`), `${id} is among the pictures: ${tiles.slice(0, 4)}`);
    expect(tiles.filter((href) => href.includes("bred_skull")).length === 1, "what comes with the program is there once");
    await accessible(page, `the pictures of a shared site, from ${name}`);
    if (site.shots) await page.screenshot({ path: path.join(site.shots, "shared.png") });
    // Its run learned its genome: both beside each other.
    await go(page, `#/compare?ids=${FACE},${RUN}`);
    await page.waitForFunction(() => document.querySelectorAll(".column").length === 2, null, { timeout: 60_000 });
    await go(page, `#/look/${RUN}`);
    await page.waitForSelector("main[data-by]", { timeout: 60_000 });
    await settled(page);
    expect((await page.locator("header.page").textContent()).includes("R²"), "it says how well a run learned its picture");
    await go(page, `#/look/${FACE}`);
    await page.waitForSelector("main[data-by]", { timeout: 60_000 });
    await settled(page);
    const before = await page.evaluate(() => document.querySelector("canvas.picture").toDataURL());
    await page.click(".link[data-link='5']", { force: true });
    await page.locator(".slider input[type=range]").focus();
    for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowRight");
    // Its sliders move its pictures.
    await page.waitForFunction((picture) => document.querySelector("canvas.picture").toDataURL() !== picture, before, { timeout: 15_000 });
    await page.fill(".save input", "1500x1100");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".save button")]);
    const png = readFileSync(await download.path());
    expect(png.readUInt32BE(16) === 1500 && png.readUInt32BE(20) === 1100, "it saves pictures of any shape");
    // A page that is being left names itself no more: its timer is overdue when the browser is told to go elsewhere.
    await page.evaluate((to) => {
      const elsewhere = new MessageChannel();
      elsewhere.port2.onmessage = () => (location.hash = to);
      document.querySelector(".slider input[type=range]").dispatchEvent(new Event("input"));
      elsewhere.port1.postMessage(null);
      for (const until = performance.now() + 400; performance.now() < until; );
    }, `#/look/${RUN}`);
    await page.waitForTimeout(300);
    expect(decodeURIComponent(await page.evaluate(() => location.hash)).startsWith(`#/look/${RUN}`), "the address is where one went");
    await go(page, `#/look/${FACE}`);
    // The engine breeds from it and trains it.
    await page.click("text=Breed from it");
    await page.click("dialog >> text=Begin");
    await page.waitForSelector(".brood button", { timeout: 60_000 });
    await go(page, `#/train/${FACE}`);
    await page.waitForFunction(() => Number(document.querySelector("canvas[data-step]")?.dataset.step) > 20, null, { timeout: 60_000 });
    await close(page);
    said.push(`works from ${name}`);
  }
  server.close();
  return said;
}

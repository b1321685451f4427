// Names that would be code elsewhere stay text; addresses of nothing are refused in words.
import { close, expect, open, put, settled, go, repository } from "./studio.mjs";
import { readFileSync } from "node:fs";
import path from "node:path";

const NAME = `<img src=x onerror=alert(1)>"'&\u202e<script>alert(2)</script>`;

export async function hostile(studio) {
  const genome = JSON.parse(readFileSync(path.join(repository, "genomes/bred_moth.json"), "utf8"));
  genome.provenance = { name: NAME, made_by: NAME, notes: { tags: NAME } };
  put("hostile/<b>file & name.json", JSON.stringify(genome));
  const page = await open(`${studio.address}#/pictures`);
  const tile = page.locator(".tile:has(a[href^='#/look/hostile'])", { hasText: "onerror=alert(1)" });
  expect(await tile.count() === 1, "the hostile name is shown in the library, as text");
  await tile.locator("a").click();
  await page.waitForSelector(".wiring");
  await settled(page);
  expect((await page.textContent("h1")).includes("<img src=x onerror=alert(1)>"), "and as the title");
  expect(await page.locator("main img[src=x], main script").count() === 0, "no element comes of it");
  await page.click("text=Breed from it");
  await page.fill("dialog [name=name]", NAME.slice(0, 60));
  await page.click("dialog .main");
  await page.waitForSelector(".brood button, #alert p");
  // Opened from the disk: a file that is none is refused in words.
  await go(page, "#/pictures");
  await page.setInputFiles("input[type=file]", { name: "evil.json", mimeType: "application/json", buffer: Buffer.from("{\"format\": \"<script>\"}") });
  await page.waitForSelector("#alert p");
  await page.click("#alert button");
  await page.setInputFiles("input[type=file]", path.join(repository, "experiments/targets/car.png"));
  await page.waitForSelector("h1:text-is('Learning car')");
  for (const hash of ["#/look/..%2F..%2Fetc%2Fpasswd", "#/look/no/such.json", "#/breed/none", "#/nowhere", "#/study/%2e%2e", "#/jobs/x", "#/compare?ids=%00", "#/look/%"]) {
    await page.evaluate((to) => (location.hash = to), hash);
    await page.waitForFunction(() => document.querySelector("h1")?.textContent === "This cannot be shown", null, { timeout: 60_000 });
    await page.evaluate(() => (location.hash = "#/"));
    await page.waitForSelector(".tile");
  }
  await close(page, /status of 4\d\d/);
  return ["names of code are text; nine wrong addresses and files are refused in words"];
}

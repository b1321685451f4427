// The site in Firefox: shaken at once, bred, trained. Chromium walks through the rest.
import { createRequire } from "node:module";
import path from "node:path";
import { expect } from "../../../tests/studio/studio.mjs";

const load = createRequire(`${process.env.WORK}/`);

export async function firefox(site) {
  const { default: puppeteer } = await import(load.resolve("puppeteer-core"));
  const browser = await puppeteer.launch({ browser: "firefox", executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", headless: true });
  try {
    const page = await browser.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    await page.setViewport({ width: 1280, height: 900 });
    const began = performance.now();
    await page.goto(site.address);
    const drawn = () => [...document.querySelectorAll(".shaken canvas")].every((c) => new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size > 20);
    await page.waitForFunction(drawn, { timeout: 60_000, polling: 20 });
    const picture = performance.now() - began;
    await page.waitForFunction(() => Number(document.getElementById("main").dataset.shaken) > 3, { timeout: 60_000 });
    await page.evaluate(() => [...document.querySelectorAll(".acts button")].find((one) => one.textContent === "Breed").click());
    await page.waitForFunction(() => document.querySelectorAll(".brood canvas").length === 15, { timeout: 60_000 });
    await page.goto(`${site.address}#/train/genomes/bred_skull.json`);
    await page.waitForFunction(() => Number(document.querySelector("canvas[data-step]")?.dataset.step) > 50, { timeout: 60_000 });
    if (site.shots) await page.screenshot({ path: path.join(site.shots, "firefox.png") });
    expect(!faults.length, faults.join("\n"));
    const fuses = await page.evaluate(() => document.documentElement.dataset.fuses);
    return [`first picture after ${Math.round(picture)} ms, ${fuses === "true" ? "with" : "without"} the library's bits`];
  } finally {
    await browser.close();
  }
}

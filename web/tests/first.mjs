// The first minute: both pictures are there and shaken, without a click; the big button stops them.
import { close, expect, open, pixelsOf } from "../../tests/studio/studio.mjs";

const drawn = () => [...document.querySelectorAll(".shaken canvas")].every((c) => new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size > 20);

export async function first(site) {
  // The browser itself takes a while to start.
  await close(await open(site.address));
  const page = await open(site.address, { motion: "no-preference" });
  // By the page's own clock, which begins with the navigation.
  const when = async (holds) => {
    const seen = await page.waitForFunction(`(${holds})() && performance.now()`, null, { timeout: 20_000, polling: 20 });
    return seen.jsonValue();
  };
  const picture = await when(drawn);
  const alive = await when(() => Number(document.getElementById("main").dataset.shaken) > 3);
  const before = (await pixelsOf(page, ".shaken canvas")).split(" ");
  const isShaken = async (i) => (await pixelsOf(page, ".shaken canvas")).split(" ")[i] !== before[i];
  for (const i of [0, 1]) {
    let moved = false;
    for (let tries = 0; tries < 40 && !(moved = await isShaken(i)); tries++) await page.waitForTimeout(100);
    expect(moved, `${["the evolved", "the trained"][i]} network's picture is shaken`);
  }
  await page.click(".big");
  await page.waitForTimeout(150);
  const still = await pixelsOf(page, ".shaken canvas");
  await page.waitForTimeout(300);
  expect(still === (await pixelsOf(page, ".shaken canvas")), "the big button stops both");
  await page.keyboard.press("Space");
  expect((await page.textContent(".big")) === "Shake" || (await page.textContent(".big")) === "Stop", "the button says what it does");
  // Another picture: its twin is trained in front of the visitor.
  await page.click('.begin a[aria-label="bred skull"]');
  await page.waitForFunction(() => /learning: step \d+/.test(document.querySelectorAll(".shaken")[1]?.textContent ?? ""), null, { timeout: 20_000 });
  await close(page);
  const calm = await open(site.address);
  await calm.waitForTimeout(400);
  expect(!(await calm.evaluate(() => document.getElementById("main").dataset.shaken)), "who wants less motion is not shown any");
  await close(calm);
  return [`first picture after ${Math.round(picture)} ms, shaken after ${Math.round(alive)} ms`];
}

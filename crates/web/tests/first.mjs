// The first minute: both pictures are there and shaken, without a click; the big button stops them.
import { close, expect, open, pixelsOf } from "../../../tests/studio/studio.mjs";

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

export async function first(site) {
  // The browser itself takes a while to start.
  await close(await open(site.address));
  const page = await open(site.address, { motion: "no-preference", init: watch });
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
  const calm = await open(site.address);
  await calm.waitForTimeout(400);
  expect(!(await calm.evaluate(() => document.getElementById("main").dataset.shaken)), "who wants less motion is not shown any");
  await close(calm);
  return [`first picture after ${Math.round(picture)} ms, shaken after ${Math.round(alive)} ms`];
}

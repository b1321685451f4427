// Comparing runs, and long work: train, stop, the server killed, go on, prune, score.
import { KILLED, addressed, close, expect, go, open, settled } from "./studio.mjs";

export async function comparing(studio) {
  const page = await open(`${studio.address}#/compare?ids=genomes/bred_skull.json,runs/dense,runs/pruned`);
  await page.waitForFunction(() => document.querySelectorAll(".column").length === 3);
  const told = () => page.locator(".column > .value").allTextContents();
  await page.waitForFunction(() => [...document.querySelectorAll(".column > .value")].every((t) => /^weight/.test(t.textContent)), null, { timeout: 60_000 });
  const drawn = () => page.evaluate(() => [...document.querySelectorAll(".column canvas.picture")].map((c) => c.toDataURL().length));
  const slider = page.locator(".together input[type=range]");
  await slider.focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => [...document.querySelectorAll(".column > .value")].every((t) => /→|silent/.test(t.textContent)), null, { timeout: 60_000 });
  await page.waitForSelector("main[data-settled]", { timeout: 60_000 });
  const after = await told();
  expect(after.some((text) => text.includes("→")), `the slider moves a weight of each: ${after.join("; ")}`);
  await addressed(page, /effect=4/, "the address names the change");
  // Each picture has changed by as much: root mean square over the pixels, as the library measured it.
  const measured = () => page.evaluate(async () => {
    const effectOf = [0.02, 0.05, 0.1, 0.15];
    return Promise.all([...document.querySelectorAll(".column")].map(async (column) => {
      const canvas = column.querySelector("canvas.picture");
      const { width } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, width);
      const id = decodeURIComponent(column.querySelector("h2 a").getAttribute("href").replace("#/look/", "").split("?")[0]);
      const right = new Uint8Array(await (await fetch(`/api/picture?${new URLSearchParams({ id, wiring: "graph", size: width, raw: 1 })}`)).arrayBuffer());
      let sum = 0;
      for (let i = 0; i < data.length; i++) if (i % 4 < 3) sum += (data[i] - right[i]) ** 2;
      return { silent: /silent/.test(column.querySelector(".value").textContent), effect: Math.sqrt(sum / (0.75 * data.length)) / 255, wanted: effectOf[3] };
    }));
  });
  const asWanted = ({ silent, effect, wanted }) => silent || Math.abs(effect - wanted) < 0.03;
  // A picture may still be drawn, and drawn sharper, after the words beside it.
  let effects = await measured();
  for (let again = 0; again < 40 && !effects.every(asWanted); again++) {
    await page.waitForTimeout(500);
    effects = await measured();
  }
  expect(effects.every(asWanted), `each picture has changed by what was asked for: ${JSON.stringify(effects)}`);
  expect(effects.filter((e) => !e.silent).length >= 2, "at least two have moved");
  expect((await drawn()).every((n) => n > 500), "all pictures are drawn");
  await close(page);
  return [`pictures changed by ${effects.map((e) => (e.silent ? "(silent)" : e.effect.toFixed(3))).join(", ")} where 0.15 was asked for`];
}

const status = (page, ...wanted) => page.waitForFunction((all) => all.includes(document.querySelector("main").dataset.status), wanted, { timeout: 90_000 });
const step = (page) => page.evaluate(() => document.querySelector("progress").value);

export async function working(studio) {
  const page = await open(`${studio.address}#/train/genomes/bred_moth.json`);
  await page.click("summary:text-is('In the background')");
  await page.click("text=Train …");
  await page.fill("dialog [name=steps]", "200000");
  await page.fill("dialog [name=size]", "48");
  await page.click("dialog .main");
  await page.waitForSelector("progress");
  await page.waitForFunction(() => document.querySelector("progress").value > 0 && document.querySelector(".curve"), null, { timeout: 60_000 });
  await page.waitForFunction(() => Number(document.querySelector("img.picture").dataset.drawn) > 1, null, { timeout: 60_000 });
  const job = await page.evaluate(() => location.hash);
  // Stopped, and gone on.
  await page.click("button:text('Stop')");
  await status(page, "stopped");
  const stopped = await step(page);
  await page.click("button:text('Go on')");
  await page.waitForFunction((at) => document.querySelector("progress").value > at, stopped, { timeout: 60_000 });
  // The server is killed in the middle; another one knows the work, and goes on.
  await studio.restart();
  await page.reload();
  await settled(page);
  await status(page, "stopped", "running");
  const after = await step(page);
  expect(after > 0, "what was trained is not lost");
  await page.click("button:text('Go on')");
  await page.waitForFunction((at) => document.querySelector("progress").value > at, after, { timeout: 60_000 });
  await page.click("button:text('Stop')");
  await status(page, "stopped");

  // A short one to its end, and a look at what came of it.
  await go(page, "#/train/genomes/bred_moth.json");
  await page.click("summary:text-is('In the background')");
  await page.click("text=Train …");
  await page.fill("dialog [name=steps]", "300");
  await page.fill("dialog [name=size]", "32");
  await page.click("dialog .main");
  await status(page, "finished");
  await page.click("text=Look inside");
  await page.click("text=Train and prune");
  await page.click("summary:text-is('In the background')");
  await page.click("text=Prune …");
  await page.selectOption("dialog label:has-text('Keep') select", "threshold");
  await page.fill("dialog [name=threshold]", "0.2");
  await page.fill("dialog [name=steps]", "100");
  await page.click("dialog .main");
  await status(page, "finished");

  // Scored, kept, and shown with its verdicts.
  await go(page, "#/score/genomes/bred_moth.json");
  await page.waitForSelector("main[data-kept]", { timeout: 90_000 });
  await page.click("text=Look inside");
  await page.waitForSelector(".panel .scorebar");
  await page.waitForSelector(".panel :text('disentanglement')");
  await page.selectOption(".sheet select >> nth=0", "verdict");
  await page.waitForSelector(".moved .clean, .moved .unclear, .moved .damaged");
  await go(page, "#/jobs");
  const listed = await page.locator("main ul.lines li").count();
  expect(listed === 3, `all work is listed, found ${listed}`);
  await close(page, KILLED, /status of 409/);
  return [`a training was stopped at step ${stopped}, gone on with, killed with its server, gone on with from step ${after} (${job})`];
}

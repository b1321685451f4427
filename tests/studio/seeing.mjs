// See it: from the start page, two named networks under one slider, opened on weights that change something.
import { addressed, close, expect, go, open } from "./studio.mjs";

/** Waits for columns that have their weights, and draw no longer. */
export async function begun(page) {
  await page.waitForSelector("main[data-begun][data-settled]", { timeout: 120_000 });
}

/** By how much the picture of each column differs from what its network draws unmoved: RMSE, as the library draws it. */
export function changes(page) {
  return page.evaluate(() => Promise.all([...document.querySelectorAll(".column")].map(async (column) => {
    const canvas = column.querySelector("canvas.picture");
    const [id, query] = column.querySelector("h2 a").getAttribute("href").replace("#/look/", "").split("?");
    const wiring = new URLSearchParams(query ?? "").get("wiring") ?? "graph";
    const asked = new URLSearchParams({ id: decodeURIComponent(id), wiring, size: canvas.width, raw: 1 });
    const right = new Uint8Array(await (await fetch(`/api/picture?${asked}`)).arrayBuffer());
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.width);
    let sum = 0;
    for (let i = 0; i < data.length; i++) if (i % 4 < 3) sum += (data[i] - right[i]) ** 2;
    return Math.sqrt(sum / (0.75 * data.length)) / 255;
  })));
}

export async function seeing(studio) {
  const page = await open(`${studio.address}#/pictures`);
  await page.click("a.seeit");
  await begun(page);
  const names = await page.locator(".column h2").allTextContents();
  expect(String(names) === "Evolved network, in layers,Dense twin, trained", `columns are called by what they are: ${names}`);
  // The middle of each ranking, whoever looks.
  const ranks = (await page.locator(".rank").allTextContents()).map((text) => /weight (\d+) of (\d+)/.exec(text).slice(1).map(Number));
  expect(ranks.every(([at, all]) => at === Math.floor(all / 2) + 1), `each column begins in the middle: ${JSON.stringify(ranks)}`);
  const slider = page.locator(".together input[type=range]");
  const said = [];
  for (const key of ["End", "Home"]) {
    await slider.focus();
    await page.keyboard.press(key);
    const wanted = key === "End" ? /effect=\d/ : /effect=-\d/;
    await addressed(page, wanted, "the address names the change");
    await begun(page);
    const told = await page.locator(".column > .value").allTextContents();
    expect(told.every((text) => text.includes("→")), `the slider moves a weight of each: ${told.join("; ")}`);
    const found = await changes(page);
    expect(found.every((effect) => Math.abs(effect - 0.3) < 0.05), `and changes both by 0.30: ${found}`);
    said.push(...found.map((effect) => effect.toFixed(3)));
  }
  // Another weight; the address keeps it.
  const before = await page.evaluate(() => location.hash);
  await page.click(".column >> nth=1 >> button:text('Another')");
  await page.waitForFunction((hash) => location.hash !== hash, before, { timeout: 60_000 });
  const [first, second] = (await page.locator(".rank").allTextContents()).map((text) => Number(/weight (\d+)/.exec(text)[1]));
  expect(first === ranks[0][0] && second === ranks[1][0] + 1, `the next weight of the ranking: ${first}, ${second}`);
  const text = await page.textContent("main");
  expect(!/[0-9a-f]{12}/.test(text), "no hash is shown");
  await close(page);
  return [`the middle weights of ${ranks.map(([, all]) => all).join(" and ")} change the pictures by ${said.join(", ")} where 0.30 was asked for`];
}

/** A genome is compared with the runs that learned its picture: named, in order, unfit ones marked. */
export async function naming(studio) {
  const page = await open(`${studio.address}#/compare?ids=genomes/bred_skull.json`);
  await begun(page);
  const names = await page.locator(".column h2").allTextContents();
  expect(names[0] === "Evolved network" && names[1] === "Evolved network, in layers", `the genome comes first: ${names}`);
  const [dense, pruned] = [names.indexOf("Dense twin, trained"), names.indexOf("Similarity-pruned (SP)")];
  expect(dense > 1 && pruned > dense, `trained ones follow, dense before pruned: ${names}`);
  const title = await page.textContent("h1");
  expect(/networks that draw bred_skull$/.test(title), `the title names the picture: ${title}`);
  const wrong = await page.evaluate(async () => {
    const { runs } = await (await fetch("/api/library")).json();
    return [...document.querySelectorAll(".column")].flatMap((column) => {
      const run = runs.find((r) => column.querySelector("h2 a").getAttribute("href").endsWith(r.id));
      return run && (run.fit === false) !== Boolean(column.querySelector(".unfit")) ? [`${run.id}: R² ${run.r2}`] : [];
    });
  });
  expect(wrong.length === 0, `networks that did not learn the picture say so: ${wrong}`);
  const unfit = await page.locator(".column .unfit").count();
  expect(unfit > 0, "one of them did not");
  await go(page, "#/pictures");
  await page.locator(".tile .unfit").first().waitFor({ state: "attached" }).catch(() => expect(false, "the library marks them too"));
  await close(page);
  return [`${names.length} columns, ${unfit} of them marked as unfit: ${names.join("; ")}`];
}

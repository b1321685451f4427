// A study of several depths: a map for each picture, and from every point a way into its network.
import { addressed, close, expect, open, settled } from "./studio.mjs";

export async function studying(studio) {
  const page = await open(`${studio.address}#/study/study/regime`);
  const study = await page.evaluate(async () => (await fetch("/api/study?id=study/regime")).json());
  const trained = study.rows.filter((row) => row.arm !== "evolved");
  // The genomes of the evolved lie elsewhere.
  expect(trained.length > 20 && trained.every((row) => row.run), `every trained network of ${trained.length} can be opened`);
  const opened = await page.evaluate((ids) => Promise.all(ids.map(async (id) => (await fetch(`/api/network?${new URLSearchParams({ id })}`)).status)), trained.map((row) => row.run));
  expect(opened.every((status) => status === 200), `and is: ${opened}`);
  const pictures = new Set(study.rows.map((row) => row.target)).size;
  expect(await page.locator(".facets svg").count() === pictures, `a map for each of ${pictures} pictures`);
  await page.selectOption(".regime select", "layer-counts");
  await addressed(page, /arm=layer-counts/, "the address names what is shown");
  await page.reload();
  await settled(page);
  const points = await page.locator(".facets circle").count();
  const wanted = study.rows.filter((row) => !row.level || row.arm === "layer-counts");
  expect(points === wanted.length, `as many points as networks: ${points}, ${wanted.length}`);
  const [label, links] = await page.evaluate(() => {
    const point = document.querySelector(".facets a[aria-label*='layer-counts 2']");
    point.focus();
    return [point.getAttribute("href"), Number(/, (\d+) links/.exec(point.getAttribute("aria-label"))[1])];
  });
  await page.keyboard.press("Enter");
  await page.waitForSelector(".wiring [data-unit]", { timeout: 60_000 });
  expect(decodeURIComponent(await page.evaluate(() => location.hash)).endsWith(decodeURIComponent(label)), `the point leads inside its network: ${page.url()}`);
  expect((await page.textContent("header .lead")).includes(`${links} of `), `which has its ${links} links: ${await page.textContent("header .lead")}`);
  await close(page);
  return [`${pictures} maps, ${trained.length} networks that can be opened`];
}

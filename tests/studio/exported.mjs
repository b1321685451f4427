// The exported site: from a plain file server, and from the file system.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { begun } from "./seeing.mjs";
import { accessible, close, expect, go, open, picloom, root, settled } from "./studio.mjs";

const KINDS = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

export async function exported() {
  picloom("studio", "--export", "site", "--ids", "genomes/bred_skull.json", "genomes/bred_moth.json", "runs/pruned");
  const site = path.join(root, "site");
  const server = createServer((request, response) => {
    const file = path.join(site, new URL(request.url, "http://x").pathname.replace(/\/$/, "/index.html"));
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": KINDS[file.split(".").at(-1)] ?? "text/plain" }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const said = [];
  for (const address of [`http://127.0.0.1:${server.address().port}/`, pathToFileURL(path.join(site, "index.html")).href]) {
    const page = await open(address);
    expect(await page.locator(".tile").count() === 3, "the site shows what was exported");
    expect(await page.locator("text=New session").count() === 0, "what needs the program is not there");
    // Thumbs are drawn here.
    await page.waitForFunction(() => [...document.querySelectorAll("canvas.picture")].every((c) => new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size > 20), null, { timeout: 60_000 });
    await page.click(".tile a >> nth=0");
    await page.waitForSelector("main[data-by=WebGL]", { timeout: 60_000 });
    await settled(page);
    const picture = () => page.evaluate(() => document.querySelector("canvas.picture").toDataURL());
    await page.click(".link[data-link='5']", { force: true });
    await page.waitForTimeout(500);
    const before = await picture();
    await page.locator(".slider input[type=range]").focus();
    for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(800);
    expect(await picture() !== before, "its sliders move its pictures");
    // Larger than what is drawn at once: in tiles, whose seams nobody sees.
    await page.fill(".save input", "1500x1100");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".save button")]);
    const png = readFileSync(await download.path());
    expect(png.readUInt32BE(16) === 1500 && png.readUInt32BE(20) === 1100, "it saves pictures of any shape");
    await go(page, "#/compare?ids=genomes/bred_skull.json,runs/pruned");
    expect(await page.locator(".column").count() === 2, "it compares");
    // *See it* is on every site.
    await go(page, "#/");
    await page.click("a.seeit");
    await begun(page);
    const unmoved = await page.evaluate(() => [...document.querySelectorAll(".column canvas.picture")].map((c) => c.toDataURL()));
    await page.locator(".together input[type=range]").focus();
    await page.keyboard.press("End");
    await page.waitForTimeout(600);
    await begun(page);
    const told = await page.locator(".column > .value").allTextContents();
    const moved = await page.evaluate(() => [...document.querySelectorAll(".column canvas.picture")].map((c) => c.toDataURL()));
    expect(told.length === 2 && told.every((text) => text.includes("→")), `its slider moves a weight of each: ${told.join("; ")}`);
    expect(moved.every((picture, i) => picture !== unmoved[i]), "and changes both pictures");
    await accessible(page, "the exported site");
    await close(page);
    said.push(`works from ${address.split(":")[0]}:`);
  }
  server.close();
  return said;
}

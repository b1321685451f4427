// What can be read: a deep wiring at every width, and a tooltip on every number.
import { readFileSync } from "node:fs";
import path from "node:path";
import { close, expect, go, open, put, repository } from "./studio.mjs";

/** No unit lies over another, and what does not fit says so. */
export async function deep(studio) {
  const said = [];
  for (const width of [390, 1024, 1280, 1920]) {
    const page = await open(`${studio.address}#/look/genomes/target_face.json`, { width });
    await page.waitForSelector("[data-unit]");
    await page.waitForTimeout(300);
    const found = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll("[data-unit]")].map((unit) => [unit.dataset.unit, unit.getBoundingClientRect()]);
      const over = boxes.flatMap(([a, p], i) => boxes.slice(0, i).filter(([, q]) => p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom).map(([b]) => `u${a} over u${b}`));
      const frame = document.querySelector(".wiring");
      return { units: boxes.length, over, wide: frame.scrollWidth, room: frame.clientWidth, side: Math.round(boxes[0][1].width),
        told: !document.querySelector(".note.wide").hidden, page: document.documentElement.scrollWidth };
    });
    expect(found.over.length === 0, `at ${width} pixels: ${found.over.join(", ")}`);
    expect(found.told === found.wide > found.room + 2, `at ${width} pixels what is wider than its place says so: ${JSON.stringify(found)}`);
    expect(width < 1024 || found.wide <= found.room + 2, `at ${width} pixels all 23 layers are seen at once: ${JSON.stringify(found)}`);
    expect(found.page <= width && found.side >= 18, `at ${width} pixels: ${JSON.stringify(found)}`);
    said.push(`${width}: ${found.units} units of ${found.side} pixels on ${found.wide} of ${found.room}`);
    await close(page);
  }
  // What people called its parts stands on the wiring, and is marked when asked for.
  const genome = JSON.parse(readFileSync(path.join(repository, "genomes/bred_moth.json"), "utf8"));
  for (const i of [0, 1]) genome.connections[i].labels = ["Wings"];
  genome.nodes.at(-1).labels = ["Wings"];
  put("labels/dolphin.json", JSON.stringify(genome));
  const page = await open(`${studio.address}#/look/labels/dolphin.json`);
  expect(await page.locator(".drawing .label").textContent() === "Wings", "a label stands on the wiring");
  await page.click(".chips button:has-text('Wings (3)')");
  expect(await page.locator(".called").count() === 3, "its links and units are marked");
  await close(page);
  return said;
}

/** Every number on these pages says what it is when it is pointed at. */
export async function terms(studio) {
  const page = await open(studio.address);
  const { sessions } = await page.evaluate(async () => (await fetch("/api/library")).json());
  const session = sessions.find((s) => s.name);
  const pages = ["#/", "#/pictures", "#/see", "#/look/genomes/bred_skull.json?link=3", "#/look/runs/dense", "#/compare?ids=genomes/bred_skull.json", "#/jobs",
    ...(session ? [`#/breed/${encodeURIComponent(session.name)}`] : [])];
  let seen = 0;
  for (const hash of pages) {
    await go(page, hash);
    if (/see|compare/.test(hash)) await page.waitForSelector("main[data-begun]", { timeout: 120_000 });
    await page.waitForTimeout(500);
    const found = await page.evaluate(() => {
      const places = ".lead, .tile small, .counts, .rank, .column .value, .moved small, .changes > small, .slider .note, .together output, ul.lines span, .folded summary small";
      const walk = [...document.querySelectorAll(places)].flatMap((place) => {
        const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
        const all = [];
        while (texts.nextNode()) all.push(texts.currentNode);
        return all;
      });
      // Numbers that stand alone: not those of names.
      const numbers = [...new Set(walk)].filter((text) => /(^|[\s(])[−-]?\d+(\.\d+)?($|[\s),.])/.test(text.data));
      const silent = numbers.filter((text) => !text.parentElement.closest("main [title]")?.title).map((text) => text.data.trim());
      const empty = [...document.querySelectorAll("[data-term]")].filter((term) => !term.title).length;
      return { numbers: numbers.length, silent, empty };
    });
    expect(found.silent.length === 0 && found.empty === 0, `${hash}: numbers without a word: ${JSON.stringify(found.silent.slice(0, 5))}, ${found.empty} empty tooltips`);
    seen += found.numbers;
  }
  await go(page, "#/study/study/regime");
  expect(await page.locator("th .term").count() >= 4, "the table's columns have tooltips");
  await close(page);
  return [`${seen} numbers on ${pages.length} pages say what they are`];
}

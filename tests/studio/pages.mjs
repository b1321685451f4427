// Every page at two widths, light and dark: no serious fault of access, nothing wider than the screen, and a picture to look at.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { accessible, close, expect, go, open } from "./studio.mjs";

export async function pages(studio) {
  const first = await open(studio.address);
  const jobs = await first.evaluate(async () => (await fetch("/api/jobs")).json());
  const library = await first.evaluate(async () => (await fetch("/api/library")).json());
  await close(first);
  const done = (jobs.jobs ?? jobs).find((job) => job.status === "finished" && job.kind === "train");
  const session = library.sessions.find((s) => s.name);
  const shown = {
    start: "#/",
    pictures: "#/pictures",
    train: "#/train/genomes/bred_skull.json?size=32",
    score: "#/score/genomes/bred_moth.json",
    see: "#/see?effect=7",
    deep: "#/look/genomes/target_face.json?link=40",
    moved: "#/look/genomes/bred_moth.json?link=3&set=3:1.75",
    breed: session && `#/breed/${encodeURIComponent(session.name)}`,
    look: "#/look/genomes/bred_skull.json?link=13",
    dense: "#/look/runs/pruned?link=120",
    compare: "#/compare?ids=genomes/bred_skull.json,runs/dense,runs/pruned&effect=3",
    sheet: session && `#/look/${session.id}/0/3`,
    study: "#/study/study/regime",
    jobs: "#/jobs",
    job: done && `#/jobs/${done.job}`,
  };
  if (studio.shots) mkdirSync(studio.shots, { recursive: true });
  let looked = 0;
  const wrong = [];
  // Where somebody looks at the pictures, at every width.
  for (const width of studio.shots ? [390, 1024, 1280, 1920] : [1280, 390]) {
    for (const scheme of ["light", "dark"]) {
      const page = await open(studio.address, { width, scheme });
      for (const [name, hash] of Object.entries(shown)) {
        if (!hash) continue;
        await go(page, hash);
        if (["look", "dense", "deep", "moved"].includes(name)) await page.waitForSelector("main[data-by]", { timeout: 60_000 });
        if (["see", "compare"].includes(name)) await page.waitForSelector("main[data-begun]", { timeout: 120_000 });
        await page.waitForTimeout(700);
        await accessible(page, `${name} at ${width} pixels, ${scheme}`).catch((error) => wrong.push(error.message));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) wrong.push(`${name} is ${wide} pixels wide on a screen of ${width}`);
        if (studio.shots) await page.screenshot({ path: path.join(studio.shots, `${name}-${width}-${scheme}.png`), fullPage: name !== "pictures" || width > 1000 });
        looked += 1;
      }
      await page.keyboard.press("?");
      await accessible(page, `help at ${width} pixels, ${scheme}`);
      await close(page);
    }
  }
  expect(wrong.length === 0, wrong.join("\n"));
  return [`axe finds nothing serious on ${looked} pages`];
}

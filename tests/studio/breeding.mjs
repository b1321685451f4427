// Breeding: five generations, back, a branch, kept, reloaded, reopened after the server was killed.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { KILLED, addressed, close, expect, go, open, pixelsOf, root, settled } from "./studio.mjs";

const CELLS = ".brood canvas";
const generation = (page) => page.textContent("header .lead");

/** Waits until the sheet is drawn sharply: only then are two alike. */
async function sharp(page) {
  await page.waitForFunction(() => [...document.querySelectorAll(".brood canvas")].every((c) => c.width === 256), null, { timeout: 60_000 });
}

async function bred(page, n) {
  await page.waitForFunction((text) => document.querySelector("header .lead").textContent.startsWith(text), `Generation ${n}`, { timeout: 60_000 });
  await sharp(page);
}

export async function breeding(studio) {
  const page = await open(`${studio.address}#/pictures`);
  await page.click("text=New session");
  await page.fill("dialog [name=name]", "five generations");
  await page.fill("dialog [name=seed]", "7");
  await page.click("dialog .main");
  await page.waitForSelector(".brood button");
  await sharp(page);
  expect(await page.locator(CELLS).count() === 15, "a sheet has 15 pictures");
  const sheets = [await pixelsOf(page, CELLS)];
  for (let n = 1; n <= 5; n++) {
    if (n === 2) {
      // By keys alone: to the third picture, choose it and the one below, breed.
      await page.focus(".brood button[tabindex='0']");
      for (const key of ["Home", "ArrowRight", "ArrowRight", " ", "ArrowDown", " ", "Enter"]) await page.keyboard.press(key);
    } else {
      await page.click(`.brood button >> nth=${n}`);
      await page.click(".controls .main");
    }
    await bred(page, n);
    sheets.push(await pixelsOf(page, CELLS));
  }
  expect(new Set(sheets).size === 6, "every generation is another sheet");
  expect(/changed|weight|node|link|activation/i.test(await page.textContent(".changes")), "what changed is told");

  await page.keyboard.press("u");
  await bred(page, 4);
  expect(await pixelsOf(page, CELLS) === sheets[4], "undo shows the sheet before, pixel by pixel");
  await page.keyboard.press("r");
  await bred(page, 5);
  expect(await pixelsOf(page, CELLS) === sheets[5], "redo shows the sheet again");

  // A branch: back to the second sheet by the tree, and on from there.
  await page.click(".tree [data-node='2']");
  await bred(page, 2);
  expect(await pixelsOf(page, CELLS) === sheets[2], "the tree leads to an earlier sheet");
  await addressed(page, /node=2/, "the address names the sheet");
  await page.click(".brood button >> nth=9");
  await page.click(".brood button >> nth=10");
  await page.click(".controls .main");
  await bred(page, 3);
  const branch = await pixelsOf(page, CELLS);
  expect(branch !== sheets[3], "a branch is another sheet");
  expect(await page.locator(".tree [data-node]").count() === 7, "the tree has all sheets: six and the branch");

  await page.click(".brood button >> nth=4");
  await page.click(".controls button:text('Keep …')");
  await page.fill("dialog [name=name]", "A <b>bold</b> child");
  await page.fill("dialog [name=tags]", "test, branch");
  await page.click("dialog .main");
  const link = page.locator(".controls li a[href^='#/look/']");
  await link.waitFor();
  const id = await link.textContent();
  expect(existsSync(path.join(root, id)), `${id} is a file`);
  const kept = JSON.parse(readFileSync(path.join(root, id), "utf8"));
  expect(kept.provenance.name.includes("<b>bold</b>"), "the name is kept as it was written");
  await page.fill(".controls .save input", "300x200");
  await page.waitForFunction(() => document.querySelector(".controls .save img").naturalHeight === 147, null, { timeout: 60_000 });
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(".controls .save button")]);
  const png = readFileSync(await download.path());
  expect(png.subarray(1, 4).toString() === "PNG" && png.readUInt32BE(16) === 300 && png.readUInt32BE(20) === 200, "a PNG of any shape is downloaded");
  // What is too large is said; nothing is downloaded.
  let downloads = 0;
  page.on("download", () => downloads++);
  await page.fill(".controls .save input", "99999");
  await page.click(".controls .save button");
  await page.waitForFunction(() => document.querySelector(".controls .save .problem").textContent.includes("At most"));
  expect(downloads === 0, "no download begins that would be refused");
  await page.click(".controls button:text('Film …')");
  await page.fill("dialog [name=size]", "64");
  await page.fill("dialog [name=seconds]", "0.5");
  await page.selectOption("dialog [name=format]", "gif");
  const [film] = await Promise.all([page.waitForEvent("download"), page.click("dialog .main")]);
  expect(readFileSync(await film.path()).subarray(0, 6).toString() === "GIF89a", "a film of the lineage is downloaded");

  await page.reload();
  await settled(page);
  await sharp(page);
  expect(await pixelsOf(page, CELLS) === branch, "a reload shows the same sheet");
  await studio.restart();
  await page.reload();
  await settled(page);
  await sharp(page);
  expect(await pixelsOf(page, CELLS) === branch, "after the server was killed the session goes on where it was");
  expect(await page.locator(".tree [data-node]").count() === 7, "and has its whole tree");

  // A second tab goes on; the first is told, and shows where the session stands.
  const other = await open(page.url());
  await sharp(other);
  await other.click(".brood button >> nth=0");
  await other.click(".controls .main");
  await bred(other, 4);
  await page.click(".brood button >> nth=1");
  await page.click(".controls .main");
  await page.waitForSelector("#alert p");
  expect(/another tab/.test(await page.textContent("#alert")), "the first tab is told");
  await bred(page, 4);
  expect(await pixelsOf(page, CELLS) === await pixelsOf(other, CELLS), "both tabs show the same");
  await close(other);

  // In colour, from a published genome.
  await go(page, `#/look/${id}`);
  await page.click("text=Breed from it");
  await page.fill("dialog [name=name]", "from a child");
  await page.click("dialog .main");
  await page.waitForSelector(".brood button");
  await sharp(page);
  await close(page, /409/);
  return ["five generations, undone, branched, kept, reloaded, reopened after a kill, and gone on with in a second tab"];
}

/** From a click on “Breed” to the frame that has all pictures: where the choice was made a moment before, so that they are drawn already, where the click follows
 * it as fast as a hand can, and where both come at once; in parts, beside what the library takes to draw them alone. */
export async function clicks(studio) {
  const counted = Number(process.env.TIMES ?? 5);
  const page = await open(studio.address);
  const said = [];
  for (const from of [[], ["genomes/bred_skull.json"], ["genomes/target_butterfly.json"]]) {
    const name = await page.evaluate(async (from) => {
      const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ seed: 5, from, name: "clicks" }) };
      return (await (await fetch("/api/sessions", request)).json()).name;
    }, from);
    await go(page, `#/breed/${name}`);
    await sharp(page);
    let n = 0;
    for (const wait of from.length ? [600, 60] : [600, 60, 0]) {
      const times = [];
      // Three to warm up.
      for (let i = 0; i < 3 + counted; i++) {
        n++;
        const picture = `.brood button >> nth=${n % 15}`;
        // Nothing else goes on when it is clicked.
        await page.hover(picture);
        await page.waitForTimeout(400);
        await page.evaluate(() => performance.clearResourceTimings());
        if (wait > 100) {
          await page.click(picture);
          await page.hover(".controls .main");
          await page.waitForTimeout(wait);
          await page.mouse.down();
          await page.waitForTimeout(100);
          await page.mouse.up();
        } else {
          await page.locator(picture).evaluate((picture, wait) => {
            const go = () => document.querySelector(".controls .main").click();
            picture.click();
            wait ? setTimeout(go, wait) : go();
          }, wait);
        }
        await bred(page, n);
        await page.waitForTimeout(400);
        times.push(await page.evaluate(async (name) => {
          const [frame, drawn] = ["breed", "bred"].map((name) => performance.getEntriesByName(name, "measure").at(-1));
          const asked = performance.getEntriesByType("resource").find((r) => r.name.endsWith("/breed"));
          const drawing = asked.serverTiming[0]?.duration ?? 0;
          const alone = [];
          for (let i = 0; i < 5; i++) {
            const answer = await fetch(`/api/sessions/${name}/sheet?size=128`);
            alone.push(Number(answer.headers.get("server-timing").split("dur=")[1]));
            await answer.arrayBuffer();
          }
          return {
            frame: frame.duration, all: drawn.duration, alone: alone.sort((a, b) => a - b)[2],
            "to the server": asked.requestStart - frame.startTime, drawing,
            "the rest of the answer": asked.responseStart - asked.requestStart - drawing,
            "sent": asked.responseEnd - asked.responseStart,
            "shown": drawn.startTime + drawn.duration - asked.responseEnd,
          };
        }, name));
      }
      const drawn = times.slice(3).filter((t) => t.drawing > 0).length;
      const median = (key) => times.slice(3).map((t) => t[key]).sort((a, b) => a - b)[counted >> 1];
      // A machine on which drawing takes too long does not draw ahead.
      if (median("alone") < 50) expect(drawn === (wait ? 0 : counted), `${drawn} of ${counted} sheets were drawn after a click ${wait} ms after the choice`);
      const ratios = times.slice(3).map((t) => t.frame / t.alone).sort((a, b) => a - b);
      const parts = Object.keys(times[0]).slice(3).map((key) => `${key} ${median(key).toFixed(1)}`);
      said.push(`from a click on “Breed”, ${wait ? `${wait} ms after` : "at once with"} the choice, to the frame with 15 pictures of 128² (${from[0] ?? "random networks"}): ${median("frame").toFixed(1)} ms, the library alone ${median("alone").toFixed(1)} ms: ratio ${
        ratios[counted >> 1].toFixed(2)} (median of ${counted}; ${ratios[0].toFixed(1)} to ${ratios.at(-1).toFixed(1)}), kept and told in full after ${median("all").toFixed(1)} ms`, `  in ms: ${parts.join(", ")}`);
    }
  }
  // What is foreseen may be asked for just after it has been bred.
  await close(page, /409/);
  return said;
}

/** A genome on a sheet is looked into as it is, by an address that names session, sheet and place; and what may change is what changes. */
export async function sheets(studio) {
  const page = await open(`${studio.address}#/pictures`);
  await page.click("text=New session");
  await page.fill("dialog [name=name]", "parts");
  await page.fill("dialog [name=seed]", "11");
  await page.click("dialog label:has-text('colour')");
  await page.click("dialog .main");
  await page.waitForSelector(".brood button");
  await sharp(page);
  const breed = async (place, n) => {
    await page.click(`.brood button >> nth=${place}`);
    await page.click(".controls .main");
    await bred(page, n);
  };
  for (let n = 1; n <= 5; n++) await breed((3 * n) % 15, n);
  // The brightness of a pixel is its largest colour. How many of the children have it as their parent has, and how many all colours.
  const alike = () => page.evaluate(() => {
    const [parent, ...children] = [...document.querySelectorAll(".brood canvas")].map((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data);
    const bright = (data, p) => Math.max(data[p], data[p + 1], data[p + 2]);
    const same = (by) => children.filter((child) => {
      for (let p = 0; p < child.length; p += 4) if (!by(child, p)) return false;
      return true;
    }).length;
    return { bright: same((c, p) => Math.abs(bright(c, p) - bright(parent, p)) <= 1), all: same((c, p) => [0, 1, 2].every((k) => c[p + k] === parent[p + k])) };
  });
  const found = {};
  for (const [i, part] of ["colour", "structure", "all"].entries()) {
    await page.click(`.choice span:text-is('${part}')`);
    await breed(4, 6 + i);
    found[part] = await alike();
  }
  expect(found.colour.bright === 14 && found.colour.all < 14, `colour alone leaves the brightness of every pixel: ${JSON.stringify(found)}`);
  expect(found.structure.bright < 14 && found.all.bright < 14, `structure and all change it: ${JSON.stringify(found)}`);

  await page.click(".brood button >> nth=6");
  await page.click("text=Look inside");
  await page.waitForSelector("canvas.picture[data-settled]", { timeout: 60_000 });
  await addressed(page, /#\/look\/studio\/sessions\/parts\.toml\/8\/6/, "the address names session, sheet and place");
  expect(await page.textContent("h1") === "parts, sheet 8, picture 6", `and the title too: ${await page.textContent("h1")}`);
  const inside = await pixelsOf(page, "canvas.picture");
  await studio.restart();
  await page.reload();
  await settled(page);
  await page.waitForSelector("canvas.picture[data-settled]", { timeout: 60_000 });
  expect(await pixelsOf(page, "canvas.picture") === inside, "after a restart and a reload it is the same");
  await page.click("text=Its sheet");
  await page.waitForSelector(".brood button");
  await close(page, KILLED);
  return [`of 14 children as bright as their parent, pixel by pixel: colour ${found.colour.bright}, structure ${found.structure.bright}, all ${found.all.bright}`];
}

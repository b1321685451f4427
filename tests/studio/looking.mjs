// Looking inside: sliders move pixels as the library says, WebGL draws what the library draws, and how fast.
import { readdirSync } from "node:fs";
import path from "node:path";
import { close, expect, go, open, root, settled } from "./studio.mjs";

const skull = "genomes/bred_skull.json";

/** Largest difference and the share of pixels within 2/255, of the large picture on the page and the library's. */
function compared(page, id, wiring, set) {
  return page.evaluate(async ([id, wiring, set]) => {
    const canvas = document.querySelector("canvas.picture");
    const side = canvas.width;
    const query = new URLSearchParams({ id, wiring, size: side, ...(set ? { set } : {}), raw: 1 });
    const right = new Uint8Array(await (await fetch(`/api/picture?${query}`)).arrayBuffer());
    const { data } = canvas.getContext("2d").getImageData(0, 0, side, side);
    let within = 0;
    for (let p = 0; p < data.length; p += 4) within += [0, 1, 2].every((k) => Math.abs(data[p + k] - right[p + k]) <= 2);
    return { share: within / side / side, side };
  }, [id, wiring, set]);
}

const sharp = (page) => page.waitForSelector("canvas.picture[data-settled]", { timeout: 60_000 });

export async function looking(studio) {
  const page = await open(`${studio.address}#/look/${skull}`);
  await page.waitForSelector("main[data-by]");
  await sharp(page);
  const base = await compared(page, skull, "graph");
  expect(base.share >= 0.999, `${base.share} of the picture's pixels are the library's`);
  // By hand: a link, its slider, its address.
  await page.click(".link[data-link='7']", { force: true });
  const slider = page.locator(".slider input[type=range]");
  await slider.focus();
  for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(400);
  await sharp(page);
  const value = await slider.evaluate((input) => Number(input.value));
  const moved = await compared(page, skull, "graph", `7:${value}`);
  expect(moved.share >= 0.999, `${moved.share} of the moved picture's pixels are the library's`);
  const unmoved = await compared(page, skull, "graph");
  expect(unmoved.share < 0.99, "the slider changes the picture");
  expect(/link=7/.test(page.url()) && /set=7:/.test(page.url()), `the address names the link and its weight: ${page.url()}`);
  await page.reload();
  await settled(page);
  await sharp(page);
  expect((await compared(page, skull, "graph", `7:${value}`)).share >= 0.999, "a reload shows the moved picture");
  // By keys alone: into the wiring, to the next link, hold of it.
  await page.focus(".links .link[tabindex='0']");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  expect(!/link=7(&|$)/.test(await page.evaluate(() => new Promise((done) => setTimeout(() => done(location.hash), 400)))), "another link is taken by keys");
  // Nearer, by keys, and what is nearer is the library's picture of that frame.
  await page.focus("canvas.picture");
  for (const key of ["+", "+", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
  await page.waitForTimeout(500);
  const zoomed = new URLSearchParams(page.url().split("?").at(-1));
  const [x, y, zoom] = zoomed.get("view").split(",").map(Number);
  expect(zoom > 1.5 && x > 0 && y < 0, `the address names the frame: ${zoomed.get("view")}`);
  await sharp(page);
  const frame = [x - 1 / zoom, y - 1 / zoom, 2 / zoom, 2 / zoom].join(",");
  const share = await page.evaluate(async ([id, set, frame]) => {
    const canvas = document.querySelector("canvas.picture");
    const query = new URLSearchParams({ id, wiring: "graph", size: canvas.width, set, frame, raw: 1 });
    const right = new Uint8Array(await (await fetch(`/api/picture?${query}`)).arrayBuffer());
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.width);
    let within = 0;
    for (let p = 0; p < data.length; p += 4) within += Math.abs(data[p] - right[p]) <= 3;
    return within / canvas.width ** 2;
  }, [skull, zoomed.get("set"), frame]);
  expect(share > 0.995, `${share} of the nearer picture is the library's`);
  expect(await page.locator(".moved li").count() === 19, "the contact sheet has every weight");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog .keys");
  await page.keyboard.press("Escape");

  // Without WebGL the server draws, and sliders work all the same.
  const plain = await page.context().browser().newContext();
  await plain.addInitScript(() => {
    const real = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind === "webgl2" ? null : real.call(this, kind, ...rest);
    };
  });
  const without = await plain.newPage();
  await without.goto(`${studio.address}#/look/${skull}?set=7:${value}&link=7`);
  await without.waitForSelector("main[data-by=server]");
  await sharp(without);
  const served = await compared(without, skull, "graph", `7:${value}`);
  expect(served.share === 1, "without WebGL the picture is the library's, bit for bit");
  await plain.close();
  await close(page);
  return [`bred_skull: ${(100 * base.share).toFixed(2)} % of pixels within 2/255 of the library's, with a moved weight ${(100 * moved.share).toFixed(2)} %`];
}

export async function pixels(studio) {
  const page = await open(studio.address);
  const own = readdirSync(path.join(root, "genomes")).filter((n) => n.endsWith(".json")).map((n) => [`genomes/${n}`, "graph"]);
  const random = readdirSync(path.join(root, "random")).map((n) => [`random/${n}`, "graph"]);
  const layered = [["genomes/bred_skull.json", "layerized"], ["runs/dense", "graph"], ["runs/pruned", "graph"]];
  const found = [];
  for (const [id, wiring] of [...own, ...random, ...layered]) {
    found.push(await page.evaluate(async ([id, wiring]) => {
      const { Brush } = await import("/shader.js");
      const query = new URLSearchParams({ id, wiring });
      const network = await (await fetch(`/api/network?${query}`)).json();
      const brush = await Brush.of(network);
      if (!brush) return { id, share: 0, worst: "not drawn" };
      const canvas = Object.assign(document.createElement("canvas"), { width: 128, height: 128 });
      brush.draw([{ canvas, unit: -1, frame: [-1, -1, 2, 2] }]);
      brush.drop();
      const right = new Uint8Array(await (await fetch(`/api/picture?${query}&size=128&raw=1`)).arrayBuffer());
      const { data } = canvas.getContext("2d").getImageData(0, 0, 128, 128);
      let [within, worst] = [0, 0];
      for (let p = 0; p < data.length; p += 4) {
        const off = Math.max(...[0, 1, 2].map((k) => Math.abs(data[p + k] - right[p + k])));
        within += off <= 2;
        worst = Math.max(worst, off);
      }
      return { id, share: within / 128 / 128, worst };
    }, [id, wiring]));
  }
  const used = new Set();
  for (const [id] of random) {
    const network = await page.evaluate(async (id) => (await fetch(`/api/network?id=${encodeURIComponent(id)}&wiring=graph`)).json(), id);
    network.units.slice(4).forEach((unit) => used.add(unit.activation));
  }
  expect(used.size >= 7, `the random genomes use all activations: ${[...used]}`);
  await close(page);
  const wrong = found.filter((f) => f.share < 0.999);
  expect(wrong.length === 0, `pixels off by more than 2/255: ${wrong.map((f) => `${f.id} ${(100 * f.share).toFixed(2)} % (worst ${f.worst})`).join(", ")}`);
  const least = found.reduce((a, b) => (a.share < b.share ? a : b));
  return [`${found.length} networks (${own.length} own, ${random.length} random, ${layered.length} layered) at 128²: at least ${(100 * least.share).toFixed(3)} % of pixels within 2/255 (least: ${least.id}), worst pixel off by ${Math.max(...found.map((f) => f.worst))}`];
}

export async function speed(studio) {
  const said = [];
  const page = await open(studio.address);
  for (const [id, wiring] of [[skull, "graph"], ["runs/dense", "graph"], ["runs/large", "graph"]]) {
    await go(page, `#/look/${id}?link=20${wiring === "graph" ? "" : `&wiring=${wiring}`}`.replace("link=20", id === skull ? "link=7" : "link=20"));
    await page.waitForSelector("main[data-by]", { timeout: 120_000 });
    await sharp(page);
    const { frames, seconds, least, links, by } = await page.evaluate(() => new Promise((done) => {
      const [canvas, slider] = [document.querySelector("canvas.picture"), document.querySelector(".slider input[type=range]")];
      const [low, high] = [Number(slider.min), Number(slider.max)];
      const start = performance.now();
      const from = Number(canvas.dataset.drawn);
      let least = canvas.width;
      const step = (now) => {
        slider.value = low + (high - low) * (0.5 + 0.5 * Math.sin((now - start) / 300));
        slider.dispatchEvent(new Event("input"));
        least = Math.min(least, canvas.width);
        // Four seconds, and longer where frames are few.
        const few = Number(canvas.dataset.drawn) - from < 3;
        if (now - start < (few ? 20_000 : 4000)) requestAnimationFrame(step);
        else done({ frames: Number(canvas.dataset.drawn) - from, seconds: (now - start) / 1000, least,
          links: document.querySelector("header .lead").textContent, by: document.querySelector("main").dataset.by });
      };
      requestAnimationFrame(step);
    }));
    expect(frames > 0, `${id} draws while its slider moves`);
    said.push(`slider on ${id} (${links}): ${(frames / seconds).toFixed(1)} frames a second, at least ${least}² pixels, drawn by ${by}`);
  }
  const name = await page.evaluate(async () => (await import("/shader.js")).rendererName());
  await close(page);
  return [...said, `WebGL is ${name}`];
}

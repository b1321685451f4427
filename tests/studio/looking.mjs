// Looking inside: sliders move pixels as the library says, WebGL draws what the library draws, and how fast.
import { readdirSync } from "node:fs";
import path from "node:path";
import { addressed, close, expect, go, open, root, settled } from "./studio.mjs";

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

/** The share of pixels of all maps on the page within 2/255 of the library's. */
function mapsWithin(page, set, frame) {
  return page.evaluate(async ([id, set, frame]) => {
    const query = new URLSearchParams({ id, wiring: "graph", size: 64, ...(set ? { set } : {}), frame, raw: 1 });
    const answer = await fetch(`/api/maps?${query}`);
    const [right, wide] = [new Uint8Array(await answer.arrayBuffer()), 64 * Number(answer.headers.get("x-columns"))];
    let [within, all] = [0, 0];
    for (const element of document.querySelectorAll("[data-unit]")) {
      const { data } = element.querySelector("canvas").getContext("2d").getImageData(0, 0, 64, 64);
      const unit = Number(element.dataset.unit);
      const [left, top] = [64 * (unit % (wide / 64)), 64 * Math.floor(unit / (wide / 64))];
      for (let p = 0; p < 64 * 64; p++) {
        const q = (top + Math.floor(p / 64)) * wide + left + (p % 64);
        within += [0, 1, 2].every((k) => Math.abs(data[4 * p + k] - right[4 * q + k]) <= 2);
        all += 1;
      }
    }
    return within / all;
  }, [skull, set, frame]);
}

const sharp = (page) => page.waitForSelector("canvas.picture[data-settled]", { timeout: 60_000 });

/** Lets the processor that plays graphics card pass for one: else the server draws. */
function card() {
  const real = WebGL2RenderingContext.prototype.getParameter;
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    return name === 0x9246 ? "a card" : real.call(this, name);
  };
}

/** A network with factors: a slider a factor moves the picture as the library says, and the address remembers. */
async function factors(studio) {
  const id = "genomes/family.json";
  const page = await open(`${studio.address}#/look/${id}`, { init: card });
  await page.waitForSelector("main[data-by=WebGL]", { timeout: 60_000 });
  await sharp(page);
  const sliders = page.locator("[data-factor]");
  expect((await sliders.count()) === 2, "a slider a factor");
  const before = await page.evaluate(() => document.querySelector("canvas.picture").toDataURL());
  await sliders.first().focus();
  await page.keyboard.press("End");
  await page.waitForTimeout(1200);
  await sharp(page);
  await addressed(page, /at=1,0/, "the address has the factors");
  const drawn = () => page.evaluate(async (id) => {
    const canvas = document.querySelector("canvas.picture");
    const right = new Uint8Array(await (await fetch(`/api/picture?id=${id}&size=${canvas.width}&at=1,0&raw=1`)).arrayBuffer());
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.width);
    let within = 0;
    for (let p = 0; p < data.length; p += 4) within += [0, 1, 2].every((k) => Math.abs(data[p + k] - right[p + k]) <= 2);
    return { share: within / (data.length / 4), url: canvas.toDataURL() };
  }, id);
  const after = await drawn();
  expect(after.share >= 0.999 && after.url !== before, `${after.share} of the pixels are the library's where z1 is 1`);
  await page.reload();
  await settled(page);
  await sharp(page);
  expect((await drawn()).share >= 0.999, "a reload shows the same condition");
  await close(page);
}

export async function looking(studio) {
  await factors(studio);
  const page = await open(`${studio.address}#/look/${skull}`, { init: card });
  await page.waitForSelector("main[data-by=WebGL]", { timeout: 60_000 });
  await sharp(page);
  const base = await compared(page, skull, "graph");
  expect(base.share >= 0.999, `${base.share} of the picture's pixels are the library's`);
  // By hand: a link, its slider, its address.
  await page.click(".link[data-link='7']", { force: true });
  const slider = page.locator(".slider input[type=range]");
  await slider.focus();
  for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(1200);
  await sharp(page);
  const value = await slider.evaluate((input) => Number(input.value));
  const moved = await compared(page, skull, "graph", `7:${value}`);
  expect(moved.share >= 0.999, `${moved.share} of the moved picture's pixels are the library's`);
  const unmoved = await compared(page, skull, "graph");
  expect(unmoved.share < 0.99, "the slider changes the picture");
  await addressed(page, /link=7.*set=7:/, "the address names the link and its weight");
  await page.reload();
  await settled(page);
  await sharp(page);
  expect((await compared(page, skull, "graph", `7:${value}`)).share >= 0.999, "a reload shows the moved picture");
  // A film that the browser makes can be stopped; another one is saved.
  const film = async (seconds) => {
    await page.click("button:text('Film …')");
    await page.selectOption("dialog [name=format]", "here");
    await page.fill("dialog [name=size]", "64");
    await page.fill("dialog [name=seconds]", seconds);
    await page.click("dialog .main");
  };
  await film("20");
  await page.click("button:text('Stop filming')", { timeout: 60_000 });
  await page.waitForFunction(() => document.body.textContent.includes("The film was stopped: nothing was saved."), null, { timeout: 60_000 });
  const [saved] = await Promise.all([page.waitForEvent("download", { timeout: 60_000 }), film("0.5")]);
  expect(saved.suggestedFilename().endsWith(".webm"), `a film is saved, found ${saved.suggestedFilename()}`);
  // By keys alone: into the wiring, to the next link, hold of it.
  await page.focus(".links .link[tabindex='0']");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await addressed(page, /link=(?!7(&|$))/, "another link is taken by keys");
  // Nearer, by keys, and what is nearer is the library's picture of that frame.
  await page.focus("canvas.picture");
  for (const key of ["+", "+", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
  await page.waitForTimeout(1200);
  const zoomed = await addressed(page, /view=/, "the address names the frame");
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
  expect(await mapsWithin(page, zoomed.get("set"), frame) >= 0.999, "every map is of that frame too");
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
  await without.focus("canvas.picture");
  for (const key of ["+", "ArrowLeft"]) await without.keyboard.press(key);
  await without.waitForTimeout(1200);
  await sharp(without);
  const [left, top, nearer] = (await addressed(without, /view=/, "the address names the frame without WebGL too")).get("view").split(",").map(Number);
  const there = [left - 1 / nearer, top - 1 / nearer, 2 / nearer, 2 / nearer].join(",");
  expect(await mapsWithin(without, `7:${value}`, there) >= 0.999, "and so are its maps, of the frame that the picture shows");
  await plain.close();
  await close(page);
  return [`bred_skull: ${(100 * base.share).toFixed(2)} % of pixels within 2/255 of the library's, with a moved weight ${(100 * moved.share).toFixed(2)} %`];
}

/** A network of thousands of links: all are drawn, and each can be taken hold of, from a list or by a click near it. */
export async function many(studio) {
  const page = await open(`${studio.address}#/look/runs/large`);
  await page.waitForSelector("main[data-by]", { timeout: 120_000 });
  await sharp(page);
  const drawn = await page.evaluate(() => {
    const canvas = document.querySelector("canvas.links");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let some = 0;
    for (let p = 3; p < data.length; p += 4) some += data[p] > 0;
    return some / canvas.width / canvas.height;
  });
  expect(drawn > 0.2, `${drawn} of the canvas has lines`);
  const list = page.locator(".inside select >> nth=0");
  const options = await list.locator("option").count();
  expect(options === 5479, `the list has every link: ${options - 1}`);
  const last = await list.locator("option").last().getAttribute("value");
  await list.selectOption(last);
  await page.waitForSelector(".slider h2");
  expect((await page.textContent(".slider .note")).includes(`Link ${last},`), "the weakest is taken from the list");
  // Halfway between the middles of two units.
  const [x, y] = await page.evaluate(() => {
    document.querySelector(".wiring").scrollIntoView();
    const [a, b] = [...document.querySelectorAll("[data-unit]")].map((u) => u.getBoundingClientRect()).filter((box, i, all) => i === 0 || box.left > all[0].left + 40);
    return [(a.left + a.right + b.left + b.right) / 4, (a.top + a.bottom + b.top + b.bottom) / 4];
  });
  await page.mouse.move(x, y);
  const said = await page.textContent(".hover b");
  await page.mouse.click(x, y);
  await page.waitForFunction((name) => document.querySelector(".slider h2").textContent === name, said);
  expect(/→/.test(said), `what is clicked near a line is a link: ${said}`);
  await close(page);
  return [`${options - 1} links are drawn; the weakest was taken from the list, ${said} by a click near it`];
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
        if (now - start < (few ? 60_000 : 4000)) requestAnimationFrame(step);
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

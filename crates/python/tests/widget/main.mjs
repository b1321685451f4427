// Runs a notebook with two widgets: one looks inside a genome, one watches a network learn.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const { chromium } = createRequire(`${process.env.WORK}/`)("playwright-core");
const lab = process.argv[2];
const shots = process.argv[3] === "--shots" ? process.argv[4] : null;

// The server takes a while to listen.
for (let tries = 0; ; tries++) {
  const there = await fetch(`${lab}/api`).then((answer) => answer.ok, () => false);
  if (there) break;
  if (tries > 240) throw new Error("JupyterLab did not begin within two minutes");
  await new Promise((done) => setTimeout(done, 500));
}
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
try {
  await page.goto(`${lab}/lab/tree/widget.ipynb?reset`);
  await page.waitForSelector(".jp-Notebook .jp-Cell", { timeout: 120_000 });
  // Once the kernel is there.
  await page.waitForFunction(() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.connectionStatus === "connected", null, { timeout: 120_000 });
  const ran = await page.evaluate(async () => {
    await window.jupyterapp.shell.currentWidget.sessionContext.ready;
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
    return [...document.querySelectorAll(".jp-OutputArea-output[data-mime-type*=stderr]")].map((one) => one.textContent).join("\n");
  });
  if (ran) throw new Error(`expected cells that run, found ${ran}`);
  const frames = async () => page.frames().filter((frame) => frame.url().startsWith("blob:"));
  await page.waitForFunction(() => document.querySelectorAll("iframe[title=Picloom]").length === 2, undefined, { timeout: 60_000 });
  for (let tries = 0; (await frames()).length < 2 && tries < 100; tries++) await page.waitForTimeout(200);
  const [look, train] = ["#/look/", "#/train/"].map((hash) => page.frames().find((frame) => frame.url().includes(hash)));
  await look.waitForSelector("main[data-by]", { timeout: 120_000 });
  await look.waitForFunction((canvas = document.querySelector("canvas.picture")) => new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size > 20, undefined, { timeout: 60_000 });
  const title = await look.textContent("h1");
  if (!title) throw new Error("expected the name of the network, found none");
  await train.waitForFunction(() => Number(document.querySelector("canvas[data-step]")?.dataset.step) > 50, null, { timeout: 120_000 });
  if (shots) {
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: path.join(shots, "jupyterlab.png") });
  }
  console.log("a notebook's widgets look inside and learn");
} catch (error) {
  if (shots) await page.screenshot({ path: path.join(shots, "jupyterlab-failed.png") });
  throw error;
} finally {
  await browser.close();
}

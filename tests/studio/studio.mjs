// What the parts share: the program under test, a browser, and what no page may ever do.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import path from "node:path";

const { PICLOOM, WORK } = process.env;
const require = createRequire(`${WORK}/`);
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const FLAGS = ["--no-sandbox", "--disable-background-networking", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export const repository = fileURLToPath(new URL("../..", import.meta.url));
export const root = path.join(WORK, "root");

/** Fails with what was expected. */
export function expect(holds, message) {
  if (!holds) throw new Error(message);
}

/** Runs the program in the studio's folder. */
export function picloom(...words) {
  mkdirSync(root, { recursive: true });
  return execFileSync(PICLOOM, [...words, "--quiet"], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** A server of the studio's folder: {address, stop(signal)}. */
export async function serve(port = 4600) {
  const child = spawn(PICLOOM, ["studio", ".", "--port", String(port), "--json", "--quiet"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const address = await new Promise((done, failed) => {
    child.stdout.on("data", (data) => {
      said += data;
      try {
        done(JSON.parse(said).address);
      } catch {
        // Not whole yet.
      }
    });
    child.on("exit", (code) => failed(new Error(`the studio ended with ${code} before it said its address: ${said}`)));
  });
  // Whatever becomes of the test, no server is left behind.
  process.on("exit", () => child.kill());
  const ended = new Promise((done) => child.on("exit", (code, signal) => done(code ?? signal)));
  return { address, stop: (signal = "SIGTERM") => (child.kill(signal), ended) };
}

let browser;

/** A page of its own on which any error, any broken rule of the policy and any request to elsewhere is a failure. `init` runs in it before its own scripts. */
export async function open(address, { width = 1280, height = 900, scheme = "light", motion = "reduce", init } = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: motion, acceptDownloads: true });
  const page = await context.newPage();
  page.faults = [];
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("dialog", (dialog) => {
    page.faults.push(`a dialog said ${dialog.message()}`);
    dialog.dismiss();
  });
  const here = new URL(address).origin;
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && new URL(url).origin !== here) page.faults.push(`asked for ${url}`);
  });
  if (init) await page.addInitScript(init);
  await page.goto(address);
  await settled(page);
  return page;
}

/** Waits for a page that has been built, and draws no longer. */
export async function settled(page) {
  await page.waitForSelector("main:not([aria-busy]) h1", { timeout: 60_000 });
  await page.waitForFunction(() => document.getElementById("busy").hidden, null, { timeout: 60_000 });
}

/** Goes to another address of the page, and waits until what was shown before is gone: it stays until the new page has its data. */
export async function go(page, hash) {
  await page.evaluate((to) => {
    const before = location.href;
    location.hash = to;
    if (location.href !== before) document.getElementById("main").dataset.left = "";
  }, hash);
  await page.waitForFunction((to) => decodeURIComponent(location.hash).startsWith(decodeURIComponent(to.split("?")[0])), hash);
  await page.waitForSelector("main:not([data-left])", { timeout: 60_000 });
  await settled(page);
}

/** Waits until the address of the page matches, and gives its query: it follows what is shown, a moment later. */
export async function addressed(page, pattern, what) {
  const there = page.waitForFunction(({ source }) => new RegExp(source).test(decodeURIComponent(location.hash)), { source: pattern.source }, { timeout: 60_000 });
  await there.catch(async () => expect(false, `${what}: ${await page.evaluate(() => location.hash)}`));
  return new URLSearchParams((await page.evaluate(() => location.hash)).split("?").at(-1));
}

/** The words that Chromium has for a server that was killed. */
export const KILLED = /net::ERR_(CONNECTION|INCOMPLETE|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE)/;

/** Closes a page; what it did wrong is a failure. `allowed`: faults that the test provoked. */
export async function close(page, ...allowed) {
  const faults = page.faults.filter((fault) => !allowed.some((words) => words.test(fault)));
  await page.context().close();
  expect(faults.length === 0, `faults on the page: ${faults.join("; ")}`);
}

export const closeBrowser = () => browser?.close();

/** Fails where axe finds a serious fault of access. */
export async function accessible(page, name) {
  // Evaluated in the page by the browser itself: the page's policy does not hold it up.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
  const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
  const words = serious.map((v) => `${v.id} (${v.help}): ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" ")}`);
  expect(serious.length === 0, `${name}: ${words.join("; ")}`);
}

/** Pixels of a canvas, as hex: what can be compared. */
export function pixelsOf(page, selector) {
  return page.evaluate((s) => [...document.querySelectorAll(s)].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let hash = 0;
    for (const byte of data) hash = (Math.imul(hash, 31) + byte) | 0;
    return `${canvas.width}:${hash}`;
  }).join(" "), selector);
}

/** Writes a file of the studio's folder. */
export function put(name, text) {
  const to = path.join(root, name);
  mkdirSync(path.dirname(to), { recursive: true });
  writeFileSync(to, text);
}

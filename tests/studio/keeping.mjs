// What a slider finds: measured against the network as it stands, saved, kept, and bred from.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { close, expect, go, open, picloom, root, settled } from "./studio.mjs";

const MOTH = "genomes/bred_moth.json";

/** The effect under each weight of *every weight*, and what the library says: the larger of both ways, against the network as it stands. */
async function effects(page, set) {
  const drawn = (text) => page.waitForFunction((text) => document.querySelector(".sheet [role=status]").textContent.includes(text), text, { timeout: 60_000 });
  await drawn("under each how much");
  // Where a score was kept, the weights are moved as far as it moved them.
  const moved = page.locator(".sheet select").nth(1);
  if (await moved.count()) await moved.selectOption("step");
  await drawn(set ? "from the network as you have moved it" : "Each moved down and up");
  return page.evaluate(async ([id, set]) => {
    const drawn = async (moves) => new Uint8Array(await (await fetch(`/api/picture?${new URLSearchParams({ id, wiring: "graph", size: 64, set: moves, raw: 1 })}`)).arrayBuffer());
    const { links } = await (await fetch(`/api/network?id=${id}&wiring=graph`)).json();
    const moved = new Map(set.split(",").filter(Boolean).map((pair) => pair.split(":").map(Number)));
    const base = await drawn(set);
    const rmse = (p) => {
      let sum = 0;
      for (let i = 0; i < p.length; i++) if (i % 4 < 3) sum += (p[i] - base[i]) ** 2;
      return Math.sqrt(sum / (0.75 * p.length)) / 255;
    };
    return Promise.all([...document.querySelectorAll(".moved li")].map(async (tile) => {
      const i = Number(tile.dataset.link);
      const at = moved.get(i) ?? links[i].weight;
      const both = await Promise.all([-0.5, 0.5].map(async (by) => rmse(await drawn([...new Map([...moved, [i, at + by]])].map((m) => m.join(":")).join(",")))));
      return { i, said: Number(tile.querySelector("small").textContent), right: Math.max(...both) };
    }));
  }, [MOTH, set]);
}

export async function keeping(studio) {
  // As it was, and with one weight far away: the tail is silent in both.
  const least = [];
  const page = await open(`${studio.address}#/look/${MOTH}`);
  for (const set of ["", "3:9.5"]) {
    await go(page, `#/look/${MOTH}?link=3${set && `&set=${set}`}`);
    const found = await effects(page, set);
    expect(found.length === 22, `every weight: ${found.length}`);
    const wrong = found.filter(({ said, right }) => Math.abs(said - right) > 0.03);
    expect(wrong.length === 0, `each is compared with the network as it stands: ${JSON.stringify(wrong)}`);
    least.push(Math.min(...found.map(({ said }) => said)));
  }
  expect(Math.max(...least) < 0.05, `the least effect stays small: ${least}`);
  // A weight moved since: the sheet says so, and draws anew when asked.
  const again = page.locator(".sheet button:has-text('Draw again')");
  expect(!(await again.isVisible()), "the sheet is of the network as it stands");
  await page.fill(".slider input[type=number]", "1.75");
  await page.press(".slider input[type=number]", "Enter");
  await again.waitFor();
  await again.click();
  await page.waitForFunction(() => document.querySelector(".sheet button[hidden]"), null, { timeout: 60_000 });
  expect((await effects(page, "3:1.75")).every(({ said, right }) => Math.abs(said - right) <= 0.03), "and then it is drawn from there");

  // As large as the window, with the moved weight.
  await page.click("button:text('Large')");
  await page.waitForFunction(() => document.querySelector("dialog.large img").naturalWidth === 1024, null, { timeout: 60_000 });
  expect(/set=3%3A1.75/.test(await page.getAttribute("dialog.large img", "src")), "the large picture has the moved weight");
  await page.click("dialog.large button:text('Close')");
  // Saved: the genome has the weight.
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("header a:text('Genome')")]);
  const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
  expect(saved.connections.some((c) => c.weight === 1.75), "the saved genome has the moved weight");
  // Kept, and shown as a genome of one's own that draws the same.
  await page.click("text=Keep …");
  await page.fill("dialog [name=name]", "open wings");
  await page.click("dialog .main");
  await page.waitForFunction(() => decodeURIComponent(location.hash).startsWith("#/look/genomes/open_wings"), null, { timeout: 60_000 });
  await settled(page);
  expect(existsSync(path.join(root, "genomes/open_wings.json")), "it is a file");
  const alike = await page.evaluate(async (moth) => {
    const drawn = async (query) => new Uint8Array(await (await fetch(`/api/picture?${new URLSearchParams({ wiring: "graph", size: 64, raw: 1, ...query })}`)).arrayBuffer());
    const [kept, moved] = await Promise.all([drawn({ id: "genomes/open_wings.json" }), drawn({ id: moth, set: "3:1.75" })]);
    return kept.every((byte, i) => byte === moved[i]);
  }, MOTH);
  expect(alike, "and draws what the slider had found");
  // Bred from.
  await go(page, `#/look/${MOTH}?set=3:1.75&link=3`);
  await page.click("text=Breed from it");
  expect(/with its moved weights/.test(await page.textContent("dialog h2")), "the dialog says what is bred from");
  await page.fill("dialog [name=name]", "from moved");
  await page.click("dialog .main");
  await page.waitForSelector(".brood button");
  const parent = await page.evaluate(async () => (await fetch("/api/sessions/from_moved/genome?node=0&place=0")).json());
  expect(parent.connections.some((c) => c.weight === 1.75), "the parent on the sheet has the moved weight");
  // In layers there is no genome, and the page says so.
  await go(page, `#/look/${MOTH}?wiring=layerized`);
  expect(await page.locator("text=Breed from it").count() === 0, "nothing is offered that would drop the move");
  expect(/no genome holds these weights/.test(await page.textContent("header")), "and the page says why");
  await close(page);
  return [`least effects of every weight: ${least.map((e) => e.toFixed(2)).join(" as it was, ")} with a weight moved`];
}

/** What is one's own comes first, a search is one entry that opens, what comes with the program is last. */
export async function library(studio) {
  picloom("evolve", "--search", "novelty", "--generations", "2", "--size", "16", "--out", "found");
  const page = await open(`${studio.address}#/pictures`);
  const titles = await page.locator("main h2").allTextContents();
  expect(titles.at(-1) === "Come with Picloom", `what comes with the program is last: ${titles}`);
  const own = await page.locator("section:has(h2:text-is('Genomes')) .tile b").allTextContents();
  // Other parts have kept children of some of them.
  expect(!own.some((name) => /^(elite|novelty|target)_/.test(name)), `and is nobody's own: ${own}`);
  const builtin = await page.locator("section:has(h2:text-is('Come with Picloom')) .tile").count();
  expect(builtin >= 25, `${builtin} come with it`);
  const folded = page.locator("section:has(h2:text-is('Searches')) .folded");
  expect(await folded.count() === 1 && await folded.locator(".tile").count() === 0, "a search is one entry");
  await folded.locator("summary").click();
  await folded.locator(".tile").first().waitFor();
  const results = await folded.locator(".tile").count();
  expect((await folded.locator("summary").textContent()).includes(`${results} genomes`), `which opens to its ${results} genomes`);
  await close(page);
  return [`${own.length} of one's own, a search of ${results} in one entry, ${builtin} that come with the program`];
}

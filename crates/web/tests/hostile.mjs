// Links of people who mean no good, and broken ones: each is refused in words, and the page goes on.
import { deflateRawSync } from "node:zlib";
import { readFileSync } from "node:fs";
import path from "node:path";
import { close, expect, go, open, repository, settled } from "../../../tests/studio/studio.mjs";

const link = (text) => `~${deflateRawSync(Buffer.from(text)).toString("base64url")}`;
const moth = readFileSync(path.join(repository, "genomes/bred_moth.json"), "utf8");
const changed = (change) => {
  const genome = JSON.parse(moth);
  change(genome);
  return JSON.stringify(genome);
};
const script = "<img src=x onerror=alert(1)><script>alert(2)</script>";

export async function hostile(site) {
  const node = JSON.parse(moth).nodes.at(-1);
  const million = changed((g) => (g.nodes = Array.from({ length: 1e6 }, (_, i) => ({ ...node, id: 100 + i }))));
  const several = changed((g) => (g.nodes = [...g.nodes, ...Array.from({ length: 6000 }, (_, i) => ({ id: 100 + i }))]));
  const trained = { format: "picloom-network/1", name: "x", arch: "1;cache:1", coords: "fer", size: 64, r2: 1, weights: "" };
  const session = { format: "picloom-web-session/1", name: "x", session: { format: "picloom-session/1", seed: 1, config: { reproduction: { population: 1000000 } } }, ancestors: [] };
  const cases = {
    "40 kB": ["look", `~${"A".repeat(40_000)}`, /carries 40000 letters; at most 8192/],
    "broken base64": ["look", "~AAA*%25$", /damaged: expected letters/],
    "letters that are not compressed": ["look", "~AAAA", /damaged|cannot be opened/],
    "cut off": ["look", link(moth).slice(0, 300), /damaged/],
    "a number that is none": ["look", link(moth.replace(/"weight":\s*[-0-9.e]+/, '"weight":NaN')), /cannot be opened: expected a picloom-genome/],
    "a weight beyond all numbers": ["look", link(moth.replace(/"weight":\s*[-0-9.e]+/, '"weight":1e999')), /cannot be opened/],
    "a million nodes": ["look", link(million), /unfolds to more than 1 MB|carries \d+ letters/],
    "thousands of nodes": ["look", link(several), /cannot be opened|carries \d+ letters/],
    "a circle": ["look", link(changed((g) => g.connections.push({ ...g.connections[0], innovation: 9999, source: g.connections[0].target, target: g.connections[0].source }))), /cannot be opened/],
    "weights that are NaN": ["look", link(JSON.stringify({ ...trained, weights: "7fc00000".repeat(10) })), /cannot be opened: weights: expected/],
    "a network too large": ["train", link(JSON.stringify({ ...trained, arch: "20;cache:80" })), /cannot be opened: expected a network of at most/],
    "a session of a million pictures": ["breed", link(JSON.stringify(session)), /cannot be opened/],
    "a genome as a session": ["breed", link(moth), /carries a network, not a session/],
    "another page": ["constructor", "x", /no page called/],
    "an id of nothing": ["look", "held/9", /does not have it any more/],
  };
  const page = await open(site.address);
  for (const [name, [to, id, words]] of Object.entries(cases)) {
    await page.evaluate((hash) => (location.hash = hash), `#/${to}/${id}`);
    await page.waitForFunction(() => document.querySelector("main:not([aria-busy]) h1")?.textContent === "This cannot be shown", null, { timeout: 60_000 })
      .catch(() => expect(false, `${name}: expected to be refused`));
    const said = await page.textContent("main .lead");
    expect(words.test(said), `${name}: expected ${words}, found ${said.slice(0, 300)}`);
    await page.evaluate(() => (location.hash = "#/pictures"));
    await page.waitForSelector("main.pictures .tile", { timeout: 60_000 });
  }
  // Script in names is text.
  const named = changed((g) => {
    g.provenance.name = script;
    g.provenance.made_by = script;
    g.provenance.notes = { [script]: script, tags: script };
  });
  await go(page, `#/look/${link(named)}`);
  // As the text that it is.
  await page.waitForFunction(() => document.querySelector("main h1").textContent.includes("<script>"), null, { timeout: 60_000 });
  await settled(page);
  expect((await page.locator("main img, main script").count()) === 0, "no element comes from a name");
  await close(page, /^Failed to load resource/);
  return [`${Object.keys(cases).length} hostile links refused`];
}

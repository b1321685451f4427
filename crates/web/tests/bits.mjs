// The engine's pixels are the library's: to the bit where a multiply-add rounds once, else within 2 of 255. And how long they take.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { close, expect, open, picloom, repository, root } from "../../../tests/studio/studio.mjs";

const GENOMES = ["bred_moth", "bred_skull", "elite_ember", "target_apple"];
const SIZE = 96;

const plain = `data:text/javascript,${encodeURIComponent(readFileSync(path.join(repository, "src/site/page/plain.js"), "utf8"))}`;

/** In the page: an engine of its own, with relaxed vectors or without, asked in order. */
const engine = `async (isPlain) => {
  const worker = new Worker("worker.js");
  let n = 0;
  const send = (message) => new Promise((done, failed) => {
    const mine = ++n;
    worker.addEventListener("message", ({ data }) => data.n === mine && (data.error ? failed(new Error(data.error)) : done(data)));
    worker.postMessage({ n: mine, ...message });
  });
  let wasm = new Uint8Array(await (await fetch("picloom.wasm")).arrayBuffer());
  if (isPlain) wasm = (await import(${JSON.stringify(plain)})).withoutRelaxed(wasm);
  const module = await WebAssembly.compile(wasm);
  const { json } = await send({ module });
  return { fuses: json.fuses, ask: (ask, more) => send({ question: { ask, ...more } }) };
}`;

/** Milliseconds of a training step of the last case of `picloom bench step`, on one native thread, without AVX-512 where there is AVX2: {ms, isa}. */
export function nativeStep(...words) {
  const timed = (...isa) => JSON.parse(execFileSync(process.env.PICLOOM, ["bench", "step", "--size", "64", "--threads", "1", "--json", ...words, ...isa], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  let found;
  try {
    found = timed("--isa", "avx2");
  } catch {
    found = timed(); // A processor of another kind.
  }
  return { ms: found.timings.at(-1).median_ms, isa: found.isa };
}

/** A network as a link carries it, of the layers that METHODS and the benchmarks time: 12 × 22 units, 5478 links. */
function reference() {
  picloom("train", "--arch", "12;cache:15,gaussian:4,identity:2,sin:1", "--target", "bred_skull", "--size", "64", "--steps", "1", "--out", "reference");
  picloom("studio", "--export", "referenced", "--ids", "reference");
  const networks = readFileSync(path.join(root, "referenced/networks.js"), "utf8");
  return JSON.parse(networks.slice(networks.indexOf("["), networks.lastIndexOf("]") + 1)).find((one) => one.id === "reference").text;
}

export async function bits(site) {
  const page = await open(site.address);
  const said = [];
  for (const isPlain of [false, true]) {
    let worst = 0;
    let fuses;
    for (const name of GENOMES) {
      const file = `${name}.png`;
      picloom("render", "--genome", path.join(repository, `genomes/${name}.json`), "--size", String(SIZE), "--out", file);
      const png = readFileSync(path.join(root, file)).toString("base64");
      const found = await page.evaluate(`(async () => {
        const { fuses, ask } = await (${engine})(${isPlain});
        const { pixels } = await ask("picture", { id: "genomes/${name}.json", size: ${SIZE} });
        const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64,${png}")).blob(), { colorSpaceConversion: "none" });
        const canvas = new OffscreenCanvas(${SIZE}, ${SIZE});
        const on = canvas.getContext("2d");
        on.drawImage(bitmap, 0, 0);
        const { data } = on.getImageData(0, 0, ${SIZE}, ${SIZE});
        return { fuses, off: data.reduce((most, byte, i) => Math.max(most, Math.abs(byte - pixels[i])), 0), size: bitmap.width };
      })()`);
      expect(found.size === SIZE, `${name}: the library drew ${SIZE} pixels`);
      fuses = found.fuses;
      worst = Math.max(worst, found.off);
    }
    const vectors = isPlain ? "plain vectors" : "relaxed vectors";
    expect(!(isPlain && fuses), "without relaxed vectors sums round twice");
    expect(worst <= (fuses ? 0 : 2), `${vectors}: expected pixels ${fuses ? "of the library" : "within 2 of 255"}, found one off by ${worst}`);
    said.push(`${vectors}: ${fuses ? "rounds once" : "rounds twice"}, largest difference ${worst} of 255`);
  }
  const times = await page.evaluate(`(async () => {
    const { ask } = await (${engine})(false);
    const median = async (count, run) => {
      const all = [];
      for (let i = 0; i < count; i++) all.push((await run(i)).took);
      return all.sort((a, b) => a - b)[count >> 1];
    };
    const picture = await median(15, () => ask("picture", { id: "genomes/bred_moth.json", size: 256 }));
    const { json: { job } } = await ask("train", { id: "genomes/bred_moth.json", wiring: "dense", size: 64, seed: 0, lr: 0.003 });
    // Half a hundred steps first, for the browser compiles a loop anew once it is seen to take time.
    await ask("train-step", { job, steps: 50 });
    const twenty = await median(9, () => ask("train-step", { job, steps: 20 }));
    await ask("hold", { id: "~reference", text: ${JSON.stringify(reference())} });
    const { json: large } = await ask("train", { id: "~reference", wiring: "graph", size: 64, seed: 0, lr: 0.003 });
    await ask("train-step", { job: large.job, steps: 20 });
    const ten = await median(9, () => ask("train-step", { job: large.job, steps: 10 }));
    const { json: { session, version } } = await ask("sessions", { seed: 3, from: ["genomes/bred_moth.json"], grid: 15 });
    let seen = version;
    const bred = await median(9, async (i) => {
      const first = await ask(\`sessions/\${session}/goto\`, { version: seen, node: 0 });
      const next = await ask(\`sessions/\${session}/breed\`, { version: first.json.version, at: 0, chosen: [1], slider: 0.5, roll: i, size: 128 });
      seen = next.json.version;
      return next;
    });
    const ranked = (await ask("ranked", { id: "genomes/trained/bred_moth" })).took;
    return { picture, step: twenty / 20, large: ten / 10, bred, ranked };
  })()`);
  said.push(`picture of 256²: ${times.picture.toFixed(1)} ms; a step of the moth's dense twin at 64²: ${times.step.toFixed(2)} ms; sheet of 15 at 128²: ${times.bred.toFixed(0)} ms; 40 weights ranked: ${times.ranked.toFixed(0)} ms`);
  const native = nativeStep("--run", "reference");
  said.push(`dense step of 12 × 22 units at 64²: ${times.large.toFixed(2)} ms, ${native.ms.toFixed(2)} on one native thread (${native.isa}), a ratio of ${(native.ms / times.large).toFixed(2)}`);
  await close(page);
  return said;
}

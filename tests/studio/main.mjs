// Runs the parts one after another, and says what was measured.
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { closeBrowser, picloom, put, repository, root, serve } from "./studio.mjs";
import { genome } from "./genomes.mjs";
import { breeding, clicks, sheets } from "./breeding.mjs";
import { looking, many, pixels, speed } from "./looking.mjs";
import { comparing, working } from "./working.mjs";
import { studying } from "./studying.mjs";
import { opening } from "./opening.mjs";
import { hostile } from "./hostile.mjs";
import { pages } from "./pages.mjs";
import { naming, seeing } from "./seeing.mjs";
import { keeping, library } from "./keeping.mjs";
import { deep, terms } from "./reading.mjs";
import { first, own, scoring, slider, training } from "./visitor.mjs";

const PARTS = { first, slider, training, own, scoring, breeding, clicks, sheets, looking, many, pixels, speed, studying, opening, seeing, naming, comparing, keeping, library, working, deep, terms, hostile, pages };
const option = (name) => process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const only = option("--only")?.split(",") ?? Object.keys(PARTS);

// A folder with own genomes, random ones, a run, its pruned twin, a large network, a study.
mkdirSync(path.join(root, "genomes"), { recursive: true });
for (const file of readdirSync(path.join(repository, "genomes")).filter((name) => name.endsWith(".json"))) {
  cpSync(path.join(repository, "genomes", file), path.join(root, "genomes", file));
}
for (let seed = 1; seed <= 20; seed++) put(`random/${seed}.json`, genome(seed));
picloom("genome", "compose", "face", "--seed", "1", "--conditional", "--out", path.join(root, "genomes/family.json"));
cpSync(path.join(repository, "genomes/sessions/moth.toml"), path.join(root, "genomes/sessions/moth.toml"));
const skull = "genomes/bred_skull.json";
picloom("train", "--genome", skull, "--wiring", "dense", "--target", skull, "--size", "48", "--steps", "600", "--out", "runs/dense");
picloom("prune", "runs/dense", "--method", "sp:weighted=false", "--threshold", "0.3", "--steps", "300", "--out", "runs/pruned");
// 4 · 22 + 11 · 22² + 22 · 3 = 5478 links.
picloom("train", "--arch", "12;cache:8,cos:3,gaussian:5,identity:3,sin:3", "--target", skull, "--size", "32", "--steps", "2", "--out", "runs/large");
for (const study of ["wirings", "regime"]) picloom("experiment", "run", path.join(repository, `experiments/${study}.toml`), "--profile", "smoke", "--store", "study");

let failed = 0;
let server = await serve();
const studio = {
  get address() {
    return server.address;
  },
  /** Kills the server without warning and starts another on the same port. */
  async restart() {
    const { port } = new URL(server.address);
    await server.stop("SIGKILL");
    server = await serve(Number(port));
  },
  shots: option("--shots"),
};
for (const [name, part] of Object.entries(PARTS)) {
  if (!only.includes(name)) continue;
  const start = performance.now();
  try {
    const said = await part(studio);
    console.log(`ok    ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    for (const line of said ?? []) console.log(`      ${line}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}
await closeBrowser();
const code = await server.stop("SIGTERM");
if (code !== 0 && code !== 130) {
  failed += 1;
  console.log(`FAILED the studio ended with ${code} when it was asked to`);
}
console.log(failed ? `${failed} of ${only.length} parts failed` : `all ${only.length} parts of the studio hold`);
process.exit(failed ? 1 : 0);

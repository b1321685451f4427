// Serves the site, runs the parts one after another, and says what was measured.
import { closeBrowser } from "../../../tests/studio/studio.mjs";
import { bits } from "./bits.mjs";
import { firefox } from "./firefox.mjs";
import { first, own, scoring, slider, training } from "../../../tests/studio/visitor.mjs";
import { pace, walk } from "./walk.mjs";
import { hostile } from "./hostile.mjs";
import { serve } from "./server.mjs";
import { shared } from "./shared.mjs";
import { pages, disk } from "./pages.mjs";

const PARTS = { first, slider, bits, walk, training, pace, own, scoring, hostile, disk, shared, firefox, pages };
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const only = option("--only")?.split(",") ?? Object.keys(PARTS);

const server = await serve(process.env.SITE);
const site = { address: server.address, folder: process.env.SITE, shots: option("--shots") };

let failed = 0;
for (const [name, part] of Object.entries(PARTS)) {
  if (!only.includes(name)) continue;
  const start = performance.now();
  try {
    const said = await part(site);
    console.log(`ok    ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    for (const line of said ?? []) console.log(`      ${line}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}
await closeBrowser();
server.close();
console.log(failed ? `${failed} of ${only.length} parts failed` : `all ${only.length} parts of the site hold`);
process.exit(failed ? 1 : 0);

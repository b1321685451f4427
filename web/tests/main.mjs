// Serves the site, runs the parts one after another, and says what was measured.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { closeBrowser } from "../../tests/studio/studio.mjs";
import { bits } from "./bits.mjs";
import { first } from "./first.mjs";
import { files, scoring, training, walk } from "./walk.mjs";
import { hostile } from "./hostile.mjs";
import { pages, disk } from "./pages.mjs";

const PARTS = { first, bits, walk, training, files, scoring, hostile, disk, pages };
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const only = option("--only")?.split(",") ?? Object.keys(PARTS);
const KINDS = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm" };

// A plain file server, without a header that a site could lean on.
const server = createServer((request, response) => {
  const file = path.join(process.env.SITE, new URL(request.url, "http://x").pathname.replace(/\/$/, "/index.html"));
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": KINDS[file.split(".").at(-1)] ?? "text/plain" }).end(readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const site = { address: `http://127.0.0.1:${server.address().port}/`, folder: process.env.SITE, shots: option("--shots") };

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

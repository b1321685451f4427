// A plain file server, without a header that a site could lean on.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const KINDS = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm" };

/** Serves a folder: {address, close}. */
export async function serve(folder) {
  const server = createServer((request, response) => {
    const file = path.join(folder, new URL(request.url, "http://x").pathname.replace(/\/$/, "/index.html"));
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": KINDS[file.split(".").at(-1)] ?? "text/plain" }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

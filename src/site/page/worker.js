// The engine in a worker. It is told the compiled module first; then it answers questions in order.
"use strict";

let engine = null;

/** A reader of archives among the engine's dependencies could ask a browser for random numbers. Nothing here does. */
function unused(module) {
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = () => {
      throw new Error(`it asked for ${name}`);
    };
  }
  return imports;
}

/** Writes a request (its address, and in the next line its parameters), asks, and reads the answer: [refused, json, bytes]. */
function answer({ ask, ...parameters }, bytes) {
  const text = new TextEncoder().encode(`${ask}\n${JSON.stringify(parameters)}`);
  const length = text.length + (bytes?.length ?? 0);
  const at = engine.room(length);
  const room = new Uint8Array(engine.memory.buffer, at, length);
  room.set(text);
  if (bytes) room.set(bytes, text.length);
  const refused = engine.ask(text.length);
  const part = (place, size) => new Uint8Array(engine.memory.buffer, place, size);
  const json = JSON.parse(new TextDecoder().decode(part(engine.text_at(), engine.text_length())));
  return [refused, json, part(engine.bytes_at(), engine.bytes_length()).slice()];
}

self.onmessage = async ({ data: { n, module, question, bytes } }) => {
  try {
    if (module) {
      engine = (await WebAssembly.instantiate(module, unused(module))).exports;
      self.postMessage({ n, json: { fuses: engine.fuses() === 1 } });
      return;
    }
    const began = performance.now();
    const [refused, json, pixels] = answer(question, bytes);
    const took = performance.now() - began;
    if (refused) self.postMessage({ n, error: json.error });
    else self.postMessage({ n, json, pixels, took }, [pixels.buffer]);
  } catch (error) {
    // A fault of the engine: it cannot be asked any more.
    engine = null;
    self.postMessage({ n, error: `The engine stopped: ${error.message}. Load the page again; what is in its address comes back.`, fault: true });
  }
};

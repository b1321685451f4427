// The engine for browsers without relaxed vectors: a multiply-add is a product and a sum, which round twice.

const [TYPES, FUNCTIONS, CODE] = [1, 3, 10];
const [BR_TABLE, SELECT, MORE, VECTORS] = [0x0e, 0x1c, 0xfc, 0xfd];
const FIRST_RELAXED = 0x100;
/** What stands for a relaxed instruction; `local` holds what is added meanwhile. */
const PLAIN = {
  // local.set, f32x4.mul, local.get, f32x4.add
  0x105: (local) => [0x21, ...local, VECTORS, 0xe6, 1, 0x20, ...local, VECTORS, 0xe4, 1],
  // The least and the greatest: f32x4.pmin, f32x4.pmax.
  0x10d: () => [VECTORS, 0xea, 1],
  0x10e: () => [VECTORS, 0xeb, 1],
};

/** A number as WebAssembly writes it (LEB128). */
const written = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...written(number >>> 7)]);

/** The same module without relaxed vectors. */
export function withoutRelaxed(wasm) {
  let at = 0;
  const number = () => {
    for (let value = 0, unit = 1; ; unit *= 128) {
      const byte = wasm[at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  const pass = (count) => {
    for (; count; count--) number();
  };
  const skip = (bytes) => (at += bytes);

  /** Passes what follows an instruction. `sub` is the second half of its code, where it has one. */
  function operands(code, sub) {
    const isIn = (first, last) => code >= first && code <= last;
    if (code === VECTORS) {
      if (sub <= 11 || (sub >= 84 && sub <= 93)) pass(2);
      if (sub === 12 || sub === 13) skip(16);
      if ((sub >= 21 && sub <= 34) || (sub >= 84 && sub <= 91)) skip(1);
    } else if (code === MORE) pass([8, 10, 12, 14].includes(sub) ? 2 : sub > 8 ? 1 : 0);
    else if (code === BR_TABLE || code === SELECT) pass(number() + (code === BR_TABLE ? 1 : 0));
    else if (code === 0x11 || isIn(0x28, 0x3e)) pass(2);
    else if (code === 0x43 || code === 0x44) skip(code === 0x43 ? 4 : 8);
    else if (isIn(0x02, 0x04) || isIn(0x0c, 0x0d) || code === 0x10 || isIn(0x20, 0x26) || isIn(0x3f, 0x42) || code === 0xd0 || code === 0xd2) pass(1);
  }

  /** A function's body, from here to `end`, in parts. It gets a local for what is added. */
  function body(end, parameters) {
    const begin = at;
    const groups = number();
    const first = at;
    let added = parameters;
    for (let i = 0; i < groups; i++, skip(1)) added += number();
    const [locals, parts] = [wasm.subarray(first, at), []];
    let taken = at;
    while (at < end) {
      const here = at;
      const code = wasm[at++];
      const sub = code === VECTORS || code === MORE ? number() : 0;
      if (code === VECTORS && sub >= FIRST_RELAXED) {
        if (!PLAIN[sub]) throw new Error(`The engine has an instruction that this browser lacks (${sub}).`);
        parts.push(wasm.subarray(taken, here), PLAIN[sub](written(added)));
        taken = at;
      } else operands(code, sub);
    }
    if (!parts.length) return [wasm.subarray(begin, end)];
    return [written(groups + 1), locals, [1, 0x7b], ...parts, wasm.subarray(taken, end)];
  }

  const sized = (parts) => [written(parts.reduce((sum, part) => sum + part.length, 0)), ...parts];
  const [all, parameters] = [[wasm.subarray(0, skip(8))], []];
  let types = [];
  while (at < wasm.length) {
    const begin = at;
    const section = wasm[at++];
    const size = number();
    const end = at + size;
    if (section === TYPES) {
      for (let left = number(); left; left--) {
        skip(1);
        parameters.push(number());
        pass(parameters.at(-1));
        pass(number());
      }
    } else if (section === FUNCTIONS) types = Array.from({ length: number() }, number);
    if (section !== CODE) all.push(wasm.subarray(begin, end));
    else {
      const count = number();
      const bodies = Array.from({ length: count }, (_, i) => {
        const length = number();
        return sized(body(at + length, parameters[types[i]]));
      });
      all.push([CODE], ...sized([written(count), ...bodies.flat()]));
    }
    at = end;
  }
  const module = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let to = 0;
  for (const part of all) {
    module.set(part, to);
    to += part.length;
  }
  return module;
}

// Random genomes over all activations, to hold the page's pixels to the library's.

const ACTIVATIONS = ["cos", "gaussian", "identity", "relu", "sigmoid", "sin", "tanh"];

/** Numbers in [0, 1) from a seed (mulberry32). */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A genome file with some hidden nodes, each of the next activation in turn. */
export function genome(seed) {
  const draw = random(seed);
  const pick = (n) => Math.floor(draw() * n);
  const activation = (i) => ACTIVATIONS[(seed + i) % ACTIVATIONS.length];
  const inputs = ["x", "y", "d", "bias"].map((input, id) => ({ id, role: { input }, activation: "identity" }));
  const outputs = (seed % 2 ? ["ink"] : ["hue", "saturation", "brightness"]).map((output, i) => ({ id: 4 + i, role: { output }, activation: activation(i) }));
  const hidden = Array.from({ length: 7 + pick(8) }, (_, i) => ({ id: 10 + i, role: "hidden", activation: activation(i + 3) }));
  const connections = [];
  const connect = (source, target) => {
    if (connections.some((c) => c.source === source && c.target === target)) return;
    connections.push({ innovation: connections.length, source, target, weight: 4 * draw() - 2, enabled: true });
  };
  // From earlier to later only: no cycle.
  hidden.forEach(({ id }, i) => {
    for (let k = 0; k < 3; k++) connect(i && draw() < 0.6 ? hidden[pick(i)].id : pick(4), id);
  });
  for (const { id } of outputs) for (const source of [hidden.at(-1).id, hidden[pick(hidden.length)].id, pick(4)]) connect(source, id);
  const lines = (all) => all.map((one) => JSON.stringify(one)).join(",\n");
  const nodes = [...inputs, ...outputs, ...hidden];
  return `{\n"format": "picloom-genome/1",\n"provenance": {"name":"random ${seed}"},\n"nodes": [\n${lines(nodes)}\n],\n"connections": [\n${lines(connections)}\n]\n}\n`;
}

// Pictures of one network, whoever draws them: the graphics card, or the server where it cannot.

import { bytes } from "./api.js";
import { Brush, factorsOf, isSoftware, linksByTarget, sideOf, surface } from "./shader.js";
import { complain, square } from "./dom.js";

/** The library's own picture: from −1 to 1 both ways. */
export const FULL = [-1, -1, 2, 2];

// How often each canvas was drawn on: what the server sends late must not cover what is newer.
const turns = new WeakMap();

/** Draws squares `{canvas, unit, frame, set}` of a network whose weights and factors may be moved. */
export class Easel {
  constructor(network, { id, wiring }) {
    Object.assign(this, { network, id, wiring, moved: new Map(), z: [...(network.at ?? factorsOf(network).map(() => 0))], brush: null, into: linksByTarget(network) });
    // Until it is compiled the server draws. A processor that plays graphics card compiles for seconds, and draws slower.
    this.ready = (isSoftware() ? Promise.resolve(null) : Brush.of(network)).then((brush) => {
      for (const [link, value] of this.moved) brush?.set(link, value);
      this.brush = brush;
      return this;
    });
  }

  /** Who draws: "WebGL" or "server". */
  get by() {
    return this.brush ? "WebGL" : "server";
  }

  /** The weight of a link as it is now. */
  weight(link) {
    return this.moved.get(link) ?? this.network.links[link].weight;
  }

  /** Moves a weight; its own value puts it back. */
  move(link, value) {
    if (Math.fround(value) === Math.fround(this.network.links[link].weight)) this.moved.delete(link);
    else this.moved.set(link, value);
    this.brush?.set(link, value);
  }

  /** All weights as they were. */
  reset() {
    for (const link of [...this.moved.keys()]) this.move(link, this.network.links[link].weight);
  }

  /** The units that feel a link. */
  downstream(link) {
    const felt = new Set([this.network.links[link].target]);
    // Units stand in topological order.
    this.into.forEach((links, unit) => {
      if (links.some((i) => felt.has(this.network.links[i].source))) felt.add(unit);
    });
    return felt;
  }

  /** Draws all of `squares`; `unit` and `frame` default to the whole picture. False if nobody could. */
  async draw(squares, signal) {
    const all = squares.map((s) => ({ unit: -1, frame: FULL, turn: (turns.get(s.canvas) ?? 0) + 1, ...s }));
    for (const { canvas, turn } of all) turns.set(canvas, turn);
    if (this.brush) {
      if (this.paint(all)) return true;
      // The card was lost: once more from the start.
      this.brush = await Brush.of(this.network);
      for (const [link, value] of this.moved) this.brush?.set(link, value);
      if (this.brush) return this.paint(all);
    }
    const maps = all.filter((s) => s.unit >= 0);
    const pictures = all.filter((s) => s.unit < 0);
    await Promise.all([maps.length && this.askMaps(maps, signal), ...pictures.map((s) => this.askPicture(s, signal))]);
    return true;
  }

  paint(squares) {
    const plain = squares.filter((s) => !s.set);
    if (plain.length && !this.brush.draw(plain, this.z)) return false;
    for (const one of squares.filter((s) => s.set)) {
      for (const [link, value] of one.set) this.brush.set(link, value);
      const drawn = this.brush.draw([one], this.z);
      for (const [link] of one.set) this.brush.set(link, this.weight(link));
      if (!drawn) return false;
    }
    return true;
  }

  parameters(size, { set, frame }) {
    const moved = [...new Map([...this.moved, ...(set ?? [])])].map(([link, value]) => `${link}:${value}`).join(",");
    return {
      id: this.id, wiring: this.wiring, size, set: moved || undefined, at: this.z.some((v) => v !== 0) ? this.z.join(",") : undefined,
      frame: frame && frame.some((v, i) => v !== FULL[i]) ? frame.join(",") : undefined, raw: 1,
    };
  }

  async askPicture(one, signal) {
    const side = sideOf(one);
    const [pixels] = await bytes("picture", this.parameters(side, one), { signal });
    if (turns.get(one.canvas) !== one.turn) return;
    surface(one.canvas, side).putImageData(new ImageData(pixels, side, side), 0, 0);
  }

  async askMaps(squares, signal) {
    const side = sideOf(squares[0]);
    const [pixels, columns] = await bytes("maps", this.parameters(side, { frame: squares[0].frame }), { header: "x-columns", signal });
    const width = side * Number(columns);
    const atlas = new ImageData(pixels, width, pixels.length / 4 / width);
    for (const { canvas, unit, turn } of squares) {
      if (turns.get(canvas) !== turn) continue;
      const [x, y] = [side * (unit % columns), side * Math.floor(unit / columns)];
      surface(canvas, side).putImageData(atlas, -x, -y, x, y, side, side);
    }
  }

  drop() {
    this.ready.then(() => this.brush?.drop());
  }
}

/** How much two pictures of one size differ: root of the mean squared difference of their colours, 0 to 1. */
export function effect(a, b) {
  const [p, q] = [a, b].map((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data);
  let sum = 0;
  for (let i = 0; i < p.length; i += 4) {
    for (let k = 0; k < 3; k++) sum += (p[i + k] - q[i + k]) ** 2;
  }
  return Math.sqrt(sum / (0.75 * p.length)) / 255;
}

/** A canvas to measure on. */
export function scratch(side) {
  const canvas = square(side);
  canvas.getContext("2d", { willReadFrequently: true });
  return canvas;
}

/**
 * Redraws while something moves: at most once a frame, coarser where a frame takes too long, and
 * sharp again when it rests. `paint(fine)` draws, coarsely or finely: `fine` is 1, or less.
 */
export class Live {
  constructor(paint) {
    Object.assign(this, { paint, fine: 0.6, wanted: false, running: false });
  }

  /** Something moved. */
  touch() {
    this.wanted = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.settle(), 180);
    if (!this.running) this.ask();
  }

  ask() {
    this.running = true;
    const asked = performance.now();
    requestAnimationFrame(() => this.frame(asked));
  }

  async frame(asked) {
    this.wanted = false;
    await this.paint(this.fine).catch(complain);
    // A card that has too much to do lets frames wait. Late ones are answered by fewer pixels, early ones by more.
    const took = performance.now() - asked;
    if (took > 30) this.fine = Math.max(0.2, this.fine * Math.max(0.4, Math.sqrt(20 / took)));
    else if (took < 20) this.fine = Math.min(1, this.fine * 1.1);
    if (this.wanted) this.ask();
    else this.running = false;
  }

  settle() {
    if (this.running) this.rest = setTimeout(() => this.settle(), 60);
    else this.paint(1).catch(complain);
  }

  stop() {
    clearTimeout(this.rest);
    this.wanted = false;
  }
}

// A network on the graphics card: one program draws its picture and the map of every unit.
//
// A picture-drawing network is a function of a point, so it is a fragment shader, which the server
// writes (`network/export/glsl.rs`). The weights stand in a uniform block; moving a slider writes one
// float. One hidden canvas draws for all; what it drew is copied to the canvases on the page.

const VERTEX = `#version 300 es
void main() { gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0); }`;

/** The links of each unit, as indices into `network.links`. */
export function linksByTarget(network) {
  const into = network.units.map(() => []);
  network.links.forEach((link, i) => into[link.target].push(i));
  return into;
}

/** Names of a network's factors: the inputs that are the same at every pixel. */
export function factorsOf(network) {
  return network.inputs.filter((name) => /^z\d$/.test(name));
}

let stage; // {canvas, gl} once asked for; null where there is no WebGL2

function theStage() {
  if (stage !== undefined) return stage;
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
  stage = gl && { canvas, gl, parallel: gl.getExtension("KHR_parallel_shader_compile") };
  if (stage) stage.slow = /swiftshader|llvmpipe|software/i.test(rendererName());
  // A lost context (a driver that restarts) is started anew by whoever asks next.
  canvas.addEventListener("webglcontextlost", () => (stage = undefined));
  return stage;
}

/** What draws for WebGL here, as the driver names it; null without WebGL2. */
export function rendererName() {
  const on = theStage();
  if (!on) return null;
  const info = on.gl.getExtension("WEBGL_debug_renderer_info");
  return on.gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : on.gl.RENDERER);
}

/** Pixels along a square that is to be drawn. */
export function sideOf({ canvas, side }) {
  return side ?? canvas.width;
}

/** True where a processor plays graphics card, or there is none. */
export function isSoftware() {
  return theStage()?.slow ?? true;
}

/** What to draw on a canvas with, made this large; one that has the size keeps what is on it. */
export function surface(canvas, side) {
  if (canvas.width !== side || canvas.height !== side) canvas.width = canvas.height = side;
  // A processor that plays graphics card is quicker with canvases in plain memory.
  return canvas.getContext("2d", { willReadFrequently: isSoftware() });
}

/** A network compiled for the graphics card. */
export class Brush {
  /** Compiles without holding up the page; null if this network cannot be drawn here. */
  static async of(network) {
    const on = theStage();
    if (!on || !network.shader) return null;
    const { gl, parallel } = on;
    const block = 16 * Math.ceil(network.links.length / 4);
    if (block > gl.getParameter(gl.MAX_UNIFORM_BLOCK_SIZE)) return null;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, network.shader]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(program);
    while (parallel && !gl.isContextLost() && !gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR)) {
      await new Promise((done) => setTimeout(done, 10));
    }
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      gl.deleteProgram(program);
      return null;
    }
    return new Brush(on, program, network);
  }

  constructor(on, program, network) {
    const { gl } = on;
    Object.assign(this, { on, program });
    this.weights = new Float32Array(4 * Math.max(1, Math.ceil(network.links.length / 4)));
    network.links.forEach((link, i) => (this.weights[i] = link.weight));
    this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.buffer);
    gl.bufferData(gl.UNIFORM_BUFFER, this.weights, gl.DYNAMIC_DRAW);
    gl.uniformBlockBinding(program, gl.getUniformBlockIndex(program, "Weights"), 0);
    this.at = Object.fromEntries(["frame", "place", "unit"].map((name) => [name, gl.getUniformLocation(program, name)]));
    // A factor that no link hears has no place in the program.
    this.factors = factorsOf(network).map((name) => gl.getUniformLocation(program, name));
  }

  /** Moves one weight. */
  set(link, value) {
    const { gl } = this.on;
    this.weights[link] = value;
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.buffer);
    gl.bufferSubData(gl.UNIFORM_BUFFER, 4 * link, this.weights, link, 1);
  }

  /**
   * Draws squares: each `{canvas, side, unit, frame}`, unit −1 for the picture; a canvas without a
   * side keeps its own; `z` has a value a factor, 0 where there is none. False if the graphics card was lost: compile again.
   */
  draw(squares, z = []) {
    const { canvas, gl } = this.on;
    if (gl.isContextLost()) return false;
    // Squares side by side in rows as wide as the widest needs.
    const width = Math.max(1024, ...squares.map(sideOf));
    let [x, y, row] = [0, 0, 0];
    const places = squares.map((square) => {
      const side = sideOf(square);
      if (x + side > width) [x, y, row] = [0, y + row, 0];
      const place = [x, y, side];
      [x, row] = [x + side, Math.max(row, side)];
      return place;
    });
    const height = y + row;
    if (canvas.width < width) canvas.width = width;
    if (canvas.height < height) canvas.height = height;
    gl.useProgram(this.program);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, this.buffer);
    this.factors.forEach((place, k) => place && gl.uniform1f(place, z[k] ?? 0));
    squares.forEach(({ unit, frame }, i) => {
      const [left, top, side] = places[i];
      const bottom = canvas.height - top - side;
      gl.viewport(left, bottom, side, side);
      gl.uniform3f(this.at.place, left, bottom, side);
      gl.uniform4fv(this.at.frame, frame);
      gl.uniform1i(this.at.unit, unit);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    });
    squares.forEach((square, i) => {
      const [left, top, side] = places[i];
      surface(square.canvas, side).drawImage(canvas, left, top, side, side, 0, 0, side, side);
    });
    return true;
  }

  /** Gives the program back. */
  drop() {
    this.on.gl.deleteProgram(this.program);
    this.on.gl.deleteBuffer(this.buffer);
  }
}

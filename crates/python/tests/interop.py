"""Draws what `picloom export` writes with the programs it is written for, and prints the largest differences.

Usage: interop.py PICLOOM. Needs numpy, safetensors, torch, jax, onnxruntime; `dot`, `glslangValidator` and
`chromium` on the path. What is not there fails, unless it is named in `--without`.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import picloom
from picloom.torch import planes

ROOT = Path(__file__).resolve().parents[3]
SIZE = 64
LIMIT = 1e-5
# A shader's sine and exponential are the driver's; WebGL asks no more of them than this.
SHADER_LIMIT = 2e-3


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def networks(program, work):
    """Name, how the command is told of it, and the same network here."""
    for name in ["bred_moth", "mask"]:
        path = ROOT / "genomes" / f"{name}.json"
        genome = picloom.Genome.load(path)
        for wiring in ["graph", "layerized"]:
            yield f"{name}, {wiring}", ["--genome", path, "--wiring", wiring], picloom.Model.from_genome(genome, wiring)
    for wiring in ["graph", "dense"]:
        folder, path = work / f"run-{wiring}", ROOT / "genomes" / "bred_moth.json"
        settings = ["--wiring", wiring, "--target", path, "--size", 32, "--steps", 300, "--out", folder]
        run(program, "train", "--genome", path, *settings, "--quiet")
        yield f"moth, {wiring}, trained", [folder], picloom.Model.load(folder)
    folder, arch = work / "own", "2;abs:2,sin:4,square:2;in:abs(x),square(y),sin(-2.5d),cos(3x),x*d"
    settings = ["--target", ROOT / "genomes" / "bred_moth.json", "--size", 32, "--steps", 300, "--out", folder]
    run(program, "train", "--arch", arch, *settings, "--quiet")
    yield "own inputs, layers", [folder], picloom.Model.load(folder)
    path = work / "own.json"
    genome = picloom.Genome.random(seed=3, start={"inputs": ["y", "abs(x)", "square(d)", "cos(-3y)", "x*d"], "grey": False})
    genome.save(path)
    for wiring in ["graph", "layerized"]:
        yield f"own inputs, {wiring}", ["--genome", path, "--wiring", wiring], picloom.Model.from_genome(genome, wiring)


def drawn_by(xp, weights, network, inputs):
    """The picture in a module of arrays: NumPy's, or JAX's.

    `weights`: matrices (out, in) of a layered network, or one vector of links. `inputs`: (P, 4).
    """
    f = dict(abs=abs, cache=lambda z: z, cos=xp.cos, gaussian=lambda z: 2 * xp.exp(-z * z) - 1, identity=lambda z: z,
             relu=lambda z: xp.maximum(z, 0), sigmoid=lambda z: xp.tanh(z / 2), sin=xp.sin, square=xp.square, tanh=xp.tanh)  # fmt: skip
    units, a = network["units"], planes(network["inputs"], inputs.T, xp)
    if isinstance(weights, list):
        for block, weight in zip(network["blocks"], weights):
            z = xp.stack(a) if isinstance(a, list) else a
            names = [units[u]["activation"] for u in range(*block["targets"].values())]
            a = [f[name](row) for name, row in zip(names, weight @ z)]
        h, s, v = a
    else:
        for unit in units[len(a) :]:
            span = range(unit["links"]["start"], unit["links"]["end"])
            z = sum((weights[k] * a[network["links"][k]["source"]] for k in span), 0 * a[0])
            a.append(f[unit["activation"]](z))
        h, s, v = (0 * a[0] if o is None else a[o] for o in network["outputs"])
    teeth = [xp.clip(abs((6 * h - c + 3) % 6 - 3) - 1, 0, 1) for c in (0, 2, 4)]
    return xp.stack([xp.clip(abs(v), 0, 1) * (1 - xp.clip(s, 0, 1) * t) for t in teeth], -1)


def by_numpy_of_npz(file, model, inputs):
    arrays = np.load(file("npz"))
    if model.arch is None:
        weights = arrays["links"].astype(float)
    else:
        weights = [arrays[f"Dense_{i}.kernel"].T.astype(float) for i in range(len(model.layers))]
    return drawn_by(np, weights, model.network_dict, inputs.astype(float))


def by_numpy_of_safetensors(file, model, inputs):
    from safetensors.numpy import load_file

    arrays = load_file(file("safetensors"))
    if model.arch is None:
        weights = arrays["links"].astype(float)
    else:
        weights = [arrays[f"layers.{i}.weight"].astype(float) for i in range(len(model.layers))]
    return drawn_by(np, weights, model.network_dict, inputs.astype(float))


def by_jax(file, model, inputs):
    import jax

    jax.config.update("jax_platforms", "cpu")
    import jax.numpy as jnp

    if model.arch is None:
        weights = jnp.array(np.load(file("npz"))["links"])
    else:
        params = picloom.to_flax(model)["params"]
        weights = [jnp.array(params[f"Dense_{i}"]["kernel"]).T for i in range(len(params))]
        again = picloom.from_flax(jax.tree.map(np.asarray, params), model.arch)
        assert again.weights.tobytes() == model.weights.tobytes()
    network = model.network_dict
    return np.array(jax.jit(lambda w, x: drawn_by(jnp, w, network, x))(weights, jnp.array(inputs)))


def by_torch(file, model, inputs):
    import torch
    from safetensors.numpy import load_file

    module = picloom.to_torch(model)
    # The names are those of the file, the values too: a state saved by either fits the other.
    for name, array in load_file(file("safetensors")).items():
        assert module.state_dict()[name].tolist() == array.tolist(), name
    assert picloom.from_torch(module).weights.tobytes() == model.weights.tobytes()
    x = torch.tensor(inputs.tolist())
    drawn = module(x)
    # It learns: a step of PyTorch's own lowers the loss, and what it learned comes back.
    target = torch.zeros_like(drawn)
    optimizer = torch.optim.SGD(module.parameters(), lr=1e-4)
    before = ((drawn - target) ** 2).mean()
    before.backward()
    optimizer.step()
    learned = picloom.from_torch(module)
    after = float(((module(x) - target) ** 2).mean())
    back = float((learned.picture(SIZE) ** 2).mean())
    assert after < float(before) and abs(after - back) < 1e-5, (float(before), after, back)
    assert not learned.weights[~learned.mask].any()
    return np.array(drawn.tolist())


def by_onnxruntime(file, model, inputs):
    import onnxruntime

    session = onnxruntime.InferenceSession(file("onnx"), providers=["CPUExecutionProvider"])
    assert session.run(["rgb"], {"xy": inputs[:5, :2]})[0].shape == (5, 3)
    return session.run(["rgb"], {"xy": inputs[:, :2]})[0]


def conditional_by_onnxruntime(program, work, inputs):
    """Networks with factors: one assembled from parts, and one that was trained to draw a family."""
    import onnxruntime

    genome, trained, spec = work / "conditional.json", work / "family", work / "family.toml"
    run(program, "genome", "compose", "face", "--conditional", "--out", genome, "--quiet")
    spec.write_text(FAMILY)
    run(program, "experiment", "run", spec, "--store", trained, "--quiet")
    (folder,) = {config.parent for config in trained.rglob("config.toml")}
    for name, source, model in [
        ("face, assembled", ["--genome", genome], picloom.Model.from_genome(picloom.Genome.load(genome))),
        ("face, trained", [folder], picloom.Model.load(folder)),
    ]:
        path = work / f"{folder.name}-{len(source)}.onnx"
        run(program, "export", *source, "--format", "onnx", "--out", path, "--quiet")
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        for z in [(0.0, 0.0), (-1.0, 0.5), (0.25, 1.0)]:
            factors = np.tile(np.float32(z), (len(inputs), 1))
            (found,) = session.run(["rgb"], {"xy": inputs[:, :2], "z": factors})
            yield f"{name}, z {z}", float(np.abs(found - model.at(z).picture(SIZE).reshape(-1, 3)).max())


FAMILY = """
kind = "networks"
name = "family"
question = "Is it written and read?"
size = 16
steps = 300
seeds = [0]
sample = 4
[[targets]]
name = "face"
family = { name = "face", support = "minimal" }
arch = "3;cache:2,gaussian:3,sin:3"
[[arms]]
name = "dense"
wiring = "dense"
"""


PAGE = """<canvas id=c></canvas><script>
const gl = c.getContext("webgl2"), size = %d;
gl.getExtension("EXT_color_buffer_float");
const shader = (kind, text) => {
  const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s);
  if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw gl.getShaderInfoLog(s); return s;
};
try {
  const p = gl.createProgram();
  gl.attachShader(p, shader(gl.VERTEX_SHADER, `#version 300 es
    void main() { gl_Position = vec4(vec2(gl_VertexID %% 2, gl_VertexID / 2) * 4.0 - 1.0, 0, 1); }`));
  gl.attachShader(p, shader(gl.FRAGMENT_SHADER, %s));
  gl.linkProgram(p); gl.useProgram(p);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  const t = gl.createTexture(); gl.bindTexture(gl.TEXTURE_2D, t);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, size, size);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, t, 0);
  gl.viewport(0, 0, size, size);
  gl.uniform2f(gl.getUniformLocation(p, "size"), size, size);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  const out = new Float32Array(4 * size * size);
  gl.readPixels(0, 0, size, size, gl.RGBA, gl.FLOAT, out);
  document.body.innerHTML = "<pre>" + JSON.stringify(Array.from(out)) + "</pre>";
} catch (e) { document.body.innerHTML = "<pre>failed: " + e + "</pre>"; }
</script>"""


def by_webgl(file, model, inputs):
    path = file("glsl")
    # The compiler that Khronos ships tells stages apart by the name.
    named = path.with_suffix(".frag")
    named.write_text(path.read_text())
    run("glslangValidator", named)
    page = path.with_suffix(".html")
    page.write_text(PAGE % (SIZE, json.dumps(path.read_text())))
    seen = run(
        "chromium", "--headless", "--no-sandbox", "--disable-background-networking", "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader", "--virtual-time-budget=60000", "--dump-dom", f"file://{page}",
    )  # fmt: skip
    found = re.search(r"<pre>(.*?)</pre>", seen, re.S)
    if not found or found[1].startswith("failed"):
        sys.exit(f"{path}: no picture by WebGL: {found[1] if found else seen}")
    pixels = np.array(json.loads(found[1])).reshape(SIZE, SIZE, 4)
    return pixels[::-1, :, :3].reshape(-1, 3)  # WebGL's first row is the lowest


def by_graphviz(file, model, inputs):
    """Not drawn by its numbers, but every link is there once, between the units it joins."""
    plain = run("dot", "-Tplain", file("dot"))
    edges = [line.split() for line in plain.splitlines() if line.startswith("edge ")]
    nodes = [line.split() for line in plain.splitlines() if line.startswith("node ")]
    assert nodes and len({n[1] for n in nodes}) == len(nodes)
    known = {n[1] for n in nodes}
    assert all(e[1] in known and e[2] in known for e in edges)
    live = int(np.count_nonzero(model.weights * model.alive))
    assert live <= len(edges) <= max(np.count_nonzero(model.weights), len(model.weights)), (live, len(edges))
    return None


TOOLS = {
    "NumPy, npz": by_numpy_of_npz,
    "NumPy, safetensors": by_numpy_of_safetensors,
    "JAX": by_jax,
    "PyTorch": by_torch,
    "onnxruntime": by_onnxruntime,
    "WebGL": by_webgl,
    "graphviz": by_graphviz,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picloom")
    parser.add_argument("--without", nargs="*", default=[], choices=list(TOOLS))
    args = parser.parse_args()
    tools = {name: tool for name, tool in TOOLS.items() if name not in args.without}
    inputs = np.asarray(picloom.coordinates(SIZE)).reshape(-1, 4)
    rows, wrong = [], []
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for number, (name, source, model) in enumerate(networks(args.picloom, work)):

            def file(format):
                path = work / f"{number}.{format}"
                if not path.exists():
                    run(args.picloom, "export", *source, "--format", format, "--out", path, "--quiet")
                return path

            picture = model.picture(SIZE).reshape(-1, 3)
            row = [name]
            for tool, draw in tools.items():
                found = draw(file, model, inputs)
                limit = SHADER_LIMIT if tool == "WebGL" else LIMIT
                worst = None if found is None else float(np.abs(found - picture).max())
                row.append("read" if worst is None else f"{worst:.1e}")
                if worst is not None and not worst <= limit:
                    wrong.append(f"{name} by {tool}: {worst:.1e} > {limit:.0e}")
            rows.append(row)
        if "onnxruntime" in tools:
            place = 1 + list(tools).index("onnxruntime")
            for name, worst in conditional_by_onnxruntime(args.picloom, work, inputs):
                rows.append([name, *["" for _ in tools]])
                rows[-1][place] = f"{worst:.1e}"
                if not worst <= LIMIT:
                    wrong.append(f"{name} by onnxruntime: {worst:.1e} > {LIMIT:.0e}")
    table = [["network", *tools], ["---"] * (1 + len(tools)), *rows]
    print("\n".join("| " + " | ".join(row) + " |" for row in table))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()

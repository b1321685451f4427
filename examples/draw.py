"""Draws a saved network with NumPy alone, and says how far it is from its target: python examples/draw.py RUN"""
import json, re, sys, numpy as np
run = sys.argv[1]
raw = open(run + "/weights.safetensors", "rb").read(); n = 8 + int.from_bytes(raw[:8], "little"); head = json.loads(raw[8:n])
w = {k: np.frombuffer(raw[n:][slice(*v["data_offsets"])], "<f4").reshape(v["shape"]).astype(float) for k, v in head.items() if k[0] != "_"}
f = dict(abs=np.abs, cache=lambda z: z, cos=np.cos, gaussian=lambda z: 2*np.exp(-z*z) - 1, identity=lambda z: z, relu=lambda z: np.maximum(z, 0),
         sigmoid=lambda z: np.tanh(z/2), sin=np.sin, square=np.square, tanh=np.tanh)
target = np.load(run + "/target.npz")["target"]
y, x = np.meshgrid(*2*[np.linspace(-1, 1, len(target))], indexing="ij")     # coords = "fer"
at = {k: np.ravel(i) for k, i in dict(x=x, y=y, d=1.4*np.hypot(x, y), bias=np.ones_like(x)).items()}
arch = head.get("__metadata__", {}).get("arch", ""); net = json.load(open(run + "/network.json")) if "links" in w else {}
named = net.get("inputs") or ([p[3:].split(",") for p in arch.split(";") if p[:3] == "in:"] or [list(at)])[0]
def plane(name):                                                            # an input: x, x*y, or a function such as sin(3x)
    call = re.fullmatch(r"(\w+)\((.*)(\w)\)", name)
    return f[call[1]](float(call[2] or 1)*at[call[3]]) if call else np.prod([at[v] for v in name.split("*")], 0)
a = [plane(name) for name in named]
if "links" in w:                                                            # a graph: unit by unit
    for unit in net["units"][len(a):]:
        i = range(unit["links"]["start"], unit["links"]["end"])
        z = sum((w["links"][k]*a[net["links"][k]["source"]] for k in i), 0*a[0])
        activation = f[unit["activation"]]; a.append(activation(z))
    h, s, v = (0*a[0] if o is None else a[o] for o in net["outputs"])
else:                                                                       # layers: product by product
    block = [item.split(":") for item in arch.split(";")[1].split(",")]
    for k in range(len(w) - 1):
        z = w[f"layers.{k}.weight"] @ a
        units = [f[name] for name, count in block for _ in range(int(count))]; a = [unit(row) for unit, row in zip(units, z)]
    h, s, v = w[f"layers.{len(w) - 1}.weight"] @ a
k = [np.clip(np.abs((6*h - c + 3) % 6 - 3) - 1, 0, 1) for c in (0, 2, 4)]   # hue, saturation, brightness to RGB
rgb = np.stack([np.clip(abs(v), 0, 1)*(1 - np.clip(s, 0, 1)*k) for k in k], -1).reshape(target.shape)
print("mean squared error", np.mean((rgb - target)**2), "largest difference", np.abs(rgb - target).max())

"""Draws a saved network with NumPy alone, and says how far it is from its target: python examples/draw.py RUN"""
import json, sys, numpy as np
run = sys.argv[1]
raw = open(run + "/weights.safetensors", "rb").read(); n = 8 + int.from_bytes(raw[:8], "little"); head = json.loads(raw[8:n])
w = {k: np.frombuffer(raw[n:][slice(*v["data_offsets"])], "<f4").reshape(v["shape"]).astype(float) for k, v in head.items() if k[0] != "_"}
f = dict(cache=lambda z: z, cos=np.cos, gaussian=lambda z: 2*np.exp(-z*z) - 1, identity=lambda z: z, relu=lambda z: np.maximum(z, 0),
         sigmoid=lambda z: np.tanh(z/2), sin=np.sin, tanh=np.tanh)
target = np.load(run + "/target.npz")["target"]
y, x = np.meshgrid(*2*[np.linspace(-1, 1, len(target))], indexing="ij")     # coords = "fer"
a = [np.ravel(i) for i in (x, y, 1.4*np.hypot(x, y), np.ones_like(x))]
if "links" in w:                                                            # a graph: unit by unit
    net = json.load(open(run + "/network.json"))
    for unit in net["units"][4:]:
        i = range(unit["links"]["start"], unit["links"]["end"])
        z = sum((w["links"][k]*a[net["links"][k]["source"]] for k in i), 0*a[0])
        activation = f[unit["activation"]]; a.append(activation(z))
    h, s, v = (0*a[0] if o is None else a[o] for o in net["outputs"])
else:                                                                       # layers: product by product
    block = [item.split(":") for item in head["__metadata__"]["arch"].split(";")[1].split(",")]
    for k in range(len(w) - 1):
        z = w[f"layers.{k}.weight"] @ a
        units = [f[name] for name, count in block for _ in range(int(count))]; a = [unit(row) for unit, row in zip(units, z)]
    h, s, v = w[f"layers.{len(w) - 1}.weight"] @ a
k = [np.clip(np.abs((6*h - c + 3) % 6 - 3) - 1, 0, 1) for c in (0, 2, 4)]   # hue, saturation, brightness to RGB
rgb = np.stack([np.clip(abs(v), 0, 1)*(1 - np.clip(s, 0, 1)*k) for k in k], -1).reshape(target.shape)
print("mean squared error", np.mean((rgb - target)**2), "largest difference", np.abs(rgb - target).max())

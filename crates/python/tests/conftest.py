"""What the tests share: the repository, the command, a genome and a small training."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import picloom

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = dict(steps=60, seed=3, optimizer="adam", lr=0.003, log_every=10)


def program():
    """The command built from this tree: PICLOOM, or the newest below target/."""
    if "PICLOOM" in os.environ:
        return os.environ["PICLOOM"]
    built = [ROOT / "target" / kind / "picloom" for kind in ("release", "debug")]
    built = sorted((p for p in built if p.exists()), key=lambda p: p.stat().st_mtime)
    assert built, "build the command first (cargo build), or name it in PICLOOM"
    return str(built[-1])


@pytest.fixture(scope="session")
def command():
    def run(*arguments):
        done = subprocess.run([program(), *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def moth_path():
    return ROOT / "genomes" / "bred_moth.json"


@pytest.fixture(scope="session")
def moth(moth_path):
    return picloom.Genome.load(moth_path)


@pytest.fixture(scope="session")
def trained(moth):
    dense = picloom.Model.from_genome(moth, "dense")
    return picloom.train(dense, moth, size=24, **SETTINGS)


def same(a, b):
    """Equal shapes, types and bits."""
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()

#!/usr/bin/env python3
"""The Python package beside what Python users have, in one run: a training step of FER's skull by PyTorch (compiled), a
picture of it by JAX (jitted), a generation of 150 genomes drawn at 64² by neat-python; and what calling costs.

    python benches/peers/from_python.py                      # needs picloom, torch, jax, neat-python
    python benches/peers/from_python.py --rounds 1 --seconds 0.5 --size 64 --genomes 2     # to see that it runs

Each ratio is formed within a round; the median round and the range are printed. What calling costs: of a training, at most, the
time that its own clock does not count (preparing it, and the last picture, too); of a picture, a call for 2 × 2 pixels of a network of one
unit, which take next to nothing; of a generation, handing the genomes over and as many such calls.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import neat_python_evolve as peer
import numpy as np

import picloom

HERE = Path(__file__).resolve().parent
SKULL = "12;cache:15,gaussian:4,identity:2,sin:1"


def seconds(work, least):
    """The median time of a call, warm, of as many as take so long."""
    work()
    times, end = [], time.perf_counter() + least
    while time.perf_counter() < end or len(times) < 3:
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def other(script, options):
    line = [sys.executable, HERE / script, "--size", str(options.size), "--threads", str(options.threads)]
    done = subprocess.run([*line, "--seconds", str(options.seconds)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{script} failed:\n{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def training(model, target, options):
    """Seconds of a step, called from Python, and the share that the trainer's clock does not count."""
    steps = 8
    while True:
        begun = time.perf_counter()
        # The last step is logged: its seconds are those of all steps before it.
        report = picloom.train(model, target, steps=steps + 1, log_every=steps, collapse_after=steps + 1)
        wall, own = time.perf_counter() - begun, report.history["seconds"][-1]
        if wall >= options.seconds or steps >= 100_000:
            return own / steps, wall / own - 1
        steps *= 2


def calling():
    """Seconds that a call costs which gives a picture: of 2 × 2 pixels of one unit, which take next to nothing."""
    tiny, count = picloom.Model.from_arch("1;sin:1"), 2000

    def called():
        begun = time.perf_counter()
        for _ in range(count):
            tiny.picture(2)
        return time.perf_counter() - begun

    return statistics.median(called() for _ in range(9)) / count


def rendering(model, options):
    """Seconds of a picture, and the share of the call."""
    picture = seconds(lambda: model.picture(options.size), options.seconds)
    return picture, calling() / picture


def generation(options):
    """Seconds of a generation, drawing and judging included, and the share of the calls."""
    target = peer.target().reshape(peer.SIZE, peer.SIZE, 3).astype(np.float32)
    search = picloom.Search.neat(seed=1, population=peer.POPULATION)
    judge = lambda genome: -float(np.mean((genome.render(peer.SIZE) - target) ** 2))
    for _ in range(peer.WARM_UP):
        search.tell([judge(genome) for genome in search.ask()])

    def turn():
        search.tell([judge(genome) for genome in search.ask()])

    took = seconds(turn, options.seconds)
    calls = seconds(search.ask, 0.1) + peer.POPULATION * calling()
    links = statistics.mean(len(genome.connections) for genome in search.ask())
    return took, calls / took, links


def neat_python(options):
    """The same by neat-python: breeding, and drawing some of the genomes, as often as there are genomes."""
    import random
    import tempfile

    random.seed(1)
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(peer.CONFIG)
        file.flush()
        neat = peer.neat
        parts = neat.DefaultGenome, neat.DefaultReproduction, neat.DefaultSpeciesSet, neat.DefaultStagnation
        config = neat.Config(*parts, file.name)
    population = neat.Population(config)

    def grow(genomes, _):
        for _, genome in genomes:
            genome.fitness = random.random()

    population.run(grow, peer.WARM_UP)
    begun = time.perf_counter()
    population.run(grow, 1)
    breeding = time.perf_counter() - begun
    genomes = list(population.population.values())[: options.genomes]
    judge, begun = peer.Judge(), time.perf_counter()
    for genome in genomes:
        judge.draw_and_judge(genome, config)
    links = statistics.mean(sum(c.enabled for c in g.connections.values()) for g in genomes)
    return breeding + peer.POPULATION * (time.perf_counter() - begun) / len(genomes), links


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2, help="of PyTorch and JAX; Picloom's are RAYON_NUM_THREADS")
    parser.add_argument("--genomes", type=int, default=10, help="genomes that neat-python draws a round")
    options = parser.parse_args()
    model = picloom.Model.from_arch(SKULL)
    target = picloom.Model.from_arch(SKULL, seed=1).picture(options.size)
    rounds = []
    for r in range(options.rounds):
        step, step_call = training(model, target, options)
        torch = other("torch_step.py", options)
        picture, picture_call = rendering(model, options)
        jax = other("jax_step.py", options)
        ours, ours_call, our_links = generation(options)
        theirs, their_links = neat_python(options)
        compiled = torch["torch_compiled"]["median_ms"]
        rounds.append({
            "training step, ms": 1e3 * step,
            f"PyTorch {torch['version']}, {torch['compiled_by']}, ms": compiled,
            "PyTorch / ours": compiled / (1e3 * step),
            "picture, ms": 1e3 * picture,
            f"JAX {jax['version']}, ms": jax["jax_render"]["median_ms"],
            "JAX / ours": jax["jax_render"]["median_ms"] / (1e3 * picture),
            "generation, ms": 1e3 * ours,
            f"neat-python {peer.neat.__version__}, ms": 1e3 * theirs,
            "neat-python / ours": theirs / ours,
            "the same, link for link": theirs / their_links / (ours / our_links),
            "calling: training, %": 100 * step_call,
            "calling: picture, %": 100 * picture_call,
            "calling: generation, %": 100 * ours_call,
        })  # fmt: skip
        print(f"round {r + 1} of {options.rounds} done", file=sys.stderr)
    print(f"| {options.size}² | median round | range |\n|---|---|---|")
    for name in rounds[0]:
        values = [found[name] for found in rounds]
        print(f"| {name} | {statistics.median(values):.3g} | {min(values):.3g} to {max(values):.3g} |")


main()

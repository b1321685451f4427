#!/usr/bin/env python3
"""The task of `picloom bench evolve`, done with neat-python, on this machine, in one session.

Task: a NEAT population of 150 CPPNs (inputs x, y, d, bias; outputs hue, saturation, brightness;
activations sin, sigmoid, gaussian, cos, identity; feed-forward), each drawn at 64 x 64 and judged
by the MSE to a target picture. neat-python evaluates a network one pixel at a time
(`FeedForwardNetwork.activate`), as its users and its own picture examples do; colours and MSE are
numpy's, after the loop, so that only the drawing is compared.

Run:  python benches/peers/neat_python_evolve.py target/release/picloom

Prints genomes a second of both and their ratio (the goal is at least 200). neat-python is timed over
fewer genomes (`--genomes`), all of one population after the same number of generations of growth; the
mean number of enabled links of both is printed, because cost is proportional to it, and the ratio of links
drawn a second beside that of genomes.
"""

import argparse
import json
import random
import subprocess
import tempfile
import time

import neat
import numpy as np

SIZE = 64
POPULATION = 150
WARM_UP = 20

CONFIG = f"""
[NEAT]
fitness_criterion = max
fitness_threshold = 1e9
pop_size = {POPULATION}
reset_on_extinction = True
no_fitness_termination = True

[DefaultGenome]
num_inputs = 4
num_outputs = 3
num_hidden = 0
feed_forward = True
initial_connection = full_direct
single_structural_mutation = False
structural_mutation_surer = default
activation_default = sin
activation_mutate_rate = 0.02
activation_options = sin sigmoid gauss identity
aggregation_default = sum
aggregation_mutate_rate = 0.0
aggregation_options = sum
bias_init_mean = 0.0
bias_init_stdev = 0.0
bias_init_type = gaussian
bias_max_value = 0.0
bias_min_value = 0.0
bias_mutate_power = 0.0
bias_mutate_rate = 0.0
bias_replace_rate = 0.0
response_init_mean = 1.0
response_init_stdev = 0.0
response_init_type = gaussian
response_max_value = 1.0
response_min_value = 1.0
response_mutate_power = 0.0
response_mutate_rate = 0.0
response_replace_rate = 0.0
weight_init_mean = 0.0
weight_init_stdev = 1.0
weight_init_type = gaussian
weight_max_value = 8.0
weight_min_value = -8.0
weight_mutate_power = 1.0
weight_mutate_rate = 0.8
weight_replace_rate = 0.1
enabled_default = True
enabled_mutate_rate = 0.0
enabled_rate_to_true_add = 0.0
enabled_rate_to_false_add = 0.0
conn_add_prob = 0.05
conn_delete_prob = 0.0
node_add_prob = 0.03
node_delete_prob = 0.0
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient = 0.4

[DefaultSpeciesSet]
compatibility_threshold = 3.0

[DefaultStagnation]
species_fitness_func = max
max_stagnation = 15
species_elitism = 1

[DefaultReproduction]
elitism = 1
survival_threshold = 0.2
min_species_size = 2
"""


def pixel_inputs():
    axis = np.linspace(-1.0, 1.0, SIZE)
    return [
        (x, y, 1.4 * float(np.hypot(x, y)), 1.0) for y in axis.tolist() for x in axis.tolist()
    ]


def target():
    axis = np.linspace(-1.0, 1.0, SIZE)
    x, y = np.meshgrid(axis, axis)
    picture = np.empty((SIZE * SIZE, 3))
    picture[:] = (0.1, 0.2, 0.6)
    picture[(x * x + y * y < 0.4).ravel()] = (0.9, 0.7, 0.2)
    return picture


def rgb(hsv):
    hue = np.mod(hsv[:, 0] + 1.0, 1.0) * 6.0
    sat = np.clip(hsv[:, 1], 0.0, 1.0)[:, None]
    val = np.clip(np.abs(hsv[:, 2]), 0.0, 1.0)[:, None]
    offset = np.mod(hue[:, None] + np.array([5.0, 3.0, 1.0]), 6.0)
    tooth = np.clip(np.minimum(offset, 4.0 - offset), 0.0, 1.0)
    return val * (1.0 - sat * tooth)


class Judge:
    def __init__(self):
        self.pixels = pixel_inputs()
        self.target = target()

    def draw_and_judge(self, genome, config):
        network = neat.nn.FeedForwardNetwork.create(genome, config)
        hsv = np.array([network.activate(pixel) for pixel in self.pixels])
        return -float(np.mean((rgb(hsv) - self.target) ** 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picloom", help="the picloom program")
    parser.add_argument("--genomes", type=int, default=30, help="genomes timed in neat-python")
    args = parser.parse_args()

    random.seed(1)
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(CONFIG)
        file.flush()
        config = neat.Config(
            neat.DefaultGenome,
            neat.DefaultReproduction,
            neat.DefaultSpeciesSet,
            neat.DefaultStagnation,
            file.name,
        )
    population = neat.Population(config)

    # Grow structure without drawing: the warm-up is not timed and its fitness does not matter.
    def grow(genomes, _):
        for _, genome in genomes:
            genome.fitness = random.random()

    population.run(grow, WARM_UP)
    genomes = list(population.population.values())[: args.genomes]
    links = np.mean([sum(c.enabled for c in g.connections.values()) for g in genomes])
    judge = Judge()
    begun = time.perf_counter()
    for genome in genomes:
        judge.draw_and_judge(genome, config)
    theirs = len(genomes) / (time.perf_counter() - begun)

    command = [args.picloom, "--json", "bench", "evolve"]
    ours = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    rate = ours["genomes_per_second"]
    print(f"neat-python {neat.__version__}: {theirs:.2f} genomes/s ({links:.1f} links, {len(genomes)} timed)")
    print(
        f"picloom: {rate:.0f} genomes/s, breeding included ({ours['links']:.1f} links, "
        f"{ours['threads']} threads, {ours['population']} x {ours['size']}x{ours['size']})"
    )
    # Evolution may have left the two populations with different numbers of links to draw.
    even = rate * ours["links"] / (theirs * links)
    print(f"ratio {rate / theirs:.0f}; link for link {even:.0f}")


if __name__ == "__main__":
    main()

"""Descent through a lineage: the ancestors' pictures one after the other, before the last one.

    nice python3 experiments/through.py runs/through figures/through        (with the Python package installed)

Four lineages that were bred by eye (genomes/lineages/). Every arm makes the same number of steps, STAGE for each picture
of the lineage, at 64 x 64 pixels, and is judged by the last picture. Arms:

direct          the last genome's links, random weights, the last picture only
through         links grow as the lineage's did, from the first ancestor's own weights; new links begin at normal noise
through-small   the same, with three pictures between two ancestors, of genomes with interpolated weights
final-topology  the last genome's links throughout; genes of the first ancestor begin at its weights
shuffled, reversed   as final-topology, the pictures before the last in another order
blurred         as final-topology, the last picture, less and less blurred, in place of the ancestors'
dense-direct, dense-through   the dense twin of the last genome, random weights; two seeds

The table OUT/rows.csv has a row a run: target (the lineage's last genome), arm, seed, r2, fit, score, links. Runs that
are finished (STORE) are not made again.
"""

import csv
import json
import sys
from pathlib import Path

import numpy as np

import picloom

GENOMES = Path(__file__).parent.parent / "genomes"
LINEAGES = {"bred_moth": "moth", "bred_face": "face", "bred_skull": "skull", "bred_bear": "bear"}
ARMS = [
    "direct", "through", "through-small", "final-topology", "shuffled", "reversed", "blurred", "dense-direct", "dense-through",
]  # fmt: skip
SEEDS = range(7000, 7008)
STAGE, SIZE, NOISE = 1000, 64, 0.5
RECIPE = {"lr": 0.01, "schedule": "cosine", "log_every": 100, "collapse_after": 10**6}


def lineage(name):
    """The genomes of a lineage as JSON, the first ancestor first."""
    own = LINEAGES[name]
    known = {}
    for other in [own, "moth", "face", "skull", "bear"]:
        for path in sorted((GENOMES / "lineages").glob(f"{other}_*.json")):
            genome = json.loads(path.read_text())
            known.setdefault(genome["provenance"]["notes"]["birth"], genome)
    line = [json.loads((GENOMES / f"{name}.json").read_text())]
    while line[0]["provenance"].get("parents"):
        line.insert(0, known[line[0]["provenance"]["parents"][0].split()[1]])
    return line


def weights_of(genome):
    """Weights by gene: where a link comes from and goes to."""
    links = [link for link in genome["connections"] if link["enabled"]]
    return {(link["source"], link["target"]): link["weight"] for link in links}


def with_weights(genome, weights):
    """The genome with these weights; of genes that are not there, 0."""
    links = [
        {**link, "weight": float(weights.get((link["source"], link["target"]), 0.0))} for link in genome["connections"]
    ]
    return {**genome, "connections": links}


def order_of(genome):
    """The genes in the order of the weights of the graph that a genome becomes."""
    numbered, genes = {}, list(weights_of(genome))
    for number, gene in enumerate(genes, 1):
        numbered[gene] = number
    model = picloom.Model.from_genome(picloom.Genome.from_json(json.dumps(with_weights(genome, numbered))), "graph")
    return [genes[round(float(weight)) - 1] for weight in np.asarray(model.weights)]


def picture_of(genome):
    return picloom.Genome.from_json(json.dumps(genome)).render(SIZE)


def blurred(picture, sigma):
    """A picture under a Gaussian of so many pixels."""
    if sigma == 0:
        return picture
    reach = int(3 * sigma) + 1
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        padded = np.pad(picture, [(reach, reach) if a == axis else (0, 0) for a in range(3)], mode="edge")
        picture = np.apply_along_axis(lambda line: np.convolve(line, kernel, "valid"), axis, padded)
    return picture.astype(np.float32)


def between(a, b, share):
    """Genome b with weights on the way from a's; genes that a lacks begin at 0."""
    first, last = weights_of(a), weights_of(b)
    return with_weights(b, {gene: (1 - share) * first.get(gene, 0.0) + share * w for gene, w in last.items()})


def train(model, picture, steps, seed, start=None):
    return picloom.train(model, picture, steps=steps, seed=seed, start=start, **RECIPE)


def descend(stages, start, seed, steps):
    """Trains through (genome, picture) stages; links that a stage adds begin at normal noise."""
    rng = np.random.default_rng(seed)
    weights = dict(start)
    for genome, picture in stages:
        genes = order_of(genome)
        first = [weights[gene] if gene in weights else NOISE * rng.normal() for gene in genes]
        model = picloom.Model.from_genome(picloom.Genome.from_json(json.dumps(genome)), "graph")
        report = train(model, picture, steps, seed, np.array(first, dtype=np.float32))
        weights.update(zip(genes, map(float, np.asarray(report.model.weights))))
    return report


def run(arm, line, seed):
    pictures = [picture_of(genome) for genome in line]
    last, total = picloom.Genome.from_json(json.dumps(line[-1])), STAGE * len(line)
    if arm == "direct":
        return train(picloom.Model.from_genome(last, "graph"), pictures[-1], total, seed)
    if arm == "dense-direct":
        return train(picloom.Model.from_genome(last, "dense"), pictures[-1], total, seed)
    if arm == "dense-through":
        model, start = picloom.Model.from_genome(last, "dense"), None
        for picture in pictures:
            report = train(model, picture, STAGE, seed, start)
            start = report.model.weights
        return report
    first = weights_of(line[0])
    if arm == "through":
        return descend(list(zip(line, pictures)), first, seed, STAGE)
    if arm == "through-small":
        stages = [(line[0], pictures[0])]
        for a, b in zip(line, line[1:]):
            stages += [(g, picture_of(g)) for g in (between(a, b, share) for share in (0.25, 0.5, 0.75, 1.0))]
        return descend(stages, first, seed, total // len(stages))
    order = list(range(len(line) - 1))
    if arm == "shuffled":
        np.random.default_rng(seed).shuffle(order)
    if arm == "reversed":
        order.reverse()
    shown = [pictures[k] for k in order] + [pictures[-1]]
    if arm == "blurred":
        shown = [blurred(pictures[-1], sigma) for sigma in np.linspace(SIZE / 8, 0, len(line))]
    return descend([(line[-1], picture) for picture in shown], first, seed, STAGE)


def main():
    store, out = Path(sys.argv[1]), Path(sys.argv[2])
    store.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in LINEAGES:
        line = lineage(name)
        target = picture_of(line[-1])
        for arm in ARMS:
            for seed in SEEDS[:2] if arm.startswith("dense") else SEEDS:
                path = store / f"{name}-{arm}-{seed}.json"
                if not path.exists():
                    report = run(arm, line, seed)
                    fit = report.r2 >= 0.95
                    score = picloom.score(report.model, target, size=SIZE, samples=60, seed=seed) if fit else None
                    found = {
                        "target": name, "generations": len(line) - 1, "arm": arm, "seed": seed, "r2": report.r2,
                        "fit": str(fit).lower(), "score": score["score"] if fit else "", "links": len(report.model.weights),
                    }  # fmt: skip
                    path.write_text(json.dumps(found))
                rows.append(json.loads(path.read_text()))
                print(name, arm, seed, round(rows[-1]["r2"], 3), flush=True)
                with open(out / "rows.csv", "w", newline="") as file:
                    writer = csv.DictWriter(file, rows[0])
                    writer.writeheader()
                    writer.writerows(rows)


if __name__ == "__main__":
    main()

"""Genomes of other programs: picbreeder-vlm's JSON, read and written, and neat-python's, read.

What does not map exactly is refused by its name. Drawn with ``coords="picbreeder"``, genomes of picbreeder-vlm give its
pictures.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ._core import Genome

INPUTS = ("x", "y", "d", "bias")
COLOURS = ("hue", "saturation", "brightness")
# picbreeder-vlm's functions, by the names they have there and here.
VLM_ACTIVATIONS = ("sin", "sigmoid", "gaussian", "cos", "identity")
# neat-python's f(z) as gain · ours(scale · z) + offset: name → (ours, scale, gain, offset).
NEAT_ACTIVATIONS = {
    "sigmoid": ("sigmoid", 5.0, 0.5, 0.5),
    "tanh": ("tanh", 2.5, 1.0, 0.0),
    "sin": ("sin", 5.0, 1.0, 0.0),
    "gauss": ("gaussian", math.sqrt(5), 0.5, 0.5),
    "relu": ("relu", 1.0, 1.0, 0.0),
    "identity": ("identity", 1.0, 1.0, 0.0),
}


class Builder:
    """A genome as it is put together: nodes by id, one link a pair."""

    def __init__(self) -> None:
        self.nodes: dict[int, dict[str, Any]] = {}
        self.links: dict[tuple[int, int], dict[str, Any]] = {}

    def node(self, number: int, role: Any, activation: str = "identity") -> None:
        self.nodes[number] = {"id": number, "role": role, "activation": activation}

    def link(self, source: int, target: int, weight: float, enabled: bool = True) -> None:
        pair = (source, target)
        if pair in self.links:
            weight += self.links[pair]["weight"]
        self.links[pair] = {"source": source, "target": target, "weight": weight, "enabled": enabled}

    def genome(self, name: str, made_by: str, numbers: dict[tuple[int, int], int]) -> Genome:
        """`numbers` gives equal pairs equal innovations, from one genome of a file to the next."""
        links = [
            {"innovation": numbers.setdefault(pair, len(numbers)), **link} for pair, link in self.links.items()
        ]
        return Genome.from_json(
            json.dumps({
                "format": "picloom-genome/1",
                "provenance": {"name": name, "made_by": made_by},
                "nodes": list(self.nodes.values()),
                "connections": links,
            })
        )  # fmt: skip


def evaluated(links: list[tuple[int, int]], inputs: set[int], outputs: set[int]) -> set[int]:
    """The nodes that draw, by the rule of neat-python: none that depends on a node without a value.

    Raises
    ------
    ValueError
        An output depends on such a node: a program that gives it a value would draw something else.
    """
    sources: dict[int, list[int]] = {}
    for source, target in links:
        sources.setdefault(target, []).append(source)
    wanted, left = set(), [o for o in outputs if o in sources]
    while left:
        node = left.pop()
        if node in wanted or node in inputs:
            continue
        wanted.add(node)
        if node not in sources:
            raise ValueError(f"expected every node that draws to have an enabled link into it, found none for node {node}")
        left += sources[node]
    return wanted


def read_vlm(path: str | PathLike[str], *, colour: bool = True) -> dict[str, Genome]:
    """The genomes of picbreeder-vlm's ``genomes.json`` or ``.json.gz``, or of one genome's file.

    Parameters
    ----------
    path : path
        The file.
    colour : bool
        False draws the brightness alone, as its grey runs do.

    Returns
    -------
    dict
        By the names in the file; of one genome's file by the file's name.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    ValueError
        It holds something else.
    """
    path = Path(path)
    raw = path.read_bytes()
    try:
        found = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except (OSError, EOFError, ValueError) as error:
        raise ValueError(f"{path}: expected genomes as JSON, found: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path}: expected an object of genomes, found {type(found).__name__}")
    if "connections" in found:
        found = {path.name.split(".")[0]: found}
    numbers: dict[tuple[int, int], int] = {}
    genomes = {}
    for name, genome in found.items():
        try:
            genomes[name] = of_vlm(name, genome, colour, numbers)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: genome {name}: {error}") from None
    return genomes


def of_vlm(name: str, found: Mapping[str, Any], colour: bool, numbers: dict[tuple[int, int], int]) -> Genome:
    # Inputs are -1 to -4 there and 0 to 3 here; all others move up by four.
    def place(key: int) -> int:
        return -key - 1 if key < 0 else key + len(INPUTS)

    def known(activation: str) -> str:
        if activation not in VLM_ACTIVATIONS:
            raise ValueError(f"expected an activation of {', '.join(VLM_ACTIVATIONS)}, found {activation!r}")
        return activation

    inputs, outputs = found.get("inAct") or ["identity"] * 4, found.get("outAct")
    drawn = {0: COLOURS[0], 1: COLOURS[1], 2: COLOURS[2]} if colour else {2: "ink"}
    live = [(c["from"], c["to"]) for c in found["connections"] if c.get("enabled", True)]
    evaluated(live, {-1, -2, -3, -4}, set(drawn))
    builder = Builder()
    for i, label in enumerate(INPUTS):
        builder.node(i, {"input": label}, known(inputs[i]))
    # Far above any key of the file, equal in all of them.
    beyond = 1_000_000_000
    for node in found["nodes"]:
        key = node["key"]
        if key < 0:
            continue
        # An output that nothing feeds stays 0 there, whatever its function.
        fed = any(target == key for _, target in live)
        activation = known(node["activation"]) if fed or key not in drawn else "identity"
        role = {"output": drawn[key]} if key in drawn else "hidden"
        if key in drawn and outputs:
            # A second function on the way out, which other nodes do not see.
            builder.node(beyond + key, role, known(outputs[key]))
            builder.node(place(key), "hidden", activation)
            builder.link(place(key), beyond + key, 1.0)
        else:
            builder.node(place(key), role, activation)
    for c in found["connections"]:
        builder.link(place(c["from"]), place(c["to"]), float(c["weight"]), c.get("enabled", True))
    return builder.genome(name, "imported from picbreeder-vlm", numbers)


def write_vlm(genomes: Mapping[str, Genome], path: str | PathLike[str]) -> None:
    """Writes genomes as picbreeder-vlm's ``genomes.json`` (or ``.json.gz``).

    Parameters
    ----------
    genomes : mapping of str to Genome
        By name.
    path : path
        The file.

    Raises
    ------
    ValueError
        An activation that it does not have, or a node that draws without a link into it.
    """
    path = Path(path)
    found = {}
    for name, genome in genomes.items():
        try:
            found[name] = to_vlm(genome)
        except ValueError as error:
            raise ValueError(f"genome {name}: {error}") from None
    raw = json.dumps(found, separators=(",", ":")).encode()
    if path.suffix == ".gz":
        raw = gzip.compress(raw, mtime=0)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(raw)
    part.replace(path)


def to_vlm(genome: Genome) -> dict[str, Any]:
    nodes, links = genome.nodes, genome.connections
    keys, hidden = {}, 3
    for node in nodes:
        role = node["role"]
        if role == "hidden":
            keys[node["id"]] = hidden
            hidden += 1
        elif "input" in role:
            if role["input"] not in INPUTS:
                raise ValueError(f"node {node['id']}: picbreeder-vlm has no input {role['input']}")
            keys[node["id"]] = -INPUTS.index(role["input"]) - 1
        else:
            keys[node["id"]] = 2 if role["output"] == "ink" else COLOURS.index(role["output"])
    live = [(keys[c["source"]], keys[c["target"]]) for c in links if c["enabled"]]
    drawn = {key for key in keys.values() if 0 <= key < 3}
    evaluated(live, {-1, -2, -3, -4}, drawn)
    grey, left = set(), [2]
    while left:
        key = left.pop()
        grey.add(key)
        left += [source for source, target in live if target == key and source not in grey]

    def known(node: dict[str, Any]) -> str:
        activation: str = "identity" if node["activation"] == "cache" else node["activation"]
        if activation not in VLM_ACTIVATIONS:
            raise ValueError(f"node {node['id']}: picbreeder-vlm has no {activation}")
        unfed = keys[node["id"]] in drawn and not any(target == keys[node["id"]] for _, target in live)
        if unfed and activation in ("cos", "gaussian"):
            raise ValueError(f"node {node['id']}: an output that nothing feeds is 0 there, here {activation}(0)")
        return activation

    written = [
        {
            "key": keys[node["id"]],
            "activation": None if keys[node["id"]] < 0 else known(node),
            "affinity": "grey" if keys[node["id"]] in grey or keys[node["id"]] < 0 else "color",
            "input": keys[node["id"]] < 0,
        }
        for node in nodes
    ]
    written += [
        {"key": key, "activation": "identity", "affinity": "color", "input": False} for key in {0, 1, 2} - drawn
    ]
    genes = [
        {"from": keys[c["source"]], "to": keys[c["target"]], "weight": c["weight"], "enabled": c["enabled"]}
        for c in links
    ]
    found: dict[str, Any] = {
        "format": "picbreeder-vlm-cppn/1",
        "inputs": ["x", "y", "r", "bias"],
        "outputs": list(COLOURS),
        "nodes": written,
        "connections": genes,
    }
    inputs = {keys[node["id"]]: known(node) for node in nodes if keys[node["id"]] < 0}
    if set(inputs.values()) != {"identity"}:
        found["inAct"] = [inputs[key] for key in (-1, -2, -3, -4)]
    return found


def from_neat(genome: Any, config: Any, *, inputs: Sequence[str] = INPUTS, name: str = "") -> Genome:
    """The network of a neat-python genome.

    Its functions are scaled ones of Picloom's: scales and offsets go into weights and into links from the bias, so that
    every node computes what it did (but for neat-python's clamping of sums beyond 60, 3.4 for gauss). Only what is
    expressed is taken: enabled links, and nodes on the way to an output.

    Parameters
    ----------
    genome, config : neat.DefaultGenome, neat.Config
        Or anything with their attributes.
    inputs : sequence of str
        What its inputs are, in order, out of x, y, d, bias.
    name : str
        What the genome is called.

    Returns
    -------
    Genome

    Raises
    ------
    ValueError
        Other than one or three outputs, an aggregation other than sum, or a function that does not map, by name.
    """
    keys = config.genome_config
    if len(keys.input_keys) != len(inputs) or not set(inputs) <= set(INPUTS):
        raise ValueError(f"expected inputs to name {len(keys.input_keys)} of {', '.join(INPUTS)}, found {tuple(inputs)}")
    drawn = {1: ("ink",), 3: COLOURS}.get(len(keys.output_keys))
    if drawn is None:
        raise ValueError(f"expected a genome of 1 or 3 outputs, found {len(keys.output_keys)}")
    live = {pair: gene.weight for pair, gene in genome.connections.items() if gene.enabled}
    nodes = evaluated(list(live), set(keys.input_keys), set(keys.output_keys))
    builder = Builder()
    for i, label in enumerate(INPUTS):
        builder.node(i, {"input": label})
    bias = INPUTS.index("bias")
    # By key: where its value is, and the value as gain · that + offset.
    values = {key: (INPUTS.index(label), 1.0, 0.0) for key, label in zip(keys.input_keys, inputs)}
    numbers = {key: 2 * len(INPUTS) + i for i, key in enumerate(sorted(nodes))}
    for key in sorted(nodes):
        gene = genome.nodes[key]
        if gene.aggregation != "sum":
            raise ValueError(f"node {key}: expected aggregation sum, found {gene.aggregation}")
        if gene.activation not in NEAT_ACTIVATIONS:
            known = ", ".join(NEAT_ACTIVATIONS)
            raise ValueError(f"node {key}: expected an activation of {known}, found {gene.activation}")
        activation, _, gain, offset = NEAT_ACTIVATIONS[gene.activation]
        builder.node(numbers[key], "hidden", activation)
        values[key] = (numbers[key], gain, offset)
    for key in sorted(nodes):
        gene = genome.nodes[key]
        scale = NEAT_ACTIVATIONS[gene.activation][1]
        builder.link(bias, numbers[key], scale * gene.bias)
        for (source, target), weight in live.items():
            if target == key:
                place, gain, offset = values[source]
                builder.link(place, numbers[key], scale * gene.response * weight * gain)
                builder.link(bias, numbers[key], scale * gene.response * weight * offset)
    for i, (key, label) in enumerate(zip(keys.output_keys, drawn)):
        builder.node(len(INPUTS) + i, {"output": label})
        if key in nodes:
            place, gain, offset = values[key]
            builder.link(place, len(INPUTS) + i, gain)
            builder.link(bias, len(INPUTS) + i, offset)
    return builder.genome(name, "imported from neat-python", {})

"""Genomes of other programs: drawn by a reading of their own files, or by their own program."""

import gzip
import json
import random

import numpy as np
import pytest

import picloom
from conftest import same

SIZE = 33


def drawn_from_json(genome, size):
    """picbreeder-vlm's picture of a genome in its JSON, by recursion over its links."""
    functions = dict(identity=lambda z: z, sigmoid=lambda z: 2 / (1 + np.exp(-z)) - 1, cos=np.cos, sin=np.sin,
                     gaussian=lambda z: 2 * np.exp(-z * z) - 1)  # fmt: skip
    place = (2 * np.arange(size) - (size - 1)) / size
    y, x = np.meshgrid(place, place, indexing="ij")
    raw = [x, y, np.hypot(x, y) * np.sqrt(2), np.ones_like(x)]
    values = {-i - 1: functions[a](v) for i, (a, v) in enumerate(zip(genome.get("inAct", ["identity"] * 4), raw))}
    activation = {n["key"]: n["activation"] for n in genome["nodes"]}

    def value(key):
        if key not in values:
            links = [c for c in genome["connections"] if c["to"] == key and c["enabled"]]
            z = sum(value(c["from"]) * c["weight"] for c in links)
            values[key] = functions[activation[key]](z) if links else 0 * x
        return values[key]

    h, s, v = [functions[f](value(key)) for key, f in enumerate(genome.get("outAct", ["identity"] * 3))]
    s, v = np.clip(s, 0, 1), np.clip(abs(v), 0, 1)
    teeth = [np.clip(abs((6 * h - c + 3) % 6 - 3) - 1, 0, 1) for c in (0, 2, 4)]
    return np.stack([v * (1 - s * t) for t in teeth], -1)


def test_genomes_of_picbreeder_vlm_are_written_read_and_drawn(moth, tmp_path):
    colourful = picloom.Genome.random(seed=3)
    for seed in range(40):
        colourful = colourful.mutate(seed=seed)
    path = tmp_path / "genomes.json.gz"
    picloom.write_vlm({"moth": moth, "c": colourful}, path)
    found = json.loads(gzip.decompress(path.read_bytes()))
    again = picloom.read_vlm(path)
    assert list(found) == list(again) == ["moth", "c"]
    for name, genome in [("moth", moth), ("c", colourful)]:
        ours = genome.render(SIZE, coords="picbreeder")
        assert np.abs(drawn_from_json(found[name], SIZE) - ours).max() < 1e-5
        assert np.abs(again[name].render(SIZE, coords="picbreeder") - ours).max() < 1e-5
    assert same(picloom.read_vlm(path, colour=False)["moth"].render(9), again["moth"].render(9))
    assert again["moth"].provenance["name"] == "moth"

    # Functions on the way in and out, and a link that is off.
    odd = found["c"] | {"inAct": ["sin", "cos", "identity", "gaussian"], "outAct": ["cos", "sigmoid", "sin"]}
    odd["connections"][0]["enabled"] = False
    one = tmp_path / "odd.json"
    one.write_text(json.dumps(odd))
    drawn = picloom.read_vlm(one)["odd"].render(SIZE, coords="picbreeder")
    assert np.abs(drawn - drawn_from_json(odd, SIZE)).max() < 1e-5


def test_what_picbreeder_vlm_does_not_have_is_refused_by_name(tmp_path):
    genome = picloom.Genome.random(seed=1, mutation={"activations": ["relu"]})
    with pytest.raises(ValueError, match="genome g: node 7: picbreeder-vlm has no relu"):
        picloom.write_vlm({"g": genome}, tmp_path / "g.json")
    genome = picloom.Genome.random(seed=1, start={"inputs": ["abs(x)"]})
    with pytest.raises(ValueError, match=r"genome g: node 4: picbreeder-vlm has no input abs\(x\)"):
        picloom.write_vlm({"g": genome}, tmp_path / "g.json")
    assert not list(tmp_path.iterdir())
    node = {"key": 3, "activation": "tan", "affinity": "grey", "input": False}
    outputs = [{"key": k, "activation": "sin", "affinity": "grey", "input": False} for k in range(3)]
    links = [{"from": -1, "to": 3, "weight": 1, "enabled": True}, {"from": 3, "to": 2, "weight": 1, "enabled": True}]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({"a": {"nodes": [*outputs, node], "connections": links}}))
    with pytest.raises(ValueError, match="genome a: expected an activation of sin, .* found 'tan'"):
        picloom.read_vlm(path)
    path.write_text(json.dumps({"a": {"nodes": [*outputs, node], "connections": links[1:]}}))
    with pytest.raises(ValueError, match="genome a: expected every node .* found none for node 3"):
        picloom.read_vlm(path)
    path.write_text("[1]")
    with pytest.raises(ValueError, match="expected an object of genomes, found list"):
        picloom.read_vlm(path)


@pytest.mark.parametrize("outputs", [1, 3])
def test_networks_of_neat_python_compute_what_they_computed(outputs):
    neat = pytest.importorskip("neat")
    config = neat_config(neat, outputs)
    random.seed(outputs)
    points = picloom.coordinates(SIZE).reshape(-1, 4)
    compared = 0
    for number in range(6):
        genome = neat.DefaultGenome(number)
        genome.fitness = 0.0
        keep_innovations(config)
        genome.configure_new(config.genome_config)
        for _ in range(25):
            genome.mutate(config.genome_config)
        net = neat.nn.FeedForwardNetwork.create(genome, config)
        theirs = np.array([net.activate([float(v) for v in p]) for p in points[::7]])
        try:
            ours = picloom.from_neat(genome, config)
        except ValueError as error:
            assert "expected every node that draws" in str(error)
            continue
        model = picloom.Model.from_genome(ours)
        maps = model.maps(SIZE).reshape(-1, SIZE * SIZE)[:, ::7]
        places = [o for o in model.network_dict["outputs"] if o is not None]
        assert np.abs(maps[places].T - theirs).max() < 1e-4
        compared += 1
    assert compared >= 3
    gene = next(g for k, g in genome.nodes.items() if k in config.genome_config.output_keys)
    genome.connections = {k: g for k, g in genome.connections.items() if k[0] < 0}
    gene.aggregation = "max"
    with pytest.raises(ValueError, match="node 0: expected aggregation sum, found max"):
        picloom.from_neat(genome, config)
    gene.aggregation, gene.activation = "sum", "hat"
    with pytest.raises(ValueError, match="node 0: expected an activation of sigmoid, .* found hat"):
        picloom.from_neat(genome, config)
    with pytest.raises(ValueError, match="expected inputs to name 4"):
        picloom.from_neat(genome, config, inputs=("x", "y"))


def keep_innovations(config):
    """neat-python's population gives its genome config a counter; here there is no population."""
    keys = config.genome_config
    if getattr(keys, "innovation_tracker", 0) is None:
        from neat.innovation import InnovationTracker

        keys.innovation_tracker = InnovationTracker()


def neat_config(neat, outputs):
    text = """
    [NEAT]
    fitness_criterion = max
    fitness_threshold = 1
    no_fitness_termination = True
    pop_size = 10
    reset_on_extinction = False
    [DefaultSpeciesSet]
    compatibility_threshold = 3
    [DefaultStagnation]
    species_fitness_func = max
    max_stagnation = 15
    species_elitism = 0
    [DefaultReproduction]
    elitism = 0
    survival_threshold = 0.2
    min_species_size = 2
    [DefaultGenome]
    num_inputs = 4
    num_hidden = 2
    num_outputs = OUTPUTS
    initial_connection = full_direct
    feed_forward = True
    compatibility_disjoint_coefficient = 1.0
    compatibility_weight_coefficient = 1.0
    conn_add_prob = 0.5
    conn_delete_prob = 0.05
    node_add_prob = 0.3
    node_delete_prob = 0.05
    single_structural_mutation = False
    structural_mutation_surer = default
    activation_default = random
    activation_options = sigmoid tanh sin gauss relu identity
    activation_mutate_rate = 0.1
    aggregation_default = sum
    aggregation_options = sum
    aggregation_mutate_rate = 0.0
    bias_init_mean = 0.0
    bias_init_stdev = 1.0
    bias_init_type = gaussian
    bias_replace_rate = 0.1
    bias_mutate_rate = 0.3
    bias_mutate_power = 0.3
    bias_max_value = 3.0
    bias_min_value = -3.0
    response_init_mean = 1.0
    response_init_stdev = 0.2
    response_init_type = gaussian
    response_replace_rate = 0.0
    response_mutate_rate = 0.1
    response_mutate_power = 0.1
    response_max_value = 3.0
    response_min_value = -3.0
    time_constant_init_mean = 1.0
    time_constant_init_stdev = 0.0
    time_constant_init_type = gaussian
    time_constant_replace_rate = 0.0
    time_constant_mutate_rate = 0.0
    time_constant_mutate_power = 0.0
    time_constant_max_value = 10.0
    time_constant_min_value = 0.01
    weight_init_mean = 0.0
    weight_init_stdev = 0.5
    weight_init_type = gaussian
    weight_replace_rate = 0.1
    weight_mutate_rate = 0.5
    weight_mutate_power = 0.2
    weight_max_value = 1.0
    weight_min_value = -1.0
    enabled_default = True
    enabled_mutate_rate = 0.05
    enabled_rate_to_true_add = 0.0
    enabled_rate_to_false_add = 0.0
    """
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
        file.write("\n".join(line.strip() for line in text.replace("OUTPUTS", str(outputs)).splitlines()))
        file.flush()
        return neat.Config(
            neat.DefaultGenome, neat.DefaultReproduction, neat.DefaultSpeciesSet, neat.DefaultStagnation, file.name
        )

"""What Python computes is what the command computes, to the bit."""

import threading

import numpy as np
import pytest

import picloom
from conftest import SETTINGS, same


@pytest.mark.parametrize("wiring", ["graph", "layerized", "dense"])
def test_a_training_has_the_command_s_losses_weights_and_picture(command, moth, moth_path, wiring, tmp_path):
    run = tmp_path / "run"
    said = command(
        "train", "--genome", moth_path, "--wiring", wiring, "--target", moth_path, "--size", 24, "--steps", 60,
        "--seed", 3, "--out", run,
    )  # fmt: skip
    model = picloom.Model.from_genome(moth, wiring)
    report = picloom.train(model, moth, size=24, **SETTINGS)
    kept = picloom.load_run(run)
    for name in ["attempt", "step", "loss", "grad_norm", "lr", "evaluations"]:
        assert same(report.history[name], kept["history"][name]), name
    assert len(report.history["step"]) == 6
    assert same(report.model.weights, kept["model"].weights)
    assert same(report.model.mask, kept["model"].mask)
    assert report.final_loss == said["train"]["final_loss"] == kept["result"]["train"]["final_loss"]
    assert report.r2 == said["fit"]["r2"]
    assert report.config == kept["config"]["train"]
    assert same(kept["target"], moth.render(24))
    assert same(report.model.picture(40), kept["model"].picture(40))


def test_a_genome_draws_what_the_command_draws(command, moth, moth_path, tmp_path):
    PIL = pytest.importorskip("PIL.Image")
    command("genome", "render", moth_path, "--size", 65, "--out", tmp_path / "x.png")
    drawn = np.asarray(PIL.open(tmp_path / "x.png").convert("RGB"))
    assert same(np.floor(moth.render(65) * np.float32(255) + np.float32(0.5)).astype(np.uint8), drawn)


def test_pruning_and_score_are_the_command_s(command, moth, moth_path, trained, tmp_path):
    dense, out = tmp_path / "dense", tmp_path / "sp"
    command(
        "train", "--genome", moth_path, "--wiring", "dense", "--target", moth_path, "--size", 24, "--steps", 60,
        "--seed", 3, "--out", dense,
    )  # fmt: skip
    said = command(
        "prune", dense, "--method", "sp", "--budget", 200, "--steps", 40, "--out", out, "--no-pictures",
    )  # fmt: skip
    pruned = picloom.prune(trained, method="sp", budget=200, steps=40)
    assert (pruned.kept, pruned.final_loss) == (said["rounds"][-1]["kept"], said["final_loss"])
    assert same(pruned.model.weights, picloom.Model.load(out).weights)

    said = command("score", out, "--samples", 12, "--seed", 5)
    found = picloom.score(pruned.model, moth, size=24, samples=12, seed=5, name=said["network"])
    assert found == said
    # Pictures are judged at 64² at least.
    table = picloom.sweep(pruned.model, samples=12, size=said["judged_at"], seed=5)
    for name in table:
        assert table[name].tolist() == [p[name] for p in said["perturbations"]], name


def test_two_trainings_in_two_threads_are_the_trainings_one_after_the_other(moth):
    model = picloom.Model.from_genome(moth, "dense")

    def work(seed, into):
        into[seed] = picloom.train(model, moth, size=32, steps=150, seed=seed)

    alone, together = {}, {}
    for seed in (1, 2):
        work(seed, alone)
    threads = [threading.Thread(target=work, args=(seed, together)) for seed in (1, 2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for seed in (1, 2):
        assert same(alone[seed].model.weights, together[seed].model.weights)
        assert same(alone[seed].history["loss"], together[seed].history["loss"])
    assert not same(alone[1].model.weights, alone[2].model.weights)


def test_an_interrupted_training_goes_on_to_the_same_bits(moth):
    model = picloom.Model.from_genome(moth, "dense")
    whole = picloom.train(model, moth, size=24, steps=3000, seed=1)
    trainer = picloom.Trainer(model, moth, size=24, steps=3000, seed=1)
    stops = []
    while True:
        report = trainer.run(lambda step, loss: bool(stops.append(step)))
        if report.stop != "interrupted":
            break
        assert trainer.step < 3000
    assert report.stop == whole.stop == "step-limit"
    assert same(report.model.weights, whole.model.weights)
    assert same(report.history["loss"], whole.history["loss"])


def test_any_shape_and_part_of_the_plane_is_drawn(moth):
    wide = moth.render((60, 40), center=(0.5, -0.25), zoom=2, supersample=2)
    assert wide.shape == (40, 60, 3)
    assert same(wide, picloom.Model.from_genome(moth).picture("60x40", center="0.5,-0.25", zoom=2.0, supersample=2))
    assert same(moth.render((40, 40)), moth.render(40))
    for wrong in ({"size": (1, 40)}, {"size": (40, 40, 3)}, {"zoom": 0}, {"supersample": 9}, {"centre": (0, 0)}):
        with pytest.raises(ValueError):
            moth.render(**wrong)

"""What only Python has to hold: signals, memory, errors, arrays, types of data."""

import os
import pickle
import resource
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import picloom
from conftest import ROOT, same


def test_ctrl_c_in_mid_training_leaves_python_alive(moth_path):
    code = textwrap.dedent(f"""
        import picloom, threading, os, signal, time
        # Whoever runs the tests in the background may have had Ctrl-C ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        genome = picloom.Genome.load({str(moth_path)!r})
        trainer = picloom.Trainer(picloom.Model.from_genome(genome, "dense"), genome, size=64, steps=10**9)
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        try:
            trainer.run()
        except KeyboardInterrupt:
            took = time.monotonic() - began
        step = trainer.step
        assert step > 0, step
        assert 0.9 < took < 5, took
        print("alive", genome.render(8).shape)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "alive (8, 8, 3)\n"


def test_ten_thousand_ask_and_tell_need_no_more_memory():
    def memory():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    # Small genomes are fitter, so that what could grow is only what is kept by mistake.
    search = picloom.Search.neat(seed=1, population=10)
    seen = []
    for generation in range(10_000):
        genomes = search.ask()
        search.tell([-float(len(g.to_json())) for g in genomes])
        if generation in (2_000, 9_999):
            seen.append(memory())
    assert search.generation == 10_000
    assert seen[1] - seen[0] < 4 << 20, seen


def test_a_fitness_of_one_s_own_leads_neat():
    search = picloom.Search.neat(seed=1, population=20)

    def brightness(genome):
        return float(genome.render(16).mean())

    first = np.mean([brightness(g) for g in search.ask()])
    for _ in range(12):
        births = search.tell(np.array([brightness(g) for g in search.ask()]))
        assert all({"id", "parents", "operators"} <= set(b) for b in births)
    best, fitness = search.best
    assert brightness(best) == fitness and fitness > first
    again = picloom.Search.from_state(search.state())
    assert [g.to_json() for g in again.ask()] == [g.to_json() for g in search.ask()]


def test_novelty_and_map_elites():
    def where(genome):
        picture = genome.render(8)
        return [float(picture.mean()), float(picture.std())]

    novelty = picloom.Search.novelty(seed=1, population=12, neighbours=5)
    elites = picloom.Search.map_elites([("light", 0, 1, 8), ("contrast", 0, 0.5, 8)], seed=1, population=12)
    for _ in range(4):
        novelty.tell(descriptors=[where(g) for g in novelty.ask()])
        rows = np.array([where(g) for g in elites.ask()])
        elites.tell(rows[:, 1], rows)
    assert len(novelty.archive) == 12 and len(elites.grid) > 3
    for cell, (genome, fitness, descriptor) in elites.grid.items():
        assert descriptor == where(genome) and fitness == descriptor[1]
        assert cell == tuple(min(int(d / w * 8), 7) for d, w in zip(descriptor, (1, 0.5)))


def test_a_session_is_a_tree_that_python_the_command_and_the_studio_go_on_with(moth, tmp_path):
    moth.save(tmp_path / "moth.json")
    breeding = picloom.Breeding(seed=7, population=6, ancestors=[tmp_path / "moth.json"])

    def texts(sheet):
        return [genome.to_json() for genome in sheet]

    first = texts(breeding.sheet())
    assert breeding.select([3, 5], slider=0.4, why="wings") == 1 == breeding.at
    assert texts(breeding.sheet())[0] == first[3] and breeding.births()[0]["id"] == 3
    assert breeding.undo() and not breeding.undo() and texts(breeding.sheet()) == first
    assert breeding.select([3, 5], slider=0.4) == 2 and breeding.parent(2) == 0
    # Once more: the same parents, other children.
    once, again = texts(breeding.sheet(1)), texts(breeding.sheet(2))
    assert once[:2] == again[:2] and once[2:] != again[2:]
    assert breeding.undo() and breeding.redo() and breeding.at == 2
    breeding.go_to(1)
    breeding.save(tmp_path / "session.toml")
    again = picloom.Breeding.open(tmp_path / "session.toml")
    assert (len(again), again.at) == (3, 1)
    assert all(texts(again.sheet(n)) == texts(breeding.sheet(n)) for n in range(3))
    assert [birth["id"] for birth in again.lineage()] == [3, 5]
    with pytest.raises(ValueError, match="expected sheets 0 to 2, found 9"):
        again.go_to(9)
    with pytest.raises(ValueError, match="chosen at most once"):
        again.select([1, 1])
    with pytest.raises(FileNotFoundError, match="none.toml"):
        picloom.Breeding.open(tmp_path / "none.toml")


def test_genomes_are_saved_bred_and_compared(moth, tmp_path):
    for name in ["a.json", "a.zip", "a.xml"]:
        moth.save(tmp_path / name)
        again = picloom.Genome.load(tmp_path / name)
        assert same(again.render(32), moth.render(32)), name
    assert picloom.Genome.load(tmp_path / "a.json") == moth == pickle.loads(pickle.dumps(moth))
    child, other = moth.mutate(seed=1, slider=0.5), moth.mutate(seed=2)
    assert child == moth.mutate(seed=1, slider=0.5) and child != moth
    assert moth.distance(moth) == 0 < moth.distance(child)
    crossed = child.crossover(moth, seed=3, kind="aligned")
    assert len(crossed.connections) == len(child.connections)
    assert other.info()["acyclic"] and other.provenance == {}
    grey = picloom.Genome.random(seed=1, start={"colour": False})
    assert grey.info()["outputs"] == ["ink"]


def test_models_take_and_give_arrays(moth):
    dense = picloom.Model.from_genome(moth, "dense")
    again = picloom.Model.from_layers(dense.arch, dense.layers)
    assert same(again.weights, dense.weights) and not again.mask.all() and dense.mask.all()
    assert same(again.picture(32), dense.picture(32))
    maps = dense.maps(32)
    assert maps.dtype == np.float32 and maps.shape[1:] == (32, 32)
    assert same(maps[:4].transpose(1, 2, 0), picloom.coordinates(32))
    half = np.arange(len(dense.weights)) % 2 == 0
    cut = dense.with_weights(dense.weights, half)
    assert same(cut.mask, half) and not cut.weights[~half].any()
    assert same(cut.weights[half], dense.weights[half])
    strip = picloom.strip(dense, 0, steps=3, size=16)
    assert strip.shape == (3, 16, 16, 3) and same(strip[1], dense.picture(16))
    flat = picloom.from_flax(picloom.to_flax(dense), dense.arch)
    assert same(flat.weights, dense.weights)
    layered = picloom.Model.from_genome(moth, "layerized")
    mixed = layered.transformed("mix:45", seed=1)
    assert np.abs(mixed.picture(32) - layered.picture(32)).max() < 1e-3
    assert (mixed.weights != 0).sum() > (layered.weights != 0).sum()
    with pytest.raises(ValueError, match="expected permute, .* found \"mix\""):
        layered.transformed("mix")
    with pytest.raises(ValueError, match="expected a layered network, found a graph"):
        picloom.Model.from_genome(moth, "graph").transformed("permute")


def test_a_network_that_reads_the_distance_from_the_middle_line_is_symmetric(moth):
    model = picloom.Model.from_arch("2;sin:4;in:abs(x),y")
    learned = picloom.train(model, moth, size=16, steps=20).model
    drawn = learned.picture(16)
    assert learned.arch == model.arch and drawn.std() > 0 and same(drawn, drawn[:, ::-1])
    with pytest.raises(ValueError, match="x, y, d, bias, .* found \"abs"):
        picloom.Model.from_arch("2;sin:4;in:abs(q)")


def test_a_score_comes_with_every_other_measure_when_it_is_asked_for(moth):
    dense = picloom.Model.from_genome(moth, "dense").transformed("redraw")
    evolved = picloom.Model.from_genome(moth, "layerized")
    card = picloom.score(dense, moth, all=True, evolved=evolved, size=32, samples=4)
    assert card["score"]["score"] is not None
    rows = {row["name"]: row for row in card["measures"]}
    for name in ("compositional score", "disentanglement", "roughness of maps"):
        assert {"value", "low", "high", "null", "evolved", "recommended"} <= rows[name].keys()
        assert rows[name]["evolved"] is not None
    assert [name for name, row in rows.items() if row["recommended"]] == ["disentanglement"]


def test_what_is_wrong_is_refused_with_the_program_s_words(moth, tmp_path):
    dense = picloom.Model.from_genome(moth, "dense")
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        picloom.Genome.load("nowhere.json")
    with pytest.raises(ValueError, match="expected a genome file .* found extension \"txt\""):
        path = tmp_path / "a.txt"
        path.write_text("x")
        picloom.Genome.load(path)
    with pytest.raises(ValueError, match='expected one of steps, .* found "stepz"; did you mean "steps"'):
        picloom.train(dense, moth, stepz=3)
    with pytest.raises(ValueError, match='did you mean "adam"'):
        picloom.train(dense, moth, optimizer="adan")
    with pytest.raises(ValueError, match="expected a square picture, found 4 × 3"):
        picloom.train(dense, np.zeros((3, 4, 3)))
    with pytest.raises(ValueError, match=r"values in \[0, 1\], found 2"):
        picloom.train(dense, np.full((4, 4, 3), 2.0))
    with pytest.raises(ValueError, match="expected 150 judgements, one a genome asked, found 3"):
        picloom.Search.neat(seed=1).tell([1, 2, 3])
    with pytest.raises(ValueError, match=r"layer 0: expected shape"):
        picloom.Model.from_layers("1;sin:2", [np.zeros((4, 2)), np.zeros((3, 2))])
    with pytest.raises(ValueError, match="size: expected 2 to 262144 pixels.*, found 1"):
        moth.render(1)
    with pytest.raises(FileNotFoundError, match="expected the folder of a run"):
        picloom.load_run(tmp_path / "none")
    with pytest.raises(ValueError, match="budget: expected 1 to"):
        picloom.prune(dense, moth, size=16, budget=10**6)
    with pytest.raises(ZeroDivisionError):
        picloom.train(dense, moth, size=16, steps=10**9, progress=lambda step, loss: 1 / 0)


def test_progress_is_told_from_the_calling_thread_and_a_bar_reaches_its_end(moth):
    import threading

    class Bar:
        total = 0

        def update(self, n):
            assert threading.current_thread() is threading.main_thread()
            self.total += n

    dense, bar, lines = picloom.Model.from_genome(moth, "dense"), Bar(), []
    picloom.train(dense, moth, size=32, steps=2001, log_every=1, progress=bar)
    assert bar.total == 2000
    picloom.train(dense, moth, size=32, steps=500, progress=lambda *line: lines.append(line))
    assert lines[-1][0] == 490 and lines == sorted(lines)


def test_a_depth_is_swept_and_predicted(moth, moth_path, tmp_path):
    found = picloom.depth_sweep(
        moth_path, depths=[2, 3], seeds=[0], steps=30, size=16, samples=6, runs=tmp_path,
    )  # fmt: skip
    assert [p["layers"] for p in found["dense"]["points"]] == [2, 3]
    rows = picloom.read_rows(found["rows"])
    for row in rows:
        run = picloom.load_run(row, Path(found["rows"]).parent)
        assert run["result"]["run_id"] == row["run_id"]
    run["model"].save(tmp_path / "model.safetensors")
    assert picloom.Model.load(tmp_path / "model.safetensors").weights.tolist() == run["model"].weights.tolist()
    assert picloom.read_study(found["rows"])["format"].startswith("picloom-") and len(rows) == 4
    predicted = picloom.predict_depth(moth)
    assert predicted["layers"] >= 1 and 0 < predicted["ratio"] < 1


def test_committed_results_are_read_and_become_tables(tmp_path):
    folder = ROOT / "figures" / "wirings"
    rows, study = picloom.read_rows(folder), picloom.read_study(folder)
    assert len(rows) == study["rows"] and study["study"] == "wirings"
    pandas = pytest.importorskip("pandas")
    table = picloom.frame(rows)
    assert isinstance(table, pandas.DataFrame) and len(table) == len(rows)
    plain = pandas.read_csv(folder / "rows.csv.gz")
    finished = plain[plain["at"].isna() & plain["fit"]]
    assert finished["score_low"].le(finished["score_high"]).all()
    assert set(plain.columns) == {column["name"] for column in study["columns"]}
    with pytest.raises(ValueError, match="names its format"):
        (tmp_path / "study.json").write_text("{}")
        picloom.read_study(tmp_path)
    text = '{"format": "picloom-networks/1", "columns": [{"name": "score", "type": "number"}]}'
    (tmp_path / "study.json").write_text(text)
    (tmp_path / "rows.csv.gz").write_text("score\nhigh\n")
    with pytest.raises(ValueError, match="column score: expected number, found 'high'"):
        picloom.read_rows(tmp_path)


def test_the_call_costs_less_than_two_percent_of_the_training(moth):
    dense = picloom.Model.from_genome(moth, "dense")
    shares = []
    for _ in range(3):
        began = time.perf_counter()
        # The last step is logged: its seconds are those of all steps before it, by the trainer's own clock.
        report = picloom.train(dense, moth, size=64, steps=1001, progress=lambda step, loss: None)
        wall, own = time.perf_counter() - began, report.history["seconds"][-1]
        assert report.history["step"][-1] == 1000
        shares.append(wall / own - 1)
    print("share of the call:", *(f"{s:.2%}" for s in shares))
    assert min(shares) < 0.02, shares


def test_a_family_is_trained_under_conditions() -> None:
    assert picloom.families()["face"] == ["distance of the eyes", "height of the mouth"]
    seen, held_out = picloom.conditions(2, "minimal", values=3)
    assert (seen.shape, held_out.shape) == ((5, 2), (4, 2))
    model = picloom.Model.from_arch("2;gaussian:3,sin:3;z:2", seed=1)
    assert model.factors == 2
    pictures = np.stack([picloom.family("face", z, size=16) for z in seen])
    by_name, by_array = (
        picloom.train(model, target, conditions=seen, size=16, steps=20, log_every=10) for target in ("face", pictures)
    )
    assert np.array_equal(by_name.model.weights, by_array.model.weights)
    at = by_name.model.at(held_out[0])
    assert (at.factors, at.picture(16).shape) == (0, (16, 16, 3))
    with pytest.raises(ValueError, match="expected 2 values"):
        model.at([0.5])
    with pytest.raises(ValueError, match="one a condition"):
        picloom.train(model, pictures[:2], conditions=seen, steps=1)
    with pytest.raises(ValueError, match="one a factor"):
        picloom.train(model, "sun", conditions=seen, steps=1)

"""Functions of one's own in the place of methods, judges and measures, and what the command says of results."""

import runpy
import shutil

import numpy as np
import pytest

import picloom
from conftest import ROOT, program, same

MEASURE = ROOT / "examples" / "measure.py"


def test_a_measure_is_asked_what_a_program_is_asked(moth, moth_path, command):
    model, seen = picloom.Model.from_genome(moth), []

    def measure(network):
        seen.append(network)
        return runpy.run_path(str(MEASURE))["measure"](network)

    own = picloom.score(model, moth, samples=2, size=24, measure=measure)["own"]
    line = ["--genome", moth_path, "--target", moth_path, "--samples", 2, "--size", 24, "--measure", f"cmd:python3 {MEASURE}"]
    assert own == command("score", *line)["own"] == picloom.score(model, moth, samples=2, size=24, measure=line[-1])["own"]
    network = seen[0]
    units, links = len(network["activations"]), len(model.weights)
    assert network["maps"].shape == (units, 64 * 64) and network["picture"].shape == (64, 64, 3)
    assert network["target"].shape == (24, 24, 3) and network["weights"].shape == network["alive"].shape == (links,)
    assert same(network["picture"], model.picture(64)) and same(network["weights"].astype("f4"), model.weights)
    assert same(network["maps"], model.maps(64).reshape(units, -1))
    assert "own" not in picloom.score(model, samples=2, size=24)


def test_a_judge_sees_the_picture_and_all_that_were_changed(moth):
    model = picloom.Model.from_genome(moth)

    def judge(base, pictures):
        assert base.shape == (64, 64, 3) and pictures.shape[1:] == base.shape
        return np.where(abs(pictures - base).mean((1, 2, 3)) > 0, 0.9, 0.1)

    found = picloom.score(model, samples=3, size=24, judge=judge)
    judged = [one for one in found["perturbations"] if one["verdict"]]
    assert found["judge"] == "python/judge" and found["damaged"] == len(judged) > 0
    assert found["score"] == pytest.approx(0.1)


def test_a_method_ranks_links_as_the_program_s_own_would(trained):
    settings = dict(budget=300, steps=10, seed=3)
    seen = []
    own = picloom.prune(trained, method=lambda asked: seen.append(asked) or abs(asked["weights"]), **settings)
    usual = picloom.prune(trained, method="magnitude", **settings)
    assert same(own.model.mask, usual.model.mask) and same(own.model.weights, usual.model.weights)
    links = len(trained.model.weights)
    assert seen[0]["gradient"].shape == (links,) and seen[0]["maps"].shape[0] == len(seen[0]["layers"])


@pytest.mark.parametrize("answer", [None, [1.0, 2.0, 3.0], {"a": "b"}, "no"])
def test_wrong_answers_are_refused_and_exceptions_are_raised_as_they_are(trained, answer):
    model = trained.model

    def fails(*_):
        raise ZeroDivisionError("mine")

    for function, error in [(lambda *_: answer, ValueError), (fails, ZeroDivisionError)]:
        with pytest.raises(error, match="judge: expected|judge|mine"):
            picloom.score(model, samples=1, size=24, judge=function)
        with pytest.raises(error, match="measure: expected|mine"):
            picloom.score(model, samples=1, size=24, measure=function)
        with pytest.raises(error, match="method|scores|mine"):
            picloom.prune(trained, method=function, budget=300, steps=10)
    for numbers in [{"A b": 1}, {"a": float("nan")}, {"a": float("inf")}]:
        with pytest.raises(ValueError, match="measure"):
            picloom.score(model, samples=1, size=24, measure=lambda _, numbers=numbers: numbers)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder with the committed result of a study."""
    monkeypatch.setenv("PICLOOM", program())
    shutil.copytree(ROOT / "figures" / STUDY, tmp_path / STUDY)
    return tmp_path


STUDY = "penalties"
BETWEEN = "variant=l1,variant=base"


def test_what_the_command_says_of_results_is_data(results, command):
    spec, rows = ROOT / "experiments" / f"{STUDY}.toml", results / STUDY / "rows.csv.gz"
    options = ["--between", BETWEEN, "--pair", "target,seed,arm", "--where", "level=0"]
    found = command("contrast", rows, *options)
    asked = dict(between=BETWEEN, pair=["target", "seed", "arm"], where="level=0")
    assert found["found"] and picloom.contrast(rows, **asked) == picloom.contrast(results / STUDY, **asked) == found
    # Without the study beside it.
    alone = shutil.copy(rows, results)
    plain = picloom.contrast(alone, **asked)
    assert plain["found"] and picloom.contrast(picloom.read_rows(rows), **asked) == plain
    assert picloom.contrast(pytest.importorskip("pandas").read_csv(rows, dtype=str, keep_default_na=False), **asked) == plain
    decided = picloom.decide(spec, results=results)
    assert decided == command("experiment", "decide", spec, "--results", results) and decided["decisions"]
    power = picloom.power(spec, results=results, units=4, effects=[0, 0.1])
    assert power == command("experiment", "power", spec, "--results", results, "--units", 4, "--effects", "0,0.1")
    page = picloom.report(spec, results=results, out=results / "page.html")
    assert page["report"] == str(results / "page.html") and (results / "page.html").stat().st_size > 10_000
    drawn = picloom.plot(rows, x="arm", y="score", kind="dots", horizontal=True)
    assert drawn.startswith(b"<svg") and b"</svg>" in drawn
    [written] = picloom.plot(rows, results / "plot.png", x="arm", y="score")
    assert written["path"] == str(results / "plot.png") and (results / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_asked_is_an_error(results, monkeypatch):
    rows = results / STUDY / "rows.csv.gz"
    with pytest.raises(ValueError, match="scroe"):
        picloom.contrast(rows, of="scroe", between=BETWEEN)
    with pytest.raises(FileNotFoundError, match="none.toml"):
        picloom.decide(results / "none.toml")
    with pytest.raises(FileNotFoundError, match="none.csv"):
        picloom.contrast([rows, "none.csv"], between=BETWEEN)
    (results / "picloom").write_text("#!/bin/sh\necho picloom 0.0.1\n")
    (results / "picloom").chmod(0o755)
    monkeypatch.setenv("PICLOOM", str(results / "picloom"))
    with pytest.raises(picloom.Error, match="expected version .*, found 0.0.1"):
        picloom.contrast(rows, between=BETWEEN)
    monkeypatch.delenv("PICLOOM")
    monkeypatch.setenv("PATH", str(results))
    with pytest.raises(picloom.Error, match="expected"):
        picloom.contrast(rows, between=BETWEEN)


@pytest.mark.parametrize("format", ["safetensors", "npz", "onnx", "glsl", "dot"])
def test_a_network_is_exported_as_the_command_does(moth, moth_path, command, tmp_path, format):
    out = tmp_path / f"network.{format}"
    command("export", "--genome", moth_path, "--wiring", "layerized", "--out", out)
    model = picloom.Model.from_genome(moth, "layerized")
    assert picloom.export(model, format) == out.read_bytes()
    with pytest.raises(ValueError, match="format"):
        picloom.export(model, "obj")

"""The widget's page and what it refuses; crates/python/tests/widget shows it in JupyterLab."""

import json
from pathlib import Path

import numpy as np
import picloom
import pytest

PAGE = "<head></head><body>\n<script>\nwindow.PICLOOM_SITE = {\n};\n</script></body>"


def site(folder: Path) -> Path:
    (folder / "picloom.html").write_text(PAGE)
    return folder


def shown(page: str) -> dict[str, str]:
    text = page.split("window.PICLOOM_NETWORKS = ", 1)[1].split(";\n</script>", 1)[0]
    (only,) = json.loads(text)
    return only


def test_the_page_has_the_network_to_the_bit(tmp_path: Path) -> None:
    pytest.importorskip("anywidget")
    genome = picloom.Genome.random(seed=3)
    model = picloom.Model.from_genome(genome, "dense", seed=1)
    page = picloom.widget(model, "score", name="</script>", site=site(tmp_path))
    assert page.hash == "#/score/notebook/%3C%2Fscript%3E" and "</script>;" not in page.page
    carried = json.loads(shown(page.page)["text"])
    weights = np.frombuffer(bytes.fromhex(carried["weights"]), ">f4")
    assert np.array_equal(weights, model.weights) and carried["arch"] == model.arch
    graph = picloom.widget(genome, site=tmp_path)
    assert shown(graph.page)["text"] == genome.to_json()


def test_what_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("anywidget")
    genome = picloom.Genome.random(seed=3)
    with pytest.raises(FileNotFoundError, match="crates/web/build"):
        picloom.widget(genome, site=tmp_path)
    site(tmp_path)
    with pytest.raises(ValueError, match="look, train or score"):
        picloom.widget(genome, "breed", site=tmp_path)  # type: ignore[arg-type]
    graph = picloom.Model.from_genome(genome)
    with pytest.raises(ValueError, match="genome="):
        picloom.widget(graph, site=tmp_path)
    assert picloom.widget(graph, genome=genome, site=tmp_path).height == 720

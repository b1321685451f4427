"""The widget's page and what it refuses; crates/python/tests/widget shows it in JupyterLab."""

import json

import numpy as np
import picloom
import pytest

def shown(page: str) -> dict[str, str]:
    text = page.split("window.PICLOOM_NETWORKS = ", 1)[1].split(";\n</script>", 1)[0]
    (only,) = json.loads(text)
    return only


def test_the_page_has_the_network_to_the_bit() -> None:
    pytest.importorskip("anywidget")
    genome = picloom.Genome.random(seed=3)
    model = picloom.Model.from_genome(genome, "dense", seed=1)
    page = picloom.widget(model, "score", name="</script>")
    assert page.hash == "#/score/notebook/%3C%2Fscript%3E" and "</script>;" not in page.page
    carried = json.loads(shown(page.page)["text"])
    weights = np.frombuffer(bytes.fromhex(carried["weights"]), ">f4")
    assert np.array_equal(weights, model.weights) and carried["arch"] == model.arch
    graph = picloom.widget(genome)
    assert shown(graph.page)["text"] == genome.to_json()


def test_what_cannot_be_shown_is_refused() -> None:
    pytest.importorskip("anywidget")
    genome = picloom.Genome.random(seed=3)
    with pytest.raises(ValueError, match="look, train or score"):
        picloom.widget(genome, "breed")  # type: ignore[arg-type]
    graph = picloom.Model.from_genome(genome)
    with pytest.raises(ValueError, match="genome="):
        picloom.widget(graph)
    assert picloom.widget(graph, genome=genome).height == 720

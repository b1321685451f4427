"""The page in a notebook: look inside a network, or watch one learn. anywidget is imported when it is needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

import numpy as np

from ._core import Genome, Model, page_with

if TYPE_CHECKING:
    from anywidget import AnyWidget

# The page in a frame of its own, which needs no server.
_ESM = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  const address = URL.createObjectURL(new Blob([model.get("page")], { type: "text/html" }));
  frame.src = address + model.get("hash");
  frame.title = "Picloom";
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 0`;
  el.append(frame);
  return () => URL.revokeObjectURL(address);
}
export default { render };
"""


def _text(network: Genome | Model, genome: Genome | None, name: str) -> str:
    """A network as the page carries it."""
    if isinstance(network, Genome):
        return network.to_json()
    if network.arch is None and genome is None:
        raise ValueError("expected a genome beside a network that is a graph, found none; give genome=")
    carried: dict[str, Any] = {"format": "picloom-network/1", "name": name, "coords": "fer", "size": 128}
    carried["weights"] = np.asarray(network.weights).astype(">f4").tobytes().hex()
    if network.arch is not None:
        carried["arch"] = network.arch
    elif genome is not None:
        carried["genome"] = genome.to_json()
    return json.dumps(carried)


def widget(
    network: Genome | Model,
    view: Literal["look", "train", "score"] = "look",
    *,
    name: str = "network",
    genome: Genome | None = None,
    height: int = 720,
) -> AnyWidget:
    """A network on the page that needs nothing installed, in a notebook.

    Parameters
    ----------
    network : Genome or Model
        At most 65 536 links.
    view : "look", "train" or "score"
        Its units and links, each to be moved; its picture learned by a dense twin, live; its score as it is taken.
    name : str
        What the page calls it.
    genome : Genome, optional
        Whose graph the model is; needed for a model without layers.
    height : int
        Of the page, in pixels.

    Returns
    -------
    anywidget.AnyWidget
        Tested in JupyterLab. The engine runs in the browser, with the library's bits where the
        processor multiplies and adds in one rounding; what is moved there does not come back to Python.

    Raises
    ------
    ImportError
        anywidget is not installed.
    ValueError
        A graph without its genome, or an unknown view.
    """
    import anywidget
    import traitlets

    if view not in ("look", "train", "score"):
        raise ValueError(f"view: expected look, train or score, found {view!r}")
    ident = f"notebook/{name}"
    shown: list[dict[str, Any]] = [{"id": ident, "text": _text(network, genome, name), "entry": None, "scores": {}}]

    class Page(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = _ESM
        page = traitlets.Unicode().tag(sync=True)
        hash = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

    return Page(page=page_with(json.dumps(shown)), hash=f"#/{view}/notebook/{quote(name, safe='')}", height=height)

"""Every public name says what it takes, gives and refuses, as numpydoc has it, by the names that it really has."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import picloom

STUBS = ast.parse((Path(picloom.__file__).parent / "_core.pyi").read_text())


def members():
    """(name, object) of every public function, class, method and property."""
    for name in picloom.__all__:
        thing = getattr(picloom, name)
        if callable(thing):
            yield name, thing
        if inspect.isclass(thing) and thing is not picloom.Error:
            for part in vars(thing):
                if not part.startswith("_"):
                    yield f"{name}.{part}", getattr(thing, part)


def section(doc, title):
    """The text below a heading; None if it is not there."""
    found = re.search(rf"^{title}\n-+\n((?:.*\n?)*?)(?=^\w+\n-+$|\Z)", doc, re.MULTILINE)
    return found and found[1]


def stubs():
    """Names in the stubs → (parameters, what is returned)."""
    found = {}

    def of(nodes, prefix):
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                of(node.body, f"{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                a = node.args
                names = [x.arg for x in [*a.args, *a.kwonlyargs] if x.arg not in ("self", "cls")]
                names += [f"**{a.kwarg.arg}"] if a.kwarg else []
                found[prefix + node.name] = names, ast.unparse(node.returns)

    of(STUBS.body, "")
    return found


@pytest.mark.parametrize("name, thing", list(members()), ids=lambda value: value if isinstance(value, str) else "")
def test_it_says_what_it_takes_gives_and_refuses(name, thing):
    doc = inspect.getdoc(thing)
    assert doc and re.match(r"[A-Z(*].*?[.:](\s|$)", doc, re.DOTALL), f"{name}: {doc!r}"
    if inspect.isclass(thing) or not callable(thing):
        return
    taken = [
        ("**" if p.kind == p.VAR_KEYWORD else "") + p.name
        for p in inspect.signature(thing).parameters.values() if p.name != "self"
    ]  # fmt: skip
    if name in stubs() and not inspect.isfunction(thing):
        stub_takes, gives = stubs()[name]
        assert sorted(stub_takes) == sorted(taken), "the stubs say something else"
    else:
        gives = str(inspect.signature(thing).return_annotation)
    if taken:
        said = section(doc, "Parameters") or ""
        names = [n.strip() for line in re.findall(r"^(\S[^:\n]*)(?: : .*)?$", said, re.MULTILINE) for n in line.split(",")]
        assert sorted(names) == sorted(taken), f"parameters of {name}"
        assert (section(doc, "Raises") or "").strip(), f"{name} says nothing of errors"
    assert ((section(doc, "Returns") or "").strip() == "") == (gives == "None"), f"what {name} returns"


def test_the_stubs_have_every_name():
    functions = {name for name in stubs() if "." not in name}
    core = {n for n in vars(picloom._core) if not n.startswith("_") and callable(getattr(picloom._core, n))}
    classes = {node.name for node in STUBS.body if isinstance(node, ast.ClassDef)}
    assert core <= functions | classes

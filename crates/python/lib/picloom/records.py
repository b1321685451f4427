"""Results of studies as plain data."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core import load_run as _load_run

if TYPE_CHECKING:
    import pandas


def read_study(folder: str | PathLike[str]) -> dict[str, Any]:
    """The ``study.json`` of a folder: what is true of the whole study, and what its columns mean.

    Parameters
    ----------
    folder : path
        The folder, or a file in it.

    Returns
    -------
    dict
        Among others ``study``, ``profile``, ``judge``, ``rows`` (their number) and ``columns`` (a list of dicts with
        ``name``, ``type`` and ``says``).

    Raises
    ------
    FileNotFoundError
        There is none.
    ValueError
        It is no ``study.json``: it does not name its format.
    """
    folder = Path(folder)
    path = (folder if folder.is_dir() else folder.parent) / "study.json"
    study = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(study, dict) or not str(study.get("format", "")).startswith("picloom-"):
        raise ValueError(f"{path}: expected a study that names its format, picloom-..., found none")
    return study


def load_run(run: str | PathLike[str] | Mapping[str, Any], folder: str | PathLike[str] = "") -> dict[str, Any]:
    """A finished run read back from its folder, or the run of a row.

    Parameters
    ----------
    run : path or mapping
        The folder, or a row of a networks table, of `read_rows` or of pandas.
    folder : path
        The study's folder in the store, to which the row's ``path`` is relative.

    Returns
    -------
    dict
        ``config``, ``result`` (plain dicts), ``model``, ``target`` (S, S, 3), ``history`` (as ``TrainReport.history``),
        ``genome`` (of a graph, else None).

    Raises
    ------
    FileNotFoundError, ValueError
        There is no such folder, it holds no finished run, or the row names none.
    """
    if isinstance(run, (str, PathLike)):
        return _load_run(Path(folder) / run)
    path = run.get("path")
    if not isinstance(path, str):
        raise ValueError(f"row: expected a path of a run, found {path!r}: an evolved network has none, nor an older table")
    return _load_run(Path(folder) / path)


def read_rows(folder: str | PathLike[str]) -> list[dict[str, Any]]:
    """The rows of a result, ``rows.csv.gz``: numbers, truth values, texts, lists, and None where there is no value.

    ``pandas.read_csv`` reads the same file.

    Parameters
    ----------
    folder : path
        The folder, or the table in it.

    Returns
    -------
    list of dict
        One row per measured network; ``at`` is the R² at which it was measured on its way, None at the end of training.

    Raises
    ------
    FileNotFoundError
        There is none.
    ValueError
        A value is not of its column's type.
    """
    path = Path(folder)
    path = path / "rows.csv.gz" if path.is_dir() else path
    data = path.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    kinds = {column["name"]: column["type"] for column in read_study(path)["columns"]}
    rows = csv.DictReader(io.StringIO(text))
    return [{name: _value(path, name, kinds.get(name, "text"), cell) for name, cell in row.items()} for row in rows]


def _value(path: Path, name: str, kind: str, cell: str) -> Any:
    """A cell as its column's type."""
    try:
        match kind:
            case _ if cell == "":
                return None
            case "number":
                return int(cell) if cell.lstrip("-").isdecimal() else float(cell)
            case "bool":
                return {"true": True, "false": False}[cell.lower()]
            case "json":
                return json.loads(cell)
            case _:
                return cell
    except (KeyError, ValueError):
        raise ValueError(f"{path}, column {name}: expected {kind}, found {cell!r:.60}") from None


def frame(rows: Any) -> pandas.DataFrame:
    """A table (needs pandas).

    Parameters
    ----------
    rows : dict or list of dict
        Rows, or a dict of columns such as `sweep` gives. What is nested becomes columns named with dots.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ImportError
        pandas is not installed.
    """
    import pandas

    if isinstance(rows, dict):
        return pandas.DataFrame(rows)
    return pandas.json_normalize(rows)

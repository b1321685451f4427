"""Records of studies as plain data."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def read_record(path: str | PathLike[str]) -> dict[str, Any]:
    """A ``record.json``, or that of a folder, as a dict.

    Parameters
    ----------
    path : path
        The file, or its folder.

    Returns
    -------
    dict

    Raises
    ------
    FileNotFoundError
        There is none.
    ValueError
        It is no record: it does not name its format.
    """
    path = Path(path)
    path = path / "record.json" if path.is_dir() else path
    record = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(record, dict) or not str(record.get("format", "")).startswith("picloom-"):
        raise ValueError(f"{path}: expected a record that names its format, picloom-..., found none")
    return record


def frame(rows: Any) -> pandas.DataFrame:
    """A table (needs pandas).

    Parameters
    ----------
    rows : dict or list of dict
        A record (its ``rows``), a dict of columns such as `sweep` gives, or dicts one a row. What is nested
        becomes columns named with dots.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ImportError
        pandas is not installed.
    """
    import pandas

    if isinstance(rows, dict) and "rows" in rows:
        rows = rows["rows"]
    if isinstance(rows, dict):
        return pandas.DataFrame(rows)
    return pandas.json_normalize(rows)

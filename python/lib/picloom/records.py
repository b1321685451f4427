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
        It is no record: it does not name its format, or its ``rows`` do not fit its ``columns``.
    """
    path = Path(path)
    path = path / "record.json" if path.is_dir() else path
    record = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(record, dict) or not str(record.get("format", "")).startswith("picloom-"):
        raise ValueError(f"{path}: expected a record that names its format, picloom-..., found none")
    columns = record.pop("columns", None)
    if columns is not None:
        record["rows"] = [_row(path, columns, cells) for cells in record["rows"]]
    return record


def _row(path: Path, columns: list[str], cells: list[Any]) -> dict[str, Any]:
    """A row as a dict, from its values in the order of ``columns``: paths such as ``result.reached[0].level``."""
    if not isinstance(cells, list) or len(cells) > len(columns):
        raise ValueError(f"{path}: expected rows of at most {len(columns)} values, found {cells!r:.60}")
    row: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=False):
        if cell is None:
            continue
        steps = [int(s) if s.isdecimal() else s for s in column.replace("]", "").replace("[", ".").split(".")]
        at: Any = row
        for step, after in zip(steps, [*steps[1:], None], strict=True):
            if isinstance(step, int):
                at.extend({} for _ in range(step + 1 - len(at)))
            if after is None:
                at[step] = cell
            elif isinstance(step, int):
                at = at[step]
            else:
                at = at.setdefault(step, [] if isinstance(after, int) else {})
    return row


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

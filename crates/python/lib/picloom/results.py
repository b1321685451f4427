"""What results say: contrasts, verdicts, power, figures and reports, as the command ``picloom`` answers them in JSON."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from ._core import Error, __version__

Paths: TypeAlias = "str | PathLike[str]"
Rows: TypeAlias = "Paths | Sequence[Paths] | Sequence[Mapping[str, Any]] | Any"


@lru_cache
def _program(named: str | None) -> str:
    """The command of this package's version: PICLOOM, the one that was installed with it, or one on PATH."""
    own = shutil.which("picloom", path=sysconfig.get_path("scripts"))
    program = named or own or shutil.which("picloom")
    if program is None:
        raise Error("expected the command picloom, found none: install a release's wheel, or name it in PICLOOM")
    found = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    if found != __version__:
        raise Error(f"{program}: expected version {__version__}, that of this package, found {found}")
    return program


def _ask(*words: Any, **options: Any) -> Any:
    """The JSON that the command answers. An option is a keyword; None leaves it out."""
    line = [_program(os.environ.get("PICLOOM")), *map(os.fspath, words)]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if name in ("basis", "contrast", "figure", "set") and not isinstance(value, str):
            line += [f"{option}={one}" for one in value or []]
        elif isinstance(value, (list, tuple)):
            line.append(f"{option}={','.join(map(str, value))}")
        elif value is not None:
            line.append(f"{option}={value}")
    done = subprocess.run([*line, "--json", "--quiet"], capture_output=True, text=True, encoding="utf-8")
    if done.returncode == 0:
        return json.loads(done.stdout)
    said = done.stderr.strip().removeprefix("error: ")
    raise (ValueError if done.returncode == 2 else Error)(said)


def _there(path: Paths) -> str:
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: expected a file or folder, found none")
    return os.fspath(path)


@contextmanager
def _tables(rows: Any) -> Iterator[list[str]]:
    """Files with these rows: tables and folders of results as they are, rows and frames written for as long as it takes."""
    if isinstance(rows, (str, PathLike)):
        rows = [rows]
    if not hasattr(rows, "to_csv") and all(isinstance(row, (str, PathLike)) for row in rows):
        paths = [Path(_there(path)) for path in rows]
        yield [str(path / "rows.csv.gz" if path.is_dir() else path) for path in paths]
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        if hasattr(rows, "to_csv"):
            rows.to_csv(path, index=False)
        else:
            names = list(dict.fromkeys(name for row in rows for name in row))
            with path.open("w", newline="", encoding="utf-8") as file:
                table = csv.DictWriter(file, names)
                table.writeheader()
                table.writerows({n: json.dumps(v) if isinstance(v, list) else v for n, v in row.items()} for row in rows)
        yield [str(path)]


def contrast(rows: Rows, **options: Any) -> dict[str, Any]:
    """Differences between groups of networks in a table, as ``picloom contrast``.

    Parameters
    ----------
    rows : path, paths, list of dict or pandas.DataFrame
        Tables or folders of results, or rows, as `read_rows` gives them.
    **options
        Those of the command: ``of="score"``, ``between="arm=sp,arm=random"``, ``pair=["target", "seed"]``, …

    Returns
    -------
    dict
        ``spec``, the whole contrast, and ``found``, a dict for each basis and group.

    Raises
    ------
    ValueError, FileNotFoundError
        An option or a table cannot be used.
    picloom.Error
        The command is not installed.
    """
    with _tables(rows) as paths:
        found: dict[str, Any] = _ask("contrast", *paths, **options)
        return found


def decide(spec: Paths, *, results: Paths | None = None) -> dict[str, Any]:
    """The verdicts of a spec on its table of results, as ``picloom experiment decide``, which writes them beside it.

    Parameters
    ----------
    spec : path
        Spec (.toml).
    results : path, optional
        Folder of results. Default: runs, then figures.

    Returns
    -------
    dict
        ``study``, ``rules``, ``remarks`` and ``decisions``, a dict for each contrast.

    Raises
    ------
    ValueError, FileNotFoundError
        The spec has no contrasts, or there is no table.
    picloom.Error
        The command is not installed, or the results are damaged.
    """
    found: dict[str, Any] = _ask("experiment", "decide", _there(spec), results=results)
    return found


def power(spec: Paths, **options: Any) -> dict[str, Any]:
    """How often the contrasts of a spec would find an effect, as ``picloom experiment power``.

    Parameters
    ----------
    spec : path
        Spec (.toml).
    **options
        Those of the command: ``results``, ``contrast``, ``units``, ``seeds``, ``effects=[0, 0.1]``.

    Returns
    -------
    dict
        ``study`` and ``power``, a dict for each contrast and effect.

    Raises
    ------
    ValueError, FileNotFoundError
        The spec or an option cannot be used.
    picloom.Error
        The command is not installed, or the results are damaged.
    """
    found: dict[str, Any] = _ask("experiment", "power", _there(spec), **options)
    return found


def plot(rows: Rows, out: Paths | None = None, **keys: Any) -> Any:
    """A figure of a table, as ``picloom plot``.

    Parameters
    ----------
    rows : path, paths, list of dict or pandas.DataFrame
        As in `contrast`.
    out : path, optional
        FILE.svg, .png or .pdf.
    **keys
        Keys of a figure (docs/PLOTS.md): ``kind="dots"``, ``x="arm"``, ``y="score"``, …

    Returns
    -------
    bytes or list of dict
        Without ``out`` the figure as SVG; else ``path`` and what was drawn of each ``figure``.

    Raises
    ------
    ValueError, FileNotFoundError
        A key or a table cannot be used.
    picloom.Error
        The command is not installed, or the file cannot be written.
    """
    given = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in keys.items() if value is not None]
    with tempfile.TemporaryDirectory() as folder, _tables(rows) as paths:
        path = Path(folder) / "plot.svg"
        drawn = _ask("plot", *paths, out=out or path, set=given)
        return drawn if out else path.read_bytes()


def report(spec: Paths, *, results: Paths | None = None, out: Paths | None = None) -> dict[str, Any]:
    """One page of a study, as ``picloom experiment report``: question, arms, contrasts, figures, how to repeat it.

    Parameters
    ----------
    spec : path
        Spec (.toml).
    results : path, optional
        Folder of results. Default: runs, then figures.
    out : path, optional
        FILE.html. Default: report.html beside the table.

    Returns
    -------
    dict
        ``study``, ``report``, the path of the page, and ``not_drawn``, why figures are lacking.

    Raises
    ------
    ValueError, FileNotFoundError
        The spec cannot be used, or there is no table.
    picloom.Error
        The command is not installed, or the page cannot be written.
    """
    found: dict[str, Any] = _ask("experiment", "report", _there(spec), results=results, out=out)
    return found

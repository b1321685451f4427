#!/usr/bin/env python3
"""Converts the committed tables of theory and structural once: values of a row stand under `result`, and the list of a
curve's depths is the column `depths`. No value changes."""

import gzip
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "figures"

for study, old, new in [("theory", "values.", "result."), ("structural", "arms", "result.arms")]:
    path = ROOT / study / "study.json"
    head = json.loads(path.read_text(encoding="utf-8"))
    for column in head["columns"]:
        if column["path"].startswith(old):
            column["path"] = column["path"].replace(old, new, 1)
        if column["name"] == "values_layers":
            column["name"], column["path"] = "depths", "result.depths"
    path.write_text(json.dumps(head, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = ROOT / study / "rows.csv.gz"
    csv = gzip.decompress(rows.read_bytes())
    renamed = csv.replace(b"values_layers", b"depths", 1)
    if renamed != csv:
        rows.write_bytes(gzip.compress(renamed, 9, mtime=0))

#!/usr/bin/env python3
"""Holds the pages of studies to their verdicts: every estimate with an interval is a verdict's, rounded once.

    experiments/intervals.py            fails with a line for each that is not

Read are the pages in this folder whose study has `figures/NAME/verdicts.json`, and docs/FINDINGS.md; not the pages of the
ledger, which `finished.py` holds to the records. An estimate is written `.05 [−.03, .14]`. It may be a verdict of any study,
and may be turned round. What no verdict says stands in `OTHERS`.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r"([−-]?\d*\.?\d+)"
ESTIMATE = re.compile(rf"(?<![\w.,]){NUMBER} \[{NUMBER}, {NUMBER}\]")
LEDGER = {"controls", "regime", "replication", "rewinding", "wirings"}
# By page: what was computed otherwise, as the page says.
OTHERS = {
    "gate": {".07 [.01, .14]"},  # before four networks were taken out
    "gate_rewinding": {".06 [.03, .09]", ".06 [.02, .09]", ".02 [.01, .04]"},  # asked by no rule
    "penalties_seeds": {".05 [−.20, .29]", ".25 [.20, .31]", "−.11 [−.13, −.09]"},  # `picloom contrast`
    "price": {".43 [.27, .58]", ".67 [.51, .83]", ".37 [.21, .54]", ".62 [.46, .78]", ".98 [.82, 1.00]"},  # figures/distil
    "recipes": {"−.48 [−1.49, .53]", "−.97 [−1.40, −.53]"},  # a pilot; `picloom contrast`
    "FINDINGS": {".072 [.046, .099]", ".40 [.19, .61]", ".04 [.01, .07]"},  # experiments/finished.py
}


def estimates(value):
    """Estimates with their intervals, wherever they stand in a document."""
    if isinstance(value, dict):
        if None not in (value.get("estimate"), value.get("low"), value.get("high")):
            yield value["estimate"], value["low"], value["high"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from estimates(inner)


def is_rounded(printed, exact):
    """Whether numbers are printed as they are, rounded once."""
    decimals = [len(text.partition(".")[2]) for text in printed]
    values = [float(text.replace("−", "-")) for text in printed]
    return all(abs(v - e) <= 0.5 * 10**-d + 1e-9 for v, e, d in zip(values, exact, decimals))


def main():
    verdicts = sorted(ROOT.glob("figures/*/verdicts.json"))
    known = [one for path in [*verdicts, ROOT / "figures/claims.json"] for one in estimates(json.loads(path.read_text()))]
    known += [(-estimate, -high, -low) for estimate, low, high in known]
    named = [path.parent.name for path in verdicts if path.parent.name not in LEDGER]
    pages = [page for name in named if (page := ROOT / f"experiments/{name}.md").exists()]
    checked, wrong = 0, []
    for page in [*pages, ROOT / "docs/FINDINGS.md"]:
        for found in ESTIMATE.finditer(page.read_text()):
            checked += 1
            printed = found.groups()
            if found[0] not in OTHERS.get(page.stem, ()) and not any(is_rounded(printed, one) for one in known):
                wrong.append(f"{page.relative_to(ROOT)}: expected a verdict rounded once, found {found[0]}")
    print("\n".join(wrong) or f"{checked} estimates on {len(pages) + 1} pages are verdicts")
    sys.exit(bool(wrong))


main()

#!/usr/bin/env python3
"""Holds the pages of studies to their verdicts: every estimate with an interval is a verdict's, rounded once.

    experiments/intervals.py            fails with a line for each that is not

Read are the pages in this folder whose study has `figures/NAME/verdicts.json`, and docs/FINDINGS.md, without the tables that
`finished.py` holds to the records. An estimate is written `.05 [−.03, .14]`. It is a verdict of a study that the page names,
and may be turned round. What no verdict says stands in `OTHERS`.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r"([−-]?\d*\.?\d+)"
ESTIMATE = re.compile(rf"(?<![\w.,]){NUMBER} \[{NUMBER}, {NUMBER}\]")
TABLE = re.compile(r"<!-- finished\.py: .*?<!-- end -->", re.S)
# By page: what was computed otherwise, as the page says.
OTHERS = {
    "gate": {".07 [.01, .14]"},  # before four networks were taken out
    "gate_rewinding": {".06 [.03, .09]", ".06 [.02, .09]", ".02 [.01, .04]"},  # asked by no rule
    "controls": {"−.09 [−.45, .26]"},  # another record, another judge
    "out_of_domain": {".05 [−.02, .12]"},  # the same
    "penalties_seeds": {".05 [−.20, .29]", ".04 [−.17, .26]", ".25 [.20, .31]", "−.11 [−.13, −.09]"},  # `picloom contrast`
    "price": {".43 [.27, .58]", ".67 [.51, .83]", ".37 [.21, .54]", ".62 [.46, .78]", ".98 [.82, 1.00]"},  # figures/distil
    "recipes": {"−.48 [−1.49, .53]", "−.97 [−1.40, −.53]"},  # a pilot; `picloom contrast`
    "replication": {".11 [.04, .18]"},  # finished.py
    "rewinding": {".11 [.07, .14]"},  # finished.py
    # finished.py; two other judges.
    "wirings": {".40 [.19, .61]", ".64 [.40, .89]", ".59 [.39, .79]", "−.19 [−3.20, 2.82]", ".04 [−.10, .18]", ".77 [.49, 1.05]", ".18 [.13, .23]"},
    # finished.py; what stands beside its tables; readings of maps and theory, which have no verdicts.
    "regime": {
        *(".072 [.046, .099]", ".067 [.038, .096]", ".72 [.60, .84]", ".04 [.01, .07]", "−.06 [−.12, .01]", ".02 [−.06, .11]"),
        *(".09 [.01, .16]", ".11 [.05, .17]", ".15 [.07, .23]", ".08 [−.00, .16]", ".03 [−.06, .13]", ".02 [−.24, .29]"),
        *(".00 [−.01, .02]", "−.07 [−.74, .60]", ".06 [.03, .09]", ".10 [.02, .17]", ".05 [.02, .07]", ".10 [.06, .14]"),
        *(".12 [.07, .17]", "−.03 [−.07, .01]", "−.05 [−.11, .00]"),
    },
    "FINDINGS": {".072 [.046, .099]", ".40 [.19, .61]", ".04 [.01, .07]"},  # finished.py
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
    studies = {path.parent.name: list(estimates(json.loads(path.read_text()))) for path in ROOT.glob("figures/*/verdicts.json")}
    ledger = list(estimates(json.loads((ROOT / "figures/claims.json").read_text())))
    pages = [page for name in sorted(studies) if (page := ROOT / f"experiments/{name}.md").exists()]
    checked, wrong = 0, []
    for page in [*pages, ROOT / "docs/FINDINGS.md"]:
        text = TABLE.sub("", page.read_text())
        named = {page.stem, *re.findall(r"(\w+)\.md", text), *re.findall(r"figures/(\w+)", text)}
        known = [one for study, all in studies.items() if any(f"{study}_".startswith(f"{name}_") for name in named) for one in all]
        known += ledger
        known += [(-estimate, -high, -low) for estimate, low, high in known]
        others = set(OTHERS.get(page.stem, ()))
        for found in ESTIMATE.finditer(text):
            checked += 1
            if found[0] in OTHERS.get(page.stem, ()):
                others.discard(found[0])
            elif not any(is_rounded(found.groups(), one) for one in known):
                wrong.append(f"{page.relative_to(ROOT)}: expected a verdict rounded once, found {found[0]}")
        wrong += [f"{page.relative_to(ROOT)}: {one} stands in OTHERS and no longer on the page" for one in sorted(others)]
    print("\n".join(wrong) or f"{checked} estimates on {len(pages) + 1} pages are verdicts")
    sys.exit(bool(wrong))


main()

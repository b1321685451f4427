#!/usr/bin/env python3
"""Holds the pages of this folder to the verdicts, and writes the table of studies.

    experiments/pages.py            fails with a line for each estimate that is no verdict, and if README.md is old
    experiments/pages.py --write    writes README.md

Read are the pages here and docs/FINDINGS.md and README.md of the project. An estimate is written `.05 [−.03, .14]`: it is a
verdict of a study that the page names, or of the ledger, rounded once, and may be turned round. What no verdict says stands
in `OTHERS`, with its reason.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "experiments"
NUMBER = r"([−-]?\d*\.?\d+)"
ESTIMATE = re.compile(rf"(?<![\w.,]){NUMBER} \[{NUMBER}, {NUMBER}\]")
# By page: what was computed otherwise, as the page says.
OTHERS = {
    # A difference of two columns, and means by search: no contrast can say them.
    "organisation": {"−.3 [−.7, .1]", ".3 [−.1, .7]"},
    # `picloom contrast figures/lamarck/rows.csv`.
    "evolved_and_trained": {"−.01 [−.11, .10]"},
}
MOST = 16  # contrasts that are named one by one


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


def wrong_estimates():
    """A line for each estimate on a page that is no verdict, and how many estimates there are."""
    studies = {path.parent.name: list(estimates(json.loads(path.read_text()))) for path in ROOT.glob("figures/*/verdicts.json")}
    ledger = list(estimates(json.loads((ROOT / "figures/claims.json").read_text())))
    everywhere = [one for all in studies.values() for one in all]
    checked, wrong = 0, []
    pages = [page for page in HERE.glob("*.md") if page.stem not in ("README", "corrections")]
    for page in [*pages, ROOT / "docs/FINDINGS.md", ROOT / "README.md"]:
        text = page.read_text()
        named = set(re.findall(r"figures/(\w+)", text)) | set(re.findall(r"(\w+)\.toml", text))
        known = [one for study in named for one in studies.get(study, ())] or everywhere
        known = (everywhere if page.stem in ("FINDINGS", "README") else known) + ledger
        known = known + [(-estimate, -high, -low) for estimate, low, high in known]
        others = set(OTHERS.get(page.stem, ()))
        for found in ESTIMATE.finditer(text):
            checked += 1
            if found[0] in others:
                continue
            if not any(is_rounded(found.groups(), one) for one in known):
                wrong.append(f"{page.relative_to(ROOT)}: expected a verdict rounded once, found {found[0]}")
        wrong += [f"{page.relative_to(ROOT)}: {one} stands in OTHERS and not on the page" for one in sorted(others) if one not in text]
    return checked, wrong


def words(study):
    """The verdicts of a study, each with the contrasts that have it, or their number where there are many."""
    path = ROOT / "figures" / study / "verdicts.json"
    if not path.exists():
        return "–"
    short = {"smaller-than-margin": "smaller than the margin", "inconclusive": "open"}
    asked = [d for d in json.loads(path.read_text())["decisions"] if d["asked"]]
    main = [d for d in asked if not d["contrast"].get("beside")]
    told = {}
    for one in main or asked:
        ids = told.setdefault(short.get(one["verdict"], one["verdict"]), [])
        # A contrast of several numbers, or against several groups, stands once.
        ids += [name for name in [one["contrast"]["id"].partition(".")[0]] if name not in ids]
    many = sum(map(len, told.values())) > MOST
    return "; ".join(f"{verdict}: {len(ids) if many else ', '.join(ids)}" for verdict, ids in sorted(told.items())) or "–"


def table():
    """README.md of this folder."""
    rows = []
    for path in sorted(HERE.glob("*.toml")):
        spec = tomllib.loads(path.read_text())
        if "kind" in spec or "extends" in spec:
            rows.append(f"| [{path.stem}]({path.name}) | {spec.get('question', '–')} | {words(path.stem)} |")
    return """# The studies

Five pages say what came out:

- [Evolved and trained](evolved_and_trained.md)
- [The paper's claims: depth and links](depth_and_links.md)
- [Penalty or links?](penalty_or_links.md)
- [What can see organisation?](organisation.md)
- [Does it matter for new combinations?](new_combinations.md)

For all of them: a vision-language model bred the `bred_*` genomes and labelled for the judge; no person did. *Stripes* are
`unseen_elite_1` to `4` and `unseen_novelty_1` to `4`; four of them are one straight edge.

[title](title.md) asks the paper's question at its own count of links. [sp_readings](sp_readings.md) says how similarity is defined.
[Corrections](corrections.md) lists the sentences that we took back. `study.toml` has the rules of the [ledger](../figures/claims.md).

The table has every study, its question and the verdicts of its main contrasts, by their names in its file; of a study without
main ones those of all. *Open*: the interval allows both. –: nothing was decided. Results lie in [figures](../figures/README.md).
`experiments/pages.py --write` writes this page.

| study | question | verdicts |
|---|---|---|
""" + "\n".join(rows) + "\n"


def main():
    readme = HERE / "README.md"
    if "--write" in sys.argv[1:]:
        readme.write_text(table())
        return
    checked, wrong = wrong_estimates()
    if not readme.exists() or readme.read_text() != table():
        wrong.append("experiments/README.md: expected what the verdicts say; experiments/pages.py --write writes it")
    print("\n".join(wrong) or f"{checked} estimates are verdicts, and the table of studies is theirs")
    sys.exit(bool(wrong))


main()

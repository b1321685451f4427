#!/usr/bin/env python3
"""Says of finished networks what is true of them: recomputes numbers of the pages from the records.

    experiments/finished.py            prints every table and every sentence
    experiments/finished.py --check    fails if a page has another table or lacks a sentence (CI runs this)
    experiments/finished.py --write    writes the tables into the pages

A table stands in a page between `<!-- finished.py: NAME -->` and `<!-- end -->`. A sentence is in `sentences`
below and must stand in its page word for word; line breaks do not matter.

Words: a network is *finished* at the end of its training, and *learned* its picture if its R² is .95 or more
there. *On the way*: where its training first reached an R². The unit is a target: seeds and kept shares are
averaged within it; intervals are 95 % Student's t over targets. None of this was declared before the runs.
"""

import csv
import gzip
import re
import sys
from collections import Counter, namedtuple
from math import log2, sqrt
from pathlib import Path
from statistics import fmean, linear_regression, stdev

ROOT = Path(__file__).resolve().parent.parent
WAY = (0.7, 0.8, 0.9, 0.95, 0.97, 0.99)
SHARES = {1: "50 %", 2: "26 %", 3: "12 %", 4: "6 %"}
RULE = (2, 3)  # kept shares that the rules of the map are decided at
ALL = (1, 2, 3)

# ---- records -----------------------------------------------------------------------------------------------

Network = namedtuple("Network", "study target seed offset arm level r2 fit score fixed alive reached")


def networks(study):
    """Every scored network of a study. The only function that knows how results are stored."""
    with gzip.open(ROOT / "figures" / study / "rows.csv.gz", "rt", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    found, last = [], None
    for one in rows:
        score = float(one["score"]) if one["score"] else None
        if one.get("at"):
            # A network on its way stands below its row at the end of training.
            if score is not None and last is not None:
                last.reached[float(one["at"])] = score
            continue
        last = None
        if score is None:
            continue
        last = Network(
            study,
            one["target"],
                int(one["seed"]) if one["seed"] else None,
                int(one["offset"]),
                one["arm"],
                int(one["level"]),
                float(one["r2"]),
                one["fit"] == "true",
                score,
                float(one["fixed_score"]) if one.get("fixed_score") else None,
                int(one["alive"]),
                {},
        )
        found.append(last)
    return found


class Study:
    """Networks of one record, by place."""

    def __init__(self, name):
        self.networks = networks(name)
        self.by_place = {(n.target, n.seed, n.offset, n.arm, n.level): n for n in self.networks}
        self.targets = list(dict.fromkeys(n.target for n in self.networks))
        self.seeds = sorted({n.seed for n in self.networks if n.seed is not None})

    def at(self, target, seed, arm, level, offset=0):
        return self.by_place.get((target, seed, offset, arm, level))

    def evolved(self, target):
        return next(n for n in self.networks if n.target == target and n.arm == "evolved")


# ---- statistics --------------------------------------------------------------------------------------------

# Student's t, .975, for 1 to 30 degrees of freedom.
T = (
    "12.7062 4.3027 3.1824 2.7764 2.5706 2.4469 2.3646 2.3060 2.2622 2.2281 2.2010 2.1788 2.1604 2.1448 2.1314 "
    "2.1199 2.1098 2.1009 2.0930 2.0860 2.0796 2.0739 2.0687 2.0639 2.0595 2.0555 2.0518 2.0484 2.0452 2.0423"
).split()

Mean = namedtuple("Mean", "value low high targets above pairs")


def mean(values):
    """Mean over targets of the means within them, with its interval; none below three targets."""
    each = [fmean(v) for v in values.values() if v]
    if len(each) < 3:
        return None
    middle, half = fmean(each), float(T[len(each) - 2]) * stdev(each) / sqrt(len(each))
    above, pairs = sum(x > 0 for x in each), sum(map(len, values.values()))
    return Mean(middle, middle - half, middle + half, len(each), above, pairs)


def number(value, digits=2):
    """`.07`, `−.11`: as the pages write scores."""
    text = f"{abs(value):.{digits}f}"
    text = text[1:] if text.startswith("0.") else text
    return ("−" if value < 0 else "") + text


def interval(m, digits=2):
    if m is None:
        return "–"
    return f"{number(m.value, digits)} [{number(m.low, digits)}, {number(m.high, digits)}]"


def lower(m):
    """How much lower: a negative mean and its interval, turned round."""
    return f"{number(-m.value)} [{number(-m.high)}, {number(-m.low)}]"


def cell(m):
    return "–" if m is None else f"{interval(m)}, {m.targets}"


# ---- contrasts ---------------------------------------------------------------------------------------------

Side = namedtuple("Side", "study arm offset", defaults=(0,))


def both_learned(a, b):
    return [a.score - b.score] if a.fit and b.fit else []


def both_learned_fixed(a, b):
    return [a.fixed - b.fixed] if a.fit and b.fit else []


def at(r2):
    return lambda a, b: [a.reached[r2] - b.reached[r2]] if r2 in a.reached and r2 in b.reached else []


def contrast(first, second, compare, levels=RULE, seeds=None):
    """Scores of `first` less those of `second`, by target; `compare` says on which basis."""
    values = {}
    for target in first.study.targets:
        for seed in seeds or first.study.seeds:
            within = []
            for level in levels:
                a = first.study.at(target, seed, first.arm, level, first.offset)
                other = 0 if second.arm == "dense" else level
                b = second.study.at(target, seed, second.arm, other, second.offset)
                if a and b:
                    within += compare(a, b)
            if within:
                values.setdefault(target, []).append(fmean(within))
    return values


def finished(first, second, levels=RULE, seeds=None, compare=both_learned):
    """The same at the end of training, both learned; every pair counts alike."""
    values = {}
    for target in first.study.targets:
        for seed in seeds or first.study.seeds:
            for level in levels:
                a = first.study.at(target, seed, first.arm, level, first.offset)
                other = 0 if second.arm == "dense" else level
                b = second.study.at(target, seed, second.arm, other, second.offset)
                if a and b:
                    values.setdefault(target, []).extend(compare(a, b))
    return values


def sides(study, arm, apart, compare, levels=RULE):
    """An arm at the reference depth less the mean of the depths `apart` layers to either side."""
    values = {}
    for target in study.targets:
        for seed in study.seeds:
            within = []
            for level in levels:
                middle = study.at(target, seed, arm, level)
                beside = [study.at(target, seed, arm, level, off) for off in (-apart, apart)]
                found = [compare(middle, one) for one in beside if middle and one]
                found = [one[0] for one in found if one]
                if found:
                    within.append(fmean(found))
            if within:
                values.setdefault(target, []).append(fmean(within))
    return values


HEAD = "| " + " | ".join(number(q) for q in WAY) + " | finished, both learned |"


def rows(named, first="contrast"):
    """A table by R² on the way and at the end; `named`: (name, compare → values, finished values)."""
    text = f"| {first} {HEAD}\n|{'---|' * (len(WAY) + 2)}\n"
    for name, of, last in named:
        cells = [cell(mean(of(at(q)))) for q in WAY] + [cell(mean(last))]
        text += f"| {name} | " + " | ".join(cells) + " |\n"
    return text


def pair(name, a, b, levels=RULE, seeds=None):
    return (
        name,
        lambda compare: contrast(a, b, compare, levels, seeds),
        finished(a, b, levels, seeds),
    )


# ---- what the pages say ------------------------------------------------------------------------------------


class Numbers:
    """Everything that a page says, from the records."""

    def __init__(self):
        self.map, self.rewound = Study("regime"), Study("rewinding")
        self.wirings, self.replication = Study("wirings"), Study("replication")
        self.less_dense()
        self.doubling()
        self.criteria()
        self.rewinding()
        self.depth()
        self.evolved()
        self.retrained()
        self.optimizer()
        self.small()

    def side(self, arm, rewound=False, offset=0):
        return Side(self.rewound if rewound else self.map, arm, offset)

    def less_dense(self):
        """Finished networks less their dense parent, by criterion and kept share."""
        dense = self.side("dense")
        arms = [
            ("SP, rewound", "sp", True),
            ("random, rewound", "random", True),
            ("Wanda, rewound", "wanda", True),
            ("Taylor, rewound", "taylor", True),
            ("magnitude, rewound (IMP)", "imp", False),
            ("SP, fine-tuned", "sp", False),
            ("layer counts, fine-tuned", "layer-counts", False),
            ("rewired, fine-tuned", "rewired", False),
            ("random, fine-tuned", "random", False),
            ("Taylor, fine-tuned", "taylor", False),
            ("Wanda, fine-tuned", "wanda", False),
            ("magnitude, fine-tuned", "magnitude", False),
        ]
        self.gain = {}
        text = "| less the dense parent, both learned | 50 % of the links | 26 % | 12 % |\n|---|---|---|---|\n"
        for name, arm, rewound in arms:
            found = [mean(finished(self.side(arm, rewound), dense, (level,))) for level in ALL]
            self.gain[name] = found
            text += f"| {name} | " + " | ".join(map(cell, found)) + " |\n"
        self.table_less_dense = text
        learned = [n for n in self.map.networks if n.arm == "dense" and n.offset == 0 and n.fit]
        self.dense = mean({t: [n.score for n in learned if n.target == t] for t in self.map.targets})
        self.best = mean({t: [self.map.evolved(t).score] for t in self.map.targets})
        spared = [g for name, g in self.gain.items() if name not in ("Wanda, fine-tuned", "magnitude, fine-tuned")]
        self.range = [(min(g[k].value for g in spared), max(g[k].value for g in spared)) for k in (0, 1)]

    def doubling(self):
        """Slope of the score on log2 of the living links, among networks that learned; by target."""
        kinds = [(self.map, arm) for arm in ("imp", "random", "layer-counts", "rewired", "sp")]
        kinds += [(self.rewound, arm) for arm in ("sp", "random", "wanda", "taylor")]
        self.slopes, count = {}, 0
        more = kinds + [(self.map, arm) for arm in ("wanda", "taylor", "magnitude")]

        def slope(target, kinds):
            points = []
            for seed in self.map.seeds:
                found = [self.map.at(target, seed, "dense", 0)]
                found += [s.at(target, seed, arm, level) for s, arm in kinds for level in (1, 2, 3, 4)]
                points += [(log2(n.alive), n.score) for n in found if n and n.fit]
            return linear_regression(*zip(*points)).slope, len(points)

        for target in self.map.targets:
            value, points = slope(target, kinds)
            self.slopes[target], count = [value], count + points
        self.slope, self.slope_count = mean(self.slopes), count
        self.slope_all = mean({t: [slope(t, more)[0]] for t in self.map.targets})

    def criteria(self):
        sp = self.side("sp")
        rivals = [
            ("layer counts", "layer-counts"),
            ("rewired", "rewired"),
            ("IMP", "imp"),
            ("random", "random"),
            ("Taylor", "taylor"),
            ("Wanda", "wanda"),
            ("magnitude", "magnitude"),
        ]
        def both(rivals):
            named = []
            for name, arm in rivals:
                for levels, shares in ((RULE, "26 and 12 %"), (ALL, "50 to 12 %")):
                    named.append(pair(f"SP − {name}, {shares}", sp, self.side(arm), levels))
            return rows(named)

        self.table_controls, self.table_rivals = both(rivals[:2]), both(rivals[2:])
        self.sp = {
            arm: dict(
                way={q: mean(contrast(sp, self.side(arm), at(q))) for q in WAY},
                way_all={q: mean(contrast(sp, self.side(arm), at(q), ALL)) for q in WAY},
                end=mean(finished(sp, self.side(arm))),
                end_all=mean(finished(sp, self.side(arm), ALL)),
            )
            for _, arm in rivals
        }
        # A fixed δ, with the gate and without.
        text = "| SP − … | no gate | both learned |\n|---|---|---|\n"
        self.fixed = {}
        for name, arm in rivals:
            no_gate = mean(contrast(sp, self.side(arm), lambda a, b: [a.fixed - b.fixed]))
            gated = mean(finished(sp, self.side(arm), ALL, compare=both_learned_fixed))
            self.fixed[arm] = (no_gate, gated)
            text += f"| {name} | {cell(no_gate)} | {cell(gated)} |\n"
        self.table_fixed = text
        # The R² that pairs of SP and layer counts share.
        self.levels, self.highest = Counter(), Counter()
        for target in self.map.targets:
            for seed in self.map.seeds:
                for level in RULE:
                    a, b = (self.map.at(target, seed, arm, level) for arm in ("sp", "layer-counts"))
                    shared = [q for q in a.reached if q in b.reached]
                    self.levels.update(shared)
                    self.highest[max(shared) if shared else None] += 1
        text = "| | none | " + " | ".join(number(q) for q in WAY) + " |\n|---|" + "---|" * 7 + "\n"
        text += "| pairs whose highest shared R² is this | " + " | ".join(str(self.highest[q]) for q in (None, *WAY)) + " |\n"
        text += "| pairs that share this R² | – | " + " | ".join(str(self.levels[q]) for q in WAY) + " |\n"
        self.table_shared = text
        self.comparable = sum(n for q, n in self.highest.items() if q is not None)
        # One layer beside the reference, both sides together.
        named, beside = [], {}
        for name, arm in rivals[:2]:

            def of(compare, arm=arm):
                values = {}
                for off in (-1, 1):
                    for t, v in contrast(self.side("sp", offset=off), self.side(arm, offset=off), compare).items():
                        values.setdefault(t, []).extend(v)
                return values

            last = {}
            for off in (-1, 1):
                for t, v in finished(self.side("sp", offset=off), self.side(arm, offset=off)).items():
                    last.setdefault(t, []).extend(v)
            named.append((f"SP − {name}, at ± 1", of, last))
            beside[arm] = mean(last)
        self.table_beside, self.beside = rows(named), beside
        # The readings of SP: four targets.
        readings = ("sp", "sp-corr-maps", "sp-corr-sum", "sp-cos-sum", "sp-strength")
        have = {n.target for n in self.map.networks if n.arm == "sp-corr-maps"}
        named = []
        for arm in readings:
            for name, control in rivals[:2]:
                a, b = self.side(arm), self.side(control)
                title = "cos-maps" if arm == "sp" else arm.removeprefix("sp-")

                def of(compare, a=a, b=b):
                    return {t: v for t, v in contrast(a, b, compare).items() if t in have}

                last = {t: v for t, v in finished(a, b).items() if t in have}
                named.append((f"`{title}` − {name}", of, last))
        self.table_readings = rows(named, "reading")

    def rewinding(self):
        pairs = [
            ("Wanda", self.side("wanda", True), self.side("wanda")),
            ("Taylor", self.side("taylor", True), self.side("taylor")),
            ("magnitude (IMP), five seeds", self.side("imp"), self.side("magnitude")),
            ("SP", self.side("sp", True), self.side("sp")),
            ("random", self.side("random", True), self.side("random")),
        ]
        named = [(f"{p[0]}, {shares}", *pair(*p, levels=levels)[1:]) for p in pairs for levels, shares in ((RULE, "26 and 12 %"), ((1,), "50 %"))]
        self.table_rewinding = rows(named, "rewound − fine-tuned")
        self.rewind = {p[0]: mean(finished(*p[1:])) for p in pairs}
        self.rewind_half = {p[0]: mean(finished(*p[1:], levels=(1,))) for p in pairs}
        self.rewind_way = {
            p[0]: mean(contrast(*p[1:], lambda a, b: [fmean([a.reached[q] - b.reached[q] for q in a.reached if q in b.reached])] if set(a.reached) & set(b.reached) else []))
            for p in pairs
        }
        sp, seeds = self.side("sp", True), self.rewound.seeds
        others = [("IMP", self.side("imp"))] + [
            (name, self.side(arm, True)) for name, arm in (("Wanda", "wanda"), ("Taylor", "taylor"), ("random", "random"))
        ]
        named = [
            pair(f"SP − {n}, {shares}", sp, o, levels, seeds)
            for n, o in others
            for levels, shares in ((RULE, "26 and 12 %"), (ALL, "50 to 12 %"))
        ]
        self.table_all_rewound = rows(named, "all rewound")
        self.all_rewound = {n: mean(finished(sp, o, ALL, seeds)) for n, o in others}
        # Rewound networks and their dense parent by R².
        dense = self.side("dense")
        named = [
            (n, self.side(a, r))
            for n, a, r in (("SP", "sp", True), ("random", "random", True), ("Wanda", "wanda", True), ("Taylor", "taylor", True), ("IMP", "imp", False))
        ]
        self.table_rewound_dense = rows([pair(f"{n} − dense", s, dense) for n, s in named], "all rewound")

    def depth(self):
        def last(apart):
            return sides(self.map, "sp", apart, both_learned)

        named = [
            (f"reference − ± {apart} ({rule})", lambda compare, apart=apart: sides(self.map, "sp", apart, compare), last(apart))
            for apart, rule in ((4, "C5"), (1, "narrow"))
        ]
        self.table_depth = rows(named, "SP's networks")
        self.depth_end = {apart: mean(last(apart)) for apart in (4, 1)}

    def optimizer(self):
        """SP's networks trained by Muon less those by Adam (C11's second half)."""
        study = self.replication
        muon, adam = Side(study, "sp-muon"), Side(study, "sp")
        levels = (0.4, 0.6, *WAY)
        text = "| SP's networks | " + " | ".join(map(number, levels)) + " | finished, both learned |\n|" + "---|" * (len(levels) + 2) + "\n"
        self.muon = mean(finished(muon, adam, (1,)))
        cells = [cell(mean(contrast(muon, adam, at(q), (1,)))) for q in levels] + [cell(self.muon)]
        self.table_optimizer = text + "| Muon − Adam | " + " | ".join(cells) + " |\n"

    def small(self):
        """Networks of the pruning study with as few links as the paper's skull (about 470, 64² pixels)."""
        skull = [n for n in networks("pruning") if n.target == "skull" and n.level == 2]
        self.skull = (sum(n.fit for n in skull), len(skull))

    def evolved(self):
        """The contrast that is known to be there: evolved less dense on its way."""
        levels = (0.4, 0.6, *WAY)
        text = "| evolved − dense | " + " | ".join(number(q) for q in levels) + " | finished, both learned |\n|" + "---|" * (len(levels) + 2) + "\n"
        self.known = {}
        for name, study in (("wirings", self.wirings), ("replication", self.replication), ("map", self.map)):
            cells, found = [], {}
            for q in levels:
                values = {}
                for n in study.networks:
                    if n.arm == "dense" and n.offset == 0 and q in n.reached:
                        values.setdefault(n.target, []).append(study.evolved(n.target).score - n.reached[q])
                found[q] = mean(values)
            values = {}
            for n in study.networks:
                if n.arm == "dense" and n.offset == 0 and n.fit:
                    values.setdefault(n.target, []).append(study.evolved(n.target).score - n.score)
            found["end"] = mean(values)
            self.known[name] = found
            cells = [cell(found[q]) for q in (*levels, "end")]
            text += f"| {name} | " + " | ".join(cells) + " |\n"
        self.table_known = text

    def retrained(self):
        """Evolved wirings trained from random weights that learned their picture."""
        text = "| target | study, seed | R² | retrained | evolved | dense, finished |\n|---|---|---|---|---|---|\n"
        less_evolved, less_dense, self.runs, self.learned = {}, {}, 0, 0
        for study in (self.wirings, self.replication):
            for n in study.networks:
                if n.arm != "layerized":
                    continue
                self.runs += 1
                if not n.fit:
                    continue
                self.learned += 1
                evolved, dense = study.evolved(n.target), study.at(n.target, n.seed, "dense", 0)
                less_evolved.setdefault(n.target, []).append(evolved.score - n.score)
                if dense.fit:
                    less_dense.setdefault(n.target, []).append(n.score - dense.score)
                mark = "" if dense.fit else f" (R² {number(dense.r2)}, not learned)"
                text += (
                    f"| {n.target.replace('_', ' ')} | {n.study}, {n.seed} | {number(n.r2)} | {number(n.score)} "
                    f"| {number(evolved.score)} | {number(dense.score)}{mark} |\n"
                )
        self.table_retrained = text
        self.less_evolved, self.less_dense = mean(less_evolved), mean(less_dense)
        graphs = [n for study in (self.wirings, self.replication) for n in study.networks if n.arm == "graph"]
        self.graphs = (sum(n.fit for n in graphs), len(graphs), sorted({n.target for n in graphs if n.fit}))
        # Both halves of the rule by R².
        text = "| retrained − dense | " + " | ".join(number(q) for q in (0.4, 0.6, 0.8, 0.9, 0.95)) + " |\n|---|" + "---|" * 5 + "\n"
        for name, study in (("wirings", self.wirings), ("replication", self.replication)):
            cells = [
                cell(mean(contrast(Side(study, "layerized"), Side(study, "dense"), at(q), (0,)))) for q in (0.4, 0.6, 0.8, 0.9, 0.95)
            ]
            text += f"| {name} | " + " | ".join(cells) + " |\n"
        self.table_c2 = text
        ends = [n.r2 for study in (self.wirings, self.replication) for n in study.networks if n.arm == "layerized"]
        self.retrained_r2 = (min(ends), max(ends))


PAGES = {
    "experiments/regime.md": "known shared less_dense controls depth rivals fixed readings beside",
    "experiments/rewinding.md": "rewinding all_rewound rewound_dense",
    "experiments/wirings.md": "retrained c2",
    "experiments/replication.md": "optimizer",
}


def sentences(n):
    """(page, words that must stand in it)."""
    gain = n.gain
    half, quarter = n.range
    sp, imp, rewired, counts = n.sp["random"], n.sp["imp"], n.sp["rewired"], n.sp["layer-counts"]
    way, end, end_half = n.rewind_way, n.rewind, n.rewind_half
    carried = ("Wanda", "Taylor", "magnitude (IMP), five seeds")
    rewound = [number(f(d[k].value for d in (end, end_half) for k in carried)) for f in (min, max)]
    on_way = [number(f(way[k].value for k in carried)) for f in (min, max)]
    slope = f"{number(-n.slope.value, 3)} [{number(-n.slope.high, 3)}, {number(-n.slope.low, 3)}]"
    slope_all = f"{number(-n.slope_all.value, 3)} [{number(-n.slope_all.high, 3)}, {number(-n.slope_all.low, 3)}]"
    magnitude, wanda = gain["magnitude, fine-tuned"], gain["Wanda, fine-tuned"]
    score = lambda m: number(m.value)
    every = f"{n.slope.targets - n.slope.above} of {n.slope.targets}"
    told = [
        (
            "docs/FINDINGS.md",
            f"evolved networks score {score(n.best)}, and dense networks that learned their picture {score(n.dense)}.",
        ),
        ("docs/FINDINGS.md", f"the score falls by {slope} for each doubling of links, on all thirteen pictures"),
        (
            "docs/FINDINGS.md",
            f"With half of the links they score {number(half[0])} to {number(half[1])} above their dense parent, "
            f"with a quarter {number(quarter[0])} to {number(quarter[1])},",
        ),
        (
            "docs/FINDINGS.md",
            f"+{score(magnitude[0])} and +{score(wanda[0])} at half of the links, +{score(magnitude[1])} and "
            f"+{score(wanda[1])} at a quarter.",
        ),
        ("docs/FINDINGS.md", f"rewound to the initial weights, score {rewound[0]} to {rewound[1]} above fine-tuned ones"),
        (
            "docs/FINDINGS.md",
            f"Links chosen by similarity score {interval(sp['end_all'])} above random ones, and "
            f"{interval(rewired['end_all'])} above random ones with the same degrees.",
        ),
        ("experiments/regime.md", f"the fewer links they have, by {slope} for each halving, on all thirteen targets"),
        (
            "experiments/regime.md",
            f"SP's are {interval(counts['end_all'])} above random ones with its layer counts and {interval(rewired['end_all'])}",
        ),
        (
            "experiments/regime.md",
            f"Of the 130 pairs of SP and layer counts that C4 compares, {n.comparable} share an R². "
            f"Of these {n.comparable}, {n.levels[0.95]} share R² .95",
        ),
        (
            "experiments/regime.md",
            f"the score falls by {slope} for each doubling of the links that are alive, on {every} targets ({n.slope_count} networks",
        ),
        ("experiments/regime.md", f"it is {slope_all}, on {n.slope_all.targets - n.slope_all.above} of 13 too"),
        ("experiments/regime.md", f"Dense networks score {interval(n.dense)}, evolved ones {interval(n.best)}."),
        (
            "experiments/regime.md",
            f"{interval(counts['way'][0.7])} at R² .70, {interval(counts['way'][0.95])} at .95, finished {interval(counts['end'])}",
        ),
        (
            "experiments/regime.md",
            f"SP − rewired goes from {interval(rewired['way'][0.7])} at .70 to {interval(rewired['end'])} finished",
        ),
        (
            "experiments/regime.md",
            f"With the gate added, both learned, {interval(n.fixed['layer-counts'][1])} is left.",
        ),
        ("experiments/regime.md", f"finished it is {interval(n.depth_end[4])}, no other"),
        ("experiments/regime.md", f"on equal fit; finished {interval(n.depth_end[1])}"),
        (
            "experiments/regime.md",
            f"{interval(imp['way'][0.7])} at R² .70, {interval(imp['way'][0.95])} at .95, finished "
            f"{interval(imp['end_all'])} over 50 to 12 % of the links (26 and 12 %: {interval(imp['end'])})",
        ),
        (
            "experiments/regime.md",
            "by little**: IMP {}, random {}, Taylor {}, Wanda {}, magnitude {}.".format(
                *(interval(n.sp[arm]["end_all"]) for arm in ("imp", "random", "taylor", "wanda", "magnitude"))
            ),
        ),
        (
            "experiments/regime.md",
            f"finished they are never below it ({', '.join(score(m) for m in magnitude[:2])} and {score(magnitude[2])},",
        ),
        ("experiments/regime.md", f"finished networks gain {rewound[0]} to {rewound[1]}"),
        ("experiments/regime.md", f"finished, SP − layer counts is {interval(n.beside['layer-counts'])}"),
        (
            "experiments/rewinding.md",
            f"score {rewound[0]} to {rewound[1]} higher if they were retrained from the initial weights; for random "
            f"links no gain shows ({interval(end['random'])})",
        ),
        (
            "experiments/rewinding.md",
            "Finished the three gain {} to {} with 26 and 12 % of the links, {} to {} with 50 %.".format(
                *(number(f(d[k].value for k in carried)) for d in (end, end_half) for f in (min, max))
            ),
        ),
        ("experiments/rewinding.md", f"SP's links gain {interval(end['SP'])}."),
        (
            "experiments/rewinding.md",
            f"SP is ahead of the lottery ticket by {interval(n.all_rewound['IMP'])} and of Wanda by "
            f"{interval(n.all_rewound['Wanda'])}, over 50 to 12 %",
        ),
        (
            "experiments/study.md",
            f"score {interval(sp['end_all'])} above random ones and {interval(imp['end_all'])} above lottery tickets",
        ),
        ("experiments/study.md", f"and {interval(rewired['end_all'])} above random ones with the same degrees"),
        ("experiments/study.md", f"{slope} less for each doubling"),
        ("experiments/study.md", f"evolved − retrained {interval(n.less_evolved)}, five targets"),
        (
            "experiments/study.md",
            f"SP − layer counts changes its sign: {interval(counts['end_all'])}; SP − rewired {interval(rewired['end_all'])}",
        ),
        ("experiments/study.md", f"SP − IMP changes its sign: {interval(imp['end_all'])}"),
        ("experiments/study.md", f"{interval(n.depth_end[4])}; {interval(n.depth_end[1])}"),
        ("experiments/study.md", f"{rewound[0]} to {rewound[1]} in place of .23 to {on_way[1]}"),
        ("experiments/study.md", f"Muon − Adam: {interval(n.muon)}, eight targets"),
        ("experiments/study.md", f"none of {n.skull[1]} networks of the skull with so few links learned"),
        (
            "experiments/wirings.md",
            f"evolved − retrained {interval(n.less_evolved)}, retrained − dense +{interval(n.less_dense)}.",
        ),
        ("experiments/wirings.md", f"(of {n.runs} in both studies; five targets"),
        ("experiments/replication.md", f"score {lower(n.muon)} lower than Adam's, on eight targets"),
        ("experiments/study.toml", f"at 64² none of {n.skull[1]} networks of the skull"),
        (
            "experiments/study.toml",
            f"{score(imp['way'][0.7])} at R² .70, +{score(imp['end_all'])} finished",
        ),
        (
            "experiments/study.toml",
            f"{score(counts['way'][0.7])} at R² .70, +{score(counts['end'])} finished",
        ),
        ("experiments/study.toml", f"finished it is {interval(n.depth_end[4])} ("),
        ("experiments/study.toml", f"score {lower(n.muon)} lower than Adam's"),
        (
            "docs/JUDGES.md",
            f"evolved networks score {score(n.best)}, dense networks that learned their picture {score(n.dense)}.",
        ),
    ]
    assert n.learned == 12 and n.skull[0] == 0, "the pages say in words that twelve wirings and no skull learned"
    return told


def plain(text):
    return re.sub(r"\s+", " ", text)


def main(how):
    numbers = Numbers()
    wrong = []
    for page, names in PAGES.items():
        path = ROOT / page
        text = path.read_text()
        for name in names.split():
            mark = f"<!-- finished.py: {name} -->\n"
            if text.count(mark) != 1:
                raise SystemExit(f"{page}: expected one table {name}, found {text.count(mark)}")
            start = text.index(mark) + len(mark)
            end = text.index("<!-- end -->", start)
            table = "\n" + getattr(numbers, f"table_{name}") + "\n"
            if text[start:end] != table:
                wrong.append(f"{page}: the table {name} does not follow from the records; write it with --write")
            if how == "--write":
                text = text[:start] + table + text[end:]
            elif not how:
                print(f"{page}: {name}\n{table}")
        if how == "--write":
            path.write_text(text)
    if how == "--write":
        wrong = []
    told = sentences(numbers)
    for page, words in told:
        if plain(words) not in plain((ROOT / page).read_text()):
            wrong.append(f"{page}: expected {words!r}")
        elif not how:
            print(f"{page}: {words}")
    if wrong:
        raise SystemExit("\n".join(wrong))
    print(f"{sum(len(names.split()) for names in PAGES.values())} tables and {len(told)} sentences follow from the records")


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"], ["--write"]):
        raise SystemExit(__doc__)
    main("".join(sys.argv[1:]))

"""Cuts the two fonts that figures carry out of DejaVu Sans (Debian package fonts-dejavu-core).

    pip install fonttools
    apt-get install fonts-dejavu-core
    python crates/plot/fonts/subset.py

Kerning, ligatures and hints are dropped: the advance widths alone then decide where a letter
stands, so that Picloom's own text measuring, resvg and browsers agree.
"""

import pathlib
import shutil
from fontTools import subset

SOURCE = pathlib.Path("/usr/share/fonts/truetype/dejavu")
LICENCE = pathlib.Path("/usr/share/doc/fonts-dejavu-core/copyright")
HERE = pathlib.Path(__file__).parent

RANGES = [
    (0x20, 0x7E),  # ASCII
    (0xA0, 0xFF),  # Latin-1
    (0x100, 0x17F),  # Latin Extended-A: names of people
    (0x391, 0x3A9),  # Greek
    (0x3B1, 0x3C9),
    (0x3D1, 0x3D6),
    (0x2010, 0x2027),  # dashes, quotes, ellipsis
    (0x202F, 0x2033),  # narrow space, per mille, primes
    (0x2039, 0x203A),
    (0x2044, 0x2044),
    (0x2070, 0x208E),  # superscripts and subscripts
    (0x20AC, 0x20AC),
    (0x2113, 0x2113),
    (0x211D, 0x211D),
    (0x2190, 0x2195),  # arrows
    (0x21D0, 0x21D4),
    (0x2200, 0x220F),  # sums, minus, root, infinity, almost equal, comparisons
    (0x2211, 0x221E),
    (0x2227, 0x222B),
    (0x2248, 0x2248),
    (0x2260, 0x2265),
    (0x226A, 0x226B),
    (0x2282, 0x2287),
    (0x2295, 0x2297),
    (0x22A5, 0x22A5),
    (0x22C5, 0x22C5),
    (0x2308, 0x230B),  # floor and ceiling
    (0x25A0, 0x25A1),  # squares, triangles, diamonds, circles
    (0x25B2, 0x25B3),
    (0x25BC, 0x25BD),
    (0x25C6, 0x25C7),
    (0x25CB, 0x25CF),
    (0x2713, 0x2717),  # ticks and crosses
]


def main():
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.drop_tables += ["kern", "GPOS", "GSUB", "GDEF", "FFTM"]
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    options.notdef_outline = True
    options.recalc_timestamp = False
    for face in ["DejaVuSans", "DejaVuSans-Bold"]:
        font = subset.load_font(str(SOURCE / f"{face}.ttf"), options)
        cut = subset.Subsetter(options)
        cut.populate(unicodes=[c for first, last in RANGES for c in range(first, last + 1)])
        cut.subset(font)
        target = HERE / f"{face}-subset.ttf"
        subset.save_font(font, str(target), options)
        print(f"{target.name}: {target.stat().st_size} bytes, {len(font.getGlyphOrder())} glyphs")
    shutil.copyfile(LICENCE, HERE / "LICENCE-DejaVu.txt")


main()

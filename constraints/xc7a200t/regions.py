# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run by nextpnr before it places (--pre-place): the columns of slices between the GTP quads of an XC7A200T stay empty.

At the lower and upper end of the part (rows 0 to 52 and 208 to 259 of nextpnr's grid) GTP quads take the columns 88 to 131 and 136 to 183. The slices
between them can be reached from the rows in the middle only, and nextpnr's placers do not know that: what they put there has to go around, which the
router finds after looking at a hundred thousand wires for each net.
"""
import re

ROWS, QUADS = (53, 207), (88, 183)
REGION = "all_but_between_quads"
ctx.createRectangularRegion(REGION, 0, ROWS[0], 264, ROWS[1])  # noqa: F821
for bel in ctx.getBels():  # noqa: F821
    at = re.match(r"X(\d+)Y(\d+)/", str(bel))
    if at and not ROWS[0] <= int(at[2]) <= ROWS[1] and not QUADS[0] <= int(at[1]) <= QUADS[1]:
        ctx.addBelToRegion(REGION, bel)  # noqa: F821
# The iterators of nextpnr work in plain loops only, and not while a cell changes.
names = []
for name, cell in ctx.cells:  # noqa: F821
    if str(cell.type).startswith(("SLICE", "CARRY4", "RAMB", "DSP48")):
        names.append(name)
for name in names:
    ctx.constrainCellToRegion(name, REGION)  # noqa: F821

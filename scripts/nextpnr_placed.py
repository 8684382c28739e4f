# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run by nextpnr before it routes (--pre-route), in one of two runs. With OHCA_PLACED it writes what was placed to that file, for
scripts/placement.py, and ends nextpnr: the sites of logic and block RAM, and the cells with their places, nets and parameters. With
OHCA_BELS (and --no-place) it puts each cell where that file says."""
import os

if "OHCA_PLACED" in os.environ:
    with open(os.environ["OHCA_PLACED"], "w") as f:
        for bel in ctx.getBels():  # noqa: F821
            kind = ctx.getBelType(bel)  # noqa: F821
            if kind in ("TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW", "DP16KD"):
                at = ctx.getBelLocation(bel)  # noqa: F821
                f.write(f"site\t{kind}\t{bel}\t{at.x}\t{at.y}\t{at.z}\n")
        for name, cell in ctx.cells:  # noqa: F821
            if cell.bel is None:
                continue
            at = ctx.getBelLocation(cell.bel)  # noqa: F821
            f.write(f"cell\t{cell.type}\t{cell.bel}\t{at.x}\t{at.y}\t{at.z}\t{name}")
            for port, info in cell.ports:
                if info.net is not None:
                    f.write(f"\t{'>' if info.type == PortType.PORT_OUT else '<'}{port}={info.net.name}")  # noqa: F821
            if cell.type in ("TRELLIS_COMB", "TRELLIS_FF"):
                for key, value in cell.params:
                    if key in ("MODE", "GSR", "SRMODE", "CLKMUX", "CEMUX", "LSRMUX"):
                        f.write(f"\t:{key}={value}")
            f.write("\n")
    os._exit(0)

bels = dict(line.rstrip("\n").split("\t") for line in open(os.environ["OHCA_BELS"]))
# Packing has placed some already: the clock's buffers.
for name, cell in ctx.cells:  # noqa: F821
    if name in bels and cell.bel is not None:
        ctx.unbindBel(cell.bel)  # noqa: F821
for name, cell in ctx.cells:  # noqa: F821
    if name in bels:
        ctx.bindBel(bels[name], cell, STRENGTH_STRONG)  # noqa: F821
for bel in bels.values():
    if not ctx.isBelLocationValid(bel, True):  # noqa: F821
        raise RuntimeError(f"what is at {bel} may not be there")
